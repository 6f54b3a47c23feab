/*
 * A model meets rows: reading a file as the model was made, and its answers.
 */
#include "predict.h"
#include "data.h"
#include "option.h"
#include "private.h"
#include "ranks.h"

#include <math.h>
#include <string.h>

/* ---- reading for a model ---- */

sotto_status predict_options(sotto_options **out, const sotto_model *m,
                             int labelled, const sotto_options *options,
                             sotto_error *error)
{
    static const option_id used[] = {
        OPTION_BAD_ROWS,  OPTION_DROP,    OPTION_FORMAT,    OPTION_NO_HEADER,
        OPTION_DELIMITER, OPTION_DECIMAL, OPTION_THOUSANDS, OPTION_THREADS};
    char count[24];
    snprintf(count, sizeof count, "%lld", (long long)m->features);
    sotto_status status = sotto_options_new(out, error);
    sotto_options *o = *out;
    if (status == SOTTO_OK)
        sotto_options_set_ranks(o, option_ranks(options));
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (status == SOTTO_OK)
            status = option_copy(o, options, used[i], error);
    /* without labels the first field of svmlight is any number */
    const char *read_as = loss_name(labelled ? m->loss.kind : LOSS_SQUARED);
    if (status == SOTTO_OK)
        status = sotto_options_set(o, "loss", read_as, error);
    if (status == SOTTO_OK)
        status =
            sotto_options_set(o, "labelled", labelled ? "yes" : "no", error);
    if (status == SOTTO_OK)
        status = sotto_options_set(o, "precision", "double", error);
    if (status == SOTTO_OK)
        status = sotto_options_set(o, "layout", "rows", error);
    if (status == SOTTO_OK && !m->name)
        status = sotto_options_set(o, "features", count, error);
    if (status == SOTTO_OK && m->scales_rows)
        status = sotto_options_set(o, "undeclared", "rows", error);
    if (status == SOTTO_OK)
        status = sotto_options_set(o, "declared", m->schema, error);
    return status;
}

/* From the files, or from the columns, where there are some. */
static sotto_status read_for(sotto_table **out, const sotto_model *m,
                             int labelled, const char *const *path,
                             int64_t files, sotto_columns *columns,
                             const sotto_options *options, sotto_error *error)
{
    sotto_options *o;
    *out = NULL;
    sotto_status status = predict_options(&o, m, labelled, options, error);
    if (status == SOTTO_OK && ranks_several(option_ranks(options)))
        status = columns ? error_set(error, SOTTO_USAGE,
                                     "several ranks read files: expected one")
                         : fit_compare_ranks(options, m, path, files, error);
    if (status == SOTTO_OK)
        status = columns ? sotto_table_from(out, columns, o, error)
                         : sotto_table_read_files(out, path, files, o, error);
    sotto_options_free(o);
    return status;
}

sotto_status sotto_table_read_for(sotto_table **out, const sotto_model *m,
                                  int labelled, const char *path,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    return read_for(out, m, labelled, &path, 1, NULL, options, error);
}

sotto_status sotto_table_read_files_for(sotto_table **out, const sotto_model *m,
                                        int labelled, const char *const *paths,
                                        int64_t count,
                                        const sotto_options *options,
                                        sotto_error *error)
{
    return read_for(out, m, labelled, paths, count, NULL, options, error);
}

sotto_status sotto_table_from_for(sotto_table **out, const sotto_model *m,
                                  int labelled, sotto_columns *columns,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    return read_for(out, m, labelled, NULL, 0, columns, options, error);
}

/* ---- answers ---- */

static sotto_status predict_check(const sotto_model *m, const sotto_table *t,
                                  sotto_error *error)
{
    int same = m->features == t->features && !m->name == !t->name;
    for (int64_t j = 0; same && m->name && j < m->features; j++)
        same = !strcmp(m->name[j], t->name[j]);
    same = same && m->scales_rows == (t->scaled > 0);
    if (!same)
        return error_set(error, SOTTO_DATA,
                         "the table's features are not the model's: read it "
                         "with sotto_table_read_for");
    return SOTTO_OK;
}

/* x'w + b in raw units: stored values are mapped back one by one. Labels
   that were folded in are undone by the caller. */
static void predict_dense(double *out, const sotto_model *m,
                          const sotto_table *t)
{
    for (int64_t j = 0; j < t->features; j++) {
        double centre, half, w = m->weight[j];
        sotto_table_feature_map(t, j, &centre, &half);
        for (int64_t i = 0; w != 0 && i < t->rows; i++) {
            double x = table_element(t, t->x, j * t->stride + i);
            if (t->folded)
                x *= t->y[i];
            out[i] += w * (x * half + centre);
        }
    }
}

static void predict_sparse(double *out, const sotto_model *m,
                           const sotto_table *t)
{
    const table_entries *e = &t->by_row;
    for (int64_t i = 0; i < t->rows; i++) {
        double sum = 0;
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++) {
            int64_t j = e->index[k];
            double x = table_element(t, e->value, k);
            sum += m->weight[j] * (t->half ? x * t->half[j] : x);
        }
        out[i] += t->folded ? sum * t->y[i] : sum;
    }
}

/* ---- rows that are too long ---- */

static void add_squares(double *out, const sotto_table *t)
{
    const table_entries *e = &t->by_row;
    for (int64_t j = 0; !t->sparse && j < t->features; j++)
        for (int64_t i = 0; i < t->rows; i++) {
            double x = table_element(t, t->x, j * t->stride + i);
            out[i] += x * x;
        }
    for (int64_t i = 0; t->sparse && i < t->rows; i++)
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++) {
            double x = table_element(t, e->value, k);
            out[i] += x * x;
        }
}

/* As the model was trained: what a long row scores beyond the centre is
   shortened as the row is. */
static sotto_status predict_shorten(double *out, const sotto_model *m,
                                    const sotto_table *t, sotto_error *error)
{
    if (!isfinite(m->norm_bound))
        return SOTTO_OK;
    double *square = mem_zeroed((size_t)t->rows, sizeof *square);
    if (!square)
        return error_memory(error);
    add_squares(square, t);
    for (int64_t i = 0; i < t->rows; i++) {
        double norm = sqrt(square[i]);
        if (norm > m->norm_bound)
            out[i] = m->norm_centre +
                     (out[i] - m->norm_centre) * (m->norm_bound / norm);
    }
    mem_wipe(square, (size_t)t->rows * sizeof *square);
    mem_free(square);
    return SOTTO_OK;
}

static int all_finite(const double *x, int64_t count)
{
    int finite = 1;
    for (int64_t k = 0; k < count; k++)
        finite &= isfinite(x[k]) != 0;
    return finite;
}

/* A score beyond all doubles is no answer, nor is a class made of it. Where bad
   rows are marked such a row is one of them, and its answers are NaN. All
   `width` scores of a row are looked at before the next row, so that the row
   that is named does not depend on who has which rows. */
static sotto_status predict_check_finite(double *score, int64_t width,
                                         const sotto_table *t,
                                         sotto_error *error)
{
    for (int64_t i = 0; i < t->rows; i++) {
        double *row = score + i * width;
        int finite = all_finite(row, width);
        if (!finite && !t->bad)
            return error_set(error, SOTTO_DATA,
                             "row %lld: its score is too large for a double; "
                             "expected values as in the file that the model "
                             "was learned from",
                             (long long)(t->first + i) + 1);
        for (int64_t k = 0; t->bad && k < width; k++)
            row[k] = finite && !t->bad[i] ? row[k] : NAN;
    }
    return SOTTO_OK;
}

/* 1 / (1 + exp(-m)) without overflow. */
static double predict_sigmoid(double m)
{
    double e = exp(-fabs(m));
    return m > 0 ? 1 / (1 + e) : e / (1 + e);
}

/* Whether there is such an answer for the table. */
static sotto_status predict_can(const sotto_model *m, const sotto_table *t,
                                sotto_answer what, sotto_error *error)
{
    sotto_status status =
        what == SOTTO_ANSWER_PROBA
            ? loss_require(loss_name(m->loss.kind), loss_has_log_odds,
                           "--proba", "has no probabilities", error)
            : SOTTO_OK;
    return status == SOTTO_OK ? predict_check(m, t, error) : status;
}

/* x'w + b of all rows; whether they are numbers is not looked at. */
static sotto_status predict_scores(double *out, const sotto_model *m,
                                   const sotto_table *t, sotto_error *error)
{
    for (int64_t i = 0; i < t->rows; i++)
        out[i] = m->intercept;
    if (t->sparse)
        predict_sparse(out, m, t);
    else
        predict_dense(out, m, t);
    return predict_shorten(out, m, t, error);
}

/* Of the multinomial loss, or each class's own divided by their sum. */
void predict_chances(const sotto_model *m, double *row)
{
    double most = row[0], sum = 0;
    if (isnan(row[0]))
        return;
    for (int64_t k = 1; k < m->classes; k++)
        most = fmax(most, row[k]);
    for (int64_t k = 0; k < m->classes; k++) {
        row[k] =
            m->one_versus_rest ? predict_sigmoid(row[k]) : exp(row[k] - most);
        sum += row[k];
    }
    for (int64_t k = 0; k < m->classes; k++)
        row[k] = sum > 0 ? row[k] / sum : 1 / (double)m->classes;
}

sotto_status sotto_predict_classes(double *out, const sotto_model *m,
                                   const sotto_table *t, sotto_answer what,
                                   sotto_error *error)
{
    if (m->classes <= 2 || what == SOTTO_ANSWER_VALUE)
        return error_set(error, SOTTO_USAGE,
                         "expected a model of three classes or more, and "
                         "scores or probabilities");
    sotto_status status = predict_can(m, t, what, error);
    if (status != SOTTO_OK)
        return status;
    double *score = mem_zeroed((size_t)t->rows, sizeof *score);
    if (!score)
        return error_memory(error);
    for (int64_t k = 0; k < m->classes && status == SOTTO_OK; k++) {
        sotto_model one = model_of_class(m, k);
        status = predict_scores(score, &one, t, error);
        for (int64_t i = 0; i < t->rows; i++)
            out[i * m->classes + k] = score[i];
    }
    if (status == SOTTO_OK)
        status = predict_check_finite(out, m->classes, t, error);
    for (int64_t i = 0; what == SOTTO_ANSWER_PROBA && i < t->rows; i++)
        predict_chances(m, out + i * m->classes);
    mem_wipe(score, (size_t)t->rows * sizeof *score);
    mem_free(score);
    return status;
}

/* The index of the class that scores most, the first of equal ones. */
static sotto_status predict_best(double *out, const sotto_model *m,
                                 const sotto_table *t, sotto_answer what,
                                 sotto_error *error)
{
    size_t count = (size_t)(t->rows * m->classes);
    if (what != SOTTO_ANSWER_VALUE)
        return error_set(error, SOTTO_USAGE,
                         "the model has %lld classes: scores and "
                         "probabilities are answered by sotto_predict_classes",
                         (long long)m->classes);
    double *score = mem_zeroed(count, sizeof *score);
    if (!score)
        return error_memory(error);
    sotto_status status =
        sotto_predict_classes(score, m, t, SOTTO_ANSWER_SCORE, error);
    for (int64_t i = 0; status == SOTTO_OK && i < t->rows; i++) {
        const double *row = score + i * m->classes;
        int64_t best = 0;
        for (int64_t k = 1; k < m->classes; k++)
            best = row[k] > row[best] ? k : best;
        out[i] = isnan(row[0]) ? NAN : (double)best;
    }
    mem_wipe(score, count * sizeof *score);
    mem_free(score);
    return status;
}

sotto_status sotto_predict(double *out, const sotto_model *m,
                           const sotto_table *t, sotto_answer what,
                           sotto_error *error)
{
    if (m->classes > 2)
        return predict_best(out, m, t, what, error);
    sotto_status status = predict_can(m, t, what, error);
    if (status == SOTTO_OK)
        status = predict_scores(out, m, t, error);
    if (status == SOTTO_OK)
        status = predict_check_finite(out, 1, t, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t i = 0; i < t->rows; i++)
        if (what == SOTTO_ANSWER_PROBA && !isnan(out[i]))
            out[i] = predict_sigmoid(out[i]);
        else if (what == SOTTO_ANSWER_VALUE && m->classes)
            out[i] = isnan(out[i]) ? out[i] : out[i] > 0 ? 1 : -1;
    return SOTTO_OK;
}
