/*
 * Which coordinate promises most: for each coordinate the sum S_j of the
 * records' integers is kept, and a score u_j that one more of them changes
 * by no more than it changes S_j (docs/privacy.md, "Choices").
 *
 * When the iterate moves along coordinate j, only the slopes of rows that
 * have feature j change, and only the sums of features that these rows have.
 * Integers make the shortcut exact: the sums are those that a recount gives.
 */
#include "inside.h"
#include "score.h"

#include <math.h>

/* What is known of a coordinate; half a cache line. `mark` is 0 while its
   weight is 0, or the place of its weight in the list of others, counted from
   1. */
typedef struct choice_cell {
    int64_t score, sum;
    int64_t bar;  /* of the L1 penalty */
    float factor; /* KERNEL_CLIP / clip */
    uint32_t mark;
} choice_cell;

/* A weight that is not 0, and the penalty's subgradients there. */
typedef struct choice_other {
    double weight;
    int64_t low, high;
} choice_other;

struct choice {
    ask_rule rule;
    double l1, l2, low, high;
    double *smoothness; /* of GS_R and GS_Q */
    choice_cell *cell;
    int64_t cells, features;
    size_t cell_bytes;
    choice_other *other;
    uint32_t others, room;
    double total;  /* what sums are divided by: public */
    double unit;   /* the total that penalties are counted in */
    int distance;  /* the rule is UNTRUNCATED or GS_S */
    int simple;    /* the box does not matter while a weight is 0 */
    int counted;   /* the sums are those of the present slopes */
    int failed;    /* out of memory: no more choices */
    float *factor; /* scratch: of one row's entries, and their changes */
    int32_t *change;
    float *slope; /* scratch: of one column's rows */
};

typedef struct choice choice;

/* ---- scores ---- */

static score_terms terms_of(const choice *k, int64_t j)
{
    const choice_cell *cell = &k->cell[j];
    int free = j == k->features; /* the intercept has no penalty */
    double w = cell->mark ? k->other[cell->mark - 1].weight : 0;
    double unit = k->total * (double)cell->factor;
    double scale = k->smoothness ? unit * k->smoothness[j] : unit;
    score_terms t = {
        .sum = score_between(cell->sum, -SCORE_MOST / 2, SCORE_MOST / 2),
        .low = free ? -SCORE_MOST : score_whole(scale * k->low),
        .high = free ? SCORE_MOST : score_whole(scale * k->high),
        .above = w > 0,
        .below = w < 0,
        .highest = !free && w >= k->high,
        .lowest = !free && w <= k->low};
    t.at = score_between(score_whole(scale * w), t.low, t.high);
    if (!free) {
        t.l1 = score_whole(unit * k->l1);
        t.sum += score_between(score_whole(unit * k->l2 * w), -SCORE_MOST / 2,
                               SCORE_MOST / 2);
    }
    return t;
}

static int64_t score_any(const choice *k, int64_t j)
{
    score_terms t = terms_of(k, j);
    return score_of(&t, k->rule);
}

/* Nearly always: weight 0 and not at an edge, where all rules have the score
   |S| - l1, cut off at 0 or not; or a rule that is a distance. */
static inline int64_t score_at(const choice *k, int64_t j, int64_t sum)
{
    const choice_cell *cell = &k->cell[j];
    int64_t low = -cell->bar, high = cell->bar;
    if (cell->mark || !k->simple) {
        if (!k->simple || !k->distance)
            return score_any(k, j);
        low = k->other[cell->mark - 1].low;
        high = k->other[cell->mark - 1].high;
    }
    int64_t up = sum + low, down = -sum - high, u = up > down ? up : down;
    return k->rule != ASK_UNTRUNCATED && u < 0 ? 0 : u;
}

/* The penalty in integers: when the weight has changed, or the unit. */
static void set_penalty(choice *k, int64_t j)
{
    choice_cell *cell = &k->cell[j];
    score_terms t = terms_of(k, j);
    cell->bar = t.l1;
    if (!cell->mark)
        return;
    choice_other *other = &k->other[cell->mark - 1];
    int64_t shift = t.sum - cell->sum;
    score_subgradients(&t, &other->low, &other->high);
    other->low += shift;
    other->high += shift;
}

/* ---- sums ---- */

static inline void sum_changed(curator *c, int64_t j, int64_t by)
{
    choice *k = c->choice;
    choice_cell *cell = &k->cell[j];
    int64_t from = cell->score;
    cell->sum += by;
    cell->score = score_at(k, j, cell->sum);
    gate_score_changed(c, (size_t)j, from, cell->score);
}

/* All of them, from the slopes as they are. */
static void count_all(curator *c)
{
    choice *k = c->choice;
    for (int64_t j = 0; j < k->cells; j++) {
        kernel_column x = columns_get(c, j);
        choice_cell *cell = &k->cell[j];
        cell->sum = c->kernel->sum(c->slope, c->rows.padded, &x, cell->factor);
        if (k->unit != k->total)
            set_penalty(k, j);
        cell->score = score_at(k, j, cell->sum);
    }
    k->unit = k->total;
    k->counted = 1;
    gate_scores_changed(c);
}

/* Row i's slope was `before`: its features' sums follow. */
static void row_changed(curator *c, int64_t i, float before)
{
    choice *k = c->choice;
    const table_entries *e = &c->table->by_row;
    int64_t from = e->start[i], count = e->start[i + 1] - from;
    const uint32_t *feature = e->index + from;
    const float *value = (const float *)e->value + from;
    for (int64_t n = 0; n < count; n++)
        k->factor[n] = k->cell[feature[n]].factor;
    c->kernel->changes(value, k->factor, count, before, c->slope[i], k->change);
    for (int64_t n = 0; n < count; n++)
        sum_changed(c, feature[n], k->change[n]);
    if (c->policy.intercept) {
        int32_t change;
        c->kernel->changes(&c->ones[i], &k->cell[k->features].factor, 1, before,
                           c->slope[i], &change);
        sum_changed(c, k->features, change);
    }
}

/* How many entries the rows of a column have. */
static int64_t work_of(const curator *c, const kernel_column *x)
{
    const int64_t *start = c->table->by_row.start;
    int64_t work = 0;
    for (int64_t n = 0; n < x->count; n++)
        work += start[x->index[n] + 1] - start[x->index[n]];
    return work;
}

/* Whether it is worth while to follow single rows. On an AVX2 machine, 1e5
   rows with 9e6 entries, an entry that is followed costs as much as four that
   are counted. */
static int follows(const curator *c, const kernel_column *x)
{
    const sotto_table *t = c->table;
    if (!c->choice->counted || !x->index || c->policy.recompute > 0)
        return 0;
    return c->policy.recompute < 0 ||
           4 * work_of(c, x) < t->by_row.start[t->rows];
}

/* Rows of a column are far apart; the processor does not foresee them. */
enum { AHEAD = 4, AHEAD_BYTES = 384, LINE = 64 };

static void prefetch_row(const table_entries *e, uint32_t i)
{
    const char *feature = (const char *)(e->index + e->start[i]);
    const char *value = (const char *)((const float *)e->value + e->start[i]);
    for (int k = 0; k < AHEAD_BYTES; k += LINE) {
        __builtin_prefetch(feature + k);
        __builtin_prefetch(value + k);
    }
}

static void follow(curator *c, const kernel_column *x)
{
    choice *k = c->choice;
    c->kernel->slopes_at(&c->rows, x->index, x->count, k->slope);
    for (int64_t n = 0; n < x->count; n++) {
        uint32_t i = x->index[n];
        float before = c->slope[i];
        if (n + AHEAD < x->count)
            prefetch_row(&c->table->by_row, x->index[n + AHEAD]);
        if (before == k->slope[n])
            continue;
        c->slope[i] = k->slope[n];
        row_changed(c, i, before);
    }
}

/* ---- moving ---- */

/* The list of weights that are not 0. */
static choice_other *other_of(choice *k, int64_t j)
{
    if (k->cell[j].mark)
        return &k->other[k->cell[j].mark - 1];
    if (k->others == k->room) {
        uint32_t room = k->room ? 2 * k->room : 64;
        choice_other *more = mem_resize(k->other, room, sizeof *more);
        if (!more)
            return NULL;
        k->other = more;
        k->room = room;
    }
    k->cell[j].mark = ++k->others;
    k->other[k->others - 1] = (choice_other){0};
    return &k->other[k->others - 1];
}

/* The column as its rows, also where it is written out. */
static kernel_column column_rows(const curator *c, int64_t j)
{
    kernel_column x = columns_get(c, j);
    const table_entries *e = &c->table->by_column;
    if (c->table->sparse && j < c->table->features)
        x = (kernel_column){(const float *)e->value + e->start[j],
                            e->index + e->start[j],
                            e->start[j + 1] - e->start[j]};
    return x;
}

void choice_move(curator *c, int64_t j, float d)
{
    choice *k = c->choice;
    kernel_column x = column_rows(c, j), moved = columns_get(c, j);
    choice_other *other = other_of(k, j);
    kernel_mode before = kernel_enter();
    if (other)
        other->weight += (double)d;
    else
        k->failed = 1;
    c->kernel->step(&c->rows, &moved, d, NULL, 0);
    if (follows(c, &x))
        follow(c, &x);
    else
        k->counted = 0;
    set_penalty(k, j);
    if (k->counted) /* its weight has changed, and so what its sum is worth */
        sum_changed(c, j, 0);
    kernel_leave(before);
}

/* ---- asking ---- */

static const int64_t *up_to_date(curator *c)
{
    choice *k = c->choice;
    if (!k->counted) {
        c->kernel->slopes(&c->rows, c->slope);
        count_all(c);
    }
    return &k->cell->score;
}

sotto_status curator_ask_choice(curator *c, int64_t *out, sotto_error *error)
{
    gate_contest q = {(size_t)c->choice->cells,
                      sizeof(choice_cell) / sizeof(int64_t), up_to_date};
    if (c->choice->failed)
        return error_memory(error);
    if (c->choice->total != c->total) { /* the units of all scores */
        c->choice->total = c->total;
        c->choice->counted = 0;
    }
    return gate_choose(c, &q, out, error);
}

/* ---- telling ---- */

/* The longest row and the longest column: what scratch has to hold. */
static int64_t longest(const table_entries *e, int64_t groups)
{
    int64_t most = 0;
    for (int64_t i = 0; e->start && i < groups; i++)
        if (e->start[i + 1] - e->start[i] > most)
            most = e->start[i + 1] - e->start[i];
    return most;
}

static int choice_memory(curator *c, const ask_scores *s)
{
    choice *k = c->choice;
    size_t row = (size_t)longest(&c->table->by_row, c->table->rows);
    size_t column = (size_t)longest(&c->table->by_column, k->features);
    k->cell_bytes = (size_t)k->cells * sizeof *k->cell;
    k->cell = mem_map(k->cell_bytes);
    k->factor = mem_zeroed(row, sizeof *k->factor);
    k->change = mem_zeroed(row, sizeof *k->change);
    k->slope = mem_zeroed(column, sizeof *k->slope);
    int steps = s->rule == ASK_GS_R || s->rule == ASK_GS_Q;
    if (steps)
        k->smoothness = mem_zeroed((size_t)k->cells, sizeof *k->smoothness);
    if (!k->cell || !k->factor || !k->change || !k->slope ||
        (steps && !k->smoothness))
        return 0;
    keep_out_of_dumps(k->cell, k->cell_bytes);
    for (int64_t j = 0; steps && j < k->cells; j++)
        k->smoothness[j] = s->smoothness[j];
    return 1;
}

sotto_status curator_tell_scores(curator *c, const ask_scores *s,
                                 sotto_error *error)
{
    choice_free(c);
    gate_scores_changed(c);
    choice *k = c->choice = mem_zeroed(1, sizeof *k);
    if (!k)
        return error_memory(error);
    *k = (choice){.rule = s->rule,
                  .l1 = s->l1,
                  .l2 = s->l2,
                  .low = s->low,
                  .high = s->high,
                  .features = c->table->features,
                  .cells = c->table->features + c->policy.intercept,
                  .simple = s->low < 0 && s->high > 0};
    k->distance = s->rule == ASK_UNTRUNCATED || s->rule == ASK_GS_S;
    if (!k->distance) /* steps may meet the box */
        k->simple = isinf(s->low) && isinf(s->high);
    if (!choice_memory(c, s))
        return error_memory(error);
    for (int64_t j = 0; j < k->cells; j++) {
        k->cell[j].factor = (float)(KERNEL_CLIP / s->clip[j]);
        if (!(s->clip[j] > 0) || !isnormal(k->cell[j].factor))
            return error_set(error, SOTTO_USAGE,
                             "--clip: expected thresholds that a float can "
                             "hold, above 0");
    }
    return SOTTO_OK;
}

void choice_free(curator *c)
{
    choice *k = c->choice;
    if (!k)
        return;
    if (k->cell) {
        mem_wipe(k->cell, k->cell_bytes);
        mem_unmap(k->cell, k->cell_bytes);
    }
    mem_free(k->factor);
    mem_free(k->change);
    mem_free(k->slope);
    mem_free(k->smoothness);
    mem_free(k->other);
    mem_free(k);
    c->choice = NULL;
}
