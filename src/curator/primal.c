/*
 * A step of the primal SCD, for comparison: how far each of some coordinates
 * should go, by all rows together. The step is clipped, and not what a row adds
 * to it. So one record can change it from one end to the other
 * (docs/privacy, "For comparison").
 */
#include "internal.h"

#include <math.h>

/* The sums of slopes and of curvatures along a column. */
static void sum_column(const curator *c, int64_t j, double *slope,
                       double *curvature)
{
    kernel_column x = columns_get(c, j);
    int64_t count = x.index ? x.count : c->table->rows;
    int classes = loss_has_classes(c->policy.loss.kind);
    *slope = *curvature = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = x.index ? (int64_t)x.index[k] : k;
        double value = (double)x.value[k], s, b;
        double weight = c->weight ? (double)c->weight[i] : 1;
        /* a margin times its class, or a residual */
        loss_at(&c->policy.loss, (double)c->rows.margin[i], classes ? 1 : 0, &s,
                &b);
        *slope += weight * s * value;
        *curvature += weight * b * value * value;
    }
}

static int64_t primal_integer(double move, double clip)
{
    double part = move / clip;
    if (!(fabs(part) <= 1))
        part = part > 0 ? 1 : part < 0 ? -1 : 0; /* NaN becomes 0 */
    return (int64_t)rint(part * KERNEL_CLIP);
}

static void sum_primal(curator *c, const void *what, int64_t *out)
{
    const ask_primal *at = what;
    curator_catch_up(c);
    for (int64_t k = 0; k < at->count; k++) {
        double slope, curvature, theta = at->weight[at->first + k];
        sum_column(c, at->first + k, &slope, &curvature);
        slope = slope / c->total + at->l2 * theta;
        curvature = (double)at->count * curvature / c->total + at->l2;
        out[k] = primal_integer(-slope / curvature, at->clip);
    }
}

sotto_status curator_ask_primal(curator *c, const ask_primal *at, int64_t *move,
                                double *unit, sotto_error *error)
{
    double noise = 0;
    int64_t p = c->table->features;
    for (int64_t k = 0; k < at->count; k++)
        move[k] = 0;
    if (!is_moderate(at->clip) || !(at->l2 > 0) || at->first < 0 ||
        at->count < 1 || at->first + at->count > p)
        return error_set(error, SOTTO_USAGE,
                         "a primal step needs coordinates that there are, and "
                         "a clip from 2^-100 to 2^100");
    gate_question q = {.kind = ASK_PRIMAL,
                       .answers = (size_t)at->count,
                       .sum = sum_primal,
                       .what = at};
    *unit = at->clip / KERNEL_CLIP;
    sotto_status status = gate_release(c, &q, move, &noise, error);
    c->answer_noise = noise * *unit;
    return status;
}
