/*
 * The samplers, decision by decision: the test chooses the random words, and
 * MPFR says what must come out. Where a sampler used the first words only, the
 * answer must be the same for any further bits (this finds error bounds that
 * are too small). Where it used further words, these must extend the *same*
 * number (this finds redraws). The comment above a test says which faults it
 * catches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mpfr_t u, v, y, z, angle;

/* ---- Laplace ---- */

/* What a fraction U (in u, changed) makes of it. */
static int64_t laplace_of(double scale, int negative)
{
    minus_ln(u);
    mpfr_mul_d(y, u, scale, MPFR_RNDN);
    int64_t n = nearest(y);
    return negative ? -n : n;
}

static int64_t laplace_fixed256(const uint64_t words[3], double scale)
{
    fraction(v, words + 1, 2, 0);
    mpfr_mul_2si(v, v, -63, MPFR_RNDN);
    uint64_t first = words[0] & ~(uint64_t)1;
    fraction(u, &first, 1, 0);
    mpfr_add(u, u, v, MPFR_RNDN);
    if (mpfr_zero_p(u))
        mpfr_set_ui_2exp(u, 1, -192, MPFR_RNDN);
    return laplace_of(scale, words[0] & 1);
}

/* 1 if the further words were needed. */
static int check_laplace(const uint64_t words[3], double scale)
{
    noise_stream *s = scripted(words, 3);
    int64_t got = 0;
    assert_int_equal(noise_laplace(s, scale, &got, 1, NULL), SOTTO_OK);
    size_t used = noise_scripted_used(s, 3);
    noise_close(s);
    assert_true(used == 1 || used == 3);
    if (used == 3) {
        assert_int_equal(got, laplace_fixed256(words, scale));
        return 1;
    }
    uint64_t first = words[0] & ~(uint64_t)1;
    for (unsigned end = 0; end <= 2; end += 2) {
        fraction(u, &first, 1, end);
        assert_int_equal(got, laplace_of(scale, words[0] & 1));
    }
    return 0;
}

/* A scale that puts scale E right beside a half integer, for this word. */
static double near_half(uint64_t word, double top)
{
    uint64_t first = word & ~(uint64_t)1;
    fraction(u, &first, 1, 1);
    minus_ln(u);
    double e = mpfr_get_d(u, MPFR_RNDN);
    double half = floor((double)(oracle_random() >> 11) * 0x1p-53 * top) + .5;
    double scale = half / e;
    scale *= a_little_off();
    return scale > 0 && scale <= 0x1p40 ? scale : 1;
}

/* Catches: a bound that is too small, a redraw, a lost or doubled bit of the
   extension, rounding to the wrong side, a wrong sign. */
static void test_laplace_bits(void **state)
{
    (void)state;
    int refined[3] = {0, 0, 0};
    enum { ROUNDS = 6000 };
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t w[3];
        for (int j = 0; j < 3; j++)
            w[j] = i % 2 ? oracle_random() : oracle_extreme();
        refined[0] += check_laplace(w, 0x1p40);
        refined[1] += check_laplace(w, near_half(w[0], 1e6));
        refined[2] +=
            check_laplace(w, ldexp(1, (int)(oracle_random() % 80) - 40));
    }
    print_message("Laplace, extended of %d: %d at 2^40, %d beside a half, "
                  "%d elsewhere\n",
                  ROUNDS, refined[0], refined[1], refined[2]);
    assert_in_range(refined[0], ROUNDS / 20, ROUNDS);
    assert_in_range(refined[1], ROUNDS / 2, ROUNDS);
    assert_in_range(refined[2], 1, ROUNDS / 2);
}

/* The ends of the range, and that the further words count as they should:
   here one cell of the first word holds thousands of integers. */
static void test_laplace_ends(void **state)
{
    (void)state;
    const uint64_t script[][3] = {
        {0, 0, 0},           {1, 0, 0},
        {0, 0, 1},           {1, ALL, ALL},
        {0, 1, 0},           {2, 0, 0},
        {2, ALL, ALL},       {3, 0, 0},
        {ALL, 0, 0},         {ALL, ALL, ALL},
        {ALL - 1, ALL, ALL}, {4, 5, 6},
        {1024, 0, 0},        {1024, (uint64_t)1 << 63, 0},
        {1024, 1, 0}};
    const double scales[] = {0x1p40, 1e6, 1, 1e-3, 5e-324};
    for (size_t i = 0; i < sizeof script / sizeof script[0]; i++)
        for (int j = 0; j < 5; j++)
            check_laplace(script[i], scales[j]);
    assert_true(laplace_fixed256(script[12], 0x1p40) !=
                laplace_fixed256(script[13], 0x1p40));
}

/* ---- Gaussian ---- */

static void gaussian_of(double sigma, int64_t pair[2])
{
    minus_ln(u);
    mpfr_mul_2ui(u, u, 1, MPFR_RNDN);
    mpfr_sqrt(u, u, MPFR_RNDN);
    mpfr_mul_d(u, u, sigma, MPFR_RNDN);
    mpfr_mul(v, v, angle, MPFR_RNDN);
    mpfr_sin_cos(z, y, v, MPFR_RNDN);
    mpfr_mul(y, y, u, MPFR_RNDN);
    mpfr_mul(z, z, u, MPFR_RNDN);
    pair[0] = nearest(y);
    pair[1] = nearest(z);
}

static int check_gaussian(const uint64_t words[6], double sigma)
{
    int64_t got[2], want[2];
    noise_stream *s = scripted(words, 6);
    assert_int_equal(noise_gaussian(s, sigma, got, 2, NULL), SOTTO_OK);
    size_t used = noise_scripted_used(s, 6);
    noise_close(s);
    assert_true(used == 2 || used == 6);
    if (used == 6) {
        const uint64_t us[3] = {words[0], words[2], words[3]};
        const uint64_t vs[3] = {words[1], words[4], words[5]};
        fraction(u, us, 3, 0);
        if (mpfr_zero_p(u))
            mpfr_set_ui_2exp(u, 1, -192, MPFR_RNDN);
        fraction(v, vs, 3, 0);
        gaussian_of(sigma, want);
        assert_memory_equal(got, want, sizeof got);
        return 1;
    }
    for (unsigned corner = 0; corner < 4; corner++) {
        fraction(u, words, 1, corner & 1);
        fraction(v, words + 1, 1, corner >> 1);
        gaussian_of(sigma, want);
        assert_memory_equal(got, want, sizeof got);
    }
    return 0;
}

/* A sigma that puts the cosine's value right beside a half integer. */
static double gaussian_near_half(const uint64_t *words)
{
    fraction(u, words, 1, 1);
    minus_ln(u);
    mpfr_mul_2ui(u, u, 1, MPFR_RNDN);
    mpfr_sqrt(u, u, MPFR_RNDN);
    fraction(v, words + 1, 1, 0);
    mpfr_mul(v, v, angle, MPFR_RNDN);
    mpfr_cos(v, v, MPFR_RNDN);
    mpfr_mul(u, u, v, MPFR_RNDN);
    double at = fabs(mpfr_get_d(u, MPFR_RNDN));
    double half = (double)(oracle_random() >> (44 + oracle_random() % 20));
    double sigma = (half + .5) / at;
    sigma *= a_little_off();
    return sigma > 0 && sigma <= 0x1p40 ? sigma : 1;
}

/* Catches: as for Laplace, and words of U and V mixed up. */
static void test_gaussian_bits(void **state)
{
    (void)state;
    int refined[3] = {0, 0, 0};
    enum { ROUNDS = 4000 };
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t w[6];
        for (int j = 0; j < 6; j++)
            w[j] = i % 2 ? oracle_random() : oracle_extreme();
        refined[0] += check_gaussian(w, 0x1p40);
        refined[1] += check_gaussian(w, gaussian_near_half(w));
        refined[2] +=
            check_gaussian(w, ldexp(1, (int)(oracle_random() % 80) - 40));
    }
    print_message("Gaussian, extended of %d: %d at 2^40, %d beside a half, "
                  "%d elsewhere\n",
                  ROUNDS, refined[0], refined[1], refined[2]);
    assert_in_range(refined[0], ROUNDS / 20, ROUNDS);
    assert_in_range(refined[1], ROUNDS / 4, ROUNDS);
    assert_in_range(refined[2], 1, ROUNDS / 2);
}

static void test_gaussian_ends(void **state)
{
    (void)state;
    const uint64_t edge[] = {0,
                             1,
                             2,
                             ALL,
                             ALL - 1,
                             (uint64_t)1 << 63,
                             (uint64_t)1 << 62,
                             (uint64_t)1 << 61,
                             ((uint64_t)1 << 61) - 1};
    const uint64_t more[] = {0, ALL, 0x123456789abcdef0};
    const double sigmas[] = {0x1p40, 1e6, 1, 1e-3, 5e-324};
    for (int i = 0; i < 9 * 9 * 9; i++) {
        uint64_t a = more[i % 3], b = more[i / 3 % 3];
        uint64_t w[6] = {edge[i / 9 % 9], edge[i / 81], a, b, b, a};
        for (int j = 0; j < 5; j++)
            check_gaussian(w, sigmas[j]);
    }
}

/* ---- arguments, and the same bits anywhere ---- */

static void test_refusals(void **state)
{
    (void)state;
    noise_stream *s = scripted(NULL, 0); /* so nothing may be drawn */
    sotto_error error;
    int64_t value, score = 0;
    size_t winner, picked;
    uint32_t place;
    const double scales[] = {0,        -1,        NAN,
                             INFINITY, -INFINITY, nextafter(0x1p40, INFINITY)};
    const double rates[] = {0,
                            -1,
                            NAN,
                            INFINITY,
                            -INFINITY,
                            nextafter(0x1p40, INFINITY),
                            nextafter(0x1p-64, 0)};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(noise_gaussian(s, scales[i], &value, 1, &error),
                         SOTTO_USAGE);
        assert_int_equal(noise_laplace(s, scales[i], &value, 1, &error),
                         SOTTO_USAGE);
    }
    for (int i = 0; i < 7; i++) {
        double r = rates[i];
        assert_int_equal(noise_select_gumbel(s, &score, 1, r, &winner, &error),
                         SOTTO_USAGE);
        assert_int_equal(
            noise_select_exponential(s, &score, 1, r, &winner, &error),
            SOTTO_USAGE);
        assert_int_equal(noise_picks(s, r, 1, &place, &picked, &error),
                         SOTTO_USAGE);
    }
    assert_int_equal(noise_select_gumbel(s, &score, 0, 1, &winner, &error),
                     SOTTO_USAGE);
    assert_int_equal(noise_select_exponential(s, &score, ((size_t)1 << 32) + 1,
                                              1, &winner, &error),
                     SOTTO_USAGE);
    assert_int_equal(noise_gaussian(s, 1, NULL, 0, &error), SOTTO_OK);
    assert_int_equal(noise_laplace(s, 1, NULL, 0, &error), SOTTO_OK);
    noise_close(s);
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x100000001b3;
}

/* One number for all that a seed gives: the same on any machine, with any
   compiler. It changes when a sampler does, and then on purpose only. */
static void test_same_bits_anywhere(void **state)
{
    (void)state;
    enum { N = 4001 };
    static int64_t values[N];
    static uint32_t places[N];
    uint64_t hash = 0xcbf29ce484222325;
    noise_stream *s;
    assert_int_equal(noise_open_insecure(&s, 1, NOISE_TUNING, 2, NULL),
                     SOTTO_OK);
    const double scales[] = {.7, 1000, 0x1p40};
    for (int i = 0; i < 3; i++) {
        must(noise_gaussian(s, scales[i], values, N, NULL));
        for (int j = 0; j < N; j++)
            hash = mixed(hash, (uint64_t)values[j]);
        must(noise_laplace(s, scales[i], values, N, NULL));
        for (int j = 0; j < N; j++)
            hash = mixed(hash, (uint64_t)values[j]);
    }
    for (int i = 0; i < 200; i++) {
        size_t winner = 0;
        must(noise_select_gumbel(s, values, N, 0x1p-38, &winner, NULL));
        hash = mixed(hash, winner);
        must(noise_select_exponential(s, values, N, 0x1p-38, &winner, NULL));
        hash = mixed(hash, winner);
    }
    const double rates[] = {.3, .01};
    for (int i = 0; i < 2; i++) {
        size_t picked = 0;
        must(noise_picks(s, rates[i], N, places, &picked, NULL));
        for (size_t j = 0; j < picked; j++)
            hash = mixed(hash, places[j]);
    }
    noise_close(s);
    assert_int_equal(hash, 0x1f909d394a12c67a);
}

int main(void)
{
    mpfr_inits2(ORACLE_BITS, u, v, y, z, angle, (mpfr_ptr)0);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_2ui(angle, angle, 1, MPFR_RNDN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laplace_bits),
        cmocka_unit_test(test_laplace_ends),
        cmocka_unit_test(test_gaussian_bits),
        cmocka_unit_test(test_gaussian_ends),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_same_bits_anywhere),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clears(u, v, y, z, angle, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
