/*
 * Block-coordinate Frank-Wolfe converges as the paper's Table 1 says, on
 * problems whose curvature is known: for every sampling the mean of f(x_t) -
 * f(x*) is below 2 (h_0 + (1 + rho) C / p_min) / (p_min t + 2) at every step.
 *
 * The problems are made so that the bound is not far from the truth. On one,
 * optima are in the middle of faces, and steps that are too large for too long
 * (a p_min that is misprinted as its square, or that forgets the K of K tau /
 * d) stay above it; on the other they are far vertices, and steps that are too
 * small (one of K blocks moves, and K is forgotten) do.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "solver/blocks.h"

/* ---- a problem whose matrix is the identity ---- */

enum { BLOCKS = 128, EACH = 16, FEATURES = BLOCKS * EACH };

/* f(x) = |x - b|^2 / (2n) with n = FEATURES rows, in BLOCKS balls of radius
   1. */
typedef struct problem {
    double b[FEATURES], best[FEATURES];
    double clip, start; /* h_0 */
    char *text;
} problem;

static double gap(const problem *q, const double *x)
{
    double sum = 0;
    for (int j = 0; j < FEATURES; j++) {
        double to = x[j] - q->b[j], least = q->best[j] - q->b[j];
        sum += to * to - least * least;
    }
    return sum / (2 * FEATURES);
}

/* The middle of a face, or a vertex that is far from what is aimed at. */
static void make_problem(problem *q, int far)
{
    static const double zero[FEATURES];
    text_buffer t = {0};
    for (int j = 0; j < FEATURES; j++) {
        q->b[j] = far ? 50 * (j % EACH == 3) : 1. / EACH;
        q->best[j] = far ? j % EACH == 3 : q->b[j];
        text_format(&t, "%.17g %d:1\n", q->b[j], j + 1);
    }
    q->clip = far ? 52 : 2;
    q->start = gap(q, zero);
    q->text = t.data;
}

/* ---- runs ---- */

enum { MOST_STEPS = 16384 };

typedef struct watched {
    const problem *problem;
    const double *weight;
    double *sum; /* of the gaps, by step */
    int64_t step;
} watched;

static int watch(void *context, const solver_stage *at)
{
    watched *w = context;
    (void)at;
    w->sum[++w->step] += gap(w->problem, w->weight);
    return 0;
}

static const bcfw_domain *balls(void)
{
    static int64_t coordinate[FEATURES];
    static bcfw_block block[BLOCKS];
    static const bcfw_domain domain = {block, BLOCKS, 0};
    for (int j = 0; j < FEATURES; j++)
        coordinate[j] = j;
    for (int i = 0; i < BLOCKS; i++)
        block[i] = (bcfw_block){coordinate + EACH * i, EACH, 1, 0, 0};
    return &domain;
}

/* Adds the gaps of one run, with noise of this level (0: none). */
static void run(const problem *q, const bcfw_sampling *s, int64_t steps,
                uint64_t seed, double level, double *sum)
{
    static double weight[FEATURES];
    const bcfw_domain *d = balls();
    ask_item vertex = some(ASK_VERTEX, steps * bcfw_most(d, s), level);
    vertex.noise = ASK_GUMBEL;
    ask_plan plan = plan_one(vertex);
    curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .rows_per_person = 1,
                             .rows = FEATURES,
                             .loss = {LOSS_SQUARED, 0},
                             .weight_bound = 1,
                             .without_noise = level == 0,
                             .insecure = 1,
                             .seed = seed};
    solver_problem p = {.loss = {LOSS_SQUARED, 0},
                        .low = -INFINITY,
                        .high = INFINITY,
                        .features = FEATURES};
    bcfw_settings settings = {.steps = steps, .clip = q->clip, .sampling = s};
    solver_answer out = {.weight = weight};
    watched w = {q, weight, sum, 0};
    sotto_table *t =
        read_text("d.svm", q->text,
                  SETTINGS({"loss", "squared"}, {"precision", "float"},
                           {"features", "2048"}));
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, &policy, &plan, &error) ||
        bcfw_run(&out, c, &p, d, &settings, watch, &w, &error))
        fail_msg("%s", error.message);
    curator_close(c);
}

/* The largest part of the bound that the mean gap reaches. `chance` and
   `curvature` are what the sampling is known to have. */
static double largest_part(const problem *q, const bcfw_sampling *s,
                           double chance, double curvature, double inexact,
                           double level)
{
    enum { RUNS = 3 };
    static double sum[MOST_STEPS + 1];
    int64_t steps = (int64_t)fmin(2 / (chance * chance), MOST_STEPS);
    steps = steps < 60 ? 60 : steps > 8192 ? 8192 : steps;
    double part = 0;
    for (int64_t t = 0; t <= steps; t++)
        sum[t] = 0;
    for (int i = 0; i < RUNS; i++)
        run(q, s, steps, (uint64_t)i + 1, level, sum);
    for (int64_t t = 1; t <= steps; t++) {
        double bound = 2 * (q->start + (1 + inexact) * curvature / chance) /
                       (chance * (double)t + 2);
        part = fmax(part, sum[t] / RUNS / bound);
    }
    return part;
}

/* ---- samplings ---- */

/* Half of the time one of the first half, each as likely; else all of the
   second half: blocks of the first have 1 / BLOCKS, others 1/2. */
static bcfw_sampling uneven(void)
{
    enum { HALF = BLOCKS / 2 };
    static double probability[HALF + 1], chance[BLOCKS];
    static int64_t start[HALF + 2], block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = i;
        chance[i] = i < HALF ? 1. / BLOCKS : .5;
    }
    for (int k = 0; k <= HALF; k++) {
        probability[k] = k < HALF ? 1. / BLOCKS : .5;
        start[k] = k;
    }
    start[HALF + 1] = BLOCKS;
    return (bcfw_sampling){.kind = BCFW_GIVEN,
                           .sets = HALF + 1,
                           .probability = probability,
                           .start = start,
                           .block = block,
                           .chance = chance};
}

/* f is a sum over the blocks, so C is the sum of p_i |2 e|^2 / n over
   blocks. */
static void check_rates(int far)
{
    static problem q;
    const struct {
        const char *name;
        bcfw_sampling sampling;
        double chance, blocks; /* least; how many move on average */
    } all[] = {
        {"all", {.kind = BCFW_ALL}, 1, BLOCKS},
        {"serial", {.kind = BCFW_SERIAL}, 1. / BLOCKS, 1},
        {"nice", {.kind = BCFW_NICE, .tau = 4}, 4. / BLOCKS, 4},
        {"two parties",
         {.kind = BCFW_DISTRIBUTED, .tau = 1, .parties = 2},
         2. / BLOCKS,
         2},
        {"many parties",
         {.kind = BCFW_DISTRIBUTED, .tau = 1, .parties = BLOCKS / 2},
         .5,
         BLOCKS / 2},
        {"given", uneven(), 1. / BLOCKS, .5 + BLOCKS / 4.},
    };
    make_problem(&q, far);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double curvature = all[i].blocks * 4 / FEATURES;
        double part =
            largest_part(&q, &all[i].sampling, all[i].chance, curvature, 0, 0);
        print_message("%s, %s: at most %.3f of the bound\n",
                      far ? "far" : "faces", all[i].name, part);
        assert_true(part <= 1);
    }
    mem_free(q.text);
}

static void test_faces(void **state)
{
    (void)state;
    check_rates(0);
}

static void test_far(void **state)
{
    (void)state;
    check_rates(1);
}

/* One block at a time, and steps for a p_min that is not the sampling's: what
   part of the bound they reach. */
static double wrong_part(int far, double believed)
{
    static problem q;
    static double probability[BLOCKS], chance[BLOCKS];
    static int64_t start[BLOCKS + 1], block[BLOCKS];
    bcfw_sampling serial = {.kind = BCFW_GIVEN,
                            .sets = BLOCKS,
                            .probability = probability,
                            .start = start,
                            .block = block,
                            .chance = chance};
    for (int i = 0; i < BLOCKS; i++) {
        probability[i] = 1. / BLOCKS;
        chance[i] = believed;
        block[i] = i;
        start[i + 1] = i + 1;
    }
    make_problem(&q, far);
    double part = largest_part(&q, &serial, 1. / BLOCKS, 4. / FEATURES, 0, 0);
    mem_free(q.text);
    print_message("%s, as if p_min were %.3g: %.3f of the bound\n",
                  far ? "far" : "faces", believed, part);
    return part;
}

/* The bound tells right from wrong. */
static void test_wrong_steps(void **state)
{
    (void)state;
    double right = 1. / BLOCKS;
    assert_true(wrong_part(0, right) <= 1);
    assert_true(wrong_part(1, right) <= 1);
    assert_true(wrong_part(0, right * right) > 1.5); /* as misprinted */
    assert_true(wrong_part(1, 1) > 1.5);             /* K forgotten */
}

/*
 * An inexact oracle (eq. 4): the exponential mechanism is off by ln(2m) / r
 * in expectation, r = level / (2 B) of an integer that is clip / (n B) of the
 * gradient. It is rho gamma C / 2 at the last step, and less before.
 */
static void test_inexact(void **state)
{
    (void)state;
    static problem q;
    make_problem(&q, 0);
    bcfw_sampling serial = {.kind = BCFW_SERIAL};
    double gamma = 2 / (8192. / BLOCKS + 2), curvature = 4. / FEATURES;
    double rho = 2, off = rho * gamma * curvature / 2;
    double level = 2 * q.clip * log(2 * EACH) / (FEATURES * off);
    double part = largest_part(&q, &serial, 1. / BLOCKS, curvature, rho, level);
    print_message("inexact, level %.3g: at most %.3f of the bound\n", level,
                  part);
    assert_true(part <= 1);
    mem_free(q.text);
}

/* ---- what a sampling draws ---- */

/* Each block as often as it should be, and none twice in a step. */
static void check_draws(const bcfw_sampling *s, const double *chance,
                        int64_t blocks)
{
    enum { DRAWS = 20000 };
    bcfw_block block[12] = {{0}};
    int64_t one = 0;
    for (int i = 0; i < 12; i++)
        block[i] = (bcfw_block){&one, i % 3 ? 1 : 2, i % 3 ? 1 : 0, -1, 1};
    bcfw_domain d = {block, blocks, 0};
    double count[12] = {0}, least = 1;
    uint64_t random = 1;
    int64_t most = 0;
    for (int i = 0; i < DRAWS; i++) {
        int64_t out[12], asked = 0;
        int64_t n = bcfw_draw(&d, s, &random, out);
        uint32_t seen = 0;
        for (int64_t k = 0; k < n; k++) {
            assert_true(out[k] >= 0 && out[k] < blocks);
            assert_false(seen >> out[k] & 1);
            seen |= 1u << out[k];
            count[out[k]]++;
            asked += block[out[k]].radius > 0 ? 1 : block[out[k]].count;
        }
        most = asked > most ? asked : most;
    }
    for (int64_t i = 0; i < blocks; i++) {
        double sd = sqrt(chance[i] * (1 - chance[i]) * DRAWS);
        assert_true(fabs(count[i] - chance[i] * DRAWS) <= 5.5 * sd);
        least = fmin(least, chance[i]);
    }
    assert_true(fabs(bcfw_least(&d, s) - least) < 1e-15);
    assert_int_equal(bcfw_most(&d, s), most);
}

static void test_samplings(void **state)
{
    (void)state;
    double same[12], parties[11];
    const double whole[5] = {1, 1, 1, 1, 1};
    for (int i = 0; i < 12; i++)
        same[i] = 1. / 12;
    check_draws(&(bcfw_sampling){.kind = BCFW_SERIAL}, same, 12);
    for (int i = 0; i < 12; i++)
        same[i] = 5. / 12;
    check_draws(&(bcfw_sampling){.kind = BCFW_NICE, .tau = 5}, same, 12);
    check_draws(&(bcfw_sampling){.kind = BCFW_ALL}, whole, 5);
    /* parties of 3, 4 and 4 of 11 blocks */
    for (int i = 0; i < 11; i++)
        parties[i] = i < 3 ? 2. / 3 : .5;
    check_draws(
        &(bcfw_sampling){.kind = BCFW_DISTRIBUTED, .tau = 2, .parties = 3},
        parties, 11);
    double probability[3] = {.25, .5, .25}, chance[3] = {.75, .25, .75};
    int64_t start[4] = {0, 1, 3, 5}, block[5] = {0, 2, 0, 1, 2};
    check_draws(&(bcfw_sampling){.kind = BCFW_GIVEN,
                                 .sets = 3,
                                 .probability = probability,
                                 .start = start,
                                 .block = block,
                                 .chance = chance},
                chance, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces),       cmocka_unit_test(test_far),
        cmocka_unit_test(test_wrong_steps), cmocka_unit_test(test_inexact),
        cmocka_unit_test(test_samplings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
