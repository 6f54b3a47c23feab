/*
 * Loops over the values of a column, for each instruction set, against plain C
 * that takes one value after the other: so that what a value adds depends on
 * no other one, nor on its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static const kernel_isa sets[] = {KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512};
enum { SETS = 3, MOST = 5000, TRIALS = 300 };

static uint64_t state = 99;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static int64_t below(int64_t n)
{
    return (int64_t)(uniform() * (double)n);
}

/* Of any bits, but for those of a NaN. */
static float any_float(void)
{
    uint32_t bits = (uint32_t)(uniform() * 0x1p32);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x == x ? x : 0;
}

static float some_float(void)
{
    double kind = uniform();
    return kind < .1   ? 0
           : kind < .2 ? any_float()
           : kind < .3 ? ldexpf(uniform() < .5 ? -1 : 1, (int)below(280) - 150)
                       : (float)(4 * (uniform() - .5));
}

typedef struct column {
    float x[MOST], sign[MOST];
    double share[MOST], size[MOST];
    int32_t weight[MOST];
    kernel_values v;
    int signs;
} column;

/* Bounds that are told lie between 2^-100 and 2^100. */
static double some_power(void)
{
    int most = uniform() < .5 ? 4 : 100;
    return ldexp(1, (int)below(2 * most + 1) - most);
}

static void fill(column *c, int64_t count)
{
    double centre = uniform() < .5 ? 0 : 2 * (uniform() - .5);
    int odd = uniform() < .5;
    c->v = (kernel_values){c->x, uniform() < .5 ? c->sign : NULL, count, centre,
                           odd ? .1 + uniform() : some_power()};
    for (int64_t i = 0; i < count; i++) {
        c->x[i] = some_float();
        c->sign[i] = uniform() < .5 ? -1 : 1;
        c->share[i] = uniform() < .2 ? 0 : uniform();
        c->size[i] = uniform();
        c->weight[i] = (int32_t)below(KERNEL_CLIP + 1);
    }
}

static double measured(const column *c, int64_t i)
{
    float x = c->v.sign && c->sign[i] < 0 ? -c->x[i] : c->x[i];
    return ((double)x - c->v.centre) / c->v.bound;
}

/* How long: often short, and often no multiple of a vector. */
static int64_t some_count(void)
{
    return uniform() < .5 ? below(70) : below(MOST + 1);
}

static void test_sizes(void **unused)
{
    (void)unused;
    static column c;
    static double expected[MOST], seen[MOST + 1];
    for (int trial = 0; trial < TRIALS; trial++) {
        int squares = trial % 2;
        int64_t count = some_count();
        fill(&c, count);
        for (int64_t i = 0; i < count; i++) {
            double u = fabs(measured(&c, i));
            expected[i] = squares ? c.size[i] + u * u : fmax(c.size[i], u);
        }
        for (int s = 0; s < SETS; s++) {
            memcpy(seen, c.size, sizeof c.size);
            seen[count] = 7;
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->sizes(&c.v, squares, seen);
            assert_memory_equal(seen, expected, (size_t)count * sizeof *seen);
            assert_true(seen[count] == 7);
        }
    }
}

static int64_t mean_of(const column *c, int squares, int shared)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < c->v.count; i++) {
        double u = fmax(-1, fmin(1, measured(c, i)));
        u = squares ? u * u : u;
        u = shared ? u * c->share[i] : u;
        sum += kernel_integer((float)(u * KERNEL_CLIP));
    }
    return sum;
}

static void test_mean(void **unused)
{
    (void)unused;
    static column c;
    for (int trial = 0; trial < TRIALS; trial++) {
        int squares = trial % 2, shared = trial / 2 % 2;
        fill(&c, some_count());
        int64_t expected = mean_of(&c, squares, shared);
        for (int s = 0; s < SETS; s++)
            if (kernel_get(sets[s]))
                assert_true(kernel_get(sets[s])->mean(
                                &c.v, squares, shared ? c.share : NULL) ==
                            expected);
    }
}

/* As many of the largest parts as there can be: no sum may overflow. */
static void test_mean_is_exact(void **unused)
{
    (void)unused;
    static column c;
    fill(&c, MOST);
    c.v = (kernel_values){c.x, NULL, MOST, 0, 1};
    for (int64_t i = 0; i < MOST; i++)
        c.x[i] = 2;
    for (int s = 0; s < SETS; s++)
        if (kernel_get(sets[s]))
            assert_true(kernel_get(sets[s])->mean(&c.v, 0, NULL) ==
                        (int64_t)MOST * KERNEL_CLIP);
}

static void test_octaves(void **unused)
{
    (void)unused;
    static column c;
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t count = some_count(), expected[KERNEL_OCTAVES] = {3};
        int64_t seen[KERNEL_OCTAVES];
        int weighted = trial % 2;
        uint32_t from = trial % 3 ? (uint32_t)below(1 << 23) : 0;
        fill(&c, count);
        for (int64_t i = 0; i < count; i++) {
            float whole = fabsf(c.x[i]);
            uint32_t bits;
            memcpy(&bits, &whole, sizeof bits);
            int64_t k = (int64_t)bits - from;
            expected[k < 0 ? KERNEL_OCTAVES - 1 : k >> 23] +=
                weighted ? c.weight[i] : KERNEL_CLIP;
        }
        for (int s = 0; s < SETS; s++) {
            memset(seen, 0, sizeof seen);
            seen[0] = 3;
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->octaves(c.x, weighted ? c.weight : NULL, count,
                                         from, seen);
            assert_memory_equal(seen, expected, sizeof seen);
        }
    }
}

static void test_clamp(void **unused)
{
    (void)unused;
    static column c;
    static float expected[MOST], seen[MOST + 1];
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t count = some_count();
        float bound = trial % 3 ? (float)uniform() : INFINITY;
        fill(&c, count);
        for (int64_t i = 0; i < count; i++) {
            c.x[i] = uniform() < .01 ? NAN : c.x[i];
            float x = c.x[i] == c.x[i] ? c.x[i] : 0;
            expected[i] = x > bound ? bound : x < -bound ? -bound : x;
        }
        for (int s = 0; s < SETS; s++) {
            memcpy(seen, c.x, (size_t)count * sizeof *seen);
            seen[count] = 7;
            if (!kernel_get(sets[s]))
                continue;
            kernel_get(sets[s])->clamp(seen, count, bound);
            assert_memory_equal(seen, expected, (size_t)count * sizeof *seen);
            assert_true(seen[count] == 7);
        }
    }
}

/* A caller that rounds otherwise changes nothing. */
static void test_modes(void **unused)
{
    (void)unused;
    static const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static column c;
    for (int trial = 0; trial < 30; trial++) {
        const kernel *k = kernel_get(KERNEL_AUTO);
        fill(&c, some_count());
        int64_t expected = k->mean(&c.v, 0, c.share);
        fesetround(rounding[trial % 3]);
        kernel_mode before = kernel_enter();
        int64_t seen = k->mean(&c.v, 0, c.share);
        kernel_leave(before);
        fesetround(FE_TONEAREST);
        assert_true(seen == expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_mean),
        cmocka_unit_test(test_clamp),   cmocka_unit_test(test_mean_is_exact),
        cmocka_unit_test(test_octaves), cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
