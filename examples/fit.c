/*
 * fit DATA SCHEMA MODEL: logistic regression with differential privacy.
 * The schema declares the columns, the target among them. The run is booked in
 * the user's own ledger, under the path as it is given.
 *
 *     cc fit.c $(pkg-config --cflags --libs sotto) -o fit
 */
#include <sotto.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sotto_options *options = NULL;
    sotto_table *table = NULL;
    sotto_model *model = NULL;
    char *ledger = NULL;
    sotto_error error = {SOTTO_USAGE, "usage: fit DATA SCHEMA MODEL"};
    int failed = argc != 4 || sotto_options_new(&options, &error) ||
                 sotto_options_set(options, "schema", argv[2], &error) ||
                 sotto_options_set(options, "loss", "logistic", &error) ||
                 sotto_options_set(options, "epsilon", "1", &error) ||
                 sotto_options_set(options, "delta", "1e-6", &error) ||
                 sotto_ledger_own(&ledger, &error) ||
                 sotto_options_set(options, "ledger", ledger, &error) ||
                 sotto_options_set(options, "dataset-path", argv[1], &error) ||
                 sotto_fit_read(&table, argv[1], options, &error) ||
                 sotto_fit(&model, &table, options, NULL, &error) ||
                 sotto_model_write(model, argv[3], &error) ||
                 sotto_fit_settle(model, argv[3], &error);
    if (failed)
        fprintf(stderr, "fit: %s\n", error.message);
    else
        printf("wrote %s\n", argv[3]);
    sotto_text_free(ledger);
    sotto_model_free(model);
    sotto_table_free(table);
    sotto_options_free(options);
    return failed;
}
