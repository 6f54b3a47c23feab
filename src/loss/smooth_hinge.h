/*
 * The hinge with its corner made round, so that methods that need a curvature
 * can be used: the mean of the hinges whose corners are at most delta / 2 from
 * its own. Between 1 - delta / 2 and 1 + delta / 2 it is a parabola, elsewhere
 * it is the hinge, which it exceeds by at most delta / 8.
 */
#ifndef SOTTO_LOSS_SMOOTH_HINGE_H
#define SOTTO_LOSS_SMOOTH_HINGE_H

#include "loss.h"

/* How wide the bend is that training asks about. The minimiser's hinge loss is
   too large by less than noise makes it: docs/notes/hinge.md has what other
   widths did. */
#define SMOOTH_HINGE_WIDTH .5

/* 1 / (2 x .7), where a step changes margins by .7. */
#define SMOOTH_HINGE_USUAL .7

double smooth_hinge_at(const loss *l, double m, double y, double *slope,
                       double *curvature);
double smooth_hinge_conjugate(const loss *l, double u, double y);
double smooth_hinge_dual_start(const loss *l, double norm, double k);
loss_constant smooth_hinge_constant(const loss *l, double rate, double part);

#endif
