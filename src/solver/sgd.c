/*
 * DP-SGD: every step asks for the gradient of a fresh batch, into which each
 * person comes by a secret coin of their own. Steps as those of DP-GD.
 */
#include "descent.h"

sotto_status sgd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const descent_settings *s, solver_progress progress,
                     void *context, sotto_error *error)
{
    return descent_run(out, c, p, s, curator_ask_batch, progress, context,
                       error);
}
