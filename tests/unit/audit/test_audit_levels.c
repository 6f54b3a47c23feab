/*
 * An audit of levels that are asked for (Lemma C27). How often a level that one
 * person alone has is shown must not be above what is charged, and must come
 * close to it; and a person among others must not be told apart better than by
 * the charged mu. Confidence limits are of 4.5 sigma (false alarm: below 1e-5);
 * seeds are fixed.
 */
#include "normal.h"
#include "plans.h"
#include "reading.h"

#include "curator.h"

#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"columns\": {"                                     \
    "\"who\": {\"type\": \"unit\"}, "                                          \
    "\"c\": {\"type\": \"category\", \"levels\": \"private\"}, "               \
    "\"d\": {\"type\": \"category\", \"levels\": \"private\"}, "               \
    "\"y\": {\"type\": \"target\"}}}"

enum { RUNS = 20000 };

static const setting *settings(void)
{
    static const setting all[] = {{"schema-text", SCHEMA},
                                  {"loss", "squared"},
                                  {"epsilon", "1"},
                                  {NULL, NULL}};
    return all;
}

/* In how many of RUNS runs anything is shown of these rows. */
static int64_t count_shown(const char *rows, account_adjacency adjacency,
                           int64_t most, double mu, double p)
{
    int64_t count = 0;
    sotto_error error;
    const level_list *list;
    for (uint64_t i = 0; i < RUNS; i++) {
        curator *c;
        curator_policy policy = {.adjacency = adjacency,
                                 .rows_per_person = most,
                                 .has_people = 1,
                                 .rows = 1,
                                 .loss = {LOSS_SQUARED, 0},
                                 .level_columns = 2,
                                 .weight_bound = 1,
                                 .insecure = 1,
                                 .seed = i};
        ask_plan plan = plan_one((ask_item){.kind = ASK_LEVELS,
                                            .count = 1,
                                            .noise = ASK_SHOWN,
                                            .level = mu,
                                            .shown = p,
                                            .block = 2 * most});
        sotto_table *t = read_text("a.csv", rows, settings());
        if (curator_open(&c, &t, &policy, &plan, &error) ||
            curator_ask_levels(c, &list, &error))
            fail_msg("%s", error.message);
        count += list[0].levels + list[1].levels > 0;
        curator_close(c);
    }
    return count;
}

static void test_alone(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "who,c,d,y\n1,a,u,0\n",
        "who,c,d,y\n1,a,u,0\n1,b,v,0\n1,c,w,0\n1,d,x,0\n"};
    double p = .08;
    for (int i = 0; i < 2; i++) {
        double rate = (double)count_shown(rows[i], ACCOUNT_ADD_REMOVE,
                                          i ? 4 : 1, 1.5, p) /
                      RUNS;
        double sd = sqrt(p * (1 - p) / RUNS);
        print_message("alone: charged p %.4f, seen %.4f\n", p, rate);
        assert_true(rate <= p + 4.5 * sd);
        assert_true(rate >= .85 * p - 4.5 * sd);
    }
}

static double upper_limit(int64_t hits)
{
    double p = ((double)hits + 1) / (RUNS + 2.);
    return p + 4.5 * sqrt(p * (1 - p) / RUNS);
}

/* Three people have the level; the fourth is there or not. What is seen of it
   is one column of two: mu / sqrt(2) of the charged mu. */
static void test_among_others(void **state)
{
    (void)state;
    double mu = 1.2;
    char rows[2][400] = {"who,c,d,y\n", "who,c,d,y\n"};
    for (int there = 0; there < 2; there++)
        for (int i = 0; i < 3 + there; i++)
            sprintf(rows[there] + strlen(rows[there]), "%d,a,u%d,0\n", i, i);
    int64_t without = count_shown(rows[0], ACCOUNT_ADD_REMOVE, 1, mu, 1e-3);
    int64_t with = count_shown(rows[1], ACCOUNT_ADD_REMOVE, 1, mu, 1e-3);
    double seen = normal_quantile(1 - upper_limit(without)) -
                  normal_quantile(upper_limit(RUNS - with));
    print_message("among others: charged mu %.3f, certified %.3f\n", mu, seen);
    assert_true(seen <= mu / sqrt(2));
    assert_true(seen >= .8 * mu / sqrt(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_among_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
