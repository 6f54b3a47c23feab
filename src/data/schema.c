/*
 * The schema file: JSON, read strictly. A key that is not understood is
 * refused, because a mistyped bound must not become no bound.
 */
#include "schema.h"
#include "json.h"
#include "loss.h"

#include <math.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

static sotto_status schema_error(const char *path, const char *name,
                                 const char *expected, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "%s: column \"%s\": expected %s",
                     show_name(path).text, show_name(name).text, expected);
}

#define COLUMN_ROW(id, name, keys) [COLUMN_##id] = {name, keys},
static const struct {
    const char *name, *keys;
} schema_types[] = {COLUMN_LIST(COLUMN_ROW)};

/* Whether " key " is one of the words in keys. */
static int schema_key_in(const char *keys, const char *key)
{
    const char *at = keys;
    size_t length = strchr(key, ' ') ? 0 : strlen(key);
    while (length && (at = strstr(at, key))) {
        if (at > keys && at[-1] == ' ' && at[length] == ' ')
            return 1;
        at++;
    }
    return 0;
}

/* A key of a column, or (name is NULL) of the whole file. */
static sotto_status schema_no_key(const char *path, const char *name,
                                  const char *type, const char *key,
                                  const char *keys, sotto_error *error)
{
    char where[240] = "";
    if (name)
        snprintf(where, sizeof where, "column \"%s\": a column of type ",
                 show_name(name).text);
    return error_set(
        error, SOTTO_USAGE, "%s: %s%s has no \"%s\"; expected some of %.*s%s",
        show_name(path).text, where, type, show_name(key).text,
        (int)strlen(keys) - 2, keys + 1, suggest_word(key, keys).text);
}

static sotto_status schema_type(column *c, const char *path, json_t *from,
                                sotto_error *error)
{
    const char *type = json_string_value(json_object_get(from, "type"));
    size_t count = sizeof schema_types / sizeof *schema_types, i = 0;
    while (type && i < count && strcmp(type, schema_types[i].name))
        i++;
    if (!type || i == count)
        return error_set(
            error, SOTTO_USAGE,
            "%s: column \"%s\": expected \"type\" to be one of "
            "%s%s",
            show_name(path).text, show_name(c->name).text,
            CHOICE_TEXT(COLUMN_LIST),
            suggest_word(type ? type : "", CHOICE_TEXT(COLUMN_LIST)).text);
    c->role = (column_role)i;
    return SOTTO_OK;
}

static sotto_status schema_keys(schema *s, const column *c, const char *path,
                                json_t *from, sotto_error *error)
{
    const char *key, *keys = schema_types[c->role].keys;
    json_t *value;
    sotto_status status = SOTTO_OK;
    json_object_foreach(from, key, value)
    {
        if (status == SOTTO_OK && !schema_key_in(keys, key))
            status = schema_note(s,
                                 schema_no_key(path, c->name,
                                               schema_types[c->role].name, key,
                                               keys, error),
                                 error);
    }
    return status;
}

static sotto_status schema_bounds(column *c, const char *path, json_t *from,
                                  sotto_error *error)
{
    json_t *bounds = json_object_get(from, "bounds");
    json_t *bought = json_object_get(from, SCHEMA_BOUGHT);
    if (bought && !(json_is_true(bought) && json_is_array(bounds)))
        return schema_error(path, c->name,
                            "\"" SCHEMA_BOUGHT "\" to be true, beside bounds",
                            error);
    if (!bounds || json_is_null(bounds))
        return SOTTO_OK;
    json_t *low = json_array_get(bounds, 0), *high = json_array_get(bounds, 1);
    c->low = json_number_value(low);
    c->high = json_number_value(high);
    if (json_array_size(bounds) != 2 || !json_is_number(low) ||
        !json_is_number(high) || !(c->low < c->high) ||
        !isnormal(c->high / 2 - c->low / 2))
        return schema_error(path, c->name,
                            "\"bounds\" to be [low, high] with low < high",
                            error);
    if (c->role == COLUMN_WEIGHT && c->low < 0)
        return schema_error(path, c->name,
                            "the bounds of a weight not to be negative", error);
    c->bounded = 1;
    return SOTTO_OK;
}

static sotto_status schema_levels(column *c, const char *path, json_t *from,
                                  sotto_error *error)
{
    json_t *levels = json_object_get(from, "levels");
    if (c->role != COLUMN_CATEGORY)
        return SOTTO_OK;
    if (!schema_is_words(levels))
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": expected a category to have "
                         "\"levels\", a list of different words%s",
                         show_name(path).text, show_name(c->name).text,
                         schema_bad_word(levels).text);
    if (!schema_copy_words(levels, &c->level, &c->levels))
        return error_memory(error);
    return SOTTO_OK;
}

/* The level for all others goes behind those that are listed. */
static sotto_status schema_other(column *c, const char *path, json_t *from,
                                 sotto_error *error)
{
    json_t *other = json_object_get(from, SCHEMA_OTHER);
    if (!other || json_is_null(other) || json_is_false(other))
        return SOTTO_OK;
    if (!json_is_true(other))
        return schema_error(path, c->name,
                            "\"" SCHEMA_OTHER "\" to be true or false", error);
    for (int64_t i = 0; i < c->levels; i++)
        if (!strcmp(c->level[i], SCHEMA_OTHER))
            return schema_error(path, c->name,
                                "no level called \"" SCHEMA_OTHER
                                "\" beside \"" SCHEMA_OTHER
                                "\": true, which makes one; take it from the "
                                "levels, or rename it",
                                error);
    char **more = mem_resize(c->level, (size_t)c->levels + 1, sizeof *more);
    if (!more)
        return error_memory(error);
    c->level = more;
    more[c->levels] = mem_text(SCHEMA_OTHER);
    if (!more[c->levels])
        return error_memory(error);
    c->levels++;
    c->other = 1;
    return SOTTO_OK;
}

static sotto_status schema_classes(column *c, const char *path, json_t *from,
                                   sotto_error *error)
{
    json_t *classes = json_object_get(from, "classes");
    if (!classes || json_is_null(classes))
        return SOTTO_OK;
    if (json_array_size(classes) > TABLE_MOST_CLASSES)
        return schema_error(path, c->name, "at most 1,000 \"classes\"", error);
    if (!schema_is_words(classes) || json_array_size(classes) < 2)
        return schema_error(path, c->name,
                            "\"classes\" to be two or more different words "
                            "in quotes, of two the negative class first",
                            error);
    if (!schema_copy_words(classes, &c->class_name, &c->classes))
        return error_memory(error);
    return SOTTO_OK;
}

static sotto_status schema_missing_level(column *c, const char *path,
                                         const char *word, sotto_error *error)
{
    if (c->levels == c->other) /* the levels are wrong, which has been told */
        return SOTTO_OK;
    for (int64_t k = 0; word && !strcmp(word, "none") && k < c->levels; k++)
        if (!strcmp(c->level[k], word))
            return error_set(error, SOTTO_USAGE,
                             "%s: column \"%s\": \"missing\": \"none\" could "
                             "mean no level or the level \"none\"; rename the "
                             "level",
                             show_name(path).text, show_name(c->name).text);
    for (c->fill_level = 0; c->fill_level < c->levels; c->fill_level++)
        if (word && !strcmp(word, c->level[c->fill_level])) {
            c->missing = MISSING_FILL;
            return SOTTO_OK;
        }
    c->missing = MISSING_NONE;
    if (word && !strcmp(word, "none"))
        return SOTTO_OK;
    return schema_error(path, c->name,
                        "\"missing\" to be \"refuse\", \"none\" or one of "
                        "the levels",
                        error);
}

static sotto_status schema_missing(column *c, const char *path, json_t *from,
                                   sotto_error *error)
{
    json_t *missing = json_object_get(from, "missing");
    const char *word = json_string_value(missing);
    if (!missing || json_is_null(missing) || (word && !strcmp(word, "refuse")))
        return SOTTO_OK;
    if (c->role == COLUMN_CATEGORY)
        return schema_missing_level(c, path, word, error);
    if (!json_is_number(missing))
        return schema_error(path, c->name,
                            "\"missing\" to be \"refuse\" or a number", error);
    c->missing = MISSING_FILL;
    c->fill = json_number_value(missing);
    if (c->bounded && (c->fill < c->low || c->fill > c->high))
        return schema_error(path, c->name,
                            "\"missing\" to be within the bounds", error);
    return SOTTO_OK;
}

/* Of a column whose type is wrong nothing more can be said. */
static sotto_status schema_column(schema *s, column *c, const char *path,
                                  const char *name, json_t *from,
                                  sotto_error *error)
{
    static sotto_status (*const parts[])(column *, const char *, json_t *,
                                         sotto_error *) = {
        schema_bounds, schema_levels, schema_other, schema_classes,
        schema_missing};
    c->name = mem_text(name);
    if (!c->name)
        return error_memory(error);
    sotto_status status =
        json_is_object(from)
            ? schema_type(c, path, from, error)
            : schema_error(path, name, "an object like {\"type\": ...}", error);
    if (status != SOTTO_OK) {
        c->role = COLUMN_DROP;
        return schema_note(s, status, error);
    }
    int64_t before = s->faults ? s->faults->count : 0;
    status = schema_keys(s, c, path, from, error);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == SOTTO_OK;
         i++)
        status = schema_note(s, parts[i](c, path, from, error), error);
    /* what follows from a fault is not told, but that there are two targets */
    if (s->faults && s->faults->count > before && c->role != COLUMN_TARGET)
        c->role = COLUMN_DROP;
    return status;
}

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

/* A level that is a word for a missing value could never be met. (The level
   for all others is met by other texts.) */
static sotto_status schema_check_level(const schema *s, const column *c,
                                       const char *path, sotto_error *error)
{
    for (int64_t k = 0; k < c->levels - c->other; k++)
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
