/*
 * What several verbs need: checks before a run, errors, and printing for
 * people.
 */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_remarks(const cli *c, const sotto_table *t)
{
    for (int64_t i = 0; !cli_flag(c, "quiet") && sotto_table_warning(t, i); i++)
        fprintf(stderr, "sotto: remark: %s\n", sotto_table_warning(t, i));
}

void cli_remark_dropped(const cli *c, const sotto_table *t)
{
    int64_t bad = sotto_table_dropped(t);
    if (bad > 0 && !cli_flag(c, "quiet"))
        fprintf(stderr,
                "sotto: remark: %lld of %lld rows %s bad and left out; "
                "--bad-rows stop says what is wrong with the first\n",
                (long long)bad, (long long)(bad + sotto_table_rows(t)),
                bad == 1 ? "is" : "are");
}

void cli_json_dropped(int64_t rows)
{
    if (rows >= 0)
        printf(", \"rows_dropped\": %lld", (long long)rows);
}

int cli_colours(FILE *to)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(to)) && !(no_color && *no_color);
}

/* Whether the output is there and is this input; "-" is stdin. */
static int cli_is_input(const char *output, const char *input)
{
    struct stat first, second;
    int is_stdin = input && !strcmp(input, "-");
    return input && !stat(output, &first) && S_ISREG(first.st_mode) &&
           !(is_stdin ? fstat(0, &second) : stat(input, &second)) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The folder that a file is in. */
static void cli_folder(const char *path, char out[4096])
{
    char *real = realpath(path, NULL); /* where a link leads */
    snprintf(out, 4096, "%s", real ? real : path);
    free(real);
    char *slash = strrchr(out, '/');
    if (slash)
        slash[slash == out] = 0;
    else
        snprintf(out, 4096, ".");
}

/* What a file must not be replaced by accident for, or NULL. */
static const char *cli_is_precious(const char *path)
{
    static const struct {
        const char *begins, *what;
    } known[] = {{"SQLite format 3", "a ledger"}, {"sotto-ed25519-", "a key"}};
    char first[16] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t got = fread(first, 1, sizeof first - 1, file);
    fclose(file);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (got >= strlen(known[i].begins) &&
            !memcmp(first, known[i].begins, strlen(known[i].begins)))
            return known[i].what;
    return NULL;
}

sotto_status cli_check_output(const cli *c, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    const char *plan = sotto_options_get(c->options, "schema");
    char folder[4096];
    struct stat status;
    if (!output)
        return cli_refuse(error, "expected -o FILE (- is stdout)");
    int is_input = cli_is_input(output, plan);
    for (int i = 0; i < c->arguments; i++)
        is_input |= cli_is_input(output, c->argument[i]);
    if (is_input)
        return cli_refuse(error, "-o: this is a file to be read; expected "
                                 "another name");
    int there = !stat(output, &status);
    if (!strcmp(output, "-") || !strncmp(output, "/dev/", 5) ||
        (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return SOTTO_OK;
    const char *precious =
        there && S_ISREG(status.st_mode) ? cli_is_precious(output) : NULL;
    if (precious)
        return cli_refuse(error, "-o: this file is %s; expected another name",
                          precious);
    cli_folder(output, folder);
    if ((there && S_ISDIR(status.st_mode)) ||
        output[strlen(output) - 1] == '/' || access(folder, W_OK | X_OK)) {
        error->status = SOTTO_FAILED;
        snprintf(error->message, sizeof error->message,
                 "-o: expected the name of a file, in a folder that is there "
                 "and can be written to");
        return SOTTO_FAILED;
    }
    return SOTTO_OK;
}

const char *cli_short(const sotto_option *o)
{
    return strcmp(o->name, "output") ? NULL : "o";
}

int cli_can_be_off(const sotto_option *o)
{
    return o->kind == SOTTO_OPTION_FLAG && o->default_value &&
           !strcmp(o->default_value, "yes");
}

int cli_flag(const cli *c, const char *name)
{
    const char *value = sotto_options_get(c->options, name);
    return value && !strcmp(value, "yes");
}

int cli_print_name(FILE *to, const char *name, int most)
{
    size_t length = strlen(name);
    int cut = length > (size_t)most;
    if (cut) {
        length = (size_t)most - 2;
        while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--; /* not inside a UTF-8 sequence */
    }
    int width = 2 * cut;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        width += (c & 0xc0) != 0x80;
        unsigned char next = (unsigned char)name[i + 1];
        int control = c < 32 || c == 127 || /* U+0080 to U+009F: two bytes */
                      (c == 0xc2 && next >= 0x80 && next <= 0x9f);
        putc(control ? '?' : c, to);
        i += control && c == 0xc2;
    }
    fputs(cut ? ".." : "", to);
    return width;
}

sotto_status cli_write_secret(const char *path, const char *text,
                              sotto_error *error)
{
    mode_t before = umask(077);
    sotto_status status = sotto_text_write(path, text, error);
    umask(before);
    return status;
}

void cli_wrote(const char *path)
{
    fprintf(stderr, "wrote ");
    cli_print_name(stderr, path, 1000);
}

void cli_print_unit(FILE *to, const char *label, const sotto_model *m)
{
    char *unit;
    sotto_error error;
    sotto_status status = sotto_model_unit(&unit, m, &error);
    fprintf(to, "%s%s\n", label, status == SOTTO_OK ? unit : error.message);
    sotto_text_free(unit);
}

double cli_number(const char *text)
{
    char first[64] = "";
    double x;
    size_t length = strcspn(text, ", }\n");
    if (length < sizeof first)
        memcpy(first, text, length);
    return sotto_number_parse(first, &x) ? x : NAN;
}

sotto_status cli_memory(sotto_error *error)
{
    error->status = SOTTO_FAILED;
    snprintf(error->message, sizeof error->message, "out of memory");
    return SOTTO_FAILED;
}

sotto_status cli_refuse(sotto_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = SOTTO_USAGE;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return SOTTO_USAGE;
}
