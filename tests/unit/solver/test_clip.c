/*
 * Where to cut off what is long: what is believed of noisy histograms, what a
 * clip loses, and the posterior mean of a noisy estimate.
 */
#include "reading.h"

#include "solver/clip.h"
#include "solver/matrix.h"

static uint64_t seed = 5;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)((seed >> 11) | 1) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ROWS lengths as answers about ranges, with noise. */
enum { ROWS = 20000 };

static void answered(clip_counts *h, const double *length, double most,
                     double sd)
{
    double edge[CLIP_RANGES], answer[CLIP_RANGES] = {0};
    clip_edges(most, edge);
    for (int i = 0; i < ROWS; i++) {
        int k = 0;
        while (k < CLIP_RANGES - 1 && !(length[i] > edge[k]))
            k++;
        answer[k] += 1;
    }
    for (int k = 0; k < CLIP_RANGES; k++)
        answer[k] += sd * normal();
    clip_answered(h, most, answer, sd, ROWS);
}

static double lost_of(const double *length, double c)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += fmax(0, length[i] - c) / ROWS;
    return sum;
}

/* Without noise what is believed is what was answered. */
static void test_without_noise(void **state)
{
    (void)state;
    static double length[ROWS];
    clip_counts h;
    for (int i = 0; i < ROWS; i++)
        length[i] = exp(.5 * normal());
    answered(&h, length, 1024, 0);
    clip_fit(&h);
    double mean = lost_of(length, 0);
    assert_true(fabs(clip_mean(&h) / mean - 1) < .05);
    for (double c = .5; c < 4; c *= 2)
        assert_true(fabs(clip_lost(&h, c) - lost_of(length, c)) < .03 * mean);
}

/* Lengths of normal vectors, Pareto laws, and two humps, of which one is a
   tenth of the rows. */
static void draw_lengths(int law, double *length)
{
    for (int i = 0; i < ROWS; i++) {
        double x = fabs(normal()) + .1;
        length[i] = law == 0   ? x
                    : law == 1 ? pow(uniform(), -.3)
                    : law == 2 ? pow(uniform(), -.45)
                               : x * (i % 10 ? .1 : 1);
    }
}

/*
 * With noise of 1 % of the rows in each range, what a clip loses is known to
 * half of the mean length, on average of 20 histograms; as it was answered it
 * is off by ten times that or more: noise in the highest ranges counts by
 * their lengths.
 */
static void test_tails(void **state)
{
    (void)state;
    enum { TRIALS = 20 };
    static double length[ROWS];
    for (int law = 0; law < 4; law++) {
        double off = 0, plainly_off = 0, c = law == 3 ? .3 : 3;
        for (int trial = 0; trial < TRIALS; trial++) {
            clip_counts h;
            draw_lengths(law, length);
            double mean = lost_of(length, 0), lost = lost_of(length, c);
            double plain = 0;
            answered(&h, length, 1024 * mean, ROWS / 100.);
            for (int k = 0; k < CLIP_RANGES; k++)
                plain += fmax(0, h.edge[k] * .84 - c) * h.answer[k] / ROWS;
            clip_fit(&h);
            off += fabs(clip_lost(&h, c) - lost) / mean / TRIALS;
            plainly_off += fabs(plain - lost) / mean / TRIALS;
        }
        assert_true(off < .5);
        assert_true(plainly_off > 10 * off);
    }
}

/* The best clip is where bias and noise are in balance: more noise, a smaller
   clip; more that points one way, a larger one. */
static void test_best(void **state)
{
    (void)state;
    static double length[ROWS];
    clip_counts h;
    for (int i = 0; i < ROWS; i++)
        length[i] = pow(uniform(), -.4);
    answered(&h, length, 1024, 20);
    clip_fit(&h);
    double before = INFINITY;
    for (double noise = 1e-4; noise < 1; noise *= 10) {
        double c = clip_best(&h, .5, noise), least = INFINITY;
        for (double x = .5; x < 1000; x *= 1.02) {
            double bias = .5 * lost_of(length, x);
            least = fmin(least, bias * bias + noise * noise * x * x);
        }
        double bias = .5 * lost_of(length, c);
        assert_true(bias * bias + noise * noise * c * c < 3 * least);
        assert_true(c <= before);
        assert_true(clip_best(&h, .05, noise) <= c);
        before = c;
    }
}

/* A law ends where lengths do; but what answers show counts, wherever it is. */
static void test_end(void **state)
{
    (void)state;
    static double length[ROWS];
    clip_counts h;
    for (int i = 0; i < ROWS; i++)
        length[i] = pow(uniform(), -.45);
    answered(&h, length, 1024, ROWS / 100.);
    clip_fit(&h);
    assert_true(clip_lost(&h, 10) > 0);
    double before = clip_best(&h, .5, 1e-4);
    clip_end(&h, 8);
    assert_true(clip_lost(&h, 10) == 0);
    assert_true(clip_best(&h, .5, 1e-4) < before);
    for (int i = 0; i < ROWS; i++)
        length[i] = i % 4 ? 1 : 100;
    answered(&h, length, 1024, ROWS / 1000.);
    clip_fit(&h);
    clip_end(&h, 8);
    double lost = lost_of(length, 10);
    assert_true(fabs(clip_lost(&h, 10) / lost - 1) < .2);
}

/* Answers that are anything: NaN, infinite or all alike make a finite clip. */
static void test_any_answers(void **state)
{
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        double answer[CLIP_RANGES];
        clip_counts h;
        for (int k = 0; k < CLIP_RANGES; k++)
            answer[k] = trial % 3 == 0   ? 0
                        : trial % 3 == 1 ? 1e12 * normal()
                                         : -1e3 * uniform();
        clip_answered(&h, 1e3, answer, trial % 2 ? 1e9 : 0, 1000);
        clip_fit(&h);
        double c = clip_best(&h, .3, .01);
        assert_true(isfinite(clip_mean(&h)) && clip_mean(&h) >= 0);
        assert_true(c > 0 && c < 1e4);
    }
}

/* ---- the posterior mean ---- */

/* With H the unit matrix each weight is by itself: those that noise could be
   go to 0, those that stand out stay, and the last one is not held back. */
static void test_posterior(void **state)
{
    (void)state;
    enum { D = 4 };
    double h[D * D] = {0}, v[D], x[D] = {5, .05, -.08, .07};
    sotto_error error;
    for (int j = 0; j < D; j++)
        h[j * D + j] = 1;
    assert_int_equal(matrix_posterior(h, D, D - 1, 1, .01, x, v, &error),
                     SOTTO_OK);
    assert_true(fabs(v[0] - 5) < .01);
    assert_true(fabs(v[1]) < .01 && fabs(v[2]) < .02);
    assert_true(v[3] == x[3] || fabs(v[3] - x[3]) < 1e-12);
    /* without noise nothing changes, with a bad matrix neither */
    assert_int_equal(matrix_posterior(h, D, D - 1, 1, 0, x, v, &error),
                     SOTTO_OK);
    assert_memory_equal(v, x, sizeof v);
    h[0] = -1e9;
    assert_int_equal(matrix_posterior(h, D, D - 1, 1, .01, x, v, &error),
                     SOTTO_OK);
    assert_memory_equal(v, x, sizeof v);
}

/* It is nearer to the truth than the estimate, where weights are small or few:
   mean squared errors over 200 draws, with columns that go together. */
static void test_posterior_gains(void **state)
{
    (void)state;
    enum { D = 12, DRAWS = 200 };
    double h[D * D], root[D * D];
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            root[i * D + j] = (i == j) + .3 * (i > j ? sin(i * 7. + j) : 0);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            h[i * D + j] = 0;
            for (int k = 0; k < D; k++)
                h[i * D + j] += root[k * D + i] * root[k * D + j];
        }
    for (int each = 0; each < 2; each++) {
        double plain = 0, held = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            double truth[D], x[D], v[D], z[D];
            sotto_error error;
            for (int j = 0; j < D; j++) {
                truth[j] = each ? (j < 2 ? 3 : 0) : .2 * normal();
                z[j] = .5 * normal();
            }
            /* x = truth + root^-1 z: its covariance is .25 H^-1 */
            for (int i = 0; i < D; i++) {
                x[i] = z[i];
                for (int k = 0; k < i; k++)
                    x[i] -= root[i * D + k] * x[k];
            }
            for (int j = 0; j < D; j++)
                x[j] += truth[j];
            assert_int_equal(matrix_posterior(h, D, D, each, .25, x, v, &error),
                             SOTTO_OK);
            for (int j = 0; j < D; j++) {
                plain += (x[j] - truth[j]) * (x[j] - truth[j]);
                held += (v[j] - truth[j]) * (v[j] - truth[j]);
            }
        }
        assert_true(held < .6 * plain);
    }
}

/* Lengths that are spread evenly, with a clip in the middle of their range:
   what is cut off is a fourth of what it is where all are at its end. */
static void test_lost_within_a_range(void **state)
{
    (void)state;
    clip_counts h = {.rows = ROWS, .sd = 1};
    double edge[CLIP_RANGES], answer[CLIP_RANGES] = {0}, square = 0;
    clip_edges(1024, edge);
    answer[10] = ROWS;
    clip_answered(&h, 1024, answer, 1, ROWS);
    double high = h.edge[CLIP_RANGES - 11], low = h.edge[CLIP_RANGES - 12];
    for (int part = 0; part <= 4; part++) {
        double c = low + (high - low) * part / 4, sum = 0;
        for (int i = 0; i < ROWS; i++)
            sum += fmax(0, low + (high - low) * (i + .5) / ROWS - c) / ROWS;
        double found = clip_lost_spread(&h, c);
        assert_true(found >= clip_lost(&h, c));
        if (part < 4)
            assert_true(fabs(found - sum) < 1e-3 * sum);
    }
    for (int k = 0; k < CLIP_RANGES; k++)
        square += h.count[k] * h.edge[k] * h.edge[k] / sqrt(2) / ROWS;
    assert_true(fabs(clip_mean_square(&h) - square) < 1e-6 * square);
}

/*
 * Most lengths are short, and a few far longer, as those of rows in which
 * something is counted. The likeliest tail often ends before them: then a clip
 * at its end seems to lose a fraction of what it does. What may be lost is
 * rarely short of it by half.
 */
static void test_what_may_be_lost(void **state)
{
    (void)state;
    enum { TRIALS = 200 };
    static double length[ROWS];
    int short_of = 0, doubted_short = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        clip_counts h;
        for (int i = 0; i < ROWS; i++)
            length[i] = fabs(normal()) + (i % 25 ? 0 : -1.5 * log(uniform()));
        answered(&h, length, 1024 * exp2(.5 * uniform()), 20);
        clip_fit(&h);
        double c = clip_best(&h, .7, .001), lost = lost_of(length, c);
        double may = clip_lost_doubted(&h, c, 12);
        assert_true(may >= clip_lost_spread(&h, c));
        short_of += clip_lost_spread(&h, c) < lost / 2;
        doubted_short += may < lost / 2;
    }
    assert_true(short_of > 4 * doubted_short);
    assert_true(doubted_short < TRIALS / 5);
}

/* No length above the end counts, whatever tails there are. */
static void test_what_may_be_lost_ends(void **state)
{
    (void)state;
    static double length[ROWS];
    for (int trial = 0; trial < 20; trial++) {
        clip_counts h;
        for (int i = 0; i < ROWS; i++)
            length[i] = 1 + uniform();
        answered(&h, length, 1024, 100);
        clip_fit(&h);
        assert_true(clip_lost_doubted(&h, 4, 1e9) > 0);
        assert_true(clip_lost_doubted(&h, 4, 3) == clip_lost_spread(&h, 4));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_lost_within_a_range),
        cmocka_unit_test(test_what_may_be_lost),
        cmocka_unit_test(test_what_may_be_lost_ends),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_any_answers),
        cmocka_unit_test(test_posterior),
        cmocka_unit_test(test_posterior_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
