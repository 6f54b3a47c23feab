/*
 * smooth_hinge.h has what it is.
 */
#include "smooth_hinge.h"

#include <math.h>

double smooth_hinge_at(const loss *l, double m, double y, double *slope,
                       double *curvature)
{
    double gap = 1 - y * m, part = gap / l->delta + .5;
    int bends = part > 0 && part < 1;
    part = fmax(0, fmin(part, 1));
    *slope = part > 0 ? -y * part : 0;
    *curvature = bends ? 1 / l->delta : 0;
    return part < 1 ? part * part * l->delta / 2 : gap;
}

double smooth_hinge_conjugate(const loss *l, double u, double y)
{
    double a = -u * y;
    return a >= 0 && a <= 1 ? -a - l->delta / 2 * a * (1 - a) : INFINITY;
}

double smooth_hinge_dual_start(const loss *l, double norm, double k)
{
    return norm * fmin(1, (1 + l->delta / 2) / (l->delta + k));
}

/* The larger class is where its slope, of the part `less` of its size at most,
   holds that of the other, whose margins are far below 1. */
loss_constant smooth_hinge_constant(const loss *l, double rate, double part)
{
    double minor = fmin(rate, 1 - rate), major = 1 - minor;
    double less = minor / major, delta = l->delta;
    double margin = 1 + delta / 2 - delta * less;
    double value = major * less * less * delta / 2 + minor * (1 + margin);
    double sign = rate < .5 ? -1 : 1;
    return (loss_constant){.margin = sign * margin,
                           .released = sign,
                           .slope = 2 * minor,
                           .value = part * value,
                           .difference = 1 - less};
}
