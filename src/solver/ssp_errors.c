/*
 * Standard errors from noisy second moments. With B = (G + L)^-1 and v = B b,
 * noise in the moments, and that rows are a sample, give v the covariance
 *
 *   B [ sd^2 / 2 ((1 + |v|^2) I + v v') + DOUBT s2 G / rows ] B
 *
 * to first order, where s2 is the residual's mean square. The target is the v
 * that the whole population would have without noise, with the same penalty.
 *
 * Hidden: to first order is enough where G is well above its noise. Elsewhere G
 * was lifted, which is bias and no noise, so that a sum with more than a tenth
 * of c' G^-1 in such directions has no interval. Which ones pass is then partly
 * luck: where fewer than two thirds do, none does.
 *
 * Doubt: s2 G stands for the mean of r^2 x x', and is it where residuals r are
 * of one size. Second moments do not tell. Twice that leaves room for what is
 * usual. It may be up to max (a'x)^2 / mean (a'x)^2 times that, a = B c: where
 * this is large and sampling is not a small part, there is no interval.
 */
#include "ssp.h"

#include <math.h>
#include <string.h>

#define NEAR_EDGE 1.25 /* eigenvalues below this x the edge are not known */
#define MOST_HIDDEN .1 /* of |c' G^-1|^2 */
#define DOUBT 2.       /* times the sampling variance of equal residuals */
#define FEW_ROWS 100.  /* max / mean of (a'x)^2: few rows may decide */
#define SMALL_PART .15 /* of the variance, sampling without doubt */

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

static int is_hidden(const ssp_moments *m, const double *c)
{
    double all = 0, hidden = 0;
    for (int64_t e = 0; e < m->d; e++) {
        double share = 0;
        for (int64_t j = 0; j < m->d; j++)
            share += c[j] * m->vector[j * m->d + e];
        share /= m->value[e];
        all += share * share;
        if (m->value[e] < NEAR_EDGE * m->edge)
            hidden += share * share;
    }
    return !(hidden <= MOST_HIDDEN * all);
}

/* The largest (a'x)^2 that rows can have. */
static double longest(const ssp_moments *m, const double *a)
{
    double sum = 0;
    for (int64_t j = 0; j < m->d; j++)
        sum += fabs(a[j]) * m->reach[j];
    return sum * sum;
}

/* The variance of c'v; a = B c. */
static double variance(const ssp_moments *m, const double *a,
                       unsigned char *refused)
{
    int64_t d = m->d;
    double length = dot(m->v, m->v, d), along = dot(a, m->v, d), spread = 0;
    /* the residual is an answer too, and not less than its noise */
    double residual = fmax(m->residual, m->sd * (1 + length));
    for (int64_t i = 0; i < d; i++)
        spread += a[i] * dot(m->gram + i * d, a, d);
    double noise =
        m->sd * m->sd / 2 * ((1 + length) * dot(a, a, d) + along * along);
    double sampling = residual * spread / m->rows;
    if (longest(m, a) > FEW_ROWS * spread &&
        sampling > SMALL_PART * (noise + sampling))
        *refused = INTERVAL_FEW_ROWS;
    return noise + DOUBT * sampling;
}

static void find_errors(const ssp_moments *m, const double *root,
                        const double *what, int64_t count, double *a,
                        double *error, unsigned char *refused)
{
    int64_t seen = 0;
    for (int64_t i = 0; i < count; i++) {
        const double *c = what + i * m->d;
        memcpy(a, c, (size_t)m->d * sizeof *a);
        matrix_solve(root, m->d, a);
        refused[i] = INTERVAL_UNMODELLED;
        error[i] = sqrt(variance(m, a, &refused[i]));
        if (is_hidden(m, c) || !isfinite(error[i]) || !(error[i] > 0))
            refused[i] = INTERVAL_HIDDEN;
        seen += refused[i] != INTERVAL_HIDDEN;
    }
    for (int64_t i = 0; i < count; i++) {
        if (3 * seen < 2 * count && refused[i] != INTERVAL_HIDDEN)
            refused[i] = INTERVAL_FEW_SEEN;
        if (refused[i] != INTERVAL_UNMODELLED)
            error[i] = 0;
    }
}

sotto_status ssp_errors(const ssp_moments *m, const double *what, int64_t count,
                        double *error, unsigned char *refused,
                        sotto_error *failed)
{
    size_t d = (size_t)m->d;
    double *root = mem_zeroed(d * d + d, sizeof *root);
    if (!root)
        return error_memory(failed);
    memcpy(root, m->gram, d * d * sizeof *root);
    for (size_t j = 0; j < d; j++)
        root[j * d + j] += m->l2[j];
    if (matrix_factor(root, m->d))
        find_errors(m, root, what, count, root + d * d, error, refused);
    else
        for (int64_t i = 0; i < count; i++)
            refused[i] = INTERVAL_HIDDEN;
    mem_free(root);
    return SOTTO_OK;
}
