/*
 * The constants M_j that are asked for. The gate's answers are exact sums and
 * what a test adds to them, so that nothing here happens by chance.
 */
#include "plans.h"
#include "reading.h"
#include "wrapped.h"

#include "curator.h"
#include "solver.h"

enum { ROWS = 1000, FEATURES = 3, RANGES = 24 };

/* In rows: the sd that counts are said to have, and what is added to one of
   them in the second column. A mean square is no less than its sd, `floor`
   times the square of what it was clipped to. */
static struct {
    double sd, more, floor;
    int range;
    int asked[ASK_KINDS];
} script;

sotto_status __wrap_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error)
{
    (void)error;
    q->sum(c, q->what, out);
    *noise = script.floor * ROWS * KERNEL_CLIP;
    script.asked[q->kind]++;
    if (q->kind == ASK_COLUMN_COUNTS) {
        *noise = script.sd * KERNEL_CLIP;
        out[RANGES + script.range] += (int64_t)(script.more * KERNEL_CLIP);
    }
    return SOTTO_OK;
}

/* ---- a table and its constants ---- */

typedef double (*value_of)(int i);

static char *table_text(value_of second)
{
    text_buffer t = {0};
    text_put(&t, "a,b,c,y\n");
    for (int i = 0; i < ROWS; i++)
        text_format(&t, "1,%.9g,%.9g,%d\n", second(i),
                    ldexp(i % 2 ? 3 : -3, -9), i % 3 == 0);
    assert_false(t.failed);
    return t.data;
}

static void ask(value_of second, int counts, double *m)
{
    static const double reach[FEATURES] = {1, 1, 1};
    char *text = table_text(second);
    sotto_table *t = read_text("d.csv", text,
                               SETTINGS({"loss", "logistic"}, {"target", "y"}));
    ask_plan plan =
        plan_two(some(ASK_COLUMN_COUNTS, 1, 1), some(ASK_MOMENTS, 1, 1));
    if (!counts)
        plan = plan_one(plan.item[1]);
    curator_policy policy = {.adjacency = ACCOUNT_REPLACE_ONE,
                             .rows_per_person = 1,
                             .rows = ROWS,
                             .loss = {LOSS_LOGISTIC, 0},
                             .weight_bound = 1,
                             .insecure = 1};
    solver_run r = {.facts = {.features = FEATURES},
                    .problem = {.loss = {LOSS_LOGISTIC, 0}},
                    .smooth = {.m = m, .reach = (double *)reach},
                    .plan = plan};
    sotto_error error;
    if (curator_open(&r.curator, &t, &policy, &plan, &error) ||
        solver_ask_constants(&r, &error))
        fail_msg("%s", error.message);
    curator_close(r.curator);
    free(text);
}

/* M_j of values that are at most 2^-range, and the same without that. */
static double exact(value_of second, int range)
{
    double sum = 0, most = ldexp(1, -range);
    for (int i = 0; i < ROWS; i++) {
        double x = fmin(fabs(second(i)), most);
        sum += x * x;
    }
    return sum / ROWS / 4;
}

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= .01 * wanted))
        fail_msg("%.9g, not %.9g", found, wanted);
}

/* The second column is clipped at 2^-range, and its mean square is that of
   what is left. */
static void second_is(value_of second, int range)
{
    double m[FEATURES];
    script.floor = 0;
    ask(second, 1, m);
    assert_near(m[0], .25);
    assert_near(m[1], exact(second, range));
    assert_near(m[2], 9. / 4 * 0x1p-18);
    script.floor = 1;
    ask(second, 1, m);
    assert_near(m[0], .25);
    assert_near(m[1], ldexp(.25, -2 * range));
    assert_near(m[2], ldexp(.25, -2 * 7));
}

/* ---- columns ---- */

/* Sizes in ranges 6 and 7. */
static double small(int i)
{
    return ldexp(i % 2 ? 1.2 : -1.2, i % 4 ? -7 : -8);
}

/* The same, and some that are larger. */
static int larger;
static double small_and_some(int i)
{
    return i < larger ? .9 : small(i);
}

/* One in 33, else 0. */
static double rare(int i)
{
    return i % 33 == 0;
}

/* As many in each of 20 ranges. */
static double spread(int i)
{
    return ldexp(.9, -(i % 20));
}

static void reset(double sd)
{
    memset(&script, 0, sizeof script);
    script.sd = sd;
}

/* ---- tests ---- */

/* The mean square of values that are clipped where enough are seen: of a
   column far below its bound too. */
static void test_far_below_bounds(void **state)
{
    (void)state;
    reset(10);
    second_is(small, 6);
    assert_int_equal(script.asked[ASK_COLUMN_COUNTS], 2);
    assert_int_equal(script.asked[ASK_MOMENTS], 2);
}

/* The range that is looked for goes up to what stands out of noise: at this
   distance of 7 by 3.7 sd. */
static void test_values_above(void **state)
{
    (void)state;
    reset(10);
    larger = 30;
    second_is(small_and_some, 6);
    larger = 45;
    second_is(small_and_some, 0);
}

static void test_noise_above(void **state)
{
    (void)state;
    reset(10);
    script.range = 1;
    script.more = 30;
    second_is(small, 6);
    script.more = 45;
    second_is(small, 1);
}

/* Many zeros say nothing about the few others, whose steps would be too long
   by any factor. */
static void test_rare_values(void **state)
{
    (void)state;
    reset(20);
    second_is(rare, 0);
}

/* No range is certain: bounds stay. */
static void test_spread_values(void **state)
{
    (void)state;
    reset(20);
    second_is(spread, 0);
    script.range = 12;
    script.more = 50; /* 100 in all, 5 sd */
    second_is(spread, 0);
}

/* Counts in so much noise are not used, though a range stands out. */
static void test_too_much_noise(void **state)
{
    double m[FEATURES];
    (void)state;
    reset(20.8);
    second_is(small, 6);
    reset(20.9); /* three of it are more than 1/16 of the rows */
    script.floor = 1;
    ask(small, 1, m);
    for (int j = 0; j < FEATURES; j++)
        assert_near(m[j], .25);
}

/* Where no counts are planned, none are asked for. */
static void test_without_counts(void **state)
{
    double m[FEATURES];
    (void)state;
    reset(10);
    script.floor = 1;
    ask(small, 0, m);
    assert_int_equal(script.asked[ASK_COLUMN_COUNTS], 0);
    for (int j = 0; j < FEATURES; j++)
        assert_near(m[j], .25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_below_bounds),
        cmocka_unit_test(test_values_above),
        cmocka_unit_test(test_noise_above),
        cmocka_unit_test(test_rare_values),
        cmocka_unit_test(test_spread_values),
        cmocka_unit_test(test_too_much_noise),
        cmocka_unit_test(test_without_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
