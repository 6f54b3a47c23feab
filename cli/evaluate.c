/*
 * sotto evaluate: how good a model is on rows whose target is known.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATE_SHOWN = 20, EVALUATE_NAME = 11 };

/* Three classes and more: which are taken for which. */
static sotto_status evaluate_confusion(double **out, const sotto_model *m,
                                       const sotto_table *t, sotto_error *error)
{
    size_t classes = (size_t)sotto_model_classes(m);
    *out = NULL;
    if (classes <= 2)
        return SOTTO_OK;
    *out = calloc(classes * classes, sizeof **out);
    return *out ? sotto_confusion(*out, m, t, error) : cli_memory(error);
}

static void evaluate_json_confusion(const sotto_model *m, const double *count)
{
    int64_t classes = sotto_model_classes(m);
    if (!count)
        return;
    cli_json_classes(m);
    printf(", \"confusion\": [");
    for (int64_t i = 0; i < classes * classes; i++) {
        printf("%s", i % classes ? ", " : i ? ", [" : "[");
        cli_json_number(stdout, count[i]);
        printf("%s", (i + 1) % classes ? "" : "]");
    }
    printf("]");
}

/* A line for each class, a column for each that was predicted. */
static void evaluate_text_confusion(const sotto_model *m, const double *count)
{
    int64_t classes = sotto_model_classes(m);
    if (!count)
        return;
    printf("\nrows of a class (lines) by predicted class (columns)\n");
    if (classes > EVALUATE_SHOWN) {
        printf("  %lld classes: --json has them\n", (long long)classes);
        return;
    }
    for (int64_t a = -1; a < classes; a++) {
        const char *name = a < 0 ? "" : sotto_model_class(m, (int)a);
        printf("  ");
        int width = cli_print_name(stdout, name, EVALUATE_NAME);
        printf("%*s", EVALUATE_NAME - width, "");
        for (int64_t b = 0; b < classes; b++) {
            printf(" ");
            if (a >= 0)
                printf("%*s", EVALUATE_NAME,
                       sotto_number_print(count[a * classes + b], 6).text);
            else {
                const char *to = sotto_model_class(m, (int)b);
                int room = EVALUATE_NAME - (int)strlen(to);
                printf("%*s", room > 0 ? room : 0, "");
                cli_print_name(stdout, to, EVALUATE_NAME);
            }
        }
        printf("\n");
    }
}

static void evaluate_json(const sotto_quality *q, const sotto_model *m,
                          const sotto_table *t, const double *confusion)
{
    int classes = sotto_model_class(m, 0) != NULL;
    const struct {
        const char *name;
        double value;
        int shown;
    } numbers[] = {
        {"objective", q->objective, 1}, {"accuracy", q->accuracy, classes},
        {"auc", q->auc, classes},       {"log_loss", q->log_loss, classes},
        {"mse", q->mse, !classes},      {"r2", q->r2, !classes}};
    printf("{\"not_for_release\": true, \"rows\": %lld", (long long)q->rows);
    cli_json_dropped(sotto_table_dropped(t));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].shown)
            cli_json_member(numbers[i].name, numbers[i].value);
    evaluate_json_confusion(m, confusion);
    printf("}\n");
}

static void evaluate_line(const char *name, double value)
{
    if (!isnan(value))
        printf("%-10s %s\n", name, sotto_number_print(value, 6).text);
}

static void evaluate_text(const sotto_quality *q)
{
    printf("%-10s %lld\n", "rows", (long long)q->rows);
    evaluate_line("objective", q->objective);
    evaluate_line("accuracy", q->accuracy);
    evaluate_line("AUC", q->auc);
    evaluate_line("log-loss", q->log_loss);
    evaluate_line("MSE", q->mse);
    evaluate_line("R2", q->r2);
}

sotto_status cli_evaluate(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_table *table = NULL;
    sotto_quality quality;
    double *confusion = NULL;
    sotto_status status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status =
            sotto_table_read_files_for(&table, model, 1, c->argument + 1,
                                       c->arguments - 1, c->options, error);
    if (status == SOTTO_OK)
        status = sotto_evaluate(&quality, model, table, error);
    if (status == SOTTO_OK)
        status = evaluate_confusion(&confusion, model, table, error);
    if (status == SOTTO_OK) {
        cli_remarks(c, table);
        cli_remark_dropped(c, table);
        if (!cli_flag(c, "quiet"))
            fprintf(stderr, "sotto: remark: these numbers are as sensitive as "
                            "the rows; they are not for release\n");
        if (!cli_flag(c, "quiet") && isnan(quality.objective))
            fprintf(stderr, "sotto: remark: the model, of an earlier version, "
                            "does not say in which units its penalty is: the "
                            "objective is not known; train it again\n");
        if (cli_flag(c, "json"))
            evaluate_json(&quality, model, table, confusion);
        else {
            evaluate_text(&quality);
            evaluate_text_confusion(model, confusion);
        }
    }
    free(confusion);
    sotto_table_free(table);
    sotto_model_free(model);
    return status;
}
