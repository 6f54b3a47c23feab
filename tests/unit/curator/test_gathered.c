/*
 * Rows of a batch that are worked on side by side, by several threads: the
 * integers and the dual variables are the same for every number of threads,
 * instruction set and storage, with the copy by rows and without it. (Rows of
 * sparse tables are worked on one by one.)
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"
#include "curator/internal.h"

enum { FEATURES = 19, ROWS = 2600, ASKED = 3 };

static uint64_t seed = 11;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* The same rows as CSV and as svmlight. Some have zeros only, and some are
   longer than any float: those do not count. */
typedef struct texts {
    text_buffer dense, sparse;
} texts;

static texts make_texts(void)
{
    texts t = {{0}, {0}};
    for (int j = 0; j < FEATURES; j++)
        text_format(&t.dense, "x%d,", j + 1);
    text_put(&t.dense, "t\n");
    for (int i = 0; i < ROWS; i++) {
        double y = uniform() < .5 ? -1 : 1;
        text_format(&t.sparse, "%d", (int)y);
        for (int j = 0; j < FEATURES; j++) {
            double x = i % 97 == 5    ? 0
                       : i % 601 == 9 ? 3e38
                       : (i + j) % 3  ? 2 * uniform() - 1
                                      : 0;
            text_format(&t.dense, "%.6g,", x);
            if (x != 0 || j == FEATURES - 1)
                text_format(&t.sparse, " %d:%.6g", j + 1, x);
        }
        text_format(&t.dense, "%d\n", (int)y);
        text_put(&t.sparse, "\n");
    }
    return t;
}

typedef struct form {
    ask_kind kind;
    double rate;
    int sparse, threads;
    kernel_isa isa;
} form;

/* All that came out: sums, and the dual variables. */
typedef struct seen {
    double sum[ASKED][FEATURES];
    double alpha[ROWS];
} seen;

static curator *open_form(const texts *t, const form *f)
{
    curator *c;
    sotto_error error;
    sotto_table *table =
        f->sparse
            ? read_text("d.svm", t->sparse.data,
                        SETTINGS({"loss", "logistic"}, {"precision", "float"}))
            : read_text("d.csv", t->dense.data,
                        SETTINGS({"target", "t"}, {"loss", "logistic"},
                                 {"precision", "float"}));
    curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .rows_per_person = 1,
                             .rows = ROWS,
                             .loss = {LOSS_LOGISTIC, 1},
                             .weight_bound = 1,
                             .without_noise = 1,
                             .insecure = 1,
                             .seed = 5,
                             .threads = f->threads,
                             .isa = f->isa};
    ask_item item = some(f->kind, ASKED, 0);
    item.rate = f->rate;
    item.noise = f->rate < 1 ? ASK_SAMPLED : ASK_GAUSSIAN;
    ask_plan plan = plan_one(item);
    if (curator_open(&c, &table, &policy, &plan, &error))
        fail_msg("%s", error.message);
    return c;
}

static void ask_once(curator *c, const form *f, const double *at, double *out)
{
    double scale[FEATURES], unit;
    int64_t move[FEATURES];
    sotto_error error;
    sotto_status status;
    ask_dual point = {.weight = at, .l2 = .05, .at_once = .25, .clip = .5};
    for (int j = 0; j < FEATURES; j++)
        scale[j] = 1 + .1 * j;
    curator_tell_all(c, at);
    if (f->kind == ASK_DUAL) {
        status = curator_ask_dual(c, &point, move, &unit, &error);
        for (int j = 0; j < FEATURES; j++)
            out[j] = (double)move[j];
    } else {
        status = f->kind == ASK_BATCH
                     ? curator_ask_batch(c, .7, scale, out, &error)
                 : f->kind == ASK_GRADIENT
                     ? curator_ask_gradient(c, .7, scale, out, &error)
                     : curator_ask_difference(c, .7, scale, out, &error);
    }
    if (status)
        fail_msg("%s", error.message);
}

static void run_form(const texts *t, const form *f, seen *out)
{
    curator *c = open_form(t, f);
    sotto_error error;
    double at[FEATURES];
    *out = (seen){0};
    for (int j = 0; j < FEATURES; j++)
        at[j] = .2 * (j % 5) - .3;
    curator_tell_all(c, at);
    assert_int_equal(curator_tell_anchor(c, &error), SOTTO_OK);
    for (int n = 0; n < ASKED; n++) {
        for (int j = 0; j < FEATURES; j++)
            at[j] = -.7 * at[j] + .01 * n;
        ask_once(c, f, at, out->sum[n]);
    }
    for (int i = 0; f->kind == ASK_DUAL && i < ROWS; i++)
        out->alpha[i] = c->dual.row[i].alpha;
    curator_close(c);
}

static void test_forms(void **state)
{
    static const ask_kind kinds[] = {ASK_BATCH, ASK_DIFFERENCE, ASK_DUAL};
    static const kernel_isa sets[] = {KERNEL_SCALAR, KERNEL_AVX2,
                                      KERNEL_AVX512};
    static const double rates[] = {.1, .6, 1};
    texts t = make_texts();
    seen *first = test_malloc(sizeof *first),
         *other = test_malloc(sizeof *other);
    (void)state;
    for (int k = 0; k < 9; k++)
        for (int s = 0; s < 12; s++) {
            form f = {.kind = kinds[k / 3],
                      .rate = curator_rate(rates[k % 3]),
                      .sparse = s / 6,
                      .threads = s % 2 ? 3 : 1,
                      .isa = sets[s / 2 % 3]};
            if (!kernel_get(f.isa))
                continue;
            run_form(&t, &f, s ? other : first);
            if (s)
                assert_memory_equal(other, first, sizeof *first);
            assert_true(first->sum[0][0] != 0);
        }
    test_free(first);
    test_free(other);
    text_free(&t.dense);
    text_free(&t.sparse);
}

/* A batch of everybody is the whole gradient, which gathers no row. */
static void test_everybody(void **state)
{
    texts t = make_texts();
    seen *all = test_malloc(sizeof *all),
         *everybody = test_malloc(sizeof *everybody);
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        form f = {.kind = ASK_GRADIENT, .rate = 1, .threads = threads};
        run_form(&t, &f, all);
        f.kind = ASK_BATCH;
        run_form(&t, &f, everybody);
        assert_memory_equal(everybody, all, sizeof *all);
    }
    test_free(all);
    test_free(everybody);
    text_free(&t.dense);
    text_free(&t.sparse);
}

/* Lines of any number and length. */
static void test_turn(void **state)
{
    enum { MOST = 40, STRIDE = MOST + 3 };
    float from[MOST][MOST], to[MOST * STRIDE];
    const float *line[MOST];
    (void)state;
    for (int k = 0; k < MOST; k++) {
        line[k] = from[k];
        for (int i = 0; i < MOST; i++)
            from[k][i] = (float)(k * MOST + i + 1);
    }
    for (int lines = 0; lines <= MOST; lines += lines < 20 ? 1 : 7)
        for (int length = 0; length <= MOST; length += length < 9 ? 1 : 5) {
            for (int i = 0; i < MOST * STRIDE; i++)
                to[i] = 0;
            kernel_turn(line, lines, length, to, STRIDE);
            for (int i = 0; i < MOST; i++)
                for (int k = 0; k < MOST; k++)
                    assert_true(to[i * STRIDE + k] ==
                                (i < length && k < lines ? from[k][i] : 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_everybody),
        cmocka_unit_test(test_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
