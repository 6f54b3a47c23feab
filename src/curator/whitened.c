/*
 * Questions about slopes in the coordinates that frame.c keeps, and about the
 * loss: Lemma C17 of docs/privacy.
 *
 *   gradient  as gradient.c, with what is kept for x_i
 *   lengths   B (a_i/W) q,  B (a_i/W) q^2,  q = min(1, |s_i| |z_i| / most)
 *   counts    B a_i/W in the range that |s_i| |z_i| is in (Lemma C25)
 *   change    B (a_i/W) clip((l(m_i) - l(other)) / most)
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* ---- the gradient ---- */

static void add_whitened(const curator *c, const void *what, int64_t from,
                         int64_t to, int64_t *sum)
{
    kernel_kept k = frame_kept(c);
    c->kernel->kept_gradient(&c->rows, &k, *(const float *)what, from, to, sum);
}

static void sum_whitened(curator *c, const void *what, int64_t *out)
{
    frame_pass(c, add_whitened, what, (size_t)c->width, out);
    c->at_point = 1;
}

/* Whether there is a point, and the number is in the range that may be told. */
static sotto_status check_ask(const curator *c, double number, double *sd,
                              sotto_error *error)
{
    *sd = 0;
    if ((c->point || c->class_at) && is_moderate(number) && c->total > 0)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "expected a frame, a point in it, and a number from "
                     "2^-100 to 2^100");
}

/* The factor is rounded, and sums are in its units. */
sotto_status curator_ask_whitened(curator *c, double clip, double *out,
                                  double *sd, sotto_error *error)
{
    sotto_status status = check_ask(c, c->point ? clip : 0, sd, error);
    if (status != SOTTO_OK)
        return status;
    float factor = frame_quotient(KERNEL_CLIP, clip);
    ranks_note_number(c->ranks, clip);
    size_t width = (size_t)c->width;
    int64_t *sum = mem_zeroed(width, sizeof *sum);
    gate_question q = {.kind = ASK_WHITENED,
                       .answers = width,
                       .sum = sum_whitened,
                       .what = &factor};
    status = sum ? gate_release(c, &q, sum, sd, error) : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < width; j++)
        out[j] = (double)sum[j] / (double)factor / c->total;
    *sd /= (double)factor * c->total;
    mem_free(sum);
    return status;
}

/* ---- lengths ---- */

/* The lengths of a few rows' gradients. */
static void find_lengths(const curator *c, int64_t from, double *out)
{
    float slope[KERNEL_FEW];
    kernel_rows part = c->rows;
    part.margin += from;
    part.weight = part.weight ? part.weight + from : NULL;
    part.padded = KERNEL_FEW;
    if (c->policy.classes)
        memcpy(slope, c->slope + from, sizeof slope);
    else
        c->kernel->slopes(&part, slope);
    for (int64_t k = 0; k < KERNEL_FEW; k++)
        out[k] = fabs((double)slope[k]) * (double)c->length[from + k];
}

static double at_most_one(double x)
{
    return x < 1 ? x : 1;
}

static void add_lengths(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    double most = *(const double *)what, q[KERNEL_FEW], q2[KERNEL_FEW];
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        find_lengths(c, i, q);
        for (int64_t k = 0; k < count; k++) {
            double one = q[k] == q[k] ? at_most_one(q[k] / most) : 0;
            q[k] = one * weight.share[k];
            q2[k] = one * one * weight.share[k];
        }
        sum[0] += c->kernel->total(q, count);
        sum[1] += c->kernel->total(q2, count);
    }
}

/* Margins of the point, or the lengths of all classes' slopes. */
static void find_slopes(curator *c)
{
    if (c->policy.classes)
        classes_slopes(c);
    else
        frame_margins(c);
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
    double length[KERNEL_FEW];
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        find_lengths(c, i, length);
        for (int64_t k = 0; k < count; k++)
            sum[shape_range(a->edge, a->edges, length[k])] += weight.integer[k];
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
    double of_one, of_other; /* of two classes: the loss of `other` in each */
} change_ask;

/* The loss of a margin of the kernel: y m for classes, m - y for a number. */
static double loss_of(const loss *l, double margin)
{
    return loss_portable_value(l, margin, loss_has_classes(l->kind) ? 1 : 0);
}

/* Of a few rows. The kernel's are the same, bit by bit. */
static void few_losses(const curator *c, int64_t from, int64_t count,
                       double *out)
{
    const loss *l = &c->policy.loss;
    const float *margin = c->rows.margin + from;
    if (l->kind == LOSS_LOGISTIC)
        c->kernel->logistic(margin, KERNEL_FEW, out);
    else
        for (int64_t k = 0; k < count; k++)
            out[k] = loss_of(l, (double)margin[k]);
}

static void add_changes(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    const change_ask *a = what;
    const loss *l = &c->policy.loss;
    double change[KERNEL_FEW];
    rows_weight weight;
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = rows_few(c, i, to, &weight);
        few_losses(c, i, count, change);
        for (int64_t k = 0; k < count; k++) {
            double y = c->table->y[i + k];
            double other = !loss_has_classes(l->kind) ? loss_of(l, a->other - y)
                           : y > 0                    ? a->of_one
                                                      : a->of_other;
            double u = (change[k] - other) / a->most;
            u = u > -1 ? (u < 1 ? u : 1) : u == u ? -1 : 0;
            change[k] = u * weight.share[k];
        }
        *sum += c->kernel->total(change, count);
    }
}

/* At the point, if one was told; else at the iterate. */
static void sum_change(curator *c, const void *what, int64_t *out)
{
    if (c->point)
        frame_margins(c);
    else
        curator_catch_up(c);
    *out = 0;
    rows_sum(c, c->table->rows, add_changes, what, 1, out);
}

sotto_status curator_ask_change(curator *c, double other, double most,
                                double *out, double *sd, sotto_error *error)
{
    int64_t sum = 0;
    double unit = most * c->policy.weight_bound / KERNEL_CLIP / c->total;
    const loss *l = &c->policy.loss;
    change_ask a = {other, most, loss_of(l, other), loss_of(l, -other)};
    *sd = 0;
    if (!is_moderate(most) || !(fabs(other) <= 0x1p100) || !(c->total > 0) ||
        (c->kept && !c->point))
        return error_set(error, SOTTO_USAGE,
                         "a change needs a bound from 2^-100 to 2^100, and a "
                         "point where there is a frame");
    gate_question q = {
        .kind = ASK_CHANGE, .answers = 1, .sum = sum_change, .what = &a};
    sotto_status status = gate_release(c, &q, &sum, sd, error);
    *out = (double)sum * unit;
    *sd *= unit;
    return status;
}
