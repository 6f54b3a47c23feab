/*
 * What the curator refuses: tables that do not fit the policy, and questions
 * that no solver should ask. A refusal has a message and no answer. And one
 * comparison that needs a sparse table: steps of rows that see each other.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "data.h"
#include "ranks.h"
#include "sketch.h"

#include <math.h>

static curator_policy some_policy(void)
{
    return (curator_policy){.adjacency = ACCOUNT_ZERO_OUT,
                            .rows_per_person = 1,
                            .rows = 2,
                            .loss = {LOSS_SQUARED, 0},
                            .weight_bound = 1,
                            .insecure = 1,
                            .seed = 3};
}

static sotto_table *dense(const char *loss_name)
{
    return read_text("d.csv", "a,b,t\n0.5,0,1\n1,0.5,0\n",
                     SETTINGS({"target", "t"}, {"loss", loss_name}));
}

static sotto_table *sparse(void)
{
    return read_text("d.svm", "1 1:0.5\n0 1:1 2:0.5\n",
                     SETTINGS({"loss", "squared"}, {"epsilon", "1"},
                              {"features", "2"}, {"solver", "scd-seq"}));
}

static curator *open_or_fail(sotto_table *t, const curator_policy *policy,
                             const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

static void refuse_to_open(sotto_table *t, const curator_policy *policy,
                           const ask_plan *plan, const char *words)
{
    curator *c;
    sotto_error error = {0};
    assert_int_not_equal(curator_open(&c, &t, policy, plan, &error), SOTTO_OK);
    assert_null(c);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

/* ---- tables ---- */

static void test_tables(void **state)
{
    (void)state;
    curator_policy policy = some_policy();
    ask_plan none = {0};
    sotto_table *t = read_text("d.csv", "a,b\n0.5,0\n", NO_SETTINGS);
    refuse_to_open(t, &policy, &none, "no column is the target");
    refuse_to_open(dense("logistic"), &policy, &none, "does not fit the loss");
    policy.isa = (kernel_isa)99;
    refuse_to_open(dense("squared"), &policy, &none, "--isa");
}

static void test_tables_of_blocks(void **state)
{
    (void)state;
    curator_policy policy = some_policy();
    ask_plan blocks = plan_one((ask_item){.kind = ASK_SEQUENCE,
                                          .count = 2,
                                          .level = .5,
                                          .block = 1,
                                          .blocks = 2});
    sotto_table *t = read_text("d.csv", "a,t\n0.5,0\n1,1\n",
                               SETTINGS({"target", "t"}, {"bad-rows", "drop"}));
    refuse_to_open(t, &policy, &blocks, "a row's place");
}

static void test_tables_of_sketches(void **state)
{
    (void)state;
    curator_policy policy = some_policy();
    ask_plan plan = plan_one(
        (ask_item){.kind = ASK_SKETCH, .count = 1, .level = 1, .block = 4});
    policy.buckets = 4;
    refuse_to_open(dense("logistic"), &policy, &plan, "no target");
    policy.buckets = (int64_t)1 << 31;
    refuse_to_open(dense("squared"), &policy, &plan, "too many rows");
    policy.buckets = 4;
    curator *c = open_or_fail(dense("squared"), &policy, &plan);
    int64_t out[4];
    sotto_error error;
    for (int64_t j = -1; j < 3; j += 3)
        assert_int_equal(curator_ask_sketch(c, j, out, &error), SOTTO_FAILED);
    curator_close(c);
}

/* ---- questions ---- */

static void test_clips(void **state)
{
    (void)state;
    static const double bad[][2] = {{0, 1}, {1, -1}, {NAN, 1}, {1, 1e300}};
    double scale[2] = {1, 1}, whole[2] = {INFINITY, INFINITY}, out[2];
    curator_policy policy = some_policy();
    ask_plan plan =
        plan_two(some(ASK_PARTIAL, 1, 1),
                 (ask_item){.kind = ASK_BATCH, .count = 1, .level = 1});
    curator *c = open_or_fail(dense("squared"), &policy, &plan);
    sotto_error error;
    for (int i = 0; i < 4; i++)
        assert_int_equal(curator_tell_clips(c, bad[i], &error), SOTTO_USAGE);
    /* no clip at all is for runs that are NOT PRIVATE */
    assert_int_equal(curator_tell_clips(c, whole, &error), SOTTO_OK);
    assert_int_equal(curator_ask_partial(c, 0, out, &error), SOTTO_PRIVACY);
    assert_int_equal(curator_ask_batch(c, INFINITY, scale, out, &error),
                     SOTTO_USAGE);
    curator_close(c);
}

static void test_primal_steps(void **state)
{
    (void)state;
    double weight[2] = {0}, unit;
    curator_policy policy = some_policy();
    ask_plan plan = plan_one(
        (ask_item){.kind = ASK_PRIMAL, .count = 1, .level = 1, .block = 1});
    curator *c = open_or_fail(dense("squared"), &policy, &plan);
    const ask_primal bad[] = {{weight, -1, 1, 1, 1}, {weight, 0, 0, 1, 1},
                              {weight, 2, 1, 1, 1},  {weight, 0, 1, 0, 1},
                              {weight, 0, 1, 1, 0},  {weight, 0, 1, 1, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t move[2] = {5, 5};
        sotto_error error;
        assert_int_equal(curator_ask_primal(c, &bad[i], move, &unit, &error),
                         SOTTO_USAGE);
        assert_int_equal(move[0], bad[i].count ? 0 : 5);
    }
    curator_close(c);
}

/* A question about whole rows cannot be about some columns. */
static void test_rows_of_columns(void **state)
{
    (void)state;
    static const double bound[2] = {1, 1}, edge[1] = {.5};
    static const int64_t feature[1] = {0};
    double out[2], sd;
    curator_policy policy = some_policy();
    ask_plan plan = plan_one(some(ASK_ROW_COUNTS, 1, 1));
    curator *c = open_or_fail(dense("squared"), &policy, &plan);
    ask_shape shape = {.kind = ASK_ROW_COUNTS,
                       .bound = bound,
                       .feature = feature,
                       .features = 1};
    sotto_error error;
    assert_int_equal(curator_ask_counts(c, &shape, edge, 1, out, &sd, &error),
                     SOTTO_USAGE);
    shape.feature = NULL;
    shape.features = 0;
    assert_int_equal(curator_ask_counts(c, &shape, edge, 1, out, &sd, &error),
                     SOTTO_OK); /* the refusal was not charged */
    curator_close(c);
}

/* Items whose numbers their kind cannot have. */
static void test_items(void **state)
{
    (void)state;
    static const ask_item bad[] = {
        {.kind = ASK_PARTIAL, .count = -1, .level = 1},
        {.kind = ASK_LATER, .count = 2, .level = 1},
        {.kind = ASK_PARTIAL, .count = 1, .level = 1, .block = -1},
        {.kind = ASK_PRIMAL, .count = 1, .level = 1},
        {.kind = ASK_PARTIAL, .count = 1, .level = 1, .blocks = 2},
        {.kind = ASK_SEQUENCE, .count = 1, .level = 1, .block = 1},
        {.kind = ASK_LATER, .count = 1, .level = 1, .and_next = 1},
    };
    curator_policy policy = some_policy();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ask_plan plan = plan_two(bad[i], some(ASK_PARTIAL, 1, 1));
        sotto_error error = {0};
        if (!curator_check(&policy, &plan, 2, &error))
            fail_msg("item %d is accepted", (int)i);
        assert_non_null(strstr(error.message, "invalid plan"));
    }
}

/* Noise for all rows of a person may be more than can be drawn. */
static void test_rows_of_a_person(void **state)
{
    (void)state;
    curator_policy policy = some_policy();
    ask_plan plan = plan_one(some(ASK_PARTIAL, 1, 1));
    sotto_error error = {0};
    assert_int_equal(curator_check(&policy, &plan, 2, &error), SOTTO_OK);
    policy.rows_per_person = (int64_t)1 << 40;
    assert_int_equal(curator_check(&policy, &plan, 2, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "--rows-per-person"));
}

/* A question that is not asked, or for which nothing is left, costs nothing. */
static void test_free_questions(void **state)
{
    (void)state;
    ask_plan plan = {.item = {some(ASK_TOTAL, 0, 1), some(ASK_LATER, 1, 0),
                              some(ASK_PARTIAL, 3, 1)},
                     .items = 3};
    account_list events;
    sotto_error error;
    assert_int_equal(
        curator_events(&events, &plan, ACCOUNT_ADD_REMOVE, 2, &error),
        SOTTO_OK);
    assert_int_equal(events.events, 1);
    assert_int_equal(events.event[0].count, 3);
    account_free(&events);
}

/* ---- rows that see each other's steps ---- */

/* Without noise, the same moves from either storage. */
static void test_sequence_of_either_storage(void **state)
{
    (void)state;
    static const double weight[2] = {.25, -.5};
    int64_t move[2][2];
    for (int i = 0; i < 2; i++) {
        curator_policy policy = some_policy();
        policy.without_noise = 1;
        ask_plan plan = plan_one((ask_item){
            .kind = ASK_SEQUENCE, .count = 1, .block = 2, .blocks = 1});
        curator *c =
            open_or_fail(i ? sparse() : dense("squared"), &policy, &plan);
        ask_dual at = {weight, .5, 1, 1, 0};
        double unit;
        sotto_error error;
        if (curator_ask_sequence(c, &at, move[i], &unit, &error))
            fail_msg("%s", error.message);
        curator_close(c);
    }
    assert_memory_equal(move[0], move[1], sizeof move[0]);
    assert_true(move[0][0] != 0 && move[0][1] != 0);
}

/* ---- ranks ---- */

/* A share of the rows: these refusals need no other rank. */
static curator *open_share(sotto_ranks *ranks, const curator_policy *policy,
                           const ask_item *item)
{
    ask_plan plan = plan_one(*item);
    sotto_table *t = dense("squared");
    t->ranks = ranks;
    t->all_rows = 4;
    return open_or_fail(t, policy, &plan);
}

/* What is no sum over rows is refused when it is planned, and again when it is
   asked. */
static void test_ranks(void **state)
{
    (void)state;
    sotto_ranks ranks = {.calls = {.rank = 0, .ranks = 2}};
    curator_policy policy = some_policy();
    static const ask_item primal = {
        .kind = ASK_PRIMAL, .count = 1, .level = .5, .block = 1};
    static const ask_item partial = {.kind = ASK_PARTIAL, .count = 1};
    static const ask_item dual = {.kind = ASK_DUAL, .count = 1, .level = .5};
    double weight[2] = {0, 0}, clip[2] = {INFINITY, INFINITY}, out, unit;
    int64_t move[2];
    sotto_error error = {0};
    ask_plan plan = plan_one(primal);
    policy.ranks = 2;
    refuse_to_open(dense("squared"), &policy, &plan,
                   "several ranks cannot answer this question (primal)");
    policy.ranks = 0; /* a caller who forgot to say so */
    curator *c = open_share(&ranks, &policy, &primal);
    ask_primal step = {weight, 0, 1, .5, 1};
    assert_int_equal(curator_ask_primal(c, &step, move, &unit, &error),
                     SOTTO_USAGE);
    assert_non_null(strstr(error.message, "(primal)"));
    curator_close(c);
    c = open_share(&ranks, &policy, &dual);
    ask_dual at = {weight, .5, 1, 1, .25};
    assert_int_equal(curator_ask_dual(c, &at, move, &unit, &error),
                     SOTTO_USAGE);
    assert_non_null(strstr(error.message, "(dual)"));
    curator_close(c);
    policy.without_noise = 1;
    c = open_share(&ranks, &policy, &partial);
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    assert_int_equal(curator_ask_partial(c, 0, &out, &error), SOTTO_USAGE);
    assert_non_null(strstr(error.message, "(partial)"));
    curator_close(c);
}

/* With the same answers something else is asked. */
static void test_another_question(const curator_policy *policy)
{
    sotto_error error = {0};
    curator_tape *tape;
    double out[2], bound[2] = {1, 1};
    ask_plan plan = plan_two(some(ASK_TOTAL, 1, 1), some(ASK_MOMENTS, 1, 1));
    assert_int_equal(curator_tape_new(&tape, 2, &error), SOTTO_OK);
    for (int turn = 0; turn < 2; turn++) {
        sotto_table *t = dense("squared");
        t->invented = 1;
        curator *c = open_or_fail(t, policy, &plan);
        assert_int_equal(curator_attach_tape(c, tape, &error), SOTTO_OK);
        assert_int_equal(turn ? curator_ask_moments(c, bound, out, &error)
                              : curator_ask_total(c, out, &error),
                         turn ? SOTTO_PRIVACY : SOTTO_OK);
        assert_int_equal(curator_tape_heard(tape)->apart, turn);
        curator_tape_turn(tape);
        curator_close(c);
    }
    curator_tape_free(tape);
}

/* A tape sees sums without noise: only of records that nobody has. */
static void test_tapes(void **state)
{
    (void)state;
    sotto_error error = {0};
    curator_tape *tape;
    double total;
    ask_plan plan = plan_one(some(ASK_TOTAL, 1, 1));
    curator_policy policy = some_policy();
    policy.insecure = 0;
    policy.adjacency = ACCOUNT_ADD_REMOVE;
    policy.rows = 0;
    for (int is_made = 0; is_made < 2; is_made++) {
        sotto_table *t = dense("squared");
        t->invented = is_made;
        curator *c = open_or_fail(t, &policy, &plan);
        assert_int_equal(curator_tape_new(&tape, 2, &error), SOTTO_OK);
        assert_int_equal(curator_attach_tape(c, tape, &error),
                         is_made ? SOTTO_OK : SOTTO_PRIVACY);
        assert_int_equal(curator_ask_total(c, &total, &error), SOTTO_OK);
        assert_int_equal(curator_tape_heard(tape)->questions, is_made);
        curator_close(c);
        curator_tape_free(tape);
    }
    test_another_question(&policy);
    policy.insecure = 1; /* there is no claim to audit */
    sotto_table *t = dense("squared");
    t->invented = 1;
    curator *c = open_or_fail(t, &policy, &plan);
    assert_int_equal(curator_tape_new(&tape, 2, &error), SOTTO_OK);
    assert_int_equal(curator_attach_tape(c, tape, &error), SOTTO_PRIVACY);
    curator_close(c);
    curator_tape_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tapes),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_tables_of_blocks),
        cmocka_unit_test(test_tables_of_sketches),
        cmocka_unit_test(test_clips),
        cmocka_unit_test(test_primal_steps),
        cmocka_unit_test(test_rows_of_columns),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_rows_of_a_person),
        cmocka_unit_test(test_free_questions),
        cmocka_unit_test(test_sequence_of_either_storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
