/*
 * DP-SCD inside the curator: each requirement of Lemma C2 (docs/privacy)
 * has a test here. This file sees the curator's own header, so that it can
 * look at what nobody else can: dual variables and batches.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "curator/internal.h"
#include "plans.h"
#include "reading.h"

#include "exact.h"
#include "solver/scd.h"

/* ---- small tables ---- */

static uint64_t seed = 3;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

enum { ROWS = 60, FEATURES = 3 };

/* Rows as text, so that single ones can be taken or changed. */
typedef struct lines {
    char *row[ROWS];
} lines;

static char *some_line(int classes)
{
    text_buffer t = {0};
    double a = 2 * uniform() - 1, b = 2 * uniform() - 1, c = uniform();
    double y = .8 * a - .5 * b + .1 + .6 * (uniform() - .5);
    text_format(&t, "%.6f,%.6f,%.6f,", a, b, c);
    if (classes)
        text_format(&t, "%d\n", y > 0);
    else
        text_format(&t, "%.6f\n", y);
    return t.data;
}

static lines some_lines(int classes)
{
    lines l;
    for (int i = 0; i < ROWS; i++)
        l.row[i] = some_line(classes);
    return l;
}

static void free_lines(lines *l)
{
    for (int i = 0; i < ROWS; i++)
        mem_free(l->row[i]);
}

static sotto_table *table_of(char *const *row, int count, const char *name)
{
    text_buffer t = {0};
    text_put(&t, "a,b,c,t\n");
    for (int i = 0; i < count; i++)
        text_put(&t, row[i]);
    sotto_table *table = read_text(
        "d.csv", t.data,
        SETTINGS({"target", "t"}, {"loss", name}, {"precision", "float"}));
    text_free(&t);
    return table;
}

static curator_policy policy_of(loss_kind kind, double rows)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = rows,
                            .loss = {kind, 1.35},
                            .weight_bound = 1,
                            .norm_bound = 1,
                            .insecure = 1,
                            .seed = 7};
}

static ask_plan plan_of(double rate, int64_t steps, double level)
{
    return plan_one((ask_item){.kind = ASK_DUAL,
                               .count = steps,
                               .noise = rate < 1 ? ASK_SAMPLED : ASK_GAUSSIAN,
                               .rate = rate,
                               .level = level});
}

static curator *open_or_fail(sotto_table *t, const curator_policy *policy,
                             const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

static const double somewhere[FEATURES] = {.3, -.2, .5};
static const double nowhere[FEATURES] = {0, 0, 0};

static ask_dual at_point(const double *weight, double clip)
{
    return (ask_dual){
        .weight = weight, .l2 = .05, .at_once = .25, .clip = clip};
}

static void ask(curator *c, const ask_dual *at, int64_t *move)
{
    double unit;
    sotto_error error;
    if (curator_ask_dual(c, at, move, &unit, &error))
        fail_msg("%s", error.message);
    assert_true(unit == at->clip / KERNEL_CLIP);
}

/* ---- one record ---- */

/* Any record, of any bits, at any point: its integers are within the ball
   that is charged, and so are those of many steps, each by itself. */
static void test_bound(void **state)
{
    (void)state;
    static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_HUBER};
    for (int trial = 0; trial < 3000; trial++) {
        text_buffer t = {0};
        double weight[FEATURES];
        int64_t move[FEATURES];
        for (int j = 0; j < 4; j++) {
            double size = pow(10, 80 * (uniform() - .5));
            text_format(&t, "%s%.9g", j ? "," : "",
                        (uniform() - .5) * fmin(size, 3e38));
        }
        text_put(&t, "\n");
        curator_policy policy = policy_of(kinds[trial % 2], 1);
        policy.without_noise = 1;
        policy.norm_bound = trial % 3 ? pow(10, 20 * (uniform() - .5)) : 0;
        ask_plan plan = plan_of(1, 5, 0);
        curator *c =
            open_or_fail(table_of(&t.data, 1, "squared"), &policy, &plan);
        for (int step = 0; step < 5; step++) {
            double squares = 0;
            for (int j = 0; j < FEATURES; j++)
                weight[j] = (uniform() - .5) * pow(10, 100 * (uniform() - .5));
            ask_dual at = at_point(weight, pow(10, 50 * (uniform() - .5)));
            at.l2 = pow(10, 20 * (uniform() - .5));
            ask(c, &at, move);
            for (int j = 0; j < FEATURES; j++)
                squares += (double)move[j] * (double)move[j];
            assert_true(squares <= (double)KERNEL_CLIP * KERNEL_CLIP);
            assert_true(isfinite(c->dual.row[0].alpha));
        }
        curator_close(c);
        text_free(&t);
    }
}

/* A caller may flush denormals to 0 or round in another direction. A row of
   many tiny values still has its full length, and is clipped. */
static void test_modes(void **state)
{
    (void)state;
    enum { MANY = 400 };
#if defined(__x86_64__)
    static const uint32_t modes[] = {0x1f80,          0x1f80 | 0x40,
                                     0x1f80 | 0x8000, 0x1f80 | 0x8040,
                                     0x1f80 | 0x2000, 0x1f80 | 0x6000};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        text_buffer t = {0};
        double weight[MANY] = {0}, unit, squares = 0;
        int64_t move[MANY];
        for (int j = 0; j < MANY; j++)
            text_format(&t, "x%d,", j);
        text_put(&t, "t\n1.1756e-38,");
        for (int j = 1; j < MANY; j++)
            text_put(&t, "1.1e-38,");
        text_put(&t, "3.4e38\n");
        sotto_table *table = read_text(
            "d.csv", t.data, SETTINGS({"target", "t"}, {"epsilon", "1"}));
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        policy.without_noise = 1;
        policy.norm_bound = 0;
        ask_plan plan = plan_of(1, 1, 0);
        ask_dual at = {.weight = weight, .l2 = 1, .at_once = 1, .clip = .5};
        curator *c;
        sotto_error error;
        _mm_setcsr(modes[m]);
        sotto_status opened = curator_open(&c, &table, &policy, &plan, &error);
        sotto_status asked =
            opened ? opened : curator_ask_dual(c, &at, move, &unit, &error);
        _mm_setcsr(0x1f80);
        assert_int_equal(asked, SOTTO_OK);
        for (int j = 0; j < MANY; j++)
            squares += (double)move[j] * (double)move[j];
        assert_true(squares <= (double)KERNEL_CLIP * KERNEL_CLIP);
        assert_true(squares > .9 * KERNEL_CLIP * KERNEL_CLIP);
        curator_close(c);
        text_free(&t);
    }
#endif
}

/* The first step, from v = 0 and alpha = 0, is the closed form; what is
   stored is what was told, also where it was clipped. */
static void test_first_step(void **state)
{
    (void)state;
    char row[] = "0.5,-0.25,0.125,0.75\n", *one = row;
    double square = .25 + .0625 + .015625, k = square * .25 / .05;
    double zeta = .75 / (1 + k);
    for (int clipped = 0; clipped < 2; clipped++) {
        double clip = clipped ? .03125 : 1;
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        policy.without_noise = 1;
        ask_plan plan = plan_of(1, 1, 0);
        curator *c = open_or_fail(table_of(&one, 1, "squared"), &policy, &plan);
        ask_dual at = at_point(nowhere, clip);
        int64_t move[FEATURES];
        double x[FEATURES] = {.5, -.25, .125};
        double expected = clipped ? clip / sqrt(square) : zeta;
        assert_true(c->dual.row[0].alpha == 0);
        ask(c, &at, move);
        assert_true(fabs(c->dual.row[0].alpha - expected) < 1e-12);
        for (int j = 0; j < FEATURES; j++)
            assert_true(fabs((double)move[j] * clip / KERNEL_CLIP -
                             c->dual.row[0].alpha * x[j]) <=
                        clip / KERNEL_CLIP + 1e-9 * clip);
        curator_close(c);
    }
}

/* Rows longer than the norm count as ones of that norm, by themselves. */
static void test_norm(void **state)
{
    (void)state;
    char a[] = "3,0,4,1\n", b[] = "0.6,0,0.8,1\n", *rows[] = {a, b};
    int64_t move[2][FEATURES];
    for (int i = 0; i < 2; i++) {
        curator_policy policy = policy_of(LOSS_LOGISTIC, 1);
        policy.without_noise = 1;
        ask_plan plan = plan_of(1, 1, 0);
        curator *c =
            open_or_fail(table_of(&rows[i], 1, "logistic"), &policy, &plan);
        ask_dual at = at_point(somewhere, 1);
        ask(c, &at, move[i]);
        curator_close(c);
    }
    for (int j = 0; j < FEATURES; j++)
        assert_true(llabs(move[0][j] - move[1][j]) <= 2);
    assert_true(move[0][0] != 0 && move[0][1] == 0);
}

/* ---- no coupling in a batch ---- */

/* What rows add together is the sum of what each adds alone, to the last
   bit: not divided by how many there are, not one after the other, and
   whatever the number of rows. */
static void test_rows_add_up(void **state)
{
    (void)state;
    static const char *const names[] = {"squared", "logistic", "hinge",
                                        "squared-hinge"};
    for (int n = 0; n < 4; n++) {
        loss_kind kind;
        loss_named(names[n], &kind);
        lines l = some_lines(n > 0);
        int64_t all[FEATURES], alone[FEATURES], sum[FEATURES] = {0};
        curator_policy policy = policy_of(kind, 10);
        policy.without_noise = 1;
        ask_plan plan = plan_of(1, 1, 0);
        ask_dual at = at_point(somewhere, .1);
        curator *c =
            open_or_fail(table_of(l.row, ROWS, names[n]), &policy, &plan);
        ask(c, &at, all);
        for (int i = 0; i < ROWS; i++) {
            curator *one =
                open_or_fail(table_of(&l.row[i], 1, names[n]), &policy, &plan);
            ask(one, &at, alone);
            for (int j = 0; j < FEATURES; j++)
                sum[j] += alone[j];
            assert_true(one->dual.row[0].alpha == c->dual.row[i].alpha);
            curator_close(one);
        }
        assert_memory_equal(all, sum, sizeof all);
        curator_close(c);
        free_lines(&l);
    }
}

/* ---- what a record's dual variable knows ---- */

enum { STEPS = 80 };

typedef struct transcript {
    double weight[STEPS][FEATURES]; /* the public point of each step */
    char in[STEPS][ROWS];           /* who was in its batch */
    double alpha[ROWS];
} transcript;

static void run_transcript(transcript *out, char *const *row, loss_kind kind)
{
    curator_policy policy = policy_of(kind, ROWS);
    ask_plan plan = plan_of(.25, STEPS, 1);
    curator *c =
        open_or_fail(table_of(row, ROWS, loss_name(kind)), &policy, &plan);
    double weight[FEATURES] = {0};
    memset(out, 0, sizeof *out);
    for (int t = 0; t < STEPS; t++) {
        int64_t move[FEATURES];
        ask_dual at = at_point(weight, .1);
        memcpy(out->weight[t], weight, sizeof weight);
        ask(c, &at, move);
        for (int64_t k = 0; k < c->batch.count; k++)
            out->in[t][c->batch.row[k]] = 1;
        for (int j = 0; j < FEATURES; j++)
            weight[j] += (double)move[j] * .1 / KERNEL_CLIP / (.05 * ROWS);
    }
    for (int i = 0; i < ROWS; i++)
        out->alpha[i] = c->dual.row[i].alpha;
    curator_close(c);
}

/* The dual variable of a record that never met another: only its own coins
   and the public points. */
static double replay(char *const *row, loss_kind kind, const transcript *s,
                     int i)
{
    curator_policy policy = policy_of(kind, ROWS);
    ask_plan plan = plan_of(1, STEPS, 0);
    policy.without_noise = 1;
    curator *c =
        open_or_fail(table_of(row, 1, loss_name(kind)), &policy, &plan);
    for (int t = 0; t < STEPS; t++) {
        int64_t move[FEATURES];
        ask_dual at = at_point(s->weight[t], .1);
        if (s->in[t][i])
            ask(c, &at, move);
    }
    double alpha = c->dual.row[0].alpha;
    curator_close(c);
    return alpha;
}

/* With the same coins and noise, another record k: the transcript changes,
   and every other dual variable is what that transcript makes of it. */
static void test_replay(void **state)
{
    (void)state;
    static transcript with, changed;
    static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC, LOSS_HINGE};
    for (int n = 0; n < 3; n++) {
        lines l = some_lines(n > 0);
        int k = (int)(ROWS * uniform());
        run_transcript(&with, l.row, kinds[n]);
        mem_free(l.row[k]);
        l.row[k] = some_line(n > 0);
        run_transcript(&changed, l.row, kinds[n]);
        assert_memory_equal(with.in, changed.in, sizeof with.in);
        assert_memory_not_equal(with.weight, changed.weight,
                                sizeof with.weight);
        for (int i = 0; i < ROWS; i++)
            assert_true(replay(&l.row[i], kinds[n], &changed, i) ==
                        changed.alpha[i]);
        free_lines(&l);
    }
}

/* ---- coins ---- */

/* So many draws of everybody's coins: each row's number of batches, pairs of
   neighbours, and sums and squares of sizes. */
typedef struct counted {
    double row[ROWS], pairs, size, squares;
} counted;

static counted count_batches(curator *c, double rate, int times)
{
    counted out = {0};
    sotto_error error;
    for (int t = 0; t < times; t++) {
        char in[ROWS] = {0};
        assert_int_equal(batch_draw(c, rate, &error), SOTTO_OK);
        for (int64_t k = 0; k < c->batch.count; k++)
            in[c->batch.row[k]]++;
        for (int i = 0; i < ROWS; i++) {
            assert_true(in[i] <= 1);
            out.row[i] += in[i];
            out.pairs += i && in[i] && in[i - 1];
        }
        out.size += (double)c->batch.count;
        out.squares += (double)c->batch.count * (double)c->batch.count;
    }
    return out;
}

/* Sizes are binomial, so their variance is n q (1 - q): a batch of a fixed
   size has none. All rows are alike (twins, too, have a coin each), and
   neighbours independent. 6 sigma each: false alarm below 1e-6. */
static void test_coins(void **state)
{
    (void)state;
    enum { TIMES = 20000 };
    char same[] = "1,1,1,1\n", *row[ROWS];
    for (int i = 0; i < ROWS; i++)
        row[i] = same;
    static const double rates[] = {.25, .015625};
    for (int n = 0; n < 2; n++) {
        double q = rates[n], spread = ROWS * q * (1 - q);
        curator_policy policy = policy_of(LOSS_SQUARED, ROWS);
        ask_plan plan = plan_of(q, 1, 1);
        curator *c =
            open_or_fail(table_of(row, ROWS, "squared"), &policy, &plan);
        counted got = count_batches(c, q, TIMES);
        double mean = got.size / TIMES;
        double variance = got.squares / TIMES - mean * mean;
        assert_true(fabs(mean - ROWS * q) < 6 * sqrt(spread / TIMES));
        assert_true(fabs(variance / spread - 1) < 6 * sqrt(4. / TIMES));
        for (int i = 0; i < ROWS; i++)
            assert_true(fabs(got.row[i] / TIMES - q) <
                        6 * sqrt(q * (1 - q) / TIMES));
        double tries = (double)TIMES * (ROWS - 1), both = q * q;
        assert_true(fabs(got.pairs / tries - both) <
                    6 * sqrt(3 * both / tries));
        curator_close(c);
    }
}

/* A mark of the next batches. */
static uint64_t mark_of(curator *c)
{
    uint64_t mark = 0;
    sotto_error error;
    for (int t = 0; t < 20; t++) {
        assert_int_equal(batch_draw(c, .25, &error), SOTTO_OK);
        for (int64_t k = 0; k < c->batch.count; k++)
            mark = mark * 1099511628211u ^ (c->batch.row[k] + 1u);
        mark = mark * 31 + 1;
    }
    return mark;
}

/* Private coins are of the system's: other ones in each question, and after
   a restart; with a seed they are not those that public choices are made
   of. */
static void test_coins_are_secret(void **state)
{
    (void)state;
    lines l = some_lines(0);
    uint64_t mark[3], word, first;
    sotto_error error;
    ask_plan plan = plan_of(.25, 1, 1);
    for (int i = 0; i < 2; i++) {
        curator_policy policy = policy_of(LOSS_SQUARED, ROWS);
        policy.insecure = 0;
        curator *c =
            open_or_fail(table_of(l.row, ROWS, "squared"), &policy, &plan);
        assert_true(curator_is_private(c));
        assert_true(noise_is_private(c->batch.coins));
        mark[i] = mark_of(c);
        mark[2] = mark_of(c);
        assert_true(mark[i] != mark[2]);
        curator_close(c);
    }
    assert_true(mark[0] != mark[1]);
    curator_policy policy = policy_of(LOSS_SQUARED, ROWS);
    curator *c = open_or_fail(table_of(l.row, ROWS, "squared"), &policy, &plan);
    assert_int_equal(curator_public_word(c, &word, &error), SOTTO_OK);
    noise_words(c->batch.coins, &first, 1);
    assert_true(word != first);
    assert_false(curator_is_private(c));
    curator_close(c);
    free_lines(&l);
}

/* All rows of a person are in, or none; those beyond the first K never. */
static void test_people(void **state)
{
    (void)state;
    const char *schema = "{\"sotto_schema\": 1, \"columns\": {\"who\": "
                         "{\"type\": \"unit\"}, \"a\": {\"type\": \"number\"}, "
                         "\"t\": {\"type\": \"target\"}}}";
    const char *text = "who,a,t\nx,1,0\ny,1,0\nx,1,0\nx,1,0\nz,1,0\ny,1,0\n";
    sotto_table *t =
        read_text("d.csv", text, SETTINGS({"schema", write_temporary(schema)}));
    curator_policy policy = policy_of(LOSS_SQUARED, 6);
    policy.rows_per_person = 2;
    policy.has_people = 1;
    ask_plan plan = plan_of(.5, 1, 1);
    curator *c = open_or_fail(t, &policy, &plan);
    sotto_error error;
    int64_t seen[8] = {0};
    for (int i = 0; i < 4000; i++) {
        char in[6] = {0};
        assert_int_equal(batch_draw(c, .5, &error), SOTTO_OK);
        for (int64_t k = 0; k < c->batch.count; k++)
            in[c->batch.row[k]]++;
        assert_true(in[0] == in[2] && in[1] == in[5] && in[3] == 0);
        seen[in[0] + 2 * in[1] + 4 * in[4]]++;
    }
    for (int i = 0; i < 8; i++) /* 500 expected, sd 21 */
        assert_true(seen[i] > 370 && seen[i] < 630);
    curator_close(c);
    /* several rows, and nobody says whose */
    policy.has_people = 0;
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "--unit-column"));
    plan = plan_of(1, 1, 1);
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_OK);
    /* a question whose sum is over all rows has no batch */
    plan.item[0].kind = ASK_PARTIAL;
    plan.item[0].noise = ASK_SAMPLED;
    plan.item[0].rate = .5;
    policy.rows_per_person = 1;
    assert_int_equal(curator_check(&policy, &plan, 1, &error), SOTTO_FAILED);
}

/* ---- noise ---- */

/* Batches that are nearly always empty: what is left is the noise, on every
   coordinate, at the scale it is priced at: not twice for replace-one, which
   the accountant knows; K times for K rows. 3 x 4000 draws: 6 sigma is
   3.9 %. */
static void test_empty_batches(void **state)
{
    (void)state;
    enum { TIMES = 4000 };
    static const struct {
        account_adjacency adjacency;
        double rate, expected;
    } cases[] = {{ACCOUNT_ADD_REMOVE, 0x1p-40, 1},
                 {ACCOUNT_ZERO_OUT, 0x1p-40, 1},
                 {ACCOUNT_REPLACE_ONE, 0x1p-40, 1},
                 {ACCOUNT_REPLACE_ONE, 1, 2}};
    char none[] = "0,0,0,1\n", *row = none;
    for (int n = 0; n < 4; n++) {
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        policy.adjacency = cases[n].adjacency;
        ask_plan plan = plan_of(cases[n].rate, TIMES, .5);
        curator *c = open_or_fail(table_of(&row, 1, "squared"), &policy, &plan);
        double squares = 0;
        for (int t = 0; t < TIMES; t++) {
            int64_t move[FEATURES];
            ask_dual at = at_point(somewhere, .25);
            ask(c, &at, move);
            for (int j = 0; j < FEATURES; j++)
                squares += (double)move[j] * (double)move[j];
        }
        double sd = sqrt(squares / (TIMES * FEATURES)) / KERNEL_CLIP;
        assert_true(fabs(sd * .5 / cases[n].expected - 1) < .039);
        curator_close(c);
    }
}

/* ---- storage ---- */

/* Dense and sparse rows, the same bits. */
static void test_storage(void **state)
{
    (void)state;
    const char *dense = "a,b,c,t\n1,0,-0.5,1\n0,0.25,0,0\n0,0,0,1\n"
                        "0.125,1,2,0\n";
    const char *sparse = "1 1:1 3:-0.5\n-1 2:0.25\n1\n-1 1:0.125 2:1 3:2\n";
    int64_t move[2][STEPS][FEATURES];
    for (int form = 0; form < 2; form++) {
        sotto_table *t =
            form ? read_text("d.svm", sparse,
                             SETTINGS({"loss", "logistic"}, {"features", "3"},
                                      {"epsilon", "1"}))
                 : read_text("d.csv", dense,
                             SETTINGS({"target", "t"}, {"loss", "logistic"},
                                      {"classes", "0,1"}, {"epsilon", "1"}));
        assert_int_equal(t->sparse, form);
        curator_policy policy = policy_of(LOSS_LOGISTIC, 4);
        ask_plan plan = plan_of(.5, STEPS, 1);
        curator *c = open_or_fail(t, &policy, &plan);
        double weight[FEATURES] = {0};
        for (int s = 0; s < STEPS; s++) {
            ask_dual at = at_point(weight, .5);
            ask(c, &at, move[form][s]);
            for (int j = 0; j < FEATURES; j++)
                weight[j] += 1e-7 * (double)move[form][s][j];
        }
        assert_true(c->dual.row[2].alpha == 0); /* a row of norm 0 */
        curator_close(c);
    }
    assert_memory_equal(move[0], move[1], sizeof move[0]);
}

/* ---- the solver ---- */

static double exact_minimum(char *const *row, const char *name,
                            const solver_problem *p, exact_problem *problem)
{
    exact_solution x;
    sotto_error error;
    text_buffer t = {0};
    text_put(&t, "a,b,c,t\n");
    for (int i = 0; i < ROWS; i++)
        text_put(&t, row[i]);
    *problem = (exact_problem){
        .table = read_text(
            "d.csv", t.data,
            SETTINGS({"target", "t"}, {"loss", name}, {"precision", "double"})),
        .loss = p->loss,
        .l2 = p->l2,
        .low = -INFINITY,
        .high = INFINITY,
        .tolerance = 1e-10};
    text_free(&t);
    assert_int_equal(exact_solve(&x, problem, &error), SOTTO_OK);
    double minimum = x.objective;
    exact_solution_free(&x);
    return minimum;
}

static void test_without_noise(void **state)
{
    (void)state;
    static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC,
                                      LOSS_HINGE,   LOSS_SQUARED_HINGE,
                                      LOSS_HUBER,   LOSS_SMOOTH_HINGE};
    for (int n = 0; n < 6; n++) {
        const char *name =
            loss_name(kinds[n] == LOSS_SMOOTH_HINGE ? LOSS_HINGE : kinds[n]);
        lines l = some_lines(loss_has_classes(kinds[n]));
        solver_problem p = {.loss = {kinds[n], 1.35},
                            .l2 = .1,
                            .low = -INFINITY,
                            .high = INFINITY,
                            .features = FEATURES};
        scd_settings s = {.steps = 4000, .rate = .25, .clip = 2};
        curator_policy policy = policy_of(kinds[n], ROWS);
        policy.norm_bound = INFINITY;
        policy.without_noise = 1;
        ask_plan plan = plan_of(.25, s.steps, 0);
        curator *c = open_or_fail(table_of(l.row, ROWS, name), &policy, &plan);
        double weight[FEATURES];
        solver_answer answer = {.weight = weight};
        sotto_error error;
        if (scd_run(&answer, c, &p, &s, NULL, NULL, &error))
            fail_msg("%s", error.message);
        assert_false(curator_is_private(c));
        curator_close(c);
        exact_problem problem;
        double minimum = exact_minimum(l.row, name, &p, &problem);
        double reached = exact_objective(&problem, weight, 0);
        if (!(reached <= minimum * (1 + 1e-5)))
            fail_msg("%s: %.10g, minimum %.10g", name, reached, minimum);
        sotto_table_free((sotto_table *)(uintptr_t)problem.table);
        free_lines(&l);
    }
}

/* Invalid arguments are refused before any record is read. */
static void test_refusals(void **state)
{
    (void)state;
    lines l = some_lines(0);
    curator_policy policy = policy_of(LOSS_SQUARED, ROWS);
    ask_plan plan = plan_of(.25, 1, 1);
    curator *c = open_or_fail(table_of(l.row, ROWS, "squared"), &policy, &plan);
    double bad[FEATURES] = {0, NAN, 0}, unit;
    int64_t move[FEATURES];
    sotto_error error;
    ask_dual asks[4];
    for (int i = 0; i < 4; i++)
        asks[i] = at_point(somewhere, 1);
    asks[0].weight = bad;
    asks[1].clip = 0;
    asks[2].l2 = 0;
    asks[3].clip = INFINITY;
    for (int i = 0; i < 4; i++)
        assert_int_equal(curator_ask_dual(c, &asks[i], move, &unit, &error),
                         SOTTO_USAGE);
    ask_dual good = at_point(somewhere, 1);
    assert_int_equal(curator_ask_dual(c, &good, move, &unit, &error), SOTTO_OK);
    assert_int_equal(curator_ask_dual(c, &good, move, &unit, &error),
                     SOTTO_BUDGET);
    assert_true(move[0] == 0 && move[1] == 0 && move[2] == 0);
    curator_close(c);
    /* rates that coins cannot have */
    static const double rates[] = {0, -1, 2, 0x1p-70};
    plan = plan_of(1, 1, 1); /* of a vector, in the Euclidean length */
    plan.item[0].noise = ASK_LAPLACE;
    assert_int_equal(curator_check(&policy, &plan, 3, &error), SOTTO_FAILED);
    for (int i = 0; i < 4; i++) {
        plan = plan_of(.25, 1, 1);
        plan.item[0].rate = rates[i];
        assert_int_equal(curator_check(&policy, &plan, 3, &error),
                         SOTTO_FAILED);
    }
    free_lines(&l);
}

/* ---- for comparison ---- */

/* Blocks take turns, whatever a solver does. Each row is in one block, is
   priced once a round, and the noise is for all rows of the block. */
static void test_sequence(void **state)
{
    (void)state;
    enum { BLOCK = 25, BLOCKS = 3, ROUNDS = 4 };
    lines l = some_lines(0);
    ask_plan plan = plan_one((ask_item){.kind = ASK_SEQUENCE,
                                        .count = ROUNDS * BLOCKS,
                                        .level = .5,
                                        .block = BLOCK,
                                        .blocks = BLOCKS});
    curator_policy policy = policy_of(LOSS_SQUARED, ROWS);
    sotto_error error;
    assert_int_equal(curator_check(&policy, &plan, 3, &error), SOTTO_PRIVACY);
    policy.adjacency = ACCOUNT_ZERO_OUT;
    curator *c = open_or_fail(table_of(l.row, ROWS, "squared"), &policy, &plan);
    int seen[ROWS] = {0};
    for (int t = 0; t < ROUNDS * BLOCKS; t++) {
        int64_t move[FEATURES];
        double unit;
        ask_dual at = at_point(somewhere, .1);
        assert_int_equal(curator_ask_sequence(c, &at, move, &unit, &error),
                         SOTTO_OK);
        for (int64_t k = 0; k < c->batch.count; k++) {
            assert_int_equal(c->batch.row[k] / BLOCK, t % BLOCKS);
            seen[c->batch.row[k]]++;
        }
    }
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(seen[i], ROUNDS);
    curator_close(c);
    const ask_item *item = &plan.item[0];
    assert_int_equal(curator_priced_count(item), ROUNDS);
    assert_true(gate_sensitivity(&policy, item, 3) ==
                KERNEL_CLIP * (2. * BLOCK - 1));
    policy.adjacency = ACCOUNT_REPLACE_ONE;
    assert_true(gate_sensitivity(&policy, item, 3) == KERNEL_CLIP * 2. * BLOCK);
    policy.rows_per_person = 2;
    assert_int_equal(curator_check(&policy, &plan, 3, &error), SOTTO_PRIVACY);
    free_lines(&l);
}

/* Whatever the record, a coordinate stays between the ends; no more of them
   are answered at once than are priced. */
static void test_primal(void **state)
{
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        text_buffer t = {0};
        for (int j = 0; j < 4; j++)
            text_format(&t, "%s%.9g", j ? "," : "",
                        (uniform() - .5) * pow(10, 70 * (uniform() - .5)));
        text_put(&t, "\n");
        curator_policy policy = policy_of(LOSS_SQUARED, 1);
        policy.without_noise = 1;
        ask_plan plan =
            plan_one((ask_item){.kind = ASK_PRIMAL, .count = 2, .block = 2});
        curator *c =
            open_or_fail(table_of(&t.data, 1, "squared"), &policy, &plan);
        ask_primal at = {.weight = somewhere,
                         .first = 1,
                         .count = 2,
                         .l2 = 1e-3,
                         .clip = .01};
        int64_t move[FEATURES];
        double unit;
        sotto_error error;
        assert_int_equal(curator_ask_primal(c, &at, move, &unit, &error),
                         SOTTO_OK);
        for (int j = 0; j < 2; j++)
            assert_true(llabs(move[j]) <= KERNEL_CLIP);
        at.first = 0;
        at.count = 3;
        assert_int_equal(curator_ask_primal(c, &at, move, &unit, &error),
                         SOTTO_BUDGET);
        curator_close(c);
        text_free(&t);
    }
}

/* Replaced records: the pair of two opposite ones, and of questions about all
   rows what their noise is made for (Lemma C23). */
static void test_replace_one(void **state)
{
    (void)state;
    ask_plan plan = plan_of(.02, 200, .5);
    account_list got, pair;
    account_price a, b;
    sotto_error error;
    plan.item[plan.items++] = (ask_item){
        .kind = ASK_TOTAL, .noise = ASK_GAUSSIAN, .level = .25, .count = 1};
    assert_int_equal(
        curator_events(&got, &plan, ACCOUNT_REPLACE_ONE, 3, &error), SOTTO_OK);
    got.draws = 0;
    assert_int_equal(account_parse(&pair,
                                   "200*SUBSAMPLED_GAUSS(.02, 2)@add-remove + "
                                   "GAUSS(.25)@replace-one",
                                   NULL, NAN, ACCOUNT_REPLACE_ONE, &error),
                     SOTTO_OK);
    assert_int_equal(account_epsilon(&got, 1e-5, &a, &error), SOTTO_OK);
    assert_int_equal(account_epsilon(&pair, 1e-5, &b, &error), SOTTO_OK);
    assert_true(fabs(a.epsilon / b.epsilon - 1) < 1e-9);
    pair.adjacency = pair.event[1].adjacency = ACCOUNT_ADD_REMOVE;
    assert_int_equal(account_epsilon(&pair, 1e-5, &b, &error), SOTTO_OK);
    assert_true(a.epsilon > 1.3 * b.epsilon);
    account_free(&got);
    account_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_norm),
        cmocka_unit_test(test_rows_add_up),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_coins),
        cmocka_unit_test(test_coins_are_secret),
        cmocka_unit_test(test_people),
        cmocka_unit_test(test_empty_batches),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_primal),
        cmocka_unit_test(test_replace_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
