/*
 * DP-SVRG (Johnson and Zhang 2013, with noise as Wang, Ye and Xu 2017):
 *
 *   for s = 1 ... S:  the anchor is the average of the last round (0 at first)
 *       h = the gradient at the anchor, clipped by C1, + noise
 *       for t = 1 ... m:
 *           g = the batch's clipped differences / q + noise + h
 *           w_j = prox(w_j - gamma_j g_j, gamma_j psi_j)
 *   the answer is the average of the last round
 *
 * in coordinates v_j = w_j sqrt(M_j), as descent.c. Clipping each difference,
 * not each gradient, makes the noise of a batch that of how far the iterate
 * has gone. What a curator is told and all that is computed from its answers
 * is public.
 */
#include "descent.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct svrg_settings {
    int64_t rounds;         /* S: each asks for a whole gradient */
    int64_t steps;          /* m: batches in a round */
    double step_size;       /* steps are this / M_j */
    double clip;            /* C1: of a record's gradient */
    double difference_clip; /* C2: of how much it differs from the anchor's */
    double rate;            /* q: of the batches */
    const double *smoothness;
} svrg_settings;

typedef struct svrg_state {
    const solver_problem *problem;
    const svrg_settings *settings;
    curator *curator;
    const solver_answer *out;
    int64_t coordinates; /* features, and the intercept */
    double *w, *whole, *gradient, *scale, *sum;
    double whole_noise; /* sd */
} svrg_state;

/* w_j moves; it stays where the steps have run away beyond all floats. */
static void svrg_move(svrg_state *s, int64_t j)
{
    const svrg_settings *set = s->settings;
    double gamma = set->step_size / set->smoothness[j];
    double g = s->gradient[j] / set->rate + s->whole[j];
    double noise = hypot(curator_noise(s->curator) / set->rate, s->whole_noise);
    double to = s->w[j] - gamma * g / s->scale[j];
    solver_note(s->out, s->problem, j, gamma * noise / s->scale[j]);
    if (j < s->problem->features) /* the intercept has no penalty */
        to = solver_prox(s->problem, to, gamma);
    if (fabs(to) < (double)FLT_MAX / 4)
        s->w[j] = to;
}

static sotto_status svrg_anchor(svrg_state *s, sotto_error *error)
{
    curator_tell_all(s->curator, s->w);
    sotto_status status = curator_tell_anchor(s->curator, error);
    if (status == SOTTO_OK)
        status = curator_ask_gradient(s->curator, s->settings->clip, s->scale,
                                      s->whole, error);
    s->whole_noise = curator_noise(s->curator);
    return status;
}

static sotto_status svrg_round(svrg_state *s, int64_t round,
                               solver_progress progress, void *context,
                               sotto_error *error)
{
    const svrg_settings *set = s->settings;
    double done = (double)round, steps = (double)set->steps;
    sotto_status status = svrg_anchor(s, error);
    memset(s->sum, 0, (size_t)s->coordinates * sizeof *s->sum);
    for (int64_t t = 0; t < set->steps && status == SOTTO_OK; t++) {
        curator_tell_all(s->curator, s->w);
        status = curator_ask_difference(s->curator, set->difference_clip,
                                        s->scale, s->gradient, error);
        for (int64_t j = 0; status == SOTTO_OK && j < s->coordinates; j++) {
            svrg_move(s, j);
            s->sum[j] += s->w[j] / steps;
        }
        double share = (done + (double)(t + 1) / steps) / (double)set->rounds;
        solver_stage at = {share, "rounds", round + 1, set->rounds};
        if (status == SOTTO_OK)
            status = solver_tell(progress, context, at, error);
    }
    memcpy(s->w, s->sum, (size_t)s->coordinates * sizeof *s->w);
    return status;
}

static sotto_status svrg_run(solver_answer *out, curator *c,
                             const solver_problem *p, const svrg_settings *set,
                             solver_progress progress, void *context,
                             sotto_error *error)
{
    svrg_state s = {.problem = p, .settings = set, .curator = c, .out = out};
    sotto_status status = SOTTO_OK;
    s.coordinates = p->features + p->intercept;
    size_t count = (size_t)s.coordinates;
    double *memory = mem_zeroed(5 * count, sizeof *memory);
    if (!memory)
        return error_memory(error);
    s.w = memory;
    s.whole = memory + count;
    s.gradient = memory + 2 * count;
    s.scale = memory + 3 * count;
    s.sum = memory + 4 * count;
    for (size_t j = 0; j < count; j++)
        s.scale[j] = 1 / sqrt(set->smoothness[j]);
    for (int64_t r = 0; r < set->rounds && status == SOTTO_OK; r++)
        status = svrg_round(&s, r, progress, context, error);
    if (status == SOTTO_OK) {
        memcpy(out->weight, s.w, (size_t)p->features * sizeof *out->weight);
        out->intercept = p->intercept ? s.w[p->features] : 0;
    }
    mem_free(memory);
    return status;
}

/* ---- planning it ---- */

/* Each is two items of a plan. */
enum { SVRG_MOST_ROUNDS = 12 };

static const solver_option svrg_options[] = {
    {OPTION_ROUNDS, "5",
     "rounds, each with a gradient of all rows; at most 12"},
    {OPTION_STEPS, "1 / batch rate", "batches in a round"},
    {OPTION_BATCH_RATE, "0.05",
     "the probability with which a row (with --unit-column, a person) is in a "
     "batch, by a secret coin; 1: always"},
    DESCENT_STEP_SIZE,
    DESCENT_CLIP,
    {OPTION_DIFFERENCE_CLIP, "a quarter of the clip",
     "how far a record's gradient may differ from that at the anchor"},
    SOLVER_SMOOTHNESS,
    {0}};

static int64_t svrg_rounds(const sotto_options *options)
{
    return (int64_t)solver_number(options, &solver_svrg, OPTION_ROUNDS);
}

static sotto_status svrg_check(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--solver svrg: expected a finite --clip");
    if (svrg_rounds(options) > SVRG_MOST_ROUNDS)
        return error_set(error, SOTTO_USAGE,
                         "--solver svrg: expected --rounds up to %d",
                         SVRG_MOST_ROUNDS);
    return SOTTO_OK;
}

/* A coin can have that rate exactly. */
static double svrg_rate(const sotto_options *options)
{
    return curator_rate(
        solver_number(options, &solver_svrg, OPTION_BATCH_RATE));
}

/* Given, or so many that each row is expected in one batch of a round. */
static int64_t svrg_steps(const sotto_options *options)
{
    return option_given(options, OPTION_STEPS)
               ? option_integer(options, OPTION_STEPS)
               : (int64_t)ceil(fmin(1 / svrg_rate(options), 1e9));
}

static sotto_status svrg_plan(solver_run *r, sotto_error *error)
{
    double left, rate = svrg_rate(r->options);
    int64_t rounds = svrg_rounds(r->options), steps = svrg_steps(r->options);
    double all = (double)rounds * (double)steps;
    sotto_status status = solver_check_batches(r->options, rate, all, error);
    if (status == SOTTO_OK)
        status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t s = 0; s < rounds; s++) {
        solver_plan_add(r,
                        (ask_item){.kind = ASK_GRADIENT,
                                   .count = 1,
                                   .level = solver_level(ASK_GAUSSIAN, left / 2,
                                                         (double)rounds)});
        solver_plan_add(
            r, solver_batches(ASK_DIFFERENCE, steps, left / 2, all, rate));
    }
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
}

static sotto_status svrg_train(const solver_run *r, solver_answer *out,
                               sotto_error *error)
{
    double clip = descent_clip(r);
    svrg_settings s = {
        .rounds = svrg_rounds(r->options),
        .steps = svrg_steps(r->options),
        .step_size = descent_step_size(r),
        .clip = clip,
        .difference_clip =
            option_given(r->options, OPTION_DIFFERENCE_CLIP)
                ? option_number(r->options, OPTION_DIFFERENCE_CLIP)
                : clip / 4,
        .rate = svrg_rate(r->options),
        .smoothness = r->smooth.m};
    return svrg_run(out, r->curator, &r->problem, &s, r->progress, r->context,
                    error);
}

const solver_row solver_svrg = {
    .by_rows = 1,
    .summary = "gradient descent, with batches of how records have changed",
    .options = svrg_options,
    .smooth = 1,
    .needs = &solver_needs_smooth,
    .check = svrg_check,
    .plan = svrg_plan,
    .ready = descent_ready,
    .run = svrg_train};
