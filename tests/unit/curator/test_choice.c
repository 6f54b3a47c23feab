/*
 * Choices of a coordinate. Scores of each rule agree with their definition; no
 * score moves further than its sum; and sums that are updated after each move
 * equal sums that are counted anew, bit for bit, for any storage and
 * instruction set.
 */
#include "forms.h"
#include "plans.h"

#include "curator.h"
#include "curator/score.h"
#include "solver/planning.h"

static uint64_t seed = 5;

static uint64_t word(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 16;
}

static double uniform(void)
{
    return (double)(word() & 0xffffffff) * 0x1p-32;
}

/* ---- scores ---- */

static int64_t small(int64_t most)
{
    return (int64_t)(word() % (uint64_t)(2 * most + 1)) - most;
}

/* A random coordinate: its weight is 0 or anywhere in its box, if any. */
static score_terms some_terms(int64_t most)
{
    score_terms t = {.sum = small(3 * most), .l1 = llabs(small(most))};
    int boxed = word() % 2;
    t.low = boxed ? -llabs(small(most)) : -SCORE_MOST;
    t.high = boxed ? llabs(small(most)) : SCORE_MOST;
    t.at = word() % 3 ? score_between(small(most), t.low, t.high) : 0;
    t.above = t.at > 0;
    t.below = t.at < 0;
    t.highest = t.at == t.high;
    t.lowest = t.at == t.low;
    return t;
}

/* 2 h of a step a: what GS-q's model of the objective falls by, doubled. */
static double twice_fall(const score_terms *t, double a)
{
    return -2 * (double)t->sum * a - a * a -
           2 * (double)t->l1 * (fabs((double)t->at + a) - fabs((double)t->at));
}

static void test_definitions(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        score_terms t = some_terms(20);
        double best = 0, step = 0;
        int64_t from = t.low < -200 ? -200 : t.low;
        int64_t to = t.high > 200 ? 200 : t.high;
        for (int64_t z = from; z <= to; z++) { /* every integer step */
            double a = (double)(z - t.at), fall = twice_fall(&t, a);
            if (fall > best) {
                best = fall;
                step = fabs(a);
            }
        }
        assert_int_equal(score_of(&t, ASK_GS_R), (int64_t)step);
        assert_int_equal(score_of(&t, ASK_GS_Q), (int64_t)floor(sqrt(best)));
        /* the distance of -S from [lo, hi] */
        double lo = t.lowest ? -1e9 : (double)(t.above ? t.l1 : -t.l1);
        double hi = t.highest ? 1e9 : (double)(t.below ? -t.l1 : t.l1);
        double g = -(double)t.sum;
        double distance = g < lo ? lo - g : g > hi ? g - hi : 0;
        assert_int_equal(score_of(&t, ASK_GS_S), (int64_t)distance);
        int64_t free = score_of(&t, ASK_UNTRUNCATED);
        assert_true(distance > 0 ? free == (int64_t)distance : free <= 0);
    }
}

/* A sum that changes by k changes no score by more. */
static void test_no_score_moves_further(void **state)
{
    (void)state;
    for (int i = 0; i < 400000; i++) {
        int64_t most = (int64_t)1 << word() % 59;
        score_terms a = some_terms(most / 3 + 1), b;
        int64_t by = small(i % 2 ? 3 : most / 4 + 1);
        b = a;
        b.sum = score_between(a.sum + by, -SCORE_MOST, SCORE_MOST);
        for (ask_rule rule = ASK_UNTRUNCATED; rule <= ASK_GS_Q; rule++) {
            int64_t change = score_of(&a, rule) - score_of(&b, rule);
            assert_true(llabs(change) <= llabs(by));
        }
    }
}

/* A score that is not a number gives the same result on every machine. */
static void test_whole(void **state)
{
    (void)state;
    assert_int_equal(score_whole(NAN), 0);
    assert_int_equal(score_whole(-NAN), 0);
    assert_int_equal(score_whole(INFINITY), SCORE_MOST);
    assert_int_equal(score_whole(-INFINITY), -SCORE_MOST);
    assert_int_equal(score_whole(0x1p62), SCORE_MOST);
    assert_int_equal(score_whole(-2.5), -2);
}

/* ---- sums ---- */

enum { MOST_FEATURES = 5000 };
static int features = 40, rows = 700;

/* A move that is told before the scores, and still pending. */
static double moved_before;

/* Other questions come between choices, which move the margins first. */
static int asked_between;

static double ask_between(curator *c, int64_t round)
{
    static const int64_t feature[] = {1};
    const double bound[] = {.5}, centre[] = {.1};
    ask_shape mean = {ASK_COLUMN_MEANS, centre, bound, feature, 1, 0};
    double out[2], sd;
    sotto_error error;
    if (round % 2 ? curator_ask_means(c, &mean, out, &sd, &error)
                  : curator_ask_change(c, .1, 1, out, &sd, &error))
        fail_msg("%s", error.message);
    return out[0];
}

/* How choices are asked: with a range; with the range that is booked as a
   Gaussian; booked as that; the same out of a budget for later. */
static enum { AS_RANGE, WITHIN, BOOKED, TOLD } asked_as;

static ask_item choices_of(int64_t times, double level)
{
    ask_item choice = some(ASK_CHOICE, times, level);
    choice.noise = asked_as >= BOOKED ? ASK_RANGE : ASK_GUMBEL;
    if (asked_as == WITHIN)
        choice.level = account_range_within(level);
    choice.and_next = 1;
    return choice;
}

static curator *open_as(sotto_table *t, const curator_policy *policy,
                        const ask_plan *plan)
{
    ask_plan budget = plan_one(some(ASK_LATER, 1, 100));
    curator *c;
    sotto_error error;
    int told = asked_as == TOLD;
    if (curator_open(&c, &t, policy, told ? &budget : plan, &error) ||
        (told && curator_tell_plan(c, plan, &error)))
        fail_msg("%s", error.message);
    return c;
}

/* A hash of the answers to many choices, releases and moves. */
static uint64_t mark_of(sotto_table *t, const curator_policy *policy,
                        ask_rule rule, double level)
{
    enum { TIMES = 120 };
    ask_item choice = choices_of(TIMES, level);
    ask_plan plan = plan_two(choice, some(ASK_PARTIAL, TIMES, level));
    if (asked_between) {
        plan.item[1].and_next = 1;
        plan.item[2] = some(ASK_COLUMN_MEANS, TIMES, level);
        plan.item[2].and_next = 1;
        plan.item[3] = some(ASK_CHANGE, TIMES, level);
        plan.items = 4;
    }
    static double clip[MOST_FEATURES + 1], smooth[MOST_FEATURES + 1];
    static double weight[MOST_FEATURES + 1];
    double out;
    for (int j = 0; j <= features; j++) {
        weight[j] = 0;
        clip[j] = .1 + .01 * (j % 40);
        smooth[j] = .3 + .02 * (j % 50);
    }
    ask_scores scores = {.rule = rule,
                         .clip = clip,
                         .smoothness = smooth,
                         .l1 = .01,
                         .l2 = .02,
                         .low = -.4,
                         .high = .5};
    curator *c = open_as(t, policy, &plan);
    sotto_error error;
    uint64_t mark = 0, bits;
    if (curator_tell_clips(c, clip, &error))
        fail_msg("%s", error.message);
    curator_tell(c, 6, moved_before);
    if (curator_tell_scores(c, &scores, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < TIMES; i++) {
        int64_t j;
        assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_OK);
        assert_int_equal(curator_ask_partial(c, j, &out, &error), SOTTO_OK);
        if (asked_between)
            out += 1e-3 * ask_between(c, i);
        memcpy(&bits, &out, sizeof bits);
        mark = (mark * 1099511628211u ^ bits) * 31 + (uint64_t)j;
        double to = fmin(fmax(weight[j] - .3 * out, -.4), .5);
        weight[j] += curator_tell(c, j, to - weight[j]);
    }
    curator_close(c);
    return mark;
}

static curator_policy policy_of(loss_kind kind, int intercept)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = rows,
                            .loss = {kind, .7},
                            .weight_bound = 1,
                            .intercept = intercept,
                            .insecure = 1,
                            .seed = 3};
}

static void compare_forms(loss_kind kind, ask_rule rule, int intercept)
{
    int classes = loss_has_classes(kind);
    text_buffer dense = {0}, sparse = {0};
    const char *name = loss_name(kind);
    make_rows(&dense, &sparse, classes);
    curator_policy policy = policy_of(kind, intercept);
    uint64_t mark = mark_of(read_dense(dense.data, name), &policy, rule, .3);
    for (int how = -1; how <= 1; how++)
        for (kernel_isa isa = KERNEL_AUTO; isa <= KERNEL_AVX512; isa++) {
            if (!kernel_get(isa))
                continue;
            policy.isa = isa;
            policy.recompute = how;
            uint64_t other =
                mark_of(read_sparse(sparse.data, name), &policy, rule, .3);
            assert_true(other == mark);
        }
    policy.seed++;
    assert_false(mark_of(read_sparse(sparse.data, name), &policy, rule, .3) ==
                 mark);
    text_free(&dense);
    text_free(&sparse);
}

static void test_forms(void **state)
{
    (void)state;
    features = 40;
    rows = 700;
    for (ask_rule rule = ASK_UNTRUNCATED; rule <= ASK_GS_Q; rule++)
        for (int intercept = 0; intercept < 2; intercept++) {
            compare_forms(LOSS_SQUARED, rule, intercept);
            compare_forms(LOSS_LOGISTIC, rule, intercept);
            compare_forms(LOSS_HUBER, rule, intercept);
            compare_forms(LOSS_SQUARED_HINGE, rule, intercept);
        }
}

/* Pending moves are done before sums are first counted: the first choice and
   all later ones know of them. */
static void test_a_move_that_waits(void **state)
{
    (void)state;
    features = 40;
    rows = 700;
    moved_before = 4;
    compare_forms(LOSS_SQUARED, ASK_UNTRUNCATED, 1);
    compare_forms(LOSS_LOGISTIC, ASK_GS_R, 0);
    moved_before = 0;
}

/* Sums agree with the present slopes also after other questions. Otherwise a
   record could count more than once. */
static void test_questions_between(void **state)
{
    (void)state;
    features = 40;
    rows = 700;
    asked_between = 1;
    compare_forms(LOSS_SQUARED, ASK_UNTRUNCATED, 1);
    compare_forms(LOSS_LOGISTIC, ASK_GS_R, 0);
    asked_between = 0;
}

/* Short columns, and more coordinates than noise is drawn for one by one. */
static void test_many_features(void **state)
{
    (void)state;
    features = MOST_FEATURES;
    rows = 90;
    compare_forms(LOSS_SQUARED, ASK_UNTRUNCATED, 0);
    compare_forms(LOSS_LOGISTIC, ASK_GS_S, 1);
    compare_forms(LOSS_HUBER, ASK_GS_Q, 1);
}

/* So many rows and entries that threads share them: sums that are counted anew
   at each step, of dense tables and of sparse ones. */
static void test_threads(void **state)
{
    (void)state;
    features = 12;
    rows = 17000;
    text_buffer dense = {0}, sparse = {0};
    make_rows(&dense, &sparse, 0);
    curator_policy policy = policy_of(LOSS_SQUARED, 1);
    uint64_t mark =
        mark_of(read_dense(dense.data, "squared"), &policy, ASK_GS_S, .3);
    policy.recompute = 1;
    for (policy.threads = 1; policy.threads <= 3; policy.threads += 2) {
        assert_true(mark == mark_of(read_dense(dense.data, "squared"), &policy,
                                    ASK_GS_S, .3));
        assert_true(mark == mark_of(read_sparse(sparse.data, "squared"),
                                    &policy, ASK_GS_S, .3));
    }
    text_free(&dense);
    text_free(&sparse);
}

/* A choice that is booked as a Gaussian is drawn with the range that Lemma A14
   gives, planned or told later, also of more coordinates than noise is drawn
   for one by one: the same bits make the same choices. */
static void test_booked_as_gaussian(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        text_buffer dense = {0}, sparse = {0};
        uint64_t mark[TOLD + 1];
        features = many ? MOST_FEATURES : 40;
        rows = 90;
        make_rows(&dense, &sparse, 0);
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        for (asked_as = AS_RANGE; asked_as <= TOLD; asked_as++)
            mark[asked_as] = mark_of(read_sparse(sparse.data, "squared"),
                                     &policy, ASK_UNTRUNCATED, .3);
        asked_as = AS_RANGE;
        assert_false(mark[BOOKED] == mark[AS_RANGE]);
        assert_true(mark[BOOKED] == mark[WITHIN]);
        assert_true(mark[TOLD] == mark[WITHIN]);
        text_free(&dense);
        text_free(&sparse);
    }
}

/* ---- what is left ---- */

/* While `watched`, memory that goes back to the system must have been wiped. */
static int watched, given_back;

int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);

int __wrap_munmap(void *at, size_t size)
{
    const unsigned char *bytes = at;
    for (size_t i = 0; watched && i < size; i++)
        if (bytes[i])
            fail_msg("a block of %zu bytes was not wiped", size);
    given_back += watched;
    return __real_munmap(at, size);
}

/* Sums, scores, scratch and counters: pages that are zeros when given back. */
static void test_wiped(void **state)
{
    (void)state;
    text_buffer dense = {0}, sparse = {0};
    features = MOST_FEATURES;
    rows = 90;
    make_rows(&dense, &sparse, 0);
    curator_policy policy = policy_of(LOSS_SQUARED, 1);
    sotto_table *tables[2] = {read_dense(dense.data, "squared"),
                              read_sparse(sparse.data, "squared")};
    for (int i = 0; i < 2; i++) {
        policy.recompute = -1; /* follow: that fills the scratch */
        given_back = 0;
        watched = 1;
        mark_of(tables[i], &policy, ASK_UNTRUNCATED, .3);
        watched = 0;
        assert_true(given_back >= 8);
    }
    text_free(&dense);
    text_free(&sparse);
}

/* ---- the law ---- */

/* Three columns whose sums are 3, 5 and 0 clips: chosen as often as the
   exponential mechanism says, also the one without an entry. */
static void test_law(void **state)
{
    (void)state;
    enum { RUNS = 200000 };
    text_buffer t = {0};
    text_put(&t, "a,b,c,t\n");
    for (int i = 0; i < 5; i++)
        text_format(&t, "%d,-1,0,-1e9\n", i < 3);
    ask_item choice = some(ASK_CHOICE, RUNS, 1);
    choice.noise = ASK_GUMBEL;
    ask_plan plan = plan_one(choice);
    double clip[3] = {1, 2, .5}, count[3] = {0}, share[3], sum = 0;
    ask_scores scores = {.clip = clip, .low = -INFINITY, .high = INFINITY};
    curator_policy policy = policy_of(LOSS_SQUARED, 0);
    sotto_table *table = read_dense(t.data, "squared");
    curator *c;
    sotto_error error;
    if (curator_open(&c, &table, &policy, &plan, &error) ||
        curator_tell_scores(c, &scores, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < RUNS; i++) {
        int64_t j;
        assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_OK);
        count[j]++;
    }
    /* a range of 1 is a rate of 1/2 in units of a clip */
    static const double clips[3] = {3, 5, 0};
    for (int j = 0; j < 3; j++)
        sum += share[j] = exp(clips[j] / 2);
    for (int j = 0; j < 3; j++) {
        double p = share[j] / sum;
        double sd = sqrt(p * (1 - p) * RUNS);
        assert_true(fabs(count[j] - p * RUNS) < 5.5 * sd);
    }
    curator_close(c);
    text_free(&t);
}

/* ---- what can go wrong ---- */

static void test_shapes(void **state)
{
    (void)state;
    /* no rows, one feature: the intercept and it compete all the same */
    sotto_table *t = read_text("d.csv", "a,t\n",
                               SETTINGS({"target", "t"}, {"epsilon", "1"}));
    curator_policy policy = policy_of(LOSS_SQUARED, 1);
    ask_item choice = some(ASK_CHOICE, 400, 1);
    choice.noise = ASK_GUMBEL;
    ask_plan plan = plan_one(choice);
    double clip[2] = {1, 1}, seen[2] = {0};
    ask_scores scores = {.clip = clip, .low = -INFINITY, .high = INFINITY};
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, &policy, &plan, &error) ||
        curator_tell_scores(c, &scores, &error))
        fail_msg("%s", error.message);
    for (int i = 0; i < 400; i++) {
        int64_t j;
        assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_OK);
        seen[j]++;
    }
    int64_t j;
    assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_BUDGET);
    assert_true(seen[0] > 120 && seen[1] > 120);
    /* clips that no float can hold */
    clip[0] = 1e-45;
    assert_int_equal(curator_tell_scores(c, &scores, &error), SOTTO_USAGE);
    clip[0] = 0;
    assert_int_equal(curator_tell_scores(c, &scores, &error), SOTTO_USAGE);
    clip[0] = INFINITY;
    assert_int_equal(curator_tell_scores(c, &scores, &error), SOTTO_USAGE);
    curator_close(c);
}

/* Whether these scores are accepted. If so, a choice is answered; if not,
   none may be, whatever scores there were before. */
static int are_taken(curator *c, const ask_scores *scores)
{
    int64_t j;
    sotto_error error;
    double clip[3] = {1, 1, 1}, smooth[3] = {1, 1, 1};
    ask_scores fine = {.rule = ASK_GS_Q,
                       .clip = clip,
                       .smoothness = smooth,
                       .l1 = 0,
                       .l2 = 0,
                       .low = -1,
                       .high = 1};
    assert_int_equal(curator_tell_scores(c, &fine, &error), SOTTO_OK);
    sotto_status status = curator_tell_scores(c, scores, &error);
    assert_int_equal(curator_ask_choice(c, &j, &error),
                     status == SOTTO_OK ? SOTTO_OK : SOTTO_FAILED);
    assert_true(status == SOTTO_OK || status == SOTTO_USAGE);
    return status == SOTTO_OK;
}

/* Lemma C8 assumes numbers in these ranges; all others are refused. */
static void test_scores_are_checked(void **state)
{
    (void)state;
    sotto_table *t = read_dense("a,b,t\n1,2,3\n-1,1,2\n", "squared");
    curator_policy policy = policy_of(LOSS_SQUARED, 1);
    ask_item choice = some(ASK_CHOICE, 100, 1);
    choice.noise = ASK_GUMBEL;
    ask_plan plan = plan_one(choice);
    double clip[3] = {1, 1, 1}, smooth[3] = {1, 1, 1};
    const ask_scores usual = {.rule = ASK_GS_R,
                              .clip = clip,
                              .smoothness = smooth,
                              .l1 = 0,
                              .l2 = 0,
                              .low = -1,
                              .high = 1};
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    curator *c;
    sotto_error error;
    ask_scores s = usual;
    if (curator_open(&c, &t, &policy, &plan, &error))
        fail_msg("%s", error.message);
    assert_true(are_taken(c, &s));
    s.low = -INFINITY;
    s.high = INFINITY;
    assert_true(are_taken(c, &s));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        s = usual;
        s.l1 = bad[i];
        assert_false(are_taken(c, &s));
        s = usual;
        s.l2 = bad[i];
        assert_false(are_taken(c, &s));
        s = usual;
        smooth[2] = bad[i]; /* the intercept's */
        assert_false(are_taken(c, &s));
        s.rule = ASK_UNTRUNCATED; /* which has no use for it */
        assert_true(are_taken(c, &s));
        smooth[2] = 1;
    }
    smooth[0] = 0;
    s = usual;
    assert_false(are_taken(c, &s));
    s.smoothness = NULL;
    assert_false(are_taken(c, &s));
    smooth[0] = 1;
    s = usual;
    s.low = 2;
    assert_false(are_taken(c, &s));
    s.low = NAN;
    assert_false(are_taken(c, &s));
    s = usual;
    s.high = NAN;
    assert_false(are_taken(c, &s));
    s = usual;
    s.rule = (ask_rule)(ASK_GS_Q + 1);
    assert_false(are_taken(c, &s));
    curator_close(c);
}

/* Fresh: nothing that has moved is chosen again, nor the intercept, while
   there is anything else; few features, and many. */
static void test_fresh(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        const int steps = many ? 40 : 5;
        sotto_error error;
        sotto_table *t = read_text(
            "d.svm", "1 1:1 2:-1 3:2 4:1 5:-3\n-1 1:.5 5:1\n2 2:1 3:1\n",
            SETTINGS({"loss", "squared"}, {"precision", "float"},
                     {"features", many ? "5000" : "5"}));
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        ask_item choice = some(ASK_CHOICE, steps, .01);
        choice.noise = ASK_GUMBEL;
        ask_plan plan = plan_one(choice);
        double *clip = calloc(5001, sizeof *clip);
        char *seen = calloc(5001, 1);
        for (int j = 0; j < 5001; j++)
            clip[j] = 1;
        ask_scores scores = {
            .clip = clip, .low = -INFINITY, .high = INFINITY, .fresh = 1};
        curator *c;
        if (curator_open(&c, &t, &policy, &plan, &error) ||
            curator_tell_scores(c, &scores, &error))
            fail_msg("%s", error.message);
        for (int i = 0; i < steps; i++) {
            int64_t j;
            assert_int_equal(curator_ask_choice(c, &j, &error), SOTTO_OK);
            assert_true(j < (many ? 5000 : 5) && !seen[j]);
            seen[j] = 1;
            curator_tell(c, j, .125);
        }
        curator_close(c);
        free(clip);
        free(seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_no_score_moves_further),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_a_move_that_waits),
        cmocka_unit_test(test_questions_between),
        cmocka_unit_test(test_many_features),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_booked_as_gaussian),
        cmocka_unit_test(test_wiped),
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_scores_are_checked),
        cmocka_unit_test(test_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
