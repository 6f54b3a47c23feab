/*
 * CSV without a header: the first line is a record like any other. The names
 * and their number are the option's; no byte of the file has a say in them.
 */
#include "reading.h"

#define NAMES                                                                  \
    {                                                                          \
        "no-header", "a,b,t"                                                   \
    }
#define TARGET                                                                 \
    {"target", "t"},                                                           \
    {                                                                          \
        "loss", "logistic"                                                     \
    }

/* Row i, a function of i alone; a quoted field now and then. */
static size_t put_row(char *to, int64_t i)
{
    return (size_t)sprintf(to,
                           i % 5 ? "%.9g,%.17g,%d\n" : "\"%.9g\",%.17g,%d\n",
                           (double)(i * 37 % 1001) / 7,
                           (double)(i * 101 % 997) * 1e-3, i % 3 ? 1 : -1);
}

/* Rows from..to-1, without `without`; `head` comes first. */
static char *rows_text(const char *head, int64_t from, int64_t to,
                       int64_t without)
{
    char *text = malloc(strlen(head) + (size_t)(to - from) * 80 + 1);
    char *end = stpcpy(text, head);
    for (int64_t i = from; i < to; i++)
        end += i == without ? 0 : put_row(end, i);
    *end = 0;
    return text;
}

static sotto_table *read_rows(int64_t from, int64_t to, int64_t without)
{
    char *text = rows_text("", from, to, without);
    sotto_table *t = read_text("a.csv", text, SETTINGS(NAMES, TARGET));
    free(text);
    return t;
}

/* The same bits as with the names in a line before it, whatever the number of
   threads; several pieces. */
static void test_as_with_header(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "3", "4"};
    char *with = rows_text("a,b,t\n", 0, 120000, -1);
    char *without = rows_text("", 0, 120000, -1);
    sotto_table *expected = read_text("a.csv", with, SETTINGS(TARGET));
    assert_int_equal(expected->rows, 120000);
    for (int k = 0; k < 4; k++) {
        sotto_table *t = read_text(
            "a.csv", without, SETTINGS(NAMES, TARGET, {"threads", threads[k]}));
        assert_same(expected, t);
        assert_string_equal(expected->schema, t->schema);
        sotto_table_free(t);
    }
    sotto_table_free(expected);
    free(with);
    free(without);
}

static void test_counted(void **state)
{
    (void)state;
    sotto_table *expected =
        read_text("a.csv", "1,2,3\n5,6,1\n7,8,-1\n", SETTINGS({"target", "3"}));
    sotto_table *t = read_text("a.csv", "5,6,1\n7,8,-1\n",
                               SETTINGS({"no-header", "3"}, {"target", "3"}));
    assert_same(expected, t);
    assert_string_equal(expected->schema, t->schema);
    sotto_table_free(t);
    sotto_table_free(expected);
}

/* Any row may be left out, the first one, too: the others stay as they are. */
static void test_locality(void **state)
{
    (void)state;
    for (int64_t rows = 15; rows < 68; rows += rows < 18 ? 1 : 16) {
        sotto_table *all = read_rows(0, rows, -1);
        assert_int_equal(all->rows, rows);
        for (int64_t i = 0; i < rows; i++) {
            sotto_table *fewer = read_rows(0, rows, i);
            assert_int_equal(fewer->rows, rows - 1);
            assert_same_rows(all, 0, fewer, 0, i);
            assert_same_rows(all, i + 1, fewer, i, rows - 1 - i);
            sotto_table_free(fewer);
            /* and each row, alone in a file, is what it is among others */
            sotto_table *alone = read_rows(i, i + 1, -1);
            assert_int_equal(alone->rows, 1);
            assert_same_rows(all, i, alone, 0, 1);
            sotto_table_free(alone);
        }
        sotto_table_free(all);
    }
}

static void test_permuted(void **state)
{
    (void)state;
    char text[4096], *end = text;
    sotto_table *all = read_rows(0, 31, -1);
    for (int64_t i = 0; i < 31; i++)
        end += put_row(end, (i * 7 + 5) % 31);
    sotto_table *t = read_text("a.csv", text, SETTINGS(NAMES, TARGET));
    assert_int_equal(t->rows, 31);
    for (int64_t i = 0; i < 31; i++)
        assert_same_rows(t, i, all, (i * 7 + 5) % 31, 1);
    sotto_table_free(t);
    sotto_table_free(all);
}

/* Each of these, in the first line and elsewhere, is absent without a trace:
   also what looks like a header, a byte order mark or another format. */
static void test_bad_rows_are_absent(void **state)
{
    (void)state;
    static const char *const bad[] = {"1,2\n",
                                      "1,2,1,1\n",
                                      "a,b,t\n",
                                      "x\n",
                                      "1;2;1\n",
                                      "?,2,1\n",
                                      "\"1,2,1\n",
                                      ("\xef\xbb\xbf"
                                       "1,2,1\n"),
                                      "\x93NUMPY\x01,2,1\n",
                                      "PAR1,2,1\n",
                                      "PK\x03\x04\n",
                                      "\x1f\x8b\x08,2,1\n",
                                      "\xff\xfe,2,1\n"};
    const setting *drop = SETTINGS(NAMES, TARGET, {"bad-rows", "drop"});
    sotto_table *expected = read_text("a.csv", "1,2,1\n3,4,-1\n", drop);
    assert_int_equal(expected->rows, 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[128];
        snprintf(text, sizeof text, "%s1,2,1\n%s3,4,-1\n%s", bad[k], bad[k],
                 bad[k]);
        sotto_table *t = read_text("a.csv", text, drop);
        assert_same(expected, t);
        assert_string_equal(expected->schema, t->schema);
        assert_null(sotto_table_warning(t, 0));
        sotto_table_free(t);
        /* otherwise it stops the run, in its own line and with no value */
        snprintf(text, sizeof text, "%s1,2,1\n", bad[k]);
        refuse("a.csv", text, strlen(text), SETTINGS(NAMES, TARGET), SOTTO_DATA,
               "line 1");
    }
    sotto_table_free(expected);
}

/* A mark is not skipped before the first record alone: its person would be
   another than in the lines after it. */
static void test_mark_is_no_part_of_a_text(void **state)
{
    (void)state;
    const setting *s = SETTINGS({"no-header", "who,x"}, {"unit-column", "who"});
    refuse_text("a.csv",
                "\xef\xbb\xbf"
                "ann,1\nann,2\n",
                s, "line 1: expected a record, found a byte order mark");
    refuse_text("a.csv",
                "ann,1\n\xef\xbb\xbf"
                "ann,2\n",
                s, "line 2: expected a record, found a byte order mark");
}

/* ---- before the first row ---- */

typedef struct seen {
    int calls;
    int64_t features;
} seen;

static sotto_status note(void *context, const sotto_table *shape,
                         sotto_error *error)
{
    seen *s = context;
    (void)error;
    s->calls++;
    s->features = shape->features;
    return SOTTO_OK;
}

/* Whatever the first record is, the shape comes first, and is the option's. */
static void test_shape_comes_first(void **state)
{
    (void)state;
    static const char *const text[] = {"1,2,1\n",       "",
                                       "1\n",           "1,2,3,4,5\n",
                                       "PAR1",          "\"",
                                       "PK\x03\x04",    "\x1f\x8b\x08",
                                       "\x93NUMPY\x01", "SQLite format 3"};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        sotto_options *o =
            options_with(SETTINGS(NAMES, TARGET, {"epsilon", "1"}));
        char *path = write_temporary(text[k]);
        seen s = {0};
        sotto_table *t = NULL;
        sotto_error error;
        sotto_status status = table_read_after(&t, path, o, note, &s, &error);
        assert_int_equal(status, k < 2 ? SOTTO_OK : SOTTO_DATA);
        assert_int_equal(s.calls, 1);
        assert_int_equal(s.features, 2);
        sotto_table_free(t);
        sotto_options_free(o);
        unlink(path);
    }
}

/* ---- refusals ---- */

static void test_names_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"0", "from 1 to"},
        {"10000001", "from 1 to"},
        {"99999999999", "from 1 to"},
        {"a,,b", "name 2 is empty"},
        {"a,b,", "name 3 is empty"},
        {"a, ,b", "name 2 is empty"},
        {"a,5,b", "name 2 is a number"},
        {"-3", "name 1 is a number"},
        {"2.5", "name 1 is a number"},
        {"a,\"b\"", "name 2 has a quote"},
        {"a\nb", "name 1 has a quote or a newline"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        refuse("a.csv", "1,2,3\n", 6, SETTINGS({"no-header", bad[k][0]}),
               SOTTO_USAGE, bad[k][1]);
    refuse_text("a.csv", "1,2,3\n", SETTINGS({"no-header", "a,b,a"}),
                "columns 1 and 3 have the same name");
    refuse_text("a.csv", "1,2,3\n",
                SETTINGS({"no-header", "a,b,c"}, {"target", "y"}),
                "a.csv: there is no column \"y\" (--target); expected one of "
                "the names of the columns");
    refuse_text("a.csv", "1,2,3\n", SETTINGS({"no-header", "2"}),
                "line 1, column 3: expected as many fields as --no-header "
                "says, found more");
    refuse_text("a.csv", "1,2,3\n1,2\n", SETTINGS({"no-header", "3"}),
                "line 2, column 3: expected as many fields as --no-header "
                "says, found fewer");
    refuse_text("a.csv", "", SETTINGS({"no-header", "3"}),
                "line 1: expected at least one row");
}

static void test_other_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"a.npy", "a.svm", "a.npy.gz",
                                        "a.libsvm.gz"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        refuse(names[k], "1,2\n", 4, SETTINGS({"no-header", "2"}), SOTTO_USAGE,
               "--no-header is for CSV");
    refuse("a.csv", "1 1:2\n", 6,
           SETTINGS({"no-header", "2"}, {"format", "svmlight"}), SOTTO_USAGE,
           "--no-header is for CSV");
    sotto_table *t =
        read_text("a.txt", "1\t2\n",
                  SETTINGS({"no-header", " a , b "}, {"delimiter", "tab"}));
    assert_int_equal(t->features, 2);
    assert_string_equal(t->name[1], "b");
    sotto_table_free(t);
}

/* ---- a header that looks like a record ---- */

static void test_header_like_record(void **state)
{
    (void)state;
    static const char *const like[] = {"2020-01-05,,3\n", ",,\n",
                                       "1.2.2021,2,10:30\n", "0,2,\"\"\n"};
    static const char *const unlike[] = {"a,b,c\n",
                                         "1,2,3\n",
                                         "0,1,2\n",
                                         "2020-01-05,x,3\n",
                                         ",a,b\n",
                                         "T1,T2,T3\n",
                                         "column_1,column_2,column_3\n"};
    char text[64];
    for (size_t k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "%s1,2,3\n", like[k]);
        sotto_table *t = read_text("a.csv", text, NO_SETTINGS);
        const char *said = sotto_table_warning(t, 0);
        assert_non_null(said);
        assert_non_null(strstr(said, "looks like a record"));
        assert_non_null(strstr(said, "--no-header"));
        assert_null(strpbrk(said, "0235"));
        sotto_table_free(t);
    }
    for (size_t k = 0; k < sizeof unlike / sizeof *unlike; k++) {
        snprintf(text, sizeof text, "%s1,2,3\n", unlike[k]);
        sotto_table *t = read_text("a.csv", text, NO_SETTINGS);
        assert_null(sotto_table_warning(t, 0));
        sotto_table_free(t);
    }
    refuse_text("a.csv", "7.25,1\n1,2\n", NO_SETTINGS,
                "line 1, column 1: expected the name of a column, found a "
                "number; if the first line is a record, give --no-header");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_with_header),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_locality),
        cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_bad_rows_are_absent),
        cmocka_unit_test(test_mark_is_no_part_of_a_text),
        cmocka_unit_test(test_shape_comes_first),
        cmocka_unit_test(test_names_refused),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_header_like_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
