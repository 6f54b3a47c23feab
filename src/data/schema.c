/*
 * The schema file: JSON, read strictly. schema_column.c reads one column.
 */
#include "schema_column.h"

#include <string.h>

enum { SCHEMA_VERSION = 1 };

static sotto_status schema_check_version(schema *s, const char *path,
                                         json_t *root, sotto_error *error)
{
    (void)s;
    if (json_integer_value(json_object_get(root, "sotto_schema")) ==
        SCHEMA_VERSION)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "%s: expected \"sotto_schema\": %d, the version this "
                     "program reads",
                     show_name(path).text, SCHEMA_VERSION);
}

static sotto_status schema_read_columns(schema *s, const char *path,
                                        json_t *root, sotto_error *error)
{
    const char *name;
    json_t *columns = json_object_get(root, "columns"), *value;
    if (!json_is_object(columns))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected \"columns\" to be an object with one "
                         "entry for each column",
                         show_name(path).text);
    s->column = mem_zeroed(json_object_size(columns), sizeof *s->column);
    if (!s->column)
        return error_memory(error);
    int64_t place = 0;
    json_object_foreach(columns, name, value)
    {
        column *c = &s->column[s->columns++];
        sotto_status status = schema_column(s, c, path, name, value, error);
        if (status != SOTTO_OK)
            return status;
        c->place = place;
        place += column_features(c);
    }
    return SOTTO_OK;
}

static sotto_status schema_width(schema *s, const char *path, json_t *root,
                                 sotto_error *error)
{
    json_t *width = json_object_get(root, "width");
    s->width = json_integer_value(width);
    if (width && s->width < 1)
        return error_set(error, SOTTO_USAGE,
                         "%s: expected \"width\" to be the number of columns "
                         "of a .npy file",
                         show_name(path).text);
    return SOTTO_OK;
}

static sotto_status schema_missing_words(schema *s, const char *path,
                                         json_t *root, sotto_error *error)
{
    json_t *missing = json_object_get(root, "missing_values");
    if (!missing || (json_is_array(missing) && !json_array_size(missing)))
        return SOTTO_OK;
    if (!schema_is_words(missing))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected \"missing_values\" to be a list of "
                         "different words%s",
                         show_name(path).text, schema_bad_word(missing).text);
    if (!schema_copy_words(missing, &s->missing, &s->missing_words))
        return error_memory(error);
    return SOTTO_OK;
}

static sotto_status schema_default(schema *s, const char *path, json_t *root,
                                   sotto_error *error)
{
    json_t *by_default = json_object_get(root, "default");
    if (!by_default)
        return SOTTO_OK;
    s->has_default = 1;
    sotto_status status = schema_column(s, &s->default_column, path, "default",
                                        by_default, error);
    column_role role = s->default_column.role;
    if (role != COLUMN_NUMBER) { /* others are copied: it may own nothing */
        column_free(&s->default_column);
        s->default_column.role = COLUMN_DROP;
    }
    if (status == SOTTO_OK && role != COLUMN_NUMBER && role != COLUMN_DROP)
        return schema_error(path, "default", "the type number or drop", error);
    return status;
}

/* A level or a word that means a missing value could never be met. (The level
   for all others is met by other texts, those of a date by its days.) */
static sotto_status schema_check_level(const schema *s, const column *c,
                                       const char *path, sotto_error *error)
{
    for (int64_t k = 0; k < c->levels - c->other && !c->format; k++)
        for (int64_t m = 0; m < s->missing_words; m++)
            if (!strcmp(c->level[k], s->missing[m]))
                return schema_error(path, c->name,
                                    "levels that are not among "
                                    "\"missing_values\"",
                                    error);
    return SOTTO_OK;
}

static sotto_status schema_check_keys(schema *s, const char *path, json_t *root,
                                      sotto_error *error)
{
    static const char keys[] =
        " sotto_schema missing_values width default columns ";
    const char *key;
    json_t *value;
    sotto_status status = SOTTO_OK;
    json_object_foreach(root, key, value)
    {
        if (status == SOTTO_OK && !schema_key_in(keys, key))
            status = schema_note(
                s, schema_no_key(path, NULL, "a schema", key, keys, error),
                error);
    }
    return status;
}

sotto_status schema_from_json(schema *s, const char *path, json_t *root,
                              sotto_error *error)
{
    static sotto_status (*const parts[])(schema *, const char *, json_t *,
                                         sotto_error *) = {
        schema_check_version, schema_check_keys,    schema_read_columns,
        schema_width,         schema_missing_words, schema_default};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == SOTTO_OK;
         i++)
        status = schema_note(s, parts[i](s, path, root, error), error);
    for (int64_t i = 0; i < s->columns && status == SOTTO_OK; i++)
        status = schema_note(
            s, schema_check_level(s, &s->column[i], path, error), error);
    return status;
}
