/*
 * sketch: what a party of a federation asks the curator that holds its
 * columns. The policy of such a curator has buckets.
 */
#ifndef SOTTO_SKETCH_H
#define SOTTO_SKETCH_H

#include "ask.h"

/*
 * A sketch sums each row, with a sign, into one of a few buckets. Which one
 * follows from a public seed and the row's place in the table, which is
 * public, too. A column is in units of its bound, so that a row adds an
 * integer up to ASK_UNIT to one bucket.
 */
enum { ASK_UNIT = 32767 };

typedef struct ask_place {
    int64_t bucket;
    int sign; /* -1 or 1 */
} ask_place;
ask_place ask_place_of(uint64_t seed, int64_t row, int64_t buckets);

/* Says which round comes next. Under an insecure seed each round of each party
   has noise of its own, whatever was asked before. */
sotto_status curator_tell_round(curator *c, uint64_t round, sotto_error *error);

/* Charges a question of this kind that was answered before this curator was
   opened. No record is read. */
sotto_status curator_tell_spent(curator *c, ask_kind kind, sotto_error *error);

/* How many questions of this kind have been charged. */
int64_t curator_asked(const curator *c, ask_kind kind);

/* The sketch of the targets. `out` has one number for each bucket. */
sotto_status curator_ask_labels(curator *c, int64_t *out, sotto_error *error);

/* The sketch of feature j. The policy's constant is the one after the
   features. */
sotto_status curator_ask_sketch(curator *c, int64_t j, int64_t *out,
                                sotto_error *error);

/*
 * Which of these features j, or of their negatives, has about the largest sum
 * of x_ij e_i. e_i is the number of the vector in the bucket of row i, with
 * the sign of row i, less the target if the policy says that it is known, and
 * clipped to [-clip, clip]. The vector may hold anything: NaN counts as 0.
 * *out is the place of the feature in the list. It is -1, and nothing is
 * asked, if the list is empty.
 */
typedef struct ask_along {
    const double *vector;
    double clip;
    const int64_t *feature; /* as of curator_ask_sketch, at most all of them */
    int64_t features;
} ask_along;

sotto_status curator_ask_along(curator *c, const ask_along *at, int64_t *out,
                               int *sign, sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(ask_place_of);
CORE_EXPORT(curator_tell_round);
CORE_EXPORT(curator_tell_spent);
CORE_EXPORT(curator_ask_labels);
CORE_EXPORT(curator_ask_sketch);
CORE_EXPORT(curator_ask_along);

#endif
