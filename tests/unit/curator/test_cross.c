/*
 * Cross moments: products of the features, intercept and target of a row,
 * scaled down together to the clip. What a record adds depends on no other
 * record and not on the storage; it is never longer than what is charged,
 * whatever the record's bits; and its value is the defined one.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

enum { FEATURES = 2, WIDTH = FEATURES + 2, CELLS = WIDTH * (WIDTH + 1) / 2 };

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static uint64_t seed = 41;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

typedef struct told {
    double centre[FEATURES], scale[FEATURES];
    double target_centre, target_scale, reach;
} told;

static told usual(void)
{
    return (told){{.1, -.2}, {1, .5}, .25, 2, 2};
}

static curator_policy plain(void)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {LOSS_SQUARED, 0},
                            .weight_bound = 1,
                            .intercept = 1,
                            .without_noise = 1,
                            .insecure = 1,
                            .seed = 3};
}

static ask_frame frame_of(const told *t)
{
    return (ask_frame){.features = FEATURES,
                       .centre = t->centre,
                       .scale = t->scale,
                       .target_centre = t->target_centre,
                       .target_scale = t->target_scale};
}

/* The integers of a table; returns the sd of the noise, in integers. */
static double ask(sotto_table *table, const curator_policy *policy,
                  const told *t, double mu, int64_t *out)
{
    double s[WIDTH * WIDTH], sd, reach = (double)(float)t->reach,
                                 unit = reach * reach / KERNEL_CLIP;
    ask_plan plan = plan_one(some(ASK_CROSS, 1, mu));
    ask_frame frame = frame_of(t);
    curator *c;
    sotto_error error;
    CHECK(curator_open(&c, &table, policy, &plan, &error));
    CHECK(curator_tell_frame(c, &frame, &error));
    CHECK(curator_ask_cross(c, t->reach, s, &sd, &error));
    for (int a = 0; out && a < WIDTH; a++)
        for (int b = a; b < WIDTH; b++) {
            double k = s[a * WIDTH + b] * (a == b ? 1 : sqrt(2)) / unit;
            assert_true(s[a * WIDTH + b] == s[b * WIDTH + a]);
            assert_true(fabs(k - rint(k)) < 1e-2);
            *out++ = (int64_t)rint(k);
        }
    curator_close(c);
    return sd / unit;
}

static sotto_table *table_of(const char *text)
{
    return read_text("d.csv", text,
                     SETTINGS({"target", "t"}, {"precision", "float"}));
}

static double length(const int64_t *a, const int64_t *b)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++) {
        double d = (double)(a[i] - (b ? b[i] : 0));
        sum += d * d;
    }
    return sqrt(sum);
}

/* ---- tests ---- */

/* u = (.4, .8, 1, .5): by hand, and shortened by half of its length. */
static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain();
    told t = usual();
    int64_t k[CELLS];
    const double u[WIDTH] = {.4, .8, 1, .5};
    double square = .16 + .64 + 1 + .25;
    for (int shorter = 0; shorter < 2; shorter++) {
        t.reach = shorter ? sqrt(square) / 2 : 2;
        double times = shorter ? .25 : 1;
        ask(table_of("a,b,t\n.5,.2,1.25\n"), &policy, &t, 0, k);
        const int64_t *at = k;
        for (int a = 0; a < WIDTH; a++)
            for (int b = a; b < WIDTH; b++) {
                double want = times * u[a] * u[b] * (a == b ? 1 : sqrt(2));
                double unit = t.reach * t.reach / KERNEL_CLIP;
                assert_true(fabs((double)*at++ * unit - want) < 1e-5);
            }
    }
}

static void put_record(text_buffer *dense, text_buffer *sparse)
{
    double a = uniform() < .3 ? 0 : 3 * uniform() - 1.5;
    double b = uniform() < .3 ? 0 : 2 * uniform() - 1, y = 5 * uniform() - 2;
    text_format(dense, "%.9g,%.9g,%.9g\n", a, b, y);
    if (!sparse)
        return;
    text_format(sparse, "%.9g", y);
    if (a != 0)
        text_format(sparse, " 1:%.9g", a);
    if (b != 0)
        text_format(sparse, " 2:%.9g", b);
    text_put(sparse, "\n");
}

/* The sum of what rows add by themselves; the same for each storage,
   instruction set and number of threads. */
static void test_rows_are_alone(void **state)
{
    (void)state;
    static const kernel_isa sets[] = {KERNEL_AUTO, KERNEL_SCALAR, KERNEL_AVX2};
    text_buffer dense = {0}, sparse = {0};
    curator_policy policy = plain();
    told t = usual();
    int64_t sum[CELLS] = {0}, one[CELLS];
    text_put(&dense, "a,b,t\n");
    for (int i = 0; i < 600; i++) { /* more than a block */
        text_buffer row = {0};
        size_t from = dense.length;
        put_record(&dense, &sparse);
        text_put(&row, "a,b,t\n");
        text_put(&row, dense.data + from);
        ask(table_of(row.data), &policy, &t, 0, one);
        for (int k = 0; k < CELLS; k++)
            sum[k] += one[k];
        text_free(&row);
    }
    for (int i = 0; i < 3; i++) {
        policy.isa = sets[i];
        policy.threads = i + 1;
        if (!kernel_get(sets[i]))
            continue;
        ask(table_of(dense.data), &policy, &t, 0, one);
        assert_memory_equal(one, sum, sizeof sum);
        ask(read_text("d.svm", sparse.data,
                      SETTINGS({"loss", "squared"}, {"precision", "float"},
                               {"features", "2"})),
            &policy, &t, 0, one);
        assert_memory_equal(one, sum, sizeof sum);
    }
    text_free(&dense);
    text_free(&sparse);
}

static sotto_table *wild_record(void)
{
    char row[200];
    double x[3];
    for (int j = 0; j < 3; j++) {
        x[j] = (uniform() - .5) * pow(10, 74 * (uniform() - .5));
        x[j] = uniform() < .1 ? 0 : x[j];
    }
    snprintf(row, sizeof row, "a,b,t\n%.9g,%.9g,%.17g\n", x[0], x[1], x[2]);
    return table_of(row);
}

/* Whatever records are, and whatever is told. */
static void test_bounds(void **state)
{
    (void)state;
    double longest = 0, farthest = 0;
    curator_policy policy = plain();
    for (int run = 0; run < 4000; run++) {
        told t = usual();
        int64_t first[CELLS], second[CELLS];
        if (run % 2) {
            for (int j = 0; j < FEATURES; j++)
                t.scale[j] = pow(10, 40 * (uniform() - .5));
            t.target_scale = pow(10, 40 * (uniform() - .5));
            t.target_centre = pow(10, 40 * (uniform() - .5));
        }
        t.reach = pow(10, 8 * (uniform() - .5));
        policy.intercept = 1;
        ask(wild_record(), &policy, &t, 0, first);
        ask(wild_record(), &policy, &t, 0, second);
        longest = fmax(longest, length(first, NULL));
        farthest = fmax(farthest, length(first, second));
    }
    ask_item item = some(ASK_CROSS, 1, 1);
    policy.without_noise = 0;
    assert_true(longest <= gate_sensitivity(&policy, &item, FEATURES));
    assert_true(longest >= .999 * KERNEL_CLIP);
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    assert_true(farthest <= gate_sensitivity(&policy, &item, FEATURES));
    assert_true(farthest >= .99 * sqrt(2) * KERNEL_CLIP);
}

/* Noise goes by what is charged, and every number that gets some is counted.
 */
static void test_charged(void **state)
{
    (void)state;
    static const struct {
        account_adjacency adjacency;
        double times;
    } cases[] = {{ACCOUNT_ADD_REMOVE, 1},
                 {ACCOUNT_ZERO_OUT, 1},
                 {ACCOUNT_REPLACE_ONE, 1.41421356}};
    told t = usual();
    for (int i = 0; i < 3; i++)
        for (int people = 1; people < 4; people += 2) {
            curator_policy policy = plain();
            policy.adjacency = cases[i].adjacency;
            policy.rows_per_person = people;
            policy.without_noise = 0;
            double sd = ask(table_of("a,b,t\n1,2,3\n"), &policy, &t, .5, NULL);
            double want = cases[i].times * people * KERNEL_CLIP / .5;
            assert_true(sd >= want && sd < want * (1 + 1e-5));
        }
    ask_item item = some(ASK_CROSS, 1, 1);
    assert_true(curator_draws(&item, FEATURES) >= CELLS);
}

/* A frame that has the target suits no other question, and this question
   takes no other frame. */
static void test_refused(void **state)
{
    (void)state;
    curator_policy policy = plain();
    told t = usual();
    double out[64], sd, map[WIDTH * WIDTH] = {0};
    ask_plan plan = {.item = {some(ASK_MATRIX, 1, 0), some(ASK_CROSS, 1, 0),
                              some(ASK_WHITENED, 1, 0)},
                     .items = 3};
    for (int with = 0; with < 2; with++) {
        sotto_table *table = table_of("a,b,t\n1,2,3\n");
        curator *c;
        sotto_error error;
        CHECK(curator_open(&c, &table, &policy, &plan, &error));
        ask_frame frame = frame_of(&t);
        assert_int_equal(curator_ask_cross(c, 1, out, &sd, &error),
                         SOTTO_USAGE);
        frame.target_scale = NAN;
        assert_int_equal(curator_tell_frame(c, &frame, &error), SOTTO_USAGE);
        frame.target_scale = with ? 1 : 0;
        CHECK(curator_tell_frame(c, &frame, &error));
        if (with) {
            assert_int_equal(curator_ask_matrix(c, 1, out, &sd, &error),
                             SOTTO_USAGE);
            assert_int_equal(curator_tell_map(c, map, &error), SOTTO_USAGE);
            assert_int_equal(curator_ask_whitened(c, 1, out, &sd, &error),
                             SOTTO_USAGE);
            assert_int_equal(curator_ask_cross(c, INFINITY, out, &sd, &error),
                             SOTTO_USAGE);
            CHECK(curator_ask_cross(c, 1, out, &sd, &error));
            assert_int_equal(curator_ask_cross(c, 1, out, &sd, &error),
                             SOTTO_BUDGET);
        } else
            assert_int_equal(curator_ask_cross(c, 1, out, &sd, &error),
                             SOTTO_USAGE);
        curator_close(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning), cmocka_unit_test(test_rows_are_alone),
        cmocka_unit_test(test_bounds),  cmocka_unit_test(test_charged),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
