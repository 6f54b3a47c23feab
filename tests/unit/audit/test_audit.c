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
 * are fixed, so a run is the same every time. For batches, whose loss is not
 * linear in the answers, the threshold is on the loss itself.
 */
#include "normal.h"
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "solver/blocks.h"
#include "solver/cd.h"
#include "solver/descent.h"

/* An upper confidence limit of the rate of an event that occurred `hits`
   times in `runs`. */
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

/* No record; one with a target of -1e9, so that the residual at any iterate
   is far above the clip; its opposite. */
static const char *const pair[] = {"a,b,t\n", "a,b,t\n1,1,-1e9\n",
                                   "a,b,t\n1,1,1e9\n"};

static curator *open_pair(int which, const curator_policy *policy,
                          const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    sotto_table *t = read_text("d.csv", pair[which],
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
    /* noise for replace-one is for the record and its opposite; against no
       record, which is half as far, half of the claim must show */
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

/* ---- the questions of newton ---- */

/* One answer, as the number that tells two records apart best: a projection
   on what they add. */
typedef double (*shape_probe)(curator *c);

static double probe_counts(curator *c)
{
    double edge[1] = {.5}, bound[2] = {1, 1}, out[2], sd;
    ask_shape what = {.kind = ASK_ROW_COUNTS, .centre = NULL, .bound = bound};
    sotto_error error;
    assert_int_equal(curator_ask_counts(c, &what, edge, 1, out, &sd, &error),
                     SOTTO_OK);
    return (out[0] - out[1]) / sqrt(2);
}

static double probe_means(curator *c)
{
    double bound[2] = {1, 1}, out[2], sd;
    ask_shape what = {.kind = ASK_COLUMN_MEANS, .centre = NULL, .bound = bound};
    sotto_error error;
    assert_int_equal(curator_ask_means(c, &what, out, &sd, &error), SOTTO_OK);
    return (out[0] + out[1]) / sqrt(2);
}

static void frame(curator *c, double target_scale, int with_point)
{
    static const double centre[2] = {0, 0}, scale[2] = {1, 1};
    const ask_frame told = {.features = curator_features(c),
                            .centre = centre,
                            .scale = scale,
                            .target_scale = target_scale};
    static const double nowhere[3] = {0, 0, 0};
    sotto_error error;
    assert_int_equal(curator_tell_frame(c, &told, &error), SOTTO_OK);
    if (with_point)
        assert_int_equal(curator_tell_point(c, nowhere, &error), SOTTO_OK);
}

/* Rows (1, 1) and (-1, 1) shortened to length 1: z z' at right angles. */
static double probe_matrix(curator *c)
{
    double out[4], sd;
    sotto_error error;
    assert_int_equal(curator_ask_matrix(c, 1, out, &sd, &error), SOTTO_OK);
    return sqrt(2) * out[1];
}

/* The same of feature and target. */
static double probe_cross(curator *c)
{
    double out[9], sd;
    sotto_error error;
    assert_int_equal(curator_ask_cross(c, 1, out, &sd, &error), SOTTO_OK);
    return sqrt(2) * out[2];
}

static double probe_whitened(curator *c)
{
    double out[2], sd;
    sotto_error error;
    assert_int_equal(curator_ask_whitened(c, 1, out, &sd, &error), SOTTO_OK);
    return (out[0] + out[1]) / sqrt(2);
}

static double probe_curvature(curator *c)
{
    double out[4], sd;
    sotto_error error;
    assert_int_equal(
        curator_ask_curvature(c, ASK_SECANT_CURVATURE, 1, out, &sd, &error),
        SOTTO_OK);
    return sqrt(2) * out[1];
}

static double probe_length_counts(curator *c)
{
    double edge[1] = {5}, out[2], sd;
    sotto_error error;
    assert_int_equal(curator_ask_length_counts(c, edge, 1, out, &sd, &error),
                     SOTTO_OK);
    return (out[0] - out[1]) / sqrt(2);
}

enum { SHAPE_RUNS = 100000 };

/* What a threshold between the means of two lists of answers certifies. */
static double certified_between(const double *seen)
{
    double sum[2] = {0, 0};
    int64_t above[2] = {0, 0};
    for (int i = 0; i < 2 * SHAPE_RUNS; i++)
        sum[i / SHAPE_RUNS] += seen[i];
    for (int i = 0; i < 2 * SHAPE_RUNS; i++)
        above[i / SHAPE_RUNS] += seen[i] > (sum[0] + sum[1]) / (2 * SHAPE_RUNS);
    int high = sum[1] > sum[0];
    return certified(above[!high], SHAPE_RUNS - above[high], SHAPE_RUNS);
}

static double audit_shape(const char *first, const char *second, ask_kind kind,
                          shape_probe probe, double mu, const char *undeclared)
{
    const char *texts[] = {first, second};
    double *seen = mem_zeroed(2 * SHAPE_RUNS, sizeof *seen);
    sotto_error error;
    assert_non_null(seen);
    for (int side = 0; side < 2; side++) {
        curator *c;
        curator_policy policy =
            policy_of(ACCOUNT_REPLACE_ONE, (uint64_t)side + 77);
        ask_plan plan = plan_one(some(kind, SHAPE_RUNS, mu));
        sotto_table *t = read_text("d.csv", texts[side],
                                   SETTINGS({"target", "t"}, {"epsilon", "1"},
                                            {"undeclared", undeclared}));
        assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                         SOTTO_OK);
        if (kind == ASK_MATRIX || kind == ASK_WHITENED || kind == ASK_CROSS ||
            kind == ASK_CURVATURE || kind == ASK_LENGTH_COUNTS)
            frame(c, kind == ASK_CROSS, kind != ASK_CROSS);
        for (int i = 0; i < SHAPE_RUNS; i++)
            seen[side * SHAPE_RUNS + i] = probe(c);
        curator_close(c);
    }
    double found = certified_between(seen);
    mem_free(seen);
    return found;
}

static void test_newton_questions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *first, *second;
        ask_kind kind;
        shape_probe probe;
    } cases[] = {
        {"row sizes", "a,b,t\n1,1,0\n", "a,b,t\n0,0,0\n", ASK_ROW_COUNTS,
         probe_counts},
        {"column means", "a,b,t\n1,1,0\n", "a,b,t\n-1,-1,0\n", ASK_COLUMN_MEANS,
         probe_means},
        {"matrix", "a,b,t\n9,9,0\n", "a,b,t\n-9,9,0\n", ASK_MATRIX,
         probe_matrix},
        {"cross moments", "a,b,t\n9,0,9\n", "a,b,t\n-9,0,9\n", ASK_CROSS,
         probe_cross},
        {"whitened gradient", "a,b,t\n9,9,-9\n", "a,b,t\n9,9,9\n", ASK_WHITENED,
         probe_whitened},
        {"curvature matrix", "a,b,t\n9,9,0\n", "a,b,t\n-9,9,0\n", ASK_CURVATURE,
         probe_curvature},
        {"sizes of gradients", "a,b,t\n9,9,-9\n", "a,b,t\n9,9,0\n",
         ASK_LENGTH_COUNTS, probe_length_counts},
    };
    for (int i = 0; i < 7; i++) {
        double seen = audit_shape(cases[i].first, cases[i].second,
                                  cases[i].kind, cases[i].probe, 1, "bounds");
        print_message("%s: claimed mu 1, certified %.3f\n", cases[i].name,
                      seen);
        assert_true(seen <= 1);
        assert_true(seen >= .9);
    }
}

/* ---- more than two classes ---- */

/* A record of class 0 at (9000, 9000), or at the opposite place, where the
   model is sure of class 1 and of no class 2: both gradients are shortened,
   and point opposite ways. Of the counts: a record of class 0, or of class 1.
 */
static double probe_classes(curator *c, ask_kind kind)
{
    double out[9], sd;
    sotto_error error;
    if (kind == ASK_CLASS_COUNTS) {
        assert_int_equal(curator_ask_class_counts(c, out, &sd, &error),
                         SOTTO_OK);
        return (out[0] - out[1]) / sqrt(2);
    }
    if (kind == ASK_CLASS_PARTIAL) {
        assert_int_equal(curator_ask_class_partial(c, 0, 1, out, &sd, &error),
                         SOTTO_OK);
        return (out[1] - out[0]) / sqrt(2);
    }
    assert_int_equal(curator_ask_class_gradient(c, 1, out, &sd, &error),
                     SOTTO_OK);
    return (out[1] - out[0] + out[4] - out[3]) / 2;
}

/* `alone`: each class against all others, with the hinge of `auto`. */
static double audit_classes(ask_kind kind, int alone, double mu)
{
    static const char *const texts[][2] = {
        {"a,b,t\n9000,9000,x\n", "a,b,t\n-9000,-9000,x\n"},
        {"a,b,t\n0,0,x\n", "a,b,t\n0,0,y\n"}};
    static const double at[9] = {0, 0, 0, 0, 0, 0, 0, 90, -90};
    static const double clip[2] = {1, 1};
    double *seen = mem_zeroed(2 * SHAPE_RUNS, sizeof *seen);
    sotto_error error;
    assert_non_null(seen);
    for (int side = 0; side < 2; side++) {
        curator *c;
        curator_policy policy =
            policy_of(ACCOUNT_REPLACE_ONE, (uint64_t)side + 177);
        ask_plan plan = plan_one(some(kind, SHAPE_RUNS, mu));
        plan.item[0].block = policy.classes = 3;
        policy.loss =
            alone ? (loss){LOSS_SMOOTH_HINGE, .5} : (loss){LOSS_LOGISTIC, 0};
        policy.one_versus_rest = alone;
        policy.intercept = 1;
        sotto_table *t = read_text(
            "d.csv", texts[kind == ASK_CLASS_COUNTS][side],
            SETTINGS({"target", "t"}, {"loss", "logistic"}, {"epsilon", "1"},
                     {"classes", "x"}, {"classes", "y"}, {"classes", "z"}));
        assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                         SOTTO_OK);
        if (kind == ASK_CLASS_PARTIAL) {
            assert_int_equal(curator_tell_class_scores(c, clip, at + 6, &error),
                             SOTTO_OK);
        } else {
            frame(c, 0, 0);
            assert_int_equal(curator_tell_classes(c, at, &error), SOTTO_OK);
        }
        for (int i = 0; i < SHAPE_RUNS; i++)
            seen[side * SHAPE_RUNS + i] = probe_classes(c, kind);
        curator_close(c);
    }
    double found = certified_between(seen);
    mem_free(seen);
    return found;
}

static void test_class_questions(void **state)
{
    (void)state;
    static const ask_kind kinds[] = {ASK_CLASS_GRADIENT, ASK_CLASS_COUNTS,
                                     ASK_CLASS_PARTIAL};
    for (int i = 0; i < 6; i++) {
        double seen = audit_classes(kinds[i / 2], i % 2, 1);
        print_message("%s%s: claimed mu 1, certified %.3f\n",
                      ask_name(kinds[i / 2]), i % 2 ? ", one versus rest" : "",
                      seen);
        assert_true(seen <= 1);
        assert_true(seen >= .9);
    }
}

/* ---- rows of one length ---- */

/* Half of what a row of two equal values becomes: both are clipped. */
static double probe_short_means(curator *c)
{
    double bound[2] = {.5, .5}, out[2], sd;
    ask_shape what = {.kind = ASK_COLUMN_MEANS, .centre = NULL, .bound = bound};
    sotto_error error;
    assert_int_equal(curator_ask_means(c, &what, out, &sd, &error), SOTTO_OK);
    return (out[0] + out[1]) / sqrt(2);
}

/* One of many ordinary rows is replaced by a row that is far longer than all
   others. It moves the means as far as any record can, and changes no other
   row. */
static void test_scaled_rows(void **state)
{
    (void)state;
    static const char *const replaced[][2] = {
        {"1e30,1e30,0\n", "-1,-1,0\n"}, {"1e-45,1e-45,0\n", "-3e38,-3e38,0\n"}};
    for (int i = 0; i < 2; i++) {
        text_buffer t[2] = {{0}, {0}};
        for (int side = 0; side < 2; side++) {
            text_put(&t[side], "a,b,t\n");
            text_put(&t[side], replaced[i][side]);
            for (int k = 0; k < 20; k++)
                text_put(&t[side], k % 3 ? "2,1,0\n" : "1,3,0\n");
        }
        double seen = audit_shape(t[0].data, t[1].data, ASK_COLUMN_MEANS,
                                  probe_short_means, 1, "rows");
        print_message("scaled rows: claimed mu 1, certified %.3f\n", seen);
        assert_true(seen <= 1);
        assert_true(seen >= .9);
        text_free(&t[0]);
        text_free(&t[1]);
    }
}

/* ---- minimisers ---- */

/*
 * Output perturbation: no row, or one whose slope is as large as possible.
 * Objective perturbation: short rows pull the minimiser along the first
 * feature, so far that a row that opposes it has its largest slope. The best
 * statistic is the gradient of the public part of the objective, which is
 * almost the random linear part.
 */
enum { SHORT = 574 };

static sotto_table *minimiser_table(ask_kind kind, int there)
{
    text_buffer t = {0};
    text_put(&t, "a,b,t\n");
    for (int i = 0; kind == ASK_PERTURBED && i < SHORT; i++)
        text_put(&t, "1,0,1\n");
    if (there)
        text_put(&t, kind == ASK_PERTURBED ? "-8,0,1\n" : "1,0,1e9\n");
    const setting classes[] = {{"target", "t"},
                               {"epsilon", "1"},
                               {"loss", "logistic"},
                               {"classes", "-1,1"},
                               {NULL, NULL}};
    const setting numbers[] = {
        {"target", "t"}, {"epsilon", "1"}, {"loss", "huber"}, {NULL, NULL}};
    sotto_table *table =
        read_text("d.csv", t.data, kind == ASK_PERTURBED ? classes : numbers);
    text_free(&t);
    return table;
}

/* What is told of: along the record. */
static double minimiser_loss(ask_kind kind, double w, double l2)
{
    return kind == ASK_PERTURBED ? SHORT / (1 + exp(w)) - l2 * w : w;
}

static double audit_minimiser(ask_kind kind, double mu, int64_t runs)
{
    double sum[2] = {0, 0},
           *seen = mem_zeroed((size_t)(2 * runs), sizeof *seen);
    double out[2], norm = kind == ASK_PERTURBED ? 8 : 1;
    ask_penalty penalty = {0, kind == ASK_PERTURBED ? 320 : 1, -INFINITY,
                           INFINITY};
    int64_t above[2] = {0, 0};
    sotto_error error;
    assert_non_null(seen);
    for (int there = 0; there < 2; there++) {
        curator *c;
        curator_policy policy =
            policy_of(ACCOUNT_ADD_REMOVE, (uint64_t)there + 5);
        policy.loss = kind == ASK_PERTURBED ? (loss){LOSS_LOGISTIC, 0}
                                            : (loss){LOSS_HUBER, 1};
        policy.norm_bound = norm;
        ask_plan plan = plan_one(some(kind, runs, mu));
        sotto_table *t = minimiser_table(kind, there);
        assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                         SOTTO_OK);
        for (int64_t i = 0; i < runs; i++) {
            assert_int_equal(
                curator_ask_minimiser(c, kind, &penalty, out, &error),
                SOTTO_OK);
            sum[there] += seen[there * runs + i] =
                minimiser_loss(kind, out[0], penalty.l2);
        }
        curator_close(c);
    }
    double middle = (sum[0] + sum[1]) / (double)(2 * runs);
    int up = sum[1] > sum[0];
    for (int there = 0; there < 2; there++)
        for (int64_t i = 0; i < runs; i++)
            above[there] += (seen[there * runs + i] > middle) == up;
    mem_free(seen);
    return certified(above[0], runs - above[1], runs);
}

static void test_minimisers(void **state)
{
    (void)state;
    double seen = audit_minimiser(ASK_MINIMISER, 1, 40000);
    print_message("minimiser: claimed mu 1, certified %.3f\n", seen);
    assert_true(seen <= 1);
    assert_true(seen >= .9);
    seen = audit_minimiser(ASK_PERTURBED, 3, 20000);
    print_message("perturbed minimiser: claimed mu 3, certified %.3f\n", seen);
    assert_true(seen <= 3);
    assert_true(seen >= .9 * 3);
}

/* ---- gradient steps from end to end ---- */

typedef sotto_status (*descent)(solver_answer *out, curator *c,
                                const solver_problem *p,
                                const descent_settings *s,
                                solver_progress progress, void *context,
                                sotto_error *error);

/* The mean of all answers of one run, along the direction in which the record
   is: with steps of 1 and no penalty they add up in the iterate. The clip is
   such that the record's part is 1. Runs share a curator, whose noise is
   fresh for each question. */
static double descent_transcript(curator *c, descent run, int64_t steps,
                                 double rate)
{
    double smooth[2] = {1, 1}, weight[2];
    solver_problem p = {.loss = {LOSS_SQUARED, 0},
                        .low = -INFINITY,
                        .high = INFINITY,
                        .features = 2};
    descent_settings s = {.steps = steps,
                          .step_size = 1,
                          .clip = 1,
                          .rate = rate,
                          .smoothness = smooth};
    solver_answer answer = {.weight = weight};
    sotto_error error;
    if (run(&answer, c, &p, &s, NULL, NULL, &error))
        fail_msg("%s", error.message);
    return -(weight[0] + weight[1]) / sqrt(2) * rate / (double)steps;
}

/* A record against its opposite. */
static void test_gd(void **state)
{
    (void)state;
    enum { RUNS = 40000, STEPS = 9 };
    int64_t above[2] = {0, 0};
    double mu = .5, claimed = mu * sqrt(STEPS);
    for (int which = 0; which < 2; which++) {
        curator_policy policy =
            policy_of(ACCOUNT_REPLACE_ONE, 80 + (uint64_t)which);
        ask_plan plan = plan_one(some(ASK_GRADIENT, RUNS * STEPS, mu));
        curator *c = open_pair(2 - which, &policy, &plan);
        for (int64_t i = 0; i < RUNS; i++)
            above[which] += descent_transcript(c, gd_run, STEPS, 1) > 0;
        curator_close(c);
    }
    double seen = certified(above[0], RUNS - above[1], RUNS);
    print_message("DP-GD: claimed mu %.3f, certified %.3f\n", claimed, seen);
    assert_true(seen <= claimed);
    assert_true(seen >= .9 * claimed);
}

/* ---- batches, and DP-SGD ---- */

typedef struct sampled_audit {
    double rate, sigma; /* of the noise, over the clip */
    int64_t steps, runs;
    double delta;
    ask_kind kind;
    int replaced; /* a record against its opposite, not against none */
} sampled_audit;

static account_adjacency sampled_adjacency(const sampled_audit *a)
{
    return a->replaced ? ACCOUNT_REPLACE_ONE : ACCOUNT_ADD_REMOVE;
}

static ask_plan sampled_plan(const sampled_audit *a, int64_t count)
{
    ask_item item = some(a->kind, count, 1 / a->sigma);
    item.noise = ASK_SAMPLED;
    item.rate = a->rate;
    return plan_one(item);
}

/* The loss of one answer, which is 1 + noise where the record was in the
   batch, and noise elsewhere; against the opposite record, which adds -1. */
static double sampled_loss(const sampled_audit *a, double y)
{
    double square = a->sigma * a->sigma;
    double one = log(1 - a->rate + a->rate * exp((2 * y - 1) / (2 * square)));
    double two = log(1 - a->rate + a->rate * exp((-2 * y - 1) / (2 * square)));
    return a->replaced ? one - two : one;
}

/* What the accountant promises, by the events that the plan is priced as. */
static double sampled_claim(const sampled_audit *a)
{
    ask_plan plan = sampled_plan(a, a->steps);
    account_list events;
    account_price price;
    sotto_error error;
    assert_int_equal(
        curator_events(&events, &plan, sampled_adjacency(a), 2, &error),
        SOTTO_OK);
    assert_int_equal(account_epsilon(&events, a->delta, &price, &error),
                     SOTTO_OK);
    account_free(&events);
    return price.epsilon;
}

/*
 * P(loss > e) - e^e Q(loss > e) is what epsilon = e leaves to delta, and the
 * best of all tests has that form. So hits of P and Q certify
 * ln((P - delta) / Q), with limits of 4.5 sigma for both.
 */
static double sampled_certified(const sampled_audit *a, int64_t p, int64_t q)
{
    double least = 1 - upper_limit(a->runs - p, a->runs) - a->delta;
    return least > 0 ? log(least / upper_limit(q, a->runs)) : 0;
}

/* Losses of many runs of the worst pair on one curator, in which all answers
   are independent. */
static int64_t sampled_hits(const sampled_audit *a, int there, double claim)
{
    curator_policy policy =
        policy_of(sampled_adjacency(a), 90 + (uint64_t)there);
    ask_plan plan = sampled_plan(a, a->steps * a->runs);
    curator *c = open_pair(a->replaced && !there ? 2 : there, &policy, &plan);
    double scale[2] = {1, 1}, out[2], at[2] = {1e9, 1e9};
    sotto_error error;
    int64_t above = 0;
    if (a->kind == ASK_DIFFERENCE) { /* from 0 to where the record pulls */
        assert_int_equal(curator_tell_anchor(c, &error), SOTTO_OK);
        curator_tell_all(c, at);
    }
    for (int64_t i = 0; i < a->runs; i++) {
        double sum = 0;
        for (int64_t t = 0; t < a->steps; t++) {
            assert_int_equal((a->kind == ASK_BATCH ? curator_ask_batch
                                                   : curator_ask_difference)(
                                 c, 1, scale, out, &error),
                             SOTTO_OK);
            sum += sampled_loss(a, (out[0] + out[1]) / sqrt(2));
        }
        above += sum > claim;
    }
    curator_close(c);
    return above;
}

static void test_batches(void **state)
{
    (void)state;
    static const sampled_audit cases[] = {
        {.2, .8, 8, 250000, .05, ASK_BATCH, 0},
        {.5, 1, 4, 250000, .05, ASK_BATCH, 0},
        {.5, 1, 4, 250000, .05, ASK_DIFFERENCE, 0},
        {.2, .8, 8, 250000, .05, ASK_BATCH, 1},
        {.5, 1, 4, 250000, .05, ASK_BATCH, 1}};
    for (int i = 0; i < 5; i++) {
        const sampled_audit *a = &cases[i];
        double claim = sampled_claim(a);
        int64_t none = sampled_hits(a, 0, claim);
        double seen = sampled_certified(a, sampled_hits(a, 1, claim), none);
        print_message("%s%s: claimed epsilon %.3f, certified %.3f\n",
                      ask_name(a->kind), a->replaced ? ", replaced" : "", claim,
                      seen);
        assert_true(seen <= claim);
        assert_true(seen >= .9 * claim);
    }
}

/* One step of the solver: its iterate is the answer. */
static void test_sgd(void **state)
{
    (void)state;
    static const sampled_audit a = {.5, .5, 1, 150000, .1, ASK_BATCH, 0};
    double claim = sampled_claim(&a);
    int64_t above[2] = {0, 0};
    for (int there = 0; there < 2; there++) {
        curator_policy policy =
            policy_of(ACCOUNT_ADD_REMOVE, 85 + (uint64_t)there);
        ask_plan plan = sampled_plan(&a, a.runs);
        curator *c = open_pair(there, &policy, &plan);
        for (int64_t i = 0; i < a.runs; i++) {
            double y = descent_transcript(c, sgd_run, 1, a.rate);
            above[there] += sampled_loss(&a, y) > claim;
        }
        curator_close(c);
    }
    double seen = sampled_certified(&a, above[1], above[0]);
    print_message("DP-SGD: claimed epsilon %.3f, certified %.3f\n", claim,
                  seen);
    assert_true(seen <= claim);
    assert_true(seen >= .9 * claim);
}

/* ---- Frank-Wolfe from end to end ---- */

/* One long run is cut into many: no answer depends on those before it. */
enum { FW_STEPS = 20, FW_OFTEN = 14 };

typedef struct fw_watch {
    const double *weight;
    double before;
    int64_t step, down, often;
} fw_watch;

/* The iterate shows in which direction each step went. */
static int fw_look(void *context, const solver_stage *at)
{
    fw_watch *w = context;
    double gamma = 2 / ((double)w->step++ + 2);
    double now = w->weight[0] + w->weight[1];
    (void)at;
    w->down += now - (1 - gamma) * w->before < 0;
    w->before = now;
    if (w->step % FW_STEPS == 0) { /* the loss is a function of it */
        w->often += w->down >= FW_OFTEN;
        w->down = 0;
    }
    return 0;
}

static int64_t fw_hits(curator *c, int64_t runs)
{
    double weight[2];
    solver_problem p = {.loss = {LOSS_SQUARED, 0},
                        .low = -INFINITY,
                        .high = INFINITY,
                        .features = 2};
    fw_settings s = {.steps = runs * FW_STEPS, .radius = 1, .clip = 1};
    solver_answer answer = {.weight = weight};
    fw_watch watch = {.weight = weight};
    sotto_error error;
    if (fw_run(&answer, c, &p, &s, fw_look, &watch, &error))
        fail_msg("%s", error.message);
    return watch.often;
}

/* A record against its opposite: in every step it moves all scores as far as
   it can. Of the tests on how often a step went down, this one is best. */
static void test_fw(void **state)
{
    (void)state;
    static const sampled_audit a = {.runs = 200000, .delta = .05};
    ask_item vertex = some(ASK_VERTEX, FW_STEPS, .5);
    vertex.noise = ASK_GUMBEL;
    ask_plan plan = plan_one(vertex);
    account_list events;
    account_price price;
    sotto_error error;
    int64_t often[2] = {0, 0};
    if (curator_events(&events, &plan, ACCOUNT_REPLACE_ONE, 2, &error) ||
        account_epsilon(&events, a.delta, &price, &error))
        fail_msg("%s", error.message);
    account_free(&events);
    plan.item[0].count *= a.runs;
    for (int which = 1; which <= 2; which++) {
        curator_policy policy =
            policy_of(ACCOUNT_REPLACE_ONE, 70 + (uint64_t)which);
        curator *c = open_pair(which, &policy, &plan);
        often[which - 1] = fw_hits(c, a.runs);
        curator_close(c);
    }
    double seen = sampled_certified(&a, often[0], often[1]);
    print_message("Frank-Wolfe: claimed epsilon %.3f, certified %.3f\n",
                  price.epsilon, seen);
    assert_true(seen <= price.epsilon);
    assert_true(seen >= .9 * price.epsilon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_cd),
        cmocka_unit_test(test_gd),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_sgd),
        cmocka_unit_test(test_newton_questions),
        cmocka_unit_test(test_class_questions),
        cmocka_unit_test(test_scaled_rows),
        cmocka_unit_test(test_minimisers),
        cmocka_unit_test(test_fw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
