/*
 * Training with the private Newton method, and `auto`, which chooses the way:
 * what they need, their plans, their settings.
 *
 * Where the number of rows is public the whole plan is made beforehand. Where
 * it is not, it is asked first, and all the rest is one ASK_LATER that is
 * filled in when the answer is there.
 */
#include "private.h"

#include <math.h>

/* Beyond that the matrix takes too long. */
enum { NEWTON_MOST_FEATURES = 1000 };

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
static sotto_status whole_mu(const private_run *r, double *mu,
                             sotto_error *error)
{
    private_run one = *r;
    one.plan = (ask_plan){0};
    fit_plan_add(&one, (ask_item){.kind = ASK_LATER, .count = 1, .level = 1});
    sotto_status status = fit_calibrate(&one, error);
    *mu = one.plan.item[0].level;
    return status;
}

/* The way that was asked for, or the one that the rule takes. */
static void choose_path(private_run *r, const newton_facts *f)
{
    r->path = path_choose(f, r->task.l1, &r->why);
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

/* The rule of the path. Of those that are not there yet, `dense` does. */
static sotto_status make_rule(private_run *r, sotto_error *error)
{
    choose_path(r, &r->whole);
    if (r->path == PATH_INTERCEPT && !r->task.intercept)
        return error_set(error, SOTTO_USAGE,
                         "--path intercept goes with an intercept");
    if (r->path != PATH_INTERCEPT && r->facts.features > NEWTON_MOST_FEATURES)
        return error_set(error, SOTTO_USAGE,
                         "--solver newton and auto: at most %d features for "
                         "now; expected --solver cd",
                         NEWTON_MOST_FEATURES);
    r->newton = r->path == PATH_INTERCEPT
                    ? newton_make_intercept_rule(&r->whole)
                    : newton_make_rule(&r->whole);
    return SOTTO_OK;
}

static sotto_status check_facts(const private_run *r, sotto_error *error)
{
    if (r->facts.only_planned && !option_given(r->options, OPTION_ROWS))
        return error_set(error, SOTTO_USAGE,
                         "expected --rows N: what is asked depends on it");
    if (r->smooth.reach && !isfinite(r->smooth.target_reach) &&
        !loss_has_classes(r->task.loss.kind))
        return error_set(error, SOTTO_PRIVACY,
                         "the target has no bounds: declare them in a schema");
    return SOTTO_OK;
}

static sotto_status newton_plan(private_run *r, sotto_error *error)
{
    double left, mu = 1e3;
    sotto_status status = check_facts(r, error);
    if (status == SOTTO_OK)
        status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status == SOTTO_OK && !r->policy.without_noise)
        status = whole_mu(r, &mu, error);
    if (status != SOTTO_OK)
        return status;
    r->whole = facts_of(r, r->policy.rows, mu * sqrt(left));
    if (r->policy.rows > 0) {
        status = make_rule(r, error);
        newton_add_plan(&r->plan, &r->newton, sqrt(left));
    } else {
        fit_plan_add(
            r, (ask_item){.kind = ASK_LATER, .count = 1, .level = sqrt(left)});
    }
    if (status != SOTTO_OK || r->policy.without_noise)
        return status;
    return fit_calibrate(r, error);
}

/* ---- run ---- */

/* Now that the number of rows was answered. */
static sotto_status plan_later(private_run *r, sotto_error *error)
{
    ask_plan later = {0};
    double level = r->plan.item[r->plan.items - 1].level;
    int noisy = !r->policy.without_noise;
    if (!ask_planned(&r->plan, ASK_LATER))
        return SOTTO_OK;
    r->whole = facts_of(r, curator_rows(r->curator), noisy ? level : 1e3);
    sotto_status status = make_rule(r, error);
    if (status != SOTTO_OK)
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
        unit[j] = 1 / r->maps.half[j];
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
    if (status == SOTTO_OK &&
        option_is(r->options, OPTION_PENALTY_UNITS, "file")) {
        unit = file_units(r, &own);
        status = unit ? SOTTO_OK : error_memory(error);
    }
    newton_settings s = {.facts = r->whole,
                         .rule = r->newton,
                         .reach = r->smooth.reach,
                         .target_reach = r->smooth.target_reach,
                         .unit = unit};
    if (status == SOTTO_OK)
        status =
            newton_run(out, r->curator, &own, &s, progress, context, error);
    mem_free(unit);
    return status;
}

const private_solver fit_newton = {.name = "newton",
                                   .smooth = 1,
                                   .check = newton_check,
                                   .plan = newton_plan,
                                   .run = newton_train};
const private_solver fit_auto = {.name = "auto",
                                 .smooth = 1,
                                 .check = newton_check,
                                 .plan = newton_plan,
                                 .run = newton_train};

/* ---- for people ---- */

static void explain_item(const ask_item *item, double mu, text_buffer *t)
{
    double share = item->level * item->level * (double)item->count / (mu * mu);
    text_format(t, "  %-22s %5lld  %7.2f %%  %9.5f\n", ask_name(item->kind),
                (long long)item->count, 100 * share, item->level);
}

void fit_explain(const private_run *r, text_buffer *t)
{
    const newton_facts *f = &r->whole;
    double x = newton_strength(f), p = (double)f->features, sum = 0;
    double d = p + f->intercept;
    for (int i = 0; i < r->plan.items; i++)
        sum += r->plan.item[i].level * r->plan.item[i].level *
               (double)r->plan.item[i].count;
    text_format(t, "path        %s (%s)\n", path_name(r->path), r->why);
    text_format(t, "mu          %.5f\n", sqrt(sum));
    text_format(t, "n mu        %.1f%s\n", x,
                f->replace_one ? "" : " (as if a record could be replaced)");
    text_format(t, "p / (n mu)  %.4f\n", p / x);
    text_format(t, "rounds      %lld, of which the last %lld are averaged\n\n",
                (long long)r->newton.rounds,
                (long long)(r->newton.rounds - r->newton.first_rounds));
    text_put(t, "  question               times   of mu^2     mu each\n");
    for (int i = 0; i < r->plan.items; i++)
        explain_item(&r->plan.item[i], sqrt(sum), t);
    text_format(t,
                "\nthe intercept is known to about %.2g of the target's "
                "bound\n",
                2 / (x * sqrt(fmax(r->newton.target_mean, .01))));
    if (r->newton.rounds == 0)
        return;
    double edge = sqrt(2) * .7 * d / (x * sqrt(r->newton.matrix)) * sqrt(2 * d);
    double noise = 2 * sqrt(d) / (x * sqrt(r->newton.gradients));
    text_format(t, "centres     %s\n",
                r->newton.column_means > 0 ? "asked for" : "not asked for");
    text_format(t,
                "matrix      directions below %.2g of the mean variance "
                "are hidden\n",
                edge);
    text_format(t, "noise       at least %.2g of the spread of the slopes\n",
                noise);
    if (x < 100)
        text_put(t, "warning     n mu < 100: close to the intercept alone\n");
    if (r->path == PATH_SELECT || r->path == PATH_WIDE)
        text_put(t, "warning     this path is not there yet: dense is used\n");
}
