/*
 * sotto evaluate: how good a model is on rows whose target is known.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVALUATE_SHOWN = 20,
    EVALUATE_CELL = 11,
    EVALUATE_NAME = 40,
    EVALUATE_NUMBER = 3
};

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

/* How many characters a name has. */
static int evaluate_characters(const char *name)
{
    int count = 0;
    for (; *name; name++)
        count += ((unsigned char)*name & 0xc0) != 0x80;
    return count;
}

/* Columns are headed by the names, if all of them are short; otherwise classes
   have numbers, because names that are cut may look the same. */
static int evaluate_numbered(const sotto_model *m)
{
    for (int k = 0; sotto_model_class(m, k); k++)
        if (strlen(sotto_model_class(m, k)) > EVALUATE_CELL)
            return 1;
    return 0;
}

static void evaluate_heads(const sotto_model *m, int numbered, int name_width)
{
    printf("%*s", 2 + name_width + (numbered ? EVALUATE_NUMBER : 0), "");
    for (int k = 0; sotto_model_class(m, k); k++) {
        const char *name = sotto_model_class(m, k);
        if (numbered)
            printf(" %*d", EVALUATE_CELL, k + 1);
        else {
            printf(" %*s", EVALUATE_CELL - evaluate_characters(name), "");
            cli_print_name(stdout, name, EVALUATE_CELL);
        }
    }
    printf("\n");
}

/* How wide the names of the lines are. */
static int evaluate_name_width(const sotto_model *m)
{
    int width = EVALUATE_CELL;
    for (int k = 0; sotto_model_class(m, k); k++) {
        int own = evaluate_characters(sotto_model_class(m, k));
        width = own > width ? own : width;
    }
    return width < EVALUATE_NAME ? width : EVALUATE_NAME;
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
    int numbered = evaluate_numbered(m), name_width = evaluate_name_width(m);
    evaluate_heads(m, numbered, name_width);
    for (int64_t a = 0; a < classes; a++) {
        printf("  ");
        if (numbered)
            printf("%*lld ", EVALUATE_NUMBER - 1, (long long)a + 1);
        int width =
            cli_print_name(stdout, sotto_model_class(m, (int)a), EVALUATE_NAME);
        printf("%*s", name_width > width ? name_width - width : 0, "");
        for (int64_t b = 0; b < classes; b++)
            printf(" %*s", EVALUATE_CELL,
                   sotto_number_print(count[a * classes + b], 6).text);
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

/* Whoever sees the numbers sees this, with --quiet too. */
static void evaluate_text(const sotto_quality *q)
{
    printf("NOT FOR RELEASE: as sensitive as the rows (--epsilon makes "
           "numbers that may be published)\n");
    printf("%-10s %lld\n", "rows", (long long)q->rows);
    evaluate_line("objective", q->objective);
    evaluate_line("accuracy", q->accuracy);
    evaluate_line("AUC", q->auc);
    evaluate_line("log-loss", q->log_loss);
    evaluate_line("MSE", q->mse);
    evaluate_line("R2", q->r2);
}

/* Options that are for private numbers alone. */
static sotto_status evaluate_check(const cli *c, sotto_error *error)
{
    static const char *const of_private[] = {
        "delta",  "adjacency", "unit-column", "rows",          "output",
        "ledger", "dataset",   "parts",       "insecure-seed", "purpose"};
    for (size_t i = 0; i < sizeof of_private / sizeof *of_private; i++)
        if (sotto_options_get(c->options, of_private[i]))
            return cli_refuse(error,
                              "--%s is for a private evaluation: expected "
                              "--epsilon E, --delta D and -o FILE",
                              of_private[i]);
    return SOTTO_OK;
}

static int evaluate_is_private(const cli *c)
{
    const char *epsilon = sotto_options_get(c->options, "epsilon");
    return epsilon && strcmp(epsilon, "inf") != 0;
}

/* As it is, for whoever may see the rows. */
static sotto_status evaluate_exactly(const cli *c, const sotto_model *model,
                                     sotto_error *error)
{
    sotto_table *table = NULL;
    sotto_quality quality;
    double *confusion = NULL;
    sotto_status status = evaluate_check(c, error);
    if (status == SOTTO_OK)
        status =
            sotto_table_read_files_for(&table, model, 1, c->argument + 1,
                                       c->arguments - 1, c->options, error);
    if (status == SOTTO_OK)
        status = sotto_evaluate(&quality, model, table, error);
    if (status == SOTTO_OK)
        status = evaluate_confusion(&confusion, model, table, error);
    if (status == SOTTO_OK && cli_ranks_is_root()) {
        cli_remarks(c, table);
        cli_remark_dropped(c, table, quality.rows);
        if (!cli_flag(c, "quiet") && cli_flag(c, "json"))
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
    return status;
}

sotto_status cli_evaluate(const cli *c, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_status status = sotto_model_read(&model, c->argument[0], error);
    if (status == SOTTO_OK)
        status = evaluate_is_private(c)
                     ? cli_evaluate_privately(c, model, error)
                     : evaluate_exactly(c, model, error);
    sotto_model_free(model);
    return status;
}
