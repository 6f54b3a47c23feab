/*
 * Training with private Frank-Wolfe: what it needs, its plan, its settings.
 */
#include "private.h"

static sotto_status fw_check(const sotto_options *options, sotto_error *error)
{
    double low, high;
    if (!option_given(options, OPTION_RADIUS))
        return error_set(error, SOTTO_USAGE,
                         "--solver fw: expected --radius R: the weights are "
                         "kept in an L1 ball");
    if (option_pair(options, OPTION_BOX, &low, &high))
        return error_set(error, SOTTO_USAGE,
                         "--solver fw: the L1 ball is all there is; for boxes "
                         "expected --solver bcfw");
    return fit_check_frank_wolfe(options, error);
}

/* The intercept's way is a question of its own. */
static double fw_each(const private_run *r)
{
    return 1 + r->task.intercept;
}

static sotto_status fw_plan(private_run *r, sotto_error *error)
{
    if (fit_steps_wait(r))
        return fit_plan_waiting(r, fw_each(r), error);
    sotto_status status = fit_usual_steps(r, &r->steps, error);
    return status == SOTTO_OK
               ? fit_plan_vertices(r, fw_each(r) * r->steps, error)
               : status;
}

static void fw_later(const private_run *r, double steps, double share,
                     ask_plan *out)
{
    fit_later_vertices(fw_each(r) * steps, share, out);
}

static sotto_status fw_train(private_run *r, const solver_problem *p,
                             solver_answer *out, solver_progress progress,
                             void *context, sotto_error *error)
{
    fw_settings settings = {.steps = (int64_t)r->steps,
                            .radius = option_number(r->options, OPTION_RADIUS),
                            .intercept = fit_intercept_radius(r),
                            .clip = fit_vertex_clip(r->options)};
    return fw_run(out, r->curator, p, &settings, progress, context, error);
}

const private_solver fit_fw = {.name = "fw",
                               .check = fw_check,
                               .plan = fw_plan,
                               .later = fw_later,
                               .run = fw_train};
