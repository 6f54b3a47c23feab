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

typedef struct whitened_ask {
    double clip;
    int32_t *part;
} whitened_ask;

/* t_i, or 0 if something is not finite, as in gradient.c. */
static double shorten(double slope, double square, double clip)
{
    double length = fabs(slope) * sqrt(square);
    double t = length > clip ? slope * (clip / length) : slope;
    t = t * (KERNEL_CLIP / clip) * (1 - 0x1p-30);
    return isfinite(t) && isfinite(length) ? t : 0;
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
    c->kernel->slopes(&c->rows, c->slope);
    for (int64_t i = 0; c->table->folded && i < c->table->rows; i++)
        if (c->table->y[i] < 0)
            c->slope[i] = -c->slope[i];
}

static void sum_whitened(curator *c, const void *what, int64_t *out)
{
    const whitened_ask *a = what;
    int64_t width = c->width;
    find_slopes(c);
    for (int64_t i = 0; i < c->table->rows; i++) {
        const float *row = c->kept + i * width;
        double t = shorten((double)c->slope[i], c->square[i], a->clip);
        for (int64_t j = 0; j < width; j++)
            a->part[j] += (int32_t)(t * (double)row[j]);
        if (i % FRAME_BLOCK == FRAME_BLOCK - 1 || i + 1 == c->table->rows)
            for (int64_t j = 0; j < width; j++) {
                out[j] += a->part[j];
                a->part[j] = 0;
            }
    }
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
    whitened_ask a = {clip, mem_zeroed(width, sizeof *a.part)};
    int64_t *sum = mem_zeroed(width, sizeof *sum);
    gate_question q = {.kind = ASK_WHITENED,
                       .answers = width,
                       .sum = sum_whitened,
                       .what = &a};
    status = a.part && sum ? gate_release(c, &q, sum, sd, error)
                           : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < width; j++)
        out[j] = (double)sum[j] * (clip / KERNEL_CLIP) / c->total;
    *sd *= clip / KERNEL_CLIP / c->total;
    mem_free(a.part);
    mem_free(sum);
    return status;
}

/* ---- lengths ---- */

static void sum_lengths(curator *c, const void *what, int64_t *out)
{
    double most = *(const double *)what;
    find_slopes(c);
    out[0] = out[1] = 0;
    for (int64_t i = 0; i < c->table->rows; i++) {
        double share = row_share(c, i);
        double length = fabs((double)c->slope[i]) * sqrt(c->square[i]);
        double q = fmin(length / most, 1);
        q = length == length ? q : 0;
        out[0] += integer_of(q * share);
        out[1] += integer_of(q * q * share);
    }
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

static void sum_length_counts(curator *c, const void *what, int64_t *out)
{
    const length_counts_ask *a = what;
    find_slopes(c);
    for (int64_t k = 0; k <= a->edges; k++)
        out[k] = 0;
    for (int64_t i = 0; i < c->table->rows; i++) {
        double length = fabs((double)c->slope[i]) * sqrt(c->square[i]);
        out[shape_range(a->edge, a->edges, length)] +=
            integer_of(row_share(c, i));
    }
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

static void sum_change(curator *c, const void *what, int64_t *out)
{
    const change_ask *a = what;
    int classes = loss_has_classes(c->policy.loss.kind);
    curator_catch_up(c);
    *out = 0;
    for (int64_t i = 0; i < c->table->rows; i++) {
        double y = c->table->y[i];
        double other = classes ? y * a->other : a->other - y;
        double change = loss_of(&c->policy.loss, (double)c->rows.margin[i]) -
                        loss_of(&c->policy.loss, other);
        double u = fmax(-1, fmin(1, change / a->most));
        *out += integer_of(change == change ? u * row_share(c, i) : 0);
    }
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
