/*
 * The model file: it reads back as the same bits, and nothing that was cut,
 * changed or made up is taken for a model.
 */
#include "reading.h"

#include "exact.h"
#include "json.h"
#include "model.h"

#include <locale.h>

static const char patients[] =
    "id,age,ward,t\na,10,x,no\nb,60,y,yes\nc,40,x,yes\nd,35,y,no\n"
    "e,90,y,yes\nf,25,x,no\ng,50,x,no\nh,20,y,yes\n";
static const char patients_schema[] =
    "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], \"columns\": {"
    "\"id\": {\"type\": \"unit\"}, \"age\": {\"type\": \"number\", "
    "\"bounds\": [0, 120.1], \"missing\": 40.7}, \"ward\": {\"type\": "
    "\"category\", \"levels\": [\"x\", \"y\"], \"missing\": \"none\"}, "
    "\"t\": {\"type\": \"target\", \"classes\": [\"no\", \"yes\"]}}}";

static char schema_path[] = "/tmp/sotto-model-XXXXXX";

static sotto_model *fit_text(const char *name, const char *text,
                             const setting *settings)
{
    sotto_options *o = options_with(settings);
    sotto_table *t = NULL;
    sotto_model *m = NULL;
    sotto_error error;
    if (table_read_memory(&t, name, text, strlen(text), o, &error) ||
        sotto_fit(&m, &t, o, NULL, &error))
        fail_msg("%s", error.message);
    assert_null(t);
    sotto_options_free(o);
    return m;
}

static sotto_model *fit_patients(void)
{
    return fit_text("p.csv", patients,
                    SETTINGS({"schema", schema_path}, {"loss", "logistic"},
                             {"epsilon", "inf"}, {"l2", "0.01"}));
}

static text_buffer text_of(const sotto_model *m)
{
    text_buffer t = {0};
    sotto_error error;
    assert_int_equal(model_text(m, &t, &error), SOTTO_OK);
    return t;
}

static sotto_model *parse(const char *bytes, size_t size)
{
    sotto_model *m = NULL;
    sotto_error error;
    if (model_parse(&m, "m.json", bytes, size, &error))
        fail_msg("%s", error.message);
    return m;
}

static void refuse_bytes(const char *bytes, size_t size, const char *words)
{
    sotto_model *m;
    sotto_error error;
    assert_int_equal(model_parse(&m, "m.json", bytes, size, &error),
                     SOTTO_USAGE);
    assert_null(m);
    assert_non_null(strstr(error.message, "m.json"));
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

/* ---- the same bits ---- */

static void same_model(const sotto_model *a, const sotto_model *b)
{
    assert_int_equal(a->features, b->features);
    assert_memory_equal(a->weight, b->weight,
                        (size_t)a->features * sizeof *a->weight);
    assert_memory_equal(&a->intercept, &b->intercept, sizeof a->intercept);
    assert_memory_equal(&a->l1, &b->l1, sizeof a->l1);
    assert_memory_equal(&a->l2, &b->l2, sizeof a->l2);
    assert_memory_equal(&a->low, &b->low, sizeof a->low);
    assert_memory_equal(&a->high, &b->high, sizeof a->high);
    assert_memory_equal(&a->loss.delta, &b->loss.delta, sizeof(double));
    assert_int_equal(a->loss.kind, b->loss.kind);
    assert_string_equal(a->schema, b->schema);
    assert_int_equal(!a->name, !b->name);
    for (int64_t j = 0; a->name && j < a->features; j++)
        assert_string_equal(a->name[j], b->name[j]);
}

/* Writes, reads, compares all bits, and writes again: the same bytes. */
static void round_trip(const sotto_model *m)
{
    text_buffer first = text_of(m);
    sotto_model *back = parse(first.data, first.length);
    text_buffer second = text_of(back);
    same_model(m, back);
    assert_string_equal(first.data, second.data);
    text_free(&first);
    text_free(&second);
    sotto_model_free(back);
}

static double any_double(uint64_t *state)
{
    double x;
    uint64_t bits;
    do {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        bits = *state ^ (*state >> 29);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static void test_round_trip(void **state)
{
    (void)state;
    sotto_model *m = fit_patients();
    round_trip(m);
    sotto_model_free(m);
}

static void test_every_kind_of_double(void **state)
{
    (void)state;
    static const double special[] = {0.0,       -0.0,
                                     1,         -1,
                                     0x1p-1074, 0x1p1023,
                                     0x1p53,    9007199254740993.,
                                     0.1,       1e22,
                                     1e23,      5e-324,
                                     1e15,      123456789012345678.};
    int64_t count = (int64_t)(sizeof special / sizeof *special);
    uint64_t seed = 7;
    sotto_model *m = model_new(20000);
    json_t *schema = json_pack("{s:i, s:{}}", "sotto_schema", 1, "columns");
    m->schema = model_form(schema);
    json_decref(schema);
    for (int64_t j = 0; j < m->features; j++)
        m->weight[j] = j < count ? special[j] : any_double(&seed);
    m->intercept = any_double(&seed);
    m->l1 = 0x1p-1074;
    m->l2 = 0.1;
    m->low = -0.3;
    m->loss = (loss){LOSS_HUBER, 1.35};
    round_trip(m);
    for (int64_t j = count; j < m->features; j++)
        m->weight[j] = j % 100 ? 0 : m->weight[j];
    round_trip(m); /* the sparse form */
    sotto_model_free(m);
}

/* A program with another decimal point writes and reads the same file. */
static void test_locale(void **state)
{
    (void)state;
    sotto_model *m = fit_patients();
    text_buffer plain = text_of(m);
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") &&
        !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        print_message("no locale with a decimal comma here: not tried\n");
    text_buffer other = text_of(m);
    round_trip(m);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(plain.data, other.data);
    text_free(&plain);
    text_free(&other);
    sotto_model_free(m);
}

/* ---- what is refused ---- */

static void test_cut(void **state)
{
    (void)state;
    sotto_model *m = fit_patients();
    text_buffer t = text_of(m);
    for (size_t size = 0; size < t.length; size++) {
        /* without its last newline the JSON is complete, but the file is not */
        const char *words = size + 1 < t.length ? "cut short" : "checksum";
        refuse_bytes(t.data, size, words);
    }
    text_free(&t);
    sotto_model_free(m);
}

/* No byte can be changed without being noticed, whatever it becomes. */
static void test_edited(void **state)
{
    (void)state;
    sotto_model *m = fit_patients();
    text_buffer t = text_of(m);
    for (size_t i = 0; i < t.length; i++)
        for (int bit = 0; bit < 8; bit++) {
            sotto_model *other;
            sotto_error error;
            t.data[i] = (char)(t.data[i] ^ 1 << bit);
            assert_int_equal(
                model_parse(&other, "m.json", t.data, t.length, &error),
                SOTTO_USAGE);
            t.data[i] = (char)(t.data[i] ^ 1 << bit);
        }
    char *digit = strstr(t.data, "\"intercept\": ") + 14;
    *digit = *digit == '5' ? '6' : '5';
    refuse_bytes(t.data, t.length, "changed after it was written");
    text_free(&t);
    sotto_model_free(m);
}

/* A text with a checksum that fits: what remains is the content. */
static void refuse_content(const char *content, const char *words)
{
    text_buffer t = {0};
    text_put(&t, content);
    unsigned long sum = 0xffffffff; /* CRC-32 by its definition */
    for (size_t i = 0; i < t.length; i++) {
        sum ^= (unsigned char)t.data[i];
        for (int k = 0; k < 8; k++)
            sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
    }
    text_format(&t, "\"checksum\": \"crc32:%08lx\"\n}\n", sum ^ 0xffffffff);
    if (words)
        refuse_bytes(t.data, t.length, words);
    else
        sotto_model_free(parse(t.data, t.length));
    text_free(&t);
}

#define LINE(key, value) "  \"" key "\": " value ",\n"
#define START "{\n" LINE("sotto_model", "1")
#define PENALTY(more)                                                          \
    LINE("loss", "\"squared\"")                                                \
    LINE("penalty", "{\"l1\": 0, \"l2\": 0, \"box\": null" more "}")           \
    LINE("classes", "null")
#define USUAL PENALTY("")
#define FEATURES LINE("features", "[\"a\"]")
#define WEIGHTS LINE("weights", "[1.5]")
#define REST                                                                   \
    LINE("intercept", "0")                                                     \
    LINE("schema", "{\"sotto_schema\": 1, \"columns\": {}}")
#define PUBLIC LINE("not_private", "true") LINE("privacy", "null") "  "

static void test_content(void **state)
{
    (void)state;
    const char *bad = "not as it must be";
    refuse_content(START USUAL FEATURES WEIGHTS REST PUBLIC, NULL);
    refuse_content(
        START PENALTY(", \"radius\": 2.5") FEATURES WEIGHTS REST PUBLIC, NULL);
    refuse_content(
        START PENALTY(", \"radius\": 0") FEATURES WEIGHTS REST PUBLIC, bad);
    refuse_content(
        START PENALTY(", \"radius\": null") FEATURES WEIGHTS REST PUBLIC, bad);
    refuse_content(START PENALTY(", \"more\": 1") FEATURES WEIGHTS REST PUBLIC,
                   bad);
    refuse_content("{\n" LINE("sotto_model", "2") PUBLIC, "version 2");
    refuse_content("{\n" LINE("sotto_model", "2") PUBLIC, "version 1");
    refuse_content("{\n" PUBLIC, "not a model");
    refuse_content(START USUAL FEATURES REST PUBLIC, bad);
    refuse_content(START USUAL FEATURES LINE("weights", "[1, 2]") REST PUBLIC,
                   bad);
    refuse_content(START USUAL FEATURES LINE("weights", "[\"1\"]") REST PUBLIC,
                   bad);
    refuse_content(START USUAL LINE("features", "[]") LINE("weights", "[]")
                       REST PUBLIC,
                   bad);
    refuse_content(START USUAL LINE("features", "-1") WEIGHTS REST PUBLIC, bad);
    refuse_content(START USUAL LINE("features", "2")
                       LINE("weights", "{\"3\": 1}") REST PUBLIC,
                   bad);
    refuse_content(START USUAL FEATURES WEIGHTS REST LINE("more", "1") PUBLIC,
                   bad);
    refuse_content(START USUAL FEATURES WEIGHTS PUBLIC, bad);
}

/* A model has a statement or says that it is not private: a line that is left
   out, or added, is noticed. */
static void test_not_private(void **state)
{
    (void)state;
    const char *bad = "and not both";
    refuse_content(START USUAL FEATURES WEIGHTS REST LINE("privacy", "null"),
                   bad);
    refuse_content(
        START USUAL FEATURES WEIGHTS REST LINE("not_private", "true"), bad);
    refuse_content(START USUAL FEATURES WEIGHTS REST LINE(
                       "not_private", "false") LINE("privacy", "null"),
                   bad);
    refuse_content(START USUAL FEATURES WEIGHTS REST LINE("not_private", "true")
                       LINE("privacy", "{\"epsilon\": 1, \"delta\": 0.1}"),
                   bad);
    refuse_content(
        START USUAL FEATURES WEIGHTS REST LINE("privacy", "{\"epsilon\": 1}"),
        bad);
    refuse_content(START USUAL FEATURES WEIGHTS REST LINE(
                       "privacy", "{\"epsilon\": 1, \"delta\": 0.1}"),
                   NULL);
    sotto_model *m = fit_patients();
    text_buffer t = text_of(m);
    assert_null(sotto_model_statement(m));
    assert_non_null(strstr(t.data, "\n  \"not_private\": true,\n"));
    assert_non_null(strstr(t.data, "\n  \"privacy\": null,\n"));
    text_free(&t);
    sotto_model_free(m);
}

static void test_not_finite(void **state)
{
    (void)state;
    sotto_model *m = model_new(1);
    text_buffer t = {0};
    sotto_error error;
    m->weight[0] = INFINITY;
    assert_int_equal(model_text(m, &t, &error), SOTTO_FAILED);
    assert_non_null(strstr(error.message, "weight of \"1\""));
    text_free(&t);
    sotto_model_free(m);
}

/* ---- fit ---- */

/* Raw weights give the solver's margins: the maps are undone. */
static void test_raw_units(void **state)
{
    (void)state;
    sotto_options *o =
        options_with(SETTINGS({"schema", schema_path}, {"loss", "logistic"},
                              {"epsilon", "inf"}, {"l2", "0.01"}));
    sotto_table *t, *again;
    sotto_model *m;
    sotto_error error;
    exact_solution x;
    double score[8];
    size_t size = strlen(patients);
    assert_int_equal(table_read_memory(&t, "p.csv", patients, size, o, &error),
                     SOTTO_OK);
    assert_int_equal(
        table_read_memory(&again, "p.csv", patients, size, o, &error),
        SOTTO_OK);
    exact_problem p = {.table = again,
                       .loss = {LOSS_LOGISTIC, 0},
                       .l2 = .01,
                       .low = -INFINITY,
                       .high = INFINITY,
                       .intercept = 1,
                       .tolerance = 1e-10};
    assert_int_equal(exact_solve(&x, &p, &error), SOTTO_OK);
    assert_int_equal(sotto_fit(&m, &t, o, NULL, &error), SOTTO_OK);
    assert_int_equal(sotto_predict(score, m, again, SOTTO_ANSWER_SCORE, &error),
                     SOTTO_OK);
    for (int64_t i = 0; i < 8; i++) {
        double margin = x.intercept;
        for (int64_t j = 0; j < again->features; j++)
            margin +=
                x.weight[j] * ((const double *)again->x)[j * again->stride + i];
        assert_true(fabs(score[i] - margin) < 1e-12);
    }
    exact_solution_free(&x);
    sotto_table_free(again);
    sotto_model_free(m);
    sotto_options_free(o);
}

static int stop_at_once(void *context, const sotto_progress *at)
{
    assert_true(at->share >= 0 && at->share <= 1);
    ++*(int *)context;
    return 1;
}

static void test_stopped(void **state)
{
    (void)state;
    int looks = 0;
    sotto_progress_callback callback = {.call = stop_at_once,
                                        .context = &looks};
    sotto_options *o = options_with(
        SETTINGS({"target", "t"}, {"drop", "id,ward"}, {"loss", "logistic"},
                 {"classes", "no,yes"}, {"epsilon", "inf"}));
    sotto_table *t = NULL;
    sotto_model *m = NULL;
    sotto_error error;
    assert_int_equal(
        table_read_memory(&t, "p.csv", patients, strlen(patients), o, &error),
        SOTTO_OK);
    assert_int_equal(sotto_fit(&m, &t, o, &callback, &error),
                     SOTTO_INTERRUPTED);
    assert_int_equal(looks, 1);
    assert_null(m);
    assert_null(t);
    sotto_options_free(o);
}

/* Tables that were read for something else are refused, not misread. */
static void refuse_fit(const setting *reading_as, const setting *fitting_as,
                       const char *words)
{
    sotto_options *a = options_with(reading_as), *b = options_with(fitting_as);
    sotto_table *t = NULL;
    sotto_model *m = NULL;
    sotto_error error;
    const char *text = "x,t\n1,0\n2,1\n3,1\n";
    assert_int_equal(
        table_read_memory(&t, "p.csv", text, strlen(text), a, &error),
        SOTTO_OK);
    assert_int_not_equal(sotto_fit(&m, &t, b, NULL, &error), SOTTO_OK);
    assert_null(m);
    assert_null(t);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in: %s", words, error.message);
    sotto_options_free(a);
    sotto_options_free(b);
}

static void test_other_tables(void **state)
{
    (void)state;
    const setting *exact = SETTINGS({"target", "t"}, {"epsilon", "inf"});
    const setting *classes =
        SETTINGS({"target", "t"}, {"epsilon", "inf"}, {"loss", "logistic"});
    refuse_fit(SETTINGS({"target", "t"}), exact, "read for it");
    refuse_fit(exact, classes, "another loss");
    refuse_fit(classes, exact, "another loss");
    refuse_fit(SETTINGS({"epsilon", "inf"}), exact, "--target");
    refuse_fit(exact, SETTINGS({"target", "t"}), "--epsilon");
    refuse_fit(exact, SETTINGS({"epsilon", "1"}), "--delta");
    refuse_fit(exact,
               SETTINGS({"epsilon", "1"}, {"delta", "0.1"}, {"solver", "cd"}),
               "not read for private training");
    refuse_fit(exact, SETTINGS({"epsilon", "1"}, {"solver", "exact"}),
               "not private");
}

/* Predictions for a table with other features are refused. */
static void test_other_features(void **state)
{
    (void)state;
    double out[8];
    sotto_error error;
    sotto_model *m = fit_patients();
    sotto_table *t = read_text("q.csv", "x,y\n1,2\n", NO_SETTINGS);
    assert_int_equal(sotto_predict(out, m, t, SOTTO_ANSWER_SCORE, &error),
                     SOTTO_DATA);
    sotto_table_free(t);
    sotto_model_free(m);
}

/* Float tables with labels folded in give the same answers, but for their
   rounding: what private training will hold. */
static void test_folded(void **state)
{
    (void)state;
    double wide[8], narrow[8];
    sotto_error error;
    sotto_model *m = fit_patients();
    sotto_table *t =
        read_text("p.csv", patients,
                  SETTINGS({"schema", schema_path}, {"loss", "logistic"}));
    sotto_table *d =
        read_text("p.csv", patients,
                  SETTINGS({"schema", schema_path}, {"loss", "logistic"},
                           {"precision", "double"}));
    assert_true(t->folded && !d->folded);
    assert_int_equal(sotto_predict(narrow, m, t, SOTTO_ANSWER_SCORE, &error),
                     SOTTO_OK);
    assert_int_equal(sotto_predict(wide, m, d, SOTTO_ANSWER_SCORE, &error),
                     SOTTO_OK);
    for (int i = 0; i < 8; i++)
        assert_true(fabs(wide[i] - narrow[i]) < 1e-5);
    sotto_table_free(t);
    sotto_table_free(d);
    sotto_model_free(m);
}

static int make_schema(void **state)
{
    (void)state;
    int file = mkstemp(schema_path);
    size_t size = strlen(patients_schema);
    int fine = file >= 0 && write(file, patients_schema, size) == (ssize_t)size;
    return fine ? close(file) : -1;
}

static int remove_schema(void **state)
{
    (void)state;
    return unlink(schema_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_kind_of_double),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_edited),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_not_private),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_raw_units),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_other_tables),
        cmocka_unit_test(test_other_features),
        cmocka_unit_test(test_folded),
    };
    return cmocka_run_group_tests(tests, make_schema, remove_schema);
}
