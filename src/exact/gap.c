/*
 * The penalty g(w) = l1 |w| + l2/2 w^2 within [low, high], what it says of
 * one coordinate, and the duality gap.
 *
 * For any u with sum_i a_i u_i = 0 (when b is free), Fenchel's inequality
 * gives  F* >= D(u) = - sum_i a_i loss*(u_i) - sum_j g*(-c_j),
 * with c_j = sum_i a_i u_i x_ij. The slopes at an optimum reach equality.
 */
#include "state.h"

#include <float.h>
#include <math.h>

double exact_penalty(const exact_problem *p, double w)
{
    return p->l1 * fabs(w) + p->l2 / 2 * w * w;
}

/* The argument of smallest size that v may be changed to by l1. */
static double shrink(double v, double l1)
{
    return v > l1 ? v - l1 : v < -l1 ? v + l1 : 0;
}

static double clip(const exact_problem *p, double w)
{
    return fmax(p->low, fmin(p->high, w));
}

/* argmin of curvature/2 (w - at)^2 + l1 |w| within the box. */
double exact_prox(const exact_problem *p, double at, double curvature)
{
    return clip(p, shrink(at, p->l1 / curvature));
}

/* How steeply F falls when w_j moves the better way; 0 at an optimum. The
   gradient c is the loss's alone. */
double exact_violation(const exact_problem *p, double w, double c)
{
    double t = c + p->l2 * w;
    double right = t + (w >= 0 ? p->l1 : -p->l1);
    double left = t + (w > 0 ? p->l1 : -p->l1);
    if (right < 0 && w < p->high)
        return -right;
    return left > 0 && w > p->low ? left : 0;
}

/* g*(v) = max over w in the box of v w - g(w): concave, so its maximum is
   the free one moved into the box. */
double exact_penalty_conjugate(const exact_problem *p, double v)
{
    double beyond = shrink(v, p->l1), w;
    if (p->l2 > 0)
        w = clip(p, beyond / p->l2);
    else
        w = beyond > 0 ? p->high : beyond < 0 ? p->low : clip(p, 0);
    return isinf(w) ? INFINITY : v * w - exact_penalty(p, w);
}

int exact_has_gap(const exact_problem *p)
{
    return p->l1 > 0 || p->l2 > 0 || (isfinite(p->low) && isfinite(p->high));
}

/* Without l2 the conjugate is finite only for |c_j| <= l1 (on a side where
   the box is open): how far the dual point must shrink for that. */
static double dual_scale(const exact_state *s)
{
    const exact_problem *p = s->problem;
    double up = isinf(p->low) ? 1 : 0, down = isinf(p->high) ? 1 : 0;
    double most = 0;
    if (p->l2 > 0)
        return 1;
    for (int64_t j = 0; j < s->view.p; j++)
        most = fmax(most, fmax(up * s->c[j], -down * s->c[j]));
    /* a hair less, so that rounding cannot leave it outside */
    return most > p->l1 ? p->l1 / most * (1 - 0x1p-51) : 1;
}

/* What slopes are measured by: sqrt(2 L F), with the F of the start, is a
   bound of theirs. */
static double slope_bound(const exact_state *s)
{
    double bound = loss_curvature_bound(&s->problem->loss);
    return sqrt(2 * (isfinite(bound) ? bound : 1) * s->first + 0x1p-1000);
}

/* Without a penalty: the largest slope along a column of length 1. */
static double gradient_measure(const exact_state *s)
{
    double most = fabs(s->sum);
    for (int64_t j = 0; j < s->view.p; j++) {
        double size = s->view.norm[j];
        if (size > 0)
            most = fmax(most, exact_violation(s->problem, s->w[j], s->c[j]) /
                                  sqrt(size));
    }
    double bound = loss_curvature_bound(&s->problem->loss);
    return most /
           sqrt(2 * (isfinite(bound) ? bound : 1) * s->first + 0x1p-1000);
}

/* The gap of the hinge problem itself, of which the envelope's dual point
   is a dual point as well. */
static double hinge_gap(exact_state *s, double scale, double conjugates)
{
    const exact_view *v = &s->view;
    double primal = s->penalty, dual = -conjugates;
    for (int64_t i = 0; i < v->n; i++) {
        primal += v->share[i] * fmax(0, 1 - v->y[i] * s->m[i]);
        dual += scale * fabs(s->dual[i]);
    }
    s->hinge_best = fmax(s->hinge_best, dual);
    s->hinge_gap = primal - (exact_has_gap(s->problem) ? s->hinge_best : dual);
    if (s->hinge_gap <= s->problem->tolerance * primal)
        s->done = exact_has_gap(s->problem);
    return primal;
}

/* The slopes of a loss without a minimum also vanish on the way to infinity:
   there the gradient is small but Newton's steps are not. */
static int is_travelling(const exact_state *s)
{
    double most = 0;
    if (!loss_has_minimum(s->problem->loss.kind))
        for (int64_t i = 0; i < s->view.n; i++)
            most = fmax(most, fabs(s->moved[i]));
    return most > .01;
}

/* The measure that rounding of the margins alone may leave: large weights
   that cancel each other leave more. */
static double gradient_rounding(const exact_state *s)
{
    double size = fabs(s->b);
    for (int64_t j = 0; j < s->view.p; j++)
        size += fabs(s->w[j]) * sqrt(s->view.norm[j]);
    return DBL_EPSILON * size * exact_curvature_bound(s) / slope_bound(s);
}

static void no_gap(exact_state *s)
{
    s->gap = NAN;
    s->measure = gradient_measure(s);
    if (s->alpha)
        hinge_gap(s, 1, 0);
    s->done =
        s->measure <= fmax(s->goal, gradient_rounding(s)) && !is_travelling(s);
}

/*
 * Fills gap, measure and done. The sum over columns alone,
 *   sum_j g(w_j) + g*(-c_j) + c_j w_j,
 * is a lower bound of the gap that needs no logarithms; the rows are only
 * looked at when it is small enough, or always.
 */
void exact_gap(exact_state *s, int always)
{
    const exact_problem *p = s->problem;
    double objective = s->value + s->penalty;
    double goal = s->goal;
    s->done = 0;
    if (!exact_has_gap(p)) {
        no_gap(s);
        return;
    }
    double scale = dual_scale(s), sum = 0, conjugates = 0;
    for (int64_t j = 0; j < s->view.p; j++) {
        double g = exact_penalty_conjugate(p, -scale * s->c[j]);
        conjugates += g;
        sum += exact_penalty(p, s->w[j]) + g + scale * s->c[j] * s->w[j];
    }
    s->gap = sum;
    double relative_to = s->alpha ? hinge_gap(s, scale, conjugates) : objective;
    if (!s->alpha)
        goal = fmax(p->tolerance * objective, 1e-15 * s->first);
    if (sum <= goal || always) {
        double dual = -exact_conjugate_sum(s, scale) - conjugates;
        s->dual_value = fmax(s->dual_value, dual);
        s->gap = objective - s->dual_value;
        s->done |= s->gap <= goal;
    }
    s->measure = (s->alpha ? s->hinge_gap : s->gap) / (relative_to + 0x1p-1000);
}
