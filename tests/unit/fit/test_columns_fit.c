/*
 * Columns in memory up to the model: the same model as from a file, answers
 * about columns, columns beside sparse features, templates, what is refused,
 * and that a run is booked before a value is looked at.
 */
#include "columns.h"

#include <sys/mman.h>

static sotto_error last;

static void must(sotto_status status)
{
    if (status != SOTTO_OK)
        fail_msg("%s", last.message);
}

static void assert_says(sotto_status status, sotto_status expected,
                        const char *said)
{
    assert_int_equal(status, expected);
    if (!strstr(last.message, said))
        fail_msg("\"%s\" is not in: %s", said, last.message);
    assert_null(strchr(last.message, '\n'));
}

/* ---- data: numbers, classes by name, weights, people ---- */

enum { ROWS = 500, WIDTH = 3 };

static double x[ROWS][WIDTH], y[ROWS], weight[ROWS];
static int32_t person[ROWS];
static char label_bytes[ROWS * 3 + 1];
static int64_t label_offset[ROWS + 1];

static void make_data(void)
{
    size_t at = 0;
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < WIDTH; j++)
            sum += x[i][j] = (double)random_below(2001) / 1000 - 1;
        y[i] = sum + (double)random_below(100) / 100 > .5;
        weight[i] = (double)(1 + random_below(3));
        person[i] = (int32_t)random_below(ROWS / 2);
        const char *word = y[i] > 0 ? "yes" : "no";
        label_offset[i] = (int64_t)at;
        memcpy(label_bytes + at, word, strlen(word));
        at += strlen(word);
    }
    label_offset[ROWS] = (int64_t)at;
}

static void put_csv(text_buffer *t)
{
    text_put(t, "a,b,c,who,w,answer\n");
    for (int i = 0; i < ROWS; i++)
        text_format(t, "%.17g,%.17g,%.17g,%d,%.17g,%s\n", x[i][0], x[i][1],
                    x[i][2], person[i], weight[i], y[i] > 0 ? "yes" : "no");
}

static sotto_columns *list_data(int labelled)
{
    static const char *const names[] = {"a", "b", "c"};
    sotto_columns *c = new_list(ROWS);
    must(sotto_columns_add_array(c, names, WIDTH, x, SOTTO_F64, sizeof *x,
                                 sizeof **x, &last));
    must(sotto_columns_add(c, "who", person, SOTTO_I32, sizeof *person, NULL,
                           &last));
    must(sotto_columns_add(c, "w", weight, SOTTO_F64, sizeof *weight, NULL,
                           &last));
    if (labelled)
        must(sotto_columns_add_texts(c, "answer", label_bytes, label_offset,
                                     NULL, &last));
    return c;
}

#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"columns\": {"                                     \
    "\"a\": {\"type\": \"number\", \"bounds\": [-1, 1]},"                      \
    "\"b\": {\"type\": \"number\", \"bounds\": [-1, 1]},"                      \
    "\"c\": {\"type\": \"number\", \"bounds\": [-1, 1]},"                      \
    "\"who\": {\"type\": \"unit\"}, "                                          \
    "\"w\": {\"type\": \"weight\", \"bounds\": [0, 3]},"                       \
    "\"answer\": {\"type\": \"target\", \"classes\": [\"no\", \"yes\"]}}}"

static sotto_options *fit_options(void)
{
    sotto_options *o = options_with(
        SETTINGS({"loss", "logistic"}, {"epsilon", "2"}, {"delta", "1e-5"},
                 {"rows-per-person", "2"}, {"insecure-seed", "7"}));
    must(sotto_options_set_content(o, "schema", SCHEMA, &last));
    return o;
}

static char *fit_text(sotto_table *t, const sotto_options *o,
                      sotto_model **model)
{
    char *text;
    must(sotto_fit(model, &t, o, NULL, &last));
    must(sotto_model_text(&text, *model, &last));
    return text;
}

/* ---- the same model, and its answers ---- */

static void test_same_model_as_csv(void **state)
{
    (void)state;
    text_buffer csv = {0};
    sotto_table *t, *rows_a, *rows_b;
    sotto_model *a, *b;
    sotto_options *o = fit_options();
    put_csv(&csv);
    must(table_read_memory(&t, "a.csv", csv.data, csv.length, o, &last));
    char *from_file = fit_text(t, o, &a);
    sotto_columns *c = list_data(1);
    must(sotto_fit_from(&t, c, o, &last));
    char *from_memory = fit_text(t, o, &b);
    assert_string_equal(from_file, from_memory);
    /* answers about rows that have no labels, and about those that have */
    sotto_columns *plain = list_data(0);
    must(sotto_table_from_for(&rows_a, a, 0, plain, o, &last));
    must(sotto_table_from_for(&rows_b, a, 1, c, o, &last));
    double *said_a = calloc(ROWS, sizeof *said_a);
    double *said_b = calloc(ROWS, sizeof *said_b);
    sotto_quality quality;
    must(sotto_predict(said_a, a, rows_a, SOTTO_ANSWER_PROBA, &last));
    must(sotto_predict(said_b, a, rows_b, SOTTO_ANSWER_PROBA, &last));
    assert_memory_equal(said_a, said_b, ROWS * sizeof *said_a);
    must(sotto_evaluate(&quality, a, rows_b, &last));
    assert_int_equal(quality.rows, ROWS);
    assert_true(quality.accuracy > .6);
    free(said_a);
    free(said_b);
    sotto_table_free(rows_a);
    sotto_table_free(rows_b);
    sotto_text_free(from_file);
    sotto_text_free(from_memory);
    sotto_model_free(a);
    sotto_model_free(b);
    sotto_columns_free(c);
    sotto_columns_free(plain);
    sotto_options_free(o);
    text_free(&csv);
}

/* Without names: the model of a .npy file with the same numbers, which knows
   its columns by their place. */
static void test_same_model_as_npy(void **state)
{
    (void)state;
    static double cells[ROWS * 4];
    static char file[ROWS * 40];
    sotto_table *t;
    sotto_model *a, *b;
    sotto_options *o = options_with(
        SETTINGS({"loss", "logistic"}, {"target", "4"}, {"epsilon", "2"},
                 {"delta", "1e-5"}, {"insecure-seed", "7"}));
    for (int i = 0; i < ROWS; i++) {
        memcpy(cells + i * 4, x[i], sizeof x[i]);
        cells[i * 4 + 3] = y[i];
    }
    size_t size = npy_make(file, "<f8", 0, cells, ROWS, 4);
    must(table_read_memory(&t, "a.npy", file, size, o, &last));
    char *from_file = fit_text(t, o, &a);
    sotto_columns *c = new_list(ROWS), *fewer = new_list(ROWS);
    must(sotto_columns_add_array(c, NULL, 4, cells, SOTTO_F64, 32, 8, &last));
    must(sotto_fit_from(&t, c, o, &last));
    char *from_memory = fit_text(t, o, &b);
    assert_string_equal(from_file, from_memory);
    must(sotto_columns_add_array(fewer, NULL, 3, x, SOTTO_F64, 24, 8, &last));
    must(sotto_table_from_for(&t, a, 0, fewer, o, &last));
    sotto_table_free(t);
    assert_says(sotto_table_from_for(&t, a, 1, fewer, o, &last), SOTTO_DATA,
                "there is no column \"4\"");
    sotto_text_free(from_file);
    sotto_text_free(from_memory);
    sotto_model_free(a);
    sotto_model_free(b);
    sotto_columns_free(c);
    sotto_columns_free(fewer);
    sotto_options_free(o);
}

/* ---- columns beside sparse features ---- */

static int32_t start[ROWS + 1], sparse_index[ROWS * WIDTH];

static sotto_sparse sparse_data(void)
{
    for (int i = 0; i < ROWS; i++) {
        start[i + 1] = (i + 1) * WIDTH;
        for (int j = 0; j < WIDTH; j++)
            sparse_index[i * WIDTH + j] = j;
    }
    return (sotto_sparse){0, WIDTH,     start,     sparse_index,
                          x, SOTTO_I32, SOTTO_I32, SOTTO_F64};
}

static sotto_columns *list_sparse(int labelled)
{
    sotto_sparse e = sparse_data();
    sotto_columns *c = new_list(ROWS);
    if (labelled)
        must(sotto_columns_add_texts(c, "answer", label_bytes, label_offset,
                                     NULL, &last));
    must(sotto_columns_add_sparse(c, &e, &last));
    must(sotto_columns_add(c, "w", weight, SOTTO_F64, sizeof *weight, NULL,
                           &last));
    must(sotto_columns_add(c, "who", person, SOTTO_I32, sizeof *person, NULL,
                           &last));
    return c;
}

/* Weights, people and classes by name are those of the same data in CSV, and
   the exact minimum is the same. */
static void test_beside_sparse(void **state)
{
    (void)state;
    text_buffer csv = {0};
    sotto_table *dense, *sparse;
    sotto_model *a, *b;
    sotto_options *o = options_with(SETTINGS(
        {"target", "answer"}, {"classes", "no,yes"}, {"loss", "logistic"},
        {"weights", "w"}, {"l2", ".01"}, {"weight-bound", "3"},
        {"unit-column", "who"}, {"keep-ids", "yes"}, {"epsilon", "inf"}));
    put_csv(&csv);
    must(table_read_memory(&dense, "a.csv", csv.data, csv.length, o, &last));
    sotto_columns *c = list_sparse(1), *plain = list_sparse(0);
    must(sotto_fit_from(&sparse, c, o, &last));
    assert_int_equal(sotto_table_is_sparse(sparse), 1);
    assert_same(dense, sparse);
    assert_same_bytes(dense->weight, sparse->weight, ROWS * sizeof(double));
    assert_same_bytes(dense->unit, sparse->unit, ROWS * sizeof(int64_t));
    assert_same_bytes(dense->ids, sparse->ids, dense->id_end[ROWS - 1]);
    assert_string_equal(sotto_table_class(sparse, 1), "yes");
    must(sotto_fit(&a, &dense, o, NULL, &last));
    must(sotto_fit(&b, &sparse, o, NULL, &last));
    for (int64_t j = 0; j < WIDTH; j++)
        assert_true(fabs(sotto_model_weight(a, j) - sotto_model_weight(b, j)) <
                    1e-6);
    /* the model knows its columns again; a file has no weights */
    must(sotto_table_from_for(&sparse, b, 1, c, o, &last));
    assert_non_null(sparse->weight);
    sotto_table_free(sparse);
    must(sotto_table_from_for(&sparse, b, 0, plain, o, &last));
    sotto_table_free(sparse);
    sotto_options *unlabelled = options_with(NO_SETTINGS);
    assert_says(sotto_table_from_for(&sparse, b, 1, plain, unlabelled, &last),
                SOTTO_DATA, "there is no column \"answer\"");
    char *file = write_temporary("1:1 2:.5\n3:1\n"), path[64];
    snprintf(path, sizeof path, "%s", file);
    must(sotto_options_set(unlabelled, "format", "svmlight", &last));
    must(sotto_table_read_for(&sparse, b, 0, path, unlabelled, &last));
    assert_int_equal(sparse->rows, 2);
    unlink(path);
    sotto_table_free(sparse);
    sotto_model_free(a);
    sotto_model_free(b);
    sotto_columns_free(c);
    sotto_columns_free(plain);
    sotto_options_free(unlabelled);
    sotto_options_free(o);
    text_free(&csv);
}

/* ---- templates ---- */

static void test_templates(void **state)
{
    (void)state;
    char *text;
    sotto_options *o = options_with(SETTINGS({"target", "t"}, {"drop", "z"}));
    sotto_columns *c = new_list(ROWS);
    void *nowhere =
        mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(sotto_columns_add(c, "n", nowhere, SOTTO_I16, 2, NULL, &last));
    must(sotto_columns_add(c, "t", nowhere, SOTTO_I16, 2, NULL, &last));
    must(sotto_columns_add(c, "f", nowhere, SOTTO_BOOL, 1, NULL, &last));
    must(sotto_columns_add_texts(c, "s", nowhere, nowhere, NULL, &last));
    must(sotto_columns_add_texts(c, "z", nowhere, nowhere, NULL, &last));
    must(sotto_schema_template_from(&text, c, o, &last));
    assert_string_equal(
        text, "{\n  \"sotto_schema\": 1,\n  \"missing_values\": [],\n"
              "  \"columns\": {\n"
              "    \"n\": {\"type\": \"number\", \"bounds\": null, "
              "\"missing\": \"refuse\"},\n"
              "    \"t\": {\"type\": \"target\", \"classes\": null},\n"
              "    \"f\": {\"type\": \"number\", \"bounds\": [0, 1], "
              "\"missing\": \"refuse\"},\n"
              "    \"s\": {\"type\": \"category\", \"levels\": null, "
              "\"missing\": \"refuse\"},\n"
              "    \"z\": {\"type\": \"drop\"}\n  }\n}\n");
    sotto_text_free(text);
    sotto_columns_free(c);
    sotto_options_free(o);
    o = options_with(SETTINGS({"target", "answer"}, {"unit-column", "who"},
                              {"weights", "w"}, {"weight-bound", "1"}));
    c = list_sparse(1);
    must(sotto_schema_template_from(&text, c, o, &last));
    assert_string_equal(
        text, "{\n  \"sotto_schema\": 1,\n"
              "  \"default\": {\"type\": \"number\", \"bounds\": null},\n"
              "  \"columns\": {\n"
              "    \"answer\": {\"type\": \"target\", \"classes\": null},\n"
              "    \"w\": {\"type\": \"weight\", \"bounds\": [0, 1]},\n"
              "    \"who\": {\"type\": \"unit\"}\n  }\n}\n");
    sotto_text_free(text);
    sotto_columns_free(c);
    sotto_options_free(o);
    munmap(nowhere, 4096);
}

/* ---- booked before a value is looked at ---- */

static int count_charges(void *context, const sotto_dataset *dataset)
{
    *(int64_t *)context = dataset->charges;
    return 0;
}

static int64_t charges(const char *ledger)
{
    sotto_ledger *open;
    int64_t count = -1;
    must(sotto_ledger_open(&open, ledger, &last));
    must(sotto_ledger_datasets(open, "d", count_charges, &count, &last));
    sotto_ledger_close(open);
    return count;
}

static void make_ledger(char *path)
{
    sotto_options *o = options_with(
        SETTINGS({"dataset", "d"}, {"epsilon", "1.5"}, {"delta", "1e-5"}));
    must(sotto_ledger_create(path, o, &last));
    sotto_options_free(o);
}

/* All of a table in memory that nobody can read: numbers, masks, texts and
   their offsets, or sparse features. */
static sotto_columns *list_nowhere(void *nowhere, int sparse)
{
    sotto_columns *c = new_list(ROWS);
    sotto_sparse e = {sparse == 2, 5,         nowhere,   nowhere,
                      nowhere,     SOTTO_I32, SOTTO_I64, SOTTO_F32};
    must(sotto_columns_add(c, "t", nowhere, SOTTO_I8, 1, nowhere, &last));
    if (sparse) {
        must(sotto_columns_add_sparse(c, &e, &last));
        return c;
    }
    must(sotto_columns_add(c, "x", nowhere, SOTTO_F32, 4, nowhere, &last));
    must(sotto_columns_add_texts(c, "z", nowhere, nowhere, nowhere, &last));
    return c;
}

static sotto_options *booked_options(const char *ledger, const char *epsilon)
{
    return options_with(SETTINGS({"loss", "logistic"}, {"target", "t"},
                                 {"epsilon", epsilon}, {"delta", "1e-6"},
                                 {"ledger", ledger}, {"dataset", "d"}));
}

static void test_booked_first(void **state)
{
    (void)state;
    char path[] = "/tmp/sotto-columns-XXXXXX", ledger[64];
    sotto_table *t;
    sotto_model *m;
    size_t size = ROWS * 16;
    void *nowhere =
        mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_non_null(mkdtemp(path));
    snprintf(ledger, sizeof ledger, "%s/ledger.db", path);
    make_ledger(ledger);
    /* above the cap: refused, nothing booked, no value looked at */
    sotto_options *o = booked_options(ledger, "9");
    for (int sparse = 0; sparse < 3; sparse++) {
        sotto_columns *c = list_nowhere(nowhere, sparse);
        assert_int_equal(sotto_fit_from(&t, c, o, &last), SOTTO_BUDGET);
        assert_null(t);
        sotto_columns_free(c);
    }
    assert_int_equal(charges(ledger), 0);
    sotto_options_free(o);
    /* within it: booked once; a table that turns out to be bad stays charged */
    o = booked_options(ledger, ".5");
    static int64_t wrong[ROWS + 1] = {5, 4};
    sotto_columns *c = new_list(ROWS);
    must(sotto_columns_add(c, "t", y, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add_texts(c, "z", label_bytes, wrong, NULL, &last));
    assert_says(sotto_fit_from(&t, c, o, &last), SOTTO_USAGE,
                "the run is booked and stays charged");
    assert_int_equal(charges(ledger), 1);
    sotto_columns_free(c);
    c = new_list(ROWS);
    must(sotto_columns_add(c, "t", y, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add(c, "x", x, SOTTO_F64, 24, NULL, &last));
    must(sotto_fit_from(&t, c, o, &last));
    assert_int_equal(charges(ledger), 2);
    must(sotto_fit(&m, &t, o, NULL, &last));
    sotto_model_free(m);
    /* a table that was not booked makes no model */
    must(sotto_table_from(&t, c, o, &last));
    assert_int_not_equal(sotto_fit(&m, &t, o, NULL, &last), SOTTO_OK);
    assert_int_equal(charges(ledger), 2);
    sotto_columns_free(c);
    sotto_options_free(o);
    munmap(nowhere, size);
    unlink(ledger);
    rmdir(path);
}

static int prepare(void **state)
{
    (void)state;
    make_data();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_model_as_csv),
        cmocka_unit_test(test_same_model_as_npy),
        cmocka_unit_test(test_beside_sparse),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_booked_first),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
