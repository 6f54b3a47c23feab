/*
 * Blocks into one table. What has been copied is given back at once, so
 * that the table and the blocks together never take much more than the
 * table alone.
 */
#include "block.h"

#include <string.h>

/* Rows of a dense column are padded with zeros to this multiple. */
enum { ASSEMBLE_ROWS = 64, ASSEMBLE_PANELS = 32 };

static void *assemble_large(size_t count, size_t size, size_t *bytes)
{
    if (!size_multiply(count, size, bytes))
        return NULL;
    return mem_map(*bytes);
}

/* ---- dense ---- */

static void assemble_columns(sotto_table *t, const block *first, size_t element,
                             int64_t from, int64_t to)
{
    for (int64_t j = from; j < to; j++) {
        char *to_column = (char *)t->x + (size_t)(j * t->stride) * element;
        for (const block *b = first; b; b = b->next) {
            size_t size = (size_t)b->rows * element;
            if (size)
                memcpy(to_column,
                       (char *)b->x + (size_t)(j * b->stride) * element, size);
            to_column += size;
        }
    }
    for (const block *b = first; b; b = b->next)
        if (b->x_bytes)
            mem_discard(b->x, (size_t)(from * b->stride) * element,
                        (size_t)(to * b->stride) * element);
}

struct assemble_job {
    sotto_table *t;
    const block *first;
    size_t element;
    int64_t panel;
    int64_t next; /* claimed by atomic addition */
};

static void assemble_work(void *context, int number)
{
    struct assemble_job *job = context;
    (void)number;
    for (;;) {
        int64_t from =
            __atomic_fetch_add(&job->next, job->panel, __ATOMIC_RELAXED);
        int64_t to = from + job->panel;
        if (from >= job->t->features)
            return;
        if (to > job->t->features)
            to = job->t->features;
        assemble_columns(job->t, job->first, job->element, from, to);
    }
}

int64_t block_stride(int64_t rows)
{
    return (rows + ASSEMBLE_ROWS - 1) / ASSEMBLE_ROWS * ASSEMBLE_ROWS;
}

/* Whether the blocks lie in one memory as their table would. */
static int assemble_is_whole(const sotto_table *t, const block *first,
                             size_t bytes, size_t element)
{
    int64_t rows = 0;
    if (!first || !bytes || first->x_bytes != bytes)
        return 0;
    for (const block *b = first; b; b = b->next) {
        if (b->stride != t->stride ||
            (char *)b->x != (char *)first->x + (size_t)rows * element)
            return 0;
        rows += b->rows;
    }
    return 1;
}

/* Then nothing is copied. */
static void assemble_take(sotto_table *t, block *first)
{
    t->x = first->x;
    t->x_bytes = first->x_bytes;
    first->x_bytes = 0;
    for (block *b = first; b; b = b->next)
        b->x = NULL;
}

static int assemble_dense(sotto_table *t, const column_plan *p, block *first)
{
    struct assemble_job job = {.t = t, .first = first};
    size_t count;
    if (p->spill && first)
        return block_spill_list(p->spill, first);
    job.element = plan_element(p);
    job.panel = t->features / ASSEMBLE_PANELS + 1;
    t->stride = block_stride(t->rows);
    if (!size_multiply((size_t)t->features, (size_t)t->stride, &count))
        return 0;
    if (count <= SIZE_MAX / job.element &&
        assemble_is_whole(t, first, count * job.element, job.element)) {
        assemble_take(t, first);
        return 1;
    }
    t->x = assemble_large(count, job.element, &t->x_bytes);
    if (!t->x)
        return 0;
    if (first)
        thread_run(p->threads, assemble_work, &job);
    return 1;
}

/* ---- sparse ---- */

/* The store, cut to its length, is the entries by row. */
static int assemble_by_row(sotto_table *t, const block *first,
                           entry_store *store)
{
    table_entries *e = &t->by_row;
    int64_t row = 0, at = 0;
    e->start =
        assemble_large((size_t)t->rows + 1, sizeof *e->start, &e->start_bytes);
    if (!e->start || !store_resize(store, store->count))
        return 0;
    e->index = store->index;
    e->index_bytes = store->count * sizeof *e->index;
    e->value = store->value;
    e->value_bytes = store->count * store->element;
    *store = (entry_store){0};
    for (const block *b = first; b; b = b->next) {
        for (int64_t i = 0; i < b->rows; i++)
            e->start[++row] = at + b->end[i];
        at += b->entries;
    }
    return 1;
}

/* Places of entries that are looked up ahead of their use, so that the
   memory they lie in can be fetched meanwhile. */
enum { ASSEMBLE_AHEAD = 64 };

/* The rows are shared out: each share has places of its own in every column. */
typedef struct assemble_shares {
    sotto_table *t;
    int is_double;
    int64_t shares, next; /* to be claimed, by atomic addition */
    int64_t *place;       /* of each share but the last: as many as columns */
    size_t place_bytes;
} assemble_shares;

/* Where the share's next entry of each column goes. For the last share it is
   start[j + 1]: at the end that is where column j + 1 starts. */
static int64_t *share_places(const assemble_shares *a, int64_t share)
{
    return share == a->shares - 1 ? a->t->by_column.start + 1
                                  : a->place + share * a->t->features;
}

/* The first row of a share: about as many entries are in each. */
static int64_t share_from(const assemble_shares *a, int64_t share)
{
    const int64_t *start = a->t->by_row.start;
    int64_t entries = start[a->t->rows], from = 0, to = a->t->rows;
    int64_t before =
        (int64_t)((double)entries * (double)share / (double)a->shares);
    if (share == a->shares)
        return to;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (start[middle] < before)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int64_t share_claim(assemble_shares *a)
{
    return __atomic_fetch_add(&a->next, 1, __ATOMIC_RELAXED);
}

static void assemble_count(void *context, int number)
{
    assemble_shares *a = context;
    const table_entries *rows = &a->t->by_row;
    const uint32_t *index = rows->index; /* so that it is not loaded again */
    (void)number;
    for (int64_t s; (s = share_claim(a)) < a->shares;) {
        int64_t *count = share_places(a, s);
        int64_t end = rows->start[share_from(a, s + 1)];
        for (int64_t k = rows->start[share_from(a, s)]; k < end; k++)
            count[index[k]]++;
    }
}

/* Counts become places: of each column, share after share. */
static void assemble_places(assemble_shares *a)
{
    int64_t sum = 0, features = a->t->features, others = a->shares - 1;
    int64_t *last = a->t->by_column.start + 1;
    for (int64_t j = 0; j < features; j++) {
        int64_t here = last[j];
        for (int64_t s = 0; s < others; s++) {
            int64_t some = a->place[s * features + j];
            a->place[s * features + j] = sum;
            sum += some;
        }
        last[j] = sum;
        sum += here;
    }
}

/* Moves the entries [from, to) of row i, at most ASSEMBLE_AHEAD of them. */
static void assemble_some(const table_entries *rows,
                          const table_entries *columns, int is_double,
                          int64_t *next, int64_t i, int64_t from, int64_t to)
{
    int64_t at[ASSEMBLE_AHEAD];
    size_t element = is_double ? sizeof(double) : sizeof(float);
    const uint32_t *feature = rows->index;
    uint32_t *index = columns->index;
    char *value = columns->value;
    for (int64_t k = from; k < to; k++) {
        int64_t place = next[feature[k]]++;
        __builtin_prefetch(&index[place], 1);
        __builtin_prefetch(value + (size_t)place * element, 1);
        at[k - from] = place;
    }
    for (int64_t k = from; k < to; k++) {
        int64_t place = at[k - from];
        index[place] = (uint32_t)i;
        if (is_double)
            ((double *)columns->value)[place] = ((double *)rows->value)[k];
        else
            ((float *)columns->value)[place] = ((float *)rows->value)[k];
    }
}

static void assemble_scatter(void *context, int number)
{
    assemble_shares *a = context;
    const int64_t *start = a->t->by_row.start;
    (void)number;
    for (int64_t s; (s = share_claim(a)) < a->shares;) {
        int64_t *next = share_places(a, s);
        int64_t end = share_from(a, s + 1);
        for (int64_t i = share_from(a, s); i < end; i++)
            for (int64_t k = start[i]; k < start[i + 1]; k += ASSEMBLE_AHEAD) {
                int64_t last = start[i + 1];
                last = last - k > ASSEMBLE_AHEAD ? k + ASSEMBLE_AHEAD : last;
                assemble_some(&a->t->by_row, &a->t->by_column, a->is_double,
                              next, i, k, last);
            }
    }
}

/* The entries by column: a counting sort, stable, so that each column's rows
   come in order. Places of shares are not more than there are entries. */
static int assemble_sorted(sotto_table *t, int is_double, int threads)
{
    assemble_shares a = {.t = t, .is_double = is_double, .shares = threads};
    int64_t most = t->by_row.start[t->rows] / (t->features + 1);
    a.shares = a.shares > most ? most : a.shares;
    a.shares = a.shares < 1 ? 1 : a.shares;
    a.place = assemble_large((size_t)((a.shares - 1) * t->features),
                             sizeof *a.place, &a.place_bytes);
    if (!a.place)
        return 0;
    thread_run((int)a.shares, assemble_count, &a);
    assemble_places(&a);
    a.next = 0;
    thread_run((int)a.shares, assemble_scatter, &a);
    mem_unmap(a.place, a.place_bytes);
    return 1;
}

int block_by_column(sotto_table *t, int is_double, int threads)
{
    table_entries *e = &t->by_column;
    size_t count = (size_t)t->by_row.start[t->rows];
    e->start = assemble_large((size_t)t->features + 1, sizeof *e->start,
                              &e->start_bytes);
    e->index = assemble_large(count, sizeof *e->index, &e->index_bytes);
    e->value = assemble_large(count, is_double ? sizeof(double) : sizeof(float),
                              &e->value_bytes);
    if (!e->start || !e->index || !e->value)
        return 0;
    return assemble_sorted(t, is_double, threads);
}

static int assemble_sparse(sotto_table *t, const column_plan *p,
                           const block *first, entry_store *store)
{
    if (!assemble_by_row(t, first, store))
        return 0;
    return p->rows_only || block_by_column(t, p->is_double, p->threads);
}

/* ---- target, weights, persons ---- */

static int assemble_vector(double **out, const block *first, int64_t rows,
                           int is_weight)
{
    int64_t at = 0;
    *out = mem_zeroed((size_t)rows, sizeof **out);
    for (const block *b = first; *out && b; b = b->next) {
        const double *from = is_weight ? b->weight : b->y;
        if (b->rows)
            memcpy(*out + at, from, (size_t)b->rows * sizeof *from);
        at += b->rows;
    }
    return *out != NULL;
}

static sotto_status assemble_units(sotto_table *t, const block *first,
                                   sotto_error *error)
{
    t->unit = mem_zeroed((size_t)t->rows, sizeof *t->unit);
    if (!t->unit)
        return error_memory(error);
    return unit_number(t->unit, first, error);
}

/* The texts of the ids, which few need. */
static sotto_status assemble_ids(sotto_table *t, const block *first,
                                 sotto_error *error)
{
    size_t size = 0, at = 0;
    int64_t row = 0;
    for (const block *b = first; b; b = b->next)
        size += b->unit.length;
    t->ids = mem_zeroed(size + 1, 1);
    t->id_end = mem_zeroed((size_t)t->rows + 1, sizeof *t->id_end);
    if (!t->ids || !t->id_end)
        return error_memory(error);
    for (const block *b = first; b; b = b->next) {
        if (b->unit.length)
            memcpy(t->ids + at, b->unit.data, b->unit.length);
        for (int64_t i = 0; i < b->rows; i++)
            t->id_end[row++] = at + b->unit_end[i];
        at += b->unit.length;
    }
    return SOTTO_OK;
}

static int assemble_bad(sotto_table *t, const block *first)
{
    int64_t at = 0;
    t->bad = mem_zeroed((size_t)t->rows, sizeof *t->bad);
    for (const block *b = first; t->bad && b; b = b->next) {
        if (b->rows)
            memcpy(t->bad + at, b->bad, (size_t)b->rows);
        at += b->rows;
    }
    return t->bad != NULL;
}

sotto_status block_assemble(sotto_table *t, const column_plan *p, block *first,
                            entry_store *store, sotto_error *error)
{
    t->rows = 0;
    for (const block *b = first; b; b = b->next)
        t->rows += b->rows;
    if (t->sparse && t->rows > UINT32_MAX)
        return error_set(error, SOTTO_FAILED,
                         "%s: a sparse table holds at most 2^32 - 1 rows",
                         show_name(p->file).text);
    if (!(t->sparse ? assemble_sparse(t, p, first, store)
                    : assemble_dense(t, p, first)))
        return error_memory(error);
    if (p->target_is != TARGET_NONE &&
        !assemble_vector(&t->y, first, t->rows, 0))
        return error_memory(error);
    if (p->marks_bad && !assemble_bad(t, first))
        return error_memory(error);
    if (p->has_weight && !assemble_vector(&t->weight, first, t->rows, 1))
        return error_memory(error);
    sotto_status status =
        p->has_unit ? assemble_units(t, first, error) : SOTTO_OK;
    if (status == SOTTO_OK && p->level_columns)
        status = level_assemble(t, p, first, error);
    return status == SOTTO_OK && p->has_unit && p->keeps_ids
               ? assemble_ids(t, first, error)
               : status;
}
