/*
 * A .npy file of many rows is read in pieces, by several threads: from a file,
 * from memory and from a pipe, by rows and by columns. The table is what its
 * numbers say, bit by bit, wherever a piece ends.
 */
#include "reading.h"

#include "data.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

enum { ROWS = 80011, COLUMNS = 7, FEATURES = COLUMNS - 1 };

static uint64_t seed = 77;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

typedef struct array {
    double *x; /* row after row */
    char *bytes;
    size_t size;
    int wide;
} array;

/* The last column has two classes. One row in `bad_in` has a NaN. */
static array make_array(int wide, int fortran, int bad_in)
{
    array a = {.wide = wide};
    a.x = calloc(ROWS * COLUMNS, sizeof *a.x);
    a.bytes = malloc(ROWS * COLUMNS * sizeof(double) + 256);
    assert_true(a.x && a.bytes);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < FEATURES; j++)
            a.x[i * COLUMNS + j] = 4 * uniform() - 2;
        a.x[i * COLUMNS + FEATURES] = uniform() < .5 ? -1 : 1;
        if (bad_in && uniform() * bad_in < 1)
            a.x[i * COLUMNS + (int)(uniform() * FEATURES)] = NAN;
    }
    a.size =
        npy_make(a.bytes, wide ? "<f8" : "<f4", fortran, a.x, ROWS, COLUMNS);
    return a;
}

static void free_array(array *a)
{
    free(a->x);
    free(a->bytes);
}

static float value_of(const array *a, int i, int j)
{
    double raw = a->x[i * COLUMNS + j];
    raw = a->wide ? raw : (double)(float)raw;
    return (float)(raw * a->x[i * COLUMNS + FEATURES]);
}

static int is_bad(const array *a, int i)
{
    for (int j = 0; j < COLUMNS; j++)
        if (isnan(a->x[i * COLUMNS + j]))
            return 1;
    return 0;
}

static void check_table(sotto_table *t, const array *a)
{
    int64_t row = 0;
    assert_int_equal(t->features, FEATURES);
    for (int i = 0; i < ROWS; i++) {
        if (is_bad(a, i))
            continue;
        assert_true(row < t->rows);
        for (int j = 0; j < FEATURES; j++) {
            float expected = value_of(a, i, j);
            assert_memory_equal((float *)t->x + j * t->stride + row, &expected,
                                sizeof expected);
        }
        assert_true(t->y[row++] == a->x[i * COLUMNS + FEATURES]);
    }
    assert_int_equal(t->rows, row);
    for (int j = 0; j < FEATURES; j++) /* zeros are behind the rows */
        for (int64_t i = row; i < t->stride; i++)
            assert_true(((float *)t->x)[j * t->stride + i] == 0);
    sotto_table_free(t);
}

/* ---- where the bytes are ---- */

typedef struct writer {
    const char *path;
    const array *a;
    size_t size;
} writer;

static void *write_bytes(void *argument)
{
    const writer *w = argument;
    FILE *f = fopen(w->path, "wb");
    assert_non_null(f);
    fwrite(w->a->bytes, 1, w->size, f);
    fclose(f);
    return NULL;
}

static sotto_status read_path(sotto_table **t, const char *path,
                              const setting *s, sotto_error *error)
{
    sotto_options *o = options_with(s);
    sotto_status status = sotto_table_read(t, path, o, error);
    sotto_options_free(o);
    return status;
}

static sotto_status read_pipe(sotto_table **t, const char *path, const array *a,
                              size_t size, const setting *s, sotto_error *error)
{
    pthread_t id;
    writer w = {path, a, size};
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&id, NULL, write_bytes, &w), 0);
    sotto_status status = read_path(t, path, s, error);
    pthread_join(id, NULL);
    return status;
}

/* From memory, from a file, through a pipe. */
static sotto_status read_as(sotto_table **t, int way, const char *path,
                            const array *a, size_t size, const setting *s,
                            sotto_error *error)
{
    writer w = {path, a, size};
    if (way == 2)
        return read_pipe(t, path, a, size, s, error);
    unlink(path);
    write_bytes(&w);
    if (way == 1)
        return read_path(t, path, s, error);
    sotto_options *o = options_with(s);
    sotto_status status =
        table_read_memory(t, "a.npy", a->bytes, size, o, error);
    sotto_options_free(o);
    return status;
}

/* ---- the tests ---- */

static char path[] = "/tmp/sotto-pieces-XXXXXX";

static const char *npy_path(void)
{
    static char name[sizeof path + 4];
    snprintf(name, sizeof name, "%s.npy", path);
    return name;
}

static void test_same_table(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++) {
        array a = make_array(k & 1, k & 2, k & 4 ? 300 : 0);
        sotto_error error;
        for (int threads = 1; threads <= 3; threads += 2) {
            sotto_table *t = NULL;
            int way = k / 8;
            sotto_status status =
                read_as(&t, way, npy_path(), &a, a.size,
                        SETTINGS({"target", "7"}, {"loss", "logistic"},
                                 {"bad-rows", k & 4 ? "drop" : "stop"},
                                 {"precision", "float"},
                                 {"threads", threads == 1 ? "1" : "3"}),
                        &error);
            if (status != SOTTO_OK)
                fail_msg("%s", error.message);
            check_table(t, &a);
        }
        free_array(&a);
    }
}

/* The first bad row is told, whatever the order of the pieces. */
static void test_first_fault(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        array a = make_array(k & 1, k & 2, 500);
        char expected[64];
        sotto_error error;
        sotto_table *t = NULL;
        int i = 0, j = 0;
        while (!is_bad(&a, i))
            i++;
        while (!isnan(a.x[i * COLUMNS + j]))
            j++;
        snprintf(expected, sizeof expected, "row %d, column %d: expected",
                 i + 1, j + 1);
        assert_int_equal(read_as(&t, k / 4, npy_path(), &a, a.size,
                                 SETTINGS({"target", "7"}, {"loss", "logistic"},
                                          {"threads", "3"}),
                                 &error),
                         SOTTO_DATA);
        assert_non_null(strstr(error.message, expected));
        free_array(&a);
    }
}

static void test_cut_off(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        array a = make_array(k & 1, k & 2, 0);
        sotto_error error;
        sotto_table *t = NULL;
        assert_int_equal(read_as(&t, k / 4, npy_path(), &a, a.size - 3,
                                 SETTINGS({"target", "7"}, {"loss", "logistic"},
                                          {"threads", "3"}),
                                 &error),
                         SOTTO_DATA);
        assert_non_null(strstr(error.message, "cut off"));
        free_array(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_table),
        cmocka_unit_test(test_first_fault),
        cmocka_unit_test(test_cut_off),
    };
    signal(SIGPIPE, SIG_IGN); /* a reader may give up before the end */
    int made = mkstemp(path);
    if (made < 0)
        return 1;
    close(made);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(npy_path());
    unlink(path);
    return failed;
}
