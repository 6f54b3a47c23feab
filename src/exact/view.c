/*
 * Columns, dense or sparse, behind four loops. Sums run in four lanes, so
 * that they vectorise without any licence to reorder arithmetic.
 */
#include "state.h"

#include <math.h>

typedef double lanes
    __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

#define AT(p, i) (*(const lanes *)((p) + (i)))
#define INTO(p, i) (*(lanes *)((p) + (i)))
#define TOTAL(s) (((s)[0] + (s)[1]) + ((s)[2] + (s)[3]))

double exact_inner(const double *a, const double *b, int64_t padded)
{
    lanes s = {0}, t = {0};
    for (int64_t i = 0; i < padded; i += 8) {
        s += AT(a, i) * AT(b, i);
        t += AT(a, i + 4) * AT(b, i + 4);
    }
    s += t;
    return TOTAL(s);
}

/* ---- dense: rows past n count nothing, z and h being 0 there ---- */

static double dense_dot(const exact_view *v, int64_t j, const double *z)
{
    const double *x = v->x + j * v->stride;
    double centre = v->centre[j];
    lanes s = {0}, t = {0};
    for (int64_t i = 0; i < v->padded; i += 8) {
        s += (AT(x, i) - centre) * AT(z, i);
        t += (AT(x, i + 4) - centre) * AT(z, i + 4);
    }
    s += t;
    return TOTAL(s);
}

static void dense_moments(const exact_view *v, int64_t j, const double *h,
                          double *first, double *second)
{
    const double *x = v->x + j * v->stride;
    double centre = v->centre[j];
    lanes s = {0}, t = {0};
    for (int64_t i = 0; i < v->padded; i += 4) {
        lanes here = AT(x, i) - centre, weighted = here * AT(h, i);
        s += weighted;
        t += weighted * here;
    }
    *first = TOTAL(s);
    *second = TOTAL(t);
}

/* ---- either ---- */

static const double *values_of(const exact_view *v)
{
    return v->by_column->value;
}

int64_t exact_entries(const exact_view *v, int64_t j)
{
    if (v->x)
        return v->n;
    return v->by_column->start[j + 1] - v->by_column->start[j];
}

double exact_dot(const exact_view *v, int64_t j, const double *z)
{
    if (v->x)
        return dense_dot(v, j, z);
    const uint32_t *row = v->by_column->index;
    const double *x = values_of(v);
    int64_t k = v->by_column->start[j], end = v->by_column->start[j + 1];
    double s = 0, t = 0;
    for (; k + 2 <= end; k += 2) {
        s += x[k] * z[row[k]];
        t += x[k + 1] * z[row[k + 1]];
    }
    if (k < end)
        s += x[k] * z[row[k]];
    return s + t;
}

void exact_add(const exact_view *v, int64_t j, double d, double *z)
{
    if (v->x) {
        const double *x = v->x + j * v->stride;
        double centre = v->centre[j];
        for (int64_t i = 0; i < v->padded; i += 4)
            INTO(z, i) += (AT(x, i) - centre) * d;
        return;
    }
    const uint32_t *row = v->by_column->index;
    const double *x = values_of(v);
    int64_t end = v->by_column->start[j + 1];
    for (int64_t k = v->by_column->start[j]; k < end; k++)
        z[row[k]] += x[k] * d;
}

void exact_add_curved(const exact_view *v, int64_t j, double d, const double *h,
                      double *z)
{
    if (v->x) {
        const double *x = v->x + j * v->stride;
        double centre = v->centre[j];
        for (int64_t i = 0; i < v->padded; i += 4)
            INTO(z, i) += (AT(x, i) - centre) * d * AT(h, i);
        return;
    }
    const uint32_t *row = v->by_column->index;
    const double *x = values_of(v);
    int64_t end = v->by_column->start[j + 1];
    for (int64_t k = v->by_column->start[j]; k < end; k++)
        z[row[k]] += x[k] * d * h[row[k]];
}

void exact_moments(const exact_view *v, int64_t j, const double *h,
                   double *first, double *second)
{
    *first = *second = 0;
    if (v->x) {
        dense_moments(v, j, h, first, second);
        return;
    }
    const uint32_t *row = v->by_column->index;
    const double *x = values_of(v);
    int64_t end = v->by_column->start[j + 1];
    for (int64_t k = v->by_column->start[j]; k < end; k++) {
        double weighted = x[k] * h[row[k]];
        *first += weighted;
        *second += weighted * x[k];
    }
}

/* A column of one value has no spread but for rounding: call it 0, and the
   solver will leave its weight alone. */
static double spread(double second, double first)
{
    double about = second - first * first;
    return about > 1e-13 * second ? about : 0;
}

void exact_view_measure(exact_view *v, int intercept)
{
    for (int64_t j = 0; j < v->p; j++) {
        double first, second, shift;
        exact_moments(v, j, v->share, &first, &second);
        v->norm[j] = intercept ? spread(second, first) : second;
        if (!intercept || !v->x)
            continue;
        v->centre[j] = first;
        exact_moments(v, j, v->share, &shift, &second);
        v->norm[j] = v->norm[j] > 0 || second > 1e-24 * first * first
                         ? spread(second, shift)
                         : 0;
    }
    v->row_pairs = INFINITY;
    if (v->x)
        return;
    v->row_pairs = 0;
    for (int64_t i = 0; i < v->n; i++) {
        double entries =
            (double)(v->by_row->start[i + 1] - v->by_row->start[i]);
        v->row_pairs += entries * (entries + 1) / 2;
    }
}
