/*
 * The model as other programs read it; SQL has a file of its own.
 *
 * LIBLINEAR (2.x): a header, then one weight per line; with "bias 1" the
 * last one is for a feature that is always 1. Labels are whole numbers, the
 * first is the one that a positive score means.
 */
#include "export.h"
#include "number.h"

#include <math.h>
#include <string.h>

/* Whether a model says a class, and no probability of it. */
static int has_bare_classes(loss_kind kind)
{
    return loss_has_classes(kind) && !loss_has_log_odds(kind);
}

/* A whole number, however it is written. */
static int is_whole(const char *text, double *value)
{
    return number_whole(text, value) && fabs(*value) < 1e9 &&
           *value == floor(*value);
}

/* The classes where they are whole numbers, else 1 and -1. */
static void liblinear_labels(text_buffer *t, const sotto_model *m)
{
    double low, high;
    if (!m->classes)
        return;
    if (is_whole(m->class_name[0], &low) && is_whole(m->class_name[1], &high))
        text_format(t, "label %s %s\n", sotto_number_fixed(high, 0).text,
                    sotto_number_fixed(low, 0).text);
    else
        text_put(t, "label 1 -1\n");
}

/* LIBLINEAR knows no multinomial loss. A machine of several classes stands for
   it, which predicts as sotto does, by the largest score. With a logistic one
   `liblinear-predict -b 1` would print the probabilities of one-versus-rest;
   for this one it refuses. */
static const char *liblinear_solver(const sotto_model *m)
{
    return m->one_versus_rest || !loss_has_log_odds(m->loss.kind)
               ? loss_liblinear(m->loss.kind, m->l1 > 0)
               : "MCSVM_CS";
}

/* One line for each feature, with a number for each class. */
static void liblinear_classes(text_buffer *t, const sotto_model *m)
{
    int whole = 1;
    double value;
    for (int64_t k = 0; k < m->classes; k++)
        whole &= is_whole(m->class_name[k], &value);
    text_format(t, "solver_type %s\nnr_class %lld\nlabel", liblinear_solver(m),
                (long long)m->classes);
    for (int64_t k = 0; k < m->classes; k++) {
        value = (double)k + 1;
        if (whole)
            is_whole(m->class_name[k], &value);
        text_format(t, " %s", sotto_number_fixed(value, 0).text);
    }
    text_format(t, "\nnr_feature %lld\nbias 1\nw\n", (long long)m->features);
    for (int64_t j = 0; j <= m->features; j++)
        for (int64_t k = 0; k < m->classes; k++) {
            text_number(t, j < m->features ? m->weight[k * m->features + j]
                                           : m->class_intercept[k]);
            text_put(t, k + 1 < m->classes ? " " : "\n");
        }
}

static void liblinear_text(text_buffer *t, const sotto_model *m)
{
    if (m->classes > 2) {
        liblinear_classes(t, m);
        return;
    }
    text_format(t, "solver_type %s\nnr_class 2\n",
                loss_liblinear(m->loss.kind, m->l1 > 0));
    liblinear_labels(t, m);
    text_format(t, "nr_feature %lld\nbias 1\nw\n", (long long)m->features);
    for (int64_t j = 0; j < m->features; j++) {
        text_number(t, m->weight[j]);
        text_put(t, "\n");
    }
    text_number(t, m->intercept);
    text_put(t, "\n");
}

static sotto_status liblinear_check(const sotto_model *m, sotto_error *error)
{
    if (!loss_liblinear(m->loss.kind, m->l1 > 0))
        return error_set(error, SOTTO_USAGE, "LIBLINEAR has no loss like %s",
                         loss_name(m->loss.kind));
    if (m->features >= 2147483647)
        return error_set(error, SOTTO_USAGE,
                         "LIBLINEAR counts features in 31 bits; the model "
                         "has more");
    /* shortening a row changes no sign, so not the class */
    if (m->norm_bound < INFINITY && !has_bare_classes(m->loss.kind))
        return error_set(error, SOTTO_USAGE,
                         "the model shortens rows to a norm of %s, which "
                         "LIBLINEAR cannot: expected a model of --norm-bound "
                         "inf, or of --loss %s",
                         sotto_number_print(m->norm_bound, 6).text,
                         loss_those(has_bare_classes).text);
    if (m->scales_rows)
        return error_set(error, SOTTO_USAGE,
                         "the model divides features by the length of their "
                         "row, which LIBLINEAR cannot: expected a model of "
                         "--undeclared bounds");
    return SOTTO_OK;
}

static sotto_status export_liblinear(text_buffer *t, const sotto_model *m,
                                     sotto_error *error)
{
    sotto_status status = liblinear_check(m, error);
    if (status == SOTTO_OK)
        liblinear_text(t, m);
    return status;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    sotto_status (*write)(text_buffer *t, const sotto_model *m,
                          sotto_error *error);
} export_formats[] = {{"liblinear", export_liblinear}, {"sql", export_sql}};

sotto_status sotto_model_export(char **out, const sotto_model *m,
                                const char *format, sotto_error *error)
{
    text_buffer t = {0};
    size_t i = 0, count = sizeof export_formats / sizeof *export_formats;
    *out = NULL;
    while (i < count && strcmp(export_formats[i].name, format))
        i++;
    if (i == count)
        return error_set(error, SOTTO_USAGE,
                         "--format: models are exported to liblinear or sql");
    sotto_status status = sotto_model_check(m, error);
    if (status == SOTTO_OK)
        status = export_formats[i].write(&t, m, error);
    if (status == SOTTO_OK && t.failed)
        status = error_memory(error);
    if (status != SOTTO_OK)
        text_free(&t);
    else
        *out = text_take(&t);
    return status;
}
