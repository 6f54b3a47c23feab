/*
 * The loops over rows, written once and compiled for each instruction set
 * (KERNEL_LOOPS is the name of the set). Nothing here depends on the set but
 * how many rows are done at once.
 */
#include "row_block.h"

#include <stddef.h>

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
        LOSS_ALL_LIST(STEP_AS)
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
        LOSS_ALL_LIST(SLOPES_AS)
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

/* ---- numbers in double ---- */

#include "total.h"

/* ---- rows in told coordinates ---- */

#include "tiles.h"
#include "tiles_matrix.h"

/* ---- the values of a column ---- */

#include "values.h"

/* ---- rows that were gathered ---- */

#include "gathered.h"

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
                             gradient,
                             total,
                             kept_fill,
                             kept_margins,
                             kept_gradient,
                             kept_lengths,
                             kept_map,
                             kept_matrix,
                             bends,
                             kept_class_margins,
                             class_chances,
                             logistic,
                             kept_class_cut,
                             sizes,
                             mean,
                             octaves,
                             clamp,
                             dots,
                             cuts};
