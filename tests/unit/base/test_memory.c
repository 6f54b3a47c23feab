/*
 * Out of memory, at every single allocation: each must end in one clear
 * line, with nothing leaked. The system's calls are replaced at link time
 * (--wrap); the n-th of them fails, for n = 1, 2, ... until one run gets
 * through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data.h"
#include "data/arrow_abi.h"
#include "exact.h"
#include "federate/internal.h"
#include "json.h"
#include "ledger.h"
#include "model.h"
#include "noise.h"
#include "option.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the replaced calls ---- */

static int64_t countdown = -1; /* -1: nothing fails */
static int64_t live;           /* blocks and maps that are in use */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int file,
                    off_t offset);
int __real_munmap(void *at, size_t size);
void *__real_mremap(void *at, size_t from, size_t to, int flags, ...);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file,
                    off_t offset);
int __wrap_munmap(void *at, size_t size);
void *__wrap_mremap(void *at, size_t from, size_t to, int flags, ...);

/* The countdown stays at 0 after the failure: then the rest fails too,
   which is what a machine without memory does. */
static int fails_now(void)
{
    if (countdown > 0)
        countdown--;
    return countdown == 0;
}

void *__wrap_malloc(size_t size)
{
    void *block = fails_now() ? NULL : __real_malloc(size);
    live += block != NULL;
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = fails_now() ? NULL : __real_calloc(count, size);
    live += block != NULL;
    return block;
}

void *__wrap_realloc(void *block, size_t size)
{
    void *moved = fails_now() ? NULL : __real_realloc(block, size);
    live += moved != NULL && !block;
    return moved;
}

void __wrap_free(void *block)
{
    live -= block != NULL;
    __real_free(block);
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file,
                    off_t offset)
{
    errno = ENOMEM;
    if (fails_now())
        return MAP_FAILED;
    void *block = __real_mmap64(at, size, protection, flags, file, offset);
    live += block != MAP_FAILED;
    return block;
}

int __wrap_munmap(void *at, size_t size)
{
    live--;
    return __real_munmap(at, size);
}

void *__wrap_mremap(void *at, size_t from, size_t to, int flags, ...)
{
    return fails_now() && to > from ? MAP_FAILED
                                    : __real_mremap(at, from, to, flags);
}

/* ---- what is tried ---- */

static char folder[] = "/tmp/sotto-memory-XXXXXX";
static char paths[18][64];
enum {
    SCHEMA,
    FULL,
    ASKED,
    CSV,
    SVM,
    NPY,
    FORTRAN,
    GZIP,
    BALLS,
    SETS,
    SCALES,
    PARTIES,
    KEY,
    LEDGER,
    NEXT,
    TABLE,
    WRONG,
    OUT
};

typedef struct setting {
    const char *name, *value;
} setting;

static sotto_status with_options(const setting *s,
                                 sotto_status (*work)(const sotto_options *,
                                                      sotto_error *),
                                 sotto_error *error)
{
    sotto_options *options;
    sotto_status status = sotto_options_new(&options, error);
    if (status != SOTTO_OK)
        return status;
    for (; s->name && status == SOTTO_OK; s++)
        status = sotto_options_set(options, s->name, s->value, error);
    if (status == SOTTO_OK)
        status = work(options, error);
    sotto_options_free(options);
    return status;
}

static const char *reading;

static sotto_status look_at(void *context, const sotto_table *shape,
                            sotto_error *error)
{
    (void)error;
    *(int64_t *)context = shape->features;
    return SOTTO_OK;
}

static sotto_status do_read_after(const sotto_options *options,
                                  sotto_error *error)
{
    sotto_table *t;
    int64_t features;
    sotto_status status =
        table_read_after(&t, reading, options, look_at, &features, error);
    if (status == SOTTO_OK)
        sotto_table_free(t);
    return status;
}

/* Two files as one table, booked for each; the second is paths[OUT]. */
static sotto_status do_read_files(const sotto_options *options,
                                  sotto_error *error)
{
    sotto_table *t;
    const char *files[] = {reading, paths[OUT]};
    sotto_status status = sotto_fit_read_files(&t, files, 2, options, error);
    if (status == SOTTO_OK)
        sotto_table_free(t);
    return status;
}

static sotto_status do_read(const sotto_options *options, sotto_error *error)
{
    sotto_table *t;
    sotto_status status = sotto_table_read(&t, reading, options, error);
    if (status == SOTTO_OK)
        sotto_table_free(t);
    return status;
}

static sotto_status do_template(const sotto_options *options,
                                sotto_error *error)
{
    char *text;
    sotto_status status = sotto_schema_template(&text, reading, options, error);
    if (status == SOTTO_OK)
        sotto_text_free(text);
    return status;
}

/* All that is wrong with paths[WRONG], of which there is something. */
static sotto_status do_check(const sotto_options *options, sotto_error *error)
{
    char *lines = NULL;
    sotto_status status = sotto_schema_check(
        &lines, paths[WRONG], *reading ? reading : NULL, options, error);
    assert_true(status != SOTTO_OK &&
                (lines != NULL) == (status != SOTTO_FAILED));
    sotto_text_free(lines);
    return lines ? SOTTO_OK : status;
}

static sotto_status do_generate(const sotto_options *options,
                                sotto_error *error)
{
    return sotto_generate(reading, paths[OUT], options, error);
}

static sotto_status do_exact(const sotto_options *options, sotto_error *error)
{
    sotto_table *t;
    exact_solution x;
    sotto_status status = sotto_table_read(&t, reading, options, error);
    if (status != SOTTO_OK)
        return status;
    exact_problem p = {.table = t,
                       .l2 = 1,
                       .low = -INFINITY,
                       .high = INFINITY,
                       .intercept = 1,
                       .tolerance = 1e-10};
    loss_named(sotto_options_get(options, "loss"), &p.loss.kind);
    status = exact_solve(&x, &p, error);
    if (status == SOTTO_OK)
        exact_solution_free(&x);
    sotto_table_free(t);
    return status;
}

static sotto_status do_train(const sotto_options *options, sotto_error *error)
{
    sotto_table *t = NULL;
    sotto_model *m = NULL;
    sotto_status status = sotto_table_read(&t, reading, options, error);
    if (status == SOTTO_OK)
        status = sotto_fit(&m, &t, options, NULL, error);
    sotto_model_free(m);
    sotto_table_free(t);
    return status;
}

/* From a data file to a model file and back to predictions. */
static sotto_status do_model(const sotto_options *options, sotto_error *error)
{
    sotto_table *t = NULL;
    sotto_model *m = NULL, *back = NULL;
    char *text = NULL;
    double answer[8];
    sotto_quality quality;
    sotto_status status = sotto_table_read(&t, reading, options, error);
    if (status == SOTTO_OK)
        status = sotto_fit(&m, &t, options, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_model_write(m, paths[OUT], error);
    if (status == SOTTO_OK)
        status = sotto_model_read(&back, paths[OUT], error);
    if (status == SOTTO_OK)
        status = sotto_table_read_for(&t, back, 1, reading, options, error);
    if (status == SOTTO_OK)
        status = sotto_predict(answer, back, t, SOTTO_ANSWER_VALUE, error);
    if (status == SOTTO_OK)
        status = sotto_evaluate(&quality, back, t, error);
    if (status == SOTTO_OK)
        status = sotto_model_export(&text, back, "liblinear", error);
    sotto_text_free(text);
    text = NULL;
    if (status == SOTTO_OK && !strcmp(reading, paths[CSV])) /* it has names */
        status = sotto_model_export(&text, back, "sql", error);
    sotto_text_free(text);
    sotto_table_free(t);
    sotto_model_free(m);
    sotto_model_free(back);
    return status;
}

static sotto_status do_convert(const sotto_options *options, sotto_error *error)
{
    return sotto_table_convert(&reading, 1, paths[TABLE], options, NULL, error);
}

/* A schema and smoothness as texts, copied, and events. */
static sotto_status do_texts(const sotto_options *options, sotto_error *error)
{
    sotto_options *copy = NULL;
    sotto_events *events = NULL;
    sotto_model *m = NULL;
    sotto_table *t = NULL;
    sotto_status status = sotto_options_new(&copy, error);
    for (int i = 0; status == SOTTO_OK && i < OPTION_COUNT; i++)
        status = option_copy(copy, options, (option_id)i, error);
    if (status == SOTTO_OK)
        status = sotto_options_set_content(copy, "smoothness", "1 2", error);
    if (status == SOTTO_OK) /* in its own place */
        status = option_copy(copy, copy, OPTION_SMOOTHNESS, error);
    if (status == SOTTO_OK)
        status = sotto_options_set_content(
            copy, "schema",
            "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"], "
            "\"columns\": {\"w\": {\"type\": "
            "\"number\", \"bounds\": [0, 3]}, \"x\": {\"type\": "
            "\"number\", \"bounds\": [0, 2e6]}, \"age\": {\"type\": "
            "\"number\", \"bounds\": [0, 9], \"missing\": 3}}}",
            error);
    if (status == SOTTO_OK)
        status = sotto_table_read(&t, reading, copy, error);
    if (status == SOTTO_OK)
        status = sotto_fit(&m, &t, copy, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_events_parse(
            &events,
            "{\"sotto_events\": 1, \"adjacency\": \"add-remove\", "
            "\"events\": [{\"event\": \"GAUSS\", \"mu\": 1}]}",
            error);
    sotto_events_free(events);
    events = NULL;
    if (status == SOTTO_OK && sotto_model_statement(m))
        status = sotto_events_stated(&events, sotto_model_statement(m), error);
    sotto_events_free(events);
    sotto_model_free(m);
    sotto_table_free(t);
    sotto_options_free(copy);
    return status;
}

/* The same by texts. */
static sotto_status do_sign_texts(sotto_model *m, sotto_error *error)
{
    char *text = NULL;
    sotto_model *back = NULL;
    sotto_status status =
        sotto_model_sign_with(m,
                              "sotto-ed25519-secret-1 0123456789abcdef"
                              "0123456789abcdef0123456789abcdef"
                              "0123456789abcdef",
                              error);
    if (status == SOTTO_OK)
        status = sotto_model_text(&text, m, error);
    if (status == SOTTO_OK)
        status = sotto_model_parse(&back, text, error);
    if (status == SOTTO_OK)
        status = sotto_model_verify_with(
            back,
            "sotto-ed25519-public-1 "
            "207a067892821e25d770f1fba0c47c11ff4b813e54162ece9eb839e076231ab6",
            error);
    sotto_text_free(text);
    sotto_model_free(back);
    return status;
}

/* A model that is signed by a new key, written, read and verified. */
static sotto_status do_sign(const sotto_options *options, sotto_error *error)
{
    (void)options;
    char beside[80];
    sotto_model *m = model_new(3), *back = NULL;
    snprintf(beside, sizeof beside, "%s.pub", paths[KEY]);
    sotto_status status = m && (m->schema = mem_text("{}"))
                              ? sotto_key_new(paths[KEY], error)
                              : error_memory(error);
    if (status == SOTTO_OK)
        status = sotto_model_sign(m, paths[KEY], error);
    if (status == SOTTO_OK)
        status = sotto_model_write(m, paths[OUT], error);
    if (status == SOTTO_OK)
        status = sotto_model_read(&back, paths[OUT], error);
    if (status == SOTTO_OK)
        status = sotto_model_verify(back, beside, error);
    if (status == SOTTO_OK)
        status = do_sign_texts(back, error);
    sotto_model_free(m);
    sotto_model_free(back);
    unlink(beside);
    unlink(paths[KEY]);
    return status;
}

/* Parties, from their agreement to a model. */
static sotto_status do_federate(const sotto_options *options,
                                sotto_error *error)
{
    sotto_simulation *s;
    sotto_model *m = NULL;
    sotto_status status = sotto_simulation_open(&s, reading, options, error);
    if (status == SOTTO_OK)
        status = sotto_simulation_run(s, &m, NULL, error);
    sotto_model_free(m);
    sotto_simulation_free(s);
    return status;
}

static federation agreed;

/* What a party may be asked, in its ledger; and once more. */
static sotto_status do_book_party(const sotto_options *options,
                                  sotto_error *error)
{
    char run[FEDERATION_RUN];
    logbook log = {0};
    sotto_status status =
        federation_book_party(run, &agreed, 0, options, &log, error);
    if (status == SOTTO_OK)
        status = federation_book_party(run, &agreed, 0, options, &log, error);
    return status;
}

static sotto_status do_noise(const sotto_options *options, sotto_error *error)
{
    (void)options;
    noise_stream *s;
    noise_buckets *b;
    sotto_status status = noise_open(&s, NOISE_RELEASE, error);
    if (status != SOTTO_OK)
        return status;
    status = noise_buckets_open(&b, 3000, 1, .1, error);
    if (status == SOTTO_OK)
        noise_buckets_close(b);
    noise_close(s);
    return status;
}

static sotto_status do_theorems(const sotto_options *options,
                                sotto_error *error)
{
    char *text;
    sotto_status status = sotto_theorems(&text, options, error);
    sotto_text_free(text);
    return status;
}

/* A plan, through JSON (with short numbers: jansson stops the program when
   memory runs out inside a long one), priced in order and in any order, and
   calibrated. */
static sotto_status do_account(const sotto_options *options, sotto_error *error)
{
    account_list list, back;
    account_price price;
    text_buffer json = {0};
    sotto_status status =
        account_parse(&list, sotto_options_get(options, "event"), NULL, NAN,
                      ACCOUNT_ADD_REMOVE, error);
    if (status != SOTTO_OK)
        return status;
    status = account_append(&list, &list, 0, error);
    account_json(&list, &json);
    if (status == SOTTO_OK)
        status = json.failed ? error_memory(error)
                             : account_from_json(&back, json.data, json.length,
                                                 "json", error);
    text_free(&json);
    account_free(&list);
    if (status != SOTTO_OK)
        return status;
    status = account_epsilon(&back, 1e-3, &price, error);
    back.ordered = 1;
    if (status == SOTTO_OK)
        status = account_delta(&back, .5, &price, error);
    account_free(&back);
    return status;
}

/* Booked in any order, in its own, and within a cap. */
static sotto_status do_book_list(const sotto_options *options,
                                 sotto_error *error)
{
    account_list list;
    account_booking booking;
    sotto_status status =
        account_parse(&list, sotto_options_get(options, "event"), NULL, NAN,
                      ACCOUNT_ADD_REMOVE, error);
    if (status != SOTTO_OK)
        return status;
    status = account_book(&booking, &list, 1e-3, error);
    list.ordered = 1;
    if (status == SOTTO_OK)
        status = account_book_share(&booking, &list, 5, 1e-2, error);
    account_free(&list);
    return status;
}

static sotto_status do_calibrate(const sotto_options *options,
                                 sotto_error *error)
{
    sotto_calibration t = {sotto_options_get(options, "calibrate"),
                           NULL,
                           "add-remove",
                           0,
                           0,
                           1,
                           1e-3};
    account_target target = {ACCOUNT_ADD_REMOVE, 0, 0, 1, 1e-3};
    account_question question = {.kind = ACCOUNT_GAUSS, .level = 1, .times = 1};
    sotto_events *events;
    sotto_price price;
    double z;
    char *text = NULL;
    sotto_status status =
        sotto_events_calibrate(&events, &t, &z, &price, error);
    if (status == SOTTO_OK)
        status = sotto_events_text(&text, events, error);
    free(text);
    sotto_events_free(events);
    return status == SOTTO_OK
               ? account_multiplier(&z, &question, 1, &target, error)
               : status;
}

static int take_dataset(void *context, const sotto_dataset *dataset)
{
    (void)context;
    return dataset == NULL;
}

static int take_entry(void *context, const sotto_entry *entry)
{
    (void)context;
    return entry == NULL;
}

/* A run that is booked in a new ledger, and found by its statement. */
static sotto_status book_once(sotto_ledger *l, sotto_error *error)
{
    char *part[] = {"a"};
    account_list events = {0};
    ledger_receipt r = {0};
    json_t *statement = NULL;
    text_buffer t = {0};
    int64_t position;
    sotto_status status = account_parse(&events, "GAUSS(0.1)", NULL, NAN,
                                        ACCOUNT_ADD_REMOVE, error);
    ledger_request request = {.file = paths[OUT],
                              .dataset = "d",
                              .part_column = "c",
                              .unit = {ACCOUNT_ADD_REMOVE, NULL, 1},
                              .events = &events,
                              .part = part,
                              .parts = 1,
                              .purpose = "p"};
    if (status == SOTTO_OK)
        status = ledger_book(&r, &request, error);
    if (status == SOTTO_OK)
        status = ledger_finish(paths[OUT], r.run, error);
    if (status == SOTTO_OK) {
        r.mu = 0.5; /* jansson stops the program inside a long number */
        statement = json_object();
        ledger_put(&statement, &r);
        json_put(&t, statement);
        status = t.failed ? error_memory(error)
                          : sotto_ledger_find(l, t.data, &position, error);
        status = status == SOTTO_PRIVACY ? SOTTO_OK : status; /* another mu */
    }
    text_free(&t);
    json_decref(statement);
    account_free(&events);
    ledger_receipt_free(&r);
    return status;
}

static sotto_status do_quote(sotto_ledger *l, const sotto_options *options,
                             sotto_error *error)
{
    sotto_events *events = NULL;
    sotto_quote quote;
    sotto_status status =
        sotto_events_plan(&events, "GAUSS(0.5)", "", "add-remove", error);
    if (status == SOTTO_OK)
        status = sotto_ledger_quote(&quote, l, options, events, error);
    sotto_events_free(events);
    return status;
}

/* A ledger, from its first data set to a copy of it. */
static sotto_status do_ledger(const sotto_options *options, sotto_error *error)
{
    sotto_ledger *l = NULL;
    char *column = NULL, **value = NULL;
    int64_t values = 0, entries;
    unlink(paths[OUT]);
    unlink(paths[NEXT]);
    sotto_status status = sotto_ledger_create(paths[OUT], options, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_open(&l, paths[OUT], error);
    if (status == SOTTO_OK)
        status = book_once(l, error);
    if (status == SOTTO_OK)
        status = do_quote(l, options, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_datasets(l, "d", take_dataset, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_entries(l, "d", 0, 9, take_entry, NULL, error);
    if (status == SOTTO_OK)
        status = ledger_parts(paths[OUT], "d", &column, &value, &values, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_verify(l, &entries, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_backup(l, paths[NEXT], error);
    mem_free(column);
    mem_free_texts(value, values);
    sotto_ledger_close(l);
    return status;
}

/* A run on a file that no ledger knows, and a cap that is raised. */
static sotto_status do_ledger_path(const sotto_options *options,
                                   sotto_error *error)
{
    account_list events = {0};
    ledger_receipt r = {0};
    sotto_ledger *l = NULL;
    unlink(paths[OUT]);
    sotto_status status = account_parse(&events, "2*SUBSAMPLED_GAUSS(0.5, 9)",
                                        NULL, NAN, ACCOUNT_ADD_REMOVE, error);
    ledger_request request = {.file = paths[OUT],
                              .path = "/a",
                              .unit = {ACCOUNT_ADD_REMOVE, "id", 1},
                              .events = &events};
    if (status == SOTTO_OK)
        status = ledger_book(&r, &request, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_create(paths[OUT], options, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_open(&l, paths[OUT], error);
    sotto_options *more = NULL;
    if (status == SOTTO_OK)
        status = sotto_options_new(&more, error);
    if (status == SOTTO_OK)
        status = sotto_options_set(more, "dataset", "d", error);
    if (status == SOTTO_OK)
        status = sotto_options_set(more, "epsilon", "3", error);
    if (status == SOTTO_OK)
        status = sotto_options_set(more, "delta", "1e-6", error);
    if (status == SOTTO_OK)
        status = sotto_ledger_raise(l, more, error);
    sotto_options_free(more);
    sotto_ledger_close(l);
    account_free(&events);
    ledger_receipt_free(&r);
    return status;
}

static sotto_status do_own(const sotto_options *options, sotto_error *error)
{
    char *path;
    (void)options;
    sotto_status status = sotto_ledger_own(&path, error);
    sotto_text_free(path);
    return status;
}

/* Columns in memory: numbers, texts, people; a row is bad. */
static sotto_status list_columns(sotto_columns *c, sotto_error *error)
{
    static const float x[] = {1, 2, 3, 4, NAN, 6};
    static const int64_t offsets[] = {0, 1, 3, 4}, people[] = {7, 8, 7};
    sotto_status status = sotto_columns_add_array(
        c, (const char *const[]){"w", "x"}, 2, x, SOTTO_F32, 8, 4, error);
    if (status == SOTTO_OK)
        status = sotto_columns_add_texts(c, "t", "1101", offsets, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_columns_add(c, "p", people, SOTTO_I64, 8, NULL, error);
    return status;
}

/* Sparse features by column, with a target beside them. */
static sotto_status list_sparse(sotto_columns *c, sotto_error *error)
{
    static const int32_t start[] = {0, 2, 3}, row[] = {0, 2, 1};
    static const double value[] = {1, -1, 2}, t[] = {1, 2, 3};
    sotto_sparse e = {1, 2, start, row, value, SOTTO_I32, SOTTO_I32, SOTTO_F64};
    sotto_status status = sotto_columns_add_sparse(c, &e, error);
    return status == SOTTO_OK
               ? sotto_columns_add(c, "t", t, SOTTO_F64, 8, NULL, error)
               : status;
}

static sotto_status do_columns(const sotto_options *options, sotto_error *error)
{
    sotto_columns *c = NULL;
    sotto_table *t = NULL;
    char *text = NULL;
    int64_t features;
    sotto_status status = sotto_columns_new(&c, 3, error);
    if (status == SOTTO_OK)
        status = *reading ? list_sparse(c, error) : list_columns(c, error);
    if (status == SOTTO_OK)
        status = sotto_schema_template_from(&text, c, options, error);
    if (status == SOTTO_OK)
        status = table_from_after(&t, c, options, look_at, &features, error);
    sotto_text_free(text);
    sotto_table_free(t);
    sotto_columns_free(c);
    return status;
}

/* ---- an Arrow stream in static memory: two batches ---- */

static int handed_out; /* structures that were not released */

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
    handed_out--;
}

static void release_array(struct ArrowArray *a)
{
    a->release = NULL;
    handed_out--;
}

static void release_stream(struct ArrowArrayStream *s)
{
    s->release = NULL;
    handed_out--;
}

static void nothing(struct ArrowSchema *s)
{
    (void)s;
}

static void nothing_too(struct ArrowArray *a)
{
    (void)a;
}

static int next_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    static struct ArrowSchema list = {.format = "vu", .release = nothing};
    static struct ArrowSchema column[] = {
        {.format = "f", .name = "x", .release = nothing},
        {.format = "c", .name = "p", .dictionary = &list, .release = nothing},
        {.format = "+l", .name = "q", .release = nothing}};
    static struct ArrowSchema *columns[] = {column, column + 1, column + 2};
    (void)s;
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = 3,
                                .children = columns,
                                .release = release_schema};
    handed_out++;
    return 0;
}

static int next_array(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    static const float x[] = {1, 2, 3};
    static const char codes[] = {0, 1, 0};
    static const struct {
        int32_t size;
        char text[12];
    } views[] = {{3, "ann"}, {3, "bob"}};
    static const int64_t sizes[] = {0};
    static const uint8_t rows_there = 5;
    static const void *numbers[] = {NULL, x}, *indices[] = {NULL, codes},
                      *texts[] = {NULL, views, sizes}, *top[] = {&rows_there};
    static struct ArrowArray list = {
        .length = 2, .n_buffers = 3, .buffers = texts, .release = nothing_too};
    static struct ArrowArray column[] = {{.length = 3,
                                          .n_buffers = 2,
                                          .buffers = numbers,
                                          .release = nothing_too},
                                         {.length = 3,
                                          .n_buffers = 2,
                                          .buffers = indices,
                                          .dictionary = &list,
                                          .release = nothing_too},
                                         {.release = nothing_too}};
    static struct ArrowArray *columns[] = {column, column + 1, column + 2};
    int *batch = s->private_data;
    *out = (struct ArrowArray){0};
    if (++*batch > 2)
        return 0;
    *out = (struct ArrowArray){.length = 3,
                               .null_count = -1,
                               .n_buffers = 1,
                               .n_children = 3,
                               .buffers = top,
                               .children = columns,
                               .release = release_array};
    handed_out++;
    return 0;
}

static sotto_status do_stream(const sotto_options *options, sotto_error *error)
{
    int batch = 0;
    sotto_columns *c = NULL;
    sotto_table *t = NULL;
    struct ArrowArrayStream s = {next_schema, next_array, NULL, release_stream,
                                 &batch};
    handed_out = 1;
    sotto_status status = sotto_columns_stream(&c, &s, error);
    if (status == SOTTO_OK)
        status = sotto_table_from(&t, c, options, error);
    sotto_table_free(t);
    sotto_columns_free(c);
    assert_int_equal(handed_out, 0);
    return status;
}

/* Fails each allocation of the work in turn; returns how many there are. */
static int64_t sweep(const char *what, const setting *settings,
                     sotto_status (*work)(const sotto_options *, sotto_error *))
{
    reading = what;
    for (int64_t n = 1;; n++) {
        sotto_error error = {0};
        int64_t before = live;
        countdown = n;
        sotto_status status = with_options(settings, work, &error);
        int reached = countdown == 0;
        countdown = -1;
        if (live != before)
            fail_msg("%s: %lld blocks leaked when allocation %lld fails", what,
                     (long long)(live - before), (long long)n);
        if (!reached) {
            if (status != SOTTO_OK)
                fail_msg("%s", error.message);
            return n - 1;
        }
        if (status != SOTTO_FAILED)
            fail_msg("allocation %lld: %s", (long long)n, error.message);
        if (!strstr(error.message, "emory"))
            fail_msg("allocation %lld: %s", (long long)n, error.message);
        assert_null(strchr(error.message, '\n'));
    }
}

#define SETTINGS(...) ((const setting[]){__VA_ARGS__, {NULL, NULL}})
#define ONE_THREAD                                                             \
    {                                                                          \
        "threads", "1"                                                         \
    }

static void test_csv(void **state)
{
    (void)state;
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[SCHEMA]}, {"loss", "logistic"},
                               ONE_THREAD),
                      do_read) > 40);
    sweep(paths[CSV],
          SETTINGS({"schema", paths[SCHEMA]}, {"loss", "logistic"},
                   {"classes", "no,yes"}, {"bad-rows", "drop"},
                   {"precision", "double"}, ONE_THREAD),
          do_read);
}

static void test_csv_gzip(void **state)
{
    (void)state;
    assert_true(sweep(paths[GZIP],
                      SETTINGS({"drop", "note"}, {"target", "t"}, ONE_THREAD),
                      do_read) > 20);
}

static void test_svmlight(void **state)
{
    (void)state;
    assert_true(sweep(paths[SVM], SETTINGS({"loss", "hinge"}, ONE_THREAD),
                      do_read) > 10);
}

static void test_npy(void **state)
{
    (void)state;
    assert_true(
        sweep(paths[NPY], SETTINGS({"target", "3"}, ONE_THREAD), do_read) > 10);
    assert_true(sweep(paths[FORTRAN], SETTINGS({"bad-rows", "drop"}), do_read) >
                10);
}

static void test_read_after(void **state)
{
    (void)state;
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[SCHEMA]}, {"loss", "logistic"},
                               {"bad-rows", "drop"}, {"part-column", "sex"},
                               {"parts", "f,m"}, {"epsilon", "1"}, ONE_THREAD),
                      do_read_after) > 80);
    assert_true(sweep(paths[SVM],
                      SETTINGS({"features", "9"}, {"undeclared", "rows"},
                               {"epsilon", "1"}, ONE_THREAD),
                      do_read_after) > 20);
    assert_true(sweep(paths[FORTRAN],
                      SETTINGS({"bad-rows", "drop"}, {"part-column", "1"},
                               {"parts", "1,4,7"}, {"epsilon", "1"}),
                      do_read_after) > 20);
}

static void test_read_files(void **state)
{
    (void)state;
    char *bytes, ledger[80];
    size_t size;
    snprintf(ledger, sizeof ledger, "%s/files.ledger", folder);
    assert_int_equal(file_read(paths[CSV], 1 << 20, &bytes, &size, NULL),
                     SOTTO_OK);
    FILE *copy = fopen(paths[OUT], "wb");
    assert_non_null(copy);
    assert_int_equal(fwrite(bytes, 1, size, copy), size);
    assert_int_equal(fclose(copy), 0);
    mem_free(bytes);
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[SCHEMA]}, {"loss", "logistic"},
                       {"bad-rows", "drop"}, {"format", "csv"},
                       {"epsilon", "1"}, {"delta", "1e-6"}, {"solver", "gd"},
                       {"rows", "9"}, {"undeclared", "rows"},
                       {"ledger", ledger}, {"dataset-path", "/d"}, ONE_THREAD),
              do_read_files) > 100);
    unlink(ledger);
}

static void test_columns(void **state)
{
    (void)state;
    assert_true(
        sweep("",
              SETTINGS({"target", "t"}, {"unit-column", "p"},
                       {"keep-ids", "yes"}, {"bad-rows", "drop"}, ONE_THREAD),
              do_columns) > 50);
    sweep("", SETTINGS({"drop", "w"}, {"epsilon", "1"}, ONE_THREAD),
          do_columns);
    assert_true(sweep("sparse", SETTINGS({"target", "t"}, ONE_THREAD),
                      do_columns) > 30);
}

static void test_stream(void **state)
{
    (void)state;
    assert_true(
        sweep("",
              SETTINGS({"unit-column", "p"}, {"drop", "q"}, {"keep-ids", "yes"},
                       {"bad-rows", "drop"}, ONE_THREAD),
              do_stream) > 40);
}

static void test_template(void **state)
{
    (void)state;
    assert_true(sweep(paths[CSV], SETTINGS({"target", "out"}), do_template) >
                10);
    sweep(paths[NPY], SETTINGS({"target", "1"}), do_template);
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[SCHEMA]}, {"target", "x"},
                               {"classes", "a,b"}),
                      do_template) > 40);
}

static void test_check(void **state)
{
    (void)state;
    assert_true(sweep("", SETTINGS(ONE_THREAD), do_check) > 40);
    assert_true(sweep(paths[CSV], SETTINGS(ONE_THREAD), do_check) > 40);
    sweep(paths[SVM], SETTINGS(ONE_THREAD), do_check);
    sweep(paths[NPY], SETTINGS(ONE_THREAD), do_check);
}

/* A bad row that keeps its place, where a model predicts. */
static void test_marked(void **state)
{
    (void)state;
    static const char columns[] =
        "{\"sotto_schema\": 1, \"default\": {\"type\": \"drop\"},"
        " \"columns\": {\"age\": {\"type\": \"number\"}}}";
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"declared", columns}, {"labelled", "no"},
                       {"bad-rows", "drop"}, {"layout", "rows"}, ONE_THREAD),
              do_read) > 20);
}

static void test_generate(void **state)
{
    (void)state;
    static const char *const formats[] = {"csv", "svmlight", "npy"};
    for (int i = 0; i < 3; i++) {
        const setting *small =
            SETTINGS({"rows", "5"}, {"features", "7"}, {"per-row", "3"},
                     {"format", formats[i]});
        assert_true(sweep("sparse-lasso", small, do_generate) > 2);
        sweep("log2", small, do_generate);
        sweep("zipf-heavy", small, do_generate);
    }
}

static void test_exact(void **state)
{
    (void)state;
    static const char *const losses[] = {"hinge", "logistic", "squared"};
    for (int i = 0; i < 3; i++)
        assert_true(sweep(paths[SVM],
                          SETTINGS({"loss", losses[i]}, {"precision", "double"},
                                   ONE_THREAD),
                          do_exact) > 14);
}

static void test_model(void **state)
{
    (void)state;
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[SCHEMA]}, {"loss", "logistic"},
                               {"epsilon", "inf"}, {"l2", "1"}, ONE_THREAD),
                      do_model) > 100);
    assert_true(sweep(paths[SVM],
                      SETTINGS({"loss", "hinge"}, {"epsilon", "inf"},
                               {"l2", "1"}, ONE_THREAD),
                      do_model) > 60);
}

/* Tables on a disk: written, read, and trained on where they are. */
static void test_tables(void **state)
{
    (void)state;
    assert_true(
        sweep(paths[SVM],
              SETTINGS({"loss", "logistic"}, {"features", "3"}, ONE_THREAD),
              do_convert) > 30);
    assert_true(sweep(paths[TABLE], SETTINGS({"loss", "hinge"}, ONE_THREAD),
                      do_read) > 10);
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                               ONE_THREAD),
                      do_convert) > 100);
    assert_true(sweep(paths[TABLE], SETTINGS({"loss", "hinge"}, ONE_THREAD),
                      do_read) > 20);
    assert_true(
        sweep(paths[TABLE],
              SETTINGS({"loss", "logistic"}, {"epsilon", "8"}, {"delta", "0.1"},
                       {"path", "dense"}, {"memory", "1G"},
                       {"insecure-seed", "1"}, ONE_THREAD),
              do_train) > 100);
    assert_true(
        sweep(paths[TABLE],
              SETTINGS({"loss", "logistic"}, {"epsilon", "8"}, {"delta", "0.1"},
                       {"solver", "gd"}, {"rows", "100"}, {"steps", "2"},
                       {"memory", "1G"}, {"insecure-seed", "1"}, ONE_THREAD),
              do_train) > 100);
}

static void test_signed(void **state)
{
    (void)state;
    assert_true(sweep("signed", SETTINGS(ONE_THREAD), do_sign) > 40);
}

static sotto_status do_audit(const sotto_options *options, sotto_error *error)
{
    sotto_audit_result result;
    return sotto_audit(&result, options, NULL, error);
}

static void test_audit(void **state)
{
    (void)state;
    assert_true(sweep("audit",
                      SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                               {"epsilon", "1"}, {"delta", "0.01"},
                               {"solver", "gd"}, {"steps", "1"}, {"rows", "9"},
                               {"deep", "yes"}, {"trials", "1"}, ONE_THREAD),
                      do_audit) > 100);
}

static void test_texts(void **state)
{
    (void)state;
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"target", "x"}, {"drop", "id,sex,out"},
                       {"epsilon", "1"}, {"delta", "1e-6"}, {"rows", "9"},
                       {"solver", "cd"}, {"passes", "1"}, ONE_THREAD),
              do_texts) > 40);
}

/* Private training: nothing is left in memory, whatever fails. */
static void test_private(void **state)
{
    (void)state;
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "1"}, {"delta", "0.01"}, {"solver", "cd"},
                       {"smoothness", "private:0.1"}, {"insecure-seed", "1"},
                       {"passes", "2"}, ONE_THREAD),
              do_model) > 100);
    /* auto, its plan made beforehand, and from the number of rows */
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "8"}, {"delta", "0.1"}, {"path", "dense"},
                       {"rows", "100"}, {"insecure-seed", "1"}, ONE_THREAD),
              do_model) > 100);
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "8"}, {"delta", "0.1"}, {"path", "dense"},
                       {"insecure-seed", "1"}, ONE_THREAD),
              do_model) > 100);
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "1"}, {"delta", "0.01"}, {"solver", "gd"},
                       {"insecure-seed", "1"}, {"steps", "2"}, ONE_THREAD),
              do_model) > 100);
    /* quantiles of rows and targets */
    assert_true(
        sweep(paths[SVM],
              SETTINGS({"loss", "squared"}, {"epsilon", "8"}, {"delta", "0.1"},
                       {"path", "dense"}, {"features", "3"}, {"rows", "100"},
                       {"insecure-seed", "1"}, ONE_THREAD),
              do_model) > 100);
    /* more than two classes: all features, and those that are chosen */
    static const char *const paths_of_classes[] = {"dense", "select"};
    for (int i = 0; i < 2; i++)
        assert_true(
            sweep(paths[SVM],
                  SETTINGS({"loss", "logistic"}, {"classes", "-1,1,2"},
                           {"epsilon", "8"}, {"delta", "0.1"},
                           {"path", paths_of_classes[i]}, {"features", "3"},
                           {"rows", "100"}, {"insecure-seed", "1"}, ONE_THREAD),
                  do_model) > 100);
    /* levels that are asked for: with this seed one is shown */
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[ASKED]}, {"loss", "logistic"},
                               {"epsilon", "8"}, {"delta", "0.9"},
                               {"rows", "9"}, {"path", "intercept"},
                               {"insecure-seed", "6"}, ONE_THREAD),
                      do_model) > 100);
    /* batches */
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                               {"epsilon", "inf"}, {"solver", "sgd"},
                               {"rows", "9"}, {"steps", "2"}, {"clip", "1"},
                               {"batch-rate", "0.5"}, ONE_THREAD),
                      do_model) > 40);
    /* with secret noise there is a statement of privacy as well */
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "1"}, {"delta", "0.01"}, {"solver", "gd"},
                       {"rows", "9"}, {"steps", "2"}, ONE_THREAD),
              do_model) > 100);
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                               {"epsilon", "1"}, {"delta", "0.01"},
                               {"solver", "sgd"}, {"insecure-seed", "1"},
                               {"steps", "2"}, {"batch-rate", "1"}, ONE_THREAD),
                      do_model) > 100);
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "1"}, {"delta", "0.01"}, {"solver", "svrg"},
                       {"insecure-seed", "1"}, {"steps", "2"}, {"rounds", "2"},
                       {"batch-rate", "1"}, ONE_THREAD),
              do_model) > 100);
    assert_true(
        sweep(paths[SVM],
              SETTINGS({"loss", "squared"}, {"epsilon", "inf"},
                       {"features", "3"}, {"solver", "ssp"}, {"rows", "9"},
                       {"smoothness", paths[SCALES]}, ONE_THREAD),
              do_model) > 40);
    static const char *const rivals[] = {"output", "objective"};
    for (int i = 0; i < 2; i++)
        assert_true(
            sweep(paths[i ? SVM : CSV],
                  SETTINGS({"loss", "logistic"}, {"epsilon", "1"},
                           {"delta", "0.01"}, {"solver", rivals[i]},
                           {"insecure-seed", "1"}, {"l2", "2"}, {"rows", "9"},
                           {"intercept", "no"},
                           {i ? "features" : "schema", i ? "3" : paths[FULL]},
                           ONE_THREAD),
                  do_train) > 40);
    /* noise whose price needs no Fourier transform: few allocations */
    static const char *const solvers[] = {"scd", "scd-primal"};
    for (int i = 0; i < 2; i++)
        assert_true(
            sweep(paths[CSV],
                  SETTINGS({"schema", paths[FULL]}, {"loss", "squared-hinge"},
                           {"epsilon", "1"}, {"delta", "0.01"},
                           {"solver", solvers[i]}, {"insecure-seed", "1"},
                           {"steps", "3"}, {"batch-rate", "1"}, {"l2", "1"},
                           {"intercept", "no"}, {"rows", "9"},
                           {"adjacency", "zero-out"}, ONE_THREAD),
                  do_model) > 100);
    assert_true(sweep(paths[CSV],
                      SETTINGS({"schema", paths[FULL]}, {"loss", "hinge"},
                               {"epsilon", "inf"}, {"solver", "scd-seq"},
                               {"steps", "3"}, {"l2", "1"}, {"intercept", "no"},
                               {"rows", "9"}, ONE_THREAD),
                      do_model) > 100);
    assert_true(
        sweep(paths[CSV],
              SETTINGS({"schema", paths[FULL]}, {"loss", "logistic"},
                       {"epsilon", "inf"}, {"solver", "fw"}, {"steps", "3"},
                       {"radius", "1"}, {"intercept-radius", "1"},
                       {"rows", "9"}, ONE_THREAD),
              do_model) > 100);
    assert_true(sweep(paths[SVM],
                      SETTINGS({"loss", "squared"}, {"epsilon", "inf"},
                               {"features", "3"}, {"solver", "bcfw"},
                               {"steps", "3"}, {"blocks", paths[BALLS]},
                               {"sampling", paths[SETS]}, {"candidates", "1"},
                               {"intercept", "no"}, {"rows", "9"}, ONE_THREAD),
                      do_model) > 40);
}

/* A model that is there before memory runs out, and its private evaluation:
   made, written, read, told and drawn. */
static char *evaluated;

static sotto_status do_evaluation(const sotto_options *o, sotto_error *error)
{
    sotto_model *m = NULL;
    sotto_evaluation *e = NULL, *back = NULL;
    char *text = NULL, *words = NULL, *page = NULL;
    const char *name = "m.json";
    sotto_status status = sotto_model_parse(&m, evaluated, error);
    if (status == SOTTO_OK)
        status = sotto_evaluation_make(&e, m, &reading, 1, o, error);
    if (status == SOTTO_OK)
        status = sotto_evaluation_text(&text, e, error);
    if (status == SOTTO_OK)
        status = sotto_evaluation_parse(&back, text, error);
    if (status == SOTTO_OK)
        status = sotto_evaluation_words(&words, back, error);
    const sotto_model *one = m;
    const sotto_evaluation *other = back;
    /* a page's bars do without declared ranges that did not fit the memory:
       svmlight declares none */
    if (status == SOTTO_OK && !strcmp(reading, paths[SVM]))
        status = sotto_report_evaluated(&page, &one, &name, 1, &other, &name, 1,
                                        error);
    sotto_text_free(text);
    sotto_text_free(words);
    sotto_text_free(page);
    sotto_evaluation_free(e);
    sotto_evaluation_free(back);
    sotto_model_free(m);
    return status;
}

static void sweep_evaluation(const char *path, const setting *fit)
{
    sotto_options *o;
    sotto_table *t;
    sotto_model *m = NULL;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (; fit->name; fit++)
        assert_int_equal(sotto_options_set(o, fit->name, fit->value, &error),
                         SOTTO_OK);
    if (sotto_table_read(&t, path, o, &error) ||
        sotto_fit(&m, &t, o, NULL, &error) ||
        sotto_model_text(&evaluated, m, &error))
        fail_msg("%s", error.message);
    sotto_model_free(m);
    sotto_options_free(o);
    assert_true(sweep(path,
                      SETTINGS({"epsilon", "5"}, {"delta", "1e-6"},
                               {"bad-rows", "drop"}, ONE_THREAD),
                      do_evaluation) > 200);
    sotto_text_free(evaluated);
}

static void test_evaluation(void **state)
{
    (void)state;
    sweep_evaluation(paths[SVM],
                     SETTINGS({"loss", "logistic"}, {"features", "3"},
                              {"epsilon", "9"}, {"delta", "1e-3"}));
    sweep_evaluation(paths[NPY], SETTINGS({"target", "3"}, {"epsilon", "9"},
                                          {"delta", "1e-3"}));
}

/* A page of a model with a statement and a name. */
static sotto_status do_report(const sotto_options *o, sotto_error *error)
{
    (void)o;
    static const char statement[] =
        "{\"guarantee\": \"differential privacy\", \"epsilon\": 1, \"delta\": "
        "1e-6, \"adjacency\": \"add-remove\", \"unit\": \"row\", "
        "\"rows_per_person\": 1, \"membership\": \"protected\", "
        "\"questions\": [{\"question\": \"gradient\", \"times\": 3, "
        "\"mechanism\": \"Gaussian\", \"event\": \"GAUSS\", \"mu\": 0.1}], "
        "\"order\": \"given\", \"draws\": 9, \"sotto\": \"0.1.0\", "
        "\"curve\": [{\"delta\": 1e-5, \"epsilon\": 0.9}]}";
    const char *name = "m.json";
    char *page = NULL;
    sotto_model *m = model_new(2);
    if (!m)
        return error_memory(error);
    m->weight[0] = 1;
    m->name = mem_zeroed(2, sizeof *m->name);
    for (int j = 0; m->name && j < 2; j++)
        m->name[j] = mem_text("<a>");
    m->schema = mem_text("{\"columns\": {\"<a>\": {\"type\": \"number\", "
                         "\"bounds\": [0, 2]}}}");
    m->statement = mem_text(statement);
    const sotto_model *one = m;
    sotto_status status =
        m->name && m->name[0] && m->name[1] && m->schema && m->statement
            ? sotto_report(&page, &one, &name, 1, error)
            : error_memory(error);
    if (status == SOTTO_OK) {
        assert_null(strstr(page, "not known</td></tr>\n</table>\n<h3>"));
        assert_non_null(strstr(page, "from its lower declared bound"));
    }
    sotto_text_free(page);
    sotto_model_free(m);
    return status;
}

static sotto_status do_ledger_page(const sotto_options *o, sotto_error *error)
{
    (void)o;
    sotto_ledger *ledger;
    char *page = NULL;
    sotto_status status = sotto_ledger_open(&ledger, paths[LEDGER], error);
    if (status == SOTTO_OK)
        status = sotto_ledger_page(&page, ledger, NULL, error);
    if (status == SOTTO_OK)
        assert_non_null(strstr(page, "A cap for each part"));
    sotto_text_free(page);
    sotto_ledger_close(ledger);
    return status;
}

static void test_ledger_page(void **state)
{
    (void)state;
    assert_true(sweep("", SETTINGS(ONE_THREAD), do_ledger_page) > 20);
}

static void test_report(void **state)
{
    (void)state;
    assert_true(sweep("", SETTINGS(ONE_THREAD), do_report) > 20);
}

static void test_ledger(void **state)
{
    (void)state;
    assert_true(sweep("",
                      SETTINGS({"dataset", "d"}, {"owner", "o"},
                               {"epsilon", "1"}, {"delta", "1e-6"},
                               {"part-column", "c"}, {"parts", "a,b"}),
                      do_ledger) > 60);
    assert_true(
        sweep("",
              SETTINGS({"dataset", "d"}, {"epsilon", "1"}, {"delta", "1e-6"}),
              do_ledger_path) > 20);
    setenv("SOTTO_LEDGER", "x", 1);
    assert_true(sweep("", SETTINGS(ONE_THREAD), do_own) > 1);
    unsetenv("SOTTO_LEDGER");
    setenv("XDG_STATE_HOME", folder, 1);
    assert_true(sweep("", SETTINGS(ONE_THREAD), do_own) > 1);
    char made[80];
    snprintf(made, sizeof made, "%s/sotto", folder);
    assert_int_equal(rmdir(made), 0);
}

static void test_federate(void **state)
{
    (void)state;
    assert_true(sweep(paths[CSV],
                      SETTINGS({"columns", paths[PARTIES]}, {"epsilon", "inf"},
                               ONE_THREAD),
                      do_federate) > 100);
}

/* SQLite's own memory comes from a library of its own, and is not swept. */
static void test_federate_book(void **state)
{
    (void)state;
    sotto_error error;
    char place[80], ledger[100], number[100];
    snprintf(place, sizeof place, "%s/state", folder);
    snprintf(ledger, sizeof ledger, "%s/ledger", place);
    snprintf(number, sizeof number, "%s/run", place);
    assert_int_equal(mkdir(place, 0700), 0);
    assert_int_equal(federation_read(&agreed, paths[PARTIES], &error),
                     SOTTO_OK);
    agreed.epsilon = 1;
    agreed.delta = 1e-6;
    assert_int_equal(federation_settle(&agreed, &error), SOTTO_OK);
    assert_true(sweep(paths[CSV],
                      SETTINGS({"data", paths[CSV]}, {"state", place},
                               {"ledger", ledger}, {"dataset-path", "/d"}),
                      do_book_party) > 40);
    federation_free(&agreed);
    unlink(ledger);
    unlink(number);
    rmdir(place);
}

static void test_noise(void **state)
{
    (void)state;
    assert_true(sweep("", SETTINGS(ONE_THREAD), do_noise) > 4);
}

static void test_theorems(void **state)
{
    (void)state;
    const char *known = "n=100,p=2,L=1,R=1";
    assert_true(sweep("",
                      SETTINGS({"paper", "dp-cd"}, {"epsilon", "1"},
                               {"delta", "1e-3"}, {"set", known}),
                      do_theorems) > 8);
    assert_true(sweep("",
                      SETTINGS({"paper", "frank-wolfe"},
                               {"set", "h0=1,C=1,T=3"}, {"json", "yes"}),
                      do_theorems) > 8);
    assert_true(sweep("", SETTINGS({"paper", "list"}), do_theorems) > 3);
    assert_true(sweep("", SETTINGS({"paper", "list"}, {"json", "yes"}),
                      do_theorems) > 40);
}

static void test_account(void **state)
{
    (void)state;
    const char *plan = "RANGE(.5) + GAUSS(.25) + RANGE(.125) + LAPLACE(.25) "
                       "+ SUBSAMPLED_GAUSS(.125, 2)";
    assert_true(sweep("", SETTINGS({"event", plan}), do_account) > 40);
    const char *run = "RANGE(.5) + GAUSS(.25) + SUBSAMPLED_GAUSS(.125, 2)*2";
    assert_true(sweep("", SETTINGS({"event", run}), do_book_list) > 40);
    assert_true(sweep("", SETTINGS({"calibrate", "GAUSS(1/z)"}), do_calibrate) >
                40);
}

/* With two threads the order of allocations is not fixed: a random one
   fails, many times. */
static void test_threads(void **state)
{
    (void)state;
    reading = paths[SVM];
    for (int64_t n = 1; n < 60; n++) {
        sotto_error error = {0};
        countdown = n;
        sotto_status status =
            with_options(SETTINGS({"threads", "3"}), do_read, &error);
        countdown = -1;
        assert_true(status == SOTTO_OK || strstr(error.message, "emory"));
    }
}

/* ---- files to read ---- */

static void make_file(int which, const char *name, const void *bytes,
                      size_t size)
{
    snprintf(paths[which], sizeof *paths, "%s/%s", folder, name);
    FILE *file = fopen(paths[which], "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void make_text(int which, const char *name, const char *text)
{
    make_file(which, name, text, strlen(text));
}

static void make_npy(int which, const char *name, const char *order)
{
    char bytes[300];
    double x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    int length = snprintf(bytes + 10, 128,
                          "{'descr': '<f8', 'fortran_order': %s, "
                          "'shape': (4, 3), }\n",
                          order);
    memcpy(bytes, "\x93NUMPY\x01", 8);
    bytes[8] = (char)length;
    bytes[9] = 0;
    memcpy(bytes + 10 + length, x, sizeof x);
    make_file(which, name, bytes, 10 + (size_t)length + sizeof x);
}

static sotto_status create_dataset(const sotto_options *o, sotto_error *error)
{
    return sotto_ledger_create(paths[LEDGER], o, error);
}

/* Two data sets, one of them with parts. */
static void make_ledger(void)
{
    const setting whole[] = {
        {"dataset", "a"}, {"epsilon", "1"}, {"delta", "1e-6"}, {NULL, NULL}};
    const setting parts[] = {{"dataset", "b"},   {"epsilon", "1"},
                             {"delta", "1e-6"},  {"part-column", "q"},
                             {"parts", "Q1,Q2"}, {NULL, NULL}};
    sotto_error error;
    snprintf(paths[LEDGER], sizeof *paths, "%s/ledger", folder);
    assert_int_equal(with_options(whole, create_dataset, &error), SOTTO_OK);
    assert_int_equal(with_options(parts, create_dataset, &error), SOTTO_OK);
}

static int make_files(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    make_text(SCHEMA, "schema.json",
              "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"],"
              " \"columns\": {\"age\": {\"type\": \"number\", \"bounds\":"
              " [0, 9], \"missing\": 3}, \"sex\": {\"type\": \"category\","
              " \"levels\": [\"f\", \"m\"], \"other\": true, \"missing\": "
              "\"none\"},"
              "\"id\": {\"type\": \"unit\"}, \"w\": {\"type\": \"weight\","
              " \"bounds\": [0, 10]}, \"x\": {\"type\": \"number\"},"
              "\"out\": {\"type\": \"target\", \"classes\": [\"no\","
              " \"yes\"]}}}");
    make_text(FULL, "full.json",
              "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"],"
              " \"columns\": {\"age\": {\"type\": \"number\", \"bounds\":"
              " [0, 9], \"missing\": 3}, \"sex\": {\"type\": \"category\","
              " \"levels\": [\"f\", \"m\"], \"missing\": \"none\"},"
              "\"id\": {\"type\": \"unit\"}, \"w\": {\"type\": \"weight\","
              " \"bounds\": [0, 10]}, \"x\": {\"type\": \"number\","
              " \"bounds\": [0, 2e6]},"
              "\"out\": {\"type\": \"target\", \"classes\": [\"no\","
              " \"yes\"]}}}");
    make_text(ASKED, "asked.json",
              "{\"sotto_schema\": 1, \"missing_values\": [\"NA\"],"
              " \"columns\": {\"age\": {\"type\": \"number\", \"bounds\":"
              " [0, 9], \"missing\": 3}, \"sex\": {\"type\": \"category\","
              " \"levels\": \"private\", \"missing\": \"none\"},"
              "\"id\": {\"type\": \"unit\"}, \"w\": {\"type\": \"weight\","
              " \"bounds\": [0, 10]}, \"x\": {\"type\": \"number\","
              " \"bounds\": [0, 2e6]},"
              "\"out\": {\"type\": \"target\", \"classes\": [\"no\","
              " \"yes\"]}}}");
    make_text(WRONG, "wrong.json",
              "{\"sotto_schema\": 2, \"missing_values\": [1], \"more\": 1,"
              " \"default\": {\"type\": \"category\", \"levels\": [\"a\"]},"
              " \"columns\": {\"age\": {\"type\": \"category\", \"levels\":"
              " [\"a\", \"a\"]}, \"sex\": {\"type\": \"category\","
              " \"levels\": [\"other\"], \"other\": true},"
              " \"c\": {\"type\": \"category\", \"levels\": [\"u\"],"
              " \"other\": true}, \"c=u\": {\"type\": \"number\"},"
              " \"id\": {\"type\": \"target\"}, \"out\": {\"type\":"
              " \"target\"}, \"w\": {\"type\": \"weight\"}}}");
    make_text(CSV, "a.csv",
              "id,age,sex,x,out,w\n\"a\"\"n\",9,f,1000000.1,yes,1\n"
              "bob,NA,,1000000.2,no,2\n");
    make_text(PARTIES, "parties.json",
              "{\"sotto_parties\": 1, \"target\": {\"name\": \"w\", "
              "\"bounds\": [0, 10], \"party\": \"n\"}, \"rounds\": 5, "
              "\"buckets\": 4, \"missing_values\": [\"NA\"], \"parties\": "
              "[{\"name\": \"n\", \"radius\": 1, \"cap\": 2, \"columns\": "
              "{\"age\": {\"type\": \"number\", \"bounds\": [0, 9], "
              "\"missing\": 3}}}, {\"name\": \"s\", \"radius\": 1, \"cap\": 2, "
              "\"constant\": 1, \"columns\": {\"sex\": {\"type\": "
              "\"category\", \"levels\": [\"f\", \"m\"], \"other\": true, "
              "\"missing\": \"none\"}}}]}");
    make_text(SVM, "a.svm", "1 1:1 3:2\n-1 2:1e-3\n1\n");
    make_text(BALLS, "balls", "ball 1 1 3\nbox -1,1 2\n");
    make_text(SETS, "sets", ".5 1\n.5 1-2\n");
    make_text(SCALES, "scales", "1 1 1\n");
    make_npy(NPY, "a.npy", "False");
    make_npy(FORTRAN, "f.npy", "True");
    snprintf(paths[GZIP], sizeof *paths, "%s/b.csv.gz", folder);
    char command[256];
    snprintf(command, sizeof command,
             "printf 'note,x,t\\n\"a\\n\",1,2\\nb,3,4\\n' | gzip > %s",
             paths[GZIP]);
    make_ledger();
    snprintf(paths[OUT], sizeof *paths, "%s/out", folder);
    snprintf(paths[KEY], sizeof *paths, "%s/key", folder);
    snprintf(paths[NEXT], sizeof *paths, "%s/next", folder);
    snprintf(paths[TABLE], sizeof *paths, "%s/t.sotto", folder);
    return system(command);
}

static int remove_files(void **state)
{
    (void)state;
    for (int i = 0; i <= OUT; i++)
        unlink(paths[i]);
    return rmdir(folder); /* fails when a temporary file was left */
}

static void *json_block(size_t size)
{
    return __wrap_malloc(size);
}

static void json_release(void *block)
{
    __wrap_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),     cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_gzip),   cmocka_unit_test(test_svmlight),
        cmocka_unit_test(test_npy),        cmocka_unit_test(test_template),
        cmocka_unit_test(test_check),      cmocka_unit_test(test_marked),
        cmocka_unit_test(test_generate),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_exact),      cmocka_unit_test(test_model),
        cmocka_unit_test(test_private),    cmocka_unit_test(test_noise),
        cmocka_unit_test(test_theorems),   cmocka_unit_test(test_account),
        cmocka_unit_test(test_federate),   cmocka_unit_test(test_report),
        cmocka_unit_test(test_read_files), cmocka_unit_test(test_read_after),
        cmocka_unit_test(test_signed),     cmocka_unit_test(test_audit),
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_ledger_page),
        cmocka_unit_test(test_ledger),     cmocka_unit_test(test_federate_book),
        cmocka_unit_test(test_columns),    cmocka_unit_test(test_stream),
        cmocka_unit_test(test_evaluation),
    };
    json_set_alloc_funcs(json_block, json_release);
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
