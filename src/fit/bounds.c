/*
 * What the DP-GCD paper promises of its algorithm, for constants that the
 * user knows: the inequalities that its appendix proves, and the number of
 * steps. They are for the paper's noise (Theorem 4.2), not for ours, which
 * is less; and for the smooth algorithm without a penalty's prox.
 *
 *   lambda = 8 L sqrt(T ln(1/delta)) / (n epsilon)
 *   beta   = 2 lambda^2 / M ln(8 T p / zeta)^2
 *   (28)  8 R^2 / T + sqrt(32 R^2 beta)                          convex
 *   (55)  (1 - mu1/4)^T gap + (4 / mu1) beta                     mu1 > 0
 *   (58)  (1 - mu2/(4 k))^T gap + 4 k beta / mu2 + k (p - tau) alpha^2 / 8,
 *         k = min(s, T) + tau                                    quasi-sparse
 *
 * (50) is printed with smaller constants than its proof, which ends at (55),
 * gives; (58) with ln(T p / zeta), where Lemma B.1 gives ln(8 T p / zeta).
 */
#include "number.h"
#include "private.h"

#include <math.h>
#include <string.h>

/* NaN: not given. */
typedef struct bounds {
    double n, p, epsilon, delta;
    double lipschitz, smooth, radius, gap, mu1, mu2, sparse, tau, alpha, zeta;
} bounds;

/* ---- the inequalities ---- */

static double bounds_beta(const bounds *b, double steps)
{
    double lambda = 8 * b->lipschitz * sqrt(steps * log(1 / b->delta)) /
                    (b->n * b->epsilon);
    double far = log(8 * steps * b->p / b->zeta);
    return 2 * lambda * lambda / b->smooth * far * far;
}

static double bounds_convex(const bounds *b, double steps)
{
    double r = b->radius * b->radius;
    return 8 * r / steps + sqrt(32 * r * bounds_beta(b, steps));
}

static double bounds_strong(const bounds *b, double steps)
{
    return pow(1 - b->mu1 / 4, steps) * b->gap +
           4 / b->mu1 * bounds_beta(b, steps);
}

static double bounds_sparse(const bounds *b, double steps)
{
    double k = fmin(b->sparse, steps) + b->tau;
    return pow(1 - b->mu2 / (4 * k), steps) * b->gap +
           4 * k * bounds_beta(b, steps) / b->mu2 +
           k * (b->p - b->tau) * b->alpha * b->alpha / 8;
}

/* ---- the paper's numbers of steps ---- */

static double bounds_share(const bounds *b)
{
    return b->smooth * b->n * b->n * b->epsilon * b->epsilon /
           (b->lipschitz * b->lipschitz);
}

static double steps_convex(const bounds *b)
{
    return cbrt(bounds_share(b) * b->radius * b->radius /
                (128 * log(1 / b->delta)));
}

static double steps_strong(const bounds *b)
{
    double far = log(8 * b->p / b->zeta);
    return 4 / b->mu1 *
           log(b->mu1 * b->gap * bounds_share(b) /
               (128 * log(1 / b->delta) * far));
}

static double steps_sparse(const bounds *b)
{
    return (b->sparse + b->tau) / b->mu2 *
           log(b->gap * b->mu2 * bounds_share(b));
}

/* ---- as text ---- */

typedef double bounds_value(const bounds *b, double steps);

/* Where a bound is least: it falls and then rises, roughly. */
static double least_steps(const bounds *b, bounds_value *value)
{
    double best = 1;
    for (double steps = 1; steps < 1e9; steps = ceil(steps * 1.01))
        if (value(b, steps) < value(b, best))
            best = steps;
    return best;
}

static void put_bound(text_buffer *t, const char *name, const bounds *b,
                      bounds_value *value, double steps, double paper)
{
    double least = least_steps(b, value);
    paper = paper >= 1 ? rint(paper) : 1;
    text_format(t, "%s\n    \"%s\": {\"steps\": %.0f, \"bound\": ",
                t->data[t->length - 1] == '{' ? "" : ",", name, steps);
    text_number(t, value(b, steps));
    text_format(t, ", \"paper_steps\": %.0f, \"paper_bound\": ", paper);
    text_number(t, value(b, paper));
    text_format(t, ", \"best_steps\": %.0f, \"best_bound\": ", least);
    text_number(t, value(b, least));
    text_put(t, "}");
}

static int all_given(const double *value, int count)
{
    for (int i = 0; i < count; i++)
        if (isnan(value[i]))
            return 0;
    return 1;
}

static double *bounds_named(bounds *b, const char *name, size_t length)
{
    const struct {
        const char *name;
        double *value;
    } all[] = {{"L", &b->lipschitz}, {"M", &b->smooth}, {"R", &b->radius},
               {"gap", &b->gap},     {"mu1", &b->mu1},  {"mu2", &b->mu2},
               {"s", &b->sparse},    {"tau", &b->tau},  {"alpha", &b->alpha},
               {"zeta", &b->zeta}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].name) == length &&
            !strncmp(all[i].name, name, length))
            return all[i].value;
    return NULL;
}

static sotto_status read_bounds(bounds *b, const sotto_options *options,
                                sotto_error *error)
{
    size_t cursor = 0;
    char *word;
    int more;
    while ((more = option_next(options, OPTION_SET, &cursor, &word)) > 0) {
        const char *is = strchr(word, '=');
        double *to = is ? bounds_named(b, word, (size_t)(is - word)) : NULL;
        int fine = to && number_whole(is + 1, to) && *to >= 0;
        mem_free(word);
        if (!fine)
            return error_set(error, SOTTO_USAGE,
                             "--set: expected NAME=X with a number from 0 on "
                             "and one of the names L, M, R, gap, mu1, mu2, s, "
                             "tau, alpha, zeta");
    }
    return more < 0 ? error_memory(error) : SOTTO_OK;
}

sotto_status fit_gcd_bounds(const private_run *r, double steps, text_buffer *t,
                            sotto_error *error)
{
    bounds b = {.n = option_given(r->options, OPTION_ROWS)
                         ? option_number(r->options, OPTION_ROWS)
                         : NAN,
                .p = (double)(r->facts.features + r->task.intercept),
                .epsilon = option_number(r->options, OPTION_EPSILON),
                .delta = option_number(r->options, OPTION_DELTA),
                .tau = 0,
                .alpha = 0,
                .zeta = .05};
    b.lipschitz = b.smooth = b.radius = b.gap = b.mu1 = b.mu2 = b.sparse = NAN;
    sotto_status status = read_bounds(&b, r->options, error);
    if (status != SOTTO_OK)
        return status;
    double always[] = {b.n, b.lipschitz, b.smooth};
    double strong[] = {b.mu1, b.gap}, sparse[] = {b.mu2, b.gap, b.sparse};
    if (!all_given(always, 3) ||
        (isnan(b.radius) && !all_given(strong, 2) && !all_given(sparse, 3)))
        return error_set(error, SOTTO_USAGE,
                         "--set: the paper's bounds need --rows N, the "
                         "constants L and M, and R (convex), or mu1 and gap "
                         "(strongly convex), or mu2, gap and s (quasi-sparse)");
    text_put(t, ",\n  \"paper_bounds\": {");
    if (!isnan(b.radius))
        put_bound(t, "theorem_4.4_convex", &b, bounds_convex, steps,
                  steps_convex(&b));
    if (all_given(strong, 2))
        put_bound(t, "theorem_4.4_strongly_convex", &b, bounds_strong, steps,
                  steps_strong(&b));
    if (all_given(sparse, 3))
        put_bound(t, "theorem_4.7_quasi_sparse", &b, bounds_sparse, steps,
                  steps_sparse(&b));
    text_put(t, "}");
    return SOTTO_OK;
}
