/*
 * A sampled record that is replaced by another: the pair on its grid against
 * long doubles, bit for bit outward and at negative epsilons too; the printed
 * anchors; a search for answers of records, and for rules of hidden state,
 * that would cost more than the pair.
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

static double delta_replaced(const char *plan, double epsilon)
{
    return delta_for(plan, ACCOUNT_REPLACE_ONE, epsilon);
}

static double epsilon_replaced(const char *plan, double delta)
{
    return epsilon_for(plan, ACCOUNT_REPLACE_ONE, delta);
}

static unsigned seed = 20261117;

static double chance(double low, double high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * ((seed >> 8) * 0x1p-24);
}

/* At least the truth, but for the last printed digit, and above it by at most
   the part `slack`. */
static void assert_above(const char *what, double got, double truth,
                         double slack)
{
    if (!(got >= truth && got <= truth * (1 + slack)))
        fail_msg("%s: %.12g for %.12g (%.3g)", what, got, truth,
                 got / truth - 1);
}

/* ---- one step, in long doubles ---- */

static long double tail(long double z)
{
    return .5L * erfcl(z * sqrtl(.5L));
}

/* sup over S of P(S) - e^epsilon Q(S): P and Q have one record at 1 and at -1.
   The best S is {x > t}; `rounding` is what long doubles may be wrong by. */
static long double truth_of(long double q, long double sigma,
                            long double epsilon, long double *rounding)
{
    long double odds = (1 - q) / q * expl(.5L / (sigma * sigma));
    long double x =
        sigma * sigma * (epsilon / 2 + asinhl(odds * sinhl(epsilon / 2)));
    long double far = (fabsl(x) + 1) / sigma, e = expl(epsilon);
    long double p = (1 - q) * tail(x / sigma) + q * tail((x - 1) / sigma);
    long double r = (1 - q) * tail(x / sigma) + q * tail((x + 1) / sigma);
    *rounding = (p + e * r) * 0x1p-61L * (1 + far * (far + 1));
    return p - e * r;
}

/* What the masses of a law say at a grid point, without rounding. */
static long double law_delta(const pair_law *law, int64_t at)
{
    long double sum = law->infinite;
    for (int64_t j = at + 1; j < law->cells; j++)
        sum += (long double)law->mass[j] *
               -expm1l(-(long double)law->step * (long double)(j - at));
    return sum;
}

/* Not below the truth by a single bit, at all losses, also negative ones; and
   hardly above it, because between cuts both laws are kept. */
static void assert_law(double q, double sigma, double low, double high,
                       double step)
{
    merged_event e = {ACCOUNT_SUBSAMPLED, q, sigma, 1, 1};
    pair_law law;
    sotto_error error = {0};
    if (pair_make(&law, &e, 0, (pair_window){step, low, high}, &error))
        fail_msg("q %g sigma %g: %s", q, sigma, error.message);
    assert_true(law.shift < 1e-6 * step);
    for (int64_t k = 0; k < law.cells; k += 1 + law.cells / 400) {
        long double rounding, loose;
        long double g = (long double)(law.low + k) * (long double)step;
        long double got = law_delta(&law, k);
        long double least = truth_of(q, sigma, g + law.shift, &rounding);
        if (!(got >= least - rounding))
            fail_msg("q %g sigma %g at %Lg: %.20Lg below %.20Lg", q, sigma, g,
                     got, least);
        long double most = truth_of(q, sigma, g - law.shift, &loose);
        if (!(got <= most * (1 + 1e-9L) + 4e-12L + law.infinite))
            fail_msg("q %g sigma %g at %Lg: %.20Lg above %.20Lg", q, sigma, g,
                     got, most);
    }
    pair_free(&law);
}

static void test_outward(void **state)
{
    (void)state;
    static const double cases[][2] = {{.1, 1},    {.01, 1},   {.5, 2},
                                      {.9, .6},   {1e-4, .7}, {.999, 3},
                                      {1e-9, .4}, {.3, 50},   {.02, .25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double q = cases[i][0], sigma = cases[i][1], low, high;
        merged_event e = {ACCOUNT_SUBSAMPLED, q, sigma, 1, 1};
        pair_extent(&e, 0, 1e-14, &low, &high);
        assert_law(q, sigma, low, high, (high - low) / 1000);
        assert_law(q, sigma, low, high, (high - low) / 7001);
    }
    for (int i = 0; i < 30; i++) {
        double q = exp(chance(-9, -.02)), sigma = exp(chance(-1, 2)), low, high;
        merged_event e = {ACCOUNT_SUBSAMPLED, q, sigma, 1, 1};
        pair_extent(&e, 0, 1e-12, &low, &high);
        assert_law(q, sigma, low, high, (high - low) / chance(500, 5000));
    }
}

/* One step through the whole accountant: as one event, and with a half that
   shows nothing. */
static void test_one_step(void **state)
{
    (void)state;
    static const char plan[] = "SUBSAMPLED_GAUSS(.1, 1)@add-remove";
    assert_above("delta(0)", delta_replaced(plan, 0), .06826889, 1e-6);
    assert_above("delta(.1)", delta_replaced(plan, .1), .03399635, 2e-6);
    assert_above("delta(1)", delta_replaced(plan, 1), .000327283, 1e-5);
    for (int i = 0; i < 60; i++) {
        double q = exp(chance(-6, -.05)), sigma = exp(chance(-.7, 1.5));
        double epsilon = chance(0, 3) * fmin(1, 2 * q / sigma) + 1e-4;
        long double rounding, truth = truth_of(q, sigma, epsilon, &rounding);
        char text[100];
        if (truth < 1e-12L)
            continue;
        snprintf(text, sizeof text, "SUBSAMPLED_GAUSS(%.17g, %.17g)@zero-out",
                 q, sigma);
        assert_above(text, delta_replaced(text, epsilon),
                     (double)(truth - rounding) * (1 - 1e-15), 5e-4);
    }
}

/* ---- lists ---- */

static void test_anchors(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        double epsilon;
    } anchor[] = {
        {"SUBSAMPLED_GAUSS(.01, 1)@add-remove*1000", 3.214230},
        {"SUBSAMPLED_GAUSS(.1, 2)@add-remove*100", 4.886337},
        {"SUBSAMPLED_GAUSS(.001, .8)@add-remove*10000", 1.325049},
    };
    for (size_t i = 0; i < sizeof anchor / sizeof *anchor; i++)
        assert_above(anchor[i].plan, epsilon_replaced(anchor[i].plan, 1e-6),
                     anchor[i].epsilon, 3e-5);
    /* almost all are in the sample: a Gaussian, twice */
    assert_above("almost Gaussian",
                 epsilon_replaced("SUBSAMPLED_GAUSS(0.9999999999, "
                                  "20)@add-remove*100",
                                  1e-7),
                 epsilon_replaced("GAUSS(1/20)@add-remove*100", 1e-7) *
                     (1 - 1e-8),
                 1e-3);
    assert_true(epsilon_replaced("SUBSAMPLED_GAUSS(1, 4)@add-remove*9", 1e-6) ==
                epsilon_replaced("GAUSS(1/4)@add-remove*9", 1e-6));
    /* where losses are small it costs little less than a mean twice as long,
       and not what a group of two would */
    double few =
        epsilon_replaced("SUBSAMPLED_GAUSS(.2, 30)@add-remove*50", 1e-6);
    account_list once =
        list_for("SUBSAMPLED_GAUSS(.2, 15)*50", ACCOUNT_ADD_REMOVE);
    account_price price;
    sotto_error error = {0};
    assert_int_equal(account_epsilon(&once, 1e-6, &price, &error), SOTTO_OK);
    assert_true(few < price.epsilon && few > .97 * price.epsilon);
    account_free(&once);
}

/* delta of a step and a Gaussian together: the step's profile, averaged over
   the Gaussian's loss. */
static double with_gauss(double q, double sigma, double mu, double epsilon)
{
    long double sum = 0, step = .005L, rounding;
    for (long double z = -11; z < 11; z += step)
        sum += expl(-z * z / 2) *
               fmaxl(0, truth_of(q, sigma, epsilon - mu * (z + mu / 2),
                                 &rounding));
    return (double)(sum * step / sqrtl(2 * acosl(-1)));
}

/* Other questions: for replace-one as they are, for add-remove twice. */
static void test_mixed(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        double q = exp(chance(-5, -.1)), sigma = exp(chance(-.5, 1));
        double mu = exp(chance(-3, 0)), epsilon = chance(0, 2);
        double truth = with_gauss(q, sigma, mu, epsilon);
        char text[200];
        if (truth < 1e-10)
            continue;
        snprintf(text, sizeof text,
                 "SUBSAMPLED_GAUSS(%.17g, %.17g)@add-remove + "
                 "GAUSS(%.17g)%s",
                 q, sigma, i % 2 ? mu : mu / 2, i % 2 ? "" : "@zero-out");
        assert_above(text, delta_replaced(text, epsilon), truth * (1 - 1e-7),
                     5e-3);
    }
}

/* Moments are above the grid's price, and not without use. */
static void test_moments(void **state)
{
    (void)state;
    account_list list =
        list_for("SUBSAMPLED_GAUSS(.01, 1)@add-remove*1000 + GAUSS(.1)",
                 ACCOUNT_REPLACE_ONE);
    account_price grid, rough;
    sotto_error error = {0};
    for (double e = .5; e < 8; e += .5) {
        assert_int_equal(
            account_delta_by(&list, e, ACCOUNT_PLD, 1, &grid, &error),
            SOTTO_OK);
        assert_int_equal(
            account_delta_by(&list, e, ACCOUNT_RDP, 1, &rough, &error),
            SOTTO_OK);
        assert_true(rough.delta > grid.delta);
    }
    account_free(&list);
    double both = epsilon_replaced("ZCDP(1e-9)@add-remove + "
                                   "SUBSAMPLED_GAUSS(.01, 1)@add-remove*1000",
                                   1e-6);
    assert_true(both > 3.2142 && both < 5.6);
}

/* Renyi's divergence of one step, by integration. */
static double renyi_truth(double q, double sigma, double alpha)
{
    long double sum = 0, step = .01L * sigma, s = 2.L * sigma * sigma;
    for (long double x = -45 * sigma; x < alpha * 2 + 45 * sigma; x += step) {
        long double none = -x * x / s;
        long double p = logl((1 - q) + q * expl((2 * x - 1) / s)) + none;
        long double r = logl((1 - q) + q * expl((-2 * x - 1) / s)) + none;
        sum += expl(alpha * p + (1 - alpha) * r);
    }
    return (double)logl(sum * step / (sigma * sqrtl(2 * acosl(-1)))) /
           (alpha - 1);
}

/* Not below it at any order, nor above that of Gaussians two apart. */
static void test_renyi(void **state)
{
    (void)state;
    sotto_error error = {0};
    static const double orders[] = {1.3, 2, 2.5, 4, 9, 30};
    for (int i = 0; i < 60; i++) {
        double q = exp(chance(-6, -.02)), sigma = exp(chance(-.3, 1.5)), got;
        double alpha = orders[i % 6], truth = renyi_truth(q, sigma, alpha);
        double most = 2 * alpha / (sigma * sigma);
        char text[100];
        snprintf(text, sizeof text, "SUBSAMPLED_GAUSS(%.17g, %.17g)@add-remove",
                 q, sigma);
        account_list list = list_for(text, ACCOUNT_REPLACE_ONE);
        assert_int_equal(account_renyi(&list, alpha, &got, &error), SOTTO_OK);
        if (!(got >= truth * (1 - 1e-9) && got <= most * (1 + 1e-9)))
            fail_msg("%s, order %g: %g for %g", text, alpha, got, truth);
        account_free(&list);
    }
}

/* ---- searches ---- */

/* What H_gamma is for the pair: by symmetry at gamma below 1, too. */
static double pair_profile(double q, double sigma, double gamma)
{
    long double rounding;
    return (double)truth_of(q, sigma, logl(gamma), &rounding);
}

enum { GAMMAS = 12, SIDE = 240 };

/* H at all gammas of (1-q) N(0) + q N(u) against the same with v, in two
   dimensions, as sums over small squares. */
static void search_plane(double q, double sigma, const double u[2],
                         const double v[2], double *gamma, double *out)
{
    double low = -1 - 6 * sigma, cell = (2 + 12 * sigma) / SIDE;
    double s = 2 * sigma * sigma, unit = cell * cell / (M_PI * s);
    memset(out, 0, GAMMAS * sizeof *out);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = low + (i % SIDE + .5) * cell,
               y = low + (i / SIDE + .5) * cell;
        double none = exp(-(x * x + y * y) / s) * unit;
        double a =
            exp(-((x - u[0]) * (x - u[0]) + (y - u[1]) * (y - u[1])) / s);
        double b =
            exp(-((x - v[0]) * (x - v[0]) + (y - v[1]) * (y - v[1])) / s);
        double p = (1 - q) * none + q * a * unit;
        double r = (1 - q) * none + q * b * unit;
        for (int k = 0; k < GAMMAS; k++)
            out[k] += fmax(0, p - gamma[k] * r);
    }
}

/* No two records cost more than opposite ones at full length. */
static void test_search_of_records(void **state)
{
    (void)state;
    double closest = 0;
    for (int i = 0; i < 150; i++) {
        double q = exp(chance(-3, -.05)), sigma = exp(chance(-.8, 1));
        double turn = i % 3 ? chance(0, 2 * M_PI) : M_PI, gamma[GAMMAS];
        double length = i % 5 ? 1 : sqrt(chance(0, 1)), found[GAMMAS];
        double way = chance(0, 2 * M_PI), other = i % 4 ? 1 : chance(0, 1);
        double u[2] = {length * cos(way), length * sin(way)};
        double v[2] = {other * cos(way + turn), other * sin(way + turn)};
        for (int k = 0; k < GAMMAS; k++)
            gamma[k] = exp(chance(-1.5, 1.5) * fmin(1, 3 * q));
        search_plane(q, sigma, u, v, gamma, found);
        for (int k = 0; k < GAMMAS; k++) {
            double most = pair_profile(q, sigma, gamma[k]);
            if (!(found[k] <= most + 2e-5))
                fail_msg("q %g sigma %g gamma %g: %g above %g", q, sigma,
                         gamma[k], found[k], most);
            if (most > .01)
                closest = fmax(closest, found[k] / most);
        }
    }
    assert_true(closest > .999); /* and opposite ones cost that much */
}

/* A rule of hidden state: what a record adds at the second step, by whether it
   was in the first batch, and by the first answer. */
enum { STEPS_OF_RULE = 6, LINE = 260 };
typedef struct rule {
    double first, second[2][STEPS_OF_RULE];
} rule;

static rule rule_of(double sign)
{
    rule r = {sign * (chance(0, 1) < .7 ? 1 : chance(-1, 1)), {{0}}};
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < STEPS_OF_RULE; k++)
            r.second[b][k] = sign * (chance(0, 1) < .6 ? 1 : chance(-1, 1));
    return r;
}

static double normal_at(double x, double sigma)
{
    return exp(-x * x / (2 * sigma * sigma)) / (sigma * sqrt(2 * M_PI));
}

/* The density of both answers. */
static double rule_density(const rule *r, double q, double sigma, double x,
                           double y)
{
    int k = (int)floor((x + 1.5) * 2);
    k = k < 0 ? 0 : k >= STEPS_OF_RULE ? STEPS_OF_RULE - 1 : k;
    double sum = 0, none = (1 - q) * normal_at(y, sigma);
    for (int b = 0; b < 2; b++)
        sum += (b ? q : 1 - q) * normal_at(x - b * r->first, sigma) *
               (none + q * normal_at(y - r->second[b][k], sigma));
    return sum;
}

/* Two steps with hidden state are within what two pairs cost. */
static void test_search_of_hidden_state(void **state)
{
    (void)state;
    double closest = 0;
    for (int i = 0; i < 60; i++) {
        double q = chance(.05, .6), sigma = chance(.6, 2), d[4] = {0};
        double low = -1 - 6 * sigma, cell = (2 + 12 * sigma) / LINE;
        static const double epsilon[4] = {0, .1, .3, .8};
        rule one = rule_of(1), other = rule_of(-1);
        char text[120];
        for (int j = 0; j < LINE * LINE; j++) {
            double x = low + (j % LINE + .5) * cell;
            double y = low + (j / LINE + .5) * cell;
            double p = rule_density(&one, q, sigma, x, y) * cell * cell;
            double r = rule_density(&other, q, sigma, x, y) * cell * cell;
            for (int k = 0; k < 4; k++)
                d[k] += fmax(0, p - exp(epsilon[k]) * r);
        }
        snprintf(text, sizeof text,
                 "SUBSAMPLED_GAUSS(%.17g, %.17g)@add-remove*2", q, sigma);
        for (int k = 0; k < 4; k++) {
            double most = delta_replaced(text, epsilon[k]);
            if (!(d[k] <= most + 2e-5))
                fail_msg("%s at %g: %g above %g", text, epsilon[k], d[k], most);
            if (most > .01)
                closest = fmax(closest, d[k] / most);
        }
    }
    assert_true(closest > .95 && closest < 1.001);
}

/* ---- extremes ---- */

/* Every price is a number, delta falls as epsilon grows, and more noise is
   never dearer. */
static void test_extremes(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "SUBSAMPLED_GAUSS(1e-12, 1)@add-remove*10000000",
        "SUBSAMPLED_GAUSS(0.999999999999, .5)@add-remove*10",
        "SUBSAMPLED_GAUSS(.5, .001)@add-remove",
        "SUBSAMPLED_GAUSS(.01, .001)@add-remove*1000",
        "SUBSAMPLED_GAUSS(1e-300, 1)@add-remove*5",
        "SUBSAMPLED_GAUSS(.1, 1e12)@add-remove*1000000000000",
        "SUBSAMPLED_GAUSS(0, 1)@add-remove",
        "SUBSAMPLED_GAUSS(1e-320, .02)@add-remove",
        "SUBSAMPLED_GAUSS(1e-320, .001)@add-remove*3",
        "SUBSAMPLED_GAUSS(.001, 5)@add-remove*10000000",
        "LAPLACE(3) + SUBSAMPLED_GAUSS(1e-9, .5)@zero-out*1000",
        "RANGE(.1)*5 + SUBSAMPLED_GAUSS(.05, 2)@add-remove*20",
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        double before = 1;
        for (double d = 1e-14; d < .5; d *= 1e4) {
            double e = epsilon_replaced(plans[i], d);
            assert_true(e >= 0 && e < 1e10);
        }
        for (double e = 0; e < 200; e = 30 * e + 1e-2) {
            double d = delta_replaced(plans[i], e);
            assert_true(d >= 0 && d <= before * 1.01 + 1e-30);
            before = d;
        }
    }
    double last = INFINITY;
    for (double sigma = .4; sigma < 40; sigma *= 1.5) {
        char text[100];
        snprintf(text, sizeof text,
                 "SUBSAMPLED_GAUSS(.05, %.17g)@add-remove*30", sigma);
        double e = epsilon_replaced(text, 1e-6);
        assert_true(e < last);
        last = e;
    }
    /* whatever the noise: one coin for both records */
    assert_above("chance", delta_replaced(plans[2], 0), .5, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outward),
        cmocka_unit_test(test_one_step),
        cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_renyi),
        cmocka_unit_test(test_search_of_records),
        cmocka_unit_test(test_search_of_hidden_state),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
