/*
 * sotto evaluate: how good a model is on rows whose target is known.
 */
#include "cli.h"

#include <math.h>

static void evaluate_json(const sotto_quality *q, int classes)
{
    const struct {
        const char *name;
        double value;
        int shown;
    } numbers[] = {
        {"objective", q->objective, 1}, {"accuracy", q->accuracy, classes},
        {"auc", q->auc, classes},       {"log_loss", q->log_loss, classes},
        {"mse", q->mse, !classes},      {"r2", q->r2, !classes}};
    printf("{\"not_for_release\": true, \"rows\": %lld", (long long)q->rows);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].shown)
            cli_json_member(numbers[i].name, numbers[i].value);
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
    sotto_status status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status = sotto_table_read_for(&table, model, 1, c->argument[1],
                                      c->options, error);
    if (status == SOTTO_OK)
        status = sotto_evaluate(&quality, model, table, error);
    if (status == SOTTO_OK) {
        cli_remarks(c, table);
        if (!cli_flag(c, "quiet"))
            fprintf(stderr, "sotto: remark: these numbers are as sensitive as "
                            "the rows; they are not for release\n");
        if (!cli_flag(c, "quiet") && isnan(quality.objective))
            fprintf(stderr, "sotto: remark: the model, of an earlier version, "
                            "does not say in which units its penalty is: the "
                            "objective is not known; train it again\n");
        if (cli_flag(c, "json"))
            evaluate_json(&quality, sotto_model_class(model, 0) != NULL);
        else
            evaluate_text(&quality);
    }
    sotto_table_free(table);
    sotto_model_free(model);
    return status;
}
