/*
 * How good a model of three classes and more is, and which classes it takes
 * for which.
 */
#include "evaluate.h"
#include "gather.h"
#include "predict.h"

#include <math.h>
#include <string.h>

/* log sum exp(m) - m_y without overflow, as the exact solver has it. */
static double softmax_loss(const double *m, int64_t classes, int64_t y)
{
    int64_t top = 0;
    double rest = 0;
    for (int64_t k = 1; k < classes; k++)
        top = m[k] > m[top] ? k : top;
    for (int64_t k = 0; k < classes; k++)
        rest += k == top ? 0 : exp(m[k] - m[top]);
    return log1p(rest) + (m[top] - m[y]);
}

/* The loss of one row as training had it: of all classes at once, or the sum
   over those of each class against the others. */
static double row_loss(const sotto_model *m, const double *score, int64_t y)
{
    double sum = 0;
    if (!m->one_versus_rest)
        return softmax_loss(score, m->classes, y);
    for (int64_t k = 0; k < m->classes; k++)
        sum += loss_value(&m->loss, score[k], k == y ? 1 : -1);
    return sum;
}

static int64_t best_of(const double *score, int64_t classes)
{
    int64_t best = 0;
    for (int64_t k = 1; k < classes; k++)
        best = score[k] > score[best] ? k : best;
    return best;
}

static sotto_status set_objective(sotto_quality *q, const sotto_model *m,
                                  const sotto_table *t, const double *score,
                                  sotto_error *error)
{
    double total = evaluate_total(t), sum = 0, right = 0, penalties = 0;
    if (!(total > 0))
        return error_set(error, SOTTO_DATA,
                         "every row has weight 0: there is nothing to "
                         "evaluate");
    for (int64_t i = 0; i < t->rows; i++) {
        const double *row = score + i * m->classes;
        int64_t y = (int64_t)t->y[i];
        sum += row_weight(t, i) * row_loss(m, row, y);
        right += best_of(row, m->classes) == y ? row_weight(t, i) : 0;
    }
    for (int64_t k = 0; k < m->classes; k++) {
        double penalty = NAN;
        sotto_model one = model_of_class(m, k);
        sotto_status status = evaluate_penalty(&penalty, &one, t, error);
        if (status != SOTTO_OK)
            return status;
        penalties += penalty;
    }
    q->objective = sum / total + penalties;
    q->accuracy = right / total;
    if (!m->one_versus_rest)
        q->log_loss = sum / total;
    return SOTTO_OK;
}

/* The mean over the classes that some rows are of and others not. */
static sotto_status set_area(sotto_quality *q, const sotto_model *m,
                             const sotto_table *t, const double *score,
                             sotto_error *error)
{
    scored *row = mem_zeroed((size_t)t->rows, sizeof *row);
    double sum = 0, count = 0;
    if (!row)
        return error_memory(error);
    for (int64_t k = 0; k < m->classes; k++) {
        for (int64_t i = 0; i < t->rows; i++)
            row[i] = (scored){score[i * m->classes + k], row_weight(t, i),
                              t->y[i] == (double)k};
        double area = evaluate_area(row, t->rows);
        sum += isnan(area) ? 0 : area;
        count += !isnan(area);
    }
    q->auc = sum / count;
    mem_wipe(row, (size_t)t->rows * sizeof *row);
    mem_free(row);
    return SOTTO_OK;
}

/* Classes are ranked by their probabilities where there are some. Of chances
   that one-versus-rest divides by their sum this is the log-loss. */
static sotto_status set_order(sotto_quality *q, const sotto_model *m,
                              const sotto_table *t, double *score,
                              sotto_error *error)
{
    if (loss_has_log_odds(m->loss.kind)) {
        double sum = 0, total = evaluate_total(t);
        for (int64_t i = 0; i < t->rows; i++)
            predict_chances(m, score + i * m->classes);
        for (int64_t i = 0; i < t->rows; i++)
            if (row_weight(t, i) > 0)
                sum -= row_weight(t, i) *
                       log(score[i * m->classes + (int64_t)t->y[i]]);
        if (m->one_versus_rest)
            q->log_loss = sum / total;
    }
    return set_area(q, m, t, score, error);
}

sotto_status evaluate_classes(sotto_quality *q, const sotto_model *m,
                              const sotto_table *t, double *score,
                              sotto_error *error)
{
    sotto_status status = set_objective(q, m, t, score, error);
    return status == SOTTO_OK ? set_order(q, m, t, score, error) : status;
}

static void count_classes(double *out, int64_t classes,
                          const gathered_rows *all)
{
    for (int64_t i = 0; i < all->table.rows; i++) {
        double y = all->table.y[i], answer = all->score[i];
        int64_t is = classes == 2 ? y > 0 : (int64_t)y;
        int64_t told = classes == 2 ? answer > 0 : (int64_t)answer;
        out[is * classes + told] += row_weight(&all->table, i);
    }
}

sotto_status sotto_confusion(double *out, const sotto_model *m,
                             const sotto_table *t, sotto_error *error)
{
    if (!m->classes || m->classes != t->classes)
        return error_set(error, SOTTO_USAGE,
                         "expected a model of classes, and a table that was "
                         "read for it, labelled");
    double *answer = mem_zeroed((size_t)t->rows, sizeof *answer);
    if (!answer)
        return error_memory(error);
    gathered_rows all = {0};
    sotto_status status =
        sotto_predict(answer, m, t, SOTTO_ANSWER_VALUE, error);
    memset(out, 0, (size_t)(m->classes * m->classes) * sizeof *out);
    if (status == SOTTO_OK)
        status = gather_rows(&all, t, answer, 1, error);
    if (status == SOTTO_OK)
        count_classes(out, m->classes, &all);
    gather_free(&all);
    mem_free_wiped(answer, (size_t)t->rows * sizeof *answer);
    return status;
}
