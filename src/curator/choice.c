/*
 * Choices of coordinates. For each coordinate the sum S_j of the records'
 * integers is kept, and a score u_j, which changes by no more than S_j does
 * (docs/privacy, "Choices").
 *
 * A move along coordinate j changes only the slopes of rows that have feature
 * j, and so only the sums of features that these rows have. The shortcut is
 * exact because sums are integers: counting them anew gives the same.
 */
#include "choice.h"
#include "score.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- scores ---- */

static double weight_of(const choice *k, int64_t j)
{
    return k->mark[j] ? k->weight[k->mark[j] - 1] : 0;
}

static double unit_of(const choice *k, int64_t j)
{
    return k->total * (double)k->factor[j];
}

/* The derivative of the L2 penalty, which is public: sums are shifted by it. */
static int64_t shift_of(const choice *k, int64_t j)
{
    if (j == k->features)
        return 0;
    return score_between(score_whole(unit_of(k, j) * k->l2 * weight_of(k, j)),
                         -SCORE_MOST / 2, SCORE_MOST / 2);
}

int64_t choice_slope(const choice *k, int64_t j)
{
    return score_between(k->scored[j], -SCORE_MOST / 2, SCORE_MOST / 2) +
           shift_of(k, j);
}

static score_terms terms_of(const choice *k, int64_t j)
{
    int free = j == k->features; /* the intercept has no penalty */
    double w = weight_of(k, j), unit = unit_of(k, j);
    double scale = k->smoothness ? unit * k->smoothness[j] : unit;
    score_terms t = {.sum = choice_slope(k, j),
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

/* After a change of a weight or of the unit. It uses public numbers alone. */
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

/* The score is a distance in nearly all cases: the rules with steps agree with
   it while the weight is 0 and there is no box. */
static inline int64_t score_at(const choice *k, int64_t j)
{
    const choice_cell *cell = &k->cell[j];
    if (k->fresh && (k->mark[j] || j == k->features))
        return -SCORE_MOST;
    int64_t up = k->scored[j] + cell->low, down = -k->scored[j] - cell->high;
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

/* The slope of row i was `before`: updates the sums of its features, and
   their scores unless that is left for later. */
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

static void score_cells(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    choice *k = c->choice;
    (void)what;
    (void)sum;
    for (int64_t j = from; j < to; j++) {
        if (k->unit != k->total)
            set_penalty(k, j);
        k->cell[j].score = score_at(k, j);
    }
}

static void find_slopes(curator *c)
{
    if (!c->choice->sloped)
        c->kernel->slopes(&c->rows, c->slope);
    c->choice->sloped = 1;
}

static void score_all(curator *c)
{
    choice *k = c->choice;
    rows_sum(c, k->cells, score_cells, NULL, 0, NULL);
    k->unit = k->total;
    gate_scores_changed(c);
}

/* Counts all sums from the present slopes. */
static void count_all(curator *c)
{
    find_slopes(c);
    choice_sums(c);
    c->choice->counted = 1;
    if (!c->ranks) /* the others have sums, too */
        score_all(c);
}

void choice_count(curator *c, const int64_t *some, int64_t count)
{
    choice *k = c->choice;
    if (k->counted)
        return;
    if (!some || 2 * count > k->cells) {
        count_all(c);
        return;
    }
    find_slopes(c);
    for (int64_t n = 0; n < count; n++) {
        int64_t j = some[n];
        kernel_column x = columns_get(c, j);
        k->sum[j] = c->kernel->sum(c->slope, c->rows.padded, &x, k->factor[j]);
    }
}

/* The number of entries in all rows of a column. */
static int64_t work_of(const curator *c, const kernel_column *x)
{
    const int64_t *start = c->table->by_row.start;
    int64_t work = 0;
    for (int64_t n = 0; n < x->count; n++)
        work += start[x->index[n] + 1] - start[x->index[n]];
    return work;
}

/* Whether following single rows is faster than counting anew. On an AVX2
   machine, with 1e5 rows and 9e6 entries, following an entry takes as long as
   counting two. */
static int follows(const curator *c, int64_t work)
{
    const sotto_table *t = c->table;
    if (!c->choice->counted || work < 0 || c->policy.recompute > 0)
        return 0;
    return c->policy.recompute < 0 || 2 * work < t->by_row.start[t->rows];
}

/* The rows of a column are far apart, so the processor has to be told. */
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

/* The margins of a column's rows have moved: updates the sums of these rows,
   unless that was done already. */
static void follow(curator *c, const kernel_column *x, int later)
{
    choice *k = c->choice;
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
}

/* ---- moving ---- */

/* Where the weight of coordinate j is kept; NULL: out of memory. */
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

/* The column by its rows, even if it is also written out. */
static kernel_column column_rows(const curator *c, int64_t j)
{
    const table_entries *e = &c->table->by_column;
    if (!c->table->sparse || j == c->table->features)
        return columns_get(c, j);
    return (kernel_column){(const float *)e->value + e->start[j],
                           e->index + e->start[j],
                           e->start[j + 1] - e->start[j]};
}

/* The number of entries in all rows that these moves touch; -1: all rows. */
static int64_t work_of_moves(const curator *c, const int64_t *j, int64_t count)
{
    int64_t work = 0;
    for (int64_t n = 0; n < count; n++) {
        kernel_column x = column_rows(c, j[n]);
        if (!x.index)
            return -1;
        work += work_of(c, &x);
    }
    return work;
}

/* Moves margins and weight of one coordinate. */
static void move_one(curator *c, int64_t j, float d)
{
    choice *k = c->choice;
    if (d == 0)
        return;
    kernel_column moved = columns_get(c, j);
    double *weight = place_of(k, j);
    c->kernel->step(&c->rows, &moved, d, NULL, 0);
    if (!weight) {
        k->failed = 1;
        return;
    }
    *weight += (double)d;
    set_penalty(k, j);
}

void choice_move(curator *c, const int64_t *j, const double *d, int64_t count)
{
    choice *k = c->choice;
    int64_t work = c->choice->counted ? work_of_moves(c, j, count) : 0;
    /* then all scores are computed once; where ranks share the rows, when the
       root has all sums */
    int later = c->ranks || work > k->cells / 2;
    kernel_mode before = kernel_enter();
    for (int64_t n = 0; n < count; n++)
        move_one(c, j[n], (float)d[n]);
    if (!follows(c, work))
        k->counted = k->sloped = 0;
    for (int64_t n = 0; k->counted && n < count; n++) {
        kernel_column x = column_rows(c, j[n]);
        follow(c, &x, later);
        if (!later) /* the penalty of its sum has changed */
            sum_changed(c, k, j[n], 0);
    }
    for (int64_t i = 0; k->counted && later && !c->ranks && i < k->cells; i++)
        sum_changed(c, k, i, 0);
    kernel_leave(before);
}

/* ---- asking ---- */

static const int64_t *up_to_date(curator *c, const void *what)
{
    (void)what;
    choice_count(c, NULL, 0);
    return &c->choice->cell->score;
}

/* A copy where others are to take their place, because the rows' own sums are
   kept. */
static int64_t *own_sums(curator *c, const void *what)
{
    choice *k = c->choice;
    (void)what;
    choice_count(c, NULL, 0);
    if (k->sent)
        return k->sum;
    memcpy(k->all, k->sum, k->sum_bytes);
    return k->all;
}

static const int64_t *score_sums(curator *c, const void *what)
{
    (void)what;
    score_all(c);
    return &c->choice->cell->score;
}

sotto_status choice_ready(curator *c, sotto_error *error)
{
    choice *k = c->choice;
    if (!k)
        return error_set(error, SOTTO_FAILED, "a choice without scores");
    assert(c->total > 0);
    if (k->failed)
        return error_memory(error);
    if (k->total != c->total) { /* the unit of all penalties */
        k->total = c->total;
        k->counted = 0;
    }
    return SOTTO_OK;
}

sotto_status curator_ask_choice(curator *c, int64_t *out, sotto_error *error)
{
    sotto_status status = choice_ready(c, error);
    if (status != SOTTO_OK)
        return status;
    gate_contest q = {.kind = ASK_CHOICE,
                      .count = (size_t)c->choice->cells,
                      .stride = sizeof(choice_cell) / sizeof(int64_t),
                      .scores = up_to_date,
                      .kept = 1,
                      .sums = own_sums,
                      .sums_count = (size_t)c->choice->cells,
                      .before = c->choice->sent,
                      .total = c->choice->all,
                      .scored = score_sums};
    return gate_choose(c, &q, out, error);
}
