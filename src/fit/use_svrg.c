/*
 * Training with DP-SVRG: what it needs, its plan, its settings.
 */
#include "private.h"

#include <math.h>

/* Each is two items of a plan. */
enum { SVRG_MOST_ROUNDS = 12 };

static sotto_status svrg_check(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--solver svrg: expected a finite --clip");
    if (option_integer(options, OPTION_ROUNDS) > SVRG_MOST_ROUNDS)
        return error_set(error, SOTTO_USAGE,
                         "--solver svrg: expected --rounds up to %d",
                         SVRG_MOST_ROUNDS);
    return fit_check_descent(options, "svrg", error);
}

/* A coin can have that rate exactly. */
static double svrg_rate(const sotto_options *options)
{
    return curator_rate(option_given(options, OPTION_BATCH_RATE)
                            ? option_number(options, OPTION_BATCH_RATE)
                            : .05);
}

static int64_t svrg_rounds(const sotto_options *options)
{
    return option_given(options, OPTION_ROUNDS)
               ? option_integer(options, OPTION_ROUNDS)
               : 5;
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
    sotto_status status = fit_check_batches(r->options, rate, all, error);
    if (status == SOTTO_OK)
        status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t s = 0; s < rounds; s++) {
        fit_plan_add(r, (ask_item){.kind = ASK_GRADIENT,
                                   .count = 1,
                                   .level = fit_level(ASK_GAUSSIAN, left / 2,
                                                      (double)rounds)});
        fit_plan_add(r,
                     fit_batches(ASK_DIFFERENCE, steps, left / 2, all, rate));
    }
    return r->facts.without_noise ? SOTTO_OK : fit_calibrate(r, error);
}

static sotto_status svrg_train(const solver_run *r, solver_answer *out,
                               sotto_error *error)
{
    descent_settings usual = fit_descent_settings(r);
    svrg_settings s = {
        .rounds = svrg_rounds(r->options),
        .steps = svrg_steps(r->options),
        .step_size = usual.step_size,
        .clip = usual.clip,
        .difference_clip =
            option_given(r->options, OPTION_DIFFERENCE_CLIP)
                ? option_number(r->options, OPTION_DIFFERENCE_CLIP)
                : usual.clip / 4,
        .rate = svrg_rate(r->options),
        .smoothness = r->smooth.m};
    return svrg_run(out, r->curator, &r->problem, &s, r->progress, r->context,
                    error);
}

const solver_row fit_svrg = {.name = "svrg",
                             .smooth = 1,
                             .check = svrg_check,
                             .plan = svrg_plan,
                             .ready = fit_descent_ready,
                             .run = svrg_train};
