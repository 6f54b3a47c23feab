/*
 * More than two classes, all at once: the multinomial problem
 *
 *   F(W, b) = sum_i a_i (log sum_k exp(m_ik) - m_iy) + sum_jk g(w_jk),
 *   m_ik = x_i'w_k + b_k
 *
 * of K classes. Vectors over weights have class k's p weights at k * p; those
 * over rows have class k's n at k * padded.
 *
 *   classes.c        memory, outer steps, start and end
 *   classes_rows.c   margins, probabilities, X'z for all classes at once
 *   classes_gap.c    the duality gap
 *   classes_model.c  the Newton model: coordinates, and conjugate gradients
 *                    on the weights that are free
 */
#ifndef SOTTO_EXACT_CLASSES_H
#define SOTTO_EXACT_CLASSES_H

#include "state.h"

typedef struct many_state {
    const exact_problem *problem;
    exact_view view;
    int64_t classes, p, n, padded;
    double *memory;
    size_t memory_bytes;

    /* the point, in centred columns */
    double *w, *b;
    double *m;                    /* rows: margins */
    double *chance;               /* rows: p_ik */
    double *slope;                /* rows: a_i (p_ik - [k = y]) */
    double *c, *sum;              /* X'slope, and its sums over rows */
    double value, penalty, first; /* as in exact_state */
    double *rate; /* K: the share of each class among the rows */

    /* the Newton model about it, and where its minimum is sought */
    double *u, *ub;      /* weights: the model's point */
    double *moved;       /* rows: X (u - w) + (ub - b) */
    double *mean;        /* n: sum_k p_ik moved_ik */
    double *diagonal;    /* weights: curvature of the loss */
    double *base;        /* K: the same of the intercepts */
    unsigned char *free; /* weights: CG may move it */
    double *residual, *way, *image, *scaled, *step; /* weights: of CG */
    double *residual_b, *way_b, *image_b, *scaled_b, *step_b;
    double *rows, *z, *trial; /* rows: scratch; the first two are 0 past n */

    /* the dual point */
    double *dual; /* rows: a_i (q_ik - [k = y]) */
    double *dual_c;
    double dual_value, gap, measure, goal;
    int done, cancelled, nowhere;
} many_state;

/* ---- classes_rows.c ---- */

/* out = X d + db. */
void many_apply(const many_state *s, const double *d, const double *db,
                double *out);

/* c = X'z, or of squares: sum_i x_ij^2 z_ik; sum: the sums over rows. */
void many_pull(const many_state *s, const double *z, double *c, double *sum);
void many_squares(const many_state *s, const double *z, double *c, double *sum);

/* The mean loss at these margins; chances and slopes where wanted. */
double many_loss(const many_state *s, const double *m, double *chance,
                 double *slope);

/* z_ik = a_i p_ik (v_ik - sum_l p_il v_il): the Hessian's part of rows. */
void many_curve(const many_state *s, const double *v, double *z);

double many_penalty(const many_state *s, const double *w);

/* ---- classes_gap.c ---- */

void many_gap(many_state *s);

/* ---- classes_model.c ---- */

/* Fills u, ub and moved with what makes the model about small; the change of
   F that its linear part and the penalty foresee. */
double many_model(many_state *s, double accuracy);

/* ---- classes.c ---- */

sotto_status exact_classes(exact_solution *out, const exact_problem *problem,
                           sotto_error *error);

#endif
