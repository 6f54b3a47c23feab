/*
 * Blocks that take turns instead of batches, for comparison with DP-SCD.
 *
 * scd-seq: public blocks of rows; the rows of a block see each other's steps.
 * scd-primal: blocks of coordinates, and each coordinate of a block goes where
 * all rows together want it, but no farther than the clip. Nothing is sampled.
 */
#include "scd.h"

#include <math.h>

typedef struct scd_primal_settings {
    int64_t steps;
    int64_t block; /* coordinates that move at once */
    double clip;   /* how far a coordinate may move in a step */
} scd_primal_settings;

/* ---- the primal ---- */

static sotto_status primal_step(curator *c, const solver_problem *p,
                                const scd_primal_settings *s, int64_t first,
                                double *weight, int64_t *move,
                                sotto_error *error)
{
    double unit;
    int64_t left = p->features - first;
    ask_primal at = {.weight = weight,
                     .first = first,
                     .count = left < s->block ? left : s->block,
                     .l2 = p->l2,
                     .clip = s->clip};
    sotto_status status = curator_ask_primal(c, &at, move, &unit, error);
    for (int64_t k = 0; status == SOTTO_OK && k < at.count; k++)
        weight[first + k] += curator_tell(c, first + k, (double)move[k] * unit);
    return status;
}

static sotto_status scd_primal_run(solver_answer *out, curator *c,
                                   const solver_problem *p,
                                   const scd_primal_settings *s,
                                   solver_progress progress, void *context,
                                   sotto_error *error)
{
    int64_t blocks = (p->features + s->block - 1) / s->block;
    int64_t *move = mem_zeroed((size_t)s->block, sizeof *move);
    sotto_status status = move ? SOTTO_OK : error_memory(error);
    for (int64_t j = 0; j < p->features; j++)
        out->weight[j] = 0;
    out->intercept = 0;
    for (int64_t t = 0; t < s->steps && status == SOTTO_OK; t++) {
        int64_t first = t % blocks * s->block;
        status = primal_step(c, p, s, first, out->weight, move, error);
        for (int64_t j = first; j < first + s->block; j++)
            solver_note(out, p, j, curator_noise(c));
        if (status == SOTTO_OK)
            status =
                solver_tell(progress, context,
                            solver_rounds("steps", t + 1, s->steps), error);
    }
    mem_free(move);
    return status;
}

/* ---- planning ---- */

static const solver_option seq_options[] = {
    {OPTION_PASSES, "15", "how often each block takes its turn"},
    {OPTION_STEPS, "passes x blocks", "how many turns, instead"},
    {OPTION_BATCH_RATE,
     "5 L2 / R^2, from 0.002 to 0.02, or 10 / --rows where that is more",
     "the part of the rows that is a block"},
    SCD_AVERAGE,
    SCD_CLIP,
    SCD_NORM_BOUND,
    {0}};

static const solver_option primal_options[] = {
    {OPTION_PASSES, "15", "how often each block takes its turn"},
    {OPTION_STEPS, "passes x blocks", "how many turns, instead"},
    {OPTION_BATCH_RATE,
     "5 L2 / R^2, from 0.002 to 0.02, or 10 / --rows where that is more",
     "the part of the coordinates that is a block"},
    {OPTION_CLIP, "1", "how far a coordinate may move in a step"},
    {0}};

/* So many of `all` at once, and so many blocks. */
static int64_t block_of(const solver_run *r, double all, int64_t *blocks)
{
    double size = fmin(fmax(1, rint(scd_rate(r) * all)), all);
    *blocks = (int64_t)ceil(all / size);
    return (int64_t)size;
}

static double block_steps(const solver_run *r, int64_t blocks)
{
    double passes = solver_number(r->options, r->solver, OPTION_PASSES);
    /* more than is allowed, but no more than an integer holds */
    return option_given(r->options, OPTION_STEPS)
               ? option_number(r->options, OPTION_STEPS)
               : fmin(passes * (double)blocks, 2e9);
}

static sotto_status block_plan(solver_run *r, ask_item item, sotto_error *error)
{
    double left;
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status == SOTTO_OK && item.count > (int64_t)1e9)
        status = error_set(error, SOTTO_USAGE,
                           "--passes, --steps, "
                           "--batch-rate: at most 1e9 steps in all");
    if (status != SOTTO_OK)
        return status;
    item.level =
        solver_level(ASK_GAUSSIAN, left, (double)curator_priced_count(&item));
    solver_plan_add(r, item);
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
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
               : loss_dual_start(&r->problem.loss, norm, k) / 2;
}

static sotto_status seq_ready(const solver_run *r, sotto_error *error)
{
    return scd_check_size(r, seq_clip(r), error);
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
                             solver_number(r->options, r->solver, OPTION_CLIP)};
    return scd_primal_run(out, r->curator, &r->problem, &s, r->progress,
                          r->context, error);
}

const solver_row solver_scd_seq = {
    .summary = "steps on the dual, by public blocks of rows in turn",
    .options = seq_options,
    .for_comparison = 1,
    .shortens_rows = 1,
    .check = seq_check,
    .plan = seq_plan,
    .ready = seq_ready,
    .run = seq_train};

const solver_row solver_scd_primal = {
    .summary = "steps on the primal, by blocks of coordinates in turn",
    .options = primal_options,
    .for_comparison = 1,
    .needs = &solver_needs_smooth,
    .check = scd_check,
    .plan = primal_plan,
    .run = primal_train};
