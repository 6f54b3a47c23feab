/*
 * The duality gap of the multinomial problem.
 *
 * The conjugate of log sum exp(m) - m_y at q - e_y is sum_k q_k log q_k for a
 * q of chances, and infinite else. So for every q_i of chances with
 * sum_i a_i (q_ik - [k = y_i]) = 0 (where b is free)
 *
 *   F* >= D(q) = - sum_i a_i sum_k q_ik log q_ik - sum_jk g*(-c_jk),
 *   c_jk = sum_i a_i (q_ik - [k = y_i]) x_ij.
 *
 * q begins as the chances at the margins. Classes that have too much of it
 * give the same part of theirs in every row to those that have too little;
 * without l2 all of it moves towards the rows' own classes until |c_jk| <= l1.
 */
#include "classes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Chances stay chances, and sums over rows become 0. */
static void balance(const many_state *s)
{
    double lack = 0;
    memcpy(s->dual, s->slope,
           (size_t)(s->classes * s->padded) * sizeof *s->dual);
    if (!s->problem->intercept)
        return;
    for (int64_t k = 0; k < s->classes; k++)
        lack += fmax(-s->sum[k], 0);
    for (int64_t i = 0; lack > 0 && i < s->n; i++) {
        int64_t y = (int64_t)s->view.y[i];
        double a = s->view.share[i], given = 0, others = 0;
        for (int64_t k = 0; k < s->classes; k++) {
            double more = fmax(s->sum[k], 0);
            given +=
                a * s->chance[k * s->padded + i] * more / (s->rate[k] + more);
        }
        for (int64_t k = 0; k < s->classes; k++) {
            double more = fmax(s->sum[k], 0);
            double keep = s->rate[k] / (s->rate[k] + more);
            double *to = &s->dual[k * s->padded + i];
            if (k == y)
                continue;
            *to = a * s->chance[k * s->padded + i] * keep +
                  given * fmax(-s->sum[k], 0) / lack;
            others += *to;
        }
        s->dual[y * s->padded + i] = -others;
    }
}

/* As dual_scale in gap.c. */
static double scale_of(const many_state *s)
{
    const exact_problem *p = s->problem;
    double up = isinf(p->low) ? 1 : 0, down = isinf(p->high) ? 1 : 0;
    double most = 0;
    if (p->l2 > 0)
        return 1;
    for (int64_t j = 0; j < s->p * s->classes; j++)
        most = fmax(most, fmax(up * s->dual_c[j], -down * s->dual_c[j]));
    return most > p->l1 ? p->l1 / most * (1 - 0x1p-51) : 1;
}

/* sum_i a_i sum_k q log q with q = e_y + scale dual / a. */
static double entropy(const many_state *s, double scale)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t y = (int64_t)s->view.y[i];
        double a = s->view.share[i], row = 0;
        for (int64_t k = 0; a > 0 && k < s->classes; k++) {
            double q = scale * s->dual[k * s->padded + i] / a;
            if (k == y && q > -1)
                row += (1 + q) * log1p(q);
            else if (k != y && q > 0)
                row += q * log(q);
        }
        sum += a * row;
    }
    return sum;
}

/* Without a penalty: the largest slope along a column of length 1. */
static void no_gap(many_state *s)
{
    double most = 0, travelled = 0;
    for (int64_t k = 0; k < s->classes; k++) {
        if (s->problem->intercept)
            most = fmax(most, fabs(s->sum[k]));
        for (int64_t j = 0; j < s->p; j++)
            if (s->view.norm[j] > 0)
                most =
                    fmax(most, exact_violation(s->problem, s->w[k * s->p + j],
                                               s->c[k * s->p + j]) /
                                   sqrt(s->view.norm[j]));
    }
    for (int64_t i = 0; i < s->classes * s->padded; i++)
        travelled = fmax(travelled, fabs(s->moved[i]));
    s->gap = NAN;
    s->measure = most / sqrt(2 * s->first + 0x1p-1000);
    s->done = s->measure <= s->goal && travelled <= .01;
    s->nowhere = s->measure <= 1e-3 * s->goal && travelled > .01;
}

void many_gap(many_state *s)
{
    const exact_problem *p = s->problem;
    double objective = s->value + s->penalty, conjugates = 0;
    s->done = 0;
    if (!exact_has_gap(p)) {
        no_gap(s);
        return;
    }
    balance(s);
    many_pull(s, s->dual, s->dual_c, s->base);
    double scale = scale_of(s);
    for (int64_t j = 0; j < s->p * s->classes; j++)
        conjugates += exact_penalty_conjugate(p, -scale * s->dual_c[j]);
    s->dual_value = fmax(s->dual_value, -entropy(s, scale) - conjugates);
    s->gap = objective - s->dual_value;
    s->measure = s->gap / (objective + 0x1p-1000);
    s->done = s->gap <= fmax(s->goal * objective, 1e-15 * s->first);
}
