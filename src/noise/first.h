/*
 * first: the first stage of every sampler, in double, with proven bounds.
 *
 * Logarithm, sine and cosine of IEEE additions, multiplications, divisions
 * and square roots alone, so that the same bits come out anywhere. The
 * bounds are Lemmas F1 to F5 of docs/privacy; they count each operation
 * with an error of e = 2^-52, twice that of rounding to nearest, and so hold
 * in any rounding mode. The constants used here are larger than proven.
 */
#ifndef SOTTO_FIRST_H
#define SOTTO_FIRST_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "doubles must be rounded after each operation"
#endif

#define FIRST_LN2 0x1.62e42fefa39efp-1
#define FIRST_ROOT2 0x1.6a09e667f3bcdp+0

/* (1 - sqrt(1/2)) 2^64, rounded down */
#define FIRST_SMALL 0x4afb0ccc06219b7bu

static inline double first_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n for -1022 <= n <= 1023. */
static inline double first_power2(int n)
{
    return first_from_bits((uint64_t)(1023 + n) << 52);
}

/* 2 atanh(num / den) for |num / den| <= 0.172, num exact and den within a
   rounding: relative error at most 5 e (Lemma F1). */
static inline double first_atanh2(double num, double den)
{
    double s = num / den, w = s * s;
    double p = 1. / 21;
    p = 1. / 19 + w * p;
    p = 1. / 17 + w * p;
    p = 1. / 15 + w * p;
    p = 1. / 13 + w * p;
    p = 1. / 11 + w * p;
    p = 1. / 9 + w * p;
    p = 1. / 7 + w * p;
    p = 1. / 5 + w * p;
    p = 1. / 3 + w * p;
    p = 1. + w * p;
    return (s + s) * p;
}

/* -ln(f 2^-n) for 1 <= f < 2 and 1 <= n <= 64: relative error at most 10 e
   of the result (Lemma F2). */
static inline double first_minus_ln(double f, int n)
{
    int above = f > FIRST_ROOT2;
    f = above ? f * .5 : f;
    return (double)(n - above) * FIRST_LN2 + first_atanh2(1 - f, 1 + f);
}

/* ln x for a normal x > 0: relative error at most 10 e (Lemma F2). */
static inline double first_ln(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int n = (int)(bits >> 52) - 1023;
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    double f = first_from_bits(mantissa | (uint64_t)1023 << 52);
    int above = f > FIRST_ROOT2;
    f = above ? f * .5 : f;
    return (double)(n + above) * FIRST_LN2 + first_atanh2(f - 1, 1 + f);
}

/* A value and how far the ideal one, that of infinitely many bits, can be:
   at most `loose` on account of bits cut off, beside what is computed. */
typedef struct first_value {
    double value, loose;
} first_value;

/*
 * E = -ln U where the first 64 bits of U are u > 0, of which the last `free`
 * (0 to 2) are not known and 0 in u. The ideal E is within loose + 10 e value
 * (F3).
 */
static inline first_value first_exponential(uint64_t u, int free)
{
    int zeros = __builtin_clzll(u);
    double f = (double)(int64_t)(u << zeros >> 11) * 0x1p-52;
    return (first_value){first_minus_ln(f, zeros + 1),
                         0x1p-51 + first_power2(zeros + free - 62)};
}

/*
 * E = -ln(1 - V) where the first 64 bits of V are v, 0 < v < 2^64 - 1, now
 * with a small *relative* error where E is small: the ideal -ln E is within
 * 2 loose + 10.1 e of -ln value (Lemma F4).
 */
static inline first_value first_exponential_small(uint64_t v)
{
    if (v >= FIRST_SMALL)
        return first_exponential(~v, 0);
    int zeros = __builtin_clzll(v);
    double x = (double)(int64_t)(v << zeros >> 11) * first_power2(-53 - zeros);
    return (first_value){first_atanh2(x, 2 - x),
                         0x1p-51 + first_power2(zeros - 62)};
}

/* sin and cos of 2 pi V where the first 64 bits of V are v: each within 4 e
   of the ideal (Lemma F5). */
static inline void first_turn(uint64_t v, double *sine, double *cosine)
{
    uint64_t quarter = ((v >> 61) + 1) >> 1;
    double x = (double)(int64_t)(v - (quarter << 62)) * 0x1.921fb54442d18p-62;
    double t = x * x;
    double s = 1. / 355687428096000;
    s = -1. / 1307674368000 + t * s;
    s = 1. / 6227020800 + t * s;
    s = -1. / 39916800 + t * s;
    s = 1. / 362880 + t * s;
    s = -1. / 5040 + t * s;
    s = 1. / 120 + t * s;
    s = -1. / 6 + t * s;
    s = x * (1. + t * s);
    double c = 1. / 20922789888000;
    c = -1. / 87178291200 + t * c;
    c = 1. / 479001600 + t * c;
    c = -1. / 3628800 + t * c;
    c = 1. / 40320 + t * c;
    c = -1. / 720 + t * c;
    c = 1. / 24 + t * c;
    c = -1. / 2 + t * c;
    c = 1. + t * c;
    double a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -a : a;
    *cosine = (quarter ^ quarter << 1) & 2 ? -b : b;
}

#endif
