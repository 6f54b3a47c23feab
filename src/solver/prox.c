/*
 * The proximal map of l1 |u| + l2/2 u^2 within a box: the parts act one
 * after another, shrink, scale, clamp (the box has 0 in it or is convex all
 * the same, and in one dimension the clamp of a minimiser is the minimiser).
 */
#include "planning.h"

#include <math.h>

double solver_prox(const solver_problem *p, double v, double step)
{
    double size = fmax(fabs(v) - step * p->l1, 0);
    double u = copysign(size, v) / (1 + step * p->l2);
    return fmin(fmax(u, p->low), p->high);
}
