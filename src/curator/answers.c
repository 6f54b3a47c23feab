/*
 * The plain questions: which integer each record adds, and what the sum means
 * in the units of the loss. Every sum goes through the gate.
 */
#include "internal.h"

#include <assert.h>
#include <math.h>

/* ---- how many ---- */

/* A row adds its weight, as a share of the largest possible one. */
static void sum_total(curator *c, const void *what, int64_t *out)
{
    float unit = (float)(KERNEL_CLIP / c->policy.weight_bound);
    (void)what;
    *out = 0;
    for (int64_t i = 0; i < c->table->rows; i++)
        *out += kernel_integer((c->weight ? c->weight[i] : 1) * unit);
}

sotto_status curator_ask_total(curator *c, double *out, sotto_error *error)
{
    int64_t sum = 0;
    double noise, unit = c->policy.weight_bound / KERNEL_CLIP;
    gate_question q = {.kind = ASK_TOTAL, .answers = 1, .sum = sum_total};
    sotto_status status = gate_release(c, &q, &sum, &noise, error);
    if (status != SOTTO_OK)
        return status;
    /* answers count by their precision */
    double precision = noise > 0 ? 1 / (noise * noise) : 1;
    c->total_precision += precision;
    c->total_mean +=
        ((double)sum - c->total_mean) * (precision / c->total_precision);
    /* At least the sd of the noise, and one row: no noise makes an error. */
    if (c->total_precision > precision && noise > 0)
        noise = 1 / sqrt(c->total_precision);
    *out = fmax(fmax(c->total_mean, noise) * unit, 1);
    c->total = *out;
    return SOTTO_OK;
}

/* ---- mean squares ---- */

/* A row adds a_i x_ij^2 as a share of its largest value, 0 to KERNEL_CLIP. */
static void sum_squares(curator *c, const void *what, int64_t *out)
{
    const double *bound = what;
    float unit = (float)(KERNEL_CLIP / c->policy.weight_bound);
    for (int64_t j = 0; j < c->table->features; j++) {
        kernel_column x = columns_get(c, j);
        int64_t count = x.index ? x.count : c->table->rows;
        float inverse = (float)(1 / bound[j]);
        out[j] = 0;
        for (int64_t k = 0; k < count; k++) {
            int64_t i = x.index ? (int64_t)x.index[k] : k;
            float part = x.value[k] * inverse;
            float weight = c->weight ? c->weight[i] : 1;
            out[j] += kernel_integer((part * part) * (weight * unit));
        }
    }
}

sotto_status curator_ask_moments(curator *c, const double *bound, double *out,
                                 sotto_error *error)
{
    int64_t p = c->table->features;
    int64_t *sum = mem_zeroed((size_t)p, sizeof *sum);
    double noise;
    if (!sum)
        return error_memory(error);
    gate_question q = {.kind = ASK_MOMENTS,
                       .answers = (size_t)p,
                       .sum = sum_squares,
                       .what = bound};
    sotto_status status = gate_release(c, &q, sum, &noise, error);
    for (int64_t j = 0; status == SOTTO_OK && j < p; j++)
        out[j] = fmax((double)sum[j], fmax(noise, 1)) / KERNEL_CLIP *
                 c->policy.weight_bound * bound[j] * bound[j] / c->total;
    mem_free(sum);
    return status;
}

/* ---- a partial derivative ---- */

static void sum_partial(curator *c, const void *what, int64_t *out)
{
    int64_t j = *(const int64_t *)what;
    kernel_column asked = columns_get(c, j), moved;
    const kernel_column *move = NULL;
    if (c->margins_stale)
        curator_catch_up(c);
    if (c->pending_by != 0) {
        moved = columns_get(c, c->pending);
        move = &moved;
    }
    *out = kernel_pool_step(c->pool, c->kernel, &c->rows, move, c->pending_by,
                            &asked, c->factor[j]);
    c->pending_by = 0;
}

/* The same without clip and grid, in doubles, row after row. */
static double sum_unclipped(curator *c, const void *what)
{
    kernel_column x = columns_get(c, *(const int64_t *)what);
    int64_t count = x.index ? x.count : c->table->rows;
    double sum = 0;
    curator_catch_up(c);
    c->kernel->slopes(&c->rows, c->slope);
    for (int64_t k = 0; k < count; k++) {
        int64_t i = x.index ? (int64_t)x.index[k] : k;
        sum += (double)c->slope[i] * (double)x.value[k];
    }
    return sum;
}

sotto_status curator_ask_partial(curator *c, int64_t j, double *out,
                                 sotto_error *error)
{
    int64_t sum = 0;
    double noise = 0;
    assert(j >= 0 && j < c->table->features + c->policy.intercept);
    assert(c->clips_told && c->total > 0);
    if (c->factor[j] == 0) { /* an infinite clip */
        sotto_status status = gate_release_unclipped(
            c, ASK_PARTIAL, sum_unclipped, &j, out, error);
        c->answer_noise = 0;
        *out = status == SOTTO_OK ? *out / c->total : 0;
        return status;
    }
    gate_question q = {
        .kind = ASK_PARTIAL, .answers = 1, .sum = sum_partial, .what = &j};
    sotto_status status = gate_release(c, &q, &sum, &noise, error);
    double clip = KERNEL_CLIP / (double)c->factor[j];
    *out = (double)sum * (clip / KERNEL_CLIP) / c->total;
    c->answer_noise = noise * (clip / KERNEL_CLIP) / c->total;
    return status;
}

/* ---- telling ---- */

sotto_status curator_tell_clips(curator *c, const double *clip,
                                sotto_error *error)
{
    int64_t count = c->table->features + c->policy.intercept;
    choice_free(c); /* their sums are in units of the old clips */
    ranks_note(c->ranks, clip, (size_t)count * sizeof *clip);
    for (int64_t j = 0; j < count; j++) {
        float factor = (float)(KERNEL_CLIP / clip[j]);
        c->factor[j] = 0;
        if (isinf(clip[j]) && clip[j] > 0)
            continue; /* the gate refuses this unless the run is NOT PRIVATE */
        if (!(clip[j] > 0) || !isnormal(factor))
            return error_set(error, SOTTO_USAGE,
                             "--clip: expected thresholds that a float can "
                             "hold, above 0");
        /* The factor is rounded. In its units a record adds at most one
           clip, so answers are divided by the rounded factor, too. */
        c->factor[j] = factor;
    }
    c->clips_told = 1;
    return SOTTO_OK;
}

static void move_part(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    (void)sum;
    c->kernel->move(&c->rows, what, from, to);
}

/* Carries out the move that waits. Two moves at once would be rounded
   differently. If the whole iterate was told, margins are made anew. */
void curator_catch_up(curator *c)
{
    if (c->kept) /* margins are those of a point */
        return;
    kernel_mode before = kernel_enter();
    if (c->margins_stale) {
        kernel_ball ball = gradient_ball(c);
        rows_walk(c, NEEDS_COLUMNS, c->rows.padded, move_part, &ball, 0, NULL);
        c->margins_stale = 0;
    }
    if (c->pending_by != 0) {
        kernel_column moved = columns_get(c, c->pending);
        if (c->windows && c->pending < c->table->features)
            windows_refuse(c);
        else
            kernel_pool_step(c->pool, c->kernel, &c->rows, &moved,
                             c->pending_by, NULL, 0);
        c->pending_by = 0;
    }
    kernel_leave(before);
}

double curator_tell(curator *c, int64_t j, double d)
{
    float by = (float)d;
    if (!isfinite(by) || by == 0 || c->kept)
        return 0;
    ranks_note(c->ranks, &j, sizeof j);
    ranks_note_number(c->ranks, d);
    if (c->choice) {
        d = (double)by;
        choice_move(c, &j, &d, 1);
        return d;
    }
    curator_catch_up(c);
    c->pending = j;
    c->pending_by = by;
    c->at[j] += by;
    return (double)by;
}

void curator_tell_some(curator *c, const int64_t *j, double *d, int64_t count)
{
    for (int64_t n = 0; n < count; n++) {
        float by = (float)d[n];
        if (!c->choice)
            d[n] = curator_tell(c, j[n], d[n]);
        else
            d[n] = isfinite(by) ? (double)by : 0;
    }
    if (!c->choice)
        return;
    ranks_note(c->ranks, j, (size_t)count * sizeof *j);
    ranks_note(c->ranks, d, (size_t)count * sizeof *d);
    choice_move(c, j, d, count);
}

void curator_tell_all(curator *c, const double *w)
{
    if (c->kept)
        return;
    choice_free(c); /* their sums belong to the old iterate */
    int64_t count = c->table->features + c->policy.intercept;
    ranks_note(c->ranks, w, (size_t)count * sizeof *w);
    for (int64_t j = 0; j < count; j++) {
        float at = (float)w[j];
        c->at[j] = isfinite(at) ? at : 0;
    }
    c->margins_stale = 1;
    c->pending_by = 0;
}
