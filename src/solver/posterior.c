/*
 * The posterior mean of weights under Gaussian noise that is known: MacKay's
 * automatic relevance determination, by fixed-point steps for a. A weight that
 * noise could explain by itself is drawn to 0, one that stands out is kept.
 */
#include "matrix.h"

#include <math.h>
#include <string.h>

enum { POSTERIOR_STEPS = 30 };

#define MOST_PRECISION 1e12

typedef struct posterior {
    int64_t d, p;
    int each;
    double variance;
    const double *h;
    double *a;              /* of the first p coordinates */
    double *root, *inverse; /* of h / variance + diag(a): d x d */
    double *pull, *mean;    /* h x / variance; its solution */
} posterior;

/* The Cholesky factor; 0 where the matrix is not positive. */
static int factor(posterior *s)
{
    int64_t d = s->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = s->h[i * d + j] / s->variance;
            if (i == j && i < s->p)
                sum += s->a[i];
            for (int64_t k = 0; k < j; k++)
                sum -= s->root[i * d + k] * s->root[j * d + k];
            if (i == j && !(sum > 0))
                return 0;
            s->root[i * d + j] = i == j ? sqrt(sum) : sum / s->root[j * d + j];
        }
    return 1;
}

/* Row i of the inverse of the factor, from those above. */
static void invert_row(const posterior *s, int64_t i)
{
    int64_t d = s->d;
    double *row = s->inverse + i * d;
    memset(row, 0, (size_t)d * sizeof *row);
    row[i] = 1;
    for (int64_t k = 0; k < i; k++)
        for (int64_t j = 0; j <= k; j++)
            row[j] -= s->root[i * d + k] * s->inverse[k * d + j];
    for (int64_t j = 0; j <= i; j++)
        row[j] /= s->root[i * d + i];
}

/* The mean, and the variance of each coordinate: with L the factor, the inverse
   is L^-T L^-1. */
static int solve(posterior *s, double *spread)
{
    int64_t d = s->d;
    if (!factor(s))
        return 0;
    memset(spread, 0, (size_t)d * sizeof *spread);
    memset(s->mean, 0, (size_t)d * sizeof *s->mean);
    for (int64_t i = 0; i < d; i++) {
        double along = 0;
        invert_row(s, i);
        const double *row = s->inverse + i * d;
        for (int64_t j = 0; j <= i; j++) {
            along += row[j] * s->pull[j];
            spread[j] += row[j] * row[j];
        }
        for (int64_t j = 0; j <= i; j++)
            s->mean[j] += row[j] * along;
    }
    return 1;
}

/* MacKay's step: a_j is how well v_j is determined, over its square. */
static void next_precisions(posterior *s, const double *spread)
{
    double known = 0, square = 0;
    for (int64_t j = 0; j < s->p; j++) {
        double one = fmin(fmax(1 - s->a[j] * spread[j], 1e-9), 1);
        double own = fmax(s->mean[j] * s->mean[j], 1e-30);
        known += one;
        square += own;
        if (s->each)
            s->a[j] = fmin(one / own, MOST_PRECISION);
    }
    for (int64_t j = 0; !s->each && j < s->p; j++)
        s->a[j] = fmin(known / square, MOST_PRECISION);
}

static void begin(posterior *s, const double *x)
{
    double square = 0;
    for (int64_t j = 0; j < s->p; j++)
        square += x[j] * x[j];
    for (int64_t j = 0; j < s->p; j++)
        s->a[j] = fmin(s->each ? 1 / fmax(x[j] * x[j], 1e-30)
                               : (double)s->p / fmax(square, 1e-30),
                       MOST_PRECISION);
    for (int64_t i = 0; i < s->d; i++) {
        s->pull[i] = 0;
        for (int64_t j = 0; j < s->d; j++)
            s->pull[i] += s->h[i * s->d + j] / s->variance * x[j];
    }
}

sotto_status matrix_posterior(const double *h, int64_t d, int64_t p, int each,
                              double variance, const double *x, double *v,
                              sotto_error *error)
{
    size_t square = (size_t)(d * d), bytes = (size_t)d * sizeof *v;
    double *memory = mem_zeroed(2 * square + 4 * (size_t)d, sizeof *memory);
    if (!memory)
        return error_memory(error);
    posterior s = {d,
                   p,
                   each,
                   variance,
                   h,
                   memory,
                   memory + 4 * d,
                   memory + 4 * d + square,
                   memory + d,
                   memory + 2 * d};
    double *spread = memory + 3 * d;
    int fine = variance > 0 && isfinite(variance);
    begin(&s, x);
    memmove(v, x, bytes);
    for (int step = 0; fine && step < POSTERIOR_STEPS; step++) {
        fine = solve(&s, spread);
        if (fine && step + 1 < POSTERIOR_STEPS)
            next_precisions(&s, spread);
    }
    for (int64_t j = 0; fine && j < d; j++)
        fine = isfinite(s.mean[j]);
    if (fine)
        memcpy(v, s.mean, bytes);
    mem_free(memory);
    return SOTTO_OK;
}
