/*
 * sotto predict: one answer per line. The answers are as sensitive as the
 * rows they are about.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is printed for each row: one answer, or with three classes and more one
   for each class. */
typedef struct predict_answers {
    int as_classes;
    int64_t width;
    const double *value;
    int64_t rows;
} predict_answers;

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

static void predict_print(FILE *to, const sotto_model *m,
                          const predict_answers *a)
{
    if (a->width > 1)
        predict_header(to, m);
    for (int64_t i = 0; i < a->rows * a->width; i++)
        fprintf(to, "%s%s",
                isnan(a->value[i]) ? "" /* a bad row: line k is about row k */
                : a->as_classes    ? predict_class(m, a->value[i])
                                   : sotto_number_exact(a->value[i]).text,
                (i + 1) % a->width && !isnan(a->value[i]) ? ","
                : (i + 1) % a->width                      ? ""
                                                          : "\n");
}

/* {"not_for_release": true, "answers": [...]} */
static void predict_json(FILE *to, const sotto_model *m,
                         const predict_answers *a)
{
    fprintf(to, "{\"not_for_release\": true, ");
    for (int k = 0; a->width > 1 && k < a->width; k++) {
        fputs(k ? ", " : "\"classes\": [", to);
        cli_json_text(to, sotto_model_class(m, k));
    }
    fprintf(to, "%s\"answers\": [", a->width > 1 ? "], " : "");
    for (int64_t i = 0; i < a->rows * a->width; i++) {
        fputs(i ? ", " : "", to);
        fputs(a->width > 1 && i % a->width == 0 ? "[" : "", to);
        if (a->as_classes && !isnan(a->value[i]))
            cli_json_text(to, predict_class(m, a->value[i]));
        else
            cli_json_number(to, a->value[i]);
        fputs(a->width > 1 && (i + 1) % a->width == 0 ? "]" : "", to);
    }
    fprintf(to, "]}\n");
}

/* Answers for a file are collected first, so that the file appears whole or
   not at all. */
static sotto_status predict_write(const cli *c, const sotto_model *m,
                                  const predict_answers *answers,
                                  sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    char *text = NULL;
    size_t size = 0;
    void (*print)(FILE *, const sotto_model *, const predict_answers *) =
        cli_flag(c, "json") ? predict_json : predict_print;
    if (!output || !strcmp(output, "-")) {
        print(stdout, m, answers);
        return SOTTO_OK;
    }
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return cli_memory(error);
    print(to, m, answers);
    int bad = ferror(to);
    bad |= fclose(to) != 0;
    sotto_status status =
        bad ? cli_memory(error) : cli_write_secret(output, text, error);
    free(text);
    return status;
}

/* For the operator: the answers are no release, and their number says it too.
 */
static void predict_remark(const cli *c, const predict_answers *a)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < a->rows; i++)
        bad += isnan(a->value[i * a->width]) != 0;
    if (bad && !cli_flag(c, "quiet"))
        fprintf(stderr,
                "sotto: remark: %lld of %lld rows %s bad, and %s answer is %s; "
                "--bad-rows stop says what is wrong with the first\n",
                (long long)bad, (long long)a->rows, bad == 1 ? "is" : "are",
                bad == 1 ? "its" : "their",
                cli_flag(c, "json") ? "null" : "an empty line");
}

static sotto_status predict_table(const cli *c, const sotto_model *m,
                                  const sotto_table *t, sotto_error *error)
{
    sotto_answer what = cli_flag(c, "proba")    ? SOTTO_ANSWER_PROBA
                        : cli_flag(c, "scores") ? SOTTO_ANSWER_SCORE
                                                : SOTTO_ANSWER_VALUE;
    int many = sotto_model_classes(m) > 2 && what != SOTTO_ANSWER_VALUE;
    predict_answers a = {.as_classes = what == SOTTO_ANSWER_VALUE &&
                                       sotto_model_class(m, 0),
                         .width = many ? sotto_model_classes(m) : 1,
                         .rows = sotto_table_rows(t)};
    double *answer = calloc((size_t)(a.rows * a.width) + 1, sizeof *answer);
    if (!answer)
        return cli_memory(error);
    a.value = answer;
    sotto_status status = many
                              ? sotto_predict_classes(answer, m, t, what, error)
                              : sotto_predict(answer, m, t, what, error);
    if (status == SOTTO_OK)
        status = predict_write(c, m, &a, error);
    if (status == SOTTO_OK)
        predict_remark(c, &a);
    free(answer);
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
    if (sotto_options_get(c->options, "output"))
        status = cli_check_output(c, error);
    if (status == SOTTO_OK)
        status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status =
            sotto_table_read_files_for(&table, model, 0, c->argument + 1,
                                       c->arguments - 1, c->options, error);
    if (status == SOTTO_OK) {
        cli_remarks(c, table);
        status = predict_table(c, model, table, error);
    }
    sotto_table_free(table);
    sotto_model_free(model);
    return status;
}
