/*
 * What a record adds to the questions of a private evaluation (Lemma C31): the
 * defined integers, whatever the other records are, and never more than is
 * charged, whatever its bits are.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

enum {
    EDGES = 3,
    GROUPS = 2,
    CELLS = GROUPS * (EDGES + 1),
    VALUES = 4,
    ALL = CELLS + VALUES
};

static const double edge[EDGES] = {-1, 0, 2};

/* Two columns, a weight up to 2, and a target that is a group. */
static const char head[] = "a,b,w,t\n";
static const char *const record[] = {
    "-3,1,2,0\n",       "-1,.5,1,1\n",   "-.5,-4,1,1\n", "0,1,.5,0\n",
    "1e-30,2,2,1\n",    "2,.25,1,0\n",   "2.5,0,0,1\n",  "1e38,-1e38,2,1\n",
    "-1e38,1e38,2,0\n", "1e-45,1,1,1\n", "7,7,2,-3\n",   "7,-7,1.5,9\n",
};
enum { RECORDS = sizeof record / sizeof *record };

static const ask_value value[VALUES] = {
    {.term = {{.column = 0, .times = .5}}, .terms = 1},
    {.term = {{.column = 1, .times = 1, .centre = .5, .square = 1}},
     .terms = 1},
    {.term = {{.column = 0, .times = .25, .square = 1},
              {.column = 1, .times = -.5, .centre = .25, .square = 1}},
     .terms = 2},
    {.term = {{.column = 0, .times = .5}}, .terms = 1, .squared = 1}};

static curator_policy plain(void)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {LOSS_SQUARED, 0},
                            .weight_bound = 2,
                            .without_noise = 1,
                            .insecure = 1,
                            .seed = 3};
}

static ask_plan plan_both(double mu)
{
    ask_plan plan =
        plan_two(some(ASK_OUTCOMES, 1, mu), some(ASK_ERRORS, 1, mu));
    plan.item[0].block = CELLS;
    plan.item[1].block = VALUES;
    return plan;
}

static curator *open_text(const char *text, const curator_policy *policy,
                          const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    sotto_table *t =
        read_text("d.csv", text,
                  SETTINGS({"target", "t"}, {"weights", "w"},
                           {"weight-bound", "2"}, {"epsilon", "1"}));
    if (curator_open(&c, &t, policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

/* The integers of a file. */
static void sums_of(const char *text, int64_t *out)
{
    curator_policy policy = plain();
    ask_plan plan = plan_both(0);
    curator *c = open_text(text, &policy, &plan);
    ask_cells cells = {.edge = edge, .edges = EDGES, .groups = GROUPS};
    double told[ALL], sd;
    sotto_error error;
    assert_int_equal(curator_ask_outcomes(c, &cells, told, &sd, &error),
                     SOTTO_OK);
    assert_int_equal(
        curator_ask_errors(c, value, VALUES, told + CELLS, &sd, &error),
        SOTTO_OK);
    for (int i = 0; i < ALL; i++) {
        double integer = told[i] / 2 * KERNEL_CLIP;
        assert_true(integer == rint(integer));
        out[i] = (int64_t)integer;
    }
    curator_close(c);
}

static void one_record(int i, int64_t *out)
{
    char text[128];
    snprintf(text, sizeof text, "%s%s", head, record[i]);
    sums_of(text, out);
}

/* By hand: the cell, and the clipped values. */
static void test_defined(void **state)
{
    (void)state;
    static const int cell[RECORDS] = {0, 4, 5, 1, 6, 2, 7, 7, 0, 6, 3, 3};
    static const double share[RECORDS] = {1, .5, .5, .25, 1, .5,
                                          0, 1,  1,  .5,  1, .75};
    static const double first[RECORDS] = {-1, -.5, -.25, 0, 0, 1,
                                          1,  1,   -1,   0, 1, 1};
    for (int i = 0; i < RECORDS; i++) {
        int64_t sum[ALL];
        one_record(i, sum);
        for (int k = 0; k < CELLS; k++)
            assert_int_equal(sum[k], k == cell[i] ? share[i] * KERNEL_CLIP : 0);
        assert_int_equal(sum[CELLS], share[i] * first[i] * KERNEL_CLIP);
        assert_int_equal(sum[CELLS + 3],
                         share[i] * first[i] * first[i] * KERNEL_CLIP);
    }
    /* -.5, -4: .25 .25 - .5 4.25^2 is below -1 */
    int64_t sum[ALL];
    one_record(2, sum);
    assert_int_equal(sum[CELLS + 2], -KERNEL_CLIP / 2);
    assert_int_equal(sum[CELLS + 1], KERNEL_CLIP / 2);
    /* -1, .5: .25 - .5 .25^2 */
    one_record(1, sum);
    assert_int_equal(sum[CELLS + 1], 0);
    assert_int_equal(sum[CELLS + 2], .5 * (.25 - .5 * .0625) * KERNEL_CLIP);
}

/* Together they add what each adds alone. */
static void test_alone_and_together(void **state)
{
    (void)state;
    int64_t together[ALL], alone[ALL], sum[ALL] = {0};
    text_buffer t = {0};
    text_put(&t, head);
    for (int n = 0; n < 11; n++) /* more than a block of rows */
        for (int i = 0; i < RECORDS; i++) {
            text_put(&t, record[(i + n) % RECORDS]);
            one_record((i + n) % RECORDS, alone);
            for (int k = 0; k < ALL; k++)
                sum[k] += alone[k];
        }
    assert_false(t.failed);
    sums_of(t.data, together);
    assert_memory_equal(sum, together, sizeof sum);
    text_free(&t);
}

/* What one record adds is no longer than the sensitivity, which is reached. */
static void test_within_the_bound(void **state)
{
    (void)state;
    curator_policy policy = plain();
    ask_plan plan = plan_both(1);
    double cells = gate_sensitivity(&policy, &plan.item[0], 2);
    double errors = gate_sensitivity(&policy, &plan.item[1], 2);
    double most[2] = {0};
    for (int i = 0; i < RECORDS; i++) {
        int64_t sum[ALL];
        double square[2] = {0};
        one_record(i, sum);
        for (int k = 0; k < ALL; k++)
            square[k >= CELLS] += (double)sum[k] * (double)sum[k];
        for (int n = 0; n < 2; n++)
            most[n] = fmax(most[n], sqrt(square[n]));
    }
    assert_true(most[0] <= cells && most[0] >= cells * (1 - 1e-9));
    assert_true(most[1] <= errors && most[1] >= errors * (1 - 1e-9));
}

/* The rows of one person count together, and no more of them than K. */
static void test_people(void **state)
{
    (void)state;
    sotto_table *t = read_text(
        "d.csv", "a,who,t\n1,p,0\n1,p,0\n1,p,0\n1,q,0\n",
        SETTINGS({"target", "t"}, {"unit-column", "who"}, {"epsilon", "1"}));
    curator_policy policy = plain();
    policy.weight_bound = 1;
    policy.has_people = 1;
    policy.rows_per_person = 2;
    ask_item item = some(ASK_OUTCOMES, 1, 0);
    item.block = 1;
    ask_plan plan = plan_one(item);
    ask_cells cells = {.groups = 1};
    double told, sd;
    curator *c;
    sotto_error error;
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error), SOTTO_OK);
    assert_int_equal(curator_ask_outcomes(c, &cells, &told, &sd, &error),
                     SOTTO_OK);
    assert_true(told == 3);
    curator_close(c);
}

static void refused(curator *c, const ask_cells *cells, sotto_status status)
{
    double told[2 * CELLS], sd = 1;
    sotto_error error;
    assert_int_equal(curator_ask_outcomes(c, cells, told, &sd, &error), status);
}

static void refused_value(curator *c, ask_value v, int64_t count,
                          sotto_status status)
{
    double told[8], sd;
    ask_value list[8] = {v, v, v, v, v, v, v, v};
    sotto_error error;
    assert_int_equal(curator_ask_errors(c, list, count, told, &sd, &error),
                     status);
}

/* Before anything is charged; what is wider than planned is charged. */
static void test_refusals(void **state)
{
    (void)state;
    curator_policy policy = plain();
    ask_plan plan = plan_both(0);
    curator *c = open_text("a,b,w,t\n1,1,1,0\n", &policy, &plan);
    static const double falls[] = {1, 1}, far[] = {0x1p101};
    refused(c, &(ask_cells){.column = 2, .groups = 1}, SOTTO_USAGE);
    refused(c, &(ask_cells){.column = -1, .groups = 1}, SOTTO_USAGE);
    refused(c, &(ask_cells){.groups = 0}, SOTTO_USAGE);
    refused(c, &(ask_cells){.groups = ASK_MOST_CELLS + 1}, SOTTO_USAGE);
    refused(c, &(ask_cells){.edges = -1, .groups = 1}, SOTTO_USAGE);
    refused(c, &(ask_cells){.edge = falls, .edges = 2, .groups = 1},
            SOTTO_USAGE);
    refused(c, &(ask_cells){.edge = far, .edges = 1, .groups = 1}, SOTTO_USAGE);
    refused(c, &(ask_cells){.groups = CELLS + 1}, SOTTO_BUDGET);
    refused(c, &(ask_cells){.groups = 1}, SOTTO_BUDGET);
    ask_value fine = value[2], off = fine;
    refused_value(c, fine, 0, SOTTO_USAGE);
    refused_value(c, fine, VALUES + 1, SOTTO_USAGE);
    off.terms = 3;
    refused_value(c, off, 1, SOTTO_USAGE);
    off = fine;
    off.term[1].column = 2;
    refused_value(c, off, 1, SOTTO_USAGE);
    off = fine;
    off.term[0].times = NAN;
    refused_value(c, off, 1, SOTTO_USAGE);
    off = fine;
    off.term[0].centre = INFINITY;
    refused_value(c, off, 1, SOTTO_USAGE);
    refused_value(c, fine, 1, SOTTO_OK);
    refused_value(c, fine, 1, SOTTO_BUDGET);
    curator_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defined),
        cmocka_unit_test(test_alone_and_together),
        cmocka_unit_test(test_within_the_bound),
        cmocka_unit_test(test_people),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
