/*
 * The shape of the records: how large they are, and means. Lemma C13 of
 * docs/privacy.
 *
 *   size     |v - centre| / bound, and of a row the largest of its features'
 *   count    the row's share of the largest weight, B a_i / W, in one range
 *   mean     B (a_i / W) u,  u = clip((v - centre) / bound) in [-1, 1], or u^2
 *   quantile -|sum of B a_i / W (q where the size is above the edge, and
 *            q - 1 where it is not)|, of each edge: Lemma C14
 *
 * All of it is computed in double, and kernel_integer makes the integer. Rows
 * do not meet: columns are written out first, so that an entry that is not
 * stored is a 0 like any other.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

typedef struct shape_ask {
    const ask_shape *shape;
    const double *edge;
    int64_t edges;
    double *size;                    /* per row, of rows only */
    int quantile;                    /* an edge is asked for, not counts */
    double share;                    /* of that: 0 < share < 1 */
    int64_t *score, *above, *within; /* of edges, and of ranges */
} shape_ask;

/* Weights are clamped when they are read. NaN counts as 0. */
double row_share(const curator *c, int64_t i)
{
    double share =
        c->weight ? (double)c->weight[i] / c->policy.weight_bound : 1;
    return share >= 0 ? fmin(share, 1) : 0;
}

static int of_target(const shape_ask *a)
{
    return a->shape->kind == ASK_TARGET_COUNTS ||
           a->shape->kind == ASK_TARGET_QUANTILE ||
           a->shape->kind == ASK_TARGET_MEAN;
}

static int of_rows(const shape_ask *a)
{
    return a->shape->kind == ASK_ROW_COUNTS ||
           a->shape->kind == ASK_ROW_QUANTILE;
}

/* Column j of those that are asked about. */
static int64_t feature_of(const shape_ask *a, int64_t j)
{
    return a->shape->feature ? a->shape->feature[j] : j;
}

static int64_t features_of(const curator *c, const shape_ask *a)
{
    return a->shape->feature ? a->shape->features : c->table->features;
}

static double measured(const shape_ask *a, int64_t j, double value)
{
    double centre = a->shape->centre ? a->shape->centre[j] : 0;
    return (value - centre) / a->shape->bound[j];
}

/*
 * The values that a question is about: the target, or column j. A sparse
 * column whose zeros add nothing comes as a list of entries with their rows.
 * Other columns are written out, so that an entry that is not stored is a 0
 * like any other.
 */
typedef struct shape_values {
    const double *y;
    const float *x;
    const uint32_t *index; /* NULL: of all rows */
    const double *sign;    /* NULL, or the classes that x is folded with */
    int64_t count;
} shape_values;

static shape_values values_of(curator *c, const shape_ask *a, int64_t j,
                              int zeros)
{
    const sotto_table *t = c->table;
    shape_values v = {.count = t->rows};
    if (of_target(a)) {
        v.y = t->y;
        return v;
    }
    kernel_column x = columns_get(c, feature_of(a, j));
    v.x = c->slope;
    if (!zeros && x.index)
        return (shape_values){.x = x.value,
                              .index = x.index,
                              .sign = t->folded ? t->y : NULL,
                              .count = x.count};
    choice_forget_sums(c);
    columns_write(c, feature_of(a, j), c->slope);
    return v;
}

static int64_t row_at(const shape_values *v, int64_t k)
{
    return v->index ? (int64_t)v->index[k] : k;
}

static double value_at(const shape_values *v, int64_t k)
{
    if (v->y)
        return v->y[k];
    double x = (double)v->x[k];
    return v->sign && v->sign[v->index[k]] < 0 ? -x : x;
}

/* ---- counts ---- */

/* The first edge that the size is above. Edges fall. NaN is above none. */
int64_t shape_range(const double *edge, int64_t edges, double size)
{
    int64_t from = 0, to = edges;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (size > edge[middle])
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static int64_t range_of(const shape_ask *a, double size)
{
    return shape_range(a->edge, a->edges, size);
}

static void count_rows(curator *c, const shape_ask *a, int64_t *out)
{
    for (int64_t i = 0; i < c->table->rows; i++)
        out[range_of(a, a->size[i])] += integer_of(row_share(c, i));
}

static void count_values(curator *c, const shape_ask *a, int64_t j,
                         int64_t *out)
{
    shape_values v = values_of(c, a, j, 1);
    for (int64_t i = 0; i < v.count; i++) {
        double size = fabs(measured(a, j, value_at(&v, i)));
        out[range_of(a, size)] += integer_of(row_share(c, i));
    }
}

/* The largest, or the length: squares are added in the order of features. */
static void find_row_sizes(curator *c, const shape_ask *a)
{
    for (int64_t j = 0; j < c->table->features; j++) {
        double origin = measured(a, j, 0);
        shape_values v = values_of(c, a, j, origin != 0);
        for (int64_t k = 0; k < v.count; k++) {
            double *size = &a->size[row_at(&v, k)];
            double one = fabs(measured(a, j, value_at(&v, k)));
            if (a->shape->length)
                *size += one * one;
            else if (one > *size)
                *size = one;
        }
    }
    for (int64_t i = 0; a->shape->length && i < c->table->rows; i++)
        a->size[i] = sqrt(a->size[i]);
}

static void sum_counts(curator *c, const void *what, int64_t *out)
{
    const shape_ask *a = what;
    int columns = a->shape->kind == ASK_COLUMN_COUNTS;
    int64_t ranges = a->edges + 1, times = columns ? features_of(c, a) : 1;
    memset(out, 0, (size_t)(times * ranges) * sizeof *out);
    if (of_rows(a)) {
        find_row_sizes(c, a);
        count_rows(c, a, out);
        return;
    }
    for (int64_t j = 0; j < times; j++)
        count_values(c, a, j, out + j * ranges);
}

/* ---- quantiles ---- */

/* Cut towards 0, so that the two parts of a weight do not exceed it. */
static int64_t part_of(double share, int64_t weight)
{
    return (int64_t)(share * (double)weight);
}

/* Adds row i to its range: its part for the edges that it is above, and its
   part for the other edges. */
static void add_sides(curator *c, const shape_ask *a, int64_t i, double size)
{
    int64_t range = range_of(a, size), weight = integer_of(row_share(c, i));
    a->above[range] += part_of(a->share, weight);
    a->within[range] += part_of(1 - a->share, weight);
}

static void add_all_sides(curator *c, const shape_ask *a)
{
    if (of_rows(a)) {
        find_row_sizes(c, a);
        for (int64_t i = 0; i < c->table->rows; i++)
            add_sides(c, a, i, a->size[i]);
        return;
    }
    shape_values v = values_of(c, a, 0, 1);
    for (int64_t i = 0; i < v.count; i++)
        add_sides(c, a, i, fabs(measured(a, 0, value_at(&v, i))));
}

/* All ranges but the last are above the last edge, and only the first is above
   the first edge. */
static const int64_t *score_edges(curator *c, const void *what)
{
    const shape_ask *a = what;
    int64_t sum = 0;
    add_all_sides(c, a);
    for (int64_t k = 0; k <= a->edges; k++)
        sum -= a->within[k];
    for (int64_t k = 0; k < a->edges; k++) {
        sum += a->above[k] + a->within[k];
        a->score[k] = sum < 0 ? sum : -sum;
    }
    return a->score;
}

/* ---- means ---- */

static void sum_means(curator *c, const void *what, int64_t *out)
{
    const shape_ask *a = what;
    int squares = a->shape->kind == ASK_COLUMN_SQUARES;
    for (int64_t j = 0; j < (of_target(a) ? 1 : features_of(c, a)); j++) {
        shape_values v = values_of(c, a, j, measured(a, j, 0) != 0);
        out[j] = 0;
        for (int64_t k = 0; k < v.count; k++) {
            double u = fmax(-1, fmin(1, measured(a, j, value_at(&v, k))));
            double share = row_share(c, row_at(&v, k));
            out[j] += integer_of((squares ? u * u : u) * share);
        }
    }
}

/* ---- asking ---- */

/* The kind says what is summed and what is charged: a question cannot be asked
   at the price of another. */
static int is_kind(const shape_ask *a)
{
    ask_kind kind = a->shape->kind;
    if (a->quantile)
        return (kind == ASK_ROW_QUANTILE || kind == ASK_TARGET_QUANTILE) &&
               a->share > 0 && a->share < 1 && a->edges > 0;
    return a->edge ? kind == ASK_ROW_COUNTS || kind == ASK_TARGET_COUNTS ||
                         kind == ASK_COLUMN_COUNTS
                   : kind == ASK_TARGET_MEAN || kind == ASK_COLUMN_MEANS ||
                         kind == ASK_COLUMN_SQUARES;
}

static sotto_status check_shape(const curator *c, const shape_ask *a,
                                int64_t numbers, sotto_error *error)
{
    int fine = is_kind(a) && a->edges >= 0 && a->edges <= ASK_MOST_EDGES &&
               numbers >= 0;
    if (!of_target(a)) /* no more draws are charged */
        fine &= numbers <= c->table->features;
    if (of_rows(a) && a->shape->feature)
        fine = 0;
    for (int64_t j = 0; fine && a->shape->feature && j < numbers; j++)
        fine &= a->shape->feature[j] >= 0 &&
                a->shape->feature[j] < c->table->features;
    for (int64_t j = 0; fine && j < numbers; j++)
        fine &= is_moderate(a->shape->bound[j]) &&
                (!a->shape->centre || fabs(a->shape->centre[j]) <= 0x1p100);
    for (int64_t k = 1; fine && k < a->edges; k++)
        fine &= a->edge[k] < a->edge[k - 1];
    if (!fine || !(c->total > 0))
        return error_set(error, SOTTO_USAGE,
                         "sizes and means need features that there are, "
                         "bounds from 2^-100 to 2^100, edges that fall, and a "
                         "share between 0 and 1");
    return SOTTO_OK;
}

/* Releases sums, and makes answers of them in units of `unit`. */
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
    int64_t features = features_of(c, &a);
    int columns = what->kind == ASK_COLUMN_COUNTS;
    int64_t times = columns ? features : 1;
    size_t bytes = ((size_t)c->table->rows + 1) * sizeof *a.size;
    *sd = 0;
    sotto_status status = check_shape(
        c, &a, what->kind == ASK_TARGET_COUNTS ? 1 : features, error);
    if (status != SOTTO_OK)
        return status;
    if (of_rows(&a))
        a.size = secret_take(bytes);
    gate_question q = {.kind = what->kind,
                       .answers = (size_t)(times * (edges + 1)),
                       .sum = sum_counts,
                       .what = &a,
                       .features = columns ? features : 0};
    status = of_rows(&a) && !a.size
                 ? error_memory(error)
                 : release(c, &q, c->policy.weight_bound / KERNEL_CLIP, out, sd,
                           error);
    secret_give(a.size, bytes);
    return status;
}

sotto_status curator_ask_quantile(curator *c, const ask_shape *what,
                                  const double *edge, int64_t edges,
                                  double share, int64_t *out,
                                  sotto_error *error)
{
    shape_ask a = {.shape = what,
                   .edge = edge,
                   .edges = edges,
                   .quantile = 1,
                   .share = share};
    *out = 0;
    sotto_status status =
        check_shape(c, &a, of_rows(&a) ? c->table->features : 1, error);
    if (status != SOTTO_OK)
        return status;
    int64_t rows = c->table->rows, ranges = edges + 1;
    size_t bytes = (size_t)(3 * ranges + (of_rows(&a) ? rows : 0)) * 8;
    a.score = secret_take(bytes);
    if (!a.score)
        return error_memory(error);
    a.above = a.score + ranges;
    a.within = a.above + ranges;
    a.size = (double *)(a.within + ranges);
    gate_contest q = {.kind = what->kind,
                      .count = (size_t)edges,
                      .stride = 1,
                      .scores = score_edges,
                      .what = &a};
    status = gate_choose(c, &q, out, error);
    secret_give(a.score, bytes);
    return status;
}

sotto_status curator_ask_means(curator *c, const ask_shape *what, double *out,
                               double *sd, sotto_error *error)
{
    shape_ask a = {.shape = what};
    int columns = what->kind != ASK_TARGET_MEAN;
    int64_t numbers = columns ? features_of(c, &a) : 1;
    *sd = 0;
    sotto_status status = check_shape(c, &a, numbers, error);
    if (status != SOTTO_OK)
        return status;
    gate_question q = {.kind = what->kind,
                       .answers = (size_t)numbers,
                       .sum = sum_means,
                       .what = &a,
                       .features = columns ? numbers : 0};
    return release(c, &q, c->policy.weight_bound / KERNEL_CLIP / c->total, out,
                   sd, error);
}
