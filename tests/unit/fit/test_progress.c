/*
 * What a fit tells on its way: every solver names its stages and counts their
 * rounds, the same ones for other records; whoever looks can stop it in every
 * stage; remarks come before the first question.
 */
#include "reading.h"

#include "choices.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 60, LOOKS = 400 };

typedef struct look {
    double share;
    const char *stage;
    int64_t round, total;
} look;

typedef struct seen {
    look look[LOOKS];
    int looks, stop; /* stop: at which look, from 1 */
    int fork;        /* at which look it forks */
    pid_t child;     /* 0: this is the child */
    int is_private;
    text_buffer remarks;
    int remarks_late; /* after a look */
} seen;

static int watch(void *context, const sotto_progress *at)
{
    seen *s = context;
    assert_true(s->looks < LOOKS);
    assert_int_equal(isnan(at->gap), s->is_private);
    s->look[s->looks++] = (look){at->share, at->stage, at->round, at->total};
    if (s->looks == s->fork)
        s->child = fork();
    return s->looks == s->stop;
}

static void listen(void *context, const char *line)
{
    seen *s = context;
    s->remarks_late |= s->looks > 0;
    text_format(&s->remarks, "%s\n", line);
}

static void make(text_buffer *t, unsigned seed)
{
    text_put(t, "a,b,c,t\n");
    for (int i = 0; i < ROWS; i++) {
        int v[3];
        for (int j = 0; j < 3; j++)
            v[j] = (int)((seed = seed * 1664525u + 1013904223u) >> 16) % 100;
        text_format(t, "0.%02d,-0.%02d,0.%02d,%d\n", v[0], v[1], v[2],
                    v[0] > v[1] ? 1 : -1);
    }
}

static const char schema[] =
    "{\"sotto_schema\": 1, \"columns\": {"
    "\"a\": {\"type\": \"number\", \"bounds\": [0, 1]},"
    "\"b\": {\"type\": \"number\", \"bounds\": [-1, 0]},"
    "\"c\": {\"type\": \"number\", \"bounds\": [0, 1]}}}";

static sotto_status fit(seen *s, const char *text, const setting *settings,
                        sotto_error *error)
{
    sotto_table *t;
    sotto_model *m = NULL;
    sotto_options *o = options_with(settings);
    sotto_progress_callback callback = {watch, s, listen};
    s->is_private = option_private(o);
    if (sotto_options_set_content(o, "schema", schema, error) ||
        table_read_memory(&t, "d.csv", text, strlen(text), o, error))
        fail_msg("%s", error->message);
    sotto_status status = sotto_fit(&m, &t, o, &callback, error);
    assert_true(!m == (status != SOTTO_OK));
    sotto_model_free(m);
    sotto_options_free(o);
    return status;
}

#define PRIVATE                                                                \
    {"target", "t"}, {"loss", "logistic"}, {"epsilon", "1"},                   \
        {"delta", "1e-6"},                                                     \
    {                                                                          \
        "insecure-seed", "3"                                                   \
    }
#define NUMBERS                                                                \
    {"target", "t"}, {"loss", "squared"}, {"epsilon", "1"}, {"delta", "1e-6"}, \
    {                                                                          \
        "insecure-seed", "3"                                                   \
    }

/* Solvers with the stages that they have, in order, and how often they look
   in the last; 0: a rule of the solver says it. -1: later stages depend on
   answers. */
typedef struct run {
    const char *stages;
    int64_t total;
    setting setting[12];
} run;

static const run runs[] = {
    {"bounds", 1, {PRIVATE, {"rows", "60"}}},
    {"bounds selection", -1, {PRIVATE, {"rows", "60"}, {"path", "select"}}},
    {"bounds scales curvature rounds",
     0,
     {PRIVATE, {"rows", "60"}, {"solver", "newton"}}},
    {"bounds scales curvature stages",
     3,
     {PRIVATE, {"rows", "10000"}, {"solver", "newton"}}},
    {"bounds scales rounds", 0, {PRIVATE, {"rows", "60"}, {"path", "wide"}}},
    {"steps",
     5,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "scd"},
      {"steps", "5"},
      {"l2", "1"},
      {"intercept", "no"}}},
    {"steps",
     5,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "scd-paper"},
      {"steps", "5"},
      {"l2", "1"},
      {"intercept", "no"}}},
    {"steps",
     5,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "scd-seq"},
      {"adjacency", "replace-one"},
      {"steps", "5"},
      {"l2", "1"},
      {"intercept", "no"}}},
    {"steps",
     5,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "scd-primal"},
      {"steps", "5"},
      {"l2", "1"},
      {"intercept", "no"}}},
    {"rows constants steps",
     12,
     {PRIVATE, {"solver", "cd"}, {"passes", "3"}, {"smoothness", "private"}}},
    {"steps",
     24,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "cd"},
      {"passes", "3"},
      {"rounds", "2"}}},
    {"steps", 7, {PRIVATE, {"rows", "60"}, {"solver", "gd"}, {"steps", "7"}}},
    {"steps",
     7,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "sgd"},
      {"steps", "7"},
      {"clip", "1"}}},
    {"rounds",
     2,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "svrg"},
      {"rounds", "2"},
      {"steps", "3"}}},
    {"steps", 5, {PRIVATE, {"rows", "60"}, {"solver", "gcd"}, {"steps", "5"}}},
    {"steps",
     5,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "fw"},
      {"steps", "5"},
      {"radius", "1"},
      {"intercept", "no"}}},
    {"steps",
     5,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "bcfw"},
      {"steps", "5"},
      {"blocks", "3"},
      {"box", "-1,1"},
      {"intercept", "no"}}},
    {"moments", 1, {NUMBERS, {"rows", "60"}, {"solver", "ssp"}}},
    {"minimiser",
     1,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "output"},
      {"l2", "1"},
      {"norm-bound", "2"},
      {"intercept", "no"}}},
    {"minimiser",
     1,
     {PRIVATE,
      {"rows", "60"},
      {"solver", "objective"},
      {"l2", "9"},
      {"norm-bound", "2"},
      {"intercept", "no"}}},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* Shares and rounds go up, within their bounds, and to the end. */
static void check_looks(const seen *s, const run *r)
{
    text_buffer stages = {0};
    assert_true(s->looks > 0);
    for (int i = 0; i < s->looks; i++) {
        const look *at = &s->look[i], *before = i ? at - 1 : NULL;
        assert_true(at->share >= (before ? before->share : 0));
        assert_true(at->share <= 1);
        assert_true(at->round >= 0 && at->round <= at->total);
        int same = before && !strcmp(at->stage, before->stage);
        assert_true(!same || at->round >= before->round);
        if (!same)
            text_format(&stages, "%s%s", i ? " " : "", at->stage);
        assert_int_equal(at->total > 0, at->round > 0);
    }
    const look *last = &s->look[s->looks - 1];
    if (r->total < 0)
        stages.data[strlen(r->stages)] = 0;
    assert_string_equal(stages.data, r->stages);
    assert_true(last->share == 1);
    assert_int_equal(last->round, last->total);
    if (r->total > 0)
        assert_int_equal(last->total, r->total);
    text_free(&stages);
}

static void test_stages(void **state)
{
    (void)state;
    text_buffer text[2] = {{0}, {0}};
    make(&text[0], 1);
    make(&text[1], 2);
    for (int i = 0; i < RUNS; i++) {
        static seen s[2];
        sotto_error error;
        memset(s, 0, sizeof s);
        for (int k = 0; k < 2; k++)
            if (fit(&s[k], text[k].data, runs[i].setting, &error))
                fail_msg("%d: %s", i, error.message);
        check_looks(&s[0], &runs[i]);
        if (runs[i].total < 0)
            continue;
        assert_int_equal(s[0].looks, s[1].looks); /* whatever the records */
        assert_memory_equal(s[0].look, s[1].look, sizeof s[0].look);
    }
    text_free(&text[0]);
    text_free(&text[1]);
}

/* Every solver is among them. */
static void test_all_solvers(void **state)
{
    (void)state;
#define NAME(id, name) name,
    static const char *const names[] = {SOLVER_LIST(NAME)};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int found = 0;
        for (int i = 0; i < RUNS; i++)
            for (const setting *s = runs[i].setting; s->name; s++)
                found |=
                    !strcmp(s->name, "solver") && !strcmp(s->value, names[k]);
        if (!found && strcmp(names[k], "auto") && strcmp(names[k], "exact"))
            fail_msg("no run of %s", names[k]);
    }
}

static void test_stopped(void **state)
{
    (void)state;
    text_buffer text = {0};
    make(&text, 1);
    for (int i = 0; i < RUNS; i++) {
        static seen whole, part;
        sotto_error error;
        memset(&whole, 0, sizeof whole);
        assert_int_equal(fit(&whole, text.data, runs[i].setting, &error), 0);
        for (int stop = 1; stop <= whole.looks; stop++) {
            if (stop > 4 && stop < whole.looks) /* every stage has begun */
                continue;
            memset(&part, 0, sizeof part);
            part.stop = stop;
            assert_int_equal(fit(&part, text.data, runs[i].setting, &error),
                             SOTTO_INTERRUPTED);
            assert_int_equal(part.looks, stop);
            assert_memory_equal(part.look, whole.look,
                                (size_t)stop * sizeof(look));
        }
    }
    text_free(&text);
}

/* What is charged is for one model: a child that a callback makes stops, and
   its parent goes on. */
static void test_forked(void **state)
{
    (void)state;
    text_buffer text = {0};
    make(&text, 1);
    for (int i = 0; i < RUNS; i++) {
        static seen s;
        sotto_error error;
        int how;
        memset(&s, 0, sizeof s);
        s.fork = 1;
        s.child = -1;
        sotto_status status = fit(&s, text.data, runs[i].setting, &error);
        if (s.child == 0)
            _exit(status == SOTTO_INTERRUPTED && s.looks == 1 ? 7 : 1);
        assert_true(s.child > 0);
        assert_int_equal(waitpid(s.child, &how, 0), s.child);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 7);
        assert_int_equal(status, SOTTO_OK);
    }
    text_free(&text);
}

/* The exact solver counts too, without an end that it knew. */
static void test_exact(void **state)
{
    (void)state;
    text_buffer text = {0};
    static seen s;
    sotto_error error;
    make(&text, 1);
    assert_int_equal(fit(&s, text.data,
                         SETTINGS({"target", "t"}, {"loss", "hinge"},
                                  {"l2", "0.01"}, {"epsilon", "inf"}),
                         &error),
                     SOTTO_OK);
    assert_true(s.looks > 0);
    for (int i = 0; i < s.looks; i++) {
        assert_string_equal(s.look[i].stage, "iterations");
        assert_int_equal(s.look[i].round, i + 1);
        assert_int_equal(s.look[i].total, 0);
    }
    text_free(&text);
}

/* ---- remarks ---- */

static void test_remarks(void **state)
{
    (void)state;
    text_buffer text = {0}, expected = {0};
    static seen s;
    sotto_error error;
    sotto_table *t;
    const setting *settings =
        SETTINGS({"target", "t"}, {"loss", "logistic"}, {"epsilon", "1"},
                 {"delta", "0.5"}, {"rows", "60"}, {"drop", "note"},
                 {"unit-column", "u"});
    text_put(&text, "a,b,c,u,note,t\n0,1,1,1,\"x\ny\",1\n7,0,2,2,,-1\n");
    sotto_options *o = options_with(settings);
    assert_int_equal(sotto_options_set_content(o, "schema", schema, &error), 0);
    assert_int_equal(
        table_read_memory(&t, "d.csv", text.data, text.length, o, &error),
        SOTTO_OK);
    for (int64_t i = 0; sotto_table_warning(t, i); i++)
        text_format(&expected, "%s\n", sotto_table_warning(t, i));
    assert_true(expected.length > 0);
    size_t of_table = expected.length;
    for (int64_t i = 0; sotto_fit_remark(o, t, i, &error); i++)
        text_format(&expected, "%s\n", error.message);
    assert_true(expected.length > of_table);
    sotto_table_free(t);
    sotto_options_free(o);
    assert_int_equal(fit(&s, text.data, settings, &error), SOTTO_OK);
    assert_string_equal(s.remarks.data, expected.data);
    assert_false(s.remarks_late);
    text_free(&s.remarks);
    text_free(&text);
    text_free(&expected);
}

/* Two fields are enough, and none is. */
static void test_fields(void **state)
{
    (void)state;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
    static seen s = {.is_private = 1};
    sotto_progress_callback all[] = {{watch, &s}, {0}};
#pragma GCC diagnostic pop
    text_buffer text = {0};
    make(&text, 1);
    for (int i = 0; i < 2; i++) {
        sotto_error error;
        sotto_model *m;
        sotto_options *o = options_with(SETTINGS(
            PRIVATE, {"rows", "60"}, {"solver", "gd"}, {"steps", "7"}));
        assert_int_equal(sotto_options_set_content(o, "schema", schema, &error),
                         0);
        sotto_table *t;
        assert_int_equal(
            table_read_memory(&t, "d.csv", text.data, text.length, o, &error),
            SOTTO_OK);
        assert_int_equal(sotto_fit(&m, &t, o, &all[i], &error), SOTTO_OK);
        sotto_model_free(m);
        sotto_options_free(o);
    }
    assert_int_equal(s.looks, 7);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages),  cmocka_unit_test(test_all_solvers),
        cmocka_unit_test(test_stopped), cmocka_unit_test(test_forked),
        cmocka_unit_test(test_exact),   cmocka_unit_test(test_remarks),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
