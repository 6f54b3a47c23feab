/*
 * The loss of a record of more than two classes, y its own, by its margins m_k:
 * Lemma C26 of docs/privacy.
 *
 *            all classes at once        each class against all others
 *   value    log sum exp(m) - m_y       sum over k of l(y_k m_k)
 *   slopes   p_k - [k = y]              l'(y_k m_k) y_k
 *   bend     1 - |p|^2                  the mean over k of l''(y_k m_k), over
 *                                       its bound
 *
 * where p = softmax(m), l is the loss of two classes, and y_k is 1 for the
 * record's own class and -1 for others.
 */
#include "internal.h"

#include <math.h>

static double sign_of(int64_t k, int64_t y)
{
    return k == y ? 1 : -1;
}

/* The curvature at y m, in units of its bound: from 0 to 1. A NaN counts as
   0. */
static double curvature_part(const loss *l, double m)
{
    double slope, curvature;
    loss_portable_slopes(l, m, 1, &slope, &curvature);
    double part = curvature / loss_curvature_bound(l);
    return part >= 0 ? fmin(part, 1) : 0;
}

double class_value(const curator *c, int64_t y, const double *margin,
                   double *scratch)
{
    const curator_policy *p = &c->policy;
    double sum = 0;
    if (!p->one_versus_rest)
        return loss_portable_softmax(margin, p->classes, scratch) - margin[y];
    for (int64_t k = 0; k < p->classes; k++)
        sum += loss_portable_value(&p->loss, margin[k], sign_of(k, y));
    return sum;
}

void class_slopes(const curator *c, int64_t y, const double *margin,
                  double *slope)
{
    const curator_policy *p = &c->policy;
    double curvature;
    if (!p->one_versus_rest) {
        loss_portable_softmax(margin, p->classes, slope);
        slope[y] -= 1;
        return;
    }
    for (int64_t k = 0; k < p->classes; k++)
        loss_portable_slopes(&p->loss, margin[k], sign_of(k, y), slope + k,
                             &curvature);
}

double class_bend(const curator *c, int64_t y, const double *margin,
                  double *scratch)
{
    const curator_policy *p = &c->policy;
    double bend = 1, sum = 0;
    if (!p->one_versus_rest) {
        loss_portable_softmax(margin, p->classes, scratch);
        for (int64_t k = 0; k < p->classes; k++)
            bend -= scratch[k] * scratch[k];
        return bend;
    }
    for (int64_t k = 0; k < p->classes; k++)
        sum += curvature_part(&p->loss, sign_of(k, y) * margin[k]);
    return sum / (double)p->classes;
}
