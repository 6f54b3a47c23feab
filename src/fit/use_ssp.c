/*
 * Training with sufficient statistics: what it needs, its plan, its settings.
 */
#include "private.h"

#include <math.h>

/* Beyond that the matrix takes too long. */
enum { SSP_MOST_FEATURES = 1000 };

static sotto_status ssp_check(const sotto_options *options, sotto_error *error)
{
    if (!option_is(options, OPTION_LOSS, "squared"))
        return error_set(error, SOTTO_USAGE,
                         "--solver ssp: second moments are enough for the "
                         "squared loss only; expected --loss squared");
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--solver ssp: rows go on a grid; expected a finite "
                         "--clip");
    return SOTTO_OK;
}

static sotto_status ssp_plan(solver_run *r, sotto_error *error)
{
    double left;
    if (r->facts.features > SSP_MOST_FEATURES)
        return error_set(error, SOTTO_USAGE,
                         "--solver ssp: at most %d features; expected --solver "
                         "auto",
                         SSP_MOST_FEATURES);
    sotto_status status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    fit_plan_add(r, (ask_item){.kind = ASK_CROSS,
                               .count = 1,
                               .level = fit_level(ASK_GAUSSIAN, left, 1)});
    return r->facts.without_noise ? SOTTO_OK : fit_calibrate(r, error);
}

/* Rows in units of sqrt(M_j). */
static sotto_status ssp_ready(const solver_run *r, sotto_error *error)
{
    return fit_check_thresholds(r, 1, 0x1p-99, 0x1p99, error);
}

static sotto_status ssp_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    const solver_problem *p = &r->problem;
    int64_t d = p->features + p->intercept;
    double reach = r->smooth.target_reach;
    double *scale = mem_zeroed((size_t)p->features, sizeof *scale);
    if (!scale)
        return error_memory(error);
    for (int64_t j = 0; j < p->features; j++)
        scale[j] = sqrt(r->smooth.m[j]);
    /* with bounds that hold no row is longer than the default */
    ssp_settings s = {.reach = option_given(r->options, OPTION_CLIP)
                                   ? option_number(r->options, OPTION_CLIP)
                                   : sqrt((double)d + 1),
                      .scale = scale,
                      .target_scale = isfinite(reach) && reach > 0 ? reach : 1};
    sotto_status status = ssp_run(out, r->curator, p, &s, error);
    mem_free(scale);
    if (status == SOTTO_OK && r->progress && r->progress(r->context, 1))
        status = error_set(error, SOTTO_INTERRUPTED, "interrupted");
    return status;
}

const solver_row fit_ssp = {.name = "ssp",
                            .smooth = 1,
                            .check = ssp_check,
                            .plan = ssp_plan,
                            .ready = ssp_ready,
                            .run = ssp_train};
