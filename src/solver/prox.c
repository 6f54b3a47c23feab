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

/* A weight of the file is target_half / half times the stored one, and the
   loss there target_half^2 times that of the fit. */
double *solver_file_units(const solver_run *r, solver_problem *p)
{
    double *unit = mem_zeroed((size_t)p->features + 1, sizeof *unit);
    for (int64_t j = 0; unit && j < p->features; j++)
        unit[j] = r->units.half ? 1 / r->units.half[j] : 1;
    p->l1 /= r->units.target_half;
    return unit;
}

solver_problem solver_in_unit(const solver_problem *p, double unit)
{
    solver_problem own = *p;
    own.l1 *= unit;
    own.l2 *= unit * unit;
    return own;
}
