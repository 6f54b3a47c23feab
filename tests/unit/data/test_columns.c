/*
 * Columns in memory against files that hold the same values: the same table,
 * bit for bit, or the same refusal. Random columns of all element types,
 * strides, masks and texts against CSV; arrays against .npy; sparse features
 * against svmlight; and the models that come of them.
 */
#include "columns.h"

/* ---- CSV ---- */

#define SCHEMA_OF(missing)                                                     \
    "{\"sotto_schema\": 1, \"missing_values\": [" missing "],"                 \
    "\"default\": {\"type\": \"number\", \"missing\": 0.5}, \"columns\": {"    \
    "\"b\": {\"type\": \"number\", \"bounds\": [-2, 30], \"missing\": 3},"     \
    "\"c\": {\"type\": \"category\", \"levels\": [\"ann\", \"1\", \"0\","      \
    "\"2.5\", \"bob\", \"2\"], \"missing\": \"none\"},"                        \
    "\"d\": {\"type\": \"category\", \"levels\": [\"ann\", \"1\"],"            \
    "\"missing\": \"ann\"}}}"

/* Where a number means a missing value, none is plain. */
static const char *const schemas[] = {SCHEMA_OF("\"NA\", \"-1\""),
                                      SCHEMA_OF("\"NA\"")};

static int compare_csv(int rows)
{
    made *c[9];
    sotto_table *from_file = NULL, *from_memory = NULL;
    sotto_error said_a = {0}, said_b = {0};
    text_buffer csv = {0};
    sotto_columns *list = new_list(rows);
    for (int j = 0; j < 9; j++) {
        /* most texts are no numbers, so few columns of numbers have texts */
        int64_t odds = j == 0 || j == 1 || j == 5 || j == 8 ? 12 : 2;
        c[j] = random_column(column_names[j], random_below(odds) == 0, rows);
        list_column(list, c[j]);
    }
    put_columns_csv(&csv, c, 9, rows);
    sotto_options *o = random_options(schemas[random_below(2)]);
    sotto_status a = table_read_memory(&from_file, "a.csv", csv.data,
                                       csv.length, o, &said_a);
    sotto_status b = sotto_table_from(&from_memory, list, o, &said_b);
    if (a == SOTTO_OK && b == SOTTO_OK)
        assert_same_remarks(from_file, from_memory);
    long line, row;
    char *after = strstr(said_a.message, " after the header");
    if (after)
        *after = 0;
    if (sscanf(said_b.message, "the table: row %ld", &row) == 1) {
        assert_int_equal(sscanf(said_a.message, "a.csv: line %ld", &line), 1);
        assert_int_equal(line, row + 1);
    }
    int rows_in_both = a == SOTTO_OK ? (int)from_file->rows : -1;
    assert_same_reading(a, from_file, &said_a, b, from_memory, &said_b);
    for (int j = 0; j < 9; j++)
        free_column(c[j]);
    text_free(&csv);
    sotto_columns_free(list);
    sotto_options_free(o);
    return rows_in_both;
}

static void test_same_as_csv(void **state)
{
    (void)state;
    int tables = 0, refusals = 0, with_rows = 0;
    for (int k = 0; k < 3000; k++) {
        int rows = (int)random_below(k % 10 ? 40 : MOST_ROWS);
        int got = compare_csv(rows);
        tables += got >= 0;
        with_rows += got > 0;
        refusals += got < 0;
    }
    /* the comparison is about something */
    assert_true(tables > 500 && with_rows > 300 && refusals > 200);
}

/* ---- .npy ---- */

typedef struct array {
    char file[60000];
    size_t size;
    char *memory;
    const char *first;
    int64_t row_stride, column_stride;
} array;

static double random_cell(void)
{
    int64_t pick = random_below(40);
    return pick == 0   ? random_float()
           : pick == 1 ? -0.
                       : (double)(float)((double)random_below(64) / 4 - 4);
}

/* The same values as a file, and in memory in some order. */
static void random_array(array *a, int rows, int columns, int wide, int fortran)
{
    double *x = malloc((size_t)(rows * columns + 1) * sizeof *x);
    int64_t size = wide ? 8 : 4, room = (rows + 2) * (columns + 2) * size;
    for (int k = 0; k < rows * columns; k++)
        x[k] = k % columns == columns - 1 ? (double)random_below(2)
                                          : random_cell();
    a->size =
        npy_make(a->file, wide ? "<f8" : "<f4", fortran, x, rows, columns);
    int by_column = (int)random_below(2), back = (int)random_below(2);
    a->row_stride = by_column ? size : (columns + 2) * size;
    a->column_stride = by_column ? (rows + 2) * size : size;
    a->memory = calloc(1, (size_t)room);
    a->first = a->memory;
    if (back) { /* the last row and column come first */
        a->first += (rows ? rows - 1 : 0) * a->row_stride +
                    (columns - 1) * a->column_stride;
        a->row_stride = -a->row_stride;
        a->column_stride = -a->column_stride;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            float f = (float)x[i * columns + j];
            memcpy(a->memory + (a->first - a->memory) + i * a->row_stride +
                       j * a->column_stride,
                   wide ? (void *)&x[i * columns + j] : (void *)&f,
                   (size_t)size);
        }
    free(x);
}

static int compare_npy(int rows, int columns)
{
    static array a;
    sotto_table *from_file = NULL, *from_memory = NULL;
    sotto_error said_a = {0}, said_b = {0};
    char last[8];
    int wide = (int)random_below(2), drop = (int)random_below(2);
    /* by column another row may be the first bad one */
    random_array(&a, rows, columns, wide, drop && random_below(2));
    sotto_columns *list = new_list(rows);
    assert_int_equal(sotto_columns_add_array(list, NULL, columns, a.first,
                                             wide ? SOTTO_F64 : SOTTO_F32,
                                             a.row_stride, a.column_stride,
                                             &said_b),
                     SOTTO_OK);
    snprintf(last, sizeof last, "%d", columns);
    sotto_options *o = options_with(SETTINGS(
        {"target", last}, {"loss", random_below(2) ? "logistic" : "squared"},
        {"bad-rows", drop ? "drop" : "stop"},
        {"undeclared", random_below(2) ? "rows" : "bounds"},
        {"precision", random_below(2) ? "double" : "float"}));
    if (drop && random_below(2)) {
        assert_false(sotto_options_set(o, "part-column", "1", &said_a));
        assert_false(sotto_options_set(o, "parts", "1,-0.25,2", &said_a));
    }
    sotto_status x =
        table_read_memory(&from_file, "a.npy", a.file, a.size, o, &said_a);
    sotto_status z = sotto_table_from(&from_memory, list, o, &said_b);
    int got =
        assert_same_reading(x, from_file, &said_a, z, from_memory, &said_b);
    sotto_options_free(o);
    sotto_columns_free(list);
    free(a.memory);
    return got;
}

static void test_same_as_npy(void **state)
{
    (void)state;
    int tables = 0;
    for (int k = 0; k < 1500; k++)
        tables += compare_npy((int)random_below(k % 5 ? 20 : 300),
                              2 + (int)random_below(8));
    assert_true(tables > 700 && tables < 1500);
}

/* ---- svmlight ---- */

enum { FEATURES = 40, ENTRIES = 12000 };

typedef struct sparse_made {
    int64_t start[MOST_ROWS + 1], index[ENTRIES];
    double value[ENTRIES], label[MOST_ROWS];
    int64_t start_of[FEATURES + 1], row[ENTRIES];
    double by_column[ENTRIES];
} sparse_made;

/* Rows of a few entries, sometimes bad ones: twice the same index, an index
   that is too large, a value that is none. */
static void random_sparse(sparse_made *s, text_buffer *file, int rows, int bad)
{
    int64_t k = 0;
    for (int i = 0; i < rows; i++) {
        int64_t first = k, j = random_below(6);
        s->start[i] = k;
        s->label[i] = (double)(random_below(2) * 2 - 1);
        text_format(file, "%d", (int)s->label[i]);
        for (; j < FEATURES; j += 1 + random_below(8)) {
            s->index[k] = j;
            s->value[k] = (double)(float)((double)random_below(99) / 8 - 3);
            if (bad && random_below(40) == 0)
                s->value[k] = random_float();
            text_format(file, " %lld:%s", (long long)j + 1,
                        isfinite(s->value[k])
                            ? sotto_number_exact(s->value[k]).text
                            : "nan");
            k++;
        }
        if (bad && k > first && random_below(20) == 0) {
            s->index[k] = s->index[k - 1]; /* not increasing in the file */
            s->value[k++] = 1;
            text_format(file, " %lld:1", (long long)s->index[k - 1] + 1);
        }
        text_put(file, "\n");
    }
    s->start[rows] = k;
}

/* The order within a row does not matter. */
static void shuffle_rows(sparse_made *s, int rows)
{
    for (int i = 0; i < rows; i++)
        for (int64_t k = s->start[i + 1] - 1; k > s->start[i]; k--) {
            int64_t other = s->start[i] + random_below(k - s->start[i] + 1);
            int64_t index = s->index[k];
            double value = s->value[k];
            s->index[k] = s->index[other];
            s->value[k] = s->value[other];
            s->index[other] = index;
            s->value[other] = value;
        }
}

static void turn_sparse(sparse_made *s, int rows)
{
    int64_t at = 0;
    for (int64_t j = 0; j < FEATURES; j++) {
        s->start_of[j] = at;
        for (int i = 0; i < rows; i++)
            for (int64_t k = s->start[i]; k < s->start[i + 1]; k++)
                if (s->index[k] == j) {
                    s->row[at] = i;
                    s->by_column[at++] = s->value[k];
                }
    }
    s->start_of[FEATURES] = at;
}

/* As 32-bit integers, in the same memory. */
static void narrow(int64_t *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int32_t small = (int32_t)x[k];
        memcpy((char *)x + k * 4, &small, sizeof small);
    }
}

static sotto_sparse lay_sparse(sparse_made *s, int rows)
{
    int by_column = (int)random_below(2);
    int64_t *start = by_column ? s->start_of : s->start;
    int64_t *index = by_column ? s->row : s->index;
    int64_t groups = by_column ? FEATURES : rows, entries = start[groups];
    int small_start = (int)random_below(2), small_index = (int)random_below(2);
    if (small_start)
        narrow(start, groups + 1);
    if (small_index)
        narrow(index, entries);
    return (sotto_sparse){by_column,
                          FEATURES,
                          start,
                          index,
                          by_column ? s->by_column : s->value,
                          small_start ? SOTTO_I32 : SOTTO_I64,
                          small_index ? SOTTO_I32 : SOTTO_I64,
                          SOTTO_F64};
}

#define BOUNDED                                                                \
    "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\", \"bounds\": "   \
    "[-2, 8]}, \"columns\": {\"3\": {\"type\": \"number\"}, \"7\": "           \
    "{\"type\": \"number\", \"bounds\": [0, 4]}}}"

static int compare_svmlight(int rows, int bad)
{
    static sparse_made s;
    sotto_table *from_file = NULL, *from_memory = NULL;
    sotto_error said_a = {0}, said_b = {0};
    text_buffer file = {0};
    int classes = (int)random_below(2), drop = !bad || random_below(2);
    random_sparse(&s, &file, rows, bad);
    if (!bad || drop) /* else the first thing wrong with a row is told */
        shuffle_rows(&s, rows);
    turn_sparse(&s, rows);
    sotto_sparse e = lay_sparse(&s, rows);
    sotto_columns *list = new_list(rows);
    assert_false(sotto_columns_add(list, "target", s.label, SOTTO_F64, 8, NULL,
                                   &said_b));
    assert_false(sotto_columns_add_sparse(list, &e, &said_b));
    const char *named = classes ? "logistic" : "squared";
    sotto_options *o = options_with(SETTINGS(
        {"loss", named}, {"bad-rows", drop ? "drop" : "stop"},
        {"undeclared", random_below(2) ? "rows" : "bounds"}, {"features", "40"},
        {"layout", random_below(2) ? "rows" : "both"},
        {"precision", random_below(2) ? "double" : "float"}));
    if (random_below(2))
        assert_false(sotto_options_set_content(o, "schema", BOUNDED, &said_a));
    sotto_status x =
        table_read_memory(&from_file, "a.svm", file.data ? file.data : "",
                          file.length, o, &said_a);
    assert_false(sotto_options_set(o, "target", "target", &said_a));
    sotto_status z = sotto_table_from(&from_memory, list, o, &said_b);
    if (x != SOTTO_OK && z != SOTTO_OK) { /* each has words of its own */
        long line = 0, row = 0;
        assert_int_equal(sscanf(said_a.message, "a.svm: line %ld", &line), 1);
        assert_int_equal(sscanf(said_b.message, "the table: row %ld", &row), 1);
        assert_int_equal(line, row);
        strcpy(said_a.message, said_b.message);
    }
    int got =
        assert_same_reading(x, from_file, &said_a, z, from_memory, &said_b);
    sotto_options_free(o);
    sotto_columns_free(list);
    text_free(&file);
    return got;
}

static void test_same_as_svmlight(void **state)
{
    (void)state;
    int tables = 0;
    for (int k = 0; k < 1500; k++)
        tables += compare_svmlight(1 + (int)random_below(k % 5 ? 30 : 300),
                                   k % 3 == 0);
    assert_true(tables > 900 && tables < 1500);
}

/* Rows that are dropped leave nothing behind the others: kernels read up to a
   multiple of 64. */
static void test_nothing_is_left_behind(void **state)
{
    (void)state;
    enum { ROWS = 64 }; /* the table keeps the reader's own memory */
    double x[2 * ROWS];
    static char bytes[256 + sizeof x];
    for (int k = 0; k < 2 * ROWS; k++)
        x[k] = k + 1;
    x[2] = NAN;
    for (int fortran = 0; fortran < 2; fortran++) {
        size_t size = npy_make(bytes, "<f8", fortran, x, ROWS, 2);
        sotto_table *t =
            read_bytes("a.npy", bytes, size,
                       SETTINGS({"bad-rows", "drop"}, {"precision", "float"}));
        assert_int_equal(t->rows, ROWS - 1);
        assert_int_equal(t->features, 2);
        for (int64_t j = 0; j < 2; j++)
            for (int64_t i = 0; i < t->stride; i++) {
                int64_t row = i < 1 ? i : i + 1;
                float expected = i < ROWS - 1 ? (float)x[2 * row + j] : 0;
                assert_true(((float *)t->x)[j * t->stride + i] == expected);
            }
        sotto_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_left_behind),
        cmocka_unit_test(test_same_as_csv),
        cmocka_unit_test(test_same_as_npy),
        cmocka_unit_test(test_same_as_svmlight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
