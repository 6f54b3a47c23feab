/*
 * How good a model is on rows whose target is known. All of it is as
 * sensitive as the rows.
 */
#include "evaluate.h"
#include "gather.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double evaluate_total(const sotto_table *t)
{
    double sum = 0;
    for (int64_t i = 0; i < t->rows; i++)
        sum += row_weight(t, i);
    return sum;
}

/* ---- the objective ---- */

/* Whether training bought the bounds of feature j: it knew the column as it
   stands in the file. Numbered columns may be declared together. */
static int is_bought(const sotto_model *m, const json_t *schema, int64_t j)
{
    char buffer[24];
    const json_t *column =
        json_object_get(json_object_get(schema, "columns"),
                        sotto_model_feature_name(m, j, buffer));
    if (!column && !m->name)
        column = json_object_get(schema, "default");
    return json_is_true(json_object_get(column, SCHEMA_BOUGHT));
}

/*
 * The weights' penalty in the units that training counted it in. Where the
 * model does not say which these were, and it matters, NaN.
 */
sotto_status evaluate_penalty(double *out, const sotto_model *m,
                              const sotto_table *t, sotto_error *error)
{
    int file = m->units == MODEL_UNITS_FILE, mapped = 0;
    const char *text = m->schema ? m->schema : "{}";
    json_t *schema = json_read(text, strlen(text), NULL);
    if (!schema) /* the model has it as JSON */
        return error_memory(error);
    *out = 0;
    for (int64_t j = 0; j < m->features; j++) {
        double centre, half, w = m->weight[j];
        sotto_table_feature_map(t, j, &centre, &half);
        mapped |= w != 0 && (half != 1 || t->target_half != 1);
        if (m->units == MODEL_UNITS_SPREAD)
            w *= m->scale ? m->scale[j] : 0;
        else if (!file)
            w = w * (is_bought(m, schema, j) ? 1 : half) / t->target_half;
        *out += m->l1 * fabs(w) + m->l2 / 2 * w * w;
    }
    json_decref(schema);
    if (m->units == MODEL_UNITS_UNKNOWN && mapped && (m->l1 > 0 || m->l2 > 0))
        *out = NAN;
    return SOTTO_OK;
}

/*
 * F as training had it. With the penalty in the units of the file or of spread
 * the loss is in the target's own, too: a residual there is target_half times
 * that of the fit, and squared losses go with its square.
 */
static double target_unit(const sotto_model *m, const sotto_table *t)
{
    return m->units == MODEL_UNITS_FILE || m->units == MODEL_UNITS_SPREAD
               ? t->target_half
               : 1;
}

static sotto_status objective(double *out, const sotto_model *m,
                              const sotto_table *t, const double *score,
                              sotto_error *error)
{
    double sum = 0, total = evaluate_total(t), penalty = NAN;
    double unit = target_unit(m, t);
    for (int64_t i = 0; i < t->rows; i++) {
        double margin = (score[i] - t->target_centre) / t->target_half;
        sum += row_weight(t, i) * loss_value(&m->loss, margin, t->y[i]);
    }
    sotto_status status = evaluate_penalty(&penalty, m, t, error);
    if (status != SOTTO_OK)
        return status;
    *out = sum / total * unit * unit + penalty;
    if (!(total > 0))
        return error_set(error, SOTTO_DATA,
                         "every row has weight 0: there is nothing to "
                         "evaluate");
    return SOTTO_OK;
}

/* ---- two classes ---- */

static int by_score(const void *a, const void *b)
{
    double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x > y) - (x < y);
}

/* The chance that a positive row scores above a negative one, ties by half:
   for each group of equal scores, its positives beat all negatives below. */
double evaluate_area(scored *row, int64_t rows)
{
    qsort(row, (size_t)rows, sizeof *row, by_score);
    double below = 0, positives = 0, wins = 0;
    for (int64_t i = 0; i < rows;) {
        double up = 0, down = 0, score = row[i].score;
        for (; i < rows && row[i].score == score; i++)
            *(row[i].positive ? &up : &down) += row[i].weight;
        wins += up * (below + down / 2);
        below += down;
        positives += up;
    }
    return wins / (positives * below); /* NaN with one class */
}

static sotto_status two_classes(sotto_quality *q, const sotto_model *m,
                                const sotto_table *t, const double *score,
                                sotto_error *error)
{
    scored *row = mem_zeroed((size_t)t->rows, sizeof *row);
    double total = evaluate_total(t), right = 0, sum = 0;
    if (!row)
        return error_memory(error);
    for (int64_t i = 0; i < t->rows; i++) {
        row[i] = (scored){score[i], row_weight(t, i), t->y[i] > 0};
        right += (score[i] > 0) == row[i].positive ? row[i].weight : 0;
        sum += row[i].weight * loss_value(&m->loss, score[i], t->y[i]);
    }
    q->accuracy = right / total;
    q->auc = evaluate_area(row, t->rows);
    if (loss_has_log_odds(m->loss.kind))
        q->log_loss = sum / total;
    mem_wipe(row, (size_t)t->rows * sizeof *row);
    mem_free(row);
    return SOTTO_OK;
}

/* ---- a number ---- */

static void a_number(sotto_quality *q, const sotto_table *t,
                     const double *score)
{
    double total = evaluate_total(t), mean = 0, spread = 0, wrong = 0;
    for (int64_t i = 0; i < t->rows; i++)
        mean += row_weight(t, i) / total * t->y[i];
    for (int64_t i = 0; i < t->rows; i++) {
        double off = t->target_half * (t->y[i] - mean);
        double miss = score[i] - (t->y[i] * t->target_half + t->target_centre);
        spread += row_weight(t, i) / total * off * off;
        wrong += row_weight(t, i) / total * miss * miss;
    }
    q->mse = wrong;
    q->r2 = spread > 0 ? 1 - wrong / spread : NAN;
}

/* ---- all ---- */

static sotto_status evaluate_scores(sotto_quality *q, const sotto_model *m,
                                    const sotto_table *t, const double *score,
                                    sotto_error *error)
{
    sotto_status status = objective(&q->objective, m, t, score, error);
    if (status == SOTTO_OK && m->classes)
        status = two_classes(q, m, t, score, error);
    else if (status == SOTTO_OK)
        a_number(q, t, score);
    return status;
}

/* These are sums of doubles, and ranks of scores: rank 0 makes them of all
   rows, so that they are the same however rows are shared. */
static sotto_status evaluate_all(sotto_quality *q, const sotto_model *m,
                                 const sotto_table *t, double *score,
                                 int64_t width, sotto_error *error)
{
    gathered_rows all;
    sotto_status status = gather_rows(&all, t, score, width, error);
    if (status == SOTTO_OK && ranks_is_root(t->ranks))
        status = width > 1
                     ? evaluate_classes(q, m, &all.table, all.score, error)
                     : evaluate_scores(q, m, &all.table, all.score, error);
    gather_free(&all);
    return status;
}

static int same_classes(const sotto_model *m, const sotto_table *t)
{
    int same = m->classes == t->classes;
    for (int64_t i = 0; same && i < m->classes; i++)
        same = !strcmp(m->class_name[i], t->class_name[i]);
    return same;
}

sotto_status sotto_evaluate(sotto_quality *out, const sotto_model *m,
                            const sotto_table *t, sotto_error *error)
{
    *out = (sotto_quality){table_all_rows(t), NAN, NAN, NAN, NAN, NAN, NAN};
    if (!t->y || !same_classes(m, t))
        return error_set(error, SOTTO_USAGE,
                         "the table has no target that fits the model: read "
                         "it with sotto_table_read_for, labelled");
    int64_t width = m->classes > 2 ? m->classes : 1;
    size_t count = (size_t)(t->rows * width);
    double *score = mem_zeroed(count, sizeof *score);
    if (!score)
        return error_memory(error);
    sotto_status status =
        m->classes > 2
            ? sotto_predict_classes(score, m, t, SOTTO_ANSWER_SCORE, error)
            : sotto_predict(score, m, t, SOTTO_ANSWER_SCORE, error);
    if (status == SOTTO_OK)
        status = evaluate_all(out, m, t, score, width, error);
    mem_free_wiped(score, count * sizeof *score);
    return status;
}
