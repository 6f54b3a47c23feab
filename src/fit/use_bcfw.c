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

/* So many that each block is expected to move as often as it should. */
static double bcfw_steps(const private_run *r, const fit_blocks *b)
{
    if (option_given(r->options, OPTION_STEPS))
        return option_number(r->options, OPTION_STEPS);
    return ceil(fit_vertex_steps(r) / bcfw_least(&b->domain, &b->sampling));
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
    if (status == SOTTO_OK)
        status = fit_plan_vertices(
            r, (double)bcfw_most(&b->domain, &b->sampling) * bcfw_steps(r, b),
            error);
    return status;
}

static sotto_status bcfw_train(private_run *r, const solver_problem *p,
                               solver_answer *out, solver_progress progress,
                               void *context, sotto_error *error)
{
    const fit_blocks *b = &r->blocks;
    bcfw_settings settings = {.steps = (int64_t)bcfw_steps(r, b),
                              .clip = fit_vertex_clip(r->options),
                              .sampling = &b->sampling};
    if (option_given(r->options, OPTION_CANDIDATES))
        settings.candidates = option_integer(r->options, OPTION_CANDIDATES);
    return bcfw_run(out, r->curator, p, &b->domain, &settings, progress,
                    context, error);
}

const private_solver fit_bcfw = {
    .name = "bcfw", .check = bcfw_check, .plan = bcfw_plan, .run = bcfw_train};
