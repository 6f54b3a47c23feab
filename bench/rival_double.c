/*
 * Coordinate descent as one writes it in C without a thought for speed.
 */
#include "rival.h"

#include <math.h>

static double soft(double v, double by)
{
    return v > by ? v - by : v < -by ? v + by : 0;
}

static double clipped(double v, double clip)
{
    return v > clip ? clip : v < -clip ? -clip : v;
}

/* Not noise that protects anybody: a rival's draw costs nothing here. */
static double draw(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (double)state * 0x1p-31 - 1;
}

void rival_double(const rival_problem *p, double *margin, double *weight)
{
    for (int64_t j = 0; j < p->columns; j++) {
        const double *x = p->x + j * p->stride, *y = p->y;
        double sum = 0, before = weight[j];
        for (int64_t i = 0; i < p->rows; i++) {
            double slope = p->logistic ? -y[i] / (1 + exp(y[i] * margin[i]))
                                       : margin[i] - y[i];
            sum += clipped(slope * x[i], p->clip);
        }
        double g = (sum + p->sigma * draw()) / (double)p->rows;
        weight[j] = soft(before - p->step * g, p->step * p->l1);
        for (int64_t i = 0; i < p->rows; i++)
            margin[i] += (weight[j] - before) * x[i];
    }
}
