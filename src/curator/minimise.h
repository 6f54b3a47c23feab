/*
 * The point where a sum over the rows and a penalty is least, to a precision
 * that is certain: Lemma C20 of docs/privacy stands on it.
 */
#ifndef SOTTO_CURATOR_MINIMISE_H
#define SOTTO_CURATOR_MINIMISE_H

#include "data.h"
#include "loss.h"

/*
 *   Phi(w) = sum_i a_i loss(x_i'w, y_i) + objective_noise'w
 *            + l1 |w|_1 + l2/2 |w|^2,    low <= w_j <= high
 *
 * of rows that are no longer than `reach`, with weights a_i from 0 to 1.
 */
typedef struct minimum {
    const sotto_table *table;      /* wide, not folded */
    loss loss;                     /* logistic or huber */
    double l1, l2, low, high;      /* l2 above 0; 0 is in the box */
    const double *objective_noise; /* NULL: none */
    double reach;                  /* at least every row's length */
    double goal; /* how long a subgradient of Phi at w may be */
    int newton;  /* the most steps of that kind; others are sure
                    and slow, and there may be any number */
} minimum;

/*
 * Some of the subgradients of Phi at w are no longer than the goal, so that
 * |w - w*| <= goal / l2. Or else SOTTO_FAILED, where doubles cannot tell, or
 * out of memory.
 */
sotto_status minimise(const minimum *m, double *w, sotto_error *error);

#endif
