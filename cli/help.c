/*
 * sotto help: made from the verbs and the option table.
 */
#include "cli.h"

#include <string.h>

enum { HELP_WIDTH = 78, HELP_INDENT = 24 };

/* How much of the text stays together: a word, or of one that is too long for
   a line as many of its choices as fit. */
static int help_word(const char *text, int room)
{
    int length = (int)strcspn(text, " "), fits = length;
    for (int i = 0; length > room && i < room; i++)
        if (text[i] == '|')
            fits = i + 1;
    return fits;
}

/* Prints words from `column` on, broken to the width, indented. */
static void help_wrap(const char *text, int column, int indent)
{
    while (*text) {
        int length = help_word(text, HELP_WIDTH - indent);
        if (column + length > HELP_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%.*s", length, text);
        text += length;
        text += *text == ' ';
        int next = help_word(text, HELP_WIDTH - indent);
        if (*text && text[-1] == ' ' && column + 1 + next <= HELP_WIDTH)
            column += printf(" ");
        else
            column = HELP_WIDTH; /* no blank at the end of a line */
    }
    printf("\n");
}

/* `  --name ARGUMENT  text [default: ...]` */
static void help_row(const sotto_option *o, const char *text,
                     const char *default_value)
{
    char head[64], whole[1024];
    snprintf(head, sizeof head, "  --%s%s%s%s",
             cli_can_be_off(o) ? "[no-]" : "", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    int column = printf("%-*s", HELP_INDENT, head);
    if (strlen(head) >= HELP_INDENT) {
        printf("\n%*s", HELP_INDENT, "");
        column = HELP_INDENT;
    }
    snprintf(whole, sizeof whole, "%s%s%s%s", text,
             default_value ? " [default: " : "",
             default_value ? default_value : "", default_value ? "]" : "");
    help_wrap(whole, column, HELP_INDENT);
}

static void help_option(const sotto_option *o)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s", o->help, o->choices ? ": " : "",
             o->choices ? o->choices : "");
    help_row(o, text, o->default_value);
}

static void help_name(const char *name, const char *text, int indent)
{
    help_wrap(text, printf("  %-*s", indent - 2, name), indent);
}

/* ---- solvers ---- */

/* Solvers that are for comparison with the papers, or those that are not. */
static void help_solvers(int for_comparison)
{
    sotto_solver s;
    for (int64_t i = 0; sotto_solver_at(i, &s); i++)
        if (s.for_comparison == for_comparison)
            help_name(s.name, s.summary, HELP_INDENT / 2 + 2);
}

static void help_all_solvers(const verb *v)
{
    printf("\nsolver (--solver NAME; its options: sotto help %s --solver "
           "NAME):\n",
           v->name);
    help_solvers(0);
    printf("\nfor comparison with the papers (also --calibration):\n");
    help_solvers(1);
}

static void help_solver_options(const char *name, int for_comparison,
                                const char *heading)
{
    sotto_solver_option o;
    int any = 0;
    for (int64_t i = 0; sotto_solver_option_at(name, i, &o); i++)
        if (o.for_comparison == for_comparison) {
            printf("%s", any++ ? "" : heading);
            help_row(sotto_option_named(o.name), o.meaning, o.default_value);
        }
}

/* Where it is no option. */
static void help_units(const char *name)
{
    sotto_solver_option o;
    for (int64_t i = 0; sotto_solver_option_at(name, i, &o); i++)
        if (!strcmp(o.name, "penalty-units"))
            return;
    printf("\nPenalties and radii are in the units of the fit, where bounded "
           "columns are\nin [-1, 1].\n");
}

/* What one solver uses: the rest is the same for all. */
static void help_solver(const verb *v, const char *name)
{
    sotto_solver s;
    int64_t i = 0;
    while (sotto_solver_at(i, &s) && strcmp(s.name, name))
        i++;
    printf("usage: sotto %s %s%s--solver %s [OPTIONS]\n\n", v->name, v->usage,
           *v->usage ? " " : "", name);
    help_wrap(s.summary, 0, 0);
    if (s.for_comparison)
        printf("For comparison with the paper.\n");
    help_solver_options(name, 0, "\noptions of this solver:\n");
    help_solver_options(name, 1, "\nfor comparison with the paper:\n");
    help_units(name);
    printf("\n'sotto help %s' has the options that all solvers use.\n",
           v->name);
}

/* ---- verbs ---- */

static void help_group(const verb *v, int group, const char *heading)
{
    int any = 0;
    for (int64_t i = 0; sotto_option_at(i); i++) {
        const sotto_option *o = sotto_option_at(i);
        if (cli_takes(v, o) && (group < 0 || (int)o->group == group)) {
            printf("%s", any++ ? "" : heading);
            help_option(o);
        }
    }
}

/* Where there are many: by what they are about. */
static void help_groups(const verb *v)
{
    help_group(v, SOTTO_GROUP_PROBLEM, "\nproblem:\n");
    help_group(v, SOTTO_GROUP_PRIVACY, "\nprivacy:\n");
    help_group(v, SOTTO_GROUP_DATA, "\ndata:\n");
    help_group(v, SOTTO_GROUP_OUTPUT, "\noutput:\n");
    help_group(v, SOTTO_GROUP_OTHER, "\nother:\n");
    if (cli_takes(v, sotto_option_named("solver")))
        help_all_solvers(v);
}

static void help_verb(const verb *v)
{
    printf("usage: sotto %s %s%s[OPTIONS]\n\n%s.\n", v->name, v->usage,
           *v->usage ? " " : "", v->summary);
    if (*v->detail)
        help_wrap(v->detail, 0, 0);
    if (*v->example)
        printf("\nexample:\n  %s\n", v->example);
    if (!strcmp(v->name, "generate")) {
        printf("\nsets:\n");
        for (int64_t i = 0; sotto_generate_name(i); i++)
            help_name(sotto_generate_name(i), sotto_generate_help(i),
                      HELP_INDENT);
    }
    if (cli_takes(v, sotto_option_named("rows-per-person")))
        help_groups(v);
    else
        help_group(v, -1, "\noptions:\n");
}

static void help_all(void)
{
    printf("sotto %s: differentially private linear models\n\n"
           "usage: sotto VERB ...\n\nverbs:\n",
           sotto_version());
    for (const verb *v = cli_verbs; v->name; v++)
        printf("  %-10s %s\n", v->name, v->summary);
    printf("\n'sotto help VERB' has the options.\n"
           "\nexit codes:\n");
    for (int i = 0; cli_exits[i].meaning; i++)
        printf("  %-10d %s\n", cli_exits[i].code, cli_exits[i].meaning);
}

sotto_status cli_help(const cli *c, sotto_error *error)
{
    /* a verb's own --json does not change what its --help prints */
    int json = cli_flag(c, "json") && !c->wants_help;
    if (json && c->arguments)
        return cli_refuse(error, "--json: expected no verb; it says all");
    const char *solver = sotto_options_get(c->options, "solver");
    if (solver && !c->wants_help &&
        (!c->arguments || !cli_find_verb(c->argument[0]) ||
         !cli_takes(cli_find_verb(c->argument[0]),
                    sotto_option_named("solver"))))
        return cli_refuse(error,
                          "--solver: expected a verb that takes it, as "
                          "'sotto help train --solver %s'",
                          solver);
    if (c->arguments == 0) {
        if (json)
            cli_reference();
        else
            help_all();
        return SOTTO_OK;
    }
    const verb *v = cli_find_verb(c->argument[0]);
    if (!v)
        return cli_refuse_verb(c->argument[0], error);
    if (solver && cli_takes(v, sotto_option_named("solver")))
        help_solver(v, solver);
    else
        help_verb(v);
    return SOTTO_OK;
}
