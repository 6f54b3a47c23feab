/*
 * sotto help: made from the verbs and the option table.
 */
#include "cli.h"

#include <string.h>

enum { HELP_WIDTH = 78, HELP_INDENT = 26 };

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

static void help_option(const sotto_option *o)
{
    char head[64];
    snprintf(head, sizeof head, "  --%s%s%s", cli_can_be_off(o) ? "[no-]" : "",
             o->name, o->argument ? " " : "");
    snprintf(head + strlen(head), sizeof head - strlen(head), "%s",
             o->argument ? o->argument : "");
    int column = printf("%-*s", HELP_INDENT, head);
    if (column > HELP_INDENT) {
        printf("\n%*s", HELP_INDENT, "");
        column = HELP_INDENT;
    }
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help, o->choices ? ": " : "",
             o->choices ? o->choices : "", o->default_value ? " [default: " : "",
             o->default_value ? o->default_value : "", o->default_value ? "]" : "");
    help_wrap(text, column, HELP_INDENT);
}

static void help_verb(const verb *v)
{
    printf("usage: sotto %s %s%s[OPTIONS]\n\n%s.\n", v->name, v->usage,
           *v->usage ? " " : "", v->summary);
    if (*v->detail)
        help_wrap(v->detail, 0, 0);
    if (!strcmp(v->name, "generate")) {
        printf("\nsets:\n");
        for (int64_t i = 0; sotto_generate_name(i); i++) {
            int column =
                printf("  %-*s", HELP_INDENT - 2, sotto_generate_name(i));
            help_wrap(sotto_generate_help(i), column, HELP_INDENT);
        }
    }
    int any = 0;
    for (int64_t i = 0; sotto_option_at(i); i++)
        if (cli_takes(v, sotto_option_at(i))) {
            printf("%s", any++ ? "" : "\noptions:\n");
            help_option(sotto_option_at(i));
        }
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
    help_verb(v);
    return SOTTO_OK;
}
