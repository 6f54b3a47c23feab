/*
 * value: the row-local maps. One field and the declarations about its column
 * give what is stored; privacy rests on nothing else having a say.
 */
#ifndef SOTTO_ROW_VALUE_H
#define SOTTO_ROW_VALUE_H

#include "block.h"

#include <math.h>

/* The largest double that rounds to a finite float. */
#define VALUE_LARGEST 0x1.fffffefffffffp127

/* Clamp to the declared bounds and map to [-1, 1]; 0 when the result does
   not fit a float (then the value counts as missing). Not for NaN. */
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

/* The class of a numeric target: 1 when it is one of the two. */
int value_class(worker *w, double raw, const char *where, double *out);

/* A target, weight or feature that is a number; *expected says what was
   wrong when the result is 0. */
int value_number(worker *w, const column *c, double raw, const char *where,
                 const char **expected);

/* A missing value: filled by the column's policy, or refused. */
int value_missing(worker *w, const column *c, const char **expected);

/* A field of text: category, class by name, person. */
int value_text(worker *w, const column *c, const char *bytes, size_t size,
               const char **expected);

/* Whether this text is one of the schema's words for a missing value. */
int value_is_missing_word(const column_plan *p, const char *bytes, size_t size);

/* Messages after which the allowed names are listed. */
extern const char value_class_expected[], value_level_expected[];

/* Adds the names that were expected, if the fault is about names. */
void value_list_allowed(const column_plan *p, const fault *f, text_buffer *out);

#endif
