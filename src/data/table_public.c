/*
 * The public part of a table's file: names, maps, bounds, classes, the schema,
 * and where runs are booked. All of it comes from header, schema and options;
 * nothing from a record. Numbers are 8 bytes, texts their length and bytes.
 */
#include "table_file.h"

#include <math.h>
#include <string.h>

enum {
    HAS_TARGET = 1,
    HAS_WEIGHTS = 2,
    HAS_PERSONS = 4,
    IS_SPARSE = 8,
    IS_FOLDED = 16,
    IS_COUNTED = 32,
    DROPS_ROWS = 64,
    HAS_ALL = 127
};

/* ---- writing ---- */

static void put_number(text_buffer *out, int64_t number)
{
    text_add(out, (const char *)&number, sizeof number);
}

static void put_double(text_buffer *out, double number)
{
    text_add(out, (const char *)&number, sizeof number);
}

/* -1 is the length of a text that is not there. */
static void put_text(text_buffer *out, const char *text)
{
    put_number(out, text ? (int64_t)strlen(text) : -1);
    if (text)
        text_add(out, text, strlen(text));
}

static void put_texts(text_buffer *out, char *const *text, int64_t count)
{
    put_number(out, text ? count : -1);
    for (int64_t i = 0; text && i < count; i++)
        put_text(out, text[i]);
}

static void put_doubles(text_buffer *out, const double *number, int64_t count)
{
    put_number(out, number ? count : -1);
    if (number)
        text_add(out, (const char *)number, (size_t)count * sizeof *number);
}

void table_put_public(text_buffer *out, const sotto_table *t)
{
    put_number(out,
               (t->y ? HAS_TARGET : 0) | (t->weight ? HAS_WEIGHTS : 0) |
                   (t->unit ? HAS_PERSONS : 0) | (t->sparse ? IS_SPARSE : 0) |
                   (t->folded ? IS_FOLDED : 0) | (t->counted ? IS_COUNTED : 0) |
                   (t->drops_rows ? DROPS_ROWS : 0));
    put_number(out, t->features);
    put_number(out, t->scaled);
    put_double(out, t->weight_bound);
    put_double(out, t->target_centre);
    put_double(out, t->target_half);
    put_double(out, t->target_reach);
    put_text(out, t->schema);
    put_text(out, t->target_name);
    put_text(out, t->unit_name);
    put_text(out, t->dataset);
    put_texts(out, t->source, t->sources);
    put_texts(out, t->class_name, t->classes);
    put_texts(out, t->name, t->features);
    put_doubles(out, t->centre, t->features);
    put_doubles(out, t->half, t->features);
    put_doubles(out, t->low, t->features);
    put_doubles(out, t->high, t->features);
    put_doubles(out, t->reach, t->features);
}

/* ---- reading ---- */

typedef struct taker {
    const char *at;
    size_t left;
    int bad;    /* it is not as it is written */
    int failed; /* out of memory */
} taker;

static void take(taker *from, void *to, size_t size)
{
    memset(to, 0, size);
    if (from->bad || size > from->left) {
        from->bad = 1;
        return;
    }
    memcpy(to, from->at, size);
    from->at += size;
    from->left -= size;
}

static int64_t take_number(taker *from)
{
    int64_t number;
    take(from, &number, sizeof number);
    return number;
}

static double take_double(taker *from)
{
    double number;
    take(from, &number, sizeof number);
    return number;
}

/* A count of things of which each takes so many bytes; -1: there are none. */
static int64_t take_count(taker *from, size_t each)
{
    int64_t count = take_number(from);
    if (count < -1 || (count > 0 && (size_t)count > from->left / each))
        from->bad = 1;
    return from->bad ? -1 : count;
}

static char *take_text(taker *from)
{
    int64_t length = take_count(from, 1);
    if (length < 0)
        return NULL;
    char *text = mem_text_n(from->at, (size_t)length);
    from->failed |= !text;
    from->bad |= memchr(from->at, 0, (size_t)length) != NULL ||
                 !text_is_utf8(from->at, (size_t)length);
    from->at += length;
    from->left -= (size_t)length;
    return text;
}

static char **take_texts(taker *from, int64_t *count)
{
    *count = 0;
    int64_t many = take_count(from, sizeof(int64_t));
    char **text = many < 0 ? NULL : mem_zeroed((size_t)many, sizeof *text);
    from->failed |= many >= 0 && !text;
    for (int64_t i = 0; text && i < many; i++) {
        text[i] = take_text(from);
        from->bad |= !text[i] && !from->failed;
        *count = i + 1;
        if (!text[i])
            break;
    }
    return text;
}

static double *take_doubles(taker *from, int64_t features)
{
    int64_t count = take_count(from, sizeof(double));
    if (count < 0)
        return NULL;
    double *number = mem_zeroed((size_t)count, sizeof *number);
    from->failed |= !number;
    from->bad |= count != features;
    if (number)
        take(from, number, (size_t)count * sizeof *number);
    return number;
}

/* A table without rows has an address for all that rows would have. */
static int has_room(sotto_table *t, int64_t is)
{
    t->y = is & HAS_TARGET ? mem_zeroed(0, sizeof *t->y) : NULL;
    t->weight = is & HAS_WEIGHTS ? mem_zeroed(0, sizeof *t->weight) : NULL;
    t->unit = is & HAS_PERSONS ? mem_zeroed(0, sizeof *t->unit) : NULL;
    if (is & IS_SPARSE) {
        t->by_row.start_bytes = sizeof *t->by_row.start;
        t->by_row.start = mem_map(t->by_row.start_bytes);
        t->by_column.start_bytes =
            ((size_t)t->features + 1) * sizeof *t->by_column.start;
        t->by_column.start = mem_map(t->by_column.start_bytes);
    }
    return (!(is & HAS_TARGET) || t->y) && (!(is & HAS_WEIGHTS) || t->weight) &&
           (!(is & HAS_PERSONS) || t->unit) &&
           (!(is & IS_SPARSE) || (t->by_row.start && t->by_column.start));
}

static void take_flags(sotto_table *t, int64_t is, taker *from)
{
    from->bad |= (is & ~HAS_ALL) != 0 || !(is & HAS_TARGET);
    t->sparse = (is & IS_SPARSE) != 0;
    t->folded = (is & IS_FOLDED) != 0;
    t->counted = (is & IS_COUNTED) != 0;
    t->drops_rows = (is & DROPS_ROWS) != 0;
    t->read_privately = 1;
    t->dropped = -1;
}

static void take_all(sotto_table *t, taker *from)
{
    int64_t names, is = take_number(from);
    take_flags(t, is, from);
    int64_t features = take_number(from);
    from->bad |= features < 1 || features > INT32_MAX;
    t->scaled = take_number(from);
    t->weight_bound = take_double(from);
    t->target_centre = take_double(from);
    t->target_half = take_double(from);
    t->target_reach = take_double(from);
    t->schema = take_text(from);
    t->target_name = take_text(from);
    t->unit_name = take_text(from);
    t->dataset = take_text(from);
    t->source = take_texts(from, &t->sources);
    t->class_name = take_texts(from, &t->classes);
    t->name = take_texts(from, &names);
    t->features = t->name ? names : from->bad ? 0 : features; /* to be freed */
    from->bad |= t->name && names != features;
    t->centre = take_doubles(from, features);
    t->half = take_doubles(from, features);
    t->low = take_doubles(from, features);
    t->high = take_doubles(from, features);
    t->reach = take_doubles(from, features);
    from->bad |= from->left != 0;
    if (!from->bad && !from->failed)
        from->failed = !has_room(t, is);
}

/* ---- whether it is what a reader makes ---- */

static int are_finite(const double *x, int64_t count, int above_zero)
{
    int fine = 1;
    for (int64_t i = 0; x && i < count; i++)
        fine &= isfinite(x[i]) && (!above_zero || x[i] > 0);
    return fine;
}

/* Something that its runs are booked under. */
static int is_named(const sotto_table *t)
{
    int named = t->dataset ? *t->dataset != 0 : t->sources > 0;
    for (int64_t i = 0; i < t->sources; i++)
        named &= *t->source[i] != 0;
    return named;
}

static int is_sound(const sotto_table *t)
{
    int fine = t->schema && t->target_name && is_named(t) &&
               (t->unit != NULL) == (t->unit_name != NULL);
    fine &= are_finite(t->centre, t->features, 0) &&
            are_finite(t->half, t->features, 1) &&
            are_finite(&t->weight_bound, 1, 1) &&
            are_finite(&t->target_centre, 1, 0) &&
            are_finite(&t->target_half, 1, 1);
    for (int64_t j = 0; fine && j < t->features; j++)
        fine = (!t->low || t->low[j] == t->low[j]) &&
               (!t->high || t->high[j] == t->high[j]) &&
               (!t->reach || t->reach[j] > 0);
    return fine && t->target_reach > 0 && t->classes != 1 &&
           t->folded == (t->classes == 2) && !t->low == !t->high &&
           (t->sparse ||
            (t->name && t->centre && t->half && t->low && t->reach)) &&
           t->scaled >= 0 && t->scaled <= t->features;
}

sotto_status table_take_public(sotto_table **out, const char *file,
                               const char *bytes, size_t size,
                               sotto_error *error)
{
    taker from = {.at = bytes, .left = size};
    sotto_table *t = mem_zeroed(1, sizeof *t);
    *out = NULL;
    if (!t)
        return error_memory(error);
    take_all(t, &from);
    if (!from.failed && !from.bad && is_sound(t)) {
        *out = t;
        return SOTTO_OK;
    }
    sotto_table_free(t);
    return from.failed ? error_memory(error)
                       : error_set(error, SOTTO_DATA,
                                   "%s: the table's description is damaged: "
                                   "convert its source again",
                                   show_name(file).text);
}
