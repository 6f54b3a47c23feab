/*
 * The kernel's step without what privacy adds, compiled as the kernel is.
 * The sum is one of floats, in the order that suits the processor.
 */
#include "../src/kernel/row.h"
#include "rival.h"

enum { BLOCK = 960 * LANES };

ROW lanes plain_moved(float *m, const float *u, float d)
{
    lanes margin = lanes_load(m) + d * lanes_load(u);
    lanes_store(m, margin);
    return margin;
}

/* In parts, as the kernel does it, over as many rows as suits it best: with
   the 256 of the kernel it is slower. */
ROW lanes plain_logistic(float *restrict m, const float *restrict u, float d,
                         const float *restrict x, int64_t count)
{
    enum { FEW = 128 / LANES };
    lanes sum = {0};
    row_pair few[FEW];
    for (int64_t i = 0; i < count; i += FEW * LANES) {
        int64_t left = (count - i) / LANES, n = left < FEW ? left : FEW;
#pragma GCC unroll 4
        for (int64_t k = 0; k < n; k++)
            few[k] =
                row_split(plain_moved(m + i + k * LANES, u + i + k * LANES, d));
#pragma GCC unroll 4
        for (int64_t k = 0; k < n; k++)
            few[k].a = row_sigmoid(few[k]);
#pragma GCC unroll 4
        for (int64_t k = 0; k < n; k++)
            sum += few[k].a * lanes_load(x + i + k * LANES);
    }
    return sum;
}

ROW lanes plain_squared(float *restrict m, const float *restrict u, float d,
                        const float *restrict x, int64_t count)
{
    lanes sum = {0};
#pragma GCC unroll 4
    for (int64_t i = 0; i < count; i += LANES)
        sum += plain_moved(m + i, u + i, d) * lanes_load(x + i);
    return sum;
}

ROW double plain_block(float *restrict m, const float *restrict u, float d,
                       const float *restrict x, int64_t count, loss_kind kind)
{
    lanes sum = kind == LOSS_LOGISTIC ? plain_logistic(m, u, d, x, count)
                                      : plain_squared(m, u, d, x, count);
    double total = 0;
    for (int l = 0; l < LANES; l++)
        total += (double)sum[l];
    return total;
}

ROW double plain_all(const kernel_rows *r, const float *u, float d,
                     const float *x, loss_kind kind)
{
    double sum = 0;
    for (int64_t i = 0; i < r->padded; i += BLOCK) {
        int64_t left = r->padded - i;
        sum += plain_block(r->margin + i, u + i, d, x + i,
                           left < BLOCK ? left : BLOCK, kind);
    }
    return sum;
}

double rival_plain(const kernel_rows *r, const kernel_column *moved, float d,
                   const kernel_column *asked)
{
    return r->loss == LOSS_LOGISTIC
               ? plain_all(r, moved->value, d, asked->value, LOSS_LOGISTIC)
               : plain_all(r, moved->value, d, asked->value, LOSS_SQUARED);
}
