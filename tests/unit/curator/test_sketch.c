/*
 * Sketches, and choices along a sketched vector. Sums are exact integers; each
 * row is in one bucket; noise has the scale that is priced; nothing is answered
 * beyond a cap.
 */
#include "curator/internal.h"
#include "plans.h"
#include "reading.h"

enum { ROWS = 50, BUCKETS = 8, SEED = 17 };

/* ---- small tables ---- */

/* Values as they are: the columns have no bounds. */
static const double odd_values[] = {0,     1,    -1,    .5,    1e30,
                                    -1e30, .123, -.999, 1e-30, 1.00001};
enum { ODD = sizeof odd_values / sizeof *odd_values };

static double value_at(int64_t i, int64_t j)
{
    return odd_values[(i * 7 + j * 3 + i / 5) % ODD];
}

/* Row `gone` has zeros; -1: none. */
static sotto_table *table_without(int64_t gone)
{
    text_buffer t = {0};
    text_put(&t, "a,b,c,t\n");
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < 4; j++)
            text_format(&t, "%s%.17g", j ? "," : "",
                        i == gone ? 0. : value_at(i, j));
        text_put(&t, "\n");
    }
    sotto_table *table =
        read_text("d.csv", t.data, SETTINGS({"target", "t"}, {"epsilon", "1"}));
    text_free(&t);
    return table;
}

static curator_policy policy_of(int without_noise)
{
    return (curator_policy){.adjacency = ACCOUNT_ZERO_OUT,
                            .rows_per_person = 1,
                            .rows = ROWS,
                            .weight_bound = 1,
                            .without_noise = without_noise,
                            .insecure = 1,
                            .seed = 4,
                            .buckets = BUCKETS,
                            .sketch_seed = SEED};
}

static ask_item item_of(ask_kind kind, int64_t count, double level)
{
    ask_item item = some(kind, count, level);
    item.block = BUCKETS;
    if (kind == ASK_ALONG)
        item.noise = ASK_GUMBEL;
    return item;
}

static ask_plan plan_of(int64_t count, double level)
{
    return (ask_plan){.item = {item_of(ASK_LABELS, count, level),
                               item_of(ASK_SKETCH, count, level),
                               item_of(ASK_ALONG, count, level)},
                      .items = 3,
                      .any_order = 1};
}

static curator *open_with(const curator_policy *policy, const ask_plan *plan,
                          int64_t gone)
{
    curator *c;
    sotto_error error;
    sotto_table *t = table_without(gone);
    if (curator_open(&c, &t, policy, plan, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    return c;
}

static int64_t grid_integer(double x)
{
    return (int64_t)nearbyint(fmin(fmax(x, -1), 1) * 32767);
}

/* ---- integers ---- */

/* Column 3 is the labels. */
static void release(curator *c, int64_t j, int64_t *out)
{
    sotto_error error;
    assert_int_equal(j == 3 ? curator_ask_labels(c, out, &error)
                            : curator_ask_sketch(c, j, out, &error),
                     SOTTO_OK);
}

static void test_sums(void **state)
{
    (void)state;
    curator_policy policy = policy_of(1);
    ask_plan plan = plan_of(10, 0);
    policy.constant = -.5;
    curator *c = open_with(&policy, &plan, -1);
    for (int64_t j = 0; j < 4; j++) {
        int64_t out[BUCKETS], wanted[BUCKETS] = {0};
        for (int64_t i = 0; i < ROWS; i++) {
            ask_place p = ask_place_of(SEED, i, BUCKETS);
            wanted[p.bucket] += p.sign * grid_integer(value_at(i, j));
        }
        release(c, j, out);
        assert_memory_equal(out, wanted, sizeof out);
    }
    int64_t out[BUCKETS], sum = 0; /* the constant's column comes last */
    sotto_error error;
    assert_int_equal(curator_ask_sketch(c, 3, out, &error), SOTTO_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        ask_place p = ask_place_of(SEED, i, BUCKETS);
        out[p.bucket] += p.sign * 16384;
    }
    for (int b = 0; b < BUCKETS; b++)
        sum |= out[b];
    assert_int_equal(sum, 0);
    curator_close(c);
}

/* One row is in one bucket of a sketch, by 32767 at most. */
static void test_one_row(void **state)
{
    (void)state;
    curator_policy policy = policy_of(1);
    ask_plan plan = plan_of(10, 0);
    curator *all = open_with(&policy, &plan, -1);
    int64_t with[4][BUCKETS], without[BUCKETS];
    for (int64_t j = 0; j < 4; j++)
        release(all, j, with[j]);
    for (int64_t i = 0; i < ROWS; i++) {
        curator *c = open_with(&policy, &plan, i);
        for (int64_t j = 0; j < 4; j++) {
            ask_place p = ask_place_of(SEED, i, BUCKETS);
            release(c, j, without);
            for (int b = 0; b < BUCKETS; b++)
                assert_int_equal(
                    with[j][b] - without[b],
                    b == p.bucket ? p.sign * grid_integer(value_at(i, j)) : 0);
        }
        curator_close(c);
    }
    curator_close(all);
}

/* Each row's bucket never changes between versions, and buckets are about
   equally full. */
static void test_places(void **state)
{
    (void)state;
    int64_t in[10] = {0}, signs = 0;
    for (int64_t i = 0; i < 100000; i++) {
        ask_place p = ask_place_of(1, i, 10);
        assert_true(p.bucket >= 0 && p.bucket < 10);
        assert_true(p.sign == 1 || p.sign == -1);
        in[p.bucket]++;
        signs += p.sign * (p.bucket % 2 ? 1 : 2);
    }
    for (int b = 0; b < 10; b++)
        assert_true(llabs(in[b] - 10000) < 600); /* six sd */
    assert_true(llabs(signs) < 3200);
    assert_int_equal(ask_place_of(1, 0, 1000000).bucket, 749748);
    assert_int_equal(ask_place_of(99, 12345, 1000000).bucket, 559005);
}

/* ---- choices ---- */

static const int64_t all_of_them[] = {0, 1, 2};

static int64_t score_of(const double *u, double clip, int known, int64_t j)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        ask_place p = ask_place_of(SEED, i, BUCKETS);
        double e = p.sign * u[p.bucket];
        if (known)
            e -= fmin(fmax(value_at(i, 3), -1), 1);
        sum += grid_integer(value_at(i, j)) * grid_integer(e / clip);
    }
    return sum;
}

/* Without noise the best of all is chosen, among those that are open. */
static void test_scores(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        curator_policy policy = policy_of(1);
        ask_plan plan = plan_of(100, 0);
        policy.labels_known = known;
        if (known)
            plan.item[0].count = 0;
        curator *c = open_with(&policy, &plan, -1);
        for (int t = 0; t < 40; t++) {
            double u[BUCKETS], clip = .3 + .1 * (t % 7);
            int open[] = {t % 3 != 0, t % 4 != 1, t % 5 != 2};
            int64_t best = -1, most = -1, out, list[3], count = 0;
            int sign;
            sotto_error error;
            for (int b = 0; b < BUCKETS; b++)
                u[b] = sin(1 + t * 8. + b);
            for (int64_t j = 2; j >= 0; j--) { /* in any order */
                int64_t score = score_of(u, clip, known, j);
                assert_true(score != 0);
                if (open[j] && llabs(score) > most) {
                    most = llabs(score);
                    best = j;
                }
                if (open[j])
                    list[count++] = j;
            }
            ask_along at = {u, clip, list, count};
            assert_int_equal(curator_ask_along(c, &at, &out, &sign, &error),
                             SOTTO_OK);
            assert_int_equal(out < 0 ? -1 : list[out], best);
            if (best >= 0)
                assert_true(sign * score_of(u, clip, known, best) > 0);
        }
        curator_close(c);
    }
}

/* Whatever is told, a row's e is between -1 and 1; a value that is not a
   number counts as 0. */
static void test_anything_told(void **state)
{
    (void)state;
    static const double odd[] = {NAN,    INFINITY, -INFINITY, 1e308,
                                 -1e308, 5e-324,   0,         -1};
    static const double clips[] = {1,        0,      -1,    NAN,
                                   INFINITY, 1e-310, 1e308, 5e-324};
    for (int known = 0; known < 2; known++) {
        curator_policy policy = policy_of(0);
        ask_plan plan = plan_of(100, 1);
        policy.labels_known = known;
        curator *c = open_with(&policy, &plan, -1);
        for (int t = 0; t < 64; t++) {
            double u[BUCKETS];
            int64_t out;
            int sign;
            sotto_error error;
            for (int b = 0; b < BUCKETS; b++)
                u[b] = odd[(b + t) % 8];
            ask_along at = {u, clips[t / 8], all_of_them, 3};
            assert_int_equal(curator_ask_along(c, &at, &out, &sign, &error),
                             SOTTO_OK);
            for (int64_t i = 0; i < ROWS; i++)
                assert_true(abs(c->sketches.along[i]) <= ASK_UNIT);
            for (int64_t i = 0; i < ROWS; i++)
                if (isnan(u[ask_place_of(SEED, i, BUCKETS).bucket]) && !known)
                    assert_int_equal(c->sketches.along[i], 0);
        }
        curator_close(c);
    }
}

/* One row moves no score by more than it is priced for. */
static void test_score_sensitivity(void **state)
{
    (void)state;
    curator_policy policy = policy_of(0);
    ask_plan plan = plan_of(1000, 1);
    policy.labels_known = 1;
    double u[BUCKETS], most = 0;
    for (int b = 0; b < BUCKETS; b++)
        u[b] = b % 2 ? INFINITY : -1e300;
    ask_along at = {u, 1e-300, all_of_them, 3};
    curator *all = open_with(&policy, &plan, -1);
    int64_t out;
    int sign;
    sotto_error error;
    assert_int_equal(curator_ask_along(all, &at, &out, &sign, &error),
                     SOTTO_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        curator *c = open_with(&policy, &plan, i);
        assert_int_equal(curator_ask_along(c, &at, &out, &sign, &error),
                         SOTTO_OK);
        for (int j = 0; j < 6; j++)
            most = fmax(most, fabs((double)(all->sketches.score[j] -
                                            c->sketches.score[j])));
        curator_close(c);
    }
    assert_true(most == 32767. * 32767.);
    assert_true(most == gate_sensitivity(&policy, &plan.item[2], 3));
    curator_close(all);
}

/* With a constant and known labels a row of zeros differs from a blanked
   row: it adds its constant times what was told, the blanked row adds 0. */
static void test_blank_is_not_zeros(void **state)
{
    (void)state;
    curator_policy policy = policy_of(1);
    ask_plan plan = plan_of(10, 0);
    policy.labels_known = 1;
    policy.constant = 1;
    static const int64_t constant[] = {3};
    double u[BUCKETS], unit = 32767. * 32767., score[3];
    int64_t out, row = 0;
    while (value_at(row, 3) != 1) /* its label */
        row++;
    ask_place p = ask_place_of(SEED, row, BUCKETS);
    for (int b = 0; b < BUCKETS; b++)
        u[b] = p.sign * .5; /* .5 - 1 with the label, .5 without */
    ask_along at = {u, .5, constant, 1};
    for (int i = 0; i < 3; i++) { /* there, zeros, blank */
        int sign;
        sotto_error error;
        curator *c = open_with(&policy, &plan, i == 1 ? row : -1);
        sketches *s = &c->sketches;
        if (i == 2)
            for (int64_t j = 0; j < s->columns; j++)
                s->column[j * s->stride + row] = 0;
        assert_int_equal(curator_ask_along(c, &at, &out, &sign, &error),
                         SOTTO_OK);
        score[i] = (double)s->score[0];
        curator_close(c);
    }
    assert_true(fabs(score[0] - score[1]) == 2 * unit);
    assert_true(fabs(score[0] - score[2]) == unit);
    assert_true(fabs(score[1] - score[2]) == unit);
}

/* ---- noise ---- */

/* Of sketches the sd is 32767 / mu in each bucket, whatever the buckets. */
static void test_noise_scale(void **state)
{
    (void)state;
    enum { TIMES = 4000 };
    curator_policy policy = policy_of(0);
    ask_plan plan = plan_of(TIMES, .25);
    curator *c = open_with(&policy, &plan, -1);
    policy.without_noise = 1;
    ask_plan exact = plan_of(10, 0);
    curator *d = open_with(&policy, &exact, -1);
    for (int64_t j = 2; j < 4; j++) {
        int64_t sum[BUCKETS], out[BUCKETS];
        double squares = 0;
        release(d, j, sum);
        for (int t = 0; t < TIMES; t++) {
            release(c, j, out);
            for (int b = 0; b < BUCKETS; b++)
                squares += pow((double)(out[b] - sum[b]) * .25 / ASK_UNIT, 2);
        }
        /* 32,000 values: the mean square is 1 within 6 of its sd .0079 */
        assert_true(fabs(squares / TIMES / BUCKETS - 1) < .047);
    }
    curator_close(c);
    curator_close(d);
}

/* Choices have the law exp(score eta / 2 / 32767^2). */
static void test_law_of_choices(void **state)
{
    (void)state;
    enum { TIMES = 200000 };
    double eta = .3, u[BUCKETS], weight[6], total = 0, seen[6] = {0};
    curator_policy policy = policy_of(0);
    ask_plan plan = plan_of(TIMES, eta);
    curator *c = open_with(&policy, &plan, -1);
    for (int b = 0; b < BUCKETS; b++)
        u[b] = cos(3. * b);
    ask_along at = {u, 1.2, all_of_them, 3};
    for (int j = 0; j < 6; j++) {
        double score = (double)score_of(u, 1.2, 0, j / 2);
        weight[j] = exp((j % 2 ? -1 : 1) * score * eta / 2 / 32767 / 32767);
        total += weight[j];
    }
    for (int t = 0; t < TIMES; t++) {
        int64_t out;
        int sign;
        sotto_error error;
        assert_int_equal(curator_ask_along(c, &at, &out, &sign, &error),
                         SOTTO_OK);
        seen[2 * out + (sign < 0)]++;
    }
    for (int j = 0; j < 6; j++) {
        double p = weight[j] / total, sd = sqrt(TIMES * p * (1 - p));
        assert_true(fabs(seen[j] - TIMES * p) < 6 * sd);
    }
    curator_close(c);
}

/* Under an insecure seed the noise of a round depends on the round and the
   party only, not on what was asked before. */
static void test_streams(void **state)
{
    (void)state;
    curator_policy policy = policy_of(0);
    ask_plan plan = plan_of(10, 1);
    int64_t first[BUCKETS], second[BUCKETS], other[BUCKETS];
    sotto_error error;
    policy.party = 1;
    curator *c = open_with(&policy, &plan, -1);
    assert_int_equal(curator_tell_round(c, 5, &error), SOTTO_OK);
    release(c, 1, first);
    release(c, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    curator_close(c);
    c = open_with(&policy, &plan, -1);
    release(c, 0, other);
    assert_int_equal(curator_tell_round(c, 4, &error), SOTTO_OK);
    release(c, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    assert_int_equal(curator_tell_round(c, 5, &error), SOTTO_OK);
    release(c, 1, second);
    assert_memory_equal(first, second, sizeof first);
    curator_close(c);
    policy.party = 2;
    c = open_with(&policy, &plan, -1);
    assert_int_equal(curator_tell_round(c, 5, &error), SOTTO_OK);
    release(c, 1, other);
    assert_memory_not_equal(first, other, sizeof first);
    curator_close(c);
}

/* ---- the gate ---- */

/* Caps hold in any order, and replayed answers count, too. */
static void test_caps(void **state)
{
    (void)state;
    curator_policy policy = policy_of(0);
    ask_plan plan = plan_of(2, 1);
    curator *c = open_with(&policy, &plan, -1);
    int64_t out[BUCKETS], winner;
    int sign;
    double u[BUCKETS] = {1};
    ask_along at = {u, 1, all_of_them, 3};
    ask_along shut = {u, 1, all_of_them, 0};
    ask_along wrong = {u, 1, (const int64_t[]){3}, 1};
    sotto_error error;
    assert_int_equal(curator_ask_along(c, &at, &winner, &sign, &error), 0);
    assert_int_equal(curator_ask_sketch(c, 0, out, &error), SOTTO_OK);
    assert_int_equal(curator_ask_labels(c, out, &error), SOTTO_OK);
    assert_int_equal(curator_tell_spent(c, ASK_SKETCH, &error), SOTTO_OK);
    assert_int_equal(curator_asked(c, ASK_SKETCH), 2);
    memset(out, 0x77, sizeof out);
    assert_int_equal(curator_ask_sketch(c, 1, out, &error), SOTTO_BUDGET);
    assert_int_equal(out[0], 0x7777777777777777);
    /* what is free is free */
    assert_int_equal(curator_ask_along(c, &shut, &winner, &sign, &error), 0);
    assert_int_equal(winner, -1);
    assert_int_equal(curator_ask_along(c, &wrong, &winner, &sign, &error),
                     SOTTO_FAILED);
    assert_int_equal(curator_ask_along(c, &at, &winner, &sign, &error), 0);
    assert_int_equal(curator_ask_along(c, &at, &winner, &sign, &error),
                     SOTTO_BUDGET);
    assert_int_equal(curator_tell_spent(c, ASK_ALONG, &error), SOTTO_BUDGET);
    assert_int_equal(curator_ask_total(c, u, &error), SOTTO_BUDGET);
    curator_close(c);
}

static void refuse_plan(curator_policy policy, ask_plan plan,
                        sotto_status status)
{
    curator *c;
    sotto_error error;
    sotto_table *t = table_without(-1);
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error), status);
    assert_null(c);
    assert_null(t);
}

static void test_refusals(void **state)
{
    (void)state;
    curator_policy fine = policy_of(0), p = fine;
    ask_plan plan = plan_of(2, 1), q = plan;
    p.adjacency = ACCOUNT_ADD_REMOVE;
    refuse_plan(p, plan, SOTTO_PRIVACY);
    p = fine;
    p.rows_per_person = 2;
    refuse_plan(p, plan, SOTTO_PRIVACY);
    p = fine;
    p.rows = ROWS - 1;
    refuse_plan(p, plan, SOTTO_DATA);
    q.item[1].kind = ASK_LABELS; /* which of the two would be charged? */
    refuse_plan(fine, q, SOTTO_FAILED);
    q = plan;
    q.item[1].block = BUCKETS - 1;
    refuse_plan(fine, q, SOTTO_FAILED);
    q = plan;
    q.item[1].noise = ASK_LAPLACE; /* a vector's length is Euclidean */
    refuse_plan(fine, q, SOTTO_FAILED);
    q = plan;
    q.item[2].noise = ASK_GAUSSIAN;
    refuse_plan(fine, q, SOTTO_FAILED);
    q = plan;
    q.item[0].level = 0;
    refuse_plan(fine, q, SOTTO_PRIVACY);
    p = fine;
    p.buckets = 0; /* sketches without buckets */
    refuse_plan(p, plan, SOTTO_FAILED);
}

/* The price of a plan without an order is not below that of the plan in its
   own order. */
static void test_any_order_costs(void **state)
{
    (void)state;
    ask_plan plan = plan_of(20, .1);
    ask_item first = plan.item[0]; /* choices before the rest are cheaper */
    plan.item[0] = plan.item[2];
    plan.item[2] = first;
    account_list any, given;
    account_price one, two;
    sotto_error error;
    assert_int_equal(curator_events(&any, &plan, ACCOUNT_ZERO_OUT, 3, &error),
                     SOTTO_OK);
    assert_false(any.ordered);
    assert_true(any.draws == 20 + 40 * BUCKETS);
    /* noise for each of up to 2 (3 + 1) scores */
    plan.item[0].noise = ASK_NOISY;
    assert_true(curator_draws(&plan.item[0], 3) == 8);
    plan.item[0].noise = ASK_GUMBEL;
    plan.any_order = 0;
    assert_int_equal(curator_events(&given, &plan, ACCOUNT_ZERO_OUT, 3, &error),
                     SOTTO_OK);
    assert_true(given.ordered);
    assert_int_equal(account_epsilon(&any, 1e-6, &one, &error), SOTTO_OK);
    assert_int_equal(account_epsilon(&given, 1e-6, &two, &error), SOTTO_OK);
    assert_true(one.epsilon >= two.epsilon);
    account_free(&any);
    account_free(&given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_anything_told),
        cmocka_unit_test(test_score_sensitivity),
        cmocka_unit_test(test_blank_is_not_zeros),
        cmocka_unit_test(test_noise_scale),
        cmocka_unit_test(test_law_of_choices),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_any_order_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
