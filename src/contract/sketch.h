/*
 * sketch: what a party of a federation asks the curator of its own columns,
 * whose policy has buckets.
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

/* Which round's noise comes next: under an insecure seed each round and party
   has streams of its own, whatever was asked before. */
sotto_status curator_tell_round(curator *c, uint64_t round, sotto_error *error);

/* One question of this kind was asked, and answered, before this curator was
   opened: it is charged, and no record is read. */
sotto_status curator_tell_spent(curator *c, ask_kind kind, sotto_error *error);

/* How many of this kind have been charged. */
int64_t curator_asked(const curator *c, ask_kind kind);

/* The sketch of the targets; out has the policy's buckets. */
sotto_status curator_ask_labels(curator *c, int64_t *out, sotto_error *error);

/* The sketch of feature j, or of the policy's constant behind them. */
sotto_status curator_ask_sketch(curator *c, int64_t j, int64_t *out,
                                sotto_error *error);

/*
 * Of these features, and of their negatives, one for which the sum of x_ij
 * e_i is about the largest, where e_i is the vector's number in row i's
 * bucket, with row i's sign (less the target, where the policy says that it
 * is known), within [-clip, clip]. The vector may be anything: what is not a
 * number counts as 0. *out is the feature's place in the list; -1, and
 * nothing is asked, where the list is empty.
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
CORE_EXPORT(curator_asked);
CORE_EXPORT(curator_ask_labels);
CORE_EXPORT(curator_ask_sketch);
CORE_EXPORT(curator_ask_along);

#endif
