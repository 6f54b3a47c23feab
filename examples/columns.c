/*
 * columns: a private model of columns in memory. No file is read or written,
 * and no ledger knows of the run.
 *
 *     cc columns.c $(pkg-config --cflags --libs sotto) -o columns
 */
#include <sotto.h>
#include <stdio.h>

static float dose[20000];
static uint8_t well[20000];

int main(void)
{
    sotto_options *o = NULL;
    sotto_columns *c = NULL;
    sotto_table *table = NULL;
    sotto_model *m = NULL;
    sotto_error e;
    for (int i = 0; i < 20000; i++)
        well[i] = (dose[i] = (float)(i % 100)) + (float)(i % 7) > 50;
    int failed =
        sotto_options_new(&o, &e) || sotto_columns_new(&c, 20000, &e) ||
        sotto_options_set(o, "target", "well", &e) ||
        sotto_options_set(o, "loss", "logistic", &e) ||
        sotto_options_set(o, "epsilon", "1", &e) ||
        sotto_options_set(o, "delta", "1e-6", &e) ||
        sotto_columns_add(c, "dose", dose, SOTTO_F32, 4, NULL, &e) ||
        sotto_columns_add(c, "well", well, SOTTO_BOOL, 1, NULL, &e) ||
        sotto_fit_from(&table, c, o, &e) || sotto_fit(&m, &table, o, NULL, &e);
    puts(failed                         ? e.message
         : sotto_model_weight(m, 0) > 0 ? "larger doses help"
                                        : "smaller doses help");
    sotto_columns_free(c);
    sotto_model_free(m);
    sotto_options_free(o);
    return failed;
}
