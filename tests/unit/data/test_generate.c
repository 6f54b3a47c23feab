/*
 * Generated data sets: they follow their documented law, every format holds the
 * same numbers, and a file appears whole or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sotto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const dense_sets[] = {"sparse-lasso", "square", "log1",
                                         "log2"};
static const char *const zipf_sets[] = {"zipf-heavy", "zipf-flat"};

static char directory[] = "/tmp/sotto-generate-XXXXXX";
static sotto_error error;

/* ---- making and reading files ---- */

typedef struct path {
    char text[320];
} path;

static path in_directory(const char *file)
{
    path p;
    snprintf(p.text, sizeof p.text, "%s/%s", directory, file);
    return p;
}

/* `settings` is "name value name value ...", in blanks. */
static sotto_options *options_of(const char *settings)
{
    sotto_options *options;
    char copy[256], *rest = copy, *name, *value;
    assert_int_equal(sotto_options_new(&options, &error), SOTTO_OK);
    snprintf(copy, sizeof copy, "%s", settings);
    while ((name = strsep(&rest, " ")) && (value = strsep(&rest, " ")))
        assert_int_equal(sotto_options_set(options, name, value, &error),
                         SOTTO_OK);
    return options;
}

static sotto_status make_at(const char *set, const char *where,
                            const char *settings)
{
    sotto_options *options = options_of(settings);
    memset(&error, 0, sizeof error);
    sotto_status status = sotto_generate(set, where, options, &error);
    sotto_options_free(options);
    return status;
}

typedef struct bytes {
    char *data; /* with a NUL behind */
    size_t size;
} bytes;

static bytes read_file(const char *file)
{
    bytes b = {NULL, 0};
    struct stat about;
    FILE *stream = fopen(in_directory(file).text, "rb");
    assert_non_null(stream);
    assert_int_equal(fstat(fileno(stream), &about), 0);
    b.size = (size_t)about.st_size;
    b.data = calloc(b.size + 1, 1);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, b.size, stream), b.size);
    fclose(stream);
    return b;
}

static bytes make(const char *set, const char *file, const char *settings)
{
    sotto_status status = make_at(set, in_directory(file).text, settings);
    if (status != SOTTO_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, SOTTO_OK);
    return read_file(file);
}

static int same(bytes a, bytes b)
{
    return a.size == b.size && !memcmp(a.data, b.data, a.size);
}

/* ---- a set as numbers: n rows of p features and the target ---- */

typedef struct numbers {
    size_t n, p;
    double *at; /* (p + 1) * n, row after row */
} numbers;

static numbers numbers_new(size_t n, size_t p)
{
    numbers x = {n, p, calloc(n * (p + 1), sizeof(double))};
    assert_non_null(x.at);
    return x;
}

static double target(numbers x, size_t i)
{
    return x.at[i * (x.p + 1) + x.p];
}

static numbers read_csv(bytes b, size_t n, size_t p)
{
    numbers x = numbers_new(n, p);
    char *at = strchr(b.data, '\n');
    assert_non_null(at);
    at++;
    for (size_t k = 0; k < n * (p + 1); k++) {
        char *end;
        x.at[k] = strtod(at, &end);
        assert_true(end > at);
        assert_int_equal(*end, k % (p + 1) == p ? '\n' : ',');
        at = end + 1;
    }
    assert_int_equal(at - b.data, b.size);
    return x;
}

/* Also holds the header and the size against what they have to be. */
static numbers read_npy(bytes b, size_t n, size_t p)
{
    numbers x = numbers_new(n, p);
    const unsigned char *u = (const unsigned char *)b.data;
    char shape[64];
    snprintf(shape, sizeof shape, "'shape': (%zu, %zu)", n, p + 1);
    assert_true(b.size > 10);
    assert_memory_equal(u, "\x93NUMPY\x01\x00", 8);
    size_t start = 10 + u[8] + 256u * u[9];
    assert_int_equal(start % 64, 0);
    assert_int_equal(b.size, start + n * (p + 1) * 8);
    assert_int_equal(u[10], '{');
    assert_int_equal(u[start - 1], '\n');
    char *head = strndup(b.data + 10, start - 10);
    assert_non_null(strstr(head, "'descr': '<f8'"));
    assert_non_null(strstr(head, "'fortran_order': False"));
    assert_non_null(strstr(head, shape));
    assert_int_equal(strlen(head), start - 10);
    assert_string_equal(head + strcspn(head, "}") + 1 +
                            strspn(head + strcspn(head, "}") + 1, " "),
                        "\n");
    free(head);
    memcpy(x.at, u + start, n * (p + 1) * 8);
    return x;
}

/* Checks that indices increase and stay within 1 .. p. */
static numbers read_svmlight(bytes b, size_t n, size_t p)
{
    numbers x = numbers_new(n, p);
    char *at = b.data;
    for (size_t i = 0; i < n; i++) {
        double *row = x.at + i * (p + 1);
        unsigned long before = 0;
        row[p] = strtod(at, &at);
        while (*at == ' ') {
            unsigned long j = strtoul(at, &at, 10);
            assert_true(j > before && j <= p);
            assert_int_equal(*at, ':');
            row[j - 1] = strtod(at + 1, &at);
            assert_true(row[j - 1] != 0);
            before = j;
        }
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(at - b.data, b.size);
    return x;
}

static numbers make_numbers(const char *set, const char *settings, size_t n,
                            size_t p)
{
    char sized[128];
    snprintf(sized, sizeof sized, "rows %zu features %zu %s", n, p, settings);
    bytes b = make(set, "numbers.npy", sized);
    numbers x = read_npy(b, n, p);
    free(b.data);
    return x;
}

/* ---- the list of sets ---- */

static void test_names(void **state)
{
    (void)state;
    int64_t i = 0;
    for (; sotto_generate_name(i); i++) {
        const char *help = sotto_generate_help(i);
        assert_true(strlen(help) > 40);
        assert_null(strchr(help, '\n'));
        assert_true((strstr(sotto_generate_name(i), "zipf") != NULL) ==
                    (i >= 4));
    }
    assert_int_equal(i, 6);
    assert_null(sotto_generate_help(6));
    assert_null(sotto_generate_name(-1));
    assert_string_equal(sotto_generate_name(0), "sparse-lasso");
    assert_string_equal(sotto_generate_name(1), "square");
    assert_non_null(strstr(sotto_generate_help(1), "DP-GCD"));
}

static void test_seed(void **state)
{
    (void)state;
    bytes all[6];
    for (int64_t i = 0; i < 6; i++) {
        const char *set = sotto_generate_name(i);
        const char *sizes = "rows 40 features 30 seed 7";
        bytes a = make(set, "a.csv", sizes), b = make(set, "b.csv", sizes);
        bytes c = make(set, "c.csv", "rows 40 features 30 seed 8");
        bytes few = make(set, "few.csv", "rows 9 features 30 seed 7");
        assert_true(same(a, b));
        assert_false(same(a, c));
        assert_true(few.size < a.size);
        assert_memory_equal(a.data, few.data, few.size);
        for (int64_t j = 0; j < i; j++)
            assert_false(same(a, all[j]));
        all[i] = a;
        free(b.data);
        free(c.data);
        free(few.data);
    }
    for (int64_t i = 0; i < 6; i++)
        free(all[i].data);
}

/* The very bytes, so that no compiler, C library or machine changes them. */
static void test_known(void **state)
{
    (void)state;
    bytes b = make("sparse-lasso", "known.csv", "rows 2 features 3");
    assert_string_equal(
        b.data, "x1,x2,x3,target\n"
                "1.39515138,-0.0713096038,0.383711517,0.78984076906216794\n"
                "0.250271022,0.937788785,0.337564021,0.35715395395694532\n");
    free(b.data);
    b = make("log2", "known.svm", "rows 2 features 3");
    assert_string_equal(b.data,
                        "1 1:-0.858342528 2:1.60377979 3:-0.421673626\n"
                        "1 1:0.519088686 2:-0.302965611 3:0.564697444\n");
    free(b.data);
    b = make("zipf-heavy", "known.svm", "rows 2 features 30 per-row 4");
    assert_string_equal(b.data, "1 13:2.02166104 15:0.564402401 21:1.11496782 "
                                "23:1.83062363\n"
                                "1 2:1.26406586 16:1.99264872 19:0.576552391 "
                                "22:1.76041937\n");
    free(b.data);
}

/* ---- shapes and formats ---- */

static void test_default_shapes(void **state)
{
    (void)state;
    bytes b = make("sparse-lasso", "default.npy", "");
    free(read_npy(b, 1000, 1000).at);
    free(b.data);
    b = make("log1", "default.csv", "");
    free(read_csv(b, 1000, 100).at);
    free(b.data);
    b = make("zipf-flat", "default.svm", "");
    size_t lines = 0, words = 0;
    for (size_t i = 0; i < b.size; i++) {
        lines += b.data[i] == '\n';
        words += b.data[i] == ':';
    }
    assert_int_equal(lines, 10000);
    assert_true(words > 90 * lines && words <= 100 * lines);
    free(b.data);
}

static void test_header(void **state)
{
    (void)state;
    bytes b = make("square", "header.csv", "rows 1 features 12");
    const char *header = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,target\n";
    assert_memory_equal(b.data, header, strlen(header));
    free(b.data);
}

static void test_small_sizes(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 6; i++)
        for (size_t p = 1; p <= 12; p++) {
            numbers x = make_numbers(sotto_generate_name(i), "per-row 3", 3, p);
            for (size_t k = 0; k < x.n * (x.p + 1); k++)
                assert_true(isfinite(x.at[k]));
            free(x.at);
        }
}

static void check_same_numbers(const char *set)
{
    const char *settings = "rows 60 features 90 per-row 20";
    const size_t n = 60, p = 90;
    bytes c = make(set, "f.csv", settings), s = make(set, "f.svm", settings);
    bytes b = make(set, "f.npy", settings);
    numbers csv = read_csv(c, n, p), svm = read_svmlight(s, n, p);
    numbers npy = read_npy(b, n, p);
    for (size_t k = 0; k < n * (p + 1); k++) {
        if (k % (p + 1) == p) { /* a double, to the last bit */
            assert_true(csv.at[k] == npy.at[k] && svm.at[k] == npy.at[k]);
            continue;
        }
        assert_true((double)(float)npy.at[k] == npy.at[k]);
        assert_true((float)csv.at[k] == (float)npy.at[k]);
        assert_true((float)svm.at[k] == (float)npy.at[k]);
    }
    free(csv.at);
    free(svm.at);
    free(npy.at);
    free(c.data);
    free(s.data);
    free(b.data);
}

static void test_formats_agree(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 6; i++)
        check_same_numbers(sotto_generate_name(i));
}

static void test_format_by_name_or_option(void **state)
{
    (void)state;
    const char *sizes = "rows 5 features 4";
    bytes svm = make("log1", "f.svm", sizes),
          csv = make("log1", "f.csv", sizes);
    bytes a = make("log1", "f.svmlight", sizes);
    bytes b = make("log1", "f.libsvm", sizes);
    bytes c = make("log1", "f", "rows 5 features 4 format svmlight");
    bytes d = make("log1", "f.svm", "rows 5 features 4 format csv");
    assert_true(same(a, svm) && same(b, svm) && same(c, svm));
    assert_true(same(d, csv) && !same(csv, svm));
    free(svm.data);
    free(csv.data);
    free(a.data);
    free(b.data);
    free(c.data);
    free(d.data);
}

/* A host program whose decimal point is a comma writes the same file. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                         "fr_FR.UTF-8", "fr_FR.utf8"};
    bytes before = make("square", "point.csv", "rows 200 features 100");
    int found = 0;
    for (size_t i = 0; i < sizeof commas / sizeof *commas && !found; i++)
        found = setlocale(LC_NUMERIC, commas[i]) != NULL;
    bytes after = make("square", "comma.csv", "rows 200 features 100");
    setlocale(LC_NUMERIC, "C");
    int unchanged = same(before, after);
    free(before.data);
    free(after.data);
    assert_true(unchanged);
    if (!found)
        skip();
}

/* ---- the dense sets are what they are said to be ---- */

static void test_moments(void **state)
{
    (void)state;
    for (size_t d = 0; d < 4; d++) {
        const size_t n = 2000, p = 100;
        numbers x = make_numbers(dense_sets[d], "seed 3", n, p);
        double count = (double)(n * p), m1 = 0, m2 = 0, m4 = 0, next = 0;
        for (size_t k = 0; k < n * (p + 1); k++) {
            double v = x.at[k];
            if (k % (p + 1) == p)
                continue;
            m1 += v / count;
            m2 += v * v / count;
            m4 += v * v * v * v / count;
            if (k % (p + 1) < p - 1)
                next += v * x.at[k + 1] / count;
        }
        assert_true(fabs(m1) < 5 / sqrt(count));
        assert_true(fabs(m2 - m1 * m1 - 1) < 5 * sqrt(2 / count));
        assert_true(fabs(m4 - 3) < 5 * sqrt(96 / count));
        assert_true(fabs(next) < 5 / sqrt(count));
        free(x.at);
    }
}

/* Least squares by the normal equations; the residual's deviation. */
static double least_squares(numbers x, double *w)
{
    size_t p = x.p, wide = p + 1;
    double *a = calloc(p * wide, sizeof *a), square = 0;
    assert_non_null(a);
    for (size_t i = 0; i < x.n; i++)
        for (size_t j = 0; j < p; j++)
            for (size_t k = 0; k <= p; k++)
                a[j * wide + k] += x.at[i * wide + j] * x.at[i * wide + k];
    for (size_t c = 0; c < p; c++) /* positive definite: no pivoting */
        for (size_t j = 0; j < p; j++) {
            double f = a[j * wide + c] / a[c * wide + c];
            for (size_t k = c; k <= p && j != c; k++)
                a[j * wide + k] -= f * a[c * wide + k];
        }
    for (size_t j = 0; j < p; j++)
        w[j] = a[j * wide + p] / a[j * wide + j];
    for (size_t i = 0; i < x.n; i++) {
        double rest = target(x, i);
        for (size_t j = 0; j < p; j++)
            rest -= w[j] * x.at[i * wide + j];
        square += rest * rest;
    }
    free(a);
    return sqrt(square / (double)(x.n - p));
}

/* All p weights are active up to 10 columns, and 10 of them beyond. */
static void check_lasso(const char *set, size_t p)
{
    const size_t n = 5000;
    double w[40], most = 0;
    numbers x = make_numbers(set, "seed 1", n, p);
    double deviation = least_squares(x, w), unsure = 0.1 / sqrt((double)n);
    size_t active = 0;
    assert_true(fabs(deviation - 0.1) < 5 * 0.1 / sqrt(2.0 * (double)n));
    for (size_t j = 0; j < p; j++) {
        assert_true(w[j] > -5 * unsure && w[j] < 1 + 5 * unsure);
        active += w[j] > 5 * unsure;
        most = w[j] > most ? w[j] : most;
    }
    assert_int_equal(active, p < 10 ? p : 10);
    assert_true(most > 0.3);
    free(x.at);
}

static void test_lasso_weights(void **state)
{
    (void)state;
    for (size_t d = 0; d < 2; d++) {
        check_lasso(dense_sets[d], 3);
        check_lasso(dense_sets[d], 8);
        check_lasso(dense_sets[d], 40);
    }
}

/* E[y x_j] = sqrt(2/pi) w_j / sqrt(|w|^2 + 1), with log-normal w_j > 0. */
static void check_classes(const char *set, double sigma)
{
    const size_t n = 20000, p = 60;
    double sum = 0, square = 0, largest = 0, c[60] = {0};
    numbers x = make_numbers(set, "seed 2", n, p);
    for (size_t i = 0; i < n; i++) {
        assert_true(target(x, i) == 1 || target(x, i) == -1);
        sum += target(x, i);
        for (size_t j = 0; j < p; j++)
            c[j] += target(x, i) * x.at[i * (p + 1) + j] / (double)n;
    }
    assert_true(fabs(sum) < 5 * sqrt((double)n));
    for (size_t j = 0; j < p; j++) {
        assert_true(c[j] > -5 / sqrt((double)n));
        square += c[j] * c[j];
        largest = c[j] > largest ? c[j] : largest;
    }
    /* a large |w|: the noise is hardly seen, and sigma 2 is nearly sparse */
    assert_true(fabs(square - 2 / 3.14159265358979) < 0.03);
    assert_true(sigma < 1.5 ? largest * largest < 0.5 * square
                            : largest * largest > 0.3 * square);
    free(x.at);
}

static void test_classes(void **state)
{
    (void)state;
    check_classes("log1", 1);
    check_classes("log2", 2);
}

/* ---- the text-like sets are what they are said to be ---- */

static void test_zipf_rows(void **state)
{
    (void)state;
    for (size_t z = 0; z < 2; z++) {
        const size_t n = 500, p = 3000;
        size_t positive = 0;
        bytes b =
            make(zipf_sets[z], "rows.svm", "rows 500 features 3000 per-row 50");
        numbers x = read_svmlight(b, n, p);
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            int words = 0;
            for (size_t j = 0; j < p; j++) {
                double v = x.at[i * (p + 1) + j];
                assert_true(v >= 0);
                square += v * v;
                words += v > 0;
            }
            assert_true(fabs(sqrt(square) - 3) < 1e-5);
            assert_true(words >= 1 && words <= 50);
            assert_true(target(x, i) == 1 || target(x, i) == -1);
            positive += target(x, i) > 0;
        }
        assert_true(positive > 0 && positive < n);
        free(x.at);
        free(b.data);
    }
}

/* With 5 words only the first matters: E[y] = tanh(w x_1 / 2), w = 4 or -4. */
static void test_zipf_classes(void **state)
{
    (void)state;
    const size_t n = 20000, p = 5;
    double rest[2] = {0}, mixed = 0;
    numbers x = make_numbers("zipf-heavy", "per-row 6", n, p);
    for (size_t i = 0; i < n; i++)
        mixed += target(x, i) * x.at[i * (p + 1)];
    for (size_t i = 0; i < n; i++) {
        double first = x.at[i * (p + 1)], w = mixed > 0 ? 4 : -4;
        rest[first > 0] += target(x, i) - tanh(w * first / 2);
    }
    assert_true(fabs(mixed) > 0.5 * (double)n);
    assert_true(fabs(rest[0]) < 5 * sqrt((double)n));
    assert_true(fabs(rest[1]) < 5 * sqrt((double)n));
    free(x.at);
}

/* The share of rows that hold the word 1, and the words of p/2 and above. */
static double head_share(const char *set, double *rare)
{
    const size_t n = 2000, p = 10000;
    size_t head = 0, behind = 0;
    bytes b = make(set, "head.svm", "rows 2000 features 10000 per-row 100");
    numbers x = read_svmlight(b, n, p);
    for (size_t i = 0; i < n; i++) {
        const double *row = x.at + i * (p + 1);
        head += row[0] != 0;
        for (size_t j = p / 2; j < p; j++)
            behind += row[j] != 0;
    }
    free(x.at);
    free(b.data);
    *rare = (double)behind / (double)n;
    return (double)head / (double)n;
}

static void test_zipf_heads(void **state)
{
    (void)state;
    double rare, share = head_share("zipf-heavy", &rare);
    assert_true(share > 0.60 && share < 0.95);
    /* 100 times the law's weight there: 7.13 words, and 23.06 */
    assert_true(fabs(rare - 7.13) < 0.3);
    share = head_share("zipf-flat", &rare);
    assert_true(share > 0.01 && share < 0.08);
    assert_true(fabs(rare - 23.06) < 0.5);
}

/* The largest p needs no more memory than the smallest. */
static void test_zipf_wide(void **state)
{
    (void)state;
    bytes b = make("zipf-flat", "wide.svm", "rows 50 features 2147483647");
    unsigned long largest = 0;
    for (char *at = b.data; (at = strchr(at, ' '));) {
        unsigned long j = strtoul(at, &at, 10);
        assert_true(j >= 1 && j <= 2147483647);
        largest = j > largest ? j : largest;
    }
    assert_true(largest > 100000000);
    free(b.data);
}

/* ---- what is refused ---- */

static void check_refused(const char *set, const char *file,
                          const char *settings, sotto_status status,
                          const char *part)
{
    path where = in_directory(file);
    assert_int_equal(make_at(set, where.text, settings), status);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.message, part));
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(access(where.text, F_OK), -1);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("log3", "e.csv", "", SOTTO_USAGE, "zipf-flat");
    check_refused("log3\n", "e.csv", "", SOTTO_USAGE, "sparse-lasso");
    check_refused("", "e.csv", "", SOTTO_USAGE, "log1");
    check_refused("log1", "e.txt", "", SOTTO_USAGE, "--format");
    check_refused("log1", "e.csv.gz", "", SOTTO_USAGE, ".csv");
    check_refused("log1", "csv", "", SOTTO_USAGE, "|npy");
    check_refused("zipf-heavy", "e.csv", "", SOTTO_USAGE, ".svm");
    check_refused("zipf-flat", "e.npy", "rows 10001 features 10000",
                  SOTTO_USAGE, ".svm");
    check_refused("zipf-flat", "e", "format csv rows 1000000000000000",
                  SOTTO_USAGE, ".svm");
    check_refused("log1", "missing/e.csv", "", SOTTO_FAILED, "cannot write");
    path where = in_directory("e.csv");
    sotto_options *options = options_of("");
    assert_int_equal(sotto_generate("x", where.text, options, NULL),
                     SOTTO_USAGE);
    sotto_options_free(options);
}

static int files_with(const char *part)
{
    DIR *stream = opendir(directory);
    int count = 0;
    assert_non_null(stream);
    for (struct dirent *e; (e = readdir(stream));)
        count += strstr(e->d_name, part) != NULL;
    closedir(stream);
    return count;
}

/* A directory stands where the file should go: the rename fails. */
static void test_name_taken(void **state)
{
    (void)state;
    path where = in_directory("taken.csv");
    assert_int_equal(mkdir(where.text, 0700), 0);
    assert_int_equal(make_at("log1", where.text, ""), SOTTO_FAILED);
    assert_int_equal(files_with("taken"), 1);
    assert_int_equal(rmdir(where.text), 0);
}

/* Makes a set in a child process, under limits that stay there. */
static int child_makes(const char *set, const char *where, const char *settings,
                       const char *out, rlim_t size)
{
    fflush(NULL);
    pid_t child = fork();
    int status;
    assert_true(child >= 0);
    if (!child) {
        struct rlimit limit = {size, size};
        signal(SIGXFSZ, SIG_IGN);
        int descriptor = open(out, O_WRONLY | O_CREAT, 0600);
        if (descriptor < 0 || dup2(descriptor, 1) < 0 ||
            setrlimit(RLIMIT_FSIZE, &limit))
            _exit(99);
        _exit((int)make_at(set, where, settings));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_write_fails(void **state)
{
    (void)state;
    path where = in_directory("kept.csv");
    bytes before = make("log1", "kept.csv", "rows 5");
    assert_int_equal(
        child_makes("log1", where.text, "rows 9", "/dev/null", 5000),
        SOTTO_FAILED); /* only the last flush fails */
    assert_int_equal(child_makes("log1", where.text, "", "/dev/null", 100000),
                     SOTTO_FAILED);
    bytes after = read_file("kept.csv");
    assert_true(same(before, after));
    assert_int_equal(files_with("kept"), 1);
    free(before.data);
    free(after.data);
}

static void check_stdout(const char *set, const char *settings,
                         const char *file)
{
    path out = in_directory("stdout");
    bytes expected = make(set, file, settings);
    assert_int_equal(child_makes(set, "-", settings, out.text, RLIM_INFINITY),
                     SOTTO_OK);
    bytes got = read_file("stdout");
    assert_true(same(expected, got));
    unlink(out.text);
    free(expected.data);
    free(got.data);
}

static void test_stdout(void **state)
{
    (void)state;
    check_stdout("log1", "", "out.csv");
    check_stdout("zipf-heavy", "rows 99", "out.svm");
    check_stdout("log2", "format npy rows 3", "out.npy");
    assert_int_equal(
        child_makes("log1", "-", "rows 1", "/dev/full", RLIM_INFINITY),
        SOTTO_FAILED);
    assert_int_equal(
        child_makes("log1", "-", "rows 1000000000", "/dev/full", RLIM_INFINITY),
        SOTTO_FAILED); /* at once, not after the last row */
}

/* ---- the directory ---- */

static int open_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    DIR *stream = opendir(directory);
    if (!stream)
        return -1;
    for (struct dirent *e; (e = readdir(stream));)
        unlink(in_directory(e->d_name).text);
    closedir(stream);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_default_shapes),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_small_sizes),
        cmocka_unit_test(test_formats_agree),
        cmocka_unit_test(test_format_by_name_or_option),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_lasso_weights),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_zipf_rows),
        cmocka_unit_test(test_zipf_classes),
        cmocka_unit_test(test_zipf_heads),
        cmocka_unit_test(test_zipf_wide),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_name_taken),
        cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_stdout),
    };
    return cmocka_run_group_tests(tests, open_directory, remove_directory);
}
