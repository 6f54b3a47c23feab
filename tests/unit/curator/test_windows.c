/*
 * Rows on a disk: every question that may be asked about them has the answer
 * that it has in memory, whatever was told before. Others are refused. Rows
 * that cannot be brought end the run without an answer.
 */
#include "plans.h"
#include "reading.h"

#include "curator.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Three windows and a part of one. */
enum { FEATURES = 130, ROWS = 3500, WIDTH = FEATURES + 1 };

static char folder[] = "/tmp/sotto-windows-XXXXXX";
static char from[64], table[64];

/* ---- tables ---- */

static int make_table(void **state)
{
    (void)state;
    static double x[ROWS * WIDTH];
    uint64_t seed = 5;
    sotto_error error = {0};
    const char *path = from;
    if (!mkdtemp(folder))
        return -1;
    snprintf(from, sizeof from, "%s/x.npy", folder);
    snprintf(table, sizeof table, "%s/x.sotto", folder);
    for (int i = 0; i < ROWS * WIDTH; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 32) * 0x1p-31 - 1;
    }
    for (int i = 0; i < ROWS; i++)
        x[i * WIDTH + FEATURES] = x[i * WIDTH] > 0 ? 1 : -1;
    char *bytes = malloc(sizeof x + 256);
    size_t size = npy_make(bytes, "<f8", 0, x, ROWS, WIDTH);
    FILE *file = fopen(from, "wb");
    size_t written = fwrite(bytes, 1, size, file);
    fclose(file);
    free(bytes);
    sotto_options *o =
        options_with(SETTINGS({"target", "131"}, {"loss", "logistic"}));
    sotto_status status = sotto_table_convert(&path, 1, table, o, NULL, &error);
    sotto_options_free(o);
    return written == size && status == SOTTO_OK ? 0 : -1;
}

static int remove_table(void **state)
{
    (void)state;
    unlink(from);
    unlink(table);
    return rmdir(folder); /* fails where something was left beside the table */
}

static sotto_table *read_table(int on_disk)
{
    setting how[] = {{"loss", "logistic"},
                     {"epsilon", "1"},
                     {"threads", "1"},
                     {on_disk ? "memory" : NULL, "28M"},
                     {NULL, NULL}};
    sotto_options *o = options_with(how);
    sotto_error error = {0};
    sotto_table *t = NULL;
    if (sotto_table_read(&t, table, o, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    sotto_options_free(o);
    assert_int_equal(t->on_disk, on_disk);
    if (on_disk) /* as little memory as there can be */
        assert_int_equal(table_window(t), 1024);
    return t;
}

static curator *open_on(int on_disk, int threads, const ask_plan *plan)
{
    sotto_table *t = read_table(on_disk);
    curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .rows_per_person = 1,
                             .rows = ROWS,
                             .loss = {LOSS_LOGISTIC, 0},
                             .weight_bound = 1,
                             .intercept = 1,
                             .threads = threads,
                             .insecure = 1,
                             .seed = 3};
    curator *c;
    sotto_error error;
    if (curator_open(&c, &t, &policy, plan, &error))
        fail_msg("%s", error.message);
    return c;
}

/* ---- the same answers ---- */

#define CHECK(call)                                                            \
    do {                                                                       \
        if (call)                                                              \
            fail_msg("%s", error.message);                                     \
    } while (0)

static uint64_t mark_numbers(uint64_t mark, const double *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        mark = (mark ^ bits) * 1099511628211u;
    }
    return mark;
}

static ask_plan plan_all(void)
{
    static const ask_kind asked[] = {
        ASK_COLUMN_COUNTS, ASK_COLUMN_MEANS, ASK_COLUMN_SQUARES,
        ASK_ROW_COUNTS,    ASK_GRADIENT,     ASK_GRADIENT,
        ASK_CHANGE,        ASK_MATRIX,       ASK_WHITENED};
    ask_plan plan = {.items = sizeof asked / sizeof *asked};
    for (int i = 0; i < plan.items; i++)
        plan.item[i] = some(asked[i], 1, 5);
    return plan;
}

static double numbers[4][WIDTH]; /* ones, halves, a point, a centre */

static void fill_numbers(void)
{
    for (int j = 0; j < WIDTH; j++) {
        numbers[0][j] = 1;
        numbers[1][j] = j % 3 ? .5 : .3;
        numbers[2][j] = .01 * (j % 7) - .02;
        numbers[3][j] = .05 * (j % 5);
    }
}

static uint64_t mark_columns(curator *c, uint64_t mark)
{
    static double out[FEATURES * 4];
    double edge[] = {.7, .5, .2}, odd[] = {.75, .3, .01}, sd;
    sotto_error error;
    ask_shape counts = {.kind = ASK_COLUMN_COUNTS, .bound = numbers[0]};
    ask_shape means = {
        .kind = ASK_COLUMN_MEANS, .bound = numbers[0], .centre = numbers[3]};
    ask_shape squares = {.kind = ASK_COLUMN_SQUARES, .bound = numbers[1]};
    ask_shape row = {.kind = ASK_ROW_COUNTS, .bound = numbers[0], .length = 1};
    CHECK(curator_ask_counts(c, &counts, odd, 3, out, &sd, &error));
    mark = mark_numbers(mark, out, FEATURES * 4);
    CHECK(curator_ask_means(c, &means, out, &sd, &error));
    mark = mark_numbers(mark, out, FEATURES);
    CHECK(curator_ask_means(c, &squares, out, &sd, &error));
    mark = mark_numbers(mark, out, FEATURES);
    CHECK(curator_ask_counts(c, &row, edge, 3, out, &sd, &error));
    return mark_numbers(mark, out, 4);
}

static uint64_t mark_slopes(curator *c, uint64_t mark)
{
    static double out[WIDTH];
    double sd;
    sotto_error error;
    CHECK(curator_ask_gradient(c, .5, numbers[0], out, &error));
    mark = mark_numbers(mark, out, WIDTH);
    curator_tell_all(c, numbers[2]);
    CHECK(curator_ask_gradient(c, .5, numbers[1], out, &error));
    mark = mark_numbers(mark, out, WIDTH);
    curator_tell_all(c, numbers[3]); /* margins that a change makes anew */
    CHECK(curator_ask_change(c, .1, 2, out, &sd, &error));
    return mark_numbers(mark, out, 1);
}

static uint64_t mark_frame(curator *c, uint64_t mark)
{
    static double out[WIDTH * WIDTH], map[WIDTH * WIDTH];
    double sd;
    sotto_error error;
    ask_frame frame = {
        .features = FEATURES, .centre = numbers[3], .scale = numbers[1]};
    for (int j = 0; j < WIDTH; j++) { /* rows that are clipped turn, too */
        map[j * WIDTH + j] = j % 2 ? .5 : .125;
        map[j * WIDTH + (j + 1) % WIDTH] = .0625;
    }
    CHECK(curator_tell_frame(c, &frame, &error));
    CHECK(curator_ask_matrix(c, 1, out, &sd, &error));
    mark = mark_numbers(mark, out, WIDTH * WIDTH);
    CHECK(curator_tell_map(c, map, &error));
    CHECK(curator_tell_map(c, map, &error)); /* the first is carried out */
    CHECK(curator_tell_point(c, numbers[2], &error));
    CHECK(curator_ask_whitened(c, 1, out, &sd, &error));
    return mark_numbers(mark, out, WIDTH);
}

static uint64_t mark_of(int on_disk, int threads, int tell)
{
    ask_plan plan = plan_all();
    curator *c = open_on(on_disk, threads, &plan);
    sotto_error error;
    if (tell) { /* twice: the smaller one holds */
        CHECK(curator_tell_bounds(c, numbers[1], &error));
        CHECK(curator_tell_bounds(c, numbers[0], &error));
    }
    uint64_t mark = mark_frame(c, mark_slopes(c, mark_columns(c, 7)));
    curator_close(c);
    return mark;
}

static void test_same_answers(void **state)
{
    (void)state;
    fill_numbers();
    for (int tell = 0; tell < 2; tell++) {
        uint64_t in_memory = mark_of(0, 1, tell);
        assert_true(mark_of(1, 1, tell) == in_memory);
        assert_true(mark_of(1, 3, tell) == in_memory);
    }
    assert_false(mark_of(1, 1, 1) == mark_of(1, 1, 0));
}

static uint64_t mark_quantile(int on_disk)
{
    ask_plan plan = plan_one((ask_item){
        .kind = ASK_ROW_QUANTILE, .noise = ASK_GUMBEL, .count = 1, .level = 1});
    double edge[40];
    int64_t out;
    sotto_error error;
    curator *c = open_on(on_disk, 2, &plan);
    ask_shape row = {.kind = ASK_ROW_QUANTILE, .bound = numbers[0]};
    for (int k = 0; k < 40; k++)
        edge[k] = 1 - .0005 * k;
    CHECK(curator_ask_quantile(c, &row, edge, 40, .5, &out, &error));
    curator_close(c);
    return (uint64_t)out;
}

static void test_quantile(void **state)
{
    (void)state;
    fill_numbers();
    assert_true(mark_quantile(1) == mark_quantile(0));
}

/* ---- refusals ---- */

static void test_single_columns(void **state)
{
    (void)state;
    static const ask_kind wrong[] = {ASK_PARTIAL, ASK_MOMENTS};
    double out[WIDTH];
    sotto_error error;
    fill_numbers();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ask_plan plan = plan_one(some(wrong[i], 1, 1));
        sotto_table *t = read_table(1);
        curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                                 .rows_per_person = 1,
                                 .rows = ROWS,
                                 .loss = {LOSS_LOGISTIC, 0},
                                 .weight_bound = 1,
                                 .insecure = 1};
        curator *c;
        assert_int_equal(curator_open(&c, &t, &policy, &plan, &error),
                         SOTTO_USAGE);
        assert_non_null(strstr(error.message, "in memory"));
    }
    ask_plan later = plan_one(some(ASK_LATER, 1, 1));
    ask_plan told = plan_one(some(ASK_PARTIAL, 1, .5));
    curator *c = open_on(1, 1, &later);
    CHECK(curator_tell_clips(c, numbers[0], &error));
    CHECK(curator_tell_plan(c, &told, &error));
    assert_int_equal(curator_ask_partial(c, 0, out, &error), SOTTO_USAGE);
    assert_non_null(strstr(error.message, "in memory"));
    curator_close(c);
}

/* A move of one column would read it whole. That of the intercept does not. */
static void test_moves(void **state)
{
    (void)state;
    double out[WIDTH];
    sotto_error error;
    ask_plan plan = plan_one(some(ASK_GRADIENT, 2, 1));
    fill_numbers();
    curator *c = open_on(1, 1, &plan);
    curator_tell(c, FEATURES, .5);
    CHECK(curator_ask_gradient(c, .5, numbers[0], out, &error));
    assert_int_equal(curator_ask_gradient(c, INFINITY, numbers[0], out, &error),
                     SOTTO_USAGE); /* no clip: in double, from memory */
    curator_tell(c, 0, .5);
    assert_int_equal(curator_ask_gradient(c, .5, numbers[0], out, &error),
                     SOTTO_FAILED);
    curator_close(c);
}

/* ---- failures ---- */

/* The table is written to after a curator has opened it. */
static void test_written_to(void **state)
{
    (void)state;
    double out[WIDTH], edge[] = {.5};
    int64_t place;
    sotto_error error;
    struct timespec then[2] = {{1000, 0}, {1000, 0}};
    ask_plan plan =
        plan_two(some(ASK_GRADIENT, 2, 1), (ask_item){.kind = ASK_ROW_QUANTILE,
                                                      .noise = ASK_GUMBEL,
                                                      .count = 1,
                                                      .level = 1});
    ask_shape row = {.kind = ASK_ROW_QUANTILE, .bound = numbers[0]};
    ask_frame frame = {
        .features = FEATURES, .centre = numbers[3], .scale = numbers[1]};
    fill_numbers();
    curator *c = open_on(1, 1, &plan);
    CHECK(curator_ask_gradient(c, .5, numbers[0], out, &error));
    assert_int_equal(utimensat(AT_FDCWD, table, then, 0), 0);
    assert_int_equal(curator_ask_gradient(c, .5, numbers[0], out, &error),
                     SOTTO_DATA);
    for (int j = 0; j < WIDTH; j++)
        assert_true(out[j] == 0);
    assert_int_equal(curator_ask_quantile(c, &row, edge, 1, .5, &place, &error),
                     SOTTO_DATA);
    assert_int_equal(curator_tell_frame(c, &frame, &error), SOTTO_DATA);
    assert_non_null(strstr(error.message, "has changed"));
    curator_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answers),   cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_single_columns), cmocka_unit_test(test_moves),
        cmocka_unit_test(test_written_to),
    };
    return cmocka_run_group_tests(tests, make_table, remove_table);
}
