/*
 * Rows of one length: in each record the features that nobody declared bounds
 * for are divided by their common Euclidean length. A map of one row, so no
 * bound has to be bought.
 *
 * It begins and ends with floats whatever the table is made of, so training,
 * prediction and the exact solver see the same bits. The square of a float is
 * exact in a double, neither too large nor too small for it, and so many of
 * them do not overflow; the sum goes in the order of the features, where a
 * zero changes nothing: dense and sparse rows agree.
 */
#include "block.h"

#include <math.h>

static inline double scale_square(double sum, double x)
{
    double v = (double)(float)x;
    return sum + v * v;
}

/* The root is correctly rounded and the sum is at least the square of each:
   the result is within [-1, 1]. */
static inline double scale_value(double x, double length)
{
    return length > 0 ? (double)(float)((double)(float)x / length) : 0;
}

void scale_dense(const column_plan *p, double *x, int rows)
{
    double length[WORKER_ROWS] = {0};
    for (int64_t j = 0; j < p->features; j++)
        for (int r = 0; p->scaled[j] && r < rows; r++)
            length[r] = scale_square(length[r], x[j * WORKER_ROWS + r]);
    for (int r = 0; r < rows; r++)
        length[r] = sqrt(length[r]);
    for (int64_t j = 0; j < p->features; j++)
        for (int r = 0; p->scaled[j] && r < rows; r++)
            x[j * WORKER_ROWS + r] =
                scale_value(x[j * WORKER_ROWS + r], length[r]);
}

static inline int scale_has_bounds(const column_plan *p, uint32_t j)
{
    return p->low && isfinite(p->low[j]);
}

void scale_sparse(const column_plan *p, const uint32_t *index, double *value,
                  int64_t entries)
{
    double length = 0;
    for (int64_t k = 0; k < entries; k++)
        if (!scale_has_bounds(p, index[k]))
            length = scale_square(length, value[k]);
    length = sqrt(length);
    for (int64_t k = 0; k < entries; k++)
        if (!scale_has_bounds(p, index[k]))
            value[k] = scale_value(value[k], length);
}
