/*
 * cli: what the verbs of the program share. The program sees the public
 * headers only: whatever it does, another program can do too.
 */
#ifndef SOTTO_CLI_H
#define SOTTO_CLI_H

#include <sotto.h>
#include <stdio.h>

enum { CLI_ANY_NUMBER = 1 << 30 }; /* of arguments */

typedef struct cli {
    sotto_options *options;
    const char **argument; /* as many as there are words */
    int arguments;
    char **words; /* the whole command line, as main got it */
    int wants_help;
} cli;

typedef struct verb {
    const char *name;
    const char *usage;   /* its arguments */
    const char *summary; /* one line */
    const char *detail;  /* for `sotto help VERB` */
    int least, most;     /* how many arguments */
    sotto_status (*run)(const cli *c, sotto_error *error);
    const char *json_keys; /* of the objects that it prints for --json */
    const char *example;   /* for `sotto help VERB`; or "" */
} verb;

/* What each exit code means, ended by NULL. */
typedef struct cli_exit {
    int code;
    const char *name; /* in an error that is printed as JSON */
    const char *meaning;
} cli_exit;
extern const cli_exit cli_exits[];

/* ---- verbs.c ---- */

/* The verbs, ended by one without a name. */
extern const verb cli_verbs[];
const verb *cli_find_verb(const char *name);
int cli_takes(const verb *v, const sotto_option *o);

/* Whether every rank of sotto-mpi runs it; others are for one process. */
int cli_is_by_ranks(const verb *v);
sotto_status cli_refuse_verb(const char *name, sotto_error *error);

/* ---- alone.c; of sotto-mpi mpi/ranks.c ---- */

/* Finds the other ranks, before anything else is done. What goes wrong is in
 *error. */
void cli_ranks_start(int *argc, char ***argv, sotto_error *error);

/* Whether this process says, books and writes something: of several ranks the
   first. */
int cli_ranks_is_root(void);

/* Refuses what ranks cannot do; lets the options have them. */
sotto_status cli_ranks_join(const cli *c, const verb *v, sotto_error *error);

/* The root is about to say that it was interrupted: no other rank has to. Also
   called where a signal is handled. */
void cli_ranks_root_speaks(void);

/* How it went at all ranks. */
sotto_status cli_ranks_leave(sotto_status status, sotto_error *error);

/* ---- common.c ---- */

/* Whether it is a flag that is on by itself, so that there is --no-NAME. */
int cli_can_be_off(const sotto_option *o);

/* The one letter that stands for the option too, or NULL. */
const char *cli_short(const sotto_option *o);

int cli_flag(const cli *c, const char *name);

/* One line when memory is out. */
sotto_status cli_memory(sotto_error *error);

/* One line for a wrong call: fills the error, returns SOTTO_USAGE. */
sotto_status cli_refuse(sotto_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a name on a terminal: control characters become '?', and what is
   longer than `most` bytes is cut between characters. Returns its width
   in characters. */
int cli_print_name(FILE *to, const char *name, int most);

/* Writes what is not for release: a new file is for its owner alone. */
sotto_status cli_write_secret(const char *path, const char *text,
                              sotto_error *error);

/* Begins a line on stderr: "wrote PATH". */
void cli_wrote(const char *path);

/* Writes a model; where that fails and it is private, the error says that the
   budget is spent. */
sotto_status cli_write_model(const cli *c, const sotto_model *m,
                             sotto_error *error);

/* Prints a line with the unit of a private model, after the label. */
void cli_print_unit(FILE *to, const char *label, const sotto_model *m);

/* Prints a line with what all runs on the data set amount to, after the
   label, or that no ledger knows of this one. */
void cli_print_booking(FILE *to, const char *label, const sotto_model *m);

/* The same of what a statement says; NULL: no ledger knows of the run. */
void cli_print_booked(FILE *to, const char *label,
                      const sotto_booking *booking);

/*
 * Where a private run on this file is to be booked: what --ledger says, or
 * the user's own ledger, under the file's path unless --dataset names it. Sets
 * the options that the library reads.
 */
sotto_status cli_set_ledger(const cli *c, const char *data, sotto_error *error);

/* A remark where the user's own ledger has other counts of the file. */
void cli_remark_counts(const cli *c);

/* To an error after the questions were asked: nothing is given back. */
void cli_add_spent(sotto_error *error, int booked);

/* Who books, or raises a cap: the user's name, for the ledger. */
sotto_status cli_set_who(const cli *c, sotto_error *error);

/* The number that a text starts with, up to a comma, a blank, a brace or its
   end; NaN when there is none. */
double cli_number(const char *text);

/* Remarks on a table, for the operator, unless --quiet. */
void cli_remarks(const cli *c, const sotto_table *t);

/* How many bad rows were left out, where that is counted, which it never is
   for private training: a remark unless --quiet, and , "rows_dropped": N. */
void cli_remark_dropped(const cli *c, const sotto_table *t, int64_t rows);
void cli_json_dropped(int64_t rows);

/* A remark where a run costs more than --epsilon, as a paper's own noise may;
   unless --quiet. */
void cli_remark_price(const cli *c, double epsilon, double delta);

/* What the options quietly mean, of what is public: before anything is
   charged. */
void cli_remark_options(const cli *c);

/* The same when the table is there; what was said already is not said again. */
void cli_remark_more(const cli *c, const sotto_table *t, int said);

/* Whether cli_remark_options says these words. */
int cli_remarked(const cli *c, const char *words);

/* Whether to use colours there: a terminal, and no NO_COLOR. */
int cli_colours(FILE *to);

/* ---- output.c ---- */

/* What would fail after long work, tried before it: -o FILE is given, can be
   written, and is neither one of the files that are read, nor a ledger or a
   key. */
sotto_status cli_check_place(const cli *c, sotto_error *error);

/* The same; a private model, or evaluation, is not replaced either. */
sotto_status cli_check_output(const cli *c, sotto_error *error);

/* The same for what writes a model or an evaluation: it replaces no file but
   one of them that is not private, or an empty one. */
sotto_status cli_check_release(const cli *c, sotto_error *error);

/* As cli_check_output, and a file that begins otherwise than those that the
   verb writes is not replaced. */
sotto_status cli_check_own(const cli *c, const char *begins, const char *what,
                           sotto_error *error);

/* ---- json.c ---- */

/* Prints text as a JSON string, in quotes. */
void cli_json_text(FILE *to, const char *text);

/* Prints a double so that it reads back as the same bits; null for NaN. */
void cli_json_number(FILE *to, double x);

/* Prints a further member on stdout: , "key": x. */
void cli_json_member(const char *key, double x);

/* , "classes": [...] of a model. */
void cli_json_classes(const sotto_model *m);

/* What a verb that wrote a file, or a folder, prints: {"output": PATH}. */
void cli_json_output(const char *path);

/* What training prints of a model: {"not_private": ..., "privacy": ...}. */
void cli_json_privacy(const sotto_model *m);

/* -o - and --json cannot both have stdout. */
sotto_status cli_json_check(const cli *c, sotto_error *error);

/* Whether --json stands among the words, even of a wrong call. */
int cli_json_asked(char **argv);

/* An error as one line of JSON on stderr. */
void cli_json_error(sotto_status status, const char *message);

/* ---- account.c ---- */

/* The list of --events, of --event, or both joined. */
sotto_status cli_events(const cli *c, const char *adjacency, sotto_events **out,
                        sotto_error *error);

/* ---- progress.c ---- */

typedef struct cli_progress {
    enum { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_JSON } how;
    const char *stage;
    double shown; /* when, in seconds */
    int drawn;    /* a bar stands on the terminal */
} cli_progress;

void progress_begin(cli_progress *p, const cli *c);
void progress_stage(cli_progress *p, const char *stage);
int progress_show(void *context, const sotto_progress *at);
void progress_end(cli_progress *p);

/* Ctrl-C, SIGTERM and SIGHUP end the program with 128 + the signal's number and
   one line, unless whoever started it has them ignored: nothing is
   half-written, since files have no name until they are whole. */
void progress_catch_interrupts(void);

/* From now on a run may be booked: who interrupts it is told so. */
void progress_books(void);

/* Prints the whole reference as JSON; or "sets": [...], a part of it. */
void cli_reference(void);
void cli_reference_sets(void);

sotto_status cli_account(const cli *c, sotto_error *error);
/* sotto federate but for simulate. */
sotto_status cli_consortium(const cli *c, sotto_error *error);
sotto_status cli_convert(const cli *c, sotto_error *error);
sotto_status cli_doctor(const cli *c, sotto_error *error);
sotto_status cli_evaluate(const cli *c, sotto_error *error);

/* ---- evaluation.c: with --epsilon ---- */

sotto_status cli_evaluate_privately(const cli *c, const sotto_model *model,
                                    sotto_error *error);
sotto_status cli_print_evaluation(const sotto_evaluation *e,
                                  sotto_error *error);
sotto_status cli_export(const cli *c, sotto_error *error);
sotto_status cli_federate(const cli *c, sotto_error *error);

/* Whether this program has the federation, or finds the one that has. */
int cli_has_federation(void);

sotto_status cli_generate(const cli *c, sotto_error *error);
sotto_status cli_ledger(const cli *c, sotto_error *error);
sotto_status cli_key(const cli *c, sotto_error *error);
sotto_status cli_audit(const cli *c, sotto_error *error);
sotto_status cli_plan(const cli *c, sotto_error *error);
sotto_status cli_predict(const cli *c, sotto_error *error);
sotto_status cli_report(const cli *c, sotto_error *error);
sotto_status cli_schema(const cli *c, sotto_error *error);
sotto_status cli_show(const cli *c, sotto_error *error);
sotto_status cli_train(const cli *c, sotto_error *error);
sotto_status cli_verify(const cli *c, sotto_error *error);
sotto_status cli_version(const cli *c, sotto_error *error);
sotto_status cli_help(const cli *c, sotto_error *error);

#endif
