/*
 * What a coordinate's sum is worth, by each of the rules.
 */
#ifndef SOTTO_CURATOR_SCORE_H
#define SOTTO_CURATOR_SCORE_H

#include "ask.h"

/* Larger than any sum is, and its square still fits 128 bits. */
#define SCORE_MOST ((int64_t)1 << 60)

/* A coordinate's part of the problem, all in integers of its own grid. */
typedef struct score_terms {
    int64_t sum;         /* with the derivative of the L2 penalty */
    int64_t l1;          /* of the L1 penalty, up and down */
    int64_t at;          /* M_j times the weight */
    int64_t low, high;   /* M_j times the box */
    int above, below;    /* whether the weight is above 0, below it */
    int highest, lowest; /* whether it is at the edge of the box */
} score_terms;

/* The subgradients [low, high] of the penalty, without the L2 part. */
void score_subgradients(const score_terms *t, int64_t *low, int64_t *high);

int64_t score_of(const score_terms *t, ask_rule rule);

/* The largest integer whose square is not above x, which is below 2^124. */
int64_t score_root(unsigned __int128 x);

/* x rounded, and no larger than SCORE_MOST; what is no number is 0. */
int64_t score_whole(double x);
int64_t score_between(int64_t x, int64_t low, int64_t high);

#endif
