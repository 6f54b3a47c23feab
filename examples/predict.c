/*
 * predict MODEL DATA: one answer for each row, in the order of the file.
 *
 *     cc predict.c $(pkg-config --cflags --libs sotto) -o predict
 */
#include <sotto.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    sotto_options *options = NULL;
    sotto_table *rows = NULL;
    sotto_model *model = NULL;
    sotto_error error = {SOTTO_USAGE, "usage: predict MODEL DATA"};
    int failed =
        argc != 3 || sotto_options_new(&options, &error) ||
        sotto_model_read(&model, argv[1], &error) ||
        sotto_table_read_for(&rows, model, 0, argv[2], options, &error);
    int64_t count = failed ? 0 : sotto_table_rows(rows);
    double *answer = calloc((size_t)count + 1, sizeof *answer);
    failed = failed || !answer ||
             sotto_predict(answer, model, rows, SOTTO_ANSWER_VALUE, &error);
    for (int64_t i = 0; !failed && i < count; i++)
        printf("%.17g\n", answer[i]);
    if (failed)
        fprintf(stderr, "predict: %s\n", error.message);
    free(answer);
    sotto_table_free(rows);
    sotto_model_free(model);
    sotto_options_free(options);
    return failed;
}
