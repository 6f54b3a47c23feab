/*
 * The law of selections from buckets: chi-square against exact softmax, and
 * against the selection that draws noise for every score. Each comparison
 * fails by chance with probability 1e-6 (law.h), and there are about 30. The
 * seeds are fixed, so that it either passes or does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law.h"
#include "noise.h"

#include <stdlib.h>

enum { SELECTIONS = 1000000 };

static void must(sotto_status status)
{
    assert_int_equal(status, SOTTO_OK);
}

static noise_stream *seeded(uint64_t seed)
{
    noise_stream *s;
    must(noise_open_insecure(&s, seed, NOISE_SELECTION, 0, NULL));
    return s;
}

static noise_buckets *buckets(size_t count, double rate)
{
    noise_buckets *b;
    must(noise_buckets_open(&b, count, 1, rate, NULL));
    return b;
}

static void count_winners(uint64_t seed, const int64_t *scores, size_t count,
                          double rate, double *seen)
{
    noise_stream *s = seeded(seed);
    noise_buckets *b = buckets(count, rate);
    for (int i = 0; i < SELECTIONS; i++)
        seen[noise_buckets_select(s, b, scores)]++;
    noise_buckets_close(b);
    noise_close(s);
}

/* Few scores: at one rate and another they are in one bucket, in several, or
   each in its own. Without the acceptance members of a bucket would be alike;
   with weights at its other end they would be off by up to e. */
static void test_softmax(void **state)
{
    (void)state;
    static const int64_t cases[5][6] = {{0, 0, 0, 0, 0, 0},
                                        {0, 1, 2, 3, 4, 5},
                                        {100, 100, 99, 96, 95, 92},
                                        {-7, -7, -9, -8, -7, -12},
                                        {-1, 0, 3, 7, 8, 2}};
    const double rates[] = {.7, .2, .05, 1.25};
    for (int i = 0; i < 20; i++) {
        const int64_t *scores = cases[i % 5];
        double rate = rates[i / 5], seen[6] = {0}, probability[6];
        softmax(scores, 6, rate, probability);
        count_winners((uint64_t)i, scores, 6, rate, seen);
        assert_law("softmax", seen, probability, 6, SELECTIONS);
    }
}

/* Large scores and small rates; the widest buckets there are. */
static void test_large_scores(void **state)
{
    (void)state;
    const int64_t two[] = {INT64_MAX, INT64_MAX - ((int64_t)1 << 60)};
    double seen[2] = {0}, probability[2] = {1 / (1 + exp(-1)), 0};
    probability[1] = 1 - probability[0];
    count_winners(20, two, 2, 0x1p-60, seen);
    assert_law("large scores", seen, probability, 2, SELECTIONS);
    const int64_t ends[] = {INT64_MIN, INT64_MAX, 0};
    double seen3[3] = {0}, probability3[3] = {exp(-.5), exp(.5), 1};
    double sum = probability3[0] + probability3[1] + 1;
    for (int i = 0; i < 3; i++)
        probability3[i] /= sum;
    count_winners(21, ends, 3, 0x1p-64, seen3);
    assert_law("the smallest rate", seen3, probability3, 3, SELECTIONS);
}

/* With a rate above all noise the best wins, and one of the best evenly. */
static void test_large_rate(void **state)
{
    (void)state;
    const int64_t scores[] = {5, 6, 4, 6};
    double seen[4] = {0}, probability[4] = {0, .5, 0, .5};
    count_winners(22, scores, 4, 0x1p40, seen);
    assert_law("the largest rate", seen, probability, 4, SELECTIONS);
}

/* ---- many scores ---- */

enum { MANY = 200000, CELLS = 50, DRAWS = 500000 };
static int64_t many[MANY];
static double chance[MANY];
static size_t order[MANY];

static int by_score(const void *a, const void *b)
{
    int64_t x = many[*(const size_t *)a], y = many[*(const size_t *)b];
    return x < y ? -1 : x > y;
}

/* Cells of about equal probability, of indices in the order given. */
static void make_cells(int *cell, double *probability)
{
    double below = 0;
    for (int i = 0; i < CELLS; i++)
        probability[i] = 0;
    for (int i = 0; i < MANY; i++) {
        int c = (int)(below * CELLS);
        cell[order[i]] = c < CELLS ? c : CELLS - 1;
        probability[cell[order[i]]] += chance[order[i]];
        below += chance[order[i]];
    }
}

/* Exponential scores of 0.6 nats: winners come from a dozen buckets. */
static void make_many(double rate)
{
    noise_stream *s = seeded(30);
    must(noise_laplace(s, .6 / rate, many, MANY, NULL));
    noise_close(s);
    for (size_t i = 0; i < MANY; i++) {
        many[i] = many[i] < 0 ? -many[i] : many[i];
        order[i] = i;
    }
    softmax(many, MANY, rate, chance);
}

/* By index and by score. */
static void test_many_scores(void **state)
{
    (void)state;
    static int cells[2][MANY];
    const double rate = 1. / 3000;
    double seen[2][CELLS] = {{0}}, probability[2][CELLS];
    make_many(rate);
    make_cells(cells[0], probability[0]);
    qsort(order, MANY, sizeof *order, by_score);
    make_cells(cells[1], probability[1]);
    noise_stream *s = seeded(31);
    noise_buckets *b = buckets(MANY, rate);
    for (int i = 0; i < DRAWS; i++) {
        size_t winner = noise_buckets_select(s, b, many);
        seen[0][cells[0][winner]]++;
        seen[1][cells[1][winner]]++;
    }
    noise_buckets_close(b);
    noise_close(s);
    assert_law("by index", seen[0], probability[0], CELLS, DRAWS);
    assert_law("by score", seen[1], probability[1], CELLS, DRAWS);
}

/* After each selection the winner goes down and another one up, so that the
   best moves both ways: the law at every state, by how likely the winner is
   among the scores, from the best to the worst (made uniform by a coin). */
static void test_after_moves(void **state)
{
    (void)state;
    enum { COUNT = 40, ROUNDS = 200000 };
    int64_t scores[COUNT] = {0};
    double seen[CELLS] = {0}, probability[CELLS];
    noise_stream *s = seeded(40), *coins = seeded(41);
    noise_buckets *b = buckets(COUNT, .01);
    for (int i = 0; i < ROUNDS; i++) {
        double p[COUNT], below = 0;
        uint64_t word;
        softmax(scores, COUNT, .01, p);
        size_t winner = noise_buckets_select(s, b, scores);
        noise_words(coins, &word, 1);
        for (size_t j = 0; j < winner; j++)
            below += p[j];
        below += p[winner] * ldexp((double)(word >> 11), -53);
        int cell = (int)(below * CELLS);
        seen[cell < CELLS ? cell : CELLS - 1]++;
        size_t which[2] = {winner, word % COUNT};
        for (int k = 0; k < 2; k++) {
            int64_t from = scores[which[k]];
            int64_t to = from + (k ? 300 : -300);
            scores[which[k]] = to;
            noise_buckets_move(b, which[k], from, to);
        }
    }
    noise_buckets_close(b);
    noise_close(s);
    noise_close(coins);
    for (int i = 0; i < CELLS; i++)
        probability[i] = 1. / CELLS;
    assert_law("after moves", seen, probability, CELLS, ROUNDS);
}

/* ---- the other selection ---- */

static void test_against_gumbel(void **state)
{
    (void)state;
    enum { COUNT = 60, ROUNDS = 300000 };
    int64_t scores[COUNT];
    double ours[COUNT] = {0}, theirs[COUNT] = {0};
    noise_stream *s = seeded(50);
    must(noise_laplace(s, 100, scores, COUNT, NULL));
    noise_buckets *b = buckets(COUNT, 1. / 90);
    for (int i = 0; i < ROUNDS; i++) {
        size_t winner = 0;
        must(noise_select_gumbel(s, scores, COUNT, 1. / 90, &winner, NULL));
        theirs[winner]++;
        ours[noise_buckets_select(s, b, scores)]++;
    }
    noise_buckets_close(b);
    noise_close(s);
    assert_same_law("Gumbel", ours, theirs, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_large_rate),
        cmocka_unit_test(test_many_scores),
        cmocka_unit_test(test_after_moves),
        cmocka_unit_test(test_against_gumbel),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
