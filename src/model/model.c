/*
 * The model in memory: how it begins, is looked at, and ends.
 */
#include "model.h"

#include "account.h"

#include <math.h>
#include <string.h>

sotto_model *model_new(int64_t features)
{
    sotto_model *m = mem_zeroed(1, sizeof *m);
    if (!m)
        return NULL;
    m->features = features;
    m->low = -INFINITY;
    m->high = INFINITY;
    m->radius = INFINITY;
    m->norm_bound = INFINITY;
    m->weight = mem_zeroed((size_t)features, sizeof *m->weight);
    if (!m->weight) {
        sotto_model_free(m);
        return NULL;
    }
    return m;
}

int model_make_classes(sotto_model *m)
{
    mem_free(m->weight);
    mem_free(m->class_intercept);
    m->weight = mem_zeroed((size_t)model_weights(m), sizeof *m->weight);
    m->class_intercept = mem_zeroed((size_t)m->classes, sizeof(double));
    return m->weight && m->class_intercept;
}

const char *model_units_name(model_units units)
{
    return units == MODEL_UNITS_SPREAD ? "spread"
           : units == MODEL_UNITS_FILE ? "file"
                                       : "fit";
}

void model_run_free(model_run *r)
{
    mem_free(r->ledger);
    mem_free(r->run);
    mem_free_texts(r->other_run, r->other_runs);
    *r = (model_run){0};
}

void sotto_model_free(sotto_model *m)
{
    if (!m)
        return;
    mem_free_texts(m->name, m->features);
    mem_free(m->weight);
    mem_free(m->class_intercept);
    mem_free(m->scale);
    mem_free(m->noise);
    model_drop_errors(m);
    mem_free_texts(m->class_name, m->classes);
    mem_free(m->schema);
    mem_free(m->statement);
    mem_free(m->file);
    model_run_free(&m->booked);
    mem_free(m);
}

const char *sotto_model_statement(const sotto_model *m)
{
    return m->statement;
}

int sotto_model_privacy(const sotto_model *m, double *epsilon, double *delta)
{
    *epsilon = m->epsilon;
    *delta = m->delta;
    return m->statement != NULL;
}

sotto_status sotto_model_check(const sotto_model *m, sotto_error *error)
{
    if (!m->statement) /* NOT PRIVATE: it promises nothing */
        return SOTTO_OK;
    return account_check_statement(m->statement, m->file ? m->file : "a model",
                                   error);
}

const char *sotto_model_loss(const sotto_model *m)
{
    return loss_name(m->loss.kind);
}

static double units_number(model_units units)
{
    return units == MODEL_UNITS_UNKNOWN  ? NAN
           : units == MODEL_UNITS_SPREAD ? 2
                                         : units == MODEL_UNITS_FILE;
}

double sotto_model_setting(const sotto_model *m, const char *name)
{
    const struct {
        const char *name;
        double value;
    } known[] = {{"l1", m->l1},
                 {"l2", m->l2},
                 {"box-low", m->low},
                 {"box-high", m->high},
                 {"radius", m->radius},
                 {"norm-bound", m->norm_bound},
                 {"penalty-units", units_number(m->units)},
                 {"scaled-rows", m->scales_rows},
                 {"rows", m->rows > 0 ? m->rows : NAN},
                 {"huber-delta", m->loss.delta}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name))
            return known[i].value;
    return NAN;
}

int64_t sotto_model_features(const sotto_model *m)
{
    return m->features;
}

const char *sotto_model_feature_name(const sotto_model *m, int64_t j,
                                     char buffer[24])
{
    if (m->name)
        return m->name[j];
    snprintf(buffer, 24, "%lld", (long long)j + 1);
    return buffer;
}

double sotto_model_weight(const sotto_model *m, int64_t j)
{
    return m->weight[j];
}

double sotto_model_noise(const sotto_model *m, int64_t j)
{
    return m->noise && m->noise[j] > 0 ? m->noise[j] : NAN;
}

void sotto_model_weights(const sotto_model *m, double *out)
{
    sotto_model_class_weights(m, 0, out);
}

void sotto_model_noises(const sotto_model *m, double *out)
{
    sotto_model_class_noises(m, 0, out);
}

double sotto_model_intercept(const sotto_model *m)
{
    return m->intercept;
}

int64_t sotto_model_classes(const sotto_model *m)
{
    return m->classes;
}

/* Where there are fewer than three classes, all have the same weights. */
static int64_t class_offset(const sotto_model *m, int64_t k)
{
    return m->classes > 2 ? k * m->features : 0;
}

void sotto_model_class_weights(const sotto_model *m, int64_t k, double *out)
{
    memcpy(out, m->weight + class_offset(m, k),
           (size_t)m->features * sizeof *out);
}

void sotto_model_class_noises(const sotto_model *m, int64_t k, double *out)
{
    int64_t from = class_offset(m, k);
    for (int64_t j = 0; j < m->features; j++)
        out[j] = sotto_model_noise(m, from + j);
}

double sotto_model_class_intercept(const sotto_model *m, int64_t k)
{
    return m->classes > 2 ? m->class_intercept[k] : m->intercept;
}

int sotto_model_one_versus_rest(const sotto_model *m)
{
    return m->one_versus_rest;
}

const char *sotto_model_class(const sotto_model *m, int which)
{
    return which >= 0 && which < m->classes ? m->class_name[which] : NULL;
}

int sotto_model_certificate(const sotto_model *m, double *objective,
                            double *gap, int *converged)
{
    *objective = m->objective;
    *gap = m->gap;
    *converged = m->converged;
    return m->certified;
}

sotto_status sotto_model_write(const sotto_model *m, const char *path,
                               sotto_error *error)
{
    text_buffer text = {0};
    sotto_status status = model_text(m, &text, error);
    if (status == SOTTO_OK)
        status = sotto_text_write(path, text.data, error);
    text_free(&text);
    return status;
}

sotto_status sotto_model_text(char **out, const sotto_model *m,
                              sotto_error *error)
{
    text_buffer text = {0};
    *out = NULL;
    sotto_status status = model_text(m, &text, error);
    if (status == SOTTO_OK)
        *out = text_take(&text);
    else
        text_free(&text);
    return status;
}

sotto_status sotto_model_parse(sotto_model **out, const char *text,
                               sotto_error *error)
{
    size_t size = strlen(text);
    *out = NULL;
    sotto_status status =
        file_check_whole("the model", NULL, 0, size, FILE_MOST, error);
    return status == SOTTO_OK ? model_parse(out, "the model", text, size, error)
                              : status;
}

sotto_status sotto_model_read(sotto_model **out, const char *path,
                              sotto_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    sotto_status status = file_read(path, FILE_MOST, &bytes, &size, error);
    if (status == SOTTO_OK)
        status = model_parse(out, path, bytes, size, error);
    mem_free(bytes);
    return status;
}
