/*
 * Questions about more than two classes (Lemma C26). What a record adds
 * depends on no other record and not on the storage; it is never longer than
 * what is charged, whatever the record's bits and whatever is told; its value
 * is the defined one; and a plan for another number of classes is refused.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

enum { FEATURES = 3, WIDTH = FEATURES + 1, CLASSES = 4, EDGES = 3 };

static uint64_t seed = 29;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* ---- all questions at once ---- */

typedef struct part {
    ask_kind kind;
    int answers;
} part;

static const part parts[] = {{ASK_CLASS_COUNTS, CLASSES},
                             {ASK_CLASS_GRADIENT, WIDTH *CLASSES},
                             {ASK_LENGTHS, 2},
                             {ASK_LENGTH_COUNTS, EDGES + 1},
                             {ASK_CLASS_BEND, 2},
                             {ASK_CHANGE, 1}};

enum {
    PARTS = sizeof parts / sizeof *parts,
    ANSWERS = CLASSES + WIDTH * CLASSES + 2 + EDGES + 1 + 2 + 1
};

typedef struct told {
    double centre[FEATURES], scale[FEATURES], map[WIDTH * WIDTH];
    double at[WIDTH * CLASSES], other[CLASSES], edge[EDGES];
    double clip, most, bend, loss_most;
} told;

static told usual(void)
{
    told t = {.centre = {.1, -.2, 0},
              .scale = {1, .5, 2},
              .other = {.1, -.3, .4, 0},
              .edge = {1, .5, .25},
              .clip = .7,
              .most = 3,
              .bend = 4,
              .loss_most = 2};
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? .1 * (i % 3) : 1.5;
    for (int i = 0; i < WIDTH * CLASSES; i++)
        t.at[i] = .3 * (i % 5) - .5;
    return t;
}

static ask_plan plan_all(double mu)
{
    ask_plan plan = {.items = PARTS};
    for (int i = 0; i < PARTS; i++) {
        plan.item[i] = some(parts[i].kind, 1, mu);
        if (question_of(parts[i].kind)->block == BLOCK_CLASSES)
            plan.item[i].block = CLASSES;
    }
    return plan;
}

static curator_policy plain(void)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {LOSS_LOGISTIC, 0},
                            .classes = CLASSES,
                            .weight_bound = 1,
                            .intercept = 1,
                            .without_noise = 1,
                            .insecure = 1,
                            .seed = 3};
}

static void put(int64_t **to, const double *from, int count, double unit)
{
    for (int i = 0; i < count; i++) {
        double k = from[i] / unit;
        assert_true(fabs(k - rint(k)) < 1e-3);
        *(*to)++ = (int64_t)rint(k);
    }
}

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static void tell_all(curator *c, const told *t)
{
    sotto_error error;
    const ask_frame frame = {
        .features = FEATURES, .centre = t->centre, .scale = t->scale};
    CHECK(curator_tell_frame(c, &frame, &error));
    CHECK(curator_tell_map(c, t->map, &error));
    CHECK(curator_tell_classes(c, t->at, &error));
}

/* All integers of a table; `length`: the sd of each question's noise. */
static void ask_all(sotto_table *table, const curator_policy *policy,
                    const told *t, double mu, int64_t *out, double *length)
{
    double spare[PARTS], value[WIDTH * CLASSES], sd;
    const double one = 1. / KERNEL_CLIP;
    ask_plan plan = plan_all(mu);
    curator *c;
    sotto_error error;
    length = length ? length : spare;
    CHECK(curator_open(&c, &table, policy, &plan, &error));
    CHECK(curator_ask_class_counts(c, value, &sd, &error));
    put(&out, value, CLASSES, one);
    *length++ = sd / one;
    tell_all(c, t);
    CHECK(curator_ask_class_gradient(c, t->clip, value, &sd, &error));
    put(&out, value, WIDTH * CLASSES, t->clip * one);
    *length++ = sd / (t->clip * one);
    CHECK(curator_ask_lengths(c, t->most, value, &sd, &error));
    put(&out, value, 2, one);
    *length++ = sd / one;
    CHECK(curator_ask_length_counts(c, t->edge, EDGES, value, &sd, &error));
    put(&out, value, EDGES + 1, one);
    *length++ = sd / one;
    CHECK(curator_ask_class_bend(c, t->bend, value, &sd, &error));
    put(&out, value, 2, one);
    *length++ = sd / one;
    CHECK(curator_ask_class_change(c, t->other, t->loss_most, value, &sd,
                                   &error));
    put(&out, value, 1, t->loss_most * one);
    *length = sd / (t->loss_most * one);
    curator_close(c);
}

/* ---- records ---- */

#include "../class_records.h"

/* ---- tests ---- */

static void test_rows_are_alone(void **state)
{
    (void)state;
    enum { ROWS = 600 }; /* more than a block */
    text_buffer all = {0};
    int64_t sum[ANSWERS] = {0}, one[ANSWERS];
    told t = usual();
    curator_policy policy = plain();
    text_put(&all, "a,b,c,t\n");
    for (int i = 0; i < ROWS; i++) {
        text_buffer row = {0};
        text_put(&row, "a,b,c,t\n");
        size_t head = row.length;
        put_record(&row, NULL);
        text_put(&all, row.data + head);
        ask_all(table_of(row.data), &policy, &t, 0, one, NULL);
        for (int a = 0; a < ANSWERS; a++)
            sum[a] += one[a];
        text_free(&row);
    }
    ask_all(table_of(all.data), &policy, &t, 0, one, NULL);
    assert_memory_equal(one, sum, sizeof sum);
    text_free(&all);
}

static void test_storage(void **state)
{
    (void)state;
    static const kernel_isa sets[] = {KERNEL_AUTO, KERNEL_SCALAR, KERNEL_AVX2};
    text_buffer dense = {0}, sparse = {0};
    int64_t expected[ANSWERS], seen[ANSWERS];
    told t = usual();
    curator_policy policy = plain();
    text_put(&dense, "a,b,c,t\n");
    for (int i = 0; i < 700; i++)
        put_record(&dense, &sparse);
    ask_all(table_of(dense.data), &policy, &t, 0, expected, NULL);
    for (int i = 0; i < 3; i++) {
        policy.isa = sets[i];
        policy.threads = i + 1;
        if (!kernel_get(sets[i]))
            continue;
        ask_all(read_text("d.svm", sparse.data,
                          SETTINGS({"loss", "logistic"}, {"classes", "0"},
                                   {"classes", "1"}, {"classes", "2"},
                                   {"classes", "3"}, {"precision", "float"},
                                   {"features", "3"})),
                &policy, &t, 0, seen, NULL);
        assert_memory_equal(seen, expected, sizeof seen);
    }
    text_free(&dense);
    text_free(&sparse);
}

/* A record of any size, as a table. */
static sotto_table *wild_record(void)
{
    text_buffer row = {0};
    text_put(&row, "a,b,c,t\n");
    for (int j = 0; j < FEATURES; j++) {
        double x =
            (uniform() - .5) * fmin(pow(10, 80 * (uniform() - .5)), 3e38);
        text_format(&row, "%.9g,", uniform() < .1 ? 0 : x);
    }
    text_format(&row, "%d\n", (int)(uniform() * CLASSES));
    sotto_table *t = table_of(row.data);
    text_free(&row);
    return t;
}

static told wild(void)
{
    told t = usual();
    for (int j = 0; j < FEATURES; j++) {
        t.scale[j] = pow(10, 58 * (uniform() - .5));
        t.centre[j] = (uniform() - .5) * pow(10, 58 * (uniform() - .5));
    }
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = (uniform() - .5) * pow(10, 40 * (uniform() - .5));
    for (int i = 0; i < WIDTH * CLASSES; i++)
        t.at[i] *= pow(10, 58 * (uniform() - .5));
    t.clip = pow(10, 56 * (uniform() - .5));
    t.most = pow(10, 56 * (uniform() - .5));
    t.bend = pow(10, 56 * (uniform() - .5));
    t.loss_most = pow(10, 56 * (uniform() - .5));
    return t;
}

/* Any two records of any bits, whatever is told: what one adds, and what
   another in its place changes, is at most what the noise is made for. */
static void test_bounds(void **state)
{
    (void)state;
    double added[PARTS], replaced[PARTS];
    curator_policy policy = plain();
    told t = usual();
    int64_t a[ANSWERS], b[ANSWERS];
    policy.without_noise = 0;
    ask_all(wild_record(), &policy, &t, 1, a, added);
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    ask_all(wild_record(), &policy, &t, 1, a, replaced);
    policy.without_noise = 1;
    for (int trial = 0; trial < 3000; trial++) {
        if (trial % 3)
            t = wild();
        ask_all(wild_record(), &policy, &t, 0, a, NULL);
        ask_all(wild_record(), &policy, &t, 0, b, NULL);
        for (int i = 0, at = 0; i < PARTS; at += parts[i++].answers) {
            double one = 0, both = 0;
            for (int k = at; k < at + parts[i].answers; k++) {
                one += (double)a[k] * (double)a[k];
                both += (double)(a[k] - b[k]) * (double)(a[k] - b[k]);
            }
            assert_true(one <= added[i] * added[i]);
            assert_true(both <= replaced[i] * replaced[i]);
        }
    }
}

/* By hand, with the mathematical library: margins, probabilities and all that
   is made of them, for one row. The clip does not cut, then it does. */
static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain();
    const double unit = 1. / KERNEL_CLIP, z[WIDTH] = {.5, -1, .25, 1};
    double m[CLASSES] = {0}, p[CLASSES], sum = 0, most = 0, squares = 0;
    told t = usual();
    int64_t k[ANSWERS];
    for (int j = 0; j < FEATURES; j++) {
        t.centre[j] = 0;
        t.scale[j] = 1;
    }
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? 0 : 1;
    for (int c = 0; c < CLASSES; c++) {
        for (int j = 0; j < WIDTH; j++)
            m[c] += z[j] * t.at[j * CLASSES + c];
        sum += exp(m[c]);
        most += exp(t.other[c]);
    }
    double length = 0, square = .25 + 1 + .0625 + 1, slope[CLASSES];
    for (int c = 0; c < CLASSES; c++) {
        p[c] = exp(m[c]) / sum;
        squares += p[c] * p[c];
        slope[c] = p[c] - (c == 2);
        length += slope[c] * slope[c];
    }
    length = sqrt(length * square);
    double change = log(sum) - m[2] - (log(most) - t.other[2]);
    for (int cut = 0; cut < 2; cut++) {
        t.clip = cut ? length / 3 : 100;
        ask_all(table_of("a,b,c,t\n.5,-1,.25,2\n"), &policy, &t, 0, k, NULL);
        assert_true(k[0] == 0 && k[1] == 0 && k[2] == KERNEL_CLIP && k[3] == 0);
        const int64_t *at = k + CLASSES;
        for (int j = 0; j < WIDTH; j++)
            for (int c = 0; c < CLASSES; c++) {
                double is = (double)*at++ * t.clip * unit;
                assert_true(fabs(is - z[j] * slope[c] / (cut ? 3 : 1)) < 1e-4);
            }
        assert_true(fabs((double)at[0] * unit * t.most - length) < 1e-5);
        at += 2;
        assert_true(at[length > 1 ? 0 : length > .5 ? 1 : 2] == KERNEL_CLIP);
        at += EDGES + 1;
        double w = square / t.bend;
        assert_true(fabs((double)at[0] * unit - w * (1 - squares)) < 1e-6);
        assert_true(fabs((double)at[1] * unit - w) < 1e-6);
        assert_true(fabs((double)at[2] * unit * t.loss_most - change) < 1e-5);
    }
}

/* The portable softmax against the mathematical library, and at its ends. */
static void test_softmax(void **state)
{
    (void)state;
    double m[5], p[5];
    for (int trial = 0; trial < 20000; trial++) {
        double most = -INFINITY, sum = 0, all = 0;
        double size = pow(10, 4 * uniform() - 2);
        for (int k = 0; k < 5; k++) {
            m[k] = (2 * uniform() - 1) * size;
            most = fmax(most, m[k]);
        }
        for (int k = 0; k < 5; k++)
            sum += exp(m[k] - most);
        double is = loss_portable_softmax(m, 5, p);
        assert_true(fabs(is - most - log(sum)) <= 1e-13 * (1 + fabs(most)));
        for (int k = 0; k < 5; k++) {
            assert_true(fabs(p[k] - exp(m[k] - most) / sum) <= 1e-13);
            all += p[k];
        }
        assert_true(fabs(all - 1) < 1e-14);
    }
    const double ends[5] = {0x1p200, -0x1p200, NAN, 0, 0x1p200};
    assert_true(loss_portable_softmax(ends, 5, p) >= 0x1p200);
    assert_true(p[0] == .5 && p[4] == .5 && p[1] == 0 && p[2] == 0);
}

static void refuse_plan(ask_plan plan, const curator_policy *policy,
                        const char *words)
{
    sotto_error error;
    sotto_status status = curator_check(policy, &plan, FEATURES, &error);
    assert_true(status != SOTTO_OK);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

/* Questions of two classes, other numbers of classes, weights that were not
   told in these coordinates: refused, and nothing is charged. */
static void test_refused(void **state)
{
    (void)state;
    curator_policy policy = plain(), two = plain();
    ask_item item = some(ASK_CLASS_GRADIENT, 1, 0);
    two.classes = 0;
    for (ask_kind kind = 0; kind < ASK_KINDS; kind++) {
        ask_item of_two = some(kind, 1, 0);
        if (question_of(kind)->form == FORM_CHOICE)
            of_two.noise = ASK_FLIP;
        if (!question_of(kind)->any_classes && !question_of(kind)->sketch &&
            question_of(kind)->block == BLOCK_FEATURES)
            refuse_plan(plan_one(of_two), &policy, "more than two classes");
    }
    for (int64_t block = 0; block <= ASK_MOST_CLASSES + 1; block++) {
        item.block = block;
        if (block != CLASSES)
            refuse_plan(plan_one(item), &policy, "number of classes");
    }
    item.block = CLASSES;
    refuse_plan(plan_one(item), &two, "number of classes");
    policy.without_noise = 0; /* then there must be some */
    refuse_plan(plan_one(item), &policy, "budget is too small");
    policy.without_noise = 1;

    ask_plan plan = plan_all(0);
    sotto_table *table = table_of("a,b,c,t\n1,2,3,2\n");
    curator *c;
    sotto_error error;
    told t = usual();
    double out[WIDTH * CLASSES], sd;
    CHECK(curator_open(&c, &table, &policy, &plan, &error));
    assert_int_equal(curator_tell_classes(c, t.at, &error), SOTTO_USAGE);
    tell_all(c, &t);
    CHECK(curator_tell_map(c, t.map, &error)); /* forgets the weights */
    assert_int_equal(curator_ask_class_gradient(c, 1, out, &sd, &error),
                     SOTTO_USAGE);
    t.at[3] = NAN;
    assert_int_equal(curator_tell_classes(c, t.at, &error), SOTTO_USAGE);
    t.at[3] = 0;
    CHECK(curator_tell_classes(c, t.at, &error));
    assert_int_equal(curator_ask_class_gradient(c, INFINITY, out, &sd, &error),
                     SOTTO_USAGE);
    CHECK(curator_ask_class_gradient(c, 1, out, &sd, &error));
    assert_int_equal(curator_ask_class_gradient(c, 1, out, &sd, &error),
                     SOTTO_BUDGET);
    curator_close(c);
    table = table_of("a,b,c,t\n1,2,3,2\n");
    two.loss.kind = LOSS_LOGISTIC;
    ask_plan none = {0};
    assert_int_equal(curator_open(&c, &table, &two, &none, &error),
                     SOTTO_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_alone), cmocka_unit_test(test_storage),
        cmocka_unit_test(test_bounds),         cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_softmax),        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
