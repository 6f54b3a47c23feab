/*
 * Training with the private Newton method: what it needs, its plan, its
 * settings.
 */
#include "private.h"

#include <math.h>

static sotto_status newton_check(const sotto_options *options,
                                 sotto_error *error)
{
    if (option_is(options, OPTION_LOSS, "hinge"))
        return error_set(error, SOTTO_USAGE,
                         "--solver newton: the hinge loss is not smooth; "
                         "expected squared, logistic, squared-hinge or huber");
    return SOTTO_OK;
}

static newton_facts facts_of(const private_run *r, double rows, double mu)
{
    return (newton_facts){.rows = rows,
                          .mu = mu,
                          .features = r->facts.features,
                          .intercept = r->task.intercept,
                          .loss = r->task.loss,
                          .replace_one =
                              r->policy.adjacency == ACCOUNT_REPLACE_ONE,
                          .rows_per_person = (double)r->policy.rows_per_person};
}

/* The mu of all Gaussian questions together. */
static sotto_status whole_mu(private_run *r, double *mu, sotto_error *error)
{
    private_run one = *r;
    one.plan = (ask_plan){0};
    fit_plan_add(&one,
                 (ask_item){.kind = ASK_COLUMN_COUNTS, .count = 1, .level = 1});
    sotto_status status = fit_calibrate(&one, error);
    *mu = one.plan.item[0].level;
    return status;
}

static sotto_status newton_plan(private_run *r, sotto_error *error)
{
    double left, mu = 1e3;
    sotto_status status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status == SOTTO_OK && !r->policy.without_noise)
        status = whole_mu(r, &mu, error);
    if (status != SOTTO_OK)
        return status;
    newton_facts facts = facts_of(r, r->policy.rows, mu * sqrt(left));
    r->newton = newton_make_rule(&facts);
    newton_add_plan(&r->plan, &r->newton, sqrt(left));
    return r->policy.without_noise ? SOTTO_OK : fit_calibrate(r, error);
}

static sotto_status newton_train(private_run *r, const solver_problem *p,
                                 solver_answer *out, solver_progress progress,
                                 void *context, sotto_error *error)
{
    solver_problem own = *p;
    newton_settings s = {.facts = facts_of(r, curator_rows(r->curator), 1),
                         .rule = r->newton,
                         .reach = r->smooth.reach,
                         .target_reach = r->smooth.target_reach};
    double *unit = mem_zeroed((size_t)p->features + 1, sizeof *unit);
    if (!unit)
        return error_memory(error);
    /* a weight of the file is target_half / half times the stored one, and
       the loss there target_half^2 times that of the fit */
    for (int64_t j = 0; j < p->features; j++)
        unit[j] = 1 / r->maps.half[j];
    if (option_is(r->options, OPTION_PENALTY_UNITS, "file")) {
        s.unit = unit;
        own.l1 /= r->maps.target_half;
    }
    sotto_status status =
        newton_run(out, r->curator, &own, &s, progress, context, error);
    mem_free(unit);
    return status;
}

const private_solver fit_newton = {"newton", newton_check, newton_plan,
                                   newton_train};
