/*
 * The solver's own header: gradient steps, whoever answers for the gradient.
 */
#ifndef SOTTO_SOLVER_DESCENT_H
#define SOTTO_SOLVER_DESCENT_H

#include "solver.h"

/* Asks for a gradient in coordinates that are multiplied by `scale`. */
typedef sotto_status (*descent_ask)(curator *c, double clip,
                                    const double *scale, double *out,
                                    sotto_error *error);

sotto_status descent_run(solver_answer *out, curator *c,
                         const solver_problem *p, const descent_settings *s,
                         descent_ask ask, solver_progress progress,
                         void *context, sotto_error *error);

#endif
