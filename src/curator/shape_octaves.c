/*
 * Counts of the sizes of columns (shape.c has the formulas), without looking
 * for the range of each value.
 *
 * A size |x| / bound grows with the bits of |x|, and so does its range. Values
 * are counted by their octave: all whose bits, less `from`, have the same
 * exponent. Where the least and the largest value of an octave are in one
 * range, all of it is. Edges mostly are a factor of 2 apart: with the bits of
 * the first value above one of them as `from`, octaves are ranges. Where an
 * octave is not, and has a value in it, its column is counted value by value.
 * Both ways add the same integers to the same ranges.
 */
#include "shape.h"

#include <math.h>
#include <string.h>

enum {
    OCTAVES_COLUMNS = 32, /* at a time; */
    OCTAVES_MOST = 128,   /* where a pass over the rows is one over a disk */
    OCTAVES_ROWS = 4096,  /* whose weights stay in a cache */
    OCTAVE_BITS = 23
};

static kernel_column column_of(const curator *c, const shape_ask *a, int64_t j)
{
    return columns_get(c, a->shape->feature ? a->shape->feature[j] : j);
}

/* Whether the sizes of column j are those of its values as they are stored. */
static int is_centred(const shape_ask *a, int64_t j)
{
    return !a->shape->centre || a->shape->centre[j] == 0;
}

/* ---- octaves and ranges ---- */

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int64_t range_at(const shape_ask *a, int64_t j, uint32_t bits)
{
    double size = fabs((double)float_of(bits) / a->shape->bound[j]);
    return shape_range(a->edge, a->edges, size);
}

/* The bits of the first value above an edge that values can be above, within
   their octave. 0 where there is none: then octaves may be no ranges. */
static uint32_t octaves_from(const shape_ask *a, int64_t j)
{
    for (int64_t k = 0; k < a->edges; k++) {
        double at = a->edge[k] * a->shape->bound[j];
        if (!(at > 0x1p-120 && at < 0x1p120))
            continue;
        uint32_t bits = bits_of((float)at) - 2;
        for (int up = 0; up < 4 && range_at(a, j, bits) > k; up++)
            bits++;
        return bits & ((1u << OCTAVE_BITS) - 1);
    }
    return 0;
}

/* The least and the largest bits of |x| in octave k. Behind the last whole
   octave is what is below `from`. */
static void octave_ends(int k, uint32_t from, uint32_t *least, uint32_t *most)
{
    const uint32_t infinite = 0x7f800000u;
    int below = from && k == KERNEL_OCTAVES - 1;
    *least = below ? 0 : ((uint32_t)k << OCTAVE_BITS) + from;
    *most = below ? from - 1 : *least + (1u << OCTAVE_BITS) - 1;
    *most = *most > infinite ? infinite : *most;
}

/* Adds the octaves of column j to its ranges. 0: a filled one is no range. */
static int add_octaves(const shape_ask *a, int64_t j, const int64_t *octave,
                       int64_t *out)
{
    uint32_t from = octaves_from(a, j), least, most;
    for (int k = 0; k < KERNEL_OCTAVES; k++) {
        octave_ends(k, from, &least, &most);
        if (octave[k] && range_at(a, j, least) != range_at(a, j, most))
            return 0;
    }
    for (int k = 0; k < KERNEL_OCTAVES; k++) {
        octave_ends(k, from, &least, &most);
        if (octave[k])
            out[range_at(a, j, least)] += octave[k];
    }
    return 1;
}

/* ---- dense columns ---- */

typedef struct octaves_job {
    const shape_ask *ask;
    int64_t first, count; /* columns */
    uint32_t from[OCTAVES_MOST];
} octaves_job;

static int is_counted_by_octaves(const curator *c, const shape_ask *a,
                                 int64_t j)
{
    return is_centred(a, j) && !column_of(c, a, j).index;
}

/* The integers of some rows; NULL: all are the same. */
static const int32_t *weights_of(const curator *c, int64_t from, int64_t count,
                                 int32_t *weight)
{
    for (int64_t k = 0; c->weight && k < count; k++)
        weight[k] = (int32_t)integer_of(row_share(c, from + k));
    return c->weight ? weight : NULL;
}

static void count_octaves(const curator *c, const void *what, int64_t from,
                          int64_t to, int64_t *sum)
{
    const octaves_job *job = what;
    int32_t room[OCTAVES_ROWS];
    for (int64_t i = from; i < to; i += OCTAVES_ROWS) {
        int64_t count = to - i < OCTAVES_ROWS ? to - i : OCTAVES_ROWS;
        const int32_t *weight = weights_of(c, i, count, room);
        for (int64_t k = 0; k < job->count; k++) {
            int64_t j = job->first + k;
            if (is_counted_by_octaves(c, job->ask, j))
                c->kernel->octaves(column_of(c, job->ask, j).value + i, weight,
                                   count, job->from[k],
                                   sum + k * KERNEL_OCTAVES);
        }
    }
}

/* ---- columns that are lists ---- */

/* Rows without an entry are in the range of 0: what all rows add, without what
   those with an entry do. */
static void count_entries(const curator *c, const shape_ask *a, int64_t j,
                          int64_t all, int64_t *out)
{
    kernel_column x = column_of(c, a, j);
    for (int64_t k = 0; k < x.count; k++) {
        int64_t weight =
            c->weight ? integer_of(row_share(c, x.index[k])) : KERNEL_CLIP;
        out[range_at(a, j, bits_of(x.value[k]))] += weight;
        all -= weight;
    }
    out[range_at(a, j, 0)] += all;
}

static void add_weights(const curator *c, const void *what, int64_t from,
                        int64_t to, int64_t *sum)
{
    (void)what;
    for (int64_t i = from; i < to; i++)
        *sum += c->weight ? integer_of(row_share(c, i)) : KERNEL_CLIP;
}

/* ---- all columns ---- */

static void count_column(const curator *c, const shape_ask *a, int64_t j,
                         const int64_t *octave, int64_t all, int64_t *out)
{
    if (is_counted_by_octaves(c, a, j)) {
        if (!add_octaves(a, j, octave, out))
            shape_count_values(c, a, j, out);
    } else if (is_centred(a, j)) {
        count_entries(c, a, j, all, out);
    } else {
        shape_count_values(c, a, j, out);
    }
}

/* The octaves of the job's columns that are not lists. */
static void sum_octaves(const curator *c, octaves_job *job, int64_t *octave)
{
    int some = 0;
    for (int64_t k = 0; k < job->count; k++) {
        job->from[k] = octaves_from(job->ask, job->first + k);
        some |= is_counted_by_octaves(c, job->ask, job->first + k);
    }
    if (some)
        rows_walk(c, NEEDS_COLUMNS, c->table->rows, count_octaves, job,
                  (size_t)(job->count * KERNEL_OCTAVES), octave);
}

void octaves_sum_counts(const curator *c, const shape_ask *a, int64_t *out)
{
    int64_t columns = shape_features(c, a), ranges = a->edges + 1, all = 0;
    int64_t octave[OCTAVES_MOST * KERNEL_OCTAVES];
    int64_t most = c->windows ? OCTAVES_MOST : OCTAVES_COLUMNS;
    octaves_job job = {.ask = a};
    memset(out, 0, (size_t)(columns * ranges) * sizeof *out);
    if (c->table->sparse)
        rows_sum(c, c->table->rows, add_weights, NULL, 1, &all);
    for (; job.first < columns; job.first += most) {
        int64_t left = columns - job.first;
        job.count = left < most ? left : most;
        memset(octave, 0,
               (size_t)(job.count * KERNEL_OCTAVES) * sizeof *octave);
        sum_octaves(c, &job, octave);
        for (int64_t k = 0; k < job.count; k++)
            count_column(c, a, job.first + k, octave + k * KERNEL_OCTAVES, all,
                         out + (job.first + k) * ranges);
    }
    mem_wipe(octave, sizeof octave);
}
