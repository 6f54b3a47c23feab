/*
 * The exact solver: closed forms, optimality conditions, and that its
 * certificate holds. tests/python/test_exact.py compares it with other solvers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scaffolding ---- */

static uint64_t seed;

/* Uniform on (-1, 1): splitmix64. */
static double draw(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

typedef struct setting {
    const char *name, *value;
} setting;

static sotto_table *read_text(const char *name, const char *text,
                              const setting *s)
{
    sotto_options *o;
    sotto_table *t = NULL;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (; s->name; s++)
        assert_int_equal(sotto_options_set(o, s->name, s->value, &error),
                         SOTTO_OK);
    if (table_read_memory(&t, name, text, strlen(text), o, &error))
        fail_msg("%s", error.message);
    sotto_options_free(o);
    return t;
}

/* Rows of p features, then target and weight. */
typedef struct sample {
    int n, p, classes;
    double *x, *y, *s;
} sample;

static sample make_sample(int n, int p, int classes)
{
    sample a = {n, p, classes, NULL, NULL, NULL};
    a.x = calloc((size_t)(n * p), sizeof *a.x);
    a.y = calloc((size_t)n, sizeof *a.y);
    a.s = calloc((size_t)n, sizeof *a.s);
    for (int i = 0; i < n; i++) {
        double score = .3 + 2 * draw();
        for (int j = 0; j < p; j++) {
            a.x[i * p + j] = draw() + (j == 1 ? .5 : 0);
            score += (j % 3 - 1) * a.x[i * p + j];
        }
        a.y[i] = classes ? (score > 0 ? 1 : -1) : score;
        a.s[i] = 1;
    }
    return a;
}

static void free_sample(sample *a)
{
    free(a->x);
    free(a->y);
    free(a->s);
}

static char *sample_csv(const sample *a)
{
    size_t room = (size_t)(a->n + 1) * (size_t)(a->p + 2) * 26;
    char *text = malloc(room), *at = text;
    for (int j = 0; j < a->p; j++)
        at += sprintf(at, "x%d,", j);
    at += sprintf(at, "t,s\n");
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < a->p; j++)
            at += sprintf(at, "%.17g,", a->x[i * a->p + j]);
        at += sprintf(at, "%.17g,%.17g\n", a->y[i], a->s[i]);
    }
    return text;
}

static sotto_table *sample_table(const sample *a)
{
    char *text = sample_csv(a);
    const setting s[] = {{"precision", "double"},
                         {"target", "t"},
                         {"weights", "s"},
                         {"weight-bound", "1000"},
                         {"loss", a->classes ? "logistic" : "squared"},
                         {NULL, NULL}};
    sotto_table *t = read_text("a.csv", text, s);
    free(text);
    return t;
}

static sotto_table *sample_sparse(const sample *a)
{
    size_t room = (size_t)(a->n + 1) * (size_t)(a->p + 2) * 34;
    char *text = malloc(room), *at = text, features[24];
    for (int i = 0; i < a->n; i++) {
        at += sprintf(at, "%.17g", a->y[i]);
        for (int j = 0; j < a->p; j++)
            if (a->x[i * a->p + j] != 0)
                at += sprintf(at, " %d:%.17g", j + 1, a->x[i * a->p + j]);
        at += sprintf(at, "\n");
    }
    snprintf(features, sizeof features, "%d", a->p);
    const setting s[] = {{"precision", "double"},
                         {"features", features},
                         {"loss", a->classes ? "logistic" : "squared"},
                         {NULL, NULL}};
    sotto_table *t = read_text("a.svm", text, s);
    free(text);
    return t;
}

static exact_problem problem_on(const sotto_table *t, loss_kind kind)
{
    return (exact_problem){.table = t,
                           .loss = {kind, 1.35},
                           .low = -INFINITY,
                           .high = INFINITY,
                           .tolerance = 1e-10};
}

static exact_solution solve(const exact_problem *p)
{
    exact_solution x;
    sotto_error error = {0};
    if (exact_solve(&x, p, &error))
        fail_msg("%s", error.message);
    return x;
}

static void refuse(const exact_problem *p, sotto_status status,
                   const char *words)
{
    exact_solution x;
    sotto_error error = {0};
    assert_int_equal(exact_solve(&x, p, &error), status);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
    assert_null(strchr(error.message, '\n'));
    exact_solution_free(&x);
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC, LOSS_HINGE,
                                  LOSS_SQUARED_HINGE, LOSS_HUBER};
enum { KINDS = 5 };

typedef struct penalty {
    double l1, l2, low, high;
} penalty;

static const penalty penalties[] = {
    {.03, 0, -INFINITY, INFINITY},   {0, .05, -INFINITY, INFINITY},
    {.02, .02, -INFINITY, INFINITY}, {0, 0, -.2, .3},
    {.01, 0, 0, INFINITY},           {0, .01, .05, .5}};
enum { PENALTIES = 6 };

static exact_problem with_penalty(exact_problem p, const penalty *q)
{
    p.l1 = q->l1;
    p.l2 = q->l2;
    p.low = q->low;
    p.high = q->high;
    return p;
}

/* ---- closed forms ---- */

static void test_one_column(void **state)
{
    (void)state;
    const setting s[] = {
        {"precision", "double"}, {"target", "t"}, {NULL, NULL}};
    sotto_table *t = read_text("a.csv", "x,t\n1,1\n1,3\n", s);
    exact_problem p = problem_on(t, LOSS_SQUARED);
    p.l1 = 1;
    exact_solution x = solve(&p); /* mean 2, shrunk by l1 */
    assert_near(x.weight[0], 1, 1e-12);
    assert_near(x.objective, 2, 1e-12);
    assert_true(x.gap <= 1e-10 * x.objective);
    exact_solution_free(&x);
    p.l1 = 0;
    p.l2 = 1;
    x = solve(&p); /* mean 2, divided by 1 + l2 */
    assert_near(x.weight[0], 1, 1e-12);
    assert_near(x.objective, 1.5, 1e-12);
    exact_solution_free(&x);
    p.high = .5;
    x = solve(&p);
    assert_true(x.weight[0] == .5);
    exact_solution_free(&x);
    p.high = INFINITY;
    p.l2 = 0;
    p.intercept = 1; /* the column is constant: the intercept does it all */
    x = solve(&p);
    assert_near(x.weight[0] + x.intercept, 2, 1e-12);
    assert_near(x.objective, .5, 1e-12);
    assert_true(isnan(x.gap));
    exact_solution_free(&x);
    sotto_table_free(t);
}

/* Hinge with one point of each class at -1 and 1: the margin is 1/d. */
static void test_two_points(void **state)
{
    (void)state;
    const setting s[] = {{"precision", "double"},
                         {"target", "t"},
                         {"loss", "hinge"},
                         {NULL, NULL}};
    sotto_table *t = read_text("a.csv", "x,t\n3,1\n-1,-1\n", s);
    exact_problem p = problem_on(t, LOSS_HINGE);
    p.intercept = 1;
    p.l2 = 1e-3;
    exact_solution x = solve(&p); /* w = 2 / (3 + 1), b = 1 - 3 w */
    assert_near(x.weight[0], .5, 1e-9);
    assert_near(x.intercept, -.5, 1e-9);
    assert_near(x.objective, 1e-3 / 8, 1e-13);
    exact_solution_free(&x);
    sotto_table_free(t);
}

/* ---- optimality and certificate ---- */

static double at_moved(const exact_problem *p, const exact_solution *x,
                       double size)
{
    int64_t n = p->table->features;
    double *w = calloc((size_t)n, sizeof *w);
    for (int64_t j = 0; j < n; j++)
        w[j] = fmax(p->low, fmin(p->high, x->weight[j] + size * draw()));
    double b = x->intercept + (p->intercept ? size * draw() : 0);
    double value = exact_objective(p, w, b);
    free(w);
    return value;
}

/* One coordinate at a time as well: kinks and bounds are felt there. */
static double at_moved_one(const exact_problem *p, const exact_solution *x,
                           int64_t j, double by)
{
    double old = x->weight[j];
    x->weight[j] = fmax(p->low, fmin(p->high, old + by));
    double value = exact_objective(p, x->weight, x->intercept);
    x->weight[j] = old;
    return value;
}

static void check_optimal(const exact_problem *p)
{
    exact_solution x = solve(p);
    double rounding = 1e-14 * x.objective;
    assert_true(x.converged);
    assert_near(x.objective, exact_objective(p, x.weight, x.intercept), 0);
    if (!(x.gap >= 0 && x.gap <= 1e-10 * x.objective + 1e-15))
        fail_msg("%s l1 %g l2 %g low %g high %g b %d: gap %g of %g",
                 loss_name(p->loss.kind), p->l1, p->l2, p->low, p->high,
                 p->intercept, x.gap, x.objective);
    double least = x.objective - x.gap - rounding;
    for (int i = 0; i < 200; i++)
        assert_true(at_moved(p, &x, pow(10, -(i % 8))) >= least);
    for (int64_t j = 0; j < p->table->features; j++)
        for (int e = 0; e < 8; e++) {
            assert_true(x.weight[j] >= p->low && x.weight[j] <= p->high);
            assert_true(at_moved_one(p, &x, j, pow(10, -e)) >= least);
            assert_true(at_moved_one(p, &x, j, -pow(10, -e)) >= least);
        }
    exact_solution_free(&x);
}

static void check_all(int n, int columns)
{
    for (int k = 0; k < KINDS; k++)
        for (int q = 0; q < PENALTIES; q++)
            for (int intercept = 0; intercept < 2; intercept++) {
                sample a = make_sample(n, columns, loss_has_classes(kinds[k]));
                sotto_table *t = sample_table(&a);
                exact_problem p =
                    with_penalty(problem_on(t, kinds[k]), &penalties[q]);
                p.intercept = intercept;
                check_optimal(&p);
                sotto_table_free(t);
                free_sample(&a);
            }
}

static void test_optimal(void **state)
{
    (void)state;
    check_all(70, 5);
}

static void test_optimal_wide(void **state)
{
    (void)state;
    check_all(12, 30);
}

/* Subgradients by hand for the lasso. */
static void test_conditions(void **state)
{
    (void)state;
    sample a = make_sample(80, 10, 0);
    sotto_table *t = sample_table(&a);
    exact_problem p = problem_on(t, LOSS_SQUARED);
    p.l1 = .2;
    exact_solution x = solve(&p);
    int zeros = 0;
    for (int j = 0; j < 10; j++) {
        double c = 0;
        for (int i = 0; i < 80; i++) {
            double r = -a.y[i];
            for (int k = 0; k < 10; k++)
                r += a.x[i * 10 + k] * x.weight[k];
            c += r * a.x[i * 10 + j] / 80;
        }
        if (x.weight[j] == 0)
            assert_true(fabs(c) <= .2);
        else
            assert_near(c, x.weight[j] > 0 ? -.2 : .2, 1e-9);
        zeros += x.weight[j] == 0;
    }
    assert_true(zeros > 0 && zeros < 10);
    exact_solution_free(&x);
    sotto_table_free(t);
    free_sample(&a);
}

/* ---- weights, layouts, awkward columns ---- */

/* A row of weight 2 is that row twice; of weight 0, no row. */
static void test_weights(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        sample a = make_sample(60, 4, loss_has_classes(kinds[k]));
        sample twice = make_sample(60, 4, a.classes);
        int to = 0;
        for (int i = 0; i < 60; i++)
            a.s[i] = i < 20 ? 0 : i < 40 ? 2 : 1;
        for (int i = 20; i < 60; i++)
            for (int c = 0; c < (int)a.s[i]; c++, to++) {
                memcpy(twice.x + to * 4, a.x + i * 4, 4 * sizeof *a.x);
                twice.y[to] = a.y[i];
            }
        assert_int_equal(to, 60);
        sotto_table *t = sample_table(&a), *u = sample_table(&twice);
        exact_problem p = problem_on(t, kinds[k]);
        p.l1 = .01;
        p.l2 = .02;
        p.intercept = 1;
        exact_solution x = solve(&p);
        p.table = u;
        exact_solution z = solve(&p);
        assert_near(x.objective, z.objective, 2e-10 * x.objective);
        for (int j = 0; j < 4; j++)
            assert_near(x.weight[j], z.weight[j], 1e-4);
        exact_solution_free(&x);
        exact_solution_free(&z);
        sotto_table_free(t);
        sotto_table_free(u);
        free_sample(&a);
        free_sample(&twice);
    }
}

static void test_sparse_is_dense(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int q = 0; q < PENALTIES; q++) {
            sample a = make_sample(90, 8, loss_has_classes(kinds[k]));
            for (int i = 0; i < 90 * 8; i++)
                a.x[i] = draw() > 0 ? a.x[i] : 0;
            sotto_table *dense = sample_table(&a), *thin = sample_sparse(&a);
            assert_true(thin->sparse && !dense->sparse);
            exact_problem p =
                with_penalty(problem_on(dense, kinds[k]), &penalties[q]);
            p.intercept = q % 2;
            exact_solution x = solve(&p);
            p.table = thin;
            exact_solution z = solve(&p);
            assert_near(x.objective, z.objective, 2e-10 * x.objective);
            assert_near(exact_objective(&p, x.weight, x.intercept), x.objective,
                        1e-14 * x.objective);
            exact_solution_free(&x);
            exact_solution_free(&z);
            sotto_table_free(dense);
            sotto_table_free(thin);
            free_sample(&a);
        }
}

/* Threads share the matrix of a dense table, and change no bit. An odd number
   of columns; of the squared hinge many rows have no curvature. */
static void test_threads(void **state)
{
    (void)state;
    static const loss_kind smooth[] = {LOSS_LOGISTIC, LOSS_SQUARED_HINGE};
    enum { COLUMNS = 39 };
    sample a = make_sample(3000, COLUMNS, 1);
    sotto_table *t = sample_table(&a);
    for (int k = 0; k < 2; k++) {
        exact_problem p = problem_on(t, smooth[k]);
        p.l2 = .01;
        exact_solution one = solve(&p);
        p.threads = 3;
        exact_solution three = solve(&p);
        assert_memory_equal(one.weight, three.weight,
                            COLUMNS * sizeof *one.weight);
        assert_true(one.intercept == three.intercept && one.gap == three.gap);
        exact_solution_free(&one);
        exact_solution_free(&three);
    }
    sotto_table_free(t);
    free_sample(&a);
}

/* What the rounding of weights and intercept does to a margin. */
static double blur_of(const exact_problem *p, const exact_solution *x)
{
    double sum = fabs(x->intercept);
    for (int64_t j = 0; j < p->table->features; j++) {
        const double *column = (double *)p->table->x + j * p->table->stride;
        double most = 0;
        for (int64_t i = 0; i < p->table->rows; i++)
            most = fmax(most, fabs(column[i]));
        sum += fabs(x->weight[j]) * most;
    }
    return 0x1p-52 * sum;
}

/* Constant, zero, duplicated and mirrored columns change no objective. */
static void test_awkward_columns(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int q = 0; q < 3; q++) {
            sample a = make_sample(60, 9, loss_has_classes(kinds[k]));
            for (int i = 0; i < 60; i++) {
                double *row = a.x + i * 9;
                row[4] = .1;
                row[5] = 0;
                row[6] = row[0];
                row[7] = -row[1];
                row[8] = (q == 1 ? 1e6 : 1000) + row[2];
            }
            sotto_table *t = sample_table(&a);
            exact_problem p =
                with_penalty(problem_on(t, kinds[k]), &penalties[q]);
            p.intercept = 1;
            exact_solution x = solve(&p);
            assert_true(x.gap <= 1e-10 * x.objective);
            assert_near(x.weight[5], 0, 0);
            for (int j = 0; j < 9; j++)
                assert_true(isfinite(x.weight[j]));
            exact_solution_free(&x);
            p.l1 = p.l2 = 0; /* any minimiser will do, but it is one */
            x = solve(&p);
            assert_true(isnan(x.gap) && isfinite(x.objective));
            double blur = blur_of(&p, &x);
            for (int i = 0; i < 200; i++)
                assert_true(at_moved(&p, &x, pow(10, -(i % 8))) >=
                            x.objective * (1 - 1e-8) - blur * blur);
            exact_solution_free(&x);
            sotto_table_free(t);
            free_sample(&a);
        }
}

/*
 * Columns that differ from another one by a part of 1e-6 to 1e-12 only, without
 * a penalty. The difference has a slope that can hardly be seen. The same
 * problem with the difference itself as a column, scaled to size 1, has the
 * same minimum.
 */
static void test_near_columns(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int e = 6; e <= 12; e += 2) {
            sample a = make_sample(90, 6, loss_has_classes(kinds[k]));
            sample apart = make_sample(90, 6, a.classes);
            for (int i = 0; i < 90; i++) {
                double *row = a.x + i * 6, part = pow(2, -10 * e / 3);
                row[3] = rint(row[3] * 8) / 8;
                row[4] = rint(row[4] * 1024) / 1024 * .5;
                memcpy(apart.x + i * 6, row, 6 * sizeof *row);
                apart.y[i] = a.y[i];
                row[4] = row[3] + row[4] * part; /* exact */
            }
            sotto_table *t = sample_table(&a), *u = sample_table(&apart);
            exact_problem p = problem_on(t, kinds[k]);
            p.intercept = e % 4 == 0;
            exact_solution x = solve(&p);
            double rounding = blur_of(&p, &x);
            p.table = u;
            exact_solution z = solve(&p);
            /* for hinge, the rounding of large weights changes the objective
               to first order; it must not be reported as converged */
            double blur = kinds[k] == LOSS_HINGE ? 8 * rounding : 0;
            assert_true(z.converged && (x.converged || blur > 0));
            assert_near(x.objective, z.objective, 1e-8 * z.objective + blur);
            exact_solution_free(&x);
            exact_solution_free(&z);
            sotto_table_free(t);
            sotto_table_free(u);
            free_sample(&a);
            free_sample(&apart);
        }
}

/* More columns than rows and no penalty: the fit is perfect. */
static void test_interpolation(void **state)
{
    (void)state;
    sample a = make_sample(10, 25, 0);
    sotto_table *t = sample_table(&a);
    exact_problem p = problem_on(t, LOSS_SQUARED);
    p.intercept = 1;
    exact_solution x = solve(&p);
    assert_true(x.objective < 1e-18 && isnan(x.gap));
    exact_solution_free(&x);
    p.loss.kind = LOSS_HUBER;
    x = solve(&p);
    assert_true(x.objective < 1e-16);
    exact_solution_free(&x);
    sotto_table_free(t);
    free_sample(&a);
}

/* ---- no minimiser, and other ends ---- */

static void test_separable(void **state)
{
    (void)state;
    sample a = make_sample(20, 30, 1);
    sotto_table *t = sample_table(&a);
    exact_problem p = problem_on(t, LOSS_LOGISTIC);
    refuse(&p, SOTTO_DATA, "can be separated");
    p.intercept = 1;
    refuse(&p, SOTTO_DATA, "can be separated");
    p.low = -1;
    p.high = 1; /* within a box there is one */
    exact_solution x = solve(&p);
    assert_true(x.gap <= 1e-10 * x.objective);
    exact_solution_free(&x);
    p.low = -INFINITY;
    p.high = INFINITY;
    p.loss.kind = LOSS_SQUARED_HINGE; /* reaches its least value, 0 */
    x = solve(&p);
    assert_true(x.objective < 1e-12);
    exact_solution_free(&x);
    p.loss.kind = LOSS_HINGE;
    x = solve(&p);
    assert_true(x.objective < 1e-9);
    exact_solution_free(&x);
    sotto_table_free(t);
    free_sample(&a);
}

static void test_one_class(void **state)
{
    (void)state;
    sample a = make_sample(20, 3, 1);
    for (int i = 0; i < 20; i++)
        a.s[i] = a.y[i] > 0;
    sotto_table *t = sample_table(&a);
    exact_problem p = problem_on(t, LOSS_LOGISTIC);
    p.l2 = .1;
    p.intercept = 1;
    refuse(&p, SOTTO_DATA, "one class");
    p.loss.kind = LOSS_HINGE;
    exact_solution x = solve(&p);
    assert_near(x.objective, 0, 1e-12);
    exact_solution_free(&x);
    sotto_table_free(t);
    free_sample(&a);
}

static void test_refuses(void **state)
{
    (void)state;
    sample a = make_sample(20, 3, 0);
    for (int i = 0; i < 20; i++)
        a.s[i] = 0;
    sotto_table *t = sample_table(&a);
    exact_problem p = problem_on(t, LOSS_SQUARED);
    refuse(&p, SOTTO_DATA, "weight 0");
    p.l1 = -1;
    refuse(&p, SOTTO_USAGE, "--l1");
    p.l1 = 0;
    p.low = 1;
    p.high = 0;
    refuse(&p, SOTTO_USAGE, "low <= high");
    p.low = 0;
    p.loss = (loss){LOSS_HUBER, 0};
    refuse(&p, SOTTO_USAGE, "--huber-delta");
    p.loss.kind = LOSS_LOGISTIC;
    refuse(&p, SOTTO_DATA, "two classes");
    sotto_table_free(t);
    a.s[0] = 1;
    t = sample_table(&a);
    ((double *)t->x)[0] = 1e200; /* the readers refuse it themselves */
    p = problem_on(t, LOSS_SQUARED);
    refuse(&p, SOTTO_DATA, "too large");
    sotto_table_free(t);
    free_sample(&a);
}

static int stop_at(void *context, double gap)
{
    int *left = context;
    assert_true(!isnan(gap));
    return --*left == 0;
}

static void test_cancel(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        sample a = make_sample(80, 6, loss_has_classes(kinds[k]));
        sotto_table *t = sample_table(&a);
        exact_problem p = problem_on(t, kinds[k]);
        int left = 1;
        p.l2 = 1e-3;
        p.intercept = 1;
        p.progress = stop_at;
        p.context = &left;
        exact_solution x = solve(&p);
        assert_true(x.cancelled && x.gap > 0 && isfinite(x.gap));
        assert_true(!x.converged);
        p.progress = NULL;
        exact_solution z = solve(&p);
        assert_true(!z.cancelled && z.converged);
        assert_true(z.objective <= x.objective);
        assert_true(z.objective >= x.objective - x.gap);
        exact_solution_free(&x);
        exact_solution_free(&z);
        sotto_table_free(t);
        free_sample(&a);
    }
}

/* Columns on scales from 1e-6 to 1e6, far from 0: still certified. */
static void test_scales(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int q = 0; q < 3; q++) {
            sample a = make_sample(100, 6, loss_has_classes(kinds[k]));
            for (int i = 0; i < 600; i++)
                a.x[i] = (a.x[i] + 5) * pow(10, 2 * (i % 6) - 6);
            sotto_table *t = sample_table(&a);
            exact_problem p =
                with_penalty(problem_on(t, kinds[k]), &penalties[q]);
            p.intercept = 1;
            exact_solution x = solve(&p);
            if (!(x.gap <= 1e-10 * x.objective))
                fail_msg("%s %d: gap %g of %g", loss_name(kinds[k]), q, x.gap,
                         x.objective);
            exact_solution_free(&x);
            sotto_table_free(t);
            free_sample(&a);
        }
}

/* Too many columns for a matrix: the method that goes by columns. */
static void test_many_columns(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int q = 0; q < 2; q++) {
            sample a = make_sample(100, 700, loss_has_classes(kinds[k]));
            for (int i = 0; i < 100 * 700; i++)
                a.x[i] = draw() > .8 ? a.x[i] : 0;
            sotto_table *t = q ? sample_table(&a) : sample_sparse(&a);
            exact_problem p = problem_on(t, kinds[k]);
            p.l2 = .02;
            p.l1 = q * 1e-4;
            p.intercept = 1;
            exact_solution x = solve(&p);
            assert_true(x.gap <= 1e-10 * x.objective);
            exact_solution_free(&x);
            sotto_table_free(t);
            free_sample(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_column),
        cmocka_unit_test(test_two_points),
        cmocka_unit_test(test_optimal),
        cmocka_unit_test(test_optimal_wide),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_sparse_is_dense),
        cmocka_unit_test(test_awkward_columns),
        cmocka_unit_test(test_near_columns),
        cmocka_unit_test(test_interpolation),
        cmocka_unit_test(test_separable),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
