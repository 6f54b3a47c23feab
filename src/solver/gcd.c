/*
 * DP-GCD, Algorithms 1 and 2 of Mangold, Bellet, Salmon and Tommasi, "High-
 * dimensional private empirical risk minimization by greedy coordinate
 * descent":
 *
 *   for t = 0 ... T-1:
 *       j = the coordinate with the largest noisy score
 *       w_j = prox(w_j - gamma_j (grad_j + noise), gamma_j psi_j)
 *
 * The score is the curator's business: its noise is added to the score
 * itself, never inside the rule (docs/privacy, "Choices").
 */
#include "planning.h"

#include <math.h>

typedef struct gcd_settings {
    int64_t steps;            /* T */
    double step_size;         /* gamma: steps are gamma / M_j */
    double clip;              /* c: thresholds are c sqrt(M_j) */
    ask_rule rule;            /* what makes a coordinate worth choosing */
    const double *smoothness; /* M_j, and the intercept's behind them */
} gcd_settings;

/* One step; the weights are where the iterate is. */
static sotto_status gcd_step(solver_answer *out, curator *c,
                             const solver_problem *p, const gcd_settings *s,
                             sotto_error *error)
{
    int64_t j;
    double gradient;
    sotto_status status = curator_ask_choice(c, &j, error);
    if (status == SOTTO_OK)
        status = curator_ask_partial(c, j, &gradient, error);
    if (status != SOTTO_OK)
        return status;
    double gamma = s->step_size / s->smoothness[j];
    double *w = j < p->features ? &out->weight[j] : &out->intercept;
    solver_note(out, p, j, gamma * curator_noise(c));
    double to = *w - gamma * gradient;
    if (j < p->features) /* the intercept has no penalty */
        to = solver_prox(p, to, gamma);
    *w += curator_tell(c, j, to - *w);
    return SOTTO_OK;
}

/* Thresholds c sqrt(M_j): then a score is the paper's |grad_j| / sqrt(M_j),
   and a record changes all scores by the same amount at most. */
static sotto_status gcd_tell(curator *c, const solver_problem *p,
                             const gcd_settings *s, sotto_error *error)
{
    int64_t coordinates = p->features + p->intercept;
    double *clip = mem_zeroed((size_t)coordinates, sizeof *clip);
    if (!clip)
        return error_memory(error);
    for (int64_t j = 0; j < coordinates; j++)
        clip[j] = s->clip * sqrt(s->smoothness[j]);
    ask_scores scores = {.rule = s->rule,
                         .smoothness = s->smoothness,
                         .l1 = p->l1,
                         .l2 = p->l2,
                         .low = p->low,
                         .high = p->high};
    sotto_status status = curator_tell_clips(c, clip, error);
    mem_free(clip);
    return status == SOTTO_OK ? curator_tell_scores(c, &scores, error) : status;
}

static sotto_status gcd_run(solver_answer *out, curator *c,
                            const solver_problem *p, const gcd_settings *s,
                            solver_progress progress, void *context,
                            sotto_error *error)
{
    out->intercept = 0;
    for (int64_t j = 0; j < p->features; j++)
        out->weight[j] = 0;
    sotto_status status = gcd_tell(c, p, s, error);
    for (int64_t t = 0; t < s->steps && status == SOTTO_OK; t++) {
        status = gcd_step(out, c, p, s, error);
        if (status == SOTTO_OK)
            status =
                solver_tell(progress, context,
                            solver_rounds("steps", t + 1, s->steps), error);
    }
    return status;
}

/* ---- planning it ---- */

static const solver_option gcd_options[] = {
    STEPS_OPTION,
    {OPTION_STEP_SIZE, "1", "steps are X / M_j"},
    {OPTION_RULE, "untruncated",
     "what makes a coordinate worth choosing: its distance from the optimality "
     "condition, with a sign (untruncated) or cut off at 0 (gs-s), the length "
     "of its step (gs-r), or what that gains (gs-q)"},
    {OPTION_SELECTION_SHARE, "0.5, or 0.8 where the noise is pure",
     "the part of the budget for choosing coordinates"},
    {OPTION_CLIP, "1",
     "a record's part of coordinate j is at most C sqrt(M_j)"},
    SOLVER_SMOOTHNESS,
    {0}};

static const solver_option gcd_paper_options[] = {
    {OPTION_CALIBRATION, "exact",
     "the noise: exact accounting, or the paper's eq. 2 (paper) or its "
     "Theorem 4.2 (theorem)"},
    {0}};

static sotto_status gcd_check(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--solver gcd: expected a finite --clip: it is the "
                         "unit in which coordinates are compared");
    if (option_is(options, OPTION_CALIBRATION, "rdp"))
        return error_set(error, SOTTO_USAGE,
                         "--calibration rdp goes with --solver cd; expected "
                         "exact, theorem or paper");
    if (option_given(options, OPTION_SELECTION_SHARE) &&
        !solver_is(options, &solver_gcd, OPTION_CALIBRATION, "exact"))
        return error_set(error, SOTTO_USAGE,
                         "--selection-share: the paper's formulas divide the "
                         "budget themselves; expected --calibration exact "
                         "with it");
    return SOTTO_OK;
}

/* ---- settings ---- */

static ask_rule gcd_rule(const sotto_options *options)
{
    return option_is(options, OPTION_RULE, "gs-s")   ? ASK_GS_S
           : option_is(options, OPTION_RULE, "gs-r") ? ASK_GS_R
           : option_is(options, OPTION_RULE, "gs-q") ? ASK_GS_Q
                                                     : ASK_UNTRUNCATED;
}

/* ---- noise ---- */

/* How a step's two questions are asked. */
typedef struct gcd_way {
    ask_noise choice, release;
    double share; /* of the choice, unless the user says it */
} gcd_way;

static const gcd_way gcd_pure = {ASK_FLIP, ASK_LAPLACE, .8},
                     gcd_mixed = {ASK_GUMBEL, ASK_GAUSSIAN, .5},
                     gcd_told = {ASK_RANGE, ASK_GAUSSIAN, .5},
                     gcd_paper = {ASK_NOISY, ASK_LAPLACE, .5};

/* Choices and releases in turn, with their parts of what is left. */
static void gcd_add(ask_plan *plan, const solver_run *r, const gcd_way *way,
                    double steps, double left)
{
    double share = option_given(r->options, OPTION_SELECTION_SHARE)
                       ? option_number(r->options, OPTION_SELECTION_SHARE)
                       : way->share;
    plan->item[plan->items++] =
        (ask_item){.kind = ASK_CHOICE,
                   .count = (int64_t)steps,
                   .noise = way->choice,
                   .level = solver_level(way->choice, share * left, steps),
                   .and_next = 1};
    plan->item[plan->items++] = (ask_item){
        .kind = ASK_PARTIAL,
        .count = (int64_t)steps,
        .noise = way->release,
        .level = solver_level(way->release, (1 - share) * left, steps)};
}

static sotto_status gcd_questions(solver_run *r, const gcd_way *way,
                                  double steps, sotto_error *error)
{
    double left;
    sotto_status status = solver_plan_begin(r, way->release, &left, error);
    if (status == SOTTO_OK)
        gcd_add(&r->plan, r, way, steps, left);
    return status;
}

static void gcd_later(const solver_run *r, double steps, double share,
                      ask_plan *out)
{
    gcd_add(out, r, &gcd_told, steps, share);
}

/* The sd of a choice's noise times that of a release's, in sensitivities. */
static double gcd_noise(const ask_plan *plan)
{
    const ask_item *choice = &plan->item[plan->items - 2];
    const ask_item *release = &plan->item[plan->items - 1];
    return 2 / choice->level * ask_mechanism_of(choice->noise)->sd /
           release->level * ask_mechanism_of(release->noise)->sd;
}

/* Gumbel and Gaussian noise, or, which is less for few steps, noise of pure
   differential privacy: whichever is smaller. */
static sotto_status gcd_exact_noise(solver_run *r, double steps,
                                    sotto_error *error)
{
    sotto_status status = gcd_questions(r, &gcd_pure, steps, error);
    if (status == SOTTO_OK)
        status = solver_calibrate(r, error);
    ask_plan pure = r->plan;
    if (status == SOTTO_OK)
        status = gcd_questions(r, &gcd_mixed, steps, error);
    if (status == SOTTO_OK)
        status = solver_calibrate(r, error);
    if (status == SOTTO_OK && gcd_noise(&pure) < gcd_noise(&r->plan))
        r->plan = pure;
    return status;
}

/* The paper's own Laplace noise. It takes a choice to cost what a release
   does; twice that is proven, and that is what the statement says. */
static sotto_status gcd_paper_noise(solver_run *r, double steps,
                                    sotto_error *error)
{
    int theorem = option_is(r->options, OPTION_CALIBRATION, "theorem");
    double z = 1;
    sotto_status status = gcd_questions(r, &gcd_paper, steps, error);
    if (status == SOTTO_OK && r->plan.items > 2)
        status = error_set(error, SOTTO_USAGE,
                           "--calibration: the paper knows no questions but "
                           "choices and partial derivatives; expected --rows N "
                           "or another adjacency, and --smoothness bounds or "
                           "FILE");
    if (status == SOTTO_OK)
        status = solver_paper_multiplier(r, theorem ? "dp-gcd-4.2" : "dp-gcd-2",
                                         steps, 1, &z, error);
    r->plan.item[0].level = 2 / z;
    r->plan.item[1].level = 1 / z;
    return status;
}

static sotto_status gcd_plan(solver_run *r, sotto_error *error)
{
    int exact = solver_is(r->options, &solver_gcd, OPTION_CALIBRATION, "exact");
    double *steps = steps_keep(r);
    if (!steps)
        return error_memory(error);
    if (steps_wait(r) && exact)
        return steps_plan(r, 2, gcd_later, error);
    *steps = 1; /* the paper's noise refuses to wait */
    sotto_status status =
        steps_wait(r) ? SOTTO_OK : steps_usual(r, steps, error);
    if (status != SOTTO_OK)
        return status;
    if (r->facts.without_noise)
        return gcd_questions(r, &gcd_mixed, *steps, error);
    return exact ? gcd_exact_noise(r, *steps, error)
                 : gcd_paper_noise(r, *steps, error);
}

/* Without --clip: a record's slope is about 1 for a mean square of 1, and
   then its part of coordinate j about sqrt(M_j). */
static double gcd_clip(const sotto_options *options)
{
    return solver_number(options, &solver_gcd, OPTION_CLIP);
}

static sotto_status gcd_ready(const solver_run *r, sotto_error *error)
{
    return solver_check_thresholds(r, gcd_clip(r->options), SOLVER_LEAST_CLIP,
                                   SOLVER_MOST_CLIP, error);
}

static sotto_status gcd_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    double steps = *(const double *)r->state;
    sotto_status status = steps_tell(r, gcd_later, &steps, error);
    if (status != SOTTO_OK)
        return status;
    gcd_settings settings = {
        .steps = (int64_t)steps,
        .step_size = solver_number(r->options, &solver_gcd, OPTION_STEP_SIZE),
        .clip = gcd_clip(r->options),
        .rule = gcd_rule(r->options),
        .smoothness = r->smooth.m};
    return gcd_run(out, r->curator, &r->problem, &settings, r->progress,
                   r->context, error);
}

static void gcd_explain(const solver_run *r, text_buffer *t)
{
    steps_explain(r, *(const double *)r->state, t);
}

const solver_row solver_gcd = {
    .summary = "greedy coordinate descent, where few of many features matter",
    .options = gcd_options,
    .paper_options = gcd_paper_options,
    .smooth = 1,
    .needs = &solver_needs_smooth,
    .check = gcd_check,
    .plan = gcd_plan,
    .ready = gcd_ready,
    .run = gcd_train,
    .explain = gcd_explain};
