/*
 * Loops over rows in told coordinates: part of loops.c, compiled for each
 * instruction set. Rows lie in tiles of KERNEL_TILE rows: coordinate after
 * coordinate, and of each the numbers of all rows side by side. So a lane is a
 * row, and what is computed for a row goes by the order of its coordinates,
 * whatever the set: products and sums of floats, each rounded by itself.
 *
 * A block of rows is walked through for its margins, and again for what they
 * add, while it is in the first cache.
 */
#ifndef SOTTO_KERNEL_TILES_H
#define SOTTO_KERNEL_TILES_H

#include "row_block.h"

#include <float.h>
#include <math.h>

/* So many vectors of rows go side by side: then the processor always finds
   work. TILES_ROWS divides 64, what all parts are a multiple of. */
enum { TILES_SIDE = 4, TILES_ROWS = TILES_SIDE * LANES };

/* Rows of a block, of so many values at most; but 64 rows at least. */
enum { TILES_MOST = 256, TILES_VALUES = 7168 };

/* So many values ahead are asked for: the next block, or 64 KB. */
enum { TILES_AHEAD = 1 << 14 };

ROW int64_t tiles_block(int64_t width)
{
    int64_t rows = TILES_VALUES / (width + 1) / 64 * 64;
    return rows < 64 ? 64 : rows > TILES_MOST ? TILES_MOST : rows;
}

/* Where the first coordinate of each of TILES_SIDE vectors of rows is. */
typedef struct tiles_at {
    const float *z[TILES_SIDE];
} tiles_at;

ROW tiles_at tiles_from(const kernel_kept *k, int64_t row)
{
    tiles_at at;
#pragma GCC unroll 4
    for (int s = 0; s < TILES_SIDE; s++)
        at.z[s] = kernel_kept_row(k, row + s * LANES);
    return at;
}

ROW lanes tiles_load(const tiles_at *at, int s, int64_t j)
{
    return lanes_load(at->z[s] + j * KERNEL_TILE);
}

/* Where the same place of the rows to come is: what is computed now hides how
   long memory takes. Asking beyond the end does nothing. */
ROW void tiles_ask(const float *at, int64_t ahead)
{
    uintptr_t place = (uintptr_t)at + (uintptr_t)ahead * sizeof *at;
    __builtin_prefetch((const void *)place, 0, 2);
}

/* Whether vector s of rows is the first of its line of memory. */
#define TILES_BEGINS(s) ((s)*LANES % KERNEL_TILE == 0)

/* ---- filling ---- */

/* What is not finite becomes 0: times 0 it is no number. */
ROW lanes tiles_finite(lanes value)
{
    lanes none = value * 0;
    return (lanes)((lanes_int)value & (none == none));
}

/* (x - centre) r in double, then a float. */
ROW lanes tiles_scaled(lanes x, double centre, double by)
{
    lanes out;
#pragma GCC unroll 16
    for (int l = 0; l < LANES; l++)
        out[l] = (float)(((double)x[l] - centre) * by);
    return tiles_finite(out);
}

static void kept_fill(const kernel_kept *k, int64_t j, const float *x,
                      const float *sign, double centre, double by, int64_t from,
                      int64_t to)
{
    for (int64_t i = from; i < to; i += LANES) {
        lanes value = lanes_load(x + i - from);
        if (sign)
            value = value * lanes_load(sign + i - from);
        lanes_store(kernel_kept_row(k, i) + j * KERNEL_TILE,
                    tiles_scaled(value, centre, by));
    }
}

/* ---- margins ---- */

/* Sums of products: coordinates j, j + 4, ... of one of four sums each, in
   their order. A tile at a time, as it lies in memory. */
ROW lanes tiles_dot(const kernel_kept *k, const float *w, const float *z)
{
    lanes sum[4] = {{0}};
    int64_t j = 0;
    for (; j + 4 <= k->width; j += 4)
#pragma GCC unroll 4
        for (int s = 0; s < 4; s++)
            sum[s] = sum[s] + w[j + s] * lanes_load(z + (j + s) * KERNEL_TILE);
    for (int s = 0; j + s < k->width; s++)
        sum[s] = sum[s] + w[j + s] * lanes_load(z + (j + s) * KERNEL_TILE);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* y m for two classes, m - y for a number. */
ROW void tiles_margins(const kernel_rows *r, const kernel_kept *k, int64_t from,
                       int64_t count)
{
    float *restrict m = r->margin + from;
    for (int64_t i = 0; i < count; i += LANES)
        lanes_store(m + i, tiles_dot(k, k->at, kernel_kept_row(k, from + i)));
    for (int64_t i = 0; k->sign && i < count; i += LANES)
        lanes_store(m + i, lanes_load(m + i) * lanes_load(k->sign + from + i));
    for (int64_t i = 0; k->origin && i < count; i += LANES)
        lanes_store(m + i,
                    lanes_load(m + i) + lanes_load(k->origin + from + i));
}

static void kept_margins(const kernel_rows *r, const kernel_kept *k,
                         int64_t from, int64_t to)
{
    tiles_margins(r, k, from, to - from);
}

/* The slopes of these rows, by the margins that they have. */
ROW void tiles_slopes(const kernel_rows *r, int64_t from, int64_t count,
                      float *out)
{
    kernel_rows part = *r;
    part.margin += from;
    part.weight = r->weight ? r->weight + from : NULL;
    part.padded = count;
    slopes(&part, out);
}

/* ---- a gradient ---- */

/* Slopes become factors: within B (1 - 2^-20) / |z_i|, and of the sign that the
   margin itself makes. Not a number: 0. A length of 0 has factors up to the
   largest float, an infinite one 0. */
static void tiles_shorten(const kernel_kept *k, int64_t from, int64_t count,
                          float factor, float *restrict t)
{
    const float *restrict length = k->length + from;
    for (int64_t i = 0; i < count; i += LANES) {
        lanes v = lanes_load(t + i) * factor;
        lanes u = (float)(KERNEL_CLIP * (1 - 0x1p-20)) / lanes_load(length + i);
        u = lanes_min(u, lanes_all(FLT_MAX));
        v = (lanes)((lanes_int)v & (v == v));
        v = lanes_max(lanes_min(v, u), -u);
        lanes_store(t + i, k->sign ? v * lanes_load(k->sign + from + i) : v);
    }
}

/* Sums of so many coordinates stay in the first cache. */
enum { TILES_WIDE = 256 };

typedef struct tiles_sums {
    lanes_int lane[TILES_WIDE];
} tiles_sums;

ROW void tiles_flush(tiles_sums *sums, int64_t width, int64_t *out)
{
    for (int64_t j = 0; j < width; j++) {
        out[j] += ball_total(sums->lane[j]);
        sums->lane[j] = (lanes_int){0};
    }
}

/* t_i z_ij cut towards 0, of coordinates [j, end). */
ROW void tiles_cut(const kernel_kept *k, int64_t row, const float *t, int64_t j,
                   int64_t end, int64_t ahead, lanes_int *sum)
{
    tiles_at at = tiles_from(k, row);
    lanes factor[TILES_SIDE];
#pragma GCC unroll 4
    for (int s = 0; s < TILES_SIDE; s++)
        factor[s] = lanes_load(t + s * LANES);
    for (; j < end; j++, sum++) {
        lanes_int part = *sum;
#pragma GCC unroll 4
        for (int s = 0; s < TILES_SIDE; s++) {
            part += __builtin_convertvector(factor[s] * tiles_load(&at, s, j),
                                            lanes_int);
            if (TILES_BEGINS(s))
                tiles_ask(at.z[s] + j * KERNEL_TILE, ahead);
        }
        *sum = part;
    }
}

/* All coordinates of a block. Of rows that are wide the sums go out at once. */
ROW void tiles_add(const kernel_kept *k, int64_t from, int64_t count,
                   const float *t, tiles_sums *sums, int64_t *out)
{
    int64_t ahead = loops_less(count * k->width, TILES_AHEAD);
    for (int64_t j = 0; j < k->width; j += TILES_WIDE) {
        int64_t end = loops_less(j + TILES_WIDE, k->width);
        for (int64_t i = 0; i < count; i += TILES_ROWS)
            tiles_cut(k, from + i, t + i, j, end, ahead, sums->lane);
        if (k->width > TILES_WIDE)
            tiles_flush(sums, end - j, out + j);
    }
}

static void kept_gradient(const kernel_rows *r, const kernel_kept *k,
                          float factor, int64_t from, int64_t to, int64_t *out)
{
    float t[TILES_MOST] __attribute__((aligned(64)));
    tiles_sums sums = {{{0}}};
    int64_t rows = tiles_block(k->width), held = 0;
    for (int64_t i = from; i < to; i += rows) {
        int64_t count = loops_less(rows, to - i);
        if (k->at)
            tiles_margins(r, k, i, count);
        tiles_slopes(r, i, count, t);
        tiles_shorten(k, i, count, factor, t);
        tiles_add(k, i, count, t, &sums, out);
        held += count;
        if (k->width <= TILES_WIDE &&
            (held + rows > LOOPS_BLOCK || i + rows >= to)) {
            tiles_flush(&sums, k->width, out);
            held = 0;
        }
    }
}

/* ---- lengths ---- */

/* The square is summed in double in the order of coordinates. */
ROW void tiles_length(const kernel_kept *k, int64_t row)
{
    const float *z = kernel_kept_row(k, row);
    double sum[LANES] = {0};
    for (int64_t j = 0; j < k->width; j++)
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++) {
            double one = (double)z[j * KERNEL_TILE + l];
            sum[l] += one * one;
        }
    for (int l = 0; l < LANES; l++)
        k->length[row + l] = (float)sqrt(sum[l]);
}

static void kept_lengths(const kernel_kept *k, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i += LANES)
        tiles_length(k, i);
}

/* ---- a map ---- */

/* So many coordinates of TILES_SIDE vectors of rows fit the registers. */
enum { MAP_SIDE = LANES == 16 ? 4 : 2 };

/* Whether A has zeros only above its diagonal. Then coordinate b of a product
   begins with z_b: 0 z_j before it would add 0 to a sum that is 0, for what is
   kept is finite. */
static int map_is_lower(const kernel_kept *k, const float *by)
{
    for (int64_t j = 0; j < k->width; j++)
        for (int64_t b = j + 1; b < k->width; b++)
            if (by[j * k->width + b] != 0)
                return 0;
    return 1;
}

/* Coordinates [b, b + some) of the product, of `side` vectors of rows, from
   coordinate j of the rows on. `some` and `side` are constants. */
ROW void map_some(const kernel_kept *k, const float *by, int64_t j, int64_t row,
                  int side, int64_t b, int some, float *out)
{
    tiles_at at;
    lanes sum[MAP_SIDE][TILES_SIDE] = {{{0}}};
    for (int s = 0; s < side; s++)
        at.z[s] = kernel_kept_row(k, row + s * LANES);
    for (; j < k->width; j++)
#pragma GCC unroll 4
        for (int q = 0; q < some; q++)
#pragma GCC unroll 4
            for (int s = 0; s < side; s++)
                sum[q][s] = sum[q][s] +
                            by[j * k->width + b + q] * tiles_load(&at, s, j);
    for (int q = 0; q < some; q++)
        for (int s = 0; s < side; s++)
            lanes_store(out + ((b + q) * side + s) * LANES, sum[q][s]);
}

ROW void map_back(const kernel_kept *k, int64_t row, int side,
                  const float *from)
{
    for (int s = 0; s < side; s++) {
        float *z = kernel_kept_row(k, row + s * LANES);
        for (int64_t b = 0; b < k->width; b++) {
            lanes value = lanes_load(from + (b * side + s) * LANES);
            lanes_store(z + b * KERNEL_TILE, tiles_finite(value));
        }
    }
}

ROW void map_rows(const kernel_kept *k, const float *by, int lower, int64_t row,
                  int side, float *out)
{
    int64_t b = 0;
    for (; b + MAP_SIDE <= k->width; b += MAP_SIDE)
        map_some(k, by, lower ? b : 0, row, side, b, MAP_SIDE, out);
    for (; b < k->width; b++)
        map_some(k, by, lower ? b : 0, row, side, b, 1, out);
    map_back(k, row, side, out);
}

static void kept_map(const kernel_kept *k, const float *by, int64_t from,
                     int64_t to)
{
    float out[KERNEL_WIDEST * LANES] __attribute__((aligned(64)));
    int lower = map_is_lower(k, by);
    if (k->width * TILES_SIDE <= KERNEL_WIDEST)
        for (int64_t i = from; i < to; i += TILES_ROWS)
            map_rows(k, by, lower, i, TILES_SIDE, out);
    else
        for (int64_t i = from; i < to; i += LANES)
            map_rows(k, by, lower, i, 1, out);
    kept_lengths(k, from, to);
}

#endif
