/*
 * Counts of which only the large ones are shown (Lemma A22): the printed
 * anchors, all ways to split a person's rows, and what is set aside in prices
 * and bookings.
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

/* ---- an oracle in long doubles ---- */

static long double upper(long double x)
{
    return .5L * erfcl(x * sqrtl(.5L));
}

/* ln of the probability that a count of this size is not shown. */
static long double hidden(long double size, double tau, double sigma)
{
    return log1pl(-upper((tau - .5L - size) / sigma));
}

/* The least over every way to split `left` rows into levels, of which each
   has at most `most`; as rows are counted. */
static long double worst_split(int left, int most, double tau, double sigma)
{
    long double worst = 0;
    for (int k = 1; k <= left && k <= most; k++)
        worst = fminl(worst, hidden(1024.L * k, tau, sigma) +
                                 worst_split(left - k, k, tau, sigma));
    return worst;
}

/* The same as people are counted: t levels share one person. */
static long double worst_person(int rows, double tau, double sigma)
{
    long double worst = 0;
    for (int t = 1; t <= rows; t++)
        worst = fminl(worst, t * hidden(floorl(1024 / sqrtl(t)), tau, sigma));
    return worst;
}

static double truth(const account_counted *who, double tau, double sigma)
{
    int rows = (int)who->rows;
    long double worst = who->known ? worst_person(rows, tau, sigma)
                                   : worst_split(rows, rows, tau, sigma);
    return (double)-expm1l((long double)who->columns * worst);
}

/* ---- anchors ---- */

static void test_anchors(void **state)
{
    (void)state;
    static const struct {
        account_counted who;
        double factor; /* of the sensitivity, beside 1024 */
        double sigma, tau, p;
    } anchor[] = {
        {{1, 1, 1}, 1, 10240, 54266, 9.99851e-8},
        {{10, 1, 1}, 1, 10240, 57791, 9.99657e-8},
        {{10, 0, 1}, 10, 102400, 575694, 9.99968e-8},
        {{1, 1, 1}, M_SQRT2, 14481.5, 76319, 9.99982e-8},
        {{1, 1, 3}, 1.7320508075688772, 17736.2, 96799, 9.99922e-8},
    };
    for (size_t i = 0; i < sizeof anchor / sizeof *anchor; i++) {
        double sigma = 1024 * anchor[i].factor / .1;
        double p = account_shown_for(1e-7);
        double tau = account_threshold(&anchor[i].who, sigma, p);
        double seen = account_shown(&anchor[i].who, tau, sigma);
        assert_true(fabs(sigma / anchor[i].sigma - 1) < 5e-6);
        assert_true(tau == anchor[i].tau);
        assert_true(fabs(seen / anchor[i].p - 1) < 5.1e-7 * 10);
        assert_true(seen <= p && p / (1 - p) <= 1e-7);
        assert_true(account_shown(&anchor[i].who, tau - 1, sigma) > p);
    }
}

/* Never below the enumeration, and close to it. */
static void test_enumeration(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 12; rows++)
        for (int known = 0; known < 2; known++)
            for (int columns = 1; columns <= 4; columns += 3)
                for (double times = 1; times < 8; times += .7) {
                    account_counted who = {rows, known, columns};
                    double sigma = 700. * rows, tau = 1024 * rows;
                    tau = floor(tau + times * sigma);
                    double p = truth(&who, tau, sigma);
                    double got = account_shown(&who, tau, sigma);
                    if (!(got >= p && got <= p * (1 + 1e-10)))
                        fail_msg("%d %d %d %g: %.17g for %.17g", rows, known,
                                 columns, tau, got, p);
                }
}

/* A person's parts are within one person's length, and none is left over. */
static void test_parts(void **state)
{
    (void)state;
    assert_int_equal(account_person_part(1), 1024);
    assert_int_equal(account_person_part(2), 724);
    assert_int_equal(account_person_part(4), 512);
    for (int64_t t = 1; t <= 1 << 20; t += t < 3000 ? 1 : 997) {
        int64_t part = account_person_part(t);
        assert_true(part * part * t <= 1 << 20);
        assert_true((part + 1) * (part + 1) * t > 1 << 20);
    }
}

/* Weights 1/sqrt(t) against 1 each: what the note of the design says. */
static void test_persons(void **state)
{
    (void)state;
    account_counted one = {1, 1, 1}, ten = {10, 1, 1}, rows = {10, 0, 1};
    double mu = .2, p = account_shown_for(1e-7);
    while (normal_delta(mu, 1) < 9e-7) /* what is left of 1e-6 */
        mu *= 1 + 1e-6;
    static const double share[] = {.02, .05, .1}, persons[] = {158, 100, 71};
    for (int i = 0; i < 3; i++) {
        double sigma = 1024 / (mu * sqrt(share[i]));
        double tau = account_threshold(&one, sigma, p) / 1024;
        if (ceil(tau) != persons[i])
            fail_msg("%g persons, not %g", tau, persons[i]);
    }
    double parts = account_threshold(&ten, 10240, p) / 1024;
    double each = account_threshold(&rows, 10240 * sqrt(10), p) / 1024;
    assert_true(floor(parts) == 56 && each > 170 && each < 190);
}

static void test_refused(void **state)
{
    (void)state;
    account_counted none = {0, 1, 1}, many = {(1 << 20) + 1, 1, 1};
    account_counted one = {1, 1, 1};
    assert_true(isinf(account_threshold(&none, 1e4, 1e-7)));
    assert_true(isinf(account_threshold(&many, 1e4, 1e-7)));
    assert_true(isinf(account_threshold(&one, 1e4, 0)));
    assert_true(isinf(account_threshold(&one, INFINITY, 1e-7)));
    assert_true(account_shown(&one, 1024, 10) >= .5);
}

/* ---- prices ---- */

static double delta_of(const char *plan, double epsilon)
{
    account_list list = list_for(plan, ACCOUNT_ADD_REMOVE);
    account_price price;
    sotto_error error;
    assert_int_equal(account_delta(&list, epsilon, &price, &error), SOTTO_OK);
    account_free(&list);
    return price.delta;
}

static double epsilon_of(const char *plan, double delta, sotto_status expected)
{
    account_list list = list_for(plan, ACCOUNT_ADD_REMOVE);
    account_price price = {0};
    sotto_error error;
    assert_int_equal(account_epsilon(&list, delta, &price, &error), expected);
    account_free(&list);
    return price.epsilon;
}

/* The exact profile of GAUSS(mu) and a coin that only one side can show. */
static double true_profile(double epsilon, double mu, double p)
{
    double h = -log1p(-p);
    return fmax(p + (1 - p) * normal_delta(mu, epsilon + h),
                normal_delta(mu, epsilon - h));
}

static void test_prices(void **state)
{
    (void)state;
    assert_true(fabs(true_profile(1, .5, .01) - .0164376) < 5e-8);
    assert_true(fabs(delta_of("SHOWN(.5, .01)", 1) - .0169306) < 5e-8);
    for (double epsilon = .05; epsilon < 4; epsilon += .05)
        for (double p = 1e-9; p < .4; p *= 7) {
            char plan[80];
            snprintf(plan, sizeof plan, "SHOWN(.5, %.17g)", p);
            double price = delta_of(plan, epsilon);
            assert_true(price >= true_profile(epsilon, .5, p));
            assert_true(price <=
                        (normal_delta(.5, epsilon) + p / (1 - p)) * (1 + 1e-6));
        }
    /* with others: the Gaussian part is one of theirs; two of them add up */
    double others = delta_of("GAUSS(.5) + PURE(.1)*3 + GAUSS(.3)", 1);
    assert_true(fabs(delta_of("SHOWN(.5, 1e-3) + PURE(.1)*3 + GAUSS(.3)", 1) -
                     others - 1e-3 / .999) < 1e-7);
    double twice = delta_of("SHOWN(.3, .01)*2", 1);
    assert_true(fabs(twice - normal_delta(.3 * M_SQRT2, 1) -
                     (1 / (.99 * .99) - 1)) < 1e-9);
    assert_true(delta_of("SHOWN(0, .01)", 3) >= .01 / .99);
}

static void test_epsilon(void **state)
{
    (void)state;
    double all = epsilon_of("GAUSS(.2)", 9e-7, SOTTO_OK);
    double p = account_shown_for(1e-7);
    char plan[80];
    snprintf(plan, sizeof plan, "SHOWN(.2, %.17g)", p);
    double got = epsilon_of(plan, 1e-6, SOTTO_OK);
    assert_true(got >= all && got <= all * (1 + 1e-6));
    epsilon_of(plan, 1e-7, SOTTO_USAGE); /* nothing is left of delta */
}

/* In order, behind a selection: its Gaussian part is not forgotten. */
static void test_in_order(void **state)
{
    (void)state;
    account_list list = list_for("RANGE(.2)*3 + SHOWN(.5, 1e-3) + RANGE(.2)",
                                 ACCOUNT_ADD_REMOVE);
    account_list gauss =
        list_for("RANGE(.2)*3 + GAUSS(.5) + RANGE(.2)", ACCOUNT_ADD_REMOVE);
    account_price with, without;
    sotto_error error;
    list.ordered = gauss.ordered = 1;
    assert_int_equal(account_delta(&list, 1, &with, &error), SOTTO_OK);
    assert_int_equal(account_delta(&gauss, 1, &without, &error), SOTTO_OK);
    assert_true(fabs(with.delta - without.delta - 1e-3 / .999) < 1e-9);
    account_free(&list);
    account_free(&gauss);
}

/* ---- bookings ---- */

/* (mu, delta0) covers the run at every epsilon, and takes little more than the
   Gaussian alone. */
static void test_bookings(void **state)
{
    (void)state;
    double p = account_shown_for(5e-8), aside = p / (1 - p);
    char plan[80];
    account_booking b;
    sotto_error error;
    snprintf(plan, sizeof plan, "SHOWN(.05, %.17g) + GAUSS(.23)", p);
    account_list list = list_for(plan, ACCOUNT_ADD_REMOVE);
    double mu = sqrt(.05 * .05 + .23 * .23);
    assert_int_equal(account_book(&b, &list, 1e-7, &error), SOTTO_OK);
    assert_true(b.delta0 == 1e-7 && b.mu >= mu * (1 - 1e-3));
    assert_true(b.mu <= mu * 1.01);
    for (double epsilon = 0; epsilon < 3; epsilon += .01) {
        double run = normal_delta(mu, epsilon) + aside;
        double covered =
            b.delta0 + (1 - b.delta0) * normal_delta(b.mu, epsilon);
        assert_true(run <= covered * (1 + 1e-12));
    }
    /* no Gaussian covers it with less than what is set aside */
    assert_int_equal(account_book(&b, &list, 4e-8, &error), SOTTO_BUDGET);
    assert_int_equal(account_book(&b, &list, 0, &error), SOTTO_BUDGET);
    /* within a cap: half of what the run may take of delta0 is enough */
    double w = mu * mu / 1;
    snprintf(plan, sizeof plan, "SHOWN(.05, %.17g) + GAUSS(.23)",
             account_shown_for(w * 1e-7 / 2));
    account_free(&list);
    list = list_for(plan, ACCOUNT_ADD_REMOVE);
    assert_int_equal(account_book_share(&b, &list, 1, 1e-7, &error), SOTTO_OK);
    assert_true(b.mu * b.mu <= w * 1.02 && b.delta0 <= w * 1.02e-7);
    account_free(&list);
}

static void test_not_repeated(void **state)
{
    (void)state;
    double out;
    sotto_error error;
    account_list list = list_for("SHOWN(.1, 1e-7)", ACCOUNT_ADD_REMOVE);
    assert_int_equal(account_tuned(&list, 1, 5, 1e-6, &out, &error),
                     SOTTO_USAGE);
    assert_int_equal(account_renyi(&list, 2, &out, &error), SOTTO_OK);
    assert_true(isinf(out));
    account_free(&list);
    list = list_for("SHOWN(.1, 1e-7)@add-remove", ACCOUNT_REPLACE_ONE);
    account_price price;
    assert_int_equal(account_delta(&list, 1, &price, &error), SOTTO_USAGE);
    account_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anchors),  cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_parts),    cmocka_unit_test(test_persons),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_prices),
        cmocka_unit_test(test_epsilon),  cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_bookings), cmocka_unit_test(test_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
