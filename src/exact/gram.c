/*
 * G = X'HX of the working set, H being the curvatures, with the intercept
 * eliminated: G_jk - v_j v_k / mass, v_j = sum_i h_i x_ij. Once it is there,
 * sweeps over the model cost nothing that depends on the rows.
 */
#include "state.h"

#include <math.h>
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

/* Columns of the block: x sqrt(h) for each member, and sqrt(h) itself. */
static void pack_block(exact_state *s, const int64_t *row, int count)
{
    const exact_view *v = &s->view;
    double root[EXACT_PAD];
    for (int r = 0; r < count; r++)
        root[r] = sqrt(s->curve[row[r]]);
    for (int64_t k = 0; k < s->size; k++) {
        const double *x = v->x + s->set[k] * v->stride;
        double *to = s->block + k * EXACT_PAD, centre = v->centre[s->set[k]];
        for (int r = 0; r < count; r++)
            to[r] = (x[row[r]] - centre) * root[r];
        for (int r = count; r < EXACT_PAD; r++)
            to[r] = 0;
    }
    double *last = s->block + s->size * EXACT_PAD;
    for (int r = 0; r < EXACT_PAD; r++)
        last[r] = r < count ? root[r] : 0;
}

/* Two columns against two: each load serves two products. */
static void multiply_2x2(const double *a, const double *b, double *g, double *h)
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

static void multiply_block(exact_state *s, int64_t from)
{
    const double *block = s->block;
    const double *last = block + s->size * EXACT_PAD;
    for (int64_t j = from; j < s->size; j++)
        s->mean[j] += multiply_1x1(block + j * EXACT_PAD, last);
    int64_t j = from;
    for (; j + 2 <= s->size; j += 2) {
        const double *a = block + j * EXACT_PAD;
        double *g = s->gram + j * s->gram_room, *h = g + s->gram_room;
        int64_t k = 0;
        for (; k + 2 <= j + 2; k += 2)
            multiply_2x2(a, block + k * EXACT_PAD, g + k, h + k);
        if (k == j + 1) /* the corner of an odd start */
            h[k] += multiply_1x1(a + EXACT_PAD, block + k * EXACT_PAD);
    }
    if (j < s->size)
        for (int64_t k = 0; k <= j; k++)
            s->gram[j * s->gram_room + k] +=
                multiply_1x1(block + j * EXACT_PAD, block + k * EXACT_PAD);
}

/* Rows without curvature (most, for the hinges) are left out. */
static void dense_gram(exact_state *s, int64_t from)
{
    int64_t row[EXACT_PAD];
    int count = 0;
    for (int64_t i = 0; i < s->view.n; i++) {
        if (s->curve[i] > 0)
            row[count++] = i;
        if (count == EXACT_PAD || (i == s->view.n - 1 && count > 0)) {
            pack_block(s, row, count);
            multiply_block(s, from);
            count = 0;
        }
    }
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
