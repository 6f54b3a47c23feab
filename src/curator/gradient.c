/*
 * The whole gradient, of all rows or of a batch. The gradient of each record is
 * shortened to one length: Lemma K3 of docs/privacy. The kernel makes the
 * integers, and this file says what they mean.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

typedef struct gradient_ask {
    ask_kind kind;
    float factor;
    const double *scale;
    double *out; /* of a question without clip */
} gradient_ask;

static int64_t coordinates_of(const curator *c)
{
    return c->table->features + c->policy.intercept;
}

kernel_ball gradient_ball(const curator *c)
{
    const table_entries *rows = &c->table->by_row;
    kernel_ball b = {.columns = coordinates_of(c),
                     .scale = c->scale,
                     .reach = c->reach,
                     .origin = c->origin,
                     .at = c->margins_stale ? c->at : NULL};
    if (!c->table->sparse) {
        b.value = c->value;
        return b;
    }
    b.start = rows->start;
    b.index = rows->index;
    b.entry = rows->value;
    b.ones = c->policy.intercept ? c->ones : NULL;
    return b;
}

static void reach_part(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    (void)sum;
    kernel_reach(&c->rows, what, from, to, c->reach);
}

/* Sets the largest factor of each record. It stays the same until the scales
   change, which are public. */
static void gradient_scale(curator *c, const double *scale)
{
    int64_t count = coordinates_of(c);
    int same = 1;
    for (int64_t j = 0; j < count; j++) {
        same &= c->scale[j] == (float)scale[j];
        c->scale[j] = (float)scale[j];
    }
    if (same)
        return;
    kernel_ball ball = gradient_ball(c);
    rows_walk(c, NEEDS_COLUMNS, c->rows.padded, reach_part, &ball, 0, NULL);
}

static void gradient_part(const curator *c, const void *what, int64_t from,
                          int64_t to, int64_t *sum)
{
    c->kernel->gradient(&c->rows, what, from, to, sum);
}

static void sum_gradient(curator *c, const void *what, int64_t *out)
{
    const gradient_ask *a = what;
    if (c->pending_by != 0)
        curator_catch_up(c);
    gradient_scale(c, a->scale);
    kernel_ball ball = gradient_ball(c);
    ball.factor = a->factor;
    rows_walk(c, NEEDS_COLUMNS, c->rows.padded, gradient_part, &ball,
              (size_t)coordinates_of(c), out);
    c->margins_stale = 0;
}

static void sum_batch(curator *c, const void *what, int64_t *out)
{
    const gradient_ask *a = what;
    gradient_scale(c, a->scale);
    sampled_sum(c, a->kind == ASK_DIFFERENCE ? c->anchor : NULL, a->factor,
                out);
}

/* The same without clip and grid, in doubles, row after row. */
static double sum_unclipped(curator *c, const void *what)
{
    const gradient_ask *a = what;
    curator_catch_up(c);
    c->kernel->slopes(&c->rows, c->slope);
    for (int64_t j = 0; j < coordinates_of(c); j++) {
        kernel_column x = columns_get(c, j);
        int64_t count = x.index ? x.count : c->table->rows;
        double sum = 0;
        for (int64_t k = 0; k < count; k++) {
            int64_t i = x.index ? (int64_t)x.index[k] : k;
            sum += (double)c->slope[i] * (double)x.value[k];
        }
        a->out[j] = sum * a->scale[j];
    }
    return 0;
}

static sotto_status gradient_check(const curator *c, double clip,
                                   const double *scale, sotto_error *error)
{
    int64_t coordinates = coordinates_of(c);
    int fine = (is_moderate(clip) || isinf(clip)) && coordinates <= 1 << 20;
    for (int64_t j = 0; j < coordinates; j++)
        fine &= is_moderate(scale[j]);
    return fine ? SOTTO_OK
                : error_set(error, SOTTO_USAGE,
                            "a gradient needs a clip and scales from 2^-100 to "
                            "2^100, and at most 2^20 coordinates");
}

static sotto_status gradient_unclipped(curator *c, const gradient_ask *a,
                                       sotto_error *error)
{
    double none;
    c->answer_noise = 0;
    sotto_status status =
        gate_release_unclipped(c, a->kind, sum_unclipped, a, &none, error);
    for (int64_t j = 0; j < coordinates_of(c); j++)
        a->out[j] = status == SOTTO_OK ? a->out[j] / c->total : 0;
    return status;
}

/* The factor is rounded, and sums are in its units: so answers are divided by
   the rounded factor. */
static sotto_status gradient_clipped(curator *c, const gradient_ask *a,
                                     sotto_error *error)
{
    int64_t count = coordinates_of(c);
    int64_t *sum = mem_zeroed((size_t)count, sizeof *sum);
    double noise = 0;
    if (!sum)
        return error_memory(error);
    gate_question q = {.kind = a->kind,
                       .answers = (size_t)count,
                       .sum =
                           a->kind == ASK_GRADIENT ? sum_gradient : sum_batch,
                       .what = a};
    sotto_status status = gate_release(c, &q, sum, &noise, error);
    for (int64_t j = 0; j < count; j++)
        a->out[j] = status == SOTTO_OK
                        ? (double)sum[j] / (double)a->factor / c->total
                        : 0;
    c->answer_noise = noise / (double)a->factor / c->total;
    mem_free(sum);
    return status;
}

static sotto_status gradient_ask_for(curator *c, ask_kind kind, double clip,
                                     const double *scale, double *out,
                                     sotto_error *error)
{
    gradient_ask a = {kind, (float)(KERNEL_CLIP / clip), scale, out};
    sotto_status status = gradient_check(c, clip, scale, error);
    if (status == SOTTO_OK && isinf(clip) && c->windows)
        status = error_set(error, SOTTO_USAGE,
                           "--clip inf: the rows must be in memory; leave out "
                           "--memory");
    if (status != SOTTO_OK)
        return status;
    ranks_note_number(c->ranks, clip);
    ranks_note(c->ranks, scale, (size_t)coordinates_of(c) * sizeof *scale);
    return isinf(clip) ? gradient_unclipped(c, &a, error)
                       : gradient_clipped(c, &a, error);
}

sotto_status curator_ask_gradient(curator *c, double clip, const double *scale,
                                  double *out, sotto_error *error)
{
    return gradient_ask_for(c, ASK_GRADIENT, clip, scale, out, error);
}

sotto_status curator_ask_batch(curator *c, double clip, const double *scale,
                               double *out, sotto_error *error)
{
    if (isinf(clip))
        return error_set(error, SOTTO_USAGE,
                         "--clip: batches need a finite one");
    return gradient_ask_for(c, ASK_BATCH, clip, scale, out, error);
}

sotto_status curator_tell_anchor(curator *c, sotto_error *error)
{
    size_t count = (size_t)coordinates_of(c) + 1;
    if (!c->anchor)
        c->anchor = mem_zeroed(count, sizeof *c->anchor);
    if (!c->anchor)
        return error_memory(error);
    memcpy(c->anchor, c->at, (count - 1) * sizeof *c->anchor);
    return SOTTO_OK;
}

sotto_status curator_ask_difference(curator *c, double clip,
                                    const double *scale, double *out,
                                    sotto_error *error)
{
    if (isinf(clip) || !c->anchor)
        return error_set(error, SOTTO_USAGE,
                         "differences need a finite clip and an anchor");
    return gradient_ask_for(c, ASK_DIFFERENCE, clip, scale, out, error);
}
