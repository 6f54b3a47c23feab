/*
 * A column of numbers as SQL, see declared_sql.c: clamped as value_map does,
 * filled in as value_missing does.
 *
 * A CASE of "less than" from below to above. What is no number passes none of
 * them and comes to the words for a missing value; what is none of these is
 * NULL.
 */
#include "declared_sql.h"
#include "number.h"
#include "row_value.h"

/* Beyond this a value is taken for an infinity. It is not the largest double,
   which some readers of SQL would round to one. */
#define SQL_LARGEST 1.7e308

static void sql_double(text_buffer *t, const column *c)
{
    text_put(t, "CAST(");
    sql_column(t, c);
    text_put(t, " AS DOUBLE PRECISION)");
}

/* What a sum has for a value v of the column, the weight left aside. */
static double number_at(const column *c, declared_sum sum, double v)
{
    double stored;
    switch (sum) {
    case DECLARED_SCORE:
        return v;
    case DECLARED_SQUARE:
        return value_map(c, v, &stored) ? stored * stored : NAN;
    }
    return NAN;
}

/* The same of the value that the row has. */
static void number_inside(text_buffer *t, const column *c, declared_sum sum)
{
    int times = 0;
    switch (sum) {
    case DECLARED_SCORE:
        sql_double(t, c);
        return;
    case DECLARED_SQUARE:
        times = 2;
    }
    for (int i = 0; i < times; i++) {
        text_put(t, i ? " * ((" : "((");
        sql_double(t, c);
        text_put(t, " - ");
        declared_sql_number(t, c->centre);
        text_put(t, ") / ");
        declared_sql_number(t, c->half);
        text_put(t, ")");
    }
}

/* A missing value that has no rule makes the row NULL, and so does a rule
   that the reader could not follow. */
static int number_fills(const column *c)
{
    double v;
    return c->missing == MISSING_FILL && value_map(c, c->fill, &v);
}

static void number_missing(text_buffer *t, const column *c, declared_sum sum)
{
    if (number_fills(c))
        declared_sql_number(t, number_at(c, sum, c->fill));
    else
        text_put(t, "NULL");
}

static void number_when(text_buffer *t, const column *c, const char *is,
                        double than)
{
    text_put(t, "\n        WHEN ");
    sql_column(t, c);
    text_format(t, " %s CAST(", is);
    declared_sql_number(t, than);
    text_put(t, " AS DOUBLE PRECISION) THEN ");
}

/* Words for a missing value that are numbers are compared as such. */
static void number_missing_numbers(text_buffer *t, const column *c,
                                   const schema *s, declared_sum sum)
{
    double x;
    for (int64_t i = 0; i < s->missing_words; i++)
        if (number_whole(s->missing[i], &x) && fabs(x) <= SQL_LARGEST) {
            number_when(t, c, "=", x);
            number_missing(t, c, sum);
        }
}

/* What is no number at all: nothing, and the words for a missing value. */
static void number_missing_words(text_buffer *t, const column *c,
                                 const schema *s, declared_sum sum)
{
    if (!number_fills(c))
        return;
    text_put(t, "\n        WHEN ");
    sql_column(t, c);
    text_put(t, " IS NULL OR UPPER(TRIM(");
    sql_column(t, c);
    text_put(t, " || '')) IN ('', 'NAN', '-NAN', '+NAN', 'INF', '-INF', "
                "'+INF', 'INFINITY', '-INFINITY', '+INFINITY')");
    if (s->missing_words) {
        text_put(t, " OR TRIM(");
        sql_column(t, c);
        text_put(t, " || '') IN (");
        sql_list(t, s->missing, s->missing_words);
        text_put(t, ")");
    }
    text_put(t, " THEN ");
    number_missing(t, c, sum);
}

static void number_bounded(text_buffer *t, const column *c, declared_sum sum)
{
    number_when(t, c, "<", -SQL_LARGEST);
    number_missing(t, c, sum);
    number_when(t, c, "<=", c->low);
    declared_sql_number(t, number_at(c, sum, c->low));
    number_when(t, c, "<", c->high);
    number_inside(t, c, sum);
    number_when(t, c, "<=", SQL_LARGEST);
    declared_sql_number(t, number_at(c, sum, c->high));
}

static void number_free(text_buffer *t, const column *c, declared_sum sum)
{
    number_when(t, c, "<", -VALUE_LARGEST);
    number_missing(t, c, sum);
    number_when(t, c, "<=", VALUE_LARGEST);
    number_inside(t, c, sum);
    number_when(t, c, "<=", SQL_LARGEST);
    number_missing(t, c, sum);
}

double sql_number(text_buffer *t, const column *c, const schema *s,
                  declared_sum sum, const double *weight)
{
    switch (sum) {
    case DECLARED_SCORE:
        declared_sql_number(t, *weight);
        text_put(t, " * ");
        break;
    case DECLARED_SQUARE:
        break;
    }
    text_put(t, "CASE");
    number_missing_numbers(t, c, s, sum);
    if (c->bounded)
        number_bounded(t, c, sum);
    else
        number_free(t, c, sum);
    number_missing_words(t, c, s, sum);
    text_put(t, "\n      END");
    double reach =
        c->bounded ? fmax(fabs(c->low), fabs(c->high)) : VALUE_LARGEST;
    return fabs(*weight) * reach;
}
