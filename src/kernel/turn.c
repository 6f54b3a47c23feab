/*
 * Lines become columns: values are moved and none is changed, so one source
 * does for every instruction set. Sixteen lines at a time, so that what is
 * written fills lines of the cache.
 */
#include "kernel.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { TURN_LINES = 16 };

/* Four values of four lines. */
static inline void turn_four(const float *const *line, int64_t i, float *out,
                             int64_t stride)
{
#if defined(__SSE2__)
    __m128 a = _mm_loadu_ps(line[0] + i), b = _mm_loadu_ps(line[1] + i);
    __m128 c = _mm_loadu_ps(line[2] + i), d = _mm_loadu_ps(line[3] + i);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(out, a);
    _mm_storeu_ps(out + stride, b);
    _mm_storeu_ps(out + 2 * stride, c);
    _mm_storeu_ps(out + 3 * stride, d);
#else
    for (int64_t n = 0; n < 4; n++)
        for (int64_t k = 0; k < 4; k++)
            out[n * stride + k] = line[k][i + n];
#endif
}

/* Values [i, length) of some lines, one by one. */
static void turn_rest(const float *const *line, int64_t lines, int64_t i,
                      int64_t length, float *out, int64_t stride)
{
    for (; i < length; i++)
        for (int64_t k = 0; k < lines; k++)
            out[i * stride + k] = line[k][i];
}

static void turn_some(const float *const *line, int64_t lines, int64_t length,
                      float *out, int64_t stride)
{
    int64_t whole = length / 4 * 4, fours = lines / 4 * 4;
    for (int64_t i = 0; i < whole; i += 4)
        for (int64_t k = 0; k < fours; k += 4)
            turn_four(line + k, i, out + i * stride + k, stride);
    turn_rest(line, fours, whole, length, out, stride);
    turn_rest(line + fours, lines - fours, 0, length, out + fours, stride);
}

void kernel_turn(const float *const *line, int64_t lines, int64_t length,
                 float *out, int64_t stride)
{
    for (int64_t k = 0; k < lines; k += TURN_LINES)
        turn_some(line + k, lines - k < TURN_LINES ? lines - k : TURN_LINES,
                  length, out + k, stride);
}
