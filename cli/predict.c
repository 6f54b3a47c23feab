/*
 * sotto predict: one answer per line. The answers are as sensitive as the
 * rows they are about.
 */
#include "cli.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* What is printed for each row: one answer, or with three classes and more one
   for each class. The rows come piece by piece. */
typedef struct predict_run {
    const cli *c;
    const sotto_model *model;
    const sotto_table *table;
    FILE *to;
    sotto_answer what;
    int json, as_classes, begun;
    int64_t width;
    int64_t rows, bad; /* so far */
} predict_run;

/* The class of an answer: below or above 0, or an index. */
static const char *predict_class(const sotto_model *m, double answer)
{
    return sotto_model_class(m, sotto_model_classes(m) > 2 ? (int)answer
                                                           : answer > 0);
}

/* The names of the classes as a header of CSV. */
static void predict_header(FILE *to, const sotto_model *m)
{
    for (int k = 0; sotto_model_class(m, k); k++) {
        const char *name = sotto_model_class(m, k);
        int quoted = strpbrk(name, ",\"\n\r") != NULL;
        fprintf(to, "%s%s", k ? "," : "", quoted ? "\"" : "");
        for (; *name; name++)
            fprintf(to, *name == '"' ? "\"\"" : "%c", *name);
        fputs(quoted ? "\"" : "", to);
    }
    fputs("\n", to);
}

/* An empty line is a bad row: line k is about row k. */
static void predict_print(const predict_run *p, const double *value)
{
    for (int64_t k = 0; k < p->width; k++) {
        int bad = isnan(value[k]) != 0, last = k + 1 == p->width;
        fprintf(p->to, "%s%s",
                bad             ? ""
                : p->as_classes ? predict_class(p->model, value[k])
                                : sotto_number_exact(value[k]).text,
                last  ? "\n"
                : bad ? ""
                      : ",");
    }
}

/* {"not_for_release": true, "answers": [...]} */
static void predict_json_begin(const predict_run *p)
{
    fprintf(p->to, "{\"not_for_release\": true, ");
    for (int k = 0; p->width > 1 && k < p->width; k++) {
        fputs(k ? ", " : "\"classes\": [", p->to);
        cli_json_text(p->to, sotto_model_class(p->model, k));
    }
    fprintf(p->to, "%s\"answers\": [", p->width > 1 ? "], " : "");
}

static void predict_json(const predict_run *p, const double *value)
{
    fputs(p->rows ? ", " : "", p->to);
    fputs(p->width > 1 ? "[" : "", p->to);
    for (int64_t k = 0; k < p->width; k++) {
        fputs(k ? ", " : "", p->to);
        if (p->as_classes && !isnan(value[k]))
            cli_json_text(p->to, predict_class(p->model, value[k]));
        else
            cli_json_number(p->to, value[k]);
    }
    fputs(p->width > 1 ? "]" : "", p->to);
}

static void predict_begin(predict_run *p)
{
    if (!p->begun && p->json)
        predict_json_begin(p);
    else if (!p->begun && p->width > 1)
        predict_header(p->to, p->model);
    p->begun = 1;
}

static sotto_status predict_take(void *context, const double *answers,
                                 int64_t rows, sotto_error *error)
{
    predict_run *p = context;
    (void)error; /* a stream that cannot be written to is told at its end */
    predict_begin(p);
    for (int64_t i = 0; i < rows; i++, p->rows++) {
        const double *value = answers + i * p->width;
        (p->json ? predict_json : predict_print)(p, value);
        p->bad += isnan(value[0]) != 0;
    }
    return SOTTO_OK;
}

/* Nothing is printed before there are all answers, of all ranks. */
static sotto_status predict_all(void *context, FILE *to, sotto_error *error)
{
    predict_run *p = context;
    p->to = to;
    sotto_status status = sotto_predict_in_order(p->model, p->table, p->what,
                                                 predict_take, p, error);
    if (status != SOTTO_OK || !cli_ranks_is_root())
        return status;
    predict_begin(p);
    if (p->json)
        fprintf(to, "]}\n");
    return SOTTO_OK;
}

/* A file appears whole or not at all, and only its owner may read it. */
static sotto_status predict_write(predict_run *p, sotto_error *error)
{
    const char *output = sotto_options_get(p->c->options, "output");
    if (!cli_ranks_is_root() || !output || !strcmp(output, "-"))
        return predict_all(p, stdout, error);
    mode_t before = umask(077);
    sotto_status status = sotto_file_write(output, predict_all, p, error);
    umask(before);
    return status;
}

/* For the operator: the answers are no release, and their number says it too.
 */
static void predict_remark(const predict_run *p)
{
    if (p->bad && !cli_flag(p->c, "quiet"))
        fprintf(stderr,
                "sotto: remark: %lld of %lld rows %s bad, and %s answer is %s; "
                "--bad-rows stop says what is wrong with the first\n",
                (long long)p->bad, (long long)p->rows,
                p->bad == 1 ? "is" : "are", p->bad == 1 ? "its" : "their",
                p->json ? "null" : "an empty line");
}

static sotto_status predict_table(const cli *c, const sotto_model *m,
                                  const sotto_table *t, sotto_error *error)
{
    sotto_answer what = cli_flag(c, "proba")    ? SOTTO_ANSWER_PROBA
                        : cli_flag(c, "scores") ? SOTTO_ANSWER_SCORE
                                                : SOTTO_ANSWER_VALUE;
    int many = sotto_model_classes(m) > 2 && what != SOTTO_ANSWER_VALUE;
    predict_run p = {.c = c,
                     .model = m,
                     .table = t,
                     .what = what,
                     .json = cli_flag(c, "json"),
                     .as_classes =
                         what == SOTTO_ANSWER_VALUE && sotto_model_class(m, 0),
                     .width = many ? sotto_model_classes(m) : 1};
    sotto_status status = predict_write(&p, error);
    if (status == SOTTO_OK && cli_ranks_is_root())
        predict_remark(&p);
    return status;
}

sotto_status cli_predict(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_table *table = NULL;
    sotto_status status = SOTTO_OK;
    if (!strcmp(c->argument[0], "-") && !strcmp(c->argument[1], "-"))
        return cli_refuse(error, "MODEL and DATA cannot both be stdin");
    if (cli_flag(c, "proba") && cli_flag(c, "scores"))
        return cli_refuse(error, "expected one of --proba and --scores");
    if (cli_ranks_is_root() && sotto_options_get(c->options, "output"))
        status = cli_check_output(c, error);
    if (status == SOTTO_OK)
        status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status =
            sotto_table_read_files_for(&table, model, 0, c->argument + 1,
                                       c->arguments - 1, c->options, error);
    if (status == SOTTO_OK) {
        if (cli_ranks_is_root())
            cli_remarks(c, table);
        status = predict_table(c, model, table, error);
    }
    sotto_table_free(table);
    sotto_model_free(model);
    return status;
}
