/*
 * The Newton model of the multinomial problem about the point,
 *
 *   q(U) = sum_jk c_jk (u_jk - w_jk) + 1/2 sum_i a_i (sum_k p_ik v_ik^2
 *          - (sum_k p_ik v_ik)^2) + sum_jk g(u_jk),  v = X (U - W) + ub - b.
 *
 * Rounds over coordinates find which weights are 0 or at a bound; conjugate
 * gradients solve for those that are not. Where all are free, the second alone
 * does it.
 */
#include "classes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MODEL_ROUNDS = 40, MODEL_SWEEPS = 2, MODEL_STEPS = 300 };

/* ---- coordinates ---- */

/* sum_i x_ij a_i p_ik (v_ik - mean_i), with x = 1 for the intercept (j < 0);
   `rows` has a_i p_ik. */
static double coordinate_slope(const many_state *s, int64_t j, int64_t k)
{
    const double *h = s->rows + k * s->padded, *v = s->moved + k * s->padded;
    const table_entries *e = s->view.by_column;
    double sum[4] = {0}, last = 0;
    if (j >= 0 && !s->view.x) {
        const double *x = e->value;
        for (int64_t t = e->start[j]; t < e->start[j + 1]; t++) {
            int64_t i = e->index[t];
            last += x[t] * h[i] * (v[i] - s->mean[i]);
        }
        return last;
    }
    const double *x = j < 0 ? NULL : s->view.x + j * s->view.stride;
    double centre = j < 0 ? 0 : s->view.centre[j];
    for (int64_t i = 0; i < s->padded; i += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += (x ? x[i + l] - centre : 1) * h[i + l] *
                      (v[i + l] - s->mean[i + l]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void coordinate_add(const many_state *s, int64_t j, int64_t k, double d)
{
    const double *chance = s->chance + k * s->padded;
    double *v = s->moved + k * s->padded;
    const table_entries *e = s->view.by_column;
    if (j >= 0 && !s->view.x) {
        const double *x = e->value;
        for (int64_t t = e->start[j]; t < e->start[j + 1]; t++) {
            int64_t i = e->index[t];
            v[i] += d * x[t];
            s->mean[i] += d * x[t] * chance[i];
        }
        return;
    }
    const double *x = j < 0 ? NULL : s->view.x + j * s->view.stride;
    double centre = j < 0 ? 0 : s->view.centre[j];
    for (int64_t i = 0; i < s->padded; i++) {
        double step = d * (x ? x[i] - centre : 1);
        v[i] += step;
        s->mean[i] += step * chance[i];
    }
}

/* Moves one weight to where the model is least; how much that may bring. */
static double move_weight(many_state *s, int64_t j, int64_t k)
{
    const exact_problem *p = s->problem;
    int64_t at = k * s->p + j;
    double h = s->diagonal[at] + p->l2, u = s->u[at];
    if (!(h > 0))
        return 0;
    double g = s->c[at] + coordinate_slope(s, j, k);
    double fall = exact_violation(p, u, g);
    if (fall <= 0)
        return 0;
    double to = exact_prox(p, u - (g + p->l2 * u) / h, h);
    coordinate_add(s, j, k, to - u);
    s->u[at] = to;
    return fall * fall / h;
}

static double move_intercept(many_state *s, int64_t k)
{
    double g = s->sum[k] + coordinate_slope(s, -1, k);
    if (!(s->base[k] > 0))
        return 0;
    coordinate_add(s, -1, k, -g / s->base[k]);
    s->ub[k] -= g / s->base[k];
    return g * g / s->base[k];
}

/* Over the weights that are not 0 or want to leave it at the point. */
static double sweep(many_state *s)
{
    double sum = 0;
    for (int64_t k = 0; k < s->classes; k++) {
        if (s->problem->intercept)
            sum += move_intercept(s, k);
        for (int64_t j = 0; j < s->p; j++)
            if (s->free[k * s->p + j])
                sum += move_weight(s, j, k);
    }
    return sum;
}

/* ---- conjugate gradients on the free weights ---- */

static int is_free(const exact_problem *p, double u)
{
    return (u != 0 || p->l1 == 0) && u > p->low && u < p->high;
}

/* H way, on the free weights. */
static void apply_hessian(many_state *s, double *image, double *image_b)
{
    many_apply(s, s->way, s->way_b, s->trial);
    many_curve(s, s->trial, s->z);
    many_pull(s, s->z, image, image_b);
    for (int64_t j = 0; j < s->p * s->classes; j++)
        image[j] = is_free(s->problem, s->u[j])
                       ? image[j] + s->problem->l2 * s->way[j]
                       : 0;
    for (int64_t k = 0; k < s->classes && !s->problem->intercept; k++)
        image_b[k] = 0;
}

/* Minus the model's slopes at u, and those divided by the curvatures. */
static void begin_residual(many_state *s)
{
    const exact_problem *p = s->problem;
    many_curve(s, s->moved, s->z);
    many_pull(s, s->z, s->residual, s->residual_b);
    for (int64_t j = 0; j < s->p * s->classes; j++) {
        double u = s->u[j], g = s->residual[j] + s->c[j] + p->l2 * u;
        g += u > 0 ? p->l1 : u < 0 ? -p->l1 : 0;
        s->residual[j] = is_free(p, u) && s->diagonal[j] + p->l2 > 0 ? -g : 0;
    }
    for (int64_t k = 0; k < s->classes; k++)
        s->residual_b[k] = p->intercept ? -(s->residual_b[k] + s->sum[k]) : 0;
}

static double precondition(many_state *s)
{
    double sum = 0;
    for (int64_t j = 0; j < s->p * s->classes; j++) {
        double h = s->diagonal[j] + s->problem->l2;
        s->scaled[j] = h > 0 ? s->residual[j] / h : 0;
        sum += s->scaled[j] * s->residual[j];
    }
    for (int64_t k = 0; k < s->classes; k++) {
        s->scaled_b[k] = s->base[k] > 0 ? s->residual_b[k] / s->base[k] : 0;
        sum += s->scaled_b[k] * s->residual_b[k];
    }
    return sum;
}

/* to += t from, of weights and intercepts. */
static void add_both(const many_state *s, double *to, double *to_b, double t,
                     const double *from, const double *from_b)
{
    for (int64_t j = 0; j < s->p * s->classes; j++)
        to[j] += t * from[j];
    for (int64_t k = 0; k < s->classes; k++)
        to_b[k] += t * from_b[k];
}

static double inner_both(const many_state *s, const double *a,
                         const double *a_b, const double *b, const double *b_b)
{
    double sum = 0;
    for (int64_t j = 0; j < s->p * s->classes; j++)
        sum += a[j] * b[j];
    for (int64_t k = 0; k < s->classes; k++)
        sum += a_b[k] * b_b[k];
    return sum;
}

/* The step that solves for the free weights, in step and step_b; how much
   there was to solve, and at least `enough` is left of it. */
static double conjugate(many_state *s, double enough)
{
    memset(s->step, 0, (size_t)(s->p * s->classes) * sizeof *s->step);
    memset(s->step_b, 0, (size_t)s->classes * sizeof *s->step_b);
    begin_residual(s);
    double size = precondition(s), begun = size;
    memcpy(s->way, s->scaled, (size_t)(s->p * s->classes) * sizeof *s->way);
    memcpy(s->way_b, s->scaled_b, (size_t)s->classes * sizeof *s->way_b);
    for (int k = 0; k < MODEL_STEPS && size > enough && size > 0; k++) {
        apply_hessian(s, s->image, s->image_b);
        double curve = inner_both(s, s->way, s->way_b, s->image, s->image_b);
        if (!(curve > 0x1p-50 * size))
            break; /* flat: classes that are moved together */
        double t = size / curve, before = size;
        add_both(s, s->step, s->step_b, t, s->way, s->way_b);
        add_both(s, s->residual, s->residual_b, -t, s->image, s->image_b);
        size = precondition(s);
        for (int64_t j = 0; j < s->p * s->classes; j++)
            s->way[j] = s->scaled[j] + size / before * s->way[j];
        for (int64_t l = 0; l < s->classes; l++)
            s->way_b[l] = s->scaled_b[l] + size / before * s->way_b[l];
    }
    return begun;
}

/* ---- the model ---- */

/* mean_i = sum_k p_ik moved_ik. */
static void set_mean(many_state *s)
{
    memset(s->mean, 0, (size_t)s->padded * sizeof *s->mean);
    for (int64_t k = 0; k < s->classes; k++)
        for (int64_t i = 0; i < s->n; i++)
            s->mean[i] +=
                s->chance[k * s->padded + i] * s->moved[k * s->padded + i];
}

/* Weights that cross 0 or a bound stop there. */
static double stopped(const exact_problem *p, double u, double to)
{
    if (p->l1 > 0 && u * to < 0)
        to = 0;
    return fmax(p->low, fmin(p->high, to));
}

/* q with the rows' part in `v`. */
static double model_value(const many_state *s, const double *v, const double *u,
                          const double *ub)
{
    double sum = many_penalty(s, u), rows = 0;
    for (int64_t j = 0; j < s->p * s->classes; j++)
        sum += s->c[j] * (u[j] - s->w[j]);
    for (int64_t k = 0; k < s->classes; k++)
        sum += s->sum[k] * (ub[k] - s->b[k]);
    for (int64_t i = 0; i < s->n; i++) {
        double first = 0, second = 0;
        for (int64_t k = 0; k < s->classes; k++) {
            double p = s->chance[k * s->padded + i];
            double at = v[k * s->padded + i];
            first += p * at;
            second += p * at * at;
        }
        rows += s->view.share[i] * (second - first * first);
    }
    return sum + rows / 2;
}

/* Goes as far along the step as the model falls; 0: nowhere. */
static int take_step(many_state *s)
{
    const exact_problem *p = s->problem;
    double from = model_value(s, s->moved, s->u, s->ub);
    for (double t = 1; t > 1e-4; t /= 4) {
        for (int64_t j = 0; j < s->p * s->classes; j++) {
            double to = stopped(p, s->u[j], s->u[j] + t * s->step[j]);
            s->way[j] = s->step[j] != 0 ? to : s->u[j];
            s->image[j] = s->way[j] - s->w[j];
        }
        for (int64_t k = 0; k < s->classes; k++) {
            s->way_b[k] = s->ub[k] + t * s->step_b[k];
            s->image_b[k] = s->way_b[k] - s->b[k];
        }
        many_apply(s, s->image, s->image_b, s->trial);
        if (model_value(s, s->trial, s->way, s->way_b) > from)
            continue;
        memcpy(s->u, s->way, (size_t)(s->p * s->classes) * sizeof *s->u);
        memcpy(s->ub, s->way_b, (size_t)s->classes * sizeof *s->ub);
        memcpy(s->moved, s->trial,
               (size_t)(s->padded * s->classes) * sizeof *s->moved);
        set_mean(s);
        return 1;
    }
    return 0;
}

static void begin_model(many_state *s)
{
    const exact_problem *p = s->problem;
    int64_t weights = s->p * s->classes;
    for (int64_t k = 0; k < s->classes; k++)
        for (int64_t i = 0; i < s->n; i++) {
            double chance = s->chance[k * s->padded + i];
            s->rows[k * s->padded + i] = s->view.share[i] * chance;
            s->z[k * s->padded + i] = s->view.share[i] * chance * (1 - chance);
        }
    many_squares(s, s->z, s->diagonal, s->base);
    memcpy(s->u, s->w, (size_t)weights * sizeof *s->u);
    memcpy(s->ub, s->b, (size_t)s->classes * sizeof *s->ub);
    memset(s->moved, 0, (size_t)(s->padded * s->classes) * sizeof *s->moved);
    memset(s->mean, 0, (size_t)s->padded * sizeof *s->mean);
    for (int64_t j = 0; j < weights; j++)
        s->free[j] = s->w[j] != 0 || exact_violation(p, s->w[j], s->c[j]) > 0;
}

double many_model(many_state *s, double accuracy)
{
    const exact_problem *p = s->problem;
    int smooth = p->l1 == 0 && isinf(p->low) && isinf(p->high);
    double first = 0;
    begin_model(s);
    for (int round = 0; round < (smooth ? 1 : MODEL_ROUNDS); round++) {
        double left = 0;
        for (int k = 0; k < MODEL_SWEEPS && !smooth; k++) {
            left = sweep(s);
            first = fmax(first, left);
        }
        if (!smooth && left <= accuracy * accuracy * first)
            break;
        double solved = smooth ? 0 : accuracy * accuracy * first / 4;
        if (smooth) {
            begin_residual(s);
            solved = accuracy * accuracy * precondition(s);
        }
        conjugate(s, solved);
        take_step(s);
    }
    double linear = many_penalty(s, s->u) - s->penalty;
    for (int64_t j = 0; j < s->p * s->classes; j++)
        linear += s->c[j] * (s->u[j] - s->w[j]);
    for (int64_t k = 0; k < s->classes; k++)
        linear += s->sum[k] * (s->ub[k] - s->b[k]);
    return linear;
}
