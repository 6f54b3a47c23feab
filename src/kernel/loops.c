/*
 * The loops over rows, written once and compiled for each instruction set
 * (KERNEL_LOOPS is the name of the set). Nothing here depends on the set but
 * how many rows are done at once.
 */
#include "row.h"

#include <stddef.h>

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

/* ---- all rows ---- */

ROW int64_t all_dense(const kernel_rows *r, const kernel_column *moved, float d,
                      const kernel_column *asked, float factor, int moving,
                      loss_kind kind, int weighted)
{
    int64_t sum = 0;
    int far = r->padded >= LOOPS_FAR;
    for (int64_t i = 0; i < r->padded; i += LOOPS_BLOCK) {
        block b = block_at(r, moved, d, asked, factor, i);
        sum += block_dense(&b, moving, kind, weighted, far);
    }
    return sum;
}

ROW int64_t all_sparse(const kernel_rows *r, const kernel_column *asked,
                       float factor, loss_kind kind, int weighted)
{
    int64_t sum = 0, whole = asked->count / LANES * LANES;
    for (int64_t k = 0; k < whole; k += LOOPS_BLOCK)
        sum += block_sparse(r, asked->index + k, asked->value + k, factor,
                            loops_less(LOOPS_BLOCK, whole - k), kind, weighted);
    if (whole == asked->count)
        return sum;
    last_entries last = last_of(asked, whole);
    return sum + block_sparse(r, last.index, last.value, factor, LANES, kind,
                              weighted);
}

static void all_move(const kernel_rows *r, const kernel_column *moved, float d)
{
    float *restrict m = r->margin;
    const float *restrict u = moved->value;
    const uint32_t *restrict index = moved->index;
    if (index)
        for (int64_t k = 0; k < moved->count; k++)
            m[index[k]] = m[index[k]] + d * u[k];
    else
        for (int64_t i = 0; i < r->padded; i += LANES)
            lanes_store(m + i, lanes_load(m + i) + d * lanes_load(u + i));
}

/* ---- by loss ---- */

ROW int64_t step_as(const kernel_rows *r, const kernel_column *moved, float d,
                    const kernel_column *asked, float factor, loss_kind kind,
                    int weighted)
{
    if (moved && asked && !moved->index && !asked->index)
        return all_dense(r, moved, d, asked, factor, 1, kind, weighted);
    if (moved)
        all_move(r, moved, d);
    if (!asked)
        return 0;
    return asked->index
               ? all_sparse(r, asked, factor, kind, weighted)
               : all_dense(r, NULL, 0, asked, factor, 0, kind, weighted);
}

#define STEP_AS(id, ...)                                                       \
    case LOSS_##id:                                                            \
        return r->weight ? step_as(r, moved, d, asked, factor, LOSS_##id, 1)   \
                         : step_as(r, moved, d, asked, factor, LOSS_##id, 0);

static int64_t step(const kernel_rows *r, const kernel_column *moved, float d,
                    const kernel_column *asked, float factor)
{
    switch (r->loss) {
        LOSS_LIST(STEP_AS)
    }
    return 0;
}

/* ---- slopes by themselves ---- */

ROW void slopes_as(const kernel_rows *r, float *restrict out, loss_kind kind)
{
    const float *restrict m = r->margin, *restrict a = r->weight;
    for (int64_t i = 0; i < r->padded; i += LANES) {
        lanes s = row_slope(kind, lanes_load(m + i), r->delta);
        lanes_store(out + i, a ? lanes_load(a + i) * s : s);
    }
}

#define SLOPES_AS(id, ...)                                                     \
    case LOSS_##id:                                                            \
        slopes_as(r, out, LOSS_##id);                                          \
        break;

static void slopes(const kernel_rows *r, float *out)
{
    switch (r->loss) {
        LOSS_LIST(SLOPES_AS)
    }
}

/* Of some rows: what they are is gathered, and then they are rows like any. */
static void slopes_at(const kernel_rows *r, const uint32_t *row, int64_t count,
                      float *out)
{
    enum { FEW = 256 };
    float margin[FEW] = {0}, weight[FEW] = {0}, slope[FEW];
    kernel_rows some = *r;
    some.margin = margin;
    some.weight = r->weight ? weight : NULL;
    for (int64_t from = 0; from < count; from += FEW) {
        int64_t n = loops_less(FEW, count - from);
        some.padded = (n + LANES - 1) / LANES * LANES;
        for (int64_t k = 0; k < n; k++) {
            margin[k] = r->margin[row[from + k]];
            weight[k] = r->weight ? r->weight[row[from + k]] : 0;
        }
        slopes(&some, slope);
        for (int64_t k = 0; k < n; k++)
            out[from + k] = slope[k];
    }
}

/* ---- sums at given slopes ---- */

/* Short columns are many: what is left of a column goes one by one. */
static int64_t sum_sparse(const float *slope, const kernel_column *asked,
                          float factor)
{
    int64_t sum = 0, k = 0, whole = asked->count / LANES * LANES;
    while (k < whole) {
        row_sum part = {{0}, {0}};
        int64_t from = k, to = loops_less(k + LOOPS_BLOCK, whole);
        for (; k < to; k += LANES)
            row_add_any(&part, gather(slope, asked->index + k) *
                                   (lanes_load(asked->value + k) * factor));
        sum += row_total(&part, (to - from) / LANES);
    }
    for (; k < asked->count; k++)
        sum += one_integer(slope[asked->index[k]] * (asked->value[k] * factor));
    return sum;
}

/* The whole gradient reads column after column once: what comes 4 KiB later
   is often the next column. */
ROW row_sum sum_block(const float *slope, const float *x, float factor,
                      int64_t count, int any)
{
    row_sum sum = {{0}, {0}};
    for (int64_t i = 0; i < count; i += LOOPS_PART) {
        send_for(x + i);
#pragma GCC unroll 16
        for (int64_t k = 0; k < LOOPS_PART; k += LANES) {
            lanes part =
                lanes_load(slope + i + k) * (lanes_load(x + i + k) * factor);
            if (any)
                row_add_any(&sum, part);
            else
                row_add(&sum, part);
        }
    }
    return sum;
}

static int64_t sum_dense(const float *slope, int64_t padded, const float *x,
                         float factor)
{
    int64_t total = 0;
    for (int64_t i = 0; i < padded; i += LOOPS_BLOCK) {
        int64_t count = loops_less(LOOPS_BLOCK, padded - i);
        row_sum sum = sum_block(slope + i, x + i, factor, count, 0);
        if (row_has_nan(&sum))
            sum = sum_block(slope + i, x + i, factor, count, 1);
        total += row_total(&sum, count / LANES);
    }
    return total;
}

static int64_t sum(const float *slope, int64_t padded,
                   const kernel_column *asked, float factor)
{
    return asked->index ? sum_sparse(slope, asked, factor)
                        : sum_dense(slope, padded, asked->value, factor);
}

/* ---- a row whose slope has changed ---- */

ROW lanes_int change_of(lanes part, float before, float after)
{
    return row_integer(after * part) - row_integer(before * part);
}

static void changes(const float *part, int64_t count, float before, float after,
                    int32_t *out)
{
    typedef lanes_int lanes_out __attribute__((aligned(4), may_alias));
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        *(lanes_out *)(out + k) =
            change_of(lanes_load(part + k), before, after);
    for (; k < count; k++)
        out[k] = one_integer(after * part[k]) - one_integer(before * part[k]);
}

/* ---- the whole gradient ---- */

#include "ball.h"

#define LOOPS_TEXT(name) LOOPS_TEXT_(name)
#define LOOPS_TEXT_(name) #name

extern const kernel KERNEL_LOOPS;
const kernel KERNEL_LOOPS = {&LOOPS_TEXT(KERNEL_LOOPS)[sizeof "kernel_" - 1],
                             step,
                             slopes,
                             slopes_at,
                             sum,
                             changes,
                             move,
                             gradient};
