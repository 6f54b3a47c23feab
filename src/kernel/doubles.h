/*
 * Vectors of doubles, half as many as floats: part of loops.c, compiled for
 * each instruction set.
 */
#ifndef SOTTO_KERNEL_DOUBLES_H
#define SOTTO_KERNEL_DOUBLES_H

#include "row.h"

enum { PAIRS = LANES / 2 };
typedef double doubles __attribute__((vector_size(8 * PAIRS)));
typedef int64_t doubles_bits __attribute__((vector_size(8 * PAIRS)));
typedef uint64_t doubles_words __attribute__((vector_size(8 * PAIRS)));
typedef doubles doubles_memory __attribute__((aligned(8), may_alias));
typedef float half __attribute__((vector_size(4 * PAIRS)));
typedef int32_t half_int __attribute__((vector_size(4 * PAIRS)));
typedef half half_memory __attribute__((aligned(4), may_alias));

ROW doubles doubles_load(const double *from)
{
    return *(const doubles_memory *)from;
}

ROW void doubles_store(double *to, doubles x)
{
    *(doubles_memory *)to = x;
}

/* As lanes_min and lanes_max: b where one is a NaN. */
ROW doubles doubles_min(doubles a, doubles b)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (doubles)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    doubles_bits less = a < b;
    return (doubles)(((doubles_bits)a & less) | ((doubles_bits)b & ~less));
#endif
}

ROW doubles doubles_max(doubles a, doubles b)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (doubles)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    doubles_bits more = a > b;
    return (doubles)(((doubles_bits)a & more) | ((doubles_bits)b & ~more));
#endif
}

/* Two halves as one: the first is that of the lower lanes. */
ROW lanes lanes_join(half low, half high)
{
#if defined(__AVX512F__)
    return (lanes)_mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)low),
                                     (__m256d)high, 1);
#elif defined(__AVX2__)
    return (lanes)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low),
                                       (__m128)high, 1);
#else
    union {
        half half[2];
        lanes whole;
    } both = {{low, high}};
    return both.whole;
#endif
}

/* Of floats that lie side by side. */
ROW doubles doubles_of(const float *from)
{
    return __builtin_convertvector((half) * (const half_memory *)from, doubles);
}

#endif
