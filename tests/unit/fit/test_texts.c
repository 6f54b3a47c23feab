/*
 * Texts in the place of files: an option's content, a model, events and keys
 * from memory do what the same bytes in a file do, bit for bit, and are
 * refused in the same words.
 */
#include "reading.h"

#include "model.h"

#include <sotto_federate.h>

static const char schema_text[] =
    "{\"sotto_schema\": 1, \"columns\": {\n"
    " \"a\": {\"type\": \"number\", \"bounds\": [-2, 3]},\n"
    " \"b\": {\"type\": \"number\", \"bounds\": [0, 1]},\n"
    " \"c\": {\"type\": \"category\", \"levels\": [\"x\", \"y\"]},\n"
    " \"t\": {\"type\": \"number\", \"bounds\": [-5, 5]}}}\n";

static const char records[] = "a,b,c,t\n1,0.5,x,2\n-1,0.25,y,-1\n2.5,1,x,4\n"
                              "0,0,y,0.5\n-2,0.75,x,-3\n";

/* With each of the two, the file and the content, beside the rest. */
static sotto_options *options_of(const setting *rest, const char *name,
                                 const char *file, const char *content)
{
    sotto_error error;
    sotto_options *o = options_with(rest);
    sotto_status status =
        file ? sotto_options_set(o, name, file, &error)
             : sotto_options_set_content(o, name, content, &error);
    if (status != SOTTO_OK)
        fail_msg("%s", error.message);
    return o;
}

static char *fit_text(const sotto_options *o)
{
    sotto_table *t;
    sotto_model *m = NULL;
    sotto_error error;
    char *text = NULL;
    if (table_read_memory(&t, "d.csv", records, strlen(records), o, &error) ||
        sotto_fit(&m, &t, o, NULL, &error) ||
        sotto_model_text(&text, m, &error))
        fail_msg("%s", error.message);
    sotto_model_free(m);
    return text;
}

/* The same model, whether the option names a file or has its text. */
static void same_model(const setting *rest, const char *name, const char *text)
{
    char *path = write_temporary(text);
    sotto_options *by_file = options_of(rest, name, path, NULL);
    sotto_options *by_text = options_of(rest, name, NULL, text);
    char *first = fit_text(by_file);
    unlink(path); /* nothing is read any more */
    char *second = fit_text(by_text);
    assert_string_equal(second, first);
    sotto_text_free(first);
    sotto_text_free(second);
    sotto_options_free(by_file);
    sotto_options_free(by_text);
}

#define BUDGET                                                                 \
    {"target", "t"}, {"epsilon", "1"}, {"delta", "1e-6"}, {"rows", "5"},       \
    {                                                                          \
        "insecure-seed", "7"                                                   \
    }
#define BLOCKS                                                                 \
    BUDGET, {"solver", "bcfw"}, {"steps", "5"},                                \
    {                                                                          \
        "drop", "c"                                                            \
    }

static void test_schema(void **state)
{
    (void)state;
    same_model(SETTINGS(BUDGET), "schema", schema_text);
    same_model(SETTINGS({"target", "t"}, {"epsilon", "inf"}), "schema",
               schema_text);
}

static void test_blocks(void **state)
{
    (void)state;
    same_model(SETTINGS(BLOCKS, {"intercept", "no"}, {"sampling", "all"}),
               "blocks", "ball 2 1\nbox -1,1 2\n");
    same_model(
        SETTINGS(BLOCKS, {"blocks", "2"}, {"box", "-1,1"}, {"intercept", "no"}),
        "sampling", "0.5 1\n0.5 1-2\n");
}

static void plan_text(char **text, sotto_options *o)
{
    sotto_error error;
    assert_int_equal(sotto_fit_plan(text, o, &error), SOTTO_OK);
    sotto_options_free(o);
}

/* The statement says whether the constants came from a file. */
static void test_smoothness(void **state)
{
    (void)state;
    static const char numbers[] = "4, 1.5\n2\n";
    const setting *rest =
        SETTINGS({"target", "t"}, {"epsilon", "1"}, {"delta", "1e-6"},
                 {"rows", "5"}, {"features", "2"}, {"solver", "cd"});
    same_model(SETTINGS(BUDGET, {"solver", "cd"}, {"drop", "c"}), "smoothness",
               numbers);
    char *first, *second, *path = write_temporary(numbers);
    plan_text(&first, options_of(rest, "smoothness", path, NULL));
    plan_text(&second, options_of(rest, "smoothness", NULL, numbers));
    unlink(path);
    char *file = strstr(first, "a file, declared by");
    char *list = strstr(second, "a list, declared by");
    assert_non_null(file);
    assert_non_null(list);
    memcpy(file, list, strlen("a list"));
    assert_string_equal(first, second);
    sotto_text_free(first);
    sotto_text_free(second);
}

static const char parties[] =
    "{\"sotto_parties\": 1, \"target\": {\"name\": \"t\", "
    "\"bounds\": [-5, 5], \"party\": \"n\"}, \"rounds\": 5, "
    "\"buckets\": 4, \"parties\": [{\"name\": \"n\", \"radius\": 1, "
    "\"cap\": 2, \"columns\": {\"a\": {\"type\": \"number\", \"bounds\": "
    "[-2, 3]}}}, {\"name\": \"s\", \"radius\": 1, \"cap\": 2, "
    "\"constant\": 1, \"columns\": {\"b\": {\"type\": \"number\", "
    "\"bounds\": [0, 1]}}}]}";

/* What the parties of a federation agree upon. */
static void test_columns(void **state)
{
    (void)state;
    const setting *rest = SETTINGS({"epsilon", "inf"}, {"format", "csv"});
    char path[2][32], *text[2];
    strcpy(path[0], write_temporary("a,b,t\n1,0.5,2\n-1,0.25,-1\n2,1,4\n"));
    strcpy(path[1], write_temporary(parties));
    for (int k = 0; k < 2; k++) {
        sotto_simulation *s;
        sotto_model *m = NULL;
        sotto_error error;
        sotto_options *o =
            options_of(rest, "columns", k ? NULL : path[1], parties);
        if (sotto_simulation_open(&s, path[0], o, &error) ||
            sotto_simulation_run(s, &m, NULL, &error) ||
            sotto_model_text(&text[k], m, &error))
            fail_msg("%s", error.message);
        unlink(path[1]);
        sotto_model_free(m);
        sotto_simulation_free(s);
        sotto_options_free(o);
    }
    assert_string_equal(text[0], text[1]);
    sotto_text_free(text[0]);
    sotto_text_free(text[1]);
    unlink(path[0]);
}

/* The words are those of a file, with the option's name in its place. */
static void refuse_content(const char *name, const char *content,
                           const setting *rest, const char *words)
{
    sotto_table *t = NULL;
    sotto_model *m = NULL;
    sotto_error error;
    sotto_options *o = options_of(rest, name, NULL, content);
    sotto_status status =
        table_read_memory(&t, "d.csv", records, strlen(records), o, &error);
    if (status == SOTTO_OK)
        status = sotto_fit(&m, &t, o, NULL, &error);
    assert_int_equal(status, SOTTO_USAGE);
    if (strncmp(error.message, words, strlen(words)))
        fail_msg("\"%s\" does not begin: %s", words, error.message);
    sotto_table_free(t);
    sotto_options_free(o);
}

static void test_messages(void **state)
{
    (void)state;
    const setting *plain = SETTINGS(BUDGET);
    refuse_content("schema", "", plain, "schema: line 1, column 0: expected");
    refuse_content("schema", "{\n[", plain, "schema: line 2, column 1: exp");
    refuse_content("schema", "data/schema.json", plain, "schema: line 1");
    refuse_content("smoothness", "1 2 3 4",
                   SETTINGS(BUDGET, {"solver", "cd"}, {"drop", "c"}),
                   "smoothness: expected 2 numbers above 0");
    refuse_content("smoothness", "bounds", /* no word, a content */
                   SETTINGS(BUDGET, {"solver", "cd"}, {"drop", "c"}),
                   "smoothness: expected 2 numbers above 0");
    refuse_content("blocks", "2", SETTINGS(BLOCKS, {"intercept", "no"}),
                   "blocks: line 1: expected");
    refuse_content(
        "sampling", "serial",
        SETTINGS(BLOCKS, {"blocks", "2"}, {"box", "-1,1"}, {"intercept", "no"}),
        "sampling: line 1: expected");
}

/* What is written, what is secret, what is not read: no content. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const other[] = {
        "output", "ledger",   "sign",   "key",      "keys", "state",
        "save",   "data",     "events", "loss",     "rows", "dataset",
        "drop",   "declared", "format", "calibrate"};
    sotto_error error;
    sotto_options *o = options_with(NO_SETTINGS);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        assert_int_equal(sotto_options_set_content(o, other[i], "x", &error),
                         SOTTO_USAGE);
        assert_non_null(strstr(error.message, other[i]));
        assert_false(option_given(
            o, (option_id)(sotto_option_named(other[i]) - sotto_option_at(0))));
    }
    assert_int_equal(sotto_options_set_content(o, "shcema", "x", &error),
                     SOTTO_USAGE);
    assert_non_null(strstr(error.message, "there is no option --shcema"));
    sotto_options_free(o);
}

/* The last that was set counts, and a copy has all of it. */
static void test_set_again(void **state)
{
    (void)state;
    sotto_error error;
    sotto_options *o = options_with(SETTINGS({"schema", "file"}));
    sotto_options *copy = options_with(SETTINGS({"schema", "other"}));
    assert_null(option_content(o, OPTION_SCHEMA));
    assert_int_equal(sotto_options_set_content(o, "schema", "{1}", &error), 0);
    assert_string_equal(option_content(o, OPTION_SCHEMA), "{1}");
    assert_string_equal(option_text(o, OPTION_SCHEMA), "schema");
    assert_string_equal(sotto_options_get(o, "schema"), "{1}");
    assert_int_equal(option_copy(copy, o, OPTION_SCHEMA, &error), SOTTO_OK);
    assert_int_equal(sotto_options_set_content(o, "schema", "{2}", &error), 0);
    assert_string_equal(option_content(o, OPTION_SCHEMA), "{2}");
    assert_int_equal(sotto_options_set(o, "schema", "back", &error), 0);
    assert_null(option_content(o, OPTION_SCHEMA));
    assert_string_equal(sotto_options_get(o, "schema"), "back");
    assert_string_equal(option_content(copy, OPTION_SCHEMA), "{1}");
    assert_string_equal(option_text(copy, OPTION_SCHEMA), "schema");
    assert_int_equal(option_copy(copy, o, OPTION_SCHEMA, &error), SOTTO_OK);
    assert_null(option_content(copy, OPTION_SCHEMA));
    sotto_options_free(o);
    sotto_options_free(copy);
}

/* ---- models ---- */

static char *read_whole(const char *path)
{
    char *text = NULL;
    size_t size;
    assert_int_equal(file_read(path, FILE_MOST, &text, &size, NULL), SOTTO_OK);
    return text;
}

static void test_model(void **state)
{
    (void)state;
    sotto_error error;
    sotto_options *o =
        options_of(SETTINGS(BUDGET), "schema", NULL, schema_text);
    char *text = fit_text(o), *again, *path = write_temporary("");
    sotto_model *m, *back;
    assert_int_equal(sotto_model_parse(&m, text, &error), SOTTO_OK);
    assert_int_equal(sotto_model_text(&again, m, &error), SOTTO_OK);
    assert_string_equal(again, text);
    assert_int_equal(sotto_model_write(m, path, &error), SOTTO_OK);
    char *file = read_whole(path);
    assert_string_equal(file, text);
    assert_int_equal(sotto_model_read(&back, path, &error), SOTTO_OK);
    unlink(path);

    double weight[4], noise[4];
    assert_int_equal(sotto_model_features(m), 4);
    sotto_model_weights(m, weight);
    sotto_model_noises(m, noise);
    for (int j = 0; j < 4; j++) {
        double w = sotto_model_weight(back, j), n = sotto_model_noise(back, j);
        assert_memory_equal(&w, &weight[j], sizeof w);
        assert_true(n == noise[j] || (isnan(n) && isnan(noise[j])));
    }
    again[strlen(again) / 2] ^= 1;
    sotto_model_free(back);
    assert_int_equal(sotto_model_parse(&back, again, &error), SOTTO_USAGE);
    assert_null(back);
    assert_int_equal(strncmp(error.message, "the model: ", 11), 0);
    assert_int_equal(sotto_model_parse(&back, "", &error), SOTTO_USAGE);
    mem_free(file);
    sotto_text_free(text);
    sotto_text_free(again);
    sotto_model_free(m);
    sotto_options_free(o);
}

/* Without noise there is none to tell. */
static void test_no_noise(void **state)
{
    (void)state;
    sotto_model *m = model_new(2);
    double noise[2] = {1, 1}, weight[2] = {1, 1};
    m->weight[1] = -0.0;
    sotto_model_noises(m, noise);
    sotto_model_weights(m, weight);
    assert_true(isnan(noise[0]) && isnan(noise[1]));
    assert_true(weight[0] == 0 && signbit(weight[1]));
    sotto_model_free(m);
}

/* ---- events ---- */

static void test_events(void **state)
{
    (void)state;
    sotto_error error;
    sotto_events *plan, *from_text, *from_file;
    char *text, *again;
    assert_int_equal(sotto_events_plan(&plan, "GAUSS(0.05)*1000+LAPLACE(0.1)",
                                       NULL, "add-remove", &error),
                     SOTTO_OK);
    assert_int_equal(sotto_events_json(&text, plan, &error), SOTTO_OK);
    assert_int_equal(sotto_events_parse(&from_text, text, &error), SOTTO_OK);
    char *path = write_temporary(text);
    assert_int_equal(sotto_events_read(&from_file, path, &error), SOTTO_OK);
    unlink(path);
    assert_int_equal(sotto_events_json(&again, from_text, &error), SOTTO_OK);
    assert_string_equal(again, text);
    sotto_text_free(again);
    assert_int_equal(sotto_events_json(&again, from_file, &error), SOTTO_OK);
    assert_string_equal(again, text);
    sotto_text_free(again);
    sotto_text_free(text);
    sotto_events_free(plan);
    sotto_events_free(from_text);
    sotto_events_free(from_file);
    assert_int_equal(sotto_events_parse(&plan, "{", &error), SOTTO_USAGE);
    assert_null(plan);
    assert_int_equal(strncmp(error.message, "events: ", 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),   cmocka_unit_test(test_schema),
        cmocka_unit_test(test_blocks),    cmocka_unit_test(test_smoothness),
        cmocka_unit_test(test_messages),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_set_again), cmocka_unit_test(test_model),
        cmocka_unit_test(test_no_noise),  cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
