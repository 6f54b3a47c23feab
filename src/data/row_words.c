/*
 * The row-local maps of dates and of booleans in words, see row_value.h. A text
 * and the declaration of its column decide what is stored (Lemma D7).
 */
#include "row_value.h"

const char value_date_expected[] =
    "expected a date of the calendar, written as";

const char value_boolean_expected[] =
    "expected one of the words that mean true or false";

/* Whole seconds are counted, and divided once: days are exact. */
static double value_days(const column *c, date d)
{
    int64_t seconds = (d.day - c->since) * DATE_DAY_SECONDS + d.second;
    return (double)seconds / DATE_DAY_SECONDS;
}

static int64_t value_one_of(worker *w, const column *c, int64_t from,
                            int64_t count, int64_t which)
{
    for (int64_t i = 0; i < count; i++)
        value_store(w, c, from + i, i == which);
    return from + count;
}

void value_store_date(worker *w, const column *c, date d)
{
    int64_t at = 0;
    double v;
    if (c->date_parts & DATE_DAYS) { /* bounded, so that there is a map */
        value_map(c, value_days(c, d), &v);
        value_store(w, c, at++, v);
    }
    if (c->date_parts & DATE_WEEKDAY)
        at = value_one_of(w, c, at, DATE_WEEKDAYS, date_weekday(d.day));
    if (c->date_parts & DATE_MONTH)
        value_one_of(w, c, at, DATE_MONTHS, d.month);
}

int value_date(worker *w, const column *c, const char *bytes, size_t size,
               const char **expected)
{
    date d;
    *expected = value_date_expected;
    if (!date_parse(&d, c->format, bytes, size))
        return 0;
    value_store_date(w, c, d);
    return 1;
}

int value_boolean(worker *w, const column *c, const char *bytes, size_t size,
                  const char **expected)
{
    double v;
    *expected = value_boolean_expected;
    for (int64_t i = 0; i < c->levels; i++)
        if (value_same(c->level[i], bytes, size)) {
            value_map(c, i < c->truths, &v);
            value_store(w, c, 0, v);
            return 1;
        }
    return 0;
}
