/*
 * A private proximal Newton method for few features against many rows:
 *
 *   1 response   where the target lies, and how wide (or the base rate)
 *   2 bounds     one factor by which the declared ones can be lowered
 *   3 columns    centre m_j and scale s_j of each
 *   4 matrix     the noisy second moments of z = ((x - m) / s, 1)
 *   5 spectrum   visible eigenvalues without their bias, one floor for others
 *   6 rounds     gradients in coordinates where that matrix is the unit one,
 *                each record's shortened to C; the model they make is
 *                minimised with the penalty, and steps in directions that
 *                cannot be seen go on (momentum.c)
 *   7 average    of the last rounds
 *   8 guard      against a model that is worse than a constant
 *
 * With enough of a budget 4 to 8 come in stages: newton_stages.c.
 *
 * All that is known of the records are answers; what is made of them is
 * post-processing, in any precision.
 */
#include "newton_state.h"

#include <math.h>
#include <string.h>

#define LEAST_SPREAD .5  /* sd of the lengths in means */
#define MOST_GROWTH 1.25 /* of the mean length, over the least so far */
#define CHANGE .04       /* of the mean length in a round, squared */
#define LEAST_ENERGY .01 /* of a direction, on average: noise may hide all */

/* A model is given up for the best constant where its loss is higher by so many
   sd. Where the budget is small it has to be visibly lower, or, where answers
   have chosen the features and so vouch for them, lower. */
#define CLEAR_DOUBT 2.
#define CLOSE_DOUBT -.5
#define CHOSEN_DOUBT 0.

double newton_doubt(const budget_split *r)
{
    return !r->close ? CLEAR_DOUBT : r->chosen ? CHOSEN_DOUBT : CLOSE_DOUBT;
}

static int newton_memory(newton_state *s)
{
    int64_t d = s->d, square = d * d, count = 15 * d + 5 * square;
    double *next = s->memory = mem_zeroed((size_t)count, sizeof *s->memory);
    double **small[] = {&s->value,         &s->v,         &s->next,
                        &s->sum,           &s->l1,        &s->l2,
                        &s->gradient,      &s->back,      &s->low,
                        &s->high,          &s->told,      &s->push.hidden,
                        &s->push.velocity, &s->push.step, &s->push.from};
    double **large[] = {&s->matrix, &s->vector, &s->map, &s->model,
                        &s->inverse};
    if (!next)
        return 0;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++, next += d)
        *small[i] = next;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++, next += square)
        *large[i] = next;
    s->push.d = d;
    s->push.curvature = s->curvature;
    s->push.vector = s->vector;
    s->push.value = s->value;
    return 1;
}

/* ---- 6: rounds ---- */

double newton_unit(const newton_state *s, int64_t j)
{
    if (s->settings->by_spread)
        return s->columns.spread[j];
    return s->settings->unit ? s->settings->unit[newton_feature(s, j)] : 1;
}

/* Stored weights are v / scale. */
void newton_penalty(newton_state *s)
{
    const solver_problem *p = s->problem;
    for (int64_t j = 0; j < s->d; j++) {
        int penalised = j < s->p;
        double unit = penalised ? newton_unit(s, j) : 1;
        s->l1[j] = penalised ? p->l1 * unit / s->columns.scale[j] : 0;
        s->l2[j] = penalised ? p->l2 * (unit / s->columns.scale[j]) *
                                   (unit / s->columns.scale[j])
                             : 0;
        s->low[j] = penalised ? p->low * s->columns.scale[j] : -INFINITY;
        s->high[j] = penalised ? p->high * s->columns.scale[j] : INFINITY;
    }
}

/* z'v = (A'z)'(A^-1 v), A the map. */
sotto_status newton_tell(newton_state *s, const double *v, sotto_error *error)
{
    for (int64_t e = 0; e < s->d; e++) {
        double sum = 0;
        for (int64_t j = 0; j < s->d; j++)
            sum += s->inverse[e * s->d + j] * v[j];
        s->told[e] = within(sum, -0x1p99, 0x1p99);
    }
    return curator_tell_point(s->curator, s->told, error);
}

double newton_clip(const newton_state *s)
{
    double spread = fmax(LEAST_SPREAD, sqrt(fmax(0, s->spread2)));
    double least =
        s->response.least * sqrt(s->effective_dimension / s->curvature);
    double clip = s->length * fmax(NEWTON_LEAST_CLIP, 1 + spread * s->tail);
    return within(fmax(clip, least), 1e-25, 1e25);
}

/*
 * Gradients that become longer mean that steps are too long for a curvature
 * that the matrix does not show: then the model is made steeper, and the
 * average begins anew.
 */
static int newton_watch(newton_state *s, double seen, double sd)
{
    int longer = seen > 1.2 * s->least_seen + 3 * sd;
    if (longer) {
        for (int64_t k = 0; k < s->d * s->d; k++)
            s->model[k] *= 2;
        s->steeper *= 2;
        s->least_seen = seen;
        s->weight_sum = 0;
    }
    s->least_seen = fmin(s->least_seen, seen);
    return longer;
}

sotto_status newton_track(newton_state *s, int *again, sotto_error *error)
{
    double q[2], sd, before = s->length;
    *again = 0;
    if (s->settings->rule.lengths == 0)
        return SOTTO_OK;
    sotto_status status =
        curator_ask_lengths(s->curator, 4 * before, q, &sd, error);
    if (status != SOTTO_OK)
        return status;
    *again = newton_watch(s, 4 * q[0] * before, 4 * sd * before);
    /* what is seen counts by how far lengths change from round to round,
       against its noise */
    double noise = 4 * sd;
    double gain = fmin(.8, CHANGE / (CHANGE + noise * noise));
    double length = before * pow(fmax(4 * q[0], .25), gain);
    /* longer gradients mean more noise, which makes them longer: no more */
    s->length = within(length, s->first_length / 64,
                       (MOST_GROWTH + 2 * noise) * s->least_length);
    s->least_length = fmin(s->least_length, s->length);
    double mean = fmax(s->length / (4 * before), 1. / 16);
    double seen = within(q[1] / (mean * mean) - 1, -1, 2.25);
    s->spread2 += .5 * gain * (seen - s->spread2);
    return SOTTO_OK;
}

static sotto_status newton_round(newton_state *s, int averaged,
                                 sotto_error *error)
{
    double clip = newton_clip(s);
    int64_t d = s->d;
    int again = 0;
    sotto_status status =
        curator_ask_whitened(s->curator, clip, s->gradient, &s->last_sd, error);
    if (status == SOTTO_OK)
        status = newton_track(s, &again, error);
    if (status != SOTTO_OK)
        return status;
    if (again) {
        momentum_stop(&s->push);
        memset(s->sum, 0, (size_t)d * sizeof *s->sum);
    }
    for (int64_t j = 0; j < d; j++) {
        s->back[j] = 0;
        for (int64_t e = 0; e < d; e++)
            s->back[j] += s->vector[j * d + e] *
                          sqrt(s->curvature * s->value[e]) * s->gradient[e];
    }
    matrix_model model = {d, s->model, s->back, s->l1, s->l2, s->low, s->high};
    status = matrix_minimise(&model, s->v, s->next, error);
    if (status != SOTTO_OK)
        return status;
    double weight = averaged ? 1 / (clip * clip) : 0;
    for (int64_t j = 0; j < d; j++) {
        s->v[j] = isfinite(s->next[j]) ? s->next[j] : s->v[j];
        s->sum[j] += weight * s->v[j];
    }
    s->weight_sum += weight;
    momentum_step(&s->push, s->v, s->last_sd / s->steeper);
    return newton_tell(s, s->v, error);
}

void newton_begin_lengths(newton_state *s)
{
    s->first_length =
        within(s->response.slope * sqrt(s->effective_dimension / s->curvature),
               1e-20, 1e20);
    s->length = s->first_length;
    s->least_length = 3 * s->first_length; /* a first guess may be low */
    s->least_seen = INFINITY;
    s->steeper = 1;
    s->spread2 = LEAST_SPREAD * LEAST_SPREAD;
    s->tail = newton_tail(&s->problem->loss, &s->settings->rule,
                          s->noise_dimension * s->channels);
}

static sotto_status newton_rounds(newton_state *s, solver_progress progress,
                                  void *context, sotto_error *error)
{
    int64_t rounds = s->settings->rule.rounds;
    int64_t from = s->settings->rule.first_rounds;
    memset(s->sum, 0, (size_t)s->d * sizeof *s->sum);
    newton_penalty(s);
    newton_begin_lengths(s);
    memcpy(s->push.from, s->v, (size_t)s->d * sizeof *s->v);
    sotto_status status = newton_tell(s, s->v, error);
    for (int64_t t = 0; status == SOTTO_OK && t < rounds; t++) {
        status = newton_round(s, t >= from, error);
        if (status == SOTTO_OK)
            status = solver_tell(progress, context,
                                 solver_rounds("rounds", t + 1, rounds), error);
    }
    return status;
}

/* ---- 7 and 8: the average, and whether it is any good ---- */

static double newton_price(const newton_state *s)
{
    double sum = 0;
    for (int64_t j = 0; j < s->p; j++)
        sum += s->l1[j] * fabs(s->v[j]) + s->l2[j] * s->v[j] * s->v[j] / 2;
    return sum;
}

/* What the last gradient's noise was in weight j: a step is the map times the
   gradient, where no penalty holds it back. */
static double newton_noise(const newton_state *s, int64_t j)
{
    double square = 0;
    for (int64_t e = 0; e < s->d; e++)
        square += s->map[j * s->d + e] * s->map[j * s->d + e];
    return s->last_sd * sqrt(square) / s->steeper / s->columns.scale[j];
}

/* Whether the iterate is worse than the best constant. */
static sotto_status is_worse(newton_state *s, int *worse, sotto_error *error)
{
    double change = 0, sd = 0, width = s->response.width;
    double most =
        loss_has_classes(s->problem->loss.kind) ? 1.5 : 2 * width * width;
    sotto_status status = newton_tell(s, s->v, error);
    if (status == SOTTO_OK)
        status = curator_ask_change(
            s->curator, s->problem->intercept ? s->response.constant : 0,
            within(most, 1e-25, 1e25), &change, &sd, error);
    double doubt = newton_doubt(&s->settings->rule) * sd;
    *worse = change + newton_price(s) > doubt && s->problem->low <= 0 &&
             s->problem->high >= 0;
    return status;
}

sotto_status newton_guard(newton_state *s, const double *before,
                          sotto_error *error)
{
    if (s->settings->rule.guard == 0)
        return SOTTO_OK;
    sotto_status status = is_worse(s, &s->is_constant, error);
    if (status == SOTTO_OK && s->is_constant && before) {
        memcpy(s->v, before, (size_t)s->d * sizeof *s->v);
        status = is_worse(s, &s->is_constant, error);
    }
    return status;
}

static sotto_status newton_average(newton_state *s, sotto_error *error)
{
    for (int64_t j = 0; j < s->d; j++)
        s->v[j] = s->sum[j] / s->weight_sum;
    return newton_guard(s, NULL, error);
}

static void newton_finish(const newton_state *s, solver_answer *out)
{
    int worse = s->is_constant;
    double centre = 0;
    for (int64_t j = 0; j < s->p; j++) {
        double weight = s->v[j] / s->columns.scale[j];
        centre += weight * s->columns.centre[j];
        out->weight[newton_feature(s, j)] = worse ? 0 : weight;
        solver_note(out, s->problem, newton_feature(s, j),
                    worse ? 0 : newton_noise(s, j));
        if (s->settings->by_spread && out->spread)
            out->spread[newton_feature(s, j)] = s->columns.spread[j];
    }
    out->intercept = !s->problem->intercept ? 0
                     : worse                ? s->response.released
                                            : s->v[s->p] - centre;
}

/* From the weights that there are, in the frame. */
static void newton_start(newton_state *s, const double *start)
{
    double centre = 0;
    for (int64_t j = 0; start && j < s->p; j++) {
        s->v[j] = start[j] * s->columns.scale[j];
        centre += start[j] * s->columns.centre[j];
    }
    if (s->problem->intercept)
        s->v[s->p] = s->response.constant + centre;
}

/* Without stages: all rounds alike. */
static sotto_status newton_in_one(newton_state *s, solver_progress progress,
                                  void *context, sotto_error *error)
{
    sotto_status status = solver_tell(
        progress, context, (solver_stage){.name = "curvature"}, error);
    if (status == SOTTO_OK)
        status = newton_matrix(s, error);
    if (status == SOTTO_OK)
        status = newton_rounds(s, progress, context, error);
    if (status == SOTTO_OK)
        status = newton_average(s, error);
    return status;
}

/* One vector of weights: all but more than two classes. */
static sotto_status newton_alone(newton_state *s, solver_answer *out,
                                 const double *start, solver_progress progress,
                                 void *context, sotto_error *error)
{
    newton_start(s, start);
    sotto_status status =
        s->settings->rule.stages
            ? newton_stages_run(s, out, progress, context, error)
            : newton_in_one(s, progress, context, error);
    if (status == SOTTO_OK)
        newton_finish(s, out);
    return status;
}

/* All classes at once: their weights sum to 0. */
static double newton_channels(const solver_problem *p)
{
    return p->classes ? (double)(p->classes - !p->one_versus_rest) : 1;
}

sotto_status
newton_on_columns(solver_answer *out, curator *c, const solver_problem *p,
                  const newton_settings *set, const newton_from *from,
                  solver_progress progress, void *context, sotto_error *error)
{
    newton_state s = {.problem = p,
                      .settings = set,
                      .curator = c,
                      .response = from->response,
                      .columns = from->columns,
                      .p = from->columns.count,
                      .d = from->columns.count + p->intercept,
                      .curvature = p->classes && !p->one_versus_rest ? .5
                                   : set->rule.stages
                                       ? loss_curvature_bound(&p->loss)
                                       : loss_usual_curvature(&p->loss),
                      .channels = newton_channels(p),
                      .trace = p->intercept};
    if (!newton_memory(&s))
        return error_memory(error);
    sotto_status status =
        solver_tell(progress, context, (solver_stage){.name = "scales"}, error);
    if (status == SOTTO_OK)
        status = newton_ask_columns(&s.columns, c, &set->rule, error);
    for (int64_t j = 0; j < s.p; j++)
        s.trace += s.columns.energy[j];
    s.trace = fmax(s.trace, LEAST_ENERGY * (double)s.d);
    if (status == SOTTO_OK && p->classes)
        status =
            newton_classes_run(&s, out, from->start, progress, context, error);
    else if (status == SOTTO_OK)
        status = newton_alone(&s, out, from->start, progress, context, error);
    mem_free(s.memory);
    return status;
}
