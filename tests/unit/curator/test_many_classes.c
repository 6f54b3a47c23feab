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

static void rows_are_alone(const curator_policy *policy)
{
    enum { ROWS = 600 }; /* more than a block */
    text_buffer all = {0};
    int64_t sum[ANSWERS] = {0}, one[ANSWERS];
    told t = usual();
    text_put(&all, "a,b,c,t\n");
    for (int i = 0; i < ROWS; i++) {
        text_buffer row = {0};
        text_put(&row, "a,b,c,t\n");
        size_t head = row.length;
        put_record(&row, NULL);
        text_put(&all, row.data + head);
        ask_all(table_of(row.data), policy, &t, 0, one, NULL);
        for (int a = 0; a < ANSWERS; a++)
            sum[a] += one[a];
        text_free(&row);
    }
    ask_all(table_of(all.data), policy, &t, 0, one, NULL);
    assert_memory_equal(one, sum, sizeof sum);
    text_free(&all);
}

static void test_rows_are_alone(void **state)
{
    (void)state;
    curator_policy policy = plain();
    for (int i = 0; i < CLASS_LOSSES; i++) {
        take_loss(&policy, i);
        rows_are_alone(&policy);
    }
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
    for (int i = 0; i < 3 * CLASS_LOSSES; i++) {
        take_loss(&policy, i / 3);
        policy.isa = KERNEL_SCALAR;
        policy.threads = 1;
        ask_all(table_of(dense.data), &policy, &t, 0, expected, NULL);
        policy.isa = sets[i % 3];
        policy.threads = i % 3 + 1;
        if (!kernel_get(sets[i % 3]))
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
    for (int trial = 0; trial < 1500 * CLASS_LOSSES; trial++) {
        take_loss(&policy, trial % CLASS_LOSSES);
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

/* ---- weights ---- */

/* The gradient's integers at weights of 0, without an intercept; their
   length. */
static double weighted_length(const char *text, const curator_policy *policy,
                              double clip, int64_t *out)
{
    static const double centre[FEATURES], at[FEATURES * CLASSES];
    const double scale[FEATURES] = {1, 1, 1};
    const ask_frame frame = {
        .features = FEATURES, .centre = centre, .scale = scale};
    ask_plan plan = {.items = 1};
    double value[FEATURES * CLASSES], sd, square = 0;
    curator *c;
    sotto_error error;
    sotto_table *table =
        read_text("d.csv", text,
                  SETTINGS({"target", "t"}, {"loss", "logistic"},
                           {"classes", "0"}, {"classes", "1"}, {"classes", "2"},
                           {"classes", "3"}, {"weights", "w"},
                           {"weight-bound", "1e36"}, {"precision", "float"}));
    plan.item[0] = some(ASK_CLASS_GRADIENT, 1, 0);
    plan.item[0].block = CLASSES;
    CHECK(curator_open(&c, &table, policy, &plan, &error));
    CHECK(curator_tell_frame(c, &frame, &error));
    CHECK(curator_tell_classes(c, at, &error));
    CHECK(curator_ask_class_gradient(c, clip, value, &sd, &error));
    for (int k = 0; k < FEATURES * CLASSES; k++) {
        out[k] = (int64_t)rint(value[k] * c->total / (clip / KERNEL_CLIP));
        square += (double)out[k] * (double)out[k];
    }
    curator_close(c);
    return sqrt(square);
}

static curator_policy weighted(void)
{
    curator_policy policy = plain();
    policy.weight_bound = 1e36;
    policy.intercept = 0;
    return policy;
}

/* Rows of zeros and next to zero, weights and clips of any size: slopes times
   weights over clips are beyond the largest float there. */
static void test_weighted_bounds(void **state)
{
    (void)state;
    static const char *const values[] = {"0,0,0", "1e-36,0,0", "1e-44,0,1e-40",
                                         "1e38,1,0", "1,-1,.5"};
    static const char *const weights[] = {"1e-40", "1", "1e6", "1e36"};
    curator_policy policy = weighted();
    int64_t out[FEATURES * CLASSES];
    for (int i = 0; i < 5 * 4 * 3 * CLASS_LOSSES; i++) {
        text_buffer row = {0};
        text_format(&row, "a,b,c,w,t\n%s,%s,2\n", values[i % 5],
                    weights[i / 5 % 4]);
        take_loss(&policy, i / 60);
        double clip = (const double[]){0x1p-100, 1, 0x1p100}[i / 20 % 3];
        assert_true(weighted_length(row.data, &policy, clip, out) <=
                    KERNEL_CLIP);
        text_free(&row);
    }
}

/* Rows that all add as much as they can in one direction: more than 32 bits
   have room for. */
static void test_many_long_rows(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    curator_policy policy = weighted();
    int64_t one[FEATURES * CLASSES], all[FEATURES * CLASSES];
    text_buffer rows = {0};
    text_put(&rows, "a,b,c,w,t\n");
    for (int i = 0; i < ROWS; i++)
        text_put(&rows, "1,0,0,1,2\n");
    assert_true(weighted_length("a,b,c,w,t\n1,0,0,1,2\n", &policy, 0x1p-20,
                                one) > .999 * KERNEL_CLIP);
    weighted_length(rows.data, &policy, 0x1p-20, all);
    for (int k = 0; k < FEATURES * CLASSES; k++)
        assert_int_equal(all[k], ROWS * one[k]);
    text_free(&rows);
}

/* ---- meaning ---- */

/* By hand, for one row of class 2: what is made of its margins. */
static const double row_of_2[WIDTH] = {.5, -1, .25, 1};

typedef struct made {
    double slope[CLASSES], bend, value, other;
} made;

static void margins_by_hand(const told *t, double *m)
{
    for (int c = 0; c < CLASSES; c++) {
        m[c] = 0;
        for (int j = 0; j < WIDTH; j++)
            m[c] += row_of_2[j] * t->at[j * CLASSES + c];
    }
}

static made softmax_by_hand(const told *t)
{
    made out = {.bend = 1};
    double m[CLASSES], sum = 0, other = 0;
    margins_by_hand(t, m);
    for (int c = 0; c < CLASSES; c++) {
        sum += exp(m[c]);
        other += exp(t->other[c]);
    }
    for (int c = 0; c < CLASSES; c++) {
        out.slope[c] = exp(m[c]) / sum - (c == 2);
        out.bend -= exp(2 * m[c]) / (sum * sum);
    }
    out.value = log(sum) - m[2];
    out.other = log(other) - t->other[2];
    return out;
}

/* Each class against all others, by what the library has of two classes. */
static made rest_by_hand(const told *t, const loss *l)
{
    made out = {0};
    double m[CLASSES], slope, curvature;
    margins_by_hand(t, m);
    for (int c = 0; c < CLASSES; c++) {
        double y = c == 2 ? 1 : -1;
        out.value += loss_at(l, m[c], y, &out.slope[c], &curvature);
        out.bend += curvature / loss_curvature_bound(l) / CLASSES;
        out.other += loss_at(l, t->other[c], y, &slope, &curvature);
    }
    return out;
}

/* The clip does not cut, then it does: all classes are shortened alike. */
static void compare(const curator_policy *policy, told *t, const made *is)
{
    const double unit = 1. / KERNEL_CLIP, square = .25 + 1 + .0625 + 1;
    double length = 0;
    int64_t k[ANSWERS];
    for (int c = 0; c < CLASSES; c++)
        length += is->slope[c] * is->slope[c];
    length = sqrt(length * square);
    for (int cut = 0; cut < 2; cut++) {
        t->clip = cut ? length / 3 : 100;
        ask_all(table_of("a,b,c,t\n.5,-1,.25,2\n"), policy, t, 0, k, NULL);
        assert_true(k[0] == 0 && k[1] == 0 && k[2] == KERNEL_CLIP && k[3] == 0);
        const int64_t *at = k + CLASSES;
        for (int j = 0; j < WIDTH; j++)
            for (int c = 0; c < CLASSES; c++) {
                double seen = (double)*at++ * t->clip * unit;
                double by_hand = row_of_2[j] * is->slope[c] / (cut ? 3 : 1);
                assert_true(fabs(seen - by_hand) < 1e-4);
            }
        assert_true(fabs((double)at[0] * unit * t->most - length) < 1e-5);
        at += 2;
        assert_true(at[length > 1 ? 0 : length > .5 ? 1 : 2] == KERNEL_CLIP);
        at += EDGES + 1;
        double w = square / t->bend;
        assert_true(fabs((double)at[0] * unit - w * is->bend) < 1e-6);
        assert_true(fabs((double)at[1] * unit - w) < 1e-6);
        assert_true(fabs((double)at[2] * unit * t->loss_most -
                         (is->value - is->other)) < 1e-5);
    }
}

static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain();
    told t = usual();
    t.most = t.loss_most = 8;
    for (int j = 0; j < FEATURES; j++) {
        t.centre[j] = 0;
        t.scale[j] = 1;
    }
    for (int i = 0; i < WIDTH * WIDTH; i++)
        t.map[i] = i % (WIDTH + 1) ? 0 : 1;
    for (int i = 0; i < CLASS_LOSSES; i++) {
        take_loss(&policy, i);
        made by_hand = policy.one_versus_rest ? rest_by_hand(&t, &policy.loss)
                                              : softmax_by_hand(&t);
        compare(&policy, &t, &by_hand);
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
    ask_plan gradient = plan_one(some(ASK_GRADIENT, 1, 0));
    table = read_text("d.csv", "a,t\n.5,1\n", SETTINGS({"target", "t"}));
    two.loss.kind = LOSS_SQUARED;
    two.without_noise = 1;
    CHECK(curator_open(&c, &table, &two, &gradient, &error));
    assert_int_equal(curator_ask_class_counts(c, out, &sd, &error),
                     SOTTO_USAGE);
    curator_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_alone),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_weighted_bounds),
        cmocka_unit_test(test_many_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
