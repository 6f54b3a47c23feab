/*
 * What a schema declares of a date: how it is written, the day that it is
 * counted from, its bounds, and what it becomes. Dates in a schema are written
 * as ISO 8601 has them, whatever the format of the file.
 */
#include "date.h"
#include "schema_column.h"

#include <string.h>

/* The parts by their names, with a level for each of their values. */
static const char *const date_weekdays[] = {"Monday",   "Tuesday", "Wednesday",
                                            "Thursday", "Friday",  "Saturday",
                                            "Sunday",   NULL};
static const char *const date_months[] = {
    "January", "February",  "March",   "April",    "May",      "June", "July",
    "August",  "September", "October", "November", "December", NULL};
static const struct {
    const char *name;
    date_part part;
    const char *const *level;
} date_part_rows[] = {{"days", DATE_DAYS, NULL},
                      {"weekday", DATE_WEEKDAY, date_weekdays},
                      {"month", DATE_MONTH, date_months}};
enum { DATE_PARTS = sizeof date_part_rows / sizeof *date_part_rows };

static int date_from_json(int64_t *out, const json_t *from)
{
    date d;
    const char *text = json_string_value(from);
    if (!text || !date_parse(&d, DATE_ISO, text, strlen(text)))
        return 0;
    *out = d.day;
    return 1;
}

static sotto_status date_format(column *c, const char *path, json_t *from,
                                sotto_error *error)
{
    json_t *given = schema_get(from, "format");
    const char *format = given ? json_string_value(given) : DATE_ISO;
    const char *fault =
        format ? date_format_fault(format) : "a text such as \"%d.%m.%Y\"";
    if (fault)
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": expected \"format\" to have %s",
                         show_name(path).text, show_name(c->name).text, fault);
    c->format = mem_text(format);
    return c->format ? SOTTO_OK : error_memory(error);
}

static int date_add_level(column *c, const char *level)
{
    char **more = mem_resize(c->level, (size_t)c->levels + 1, sizeof *more);
    if (!more)
        return 0;
    c->level = more;
    more[c->levels] = mem_text(level);
    c->levels += more[c->levels] != NULL;
    return more[c->levels - 1] != NULL;
}

/* The levels of weekdays come before those of months. */
static sotto_status date_levels(column *c, sotto_error *error)
{
    for (int k = 0; k < DATE_PARTS; k++) {
        const char *const *level = date_part_rows[k].level;
        for (; c->date_parts & date_part_rows[k].part && level && *level;
             level++)
            if (!date_add_level(c, *level))
                return error_memory(error);
    }
    return SOTTO_OK;
}

static sotto_status date_as(column *c, const char *path, json_t *from,
                            sotto_error *error)
{
    json_t *as = schema_get(from, "as");
    size_t known = 0;
    c->date_parts = as ? 0 : DATE_DAYS;
    for (size_t i = 0; i < json_array_size(as); i++) {
        const char *name = json_string_value(json_array_get(as, i));
        for (int k = 0; name && k < DATE_PARTS; k++)
            if (!strcmp(name, date_part_rows[k].name) &&
                !(c->date_parts & date_part_rows[k].part)) {
                c->date_parts |= date_part_rows[k].part;
                known++;
            }
    }
    if (!c->date_parts || known != json_array_size(as))
        return schema_error(path, c->name,
                            "\"as\" to be a list of some of \"days\", "
                            "\"weekday\" and \"month\", each once",
                            error);
    return date_levels(c, error);
}

/* Bounds are public, so a date counts days only between two that are
   declared. */
static sotto_status date_bounds(column *c, const char *path, json_t *from,
                                sotto_error *error)
{
    json_t *bounds = schema_get(from, "bounds");
    json_t *since = schema_get(from, "since");
    int64_t low = 0, high = 0;
    if (!(c->date_parts & DATE_DAYS))
        return bounds || since ? schema_error(path, c->name,
                                              "\"bounds\" and \"since\" only "
                                              "where \"as\" has \"days\"",
                                              error)
                               : SOTTO_OK;
    if (json_array_size(bounds) != 2 ||
        !date_from_json(&low, json_array_get(bounds, 0)) ||
        !date_from_json(&high, json_array_get(bounds, 1)) || low >= high)
        return schema_error(path, c->name,
                            "\"bounds\" to be [first, last], two dates like "
                            "\"2024-02-29\", the earlier one first",
                            error);
    c->since = low;
    if (since && !date_from_json(&c->since, since))
        return schema_error(
            path, c->name, "\"since\" to be a date like \"2024-02-29\"", error);
    c->low = (double)(low - c->since);
    c->high = (double)(high - c->since);
    c->bounded = 1;
    return SOTTO_OK;
}

static sotto_status date_missing(column *c, const char *path, json_t *from,
                                 sotto_error *error)
{
    json_t *missing = schema_get(from, "missing");
    const char *word = json_string_value(missing);
    int64_t day;
    if (!missing || (word && !strcmp(word, "refuse")))
        return SOTTO_OK;
    if (!date_from_json(&day, missing))
        return schema_error(path, c->name,
                            "\"missing\" to be \"refuse\" or a date like "
                            "\"2024-02-29\"",
                            error);
    c->missing = MISSING_FILL;
    c->fill = (double)(day - c->since);
    if (c->bounded && (c->fill < c->low || c->fill > c->high))
        return schema_error(path, c->name,
                            "\"missing\" to be within the bounds", error);
    return SOTTO_OK;
}

sotto_status schema_date(column *c, const char *path, json_t *from,
                         sotto_error *error)
{
    static sotto_status (*const parts[])(column *, const char *, json_t *,
                                         sotto_error *) = {
        date_format, date_as, date_bounds, date_missing};
    sotto_status status = SOTTO_OK;
    if (c->role != COLUMN_DATE)
        return SOTTO_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == SOTTO_OK;
         i++)
        status = parts[i](c, path, from, error);
    return status;
}

/* ---- and back ---- */

static json_t *date_to_json(const column *c, double days)
{
    text_buffer t = {0};
    date_put(&t, DATE_ISO, c->since + (int64_t)days);
    json_t *text = t.failed ? NULL : json_string(t.data);
    text_free(&t);
    return text;
}

void schema_put_date(json_t **to, const column *c)
{
    json_add_text(to, "format", c->format);
    if (c->bounded) {
        json_t *bounds = json_array();
        json_append(&bounds, date_to_json(c, c->low));
        json_append(&bounds, date_to_json(c, c->high));
        json_add(to, "since", date_to_json(c, 0));
        json_add(to, "bounds", bounds);
    }
    json_t *as = json_array();
    for (int k = 0; k < DATE_PARTS; k++)
        if (c->date_parts & date_part_rows[k].part)
            json_append(&as, json_string(date_part_rows[k].name));
    json_add(to, "as", as);
    if (c->missing == MISSING_FILL)
        json_add(to, "missing", date_to_json(c, c->fill));
}
