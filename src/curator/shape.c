/*
 * The shape of the records: how large they are, and means. Lemma 9 of
 * docs/privacy.md.
 *
 *   size     |v - centre| / bound, and of a row the largest of its features'
 *   count    the row's share of the largest weight, B a_i / W, in one range
 *   mean     B (a_i / W) u,  u = clip((v - centre) / bound) in [-1, 1], or u^2
 *
 * All in double, and then the one integer of kernel_integer. A row's numbers
 * meet no other row's: columns are written out first, so that what is not
 * stored is a 0 like any other.
 */
#include "inside.h"

#include <math.h>
#include <string.h>

typedef struct shape_ask {
    const ask_shape *shape;
    const double *edge;
    int64_t edges;
    double *size; /* per row, ASK_ROW_COUNTS only */
} shape_ask;

int shape_moderate(double x)
{
    return x >= 0x1p-100 && x <= 0x1p100;
}

/* Weights are clamped when read; what is none counts 0. */
double row_share(const curator *c, int64_t i)
{
    double share =
        c->weight ? (double)c->weight[i] / c->policy.weight_bound : 1;
    return share >= 0 ? fmin(share, 1) : 0;
}

static int64_t integer_of(double part)
{
    return kernel_integer((float)(part * KERNEL_CLIP));
}

/* Value of row i: a column that was written out, or the target. */
static double value_of(const curator *c, const shape_ask *a, int64_t i)
{
    int of_target = a->shape->kind == ASK_TARGET_COUNTS ||
                    a->shape->kind == ASK_TARGET_MEAN;
    return of_target ? c->table->y[i] : (double)c->slope[i];
}

static double measured(const curator *c, const shape_ask *a, int64_t j,
                       int64_t i)
{
    double centre = a->shape->centre ? a->shape->centre[j] : 0;
    return (value_of(c, a, i) - centre) / a->shape->bound[j];
}

/* ---- counts ---- */

/* The first edge that the size is above; a NaN is above none. Edges fall. */
static int64_t range_of(const shape_ask *a, double size)
{
    int64_t from = 0, to = a->edges;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (size > a->edge[middle])
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static void count_sizes(curator *c, const shape_ask *a, int64_t j, int64_t *out)
{
    memset(out, 0, (size_t)(a->edges + 1) * sizeof *out);
    for (int64_t i = 0; i < c->table->rows; i++) {
        double size = a->size ? a->size[i] : fabs(measured(c, a, j, i));
        out[range_of(a, size)] += integer_of(row_share(c, i));
    }
}

static void find_row_sizes(curator *c, const shape_ask *a)
{
    for (int64_t j = 0; j < c->table->features; j++) {
        columns_write(c, j, c->slope);
        for (int64_t i = 0; i < c->table->rows; i++) {
            double size = fabs(measured(c, a, j, i));
            if (size > a->size[i])
                a->size[i] = size;
        }
    }
}

static void sum_counts(curator *c, const void *what, int64_t *out)
{
    const shape_ask *a = what;
    if (a->shape->kind == ASK_ROW_COUNTS)
        find_row_sizes(c, a);
    if (a->shape->kind != ASK_COLUMN_COUNTS) {
        count_sizes(c, a, 0, out);
        return;
    }
    for (int64_t j = 0; j < c->table->features; j++) {
        columns_write(c, j, c->slope);
        count_sizes(c, a, j, out + j * (a->edges + 1));
    }
}

/* ---- means ---- */

static void sum_means(curator *c, const void *what, int64_t *out)
{
    const shape_ask *a = what;
    int of_target = a->shape->kind == ASK_TARGET_MEAN;
    int squares = a->shape->kind == ASK_COLUMN_SQUARES;
    for (int64_t j = 0; j < (of_target ? 1 : c->table->features); j++) {
        if (!of_target)
            columns_write(c, j, c->slope);
        out[j] = 0;
        for (int64_t i = 0; i < c->table->rows; i++) {
            double u = fmax(-1, fmin(1, measured(c, a, j, i)));
            out[j] += integer_of((squares ? u * u : u) * row_share(c, i));
        }
    }
}

/* ---- asking ---- */

static sotto_status check_shape(const curator *c, const shape_ask *a,
                                int64_t numbers, sotto_error *error)
{
    int fine = a->edges >= 0 && a->edges <= ASK_MOST_EDGES;
    for (int64_t j = 0; j < numbers; j++)
        fine &= shape_moderate(a->shape->bound[j]) &&
                (!a->shape->centre || fabs(a->shape->centre[j]) <= 0x1p100);
    for (int64_t k = 1; fine && k < a->edges; k++)
        fine &= a->edge[k] < a->edge[k - 1];
    if (!fine || !(c->total > 0))
        return error_set(error, SOTTO_USAGE,
                         "sizes and means need bounds from 2^-100 to 2^100, "
                         "and edges that fall");
    return SOTTO_OK;
}

/* Sums into `sum`, and answers of them in units of `unit`. */
static sotto_status release(curator *c, const gate_question *q, double unit,
                            double *out, double *sd, sotto_error *error)
{
    int64_t *sum = mem_zeroed(q->answers, sizeof *sum);
    sotto_status status =
        sum ? gate_release(c, q, sum, sd, error) : error_memory(error);
    for (size_t k = 0; status == SOTTO_OK && k < q->answers; k++)
        out[k] = (double)sum[k] * unit;
    *sd *= unit;
    mem_free(sum);
    return status;
}

sotto_status curator_ask_counts(curator *c, const ask_shape *what,
                                const double *edge, int64_t edges, double *out,
                                double *sd, sotto_error *error)
{
    shape_ask a = {.shape = what, .edge = edge, .edges = edges};
    int64_t features = c->table->features;
    int64_t times = what->kind == ASK_COLUMN_COUNTS ? features : 1;
    size_t rows = (size_t)c->table->rows;
    *sd = 0;
    sotto_status status = check_shape(
        c, &a, what->kind == ASK_TARGET_COUNTS ? 1 : features, error);
    if (status != SOTTO_OK)
        return status;
    if (what->kind == ASK_ROW_COUNTS)
        a.size = mem_zeroed(rows + 1, sizeof *a.size);
    gate_question q = {.kind = what->kind,
                       .answers = (size_t)(times * (edges + 1)),
                       .sum = sum_counts,
                       .what = &a};
    status = what->kind == ASK_ROW_COUNTS && !a.size
                 ? error_memory(error)
                 : release(c, &q, c->policy.weight_bound / KERNEL_CLIP, out, sd,
                           error);
    if (a.size)
        mem_wipe(a.size, rows * sizeof *a.size);
    mem_free(a.size);
    return status;
}

sotto_status curator_ask_means(curator *c, const ask_shape *what, double *out,
                               double *sd, sotto_error *error)
{
    shape_ask a = {.shape = what};
    int64_t numbers = what->kind == ASK_TARGET_MEAN ? 1 : c->table->features;
    *sd = 0;
    sotto_status status = check_shape(c, &a, numbers, error);
    if (status != SOTTO_OK)
        return status;
    gate_question q = {.kind = what->kind,
                       .answers = (size_t)numbers,
                       .sum = sum_means,
                       .what = &a};
    return release(c, &q, c->policy.weight_bound / KERNEL_CLIP / c->total, out,
                   sd, error);
}
