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
#include "json.h"
#include "number.h"
#include "planning.h"

#include <math.h>
#include <stddef.h>
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

/* Steps can be more than an integer holds. */
static json_t *whole(double steps)
{
    return steps < 1e17 ? json_integer((json_int_t)steps) : json_real(steps);
}

/* Nothing where a number is beyond all doubles. */
static int put_bound(json_t **out, const char *name, const bounds *b,
                     bounds_value *value, double steps, double paper)
{
    double least = least_steps(b, value);
    paper = paper >= 1 ? rint(paper) : 1;
    double here = value(b, steps), there = value(b, paper);
    double best = value(b, least);
    if (!isfinite(here) || !isfinite(there) || !isfinite(best) ||
        !(paper < 1e300))
        return 0;
    json_t *bound = json_object();
    json_add(&bound, "steps", whole(steps));
    json_add_number(&bound, "bound", here);
    json_add(&bound, "paper_steps", whole(paper));
    json_add_number(&bound, "paper_bound", there);
    json_add(&bound, "best_steps", whole(least));
    json_add_number(&bound, "best_bound", best);
    json_add(out, name, bound);
    return 1;
}

static int all_given(const double *value, int count)
{
    for (int i = 0; i < count; i++)
        if (isnan(value[i]))
            return 0;
    return 1;
}

/* A constant, and where the paper's theorems are about it: above `low` (or
   from it on) up to `high`. With mu <= 4 the powers of 1 - mu/4 fall. */
typedef struct bounds_name {
    const char *name;
    size_t place;
    double low, high;
    int from; /* low itself is one of them */
} bounds_name;

#define PLACE(field) offsetof(bounds, field)

static const bounds_name *bounds_named(const char *name, size_t length)
{
    static const bounds_name all[] = {{"L", PLACE(lipschitz), 0, INFINITY, 0},
                                      {"M", PLACE(smooth), 0, INFINITY, 0},
                                      {"R", PLACE(radius), 0, INFINITY, 1},
                                      {"gap", PLACE(gap), 0, INFINITY, 0},
                                      {"mu1", PLACE(mu1), 0, 4, 0},
                                      {"mu2", PLACE(mu2), 0, 4, 0},
                                      {"s", PLACE(sparse), 1, INFINITY, 1},
                                      {"tau", PLACE(tau), 0, INFINITY, 1},
                                      {"alpha", PLACE(alpha), 0, INFINITY, 1},
                                      {"zeta", PLACE(zeta), 0, 1, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].name) == length &&
            !strncmp(all[i].name, name, length))
            return &all[i];
    return NULL;
}

static sotto_status refuse_value(const bounds_name *is, sotto_error *error)
{
    const char *from = is->from ? "from" : "above";
    if (isinf(is->high))
        return error_set(error, SOTTO_USAGE,
                         "--set %s: expected a finite number %s %s", is->name,
                         from, sotto_number_print(is->low, 6).text);
    return error_set(error, SOTTO_USAGE,
                     "--set %s: expected a number %s %s and at most %s",
                     is->name, from, sotto_number_print(is->low, 6).text,
                     sotto_number_print(is->high, 6).text);
}

/* "mu1=0.1" */
static sotto_status read_bound(bounds *b, const char *word, sotto_error *error)
{
    double x;
    const char *sign = strchr(word, '=');
    const bounds_name *is =
        sign ? bounds_named(word, (size_t)(sign - word)) : NULL;
    if (!is || !number_whole(sign + 1, &x))
        return error_set(error, SOTTO_USAGE,
                         "--set: expected NAME=X with a number and one of the "
                         "names L, M, R, gap, mu1, mu2, s, tau, alpha, zeta");
    if (!isfinite(x) || !(is->from ? x >= is->low : x > is->low) ||
        x > is->high)
        return refuse_value(is, error);
    *(double *)((char *)b + is->place) = x;
    return SOTTO_OK;
}

static sotto_status read_bounds(bounds *b, const sotto_options *options,
                                sotto_error *error)
{
    size_t cursor = 0;
    char *word;
    int more;
    while ((more = option_next(options, OPTION_SET, &cursor, &word)) > 0) {
        sotto_status status = read_bound(b, word, error);
        mem_free(word);
        if (status != SOTTO_OK)
            return status;
    }
    if (more < 0)
        return error_memory(error);
    return b->tau <= b->p ? SOTTO_OK
                          : error_set(error, SOTTO_USAGE,
                                      "--set tau: expected no more than there "
                                      "are coordinates");
}

sotto_status gcd_theory_bounds(const solver_run *r, double steps, json_t **plan,
                               sotto_error *error)
{
    bounds b = {.n = option_given(r->options, OPTION_ROWS)
                         ? option_number(r->options, OPTION_ROWS)
                         : NAN,
                .p = (double)(r->facts.features + r->problem.intercept),
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
    int fine = 1;
    json_t *all = json_object();
    if (!isnan(b.radius))
        fine &= put_bound(&all, "theorem_4.4_convex", &b, bounds_convex, steps,
                          steps_convex(&b));
    if (all_given(strong, 2))
        fine &= put_bound(&all, "theorem_4.4_strongly_convex", &b,
                          bounds_strong, steps, steps_strong(&b));
    if (all_given(sparse, 3))
        fine &= put_bound(&all, "theorem_4.7_quasi_sparse", &b, bounds_sparse,
                          steps, steps_sparse(&b));
    json_add(plan, "paper_bounds", all);
    return fine ? SOTTO_OK
                : error_set(error, SOTTO_USAGE,
                            "--set: a bound is beyond all numbers; expected "
                            "constants of moderate size");
}
