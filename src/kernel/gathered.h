/*
 * Rows that were gathered, as columns of a few of them: part of loops.c,
 * compiled for each instruction set. All in double, and each row by itself
 * until its integers are added up.
 */
#ifndef SOTTO_KERNEL_GATHERED_H
#define SOTTO_KERNEL_GATHERED_H

#include "doubles.h"

/* So many rows at once stay in registers. */
enum { DOTS_AT_ONCE = 4 };

/* Of DOTS_AT_ONCE PAIRS rows, in the order of columns. */
ROW void dots_some(const kernel_gathered *g, const double *w, int64_t from,
                   double *out)
{
    doubles sum[DOTS_AT_ONCE] = {{0}};
    const float *x = g->x + from;
    for (int64_t j = 0; j < g->columns; j++, x += g->stride)
#pragma GCC unroll 4
        for (int k = 0; k < DOTS_AT_ONCE; k++)
            sum[k] = sum[k] + doubles_of(x + k * PAIRS) * w[j];
    for (int k = 0; k < DOTS_AT_ONCE; k++)
        doubles_store(out + from + k * PAIRS, sum[k]);
}

static void dots(const kernel_gathered *g, const double *w, double *out)
{
    int64_t i = 0;
    for (; i + DOTS_AT_ONCE * PAIRS <= g->rows; i += DOTS_AT_ONCE * PAIRS)
        dots_some(g, w, i, out);
    for (; i < g->rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < g->columns; j++)
            sum = sum + (double)g->x[j * g->stride + i] * w[j];
        out[i] = sum;
    }
}

static void cuts(const kernel_gathered *g, const double *t, int64_t *out)
{
    for (int64_t j = 0; j < g->columns; j++) {
        const float *x = g->x + j * g->stride;
        half_int part = {0};
        int64_t i = 0, sum = 0;
        for (; i + PAIRS <= g->rows; i += PAIRS)
            part += __builtin_convertvector(
                doubles_load(t + i) * doubles_of(x + i), half_int);
        for (; i < g->rows; i++)
            sum += (int32_t)(t[i] * (double)x[i]);
        for (int l = 0; l < PAIRS; l++)
            sum += part[l];
        out[j] += sum;
    }
}

#endif
