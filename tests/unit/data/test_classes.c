/*
 * More than two classes: a row's class is its index among those declared, in
 * their order, whatever file or memory it comes from, and never folded into
 * the features. What is not a list of classes is refused in one line.
 */
#include "columns.h"

#define THREE                                                                  \
    {"loss", "logistic"}, {"target", "t"},                                     \
    {                                                                          \
        "classes", "b,a,c"                                                     \
    }

static void assert_classes(const sotto_table *t)
{
    const double y[] = {2, 0, 1, 0};
    assert_int_equal(t->rows, 4);
    assert_int_equal(t->classes, 3);
    assert_false(t->folded);
    for (int i = 0; i < 4; i++)
        assert_true(t->y[i] == y[i]);
    assert_true(cell(t, 0, 0) == 1.5 && cell(t, 1, 0) == -2);
    assert_null(sotto_table_class(t, 3));
    assert_null(sotto_table_class(t, -1));
}

static void test_csv(void **state)
{
    (void)state;
    const char *text = "x,t\n1.5,c\n-2,b\n3,a\n4,b\n";
    const char *wide[] = {"float", "double"};
    for (int k = 0; k < 2; k++) {
        sotto_table *t =
            read_text("a.csv", text, SETTINGS(THREE, {"precision", wide[k]}));
        assert_classes(t);
        assert_string_equal(sotto_table_class(t, 0), "b");
        assert_string_equal(sotto_table_class(t, 2), "c");
        assert_non_null(
            strstr(t->schema, "\"classes\": [\"b\", \"a\", \"c\"]"));
        sotto_table_free(t);
    }
}

static void test_schema(void **state)
{
    (void)state;
    char *schema = write_temporary(
        "{\"sotto_schema\": 1, \"columns\": {\"x\": {\"type\": \"number\"}, "
        "\"t\": {\"type\": \"target\", \"classes\": [\"b\", \"a\", "
        "\"c\"]}}}");
    sotto_table *t = read_text("a.csv", "x,t\n1.5,c\n-2,b\n3,a\n4,b\n",
                               SETTINGS({"loss", "hinge"}, {"schema", schema}));
    assert_classes(t);
    sotto_table_free(t);
    unlink(schema);
}

/* 7, 5.0 and 9 are compared as numbers. */
static void test_numbers(void **state)
{
    (void)state;
    const double x[] = {1.5, 9, -2, 5, 3, 7, 4, 5};
    char bytes[512];
    sotto_table *t =
        read_text("a.svm", "9 1:1.5\n5 1:-2\n7.0 1:3\n5 1:4\n",
                  SETTINGS({"loss", "logistic"}, {"classes", "5,7,9"}));
    assert_classes(t);
    sotto_table_free(t);
    for (int k = 0; k < 4; k++) {
        size_t size = npy_make(bytes, k & 1 ? "<f8" : "<f4", k & 2, x, 4, 2);
        t = read_bytes("a.npy", bytes, size,
                       SETTINGS({"target", "2"}, {"loss", "logistic"},
                                {"classes", "5.0,7,9"}));
        assert_classes(t);
        sotto_table_free(t);
    }
}

static void test_memory(void **state)
{
    (void)state;
    const double x[] = {1.5, -2, 3, 4};
    const int64_t ends[] = {0, 1, 2, 3, 4};
    sotto_error error;
    sotto_table *t;
    sotto_options *o = options_with(SETTINGS(THREE));
    sotto_columns *c = new_list(4);
    assert_int_equal(
        sotto_columns_add(c, "x", x, SOTTO_F64, sizeof *x, NULL, &error),
        SOTTO_OK);
    assert_int_equal(
        sotto_columns_add_texts(c, "t", "cbab", ends, NULL, &error), SOTTO_OK);
    assert_int_equal(sotto_table_from(&t, c, o, &error), SOTTO_OK);
    assert_classes(t);
    sotto_table_free(t);
    sotto_columns_free(c);
    sotto_options_free(o);
}

static void refuse_classes(const char *classes, const char *said)
{
    refuse(
        "a.csv", "x,t\n1,a\n", 8,
        SETTINGS({"loss", "logistic"}, {"target", "t"}, {"classes", classes}),
        SOTTO_USAGE, said);
}

/* "1,2,3,..." as --classes has it, or "\"1\", \"2\"" as a schema. */
static char *numbers(int count, const char *quote)
{
    char *text = malloc((size_t)count * 10 + 1), *at = text;
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s%s%d%s", i ? "," : "", quote, i, quote);
    return text;
}

static void test_refused(void **state)
{
    (void)state;
    char *most = numbers(1000, ""), *more = numbers(10000, ""),
         *listed = numbers(1001, "\""), *schema = malloc(20000);
    refuse_classes("a", "two or more different names");
    refuse_classes("a,b,a", "\"a\" is there twice; expected different names");
    refuse_classes("a,,b", "two or more different names");
    refuse_classes("1,2,1.0", "one number written in two ways");
    refuse_classes(more, "at most 1000 classes");
    sotto_table *t = read_text(
        "a.csv", "x,t\n1,999\n",
        SETTINGS({"loss", "logistic"}, {"target", "t"}, {"classes", most}));
    assert_true(t->classes == 1000 && t->y[0] == 999);
    sotto_table_free(t);
    snprintf(schema, 20000,
             "{\"sotto_schema\": 1, \"columns\": {\"t\": {\"type\": "
             "\"target\", \"classes\": [%s]}}}",
             listed);
    char *path = write_temporary(schema);
    refuse("a.csv", "x,t\n1,a\n", 8,
           SETTINGS({"loss", "logistic"}, {"schema", path}), SOTTO_USAGE,
           "at most 1,000");
    unlink(path);
    refuse("a.csv", "x,t\n1,a\n2,d\n", 12, SETTINGS(THREE), SOTTO_DATA,
           "line 3, column 2 (\"t\"): expected one of the declared classes: "
           "\"b\", \"a\", \"c\"");
    free(most);
    free(more);
    free(listed);
    free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),     cmocka_unit_test(test_schema),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
