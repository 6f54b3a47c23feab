/*
 * wide: 256-bit fixed point, for the few draws that double cannot decide.
 *
 * A number is a multiple of one unit, 2^-192, below 2^64; signs are kept by
 * the caller. Everything is exact or rounded down unless said otherwise, and
 * the bounds are those of docs/privacy.md, "Wide arithmetic". It is slow
 * (microseconds) and meant to be checked by reading.
 */
#ifndef SOTTO_WIDE_H
#define SOTTO_WIDE_H

#include <stdint.h>

typedef struct wide {
    uint64_t limb[4]; /* the sum of limb[i] 2^(64 (i - 3)) */
} wide;

/* A sine or cosine, or a logarithm, with its sign. */
typedef struct wide_signed {
    wide size;
    int negative;
} wide_signed;

wide wide_integer(uint64_t n);

/* The fraction 0.high middle low. */
wide wide_fraction(uint64_t high, uint64_t middle, uint64_t low);

/* x >= 0 and below 2^64; bits under the unit are dropped. */
wide wide_double(double x);

/* -1, 0 or 1 as a is less than, equal to or above b. */
int wide_compare(wide a, wide b);
int wide_is_zero(wide a);

wide wide_add(wide a, wide b);      /* the sum must be below 2^64 */
wide wide_subtract(wide a, wide b); /* a >= b */

/* a b rounded down; the product must be below 2^64. */
wide wide_multiply(wide a, wide b);

/* a / n rounded down. */
wide wide_divide_small(wide a, uint64_t n);

/* a / b rounded down, for a < b < 2^63. */
wide wide_ratio(wide a, wide b);

/* The square root rounded down. */
wide wide_sqrt(wide a);

/* ln x for x > 0, within 2^-183 (Lemma W1). */
wide_signed wide_ln(wide x);

/* e^-x, within 2^-183 (Lemma W3). */
wide wide_exp_minus(wide x);

/* sin and cos of 2 pi v for v < 1, each within 2^-185 (Lemma W2). */
void wide_turn(wide v, wide_signed *sine, wide_signed *cosine);

/* a + b with signs. */
wide_signed wide_sum(wide_signed a, wide_signed b);
int wide_signed_compare(wide_signed a, wide_signed b);

#endif
