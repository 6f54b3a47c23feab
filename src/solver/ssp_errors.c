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
 * Levels that add up (redundant.h) are what the penalty makes of them, and G is
 * without what noise has put along them.
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

/* What errors are made with, without the directions that are redundant. */
typedef struct work {
    const redundant *of;
    double *gram, *root;    /* G, and the factor of G + L */
    double *vector, *value; /* of G, which is above all others where rows have
                               nothing */
    double *c, *a; /* what the penalty makes of a sum, and B times it */
} work;

static int is_hidden(const ssp_moments *m, const work *k)
{
    double all = 0, hidden = 0;
    for (int64_t e = 0; e < m->d; e++) {
        double share = 0;
        for (int64_t j = 0; j < m->d; j++)
            share += k->c[j] * k->vector[j * m->d + e];
        share /= k->value[e];
        all += share * share;
        if (k->value[e] < NEAR_EDGE * m->edge)
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

/* The variance of c'v. */
static double variance(const ssp_moments *m, const work *k,
                       unsigned char *refused)
{
    int64_t d = m->d;
    const double *a = k->a;
    double length = dot(m->v, m->v, d), along = dot(a, m->v, d), spread = 0;
    /* the residual is an answer too, and not less than its noise */
    double residual = fmax(m->residual, m->sd * (1 + length));
    for (int64_t i = 0; i < d; i++)
        spread += a[i] * dot(k->gram + i * d, a, d);
    double noise =
        m->sd * m->sd / 2 * ((1 + length) * dot(a, a, d) + along * along);
    double sampling = residual * spread / m->rows;
    if (longest(m, a) > FEW_ROWS * spread &&
        sampling > SMALL_PART * (noise + sampling))
        *refused = INTERVAL_FEW_ROWS;
    return noise + DOUBT * sampling;
}

static void find_errors(const ssp_moments *m, const double *what, int64_t count,
                        const work *k, errors_found *out)
{
    int64_t seen = 0;
    double *error = out->error;
    unsigned char *refused = out->refused;
    for (int64_t i = 0; i < count; i++) {
        const double *c = what + i * m->d;
        memcpy(k->c, c, (size_t)m->d * sizeof *k->c);
        redundant_hold(k->of, k->c);
        memcpy(k->a, k->c, (size_t)m->d * sizeof *k->a);
        matrix_solve(k->root, m->d, k->a);
        refused[i] = INTERVAL_UNMODELLED;
        error[i] = sqrt(variance(m, k, &refused[i]));
        out->moved[i] = redundant_moved(k->of, c, k->c, m->v);
        if (is_hidden(m, k) || !isfinite(error[i]) || !(error[i] > 0))
            refused[i] = INTERVAL_HIDDEN;
        seen += refused[i] != INTERVAL_HIDDEN;
    }
    for (int64_t i = 0; i < count; i++) {
        if (3 * seen < 2 * count && refused[i] != INTERVAL_HIDDEN)
            refused[i] = INTERVAL_FEW_SEEN;
        if (refused[i] != INTERVAL_UNMODELLED)
            error[i] = out->moved[i] = 0;
    }
}

/* G without what is redundant, of which rows have nothing; 0 in *fine: nothing
   can be made of it. */
static sotto_status without_redundant(const ssp_moments *m, work *k, int *fine,
                                      sotto_error *error)
{
    int64_t d = m->d;
    size_t bytes = (size_t)(d * d) * sizeof *k->gram;
    double trace = 0;
    memcpy(k->gram, m->gram, bytes);
    *fine = 1;
    for (int64_t i = 0; i < d * d; i++)
        *fine &= isfinite(k->gram[i]) != 0;
    if (!*fine)
        return SOTTO_OK;
    redundant_clear(k->of, k->gram);
    for (int64_t j = 0; j < d; j++)
        trace += k->gram[j * d + j];
    memcpy(k->root, k->gram, bytes);
    redundant_lift(k->of, trace + m->edge, k->root);
    sotto_status status = matrix_eigen(k->root, d, k->value, k->vector, error);
    for (int64_t j = 0; j < d; j++)
        k->root[j * d + j] += m->l2[j];
    *fine = status == SOTTO_OK && matrix_factor(k->root, d);
    return status;
}

sotto_status ssp_errors(const ssp_moments *m, const double *what, int64_t count,
                        errors_found *out, sotto_error *failed)
{
    size_t d = (size_t)m->d, square = d * d;
    const redundant none = {.d = m->d};
    double *memory = mem_zeroed(3 * square + 3 * d, sizeof *memory);
    int fine = 0;
    if (!memory)
        return error_memory(failed);
    work k = {.of = m->redundant ? m->redundant : &none,
              .gram = memory,
              .root = memory + square,
              .vector = memory + 2 * square,
              .value = memory + 3 * square,
              .c = memory + 3 * square + d,
              .a = memory + 3 * square + 2 * d};
    sotto_status status = without_redundant(m, &k, &fine, failed);
    if (fine)
        find_errors(m, what, count, &k, out);
    for (int64_t i = 0; !fine && i < count; i++)
        out->refused[i] = INTERVAL_HIDDEN;
    mem_free(memory);
    return status;
}
