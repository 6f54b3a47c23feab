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

#include <float.h>
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

/* ---- rows in tiles ---- */

enum { MOST_ROWS = 448, CELLS = MOST_WIDTH * (MOST_WIDTH + 1) / 2 };

/* What loops are given, and rows as they are: z[i][j]. */
typedef struct row_set {
    int64_t width, count, from; /* the loops begin at row `from` */
    float tile[MOST_ROWS * MOST_WIDTH], length[MOST_ROWS];
    float sign[MOST_ROWS], origin[MOST_ROWS], weight[MOST_ROWS];
    float margin[MOST_ROWS], at[MOST_WIDTH];
    kernel_kept kept;
    kernel_rows rows;
} row_set;

static float z_of(const row_set *r, int64_t i, int64_t j)
{
    return r->tile[(i / 16 * r->width + j) * 16 + i % 16];
}

static float drawn(double size)
{
    return uniform() < .1
               ? 0
               : (float)((uniform() - .5) * pow(10, -6 * uniform()) * size);
}

/* Rows of lengths from tiny to long, at least 64. */
static row_set *draw_rows(int64_t width)
{
    row_set *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->width = width;
    r->from = 64 * below(3);
    r->count = r->from + 64 * (1 + below(MOST_ROWS / 64 - r->from / 64));
    for (int64_t i = 0; i < r->count * width; i++)
        r->tile[i] = drawn(uniform() < .1 ? 30 : 1);
    for (int64_t j = 0; j < width; j++)
        r->at[j] = drawn(4);
    for (int64_t i = 0; i < r->count; i++) {
        double square = 0;
        for (int64_t j = 0; j < width; j++)
            square += (double)z_of(r, i, j) * (double)z_of(r, i, j);
        r->length[i] = (float)sqrt(square);
        r->sign[i] = uniform() < .5 ? -1 : 1;
        r->origin[i] = drawn(2);
        r->weight[i] = (float)uniform();
        r->margin[i] = drawn(3);
    }
    r->kept = (kernel_kept){.width = width,
                            .value = r->tile,
                            .length = r->length,
                            .sign = uniform() < .5 ? r->sign : NULL,
                            .origin = uniform() < .5 ? r->origin : NULL,
                            .at = uniform() < .8 ? r->at : NULL};
    r->rows = (kernel_rows){.rows = r->count,
                            .padded = r->count,
                            .margin = r->margin,
                            .weight = uniform() < .5 ? r->weight : NULL,
                            .loss = (loss_kind)below(5),
                            .delta = 1.25f};
    return r;
}

/* Another copy of the rows, for a loop that writes. */
static row_set *copy_rows(const row_set *from)
{
    row_set *r = malloc(sizeof *r);
    assert_non_null(r);
    *r = *from;
    r->kept.value = r->tile;
    r->kept.length = r->length;
    r->kept.sign = from->kept.sign ? r->sign : NULL;
    r->kept.origin = from->kept.origin ? r->origin : NULL;
    r->kept.at = from->kept.at ? r->at : NULL;
    r->rows.margin = r->margin;
    r->rows.weight = from->rows.weight ? r->weight : NULL;
    return r;
}

static float margin_plainly(const row_set *r, int64_t i)
{
    float part[4] = {0}, sum;
    if (!r->kept.at)
        return r->margin[i];
    for (int64_t j = 0; j < r->width; j++)
        part[j % 4] = part[j % 4] + r->at[j] * z_of(r, i, j);
    sum = (part[0] + part[1]) + (part[2] + part[3]);
    sum = r->kept.sign ? sum * r->sign[i] : sum;
    return r->kept.origin ? sum + r->origin[i] : sum;
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

/* ---- filling, margins, lengths ---- */

static void test_fill(void **unused)
{
    (void)unused;
    static const float odd[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f};
    for (int trial = 0; trial < TRIALS; trial++) {
        row_set *r = draw_rows(1 + below(MOST_WIDTH));
        int64_t j = below(r->width);
        float x[MOST_ROWS];
        double centre = uniform() - .5, by = pow(10, 4 * (uniform() - .5));
        for (int64_t i = 0; i < r->count; i++)
            x[i] = uniform() < .05 ? odd[below(5)] : drawn(7);
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            row_set *seen = copy_rows(r);
            kernel_get(sets[s])->kept_fill(&seen->kept, j, x + r->from,
                                           r->kept.sign ? r->sign + r->from
                                                        : NULL,
                                           centre, by, r->from, r->count);
            for (int64_t i = 0; i < r->count; i++)
                for (int64_t k = 0; k < r->width; k++) {
                    float folded = r->kept.sign ? x[i] * r->sign[i] : x[i];
                    float z = (float)(((double)folded - centre) * by);
                    z = isfinite(z) ? z : 0;
                    assert_true(z_of(seen, i, k) ==
                                (k == j && i >= r->from ? z : z_of(r, i, k)));
                }
            free(seen);
        }
        free(r);
    }
}

static void test_margins(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < TRIALS; trial++) {
        row_set *r = draw_rows(1 + below(MOST_WIDTH));
        r->kept.at = r->at;
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            row_set *seen = copy_rows(r);
            memset(seen->length, 0, sizeof seen->length);
            kernel_get(sets[s])->kept_margins(&seen->rows, &seen->kept, r->from,
                                              r->count);
            kernel_get(sets[s])->kept_lengths(&seen->kept, r->from, r->count);
            for (int64_t i = 0; i < r->count; i++) {
                assert_true(
                    seen->margin[i] ==
                    (i < r->from ? r->margin[i] : margin_plainly(r, i)));
                assert_true(seen->length[i] ==
                            (i < r->from ? 0 : r->length[i]));
            }
            free(seen);
        }
        free(r);
    }
}

/* ---- a gradient ---- */

/* The slope as the kernel has it, of one row. */
static float slope_plainly(const row_set *r, float margin, float weight)
{
    float m[64] = {0}, a[64] = {0}, out[64];
    kernel_rows one = r->rows;
    m[0] = margin;
    a[0] = weight;
    one.rows = 1;
    one.padded = 64;
    one.margin = m;
    one.weight = r->rows.weight ? a : NULL;
    kernel_get(KERNEL_SCALAR)->slopes(&one, out);
    return out[0];
}

static float factor_plainly(const row_set *r, int64_t i, float factor)
{
    float reach = (float)(KERNEL_CLIP * (1 - 0x1p-20)) / r->length[i];
    float t = slope_plainly(r, margin_plainly(r, i), r->weight[i]) * factor;
    reach = reach < 3.4e38f ? reach : 0x1.fffffep127f;
    t = t == t ? t : 0;
    t = t > reach ? reach : t < -reach ? -reach : t;
    return r->kept.sign ? t * r->sign[i] : t;
}

/* Integers as they are defined, a record's never longer than KERNEL_CLIP, and
   some as long as that. */
static void test_gradient(void **unused)
{
    (void)unused;
    double longest = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        row_set *r = draw_rows(1 + below(MOST_WIDTH));
        float factor = (float)(KERNEL_CLIP * pow(10, 4 * uniform() - 3));
        int64_t expected[MOST_WIDTH] = {0};
        for (int64_t i = r->from; i < r->count; i++) {
            float t = factor_plainly(r, i, factor);
            double square = 0;
            for (int64_t j = 0; j < r->width; j++) {
                int32_t k = (int32_t)(t * z_of(r, i, j));
                expected[j] += k;
                square += (double)k * (double)k;
            }
            longest = fmax(longest, sqrt(square));
        }
        for (int s = 0; s < SETS; s++) {
            int64_t out[MOST_WIDTH] = {0};
            if (!kernel_get(sets[s]))
                continue;
            row_set *seen = copy_rows(r);
            kernel_get(sets[s])->kept_gradient(&seen->rows, &seen->kept, factor,
                                               r->from, r->count, out);
            assert_memory_equal(out, expected, sizeof out);
            for (int64_t i = 0; i < r->count; i++)
                assert_true(
                    seen->margin[i] ==
                    (i < r->from ? r->margin[i] : margin_plainly(r, i)));
            free(seen);
        }
        free(r);
    }
    assert_true(longest <= KERNEL_CLIP && longest > KERNEL_CLIP - 8);
}

/* More rows than a lane's sum holds, wider rows than sums are kept for, and
   rows of any size: each adds what it adds alone. */
static void test_gradient_large(void **unused)
{
    (void)unused;
    static const int64_t widths[] = {1, 3, 255, 256, 257, 700};
    enum { ROWS = 64 * 300 };
    for (int w = 0; w < 6; w++) {
        int64_t width = widths[w], count = width > 100 ? 640 : ROWS;
        float *tile = calloc((size_t)(count * width), sizeof *tile);
        float *length = calloc((size_t)count, sizeof *length);
        float *margin = calloc((size_t)count, sizeof *margin);
        int64_t *expected = calloc((size_t)width, sizeof *expected);
        int64_t *out = calloc((size_t)width, sizeof *out);
        assert_true(tile && length && margin && expected && out);
        for (int64_t k = 0; k < count * width; k++)
            tile[k] = drawn(1) + 1;
        kernel_kept kept = {.width = width, .value = tile, .length = length};
        kernel_rows all = {.rows = count,
                           .padded = count,
                           .margin = margin,
                           .loss = LOSS_LOGISTIC};
        kernel_get(KERNEL_SCALAR)->kept_lengths(&kept, 0, count);
        for (int64_t i = 0; i < count; i++) {
            float u = (float)(KERNEL_CLIP * (1 - 0x1p-20)) / length[i];
            for (int64_t j = 0; j < width; j++)
                expected[j] +=
                    (int32_t)(-u * tile[(i / 16 * width + j) * 16 + i % 16]);
        }
        for (int s = 0; s < SETS; s++) {
            memset(out, 0, (size_t)width * sizeof *out);
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->kept_gradient(&all, &kept, 1e30f, 0, count,
                                               out);
            assert_memory_equal(out, expected, (size_t)width * sizeof *out);
        }
        free(tile);
        free(length);
        free(margin);
        free(expected);
        free(out);
    }
}

/* Records of any bits: no integer of a record alone leaves the ball. */
static void test_gradient_bound(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < 40 * TRIALS; trial++) {
        float tile[64 * 5] = {0}, length[64] = {0}, margin[64] = {0};
        float weight[64] = {0};
        int64_t out[5] = {0};
        kernel_kept kept = {.width = 5, .value = tile, .length = length};
        kernel_rows one = {.rows = 1,
                           .padded = 64,
                           .margin = margin,
                           .weight = trial % 2 ? weight : NULL,
                           .loss = (loss_kind)below(5),
                           .delta = 1.25f};
        for (int j = 0; j < 5; j++)
            tile[16 * j] =
                (float)((uniform() - .5) * ldexp(1, (int)below(260) - 136));
        margin[0] = (float)((uniform() - .5) * pow(10, 70 * uniform() - 30));
        weight[0] = trial % 3 ? (float)uniform() : INFINITY;
        for (int j = 0; j < 5; j++)
            tile[16 * j] = isfinite(tile[16 * j]) ? tile[16 * j] : 0;
        float factor = ldexpf(1, (int)below(200) - 79);
        for (int s = 0; s < SETS; s++) {
            double square = 0;
            memset(out, 0, sizeof out);
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->kept_lengths(&kept, 0, 64);
            kernel_get(sets[s])->kept_gradient(&one, &kept, factor, 0, 64, out);
            for (int j = 0; j < 5; j++)
                square += (double)out[j] * (double)out[j];
            assert_true(square <= (double)KERNEL_CLIP * KERNEL_CLIP);
        }
    }
}

/* ---- a map ---- */

static void test_map(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        row_set *r = draw_rows(1 + below(MOST_WIDTH));
        float map[MOST_WIDTH * MOST_WIDTH];
        int64_t width = r->width;
        for (int64_t k = 0; k < width * width; k++)
            map[k] = (float)((uniform() - .5) *
                             pow(10, (trial % 2 ? 76 : 4) * (uniform() - .5)));
        /* zeros above the diagonal, of either sign; in some all but one */
        for (int64_t k = 0; trial % 3 && k < width * width; k++)
            if (k / width < k % width)
                map[k] = trial % 2 ? 0.f : -0.f;
        if (trial % 3 == 2 && width > 1)
            map[below(width - 1) * width + width - 1] = 1;
        row_set *expected = copy_rows(r);
        for (int64_t i = r->from; i < r->count; i++) {
            double square = 0;
            for (int64_t b = 0; b < width; b++) {
                float sum = 0;
                for (int64_t j = 0; j < width; j++)
                    sum = sum + map[j * width + b] * z_of(r, i, j);
                sum = isfinite(sum) ? sum : 0;
                expected->tile[(i / 16 * width + b) * 16 + i % 16] = sum;
                square += (double)sum * (double)sum;
            }
            expected->length[i] = (float)sqrt(square);
        }
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            row_set *seen = copy_rows(r);
            kernel_get(sets[s])->kept_map(&seen->kept, map, r->from, r->count);
            for (int64_t k = 0; k < r->count * width; k++)
                assert_true(seen->tile[k] == expected->tile[k]);
            assert_memory_equal(seen->length, expected->length,
                                sizeof seen->length);
            free(seen);
        }
        free(expected);
        free(r);
    }
}

/* ---- a matrix ---- */

static void matrix_plainly(const float *z, int64_t stride, int64_t width,
                           float w, int64_t *out)
{
    for (int64_t a = 0; a < width; a++)
        for (int64_t b = a; b < width; b++) {
            float first = w * z[a * stride];
            first = b > a ? first * 0x1.6a09e6p+0f : first;
            *out++ += (int32_t)(first * z[b * stride]);
        }
}

static void test_matrix(void **unused)
{
    (void)unused;
    assert_true((double)0x1.6a09e6p+0f * (double)0x1.6a09e6p+0f < 2);
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        row_set *r = draw_rows(1 + below(MOST_WIDTH));
        static int64_t expected[CELLS], out[CELLS];
        float w[MOST_ROWS];
        memset(expected, 0, sizeof expected);
        for (int64_t i = r->from; i < r->count; i++) {
            w[i] = r->length[i] > 0 ? (float)(uniform() * 2e6) /
                                          (r->length[i] * r->length[i])
                                    : 0;
            matrix_plainly(r->tile + i / 16 * r->width * 16 + i % 16, 16,
                           r->width, w[i], expected);
        }
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            memset(out, 0, sizeof out);
            kernel_get(sets[s])->kept_matrix(&r->kept, w + r->from, r->from,
                                             r->count, out);
            assert_memory_equal(out, expected, sizeof out);
        }
        free(r);
    }
}

/* The widest rows use all of the room that there is on the stack. */
static void test_widest(void **unused)
{
    (void)unused;
    int64_t width = KERNEL_WIDEST, cells = width * (width + 1) / 2;
    float *tile = calloc((size_t)width * 64, sizeof *tile), length[64];
    float *map = calloc((size_t)(width * width), sizeof *map);
    int64_t *out = calloc((size_t)cells, sizeof *out);
    int64_t *expected = calloc((size_t)cells, sizeof *expected);
    float w[64] = {0};
    kernel_kept kept = {.width = width, .value = tile, .length = length};
    assert_true(tile && map && out && expected);
    for (int64_t j = 0; j < width; j++) {
        tile[j * 16] = drawn(1) / 64;
        tile[j * 16 + 3] = drawn(1) / 64;
        map[j * width + (j + 1) % width] = 2;
    }
    w[0] = 1e6f;
    w[3] = 1e3f;
    matrix_plainly(tile, 16, width, w[0], expected);
    matrix_plainly(tile + 3, 16, width, w[3], expected);
    kernel_get(KERNEL_AUTO)->kept_matrix(&kept, w, 0, 64, out);
    assert_memory_equal(out, expected, (size_t)cells * sizeof *out);
    float first = tile[0], last = tile[(width - 1) * 16];
    kernel_get(KERNEL_AUTO)->kept_map(&kept, map, 0, 64);
    assert_true(tile[16] == 2 * first && tile[0] == 2 * last);
    free(tile);
    free(map);
    free(out);
    free(expected);
}

/* ---- how the loss bends ---- */

/* Against the curvature in double, and its secant. */
static void test_bends(void **unused)
{
    (void)unused;
    static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC,
                                      LOSS_SQUARED_HINGE, LOSS_HUBER,
                                      LOSS_SMOOTH_HINGE};
    for (int trial = 0; trial < TRIALS; trial++) {
        loss l = {kinds[trial % 5], 1.25};
        double y = loss_has_classes(l.kind) ? 1 : 0, centre, most;
        centre = loss_centre(l.kind);
        most = loss_curvature_bound(&l);
        float margin[64], out[SETS][64];
        kernel_rows r = {.rows = 64,
                         .padded = 64,
                         .margin = margin,
                         .loss = l.kind,
                         .delta = (float)l.delta};
        kernel_bend bend = {(float)centre, (float)most};
        for (int i = 0; i < 64; i++)
            margin[i] = (float)((uniform() - .5) * pow(10, 3 * uniform() - 1));
        margin[0] = NAN;
        margin[1] = INFINITY;
        margin[2] = -INFINITY;
        int secant = trial / 5 % 2;
        for (int s = 0; s < SETS; s++) {
            const kernel *k = kernel_get(sets[s]) ? kernel_get(sets[s])
                                                  : kernel_get(KERNEL_SCALAR);
            k->bends(&r, secant, &bend, out[s]);
            assert_memory_equal(out[s], out[0], sizeof out[0]);
        }
        for (int i = 0; i < 3; i++)
            assert_true(out[0][i] >= 0 && out[0][i] <= 1);
        for (int i = 3; i < 64; i++) {
            double m = (double)margin[i], slope, curvature, at_0, of_0;
            loss_at(&l, m, y, &slope, &curvature);
            loss_at(&l, centre, y, &at_0, &of_0);
            if (secant && fabs(m - centre) > 0x1p-6)
                curvature = (slope - at_0) / (m - centre);
            assert_true(fabs((double)out[0][i] - curvature / most) < 1e-4);
        }
    }
}

/* ---- more than two classes ---- */

static void test_classes(void **unused)
{
    (void)unused;
    enum { CLASSES = 7 };
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        row_set *r = draw_rows(1 + below(MOST_WIDTH));
        float at[MOST_WIDTH * CLASSES], seen[64 * CLASSES], t[64 * CLASSES];
        int64_t n = trial % 2 ? 64 : 16, classes = 3 + below(CLASSES - 2);
        int64_t expected[MOST_WIDTH * CLASSES] = {0};
        for (int64_t k = 0; k < r->width * classes; k++)
            at[k] = drawn(3);
        for (int64_t k = 0; k < n * classes; k++)
            t[k] = (float)((uniform() - .5) * 1e5);
        for (int64_t c = 0; c < classes; c++)
            for (int64_t j = 0; j < r->width; j++)
                for (int64_t i = 0; i < n; i++)
                    expected[j * classes + c] +=
                        (int32_t)(t[c * n + i] * z_of(r, r->from + i, j));
        for (int s = 0; s < SETS; s++) {
            int64_t out[MOST_WIDTH * CLASSES] = {0};
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->kept_class_margins(&r->kept, r->from, n, at,
                                                    classes, seen);
            for (int64_t c = 0; c < classes; c++)
                for (int64_t i = 0; i < n; i++) {
                    float sum = 0;
                    for (int64_t j = 0; j < r->width; j++)
                        sum =
                            sum + at[j * classes + c] * z_of(r, r->from + i, j);
                    assert_true(seen[c * n + i] == sum);
                }
            kernel_get(sets[s])->kept_class_cut(&r->kept, r->from, n, t,
                                                classes, out);
            assert_memory_equal(out, expected, sizeof out);
        }
        free(r);
    }
}

/* A margin: ordinary, far away, or no number. */
static float some_margin(void)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN,    3e38f, -3e38f,
                                0,        -0.f,      1e-42f, 700,   -700.5f};
    return below(8) ? drawn(20) : odd[below(10)];
}

/* Softmax, row by row, bit by bit. */
static void test_chances(void **unused)
{
    (void)unused;
    enum { CLASSES = 7 };
    for (int trial = 0; trial < TRIALS; trial++) {
        float margin[64 * CLASSES];
        double out[64 * CLASSES], one[CLASSES], right[CLASSES];
        int64_t n = trial % 2 ? 64 : 16, classes = 3 + below(CLASSES - 2);
        for (int64_t k = 0; k < n * classes; k++)
            margin[k] = some_margin();
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->class_chances(margin, n, classes, out);
            for (int64_t i = 0; i < n; i++) {
                for (int64_t c = 0; c < classes; c++)
                    one[c] = (double)margin[c * n + i];
                loss_portable_softmax(one, classes, right);
                for (int64_t c = 0; c < classes; c++)
                    assert_true(isnan(right[c]) ? isnan(out[c * n + i])
                                                : out[c * n + i] == right[c]);
            }
        }
    }
}

/* The logistic loss, bit by bit. */
static void test_logistic(void **unused)
{
    (void)unused;
    static const float odd[] = {NAN,       INFINITY,   -INFINITY,  0,
                                -0.f,      60,         -60,        FLT_MAX,
                                0x1p-149f, -.6931472f, 1.3862944f, 59.99999f};
    for (int trial = 0; trial < TRIALS; trial++) {
        float margin[64];
        double out[64];
        int64_t n = trial % 2 ? 64 : 16;
        for (int64_t i = 0; i < n; i++)
            margin[i] = uniform() < .2 ? odd[below(12)] : some_margin();
        for (int s = 0; s < SETS; s++) {
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->logistic(margin, n, out);
            for (int64_t i = 0; i < n; i++) {
                double right = loss_portable_logistic((double)margin[i]);
                assert_memory_equal(&out[i], &right, sizeof right);
            }
        }
    }
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
        cmocka_unit_test(test_total),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_gradient_large),
        cmocka_unit_test(test_gradient_bound),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_widest),
        cmocka_unit_test(test_bends),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_chances),
        cmocka_unit_test(test_logistic),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
