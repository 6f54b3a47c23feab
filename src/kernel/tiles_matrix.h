/*
 * Matrices of rows in tiles, how the loss bends, and more than two classes:
 * part of loops.c behind tiles.h, compiled for each instruction set.
 */
#ifndef SOTTO_KERNEL_TILES_MATRIX_H
#define SOTTO_KERNEL_TILES_MATRIX_H

#include "doubles.h"
#include "tiles.h"

/* ---- a matrix ---- */

/* Rows of a block: what a pair of coordinates adds fits 32 bits in all. */
enum { MATRIX_MOST = 512, MATRIX_VALUES = 1 << 14, MATRIX_SIDE = 4 };

ROW int64_t matrix_total(lanes_int sum)
{
#if defined(__AVX512F__)
    return _mm512_reduce_add_epi32((__m512i)sum);
#else
    return ball_total(sum);
#endif
}

/* Entries (a, b + q) of a block, q < some, a constant; first: (w z_a) of its
   rows. */
ROW void matrix_some(const kernel_kept *k, const float *first, int64_t from,
                     int64_t count, int64_t b, int some, int64_t *out)
{
    lanes_int sum[MATRIX_SIDE] = {{0}};
    const float *z = kernel_kept_row(k, from) + b * KERNEL_TILE;
    for (; count > 0; count -= KERNEL_TILE, z += KERNEL_TILE * k->width)
#pragma GCC unroll 4
        for (int l = 0; l < KERNEL_TILE; l += LANES, first += LANES)
#pragma GCC unroll 4
            for (int q = 0; q < some; q++)
                sum[q] += __builtin_convertvector(
                    lanes_load(first) * lanes_load(z + q * KERNEL_TILE + l),
                    lanes_int);
#pragma GCC unroll 4
    for (int q = 0; q < some; q++)
        out[q] += matrix_total(sum[q]);
}

/* Row a of the upper half. */
ROW void matrix_row(const kernel_kept *k, const float *w, int64_t from,
                    int64_t count, int64_t a, int64_t *out)
{
    float first[MATRIX_MOST] __attribute__((aligned(64)));
    int64_t b = a + 1;
    for (int64_t i = 0; i < count; i += LANES) {
        const float *z = kernel_kept_row(k, from + i) + a * KERNEL_TILE;
        lanes_store(first + i, lanes_load(w + i) * lanes_load(z));
    }
    matrix_some(k, first, from, count, a, 1, out);
    for (int64_t i = 0; i < count; i += LANES) /* below sqrt(2) */
        lanes_store(first + i, lanes_load(first + i) * 0x1.6a09e6p+0f);
    for (; b + MATRIX_SIDE <= k->width; b += MATRIX_SIDE)
        matrix_some(k, first, from, count, b, MATRIX_SIDE, out + b - a);
    for (; b < k->width; b++)
        matrix_some(k, first, from, count, b, 1, out + b - a);
}

static void kept_matrix(const kernel_kept *k, const float *w, int64_t from,
                        int64_t to, int64_t *out)
{
    int64_t rows = MATRIX_VALUES / (k->width + 1) / 64 * 64;
    rows = rows < 64 ? 64 : rows > MATRIX_MOST ? MATRIX_MOST : rows;
    for (int64_t i = from; i < to; i += rows) {
        int64_t count = loops_less(rows, to - i), *at = out;
        for (int64_t a = 0; a < k->width; at += k->width - a++)
            matrix_row(k, w + (i - from), i, count, a, at);
    }
}

/* ---- how the loss bends ---- */

/* Nearer than this to the centre the curvature stands for the secant. */
#define BENDS_NEAR 0x1p-6f

ROW void bends_as(const kernel_rows *r, int secant, const kernel_bend *bend,
                  float *restrict out, loss_kind kind)
{
    lanes at_centre = row_slope(kind, lanes_all(bend->centre), r->delta);
    for (int64_t i = 0; i < r->padded; i += LANES) {
        lanes m = lanes_load(r->margin + i);
        lanes s = row_slope(kind, m, r->delta);
        lanes h = row_curvature(kind, m, s, r->delta);
        lanes from = m - bend->centre;
        lanes_int far = (from > BENDS_NEAR) | (from < -BENDS_NEAR);
        lanes chord = (s - at_centre) / from;
        if (secant)
            h = (lanes)(((lanes_int)chord & far) | ((lanes_int)h & ~far));
        h = h / bend->most;
        h = (lanes)((lanes_int)h & (h == h));
        h = lanes_max(lanes_min(h, lanes_all(1)), lanes_all(0));
        lanes_store(out + i, h);
    }
}

#define BENDS_AS(id, ...)                                                      \
    case LOSS_##id:                                                            \
        bends_as(r, secant, bend, out, LOSS_##id);                             \
        break;

static void bends(const kernel_rows *r, int secant, const kernel_bend *bend,
                  float *out)
{
    switch (r->loss) {
        LOSS_ALL_LIST(BENDS_AS)
    }
}

/* ---- more than two classes ---- */

/* A vector of rows; `classes` weights for each coordinate. Two classes at once
   share what is loaded. */
ROW void class_margins(const kernel_kept *k, int64_t row, const float *at,
                       int64_t classes, int some, float *out, int64_t stride)
{
    const float *z = kernel_kept_row(k, row);
    lanes sum[2] = {{0}, {0}};
    for (int64_t j = 0; j < k->width; j++)
#pragma GCC unroll 2
        for (int c = 0; c < some; c++)
            sum[c] =
                sum[c] + at[j * classes + c] * lanes_load(z + j * KERNEL_TILE);
    for (int c = 0; c < some; c++)
        lanes_store(out + c * stride, sum[c]);
}

static void kept_class_margins(const kernel_kept *k, int64_t row, int64_t count,
                               const float *at, int64_t classes, float *out)
{
    for (int64_t i = 0; i < count; i += LANES) {
        int64_t c = 0;
        for (; c + 2 <= classes; c += 2)
            class_margins(k, row + i, at + c, classes, 2, out + c * count + i,
                          count);
        if (c < classes)
            class_margins(k, row + i, at + c, classes, 1, out + c * count + i,
                          count);
    }
}

/* exp(x) for x <= 0: the operations of src/loss/portable.c. 2^n is made of the
   bits of n that its sum with 1.5 2^52 has. */
ROW doubles exp_below(doubles x)
{
    static const double part[] = {
        1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
        1. / 5040,     1. / 720,     1. / 120,    1. / 24,
        1. / 6,        1. / 2,       1,           1};
    doubles magic = (doubles){0} + 0x1.8p52, p = (doubles){0} + 1. / 479001600;
    doubles shifted = x * 0x1.71547652b82fep0 + magic;
    doubles n = shifted - magic;
    doubles r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
#pragma GCC unroll 12
    for (int i = 0; i < 12; i++)
        p = p * r + part[i];
    doubles_words power = ((doubles_words)shifted - (doubles_words)magic + 1023)
                          << 52;
    doubles value = p * (doubles)power;
    return (doubles)((doubles_bits)value & (x > -700));
}

static void class_chances(const float *margin, int64_t count, int64_t classes,
                          double *out)
{
    for (int64_t i = 0; i < count; i += PAIRS) {
        doubles most = (doubles){0} - INFINITY, sum = {0};
        for (int64_t c = 0; c < classes; c++)
            most = doubles_max(doubles_of(margin + c * count + i), most);
        for (int64_t c = 0; c < classes; c++) {
            doubles m = doubles_of(margin + c * count + i);
            doubles e = exp_below(m - most);
            doubles_store(out + c * count + i, e);
            sum = sum + e;
        }
        for (int64_t c = 0; c < classes; c++) {
            double *at = out + c * count + i;
            doubles_store(at, doubles_load(at) / sum);
        }
    }
}

/* ---- the logistic loss ---- */

/* The operations of loss_portable_logistic. The largest integer up to x is the
   nearest one, or one less. */
static void logistic(const float *margin, int64_t count, double *out)
{
    const doubles magic = (doubles){0} + 0x1.8p52, none = {0};
    for (int64_t i = 0; i < count; i += PAIRS) {
        doubles z = doubles_of(margin + i), sum = none, e = none + 1;
        doubles size = doubles_max(z, -z);
        doubles tail = doubles_min(size, none + 60);
        doubles over = tail * 0x1.71547652b82fep+0, whole = over + magic;
        whole = whole - magic;
        whole = whole - (doubles)((doubles_bits)(none + 1) & (whole > over));
        doubles r = tail - whole * 0x1.62e42fefa39efp-1;
#pragma GCC unroll 14
        for (int k = 14; k > 0; k--)
            e = 1 - (r * (1. / k)) * e;
        doubles_words power =
            ((doubles_words)magic + 1023 - (doubles_words)(whole + magic))
            << 52;
        e = e * (doubles)power;
        doubles u = e / (2 + e), square = u * u;
#pragma GCC unroll 11
        for (int k = 21; k > 0; k -= 2)
            sum = sum * square + 1. / k;
        doubles below = (doubles)((doubles_bits)size & (z < 0));
        doubles_store(out + i, 2 * u * sum + below);
    }
}

static void kept_class_cut(const kernel_kept *k, int64_t row, int64_t count,
                           const float *t, int64_t classes, int64_t *out)
{
    for (int64_t c = 0; c < classes; c++, t += count)
        for (int64_t j = 0; j < k->width; j++) {
            lanes_int sum = {0};
            for (int64_t i = 0; i < count; i += LANES) {
                const float *z = kernel_kept_row(k, row + i) + j * KERNEL_TILE;
                sum += __builtin_convertvector(
                    lanes_load(t + i) * lanes_load(z), lanes_int);
            }
            out[j * classes + c] += matrix_total(sum);
        }
}

#endif
