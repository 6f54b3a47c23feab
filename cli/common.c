/*
 * What several verbs need: errors, and printing for people.
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

void cli_remark_dropped(const cli *c, const sotto_table *t, int64_t rows)
{
    int64_t bad = sotto_table_dropped(t);
    if (bad > 0 && !cli_flag(c, "quiet"))
        fprintf(stderr,
                "sotto: remark: %lld of %lld rows %s bad and left out; "
                "--bad-rows stop says what is wrong with the first\n",
                (long long)bad, (long long)(bad + rows),
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
