/*
 * Remarks are warnings that a model gives about itself. They depend on the
 * model file only, and appear where its numbers break the remark's rule.
 */
#include "reading.h"

#include "model.h"
#include "solver/newton.h"

/* A model whose statement has one question, with p weights of 1. */
static sotto_model *model_with(int64_t p, const char *question, double noise)
{
    char statement[300];
    sotto_model *m = model_new(p);
    assert_non_null(m);
    snprintf(statement, sizeof statement,
             "{\"epsilon\": 1, \"delta\": 1e-06, \"adjacency\": "
             "\"add-remove\", \"rows_per_person\": 1, \"questions\": "
             "[{\"question\": \"%s\", \"times\": 3}]}",
             question);
    m->statement = mem_text(statement);
    m->schema = mem_text("{}");
    m->epsilon = 1;
    m->delta = 1e-6;
    m->rows = 1e5;
    m->noise = noise > 0 ? mem_zeroed((size_t)p, sizeof *m->noise) : NULL;
    for (int64_t j = 0; j < p; j++) {
        m->weight[j] = 1;
        if (m->noise)
            m->noise[j] = noise;
    }
    return m;
}

/* The only remark of a model, which it frees; "" for none. */
static const char *said(sotto_model *m)
{
    static sotto_error remark, second;
    int any = sotto_model_remark(m, 0, &remark);
    assert_false(sotto_model_remark(m, any, &second) && any);
    sotto_model_free(m);
    return any ? remark.message : "";
}

static void has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text);
}

static void test_stands_out(void **state)
{
    (void)state;
    /* of 10 weights sqrt(2 ln 20) + 3 = 5.4 */
    has(said(model_with(10, "whitened gradient", 1 / 5.3)), "stands out");
    has(said(model_with(10, "partial", 1.)),
        "about 5.5 times the rows, or the epsilon");
    assert_string_equal(said(model_with(10, "partial", 1 / 5.6)), "");
    /* one is enough */
    sotto_model *m = model_with(10, "partial", 1);
    m->noise[3] = .1;
    assert_string_equal(said(m), "");
    /* where steps add up, the noise of the last step alone says nothing */
    assert_string_equal(said(model_with(10, "gradient", 1)), "");
    assert_string_equal(said(model_with(10, "dual", 1)), "");
    /* nor where it is not known */
    assert_string_equal(said(model_with(10, "perturbed minimiser", 0)), "");
}

static void test_nothing(void **state)
{
    (void)state;
    sotto_model *m = model_with(2, "gradient", 0);
    m->weight[0] = m->weight[1] = 0;
    has(said(m), "every weight is 0; expected more rows");
    m = model_with(2, "gradient", 0);
    m->weight[0] = m->weight[1] = 0;
    m->l1 = .1;
    has(said(m), "every weight is 0; expected a smaller --l1");
    m = model_with(2, "gradient", 0);
    m->weight[0] = m->weight[1] = 0;
    m->rows = 0;
    has(said(m), "every weight is 0; expected more rows");
    /* a model without a promise has nothing to say about noise */
    m = model_with(2, "gradient", 0);
    m->weight[0] = m->weight[1] = 0;
    mem_free(m->statement);
    m->statement = NULL;
    assert_string_equal(said(m), "");
}

/* mu of (1, 1e-6) is .2367: the strength, 2 x .2367 rows, is 60 at 126.7 of
   them, by the rule that `auto` goes by. */
static void test_strength(void **state)
{
    (void)state;
    for (double rows = 126; rows < 128; rows++) {
        const char *why;
        newton_facts f = {.rows = rows,
                          .mu = .236704,
                          .loss = {LOSS_LOGISTIC, 0},
                          .features = 2,
                          .intercept = 1,
                          .rows_per_person = 1};
        sotto_model *m = model_with(2, "gradient", 1);
        m->rows = rows;
        int weak = *said(m) != 0;
        assert_int_equal(weak, rows < 126.7);
        assert_int_equal(auto_path_choose(&f, 0, &why) == PATH_INTERCEPT, weak);
    }
    sotto_model *m = model_with(2, "gradient", 1);
    m->rows = 63.4;
    const char *text = said(m);
    has(text, "(strength is 30, and 60 is needed)");
    has(text, "about 130 rows, or an epsilon of 2.2");
    m = model_with(2, "gradient", 1);
    m->rows = 0; /* not known: nothing can be said */
    assert_string_equal(said(m), "");
}

/* 35 ln(p + 2) = 87 for 10 features. */
static void test_choices(void **state)
{
    (void)state;
    sotto_model *m = model_with(10, "vertex", 0);
    m->rows = 43.5;
    const char *text = said(m);
    has(text, "rows x epsilon / (35 ln p) is 0.5");
    has(text, "about 87 rows, or an epsilon of 2");
    m = model_with(10, "vertex", 0);
    m->rows = 88;
    assert_string_equal(said(m), "");
}

static void test_delta(void **state)
{
    (void)state;
    sotto_model *m = model_with(2, "partial", 1e-9);
    m->rows = 1.1e6;
    has(said(m), "delta 1e-06 is above 1 / rows (about 1100000)");
    m = model_with(2, "partial", 1e-9);
    m->rows = .9e6;
    assert_string_equal(said(m), "");
    m = model_with(2, "partial", 1e-9);
    m->rows = 0;
    m->delta = .9;
    assert_string_equal(said(m), "");
}

/* Several are counted from 0 on, and read back from the file the same. */
static void test_several(void **state)
{
    (void)state;
    text_buffer t = {0};
    sotto_error a, b, error;
    sotto_model *m = model_with(3, "partial", 1), *back = NULL;
    m->rows = 2e6;
    assert_int_equal(model_text(m, &t, &error), SOTTO_OK);
    if (model_parse(&back, "m.json", t.data, t.length, &error))
        fail_msg("%s", error.message);
    assert_true(back->rows == m->rows);
    for (int64_t i = 0; i < 2; i++) {
        assert_true(sotto_model_remark(m, i, &a));
        assert_true(sotto_model_remark(back, i, &b));
        assert_string_equal(a.message, b.message);
        has(a.message, i ? "delta" : "stands out");
    }
    assert_false(sotto_model_remark(m, 2, &a));
    text_free(&t);
    sotto_model_free(m);
    sotto_model_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands_out), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_strength),   cmocka_unit_test(test_choices),
        cmocka_unit_test(test_delta),      cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
