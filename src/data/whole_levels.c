/*
 * Which categories have exactly one level in every row, by declaration: then
 * the columns of their levels add up to 1. A missing value that becomes no
 * level breaks that; one that is refused, or becomes a level, does not.
 */
#include "date.h"
#include "schema.h"

#include <string.h>

/* The levels of one category, from feature `from` on. */
static void mark(int64_t *whole, int64_t from, int64_t levels, int64_t *count)
{
    *count += levels > 0;
    for (int64_t i = 0; i < levels; i++)
        whole[from + i] = *count;
}

/* Weekday and month of a date are a category each. */
static void mark_column(const column *c, int64_t at, int64_t *whole,
                        int64_t *count)
{
    int64_t from = at + column_numbers(c);
    if (c->role == COLUMN_CATEGORY && c->missing != MISSING_NONE)
        mark(whole, from, c->levels, count);
    if (c->role == COLUMN_DATE && c->date_parts & DATE_WEEKDAY) {
        mark(whole, from, DATE_WEEKDAYS, count);
        from += DATE_WEEKDAYS;
    }
    if (c->role == COLUMN_DATE && c->date_parts & DATE_MONTH)
        mark(whole, from, DATE_MONTHS, count);
}

/* The column whose features begin here, of those with levels. */
static int begins_at(const sotto_table *t, int64_t j, const column *c)
{
    int64_t numbers = column_numbers(c);
    if (!c->levels || c->role == COLUMN_BOOLEAN ||
        j + column_features(c) > t->features)
        return 0;
    for (int64_t i = 0; i < c->levels; i++)
        if (!column_level_is(c, i, t->name[j + numbers + i]))
            return 0;
    return 1;
}

sotto_status table_whole_levels(const sotto_table *t, int64_t *whole,
                                sotto_error *error)
{
    schema s;
    int64_t count = 0, at = 0;
    memset(whole, 0, (size_t)t->features * sizeof *whole);
    if (!t->schema || !t->name)
        return SOTTO_OK; /* columns without names are numbers */
    sotto_status status = schema_parse(&s, "the table's schema", t->schema,
                                       strlen(t->schema), error);
    if (status != SOTTO_OK)
        return status;
    /* features are in the order of the schema that the table keeps */
    for (int64_t i = 0; i < s.columns; i++) {
        if (begins_at(t, at, &s.column[i]))
            mark_column(&s.column[i], at, whole, &count);
        at += column_features(&s.column[i]);
    }
    schema_free(&s);
    return SOTTO_OK;
}
