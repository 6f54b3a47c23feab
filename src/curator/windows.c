/*
 * Rows that are on a disk (docs/privacy, Lemma C29). Columns come from the
 * table's file. What is kept of them goes to a file of our own without a name,
 * beside the table. Both have addresses for all rows and memory for those of a
 * window, so that loops over rows do not notice.
 *
 * Values are clamped as they are brought: a NaN becomes 0, and bounds that were
 * told hold from then on, as they would in memory.
 */
#include "internal.h"

#include <math.h>

typedef struct windows {
    float *bound; /* of each feature; infinite: none was told */
    spill_file kept;
    int claimed;         /* by the first failure, of whatever thread */
    sotto_status status; /* of it; looked at when the others have ended */
    sotto_error error;
} windows;

int windows_make(curator *c)
{
    int64_t features = c->table->features;
    if (!c->table->stream)
        return 1;
    c->windows = mem_zeroed(1, sizeof *c->windows);
    if (!c->windows)
        return 0;
    c->windows->kept.descriptor = -1;
    c->windows->bound = mem_zeroed((size_t)features, sizeof(float));
    for (int64_t j = 0; c->windows->bound && j < features; j++)
        c->windows->bound[j] = INFINITY;
    return c->windows->bound != NULL;
}

void windows_free(curator *c)
{
    if (!c->windows)
        return;
    mem_free(c->windows->bound);
    mem_free(c->windows);
    c->windows = NULL;
}

int64_t windows_rows(const curator *c)
{
    return table_window(c->table);
}

sotto_status rows_status(const curator *c, sotto_error *error)
{
    if (!c->windows || c->windows->status == SOTTO_OK)
        return SOTTO_OK;
    return error_set(error, c->windows->status, "%s",
                     c->windows->error.message);
}

static void failed(const curator *c, sotto_status status,
                   const sotto_error *error)
{
    if (status == SOTTO_OK ||
        __atomic_exchange_n(&c->windows->claimed, 1, __ATOMIC_RELAXED))
        return;
    c->windows->status = status;
    c->windows->error = *error;
}

void windows_refuse(const curator *c)
{
    sotto_error error;
    failed(c,
           error_set(&error, SOTTO_FAILED,
                     "internal error: a column of a table on a disk"),
           &error);
}

/* ---- columns ---- */

static void bring_columns(const curator *c, int64_t from, int64_t to)
{
    const sotto_table *t = c->table;
    sotto_error error;
    failed(c, table_bring(t, from, to, &error), &error);
    int64_t end = to < t->rows ? to : t->rows;
    for (int64_t j = 0; from < end && j < t->features; j++)
        c->kernel->clamp((float *)t->x + j * t->stride + from, end - from,
                         c->windows->bound[j]);
}

void windows_clamp(curator *c, const double *bound)
{
    for (int64_t j = 0; j < c->table->features; j++)
        if ((float)bound[j] < c->windows->bound[j])
            c->windows->bound[j] = (float)bound[j];
}

/* ---- what is kept ---- */

sotto_status windows_keep(curator *c, sotto_error *error)
{
    sotto_status status = spill_open(&c->windows->kept, table_folder(c->table),
                                     c->kept_bytes, error);
    if (status != SOTTO_OK)
        return status;
    c->kept = mem_reserve(c->kept_bytes);
    keep_out_of_dumps(c->kept, c->kept_bytes);
    return c->kept ? SOTTO_OK : error_memory(error);
}

/* Its pages go back to the system, which hands them out as zeros. */
void windows_forget_kept(curator *c)
{
    spill_close(&c->windows->kept);
    mem_unmap(c->kept, c->kept_bytes);
    c->kept = NULL;
}

/* Where rows [from, to) are; a window has whole tiles. */
static size_t kept_at(const curator *c, int64_t row)
{
    return (size_t)row * (size_t)c->width * sizeof *c->kept;
}

static void bring_kept(const curator *c, int64_t from, int64_t to)
{
    sotto_error error;
    size_t at = kept_at(c, from), end = kept_at(c, to);
    failed(c,
           spill_read(&c->windows->kept, at, (char *)c->kept + at, end - at,
                      &error),
           &error);
}

static void write_kept(const curator *c, int64_t from, int64_t to)
{
    sotto_error error;
    size_t at = kept_at(c, from), end = kept_at(c, to);
    failed(c,
           spill_write(&c->windows->kept, at, (char *)c->kept + at, end - at,
                       &error),
           &error);
}

/* ---- both ---- */

void windows_bring(const curator *c, int needs, int64_t from, int64_t to)
{
    kernel_mode before = kernel_enter();
    if (needs & NEEDS_COLUMNS)
        bring_columns(c, from, to);
    if (needs & NEEDS_KEPT)
        bring_kept(c, from, to);
    kernel_leave(before);
}

void windows_send_back(const curator *c, int needs, int64_t from, int64_t to)
{
    if (needs & CHANGES_KEPT)
        write_kept(c, from, to);
    if (needs & (NEEDS_KEPT | CHANGES_KEPT))
        mem_discard(c->kept, kept_at(c, from), kept_at(c, to));
    if (needs & NEEDS_COLUMNS)
        table_send_back(c->table, from, to);
}
