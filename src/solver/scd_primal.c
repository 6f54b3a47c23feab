/*
 * The primal DP-SCD, for comparison: blocks of coordinates take turns, and
 * each coordinate of a block goes where all rows together want it, but no
 * farther than the clip. Nothing is sampled.
 */
#include "solver.h"

#include <math.h>

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

sotto_status scd_primal_run(solver_answer *out, curator *c,
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
        if (status == SOTTO_OK && progress &&
            progress(context, (double)(t + 1) / (double)s->steps))
            status = error_set(error, SOTTO_INTERRUPTED, "interrupted");
    }
    mem_free(move);
    return status;
}
