/*
 * Views of columns in memory: from an element, a bit or a text to the maps of
 * row_value.h and field.h. What becomes of a value depends on it and on the
 * column plan alone.
 */
#include "field.h"
#include "memory.h"
#include "row_value.h"

#include <float.h>
#include <string.h>

/* ---- elements ---- */

#define ELEMENT_CASE(id, type, as)                                             \
    case id: {                                                                 \
        type e;                                                                \
        memcpy(&e, at, sizeof e);                                              \
        return (as)e;                                                          \
    }

double element_number(const char *at, sotto_element type)
{
    switch (type) {
        ELEMENT_CASE(SOTTO_F32, float, double)
        ELEMENT_CASE(SOTTO_F64, double, double)
        ELEMENT_CASE(SOTTO_I8, int8_t, double)
        ELEMENT_CASE(SOTTO_I16, int16_t, double)
        ELEMENT_CASE(SOTTO_I32, int32_t, double)
        ELEMENT_CASE(SOTTO_I64, int64_t, double)
        ELEMENT_CASE(SOTTO_U8, uint8_t, double)
        ELEMENT_CASE(SOTTO_U16, uint16_t, double)
        ELEMENT_CASE(SOTTO_U32, uint32_t, double)
        ELEMENT_CASE(SOTTO_U64, uint64_t, double)
    case SOTTO_BOOL:
        return *at != 0;
    }
    return NAN;
}

/* An integer that is not above the largest int64_t; -1: it is. */
static int64_t element_integer(const char *at, sotto_element type)
{
    switch (type) {
        ELEMENT_CASE(SOTTO_I8, int8_t, int64_t)
        ELEMENT_CASE(SOTTO_I16, int16_t, int64_t)
        ELEMENT_CASE(SOTTO_I32, int32_t, int64_t)
        ELEMENT_CASE(SOTTO_I64, int64_t, int64_t)
        ELEMENT_CASE(SOTTO_U8, uint8_t, int64_t)
        ELEMENT_CASE(SOTTO_U16, uint16_t, int64_t)
        ELEMENT_CASE(SOTTO_U32, uint32_t, int64_t)
    case SOTTO_U64: {
        uint64_t e;
        memcpy(&e, at, sizeof e);
        return e > INT64_MAX ? -1 : (int64_t)e;
    }
    case SOTTO_BOOL:
        return *at != 0;
    case SOTTO_F32:
    case SOTTO_F64:
        break;
    }
    return -1;
}

/* A number as text: whole numbers by their digits, so that a person has one
   text whatever the type; others by the shortest that reads back. */
static void element_text(text_buffer *out, const char *at, sotto_element type)
{
    int is_float = type == SOTTO_F32 || type == SOTTO_F64;
    double v = element_number(at, type);
    uint64_t large = 0;
    if (type == SOTTO_U64)
        memcpy(&large, at, sizeof large);
    if (large > INT64_MAX)
        text_format(out, "%llu", (unsigned long long)large);
    else if (!is_float)
        text_format(out, "%lld", (long long)element_integer(at, type));
    else if (v == floor(v) && fabs(v) < 0x1p63)
        text_format(out, "%lld", (long long)v);
    else
        text_number(out, v);
}

static int view_bit(const uint8_t *bits, int64_t bit)
{
    return bits[bit >> 3] >> (bit & 7) & 1;
}

/* ---- texts ---- */

static int64_t texts_offset(const view_texts *t, int64_t i)
{
    if (t->is_wide) {
        int64_t wide;
        memcpy(&wide, (const char *)t->offsets + (size_t)i * sizeof wide,
               sizeof wide);
        return wide;
    }
    int32_t narrow;
    memcpy(&narrow, (const char *)t->offsets + (size_t)i * sizeof narrow,
           sizeof narrow);
    return narrow;
}

static sotto_status texts_check(const view_texts *t, const char *name,
                                sotto_error *error)
{
    int64_t before = 0;
    if (t->count == 0)
        return SOTTO_OK;
    if (t->count < 0 || !t->offsets)
        return error_set(error, SOTTO_USAGE,
                         "the table: column \"%s\": expected offsets of texts, "
                         "found none",
                         show_name(name).text);
    for (int64_t i = 0; i <= t->count; i++) {
        int64_t here = texts_offset(t, i);
        if (here < before)
            return error_set(error, SOTTO_USAGE,
                             "the table: column \"%s\": expected offsets of "
                             "texts that do not decrease",
                             show_name(name).text);
        before = here;
    }
    if (!t->bytes && before > texts_offset(t, 0))
        return error_set(error, SOTTO_USAGE,
                         "the table: column \"%s\": expected the bytes of "
                         "texts, found NULL",
                         show_name(name).text);
    return SOTTO_OK;
}

sotto_status view_check(const column_view *v, const column_kind *k,
                        const char *name, int64_t rows, sotto_error *error)
{
    int by_row = k->kind == VIEW_TEXTS;
    if (rows == 0)
        return SOTTO_OK;
    if (by_row && v->texts.count < rows)
        return error_set(error, SOTTO_USAGE,
                         "the table: column \"%s\": expected a text for each "
                         "row",
                         show_name(name).text);
    if (!by_row && !v->values)
        return error_set(error, SOTTO_USAGE,
                         "the table: column \"%s\": expected values, found "
                         "NULL",
                         show_name(name).text);
    return by_row || k->kind == VIEW_CODES ? texts_check(&v->texts, name, error)
                                           : SOTTO_OK;
}

/* A copy with what number_parse may read behind it, as a field of CSV without
   quotes has. */
static int view_text(worker *w, const column *c, const view_texts *t, int64_t i,
                     const char **expected)
{
    static const char padding[SOURCE_PADDING] = {'\n'};
    if (t->valid && !view_bit(t->valid, t->valid_from + i))
        return value_missing(w, c, expected);
    int64_t from = texts_offset(t, i), to = texts_offset(t, i + 1);
    size_t size = (size_t)(to - from);
    const char *bytes = size ? t->bytes + from : "";
    *expected = "expected text, found a NUL byte";
    if (memchr(bytes, 0, size))
        return 0;
    if (field_is_text(w->plan, c))
        return field_value(w, c, bytes, size, 0, expected);
    w->scratch.length = 0;
    text_add(&w->scratch, bytes, size);
    text_add(&w->scratch, padding, sizeof padding);
    w->failed |= w->scratch.failed;
    return !w->scratch.failed &&
           field_value(w, c, w->scratch.data, size, 0, expected);
}

static int view_code(worker *w, const column *c, const column_kind *k,
                     const column_view *v, int64_t i, const char **expected)
{
    int64_t code = element_integer(v->values + i * v->stride, k->type);
    *expected = "expected the number of a text in the column's list";
    return code >= 0 && code < v->texts.count &&
           view_text(w, c, &v->texts, code, expected);
}

/* ---- numbers ---- */

static int view_number(worker *w, const column *c, const char *at,
                       sotto_element type, const char **expected)
{
    double v = element_number(at, type);
    if (!isfinite(v))
        return value_missing(w, c, expected);
    if (!field_is_text(w->plan, c))
        return value_number(w, c, v, NULL, expected);
    w->scratch.length = 0;
    element_text(&w->scratch, at, type);
    w->failed |= w->scratch.failed;
    return !w->scratch.failed &&
           field_text(w, c, w->scratch.data, w->scratch.length, expected);
}

int view_value(worker *w, const column *c, const column_kind *k,
               const column_view *v, int64_t i, const char **expected)
{
    char bit;
    if (c->role == COLUMN_DROP)
        return 1;
    if (view_is_missing(v, i))
        return value_missing(w, c, expected);
    switch (k->kind) {
    case VIEW_NUMBERS:
        return view_number(w, c, v->values + i * v->stride, k->type, expected);
    case VIEW_BITS:
        bit = (char)view_bit((const uint8_t *)v->values, v->bits_from + i);
        return view_number(w, c, &bit, SOTTO_BOOL, expected);
    case VIEW_TEXTS:
        return view_text(w, c, &v->texts, i, expected);
    case VIEW_CODES:
        return view_code(w, c, k, v, i, expected);
    case VIEW_OTHER:
        break;
    }
    *expected = "expected a type that can be read";
    return 0;
}

/* ---- many numbers ---- */

/* So that a fixed count reaches the loops. */
#define INLINE static inline __attribute__((always_inline))

/* Elements first, numbers then: what is a stride apart is moved by itself, and
   what lies side by side is converted by vectors. */
#define LOAD_CASE(id, type)                                                    \
    case id: {                                                                 \
        type e[WORKER_ROWS];                                                   \
        for (int r = 0; r < count; r++, at += stride)                          \
            memcpy(&e[r], at, sizeof *e);                                      \
        for (int r = 0; r < count; r++)                                        \
            out[r] = (double)e[r];                                             \
        break;                                                                 \
    }

INLINE void elements_load(double *out, const char *at, int64_t stride,
                          sotto_element type, int count)
{
    switch (type) {
        LOAD_CASE(SOTTO_F32, float)
        LOAD_CASE(SOTTO_F64, double)
        LOAD_CASE(SOTTO_I8, int8_t)
        LOAD_CASE(SOTTO_I16, int16_t)
        LOAD_CASE(SOTTO_I32, int32_t)
        LOAD_CASE(SOTTO_I64, int64_t)
        LOAD_CASE(SOTTO_U8, uint8_t)
        LOAD_CASE(SOTTO_U16, uint16_t)
        LOAD_CASE(SOTTO_U32, uint32_t)
        LOAD_CASE(SOTTO_U64, uint64_t)
    case SOTTO_BOOL:
        for (int r = 0; r < count; r++, at += stride)
            out[r] = *at != 0;
        break;
    }
}

/* Whether all are finite and at most so large. NaN is not. The mask is as wide
   as a number, for vectors. */
INLINE int numbers_are_within(const double *v, double most, int count)
{
    int64_t beyond = 0;
    for (int r = 0; r < count; r++)
        beyond |= fabs(v[r]) <= most ? 0 : -1;
    return beyond == 0;
}

/* value_map of a few values, of which the bounds are looked up once. 0: one of
   them is not finite, or becomes what no float is. */
INLINE int numbers_map(const column *c, const double *raw, double *to,
                       int count)
{
    double low = c->low, high = c->high, centre = c->centre, half = c->half;
    if (!c->bounded) { /* infinities are no floats either */
        memcpy(to, raw, (size_t)count * sizeof *to);
        return numbers_are_within(raw, VALUE_LARGEST, count);
    }
    for (int r = 0; r < count; r++) {
        double v = raw[r] < low ? low : raw[r];
        v = v > high ? high : v;
        v = (v - centre) / half;
        to[r] = v < -1 ? -1 : v > 1 ? 1 : v;
    }
    return numbers_are_within(raw, DBL_MAX, count) &&
           numbers_are_within(to, VALUE_LARGEST, count);
}

int view_numbers(worker *w, const column *c, const column_kind *k,
                 const column_view *v, int64_t i, int count)
{
    double raw[WORKER_ROWS], *to = w->x + c->feature * WORKER_ROWS + w->filled;
    const char *at = v->values + i * v->stride;
    int good = 1;
    for (int r = 0; (v->missing || v->valid) && r < count; r++)
        good &= !view_is_missing(v, i + r);
    if (!good)
        return 0;
    if (count == WORKER_ROWS) { /* a fixed count makes vector code */
        elements_load(raw, at, v->stride, k->type, WORKER_ROWS);
        return numbers_map(c, raw, to, WORKER_ROWS);
    }
    elements_load(raw, at, v->stride, k->type, count);
    return numbers_map(c, raw, to, count);
}
