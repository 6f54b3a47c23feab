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

#include <assert.h>
#include <math.h>
#include <string.h>

/* What is known of a coordinate, besides its sum. */
typedef struct choice_cell {
    int64_t score;
    int64_t low, high; /* the penalty's subgradients at its weight */
} choice_cell;

struct choice {
    ask_rule rule;
    double l1, l2, low, high;
    double *smoothness; /* of GS_R and GS_Q */
    int64_t cells, features;
    int64_t *sum;
    choice_cell *cell;
    size_t sum_bytes, cell_bytes;
    float *own;          /* factors for choices, where they are not those */
    const float *factor; /* of releases: KERNEL_CLIP / clip */

    /* the weights that are not 0: coordinate j's is weight[mark[j] - 1] */
    uint32_t *mark;
    double *weight;
    uint32_t weights, room;

    double total; /* what sums are divided by: public */
    double unit;  /* the total that penalties are counted in */
    int distance; /* the rule is UNTRUNCATED or GS_S */
    int fresh;    /* what has moved, and the intercept, is not chosen */
    int boxed;
    int counted; /* the sums are those of the present slopes */
    int failed;  /* out of memory: no more choices */

    float *part; /* x_ij f_j, as the entries by row are; NULL: dense */
    size_t part_bytes;
    int32_t *change; /* scratch, for one row */
    float *slope;    /* scratch, for the rows of one column */
    size_t change_bytes, slope_bytes;
};

typedef struct choice choice;

/* ---- scores ---- */

static double weight_of(const choice *k, int64_t j)
{
    return k->mark[j] ? k->weight[k->mark[j] - 1] : 0;
}

static double unit_of(const choice *k, int64_t j)
{
    return k->total * (double)k->factor[j];
}

/* The derivative of the L2 penalty, by which sums are shifted: public. */
static int64_t shift_of(const choice *k, int64_t j)
{
    if (j == k->features)
        return 0;
    return score_between(score_whole(unit_of(k, j) * k->l2 * weight_of(k, j)),
                         -SCORE_MOST / 2, SCORE_MOST / 2);
}

static score_terms terms_of(const choice *k, int64_t j)
{
    int free = j == k->features; /* the intercept has no penalty */
    double w = weight_of(k, j), unit = unit_of(k, j);
    double scale = k->smoothness ? unit * k->smoothness[j] : unit;
    score_terms t = {
        .sum = score_between(k->sum[j], -SCORE_MOST / 2, SCORE_MOST / 2) +
               shift_of(k, j),
        .low = free ? -SCORE_MOST : score_whole(scale * k->low),
        .high = free ? SCORE_MOST : score_whole(scale * k->high),
        .above = w > 0,
        .below = w < 0,
        .highest = !free && w >= k->high,
        .lowest = !free && w <= k->low};
    t.at = score_between(score_whole(scale * w), t.low, t.high);
    if (!free)
        t.l1 = score_whole(unit * k->l1);
    return t;
}

/* When a weight has changed, or the unit. Of public numbers alone. */
static void set_penalty(choice *k, int64_t j)
{
    choice_cell *cell = &k->cell[j];
    if (!k->mark[j] && !k->boxed) { /* nearly always */
        double l1 = j == k->features ? 0 : k->l1;
        cell->high = score_whole(unit_of(k, j) * l1);
        cell->low = -cell->high;
        return;
    }
    score_terms t = terms_of(k, j);
    int64_t shift = shift_of(k, j);
    score_subgradients(&t, &cell->low, &cell->high);
    cell->low += shift;
    cell->high += shift;
}

/* Nearly always a distance: the rules with steps agree with it while a weight
   is 0 and there is no box. */
static inline int64_t score_at(const choice *k, int64_t j)
{
    const choice_cell *cell = &k->cell[j];
    if (k->fresh && (k->mark[j] || j == k->features))
        return -SCORE_MOST;
    int64_t up = k->sum[j] + cell->low, down = -k->sum[j] - cell->high;
    int64_t u = up > down ? up : down;
    if (k->rule == ASK_UNTRUNCATED)
        return u;
    if (!k->distance && (k->boxed || k->mark[j])) {
        score_terms t = terms_of(k, j);
        return score_of(&t, k->rule);
    }
    return u < 0 ? 0 : u;
}

/* ---- sums ---- */

static inline void sum_changed(curator *c, choice *k, int64_t j, int64_t by)
{
    int64_t from = k->cell[j].score;
    k->sum[j] += by;
    k->cell[j].score = score_at(k, j);
    gate_score_changed(c, (size_t)j, from, k->cell[j].score);
}

/* Row i's slope was `before`: its features' sums follow, and their scores if
   this is not left for later. */
static void row_changed(curator *c, int64_t i, float before, int later)
{
    choice *k = c->choice;
    const table_entries *e = &c->table->by_row;
    int64_t from = e->start[i], count = e->start[i + 1] - from;
    const uint32_t *feature = e->index + from;
    const int32_t *change = k->change;
    int64_t *sum = k->sum;
    c->kernel->changes(k->part + from, count, before, c->slope[i], k->change);
    if (later)
        for (int64_t n = 0; n < count; n++)
            sum[feature[n]] += change[n];
    else
        for (int64_t n = 0; n < count; n++)
            sum_changed(c, k, feature[n], change[n]);
    if (c->policy.intercept) {
        float part = c->ones[i] * k->factor[k->features];
        c->kernel->changes(&part, 1, before, c->slope[i], k->change);
        sum[k->features] += change[0];
        if (!later)
            sum_changed(c, k, k->features, 0);
    }
}

/* Columns that are short on average are counted along with their rows. */
enum { SHORT = 32 };

static int are_short(const curator *c)
{
    const sotto_table *t = c->table;
    return t->sparse && t->by_row.start[t->rows] < SHORT * t->features;
}

static void count_sums(curator *c)
{
    choice *k = c->choice;
    if (are_short(c)) { /* what a row adds is its change from slope 0 */
        memset(k->sum, 0, k->sum_bytes);
        for (int64_t i = 0; i < c->table->rows; i++)
            row_changed(c, i, 0, 1);
        return;
    }
    for (int64_t j = 0; j < k->cells; j++) {
        kernel_column x = columns_get(c, j);
        k->sum[j] = c->kernel->sum(c->slope, c->rows.padded, &x, k->factor[j]);
    }
}

/* All of them, from the slopes as they are. */
static void count_all(curator *c)
{
    choice *k = c->choice;
    c->kernel->slopes(&c->rows, c->slope);
    count_sums(c);
    for (int64_t j = 0; j < k->cells; j++) {
        if (k->unit != k->total)
            set_penalty(k, j);
        k->cell[j].score = score_at(k, j);
    }
    k->unit = k->total;
    k->counted = 1;
    gate_scores_changed(c);
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
   rows with 9e6 entries, an entry that is followed costs as much as two that
   are counted. */
static int follows(const curator *c, const kernel_column *x, int64_t work)
{
    const sotto_table *t = c->table;
    if (!c->choice->counted || !x->index || c->policy.recompute > 0)
        return 0;
    return c->policy.recompute < 0 || 2 * work < t->by_row.start[t->rows];
}

/* Rows of a column are far apart; the processor does not foresee them. */
enum { AHEAD = 4, AHEAD_BYTES = 384, LINE = 64 };

static void prefetch_row(const curator *c, uint32_t i)
{
    const table_entries *e = &c->table->by_row;
    const char *feature = (const char *)(e->index + e->start[i]);
    const char *part = (const char *)(c->choice->part + e->start[i]);
    for (int k = 0; k < AHEAD_BYTES; k += LINE) {
        __builtin_prefetch(feature + k);
        __builtin_prefetch(part + k);
    }
}

static void follow(curator *c, const kernel_column *x, int64_t work)
{
    choice *k = c->choice;
    int later = work > k->cells / 2; /* then all scores are looked at, once */
    c->kernel->slopes_at(&c->rows, x->index, x->count, k->slope);
    for (int64_t n = 0; n < x->count; n++) {
        uint32_t i = x->index[n];
        float before = c->slope[i];
        if (n + AHEAD < x->count)
            prefetch_row(c, x->index[n + AHEAD]);
        if (before == k->slope[n])
            continue;
        c->slope[i] = k->slope[n];
        row_changed(c, i, before, later);
    }
    for (int64_t j = 0; later && j < k->cells; j++)
        sum_changed(c, k, j, 0);
}

/* ---- moving ---- */

/* Where coordinate j's weight is kept; NULL: out of memory. */
static double *place_of(choice *k, int64_t j)
{
    if (!k->mark[j] && k->weights == k->room) {
        uint32_t room = k->room ? 2 * k->room : 64;
        double *more = mem_resize(k->weight, room, sizeof *more);
        if (!more)
            return NULL;
        k->weight = more;
        k->room = room;
    }
    if (!k->mark[j]) {
        k->weight[k->weights] = 0;
        k->mark[j] = ++k->weights;
    }
    return &k->weight[k->mark[j] - 1];
}

/* The column as its rows, also where it is written out. */
static kernel_column column_rows(const curator *c, int64_t j)
{
    const table_entries *e = &c->table->by_column;
    if (!c->table->sparse || j == c->table->features)
        return columns_get(c, j);
    return (kernel_column){(const float *)e->value + e->start[j],
                           e->index + e->start[j],
                           e->start[j + 1] - e->start[j]};
}

void choice_move(curator *c, int64_t j, float d)
{
    choice *k = c->choice;
    kernel_column x = column_rows(c, j), moved = columns_get(c, j);
    int64_t work = x.index ? work_of(c, &x) : 0;
    double *weight = place_of(k, j);
    kernel_mode before = kernel_enter();
    c->kernel->step(&c->rows, &moved, d, NULL, 0);
    if (follows(c, &x, work))
        follow(c, &x, work);
    else
        k->counted = 0;
    if (weight) {
        *weight += (double)d;
        set_penalty(k, j);
    } else
        k->failed = 1;
    if (k->counted) /* what its sum is worth has changed */
        sum_changed(c, k, j, 0);
    kernel_leave(before);
}

void choice_slopes_go(curator *c)
{
    if (c->choice)
        c->choice->counted = 0;
}

/* ---- asking ---- */

static const int64_t *up_to_date(curator *c)
{
    if (!c->choice->counted)
        count_all(c);
    return &c->choice->cell->score;
}

sotto_status curator_ask_choice(curator *c, int64_t *out, sotto_error *error)
{
    if (!c->choice)
        return error_set(error, SOTTO_FAILED, "a choice without scores");
    assert(c->total > 0);
    gate_contest q = {(size_t)c->choice->cells,
                      sizeof(choice_cell) / sizeof(int64_t), up_to_date};
    if (c->choice->failed)
        return error_memory(error);
    if (c->choice->total != c->total) { /* the unit of all penalties */
        c->choice->total = c->total;
        c->choice->counted = 0;
    }
    return gate_choose(c, &q, out, error);
}

/* ---- telling ---- */

/* The longest row and the longest column: what scratch has to hold. */
static size_t longest(const table_entries *e, int64_t groups)
{
    int64_t most = 1;
    for (int64_t i = 0; e->start && i < groups; i++)
        if (e->start[i + 1] - e->start[i] > most)
            most = e->start[i + 1] - e->start[i];
    return (size_t)most;
}

static int choice_memory(curator *c)
{
    choice *k = c->choice;
    const table_entries *e = &c->table->by_row;
    k->cell_bytes = (size_t)k->cells * sizeof *k->cell;
    k->cell = secret_take(k->cell_bytes);
    k->sum_bytes = (size_t)k->cells * sizeof *k->sum;
    k->sum = secret_take(k->sum_bytes);
    k->mark = mem_zeroed((size_t)k->cells, sizeof *k->mark);
    k->change_bytes = longest(e, c->table->rows) * sizeof *k->change;
    k->change = secret_take(k->change_bytes);
    k->slope_bytes =
        longest(&c->table->by_column, k->features) * sizeof *k->slope;
    k->slope = secret_take(k->slope_bytes);
    if (c->table->sparse) { /* one more, for tables without an entry */
        k->part_bytes =
            ((size_t)e->start[c->table->rows] + 1) * sizeof *k->part;
        k->part = secret_take(k->part_bytes);
    }
    return k->cell && k->sum && k->mark && k->change && k->slope &&
           (k->part || !c->table->sparse);
}

/* What the caller's arrays have: they may go. */
static sotto_status take_arrays(choice *k, const curator *c,
                                const ask_scores *s, sotto_error *error)
{
    size_t count = (size_t)k->cells;
    if (!k->distance)
        k->smoothness = mem_zeroed(count, sizeof *k->smoothness);
    if (s->clip)
        k->own = mem_zeroed(count, sizeof *k->own);
    if ((!k->distance && !k->smoothness) || (s->clip && !k->own))
        return error_memory(error);
    for (int64_t j = 0; !k->distance && j < k->cells; j++)
        k->smoothness[j] = s->smoothness[j];
    for (int64_t j = 0; s->clip && j < k->cells; j++)
        k->own[j] = (float)(KERNEL_CLIP / s->clip[j]);
    k->factor = s->clip ? k->own : c->factor;
    for (int64_t j = 0; j < k->cells; j++)
        if (!(k->factor[j] > 0) || !isnormal(k->factor[j]))
            return error_set(error, SOTTO_USAGE,
                             "--clip: expected thresholds that a float can "
                             "hold, above 0");
    return SOTTO_OK;
}

/* x f, as the kernels multiply. */
static void fill_parts(curator *c)
{
    choice *k = c->choice;
    const table_entries *e = &c->table->by_row;
    const float *value = e->value;
    if (!k->part)
        return;
    kernel_mode before = kernel_enter();
    for (int64_t n = 0; n < e->start[c->table->rows]; n++)
        k->part[n] = value[n] * k->factor[e->index[n]];
    kernel_leave(before);
}

/* That no score goes further than its sum (Lemma 7) is proven of these. */
static int are_sound(const ask_scores *s, int64_t cells)
{
    int steps = s->rule == ASK_GS_R || s->rule == ASK_GS_Q;
    if (!steps && s->rule != ASK_UNTRUNCATED && s->rule != ASK_GS_S)
        return 0;
    if (!(s->l1 >= 0 && isfinite(s->l1) && s->l2 >= 0 && isfinite(s->l2) &&
          s->low <= s->high))
        return 0;
    if (steps && !s->smoothness)
        return 0;
    for (int64_t j = 0; steps && j < cells; j++)
        if (!(s->smoothness[j] > 0 && isfinite(s->smoothness[j])))
            return 0;
    return 1;
}

static sotto_status make_choice(curator *c, const ask_scores *s,
                                sotto_error *error)
{
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
                  .fresh = s->fresh,
                  .distance = s->rule == ASK_UNTRUNCATED || s->rule == ASK_GS_S,
                  .boxed = !isinf(s->low) || !isinf(s->high)};
    sotto_status status = take_arrays(k, c, s, error);
    if (status != SOTTO_OK)
        return status;
    if (!choice_memory(c))
        return error_memory(error);
    fill_parts(c);
    return SOTTO_OK;
}

sotto_status curator_tell_scores(curator *c, const ask_scores *s,
                                 sotto_error *error)
{
    choice_free(c);
    curator_catch_up(c);
    if (!are_sound(s, c->table->features + c->policy.intercept))
        return error_set(error, SOTTO_USAGE,
                         "scores: expected a known rule, finite penalties from "
                         "0 on, a box whose ends are in order, and (gs-r, "
                         "gs-q) finite smoothness above 0");
    sotto_status status = make_choice(c, s, error);
    if (status != SOTTO_OK) /* there are no scores in part */
        choice_free(c);
    return status;
}

void choice_free(curator *c)
{
    choice *k = c->choice;
    gate_scores_changed(c);
    if (!k)
        return;
    secret_give(k->sum, k->sum_bytes);
    secret_give(k->cell, k->cell_bytes);
    secret_give(k->part, k->part_bytes);
    secret_give(k->change, k->change_bytes);
    secret_give(k->slope, k->slope_bytes);
    mem_free(k->mark);
    mem_free(k->weight);
    mem_free(k->own);
    mem_free(k->smoothness);
    mem_wipe(k, sizeof *k);
    mem_free(k);
    c->choice = NULL;
}
