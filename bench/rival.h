/*
 * What the kernels are compared with: one pass of coordinate descent over
 * all columns of the same problem.
 */
#ifndef SOTTO_BENCH_RIVAL_H
#define SOTTO_BENCH_RIVAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Column-major, column j from j * stride on. */
typedef struct rival_problem {
    int logistic;
    int64_t rows, columns, stride;
    const double *x, *y;
    double clip, sigma, step, l1;
} rival_problem;

/* A pass in doubles with clip, noise and prox: by a loop of Eigen over the
   elements, by Eigen's array expressions, by a plain loop in C. */
void rival_eigen_loop(const rival_problem *p, double *margin, double *weight);
void rival_eigen_array(const rival_problem *p, double *margin, double *weight);
void rival_double(const rival_problem *p, double *margin, double *weight);

/* The whole gradient with clip, and the column with the largest noisy part;
   rows are y x already. */
int64_t rival_eigen_choice_loop(const rival_problem *p, double *margin,
                                double *gradient);
int64_t rival_eigen_choice_array(const rival_problem *p, double *margin,
                                 double *gradient);

#ifdef __cplusplus
}
#else

#include "kernel.h"

/* The kernel's own fused step without what privacy adds: no clip, no grid. */
double rival_plain(const kernel_rows *r, const kernel_column *moved, float d,
                   const kernel_column *asked);
#endif

#endif
