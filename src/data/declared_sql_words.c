/*
 * Dates and booleans as SQL, see declared_sql.c: what row_words.c makes of a
 * text.
 *
 * A date takes three SELECTs in one another: the text (p.t), its fields as
 * whole numbers (q.y, q.m, ...; NULL where it has not the form), the number of
 * its day from 0000-03-01 on (v.n; NULL where the calendar has no such day).
 * CASE decides before CAST is tried, which PostgreSQL would end with an error.
 */
#include "date.h"
#include "declared_sql.h"
#include "row_value.h"

/* ---- what both need ---- */

static void sql_as_text(text_buffer *t, const column *c)
{
    text_put(t, "COALESCE(");
    sql_column(t, c);
    text_put(t, " || '', '')");
}

/* IN ('', and the words for a missing value) */
static void sql_in_missing(text_buffer *t, const schema *s)
{
    text_put(t, " IN (''");
    text_put(t, s->missing_words ? ", " : "");
    sql_list(t, s->missing, s->missing_words);
    text_put(t, ")");
}

/* ---- booleans ---- */

/* Both values are stored as 1 in size. */
static double boolean_at(declared_sum sum, double weight, double v)
{
    switch (sum) {
    case DECLARED_SCORE:
        return weight * v;
    case DECLARED_SQUARE:
        return 1;
    }
    return NAN;
}

double sql_boolean(text_buffer *t, const column *c, const schema *s,
                   declared_sum sum, const double *weight)
{
    text_put(t, "(SELECT CASE WHEN p.t");
    sql_in_missing(t, s);
    text_put(t, " THEN ");
    if (c->missing == MISSING_FILL)
        declared_sql_number(t, boolean_at(sum, *weight, c->fill));
    else
        text_put(t, "NULL");
    for (int k = 1; k >= 0; k--) {
        text_put(t, "\n        WHEN p.t IN (");
        sql_list(t, k ? c->level : c->level + c->truths,
                 k ? c->truths : c->levels - c->truths);
        text_put(t, ") THEN ");
        declared_sql_number(t, boolean_at(sum, *weight, k));
    }
    text_put(t, "\n      END FROM (SELECT ");
    sql_as_text(t, c);
    text_put(t, " AS t) AS p)");
    return fabs(*weight);
}

/* ---- a date: its fields ---- */

/* Where the field of this letter begins in a text, from 1; 0: nowhere. */
static int field_place(const char *format, char letter, int *length)
{
    int place = 1;
    date_piece p;
    while ((format = date_format_next(format, &p))) {
        *length = p.length;
        if (p.letter == letter)
            return place;
        place += p.length;
    }
    return 0;
}

/* Whether p.t has the form: its length, its digits, and what stands for
   itself. */
static void date_form(text_buffer *t, const char *format)
{
    int place = 1;
    date_piece p;
    text_buffer digits = {0};
    for (; (format = date_format_next(format, &p)); place += p.length) {
        char itself[2] = {p.itself, 0};
        if (p.letter) {
            text_format(&digits, "%sSUBSTR(p.t, %d, %d)",
                        digits.length ? " || " : "", place, p.length);
            continue;
        }
        text_format(t, "SUBSTR(p.t, %d, 1) = ", place);
        declared_sql_text(t, itself);
        text_put(t, " AND ");
    }
    text_format(t, "LENGTH(p.t) = %d AND LTRIM(%s, '0123456789') = ''",
                place - 1, digits.data ? digits.data : "");
    t->failed |= digits.failed;
    text_free(&digits);
}

static const char date_letters[] = "YmdHMS";

/* , CASE WHEN ... THEN CAST(... AS INTEGER) END AS y, ... */
static void date_numbers(text_buffer *t, const char *format)
{
    for (const char *letter = date_letters; *letter; letter++) {
        int length, place = field_place(format, *letter, &length);
        text_put(t, ",\n          ");
        if (place) {
            text_put(t, "CASE WHEN ");
            date_form(t, format);
            text_format(t, " THEN CAST(SUBSTR(p.t, %d, %d) AS INTEGER) END",
                        place, length);
        } else {
            text_put(t, "0");
        }
        text_format(t, " AS f%d", (int)(letter - date_letters));
    }
}

/* ---- a date: its day ---- */

/* Years from March on, as date.c counts them. */
static const char date_day[] =
    "CASE WHEN q.f0 >= 1 AND q.f1 BETWEEN 1 AND 12 AND q.f2 BETWEEN 1 AND "
    "(CASE WHEN q.f1 IN (4, 6, 9, 11) THEN 30 WHEN q.f1 <> 2 THEN 31 "
    "WHEN (q.f0 % 4 = 0 AND q.f0 % 100 <> 0) OR q.f0 % 400 = 0 THEN 29 "
    "ELSE 28 END) AND q.f3 <= 23 AND q.f4 <= 59 AND q.f5 <= 59 THEN "
    "365 * (q.f0 - (14 - q.f1) / 12) + (q.f0 - (14 - q.f1) / 12) / 4 - "
    "(q.f0 - (14 - q.f1) / 12) / 100 + (q.f0 - (14 - q.f1) / 12) / 400 + "
    "(153 * (q.f1 + 12 * ((14 - q.f1) / 12) - 3) + 2) / 5 + q.f2 - 1 END";

/* v.n of this day. */
static int64_t date_number(int64_t day)
{
    return day + 719468;
}

/* The days since the declared one, not clamped. */
static void date_raw(text_buffer *t, const column *c)
{
    text_format(t,
                "((CAST(v.n AS DOUBLE PRECISION) - %lld.0) * 86400.0 + "
                "v.s) / 86400.0",
                (long long)date_number(c->since));
}

static void date_clamped(text_buffer *t, const column *c)
{
    text_put(t, "CASE WHEN ");
    date_raw(t, c);
    text_put(t, " < ");
    declared_sql_number(t, c->low);
    text_put(t, " THEN ");
    declared_sql_number(t, c->low);
    text_put(t, " WHEN ");
    date_raw(t, c);
    text_put(t, " > ");
    declared_sql_number(t, c->high);
    text_put(t, " THEN ");
    declared_sql_number(t, c->high);
    text_put(t, " ELSE ");
    date_raw(t, c);
    text_put(t, " END");
}

static void date_days(text_buffer *t, const column *c, declared_sum sum,
                      double weight)
{
    switch (sum) {
    case DECLARED_SCORE:
        declared_sql_number(t, weight);
        text_put(t, " * (");
        date_clamped(t, c);
        text_put(t, ")");
        return;
    case DECLARED_SQUARE:
        for (int i = 0; i < 2; i++) {
            text_put(t, i ? " * (((" : "(((");
            date_clamped(t, c);
            text_put(t, ") - ");
            declared_sql_number(t, c->centre);
            text_put(t, ") / ");
            declared_sql_number(t, c->half);
            text_put(t, ")");
        }
        return;
    }
}

/* + CASE which WHEN 0 THEN ... END: one level of these holds. */
static void date_level(text_buffer *t, const char *which, int count,
                       declared_sum sum, const double *weight)
{
    text_format(t, " + CASE %s", which);
    for (int i = 0; i < count; i++) {
        text_format(t, " WHEN %d THEN ", i);
        declared_sql_number(t, sum == DECLARED_SCORE ? weight[i] : 1);
    }
    text_put(t, " END");
}

/* ---- a date: its term ---- */

/* The sum over the column's features, of v.n, v.s and v.m. */
static void date_sum(text_buffer *t, const column *c, declared_sum sum,
                     const double *weight)
{
    if (c->date_parts & DATE_DAYS)
        date_days(t, c, sum, *weight++);
    else
        text_put(t, "0.0");
    if (c->date_parts & DATE_WEEKDAY) {
        date_level(t, "(v.n + 2) % 7", DATE_WEEKDAYS, sum, weight);
        weight += DATE_WEEKDAYS;
    }
    if (c->date_parts & DATE_MONTH)
        date_level(t, "v.m - 1", DATE_MONTHS, sum, weight);
}

/* A missing value becomes the text of the day that it stands for, or nothing,
   which is no date. */
static void date_text(text_buffer *t, const column *c, const schema *s)
{
    text_buffer fill = {0};
    if (c->missing == MISSING_FILL)
        date_put(&fill, c->format, c->since + (int64_t)c->fill);
    text_put(t, "CASE WHEN ");
    sql_as_text(t, c);
    sql_in_missing(t, s);
    text_put(t, " THEN ");
    declared_sql_text(t, fill.data ? fill.data : "");
    text_put(t, " ELSE ");
    sql_as_text(t, c);
    text_put(t, " END");
    t->failed |= fill.failed;
    text_free(&fill);
}

/* How large the term can be: the days are between bounds. */
static double date_reach(const column *c, const double *weight)
{
    double reach = 0;
    int64_t numbers = column_numbers(c);
    for (int64_t i = 0; i < column_features(c); i++)
        reach += fabs(weight[i]) *
                 (i < numbers ? fmax(fabs(c->low), fabs(c->high)) : 1);
    return reach;
}

double sql_date(text_buffer *t, const column *c, const schema *s,
                declared_sum sum, const double *weight)
{
    text_put(t, "(SELECT CASE WHEN v.n IS NOT NULL THEN ");
    date_sum(t, c, sum, weight);
    text_put(t, " END FROM (SELECT q.f3 * 3600 + q.f4 * 60 + q.f5 AS s, "
                "q.f1 AS m,\n        ");
    text_put(t, date_day);
    text_put(t, " AS n\n        FROM (SELECT p.t");
    date_numbers(t, c->format);
    text_put(t, "\n        FROM (SELECT ");
    date_text(t, c, s);
    text_put(t, " AS t) AS p) AS q) AS v)");
    return date_reach(c, weight);
}
