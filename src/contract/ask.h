/*
 * ask: all that a solver can do with the records. Telling is free, asking
 * costs: a solver tells the curator where the public iterate is, and asks
 * noisy questions, each of which was planned and paid for beforehand.
 * Whatever a solver does with an answer is post-processing.
 */
#ifndef SOTTO_ASK_H
#define SOTTO_ASK_H

#include "plan.h"

typedef struct curator curator;

/* ---- public facts ---- */

/* Features; the intercept, where there is one, is the one after them. */
int64_t curator_features(const curator *c);

/* What sums are divided by: declared, or an answer; never the true count. */
double curator_rows(const curator *c);

/* The sd of the noise in the last answer about slopes or dual moves, in that
   answer's units: public, like the plan. 0: it had none. */
double curator_noise(const curator *c);

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

/*
 * What makes a coordinate worth choosing (docs/privacy.md, "Choices"): with g
 * the partial derivative, how far -g is from the penalty's subgradients
 * (GS_S), the same without stopping at 0 (UNTRUNCATED), how far a prox step
 * would go (GS_R), or by how much it would lower the model of the objective
 * (GS_Q). All in units of the clips.
 */
typedef enum ask_rule {
    ASK_UNTRUNCATED,
    ASK_GS_S,
    ASK_GS_R,
    ASK_GS_Q
} ask_rule;

typedef struct ask_scores {
    ask_rule rule;
    const double *clip;       /* for choices; NULL: as those of releases */
    const double *smoothness; /* M_j, for the steps of GS_R and GS_Q */
    double l1, l2, low, high; /* the penalty; the intercept has none */
    int fresh;                /* features whose weight has not moved yet are
                                 chosen among, and no others */
} ask_scores;

/* Sets how coordinates are chosen, until clips or a whole iterate are told.
   Weights are counted from here on: the iterate is at 0. SOTTO_USAGE, and
   there are no scores, unless l1 and l2 are finite and not below 0, low is
   not above high, and M_j (of GS_R and GS_Q) is finite and above 0. */
sotto_status curator_tell_scores(curator *c, const ask_scores *scores,
                                 sotto_error *error);

/*
 * From here on no feature counts as larger in size than its bound: records'
 * values that are become it, with their sign. Infinite: they stay. Told before
 * anything that was made of them: weights, scores, scales, a frame.
 */
sotto_status curator_tell_bounds(curator *c, const double *bound,
                                 sotto_error *error);

/* The iterate moves by d in coordinate j. Returns by how much it did: d as a
   float, or 0 where d is not finite. */
double curator_tell(curator *c, int64_t j, double d);

/*
 * The iterate moves by d[n] in coordinate j[n], one after the other, as so
 * many calls of curator_tell would do, with less work. d[n] becomes by how
 * much it did.
 */
void curator_tell_some(curator *c, const int64_t *j, double *d, int64_t count);

/* The iterate is at w, features and intercept, as floats; what is not finite
   counts as 0. */
void curator_tell_all(curator *c, const double *w);

/*
 * What is asked next, out of the plan's ASK_LATER: questions that are chosen
 * from public values and answers. What they cost is taken off its level: the
 * squares of their levels, of choices a quarter of that. May be told again,
 * as long as something is left; what was told before and not asked is lost.
 */
sotto_status curator_tell_plan(curator *c, const ask_plan *later,
                               sotto_error *error);

/* ---- asking ---- */

sotto_status curator_ask_total(curator *c, double *out, sotto_error *error);

/* The mean squares of the features, which are bounded by `bound` in size:
   what is larger counts as that large. Never below the noise's own sd. */
sotto_status curator_ask_moments(curator *c, const double *bound, double *out,
                                 sotto_error *error);

/* The coordinate with the best score, by and large. */
sotto_status curator_ask_choice(curator *c, int64_t *out, sotto_error *error);

/*
 * Among the coordinates in `among` (in ascending order; NULL: all, the
 * intercept too), which one the loss falls along most, by and large, and which
 * way: *sign is 1 or -1. Of one coordinate it is which way alone. It goes by
 * the sums that scores are made of, with their clips and the L2 penalty of
 * the scores that were told; no other part of a penalty counts.
 */
sotto_status curator_ask_vertex(curator *c, const int64_t *among, int64_t count,
                                int64_t *out, int *sign, sotto_error *error);

/* The partial derivative of the mean loss in coordinate j. */
sotto_status curator_ask_partial(curator *c, int64_t j, double *out,
                                 sotto_error *error);

/*
 * The gradient of the mean loss, in coordinates whose features are multiplied
 * by `scale` (2^-100 to 2^100; the intercept's behind the features'). What a
 * record adds is shortened to the length `clip`, all coordinates together.
 * With the scales of the last question it is faster. An infinite clip is for
 * runs that are NOT PRIVATE.
 */
sotto_status curator_ask_gradient(curator *c, double clip, const double *scale,
                                  double *out, sotto_error *error);

/*
 * The same of a fresh batch: the sum over the rows in it, divided by the
 * number of all rows, never by how many are in it. On average it is the
 * batches' rate times the gradient. Of an empty batch it is noise.
 */
sotto_status curator_ask_batch(curator *c, double clip, const double *scale,
                               double *out, sotto_error *error);

/* The anchor is where the iterate is. */
sotto_status curator_tell_anchor(curator *c, sotto_error *error);

/* As curator_ask_batch, of each record's gradient at the iterate less its
   gradient at the anchor, shortened to the length `clip`. */
sotto_status curator_ask_difference(curator *c, double clip,
                                    const double *scale, double *out,
                                    sotto_error *error);

/* A dual step: public, all of it. */
typedef struct ask_dual {
    const double *weight; /* the model so far, one for each feature */
    double l2;            /* lambda */
    double at_once;       /* how many records are to be expected to move at
                             once, as a part of all rows */
    double clip;          /* C: how far one record may move v */
    double dual_noise;    /* of ASK_DUAL: the sd, in clips, of noise on the
                             dual variables of a batch; no privacy stands
                             on it */
} ask_dual;

/*
 * Lets a batch's dual variables move; how far that moves v, the sum of all
 * rows times their dual variables, in units of *unit. The rows of a batch do
 * not know of each other. A row longer than the policy's norm counts as one
 * of that length.
 */
sotto_status curator_ask_dual(curator *c, const ask_dual *at, int64_t *move,
                              double *unit, sotto_error *error);

/* The same of the next block of rows, whose rows see each other's steps. */
sotto_status curator_ask_sequence(curator *c, const ask_dual *at, int64_t *move,
                                  double *unit, sotto_error *error);

/* A primal step in `count` coordinates from `first` on. */
typedef struct ask_primal {
    const double *weight; /* the model so far, which was told */
    int64_t first, count;
    double l2;
    double clip; /* C: how far a coordinate may move */
} ask_primal;

sotto_status curator_ask_primal(curator *c, const ask_primal *at, int64_t *move,
                                double *unit, sotto_error *error);

/* ---- the shape of the records ---- */

/* A question about sizes or means: of what, and how it is measured. For the
   target `centre` and `bound` are one number each, for rows and columns one
   for each feature; bounds are from 2^-100 to 2^100 and centres at most
   2^100 in size. */
typedef struct ask_shape {
    ask_kind kind;
    const double *centre; /* NULL: 0 */
    const double *bound;
    const int64_t *feature; /* which columns; NULL: all */
    int64_t features;       /* so many */
    int length; /* a row's size is its length, not its largest feature */
} ask_shape;

/* All powers of two of a float, and some more. */
enum { ASK_MOST_EDGES = 320 };

/*
 * How many rows, by their weights, have a size above edge[0], from there down
 * to above edge[1], and so on; the last are all that is left: edges + 1
 * counts (for each feature, ASK_COLUMN_COUNTS). The edges fall. The size is
 * |value - centre| / bound; of a row, the largest of its features', or their
 * length. *sd is that of the noise in a count.
 */
sotto_status curator_ask_counts(curator *c, const ask_shape *what,
                                const double *edge, int64_t edges, double *out,
                                double *sd, sotto_error *error);

/*
 * The edge that sizes of `share` (between 0 and 1) of all rows, by their
 * weights, do not exceed, by and large: *out is its number. Of the target, or
 * of rows.
 */
sotto_status curator_ask_quantile(curator *c, const ask_shape *what,
                                  const double *edge, int64_t edges,
                                  double share, int64_t *out,
                                  sotto_error *error);

/*
 * The mean of (value - centre) / bound, clipped to [-1, 1], or of its square
 * (ASK_COLUMN_SQUARES); nothing is done about the noise.
 */
sotto_status curator_ask_means(curator *c, const ask_shape *what, double *out,
                               double *sd, sotto_error *error);

/* ---- other coordinates ---- */

/* Some features, each with a centre and a scale, as above. */
typedef struct ask_frame {
    const int64_t *feature; /* NULL: all */
    int64_t features;
    const double *centre, *scale;
    double target_centre, target_scale; /* 0: the target is not kept */
} ask_frame;

/*
 * From now on rows are also kept as z = (x - centre) / scale of these, and 1
 * where there is an intercept, as floats by rows: as much memory again as a
 * dense table of them takes. Told once. A frame with the target has it last,
 * and is for ASK_CROSS alone.
 */
sotto_status curator_tell_frame(curator *c, const ask_frame *frame,
                                sotto_error *error);

/*
 * The mean of z z', each row shortened to the length `reach` (2^-100 to
 * 2^100); `out` is square, of features and intercept. *sd is that of the
 * noise on the diagonal, beside it the noise is sqrt(2) smaller.
 */
sotto_status curator_ask_matrix(curator *c, double reach, double *out,
                                double *sd, sotto_error *error);

/* The same of a frame with the target: features, intercept, target. */
sotto_status curator_ask_cross(curator *c, double reach, double *out,
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

/* ---- the minimiser ---- */

/* What is added to the mean loss; no intercept. */
typedef struct ask_penalty {
    double l1, l2;    /* l2 from 2^-100 to 2^100 */
    double low, high; /* the box, with 0 in it; infinite: none */
} ask_penalty;

/*
 * Where the mean loss and the penalty are least, of rows that are shortened
 * to the policy's norm; the loss is logistic or huber. ASK_MINIMISER: with
 * noise on it. ASK_PERTURBED: of the logistic loss, l2 alone, and a linear
 * part that is random, with a little noise on the answer as well.
 */
sotto_status curator_ask_minimiser(curator *c, ask_kind kind,
                                   const ask_penalty *penalty, double *out,
                                   sotto_error *error);

/* ASK_PERTURBED: the least l2 that this item's level allows, above which
   there is noise that will do. */
double curator_least_l2(const curator_policy *policy, const ask_item *item);

/* Whether doubles are precise enough for such a minimiser, whatever the
   records are; targets go as far as `target_reach`. */
int curator_can_minimise(const curator_policy *policy, const ask_item *item,
                         const ask_penalty *penalty, int64_t features,
                         double target_reach);
#define CURATOR_CANNOT_MINIMISE                                                \
    "doubles are not precise enough for a minimiser of so many rows: "         \
    "expected a larger --l2, a smaller --norm-bound, or bounds of the target"

#endif
