/*
 * The private quantile. Scores agree with their definition; no record moves one
 * further than is charged, whatever its bits; the answer has the law of the
 * exponential mechanism; and the Gaussian that is charged costs at least as
 * much.
 */
#include "forms.h"
#include "normal.h"
#include "plans.h"
#include "wrapped.h"

#include "curator.h"

static uint64_t seed = 5;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 32) * 0x1p-32;
}

/* ---- scores, as the gate sees them ---- */

enum { MOST_EDGES = 64 };

static int64_t scores[MOST_EDGES];
static size_t scored;

sotto_status __wrap_gate_choose(curator *c, const gate_contest *q,
                                int64_t *winner, sotto_error *error)
{
    const int64_t *at = q->scores(c, q->what);
    scored = q->count;
    assert_true(q->count <= MOST_EDGES && q->stride == 1);
    memcpy(scores, at, q->count * sizeof *at);
    /* sums have to begin at 0 again */
    memset((int64_t *)at, 0, 3 * (q->count + 1) * sizeof *at);
    return __real_gate_choose(c, q, winner, error);
}

sotto_status __wrap_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error)
{
    return __real_gate_release(c, q, out, noise, error);
}

/* ---- asking ---- */

typedef struct asked {
    ask_kind kind;
    int length;
    double share;
} asked;

static const asked all[] = {{ASK_TARGET_QUANTILE, 0, .7},
                            {ASK_TARGET_QUANTILE, 0, .01},
                            {ASK_ROW_QUANTILE, 0, .5},
                            {ASK_ROW_QUANTILE, 1, .3}};
enum { ALL = sizeof all / sizeof *all, EDGES = 5 };
static const double edge[EDGES] = {1, .5, .25, .125, .0625};

static curator_policy policy_of(account_adjacency adjacency)
{
    return (curator_policy){.adjacency = adjacency,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {LOSS_SQUARED, 0},
                            .weight_bound = 1,
                            .insecure = 1,
                            .seed = 3};
}

static ask_plan plan_of(ask_kind kind, int64_t times, double level)
{
    ask_item item = some(kind, times, level);
    item.noise = ASK_RANGE;
    return plan_one(item);
}

static int64_t ask(curator *c, const asked *a)
{
    static const double bound[MOST_EDGES] = {1, .5, 2, 1, 1, 1, 1, 1,
                                             1, 1,  1, 1, 1, 1, 1, 1};
    static const double centre = .1;
    ask_shape what = {.kind = a->kind, .bound = bound, .length = a->length};
    int64_t out;
    sotto_error error;
    if (a->kind == ASK_TARGET_QUANTILE)
        what.centre = &centre;
    if (curator_ask_quantile(c, &what, edge, EDGES, a->share, &out, &error))
        fail_msg("%s", error.message);
    return out;
}

static curator *open_with(sotto_table *t, const curator_policy *policy,
                          const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

/* ---- what the scores are ---- */

/* By counting, in the simplest way. Rows have weights of 1. */
static void check_scores(const double *size, int64_t count, double share)
{
    int64_t one = KERNEL_CLIP;
    assert_int_equal(scored, EDGES);
    for (int k = 0; k < EDGES; k++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < count; i++)
            sum += size[i] > edge[k]
                       ? (int64_t)floor(share * (double)one)
                       : -(int64_t)floor((1 - share) * (double)one);
        assert_int_equal(scores[k], sum < 0 ? sum : -sum);
    }
}

static void test_scores(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    double target[ROWS], largest[ROWS], length[ROWS];
    const double *sizes[ALL] = {target, target, largest, length};
    text_buffer t = {0};
    text_put(&t, "a,b,t\n");
    for (int i = 0; i < ROWS; i++) {
        /* numbers that a float has */
        double a = floor(256 * uniform()) / 256 - .5;
        double b = floor(256 * uniform()) / 512 - .25;
        double y = floor(512 * uniform()) / 256 - 1;
        text_format(&t, "%.10g,%.10g,%.10g\n", a, b, y);
        target[i] = fabs(y - .1);
        largest[i] = fmax(fabs(a), fabs(b / .5));
        length[i] = sqrt(a * a + (b / .5) * (b / .5));
    }
    for (int q = 0; q < ALL; q++) {
        curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE);
        ask_plan plan = plan_of(all[q].kind, 1, 1);
        curator *c = open_with(read_dense(t.data, "squared"), &policy, &plan);
        ask(c, &all[q]);
        check_scores(sizes[q], ROWS, all[q].share);
        curator_close(c);
    }
    text_free(&t);
}

/* Storage makes no difference. */
static void test_forms(void **state)
{
    (void)state;
    text_buffer dense = {0}, sparse = {0};
    features = 12;
    rows = 300;
    make_rows(&dense, &sparse, 0);
    for (int q = 0; q < ALL; q++) {
        curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE);
        ask_plan plan = plan_of(all[q].kind, 1, .01);
        int64_t before[EDGES], answer;
        curator *c =
            open_with(read_dense(dense.data, "squared"), &policy, &plan);
        answer = ask(c, &all[q]);
        memcpy(before, scores, sizeof before);
        curator_close(c);
        c = open_with(read_sparse(sparse.data, "squared"), &policy, &plan);
        assert_int_equal(ask(c, &all[q]), answer);
        assert_memory_equal(before, scores, sizeof before);
        curator_close(c);
    }
    text_free(&dense);
    text_free(&sparse);
}

/* ---- how far a record moves them ---- */

/* A weight of any kind, and numbers that come near the edges or lie beyond
   all of them. */
static void put_record(text_buffer *t)
{
    static const double odd[] = {0,     1,     .5, -.0625, 1e30,
                                 -1e30, 1e-30, .1, 1.1,    -.4};
    for (int k = 0; k < 3; k++) {
        double x =
            uniform() < .5 ? odd[(int)(10 * uniform())] : 4 * uniform() - 2;
        text_format(t, "%.9g,", x);
    }
    text_format(t, "%.9g\n", uniform() < .5 ? 1 : uniform());
}

static void scores_of(const char *text, const asked *a, int64_t *out)
{
    curator_policy policy = policy_of(ACCOUNT_REPLACE_ONE);
    ask_plan plan = plan_of(a->kind, 1, 1);
    curator *c =
        open_with(read_text("d.csv", text,
                            SETTINGS({"target", "t"}, {"precision", "float"},
                                     {"weights", "w"}, {"weight-bound", "1"})),
                  &policy, &plan);
    ask(c, a);
    memcpy(out, scores, EDGES * sizeof *out);
    curator_close(c);
}

/* Rows count by their weights, and one of weight 0, like a row beyond a
   person's first, not at all. */
static void test_weights(void **state)
{
    (void)state;
    static const double size[] = {.6, .05, 3, .6, .2}; /* |t - .1| */
    static const double weight[] = {.5, .25, 0, 0, 1};
    int64_t seen[EDGES];
    scores_of("a,b,t,w\n0,0,.7,.5\n0,0,.15,.25\n0,0,3.1,0\n0,0,-.5,0\n"
              "0,0,.3,1\n",
              &all[0], seen);
    for (int k = 0; k < EDGES; k++) {
        int64_t sum = 0;
        for (int i = 0; i < 5; i++)
            sum += size[i] > edge[k]
                       ? (int64_t)floor(.7 * weight[i] * KERNEL_CLIP)
                       : -(int64_t)floor((1 - .7) * weight[i] * KERNEL_CLIP);
        assert_int_equal(seen[k], sum < 0 ? sum : -sum);
    }
}

static void test_one_record(void **state)
{
    (void)state;
    int64_t furthest = 0;
    for (int round = 0; round < 300; round++) {
        text_buffer one = {0}, two = {0};
        text_put(&one, "a,b,t,w\n");
        for (int i = 0; i < 4; i++)
            put_record(&one);
        text_put(&two, one.data);
        put_record(&one);
        put_record(&two);
        for (int q = 0; q < ALL; q++) {
            int64_t x[EDGES], y[EDGES];
            scores_of(one.data, &all[q], x);
            scores_of(two.data, &all[q], y);
            for (int k = 0; k < EDGES; k++) {
                int64_t far = x[k] > y[k] ? x[k] - y[k] : y[k] - x[k];
                assert_true(far <= KERNEL_CLIP);
                furthest = far > furthest ? far : furthest;
            }
        }
        text_free(&one);
        text_free(&two);
    }
    assert_true(furthest >= KERNEL_CLIP - 2); /* it is charged for no more */
}

/* ---- the law ---- */

/* Three edges with known scores: frequencies are e^(rate score). */
static void test_law(void **state)
{
    (void)state;
    enum { RUNS = 100000 };
    const double level = .5, rate = account_range_within(level) / 2;
    const asked a = {ASK_TARGET_QUANTILE, 0, .5};
    double seen[EDGES] = {0}, p[EDGES], sum = 0;
    text_buffer t = {0};
    text_put(&t, "a,t\n");
    for (int i = 0; i < 40; i++) /* sizes 2, .7, .3, .2 and .1 */
        text_format(&t, "0,%g\n",
                    i < 12   ? 2.1
                    : i < 18 ? .8
                    : i < 24 ? .4
                    : i < 30 ? .3
                             : .2);
    curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE);
    ask_plan plan = plan_of(a.kind, RUNS, level);
    curator *c = open_with(read_dense(t.data, "squared"), &policy, &plan);
    for (int i = 0; i < RUNS; i++)
        seen[ask(c, &a)]++;
    for (int k = 0; k < EDGES; k++)
        sum += p[k] = exp(rate * (double)scores[k] / KERNEL_CLIP);
    assert_int_equal(scores[0], -8 * KERNEL_CLIP); /* 12 above, 28 not */
    for (int k = 0; k < EDGES; k++) {
        double often = RUNS * p[k] / sum;
        assert_true(fabs(seen[k] - often) <= 5.5 * sqrt(often));
    }
    curator_close(c);
    text_free(&t);
}

/* ---- what it reveals ---- */

/* One record lies above both edges, or below: it moves one score up, the other
   down. */
static double hits(int above, double level, int times)
{
    const asked a = {ASK_TARGET_QUANTILE, 0, .5};
    static const double two[] = {1, .5};
    static const double one = 1;
    ask_shape what = {.kind = a.kind, .bound = &one};
    double count = 0;
    text_buffer t = {0};
    text_put(&t, "a,t\n0,2\n0,2\n0,.6\n0,.6\n0,.6\n0,.6\n0,.1\n0,.1\n");
    text_format(&t, "0,%g\n", above ? 3. : 0.);
    curator_policy policy = policy_of(ACCOUNT_REPLACE_ONE);
    policy.seed = 5 + (uint64_t)above;
    ask_plan plan = plan_of(a.kind, times, level);
    curator *c = open_with(read_dense(t.data, "squared"), &policy, &plan);
    for (int i = 0; i < times; i++) {
        int64_t k;
        sotto_error error;
        assert_int_equal(curator_ask_quantile(c, &what, two, 2, .5, &k, &error),
                         SOTTO_OK);
        count += k == 0;
    }
    curator_close(c);
    text_free(&t);
    return count;
}

/* The audit: what is certified, 5 standard deviations off, is within what is
   charged, and comes near. */
static void test_audit(void **state)
{
    (void)state;
    enum { TIMES = 100000 };
    for (double level = 1; level < 3; level *= 2) {
        double often = hits(1, level, TIMES), seldom = hits(0, level, TIMES);
        double low = often - 2.5 * sqrt(TIMES);
        double high = seldom + 2.5 * sqrt(TIMES);
        double seen =
            normal_quantile(low / TIMES) - normal_quantile(high / TIMES);
        print_message("quantile: claimed mu %.3f, certified %.3f\n", level,
                      seen);
        assert_true(seen <= level);
        assert_true(seen >= .9 * level);
    }
}

/* A range of account_range_within(mu) costs no more than GAUSS(mu) at any
   epsilon, and one that is a little larger does somewhere. */
static void test_price(void **state)
{
    (void)state;
    for (double mu = 0x1p-10; mu < 8; mu *= 1.7) {
        double eta = account_range_within(mu), most = -1;
        for (int i = 0; i <= 400; i++) {
            double e = eta * i / 400;
            /* Lemma A9, the envelope of RANGE(eta) */
            double part = -expm1((e - eta) / 2);
            double range = part * part / -expm1(-eta);
            double gauss = .5 * erfc((e / mu - mu / 2) * M_SQRT1_2) -
                           exp(e) * .5 * erfc((e / mu + mu / 2) * M_SQRT1_2);
            assert_true(range <= gauss + 1e-12);
            most = fmax(most, range / gauss);
        }
        assert_true(most > .9);
        /* the worst of all two-point pairs: Lemma A14 */
        double worst = 0;
        for (double x = -12; x <= 12; x += .125) {
            double p = 1 / (1 + exp(-x - eta / 2));
            double q = 1 / (1 + exp(-x + eta / 2));
            worst = fmax(worst, normal_quantile(p) - normal_quantile(q));
        }
        assert_true(worst <= mu * (1 + 1e-9) && worst >= mu * (1 - 1e-6));
    }
    assert_true(account_range_within(0) == 0);
    assert_true(account_range_within(1e9) == account_range_within(8));
}

/* ---- refusals ---- */

static void refuse_asking(const ask_shape *what, const double *edges,
                          int64_t count, double share)
{
    curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE);
    ask_plan plan = plan_of(ASK_TARGET_QUANTILE, 1, 1);
    curator *c = open_with(read_dense("a,t\n0,1\n", "squared"), &policy, &plan);
    int64_t k;
    sotto_error error;
    assert_int_equal(
        curator_ask_quantile(c, what, edges, count, share, &k, &error),
        SOTTO_USAGE);
    assert_int_equal(curator_asked(c, ASK_TARGET_QUANTILE), 0);
    curator_close(c);
}

static void test_refusals(void **state)
{
    (void)state;
    double one = 1, none = 0, rising[] = {.5, 1};
    ask_shape what = {.kind = ASK_TARGET_QUANTILE, .bound = &one};
    ask_shape counts = {.kind = ASK_TARGET_COUNTS, .bound = &one};
    ask_shape empty = {.kind = ASK_TARGET_QUANTILE, .bound = &none};
    const double shares[] = {0, 1, -1, 2, NAN, INFINITY};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        refuse_asking(&what, edge, EDGES, shares[i]);
    refuse_asking(&what, edge, 0, .5);
    refuse_asking(&what, edge, -1, .5);
    refuse_asking(&what, edge, ASK_MOST_EDGES + 1, .5);
    refuse_asking(&what, rising, 2, .5);
    refuse_asking(&counts, edge, EDGES, .5);
    refuse_asking(&counts, edge, EDGES, 0); /* nor as the other question */
    refuse_asking(&what, edge, INT64_MAX, .5);
    refuse_asking(&empty, edge, EDGES, .5);
}

/* A quantile takes this noise only, and no other question takes it. */
static void test_plans(void **state)
{
    (void)state;
    curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE);
    sotto_error error;
    ask_plan plan = plan_of(ASK_ROW_QUANTILE, 1, 1);
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_OK);
    plan.item[0].noise = ASK_GAUSSIAN;
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_FAILED);
    plan.item[0].noise = ASK_NOISY;
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_FAILED);
    plan = plan_of(ASK_TARGET_MEAN, 1, 1);
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_FAILED);
    plan = plan_of(ASK_ROW_QUANTILE, 1, 1e-300);
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_PRIVACY);
}

/* ---- what it is booked as ---- */

/* One event, GAUSS of the level, whoever a neighbour is. */
static void test_event(void **state)
{
    (void)state;
    static const account_adjacency all_of_them[] = {
        ACCOUNT_ADD_REMOVE, ACCOUNT_REPLACE_ONE, ACCOUNT_ZERO_OUT};
    const double delta = 1e-6;
    for (int i = 0; i < 3; i++) {
        ask_plan plan = plan_of(ASK_ROW_QUANTILE, 2, .75);
        account_list booked, meant = {.adjacency = all_of_them[i]};
        account_price seen, expected;
        sotto_error error;
        assert_int_equal(
            curator_events(&booked, &plan, all_of_them[i], 3, &error),
            SOTTO_OK);
        assert_true(booked.draws == 2); /* a selection is one, Lemma N6 */
        meant.draws = booked.draws;
        assert_int_equal(
            account_add(&meant,
                        (account_event){.kind = ACCOUNT_GAUSS,
                                        .a = .75,
                                        .count = 2,
                                        .adjacency = all_of_them[i]},
                        &error),
            SOTTO_OK);
        assert_int_equal(account_epsilon(&booked, delta, &seen, &error),
                         SOTTO_OK);
        assert_int_equal(account_epsilon(&meant, delta, &expected, &error),
                         SOTTO_OK);
        assert_true(seen.epsilon == expected.epsilon);
        account_free(&booked);
        account_free(&meant);
    }
}

/* A quantile that is asked later takes its level's square out of what was
   left for later questions. */
static void test_later(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE);
        ask_plan plan = plan_one(some(ASK_LATER, 1, 1));
        curator *c =
            open_with(read_dense("a,t\n0,1\n", "squared"), &policy, &plan);
        sotto_error error;
        /* 3 x .6^2 is more than 1, 2 x .6^2 is not */
        ask_plan told = plan_of(ASK_TARGET_QUANTILE, 2 + whole, .6);
        assert_int_equal(curator_tell_plan(c, &told, &error),
                         whole ? SOTTO_BUDGET : SOTTO_OK);
        curator_close(c);
    }
}

/* How often the first of two edges is chosen, where it is better by 2. */
static double better_of_two(int64_t rows_per_person,
                            account_adjacency adjacency, double level,
                            int times)
{
    static const double two[] = {1, .5}, one = 1;
    ask_shape what = {.kind = ASK_TARGET_QUANTILE, .bound = &one};
    curator_policy policy = policy_of(adjacency);
    policy.rows_per_person = rows_per_person;
    ask_plan plan = plan_of(ASK_TARGET_QUANTILE, times, level);
    double count = 0;
    sotto_error error;
    curator *c = open_with(
        read_dense("a,t\n0,2\n0,2\n0,.6\n0,.6\n0,.6\n0,.6\n0,.1\n0,.1\n0,.1\n"
                   "0,.1\n0,2\n0,2\n0,2\n0,2\n",
                   "squared"),
        &policy, &plan);
    for (int i = 0; i < times; i++) {
        int64_t k;
        assert_int_equal(curator_ask_quantile(c, &what, two, 2, .5, &k, &error),
                         SOTTO_OK);
        count += k == 0;
    }
    assert_int_equal(scores[1] - scores[0], -2 * KERNEL_CLIP);
    curator_close(c);
    return count;
}

/* The noise is for all rows of a person, and is not doubled for replace-one. */
static void test_people(void **state)
{
    (void)state;
    enum { TIMES = 20000 };
    const double level = 1, eta = account_range_within(level);
    for (int64_t rows_each = 1; rows_each <= 4; rows_each *= 4)
        for (int i = 0; i < 2; i++) {
            double seen = better_of_two(
                rows_each, i ? ACCOUNT_REPLACE_ONE : ACCOUNT_ADD_REMOVE, level,
                TIMES);
            double p = 1 / (1 + exp(-eta / (double)rows_each));
            assert_true(fabs(seen - TIMES * p) <=
                        5 * sqrt(TIMES * p * (1 - p)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),  cmocka_unit_test(test_forms),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_one_record),
        cmocka_unit_test(test_law),     cmocka_unit_test(test_audit),
        cmocka_unit_test(test_price),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_plans),   cmocka_unit_test(test_event),
        cmocka_unit_test(test_later),   cmocka_unit_test(test_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
