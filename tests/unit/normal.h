/* The normal distribution, for tests. */
#ifndef SOTTO_TESTS_NORMAL_H
#define SOTTO_TESTS_NORMAL_H

#include <math.h>

static inline double normal_below(double x)
{
    return .5 * erfc(-x * M_SQRT1_2);
}

static inline double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        *(normal_below(middle) < p ? &low : &high) = middle;
    }
    return low;
}

#endif
