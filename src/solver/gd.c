/*
 * DP-GD: every step asks for the whole gradient of all records, with Gaussian
 * noise; T steps of mu are exactly one of sqrt(T) mu.
 */
#include "descent.h"

sotto_status gd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const descent_settings *s, solver_progress progress,
                    void *context, sotto_error *error)
{
    return descent_run(out, c, p, s, curator_ask_gradient, progress, context,
                       error);
}

/* ---- planning it ---- */

static const solver_option gd_options[] = {
    {OPTION_STEPS, "100", "how many steps"},
    DESCENT_STEP_SIZE,
    {OPTION_DECAY, "0", "step t, from 0 on, is divided by 1 + X t"},
    {OPTION_MOMENTUM, "0.9",
     "look ahead by X times the last move before each step (0 where "
     "--step-size is given)"},
    {OPTION_AVERAGE, "0.7", "the last part of the steps that is averaged"},
    DESCENT_CLIP,
    SOLVER_SMOOTHNESS,
    {0}};

static int64_t gd_steps(const sotto_options *options)
{
    return (int64_t)solver_number(options, &solver_gd, OPTION_STEPS);
}

static sotto_status gd_plan(solver_run *r, sotto_error *error)
{
    int64_t steps = gd_steps(r->options);
    double left;
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(r, (ask_item){.kind = ASK_GRADIENT,
                                  .count = steps,
                                  .level = solver_level(ASK_GAUSSIAN, left,
                                                        (double)steps)});
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
}

static sotto_status gd_train(const solver_run *r, solver_answer *out,
                             sotto_error *error)
{
    descent_settings settings = descent_make_settings(r, gd_steps(r->options));
    /* the default step is sure to be stable, and so short for most records;
       of a step that was chosen nothing is known */
    if (!option_given(r->options, OPTION_MOMENTUM) &&
        option_given(r->options, OPTION_STEP_SIZE))
        settings.momentum = 0;
    return gd_run(out, r->curator, &r->problem, &settings, r->progress,
                  r->context, error);
}

const solver_row solver_gd = {.summary = "gradient descent",
                              .by_rows = 1,
                              .options = gd_options,
                              .smooth = 1,
                              .needs = &solver_needs_smooth,
                              .plan = gd_plan,
                              .ready = descent_ready,
                              .run = gd_train};
