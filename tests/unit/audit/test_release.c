/*
 * The release test: nothing but the gate's answers depends on the records. The
 * gate works as always (it charges, sums, draws noise), but at link time
 * (--wrap) its answers are replaced by numbers that depend only on the
 * question's place in the run. All other output must then be the same for any
 * records: every byte of the model and of MODEL.spent, the calls of the
 * progress callback, and what each call returned. The test also notes the exact
 * sums, to be certain that the records did differ.
 */
#include "reading.h"

#include "wrapped.h"

#include <sys/stat.h>

/* ---- scripted answers ---- */

static struct {
    int64_t questions;
    uint64_t sums; /* a mark of all exact sums */
} seen;

sotto_status __wrap_curator_public_word(const curator *c, uint64_t *out,
                                        sotto_error *error);

/* About 100 rows, mean squares of a tenth and more, derivatives on both
   sides of 0. */
static int64_t scripted(ask_kind kind, int64_t question, size_t i)
{
    int64_t random =
        (int64_t)(mixed((uint64_t)question * 1000 + i) % (20 * KERNEL_CLIP));
    if (kind == ASK_TOTAL)
        return 90 * (int64_t)KERNEL_CLIP + random;
    return kind == ASK_MOMENTS ? 10 * KERNEL_CLIP + random
                               : random - 10 * KERNEL_CLIP;
}

static void sum_and_note(curator *c, const void *what, int64_t *out)
{
    const gate_question *q = what;
    for (size_t i = 0; q->objective_noise && i < q->answers; i++)
        q->objective_noise[i] = (int64_t)i << 20; /* scripted, as all noise */
    q->sum(c, q->what, out);
    for (size_t i = 0; i < q->answers; i++)
        seen.sums = mixed(seen.sums + (uint64_t)out[i] + 1);
}

sotto_status __wrap_gate_release(curator *c, const gate_question *q,
                                 int64_t *out, double *noise,
                                 sotto_error *error)
{
    gate_question noted = *q;
    noted.sum = sum_and_note;
    noted.what = q;
    sotto_status status = __real_gate_release(c, &noted, out, noise, error);
    for (size_t i = 0; status == SOTTO_OK && i < q->answers; i++)
        out[i] = scripted(q->kind, seen.questions, i);
    seen.questions++;
    return status;
}

static const int64_t *score_and_note(curator *c, const void *what)
{
    const gate_contest *q = what;
    const int64_t *scores = q->scores(c, q->what);
    for (size_t i = 0; i < q->count; i++)
        seen.sums = mixed(seen.sums + (uint64_t)scores[i * q->stride] + 1);
    return scores;
}

/* A choice: any of them, by its place in the run. */
sotto_status __wrap_gate_choose(curator *c, const gate_contest *q,
                                int64_t *winner, sotto_error *error)
{
    gate_contest noted = *q;
    noted.scores = score_and_note;
    noted.what = q;
    sotto_status status = __real_gate_choose(c, &noted, winner, error);
    *winner = (int64_t)(mixed((uint64_t)seen.questions++) % q->count);
    return status;
}

/* Which coordinate is next is public, but drawn anew in each run. */
sotto_status __wrap_curator_public_word(const curator *c, uint64_t *out,
                                        sotto_error *error)
{
    (void)c;
    (void)error;
    *out = 4711;
    return SOTTO_OK;
}

/* ---- what a run leaves ---- */

static char folder[] = "/tmp/sotto-release-XXXXXX";
static char data_path[64], model_path[64], spent_path[64], schema_path[64];

static void set_path(char *path, const char *name)
{
    snprintf(path, 64, "%s/%s", folder, name);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

/* All output of a run, as text. */
static void put_file(text_buffer *t, const char *path)
{
    char *bytes = NULL;
    size_t size;
    sotto_error error;
    text_format(t, "\n== %s\n", path);
    if (file_read(path, 1 << 24, &bytes, &size, &error) == SOTTO_OK)
        text_add(t, bytes, size);
    else
        text_put(t, "(not there)");
    mem_free(bytes);
}

static void put_status(text_buffer *t, const char *call, sotto_status status,
                       const sotto_error *error)
{
    text_format(t, "%s: %d %s\n", call, (int)status,
                status == SOTTO_OK ? "" : error->message);
}

static int told(void *context, const sotto_progress *progress)
{
    text_format(context, "progress %a %a %s %lld %lld\n", progress->share,
                progress->gap, progress->stage, (long long)progress->round,
                (long long)progress->total);
    return 0;
}

static void remarked(void *context, const char *line)
{
    text_format(context, "remark: %s\n", line);
}

typedef struct release {
    text_buffer text;
    sotto_status status; /* of the fit */
    int64_t questions;
    uint64_t sums;
} release;

/* Trains as `sotto train` does. Remarks about rows are for the operator;
   they count as output only where everything must be silent. */
static void train(release *r, const sotto_options *o, int silent)
{
    sotto_table *table = NULL;
    sotto_model *model = NULL;
    sotto_error error = {0};
    text_buffer *t = &r->text;
    sotto_progress_callback callback = {
        .call = told, .context = t, .remark = silent ? remarked : NULL};
    put_status(t, "check", sotto_fit_check(o, &error), &error);
    sotto_status status = sotto_table_read(&table, data_path, o, &error);
    put_status(t, "read", status, &error);
    for (int64_t i = 0; silent && table && sotto_table_warning(table, i); i++)
        text_format(t, "remark: %s\n", sotto_table_warning(table, i));
    if (status == SOTTO_OK)
        status = sotto_fit(&model, &table, o, &callback, &error);
    put_status(t, "fit", status, &error);
    put_file(t, spent_path);
    r->status = status;
    for (int64_t i = 0; model && sotto_model_remark(model, i, &error); i++)
        text_format(t, "remark: %s\n", error.message);
    if (status == SOTTO_OK) {
        put_status(t, "write", sotto_model_write(model, model_path, &error),
                   &error);
        put_status(t, "settle", sotto_fit_settle(model, model_path, &error),
                   &error);
    }
    sotto_model_free(model);
    sotto_table_free(table);
}

static release release_of(const char *text, const setting *s, int drop)
{
    release r = {{0}, SOTTO_OK, 0, 0};
    sotto_options *o = options_with(s);
    sotto_error error;
    assert_int_equal(sotto_options_set(o, "output", model_path, &error),
                     SOTTO_OK);
    assert_int_equal(
        sotto_options_set(o, "bad-rows", drop ? "drop" : "stop", &error),
        SOTTO_OK);
    write_file(data_path, text);
    seen.questions = 0;
    seen.sums = 0;
    train(&r, o, drop);
    put_file(&r.text, model_path);
    put_file(&r.text, spent_path);
    assert_false(r.text.failed);
    r.questions = seen.questions;
    r.sums = seen.sums;
    unlink(model_path);
    unlink(spent_path);
    sotto_options_free(o);
    return r;
}

/* ---- records ---- */

enum { ROWS = 97 };

/* One row of a CSV file: two numbers, a level, a weight, a person, a target;
   or of a svmlight file, which has nothing in column 4. */
static void put_row(text_buffer *t, int sparse, int classes, int i)
{
    double x[4];
    for (int j = 0; j < 4; j++)
        x[j] = (double)(mixed((uint64_t)(10 * i + j)) % 2001) / 1000 - 1;
    double y = x[0] - x[1] / 2 + x[3] / 3;
    if (classes)
        y = y > 0 ? 1 : -1;
    if (sparse)
        text_format(t, "%g 1:%g%s 3:%g\n", y, x[0], i % 3 ? " 2:0.5" : "",
                    x[1]);
    else
        text_format(t, "%g,%g,%s,%g,p%d,%g\n", x[0], x[1], i % 2 ? "u" : "v",
                    1 + x[2] / 2, i / 2, y);
}

/* What is done to D: rows from `at` on are left out, a line is put there. */
typedef struct change {
    const char *name;
    int at, gone;
    const char *csv, *svm;
    int malformed;
} change;

static const change changes[] = {
    {"one changed", 50, 1, "1,-1,u,2,p25,1\n", "1 1:-1 2:1 3:1\n", 0},
    {"one to the extreme", 0, 1, "1e30,-1e30,u,1e30,q,-1\n",
     "-1 1:1e30 2:-1e30 3:1e30\n", 0},
    {"one with a feature of its own", 96, 1, "0,0,v,0,p96,-1\n",
     "1 1:0.5 4:1\n", 0},
    {"one more", ROWS, 0, "0.5,0.25,v,1,somebody,1\n", "1 4:0.5\n", 0},
    {"one more in front", 0, 0, "0.5,0.25,u,2,p0,-1\n", "-1 1:1 4:-1\n", 0},
    {"one less", 10, 1, "", "", 0},
    {"most gone", 3, ROWS - 5, "", "", 0},
    {"all gone", 0, ROWS, "", "", 0},
    {"no number", 40, 0, "x,0,u,1,p1,1\n", "1 1:x\n", 1},
    {"no target", 41, 0, "0,0,u,1,p1,\n", "1:1 2:1\n", 1},
    {"an unknown level, a far column", 42, 0, "0,0,w,1,p1,1\n", "1 9:1\n", 1},
    {"too short, out of order", 43, 0, "0,0\n", "1 3:1 2:1\n", 1},
    {"too long", ROWS, 0, "0,0,u,1,p1,1,7\n", "1 1:1:1\n", 1},
    {"nothing", 0, 0, ",,,,,\n", "1 -1:1\n", 1},
    {"one broken", 60, 1, "0,x,u,1,p30,1\n", "1 0:1\n", 1},
    {"noise on the line", 5, 0, "\"\x01\xff,\"\"u\n", "\x01\xff\n", 1},
};

enum { CHANGES = sizeof changes / sizeof *changes };

/* D, or D with a change. */
static char *file_with(int sparse, int classes, const change *c)
{
    text_buffer t = {0};
    text_put(&t, sparse ? "" : "a,b,level,w,who,t\n");
    for (int i = 0; i <= ROWS; i++) {
        if (c && i == c->at)
            text_put(&t, sparse ? c->svm : c->csv);
        if (i < ROWS && !(c && i >= c->at && i < c->at + c->gone))
            put_row(&t, sparse, classes, i);
    }
    assert_false(t.failed);
    return t.data ? t.data : mem_text("");
}

/* ---- the comparison ---- */

/* Which changes make neighbours whose number of rows is not public. */
typedef enum shapes { SAME_ROWS, ANY_ROWS } shapes;

static void same_release(const release *a, const release *b, const char *name)
{
    if (a->text.length == b->text.length &&
        !memcmp(a->text.data, b->text.data, a->text.length))
        return;
    fail_msg("%s: something else is released:\n%s\n---- and\n%s", name,
             a->text.data, b->text.data);
}

/* A run that asks less shows nothing, nor one that leaves these words out. */
static int fewest = 12;
static const char *must_say = "";

static void compare_with(const release *expected, const change *c, int sparse,
                         int classes, const setting *s, int drop)
{
    char *text = file_with(sparse, classes, c);
    release r = release_of(text, s, drop);
    same_release(expected, &r, c->name);
    assert_int_equal(r.questions, expected->questions);
    /* a malformed row counts as absent; any other change is visible to the
       curator */
    assert_int_equal(r.sums == expected->sums, c->malformed && !c->gone);
    text_free(&r.text);
    mem_free(text);
}

static void compare_all(int sparse, int classes, const setting *s, shapes rows,
                        int drop)
{
    char *text = file_with(sparse, classes, NULL);
    release expected = release_of(text, s, drop);
    if (expected.status != SOTTO_OK)
        fail_msg("%s", expected.text.data);
    assert_true(expected.questions >= fewest);
    assert_non_null(strstr(expected.text.data, must_say));
    assert_non_null(strstr(expected.text.data, "\"sotto_spent\": 1"));
    assert_non_null(strstr(expected.text.data, "progress 0x1p+0 "));
    for (int i = 0; i < CHANGES; i++) {
        const change *c = &changes[i];
        int as_many = c->gone == 1 && c->csv[0];
        if (c->malformed ? drop : rows == ANY_ROWS || as_many)
            compare_with(&expected, c, sparse, classes, s, drop);
    }
    text_free(&expected.text);
    mem_free(text);
}

/* ---- the cases ---- */

static const char csv_schema[] =
    "{\"sotto_schema\": 1, \"columns\": {"
    "\"a\": {\"type\": \"number\", \"bounds\": [-1, 1]}, "
    "\"b\": {\"type\": \"number\", \"bounds\": [-1, 2]}, "
    "\"level\": {\"type\": \"category\", \"levels\": [\"u\", \"v\"]}, "
    "\"w\": {\"type\": \"drop\"}, \"who\": {\"type\": \"drop\"}, "
    "\"t\": {\"type\": \"target\"}}}";
static const char people_schema[] =
    "{\"sotto_schema\": 1, \"columns\": {"
    "\"a\": {\"type\": \"number\", \"bounds\": [-1, 1]}, "
    "\"b\": {\"type\": \"number\", \"bounds\": [-1, 2]}, "
    "\"level\": {\"type\": \"category\", \"levels\": [\"u\", \"v\"]}, "
    "\"w\": {\"type\": \"weight\", \"bounds\": [0, 2]}, "
    "\"who\": {\"type\": \"unit\"}, \"t\": {\"type\": \"target\"}}}";
static const char svm_schema[] =
    "{\"sotto_schema\": 1, \"default\": {\"type\": \"number\", \"bounds\": "
    "[-1, 1]}, \"columns\": {\"t\": {\"type\": \"target\"}}}";

static const char open_csv_schema[] =
    "{\"sotto_schema\": 1, \"columns\": {"
    "\"a\": {\"type\": \"number\"}, \"b\": {\"type\": \"number\"}, "
    "\"level\": {\"type\": \"category\", \"levels\": [\"u\", \"v\"]}, "
    "\"w\": {\"type\": \"drop\"}, \"who\": {\"type\": \"drop\"}, "
    "\"t\": {\"type\": \"target\"}}}";
static const char open_svm_schema[] =
    "{\"sotto_schema\": 1, \"columns\": {\"2\": {\"type\": \"number\", "
    "\"bounds\": [-1, 1]}, \"t\": {\"type\": \"target\"}}}";

static void use(const char *schema, int sparse)
{
    write_file(schema_path, schema);
    set_path(data_path, sparse ? "d.svm" : "d.csv");
}

/* What all cases have, and more. */
typedef struct settings {
    setting list[16];
} settings;

static settings settings_with(int sparse, int classes, const setting *more)
{
    settings s = {{{"loss", classes ? "logistic" : "squared"},
                   {"epsilon", "1"},
                   {"delta", "1e-6"},
                   {"schema", schema_path},
                   {sparse ? "features" : "threads", "4"}}};
    size_t n = 5;
    if (!more->name || strcmp(more->name, "solver")) {
        s.list[n++] = (setting){"solver", "cd"};
        s.list[n++] = (setting){"passes", "3"};
    }
    for (size_t i = 0; more[i].name; i++)
        s.list[n++] = more[i];
    return s;
}

static void each_loss(int sparse, const char *schema, shapes rows,
                      const setting *more)
{
    use(schema, sparse);
    for (int classes = 0; classes < 2; classes++)
        for (int drop = 0; drop < 2; drop++) {
            settings s = settings_with(sparse, classes, more);
            compare_all(sparse, classes, s.list, rows, drop);
        }
}

/* The number of rows is asked for. */
static void test_add_remove(void **state)
{
    (void)state;
    each_loss(0, csv_schema, ANY_ROWS, NO_SETTINGS);
    each_loss(1, svm_schema, ANY_ROWS, NO_SETTINGS);
}

/* Nobody declared bounds, and rows are scaled. */
static void test_scaled_rows(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        each_loss(sparse, sparse ? open_svm_schema : open_csv_schema, ANY_ROWS,
                  SETTINGS({"rows", "100"}, {"undeclared", "rows"}));
}

/* It is declared, and the mean squares are asked for; several rounds, a
   penalty that keeps weights at 0. */
static void test_private_smoothness(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        each_loss(sparse, sparse ? svm_schema : csv_schema, ANY_ROWS,
                  SETTINGS({"rows", "100"}, {"smoothness", "private:0.2"},
                           {"order", "uniform"}, {"rounds", "2"},
                           {"l1", "0.01"}, {"l2", "0.1"}));
}

/* It is public where neighbours have as many rows, and asked for where a row
   can be dropped. */
static void test_replace_one(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        const char *schema = sparse ? svm_schema : csv_schema;
        each_loss(sparse, schema, SAME_ROWS,
                  SETTINGS({"adjacency", "replace-one"}));
        each_loss(sparse, schema, SAME_ROWS,
                  SETTINGS({"adjacency", "zero-out"}, {"intercept", "no"}));
    }
}

/* People with several rows, of which one counts, and weights. */
static void test_people(void **state)
{
    (void)state;
    each_loss(0, people_schema, ANY_ROWS, NO_SETTINGS);
    each_loss(0, people_schema, ANY_ROWS,
              SETTINGS({"adjacency", "replace-one"}, {"rows-per-person", "3"},
                       {"smoothness", "private:0.1"}, {"order", "cyclic"}));
}

/* Calibration is slow here, so each storage has one loss only. */
static void one_loss(int sparse, int classes, int drop, const char *schema,
                     const setting *more)
{
    use(schema, sparse);
    settings s = settings_with(sparse, classes, more);
    compare_all(sparse, classes, s.list, ANY_ROWS, drop);
}

/* Second moments, features and target together. */
static void test_moments(void **state)
{
    (void)state;
    fewest = 2; /* the rows and their moments */
    one_loss(0, 0, 0, csv_schema, SETTINGS({"solver", "ssp"}, {"l1", "0.01"}));
    one_loss(1, 0, 1, svm_schema, SETTINGS({"solver", "ssp"}, {"clip", "2"}));
    one_loss(0, 0, 1, people_schema,
             SETTINGS({"solver", "ssp"}, {"intercept", "no"}));
    fewest = 12;
}

/* Minimisers, which depend on all rows at once. */
static void test_minimisers(void **state)
{
    (void)state;
    fewest = 2; /* the rows and where it is least */
    one_loss(0, 1, 0, csv_schema,
             SETTINGS({"solver", "output"}, {"intercept", "no"}, {"l2", "0.1"},
                      {"l1", "0.01"}));
    one_loss(1, 0, 1, svm_schema,
             SETTINGS({"solver", "output"}, {"intercept", "no"}, {"l2", "0.1"},
                      {"clip", "2"}));
    one_loss(0, 0, 1, people_schema,
             SETTINGS({"solver", "output"}, {"intercept", "no"}, {"l2", "1"}));
    fewest = 1;
    one_loss(0, 1, 1, csv_schema,
             SETTINGS({"solver", "objective"}, {"intercept", "no"}, {"l2", "1"},
                      {"rows", "100"}));
    one_loss(1, 1, 0, svm_schema,
             SETTINGS({"solver", "objective"}, {"intercept", "no"}, {"l2", "1"},
                      {"rows", "100"}));
    fewest = 12;
}

/* Whole gradients, and differences of gradients over batches that contain
   every row. */
static void test_anchors(void **state)
{
    (void)state;
    one_loss(0, 1, 0, csv_schema,
             SETTINGS({"solver", "svrg"}, {"batch-rate", "1"}, {"steps", "4"},
                      {"rounds", "3"}));
    one_loss(1, 0, 1, svm_schema,
             SETTINGS({"solver", "svrg"}, {"batch-rate", "1"}, {"steps", "5"},
                      {"rounds", "2"}, {"l1", "0.01"}));
}

/* Choices, of coordinates and of vertices. */
static void test_choices(void **state)
{
    (void)state;
    one_loss(0, 1, 0, csv_schema,
             SETTINGS({"solver", "gcd"}, {"steps", "6"}, {"l1", "0.01"}));
    one_loss(1, 0, 1, svm_schema,
             SETTINGS({"solver", "fw"}, {"steps", "6"}, {"radius", "2"},
                      {"intercept-radius", "1"}));
    one_loss(0, 0, 1, people_schema,
             SETTINGS({"solver", "bcfw"}, {"steps", "6"}, {"blocks", "3"},
                      {"box", "-1,2"}, {"sampling", "nice:2"},
                      {"intercept", "no"}));
    one_loss(1, 1, 0, svm_schema,
             SETTINGS({"solver", "bcfw"}, {"steps", "12"}, {"blocks", "2"},
                      {"radius", "1"}, {"candidates", "1"},
                      {"intercept", "no"}));
}

/* How many of them there are follows from the answer about the rows. */
static void test_steps_by_rows(void **state)
{
    (void)state;
    one_loss(0, 1, 0, csv_schema,
             SETTINGS({"solver", "gcd"}, {"epsilon", "8"}, {"l1", "0.01"}));
    one_loss(1, 0, 1, svm_schema,
             SETTINGS({"solver", "fw"}, {"epsilon", "8"}, {"radius", "2"},
                      {"intercept-radius", "1"}));
    one_loss(0, 0, 1, people_schema,
             SETTINGS({"solver", "bcfw"}, {"epsilon", "8"}, {"blocks", "3"},
                      {"box", "-1,2"}, {"sampling", "nice:2"},
                      {"intercept", "no"}));
}

/* The model has the spreads that penalties were in units of. */
static void test_spreads(void **state)
{
    (void)state;
    must_say = "\"penalty_scales\": [";
    one_loss(0, 0, 0, csv_schema, SETTINGS({"solver", "newton"}, {"l2", "1"}));
    one_loss(1, 1, 1, svm_schema,
             SETTINGS({"solver", "newton"}, {"rows", "100"}, {"l1", "0.01"}));
    one_loss(0, 0, 1, open_csv_schema, /* in bounds that were bought */
             SETTINGS({"solver", "auto"}, {"path", "dense"}, {"l2", "0.1"}));
    must_say = "";
}

/* Without --bad-rows drop the same malformed rows stop the run before any
   question is asked or any file written. */
static void test_stop(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int i = 0; i < CHANGES; i++) {
            if (!changes[i].malformed)
                continue;
            use(sparse ? svm_schema : csv_schema, sparse);
            char *text = file_with(sparse, 0, &changes[i]);
            settings s = settings_with(sparse, 0, NO_SETTINGS);
            release r = release_of(text, s.list, 0);
            assert_int_equal(r.status, SOTTO_DATA);
            assert_int_equal(r.questions, 0);
            assert_null(strstr(r.text.data, "sotto_spent"));
            assert_null(strstr(r.text.data, "sotto_model"));
            text_free(&r.text);
            mem_free(text);
        }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    set_path(model_path, "m.json");
    set_path(spent_path, "m.json.spent");
    set_path(schema_path, "s.json");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    const char *const names[] = {"d.csv", "d.svm", "s.json"};
    for (size_t i = 0; i < 3; i++) {
        set_path(data_path, names[i]);
        unlink(data_path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_remove),
        cmocka_unit_test(test_scaled_rows),
        cmocka_unit_test(test_private_smoothness),
        cmocka_unit_test(test_replace_one),
        cmocka_unit_test(test_people),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_minimisers),
        cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_steps_by_rows),
        cmocka_unit_test(test_spreads),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
