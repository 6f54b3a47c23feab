/*
 * Questions about the shape of the records: what the files of shape share.
 */
#ifndef SOTTO_CURATOR_SHAPE_H
#define SOTTO_CURATOR_SHAPE_H

#include "internal.h"

typedef struct shape_ask {
    const ask_shape *shape;
    const double *edge;
    int64_t edges;
    double *size;                    /* per row, of rows only */
    int quantile;                    /* an edge is asked for, not counts */
    double share;                    /* of that: 0 < share < 1 */
    int64_t *score, *above, *within; /* of edges, and of ranges */
} shape_ask;

static inline int shape_of_target(const shape_ask *a)
{
    return a->shape->kind == ASK_TARGET_COUNTS ||
           a->shape->kind == ASK_TARGET_QUANTILE ||
           a->shape->kind == ASK_TARGET_MEAN;
}

static inline int shape_of_rows(const shape_ask *a)
{
    return a->shape->kind == ASK_ROW_COUNTS ||
           a->shape->kind == ASK_ROW_QUANTILE;
}

/* How many columns are asked about. */
static inline int64_t shape_features(const curator *c, const shape_ask *a)
{
    return a->shape->feature ? a->shape->features : c->table->features;
}

/* ---- shape_sums.c ---- */

/* What rows add, of counts and of means, and the scores of edges. */
void shape_sum_counts(curator *c, const void *what, int64_t *out);
void shape_sum_means(curator *c, const void *what, int64_t *out);
const int64_t *shape_score_edges(curator *c, const void *what);

/* The same in two steps: what rows add to the sides of ranges, and scores of
   that. */
int64_t *shape_sum_sides(curator *c, const void *what);
const int64_t *shape_score_sums(curator *c, const void *what);

/* What the values of the target, or of column j, add to their ranges. */
void shape_count_values(const curator *c, const shape_ask *a, int64_t j,
                        int64_t *out);

/* ---- shape_octaves.c ---- */

/* What rows add, of counts of all columns. */
void octaves_sum_counts(const curator *c, const shape_ask *a, int64_t *out);

#endif
