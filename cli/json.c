/*
 * What --json needs: texts and numbers as JSON, an error as one line of it,
 * and where a file went. docs/cli.md lists what each verb prints.
 */
#include "cli.h"

#include <math.h>
#include <string.h>

/* How many bytes the character at s has, 0 where it is not UTF-8. */
static int json_character(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, least, most; /* of the second byte */
        int bytes;
    } kinds[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
                 {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                 {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
                 {0xf4, 0xf4, 0x80, 0x8f, 4}};
    size_t k = 0, count = sizeof kinds / sizeof *kinds;
    while (k < count && !(*s >= kinds[k].first && *s <= kinds[k].last))
        k++;
    if (k == count)
        return 0;
    for (int i = 1; i < kinds[k].bytes; i++)
        if (i == 1 ? s[i] < kinds[k].least || s[i] > kinds[k].most
                   : (s[i] & 0xc0) != 0x80)
            return 0;
    return kinds[k].bytes;
}

/* Names of files need not be UTF-8, JSON must be: what is not becomes the
   character for that. */
void cli_json_text(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int bytes = json_character(s);
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 32 || *s == 127)
            fprintf(to, "\\u%04x", *s);
        else if (!bytes)
            fputs("\\ufffd", to);
        else
            fwrite(s, 1, (size_t)bytes, to);
        s += bytes ? bytes : 1;
    }
    putc('"', to);
}

void cli_json_number(FILE *to, double x)
{
    if (isfinite(x))
        fputs(sotto_number_exact(x).text, to);
    else
        fputs("null", to);
}

void cli_json_member(const char *key, double x)
{
    printf(", \"%s\": ", key);
    cli_json_number(stdout, x);
}

void cli_json_classes(const sotto_model *m)
{
    printf(", \"classes\": [");
    for (int k = 0; sotto_model_class(m, k); k++) {
        printf("%s", k ? ", " : "");
        cli_json_text(stdout, sotto_model_class(m, k));
    }
    printf("]");
}

void cli_json_output(const char *path)
{
    printf("{\"output\": ");
    cli_json_text(stdout, path);
    printf("}\n");
}

void cli_json_privacy(const sotto_model *m)
{
    const char *statement = sotto_model_statement(m);
    printf("{\"not_private\": %s, \"privacy\": %s}\n",
           statement ? "false" : "true", statement ? statement : "null");
}

sotto_status cli_json_check(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    if (!cli_flag(c, "json") || !output || strcmp(output, "-"))
        return SOTTO_OK;
    return cli_refuse(error, "--json and -o - would both write to stdout; "
                             "expected one of them");
}

/* The options may be what is wrong: so look for the word itself. */
int cli_json_asked(char **argv)
{
    for (int i = 1; argv[i] && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--json") || !strcmp(argv[i], "--json=yes"))
            return 1;
    return 0;
}

void cli_json_error(sotto_status status, const char *message)
{
    const char *code = "failed";
    for (int i = 0; cli_exits[i].meaning; i++)
        if (cli_exits[i].code == (int)status)
            code = cli_exits[i].name;
    fprintf(stderr,
            "{\"error\": {\"status\": %d, \"code\": \"%s\", "
            "\"message\": ",
            (int)status, code);
    cli_json_text(stderr, message);
    fputs("}}\n", stderr);
}
