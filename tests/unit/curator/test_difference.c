/*
 * Batches of differences: each record's gradient at the iterate minus that at
 * the anchor, clipped. What a record adds depends on no other record and not on
 * the storage; it is never longer than what is charged; and its value is the
 * defined one.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

enum { FEATURES = 3, ALL = FEATURES + 1 };

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static uint64_t seed = 57;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC,
                                  LOSS_SQUARED_HINGE, LOSS_HUBER};

static curator_policy plain(loss_kind kind)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {kind, 1.35},
                            .weight_bound = 1,
                            .intercept = 1,
                            .without_noise = 1,
                            .insecure = 1,
                            .seed = 3};
}

typedef struct told {
    double anchor[ALL], at[ALL], scale[ALL], clip;
} told;

static told usual(void)
{
    return (told){{.2, -.3, .1, .05}, {.9, .4, -.8, .3}, {1, 2, .5, 1}, .7};
}

/* The integers of a batch of everybody. */
static void ask(sotto_table *table, const curator_policy *policy, const told *t,
                int64_t *out)
{
    ask_plan plan = plan_one(some(ASK_DIFFERENCE, 1, 0));
    double answer[ALL], factor = (double)(float)(KERNEL_CLIP / t->clip);
    curator *c;
    sotto_error error;
    CHECK(curator_open(&c, &table, policy, &plan, &error));
    curator_tell_all(c, t->anchor);
    CHECK(curator_tell_anchor(c, &error));
    curator_tell_all(c, t->at);
    CHECK(curator_ask_difference(c, t->clip, t->scale, answer, &error));
    for (int j = 0; j < ALL; j++) {
        double k = answer[j] * factor;
        assert_true(fabs(k - rint(k)) < 1e-3);
        out[j] = (int64_t)rint(k);
    }
    curator_close(c);
}

static sotto_table *table_of(const char *text, const char *kind)
{
    return read_text(
        "d.csv", text,
        SETTINGS({"target", "t"}, {"loss", kind}, {"precision", "float"}));
}

static void put_record(text_buffer *dense, text_buffer *sparse, int classes)
{
    double x[FEATURES], y = uniform() - .4;
    for (int j = 0; j < FEATURES; j++) {
        x[j] = uniform() < .3 ? 0 : 3 * uniform() - 1.5;
        y += x[j] / (j + 2);
    }
    y = !classes ? y : y > 0 ? 1 : -1;
    text_format(sparse, "%.9g", y);
    for (int j = 0; j < FEATURES; j++) {
        text_format(dense, "%.9g,", x[j]);
        if (x[j] != 0)
            text_format(sparse, " %d:%.9g", j + 1, x[j]);
    }
    text_format(dense, "%.9g\n", y);
    text_put(sparse, "\n");
}

/* ---- tests ---- */

/* For the squared loss a difference is (x'(w - anchor)) x, clipped, whatever
   the target. */
static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    const double x[ALL] = {.5, -.25, 1, 1};
    for (int clipped = 0; clipped < 2; clipped++) {
        told t = usual();
        int64_t k[ALL];
        double slope = 0, length = 0, z[ALL];
        t.clip = clipped ? .1 : 50;
        for (int j = 0; j < ALL; j++) {
            slope += x[j] * (t.at[j] - t.anchor[j]);
            z[j] = x[j] * t.scale[j];
            length += z[j] * z[j];
        }
        double times = slope;
        if (clipped)
            times = copysign(t.clip / sqrt(length), slope);
        assert_true(fabs(slope) > .2);
        ask(table_of("a,b,c,t\n.5,-.25,1,77\n", "squared"), &policy, &t, k);
        for (int j = 0; j < ALL; j++)
            assert_true(fabs((double)k[j] * t.clip / KERNEL_CLIP -
                             times * z[j]) < 1e-4 * t.clip);
    }
}

/* At the anchor every difference is exactly 0. */
static void test_nothing_at_the_anchor(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        curator_policy policy = plain(kinds[k]);
        told t = usual();
        int64_t out[ALL];
        memcpy(t.at, t.anchor, sizeof t.at);
        ask(table_of("a,b,c,t\n.5,-.25,1,1\n2,1,7,-1\n", loss_name(kinds[k])),
            &policy, &t, out);
        for (int j = 0; j < ALL; j++)
            assert_true(out[j] == 0);
    }
}

/* The sum of what rows add by themselves, for each storage, instruction set
   and number of threads. */
static void test_rows_are_alone(void **state)
{
    (void)state;
    static const kernel_isa sets[] = {KERNEL_AUTO, KERNEL_SCALAR, KERNEL_AVX2,
                                      KERNEL_AVX512};
    for (int l = 0; l < 4; l++) {
        const char *name = loss_name(kinds[l]);
        text_buffer dense = {0}, sparse = {0};
        curator_policy policy = plain(kinds[l]);
        told t = usual();
        int64_t sum[ALL] = {0}, one[ALL];
        text_put(&dense, "a,b,c,t\n");
        for (int i = 0; i < 600; i++) { /* more than are gathered at once */
            text_buffer row = {0};
            size_t from = dense.length;
            put_record(&dense, &sparse, loss_has_classes(kinds[l]));
            text_put(&row, "a,b,c,t\n");
            text_put(&row, dense.data + from);
            ask(table_of(row.data, name), &policy, &t, one);
            for (int k = 0; k < ALL; k++)
                sum[k] += one[k];
            text_free(&row);
        }
        for (int i = 0; i < 4; i++) {
            policy.isa = sets[i];
            policy.threads = i + 1;
            if (!kernel_get(sets[i]))
                continue;
            ask(table_of(dense.data, name), &policy, &t, one);
            assert_memory_equal(one, sum, sizeof sum);
            ask(read_text("d.svm", sparse.data,
                          SETTINGS({"loss", name}, {"precision", "float"},
                                   {"features", "3"})),
                &policy, &t, one);
            assert_memory_equal(one, sum, sizeof sum);
        }
        text_free(&dense);
        text_free(&sparse);
    }
}

/* Whatever records are, and whatever is told. */
static void test_bound(void **state)
{
    (void)state;
    double longest = 0;
    curator_policy policy = plain(LOSS_SQUARED);
    for (int run = 0; run < 4000; run++) {
        told t = usual();
        char row[200];
        int64_t k[ALL];
        double x[ALL], square = 0;
        for (int j = 0; j < ALL; j++) {
            x[j] = (uniform() - .5) * pow(10, 74 * (uniform() - .5));
            t.scale[j] = pow(10, 10 * (uniform() - .5));
            t.at[j] = (uniform() - .5) * pow(10, 70 * (uniform() - .5));
            t.anchor[j] = (uniform() - .5) * pow(10, 70 * (uniform() - .5));
        }
        t.clip = pow(10, 10 * (uniform() - .5));
        snprintf(row, sizeof row, "a,b,c,t\n%.9g,%.9g,%.9g,%.9g\n", x[0], x[1],
                 x[2], x[3]);
        ask(table_of(row, "squared"), &policy, &t, k);
        for (int j = 0; j < ALL; j++)
            square += (double)k[j] * (double)k[j];
        longest = fmax(longest, sqrt(square));
    }
    assert_true(longest <= KERNEL_CLIP);
    assert_true(longest >= .999 * KERNEL_CLIP);
}

static void test_refused(void **state)
{
    (void)state;
    curator_policy policy = plain(LOSS_SQUARED);
    ask_plan plan = plan_one(some(ASK_DIFFERENCE, 1, 0));
    told t = usual();
    double out[ALL];
    curator *c;
    sotto_error error;
    sotto_table *table = table_of("a,b,c,t\n1,2,3,4\n", "squared");
    CHECK(curator_open(&c, &table, &policy, &plan, &error));
    assert_int_equal(curator_ask_difference(c, 1, t.scale, out, &error),
                     SOTTO_USAGE);
    CHECK(curator_tell_anchor(c, &error));
    assert_int_equal(curator_ask_difference(c, INFINITY, t.scale, out, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_ask_batch(c, 1, t.scale, out, &error),
                     SOTTO_BUDGET);
    CHECK(curator_ask_difference(c, 1, t.scale, out, &error));
    assert_int_equal(curator_ask_difference(c, 1, t.scale, out, &error),
                     SOTTO_BUDGET);
    curator_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_nothing_at_the_anchor),
        cmocka_unit_test(test_rows_are_alone),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
