/*
 * libFuzzer: columns in memory, with and without --bad-rows drop. The bytes
 * say what columns there are and what they hold; every piece of memory is just
 * as long as the list says it is, so that a sanitizer sees a step beyond it.
 */
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { COLUMNS = 6, BLOCKS = 64 };

typedef struct feed {
    const uint8_t *at, *end;
    void *block[BLOCKS];
    int blocks;
} feed;

static int take(feed *f)
{
    return f->at < f->end ? *f->at++ : 0;
}

/* So many bytes of memory of their own, from the feed. */
static void *take_block(feed *f, size_t size)
{
    uint8_t *block = malloc(size ? size : 1);
    if (!block || f->blocks == BLOCKS)
        abort();
    for (size_t i = 0; i < size; i++)
        block[i] = (uint8_t)take(f);
    f->block[f->blocks++] = block;
    return block;
}

static const size_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};

static void add_numbers(sotto_columns *c, const char *name, int64_t rows,
                        feed *f)
{
    sotto_error error;
    int type = take(f) % 12, way = take(f) % 4;
    int64_t element = type < 11 ? (int64_t)sizes[type] : 1;
    int64_t strides[] = {element, element + 3, -element, 0};
    int64_t stride = strides[way], reach = (rows - 1) * stride;
    size_t room = (size_t)((reach < 0 ? -reach : reach) + element);
    const char *values = take_block(f, rows ? room : 0);
    const uint8_t *mask = take(f) % 3 ? NULL : take_block(f, (size_t)rows);
    (void)!sotto_columns_add(c, name,
                             rows && reach < 0 ? values - reach : values,
                             (sotto_element)type, stride, mask, &error);
}

/* Offsets that mostly grow; the memory of the texts ends with the largest. */
static void add_texts(sotto_columns *c, const char *name, int64_t rows, feed *f)
{
    sotto_error error;
    int64_t *offsets = take_block(f, (size_t)(rows + 1) * sizeof *offsets);
    int64_t at = 0, most = 0;
    for (int64_t i = 0; i <= rows; i++) {
        int step = take(f);
        at += step == 255 ? -3 : step % 9;
        offsets[i] = at;
        most = at > most ? at : most;
    }
    const char *text = take_block(f, (size_t)most);
    const uint8_t *mask = take(f) % 3 ? NULL : take_block(f, (size_t)rows);
    (void)!sotto_columns_add_texts(c, name, text, offsets, mask, &error);
}

static void add_sparse(sotto_columns *c, int64_t rows, feed *f)
{
    sotto_error error;
    sotto_sparse e = {.by_column = take(f) % 2, .features = 1 + take(f) % 20};
    int64_t groups = e.by_column ? e.features : rows, at = 0, most = 0;
    int wide_start = take(f) % 2, wide_index = take(f) % 2;
    char *start = take_block(f, (size_t)(groups + 1) * (wide_start ? 8 : 4));
    for (int64_t g = 0; g <= groups; g++) {
        int step = take(f);
        at += step == 255 ? -2 : step % 6;
        most = at > most ? at : most;
        int32_t narrow = (int32_t)at;
        memcpy(start + g * (wide_start ? 8 : 4),
               wide_start ? (void *)&at : (void *)&narrow, wide_start ? 8 : 4);
    }
    char *index = take_block(f, (size_t)most * (wide_index ? 8 : 4));
    for (int64_t k = 0; k < most && take(f) % 16; k++) { /* small ones */
        int64_t wide = take(f) % 24;
        int32_t narrow = (int32_t)wide;
        memcpy(index + k * (wide_index ? 8 : 4),
               wide_index ? (void *)&wide : (void *)&narrow,
               wide_index ? 8 : 4);
    }
    int type = take(f) % 11;
    e.start = start;
    e.index = index;
    e.values = take_block(f, (size_t)most * sizes[type]);
    e.start_type = wide_start ? SOTTO_I64 : SOTTO_I32;
    e.index_type = wide_index ? SOTTO_I64 : SOTTO_I32;
    e.value_type = (sotto_element)type;
    (void)!sotto_columns_add_sparse(c, &e, &error);
}

static void read_columns(sotto_columns *c, const fuzz_setting *settings)
{
    sotto_options *options = fuzz_options(settings);
    sotto_error error = {0};
    sotto_table *t = NULL;
    volatile double seen = 0;
    if (sotto_table_from(&t, c, options, &error) == SOTTO_OK)
        seen = fuzz_look(t);
    else if (!error.message[0])
        abort();
    (void)seen;
    sotto_table_free(t);
    sotto_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[COLUMNS] = {"t", "p", "q", "a", "b", "c"};
    static const fuzz_setting plain[] = {{"threads", "1"}, {0}};
    static const fuzz_setting all[] = {
        {"target", "t"},      {"unit-column", "p"},
        {"part-column", "q"}, {"parts", "1,x,-2"},
        {"bad-rows", "drop"}, {"loss", "logistic"},
        {"threads", "2"},     {0}};
    static const fuzz_setting rows_of_one[] = {
        {"target", "t"},        {"classes", "x,y"},      {"loss", "hinge"},
        {"undeclared", "rows"}, {"precision", "double"}, {"drop", "p,q"},
        {"bad-rows", "drop"},   {"threads", "1"},        {0}};
    feed f = {.at = bytes, .end = bytes + size};
    sotto_columns *c;
    sotto_error error;
    int64_t rows = take(&f) % 40;
    int sparse = take(&f) % 3 == 0, count = sparse ? 3 : 3 + take(&f) % 4;
    if (sotto_columns_new(&c, rows, &error) != SOTTO_OK)
        abort();
    for (int j = 0; j < count; j++)
        if (take(&f) % 3)
            add_numbers(c, names[j], rows, &f);
        else
            add_texts(c, names[j], rows, &f);
    if (sparse)
        add_sparse(c, rows, &f);
    read_columns(c, plain);
    read_columns(c, all);
    read_columns(c, rows_of_one);
    sotto_columns_free(c);
    while (f.blocks)
        free(f.block[--f.blocks]);
    return 0;
}
