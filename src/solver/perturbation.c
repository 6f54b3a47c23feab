/*
 * The rivals that ask once. Output perturbation (Chaudhuri, Monteleoni and
 * Sarwate 2011): the minimiser, and noise on it. Objective perturbation, as
 * approximate minima perturbation (Iyengar et al. 2019): the minimiser of an
 * objective with a random linear part, and a little noise on that. All the
 * work is the curator's; what is left is to go back into the box.
 */
#include "planning.h"

#include <math.h>

static sotto_status minimiser_run(solver_answer *out, curator *c,
                                  const solver_problem *p, ask_kind kind,
                                  sotto_error *error)
{
    ask_penalty penalty = {p->l1, p->l2, p->low, p->high};
    sotto_status status =
        curator_ask_minimiser(c, kind, &penalty, out->weight, error);
    out->intercept = 0;
    for (int64_t j = 0; status == SOTTO_OK && j < p->features; j++) {
        out->weight[j] = fmin(fmax(out->weight[j], p->low), p->high);
        if (kind == ASK_MINIMISER) /* else the curvature is not known */
            solver_note(out, p, j, curator_noise(c));
    }
    return status;
}

/* ---- planning it ---- */

#define MINIMISER_NORM_BOUND                                                   \
    {                                                                          \
        OPTION_NORM_BOUND, "1",                                                \
            "rows longer than R, in the units of the fit, are shortened to "   \
            "R, in "                                                           \
            "training and in prediction"                                       \
    }

static const solver_option output_options[] = {
    MINIMISER_NORM_BOUND,
    {OPTION_CLIP, "1",
     "the largest slope of the squared loss: a residual counts linearly beyond "
     "C"},
    {0}};

static const solver_option objective_options[] = {MINIMISER_NORM_BOUND, {0}};

/* ---- what is needed ---- */

static sotto_status refuse(const char *solver, const char *what,
                           sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "--solver %s: %s", solver, what);
}

static sotto_status check_common(const sotto_options *options,
                                 const char *solver, sotto_error *error)
{
    if (option_is(options, OPTION_INTERCEPT, "yes"))
        return refuse(solver,
                      "an intercept has no penalty that would hold it where "
                      "one row pulls; expected --no-intercept",
                      error);
    if (!(option_number(options, OPTION_L2) > 0))
        return refuse(solver,
                      "without an L2 penalty one row can move the minimiser "
                      "anywhere; expected --l2 above 0",
                      error);
    if (option_given(options, OPTION_NORM_BOUND) &&
        !isfinite(option_number(options, OPTION_NORM_BOUND)))
        return refuse(solver, "expected a finite --norm-bound", error);
    return SOTTO_OK;
}

/* The slope of a squared loss has no bound, but it is clipped. */
static int output_takes(loss_kind kind)
{
    return kind == LOSS_SQUARED || loss_is_lipschitz_smooth(kind);
}

static const solver_need output_needs = {
    output_takes, "has a slope that jumps or has no bound"};

static const solver_need objective_needs = {
    loss_can_be_perturbed,
    "lacks what the proof needs, a slope of one sign that has a bound, and a "
    "curvature that is continuous"};

static sotto_status output_check(const sotto_options *options,
                                 sotto_error *error)
{
    const char *name = option_text(options, OPTION_LOSS);
    if (option_given(options, OPTION_CLIP) &&
        loss_named_has(name, loss_is_lipschitz_smooth))
        return refuse("output",
                      "--clip is for the slope of the squared loss; others "
                      "have a bound of their own",
                      error);
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return refuse("output", "expected a finite --clip", error);
    return check_common(options, "output", error);
}

static sotto_status objective_check(const sotto_options *options,
                                    sotto_error *error)
{
    double low, high;
    if (option_number(options, OPTION_L1) > 0 ||
        option_pair(options, OPTION_BOX, &low, &high))
        return refuse("objective",
                      "its proof needs an objective without kinks; expected "
                      "neither --l1 nor --box",
                      error);
    return check_common(options, "objective", error);
}

/* ---- plan ---- */

/* A squared loss whose slope is clipped to C is Huber's of delta C. */
static loss output_loss(const sotto_options *options, loss l)
{
    double clip = solver_number(options, &solver_output, OPTION_CLIP);
    return l.kind == LOSS_SQUARED ? (loss){LOSS_HUBER, clip} : l;
}

static sotto_status plan_one(solver_run *r, ask_kind kind, sotto_error *error)
{
    double left;
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(r,
                    (ask_item){.kind = kind,
                               .count = 1,
                               .level = solver_level(ASK_GAUSSIAN, left, 1)});
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
}

static sotto_status output_plan(solver_run *r, sotto_error *error)
{
    return plan_one(r, ASK_MINIMISER, error);
}

/* Whether l2 is large enough must be known before anything is asked. */
static sotto_status objective_plan(solver_run *r, sotto_error *error)
{
    if (!(r->facts.rows > 0) && !r->facts.without_noise)
        return refuse("objective",
                      "how large --l2 has to be depends on the number of rows; "
                      "expected --rows N, or --adjacency replace-one",
                      error);
    return plan_one(r, ASK_PERTURBED, error);
}

/* ---- ready ---- */

static int is_moderate(double x)
{
    return x >= 0x1p-90 && x <= 0x1p90;
}

/* The curator's bounds, with room for the number of rows. */
static sotto_status output_ready(const solver_run *r, sotto_error *error)
{
    loss asked = output_loss(r->options, r->problem.loss);
    double l2 = r->problem.l2, rows = r->facts.rows > 0 ? r->facts.rows : 1;
    double slope = loss_slope_bound(&asked);
    double whole = l2 * rows / r->facts.weight_bound;
    double norm = solver_number(r->options, r->solver, OPTION_NORM_BOUND);
    if (!is_moderate(l2) || !is_moderate(whole) || !is_moderate(slope) ||
        !is_moderate(slope * norm / whole) || r->problem.l1 > 0x1p90)
        return refuse(solver_name(r->solver),
                      "expected penalties, bounds and slopes of moderate size",
                      error);
    if (r->facts.features > 1 << 20)
        return refuse(solver_name(r->solver), "at most 2^20 features", error);
    ask_penalty penalty = {r->problem.l1, l2, r->problem.low, r->problem.high};
    if (r->facts.rows > 0 &&
        !curator_can_minimise(r->policy, &r->plan.item[r->plan.items - 1],
                              &penalty, r->facts.features,
                              r->facts.target_reach))
        return refuse(solver_name(r->solver), CURATOR_CANNOT_MINIMISE, error);
    return SOTTO_OK;
}

static sotto_status objective_ready(const solver_run *r, sotto_error *error)
{
    sotto_status status = output_ready(r, error);
    int known = !r->facts.only_planned || option_given(r->options, OPTION_ROWS);
    if (status != SOTTO_OK || r->facts.without_noise || !known)
        return status;
    double least = curator_least_l2(r->policy, &r->plan.item[0]);
    if (r->problem.l2 > least * (1 + 1e-6))
        return SOTTO_OK;
    return error_set(error, SOTTO_PRIVACY,
                     "--solver objective: the proof needs --l2 above %s for "
                     "this budget, norm and number of rows",
                     sotto_number_print_up(least * (1 + 1e-6), 3).text);
}

/* ---- train ---- */

static sotto_status train_by(const solver_run *r, ask_kind kind,
                             solver_answer *out, sotto_error *error)
{
    static const char name[] = "minimiser";
    sotto_status status = solver_tell(r->progress, r->context,
                                      (solver_stage){.name = name}, error);
    if (status == SOTTO_OK)
        status = minimiser_run(out, r->curator, &r->problem, kind, error);
    return status == SOTTO_OK ? solver_tell(r->progress, r->context,
                                            solver_rounds(name, 1, 1), error)
                              : status;
}

static sotto_status output_train(const solver_run *r, solver_answer *out,
                                 sotto_error *error)
{
    return train_by(r, ASK_MINIMISER, out, error);
}

static sotto_status objective_train(const solver_run *r, solver_answer *out,
                                    sotto_error *error)
{
    return train_by(r, ASK_PERTURBED, out, error);
}

const solver_row solver_output = {.summary = "the minimiser with noise on it",
                                  .options = output_options,
                                  .shortens_rows = 1,
                                  .needs = &output_needs,
                                  .check = output_check,
                                  .asked_loss = output_loss,
                                  .plan = output_plan,
                                  .ready = output_ready,
                                  .run = output_train};

const solver_row solver_objective = {
    .summary = "the minimiser of a randomly tilted objective; logistic loss",
    .options = objective_options,
    .shortens_rows = 1,
    .needs = &objective_needs,
    .check = objective_check,
    .plan = objective_plan,
    .ready = objective_ready,
    .run = objective_train};
