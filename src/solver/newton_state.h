/*
 * The state of a run of the private Newton method, for its two files.
 */
#ifndef SOTTO_SOLVER_NEWTON_STATE_H
#define SOTTO_SOLVER_NEWTON_STATE_H

#include "newton.h"

#define NEWTON_LEAST_CLIP .7 /* in mean lengths */

typedef struct newton_state {
    const solver_problem *problem;
    const newton_settings *settings;
    curator *curator;
    int64_t p, d; /* features; with the intercept */
    double *memory;

    newton_response response;
    newton_columns columns;
    double curvature, trace;
    double *matrix, *vector, *value, *map, *model; /* d x d */
    double noise_dimension, effective_dimension;
    double channels; /* so many times as much noise: classes less one, classes
                        by themselves, or 1 */
    double hidden_lost; /* to noise in hidden directions, of what may be */

    double *v, *next, *sum, *gradient, *back; /* d */
    double *l1, *l2, *low, *high;             /* in the frame */
    double *inverse; /* of the map: d x d, or that of the stages */
    double *told;    /* the curator's point */
    double weight_sum;
    momentum push;

    /* lengths of gradients: mean, its start, squared spread, how much noise
       there is */
    double length, first_length, least_length, spread2, tail;
    double least_seen; /* the least mean length that was answered */
    double steeper;    /* the model, than the matrix says */
    double last_sd;    /* of the noise in the last gradient */
    int is_constant;   /* the guard found nothing better */
} newton_state;

/* Where the state's feature j is in the table. */
static inline int64_t newton_feature(const newton_state *s, int64_t j)
{
    return s->columns.feature ? s->columns.feature[j] : j;
}

/* ---- newton.c, for newton_classes.c ---- */

/* Where the lengths of gradients begin. */
void newton_begin_lengths(newton_state *s);

/* What records are shortened to; mean and spread of the lengths, smoothed.
   *again: gradients became longer, so the model was made steeper, and an
   average begins anew. */
double newton_clip(const newton_state *s);
sotto_status newton_track(newton_state *s, int *again, sotto_error *error);

/* A model is given up where its loss is higher than the best constant's by so
   many sd. */
double newton_doubt(const budget_split *r);

/* ---- newton_classes.c: matrix, rounds, average and guard ---- */

/* `start` has the weights of each column by classes; NULL: 0. */
sotto_status newton_classes_run(newton_state *s, solver_answer *out,
                                const double *start, solver_progress progress,
                                void *context, sotto_error *error);

/* Asks for the matrix, and tells the curator the coordinates that it makes. */
sotto_status newton_matrix(newton_state *s, sotto_error *error);

/* What a stored weight is multiplied by, to be penalised. */
double newton_unit(const newton_state *s, int64_t j);

/* Penalty and box in the frame. */
void newton_penalty(newton_state *s);

/* The curator's point becomes v. After a frame and its map were told. */
sotto_status newton_tell(newton_state *s, const double *v, sotto_error *error);

/* Whether v is better than the best constant; else `before` (NULL: none); else
   it is that constant. */
sotto_status newton_guard(newton_state *s, const double *before,
                          sotto_error *error);

/* ---- newton_stages.c: matrix, rounds, average and guard ---- */

/* With the errors of the weights, which are not in `out` yet. */
sotto_status newton_stages_run(newton_state *s, const solver_answer *out,
                               solver_progress progress, void *context,
                               sotto_error *error);

#endif
