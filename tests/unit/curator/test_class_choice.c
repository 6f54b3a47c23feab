/*
 * Choices of features for more than two classes (Lemma C28). What a record
 * adds depends on no other record and not on the storage; over all classes it
 * is never longer than what is charged, whatever the record's bits and
 * whatever is told, and it can be that long; a score is the length of the
 * sums, and moves no further than they do.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/choice.h"

enum { FEATURES = 3, CLASSES = 4, CELLS = FEATURES * CLASSES };

static uint64_t seed = 31;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

/* ---- all questions at once ---- */

typedef struct told {
    double clip[FEATURES], start[CLASSES], move[CLASSES];
    int64_t moved; /* this feature; -1: none */
} told;

static told usual(void)
{
    return (told){.clip = {.3, .7, 1.5},
                  .start = {.1, -.3, .4, 0},
                  .move = {.5, -.2, 0, -.3},
                  .moved = -1};
}

static curator_policy plain(void)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {LOSS_LOGISTIC, 0},
                            .classes = CLASSES,
                            .weight_bound = 1,
                            .without_noise = 1,
                            .insecure = 1,
                            .seed = 3};
}

static ask_plan plan_both(double mu)
{
    ask_item partial = some(ASK_CLASS_PARTIAL, FEATURES, mu);
    ask_item pick = some(ASK_CLASS_CHOICE, 1, mu);
    pick.noise = ASK_RANGE;
    partial.block = pick.block = CLASSES;
    return plan_two(partial, pick);
}

typedef struct answers {
    int64_t sum[CELLS], score[FEATURES], winner;
    double length; /* the sd of the noise, in integers */
} answers;

static void tell(curator *c, const told *t)
{
    sotto_error error;
    CHECK(curator_tell_class_scores(c, t->clip, t->start, &error));
    if (t->moved >= 0)
        CHECK(curator_tell_class_move(c, t->moved, t->move, &error));
}

static answers ask(sotto_table *table, const curator_policy *policy,
                   const told *t, double mu)
{
    ask_plan plan = plan_both(mu);
    answers out = {0};
    double value[CLASSES], sd;
    curator *c;
    sotto_error error;
    CHECK(curator_open(&c, &table, policy, &plan, &error));
    tell(c, t);
    for (int j = 0; j < FEATURES; j++) {
        double unit = t->clip[j] / KERNEL_CLIP;
        CHECK(curator_ask_class_partial(c, j, t->clip[j], value, &sd, &error));
        for (int k = 0; k < CLASSES; k++) {
            double n = value[k] / unit;
            assert_true(fabs(n - rint(n)) < 1e-3);
            out.sum[j * CLASSES + k] = (int64_t)rint(n);
        }
        out.length = sd / unit;
    }
    CHECK(curator_ask_class_choice(c, &out.winner, &error));
    memcpy(out.score, c->class_choice->score, sizeof out.score);
    curator_close(c);
    return out;
}

static double length_of(const int64_t *a, const int64_t *b)
{
    double square = 0;
    for (int k = 0; k < CLASSES; k++) {
        double d = (double)(a[k] - (b ? b[k] : 0));
        square += d * d;
    }
    return sqrt(square);
}

/* ---- records ---- */

#include "../class_records.h"

/* ---- tests ---- */

static void test_rows_are_alone(void **state)
{
    (void)state;
    enum { ROWS = 600 }; /* more than a block */
    curator_policy policy = plain();
    told t = usual();
    for (int trial = 0; trial < 2 * CLASS_LOSSES; trial++) {
        take_loss(&policy, trial / 2);
        t.moved = trial % 2 ? 1 : -1;
        text_buffer all = {0};
        int64_t sum[CELLS] = {0};
        text_put(&all, "a,b,c,t\n");
        for (int i = 0; i < ROWS; i++) {
            text_buffer row = {0};
            text_put(&row, "a,b,c,t\n");
            size_t head = row.length;
            put_record(&row, NULL);
            text_put(&all, row.data + head);
            answers one = ask(table_of(row.data), &policy, &t, 0);
            for (int a = 0; a < CELLS; a++)
                sum[a] += one.sum[a];
            text_free(&row);
        }
        answers both = ask(table_of(all.data), &policy, &t, 0);
        assert_memory_equal(both.sum, sum, sizeof sum);
        text_free(&all);
    }
}

static void test_storage(void **state)
{
    (void)state;
    text_buffer dense = {0}, sparse = {0};
    curator_policy policy = plain();
    told t = usual();
    t.moved = 1;
    text_put(&dense, "a,b,c,t\n");
    for (int i = 0; i < 700; i++)
        put_record(&dense, &sparse);
    answers a = ask(table_of(dense.data), &policy, &t, 0);
    answers b = ask(
        read_text("d.svm", sparse.data,
                  SETTINGS({"loss", "logistic"}, {"classes", "0"},
                           {"classes", "1"}, {"classes", "2"}, {"classes", "3"},
                           {"precision", "float"}, {"features", "3"})),
        &policy, &t, 0);
    assert_memory_equal(&a, &b, sizeof a);
    text_free(&dense);
    text_free(&sparse);
}

/* The whole part of the length, by long doubles; the moved feature is last; the
   winner is the best. */
static void test_scores(void **state)
{
    (void)state;
    curator_policy policy = plain();
    text_buffer text = {0};
    told t = usual();
    t.moved = 2;
    text_put(&text, "a,b,c,t\n");
    for (int i = 0; i < 300; i++)
        put_record(&text, NULL);
    answers a = ask(table_of(text.data), &policy, &t, 0);
    for (int j = 0; j < 2; j++) {
        long double square = 0;
        for (int k = 0; k < CLASSES; k++)
            square += (long double)a.sum[j * CLASSES + k] *
                      (long double)a.sum[j * CLASSES + k];
        assert_true(a.score[j] == (int64_t)floorl(sqrtl(square)));
        assert_true(a.score[j] > 1000);
        assert_true(a.score[a.winner] >= a.score[j]);
    }
    assert_true(a.score[2] < 0);
    text_free(&text);
}

/* A record of any size. */
static void put_wild(text_buffer *row)
{
    for (int j = 0; j < FEATURES; j++) {
        double x =
            (uniform() - .5) * fmin(pow(10, 80 * (uniform() - .5)), 3e38);
        text_format(row, "%.9g,", uniform() < .1 ? 0 : x);
    }
    text_format(row, "%d\n", (int)(uniform() * CLASSES));
}

static told wild(void)
{
    told t = usual();
    for (int j = 0; j < FEATURES; j++)
        t.clip[j] = pow(10, 56 * (uniform() - .5));
    for (int k = 0; k < CLASSES; k++) {
        t.start[k] *= pow(10, 58 * (uniform() - .5));
        t.move[k] *= pow(10, 58 * (uniform() - .5));
    }
    t.moved = (int64_t)(4 * uniform()) - 1;
    return t;
}

/* Three records of any bits, of which the last is gone, or another one:
   neither the sums nor the scores move further than the noise is made for. A
   feature that was moved has the same score in all. */
static void test_bounds(void **state)
{
    (void)state;
    curator_policy policy = plain();
    told t = usual();
    policy.without_noise = 0;
    double most = ask(table_of("a,b,c,t\n1,2,3,2\n"), &policy, &t, 1).length;
    double longest = 0;
    assert_true(most == KERNEL_CLIP);
    policy.without_noise = 1;
    for (int trial = 0; trial < 1500 * CLASS_LOSSES; trial++) {
        take_loss(&policy, trial % CLASS_LOSSES);
        text_buffer text[3] = {{0}, {0}, {0}};
        answers a[3];
        if (trial % 3)
            t = wild();
        text_put(&text[0], "a,b,c,t\n");
        put_wild(&text[0]);
        put_wild(&text[0]);
        for (int i = 1; i < 3; i++) {
            text_put(&text[i], text[0].data);
            put_wild(&text[i]);
        }
        for (int i = 0; i < 3; i++) {
            a[i] = ask(table_of(text[i].data), &policy, &t, 0);
            text_free(&text[i]);
        }
        for (int j = 0; j < FEATURES; j++) {
            const int64_t *sum = a[1].sum + j * CLASSES;
            double added = length_of(sum, a[0].sum + j * CLASSES);
            assert_true(added <= most);
            assert_true(length_of(sum, a[2].sum + j * CLASSES) <= 2 * most);
            assert_true(llabs(a[1].score[j] - a[0].score[j]) <= KERNEL_CLIP);
            assert_true(llabs(a[1].score[j] - a[2].score[j]) <=
                        2 * KERNEL_CLIP);
            longest = fmax(longest, added);
        }
    }
    assert_true(longest > most * (1 - 1e-5)); /* it is reached */
}

/* The clip does not cut, then it does: all classes are shortened alike. */
static void compare(const curator_policy *policy, told *t, const double *x,
                    const double *slope)
{
    double square = 0;
    for (int k = 0; k < CLASSES; k++)
        square += slope[k] * slope[k];
    for (int cut = 0; cut < 2; cut++) {
        for (int j = 0; j < FEATURES; j++)
            t->clip[j] = fabs(x[j]) * sqrt(square) * (cut ? 1. / 3 : 1.5);
        answers a = ask(table_of("a,b,c,t\n.5,-1,.25,2\n"), policy, t, 0);
        for (int j = 0; j < FEATURES; j++)
            for (int k = 0; k < CLASSES; k++) {
                double unit = t->clip[j] / KERNEL_CLIP * (cut ? 3 : 1);
                double is = (double)a.sum[j * CLASSES + k] * unit;
                assert_true(fabs(is - x[j] * slope[k]) < 1e-5);
            }
    }
}

/* By hand, with the mathematical library. */
static void test_meaning(void **state)
{
    (void)state;
    curator_policy policy = plain();
    const double x[FEATURES] = {.5, -1, .25};
    double p[CLASSES], sum = 0;
    told t = usual();
    t.moved = 1;
    for (int k = 0; k < CLASSES; k++)
        sum += p[k] = exp(t.start[k] + x[1] * t.move[k]);
    for (int k = 0; k < CLASSES; k++)
        p[k] = p[k] / sum - (k == 2);
    for (int i = 0; i < CLASS_LOSSES; i++) {
        double slope[CLASSES], curvature;
        take_loss(&policy, i);
        for (int k = 0; k < CLASSES; k++)
            loss_at(&policy.loss, t.start[k] + x[1] * t.move[k],
                    k == 2 ? 1 : -1, &slope[k], &curvature);
        compare(&policy, &t, x, policy.one_versus_rest ? slope : p);
    }
}

/* What was not told or not planned is refused, and nothing is charged. */
static void test_refused(void **state)
{
    (void)state;
    curator_policy policy = plain();
    ask_plan plan = plan_both(0);
    told t = usual();
    double out[CLASSES], sd;
    int64_t j;
    curator *c;
    sotto_error error;
    sotto_table *table = table_of("a,b,c,t\n1,2,3,2\n");
    CHECK(curator_open(&c, &table, &policy, &plan, &error));
    assert_int_equal(curator_ask_class_choice(c, &j, &error), SOTTO_USAGE);
    assert_int_equal(curator_ask_class_partial(c, 0, 1, out, &sd, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_tell_class_move(c, 0, t.move, &error),
                     SOTTO_USAGE);
    t.clip[1] = 0;
    assert_int_equal(curator_tell_class_scores(c, t.clip, t.start, &error),
                     SOTTO_USAGE);
    t.clip[1] = 1;
    CHECK(curator_tell_class_scores(c, t.clip, t.start, &error));
    assert_int_equal(curator_tell_class_scores(c, t.clip, t.start, &error),
                     SOTTO_USAGE);
    assert_int_equal(curator_tell_bounds(c, t.clip, &error), SOTTO_USAGE);
    assert_int_equal(curator_tell_class_move(c, FEATURES, t.move, &error),
                     SOTTO_USAGE);
    t.move[3] = NAN;
    assert_int_equal(curator_tell_class_move(c, 0, t.move, &error),
                     SOTTO_USAGE);
    assert_int_equal(
        curator_ask_class_partial(c, 0, INFINITY, out, &sd, &error),
        SOTTO_USAGE);
    for (int i = 0; i < FEATURES; i++)
        CHECK(curator_ask_class_partial(c, 0, 1, out, &sd, &error));
    assert_int_equal(curator_ask_class_partial(c, 0, 1, out, &sd, &error),
                     SOTTO_BUDGET);
    CHECK(curator_ask_class_choice(c, &j, &error));
    assert_int_equal(curator_ask_class_choice(c, &j, &error), SOTTO_BUDGET);
    curator_close(c);
    policy.without_noise = 0; /* then there must be some */
    assert_int_equal(curator_check(&policy, &plan, FEATURES, &error),
                     SOTTO_PRIVACY);
    policy.classes = CLASSES + 1;
    plan = plan_both(1);
    assert_int_equal(curator_check(&policy, &plan, FEATURES, &error),
                     SOTTO_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_alone), cmocka_unit_test(test_storage),
        cmocka_unit_test(test_scores),         cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_meaning),        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
