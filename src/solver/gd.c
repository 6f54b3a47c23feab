/*
 * DP-GD: every step asks for the whole gradient of all records, with Gaussian
 * noise; T steps of mu are exactly one of sqrt(T) mu.
 */
#include "descent.h"

sotto_status gd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const descent_settings *s, solver_progress progress,
                    void *context, sotto_error *error)
{
    return descent_run(out, c, p, s, curator_ask_gradient, progress, context,
                       error);
}
