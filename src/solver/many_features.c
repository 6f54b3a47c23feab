/*
 * For more features than rows, without an L1 penalty: gradient descent in the
 * features' own directions, which are all taken alike. The records' gradients
 * are shortened together, and the step is as long as its noise allows.
 *
 *   1 response   as newton_shape.c has it
 *   2 lengths    R, which about 70 % of the rows are not longer than
 *   3 step       x / k in units of R, x as large as the noise that it makes
 *                in T rounds lets be, 12 at most
 *   4 rounds     u = prox(u - noisy gradient), and the mean of the last
 *   5 few        of very many features only weights of VISIBLE times their
 *                noise, or more, are released: a model of a million numbers is
 *                of no use, and almost all of it would be noise
 *   6 guard      against a model that is worse than a constant
 */
#include "newton.h"

#include <math.h>
#include <string.h>

#define LONGEST_STEP 12
#define LEAST_CLIP .7
#define SPREAD .5
#define MOST_NOISE .15 /* of what can be gained */
#define VISIBLE 3
#define VERY_MANY 100000

typedef struct wide_state {
    const solver_problem *problem;
    const newton_settings *settings;
    curator *curator;
    newton_response response;
    double unit; /* of features: b R */
    double step; /* x */
    double clip;
    double *scale; /* of features and the intercept */
    double *u, *sum, *gradient, *weight;
    int64_t count;
} wide_state;

/* ---- 2 ---- */

/* One scale for all features: the largest bound, or 1 where some have none. */
static double common_bound(const newton_settings *set, int64_t features)
{
    double most = 0;
    for (int64_t j = 0; j < features; j++)
        most = fmax(most, set->reach[j]);
    return isfinite(most) && most > 0 ? within(most, 0x1p-90, 0x1p90) : 1;
}

/* Where bounds are missing, rows may have any length: the octave of most. */
static sotto_status wide_lengths(wide_state *s, sotto_error *error)
{
    int64_t p = s->problem->features;
    double bound = common_bound(s->settings, p), part;
    int any = s->settings->facts.unbounded > 0;
    ask_shape what = {.kind = any ? ASK_ROW_COUNTS : ASK_ROW_QUANTILE,
                      .bound = s->weight,
                      .length = 1};
    for (int64_t j = 0; j < p; j++)
        s->weight[j] = bound;
    sotto_status status =
        any ? newton_ask_octave(s->curator, &what, &part, error)
            : newton_ask_quantile(s->curator, &what, sqrt((double)p), &part,
                                  error);
    s->unit = within(bound * part, 0x1p-90, 0x1p90);
    return status;
}

/* ---- 3 ---- */

/* The penalty sees the noise in all directions. */
static double penalty_of_noise(const wide_state *s, double step)
{
    double t = (double)s->settings->rule.rounds;
    double k = loss_usual_curvature(&s->problem->loss);
    return s->problem->l2 / (s->unit * s->unit) * (step / k) *
           (double)s->problem->features * t * t;
}

static void wide_step(wide_state *s)
{
    const budget_split *r = &s->settings->rule;
    double k = loss_usual_curvature(&s->problem->loss);
    double t = (double)r->rounds, budget = r->strength * r->strength;
    double reach, tail;
    for (s->step = LONGEST_STEP;; s->step /= 1.1) {
        double noise = 1 + s->step * t * t;
        tail = newton_tail(&s->problem->loss, r, noise);
        reach = fmax(fmax(LEAST_CLIP, 1 + .7 * tail) * s->response.slope,
                     s->response.least);
        double lost = .5 * 4 * reach * reach * (1 + s->step) / k /
                      (budget * r->gradients) *
                      (noise - 1 + penalty_of_noise(s, s->step));
        if (lost <= MOST_NOISE * s->response.gain || s->step < 1e-6)
            break;
    }
    double length = sqrt((1 + s->step) / k);
    s->clip =
        length * fmax(fmax(LEAST_CLIP, 1 + SPREAD * tail) * s->response.slope,
                      s->response.least);
    s->clip = within(s->clip, 1e-25, 1e25);
    for (int64_t j = 0; j < s->problem->features; j++)
        s->scale[j] = sqrt(s->step / k) / s->unit;
    s->scale[s->problem->features] = 1 / sqrt(k);
}

/* ---- 4 ---- */

static void wide_tell(wide_state *s, const double *u)
{
    for (int64_t j = 0; j < s->count; j++)
        s->weight[j] = u[j] * s->scale[j];
    curator_tell_all(s->curator, s->weight);
}

static double wide_prox(const wide_state *s, int64_t j, double to)
{
    const solver_problem *p = s->problem;
    double scale = s->scale[j];
    double unit = s->settings->unit ? s->settings->unit[j] : 1;
    double l1 = p->l1 * unit * scale, l2 = p->l2 * unit * unit * scale * scale;
    double size = fmax(0, fabs(to) - l1) / (1 + l2);
    return within(copysign(size, to), p->low / scale, p->high / scale);
}

static sotto_status wide_round(wide_state *s, int averaged, sotto_error *error)
{
    int64_t p = s->problem->features;
    sotto_status status =
        curator_ask_gradient(s->curator, s->clip, s->scale, s->gradient, error);
    for (int64_t j = 0; status == SOTTO_OK && j < s->count; j++) {
        double to = s->u[j] - s->gradient[j];
        s->u[j] = j < p ? wide_prox(s, j, to) : to;
        s->sum[j] += averaged ? s->u[j] : 0;
    }
    if (status == SOTTO_OK)
        wide_tell(s, s->u);
    return status;
}

static sotto_status wide_rounds(wide_state *s, solver_progress progress,
                                void *context, sotto_error *error)
{
    int64_t rounds = s->settings->rule.rounds;
    int64_t from = s->settings->rule.first_rounds, p = s->problem->features;
    if (s->problem->intercept)
        s->u[p] = s->response.constant / s->scale[p];
    wide_tell(s, s->u);
    for (int64_t t = 0; t < rounds; t++) {
        sotto_status status = wide_round(s, t >= from, error);
        if (status != SOTTO_OK)
            return status;
        status = solver_tell(progress, context,
                             solver_rounds("rounds", t + 1, rounds), error);
        if (status != SOTTO_OK)
            return status;
    }
    for (int64_t j = 0; j < s->count; j++)
        s->u[j] = s->sum[j] / (double)(rounds - from);
    wide_tell(s, s->u);
    return SOTTO_OK;
}

/* ---- 5 ---- */

/* A weight is the mean of its last values. What the noise of a round adds is
   in all values from then on, but for what the penalty takes away. */
static double wide_noise(const wide_state *s)
{
    int64_t rounds = s->settings->rule.rounds;
    int64_t from = s->settings->rule.first_rounds;
    double squares = 0;
    for (int64_t t = 0; t < rounds; t++) {
        double part =
            (double)(rounds - (t > from ? t : from)) / (double)(rounds - from);
        squares += part * part;
    }
    return curator_noise(s->curator) * sqrt(squares);
}

static void wide_leave_out(wide_state *s)
{
    const solver_problem *p = s->problem;
    double least = VISIBLE * wide_noise(s);
    if (s->settings->all_weights || p->features <= VERY_MANY || p->low > 0 ||
        p->high < 0)
        return;
    for (int64_t j = 0; j < p->features; j++)
        s->u[j] = fabs(s->u[j]) < least ? 0 : s->u[j];
    wide_tell(s, s->u);
}

/* ---- 6 ---- */

static sotto_status wide_finish(wide_state *s, solver_answer *out,
                                sotto_error *error)
{
    const solver_problem *p = s->problem;
    double constant = p->intercept ? s->response.constant : 0, change, sd;
    double price = 0, width = s->response.width;
    double most = loss_has_classes(p->loss.kind) ? 1.5 : 2 * width * width;
    sotto_status status = curator_ask_change(
        s->curator, constant, within(most, 1e-25, 1e25), &change, &sd, error);
    for (int64_t j = 0; j < p->features; j++) {
        double unit = s->settings->unit ? s->settings->unit[j] : 1;
        double w = s->weight[j] * unit;
        price += p->l1 * fabs(w) + p->l2 * w * w / 2;
    }
    int worse = change + price > 2 * sd && p->low <= 0 && p->high >= 0;
    for (int64_t j = 0; status == SOTTO_OK && j < p->features; j++) {
        int none = worse || s->weight[j] == 0;
        out->weight[j] = none ? 0 : (double)(float)s->weight[j];
        solver_note(out, p, j,
                    none ? 0 : curator_noise(s->curator) * s->scale[j]);
    }
    out->intercept = !p->intercept ? 0
                     : worse       ? s->response.released
                                   : (double)(float)s->weight[p->features];
    return status;
}

sotto_status many_features_run(solver_answer *out, curator *c,
                               const solver_problem *p,
                               const newton_settings *set,
                               solver_progress progress, void *context,
                               sotto_error *error)
{
    int64_t n = p->features + 1;
    double *memory = mem_zeroed((size_t)(5 * n), sizeof *memory);
    wide_state s = {.problem = p,
                    .settings = set,
                    .curator = c,
                    .count = p->features + p->intercept,
                    .scale = memory,
                    .u = memory + n,
                    .sum = memory + 2 * n,
                    .gradient = memory + 3 * n,
                    .weight = memory + 4 * n};
    if (!memory)
        return error_memory(error);
    sotto_status status =
        solver_tell(progress, context, (solver_stage){.name = "bounds"}, error);
    if (status == SOTTO_OK)
        status = newton_ask_response(&s.response, c, p, &set->rule,
                                     set->target_reach, error);
    if (status == SOTTO_OK)
        status = solver_tell(progress, context,
                             (solver_stage){.name = "scales"}, error);
    if (status == SOTTO_OK)
        status = wide_lengths(&s, error);
    if (status == SOTTO_OK) {
        wide_step(&s);
        status = wide_rounds(&s, progress, context, error);
    }
    if (status == SOTTO_OK) {
        wide_leave_out(&s);
        status = wide_finish(&s, out, error);
    }
    mem_free(memory);
    return status;
}
