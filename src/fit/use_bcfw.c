/*
 * Training with block-coordinate Frank-Wolfe: what it needs, its plan, its
 * settings.
 */
#include "private.h"

#include <math.h>

static sotto_status bcfw_check(const sotto_options *options, sotto_error *error)
{
    double low, high, blocks;
    int radius = option_given(options, OPTION_RADIUS);
    int box = option_pair(options, OPTION_BOX, &low, &high);
    if (!option_given(options, OPTION_BLOCKS))
        return error_set(error, SOTTO_USAGE,
                         "--solver bcfw: expected --blocks K or a file of "
                         "them");
    if (!fit_blocks_number(options, &blocks)) {
        if (radius || box)
            return error_set(error, SOTTO_USAGE,
                             "--blocks: the file says where each block is; "
                             "expected neither --radius nor --box");
    } else if (radius == box)
        return error_set(error, SOTTO_USAGE,
                         "--solver bcfw: expected --radius R, a ball for each "
                         "block, or --box LO,HI");
    if (box && !(low < high && low >= -0x1p100 && high <= 0x1p100))
        return error_set(error, SOTTO_USAGE,
                         "--box: --solver bcfw goes towards its corners; "
                         "expected two ends, finite and not beyond 1e30");
    return fit_check_frank_wolfe(options, error);
}

/* What is planned: read once, so that it runs as planned. */
typedef struct bcfw_planned {
    fit_blocks blocks;
    double steps; /* by the rule, or as given */
} bcfw_planned;

static void bcfw_free(void *state)
{
    bcfw_planned *planned = state;
    if (planned)
        fit_free_blocks(&planned->blocks);
    mem_free(planned);
}

/* Where --steps does not say it, so many that each block is expected to move
   as often as the rule has it. */
static double bcfw_steps(const solver_run *r, double steps)
{
    const bcfw_planned *planned = r->state;
    return option_given(r->options, OPTION_STEPS)
               ? steps
               : ceil(steps / bcfw_least(&planned->blocks.domain,
                                         &planned->blocks.sampling));
}

static double bcfw_questions(const solver_run *r, double steps)
{
    const bcfw_planned *planned = r->state;
    return (double)bcfw_most(&planned->blocks.domain,
                             &planned->blocks.sampling) *
           bcfw_steps(r, steps);
}

static void bcfw_later(const solver_run *r, double steps, double share,
                       ask_plan *out)
{
    fit_later_vertices(bcfw_questions(r, steps), share, out);
}

/* Candidates are a ball's. */
static sotto_status check_candidates(const solver_run *r, const fit_blocks *b,
                                     sotto_error *error)
{
    int balls = 0;
    for (int64_t i = 0; i < b->domain.blocks; i++)
        balls |= b->block[i].radius > 0;
    if (option_given(r->options, OPTION_CANDIDATES) && !balls)
        return error_set(error, SOTTO_USAGE,
                         "--candidates: boxes have none to choose among; "
                         "expected a block that is a ball");
    return SOTTO_OK;
}

static sotto_status bcfw_plan(solver_run *r, sotto_error *error)
{
    bcfw_planned *planned = r->state = mem_zeroed(1, sizeof *planned);
    if (!planned)
        return error_memory(error);
    sotto_status status = fit_read_blocks(&planned->blocks, r, error);
    if (status == SOTTO_OK)
        status = check_candidates(r, &planned->blocks, error);
    if (status != SOTTO_OK)
        return status;
    if (fit_steps_wait(r))
        return fit_plan_waiting(r, bcfw_questions(r, 1), bcfw_later, error);
    status = fit_usual_steps(r, &planned->steps, error);
    return status == SOTTO_OK
               ? fit_plan_vertices(r, bcfw_questions(r, planned->steps), error)
               : status;
}

static sotto_status bcfw_train(const solver_run *r, solver_answer *out,
                               sotto_error *error)
{
    const bcfw_planned *planned = r->state;
    const fit_blocks *b = &planned->blocks;
    double steps = planned->steps;
    sotto_status status = fit_tell_steps(r, bcfw_later, &steps, error);
    if (status != SOTTO_OK)
        return status;
    bcfw_settings settings = {.steps = (int64_t)bcfw_steps(r, steps),
                              .clip = fit_vertex_clip(r->options),
                              .sampling = &b->sampling};
    if (option_given(r->options, OPTION_CANDIDATES))
        settings.candidates = option_integer(r->options, OPTION_CANDIDATES);
    return bcfw_run(out, r->curator, &r->problem, &b->domain, &settings,
                    r->progress, r->context, error);
}

static void bcfw_explain(const solver_run *r, text_buffer *t)
{
    const bcfw_planned *planned = r->state;
    fit_explain_steps(r, planned->steps, t);
}

const solver_row fit_bcfw = {.name = "bcfw",
                             .check = bcfw_check,
                             .plan = bcfw_plan,
                             .run = bcfw_train,
                             .free_state = bcfw_free,
                             .explain = bcfw_explain};
