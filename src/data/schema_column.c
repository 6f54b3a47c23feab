/*
 * One column of a schema, read strictly. A key that is not understood is
 * refused, because a mistyped bound must not become no bound.
 */
#include "schema_column.h"
#include "declared.h"
#include "loss.h"

#include <math.h>
#include <string.h>

sotto_status schema_error(const char *path, const char *name,
                          const char *expected, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "%s: column \"%s\": expected %s",
                     show_name(path).text, show_name(name).text, expected);
}

json_t *schema_get(json_t *from, const char *key)
{
    json_t *value = json_object_get(from, key);
    return json_is_null(value) ? NULL : value;
}

#define COLUMN_ROW(id, name, keys) [COLUMN_##id] = {name, keys},
static const struct {
    const char *name, *keys;
} schema_types[] = {COLUMN_LIST(COLUMN_ROW)};

/* Whether " key " is one of the words in keys. */
int schema_key_in(const char *keys, const char *key)
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
sotto_status schema_no_key(const char *path, const char *name, const char *type,
                           const char *key, const char *keys,
                           sotto_error *error)
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
    if (c->role == COLUMN_DATE) /* dates: schema_date.c */
        return SOTTO_OK;
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

static sotto_status schema_classes(column *c, const char *path, json_t *from,
                                   sotto_error *error)
{
    json_t *classes = json_object_get(from, "classes");
    c->classes_open = classes && json_is_null(classes);
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

static sotto_status schema_missing(column *c, const char *path, json_t *from,
                                   sotto_error *error)
{
    if (c->role == COLUMN_DATE || c->role == COLUMN_BOOLEAN)
        return SOTTO_OK; /* in files of their own */
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
sotto_status schema_column(schema *s, column *c, const char *path,
                           const char *name, json_t *from, sotto_error *error)
{
    static sotto_status (*const parts[])(column *, const char *, json_t *,
                                         sotto_error *) = {
        schema_bounds,  schema_levels, schema_other,  schema_classes,
        schema_missing, schema_date,   schema_boolean};
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

sotto_status declared_range(double *range, json_t *declaration,
                            sotto_error *error)
{
    schema alone = {0};
    column c = {0};
    sotto_status status = schema_column(&alone, &c, "", "", declaration, error);
    *range = status == SOTTO_OK && c.bounded ? c.high - c.low : NAN;
    column_free(&c);
    return status == SOTTO_FAILED ? status : SOTTO_OK;
}
