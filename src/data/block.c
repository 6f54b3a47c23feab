/*
 * Filling blocks. Dense rows are gathered sixteen at a time, so that what is
 * written to a column is a whole cache line. Which rows are gathered together
 * changes no stored value: the maps treat each row on its own.
 */
#include "block.h"

#include <math.h>
#include <string.h>

int range_new(column_range **out, int64_t features)
{
    *out = mem_zeroed((size_t)features, sizeof **out);
    for (int64_t j = 0; *out && j < features; j++)
        (*out)[j] = (column_range){INFINITY, -INFINITY, 0};
    return *out != NULL;
}

static void range_add_one(column_range *range, double v)
{
    double lost = fabs(v - (double)(float)v);
    range->low = v < range->low ? v : range->low;
    range->high = v > range->high ? v : range->high;
    range->lost = lost > range->lost ? lost : range->lost;
}

/* In parts side by side, so that no value waits for the one before. */
void range_add(column_range *range, const double *values, int count)
{
    enum { PARTS = 4 };
    column_range part[PARTS];
    int r = 0;
    for (int k = 0; k < PARTS; k++)
        part[k] = *range;
    for (; r + PARTS <= count; r += PARTS)
        for (int k = 0; k < PARTS; k++)
            range_add_one(&part[k], values[r + k]);
    for (; r < count; r++)
        range_add_one(&part[0], values[r]);
    for (int k = 0; k < PARTS; k++)
        range_merge(range, &part[k], 1);
}

void range_merge(column_range *range, const column_range *other,
                 int64_t features)
{
    for (int64_t j = 0; j < features; j++) {
        column_range *a = &range[j];
        const column_range *b = &other[j];
        a->low = b->low < a->low ? b->low : a->low;
        a->high = b->high > a->high ? b->high : a->high;
        a->lost = b->lost > a->lost ? b->lost : a->lost;
    }
}

int worker_open(worker *w, const column_plan *p, int sparse)
{
    size_t gathered;
    *w = (worker){.plan = p,
                  .weight = 1,
                  .unit.is_secret = 1,
                  .scratch.is_secret = 1,
                  .plain.is_secret = 1};
    if (sparse)
        return 1;
    if (!level_open(w) ||
        !size_multiply((size_t)p->features, WORKER_ROWS, &gathered))
        return 0;
    w->x = mem_zeroed(gathered, sizeof *w->x);
    if (!w->x)
        return 0;
    /* where bad rows are dropped no remark may depend on the rows */
    return p->drop_bad || p->exact || range_new(&w->range, p->features);
}

void worker_close(worker *w)
{
    text_free(&w->scratch);
    text_free(&w->plain);
    text_free(&w->unit);
    level_close(w);
    if (w->x)
        mem_wipe(w->x, (size_t)w->plan->features * WORKER_ROWS * sizeof *w->x);
    mem_free(w->x);
    mem_free(w->range);
    mem_unmap(w->index, w->entry_room * sizeof *w->index);
    mem_unmap(w->value, w->entry_room * sizeof *w->value);
}

/* Room for target, weight and person, which dense and sparse rows have. */
static int worker_begin(worker *w, int64_t rows)
{
    block *b = w->block;
    b->room = rows;
    b->unit.is_secret = 1;
    if (w->plan->target_is != TARGET_NONE)
        b->y = mem_zeroed((size_t)rows, sizeof *b->y);
    if (w->plan->has_weight)
        b->weight = mem_zeroed((size_t)rows, sizeof *b->weight);
    if (w->plan->has_unit)
        b->unit_end = mem_zeroed((size_t)rows, sizeof *b->unit_end);
    if (w->plan->marks_bad)
        b->bad = mem_zeroed((size_t)rows, sizeof *b->bad);
    size_t texts = 0;
    b->level.is_secret = 1;
    if (w->plan->level_columns &&
        size_multiply((size_t)rows, (size_t)w->plan->level_columns, &texts))
        b->level_end = mem_zeroed(texts, sizeof *b->level_end);
    return (b->bad || !w->plan->marks_bad) &&
           (b->y || w->plan->target_is == TARGET_NONE) &&
           (b->weight || !w->plan->has_weight) &&
           (b->unit_end || !w->plan->has_unit) &&
           (b->level_end || !w->plan->level_columns);
}

int worker_begin_dense(worker *w, int64_t rows)
{
    block *b = w->block;
    size_t bytes;
    w->filled = 0;
    if (!size_multiply((size_t)rows, (size_t)w->plan->features, &bytes) ||
        !size_multiply(bytes, plan_element(w->plan), &bytes))
        return 0;
    bytes = bytes ? bytes : 1;
    b->x = mem_map(bytes);
    b->x_bytes = bytes;
    b->stride = rows;
    return b->x && worker_begin(w, rows);
}

int worker_begin_within(worker *w, int64_t rows, void *x, int64_t stride)
{
    w->filled = 0;
    w->block->x = x;
    w->block->stride = stride;
    return worker_begin(w, rows);
}

/* Room for the entries of a piece, kept from one piece to the next. */
static int worker_entries(worker *w, size_t entries)
{
    if (entries <= w->entry_room)
        return 1;
    mem_unmap(w->index, w->entry_room * sizeof *w->index);
    mem_unmap(w->value, w->entry_room * sizeof *w->value);
    w->index = mem_map(entries * sizeof *w->index);
    w->value = mem_map(entries * sizeof *w->value);
    w->entry_room = entries;
    return w->index && w->value;
}

int worker_begin_sparse(worker *w, int64_t rows, size_t entries)
{
    w->block->end = mem_zeroed((size_t)rows, sizeof *w->block->end);
    return w->block->end && worker_entries(w, entries) && worker_begin(w, rows);
}

/* ---- rows into columns ---- */

static void worker_measure_ranges(worker *w)
{
    const column_plan *p = w->plan;
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        if (c->role == COLUMN_NUMBER && !c->bounded)
            range_add(&w->range[c->feature], w->x + c->feature * WORKER_ROWS,
                      w->filled);
    }
}

static void worker_store_float(float *to, const double *from,
                               const double *sign, int count)
{
    if (count == WORKER_ROWS) /* a fixed count makes vector code */
        for (int r = 0; r < WORKER_ROWS; r++)
            to[r] = (float)(from[r] * sign[r]);
    else
        for (int r = 0; r < count; r++)
            to[r] = (float)(from[r] * sign[r]);
}

static void worker_flush(worker *w)
{
    block *b = w->block;
    int64_t row = b->rows - w->filled;
    if (w->range)
        worker_measure_ranges(w);
    if (w->plan->scaled)
        scale_dense(w->plan, w->x, w->filled);
    for (int64_t j = 0; j < w->plan->features; j++) {
        const double *from = w->x + j * WORKER_ROWS;
        int64_t at = j * b->stride + row;
        if (w->plan->is_double)
            memcpy((double *)b->x + at, from, (size_t)w->filled * sizeof *from);
        else
            worker_store_float((float *)b->x + at, from, w->sign, w->filled);
    }
    w->filled = 0;
}

/* Target, weight and person of the row that is now complete. */
static void worker_row(worker *w)
{
    block *b = w->block;
    if (b->y)
        b->y[b->rows] = w->y;
    if (b->weight)
        b->weight[b->rows] = w->weight;
    if (b->unit_end) {
        text_add(&b->unit, w->unit.data, w->unit.length);
        b->unit_end[b->rows] = b->unit.length;
        w->failed |= b->unit.failed;
    }
    level_row(w);
    b->rows++;
}

void worker_row_dense(worker *w)
{
    int folds = w->plan->target_is == TARGET_CLASSES;
    w->sign[w->filled++] = folds ? w->y : 1;
    worker_row(w);
    if (w->filled == WORKER_ROWS)
        worker_flush(w);
}

void worker_end_dense(worker *w)
{
    if (w->filled)
        worker_flush(w);
    if (w->plan->spill && !w->failed)
        w->failed = !block_spill_out(w->plan->spill, w->block);
}

void worker_row_sparse(worker *w, int64_t entries)
{
    block *b = w->block;
    int64_t before = b->rows ? b->end[b->rows - 1] : 0;
    if (w->plan->scales_rows)
        scale_sparse(w->plan, w->index + before, w->value + before,
                     entries - before);
    if (!w->plan->is_double && w->plan->target_is == TARGET_CLASSES && w->y < 0)
        for (int64_t k = before; k < entries; k++)
            w->value[k] = -w->value[k];
    b->end[b->rows] = entries;
    worker_row(w);
}

void worker_end_sparse(worker *w)
{
    block *b = w->block;
    b->entries = b->rows ? b->end[b->rows - 1] : 0;
}

/* ---- bad rows ---- */

int worker_bad_dense(worker *w)
{
    w->block->dropped += plan_counts_dropped(w->plan);
    if (!w->plan->marks_bad)
        return w->plan->drop_bad;
    for (int64_t j = 0; j < w->plan->features; j++)
        w->x[j * WORKER_ROWS + w->filled] = 0;
    w->y = 0;
    w->block->bad[w->block->rows] = 1;
    worker_row_dense(w);
    return 1;
}

int worker_bad_sparse(worker *w, int64_t entries)
{
    w->block->dropped += plan_counts_dropped(w->plan);
    if (!w->plan->marks_bad)
        return w->plan->drop_bad;
    w->y = 0;
    w->block->bad[w->block->rows] = 1;
    worker_row_sparse(w, entries);
    return 1;
}

/* ---- the store ---- */

int store_resize(entry_store *s, size_t room)
{
    uint32_t *index =
        mem_remap(s->index, s->room * sizeof *index, room * sizeof *index);
    if (!index)
        return 0;
    s->index = index;
    void *value = mem_remap(s->value, s->room * s->element, room * s->element);
    if (!value) { /* keep one length for both */
        s->index =
            mem_remap(index, room * sizeof *index, s->room * sizeof *index);
        return 0;
    }
    s->value = value;
    s->room = room;
    return 1;
}

int store_append(entry_store *s, const worker *w)
{
    size_t count = (size_t)w->block->entries;
    size_t room = s->room ? s->room : 1 << 20;
    while (room < s->count + count)
        room *= 2;
    if (room != s->room && !store_resize(s, room))
        return 0;
    memcpy(s->index + s->count, w->index, count * sizeof *w->index);
    if (w->plan->is_double)
        memcpy((double *)s->value + s->count, w->value,
               count * sizeof *w->value);
    else
        for (size_t k = 0; k < count; k++)
            ((float *)s->value)[s->count + k] = (float)w->value[k];
    s->count += count;
    return 1;
}

void store_free(entry_store *s)
{
    mem_unmap(s->index, s->room * sizeof *s->index);
    mem_unmap(s->value, s->room * s->element);
    *s = (entry_store){0};
}

void block_free(block *b)
{
    if (b->x_bytes)
        mem_unmap(b->x, b->x_bytes);
    mem_wipe(b->y, b->y ? (size_t)b->room * sizeof *b->y : 0);
    mem_wipe(b->weight, b->weight ? (size_t)b->room * sizeof *b->y : 0);
    mem_free(b->end);
    mem_free(b->y);
    mem_free(b->weight);
    mem_free(b->unit_end);
    mem_free(b->bad);
    text_free(&b->unit);
    text_free(&b->level);
    mem_free(b->level_end);
    mem_free(b);
}
