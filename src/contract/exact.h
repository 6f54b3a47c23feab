/*
 * exact: the reference solver, which is not private. It reads the records
 * directly, in double precision throughout, and certifies its answer by a
 * duality gap. What comes out of it must always be marked NOT PRIVATE.
 *
 *   F(w, b) = sum_i s_i loss(x_i'w + b, y_i) / sum_i s_i
 *             + l1 |w|_1 + l2/2 |w|_2^2,   low <= w_j <= high
 *
 * in the units the table is stored in; s_i are the row weights (1 without),
 * b is not penalised and not bounded. A table of K >= 3 classes has the
 * multinomial loss instead, with weights and an intercept for each class
 * (exact/classes.h).
 */
#ifndef SOTTO_EXACT_H
#define SOTTO_EXACT_H

#include "data.h"
#include "loss.h"

typedef struct exact_problem {
    const sotto_table *table; /* wide (double), with a target, not folded */
    loss loss;
    double l1, l2;
    double low, high; /* bounds on every weight; infinite: none */
    int intercept;
    double tolerance; /* stop at this gap relative to F (1e-10); where no gap
                         exists, at slopes along columns of length 1 that
                         are so small, relative to sqrt(2 L F(start)), or as
                         small as the rounding of the margins lets them be */
    int threads;      /* at most; 0 is 1. They change no bit */
    /* called now and then with the relative gap (or the relative gradient
       where no gap exists); a result other than 0 stops the solver */
    int (*progress)(void *context, double gap);
    void *context;
} exact_problem;

typedef struct exact_solution {
    double *weight; /* one for each feature; with K >= 3 classes K times so
                       many, class after class */
    double intercept;
    double *class_intercept; /* K; NULL with two classes or a number */
    double objective;        /* F */
    double gap;    /* certified: F - F* <= gap; NaN where none exists */
    int converged; /* the tolerance was reached. If not, the answer is
                      the best found, and its gap is true all the same */
    int cancelled; /* progress said so */
} exact_solution;

/* SOTTO_DATA with one clear line where no minimiser exists. */
sotto_status exact_solve(exact_solution *out, const exact_problem *problem,
                         sotto_error *error);
void exact_solution_free(exact_solution *s);

/* F at any point; margins whose terms cancel are summed in twice the
   precision. */
double exact_objective(const exact_problem *problem, const double *weight,
                       double intercept);

#endif
