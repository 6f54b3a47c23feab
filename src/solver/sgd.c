/*
 * DP-SGD: every step asks for the gradient of a fresh batch, into which each
 * person comes by a secret coin of their own. Steps as those of DP-GD.
 */
#include "descent.h"

#include <math.h>
#include <string.h>

sotto_status sgd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const descent_settings *s, solver_progress progress,
                     void *context, sotto_error *error)
{
    return descent_run(out, c, p, s, curator_ask_batch, progress, context,
                       error);
}

/* ---- planning it ---- */

static const solver_option sgd_options[] = {
    {OPTION_PASSES, "10", "how often each row is expected in a batch"},
    {OPTION_STEPS, "passes / batch rate", "how many steps, instead"},
    {OPTION_BATCH_RATE, "0.02, or 10 / --rows where that is more",
     "the probability with which a row (with --unit-column, a person) is in a "
     "batch, by a secret coin; 1: always"},
    DESCENT_STEP_SIZE,
    {OPTION_DECAY, "0", "step t, from 0 on, is divided by 1 + X t"},
    {OPTION_MOMENTUM, "0", "look ahead by X times the last move"},
    {OPTION_AVERAGE, "0.7", "the last part of the steps that is averaged"},
    DESCENT_CLIP,
    SOLVER_SMOOTHNESS,
    {0}};

static sotto_status sgd_check(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--solver sgd: expected a finite --clip");
    const char *name = option_text(options, OPTION_LOSS);
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    int no_constants = !option_given(options, OPTION_CLIP) || !how ||
                       !strcmp(how, "bounds") || !strncmp(how, "private", 7);
    if (no_constants && !loss_named_has(name, loss_is_smooth))
        return error_set(error, SOTTO_USAGE,
                         "--solver sgd: the %s loss has no curvature to go by: "
                         "expected --clip and --smoothness FILE",
                         name);
    return SOTTO_OK;
}

/* A coin can have that rate exactly. Not given: 0.02, or what makes batches
   of ten where fewer rows were declared. */
static double sgd_rate(const sotto_options *options)
{
    double rate = .02;
    if (option_given(options, OPTION_ROWS))
        rate = fmin(1, fmax(rate, 10 / option_number(options, OPTION_ROWS)));
    return curator_rate(option_given(options, OPTION_BATCH_RATE)
                            ? option_number(options, OPTION_BATCH_RATE)
                            : rate);
}

/* Given, or so many that each row is expected in so many batches. */
static double sgd_steps(const sotto_options *options)
{
    double passes = solver_number(options, &solver_sgd, OPTION_PASSES);
    return option_given(options, OPTION_STEPS)
               ? option_number(options, OPTION_STEPS)
               : ceil(passes / sgd_rate(options));
}

static sotto_status sgd_plan(solver_run *r, sotto_error *error)
{
    double left, rate = sgd_rate(r->options), steps = sgd_steps(r->options);
    if (steps > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--passes, --steps, --batch-rate: at most 1e9 steps "
                         "in all");
    sotto_status status = solver_check_batches(r->options, rate, steps, error);
    if (status == SOTTO_OK)
        status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(
        r, solver_batches(ASK_BATCH, (int64_t)steps, left, steps, rate));
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
}

static sotto_status sgd_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    descent_settings settings =
        descent_make_settings(r, (int64_t)sgd_steps(r->options));
    settings.rate = sgd_rate(r->options);
    return sgd_run(out, r->curator, &r->problem, &settings, r->progress,
                   r->context, error);
}

const solver_row solver_sgd = {.summary = "gradient descent on random batches",
                               .by_rows = 1,
                               .options = sgd_options,
                               .smooth = 1,
                               .check = sgd_check,
                               .plan = sgd_plan,
                               .ready = descent_ready,
                               .run = sgd_train};
