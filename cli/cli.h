/*
 * cli: what the verbs of the program share. The program sees sotto.h only:
 * whatever it does, another program can do too.
 */
#ifndef SOTTO_CLI_H
#define SOTTO_CLI_H

#include <sotto.h>
#include <stdio.h>

enum { CLI_MOST_ARGUMENTS = 8 };

typedef struct cli {
    sotto_options *options;
    const char *argument[CLI_MOST_ARGUMENTS];
    int arguments;
    int wants_help;
} cli;

typedef struct verb {
    const char *name;
    const char *usage;   /* its arguments */
    const char *summary; /* one line */
    const char *detail;  /* for `sotto help VERB` */
    int least, most;     /* how many arguments */
    sotto_status (*run)(const cli *c, sotto_error *error);
} verb;

/* The verbs, ended by one without a name. */
extern const verb cli_verbs[];
const verb *cli_find_verb(const char *name);
int cli_takes(const verb *v, const sotto_option *o);

int cli_flag(const cli *c, const char *name);

/* One line for a wrong call: fills the error, returns SOTTO_USAGE. */
sotto_status cli_refuse(sotto_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
sotto_status cli_refuse_verb(const char *name, sotto_error *error);

/* Prints a name on a terminal: control characters become '?', and what is
   longer than `most` bytes is cut between characters. Returns its width
   in characters. */
int cli_print_name(FILE *to, const char *name, int most);

/* Prints text as a JSON string, in quotes. */
void cli_json_text(FILE *to, const char *text);

/* Prints a double so that it reads back as the same bits; null for NaN. */
void cli_json_number(FILE *to, double x);

sotto_status cli_account(const cli *c, sotto_error *error);
sotto_status cli_doctor(const cli *c, sotto_error *error);
sotto_status cli_generate(const cli *c, sotto_error *error);
sotto_status cli_schema(const cli *c, sotto_error *error);
sotto_status cli_version(const cli *c, sotto_error *error);
sotto_status cli_help(const cli *c, sotto_error *error);

#endif
