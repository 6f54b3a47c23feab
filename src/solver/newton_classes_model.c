/*
 * The model of the Newton method for more than two classes, D (x) S, and its
 * minimum (newton_classes.c says what D is).
 */
#include "newton_classes.h"

#include <math.h>
#include <string.h>

#define START_BEND 1.5
#define OVER_BEND 2.
#define LEAST_KAPPA .05
#define MOST_BEND .5   /* Boehning */
#define LEAST_BEND .02 /* over the number of classes */

/* Of classes by themselves. Exact curvature serves better than secants, though
   steps may go too far by it: docs/notes/hinge.md. */
#define OVER_ALONE 1.5
#define LEAST_ALONE .15 /* of what is usual; or half of the constant's */

/* ---- the curvature of classes ---- */

/* Of diag r - r r'. */
static double trace_of(const classes_state *c)
{
    double trace = 1;
    for (int64_t k = 0; k < c->classes; k++)
        trace -= c->rate[k] * c->rate[k];
    return trace;
}

/* Of classes by themselves, at the constant, on average: r (1 - r) of the
   logistic loss; of others the same part of what is usual. */
static double bend_alone(const classes_state *c)
{
    return 4 * c->s->curvature * trace_of(c) / (double)c->classes;
}

/* The same for all classes, which are by themselves. A few rare ones may bend
   less; which do is not asked. */
static void set_alone(classes_state *c, double bend)
{
    int64_t n = c->classes;
    double most = c->s->curvature;
    double least = fmax(fmin(LEAST_ALONE * most, bend_alone(c) / 2),
                        most * fmin(c->s->hidden_lost, 1));
    for (int64_t k = 0; k < n; k++) {
        c->bend[k] = within(isfinite(bend) ? bend : most, least, most);
        for (int64_t i = 0; i < n; i++)
            c->axis[i * n + k] = i == k;
    }
}

/* D = times (diag r - r r'), between what the noise allows and the bound. */
static sotto_status set_bend(classes_state *c, double times, sotto_error *error)
{
    int64_t n = c->classes;
    double least =
        fmax(LEAST_BEND / (double)n, MOST_BEND * fmin(c->s->hidden_lost, 1));
    double *matrix = mem_zeroed((size_t)(n * n), sizeof *matrix);
    if (!matrix)
        return error_memory(error);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++)
            matrix[a * n + b] =
                times * ((a == b ? c->rate[a] : 0) - c->rate[a] * c->rate[b]);
    sotto_status status = matrix_eigen(matrix, n, c->bend, c->axis, error);
    for (int64_t k = 0; k < n; k++)
        c->bend[k] = within(c->bend[k], least, MOST_BEND);
    mem_free(matrix);
    return status;
}

sotto_status classes_start_bend(classes_state *c, sotto_error *error)
{
    if (!c->s->problem->one_versus_rest)
        return set_bend(c, START_BEND, error);
    set_alone(c, START_BEND * bend_alone(c));
    return SOTTO_OK;
}

/* What the answer says, of classes by themselves. The model was made steeper
   for a curvature that was not known yet. */
static void believe_alone(classes_state *c, double ratio)
{
    newton_state *s = c->s;
    for (int64_t k = 0; k < c->d * c->d; k++)
        s->model[k] /= s->steeper;
    s->steeper = 1;
    set_alone(c, OVER_ALONE * ratio * loss_curvature_bound(&s->problem->loss));
}

sotto_status classes_ask_bend(classes_state *c, sotto_error *error)
{
    double q[2], sd, trace = trace_of(c);
    /* in these coordinates a row of mean leverage is so long, squared */
    double mean = c->s->effective_dimension / c->s->curvature;
    sotto_status status = curator_ask_class_bend(
        c->s->curator, within(2 * mean, 1e-25, 1e25), q, &sd, error);
    if (status != SOTTO_OK)
        return status;
    double ratio = (q[0] + sd) / fmax(q[1], sd);
    if (c->s->problem->one_versus_rest) {
        believe_alone(c, ratio);
        return SOTTO_OK;
    }
    double kappa = within(ratio / trace, LEAST_KAPPA, 1);
    return set_bend(c, OVER_BEND * (isfinite(kappa) ? kappa : 1), error);
}

/* ---- the minimum ---- */

void classes_remove_mean(double *v, int64_t d, int64_t classes)
{
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t k = 0; k < classes; k++)
            mean += v[j * classes + k] / (double)classes;
        for (int64_t k = 0; k < classes; k++)
            v[j * classes + k] -= mean;
    }
}

/* The answer, from whitened coordinates back to those of V. */
static void bring_back(classes_state *c)
{
    const newton_state *s = c->s;
    int64_t d = c->d, n = c->classes;
    memset(c->back, 0, (size_t)(d * n) * sizeof *c->back);
    for (int64_t e = 0; e < d; e++) {
        double root = sqrt(s->curvature * s->value[e]);
        for (int64_t j = 0; j < d; j++)
            for (int64_t k = 0; k < n; k++)
                c->back[j * n + k] +=
                    s->vector[j * d + e] * root * c->answer[e * n + k];
    }
}

void classes_take(const classes_state *c, const double *v, int64_t k,
                  int turned, double *out)
{
    for (int64_t j = 0; j < c->d; j++) {
        double sum = turned ? 0 : v[j * c->classes + k];
        for (int64_t i = 0; turned && i < c->classes; i++)
            sum += v[j * c->classes + i] * c->axis[i * c->classes + k];
        out[j] = sum;
    }
}

void classes_put(const classes_state *c, const double *column, int64_t k,
                 int turned, double *v)
{
    for (int64_t j = 0; j < c->d; j++) {
        if (!turned)
            v[j * c->classes + k] = column[j];
        for (int64_t i = 0; turned && i < c->classes; i++)
            v[j * c->classes + i] += column[j] * c->axis[i * c->classes + k];
    }
}

/*
 * The minimum of the model. With L2 alone each axis of D is by itself. An L1
 * penalty and a box are about single classes: then the largest curvature
 * serves for all of them, unless classes are the axes.
 */
sotto_status classes_minimise(classes_state *c, sotto_error *error)
{
    newton_state *s = c->s;
    int64_t d = c->d;
    int turned = !s->settings->facts.held || s->problem->one_versus_rest;
    double most = 0;
    for (int64_t k = 0; k < c->classes; k++)
        most = fmax(most, c->bend[k]);
    bring_back(c);
    memset(c->next, 0, (size_t)(d * c->classes) * sizeof *c->next);
    for (int64_t k = 0; k < c->classes; k++) {
        double times = (turned ? c->bend[k] : most) / s->curvature;
        for (int64_t i = 0; i < d * d; i++)
            c->h[i] = times * s->model[i];
        classes_take(c, c->back, k, turned, c->one);
        classes_take(c, c->at, k, turned, c->from);
        matrix_model model = {d, c->h, c->one, s->l1, s->l2, s->low, s->high};
        sotto_status status = matrix_minimise(&model, c->from, c->to, error);
        if (status != SOTTO_OK)
            return status;
        classes_put(c, c->to, k, turned, c->next);
    }
    return SOTTO_OK;
}
