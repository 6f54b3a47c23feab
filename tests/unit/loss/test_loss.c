/*
 * The losses: values by hand, slopes and curvatures against differences,
 * conjugates by the Fenchel-Young inequality, and extreme margins.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIND(id, ...) LOSS_##id,
static const loss_kind kinds[] = {LOSS_ALL_LIST(KIND)};
enum { KINDS = sizeof kinds / sizeof *kinds };

static loss make(int k)
{
    return (loss){kinds[k], 1.35};
}

/* Targets that suit the loss: two classes, or any number. */
static double target(const loss *l, int i)
{
    return loss_has_classes(l->kind) ? (i % 2 ? 1 : -1) : .7 * (i % 7) - 2;
}

static double loss_slope(const loss *l, double m, double y)
{
    double slope, curvature;
    loss_at(l, m, y, &slope, &curvature);
    return slope;
}

static double loss_curvature(const loss *l, double m, double y)
{
    double slope, curvature;
    loss_at(l, m, y, &slope, &curvature);
    return curvature;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_names(void **state)
{
    (void)state;
    loss_kind kind;
    static const loss_kind named[] = {LOSS_LIST(KIND)};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        assert_true(loss_named(loss_name(named[k]), &kind));
        assert_int_equal(kind, named[k]);
    }
    /* a model file cannot name what only a solver asks about */
    assert_false(loss_named(loss_name(LOSS_SMOOTH_HINGE), &kind));
    assert_false(loss_named("squared_hinge", &kind));
    assert_false(loss_named("", &kind));
}

static void test_values(void **state)
{
    (void)state;
    loss l = {LOSS_SQUARED, 0};
    assert_near(loss_value(&l, 3, 1), 2, 0);
    l.kind = LOSS_LOGISTIC;
    assert_near(loss_value(&l, 0, 1), log(2), 1e-16);
    assert_near(loss_value(&l, 2, -1), log(1 + exp(2)), 1e-15);
    l.kind = LOSS_HINGE;
    assert_near(loss_value(&l, .25, 1), .75, 0);
    assert_near(loss_value(&l, 2, 1), 0, 0);
    l.kind = LOSS_SQUARED_HINGE;
    assert_near(loss_value(&l, .5, -1), 2.25, 0);
    l = (loss){LOSS_HUBER, 2};
    assert_near(loss_value(&l, 2, 1), .5, 0);
    assert_near(loss_value(&l, 6, 1), 8, 0);
    assert_near(loss_value(&l, -4, 1), 8, 0);
}

static int near_kink(const loss *l, double m, double y)
{
    if (l->kind == LOSS_SMOOTH_HINGE)
        return fabs(fabs(1 - y * m) - l->delta / 2) < 1e-3;
    if (loss_has_classes(l->kind))
        return fabs(1 - y * m) < 1e-3;
    return fabs(fabs(m - y) - l->delta) < 1e-3;
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 400; i++) {
            loss l = make(k);
            double m = -5 + i * .0251, y = target(&l, i), h = 1e-5;
            if (near_kink(&l, m, y))
                continue;
            double up = loss_value(&l, m + h, y),
                   down = loss_value(&l, m - h, y);
            assert_near(loss_slope(&l, m, y), (up - down) / (2 * h), 1e-8);
            up = loss_slope(&l, m + h, y);
            down = loss_slope(&l, m - h, y);
            assert_near(loss_curvature(&l, m, y), (up - down) / (2 * h), 1e-8);
            assert_true(loss_curvature(&l, m, y) <= loss_curvature_bound(&l));
        }
}

/* What the rows say of the losses, against the losses themselves. */
static void test_properties(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        loss l = make(k);
        double slope_most = 0, curve_most = 0, curve_least = INFINITY;
        for (int i = 0; i < 4000; i++) {
            double m = -20 + i * .01, y = target(&l, i), slope, curvature;
            loss_at(&l, m, y, &slope, &curvature);
            slope_most = fmax(slope_most, fabs(slope));
            curve_most = fmax(curve_most, curvature);
            curve_least = fmin(curve_least, curvature);
            if (loss_has_classes(l.kind))
                assert_true(slope * y <= 0);
        }
        double bound = loss_slope_bound(&l);
        assert_true(isinf(bound) ? slope_most > 10
                                 : fabs(slope_most - bound) < 1e-6);
        if (loss_is_smooth(l.kind))
            assert_near(curve_most, loss_curvature_bound(&l), 1e-4);
        else
            assert_true(isinf(loss_curvature_bound(&l)));
        assert_int_equal(loss_is_quadratic(l.kind),
                         curve_most > 0 && curve_least == curve_most);
        assert_int_equal(loss_is_curved(l.kind), curve_least > 0);
        if (loss_is_lipschitz_smooth(l.kind))
            assert_true(loss_is_smooth(l.kind) && isfinite(bound));
    }
}

/* Some margin makes a loss least, or a larger one is always better. */
static void test_minimum(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        loss l = make(k);
        int flat = 0;
        for (int i = 0; i <= 200; i++)
            flat |= loss_slope(&l, -10 + i * .1, 1) == 0;
        flat |= loss_slope(&l, 1, 1) == 0;
        assert_int_equal(loss_has_minimum(l.kind), flat);
    }
}

/* The portable forms are the loss, up to a few last bits. */
static void test_portable(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 400; i++) {
            loss l = make(k);
            double m = -30 + i * .151, y = target(&l, i), s, c, slope, curve;
            double value = loss_at(&l, m, y, &slope, &curve);
            loss_portable_slopes(&l, m, y, &s, &c);
            assert_near(s, slope, 1e-13 * fmax(1, fabs(slope)));
            assert_near(c, curve, 1e-13);
            assert_near(loss_portable_value(&l, m, y), value,
                        1e-12 * fmax(1, value));
        }
}

/* Mean loss, and sums of slopes, of a constant margin. */
static double mean_of(const loss *l, double m, double rate)
{
    return rate * loss_value(l, m, 1) + (1 - rate) * loss_value(l, m, -1);
}

static void test_best_constant(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (double rate = .05; rate < 1; rate += .1) {
            loss l = make(k);
            if (!loss_has_classes(l.kind) || !loss_is_smooth(l.kind))
                continue;
            loss_constant c = loss_best_constant(&l, rate, .5);
            double up = fabs(loss_slope(&l, c.margin, 1));
            double down = fabs(loss_slope(&l, c.margin, -1));
            assert_near(rate * up, (1 - rate) * down, 1e-12);
            assert_near(c.slope, rate * up + (1 - rate) * down, 1e-12);
            assert_near(c.value, mean_of(&l, c.margin, rate) / 2, 1e-12);
            assert_near(c.difference, fabs(up - down), 1e-12);
        }
}

/* A bend is the hinge but within half its width of the corner, where it is
   above it by an eighth at most, and its slope by a half. */
static void test_smooth_hinge(void **state)
{
    (void)state;
    static const double widths[] = {2, .5, 0x1p-20};
    loss hinge = {LOSS_HINGE, 0};
    for (int w = 0; w < 3; w++) {
        loss l = {LOSS_SMOOTH_HINGE, widths[w]};
        double half = widths[w] / 2, slope, curvature;
        for (int i = -400; i <= 400; i++)
            for (int y = -1; y <= 1; y += 2) {
                double m = y * (1 + i * half / 100), of_hinge, none;
                double above = loss_at(&l, m, y, &slope, &curvature) -
                               loss_at(&hinge, m, y, &of_hinge, &none);
                assert_true(above >= -1e-15 && above <= half / 4 + 1e-15);
                assert_true(slope * y <= 0 && slope * y >= -1);
                assert_true(fabs(slope - of_hinge) <= .5 + 1e-9);
                if (abs(i) > 100)
                    assert_true(slope == of_hinge && curvature == 0 &&
                                fabs(above) < 1e-15);
            }
        assert_near(loss_at(&l, 1, 1, &slope, &curvature), half / 4, 0);
        assert_near(slope, -.5, 0);
        assert_near(curvature, 1 / widths[w], 0);
        assert_near(loss_best_constant(&l, .2, 1).released, -1, 0);
        assert_near(loss_best_constant(&l, .8, 1).released, 1, 0);
    }
    loss asked = loss_smoothed(hinge);
    assert_int_equal(asked.kind, LOSS_SMOOTH_HINGE);
    assert_true(asked.delta > 0 && loss_is_smooth(asked.kind));
    assert_true(loss_usual_curvature(&asked) < loss_curvature_bound(&asked));
    asked = loss_smoothed((loss){LOSS_HUBER, 2});
    assert_true(asked.kind == LOSS_HUBER && asked.delta == 2);
    assert_false(loss_is_lipschitz_smooth(LOSS_SMOOTH_HINGE));
}

/* The parabola that has the secant from the centre as its curvature is never
   below the loss. */
static void test_secant(void **state)
{
    (void)state;
    static const loss which[] = {
        {LOSS_LOGISTIC, 0}, {LOSS_SMOOTH_HINGE, .5}, {LOSS_SMOOTH_HINGE, 1.5}};
    for (int k = 0; k < 3; k++)
        for (int i = -60; i <= 60; i++) {
            double m = i * .1003, slope, at_centre, bend, ignored;
            double centre = loss_centre(which[k].kind);
            double value = loss_at(&which[k], m, 1, &slope, &bend);
            loss_at(&which[k], centre, 1, &at_centre, &ignored);
            if (fabs(m - centre) > 1e-3)
                bend = (slope - at_centre) / (m - centre);
            for (int j = -300; j <= 300; j++) {
                double d = j * .05 - m;
                assert_true(value + slope * d + bend * d * d / 2 >=
                            loss_value(&which[k], m + d, 1) - 1e-12);
            }
        }
}

static int is_among_three(loss_kind kind)
{
    return kind == LOSS_SQUARED || kind == LOSS_LOGISTIC || kind == LOSS_HINGE;
}

static int is_logistic(loss_kind kind)
{
    return kind == LOSS_LOGISTIC;
}

static void test_lists(void **state)
{
    (void)state;
    assert_string_equal(loss_those(is_logistic).text, "logistic");
    assert_string_equal(loss_those(is_among_three).text,
                        "squared, logistic or hinge");
    sotto_error error;
    assert_int_equal(
        loss_require("huber", is_logistic, "--x", "is not so", &error),
        SOTTO_USAGE);
    assert_string_equal(
        error.message,
        "--x: the huber loss is not so; expected --loss logistic");
}

/* l(m) + l*(u) >= u m, with equality at the slope. */
static void test_conjugates(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 60; i++) {
            loss l = make(k);
            double m = -6 + i * .2001, y = target(&l, i);
            double u = loss_slope(&l, m, y);
            assert_near(loss_value(&l, m, y) + loss_conjugate(&l, u, y), u * m,
                        1e-13);
            for (int v = -40; v <= 40; v++)
                assert_true(loss_value(&l, m, y) +
                                loss_conjugate(&l, v * .1, y) >=
                            v * .1 * m - 1e-13);
        }
}

static void test_conjugate_domains(void **state)
{
    (void)state;
    loss l = {LOSS_LOGISTIC, 0};
    assert_true(isinf(loss_conjugate(&l, .1, 1)));
    assert_true(isinf(loss_conjugate(&l, -1.1, 1)));
    assert_near(loss_conjugate(&l, 0, 1), 0, 0);
    assert_near(loss_conjugate(&l, -1, 1), 0, 0);
    l.kind = LOSS_HINGE;
    assert_near(loss_conjugate(&l, 1, -1), -1, 0);
    assert_true(isinf(loss_conjugate(&l, 1.1, -1)));
    l.kind = LOSS_SQUARED_HINGE;
    assert_true(isinf(loss_conjugate(&l, .1, 1)));
    assert_near(loss_conjugate(&l, -2, 1), -1, 0);
    l = (loss){LOSS_HUBER, 2};
    assert_true(isinf(loss_conjugate(&l, 2.1, 0)));
}

static void test_extremes(void **state)
{
    (void)state;
    static const double far[] = {-1e300, -1e5, -750, -40, 40, 750, 1e5, 1e300};
    loss l = {LOSS_LOGISTIC, 0};
    for (int i = 0; i < 8; i++)
        for (double y = -1; y <= 1; y += 2) {
            double slope, curvature, z = y * far[i];
            double value = loss_at(&l, far[i], y, &slope, &curvature);
            assert_near(value, z < 0 ? -z : exp(-z),
                        1e-15 * fabs(z) + 1e-15 * exp(-fabs(z)));
            assert_true(fabs(slope) <= 1 && slope * y <= 0);
            assert_true(curvature >= 0 && curvature <= .25);
            assert_true(z < 0 || value == 0 || value > 0);
        }
    /* small losses keep their digits */
    assert_near(loss_value(&l, 50, 1), exp(-50), 1e-36);
    assert_near(loss_curvature(&l, -50, 1), exp(-50), 1e-36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_portable),
        cmocka_unit_test(test_best_constant),
        cmocka_unit_test(test_smooth_hinge),
        cmocka_unit_test(test_secant),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_conjugates),
        cmocka_unit_test(test_conjugate_domains),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
