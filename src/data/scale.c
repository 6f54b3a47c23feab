/*
 * --undeclared rows: in each record, the features without declared bounds are
 * divided by their joint Euclidean length. This is a row-local map (see
 * row_value.h): the length is that of the record alone, so it costs no budget.
 *
 * Values are rounded to float before and after, whatever the table holds, so
 * training, prediction and the exact solver see the same bits. The square of
 * a float is exact in a double, and the sum of so many squares does not
 * overflow. The sum is taken in the order of the features, where a zero
 * changes nothing: dense and sparse rows agree.
 */
#include "block.h"

#include <math.h>

static inline double scale_square(double sum, double x)
{
    double v = (double)(float)x;
    return sum + v * v;
}

/* The result is within [-1, 1]: the sum is at least the square of each value,
   and the square root is correctly rounded. */
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
