/*
 * ask: all that a solver can do with the records. Telling is free, asking
 * costs: a solver tells the curator where the public iterate is, and asks
 * noisy questions, each of which was planned and paid for beforehand.
 * Whatever a solver does with an answer is post-processing.
 */
#ifndef SOTTO_ASK_H
#define SOTTO_ASK_H

#include "base.h"

typedef struct curator curator;

/* The questions there are. */
typedef enum ask_kind {
    ASK_TOTAL,          /* how many rows, or the sum of their weights */
    ASK_MOMENTS,        /* the mean square of every feature */
    ASK_PARTIAL,        /* one partial derivative of the mean loss */
    ASK_GRADIENT,       /* all of them at once */
    ASK_CHOICE,         /* which coordinate promises most */
    ASK_ROW_COUNTS,     /* how many rows have entries of which size */
    ASK_TARGET_COUNTS,  /* the same of the target */
    ASK_COLUMN_COUNTS,  /* of every feature by itself */
    ASK_TARGET_MEAN,    /* the mean of the clipped target */
    ASK_COLUMN_MEANS,   /* of every clipped feature */
    ASK_COLUMN_SQUARES, /* their mean squares about a centre */
    ASK_MATRIX,         /* the second moments of shortened rows */
    ASK_WHITENED,       /* the gradient in told coordinates */
    ASK_LENGTHS,        /* how long records' gradients are there */
    ASK_CHANGE,         /* how much better than a constant */
    ASK_LATER,          /* Gaussian questions that are chosen from answers */
    ASK_KINDS
} ask_kind;

const char *ask_name(ask_kind kind);

/* How answers are protected, and what their level is. */
typedef enum ask_noise {
    ASK_GAUSSIAN, /* mu: sensitivity / sd */
    ASK_LAPLACE,  /* epsilon: sensitivity / scale */
    ASK_SAMPLED,  /* as Gaussian, and each row counts with probability `rate` */
    ASK_GUMBEL,   /* a choice by the exponential mechanism; eta, its range */
    ASK_FLIP,     /* a choice by permute-and-flip; epsilon */
    ASK_NOISES
} ask_noise;

/* One kind of question: how often it is asked, and at what level each time
   (0: without noise, which only a run that is NOT PRIVATE may plan). */
typedef struct ask_item {
    ask_kind kind;
    int64_t count;
    double level;
    ask_noise noise;
    double rate;  /* of ASK_SAMPLED */
    int and_next; /* asked in turn with the next item, which has its count */
} ask_item;

/*
 * What will be asked, in this order. A question may be left out; then it is
 * paid for all the same. None can be asked out of turn.
 */
enum { ASK_MOST_ITEMS = 32 };

typedef struct ask_plan {
    ask_item item[ASK_MOST_ITEMS];
    int items;
} ask_plan;

/* How often the plan has this question. */
int64_t ask_planned(const ask_plan *plan, ask_kind kind);

/* ---- public facts ---- */

/* Features; the intercept, where there is one, is the one after them. */
int64_t curator_features(const curator *c);
int curator_has_intercept(const curator *c);

/* What sums are divided by: declared, or an answer; never the true count. */
double curator_rows(const curator *c);

/* A random number for public choices, like the order of coordinates: fresh
   in each run (or of the insecure seed), and no secret. */
sotto_status curator_public_word(const curator *c, uint64_t *out,
                                 sotto_error *error);

/* ---- telling ---- */

/*
 * Sets how far each record's partial derivative of coordinate j may go: the
 * clip, in the loss's own units, for each feature and then the intercept.
 * They must be above 0 and finite.
 */
sotto_status curator_tell_clips(curator *c, const double *clip,
                                sotto_error *error);

/* The iterate moves by d in coordinate j. Returns by how much it did: d as a
   float, or 0 where d is not finite. */
double curator_tell(curator *c, int64_t j, double d);

/*
 * What is asked in the place of the plan's ASK_LATER: Gaussian questions, the
 * squares of whose levels add up to no more than that of its level. Chosen
 * once, from public values and answers.
 */
sotto_status curator_tell_plan(curator *c, const ask_plan *later,
                               sotto_error *error);

/* ---- asking ---- */

sotto_status curator_ask_total(curator *c, double *out, sotto_error *error);

/* The mean squares of the features, which are bounded by `bound` in size:
   what is larger counts as that large. Never below the noise's own sd. */
sotto_status curator_ask_moments(curator *c, const double *bound, double *out,
                                 sotto_error *error);

/* The partial derivative of the mean loss in coordinate j. */
sotto_status curator_ask_partial(curator *c, int64_t j, double *out,
                                 sotto_error *error);

/*
 * The gradient of the mean loss, in coordinates whose features are multiplied
 * by `scale` (2^-100 to 2^100; the intercept's behind the features'). What a
 * record adds is shortened to the length `clip`, all coordinates together.
 */
sotto_status curator_ask_gradient(curator *c, double clip, const double *scale,
                                  double *out, sotto_error *error);

/* ---- the shape of the records ---- */

/* A question about sizes or means: of what, and how it is measured. For the
   target `centre` and `bound` are one number each, for rows and columns one
   for each feature; bounds are from 2^-100 to 2^100 and centres at most
   2^100 in size. */
typedef struct ask_shape {
    ask_kind kind;
    const double *centre; /* NULL: 0 */
    const double *bound;
} ask_shape;

enum { ASK_MOST_EDGES = 320 };

/*
 * How many rows, by their weights, have a size above edge[0], from there down
 * to above edge[1], and so on; the last are all that is left: edges + 1
 * counts (for each feature, ASK_COLUMN_COUNTS). The edges fall. The size is
 * |value - centre| / bound; of a row, the largest of its features. *sd is
 * that of the noise in a count.
 */
sotto_status curator_ask_counts(curator *c, const ask_shape *what,
                                const double *edge, int64_t edges, double *out,
                                double *sd, sotto_error *error);

/*
 * The mean of (value - centre) / bound, clipped to [-1, 1], or of its square
 * (ASK_COLUMN_SQUARES); nothing is done about the noise.
 */
sotto_status curator_ask_means(curator *c, const ask_shape *what, double *out,
                               double *sd, sotto_error *error);

/* ---- other coordinates ---- */

/*
 * From now on rows are also kept as z = (x - centre) / scale, and 1 where
 * there is an intercept, as floats by rows: as much memory again as a dense
 * table takes. Told once. Scales and centres as above.
 */
sotto_status curator_tell_frame(curator *c, const double *centre,
                                const double *scale, sotto_error *error);

/*
 * The mean of z z', each row shortened to the length `reach` (2^-100 to
 * 2^100); `out` is square, of features and intercept. *sd is that of the
 * noise on the diagonal, beside it the noise is sqrt(2) smaller.
 */
sotto_status curator_ask_matrix(curator *c, double reach, double *out,
                                double *sd, sotto_error *error);

/* Rows are kept as map' z from here on; the matrix cannot be asked for any
   more. The map is square, row after row. */
sotto_status curator_tell_map(curator *c, const double *map,
                              sotto_error *error);

/* The gradient of the mean loss in the frame's coordinates (those of the map,
   once there is one), every record's part shortened to the length `clip`. */
sotto_status curator_ask_whitened(curator *c, double clip, double *out,
                                  double *sd, sotto_error *error);

/* The means of q and q^2, q the length of a record's part of that gradient
   as a share of `most`, at most 1. */
sotto_status curator_ask_lengths(curator *c, double most, double out[2],
                                 double *sd, sotto_error *error);

/* By how much the mean loss at the iterate is above that of the constant
   margin `other`; a record counts with at most `most`. */
sotto_status curator_ask_change(curator *c, double other, double most,
                                double *out, double *sd, sotto_error *error);

#endif
