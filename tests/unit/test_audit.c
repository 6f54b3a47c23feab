/*
 * Audits: the worst pair of neighbours is told apart as well as it can be,
 * and a lower bound of the privacy loss is certified from the errors made.
 * It must not exceed what is claimed (then the claim is false), and must
 * come close to it (else the audit could not see a fault).
 *
 * The pair is no record against one whose every partial derivative is
 * clipped; the best test is a threshold on the sum of the answers. With
 * error rates a and b, mu >= Q(1 - a) - Q(b), Q the normal quantile; for a
 * and b upper limits of 4.5 sigma are taken (false alarm: below 1e-5). Seeds
 * are fixed, so a run is the same every time.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "solver.h"

/* ---- normal distribution ---- */

static double normal_below(double x)
{
    return .5 * erfc(-x / sqrt(2));
}

static double normal_quantile(double p)
{
    double low = -20, high = 20;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (normal_below(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* An upper limit of a rate that was seen `hits` times in `runs`. */
static double upper_limit(int64_t hits, int64_t runs)
{
    double p = ((double)hits + 1) / ((double)runs + 2);
    return p + 4.5 * sqrt(p * (1 - p) / (double)runs);
}

/* What the errors of the threshold test certify. */
static double certified(int64_t false_alarms, int64_t missed, int64_t runs)
{
    return normal_quantile(1 - upper_limit(false_alarms, runs)) -
           normal_quantile(upper_limit(missed, runs));
}

/* ---- the worst pair ---- */

static curator *open_pair(int there, const curator_policy *policy,
                          const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    /* a target of -1e9: the residual at any iterate is far above the clip */
    sotto_table *t = read_text("d.csv", there ? "a,b,t\n1,1,-1e9\n" : "a,b,t\n",
                               SETTINGS({"target", "t"}, {"epsilon", "1"}));
    if (curator_open(&c, &t, policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

static curator_policy policy_of(account_adjacency adjacency, uint64_t seed)
{
    return (curator_policy){.adjacency = adjacency,
                            .rows_per_person = 1,
                            .rows = 1,
                            .loss = {LOSS_SQUARED, 0},
                            .weight_bound = 1,
                            .insecure = 1,
                            .seed = seed};
}

/* ---- one release ---- */

static double audit_release(account_adjacency adjacency, double mu,
                            double clip_told)
{
    enum { RUNS = 400000 };
    int64_t above[2] = {0, 0};
    double clip[2] = {clip_told, clip_told}, answer;
    sotto_error error;
    for (int there = 0; there < 2; there++) {
        curator_policy policy = policy_of(adjacency, (uint64_t)there + 1);
        ask_plan plan = plan_one(some(ASK_PARTIAL, RUNS, mu));
        curator *c = open_pair(there, &policy, &plan);
        assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
        for (int i = 0; i < RUNS; i++) {
            assert_int_equal(curator_ask_partial(c, i % 2, &answer, &error),
                             SOTTO_OK);
            above[there] += answer > clip_told / 2;
        }
        curator_close(c);
    }
    return certified(above[0], RUNS - above[1], RUNS);
}

static void test_release(void **state)
{
    (void)state;
    static const double mus[] = {.5, 1, 2};
    for (int i = 0; i < 3; i++) {
        double seen = audit_release(ACCOUNT_ADD_REMOVE, mus[i], .125);
        print_message("release: claimed mu %.3f, certified %.3f\n", mus[i],
                      seen);
        assert_true(seen <= mus[i]);
        assert_true(seen >= .9 * mus[i]);
    }
    /* replaced by its opposite the record would move twice as far: against
       nothing it must show half */
    double half = audit_release(ACCOUNT_REPLACE_ONE, 2, .125);
    assert_true(half <= 1 && half >= .9);
}

/* ---- DP-CD from end to end ---- */

/* The sum of all answers of one run of the solver: the likelihood ratio of
   the worst pair is a function of it. The solver's own iterates carry it:
   with steps of 1 and no penalty each answer is a move. */
static double run_transcript(int there, uint64_t seed, int64_t steps, double mu)
{
    curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE, seed);
    ask_plan plan = plan_one(some(ASK_PARTIAL, steps, mu));
    curator *c = open_pair(there, &policy, &plan);
    double smooth[2] = {1, 1}, weight[2];
    solver_problem p = {.loss = {LOSS_SQUARED, 0},
                        .low = -INFINITY,
                        .high = INFINITY,
                        .features = 2};
    cd_settings s = {.rounds = 1,
                     .steps = steps,
                     .step_size = 1,
                     .clip = sqrt(2),
                     .order = CD_CYCLIC,
                     .smoothness = smooth};
    solver_answer answer = {.weight = weight};
    sotto_error error;
    if (cd_run(&answer, c, &p, &s, NULL, NULL, &error))
        fail_msg("%s", error.message);
    curator_close(c);
    return -(weight[0] + weight[1]);
}

static void test_cd(void **state)
{
    (void)state;
    enum { RUNS = 25000, STEPS = 16 };
    int64_t above[2] = {0, 0};
    double mu = .375, claimed = mu * sqrt(STEPS);
    for (int there = 0; there < 2; there++)
        for (uint64_t i = 0; i < RUNS; i++) {
            uint64_t seed = 2 * i + (uint64_t)there;
            above[there] += run_transcript(there, seed, STEPS, mu) > STEPS / 2.;
        }
    double seen = certified(above[0], RUNS - above[1], RUNS);
    print_message("DP-CD: claimed mu %.3f, certified %.3f\n", claimed, seen);
    assert_true(seen <= claimed);
    assert_true(seen >= .9 * claimed);
}

/* ---- DP-SCD ---- */

/*
 * Nobody against one record on a direction of its own, whose dual variable
 * is clipped in every step. What a run of T steps shows best is the product
 * of its likelihood ratios, and the best event for epsilon is that it is
 * above e^epsilon, or for the other direction below e^-epsilon; there the
 * pair attains the price: P(S) - e^epsilon Q(S) = delta. So epsilon is
 * certified to be at least ln((P(S) - delta) / Q(S)), with limits of P and Q
 * as above.
 */
typedef struct scd_audit {
    double rate, sigma; /* in clips */
    int64_t steps;
} scd_audit;

enum { SCD_RUNS = 300000 };

/* The logarithms of the products, of many runs after each other: the record
   stays clipped, so every run is as the first. */
static void scd_scores(const scd_audit *a, int there, double *out)
{
    curator_policy policy = policy_of(ACCOUNT_ADD_REMOVE, 40 + (uint64_t)there);
    ask_plan plan = plan_one((ask_item){.kind = ASK_DUAL,
                                        .count = SCD_RUNS * a->steps,
                                        .level = 1 / a->sigma,
                                        .noise = ASK_SAMPLED,
                                        .rate = a->rate});
    sotto_table *t = read_text("d.csv", there ? "a,t\n1,1e15\n" : "a,t\n",
                               SETTINGS({"target", "t"}, {"epsilon", "1"}));
    double weight = 0, unit, q = a->rate, variance = a->sigma * a->sigma;
    ask_dual at = {.weight = &weight, .l2 = 1, .at_once = q, .clip = 1};
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, &policy, &plan, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < SCD_RUNS; i++) {
        out[i] = 0;
        for (int64_t k = 0; k < a->steps; k++) {
            int64_t move;
            if (curator_ask_dual(c, &at, &move, &unit, &error))
                fail_msg("%s", error.message);
            double y = (double)move * unit;
            out[i] += log1p(q * expm1((2 * y - 1) / (2 * variance)));
        }
    }
    curator_close(c);
}

/* ln((P(S) - delta) / Q(S)), from hits. */
static double certified_epsilon(int64_t p, int64_t q, double delta)
{
    double low = 1 - upper_limit(SCD_RUNS - p, SCD_RUNS);
    return low > delta ? log((low - delta) / upper_limit(q, SCD_RUNS)) : 0;
}

/* What the accountant says of the same plan. */
static double scd_claim(const scd_audit *a, double delta)
{
    ask_plan plan = plan_one((ask_item){.kind = ASK_DUAL,
                                        .count = a->steps,
                                        .level = 1 / a->sigma,
                                        .noise = ASK_SAMPLED,
                                        .rate = a->rate});
    account_list events;
    account_price price;
    sotto_error error;
    if (curator_events(&events, &plan, ACCOUNT_ADD_REMOVE, 1, &error) ||
        account_epsilon(&events, delta, &price, &error))
        fail_msg("%s", error.message);
    account_free(&events);
    return price.epsilon;
}

static void test_scd(void **state)
{
    (void)state;
    static double score[2][SCD_RUNS];
    static const struct {
        scd_audit audit;
        double delta;
    } cases[] = {{{.25, .7, 4}, .02}, {{.1, .5, 8}, .05}, {{.5, 1, 6}, .05}};
    for (int n = 0; n < 3; n++) {
        const scd_audit *a = &cases[n].audit;
        double delta = cases[n].delta, claimed = scd_claim(a, delta);
        int64_t above[2] = {0, 0}, below[2] = {0, 0};
        for (int there = 0; there < 2; there++) {
            scd_scores(a, there, score[there]);
            for (int i = 0; i < SCD_RUNS; i++) {
                above[there] += score[there][i] > claimed;
                below[there] += score[there][i] < -claimed;
            }
        }
        double seen = fmax(certified_epsilon(above[1], above[0], delta),
                           certified_epsilon(below[0], below[1], delta));
        print_message("DP-SCD (q %g, sigma %g, T %d, delta %g): claimed "
                      "epsilon %.3f, certified %.3f\n",
                      a->rate, a->sigma, (int)a->steps, delta, claimed, seen);
        assert_true(seen <= claimed);
        assert_true(seen >= .9 * claimed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_cd),
        cmocka_unit_test(test_scd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
