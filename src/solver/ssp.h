/*
 * The solver's own header: standard errors of weights from noisy second
 * moments. All of it is post-processing of answers.
 */
#ifndef SOTTO_SOLVER_SSP_H
#define SOTTO_SOLVER_SSP_H

#include "matrix.h"
#include "solver.h"

/* What v = (G + L)^-1 b was made of. */
typedef struct ssp_moments {
    int64_t d;                           /* features and intercept */
    const double *gram, *vector, *value; /* G = V diag(value) V', lifted */
    const double *l2;                    /* L, diagonal */
    const double *v;
    const double *reach; /* how far each coordinate of a row goes */
    double edge;         /* the noise's own largest eigenvalue, about */
    double sd;       /* of the noise in the diagonal of G, and in that of S */
    double residual; /* mean square, as answered */
    double rows;     /* independent ones: they are a sample */
} ssp_moments;

/*
 * The standard error of each of `count` sums c'v, c the rows of `what` (count x
 * d): noise and sampling together. refused[i] is not INTERVAL_UNMODELLED where
 * there is none; then error[i] is 0.
 */
sotto_status ssp_errors(const ssp_moments *m, const double *what, int64_t count,
                        double *error, unsigned char *refused,
                        sotto_error *failed);

#endif
