/*
 * Loops over rows in told coordinates, for each instruction set, against plain
 * C; and loops over rows by several threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const kernel_isa sets[] = {KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512};
enum { SETS = 3, MOST_WIDTH = 67, TRIALS = 400 };

static uint64_t state = 12345;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static int64_t below(int64_t n)
{
    return (int64_t)(uniform() * (double)n);
}

/* Rows whose length is below 1. */
static void fill_rows(float *row, int64_t width, int64_t count)
{
    for (int64_t i = 0; i < count * width; i++)
        row[i] = uniform() < .1
                     ? 0
                     : (float)((uniform() - .5) * pow(10, -6 * uniform()) /
                               sqrt((double)width));
}

/* ---- sums of integers ---- */

static void test_total(void **unused)
{
    (void)unused;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0,    -0.0,
                                 1,   -1,       1e300,     -2.5, 0x1p-22};
    for (int trial = 0; trial < TRIALS; trial++) {
        double part[300];
        int64_t count = below(300), expected = 0;
        for (int64_t k = 0; k < count; k++) {
            part[k] = uniform() < .1 ? odd[below(10)] : 3 * (uniform() - .5);
            expected += kernel_integer((float)(part[k] * KERNEL_CLIP));
        }
        for (int s = 0; s < SETS; s++)
            if (kernel_get(sets[s]))
                assert_true(kernel_get(sets[s])->total(part, count) ==
                            expected);
    }
}

/* ---- a gradient ---- */

static void test_cut(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < TRIALS; trial++) {
        float row[KERNEL_FEW * MOST_WIDTH];
        double t[KERNEL_FEW];
        int64_t width = 1 + below(MOST_WIDTH), count = below(KERNEL_FEW + 1);
        int64_t expected[MOST_WIDTH] = {0};
        fill_rows(row, width, count);
        for (int64_t i = 0; i < count; i++) {
            t[i] = (uniform() - .5) * 2 * KERNEL_CLIP;
            for (int64_t j = 0; j < width; j++)
                expected[j] += (int32_t)(t[i] * (double)row[i * width + j]);
        }
        for (int s = 0; s < SETS; s++) {
            int64_t out[MOST_WIDTH] = {0};
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->cut(row, width, t, count, out);
            assert_memory_equal(out, expected, sizeof out);
        }
    }
}

/* ---- a map ---- */

static void map_plainly(const double *map, int64_t width, float *row)
{
    double sum[MOST_WIDTH] = {0};
    for (int64_t j = 0; j < width; j++)
        for (int64_t b = 0; b < width; b++)
            sum[b] += (double)row[j] * map[j * width + b];
    for (int64_t b = 0; b < width; b++)
        row[b] = isfinite((float)sum[b]) ? (float)sum[b] : 0;
}

static void test_map(void **unused)
{
    (void)unused;
    enum { ROWS = 11, WIDE = 80 };
    for (int trial = 0; trial < TRIALS; trial++) {
        float row[ROWS * MOST_WIDTH], seen[ROWS * MOST_WIDTH];
        float expected[ROWS * MOST_WIDTH];
        double map[MOST_WIDTH * MOST_WIDTH];
        double wide[MOST_WIDTH * WIDE] = {0};
        int64_t width = 1 + below(MOST_WIDTH), count = below(ROWS + 1);
        fill_rows(row, width, count);
        for (int64_t k = 0; k < width * width; k++) {
            map[k] = (uniform() - .5) * pow(10, 80 * (uniform() - .4));
            wide[k / width * kernel_wide(width) + k % width] = map[k];
        }
        size_t bytes = (size_t)(width * count) * sizeof *row;
        memcpy(expected, row, bytes);
        for (int64_t i = 0; i < count; i++)
            map_plainly(map, width, expected + i * width);
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            memcpy(seen, row, bytes);
            kernel_get(sets[s])->map(wide, width, seen, count);
            assert_memory_equal(seen, expected, bytes);
        }
    }
}

/* ---- a matrix ---- */

static void matrix_plainly(const float *row, int64_t width, double t,
                           int64_t *out)
{
    for (int64_t a = 0; a < width; a++)
        for (int64_t b = a; b < width; b++) {
            double y = t * (double)row[a], z = t * (double)row[b];
            double times = y * (KERNEL_CLIP * (1 - 0x1p-30));
            times = b > a ? times * 0x1.6a09e667f3bccp+0 : times;
            *out++ += (int32_t)(times * z);
        }
}

static void test_matrix(void **unused)
{
    (void)unused;
    enum { CELLS = MOST_WIDTH * (MOST_WIDTH + 1) / 2 };
    assert_true(0x1.6a09e667f3bccp+0 * 0x1.6a09e667f3bccp+0 < 2);
    for (int trial = 0; trial < TRIALS; trial++) {
        float row[KERNEL_FEW * MOST_WIDTH];
        double t[KERNEL_FEW];
        int64_t width = 1 + below(MOST_WIDTH), count = below(KERNEL_FEW + 1);
        static int64_t expected[CELLS], out[CELLS];
        memset(expected, 0, sizeof expected);
        fill_rows(row, width, count);
        for (int64_t i = 0; i < count; i++) {
            t[i] = uniform();
            matrix_plainly(row + i * width, width, t[i], expected);
        }
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            memset(out, 0, sizeof out);
            kernel_get(sets[s])->matrix(row, width, t, count, out);
            assert_memory_equal(out, expected, sizeof out);
        }
    }
}

/* The widest rows use all of the room that there is on the stack. */
static void test_widest(void **unused)
{
    (void)unused;
    int64_t width = KERNEL_WIDEST, cells = width * (width + 1) / 2;
    float *row = calloc((size_t)width * 3, sizeof *row);
    int64_t *out = calloc((size_t)cells, sizeof *out);
    int64_t *expected = calloc((size_t)cells, sizeof *expected);
    double t[3] = {1, .5, -1};
    assert_true(row && out && expected);
    fill_rows(row, width, 3);
    for (int64_t i = 0; i < 3; i++)
        matrix_plainly(row + i * width, width, t[i], expected);
    kernel_get(KERNEL_AUTO)->matrix(row, width, t, 3, out);
    assert_memory_equal(out, expected, (size_t)cells * sizeof *out);
    free(row);
    free(out);
    free(expected);
}

/* ---- threads ---- */

/* Adds up numbers of rows in three ways, and marks the row. */
static void add_rows(const void *what, int64_t from, int64_t to, int64_t *sum)
{
    unsigned char *seen = *(unsigned char *const *)what;
    for (int64_t i = from; i < to; i++) {
        seen[i]++;
        sum[0] += i;
        sum[1] += i * i;
        sum[2] += 1;
    }
}

static void test_rows(void **unused)
{
    (void)unused;
    static const int64_t rows[] = {0, 1, 100, 16383, 16384, 20000, 300001};
    for (int threads = 1; threads <= 5; threads++) {
        kernel_pool *pool = kernel_pool_open(threads);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            int64_t n = rows[k], out[3] = {7, 0, 0};
            unsigned char *seen = calloc((size_t)n + 2, 1);
            assert_non_null(seen);
            kernel_pool_rows(pool, n, add_rows, &seen, 3, out);
            assert_true(out[0] == 7 + n * (n - 1) / 2);
            assert_true(out[1] == (n - 1) * n * (2 * n - 1) / 6);
            assert_true(out[2] == n);
            for (int64_t i = 0; i < n + 2; i++)
                assert_int_equal(seen[i], i < n);
            free(seen);
        }
        kernel_pool_close(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_total),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_map),    cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_widest), cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
