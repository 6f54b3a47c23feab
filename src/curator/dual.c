/*
 * A dual step: Lemmas C2 and C5 of docs/privacy. Every row has a dual
 * variable, which is hidden here, starts at 0 and never leaves; the rows of
 * a batch move theirs, each by itself, and what is told is how far that
 * moves the shared vector v = sum of alpha_i x_i.
 *
 *   x    the row as it is stored (y x for two classes), times f, which makes
 *        it no longer than the declared norm: f = min(1, R / |x|)
 *   m    = x'w,  w = v / (lambda n0) being public
 *   b    = alpha / a,  a the row's weight
 *   k    = a |x|^2 L / (lambda n0),  L how many move at once, also public
 *   z    = a d, where d makes  l*(-b - d) + m d + k d^2 / 2  least
 *   z    is shortened so that |z x| <= C, and then alpha = alpha + z
 *   out  += z x, as integers: z x (B / C) (1 - 2^-30) cut towards 0
 *
 * No number of one row meets another's before the integers are added up,
 * and all rows of a batch see the same w.
 */
#include "internal.h"

#include <math.h>

/* ---- making ---- */

/* The row as the steps see it, made of this record and of public bounds. */
static dual_row make_row(const curator *c, int64_t i, double square)
{
    double norm = sqrt(square), bound = c->policy.norm_bound;
    double fits = bound > 0 && norm > bound ? bound / norm : 1;
    double weight = c->weight ? (double)c->weight[i] : 1;
    int counts = square > 0 && isfinite(square) && weight > 0 &&
                 isfinite(weight) && fits > 0;
    return (dual_row){.target = c->table->y[i],
                      .weight = counts ? weight : 0,
                      .norm = norm,
                      .fits = fits};
}

static void make_dense(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    int64_t features = c->table->features;
    (void)what;
    (void)sum;
    for (int64_t i = from; i < to; i++) {
        const float *x = c->gathered.all + i * features;
        double square = 0;
        for (int64_t j = 0; j < features; j++)
            square += (double)x[j] * (double)x[j];
        c->dual.row[i] = make_row(c, i, square);
    }
}

static void make_sparse(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    const table_entries *e = &c->table->by_row;
    const float *value = e->value;
    (void)what;
    (void)sum;
    for (int64_t i = from; i < to; i++) {
        double square = 0;
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
            square += (double)value[k] * (double)value[k];
        c->dual.row[i] = make_row(c, i, square);
    }
}

sotto_status dual_make(curator *c, sotto_error *error)
{
    const sotto_table *t = c->table;
    dual *d = &c->dual;
    if (t->sparse && !t->by_row.start)
        return error_set(error, SOTTO_USAGE,
                         "the table was not read with its rows");
    sotto_status status = gathered_make(c, 1, error);
    if (status != SOTTO_OK)
        return status;
    /* 64 bytes more, so that an empty table has an address, too */
    d->bytes = (size_t)t->rows * sizeof *d->row + 64;
    d->memory = secret_take(d->bytes);
    if (!d->memory)
        return error_memory(error);
    d->row = d->memory;
    rows_sum(c, t->rows, t->sparse ? make_sparse : make_dense, NULL, 0, NULL);
    return SOTTO_OK;
}

void dual_free(curator *c)
{
    secret_give(c->dual.memory, c->dual.bytes);
    c->dual = (dual){0};
}

/* ---- one row ---- */

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The d of the head of this file; k > 0. Where there is no closed form it is
   one Newton step for b + d = s(m + k d), where s is minus the slope of the
   loss. It ends between b and s(m), so within the bounds of the loss. */
static double dual_move(const loss *l, double target, double m, double b,
                        double k)
{
    double s;
    switch (l->kind) {
    case LOSS_SQUARED:
        return (target - m - b) / (1 + k);
    case LOSS_HUBER:
        return between(b + (target - m - b) / (1 + k), -l->delta, l->delta) - b;
    case LOSS_HINGE:
        return between(b + (1 - m) / k, 0, 1) - b;
    case LOSS_SMOOTH_HINGE:
        s = b + (1 - m + l->delta * (.5 - b)) / (l->delta + k);
        return between(s, 0, 1) - b;
    case LOSS_SQUARED_HINGE:
        return fmax(b + (1 - m - b / 2) / (.5 + k), 0) - b;
    case LOSS_LOGISTIC:
        s = loss_portable_sigmoid(m);
        return (s - b) / (1 + k * s * (1 - s));
    }
    return 0;
}

/* A question, and what all of its rows need of it. */
typedef struct dual_ask {
    const ask_dual *at;
    const loss *loss;
    double curvature; /* L / (lambda n0) */
    double grid;      /* (B / C) (1 - 2^-30) */
} dual_ask;

/* Moves the dual variable of a row. Returns the factor that makes integers of
   its values. */
static inline double dual_step(const dual_ask *a, dual_row *r, double dot)
{
    double x = r->norm * r->fits, weight = r->weight;
    double b = weight == 1 ? r->alpha : r->alpha / weight;
    double z = weight * dual_move(a->loss, r->target, dot * r->fits, b,
                                  weight * (x * x) * a->curvature);
    double length = fabs(z) * x;
    if (!isfinite(length))
        return 0;
    if (length > a->at->clip)
        z *= a->at->clip / length;
    r->alpha += z;
    return z * r->fits * a->grid;
}

/* ---- one row by itself ---- */

static void step_dense(const curator *c, const dual_ask *a, int64_t i,
                       int64_t *out)
{
    int64_t p = c->table->features;
    const float *x = c->gathered.all + i * p;
    const double *weight = a->at->weight;
    double dot = 0;
    for (int64_t j = 0; j < p; j++)
        dot += (double)x[j] * weight[j];
    double factor = dual_step(a, &c->dual.row[i], dot);
    for (int64_t j = 0; j < p; j++)
        out[j] += (int32_t)(factor * (double)x[j]);
}

static void step_sparse(const curator *c, const dual_ask *a, int64_t i,
                        int64_t *out)
{
    const table_entries *e = &c->table->by_row;
    const float *value = e->value;
    double dot = 0;
    for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
        dot += (double)value[k] * a->at->weight[e->index[k]];
    double factor = dual_step(a, &c->dual.row[i], dot);
    for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
        out[e->index[k]] += (int32_t)(factor * (double)value[k]);
}

static inline void step_row(const curator *c, const dual_ask *a, int64_t i,
                            int64_t *out)
{
    if (c->dual.row[i].weight == 0)
        return;
    if (c->table->sparse)
        step_sparse(c, a, i, out);
    else
        step_dense(c, a, i, out);
}

/* ---- all of a batch ---- */

/* Rows of a batch lie far apart: the processor is asked for some ahead. Inline,
   because compilers leave out a call that computes nothing. */
static inline __attribute__((always_inline)) void
fetch(const curator *c, const batch *b, int64_t k)
{
    enum { AHEAD = 32 };
    if (k + AHEAD < b->count) {
        const dual_row *row = &c->dual.row[b->row[k + AHEAD]];
        __builtin_prefetch(&row->alpha, 1);
        __builtin_prefetch(&row->fits, 1); /* may be on the next line */
    }
}

static void sum_sparse(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *out)
{
    for (int64_t k = from; k < to; k++) {
        fetch(c, &c->batch, k);
        step_row(c, what, c->batch.row[k], out);
    }
}

/* So few rows that they and their dual variables stay in the first cache. */
enum { DUAL_AT_ONCE = 64 };

/* Rows that count, side by side: the very steps of step_dense. */
static void step_some(const curator *c, const dual_ask *a, gathered_room *room,
                      const uint32_t *row, int64_t count, int64_t *out)
{
    double t[DUAL_AT_ONCE];
    kernel_gathered g = {room->x, count, c->table->features,
                         c->gathered.stride};
    gathered_turn(c, room, row, count);
    c->kernel->dots(&g, a->at->weight, t);
    for (int64_t k = 0; k < count; k++)
        t[k] = dual_step(a, &c->dual.row[row[k]], t[k]);
    c->kernel->cuts(&g, t, out);
}

static void sum_dense(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *out)
{
    uint32_t row[DUAL_AT_ONCE];
    gathered_room *room = gathered_take(c);
    for (int64_t k = from; k < to;) {
        int64_t count = 0;
        for (; k < to && count < DUAL_AT_ONCE; k++) {
            fetch(c, &c->batch, k);
            row[count] = c->batch.row[k];
            count += c->dual.row[row[count]].weight != 0;
        }
        step_some(c, what, room, row, count, out);
    }
    gathered_give(room);
}

/* Noise on the dual variables of a batch, as in Algorithm 1 of the paper. It is
   the rows' own randomness (Lemma C2) and hidden as they are, so it may have
   any law. */
static void draw_dual_noise(curator *c, const ask_dual *at, int64_t *out)
{
    for (int64_t from = 0; from < c->batch.count; from += 64) {
        int64_t left = c->batch.count - from;
        if (noise_gaussian(c->noise, at->dual_noise * KERNEL_CLIP, out + from,
                           (size_t)(left < 64 ? left : 64), NULL))
            return; /* the scale is out of bounds: no noise is fine, too */
    }
    if (c->tape)
        tape_hidden(c->tape, out, (size_t)c->batch.count);
}

static void add_dual_noise(curator *c, const ask_dual *at)
{
    const batch *b = &c->batch;
    size_t bytes = (size_t)(b->count + 1) * sizeof(int64_t);
    int64_t *noise = secret_take(bytes); /* zeros; NULL: none is fine, too */
    if (noise)
        draw_dual_noise(c, at, noise);
    for (int64_t k = 0; noise && k < b->count; k++)
        c->dual.row[b->row[k]].alpha +=
            (double)noise[k] * (at->clip / KERNEL_CLIP);
    secret_give(noise, bytes);
}

static dual_ask make_ask(const curator *c, const ask_dual *at)
{
    return (dual_ask){at, &c->policy.loss, at->at_once / at->l2,
                      KERNEL_CLIP / at->clip * (1 - 0x1p-30)};
}

static void sum_dual(curator *c, const void *what, int64_t *out)
{
    const ask_dual *at = what;
    const dual_ask a = make_ask(c, at);
    gathered_sum(c, c->table->sparse ? sum_sparse : sum_dense, &a,
                 (size_t)c->table->features, out);
    if (at->dual_noise > 0)
        add_dual_noise(c, at);
}

/* ---- one row after the other, for comparison ---- */

typedef struct sequence_ask {
    ask_dual at;        /* its weights are `here` */
    const double *from; /* the public point */
    double *here;       /* where the rows before have taken it */
} sequence_ask;

/* Applies the move of row i to the weights, in whole steps of the grid. */
static void follow(const curator *c, const sequence_ask *a, int64_t i,
                   const int64_t *out)
{
    double unit = a->at.clip / KERNEL_CLIP / (a->at.l2 * c->total);
    const table_entries *e = &c->table->by_row;
    if (!c->table->sparse)
        for (int64_t j = 0; j < c->table->features; j++)
            a->here[j] = a->from[j] + unit * (double)out[j];
    else
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
            a->here[e->index[k]] =
                a->from[e->index[k]] + unit * (double)out[e->index[k]];
}

static void sum_sequence(curator *c, const void *what, int64_t *out)
{
    const sequence_ask *s = what;
    const dual_ask a = make_ask(c, &s->at);
    const batch *b = &c->batch;
    for (int64_t k = 0; k < b->count; k++) {
        step_row(c, &a, b->row[k], out);
        follow(c, s, b->row[k], out);
    }
}

/* ---- asking ---- */

/* With these no product over- or underflows so far that it would matter. */
static sotto_status check_ask(const curator *c, const ask_dual *at,
                              sotto_error *error)
{
    int fine = is_moderate(at->clip) && is_moderate(at->l2) &&
               is_moderate(at->at_once) && c->table->features <= 1 << 20;
    ranks_note_number(c->ranks, at->clip);
    ranks_note(c->ranks, at->weight,
               (size_t)c->table->features * sizeof *at->weight);
    if (c->ranks && at->dual_noise > 0) /* the root has no noise for others */
        return plan_refuse_ranks(ASK_DUAL, error);
    for (int64_t j = 0; j < c->table->features; j++)
        fine &= fabs(at->weight[j]) <= 0x1p300;
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "a dual step needs a clip and an --l2 from 2^-100 to "
                         "2^100, weights below 2^300, and at most 2^20 "
                         "features");
    return SOTTO_OK;
}

sotto_status curator_ask_dual(curator *c, const ask_dual *at, int64_t *move,
                              double *unit, sotto_error *error)
{
    double noise = 0;
    size_t features = (size_t)c->table->features;
    for (size_t j = 0; j < features; j++)
        move[j] = 0;
    sotto_status status = check_ask(c, at, error);
    if (status != SOTTO_OK)
        return status;
    gate_question q = {
        .kind = ASK_DUAL, .answers = features, .sum = sum_dual, .what = at};
    *unit = at->clip / KERNEL_CLIP;
    status = gate_release(c, &q, move, &noise, error);
    c->answer_noise = noise * *unit;
    return status;
}

sotto_status curator_ask_sequence(curator *c, const ask_dual *at, int64_t *move,
                                  double *unit, sotto_error *error)
{
    double noise = 0;
    size_t features = (size_t)c->table->features;
    sequence_ask s = {.at = *at, .from = at->weight};
    for (size_t j = 0; j < features; j++)
        move[j] = 0;
    sotto_status status = check_ask(c, at, error);
    if (status != SOTTO_OK)
        return status;
    s.here = secret_take(features * sizeof *s.here);
    if (!s.here)
        return error_memory(error);
    for (size_t j = 0; j < features; j++)
        s.here[j] = at->weight[j];
    s.at.weight = s.here;
    gate_question q = {.kind = ASK_SEQUENCE,
                       .answers = features,
                       .sum = sum_sequence,
                       .what = &s};
    *unit = at->clip / KERNEL_CLIP;
    status = gate_release(c, &q, move, &noise, error);
    c->answer_noise = noise * *unit;
    secret_give(s.here, features * sizeof *s.here);
    return status;
}
