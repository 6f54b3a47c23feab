/*
 * What the two files of evaluation share.
 */
#ifndef SOTTO_FIT_EVALUATE_H
#define SOTTO_FIT_EVALUATE_H

#include "data.h"
#include "model.h"

typedef struct scored {
    double score, weight;
    int positive;
} scored;

static inline double row_weight(const sotto_table *t, int64_t i)
{
    return t->weight ? t->weight[i] : 1;
}

double evaluate_total(const sotto_table *t);

/* The penalty of weights of one class, in the units that training counted it
   in. Where the model does not say which these were, and it matters, NaN. */
sotto_status evaluate_penalty(double *out, const sotto_model *m,
                              const sotto_table *t, sotto_error *error);

/* The chance that a positive row scores above a negative one; sorts. */
double evaluate_area(scored *row, int64_t rows);

/* ---- evaluate_classes.c: three classes and more ---- */

/* Scores of all classes of row after row; they become probabilities. */
sotto_status evaluate_classes(sotto_quality *q, const sotto_model *m,
                              const sotto_table *t, double *score,
                              sotto_error *error);

#endif
