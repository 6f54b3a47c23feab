/*
 * The solver's own header: standard errors of weights from the answers of the
 * last stage of the private Newton method. All of it is post-processing.
 */
#ifndef SOTTO_SOLVER_NEWTON_ERRORS_H
#define SOTTO_SOLVER_NEWTON_ERRORS_H

#include "newton_stages.h"
#include "redundant.h"

/* What the last stage was asked and answered. v = to w, and in coordinates w
   the loss bends by about 1 in all directions. */
typedef struct newton_rest {
    int64_t d;           /* features and intercept */
    const double *first; /* the second moments of rows, d x d */
    double edge;         /* the largest eigenvalue of their noise, about */
    const double *to;    /* d x d */
    const double *pull;  /* the mean of the answers with the penalty, of w */
    const double *average, *v; /* of the points; and what is released */
    const double *reach;       /* how far each coordinate of a row goes */
    double sd, rounds; /* of the noise of an answer; so many are averaged */
    double clip, length, square; /* of gradients: what they are cut to, their
                                    mean length and mean square, */
    double lost;                 /* and the mean of what is cut off */
    int classes;
    double rows;                /* independent ones: they are a sample */
    const double *from;         /* to^-1 */
    const redundant *redundant; /* directions of v; NULL: there are none */
} newton_rest;

/* For `count` sums, c the rows of `what` (count x d). */
sotto_status newton_errors(const newton_rest *m, const double *what,
                           int64_t count, errors_found *out,
                           sotto_error *failed);

/* Those of the weights, or why there are none, after the last stage and the
   guard. */
sotto_status newton_intervals(const stages *k, const solver_answer *out,
                              sotto_error *error);

#endif
