/*
 * The objective of weights, and what else a table of results has.
 */
#include "judge.h"

#include <math.h>
#include <string.h>

struct judge {
    char *name;
    sotto_table *table, *test;
    fit_task task;
    int in_fit_units; /* a schema maps the columns: the penalty is meant so */
    double best, zero, intercept;
    double *weight; /* the minimiser, in the units that are judged */
};

/* m_i = x_i'w + b of all rows. */
static sotto_status margins(const sotto_table *t, const double *weight,
                            double intercept, double **out, sotto_error *error)
{
    double *m = mem_zeroed((size_t)t->rows + 1, sizeof *m);
    double *column = mem_zeroed((size_t)t->rows + 1, sizeof *column);
    *out = m;
    if (!m || !column) {
        mem_free(column);
        return error_memory(error);
    }
    for (int64_t j = 0; j < t->features; j++) {
        if (weight[j] == 0)
            continue;
        table_stored(t, j, column);
        for (int64_t i = 0; i < t->rows; i++)
            m[i] += weight[j] * column[i];
    }
    for (int64_t i = 0; i < t->rows; i++)
        m[i] = m[i] * (t->folded ? t->y[i] : 1) + intercept;
    mem_free(column);
    return SOTTO_OK;
}

static sotto_status objective(const judge *j, const double *weight,
                              double intercept, double *out, sotto_error *error)
{
    double *m, sum = 0, penalty = 0;
    sotto_status status = margins(j->table, weight, intercept, &m, error);
    for (int64_t i = 0; status == SOTTO_OK && i < j->table->rows; i++)
        sum += loss_value(&j->task.loss, m[i], j->table->y[i]);
    for (int64_t k = 0; k < j->table->features; k++)
        penalty += j->task.l1 * fabs(weight[k]) +
                   j->task.l2 / 2 * weight[k] * weight[k];
    mem_free(m);
    *out = sum / (double)j->table->rows + penalty;
    return status;
}

/* Rows that are classified rightly, or the mean of (m - y)^2. */
static sotto_status quality(const judge *j, const double *weight,
                            double intercept, double *out, sotto_error *error)
{
    double *m, sum = 0;
    *out = NAN;
    if (!j->test)
        return SOTTO_OK;
    sotto_status status = margins(j->test, weight, intercept, &m, error);
    for (int64_t i = 0; status == SOTTO_OK && i < j->test->rows; i++)
        sum += loss_has_classes(j->task.loss.kind)
                   ? (m[i] > 0) == (j->test->y[i] > 0)
                   : (m[i] - j->test->y[i]) * (m[i] - j->test->y[i]);
    mem_free(m);
    *out = sum / (double)j->test->rows;
    return status;
}

/* ---- the minimiser ---- */

/* It is certified, and the two ways to compute the objective must agree. */
static sotto_status take_best(judge *j, const sotto_model *m,
                              sotto_error *error)
{
    double certified, gap;
    int converged;
    sotto_model_certificate(m, &certified, &gap, &converged);
    for (int64_t k = 0; k < j->table->features; k++) {
        double centre, half;
        sotto_table_feature_map(j->table, k, &centre, &half);
        j->weight[k] = sotto_model_weight(m, k) * half;
    }
    j->intercept = sotto_model_intercept(m);
    sotto_status status =
        objective(j, j->weight, j->intercept, &j->best, error);
    if (status == SOTTO_OK &&
        !(converged && fabs(j->best - certified) <= 1e-6 * fabs(certified)))
        return error_set(error, SOTTO_FAILED,
                         "%s: the objective of the exact solver is %.9g, and "
                         "here %.9g",
                         j->name, certified, j->best);
    return status;
}

static sotto_status find_best(judge *j, const char *file,
                              const sotto_options *options, sotto_error *error)
{
    sotto_table *t = NULL;
    sotto_model *m = NULL;
    sotto_status status = sotto_table_read(&t, file, options, error);
    if (status == SOTTO_OK)
        status = sotto_fit(&m, &t, options, NULL, error);
    if (status == SOTTO_OK)
        status = take_best(j, m, error);
    sotto_model_free(m);
    return status;
}

sotto_status judge_open(judge **out, const char *name, const char *file,
                        const char *test, const sotto_options *options,
                        sotto_error *error)
{
    judge *j = mem_zeroed(1, sizeof *j);
    *out = j;
    if (!j || !(j->name = mem_text(name)))
        return error_memory(error);
    j->task = fit_read_task(options);
    j->in_fit_units = option_given(options, OPTION_SCHEMA);
    sotto_status status = sotto_table_read(&j->table, file, options, error);
    if (status == SOTTO_OK && *test)
        status = sotto_table_read(&j->test, test, options, error);
    if (status != SOTTO_OK)
        return status;
    j->weight = mem_zeroed((size_t)j->table->features, sizeof *j->weight);
    if (!j->weight)
        return error_memory(error);
    status = objective(j, j->weight, 0, &j->zero, error);
    return status == SOTTO_OK ? find_best(j, file, options, error) : status;
}

void judge_close(judge *j)
{
    if (!j)
        return;
    sotto_table_free(j->table);
    sotto_table_free(j->test);
    mem_free(j->weight);
    mem_free(j->name);
    mem_free(j);
}

const char *judge_name(const judge *j)
{
    return j->name;
}

const sotto_table *judge_table(const judge *j)
{
    return j->table;
}

/* ---- runs ---- */

sotto_status judge_run(const judge *j, const fit_maps *maps, double *weight,
                       double intercept, judged *out, sotto_error *error)
{
    sotto_model m = {.weight = weight, .intercept = intercept};
    if (!j->in_fit_units)
        fit_set_weights(&m, maps, weight, intercept);
    *out = (judged){0};
    sotto_status status =
        objective(j, weight, m.intercept, &out->objective, error);
    if (status == SOTTO_OK)
        status = quality(j, weight, m.intercept, &out->quality, error);
    out->error = out->objective / j->best - 1;
    for (int64_t k = 0; k < j->table->features; k++) {
        out->right += weight[k] != 0 && j->weight[k] != 0;
        out->wrong += weight[k] != 0 && j->weight[k] == 0;
    }
    return status;
}

void judge_tell(const judge *j, text_buffer *t)
{
    const char *comma = "";
    double best = NAN;
    sotto_error error;
    text_put(t, "{\"problem\": ");
    text_json(t, j->name);
    text_format(t, ", \"rows\": %lld, \"features\": %lld, \"best\": ",
                (long long)j->table->rows, (long long)j->table->features);
    text_number(t, j->best);
    text_put(t, ", \"zero\": ");
    text_number(t, j->zero / j->best - 1);
    if (quality(j, j->weight, j->intercept, &best, &error) == SOTTO_OK &&
        isfinite(best)) {
        text_put(t, ", \"quality\": ");
        text_number(t, best);
    }
    text_put(t, ", \"weights\": [");
    for (int64_t k = 0; k < j->table->features; k++)
        if (j->weight[k] != 0) {
            text_format(t, "%s%.6g", comma, fabs(j->weight[k]));
            comma = ", ";
        }
    text_put(t, "]}\n");
}
