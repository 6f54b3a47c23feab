/*
 * The readers: what is stored is what was declared, whatever the number of
 * threads, the way the bytes arrive, and the rows around it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data.h"
#include "option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- scaffolding ---- */

typedef struct setting {
    const char *name, *value;
} setting;

#define SETTINGS(...) ((const setting[]){__VA_ARGS__, {NULL, NULL}})
#define NO_SETTINGS ((const setting[]){{NULL, NULL}})

static sotto_options *options_with(const setting *s)
{
    sotto_options *o;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (; s->name; s++)
        assert_int_equal(sotto_options_set(o, s->name, s->value, &error),
                         SOTTO_OK);
    return o;
}

static sotto_status try_read(sotto_table **t, const char *name,
                             const void *bytes, size_t size, const setting *s,
                             sotto_error *error)
{
    sotto_options *o = options_with(s);
    *t = NULL;
    error->message[0] = 0;
    sotto_status status = table_read_memory(t, name, bytes, size, o, error);
    sotto_options_free(o);
    return status;
}

static sotto_table *read_bytes(const char *name, const void *bytes, size_t size,
                               const setting *s)
{
    sotto_table *t;
    sotto_error error;
    if (try_read(&t, name, bytes, size, s, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    return t;
}

static sotto_table *read_text(const char *name, const char *text,
                              const setting *s)
{
    return read_bytes(name, text, strlen(text), s);
}

/* Reading must fail with this status and a message that has these words. */
static void refuse(const char *name, const char *text, size_t size,
                   const setting *s, sotto_status status, const char *words)
{
    sotto_table *t;
    sotto_error error;
    assert_int_equal(try_read(&t, name, text, size, s, &error), status);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
    assert_null(strchr(error.message, '\n'));
}

static void refuse_text(const char *name, const char *text, const setting *s,
                        const char *words)
{
    refuse(name, text, strlen(text), s, SOTTO_DATA, words);
}

static double cell(const sotto_table *t, int64_t i, int64_t j)
{
    double *x = calloc((size_t)t->rows + 1, sizeof *x);
    table_stored(t, j, x);
    double v = x[i];
    free(x);
    return v;
}

/* All that training would see, as bytes in a fixed order. */
static void assert_same_rows(const sotto_table *a, int64_t from_a,
                             const sotto_table *b, int64_t from_b,
                             int64_t count)
{
    assert_int_equal(a->features, b->features);
    double *x = calloc((size_t)a->rows + 1, sizeof *x);
    double *z = calloc((size_t)b->rows + 1, sizeof *z);
    for (int64_t j = 0; j < a->features; j++) {
        table_stored(a, j, x);
        table_stored(b, j, z);
        assert_memory_equal(x + from_a, z + from_b, (size_t)count * sizeof *x);
    }
    if (a->y)
        assert_memory_equal(a->y + from_a, b->y + from_b,
                            (size_t)count * sizeof *x);
    free(x);
    free(z);
}

static void assert_same(const sotto_table *a, const sotto_table *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_same_rows(a, 0, b, 0, a->rows);
}

static char *write_temporary(const char *text)
{
    static char path[] = "/tmp/sotto-test-XXXXXX";
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    return path;
}

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
    refuse_text("a.csv", "x,t,x\n1,2,3\n", target, "two columns are called");
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
    refuse_text("a.csv", "id,age,sex,x,out,w\nann,9,f,1,maybe,1\n",
                SETTINGS({"schema", path}, {"loss", "logistic"}),
                "line 2, column 5 (\"out\"): expected one of the two classes");
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
    refuse_schema("{\"sotto_schema\": 1, \"colums\": {}}", "no key");
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
                         "[\"a\", \"b\", \"c\"]}"),
                  "more than two classes");
    refuse_schema("{\"sotto_schema\": 1, \"columns\": {\"x\": "
                  "{\"type\": \"number\"}, \"x\": {\"type\": \"drop\"}}}",
                  "no key twice");
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
    refuse(
        "a.csv", "x,t\n1,1\n", 8,
        SETTINGS({"loss", "logistic"}, {"target", "t"}, {"classes", "a,b,c"}),
        SOTTO_USAGE, "more than two classes");
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

static size_t npy_make(char *to, const char *type, int fortran, const double *x,
                       int rows, int columns)
{
    char header[128];
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': %s, "
                          "'shape': (%d, %d), }\n",
                          type, fortran ? "True" : "False", rows, columns);
    memcpy(to, "\x93NUMPY\x01\x00", 8);
    to[8] = (char)length;
    to[9] = 0;
    memcpy(to + 10, header, (size_t)length);
    char *at = to + 10 + length;
    for (int k = 0; k < rows * columns; k++) {
        double v = fortran ? x[k % rows * columns + k / rows] : x[k];
        float f = (float)v;
        size_t size = type[2] == '8' ? 8 : 4;
        memcpy(at, size == 8 ? (void *)&v : (void *)&f, size);
        at += size;
    }
    return (size_t)(at - to);
}

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

/* ---- many pieces, many threads, other ways of arriving ---- */

typedef struct big {
    char *text;
    size_t size;
    size_t mark; /* where a row far in starts */
} big;

/* About 5 MB: several pieces. Row i is a function of i alone. */
static big big_csv(int64_t rows, int quoted)
{
    big b = {malloc((size_t)rows * 80 + 64), 0, 0};
    b.size = (size_t)sprintf(b.text, "a,note,b,t\n");
    for (int64_t i = 0; i < rows; i++) {
        b.mark = i == rows * 3 / 4 ? b.size : b.mark;
        b.size += (size_t)sprintf(
            b.text + b.size, "%.9g,%s,%.17g,%d\n", (double)(i * 37 % 1001) / 7,
            quoted && i % 5 == 0 ? "\"x,\n\"\"y\"" : "n",
            (double)(i * 101 % 997) * 1e-3, i % 3 ? 1 : -1);
    }
    return b;
}

static big big_svmlight(int64_t rows)
{
    big b = {malloc((size_t)rows * 64 + 64), 0, 0};
    for (int64_t i = 0; i < rows; i++)
        b.size += (size_t)sprintf(b.text + b.size, "%d %d:%.6g %d:%.6g\n",
                                  i % 3 ? 1 : -1, (int)(i % 50) + 1,
                                  (double)(i % 89) / 8, (int)(i % 50) + 60,
                                  (double)(i % 1009) * .01);
    return b;
}

static const setting *big_settings(const char *threads, const char *bad_rows)
{
    static setting s[6];
    int k = 0;
    s[k++] = (setting){"loss", "logistic"};
    s[k++] = (setting){"threads", threads};
    s[k++] = (setting){"bad-rows", bad_rows};
    s[k++] = (setting){NULL, NULL};
    return s;
}

static const setting *big_csv_settings(const char *threads)
{
    static setting s[6];
    memcpy(s, big_settings(threads, "stop"), 3 * sizeof *s);
    s[3] = (setting){"target", "t"};
    s[4] = (setting){"drop", "note"};
    s[5] = (setting){NULL, NULL};
    return s;
}

static void test_threads_same_bits(void **state)
{
    (void)state;
    static const char *const counts[] = {"2", "3", "8"};
    for (int quoted = 0; quoted < 2; quoted++) {
        big b = big_csv(120000, quoted);
        sotto_table *one =
            read_bytes("a.csv", b.text, b.size, big_csv_settings("1"));
        assert_int_equal(one->rows, 120000);
        for (int k = 0; k < 3; k++) {
            sotto_table *many = read_bytes("a.csv", b.text, b.size,
                                           big_csv_settings(counts[k]));
            assert_same(one, many);
            sotto_table_free(many);
        }
        sotto_table_free(one);
        free(b.text);
    }
    big b = big_svmlight(150000);
    sotto_table *one =
        read_bytes("a.svm", b.text, b.size, big_settings("1", "stop"));
    for (int k = 0; k < 3; k++) {
        sotto_table *many = read_bytes("a.svm", b.text, b.size,
                                       big_settings(counts[k], "stop"));
        assert_same(one, many);
        sotto_table_free(many);
    }
    sotto_table_free(one);
    free(b.text);
}

static void test_line_numbers_far_in(void **state)
{
    (void)state;
    big b = big_csv(120000, 1);
    int64_t lines = 1;
    for (size_t k = 0; k < b.mark; k++)
        lines += b.text[k] == '\n';
    b.text[b.mark] = '?';
    char words[64];
    snprintf(words, sizeof words, "line %lld, column 1 (\"a\")",
             (long long)lines);
    refuse("a.csv", b.text, b.size, big_csv_settings("1"), SOTTO_DATA, words);
    refuse("a.csv", b.text, b.size, big_csv_settings("4"), SOTTO_DATA, words);
    free(b.text);
}

static big gzip(const char *bytes, size_t size)
{
    big g = {malloc(size + 1024), 0, 0};
    z_stream z = {0};
    assert_int_equal(
        deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (unsigned)size;
    z.next_out = (unsigned char *)g.text;
    z.avail_out = (unsigned)size + 1024;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    g.size = z.total_out;
    deflateEnd(&z);
    return g;
}

static void test_gzip(void **state)
{
    (void)state;
    big b = big_csv(60000, 1);
    big g = gzip(b.text, b.size);
    sotto_table *plain =
        read_bytes("a.csv", b.text, b.size, big_csv_settings("2"));
    sotto_table *zipped =
        read_bytes("a.csv.gz", g.text, g.size, big_csv_settings("2"));
    assert_same(plain, zipped);
    sotto_table_free(zipped);
    /* two members one after the other are one file */
    big first = gzip(b.text, 1000), second = gzip(b.text + 1000, b.size - 1000);
    first.text = realloc(first.text, first.size + second.size + 16);
    memcpy(first.text + first.size, second.text, second.size);
    memset(first.text + first.size + second.size, 0, 16);
    zipped = read_bytes("a.csv.gz", first.text, first.size + second.size + 16,
                        big_csv_settings("1"));
    assert_same(plain, zipped);
    refuse("a.csv.gz", g.text, g.size - 9, big_csv_settings("2"), SOTTO_DATA,
           "cut off");
    g.text[g.size / 2] ^= 1;
    refuse("a.csv.gz", g.text, g.size, big_csv_settings("2"), SOTTO_DATA,
           "gzip data");
    sotto_table_free(plain);
    sotto_table_free(zipped);
    free(b.text);
    free(g.text);
    free(first.text);
    free(second.text);
}

static void test_sparse_matches_dense(void **state)
{
    (void)state;
    big b = big_svmlight(5000);
    sotto_table *t =
        read_bytes("a.svm", b.text, b.size, big_settings("2", "stop"));
    double *x = calloc((size_t)t->rows, sizeof *x);
    for (int64_t j = 0; j < t->features; j++) {
        table_stored(t, j, x);
        for (int64_t i = 0; i < t->rows; i++) {
            double v = 0;
            for (int64_t k = t->by_row.start[i]; k < t->by_row.start[i + 1];
                 k++)
                if (t->by_row.index[k] == j)
                    v = ((float *)t->by_row.value)[k];
            assert_true(v == x[i]);
        }
    }
    assert_int_equal(t->by_column.start[t->features], t->by_row.start[t->rows]);
    free(x);
    sotto_table_free(t);
    free(b.text);
}

/* ---- privacy: a row depends on its own record only ---- */

static void test_row_locality(void **state)
{
    (void)state;
    /* around the widths at which vector code changes its way */
    for (int64_t rows = 15; rows < 132; rows += rows < 18 ? 1 : 16) {
        big b = big_csv(rows, 0);
        sotto_table *all =
            read_bytes("a.csv", b.text, b.size, big_csv_settings("1"));
        char *second = strchr(strchr(b.text, '\n') + 1, '\n') + 1;
        size_t header = (size_t)(strchr(b.text, '\n') + 1 - b.text);
        char *less = malloc(b.size);
        memcpy(less, b.text, header);
        memcpy(less + header, second, b.size - (size_t)(second - b.text));
        sotto_table *fewer = read_bytes(
            "a.csv", less, b.size - (size_t)(second - b.text) + header,
            big_csv_settings("1"));
        assert_int_equal(fewer->rows, rows - 1);
        assert_same_rows(all, 1, fewer, 0, rows - 1);
        sotto_table_free(fewer);
        /* and without the last row */
        char *last = b.text + b.size - 1;
        while (last[-1] != '\n')
            last--;
        fewer = read_bytes("a.csv", b.text, (size_t)(last - b.text),
                           big_csv_settings("1"));
        assert_same_rows(all, 0, fewer, 0, rows - 1);
        sotto_table_free(fewer);
        sotto_table_free(all);
        free(less);
        free(b.text);
    }
}

/* Each of these lines, put among good ones, must vanish without a trace. */
static void test_drop_is_absent(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "1,x,2\n",        "1,x,2,1,1\n", "0x1,x,2,1\n",    "?,x,2,1\n",
        ",x,2,1\n",       "nan,x,2,1\n", "1e99,x,2,1\n",   "1,x,2,3\n",
        "1,\"open,2,1\n", "\"1,x,2,1\n", "1,\"a\"b,2,1\n", "1,x,2,\n",
        "\",,,,\n",       "1,x,2,\"1\n",
    };
    const setting *drop = SETTINGS({"loss", "logistic"}, {"target", "t"},
                                   {"drop", "note"}, {"bad-rows", "drop"});
    const char *good = "a,note,b,t\n1,x,2,1\n3,\"y\",4,-1\n";
    sotto_table *expected = read_text("a.csv", good, drop);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[256];
        snprintf(text, sizeof text, "a,note,b,t\n%s1,x,2,1\n%s3,\"y\",4,-1\n%s",
                 bad[k], bad[k], bad[k]);
        sotto_table *t = read_text("a.csv", text, drop);
        assert_same(expected, t);
        assert_null(sotto_table_warning(t, 0));
        assert_string_equal(sotto_table_class(t, 0), "-1");
        sotto_table_free(t);
    }
    static const char nul[] = "a,note,b,t\n1,x,2,1\n9,x\0,2,1\n"
                              "3,\"y\",4,-1\n";
    sotto_table *t = read_bytes("a.csv", nul, sizeof nul - 1, drop);
    assert_same(expected, t);
    sotto_table_free(t);
    sotto_table_free(expected);
}

static void test_drop_svmlight(void **state)
{
    (void)state;
    static const char *const bad[] = {"x 1:1\n",    "1 0:1\n",  "1 2:1 1:1\n",
                                      "1 1:nan\n",  "7 1:1\n",  "1 9:1\n",
                                      "1 1:1e99\n", "nan 1:1\n"};
    const setting *drop =
        SETTINGS({"loss", "logistic"}, {"features", "3"}, {"bad-rows", "drop"});
    sotto_table *expected = read_text("a.svm", "1 1:1\n-1 2:2\n", drop);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[128];
        snprintf(text, sizeof text, "%s1 1:1\n%s-1 2:2\n%s", bad[k], bad[k],
                 bad[k]);
        sotto_table *t = read_text("a.svm", text, drop);
        assert_same(expected, t);
        sotto_table_free(t);
    }
    sotto_table_free(expected);
}

static void test_private_may_be_empty(void **state)
{
    (void)state;
    sotto_table *t = read_text("a.csv", "x,t\n", SETTINGS({"epsilon", "1"}));
    assert_int_equal(t->rows, 0);
    sotto_table_free(t);
    t = read_text("a.svm", "", SETTINGS({"epsilon", "1"}, {"features", "2"}));
    assert_int_equal(t->rows, 0);
    sotto_table_free(t);
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
        cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_line_numbers_far_in),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_sparse_matches_dense),
        cmocka_unit_test(test_row_locality),
        cmocka_unit_test(test_drop_is_absent),
        cmocka_unit_test(test_drop_svmlight),
        cmocka_unit_test(test_private_may_be_empty),
        cmocka_unit_test(test_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
