/*
 * base: options are checked when they are set, text grows, files appear
 * whole or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base.h"
#include "number.h"
#include "option.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- options ---- */

static sotto_status set(sotto_options *o, const char *name, const char *value)
{
    sotto_error error = {0};
    sotto_status status = sotto_options_set(o, name, value, &error);
    if (status != SOTTO_OK) {
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.message, "--"));
    }
    return status;
}

static void test_option_table(void **state)
{
    (void)state;
    int64_t count = 0;
    for (; sotto_option_at(count); count++) {
        const sotto_option *o = sotto_option_at(count);
        assert_ptr_equal(sotto_option_named(o->name), o);
        assert_true(strlen(o->help) > 10);
        assert_true(o->kind == SOTTO_OPTION_FLAG || o->argument);
        assert_true((o->kind == SOTTO_OPTION_CHOICE) == (o->choices != NULL));
        /* a default is a value that could have been set */
        sotto_options *options;
        assert_int_equal(sotto_options_new(&options, NULL), SOTTO_OK);
        if (o->default_value)
            assert_int_equal(set(options, o->name, o->default_value), SOTTO_OK);
        sotto_options_free(options);
    }
    assert_int_equal(count, OPTION_COUNT);
    assert_null(sotto_option_at(-1));
    assert_null(sotto_option_named("no-such"));
}

/* Rows of solvers name options that are there, each once, and defaults that
   could have been set or are words. */
static void test_solver_options(void **state)
{
    (void)state;
    sotto_solver s;
    sotto_solver_option o, other;
    int64_t solvers = 0;
    for (; sotto_solver_at(solvers, &s); solvers++) {
        assert_true(strlen(s.summary) > 10 && strlen(s.summary) < 70);
        for (int64_t i = 0; sotto_solver_option_at(s.name, i, &o); i++) {
            const sotto_option *option = sotto_option_named(o.name);
            assert_non_null(option);
            assert_int_equal(option->group, SOTTO_GROUP_SOLVER);
            assert_null(option->default_value); /* it is the solver's */
            for (int64_t k = 0; k < i; k++) {
                assert_true(sotto_solver_option_at(s.name, k, &other));
                assert_string_not_equal(other.name, o.name);
            }
            sotto_options *options;
            assert_int_equal(sotto_options_new(&options, NULL), SOTTO_OK);
            if (o.default_value && !strchr(o.default_value, ' ') &&
                strcmp(o.default_value, "all") != 0)
                assert_int_equal(set(options, o.name, o.default_value),
                                 SOTTO_OK);
            sotto_options_free(options);
        }
    }
    assert_int_equal(solvers, 17);
    assert_false(sotto_solver_at(-1, &s));
    assert_false(sotto_solver_option_at("nosuch", 0, &o));
    assert_false(sotto_solver_option_at("gd", -1, &o));
}

static void test_option_values(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"epsilon", "nan"},
        {"epsilon", "-1"},
        {"epsilon", ""},
        {"epsilon", "1x"},
        {"epsilon", "0x1p3"},
        {"epsilon", "-inf"},
        {"features", "0"},
        {"features", "1.5"},
        {"features", "inf"},
        {"features", "1e10"},
        {"threads", "-1"},
        {"loss", "logit"},
        {"loss", ""},
        {"loss", "squared|logistic"},
        {"json", "maybe"},
        {"target", ""},
        {"no-such", "1"},
        {"weight-bound", "0"},
        {"weight-bound", "inf"},
        {"seed", "-3"},
        {"epsilon", "1 "},
        {"epsilon", "1,5"},
    };
    sotto_options *o;
    assert_int_equal(sotto_options_new(&o, NULL), SOTTO_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(set(o, bad[i][0], bad[i][1]), SOTTO_USAGE);
    assert_false(option_given(o, OPTION_EPSILON));
    assert_false(option_private(o));
    assert_int_equal(set(o, "epsilon", "inf"), SOTTO_OK);
    assert_false(option_private(o));
    assert_int_equal(set(o, "epsilon", "0.5"), SOTTO_OK);
    assert_true(option_private(o));
    assert_true(option_number(o, OPTION_EPSILON) == .5);
    assert_int_equal(set(o, "seed", "9007199254740991"), SOTTO_OK);
    assert_true(option_integer(o, OPTION_SEED) == 9007199254740991);
    assert_string_equal(sotto_options_get(o, "loss"), "squared");
    assert_null(sotto_options_get(o, "schema"));
    sotto_options_free(o);
}

static void test_option_lists(void **state)
{
    (void)state;
    sotto_options *o;
    char *name;
    size_t cursor = 0;
    assert_int_equal(sotto_options_new(&o, NULL), SOTTO_OK);
    assert_int_equal(option_next(o, OPTION_DROP, &cursor, &name), 0);
    assert_int_equal(set(o, "drop", "a,bc"), SOTTO_OK);
    assert_int_equal(set(o, "drop", "d"), SOTTO_OK);
    assert_true(option_lists(o, OPTION_DROP, "bc"));
    assert_true(option_lists(o, OPTION_DROP, "d"));
    assert_false(option_lists(o, OPTION_DROP, "b"));
    assert_false(option_lists(o, OPTION_DROP, ""));
    const char *expected[] = {"a", "bc", "d"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(option_next(o, OPTION_DROP, &cursor, &name), 1);
        assert_string_equal(name, expected[i]);
        mem_free(name);
    }
    assert_int_equal(option_next(o, OPTION_DROP, &cursor, &name), 0);
    sotto_options_free(o);
}

/* ---- text ---- */

static void test_text(void **state)
{
    (void)state;
    text_buffer t = {0};
    for (int i = 0; i < 1000; i++)
        text_format(&t, "%d,", i);
    assert_false(t.failed);
    assert_int_equal(t.length, strlen(t.data));
    assert_int_equal(t.length, 3890);
    text_free(&t);
    text_json(&t, "a\"b\\c\n\x01 \xc3\xa9");
    assert_string_equal(t.data, "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9\"");
    text_free(&t);
}

static void test_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "abc",
                                       "\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "\xed\x9f\xbf"};
    static const char *const bad[] = {
        "\xe9",         "\xc0\x80",         "\xe0\x9f\x80",
        "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3",
        "\x80",         "\xf5\x80\x80\x80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(text_is_utf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(text_is_utf8(bad[i], strlen(bad[i])));
}

static void test_shown_names(void **state)
{
    (void)state;
    char longer[500];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_string_equal(show_name("a\nb\x1b[31m").text, "a?b?[31m");
    assert_true(strlen(show_name(longer).text) == sizeof(shown) - 1);
    strcpy(longer + sizeof longer - 9, "/end.csv");
    assert_non_null(strstr(show_name(longer).text, "...x"));
    assert_non_null(strstr(show_name(longer).text, "/end.csv"));
    sotto_error error;
    error_set(&error, SOTTO_DATA, "%s%s%s%s", longer, longer, longer, longer);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

/* ---- numbers in options and schemas ---- */

static void test_number_whole(void **state)
{
    (void)state;
    double x = 0;
    assert_true(number_whole("1e-3", &x) && x == 1e-3);
    assert_false(number_whole("1e-3 ", &x));
    assert_false(number_whole("", &x));
    assert_false(number_whole("nan", &x));
    char many[200];
    memset(many, '1', sizeof many - 1);
    many[sizeof many - 1] = 0;
    assert_false(number_whole(many, &x));
}

/* ---- files ---- */

static char folder[] = "/tmp/sotto-base-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails when a temporary file was left behind */
}

static void read_back(const char *path, char *to, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    to[fread(to, 1, room - 1, file)] = 0;
    fclose(file);
}

static void test_files(void **state)
{
    (void)state;
    char path[100], content[100];
    sotto_error error;
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(sotto_text_write(path, "first", &error), SOTTO_OK);
    out_file out;
    assert_int_equal(out_open(&out, path, &error), SOTTO_OK);
    fputs("second", out.stream);
    fflush(out.stream);
    read_back(path, content, sizeof content);
    assert_string_equal(content, "first");
    out_abandon(&out);
    read_back(path, content, sizeof content);
    assert_string_equal(content, "first");
    assert_int_equal(sotto_text_write(path, "third", &error), SOTTO_OK);
    read_back(path, content, sizeof content);
    assert_string_equal(content, "third");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
    /* a new file takes the mode of the file that it replaces, whatever the
       umask */
    assert_int_equal(chmod(path, 0602), 0);
    assert_int_equal(sotto_text_write(path, "fourth", &error), SOTTO_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0602);
    unlink(path);
}

static void test_file_failures(void **state)
{
    (void)state;
    char path[100];
    sotto_error error;
    snprintf(path, sizeof path, "%s/none/a", folder);
    assert_int_equal(sotto_text_write(path, "x", &error), SOTTO_FAILED);
    assert_int_equal(sotto_text_write("/dev/full", "x", &error), SOTTO_FAILED);
    assert_int_equal(sotto_text_write("/dev/null", "x", &error), SOTTO_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    /* a directory in the way */
    assert_int_equal(sotto_text_write(folder, "x", &error), SOTTO_FAILED);
}

/* A file that is read whole must be text and below a limit, also where its
   size is not known in advance (pipes). */
static void test_file_whole(void **state)
{
    (void)state;
    sotto_error error;
    char path[100], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(sotto_text_write(path, "0123456789", &error), SOTTO_OK);
    assert_int_equal(file_read(path, 10, &text, &size, &error), SOTTO_OK);
    assert_int_equal(size, 10);
    assert_string_equal(text, "0123456789");
    mem_free(text);
    assert_int_equal(file_read(path, 9, &text, &size, &error), SOTTO_USAGE);
    assert_non_null(strstr(error.message, "at most 9 bytes"));
    FILE *file = fopen(path, "wb");
    fwrite("ab\0cd", 1, 5, file);
    fclose(file);
    assert_int_equal(file_read(path, 9, &text, &size, &error), SOTTO_USAGE);
    assert_non_null(strstr(error.message, "NUL byte"));
    unlink(path);
    assert_int_equal(file_read(path, 9, &text, &size, &error), SOTTO_FAILED);
}

static void write_blanks(const char *path, int megabytes)
{
    static char blanks[1 << 20];
    memset(blanks, ' ', sizeof blanks);
    signal(SIGPIPE, SIG_IGN);
    int to = open(path, O_WRONLY);
    for (int i = 0; i < megabytes; i++)
        (void)!write(to, blanks, sizeof blanks);
    _exit(0);
}

static void test_pipe_whole(void **state)
{
    (void)state;
    sotto_error error;
    char path[100], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/pipe", folder);
    for (int length = 0; length < 3; length++) {
        assert_int_equal(mkfifo(path, 0600), 0);
        pid_t child = fork();
        if (child == 0)
            write_blanks(path, length);
        sotto_status status = file_read(path, 1 << 20, &text, &size, &error);
        assert_int_equal(status, length < 2 ? SOTTO_OK : SOTTO_USAGE);
        if (status == SOTTO_OK) {
            assert_int_equal(size, (size_t)length << 20);
            mem_free(text);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        unlink(path);
    }
}

/* ---- memory and threads ---- */

static void test_memory(void **state)
{
    (void)state;
    assert_null(mem_resize(NULL, SIZE_MAX / 2, 3));
    assert_null(mem_zeroed(SIZE_MAX / 2, 3));
    size_t product;
    assert_false(size_multiply(SIZE_MAX / 2, 3, &product));
    char *block = mem_map(3 << 20);
    block[5] = block[(2 << 20) + 9] = 7;
    mem_discard(block, 1 << 20, 3 << 20);
    assert_int_equal(block[5], 7);
    assert_int_equal(block[(2 << 20) + 9], 0);
    block = mem_remap(block, 3 << 20, 9 << 20);
    assert_int_equal(block[5], 7);
    assert_int_equal(block[(9 << 20) - 1], 0);
    mem_wipe(block, 6);
    assert_int_equal(block[5], 0);
    mem_unmap(block, 9 << 20);
}

static void count_up(void *context, int worker)
{
    (void)worker;
    __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
}

static void test_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads < 9; threads++) {
        int count = 0;
        thread_run(threads, count_up, &count);
        assert_int_equal(count, threads);
    }
    assert_true(thread_limit() >= 1);
}

/* ---- numbers as text ---- */

/* Prices are rounded up: to the next decimal, and no further. */
static void test_numbers_up(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double back, next;
    assert_string_equal(sotto_number_print_up(1.0000001, 6).text, "1.00001");
    assert_string_equal(sotto_number_print_up(1, 6).text, "1");
    assert_string_equal(sotto_number_print_up(.99999949, 6).text, "1");
    assert_string_equal(sotto_number_print_up(1.000004e-6, 6).text,
                        "1.00001e-06");
    assert_string_equal(sotto_number_print_up(0, 6).text, "0");
    assert_string_equal(sotto_number_print_up(INFINITY, 6).text, "inf");
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        double x = ldexp(1 + (double)(seed >> 40) * 0x1p-24,
                         (int)(seed >> 8 & 127) - 64);
        int digits = 2 + (int)(seed >> 20 & 7);
        sotto_number up = sotto_number_print_up(x, digits);
        assert_true(number_whole(up.text, &back));
        /* one unit of the last digit lower would be below x */
        double unit = pow(10, floor(log10(back)) - digits + 1);
        next = back - unit * (1 - 1e-9);
        assert_true(back >= x);
        assert_true(next < x * (1 + 1e-9));
    }
}

/* What may still be spent is rounded down: to the decimal before. */
static void test_numbers_down(void **state)
{
    (void)state;
    uint64_t seed = 11;
    double back, next;
    assert_string_equal(sotto_number_print_down(1.0000099, 6).text, "1");
    assert_string_equal(sotto_number_print_down(.99999951, 6).text, "0.999999");
    assert_string_equal(sotto_number_print_down(1.000006e-6, 6).text, "1e-06");
    assert_string_equal(sotto_number_print_down(0, 6).text, "0");
    assert_string_equal(sotto_number_print_down(INFINITY, 6).text, "inf");
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        double x = ldexp(1 + (double)(seed >> 40) * 0x1p-24,
                         (int)(seed >> 8 & 127) - 64);
        int digits = 2 + (int)(seed >> 20 & 7);
        sotto_number down = sotto_number_print_down(x, digits);
        assert_true(number_whole(down.text, &back));
        /* one unit of the last digit higher would be above x */
        double unit = pow(10, floor(log10(x)) - digits + 1);
        next = back + unit * (1 + 1e-9);
        assert_true(back <= x);
        assert_true(next > x * (1 - 1e-9));
    }
}

/* Ends of intervals: outward, by less than one unit of the error's second
   digit, whatever the sign and however many digits that are. */
static void test_numbers_end(void **state)
{
    (void)state;
    uint64_t seed = 13;
    double back;
    assert_string_equal(sotto_number_end(100399.99252, .0037, 0).text,
                        "100399.9925");
    assert_string_equal(sotto_number_end(100400.00468, .0037, 1).text,
                        "100400.0047");
    assert_string_equal(sotto_number_end(-1.2345, .012, 0).text, "-1.235");
    assert_string_equal(sotto_number_end(-1.2345, .012, 1).text, "-1.234");
    assert_string_equal(sotto_number_end(.0001, .12, 0).text, "0");
    assert_string_equal(sotto_number_end(.0001, .12, 1).text, "0.01");
    assert_string_equal(sotto_number_end(-.0001, .12, 0).text, "-0.01");
    assert_string_equal(sotto_number_end(-.0001, .12, 1).text, "0");
    assert_string_equal(sotto_number_end(0, .12, 1).text, "0");
    assert_string_equal(sotto_number_end(-INFINITY, .12, 0).text, "-inf");
    assert_string_equal(sotto_number_end(1. / 3, 1e-30, 1).text,
                        sotto_number_exact(1. / 3).text);
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        double x = ldexp(1 + (double)(seed >> 40) * 0x1p-24,
                         (int)(seed >> 8 & 127) - 64);
        double error = ldexp(x, (int)(seed >> 20 & 63) - 50);
        x = seed >> 30 & 1 ? x : -x;
        int up = (int)(seed >> 31 & 1);
        sotto_number end = sotto_number_end(x, error, up);
        assert_true(number_whole(end.text, &back));
        double away = up ? back - x : x - back;
        double unit = pow(10, floor(log10(error)) - 1);
        assert_true(away >= 0);
        assert_true(away <= unit * (1 + 1e-9) + fabs(x) * 0x1p-52);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    char expected[64];
    double back;
    const double some[] = {0,      -0.0,   1,       -1,       .1,     1e-5,
                           1e-4,   123456, 1234567, 1e22,     5e-324, 1.7e308,
                           1. / 3, -2e-9,  100000,  999999.5, .5};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(expected, sizeof expected, "%.*g", digits, some[i]);
            assert_string_equal(sotto_number_print(some[i], digits).text,
                                expected);
        }
        assert_true(number_whole(sotto_number_exact(some[i]).text, &back));
        assert_true(back == some[i]);
    }
    assert_string_equal(sotto_number_fixed(-1.25, 1).text, "-1.2");
    assert_string_equal(sotto_number_fixed(1e300, 1).text,
                        "1.0000000000000001e+300");
    assert_string_equal(sotto_number_print(-INFINITY, 3).text, "-inf");
    assert_true(sotto_number_parse("-1.5e3", &back) && back == -1500);
    assert_true(sotto_number_parse("inf", &back) && isinf(back));
    assert_false(sotto_number_parse("1,5", &back));
    assert_false(sotto_number_parse("", &back));
    assert_false(sotto_number_parse("nan", &back));
}

/* A misspelt name: a suggestion where one is near, and none otherwise. */
static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"epsilon", "delta", "l1",     "l2",
                                        "train",   "plan",  "schema", "show"};
    static const char *const cases[][2] = {{"epsilom", "epsilon"},
                                           {"espilon", "epsilon"},
                                           {"epslon", "epsilon"},
                                           {"eepsilon", "epsilon"},
                                           {"eps", "epsilon"},
                                           {"EPSILON", "epsilon"},
                                           {"detla", "delta"},
                                           {"tarin", "train"},
                                           {"l3", "l1"},
                                           {"plna", "plan"},
                                           {"shcema", "schema"},
                                           {"sho", "show"},
                                           {"e", NULL},
                                           {"ep", NULL},
                                           {"x", NULL},
                                           {"", NULL},
                                           {"gamma", NULL},
                                           {"epsilonepsilon", NULL},
                                           {"lambda", NULL},
                                           {"noise", NULL},
                                           {"pn", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = sotto_nearest(cases[i][0], names, 8);
        if (!cases[i][1])
            assert_null(found);
        else
            assert_string_equal(found, cases[i][1]);
    }
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    long_name[299] = 0;
    assert_null(sotto_nearest(long_name, names, 8));
    const char *same[] = {long_name};
    assert_null(sotto_nearest("aaaa", same, 1));
    assert_string_equal(suggest_word("bonds", " type bounds missing ").text,
                        "; did you mean \"bounds\"?");
    assert_string_equal(suggest_word("logit", "squared|logistic").text,
                        "; did you mean \"logistic\"?");
    assert_string_equal(suggest_word("none", "squared|logistic").text, "");
    assert_string_equal(suggest_word("", "a|b").text, "");
    assert_string_equal(suggest_word("a\nage", "a\nagg").text,
                        "; did you mean \"a?agg\"?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_option_table),
        cmocka_unit_test(test_solver_options),
        cmocka_unit_test(test_option_values),
        cmocka_unit_test(test_option_lists),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_shown_names),
        cmocka_unit_test(test_number_whole),
        cmocka_unit_test_setup_teardown(test_files, make_folder, remove_folder),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_up),
        cmocka_unit_test(test_numbers_down),
        cmocka_unit_test(test_numbers_end),
        cmocka_unit_test(test_nearest),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const struct CMUnitTest failures[] = {
        cmocka_unit_test_setup_teardown(test_file_failures, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_file_whole, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_pipe_whole, make_folder,
                                        remove_folder)};
    return failed + cmocka_run_group_tests(failures, NULL, NULL);
}
