/*
 * Loops over the values of one column: sizes, means, bounds. Part of loops.c,
 * compiled for each instruction set. Each value is treated by the same IEEE
 * operations whatever the set, by itself.
 */
#ifndef SOTTO_KERNEL_VALUES_H
#define SOTTO_KERNEL_VALUES_H

#include "doubles.h"
#include "row_block.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* 1 / bound where the bound is a power of two and that is a double, or 0. A
   product with it and a quotient by the bound are then the same number, rounded
   once, and products are several times faster. */
static double values_inverse(const kernel_values *v)
{
    int power;
    double inverse = 1 / v->bound;
    return frexp(v->bound, &power) == .5 && inverse <= DBL_MAX ? inverse : 0;
}

/* Values i and following, measured. The sign is 1 or -1, so that the product is
   exact. `by` is a values_inverse, and whether it is 0 a constant. */
ROW doubles values_at(const kernel_values *v, int64_t i, double by)
{
    half x = *(const half_memory *)(v->x + i);
    if (v->sign)
        x = x * *(const half_memory *)(v->sign + i);
    doubles u = __builtin_convertvector(x, doubles) - v->centre;
    return by != 0 ? u * by : u / v->bound;
}

/* What does not fill a vector, with zeros behind it. */
typedef struct values_rest {
    float x[LANES], sign[LANES];
    double beside[LANES]; /* a size or a share for each of them */
    int64_t from, count;
} values_rest;

static kernel_values rest_of(values_rest *r, const kernel_values *v,
                             const double *beside)
{
    kernel_values rest = *v;
    *r = (values_rest){.from = v->count / LANES * LANES};
    r->count = v->count - r->from;
    memcpy(r->x, v->x + r->from, (size_t)r->count * sizeof *r->x);
    if (v->sign)
        memcpy(r->sign, v->sign + r->from, (size_t)r->count * sizeof *r->sign);
    if (beside)
        memcpy(r->beside, beside + r->from,
               (size_t)r->count * sizeof *r->beside);
    rest.x = r->x;
    rest.sign = v->sign ? r->sign : NULL;
    rest.count = LANES;
    return rest;
}

/* ---- sizes ---- */

ROW void sizes_as(const kernel_values *v, int squares, double by, int64_t count,
                  double *size)
{
    for (int64_t i = 0; i < count; i += PAIRS) {
        doubles u = values_at(v, i, by), before = doubles_load(size + i);
        if (squares) {
            doubles_store(size + i, before + u * u);
        } else {
            doubles_bits whole = (doubles_bits)u & INT64_MAX; /* without sign */
            doubles_store(size + i, doubles_max((doubles)whole, before));
        }
    }
}

static void sizes(const kernel_values *v, int squares, double *size)
{
    values_rest r;
    kernel_values rest = rest_of(&r, v, size);
    double by = values_inverse(v);
    if (squares && by != 0)
        sizes_as(v, 1, by, r.from, size);
    else if (squares)
        sizes_as(v, 1, 0, r.from, size);
    else if (by != 0)
        sizes_as(v, 0, by, r.from, size);
    else
        sizes_as(v, 0, 0, r.from, size);
    if (!r.count)
        return;
    sizes_as(&rest, squares, 0, LANES, r.beside);
    memcpy(size + r.from, r.beside, (size_t)r.count * sizeof *size);
}

/* ---- means ---- */

/* The part of a few values, as a float of integers up to KERNEL_CLIP. */
ROW half mean_part(const kernel_values *v, int64_t i, int squares, double by,
                   const double *share)
{
    doubles u = doubles_min(values_at(v, i, by), (doubles){0} + 1);
    u = doubles_max(u, (doubles){0} - 1);
    if (squares)
        u = u * u;
    if (share)
        u = u * doubles_load(share + i);
    return __builtin_convertvector(u * KERNEL_CLIP, half);
}

ROW lanes mean_parts(const kernel_values *v, int64_t i, int squares, double by,
                     const double *share)
{
    return lanes_join(mean_part(v, i, squares, by, share),
                      mean_part(v, i + PAIRS, squares, by, share));
}

ROW int64_t mean_as(const kernel_values *v, int64_t from, int64_t to,
                    int squares, double by, const double *share)
{
    row_sum sum = {{0}, {0}};
    for (int64_t i = from; i < to; i += LANES)
        row_add_any(&sum, mean_parts(v, i, squares, by, share));
    return row_total(&sum, (to - from) / LANES);
}

ROW int64_t mean_by(const kernel_values *v, int64_t from, int64_t to,
                    int squares, double by, const double *share)
{
    return squares ? mean_as(v, from, to, 1, by, share)
                   : mean_as(v, from, to, 0, by, share);
}

static int64_t mean(const kernel_values *v, int squares, const double *share)
{
    values_rest r;
    kernel_values rest = rest_of(&r, v, share);
    double by = values_inverse(v);
    int64_t sum = 0;
    for (int64_t i = 0; i < r.from; i += LOOPS_BLOCK) {
        int64_t to = loops_less(i + LOOPS_BLOCK, r.from);
        sum += by != 0 ? mean_by(v, i, to, squares, by, share)
                       : mean_by(v, i, to, squares, 0, share);
    }
    /* what is behind the rest may have a mean, too: it is left out */
    lanes last = mean_parts(&rest, 0, squares, 0, share ? r.beside : NULL);
    for (int64_t k = 0; k < r.count; k++)
        sum += one_integer(last[k]);
    return sum;
}

/* ---- octaves ---- */

/* Neighbours have tables of their own, so that none waits for what the last one
   has stored. */
enum { OCTAVES_APART = 4 };

ROW uint32_t octave_of(const float *x, uint32_t from)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return ((bits & INT32_MAX) - from) >> 23 & (KERNEL_OCTAVES - 1);
}

static void octaves_alike(const float *x, int64_t count, uint32_t from,
                          int64_t *out)
{
    uint32_t seen[OCTAVES_APART][KERNEL_OCTAVES] = {{0}};
    int64_t i = 0;
    for (; i + OCTAVES_APART <= count; i += OCTAVES_APART)
#pragma GCC unroll 4
        for (int k = 0; k < OCTAVES_APART; k++)
            seen[k][octave_of(x + i + k, from)]++;
    for (; i < count; i++)
        seen[0][octave_of(x + i, from)]++;
    for (int k = 0; k < KERNEL_OCTAVES; k++)
        out[k] += KERNEL_CLIP *
                  ((int64_t)seen[0][k] + seen[1][k] + seen[2][k] + seen[3][k]);
}

static void octaves(const float *x, const int32_t *weight, int64_t count,
                    uint32_t from, int64_t *out)
{
    if (!weight)
        octaves_alike(x, count, from, out);
    for (int64_t i = 0; weight && i < count; i++)
        out[octave_of(x + i, from)] += weight[i];
}

/* ---- bounds ---- */

enum { CLAMP_AT_ONCE = 64 / LANES };

ROW lanes clamped(lanes x, float bound)
{
    x = (lanes)((lanes_int)x & (x == x));
    return lanes_max(lanes_min(x, lanes_all(bound)), lanes_all(-bound));
}

/* Most doubles stay as they are, and memory that is not written to stays clean:
   it is written to where one of 64 changes. */
static void clamp(float *x, int64_t count, float bound)
{
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        lanes some[CLAMP_AT_ONCE];
        lanes_int same = (lanes_int){0} - 1;
#pragma GCC unroll 16
        for (int k = 0; k < CLAMP_AT_ONCE; k++) {
            lanes before = lanes_load(x + i + k * LANES);
            some[k] = clamped(before, bound);
            same &= some[k] == before;
        }
        int changes = 0;
        for (int l = 0; l < LANES; l++)
            changes |= !same[l];
        for (int k = 0; changes && k < CLAMP_AT_ONCE; k++)
            lanes_store(x + i + k * LANES, some[k]);
    }
    for (; i < count; i++) {
        x[i] = x[i] == x[i] ? x[i] : 0;
        x[i] = x[i] > bound ? bound : x[i] < -bound ? -bound : x[i];
    }
}

#endif
