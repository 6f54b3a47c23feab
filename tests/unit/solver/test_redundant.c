/*
 * Directions that levels of categories make redundant: no row has a part along
 * them, all that rows have none along are found, and the sums that are held are
 * those of the penalised minimiser, which the test finds by itself.
 */
#include "reading.h"

#include "solver/matrix.h"
#include "solver/redundant.h"

enum { P = 8, D = P + 1, ROWS = 60 };

/* Two categories, one of three levels and one of two, between numbers. */
static const int64_t two[P] = {0, 1, 1, 1, 0, 2, 2, 0};
static const double middle[P] = {.2, .3, .5, .1, -.4, .6, .2, 0}, none[P] = {0},
                    scale[P] = {.7, .4, .5, .2, 1.1, .6, .9, 2};

typedef struct problem {
    double z[ROWS * D], unit[D], best[D];
    int64_t d;
} problem;

static double number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 0x1p31 - .5;
}

/* Rows z = ((x - centre) / scale, 1), targets, and the least of the penalised
   squares. */
static void make(problem *p, const int64_t *whole, const double *centre,
                 int intercept)
{
    uint64_t seed = 3;
    double gram[D * D] = {0};
    *p = (problem){.d = P + intercept};
    for (int j = 0; j < P; j++)
        p->unit[j] = .02 + .01 * j;
    for (int64_t i = 0; i < ROWS; i++) {
        double *row = p->z + i * p->d, y = number(&seed);
        int64_t level[3] = {-1, (int64_t)((number(&seed) + .5) * 3),
                            (int64_t)((number(&seed) + .5) * 2)};
        for (int64_t j = 0; j < P; j++) {
            double x = number(&seed);
            if (whole[j])
                x = level[whole[j]]-- == 0;
            row[j] = (x - centre[j]) / scale[j];
            y += x * (double)j / 4;
        }
        if (intercept)
            row[P] = 1;
        for (int64_t a = 0; a < p->d; a++) {
            p->best[a] += row[a] * y / ROWS;
            for (int64_t b = 0; b < p->d; b++)
                gram[a * p->d + b] += row[a] * row[b] / ROWS;
        }
    }
    for (int64_t j = 0; j < p->d; j++)
        gram[j * p->d + j] += p->unit[j];
    assert_true(matrix_factor(gram, p->d));
    matrix_solve(gram, p->d, p->best);
}

static redundant find(const problem *p, const int64_t *whole,
                      const double *centre, int intercept)
{
    redundant of;
    redundant_frame frame = {P, intercept, whole, centre, scale, p->unit};
    sotto_error error;
    assert_int_equal(redundant_make(&of, &frame, &error), SOTTO_OK);
    return of;
}

static double along(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

static void check(const int64_t *whole, const double *centre, int intercept,
                  int64_t count)
{
    problem p;
    make(&p, whole, centre, intercept);
    redundant of = find(&p, whole, centre, intercept);
    assert_int_equal(of.count, count);
    for (int64_t r = 0; r < count; r++) {
        for (int64_t i = 0; i < ROWS; i++)
            assert_true(fabs(along(of.along + r * p.d, p.z + i * p.d, p.d)) <
                        1e-12);
        for (int64_t s = 0; s < count; s++)
            assert_true(
                fabs(along(of.along + r * p.d, of.along + s * p.d, p.d) -
                     (r == s)) < 1e-12);
    }
    for (int64_t j = 0; j < p.d; j++) {
        double c[D] = {0}, before[D] = {0}, v[D];
        c[j] = before[j] = 1;
        memcpy(v, p.best, sizeof v);
        for (int64_t r = 0; r < count; r++)
            for (int64_t e = 0; e < p.d; e++)
                v[e] += (3 - 5 * (double)r) * of.along[r * p.d + e];
        redundant_hold(&of, c);
        /* the minimiser's, though v is elsewhere on the line */
        assert_true(fabs(along(c, v, p.d) - p.best[j]) < 1e-10);
        int moves = fabs(v[j] - p.best[j]) > 1e-3;
        int levels = j == P || whole[j] != 0;
        assert_int_equal(moves, count > 0 && levels);
        if (!levels)
            assert_memory_equal(c, before, sizeof c);
    }
    redundant_free(&of);
}

static void test_with_intercept(void **state)
{
    (void)state;
    check(two, middle, 1, 2);
    check(two, none, 1, 2);
}

/* Then only the difference of two categories is redundant; with centres, too.
 */
static void test_without_intercept(void **state)
{
    (void)state;
    static const int64_t one[P] = {0, 1, 1, 1};
    check(two, none, 0, 1);
    check(two, middle, 0, 1);
    check(one, none, 0, 0);
}

static void test_no_categories(void **state)
{
    (void)state;
    static const int64_t numbers[P] = {0};
    check(numbers, middle, 1, 0);
    check(numbers, middle, 0, 0);
    problem p;
    make(&p, numbers, none, 1);
    redundant of = find(&p, NULL, none, 1); /* nobody declared any */
    assert_int_equal(of.count, 0);
    redundant_free(&of);
}

/* What no penalty holds is not known to be anywhere. */
static void test_nothing_holds(void **state)
{
    (void)state;
    problem p;
    make(&p, two, middle, 1);
    memset(p.unit, 0, sizeof p.unit);
    redundant of = find(&p, two, middle, 1);
    assert_int_equal(of.count, 0);
    redundant_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_intercept),
        cmocka_unit_test(test_without_intercept),
        cmocka_unit_test(test_no_categories),
        cmocka_unit_test(test_nothing_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
