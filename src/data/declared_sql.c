/*
 * The row-local maps as SQL: what row_value.c makes of a field, a database
 * makes of a value. An expression is NULL wherever the reader would refuse.
 *
 * It is SQL that SQLite and PostgreSQL take alike. Four things are less plain
 * than they look:
 *  - Columns are called r."name". A name in quotes alone is a text to SQLite
 *    where the table has no such column.
 *  - Bounds are CAST(... AS DOUBLE PRECISION). By that SQLite compares texts
 *    that are numbers as numbers; any other text it puts above all of them. So
 *    a text that is none gets through no comparison with "less than".
 *  - COALESCE(x || '', '') makes a text of any value, also of a number and of
 *    none, and sheds the collation of a column that takes A for a.
 *  - Terms stand in brackets by the hundred: SQLite takes a depth of 1000.
 */
#include "declared_sql.h"
#include "column_plan.h"

#include <math.h>
#include <string.h>

enum { SQL_TERMS = 100 };

/* ---- words ---- */

void declared_sql_number(text_buffer *t, double x)
{
    size_t before = t->length;
    text_number(t, x);
    if (!t->failed && !strpbrk(t->data + before, ".e"))
        text_put(t, ".0");
}

static void sql_quoted(text_buffer *t, char quote, const char *text)
{
    text_add(t, &quote, 1);
    for (; *text; text++) {
        if (*text == quote)
            text_add(t, &quote, 1);
        text_add(t, text, 1);
    }
    text_add(t, &quote, 1);
}

void declared_sql_text(text_buffer *t, const char *text)
{
    sql_quoted(t, '\'', text);
}

void sql_column(text_buffer *t, const column *c)
{
    text_put(t, "r.");
    sql_quoted(t, '"', c->name);
}

void sql_list(text_buffer *t, char *const *word, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        text_put(t, i ? ", " : "");
        declared_sql_text(t, word[i]);
    }
}

/* ---- a category ---- */

static double level_at(declared_sum sum, double weight)
{
    switch (sum) {
    case DECLARED_SCORE:
        return weight;
    case DECLARED_SQUARE:
        return 1;
    }
    return NAN;
}

static void category_when(text_buffer *t, const char *word, double value)
{
    text_put(t, "\n        WHEN ");
    declared_sql_text(t, word);
    text_put(t, " THEN ");
    if (isnan(value))
        text_put(t, "NULL");
    else
        declared_sql_number(t, value);
}

static void category_missing(text_buffer *t, const column *c, const schema *s,
                             declared_sum sum, const double *weight)
{
    double value = 0;
    switch (c->missing) {
    case MISSING_REFUSE: /* no word fits, and the CASE is NULL; unless there is
                            a level for all others, which it is not */
        if (!c->other)
            return;
        value = NAN;
        break;
    case MISSING_FILL:
        value = level_at(sum, weight[c->fill_level]);
        break;
    case MISSING_NONE:
        break;
    }
    category_when(t, "", value);
    for (int64_t i = 0; i < s->missing_words; i++)
        category_when(t, s->missing[i], value);
}

static double sql_category(text_buffer *t, const column *c, const schema *s,
                           declared_sum sum, const double *weight)
{
    double reach = 0;
    text_put(t, "CASE COALESCE(");
    sql_column(t, c);
    text_put(t, " || '', '')");
    category_missing(t, c, s, sum, weight);
    for (int64_t i = 0; i < c->levels; i++) {
        if (i + 1 < c->levels || !c->other)
            category_when(t, c->level[i], level_at(sum, weight[i]));
        reach = fmax(reach, fabs(weight[i]));
    }
    if (c->other) {
        text_put(t, "\n        ELSE ");
        declared_sql_number(t, level_at(sum, weight[c->levels - 1]));
    }
    text_put(t, "\n      END");
    return reach;
}

/* ---- all columns ---- */

/* One term; returns how large it can be, in size. */
static double sql_term(text_buffer *t, const column *c, const schema *s,
                       declared_sum sum, const double *weight)
{
    switch (c->role) {
    case COLUMN_NUMBER:
        return sql_number(t, c, s, sum, weight);
    case COLUMN_CATEGORY:
        return sql_category(t, c, s, sum, weight);
    case COLUMN_DATE:
        return sql_date(t, c, s, sum, weight);
    case COLUMN_BOOLEAN:
        return sql_boolean(t, c, s, sum, weight);
    case COLUMN_TARGET:
    case COLUMN_WEIGHT:
    case COLUMN_UNIT:
    case COLUMN_DROP:
    case COLUMN_PART:
        break;
    }
    return 0;
}

/* Whether the model calls the features of the column as the reader does. */
static int has_names(const column *c, char *const *name)
{
    int64_t numbers = column_numbers(c);
    for (int64_t i = 0; i < column_features(c); i++)
        if (i < numbers ? strcmp(name[i], c->name) != 0
                        : !column_level_is(c, i - numbers, name[i]))
            return 0;
    return 1;
}

static sotto_status sql_check(const schema *s, const declared_features *f,
                              sotto_error *error)
{
    int64_t place = 0;
    int fine = 1;
    for (int64_t i = 0; fine && i < s->columns; i++) {
        const column *c = &s->column[i];
        fine = column_features(c) <= f->count - place &&
               has_names(c, f->name + place);
        place += column_features(c);
    }
    if (!fine || place != f->count)
        return error_set(error, SOTTO_USAGE,
                         "the features of the model are not those of its "
                         "schema; expected a model as 'sotto train' writes it");
    return SOTTO_OK;
}

static void sql_sum(text_buffer *t, schema *s, declared_sum sum,
                    const declared_features *f, double *reach)
{
    int64_t terms = 0;
    text_put(t, "(");
    for (int64_t i = 0; i < s->columns; i++) {
        column *c = &s->column[i];
        if (!column_features(c))
            continue;
        plan_map(c);
        text_put(t, !terms                   ? "\n      "
                    : terms % SQL_TERMS == 0 ? "\n    ) + (\n      "
                                             : "\n      + ");
        *reach += sql_term(t, c, s, sum, f->weight + c->place);
        terms++;
    }
    text_put(t, "\n    )");
}

sotto_status declared_sql(text_buffer *t, const char *text, declared_sum sum,
                          const declared_features *f, double *reach,
                          sotto_error *error)
{
    schema s;
    *reach = 0;
    sotto_status status =
        schema_parse(&s, "the model's schema", text, strlen(text), error);
    if (status != SOTTO_OK)
        return status;
    status = sql_check(&s, f, error);
    if (status == SOTTO_OK) {
        sql_sum(t, &s, sum, f, reach);
        status = t->failed ? error_memory(error) : SOTTO_OK;
    }
    schema_free(&s);
    return status;
}
