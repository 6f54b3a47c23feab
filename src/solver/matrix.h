/*
 * The solver's own header: small symmetric matrices, as post-processing.
 */
#ifndef SOTTO_SOLVER_MATRIX_H
#define SOTTO_SOLVER_MATRIX_H

#include "base.h"

/* a = V diag(value) V', columns of V in `vector`. */
sotto_status matrix_eigen(const double *a, int64_t d, double *value,
                          double *vector, sotto_error *error);

/* And back: out = V diag(value) V'. */
void matrix_compose(const double *value, const double *vector, int64_t d,
                    double *out);

/* a = R R', R lower triangular in its place; 0: a is not positive. */
int matrix_factor(double *a, int64_t d);

/* x becomes (R R')^-1 x. */
void matrix_solve(const double *root, int64_t d, double *x);

/* The v that makes <g, v - from> + (v - from)' H (v - from) / 2 plus the sum
   of l1_j |v_j| + l2_j v_j^2 / 2 least, within [low_j, high_j]. */
typedef struct matrix_model {
    int64_t d;
    const double *h, *g, *l1, *l2, *low, *high;
} matrix_model;

sotto_status matrix_minimise(const matrix_model *m, const double *from,
                             double *v, sotto_error *error);

/*
 * What noise leaves of an estimate x of v, x ~ N(v, variance H^-1): the mean of
 * v given x, where v_j ~ N(0, 1/a_j) before, and a makes x most likely. There
 * is one a for all of the first p coordinates, or one for each. The others are
 * not held back. `v` may be x.
 */
sotto_status matrix_posterior(const double *h, int64_t d, int64_t p, int each,
                              double variance, const double *x, double *v,
                              sotto_error *error);

#endif
