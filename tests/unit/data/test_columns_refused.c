/*
 * Columns in memory that cannot be read: each ends in one line, without a
 * crash, and without a value of a record in it.
 */
#include "columns.h"
#include "data/memory.h"

static sotto_error last;

static void says(sotto_status status, sotto_status expected, const char *said)
{
    assert_int_equal(status, expected);
    if (!strstr(last.message, said))
        fail_msg("\"%s\" is not in: %s", said, last.message);
    assert_null(strchr(last.message, '\n'));
    last.message[0] = 0;
}

static void must(sotto_status status)
{
    if (status != SOTTO_OK)
        fail_msg("%s", last.message);
}

/* Making a table of the list must fail so; frees the list. */
static void refuse_list(sotto_columns *c, const setting *s,
                        sotto_status expected, const char *said)
{
    sotto_table *t = NULL;
    sotto_options *o = options_with(s);
    says(sotto_table_from(&t, c, o, &last), expected, said);
    assert_null(t);
    sotto_options_free(o);
    sotto_columns_free(c);
}

static sotto_table *make_list(sotto_columns *c, const setting *s)
{
    sotto_table *t = NULL;
    sotto_options *o = options_with(s);
    must(sotto_table_from(&t, c, o, &last));
    sotto_options_free(o);
    sotto_columns_free(c);
    return t;
}

enum { ROWS = 20 };

static double numbers[ROWS];
static const char *const two_names[] = {"a", NULL};

/* ---- what is refused when it is added ---- */

static void test_lists(void **state)
{
    (void)state;
    sotto_columns *c;
    says(sotto_columns_new(&c, -1, &last), SOTTO_USAGE, "not negative");
    assert_null(c);
    c = new_list(ROWS);
    says(sotto_columns_add(c, NULL, numbers, SOTTO_F64, 8, NULL, &last),
         SOTTO_USAGE, "column 1: expected a name");
    says(sotto_columns_add(c, "", numbers, SOTTO_F64, 8, NULL, &last),
         SOTTO_USAGE, "expected a name");
    says(sotto_columns_add(c, "\xff", numbers, SOTTO_F64, 8, NULL, &last),
         SOTTO_USAGE, "UTF-8");
    says(sotto_columns_add(c, "a", NULL, SOTTO_F64, 8, NULL, &last),
         SOTTO_USAGE, "column \"a\": expected values, found NULL");
    says(sotto_columns_add(c, "a", numbers, (sotto_element)99, 8, NULL, &last),
         SOTTO_USAGE, "sotto_element");
    says(sotto_columns_add(c, "a", numbers, SOTTO_F64, INT64_MAX, NULL, &last),
         SOTTO_USAGE, "stride");
    says(sotto_columns_add(c, "a", numbers, SOTTO_F64, INT64_MIN, NULL, &last),
         SOTTO_USAGE, "stride");
    says(sotto_columns_add_array(c, NULL, -1, numbers, SOTTO_F64, 8, 8, &last),
         SOTTO_USAGE, "not negative");
    says(sotto_columns_add_array(c, NULL, 3, numbers, SOTTO_F64, 8, INT64_MAX,
                                 &last),
         SOTTO_USAGE, "strides");
    says(sotto_columns_add_array(c, NULL, 2, numbers, SOTTO_F64, INT64_MAX / 19,
                                 INT64_MAX - 4, &last),
         SOTTO_USAGE, "strides");
    says(sotto_columns_add_array(c, two_names, 2, numbers, SOTTO_F64, 8, 0,
                                 &last),
         SOTTO_USAGE, "expected a name");
    says(sotto_columns_add_texts(c, "a", "x", NULL, NULL, &last), SOTTO_USAGE,
         "offsets, found NULL");
    assert_int_equal(c->count, 0); /* nothing of it has stayed */
    refuse_list(c, NO_SETTINGS, SOTTO_DATA, "no column is left to learn from");
}

static void test_sparse_lists(void **state)
{
    (void)state;
    int32_t start[ROWS + 1] = {0};
    sotto_sparse good = {0,    3,         start,     NULL,
                         NULL, SOTTO_I32, SOTTO_I32, SOTTO_F32};
    sotto_columns *c = new_list(ROWS);
    sotto_sparse e = good;
    says(sotto_columns_add_sparse(c, NULL, &last), SOTTO_USAGE, "found NULL");
    e.features = 0;
    says(sotto_columns_add_sparse(c, &e, &last), SOTTO_USAGE, "from 1 to");
    e.features = INT64_C(1) << 31;
    says(sotto_columns_add_sparse(c, &e, &last), SOTTO_USAGE, "from 1 to");
    e = good;
    e.start_type = SOTTO_U32;
    says(sotto_columns_add_sparse(c, &e, &last), SOTTO_USAGE, "SOTTO_I32");
    e = good;
    e.index_type = SOTTO_F32;
    says(sotto_columns_add_sparse(c, &e, &last), SOTTO_USAGE, "SOTTO_I32");
    e = good;
    e.value_type = (sotto_element)-1;
    says(sotto_columns_add_sparse(c, &e, &last), SOTTO_USAGE, "values");
    e = good;
    e.start = NULL;
    says(sotto_columns_add_sparse(c, &e, &last), SOTTO_USAGE, "starts, found");
    must(sotto_columns_add_sparse(c, &good, &last));
    says(sotto_columns_add_sparse(c, &good, &last), SOTTO_USAGE, "no others");
    sotto_columns_free(c);
    sotto_columns_free(NULL);
}

/* ---- what the plan refuses ---- */

static sotto_columns *some(const char *a, const char *b)
{
    sotto_columns *c = new_list(ROWS);
    must(sotto_columns_add(c, a, numbers, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add(c, b, numbers, SOTTO_F64, 8, NULL, &last));
    return c;
}

static sotto_columns *sparse_and(const char *name)
{
    static int32_t start[ROWS + 1];
    sotto_sparse e = {0, 3, start, NULL, NULL, SOTTO_I32, SOTTO_I32, SOTTO_F32};
    sotto_columns *c = new_list(ROWS);
    must(sotto_columns_add(c, name, numbers, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add_sparse(c, &e, &last));
    return c;
}

static void test_plans(void **state)
{
    (void)state;
    refuse_list(some("a", "a"), NO_SETTINGS, SOTTO_DATA,
                "the table: columns 1 and 2 have the same name");
    refuse_list(some("age", "b"), SETTINGS({"target", "aeg"}), SOTTO_DATA,
                "the table: there is no column \"aeg\" (--target); expected "
                "one of the names of the columns; did you mean \"age\"?");
    refuse_list(some("a", "b"), SETTINGS({"delimiter", ";"}), SOTTO_USAGE,
                "--delimiter is for files");
    refuse_list(some("a", "b"), SETTINGS({"format", "csv"}), SOTTO_USAGE,
                "--format is for files");
    refuse_list(some("a", "b"), SETTINGS({"features", "2"}), SOTTO_USAGE,
                "the columns say it");
    refuse_list(some("a", "b"), SETTINGS({"parts", "x"}), SOTTO_PRIVACY,
                "--parts");
    refuse_list(sparse_and("t"), NO_SETTINGS, SOTTO_USAGE,
                "beside sparse features expected target, weights, unit and "
                "parts only");
    refuse_list(sparse_and("2"), SETTINGS({"target", "2"}), SOTTO_USAGE,
                "a numbered feature is called so");
    refuse_list(sparse_and("t"), SETTINGS({"target", "t"}, {"features", "4"}),
                SOTTO_DATA, "expected 4 features, found 3");
    refuse_list(sparse_and("t"), SETTINGS({"target", "u"}), SOTTO_DATA,
                "there is no column \"u\"");
    sotto_columns *c = some("a", "b");
    c->kind[1].kind = VIEW_OTHER;
    c->kind[1].other = mem_text("tsu:\n");
    refuse_list(c, NO_SETTINGS, SOTTO_DATA,
                "column \"b\": expected numbers, "
                "booleans or texts, found the "
                "type tsu:?");
    c = some("a", "b");
    c->kind[1].kind = VIEW_OTHER;
    c->view[1].values = NULL;
    sotto_table_free(make_list(c, SETTINGS({"drop", "b"})));
}

/* ---- structure ---- */

static sotto_columns *texts(const char *bytes, const int64_t *offsets,
                            int64_t rows)
{
    sotto_columns *c = new_list(rows);
    must(sotto_columns_add(c, "a", numbers, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add_texts(c, "s", bytes, offsets, NULL, &last));
    return c;
}

static void test_offsets(void **state)
{
    (void)state;
    static const int64_t falls[] = {0, 2, 1, 3}, negative[] = {-1, 0, 1, 2},
                         none[] = {4, 4, 4, 4};
    const setting *both[] = {NO_SETTINGS, SETTINGS({"bad-rows", "drop"})};
    for (int k = 0; k < 2; k++) {
        refuse_list(texts("123", falls, 3), both[k], SOTTO_USAGE,
                    "the table: column \"s\": expected offsets of texts that "
                    "do not decrease");
        refuse_list(texts("123", negative, 3), both[k], SOTTO_USAGE,
                    "do not decrease");
        refuse_list(texts(NULL, falls + 2, 1), both[k], SOTTO_USAGE,
                    "expected the bytes of texts, found NULL");
    }
    /* what is left out is not looked at; empty texts have no bytes */
    sotto_table_free(
        make_list(texts("123", falls, 3), SETTINGS({"drop", "s"})));
    sotto_table *t =
        make_list(texts(NULL, none, 3),
                  SETTINGS({"unit-column", "s"}, {"bad-rows", "drop"}));
    assert_int_equal(t->rows, 0); /* a person is missing in each row */
    sotto_table_free(t);
}

typedef struct entries {
    int64_t start[4], index[4];
} entries;

static sotto_columns *sparse(const entries *k, int by_column, int has_values)
{
    static const float values[] = {1, 2, 3, NAN};
    sotto_sparse e = {by_column,
                      3,
                      k->start,
                      has_values ? k->index : NULL,
                      has_values ? values : NULL,
                      SOTTO_I64,
                      SOTTO_I64,
                      SOTTO_F32};
    sotto_columns *c = new_list(3);
    must(sotto_columns_add_sparse(c, &e, &last));
    return c;
}

/* More rows than memory can have, by a stride of 0. */
static void test_too_many_rows(void **state)
{
    (void)state;
    static const int64_t start[] = {0, 0};
    static const int8_t zero = 0;
    sotto_sparse e = {1,     1,         start,     start,
                      start, SOTTO_I64, SOTTO_I64, SOTTO_F64};
    sotto_columns *c = new_list((int64_t)1 << 61);
    must(sotto_columns_add(c, "target", &zero, SOTTO_I8, 0, NULL, &last));
    must(sotto_columns_add_sparse(c, &e, &last));
    refuse_list(c, SETTINGS({"target", "target"}), SOTTO_FAILED, "memory");
}

static void test_sparse_structure(void **state)
{
    (void)state;
    static const entries falls = {{0, 2, 1, 3}, {0, 1, 2, 0}},
                         negative = {{-1, 0, 1, 2}, {0, 1, 2, 0}},
                         far = {{0, 1, 2, INT64_MAX}, {0, 1, 2, 0}},
                         outside = {{0, 1, 2, 3}, {0, 3, 1, 0}},
                         below = {{0, 1, 2, 3}, {0, -1, 1, 0}},
                         twice = {{0, 1, 3, 3}, {0, 1, 1, 0}},
                         nan = {{0, 1, 3, 4}, {0, 1, 2, 0}};
    const setting *drop = SETTINGS({"bad-rows", "drop"});
    for (int by_column = 0; by_column < 2; by_column++) {
        refuse_list(sparse(&falls, by_column, 1), drop, SOTTO_USAGE,
                    "starts that do not decrease");
        refuse_list(sparse(&negative, by_column, 1), drop, SOTTO_USAGE,
                    "starts that do not decrease, from 0 on");
        refuse_list(sparse(&far, by_column, 1), drop, SOTTO_USAGE, "starts");
        refuse_list(sparse(&twice, by_column, 0), drop, SOTTO_USAGE,
                    "indices and values, found NULL");
    }
    /* an index is a record's by row, and nobody's by column */
    refuse_list(sparse(&outside, 1, 1), drop, SOTTO_USAGE, "rows that there");
    refuse_list(sparse(&below, 1, 1), drop, SOTTO_USAGE, "rows that there");
    refuse_list(sparse(&outside, 0, 1), NO_SETTINGS, SOTTO_DATA,
                "the table: row 2: expected indices below the number of");
    refuse_list(sparse(&below, 0, 1), NO_SETTINGS, SOTTO_DATA,
                "the table: row 2: expected indices below the number of");
    refuse_list(sparse(&twice, 0, 1), NO_SETTINGS, SOTTO_DATA,
                "the table: row 2: expected every index at most once");
    refuse_list(sparse(&twice, 1, 1), NO_SETTINGS, SOTTO_DATA,
                "expected every index at most once");
    refuse_list(sparse(&nan, 0, 1), NO_SETTINGS, SOTTO_DATA,
                "the table: row 3: expected a value, found none");
    static const entries *const bad[] = {&outside, &below, &twice, &nan};
    for (int k = 0; k < 4; k++) {
        sotto_table *t = make_list(sparse(bad[k], 0, 1), drop);
        assert_int_equal(t->rows, 2);
        sotto_table_free(t);
    }
}

/* ---- rows ---- */

static sotto_columns *ages(const char *text)
{
    static int64_t offsets[ROWS + 1];
    static char bytes[ROWS * 40];
    size_t at = 0;
    for (int i = 0; i < ROWS; i++) {
        const char *word = i == 16 ? text : "40";
        size_t size = i == 16 && !*text ? 3 : strlen(word); /* "": a NUL */
        memcpy(bytes + at, word, strlen(word) + 1);
        at += size;
        offsets[i + 1] = (int64_t)at;
    }
    return texts(bytes, offsets, ROWS);
}

static void test_rows(void **state)
{
    (void)state;
    sotto_columns *c;
    uint8_t mask[ROWS] = {[16] = 7};
    refuse_list(ages("secret"), NO_SETTINGS, SOTTO_DATA,
                "the table: row 17, column \"s\": expected a number; --drop");
    refuse_list(ages("1,5"), NO_SETTINGS, SOTTO_DATA,
                "the table: row 17, column \"s\": expected a number with a "
                "decimal point");
    refuse_list(ages(""), NO_SETTINGS, SOTTO_DATA,
                "the table: row 17, column \"s\": expected text, found a NUL");
    refuse_list(ages("nan"), NO_SETTINGS, SOTTO_DATA,
                "the table: row 17, column \"s\": expected a value, found "
                "none; declare");
    c = new_list(ROWS);
    must(sotto_columns_add(c, "age", numbers, SOTTO_F64, 8, mask, &last));
    refuse_list(c, NO_SETTINGS, SOTTO_DATA,
                "the table: row 17, column \"age\": expected a value, found "
                "none");
    c = some("x", "t"); /* numbers[1] is 2.5 */
    refuse_list(c, SETTINGS({"target", "t"}, {"loss", "logistic"}), SOTTO_DATA,
                "the table: row 2, column \"t\": expected one of the two "
                "classes");
    static const double three[] = {1, 0, 1, -1};
    c = new_list(4);
    must(sotto_columns_add(c, "t", three, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add(c, "x", three, SOTTO_F64, 8, NULL, &last));
    refuse_list(c, SETTINGS({"target", "t"}, {"loss", "logistic"}), SOTTO_DATA,
                "the table: row 4: column \"t\": expected two classes, found "
                "-1, 0 and 1");
    c = new_list(0);
    must(sotto_columns_add(c, "x", NULL, SOTTO_F64, 8, NULL, &last));
    must(sotto_columns_add_texts(c, "s", NULL, NULL, NULL, &last));
    refuse_list(c, NO_SETTINGS, SOTTO_DATA, "expected at least one row");
}

static int prepare(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        numbers[i] = i == 1 ? 2.5 : 1;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_sparse_lists),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_too_many_rows),
        cmocka_unit_test(test_sparse_structure),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
