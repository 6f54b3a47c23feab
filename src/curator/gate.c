/*
 * The gate: the only function that lets anything out which depends on a
 * record (docs/privacy.md, "The gate").
 */
#include "inside.h"

#include <math.h>

const char *ask_name(ask_kind kind)
{
    static const char *const names[] = {[ASK_TOTAL] = "total",
                                        [ASK_MOMENTS] = "moments",
                                        [ASK_PARTIAL] = "partial",
                                        [ASK_GRADIENT] = "gradient"};
    return names[kind];
}

double gate_rows_changed(const curator_policy *policy, int positive)
{
    int twice = policy->adjacency == ACCOUNT_REPLACE_ONE && !positive;
    return (double)policy->rows_per_person * (twice ? 2 : 1);
}

/* ---- check and charge ---- */

static sotto_status gate_refuse(const curator *c, ask_kind kind,
                                sotto_error *error)
{
    return error_set(error, SOTTO_BUDGET,
                     "refused: over the budget: %lld of %lld planned questions "
                     "(%s) were asked, one more was wanted, none is left",
                     (long long)c->asked[kind], (long long)c->plan.count[kind],
                     ask_name(kind));
}

/* A question is charged when it is put, whatever becomes of it. */
static sotto_status gate_charge(curator *c, ask_kind kind, sotto_error *error)
{
    if (c->asked[kind] >= c->plan.count[kind])
        return gate_refuse(c, kind, error);
    c->asked[kind]++;
    return SOTTO_OK;
}

/* ---- the plan ---- */

/* In integers, of all rows of one person. */
double gate_sensitivity(const curator_policy *policy, ask_kind kind,
                        int64_t features)
{
    int positive = kind == ASK_TOTAL || kind == ASK_MOMENTS;
    double sensitivity = KERNEL_CLIP * gate_rows_changed(policy, positive);
    /* each of p entries is from 0 to KERNEL_CLIP; rounded up */
    if (kind == ASK_MOMENTS)
        sensitivity *= sqrt((double)features) * (1 + 0x1p-50);
    return sensitivity;
}

sotto_status curator_check(const curator_policy *policy, const ask_plan *plan,
                           int64_t features, sotto_error *error)
{
    for (ask_kind kind = 0; kind < ASK_KINDS; kind++) {
        double mu = plan->mu[kind];
        if (!plan->count[kind] || (policy->without_noise && mu == 0))
            continue;
        double scale = gate_sensitivity(policy, kind, features) / mu;
        if (policy->without_noise || !(mu > 0) ||
            !(scale > 0 && scale <= NOISE_LARGEST_SCALE / 2))
            return error_set(error, SOTTO_PRIVACY,
                             "the budget is too small for so many questions "
                             "(%s) and rows per person: expected a larger "
                             "--epsilon or fewer steps",
                             ask_name(kind));
    }
    return SOTTO_OK;
}

/* ---- noise ---- */

/* The least double that is not below sensitivity / mu: then the event that
   was charged, mu, is not less than what is spent. */
static double gate_scale(double sensitivity, double mu)
{
    double sigma = sensitivity / mu;
    while (fma(sigma, mu, -sensitivity) < 0)
        sigma = nextafter(sigma, INFINITY);
    return sigma;
}

/* Questions for one value come one after another. */
static sotto_status gate_draw(curator *c, int one, double sigma, int64_t *out,
                              size_t count, sotto_error *error)
{
    return one ? noise_gaussian_one(c->noise, sigma, out, error)
               : noise_gaussian(c->noise, sigma, out, count, error);
}

static sotto_status gate_noise(curator *c, const gate_question *q, int64_t *out,
                               double *noise, sotto_error *error)
{
    int64_t part[64];
    double sensitivity =
        gate_sensitivity(&c->policy, q->kind, c->table->features);
    double sigma = gate_scale(sensitivity, c->plan.mu[q->kind]);
    for (size_t from = 0; from < q->answers; from += 64) {
        size_t count = q->answers - from < 64 ? q->answers - from : 64;
        sotto_status status =
            gate_draw(c, q->answers == 1, sigma, part, count, error);
        if (status != SOTTO_OK)
            return status;
        for (size_t i = 0; i < count; i++)
            out[from + i] += part[i];
    }
    *noise = sigma;
    return SOTTO_OK;
}

/* ---- release ---- */

static void gate_sum(curator *c, const gate_question *q, int64_t *out)
{
    kernel_mode before = kernel_enter();
    q->sum(c, q->what, out);
    kernel_leave(before);
}

/* For runs that are NOT PRIVATE and were planned so: the sums as they are.
   Never by way of a sampler with scale 0. */
static void gate_release_without_noise(curator *c, const gate_question *q,
                                       int64_t *out, double *noise)
{
    gate_sum(c, q, out);
    *noise = 0;
}

sotto_status gate_release_unclipped(curator *c, ask_kind kind,
                                    double (*sum)(curator *c, const void *what),
                                    const void *what, double *out,
                                    sotto_error *error)
{
    if (!c->policy.without_noise)
        return error_set(error, SOTTO_PRIVACY,
                         "an infinite clip is not private");
    sotto_status status = gate_charge(c, kind, error);
    if (status != SOTTO_OK)
        return status;
    kernel_mode before = kernel_enter();
    *out = sum(c, what);
    kernel_leave(before);
    return SOTTO_OK;
}

sotto_status gate_release(curator *c, const gate_question *q, int64_t *out,
                          double *noise, sotto_error *error)
{
    sotto_status status = gate_charge(c, q->kind, error);
    if (status != SOTTO_OK)
        return status;
    if (c->policy.without_noise) {
        gate_release_without_noise(c, q, out, noise);
        return SOTTO_OK;
    }
    gate_sum(c, q, out);
    status = gate_noise(c, q, out, noise, error);
    if (status != SOTTO_OK) /* what has no noise must not be seen */
        for (size_t i = 0; i < q->answers; i++)
            out[i] = 0;
    return status;
}
