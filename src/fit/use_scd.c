/*
 * Training with DP-SCD: what it needs, its plan, its settings. What it does
 * not say itself comes from public quantities alone.
 */
#include "private.h"

#include <math.h>
#include <string.h>

/* ---- what is needed ---- */

static sotto_status scd_refuse(const sotto_options *options, const char *what,
                               sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "--solver %s: %s",
                     option_text(options, OPTION_SOLVER), what);
}

static sotto_status scd_check(const sotto_options *options, sotto_error *error)
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
    if (option_given(options, OPTION_PASSES) &&
        option_given(options, OPTION_STEPS))
        return error_set(error, SOTTO_USAGE,
                         "expected one of --passes and --steps");
    return SOTTO_OK;
}

/* ---- settings ---- */

enum { SCD_PASSES = 15 };

static double scd_norm(const sotto_options *options)
{
    return option_number(options, OPTION_NORM_BOUND);
}

/* The norm that settings go by. */
static double scd_usual_norm(const sotto_options *options)
{
    double norm = scd_norm(options);
    return isinf(norm) ? 1 : norm;
}

/*
 * q R^2 / lambda is how much a step is shortened because others move at the
 * same time: 5 or less, between one row of 500 and one of 50; and no fewer than
 * ten rows where their number is declared. A coin can have that rate exactly.
 */
static double scd_rate(const solver_run *r)
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

static double scd_steps(const solver_run *r)
{
    double passes = option_given(r->options, OPTION_PASSES)
                        ? option_number(r->options, OPTION_PASSES)
                        : SCD_PASSES;
    return option_given(r->options, OPTION_STEPS)
               ? option_number(r->options, OPTION_STEPS)
               : ceil(passes / scd_rate(r));
}

/* How far a record of the longest norm moves v in its first step, at w = 0,
   with a target of 1. */
static double scd_first_step(const loss *l, double norm, double k)
{
    switch (l->kind) {
    case LOSS_HINGE:
        return norm * fmin(1, 1 / k);
    case LOSS_SQUARED_HINGE:
        return norm / (.5 + k);
    case LOSS_LOGISTIC:
        return norm * .5 / (1 + k / 4);
    default:
        return norm / (1 + k);
    }
}

static double scd_clip(const solver_run *r)
{
    double norm = scd_usual_norm(r->options);
    double k = norm * norm * scd_rate(r) / r->problem.l2;
    if (option_given(r->options, OPTION_CLIP))
        return option_number(r->options, OPTION_CLIP);
    return scd_first_step(&r->problem.loss, norm, k) / 2;
}

/* The curator's bounds of a dual step. */
static sotto_status dual_ready(const solver_run *r, double clip,
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

static sotto_status scd_ready(const solver_run *r, sotto_error *error)
{
    return dual_ready(r, scd_clip(r), error);
}

static scd_settings scd_make_settings(const solver_run *r)
{
    return (scd_settings){.steps = (int64_t)scd_steps(r),
                          .rate = scd_rate(r),
                          .clip = scd_clip(r),
                          .average =
                              option_given(r->options, OPTION_AVERAGE)
                                  ? option_number(r->options, OPTION_AVERAGE)
                                  : .5};
}

/* ---- noise ---- */

static int is_paper(const solver_run *r)
{
    return option_is(r->options, OPTION_SOLVER, "scd-paper");
}

/* The paper's own noise; the statement gives what it costs. */
static sotto_status paper_noise(solver_run *r, sotto_error *error)
{
    ask_item *item = &r->plan.item[r->plan.items - 1];
    double z;
    if (r->plan.items > 1)
        return scd_refuse(r->options,
                          "the paper takes the number of rows for public; "
                          "expected --rows N or another adjacency",
                          error);
    for (int64_t i = 0; account_paper_at(i); i++)
        if (!strcmp(account_paper_at(i)->name, "dp-scd-ma")) {
            sotto_status status = account_paper_multiplier(
                i, (double)item->count, item->rate,
                option_number(r->options, OPTION_EPSILON),
                option_number(r->options, OPTION_DELTA), &z, error);
            item->level = status == SOTTO_OK ? 1 / z : 0;
            return status;
        }
    return error_set(error, SOTTO_FAILED, "the paper's formula is not there");
}

static sotto_status scd_plan(solver_run *r, sotto_error *error)
{
    double left, rate = scd_rate(r), steps = scd_steps(r);
    if (steps > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--passes, --steps, --batch-rate: at most 1e9 steps "
                         "in all");
    sotto_status status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    fit_plan_add(r, fit_batches(ASK_DUAL, (int64_t)steps, left, steps, rate));
    if (r->facts.without_noise)
        return SOTTO_OK;
    return is_paper(r) ? paper_noise(r, error) : fit_calibrate(r, error);
}

/* ---- for comparison: blocks that take turns ---- */

/* So many of `all` at once, and so many blocks. */
static int64_t block_of(const solver_run *r, double all, int64_t *blocks)
{
    double size = fmin(fmax(1, rint(scd_rate(r) * all)), all);
    *blocks = (int64_t)ceil(all / size);
    return (int64_t)size;
}

static double block_steps(const solver_run *r, int64_t blocks)
{
    double passes = option_given(r->options, OPTION_PASSES)
                        ? option_number(r->options, OPTION_PASSES)
                        : SCD_PASSES;
    /* more than is allowed, but no more than an integer holds */
    return option_given(r->options, OPTION_STEPS)
               ? option_number(r->options, OPTION_STEPS)
               : fmin(passes * (double)blocks, 2e9);
}

static sotto_status block_plan(solver_run *r, ask_item item, sotto_error *error)
{
    double left;
    sotto_status status = fit_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status == SOTTO_OK && item.count > (int64_t)1e9)
        status = error_set(error, SOTTO_USAGE,
                           "--passes, --steps, "
                           "--batch-rate: at most 1e9 steps in all");
    if (status != SOTTO_OK)
        return status;
    item.level =
        fit_level(ASK_GAUSSIAN, left, (double)curator_priced_count(&item));
    fit_plan_add(r, item);
    return r->facts.without_noise ? SOTTO_OK : fit_calibrate(r, error);
}

static sotto_status seq_check(const sotto_options *options, sotto_error *error)
{
    sotto_status status = scd_check(options, error);
    if (status == SOTTO_OK && !option_given(options, OPTION_ROWS))
        status = scd_refuse(options,
                            "blocks are of a public number of rows; expected "
                            "--rows N",
                            error);
    return status;
}

static sotto_status seq_plan(solver_run *r, sotto_error *error)
{
    ask_item item = {.kind = ASK_SEQUENCE};
    item.block =
        block_of(r, option_number(r->options, OPTION_ROWS), &item.blocks);
    item.count = (int64_t)block_steps(r, item.blocks);
    return block_plan(r, item, error);
}

static double seq_clip(const solver_run *r)
{
    double norm = scd_usual_norm(r->options);
    double k = norm * norm / (r->problem.l2 * r->facts.rows);
    return option_given(r->options, OPTION_CLIP)
               ? option_number(r->options, OPTION_CLIP)
               : scd_first_step(&r->problem.loss, norm, k) / 2;
}

static sotto_status seq_ready(const solver_run *r, sotto_error *error)
{
    return dual_ready(r, seq_clip(r), error);
}

static sotto_status seq_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    scd_settings s = scd_make_settings(r);
    s.steps = r->plan.item[r->plan.items - 1].count;
    s.sequence = 1;
    s.clip = seq_clip(r);
    return scd_run(out, r->curator, &r->problem, &s, r->progress, r->context,
                   error);
}

static sotto_status primal_check(const sotto_options *options,
                                 sotto_error *error)
{
    if (option_is(options, OPTION_LOSS, "hinge"))
        return scd_refuse(options,
                          "the hinge loss is not smooth; expected another "
                          "loss, or --solver scd",
                          error);
    return scd_check(options, error);
}

static sotto_status primal_plan(solver_run *r, sotto_error *error)
{
    int64_t blocks;
    ask_item item = {.kind = ASK_PRIMAL};
    item.block = block_of(r, (double)r->facts.features, &blocks);
    item.count = (int64_t)block_steps(r, blocks);
    return block_plan(r, item, error);
}

static sotto_status primal_train(const solver_run *r, solver_answer *out,
                                 sotto_error *error)
{
    const ask_item *item = &r->plan.item[r->plan.items - 1];
    scd_primal_settings s = {item->count, item->block,
                             option_given(r->options, OPTION_CLIP)
                                 ? option_number(r->options, OPTION_CLIP)
                                 : 1};
    return scd_primal_run(out, r->curator, &r->problem, &s, r->progress,
                          r->context, error);
}

static sotto_status scd_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    scd_settings settings = scd_make_settings(r);
    double level = r->plan.item[r->plan.items - 1].level;
    if (is_paper(r) && level > 0)
        settings.shake = 1 / level;
    return scd_run(out, r->curator, &r->problem, &settings, r->progress,
                   r->context, error);
}

const solver_row fit_scd = {.name = "scd",
                            .shortens_rows = 1,
                            .check = scd_check,
                            .plan = scd_plan,
                            .ready = scd_ready,
                            .run = scd_train};

const solver_row fit_scd_paper = {.name = "scd-paper",
                                  .shortens_rows = 1,
                                  .check = scd_check,
                                  .plan = scd_plan,
                                  .ready = scd_ready,
                                  .run = scd_train};

const solver_row fit_scd_seq = {.name = "scd-seq",
                                .shortens_rows = 1,
                                .check = seq_check,
                                .plan = seq_plan,
                                .ready = seq_ready,
                                .run = seq_train};

const solver_row fit_scd_primal = {.name = "scd-primal",
                                   .check = primal_check,
                                   .plan = primal_plan,
                                   .run = primal_train};
