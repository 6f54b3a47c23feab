/*
 * The classes of sotto doctor, and how many rows each has.
 */
#include "doctor.h"

#include <stdlib.h>

enum { DOCTOR_CLASSES = 50 };

int64_t *doctor_class_rows(const sotto_table *t, double *x)
{
    int64_t classes = sotto_table_classes(t);
    int64_t *count = calloc((size_t)classes + 1, sizeof *count);
    if (!count || !classes || !sotto_table_target(t, x))
        return count;
    for (int64_t i = 0; i < sotto_table_rows(t); i++)
        count[classes > 2 ? (int64_t)x[i] : x[i] > 0]++;
    return count;
}

static void doctor_two_classes(const sotto_table *t, const int64_t *rows)
{
    printf("target: two classes, \"");
    cli_print_name(stdout, sotto_table_class(t, 0), DOCTOR_NAME);
    printf("\" %lld rows, \"", (long long)rows[0]);
    cli_print_name(stdout, sotto_table_class(t, 1), DOCTOR_NAME);
    printf("\" %lld rows\n", (long long)rows[1]);
}

/* A line for each class; of many the first 50. */
void doctor_classes(const sotto_table *t, const int64_t *rows)
{
    int64_t classes = sotto_table_classes(t);
    int64_t shown = classes < DOCTOR_CLASSES ? classes : DOCTOR_CLASSES;
    if (classes <= 2) {
        doctor_two_classes(t, rows);
        return;
    }
    printf("target: %lld classes\n", (long long)classes);
    for (int k = 0; k < shown; k++) {
        printf("  \"");
        cli_print_name(stdout, sotto_table_class(t, k), DOCTOR_NAME);
        if (rows[k])
            printf("\": %lld row%s\n", (long long)rows[k],
                   rows[k] == 1 ? "" : "s");
        else
            printf("\": no row\n");
    }
    if (shown < classes)
        printf("  ... and %lld more\n", (long long)(classes - shown));
}

void doctor_json_classes(const sotto_table *t, const int64_t *rows)
{
    int64_t classes = sotto_table_classes(t);
    if (!classes)
        return;
    for (int k = 0; k < classes; k++) {
        printf("%s", k ? ", " : ", \"classes\": [");
        cli_json_text(stdout, sotto_table_class(t, k));
    }
    for (int k = 0; k < classes; k++)
        printf("%s%lld", k ? ", " : "], \"class_rows\": [", (long long)rows[k]);
    printf("]");
}
