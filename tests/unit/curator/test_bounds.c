/*
 * Bounds that are told to the curator during a run. From then on every
 * question, for either storage, answers as if the records had been clamped in
 * the file; nothing that was computed from the unclamped values is used again.
 */
#include "forms.h"
#include "plans.h"

#include "curator.h"

enum { FEATURES = 8, ROWS = 150 };

static uint64_t seed = 41;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 32) * 0x1p-32;
}

static const double bound[FEATURES] = {.5,  .25,      INFINITY, .125,
                                       .75, INFINITY, .0625,    .5};

/* The same rows unclamped and clamped, as CSV and as svmlight. Most columns
   are in few rows, some in most. Values are multiples of an eighth of the
   bound. */
typedef struct texts {
    text_buffer dense[2], sparse[2];
} texts;

static void put_value(texts *t, int j, double x)
{
    double inside = fmin(fmax(x, -bound[j]), bound[j]);
    const double both[2] = {x, inside};
    for (int k = 0; k < 2; k++) {
        text_format(&t->dense[k], "%.9g,", both[k]);
        if (x != 0)
            text_format(&t->sparse[k], " %d:%.9g", j + 1, both[k]);
    }
}

static void make_texts(texts *t, int classes)
{
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < FEATURES; j++)
            text_format(&t->dense[k], "x%d,", j);
        text_put(&t->dense[k], "t\n");
    }
    for (int i = 0; i < ROWS; i++) {
        double y = classes ? (uniform() < .5 ? -1 : 1) : 2 * uniform() - 1;
        for (int k = 0; k < 2; k++)
            text_format(&t->sparse[k], "%.9g", y);
        for (int j = 0; j < FEATURES; j++) {
            int there = uniform() < (j % 3 ? .1 : .8);
            put_value(t, j, there ? floor(33 * uniform() - 16) / 16 : 0);
        }
        for (int k = 0; k < 2; k++) {
            text_format(&t->dense[k], "%.9g\n", y);
            text_put(&t->sparse[k], "\n");
        }
    }
}

static void free_texts(texts *t)
{
    for (int k = 0; k < 2; k++) {
        text_free(&t->dense[k]);
        text_free(&t->sparse[k]);
    }
}

static curator_policy policy_of(loss_kind kind)
{
    return (curator_policy){.adjacency = ACCOUNT_ADD_REMOVE,
                            .rows_per_person = 1,
                            .rows = ROWS,
                            .loss = {kind, 0},
                            .weight_bound = 1,
                            .intercept = 1,
                            .insecure = 1,
                            .seed = 3};
}

static curator *open_with(sotto_table *t, loss_kind kind, const ask_plan *plan)
{
    curator_policy policy = policy_of(kind);
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, &policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static uint64_t mark_numbers(uint64_t mark, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        mark = (mark ^ bits) * 1099511628211u;
    }
    return mark;
}

static const ask_kind asked[] = {ASK_COLUMN_SQUARES, ASK_ROW_COUNTS,
                                 ASK_GRADIENT,       ASK_PARTIAL,
                                 ASK_GRADIENT,       ASK_MATRIX};
enum { ASKED = sizeof asked / sizeof *asked, WIDTH = FEATURES + 1 };

static ask_plan plan_all(void)
{
    ask_plan plan = {.items = ASKED};
    for (int i = 0; i < ASKED; i++)
        plan.item[i] = some(asked[i], 1, 5);
    return plan;
}

/* A hash of the answers to some questions, with noise of one seed. */
static uint64_t mark_of(sotto_table *t, loss_kind kind, int tell)
{
    double one[WIDTH], none[WIDTH] = {0}, w[WIDTH], edge[] = {.7, .5, .2};
    double out[WIDTH * WIDTH], sd;
    ask_plan plan = plan_all();
    curator *c = open_with(t, kind, &plan);
    sotto_error error;
    uint64_t mark = 7;
    for (int j = 0; j < WIDTH; j++) {
        one[j] = 1;
        w[j] = .1 * j - .3;
    }
    if (tell)
        CHECK(curator_tell_bounds(c, bound, &error));
    ask_shape squares = {.kind = ASK_COLUMN_SQUARES, .bound = one};
    ask_shape row = {.kind = ASK_ROW_COUNTS, .bound = one};
    ask_frame frame = {.features = FEATURES, .centre = none, .scale = one};
    CHECK(curator_ask_means(c, &squares, out, &sd, &error));
    mark = mark_numbers(mark, out, FEATURES);
    CHECK(curator_ask_counts(c, &row, edge, 3, out, &sd, &error));
    mark = mark_numbers(mark, out, 4);
    CHECK(curator_ask_gradient(c, .5, one, out, &error));
    mark = mark_numbers(mark, out, WIDTH);
    CHECK(curator_tell_clips(c, one, &error));
    curator_tell_all(c, w);
    CHECK(curator_ask_partial(c, 0, out, &error));
    mark = mark_numbers(mark, out, 1);
    CHECK(curator_ask_gradient(c, .5, one, out, &error));
    mark = mark_numbers(mark, out, WIDTH);
    CHECK(curator_tell_frame(c, &frame, &error));
    CHECK(curator_ask_matrix(c, 1, out, &sd, &error));
    mark = mark_numbers(mark, out, WIDTH * WIDTH);
    curator_close(c);
    return mark;
}

static void compare(loss_kind kind)
{
    texts t = {0};
    const char *name = loss_name(kind);
    features = FEATURES;
    make_texts(&t, loss_has_classes(kind));
    uint64_t as_clamped = mark_of(read_dense(t.dense[1].data, name), kind, 0);
    assert_true(mark_of(read_dense(t.dense[0].data, name), kind, 1) ==
                as_clamped);
    assert_true(mark_of(read_sparse(t.sparse[0].data, name), kind, 1) ==
                as_clamped);
    assert_true(mark_of(read_sparse(t.sparse[1].data, name), kind, 0) ==
                as_clamped);
    assert_false(mark_of(read_dense(t.dense[0].data, name), kind, 0) ==
                 as_clamped);
    free_texts(&t);
}

static void test_as_in_the_file(void **state)
{
    (void)state;
    compare(LOSS_SQUARED);
    compare(LOSS_LOGISTIC);
}

/* ---- refusals ---- */

static void expect(curator *c, const double *told, sotto_status wanted)
{
    sotto_error error;
    assert_int_equal(curator_tell_bounds(c, told, &error), wanted);
}

static void test_too_late(void **state)
{
    (void)state;
    texts t = {0};
    double one[WIDTH], none[WIDTH] = {0}, out[WIDTH];
    ask_plan plan = plan_all();
    sotto_error error;
    features = FEATURES;
    make_texts(&t, 0);
    for (int j = 0; j < WIDTH; j++)
        one[j] = 1;
    ask_frame frame = {.features = FEATURES, .centre = none, .scale = one};
    ask_scores scores = {.clip = one, .low = -INFINITY, .high = INFINITY};
    for (int how = 0; how < 6; how++) {
        curator *c = open_with(read_dense(t.dense[0].data, "squared"),
                               LOSS_SQUARED, &plan);
        expect(c, bound, SOTTO_OK);
        CHECK(curator_tell_clips(c, one, &error));
        if (how == 0)
            curator_tell(c, 2, .5);
        if (how == 1)
            curator_tell_all(c, one);
        if (how == 2)
            CHECK(curator_tell_frame(c, &frame, &error));
        if (how == 3)
            CHECK(curator_tell_scores(c, &scores, &error));
        if (how == 4)
            CHECK(curator_ask_gradient(c, 1, one, out, &error));
        if (how == 5)
            CHECK(curator_tell_anchor(c, &error));
        expect(c, bound, SOTTO_USAGE);
        curator_close(c);
    }
    free_texts(&t);
}

static void test_no_bounds(void **state)
{
    (void)state;
    texts t = {0};
    ask_plan plan = plan_all(), batch = plan_one(some(ASK_BATCH, 1, 1));
    const double odd[] = {0, -1, NAN, -INFINITY};
    features = FEATURES;
    make_texts(&t, 0);
    curator *c =
        open_with(read_dense(t.dense[0].data, "squared"), LOSS_SQUARED, &plan);
    for (int k = 0; k < 4; k++) {
        double told[FEATURES];
        memcpy(told, bound, sizeof told);
        told[FEATURES - 1] = odd[k];
        expect(c, told, SOTTO_USAGE);
    }
    curator_close(c);
    /* batches have gathered the rows already */
    batch.item[0].noise = ASK_SAMPLED;
    batch.item[0].rate = .5;
    c = open_with(read_dense(t.dense[0].data, "squared"), LOSS_SQUARED, &batch);
    expect(c, bound, SOTTO_USAGE);
    curator_close(c);
    free_texts(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_in_the_file),
        cmocka_unit_test(test_too_late),
        cmocka_unit_test(test_no_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
