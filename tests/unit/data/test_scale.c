/*
 * Rows that are scaled to length 1 (--undeclared rows): extreme values, the
 * same bits from every format, precision and number of threads, and that a row
 * depends on its own record alone.
 */
#include "reading.h"

#include <float.h>

#define ROWS                                                                   \
    {                                                                          \
        "undeclared", "rows"                                                   \
    }

/* ---- hard values ---- */

enum { HARD = 12, WIDTH = 4 };

static const double hard[HARD][WIDTH] = {
    {3, 4, 0, 0},
    {0, 0, 0, 0},
    {-0., 0, -0., 0},
    {3e38, 3e38, -3e38, 3e38},
    {3.4028234663852886e38, 1e-45, 0, 0},
    {1e-45, 0, 0, 0},
    {1e-45, -1e-45, 3e-45, 1.1e-38},
    {1e-46, 1e-300, 0, -5e-324},
    {1e-46, 1e-44, 0, 0},
    {1e19, 1e-19, 1, -1e19},
    {1, 1e-8, 1e-16, 1e-24},
    {.1, .2, .3, -.7},
};

/* The reference, in long doubles throughout. */
static double expected(const double *row, int j)
{
    long double sum = 0;
    for (int k = 0; k < WIDTH; k++)
        sum += (long double)(float)row[k] * (float)row[k];
    return sum > 0 ? (double)((float)row[j] / sqrtl(sum)) : 0;
}

static void put_csv(text_buffer *t, const double (*x)[WIDTH], int rows)
{
    text_put(t, "a,b,c,d,t\n");
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < WIDTH; j++)
            text_format(t, "%.17g,", x[i][j]);
        text_format(t, "%d\n", i % 2 ? 1 : -1);
    }
}

static sotto_table *read_hard(const char *loss, const char *precision)
{
    text_buffer t = {0};
    put_csv(&t, hard, HARD);
    sotto_table *table = read_bytes("h.csv", t.data, t.length,
                                    SETTINGS({"target", "t"}, {"loss", loss},
                                             {"precision", precision}, ROWS));
    text_free(&t);
    return table;
}

static void test_hard_values(void **state)
{
    (void)state;
    sotto_table *t = read_hard("squared", "float");
    assert_int_equal(t->scaled, WIDTH);
    for (int j = 0; j < WIDTH; j++)
        assert_true(t->reach[j] == 1);
    for (int i = 0; i < HARD; i++) {
        double sum = 0;
        for (int j = 0; j < WIDTH; j++) {
            double x = cell(t, i, j), e = expected(hard[i], j);
            assert_true(fabs(x) <= 1);
            assert_true(fabs(x - e) <= FLT_EPSILON * fabs(e) + 0x1p-149);
            sum += x * x;
        }
        assert_true(sum == 0 || fabs(sum - 1) < 1e-6);
    }
    assert_true(cell(t, 0, 0) == (double).6f && cell(t, 0, 1) == (double).8f);
    assert_true(cell(t, 3, 2) == -.5 && cell(t, 5, 0) == 1);
    assert_true(cell(t, 7, 0) == 0 && cell(t, 7, 3) == 0); /* not floats */
    assert_true(cell(t, 8, 0) == 0 && cell(t, 8, 1) == 1);
    sotto_table_free(t);
}

/* What prediction and the exact solver read is what training stores. */
static void test_precision_same_bits(void **state)
{
    (void)state;
    sotto_table *narrow = read_hard("squared", "float");
    sotto_table *wide = read_hard("squared", "double");
    assert_true(wide->is_double && !narrow->is_double);
    assert_same(narrow, wide);
    sotto_table_free(wide);
    sotto_table_free(narrow);
    /* with two classes the sign is folded in, and nothing else changes */
    narrow = read_hard("logistic", "float");
    wide = read_hard("logistic", "double");
    for (int i = 0; i < HARD; i++)
        for (int j = 0; j < WIDTH; j++)
            assert_true(cell(narrow, i, j) * narrow->y[i] == cell(wide, i, j));
    sotto_table_free(wide);
    sotto_table_free(narrow);
}

/* Not finite, or too large for a float: as without scaling. */
static void test_values_that_are_refused(void **state)
{
    (void)state;
    const setting *s = SETTINGS({"target", "t"}, ROWS);
    refuse_text("a.csv", "a,b,t\n1e39,1,0\n", s, "fits a float");
    refuse_text("a.csv", "a,b,t\nnan,1,0\n", s, "expected a value");
    refuse_text("a.svm", "1 1:1e39 2:1\n", SETTINGS(ROWS), "fits a float");
    sotto_table *t =
        read_text("a.csv", "a,b,t\n3,4,0\n1e39,1,0\n5,12,0\n",
                  SETTINGS({"target", "t"}, {"bad-rows", "drop"}, ROWS));
    assert_int_equal(t->rows, 2);
    assert_true(cell(t, 1, 0) == (double)(float)(5. / 13));
    sotto_table_free(t);
}

/* ---- what is scaled ---- */

static void test_declared_features_are_left_alone(void **state)
{
    (void)state;
    const char *schema =
        "{\"sotto_schema\": 1, \"missing_values\": [\"?\"], \"columns\": {"
        "\"a\": {\"type\": \"number\", \"bounds\": [0, 200]},"
        "\"b\": {\"type\": \"number\", \"missing\": 4},"
        "\"k\": {\"type\": \"category\", \"levels\": [\"u\", \"v\"]},"
        "\"c\": {\"type\": \"number\"}, \"t\": {\"type\": \"target\"}}}";
    sotto_table *t =
        read_text("a.csv", "a,b,k,c,t\n200,?,v,3,1e30\n50,0,u,0,7\n",
                  SETTINGS({"schema-text", schema}, ROWS));
    assert_int_equal(t->features, 5);
    assert_int_equal(t->scaled, 2);
    const double first[] = {1, (double).8f, 0, 1, (double).6f};
    const double second[] = {-.5, 0, 1, 0, 0};
    for (int j = 0; j < 5; j++) {
        assert_true(cell(t, 0, j) == first[j]);
        assert_true(cell(t, 1, j) == second[j]);
        assert_true(t->reach[j] == 1);
    }
    assert_true(t->y[0] == 1e30 && t->y[1] == 7);
    sotto_table_free(t);
}

static void test_declared_numbers_are_left_alone(void **state)
{
    (void)state;
    const char *schema =
        "{\"sotto_schema\": 1, \"columns\": "
        "{\"2\": {\"type\": \"number\", \"bounds\": [-8, 4]}}}";
    sotto_table *t =
        read_text("a.svm", "1 1:3 2:4 3:4\n1 2:100\n",
                  SETTINGS({"schema-text", schema}, {"features", "3"}, ROWS));
    assert_int_equal(t->scaled, 2);
    assert_true(cell(t, 0, 0) == (double).6f && cell(t, 0, 1) == .5);
    assert_true(cell(t, 0, 2) == (double).8f && cell(t, 1, 1) == .5);
    sotto_table_free(t);
    t = read_text("a.svm", "1 1:3 2:4\n", SETTINGS({"features", "3"}, ROWS));
    assert_int_equal(t->scaled, 3);
    assert_true(t->reach[2] == 1);
    sotto_table_free(t);
}

/* Without the option nothing is known, and nothing is changed. */
static void test_only_when_asked_for(void **state)
{
    (void)state;
    sotto_table *t =
        read_text("a.csv", "a,b,t\n3,4,0\n", SETTINGS({"target", "t"}));
    assert_int_equal(t->scaled, 0);
    assert_true(cell(t, 0, 0) == 3 && isinf(t->reach[0]));
    sotto_table_free(t);
}

/* ---- one map, whatever the file is ---- */

/* Sizes from 1e-44 to 1e38, many zeros, from a number alone. */
static double number_of(int64_t i, int64_t j)
{
    uint64_t h = (uint64_t)i * 0x9e3779b97f4a7c15u + (uint64_t)j * 0xbf58476d1u;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebu;
    h ^= h >> 32;
    double sign = h & 1 ? 1 : -1, size = (double)(h >> 8 & 0xffff) / 65536 + 1;
    int power = i % 3 ? (int)(h >> 40 & 3) : (int)(h >> 40 & 0xff) - 130;
    return h >> 50 & 1 ? 0 : sign * ldexp(size, power);
}

enum { MANY = 37, COLUMNS = 9 };

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static bytes npy_of(int64_t rows, int by_column)
{
    int width = COLUMNS + 1;
    bytes b = {malloc(128 + (size_t)(rows * width) * sizeof(double)), 128};
    char head[119];
    int length = snprintf(head, sizeof head,
                          "{'descr': '<f8', 'fortran_order': %s, 'shape': "
                          "(%lld, %d), }",
                          by_column ? "True" : "False", (long long)rows, width);
    memcpy(b.at, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(b.at + 10, ' ', 118);
    memcpy(b.at + 10, head, (size_t)length);
    b.at[127] = '\n';
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) {
            double x = j == COLUMNS ? (double)(i % 2 * 2 - 1) : number_of(i, j);
            int64_t at = by_column ? j * rows + i : i * width + j;
            memcpy(b.at + 128 + (size_t)at * sizeof x, &x, sizeof x);
        }
    b.size += (size_t)(rows * width) * sizeof(double);
    return b;
}

static void put_rows(text_buffer *t, int64_t rows, int sparse)
{
    text_put(t, sparse ? "" : "1,2,3,4,5,6,7,8,9,10\n");
    for (int64_t i = 0; i < rows; i++) {
        if (sparse)
            text_format(t, "%d", (int)(i % 2 * 2 - 1));
        for (int j = 0; j < COLUMNS; j++) {
            double x = number_of(i, j);
            if (!sparse)
                text_format(t, "%.17g,", x);
            else if (x != 0)
                text_format(t, " %d:%.17g", j + 1, x);
        }
        if (!sparse)
            text_format(t, "%d", (int)(i % 2 * 2 - 1));
        text_put(t, "\n");
    }
}

static void test_formats_same_bits(void **state)
{
    (void)state;
    static const char *const precisions[] = {"float", "double"};
    for (int64_t rows = 1; rows <= MANY; rows += rows < 3 ? 1 : 17)
        for (int k = 0; k < 4; k++) {
            text_buffer dense = {0}, sparse = {0};
            const setting *named =
                SETTINGS({"target", "10"}, {"precision", precisions[k & 1]},
                         {"loss", k & 2 ? "logistic" : "squared"}, ROWS);
            const setting *numbered =
                SETTINGS({"features", "9"}, {"precision", precisions[k & 1]},
                         {"loss", k & 2 ? "logistic" : "squared"}, ROWS);
            bytes c = npy_of(rows, 0), f = npy_of(rows, 1);
            put_rows(&dense, rows, 0);
            put_rows(&sparse, rows, 1);
            sotto_table *t[] = {
                read_bytes("a.csv", dense.data, dense.length, named),
                read_bytes("a.svm", sparse.data, sparse.length, numbered),
                read_bytes("a.npy", c.at, c.size, named),
                read_bytes("a.npy", f.at, f.size, named)};
            double *x = calloc((size_t)rows, sizeof *x);
            double *z = calloc((size_t)rows, sizeof *z);
            for (int other = 1; other < 4; other++)
                for (int64_t j = 0; j < COLUMNS; j++) {
                    table_stored(t[0], j, x);
                    table_stored(t[other], j, z);
                    for (int64_t i = 0; i < rows; i++)
                        assert_true(x[i] == z[i]); /* -0 is 0 */
                }
            for (int i = 0; i < 4; i++)
                sotto_table_free(t[i]);
            text_free(&dense);
            text_free(&sparse);
            free(c.at);
            free(f.at);
            free(x);
            free(z);
        }
}

static void test_threads_same_bits(void **state)
{
    (void)state;
    enum { LONG = 40000 };
    for (int sparse = 0; sparse < 2; sparse++) {
        text_buffer t = {0};
        const char *name = sparse ? "a.svm" : "a.csv";
        setting how =
            sparse ? (setting){"features", "9"} : (setting){"target", "10"};
        put_rows(&t, LONG, sparse);
        sotto_table *one = read_bytes(name, t.data, t.length,
                                      SETTINGS(how, {"threads", "1"}, ROWS));
        sotto_table *many = read_bytes(name, t.data, t.length,
                                       SETTINGS(how, {"threads", "5"}, ROWS));
        assert_int_equal(one->rows, LONG);
        assert_same(one, many);
        sotto_table_free(one);
        sotto_table_free(many);
        text_free(&t);
    }
}

/* ---- a row depends on its own record ---- */

/* One of them becomes huge, tiny or zero: no bit of another changes, and its
   own are those of a file in which it is alone. */
static void test_row_locality(void **state)
{
    (void)state;
    enum { SOME = 34 };
    static const double sizes[] = {3e38, 1e-45, 0, -7};
    double x[SOME][WIDTH], one[1][WIDTH];
    const setting *s = SETTINGS({"target", "t"}, ROWS);
    for (int i = 0; i < SOME; i++)
        for (int j = 0; j < WIDTH; j++)
            x[i][j] = number_of(i, j);
    text_buffer t = {0};
    put_csv(&t, x, SOME);
    sotto_table *before = read_bytes("a.csv", t.data, t.length, s);
    for (int at = 0; at < SOME; at += 11)
        for (int k = 0; k < 4; k++) {
            double kept[WIDTH];
            text_buffer u = {0}, v = {0};
            memcpy(kept, x[at], sizeof kept);
            for (int j = 0; j < WIDTH; j++)
                one[0][j] = x[at][j] = j % 2 ? sizes[k] : -sizes[k];
            put_csv(&u, x, SOME);
            put_csv(&v, one, 1);
            memcpy(x[at], kept, sizeof kept);
            sotto_table *after = read_bytes("a.csv", u.data, u.length, s);
            sotto_table *alone = read_bytes("a.csv", v.data, v.length, s);
            assert_same_rows(before, 0, after, 0, at);
            assert_same_rows(before, at + 1, after, at + 1, SOME - at - 1);
            for (int j = 0; j < WIDTH; j++)
                assert_true(cell(after, at, j) == cell(alone, 0, j));
            sotto_table_free(after);
            sotto_table_free(alone);
            text_free(&u);
            text_free(&v);
        }
    sotto_table_free(before);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hard_values),
        cmocka_unit_test(test_precision_same_bits),
        cmocka_unit_test(test_values_that_are_refused),
        cmocka_unit_test(test_declared_features_are_left_alone),
        cmocka_unit_test(test_declared_numbers_are_left_alone),
        cmocka_unit_test(test_only_when_asked_for),
        cmocka_unit_test(test_formats_same_bits),
        cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_row_locality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
