/*
 * The solver's own header: standard errors of weights from noisy second
 * moments. All of it is post-processing of answers.
 */
#ifndef SOTTO_SOLVER_SSP_H
#define SOTTO_SOLVER_SSP_H

#include "matrix.h"
#include "redundant.h"
#include "solver.h"

/* What v = (G + L)^-1 b was made of. */
typedef struct ssp_moments {
    int64_t d;          /* features and intercept */
    const double *gram; /* G, lifted */
    const double *l2;   /* L, diagonal */
    const double *v;
    const double *reach; /* how far each coordinate of a row goes */
    double edge;         /* the noise's own largest eigenvalue, about */
    double sd;       /* of the noise in the diagonal of G, and in that of S */
    double residual; /* mean square, as answered */
    double rows;     /* independent ones: they are a sample */
    const redundant *redundant; /* directions of v; NULL: there are none */
} ssp_moments;

/* Noise and sampling together, of `count` sums c'v, c the rows of `what` (count
   x d). */
sotto_status ssp_errors(const ssp_moments *m, const double *what, int64_t count,
                        errors_found *out, sotto_error *failed);

#endif
