/*
 * The solver's own header: gradient steps, whoever answers for the gradient.
 */
#ifndef SOTTO_SOLVER_DESCENT_H
#define SOTTO_SOLVER_DESCENT_H

#include "planning.h"

/* Asks for a gradient in coordinates that are multiplied by `scale`. */
typedef sotto_status (*descent_ask)(curator *c, double clip,
                                    const double *scale, double *out,
                                    sotto_error *error);

sotto_status descent_run(solver_answer *out, curator *c,
                         const solver_problem *p, const descent_settings *s,
                         descent_ask ask, solver_progress progress,
                         void *context, sotto_error *error);

/* ---- what it takes ---- */

sotto_status descent_check(const sotto_options *options, const char *solver,
                           sotto_error *error);
sotto_status descent_ready(const solver_run *r, sotto_error *error);
int64_t descent_usual_steps(const sotto_options *options);

/* Refuses so few that hardly anybody is in one. */
sotto_status solver_check_batches(const sotto_options *options, double rate,
                                  double steps, sotto_error *error);
descent_settings descent_make_settings(const solver_run *r);

#endif
