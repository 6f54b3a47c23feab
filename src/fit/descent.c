/*
 * What training with gradient steps takes, of all records or of samples: the
 * options that count, and settings by rules that know public values only.
 */
#include "private.h"

#include <math.h>
#include <string.h>

sotto_status fit_check_descent(const sotto_options *options, const char *solver,
                               sotto_error *error)
{
    int hinge = option_is(options, OPTION_LOSS, "hinge");
    if (hinge && strcmp(solver, "sgd") != 0)
        return error_set(error, SOTTO_USAGE,
                         "--solver %s: the hinge loss is not smooth; expected "
                         "squared, logistic, squared-hinge or huber",
                         solver);
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    if (hinge && (!option_given(options, OPTION_CLIP) || !how ||
                  !strcmp(how, "bounds") || !strncmp(how, "private", 7)))
        return error_set(error, SOTTO_USAGE,
                         "--solver sgd: the hinge loss has no curvature to go "
                         "by: expected --clip and --smoothness FILE");
    return SOTTO_OK;
}

/* The curator's bounds of a whole gradient, with room. */
sotto_status fit_descent_ready(const solver_run *r, sotto_error *error)
{
    if (r->facts.features + r->problem.intercept > 1 << 20)
        return error_set(error, SOTTO_USAGE,
                         "--solver %s: at most 2^20 coordinates; expected "
                         "fewer features, or --solver gcd",
                         r->solver->name);
    return fit_check_thresholds(r, 1, 0x1p-99, 0x1p99, error);
}

sotto_status fit_check_batches(const sotto_options *options, double rate,
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

int64_t fit_descent_steps(const sotto_options *options)
{
    return option_given(options, OPTION_STEPS)
               ? option_integer(options, OPTION_STEPS)
               : 100;
}

static double given_or(const sotto_options *options, option_id id,
                       double standard)
{
    return option_given(options, id) ? option_number(options, id) : standard;
}

/*
 * In coordinates where every feature has smoothness 1 that of all together
 * is at most their number: steps of 1 / number are stable. A record's slope
 * is about 1, and then its gradient there about sqrt(number / curvature).
 */
descent_settings fit_descent_settings(const solver_run *r)
{
    const sotto_options *options = r->options;
    double coordinates = (double)(r->facts.features + r->problem.intercept);
    double curvature = loss_curvature_bound(&r->problem.loss);
    return (descent_settings){
        .steps = fit_descent_steps(options),
        .step_size = given_or(options, OPTION_STEP_SIZE, 1 / coordinates),
        .decay = option_number(options, OPTION_DECAY),
        .momentum = given_or(options, OPTION_MOMENTUM, 0),
        .average = given_or(options, OPTION_AVERAGE, .7),
        .clip = given_or(options, OPTION_CLIP, sqrt(coordinates / curvature)),
        .rate = 1,
        .smoothness = r->smooth.m};
}
