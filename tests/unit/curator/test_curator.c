/*
 * The curator and its gate: what was not planned is not answered, noise has
 * the scale it is priced at, one record moves no sum by more than it may,
 * and without noise DP-CD finds the minimiser.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "exact.h"
#include "solver/cd.h"
#include "solver/descent.h"

#include <sys/mman.h>
#include <sys/wait.h>

/* ---- small tables ---- */

static uint64_t seed = 11;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Rows of three features in [-1, 1] and a target, as CSV. */
static char *some_rows(int64_t rows, int classes)
{
    text_buffer t = {0};
    text_put(&t, "a,b,c,t\n");
    for (int64_t i = 0; i < rows; i++) {
        double a = 2 * uniform() - 1, b = 2 * uniform() - 1;
        double c = 2 * uniform() - 1;
        double y = .8 * a - .5 * b + .1 + .3 * (uniform() - .5);
        text_format(&t, "%.6f,%.6f,%.6f,", a, b, c);
        if (classes)
            text_format(&t, "%d\n", y + uniform() - .5 > 0);
        else
            text_format(&t, "%.6f\n", y);
    }
    assert_false(t.failed);
    return t.data;
}

static sotto_table *table_of(const char *text, const char *name, int wide)
{
    return read_text("d.csv", text,
                     SETTINGS({"target", "t"}, {"loss", name},
                              {"precision", wide ? "double" : "float"}));
}

static curator_policy plain_policy(loss_kind kind, double rows)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = rows,
                            .loss = {kind, 1.35},
                            .weight_bound = 1,
                            .intercept = 1,
                            .insecure = 1,
                            .seed = 7};
}

static curator *open_or_fail(sotto_table *t, const curator_policy *policy,
                             const ask_plan *plan)
{
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, policy, plan, &error))
        fail_msg("%s", error.message);
    assert_null(t);
    return c;
}

/* ---- the gate ---- */

static void test_over_budget(void **state)
{
    (void)state;
    char *text = some_rows(50, 0);
    curator_policy policy = plain_policy(LOSS_SQUARED, 50);
    ask_plan plan = plan_one(some(ASK_PARTIAL, 3, .5));
    curator *c = open_or_fail(table_of(text, "squared", 0), &policy, &plan);
    double clip[4] = {1, 1, 1, 1}, out;
    sotto_error error;
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(curator_ask_partial(c, i, &out, &error), SOTTO_OK);
    out = 1;
    assert_int_equal(curator_ask_partial(c, 0, &out, &error), SOTTO_BUDGET);
    assert_non_null(strstr(error.message, "3 of 3"));
    assert_true(out == 0);
    assert_int_equal(curator_ask_total(c, &out, &error), SOTTO_BUDGET);
    assert_int_equal(curator_ask_moments(c, clip, clip, &error), SOTTO_BUDGET);
    curator_close(c);
    mem_free(text);
}

/* The sd of many answers, in units of clip / rows: 1 / mu times a factor for
   the adjacency and for the rows of a person. */
static double measured_noise(const curator_policy *policy, double mu)
{
    enum { TIMES = 4000 };
    char *text = some_rows(20, 0);
    ask_plan plan = plan_one(some(ASK_PARTIAL, TIMES, mu));
    curator *c = open_or_fail(table_of(text, "squared", 0), policy, &plan);
    double clip[4] = {.25, .25, .25, .25}, out, sum = 0, squares = 0;
    sotto_error error;
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(curator_ask_partial(c, 1, &out, &error), SOTTO_OK);
        sum += out;
        squares += out * out;
    }
    curator_close(c);
    mem_free(text);
    double mean = sum / TIMES;
    return sqrt(squares / TIMES - mean * mean) * policy->rows / .25;
}

/* 4000 draws: the sd is known to 1.1 %, and 6 sigma is 6.7 %. */
static void test_scale(void **state)
{
    (void)state;
    static const struct {
        account_adjacency adjacency;
        int64_t rows;
        double expected;
    } cases[] = {{ACCOUNT_ADD_REMOVE, 1, 1},
                 {ACCOUNT_ZERO_OUT, 1, 1},
                 {ACCOUNT_REPLACE_ONE, 1, 2},
                 {ACCOUNT_ADD_REMOVE, 3, 3},
                 {ACCOUNT_REPLACE_ONE, 3, 6}};
    for (size_t i = 0; i < 5; i++) {
        curator_policy policy = plain_policy(LOSS_SQUARED, 20);
        policy.adjacency = cases[i].adjacency;
        policy.rows_per_person = cases[i].rows;
        double sd = measured_noise(&policy, .1) * .1;
        assert_true(fabs(sd / cases[i].expected - 1) < .067);
    }
}

/* ---- no noise twice ---- */

enum { ANSWERS = 4096 };

/* Answers to one question, noise alone: a row that adds 0; sd 1 at mu 1. */
static curator *open_noise(int insecure, double mu)
{
    curator_policy policy = plain_policy(LOSS_SQUARED, 1);
    policy.insecure = insecure;
    ask_plan plan = plan_one(some(ASK_PARTIAL, ANSWERS, mu));
    curator *c =
        open_or_fail(table_of("a,t\n0,0\n", "squared", 0), &policy, &plan);
    double clip[2] = {1, 1};
    sotto_error error;
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    return c;
}

static void ask_often(curator *c, double *out, int count)
{
    for (int i = 0; i < count; i++)
        if (curator_ask_partial(c, 0, out + i, NULL))
            abort();
}

/* The noises of two questions are not correlated. Each correlation has sd
   1/64; the limit is 6 sd, and the seed is fixed. */
static void test_answers_are_independent(void **state)
{
    (void)state;
    static double out[ANSWERS];
    curator *c = open_noise(1, 1);
    ask_often(c, out, ANSWERS);
    curator_close(c);
    for (int lag = 1; lag <= 130; lag++) {
        double sum = 0;
        for (int i = lag; i < ANSWERS; i++)
            sum += out[i] * out[i - lag];
        assert_true(fabs(sum / ANSWERS) < 6. / 64);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A forked child repeats no noise of its parent, drawn in advance or not.
   Two of 400 values are equal by chance with probability 5e-8. */
static void test_fork_shares_no_noise(void **state)
{
    (void)state;
    enum { EACH = 100 };
    double *out = mmap(NULL, 4 * EACH * sizeof *out, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(out != MAP_FAILED);
    curator *c = open_noise(0, 4e-6);
    ask_often(c, out, EACH);
    for (int i = 1; i <= 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            ask_often(c, out + i * EACH, EACH);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    ask_often(c, out + 3 * EACH, EACH);
    curator_close(c);
    qsort(out, 4 * EACH, sizeof *out, by_size);
    for (int i = 1; i < 4 * EACH; i++)
        assert_true(out[i] != out[i - 1]);
    munmap(out, 4 * EACH * sizeof *out);
}

/* Every value that an answer may carry is charged as a draw. */
static void test_draws_are_charged(void **state)
{
    (void)state;
    ask_plan plan = {.item = {some(ASK_TOTAL, 1, .1), some(ASK_MOMENTS, 1, .2),
                              some(ASK_PARTIAL, 1000, .3),
                              some(ASK_GRADIENT, 10, .4)},
                     .items = 4};
    account_list events;
    sotto_error error;
    assert_int_equal(
        curator_events(&events, &plan, ACCOUNT_ADD_REMOVE, 7, &error),
        SOTTO_OK);
    assert_true(events.draws >= 1 + 7 + 1000 * 1 + 10 * (7 + 1));
    account_free(&events);
}

/* Without noise: one record more moves the sum by at most the clip, and the
   total by one. */
static void test_sensitivity(void **state)
{
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        char *text = some_rows(30, 0), *more;
        size_t cut = (size_t)(strrchr(text, '\n') - text);
        while (text[cut - 1] != '\n')
            cut--;
        more = mem_text_n(text, cut); /* the last row is gone */
        curator_policy policy = plain_policy(LOSS_SQUARED, 10);
        ask_plan plan =
            plan_two(some(ASK_PARTIAL, 1, 0), some(ASK_TOTAL, 1, 0));
        policy.without_noise = 1;
        double clip[4] = {.05, .05, .05, .05}, a, b, m, n;
        sotto_error error;
        curator *with =
            open_or_fail(table_of(text, "squared", 0), &policy, &plan);
        curator *less =
            open_or_fail(table_of(more, "squared", 0), &policy, &plan);
        assert_int_equal(curator_tell_clips(with, clip, &error), SOTTO_OK);
        assert_int_equal(curator_tell_clips(less, clip, &error), SOTTO_OK);
        assert_int_equal(curator_ask_partial(with, 0, &a, &error), SOTTO_OK);
        assert_int_equal(curator_ask_partial(less, 0, &b, &error), SOTTO_OK);
        assert_true(fabs(a - b) <= .05 / 10 * (1 + 1e-6));
        assert_int_equal(curator_ask_total(with, &m, &error), SOTTO_OK);
        assert_int_equal(curator_ask_total(less, &n, &error), SOTTO_OK);
        assert_true(m == 30 && n == 29);
        curator_close(with);
        curator_close(less);
        mem_free(text);
        mem_free(more);
    }
}

/* Of each person the first K rows count. */
static void test_people(void **state)
{
    (void)state;
    const char *text = "who,a,t\nx,1,0\ny,1,0\nx,1,0\nx,1,0\nz,1,0\ny,1,0\n";
    char path[] = "/tmp/sotto-curator-XXXXXX";
    const char *schema = "{\"sotto_schema\": 1, \"columns\": {\"who\": "
                         "{\"type\": \"unit\"}, \"a\": {\"type\": \"number\"}, "
                         "\"t\": {\"type\": \"target\"}}}";
    int file = mkstemp(path);
    assert_int_equal(write(file, schema, strlen(schema)), strlen(schema));
    close(file);
    static const double kept[] = {0, 3, 5, 6};
    for (int64_t most = 1; most <= 3; most++) {
        curator_policy policy = plain_policy(LOSS_SQUARED, 0);
        policy.rows_per_person = most;
        ask_plan plan = plan_one(some(ASK_TOTAL, 1, 0));
        policy.without_noise = 1;
        curator *c =
            open_or_fail(read_text("d.csv", text, SETTINGS({"schema", path})),
                         &policy, &plan);
        double total;
        sotto_error error;
        assert_int_equal(curator_ask_total(c, &total, &error), SOTTO_OK);
        assert_true(total == kept[most]);
        curator_close(c);
    }
    unlink(path);
}

static void test_moments(void **state)
{
    (void)state;
    char *text = some_rows(5000, 0);
    curator_policy policy = plain_policy(LOSS_SQUARED, 5000);
    ask_plan plan = plan_one(some(ASK_MOMENTS, 1, 1));
    curator *c = open_or_fail(table_of(text, "squared", 0), &policy, &plan);
    double bound[3] = {1, 1, 1}, out[3];
    sotto_error error;
    assert_int_equal(curator_ask_moments(c, bound, out, &error), SOTTO_OK);
    /* the mean square of a uniform on [-1, 1]; noise sd sqrt(3) / 5000 */
    for (int j = 0; j < 3; j++)
        assert_true(fabs(out[j] - 1. / 3) < .03);
    curator_close(c);
    mem_free(text);
}

/* Any record, of any bits: its integers, all coordinates together, are within
   the ball that is charged; and without a clip that binds the gradient is
   that of the loss. */
static void test_gradient_bound(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        text_buffer t = {0};
        double scale[4], out[4], squares = 0;
        double clip = pow(10, 56 * (uniform() - .5));
        text_put(&t, "a,b,c,t\n");
        for (int j = 0; j < 4; j++) {
            double size = pow(10, 80 * (uniform() - .5));
            text_format(&t, "%s%.9g", j ? "," : "",
                        (uniform() - .5) * fmin(size, 3e38));
            scale[j] = pow(10, 58 * (uniform() - .5));
        }
        text_put(&t, "\n");
        curator_policy policy = plain_policy(LOSS_SQUARED, 1);
        ask_plan plan = plan_one(some(ASK_GRADIENT, 1, 0));
        policy.without_noise = 1;
        policy.isa = trial % 3 ? KERNEL_AUTO : KERNEL_SCALAR;
        curator *c =
            open_or_fail(table_of(t.data, "squared", 0), &policy, &plan);
        sotto_error error;
        double at[4] = {uniform(), -1e30 * uniform(), 1e-30, -1};
        if (trial % 2)
            curator_tell_all(c, at);
        assert_int_equal(curator_ask_gradient(c, clip, scale, out, &error),
                         SOTTO_OK);
        for (int j = 0; j < 4; j++) {
            double k = out[j] * (double)(float)(KERNEL_CLIP / clip);
            assert_true(fabs(k - rint(k)) < 1e-6);
            squares += rint(k) * rint(k);
        }
        assert_true(squares <= (double)KERNEL_CLIP * KERNEL_CLIP);
        curator_close(c);
        text_free(&t);
    }
}

static void test_gradient(void **state)
{
    (void)state;
    char *text = some_rows(500, 1);
    curator_policy policy = plain_policy(LOSS_LOGISTIC, 500);
    ask_plan plan = plan_two(some(ASK_GRADIENT, 1, 0), some(ASK_PARTIAL, 4, 0));
    policy.without_noise = 1;
    curator *c = open_or_fail(table_of(text, "logistic", 0), &policy, &plan);
    double scale[4] = {1, 1, 1, 1}, clip[4] = {8, 8, 8, 8}, out[4], one;
    sotto_error error;
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    curator_tell(c, 0, .5);
    curator_tell(c, 3, -.25);
    assert_int_equal(curator_ask_gradient(c, 8, scale, out, &error), SOTTO_OK);
    for (int64_t j = 0; j < 4; j++) {
        assert_int_equal(curator_ask_partial(c, j, &one, &error), SOTTO_OK);
        assert_true(fabs(one - out[j]) < 1e-5);
    }
    curator_close(c);
    mem_free(text);
}

/* Weights: a row counts as often as it says, in gradients as in partial
   derivatives, and in a batch as in a gradient. */
static void test_gradient_weights(void **state)
{
    (void)state;
    text_buffer t = {0};
    text_put(&t, "a,b,w,t\n");
    for (int i = 0; i < 300; i++)
        text_format(&t, "%.6f,%.6f,%d,%.6f\n", uniform() - .5, uniform() - .5,
                    i % 4, uniform());
    sotto_table *table =
        read_text("d.csv", t.data,
                  SETTINGS({"target", "t"}, {"weights", "w"},
                           {"weight-bound", "3"}, {"precision", "float"}));
    curator_policy policy = plain_policy(LOSS_SQUARED, 100);
    ask_plan plan = {.item = {some(ASK_GRADIENT, 1, 0), some(ASK_BATCH, 1, 0),
                              some(ASK_PARTIAL, 3, 0)},
                     .items = 3};
    policy.without_noise = 1;
    policy.weight_bound = 3;
    curator *c = open_or_fail(table, &policy, &plan);
    double at[3] = {.5, -2, .1}, scale[3] = {1, 1, 1}, clip[3] = {8, 8, 8};
    double all[3], batch[3], one;
    sotto_error error;
    curator_tell_all(c, at);
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    assert_int_equal(curator_ask_gradient(c, 8, scale, all, &error), SOTTO_OK);
    assert_int_equal(curator_ask_batch(c, 8, scale, batch, &error), SOTTO_OK);
    assert_memory_equal(all, batch, sizeof all);
    for (int64_t j = 0; j < 3; j++) {
        assert_int_equal(curator_ask_partial(c, j, &one, &error), SOTTO_OK);
        assert_true(fabs(one - all[j]) < 1e-4);
        assert_true(fabs(one) > 1e-2);
    }
    curator_close(c);
    text_free(&t);
}

/* The sums of a single row: a gradient and the partial derivatives, of the
   intercept too; the clip of each is .5. */
static void sums_of(const char *text, double out[6])
{
    sotto_table *table =
        read_text("d.csv", text,
                  SETTINGS({"target", "t"}, {"weights", "w"},
                           {"weight-bound", "1"}, {"precision", "float"}));
    curator_policy policy = plain_policy(LOSS_SQUARED, 1);
    ask_plan plan = plan_two(some(ASK_GRADIENT, 1, 0), some(ASK_PARTIAL, 3, 0));
    double scale[3] = {1, 1, 1}, clip[3] = {.5, .5, .5};
    sotto_error error;
    policy.adjacency = ACCOUNT_ZERO_OUT;
    policy.without_noise = 1;
    curator *c = open_or_fail(table, &policy, &plan);
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    assert_int_equal(curator_ask_gradient(c, 8, scale, out, &error), SOTTO_OK);
    for (int64_t j = 0; j < 3; j++)
        assert_int_equal(curator_ask_partial(c, j, &out[3 + j], &error),
                         SOTTO_OK);
    curator_close(c);
}

/* A blanked record adds nothing to any sum. A row of zeros does: in the
   intercept's sum it can be twice as far from a record as a blanked one. */
static void test_blank(void **state)
{
    (void)state;
    double record[6], blank[6], zeros[6];
    sums_of("a,b,w,t\n.5,-.25,1,-1\n", record);
    sums_of("a,b,w,t\n.5,-.25,0,-1\n", blank);
    sums_of("a,b,w,t\n0,0,1,1\n", zeros);
    for (int i = 0; i < 6; i++) {
        assert_true(blank[i] == 0);
        assert_true(record[i] != 0);
    }
    assert_true(fabs(record[5] - blank[5] - .5) < 1e-6);
    assert_true(fabs(record[5] - zeros[5] - 1) < 1e-6);
}

/* One row as CSV and as svmlight: of five features one is in every row, the
   others in fewer and fewer. */
static void put_row(text_buffer *dense, text_buffer *sparse, int64_t i,
                    int classes)
{
    static const int64_t every[] = {1, 3, 11, 13, 40};
    double x[5], y = uniform() - .5;
    for (int j = 0; j < 5; j++) {
        x[j] = i % every[j] ? 0 : 2 * uniform() - 1;
        y += x[j] / (j + 1);
    }
    if (classes)
        y = y > 0 ? 1 : -1;
    text_format(sparse, "%.6f", y);
    for (int j = 0; j < 5; j++) {
        text_format(dense, "%.6f,", x[j]);
        if (i % every[j] == 0)
            text_format(sparse, " %d:%.6f", j + 1, x[j]);
    }
    text_format(dense, "%.6f\n", y);
    text_put(sparse, "\n");
}

/* The integers of one whole gradient, after two moves. */
static void gradient_integers(sotto_table *t, const char *name, kernel_isa isa,
                              double *out)
{
    loss_kind kind;
    assert_true(loss_named(name, &kind));
    curator_policy policy = plain_policy(kind, 1);
    ask_plan plan = plan_two(some(ASK_GRADIENT, 2, 0), some(ASK_BATCH, 1, 0));
    double at[6] = {.3, -.2, 1, .7, -.1, .25};
    double scale[6] = {1, 2, .5, 3, 1, 1}, factor, batch[6];
    sotto_error error;
    policy.without_noise = 1;
    policy.isa = isa;
    curator *c = open_or_fail(t, &policy, &plan);
    curator_tell_all(c, at);
    assert_int_equal(curator_ask_gradient(c, 2, scale, out, &error), SOTTO_OK);
    at[1] = -2;
    scale[0] = 1.5;
    curator_tell_all(c, at);
    assert_int_equal(curator_ask_gradient(c, .7, scale, out, &error), SOTTO_OK);
    assert_int_equal(curator_ask_batch(c, .7, scale, batch, &error), SOTTO_OK);
    assert_memory_equal(batch, out, sizeof batch); /* everybody is in it */
    factor = (double)(float)(KERNEL_CLIP / .7);
    for (int j = 0; j < 6; j++) {
        out[j] *= factor;
        assert_true(fabs(out[j] - rint(out[j])) < 1e-4);
        out[j] = rint(out[j]);
    }
    curator_close(c);
}

/* Batches without noise: sums of some rows' integers, which are divided by
   the public number of rows and not by how many they are; on average `rate`
   of the gradient. (6 sigma of 4000 batches, each of 100 rows that add at
   most 1.) */
static void check_batch(double rate)
{
    enum { TIMES = 4000 };
    char *text = some_rows(100, 0);
    curator_policy policy = plain_policy(LOSS_SQUARED, 7);
    ask_item batch = some(ASK_BATCH, TIMES, 0);
    batch.noise = ASK_SAMPLED;
    batch.rate = rate;
    ask_plan plan = plan_two(some(ASK_GRADIENT, 1, 0), batch);
    policy.without_noise = 1;
    curator *c = open_or_fail(table_of(text, "squared", 0), &policy, &plan);
    double at[4] = {.5, -.25, 1, .1}, scale[4] = {1, 2, 1, .5}, all[4], out[4];
    double sum[4] = {0}, last = 0, changes = 0;
    sotto_error error;
    curator_tell_all(c, at);
    assert_int_equal(curator_ask_gradient(c, 1, scale, all, &error), SOTTO_OK);
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(curator_ask_batch(c, 1, scale, out, &error), SOTTO_OK);
        for (int j = 0; j < 4; j++) {
            double k = out[j] * 7 * KERNEL_CLIP;
            assert_true(fabs(k - rint(k)) < 1e-6);
            sum[j] += out[j] / TIMES;
        }
        changes += out[0] != last;
        last = out[0];
    }
    assert_true(changes > .9 * TIMES);
    for (int j = 0; j < 4; j++)
        assert_true(fabs(sum[j] - rate * all[j]) < 6 * sqrt(20. / TIMES) / 7);
    assert_int_equal(curator_ask_batch(c, 1, scale, out, &error), SOTTO_BUDGET);
    curator_close(c);
    mem_free(text);
}

static void test_batch(void **state)
{
    (void)state;
    check_batch(.25);
    check_batch(.0625);
}

/* Rows with extreme values: denormal, huge, zero. */
static void put_odd_rows(text_buffer *dense, text_buffer *sparse)
{
    static const char *const odd[] = {"3e38", "-1e-40", "1e30", "0", "-3e38"};
    for (int i = 0; i < 5; i++) {
        text_put(sparse, "-1");
        for (int j = 0; j < 5; j++) {
            text_format(dense, "%s,", odd[(i + j) % 5]);
            text_format(sparse, " %d:%s", j + 1, odd[(i + j) % 5]);
        }
        text_put(dense, "-1\n");
        text_put(sparse, "\n");
    }
}

/* The integers of a table are the sum of those of its rows, each in a table
   of its own: what a row adds depends neither on other rows nor on its place.
   */
static void test_gradient_rows(void **state)
{
    (void)state;
    static const kernel_isa sets[] = {KERNEL_SCALAR, KERNEL_AVX2,
                                      KERNEL_AVX512};
    for (int classes = 0; classes < 2; classes++) {
        const char *name = classes ? "logistic" : "squared",
                   *head = "a,b,c,d,e,t\n";
        text_buffer dense = {0}, sparse = {0};
        double sum[6] = {0}, one[6];
        text_put(&dense, head);
        for (int64_t i = 0; i < 130; i++)
            put_row(&dense, &sparse, i, classes);
        put_odd_rows(&dense, &sparse);
        for (char *from = strchr(dense.data, '\n') + 1; *from;) {
            char *end = strchr(from, '\n') + 1;
            text_buffer row = {0};
            text_put(&row, head);
            text_format(&row, "%.*s", (int)(end - from), from);
            gradient_integers(table_of(row.data, name, 0), name, KERNEL_AUTO,
                              one);
            for (int j = 0; j < 6; j++)
                sum[j] += one[j];
            text_free(&row);
            from = end;
        }
        for (int i = 0; i < 3; i++) {
            if (!kernel_get(sets[i]))
                continue;
            gradient_integers(table_of(dense.data, name, 0), name, sets[i],
                              one);
            assert_memory_equal(one, sum, sizeof sum);
            gradient_integers(
                read_text("d.svm", sparse.data,
                          SETTINGS({"loss", name}, {"precision", "float"})),
                name, sets[i], one);
            assert_memory_equal(one, sum, sizeof sum);
        }
        text_free(&dense);
        text_free(&sparse);
    }
}

/* Many coordinates of a record that is far beyond the clip: within the ball,
   and at its edge. */
static void test_gradient_edge(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    for (int trial = 0; trial < 20; trial++) {
        text_buffer t = {0};
        static double scale[MANY], out[MANY];
        double squares = 0;
        text_put(&t, "-1e6");
        for (int j = 0; j < MANY; j++) {
            text_format(&t, " %d:%.8f", j + 1, uniform() - .5);
            scale[j] = 1 + uniform();
        }
        text_put(&t, "\n");
        sotto_table *table =
            read_text("d.svm", t.data, SETTINGS({"precision", "float"}));
        curator_policy policy = plain_policy(LOSS_SQUARED, 1);
        ask_plan plan = plan_one(some(ASK_GRADIENT, 1, 0));
        policy.without_noise = 1;
        policy.intercept = 0;
        curator *c = open_or_fail(table, &policy, &plan);
        sotto_error error;
        assert_int_equal(curator_ask_gradient(c, 1, scale, out, &error),
                         SOTTO_OK);
        for (int j = 0; j < MANY; j++) {
            double k = rint(out[j] * KERNEL_CLIP);
            squares += k * k;
        }
        squares /= (double)KERNEL_CLIP * KERNEL_CLIP;
        assert_true(squares <= 1 && squares > .9998);
        curator_close(c);
        text_free(&t);
    }
}

/* No noise by accident: a question without it is refused unless the policy
   says that nothing has any, and so is noise that cannot be drawn. */
static void test_noise_is_needed(void **state)
{
    (void)state;
    static const double mus[] = {0, -1, NAN, INFINITY, 1e-300, 1e-7};
    char *text = some_rows(5, 0);
    for (int kind = 0; kind < ASK_KINDS; kind++)
        for (size_t i = 0; i < sizeof mus / sizeof *mus; i++) {
            curator_policy policy = plain_policy(LOSS_SQUARED, 5);
            ask_plan plan = plan_one(some((ask_kind)kind, 1, mus[i]));
            plan.item[0].block = kind == ASK_SEQUENCE || kind == ASK_PRIMAL ||
                                 kind == ASK_OUTCOMES || kind == ASK_ERRORS;
            plan.item[0].blocks = kind == ASK_SEQUENCE;
            if ((kind >= ASK_CLASS_COUNTS && kind <= ASK_CLASS_PARTIAL) ||
                kind == ASK_LEVELS)
                continue; /* test_many_classes.c, test_class_choice.c,
                             test_levels.c */
            int sketch =
                kind == ASK_LABELS || kind == ASK_SKETCH || kind == ASK_ALONG;
            if (sketch) {
                policy.adjacency = ACCOUNT_ZERO_OUT;
                policy.buckets = plan.item[0].block = 1;
            }
            int choice = kind == ASK_CHOICE || kind == ASK_VERTEX;
            if (choice || kind == ASK_ALONG)
                plan.item[0].noise = ASK_GUMBEL;
            if (kind == ASK_ROW_QUANTILE || kind == ASK_TARGET_QUANTILE) {
                plan.item[0].noise = ASK_RANGE;
                choice = 1;
            }
            if (mus[i] == 1e-7 && (sketch || choice))
                continue; /* they can be as noisy as that */
            sotto_table *t = table_of(text, "squared", 0);
            curator *c;
            sotto_error error;
            assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                             SOTTO_PRIVACY);
            assert_null(c);
            policy.without_noise = 1; /* and then there must be none */
            t = table_of(text, "squared", 0);
            assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                             mus[i] == 0 ? SOTTO_OK : SOTTO_PRIVACY);
            curator_close(c);
        }
    mem_free(text);
}

/* Tables of the wrong kind are refused, and freed nevertheless. */
static void test_wrong_table(void **state)
{
    (void)state;
    char *text = some_rows(5, 0);
    curator_policy policy = plain_policy(LOSS_SQUARED, 5);
    ask_plan plan = {0};
    curator *c;
    sotto_error error;
    sotto_table *t = table_of(text, "squared", 1);
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error), SOTTO_USAGE);
    assert_null(t);
    assert_null(c);
    mem_free(text);
}

/* Questions come in the order of the plan, in turn where it says so; one that
   is left out is gone. */
static void test_order(void **state)
{
    (void)state;
    char *text = some_rows(5, 0);
    curator_policy policy = plain_policy(LOSS_SQUARED, 5);
    ask_item turn = some(ASK_TOTAL, 2, 1);
    turn.and_next = 1;
    ask_plan plan = {
        .item = {some(ASK_MOMENTS, 1, 1), turn, some(ASK_PARTIAL, 2, 1)},
        .items = 3};
    double clip[4] = {1, 1, 1, 1}, out[4];
    sotto_error error;
    curator *c = open_or_fail(table_of(text, "squared", 0), &policy, &plan);
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    assert_int_equal(curator_ask_total(c, out, &error), SOTTO_OK);
    assert_int_equal(curator_ask_moments(c, clip, out, &error), SOTTO_BUDGET);
    assert_int_equal(curator_ask_total(c, out, &error), SOTTO_OK);
    assert_int_equal(curator_ask_total(c, out, &error), SOTTO_BUDGET);
    assert_int_equal(curator_ask_partial(c, 0, out, &error), SOTTO_OK);
    assert_int_equal(curator_ask_partial(c, 0, out, &error), SOTTO_BUDGET);
    curator_close(c);
    /* neither is Laplace noise for a vector, of which the Euclidean length is
       bounded */
    static const ask_kind vectors[] = {ASK_MOMENTS, ASK_GRADIENT, ASK_BATCH};
    for (int i = 0; i < 3; i++) {
        ask_plan laplace = plan_one(some(vectors[i], 1, 1));
        laplace.item[0].noise = ASK_LAPLACE;
        sotto_table *none = table_of(text, "squared", 0);
        assert_int_equal(curator_open(&c, &none, &policy, &laplace, &error),
                         SOTTO_FAILED);
    }
    /* turns of different length are no plan */
    plan.item[2].count = 3;
    sotto_table *t = table_of(text, "squared", 0);
    assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                     SOTTO_FAILED);
    mem_free(text);
}

/* ---- the same bits, however columns are stored, on any threads ---- */

/* So many rows that threads share them. */
enum { STORAGE_ROWS = 70000 };

/* Many answers and moves; returns a hash of all answers. */
static uint64_t mark_of(sotto_table *t, const curator_policy *policy)
{
    enum { TIMES = 60 };
    ask_item turn = some(ASK_PARTIAL, TIMES, .5);
    turn.and_next = 1;
    ask_plan plan = {
        .item = {some(ASK_MOMENTS, 1, .5), turn, some(ASK_GRADIENT, TIMES, .5)},
        .items = 3};
    double clip[6] = {.1, .2, .3, .2, .1, .3}, moments[5], out, all[6];
    double scale[6] = {1, 2, .5, 3, 1, 1};
    double bound[5] = {1, 1, 1, 1, 1};
    curator *c = open_or_fail(t, policy, &plan);
    uint64_t mark = 0, bits;
    sotto_error error;
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    assert_int_equal(curator_ask_moments(c, bound, moments, &error), SOTTO_OK);
    for (int i = 0; i < TIMES; i++) {
        int64_t j = i * 5 % 6; /* features and the intercept */
        assert_int_equal(curator_ask_partial(c, j, &out, &error), SOTTO_OK);
        memcpy(&bits, &out, sizeof bits);
        mark = mark * 1099511628211u ^ bits;
        curator_tell(c, j, -.3 * out);
        scale[2] += i % 10 == 0;
        assert_int_equal(curator_ask_gradient(c, .4, scale, all, &error),
                         SOTTO_OK);
        for (int k = 0; k < 6; k++) {
            memcpy(&bits, &all[k], sizeof bits);
            mark = mark * 1099511628211u ^ bits;
        }
        if (i % 3 == 0)
            curator_tell_all(c, all);
    }
    curator_close(c);
    memcpy(&bits, &moments[4], sizeof bits);
    return mark ^ bits;
}

static void test_storage(void **state)
{
    (void)state;
    static const kernel_isa sets[] = {KERNEL_AUTO, KERNEL_SCALAR, KERNEL_AVX2};
    for (int classes = 0; classes < 2; classes++) {
        const char *name = classes ? "logistic" : "squared";
        text_buffer dense = {0}, sparse = {0};
        text_put(&dense, "a,b,c,d,e,t\n");
        for (int64_t i = 0; i < STORAGE_ROWS; i++)
            put_row(&dense, &sparse, i, classes);
        assert_false(dense.failed || sparse.failed);
        curator_policy policy =
            plain_policy(classes ? LOSS_LOGISTIC : LOSS_SQUARED, STORAGE_ROWS);
        uint64_t expected = mark_of(table_of(dense.data, name, 0), &policy);
        for (int i = 0; i < 3; i++) {
            sotto_table *t =
                read_text("d.svm", sparse.data,
                          SETTINGS({"loss", name}, {"precision", "float"}));
            assert_true(t->sparse && t->features == 5);
            policy.isa = sets[i];
            policy.threads = i + 1;
            if (kernel_get(sets[i]))
                assert_true(mark_of(t, &policy) == expected);
            else
                sotto_table_free(t);
        }
        text_free(&dense);
        text_free(&sparse);
    }
}

static void test_no_rows(void **state)
{
    (void)state;
    sotto_table *t = read_text("d.csv", "a,t\n",
                               SETTINGS({"target", "t"}, {"epsilon", "1"}));
    curator_policy policy = plain_policy(LOSS_SQUARED, 0);
    ask_plan plan = plan_two(some(ASK_TOTAL, 1, .1), some(ASK_PARTIAL, 1, .1));
    curator *c = open_or_fail(t, &policy, &plan);
    double clip[2] = {1, 1}, out;
    sotto_error error;
    assert_int_equal(curator_ask_total(c, &out, &error), SOTTO_OK);
    assert_true(out >= 1);
    assert_int_equal(curator_tell_clips(c, clip, &error), SOTTO_OK);
    assert_int_equal(curator_ask_partial(c, 1, &out, &error), SOTTO_OK);
    curator_close(c);
}

/* ---- DP-CD ---- */

static double exact_minimum(const char *text, const char *name,
                            const solver_problem *p, exact_problem *problem)
{
    exact_solution x;
    sotto_error error;
    *problem = (exact_problem){.table = table_of(text, name, 1),
                               .loss = p->loss,
                               .l1 = p->l1,
                               .l2 = p->l2,
                               .low = p->low,
                               .high = p->high,
                               .intercept = p->intercept,
                               .tolerance = 1e-10};
    assert_int_equal(exact_solve(&x, problem, &error), SOTTO_OK);
    double minimum = x.objective;
    exact_solution_free(&x);
    return minimum;
}

/* One solver, on a problem that has smoothness `smooth`. */
typedef sotto_status (*without_noise)(solver_answer *out, curator *c,
                                      const solver_problem *p,
                                      const double *smooth, int how,
                                      sotto_error *error);

enum { PARTIALS = 800, GRADIENTS = 400 };

static sotto_status by_cd(solver_answer *out, curator *c,
                          const solver_problem *p, const double *smooth,
                          int how, sotto_error *error)
{
    cd_settings s = {.rounds = 1,
                     .steps = PARTIALS,
                     .step_size = 1,
                     .clip = 1e4,
                     .average = 0,
                     .order = (cd_order)how,
                     .smoothness = smooth};
    return cd_run(out, c, p, &s, NULL, NULL, error);
}

static sotto_status by_gd(solver_answer *out, curator *c,
                          const solver_problem *p, const double *smooth,
                          int how, sotto_error *error)
{
    descent_settings s = {.steps = GRADIENTS,
                          .step_size = how ? .7 : .9,
                          .momentum = how == 1 ? .5 : 0,
                          .decay = how == 2 ? .001 : 0,
                          .clip = 1e3,
                          .rate = 1,
                          .smoothness = smooth};
    return gd_run(out, c, p, &s, NULL, NULL, error);
}

static void solve_without_noise(loss_kind kind, double l1, double l2,
                                without_noise solver, int how)
{
    int classes = loss_has_classes(kind);
    char *text = some_rows(2000, classes);
    solver_problem p = {.loss = {kind, 1.35},
                        .l1 = l1,
                        .l2 = l2,
                        .low = -INFINITY,
                        .high = INFINITY,
                        .features = 3,
                        .intercept = 1};
    double curvature = loss_curvature_bound(&p.loss);
    double smooth[4], weight[3];
    for (int j = 0; j < 4; j++)
        smooth[j] = curvature * (j < 3 ? .34 : 1);
    ask_plan plan = plan_two(some(ASK_PARTIAL, PARTIALS, 0),
                             some(ASK_GRADIENT, GRADIENTS, 0));
    curator_policy policy = plain_policy(kind, 2000);
    policy.without_noise = 1;
    curator *c =
        open_or_fail(table_of(text, loss_name(kind), 0), &policy, &plan);
    solver_answer answer = {.weight = weight};
    sotto_error error;
    if (solver(&answer, c, &p, smooth, how, &error))
        fail_msg("%s", error.message);
    assert_false(curator_is_private(c));
    curator_close(c);
    exact_problem problem;
    double minimum = exact_minimum(text, loss_name(kind), &p, &problem);
    double reached = exact_objective(&problem, weight, answer.intercept);
    /* float margins and the grid leave a part in 1e5 */
    if (!(reached <= minimum * (1 + 2e-5)))
        fail_msg("%s: %.10g, minimum %.10g", loss_name(kind), reached, minimum);
    sotto_table_free((sotto_table *)(uintptr_t)problem.table);
    mem_free(text);
}

static void solve_all_without_noise(without_noise solver, int first, int second,
                                    int third)
{
    static const loss_kind kinds[] = {LOSS_SQUARED, LOSS_LOGISTIC,
                                      LOSS_SQUARED_HINGE, LOSS_HUBER};
    for (int i = 0; i < 4; i++) {
        solve_without_noise(kinds[i], 0, 0, solver, first);
        solve_without_noise(kinds[i], .02, 0, solver, second);
        solve_without_noise(kinds[i], .01, .1, solver, third);
    }
}

static void test_cd_without_noise(void **state)
{
    (void)state;
    solve_all_without_noise(by_cd, CD_PERMUTED, CD_CYCLIC, CD_UNIFORM);
}

static void test_gd_without_noise(void **state)
{
    (void)state;
    solve_all_without_noise(by_gd, 0, 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_over_budget),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_answers_are_independent),
        cmocka_unit_test(test_fork_shares_no_noise),
        cmocka_unit_test(test_draws_are_charged),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_people),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_gradient_bound),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_gradient_weights),
        cmocka_unit_test(test_blank),
        cmocka_unit_test(test_gradient_rows),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_gradient_edge),
        cmocka_unit_test(test_noise_is_needed),
        cmocka_unit_test(test_wrong_table),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_cd_without_noise),
        cmocka_unit_test(test_gd_without_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
