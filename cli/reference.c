/*
 * sotto help --json: all there is to say about the program, for other
 * programs. The man page, completion and other languages are made from it
 * (tools/reference.py), so that they cannot say anything else.
 */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>

const cli_exit cli_exits[] = {
    {SOTTO_OK, "ok", "done"},
    {SOTTO_FAILED, "failed", "failed: a file, memory or the disk"},
    {SOTTO_USAGE, "usage", "usage: a verb, an option or a combination of them"},
    {SOTTO_DATA, "data", "bad data: a bad row, a missing column"},
    {SOTTO_BUDGET, "budget", "refused: the privacy budget does not allow it"},
    {SOTTO_PRIVACY, "privacy",
     "refused: a declaration is missing, or a statement or a ledger is wrong"},
    {SOTTO_PEER, "peer", "another party: connection or authentication"},
    {128 + SIGHUP, "hangup", "ended by SIGHUP: the terminal went away"},
    {SOTTO_INTERRUPTED, "interrupted", "interrupted by Ctrl-C (SIGINT)"},
    {128 + SIGTERM, "terminated", "ended by SIGTERM"},
    {0, NULL, NULL}};

static const char *const reference_groups[] = {
    [SOTTO_GROUP_PROBLEM] = "problem", [SOTTO_GROUP_PRIVACY] = "privacy",
    [SOTTO_GROUP_DATA] = "data",       [SOTTO_GROUP_OUTPUT] = "output",
    [SOTTO_GROUP_SOLVER] = "solver",   [SOTTO_GROUP_OTHER] = "other",
};

static const char *const reference_kinds[] = {
    [SOTTO_OPTION_TEXT] = "text",       [SOTTO_OPTION_FILE] = "file",
    [SOTTO_OPTION_LIST] = "list",       [SOTTO_OPTION_CHOICE] = "choice",
    [SOTTO_OPTION_INTEGER] = "integer", [SOTTO_OPTION_NUMBER] = "number",
    [SOTTO_OPTION_PAIR] = "pair",       [SOTTO_OPTION_FLAG] = "flag",
    [SOTTO_OPTION_SUM] = "sum",
};

/* , "key": "text", or null. */
static void reference_text(const char *key, const char *text)
{
    printf(", \"%s\": ", key);
    if (text)
        cli_json_text(stdout, text);
    else
        printf("null");
}

/* , "key": number; null when there is no bound. */
static void reference_bound(const char *key, const sotto_option *o, double x)
{
    int has_bounds =
        o->kind == SOTTO_OPTION_INTEGER || o->kind == SOTTO_OPTION_NUMBER;
    cli_json_member(key, has_bounds ? x : INFINITY);
}

/* , "choices": what "a|b|c" lists. */
static void reference_choices(const char *choices)
{
    printf(", \"choices\": [");
    for (const char *at = choices; at && *at;) {
        int length = (int)strcspn(at, "|");
        printf("%s\"%.*s\"", at == choices ? "" : ", ", length, at);
        at += length + (at[length] == '|');
    }
    printf("]");
}

static void reference_option(const sotto_option *o)
{
    printf("{\"name\": \"%s\"", o->name);
    reference_text("short", cli_short(o));
    reference_text("kind", reference_kinds[o->kind]);
    reference_text("group", reference_groups[o->group]);
    printf(", \"can_be_off\": %s", cli_can_be_off(o) ? "true" : "false");
    reference_text("argument", o->argument);
    reference_text("default", o->default_value);
    reference_bound("low", o, o->low);
    reference_bound("high", o, o->high);
    reference_choices(o->choices);
    reference_text("help", o->help);
    printf("}");
}

static void reference_solver(const sotto_solver *s)
{
    sotto_solver_option o;
    printf("{\"name\": \"%s\"", s->name);
    reference_text("summary", s->summary);
    printf(", \"for_comparison\": %s, \"options\": [",
           s->for_comparison ? "true" : "false");
    for (int64_t i = 0; sotto_solver_option_at(s->name, i, &o); i++) {
        printf("%s{\"name\": \"%s\"", i ? ", " : "", o.name);
        reference_text("default", o.default_value);
        reference_text("meaning", o.meaning);
        printf(", \"for_comparison\": %s}",
               o.for_comparison ? "true" : "false");
    }
    printf("]}");
}

static void reference_verb(const verb *v)
{
    printf("{\"name\": \"%s\"", v->name);
    reference_text("usage", v->usage);
    reference_text("summary", v->summary);
    reference_text("detail", v->detail);
    printf(", \"by_ranks\": %s", cli_is_by_ranks(v) ? "true" : "false");
    printf(", \"least\": %d, \"most\": ", v->least);
    if (v->most == CLI_ANY_NUMBER)
        printf("null");
    else
        printf("%d", v->most);
    printf(", \"options\": [");
    const char *comma = "";
    for (int64_t i = 0; sotto_option_at(i); i++)
        if (cli_takes(v, sotto_option_at(i))) {
            printf("%s\"%s\"", comma, sotto_option_at(i)->name);
            comma = ", ";
        }
    printf("], \"json\": [");
    comma = "";
    for (const char *at = v->json_keys; *at;) {
        int length = (int)strcspn(at, " ");
        printf("%s\"%.*s\"", comma, length, at);
        comma = ", ";
        at += length;
        at += strspn(at, " ");
    }
    printf("]}");
}

/* What a new line of a list begins with. */
static const char *reference_line(int is_first)
{
    return is_first ? "\n  " : ",\n  ";
}

static void reference_exits(void)
{
    printf("\"exit_codes\": [");
    for (int i = 0; cli_exits[i].meaning; i++) {
        printf("%s{\"code\": %d", reference_line(i == 0), cli_exits[i].code);
        reference_text("name", cli_exits[i].name);
        reference_text("help", cli_exits[i].meaning);
        printf("}");
    }
    printf("\n]");
}

void cli_reference_sets(void)
{
    printf("\"sets\": [");
    for (int64_t i = 0; sotto_generate_name(i); i++) {
        printf("%s{\"name\": \"%s\"", reference_line(i == 0),
               sotto_generate_name(i));
        reference_text("help", sotto_generate_help(i));
        printf("}");
    }
    printf("\n]");
}

void cli_reference(void)
{
    printf("{\"sotto\": \"%s\",\n\"verbs\": [", sotto_version());
    for (const verb *v = cli_verbs; v->name; v++) {
        printf("%s", reference_line(v == cli_verbs));
        reference_verb(v);
    }
    printf("\n],\n\"options\": [");
    for (int64_t i = 0; sotto_option_at(i); i++) {
        printf("%s", reference_line(i == 0));
        reference_option(sotto_option_at(i));
    }
    printf("\n],\n\"solvers\": [");
    sotto_solver s;
    for (int64_t i = 0; sotto_solver_at(i, &s); i++) {
        printf("%s", reference_line(i == 0));
        reference_solver(&s);
    }
    printf("\n],\n");
    reference_exits();
    printf(",\n");
    cli_reference_sets();
    printf("}\n");
}
