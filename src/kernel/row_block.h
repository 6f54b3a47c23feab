/*
 * One block of rows, as many as a lane's 32-bit sum can hold, of dense columns
 * and of sparse ones. loops.c goes over all blocks of a table. Compiled for
 * each instruction set, like loops.c.
 */
#ifndef SOTTO_KERNEL_ROW_BLOCK_H
#define SOTTO_KERNEL_ROW_BLOCK_H

#include "row.h"

/* So many integers fit a lane's 32-bit sum: 960 2^21 < 2^31. */
enum { LOOPS_BLOCK = 960 * LANES };

/* So many at a time of what is done in parts: a multiple of 64 rows. */
enum { LOOPS_FEW = 256 / LANES };

ROW int64_t loops_less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- a block of rows, dense columns ---- */

/* One block: where its rows begin, and what is asked. `a` is NULL without
   weights, `u` where nothing moves. */
typedef struct block {
    float *restrict m;
    const float *restrict a, *restrict u, *restrict x;
    float d, factor, delta;
    int64_t count;
} block;

ROW block block_at(const kernel_rows *r, const kernel_column *moved, float d,
                   const kernel_column *asked, float factor, int64_t i)
{
    return (block){r->margin + i,
                   r->weight ? r->weight + i : NULL,
                   moved ? moved->value + i : NULL,
                   asked->value + i,
                   d,
                   factor,
                   r->delta,
                   loops_less(LOOPS_BLOCK, r->padded - i)};
}

ROW lanes block_margin(const block *b, int64_t i, int moving)
{
    lanes margin = lanes_load(b->m + i);
    if (moving) {
        margin = margin + b->d * lanes_load(b->u + i);
        lanes_store(b->m + i, margin);
    }
    return margin;
}

ROW lanes block_part(const block *b, int64_t i, lanes s, int weighted)
{
    if (weighted)
        s = lanes_load(b->a + i) * s;
    return s * (lanes_load(b->x + i) * b->factor);
}

/* Loops without a choice in them: `moving`, `kind`, `weighted` are
   constants. */
ROW void block_add(row_sum *sum, const block *b, int64_t i, int moving,
                   loss_kind kind, int weighted)
{
    lanes s = row_slope(kind, block_margin(b, i, moving), b->delta);
    row_add(sum, block_part(b, i, s, weighted));
}

ROW row_sum block_sum(const block *b, int moving, loss_kind kind, int weighted)
{
    row_sum sum = {{0}, {0}};
#pragma GCC unroll 4
    for (int64_t i = 0; i < b->count; i += LANES)
        block_add(&sum, b, i, moving, kind, weighted);
    return sum;
}

/*
 * The same where the rows are more than the caches hold. What comes 4 KiB
 * later is sent for, because the processor looks no further than a page. Of
 * one column only: fewer rows would be slower with it, and these with more
 * of it.
 */
enum { LOOPS_FAR = 1 << 18, LOOPS_AHEAD = 1024, LOOPS_PART = 64 };

ROW void send_for(const float *x)
{
    for (int64_t k = 0; k < LOOPS_PART; k += 16)
        __builtin_prefetch(x + k + LOOPS_AHEAD);
}

ROW row_sum block_sum_far(const block *b, int moving, loss_kind kind,
                          int weighted)
{
    row_sum sum = {{0}, {0}};
    for (int64_t i = 0; i < b->count; i += LOOPS_PART) {
        send_for(b->x + i);
#pragma GCC unroll 16
        for (int64_t k = i; k < i + LOOPS_PART; k += LANES)
            block_add(&sum, b, k, moving, kind, weighted);
    }
    return sum;
}

/* The same for the logistic loss, whose slope takes long: its parts one after
   another over a few rows, so that the processor always finds several rows
   to work on. `n` is a constant. */
ROW void few_logistic(row_sum *sum, const block *b, int64_t i, int n,
                      int moving, int weighted)
{
    row_pair few[LOOPS_FEW];
#pragma GCC unroll 4
    for (int k = 0; k < n; k++)
        few[k] = row_split(block_margin(b, i + k * LANES, moving));
#pragma GCC unroll 4
    for (int k = 0; k < n; k++)
        few[k].a = row_sigmoid(few[k]);
#pragma GCC unroll 4
    for (int k = 0; k < n; k++)
        row_add(sum, block_part(b, i + k * LANES, few[k].a, weighted));
}

ROW row_sum block_sum_logistic(const block *b, int moving, int weighted)
{
    row_sum sum = {{0}, {0}};
    int64_t i = 0;
    for (; i + LOOPS_FEW * LANES <= b->count; i += LOOPS_FEW * LANES)
        few_logistic(&sum, b, i, LOOPS_FEW, moving, weighted);
    for (; i < b->count; i += 64) /* what all counts are a multiple of */
        few_logistic(&sum, b, i, 64 / LANES, moving, weighted);
    return sum;
}

/* Where a NaN is about; margins have moved already. Hardly ever. (A copy of
   the block: what has its address taken is read anew in every round.) */
static __attribute__((noinline, cold)) int64_t block_any(block b,
                                                         loss_kind kind)
{
    row_sum sum = {{0}, {0}};
    for (int64_t i = 0; i < b.count; i += LANES) {
        lanes s = row_slope(kind, lanes_load(b.m + i), b.delta);
        row_add_any(&sum, block_part(&b, i, s, b.a != NULL));
    }
    return row_total(&sum, b.count / LANES);
}

ROW int64_t block_dense(const block *b, int moving, loss_kind kind,
                        int weighted, int far)
{
    /* without weights a logistic slope is neither 0 nor infinite nor NaN,
       and no value is a NaN: then no part is */
    int safe = kind == LOSS_LOGISTIC && !weighted;
    row_sum sum = kind == LOSS_LOGISTIC
                      ? block_sum_logistic(b, moving, weighted)
                  : far ? block_sum_far(b, moving, kind, weighted)
                        : block_sum(b, moving, kind, weighted);
    if (!safe && row_has_nan(&sum))
        return block_any(*b, kind);
    return row_total(&sum, b->count / LANES);
}

/* ---- a block of entries, sparse columns ---- */

ROW lanes gather(const float *from, const uint32_t *index)
{
    lanes x;
    for (int l = 0; l < LANES; l++)
        x[l] = from[index[l]];
    return x;
}

ROW int64_t block_sparse(const kernel_rows *r, const uint32_t *index,
                         const float *x, float factor, int64_t count,
                         loss_kind kind, int weighted)
{
    row_sum sum = {{0}, {0}};
    for (int64_t k = 0; k < count; k += LANES) {
        lanes s = row_slope(kind, gather(r->margin, index + k), r->delta);
        if (weighted)
            s = gather(r->weight, index + k) * s;
        row_add_any(&sum, s * (lanes_load(x + k) * factor));
    }
    return row_total(&sum, count / LANES);
}

/* What is left of a column, filled up with entries that are zero. */
typedef struct last_entries {
    uint32_t index[LANES];
    float value[LANES];
} last_entries;

static last_entries last_of(const kernel_column *c, int64_t from)
{
    last_entries last = {{0}, {0}};
    for (int l = 0; from + l < c->count; l++) {
        last.index[l] = c->index[from + l];
        last.value[l] = c->value[from + l];
    }
    return last;
}

#endif
