/*
 * bucket: what the buckets of a selection are made of (for tests, too).
 *
 * A score's *bin* is the score without its last `shift` bits. From the best
 * score's bin down they are buckets 0, 1, ...: the first `near` of them have
 * weights above 1, which depend on the rate alone; all others have 1. So what
 * a selection does is a function of scores and bits; which bins are counted,
 * and where, is a matter of speed.
 */
#ifndef SOTTO_BUCKET_H
#define SOTTO_BUCKET_H

#include "noise.h"

enum {
    BUCKET_BITS = 62,    /* of the weight of the best bucket */
    BUCKET_NEAR = 86,    /* 62 ln 2 nats in steps of more than 1/2 */
    BUCKET_BINS = 512,   /* bins that are counted; a power of 2 */
    BUCKET_BLOCK = 1024, /* scores that share a counter */
};

struct noise_buckets {
    size_t count, stride;
    double rate;
    int shift;
    uint64_t near; /* how many buckets have a weight of their own */
    uint64_t weight[BUCKET_NEAR];

    /*
     * The bins high, high - 1, ... are counted, BUCKET_BINS of them. No
     * score is in a bin above, and those of the first `lead` are empty. Bin
     * n has slot n mod BUCKET_BINS: its members, and how many of them are in
     * each block of scores, at part[slot * row].
     */
    int counted; /* otherwise nothing of this is known */
    int64_t high;
    uint64_t lead;
    size_t blocks, row, part_bytes;
    uint64_t members[BUCKET_BINS];
    uint16_t *part;
};

/* ---- bucket_weight.c ---- */

/* Buckets of 2^shift integers: as many as are no wider than a nat. */
int bucket_shift(double rate);

/* Sets b->weight and b->near: until the weight is 1, or there are no integers
   so far apart. */
void bucket_weights(noise_buckets *b);

#endif
