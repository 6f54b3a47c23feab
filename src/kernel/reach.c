/*
 * How far a record's factor may go, so that its whole gradient stays within
 * the ball. Needed once for given scales: one source for every instruction
 * set, in double.
 */
#include "kernel.h"

#include <float.h>
#include <math.h>

enum { REACH_ROWS = 256 };

static void add_square(double *sum, float value, float scale)
{
    float z = value * scale; /* the very number that the integers are made of */
    *sum += (double)z * (double)z;
}

static void reach_dense(const kernel_ball *b, int64_t from, int64_t count,
                        double *sum)
{
    for (int64_t j = 0; j < b->columns; j++)
        for (int64_t i = 0; i < count; i++)
            add_square(&sum[i], b->value[j][from + i], b->scale[j]);
}

static void reach_sparse(const kernel_ball *b, int64_t from, int64_t count,
                         double *sum)
{
    for (int64_t i = from; i < from + count; i++) {
        for (int64_t k = b->start[i]; k < b->start[i + 1]; k++)
            add_square(&sum[i - from], b->entry[k], b->scale[b->index[k]]);
        if (b->ones)
            add_square(&sum[i - from], b->ones[i], b->scale[b->columns - 1]);
    }
}

/* 0 where the square is infinite; no number there cannot be. */
static float reach_of(double square)
{
    double reach = KERNEL_CLIP * (1 - 0x1p-20) / sqrt(square);
    return reach < (double)FLT_MAX ? (float)reach : FLT_MAX;
}

void kernel_reach(const kernel_rows *r, const kernel_ball *b, int64_t begin,
                  int64_t end, float *out)
{
    for (int64_t from = begin; from < end; from += REACH_ROWS) {
        double sum[REACH_ROWS] = {0};
        int64_t rows = end - from < REACH_ROWS ? end - from : REACH_ROWS;
        if (b->value)
            reach_dense(b, from, rows, sum);
        else /* entries end with the last row */
            reach_sparse(b, from, r->rows - from < rows ? r->rows - from : rows,
                         sum);
        for (int64_t i = 0; i < rows; i++)
            out[from + i] = reach_of(sum[i]);
    }
}
