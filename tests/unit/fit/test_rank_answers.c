/*
 * Predictions and evaluations by several ranks, which are threads here: what
 * rank 0 gets is what one process gets, bit for bit.
 */
#include "model.h"
#include "rank_files.h"
#include "rank_group.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- files ---- */

/* Three features, a text with a newline, a person, a weight, and targets: two
   classes, three, and a number. The rows of a person lie everywhere. A row
   whose number is `bad` lacks a value. */
static void write_csv(const char *name, int from, int rows, int bad)
{
    FILE *file = fopen(path_of(name), "w");
    fprintf(file, "a,b,c,text,person,w,two,three,number\n");
    state = 77 + (uint64_t)from;
    for (int i = from; i < from + rows; i++) {
        double x[3], sum;
        for (int j = 0; j < 3; j++)
            x[j] = uniform();
        sum = x[0] - x[1] + uniform() / 2;
        fprintf(file, "%.4f,%s%.4f,%.4f,%s,p%d,%d.3,%d,%c,%.5f\n", x[0],
                i == bad ? "none" : "", x[1], x[2],
                i % 3 ? "plain" : "\"a\nb\"", i * 7 % 23, i % 3 + 1, sum > 0,
                "abc"[(sum > -.4) + (sum > .4)], sum);
    }
    fclose(file);
}

static void write_svmlight(const char *name, int rows)
{
    FILE *file = fopen(path_of(name), "w");
    state = 7;
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%d", uniform() > 0 ? 1 : -1);
        for (int j = 1 + i % 3; j <= 40; j += 1 + (int)(uniform() * 9 + 9))
            fprintf(file, " %d:%.4f", j, uniform());
        fprintf(file, "\n");
    }
    fclose(file);
}

/* A copy in which one person has another name. */
static void write_other(const char *name, const char *from)
{
    FILE *in = fopen(path_of(from), "r"), *out = fopen(path_of(name), "w");
    int plain = 0;
    for (int c; (c = fgetc(in)) != EOF;) {
        plain += c == 'p';
        fputc(c == 'p' && plain == 151 ? 'q' : c, out);
    }
    fclose(in);
    fclose(out);
}

/* The same lines in the other order, but for the first `head` of them. */
static void turn(const char *name, const char *from, int head)
{
    static char line[256][256];
    FILE *in = fopen(path_of(from), "r"), *out = fopen(path_of(name), "w");
    int lines = 0;
    while (lines < 256 && fgets(line[lines], sizeof *line, in))
        lines++;
    for (int i = 0; i < head; i++)
        fputs(line[i], out);
    for (int i = lines - 1; i >= head; i--)
        fputs(line[i], out);
    fclose(in);
    fclose(out);
}

/* The last column is one of so many classes, which the first decides. A huge
   value is in the first column of the row whose number is `huge`, and in the
   second of `other`. */
static void write_npy(const char *name, int rows, int classes, int huge,
                      int other)
{
    char head[128];
    FILE *file = fopen(path_of(name), "wb");
    int size = snprintf(head, sizeof head,
                        "{'descr': '<f8', 'fortran_order': False, 'shape': "
                        "(%d, 4), }",
                        rows);
    memset(head + size, ' ', (size_t)(118 - size));
    head[117] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(head, 1, 118, file);
    state = 5;
    for (int i = 0; i < rows; i++) {
        double x[4];
        for (int j = 0; j < 3; j++)
            x[j] = uniform();
        double sum = x[0] + uniform();
        x[3] = classes == 2 ? sum > 0 : (sum > -.4) + (sum > .4);
        x[0] = i == huge ? 1e38 : x[0];
        x[1] = i == other ? 1e38 : x[1];
        fwrite(x, sizeof *x, 4, file);
    }
    fclose(file);
}

static void write_schema(const char *name, const char *target)
{
    FILE *file = fopen(path_of(name), "w");
    fprintf(file, "{\"sotto_schema\": 1, \"default\": {\"type\": \"drop\"}, "
                  "\"columns\": {");
    for (int j = 0; j < 3; j++)
        fprintf(file, "\"%c\": {\"type\": \"number\", \"bounds\": [-1, 1]}, ",
                'a' + j);
    fprintf(file,
            "\"w\": {\"type\": \"weight\", \"bounds\": [0, 4]}, \"person\": "
            "{\"type\": \"unit\"}, %s}}",
            target);
    fclose(file);
}

/* ---- what is watched ---- */

/* A file that this rank finds in the place of rows.csv; NULL: rows.csv. */
static _Thread_local const char *instead;

struct source;
sotto_status __real_source_open(struct source **out, const char *path,
                                int by_name, sotto_error *error);
sotto_status __wrap_source_open(struct source **out, const char *path,
                                int by_name, sotto_error *error);
sotto_status __wrap_source_open(struct source **out, const char *path,
                                int by_name, sotto_error *error)
{
    const char *name = strrchr(path, '/');
    int other = instead && name && !strncmp(name, "/rows.", 6);
    return __real_source_open(out, other ? path_of(instead) : path, by_name,
                              error);
}

/* ---- a run ---- */

typedef enum asked { VALUES, SCORES, CHANCES, QUALITY, PRIVATE } asked;

typedef struct answer_case {
    const char *name, *model;
    asked what;
    const char *path[4];
    const char *option[24]; /* names and values; @ is a file of the folder */
    const char *other;      /* the model of rank 1; NULL: the same */
    double steep;           /* its first weight, and of three classes the second
                               of the second class; 0: as they were learned */
    const char *instead;    /* of rows.csv, at rank 1; NULL: the same */
} answer_case;

typedef struct answer_result {
    sotto_status status[GROUP_MOST];
    sotto_error error[GROUP_MOST];
    char *bytes; /* rank 0's */
    size_t size;
    int64_t rows, calls;
    int others; /* answers that other ranks got */
} answer_result;

typedef struct answer_job {
    const answer_case *of;
    answer_result *out;
    int short_rank, short_at;
} answer_job;

typedef struct taker {
    answer_result *out;
    int rank;
    int64_t width;
} taker;

static void keep(answer_result *out, const void *bytes, size_t size)
{
    out->bytes = realloc(out->bytes, out->size + size + 1);
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static sotto_status take(void *context, const double *answers, int64_t rows,
                         sotto_error *error)
{
    taker *t = context;
    (void)error;
    t->out->others += t->rank != 0;
    t->out->rows += rows;
    t->out->calls++;
    keep(t->out, answers, (size_t)(rows * t->width) * sizeof *answers);
    return SOTTO_OK;
}

static sotto_options *options_of(const answer_case *a)
{
    sotto_options *o;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    assert_int_equal(sotto_options_set(o, "threads", "1", &error), SOTTO_OK);
    for (int i = 0; a->option[i]; i += 2) {
        const char *value = a->option[i + 1];
        value = value[0] == '@' ? path_of(value + 1) : value;
        if (sotto_options_set(o, a->option[i], value, &error) != SOTTO_OK)
            fail_msg("%s: %s", a->name, error.message);
    }
    return o;
}

static sotto_status look(const answer_case *a, const sotto_model *m,
                         const sotto_table *t, int rank, answer_result *out,
                         sotto_error *error)
{
    int64_t classes = sotto_model_classes(m);
    taker to = {out, rank, a->what != VALUES && classes > 2 ? classes : 1};
    if (a->what != QUALITY)
        return sotto_predict_in_order(m, t,
                                      a->what == VALUES   ? SOTTO_ANSWER_VALUE
                                      : a->what == SCORES ? SOTTO_ANSWER_SCORE
                                                          : SOTTO_ANSWER_PROBA,
                                      take, &to, error);
    sotto_quality q;
    double confusion[9] = {0};
    sotto_status status = sotto_evaluate(&q, m, t, error);
    if (status == SOTTO_OK && classes)
        status = sotto_confusion(confusion, m, t, error);
    if (status == SOTTO_OK && rank == 0) {
        keep(out, &q, sizeof q);
        keep(out, confusion, sizeof confusion);
    }
    return status;
}

static sotto_status run_one(const answer_case *a, const sotto_model *m,
                            const sotto_options *o, int rank,
                            answer_result *out, sotto_error *error)
{
    sotto_table *table = NULL;
    sotto_evaluation *evaluation = NULL;
    const char *path[4];
    char name[4][128], *text = NULL;
    int files = 0;
    for (; a->path[files]; files++) {
        snprintf(name[files], 128, "%s/%s", folder, a->path[files]);
        path[files] = name[files];
    }
    sotto_status status =
        a->what == PRIVATE
            ? sotto_evaluation_make(&evaluation, m, path, files, o, error)
            : sotto_table_read_files_for(&table, m, a->what == QUALITY, path,
                                         files, o, error);
    if (status == SOTTO_OK && table)
        status = look(a, m, table, rank, out, error);
    if (status == SOTTO_OK && evaluation)
        status = sotto_evaluation_text(&text, evaluation, error);
    if (text && rank == 0)
        keep(out, text, strlen(text));
    sotto_text_free(text);
    sotto_evaluation_free(evaluation);
    sotto_table_free(table);
    return status;
}

static void run_rank(void *context, int rank, sotto_ranks *ranks)
{
    answer_job *job = context;
    const answer_case *a = job->of;
    sotto_error *error = &job->out->error[rank];
    sotto_options *o = options_of(a);
    sotto_model *model = NULL;
    const char *name = a->other && rank == 1 ? a->other : a->model;
    if (sotto_model_read(&model, path_of(name), error) != SOTTO_OK)
        fail_msg("%s", error->message);
    if (a->steep > 0)
        model->weight[0] = a->steep;
    if (a->steep > 0 && model->classes > 2)
        model->weight[model->features + 1] = a->steep;
    if (ranks)
        sotto_options_set_ranks(o, ranks);
    countdown = rank == job->short_rank ? job->short_at : 0;
    instead = rank == 1 ? a->instead : NULL;
    sotto_status status = run_one(a, model, o, rank, job->out, error);
    countdown = 0;
    instead = NULL;
    if (ranks)
        status = sotto_ranks_agree(ranks, status, error);
    job->out->status[rank] = status;
    sotto_model_free(model);
    sotto_options_free(o);
}

static answer_result *alone_of(const answer_case *a)
{
    answer_result *out = calloc(1, sizeof *out);
    answer_job job = {.of = a, .out = out};
    run_rank(&job, 0, NULL);
    return out;
}

static answer_result *by_ranks(const answer_case *a, int ranks, int short_rank,
                               int short_at)
{
    static rank_group group;
    answer_result *out = calloc(1, sizeof *out);
    answer_job job = {a, out, short_rank, short_at};
    memset(&group, 0, sizeof group);
    group_run(&group, ranks, run_rank, &job);
    return out;
}

static void result_free(answer_result *r)
{
    free(r->bytes);
    free(r);
}

static int is_same(const answer_result *a, const answer_result *b)
{
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static void same_bits(const answer_case *a)
{
    answer_result *alone = alone_of(a);
    if (alone->status[0] != SOTTO_OK)
        fail_msg("%s: %s", a->name, alone->error[0].message);
    assert_true(alone->size > 0);
    for (int i = 0; i < COUNTS; i++) {
        answer_result *many = by_ranks(a, counts[i], -1, 0);
        if (many->status[0] != SOTTO_OK)
            fail_msg("%s by %d: %s", a->name, counts[i],
                     many->error[0].message);
        if (!is_same(alone, many))
            fail_msg("%s: something else by %d ranks", a->name, counts[i]);
        assert_int_equal(alone->rows, many->rows);
        assert_int_equal(many->others, 0);
        result_free(many);
    }
    result_free(alone);
}

/* ---- the same answers ---- */

/* Where bad rows are marked, one that some class's score is too large of has
   no answer, and the others have theirs. */
static void marked(void **unused)
{
    (void)unused;
    static const asked what[] = {VALUES, SCORES, CHANCES};
    for (int i = 0; i < 3; i++) {
        answer_case a = {
            "marked", "many", what[i], {"late.npy"}, {"bad-rows", "drop"},
            0,        1e300,  0};
        int64_t width = what[i] == VALUES ? 1 : 3;
        answer_result *alone = alone_of(&a);
        const double *answer = (const double *)alone->bytes;
        assert_int_equal(alone->rows, 160);
        for (int64_t k = 0; k < 160 * width; k++) {
            int64_t row = k / width;
            assert_int_equal(isnan(answer[k]) != 0, row == 40 || row == 140);
        }
        result_free(alone);
        same_bits(&a);
    }
}

static void predictions(void **unused)
{
    (void)unused;
    static const answer_case cases[] = {
        {"two, values", "two", VALUES, {"rows.csv"}, {0}, 0, 0, 0},
        {"two, chances", "two", CHANCES, {"rows.csv"}, {0}, 0, 0, 0},
        {"three, values", "three", VALUES, {"rows.csv"}, {0}, 0, 0, 0},
        {"three, chances", "three", CHANCES, {"rows.csv"}, {0}, 0, 0, 0},
        {"three, scores", "three", SCORES, {"rows.csv"}, {0}, 0, 0, 0},
        {"number", "number", VALUES, {"rows.csv"}, {0}, 0, 0, 0},
        {"files", "number", VALUES, {"a.csv", "b.csv", "c.csv"}, {0}, 0, 0, 0},
        {"fewer rows than ranks", "three", SCORES, {"few.csv"}, {0}, 0, 0, 0},
        {"svmlight", "sparse", SCORES, {"rows.svm"}, {0}, 0, 0, 0},
        {"npy", "npy", CHANCES, {"rows.npy"}, {0}, 0, 0, 0},
        {"a bad row has no answer",
         "three",
         SCORES,
         {"bad.csv"},
         {"bad-rows", "drop"},
         0,
         0,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

/* More than a piece of each rank. */
static void pieces(void **unused)
{
    (void)unused;
    static const answer_case a = {"pieces", "three", SCORES, {"long.csv"},
                                  {0},      0,       0,      0};
    answer_result *alone = alone_of(&a), *many = by_ranks(&a, 2, -1, 0);
    assert_int_equal(alone->status[0], SOTTO_OK);
    assert_int_equal(alone->rows, 180000);
    assert_true(is_same(alone, many));
    assert_true(many->calls >= 6); /* of a megabyte at most */
    result_free(alone);
    result_free(many);
}

static void qualities(void **unused)
{
    (void)unused;
    static const answer_case cases[] = {
        {"two", "two", QUALITY, {"rows.csv"}, {0}, 0, 0, 0},
        {"three", "three", QUALITY, {"rows.csv"}, {0}, 0, 0, 0},
        {"one-versus-rest", "hinges", QUALITY, {"rows.csv"}, {0}, 0, 0, 0},
        {"number", "number", QUALITY, {"rows.csv"}, {0}, 0, 0, 0},
        {"files", "three", QUALITY, {"a.csv", "b.csv", "c.csv"}, {0}, 0, 0, 0},
        {"fewer rows than ranks", "three", QUALITY, {"few.csv"}, {0}, 0, 0, 0},
        {"svmlight", "sparse", QUALITY, {"rows.svm"}, {0}, 0, 0, 0},
        {"npy", "npy", QUALITY, {"rows.npy"}, {0}, 0, 0, 0},
        {"dropped", "two", QUALITY, {"bad.csv"}, {"bad-rows", "drop"}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

#define REPEATED "epsilon", "2", "delta", "1e-6", "insecure-seed", "3"

static void evaluations(void **unused)
{
    (void)unused;
    static const answer_case cases[] = {
        {"two", "two", PRIVATE, {"rows.csv"}, {REPEATED}, 0, 0, 0},
        {"three", "three", PRIVATE, {"rows.csv"}, {REPEATED}, 0, 0, 0},
        {"number", "number", PRIVATE, {"rows.csv"}, {REPEATED}, 0, 0, 0},
        {"hinge", "hinges", PRIVATE, {"rows.csv"}, {REPEATED}, 0, 0, 0},
        {"files",
         "two",
         PRIVATE,
         {"a.csv", "b.csv", "c.csv"},
         {REPEATED},
         0,
         0,
         0},
        {"npy", "npy", PRIVATE, {"rows.npy"}, {REPEATED}, 0, 0, 0},
        {"svmlight", "sparse", PRIVATE, {"rows.svm"}, {REPEATED}, 0, 0, 0},
        {"few rows", "two", PRIVATE, {"few.csv"}, {REPEATED}, 0, 0, 0},
        {"dropped",
         "two",
         PRIVATE,
         {"bad.csv"},
         {REPEATED, "bad-rows", "drop"},
         0,
         0,
         0},
        {"people",
         "two",
         PRIVATE,
         {"rows.csv"},
         {REPEATED, "rows-per-person", "4"},
         0,
         0,
         0},
        {"people and a number",
         "number",
         PRIVATE,
         {"rows.csv"},
         {REPEATED, "rows-per-person", "2", "rows", "40"},
         0,
         0,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

/* ---- faults ---- */

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        answer_case a;
        const char *line;
    } cases[] = {
        {{"bad row", "two", QUALITY, {"bad.csv"}, {0}, 0, 0, 0},
         "bad.csv: line "},
        {{"bad row", "two", VALUES, {"bad.csv"}, {0}, 0, 0, 0},
         "bad.csv: line "},
        {{"bad row", "two", PRIVATE, {"bad.csv"}, {REPEATED}, 0, 0, 0},
         "bad.csv: line "},
        {{"too large", "npy", VALUES, {"huge.npy"}, {0}, 0, 1e300, 0},
         "row 141: its score is too large"},
        {{"too large", "many", VALUES, {"late.npy"}, {0}, 0, 1e300, 0},
         "row 41: its score is too large"},
        {{"too large", "many", SCORES, {"late.npy"}, {0}, 0, 1e300, 0},
         "row 41: its score is too large"},
        {{"too large", "many", QUALITY, {"late.npy"}, {0}, 0, 1e300, 0},
         "row 41: its score is too large"},
        {{"no file", "two", VALUES, {"none.csv"}, {0}, 0, 0, 0},
         "none.csv: cannot be opened"},
        {{"other format", "two", VALUES, {"rows.svm"}, {0}, 0, 0, 0},
         "rows.svm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer_result *alone = alone_of(&cases[i].a);
        assert_int_not_equal(alone->status[0], SOTTO_OK);
        if (!strstr(alone->error[0].message, cases[i].line))
            fail_msg("%s: %s", cases[i].a.name, alone->error[0].message);
        for (int n = 0; n < COUNTS; n++) {
            answer_result *many = by_ranks(&cases[i].a, counts[n], -1, 0);
            for (int r = 0; r < counts[n]; r++) {
                assert_int_equal(many->status[r], alone->status[0]);
                assert_string_equal(many->error[r].message,
                                    alone->error[0].message);
            }
            assert_int_equal(many->size, 0); /* nothing was handed over */
            result_free(many);
        }
        result_free(alone);
    }
}

static void other_models(void **unused)
{
    (void)unused;
    static const asked what[] = {VALUES, QUALITY, PRIVATE};
    for (int i = 0; i < 3; i++) {
        answer_case a = {"models",   "two",   what[i], {"rows.csv"},
                         {REPEATED}, "other", 0,       0};
        answer_result *many = by_ranks(&a, 3, -1, 0);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(many->status[r], SOTTO_USAGE);
            assert_non_null(strstr(many->error[r].message, "model"));
        }
        assert_int_equal(many->size, 0);
        result_free(many);
    }
}

/* Files of one length whose rows are not the same, or in another order: of two
   such files a record may be in two shares. */
static void other_files(void **unused)
{
    (void)unused;
    static const answer_case cases[] = {
        {"csv", "two", QUALITY, {"rows.csv"}, {0}, 0, 0, "other.csv"},
        {"csv", "two", PRIVATE, {"rows.csv"}, {REPEATED}, 0, 0, "other.csv"},
        {"files", "two", VALUES, {"a.csv", "rows.csv"}, {0}, 0, 0, "other.csv"},
        {"npy", "npy", QUALITY, {"rows.npy"}, {0}, 0, 0, "huge.npy"},
        {"svmlight", "sparse", QUALITY, {"rows.svm"}, {0}, 0, 0, "turned.svm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer_result *many = by_ranks(&cases[i], 3, -1, 0);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(many->status[r], SOTTO_FAILED);
            assert_non_null(
                strstr(many->error[r].message, "the ranks have come apart"));
        }
        assert_int_equal(many->size, 0);
        result_free(many);
    }
}

/* Wherever a rank is out of memory, all end with that line, or rank 0 has what
   one process has. */
static void out_of_memory(void **unused)
{
    (void)unused;
    static const answer_case cases[] = {
        {"chances", "three", CHANCES, {"rows.csv"}, {0}, 0, 0, 0},
        {"quality", "three", QUALITY, {"rows.csv"}, {0}, 0, 0, 0},
        {"private", "two", PRIVATE, {"rows.csv"}, {REPEATED}, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int failures = 0;
        answer_result *alone = alone_of(&cases[i]);
        for (int at = 1; at < 140; at += 1 + at / 60)
            for (int rank = 0; rank < 3; rank += 2) {
                answer_result *many = by_ranks(&cases[i], 3, rank, at);
                int failed = many->status[0] != SOTTO_OK;
                for (int r = 0; r < 3; r++)
                    assert_int_equal(many->status[r], many->status[0]);
                for (int r = 0; failed && r < 3; r++)
                    assert_memory_equal(many->error[r].message, "out of memory",
                                        13);
                assert_true(failed || is_same(alone, many));
                failures += failed;
                result_free(many);
            }
        assert_true(failures >= 40);
        result_free(alone);
    }
}

/* ---- privacy ---- */

static void make_ledger(const char *cap)
{
    sotto_options *o;
    sotto_error error;
    unlink(path_of("ledger.db"));
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    const char *const set[] = {
        "dataset",     "rows",   "epsilon",         cap, "delta", "1e-5",
        "unit-column", "person", "rows-per-person", "2", "owner", "us"};
    for (int i = 0; i < 12; i += 2)
        assert_int_equal(sotto_options_set(o, set[i], set[i + 1], &error),
                         SOTTO_OK);
    if (sotto_ledger_create(path_of("ledger.db"), o, &error) != SOTTO_OK)
        fail_msg("%s", error.message);
    sotto_options_free(o);
}

/* The root books once, and no rank reads a record before; what was booked stays
   so, and what is refused is read by nobody. */
static void booked_before_rows(void **unused)
{
    (void)unused;
#define BOOKED                                                                 \
    "epsilon", "2", "delta", "1e-6", "ledger", "@ledger.db", "dataset",        \
        "rows", "rows-per-person", "2"
    static const answer_case good = {"booked", "private", PRIVATE, {"rows.csv"},
                                     {BOOKED}, 0,         0,       0};
    static const answer_case bad = {"booked", "private", PRIVATE, {"bad.csv"},
                                    {BOOKED}, 0,         0,       0};
    make_ledger("2.9"); /* for two of them, and no third */
    booked = read_early = books = 0;
    answer_result *many = by_ranks(&good, 3, -1, 0);
    if (many->status[0] != SOTTO_OK)
        fail_msg("%s", many->error[0].message);
    assert_int_equal(books, 1);
    assert_int_equal(read_early, 0);
    assert_non_null(many->bytes);
    many->bytes[many->size] = 0;
    assert_non_null(strstr(many->bytes, "\"ranks\": 3"));
    result_free(many);
    booked = 0;
    many = by_ranks(&bad, 3, -1, 0);
    for (int r = 0; r < 3; r++)
        assert_int_equal(many->status[r], SOTTO_DATA);
    assert_non_null(strstr(many->error[0].message, "stays charged"));
    assert_int_equal(books, 2);
    assert_int_equal(read_early, 0);
    result_free(many);
    booked = 0;
    many = by_ranks(&good, 3, -1, 0);
    for (int r = 0; r < 3; r++)
        assert_int_equal(many->status[r], SOTTO_BUDGET);
    assert_int_equal(read_early, 0);
    result_free(many);
}

/* Sums that leave a rank: rank 0's have noise already. */
typedef struct seen_sums {
    int64_t first[2]; /* of ranks 0 and 1, in the first question */
    int questions[2];
} seen_sums;

static void look_at_sums(void *context, const int64_t *values, size_t count,
                         int rank, int to_all)
{
    seen_sums *s = context;
    if (!to_all || count != 256 || rank > 1)
        return;
    for (size_t i = 0; i < count; i++)
        s->first[rank] += values[i] < 0;
    s->questions[rank]++;
}

/* Counts are never below 0 without noise. */
static void noise_at_the_root(void **unused)
{
    (void)unused;
    static const answer_case a = {"noise",    "two", PRIVATE, {"rows.csv"},
                                  {REPEATED}, 0,     0,       0};
    static rank_group group;
    seen_sums seen = {0};
    answer_result *out = calloc(1, sizeof *out);
    answer_job job = {&a, out, -1, 0};
    memset(&group, 0, sizeof group);
    group.look = look_at_sums;
    group.look_context = &seen;
    group_run(&group, 2, run_rank, &job);
    assert_int_equal(out->status[0], SOTTO_OK);
    assert_int_equal(seen.questions[0], 1);
    assert_int_equal(seen.questions[1], 1);
    assert_true(seen.first[0] > 60);
    assert_int_equal(seen.first[1], 0);
    result_free(out);
}

/* ---- models for all of it ---- */

typedef struct made_model {
    const char *name, *data;
    const char *option[24];
} made_model;

static void make_model(const made_model *made)
{
    answer_case a = {.name = made->name};
    sotto_table *table = NULL;
    sotto_model *model = NULL;
    sotto_error error;
    memcpy(a.option, made->option, sizeof a.option);
    sotto_options *o = options_of(&a);
    if (sotto_fit_read(&table, path_of(made->data), o, &error) != SOTTO_OK ||
        sotto_fit(&model, &table, o, NULL, &error) != SOTTO_OK ||
        sotto_model_write(model, path_of(made->name), &error) != SOTTO_OK)
        fail_msg("%s: %s", made->name, error.message);
    sotto_model_free(model);
    sotto_options_free(o);
}

static int make_files(void **unused)
{
    (void)unused;
#define EXACT "solver", "exact", "epsilon", "inf", "l2", ".01"
    static const made_model models[] = {
        {"two", "rows.csv", {EXACT, "schema", "@two.json", "loss", "logistic"}},
        {"other", "a.csv", {EXACT, "schema", "@two.json", "loss", "logistic"}},
        {"three",
         "rows.csv",
         {EXACT, "schema", "@three.json", "loss", "logistic"}},
        {"hinges",
         "rows.csv",
         {EXACT, "schema", "@three.json", "loss", "squared-hinge"}},
        {"number",
         "rows.csv",
         {EXACT, "schema", "@number.json", "loss", "squared"}},
        {"sparse", "rows.svm", {EXACT, "loss", "logistic", "features", "40"}},
        {"npy", "rows.npy", {EXACT, "loss", "logistic", "target", "4"}},
        {"many",
         "many.npy",
         {EXACT, "loss", "logistic", "target", "4", "classes", "0,1,2"}},
        {"private",
         "rows.csv",
         {"epsilon", "3", "delta", "1e-6", "schema", "@two.json", "loss",
          "logistic", "rows-per-person", "40"}},
    };
    if (!mkdtemp(folder))
        return 1;
    write_csv("rows.csv", 0, 211, -1);
    write_csv("a.csv", 0, 90, -1);
    write_csv("b.csv", 90, 20, -1);
    write_csv("c.csv", 110, 101, -1);
    write_csv("few.csv", 0, 5, -1);
    write_csv("bad.csv", 0, 211, 130);
    write_csv("long.csv", 0, 180000, -1);
    write_other("other.csv", "rows.csv");
    write_svmlight("rows.svm", 150);
    turn("turned.svm", "rows.svm", 0);
    write_npy("rows.npy", 160, 2, -1, -1);
    write_npy("huge.npy", 160, 2, 140, -1);
    write_npy("many.npy", 160, 3, -1, -1);
    write_npy("late.npy", 160, 3, 140, 40);
    write_schema("two.json",
                 "\"two\": {\"type\": \"target\", \"classes\": [\"0\", "
                 "\"1\"]}");
    write_schema("three.json",
                 "\"three\": {\"type\": \"target\", \"classes\": [\"a\", "
                 "\"b\", \"c\"]}");
    write_schema("number.json",
                 "\"number\": {\"type\": \"target\", \"bounds\": [-3, 3]}");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        make_model(&models[i]);
    return 0;
}

static int remove_files(void **unused)
{
    char command[64];
    (void)unused;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions),
        cmocka_unit_test(marked),
        cmocka_unit_test(pieces),
        cmocka_unit_test(qualities),
        cmocka_unit_test(evaluations),
        cmocka_unit_test(refused),
        cmocka_unit_test(other_models),
        cmocka_unit_test(other_files),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(booked_before_rows),
        cmocka_unit_test(noise_at_the_root),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
