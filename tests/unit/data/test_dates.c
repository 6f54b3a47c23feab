/*
 * Dates and booleans in words: what a text becomes, against a calendar that is
 * counted day by day, and row by row.
 */
#include "reading.h"

#define DATE(format, more)                                                     \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], \"columns\": {"       \
    "\"d\": {\"type\": \"date\", \"format\": \"" format "\", " more "}}}"
#define WIDE "\"bounds\": [\"0001-01-01\", \"9999-12-31\"]"
#define PARTS "\"as\": [\"days\", \"weekday\", \"month\"]"

enum { FEATURES = 1 + 7 + 12, DAYS = 3652059 };

/* ---- the calendar, by counting ---- */

typedef struct day {
    int year, month, day, weekday; /* months from 1, weekdays from 0: Monday */
} day;

static int month_length(int year, int month)
{
    if (month == 2)
        return year % 400 == 0 || (year % 4 == 0 && year % 100) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* All days of the years 1 to 9999, each the day after the one before it. The
   first one was a Monday: 2024-02-29, a Thursday, is checked below. */
static day *calendar(void)
{
    day *all = calloc(DAYS, sizeof *all), now = {1, 1, 1, 0};
    for (int i = 0; i < DAYS; i++) {
        all[i] = now;
        now.weekday = (now.weekday + 1) % 7;
        if (++now.day > month_length(now.year, now.month)) {
            now.day = 1;
            now.year += ++now.month > 12;
            now.month = now.month > 12 ? 1 : now.month;
        }
    }
    assert_int_equal(now.year, 10000);
    return all;
}

/* ---- every day ---- */

static void assert_day(const sotto_table *t, double *const x[FEATURES],
                       int64_t row, const day *d, int64_t number)
{
    double days = x[0][row] * t->half[0] + t->centre[0];
    assert_true(fabs(days - (double)number) < 1e-3);
    for (int k = 0; k < 7; k++)
        assert_true(x[1 + k][row] == (k == d->weekday));
    for (int k = 0; k < 12; k++)
        assert_true(x[8 + k][row] == (k == d->month - 1));
}

static void test_every_day(void **state)
{
    (void)state;
    enum { ROWS = DAYS / 7 + 1 };
    day *all = calendar();
    char *schema = write_temporary(DATE("%Y-%m-%d", WIDE ", " PARTS));
    char *text = malloc((size_t)ROWS * 12 + 16);
    size_t size = (size_t)sprintf(text, "d\n");
    for (int i = 0; i < DAYS; i += 7) /* 400 years are no multiple of 7 days */
        size += (size_t)sprintf(text + size, "%04d-%02d-%02d\n", all[i].year,
                                all[i].month, all[i].day);
    sotto_table *t =
        read_bytes("a.csv", text, size,
                   SETTINGS({"schema", schema}, {"precision", "double"}));
    assert_int_equal(t->rows, DAYS / 7 + (DAYS % 7 > 0));
    assert_int_equal(t->features, FEATURES);
    double *x[FEATURES];
    for (int j = 0; j < FEATURES; j++) {
        x[j] = calloc((size_t)t->rows, sizeof **x);
        table_stored(t, j, x[j]);
    }
    for (int64_t i = 0; i < t->rows; i++)
        assert_day(t, x, i, &all[7 * i], 7 * i);
    for (int j = 0; j < FEATURES; j++)
        free(x[j]);
    sotto_table_free(t);
    free(text);
    free(all);
    unlink(schema);
}

/* ---- one by one ---- */

/* The days since 2024-01-01 of a text; NAN: it is no date. */
static double days_of(const char *format, const char *field)
{
    char text[256], declared[512];
    snprintf(declared, sizeof declared,
             DATE("%s", "\"bounds\": [\"2023-01-01\", \"2025-01-01\"], "
                        "\"since\": \"2024-01-01\""),
             format);
    char *schema = write_temporary(declared);
    snprintf(text, sizeof text, "x,d\n0,%s\n", field);
    sotto_table *t;
    sotto_error error;
    sotto_status status = try_read(
        &t, "a.csv", text, strlen(text),
        SETTINGS({"schema", schema}, {"precision", "double"}, {"drop", "x"}),
        &error);
    unlink(schema);
    if (status == SOTTO_DATA) {
        assert_non_null(strstr(error.message,
                               "a.csv: line 2, column 2 (\"d\"): "
                               "expected a date"));
        assert_non_null(strstr(error.message, format));
        assert_null(strstr(error.message, field));
        return NAN;
    }
    assert_int_equal(status, SOTTO_OK);
    double days = cell(t, 0, 0) * t->half[0] + t->centre[0];
    sotto_table_free(t);
    return days;
}

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *format, *field;
        double days; /* NAN: refused */
    } cases[] = {
        {"%Y-%m-%d", "2024-02-29", 59},
        {"%Y-%m-%d", "2023-02-29", NAN},
        {"%Y-%m-%d", "1900-02-29", NAN},
        {"%Y-%m-%d", "2000-02-29", -365}, /* clamped */
        {"%Y-%m-%d", "9999-12-31", 366},
        {"%Y-%m-%d", "0001-01-01", -365},
        {"%Y-%m-%d", "0000-01-01", NAN},
        {"%Y-%m-%d", "2024-00-10", NAN},
        {"%Y-%m-%d", "2024-13-10", NAN},
        {"%Y-%m-%d", "2024-04-31", NAN},
        {"%Y-%m-%d", "2024-04-00", NAN},
        {"%Y-%m-%d", "2024-4-1", NAN},
        {"%Y-%m-%d", "10000-01-01", NAN},
        {"%Y-%m-%d", "-024-01-01", NAN},
        {"%Y-%m-%d", "2024-01-01x", NAN},
        {"%Y-%m-%d", "2024-01", NAN},
        {"%Y-%m-%d", "2024/01/01", NAN},
        {"%Y-%m-%d", "2024-01-0 ", NAN},
        {"%Y-%m-%d", "today", NAN},
        {"%Y-%m-%d", " 2024-01-03 ", 2},
        {"%Y-%m-%d", "\"2024-01-03\"", 2},
        {"%d.%m.%Y", "03.02.2024", 33},
        {"%m/%d/%Y", "03/02/2024", 61},
        {"%m/%d/%Y", "13/02/2024", NAN},
        {"%Y%m%d", "20240102", 1},
        {"%d%%%m%%%Y", "02%01%2024", 1},
        {"%Y-%m-%dT%H:%M:%SZ", "2024-01-02T12:00:00Z", 1.5},
        {"%Y-%m-%dT%H:%M:%SZ", "2024-01-02T23:59:59Z", 1 + 86399. / 86400},
        {"%Y-%m-%dT%H:%M:%SZ", "2024-01-02T24:00:00Z", NAN},
        {"%Y-%m-%dT%H:%M:%SZ", "2024-01-02T12:60:00Z", NAN},
        {"%Y-%m-%dT%H:%M:%SZ", "2024-01-02T12:00:60Z", NAN},
        {"%Y-%m-%dT%H:%M:%SZ", "2024-01-02T12:00:00", NAN},
        {"%H %d/%m/%Y", "06 02/01/2024", 1.25}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double found = days_of(cases[k].format, cases[k].field);
        if (isnan(cases[k].days) ? !isnan(found)
                                 : !(fabs(found - cases[k].days) < 1e-9))
            fail_msg("%s as %s: %g", cases[k].field, cases[k].format, found);
    }
}

/* ---- row by row ---- */

#define BOTH                                                                   \
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], \"columns\": {"       \
    "\"d\": {\"type\": \"date\", \"bounds\": [\"2020-01-01\", "                \
    "\"2024-12-31\"], " PARTS ", \"missing\": \"2022-02-28\"},"                \
    " \"b\": {\"type\": \"boolean\", \"true\": [\"ja\", \"1\"], "              \
    "\"false\": [\"nein\"], \"missing\": true}}}"

static const char *const both[] = {"2020-01-01,ja", "2024-02-29,nein", "NA,1",
                                   "1999-07-07,NA", "2023-12-31,\"\"", ",nein",
                                   "2022-06-15,1",  "2021-11-30,ja"};
enum { BOTH_ROWS = sizeof both / sizeof *both };

static sotto_table *read_both(const size_t *which, int rows, const char *more)
{
    char text[4096] = "d,b\n";
    char *schema = write_temporary(BOTH);
    for (int i = 0; i < rows; i++)
        sprintf(text + strlen(text), "%s\n%s", both[which[i]], more);
    sotto_table *t = read_text(
        "a.csv", text, SETTINGS({"schema", schema}, {"bad-rows", "drop"}));
    unlink(schema);
    return t;
}

/* A row among others, in any order and beside bad ones, is as it is alone. */
static void test_row_by_row(void **state)
{
    (void)state;
    for (size_t from = 0; from < 24; from++) {
        size_t which[24];
        for (size_t i = 0; i < 24; i++)
            which[i] = (from * 5 + i * i * 3 + i) % BOTH_ROWS;
        sotto_table *all = read_both(which, 24, "");
        sotto_table *bad =
            read_both(which, 24, "2023-02-29,ja\n2023-02-28,maybe\n");
        assert_same(all, bad);
        for (int64_t i = 0; i < 24; i++) {
            sotto_table *alone = read_both(which + i, 1, "");
            assert_same_rows(all, i, alone, 0, 1);
            sotto_table_free(alone);
        }
        sotto_table_free(all);
        sotto_table_free(bad);
    }
}

static void test_booleans(void **state)
{
    (void)state;
    size_t which[] = {0, 1, 2, 3, 4, 5};
    static const double stored[] = {1, -1, 1, 1, 1, -1};
    sotto_table *t = read_both(which, 6, "");
    char buffer[24];
    assert_string_equal(sotto_table_feature_name(t, 20, buffer), "b");
    for (int i = 0; i < 6; i++)
        assert_true(cell(t, i, 20) == stored[i]);
    assert_true(cell(t, 2, 1) == 1);     /* 2022-02-28 was a Monday */
    assert_true(cell(t, 2, 9) == 1);     /* in February */
    assert_true(cell(t, 1, 1 + 3) == 1); /* 2024-02-29 was a Thursday */
    assert_true(t->low[20] == 0 && t->high[20] == 1);
    sotto_table_free(t);
    static const char usual[] =
        "{\"sotto_schema\": 1, \"columns\": {\"b\": {\"type\": \"boolean\"}}}";
    static const char *const yes[] = {"true", "True", "TRUE", "t", "T", "yes",
                                      "Yes",  "YES",  "y",    "Y", "1"};
    static const char *const no[] = {"false", "False", "FALSE", "f", "F", "no",
                                     "No",    "NO",    "n",     "N", "0"};
    static const char *const none[] = {"tRUE", "ja", "2", "01", "-", "null"};
    char *schema = write_temporary(usual), text[64];
    for (int k = 0; k < 22; k++) {
        sprintf(text, "b\n%s\n", k < 11 ? yes[k] : no[k - 11]);
        t = read_text("a.csv", text, SETTINGS({"schema", schema}));
        assert_true(cell(t, 0, 0) == (k < 11 ? 1 : -1));
        sotto_table_free(t);
    }
    for (int k = 0; k < 6; k++) {
        sprintf(text, "b\n%s\n", none[k]);
        refuse_text(
            "a.csv", text, SETTINGS({"schema", schema}),
            "a.csv: line 2, column 1 (\"b\"): expected one of the words "
            "that mean true or false: \"true\", ... or \"false\", ...");
    }
    refuse_text("a.csv", "b\n\n\"\"\n", SETTINGS({"schema", schema}),
                "line 3, column 1 (\"b\"): expected a value, found none");
    unlink(schema);
}

/* What a table says of its columns reads another file in the same way. */
static void test_declared_again(void **state)
{
    (void)state;
    size_t which[] = {0, 1, 2, 3, 4, 5, 6, 7};
    sotto_table *t = read_both(which, BOTH_ROWS, "");
    char *again = write_temporary(t->schema), text[4096] = "d,b\n";
    for (int i = 0; i < BOTH_ROWS; i++)
        sprintf(text + strlen(text), "%s\n", both[i]);
    sotto_table *same = read_text("a.csv", text, SETTINGS({"schema", again}));
    assert_same(t, same);
    assert_string_equal(t->schema, same->schema);
    sotto_table_free(t);
    sotto_table_free(same);
    unlink(again);
}

/* Where they cannot be: a target, a file of numbers, two features of a name. */
static void test_places(void **state)
{
    (void)state;
    char *schema = write_temporary(BOTH), npy[512];
    refuse("a.csv", "d,b\n", 4, SETTINGS({"schema", schema}, {"target", "b"}),
           SOTTO_USAGE, "cannot be the target");
    unlink(schema);
    schema = write_temporary(
        "{\"sotto_schema\": 1, \"columns\": {\"1\": {\"type\": \"boolean\"}, "
        "\"2\": {\"type\": \"number\"}}}");
    size_t size = npy_make(npy, "<f8", 0, (const double[]){1, 2}, 1, 2);
    refuse("a.npy", npy, size, SETTINGS({"schema", schema}), SOTTO_USAGE,
           "a .npy file holds numbers");
    unlink(schema);
    schema = write_temporary(
        "{\"sotto_schema\": 1, \"columns\": {\"d\": {\"type\": \"date\", "
        "\"as\": [\"month\"]}, \"d=May\": {\"type\": \"boolean\"}}}");
    refuse("a.csv", "d,d=May\n", 8, SETTINGS({"schema", schema}), SOTTO_USAGE,
           "two features would be called \"d=May\"");
    unlink(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_day),      cmocka_unit_test(test_texts),
        cmocka_unit_test(test_row_by_row),     cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_declared_again), cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
