/*
 * fixed256: 256-bit fixed point, for the few draws that double cannot decide.
 *
 * A number is a multiple of one unit, 2^-192, below 2^64; signs are kept by
 * the caller. Everything is exact or rounded down unless said otherwise, and
 * the bounds are those of docs/privacy, "Wide arithmetic". It is slow
 * (microseconds) and meant to be checked by reading.
 */
#ifndef SOTTO_NOISE_FIXED256_H
#define SOTTO_NOISE_FIXED256_H

#include <stdint.h>

typedef struct fixed256 {
    uint64_t limb[4]; /* the sum of limb[i] 2^(64 (i - 3)) */
} fixed256;

/* A sine or cosine, or a logarithm, with its sign. */
typedef struct fixed256_signed {
    fixed256 size;
    int negative;
} fixed256_signed;

fixed256 fixed256_integer(uint64_t n);

/* The fraction 0.high middle low. */
fixed256 fixed256_fraction(uint64_t high, uint64_t middle, uint64_t low);

/* x >= 0 and below 2^64; bits under the unit are dropped. */
fixed256 fixed256_double(double x);

/* -1, 0 or 1 as a is less than, equal to or above b. */
int fixed256_compare(fixed256 a, fixed256 b);
int fixed256_is_zero(fixed256 a);

fixed256 fixed256_add(fixed256 a, fixed256 b); /* the sum must be below 2^64 */
fixed256 fixed256_subtract(fixed256 a, fixed256 b); /* a >= b */

/* a b rounded down; the product must be below 2^64. */
fixed256 fixed256_multiply(fixed256 a, fixed256 b);

/* a / n rounded down. */
fixed256 fixed256_divide_small(fixed256 a, uint64_t n);

/* a / b rounded down, for a < b < 2^63. */
fixed256 fixed256_ratio(fixed256 a, fixed256 b);

/* The square root rounded down. */
fixed256 fixed256_sqrt(fixed256 a);

/* ln x for x > 0, within 2^-183 (Lemma W1). */
fixed256_signed fixed256_ln(fixed256 x);

/* e^-x, within 2^-183 (Lemma W3). */
fixed256 fixed256_exp_minus(fixed256 x);

/* sin and cos of 2 pi v for v < 1, each within 2^-185 (Lemma W2). */
void fixed256_turn(fixed256 v, fixed256_signed *sine, fixed256_signed *cosine);

/* a + b with signs. */
fixed256_signed fixed256_sum(fixed256_signed a, fixed256_signed b);
int fixed256_signed_compare(fixed256_signed a, fixed256_signed b);

#endif
