/*
 * Bookings: the printed anchors, closed forms, caps and totals. What is booked
 * is never below the truth; above it by as little as is said here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "account/internal.h"
#include "prices.h"

#include <math.h>
#include <string.h>

#define SGD "SUBSAMPLED_GAUSS(.02, 2.0972202256582047)"
#define SVRG                                                                   \
    "GAUSS(.08343611675559533)*5 + "                                           \
    "SUBSAMPLED_GAUSS(.05, 3.6159606071481787)*100"
#define RUN .2367034343931118 /* mu of a run of epsilon 1, delta 1e-6 */

static account_booking book_for(const char *plan, account_adjacency adjacency,
                                int ordered, double delta0)
{
    account_list list = list_for(plan, adjacency);
    account_booking out;
    sotto_error error = {0};
    list.ordered = ordered;
    list.draws = 12;
    if (account_book(&out, &list, delta0, &error))
        fail_msg("%s: %s", plan, error.message);
    account_free(&list);
    assert_true(out.draws == 12);
    return out;
}

static account_booking book(const char *plan, double delta0)
{
    return book_for(plan, ACCOUNT_ADD_REMOVE, 0, delta0);
}

/* At least the printed truth, but for its last digit, and above it by at most
   the part `slack`. */
static void assert_above(const char *what, double got, double truth,
                         double slack)
{
    if (!(got >= truth * (1 - 4e-8) && got <= truth * (1 + slack)))
        fail_msg("%s: %.12g for %.12g (%.3g)", what, got, truth,
                 got / truth - 1);
}

/* ---- the normal law, outward ---- */

static long double tail(long double t)
{
    return .5L * erfcl(t * sqrtl(.5L));
}

/* Rounded down it is not above the quantile, rounded up not below it; both are
   close to each other. */
static void test_quantile(void **state)
{
    (void)state;
    for (double p = 1e-299; p < .5; p *= 1.7) {
        double low = normal_quantile(p, 0), high = normal_quantile(p, 1);
        assert_true(tail(-(long double)low) <= p);
        assert_true(tail(-(long double)high) >= p);
        assert_true(high - low < 1e-13 * (1 + fabs(low)));
        double q = 1 - p; /* rounded: its own complement is 1 - q */
        if (q < 1) {
            assert_true(tail(normal_quantile(q, 0)) >= 1 - (long double)q);
            assert_true(tail(normal_quantile(q, 1)) <= 1 - (long double)q);
        }
    }
    assert_true(normal_quantile(.5, 0) <= 0 && normal_quantile(.5, 1) >= 0);
    assert_true(normal_quantile(0, 0) == -INFINITY);
    assert_true(tail(-(long double)normal_quantile(0, 1)) < 1e-290L);
    assert_true(normal_quantile(1, 1) == INFINITY);
    assert_true(normal_quantile(1, 0) > 36 && normal_quantile(1, 0) < 1e6);
}

/* ---- closed forms ---- */

static void test_closed(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        double mu;
    } anchor[] = {
        {"PURE(.1)", .12530901},
        {"PURE(1)", 1.2320354},
        {"PURE(4)", 4.1944781},
        {"LAPLACE(.1)", .12232593},
        {"LAPLACE(1)", 1.0300640},
        {"LAPLACE(4)", 2.9867788},
        {"RANGE(.1)", .062662906},
        {"RANGE(.5)", .31297950},
        {"RANGE(1)", .62389259},
        {"GAUSS(.3)", .3},
        {"GAUSS(.3) + GAUSS(.4)*4", .8544003745317531},
    };
    for (size_t i = 0; i < sizeof anchor / sizeof *anchor; i++) {
        account_booking b = book(anchor[i].plan, 1e-6);
        assert_above(anchor[i].plan, b.mu, anchor[i].mu, 4e-8);
        assert_true(b.delta0 == 0);
    }
    account_booking none = book("0*GAUSS(1)", 1e-6);
    assert_true(none.mu == 0 && none.delta0 == 0);
}

/* Not below the truth by a single bit, in long doubles: by erf where mu is
   small, by erfc where it is not. */
static void assert_inside(const char *kind, double epsilon, long double inside,
                          long double outside)
{
    char plan[64];
    snprintf(plan, sizeof plan, "%s(%.17g)", kind, epsilon);
    long double t = (long double)book(plan, 0).mu * sqrtl(.125L);
    long double less = t * (1 - 1e-13L);
    int small = inside < .5L;
    assert_true(small ? erfl(t) >= inside : erfcl(t) <= outside);
    assert_true(small ? erfl(less) < inside : erfcl(less) > outside);
}

static void test_closed_outward(void **state)
{
    (void)state;
    for (double e = 1e-9; e < 300; e *= 1.07) {
        long double x = e;
        assert_inside("PURE", e, tanhl(x / 2), 2 / (1 + expl(x)));
        assert_inside("LAPLACE", e, -expm1l(-x / 2), expl(-x / 2));
    }
}

/* A replaced record: twice what one adds, in a sample too. */
static void test_closed_converted(void **state)
{
    (void)state;
    account_booking twice =
        book_for("LAPLACE(.5)@add-remove", ACCOUNT_REPLACE_ONE, 0, 1e-6);
    assert_true(twice.mu == book("LAPLACE(1)", 1e-6).mu);
    /* without a delta0 a sample is booked as if all records were in it */
    assert_above("samples", book("SUBSAMPLED_GAUSS(.1, 2)*4", 0).mu, 1, 1e-12);
    account_booking whole = book_for("SUBSAMPLED_GAUSS(.1, 2)@add-remove*4",
                                     ACCOUNT_REPLACE_ONE, 0, 0);
    assert_above("samples, replaced", whole.mu, 2, 1e-12);
}

/* ---- the corner rule ---- */

static void test_lists(void **state)
{
    (void)state;
    assert_above("sgd", book(SGD "*500", 1e-8).mu, .237203, 2e-3);
    assert_above("svrg", book(SVRG, 1e-8).mu, .236608, 2e-3);
    account_booking replaced =
        book_for(SGD "@add-remove*500", ACCOUNT_REPLACE_ONE, 0, 1e-8);
    assert_above("sgd replaced", replaced.mu, .427764, 2e-3);
    assert_true(replaced.delta0 == 1e-8);
    /* many selections are cheaper together than one by one */
    double one = book("RANGE(.04)", 1e-8).mu;
    account_booking many = book("RANGE(.04)*100", 1e-8);
    assert_true(many.mu < 10 * one * .9 && many.mu > 10 * .02);
    assert_true(many.delta0 == 1e-8);
    /* without a delta0 they are booked one by one */
    account_booking apart = book("RANGE(.04)*100", 0);
    assert_above("one by one", apart.mu, 10 * one, 1e-12);
    assert_true(apart.delta0 == 0);
}

/* All that is known are moments: not below what some mechanism of this zCDP
   needs, and below what the rule without the diagonal gives. */
static void test_moments(void **state)
{
    (void)state;
    double rho = .02435577555780924;
    double mu = book("ZCDP(.02435577555780924)", 1e-9).mu;
    assert_true(mu >= 1.25 * sqrt(2 * rho) && mu <= .348172);
    double both = book("ZCDP(.02) + SUBSAMPLED_GAUSS(.02, 2)*50", 1e-9).mu;
    assert_true(both > book("ZCDP(.02)", 1e-9).mu && both < .4);
    account_booking replaced =
        book_for("ZCDP(.001)@add-remove + SUBSAMPLED_GAUSS(.02, 2)@add-remove",
                 ACCOUNT_REPLACE_ONE, 0, 1e-9);
    assert_true(replaced.mu > 2 * sqrt(.002) && replaced.mu < 1);
}

/* In a given order selections may be cheaper, never dearer but for the grid. */
static void test_order(void **state)
{
    (void)state;
    static const char plan[] = "20*(RANGE(.08) + GAUSS(.04))";
    double any = book(plan, 1e-8).mu;
    double own = book_for(plan, ACCOUNT_ADD_REMOVE, 1, 1e-8).mu;
    assert_true(own <= any * (1 + 1e-4) && own > .95 * any);
    /* too many steps: any order */
    double long_any = book("30000*(RANGE(1e-5) + GAUSS(1e-5))", 1e-8).mu;
    double long_own = book_for("30000*(RANGE(1e-5) + GAUSS(1e-5))",
                               ACCOUNT_ADD_REMOVE, 1, 1e-8)
                          .mu;
    assert_true(long_any == long_own);
}

/* The rule itself, on curves that are known in closed form. */
static double by_curve(const char *plan, account_adjacency adjacency,
                       double delta0)
{
    account_list list = list_for(plan, adjacency);
    booking_curve curve;
    sotto_error error = {0};
    merged p;
    assert_int_equal(merge_events(&p, &list, &error), SOTTO_OK);
    assert_int_equal(booking_curve_make(&curve, &p, NULL, delta0, &error),
                     SOTTO_OK);
    double mu = booking_corner_mu(&curve, delta0);
    booking_curve_free(&curve);
    merged_free(&p);
    account_free(&list);
    return mu;
}

static void test_corners(void **state)
{
    (void)state;
    /* a sample of almost all is a Gaussian */
    static const char almost[] = "SUBSAMPLED_GAUSS(.9999999999, 2)";
    double exact = by_curve(almost, ACCOUNT_ADD_REMOVE, 1e-12);
    assert_above("a Gaussian", exact, .5, 1e-3);
    assert_above("twice",
                 by_curve("SUBSAMPLED_GAUSS(.9999999999, 2)@add-remove",
                          ACCOUNT_REPLACE_ONE, 1e-12),
                 1, 1e-3);
    /* pure: one corner, on the diagonal */
    assert_above("pure", by_curve("PURE(1)", ACCOUNT_ADD_REMOVE, 1e-14),
                 1.2320354, 5e-3);
    assert_above("laplace", by_curve("LAPLACE(1)", ACCOUNT_ADD_REMOVE, 1e-14),
                 1.0300640, 5e-3);
    /* (1, 1e-3) and nothing else: mu of PURE(1), delta0 of 1e-3 */
    double x[] = {1, exp(1)}, u[] = {1, 1e-3};
    booking_curve known = {.side = {{x, u, 2}}, .directions = 1};
    assert_above("(1, .001)", booking_corner_mu(&known, 1e-3), 1.2320354, 4e-8);
    assert_true(booking_corner_mu(&known, 9e-4) == INFINITY);
    assert_true(booking_corner_mu(&known, 2e-3) < 1.2320354);
    /* a curve that ends where delta0 is covers nothing */
    double whole[] = {1e-3, 1e-3};
    booking_curve flat = {.side = {{x, whole, 2}}, .directions = 1};
    assert_true(booking_corner_mu(&flat, 1e-3) < 1e-12);
    /* slopes that are too small for doubles prove nothing */
    double far[] = {1, 1e260}, tiny[] = {1e-50, 0};
    booking_curve steep = {.side = {{far, tiny, 2}}, .directions = 1};
    assert_true(booking_corner_mu(&steep, 0) == INFINITY);
    assert_true(booking_corner_mu(&steep, 2e-50) < 1e-12);
    booking_curve none = {0};
    assert_true(booking_corner_mu(&none, .5) == INFINITY);
}

/* The larger direction counts: each by itself, whichever comes first. */
static void test_directions(void **state)
{
    (void)state;
    double x[] = {1, exp(.5), exp(1)}, small[] = {.1, 1e-3, 0};
    double large[] = {.3, 1e-2, 0};
    booking_side a = {x, small, 3}, b = {x, large, 3};
    booking_curve only_a = {.side = {a}, .directions = 1};
    booking_curve only_b = {.side = {b}, .directions = 1};
    booking_curve ab = {.side = {a, b}, .directions = 2};
    booking_curve ba = {.side = {b, a}, .directions = 2};
    double most = booking_corner_mu(&only_b, 1e-6);
    assert_true(booking_corner_mu(&only_a, 1e-6) < most);
    assert_true(booking_corner_mu(&ab, 1e-6) == most);
    assert_true(booking_corner_mu(&ba, 1e-6) == most);
}

/* Every corner of a booking's polygon is above the Gaussian's trade-off curve,
   in long doubles. */
static void assert_covered(const booking_side *s, double mu, double delta0)
{
    for (int64_t k = 0; k + 1 < s->points; k++) {
        long double x = s->x[k], u = s->u[k];
        long double alpha = (u - s->u[k + 1]) / ((long double)s->x[k + 1] - x);
        long double beta = 1 - u - x * alpha;
        if (beta < alpha || !(alpha > 0))
            continue;
        /* the Gaussian's beta at this alpha is not above it: its own alpha
           for this beta, by the tail at a point between */
        long double low = -40, high = 40;
        for (int i = 0; i < 200; i++) {
            long double t = .5L * (low + high);
            long double a = (1 - delta0) * .5L * erfcl(t * sqrtl(.5L));
            if (a > alpha)
                low = t;
            else
                high = t;
        }
        long double least = (1 - delta0) * .5L * erfcl((mu - low) * sqrtl(.5L));
        if (!(least <= beta * (1 + 1e-17L) + 1e-19L))
            fail_msg("point %d: %.20Lg above %.20Lg", (int)k, least, beta);
    }
}

static void test_corners_outward(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) { /* Gaussians: any corner may decide */
        double x[12], u[12], size = .05 + .004 * i;
        int64_t n = 4 + i % 9;
        for (int64_t k = 0; k < n; k++) {
            double epsilon = (double)k * size * (.4 + 4e-4 * i);
            x[k] = exp(epsilon);
            u[k] = normal_delta(size, epsilon);
        }
        booking_curve c = {.side = {{x, u, n}}, .directions = 1};
        double mu = booking_corner_mu(&c, u[n - 1]);
        assert_true(mu > .5 * size && mu < 2 * size);
        assert_covered(&c.side[0], mu, u[n - 1]);
    }
}

static void test_monotone(void **state)
{
    (void)state;
    double last = INFINITY;
    for (double d = 1e-22; d < .2; d *= 30) {
        account_booking b = book(SGD "*500", d);
        assert_true(b.mu <= last * (1 + 1e-5) && b.delta0 == d);
        last = b.mu;
    }
    assert_true(book(SGD "*500", .2).mu == 0); /* more than all of it */
    double more = 0;
    for (int runs = 1; runs <= 100000; runs *= 10) {
        char plan[100];
        snprintf(plan, sizeof plan, "%d*(" SGD ")", runs);
        double mu = book(plan, 1e-8).mu;
        assert_true(mu > 1.5 * more);
        more = mu;
    }
}

/* Runs of a size that nobody should make have a booking, if a poor one. */
static void test_large(void **state)
{
    (void)state;
    double mu = book("50*(PURE(.2) + GAUSS(.9))", 1e-8).mu;
    assert_above("50 runs", mu, sqrt(50 * (.81 + .04)), 2e-3);
    assert_true(book("200*(PURE(.2) + GAUSS(.9))", 1e-8).mu < 13.22);
    assert_true(book("5000000*" SGD, 1e-8).mu < 60);
    assert_true(
        book_for("50000*" SGD "@add-remove", ACCOUNT_REPLACE_ONE, 0, 1e-8).mu <
        4.3);
    assert_true(isfinite(
        book_for("900000*" SGD "@add-remove", ACCOUNT_REPLACE_ONE, 0, 1e-8)
            .mu));
    /* noise so small that no grid fits: as if all were in the sample */
    assert_true(isfinite(book("SUBSAMPLED_GAUSS(.5, .001)", 1e-8).mu));
}

/* ---- within a cap ---- */

static account_total cap_of(double epsilon, double draws)
{
    account_total cap;
    sotto_error error = {0};
    if (account_cap(&cap, epsilon, 1e-6, draws, &error))
        fail_msg("%s", error.message);
    assert_true(cap.delta0 == 1e-6 / 10 && cap.draws == draws);
    return cap;
}

/* Not above the printed truth, and below it by little. */
static void assert_below(double got, double truth)
{
    if (!(got <= truth * (1 + 4e-8) && got >= truth * (1 - 4e-8)))
        fail_msg("%.12g for %.12g", got, truth);
}

static void test_cap(void **state)
{
    (void)state;
    assert_below(sqrt(cap_of(1, 0).square), .23550145);
    assert_below(sqrt(cap_of(3, 0).square), .64491716);
    assert_below(sqrt(cap_of(8, 0).square), 1.5261187);
    assert_below(sqrt(cap_of(3, 0x1p40).square), .64491659);
    for (double e = .01; e < 12; e *= 1.3) {
        account_total cap = cap_of(e, 0x1p30), more;
        assert_true(account_total_delta(&cap, e) <= 1e-6);
        assert_true(account_total_epsilon(&cap, 1e-6) <= e * (1 + 1e-13));
        more = cap;
        more.square *= 1 + 1e-12;
        assert_true(account_total_delta(&more, e) > 1e-6);
    }
    assert_int_equal(floor(cap_of(3, 0).square / (RUN * RUN)), 7);
}

static void test_cap_refused(void **state)
{
    (void)state;
    account_total cap;
    sotto_error error = {0};
    static const double wrong[][3] = {
        {0, 1e-6, 0},   {-1, 1e-6, 0},      {INFINITY, 1e-6, 0}, {NAN, 1e-6, 0},
        {1, 0, 0},      {1, 1, 0},          {1, NAN, 0},         {1, 1e-6, -1},
        {1, 1e-6, NAN}, {20, 1e-6, 0x1p40}, {1, 1e-6, 0x1p60},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(
            account_cap(&cap, wrong[i][0], wrong[i][1], wrong[i][2], &error),
            SOTTO_USAGE);
    assert_non_null(strstr(error.message, "draws"));
    assert_int_equal(account_cap(&cap, 1000, 1e-6, 0, &error), SOTTO_OK);
}

static void test_totals(void **state)
{
    (void)state;
    account_total one = {1, 1e-7, 0};
    assert_above("delta", account_total_delta(&one, 1), .12693682, 4e-8);
    account_total runs = {30 * RUN * RUN, 0, 0};
    assert_above("30 runs", account_total_epsilon(&runs, 1e-6), 6.5847436,
                 4e-8);
    runs.delta0 = 1e-7;
    assert_above("30 runs", account_total_epsilon(&runs, 1e-6), 6.6131874,
                 4e-8);
    /* draws cost, once */
    account_total drawn = runs;
    drawn.draws = 0x1p47;
    double with = account_total_epsilon(&drawn, 1e-6);
    assert_true(with > account_total_epsilon(&runs, 1e-6) && with < 8);
    assert_true(account_total_delta(&drawn, with) <= 1e-6 * (1 + 1e-14));
    double gap = account_total_delta(&drawn, 3) - account_total_delta(&runs, 3);
    assert_above("draws", gap, (1 + exp(3)) * 0x1p-33, 1e-6);
    drawn.draws = 0x1p65;
    assert_true(account_total_epsilon(&drawn, 1e-6) == INFINITY);
    /* what nothing is proven of */
    assert_true(account_total_epsilon(&runs, 1e-7) == INFINITY);
    account_total all = {INFINITY, 0, 0}, nothing = {0}, only = {0, 1e-7, 0};
    assert_true(account_total_epsilon(&all, 1e-6) == INFINITY);
    assert_true(account_total_delta(&all, 1) == 1);
    assert_true(account_total_epsilon(&nothing, 0) == 0);
    assert_true(account_total_delta(&nothing, 0) == 0);
    assert_true(account_total_epsilon(&only, 2e-7) == 0);
    assert_true(account_total_epsilon(&only, 5e-8) == INFINITY);
}

/* Not below the truth by a single bit, in long doubles. */
static void test_totals_outward(void **state)
{
    (void)state;
    for (int i = 1; i < 2000; i++) {
        account_total t = {1e-3 * i, 1e-4 * (i % 7), 0x1p55 * (i % 3)};
        double e = .002 * i;
        long double mu = sqrtl(1e-3 * i), a = e / mu - mu / 2;
        long double truth = tail(a) - expl(e) * tail(a + mu);
        truth = t.delta0 + (1 - (long double)t.delta0) * truth +
                (1 + expl(e)) * t.draws * 0x1p-80L;
        double got = account_total_delta(&t, e);
        assert_true(got >= truth && got <= truth * (1 + 1e-9L));
        /* where only delta0 and draws are left */
        account_total rest = {1e-8, 1e-7 * i, 0x1p40 * (i + .1)};
        truth = rest.delta0 + (1 + expl(1)) * rest.draws * 0x1p-80L;
        got = account_total_delta(&rest, 1);
        assert_true(got >= truth && got <= truth * (1 + 1e-13L));
    }
}

static void test_share(void **state)
{
    (void)state;
    account_total cap = cap_of(3, 0);
    double mu = sqrt(cap.square);
    account_list list = list_for(SGD "*500", ACCOUNT_ADD_REMOVE);
    account_booking b;
    sotto_error error = {0};
    assert_int_equal(account_book_share(&b, &list, mu, cap.delta0, &error),
                     SOTTO_OK);
    assert_above("w", b.delta0 / cap.delta0, .135057, 2e-3);
    assert_true(b.mu * b.mu <= b.delta0 / cap.delta0 * mu * mu * (1 + 1e-12));
    /* what is booked is what would be booked for this delta0 */
    assert_above("mu", b.mu, book(SGD "*500", b.delta0).mu, 1e-5);
    /* a cap a thousand times as large: a share too small for one curve */
    assert_int_equal(account_book_share(&b, &list, 40 * mu, cap.delta0, &error),
                     SOTTO_OK);
    double w = b.delta0 / cap.delta0;
    assert_true(w < 1e-3 && b.mu * b.mu <= w * 1600 * mu * mu * (1 + 1e-12));
    assert_true(b.mu > .237 && b.mu < .25);
    /* too small a cap: what it would take is told */
    assert_int_equal(account_book_share(&b, &list, .2, cap.delta0, &error),
                     SOTTO_BUDGET);
    assert_true(b.mu > .23 && b.mu < .24 && b.delta0 == cap.delta0);
    assert_int_equal(account_book_share(&b, &list, mu, 0, &error),
                     SOTTO_BUDGET);
    account_free(&list);
}

/* Gaussians take no delta0 from a cap, whatever it has. */
static void test_share_closed(void **state)
{
    (void)state;
    account_booking b;
    sotto_error error = {0};
    account_list gauss = list_for("GAUSS(.2)*4", ACCOUNT_ADD_REMOVE);
    assert_int_equal(account_book_share(&b, &gauss, .5, 1e-7, &error),
                     SOTTO_OK);
    assert_true(b.mu >= .4 && b.mu < .4 * (1 + 1e-12) && b.delta0 == 0);
    assert_int_equal(account_book_share(&b, &gauss, .39, 1e-7, &error),
                     SOTTO_BUDGET);
    account_free(&gauss);
    account_list few = list_for("PURE(.1)*2", ACCOUNT_ADD_REMOVE);
    assert_int_equal(account_book_share(&b, &few, .5, 1e-7, &error), SOTTO_OK);
    assert_true(b.mu <= .12530902 * sqrt(2));
    account_free(&few);
}

static void test_refused(void **state)
{
    (void)state;
    account_booking b;
    sotto_error error = {0};
    account_list zcdp = list_for("ZCDP(.1)", ACCOUNT_ADD_REMOVE);
    static const double wrong[] = {-1e-9, 1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(account_book(&b, &zcdp, wrong[i], &error),
                         SOTTO_USAGE);
        assert_int_equal(account_book_share(&b, &zcdp, 1, wrong[i], &error),
                         SOTTO_USAGE);
    }
    assert_int_equal(account_book_share(&b, &zcdp, 0, .1, &error), SOTTO_USAGE);
    assert_int_equal(account_book(&b, &zcdp, 0, &error), SOTTO_BUDGET);
    assert_non_null(strstr(error.message, "booked"));
    account_free(&zcdp);
    account_list huge = list_for("PURE(1e5)", ACCOUNT_ADD_REMOVE);
    assert_int_equal(account_book(&b, &huge, .1, &error), SOTTO_BUDGET);
    account_free(&huge);
    account_list wrong_way =
        list_for("GAUSS(1)@replace-one", ACCOUNT_ADD_REMOVE);
    assert_int_equal(account_book(&b, &wrong_way, .1, &error), SOTTO_USAGE);
    assert_int_equal(account_book_share(&b, &wrong_way, 1, .1, &error),
                     SOTTO_USAGE);
    account_free(&wrong_way);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_closed_outward),
        cmocka_unit_test(test_closed_converted),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_corners_outward),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_cap_refused),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_totals_outward),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_share_closed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
