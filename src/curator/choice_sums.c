/*
 * The sums of all coordinates, counted anew by all threads: by rows of a dense
 * table, by columns of a sparse one. Which thread counts what decides no
 * integer.
 */
#include "choice.h"

#include <string.h>

/* Rows of a dense table. Columns are walked through in one go: long streams are
   what the processor can foresee. */
static void count_rows(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    const choice *k = c->choice;
    (void)what;
    for (int64_t j = 0; j < k->cells; j++) {
        kernel_column x = columns_get(c, j);
        x.value += from;
        sum[j] += c->kernel->sum(c->slope + from, to - from, &x, k->factor[j]);
    }
}

/* The first column whose entries begin at this place or after it. */
static int64_t column_at(const table_entries *e, int64_t columns, int64_t place)
{
    int64_t low = 0, high = columns;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (e->start[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The columns of a sparse table whose entries begin at these places: each is
   counted by one thread. */
static void count_columns(const curator *c, const void *what, int64_t from,
                          int64_t to, int64_t *sum)
{
    const choice *k = c->choice;
    const table_entries *e = &c->table->by_column;
    int64_t last = column_at(e, k->features, to);
    (void)what;
    (void)sum;
    for (int64_t j = column_at(e, k->features, from); j < last; j++) {
        kernel_column x = columns_get(c, j);
        k->sum[j] = c->kernel->sum(c->slope, c->rows.padded, &x, k->factor[j]);
    }
}

/* What has no entries has a sum of 0. */
void choice_sums(curator *c)
{
    choice *k = c->choice;
    memset(k->sum, 0, k->sum_bytes);
    if (!c->table->sparse) {
        rows_sum(c, c->rows.padded, count_rows, NULL, (size_t)k->cells, k->sum);
        return;
    }
    rows_sum(c, c->table->by_column.start[k->features], count_columns, NULL, 0,
             NULL);
    for (int64_t j = k->features; j < k->cells; j++) { /* the intercept */
        kernel_column x = columns_get(c, j);
        k->sum[j] = c->kernel->sum(c->slope, c->rows.padded, &x, k->factor[j]);
    }
}
