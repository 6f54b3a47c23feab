/*
 * The solver's own header: the steps of DP-CD.
 */
#ifndef SOTTO_SOLVER_CD_H
#define SOTTO_SOLVER_CD_H

#include "planning.h"

typedef enum cd_order { CD_UNIFORM, CD_PERMUTED, CD_CYCLIC } cd_order;

typedef struct cd_settings {
    int64_t rounds;   /* T */
    int64_t steps;    /* K, in each round */
    double step_size; /* gamma: steps are gamma / M_j */
    double clip;      /* C: thresholds are C sqrt(M_j / sum M) */
    double average;   /* the last part of a round that is averaged */
    cd_order order;
    const double *smoothness; /* M_j, and the intercept's behind them */
    const double *unit;       /* weights that are penalised are these times the
                                 stored ones; NULL: 1 */
} cd_settings;

sotto_status cd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const cd_settings *s, solver_progress progress,
                    void *context, sotto_error *error);

#endif
