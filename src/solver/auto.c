/*
 * Training with the private Newton method, and `auto`, which chooses the way:
 * what they need, their plans, their settings.
 *
 * Where the number of rows is public, levels are declared, and what is asked
 * does not depend on answers, the whole plan is made beforehand. Else the rest
 * of it is one ASK_LATER, out of which questions are told when the answers are
 * there.
 */
#include "newton.h"

#include <math.h>

#define AUTO_PENALTY_UNITS                                                     \
    {                                                                          \
        OPTION_PENALTY_UNITS, "spread",                                        \
            "the weights that --l1 and --l2 penalise. spread: of columns "     \
            "divided by their spread, as answers have it (--path wide asks "   \
            "for none and takes fit); fit: of columns as their bounds map "    \
            "them to [-1, 1]; file: of columns as they are"                    \
    }

static const solver_option newton_options[] = {AUTO_PENALTY_UNITS, {0}};

static const solver_option auto_options[] = {
    {OPTION_PATH, "by the number of rows and features, --l1 and the budget",
     "which way to go: dense (a Newton method on all features), select (on a "
     "few that it chooses), wide (gradients, for more features than rows; "
     "where it was not asked for, and of more than 100,000 features, weights "
     "below three times their noise are 0), intercept (nothing else)"},
    AUTO_PENALTY_UNITS,
    {0}};

/* ---- plan ---- */

/* How many rows and features there are: before the first question. */
static int is_size_known(const solver_run *r)
{
    return r->facts.rows > 0 && !r->facts.level_columns;
}

static newton_facts facts_of(const solver_run *r, double rows, double mu)
{
    newton_facts f = {.rows = rows,
                      .mu = mu,
                      .features = r->facts.features,
                      .intercept = r->problem.intercept,
                      .loss = loss_smoothed(r->problem.loss),
                      .classes = r->problem.classes,
                      .replace_one = r->facts.adjacency == ACCOUNT_REPLACE_ONE,
                      .rows_per_person = (double)r->facts.rows_per_person,
                      .rows_asked = !(r->facts.rows > 0),
                      .held = r->problem.l1 > 0 || isfinite(r->problem.low) ||
                              isfinite(r->problem.high)};
    if (is_size_known(r) && option_private(r->options))
        f.epsilon = option_number(r->options, OPTION_EPSILON);
    if (!r->smooth.reach)
        return f;
    for (int64_t j = 0; j < r->facts.features; j++)
        f.unbounded += !isfinite(r->smooth.reach[j]);
    f.target_unbounded = !loss_has_classes(r->problem.loss.kind) &&
                         !isfinite(r->smooth.target_reach);
    return f;
}

/* Slopes and values that are asked for are of this one. */
static solver_problem asked_problem(const solver_run *r)
{
    solver_problem asked = r->problem;
    asked.loss = loss_smoothed(r->problem.loss);
    return asked;
}

/* newton is auto with the way given. */
static int is_newton(const solver_run *r)
{
    return r->solver == &solver_newton;
}

/* The way that was asked for, or the one that the rule takes. */
static void choose_path(const solver_run *r, newton_planned *n)
{
    n->path = auto_path_choose(&n->whole, r->problem.l1, &n->why);
    for (int i = 0; i < PATHS; i++)
        if (option_is(r->options, OPTION_PATH, auto_path_name((auto_path)i))) {
            n->path = (auto_path)i;
            n->why = "--path";
        }
    if (is_newton(r)) {
        n->path = PATH_DENSE;
        n->why = "--solver newton";
    }
}

/* Whether it does not depend on the number of rows. */
static int is_path_given(const solver_run *r)
{
    return is_newton(r) || option_given(r->options, OPTION_PATH);
}

/* Whether the way asks how widely columns are spread; or has no weights. */
static int knows_spread(auto_path path)
{
    return path != PATH_WIDE;
}

/* What was asked for by name, and cannot be. Where the way follows from an
   answer the model records the units that held. */
static sotto_status check_units(const solver_run *r, auto_path path,
                                sotto_error *error)
{
    if (knows_spread(path) ||
        !option_is(r->options, OPTION_PENALTY_UNITS, "spread"))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "--penalty-units spread: --path wide does not ask how "
                     "widely columns are spread; expected fit or file, or "
                     "another path");
}

static void make_rule(newton_planned *n)
{
    n->rule = n->path == PATH_INTERCEPT ? budget_split_intercept(&n->whole)
              : n->path == PATH_SELECT  ? budget_split_select(&n->whole)
              : n->path == PATH_WIDE    ? budget_split_wide(&n->whole)
                                        : budget_split_dense(&n->whole);
}

static sotto_status check_facts(const solver_run *r, sotto_error *error)
{
    const solver_facts *f = &r->facts;
    if (!f->only_planned || option_given(r->options, OPTION_ROWS))
        return SOTTO_OK;
    if (f->has_people)
        return error_set(error, SOTTO_USAGE,
                         "expected --rows N, how many rows are used (of each "
                         "person at most %lld): what is asked depends on it",
                         (long long)f->rows_per_person);
    return error_set(error, SOTTO_USAGE,
                     "expected --rows N: what is asked depends on it");
}

/* With the number of rows known, the way is. */
static sotto_status plan_path(const solver_run *r, newton_planned *n,
                              double left, sotto_error *error)
{
    double level;
    sotto_status status = solver_whole_level(r, &level, error);
    n->whole = facts_of(r, r->facts.rows, level * sqrt(left));
    if (is_size_known(r) || r->facts.only_planned)
        choose_path(r, n);
    return status;
}

/* Whether the noise of what comes out of ASK_LATER can be drawn: its finest
   questions, by the least shares that the rules give. */
static sotto_status check_later(const solver_run *r, auto_path path,
                                sotto_error *error)
{
    double level = r->plan.item[r->plan.items - 1].level;
    double least = path == PATH_SELECT ? 8e-5 : 4e-4;
    ask_plan finest = {
        .items = path == PATH_WIDE ? 1 : 2,
        .item = {
            {.kind = ASK_LENGTHS, .count = 1, .level = level * sqrt(least)},
            {.kind = ASK_COLUMN_SQUARES,
             .count = 1,
             .level = level * sqrt(.02)}}};
    if (r->facts.without_noise || path == PATH_INTERCEPT)
        return SOTTO_OK;
    return curator_check(r->policy, &finest, r->facts.features, error);
}

/* Gradients of many classes draw more noise than what is always allowed: so
   much for each coordinate, in pairs. */
static int64_t later_draws(const solver_run *r)
{
    return NEWTON_MOST_ROUNDS / 2 * r->problem.classes;
}

/* The questions of the rule, or one that stands for all of them. */
static void add_questions(solver_run *r, const newton_planned *n, double left)
{
    if (n->rule.few > 0)
        select_add_few(&r->plan, &n->whole, &n->rule);
    else if (is_size_known(r) && n->path != PATH_SELECT &&
             !(n->path == PATH_DENSE && budget_split_by_rate(&n->whole)))
        budget_split_add(&r->plan, &n->rule, sqrt(left));
    else
        solver_plan_add(r, (ask_item){.kind = ASK_LATER,
                                      .count = 1,
                                      .level = sqrt(left),
                                      .block = later_draws(r)});
}

/* A way that needs the rows in memory, however many there are. */
static sotto_status check_memory(const solver_run *r, double level,
                                 sotto_error *error)
{
    const char *why;
    newton_facts f =
        facts_of(r, is_size_known(r) ? r->facts.rows : 1e15, level);
    return option_given(r->options, OPTION_MEMORY)
               ? auto_path_check(r, auto_path_choose(&f, r->problem.l1, &why),
                                 error)
               : SOTTO_OK;
}

static sotto_status newton_plan(solver_run *r, sotto_error *error)
{
    double left;
    newton_planned *n = r->state = mem_zeroed(1, sizeof *n);
    sotto_status status = n ? check_facts(r, error) : error_memory(error);
    if (status == SOTTO_OK)
        status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status == SOTTO_OK)
        status = plan_path(r, n, left, error);
    if (status == SOTTO_OK && is_path_given(r)) {
        choose_path(r, n); /* what cannot be is said before anything is spent */
        status = auto_path_check(r, n->path, error);
    }
    int known = is_size_known(r) || is_path_given(r);
    if (status == SOTTO_OK && !is_path_given(r))
        status = check_memory(r, sqrt(left), error);
    if (status == SOTTO_OK && known)
        status = check_units(r, n->path, error);
    if (status != SOTTO_OK)
        return status;
    if (is_size_known(r) || r->facts.only_planned)
        make_rule(n);
    add_questions(r, n, left);
    if (r->facts.without_noise)
        return SOTTO_OK;
    status = solver_calibrate(r, error);
    /* with no other way to go, what cannot be is said now; a way that is not
       known yet may be that with the finest questions */
    if (status == SOTTO_OK && ask_planned(&r->plan, ASK_LATER) &&
        (known || !r->problem.intercept))
        status = check_later(r, known ? n->path : PATH_SELECT, error);
    return status;
}

/* ---- run ---- */

/* Everything is divided by the number of rows: where the first answer is hardly
   above its noise, it is asked for again. Where nothing but the intercept is
   asked for, the noise of that is divided by it, too, and it gets more. */
#define ROWS_CLEAR 20. /* sd */
#define ROWS_AGAIN .09
#define ROWS_INTERCEPT .2

/* Asks for it with this share of what is left, which is then less; `known` is
   the sum of the squared levels that it was asked with. */
static sotto_status ask_rows_again(const solver_run *r, double share,
                                   double *level, double *known,
                                   sotto_error *error)
{
    double rows;
    ask_plan again = {
        .items = 1,
        .item = {
            {.kind = ASK_TOTAL, .count = 1, .level = *level * sqrt(share)}}};
    sotto_status status = curator_tell_plan(r->curator, &again, error);
    if (status == SOTTO_OK)
        status = curator_ask_total(r->curator, &rows, error);
    *known += *level * *level * share;
    *level *= sqrt(1 - share) * (1 - 0x1p-40);
    return status;
}

/* The number of rows as well as it has to be known, and the way. */
static sotto_status find_path(const solver_run *r, newton_planned *n,
                              double *level, sotto_error *error)
{
    int asked = !(r->facts.rows > 0), noisy = asked && !r->facts.without_noise;
    const ask_item *total = &r->plan.item[r->facts.level_columns > 0];
    double person = (double)r->facts.rows_per_person;
    double known = total->level * total->level;
    sotto_status status = SOTTO_OK;
    if (noisy && curator_rows(r->curator) * sqrt(known) < ROWS_CLEAR * person)
        status = ask_rows_again(r, ROWS_AGAIN, level, &known, error);
    n->whole = facts_of(r, curator_rows(r->curator),
                        r->facts.without_noise ? 1e3 : *level);
    choose_path(r, n);
    if (status == SOTTO_OK && noisy && n->path == PATH_INTERCEPT) {
        status = ask_rows_again(r, ROWS_INTERCEPT, level, &known, error);
        n->whole = facts_of(r, curator_rows(r->curator), *level);
    }
    n->whole.rows_sd = noisy ? person / sqrt(known) : 0;
    return status;
}

/* Asks how often each class is, before the rest is planned: what serves a rare
   class is not what serves even ones. The rules agree on what this costs. */
static sotto_status ask_rate(const solver_run *r, newton_planned *n,
                             double level, sotto_error *error)
{
    double reach = 1;
    solver_problem asked = asked_problem(r);
    ask_plan first = {.items = 1,
                      .item = {{.kind = ASK_TARGET_MEAN,
                                .count = 1,
                                .level = level * sqrt(n->rule.target_mean)}}};
    sotto_status status = curator_tell_plan(r->curator, &first, error);
    if (status == SOTTO_OK)
        status = newton_ask_response(&n->response, r->curator, &asked, &n->rule,
                                     &reach, error);
    n->responded = 1;
    n->whole.rare = n->response.rare;
    make_rule(n);
    return status;
}

/* Now that the number of rows was answered: the way, and its questions. */
static sotto_status plan_later(const solver_run *r, newton_planned *n,
                               double *level, sotto_error *error)
{
    ask_plan later = {0};
    *level = r->plan.item[r->plan.items - 1].level;
    if (!ask_planned(&r->plan, ASK_LATER))
        return SOTTO_OK;
    if (!is_size_known(r)) {
        sotto_status found = find_path(r, n, level, error);
        if (found != SOTTO_OK)
            return found;
        if (!is_path_given(r) && r->problem.intercept &&
            check_later(r, n->path, error) != SOTTO_OK) {
            n->path = PATH_INTERCEPT;
            n->why = "the budget is too small for the noise of others";
        }
        make_rule(n);
    }
    sotto_status status = auto_path_check(r, n->path, error);
    if (status != SOTTO_OK || n->path == PATH_SELECT)
        return status;
    /* a little less, so that rounding is within the budget */
    double mu = *level * (1 - 0x1p-40);
    if (n->path == PATH_DENSE && budget_split_by_rate(&n->whole))
        status = ask_rate(r, n, mu, error);
    budget_split left = n->rule;
    left.target_mean = n->responded ? 0 : left.target_mean;
    budget_split_add(&later, &left, mu);
    return status == SOTTO_OK ? curator_tell_plan(r->curator, &later, error)
                              : status;
}

/* Of which weights the penalty is: *unit is to be freed. A wider target makes
   all of the fit's residuals and weights smaller, and with them their squares,
   but l1 goes with the weights themselves. */
static sotto_status set_units(const solver_run *r, solver_problem *own,
                              newton_settings *s, double **unit,
                              sotto_error *error)
{
    if (r->units.of_file) {
        s->unit = *unit = solver_file_units(r, own);
        return *unit ? SOTTO_OK : error_memory(error);
    }
    if (s->by_spread)
        own->l1 /= r->units.target_half;
    return SOTTO_OK;
}

static sotto_status newton_train(const solver_run *r, solver_answer *out,
                                 sotto_error *error)
{
    solver_problem own = asked_problem(r);
    newton_planned n = *(const newton_planned *)r->state;
    double *unit = NULL, level;
    sotto_status status = plan_later(r, &n, &level, error);
    out->common_bound = n.rule.common_bound;
    out->by_spread = r->units.of_spread && knows_spread(n.path);
    newton_settings s = {.facts = n.whole,
                         .rule = n.rule,
                         .reach = out->bounds,
                         .target_reach = out->bounds + own.features,
                         .by_spread = out->by_spread,
                         .all_weights = is_path_given(r),
                         .run = r,
                         .response = n.responded ? &n.response : NULL};
    newton_refuse_intervals(r, &n, out);
    if (status == SOTTO_OK)
        status = set_units(r, &own, &s, &unit, error);
    if (n.path == PATH_SELECT && n.rule.few == 0)
        s.level = level * (1 - 0x1p-40);
    if (status == SOTTO_OK)
        status = (n.path == PATH_SELECT ? select_run
                  : n.path == PATH_WIDE ? many_features_run
                                        : newton_run)(
            out, r->curator, &own, &s, r->progress, r->context, error);
    mem_free(unit);
    return status;
}

/* Every step needs a curvature. */
static loss smoothed(const sotto_options *options, loss l)
{
    (void)options;
    return loss_smoothed(l);
}

const solver_row solver_newton = {.summary = "a Newton method on all features",
                                  .options = newton_options,
                                  .smooth = 1,
                                  .finds_bounds = 1,
                                  .any_classes = 1,
                                  .by_rows = 1,
                                  .asked_loss = smoothed,
                                  .plan = newton_plan,
                                  .run = newton_train,
                                  .explain = auto_explain};
const solver_row solver_auto = {
    .summary = "nothing to tune: newton, or another way by a public rule",
    .options = auto_options,
    .smooth = 1,
    .finds_bounds = 1,
    .any_classes = 1,
    .by_rows = 1,
    .asked_loss = smoothed,
    .plan = newton_plan,
    .run = newton_train,
    .explain = auto_explain};
