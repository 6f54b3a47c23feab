/*
 * The samplers' laws: chi-square and tails against exact probabilities, and
 * against MPFR's own exact samplers. Every comparison fails by chance with
 * probability 1e-6 for uniform bits (chi-square: to the accuracy of its
 * limit law; counts: at most, by Bernstein), and there are about 120 of
 * them. The seeds are fixed, so that it either passes or does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law.h"
#include "noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 1000000, CELLS = 64 };
static int64_t draws[DRAWS];

static void must(sotto_status status)
{
    assert_int_equal(status, SOTTO_OK);
}

static noise_stream *seeded(uint64_t seed)
{
    noise_stream *s;
    assert_int_equal(noise_open_insecure(&s, seed, NOISE_RELEASE, 0, NULL),
                     SOTTO_OK);
    return s;
}

/* ---- judges ---- */

/* The law of a rounded continuous one, by its distribution function, over
   cells of equal width around 0; the last ones take the tails. */
static void assert_rounded(const char *name, double (*below)(double, double),
                           double scale, int64_t width)
{
    double seen[CELLS] = {0}, probability[CELLS];
    for (int i = 0; i < DRAWS; i++) {
        int64_t cell = (draws[i] + width * CELLS / 2) / width;
        if (draws[i] < -width * CELLS / 2)
            cell = 0;
        seen[cell < CELLS ? cell : CELLS - 1]++;
    }
    for (int i = 0; i < CELLS; i++) {
        double from = (double)(width * (i - CELLS / 2)) - .5;
        double to = from + (double)width;
        double low = i ? below(from, scale) : 0;
        double high = i < CELLS - 1 ? below(to, scale) : 1;
        /* on the right by the other tail, which keeps its digits */
        if (i > CELLS / 2) {
            high = i < CELLS - 1 ? below(-to, scale) : 0;
            low = below(-from, scale);
            probability[i] = low - high;
        } else {
            probability[i] = high - low;
        }
    }
    assert_law(name, seen, probability, CELLS, DRAWS);
}

static double laplace_below(double x, double scale)
{
    return x < 0 ? .5 * exp(x / scale) : 1 - .5 * exp(-x / scale);
}

static double gaussian_below(double x, double sigma)
{
    return .5 * erfc(-x / sigma * M_SQRT1_2);
}

/* ---- values ---- */

static void assert_tails(const char *name, double (*below)(double, double),
                         double scale)
{
    for (int t = 1; t <= 12; t += t < 4 ? 1 : 4) {
        double edge = floor(t * scale) + .5, high = 0, low = 0;
        for (int i = 0; i < DRAWS; i++) {
            high += (double)draws[i] > edge;
            low += (double)draws[i] < -edge;
        }
        assert_count(name, high, below(-edge, scale), DRAWS);
        assert_count(name, low, below(-edge, scale), DRAWS);
    }
}

/* Parity and the remainder by 16: this finds a grid that doubles would
   leave. */
static void assert_flat(const char *name)
{
    double seen[16] = {0}, probability[16];
    for (int i = 0; i < DRAWS; i++)
        seen[(uint64_t)draws[i] & 15]++;
    for (int i = 0; i < 16; i++)
        probability[i] = 1. / 16;
    assert_law(name, seen, probability, 16, DRAWS);
}

static void test_laplace(void **state)
{
    (void)state;
    const double scales[] = {.4, 3.3, 1e6, 0x1p40};
    const int64_t widths[] = {1, 1, 200000, (int64_t)3 << 36};
    noise_stream *s = seeded(1);
    for (int i = 0; i < 4; i++) {
        must(noise_laplace(s, scales[i], draws, DRAWS, NULL));
        if (i)
            assert_rounded("Laplace", laplace_below, scales[i], widths[i]);
        assert_tails("Laplace tail", laplace_below, scales[i]);
        if (i >= 2)
            assert_flat("Laplace mod 16");
    }
    noise_close(s);
}

static void test_gaussian(void **state)
{
    (void)state;
    const double sigmas[] = {.4, 8, 1e6, 0x1p40};
    const int64_t widths[] = {1, 1, 120000, (int64_t)1 << 37};
    noise_stream *s = seeded(2);
    for (int i = 0; i < 4; i++) {
        must(noise_gaussian(s, sigmas[i], draws, DRAWS, NULL));
        if (i)
            assert_rounded("Gaussian", gaussian_below, sigmas[i], widths[i]);
        assert_tails("Gaussian tail", gaussian_below, sigmas[i]);
        if (i >= 2)
            assert_flat("Gaussian mod 16");
    }
    noise_close(s);
}

/* The two of a pair are independent: their 16 quantile cells as a table. */
static void test_pairs(void **state)
{
    (void)state;
    noise_stream *s = seeded(3);
    must(noise_gaussian(s, 1e6, draws, DRAWS, NULL));
    noise_close(s);
    double seen[64] = {0}, probability[64], edge[9];
    const double quantile[] = {
        -1.150349380376008,  -0.6744897501960817, -0.31863936396437514, 0,
        0.31863936396437514, 0.6744897501960817,  1.150349380376008};
    for (int i = 0; i < 7; i++)
        edge[i] = quantile[i] * 1e6;
    for (int i = 0; i + 1 < DRAWS; i += 2) {
        int a = 0, b = 0;
        for (int j = 0; j < 7; j++) {
            a += (double)draws[i] > edge[j];
            b += (double)draws[i + 1] > edge[j];
        }
        seen[8 * a + b]++;
    }
    for (int i = 0; i < 64; i++)
        probability[i] = 1. / 64;
    assert_law("pairs", seen, probability, 64, DRAWS / 2);
}

/* ---- MPFR's exact samplers, another method altogether ---- */

static int cell_of(int64_t value)
{
    int64_t cell = value + 16; /* cells of one integer, tails together */
    return cell < 0 ? 0 : cell > 32 ? 32 : (int)cell;
}

static void test_against_mpfr(void **state)
{
    (void)state;
    enum { THEIRS = 200000 };
    double ours[2][33] = {{0}}, theirs[2][33] = {{0}};
    const double scale[2] = {5.5, 3.25};
    noise_stream *s = seeded(4);
    gmp_randstate_t random;
    gmp_randinit_mt(random);
    gmp_randseed_ui(random, 4);
    mpfr_t x;
    mpfr_init2(x, 200);
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 0)
            must(noise_gaussian(s, scale[0], draws, DRAWS, NULL));
        else
            must(noise_laplace(s, scale[1], draws, DRAWS, NULL));
        for (int i = 0; i < DRAWS; i++)
            ours[kind][cell_of(draws[i])]++;
        for (int i = 0; i < THEIRS; i++) {
            if (kind == 0)
                mpfr_nrandom(x, random, MPFR_RNDN);
            else
                mpfr_erandom(x, random, MPFR_RNDN);
            if (kind && gmp_urandomb_ui(random, 1))
                mpfr_neg(x, x, MPFR_RNDN);
            mpfr_mul_d(x, x, scale[kind], MPFR_RNDN);
            mpfr_add_d(x, x, .5, MPFR_RNDN);
            mpfr_floor(x, x);
            theirs[kind][cell_of(mpfr_get_sj(x, MPFR_RNDN))]++;
        }
    }
    assert_same_law("mpfr_nrandom", ours[0], theirs[0], 33);
    assert_same_law("mpfr_erandom", ours[1], theirs[1], 33);
    mpfr_clear(x);
    gmp_randclear(random);
    noise_close(s);
}

/* ---- selections ---- */

enum { SELECTIONS = 300000 };
typedef sotto_status select_call(noise_stream *, const int64_t *, size_t,
                                 double, size_t *, sotto_error *);

static void count_winners(select_call *call, uint64_t seed,
                          const int64_t *scores, int count, double rate,
                          double *seen)
{
    noise_stream *s = seeded(seed);
    for (int i = 0; i < SELECTIONS; i++) {
        size_t winner = 0;
        assert_int_equal(call(s, scores, (size_t)count, rate, &winner, NULL),
                         SOTTO_OK);
        seen[winner]++;
    }
    noise_close(s);
}

static void test_softmax(void **state)
{
    (void)state;
    static const int64_t cases[4][6] = {{0, 0, 0, 0, 0, 0},
                                        {0, 1, 2, 3, 4, 5},
                                        {100, 100, 99, 96, 95, 92},
                                        {-7, -7, -9, -8, -7, -12}};
    for (int i = 0; i < 4; i++) {
        double seen[6] = {0}, probability[6];
        softmax(cases[i], 6, .7, probability);
        count_winners(noise_select_gumbel, 10 + (uint64_t)i, cases[i], 6, .7,
                      seen);
        assert_law("Gumbel", seen, probability, 6, SELECTIONS);
    }
    const int64_t two[] = {INT64_MAX, INT64_MAX - ((int64_t)1 << 60)};
    double seen[2] = {0}, probability[2] = {1 / (1 + exp(-1)), 0};
    probability[1] = 1 - probability[0];
    count_winners(noise_select_gumbel, 20, two, 2, 0x1p-60, seen);
    assert_law("Gumbel, large scores", seen, probability, 2, SELECTIONS);
}

/* A rare winner among many: the skip rule must not lose it. 1000 scores, one
   of which is ahead; each other wins with probability 1 / (999 + e^5). */
static void test_many_scores(void **state)
{
    (void)state;
    enum { COUNT = 1000, ROUNDS = 40000 };
    int64_t scores[COUNT] = {0};
    double ahead = 0, late = 0;
    scores[500] = 5;
    noise_stream *s = seeded(30);
    for (int i = 0; i < ROUNDS; i++) {
        size_t winner = 0;
        must(noise_select_gumbel(s, scores, COUNT, 1, &winner, NULL));
        ahead += winner == 500;
        late += winner > 500;
    }
    noise_close(s);
    double sum = 999 + exp(5);
    assert_count("ahead", ahead, exp(5) / sum, ROUNDS);
    assert_count("after it", late, 499 / sum, ROUNDS);
}

/* Permute-and-flip: in a random order, item i is taken with probability
   exp((score - best) rate); all orders, exactly. */
static void permute_and_flip(const double *flip, int *order, int count, int at,
                             double *probability)
{
    if (at < count) {
        for (int i = at; i < count; i++) {
            int c = order[at];
            order[at] = order[i];
            order[i] = c;
            permute_and_flip(flip, order, count, at + 1, probability);
            order[i] = order[at];
            order[at] = c;
        }
        return;
    }
    double left = 1;
    for (int i = 0; i < count; i++) {
        probability[order[i]] += left * flip[order[i]];
        left *= 1 - flip[order[i]];
    }
}

static void test_permute_and_flip(void **state)
{
    (void)state;
    static const int64_t cases[3][5] = {
        {0, 0, 0, 0, 0}, {4, 3, 2, 1, 0}, {9, 9, 8, 6, 9}};
    for (int i = 0; i < 3; i++) {
        double seen[5] = {0}, probability[5] = {0}, flip[5];
        int order[5];
        for (int j = 0; j < 5; j++) {
            int64_t best = i == 2 ? 9 : i == 1 ? 4 : 0;
            flip[j] = exp((double)(cases[i][j] - best) * .6);
            order[j] = j;
        }
        permute_and_flip(flip, order, 5, 0, probability);
        for (int j = 0; j < 5; j++)
            probability[j] /= 120;
        count_winners(noise_select_exponential, 40 + (uint64_t)i, cases[i], 5,
                      .6, seen);
        assert_law("permute-and-flip", seen, probability, 5, SELECTIONS);
    }
}

/* ---- coins, streams ---- */

/* Picks: their number, that every place is equally likely (the first and the
   last of a run of 21), and that neighbours are independent. */
static void test_picks(void **state)
{
    (void)state;
    enum { PLACES = 21, TIMES = 40000 };
    const double q[] = {.5, .9, .3, 1. / 256, .01, .001, .05};
    for (int i = 0; i < 7; i++) {
        noise_stream *s = seeded(70 + (uint64_t)i);
        double at[PLACES] = {0}, both = 0;
        uint32_t out[PLACES];
        size_t picked;
        for (int t = 0; t < TIMES; t++) {
            int shows[PLACES] = {0};
            must(noise_picks(s, q[i], PLACES, out, &picked, NULL));
            for (size_t k = 0; k < picked; k++) {
                assert_true(out[k] < PLACES && (!k || out[k] > out[k - 1]));
                shows[out[k]] = 1;
            }
            for (int j = 0; j < PLACES; j++)
                at[j] += shows[j];
            for (int j = 1; j < PLACES; j += 2)
                both += shows[j] & shows[j - 1];
        }
        for (int j = 0; j < PLACES; j++)
            assert_count("picks", at[j], q[i], TIMES);
        assert_count("pairs of picks", both, q[i] * q[i], 10 * TIMES);
        noise_close(s);
    }
}

/* Noise of two purposes of one seed is not correlated: signs as a table. */
static void test_purposes_are_independent(void **state)
{
    (void)state;
    static int64_t other[DRAWS];
    noise_stream *a = seeded(60), *b;
    must(noise_open_insecure(&b, 60, NOISE_SELECTION, 0, NULL));
    must(noise_gaussian(a, 1e6, draws, DRAWS, NULL));
    must(noise_gaussian(b, 1e6, other, DRAWS, NULL));
    double seen[4] = {0}, probability[4] = {.25, .25, .25, .25};
    for (int i = 0; i < DRAWS; i++)
        seen[2 * (draws[i] > 0) + (other[i] > 0)]++;
    assert_law("purposes", seen, probability, 4, DRAWS);
    noise_close(a);
    noise_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laplace),
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_against_mpfr),
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_many_scores),
        cmocka_unit_test(test_permute_and_flip),
        cmocka_unit_test(test_picks),
        cmocka_unit_test(test_purposes_are_independent),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
