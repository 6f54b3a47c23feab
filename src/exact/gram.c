/*
 * G = X'HX of the working set, H being the curvatures, with the intercept
 * eliminated: G_jk - v_j v_k / mass, v_j = sum_i h_i x_ij. Once it is there,
 * sweeps over the model cost nothing that depends on the rows.
 */
#include "state.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef double lanes
    __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

#define AT(p, i) (*(const lanes *)((p) + (i)))
#define TOTAL(s) (((s)[0] + (s)[1]) + ((s)[2] + (s)[3]))

/* Products that the matrix takes, made column by column. */
static double cost_by_columns(const exact_state *s, int64_t from)
{
    double pairs = 0;
    for (int64_t k = 0; k < s->size; k++)
        pairs += (double)(s->size - (k > from ? k : from)) *
                 (double)exact_entries(&s->view, s->set[k]);
    return pairs;
}

/* The same row by row: all rows are read; those with c members make c^2/2
   products, of which the mean of c tells the least. */
static double cost_by_rows(const exact_state *s)
{
    double entries = 0, all = (double)s->view.by_row->start[s->view.n];
    if (s->size == s->view.p)
        return s->view.row_pairs;
    for (int64_t k = 0; k < s->size; k++)
        entries += (double)exact_entries(&s->view, s->set[k]);
    return all + entries * entries / (double)s->view.n;
}

/*
 * By how much a matrix costs more than a sweep over the columns that it
 * stands for: where this is large, by_column.c takes over.
 */
int exact_gram_pays(const exact_state *s)
{
    if (s->size > s->gram_room)
        return 0;
    if (s->view.x)
        return 1;
    double entries = 1;
    for (int64_t k = 0; k < s->size; k++)
        entries += (double)exact_entries(&s->view, s->set[k]);
    double pairs = fmin(cost_by_columns(s, 0), cost_by_rows(s));
    return pairs <= 30 * entries || pairs <= 1e6;
}

/* ---- dense: rows are packed 64 at a time, then multiplied ---- */

/*
 * Threads share the rows of the matrix, two and two. Each packs the records for
 * itself and goes through them in the same order, so that the number of threads
 * changes no bit; nor do wider instructions, which do the same operations.
 */
typedef struct gram_job {
    exact_state *s;
    int64_t from;
    int shares;
    int wide; /* whether there is AVX2 */
    atomic_int claimed;
} gram_job;

#define INLINE static inline __attribute__((always_inline))

/* One column of a block. Nearly always its rows follow one another; what comes
   after them is sent for. */
INLINE void pack_column(const double *x, double centre, const double *root,
                        const int64_t *row, int count, double *to)
{
    const double *first = x + row[0];
    for (int r = 0; r < EXACT_PAD; r += 8)
        __builtin_prefetch(first + EXACT_PAD + r);
    if (count == EXACT_PAD && row[count - 1] - row[0] == EXACT_PAD - 1)
        for (int r = 0; r < EXACT_PAD; r++)
            to[r] = (first[r] - centre) * root[r];
    else
        for (int r = 0; r < count; r++)
            to[r] = (x[row[r]] - centre) * root[r];
    for (int r = count; r < EXACT_PAD; r++)
        to[r] = 0;
}

/* Columns of the block: x sqrt(h) for each member, and sqrt(h) itself. */
INLINE void pack_block(const exact_state *s, double *block, const int64_t *row,
                       int count)
{
    const exact_view *v = &s->view;
    double root[EXACT_PAD];
    for (int r = 0; r < count; r++)
        root[r] = sqrt(s->curve[row[r]]);
    for (int64_t k = 0; k < s->size; k++) {
        int64_t j = s->set[k];
        pack_column(v->x + j * v->stride, v->centre[j], root, row, count,
                    block + k * EXACT_PAD);
    }
    double *last = block + s->size * EXACT_PAD;
    for (int r = 0; r < EXACT_PAD; r++)
        last[r] = r < count ? root[r] : 0;
}

/* Two columns against two: each load serves two products. */
INLINE void multiply_2x2(const double *a, const double *b, double *g, double *h)
{
    lanes s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0};
    for (int r = 0; r < EXACT_PAD; r += 4) {
        lanes a0 = AT(a, r), a1 = AT(a, r + EXACT_PAD);
        lanes b0 = AT(b, r), b1 = AT(b, r + EXACT_PAD);
        s00 += a0 * b0;
        s01 += a0 * b1;
        s10 += a1 * b0;
        s11 += a1 * b1;
    }
    g[0] += TOTAL(s00);
    g[1] += TOTAL(s01);
    h[0] += TOTAL(s10);
    h[1] += TOTAL(s11);
}

static double multiply_1x1(const double *a, const double *b)
{
    return exact_inner(a, b, EXACT_PAD);
}

/* Row j of the matrix, and the next one if there is one. */
INLINE void multiply_rows(exact_state *s, const double *block, int64_t j)
{
    const double *a = block + j * EXACT_PAD;
    double *g = s->gram + j * s->gram_room, *h = g + s->gram_room;
    int64_t k = 0;
    if (j + 1 == s->size) {
        for (; k <= j; k++)
            g[k] += multiply_1x1(a, block + k * EXACT_PAD);
        return;
    }
    for (; k + 2 <= j + 2; k += 2)
        multiply_2x2(a, block + k * EXACT_PAD, g + k, h + k);
    if (k == j + 1) /* the corner of an odd start */
        h[k] += multiply_1x1(a + EXACT_PAD, block + k * EXACT_PAD);
}

INLINE void multiply_block(const gram_job *job, const double *block, int share)
{
    exact_state *s = job->s;
    const double *last = block + s->size * EXACT_PAD;
    for (int64_t j = job->from + 2 * share; j < s->size; j += 2 * job->shares) {
        for (int64_t k = j; k < j + 2 && k < s->size; k++)
            s->mean[k] += multiply_1x1(block + k * EXACT_PAD, last);
        multiply_rows(s, block, j);
    }
}

/* Rows without curvature (most, for the hinges) are left out. */
INLINE void gram_share(const gram_job *job, int share)
{
    const exact_state *s = job->s;
    double *block = s->block + share * EXACT_PAD * (s->gram_room + 1);
    int64_t row[EXACT_PAD];
    int count = 0;
    for (int64_t i = 0; i < s->view.n; i++) {
        if (s->curve[i] > 0)
            row[count++] = i;
        if (count == EXACT_PAD || (i == s->view.n - 1 && count > 0)) {
            pack_block(s, block, row, count);
            multiply_block(job, block, share);
            count = 0;
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void gram_share_wide(const gram_job *job,
                                                            int share)
{
    gram_share(job, share);
}

static int gram_is_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define gram_share_wide gram_share_plain

static int gram_is_wide(void)
{
    return 0;
}
#endif

static void gram_share_plain(const gram_job *job, int share)
{
    gram_share(job, share);
}

static void gram_work(void *context, int worker)
{
    gram_job *job = context;
    (void)worker;
    for (;;) {
        int share = atomic_fetch_add(&job->claimed, 1);
        if (share >= job->shares)
            return;
        if (job->wide)
            gram_share_wide(job, share);
        else
            gram_share_plain(job, share);
    }
}

/* What threads are worth where there is little to do for each. */
enum { GRAM_LEAST = 1 << 22 }; /* products */

static void dense_gram(exact_state *s, int64_t from)
{
    double products =
        (double)s->view.n * (double)(s->size - from) * (double)s->size;
    gram_job job = {.s = s,
                    .from = from,
                    .shares = products < GRAM_LEAST ? 1 : s->threads,
                    .wide = gram_is_wide()};
    thread_run(job.shares, gram_work, &job);
}

/* ---- sparse ---- */

/* Each column, times h, is spread out in s->trial and met by the others. */
static void gram_by_columns(exact_state *s, int64_t from)
{
    const exact_view *v = &s->view;
    const table_entries *e = v->by_column;
    double *spread = s->trial, none;
    memset(spread, 0, (size_t)v->padded * sizeof *spread);
    for (int64_t j = from; j < s->size; j++) {
        int64_t column = s->set[j];
        exact_moments(v, column, s->curve, &s->mean[j], &none);
        exact_add_curved(v, column, 1, s->curve, spread);
        for (int64_t k = 0; k <= j; k++)
            s->gram[j * s->gram_room + k] = exact_dot(v, s->set[k], spread);
        for (int64_t i = e->start[column]; i < e->start[column + 1]; i++)
            spread[e->index[i]] = 0;
    }
}

/* Row by row, each entry with those left of it: all columns are members. */
static void whole_gram_by_rows(exact_state *s)
{
    const table_entries *e = s->view.by_row;
    const double *value = e->value;
    for (int64_t i = 0; i < s->view.n; i++) {
        if (!(s->curve[i] > 0))
            continue;
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++) {
            double *g = s->gram + (int64_t)e->index[k] * s->gram_room;
            double weighted = value[k] * s->curve[i];
            s->mean[e->index[k]] += weighted;
            for (int64_t l = e->start[i]; l <= k; l++)
                g[e->index[l]] += weighted * value[l];
        }
    }
}

/* Which entries of a row are members: into s->hit. No branches, for nobody
   could foretell them. */
static int64_t hits_of_row(exact_state *s, int64_t row)
{
    const table_entries *e = s->view.by_row;
    const uint32_t *column = e->index + e->start[row];
    int64_t hits = 0, count = e->start[row + 1] - e->start[row];
    for (int64_t k = 0; k < count; k++) {
        s->hit[hits] = (uint32_t)k;
        hits += s->place[column[k]] != 0;
    }
    return hits;
}

/* The members in one row: s->list and s->residual get their places and
   values, the new ones (from `from` on) at the end. Returns how many are
   old, and where the new ones begin. */
static int64_t members_of_row(exact_state *s, int64_t row, int64_t from,
                              int64_t *first_new)
{
    const table_entries *e = s->view.by_row;
    const double *value = (const double *)e->value + e->start[row];
    const uint32_t *column = e->index + e->start[row];
    int64_t old = 0, end = s->view.p, hits = hits_of_row(s, row);
    for (int64_t h = 0; h < hits; h++) {
        int64_t place = (int64_t)s->place[column[s->hit[h]]] - 1;
        int64_t at = place < from ? old++ : --end;
        s->list[at] = place;
        s->residual[at] = value[s->hit[h]];
    }
    *first_new = end;
    return old;
}

/* Row by row, each new member with those before it. Which of the two is the
   row of the matrix is left open until the end. */
static void gram_by_rows(exact_state *s, int64_t from)
{
    const double *x = s->residual;
    int64_t room = s->gram_room, end = s->view.p, first;
    for (int64_t k = 0; k < s->size; k++)
        s->place[s->set[k]] = (uint32_t)k + 1;
    for (int64_t i = 0; i < s->view.n; i++) {
        if (!(s->curve[i] > 0))
            continue;
        int64_t old = members_of_row(s, i, from, &first);
        for (int64_t k = first; k < end; k++) {
            double *g = s->gram + s->list[k] * room, h = x[k] * s->curve[i];
            s->mean[s->list[k]] += h;
            for (int64_t l = 0; l < old; l++)
                g[s->list[l]] += h * x[l];
            for (int64_t l = first; l <= k; l++)
                g[s->list[l]] += h * x[l];
        }
    }
    for (int64_t k = 0; k < s->size; k++)
        s->place[s->set[k]] = 0;
    for (int64_t j = from; j < s->size; j++)
        for (int64_t k = from; k < j; k++)
            s->gram[j * room + k] += s->gram[k * room + j];
}

/* ---- both ---- */

static void eliminate_intercept(exact_state *s, int64_t from)
{
    for (int64_t j = from; j < s->size; j++) {
        double *g = s->gram + j * s->gram_room;
        for (int64_t k = 0; k <= j && s->problem->intercept; k++)
            g[k] -= s->mean[j] / s->mass * s->mean[k];
        for (int64_t k = 0; k < j; k++)
            s->gram[k * s->gram_room + j] = g[k];
    }
}

void exact_gram(exact_state *s)
{
    int64_t from = s->gram_done;
    if (!loss_is_quadratic(s->problem->loss.kind) &&
        !(s->gram_will_do && from == s->size))
        from = 0;
    if (from == s->size)
        return;
    for (int64_t j = from; j < s->size; j++) {
        s->mean[j] = 0;
        memset(s->gram + j * s->gram_room, 0,
               (size_t)s->size * sizeof *s->gram);
    }
    if (s->view.x)
        dense_gram(s, from);
    else if (cost_by_rows(s) > cost_by_columns(s, from))
        gram_by_columns(s, from);
    else if (from == 0 && s->size == s->view.p)
        whole_gram_by_rows(s);
    else
        gram_by_rows(s, from);
    eliminate_intercept(s, from);
    s->gram_done = s->size;
    if (s->gram_most < s->size)
        s->gram_most = s->size;
}
