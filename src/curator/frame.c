/*
 * The rows in other coordinates, which the solver tells: Lemma C16 of
 * docs/privacy.
 *
 *   kept      z_i = (x_ij - centre_j) r_j, r_j = 1 / scale_j, 1 for the
 *             intercept, each rounded to a float; after a map A: A' z_i, summed
 *             in the order of j in floats
 *             with the target: (y_i - centre) / scale behind them, as a float
 *   length    |z_i|: the root of the sum of squares of what is kept, in order,
 *             in double, then a float
 *   margin    z_i'w of a point w, in floats: four sums of every fourth product
 *
 * What is kept of a row is a function of that row and of told numbers. The
 * only call out of plain arithmetic is sqrt, which IEEE defines.
 *
 * The rows that are kept take the place of the table's columns: from then on no
 * question about columns is answered, and the memory of a dense table goes back
 * as it is taken over.
 */
#include "internal.h"

#include <math.h>

/* ---- memory ---- */

static void forget_map(curator *c)
{
    mem_free(c->map);
    c->map = NULL;
}

static void forget_point(curator *c)
{
    mem_free(c->point);
    c->point = NULL;
    c->at_point = 0;
}

void frame_free(curator *c)
{
    if (c->windows)
        windows_forget_kept(c);
    secret_give(c->kept, c->kept_bytes);
    secret_give(c->length, c->length_bytes);
    c->kept = NULL;
    c->length = NULL;
    forget_map(c);
    forget_point(c);
    classes_forget(c);
}

static sotto_status frame_memory(curator *c, sotto_error *error)
{
    size_t rows = (size_t)c->rows.padded + KERNEL_TILE, cells;
    if (!size_multiply(rows, (size_t)c->width * sizeof *c->kept, &cells))
        return error_memory(error);
    c->kept_bytes = cells;
    c->length_bytes = rows * sizeof *c->length;
    c->length = secret_take(c->length_bytes);
    if (c->windows && c->length)
        return windows_keep(c, error);
    c->kept = secret_take(c->kept_bytes);
    return c->kept && c->length ? SOTTO_OK : error_memory(error);
}

kernel_kept frame_kept(const curator *c)
{
    int classes = loss_has_classes(c->policy.loss.kind);
    return (kernel_kept){.width = c->width,
                         .value = c->kept,
                         .length = c->length,
                         .sign = classes ? c->ones : NULL,
                         .origin = classes ? NULL : c->origin,
                         .at = c->at_point ? NULL : c->point};
}

/* ---- a frame ---- */

/* Rows of which a column's values stay in a cache; and after so many the memory
   of columns goes back. */
enum { FRAME_ROWS = 512, FRAME_CHUNK = 1 << 15 };

typedef struct frame_ask {
    const ask_frame *frame;
    int64_t from; /* the first row */
    int takes;    /* the columns, which are wiped */
} frame_ask;

/* Column j of a few rows. The values of a list, or of a written column, are not
   folded. */
static void fill_column(const curator *c, const frame_ask *a, int64_t j,
                        int64_t from, int64_t to)
{
    const ask_frame *f = a->frame;
    const sotto_table *t = c->table;
    int64_t feature = f->feature ? f->feature[j] : j;
    float few[FRAME_ROWS] = {0}, *x = few;
    kernel_kept k = frame_kept(c);
    if (t->sparse)
        columns_write_some(c, feature, from, to < t->rows ? to : t->rows, few);
    else
        x = (float *)t->x + feature * t->stride + from;
    c->kernel->kept_fill(&k, j, x,
                         !t->sparse && t->folded ? c->ones + from : NULL,
                         f->centre[j], 1 / f->scale[j], from, to);
    if (a->takes)
        mem_wipe(x, (size_t)(to - from) * sizeof *x);
}

/* What comes behind the features; a row that is not there stays 0. */
static void fill_rest(const curator *c, const ask_frame *f, int64_t from,
                      int64_t to)
{
    kernel_kept k = frame_kept(c);
    for (int64_t i = from; i < to; i++) {
        float *z = kernel_kept_row(&k, i);
        for (int64_t j = 0; i >= c->table->rows && j < f->features; j++)
            z[j * KERNEL_TILE] = 0;
        if (i >= c->table->rows)
            continue;
        if (c->policy.intercept)
            z[f->features * KERNEL_TILE] = 1;
        double y = c->with_target
                       ? (c->table->y[i] - f->target_centre) / f->target_scale
                       : 0;
        if (c->with_target)
            z[(c->width - 1) * KERNEL_TILE] = isfinite((float)y) ? (float)y : 0;
    }
}

static void fill_rows(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    const frame_ask *a = what;
    kernel_kept k = frame_kept(c);
    (void)sum;
    for (int64_t i = from + a->from; i < to + a->from; i += FRAME_ROWS) {
        int64_t end = to + a->from;
        end = i + FRAME_ROWS < end ? i + FRAME_ROWS : end;
        for (int64_t j = 0; j < a->frame->features; j++)
            fill_column(c, a, j, i, end);
        fill_rest(c, a->frame, i, end);
        c->kernel->kept_lengths(&k, i, end);
    }
}

/* The memory of rows [from, to) of all columns, which were wiped. What a chunk
   left of the page before it goes with the next. */
static void give_back(const sotto_table *t, int64_t from, int64_t to)
{
    const size_t page = 4096;
    for (int64_t j = 0; j < t->features; j++) {
        size_t begin = (size_t)(j * t->stride + from) * sizeof(float);
        size_t end = (size_t)(j * t->stride + to) * sizeof(float);
        mem_discard(t->x, from ? begin - page : begin, end);
    }
}

/* Columns on a disk come and go window by window. */
static void fill_windows(curator *c, const ask_frame *frame)
{
    frame_ask a = {frame, 0, 0};
    rows_walk(c, NEEDS_COLUMNS | CHANGES_KEPT, c->rows.padded, fill_rows, &a, 0,
              NULL);
    table_forget_columns(c->table);
}

static void fill_all(curator *c, const ask_frame *frame)
{
    sotto_table *t = c->table;
    frame_ask a = {frame, 0, !t->sparse && !frame->feature};
    if (c->windows) {
        fill_windows(c, frame);
        return;
    }
    for (; a.from < c->rows.padded; a.from += FRAME_CHUNK) {
        int64_t left = c->rows.padded - a.from;
        int64_t rows = left < FRAME_CHUNK ? left : FRAME_CHUNK;
        rows_sum(c, rows, fill_rows, &a, 0, NULL);
        if (a.takes)
            give_back(t, a.from, a.from + rows);
    }
    if (!a.takes)
        return;
    mem_unmap(t->x, t->x_bytes);
    t->x = NULL;
    t->x_bytes = 0;
}

static int is_frame(const curator *c, const ask_frame *f)
{
    int64_t all = c->table->features;
    int fine = f->feature ? f->features >= 0 && f->features <= all
                          : f->features == all; /* no more draws are charged */
    fine &=
        f->target_scale == 0 || (c->table->y && is_moderate(f->target_scale) &&
                                 fabs(f->target_centre) <= 0x1p100);
    for (int64_t j = 0; fine && j < f->features; j++)
        fine &= is_moderate(f->scale[j]) && fabs(f->centre[j]) <= 0x1p100 &&
                (!f->feature || (f->feature[j] >= 0 && f->feature[j] < all));
    return fine;
}

sotto_status curator_tell_frame(curator *c, const ask_frame *frame,
                                sotto_error *error)
{
    if (c->kept || c->policy.buckets || !is_frame(c, frame))
        return error_set(error, SOTTO_USAGE,
                         "a frame is told once, with features that there are "
                         "and scales from 2^-100 to 2^100");
    c->with_target = frame->target_scale != 0;
    c->width = frame->features + c->policy.intercept + c->with_target;
    sotto_status status =
        c->width > 1 << 20 ? error_memory(error) : frame_memory(c, error);
    if (status != SOTTO_OK) {
        frame_free(c);
        return status;
    }
    choice_free(c);
    class_choice_free(c);
    ranks_note(c->ranks, frame->centre,
               (size_t)frame->features * sizeof *frame->centre);
    ranks_note(c->ranks, frame->scale,
               (size_t)frame->features * sizeof *frame->scale);
    kernel_mode before = kernel_enter();
    fill_all(c, frame);
    kernel_leave(before);
    return rows_status(c, error);
}

/* ---- a pass over the rows ---- */

/* Rows that are still in a cache when a map has been applied to them. */
enum { FRAME_MAPPED = 1024 };

typedef struct frame_job {
    rows_part *part;
    const void *what;
} frame_job;

/* A map that was told waits for the next pass, which has the rows at hand. */
static void run_part(const curator *c, const void *what, int64_t from,
                     int64_t to, int64_t *sum)
{
    const frame_job *job = what;
    kernel_kept k = frame_kept(c);
    int64_t rows = c->map ? FRAME_MAPPED : to - from;
    for (int64_t i = from; i < to; i += rows) {
        int64_t end = i + rows < to ? i + rows : to;
        if (c->map)
            c->kernel->kept_map(&k, c->map, i, end);
        if (job->part)
            job->part(c, job->what, i, end, sum);
    }
}

void frame_pass(curator *c, rows_part *part, const void *what, size_t sums,
                int64_t *out)
{
    frame_job job = {part, what};
    rows_walk(c, NEEDS_KEPT | (c->map ? CHANGES_KEPT : 0), c->rows.padded,
              run_part, &job, sums, out);
    forget_map(c);
}

static void place_rows(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    kernel_kept k = frame_kept(c);
    (void)what;
    (void)sum;
    c->kernel->kept_margins(&c->rows, &k, from, to);
}

void frame_margins(curator *c)
{
    if (c->at_point)
        return;
    frame_pass(c, place_rows, NULL, 0, NULL);
    c->at_point = 1;
}

/* ---- telling ---- */

float frame_quotient(double over, double under)
{
    volatile double told = over; /* so that it stays between the two calls */
    kernel_mode before = kernel_enter();
    volatile float out = (float)(told / under);
    kernel_leave(before);
    return out;
}

float *frame_floats(const double *from, int64_t count)
{
    float *out = mem_zeroed((size_t)count + 1, sizeof *out);
    kernel_mode before = kernel_enter();
    for (int64_t i = 0; out && i < count; i++)
        out[i] = (float)from[i];
    kernel_leave(before);
    return out;
}

int frame_takes(const curator *c, const double *number, int64_t count)
{
    int fine = c->kept && !c->with_target;
    for (int64_t k = 0; fine && k < count; k++)
        fine &= fabs(number[k]) <= 0x1p100;
    return fine;
}

sotto_status curator_tell_map(curator *c, const double *map, sotto_error *error)
{
    if (c->width > KERNEL_WIDEST || !frame_takes(c, map, c->width * c->width))
        return error_set(error, SOTTO_USAGE,
                         "a map is told after a frame of at most 4096 "
                         "coordinates, with numbers up to 2^100");
    float *own = frame_floats(map, c->width * c->width);
    if (!own)
        return error_memory(error);
    ranks_note(c->ranks, own, (size_t)(c->width * c->width) * sizeof *own);
    classes_forget(c);
    forget_point(c);
    if (c->map) { /* one after the other: together they are rounded otherwise */
        kernel_mode before = kernel_enter();
        frame_pass(c, NULL, NULL, 0, NULL);
        kernel_leave(before);
    }
    c->map = own;
    return SOTTO_OK;
}

sotto_status curator_tell_point(curator *c, const double *at,
                                sotto_error *error)
{
    if (c->policy.classes || !frame_takes(c, at, c->width))
        return error_set(error, SOTTO_USAGE,
                         "a point is told after a frame, with numbers up to "
                         "2^100, of a table with at most two classes");
    float *own = frame_floats(at, c->width);
    if (!own)
        return error_memory(error);
    ranks_note(c->ranks, own, (size_t)c->width * sizeof *own);
    forget_point(c);
    c->point = own;
    return SOTTO_OK;
}
