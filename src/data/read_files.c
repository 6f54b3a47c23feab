/*
 * Several files as one table: they are opened before anything is read, and each
 * follows the one before it. What is public of them, format and header, is
 * looked at first, in all of them.
 */
#include "reader.h"

#include <string.h>

/* A record that is there twice would count twice. */
static sotto_status read_check_new(const source *first, const source *s,
                                   sotto_error *error)
{
    for (; first; first = source_following(first))
        if (source_is_same(first, s))
            return error_set(error, SOTTO_USAGE,
                             "%s: this is the same file as %s; expected each "
                             "file once",
                             show_name(source_name(s)).text,
                             show_name(source_name(first)).text);
    return SOTTO_OK;
}

static sotto_status read_check_paths(const char *const *path, int64_t files,
                                     sotto_error *error)
{
    if (files < 1)
        return error_set(error, SOTTO_USAGE, "expected at least one file");
    for (int64_t i = 0; files > 1 && i < files; i++)
        if (!strcmp(path[i], "-"))
            return error_set(error, SOTTO_USAGE,
                             "stdin (-) among several files: expected files "
                             "that have names, or stdin alone");
    return SOTTO_OK;
}

sotto_status read_open(source **out, const char *const *path, int64_t files,
                       int by_name, sotto_error *error)
{
    source *first = NULL, *last = NULL;
    sotto_status status = read_check_paths(path, files, error);
    for (int64_t i = 0; i < files && status == SOTTO_OK; i++) {
        source *s = NULL;
        status = source_open(&s, path[i], by_name, error);
        if (status == SOTTO_OK)
            status = read_check_new(first, s, error);
        if (status != SOTTO_OK) {
            source_close(s);
            break;
        }
        if (last)
            source_append(last, s);
        else
            first = s;
        last = s;
    }
    if (status == SOTTO_OK)
        *out = first;
    else
        source_close(first);
    return status;
}

/* Only names can say that the columns of two files are the same. */
sotto_status read_format(const file_format **out, source *s,
                         const sotto_options *options, int hooked,
                         sotto_error *error)
{
    int several = source_following(s) != NULL;
    sotto_status status = format_detect(out, s, options, hooked, error);
    for (const file_format *f = *out; status == SOTTO_OK && several;) {
        if (f->columns != COLUMNS_NAMED)
            return error_set(error, SOTTO_USAGE,
                             "%s: several files are read as one table only "
                             "where they are CSV; expected CSV, or one file",
                             show_name(source_name(s)).text);
        s = source_following(s);
        if (!s)
            break;
        status = format_detect(&f, s, options, hooked, error);
    }
    return status;
}

sotto_status read_check_same(const source *s, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (; s && status == SOTTO_OK; s = source_following(s))
        status = source_check_same(s, error);
    return status;
}
