/*
 * Levels of categories that nobody declared, and that are asked for before
 * anything else. What is released is an answer, so the run goes on as if the
 * schema had declared it, and so does the model.
 */
#include "json.h"
#include "private.h"

#include <math.h>

sotto_status fit_check_levels(const private_run *r, sotto_error *error)
{
    if (!r->run.facts.level_columns)
        return SOTTO_OK;
    if (!r->run.solver->finds_bounds)
        return error_set(error, SOTTO_USAGE,
                         "\"levels\": \"private\" goes with --solver auto or "
                         "newton, which plan again when the levels are known; "
                         "expected one of these, or a list of levels");
    if (r->run.facts.without_noise)
        return error_set(error, SOTTO_PRIVACY,
                         "\"levels\": \"private\" is for private training "
                         "alone: expected a finite --epsilon, or a list of "
                         "levels");
    if (r->policy.rows_per_person > ACCOUNT_MOST_COUNTED)
        return error_set(error, SOTTO_USAGE,
                         "--rows-per-person: expected at most 1,048,576 with "
                         "\"levels\": \"private\"");
    return SOTTO_OK;
}

/* ---- in a ledger ---- */

/* The mu of a run of Gaussian answers that costs all of the budget. */
static sotto_status whole_mu(const private_run *r, int64_t features, double *mu,
                             sotto_error *error)
{
    ask_plan one = {.items = 1,
                    .item = {{.kind = ASK_LATER, .count = 1, .level = 1}}};
    sotto_status status =
        curator_calibrate(&one, r->policy.adjacency, features,
                          option_number(r->run.options, OPTION_EPSILON),
                          option_number(r->run.options, OPTION_DELTA), error);
    *mu = one.item[0].level;
    return status;
}

/* Half of what the run may take of D0: under a cap as large a share of it as of
   mu^2, without one its turn. The booking needs the other half (Lemma A17). */
sotto_status fit_book_levels(private_run *r, const sotto_table *shape,
                             const ledger_request *request, sotto_error *error)
{
    ledger_allowance most;
    double mu = 0, share = 1;
    double delta = option_number(r->run.options, OPTION_DELTA);
    sotto_status status = ledger_allowed(&most, request, error);
    if (status == SOTTO_OK && most.has_cap)
        status = whole_mu(r, shape->features, &mu, error);
    if (status != SOTTO_OK)
        return status;
    if (most.has_cap)
        share = fmin(1, mu / most.mu * (mu / most.mu));
    r->level_delta = fmin(delta / 10, share * most.delta0 / 2);
    if (!(r->level_delta >= 1e-30))
        return error_set(error, SOTTO_BUDGET,
                         "refused: nothing is left of the data set's delta for "
                         "levels that are asked for: expected a list of "
                         "levels in the schema");
    return SOTTO_OK;
}

sotto_status fit_refuse_levels_quote(const private_run *r, sotto_error *error)
{
    if (!r->run.facts.level_columns ||
        !option_given(r->run.options, OPTION_DATASET))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "levels that are asked for are priced by what the data "
                     "set has left, when a run is booked: expected a schema "
                     "that lists levels");
}

/* ---- the run ---- */

/* The model is begun anew; what was charged and where stays. */
static sotto_status begin_again(private_run *r, sotto_model **m,
                                sotto_error *error)
{
    sotto_model *before = *m, *now = NULL;
    sotto_status status = fit_begin(&now, &r->task, r->shape, error);
    if (status != SOTTO_OK)
        return status;
    now->epsilon = before->epsilon;
    now->delta = before->delta;
    now->booked = before->booked;
    before->booked = (model_run){0};
    sotto_model_free(before);
    *m = now;
    return SOTTO_OK;
}

/* What the solver sees, of the features that there are now. */
static sotto_status see_features(private_run *r, sotto_error *error)
{
    solver_run *run = &r->run;
    mem_free(run->smooth.m);
    mem_free(run->smooth.reach);
    run->smooth = (solver_smoothness){0};
    fit_free_maps(&r->maps);
    sotto_status status =
        fit_find_smoothness(&run->smooth, r->shape, &r->task, run->options,
                            run->solver->finds_bounds, error);
    if (status == SOTTO_OK)
        status = fit_copy_maps(&r->maps, r->shape, error);
    run->facts.features = r->shape->features;
    run->problem.features = r->shape->features;
    fit_see_maps(r);
    return status;
}

sotto_status fit_find_levels(private_run *r, sotto_model **m,
                             sotto_error *error)
{
    const level_list *released;
    if (!r->run.facts.level_columns)
        return SOTTO_OK;
    sotto_status status = solver_tell(r->run.progress, r->run.context,
                                      (solver_stage){.name = "levels"}, error);
    if (status == SOTTO_OK)
        status = curator_ask_levels(r->run.curator, &released, error);
    if (status == SOTTO_OK)
        status = table_widen(r->shape, released, error);
    if (status == SOTTO_OK)
        status = begin_again(r, m, error);
    return status == SOTTO_OK ? see_features(r, error) : status;
}

/* ---- the statement ---- */

void fit_put_levels(const private_run *r, json_t **statement)
{
    const ask_item *item = &r->run.plan.item[0];
    if (!r->run.facts.level_columns || item->kind != ASK_LEVELS)
        return;
    json_t *levels = json_object();
    json_add_count(&levels, "columns", r->run.facts.level_columns);
    json_add_number(&levels, "people", ask_people_shown(&r->policy, item));
    json_add_text(&levels, "shown",
                  "levels of which the noisy number of people is not below "
                  "this; all others are one level, \"other\"");
    json_add(statement, "levels", levels);
}
