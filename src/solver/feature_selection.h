/*
 * What the files of feature selection share.
 */
#ifndef SOTTO_SOLVER_FEATURE_SELECTION_H
#define SOTTO_SOLVER_FEATURE_SELECTION_H

#include "newton.h"

typedef struct selection {
    const solver_problem *problem;
    const newton_settings *settings;
    curator *curator;
    budget_split start;
    newton_from from;
    double choice_clip, release_clip; /* of derivatives, in column widths */
    int64_t *taken, count;
    double *weight; /* of those; with more than two classes, of each of them */
    double *gradient, *rates; /* of classes */
    double spent;             /* share of the budget */
} selection;

/* Tells questions out of what is left for later, unless they were planned
   beforehand. */
sotto_status select_tell_later(const selection *s, const ask_plan *plan,
                               sotto_error *error);

/* What a weight is multiplied by, to be penalised. A spread here is about 0:
   centres are asked for when features are taken. */
double select_unit(const selection *s, int64_t j);

/* Of the noise in a derivative that had this share, in widths of a column. */
double select_sd(const selection *s, double share);

/* A feature is taken whose derivative is so many sd above l1. */
static inline double select_sure(const solver_problem *p)
{
    return p->l1 > 0 ? .4 : .7;
}

/* ---- select_classes.c: the same with more than two classes ---- */

sotto_status select_classes_tell(selection *s, const newton_columns *k,
                                 sotto_error *error);
sotto_status select_classes_ask(selection *s, int64_t *j, double *gradient,
                                sotto_error *error);
int select_classes_take(selection *s, double share, int64_t j,
                        const double *gradient);

#endif
