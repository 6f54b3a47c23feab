/*
 * What rows add to questions about their shape (shape.c has the formulas). All
 * of it is computed in double, and the kernel makes the integer. Rows do not
 * meet: an entry that is not stored is a 0 like any other.
 */
#include "shape.h"

#include <math.h>
#include <string.h>

/* Rows whose sizes and weights stay in a cache while columns are walked
   through. */
enum { SHAPE_ROWS = 2048 };

/* Column j of those that are asked about. */
static int64_t feature_of(const shape_ask *a, int64_t j)
{
    return a->shape->feature ? a->shape->feature[j] : j;
}

/* What a value is in units of its bound, from its centre. */
static void measure(const shape_ask *a, int64_t j, double *value, int64_t count)
{
    double centre = a->shape->centre ? a->shape->centre[j] : 0;
    double bound = a->shape->bound[j];
    for (int64_t k = 0; k < count; k++)
        value[k] = (value[k] - centre) / bound;
}

/* The values of a few rows that a question is about, measured: the target, or
   column j. An entry that is not stored is a 0 like any other. */
static void values_of(const curator *c, const shape_ask *a, int64_t j,
                      int64_t from, int64_t count, double *out)
{
    float x[KERNEL_FEW];
    if (shape_of_target(a)) {
        memcpy(out, c->table->y + from, (size_t)count * sizeof *out);
    } else {
        columns_write_some(c, feature_of(a, j), from, from + count, x);
        for (int64_t k = 0; k < count; k++)
            out[k] = (double)x[k];
    }
    measure(a, j, out, count);
}

/* Whether column j is a list of entries, and rows without one add nothing. */
static int is_listed(const curator *c, const shape_ask *a, int64_t j,
                     kernel_column *out)
{
    double origin = 0;
    if (shape_of_target(a))
        return 0;
    *out = columns_get(c, feature_of(a, j));
    measure(a, j, &origin, 1);
    return out->index && origin == 0;
}

/* The values of a few entries, measured. */
static void entries_of(const curator *c, const shape_ask *a, int64_t j,
                       const kernel_column *x, int64_t from, int64_t count,
                       double *out)
{
    const double *y = c->table->folded ? c->table->y : NULL;
    for (int64_t k = 0; k < count; k++) {
        double value = (double)x->value[from + k];
        out[k] = y && y[x->index[from + k]] < 0 ? -value : value;
    }
    measure(a, j, out, count);
}

/* Some rows of column j as the kernel takes them, of a column that is not a
   list. */
static kernel_values dense_values(const curator *c, const shape_ask *a,
                                  int64_t j, const kernel_column *x,
                                  int64_t from, int64_t count)
{
    return (kernel_values){.x = x->value + from,
                           .sign = c->table->folded ? c->ones + from : NULL,
                           .count = count,
                           .centre = a->shape->centre ? a->shape->centre[j] : 0,
                           .bound = a->shape->bound[j]};
}

/* ---- counts ---- */

/* The first edge that the size is above. Edges fall. NaN is above none. */
int64_t shape_range(const double *edge, int64_t edges, double size)
{
    int64_t from = 0, left = edges;
    while (left > 1) { /* without a branch that depends on the size */
        int64_t half = left / 2;
        from += size > edge[from + half - 1] ? 0 : half;
        left -= half;
    }
    return from + (left == 1 && !(size > edge[from]));
}

static int64_t range_of(const shape_ask *a, double size)
{
    return shape_range(a->edge, a->edges, size);
}

/* Adds a row's integer to the range of its size. */
static void count_some(const shape_ask *a, const double *value,
                       const rows_weight *weight, int64_t count, int64_t *sum)
{
    for (int64_t k = 0; k < count; k++)
        sum[range_of(a, fabs(value[k]))] += weight->integer[k];
}

/* The values of the target, or of column j. */
typedef struct value_count {
    const shape_ask *ask;
    int64_t j;
} value_count;

static void count_values(const curator *c, const void *what, int64_t from,
                         int64_t to, int64_t *sum)
{
    const value_count *v = what;
    double value[KERNEL_FEW];
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        values_of(c, v->ask, v->j, i, count, value);
        count_some(v->ask, value, &weight, count, sum);
    }
}

void shape_count_values(const curator *c, const shape_ask *a, int64_t j,
                        int64_t *out)
{
    value_count what = {a, j};
    rows_walk(c, shape_of_target(a) ? 0 : NEEDS_COLUMNS, c->table->rows,
              count_values, &what, (size_t)a->edges + 1, out);
}

static void count_sizes(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    const shape_ask *a = what;
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        count_some(a, a->size + i, &weight, count, sum);
    }
}

static void add_size(const shape_ask *a, double *size, double value)
{
    double one = fabs(value);
    if (a->shape->length)
        *size += one * one;
    else if (one > *size)
        *size = one;
}

/* Of some rows, by a column that is not a list of which only entries count. */
static void size_rows(const curator *c, const shape_ask *a, int64_t j,
                      const kernel_column *x, int64_t from, int64_t to)
{
    double value[KERNEL_FEW];
    if (!x->index) {
        kernel_values v = dense_values(c, a, j, x, from, to - from);
        c->kernel->sizes(&v, a->shape->length, a->size + from);
        return;
    }
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = to - i < KERNEL_FEW ? to - i : KERNEL_FEW;
        values_of(c, a, j, i, count, value);
        for (int64_t k = 0; k < count; k++)
            add_size(a, &a->size[i + k], value[k]);
    }
}

static void size_entries(const curator *c, const shape_ask *a, int64_t j,
                         const kernel_column *x, int64_t from, int64_t to)
{
    double value[KERNEL_FEW];
    int64_t k = columns_entry(x, from), end = columns_entry(x, to);
    for (; k < end; k += KERNEL_FEW) {
        int64_t count = end - k < KERNEL_FEW ? end - k : KERNEL_FEW;
        entries_of(c, a, j, x, k, count, value);
        for (int64_t n = 0; n < count; n++)
            add_size(a, &a->size[x->index[k + n]], value[n]);
    }
}

/* Whether only entries count for the size of a row. */
static int sizes_of_entries(const curator *c, const shape_ask *a)
{
    int fine = c->table->sparse;
    for (int64_t j = 0; fine && a->shape->centre && j < c->table->features; j++)
        fine = a->shape->centre[j] == 0;
    return fine;
}

/* Then they are taken by rows, in the order of features too. */
static void find_entry_sizes(const curator *c, const void *what, int64_t from,
                             int64_t to, int64_t *sum)
{
    const shape_ask *a = what;
    const table_entries *e = &c->table->by_row;
    (void)sum;
    for (int64_t i = from; i < to; i++) {
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
            add_size(a, &a->size[i],
                     (double)((const float *)e->value)[k] /
                         a->shape->bound[e->index[k]]);
        if (a->shape->length)
            a->size[i] = sqrt(a->size[i]);
    }
}

/* The largest, or the length: squares are added in the order of features. */
static void find_sizes(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    const shape_ask *a = what;
    kernel_column x;
    (void)sum;
    for (int64_t i = from; i < to; i += SHAPE_ROWS) {
        int64_t end = i + SHAPE_ROWS < to ? i + SHAPE_ROWS : to;
        for (int64_t j = 0; j < c->table->features; j++)
            if (is_listed(c, a, j, &x))
                size_entries(c, a, j, &x, i, end);
            else
                size_rows(c, a, j, &x, i, end);
    }
    for (int64_t i = from; a->shape->length && i < to; i++)
        a->size[i] = sqrt(a->size[i]);
}

static void find_all_sizes(const curator *c, const shape_ask *a)
{
    rows_walk(c, NEEDS_COLUMNS, c->table->rows,
              sizes_of_entries(c, a) ? find_entry_sizes : find_sizes, a, 0,
              NULL);
}

void shape_sum_counts(curator *c, const void *what, int64_t *out)
{
    const shape_ask *a = what;
    if (a->shape->kind == ASK_COLUMN_COUNTS) {
        octaves_sum_counts(c, a, out);
        return;
    }
    memset(out, 0, (size_t)(a->edges + 1) * sizeof *out);
    if (shape_of_rows(a)) {
        find_all_sizes(c, a);
        rows_sum(c, c->table->rows, count_sizes, a, (size_t)a->edges + 1, out);
    } else {
        shape_count_values(c, a, 0, out);
    }
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
    double value[KERNEL_FEW];
    if (shape_of_rows(a))
        find_all_sizes(c, a);
    for (int64_t i = 0; i < c->table->rows; i += KERNEL_FEW) {
        int64_t left = c->table->rows - i;
        int64_t count = left < KERNEL_FEW ? left : KERNEL_FEW;
        if (!shape_of_rows(a))
            values_of(c, a, 0, i, count, value);
        for (int64_t k = 0; k < count; k++)
            add_sides(c, a, i + k,
                      fabs(shape_of_rows(a) ? a->size[i + k] : value[k]));
    }
}

/* All ranges but the last are above the last edge, and only the first is above
   the first edge. */
const int64_t *shape_score_sums(curator *c, const void *what)
{
    const shape_ask *a = what;
    int64_t sum = 0;
    (void)c;
    for (int64_t k = 0; k <= a->edges; k++)
        sum -= a->within[k];
    for (int64_t k = 0; k < a->edges; k++) {
        sum += a->above[k] + a->within[k];
        a->score[k] = sum < 0 ? sum : -sum;
    }
    return a->score;
}

/* Both sides of all ranges, one after the other. */
int64_t *shape_sum_sides(curator *c, const void *what)
{
    const shape_ask *a = what;
    add_all_sides(c, a);
    return a->above;
}

const int64_t *shape_score_edges(curator *c, const void *what)
{
    shape_sum_sides(c, what);
    return shape_score_sums(c, what);
}

/* ---- means ---- */

/* What values add: clipped to [-1, 1], or the square of that. */
static void clip_values(const shape_ask *a, double *value, int64_t count)
{
    int squares = a->shape->kind == ASK_COLUMN_SQUARES;
    for (int64_t k = 0; k < count; k++) {
        double u = value[k] < 1 ? value[k] : 1;
        u = u > -1 ? u : -1;
        value[k] = squares ? u * u : u;
    }
}

/* Of a column that is a list of entries. */
static int64_t mean_of_entries(const curator *c, const shape_ask *a, int64_t j,
                               const kernel_column *x)
{
    double value[KERNEL_FEW];
    int64_t sum = 0;
    for (int64_t k = 0; k < x->count; k += KERNEL_FEW) {
        int64_t left = x->count - k;
        int64_t count = left < KERNEL_FEW ? left : KERNEL_FEW;
        entries_of(c, a, j, x, k, count, value);
        clip_values(a, value, count);
        for (int64_t n = 0; n < count; n++)
            value[n] *= row_share(c, x->index[k + n]);
        sum += c->kernel->total(value, count);
    }
    return sum;
}

/* The shares of some rows; NULL: all are 1. */
static const double *shares_of(const curator *c, int64_t from, int64_t count,
                               double *share)
{
    for (int64_t k = 0; c->weight && k < count; k++)
        share[k] = row_share(c, from + k);
    return c->weight ? share : NULL;
}

/* Of some rows, whose shares these are. */
static int64_t mean_of_rows(const curator *c, const shape_ask *a, int64_t j,
                            const kernel_column *x, int64_t from, int64_t count,
                            const double *share)
{
    double value[KERNEL_FEW];
    int64_t sum = 0;
    if (!shape_of_target(a) && !x->index) {
        kernel_values v = dense_values(c, a, j, x, from, count);
        return c->kernel->mean(&v, a->shape->kind == ASK_COLUMN_SQUARES, share);
    }
    for (int64_t i = 0; i < count; i += KERNEL_FEW) {
        int64_t few = count - i < KERNEL_FEW ? count - i : KERNEL_FEW;
        values_of(c, a, j, from + i, few, value);
        clip_values(a, value, few);
        for (int64_t k = 0; share && k < few; k++)
            value[k] *= share[i + k];
        sum += c->kernel->total(value, few);
    }
    return sum;
}

static void add_means(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    const shape_ask *a = what;
    int64_t numbers = shape_of_target(a) ? 1 : shape_features(c, a);
    double room[SHAPE_ROWS];
    kernel_column x = {0};
    for (int64_t i = from; i < to; i += SHAPE_ROWS) {
        int64_t count = to - i < SHAPE_ROWS ? to - i : SHAPE_ROWS;
        const double *share = shares_of(c, i, count, room);
        for (int64_t j = 0; j < numbers; j++)
            if (!is_listed(c, a, j, &x))
                sum[j] += mean_of_rows(c, a, j, &x, i, count, share);
    }
}

void shape_sum_means(curator *c, const void *what, int64_t *out)
{
    const shape_ask *a = what;
    int64_t numbers = shape_of_target(a) ? 1 : shape_features(c, a);
    int64_t others = numbers;
    kernel_column x;
    for (int64_t j = 0; j < numbers; j++) {
        int listed = is_listed(c, a, j, &x);
        out[j] = listed ? mean_of_entries(c, a, j, &x) : 0;
        others -= listed;
    }
    if (others)
        rows_walk(c, shape_of_target(a) ? 0 : NEEDS_COLUMNS, c->table->rows,
                  add_means, a, (size_t)numbers, out);
}
