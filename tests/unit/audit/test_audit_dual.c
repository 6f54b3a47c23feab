/*
 * DP-SCD, audited: the worst pair of neighbours is told apart as well as it
 * can be, and a lower bound of epsilon is certified from the errors made. It
 * must not exceed what is claimed, and must come close to it. Limits are of
 * 4.5 sigma (false alarm: below 1e-5); seeds are fixed, so a run is the same
 * every time.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "solver/scd.h"

/* An upper confidence limit of the rate of an event that occurred `hits`
   times in `runs`. */
static double upper_limit(int64_t hits, int64_t runs)
{
    double p = ((double)hits + 1) / ((double)runs + 2);
    return p + 4.5 * sqrt(p * (1 - p) / (double)runs);
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
        cmocka_unit_test(test_scd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
