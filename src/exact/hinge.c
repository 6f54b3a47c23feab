/*
 * Hinge loss has a kink, and its dual has no curvature. A proximal point
 * method on the dual takes care of both: with alpha_i in [0, 1] the current
 * dual (u_i = -y_i alpha_i), the loss is replaced by
 *
 *   max over 0 <= t <= 1 of  t (1 - z) - (t - alpha_i)^2 / (2 sigma),
 *
 * which is smooth, at most the hinge, and equal to it at the optimum. Its
 * maximisers t are the next alpha. The hinge being piecewise linear, a few
 * rounds with growing sigma reach the optimum itself; any penalty will do,
 * none included. The certificate is that of the hinge problem.
 */
#include "state.h"

#include <math.h>

/* The slopes at the envelope's minimum are the next centre. Returns the
   largest change over sigma: by how much a margin misses its kink. */
static double move_alpha(exact_state *s)
{
    const exact_view *v = &s->view;
    double most = 0;
    for (int64_t i = 0; i < v->n; i++) {
        if (!(v->share[i] > 0))
            continue;
        double to = fmax(0, fmin(1, -v->y[i] * s->slope[i] / v->share[i]));
        most = fmax(most, fabs(to - s->alpha[i]));
        s->alpha[i] = to;
    }
    return most / s->sigma;
}

static int hinge_reached(const exact_state *s)
{
    double primal = s->penalty;
    for (int64_t i = 0; i < s->view.n; i++)
        primal += s->view.share[i] * fmax(0, 1 - s->view.y[i] * s->m[i]);
    double enough = fmax(s->problem->tolerance * primal, 1e-15 * s->first);
    return fabs(s->hinge_gap) <= enough &&
           (exact_has_gap(s->problem) || s->measure <= 1e-8);
}

/* A margin that is off by e costs e in the hinge, but only sigma e^2 in its
   envelope: the envelope must be solved to the square of what is wanted. */
static double next_goal(const exact_state *s)
{
    if (!exact_has_gap(s->problem))
        return fmax(.1 * s->goal, s->problem->tolerance);
    double part = s->hinge_gap / s->first;
    return s->first * fmax(.01 * fmin(s->sigma * part, 1) * part, 2e-15);
}

void exact_hinge(exact_state *s)
{
    double best = INFINITY;
    int idle = 0;
    for (int64_t i = 0; i < s->view.n; i++)
        s->alpha[i] = .5;
    s->sigma = 1;
    s->goal = exact_has_gap(s->problem) ? 1e-3 * s->first : 1e-3;
    for (int round = 0; round < 100 && idle < 15; round++) {
        s->dual_value = -INFINITY;
        s->damping = 1e-6;
        exact_refresh(s);
        exact_settle_intercept(s);
        exact_newton(s);
        s->done = hinge_reached(s);
        if (s->cancelled || s->done)
            return;
        /* where margins miss by rounding only, a smaller sigma makes less
           of it; else a larger one is faster */
        int fine = move_alpha(s) < 1e-11;
        idle = !fine || s->hinge_gap < .9 * best ? 0 : idle + 1;
        best = fmin(best, s->hinge_gap);
        s->sigma = fine ? fmax(1, s->sigma / 8) : fmin(1e6, 4 * s->sigma);
        s->goal = next_goal(s);
    }
}
