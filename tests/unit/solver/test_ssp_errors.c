/*
 * Standard errors from noisy second moments: the numbers of the reference in
 * NumPy, and which weights get none.
 */
#include "reading.h"

#include "solver/ssp.h"

enum { D = 4 };

/* The moments of three columns and an intercept with a target, whose mean
   square is .35. */
static const double moments[D * D] = {.40, .10,  .05, .02, .10, .30, -.04, .01,
                                      .05, -.04, .25, .03, .02, .01, .03,  1};
static const double pull[D] = {.21, -.12, .08, .10};
static const double ridge[D] = {.01, .01, .01, 0};
static const double one_each[D] = {1, 1, 1, 1};

typedef struct fixture {
    double gram[D * D], vector[D * D], value[D], v[D], error[D + 1],
        moved[D + 1];
    unsigned char refused[D + 1];
    ssp_moments m;
} fixture;

/* v = (G + L)^-1 b, and what it was made of. */
static void begin(fixture *f, const double *gram, double sd, double rows)
{
    double root[D * D];
    sotto_error error;
    *f = (fixture){.m = {.d = D,
                         .l2 = ridge,
                         .reach = one_each,
                         .sd = sd,
                         .edge = sd * sqrt(2 * D),
                         .residual = .35,
                         .rows = rows}};
    memcpy(f->gram, gram, sizeof f->gram);
    assert_int_equal(matrix_eigen(gram, D, f->value, f->vector, &error), 0);
    for (int e = 0; e < D; e++)
        f->value[e] = fmax(f->value[e], f->m.edge);
    matrix_compose(f->value, f->vector, D, f->gram);
    memcpy(root, f->gram, sizeof root);
    memcpy(f->v, pull, sizeof f->v);
    for (int j = 0; j < D; j++)
        root[j * D + j] += ridge[j];
    assert_true(matrix_factor(root, D));
    matrix_solve(root, D, f->v);
    for (int i = 0; i < D; i++) {
        f->m.residual -= 2 * f->v[i] * pull[i];
        for (int j = 0; j < D; j++)
            f->m.residual += f->v[i] * f->gram[i * D + j] * f->v[j];
    }
    f->m.gram = f->gram;
    f->m.v = f->v;
}

/* Of each weight, and of one more sum. */
static void find(fixture *f, const double *more)
{
    double what[(D + 1) * D] = {0};
    errors_found found = {f->error, f->moved, f->refused};
    sotto_error error;
    for (int j = 0; j < D; j++)
        what[j * D + j] = 1;
    if (more)
        memcpy(what + D * D, more, D * sizeof *more);
    assert_int_equal(
        ssp_errors(&f->m, what, D + (more != NULL), &found, &error), SOTTO_OK);
}

static void same(double x, double expected)
{
    if (!(fabs(x - expected) < 1e-7 * fabs(expected)))
        fail_msg("%.9g where %.9g was expected", x, expected);
}

/* ssp_intervals(S, .002, 4000 / 2, l2) of the reference: the sampling variance
   counts twice. The last is sqrt(c' cov c), by NumPy from the same matrices. */
static void test_reference(void **state)
{
    (void)state;
    static const double c[D] = {-.5, 0, 1.5, 2};
    static const double expected[] = {0.0143221365, 0.0167193612, 0.0174111356,
                                      0.00805129583, 0.0320879861};
    fixture f;
    begin(&f, moments, .002, 4000);
    same(f.m.residual, 0.1218487);
    find(&f, c);
    for (int i = 0; i <= D; i++) {
        same(f.error[i], expected[i]);
        assert_int_equal(f.refused[i], INTERVAL_UNMODELLED);
    }
}

/* Without noise, of columns that have nothing in common: s2 / (n G_jj). */
static void test_sampling_alone(void **state)
{
    (void)state;
    static const double apart[D * D] = {.4, 0, 0,   0, 0, .3, 0, 0,
                                        0,  0, .25, 0, 0, 0,  0, 1};
    static const double none[D] = {0};
    fixture f;
    begin(&f, apart, 0, 1000);
    f.m.l2 = none;
    f.m.residual = .09;
    find(&f, NULL);
    for (int j = 0; j < D; j++)
        same(f.error[j] * f.error[j], 2 * .09 / (1000 * apart[j * D + j]));
}

/* The residual is an answer: it is not below its noise, sd (1 + |v|^2). */
static void test_residual_below_its_noise(void **state)
{
    (void)state;
    fixture f;
    double length = 1, small[D];
    begin(&f, moments, .002, 4000);
    for (int j = 0; j < D; j++)
        length += f.v[j] * f.v[j];
    f.m.residual = -1;
    find(&f, NULL);
    memcpy(small, f.error, sizeof small);
    f.m.residual = .002 * length;
    find(&f, NULL);
    for (int j = 0; j < D; j++)
        same(small[j], f.error[j]);
}

/* ---- which get none ---- */

/* The third column varies as little as noise does, by itself. */
static const double one_hidden[D * D] = {.40, .10, 0,    .02, .10, .30, 0, .01,
                                         0,   0,   1e-3, 0,   .02, .01, 0, 1};

static void test_hidden(void **state)
{
    (void)state;
    fixture f;
    begin(&f, one_hidden, .002, 4000);
    find(&f, NULL);
    assert_true(f.error[0] > 0 && f.error[1] > 0 && f.error[3] > 0);
    assert_true(f.error[2] == 0);
    assert_int_equal(f.refused[2], INTERVAL_HIDDEN);
    /* the same where it is a little above the edge of the noise */
    static const double near[D * D] = {.40, .10, 0,     .02, .10, .30, 0, .01,
                                       0,   0,   .0068, 0,   .02, .01, 0, 1};
    begin(&f, near, .002, 4000);
    find(&f, NULL);
    assert_int_equal(f.refused[2], INTERVAL_HIDDEN);
    assert_true(f.error[2] == 0);
    /* and not where it is well above */
    static const double seen[D * D] = {.40, .10, 0,     .02, .10, .30, 0, .01,
                                       0,   0,   .0075, 0,   .02, .01, 0, 1};
    begin(&f, seen, .002, 4000);
    find(&f, NULL);
    assert_true(f.error[2] > 0);
}

/* A sum that leans on the hidden column has none either; the others keep
   theirs as long as they are two thirds of all. */
static void test_mostly_hidden(void **state)
{
    (void)state;
    static const double leans[D] = {1, 0, 1, 0};
    fixture f;
    begin(&f, one_hidden, .002, 4000);
    find(&f, leans);
    for (int i = 0; i <= D; i++) {
        int leans_on_it = i == 2 || i == D;
        assert_true(f.error[i] == 0);
        assert_int_equal(f.refused[i],
                         leans_on_it ? INTERVAL_HIDDEN : INTERVAL_FEW_SEEN);
    }
}

/* Rows that go very far in one column may decide its weight. It matters where
   sampling is no small part. */
static void test_few_rows(void **state)
{
    (void)state;
    static const double far[D] = {1, 1, 30, 1};
    fixture f;
    begin(&f, moments, .0002, 400);
    f.m.reach = far;
    find(&f, NULL);
    assert_int_equal(f.refused[2], INTERVAL_FEW_ROWS);
    assert_true(f.error[2] == 0);
    f.m.reach = one_each;
    find(&f, NULL);
    assert_true(f.error[2] > 0);
    begin(&f, moments, .01, 400000);
    f.m.reach = far;
    find(&f, NULL);
    assert_true(f.error[2] > 0);
}

static void test_not_a_number(void **state)
{
    (void)state;
    fixture f;
    begin(&f, moments, .002, 4000);
    f.gram[0] = NAN;
    find(&f, NULL);
    for (int j = 0; j < D; j++) {
        assert_true(f.error[j] == 0);
        assert_int_equal(f.refused[j], INTERVAL_HIDDEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_sampling_alone),
        cmocka_unit_test(test_residual_below_its_noise),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_mostly_hidden),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
