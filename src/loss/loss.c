/*
 * The losses, one formula each. Written so that neither large margins nor
 * small differences spoil them.
 */
#include "loss.h"

#include <math.h>
#include <string.h>

#define LOSS_NAME(id, name) [LOSS_##id] = name,
static const char *const loss_names[] = {LOSS_LIST(LOSS_NAME)};
enum { LOSS_COUNT = sizeof loss_names / sizeof *loss_names };

int loss_named(const char *name, loss_kind *out)
{
    for (int i = 0; i < LOSS_COUNT; i++)
        if (!strcmp(loss_names[i], name)) {
            *out = (loss_kind)i;
            return 1;
        }
    return 0;
}

const char *loss_name(loss_kind kind)
{
    return loss_names[kind];
}

int loss_has_classes(loss_kind kind)
{
    return kind == LOSS_LOGISTIC || kind == LOSS_HINGE ||
           kind == LOSS_SQUARED_HINGE;
}

/* log(1 + exp(-z)) without overflow. */
static double loss_logistic(double z)
{
    return z > 0 ? log1p(exp(-z)) : log1p(exp(z)) - z;
}

/* 1 / (1 + exp(z)) without overflow. */
static double loss_sigmoid(double z)
{
    double e = exp(-fabs(z));
    return z > 0 ? e / (1 + e) : 1 / (1 + e);
}

static double loss_huber(double r, double delta)
{
    r = fabs(r);
    return r <= delta ? r * r / 2 : delta * (r - delta / 2);
}

double loss_value(const loss *l, double m, double y)
{
    double gap = 1 - y * m;
    switch (l->kind) {
    case LOSS_SQUARED:
        return (m - y) * (m - y) / 2;
    case LOSS_LOGISTIC:
        return loss_logistic(y * m);
    case LOSS_HINGE:
        return gap > 0 ? gap : 0;
    case LOSS_SQUARED_HINGE:
        return gap > 0 ? gap * gap : 0;
    default:
        return loss_huber(m - y, l->delta);
    }
}

double loss_slope(const loss *l, double m, double y)
{
    double gap = 1 - y * m;
    switch (l->kind) {
    case LOSS_SQUARED:
        return m - y;
    case LOSS_LOGISTIC:
        return -y * loss_sigmoid(y * m);
    case LOSS_HINGE:
        return gap > 0 ? -y : 0;
    case LOSS_SQUARED_HINGE:
        return gap > 0 ? -2 * y * gap : 0;
    default:
        return fmax(-l->delta, fmin(l->delta, m - y));
    }
}

double loss_curvature(const loss *l, double m, double y)
{
    double e;
    switch (l->kind) {
    case LOSS_SQUARED:
        return 1;
    case LOSS_LOGISTIC:
        e = exp(-fabs(y * m));
        return e / ((1 + e) * (1 + e));
    case LOSS_HINGE:
        return 0;
    case LOSS_SQUARED_HINGE:
        return 1 - y * m > 0 ? 2 : 0;
    default:
        return fabs(m - y) <= l->delta ? 1 : 0;
    }
}

double loss_at(const loss *l, double m, double y, double *slope,
               double *curvature)
{
    if (l->kind != LOSS_LOGISTIC) {
        *slope = loss_slope(l, m, y);
        *curvature = loss_curvature(l, m, y);
        return loss_value(l, m, y);
    }
    /* one exponential for all three */
    double z = y * m, e = exp(-fabs(z)), q = 1 / (1 + e);
    *slope = z > 0 ? -y * (e * q) : -y * q;
    *curvature = e * q * q;
    return z > 0 ? log1p(e) : log1p(e) - z;
}

double loss_curvature_bound(const loss *l)
{
    switch (l->kind) {
    case LOSS_LOGISTIC:
        return .25;
    case LOSS_HINGE:
        return INFINITY;
    case LOSS_SQUARED_HINGE:
        return 2;
    default:
        return 1;
    }
}

/* a log a, continued to 0. */
static double loss_entropy(double a)
{
    return a > 0 ? a * log(a) : 0;
}

double loss_conjugate(const loss *l, double u, double y)
{
    double a = -u * y; /* for two classes u = -y a with a >= 0 */
    switch (l->kind) {
    case LOSS_SQUARED:
        return u * u / 2 + u * y;
    case LOSS_LOGISTIC:
        return a >= 0 && a <= 1 ? loss_entropy(a) + loss_entropy(1 - a)
                                : INFINITY;
    case LOSS_HINGE:
        return a >= 0 && a <= 1 ? -a : INFINITY;
    case LOSS_SQUARED_HINGE:
        return a >= 0 ? a * a / 4 - a : INFINITY;
    default:
        return fabs(u) <= l->delta ? u * u / 2 + u * y : INFINITY;
    }
}
