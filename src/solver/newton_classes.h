/*
 * What the files of the Newton method for more than two classes share.
 */
#ifndef SOTTO_SOLVER_NEWTON_CLASSES_H
#define SOTTO_SOLVER_NEWTON_CLASSES_H

#include "newton_state.h"

typedef struct classes_state {
    newton_state *s;
    int64_t d, classes;
    const double *rate;
    double *bend, *axis;         /* of D: eigenvalues, and eigenvectors */
    double *at, *sum, *answer;   /* d x classes */
    double *next, *back, *told;  /* the same */
    double *one, *from, *to, *h; /* scratch: d, and d x d */
    double *constant;            /* the margins of the best constant */
    momentum *push;              /* of each class */
    double *memory;
} classes_state;

/* ---- newton_classes_model.c ---- */

/* D as it is thought to be at the constant. */
sotto_status classes_start_bend(classes_state *c, sotto_error *error);

/* Asks how much of the curvature at the constant there is at V, and sets D. */
sotto_status classes_ask_bend(classes_state *c, sotto_error *error);

/* Column k of the matrix, or of the matrix times the axes of D; and the other
   way: sets it, or adds it turned back. */
void classes_take(const classes_state *c, const double *v, int64_t k,
                  int turned, double *out);
void classes_put(const classes_state *c, const double *column, int64_t k,
                 int turned, double *v);

/* c->next: the minimum of the model that the answer makes, from V on. */
sotto_status classes_minimise(classes_state *c, sotto_error *error);

void classes_remove_mean(double *v, int64_t d, int64_t classes);

#endif
