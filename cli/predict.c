/*
 * sotto predict: one answer per line. The answers are as sensitive as the
 * rows they are about.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void predict_print(FILE *to, const sotto_model *m, int as_classes,
                          const double *answer, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        if (isnan(answer[i])) /* a bad row: line k is about row k */
            fputs("\n", to);
        else if (as_classes)
            fprintf(to, "%s\n", sotto_model_class(m, answer[i] > 0));
        else
            fprintf(to, "%s\n", sotto_number_exact(answer[i]).text);
}

/* {"not_for_release": true, "answers": [...]} */
static void predict_json(FILE *to, const sotto_model *m, int as_classes,
                         const double *answer, int64_t rows)
{
    fprintf(to, "{\"not_for_release\": true, \"answers\": [");
    for (int64_t i = 0; i < rows; i++) {
        fputs(i ? ", " : "", to);
        if (as_classes && !isnan(answer[i]))
            cli_json_text(to, sotto_model_class(m, answer[i] > 0));
        else
            cli_json_number(to, answer[i]);
    }
    fprintf(to, "]}\n");
}

/* Answers for a file are collected first, so that the file appears whole or
   not at all. */
static sotto_status predict_write(const cli *c, const sotto_model *m,
                                  int as_classes, const double *answer,
                                  int64_t rows, sotto_error *error)
{
    const char *output = sotto_options_get(c->options, "output");
    char *text = NULL;
    size_t size = 0;
    void (*print)(FILE *, const sotto_model *, int, const double *, int64_t) =
        cli_flag(c, "json") ? predict_json : predict_print;
    if (!output || !strcmp(output, "-")) {
        print(stdout, m, as_classes, answer, rows);
        return SOTTO_OK;
    }
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return cli_memory(error);
    print(to, m, as_classes, answer, rows);
    int bad = ferror(to);
    bad |= fclose(to) != 0;
    sotto_status status =
        bad ? cli_memory(error) : sotto_text_write(output, text, error);
    free(text);
    return status;
}

/* For the operator: the answers are no release, and their number says it too.
 */
static void predict_remark(const cli *c, const double *answer, int64_t rows)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < rows; i++)
        bad += isnan(answer[i]) != 0;
    if (bad && !cli_flag(c, "quiet"))
        fprintf(stderr,
                "sotto: remark: %lld of %lld rows %s bad, and %s answer is %s; "
                "--bad-rows stop says what is wrong with the first\n",
                (long long)bad, (long long)rows, bad == 1 ? "is" : "are",
                bad == 1 ? "its" : "their",
                cli_flag(c, "json") ? "null" : "an empty line");
}

static sotto_status predict_table(const cli *c, const sotto_model *m,
                                  const sotto_table *t, sotto_error *error)
{
    sotto_answer what = cli_flag(c, "proba")    ? SOTTO_ANSWER_PROBA
                        : cli_flag(c, "scores") ? SOTTO_ANSWER_SCORE
                                                : SOTTO_ANSWER_VALUE;
    int as_classes = what == SOTTO_ANSWER_VALUE && sotto_model_class(m, 0);
    int64_t rows = sotto_table_rows(t);
    double *answer = calloc((size_t)rows + 1, sizeof *answer);
    if (!answer)
        return cli_memory(error);
    sotto_status status = sotto_predict(answer, m, t, what, error);
    if (status == SOTTO_OK)
        status = predict_write(c, m, as_classes, answer, rows, error);
    if (status == SOTTO_OK)
        predict_remark(c, answer, rows);
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
        status = sotto_table_read_for(&table, model, 0, c->argument[1],
                                      c->options, error);
    if (status == SOTTO_OK) {
        cli_remarks(c, table);
        status = predict_table(c, model, table, error);
    }
    sotto_table_free(table);
    sotto_model_free(model);
    return status;
}
