/*
 * Private Frank-Wolfe, Talwar, Thakurta and Zhang, "Nearly optimal private
 * LASSO" (2015):
 *
 *   for t = 0 ... T-1:
 *       s = the vertex of the L1 ball with the best noisy score -<s, grad>
 *       w = (1 - gamma_t) w + gamma_t s,   gamma_t = 2 / (t + 2)
 *
 * It is block-coordinate Frank-Wolfe with one block, which always moves. The
 * noise is that of the exponential mechanism among the 2p vertices.
 */
#include "solver.h"

sotto_status fw_run(solver_answer *out, curator *c, const solver_problem *p,
                    const fw_settings *s, solver_progress progress,
                    void *context, sotto_error *error)
{
    int64_t *all = mem_zeroed((size_t)p->features, sizeof *all);
    if (!all)
        return error_memory(error);
    for (int64_t j = 0; j < p->features; j++)
        all[j] = j;
    bcfw_block ball = {
        .coordinate = all, .count = p->features, .radius = s->radius};
    bcfw_domain domain = {&ball, 1, s->intercept};
    bcfw_sampling always = {.kind = BCFW_ALL};
    bcfw_settings settings = {
        .steps = s->steps, .clip = s->clip, .sampling = &always};
    sotto_status status =
        bcfw_run(out, c, p, &domain, &settings, progress, context, error);
    mem_free(all);
    return status;
}
