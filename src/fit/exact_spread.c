/*
 * The exact solver with its penalty in units of spread: it is given columns
 * that are divided by their standard deviation. Tables are never changed, so
 * it is a copy.
 */
#include "fit.h"

#include <math.h>

/* A column of one value has no spread but for rounding. */
#define LEAST_SQUARE 1e-13

typedef struct column {
    const double *value;
    const uint32_t *row; /* NULL: one value for each row */
    int64_t count;
} column;

static column column_of(const sotto_table *t, int64_t j)
{
    if (!t->sparse)
        return (column){(const double *)t->x + j * t->stride, NULL, t->rows};
    int64_t start = t->by_column.start[j];
    return (column){(const double *)t->by_column.value + start,
                    t->by_column.index + start,
                    t->by_column.start[j + 1] - start};
}

static double weight_of(const sotto_table *t, const column *c, int64_t k)
{
    return t->weight ? t->weight[c->row ? c->row[k] : (uint32_t)k] : 1;
}

/* The mean of (x - about)^2, and with it that of x. */
static double square_about(const sotto_table *t, const column *c, double total,
                           double about, double *mean)
{
    double sum = 0, square = 0, there = 0;
    for (int64_t k = 0; k < c->count; k++) {
        double share = weight_of(t, c, k) / total, off = c->value[k] - about;
        there += share;
        sum += share * c->value[k];
        square += share * off * off;
    }
    *mean = sum;
    return square + fmax(0, 1 - there) * about * about;
}

/* Without an intercept columns are not centred: about 0. */
static double spread_of(const sotto_table *t, const column *c, double total,
                        int intercept)
{
    double mean, ignored, square = square_about(t, c, total, 0, &mean);
    double least = LEAST_SQUARE * square;
    if (intercept)
        square = square_about(t, c, total, mean, &ignored);
    return square > least ? sqrt(square) : 0;
}

/* One for each feature, to be freed; NULL: out of memory. */
static double *spreads_of(const sotto_table *t, int intercept)
{
    double *spread = mem_zeroed((size_t)t->features, sizeof *spread), total = 0;
    for (int64_t i = 0; i < t->rows; i++)
        total += t->weight ? t->weight[i] : 1;
    for (int64_t j = 0; spread && j < t->features; j++) {
        column c = column_of(t, j);
        spread[j] = spread_of(t, &c, total, intercept);
    }
    return spread;
}

static int64_t entries_of(const sotto_table *t)
{
    return t->sparse ? t->by_column.start[t->features]
                     : t->stride * t->features;
}

/* A column without spread tells nothing that the intercept does not: it is all
   zeros, and its weight is 0, so that no weight is penalised in units of 0. */
static double divided(double x, double spread)
{
    return spread > 0 ? x / spread : 0;
}

static void divide(fit_scaled *s, const sotto_table *t)
{
    double *by_row = (double *)s->table.by_row.value;
    for (int64_t j = 0; j < t->features; j++) {
        int64_t from = t->sparse ? t->by_column.start[j] : j * t->stride;
        column c = column_of(t, j);
        for (int64_t k = 0; k < c.count; k++)
            s->value[from + k] = divided(c.value[k], s->spread[j]);
    }
    for (int64_t k = 0; t->sparse && k < entries_of(t); k++)
        by_row[k] = divided(((const double *)t->by_row.value)[k],
                            s->spread[t->by_row.index[k]]);
}

sotto_status fit_scale_table(fit_scaled *s, const sotto_table *t, int intercept,
                             sotto_error *error)
{
    int64_t count = entries_of(t);
    s->count = count * (t->sparse ? 2 : 1);
    s->spread = spreads_of(t, intercept);
    s->value = mem_zeroed((size_t)s->count + 1, sizeof *s->value);
    if (!s->spread || !s->value)
        return error_memory(error);
    s->table = *t;
    if (t->sparse) {
        s->table.by_column.value = s->value;
        s->table.by_row.value = s->value + count;
    } else
        s->table.x = s->value;
    divide(s, t);
    return SOTTO_OK;
}

void fit_unscale(const fit_scaled *s, double *weight)
{
    for (int64_t j = 0; j < s->table.features; j++)
        weight[j] = divided(weight[j], s->spread[j]);
}

void fit_free_scaled(fit_scaled *s)
{
    if (s->value)
        mem_wipe(s->value, (size_t)s->count * sizeof *s->value);
    mem_free(s->value);
    mem_free(s->spread);
    *s = (fit_scaled){0};
}
