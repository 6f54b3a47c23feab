/*
 * The release test of private evaluation: nothing but the gate's answers
 * depends on the records. Its answers are replaced at link time by numbers that
 * depend on the question's place alone. Then every byte of the evaluation and
 * of FILE.spent must be the same for any records, and how it ended; the exact
 * sums are noted, to be certain that the records did differ.
 */
#include "reading.h"

#include "model.h"
#include "wrapped.h"

static struct {
    int64_t questions;
    uint64_t sums;
} seen;

/* Counts that make sense of any task: 20 to 60 rows in each cell. */
static void sum_and_note(curator *c, const void *what, int64_t *out)
{
    const gate_question *q = what;
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
        out[i] =
            (20 + (int64_t)(mixed((uint64_t)seen.questions * 100 + i) % 40)) *
            (int64_t)KERNEL_CLIP;
    seen.questions++;
    return status;
}

/* ---- files ---- */

static char folder[] = "/tmp/sotto-release-XXXXXX";
static char data_path[64], output_path[64], spent_path[64];

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

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

/* ---- models, without privacy: they are public here ---- */

typedef struct task {
    const char *loss, *classes, *target;
} task;

static const task tasks[] = {{"logistic", "n,y", "ny"},
                             {"hinge", "n,y", "ny"},
                             {"logistic", "n,y,z", "nyz"},
                             {"squared", NULL, NULL}};
enum { TASKS = sizeof tasks / sizeof *tasks, ROWS = 60 };

static void put_row(text_buffer *t, const task *k, int i)
{
    double a = (double)(mixed((uint64_t)i) % 2001) / 1000 - 1;
    double b = (double)(mixed((uint64_t)i + 500) % 2001) / 1000 - 1;
    text_format(t, "%g,%g,p%d,", a, b, i / 2);
    if (k->target)
        text_format(t, "%c\n",
                    k->target[mixed((uint64_t)i + 900) % strlen(k->target)]);
    else
        text_format(t, "%g\n", a - b / 2 + .1);
}

/* D with a line put in, and one left out. */
static char *file_with(const task *k, const char *line, int gone)
{
    text_buffer t = {0};
    text_put(&t, "a,b,who,t\n");
    for (int i = 0; i < ROWS; i++) {
        if (i == 30)
            text_put(&t, line);
        if (i != gone)
            put_row(&t, k, i);
    }
    assert_false(t.failed);
    return t.data;
}

static sotto_model *model_of(const task *k)
{
    const setting more[] = {{"target", "t"},
                            {"drop", "who"},
                            {"loss", k->loss},
                            {"epsilon", "30"},
                            {"delta", "1e-3"},
                            {"l2", "0.01"},
                            {k->classes ? "classes" : NULL, k->classes},
                            {NULL, NULL}};
    sotto_options *o = options_with(more);
    sotto_table *t;
    sotto_model *m = NULL;
    sotto_error error;
    char *text = file_with(k, "", -1);
    write_file(data_path, text);
    mem_free(text);
    if (sotto_table_read(&t, data_path, o, &error) ||
        sotto_fit(&m, &t, o, NULL, &error))
        fail_msg("%s", error.message);
    sotto_options_free(o);
    return m;
}

/* ---- a run ---- */

typedef struct release {
    text_buffer text;
    sotto_status status;
    int64_t questions;
    uint64_t sums;
} release;

static release release_of(const sotto_model *m, const char *text,
                          const setting *s)
{
    release r = {{0}, SOTTO_OK, 0, 0};
    sotto_options *o = options_with(s);
    sotto_evaluation *e = NULL;
    const char *path = data_path;
    char *told = NULL;
    sotto_error error = {0};
    write_file(data_path, text);
    seen.questions = 0, seen.sums = 0;
    r.status = sotto_evaluation_make(&e, m, &path, 1, o, &error);
    text_format(&r.text, "%d %s\n", (int)r.status,
                r.status ? error.message : "");
    put_file(&r.text, spent_path);
    if (r.status == SOTTO_OK) {
        assert_int_equal(sotto_evaluation_text(&told, e, &error), SOTTO_OK);
        text_put(&r.text, told);
        assert_int_equal(sotto_evaluation_settle(e, output_path, &error),
                         SOTTO_OK);
    }
    sotto_text_free(told);
    sotto_evaluation_free(e);
    sotto_options_free(o);
    unlink(spent_path);
    r.questions = seen.questions, r.sums = seen.sums;
    assert_false(r.text.failed);
    return r;
}

static void compare(const sotto_model *m, const task *k, const setting *s,
                    const release *expected, const char *line, int gone,
                    int visible)
{
    char *text = file_with(k, line, gone);
    release r = release_of(m, text, s);
    if (strcmp(r.text.data, expected->text.data))
        fail_msg("%s: something else is released:\n%s\n---- and\n%s", line,
                 expected->text.data, r.text.data);
    assert_int_equal(r.questions, expected->questions);
    if (visible >= 0)
        assert_int_equal(r.sums != expected->sums, visible);
    text_free(&r.text);
    mem_free(text);
}

static const char *label(const task *k)
{
    return k->target ? "y" : ".9";
}

/* Neighbours, with --bad-rows drop malformed records, and scores that are too
   large. */
static void compare_all(const task *k, const setting *s, int drop)
{
    sotto_model *m = model_of(k);
    char *text = file_with(k, "", -1), line[64];
    release expected = release_of(m, text, s);
    if (expected.status != SOTTO_OK)
        fail_msg("%s", expected.text.data);
    assert_non_null(strstr(expected.text.data, "\"sotto_spent\": 1"));
    assert_non_null(strstr(expected.text.data, "\"sotto_evaluation\": 1"));
    assert_true(expected.questions >= 3);
    snprintf(line, sizeof line, "1,-1,somebody,%s\n", label(k));
    compare(m, k, s, &expected, line, -1, 1);
    compare(m, k, s, &expected, line, 7, -1); /* it may be in the same cells */
    compare(m, k, s, &expected, "", 7, 1);
    snprintf(line, sizeof line, "1e30,-1e30,somebody,%s\n", label(k));
    compare(m, k, s, &expected, line, -1, 1);
    if (drop) {
        compare(m, k, s, &expected, "x,1,p1,n\n", -1, 0);
        compare(m, k, s, &expected, "1,1,p1,?\n", -1, 0);
        compare(m, k, s, &expected, "1,1\n", -1, 0);
    }
    snprintf(line, sizeof line, "1e30,-1e30,who,%s\n", label(k));
    int64_t all = model_weights(m), width = all / m->features;
    for (int64_t j = 0; j < all; j++) /* at its bounds the sum overflows */
        m->weight[j] = j / width ? -1e308 : 1e308;
    release far = release_of(m, text, s);
    compare(m, k, s, &far, line, -1, 0);
    text_free(&far.text);
    text_free(&expected.text);
    mem_free(text);
    sotto_model_free(m);
}

static void test_neighbours(void **state)
{
    (void)state;
    for (int i = 0; i < TASKS; i++)
        for (int drop = 0; drop < 2; drop++)
            compare_all(&tasks[i],
                        SETTINGS({"epsilon", "1"}, {"delta", "1e-6"},
                                 {"output", output_path}, {"drop", "who"},
                                 {"bad-rows", drop ? "drop" : "stop"}),
                        drop);
}

static void test_people(void **state)
{
    (void)state;
    for (int i = 0; i < TASKS; i++)
        compare_all(&tasks[i],
                    SETTINGS({"epsilon", "1"}, {"delta", "1e-6"},
                             {"output", output_path}, {"unit-column", "who"},
                             {"rows-per-person", "2"}),
                    0);
}

/* Columns in memory are asked the same as a file with their values. */
static void test_columns(void **state)
{
    (void)state;
    static const double a[] = {.5, -1, .25}, b[] = {1, .5, -.75};
    static const double t[] = {.5, -1.5, 1};
    static const struct {
        const char *name;
        const double *value;
    } column[] = {{"a", a}, {"b", b}, {"t", t}};
    sotto_model *m = model_of(&tasks[3]);
    const setting *s = SETTINGS({"epsilon", "1"}, {"delta", "1e-6"});
    release file = release_of(m, "a,b,t\n.5,1,.5\n-1,.5,-1.5\n.25,-.75,1\n", s);
    sotto_options *o = options_with(s);
    sotto_columns *columns;
    sotto_evaluation *e;
    char *told;
    sotto_error error;
    assert_int_equal(file.status, SOTTO_OK);
    assert_int_equal(sotto_columns_new(&columns, 3, &error), SOTTO_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(sotto_columns_add(columns, column[i].name,
                                           column[i].value, SOTTO_F64, 8, NULL,
                                           &error),
                         SOTTO_OK);
    seen.questions = 0, seen.sums = 0;
    if (sotto_evaluation_from(&e, m, columns, o, &error))
        fail_msg("%s", error.message);
    assert_true(seen.sums == file.sums && seen.questions == file.questions);
    assert_int_equal(sotto_evaluation_text(&told, e, &error), SOTTO_OK);
    assert_non_null(strstr(file.text.data, told));
    assert_true(sotto_evaluation_is_of(e, m));
    sotto_estimate n;
    assert_true(sotto_evaluation_number(e, "rows", &n));
    assert_true(n.low_95 <= n.low_90 && n.low_90 < n.value && n.sd > 0 &&
                n.value < n.high_90 && n.high_90 < n.high_95);
    assert_false(sotto_evaluation_number(e, "auc", &n));
    sotto_text_free(told);
    sotto_evaluation_free(e);
    sotto_columns_free(columns);
    sotto_options_free(o);
    text_free(&file.text);
    sotto_model_free(m);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(data_path, sizeof data_path, "%s/d.csv", folder);
    snprintf(output_path, sizeof output_path, "%s/e.json", folder);
    snprintf(spent_path, sizeof spent_path, "%s/e.json.spent", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(data_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_people),
                                       cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
