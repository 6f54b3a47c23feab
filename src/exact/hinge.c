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
#include "solver.h"

#include <math.h>

/* The slopes at the envelope's minimum are the next centre. */
static void move_alpha(exact_state *s)
{
    const exact_view *v = &s->view;
    for (int64_t i = 0; i < v->n; i++)
        if (v->share[i] > 0)
            s->alpha[i] =
                fmax(0, fmin(1, -v->y[i] * s->slope[i] / v->share[i]));
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

void exact_hinge(exact_state *s)
{
    double best = INFINITY, tolerance = s->problem->tolerance;
    int idle = 0;
    for (int64_t i = 0; i < s->view.n; i++)
        s->alpha[i] = .5;
    s->sigma = 1;
    s->goal = exact_has_gap(s->problem) ? 1e-3 * s->first : 1e-3;
    for (int round = 0; round < 100 && idle < 15; round++) {
        s->dual_value = -INFINITY;
        s->damping = 1e-6;
        exact_newton(s);
        if (s->cancelled || hinge_reached(s))
            return;
        idle = s->hinge_gap < .9 * best ? 0 : idle + 1;
        best = fmin(best, s->hinge_gap);
        move_alpha(s);
        /* sigma times the rounding of a margin is an error of alpha */
        s->sigma = idle ? fmax(1, s->sigma / 8) : fmin(1e5, 4 * s->sigma);
        double next = .01 * fabs(s->hinge_gap);
        s->goal = exact_has_gap(s->problem)
                      ? fmax(next, .1 * tolerance * s->first)
                      : fmax(fmin(.1 * s->goal, 1), tolerance);
    }
}
