/*
 * DP-SCD: what it needs, its settings, its plan. Its paper's own variant is
 * here, too, with the settings that all variants for comparison have.
 */
#include "scd.h"

#include <math.h>

/* ---- what is needed ---- */

static const solver_option scd_options[] = {
    {OPTION_PASSES, "15",
     "how often each row is expected in a batch; with --loss hinge, if not "
     "given, 100 to 200, by a rule of n, p and the budget"},
    {OPTION_STEPS, "passes / batch rate",
     "how many steps, instead; with --loss hinge, if not given, a rule of n "
     "(10,000 where it is not public), p, the budget and L2 / R^2"},
    {OPTION_BATCH_RATE,
     "5 L2 / R^2, from 0.002 to 0.02, or 10 / --rows where that is more",
     "the probability with which a row (with --unit-column, a person) is in a "
     "batch, by a secret coin; 1: always; with --loss hinge, if not given, "
     "passes / steps"},
    SCD_AVERAGE,
    {OPTION_CLIP, "half of the first step of a row of norm R and target 1",
     SCD_CLIP_MEANING
     "; with --loss hinge, if not given, at most R / passes at first, and "
     "then it follows the answers"},
    SCD_NORM_BOUND,
    {0}};

static const solver_option paper_options[] = {
    {OPTION_PASSES, "15", "how often each row is expected in a batch"},
    {OPTION_STEPS, "passes / batch rate", "how many steps, instead"},
    {OPTION_BATCH_RATE,
     "5 L2 / R^2, from 0.002 to 0.02, or 10 / --rows where that is more",
     "the probability with which a row (with --unit-column, a person) is in a "
     "batch, by a secret coin; 1: always"},
    SCD_AVERAGE,
    SCD_CLIP,
    SCD_NORM_BOUND,
    {0}};

sotto_status scd_refuse(const sotto_options *options, const char *what,
                        sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "--solver %s: %s",
                     option_text(options, OPTION_SOLVER), what);
}

sotto_status scd_check(const sotto_options *options, sotto_error *error)
{
    double low, high;
    if (option_is(options, OPTION_INTERCEPT, "yes"))
        return scd_refuse(options,
                          "the dual has no intercept that is not penalised; "
                          "expected --no-intercept",
                          error);
    if (!(option_number(options, OPTION_L2) > 0))
        return scd_refuse(options,
                          "there is no dual without an L2 penalty; expected "
                          "--l2 above 0",
                          error);
    if (option_number(options, OPTION_L1) > 0 ||
        option_pair(options, OPTION_BOX, &low, &high))
        return scd_refuse(options,
                          "the L2 penalty is the only one; expected neither "
                          "--l1 nor --box",
                          error);
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return scd_refuse(options,
                          "the shared vector is on a grid of the clip's; "
                          "expected a finite --clip",
                          error);
    return SOTTO_OK;
}

/* ---- settings ---- */

/* What the plan chose for a loss with a corner; other losses have none. */
typedef struct scd_planned {
    double mu, rate, steps;
} scd_planned;

/* Where n is not public, the plan cannot wait for it: batches have to be
   planned before the first question. */
#define USUAL_ROWS 1e4

#define LEAST_CLIP .25 /* of the first one */

/* Times R, in all passes: a dual variable of the hinge has a range of 1, so a
   row can go through all of it and back. */
#define MOST_TRAVEL 2

static double scd_norm(const sotto_options *options)
{
    return solver_number(options, &solver_scd, OPTION_NORM_BOUND);
}

/* The norm that settings go by. */
double scd_usual_norm(const sotto_options *options)
{
    double norm = scd_norm(options);
    return isinf(norm) ? 1 : norm;
}

/*
 * q R^2 / lambda is how much a step is shortened because others move at the
 * same time: 5 or less, between one row of 500 and one of 50; and no fewer than
 * ten rows where their number is declared. A coin can have that rate exactly.
 */
double scd_rate(const solver_run *r)
{
    double norm = scd_usual_norm(r->options);
    double usual = fmin(fmax(5 * r->problem.l2 / (norm * norm), .002), .02);
    if (option_given(r->options, OPTION_ROWS))
        usual =
            fmin(1, fmax(usual, 10 / option_number(r->options, OPTION_ROWS)));
    return curator_rate(option_given(r->options, OPTION_BATCH_RATE)
                            ? option_number(r->options, OPTION_BATCH_RATE)
                            : usual);
}

static scd_facts scd_facts_of(const solver_run *r, double rows, double mu)
{
    double norm = scd_usual_norm(r->options);
    return (scd_facts){.rows = fmax(rows, 1),
                       .features = (double)r->facts.features,
                       .mu = mu,
                       .l2 = r->problem.l2 / (norm * norm)};
}

/* The budget as that of one question about how far a row moves v. */
static sotto_status scd_strength(const solver_run *r, double *mu,
                                 sotto_error *error)
{
    double replaced = r->facts.adjacency == ACCOUNT_REPLACE_ONE ? 2 : 1;
    sotto_status status = solver_whole_level(r, mu, error);
    *mu /= replaced * (double)r->facts.rows_per_person;
    return status;
}

/* Whether what is only planned would have these steps. */
static int scd_knows_steps(const solver_run *r)
{
    const sotto_options *o = r->options;
    return !r->facts.only_planned || !(r->facts.rows > 0) ||
           option_given(o, OPTION_ROWS) ||
           (option_given(o, OPTION_BATCH_RATE) &&
            (option_given(o, OPTION_PASSES) || option_given(o, OPTION_STEPS)));
}

/* Passes, steps and rate: those that are given, and the rule's for others. */
static void scd_choose(const solver_run *r, scd_planned *out)
{
    const sotto_options *o = r->options;
    double rows = r->facts.rows > 0 ? r->facts.rows : USUAL_ROWS;
    scd_facts f = scd_facts_of(r, rows, out->mu);
    int passes_given = option_given(o, OPTION_PASSES);
    int rate_given = option_given(o, OPTION_BATCH_RATE);
    double passes =
        passes_given ? option_number(o, OPTION_PASSES) : scd_rule_passes(&f);
    out->steps = option_given(o, OPTION_STEPS) ? option_number(o, OPTION_STEPS)
                                               : scd_rule_steps(&f, passes);
    out->rate =
        curator_rate(rate_given ? option_number(o, OPTION_BATCH_RATE)
                                : scd_rule_rate(&f, passes, out->steps));
    if (!option_given(o, OPTION_STEPS) && (passes_given || rate_given))
        out->steps = ceil(passes / out->rate);
}

/* ---- settings for smooth losses, and for comparison ---- */

static double scd_all_steps(const solver_run *r)
{
    double passes = solver_number(r->options, r->solver, OPTION_PASSES);
    return option_given(r->options, OPTION_STEPS)
               ? option_number(r->options, OPTION_STEPS)
               : ceil(passes / scd_rate(r));
}

static double scd_clip(const solver_run *r)
{
    double norm = scd_usual_norm(r->options);
    double k = norm * norm * scd_rate(r) / r->problem.l2;
    if (option_given(r->options, OPTION_CLIP))
        return option_number(r->options, OPTION_CLIP);
    return loss_dual_start(&r->problem.loss, norm, k) / 2;
}

/* The curator's bounds of a dual step. */
sotto_status scd_check_size(const solver_run *r, double clip,
                            sotto_error *error)
{
    double l2 = r->problem.l2;
    if (!(l2 >= 0x1p-100 && l2 <= 0x1p100 && clip >= 0x1p-100 &&
          clip <= 0x1p100))
        return scd_refuse(r->options,
                          "expected --l2, --clip and --norm-bound of moderate "
                          "size: l2 and the clip from 2^-100 to 2^100",
                          error);
    if (r->facts.features > 1 << 20)
        return scd_refuse(r->options, "at most 2^20 features", error);
    return SOTTO_OK;
}

static sotto_status paper_ready(const solver_run *r, sotto_error *error)
{
    return scd_check_size(r, scd_clip(r), error);
}

scd_settings scd_make_settings(const solver_run *r)
{
    return (scd_settings){
        .steps = (int64_t)scd_all_steps(r),
        .rate = scd_rate(r),
        .clip = scd_clip(r),
        .average = solver_number(r->options, r->solver, OPTION_AVERAGE)};
}

/* Now that there is a number of rows. */
static scd_settings scd_settings_of(const solver_run *r, double rows)
{
    const scd_planned *planned = r->state;
    if (!planned)
        return scd_make_settings(r);
    scd_facts f = scd_facts_of(r, rows, planned->mu);
    double norm = scd_usual_norm(r->options);
    double passes = planned->steps * planned->rate;
    double half =
        loss_dual_start(&r->problem.loss, norm, planned->rate / f.l2) / 2;
    int given = option_given(r->options, OPTION_CLIP);
    double usual = norm * scd_rule_travel(&f, passes) / passes;
    return (scd_settings){
        .steps = (int64_t)planned->steps,
        .rate = planned->rate,
        .clip =
            given ? option_number(r->options, OPTION_CLIP) : fmin(usual, half),
        .least = given ? 0 : fmin(usual, half) * LEAST_CLIP,
        .most = given ? 0 : fmin(half, MOST_TRAVEL * norm / passes),
        .average = solver_number(r->options, r->solver, OPTION_AVERAGE)};
}

/* The clip is longest for many rows and shortest for one. */
static sotto_status scd_ready(const solver_run *r, sotto_error *error)
{
    scd_settings few = scd_settings_of(r, 1), many = scd_settings_of(r, 1e18);
    double least = few.most > 0 ? few.least : few.clip;
    sotto_status status = scd_check_size(r, least, error);
    return status == SOTTO_OK
               ? scd_check_size(r, fmax(many.clip, many.most), error)
               : status;
}

/* ---- noise ---- */

/* The paper's own noise; the statement gives what it costs. */
static sotto_status scd_paper_noise(solver_run *r, sotto_error *error)
{
    ask_item *item = &r->plan.item[r->plan.items - 1];
    double z;
    if (r->plan.items > 1)
        return scd_refuse(r->options,
                          "the paper takes the number of rows for public; "
                          "expected --rows N or another adjacency",
                          error);
    sotto_status status = solver_paper_multiplier(
        r, "dp-scd-ma", (double)item->count, item->rate, &z, error);
    item->level = status == SOTTO_OK ? 1 / z : 0;
    return status;
}

/* So many steps, within the budget. */
static sotto_status scd_add_steps(solver_run *r, double steps, double rate,
                                  sotto_error *error)
{
    double left;
    if (steps > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--passes, --steps, --batch-rate: at most 1e9 steps "
                         "in all");
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(
        r, solver_batches(ASK_DUAL, (int64_t)steps, left, steps, rate));
    return SOTTO_OK;
}

/* By the rule. */
static sotto_status scd_plan_corner(solver_run *r, sotto_error *error)
{
    scd_planned *planned = r->state = mem_zeroed(1, sizeof *planned);
    if (!planned)
        return error_memory(error);
    if (!scd_knows_steps(r))
        return scd_refuse(r->options,
                          "expected --rows N, or --passes and --batch-rate: "
                          "the steps follow from the number of rows",
                          error);
    sotto_status status = scd_strength(r, &planned->mu, error);
    if (status != SOTTO_OK)
        return status;
    scd_choose(r, planned);
    return scd_add_steps(r, planned->steps, planned->rate, error);
}

static sotto_status scd_plan(solver_run *r, sotto_error *error)
{
    sotto_status status =
        loss_is_smooth(r->problem.loss.kind)
            ? scd_add_steps(r, scd_all_steps(r), scd_rate(r), error)
            : scd_plan_corner(r, error);
    return status != SOTTO_OK || r->facts.without_noise
               ? status
               : solver_calibrate(r, error);
}

static sotto_status scd_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    scd_settings settings = scd_settings_of(r, curator_rows(r->curator));
    return scd_run(out, r->curator, &r->problem, &settings, r->progress,
                   r->context, error);
}

static sotto_status paper_plan(solver_run *r, sotto_error *error)
{
    sotto_status status =
        scd_add_steps(r, scd_all_steps(r), scd_rate(r), error);
    return status != SOTTO_OK || r->facts.without_noise
               ? status
               : scd_paper_noise(r, error);
}

static sotto_status paper_train(const solver_run *r, solver_answer *out,
                                sotto_error *error)
{
    scd_settings settings = scd_make_settings(r);
    double level = r->plan.item[r->plan.items - 1].level;
    if (level > 0)
        settings.dual_noise = 1 / level;
    return scd_run(out, r->curator, &r->problem, &settings, r->progress,
                   r->context, error);
}

/* ---- for people ---- */

static void scd_explain(const solver_run *r, text_buffer *t)
{
    const scd_planned *planned = r->state;
    double rows = r->facts.rows > 0 ? r->facts.rows : USUAL_ROWS;
    scd_settings s = scd_settings_of(r, rows);
    if (planned)
        text_format(t, "rows        %s%s\nstrength    mu = %s for a row\n",
                    sotto_number_print(rows, 10).text,
                    r->facts.rows > 0 ? ""
                                      : " taken for the plan; the clip goes by "
                                        "the answer to the first question",
                    sotto_number_print(planned->mu, 4).text);
    text_format(t, "steps       %lld, at a batch rate of %s: %s passes\n",
                (long long)s.steps, sotto_number_print(s.rate, 4).text,
                sotto_number_print((double)s.steps * s.rate, 4).text);
    text_format(t, "clip        %s", sotto_number_print(s.clip, 4).text);
    if (s.most > 0)
        text_format(t,
                    " at first; in the first half of the steps it follows the "
                    "answers, up to %s",
                    sotto_number_print(s.most, 4).text);
    text_put(t, "\n");
}

const solver_row solver_scd = {
    .summary = "stochastic coordinate descent on the dual, by batches",
    .options = scd_options,
    .shortens_rows = 1,
    .check = scd_check,
    .plan = scd_plan,
    .ready = scd_ready,
    .run = scd_train,
    .explain = scd_explain};

const solver_row solver_scd_paper = {
    .summary = "scd as its paper has it, with noise on the dual, too",
    .options = paper_options,
    .for_comparison = 1,
    .shortens_rows = 1,
    .check = scd_check,
    .plan = paper_plan,
    .ready = paper_ready,
    .run = paper_train};
