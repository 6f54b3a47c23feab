/*
 * The normal law, and the Gaussian mechanism in closed form.
 */
#include "internal.h"

#include <math.h>

double normal_tail(double x)
{
    return .5 * erfc(fabs(x) * M_SQRT1_2);
}

/* Relative: what rounding can do to a tail. */
static double normal_slack(double x)
{
    return ROUNDOFF * (2 * LIBM_ULPS + 4 * fabs(x) * (fabs(x) + 1));
}

/* About the t >= 0 whose tail is p. The logarithm of the tail is concave:
   Newton's steps end on the far side of the root, and stay there. */
static double normal_tail_near(double p)
{
    double t = 0;
    for (int i = 0; i < 60; i++) {
        double tail = normal_tail(t);
        double step = log(tail / p) * tail * sqrt(2 * M_PI) * exp(t * t / 2);
        t = fmax(0, fmin(t + step, 37.5));
        if (!(fabs(step) > 1e-15 * (1 + t)))
            break;
    }
    return t;
}

/* The t >= 0 whose tail is p, from the side that is asked for. How it is
   found does not matter: it is taken only where the tail proves it. */
static double normal_tail_at(double p, int far)
{
    double t = normal_tail_near(p), step = 0x1p-52 * (1 + t);
    for (; step < 1; step *= 2) {
        double tail = normal_tail(t), slack = normal_slack(t);
        if (far ? tail * (1 + slack) <= p : tail * (1 - slack) >= p)
            return t;
        t = far ? t + step : fmax(0, t - step);
    }
    return far ? INFINITY : 0;
}

double normal_quantile(double p, int up)
{
    if (p > .5) /* 1 - p is exact */
        return p < 1 ? -normal_quantile(1 - p, !up) : up ? INFINITY : 37;
    if (p < NORMAL_LEAST)
        return up ? -37 : -INFINITY;
    return -normal_tail_at(p, !up);
}

/* By erf where the tail is near 1/2, so that a small t keeps its digits. */
double normal_inside(double inside, double outside)
{
    if (outside < .5)
        return -normal_quantile(outside / 2, 0);
    double low = 0, high = 1;
    for (int i = 0; i < 1100 && high - low > 0x1p-50 * high; i++) {
        double t = low + (high - low) / 2;
        double found = erf(t * M_SQRT1_2);
        if (found * (1 - (4 * LIBM_ULPS + 8) * ROUNDOFF) >= inside)
            high = t;
        else
            low = t;
    }
    return high;
}

/*
 * A lower bound of Mills' ratio, upper tail / density, for x >= 5: an even
 * convergent of 1/(x + 1/(x + 2/(x + ...))), all of which are below it.
 */
static double normal_mills_low(double x)
{
    double tail = x;
    for (int k = 59; k > 0; k--)
        tail = x + k / tail;
    return (1 - 0x1p-45) / tail;
}

/*
 * Lemma A6. delta = N(-a) - e^epsilon N(-b), a = epsilon/mu - mu/2, b = a +
 * mu; e^epsilon times the density at b is the density at a. What rounding
 * can do to each term is added.
 */
double normal_delta(double mu, double epsilon)
{
    if (mu <= 0)
        return epsilon >= 0 ? 0 : -expm1(epsilon);
    double a = epsilon / mu - mu / 2, b = epsilon / mu + mu / 2;
    if (a > 37)
        return 1e-297;
    double first = a > 0 ? normal_tail(a) : 1 - normal_tail(a);
    double second;
    if (b > 5)
        second = exp(-a * a / 2) / sqrt(2 * M_PI) * normal_mills_low(b);
    else
        second = exp(epsilon) * (b > 0 ? normal_tail(b) : 1 - normal_tail(b));
    double size = 4 + a * a + fabs(epsilon) + (b < 5 ? b * b : 0) +
                  (fabs(a) + fabs(b) + 1) * (fabs(epsilon / mu) + mu);
    double error = 16 * ROUNDOFF * size * (first + second);
    double delta = first - second + error;
    return delta < 1 ? delta : 1;
}

/*
 * 2 ln(N(mu/2) / N(-mu/2)) = 2 ln((1 + e) / (1 - e)), e = erf(mu / sqrt(8)):
 * atanh has no cancellation for small mu. From 8 on 1 - e would run out of
 * digits: less range than is allowed will do.
 */
double account_range_within(double mu)
{
    if (!(mu > 0))
        return 0;
    double e = erf(fmin(mu, 8) / sqrt(8));
    return 4 * atanh(e) * (1 - 1e-9);
}

double normal_epsilon(double mu, double delta)
{
    if (normal_delta(mu, 0) <= delta)
        return 0;
    double low = 0, high = 1;
    while (high < 1e300 && normal_delta(mu, high) > delta) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        double middle = low + (high - low) / 2;
        if (normal_delta(mu, middle) > delta)
            low = middle;
        else
            high = middle;
    }
    return high;
}
