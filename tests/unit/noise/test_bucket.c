/*
 * Selections from buckets, decision by decision: the test chooses the random
 * words, and MPFR says which winners are right. This reference has neither
 * counted bins nor blocks: it goes through all scores. The comment above a test
 * says which faults it catches; test_bucket_law.c tests the distribution.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "noise/bucket.h"
#include "script.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 uint128;

static mpfr_t u, x, bound;

static noise_buckets *buckets(size_t count, double rate)
{
    noise_buckets *b;
    must(noise_buckets_open(&b, count, 1, rate, NULL));
    return b;
}

/* 2^-to to 2^from, at random. */
static double some_rate(int from, int to)
{
    double f = 1 + (double)(oracle_random() >> 12) * 0x1p-52;
    return ldexp(f, from - (int)(oracle_random() % (unsigned)(from + to)));
}

/* ---- weights ---- */

/* 2^62 e^-(times rate) into `bound`. */
static void height_of(uint64_t times, double rate)
{
    mpfr_set_uj(x, times, MPFR_RNDN);
    mpfr_mul_d(x, x, rate, MPFR_RNDN);
    mpfr_neg(x, x, MPFR_RNDN);
    mpfr_exp(bound, x, MPFR_RNDN);
    mpfr_mul_2ui(bound, bound, 62, MPFR_RNDN);
}

/* Bucket weights are not below the curve, and hardly above it. */
static void check_weight(uint64_t weight, uint64_t times, double rate)
{
    height_of(times, rate);
    mpfr_set_uj(u, weight, MPFR_RNDN);
    assert_true(mpfr_cmp(u, bound) >= 0);
    mpfr_mul_d(bound, bound, 1 + 0x1p-50, MPFR_RNDN);
    mpfr_add_ui(bound, bound, 1, MPFR_RNDN);
    assert_true(mpfr_cmp(u, bound) <= 0);
}

static void check_weights(double rate)
{
    noise_buckets *b = buckets(1, rate);
    double width = ldexp(rate, b->shift);
    assert_true(b->shift == 0 || width <= 1);
    assert_true(b->shift == 63 || width > .5);
    assert_int_equal(b->weight[0], (uint64_t)1 << 62);
    assert_in_range(b->near, 1, BUCKET_NEAR);
    for (uint64_t k = 0; k < b->near; k++) {
        check_weight(b->weight[k], k << b->shift, rate);
        assert_true(b->weight[k] > 1);
    }
    if (b->near <= ALL >> b->shift) /* else nothing can be as far */
        check_weight(1, b->near << b->shift, rate);
    noise_buckets_close(b);
}

/* Catches: weights below the curve, a far weight of 1 used too early,
   buckets too wide. */
static void test_weights(void **state)
{
    (void)state;
    const double rates[] = {0x1p-64, 0x1p-63, 0x1.8p-64,     0x1p40,
                            1,       .5,      1 + 0x1p-52,   1 - 0x1p-53,
                            42,      43,      0.5 + 0x1p-53, 0x1p-30,
                            2};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        check_weights(rates[i]);
    for (int i = 0; i < 100; i++)
        check_weights(some_rate(8, 64));
}

/* ---- a reference that goes through all scores ---- */

typedef struct trial {
    noise_buckets *b; /* its shift and weights are used, not its counters */
    const int64_t *scores;
    size_t count;
    int64_t top; /* the best bin */
    uint128 points;
    int zeros; /* before a point of 128 bits */
} trial;

static uint64_t bucket_of(const trial *t, size_t i)
{
    return (uint64_t)t->top - (uint64_t)(t->scores[i] >> t->b->shift);
}

static uint64_t weight_of(const trial *t, size_t i)
{
    uint64_t k = bucket_of(t, i);
    return k < t->b->near ? t->b->weight[k] : 1;
}

static trial make_trial(noise_buckets *b, const int64_t *scores)
{
    trial t = {.b = b, .scores = scores, .count = b->count};
    int64_t best = scores[0];
    for (size_t i = 0; i < t.count; i++)
        best = scores[i] > best ? scores[i] : best;
    t.top = best >> b->shift;
    for (size_t i = 0; i < t.count; i++)
        t.points += weight_of(&t, i);
    for (uint128 n = t.points - 1; !(n >> 127); n <<= 1)
        t.zeros++;
    return t;
}

/* Members in order: by bucket, the far ones being one, then by index. */
static int comes_before(const trial *t, size_t i, size_t j)
{
    uint64_t a = bucket_of(t, i), b = bucket_of(t, j), near = t->b->near;
    a = a < near ? a : near;
    b = b < near ? b : near;
    return a < b || (a == b && i < j);
}

/* The first point of a member. */
static uint128 point_of(const trial *t, size_t member)
{
    uint128 point = 0;
    for (size_t i = 0; i < t->count; i++)
        if (comes_before(t, i, member))
            point += weight_of(t, i);
    return point;
}

static size_t member_at(const trial *t, uint128 point, uint64_t *height)
{
    for (uint64_t k = 0; k <= t->b->near; k++)
        for (size_t i = 0; i < t->count; i++) {
            uint64_t bucket = bucket_of(t, i);
            if (bucket != k && !(k == t->b->near && bucket > k))
                continue;
            if (point < weight_of(t, i)) {
                *height = (uint64_t)point;
                return i;
            }
            point -= weight_of(t, i);
        }
    fail();
    return 0;
}

/* The distance of a member from the end of the best bucket, into x. */
static void distance_of(const trial *t, size_t i)
{
    uint64_t end = (((uint64_t)t->top + 1) << t->b->shift) - 1;
    mpfr_set_uj(x, end - (uint64_t)t->scores[i], MPFR_RNDN);
    mpfr_mul_d(x, x, t->b->rate, MPFR_RNDN);
}

/* Whether the fraction of 62 bits and some more words is below e^-x. */
static int is_under(uint64_t height, const uint64_t *more, int count,
                    unsigned add)
{
    const uint64_t zero[2] = {0, 0};
    fraction(u, count ? more : zero, 2, 0);
    mpfr_add_ui(u, u, add, MPFR_RNDN);
    mpfr_set_uj(bound, height, MPFR_RNDN);
    mpfr_add(u, u, bound, MPFR_RNDN);
    mpfr_mul_2si(u, u, -62, MPFR_RNDN);
    if (mpfr_zero_p(u)) /* as the sampler has it */
        mpfr_set_ui_2exp(u, 1, count ? -192 : -100000, MPFR_RNDN);
    minus_ln(u);
    return mpfr_cmp(u, x) > 0;
}

static int allowed(const trial *t, const uint64_t *words, size_t at,
                   size_t winner, size_t used);

static int goes_on(const trial *t, int under, const uint64_t *words, size_t at,
                   size_t member, size_t winner, size_t used)
{
    if (under)
        return member == winner && at == used;
    return allowed(t, words, at, winner, used);
}

/*
 * Whether this winner after so many words is right. A sampler may extend the
 * bits of a point whenever it likes, and must if they do not tell; it may not
 * draw another point unless this one is above the curve.
 */
static int allowed(const trial *t, const uint64_t *words, size_t at,
                   size_t winner, size_t used)
{
    uint128 point;
    uint64_t height = 0;
    do {
        if (at + 2 > used)
            return 0;
        point = ((uint128)words[at] << 64 | words[at + 1]) >> t->zeros;
        at += 2;
    } while (point >= t->points);
    size_t member = member_at(t, point, &height);
    distance_of(t, member);
    int low = is_under(height, NULL, 0, 0), high = is_under(height, NULL, 0, 1);
    int more = is_under(height, words + at, 2, 0);
    if (low == high && goes_on(t, low, words, at, member, winner, used))
        return 1;
    return at + 2 <= used &&
           goes_on(t, more, words, at + 2, member, winner, used);
}

enum { TAIL = 16 };

static void put_point(const trial *t, uint128 point, uint64_t *words)
{
    point <<= t->zeros;
    words[0] = (uint64_t)(point >> 64);
    words[1] = (uint64_t)point;
}

/* Runs a script that ends with points where the first member wins; returns
   how many of its words were used. */
static size_t run_script(const trial *t, uint64_t *words, size_t count,
                         size_t *winner)
{
    for (size_t i = 0; i < TAIL; i += 2)
        put_point(t, 1 << 20, words + count + i);
    noise_stream *s = scripted(words, count + TAIL);
    *winner = noise_buckets_select(s, t->b, t->scores);
    size_t used = noise_scripted_used(s, count + TAIL);
    noise_close(s);
    return used;
}

static size_t check_script(const trial *t, uint64_t *words, size_t count)
{
    size_t winner, used = run_script(t, words, count, &winner);
    if (!allowed(t, words, 0, winner, used))
        fail_msg("rate %a: %zu wins after %zu words", t->b->rate, winner, used);
    return used;
}

/* ---- decisions ---- */

enum { MOST = 12 };

/* The best within some nats, others far, some at the ends of int64. */
static void make_scores(int64_t *scores, size_t count, double rate)
{
    double nat = fmin(1 / rate, 0x1p61);
    int64_t base = (int64_t)oracle_random() >> (1 + oracle_random() % 60);
    for (size_t i = 0; i < count; i++) {
        double far = ldexp((double)(oracle_random() >> 11), -53);
        uint64_t kind = oracle_random() % 8;
        far *= kind < 4 ? 3 : kind < 6 ? 50 : kind < 7 ? 200 : 0;
        far = fmin(far * nat, 0x1p61);
        scores[i] = base - (int64_t)far;
    }
    if (oracle_random() % 8 == 0)
        scores[oracle_random() % count] = INT64_MIN;
    if (oracle_random() % 32 == 0)
        scores[oracle_random() % count] = INT64_MAX;
}

/* A point of a member at, or right beside, its own curve. */
static uint128 edge_point(const trial *t, size_t member)
{
    uint64_t end = (((uint64_t)t->top + 1) << t->b->shift) - 1;
    height_of(end - (uint64_t)t->scores[member], t->b->rate);
    uint64_t height = mpfr_get_uj(bound, MPFR_RNDZ);
    uint64_t kind = oracle_random() % 8;
    if (kind > 1)
        height += (oracle_random() % 5) - 2;
    if (kind > 4)
        height += (oracle_random() & 1 ? 1 : ALL) << oracle_random() % 40;
    uint64_t weight = weight_of(t, member);
    if (height >= weight)
        height = height >> 63 ? 0 : weight - 1;
    return point_of(t, member) + height;
}

static size_t check_edge(const trial *t, uint128 point, uint64_t second,
                         uint64_t third)
{
    uint64_t words[4 + TAIL] = {0, 0, second, third};
    put_point(t, point, words);
    return check_script(t, words, 4);
}

/* The bits of a member's own curve below 2^-62, plus or minus 2^-178: more
   than what is lost in 256-bit fixed point, so that they do tell. */
static void edge_words(const trial *t, size_t member, uint64_t words[2])
{
    uint64_t end = (((uint64_t)t->top + 1) << t->b->shift) - 1;
    height_of(end - (uint64_t)t->scores[member], t->b->rate);
    mpfr_frac(bound, bound, MPFR_RNDN);
    mpfr_mul_2ui(bound, bound, 64, MPFR_RNDN);
    words[0] = mpfr_get_uj(bound, MPFR_RNDZ);
    mpfr_frac(bound, bound, MPFR_RNDN);
    mpfr_mul_2ui(bound, bound, 64, MPFR_RNDN);
    words[1] = mpfr_get_uj(bound, MPFR_RNDZ);
    if (words[1] > 4096 && words[1] < ALL - 4096)
        words[1] += oracle_random() & 1 ? 4096 : (uint64_t)-4096;
}

/* Catches: bounds too small, redraws, a distance from elsewhere than the
   weight's, members left out, an order that is not that of the indices, bits
   lost on the way to wide arithmetic. */
static void test_edges(void **state)
{
    (void)state;
    int extended = 0;
    for (int i = 0; i < 4000; i++) {
        int64_t scores[MOST];
        size_t count = 1 + oracle_random() % MOST;
        double rate = some_rate(6, 60);
        noise_buckets *b = buckets(count, rate);
        make_scores(scores, count, rate);
        trial t = make_trial(b, scores);
        size_t member = oracle_random() % count;
        uint128 point = edge_point(&t, member);
        uint64_t close[2];
        edge_words(&t, member, close);
        check_edge(&t, point, close[0], close[1]);
        extended += check_edge(&t, point, 0, 0) == 4;
        check_edge(&t, point, ALL, ALL);
        check_edge(&t, point, oracle_extreme(), oracle_random());
        noise_buckets_close(b);
    }
    print_message("points extended and taken: %d of 4000\n", extended);
    assert_in_range(extended, 500, 3500);
}

/* Random words, all the way: rejected points, uniform integers below a
   number that is no power of two, several trials. */
static void test_random_words(void **state)
{
    (void)state;
    size_t words_used = 0;
    for (int i = 0; i < 3000; i++) {
        enum { WORDS = 200 };
        uint64_t words[WORDS + TAIL];
        int64_t scores[MOST];
        size_t count = 1 + oracle_random() % MOST;
        double rate = some_rate(6, 60);
        noise_buckets *b = buckets(count, rate);
        make_scores(scores, count, rate);
        trial t = make_trial(b, scores);
        for (int j = 0; j < WORDS; j++)
            words[j] = oracle_random();
        words_used += check_script(&t, words, WORDS);
        noise_buckets_close(b);
    }
    assert_true(words_used > 3000 * 4);
}

/* Catches: blocks that overlap or are left out, the last one, ranks that are
   off by one. */
static void test_blocks(void **state)
{
    (void)state;
    const size_t counts[] = {1023, 1024, 1025, 2048, 5000, 40000};
    for (int c = 0; c < 6; c++) {
        size_t count = counts[c];
        int64_t *scores = calloc(count, sizeof *scores);
        assert_non_null(scores);
        double rate = some_rate(6, 60);
        make_scores(scores, count, rate);
        noise_buckets *b = buckets(count, rate);
        trial t = make_trial(b, scores);
        for (int i = 0; i < 60; i++) {
            size_t member = i == 0 ? 0 : oracle_random() % count;
            member = i == 1 ? count - 1 : member;
            uint64_t words[4 + TAIL] = {0}, weight = weight_of(&t, member);
            /* the lowest points; both ends of a member's steps */
            put_point(&t, point_of(&t, member) + (i % 3 ? 0 : weight - 1),
                      words);
            check_script(&t, words, 4);
        }
        noise_buckets_close(b);
        free(scores);
    }
}

/* ---- by hand ---- */

/* 0 and 1 in one bucket; for score 0, e^-x is between two multiples of
   2^-62. The point right there is under the curve or not by its further
   bits, which are the next two words; a redraw would take them for a point of
   another member. */
static void test_a_near_tie_is_not_redrawn(void **state)
{
    (void)state;
    const int64_t scores[] = {1, 0, 1};
    noise_buckets *b = buckets(3, .5);
    assert_int_equal(noise_buckets_shift(b), 1);
    trial t = make_trial(b, scores);
    height_of(1, .5);
    uint128 point = point_of(&t, 1) + mpfr_get_uj(bound, MPFR_RNDZ);
    size_t winner;
    uint64_t words[4 + TAIL] = {0};
    put_point(&t, point, words);
    assert_int_equal(run_script(&t, words, 4, &winner), 4);
    assert_int_equal(winner, 1);
    words[2] = words[3] = ALL; /* above it: then the tail is next */
    assert_int_equal(run_script(&t, words, 4, &winner), 6);
    assert_int_equal(winner, 0);
    put_point(&t, point - ((uint64_t)1 << 30), words); /* no doubt */
    assert_int_equal(run_script(&t, words, 4, &winner), 2);
    assert_int_equal(winner, 1);
    noise_buckets_close(b);
}

/* One is ahead of all others by 2^62, which is 64 nats, and at the beginning
   of a bucket of one more: e^-65 is 2^-93.8. Each other one still has a point,
   one of the last, and wins if its next 32 bits are 0. Were the far weight 0,
   these would be no points. */
static void test_far_members_can_win(void **state)
{
    (void)state;
    int64_t scores[] = {0, (int64_t)1 << 62, 0, -5};
    noise_buckets *b = buckets(4, 0x1p-56);
    const size_t far[] = {0, 2, 3};
    for (uint64_t i = 0; i < 3; i++) {
        trial t = make_trial(b, scores);
        assert_true(t.points == ((uint128)1 << 62) + 3);
        uint64_t words[4 + TAIL] = {0, 0, (uint64_t)1 << 32, 0};
        put_point(&t, t.points - 3 + i, words);
        size_t winner;
        assert_int_equal(run_script(&t, words, 4, &winner), 4);
        assert_int_equal(winner, far[i]);
        words[2] = (uint64_t)1 << 33;
        assert_int_equal(run_script(&t, words, 4, &winner), 6);
        assert_int_equal(winner, 1);
    }
    noise_buckets_close(b);
}

/* So far behind that 190 bits cannot make it win; it has a point
   nevertheless. */
static void test_very_far(void **state)
{
    (void)state;
    const int64_t scores[] = {INT64_MIN, INT64_MAX};
    const double rates[] = {1, 0x1p40, 0x1p-50};
    for (int i = 0; i < 3; i++) {
        noise_buckets *b = buckets(2, rates[i]);
        trial t = make_trial(b, scores);
        assert_true(t.points == ((uint128)1 << 62) + 1);
        uint64_t words[4 + TAIL] = {0};
        size_t winner;
        put_point(&t, t.points - 1, words);
        assert_int_equal(run_script(&t, words, 4, &winner), 6);
        assert_int_equal(winner, 1);
        noise_buckets_close(b);
    }
}

/* ---- moves ---- */

/* The counters are those of the scores. */
static void check_counters(const noise_buckets *b, const int64_t *scores)
{
    size_t size = b->row * BUCKET_BINS;
    uint16_t *part = calloc(size, sizeof *part);
    assert_non_null(part);
    uint64_t members[BUCKET_BINS] = {0};
    for (size_t i = 0; i < b->count; i++) {
        int64_t bin = scores[i] >> b->shift;
        assert_true(bin <= b->high);
        uint64_t depth = (uint64_t)b->high - (uint64_t)bin;
        assert_true(depth >= b->lead);
        if (depth >= BUCKET_BINS)
            continue;
        members[(uint64_t)bin % BUCKET_BINS]++;
        part[(uint64_t)bin % BUCKET_BINS * b->row + i / BUCKET_BLOCK]++;
    }
    assert_memory_equal(members, b->members, sizeof members);
    assert_memory_equal(part, b->part, size * sizeof *part);
    free(part);
}

/* A change by some nats, or to the top, far above it, or far down. */
static int64_t changed(int64_t score, int64_t nat)
{
    switch (oracle_random() % 64) {
    case 0:
        return (int64_t)(oracle_random() % 600) * nat;
    case 1:
        return (int64_t)oracle_random() >> 1;
    case 2:
    case 3:
        return -(int64_t)(oracle_random() % 2000) * nat;
    case 4:
        return oracle_random() & 1 ? INT64_MIN : INT64_MAX;
    default:
        return (score >> 1) + (int64_t)(oracle_random() % 3 * (uint64_t)nat) -
               nat;
    }
}

/* The winner of this round and the word that comes next, as bits. */
static uint64_t outcome(noise_buckets *b, const int64_t *scores, uint64_t round)
{
    noise_stream *s;
    uint64_t word;
    must(noise_open_insecure(&s, 7, NOISE_SELECTION, round, NULL));
    size_t winner = noise_buckets_select(s, b, scores);
    noise_words(s, &word, 1);
    noise_close(s);
    return word ^ winner;
}

static void check_moves(size_t count, double rate, int rounds)
{
    int64_t *scores = calloc(count, sizeof *scores);
    assert_non_null(scores);
    noise_buckets *b = buckets(count, rate);
    int64_t nat = (int64_t)fmax(1, fmin(1 / rate, 0x1p50));
    for (int round = 0; round < rounds; round++) {
        for (uint64_t i = oracle_random() % 40; i > 0; i--) {
            size_t j = oracle_random() % count;
            int64_t to = changed(scores[j], nat);
            if (noise_buckets_differ(b->shift, scores[j], to) || i % 4 == 0)
                noise_buckets_move(b, j, scores[j], to);
            scores[j] = to;
        }
        if (oracle_random() % 16 == 0)
            noise_buckets_reset(b);
        noise_buckets *fresh = buckets(count, rate);
        assert_int_equal(outcome(b, scores, (uint64_t)round),
                         outcome(fresh, scores, (uint64_t)round));
        check_counters(b, scores);
        noise_buckets_close(fresh);
    }
    noise_buckets_close(b);
    free(scores);
}

/* Catches: counters that drift, a best bin not found, bins that are reused
   before they are cleared, winners that depend on what was before. */
static void test_moves(void **state)
{
    (void)state;
    const size_t counts[] = {1, 2, 40, 1024, 3000};
    const double rates[] = {0x1p-20, 1. / 3, 5, 0x1p-64, 0x1p40, 0x1p-40};
    for (int i = 0; i < 30; i++)
        check_moves(counts[i % 5], rates[i % 6], 150);
}

/* The best falls step by step through all that is counted, and below. The
   last point of all is that of the farthest in a bucket of its own, or
   farther: it is another one if a bin near the best is not counted. */
static void test_the_best_falls(void **state)
{
    (void)state;
    enum { COUNT = 1300 };
    int64_t scores[COUNT];
    for (int i = 0; i < COUNT; i++)
        scores[i] = -i;
    noise_buckets *b = buckets(COUNT, .3);
    for (size_t i = 0; i < COUNT - 1; i++) {
        uint64_t words[4 + TAIL] = {0};
        trial t = make_trial(b, scores);
        put_point(&t, t.points - 1 - oracle_random() % (i + 1), words);
        check_script(&t, words, 4);
        if (i % 100 == 0)
            check_counters(b, scores);
        noise_buckets_move(b, i, scores[i], INT64_MIN);
        scores[i] = INT64_MIN;
    }
    noise_buckets_close(b);
}

/* ---- the same anywhere ---- */

/* A seed gives the same winners with any compiler and on any machine. */
static void test_known_winners(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static const size_t known[] = {322, 2354, 2770, 4051, 2631, 3840,
                                   836, 3505, 3155, 1773, 4051, 4753};
    int64_t scores[COUNT];
    for (int i = 0; i < COUNT; i++)
        scores[i] = (int64_t)i * i % 997 - 400;
    noise_buckets *b = buckets(COUNT, .04);
    noise_stream *s;
    must(noise_open_insecure(&s, 5, NOISE_SELECTION, 0, NULL));
    for (int i = 0; i < 12; i++)
        assert_int_equal(noise_buckets_select(s, b, scores), known[i]);
    noise_close(s);
    noise_buckets_close(b);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    (void)state;
    noise_buckets *kept = buckets(1, 1), *b = kept;
    const double rates[] = {0, -1, NAN, INFINITY, 0x1p-65, 0x1.1p40};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(noise_buckets_open(&b, 3, 1, rates[i], NULL),
                         SOTTO_USAGE);
        assert_null(b);
    }
    assert_int_equal(noise_buckets_open(&b, 0, 1, 1, NULL), SOTTO_USAGE);
    assert_int_equal(noise_buckets_open(&b, NOISE_MOST_SCORES + 1, 1, 1, NULL),
                     SOTTO_USAGE);
    noise_buckets_close(kept);
    noise_buckets_close(NULL);
}

int main(void)
{
    mpfr_inits2(ORACLE_BITS, u, x, bound, (mpfr_ptr)0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_random_words),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_a_near_tie_is_not_redrawn),
        cmocka_unit_test(test_far_members_can_win),
        cmocka_unit_test(test_very_far),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_the_best_falls),
        cmocka_unit_test(test_known_winners),
        cmocka_unit_test(test_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clears(u, x, bound, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
