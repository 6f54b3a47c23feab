/*
 * The solver's own header: gradient steps, whoever answers for the gradient.
 */
#ifndef SOTTO_SOLVER_DESCENT_H
#define SOTTO_SOLVER_DESCENT_H

#include "planning.h"

typedef struct descent_settings {
    int64_t steps;    /* T */
    double step_size; /* steps are this / M_j ... */
    double decay;     /* ... / (1 + decay t), t = 0, 1, ... */
    double momentum;  /* 0: none; below 1 */
    double average;   /* the last part of the steps that is averaged */
    double clip;      /* of a record's gradient, in units of sqrt(M_j) */
    double rate;      /* of the batches; 1 without */
    const double *smoothness; /* M_j, and the intercept's behind them */
} descent_settings;

/* DP-GD: gradients of all rows; DP-SGD: of batches. */
sotto_status gd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const descent_settings *s, solver_progress progress,
                    void *context, sotto_error *error);
sotto_status sgd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const descent_settings *s, solver_progress progress,
                     void *context, sotto_error *error);

/* Asks for a gradient in coordinates that are multiplied by `scale`. */
typedef sotto_status (*descent_ask)(curator *c, double clip,
                                    const double *scale, double *out,
                                    sotto_error *error);

sotto_status descent_run(solver_answer *out, curator *c,
                         const solver_problem *p, const descent_settings *s,
                         descent_ask ask, solver_progress progress,
                         void *context, sotto_error *error);

/* ---- what it takes ---- */

sotto_status descent_ready(const solver_run *r, sotto_error *error);
double descent_step_size(const solver_run *r);
double descent_clip(const solver_run *r);

/* Refuses so few that hardly anybody is in one. */
sotto_status solver_check_batches(const sotto_options *options, double rate,
                                  double steps, sotto_error *error);
descent_settings descent_make_settings(const solver_run *r, int64_t steps);

#define DESCENT_STEP_SIZE                                                      \
    {                                                                          \
        OPTION_STEP_SIZE, "1 / coordinates, which is stable",                  \
            "steps are X / M_j"                                                \
    }
#define DESCENT_CLIP                                                           \
    {                                                                          \
        OPTION_CLIP, "sqrt(coordinates / curvature)",                          \
            "the longest gradient of a record, in units of sqrt(M_j)"          \
    }

#endif
