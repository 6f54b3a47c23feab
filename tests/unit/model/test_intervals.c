/*
 * Standard errors in a model: the file keeps them, a weight without one says
 * why, and a file that has both or neither is refused.
 */
#include "reading.h"

#include "interval.h"
#include "model.h"

enum { P = 3 };

static sotto_model *private_model(void)
{
    sotto_model *m = model_new(P);
    assert_non_null(m);
    m->statement = mem_text("{\"epsilon\": 1,\n    \"delta\": 1e-06}");
    m->schema = mem_text("{}");
    m->intercept = 4;
    for (int64_t j = 0; j < P; j++)
        m->weight[j] = (double)j + 1;
    return m;
}

static sotto_model *with_errors(void)
{
    sotto_model *m = private_model();
    assert_true(model_make_errors(m));
    m->error[0] = .5;
    m->refused[1] = INTERVAL_HIDDEN;
    m->error[2] = .1;
    m->refused[P] = INTERVAL_FEW_ROWS;
    return m;
}

static char *text_of(const sotto_model *m)
{
    text_buffer t = {0};
    sotto_error error;
    assert_int_equal(model_text(m, &t, &error), SOTTO_OK);
    return text_take(&t);
}

static sotto_status parse(const char *text, sotto_model **out)
{
    sotto_error error;
    return model_parse(out, "m.json", text, strlen(text), &error);
}

static void near(double x, double expected)
{
    assert_true(fabs(x - expected) < 1e-12);
}

static void check_errors(const sotto_model *m)
{
    sotto_interval one;
    assert_true(sotto_model_interval(m, 0, &one));
    assert_null(one.none);
    near(one.centre, 1);
    near(one.error, .5);
    near(one.at_90[0], 1 - .5 * 1.6448536269514722);
    near(one.at_90[1], 1 + .5 * 1.6448536269514722);
    near(one.at_95[0], 1 - .5 * 1.959963984540054);
    near(one.at_95[1], 1 + .5 * 1.959963984540054);
    assert_false(sotto_model_interval(m, 1, &one));
    assert_string_equal(
        one.none, "noise hides how its column varies apart from the others");
    assert_true(isnan(one.centre) && isnan(one.error) && isnan(one.at_90[0]) &&
                isnan(one.at_90[1]) && isnan(one.at_95[0]) &&
                isnan(one.at_95[1]));
    assert_true(sotto_model_interval(m, 2, &one));
    assert_false(sotto_model_interval(m, P, &one));
    assert_non_null(strstr(one.none, "few rows"));
}

static void test_kept(void **state)
{
    (void)state;
    sotto_model *m = with_errors(), *back;
    char *text = text_of(m);
    assert_non_null(strstr(
        text, "\"intervals\": {\"errors\": [0.5, 0, 0.1], \"intercept\": 0, "
              "\"refused\": {\"2\": \"hidden\", \"intercept\": "
              "\"leverage\"}},\n"));
    assert_int_equal(parse(text, &back), SOTTO_OK);
    check_errors(m);
    check_errors(back);
    char *again = text_of(back);
    assert_string_equal(text, again);
    mem_free(again);
    mem_free(text);
    sotto_model_free(back);
    /* the intercept's own */
    m->error[P] = 2;
    sotto_interval one;
    assert_true(sotto_model_interval(m, P, &one));
    near(one.centre, 4);
    near(one.error, 2);
    sotto_model_free(m);
}

/* Levels that add up: the middle is not the weight. */
static void test_moved(void **state)
{
    (void)state;
    sotto_model *m = with_errors(), *back;
    sotto_interval one;
    m->error[P] = 2;
    m->moved[2] = -.25;
    m->moved[P] = .5;
    char *text = text_of(m);
    assert_non_null(strstr(text, "\"refused\": {\"2\": \"hidden\"}, "
                                 "\"moved\": {\"3\": -0.25, "
                                 "\"intercept\": 0.5}},\n"));
    assert_int_equal(parse(text, &back), SOTTO_OK);
    for (int i = 0; i < 2; i++) {
        const sotto_model *of = i ? back : m;
        assert_true(sotto_model_interval(of, 2, &one));
        near(one.centre, 2.75);
        near(one.moved, -.25);
        near(one.at_90[1], 2.75 + .1 * 1.6448536269514722);
        assert_true(sotto_model_interval(of, P, &one));
        near(one.centre, 4.5);
        assert_true(sotto_model_interval(of, 0, &one));
        near(one.centre, 1);
        near(of->weight[2], 3);
    }
    mem_free(text);
    sotto_model_free(back);
    sotto_model_free(m);
}

static void test_one_reason_for_all(void **state)
{
    (void)state;
    sotto_model *m = private_model(), *back;
    sotto_interval one;
    assert_true(model_make_errors(m));
    memset(m->refused, INTERVAL_L1, P + 1);
    char *text = text_of(m);
    assert_non_null(strstr(text, "\"intervals\": {\"refused\": \"l1\"},\n"));
    assert_int_equal(parse(text, &back), SOTTO_OK);
    for (int64_t j = 0; j <= P; j++) {
        assert_false(sotto_model_interval(back, j, &one));
        assert_string_equal(one.none, "an l1 penalty was given");
    }
    mem_free(text);
    sotto_model_free(back);
    sotto_model_free(m);
}

/* A model of an older version, or of a solver that makes none. */
static void test_none(void **state)
{
    (void)state;
    sotto_model *m = private_model();
    sotto_interval one;
    char *text = text_of(m);
    assert_null(strstr(text, "intervals"));
    assert_false(sotto_model_interval(m, 0, &one));
    assert_string_equal(one.none, "none is known to cover for this solver");
    mem_free(m->statement);
    m->statement = NULL;
    assert_false(sotto_model_interval(m, P, &one));
    assert_string_equal(one.none, "the model is NOT PRIVATE");
    mem_free(text);
    sotto_model_free(m);
}

/* ---- files that are not as they must be ---- */

/* The file with other words in the place of some; its checksum is left out of
   the comparison by making it anew. */
static sotto_status changed(const char *from, const char *to)
{
    sotto_model *m = with_errors(), *back = NULL;
    char *text = text_of(m), *at = strstr(text, from), file[2000];
    assert_non_null(at);
    int length = snprintf(file, sizeof file, "%.*s%s%s", (int)(at - text), text,
                          to, at + strlen(from));
    char *sum = strstr(file, "\"checksum\"");
    assert_true(sum && length < (int)sizeof file);
    unsigned long crc = 0xffffffff;
    for (const char *c = file; c < sum; c++) {
        crc ^= (unsigned char)*c;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    sprintf(sum, "\"checksum\": \"crc32:%08lx\"\n}\n", crc ^ 0xffffffff);
    sotto_status status = parse(file, &back);
    mem_free(text);
    sotto_model_free(m);
    sotto_model_free(back);
    return status;
}

#define MOVED(by) "\"leverage\"}, \"moved\": " by

static void test_refused(void **state)
{
    (void)state;
    assert_int_equal(changed("0.5, 0, 0.1", "0.25, 0, 0.1"), SOTTO_OK);
    assert_int_equal(changed("\"leverage\"}", MOVED("{\"1\": 2}")), SOTTO_OK);
    static const char *const bad[][2] = {
        {"0.5, 0, 0.1", "0.5, 0.2, 0.1"}, /* an error where there is none */
        {"0.5, 0, 0.1", "0.5, 0, 0"},     /* neither an error nor a reason */
        {"0.5, 0, 0.1", "-0.5, 0, 0.1"},
        {"0.5, 0, 0.1", "0.5, 0"},
        {"0.5, 0, 0.1", "0.5, null, 0.1"},
        {"\"intercept\": 0,", "\"intercept\": 1,"},
        {"\"intercept\": 0,", ""},
        {"\"intercept\": 0,", "\"intercept\": 0, \"more\": 0,"},
        {"\"hidden\"", "\"unknown\""},
        {"\"hidden\"", "1"},
        {"\"2\": \"hidden\"", "\"4\": \"hidden\", \"2\": \"hidden\""},
        {"\"2\": \"hidden\"", "\"02\": \"hidden\""},
        {"\"refused\": {\"2\": \"hidden\", \"intercept\": \"leverage\"}",
         "\"refused\": \"hidden\""},
        {"{\"errors\": [0.5, 0, 0.1], \"intercept\": 0, \"refused\": {\"2\": "
         "\"hidden\", \"intercept\": \"leverage\"}}",
         "{\"refused\": \"unknown\"}"},
        {"{\"errors\": [0.5, 0, 0.1], \"intercept\": 0, \"refused\": {\"2\": "
         "\"hidden\", \"intercept\": \"leverage\"}}",
         "{}"},
        {"\"leverage\"}", MOVED("{}")},
        {"\"leverage\"}", MOVED("{\"2\": 1}")}, /* it has no interval */
        {"\"leverage\"}", MOVED("{\"intercept\": 1}")},
        {"\"leverage\"}", MOVED("{\"1\": 0}")},
        {"\"leverage\"}", MOVED("{\"1\": \"2\"}")},
        {"\"leverage\"}", MOVED("{\"1\": 2, \"4\": 1}")},
        {"\"leverage\"}", MOVED("[2, 0, 0]")},
        {"\"leverage\"}", MOVED("2")},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (changed(bad[i][0], bad[i][1]) == SOTTO_OK)
            fail_msg("%s was taken", bad[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_one_reason_for_all),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
