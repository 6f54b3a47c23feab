/*
 * sotto: the program. Finds the verb, sets the options, runs it; the exit
 * code is the status.
 */
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

sotto_status cli_version(const cli *c, sotto_error *error)
{
    (void)error;
    if (cli_flag(c, "json"))
        printf("{\"sotto\": \"%s\"}\n", sotto_version());
    else
        printf("sotto %s\n", sotto_version());
    return SOTTO_OK;
}

/* The option that --no-NAME says no to. */
static const sotto_option *cli_negated(const char *name)
{
    const sotto_option *o =
        strncmp(name, "no-", 3) ? NULL : sotto_option_named(name + 3);
    return o && cli_can_be_off(o) ? o : NULL;
}

enum { CLI_MOST_OPTIONS = 128, CLI_NAME = 48 };

/* The name that a word has as an option, with the value cut off: "output" for
   -o. 0: it is none, or too long for one. */
static int cli_option_name(char name[CLI_NAME], const char *word)
{
    int output = !strcmp(word, "-o");
    if (!output && strncmp(word, "--", 2) != 0)
        return 0;
    const char *begin = output ? "output" : word + 2;
    size_t length = strcspn(begin, "=");
    if (length >= CLI_NAME)
        return 0;
    for (size_t k = 0; k < length; k++)
        name[k] = begin[k] > 32 && begin[k] < 127 ? begin[k] : '?';
    name[length] = 0;
    return 1;
}

static const sotto_option *cli_named(const char *name)
{
    const sotto_option *no = cli_negated(name);
    return no ? no : sotto_option_named(name);
}

/* Options of other verbs from here on, as "--a, --b": somebody has pasted the
   line of another verb, and wants to know all of them. Returns how many. */
static int cli_foreign_options(const verb *v, char **argv, char *list,
                               size_t room)
{
    char name[CLI_NAME], entry[CLI_NAME + 8];
    int count = 0;
    *list = 0;
    for (; *argv && strcmp(*argv, "--"); argv++) {
        const sotto_option *o =
            cli_option_name(name, *argv) ? cli_named(name) : NULL;
        if (!o || cli_takes(v, o) || !strcmp(o->verbs, ""))
            continue;
        snprintf(entry, sizeof entry, "--%s", o->name);
        size_t length = strlen(list);
        if (strstr(list, entry) || length + strlen(entry) + 3 > room)
            continue;
        snprintf(list + length, room - length, "%s%s", count++ ? ", " : "",
                 entry);
    }
    return count;
}

/* One that other verbs take, or that nobody takes: which was meant? */
static sotto_status cli_refuse_option(const verb *v, const sotto_option *o,
                                      const char *name, char **argv,
                                      sotto_error *error)
{
    const char *names[CLI_MOST_OPTIONS];
    char foreign[256];
    int64_t count = 0;
    if (o && cli_foreign_options(v, argv, foreign, sizeof foreign) > 1)
        return cli_refuse(error,
                          "'sotto %s' has none of the options %s: leave them "
                          "out; see 'sotto help %s'",
                          v->name, foreign, v->name);
    if (o && strcmp(o->verbs, ""))
        return cli_refuse(error,
                          "'sotto %s' has no option --%s, which goes with%.*s; "
                          "see 'sotto help %s'",
                          v->name, name, (int)strlen(o->verbs) - 1, o->verbs,
                          v->name);
    for (int64_t i = 0; sotto_option_at(i) && count < CLI_MOST_OPTIONS; i++)
        if (cli_takes(v, sotto_option_at(i)))
            names[count++] = sotto_option_at(i)->name;
    const char *meant = sotto_nearest(name, names, count);
    return cli_refuse(
        error, "'sotto %s' has no option --%s%s%s%s; see 'sotto help %s'",
        v->name, name, meant ? " (did you mean --" : "", meant ? meant : "",
        meant ? "?)" : "", v->name);
}

/* A blank around a comma is rarely meant as a part of a class, or of the name
   of a part, which stays for ever. (Names that have one go into a schema.) */
static sotto_status cli_refuse_blanks(const sotto_option *o, const char *value,
                                      sotto_error *error)
{
    if (strcmp(o->name, "classes") && strcmp(o->name, "parts"))
        return SOTTO_OK;
    for (const char *at = value; *at; at++) {
        int first = at == value || at[-1] == ',', last = !at[1] || at[1] == ',';
        if ((*at == ' ' || *at == '\t') && (first || last))
            return cli_refuse(error,
                              "--%s: a name %s with a blank; write A,B "
                              "without blanks around the comma",
                              o->name, first ? "begins" : "ends");
    }
    return SOTTO_OK;
}

/* --name VALUE, --name=VALUE, --flag, --no-flag, -o VALUE; *i moves over the
   value. */
static sotto_status cli_option(cli *c, const verb *v, char **argv, int *i,
                               sotto_error *error)
{
    char name[CLI_NAME];
    const char *equals = strchr(argv[*i], '=');
    const char *value = equals ? equals + 1 : NULL;
    if (!cli_option_name(name, argv[*i]))
        return cli_refuse(
            error, "options are written --name; see 'sotto help %s'", v->name);
    const sotto_option *no = cli_negated(name), *o = cli_named(name);
    if (!o || !cli_takes(v, o))
        return cli_refuse_option(v, o, name, argv + *i, error);
    if (no && value)
        return cli_refuse(error, "--%s takes no value", name);
    if (o->kind == SOTTO_OPTION_FLAG)
        value = value ? value : no ? "no" : "yes";
    else if (!value)
        value = argv[++*i];
    if (!value)
        return cli_refuse(error, "--%s: expected %s after it", name,
                          o->choices ? o->choices : o->argument);
    sotto_status status = cli_refuse_blanks(o, value, error);
    return status == SOTTO_OK
               ? sotto_options_set(c->options, o->name, value, error)
               : status;
}

/* How it is called, and what was wrong with the call. */
static sotto_status cli_refuse_usage(const verb *v, const char *why,
                                     sotto_error *error)
{
    return cli_refuse(error, "usage: sotto %s%s%s [OPTIONS]%s", v->name,
                      *v->usage ? " " : "", v->usage, why);
}

static sotto_status cli_parse(cli *c, const verb *v, char **argv,
                              sotto_error *error)
{
    int only_arguments = 0;
    for (int i = 0; argv[i]; i++) {
        sotto_status status = SOTTO_OK;
        if (!only_arguments && !strcmp(argv[i], "--"))
            only_arguments = 1;
        else if (!only_arguments &&
                 (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))) {
            c->wants_help = 1;
            return SOTTO_OK;
        } else if (!only_arguments && argv[i][0] == '-' && argv[i][1])
            status = cli_option(c, v, argv, &i, error);
        else if (c->arguments < v->most)
            c->argument[c->arguments++] = argv[i];
        else
            status = cli_refuse_usage(v,
                                      v->most ? "; expected no more arguments"
                                              : "; expected no argument",
                                      error);
        if (status != SOTTO_OK)
            return status;
    }
    if (c->arguments < v->least)
        return cli_refuse_usage(v, "", error);
    return SOTTO_OK;
}

static sotto_status cli_run(int argc, char **argv, sotto_error *error)
{
    cli c = {.words = argv};
    const char *name = argc > 1 ? argv[1] : "help";
    if (!strcmp(name, "--version"))
        name = "version";
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    const verb *v = cli_find_verb(name);
    if (!v)
        return cli_refuse_verb(name, error);
    c.argument = calloc((size_t)argc + 1, sizeof *c.argument);
    sotto_status status =
        c.argument ? sotto_options_new(&c.options, error) : cli_memory(error);
    if (status == SOTTO_OK)
        status = cli_parse(&c, v, argv + (argc > 1 ? 2 : 1), error);
    if (status == SOTTO_OK && c.wants_help) {
        c.argument[0] = v->name;
        c.arguments = 1;
        v = cli_find_verb("help");
    }
    if (status == SOTTO_OK)
        status = cli_ranks_join(&c, v, error);
    if (status == SOTTO_OK && (cli_ranks_is_root() || cli_is_by_ranks(v)))
        status = v->run(&c, error);
    sotto_options_free(c.options);
    free(c.argument);
    return status;
}

int main(int argc, char **argv)
{
    sotto_error error = {SOTTO_OK, ""};
    prctl(PR_SET_DUMPABLE, 0); /* no core file with records in it */
    signal(SIGXFSZ, SIG_IGN);  /* a full disk is told by write, not a signal */
    cli_ranks_start(&argc, &argv, &error);
    if (cli_ranks_is_root())
        progress_catch_interrupts();
    sotto_status status = error.status;
    if (status == SOTTO_OK)
        status = cli_run(argc, argv, &error);
    if (status == SOTTO_OK && (fflush(stdout) || ferror(stdout))) {
        status = error.status = SOTTO_FAILED;
        snprintf(error.message, sizeof error.message, "cannot write to stdout");
    }
    status = cli_ranks_leave(status, &error);
    /* mpirun ends all ranks when one has failed: that is the root alone, when
       it has said why */
    if (!cli_ranks_is_root())
        return SOTTO_OK;
    if (status != SOTTO_OK && cli_json_asked(argv))
        cli_json_error(status, error.message);
    else if (status != SOTTO_OK)
        fprintf(stderr, "sotto: %s\n", error.message);
    return (int)status;
}
