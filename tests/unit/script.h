/*
 * Random streams whose words a test chooses, and what MPFR computes from the
 * same words.
 */
#ifndef SOTTO_SCRIPT_H
#define SOTTO_SCRIPT_H

#include "noise/stream.h"
#include "oracle.h"

#include <math.h>

#define ALL UINT64_MAX

static inline noise_stream *scripted(const uint64_t *words, size_t count)
{
    noise_stream *s;
    sotto_error error;
    assert_int_equal(noise_open_scripted(&s, words, count, &error), SOTTO_OK);
    return s;
}

/* -ln of u, which is changed. */
static inline void minus_ln(mpfr_t x)
{
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
}

/* floor(|x| + 1/2) with the sign of x. */
static inline int64_t nearest(mpfr_t x)
{
    int negative = mpfr_sgn(x) < 0;
    mpfr_abs(x, x, MPFR_RNDN);
    mpfr_add_d(x, x, .5, MPFR_RNDN);
    mpfr_floor(x, x);
    int64_t n = mpfr_get_sj(x, MPFR_RNDN);
    return negative ? -n : n;
}

/* The fraction of some words, plus `more` 2^-(64 count). */
static inline void fraction(mpfr_t x, const uint64_t *words, int count,
                            unsigned more)
{
    oracle_words(x, words, count, -1);
    mpfr_t one;
    mpfr_init2(one, 64);
    mpfr_set_ui_2exp(one, more, -64 * count, MPFR_RNDN);
    mpfr_add(x, x, one, MPFR_RNDN);
    mpfr_clear(one);
}

/* 1 minus 2^-42 to 2^-54: doubles can decide some of these and not the
   others. */
static inline double a_little_off(void)
{
    double off = ldexp(1, -42 - (int)(oracle_random() % 12));
    return 1 + (oracle_random() & 1 ? off : -off);
}

static inline void must(sotto_status status)
{
    assert_int_equal(status, SOTTO_OK);
}

#endif
