/*
 * A run is booked before a row is looked at, and how it ends changes nothing
 * that is released later. Noise, clock and ids of the ledger are scripted at
 * link time (--wrap), so that two worlds whose records differ can be compared
 * byte by byte.
 */
#include "ledger/internal.h"
#include "reading.h"

#include "wrapped.h"

#include <sys/stat.h>
#include <sys/wait.h>

/* ---- scripted noise, time and ids ---- */

static int64_t questions;
static uint64_t ids;
static int64_t booked_at_first; /* charges when the first question was asked */

static char folder[] = "/tmp/sotto-booked-XXXXXX";
static char data_path[64], ledger_path[64], model_path[64];
static uint64_t lost_at; /* at that id the ledger is gone: moved to aside */
static char aside[64];

void __wrap_ledger_now(char time[LEDGER_TIME]);
void __wrap_ledger_now(char time[LEDGER_TIME])
{
    snprintf(time, LEDGER_TIME, "2027-01-15 08:00:00");
}

void __wrap_ledger_random(char id[LEDGER_ID]);
void __wrap_ledger_random(char id[LEDGER_ID])
{
    snprintf(id, LEDGER_ID, "%032llx", (unsigned long long)++ids);
    if (ids == lost_at) {
        assert_int_equal(rename(ledger_path, aside), 0);
        assert_int_equal(mkdir(ledger_path, 0700), 0);
    }
}

static int take_dataset(void *context, const sotto_dataset *d)
{
    *(sotto_dataset *)context = *d;
    return 0;
}

/* The last data set of the ledger; without its texts. */
static sotto_dataset dataset(void)
{
    sotto_ledger *ledger;
    sotto_error error;
    sotto_dataset out = {0};
    if (sotto_ledger_open(&ledger, ledger_path, &error) != SOTTO_OK)
        return out; /* not there yet */
    assert_int_equal(
        sotto_ledger_datasets(ledger, NULL, take_dataset, &out, &error),
        SOTTO_OK);
    sotto_ledger_close(ledger);
    return out;
}

sotto_status __wrap_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error)
{
    if (questions == 0)
        booked_at_first = dataset().charges;
    sotto_status status = __real_gate_release(c, q, out, noise, error);
    for (size_t i = 0; status == SOTTO_OK && i < q->answers; i++)
        out[i] = (int64_t)(mixed((uint64_t)questions * 1000 + i) %
                           (20 * KERNEL_CLIP)) +
                 (q->kind == ASK_TOTAL ? 90 : -10) * (int64_t)KERNEL_CLIP;
    questions++;
    return status;
}

/* ---- a world ---- */

enum { ROWS = 97 };

static void write_rows(const char *extra)
{
    FILE *f = fopen(data_path, "w");
    assert_non_null(f);
    fprintf(f, "part,a,b,t\n");
    for (int i = 0; i < ROWS; i++) {
        int a = (int)(mixed((uint64_t)i) % 201) - 100;
        int b = (int)(mixed((uint64_t)i + 1000) % 201) - 100;
        fprintf(f, "%s,%d,%d,%d\n", i % 2 ? "q1" : "q2", a, b, a - b / 2);
    }
    fprintf(f, "%s", extra);
    assert_int_equal(fclose(f), 0);
}

#define SCHEMA                                                                 \
    "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\", \"bounds\": "   \
    "[-100, 100]}, \"columns\": {\"part\": {\"type\": \"drop\"}, \"t\": "      \
    "{\"type\": \"target\", \"bounds\": [-200, 200]}}}"

static const setting usual[] = {{"loss", "squared"}, {"epsilon", "1"},
                                {"delta", "1e-6"},   {"schema-text", SCHEMA},
                                {"solver", "gd"},    {"steps", "5"},
                                {NULL, NULL}};

typedef struct run {
    sotto_status read, fit;
    sotto_error error;
    text_buffer model; /* the file */
} run;

static int stop_at_once(void *context, const sotto_progress *progress)
{
    (void)progress;
    return *(const int *)context;
}

static sotto_options *options_of(const setting *more)
{
    sotto_options *o;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (const setting *s = usual; s->name; s++)
        assert_int_equal(sotto_options_set(o, s->name, s->value, &error),
                         SOTTO_OK);
    assert_int_equal(sotto_options_set(o, "ledger", ledger_path, &error),
                     SOTTO_OK);
    for (; more->name; more++)
        if (sotto_options_set(o, more->name, more->value, &error) != SOTTO_OK)
            fail_msg("%s", error.message);
    return o;
}

/* Reads, fits, writes and settles, as `sotto train` does. */
static run train(const setting *more, int stop)
{
    run r = {0};
    sotto_table *table = NULL;
    sotto_model *model = NULL;
    sotto_options *o = options_of(more);
    sotto_progress_callback callback = {.call = stop_at_once, .context = &stop};
    questions = booked_at_first = 0;
    r.fit = r.read = sotto_fit_read(&table, data_path, o, &r.error);
    if (r.read == SOTTO_OK)
        r.fit = sotto_fit(&model, &table, o, &callback, &r.error);
    if (r.fit == SOTTO_OK) {
        assert_int_equal(sotto_model_write(model, model_path, &r.error),
                         SOTTO_OK);
        assert_int_equal(sotto_fit_settle(model, model_path, &r.error),
                         SOTTO_OK);
        char *bytes;
        size_t size;
        assert_int_equal(file_read(model_path, 1 << 24, &bytes, &size, NULL),
                         SOTTO_OK);
        text_add(&r.model, bytes, size);
        mem_free(bytes);
    }
    sotto_model_free(model);
    sotto_options_free(o);
    return r;
}

static void fresh_ledger(void)
{
    unlink(ledger_path);
    ids = 0;
}

static const setting by_path[] = {{"dataset-path", "/somewhere/d.csv"},
                                  {NULL, NULL}};
static const setting by_path_drop[] = {
    {"dataset-path", "/somewhere/d.csv"}, {"bad-rows", "drop"}, {NULL, NULL}};

/* ---- the cases ---- */

static void test_charged_before_asked(void **state)
{
    (void)state;
    fresh_ledger();
    write_rows("");
    run r = train(by_path, 0);
    if (r.fit != SOTTO_OK)
        fail_msg("%s", r.error.message);
    assert_int_equal(booked_at_first, 1);
    assert_int_equal(dataset().charges, 1);
    assert_int_equal(dataset().unfinished, 0);
    assert_non_null(strstr(r.model.data, "\"ledger\": {"));
    assert_null(strstr(r.model.data, "somewhere")); /* never the path */
    text_free(&r.model);
    r = train(by_path, 0);
    assert_int_equal(booked_at_first, 2);
    assert_int_equal(dataset().charges, 2);
    text_free(&r.model);
}

/* A bad row ends the reading: it was booked all the same. */
static void test_charged_before_read(void **state)
{
    (void)state;
    fresh_ledger();
    write_rows("q1,x,0,0\n");
    run r = train(by_path, 0);
    assert_int_equal(r.read, SOTTO_DATA);
    assert_int_equal(questions, 0);
    assert_int_equal(dataset().charges, 1);
    assert_int_equal(dataset().unfinished, 1);
}

/* D and D', the same noise: one has a bad row, or is stopped in the middle.
   Whatever is released afterwards is the same. */
static void test_ends_are_not_released(void **state)
{
    (void)state;
    static const char *const extra[] = {"", "q1,x,0,0\n", "q1,1\n", ""};
    run later[4];
    for (int i = 0; i < 4; i++) {
        fresh_ledger();
        write_rows(extra[i]);
        run first = train(by_path, i == 3);
        assert_int_equal(first.fit, i == 0   ? SOTTO_OK
                                    : i == 3 ? SOTTO_INTERRUPTED
                                             : SOTTO_DATA);
        text_free(&first.model);
        later[i] = train(by_path_drop, 0);
        assert_int_equal(later[i].fit, SOTTO_OK);
        assert_int_equal(dataset().unfinished, i != 0);
    }
    for (int i = 1; i < 4; i++)
        assert_string_equal(later[i].model.data, later[0].model.data);
    for (int i = 0; i < 4; i++)
        text_free(&later[i].model);
}

static void create(const setting *s)
{
    sotto_options *o = options_with(s);
    sotto_error error = {0};
    if (sotto_ledger_create(ledger_path, o, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    sotto_options_free(o);
}

/* What a cap refuses reads no row: a bad one is not found. */
static void test_refused_before_read(void **state)
{
    (void)state;
    fresh_ledger();
    create(
        SETTINGS({"dataset", "people"}, {"epsilon", "1.2"}, {"delta", "1e-6"}));
    write_rows("");
    const setting *named = SETTINGS({"dataset", "people"});
    run r = train(named, 0);
    assert_int_equal(r.fit, SOTTO_OK);
    text_free(&r.model);
    write_rows("q1,x,0,0\n");
    r = train(named, 0);
    assert_int_equal(r.read, SOTTO_BUDGET);
    assert_non_null(strstr(r.error.message, "people"));
    assert_int_equal(dataset().charges, 1);
}

/* A table that was read otherwise is not booked afterwards: whether it would
   have been depends on how reading ended. */
static void test_read_otherwise(void **state)
{
    (void)state;
    sotto_table *table;
    sotto_model *model;
    sotto_error error;
    fresh_ledger();
    write_rows("");
    sotto_options *o = options_of(by_path);
    questions = 0;
    assert_int_equal(sotto_table_read(&table, data_path, o, &error), SOTTO_OK);
    assert_int_equal(sotto_fit(&model, &table, o, NULL, &error), SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "sotto_fit_read"));
    assert_int_equal(questions, 0);
    assert_int_equal(dataset().charges, 0);
    sotto_options_free(o);
}

/* A booking is for the process that made it: children of it have the table,
   too. */
static void test_forked(void **state)
{
    (void)state;
    sotto_table *table;
    sotto_model *model;
    sotto_error error;
    int ended;
    fresh_ledger();
    write_rows("");
    sotto_options *o = options_of(by_path);
    assert_int_equal(sotto_fit_read(&table, data_path, o, &error), SOTTO_OK);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit((int)sotto_fit(&model, &table, o, NULL, &error));
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_int_equal(WEXITSTATUS(ended), SOTTO_PRIVACY);
    }
    assert_int_equal(sotto_fit(&model, &table, o, NULL, &error), SOTTO_OK);
    assert_int_equal(dataset().charges, 1);
    sotto_model_free(model);
    sotto_options_free(o);
}

/* What was booked when the table was read is for that run alone. */
static void test_other_options(void **state)
{
    (void)state;
    static const setting other[] = {{"steps", "6"}, {"rows-per-person", "2"}};
    write_rows("");
    for (int i = 0; i < 2; i++) {
        sotto_table *table;
        sotto_model *model;
        sotto_error error;
        sotto_options *o = options_of(by_path);
        fresh_ledger();
        questions = 0;
        assert_int_equal(sotto_fit_read(&table, data_path, o, &error),
                         SOTTO_OK);
        assert_int_equal(
            sotto_options_set(o, other[i].name, other[i].value, &error),
            SOTTO_OK);
        assert_int_equal(sotto_fit(&model, &table, o, NULL, &error),
                         SOTTO_PRIVACY);
        assert_int_equal(questions, 0);
        assert_int_equal(dataset().charges, 1);
        sotto_options_free(o);
    }
}

/* Neither is a run whose noise can be repeated, or one without a ledger. */
static void test_not_booked(void **state)
{
    (void)state;
    fresh_ledger();
    write_rows("");
    run r = train(
        SETTINGS({"insecure-seed", "1"}, {"dataset-path", "/somewhere/d.csv"}),
        0);
    assert_int_equal(r.fit, SOTTO_OK);
    assert_int_equal(access(ledger_path, F_OK), -1);
    text_free(&r.model);
    r = train(SETTINGS({"ledger", "none"}), 0);
    assert_int_equal(r.fit, SOTTO_OK);
    assert_int_equal(access(ledger_path, F_OK), -1);
    assert_non_null(strstr(r.model.data, "\"ledger\": \"untracked\""));
    text_free(&r.model);
}

/* ---- several files ---- */

static int count_charges(void *context, const sotto_dataset *d)
{
    *(int64_t *)context += d->charges;
    return 0;
}

static int64_t all_charges(void)
{
    sotto_ledger *ledger;
    sotto_error error;
    int64_t charges = 0;
    assert_int_equal(sotto_ledger_open(&ledger, ledger_path, &error), SOTTO_OK);
    assert_int_equal(
        sotto_ledger_datasets(ledger, NULL, count_charges, &charges, &error),
        SOTTO_OK);
    sotto_ledger_close(ledger);
    return charges;
}

/* All of them are booked before a row is read. Where a later one cannot be,
   those before it stay charged, and nothing was read. */
static void test_several_files(void **state)
{
    (void)state;
    char second[64];
    sotto_table *table;
    sotto_error error;
    const char *both[] = {data_path, second};
    snprintf(second, sizeof second, "%s/e.csv", folder);
    write_rows("q1,SECRET,0,0\n");
    assert_int_equal(rename(data_path, second), 0);
    write_rows("");
    for (int lost = 0; lost < 2; lost++) {
        sotto_options *o = options_of(by_path);
        /* the last ids were the second file's: of its run and its entry */
        lost_at = lost ? ids - 1 : 0;
        fresh_ledger();
        assert_int_equal(sotto_fit_read_files(&table, both, 2, o, &error),
                         lost ? SOTTO_USAGE : SOTTO_DATA);
        const char *words = lost ? "files before it" : "e.csv: line 99";
        if (!strstr(error.message, words))
            fail_msg("\"%s\" is not in: %s", words, error.message);
        assert_non_null(strstr(error.message, "stays charged"));
        assert_null(strstr(error.message, "SECRET"));
        if (lost) {
            assert_int_equal(rmdir(ledger_path), 0);
            assert_int_equal(rename(aside, ledger_path), 0);
        }
        assert_int_equal(all_charges(), lost ? 1 : 2);
        sotto_options_free(o);
    }
    lost_at = 0;
    unlink(second);
}

/* Its number of rows would be counted, and no row has been read. */
static void test_rows_are_declared(void **state)
{
    (void)state;
    sotto_table *table;
    sotto_error error;
    fresh_ledger();
    write_rows("");
    sotto_options *o = options_of(
        SETTINGS({"dataset-path", "/x"}, {"adjacency", "replace-one"}));
    assert_int_equal(sotto_fit_read(&table, data_path, o, &error),
                     SOTTO_PRIVACY);
    assert_non_null(strstr(error.message, "--rows"));
    sotto_options_free(o);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(data_path, sizeof data_path, "%s/d.csv", folder);
    snprintf(ledger_path, sizeof ledger_path, "%s/ledger", folder);
    snprintf(model_path, sizeof model_path, "%s/m.json", folder);
    snprintf(aside, sizeof aside, "%s/aside", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(data_path);
    unlink(ledger_path);
    unlink(model_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_charged_before_asked),
        cmocka_unit_test(test_charged_before_read),
        cmocka_unit_test(test_ends_are_not_released),
        cmocka_unit_test(test_refused_before_read),
        cmocka_unit_test(test_read_otherwise),
        cmocka_unit_test(test_other_options),
        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_not_booked),
        cmocka_unit_test(test_several_files),
        cmocka_unit_test(test_rows_are_declared),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
