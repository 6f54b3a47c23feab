/*
 * The columns as the kernel takes them: without NaN, and with the frequent
 * columns of a sparse table written out.
 *
 * The form of a column depends on the records. That is fine because no sum
 * depends on the form: the kernel gives the same bits for both.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* A column with entries in more than one of so many rows is written out. On an
   AVX2 machine, with 100,000 rows, a pass over all rows takes as long as one
   over the listed rows if these are one in 5 (squared) or 3.7 (logistic). */
enum { COLUMNS_ONE_IN = 4 };

static kernel_column stored(const sotto_table *t, int64_t j)
{
    const table_entries *e = &t->by_column;
    if (!t->sparse)
        return (kernel_column){(const float *)t->x + j * t->stride, NULL,
                               t->rows};
    int64_t from = e->start[j], to = e->start[j + 1];
    return (kernel_column){(const float *)e->value + from, e->index + from,
                           to - from};
}

kernel_column columns_get(const curator *c, int64_t j)
{
    if (j == c->table->features)
        return (kernel_column){c->ones, NULL, c->table->rows};
    if (c->frequent && c->frequent[j])
        return (kernel_column){c->frequent[j], NULL, c->table->rows};
    return stored(c->table, j);
}

int64_t columns_entry(const kernel_column *x, int64_t row)
{
    int64_t from = 0, to = x->count;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if ((int64_t)x->index[middle] < row)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A value of row i, not folded. */
static float written(const sotto_table *t, int64_t i, float value)
{
    return t->folded && t->y[i] < 0 ? -value : value;
}

void columns_write_some(const curator *c, int64_t j, int64_t from, int64_t to,
                        float *out)
{
    const sotto_table *t = c->table;
    kernel_column x = columns_get(c, j);
    if (x.index) {
        memset(out, 0, (size_t)(to - from) * sizeof *out);
        for (int64_t k = columns_entry(&x, from);
             k < x.count && (int64_t)x.index[k] < to; k++)
            out[x.index[k] - from] = written(t, x.index[k], x.value[k]);
        return;
    }
    for (int64_t i = from; i < to; i++)
        out[i - from] = written(t, i, x.value[i]);
}

/* Values are clamped by all threads: where there are many of them in one list,
   or by rows of a dense table. */
typedef struct clamp_job {
    float *value;
    const double *bound; /* of each feature; NULL: infinite */
} clamp_job;

static void clamp_values(const curator *c, const void *what, int64_t from,
                         int64_t to, int64_t *sum)
{
    const clamp_job *job = what;
    (void)sum;
    c->kernel->clamp(job->value + from, to - from, INFINITY);
}

static void clamp_rows(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    const clamp_job *job = what;
    (void)sum;
    for (int64_t j = 0; j < c->table->features; j++) {
        float bound = job->bound ? (float)job->bound[j] : INFINITY;
        kernel_column x = stored(c->table, j);
        c->kernel->clamp((float *)x.value + from, to - from, bound);
    }
}

/* NaN becomes 0, which is what it would add to a sum. Readers let no NaN
   through. The kernel relies on this. */
static void drop_nan(const curator *c)
{
    const sotto_table *t = c->table;
    clamp_job of_rows = {t->by_row.value, NULL};
    clamp_job of_columns = {t->by_column.value, NULL};
    if (c->windows)
        return; /* when they are brought */
    if (!t->sparse) {
        rows_sum(c, t->rows, clamp_rows, &of_rows, 0, NULL);
    } else {
        int64_t entries = t->by_row.start[t->rows];
        rows_sum(c, entries, clamp_values, &of_rows, 0, NULL);
        rows_sum(c, entries, clamp_values, &of_columns, 0, NULL);
    }
}

static int is_frequent(const sotto_table *t, int64_t j)
{
    return t->sparse && stored(t, j).count > t->rows / COLUMNS_ONE_IN;
}

static void write_out(const kernel_column *from, float *to)
{
    for (int64_t k = 0; k < from->count; k++)
        to[from->index[k]] = from->value[k];
}

int columns_make(curator *c)
{
    const sotto_table *t = c->table;
    int64_t count = 0, padded = c->rows.padded;
    drop_nan(c);
    for (int64_t j = 0; j < t->features; j++) {
        count += is_frequent(t, j);
        c->value[j] = stored(t, j).value;
    }
    c->value[t->features] = c->ones;
    if (count == 0)
        return 1;
    c->written_bytes = (size_t)(count * padded) * sizeof *c->written;
    c->frequent = secret_take((size_t)t->features * sizeof *c->frequent);
    c->written = secret_take(c->written_bytes);
    if (!c->frequent || !c->written)
        return 0;
    float *next = c->written;
    for (int64_t j = 0; j < t->features; j++)
        if (is_frequent(t, j)) {
            kernel_column column = stored(t, j);
            write_out(&column, next);
            c->frequent[j] = next;
            next += padded;
        }
    return 1;
}

/* ---- bounds ---- */

static float clamped(float x, float bound)
{
    return x > bound ? bound : x < -bound ? -bound : x;
}

/* Bounds are of sizes, so it does not matter whether a column is folded. */
static void clamp_all(curator *c, const double *bound)
{
    const sotto_table *t = c->table;
    const table_entries *e = &t->by_row;
    clamp_job job = {NULL, bound};
    if (c->windows) {
        windows_clamp(c, bound);
        return;
    }
    if (!t->sparse) {
        rows_sum(c, t->rows, clamp_rows, &job, 0, NULL);
        return;
    }
    for (int64_t j = 0; j < t->features; j++) {
        kernel_column x = stored(t, j), y = columns_get(c, j);
        c->kernel->clamp((float *)x.value, x.count, (float)bound[j]);
        c->kernel->clamp((float *)y.value, y.count, (float)bound[j]);
    }
    for (int64_t k = 0; k < e->start[t->rows]; k++)
        ((float *)e->value)[k] =
            clamped(((float *)e->value)[k], (float)bound[e->index[k]]);
}

/* Whether nothing was made of the columns yet, which bounds would change. */
static int are_untouched(const curator *c)
{
    int64_t count = c->table->features + c->policy.intercept;
    int fine = !c->choice && !c->class_choice && !c->kept && !c->anchor &&
               !c->margins_stale && c->pending_by == 0;
    for (int i = 0; i < c->plan.items; i++)
        fine &= question_of(c->plan.item[i].kind)->rows == ROWS_ALL;
    for (int64_t j = 0; j < count; j++)
        fine &= c->at[j] == 0 && c->scale[j] == 0;
    return fine && c->policy.buckets == 0;
}

sotto_status curator_tell_bounds(curator *c, const double *bound,
                                 sotto_error *error)
{
    int fine = are_untouched(c);
    for (int64_t j = 0; fine && j < c->table->features; j++)
        fine = bound[j] > 0;
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "bounds are told before weights and scales, and are "
                         "above 0");
    ranks_note(c->ranks, bound, (size_t)c->table->features * sizeof *bound);
    kernel_mode before = kernel_enter();
    clamp_all(c, bound);
    kernel_leave(before);
    return SOTTO_OK;
}

void columns_free(curator *c)
{
    secret_give(c->written, c->written_bytes);
    secret_give(c->frequent, (size_t)c->table->features * sizeof *c->frequent);
}
