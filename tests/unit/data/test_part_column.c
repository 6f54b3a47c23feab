/*
 * The column of a data set's parts: which values are which part, what else the
 * column can be, and what is refused. That rows of other parts leave no trace
 * is in test_locality.c.
 */
#include "reading.h"

#define PART(column, values)                                                   \
    {"bad-rows", "drop"}, {"part-column", column},                             \
    {                                                                          \
        "parts", values                                                        \
    }

static int64_t rows_of(const char *text, const setting *s)
{
    sotto_table *t = read_text("a.csv", text, s);
    int64_t rows = t->rows;
    sotto_table_free(t);
    return rows;
}

/* In CSV a label is a text: without blanks around it unless they are quoted,
   whatever words mean a missing value. */
static void test_labels(void **state)
{
    (void)state;
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"missing_values\": [\"NA\", \"-9\"],"
        " \"columns\": {\"x\": {\"type\": \"number\"}}}");
    const char *text = "q,x\nNA,1\nEU,2\n -9\t,3\n1.0,4\n\" EU\",5\n"
                       "\"E\"\"U\",6\n1,7\n01,8\n";
    const struct {
        const char *parts;
        int64_t rows;
    } cases[] = {{"NA", 1},  {"EU", 1},    {"-9", 1},    {"1", 1},
                 {"1.0", 1}, {"E\"U", 1},  {" EU", 1},   {"N", 0},
                 {"1e0", 0}, {"NA,EU", 2}, {"EU,EU", 1}, {"Q", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(rows_of(text, SETTINGS({"schema", path},
                                                PART("q", cases[k].parts))),
                         cases[k].rows);
    unlink(path);
}

/* Whatever a schema says of the column: it is not a feature. */
static void test_not_a_feature(void **state)
{
    (void)state;
    static const char *const declared[] = {
        "", "\"q\": {\"type\": \"drop\"}, ",
        "\"q\": {\"type\": \"number\", \"bounds\": [0, 9], \"missing\": 1}, ",
        ("\"q\": {\"type\": \"category\", \"levels\": [\"1\", \"z\"],"
         " \"missing\": \"none\"}, ")};
    for (size_t k = 0; k < sizeof declared / sizeof *declared; k++) {
        char schema[512];
        snprintf(schema, sizeof schema,
                 "{\"sotto_schema\": 1, \"columns\": {%s\"x\":"
                 " {\"type\": \"number\", \"bounds\": [0, 4]}}}",
                 declared[k]);
        char *path = write_temporary(schema);
        sotto_table *t =
            read_text("a.csv", "q,x\n1,2\n2,3\n,4\nz,1\n",
                      SETTINGS({"schema", path}, PART("q", "1,2")));
        assert_int_equal(t->features, 1);
        assert_int_equal(t->rows, 2);
        assert_string_equal(t->name[0], "x");
        assert_non_null(strstr(t->schema, "\"q\": {\"type\": \"drop\"}"));
        sotto_table_free(t);
        unlink(path);
    }
    assert_int_equal(rows_of("q,x,y\n1,2,3\n2,3,4\n",
                             SETTINGS(PART("q", "1"), {"only", "x"})),
                     1);
    assert_int_equal(rows_of("q,x,y\n1,2,3\n2,3,4\n",
                             SETTINGS(PART("q", "1"), {"drop", "q,y"})),
                     1);
}

/* A model does not ask for the column again, and does not mind it. */
static void test_for_a_model(void **state)
{
    (void)state;
    sotto_table *t = read_text("a.csv", "q,x,t\na,1,2\nb,3,4\n",
                               SETTINGS({"target", "t"}, PART("q", "a")));
    const setting *model =
        SETTINGS({"declared", t->schema}, {"labelled", "no"});
    sotto_table *with = read_text("b.csv", "x,q\n1,a\n2,c\n3,\n", model);
    sotto_table *without = read_text("b.csv", "x\n1\n2\n3\n", model);
    assert_int_equal(with->rows, 3);
    assert_same(with, without);
    sotto_table_free(with);
    sotto_table_free(without);
    sotto_table_free(t);
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"default\": {\"type\": \"drop\"},"
        " \"columns\": {\"x\": {\"type\": \"number\"}}}");
    t = read_text("a.csv", "q,x\na,1\n",
                  SETTINGS({"schema", path}, PART("q", "a")));
    assert_null(strstr(t->schema, "\"q\""));
    sotto_table_free(t);
    unlink(path);
}

/* A plan for a schema has the same features as the run. */
static void test_declared(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{\"sotto_schema\": 1, \"columns\": {\"q\": {\"type\": \"category\","
        " \"levels\": [\"a\", \"b\"]}, \"x\": {\"type\": \"number\"}}}",
        "{\"sotto_schema\": 1, \"columns\": {\"x\": {\"type\": \"number\"}}}"};
    for (int k = 0; k < 2; k++) {
        char *path = write_temporary(schemas[k]);
        sotto_table *t;
        sotto_error error;
        sotto_options *o = options_with(
            SETTINGS({"epsilon", "1"}, {"schema", path}, PART("q", "a")));
        assert_int_equal(table_declared(&t, o, &error), SOTTO_OK);
        assert_int_equal(t->features, 1);
        assert_string_equal(t->name[0], "x");
        sotto_table_free(t);
        sotto_options_free(o);
        unlink(path);
    }
}

static void refuse_part(const char *text, const setting *s, sotto_status status,
                        const char *words)
{
    refuse("a.csv", text, strlen(text), s, status, words);
}

static void test_refuses(void **state)
{
    (void)state;
    const char *text = "quarter,x,t\na,1,2\n";
    refuse_part(text, SETTINGS({"part-column", "quarter"}, {"parts", "a"}),
                SOTTO_PRIVACY, "a data set with parts needs --bad-rows drop");
    refuse_part(text, SETTINGS(PART("quartr", "a")), SOTTO_DATA,
                "there is no column \"quartr\" (the data set's parts)");
    refuse_part(text, SETTINGS(PART("quartr", "a")), SOTTO_DATA,
                "did you mean \"quarter\"");
    refuse_part(text, SETTINGS(PART("quarter", "a,,b")), SOTTO_USAGE,
                "not empty");
    refuse_part(text, SETTINGS({"bad-rows", "drop"}, {"parts", "a"}),
                SOTTO_PRIVACY, "expected the column");
    refuse_part(text,
                SETTINGS({"bad-rows", "drop"}, {"part-column", "quarter"}),
                SOTTO_PRIVACY, "--parts");
    refuse_part(text, SETTINGS(PART("t", "a"), {"target", "t"}), SOTTO_USAGE,
                "cannot be the target, the weights or the unit");
    refuse_part(
        text, SETTINGS(PART("t", "a"), {"weights", "t"}, {"weight-bound", "1"}),
        SOTTO_USAGE, "cannot be the target, the weights or the unit");
    refuse_part(text, SETTINGS(PART("t", "a"), {"unit-column", "t"}),
                SOTTO_USAGE, "cannot be the target, the weights or the unit");
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\"},"
        " \"columns\": {\"quarter\": {\"type\": \"unit\"}}}");
    refuse_part(text, SETTINGS({"schema", path}, PART("quarter", "a")),
                SOTTO_USAGE, "cannot be the target, the weights or the unit");
    unlink(path);
    refuse("a.svm", "1 1:1\n", 6, SETTINGS(PART("1", "1"), {"features", "1"}),
           SOTTO_USAGE, "svmlight has no named columns");
}

/* Two parts that are one number would each have a cap for the same rows. */
static void test_refuses_numbers(void **state)
{
    (void)state;
    static const char *const refused[] = {"1.0", "+1",  "01",   "1e0",
                                          "-0",  "1e3", "0.10", "a"};
    static const char *const fine[] = {"1",       "-1",  "0",  "20261117",
                                       "1000000", "0.1", "2,1"};
    const double x[] = {1, 2, 2, 3};
    char bytes[256];
    size_t size = npy_make(bytes, "<f8", 0, x, 2, 2);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        refuse("a.npy", bytes, size, SETTINGS(PART("1", refused[k])),
               SOTTO_USAGE, "--parts");
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++)
        sotto_table_free(
            read_bytes("a.npy", bytes, size, SETTINGS(PART("1", fine[k]))));
    refuse("a.npy", bytes, size, SETTINGS(PART("3", "1")), SOTTO_DATA,
           "there is no column \"3\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_not_a_feature),
        cmocka_unit_test(test_for_a_model),
        cmocka_unit_test(test_declared),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_refuses_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
