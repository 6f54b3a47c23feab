/*
 * Sparse features in memory, by row or by column, and the columns beside them.
 * What becomes of an entry is what becomes of one of svmlight.
 */
#include "memory.h"
#include "row_value.h"

#include <string.h>

/* Entries of a piece: as many as are parsed before they go to the store. */
enum { SPARSE_PIECE = 1 << 18, SPARSE_ROWS = 1 << 16 };

/* More entries than any memory has: what is above it is no start. */
static const int64_t SPARSE_MOST = (int64_t)1 << 48;

static int64_t sparse_integer(const void *array, sotto_element type, int64_t i)
{
    if (type == SOTTO_I64) {
        int64_t wide;
        memcpy(&wide, (const char *)array + (size_t)i * sizeof wide,
               sizeof wide);
        return wide;
    }
    int32_t narrow;
    memcpy(&narrow, (const char *)array + (size_t)i * sizeof narrow,
           sizeof narrow);
    return narrow;
}

static inline int64_t sparse_start(const sotto_sparse *e, int64_t group)
{
    return sparse_integer(e->start, e->start_type, group);
}

static inline int64_t sparse_index(const sotto_sparse *e, int64_t k)
{
    return sparse_integer(e->index, e->index_type, k);
}

static double sparse_value(const sotto_sparse *e, int64_t k)
{
    size_t at = (size_t)k * element_size(e->value_type);
    return element_number((const char *)e->values + at, e->value_type);
}

/* ---- the structure ---- */

static sotto_status sparse_refuse(const char *expected, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "the table: sparse features: expected %s", expected);
}

/* Starts, and that there is memory behind them. Of features by column also
   the indices: they are rows, and one that does not exist belongs to none. */
static sotto_status sparse_check(const sotto_sparse *e, int64_t rows,
                                 sotto_error *error)
{
    int64_t groups = e->by_column ? e->features : rows, before = 0;
    if (groups == 0)
        return SOTTO_OK;
    for (int64_t g = 0; g <= groups; g++) {
        int64_t here = sparse_start(e, g);
        if (here < before || here > SPARSE_MOST)
            return sparse_refuse("starts that do not decrease, from 0 on",
                                 error);
        before = here;
    }
    int64_t first = sparse_start(e, 0);
    if (before > first && (!e->index || !e->values))
        return sparse_refuse("indices and values, found NULL", error);
    for (int64_t k = first; e->by_column && k < before; k++) {
        int64_t row = sparse_index(e, k);
        if (row < 0 || row >= rows)
            return sparse_refuse("indices of rows that there are", error);
    }
    return SOTTO_OK;
}

/* ---- from columns to rows ---- */

/* The same entries by row: a counting sort. Values become doubles, as they do
   anyway. */
typedef struct sparse_turned {
    int64_t *start;
    uint32_t *index;
    double *value;
    size_t start_bytes, index_bytes, value_bytes;
} sparse_turned;

static void sparse_forget(sparse_turned *t)
{
    mem_unmap(t->start, t->start_bytes);
    mem_unmap(t->index, t->index_bytes);
    mem_unmap(t->value, t->value_bytes);
    *t = (sparse_turned){0};
}

static int sparse_room(sparse_turned *t, int64_t rows, int64_t entries)
{
    if (!size_multiply((size_t)rows + 2, sizeof *t->start, &t->start_bytes) ||
        !size_multiply((size_t)entries + 1, sizeof *t->index,
                       &t->index_bytes) ||
        !size_multiply((size_t)entries + 1, sizeof *t->value, &t->value_bytes))
        return 0;
    t->start = mem_map(t->start_bytes);
    t->index = mem_map(t->index_bytes);
    t->value = mem_map(t->value_bytes);
    return t->start && t->index && t->value;
}

/* During it start[i + 1] is where row i's next entry goes. */
static sotto_status sparse_turn(sparse_turned *t, sotto_sparse *e, int64_t rows,
                                sotto_error *error)
{
    int64_t first = sparse_start(e, 0), sum = 0;
    int64_t last = sparse_start(e, e->features);
    if (!sparse_room(t, rows, last - first)) {
        sparse_forget(t);
        return error_memory(error);
    }
    int64_t *next = t->start + 1;
    for (int64_t k = first; k < last; k++)
        next[sparse_index(e, k)]++;
    for (int64_t i = 0; i < rows; i++) {
        int64_t here = next[i];
        next[i] = sum;
        sum += here;
    }
    for (int64_t j = 0; j < e->features; j++)
        for (int64_t k = sparse_start(e, j); k < sparse_start(e, j + 1); k++) {
            int64_t to = next[sparse_index(e, k)]++;
            t->index[to] = (uint32_t)j;
            t->value[to] = sparse_value(e, k);
        }
    *e = (sotto_sparse){.features = e->features,
                        .start = t->start,
                        .index = t->index,
                        .values = t->value,
                        .start_type = SOTTO_I64,
                        .index_type = SOTTO_I32,
                        .value_type = SOTTO_F64};
    return SOTTO_OK;
}

/* ---- the entries of a row ---- */

static void sparse_swap(uint32_t *index, double *value, int64_t a, int64_t b)
{
    uint32_t i = index[a];
    double v = value[a];
    index[a] = index[b];
    value[a] = value[b];
    index[b] = i;
    value[b] = v;
}

static void sparse_sift(uint32_t *index, double *value, int64_t at,
                        int64_t count)
{
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && index[child + 1] > index[child])
            child++;
        if (index[at] >= index[child])
            return;
        sparse_swap(index, value, at, child);
    }
}

/* In the order of the indices: a heap sort, which needs no memory. */
static void sparse_sort(uint32_t *index, double *value, int64_t count)
{
    for (int64_t at = count / 2; at-- > 0;)
        sparse_sift(index, value, at, count);
    for (int64_t left = count; left-- > 1;) {
        sparse_swap(index, value, 0, left);
        sparse_sift(index, value, 0, left);
    }
}

static int sparse_in_order(const uint32_t *index, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        if (index[k] <= index[k - 1])
            return 0;
    return 1;
}

/* The entries of a row to the worker's, behind the `kept` of rows before; *to
   is where they end. NULL, or what was expected. */
static const char *sparse_entries(worker *w, const sotto_sparse *e, int64_t row,
                                  int64_t kept, int64_t *to)
{
    const column_plan *p = w->plan;
    int64_t end = sparse_start(e, row + 1);
    *to = kept;
    for (int64_t k = sparse_start(e, row); k < end; k++) {
        int64_t index = sparse_index(e, k);
        if (index < 0 || index >= p->features)
            return "expected indices below the number of features";
        double v = sparse_value(e, k);
        if (!isfinite(v))
            return "expected a value, found none; sparse features have no "
                   "missing values";
        v = p->low ? value_map_numbered(p, index, v) : v;
        if (!(fabs(v) <= VALUE_LARGEST))
            return "expected a number that fits a float";
        w->index[*to] = (uint32_t)index;
        w->value[(*to)++] = v;
    }
    if (sparse_in_order(w->index + kept, *to - kept))
        return NULL;
    sparse_sort(w->index + kept, w->value + kept, *to - kept);
    return sparse_in_order(w->index + kept, *to - kept)
               ? NULL
               : "expected every index at most once";
}

/* ---- rows ---- */

static int sparse_row(worker *w, const sotto_columns *c, const sotto_sparse *e,
                      int64_t i, int64_t *entries)
{
    int64_t to;
    const char *expected = NULL;
    const column *at = NULL;
    for (int64_t k = 0; k < w->plan->columns && !expected; k++)
        if (!view_value(w, &w->plan->column[k], &c->kind[k], &c->view[k], i,
                        &expected))
            at = &w->plan->column[k];
        else
            expected = NULL;
    if (!expected)
        expected = sparse_entries(w, e, i, *entries, &to);
    if (expected) {
        w->block->fault = (fault){expected, at, w->row, 0};
        return 0;
    }
    *entries = to;
    worker_row_sparse(w, to);
    return 1;
}

/* How many rows from `from` on make a piece. */
static int64_t sparse_piece(const sotto_sparse *e, int64_t from, int64_t rows)
{
    int64_t to = from + 1, first = sparse_start(e, from);
    while (to < rows && to - from < SPARSE_ROWS &&
           sparse_start(e, to + 1) - first <= SPARSE_PIECE)
        to++;
    return to - from;
}

/* Rows from `from` on, as one block; 0: out of memory, or a bad row that
   counts. */
static int sparse_block(worker *w, const sotto_columns *c,
                        const sotto_sparse *e, int64_t from, int64_t rows)
{
    int64_t kept = 0;
    size_t most =
        (size_t)(sparse_start(e, from + rows) - sparse_start(e, from)) + 1;
    w->block->lines = rows;
    w->failed |= !worker_begin_sparse(w, rows, most);
    for (int64_t i = 0; i < rows && !w->failed; i++) {
        w->row = i + 1;
        if (!sparse_row(w, c, e, from + i, &kept) &&
            !worker_bad_sparse(w, kept))
            return 0;
    }
    w->block->fault = (fault){0};
    if (!w->failed)
        worker_end_sparse(w);
    return !w->failed;
}

static sotto_status sparse_blocks(worker *w, block **first, entry_store *store,
                                  const sotto_columns *c, const sotto_sparse *e,
                                  sotto_error *error)
{
    block **next = first;
    for (int64_t from = 0, rows; from < c->rows; from += rows) {
        rows = sparse_piece(e, from, c->rows);
        w->block = *next = mem_zeroed(1, sizeof **next);
        if (!*next)
            return error_memory(error);
        next = &(*next)->next;
        if (!sparse_block(w, c, e, from, rows))
            return w->failed ? error_memory(error)
                             : memory_fault(w->plan, *first, error);
        if (!store_append(store, w))
            return error_memory(error);
    }
    return SOTTO_OK;
}

sotto_status memory_sparse(sotto_table *t, column_plan *p,
                           const sotto_columns *c, sotto_error *error)
{
    worker w;
    block *first = NULL;
    sotto_sparse e = c->sparse;
    sparse_turned turned = {0};
    entry_store store = {.element = plan_element(p)};
    sotto_status status = memory_check_views(p, c, c->rows, error);
    if (status == SOTTO_OK)
        status = sparse_check(&e, c->rows, error);
    if (status == SOTTO_OK && e.by_column)
        status = sparse_turn(&turned, &e, c->rows, error);
    int ready = worker_open(&w, p, 1);
    if (status == SOTTO_OK)
        status = ready ? sparse_blocks(&w, &first, &store, c, &e, error)
                       : error_memory(error);
    worker_close(&w);
    sparse_forget(&turned);
    if (status == SOTTO_OK)
        status = read_finish(t, p, first, &store, 0, NULL, error);
    while (first) {
        block *next = first->next;
        block_free(first);
        first = next;
    }
    store_free(&store);
    return status;
}
