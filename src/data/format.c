/*
 * Which format a file has.
 */
#include "format.h"
#include "table_file.h"

#include <string.h>

#define FORMAT_ROW(id, name) {name, &format_##id},
static const struct {
    const char *name;
    const file_format *format;
} format_list[] = {FORMAT_LIST(FORMAT_ROW)};

enum { FORMATS = sizeof format_list / sizeof *format_list };

void header_free(file_header *h)
{
    mem_free_texts(h->name, h->count);
    *h = (file_header){0};
}

/* ---- by option ---- */

sotto_status format_by_option(const file_format **out,
                              const sotto_options *options, sotto_error *error)
{
    *out = NULL;
    for (int i = 0; i < FORMATS; i++)
        if (option_is(options, OPTION_FORMAT, format_list[i].name))
            *out = format_list[i].format;
    if (*out || !option_given(options, OPTION_FORMAT))
        return SOTTO_OK;
    return error_set(
        error, SOTTO_USAGE, "--format: %s is for export; expected one of %s",
        option_text(options, OPTION_FORMAT), CHOICE_TEXT(FORMAT_LIST));
}

/* ---- by name ---- */

/* Whether the first `length` bytes of the name end in one of the endings. */
static int format_ends(const char *name, size_t length,
                       const char *const *endings)
{
    for (; *endings; endings++) {
        size_t size = strlen(*endings);
        if (length >= size && !memcmp(name + length - size, *endings, size))
            return 1;
    }
    return 0;
}

static const file_format *format_by_name(const char *name, size_t length,
                                         int to_write)
{
    for (int i = 0; i < FORMATS; i++) {
        const file_format *f = format_list[i].format;
        if (format_ends(name, length, f->endings) ||
            (!to_write && format_ends(name, length, f->read_only)))
            return f;
    }
    return !to_write && format_ends(name, length, format_table.endings)
               ? &format_table
               : NULL;
}

static sotto_status format_unknown(const char *name, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "%s: the name does not say the format; expected an "
                     "ending such as .csv, or --format %s",
                     show_name(name).text, CHOICE_TEXT(FORMAT_LIST));
}

sotto_status format_to_write(const file_format **out, const char *path,
                             const file_format *by_default,
                             const sotto_options *options, sotto_error *error)
{
    sotto_status status = format_by_option(out, options, error);
    if (status != SOTTO_OK || *out)
        return status;
    *out =
        strcmp(path, "-") ? format_by_name(path, strlen(path), 1) : by_default;
    return *out ? SOTTO_OK : format_unknown(path, error);
}

/* ---- by the first bytes ---- */

int format_by_name_only(const sotto_options *options)
{
    return option_is(options, OPTION_BAD_ROWS, "drop") ||
           option_given(options, OPTION_NO_HEADER);
}

int format_matches(const file_format *f, const char *bytes, size_t size)
{
    return f->mark.size && size >= f->mark.at + f->mark.size &&
           !memcmp(bytes + f->mark.at, f->mark.bytes, f->mark.size);
}

/* The format whose mark the file has; NULL: none is known. Of `header_only`
   only the first line counts: what follows may be a record. */
static sotto_status format_by_mark(const file_format **out, source *s,
                                   int header_only, sotto_error *error)
{
    const char *bytes, *end;
    size_t size;
    sotto_status status = source_peek(s, FORMAT_LOOK, &bytes, &size, error);
    *out = NULL;
    if (status != SOTTO_OK)
        return status;
    for (int i = 0; i < FORMATS; i++)
        if (format_matches(format_list[i].format, bytes, size)) {
            *out = format_list[i].format;
            return SOTTO_OK;
        }
    if (format_matches(&format_table, bytes, size)) {
        *out = &format_table;
        return SOTTO_OK;
    }
    if (header_only && (end = memchr(bytes, '\n', size)))
        size = (size_t)(end - bytes);
    *out = foreign_format(bytes, size);
    if (!*out)
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA,
                     "%s: this is %s; expected one of %s: %s",
                     show_name(source_name(s)).text, (*out)->what,
                     CHOICE_TEXT(FORMAT_LIST), (*out)->advice);
}

/*
 * With --bad-rows drop nothing may depend on a bad row, and a row may begin
 * with any bytes. So the first bytes are looked at only where they are a
 * header, and only to refuse: they never choose the format. Before a hook was
 * called no row may have a say at all: the same holds, but a header may choose.
 * With --no-header the first bytes are a record's, and nobody looks at them.
 */
sotto_status format_detect(const file_format **out, source *s,
                           const sotto_options *options, int hooked,
                           sotto_error *error)
{
    const char *name = source_name(s);
    const file_format *seen = NULL;
    int drop = option_is(options, OPTION_BAD_ROWS, "drop");
    sotto_status status = format_by_option(out, options, error);
    if (status != SOTTO_OK)
        return status;
    if (!*out)
        *out = format_by_name(name, source_bare_length(name), 0);
    if (option_given(options, OPTION_NO_HEADER)) {
        *out = *out ? *out : &format_csv;
        return (*out)->columns == COLUMNS_NAMED
                   ? SOTTO_OK
                   : error_set(error, SOTTO_USAGE, "--no-header is for CSV");
    }
    if (drop ? *out && (*out)->columns == COLUMNS_NAMED
             : !hooked || !*out || (*out)->columns != COLUMNS_NUMBERED)
        status = format_by_mark(&seen, s, drop || hooked, error);
    if (status != SOTTO_OK)
        return status;
    if (seen && !drop && !option_given(options, OPTION_FORMAT))
        *out = seen;
    return *out ? SOTTO_OK : format_unknown(name, error);
}
