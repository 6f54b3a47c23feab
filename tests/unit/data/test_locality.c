/*
 * A row depends on its own record and on nothing else: not on the number of
 * threads, the way the bytes arrive, the rows around it, or bad rows and
 * rows of other parts among them.
 */
#include "reading.h"

#include <zlib.h>

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

/* ---- privacy: a row of a part that is not read is absent ---- */

#define PARTS                                                                  \
    {"epsilon", "1"}, {"loss", "logistic"}, {"target", "t"},                   \
        {"unit-column", "who"}, {"bad-rows", "drop"}, {"part-column", "q"},    \
    {                                                                          \
        "parts", "a,b"                                                         \
    }

static void assert_same_table(const sotto_table *a, const sotto_table *b)
{
    assert_same(a, b);
    assert_memory_equal(a->unit, b->unit, (size_t)a->rows * sizeof *a->unit);
    assert_string_equal(a->schema, b->schema);
    assert_null(sotto_table_warning(b, 0));
}

/* Lines of other parts, and of none, among those of parts that are read. */
static void test_other_parts_are_absent(void **state)
{
    (void)state;
    static const char *const other[] = {"c,ann,9,1\n",     ",ann,9,1\n",
                                        "A,ann,9,1\n",     "\"a \",z,9,1\n",
                                        "\"a,b\",z,9,1\n", "aa,ann,9,1\n",
                                        "c,,?,x\n",        "c\n",
                                        "c,ann,9,1,1,1\n", "\"c,ann,9,1\n",
                                        "c,\"ann,9,1\n",   "\"c\"x,ann,9,1\n",
                                        "a,ann,?,1\n",     "\"a\"\"\",z,9,1\n"};
    const setting *s = SETTINGS(PARTS);
    sotto_table *expected =
        read_text("a.csv", "q,who,x,t\na,ann,1,1\nb,bob,2,0\na,ann,3,1\n", s);
    assert_int_equal(expected->rows, 3);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "q,who,x,t\n%s\"a\",ann,1,1\n%s b ,bob,2,0\n%s%sa,ann,3,1\n%s",
                 other[k], other[k], other[k], other[k], other[k]);
        sotto_table *t = read_text("a.csv", text, s);
        assert_int_equal(t->rows, 3);
        assert_same_table(expected, t);
        sotto_table_free(t);
    }
    sotto_table_free(expected);
}

/* Row i is of part i % 3; with `only`, those of part c are left out. Rows of
   part c hold anything. */
static big big_parts(int64_t rows, int only)
{
    static const char *const junk[] = {"c,ann,1e9,1\n", "c,\"open,1,1\n", "c\n",
                                       "\"c\",,,,,,\n", "c,x,nan,?\n"};
    big b = {malloc((size_t)rows * 40 + 64), 0, 0};
    b.size = (size_t)sprintf(b.text, "q,who,x,t\n");
    for (int64_t i = 0; i < rows; i++)
        if (i % 3 < 2)
            b.size += (size_t)sprintf(b.text + b.size, "%c,p%d,%.9g,%d\n",
                                      "ab"[i % 3], (int)(i % 89),
                                      (double)(i * 37 % 1001) / 7, i % 2 != 0);
        else if (!only)
            b.size += (size_t)sprintf(b.text + b.size, "%s", junk[i % 5]);
    return b;
}

static void test_parts_in_pieces(void **state)
{
    (void)state;
    static const char *const counts[] = {"1", "2", "5"};
    big all = big_parts(200000, 0), only = big_parts(200000, 1);
    sotto_table *expected = read_bytes("a.csv", only.text, only.size,
                                       SETTINGS(PARTS, {"threads", "1"}));
    assert_int_equal(expected->rows, 133334);
    for (int k = 0; k < 3; k++) {
        sotto_table *t = read_bytes("a.csv", all.text, all.size,
                                    SETTINGS(PARTS, {"threads", counts[k]}));
        assert_same_table(expected, t);
        sotto_table_free(t);
    }
    sotto_table_free(expected);
    free(all.text);
    free(only.text);
}

/* What is read of two parts is what is read of each. */
static void test_parts_one_by_one(void **state)
{
    (void)state;
    const char *text = "q,x\na,1\nb,2\nc,3\na,4\n";
    const char *const lists[] = {"a", "b", "a,b", "c,a,b", "d"};
    static const double values[][4] = {{1, 4}, {2}, {1, 2, 4}, {1, 2, 3, 4}};
    static const int64_t rows[] = {2, 1, 3, 4, 0};
    for (int k = 0; k < 5; k++) {
        sotto_table *t =
            read_text("a.csv", text,
                      SETTINGS({"bad-rows", "drop"}, {"part-column", "q"},
                               {"parts", lists[k]}));
        assert_int_equal(t->features, 1);
        assert_int_equal(t->rows, rows[k]);
        for (int64_t i = 0; i < t->rows; i++)
            assert_true(cell(t, i, 0) == values[k][i]);
        sotto_table_free(t);
    }
}

/* Labels of .npy are numbers; those that are none belong to no part. */
static void test_parts_npy(void **state)
{
    (void)state;
    double all[] = {2021, 1, 1,  2022,      NAN, 1,   2021,     2, -1,
                    NAN,  3, 1,  2021.0001, 4,   1,   -2021,    5, 1,
                    2023, 6, -1, 0,         7,   NAN, INFINITY, 8, 1};
    const double only[] = {2021, 1, 1, 2021, 2, -1, 2023, 6, -1};
    char bytes[512], few[512];
    const setting *s =
        SETTINGS({"target", "3"}, {"loss", "logistic"}, {"bad-rows", "drop"},
                 {"part-column", "1"}, {"parts", "2021,2023"});
    for (int k = 0; k < 8; k++) {
        const char *type = k & 1 ? "<f8" : "<f4";
        all[4] = k & 4 ? 9 : NAN; /* where no feature is missing, too */
        size_t size = npy_make(bytes, type, k & 2, all, 9, 3);
        size_t few_size = npy_make(few, type, k & 2, only, 3, 3);
        sotto_table *expected = read_bytes("a.npy", few, few_size, s);
        sotto_table *t = read_bytes("a.npy", bytes, size, s);
        assert_int_equal(expected->rows, 3);
        assert_int_equal(t->features, 1);
        assert_same(expected, t);
        assert_string_equal(expected->schema, t->schema);
        sotto_table_free(t);
        sotto_table_free(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_line_numbers_far_in),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_sparse_matches_dense),
        cmocka_unit_test(test_row_locality),
        cmocka_unit_test(test_drop_is_absent),
        cmocka_unit_test(test_drop_svmlight),
        cmocka_unit_test(test_private_may_be_empty),
        cmocka_unit_test(test_other_parts_are_absent),
        cmocka_unit_test(test_parts_in_pieces),
        cmocka_unit_test(test_parts_one_by_one),
        cmocka_unit_test(test_parts_npy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
