/*
 * What the tests of columns in memory share: random columns of all types, as
 * memory and as CSV, and tables compared in all that they hold.
 */
#ifndef SOTTO_TEST_COLUMNS_H
#define SOTTO_TEST_COLUMNS_H

#include "reading.h"

enum { MOST_ROWS = 400, MOST_COLUMNS = 10, TYPES = 11 };

static uint64_t seed = 1;

/* From 0 to below - 1 (xorshift64*). */
__attribute__((unused)) static int64_t random_below(int64_t below)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)(seed * UINT64_C(2685821657736338717) >> 11) % below;
}

/* ---- a column: what it has in row i, as CSV writes it and in memory ---- */

typedef struct made {
    int is_text, masked;
    sotto_element type;
    char name[16];
    char field[MOST_ROWS][32]; /* "": missing */
    double value[MOST_ROWS];   /* of numbers: what is stored; NaN: missing */
    int64_t whole[MOST_ROWS];  /* of integers */
    uint8_t missing[MOST_ROWS];
    char *memory; /* the elements, or the bytes of texts */
    int64_t stride, shift;
    int64_t offset[MOST_ROWS + 1];
} made;

static const size_t made_size[TYPES] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};

__attribute__((unused)) static void put_element(char *to, const made *c, int i)
{
    double d = c->value[i];
    float f = (float)d;
    int64_t w = c->whole[i]; /* the low bytes are those of smaller types */
    if (c->type == SOTTO_F64)
        memcpy(to, &d, sizeof d);
    else if (c->type == SOTTO_F32)
        memcpy(to, &f, sizeof f);
    else
        memcpy(to, &w, made_size[c->type]);
}

/* An integer that the type has, often small. */
static int64_t random_whole(sotto_element type)
{
    int64_t small = random_below(4), wide = random_below(INT64_C(1) << 52);
    switch (type) {
    case SOTTO_BOOL:
        return small & 1;
    case SOTTO_I8:
        return small ? small - 1 : wide % 256 - 128;
    case SOTTO_I16:
        return small ? small - 1 : wide % 65536 - 32768;
    case SOTTO_I32:
        return small ? small - 1 : wide % (INT64_C(1) << 32) - (1LL << 31);
    case SOTTO_I64:
        return small ? small - 1 : wide * 1024 - (INT64_C(1) << 61);
    case SOTTO_U8:
        return small ? small : wide % 256;
    case SOTTO_U16:
        return small ? small : wide % 65536;
    case SOTTO_U32:
        return small ? small : wide % (INT64_C(1) << 32);
    case SOTTO_U64:
        return small ? small : -1 - wide; /* near 2^64 */
    case SOTTO_F32:
    case SOTTO_F64:
        break;
    }
    return 0;
}

static double random_float(void)
{
    static const double hard[] = {
        NAN, INFINITY, -INFINITY, 3e38, -3.5e38, 1e-45, 1e300, 5e-324,
        .1,  1e15,     2,         1,    0,       1,     0,     -1};
    int64_t pick = random_below(60);
    if (pick < 16)
        return hard[pick];
    return (double)(random_below(2000001) - 1000000) / 4096;
}

static void random_number(made *c, int i)
{
    int is_float = c->type == SOTTO_F32 || c->type == SOTTO_F64;
    c->whole[i] = random_whole(c->type);
    c->value[i] = random_float();
    if (c->type == SOTTO_F32)
        c->value[i] = (double)(float)c->value[i];
    double v = c->value[i];
    if (!is_float && c->type == SOTTO_U64)
        snprintf(c->field[i], 32, "%llu", (unsigned long long)c->whole[i]);
    else if (!is_float || (v == floor(v) && fabs(v) < 0x1p62))
        snprintf(c->field[i], 32, "%lld",
                 is_float ? (long long)v : (long long)c->whole[i]);
    else
        strcpy(c->field[i], isfinite(v) ? sotto_number_exact(v).text : "");
}

/* Strides: one after the other, far apart, backwards, all the same value. */
static void lay_numbers(made *c, int rows)
{
    int64_t size = (int64_t)made_size[c->type];
    int64_t strides[] = {size, size + 3, -size, -3 * size, 5 * size, 0};
    c->stride = strides[random_below(6)];
    for (int i = 1; c->stride == 0 && i < rows; i++) {
        c->value[i] = c->value[0];
        c->whole[i] = c->whole[0];
        memcpy(c->field[i], c->field[0], 32);
    }
    c->shift = c->stride < 0 ? -c->stride * (rows - 1) : 0;
    c->memory = malloc((size_t)(llabs(c->stride) * (rows + 1) + 8));
    for (int i = 0; i < rows; i++)
        put_element(c->memory + c->shift + i * c->stride, c, i);
}

static const char *const words[] = {"ann", "bob", "x y", "1",     "0",  "2.5",
                                    "NA",  "-1",  "",    " bob ", "1e3"};

static void lay_texts(made *c, int rows)
{
    size_t at = 0;
    c->memory = malloc((size_t)rows * 32 + 1);
    for (int i = 0; i < rows; i++) {
        c->offset[i] = (int64_t)at + 3;
        memcpy(c->memory + at, c->field[i], strlen(c->field[i]));
        at += strlen(c->field[i]);
    }
    c->offset[rows] = (int64_t)at + 3;
}

__attribute__((unused)) static made *random_column(const char *name,
                                                   int is_text, int rows)
{
    made *c = calloc(1, sizeof *c);
    strcpy(c->name, name);
    c->is_text = is_text;
    c->type = (sotto_element)random_below(TYPES);
    for (int i = 0; i < rows; i++)
        if (is_text)
            strcpy(c->field[i], words[random_below(11)]);
        else
            random_number(c, i);
    if (is_text)
        lay_texts(c, rows);
    else
        lay_numbers(c, rows);
    c->masked = random_below(3) == 0;
    for (int i = 0; c->masked && i < rows; i++) {
        c->missing[i] = (uint8_t)(random_below(12) ? 0 : 1 + random_below(255));
        if (c->missing[i])
            c->field[i][0] = 0;
    }
    return c;
}

__attribute__((unused)) static void free_column(made *c)
{
    free(c->memory);
    free(c);
}

__attribute__((unused)) static void list_column(sotto_columns *list,
                                                const made *c)
{
    sotto_error error;
    const uint8_t *mask = c->masked ? c->missing : NULL;
    sotto_status status =
        c->is_text ? sotto_columns_add_texts(list, c->name, c->memory - 3,
                                             c->offset, mask, &error)
                   : sotto_columns_add(list, c->name, c->memory + c->shift,
                                       c->type, c->stride, mask, &error);
    assert_int_equal(status, SOTTO_OK);
}

/* The rows that `order` lists. */
__attribute__((unused)) static void
put_columns_csv(text_buffer *t, made *const *c, int columns, int rows)
{
    for (int j = 0; j < columns; j++)
        text_format(t, "%s%s", j ? "," : "", c[j]->name);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            text_format(t, "%s%s", j ? "," : "\n", c[j]->field[i]);
    text_put(t, "\n");
}

/* ---- tables ---- */

__attribute__((unused)) static void assert_same_text(const char *a,
                                                     const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_bytes(const void *a, const void *b, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && size)
        assert_memory_equal(a, b, size);
}

static void assert_same_entries(const table_entries *a, const table_entries *b,
                                int64_t groups, size_t element)
{
    assert_same_bytes(a->start, b->start,
                      (size_t)(groups + 1) * sizeof *a->start);
    size_t count = a->start ? (size_t)a->start[groups] : 0;
    assert_same_bytes(count ? a->index : NULL, count ? b->index : NULL,
                      count * sizeof *a->index);
    assert_same_bytes(count ? a->value : NULL, count ? b->value : NULL,
                      count * element);
}

/* Everything that a table holds, but for remarks. */
__attribute__((unused)) static void assert_equal_tables(const sotto_table *a,
                                                        const sotto_table *b)
{
    size_t element = a->is_double ? 8 : 4, rows = (size_t)a->rows;
    size_t features = (size_t)a->features;
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->features, b->features);
    assert_int_equal(a->sparse, b->sparse);
    assert_int_equal(a->is_double, b->is_double);
    assert_int_equal(a->folded, b->folded);
    assert_int_equal(a->scaled, b->scaled);
    assert_int_equal(a->stride, b->stride);
    assert_int_equal(a->drops_rows, b->drops_rows);
    assert_int_equal(a->read_privately, b->read_privately);
    assert_same_bytes(a->x, b->x, features * (size_t)a->stride * element);
    if (a->sparse) {
        assert_same_entries(&a->by_row, &b->by_row, a->rows, element);
        assert_same_entries(&a->by_column, &b->by_column, a->features, element);
    }
    assert_same_bytes(a->y, b->y, rows * 8);
    assert_same_bytes(a->weight, b->weight, rows * 8);
    assert_same_bytes(a->unit, b->unit, rows * 8);
    assert_same_bytes(a->id_end, b->id_end, rows * sizeof *a->id_end);
    assert_same_bytes(a->ids, b->ids, rows && a->ids ? a->id_end[rows - 1] : 0);
    assert_same_bytes(a->centre, b->centre, features * 8);
    assert_same_bytes(a->half, b->half, features * 8);
    assert_same_bytes(a->low, b->low, features * 8);
    assert_same_bytes(a->high, b->high, features * 8);
    assert_same_bytes(a->reach, b->reach, features * 8);
    assert_same_text(a->unit_name, b->unit_name);
    assert_same_text(a->target_name, b->target_name);
    assert_int_equal(a->classes, b->classes);
    for (int64_t i = 0; i < a->classes; i++)
        assert_same_text(a->class_name[i], b->class_name[i]);
    assert_same_text(a->schema, b->schema);
    assert_int_equal(a->name == NULL, b->name == NULL);
    for (size_t j = 0; a->name && j < features; j++)
        assert_string_equal(a->name[j], b->name[j]);
}

__attribute__((unused)) static void assert_same_remarks(const sotto_table *a,
                                                        const sotto_table *b)
{
    assert_int_equal(a->warnings, b->warnings);
    for (int64_t i = 0; i < a->warnings; i++)
        assert_string_equal(a->warning[i], b->warning[i]);
}

__attribute__((unused)) static sotto_columns *new_list(int64_t rows)
{
    sotto_columns *list;
    sotto_error error;
    assert_int_equal(sotto_columns_new(&list, rows, &error), SOTTO_OK);
    return list;
}

/* Both readings end in the same way: the same table, or a refusal that
   expects the same. Returns whether there was a table; frees it. */
__attribute__((unused)) static int
assert_same_reading(sotto_status a, sotto_table *from_file,
                    const sotto_error *said_a, sotto_status b,
                    sotto_table *from_memory, const sotto_error *said_b)
{
    if (a != b)
        fail_msg("%d %s / %d %s", a, a ? said_a->message : "", b,
                 b ? said_b->message : "");
    if (a == SOTTO_OK)
        assert_equal_tables(from_file, from_memory);
    else {
        assert_null(from_memory);
        const char *x = strstr(said_a->message, "expected");
        const char *z = strstr(said_b->message, "expected");
        assert_same_text(x, z);
        if (!x)
            assert_string_equal(said_a->message, said_b->message);
        assert_null(strchr(said_b->message, '\n'));
    }
    sotto_table_free(from_file);
    sotto_table_free(from_memory);
    return a == SOTTO_OK;
}

/* ---- a table: its columns, and how it may be read ---- */

__attribute__((unused)) static const char *const column_names[] = {
    "a", "b", "c", "d", "t", "w", "p", "q", "e"};

/* Options by the bits of a random number, now and then with the schema: what
   is wrong for CSV is wrong for columns, too. */
__attribute__((unused)) static sotto_options *random_options(const char *schema)
{
    sotto_error error;
    setting all[] = {{"target", "t"},
                     {"loss", "logistic"},
                     {"classes", random_below(2) ? "0,1" : "ann,bob"},
                     {"weights", "w"},
                     {"weight-bound", "5"},
                     {"unit-column", "p"},
                     {"keep-ids", "yes"},
                     {"precision", random_below(2) ? "double" : "float"},
                     {"undeclared", "rows"},
                     {"epsilon", "1"},
                     {"drop", "e"}};
    sotto_options *o = options_with(NO_SETTINGS);
    int64_t bits = random_below(1 << 14);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (bits >> k & 1 && (k != 4 || bits & 8) && (k != 2 || bits & 2) &&
            (k != 1 || bits & 1))
            (void)!sotto_options_set(o, all[k].name, all[k].value, &error);
    int parts = random_below(4) == 0, drop = parts || random_below(4) != 0;
    if (drop)
        assert_false(sotto_options_set(o, "bad-rows", "drop", &error));
    if (parts) {
        assert_false(sotto_options_set(o, "part-column", "q", &error));
        assert_false(sotto_options_set(o, "parts", "1,ann,2.5", &error));
    }
    assert_false(
        sotto_options_set(o, "threads", random_below(2) ? "1" : "3", &error));
    if (random_below(4))
        assert_false(sotto_options_set_content(o, "schema", schema, &error));
    return o;
}

#endif
