/*
 * The logistic loss, softmax and slopes without the mathematical library, whose
 * last bits differ from machine to machine. With an insecure seed a private
 * model has the same bits everywhere, so the curator uses these.
 */
#include "loss.h"

#include <math.h>

/* 2^-n, n from 0 to 1022. */
static double half_power(int n)
{
    union {
        uint64_t bits;
        double value;
    } out = {(uint64_t)(1023 - n) << 52};
    return out.value;
}

/* exp(x) for x <= 0, of sums and products alone: the same bits anywhere. */
static double exp_below(double x)
{
    static const double part[] = {
        1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
        1. / 5040,     1. / 720,     1. / 120,    1. / 24,
        1. / 6,        1. / 2,       1,           1};
    if (!(x > -700))
        return 0;
    double shifted = x * 0x1.71547652b82fep0 + 0x1.8p52, p = 1. / 479001600;
    double n = shifted - 0x1.8p52;
    double r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
    for (int i = 0; i < 12; i++)
        p = p * r + part[i];
    return p * half_power((int)-n);
}

double loss_portable_sigmoid(double m)
{
    double e = exp_below(m > 0 ? -m : m);
    return m > 0 ? e / (1 + e) : 1 / (1 + e);
}

/*
 * log(1 + e^-z), of plain arithmetic, so that it is the same on every
 * machine: e^-|z| = 2^-n e^-r by its series, and the logarithm of 1 + e as
 * 2 atanh(e / (2 + e)).
 */
double loss_portable_logistic(double z)
{
    static const double inverse[] = {
        0,      1,      1. / 2,  1. / 3,  1. / 4,  1. / 5,  1. / 6, 1. / 7,
        1. / 8, 1. / 9, 1. / 10, 1. / 11, 1. / 12, 1. / 13, 1. / 14};
    double size = fabs(z), tail = size < 60 ? size : 60; /* so is a NaN */
    int whole = (int)(tail * 0x1.71547652b82fep+0);
    double r = tail - whole * 0x1.62e42fefa39efp-1; /* from 0 to log 2 */
    double e = 1;
    for (int k = 14; k > 0; k--)
        e = 1 - (r * inverse[k]) * e;
    e *= half_power(whole);
    double u = e / (2 + e), square = u * u, sum = 0;
    for (int k = 21; k > 0; k -= 2)
        sum = sum * square + 1. / k;
    return 2 * u * sum + (z < 0 ? size : 0);
}

/* log x for x from 1 on: of the exponent, and 2 atanh of what is left. */
static double log_above(double x)
{
    int whole;
    double part = frexp(x, &whole); /* from 1/2 to 1 */
    if (part < 0x1.6a09e667f3bcdp-1) {
        part *= 2;
        whole--;
    }
    double u = (part - 1) / (part + 1), square = u * u, sum = 0;
    for (int k = 23; k > 0; k -= 2)
        sum = sum * square + 1. / k;
    return 2 * u * sum + whole * 0x1.62e42fefa39efp-1;
}

double loss_portable_softmax(const double *margin, int64_t classes,
                             double *probability)
{
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < classes; k++)
        most = margin[k] > most ? margin[k] : most;
    for (int64_t k = 0; k < classes; k++) {
        probability[k] = exp_below(margin[k] - most);
        sum += probability[k];
    }
    for (int64_t k = 0; k < classes; k++)
        probability[k] /= sum;
    return most + log_above(sum);
}
