/*
 * Up to where a column's squares count, and the size of what is seen of it, by
 * counts in octaves below its bound.
 */
#include "reading.h"

#include "solver/newton.h"

enum { OCTAVES = 23, ROWS = 10000 };
#define SD 100.

static int same(double x, double y)
{
    return fabs(x - y) < 1e-12;
}

/* The first octave that is filled, of several lists. */
static int64_t top_of(const double *count, int64_t lists)
{
    return newton_first_filled(count, OCTAVES, SD, lists);
}

static double end_of(const double *count)
{
    return newton_column_end(count, top_of(count, 1), SD);
}

/* Nothing in the octaves above `top`, and there two thirds of the rows. */
static void fill_clearly(double *count, int top)
{
    for (int k = 0; k < OCTAVES; k++)
        count[k] = k < top ? 0 : ldexp(ROWS * 2. / 3, 2 * (top - k));
}

/* A bound that fits stays; one that is ten times too loose is halved; one that
   is too far keeps most, and one out of sight all. */
static void test_by_distance(void **state)
{
    (void)state;
    double count[OCTAVES];
    for (int top = 0; top < 12; top++) {
        fill_clearly(count, top);
        assert_int_equal(top_of(count, 1), top);
        double right = top < 3 ? 1 : top < 6 ? .5 : top < 10 ? .8 : 1;
        assert_true(same(end_of(count), right));
    }
}

/* A column that runs out slowly keeps its bound: rows that nobody can see are
   likely to be there. */
static void test_slowly(void **state)
{
    (void)state;
    double falling[OCTAVES] = {40, 26, 109, 291, 675, 1223, 2031, 2814, 2541};
    assert_int_equal(top_of(falling, 1), 4);
    assert_true(same(end_of(falling), 1));
    /* what is seen in the octave above, or could be there in noise, counts */
    double clear[OCTAVES] = {0, 0, 0, 0, 1500, 5000};
    assert_true(same(end_of(clear), .5));
    clear[3] = 300;
    assert_true(same(end_of(clear), .5));
    clear[3] = 500;
    assert_int_equal(newton_first_filled(clear, 4, SD, 1), 3);
    assert_true(same(newton_column_end(clear, 4, SD), 1));
    clear[3] = -500;
    assert_true(same(end_of(clear), .5));
    assert_true(same(newton_column_end(clear, 4, 400), 1));
}

/* The more columns, the more noise could look like values in one of them. */
static void test_many_columns(void **state)
{
    (void)state;
    double count[OCTAVES] = {260, 0, 0, 0, 1500, 5000};
    assert_int_equal(top_of(count, 1), 0);
    assert_int_equal(top_of(count, 18), 4);
    count[0] = 400;
    assert_int_equal(top_of(count, 18), 0);
}

/* The root of the mean square, within the width of an octave, of values that
   are spread evenly over [-size, size]; the noise of octaves that are further
   above than one does not count. */
static void test_bulk(void **state)
{
    (void)state;
    for (double size = 1. / 9; size > 1e-4; size /= 1.7) {
        double count[OCTAVES] = {0};
        for (int i = 0; i < ROWS; i++) {
            int k = (int)floor(-log2(size * (i + .5) / ROWS));
            count[k < OCTAVES ? k : OCTAVES - 1]++;
        }
        int64_t top = top_of(count, 1);
        double bulk = newton_column_bulk(count, OCTAVES, top, ROWS);
        assert_true(bulk > .8 * size / sqrt(3) && bulk < 1.25 * size / sqrt(3));
        count[top - 2] = 3 * SD;
        count[top - 3] = -3 * SD;
        assert_true(same(newton_column_bulk(count, OCTAVES, top, ROWS), bulk));
    }
    double near[OCTAVES] = {0, 0, ROWS};
    assert_true(isinf(newton_column_bulk(near, OCTAVES, 2, ROWS)));
    assert_true(isinf(newton_column_bulk(near, OCTAVES, 0, ROWS)));
}

/* Of a bound that nobody declared: noise in an octave near the fullest one may
   lift it, the same noise far above may not. Values there do. */
static void test_bought(void **state)
{
    (void)state;
    enum { POWERS = 277, HIGHEST = 128, ONE = HIGHEST };
    double count[POWERS + 1] = {0};
    count[ONE] = ROWS;
    assert_true(same(newton_bought_bound(count, POWERS, HIGHEST, SD), 1));
    for (int above = 1; above < 60; above++) {
        count[ONE - above] = 4 * SD;
        assert_true(same(newton_bought_bound(count, POWERS, HIGHEST, SD),
                         above < 7 ? ldexp(1, above) : 1));
        count[ONE - above] = 10 * SD;
        assert_true(same(newton_bought_bound(count, POWERS, HIGHEST, SD),
                         ldexp(1, above)));
        count[ONE - above] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_distance), cmocka_unit_test(test_slowly),
        cmocka_unit_test(test_many_columns), cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_bought)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
