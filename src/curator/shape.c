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
 * shape_sums.c adds up what rows add.
 */
#include "shape.h"

#include <math.h>

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
    if (!shape_of_target(a)) /* no more draws are charged */
        fine &= numbers <= c->table->features;
    if (shape_of_rows(a) && a->shape->feature)
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
    int64_t features = shape_features(c, &a);
    int columns = what->kind == ASK_COLUMN_COUNTS;
    int64_t times = columns ? features : 1;
    size_t bytes = ((size_t)c->table->rows + 1) * sizeof *a.size;
    *sd = 0;
    sotto_status status = check_shape(
        c, &a, what->kind == ASK_TARGET_COUNTS ? 1 : features, error);
    if (status != SOTTO_OK)
        return status;
    if (shape_of_rows(&a))
        a.size = secret_take(bytes);
    gate_question q = {.kind = what->kind,
                       .answers = (size_t)(times * (edges + 1)),
                       .sum = shape_sum_counts,
                       .what = &a,
                       .features = columns ? features : 0};
    status = shape_of_rows(&a) && !a.size
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
        check_shape(c, &a, shape_of_rows(&a) ? c->table->features : 1, error);
    if (status != SOTTO_OK)
        return status;
    int64_t rows = c->table->rows, ranges = edges + 1;
    size_t bytes = (size_t)(3 * ranges + (shape_of_rows(&a) ? rows : 0)) * 8;
    a.score = secret_take(bytes);
    if (!a.score)
        return error_memory(error);
    a.above = a.score + ranges;
    a.within = a.above + ranges;
    a.size = (double *)(a.within + ranges);
    gate_contest q = {.kind = what->kind,
                      .count = (size_t)edges,
                      .stride = 1,
                      .scores = shape_score_edges,
                      .what = &a,
                      .sums = shape_sum_sides,
                      .sums_count = 2 * (size_t)ranges,
                      .scored = shape_score_sums};
    status = gate_choose(c, &q, out, error);
    secret_give(a.score, bytes);
    return status;
}

sotto_status curator_ask_means(curator *c, const ask_shape *what, double *out,
                               double *sd, sotto_error *error)
{
    shape_ask a = {.shape = what};
    int columns = what->kind != ASK_TARGET_MEAN;
    int64_t numbers = columns ? shape_features(c, &a) : 1;
    *sd = 0;
    sotto_status status = check_shape(c, &a, numbers, error);
    if (status != SOTTO_OK)
        return status;
    gate_question q = {.kind = what->kind,
                       .answers = (size_t)numbers,
                       .sum = shape_sum_means,
                       .what = &a,
                       .features = columns ? numbers : 0};
    return release(c, &q, c->policy.weight_bound / KERNEL_CLIP / c->total, out,
                   sd, error);
}
