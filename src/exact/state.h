/*
 * The exact solver's own header: the problem as it is computed with, and
 * what its files know of each other.
 *
 * Notation: a_i = s_i / sum s (shares), x_j the columns, m = X w + b the
 * margins, u_i = loss slopes, c_j = sum_i a_i u_i x_ij the gradient.
 *
 *   view.c      columns, dense or sparse
 *   rows.c      the loss over all rows; the intercept
 *   gap.c       penalty, optimality, duality gap
 *   working.c   which columns to solve for
 *   gram.c      X'HX of the working set
 *   quadratic.c the Newton model, solved on that matrix
 *   face.c      its free weights where they are too many
 *   by_column.c the Newton model, solved by columns where it is too large
 *   dependent.c without a penalty: columns that depend on others, nearly
 *   proximal.c  proximal Newton steps with a line search
 *   hinge.c     hinge loss as a sequence of smooth ones
 *   solve.c     checks, start and end
 */
#ifndef SOTTO_EXACT_STATE_H
#define SOTTO_EXACT_STATE_H

#include "exact.h"

/* Vectors over rows are zero-padded to a multiple of this, as the table's
   columns are, so that loops in lanes need no tails. */
enum { EXACT_PAD = 64 };

/* The largest working set that has a matrix. */
enum { EXACT_GRAM = 600 };

/* How many nearly dependent columns can be told apart at once. */
enum { EXACT_DEPENDENT = 16 };

/*
 * The records. With an intercept a dense column stands for x_j - centre_j
 * (its mean), which changes nothing but the meaning of b, and spares the
 * digits that a large mean would cost. Sparse columns stay as they are.
 */
typedef struct exact_view {
    int64_t n, p, padded;
    const double *x; /* dense, else NULL */
    int64_t stride;
    const table_entries *by_row, *by_column; /* sparse */
    const double *y;
    double *share;    /* n: a_i */
    double *centre;   /* p */
    double *norm;     /* p: sum_i a_i x_ij^2, about the mean with intercept */
    double row_pairs; /* sparse: sum over rows of (entries^2) / 2 */
} exact_view;

typedef struct exact_state {
    const exact_problem *problem;
    exact_view view;
    double *memory; /* all vectors are pieces of this */
    size_t memory_bytes;

    /* the point, in centred columns */
    double *w, b;
    double *m;      /* n: margins */
    double value;   /* mean loss at m */
    double penalty; /* at w */
    double first;   /* F at the start: what "small" is measured by */
    double *slope;  /* n: a_i u_i */
    double *curve;  /* n: a_i times curvature */
    double *trial, *trial_slope, *trial_curve; /* n: of the line search */
    double *moved;                             /* n: X d + db */

    /* the dual point: slopes whose sum is 0 where there is an intercept */
    double *dual;      /* n: a_i u_i */
    double *c;         /* p: X'dual; off the working set perhaps stale */
    double sum;        /* sum of slope: the intercept's gradient */
    double mass;       /* sum of curve, and the damping of b */
    double dual_value; /* the best lower bound of F so far */

    /* the working set and the Newton model on it */
    int64_t *set, size;
    int64_t *list;         /* members that are free, or active */
    unsigned char *in_set; /* p */
    uint32_t *place, *hit; /* p: scratch of gram.c */
    double *target;        /* p: where the model's minimum is (by column) */
    double *extra;         /* per member: l2 and damping, on the diagonal */
    double *diagonal;      /* per member: curvature of the model */
    double *mean;          /* per member: sum curve x / mass */
    double *residual, *direction, *image; /* per member */
    double *score, *product;              /* p */
    double *near; /* EXACT_DEPENDENT directions over members, see dependent.c */
    double damping; /* Levenberg-Marquardt, relative to the largest curvature */

    /* X'HX of the first gram_done members, rows of gram_room */
    double *gram, *factor; /* factor: Cholesky's, over the list */
    int gram_will_do;      /* although made at an earlier point */
    double gram_violation; /* at the start of the last step; 0: cut short */
    int64_t gram_room, gram_done;
    int64_t gram_most; /* of all times: what must be wiped */
    int threads;       /* that share the matrix of a dense table */
    double *block;     /* EXACT_PAD rows of gram_room + 1 columns, for each */

    /* hinge: its Moreau envelope about alpha, see hinge.c */
    double *alpha; /* n */
    double sigma;
    double hinge_gap;  /* of the true problem */
    double hinge_best; /* its best lower bound */

    double goal;    /* stop below this gap */
    double gap;     /* of the last check; NaN: none exists */
    double measure; /* the relative gap, or gradient where there is none */
    int done, cancelled, nowhere; /* nowhere: no minimiser exists */
} exact_state;

/* ---- view.c ---- */

void exact_view_measure(exact_view *v, int intercept);
double exact_dot(const exact_view *v, int64_t j, const double *z);
void exact_add(const exact_view *v, int64_t j, double d, double *z);

/* z_i += d h_i x_ij: what a step in w_j does to the model's slopes. */
void exact_add_curved(const exact_view *v, int64_t j, double d, const double *h,
                      double *z);

/* sum_i h_i x_ij and sum_i h_i x_ij^2. */
void exact_moments(const exact_view *v, int64_t j, const double *h,
                   double *first, double *second);
int64_t exact_entries(const exact_view *v, int64_t j);

/* Plain a'b over padded vectors. */
double exact_inner(const double *a, const double *b, int64_t padded);

/* ---- rows.c ---- */

/* The mean loss at m, with slopes and curvatures times shares. */
double exact_evaluate(const exact_state *s, const double *m, double *slope,
                      double *curve);
void exact_refresh(exact_state *s);          /* margins anew from w and b */
void exact_balance(exact_state *s);          /* slope -> dual, sum, mass */
void exact_settle_intercept(exact_state *s); /* the best b for this w */
double exact_conjugate_sum(const exact_state *s, double scale);
double exact_curvature_bound(const exact_state *s);

/* ---- gap.c ---- */

double exact_penalty(const exact_problem *p, double w);
double exact_penalty_conjugate(const exact_problem *p, double v);
double exact_violation(const exact_problem *p, double w, double c);
double exact_prox(const exact_problem *p, double at, double curvature);
int exact_has_gap(const exact_problem *p);

/* What is certified of a solution with its objective, by a lower bound of the
   minimum; without a gap `done` says whether it converged. `first` is the
   objective at the start. */
void exact_certify(exact_solution *out, const exact_problem *p, double lower,
                   double first, int done);
void exact_gap(exact_state *s, int always);

/* ---- working.c ---- */

void exact_choose(exact_state *s);

/* ---- gram.c, quadratic.c, face.c, by_column.c ---- */

int exact_gram_pays(const exact_state *s);
void exact_gram(exact_state *s);
void exact_begin_model(exact_state *s);
void exact_factorise(exact_state *s, int64_t count, double least);
void exact_substitute(const exact_state *s, double *x, int64_t count);
void exact_move_member(exact_state *s, int64_t k, double to);
int64_t exact_reduce_face(exact_state *s, int64_t count);
void exact_quadratic(exact_state *s);
int64_t exact_free_members(exact_state *s);
double exact_reach(const exact_problem *p, double u, double d, double *stop);
void exact_columns(exact_state *s, double accuracy);

/* ---- dependent.c ---- */

int exact_dependent(exact_state *s);

/* ---- proximal.c, hinge.c ---- */

void exact_newton(exact_state *s);
void exact_hinge(exact_state *s);

#endif
