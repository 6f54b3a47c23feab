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

/* The first column has this value, and all bounds are lowered to it. */
static double first = 1;

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
    if (q->kind == ASK_ROW_COUNTS)
        *noise = script.sd / 2 * KERNEL_CLIP;
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
        text_format(&t, "%.9g,%.9g,%.9g,%d\n", first, second(i),
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
    ask_plan plan = {.item = {some(ASK_ROW_COUNTS, 1, 1),
                              some(ASK_COLUMN_COUNTS, 1, 1),
                              some(ASK_MOMENTS, 1, 1)},
                     .items = 3};
    if (!counts)
        plan = plan_one(plan.item[2]);
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

/* From what is seen in a column that is clipped at 2^-range of its bound a
   quarter of the way to that with all that noise may hide at the bound. */
static double between(double seen, int range)
{
    double hidden = (range > 0) * script.sd / ROWS * first * first;
    return pow(seen, .75) * pow(seen + hidden, .25);
}

static double clipped(value_of second, int range)
{
    double sum = 0, most = ldexp(first, -range);
    for (int i = 0; i < ROWS; i++) {
        double x = fmin(fabs(second(i)), most);
        sum += x * x;
    }
    return sum / ROWS;
}

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= .01 * wanted))
        fail_msg("%.9g, not %.9g", found, wanted);
}

/* The second column is clipped at 2^-range of its bound: by its mean square,
   and by the least that this can be. */
static void second_is(value_of second, int range)
{
    double m[FEATURES], bound = first * first;
    int third = (int)(7 + log2(first));
    script.floor = 0;
    ask(second, 1, m);
    assert_near(m[0], bound / 4);
    assert_near(m[1], between(clipped(second, range), range) / 4);
    assert_near(m[2], between(9 * 0x1p-18, third) / 4);
    script.floor = 1;
    ask(second, 1, m);
    assert_near(m[0], bound / 4);
    assert_near(m[1], between(ldexp(bound, -2 * range), range) / 4);
    assert_near(m[2], between(ldexp(bound, -2 * third), third) / 4);
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
    assert_int_equal(script.asked[ASK_ROW_COUNTS], 2);
    assert_int_equal(script.asked[ASK_COLUMN_COUNTS], 2);
    assert_int_equal(script.asked[ASK_MOMENTS], 2);
}

/* All bounds are too large by the same factor: less can be hidden. */
static void test_all_far_below_bounds(void **state)
{
    (void)state;
    reset(10);
    first = 0x1p-3;
    second_is(small, 3);
    first = 1;
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
    assert_int_equal(script.asked[ASK_ROW_COUNTS], 0);
    assert_int_equal(script.asked[ASK_COLUMN_COUNTS], 0);
    for (int j = 0; j < FEATURES; j++)
        assert_near(m[j], .25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_below_bounds),
        cmocka_unit_test(test_all_far_below_bounds),
        cmocka_unit_test(test_values_above),
        cmocka_unit_test(test_noise_above),
        cmocka_unit_test(test_rare_values),
        cmocka_unit_test(test_spread_values),
        cmocka_unit_test(test_too_much_noise),
        cmocka_unit_test(test_without_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
