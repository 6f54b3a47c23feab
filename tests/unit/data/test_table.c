/*
 * The readers: values are stored as declared, and a file that does not fit its
 * declaration is refused in one line.
 */
#include "reading.h"

/* ---- CSV ---- */

static void test_csv_values(void **state)
{
    (void)state;
    sotto_table *t = read_text("a.csv",
                               "x,y,z\n1,-0,3e-3\n"
                               " 4 ,\"5\",\t6\r\n\n7,8,9",
                               SETTINGS({"target", "z"}));
    assert_int_equal(t->rows, 3);
    assert_int_equal(t->features, 2);
    assert_int_equal(t->stride, 64);
    assert_int_equal((uintptr_t)t->x % 64, 0);
    assert_true(cell(t, 1, 0) == 4 && cell(t, 1, 1) == 5);
    assert_true(signbit(cell(t, 0, 1)));
    assert_true(t->y[0] == 3e-3 && t->y[1] == 6 && t->y[2] == 9);
    for (int i = 3; i < 64; i++)
        assert_true(((float *)t->x)[i] == 0);
    char buffer[24];
    assert_string_equal(sotto_table_feature_name(t, 1, buffer), "y");
    sotto_table_free(t);
}

static void test_csv_precision(void **state)
{
    (void)state;
    const char *text = "x,t\n0.1,1\n3.14159265358979,2\n";
    sotto_table *single = read_text("a.csv", text, SETTINGS({"target", "t"}));
    sotto_table *twice = read_text(
        "a.csv", text, SETTINGS({"target", "t"}, {"precision", "double"}));
    assert_true(cell(single, 1, 0) == (double)3.14159265358979f);
    assert_true(cell(twice, 1, 0) == 3.14159265358979);
    sotto_table_free(single);
    sotto_table_free(twice);
}

static void test_csv_accepts(void **state)
{
    (void)state;
    sotto_table *t =
        read_text("a.csv",
                  "\xef\xbb\xbf\"first, with \"\"quotes\"\"\",note,t\r\n"
                  "1,\"a\nquoted newline, \"\"x\"\"\",2\r\n3,plain quote,4\r\n",
                  SETTINGS({"drop", "note"}, {"target", "t"}));
    char buffer[24];
    assert_int_equal(t->rows, 2);
    assert_string_equal(sotto_table_feature_name(t, 0, buffer),
                        "first, with \"quotes\"");
    assert_true(cell(t, 1, 0) == 3 && t->y[1] == 4);
    sotto_table_free(t);
    t = read_text("a.tsv", "a\tb\n1\t2\n", NO_SETTINGS);
    assert_true(cell(t, 0, 1) == 2);
    sotto_table_free(t);
    t = read_text("a.csv", "a;b;c\n1;2;3\n",
                  SETTINGS({"delimiter", ";"}, {"only", "c,a"}));
    assert_int_equal(t->features, 2);
    assert_true(cell(t, 0, 1) == 3);
    sotto_table_free(t);
}

static void test_csv_long_line(void **state)
{
    (void)state;
    size_t size = 1000000;
    char *text = malloc(size + 64);
    strcpy(text, "note,x\n");
    memset(text + 7, 'n', size);
    strcpy(text + 7 + size, ",5\nm,6\n");
    sotto_table *t = read_text("a.csv", text, SETTINGS({"drop", "note"}));
    assert_int_equal(t->rows, 2);
    assert_true(cell(t, 0, 0) == 5 && cell(t, 1, 0) == 6);
    sotto_table_free(t);
    free(text);
}

static void test_csv_refuses(void **state)
{
    (void)state;
    const setting *target = SETTINGS({"target", "t"});
    refuse_text("a.csv", "", target, "a.csv: line 1");
    refuse_text("a.csv", "x,t\n", target, "a.csv: line 2: expected at least");
    refuse_text("a.csv", "x,t\n1,2\n3\n", target,
                "line 3, column 2: expected as many fields");
    refuse_text("a.csv", "x,t\n1,2,3\n", target, "found more");
    refuse_text("a.csv", "x,t\n1,2\n\n0x10,2\n", target,
                "line 4, column 1 (\"x\"): expected a number");
    refuse_text("a.csv", "x,t\n1,\"2\n3,4\n", target,
                "line 2, column 2 (\"t\"): expected a closing quote");
    refuse_text("a.csv", "x,t\n\"1\"2,3\n", target, "after a closing quote");
    refuse("a.csv", "x,t\n1,2\n1\0,2\n", 13, target, SOTTO_DATA,
           "line 3, column 1");
    refuse("a.csv", "x,n,t\n1,a\0b,2\n", 14,
           SETTINGS({"target", "t"}, {"drop", "n"}), SOTTO_DATA, "NUL byte");
    refuse_text("a.csv", "x,t\n1,2\n,2\n", target, "expected a value");
    refuse_text("a.csv", "x,t\nnan,2\n", target, "expected a value");
    refuse_text("a.csv", "x,t\n-inf,2\n", target, "expected a value");
    refuse_text("a.csv", "x,t\n1e308,2\n", target, "fits a float");
    refuse_text("a.csv", "x,t\n1e400,2\n", target, "fits a float");
    refuse_text("a.csv", "x,y\n1,2\n", target, "there is no column \"t\"");
    refuse_text("a.csv", "x,t,x\n1,2,3\n", target,
                "columns 1 and 3 have the same name");
    refuse_text("a.csv", "t\n1\n", target, "no column is left");
    refuse_text("a.csv", "\xff\xfex", target, "UTF-16");
}

/* ---- schema ---- */

static void test_schema(void **state)
{
    (void)state;
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"missing_values\": [\"NA\", \"?\"],"
        " \"columns\": {"
        "\"age\": {\"type\": \"number\", \"bounds\": [0, 120],"
        "          \"missing\": 30},"
        "\"sex\": {\"type\": \"category\", \"levels\": [\"f\", \"m\"],"
        "          \"missing\": \"none\"},"
        "\"id\": {\"type\": \"unit\"}, \"w\": {\"type\": \"weight\","
        " \"bounds\": [0, 10]}, \"x\": {\"type\": \"drop\"},"
        "\"out\": {\"type\": \"target\", \"classes\": [\"no\", \"yes\"]}}}");
    sotto_table *t =
        read_text("a.csv",
                  "id,age,sex,x,out,w\n"
                  "ann,90,f,?,yes,1\n"
                  "bob,NA,?,,no,12\n"
                  "ann,1e400,m,z,yes,0\n",
                  SETTINGS({"schema", path}, {"loss", "logistic"}));
    assert_int_equal(t->rows, 3);
    assert_int_equal(t->features, 3);
    assert_true(cell(t, 0, 0) == .5);
    assert_true(cell(t, 1, 0) == .5); /* (30 - 60) / 60, times y = -1 */
    assert_true(cell(t, 2, 0) == 1);
    assert_true(cell(t, 0, 1) == 1 && cell(t, 0, 2) == 0);
    assert_true(cell(t, 1, 1) == 0 && cell(t, 1, 2) == 0);
    assert_true(t->y[0] == 1 && t->y[1] == -1);
    assert_true(t->weight[1] == 10 && t->weight[2] == 0);
    assert_int_equal(t->unit[0], t->unit[2]);
    assert_int_not_equal(t->unit[0], t->unit[1]);
    char buffer[24];
    assert_string_equal(sotto_table_feature_name(t, 2, buffer), "sex=m");
    double raw[3];
    sotto_table_feature(t, 0, raw);
    assert_true(raw[0] == 90 && raw[1] == 30 && raw[2] == 120);
    assert_string_equal(sotto_table_class(t, 1), "yes");
    sotto_table_free(t);
    refuse_text("a.csv", "id,age,sex,x,out,w\nann,9,q,1,yes,1\n",
                SETTINGS({"schema", path}, {"loss", "logistic"}),
                "line 2, column 3 (\"sex\"): expected one of the levels");
    refuse_text(
        "a.csv", "id,age,sex,x,out,w\nann,9,f,1,maybe,1\n",
        SETTINGS({"schema", path}, {"loss", "logistic"}),
        "line 2, column 5 (\"out\"): expected one of the declared classes");
    refuse_text("a.csv", "id,age,sex,x,out,w\nann,9,f,1,yes,-1\n",
                SETTINGS({"schema", path}, {"loss", "logistic"}),
                "not negative");
    refuse_text("a.csv", "id,age,sex,x,out,w,extra\nann,9,f,1,yes,1,1\n",
                SETTINGS({"schema", path}, {"loss", "logistic"}),
                "\"extra\" is not in the schema");
    refuse_text("a.csv", "id,age,sex,x,out\nann,9,f,1,yes\n",
                SETTINGS({"schema", path}, {"loss", "logistic"}),
                "there is no column \"w\"");
    unlink(path);
}

/* The text of a person may have passed through the scratch for unescaping,
   which later fields of the row use too. */
static void test_units_are_copied(void **state)
{
    (void)state;
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"columns\": {\"id\": {\"type\": \"unit\"},"
        " \"note\": {\"type\": \"drop\"}, \"a\": {\"type\": \"number\"}}}");
    char text[2048] = "id,note,a\n", note[400];
    for (int i = 0; i < 6; i++) {
        memset(note, 'z', sizeof note);
        snprintf(note + 50 * i + 20, 8, "\"\"y");
        snprintf(text + strlen(text), 500, "\"p\"\"%d\",\"%s\",1\n", i % 3,
                 note);
    }
    sotto_table *t = read_text("a.csv", text, SETTINGS({"schema", path}));
    for (int i = 0; i < 6; i++)
        assert_int_equal(t->unit[i], i % 3);
    sotto_table_free(t);
    unlink(path);
}

static void refuse_schema(const char *schema, const char *words)
{
    char *path = write_temporary(schema);
    refuse("a.csv", "x,t\n1,2\n", 8, SETTINGS({"schema", path}), SOTTO_USAGE,
           words);
    unlink(path);
}

#define WITH_X(x) "{\"sotto_schema\": 1, \"columns\": {\"x\": " x "}}"

static void test_schema_refuses(void **state)
{
    (void)state;
    refuse_schema("{\"sotto_schema\": 1,", "line 1, column");
    refuse_schema("{\"sotto_schema\": 2, \"columns\": {}}", "version");
    refuse_schema("{\"sotto_schema\": 1, \"colums\": {}}",
                  "did you mean \"columns\"");
    refuse_schema(WITH_X("{\"type\": \"nmber\"}"), "one of number");
    refuse_schema(WITH_X("{\"type\": \"number\", \"bonds\": [0, 1]}"),
                  "has no \"bonds\"");
    refuse_schema(WITH_X("{\"type\": \"number\", \"bounds\": [1, 0]}"),
                  "low < high");
    refuse_schema(WITH_X("{\"type\": \"number\", \"bounds\": [1]}"),
                  "low < high");
    refuse_schema(WITH_X("{\"type\": \"category\"}"), "\"levels\"");
    refuse_schema(WITH_X("{\"type\": \"category\", \"levels\": "
                         "[\"a\", \"a\"]}"),
                  "different words");
    refuse_schema(WITH_X("{\"type\": \"number\", \"missing\": \"mean\"}"),
                  "\"refuse\" or a number");
    refuse_schema(WITH_X("{\"type\": \"target\", \"classes\": "
                         "[\"a\", \"b\", \"a\"]}"),
                  "different words");
    refuse_schema("{\"sotto_schema\": 1, \"columns\": {\"x\": "
                  "{\"type\": \"number\"}, \"x\": {\"type\": \"drop\"}}}",
                  "duplicate");
}

static void test_target_bounds(void **state)
{
    (void)state;
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\","
        " \"bounds\": [-2, 2]}, \"columns\": {\"t\": {\"type\": \"target\","
        " \"bounds\": [0, 10]}}}");
    sotto_table *t =
        read_text("a.csv", "x,t\n1,10\n-9,2.5\n", SETTINGS({"schema", path}));
    assert_true(cell(t, 0, 0) == .5 && cell(t, 1, 0) == -1);
    assert_true(t->y[0] == 1 && t->y[1] == -.5);
    double raw[2];
    assert_true(sotto_table_target(t, raw));
    assert_true(raw[0] == 10 && raw[1] == 2.5);
    sotto_table_free(t);
    unlink(path);
}

static void test_weights(void **state)
{
    (void)state;
    const char *text = "x,w\n1,3\n2,9\n";
    refuse("a.csv", text, strlen(text), SETTINGS({"weights", "w"}), SOTTO_USAGE,
           "--weight-bound");
    sotto_table *t = read_text(
        "a.csv", text, SETTINGS({"weights", "w"}, {"weight-bound", "5"}));
    assert_true(t->weight[0] == 3 && t->weight[1] == 5);
    assert_int_equal(t->features, 1);
    sotto_table_free(t);
}

/* ---- classes ---- */

static void test_classes(void **state)
{
    (void)state;
    const setting *logistic = SETTINGS({"loss", "logistic"}, {"target", "t"});
    sotto_table *t = read_text("a.csv", "x,t\n2,0\n3,1\n", logistic);
    assert_true(t->y[0] == -1 && t->y[1] == 1);
    assert_true(cell(t, 0, 0) == -2 && cell(t, 1, 0) == 3);
    assert_string_equal(sotto_table_class(t, 0), "0");
    double raw[2];
    sotto_table_feature(t, 0, raw);
    assert_true(raw[0] == 2);
    sotto_table_free(t);
    t = read_text("a.csv", "x,t\n2,-1\n3,+1\n", logistic);
    assert_string_equal(sotto_table_class(t, 0), "-1");
    sotto_table_free(t);
    /* in a private run the names must not come from the rows */
    t = read_text(
        "a.csv", "x,t\n2,0\n3,1\n",
        SETTINGS({"loss", "logistic"}, {"target", "t"}, {"epsilon", "1"}));
    assert_string_equal(sotto_table_class(t, 0), "-1");
    sotto_table_free(t);
    t = read_text(
        "a.csv", "x,t\n2,1\n3,2.0\n",
        SETTINGS({"loss", "hinge"}, {"target", "t"}, {"classes", "1,2"}));
    assert_true(t->y[0] == -1 && t->y[1] == 1);
    sotto_table_free(t);
    refuse_text("a.csv", "x,t\n2,1\n3,2\n", logistic,
                "line 3, column 2 (\"t\"): expected one of the two classes");
    refuse_text("a.csv", "x,t\n2,1\n3,-1\n4,1\n5,0\n", logistic,
                "line 5: column \"t\": expected two classes");
    refuse("a.csv", "x,t\n1,1\n", 8,
           SETTINGS({"loss", "logistic"}, {"target", "t"}, {"classes", "a"}),
           SOTTO_USAGE, "two or more different names");
}

/* ---- svmlight ---- */

static void test_svmlight(void **state)
{
    (void)state;
    const char *text = "# a comment\n"
                       "1 qid:3 1:0.5 4:-2 # and one here\n"
                       "\n-1\r\n"
                       "+1\t2:1e-1   3:7 \n";
    sotto_table *t = read_text("a.svm", text, SETTINGS({"loss", "logistic"}));
    assert_int_equal(t->rows, 3);
    assert_int_equal(t->features, 4);
    assert_int_equal(sotto_table_entries(t), 4);
    assert_true(cell(t, 0, 3) == -2 && cell(t, 2, 1) == (double).1f);
    assert_true(t->y[1] == -1);
    assert_int_equal(t->by_row.start[1], 2);
    assert_int_equal(t->by_row.start[2], 2);
    sotto_table_free(t);
    t = read_text("a.svm", text,
                  SETTINGS({"loss", "logistic"}, {"features", "9"}));
    assert_int_equal(t->features, 9);
    sotto_table_free(t);
    /* the label is folded into the values of a float table */
    t = read_text("a.svm", "-1 1:3\n", SETTINGS({"loss", "logistic"}));
    assert_true(cell(t, 0, 0) == -3);
    sotto_table_free(t);
}

static void test_svmlight_refuses(void **state)
{
    (void)state;
    const setting *none = NO_SETTINGS;
    refuse_text("a.svm", "1 0:1\n", none,
                "line 1, column 3: expected an index "
                "of at least 1");
    refuse_text("a.svm", "1 2:1 1:1\n", none, "column 7: expected increasing");
    refuse_text("a.svm", "1 2:1 2:1\n", none, "expected increasing");
    refuse_text("a.svm", "1 2147483648:1\n", none, "at most 2147483647");
    refuse_text("a.svm", "1 99999999999999999999:1\n", none, "line 1, col");
    refuse_text("a.svm", "1 1:1\n1 5:1\n", SETTINGS({"features", "4"}),
                "line 2, column 3: expected an index within --features");
    refuse_text("a.svm", "1 1:x\n", none, "column 5: expected a number");
    refuse_text("a.svm", "1 1:0x1p3\n", none, "expected a number");
    refuse_text("a.svm", "1 1:nan\n", none, "expected a number");
    refuse_text("a.svm", "1 1:1e39\n", none, "fits a float");
    refuse_text("a.svm", "x 1:1\n", none, "expected a label");
    refuse_text("a.svm", "1 1\n", none, "expected index:value");
    refuse_text("a.svm", "1 1:2:3\n", none, "expected a number");
    refuse_text("a.svm", "", none, "line 1");
    refuse_text("a.svm", "1\n", none, "no row has a feature");
    refuse("a.svm", "1 1:1 # \0\n", 10, none, SOTTO_DATA, "NUL");
    refuse("a.svm", "1 1:1\n", 6, SETTINGS({"epsilon", "1"}), SOTTO_PRIVACY,
           "--features");
    refuse("a.svm", "1 1:1\n", 6, SETTINGS({"drop", "1"}), SOTTO_USAGE,
           "no named columns");
}

static void test_svmlight_bounds(void **state)
{
    (void)state;
    char *path = write_temporary(
        "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\","
        " \"bounds\": [0, 4]}, \"columns\": {\"2\": {\"type\": \"number\","
        " \"bounds\": [-8, 2]}}}");
    sotto_table *t = read_text("a.svm", "1 1:1 2:-4\n2 1:9 2:5\n",
                               SETTINGS({"schema", path}, {"features", "3"}));
    assert_true(cell(t, 0, 0) == .25 && cell(t, 0, 1) == -.5);
    assert_true(cell(t, 1, 0) == 1 && cell(t, 1, 1) == .25);
    double raw[2];
    sotto_table_feature(t, 1, raw);
    assert_true(raw[0] == -4 && raw[1] == 2);
    sotto_table_free(t);
    unlink(path);
}

/* ---- .npy ---- */

static void test_npy(void **state)
{
    (void)state;
    const double x[] = {1, 2, -1, .5, 4, 1, 7, 8, 1};
    char bytes[512];
    for (int k = 0; k < 4; k++) {
        size_t size = npy_make(bytes, k & 1 ? "<f8" : "<f4", k & 2, x, 3, 3);
        sotto_table *t =
            read_bytes("a.npy", bytes, size,
                       SETTINGS({"target", "3"}, {"loss", "logistic"}));
        assert_int_equal(t->rows, 3);
        assert_int_equal(t->features, 2);
        assert_true(cell(t, 0, 0) == -1 && cell(t, 0, 1) == -2);
        assert_true(cell(t, 1, 0) == .5 && cell(t, 2, 1) == 8);
        sotto_table_free(t);
        refuse("a.npy", bytes, size - 1, NO_SETTINGS, SOTTO_DATA, "cut off");
        refuse("a.npy", bytes, 20, NO_SETTINGS, SOTTO_DATA, "cut off");
    }
}

static void test_npy_missing(void **state)
{
    (void)state;
    const double x[] = {1, 2, NAN, 4, 5, INFINITY, 7, 8, 9, 10};
    char bytes[512];
    for (int fortran = 0; fortran < 2; fortran++) {
        size_t size = npy_make(bytes, "<f8", fortran, x, 5, 2);
        refuse("a.npy", bytes, size, NO_SETTINGS, SOTTO_DATA,
               "row 2, column 1: expected a value");
        sotto_table *t =
            read_bytes("a.npy", bytes, size,
                       SETTINGS({"bad-rows", "drop"}, {"target", "2"}));
        assert_int_equal(t->rows, 3);
        assert_true(cell(t, 1, 0) == 7 && t->y[1] == 8 && t->y[2] == 10);
        sotto_table_free(t);
    }
    size_t size = npy_make(bytes, "<i8", 0, x, 5, 2);
    refuse("a.npy", bytes, size, NO_SETTINGS, SOTTO_DATA, "float32");
}

/* ---- remarks ---- */

static void test_warning(void **state)
{
    (void)state;
    sotto_table *t = read_text("a.csv",
                               "year,fine,offset\n2000,0.1,1000000.1\n"
                               "2026,0.9,1000000.2\n",
                               NO_SETTINGS);
    assert_non_null(sotto_table_warning(t, 0));
    assert_non_null(strstr(sotto_table_warning(t, 0), "\"offset\""));
    assert_null(sotto_table_warning(t, 1));
    sotto_table_free(t);
    t = read_text("a.csv", "offset\n1000000.1\n1000000.2\n",
                  SETTINGS({"bad-rows", "drop"}));
    assert_null(sotto_table_warning(t, 0));
    sotto_table_free(t);
    t = read_text("a.csv", "n,x\n\"a\nb\",1\n", SETTINGS({"drop", "n"}));
    assert_non_null(strstr(sotto_table_warning(t, 0), "newlines"));
    sotto_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_values),
        cmocka_unit_test(test_csv_precision),
        cmocka_unit_test(test_csv_accepts),
        cmocka_unit_test(test_csv_long_line),
        cmocka_unit_test(test_csv_refuses),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_units_are_copied),
        cmocka_unit_test(test_schema_refuses),
        cmocka_unit_test(test_target_bounds),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_svmlight),
        cmocka_unit_test(test_svmlight_refuses),
        cmocka_unit_test(test_svmlight_bounds),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_npy_missing),
        cmocka_unit_test(test_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
