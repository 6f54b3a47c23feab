/*
 * Loops over numbers in double: part of loops.c, compiled for each instruction
 * set. Each number is made by the same IEEE operations whatever the set.
 */
#ifndef SOTTO_KERNEL_TOTAL_H
#define SOTTO_KERNEL_TOTAL_H

#include "row.h"

/* ---- a sum of integers ---- */

static int64_t total(const double *part, int64_t count)
{
    enum { AT_ONCE = 64 };
    float v[AT_ONCE];
    int64_t sum = 0;
    for (int64_t from = 0; from < count; from += AT_ONCE) {
        row_sum some = {{0}, {0}};
        int64_t n = loops_less(AT_ONCE, count - from), k = 0;
        for (int64_t i = 0; i < n; i++)
            v[i] = (float)(part[from + i] * KERNEL_CLIP);
        for (; k + LANES <= n; k += LANES)
            row_add_any(&some, lanes_load(v + k));
        sum += row_total(&some, k / LANES);
        for (; k < n; k++)
            sum += one_integer(v[k]);
    }
    return sum;
}

#endif
