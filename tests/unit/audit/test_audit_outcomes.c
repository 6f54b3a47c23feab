/*
 * Audits of the questions of a private evaluation: the worst pair of
 * neighbours is told apart as well as it can be, as in test_audit.c, and a
 * lower bound of mu is certified from the errors made. It must not exceed what
 * is claimed, and must come close to it.
 *
 * The pair is no record against a person with all rows that count, in one
 * cell; or, for replaced ones, in another cell. The best test is a threshold
 * on the answer along the difference. Upper limits of 4.5 sigma: a false alarm
 * is below 1e-5. Seeds are fixed.
 */
#include "normal.h"
#include "plans.h"
#include "reading.h"

#include "curator.h"

enum { RUNS = 200000 };

static double upper_limit(int64_t hits)
{
    double p = ((double)hits + 1) / (RUNS + 2.);
    return p + 4.5 * sqrt(p * (1 - p) / RUNS);
}

/* Who is there, with K rows, and what is asked. */
typedef struct neighbours {
    account_adjacency adjacency;
    int64_t rows_per_person;
    ask_kind kind;
    double from, to; /* the person's value; NaN: nobody is there */
} neighbours;

static curator *open_one(const neighbours *n, double value, uint64_t seed,
                         double mu)
{
    char text[256] = "a,t\n";
    for (int64_t i = 0; i < n->rows_per_person && !isnan(value); i++)
        snprintf(text + strlen(text), 32, "%g,0\n", value);
    sotto_table *t =
        read_text("d.csv", text, SETTINGS({"target", "t"}, {"epsilon", "1"}));
    curator_policy policy = {.adjacency = n->adjacency,
                             .rows_per_person = n->rows_per_person,
                             .rows = 1,
                             .loss = {LOSS_SQUARED, 0},
                             .weight_bound = 1,
                             .insecure = 1,
                             .seed = seed};
    ask_item item = some(n->kind, RUNS, mu);
    item.block = 2;
    ask_plan plan = plan_one(item);
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, &policy, &plan, &error))
        fail_msg("%s", error.message);
    return c;
}

/* Two cells, below 0 and above it; or a value and itself again. */
static void ask(curator *c, const neighbours *n, double out[2])
{
    static const double zero = 0;
    static const ask_value one = {.term = {{.times = 1}}, .terms = 1};
    const ask_value both[] = {one, one};
    ask_cells cells = {.edge = &zero, .edges = 1, .groups = 1};
    double sd;
    sotto_error error;
    assert_int_equal(n->kind == ASK_OUTCOMES
                         ? curator_ask_outcomes(c, &cells, out, &sd, &error)
                         : curator_ask_errors(c, both, 2, out, &sd, &error),
                     SOTTO_OK);
}

/* Where the answer is without noise. */
static void centre_of(const neighbours *n, double value, double out[2])
{
    double k = isnan(value) ? 0 : (double)n->rows_per_person;
    out[0] = n->kind == ASK_OUTCOMES ? k * (value <= 0) : k > 0 ? k * value : 0;
    out[1] = n->kind == ASK_OUTCOMES ? k * (value > 0) : out[0];
}

static double certified(const neighbours *n, double mu)
{
    double a[2], b[2], answer[2];
    int64_t errors[2] = {0};
    centre_of(n, n->from, a);
    centre_of(n, n->to, b);
    for (int there = 0; there < 2; there++) {
        curator *c =
            open_one(n, there ? n->to : n->from, (uint64_t)there + 1, mu);
        for (int i = 0; i < RUNS; i++) {
            ask(c, n, answer);
            double along = 0;
            for (int k = 0; k < 2; k++)
                along += (answer[k] - (a[k] + b[k]) / 2) * (b[k] - a[k]);
            errors[there] += there ? along <= 0 : along > 0;
        }
        curator_close(c);
    }
    return normal_quantile(1 - upper_limit(errors[0])) -
           normal_quantile(upper_limit(errors[1]));
}

static void test_outcomes(void **state)
{
    (void)state;
    static const neighbours all[] = {
        {ACCOUNT_ADD_REMOVE, 1, ASK_OUTCOMES, NAN, 1},
        {ACCOUNT_ADD_REMOVE, 7, ASK_OUTCOMES, NAN, 1},
        {ACCOUNT_REPLACE_ONE, 1, ASK_OUTCOMES, -1, 1},
        {ACCOUNT_REPLACE_ONE, 3, ASK_OUTCOMES, -1, 1},
        {ACCOUNT_ADD_REMOVE, 1, ASK_ERRORS, NAN, 5},
        {ACCOUNT_ADD_REMOVE, 4, ASK_ERRORS, NAN, -5},
        {ACCOUNT_REPLACE_ONE, 2, ASK_ERRORS, -5, 5},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double seen = certified(&all[i], 1);
        print_message("case %d: claimed mu 1, certified %.3f\n", (int)i, seen);
        assert_true(seen <= 1 && seen >= .9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outcomes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
