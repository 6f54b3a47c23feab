/*
 * Questions about slopes in the coordinates that frame.c keeps, and about the
 * loss: Lemma C17 of docs/privacy.
 *
 *   gradient  as gradient.c, with what is kept for x_i
 *   lengths   B (a_i/W) q,  B (a_i/W) q^2,  q = min(1, |s_i| sqrt(q_i) / most)
 *   counts    B a_i/W in the range that |s_i| sqrt(q_i) is in (Lemma C25)
 *   change    B (a_i/W) clip((l(m_i) - l(other)) / most)
 */
#include "internal.h"

#include <math.h>

/* ---- the gradient ---- */

/* t_i, or 0 if something is not finite, as in gradient.c. */
static double shorten(double slope, double square, double clip)
{
    double length = fabs(slope) * sqrt(square);
    double t = length > clip ? slope * (clip / length) : slope;
    t = t * (KERNEL_CLIP / clip) * (1 - 0x1p-30);
    return isfinite(t) && isfinite(length) ? t : 0;
}

static void find_some_slopes(const curator *c, const void *what, int64_t from,
                             int64_t to, int64_t *sum)
{
    kernel_rows part = c->rows;
    (void)what;
    (void)sum;
    part.margin += from;
    part.weight = part.weight ? part.weight + from : NULL;
    part.rows = part.padded = to - from;
    c->kernel->slopes(&part, c->slope + from);
    for (int64_t i = from; c->table->folded && i < to && i < c->table->rows;
         i++)
        if (c->table->y[i] < 0)
            c->slope[i] = -c->slope[i];
}

/* The slopes by the margin itself, not by y times it. */
static void find_slopes(curator *c)
{
    if (c->policy.classes) {
        classes_slopes(c);
        return;
    }
    curator_catch_up(c);
    choice_forget_sums(c);
    rows_sum(c, c->rows.padded, find_some_slopes, NULL, 0, NULL);
}

static void add_whitened(const curator *c, const void *what, int64_t from,
                         int64_t to, int64_t *sum)
{
    double clip = *(const double *)what, t[KERNEL_FEW];
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = to - i < KERNEL_FEW ? to - i : KERNEL_FEW;
        for (int64_t k = 0; k < count; k++)
            t[k] = shorten((double)c->slope[i + k], c->square[i + k], clip);
        c->kernel->cut(c->kept + i * c->width, c->width, t, count, sum);
    }
}

static void sum_whitened(curator *c, const void *what, int64_t *out)
{
    find_slopes(c);
    rows_sum(c, c->table->rows, add_whitened, what, (size_t)c->width, out);
}

/* Whether rows are kept, and the number is in the range that may be told. */
static sotto_status check_ask(const curator *c, double number, double *sd,
                              sotto_error *error)
{
    *sd = 0;
    if (c->kept && !c->with_target && is_moderate(number) && c->total > 0 &&
        (c->class_at || !c->policy.classes))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "expected a frame, and a number from 2^-100 to 2^100");
}

sotto_status curator_ask_whitened(curator *c, double clip, double *out,
                                  double *sd, sotto_error *error)
{
    sotto_status status = check_ask(c, clip, sd, error);
    if (status != SOTTO_OK)
        return status;
    size_t width = (size_t)c->width;
    int64_t *sum = mem_zeroed(width, sizeof *sum);
    gate_question q = {.kind = ASK_WHITENED,
                       .answers = width,
                       .sum = sum_whitened,
                       .what = &clip};
    status = sum ? gate_release(c, &q, sum, sd, error) : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < width; j++)
        out[j] = (double)sum[j] * (clip / KERNEL_CLIP) / c->total;
    *sd *= clip / KERNEL_CLIP / c->total;
    mem_free(sum);
    return status;
}

/* ---- lengths ---- */

static double length_of(const curator *c, int64_t i)
{
    return fabs((double)c->slope[i]) * sqrt(c->square[i]);
}

static void add_lengths(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    double most = *(const double *)what, q[KERNEL_FEW], q2[KERNEL_FEW];
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        for (int64_t k = 0; k < count; k++) {
            double length = length_of(c, i + k);
            double one = length == length ? fmin(length / most, 1) : 0;
            q[k] = one * weight.share[k];
            q2[k] = one * one * weight.share[k];
        }
        sum[0] += c->kernel->total(q, count);
        sum[1] += c->kernel->total(q2, count);
    }
}

static void sum_lengths(curator *c, const void *what, int64_t *out)
{
    find_slopes(c);
    out[0] = out[1] = 0;
    rows_sum(c, c->table->rows, add_lengths, what, 2, out);
}

sotto_status curator_ask_lengths(curator *c, double most, double out[2],
                                 double *sd, sotto_error *error)
{
    int64_t sum[2] = {0, 0};
    double unit = c->policy.weight_bound / KERNEL_CLIP / c->total;
    sotto_status status = check_ask(c, most, sd, error);
    if (status != SOTTO_OK)
        return status;
    gate_question q = {
        .kind = ASK_LENGTHS, .answers = 2, .sum = sum_lengths, .what = &most};
    status = gate_release(c, &q, sum, sd, error);
    out[0] = (double)sum[0] * unit;
    out[1] = (double)sum[1] * unit;
    *sd *= unit;
    return status;
}

/* ---- a histogram of lengths ---- */

typedef struct length_counts_ask {
    const double *edge;
    int64_t edges;
} length_counts_ask;

static void add_length_counts(const curator *c, const void *what, int64_t from,
                              int64_t to, int64_t *sum)
{
    const length_counts_ask *a = what;
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        for (int64_t k = 0; k < count; k++)
            sum[shape_range(a->edge, a->edges, length_of(c, i + k))] +=
                weight.integer[k];
    }
}

static void sum_length_counts(curator *c, const void *what, int64_t *out)
{
    const length_counts_ask *a = what;
    find_slopes(c);
    for (int64_t k = 0; k <= a->edges; k++)
        out[k] = 0;
    rows_sum(c, c->table->rows, add_length_counts, what, (size_t)a->edges + 1,
             out);
}

sotto_status curator_ask_length_counts(curator *c, const double *edge,
                                       int64_t edges, double *out, double *sd,
                                       sotto_error *error)
{
    int64_t sum[ASK_MOST_EDGES + 1] = {0};
    double unit = c->policy.weight_bound / KERNEL_CLIP;
    int fine = edges >= 1 && edges <= ASK_MOST_EDGES;
    for (int64_t k = 0; fine && k < edges; k++)
        fine = is_moderate(edge[k]) && (k == 0 || edge[k] < edge[k - 1]);
    sotto_status status = check_ask(c, fine ? 1 : 0, sd, error);
    if (status != SOTTO_OK)
        return status;
    length_counts_ask a = {edge, edges};
    gate_question q = {.kind = ASK_LENGTH_COUNTS,
                       .answers = (size_t)edges + 1,
                       .sum = sum_length_counts,
                       .what = &a};
    status = gate_release(c, &q, sum, sd, error);
    for (int64_t k = 0; status == SOTTO_OK && k <= edges; k++)
        out[k] = (double)sum[k] * unit;
    *sd *= unit;
    return status;
}

/* ---- the loss ---- */

typedef struct change_ask {
    double other, most;
} change_ask;

/* The loss of a margin of the kernel: y m for classes, m - y for a number. */
static double loss_of(const loss *l, double margin)
{
    return loss_portable_value(l, margin, loss_has_classes(l->kind) ? 1 : 0);
}

static void add_changes(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    const change_ask *a = what;
    int classes = loss_has_classes(c->policy.loss.kind);
    for (int64_t i = from; i < to; i++) {
        double y = c->table->y[i];
        double other = classes ? y * a->other : a->other - y;
        double change = loss_of(&c->policy.loss, (double)c->rows.margin[i]) -
                        loss_of(&c->policy.loss, other);
        double u = fmax(-1, fmin(1, change / a->most));
        *sum += integer_of(change == change ? u * row_share(c, i) : 0);
    }
}

static void sum_change(curator *c, const void *what, int64_t *out)
{
    curator_catch_up(c);
    *out = 0;
    rows_sum(c, c->table->rows, add_changes, what, 1, out);
}

sotto_status curator_ask_change(curator *c, double other, double most,
                                double *out, double *sd, sotto_error *error)
{
    int64_t sum = 0;
    double unit = most * c->policy.weight_bound / KERNEL_CLIP / c->total;
    change_ask a = {other, most};
    *sd = 0;
    if (!is_moderate(most) || !(fabs(other) <= 0x1p100) || !(c->total > 0))
        return error_set(error, SOTTO_USAGE,
                         "a change needs a bound from 2^-100 to 2^100");
    gate_question q = {
        .kind = ASK_CHANGE, .answers = 1, .sum = sum_change, .what = &a};
    sotto_status status = gate_release(c, &q, &sum, sd, error);
    *out = (double)sum * unit;
    *sd *= unit;
    return status;
}
