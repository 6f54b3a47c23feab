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

/* Where --steps does not say it, so many that each block is expected to move
   as often as the rule has it. */
static double bcfw_steps(const private_run *r)
{
    const fit_blocks *b = &r->blocks;
    return option_given(r->options, OPTION_STEPS)
               ? r->steps
               : ceil(r->steps / bcfw_least(&b->domain, &b->sampling));
}

static double bcfw_questions(const private_run *r)
{
    const fit_blocks *b = &r->blocks;
    return (double)bcfw_most(&b->domain, &b->sampling) * bcfw_steps(r);
}

/* Candidates are a ball's. */
static sotto_status check_candidates(const private_run *r, const fit_blocks *b,
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

static sotto_status bcfw_plan(private_run *r, sotto_error *error)
{
    const fit_blocks *b = &r->blocks;
    sotto_status status = fit_read_blocks(&r->blocks, r, error);
    if (status == SOTTO_OK)
        status = check_candidates(r, b, error);
    if (status != SOTTO_OK)
        return status;
    if (fit_steps_wait(r)) {
        r->steps = 1;
        return fit_plan_waiting(r, bcfw_questions(r), error);
    }
    status = fit_usual_steps(r, &r->steps, error);
    return status == SOTTO_OK ? fit_plan_vertices(r, bcfw_questions(r), error)
                              : status;
}

static void bcfw_later(const private_run *r, double steps, double share,
                       ask_plan *out)
{
    private_run with = *r;
    with.steps = steps;
    fit_later_vertices(bcfw_questions(&with), share, out);
}

static sotto_status bcfw_train(private_run *r, const solver_problem *p,
                               solver_answer *out, solver_progress progress,
                               void *context, sotto_error *error)
{
    const fit_blocks *b = &r->blocks;
    bcfw_settings settings = {.steps = (int64_t)bcfw_steps(r),
                              .clip = fit_vertex_clip(r->options),
                              .sampling = &b->sampling};
    if (option_given(r->options, OPTION_CANDIDATES))
        settings.candidates = option_integer(r->options, OPTION_CANDIDATES);
    return bcfw_run(out, r->curator, p, &b->domain, &settings, progress,
                    context, error);
}

const private_solver fit_bcfw = {.name = "bcfw",
                                 .check = bcfw_check,
                                 .plan = bcfw_plan,
                                 .later = bcfw_later,
                                 .run = bcfw_train};
