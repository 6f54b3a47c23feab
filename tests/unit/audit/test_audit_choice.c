/*
 * Choices, audited: pairs of data sets that differ in one record, and how
 * often coordinate 0 is chosen (of vertices: down along it). What that
 * certifies must not be above what is claimed, and must come near it: on these
 * pairs the claim is tight.
 *
 * Limits are 5 standard deviations: a false alarm in a million.
 */
#include "normal.h"
#include "plans.h"
#include "reading.h"

#include "curator.h"

enum { RUNS = 1000000 };

/* ---- data whose sums are known ---- */

/* A row: one value for coordinate 0, one for each of its rivals. A target of
   -1e9 makes every part as large as its clip lets it be. */
static void put_row(text_buffer *t, int rivals, double first, double others)
{
    text_format(t, "%g", first);
    for (int j = 0; j < rivals; j++)
        text_format(t, ",%g", others);
    text_put(t, ",-1e9\n");
}

typedef struct pair {
    int rivals;
    int first, others; /* how many rows have only one or the other */
    double scale;      /* of the rivals' values */
    double l1;         /* in clips of one record */
    ask_rule rule;
    ask_noise noise;
    double level; /* claimed */
    int vertex;   /* which way, too; 2: of coordinate 0 and no other */
} pair;

/* One record moves coordinate 0 up and all its rivals down, or the other way
   round. */
static sotto_table *data_of(const pair *p, int up)
{
    text_buffer t = {0};
    for (int j = 0; j <= p->rivals; j++)
        text_format(&t, "x%d,", j);
    text_put(&t, "t\n");
    for (int i = 0; i < abs(p->first); i++)
        put_row(&t, p->rivals, p->first > 0 ? 1 : -1, 0);
    for (int i = 0; i < p->others; i++)
        put_row(&t, p->rivals, 0, p->scale);
    put_row(&t, p->rivals, up ? 1 : -1, up ? -p->scale : p->scale);
    sotto_table *table =
        read_text("d.csv", t.data, SETTINGS({"target", "t"}, {"epsilon", "1"}));
    text_free(&t);
    return table;
}

/* ---- runs ---- */

/* Whether it is coordinate 0, and if it matters down along it. */
static int is_hit(curator *c, const pair *p)
{
    static const int64_t first = 0;
    int64_t j;
    int sign = -1;
    sotto_error error;
    sotto_status status =
        p->vertex ? curator_ask_vertex(c, p->vertex == 2 ? &first : NULL, 1, &j,
                                       &sign, &error)
                  : curator_ask_choice(c, &j, &error);
    assert_int_equal(status, SOTTO_OK);
    return j == 0 && sign < 0;
}

/* Choices that are booked as Gaussians are told out of a budget of such. */
static void open_with(curator **c, sotto_table *t, const curator_policy *policy,
                      const ask_plan *plan)
{
    sotto_error error;
    ask_item later = some(ASK_LATER, 1, 0);
    later.level = sqrt(RUNS) * plan->item[0].level * (1 + 1e-9);
    later.block = RUNS;
    ask_plan budget = plan_one(later);
    int told = plan->item[0].noise == ASK_RANGE;
    if (curator_open(c, &t, policy, told ? &budget : plan, &error) ||
        (told && curator_tell_plan(*c, plan, &error)))
        fail_msg("%s", error.message);
}

static double chosen(const pair *p, int up)
{
    curator_policy policy = {.adjacency = ACCOUNT_REPLACE_ONE,
                             .rows_per_person = 1,
                             .rows = 1,
                             .loss = {LOSS_SQUARED, 0},
                             .weight_bound = 1,
                             .insecure = 1,
                             .seed = (uint64_t)up + 1};
    ask_item choice = some(p->vertex ? ASK_VERTEX : ASK_CHOICE, RUNS, p->level);
    choice.noise = p->noise;
    ask_plan plan = plan_one(choice);
    double clip[32], hits = 0;
    for (int j = 0; j <= p->rivals; j++)
        clip[j] = j ? p->scale : 1; /* C_j / sqrt(M_j) is the same */
    ask_scores scores = {.rule = p->rule,
                         .clip = clip,
                         .smoothness = clip,
                         .l1 = p->l1,
                         .low = -INFINITY,
                         .high = INFINITY};
    curator *c;
    sotto_error error;
    open_with(&c, data_of(p, up), &policy, &plan);
    if (curator_tell_scores(c, &scores, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < RUNS; i++)
        hits += is_hit(c, p);
    curator_close(c);
    return hits;
}

/* ln(P / Q), certified: P at least, Q at most. */
static double certified(const pair *p)
{
    double often = chosen(p, 1), seldom = chosen(p, 0);
    double low = often - 5 * sqrt(often);
    double high = seldom + 5 * sqrt(seldom) + 25;
    return log(low / high);
}

static void check_near(const char *what, pair p, double share)
{
    double seen = certified(&p);
    print_message("%s: claimed %.3f, certified %.3f\n", what, p.level, seen);
    assert_true(seen <= p.level);
    assert_true(seen >= share * p.level);
}

static void check(const char *what, pair p)
{
    check_near(what, p, .9);
}

/* A level of 2 is half a nat for each clip: the record moves the difference
   of two scores by 4 clips, which is 2 nats. */

/* Two coordinates: half the noise would show a range of 4. */
static void test_two(void **state)
{
    (void)state;
    check("exponential mechanism, two",
          (pair){1, 20, 28, 1, 0, ASK_UNTRUNCATED, ASK_GUMBEL, 2, 0});
    check("permute-and-flip, two",
          (pair){1, 20, 28, 1, 0, ASK_UNTRUNCATED, ASK_FLIP, 2, 0});
}

/* Laplace noise of the paper's size: what it takes for epsilon' costs twice
   that, which is what is claimed here. */
static void test_noisy(void **state)
{
    (void)state;
    /* its ratio comes near the claim only in the far tails: here 1.71 */
    check_near("Laplace noise, two",
               (pair){1, 20, 30, 1, 0, ASK_UNTRUNCATED, ASK_NOISY, 2, 0}, .75);
}

/* Rivals whose values are 30 times as large: scores count in clips, so that
   they are rivals like any. */
static void test_scales(void **state)
{
    (void)state;
    check("nine rivals of scale 30",
          (pair){9, 20, 25, 30, 0, ASK_UNTRUNCATED, ASK_GUMBEL, 2, 0});
    check("nine rivals of scale 30, permute-and-flip",
          (pair){9, 20, 25, 30, 0, ASK_UNTRUNCATED, ASK_FLIP, 2, 0});
}

/* At the kink of the L1 penalty: with noise inside the rule, coordinates
   below it would tie, and one that is above would win for certain. */
static void test_kink(void **state)
{
    (void)state;
    check("at the kink, untruncated",
          (pair){5, 20, 26, 1, 23, ASK_UNTRUNCATED, ASK_GUMBEL, 2, 0});
    /* truncated scores: 0 and the rivals trade places around it */
    check("at the kink, gs-s",
          (pair){20, 20, 20, 1, 19, ASK_GS_S, ASK_GUMBEL, 2, 0});
}

/* Vertices: down along coordinate 0 against all others, and against up along
   itself, where the sign is all there is to tell. */
static void test_vertices(void **state)
{
    (void)state;
    check("vertices, one rival",
          (pair){1, 20, 28, 1, 0, ASK_UNTRUNCATED, ASK_GUMBEL, 2, 1});
    check("vertices, nine rivals",
          (pair){9, 20, 25, 1, 0, ASK_UNTRUNCATED, ASK_GUMBEL, 2, 1});
    check("vertices, one rival, permute-and-flip",
          (pair){1, 20, 28, 1, 0, ASK_UNTRUNCATED, ASK_FLIP, 2, 1});
    check("which way along one of ten",
          (pair){9, -4, 25, 1, 0, ASK_UNTRUNCATED, ASK_GUMBEL, 2, 2});
}

/* The mu of a Gaussian, certified. */
static void check_gaussian(const char *what, pair p)
{
    double low = chosen(&p, 1) - 2.5 * sqrt(RUNS);
    double high = chosen(&p, 0) + 2.5 * sqrt(RUNS);
    double seen = normal_quantile(low / RUNS) - normal_quantile(high / RUNS);
    print_message("%s: claimed mu %.3f, certified %.3f\n", what, p.level, seen);
    assert_true(seen <= p.level);
    assert_true(seen >= .95 * p.level);
}

/* Lemma C19: told out of a Gaussian budget, and charged as a Gaussian. Two
   scores that trade places are the worst pair of Lemma A14. */
static void test_told_later(void **state)
{
    (void)state;
    for (double mu = .5; mu < 3; mu *= 2) {
        check_gaussian("a choice that was told later",
                       (pair){.rivals = 1,
                              .first = 20,
                              .others = 20,
                              .scale = 1,
                              .noise = ASK_RANGE,
                              .level = mu});
        check_gaussian("which way along one, told later",
                       (pair){.rivals = 1,
                              .others = 20,
                              .scale = 1,
                              .noise = ASK_RANGE,
                              .level = mu,
                              .vertex = 2});
    }
}

/* ---- more than two classes ---- */

/* All records are of the first class, so that their slopes point one way. The
   record moves the length of feature 0's sums up by as much as one may, and
   that of its rival down, or the other way round. */
static double chosen_by_classes(int up, double level)
{
    curator_policy policy = {.adjacency = ACCOUNT_REPLACE_ONE,
                             .rows_per_person = 1,
                             .rows = 1,
                             .loss = {LOSS_LOGISTIC, 0},
                             .classes = 3,
                             .weight_bound = 1,
                             .insecure = 1,
                             .seed = (uint64_t)up + 51};
    ask_item choice = some(ASK_CLASS_CHOICE, RUNS, level);
    choice.noise = ASK_GUMBEL;
    choice.block = 3;
    ask_plan plan = plan_one(choice);
    const double clip[2] = {1, 1}, at[3] = {0, 0, 0};
    text_buffer t = {0};
    double hits = 0;
    curator *c;
    sotto_error error;
    text_put(&t, "a,b,t\n");
    for (int i = 0; i < 48; i++)
        text_put(&t, i < 20 ? "900,0,x\n" : "0,900,x\n");
    text_put(&t, up ? "900,-900,x\n" : "-900,900,x\n");
    sotto_table *table = read_text(
        "d.csv", t.data,
        SETTINGS({"target", "t"}, {"loss", "logistic"}, {"epsilon", "1"},
                 {"classes", "x"}, {"classes", "y"}, {"classes", "z"}));
    text_free(&t);
    if (curator_open(&c, &table, &policy, &plan, &error) ||
        curator_tell_class_scores(c, clip, at, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < RUNS; i++) {
        int64_t j;
        assert_int_equal(curator_ask_class_choice(c, &j, &error), SOTTO_OK);
        hits += j == 0;
    }
    curator_close(c);
    return hits;
}

static void test_classes(void **state)
{
    (void)state;
    double often = chosen_by_classes(1, 2), seldom = chosen_by_classes(0, 2);
    double seen =
        log((often - 5 * sqrt(often)) / (seldom + 5 * sqrt(seldom) + 25));
    print_message("choice of classes: claimed 2, certified %.3f\n", seen);
    assert_true(seen <= 2);
    assert_true(seen >= 1.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),    cmocka_unit_test(test_two),
        cmocka_unit_test(test_noisy),      cmocka_unit_test(test_scales),
        cmocka_unit_test(test_kink),       cmocka_unit_test(test_vertices),
        cmocka_unit_test(test_told_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
