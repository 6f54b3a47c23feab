/*
 * An audit of the federation: all answers that one row takes part in, together.
 * In one data set the row's values are 0, in the other they are as large as
 * possible in every column and in the label; the server sends the vectors that
 * make the choices differ most. The statistic is the likelihood ratio of all
 * messages. The epsilon that it certifies must not exceed the claim, and must
 * come near it.
 *
 * Limits are 5 standard deviations: a false alarm in a million.
 */
#include "parties.h"

enum { PARTIES = 4, MOST_BUCKETS = 64 };

/* Four parties with a column and a cap of 1 each. */
static federation four(int64_t rows, int64_t buckets, int64_t rounds,
                       const char *labels, double epsilon, double delta)
{
    text_buffer t = {0};
    sotto_error error;
    int known = !strcmp(labels, "known");
    text_format(&t,
                "{\"sotto_parties\": 1, \"target\": {\"name\": \"t\", "
                "\"bounds\": [-1, 1]%s}, \"labels\": \"%s\", \"rounds\": %lld, "
                "\"buckets\": %lld, \"schedule\": \"permuted\", \"parties\": [",
                known ? "" : ", \"party\": \"p0\"", labels, (long long)rounds,
                (long long)buckets);
    for (int k = 0; k < PARTIES; k++)
        text_format(&t,
                    "%s{\"name\": \"p%d\", \"radius\": 1, \"cap\": 1, "
                    "\"columns\": {\"x%d\": {\"type\": \"number\", \"bounds\": "
                    "[-1, 1]}}}",
                    k ? ", " : "", k, k);
    text_put(&t, "]}");
    federation f = agreed(t.data, rows, epsilon, 1);
    f.delta = delta;
    must(federation_settle(&f, &error), &error);
    text_free(&t);
    return f;
}

/* ---- one person's part in all parties ---- */

/* All rows are 0 but the first, which is 1 everywhere or 0 like the others. */
static curator *holder(const federation *f, int k, int there, uint64_t seed)
{
    curator *c;
    sotto_error error;
    text_buffer t = {0};
    text_put(&t, "x0,x1,x2,x3,t\n");
    for (int64_t i = 0; i < f->rows; i++)
        text_put(&t, i == 0 && there ? "1,1,1,1,1\n" : "0,0,0,0,0\n");
    sotto_table *table = read_text(
        "d.csv", t.data,
        SETTINGS({"epsilon", "1"}, {"schema-text", f->party[k].schema}));
    curator_policy policy = federation_policy(f, k);
    ask_plan plan = federation_plan(f, k);
    policy.seed = seed;
    for (int i = 0; i < plan.items; i++)
        plan.item[i].count *= 2000000; /* this many runs at most */
    must(curator_open(&c, &table, &policy, &plan, &error), &error);
    text_free(&t);
    return c;
}

/* A sketch's likelihood ratio, for a row that adds 1 to its bucket. */
static double ratio_of_sketch(const int64_t *sketch, const ask_place *p,
                              double mu)
{
    double z = p->sign * (double)sketch[p->bucket] / ASK_UNIT; /* in 1 / mu */
    return mu * mu * (z - .5);
}

/* Where the label, 1, is subtracted, a vector that goes against it moves the
   choices most. */
static double direction(const federation *f)
{
    return f->labels_known ? -1 : 1;
}

/* The likelihood ratio of all that party k says in one run. */
static double run_party(curator *c, const federation *f, int k, const double *u)
{
    static const int64_t only_one[] = {0};
    int64_t sketch[MOST_BUCKETS], column;
    int sign;
    sotto_error error;
    ask_place p = ask_place_of(f->seed, 0, f->buckets);
    ask_along at = {u, .5, only_one, 1};
    double sum = 0, eta = f->range * direction(f);
    if (!f->labels_known && k == f->label_party) {
        must(curator_ask_labels(c, sketch, &error), &error);
        sum += ratio_of_sketch(sketch, &p, f->mu_labels);
    }
    must(curator_ask_sketch(c, 0, sketch, &error), &error);
    sum += ratio_of_sketch(sketch, &p, f->mu_sketch);
    for (int64_t t = 0; t < f->party[k].turns; t++) {
        must(curator_ask_along(c, &at, &column, &sign, &error), &error);
        sum += log(2 / (1 + exp(-sign * eta)));
    }
    return sum;
}

/* How often the ratio is above (or below) a limit, of so many runs. */
static void count(const federation *f, int only, int there, int runs,
                  double limit, double *above, double *below)
{
    curator *c[PARTIES];
    double u[MOST_BUCKETS] = {0};
    ask_place p = ask_place_of(f->seed, 0, f->buckets);
    u[p.bucket] = direction(f) * p.sign;
    for (int k = 0; k < PARTIES; k++)
        c[k] = holder(f, k, there, (uint64_t)(10 * there + 3));
    *above = *below = 0;
    for (int i = 0; i < runs; i++) {
        double sum = 0;
        for (int k = 0; k < PARTIES; k++)
            if (only < 0 || only == k)
                sum += run_party(c[k], f, k, u);
        *above += sum > limit;
        *below += sum < -limit;
    }
    for (int k = 0; k < PARTIES; k++)
        curator_close(c[k]);
}

/* epsilon that two counts certify at delta. */
static double certified(double often, double seldom, double runs, double delta)
{
    double low = often - 5 * sqrt(often) - delta * runs;
    double high = seldom + 5 * sqrt(seldom) + 25;
    return low > 0 ? log(low / high) : 0;
}

/* Both ways: the row is there, or it is not. */
static double audit(const federation *f, int only, int runs, double limit)
{
    double above[2], below[2];
    for (int there = 0; there < 2; there++)
        count(f, only, there, runs, limit, &above[there], &below[there]);
    return fmax(certified(above[1], above[0], runs, f->delta),
                certified(below[0], below[1], runs, f->delta));
}

static double claimed(account_list *list, double delta)
{
    account_price price;
    sotto_error error;
    must(account_epsilon(list, delta, &price, &error), &error);
    account_free(list);
    return price.epsilon;
}

/* A whole row: 8 choices, 4 sketches and the labels'. */
static void test_whole_row(void **state)
{
    (void)state;
    const char *const labels[] = {"private", "known"};
    for (int i = 0; i < 2; i++) {
        federation f = four(3, 2, 8, labels[i], 2, .05);
        account_list list;
        sotto_error error;
        must(row_events(&list, &f, &error), &error);
        double claim = claimed(&list, f.delta);
        double seen = audit(&f, -1, 400000, claim);
        print_message("a whole row, labels %s: claimed %.3f, certified %.3f\n",
                      labels[i], claim, seen);
        assert_true(claim <= 2);
        assert_true(seen <= claim);
        assert_true(seen >= .9 * claim);
        federation_free(&f);
    }
}

/* What one party shows of its own part: with the labels, and without. */
static void test_slices(void **state)
{
    (void)state;
    federation f = four(3, 2, 8, "private", 4, .01);
    for (int k = 0; k < 2; k++) {
        account_list list;
        sotto_error error;
        must(part_events(&list, &f, k, &error), &error);
        double claim = claimed(&list, f.delta);
        double seen = audit(&f, k, 1000000, claim);
        print_message("the part of party %d: claimed %.3f, certified %.3f\n", k,
                      claim, seen);
        assert_true(seen <= claim);
        assert_true(seen >= (k ? .8 : .9) * claim);
    }
    federation_free(&f);
}

/* Many rows and buckets, few runs: noise that shrinks with the number of
   rows, as the paper's does, is found at once. */
static void test_many_rows(void **state)
{
    (void)state;
    federation f = four(2000, 40, 8, "private", 2, .01);
    double seen = audit(&f, -1, 4000, 2);
    print_message("2000 rows: claimed 2, certified %.3f\n", seen);
    assert_true(seen <= 2);
    federation_free(&f);
}

/* ---- one choice, where its range shows ---- */

/* Three rows, or two, point along the vector: how often the negative of the
   column is chosen nevertheless. */
static double against(const federation *f, int rows_along, double eta, int runs)
{
    static const int64_t only_one[] = {0};
    curator *c;
    sotto_error error;
    text_buffer t = {0};
    double u[2] = {0}, hits = 0;
    curator_policy policy = federation_policy(f, 1);
    ask_plan plan = {.item = {{.kind = ASK_ALONG,
                               .count = runs,
                               .level = eta,
                               .noise = ASK_GUMBEL}},
                     .items = 1,
                     .any_order = 1};
    text_put(&t, "x1\n");
    for (int i = 0; i < 3; i++) {
        ask_place p = ask_place_of(f->seed, i, 2);
        u[p.bucket] = 1; /* x has the sign that its row has there */
        text_format(&t, "%d\n", i < rows_along ? p.sign : 0);
    }
    policy.seed = (uint64_t)rows_along;
    sotto_table *table = read_text(
        "d.csv", t.data,
        SETTINGS({"epsilon", "1"}, {"schema-text", f->party[1].schema}));
    must(curator_open(&c, &table, &policy, &plan, &error), &error);
    ask_along at = {u, .001, only_one, 1};
    for (int i = 0; i < runs; i++) {
        int64_t column;
        int sign;
        must(curator_ask_along(c, &at, &column, &sign, &error), &error);
        hits += sign < 0;
    }
    curator_close(c);
    text_free(&t);
    return hits;
}

static void test_range(void **state)
{
    (void)state;
    enum { RUNS = 1000000 };
    federation f = four(3, 2, 8, "private", 2, .01);
    double eta = 1.6;
    double often = against(&f, 2, eta, RUNS),
           seldom = against(&f, 3, eta, RUNS);
    double seen = certified(often, seldom, RUNS, 0);
    print_message("one choice: claimed %.3f, certified %.3f\n", eta, seen);
    assert_true(seen <= eta);
    assert_true(seen >= .9 * eta);
    federation_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_row),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
