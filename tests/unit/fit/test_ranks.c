/*
 * Fits by several ranks, which are threads here: the same model as one process
 * makes, bit for bit, however the rows are shared.
 */
#include "rank_files.h"
#include "rank_group.h"
#include "ranks.h"
#include "table_repair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- files ---- */

/* Rows of CSV: features, a text with newlines in quotes, a person, a class and
   a number. */
static void write_csv(const char *name, int from, int rows, int features,
                      int header)
{
    static const char *const texts[] = {"plain", "\"a\nb\"",
                                        "\"say \"\"x\"\"\"", "\"\n\n,\"", ""};
    FILE *file = fopen(path_of(name), "w");
    for (int j = 0; header && j < features; j++)
        fprintf(file, "x%d,", j);
    if (header)
        fprintf(file, "text,person,class,three,w,y\n");
    state = 99 + (uint64_t)from;
    for (int i = from; i < from + rows; i++) {
        double sum = 0;
        for (int j = 0; j < features; j++) {
            double x = uniform();
            sum += x * (j % 3 - 1);
            fprintf(file, "%.6f,", x);
        }
        fprintf(file, "%s,p%d,%d,%c,%d.5,%.5f\n", texts[i % 5], i * 7 % 11 % 10,
                sum + uniform() > 0, "abc"[(sum > -.3) + (sum > .3)], i % 4,
                sum / features + uniform() / 9);
    }
    fclose(file);
}

static void write_svmlight(const char *name, int rows, int features)
{
    FILE *file = fopen(path_of(name), "w");
    state = 7;
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%d", uniform() > 0 ? 1 : -1);
        for (int j = 1 + i % 3; j <= features;
             j += 1 + (int)(uniform() * 9 + 9))
            fprintf(file, " %d:%.4f", j, uniform());
        fprintf(file, i % 7 ? "\n" : " # a remark\n\n");
    }
    fclose(file);
}

/* A feature for each of three classes, and six of which few rows have each: a
   third of the rows have more than a quarter of all features, and those of a
   class among them less. */
static void write_rare(const char *name, int rows, int features)
{
    FILE *file = fopen(path_of(name), "w");
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%d %d:1", i % 3, i % 3 + 1);
        for (int j = 0; j < 6; j++)
            fprintf(file, " %d:.5", 4 + (i * 6 + j) % (features - 4));
        fprintf(file, "\n");
    }
    fclose(file);
}

/* float64, in C or Fortran order. */
static void write_npy(const char *name, int rows, int columns, int fortran,
                      int missing)
{
    char head[128];
    FILE *file = fopen(path_of(name), "wb");
    double *x = calloc((size_t)(rows * columns), sizeof *x);
    int size = snprintf(head, sizeof head,
                        "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, "
                        "%d), }",
                        fortran ? "True" : "False", rows, columns);
    memset(head + size, ' ', (size_t)(118 - size));
    head[117] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(head, 1, 118, file);
    state = 5;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            x[fortran ? j * rows + i : i * columns + j] =
                j + 1 < columns ? uniform() : (double)(uniform() > 0);
    if (missing)
        x[missing * columns] = 0. / 0.;
    fwrite(x, sizeof *x, (size_t)(rows * columns), file);
    free(x);
    fclose(file);
}

static void write_three(const char *name, int rows, int features)
{
    FILE *file = fopen(path_of(name), "w");
    state = 17;
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%d", i % 3);
        for (int j = 1 + i % 3; j <= features;
             j += 3 + (int)(uniform() * 3 + 3))
            fprintf(file, " %d:%.4f", j, uniform());
        fprintf(file, "\n");
    }
    fclose(file);
}

/* Rows of so many people, in turn. */
static void write_people(const char *name, int rows, int people)
{
    FILE *file = fopen(path_of(name), "w");
    fprintf(file, "x0,x1,x2,x3,x4,x5,person,class\n");
    state = 23;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 6; j++)
            fprintf(file, "%.3f,", uniform());
        fprintf(file, "p%d,%d\n", i * 7 % people, i % 2);
    }
    fclose(file);
}

/* A copy without its last newline. */
static void write_cut(const char *name, const char *from)
{
    FILE *in = fopen(path_of(from), "r"), *out = fopen(path_of(name), "w");
    for (int c = fgetc(in), next; c != EOF; c = next) {
        next = fgetc(in);
        if (next != EOF)
            fputc(c, out);
    }
    fclose(in);
    fclose(out);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    fputs(text, file);
    fclose(file);
}

/* Six features with bounds, and what else is given. */
static void write_schema(const char *name, const char *rest)
{
    char text[1024] = "{\"sotto_schema\": 1, \"default\": {\"type\": "
                      "\"drop\"}, \"columns\": {";
    for (int j = 0; j < 6; j++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "\"x%d\": {\"type\": \"number\", \"bounds\": [-1, 1]}, ", j);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s}}", rest);
    write_text(name, text);
}

/* ---- what is watched ---- */

sotto_status __real_table_load_pieces(const table_file *f, table_section s,
                                      size_t from, size_t size, void *to,
                                      sotto_error *error);
sotto_status __wrap_table_load_pieces(const table_file *f, table_section s,
                                      size_t from, size_t size, void *to,
                                      sotto_error *error);
sotto_status __wrap_table_load_pieces(const table_file *f, table_section s,
                                      size_t from, size_t size, void *to,
                                      sotto_error *error)
{
    read_early |= !booked;
    return __real_table_load_pieces(f, s, from, size, to, error);
}

/* ---- fits ---- */

typedef struct fit_case {
    const char *name;
    const char *path[8];    /* names in the folder; NULL is the last */
    const char *option[32]; /* name, value, ... */
    int other;              /* this rank has another --l2; 0: none has */
} fit_case;

typedef struct fit_result {
    char *text; /* of the root */
    sotto_status status[GROUP_MOST];
    sotto_error error[GROUP_MOST];
} fit_result;

typedef struct fit_job {
    const fit_case *of;
    fit_result *out;
    int short_rank; /* is out of memory at its n-th allocation, */
    long short_at;  /* this one; 0: it is not */
} fit_job;

static sotto_options *options_of(const fit_case *f)
{
    sotto_options *o;
    sotto_error error;
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    for (int i = 0; f->option[i]; i += 2) {
        int is_file = f->option[i + 1][0] == '@';
        const char *value =
            is_file ? path_of(f->option[i + 1] + 1) : f->option[i + 1];
        if (sotto_options_set(o, f->option[i], value, &error) != SOTTO_OK)
            fail_msg("%s: %s", f->name, error.message);
    }
    if (!sotto_options_get(o, "threads"))
        abort();
    return o;
}

static void fit_one(void *context, int rank, sotto_ranks *ranks)
{
    fit_job *job = context;
    const fit_case *f = job->of;
    sotto_error *error = &job->out->error[rank];
    sotto_options *o = options_of(f);
    sotto_table *table = NULL;
    sotto_model *model = NULL;
    const char *path[8];
    char name[8][128];
    int files = 0;
    for (; f->path[files]; files++) {
        snprintf(name[files], 128, "%s/%s", folder, f->path[files]);
        path[files] = name[files];
    }
    if (ranks)
        sotto_options_set_ranks(o, ranks);
    if (f->other && rank == f->other)
        assert_int_equal(sotto_options_set(o, "l2", "0.125", error), SOTTO_OK);
    countdown = rank == job->short_rank ? job->short_at : 0;
    sotto_status status = sotto_fit_read_files(&table, path, files, o, error);
    if (status == SOTTO_OK)
        status = sotto_fit(&model, &table, o, NULL, error);
    countdown = 0;
    if (status == SOTTO_OK && rank == 0)
        status = sotto_model_text(&job->out->text, model, error);
    if (ranks)
        status = sotto_ranks_agree(ranks, status, error);
    job->out->status[rank] = status;
    sotto_table_free(table);
    sotto_model_free(model);
    sotto_options_free(o);
}

static fit_result *fit_alone(const fit_case *f)
{
    fit_result *out = calloc(1, sizeof *out);
    fit_job job = {.of = f, .out = out};
    fit_one(&job, 0, NULL);
    return out;
}

static fit_result *fit_by(const fit_case *f, int ranks)
{
    static rank_group group;
    fit_result *out = calloc(1, sizeof *out);
    fit_job job = {.of = f, .out = out};
    memset(&group, 0, sizeof group);
    group_run(&group, ranks, fit_one, &job);
    return out;
}

static void result_free(fit_result *r)
{
    sotto_text_free(r->text);
    free(r);
}

/* The same model, or the same refusal at all ranks. */
static void same_with(const fit_case *f, const fit_result *alone, int ranks)
{
    fit_result *many = fit_by(f, ranks);
    for (int r = 0; r < ranks; r++) {
        if (many->status[r] != alone->status[0])
            print_message("%s, %d ranks, rank %d: %s\n", f->name, ranks, r,
                          many->error[r].message);
        assert_int_equal(many->status[r], alone->status[0]);
        if (alone->status[0] != SOTTO_OK)
            assert_string_equal(many->error[r].message,
                                alone->error[0].message);
    }
    if (alone->status[0] == SOTTO_OK && strcmp(many->text, alone->text))
        fail_msg("%s: another model by %d ranks", f->name, ranks);
    result_free(many);
}

/* Whether its plan takes long to price: samples of rows, and choices in many
   steps. Every rank makes the plan. */
static int is_dear(const fit_case *f)
{
    static const char *const dear[] = {"sgd", "svrg", "scd",
                                       "gcd", "fw",   "bcfw"};
    for (int i = 0; f->option[i]; i += 2)
        for (size_t k = 0; k < sizeof dear / sizeof *dear; k++)
            if (!strcmp(f->option[i], "solver") &&
                !strcmp(f->option[i + 1], dear[k]))
                return 1;
    return 0;
}

/* Sanitizers look at memory, which is the same for any number of ranks. */
#if defined(__SANITIZE_ADDRESS__)
enum { FEWER = 1 };
#else
enum { FEWER = 0 };
#endif

static void same_by(const fit_case *f, int all, int three)
{
    fit_result *alone = fit_alone(f);
    if (alone->status[0] != SOTTO_OK)
        print_message("%s: %s\n", f->name, alone->error[0].message);
    assert_int_equal(alone->status[0], SOTTO_OK);
    for (int i = 0; i < COUNTS; i++)
        if (all || (three ? counts[i] == 3 : counts[i] == 2 || counts[i] == 7))
            same_with(f, alone, counts[i]);
    result_free(alone);
}

/* The same without privacy, where nothing is priced. */
static fit_case without_noise(const fit_case *f)
{
    fit_case out = *f;
    int i = 0;
    while (out.option[i])
        i += 2;
    assert_true(i + 2 < (int)(sizeof out.option / sizeof *out.option));
    out.option[i] = "epsilon";
    out.option[i + 1] = "inf";
    return out;
}

/* By all of these numbers of ranks, or by two and seven. What is dear is
   private by three, and by the others without noise: that of the root's. */
static void same_bits(const fit_case *f)
{
    int all = !FEWER && strstr(f->name, "by all"), dear = is_dear(f);
    same_by(f, all && !dear, FEWER || dear);
    if (dear && !FEWER) {
        fit_case free_of_noise = without_noise(f);
        same_by(&free_of_noise, all, 0);
    }
}

/* ---- every solver ---- */

#define COMMON                                                                 \
    "threads", "1", "insecure-seed", "5", "delta", "1e-6", "epsilon", "3"
#define CLASSES COMMON, "schema", "@class.json", "loss", "logistic"
#define NUMBERS COMMON, "schema", "@number.json"

static void solvers_of_two_classes(void **unused)
{
    (void)unused;
    static const fit_case cases[] = {
        {"auto, by all", {"rows.csv"}, {CLASSES}, 0},
        {"auto, path", {"rows.csv"}, {CLASSES, "l1", "0.01"}, 0},
        {"newton, by all", {"rows.csv"}, {CLASSES, "solver", "newton"}, 0},
        {"cd, by all",
         {"rows.csv"},
         {CLASSES, "solver", "cd", "passes", "3"},
         0},
        {"cd, order",
         {"rows.csv"},
         {CLASSES, "solver", "cd", "passes", "2", "order", "permuted"},
         0},
        {"gd, by all",
         {"rows.csv"},
         {CLASSES, "solver", "gd", "steps", "9"},
         0},
        {"sgd, by all",
         {"rows.csv"},
         {CLASSES, "solver", "sgd", "steps", "20", "batch-rate", ".2"},
         0},
        {"sgd, small batches",
         {"rows.csv"},
         {CLASSES, "solver", "sgd", "steps", "30", "batch-rate", ".01"},
         0},
        {"svrg",
         {"rows.csv"},
         {CLASSES, "solver", "svrg", "batch-rate", ".2", "l2", ".1"},
         0},
        {"scd",
         {"rows.csv"},
         {CLASSES, "solver", "scd", "l2", ".1", "batch-rate", ".3",
          "norm-bound", "2", "intercept", "no"},
         0},
        {"gcd, by all",
         {"rows.csv"},
         {CLASSES, "solver", "gcd", "steps", "6"},
         0},
        {"gcd, gs-q",
         {"rows.csv"},
         {CLASSES, "solver", "gcd", "steps", "6", "rule", "gs-q", "l1", ".01"},
         0},
        {"fw, by all",
         {"rows.csv"},
         {CLASSES, "solver", "fw", "steps", "6", "radius", "3", "intercept",
          "no"},
         0},
        {"ssp, by all", {"rows.csv"}, {NUMBERS, "solver", "ssp"}, 0},
        {"huber, cd",
         {"rows.csv"},
         {NUMBERS, "solver", "cd", "loss", "huber"},
         0},
        {"squared, auto", {"rows.csv"}, {NUMBERS}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

static void more_classes(void **unused)
{
    (void)unused;
#define THREE COMMON, "schema", "@three.json", "loss", "logistic"
    static const fit_case cases[] = {
        {"three classes, by all", {"rows.csv"}, {THREE}, 0},
        {"one against the others",
         {"rows.csv"},
         {COMMON, "schema", "@three.json", "loss", "hinge"},
         0},
        {"three classes, many features",
         {"three.svm"},
         {COMMON, "loss", "logistic", "classes", "0,1,2", "features", "300",
          "path", "select"},
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

/* ---- formats ---- */

static void formats(void **unused)
{
    (void)unused;
#define NUMBERED COMMON, "loss", "logistic", "features", "5000"
    static const fit_case cases[] = {
        {"svmlight, auto, by all", {"rows.svm"}, {NUMBERED}, 0},
        {"svmlight, gradients", {"rows.svm"}, {NUMBERED, "path", "wide"}, 0},
        {"svmlight, selected", {"rows.svm"}, {NUMBERED, "path", "select"}, 0},
        {"svmlight, gcd",
         {"rows.svm"},
         {NUMBERED, "solver", "gcd", "steps", "8", "undeclared", "rows", "clip",
          ".5"},
         0},
        {"svmlight, gcd, without features declared",
         {"rows.svm"},
         {"threads", "1", "loss", "logistic", "solver", "gcd", "steps", "8",
          "epsilon", "inf", "clip", ".5", "undeclared", "rows"},
         0},
        {"svmlight, fw",
         {"rows.svm"},
         {NUMBERED, "solver", "fw", "steps", "8", "undeclared", "rows",
          "radius", "3", "intercept", "no"},
         0},
        {"svmlight, bcfw",
         {"rows.svm"},
         {NUMBERED, "solver", "bcfw", "steps", "8", "blocks", "50",
          "undeclared", "rows", "radius", "3", "intercept", "no"},
         0},
        {"svmlight, scd",
         {"rows.svm"},
         {NUMBERED, "solver", "scd", "l2", ".1", "norm-bound", "2",
          "batch-rate", ".3", "intercept", "no"},
         0},
        {"svmlight, bad rows are dropped",
         {"bad.svm"},
         {NUMBERED, "bad-rows", "drop"},
         0},
        {"npy, by all",
         {"rows.npy"},
         {COMMON, "target", "5", "loss", "logistic"},
         0},
        {"npy, by columns",
         {"columns.npy"},
         {COMMON, "target", "5", "loss", "logistic", "solver", "sgd",
          "undeclared", "rows", "steps", "9"},
         0},
        {"three files, by all", {"a.csv", "b.csv", "c.csv"}, {CLASSES}, 0},
        {"three files, sgd",
         {"a.csv", "b.csv", "c.csv"},
         {CLASSES, "solver", "sgd", "steps", "20", "batch-rate", ".2"},
         0},
        {"no header",
         {"bare.csv"},
         {COMMON, "no-header", "a,b,c,d,e,f,text,person,class,three,w,y",
          "target", "class", "drop", "text", "drop", "three", "drop", "person",
          "loss", "logistic"},
         0},
        {"weights",
         {"rows.csv"},
         {CLASSES, "weights", "w", "weight-bound", "3"},
         0},
        {"no row", {"none.csv"}, {CLASSES}, 0},
        {"one row", {"one.csv"}, {CLASSES}, 0},
        {"no newline at the end", {"cut.csv"}, {CLASSES}, 0},
        {"bad rows are dropped",
         {"bad.csv"},
         {COMMON, "target", "y", "bad-rows", "drop", "undeclared", "rows",
          "solver", "sgd", "steps", "9", "batch-rate", ".3"},
         0},
        {"the classes are -1 and 1",
         {"minus.csv"},
         {COMMON, "target", "y", "loss", "logistic"},
         0},
        {"the classes are 0 and 1, and only the last rows say so",
         {"zero.csv"},
         {COMMON, "target", "y", "loss", "logistic"},
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

/* ---- people ---- */

static void people(void **unused)
{
    (void)unused;
#define PEOPLE COMMON, "schema", "@people.json", "loss", "logistic"
    static const fit_case cases[] = {
        {"three rows of a person, by all",
         {"rows.csv"},
         {PEOPLE, "rows-per-person", "3"},
         0},
        {"coins of people",
         {"rows.csv"},
         {PEOPLE, "rows-per-person", "40", "solver", "sgd", "steps", "20",
          "batch-rate", ".3"},
         0},
        {"no rank has rows of everybody",
         {"some.csv"},
         {PEOPLE, "rows-per-person", "9", "solver", "sgd", "steps", "9",
          "batch-rate", ".5"},
         0},
        {"all rows are one person's",
         {"same.csv"},
         {PEOPLE, "rows-per-person", "9", "solver", "sgd", "steps", "9",
          "batch-rate", ".5"},
         0},
        {"people in files",
         {"a.csv", "b.csv", "c.csv"},
         {PEOPLE, "rows-per-person", "2"},
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
}

/* Whatever K is, and however the rows are shared. */
static void people_across_every_boundary(void **unused)
{
    (void)unused;
    for (int most = 1; most <= 8; most++) {
        char text[12];
        snprintf(text, sizeof text, "%d", most);
        fit_case f = {
            "K",
            {"few.csv"},
            {PEOPLE, "rows-per-person", text, "solver", "cd", "passes", "1"},
            0};
        fit_result *alone = fit_alone(&f);
        assert_int_equal(alone->status[0], SOTTO_OK);
        for (int ranks = 2; ranks <= 24; ranks++)
            same_with(&f, alone, ranks);
        result_free(alone);
    }
}

static void many_small_shards(void **unused)
{
    (void)unused;
    static const fit_case f = {"shards", {"rows.csv"}, {CLASSES}, 0};
    fit_result *alone = fit_alone(&f);
    same_with(&f, alone, 128);
    result_free(alone);
}

/* ---- tables on a disk ---- */

static void tables(void **unused)
{
    (void)unused;
#define FROM_TABLE COMMON, "loss", "logistic"
    static const fit_case cases[] = {
        {"table, by all",
         {"class.sotto"},
         {FROM_TABLE, "solver", "gd", "steps", "3"},
         0},
        {"table, gcd",
         {"class.sotto"},
         {FROM_TABLE, "solver", "gcd", "steps", "6"},
         0},
        {"table, coins of rows",
         {"class.sotto"},
         {FROM_TABLE, "solver", "sgd", "steps", "2", "batch-rate", ".2"},
         0},
        {"table, weights",
         {"weights.sotto"},
         {FROM_TABLE, "solver", "gd", "steps", "3"},
         0},
        {"table, people, by all",
         {"people.sotto"},
         {FROM_TABLE, "rows-per-person", "3", "solver", "gd", "steps", "3"},
         0},
        {"table, coins of people",
         {"people.sotto"},
         {FROM_TABLE, "rows-per-person", "40", "solver", "sgd", "steps", "2",
          "batch-rate", ".3"},
         0},
        {"table, sparse, gcd, by all",
         {"sparse.sotto"},
         {FROM_TABLE, "solver", "gcd", "steps", "8", "undeclared", "rows"},
         0},
        {"table, several pieces, by all",
         {"long.sotto"},
         {FROM_TABLE, "solver", "gd", "steps", "2", "undeclared", "rows"},
         0},
        {"table, left on the disk, by all",
         {"long.sotto"},
         {FROM_TABLE, "solver", "gd", "steps", "2", "undeclared", "rows",
          "memory", "90M"},
         0},
        {"table, no row",
         {"none.sotto"},
         {FROM_TABLE, "solver", "gd", "steps", "3"},
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_bits(&cases[i]);
    for (int most = 1; most <= 4; most++) {
        char text[12];
        snprintf(text, sizeof text, "%d", most);
        fit_case f = {"table, K",
                      {"few.sotto"},
                      {FROM_TABLE, "rows-per-person", text, "solver", "cd",
                       "passes", "1"},
                      0};
        fit_result *alone = fit_alone(&f);
        assert_int_equal(alone->status[0], SOTTO_OK);
        for (int ranks = 2; ranks <= 24; ranks += 2)
            same_with(&f, alone, ranks);
        result_free(alone);
    }
}

/* Where the section begins in a table's bytes. */
static char *section_of(char *bytes, table_section section)
{
    table_head head;
    table_row_head rows;
    table_layout l;
    sotto_table *shape;
    sotto_error error;
    memcpy(&head, bytes, sizeof head);
    char *at = bytes + sizeof head;
    assert_int_equal(
        table_take_public(&shape, "t", at, (size_t)head.public_bytes, &error),
        SOTTO_OK);
    at += head.public_bytes;
    memcpy(&rows, at, sizeof rows);
    assert_true(table_lay_out(&l, shape, &rows));
    sotto_table_free(shape);
    return at + l.at[section];
}

/* Changes an eight-byte number of a table, with checksums that fit or not. */
static void damage(const char *name, const char *from, table_section section,
                   int64_t row, int64_t number, int fits)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path_of(from), "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    memcpy(section_of(bytes, section) + 8 * row, &number, sizeof number);
    if (fits)
        assert_true(repair(bytes, size));
    file = fopen(path_of(name), "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
}

/* At whatever rank it is noticed. That people are numbered as they are seen is
   noticed between ranks, too. */
static void damaged_tables(void **unused)
{
    (void)unused;
    static const struct {
        const char *from;
        table_section section;
        int64_t row, number;
        int fits;
        const char *part;
    } cases[] = {
        {"people.sotto", SECTION_TARGET, 499, 0, 0, "targets"},
        {"people.sotto", SECTION_TARGET, 499, 0, 1, "targets"},
        {"people.sotto", SECTION_PERSONS, 499, 77, 1, "persons"},
        {"people.sotto", SECTION_PERSONS, 400, -1, 1, "persons"},
        {"people.sotto", SECTION_PERSONS, 0, 1, 1, "persons"},
        {"sparse.sotto", SECTION_STARTS, 150, 1 << 30, 1, "entries"},
        {"sparse.sotto", SECTION_STARTS, 150, -8, 1, "entries"},
        {"sparse.sotto", SECTION_STARTS, 0, 1, 1, "entries"},
        {"sparse.sotto", SECTION_STARTS, 300, 1, 1, "entries"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fit_case f = {"damaged",
                      {"damaged.sotto"},
                      {FROM_TABLE, "solver", "gd", "steps", "3", NULL, NULL},
                      0};
        if (cases[i].section == SECTION_STARTS)
            f.option[14] = "undeclared", f.option[15] = "rows";
        damage("damaged.sotto", cases[i].from, cases[i].section, cases[i].row,
               cases[i].number, cases[i].fits);
        for (int k = 0; k < COUNTS; k++) {
            fit_result *many = fit_by(&f, counts[k]);
            for (int r = 0; r < counts[k]; r++) {
                assert_int_equal(many->status[r], SOTTO_DATA);
                assert_non_null(
                    strstr(many->error[r].message, "the table is damaged"));
                if (!strstr(many->error[r].message, cases[i].part))
                    fail_msg("%zu: %s", i, many->error[r].message);
            }
            result_free(many);
        }
    }
}

/* ---- faults of rows ---- */

/* The first in the file is told, with its line, by all ranks. */
static void faults(void **unused)
{
    (void)unused;
    static const fit_case cases[] = {
        {"bad rows", {"bad.csv"}, {COMMON, "target", "y"}, 0},
        {"an open quote", {"quote.csv"}, {COMMON, "target", "y"}, 0},
        {"a stray quote", {"stray.csv"}, {COMMON, "target", "y"}, 0},
        {"a bad row of the second file",
         {"minus.csv", "bad.csv"},
         {COMMON, "target", "y"},
         0},
        {"svmlight", {"bad.svm"}, {NUMBERED}, 0},
        {"three classes",
         {"both.csv"},
         {COMMON, "target", "y", "loss", "logistic"},
         0},
        {"npy", {"nan.npy"}, {COMMON, "target", "5"}, 0},
        {"no such file", {"nowhere.csv"}, {COMMON, "target", "y"}, 0},
        {"no target", {"rows.csv"}, {COMMON, "target", "z"}, 0},
        {"other headers", {"a.csv", "one.svm"}, {CLASSES}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fit_result *alone = fit_alone(&cases[i]);
        if (alone->status[0] == SOTTO_OK)
            fail_msg("%s: expected a fault", cases[i].name);
        for (int k = 0; k < COUNTS; k++)
            same_with(&cases[i], alone, counts[k]);
        result_free(alone);
    }
}

/* ---- what ranks refuse ---- */

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        fit_case f;
        const char *line; /* begins with ":" behind the name of the file */
    } cases[] = {
        {{"a file with less memory",
          {"rows.csv"},
          {CLASSES, "memory", "1G"},
          0},
         ": --memory is for tables; expected a file that 'sotto convert' "
         "wrote"},
        {{"exact",
          {"rows.csv"},
          {"threads", "1", "epsilon", "inf", "target", "y"},
          0},
         "several ranks train privately: expected another solver than exact, "
         "or one process"},
        {{"scd-paper",
          {"rows.csv"},
          {CLASSES, "solver", "scd-paper", "l2", ".1", "intercept", "no",
           "norm-bound", "2"},
          0},
         "--solver scd-paper is for comparison, and for one process: expected "
         "another solver with several ranks"},
        {{"output",
          {"rows.csv"},
          {CLASSES, "solver", "output", "l2", ".1", "intercept", "no",
           "norm-bound", "2", "rows", "500"},
          0},
         "several ranks cannot answer this question (minimiser), which is no "
         "sum over rows: expected one process, or another solver"},
        {{"infinite clip",
          {"rows.csv"},
          {"threads", "1", "epsilon", "inf", "schema", "@class.json", "loss",
           "logistic", "solver", "cd", "clip", "inf"},
          0},
         "--clip inf adds up rows in their order: expected a finite clip with "
         "several ranks"},
        {{"levels",
          {"rows.csv"},
          {COMMON, "schema", "@levels.json", "loss", "logistic"},
          0},
         "levels are asked for by one process: expected all levels in the "
         "schema with several ranks"},
        {{"other options", {"rows.csv"}, {CLASSES}, 1},
         "a rank has other options (or another schema or model) than "
         "another: expected the same command, "
         "program and kind of machine for all"},
        {{"rows are counted",
          {"rows.csv"},
          {CLASSES, "adjacency", "replace-one"},
          0},
         "--adjacency replace-one: the number of rows is public, and a run is "
         "charged before a row is read: expected --rows N"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < COUNTS; k++) {
            char line[480];
            fit_result *many = fit_by(&cases[i].f, counts[k]);
            snprintf(line, sizeof line, "%s%s",
                     *cases[i].line == ':' ? path_of(*cases[i].f.path) : "",
                     cases[i].line);
            for (int r = 0; r < counts[k]; r++) {
                assert_int_not_equal(many->status[r], SOTTO_OK);
                assert_string_equal(many->error[r].message, line);
            }
            result_free(many);
        }
}

/* One rank is one process, and reads what that reads. */
static void one_rank(void **unused)
{
    (void)unused;
    static const fit_case cases[] = {
        {"one rank, a file", {"rows.csv"}, {CLASSES}, 0},
        {"one rank, a table", {"class.sotto"}, {COMMON, "loss", "logistic"}, 0},
        {"one rank, a table with less memory",
         {"class.sotto"},
         {COMMON, "loss", "logistic", "memory", "1G"},
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fit_result *alone = fit_alone(&cases[i]);
        assert_int_equal(alone->status[0], SOTTO_OK);
        same_with(&cases[i], alone, 1);
        result_free(alone);
    }
}

/* ---- memory ---- */

/* Rank 0, or the last of three, is out of memory at this allocation. Returns
   how often that ended the run. */
static int short_of_memory(const fit_case *f, const fit_result *alone, int at)
{
    static rank_group group;
    int failures = 0;
    for (int rank = 0; rank < 3; rank += 2) {
        fit_result *many = calloc(1, sizeof *many);
        fit_job job = {f, many, rank, at};
        memset(&group, 0, sizeof group);
        group_run(&group, 3, fit_one, &job);
        for (int r = 0; r < 3; r++)
            assert_int_equal(many->status[r], many->status[0]);
        failures += many->status[0] != SOTTO_OK;
        for (int r = 0; r < 3 && many->status[0] != SOTTO_OK; r++)
            assert_memory_equal(many->error[r].message, "out of memory", 13);
        if (many->status[0] == SOTTO_OK)
            assert_string_equal(many->text, alone->text);
        result_free(many);
    }
    return failures;
}

/* Wherever a rank is out of memory, all end with that line, or with the model
   of one process. Prices of samples are dear, and few of their allocations are
   tried. */
static void out_of_memory(void **unused)
{
    (void)unused;
#define COINS                                                                  \
    PEOPLE, "rows-per-person", "40", "solver", "sgd", "steps", "2",            \
        "batch-rate", ".3"
    static const struct {
        fit_case f;
        int most, step, least; /* so many runs end at least */
    } cases[] = {
        {{"coins", {"rows.csv"}, {COINS, "epsilon", "inf"}, 0}, 200, 1, 120},
        {{"noise",
          {"rows.csv"},
          {PEOPLE, "rows-per-person", "40", "solver", "cd", "passes", "1"},
          0},
         200,
         1,
         120},
        {{"both", {"rows.csv"}, {COINS}, 0}, 200, 40, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int failures = 0;
        fit_result *alone = fit_alone(&cases[i].f);
        assert_int_equal(alone->status[0], SOTTO_OK);
        for (int at = 1; at < cases[i].most; at += cases[i].step)
            failures += short_of_memory(&cases[i].f, alone, at);
        assert_true(failures >= cases[i].least);
        result_free(alone);
    }
}

/* ---- the calls themselves ---- */

static void told_apart(void *context, int rank, sotto_ranks *ranks)
{
    sotto_error *error = context;
    int64_t sum[2] = {rank, 5};
    sotto_status status;
    assert_int_equal(ranks_sum(ranks, SOTTO_OK, sum, 2, &error[rank]),
                     SOTTO_OK);
    assert_int_equal(sum[0], 3);
    assert_int_equal(sum[1], 15);
    ranks_note_number(ranks, rank == 1 ? .5 : .25);
    status = ranks_sum(ranks, SOTTO_OK, sum, 2, &error[rank]);
    assert_int_equal(status, SOTTO_FAILED);
    assert_int_equal(sum[0], 0); /* nothing was added up */
    assert_int_equal(sum[1], 0);
    /* all is over, and nobody waits */
    status = ranks_sum_at_root(ranks, SOTTO_OK, sum, 2, NULL);
    assert_int_equal(status, SOTTO_FAILED);
    assert_int_equal(sotto_ranks_agree(ranks, SOTTO_DATA, NULL), SOTTO_DATA);
}

static void come_apart(void **unused)
{
    (void)unused;
    static rank_group group;
    static sotto_error error[3];
    group_run(&group, 3, told_apart, error);
    for (int r = 0; r < 3; r++)
        assert_string_equal(
            error[r].message,
            "the ranks have come apart: they were told different numbers; "
            "expected the same program, options, files and kind of machine at "
            "all of them");
}

/* What each rank sends to each is told apart by both. */
static void exchange_some(void *context, int rank, sotto_ranks *ranks)
{
    int64_t out[16], *in;
    uint64_t all[4], before, total;
    size_t size[4], at = 0;
    void *come;
    sotto_error error;
    (void)context;
    for (int r = 0; r < 4; r++) { /* r numbers to rank r */
        size[r] = (size_t)r * sizeof *out;
        for (int k = 0; k < r; k++)
            out[at++] = 100 * rank + 10 * r + k;
    }
    assert_int_equal(ranks_exchange(ranks, SOTTO_OK, out, size, &come, &error),
                     SOTTO_OK);
    in = come;
    for (int r = 0; r < 4; r++) {
        assert_int_equal(size[r], (size_t)rank * sizeof *in);
        for (int k = 0; k < rank; k++)
            assert_int_equal(*in++, 100 * r + 10 * rank + k);
    }
    ranks_forget(ranks, come, size);
    assert_int_equal(
        ranks_each(ranks, SOTTO_OK, (uint64_t)rank * 7, all, &error), SOTTO_OK);
    for (int r = 0; r < 4; r++)
        assert_int_equal(all[r], r * 7);
    assert_int_equal(ranks_before(ranks, SOTTO_OK, (uint64_t)rank + 1, &before,
                                  &total, &error),
                     SOTTO_OK);
    assert_int_equal(before, rank * (rank + 1) / 2);
    assert_int_equal(total, 10);
}

static void exchanged(void **unused)
{
    (void)unused;
    static rank_group group;
    group_run(&group, 4, exchange_some, NULL);
}

/* Sums that change little, by more or fewer of them, are those that are sent
   whole; at the end one rank is out of memory. */
static void change_some(void *context, int rank, sotto_ranks *ranks)
{
    enum { CELLS = 300 };
    static const int changes[] = {300, 4, 0, 1, 200, 74, 30};
    int64_t now[CELLS] = {0}, before[CELLS] = {0}, total[CELLS] = {0};
    sotto_error error;
    (void)context;
    for (size_t step = 0; step < sizeof changes / sizeof *changes; step++) {
        for (int k = 0; k < changes[step] - 3 * (rank > 1); k++)
            now[(k * 7 + rank * 11) % CELLS] += k - 5 * rank + (int64_t)step;
        int64_t plain[CELLS];
        memcpy(plain, now, sizeof now);
        assert_int_equal(
            ranks_sum_at_root(ranks, SOTTO_OK, plain, CELLS, &error), SOTTO_OK);
        assert_int_equal(ranks_sum_changes(ranks, SOTTO_OK, now, before, total,
                                           CELLS, &error),
                         SOTTO_OK);
        assert_memory_equal(before, now, sizeof now);
        if (rank == 0)
            assert_memory_equal(total, plain, sizeof plain);
    }
    now[rank]++;
    countdown = rank == 1 ? 2 : 0;
    assert_int_equal(
        ranks_sum_changes(ranks, SOTTO_OK, now, before, total, CELLS, &error),
        SOTTO_FAILED);
    countdown = 0;
    for (int i = 0; i < CELLS; i++)
        assert_true(!before[i] && !total[i]);
}

static void changes_at_root(void **unused)
{
    (void)unused;
    static rank_group group;
    group_run(&group, 4, change_some, NULL);
}

/* A few bytes, and more of them. */
static void share_some(void *context, int rank, sotto_ranks *ranks)
{
    char text[12] = "";
    sotto_error error;
    (void)context;
    for (size_t size = 1; size <= sizeof text; size++) {
        memset(text, rank ? 'x' : (int)('a' + size), sizeof text);
        assert_int_equal(ranks_share(ranks, SOTTO_OK, text, size, &error),
                         SOTTO_OK);
        for (size_t i = 0; i < sizeof text; i++)
            assert_int_equal(text[i],
                             i < size || !rank ? (int)('a' + size) : 'x');
    }
}

static void shared(void **unused)
{
    (void)unused;
    static rank_group group;
    group_run(&group, 3, share_some, NULL);
}

/* The first rank that has failed is heard, whatever the others are about. */
static void fail_at(void *context, int rank, sotto_ranks *ranks)
{
    sotto_error *error = &((sotto_error *)context)[rank];
    int64_t sum[3] = {1, 2, 3};
    sotto_status status = SOTTO_OK;
    if (rank == 2 || rank == 1) {
        error->status = rank == 1 ? SOTTO_DATA : SOTTO_FAILED;
        snprintf(error->message, sizeof error->message, "from rank %d", rank);
        status = sotto_ranks_agree(ranks, error->status, error);
    } else {
        status = ranks_sum(ranks, SOTTO_OK, sum, 3, error);
        assert_int_equal(sum[0], 0);
    }
    assert_int_equal(status, SOTTO_DATA);
    assert_int_equal(sotto_ranks_agree(ranks, status, error), SOTTO_DATA);
}

static void first_failure(void **unused)
{
    (void)unused;
    static rank_group group;
    static sotto_error error[4];
    group_run(&group, 4, fail_at, error);
    for (int r = 0; r < 4; r++)
        assert_string_equal(error[r].message, "from rank 1");
}

/* A network that is gone, from the n-th call on. */
static int calls_left;

static int gone_most(void *context, uint64_t *values, size_t count)
{
    (void)context, (void)values, (void)count;
    return calls_left-- <= 0;
}

static int gone_sum(void *context, int64_t *values, size_t count, int to_all)
{
    (void)context, (void)values, (void)count, (void)to_all;
    return calls_left-- <= 0;
}

static int gone_share(void *context, int from, void *bytes, size_t size)
{
    (void)context, (void)from, (void)bytes, (void)size;
    return calls_left-- <= 0;
}

static int gone_exchange(void *context, const void *out, const size_t *out_size,
                         void *in, const size_t *in_size)
{
    (void)context, (void)out, (void)out_size;
    memset(in, 0, in_size[0] + in_size[1]);
    return calls_left-- <= 0;
}

static sotto_status any_call(sotto_ranks *g, int which, sotto_error *error)
{
    int64_t value = 7;
    uint64_t word[2] = {0, 0};
    size_t size[2] = {0, 0};
    void *in = NULL;
    sotto_status status;
    switch (which) {
    case 0:
        return ranks_sum(g, SOTTO_OK, &value, 1, error);
    case 1:
        return ranks_share(g, SOTTO_OK, word, sizeof word, error);
    case 2:
        return ranks_most(g, SOTTO_OK, word, 2, error);
    case 3:
        status = ranks_exchange(g, SOTTO_OK, "", size, &in, error);
        ranks_forget(g, in, size);
        return status;
    default:
        return sotto_ranks_agree(g, SOTTO_FAILED, error);
    }
}

static void network_gone(void **unused)
{
    (void)unused;
    sotto_rank_calls calls = {0,        2,          NULL,         gone_most,
                              gone_sum, gone_share, gone_exchange};
    for (int which = 0; which < 5; which++)
        for (int left = 0; left < (which == 4   ? 2
                                   : which == 3 ? 4
                                                : 2);
             left++) {
            sotto_ranks *g;
            sotto_error error = {SOTTO_OK, ""};
            assert_int_equal(sotto_ranks_open(&g, &calls, &error), SOTTO_OK);
            calls_left = left;
            assert_int_equal(any_call(g, which, &error), SOTTO_FAILED);
            assert_string_equal(error.message,
                                "rank 0 of 2 cannot reach the others any more");
            sotto_ranks_close(g);
        }
    sotto_ranks *none;
    calls.rank = 2;
    assert_int_equal(sotto_ranks_open(&none, &calls, NULL), SOTTO_USAGE);
    assert_null(none);
}

/* ---- noise ---- */

/* The sums that ranks hand in when all of them are told the answer. */
typedef struct seen_sums {
    int64_t first[3][8];
    int seen[3];
} seen_sums;

static void look_at_sums(void *context, const int64_t *values, size_t count,
                         int rank, int to_all)
{
    seen_sums *s = context;
    if (!to_all || count != 7 || s->seen[rank]++)
        return;
    memcpy(s->first[rank], values, count * sizeof *values);
}

/* The first question is about the same records at the same point, whatever the
   seed is. So what differs is noise. */
static void noise_is_drawn_once(void **unused)
{
    (void)unused;
    static rank_group group;
    seen_sums seen[2] = {0};
    for (int i = 0; i < 2; i++) {
        fit_case f = {"noise",
                      {"rows.csv"},
                      {"threads", "1", "delta", "1e-6", "epsilon", "3",
                       "schema", "@class.json", "loss", "logistic", "solver",
                       "gd", "steps", "2", "insecure-seed", i ? "6" : "5"},
                      0};
        fit_result *many = calloc(1, sizeof *many);
        fit_job job = {.of = &f, .out = many};
        memset(&group, 0, sizeof group);
        group.look = look_at_sums;
        group.look_context = &seen[i];
        group_run(&group, 3, fit_one, &job);
        assert_int_equal(many->status[0], SOTTO_OK);
        result_free(many);
    }
    for (int r = 0; r < 3; r++) {
        int same = !memcmp(seen[0].first[r], seen[1].first[r],
                           sizeof seen[0].first[r]);
        assert_true(seen[0].seen[r] && seen[1].seen[r]);
        assert_int_equal(same, r > 0);
    }
}

/* ---- what is sent ---- */

enum { RARE_FEATURES = 2000 };

/* How often rank 1 hands in all sums that a choice is made of. */
static void look_at_choices(void *context, const int64_t *values, size_t count,
                            int rank, int to_all)
{
    (void)values;
    if (rank == 1 && !to_all && count == 3 * RARE_FEATURES)
        ++*(int *)context;
}

/* A choice among features of three classes needs all sums once. Then those
   that a move has changed are sent. */
static void choices_of_classes(void **unused)
{
    (void)unused;
    static rank_group group;
    static const fit_case f = {"rare",
                               {"rare.svm"},
                               {COMMON, "loss", "logistic", "classes", "0,1,2",
                                "features", "2000", "path", "select"},
                               0};
    int whole = 0;
    fit_result *many = calloc(1, sizeof *many);
    fit_job job = {.of = &f, .out = many};
    group.look = look_at_choices;
    group.look_context = &whole;
    group_run(&group, 3, fit_one, &job);
    assert_int_equal(many->status[0], SOTTO_OK);
    assert_int_equal(whole, 1);
    result_free(many);
    same_bits(&f);
}

/* ---- the ledger ---- */

static void make_ledger(const char *cap)
{
    sotto_options *o;
    sotto_error error;
    unlink(path_of("ledger.db"));
    assert_int_equal(sotto_options_new(&o, &error), SOTTO_OK);
    const char *const set[] = {"dataset", "rows", "epsilon", cap,
                               "delta",   "1e-5", "owner",   "us"};
    for (int i = 0; i < 8; i += 2)
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
    "threads", "1", "delta", "1e-6", "epsilon", "3", "ledger", "@ledger.db",   \
        "dataset", "rows"
    static const fit_case good = {
        "booked",
        {"a.csv", "b.csv", "c.csv"},
        {BOOKED, "schema", "@class.json", "loss", "logistic"},
        0};
    static const fit_case bad = {
        "booked", {"bad.csv"}, {BOOKED, "target", "y"}, 0};
    static const fit_case table = {
        "booked", {"booked.sotto"}, {BOOKED, "loss", "logistic"}, 0};
    make_ledger("10");
    booked = read_early = books = 0;
    fit_result *many = fit_by(&good, 3);
    if (many->status[0] != SOTTO_OK)
        print_message("%s\n", many->error[0].message);
    assert_int_equal(many->status[0], SOTTO_OK);
    assert_int_equal(books, 1);
    assert_int_equal(read_early, 0);
    result_free(many);
    booked = 0;
    many = fit_by(&bad, 3);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(many->status[r], SOTTO_DATA);
        assert_non_null(strstr(many->error[r].message, ": line 120"));
    }
    assert_int_equal(books, 2);
    assert_int_equal(read_early, 0);
    result_free(many);
    booked = 0;
    many = fit_by(&table, 3);
    if (many->status[0] != SOTTO_OK)
        print_message("%s\n", many->error[0].message);
    assert_int_equal(many->status[0], SOTTO_OK);
    assert_int_equal(books, 3);
    assert_int_equal(read_early, 0);
    result_free(many);
    make_ledger("1");
    const fit_case *refuse[] = {&good, &table};
    for (int i = 0; i < 2; i++) {
        booked = 0;
        many = fit_by(refuse[i], 3);
        for (int r = 0; r < 3; r++)
            assert_int_equal(many->status[r], SOTTO_BUDGET);
        assert_int_equal(read_early, 0);
        assert_int_equal(books, 4 + i);
        result_free(many);
    }
}

/* ---- private runs ---- */

/* The statement says how many ranks there were, and else the same. */
static void statement(void **unused)
{
    (void)unused;
    static const fit_case f = {"private",
                               {"rows.csv"},
                               {"threads", "1", "delta", "1e-6", "epsilon", "3",
                                "schema", "@class.json", "loss", "logistic",
                                "solver", "sgd", "steps", "5", "batch-rate",
                                ".5"},
                               0};
    fit_result *alone = fit_alone(&f), *many = fit_by(&f, 3);
    sotto_model *model[2];
    sotto_error error;
    assert_int_equal(many->status[0], SOTTO_OK);
    assert_int_equal(sotto_model_parse(&model[0], alone->text, &error),
                     SOTTO_OK);
    assert_int_equal(sotto_model_parse(&model[1], many->text, &error),
                     SOTTO_OK);
    assert_int_equal(sotto_model_check(model[1], &error), SOTTO_OK);
    const char *one = sotto_model_statement(model[0]);
    char *other = strdup(sotto_model_statement(model[1]));
    char *at = strstr(other, "\"ranks\": 3");
    assert_non_null(at);
    assert_null(strstr(one, "\"ranks\""));
    /* without that member they are the same */
    char *from = at, *to = at + strlen("\"ranks\": 3");
    while (*to == ',' || *to == ' ' || *to == '\n')
        to++;
    memmove(from, to, strlen(to) + 1);
    assert_string_equal(one, other);
    free(other);
    sotto_model_free(model[0]);
    sotto_model_free(model[1]);
    result_free(alone);
    result_free(many);
}

/* ---- files for all of it ---- */

/* A copy with other bytes at some line. */
static void write_changed(const char *name, const char *from, int line,
                          const char *text, int from_line)
{
    FILE *in = fopen(path_of(from), "r"), *out = fopen(path_of(name), "w");
    char *row = NULL;
    size_t room = 0;
    for (int i = 1; getline(&row, &room, in) > 0; i++)
        fputs(i == line || (from_line && i >= from_line) ? text : row, out);
    free(row);
    fclose(in);
    fclose(out);
}

static void write_simple(const char *name, int rows, int changed,
                         const char *before, const char *after)
{
    FILE *file = fopen(path_of(name), "w");
    fprintf(file, "a,b,y\n");
    state = 3;
    for (int i = 0; i < rows; i++) {
        double a = uniform(), b = uniform();
        fprintf(file, "%.3f,%.3f,%s\n", a, b,
                i >= changed ? after
                : i % 2      ? "1"
                             : before);
    }
    fclose(file);
}

/* A table of a file, by these options. */
static void convert(const char *name, const char *from,
                    const char *const *option)
{
    sotto_options *o;
    sotto_error error;
    const char *path = path_of(from);
    if (sotto_options_new(&o, &error) != SOTTO_OK)
        abort();
    for (int i = 0; option[i]; i += 2) {
        const char *value = option[i + 1];
        value = value[0] == '@' ? path_of(value + 1) : value;
        if (sotto_options_set(o, option[i], value, &error) != SOTTO_OK)
            fail_msg("%s: %s", name, error.message);
    }
    if (sotto_table_convert(&path, 1, path_of(name), o, NULL, &error) !=
        SOTTO_OK)
        fail_msg("%s: %s", name, error.message);
    sotto_options_free(o);
}
#define CONVERT(name, from, ...)                                               \
    convert(name, from,                                                        \
            (const char *const[]){"loss", "logistic", __VA_ARGS__, NULL})

static void make_tables(void)
{
    CONVERT("class.sotto", "rows.csv", "schema", "@class.json");
    CONVERT("people.sotto", "rows.csv", "schema", "@people.json");
    CONVERT("weights.sotto", "rows.csv", "schema", "@class.json", "weights",
            "w", "weight-bound", "3");
    CONVERT("few.sotto", "few.csv", "schema", "@people.json");
    CONVERT("none.sotto", "none.csv", "schema", "@class.json");
    write_svmlight("small.svm", 300, 200);
    CONVERT("sparse.sotto", "small.svm", "features", "200", "undeclared",
            "rows");
    CONVERT("booked.sotto", "a.csv", "schema", "@class.json", "dataset",
            "rows");
    write_npy("long.npy", 140000, 5, 0, 0); /* three blocks */
    CONVERT("long.sotto", "long.npy", "target", "5", "undeclared", "rows");
}

static int make_files(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder))
        return -1;
    write_csv("rows.csv", 0, 500, 6, 1);
    write_schema("class.json", "\"class\": {\"type\": \"target\", "
                               "\"classes\": [\"0\", \"1\"]}");
    write_schema("number.json", "\"y\": {\"type\": \"target\", "
                                "\"bounds\": [-2, 2]}");
    write_schema("three.json", "\"three\": {\"type\": \"target\", "
                               "\"classes\": [\"a\", \"b\", \"c\"]}");
    write_schema("people.json",
                 "\"person\": {\"type\": \"unit\"}, \"class\": {\"type\": "
                 "\"target\", \"classes\": [\"0\", \"1\"]}");
    write_schema("levels.json",
                 "\"text\": {\"type\": \"category\", \"levels\": "
                 "\"private\"}, \"class\": {\"type\": \"target\", "
                 "\"classes\": [\"0\", \"1\"]}");
    write_csv("a.csv", 0, 90, 6, 1);
    write_csv("b.csv", 90, 30, 6, 1);
    write_csv("c.csv", 120, 150, 6, 1);
    write_csv("bare.csv", 0, 200, 6, 0);
    write_csv("none.csv", 0, 0, 6, 1);
    write_csv("one.csv", 0, 1, 6, 1);
    write_csv("few.csv", 0, 23, 6, 1);
    write_people("same.csv", 60, 1);
    write_people("some.csv", 180, 97);
    write_cut("cut.csv", "rows.csv");
    write_svmlight("rows.svm", 300, 5000);
    write_svmlight("one.svm", 1, 5);
    write_three("three.svm", 200, 300);
    write_rare("rare.svm", 300, RARE_FEATURES);
    write_changed("bad.svm", "rows.svm", 240, "1 3:x\n", 0);
    write_npy("rows.npy", 333, 5, 0, 0);
    write_npy("columns.npy", 250, 5, 1, 0);
    write_npy("nan.npy", 250, 5, 0, 200);
    write_simple("minus.csv", 200, 200, "-1", "-1");
    write_simple("zero.csv", 200, 199, "1", "0");
    write_simple("both.csv", 200, 150, "-1", "0");
    write_simple("good.csv", 300, 300, "0", "1");
    write_changed("first.csv", "good.csv", 120, "1,2\n", 0);
    write_changed("bad.csv", "first.csv", 250, "1,x,2\n", 0);
    write_changed("quote.csv", "good.csv", 180, "1,\"2,3\n", 0);
    write_changed("stray.csv", "good.csv", 180, "1,2\"3,3\n", 0);
    make_tables();
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_of_two_classes),
        cmocka_unit_test(more_classes),
        cmocka_unit_test(formats),
        cmocka_unit_test(people),
        cmocka_unit_test(people_across_every_boundary),
        cmocka_unit_test(many_small_shards),
        cmocka_unit_test(tables),
        cmocka_unit_test(damaged_tables),
        cmocka_unit_test(faults),
        cmocka_unit_test(refused),
        cmocka_unit_test(one_rank),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(come_apart),
        cmocka_unit_test(exchanged),
        cmocka_unit_test(changes_at_root),
        cmocka_unit_test(shared),
        cmocka_unit_test(first_failure),
        cmocka_unit_test(network_gone),
        cmocka_unit_test(noise_is_drawn_once),
        cmocka_unit_test(choices_of_classes),
        cmocka_unit_test(booked_before_rows),
        cmocka_unit_test(statement),
    };
    return cmocka_run_group_tests(tests, make_files, NULL);
}
