/*
 * Sketches of columns, and which column points along a sketched vector: what a
 * party is asked that holds some columns of everybody's rows.
 *
 * The integers of a column are made once. Sketches and scores are sums of them
 * (docs/privacy/federate.md). To a sketch a row adds its integer, with a
 * sign, in one bucket. To a score it adds its integer times a told one, both up
 * to ASK_UNIT.
 */
#include "internal.h"

#include <math.h>

/* With so many rows scores stay within 2^63: 2^15 2^15 2^32. */
#define SKETCH_MOST_ROWS ((int64_t)1 << 32)

/* ---- where a row goes: public ---- */

/* SplitMix64's output for state x: every bit of x moves every bit of it. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

ask_place ask_place_of(uint64_t seed, int64_t row, int64_t buckets)
{
    uint64_t word =
        mixed(mixed(seed) + ((uint64_t)row + 1) * 0x9e3779b97f4a7c15u);
    /* 32 bits for the bucket, another one for the sign */
    return (ask_place){(int64_t)((word >> 32) * (uint64_t)buckets >> 32),
                       word & 1 ? -1 : 1};
}

/* ---- integers ---- */

/* x in units of its bound: rint(clip(x)), 0 for NaN. */
static int16_t unit_integer(double x)
{
    double v = x * ASK_UNIT;
    if (v != v)
        return 0;
    return (int16_t)rint(fmin(fmax(v, -ASK_UNIT), ASK_UNIT));
}

static void fill_column(curator *c, int64_t j)
{
    sketches *s = &c->sketches;
    int64_t rows = c->table->rows, constant = j == c->table->features;
    if (!constant)
        table_stored(c->table, j, s->value);
    for (int64_t i = 0; i < rows; i++)
        s->column[j * s->stride + i] =
            unit_integer(constant ? c->policy.constant : s->value[i]);
}

static void fill_all(curator *c)
{
    sketches *s = &c->sketches;
    for (int64_t j = 0; j < s->columns; j++)
        fill_column(c, j);
    for (int64_t i = 0; i < c->table->rows; i++) {
        ask_place p = ask_place_of(c->policy.sketch_seed, i, c->policy.buckets);
        s->place[i] = 2 * p.bucket + (p.sign < 0);
        if (!c->table->y)
            continue;
        s->label[i] = unit_integer(c->table->y[i]);
        s->target[i] = fmin(fmax(c->table->y[i], -1), 1);
    }
}

/* ---- life ---- */

sotto_status sketch_check(const sotto_table *t, const curator_policy *policy,
                          const ask_plan *plan, sotto_error *error)
{
    int labels = policy->labels_known || ask_planned(plan, ASK_LABELS) > 0;
    if (policy->adjacency == ACCOUNT_ADD_REMOVE || policy->has_people ||
        policy->rows_per_person != 1 || t->drops_rows || t->unit || t->weight ||
        t->levels.columns)
        return error_set(error, SOTTO_PRIVACY,
                         "sketches go by a row's place, which another row's "
                         "absence changes: expected --adjacency zero-out, one "
                         "row per person, and neither weights, private levels "
                         "nor --bad-rows drop");
    if ((labels && !t->y) || t->classes || t->folded)
        return error_set(error, SOTTO_USAGE,
                         "the table has no target that is a number");
    if (t->rows > SKETCH_MOST_ROWS || policy->buckets >= (int64_t)1 << 31)
        return error_set(error, SOTTO_DATA, "too many rows or buckets");
    if ((double)t->rows != policy->rows)
        return error_set(error, SOTTO_DATA,
                         "the table has another number of rows than was "
                         "agreed upon");
    return SOTTO_OK;
}

static int take_memory(curator *c)
{
    sketches *s = &c->sketches;
    s->columns = c->table->features + (c->policy.constant != 0);
    s->stride =
        (c->table->rows + 63) / 64 * 64 + 64; /* so that it is never empty */
    size_t rows = (size_t)s->stride;
    /* doubles first, so that all are aligned */
    s->bytes = rows * (2 * sizeof(double) +
                       ((size_t)s->columns + 2) * sizeof(int16_t));
    s->memory = secret_take(s->bytes);
    s->score_bytes = (size_t)(2 * s->columns + 1) * sizeof *s->score;
    s->score = secret_take(s->score_bytes);
    s->place = mem_zeroed(rows, sizeof *s->place);
    if (!s->memory || !s->score || !s->place)
        return 0;
    s->value = s->memory;
    s->target = s->value + rows;
    s->label = (int16_t *)(s->target + rows);
    s->along = s->label + rows;
    s->column = s->along + rows;
    return 1;
}

sotto_status sketch_make(curator *c, sotto_error *error)
{
    if (!take_memory(c))
        return error_memory(error);
    kernel_mode before = kernel_enter();
    fill_all(c);
    kernel_leave(before);
    return SOTTO_OK;
}

void sketch_free(curator *c)
{
    sketches *s = &c->sketches;
    secret_give(s->memory, s->bytes);
    secret_give(s->score, s->score_bytes);
    mem_free(s->place);
    *s = (sketches){0};
}

/* ---- sketches ---- */

static void sum_sketch(curator *c, const void *what, int64_t *out)
{
    const int16_t *column = what;
    const int64_t *place = c->sketches.place;
    for (int64_t b = 0; b < c->policy.buckets; b++)
        out[b] = 0;
    for (int64_t i = 0; i < c->table->rows; i++)
        out[place[i] >> 1] += place[i] & 1 ? -column[i] : column[i];
}

static sotto_status release_sketch(curator *c, ask_kind kind,
                                   const int16_t *column, int64_t *out,
                                   sotto_error *error)
{
    double noise;
    gate_question q = {.kind = kind,
                       .answers = (size_t)c->policy.buckets,
                       .sum = sum_sketch,
                       .what = column};
    return gate_release(c, &q, out, &noise, error);
}

sotto_status curator_ask_labels(curator *c, int64_t *out, sotto_error *error)
{
    return release_sketch(c, ASK_LABELS, c->sketches.label, out, error);
}

sotto_status curator_ask_sketch(curator *c, int64_t j, int64_t *out,
                                sotto_error *error)
{
    const sketches *s = &c->sketches;
    if (j < 0 || j >= s->columns)
        return error_set(error, SOTTO_FAILED, "a sketch of no column");
    return release_sketch(c, ASK_SKETCH, s->column + j * s->stride, out, error);
}

/* ---- which one ---- */

/* e_i of each row, made of what was told and, if labels are known, of its own
   label. */
static void fill_along(curator *c, const ask_along *at)
{
    const sketches *s = &c->sketches;
    double clip = at->clip;
    int none = !(clip > 0) || isinf(clip);
    for (int64_t i = 0; i < c->table->rows; i++) {
        double u = at->vector[s->place[i] >> 1];
        double e = u != u ? 0 : s->place[i] & 1 ? -u : u;
        if (c->policy.labels_known)
            e -= s->target[i];
        s->along[i] = none ? 0 : unit_integer(e / clip);
    }
}

static int64_t sum_along(const int16_t *restrict x, const int16_t *restrict e,
                         int64_t rows)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += (int32_t)x[i] * (int32_t)e[i];
    return sum;
}

/* The scores of each feature and of its negative. */
static const int64_t *score_all(curator *c, const void *what)
{
    const ask_along *at = what;
    sketches *s = &c->sketches;
    fill_along(c, at);
    for (int64_t k = 0; k < at->features; k++) {
        int64_t j = at->feature[k];
        s->score[2 * k] =
            sum_along(s->column + j * s->stride, s->along, c->table->rows);
        s->score[2 * k + 1] = -s->score[2 * k];
    }
    return s->score;
}

sotto_status curator_ask_along(curator *c, const ask_along *at, int64_t *out,
                               int *sign, sotto_error *error)
{
    sketches *s = &c->sketches;
    int64_t winner;
    int fine = at->features >= 0 && at->features <= s->columns;
    *out = -1;
    *sign = 0;
    for (int64_t k = 0; fine && k < at->features; k++)
        fine = at->feature[k] >= 0 && at->feature[k] < s->columns;
    if (!fine)
        return error_set(error, SOTTO_FAILED, "a choice of no column");
    if (!at->features)
        return SOTTO_OK;
    gate_contest q = {.kind = ASK_ALONG,
                      .count = (size_t)(2 * at->features),
                      .stride = 1,
                      .scores = score_all,
                      .what = at};
    sotto_status status = gate_choose(c, &q, &winner, error);
    if (status == SOTTO_OK) {
        *out = winner / 2;
        *sign = winner % 2 ? -1 : 1;
    }
    return status;
}

/* ---- telling ---- */

sotto_status curator_tell_round(curator *c, uint64_t round, sotto_error *error)
{
    return curator_key_noise(c, round, error);
}

sotto_status curator_tell_spent(curator *c, ask_kind kind, sotto_error *error)
{
    return gate_spend(c, kind, error);
}

int64_t curator_asked(const curator *c, ask_kind kind)
{
    return c->asked[kind];
}
