/*
 * Training with DP-CD: what it needs, its plan, its settings.
 */
#include "private.h"

#include <math.h>
#include <string.h>

static sotto_status cd_check(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_PASSES) &&
        option_given(options, OPTION_STEPS))
        return error_set(error, SOTTO_USAGE,
                         "expected one of --passes and --steps");
    if (option_is(options, OPTION_LOSS, "hinge"))
        return error_set(error, SOTTO_USAGE,
                         "--solver cd: the hinge loss is not smooth; expected "
                         "squared, logistic, squared-hinge or huber");
    return SOTTO_OK;
}

/* ---- settings ---- */

/* Steps in a round: given, or so many passes over all coordinates. */
static int64_t cd_steps(const sotto_options *options, int64_t coordinates)
{
    if (option_given(options, OPTION_STEPS))
        return option_integer(options, OPTION_STEPS);
    return coordinates * (option_given(options, OPTION_PASSES)
                              ? option_integer(options, OPTION_PASSES)
                              : 20);
}

static cd_order cd_order_of(const sotto_options *options)
{
    return option_is(options, OPTION_ORDER, "uniform")  ? CD_UNIFORM
           : option_is(options, OPTION_ORDER, "cyclic") ? CD_CYCLIC
                                                        : CD_PERMUTED;
}

static double cd_sum(const solver_run *r)
{
    double sum = 0;
    for (int64_t j = 0; j < r->facts.features + r->problem.intercept; j++)
        sum += r->smooth.m[j];
    return sum;
}

/* Without --clip: a record's slope is about 1, and then its part of
   coordinate j about sqrt(M_j / curvature). */
static double cd_clip(const solver_run *r)
{
    return option_given(r->options, OPTION_CLIP)
               ? option_number(r->options, OPTION_CLIP)
               : sqrt(cd_sum(r) / loss_curvature_bound(&r->problem.loss));
}

static cd_settings cd_make_settings(const solver_run *r)
{
    const sotto_options *options = r->options;
    int64_t coordinates = r->facts.features + r->problem.intercept;
    return (cd_settings){.rounds = option_integer(options, OPTION_ROUNDS),
                         .steps = cd_steps(options, coordinates),
                         .step_size = option_number(options, OPTION_STEP_SIZE),
                         .clip = cd_clip(r),
                         .average = option_given(options, OPTION_AVERAGE)
                                        ? option_number(options, OPTION_AVERAGE)
                                        : .5,
                         .order = cd_order_of(options),
                         .smoothness = r->smooth.m};
}

/* Thresholds are C sqrt(M_j / sum M). */
static sotto_status cd_ready(const solver_run *r, sotto_error *error)
{
    if (!r->smooth.m || isinf(cd_clip(r)))
        return SOTTO_OK;
    return fit_check_thresholds(r, cd_clip(r) / sqrt(cd_sum(r)), FIT_LEAST_CLIP,
                                FIT_MOST_CLIP, error);
}

/* ---- noise ---- */

/* The DP-CD paper's own formulas; the statement gives what they cost. */
static sotto_status paper_noise(solver_run *r, sotto_error *error)
{
    int theorem = option_is(r->options, OPTION_CALIBRATION, "theorem");
    ask_item *item = &r->plan.item[0];
    double z = 1;
    if (r->plan.items > 1)
        return error_set(error, SOTTO_USAGE,
                         "--calibration: the paper knows no questions but "
                         "partial derivatives; expected --rows N or another "
                         "adjacency, and --smoothness bounds or FILE");
    sotto_status status = fit_paper_multiplier(
        r, theorem ? "dp-cd-3.1" : "dp-cd-18", (double)item->count, &z, error);
    item->level = 1 / z;
    return status;
}

static sotto_status cd_plan(solver_run *r, sotto_error *error)
{
    double left,
        asked = (double)cd_steps(r->options,
                                 r->facts.features + r->problem.intercept) *
                option_number(r->options, OPTION_ROUNDS);
    if (asked > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--rounds, --steps, --passes: at most 1e9 questions "
                         "in all");
    sotto_status status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    fit_plan_add(r, (ask_item){.kind = ASK_PARTIAL,
                               .count = (int64_t)asked,
                               .level = fit_level(ASK_GAUSSIAN, left, asked)});
    if (r->facts.without_noise)
        return SOTTO_OK;
    return option_is(r->options, OPTION_CALIBRATION, "exact")
               ? fit_calibrate(r, error)
               : paper_noise(r, error);
}

static sotto_status cd_train(const solver_run *r, solver_answer *out,
                             sotto_error *error)
{
    cd_settings settings = cd_make_settings(r);
    return cd_run(out, r->curator, &r->problem, &settings, r->progress,
                  r->context, error);
}

const solver_row fit_cd = {.name = "cd",
                           .smooth = 1,
                           .check = cd_check,
                           .plan = cd_plan,
                           .ready = cd_ready,
                           .run = cd_train};
