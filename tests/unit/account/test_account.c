/*
 * The accountant: printed anchors, exact brute force on small discrete
 * mechanisms in both directions, values that go round through text and JSON,
 * and calls that must be refused. A price below the truth is the one thing
 * that must never happen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json.h"
#include "prices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static account_list list_of(const char *plan)
{
    return list_for(plan, ACCOUNT_ADD_REMOVE);
}

static double delta_of(const char *plan, double epsilon)
{
    return delta_for(plan, ACCOUNT_ADD_REMOVE, epsilon);
}

static double epsilon_of(const char *plan, double delta)
{
    return epsilon_for(plan, ACCOUNT_ADD_REMOVE, delta);
}

/* A price is at least the truth, and above it by at most the part `slack`. */
static void assert_above(const char *what, double got, double truth,
                         double slack)
{
    if (!(got >= truth * (1 - 1e-12) && got <= truth * (1 + slack) + 1e-300))
        fail_msg("%s: %.12g for %.12g (%.3g)", what, got, truth,
                 got / truth - 1);
}

/* ---- anchors ---- */

static void test_gauss(void **state)
{
    (void)state;
    assert_above("delta(1, 1)", delta_of("GAUSS(1)", 1), 0.12693673751, 1e-9);
    assert_above("z(1, 1e-6)", epsilon_of("GAUSS(1/4.22468)", 1e-6), 1 - 1e-6,
                 2e-6);
    /* mpmath, 40 digits: mu, epsilon, delta */
    static const double truth[][3] = {
        {.01, .05, 5.481440200746878e-10}, {.1, 1, 1.230835983642704e-25},
        {5, 1, 0.9798516780897752},        {.001, .004, 7.159562434938247e-9},
        {20, 100, 0.9999996146685564},     {2, 20, 2.016028801306039e-20},
    };
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
        char plan[64];
        snprintf(plan, sizeof plan, "GAUSS(%.17g)", truth[i][0]);
        assert_above(plan, delta_of(plan, truth[i][1]), truth[i][2], 1e-8);
    }
    assert_true(epsilon_of("GAUSS(1)*10000000", 1e-15) < 5.1e6);
}

static void test_subsampled_anchors(void **state)
{
    (void)state;
    assert_above("SGM(.01, 1) x 1000",
                 epsilon_of("SUBSAMPLED_GAUSS(.01, 1)*1000", 1e-6), 2.12451,
                 2e-5);
    assert_above("SGM(.1, 2) x 100",
                 epsilon_of("SUBSAMPLED_GAUSS(.1, 2)*100", 1e-6), 2.675034,
                 2e-5);
    /* a window by standard deviations gives 3e-8 here */
    assert_above("SGM(.001, .5) x 10",
                 delta_of("SUBSAMPLED_GAUSS(.001, .5)*10", 1), 1.2393e-5, 1e-3);
    assert_above("almost Gaussian",
                 epsilon_of("SUBSAMPLED_GAUSS(0.9999999999, 20)*100", 1e-7),
                 epsilon_of("GAUSS(1/20)*100", 1e-7) * (1 - 1e-8), 1e-3);
}

static double by(const char *plan, int ordered, double epsilon, double effort)
{
    account_list list = list_of(plan);
    account_price price = {0};
    sotto_error error = {0};
    list.ordered = ordered;
    account_method method = ordered ? ACCOUNT_ORDER : ACCOUNT_RECURSION;
    if (account_delta_by(&list, epsilon, method, effort, &price, &error))
        fail_msg("%s: %s", plan, error.message);
    account_free(&list);
    return price.delta;
}

static void test_range_anchors(void **state)
{
    (void)state;
    static const char rounds[] = "10*(RANGE(2/18.75) + GAUSS(1/18.75))";
    assert_above("BR x 2", by("RANGE(.5)*2", 0, .2, 1), 0.0832690726, 3e-6);
    assert_above("BR x 2, finer", by("RANGE(.5)*2", 0, .2, 16), 0.0832690726,
                 3e-7);
    assert_above("recipe", by(rounds, 0, 1, 5), 1.22366e-6, 5e-4);
    assert_above("in order", by(rounds, 1, 1, 5), 9.99424e-7, 5e-4);
    /* one use: closed form */
    for (double e = 0; e < 1; e += .13) {
        double x = 1 - exp((e - 1) / 2);
        assert_above("BR x 1", by("RANGE(1)", 0, e, .1), x * x / -expm1(-1),
                     1e-3);
    }
}

/* ---- exact compositions ---- */

/* delta of several randomised responses and at most one Laplace mechanism,
   by enumeration of all outcomes. */
static double exact_pure(const double *e, int n, double laplace, double epsilon)
{
    double sum = 0;
    for (int mask = 0; mask < 1 << n; mask++) {
        double mass = 1, loss = 0;
        for (int i = 0; i < n; i++) {
            int up = mask >> i & 1;
            mass *= 1 / (1 + exp(up ? -e[i] : e[i]));
            loss += up ? e[i] : -e[i];
        }
        double x = epsilon - loss, d;
        if (x >= laplace)
            d = 0;
        else if (x >= -laplace)
            d = -expm1((x - laplace) / 2);
        else
            d = -expm1(x);
        sum += mass * d;
    }
    return sum;
}

static void test_pure_by_enumeration(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 30; round++) {
        double e[10], laplace = 0, sum = 0;
        char plan[600] = "";
        int n = 1 + round % 10;
        for (int i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            e[i] = round % 3 ? .02 + (seed >> 8) * 0x1p-24 : .25;
            sum += e[i];
            snprintf(plan + strlen(plan), 40, "%sPURE(%.17g)", i ? "+" : "",
                     e[i]);
        }
        if (round % 2) {
            laplace = .1 * (1 + round % 7);
            sum += laplace;
            snprintf(plan + strlen(plan), 40, "+LAPLACE(%.17g)", laplace);
        }
        for (int k = 0; k < 5; k++) {
            double epsilon = sum * k / 5.3;
            double truth = exact_pure(e, n, laplace, epsilon);
            assert_above(plan, delta_of(plan, epsilon), truth, 5e-3);
        }
    }
}

/* One subsampled Gaussian, P over Q or Q over P, in closed form. */
static double exact_sampled(double q, double sigma, int add, double epsilon)
{
    double l = add ? -epsilon : epsilon, y = 1 + expm1(l) / q;
    if (y <= 0) /* below every loss, or above all of them */
        return add ? 0 : -expm1(epsilon);
    double x = sigma * sigma * log(y) + .5;
    double zero = .5 * erfc((add ? -x : x) / sigma * M_SQRT1_2);
    double one = .5 * erfc((add ? 1 - x : x - 1) / sigma * M_SQRT1_2);
    double mixed = (1 - q) * zero + q * one;
    return add ? zero - exp(epsilon) * mixed : mixed - exp(epsilon) * zero;
}

/* Two subsampled Gaussians: the privacy profile of the second, averaged over
   the loss of the first. */
static double exact_two(double q, double sigma, int add, double epsilon)
{
    double sum = 0, step = .002 * sigma;
    for (double x = -12 * sigma; x < 1 + 12 * sigma; x += step) {
        double zero = exp(-x * x / (2 * sigma * sigma));
        double one = exp(-(x - 1) * (x - 1) / (2 * sigma * sigma));
        double loss = log1p(q * expm1((2 * x - 1) / (2 * sigma * sigma)));
        double weight = add ? zero : (1 - q) * zero + q * one;
        double e = epsilon - (add ? -loss : loss);
        sum += weight * exact_sampled(q, sigma, add, e);
    }
    return sum * step / (sigma * sqrt(2 * M_PI));
}

static void test_sampled_exactly(void **state)
{
    (void)state;
    static const double cases[][3] = {
        {.01, 1, .05}, {.5, .7, 1},      {.001, .4, 2},    {.3, 3, .02},
        {.9, .5, 3},   {.999999, 1, .8}, {1e-5, .3, .001}, {.05, 10, .001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double q = cases[i][0], sigma = cases[i][1], e = cases[i][2];
        char plan[80];
        snprintf(plan, sizeof plan, "SUBSAMPLED_GAUSS(%.17g, %.17g)", q, sigma);
        double one =
            fmax(exact_sampled(q, sigma, 0, e), exact_sampled(q, sigma, 1, e));
        assert_above(plan, delta_of(plan, e), one * (1 - 1e-9), 5e-3);
        double two = fmax(exact_two(q, sigma, 0, e), exact_two(q, sigma, 1, e));
        strcat(plan, "*2");
        assert_above(plan, delta_of(plan, e), two * (1 - 1e-6), 5e-3);
    }
}

/* ---- adaptive selections, by trees ---- */

static unsigned tree_seed = 7;

static double tree_random(void)
{
    tree_seed = tree_seed * 1664525u + 1013904223u;
    return (tree_seed >> 8) * 0x1p-24;
}

/* Leaves of an adaptive run: each node is a selection of bounded range with
   its own weights, or randomised response (eta < 0). */
typedef struct tree {
    double p[4096], q[4096];
    int leaves;
} tree;

static void tree_grow(tree *t, const double *eta, int depth, double p, double q)
{
    if (depth == 0) {
        t->p[t->leaves] = p;
        t->q[t->leaves++] = q;
        return;
    }
    double a[3], b[3], sa = 0, sb = 0;
    int n = *eta < 0 ? 2 : 2 + (tree_random() < .5);
    for (int i = 0; i < n; i++) { /* exponential mechanism on two data sets */
        b[i] = tree_random() + .01;
        double u = tree_random();
        u = u < .4 ? 0 : u < .8 ? 1 : tree_random();
        a[i] = b[i] * exp(u * *eta);
        sa += a[i];
        sb += b[i];
    }
    if (*eta < 0) {
        a[0] = b[1] = exp(-*eta);
        a[1] = b[0] = 1;
        sa = sb = 1 + exp(-*eta);
    }
    for (int i = 0; i < n; i++)
        tree_grow(t, eta + 1, depth - 1, p * a[i] / sa, q * b[i] / sb);
}

static double tree_delta(const double *p, const double *q, int n, double e)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fmax(0, p[i] - exp(e) * q[i]);
    return sum;
}

static void test_adaptive_trees(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        double eta[4];
        int depth;
    } shapes[] = {
        {"RANGE(.6)*2", {.6, .6}, 2},
        {"RANGE(.3)*3", {.3, .3, .3}, 3},
        {"RANGE(1) + PURE(.4) + RANGE(1)", {1, -.4, 1}, 3},
        {"RANGE(1) + RANGE(.2) + PURE(.4)", {1, .2, -.4}, 3},
        {"RANGE(.2) + PURE(.4) + RANGE(1)", {1, -.4, .2}, 3},
    };
    static tree t;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        double bound[6], worst = 0;
        for (int k = 0; k < 6; k++)
            bound[k] = delta_of(shapes[s].plan, .15 * k);
        for (int round = 0; round < 3000; round++) {
            t.leaves = 0;
            tree_grow(&t, shapes[s].eta, shapes[s].depth, 1, 1);
            for (int k = 0; k < 6; k++) {
                double d = fmax(tree_delta(t.p, t.q, t.leaves, .15 * k),
                                tree_delta(t.q, t.p, t.leaves, .15 * k));
                if (d > bound[k])
                    fail_msg("%s: %g > %g", shapes[s].plan, d, bound[k]);
                worst = fmax(worst, d / bound[k]);
            }
        }
        assert_true(worst > .6); /* the test has power */
    }
}

/* Two selections, all strategies: the largest value over t by a fine grid. */
static void test_two_selections(void **state)
{
    (void)state;
    double eta = .8;
    for (double e = 0; e < 1.5; e += .2) {
        double truth = 0;
        for (double t = 0; t <= eta; t += 1e-4) {
            double p = expm1(t - eta) / expm1(-eta), v = 0;
            for (int i = 0; i < 2; i++) {
                double x = i ? e - t + eta : e - t, r = 1 - exp((x - eta) / 2);
                double d = x >= eta    ? 0
                           : x <= -eta ? -expm1(x)
                                       : r * r / -expm1(-eta);
                v += (i ? 1 - p : p) * d;
            }
            truth = fmax(truth, v);
        }
        assert_above("two selections", delta_of("RANGE(.8)*2", e), truth, 1e-4);
    }
}

/* ---- what must be true of every price ---- */

static void test_order_and_merging(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "5*(RANGE(.2) + GAUSS(.1)) + LAPLACE(.3)",
        "RANGE(.4)*3 + GAUSS(.2) + RANGE(.1)*20 + SUBSAMPLED_GAUSS(.1, 2)*5"};
    for (int i = 0; i < 2; i++) {
        account_list list = list_of(plans[i]);
        account_price any, given;
        assert_int_equal(account_delta(&list, .7, &any, NULL), SOTTO_OK);
        list.ordered = 1;
        assert_int_equal(account_delta(&list, .7, &given, NULL), SOTTO_OK);
        assert_true(given.delta <= any.delta * 1.01);
        assert_true(given.delta > 0);
        account_free(&list);
    }
    assert_true(delta_of("LAPLACE(.5) + LAPLACE(.5)", .3) ==
                delta_of("LAPLACE(.5)*2", .3));
    assert_true(delta_of("GAUSS(.3)*4", 1) >= delta_of("GAUSS(.6)", 1));
    assert_true(delta_of("GAUSS(.3)*4", 1) <= delta_of("GAUSS(.6)", 1) * 1.001);
}

static void test_adjacency(void **state)
{
    (void)state;
    account_list list = list_of("GAUSS(.2) + RANGE(.1) + LAPLACE(.1)");
    account_list twice = list_of("GAUSS(.4) + RANGE(.2) + LAPLACE(.2)");
    account_price a, b;
    sotto_error error = {0};
    list.adjacency = ACCOUNT_REPLACE_ONE;
    assert_int_equal(account_epsilon(&list, 1e-5, &a, &error), SOTTO_OK);
    assert_int_equal(account_epsilon(&twice, 1e-5, &b, &error), SOTTO_OK);
    assert_true(a.epsilon == b.epsilon);
    list.adjacency = ACCOUNT_ZERO_OUT; /* says nothing about it */
    assert_int_equal(account_epsilon(&list, 1e-5, &a, &error), SOTTO_USAGE);
    account_free(&list);
    account_free(&twice);
    list = list_of("SUBSAMPLED_GAUSS(.05, 2)*50");
    assert_int_equal(account_delta(&list, .6, &a, &error), SOTTO_OK);
    list.adjacency = ACCOUNT_REPLACE_ONE; /* less than a group of two */
    assert_int_equal(account_delta(&list, 1.2, &b, &error), SOTTO_OK);
    assert_true(b.delta < .5 * a.delta * (1 + exp(.6)));
    assert_int_equal(account_epsilon(&list, b.delta, &a, &error), SOTTO_OK);
    assert_above("and back", a.epsilon, 1.2 - 1e-6, 1e-4);
    list.event[0].adjacency = ACCOUNT_ZERO_OUT; /* blanked, filled: the same */
    assert_int_equal(account_delta(&list, 1.2, &a, &error), SOTTO_OK);
    assert_true(a.delta == b.delta);
    account_free(&list);
}

static void test_draws(void **state)
{
    (void)state;
    account_list list = list_of("GAUSS(.2)");
    account_price a, b;
    sotto_error error = {0};
    assert_int_equal(account_delta(&list, 1, &a, &error), SOTTO_OK);
    list.draws = 1e12;
    assert_int_equal(account_delta(&list, 1, &b, &error), SOTTO_OK);
    assert_above("draws", b.delta, a.delta + (1 + M_E) * 1e12 * 0x1p-80, 1e-8);
    assert_int_equal(account_epsilon(&list, b.delta, &a, &error), SOTTO_OK);
    assert_above("and back", a.epsilon, 1 - 1e-8, 1e-4);
    list.draws = 1e18;
    assert_int_equal(account_epsilon(&list, 1e-12, &a, &error), SOTTO_USAGE);
    account_free(&list);
}

/* ---- joined lists ---- */

/* The profile of one selection (Lemma A9, the envelope). */
static double after_selection(double eta, double epsilon)
{
    if (fabs(epsilon) > eta)
        return fmax(0, -expm1(epsilon));
    return pow(1 - exp((epsilon - eta) / 2), 2) / -expm1(-eta);
}

/* delta for an adversary who sees a Gaussian answer first and then chooses
   the selection: an integral over that answer. */
static double gauss_then_selection(double mu, double eta, double epsilon)
{
    double sum = 0, step = 1e-4;
    for (double x = -9; x < 9; x += step) {
        double density = exp(-x * x / 2) / sqrt(2 * M_PI);
        double loss = mu * x + mu * mu / 2; /* of an answer at mu + x */
        sum += step * density * after_selection(eta, epsilon - loss);
    }
    return sum;
}

static account_list ordered_list_of(const char *plan)
{
    account_list list = list_of(plan);
    list.ordered = 1;
    return list;
}

static account_price price_of(const account_list *list, double delta)
{
    account_price price;
    sotto_error error = {0};
    if (account_epsilon(list, delta, &price, &error))
        fail_msg("%s", error.message);
    return price;
}

/* Two ordered lists are joined, and nothing says that the second follows the
   first: the joined list has no order. Catches: the first list's order is taken
   for both. */
static void test_joined_in_any_order(void **state)
{
    (void)state;
    account_list first = ordered_list_of("PURE(0)");
    account_list second = ordered_list_of("RANGE(.5)+GAUSS(.2)");
    sotto_error error = {0};
    double alone = price_of(&second, .01).epsilon;
    assert_true(alone < .5041);
    assert_true(gauss_then_selection(.2, .5, alone) > .0121);
    assert_int_equal(account_append(&first, &second, 0, &error), SOTTO_OK);
    double joined = price_of(&first, .01).epsilon;
    assert_true(gauss_then_selection(.2, .5, joined) <= .01);
    assert_float_equal(joined, .5308, 1e-5);
    assert_int_equal(first.ordered, 0);
    account_free(&first);
    account_free(&second);
}

static void test_joined_in_order(void **state)
{
    (void)state;
    account_list first = ordered_list_of("2*(RANGE(.5)+GAUSS(.2))");
    account_list second = ordered_list_of("RANGE(.3)+GAUSS(.1)");
    account_list whole =
        ordered_list_of("2*(RANGE(.5)+GAUSS(.2))+RANGE(.3)+GAUSS(.1)");
    sotto_error error = {0};
    second.ordered = 0;
    assert_int_equal(account_append(&first, &second, 1, &error), SOTTO_USAGE);
    assert_int_equal(first.events, 2); /* as it was */
    assert_int_equal(first.ordered, 1);
    second.ordered = 1;
    first.ordered = 0;
    assert_int_equal(account_append(&first, &second, 1, &error), SOTTO_USAGE);
    first.ordered = 1;
    assert_int_equal(account_append(&first, &second, 1, &error), SOTTO_OK);
    assert_int_equal(first.ordered, 1);
    account_price joined = price_of(&first, 1e-6);
    assert_true(joined.epsilon == price_of(&whole, 1e-6).epsilon);
    assert_int_equal(joined.method, ACCOUNT_ORDER);
    account_free(&first);
    account_free(&second);
    account_free(&whole);
}

/* Catches: the draws of one list forgotten. */
static void test_joined_draws(void **state)
{
    (void)state;
    account_list first = list_of("GAUSS(.1)"), second = list_of("GAUSS(.2)");
    sotto_error error = {0};
    first.draws = 3e12;
    second.draws = 4e12;
    assert_int_equal(account_append(&first, &second, 0, &error), SOTTO_OK);
    assert_true(first.draws == 7e12);
    assert_int_equal(account_append(&first, &first, 0, &error), SOTTO_OK);
    assert_true(first.draws == 14e12);
    assert_int_equal(first.events, 4);
    second.draws = 1e18;
    assert_int_equal(account_append(&first, &second, 0, &error), SOTTO_USAGE);
    assert_true(first.draws == 14e12);
    account_free(&first);
    account_free(&second);
}

/* A known order never makes the price higher, not even by one bit. */
static void test_order_is_never_dearer(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "GAUSS(.2)+RANGE(.5)",
        "RANGE(.5)+GAUSS(.2)",
        "GAUSS(.5)+20*RANGE(.1)",
        "GAUSS(1)+100*RANGE(.05)",
        "100*(RANGE(.05)+GAUSS(.05))",
        "10*(GAUSS(.1)+RANGE(.2))",
        "GAUSS(3)+RANGE(.2)*5",
        "RANGE(1)*5+GAUSS(.001)",
        "RANGE(1)+RANGE(.1)*10+GAUSS(.1)",
        "LAPLACE(.3)+RANGE(.2)*3+GAUSS(.2)",
        "SUBSAMPLED_GAUSS(.1,2)*10+GAUSS(.3)+RANGE(.2)*4",
        "RANGE(.01)*3000+GAUSS(1)",
        "GAUSS(.3)*10",
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        account_list list = list_of(plans[i]);
        const double delta[] = {1e-2, 1e-6, 1e-10};
        account_price any[3], own[3];
        sotto_error error = {0};
        list.draws = i % 2 ? 1e6 : 0;
        assert_int_equal(account_epsilons(&list, delta, 3, any, &error), 0);
        list.ordered = 1;
        assert_int_equal(account_epsilons(&list, delta, 3, own, &error), 0);
        for (int k = 0; k < 3; k++)
            if (!(own[k].epsilon <= any[k].epsilon))
                fail_msg("%s: %.17g in order, %.17g in any, at delta %g",
                         plans[i], own[k].epsilon, any[k].epsilon, delta[k]);
        assert_int_equal(account_delta(&list, 1, &own[0], &error), 0);
        list.ordered = 0;
        assert_int_equal(account_delta(&list, 1, &any[0], &error), 0);
        assert_true(own[0].delta <= any[0].delta);
        account_free(&list);
    }
}

/* ---- questions of statements ---- */

/* A statement lists exactly what was priced: the same events, bit for bit,
   in the same rounds. */
static void test_questions_read_back(void **state)
{
    (void)state;
    static const account_question asked[] = {
        {.kind = ACCOUNT_GAUSS, .level = .1, .times = 1},
        {.kind = ACCOUNT_RANGE, .level = 1. / 3, .times = 7, .and_next = 1},
        {.kind = ACCOUNT_GAUSS, .level = 2. / 7, .times = 7},
        {.kind = ACCOUNT_SUBSAMPLED, .level = .7, .rate = .1, .times = 100},
        {.kind = ACCOUNT_LAPLACE, .level = .3, .times = 2},
        {.kind = ACCOUNT_PURE, .level = 1e-3, .times = 1000000000000},
        {.kind = ACCOUNT_GAUSS, .level = .2, .times = 10, .blocks = 4},
        {.kind = ACCOUNT_ZCDP, .level = .01 / 3, .times = 1},
    };
    enum { ALL = sizeof asked / sizeof *asked };
    account_question back[ALL];
    for (int i = 0; i < ALL; i++) {
        text_buffer t = {0};
        json_t *question = json_object();
        account_put_question(&question, &asked[i]);
        json_put(&t, question);
        json_t *root = json_read(t.data, t.length, NULL);
        assert_true(account_read_question(&back[i], root));
        json_decref(question);
        json_decref(root);
        text_free(&t);
    }
    for (int how = 0; how < ACCOUNT_ADJACENCIES; how++) {
        account_list a = {.adjacency = (account_adjacency)how}, b = a;
        text_buffer s = {0}, t = {0};
        sotto_error error = {0};
        assert_int_equal(account_ask(&a, asked, ALL, &error), SOTTO_OK);
        assert_int_equal(account_ask(&b, back, ALL, &error), SOTTO_OK);
        account_json(&a, &s);
        account_json(&b, &t);
        assert_string_equal(s.data, t.data);
        assert_int_equal(a.rounds, ALL - 1);
        assert_int_equal(a.round[1].repeat, 7);
        assert_int_equal(a.event[6].count, 3); /* ten times, of four blocks */
        assert_int_equal(a.event[0].adjacency, how);
        assert_int_equal(a.event[3].adjacency, /* a sample: of one record */
                         how == ACCOUNT_REPLACE_ONE ? ACCOUNT_ADD_REMOVE : how);
        text_free(&s);
        text_free(&t);
        account_free(&a);
        account_free(&b);
    }
}

/* A round is asked as often as its first question: blocks would make all of
   it cheaper. */
static void test_no_blocks_in_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        account_question q[] = {
            {.kind = ACCOUNT_GAUSS, .level = .1, .times = 6, .and_next = 1},
            {.kind = ACCOUNT_GAUSS, .level = .1, .times = 6}};
        account_list list = {0};
        sotto_error error = {0};
        assert_int_equal(account_ask(&list, q, 2, &error), SOTTO_OK);
        account_free(&list);
        q[i].blocks = 6;
        assert_int_equal(account_ask(&list, q, 2, &error), SOTTO_USAGE);
        assert_non_null(strstr(error.message, "blocks"));
        account_free(&list);
    }
}

/* A statement of 5 Gaussian answers that claims this epsilon. */
static sotto_status check(const char *epsilon, const char *delta,
                          const char *more, sotto_error *error)
{
    text_buffer t = {0};
    text_format(&t,
                "{\"epsilon\": %s, \"delta\": %s, \"adjacency\": "
                "\"zero-out\", \"zero_out\": \"\", \"membership\": \"not "
                "protected\", \"unit\": \"row\", \"rows_per_person\": 1, "
                "\"order\": \"any\", \"questions\": [{\"times\": 5, "
                "\"event\": \"GAUSS\", \"mu\": 0.1}]%s}",
                epsilon, delta, more);
    sotto_status status = account_check_statement(t.data, "m.json", error);
    text_free(&t);
    return status;
}

/* Catches: comparing the wrong way round, points that are not looked at. */
static void test_statements_are_priced_again(void **state)
{
    (void)state;
    static const char rest[] = ", \"draws\": 5, \"sotto\": \"0.1.0\", "
                               "\"curve\": []";
    static const char low[] =
        ", \"draws\": 5, \"sotto\": \"0.1.0\", "
        "\"curve\": [{\"delta\": 1e-7, \"epsilon\": 0.5}]";
    static const char part[] =
        ", \"draws\": 5, \"sotto\": \"0.1.0\", \"curve\": [], \"slices\": "
        "[{\"epsilon\": 0.1, \"delta\": 1e-6, \"draws\": 5, \"questions\": "
        "[{\"times\": 5, \"event\": \"GAUSS\", \"mu\": 0.1}]}]";
    sotto_error error = {0};
    double price = epsilon_of("GAUSS(.1)*5", 1e-6);
    sotto_number exact = sotto_number_exact(price * (1 + 1e-9));
    const char *claim = exact.text;
    assert_int_equal(check(claim, "1e-6", rest, &error), SOTTO_OK);
    assert_int_equal(check("50", "1e-6", rest, &error), SOTTO_OK);
    assert_int_equal(check("0.5", "1e-6", rest, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "m.json"));
    assert_int_equal(check(claim, "1e-8", rest, &error), SOTTO_PRIVACY);
    assert_int_equal(check(claim, "0", rest, &error), SOTTO_USAGE);
    assert_int_equal(check("0", "1e-6", rest, &error), SOTTO_USAGE);
    assert_int_equal(check("-5", "1e-6", rest, &error), SOTTO_USAGE);
    assert_int_equal(check("\"1\"", "1e-6", rest, &error), SOTTO_USAGE);
    assert_int_equal(check(claim, "1e-6", low, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "curve"));
    assert_int_equal(check(claim, "1e-6", part, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "party"));
}

/* Extreme parameters: every price is a number, delta falls as epsilon grows,
   and the computation ends quickly. */
static void test_extremes(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "SUBSAMPLED_GAUSS(1e-12, 1)*10000000",
        "SUBSAMPLED_GAUSS(0.999999999999, .5)*10",
        "SUBSAMPLED_GAUSS(.5, .001)",
        "SUBSAMPLED_GAUSS(.01, .001)*1000",
        "SUBSAMPLED_GAUSS(1e-300, 1)*5",
        "SUBSAMPLED_GAUSS(.1, 1e12)*1000000000000",
        "PURE(1e-300)*3 + LAPLACE(1e-12)",
        "PURE(1000) + LAPLACE(1e6)",
        "RANGE(1e-12)*10 + LAPLACE(1)",
        "RANGE(1e6)",
        "RANGE(50) + GAUSS(1e-9)",
        "GAUSS(1e6)*1000000000000",
        "GAUSS(1e-200)",
        "PURE(0)*5 + GAUSS(0) + RANGE(0) + SUBSAMPLED_GAUSS(0, 1)",
        "LAPLACE(3) + SUBSAMPLED_GAUSS(1e-9, .5)*1000",
        "0*(RANGE(1) + GAUSS(1))",
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        account_list list = list_of(plans[i]);
        account_price p;
        sotto_error error = {0};
        for (double delta = 1e-15; delta < 1; delta *= 1e14)
            if (!account_epsilon(&list, delta, &p, &error)) {
                if (!(p.epsilon >= 0 && p.epsilon < 1e300))
                    fail_msg("%s: epsilon %g", plans[i], p.epsilon);
            } else
                assert_true(error.message[0] != 0);
        double last = 1;
        for (double e = 0; e < 200; e = 30 * e + 1e-2) {
            assert_int_equal(account_delta(&list, e, &p, &error), SOTTO_OK);
            if (!(p.delta >= 0 && p.delta <= last * 1.01 + 1e-30))
                fail_msg("%s: delta(%g) = %g after %g", plans[i], e, p.delta,
                         last);
            last = p.delta;
        }
        account_free(&list);
    }
}

/* ---- values: text, JSON ---- */

static int lists_equal(const account_list *a, const account_list *b)
{
    int same = a->events == b->events && a->rounds == b->rounds &&
               a->adjacency == b->adjacency && a->ordered == b->ordered &&
               a->draws == b->draws;
    for (int64_t i = 0; same && i < a->events; i++) {
        const account_event *x = &a->event[i], *y = &b->event[i];
        same = x->kind == y->kind && x->a == y->a && x->b == y->b &&
               x->count == y->count && x->adjacency == y->adjacency;
    }
    for (int64_t i = 0; same && i < a->rounds; i++)
        same = !memcmp(&a->round[i], &b->round[i], sizeof *a->round);
    return same;
}

static void test_round_trip(void **state)
{
    (void)state;
    account_list list =
        list_of("3*(RANGE(1/3) + GAUSS(.1)*2) + SUBSAMPLED_GAUSS(1/7, "
                "sqrt(2))*5 + PURE(.3)@replace-one + LAPLACE(1e-3)");
    account_list back;
    text_buffer text = {0}, json = {0};
    account_print(&list, &text);
    assert_int_equal(
        account_parse(&back, text.data, NULL, NAN, ACCOUNT_ADD_REMOVE, NULL),
        SOTTO_OK);
    assert_true(lists_equal(&list, &back));
    account_free(&back);
    list.ordered = 1;
    list.draws = 12345;
    account_json(&list, &json);
    assert_int_equal(
        account_from_json(&back, json.data, json.length, "x", NULL), SOTTO_OK);
    assert_true(lists_equal(&list, &back));
    account_free(&back);
    for (size_t n = 0; n + 2 < json.length; n++) { /* cut short */
        sotto_error error = {0};
        assert_int_equal(account_from_json(&back, json.data, n, "x", &error),
                         SOTTO_USAGE);
        assert_null(strchr(error.message, '\n'));
        assert_true(error.message[0] != 0);
    }
    account_free(&list);
    text_free(&text);
    text_free(&json);
}

/* A delta for which no epsilon is proven has an infinite price in a list of
   deltas; alone it is an error. */
static void test_nothing_proven(void **state)
{
    (void)state;
    static const double deltas[2] = {1e-3, 1e-12};
    account_list list = {.draws = 1e13};
    account_event event = {ACCOUNT_GAUSS, 1, 0, 1, ACCOUNT_ADD_REMOVE};
    account_price price[2];
    sotto_error error;
    assert_int_equal(account_add(&list, event, NULL), SOTTO_OK);
    assert_int_equal(account_epsilons(&list, deltas, 2, price, &error),
                     SOTTO_OK);
    assert_true(price[0].epsilon > 1 && price[0].epsilon < 10);
    assert_true(isinf(price[1].epsilon));
    assert_int_equal(account_epsilon(&list, 1e-12, price, &error), SOTTO_USAGE);
    assert_non_null(strstr(error.message, "no epsilon can be proven"));
    account_free(&list);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "",
        "GAUSS",
        "GAUSS()",
        "GAUSS(1",
        "GAUSS(nan)",
        "GAUSS(-1)",
        "GAUSS(1)*-1",
        "GAUSS(1)*1.5",
        "GAUSS(1) 2",
        "GAUS(1)",
        "GAUSS(1)*1e13",
        "SUBSAMPLED_GAUSS(.1)",
        "GAUSS(T)",
        "GAUSS(1e999)",
        "SUBSAMPLED_GAUSS(1.1, 1)",
        "RANGE(1/0)",
        "GAUSS(0/0)",
        "SUBSAMPLED_GAUSS(.1, 0)",
        "GAUSS(1)@x",
        "2*(3*(GAUSS(1)+PURE(1))+PURE(1))",
        "GAUSS(z)",
        "+GAUSS(1)",
        "((((GAUSS(1)))))))",
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        account_list list;
        sotto_error error = {0};
        sotto_status s = account_parse(&list, plans[i], NULL, NAN,
                                       ACCOUNT_ADD_REMOVE, &error);
        if (s != SOTTO_USAGE || !error.message[0] ||
            strchr(error.message, '\n'))
            fail_msg("'%s': %d %s", plans[i], (int)s, error.message);
    }
    account_list list = list_of("GAUSS(1)");
    account_price p;
    static const double bad[] = {NAN, -1, 1, 2, INFINITY};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(account_epsilon(&list, bad[i], &p, NULL), SOTTO_USAGE);
    assert_int_equal(account_delta(&list, NAN, &p, NULL), SOTTO_USAGE);
    assert_int_equal(account_delta(&list, -1, &p, NULL), SOTTO_USAGE);
    account_free(&list);
}

/* ---- calibration, filter, repeating, papers ---- */

static double calibrated(const char *plan, const char *settings, double epsilon,
                         double delta)
{
    sotto_calibration t = {plan, settings, "add-remove", 0, 0, epsilon, delta};
    sotto_events *events;
    sotto_price price;
    sotto_error error = {0};
    double z;
    if (sotto_events_calibrate(&events, &t, &z, &price, &error))
        fail_msg("%s: %s", plan, error.message);
    assert_true(price.delta <= delta);
    sotto_events_free(events);
    return z;
}

/* A list of questions whose levels are divided has the same bits as the plan
   whose text says the divided levels. */
static void test_calibrate_questions(void **state)
{
    (void)state;
    static const account_question questions[] = {
        {.kind = ACCOUNT_RANGE, .level = .3, .times = 7, .and_next = 1},
        {.kind = ACCOUNT_GAUSS, .level = .2, .times = 7},
        {.kind = ACCOUNT_SUBSAMPLED, .level = .7, .rate = .01, .times = 50},
        {.kind = ACCOUNT_LAPLACE, .level = .05, .times = 0},
        {.kind = ACCOUNT_LAPLACE, .level = .1, .times = 1},
        {.kind = ACCOUNT_GAUSS, .level = .4, .times = 10, .blocks = 4},
        {.kind = ACCOUNT_PURE, .level = .1, .times = 2},
        {.kind = ACCOUNT_ZCDP, .level = .02, .times = 1}};
    static const char *const plans[] = {"7*(RANGE(.3/z)+GAUSS(.2/z))",
                                        "+50*SUBSAMPLED_GAUSS(.01,z/.7)",
                                        "+0*LAPLACE(.05/z)",
                                        "+LAPLACE(.1/z)",
                                        "+3*GAUSS(.4/z)",
                                        "+2*PURE(.1/z)",
                                        "+ZCDP(.02/z/z)"};
    text_buffer plan = {0};
    account_target target = {ACCOUNT_ADD_REMOVE, 0, 0, 1, 1e-6};
    for (int64_t i = 0; i < 7; i++) {
        double z;
        text_put(&plan, plans[i]);
        assert_int_equal(
            account_multiplier(&z, questions, i + 2, &target, NULL), SOTTO_OK);
        assert_true(z == calibrated(plan.data, NULL, 1, 1e-6));
    }
    text_free(&plan);
}

static void test_calibrate(void **state)
{
    (void)state;
    /* table 2b, exact column, and mpmath */
    assert_above("2b", calibrated("GAUSS(1/z)", NULL, 1, 1e-6), 4.224679, 3e-5);
    assert_above("2b", calibrated("K*GAUSS(1/z)", "K=100", .1, 1e-6), 363.04,
                 1e-3);
    assert_above("2b", calibrated("GAUSS(1/z)", NULL, 4, 1e-6), 1.193518, 3e-5);
    assert_above("1e7", calibrated("GAUSS(1/z)*10000000", NULL, 1, 1e-15),
                 23676.00278, 2e-5);
    /* table 2c, from red-teamed digits */
    assert_above("2c",
                 calibrated("T*SUBSAMPLED_GAUSS(.01, z)", "T=1000", 1, 1e-6),
                 1.5562, 1e-2);
    /* moments say nothing at this epsilon; nearly Gaussian, mu = .1 / z */
    assert_above("small epsilon",
                 calibrated("T*SUBSAMPLED_GAUSS(.01, z)", "T=100", .001, 1e-9),
                 .1 * calibrated("GAUSS(1/z)", NULL, .001, 1e-9), 1e-3);
    assert_above("pure", calibrated("PURE(1/z)*2", NULL, 1, 1e-15), 2 - 1e-9,
                 1e-4);
    sotto_error error = {0};
    sotto_events *events;
    sotto_price price;
    double z;
    sotto_calibration bad[] = {
        {"GAUSS(1)", NULL, "add-remove", 0, 0, 1, 1e-6},
        {"GAUSS(1/z)", NULL, "add-remove", 0, 0, 0, 1e-6},
        {"GAUSS(1/z)", NULL, "add-remove", 0, 0, NAN, 1e-6},
        {"GAUSS(1/z)", NULL, "add-remove", 0, 0, 1, 1},
        {"GAUSS(1/z", NULL, "add-remove", 0, 0, 1, 1e-6},
        {"T*GAUSS(1/z)", "T=x", "add-remove", 0, 0, 1, 1e-6}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error.message[0] = 0;
        assert_int_equal(
            sotto_events_calibrate(&events, &bad[i], &z, &price, &error),
            SOTTO_USAGE);
        assert_true(error.message[0] != 0);
    }
}

/* rho-zCDP at delta: the least over a of
   a rho + (ln(1/(a delta)) + (a - 1) ln(1 - 1/a)) / (a - 1), on a grid. */
static double zcdp_epsilon(double rho, double delta)
{
    double best = INFINITY;
    for (double a = 1.0005; a < 1e4; a *= 1.0005)
        best = fmin(best, a * rho + log1p(-1 / a) - log(a * delta) / (a - 1));
    return fmax(0, best) * (1 - 1e-6); /* the grid's */
}

static void test_zcdp(void **state)
{
    (void)state;
    static const double rhos[] = {1e-4, .005, .02, .5, 3};
    static const char *const plans[] = {"ZCDP(.0001)", "ZCDP(.005)",
                                        "ZCDP(.02)", "ZCDP(.5)", "ZCDP(3)"};
    for (int i = 0; i < 5; i++)
        for (double delta = 1e-10; delta < 1e-2; delta *= 100)
            assert_above(plans[i], epsilon_of(plans[i], delta),
                         zcdp_epsilon(rhos[i], delta), 1e-4);
    /* with others: moments add up, and are those of a Gaussian */
    assert_above("sum", epsilon_of("ZCDP(.02)+GAUSS(.3)", 1e-6),
                 zcdp_epsilon(.065, 1e-6), 1e-4);
    assert_above("range", epsilon_of("ZCDP(.02)+5*RANGE(.2)", 1e-6),
                 zcdp_epsilon(.045, 1e-6), 1e-4);
    assert_true(epsilon_of("ZCDP(.02)", 1e-6) > epsilon_of("GAUSS(.2)", 1e-6));
    /* of two records: four times as much */
    account_list list = list_of("ZCDP(.02)@add-remove");
    account_price price;
    sotto_error error;
    list.adjacency = ACCOUNT_REPLACE_ONE;
    assert_int_equal(account_epsilon(&list, 1e-6, &price, &error), SOTTO_OK);
    assert_above("replaced", price.epsilon, zcdp_epsilon(.08, 1e-6), 1e-4);
    account_free(&list);
}

static void test_repeated(void **state)
{
    (void)state;
    /* base (1, 1e-6): mean, geometric, logarithmic */
    static const double printed[][3] = {
        {5, 1.82, 1.56}, {10, 2.00, 1.67}, {100, 2.49, 1.97}};
    account_list list = list_of("GAUSS(1/4.531)");
    for (int i = 0; i < 3; i++)
        for (int shape = 0; shape < 2; shape++) {
            double e;
            assert_int_equal(
                account_tuned(&list, shape, printed[i][0], 1e-6, &e, NULL),
                SOTTO_OK);
            if (fabs(e - printed[i][2 - shape]) > .0065)
                fail_msg("repeat %g, shape %d: %g", printed[i][0], shape, e);
        }
    double e;
    assert_int_equal(account_tuned(&list, 2, 5, 1e-6, &e, NULL), SOTTO_USAGE);
    assert_int_equal(account_tuned(&list, 1, .5, 1e-6, &e, NULL), SOTTO_USAGE);
    account_free(&list);
}

static void test_papers(void **state)
{
    (void)state;
    static const struct {
        int paper;
        double steps, rate, epsilon, value;
    } printed[] = {
        {0, 1, 0, .1, 64.379},      {0, 1000, 0, 1, 203.6},
        {1, 1, 0, .1, 52.66},       {1, 1, 0, 1, 5.350},
        {1, 1, 0, 4, 1.403},        {2, 100, 0, 1, 148.68},
        {2, 10, 0, .1, 470.16},     {3, 1, 0, 1, 7.71},
        {3, 100, 0, 4, 21.02},      {3, 1000, 0, .1, 2359.27},
        {4, 1000, .01, 1, 2.70},    {4, 100, .1, 4, 2.47},
        {4, 10000, .001, .1, 7.55},
    };
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        double z;
        assert_int_equal(
            account_paper_multiplier(printed[i].paper, printed[i].steps,
                                     printed[i].rate, printed[i].epsilon, 1e-6,
                                     &z, NULL),
            SOTTO_OK);
        if (fabs(z / printed[i].value - 1) > 2.5e-3)
            fail_msg("paper %d, T = %g: %g", printed[i].paper, printed[i].steps,
                     z);
    }
    double z;
    assert_int_equal(account_paper_multiplier(0, 1, 0, 4, 1e-6, &z, NULL),
                     SOTTO_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss),
        cmocka_unit_test(test_subsampled_anchors),
        cmocka_unit_test(test_range_anchors),
        cmocka_unit_test(test_pure_by_enumeration),
        cmocka_unit_test(test_sampled_exactly),
        cmocka_unit_test(test_adaptive_trees),
        cmocka_unit_test(test_two_selections),
        cmocka_unit_test(test_order_and_merging),
        cmocka_unit_test(test_adjacency),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_joined_in_any_order),
        cmocka_unit_test(test_joined_in_order),
        cmocka_unit_test(test_joined_draws),
        cmocka_unit_test(test_order_is_never_dearer),
        cmocka_unit_test(test_questions_read_back),
        cmocka_unit_test(test_no_blocks_in_turn),
        cmocka_unit_test(test_statements_are_priced_again),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_nothing_proven),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_calibrate),
        cmocka_unit_test(test_calibrate_questions),
        cmocka_unit_test(test_zcdp),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
