/*
 * Loops over rows in told coordinates, and over numbers in double: part of
 * loops.c, compiled for each instruction set. Each number is made by the same
 * IEEE operations whatever the set: multiplications and additions in double,
 * conversions, each by itself.
 */
#ifndef SOTTO_KERNEL_KEPT_H
#define SOTTO_KERNEL_KEPT_H

#include "row.h"

#include <math.h>

/* Half as many doubles as floats fit a vector. */
enum { PAIRS = LANES / 2 };
typedef double doubles __attribute__((vector_size(8 * PAIRS)));
typedef doubles doubles_memory __attribute__((aligned(8), may_alias));
typedef float half __attribute__((vector_size(4 * PAIRS)));
typedef half half_memory __attribute__((aligned(4), may_alias));
typedef int32_t half_int __attribute__((vector_size(4 * PAIRS)));

ROW doubles doubles_load(const double *from)
{
    return *(const doubles_memory *)from;
}

ROW doubles doubles_of(const float *from)
{
    return __builtin_convertvector((half) * (const half_memory *)from, doubles);
}

ROW void half_add(half_int part, int64_t *out)
{
    for (int l = 0; l < PAIRS; l++)
        out[l] += part[l];
}

/* ---- a sum of integers ---- */

static int64_t total(const double *part, int64_t count)
{
    enum { AT_ONCE = 64 };
    float v[AT_ONCE];
    int64_t sum = 0;
    for (int64_t from = 0; from < count; from += AT_ONCE) {
        row_sum some = {{0}, {0}};
        int64_t n = loops_less(AT_ONCE, count - from), k = 0;
        for (int64_t i = 0; i < n; i++)
            v[i] = (float)(part[from + i] * KERNEL_CLIP);
        for (; k + LANES <= n; k += LANES)
            row_add_any(&some, lanes_load(v + k));
        sum += row_total(&some, k / LANES);
        for (; k < n; k++)
            sum += one_integer(v[k]);
    }
    return sum;
}

/* ---- a gradient ---- */

/* Of PAIRS coordinates, of all rows: sums stay in a register. */
ROW half_int cut_some(const float *row, int64_t width, const double *t,
                      int64_t count)
{
    half_int sum = {0};
    for (int64_t i = 0; i < count; i++)
        sum += __builtin_convertvector(t[i] * doubles_of(row + i * width),
                                       half_int);
    return sum;
}

static void cut(const float *row, int64_t width, const double *t, int64_t count,
                int64_t *out)
{
    int64_t j = 0;
    for (; j + PAIRS <= width; j += PAIRS)
        half_add(cut_some(row + j, width, t, count), out + j);
    for (; j < width; j++)
        for (int64_t i = 0; i < count; i++)
            out[j] += (int32_t)(t[i] * (double)row[i * width + j]);
}

/* ---- a map ---- */

/* Doubles of a few rows, on the stack of whoever runs the loop. */
enum { KEPT_ROOM = 2 * KERNEL_WIDEST, MAP_ROWS = 4, MAP_WIDE = 16 / PAIRS };

/* Sixteen coordinates of `rows` rows, which is a constant. */
ROW void map_some(const double *by, int64_t width, const float *row, int rows,
                  double *sum)
{
    int64_t wide = kernel_wide(width);
    doubles part[MAP_ROWS][MAP_WIDE] = {{{0}}};
    for (int64_t j = 0; j < width; j++)
#pragma GCC unroll 8
        for (int k = 0; k < MAP_WIDE; k++) {
            doubles from = doubles_load(by + j * wide + k * PAIRS);
#pragma GCC unroll 4
            for (int i = 0; i < rows; i++)
                part[i][k] = part[i][k] + (double)row[i * width + j] * from;
        }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < MAP_WIDE; k++)
            *(doubles_memory *)(sum + i * wide + k * PAIRS) = part[i][k];
}

ROW void map_rows(const double *by, int64_t width, float *row, int rows,
                  double *sum)
{
    int64_t wide = kernel_wide(width);
    for (int64_t b = 0; b < wide; b += 16)
        map_some(by + b, width, row, rows, sum + b);
    for (int i = 0; i < rows; i++)
        for (int64_t b = 0; b < width; b++) {
            float value = (float)sum[i * wide + b];
            row[i * width + b] = isfinite(value) ? value : 0;
        }
}

static void map(const double *by, int64_t width, float *row, int64_t count)
{
    double sum[KEPT_ROOM];
    int64_t i = 0;
    for (; i + MAP_ROWS <= count && kernel_wide(width) * MAP_ROWS <= KEPT_ROOM;
         i += MAP_ROWS)
        map_rows(by, width, row + i * width, MAP_ROWS, sum);
    for (; i < count; i++)
        map_rows(by, width, row + i * width, 1, sum);
}

/* ---- a matrix ---- */

/* Entries (a, b) of PAIRS b, of all rows. */
ROW half_int matrix_some(const double *row, int64_t wide, const double *times,
                         int64_t count)
{
    half_int sum = {0};
    for (int64_t i = 0; i < count; i++)
        sum += __builtin_convertvector(times[i] * doubles_load(row + i * wide),
                                       half_int);
    return sum;
}

/* Row a of the matrix. Vectors begin at multiples of PAIRS: what is before
   b = a + 1 is left out. */
ROW void matrix_row(const double *row, int64_t width, int64_t count, int64_t a,
                    int64_t *out)
{
    int64_t wide = kernel_wide(width);
    double beside[KERNEL_FEW];
    for (int64_t i = 0; i < count; i++) {
        double z = row[i * wide + a], times = z * (KERNEL_CLIP * (1 - 0x1p-30));
        beside[i] = times * 0x1.6a09e667f3bccp+0; /* below sqrt(2) */
        out[0] += (int32_t)(times * z);
    }
    for (int64_t b = (a + 1) / PAIRS * PAIRS; b < width; b += PAIRS) {
        half_int sum = matrix_some(row + b, wide, beside, count);
        for (int64_t l = 0; l < PAIRS; l++)
            if (b + l > a && b + l < width)
                out[b + l - a] += sum[l];
    }
}

static void matrix(const float *row, int64_t width, const double *t,
                   int64_t count, int64_t *out)
{
    double scaled[KEPT_ROOM];
    int64_t wide = kernel_wide(width), most = KEPT_ROOM / wide;
    for (int64_t from = 0; from < count; from += most) {
        int64_t some = loops_less(most, count - from), *to = out;
        for (int64_t i = 0; i < some; i++) {
            const float *z = row + (from + i) * width;
            for (int64_t j = 0; j < width; j++)
                scaled[i * wide + j] = t[from + i] * (double)z[j];
            for (int64_t j = width; j < wide; j++)
                scaled[i * wide + j] = 0;
        }
        for (int64_t a = 0; a < width; to += width - a++)
            matrix_row(scaled, width, some, a, to);
    }
}

#endif
