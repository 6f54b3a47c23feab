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

/* The part of mu^2 that finds the levels of so many columns. The threshold is
   as sqrt(columns / share): this way it grows with their fourth root, and the
   rest loses at most a tenth of its mu. */
#define LEVELS_SHARE .05
#define LEVELS_MOST .2

double solver_levels_share(const solver_facts *f)
{
    return fmin(LEVELS_SHARE * sqrt((double)f->level_columns), LEVELS_MOST);
}

/* A tenth of delta costs half a percent of mu; half of it would cost 3.2. */
static double levels_delta(const solver_run *r)
{
    return r->facts.level_delta > 0
               ? r->facts.level_delta
               : option_number(r->options, OPTION_DELTA) / 10;
}

static void add_levels(solver_run *r, double share)
{
    solver_plan_add(r, (ask_item){.kind = ASK_LEVELS,
                                  .count = 1,
                                  .noise = ASK_SHOWN,
                                  .block = r->facts.level_columns *
                                           r->facts.rows_per_person,
                                  .shown = account_shown_for(levels_delta(r)),
                                  .level = solver_level(ASK_SHOWN, share, 1)});
}

sotto_status solver_plan_begin(solver_run *r, ask_noise noise, double *left,
                               sotto_error *error)
{
    double constants, total = r->facts.rows > 0 ? 0 : .01;
    double levels = solver_levels_share(&r->facts);
    sotto_status status = solver_constants_share(r, &constants, error);
    r->plan = (ask_plan){0};
    if (status != SOTTO_OK)
        return status;
    if (levels > 0)
        add_levels(r, levels);
    if (total > 0)
        solver_plan_add(r, (ask_item){.kind = ASK_TOTAL,
                                      .count = 1,
                                      .noise = noise,
                                      .level = solver_level(noise, total, 1)});
    *left = 1 - levels - total - constants;
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

double solver_sample(const solver_run *r)
{
    const solver_facts *f = &r->facts;
    return fmax(curator_rows(r->curator), 1) /
           (fmax(f->weight_bound, 1) * fmax((double)f->rows_per_person, 1));
}

sotto_status solver_calibrate(solver_run *r, sotto_error *error)
{
    return curator_calibrate(&r->plan, r->facts.adjacency,
                             solver_widest(&r->facts),
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
