/* One data set as dense CSV and as sparse svmlight, for tests that compare
   the two storages. Its first features are in most rows; its last two are in
   none. */
#ifndef SOTTO_TESTS_FORMS_H
#define SOTTO_TESTS_FORMS_H

#include "reading.h"

/* Set by each test; `uniform` is its own generator. */
__attribute__((unused)) static int features, rows;
static double uniform(void);

/* As CSV, and as svmlight. */
__attribute__((unused)) static void make_rows(text_buffer *dense,
                                              text_buffer *sparse, int classes)
{
    for (int j = 0; j < features; j++)
        text_format(dense, "x%d,", j);
    text_put(dense, "t\n");
    for (int i = 0; i < rows; i++) {
        text_buffer row = {0};
        double y = uniform() - .5;
        for (int j = 0; j < features; j++) {
            int there = uniform() < .9 / (1 + .5 * j) && j < features - 2;
            double x = there ? 2 * uniform() - 1 : 0;
            y += j < 6 ? x * (j % 2 ? 1 : -1) : 0;
            text_format(dense, "%.6f,", x);
            if (there)
                text_format(&row, " %d:%.6f", j + 1, x);
        }
        if (classes)
            y = y > 0 ? 1 : -1;
        text_format(dense, "%.6f\n", y);
        text_format(sparse, "%.6f%s\n", y, row.data ? row.data : "");
        text_free(&row);
    }
}

static sotto_table *read_dense(const char *text, const char *name)
{
    return read_text(
        "d.csv", text,
        SETTINGS({"target", "t"}, {"loss", name}, {"precision", "float"}));
}

static sotto_table *read_sparse(const char *text, const char *name)
{
    char count[12];
    snprintf(count, sizeof count, "%d", features);
    return read_text(
        "d.svm", text,
        SETTINGS({"loss", name}, {"precision", "float"}, {"features", count}));
}

#endif
