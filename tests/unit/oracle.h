/*
 * The reference for the noise tests: MPFR with 500 bits.
 */
#ifndef SOTTO_ORACLE_H
#define SOTTO_ORACLE_H

#include "noise/fixed256.h"

#include <mpfr.h>

enum { ORACLE_BITS = 500 };

/* A small generator of test arguments, no part of what is tested. */
static uint64_t oracle_state = 1;
static inline uint64_t oracle_random(void)
{
    uint64_t x = oracle_state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Bits with a random number of leading zeros or ones. */
static inline uint64_t oracle_extreme(void)
{
    uint64_t x = oracle_random() >> oracle_random() % 64;
    return oracle_random() & 1 ? x : ~x;
}

/* The sum of words[i] 2^(64 (first - i)), where words[0] is the highest. */
static inline void oracle_words(mpfr_t out, const uint64_t *words, int count,
                                int first)
{
    mpfr_set_zero(out, 1);
    for (int i = 0; i < count; i++) {
        mpfr_t part;
        mpfr_init2(part, 64);
        mpfr_set_uj(part, words[i], MPFR_RNDN);
        mpfr_mul_2si(part, part, 64 * (first - i), MPFR_RNDN);
        mpfr_add(out, out, part, MPFR_RNDN);
        mpfr_clear(part);
    }
}

static inline void oracle_fixed256(mpfr_t out, fixed256 x)
{
    uint64_t words[4] = {x.limb[3], x.limb[2], x.limb[1], x.limb[0]};
    oracle_words(out, words, 4, 0);
}

static inline void oracle_signed(mpfr_t out, fixed256_signed x)
{
    oracle_fixed256(out, x.size);
    if (x.negative)
        mpfr_neg(out, out, MPFR_RNDN);
}

/* |a - b| / 2^scale as a double. */
static inline double oracle_distance(mpfr_t a, mpfr_t b, long scale)
{
    mpfr_t d;
    mpfr_init2(d, ORACLE_BITS);
    mpfr_sub(d, a, b, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    mpfr_mul_2si(d, d, -scale, MPFR_RNDU);
    double result = mpfr_get_d(d, MPFR_RNDU);
    mpfr_clear(d);
    return result;
}

#endif
