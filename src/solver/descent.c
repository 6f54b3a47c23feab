/*
 * Proximal gradient steps on noisy gradients:
 *
 *   for t = 0 ... T-1:  z = w + momentum (w - the w before)
 *       w_j = prox(z_j - gamma_j (grad_j at z + noise), gamma_j psi_j)
 *   the answer is the average of the last w
 *
 * with gamma_j = X / (M_j (1 + decay t)). That is a common step in
 * coordinates v_j = w_j sqrt(M_j), whose features are x_j / sqrt(M_j): there
 * all features are of one size, and there a record's gradient is clipped, all
 * coordinates together. What a curator is told and all that is computed from
 * its answers is public.
 */
#include "descent.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct descent_state {
    const solver_problem *problem;
    const descent_settings *settings;
    curator *curator;
    const solver_answer *out;
    descent_ask ask;
    int64_t coordinates; /* features, and the intercept */
    double *w, *before, *z, *gradient, *scale, *sum;
} descent_state;

static void descent_look_ahead(descent_state *s)
{
    for (int64_t j = 0; j < s->coordinates; j++)
        s->z[j] = s->w[j] + s->settings->momentum * (s->w[j] - s->before[j]);
    curator_tell_all(s->curator, s->z);
}

/* w_j moves; it stays where the steps have run away beyond all floats. */
static void descent_move(descent_state *s, int64_t j, double step)
{
    const descent_settings *set = s->settings;
    double gamma = step / set->smoothness[j];
    /* in v_j, and the batch's part of it; on average this is w_j's */
    double gradient = s->gradient[j] / (s->scale[j] * set->rate);
    double to = s->z[j] - gamma * gradient;
    solver_note(s->out, s->problem, j,
                gamma * curator_noise(s->curator) / (s->scale[j] * set->rate));
    if (j < s->problem->features) /* the intercept has no penalty */
        to = solver_prox(s->problem, to, gamma);
    s->before[j] = s->w[j];
    if (fabs(to) < (double)FLT_MAX / 4)
        s->w[j] = to;
}

static sotto_status descent_step(descent_state *s, int64_t t,
                                 sotto_error *error)
{
    const descent_settings *set = s->settings;
    descent_look_ahead(s);
    sotto_status status =
        s->ask(s->curator, set->clip, s->scale, s->gradient, error);
    if (status != SOTTO_OK)
        return status;
    double step = set->step_size / (1 + set->decay * (double)t);
    for (int64_t j = 0; j < s->coordinates; j++)
        descent_move(s, j, step);
    return SOTTO_OK;
}

static sotto_status descent_steps(descent_state *s, solver_progress progress,
                                  void *context, sotto_error *error)
{
    int64_t steps = s->settings->steps;
    int64_t tail = (int64_t)ceil(s->settings->average * (double)steps);
    tail = tail < 1 ? 1 : tail;
    for (int64_t t = 0; t < steps; t++) {
        sotto_status status = descent_step(s, t, error);
        if (status != SOTTO_OK)
            return status;
        for (int64_t j = 0; t >= steps - tail && j < s->coordinates; j++)
            s->sum[j] += s->w[j] / (double)tail;
        status = solver_tell(progress, context,
                             solver_rounds("steps", t + 1, steps), error);
        if (status != SOTTO_OK)
            return status;
    }
    return SOTTO_OK;
}

/* One block of memory for all. */
static int descent_memory(descent_state *s)
{
    size_t count = (size_t)s->coordinates;
    double *memory = mem_zeroed(6 * count, sizeof *memory);
    if (!memory)
        return 0;
    s->w = memory;
    s->before = memory + count;
    s->z = memory + 2 * count;
    s->gradient = memory + 3 * count;
    s->scale = memory + 4 * count;
    s->sum = memory + 5 * count;
    return 1;
}

sotto_status descent_run(solver_answer *out, curator *c,
                         const solver_problem *p, const descent_settings *set,
                         descent_ask ask, solver_progress progress,
                         void *context, sotto_error *error)
{
    descent_state s = {
        .problem = p, .settings = set, .curator = c, .out = out, .ask = ask};
    s.coordinates = p->features + p->intercept;
    if (!descent_memory(&s))
        return error_memory(error);
    for (int64_t j = 0; j < s.coordinates; j++)
        s.scale[j] = 1 / sqrt(set->smoothness[j]);
    sotto_status status = descent_steps(&s, progress, context, error);
    if (status == SOTTO_OK) {
        memcpy(out->weight, s.sum, (size_t)p->features * sizeof *out->weight);
        out->intercept = p->intercept ? s.sum[p->features] : 0;
    }
    mem_free(s.w);
    return status;
}

/* ---- what it takes ---- */

/* The curator's bounds of a whole gradient, with room. */
sotto_status descent_ready(const solver_run *r, sotto_error *error)
{
    if (r->facts.features + r->problem.intercept > 1 << 20)
        return error_set(error, SOTTO_USAGE,
                         "--solver %s: at most 2^20 coordinates; expected "
                         "fewer features, or --solver gcd",
                         solver_name(r->solver));
    return solver_check_thresholds(r, 1, 0x1p-99, 0x1p99, error);
}

sotto_status solver_check_batches(const sotto_options *options, double rate,
                                  double steps, sotto_error *error)
{
    if (option_private(options) &&
        rate * steps <= option_number(options, OPTION_DELTA))
        return error_set(error, SOTTO_PRIVACY,
                         "--batch-rate: hardly anybody would be in a batch, "
                         "and whoever is in one would have no noise but "
                         "delta; expected more, or a smaller --delta");
    return SOTTO_OK;
}

/* In coordinates where every feature has smoothness 1 that of all together
   is at most their number: steps of 1 / number are stable. */
double descent_step_size(const solver_run *r)
{
    return option_given(r->options, OPTION_STEP_SIZE)
               ? option_number(r->options, OPTION_STEP_SIZE)
               : 1 / (double)(r->facts.features + r->problem.intercept);
}

/* A record's slope is about 1, and then its gradient there about
   sqrt(number / curvature). */
double descent_clip(const solver_run *r)
{
    double coordinates = (double)(r->facts.features + r->problem.intercept);
    return option_given(r->options, OPTION_CLIP)
               ? option_number(r->options, OPTION_CLIP)
               : sqrt(coordinates / loss_curvature_bound(&r->problem.loss));
}

descent_settings descent_make_settings(const solver_run *r, int64_t steps)
{
    const sotto_options *o = r->options;
    return (descent_settings){
        .steps = steps,
        .step_size = descent_step_size(r),
        .decay = solver_number(o, r->solver, OPTION_DECAY),
        .momentum = solver_number(o, r->solver, OPTION_MOMENTUM),
        .average = solver_number(o, r->solver, OPTION_AVERAGE),
        .clip = descent_clip(r),
        .rate = 1,
        .smoothness = r->smooth.m};
}
