/*
 * What goes through all rows: margins of all classes, their probabilities, and
 * the way back from rows to weights. Dense columns are read once for all
 * classes, by blocks of rows that stay in the cache.
 */
#include "classes.h"

#include <math.h>
#include <string.h>

enum { ROWS_BLOCK = 256 };

typedef double lanes
    __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

#define AT(p, i) (*(const lanes *)((p) + (i)))
#define INTO(p, i) (*(lanes *)((p) + (i)))
#define TOTAL(s) (((s)[0] + (s)[1]) + ((s)[2] + (s)[3]))

static int64_t block_end(const many_state *s, int64_t from)
{
    return from + ROWS_BLOCK < s->padded ? from + ROWS_BLOCK : s->padded;
}

/* ---- from weights to rows ---- */

static void dense_apply(const many_state *s, const double *d, double *out)
{
    for (int64_t from = 0; from < s->padded; from += ROWS_BLOCK)
        for (int64_t j = 0; j < s->p; j++) {
            const double *x = s->view.x + j * s->view.stride;
            double centre = s->view.centre[j];
            for (int64_t k = 0; k < s->classes; k++) {
                double step = d[k * s->p + j], *to = out + k * s->padded;
                for (int64_t i = from; step != 0 && i < block_end(s, from);
                     i += 4)
                    INTO(to, i) += (AT(x, i) - centre) * step;
            }
        }
}

void many_apply(const many_state *s, const double *d, const double *db,
                double *out)
{
    for (int64_t k = 0; k < s->classes; k++)
        for (int64_t i = 0; i < s->padded; i++)
            out[k * s->padded + i] = db[k];
    if (s->view.x)
        dense_apply(s, d, out);
    for (int64_t k = 0; !s->view.x && k < s->classes; k++)
        for (int64_t j = 0; j < s->p; j++)
            if (d[k * s->p + j] != 0)
                exact_add(&s->view, j, d[k * s->p + j], out + k * s->padded);
}

/* ---- from rows to weights: z is 0 past n ---- */

static double block_dot(const double *x, double centre, const double *z,
                        int64_t from, int64_t end)
{
    lanes sum = {0};
    for (int64_t i = from; i < end; i += 4)
        sum += (AT(x, i) - centre) * AT(z, i);
    return TOTAL(sum);
}

static double block_square(const double *x, double centre, const double *z,
                           int64_t from, int64_t end)
{
    lanes sum = {0};
    for (int64_t i = from; i < end; i += 4) {
        lanes at = AT(x, i) - centre;
        sum += at * at * AT(z, i);
    }
    return TOTAL(sum);
}

static void dense_pull(const many_state *s, const double *z, double *c,
                       int squares)
{
    memset(c, 0, (size_t)(s->p * s->classes) * sizeof *c);
    for (int64_t from = 0; from < s->padded; from += ROWS_BLOCK)
        for (int64_t j = 0; j < s->p; j++) {
            const double *x = s->view.x + j * s->view.stride;
            double centre = s->view.centre[j];
            int64_t end = block_end(s, from);
            for (int64_t k = 0; k < s->classes; k++) {
                const double *zk = z + k * s->padded;
                c[k * s->p + j] += squares
                                       ? block_square(x, centre, zk, from, end)
                                       : block_dot(x, centre, zk, from, end);
            }
        }
}

static void sum_rows(const many_state *s, const double *z, double *sum)
{
    for (int64_t k = 0; k < s->classes; k++) {
        const double *zk = z + k * s->padded;
        sum[k] = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum[k] += zk[i];
    }
}

void many_pull(const many_state *s, const double *z, double *c, double *sum)
{
    sum_rows(s, z, sum);
    if (s->view.x)
        dense_pull(s, z, c, 0);
    for (int64_t k = 0; !s->view.x && k < s->classes; k++)
        for (int64_t j = 0; j < s->p; j++)
            c[k * s->p + j] = exact_dot(&s->view, j, z + k * s->padded);
}

void many_squares(const many_state *s, const double *z, double *c, double *sum)
{
    double first;
    sum_rows(s, z, sum);
    if (s->view.x)
        dense_pull(s, z, c, 1);
    for (int64_t k = 0; !s->view.x && k < s->classes; k++)
        for (int64_t j = 0; j < s->p; j++)
            exact_moments(&s->view, j, z + k * s->padded, &first,
                          &c[k * s->p + j]);
}

/* ---- rows ---- */

/* The largest margin of row i. */
static int64_t largest(const many_state *s, const double *m, int64_t i)
{
    int64_t top = 0;
    for (int64_t k = 1; k < s->classes; k++)
        if (m[k * s->padded + i] > m[top * s->padded + i])
            top = k;
    return top;
}

/* Slopes sum to 0 in each row: that of the row's own class is minus the
   others', which keeps its digits where the chance is nearly 1. */
static void row_slopes(const many_state *s, int64_t i, const double *chance,
                       double *slope)
{
    int64_t y = (int64_t)s->view.y[i];
    double a = s->view.share[i], others = 0;
    for (int64_t k = 0; k < s->classes; k++)
        if (k != y) {
            slope[k * s->padded + i] = a * chance[k * s->padded + i];
            others += slope[k * s->padded + i];
        }
    slope[y * s->padded + i] = -others;
}

double many_loss(const many_state *s, const double *m, double *chance,
                 double *slope)
{
    double value = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t top = largest(s, m, i), y = (int64_t)s->view.y[i];
        double most = m[top * s->padded + i], rest = 0;
        for (int64_t k = 0; k < s->classes; k++) {
            double e = k == top ? 1 : exp(m[k * s->padded + i] - most);
            rest += k == top ? 0 : e;
            if (chance)
                chance[k * s->padded + i] = e;
        }
        double off = most - m[y * s->padded + i];
        if (s->view.share[i] > 0)
            value += s->view.share[i] * (log1p(rest) + off);
        for (int64_t k = 0; chance && k < s->classes; k++)
            chance[k * s->padded + i] /= 1 + rest;
        if (slope)
            row_slopes(s, i, chance, slope);
    }
    return value;
}

void many_curve(const many_state *s, const double *v, double *z)
{
    double *mean = z + (s->classes - 1) * s->padded; /* filled last */
    memset(mean, 0, (size_t)s->padded * sizeof *mean);
    for (int64_t k = 0; k < s->classes; k++)
        for (int64_t i = 0; i < s->n; i++)
            mean[i] += s->chance[k * s->padded + i] * v[k * s->padded + i];
    for (int64_t k = 0; k < s->classes; k++)
        for (int64_t i = 0; i < s->n; i++) {
            int64_t at = k * s->padded + i;
            z[at] = s->view.share[i] * s->chance[at] * (v[at] - mean[i]);
        }
}

double many_penalty(const many_state *s, const double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < s->p * s->classes; j++)
        sum += exact_penalty(s->problem, w[j]);
    return sum;
}
