/*
 * Selections and coins, decision by decision: the test chooses the random
 * words, and MPFR says what must come out (test_noise.c does it for values).
 * The comment above a test says which faults it catches.
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

static mpfr_t u, v, y;

/* ---- selections ---- */

typedef sotto_status select_call(noise_stream *, const int64_t *, size_t,
                                 double, size_t *, sotto_error *);

/* The noise of a word and its extension, into x. */
static void noise_of(mpfr_t x, int gumbel, const uint64_t words[3])
{
    fraction(x, words, 3, 0);
    if (gumbel)
        mpfr_ui_sub(x, 1, x, MPFR_RNDN);
    if (mpfr_zero_p(x))
        mpfr_set_ui_2exp(x, 1, -192, MPFR_RNDN);
    minus_ln(x);
    if (gumbel && mpfr_zero_p(x))
        mpfr_set_ui_2exp(x, 1, -192, MPFR_RNDN);
    if (gumbel)
        minus_ln(x);
}

/* The largest key when every word goes on with the same two. */
static size_t select_oracle(int gumbel, const int64_t *scores,
                            const uint64_t *words, size_t count, double rate,
                            uint64_t second, uint64_t third)
{
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t all[3] = {words[i], second, third};
        noise_of(u, gumbel, all);
        mpfr_set_sj(v, scores[i], MPFR_RNDN);
        mpfr_mul_d(v, v, rate, MPFR_RNDN);
        mpfr_add(v, v, u, MPFR_RNDN);
        if (i == 0 || mpfr_cmp(v, y) > 0) {
            mpfr_set(y, v, MPFR_RNDN);
            best = i;
        }
    }
    return best;
}

enum { MOST = 6 };

/* Words that tie, almost tie, or are at the ends; scores that make up for
   the difference of the noises, to within a step of the rate. */
static void make_contest(int gumbel, size_t count, double rate, uint64_t *words,
                         int64_t *scores)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t kind = oracle_random() % 8;
        words[i] = kind < 3 ? oracle_random() : oracle_extreme();
        if (i && kind > 5)
            words[i] = words[oracle_random() % i] + oracle_random() % 3 - 1;
        const uint64_t all[3] = {words[i], 0, 0};
        noise_of(u, gumbel, all);
        mpfr_neg(u, u, MPFR_RNDN);
        mpfr_div_d(u, u, rate, MPFR_RNDN);
        scores[i] = mpfr_get_sj(u, MPFR_RNDN);
        if (kind % 2)
            scores[i] += (int64_t)(oracle_random() % 5) - 2;
        if (kind == 4)
            scores[i] = (int64_t)(oracle_random() % 64);
    }
}

static int check_contest(int gumbel, size_t count, double rate,
                         const int64_t *scores, uint64_t *words,
                         uint64_t second, uint64_t third)
{
    select_call *call = gumbel ? noise_select_gumbel : noise_select_exponential;
    for (size_t i = 0; i < count; i++) {
        words[count + 2 * i] = second;
        words[count + 2 * i + 1] = third;
    }
    noise_stream *s = scripted(words, 3 * count);
    size_t winner = count;
    assert_int_equal(call(s, scores, count, rate, &winner, NULL), SOTTO_OK);
    size_t used = noise_scripted_used(s, 3 * count);
    noise_close(s);
    assert_int_equal(winner, select_oracle(gumbel, scores, words, count, rate,
                                           second, third));
    return used > count;
}

/* Catches: bounds too small, two-best certificates, redraws, a key that is
   wrong at r = 0 or r = 2^64 - 1, a skip that loses the winner. */
static void test_contests(void **state)
{
    (void)state;
    int refined[2] = {0, 0};
    for (int i = 0; i < 12000; i++) {
        uint64_t words[3 * MOST];
        int64_t scores[MOST];
        size_t count = 2 + oracle_random() % (MOST - 1);
        double rate = ldexp(1 + (double)(oracle_random() >> 12) * 0x1p-52,
                            -(int)(oracle_random() % 56));
        int gumbel = i & 1;
        make_contest(gumbel, count, rate, words, scores);
        uint64_t second = oracle_extreme(), third = oracle_random();
        refined[gumbel] +=
            check_contest(gumbel, count, rate, scores, words, second, third);
        check_contest(gumbel, count, rate, scores, words, 0, 0);
        check_contest(gumbel, count, rate, scores, words, ALL, ALL);
    }
    print_message("selections, extended of 6000: Gumbel %d, exponential %d\n",
                  refined[1], refined[0]);
    assert_in_range(refined[0], 500, 5500);
    assert_in_range(refined[1], 500, 5500);
}

static size_t select_scripted(select_call *call, const uint64_t *words,
                              size_t given, const int64_t *scores, size_t count,
                              double rate, size_t want_used)
{
    noise_stream *s = scripted(words, given);
    size_t winner = count;
    assert_int_equal(call(s, scores, count, rate, &winner, NULL), SOTTO_OK);
    assert_int_equal(noise_scripted_used(s, given), want_used);
    noise_close(s);
    return winner;
}

/* 0.w ones < 0.(w+1) zeros: the smaller V wins with Gumbel noise, the
   smaller U with exponential noise, whatever follows. A redraw would take
   the zeros for a new, winning word. */
static void test_a_near_tie_is_not_redrawn(void **state)
{
    (void)state;
    const uint64_t w = (uint64_t)5 << 60;
    const uint64_t words[] = {w, w + 1, ALL, ALL, 0, 0};
    const int64_t scores[] = {7, 7};
    assert_int_equal(
        select_scripted(noise_select_gumbel, words, 6, scores, 2, 1, 6), 0);
    assert_int_equal(
        select_scripted(noise_select_exponential, words, 6, scores, 2, 1, 6),
        0);
}

/* Equal words: each contender's own further bits decide. */
static void test_ties(void **state)
{
    (void)state;
    const uint64_t w = (uint64_t)5 << 60;
    const int64_t scores[] = {-3, -3, -3};
    for (size_t first = 0; first < 3; first++) {
        uint64_t words[9] = {w, w, w};
        for (size_t i = 0; i < 3; i++) {
            words[3 + 2 * i] = ALL; /* equal for two words: the third counts */
            words[4 + 2 * i] = i == first ? 1 : 2000;
        }
        assert_int_equal(
            select_scripted(noise_select_gumbel, words, 9, scores, 3, .5, 9),
            first);
        assert_int_equal(select_scripted(noise_select_exponential, words, 9,
                                         scores, 3, .5, 9),
                         first);
    }
}

/* More contenders than there is room for: none is forgotten, none extended
   twice. */
static void test_many_contenders(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    uint64_t words[3 * COUNT];
    int64_t scores[COUNT];
    for (size_t best = 0; best < COUNT; best += 9) {
        for (size_t i = 0; i < COUNT; i++) {
            words[i] = (uint64_t)3 << 61;
            scores[i] = INT64_MIN;
            words[COUNT + 2 * i] = 1000;
            words[COUNT + 2 * i + 1] = i == best ? 0 : (uint64_t)1 << 40;
        }
        assert_int_equal(select_scripted(noise_select_gumbel, words, 3 * COUNT,
                                         scores, COUNT, 1, 3 * COUNT),
                         best);
    }
}

/* r = 0 leaves the key open upwards: behind by 50, it wins or loses by its
   further bits; behind by 2^63, it loses. r = 2^64 - 1 is open downwards. */
static void test_end_words(void **state)
{
    (void)state;
    const int64_t scores[] = {50, 0}, far[] = {INT64_MAX, INT64_MIN};
    select_call *calls[] = {noise_select_gumbel, noise_select_exponential};
    for (int i = 0; i < 2; i++) {
        const uint64_t low[] = {(uint64_t)1 << 62, 0, 1, 1, 0, 1};
        assert_int_equal(select_scripted(calls[i], low, 6, scores, 2, 1, 6), 1);
        const uint64_t high[] = {(uint64_t)1 << 62, 0, 1, 1, ALL, ALL};
        assert_int_equal(select_scripted(calls[i], high, 6, scores, 2, 1, 6),
                         0);
        assert_int_equal(select_scripted(calls[i], low, 6, far, 2, 0x1p40, 6),
                         0);
        const uint64_t none[] = {0, 0, 0, 0, 0, 1};
        assert_int_equal(select_scripted(calls[i], none, 6, far, 2, 1, 6), 0);
    }
    const uint64_t ends[] = {ALL, ALL, ALL, ALL, ALL, ALL - 1};
    const int64_t same[] = {0, 0};
    assert_int_equal(
        select_scripted(noise_select_gumbel, ends, 6, same, 2, 1, 6), 1);
    const uint64_t one[] = {ALL};
    assert_int_equal(
        select_scripted(noise_select_gumbel, one, 1, same, 1, 1, 1), 0);
}

/*
 * A leads B, both known well; C, third by its key, is known badly and can be
 * above both: word 2^64 - 2 puts it between -3.793 and -3.776. A rule that
 * looks at the two best keys alone would take A.
 */
static void test_a_third_contender(void **state)
{
    (void)state;
    const double rate = 0x1p-20;
    const uint64_t word = (uint64_t)1 << 60, all[3] = {word, 0, 0};
    noise_of(u, 1, all);
    double g = mpfr_get_d(u, MPFR_RNDN);
    const int64_t scores[] = {(int64_t)((-3.780 - g) / rate),
                              (int64_t)((-3.785 - g) / rate), 0};
    const uint64_t wins[] = {word, word, ALL - 1, 9, 9, 0, 0};
    const uint64_t loses[] = {word, word, ALL - 1, 9, 9, ALL, ALL};
    assert_int_equal(
        select_scripted(noise_select_gumbel, wins, 7, scores, 3, rate, 7), 2);
    assert_int_equal(
        select_scripted(noise_select_gumbel, loses, 7, scores, 3, rate, 7), 0);
}

/* Words are taken in blocks; those of contenders come after the block, and
   a selection over many blocks uses each word once. */
static void test_long_selection(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    uint64_t *words = calloc(COUNT, sizeof *words);
    int64_t *scores = calloc(COUNT, sizeof *scores);
    assert_true(words && scores);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            words[i] = oracle_random();
            scores[i] = (int64_t)(oracle_random() % 100);
        }
        size_t want = select_oracle(round & 1, scores, words, COUNT, .1, 0, 0);
        select_call *call =
            round & 1 ? noise_select_gumbel : noise_select_exponential;
        assert_int_equal(
            select_scripted(call, words, COUNT, scores, COUNT, .1, COUNT),
            want);
    }
    free(words);
    free(scores);
}

/* ---- coins ---- */

/* Eight coins of a word, each against the first eight bits of q; further
   words where those are equal. */
static void test_picks_by_bytes(void **state)
{
    (void)state;
    const double q = .3; /* 0x4c.cccccccccccc000... */
    const uint64_t rest = (uint64_t)(q * 0x1p64) << 8;
    const uint64_t words[4] = {0x4cff4b4c4d004c4cu, rest - 256, rest, 0};
    const uint32_t want[] = {0, 2, 4, 5};
    uint32_t got[8];
    size_t picked;
    noise_stream *s = scripted(words, 4);
    assert_int_equal(noise_picks(s, q, 7, got, &picked, NULL), SOTTO_OK);
    assert_int_equal(noise_scripted_used(s, 4), 4);
    assert_int_equal(picked, 4);
    assert_memory_equal(got, want, sizeof want);
    noise_close(s);
    s = scripted(NULL, 0);
    assert_int_equal(noise_picks(s, 1, 3, got, &picked, NULL), SOTTO_OK);
    assert_true(picked == 3 && got[0] == 0 && got[1] == 1 && got[2] == 2);
    assert_int_equal(noise_picks(s, 0, 3, got, &picked, NULL), SOTTO_USAGE);
    assert_int_equal(noise_picks(s, NAN, 3, got, &picked, NULL), SOTTO_USAGE);
    noise_close(s);
}

/* floor(E / -ln(1 - q)) zeros come before the first pick: with E of 192 bits,
   which is one way in which the first 64 can go on. Words are random, or
   right beside where the number changes. Returns whether it is below 2^32. */
static int check_gap(uint64_t words[3], double q, int beside)
{
    uint32_t out[1];
    size_t picked = 9;
    mpfr_set_d(v, -q, MPFR_RNDN);
    mpfr_log1p(v, v, MPFR_RNDN);
    mpfr_neg(v, v, MPFR_RNDN);
    if (beside) { /* U = (1 - q)^n, and a little less or more */
        mpfr_mul_ui(u, v, (unsigned)(oracle_random() % (uint64_t)(20 / q)),
                    MPFR_RNDN);
        mpfr_neg(u, u, MPFR_RNDN);
        mpfr_exp(u, u, MPFR_RNDN);
        mpfr_mul_2ui(u, u, 64, MPFR_RNDN);
        words[0] = mpfr_get_uj(u, MPFR_RNDD) + (uint64_t)(beside - 2);
        words[1] = beside == 2 ? oracle_extreme() : words[1];
    }
    noise_of(u, 0, words);
    mpfr_div(u, u, v, MPFR_RNDN);
    if (mpfr_cmp_ui_2exp(u, 1, 32) >= 0 || mpfr_cmp_ui(u, 0) <= 0)
        return 0;
    uint64_t gap = mpfr_get_uj(u, MPFR_RNDD);
    for (size_t more = 0; more < 2; more++) {
        uint64_t script[4] = {words[0], words[1], words[2], 1};
        noise_stream *s = scripted(script, 4);
        /* room for one: there is no other pick among so many */
        assert_int_equal(
            noise_picks(s, q, (size_t)gap + more, out, &picked, NULL),
            SOTTO_OK);
        assert_int_equal(picked, more);
        if (more)
            assert_int_equal(out[0], gap);
        noise_close(s);
    }
    return 1;
}

static void test_picks_by_gaps(void **state)
{
    (void)state;
    const double qs[] = {.03, .00969, 1e-4, 0x1p-20, 0x1p-33, 0x1.23456789p-30};
    int checked = 0;
    for (int i = 0; i < 12000; i++) {
        uint64_t w[3] = {i % 2 ? oracle_random() : oracle_extreme(),
                         oracle_extreme(), oracle_random()};
        double q = noise_coin_rate(qs[i % 6]);
        checked += check_gap(w, q, q > 1e-5 ? i / 6 % 4 : 0);
    }
    print_message("gaps: %d checked\n", checked);
    assert_true(checked > 8000);
}

/* floor(q 2^64) 2^-64, exactly. */
static void test_coin_rate(void **state)
{
    (void)state;
    const double qs[] = {.5, .1, 0x1p-64, 0x1.8p-63, 1 - 0x1p-53, 1e-15, .3};
    for (int i = 0; i < 7; i++) {
        mpfr_set_d(u, qs[i], MPFR_RNDN);
        mpfr_mul_2ui(u, u, 64, MPFR_RNDN);
        mpfr_floor(u, u);
        mpfr_mul_2si(u, u, -64, MPFR_RNDN);
        assert_true(mpfr_cmp_d(u, noise_coin_rate(qs[i])) == 0);
    }
    assert_true(noise_coin_rate(1) == 1);
    assert_true(isnan(noise_coin_rate(0)) && isnan(noise_coin_rate(1.1)) &&
                isnan(noise_coin_rate(NAN)) && isnan(noise_coin_rate(-.5)) &&
                isnan(noise_coin_rate(0x1p-65)));
}

int main(void)
{
    mpfr_inits2(ORACLE_BITS, u, v, y, (mpfr_ptr)0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contests),
        cmocka_unit_test(test_a_near_tie_is_not_redrawn),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_many_contenders),
        cmocka_unit_test(test_end_words),
        cmocka_unit_test(test_a_third_contender),
        cmocka_unit_test(test_long_selection),
        cmocka_unit_test(test_picks_by_bytes),
        cmocka_unit_test(test_picks_by_gaps),
        cmocka_unit_test(test_coin_rate),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clears(u, v, y, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
