/*
 * The loss over all rows at once: value, slopes, curvatures; and what
 * belongs to the intercept, the one coordinate that every row has.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/*
 * Hinge about alpha (hinge.c): max over 0 <= t <= 1 of
 * t (1 - z) - (t - alpha)^2 / (2 sigma), with z = y m.
 */
static double envelope(const exact_state *s, int64_t i, double m, double y,
                       double *slope, double *curvature)
{
    double gap = 1 - y * m, alpha = s->alpha[i];
    double free = alpha + s->sigma * gap;
    double t = fmax(0, fmin(1, free));
    *slope = -y * t;
    *curvature = free > 0 && free < 1 ? s->sigma : 0;
    return t * gap - (t - alpha) * (t - alpha) / (2 * s->sigma);
}

double exact_evaluate(const exact_state *s, const double *m, double *slope,
                      double *curve)
{
    const exact_view *v = &s->view;
    const loss *l = &s->problem->loss;
    double total = 0;
    for (int64_t from = 0; from < v->n; from += EXACT_PAD) {
        int64_t to = from + EXACT_PAD < v->n ? from + EXACT_PAD : v->n;
        double part = 0;
        for (int64_t i = from; i < to; i++) {
            double first, second, a = v->share[i];
            double here = s->alpha
                              ? envelope(s, i, m[i], v->y[i], &first, &second)
                              : loss_at(l, m[i], v->y[i], &first, &second);
            part += a * here;
            slope[i] = a * first;
            curve[i] = a * second;
        }
        total += part;
    }
    return total;
}

double exact_curvature_bound(const exact_state *s)
{
    return s->alpha ? s->sigma : loss_curvature_bound(&s->problem->loss);
}

void exact_refresh(exact_state *s)
{
    const exact_view *v = &s->view;
    for (int64_t i = 0; i < v->padded; i++)
        s->m[i] = s->b;
    s->penalty = 0;
    for (int64_t j = 0; j < v->p; j++) {
        s->penalty += exact_penalty(s->problem, s->w[j]);
        if (s->w[j] != 0)
            exact_add(v, j, s->w[j], s->m);
    }
    s->value = exact_evaluate(s, s->m, s->slope, s->curve);
}

/* ---- the intercept ---- */

/*
 * Any dual point must have sum_i a_i u_i = 0 when b is free. The larger of
 * the two sides is scaled down: every loss here allows slopes nearer to 0.
 */
static void level_sides(exact_state *s)
{
    double side[2] = {0, 0};
    int64_t n = s->view.n;
    for (int64_t i = 0; i < n; i++)
        side[s->dual[i] > 0] += fabs(s->dual[i]);
    int larger = side[1] > side[0];
    double scale = side[larger] > 0 ? side[!larger] / side[larger] : 1;
    for (int64_t i = 0; scale < 1 && i < n; i++)
        if ((s->dual[i] > 0) == larger)
            s->dual[i] *= scale;
}

/* The nearest slope (times share) that the conjugate allows. */
static double allowed(const exact_state *s, int64_t i, double dual)
{
    const loss *l = &s->problem->loss;
    double a = s->view.share[i], y = s->view.y[i];
    double bound = loss_slope_bound(l), top = isinf(bound) ? bound : a * bound;
    if (loss_has_classes(l->kind))
        return -y * fmax(0, fmin(top, -y * dual));
    return isinf(top) ? dual : fmax(-top, fmin(top, dual));
}

/*
 * The slopes as they will be, to first order, when b takes its Newton step:
 * u - h sum(u) / sum(h). Their sum is 0, and X'dual is the gradient of the
 * model from which b has been eliminated: one pass serves both.
 */
void exact_balance(exact_state *s)
{
    int64_t n = s->view.n;
    memcpy(s->dual, s->slope, (size_t)n * sizeof *s->dual);
    s->sum = 0;
    s->mass = 1;
    if (!s->problem->intercept)
        return;
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += s->slope[i];
        mass += s->curve[i];
    }
    double bound = exact_curvature_bound(s);
    s->sum = sum;
    s->mass = mass + bound * fmax(s->damping, 1e-14);
    for (int64_t i = 0; i < n; i++)
        s->dual[i] = allowed(s, i, s->slope[i] - s->curve[i] * (sum / s->mass));
    level_sides(s);
}

/* The sum of slopes when all margins move by `by`: how it changes (mass)
   and how large its terms are (size). */
static double slope_sum(exact_state *s, double by, double *mass, double *size)
{
    double sum = 0;
    for (int64_t i = 0; i < s->view.n; i++)
        s->trial[i] = s->m[i] + by;
    exact_evaluate(s, s->trial, s->slope, s->curve);
    *mass = *size = 0;
    for (int64_t i = 0; i < s->view.n; i++) {
        sum += s->slope[i];
        *mass += s->curve[i];
        *size += fabs(s->slope[i]);
    }
    return sum;
}

/* The best b for this w: the root of a sum that does not decrease in b, by
   Newton's method between two bounds that close in. */
void exact_settle_intercept(exact_state *s)
{
    double low = -INFINITY, high = INFINITY, by = 0, mass, size, step = 1;
    double flat = 1e-9 * exact_curvature_bound(s);
    if (!s->problem->intercept)
        return;
    for (int round = 0; round < 200; round++, step *= 2) {
        double sum = slope_sum(s, by, &mass, &size);
        if (fabs(sum) <= 1e-9 * size || high - low <= 1e-15 * fabs(by))
            break;
        if (sum < 0)
            low = by;
        else
            high = by;
        double next = mass > flat ? by - sum / mass : NAN;
        if (!(next > low && next < high))
            next = isfinite(low) && isfinite(high) ? low + (high - low) / 2
                                                   : by - copysign(step, sum);
        by = next;
    }
    s->b += by;
    exact_refresh(s);
}

/* ---- conjugates ---- */

static double envelope_conjugate(const exact_state *s, int64_t i, double u)
{
    double t = -u * s->view.y[i], from = t - s->alpha[i];
    return -t + from * from / (2 * s->sigma);
}

/* sum_i a_i loss*(scale u_i) at the dual point. */
double exact_conjugate_sum(const exact_state *s, double scale)
{
    const exact_view *v = &s->view;
    double total = 0, bound = loss_slope_bound(&s->problem->loss);
    for (int64_t i = 0; i < v->n; i++) {
        double a = v->share[i];
        if (!(a > 0))
            continue;
        /* the division may round past the end of the domain */
        double u = allowed(s, i, scale * s->dual[i]) / a;
        if (isfinite(bound))
            u = fmax(-bound, fmin(bound, u));
        total += a * (s->alpha ? envelope_conjugate(s, i, u)
                               : loss_conjugate(&s->problem->loss, u, v->y[i]));
    }
    return total;
}
