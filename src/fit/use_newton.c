/*
 * Training with the private Newton method, and `auto`, which chooses the way:
 * what they need, their plans, their settings.
 *
 * Where the number of rows is public, and what is asked does not depend on
 * answers, the whole plan is made beforehand. Else the rest of it is one
 * ASK_LATER, out of which questions are told when the answers are there.
 */
#include "private.h"

#include <math.h>

/* Beyond that the matrix takes too long. */
enum { NEWTON_MOST_FEATURES = 1000 };

/* From so many features on a selection may be needed, whatever n is. */
enum { SELECT_FEATURES = 50 };

static sotto_status newton_check(const sotto_options *options,
                                 sotto_error *error)
{
    if (option_is(options, OPTION_LOSS, "hinge"))
        return error_set(error, SOTTO_USAGE,
                         "--solver newton and auto: the hinge loss is not "
                         "smooth; expected squared, logistic, squared-hinge "
                         "or huber");
    return SOTTO_OK;
}

/* ---- plan ---- */

static newton_facts facts_of(const private_run *r, double rows, double mu)
{
    newton_facts f = {.rows = rows,
                      .mu = mu,
                      .features = r->facts.features,
                      .intercept = r->task.intercept,
                      .loss = r->task.loss,
                      .replace_one = r->policy.adjacency == ACCOUNT_REPLACE_ONE,
                      .rows_per_person = (double)r->policy.rows_per_person};
    if (r->policy.rows > 0 && option_private(r->options))
        f.epsilon = option_number(r->options, OPTION_EPSILON);
    if (!r->smooth.reach)
        return f;
    for (int64_t j = 0; j < r->facts.features; j++)
        f.unbounded += !isfinite(r->smooth.reach[j]);
    f.target_unbounded = !loss_has_classes(r->task.loss.kind) &&
                         !isfinite(r->smooth.target_reach);
    return f;
}

/* The level of all questions together: mu where all are Gaussian, sqrt(2 rho)
   where some are choices. */
static sotto_status whole_level(const private_run *r, ask_noise noise,
                                double *level, sotto_error *error)
{
    private_run one = *r;
    *level = 1e3;
    if (r->policy.without_noise)
        return SOTTO_OK;
    one.plan = (ask_plan){0};
    fit_plan_add(
        &one,
        (ask_item){.kind = ASK_LATER, .count = 1, .level = 1, .noise = noise});
    sotto_status status = fit_calibrate(&one, error);
    *level = one.plan.item[0].level;
    return status;
}

/* The way that was asked for, or the one that the rule takes. */
static void choose_path(private_run *r)
{
    r->path = path_choose(&r->whole, r->task.l1, &r->why);
    for (int i = 0; i < PATHS; i++)
        if (option_is(r->options, OPTION_PATH, path_name((solver_path)i))) {
            r->path = (solver_path)i;
            r->why = "--path";
        }
    if (r->solver == &fit_newton) {
        r->path = PATH_DENSE;
        r->why = "--solver newton";
    }
}

/* Whether it does not depend on the number of rows. */
static int is_path_given(const private_run *r)
{
    return r->solver == &fit_newton || option_given(r->options, OPTION_PATH);
}

static sotto_status check_path(const private_run *r, sotto_error *error)
{
    if (r->path == PATH_INTERCEPT && !r->task.intercept)
        return error_set(error, SOTTO_USAGE,
                         "--path intercept goes with an intercept");
    if (r->path == PATH_DENSE && r->facts.features > NEWTON_MOST_FEATURES)
        return error_set(error, SOTTO_USAGE,
                         "--solver newton and --path dense: at most %d "
                         "features; expected --path select or wide",
                         NEWTON_MOST_FEATURES);
    return SOTTO_OK;
}

static void make_rule(private_run *r)
{
    r->newton = r->path == PATH_INTERCEPT
                    ? newton_make_intercept_rule(&r->whole)
                : r->path == PATH_SELECT ? newton_make_select_rule(&r->whole)
                : r->path == PATH_WIDE   ? newton_make_wide_rule(&r->whole)
                                         : newton_make_rule(&r->whole);
}

static sotto_status check_facts(const private_run *r, sotto_error *error)
{
    if (r->facts.only_planned && !option_given(r->options, OPTION_ROWS))
        return error_set(error, SOTTO_USAGE,
                         "expected --rows N: what is asked depends on it");
    return SOTTO_OK;
}

/* Whether there can be choices in the plan. */
static int may_select(const private_run *r)
{
    if (r->policy.rows > 0)
        return r->path == PATH_SELECT && select_few(&r->whole) == 0;
    return r->solver != &fit_newton &&
           (option_is(r->options, OPTION_PATH, "select") ||
            (!option_given(r->options, OPTION_PATH) &&
             r->facts.features >= SELECT_FEATURES));
}

/* With the number of rows known, the way is; where there are choices in it,
   the budget is less. */
static sotto_status plan_path(private_run *r, double left, ask_noise *noise,
                              sotto_error *error)
{
    double level;
    sotto_status status = whole_level(r, ASK_GAUSSIAN, &level, error);
    r->whole = facts_of(r, r->policy.rows, level * sqrt(left));
    if (r->policy.rows > 0)
        choose_path(r);
    *noise = may_select(r) ? ASK_MIXED : ASK_GAUSSIAN;
    if (status == SOTTO_OK && *noise == ASK_MIXED)
        status = whole_level(r, *noise, &level, error);
    r->whole.mu = level * sqrt(left);
    return status;
}

/* Whether the noise of what comes out of ASK_LATER can be drawn: its finest
   questions, by the least shares that the rules give. */
static sotto_status check_later(const private_run *r, sotto_error *error)
{
    const ask_item *last = &r->plan.item[r->plan.items - 1];
    double level = last->level, least = last->noise == ASK_MIXED ? 8e-5 : 4e-4;
    ask_plan finest = {
        .items = r->path == PATH_WIDE ? 1 : 2,
        .item = {
            {.kind = ASK_LENGTHS, .count = 1, .level = level * sqrt(least)},
            {.kind = ASK_COLUMN_SQUARES,
             .count = 1,
             .level = level * sqrt(.02)}}};
    if (r->policy.without_noise || r->path == PATH_INTERCEPT)
        return SOTTO_OK;
    return curator_check(&r->policy, &finest, r->facts.features, error);
}

static sotto_status newton_plan(private_run *r, sotto_error *error)
{
    double left;
    ask_noise noise;
    sotto_status status = check_facts(r, error);
    if (status == SOTTO_OK)
        status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status == SOTTO_OK)
        status = plan_path(r, left, &noise, error);
    if (status == SOTTO_OK && is_path_given(r)) {
        choose_path(r); /* what cannot be is said before anything is spent */
        status = check_path(r, error);
    }
    if (status != SOTTO_OK)
        return status;
    if (r->policy.rows > 0)
        make_rule(r);
    if (r->newton.few > 0)
        select_add_few(&r->plan, &r->whole, &r->newton);
    else if (r->policy.rows > 0 && noise == ASK_GAUSSIAN)
        newton_add_plan(&r->plan, &r->newton, sqrt(left));
    else
        fit_plan_add(r, (ask_item){.kind = ASK_LATER,
                                   .count = 1,
                                   .level = sqrt(left),
                                   .noise = noise});
    if (r->policy.without_noise)
        return SOTTO_OK;
    status = fit_calibrate(r, error);
    /* with no other way to go, what cannot be is said now */
    if (status == SOTTO_OK && ask_planned(&r->plan, ASK_LATER) &&
        (r->policy.rows > 0 || is_path_given(r) || !r->task.intercept))
        status = check_later(r, error);
    return status;
}

/* ---- run ---- */

/* Now that the number of rows was answered: the way, and its questions. */
static sotto_status plan_later(private_run *r, sotto_error *error)
{
    ask_plan later = {0};
    const ask_item *last = &r->plan.item[r->plan.items - 1];
    double level = last->level;
    int noisy = !r->policy.without_noise;
    if (!ask_planned(&r->plan, ASK_LATER))
        return SOTTO_OK;
    if (!(r->policy.rows > 0)) {
        r->whole = facts_of(r, curator_rows(r->curator), noisy ? level : 1e3);
        choose_path(r);
        if (r->path == PATH_SELECT && last->noise != ASK_MIXED)
            r->path = PATH_DENSE; /* few features, and hardly a row for each */
        if (!is_path_given(r) && r->task.intercept &&
            check_later(r, error) != SOTTO_OK) {
            r->path = PATH_INTERCEPT;
            r->why = "the budget is too small for the noise of others";
        }
        make_rule(r);
    }
    sotto_status status = check_path(r, error);
    if (status != SOTTO_OK || r->path == PATH_SELECT)
        return status;
    /* a little less, so that rounding is within the budget */
    newton_add_plan(&later, &r->newton, level * (1 - 0x1p-40));
    return curator_tell_plan(r->curator, &later, error);
}

/* A weight of the file is target_half / half times the stored one, and the
   loss there target_half^2 times that of the fit. */
static double *file_units(const private_run *r, solver_problem *p)
{
    double *unit = mem_zeroed((size_t)p->features + 1, sizeof *unit);
    for (int64_t j = 0; unit && j < p->features; j++)
        unit[j] = r->maps.half ? 1 / r->maps.half[j] : 1;
    p->l1 /= r->maps.target_half;
    return unit;
}

static sotto_status newton_train(private_run *r, const solver_problem *p,
                                 solver_answer *out, solver_progress progress,
                                 void *context, sotto_error *error)
{
    solver_problem own = *p;
    double *unit = NULL;
    sotto_status status = plan_later(r, error);
    if (status == SOTTO_OK && r->task.units == MODEL_UNITS_FILE) {
        unit = file_units(r, &own);
        status = unit ? SOTTO_OK : error_memory(error);
    }
    if (status == SOTTO_OK)
        status = fit_begin_bought(r, error);
    newton_settings s = {.facts = r->whole,
                         .rule = r->newton,
                         .reach = r->bought,
                         .target_reach = r->bought + p->features,
                         .unit = unit};
    if (r->path == PATH_SELECT && r->newton.few == 0)
        s.level = r->plan.item[r->plan.items - 1].level * (1 - 0x1p-40);
    if (status == SOTTO_OK)
        status = (r->path == PATH_SELECT ? select_run
                  : r->path == PATH_WIDE ? wide_run
                                         : newton_run)(
            out, r->curator, &own, &s, progress, context, error);
    mem_free(unit);
    return status;
}

const private_solver fit_newton = {.name = "newton",
                                   .smooth = 1,
                                   .buys = 1,
                                   .check = newton_check,
                                   .plan = newton_plan,
                                   .run = newton_train};
const private_solver fit_auto = {.name = "auto",
                                 .smooth = 1,
                                 .buys = 1,
                                 .check = newton_check,
                                 .plan = newton_plan,
                                 .run = newton_train};
