/*
 * loss: how wrong a margin m = x'w + b is for a target y. Two classes are
 * y = -1 and +1. All that solvers know of a loss is here.
 *
 *   squared        (m - y)^2 / 2
 *   logistic       log(1 + exp(-y m))
 *   hinge          max(0, 1 - y m)
 *   squared hinge  max(0, 1 - y m)^2
 *   huber          r^2 / 2 for |r| <= delta, else delta |r| - delta^2 / 2,
 *                  with r = m - y
 */
#ifndef SOTTO_LOSS_H
#define SOTTO_LOSS_H

#include "base.h"
#include "choices.h"

/* LOSS_SQUARED, LOSS_LOGISTIC, ... */
#define LOSS_KIND(id, ...) LOSS_##id,
typedef enum loss_kind { LOSS_LIST(LOSS_KIND) } loss_kind;
#undef LOSS_KIND

typedef struct loss {
    loss_kind kind;
    double delta; /* of huber */
} loss;

/* The kind of this name ("squared-hinge"); 0 when there is none. */
int loss_named(const char *name, loss_kind *out);
const char *loss_name(loss_kind kind);

/* Whether the target is one of two classes. */
int loss_has_classes(loss_kind kind);

double loss_value(const loss *l, double m, double y);

/* dl/dm, or an element of the subdifferential where it has a kink. */
double loss_slope(const loss *l, double m, double y);

/* d2l/dm2, or an element of its generalised form; 0 for hinge. */
double loss_curvature(const loss *l, double m, double y);

/* All three at once, for loops over rows: the value, and the others through
   the pointers. */
double loss_at(const loss *l, double m, double y, double *slope,
               double *curvature);

/* The least upper bound of the curvature; infinite for hinge. */
double loss_curvature_bound(const loss *l);

/* sup over m of u m - l(m, y): the convex conjugate; infinite where it is
   not finite. */
double loss_conjugate(const loss *l, double u, double y);

/* 1 / (1 + exp(z)) and log(1 + exp(-z)) of sums, products and quotients
   alone: the same bits on every machine. The first is within 2^-48. */
double loss_portable_sigmoid(double z);
double loss_portable_logistic(double z);

#endif
