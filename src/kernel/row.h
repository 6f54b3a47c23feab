/*
 * What happens to one row, for LANES rows at once. Everything here is one
 * IEEE operation after another on each lane by itself, so that a row's bits
 * do not depend on the lane, on its neighbours or on LANES. The compiler's
 * own vectors say so directly; left to turn loops into vectors by itself it
 * takes comparisons apart, and is several times slower.
 */
#ifndef SOTTO_KERNEL_ROW_H
#define SOTTO_KERNEL_ROW_H

#include "kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

#define ROW static inline __attribute__((always_inline))

/* As values, and as they stand in memory: at the address of any float. */
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_int __attribute__((vector_size(4 * LANES)));
typedef uint32_t lanes_bits __attribute__((vector_size(4 * LANES)));
typedef lanes lanes_memory __attribute__((aligned(4), may_alias));

ROW lanes lanes_load(const float *from)
{
    return *(const lanes_memory *)from;
}

ROW void lanes_store(float *to, lanes x)
{
    *(lanes_memory *)to = x;
}

ROW lanes lanes_all(float x)
{
    return x - (lanes){0}; /* x - 0 is x, also for -0 and NaN */
}

/* a < b ? a : b, and a > b ? a : b. Where one is a NaN, or both are zeros,
   it is b: what the processor's instruction does, too. */
ROW lanes lanes_min(lanes a, lanes b)
{
#if defined(__AVX512F__)
    return (lanes)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (lanes)_mm_min_ps((__m128)a, (__m128)b);
#else
    lanes_int less = a < b;
    return (lanes)(((lanes_int)a & less) | ((lanes_int)b & ~less));
#endif
}

ROW lanes lanes_max(lanes a, lanes b)
{
#if defined(__AVX512F__)
    return (lanes)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (lanes)_mm_max_ps((__m128)a, (__m128)b);
#else
    lanes_int more = a > b;
    return (lanes)(((lanes_int)a & more) | ((lanes_int)b & ~more));
#endif
}

/* 1.5 2^23: a float of size up to 2^22, added to it, is rounded to a whole
   number, which then stands in the low bits. */
#define ROW_MAGIC 0x1.8p23f
#define ROW_BASE 0x4b400000u /* its bits */

/* Sums of integers, one in each lane, and every bit that one of them had
   before the clip. */
typedef struct row_sum {
    lanes_bits sum, seen;
} row_sum;

/*
 * k = rint(clip(v)) into the sum, as k + ROW_BASE: added up modulo 2^32, the
 * bases are taken off at the end. Rounding comes first and the clip after
 * it, which is the same because the clip is whole. An infinite v is clipped
 * like any other. v must not be a NaN: row_has_nan tells whether one was.
 */
ROW void row_add(row_sum *to, lanes v)
{
    lanes k = v + ROW_MAGIC;
    to->seen |= (lanes_bits)k;
    k = lanes_min(k, lanes_all(ROW_MAGIC + (float)KERNEL_CLIP));
    k = lanes_max(k, lanes_all(ROW_MAGIC - (float)KERNEL_CLIP));
    to->sum += (lanes_bits)k;
}

/* The same with 0 for a NaN (R2), tested before the clip, because
   comparisons with it are false. */
ROW void row_add_any(row_sum *to, lanes v)
{
    row_add(to, (lanes)((lanes_int)v & (v == v)));
}

/* The integer k of each lane by itself. */
ROW lanes_int row_integer(lanes v)
{
    row_sum one = {{0}, {0}};
    row_add_any(&one, v);
    return (lanes_int)(one.sum - ROW_BASE);
}

/* The same of one number: the same operations. */
ROW int32_t one_integer(float v)
{
    float k = (v == v ? v : 0) + ROW_MAGIC;
    union {
        float value;
        uint32_t bits;
    } out = {k < ROW_MAGIC + (float)KERNEL_CLIP
                 ? k
                 : ROW_MAGIC + (float)KERNEL_CLIP};
    if (!(out.value > ROW_MAGIC - (float)KERNEL_CLIP))
        out.value = ROW_MAGIC - (float)KERNEL_CLIP;
    return (int32_t)(out.bits - ROW_BASE);
}

/* 0: none was a NaN. All its exponent's bits are set, while what is no
   outlier has those of ROW_MAGIC; a false alarm costs time only. */
ROW int row_has_nan(const row_sum *s)
{
    int nan = 0;
    for (int l = 0; l < LANES; l++)
        nan |= (s->seen[l] & 0x7f800000u) == 0x7f800000u;
    return nan;
}

/* The sum of all lanes, each of `count` integers: exact while each is within
   31 bits. */
ROW int64_t row_total(const row_sum *s, int64_t count)
{
    int64_t total = 0;
    lanes_int part = (lanes_int)(s->sum - (uint32_t)count * ROW_BASE);
    for (int l = 0; l < LANES; l++)
        total += part[l];
    return total;
}

/*
 * -1 / (1 + e^z), to 2e-7 (at the worst float 1.97e-7), in two parts that
 * loops may do apart: e^z = 2^n 2^f with n whole and |f| <= 1/2; 2^f is
 * (a + f) / (a - f) with a = f coth(f log(2) / 2), an even function that
 * q0 + q1 f^2 is near to (2^f to 4.4e-7); so that the answer is
 * (f - a) / ((a - f) + 2^n (a + f)), with one true division. Beyond 80 it is
 * 2e-35 or 1. A NaN is taken for 80.
 */
typedef struct row_pair {
    lanes a, b;
} row_pair;

/* f, and n in the place of the exponent. */
ROW row_pair row_split(lanes z)
{
    z = lanes_min(z, lanes_all(80));
    z = lanes_max(z, lanes_all(-80));
    lanes t = z * 0x1.715476p+0f; /* log2 e */
    lanes whole = t + ROW_MAGIC;
    lanes f = t - (whole - ROW_MAGIC);
    /* the low bits of `whole` are n; what is above them is shifted out */
    return (row_pair){f, (lanes)((lanes_bits)whole << 23)};
}

ROW lanes row_sigmoid(row_pair s)
{
    lanes f = s.a;
    lanes a = (f * f) * 0.115236066f + 2.88540816f;
    lanes over = f - a, under = f + a;
    under = (lanes)((lanes_bits)under + (lanes_bits)s.b);
    return over / (under - over);
}

/* The slope l'(m) of each loss. `kind` is a constant in the loops, so the
   compiler removes the switch. A NaN stays one, or becomes a slope that the
   loss has. */
ROW lanes row_slope(loss_kind kind, lanes m, float delta)
{
    lanes missing = 1 - m;
    switch (kind) {
    case LOSS_LOGISTIC:
        return row_sigmoid(row_split(m));
    case LOSS_SQUARED_HINGE:
        return -2 * lanes_max(missing, lanes_all(0));
    case LOSS_HUBER:
        return lanes_max(lanes_all(-delta), lanes_min(lanes_all(delta), m));
    case LOSS_HINGE:
        return (lanes)((lanes_int)lanes_all(-1) & (missing > 0));
    case LOSS_SMOOTH_HINGE:
        return lanes_max(lanes_all(-1),
                         lanes_min(lanes_all(0), -.5f - missing / delta));
    case LOSS_SQUARED:
        break;
    }
    return m;
}

/* The curvature l''(m), by the slope s that it has there. */
ROW lanes row_curvature(loss_kind kind, lanes m, lanes s, float delta)
{
    switch (kind) {
    case LOSS_LOGISTIC:
        return -s * (1 + s);
    case LOSS_SQUARED_HINGE:
        return (lanes)((lanes_int)lanes_all(2) & (m < 1));
    case LOSS_HUBER:
        return (lanes)((lanes_int)lanes_all(1) & (m <= delta) & (m >= -delta));
    case LOSS_HINGE:
        return lanes_all(0);
    case LOSS_SMOOTH_HINGE:
        return (lanes)((lanes_int)lanes_all(1 / delta) & (s > -1) & (s < 0));
    case LOSS_SQUARED:
        break;
    }
    return lanes_all(1);
}

#endif
