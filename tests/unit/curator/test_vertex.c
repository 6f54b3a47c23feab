/*
 * Vertices: coordinate and sign are one choice with the law of the exponential
 * mechanism, among the candidates alone; answers do not depend on storage,
 * instruction set, threads or on how sums are kept; several moves at once are
 * those moves one after the other.
 */
#include "forms.h"
#include "plans.h"

#include "curator.h"
#include "kernel.h"

static uint64_t seed = 11;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 32) * 0x1p-32;
}

/* ---- data ---- */

enum { MOST_FEATURES = 3000 };

static curator_policy policy_of(loss_kind kind, int intercept)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = rows,
                            .loss = {kind, .7},
                            .weight_bound = 1,
                            .intercept = intercept,
                            .insecure = 1,
                            .seed = 3};
}

static ask_plan plan_of(int64_t times, double level)
{
    ask_item vertex = some(ASK_VERTEX, times, level);
    vertex.noise = ASK_GUMBEL;
    return plan_one(vertex);
}

static curator *open_with(sotto_table *t, const curator_policy *policy,
                          const ask_plan *plan, double l2)
{
    static double clip[MOST_FEATURES + 1];
    ask_scores scores = {
        .clip = clip, .l2 = l2, .low = -INFINITY, .high = INFINITY};
    curator *c;
    sotto_error error;
    for (int j = 0; j <= MOST_FEATURES; j++)
        clip[j] = .5;
    if (curator_open(&c, &t, policy, plan, &error) ||
        curator_tell_scores(c, &scores, &error))
        fail_msg("%s", error.message);
    return c;
}

/* ---- the same for every form ---- */

/* Whether moves are told one by one. */
static int one_by_one;

/* All coordinates, most, a few, one: in turn. */
static int64_t candidates(int step, int cells, int64_t *out)
{
    int64_t count = 0;
    int every = step % 4 == 1 ? 1 : step % 4 == 2 ? 7 : cells;
    for (int64_t j = step % 4 == 1 ? 1 : step % every; j < cells; j += every)
        out[count++] = j;
    return count;
}

static void tell(curator *c, const int64_t *j, double *d, int64_t count)
{
    if (!one_by_one)
        curator_tell_some(c, j, d, count);
    for (int64_t n = 0; one_by_one && n < count; n++)
        d[n] = curator_tell(c, j[n], d[n]);
}

/* A hash of all answers of a run in which the iterate shrinks in each step. */
static uint64_t mark_of(sotto_table *t, const curator_policy *policy)
{
    enum { TIMES = 120 };
    static double weight[MOST_FEATURES + 1], by[MOST_FEATURES + 1];
    static int64_t moved[MOST_FEATURES + 1], among[MOST_FEATURES + 1];
    int cells = features + policy->intercept;
    ask_plan plan = plan_of(TIMES, .3);
    curator *c = open_with(t, policy, &plan, .02);
    uint64_t mark = 0, bits;
    for (int j = 0; j < cells; j++)
        weight[j] = 0;
    for (int step = 0; step < TIMES; step++) {
        int64_t j, count = candidates(step, cells, among), moves = 0;
        int sign;
        sotto_error error;
        if (curator_ask_vertex(c, step % 4 ? among : NULL, count, &j, &sign,
                               &error))
            fail_msg("%s", error.message);
        for (int64_t i = 0; i < cells; i++)
            if (weight[i] != 0 || i == j) {
                moved[moves] = i;
                by[moves++] = .1 * ((i == j ? sign : 0) - weight[i]);
            }
        tell(c, moved, by, moves);
        mark = (mark * 31 + (uint64_t)j) * 31 + (uint64_t)(sign + 1);
        for (int64_t n = 0; n < moves; n++) {
            weight[moved[n]] += by[n];
            memcpy(&bits, &weight[moved[n]], sizeof bits);
            mark = mark * 1099511628211u ^ bits;
        }
    }
    curator_close(c);
    return mark;
}

static void compare_forms(loss_kind kind, int intercept)
{
    text_buffer dense = {0}, sparse = {0};
    const char *name = loss_name(kind);
    make_rows(&dense, &sparse, loss_has_classes(kind));
    curator_policy policy = policy_of(kind, intercept);
    uint64_t mark = mark_of(read_dense(dense.data, name), &policy);
    for (int how = -1; how <= 1; how++)
        for (kernel_isa isa = KERNEL_AUTO; isa <= KERNEL_AVX512; isa++) {
            if (!kernel_get(isa))
                continue;
            policy.isa = isa;
            policy.recompute = how;
            policy.threads = 1 + how * how;
            assert_true(mark_of(read_sparse(sparse.data, name), &policy) ==
                        mark);
        }
    one_by_one = 1;
    assert_true(mark_of(read_sparse(sparse.data, name), &policy) == mark);
    assert_true(mark_of(read_dense(dense.data, name), &policy) == mark);
    one_by_one = 0;
    policy.seed++;
    assert_false(mark_of(read_sparse(sparse.data, name), &policy) == mark);
    text_free(&dense);
    text_free(&sparse);
}

static void test_forms(void **state)
{
    (void)state;
    features = 40;
    rows = 700;
    for (int intercept = 0; intercept < 2; intercept++) {
        compare_forms(LOSS_SQUARED, intercept);
        compare_forms(LOSS_LOGISTIC, intercept);
        compare_forms(LOSS_HUBER, intercept);
    }
}

/* Short columns, and more vertices than noise is drawn for one by one. */
static void test_many_features(void **state)
{
    (void)state;
    features = MOST_FEATURES;
    rows = 90;
    compare_forms(LOSS_SQUARED, 0);
    compare_forms(LOSS_LOGISTIC, 1);
}

/* ---- the law ---- */

/* Columns a, b, c whose sums are 3, -5 and 0 clips of one half. */
static sotto_table *three_columns(void)
{
    text_buffer t = {0};
    text_put(&t, "a,b,c,t\n");
    for (int i = 0; i < 5; i++)
        text_format(&t, "%d,-1,0,-1e9\n", i < 3);
    sotto_table *table = read_dense(t.data, "squared");
    text_free(&t);
    return table;
}

/* The range at level 1. */
static double range_of(ask_noise noise)
{
    return noise == ASK_RANGE ? account_range_within(1) : 1;
}

/* How often each vertex is chosen among these, against exp(clips / 2): a range
   of 1 is a rate of 1/2 in units of a clip. */
static void check_law(ask_noise noise, const int64_t *among, int64_t count)
{
    enum { RUNS = 100000 };
    double range = range_of(noise);
    double clips[3] = {3 * range, -5 * range, 0};
    double seen[3][2] = {{0}}, sum = 0;
    ask_plan plan = plan_of(RUNS, 1);
    plan.item[0].noise = noise;
    features = 3;
    rows = 5;
    curator_policy policy = policy_of(LOSS_SQUARED, 0);
    curator *c = open_with(three_columns(), &policy, &plan, 0);
    for (int i = 0; i < RUNS; i++) {
        int64_t j;
        int sign;
        sotto_error error;
        assert_int_equal(curator_ask_vertex(c, among, count, &j, &sign, &error),
                         SOTTO_OK);
        seen[j][sign > 0]++;
    }
    curator_close(c);
    for (int64_t n = 0; n < count; n++)
        for (int up = 0; up < 2; up++)
            sum += exp((up ? -1 : 1) * clips[among ? among[n] : n] / 2);
    for (int64_t j = 0; j < 3; j++)
        for (int up = 0; up < 2; up++) {
            int there = !among;
            for (int64_t n = 0; among && n < count; n++)
                there |= among[n] == j;
            double p = there ? exp((up ? -1 : 1) * clips[j] / 2) / sum : 0;
            double sd = sqrt(p * (1 - p) * RUNS);
            assert_true(fabs(seen[j][up] - p * RUNS) <= 5.5 * sd);
        }
}

static void test_law(void **state)
{
    (void)state;
    check_law(ASK_GUMBEL, NULL, 3);
    check_law(ASK_GUMBEL, (int64_t[]){0, 2}, 2);
    check_law(ASK_GUMBEL, (int64_t[]){1}, 1);
    check_law(ASK_RANGE, NULL, 3);
    /* of two, permute-and-flip: the worse wins with e^-b / 2 */
    check_law(ASK_GUMBEL, (int64_t[]){2}, 1);
    check_law(ASK_FLIP, (int64_t[]){2}, 1);
}

/* The same of more vertices than noise is drawn for one by one: one column
   has a sum of 16 clips, 2999 have no entry. */
static void check_law_of_many(ask_noise noise)
{
    enum { RUNS = 20000 };
    text_buffer t = {0};
    ask_plan plan = plan_of(RUNS, 1);
    plan.item[0].noise = noise;
    double down = 0, up = 0, last = 0;
    features = MOST_FEATURES;
    rows = 16;
    for (int i = 0; i < 16; i++)
        text_put(&t, "-1e9 7:1\n");
    curator_policy policy = policy_of(LOSS_SQUARED, 0);
    curator *c = open_with(read_sparse(t.data, "squared"), &policy, &plan, 0);
    for (int i = 0; i < RUNS; i++) {
        int64_t j;
        int sign;
        sotto_error error;
        assert_int_equal(curator_ask_vertex(c, NULL, 0, &j, &sign, &error),
                         SOTTO_OK);
        down += j == 6 && sign < 0;
        up += j == 6 && sign > 0;
        last += j >= MOST_FEATURES / 2;
    }
    curator_close(c);
    text_free(&t);
    double at = 8 * range_of(noise);
    double sum = 2 * (MOST_FEATURES - 1) + exp(at) + exp(-at);
    double p = exp(at) / sum, q = MOST_FEATURES / sum;
    assert_true(fabs(down - p * RUNS) < 5.5 * sqrt(p * (1 - p) * RUNS));
    assert_true(fabs(last - q * RUNS) < 5.5 * sqrt(q * (1 - q) * RUNS));
    assert_true(up == 0);
}

static void test_law_of_many(void **state)
{
    (void)state;
    check_law_of_many(ASK_GUMBEL);
    check_law_of_many(ASK_RANGE);
}

/* Without noise: the steepest, downhill, with the L2 penalty's slope. */
static void test_steepest(void **state)
{
    (void)state;
    ask_plan plan = plan_of(10, 0);
    features = 3;
    rows = 5;
    curator_policy policy = policy_of(LOSS_SQUARED, 0);
    policy.without_noise = 1;
    for (int penalty = 0; penalty < 2; penalty++) {
        curator *c =
            open_with(three_columns(), &policy, &plan, penalty ? 10 : 0);
        int64_t j, moved[2] = {1, 2};
        double by[2] = {.5, 1};
        int sign;
        sotto_error error;
        assert_int_equal(curator_ask_vertex(c, NULL, 0, &j, &sign, &error),
                         SOTTO_OK);
        assert_true(j == 1 && sign == 1);
        int64_t others[2] = {0, 2};
        assert_int_equal(curator_ask_vertex(c, others, 2, &j, &sign, &error),
                         SOTTO_OK);
        assert_true(j == 0 && sign == -1);
        /* the clip binds, so only the penalty's slope changes */
        curator_tell_some(c, moved, by, 2);
        assert_true(by[0] == .5 && by[1] == 1);
        assert_int_equal(curator_ask_vertex(c, NULL, 0, &j, &sign, &error),
                         SOTTO_OK);
        assert_true(penalty ? j == 2 && sign == -1 : j == 1 && sign == 1);
        curator_close(c);
    }
}

/* Before there are scores, several moves at once equal the same moves one
   after the other. */
static void test_tell_some_without_scores(void **state)
{
    (void)state;
    text_buffer dense = {0}, sparse = {0};
    double clip[9], answer[2];
    features = 8;
    rows = 100;
    make_rows(&dense, &sparse, 0);
    for (int j = 0; j < 9; j++)
        clip[j] = 1;
    for (int at_once = 0; at_once < 2; at_once++) {
        ask_plan plan = plan_one(some(ASK_PARTIAL, 1, 1));
        curator_policy policy = policy_of(LOSS_SQUARED, 0);
        sotto_table *t = read_dense(dense.data, "squared");
        int64_t moved[3] = {0, 3, 1};
        double by[3] = {.3, -.7, INFINITY};
        curator *c;
        sotto_error error;
        if (curator_open(&c, &t, &policy, &plan, &error) ||
            curator_tell_clips(c, clip, &error))
            fail_msg("%s", error.message);
        one_by_one = !at_once;
        tell(c, moved, by, 3);
        one_by_one = 0;
        assert_true(by[0] == (double).3f && by[2] == 0);
        assert_int_equal(curator_ask_partial(c, 3, &answer[at_once], &error),
                         SOTTO_OK);
        curator_close(c);
    }
    assert_true(answer[0] == answer[1]);
    text_free(&dense);
    text_free(&sparse);
}

/* ---- what can go wrong ---- */

static void test_refusals(void **state)
{
    (void)state;
    features = 3;
    rows = 5;
    curator_policy policy = policy_of(LOSS_SQUARED, 0);
    ask_plan plan = plan_of(2, 1);
    curator *c = open_with(three_columns(), &policy, &plan, 0);
    int64_t j;
    int sign;
    sotto_error error;
    static const int64_t bad[][2] = {{1, 1}, {1, 0}, {-1, 0}, {1, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(curator_ask_vertex(c, bad[i], 2, &j, &sign, &error),
                         SOTTO_FAILED);
    assert_int_equal(curator_ask_vertex(c, bad[0], 0, &j, &sign, &error),
                     SOTTO_FAILED);
    /* none of these was charged; two are, and no more */
    for (int i = 0; i < 3; i++)
        assert_int_equal(curator_ask_vertex(c, NULL, 0, &j, &sign, &error),
                         i < 2 ? SOTTO_OK : SOTTO_BUDGET);
    assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_BUDGET);
    curator_close(c);
    /* not planned */
    plan.item[0].kind = ASK_CHOICE;
    c = open_with(three_columns(), &policy, &plan, 0);
    assert_int_equal(curator_ask_vertex(c, NULL, 0, &j, &sign, &error),
                     SOTTO_BUDGET);
    curator_close(c);
    /* noise that is not a choice's */
    sotto_table *t = three_columns();
    plan.item[0].kind = ASK_VERTEX;
    plan.item[0].noise = ASK_GAUSSIAN;
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                     SOTTO_FAILED);
}

/* Vertices and choices in one plan do not disturb each other's buckets. */
static void test_beside_choices(void **state)
{
    (void)state;
    enum { TIMES = 40 };
    text_buffer dense = {0}, sparse = {0};
    features = MOST_FEATURES;
    rows = 90;
    make_rows(&dense, &sparse, 0);
    static int64_t chosen[2][TIMES];
    ask_plan plan = plan_of(TIMES, .3);
    plan.item[0].and_next = 1;
    plan.item[1] = plan.item[0];
    plan.item[1].kind = ASK_CHOICE;
    plan.item[1].and_next = 0;
    plan.items = 2;
    for (int with = 0; with < 2; with++) {
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        policy.recompute = with ? -1 : 1;
        curator *c =
            open_with(read_sparse(sparse.data, "squared"), &policy, &plan, 0);
        for (int i = 0; i < TIMES; i++) {
            int64_t j, k = 0;
            int sign;
            sotto_error error;
            if (curator_ask_vertex(c, NULL, 0, &j, &sign, &error) ||
                curator_ask_choice(c, &k, &error))
                fail_msg("%s", error.message);
            curator_tell(c, j, .1 * sign);
            curator_tell(c, k, -.1);
            chosen[with][i] = 4 * MOST_FEATURES * k + 2 * j + (sign > 0);
        }
        curator_close(c);
    }
    assert_memory_equal(chosen[0], chosen[1], sizeof chosen[0]);
    text_free(&dense);
    text_free(&sparse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_many_features),
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_law_of_many),
        cmocka_unit_test(test_steepest),
        cmocka_unit_test(test_tell_some_without_scores),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_beside_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
