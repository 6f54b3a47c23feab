/*
 * From a budget to noise: a plan's levels are shares at first, and then the
 * accountant says by how much all of them have to be divided.
 */
#include "planning.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void solver_plan_add(solver_run *r, ask_item item)
{
    assert(r->plan.items < ASK_MOST_ITEMS);
    r->plan.item[r->plan.items++] = item;
}

double solver_level(ask_noise noise, double share, double count)
{
    return ask_mechanism_of(noise)->level(share / count, 1);
}

ask_item solver_batches(ask_kind kind, int64_t count, double share, double all,
                        double rate)
{
    ask_noise noise = rate < 1 ? ASK_SAMPLED : ASK_GAUSSIAN;
    return (ask_item){.kind = kind,
                      .count = count,
                      .noise = noise,
                      .rate = rate,
                      .level =
                          ask_mechanism_of(noise)->level(share / all, rate)};
}

sotto_status solver_plan_begin(solver_run *r, ask_noise noise, double *left,
                               sotto_error *error)
{
    double constants, total = r->facts.rows > 0 ? 0 : .01;
    sotto_status status = solver_constants_share(r, &constants, error);
    r->plan = (ask_plan){0};
    if (status != SOTTO_OK)
        return status;
    if (total > 0)
        solver_plan_add(r, (ask_item){.kind = ASK_TOTAL,
                                      .count = 1,
                                      .noise = noise,
                                      .level = solver_level(noise, total, 1)});
    *left = 1 - total - constants;
    return constants > 0 ? solver_constants_add(r, constants, error) : SOTTO_OK;
}

sotto_status solver_check_thresholds(const solver_run *r, double unit,
                                     double low, double high,
                                     sotto_error *error)
{
    int64_t coordinates = r->facts.features + r->problem.intercept;
    if (!r->smooth.m || ask_planned(&r->plan, ASK_MOMENTS))
        return SOTTO_OK; /* not known yet */
    for (int64_t j = 0; j < coordinates; j++) {
        double threshold = unit * sqrt(r->smooth.m[j]);
        if (!(threshold >= low && threshold <= high))
            return error_set(error, SOTTO_USAGE,
                             "--smoothness (or declared bounds) and --clip: "
                             "coordinate %lld has a threshold of %s; "
                             "expected thresholds from %s to %s",
                             (long long)j + 1,
                             sotto_number_print(threshold, 3).text,
                             sotto_number_print(low, 3).text,
                             sotto_number_print(high, 3).text);
    }
    return SOTTO_OK;
}

/* ---- calibration ---- */

sotto_status solver_whole_level(const solver_run *r, double *level,
                                sotto_error *error)
{
    solver_run one = *r;
    *level = 1e3;
    if (r->facts.without_noise)
        return SOTTO_OK;
    one.plan = (ask_plan){0};
    solver_plan_add(&one,
                    (ask_item){.kind = ASK_LATER, .count = 1, .level = 1});
    sotto_status status = solver_calibrate(&one, error);
    *level = one.plan.item[0].level;
    return status;
}

sotto_status solver_calibrate(solver_run *r, sotto_error *error)
{
    return curator_calibrate(&r->plan, r->facts.adjacency, r->facts.features,
                             option_number(r->options, OPTION_EPSILON),
                             option_number(r->options, OPTION_DELTA), error);
}

/* ---- the papers' own ---- */

sotto_status solver_paper_multiplier(const solver_run *r, const char *name,
                                     double steps, double rate, double *z,
                                     sotto_error *error)
{
    for (int64_t i = 0; account_paper_at(i); i++)
        if (!strcmp(account_paper_at(i)->name, name))
            return account_paper_multiplier(
                i, steps, rate, option_number(r->options, OPTION_EPSILON),
                option_number(r->options, OPTION_DELTA), z, error);
    return error_set(error, SOTTO_FAILED, "the paper's formula is not there");
}
