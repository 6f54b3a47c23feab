/*
 * The whole gradient: part of loops.c, compiled for each instruction set. A
 * block of rows at a time, so that its columns are still in the cache when
 * they are walked through again: margins, slopes, factors, integers.
 */
#ifndef SOTTO_KERNEL_BALL_H
#define SOTTO_KERNEL_BALL_H

#include "row.h"

/* Rows of a block: so many that one lane's sum fits 32 bits, and so few that
   the block's values fit a cache. */
enum { BALL_MOST = 1024, BALL_LEAST = 128, BALL_VALUES = 1 << 16 };

ROW int64_t ball_rows(const kernel_ball *b)
{
    int64_t rows = BALL_VALUES / (b->columns + 1) / 64 * 64;
    return rows < BALL_LEAST ? BALL_LEAST : rows > BALL_MOST ? BALL_MOST : rows;
}

/* Where the entries of row i are, which may be another row of the table. */
ROW const int64_t *ball_entries(const kernel_ball *b, int64_t i)
{
    return b->start + (b->row ? (int64_t)b->row[i] : i);
}

/*
 * Where the rows are more than the caches hold, the values of the next block
 * are sent for while this one is worked on: half of the columns while margins
 * are made, and the other half while integers are. They come no nearer than the
 * second cache, because the first has too few places for what is on its way.
 */
enum { BALL_FAR = 1 << 21 }; /* values */

ROW int ball_is_far(const kernel_rows *r, const kernel_ball *b)
{
    return r->padded * b->columns >= BALL_FAR;
}

/* Of one column, from its rows i on. `far` is a constant. */
ROW void ball_send_for(const kernel_ball *b, const float *x, int64_t i, int far)
{
    if (far && i % 16 == 0)
        __builtin_prefetch(x + i + ball_rows(b), 0, 2);
}

/* ---- margins ---- */

/* Four columns at once, each added in its turn. */
ROW void ball_move_four(const kernel_ball *b, int64_t j, int64_t from,
                        int64_t count, float *restrict m, int far)
{
    const float *restrict x0 = b->value[j] + from;
    const float *restrict x1 = b->value[j + 1] + from;
    const float *restrict x2 = b->value[j + 2] + from;
    const float *restrict x3 = b->value[j + 3] + from;
    const float *w = b->at + j;
    for (int64_t i = 0; i < count; i += LANES) {
        ball_send_for(b, x0, i, far);
        ball_send_for(b, x2, i, far);
        lanes margin = lanes_load(m + i) + w[0] * lanes_load(x0 + i);
        margin = margin + w[1] * lanes_load(x1 + i);
        margin = margin + w[2] * lanes_load(x2 + i);
        lanes_store(m + i, margin + w[3] * lanes_load(x3 + i));
    }
}

ROW void ball_move_one(const kernel_ball *b, int64_t j, int64_t from,
                       int64_t count, float *restrict m)
{
    const float *restrict x = b->value[j] + from;
    float w = b->at[j];
    for (int64_t i = 0; i < count; i += LANES)
        lanes_store(m + i, lanes_load(m + i) + w * lanes_load(x + i));
}

ROW void ball_move_dense(const kernel_ball *b, int64_t from, int64_t count,
                         float *m, int far)
{
    int64_t j = 0;
    for (int64_t i = 0; i < count; i += LANES)
        lanes_store(m + i, lanes_load(b->origin + from + i));
    for (; j + 4 <= b->columns; j += 4)
        ball_move_four(b, j, from, count, m, far);
    for (; j < b->columns; j++)
        ball_move_one(b, j, from, count, m);
}

static void ball_move_sparse(const kernel_ball *b, int64_t from, int64_t count,
                             float *m)
{
    for (int64_t i = from; i < from + count; i++) {
        float margin = b->origin[i];
        const int64_t *start = ball_entries(b, i);
        for (int64_t k = start[0]; k < start[1]; k++)
            margin = margin + b->at[b->index[k]] * b->entry[k];
        if (b->ones)
            margin = margin + b->at[b->columns - 1] * b->ones[i];
        m[i - from] = margin;
    }
}

/* Rows in [from, from + count); entries end with the last row. */
static void ball_move(const kernel_rows *r, const kernel_ball *b, int64_t from,
                      int64_t count)
{
    if (b->value && ball_is_far(r, b))
        ball_move_dense(b, from, count, r->margin + from, 1);
    else if (b->value)
        ball_move_dense(b, from, count, r->margin + from, 0);
    else
        ball_move_sparse(b, from, loops_less(count, r->rows - from),
                         r->margin + from);
}

static void move(const kernel_rows *r, const kernel_ball *b, int64_t from,
                 int64_t to)
{
    int64_t rows = ball_rows(b);
    for (int64_t i = from; b->at && i < to; i += rows)
        ball_move(r, b, i, loops_less(rows, to - i));
}

/* ---- factors ---- */

/* Slopes become factors. Whether there is a row without reach: then a value
   may be infinite, and times 0 it is no number. */
static int ball_factors(const kernel_ball *b, int64_t from, int64_t count,
                        float *restrict t)
{
    const float *restrict reach = b->reach + from;
    lanes_int none = {0};
    for (int64_t i = 0; i < count; i += LANES) {
        lanes u = lanes_load(reach + i), v = lanes_load(t + i) * b->factor;
        v = (lanes)((lanes_int)v & (v == v));
        v = lanes_max(lanes_min(v, u), -u);
        none |= u == 0;
        lanes_store(t + i, v);
    }
    int any = 0;
    for (int l = 0; l < LANES; l++)
        any |= none[l];
    return any;
}

/* ---- integers ---- */

ROW int64_t ball_total(lanes_int sum)
{
    int64_t total = 0;
    for (int l = 0; l < LANES; l++)
        total += sum[l];
    return total;
}

ROW lanes_int ball_cut(lanes t, const float *x, float scale, int any)
{
    lanes v = t * (lanes_load(x) * scale);
    if (any)
        v = (lanes)((lanes_int)v & (v == v));
    return __builtin_convertvector(v, lanes_int);
}

/* Two columns at once, which share the factors. */
ROW void ball_sum_two(const kernel_ball *b, int64_t j, int64_t from,
                      int64_t count, const float *t, int any, int far,
                      int64_t *out)
{
    const float *restrict x = b->value[j] + from;
    const float *restrict y = b->value[j + 1] + from;
    float scale = b->scale[j], other = b->scale[j + 1];
    lanes_int sum = {0}, sums = {0};
    for (int64_t i = 0; i < count; i += LANES) {
        lanes factor = lanes_load(t + i);
        ball_send_for(b, y, i, far);
        sum += ball_cut(factor, x + i, scale, any);
        sums += ball_cut(factor, y + i, other, any);
    }
    out[j] += ball_total(sum);
    out[j + 1] += ball_total(sums);
}

ROW void ball_sum_one(const kernel_ball *b, int64_t j, int64_t from,
                      int64_t count, const float *t, int any, int64_t *out)
{
    const float *restrict x = b->value[j] + from;
    lanes_int sum = {0};
    for (int64_t i = 0; i < count; i += LANES)
        sum += ball_cut(lanes_load(t + i), x + i, b->scale[j], any);
    out[j] += ball_total(sum);
}

ROW void ball_sum_dense(const kernel_ball *b, int64_t from, int64_t count,
                        const float *t, int any, int far, int64_t *out)
{
    int64_t j = 0;
    for (; j + 2 <= b->columns; j += 2)
        ball_sum_two(b, j, from, count, t, any, far, out);
    for (; j < b->columns; j++)
        ball_sum_one(b, j, from, count, t, any, out);
}

/* A factor of 0 makes integers 0, whatever the values are; any other has
   finite ones. */
static void ball_sum_sparse(const kernel_ball *b, int64_t from, int64_t count,
                            const float *t, int64_t *out)
{
    for (int64_t i = from; i < from + count; i++) {
        float factor = t[i - from];
        if (factor == 0)
            continue;
        const int64_t *start = ball_entries(b, i);
        for (int64_t k = start[0]; k < start[1]; k++) {
            uint32_t j = b->index[k];
            out[j] += (int32_t)(factor * (b->entry[k] * b->scale[j]));
        }
        if (b->ones) {
            int64_t j = b->columns - 1;
            out[j] += (int32_t)(factor * (b->ones[i] * b->scale[j]));
        }
    }
}

/* ---- a block, and all ---- */

/* Slopes less those at the anchor. The margins are w's at the end. */
static void ball_differences(const kernel_rows *r, const kernel_rows *part,
                             const kernel_ball *b, int64_t from, int64_t count,
                             float *restrict t)
{
    float there[BALL_MOST] __attribute__((aligned(64)));
    kernel_ball anchor = *b;
    anchor.at = b->anchor;
    ball_move(r, &anchor, from, count);
    slopes(part, there);
    ball_move(r, b, from, count);
    slopes(part, t);
    for (int64_t i = 0; i < count; i += LANES)
        lanes_store(t + i, lanes_load(t + i) - lanes_load(there + i));
}

static void ball_block(const kernel_rows *r, const kernel_ball *b, int64_t from,
                       int64_t count, int64_t *out)
{
    float t[BALL_MOST] __attribute__((aligned(64)));
    kernel_rows part = *r;
    part.padded = count;
    part.margin += from;
    part.weight = r->weight ? r->weight + from : NULL;
    if (b->anchor)
        ball_differences(r, &part, b, from, count, t);
    else {
        if (b->at)
            ball_move(r, b, from, count);
        slopes(&part, t);
    }
    int any = ball_factors(b, from, count, t);
    if (!b->value)
        ball_sum_sparse(b, from, loops_less(count, r->rows - from), t, out);
    else if (any)
        ball_sum_dense(b, from, count, t, 1, 0, out);
    else if (ball_is_far(r, b))
        ball_sum_dense(b, from, count, t, 0, 1, out);
    else
        ball_sum_dense(b, from, count, t, 0, 0, out);
}

static void gradient(const kernel_rows *r, const kernel_ball *b, int64_t from,
                     int64_t to, int64_t *out)
{
    int64_t rows = ball_rows(b);
    for (int64_t i = from; i < to; i += rows)
        ball_block(r, b, i, loops_less(rows, to - i), out);
}

#endif
