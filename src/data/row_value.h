/*
 * row_value: the row-local maps, from a field to what is stored of it.
 *
 * Privacy rests on this: what is stored for a record is a function of that
 * record and of public declarations (the column plan). No other record, no
 * number of rows and no statistic has a say. So one record changes one row of
 * the table, by as much as the bounds allow (docs/privacy/data.md). Nothing
 * may be kept from one row to the next that changes a stored value;
 * tests/unit/data/test_locality.c removes rows and compares bits.
 */
#ifndef SOTTO_ROW_VALUE_H
#define SOTTO_ROW_VALUE_H

#include "block.h"
#include "date.h"

#include <math.h>
#include <string.h>

/* The largest double that rounds to a finite float. */
#define VALUE_LARGEST 0x1.fffffefffffffp127

/* Clamps to the declared bounds and maps to [-1, 1]. Returns 0 when the result
   does not fit a float; the value then counts as missing. Not for NaN. */
static inline int value_map(const column *c, double raw, double *out)
{
    if (c->bounded) {
        raw = raw < c->low ? c->low : raw;
        raw = raw > c->high ? c->high : raw;
        raw = (raw - c->centre) / c->half;
        raw = raw < -1 ? -1 : raw > 1 ? 1 : raw;
    }
    *out = raw;
    return fabs(raw) <= VALUE_LARGEST;
}

/* The same for a numbered feature: 0 is not stored and must stay 0, so it is
   clamped and divided by the larger of its bounds. */
static inline double value_map_numbered(const column_plan *p, int64_t j,
                                        double v)
{
    double low = p->low[j], high = p->high[j];
    if (!isfinite(low))
        return v;
    v = v < low ? low : v > high ? high : v;
    return v / (-low > high ? -low : high);
}

/* Keeps feature `offset` of the column, for the row being read. */
static inline void value_store(worker *w, const column *c, int64_t offset,
                               double v)
{
    w->x[(c->feature + offset) * WORKER_ROWS + w->filled] = v;
}

static inline int value_same(const char *word, const char *bytes, size_t size)
{
    return strlen(word) == size && !memcmp(word, bytes, size);
}

/* A target, weight or feature that is a number; *expected says what was
   wrong when the result is 0. */
int value_number(worker *w, const column *c, double raw, const char *where,
                 const char **expected);

/* A missing value: filled by the column's policy, or refused. */
int value_missing(worker *w, const column *c, const char **expected);

/* ---- row_words.c ---- */

/* A text that is a date, or a word that means true or false. */
int value_date(worker *w, const column *c, const char *bytes, size_t size,
               const char **expected);
int value_boolean(worker *w, const column *c, const char *bytes, size_t size,
                  const char **expected);

/* What is stored of a date. */
void value_store_date(worker *w, const column *c, date d);

/* ---- row_value.c ---- */

/* A field of text: category, date, boolean, class by name, person, part. */
int value_text(worker *w, const column *c, const char *bytes, size_t size,
               const char **expected);

/* Whether the row belongs to a part that is read, of a file of numbers. */
int value_part_number(const column_plan *p, double raw);

/* Whether this text is one of the schema's words for a missing value. */
int value_is_missing_word(const column_plan *p, const char *bytes, size_t size);

/* Messages after which the allowed names are listed. */
extern const char value_class_expected[], value_level_expected[];
extern const char value_date_expected[], value_boolean_expected[];

/* Adds the names that were expected, if the fault is about names. */
void value_list_allowed(const column_plan *p, const fault *f, text_buffer *out);

/* What else can be done about a bad row, for the end of a message. */
const char *value_way_out(const column_plan *p);

#endif
