/*
 * ask: all that a solver can do with the records. Telling is free, asking
 * costs: a solver tells the curator where the public iterate is, and asks
 * noisy questions, each of which was planned and paid for beforehand
 * (plan.h). Whatever a solver does with an answer is post-processing.
 */
#ifndef SOTTO_ASK_H
#define SOTTO_ASK_H

#include "plan.h"

typedef struct curator curator;

/* ---- public facts ---- */

/* The number of features. The intercept, if there is one, is the coordinate
   after them. */
int64_t curator_features(const curator *c);

/* The number that sums are divided by. It was declared, or is the answer to
   ASK_TOTAL. It is never the true number of rows. */
double curator_rows(const curator *c);

/* The sd of the noise in the last answer about slopes or dual moves, in the
   units of that answer. It is public, like the plan. 0: there was none. */
double curator_noise(const curator *c);

/* A random number for public choices, like the order of coordinates. It is
   no secret. It is fresh in each run, or follows from the insecure seed. */
sotto_status curator_public_word(const curator *c, uint64_t *out,
                                 sotto_error *error);

/* ---- telling ---- */

/*
 * Sets the clips: how large one record's partial derivative of coordinate j
 * may be, in the units of the loss, for each feature and then the intercept.
 * They must be above 0 and finite.
 */
sotto_status curator_tell_clips(curator *c, const double *clip,
                                sotto_error *error);

/*
 * The score of a coordinate, in units of the clips (docs/privacy,
 * "Choices"). With g the partial derivative it is how far -g is from the
 * subgradients of the penalty (GS_S), the same without a floor at 0
 * (UNTRUNCATED), how far a prox step would go (GS_R), or how much such a step
 * would lower the model of the objective (GS_Q).
 */
typedef enum ask_rule {
    ASK_UNTRUNCATED,
    ASK_GS_S,
    ASK_GS_R,
    ASK_GS_Q
} ask_rule;

typedef struct ask_scores {
    ask_rule rule;
    const double *clip;       /* of choices; NULL: the clips of releases */
    const double *smoothness; /* M_j, for the steps of GS_R and GS_Q */
    double l1, l2, low, high; /* the penalty; the intercept has none */
    int fresh;                /* only features whose weight has not moved yet
                                 can be chosen */
} ask_scores;

/*
 * Sets how coordinates are chosen, until clips or a whole iterate are told.
 * Scores take the iterate to be at 0 now, and follow it from here on. l1 and l2
 * must be finite and not below 0, low not above high, and M_j (of GS_R and
 * GS_Q) finite and above 0: otherwise SOTTO_USAGE, and there are no scores.
 */
sotto_status curator_tell_scores(curator *c, const ask_scores *scores,
                                 sotto_error *error);

/*
 * Clamps every feature to its bound from here on: a larger value becomes the
 * bound, with its sign. An infinite bound leaves values as they are. Bounds
 * are told before weights, scores, scales and a frame, which are made of
 * values.
 */
sotto_status curator_tell_bounds(curator *c, const double *bound,
                                 sotto_error *error);

/* Moves the iterate by d in coordinate j. Returns by how much it moved: d as
   a float, or 0 where d is not finite. */
double curator_tell(curator *c, int64_t j, double d);

/* Moves the iterate by d[n] in coordinate j[n], one after the other, as so
   many calls of curator_tell would, with less work. Afterwards d[n] says by
   how much it moved. */
void curator_tell_some(curator *c, const int64_t *j, double *d, int64_t count);

/* Sets the iterate to w, features and intercept, as floats. What is not
   finite counts as 0. */
void curator_tell_all(curator *c, const double *w);

/*
 * Adds questions that were chosen from public values and answers. They come
 * next and are paid for by the plan's ASK_LATER: the squares of their levels
 * are taken off the square of its level. So all are Gaussian, or choices of
 * ASK_RANGE. More may be told as long as something is left. What was told
 * before and was not asked is lost.
 */
sotto_status curator_tell_plan(curator *c, const ask_plan *later,
                               sotto_error *error);

/* ---- asking ---- */

/* How many rows there are, or the sum of their weights. Asked again, it is the
   mean of all answers, by their precision. */
sotto_status curator_ask_total(curator *c, double *out, sotto_error *error);

/* The mean squares of the features, each clamped to `bound` in size. No
   answer is below the sd of its noise. */
sotto_status curator_ask_moments(curator *c, const double *bound, double *out,
                                 sotto_error *error);

/* A coordinate whose score is near the best. */
sotto_status curator_ask_choice(curator *c, int64_t *out, sotto_error *error);

/*
 * A coordinate along which the loss falls about most, and the direction:
 * *sign is 1 or -1. It is one of `among` (in ascending order; NULL: all, with
 * the intercept). If there is one alone, the answer is its direction. The
 * question uses the sums that scores are made of, with their clips and the L2
 * penalty of the scores that were told, and no other part of a penalty.
 */
sotto_status curator_ask_vertex(curator *c, const int64_t *among, int64_t count,
                                int64_t *out, int *sign, sotto_error *error);

/* The partial derivative of the mean loss in coordinate j. */
sotto_status curator_ask_partial(curator *c, int64_t j, double *out,
                                 sotto_error *error);

/*
 * The gradient of the mean loss, of features multiplied by `scale` (2^-100 to
 * 2^100; the intercept's comes after the features'). The gradient of each
 * record is shortened to the length `clip`. It is faster with the scales of
 * the last question. An infinite clip is for runs that are NOT PRIVATE.
 */
sotto_status curator_ask_gradient(curator *c, double clip, const double *scale,
                                  double *out, sotto_error *error);

/*
 * The same of a fresh batch: the sum over its rows, divided by the number of
 * all rows. It is never divided by the size of the batch, which is a secret.
 * On average it is the rate times the gradient. An empty batch gives noise.
 */
sotto_status curator_ask_batch(curator *c, double clip, const double *scale,
                               double *out, sotto_error *error);

/* Sets the anchor to the iterate. */
sotto_status curator_tell_anchor(curator *c, sotto_error *error);

/* As curator_ask_batch, but of the difference between a record's gradient at
   the iterate and its gradient at the anchor, shortened to `clip`. */
sotto_status curator_ask_difference(curator *c, double clip,
                                    const double *scale, double *out,
                                    sotto_error *error);

/* The parameters of a dual step, all of them public. */
typedef struct ask_dual {
    const double *weight; /* the model so far, one for each feature */
    double l2;            /* lambda */
    double at_once;       /* the expected share of rows that move at once */
    double clip;          /* C: how far one record may move v */
    double dual_noise;    /* of ASK_DUAL: the sd, in clips, of noise on the
                             dual variables of a batch; privacy does not
                             rest on it */
} ask_dual;

/*
 * Moves the dual variables of a batch. The answer is how far that moves v, the
 * sum of all rows times their dual variables, in units of *unit. A row's step
 * does not depend on the other rows of the batch. A row longer than the
 * policy's norm is shortened to it.
 */
sotto_status curator_ask_dual(curator *c, const ask_dual *at, int64_t *move,
                              double *unit, sotto_error *error);

/* The same of the next block of rows. Each row sees the steps of the rows
   before it. */
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

/* What a question about sizes or means is about. `centre` and `bound` have one
   number for the target, and one for each feature for rows and columns.
   Bounds are from 2^-100 to 2^100, and centres at most 2^100 in size. */
typedef struct ask_shape {
    ask_kind kind;
    const double *centre; /* NULL: 0 */
    const double *bound;
    const int64_t *feature; /* which columns; NULL: all */
    int64_t features;       /* how many columns */
    int length; /* a row's size is its length, not its largest feature */
} ask_shape;

/* Enough for one edge at each power of two that a float can have. */
enum { ASK_MOST_EDGES = 320 };

/*
 * A histogram of sizes. The size of a value is |value - centre| / bound. The
 * size of a row is the largest of its features', or their length. Edges fall.
 * The answer is the weight of rows with a size above edge[0], then up to
 * edge[0] and above edge[1], and so on. The last count has all other rows. So
 * there are edges + 1 counts (ASK_COLUMN_COUNTS: for each feature). *sd is the
 * sd of the noise in a count.
 */
sotto_status curator_ask_counts(curator *c, const ask_shape *what,
                                const double *edge, int64_t edges, double *out,
                                double *sd, sotto_error *error);

/* A quantile of such sizes, of the target or of rows: *out is the number of an
   edge that about `share` (between 0 and 1) of the rows' weight does not
   exceed. */
sotto_status curator_ask_quantile(curator *c, const ask_shape *what,
                                  const double *edge, int64_t edges,
                                  double share, int64_t *out,
                                  sotto_error *error);

/* The mean of (value - centre) / bound, clipped to [-1, 1], or of its square
   (ASK_COLUMN_SQUARES). Noise can lead it out of that interval. */
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
 * Keeps rows as z = (x - centre) / scale of these features, and 1 for an
 * intercept, in place of the columns: afterwards no question about columns is
 * answered (SOTTO_USAGE), and curator_tell and its kin move nothing. They are
 * floats, and take as much memory as a dense table of these features. That of a
 * dense table goes back as it is taken over, if all features are kept. A frame
 * is told once. The target, if it is kept, comes last. Then the frame is for
 * ASK_CROSS alone.
 */
sotto_status curator_tell_frame(curator *c, const ask_frame *frame,
                                sotto_error *error);

/*
 * The mean of z z' of rows that are shortened to the length `reach` (2^-100 to
 * 2^100). `out` is a square matrix, of features and intercept. *sd is the sd
 * of the noise on the diagonal. Elsewhere it is smaller by sqrt(2).
 */
sotto_status curator_ask_matrix(curator *c, double reach, double *out,
                                double *sd, sotto_error *error);

/* The same of a frame with the target, in the order features, intercept,
   target. */
sotto_status curator_ask_cross(curator *c, double reach, double *out,
                               double *sd, sotto_error *error);

/*
 * The mean of h z z' at the point, in the coordinates of the frame, or of the
 * map if there is one. h is the curvature of the loss, in units of its bound;
 * or its secant, (l'(m) - l'(0)) / m, which never lets a step of the logistic
 * loss go too far. The vector sqrt(h) z is shortened to the length `reach`.
 * The loss must be smooth.
 */
typedef enum ask_bend { ASK_EXACT_CURVATURE, ASK_SECANT_CURVATURE } ask_bend;

sotto_status curator_ask_curvature(curator *c, ask_bend bend, double reach,
                                   double *out, double *sd, sotto_error *error);

/* Replaces z by map' z. The map is square, row after row. The point is
   forgotten. */
sotto_status curator_tell_map(curator *c, const double *map,
                              sotto_error *error);

/* Sets the point that slopes are asked at, in the coordinates of the frame, or
   of the map if there is one. Its numbers are at most 2^100 in size. */
sotto_status curator_tell_point(curator *c, const double *at,
                                sotto_error *error);

/* The gradient of the mean loss at the point, in the coordinates of the frame,
   or of the map if there is one. The gradient of each record is shortened to
   `clip`. */
sotto_status curator_ask_whitened(curator *c, double clip, double *out,
                                  double *sd, sotto_error *error);

/* The means of q and q^2, where q is the length of a record's gradient there,
   divided by `most`, and at most 1. */
sotto_status curator_ask_lengths(curator *c, double most, double out[2],
                                 double *sd, sotto_error *error);

/* A histogram of these lengths, as curator_ask_counts has it: of rows with a
   length above edge[0] (edges fall, from 2^-100 to 2^100), and so on. */
sotto_status curator_ask_length_counts(curator *c, const double *edge,
                                       int64_t edges, double *out, double *sd,
                                       sotto_error *error);

/* The mean loss at the point (without a frame: at the iterate) less that of the
   constant margin `other`. The difference of each record is clipped to [-most,
   most]. */
sotto_status curator_ask_change(curator *c, double other, double most,
                                double *out, double *sd, sotto_error *error);

/* ---- more than two classes ---- */

/*
 * A record has a margin for each class, and its loss is log sum exp(m) - m_y.
 * The lengths of gradients (curator_ask_lengths, curator_ask_length_counts)
 * are then those by the weights of all classes together.
 */
enum { ASK_MOST_CLASSES = 1000 };

/* Sets the weights of all classes, in the coordinates of the frame, or of the
   map if there is one: for each coordinate one number for each class, at most
   2^100 in size. A map that is told later forgets them. */
sotto_status curator_tell_classes(curator *c, const double *at,
                                  sotto_error *error);

/* The weight of the rows of each class. */
sotto_status curator_ask_class_counts(curator *c, double *out, double *sd,
                                      sotto_error *error);

/* The gradient of the mean loss, laid out as the weights are. That of each
   record, by the weights of all classes, is shortened to `clip`. */
sotto_status curator_ask_class_gradient(curator *c, double clip, double *out,
                                        double *sd, sotto_error *error);

/* The means of w (1 - |p|^2) and of w, where p are the probabilities of the
   classes, and w is the squared length of a row over `most`, at most 1. */
sotto_status curator_ask_class_bend(curator *c, double most, double out[2],
                                    double *sd, sotto_error *error);

/* The mean loss at the weights less that of the constant margins `other`, as
   curator_ask_change has it. */
sotto_status curator_ask_class_change(curator *c, const double *other,
                                      double most, double *out, double *sd,
                                      sotto_error *error);

/*
 * Begins choices of features, once: the weights of all classes are 0, and their
 * intercepts are `at`. clip[j] is how long one record's derivatives by the
 * weights of feature j may be, for a choice. Numbers are at most 2^100 in size,
 * clips from 2^-100 on.
 */
sotto_status curator_tell_class_scores(curator *c, const double *clip,
                                       const double *at, sotto_error *error);

/* Moves the weights of feature j, that of class k by d[k], at most 2^100 in
   size. A feature that was moved has the lowest score. */
sotto_status curator_tell_class_move(curator *c, int64_t j, const double *d,
                                     sotto_error *error);

/* A feature whose score is near the best: the length of the derivatives of the
   loss by its weights of all classes, in clips. */
sotto_status curator_ask_class_choice(curator *c, int64_t *out,
                                      sotto_error *error);

/* These derivatives of the mean loss, of feature j. Those of each record are
   shortened to `clip`. */
sotto_status curator_ask_class_partial(curator *c, int64_t j, double clip,
                                       double *out, double *sd,
                                       sotto_error *error);

/* ---- how good a model is ---- */

/* The columns are what a model makes of each record: its score, its error. The
   target says which group a record is in: its class. */
enum { ASK_MOST_CELLS = 4096, ASK_MOST_VALUES = 4 };

typedef struct ask_cells {
    int64_t column;
    const double *edge; /* rising */
    int64_t edges;
    int64_t groups; /* targets are 0 to groups - 1; 1: all records are one */
} ask_cells;

/* The weight of the rows in each cell: for each group one for the values up to
   edge[0], then above edge[0] and up to edge[1], and so on. *sd is the sd of
   the noise in each. */
sotto_status curator_ask_outcomes(curator *c, const ask_cells *what,
                                  double *out, double *sd, sotto_error *error);

/* The sum of times (x - centre), or of times (x - centre)^2, over one or two
   columns, clipped to [-1, 1]; then squared, where that is said. Numbers are at
   most 2^100 in size. */
typedef struct ask_term {
    int64_t column;
    double times, centre;
    int square;
} ask_term;

typedef struct ask_value {
    ask_term term[2];
    int terms;
    int squared;
} ask_value;

/* The sums of such values over all rows, each times its weight. */
sotto_status curator_ask_errors(curator *c, const ask_value *value,
                                int64_t count, double *out, double *sd,
                                sotto_error *error);

/* ---- the minimiser ---- */

/* What is added to the mean loss. There is no intercept. */
typedef struct ask_penalty {
    double l1, l2;    /* l2 from 2^-100 to 2^100 */
    double low, high; /* the box, with 0 in it; infinite: none */
} ask_penalty;

/*
 * The minimiser of mean loss and penalty, of rows that are shortened to the
 * policy's norm. The loss is logistic or huber. ASK_MINIMISER adds noise to
 * the minimiser. ASK_PERTURBED adds a random linear part to the objective, and
 * a little noise to its minimiser. It is for the logistic loss and L2 alone.
 */
sotto_status curator_ask_minimiser(curator *c, ask_kind kind,
                                   const ask_penalty *penalty, double *out,
                                   sotto_error *error);

/* Of ASK_PERTURBED: l2 must be above this, or no amount of noise is enough at
   the level of this item. */
double curator_least_l2(const curator_policy *policy, const ask_item *item);

/* Whether doubles are precise enough for such a minimiser, whatever the
   records are. Targets are at most `target_reach` in size. */
int curator_can_minimise(const curator_policy *policy, const ask_item *item,
                         const ask_penalty *penalty, int64_t features,
                         double target_reach);
#define CURATOR_CANNOT_MINIMISE                                                \
    "doubles are not precise enough for a minimiser of so many rows: "         \
    "expected a larger --l2, a smaller --norm-bound, or bounds of the target"

#endif
