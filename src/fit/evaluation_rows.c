/*
 * What a model makes of each record: all that a private evaluation's curator
 * holds. Privacy rests on it (docs/privacy, Lemma D10): the numbers of row i
 * are made of record i and of the model, and of nothing else.
 */
#include "evaluating.h"

#include <math.h>

typedef struct made {
    double *score; /* one of each row, or of each class of it */
    size_t count;
} made;

static void forget(made *d)
{
    if (d->score)
        mem_wipe(d->score, d->count * sizeof *d->score);
    mem_free(d->score);
    d->score = NULL;
}

/* A score that is too large is NaN, and nothing is said: whoever wrote the
   model chose which records have one. */
static sotto_status predict_all(made *d, const sotto_model *m, sotto_table *t,
                                const evaluation_facts *f, sotto_error *error)
{
    int many = f->task == EVALUATE_MANY;
    d->count = (size_t)t->rows * (size_t)(many ? m->classes : 1);
    d->score = mem_zeroed(d->count, sizeof *d->score);
    if (!t->bad)
        t->bad = mem_zeroed((size_t)t->rows, sizeof *t->bad);
    if (!d->score || !t->bad)
        return error_memory(error);
    return many ? sotto_predict_classes(d->score, m, t, SOTTO_ANSWER_SCORE,
                                        error)
                : sotto_predict(d->score, m, t, SOTTO_ANSWER_SCORE, error);
}

static float *column_of(const sotto_table *t, int64_t j)
{
    return (float *)t->x + j * t->stride;
}

/* A float of the same sign, whatever is lost of it. */
static float signed_float(double x)
{
    float near = (float)x;
    return near == 0 && x != 0 ? copysignf(0x1p-126F, (float)copysign(1, x))
                               : near;
}

/* log(1 + exp(-m)) without overflow. */
static double logistic(double m)
{
    return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
}

static void fill_two(sotto_table *t, const double *score)
{
    for (int64_t i = 0; i < t->rows; i++) {
        column_of(t, TWO_SCORE)[i] = signed_float(score[i]);
        column_of(t, TWO_LOSS)[i] = (float)logistic(t->y[i] * score[i]);
        t->y[i] = t->y[i] > 0;
    }
}

/* -log of the probability of class y, of the multinomial loss or of each
   class's own divided by their sum. */
static double many_loss(const sotto_model *m, const double *score, int64_t y)
{
    double most = score[0], sum = 0;
    for (int64_t k = 1; k < m->classes; k++)
        most = fmax(most, score[k]);
    for (int64_t k = 0; k < m->classes; k++)
        sum += m->one_versus_rest ? exp(-logistic(score[k]))
                                  : exp(score[k] - most);
    return m->one_versus_rest ? logistic(score[y]) + log(sum)
                              : most - score[y] + log(sum);
}

static void fill_many(sotto_table *t, const sotto_model *m, const double *score)
{
    for (int64_t i = 0; i < t->rows; i++) {
        const double *row = score + i * m->classes;
        int64_t best = 0, y = (int64_t)t->y[i];
        for (int64_t k = 1; k < m->classes; k++)
            best = row[k] > row[best] ? k : best;
        column_of(t, MANY_TOLD)[i] = (float)best;
        column_of(t, MANY_RIGHT)[i] = best == y;
        column_of(t, MANY_LOSS)[i] = (float)many_loss(m, row, y);
    }
}

/* In the units of stored targets. */
static void fill_number(sotto_table *t, const double *score, double centre,
                        double half)
{
    for (int64_t i = 0; i < t->rows; i++) {
        double residual = (score[i] - centre) / half - t->y[i];
        column_of(t, NUMBER_RESIDUAL)[i] = (float)residual;
        column_of(t, NUMBER_TARGET)[i] = (float)t->y[i];
        column_of(t, NUMBER_RESIDUAL_SIZE)[i] = (float)fabs(residual);
        column_of(t, NUMBER_TARGET_SIZE)[i] = (float)fabs(t->y[i]);
    }
}

/* Values that the kernel may meet are numbers. A row without a score counts
   nothing. */
static void drop_bad(sotto_table *t, const double *score, int64_t width)
{
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = 0; k < width; k++)
            if (isnan(score[i * width + k]))
                t->weight[i] = 0;
    for (int64_t j = 0; j < t->features; j++)
        for (int64_t i = 0; i < t->rows; i++)
            if (isnan(column_of(t, j)[i]))
                column_of(t, j)[i] = 0;
}

sotto_status evaluation_rows(sotto_table **table, const sotto_model *m,
                             const evaluation_facts *f, sotto_error *error)
{
    made d = {0};
    double centre = (*table)->target_centre, half = (*table)->target_half;
    sotto_status status = predict_all(&d, m, *table, f, error);
    if (status == SOTTO_OK)
        status = table_make_outcomes(table, f->columns, error);
    if (status == SOTTO_OK) {
        if (f->task == EVALUATE_TWO)
            fill_two(*table, d.score);
        else if (f->task == EVALUATE_MANY)
            fill_many(*table, m, d.score);
        else
            fill_number(*table, d.score, centre, half);
        drop_bad(*table, d.score, f->task == EVALUATE_MANY ? m->classes : 1);
    }
    forget(&d);
    return status;
}
