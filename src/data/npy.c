/*
 * NumPy .npy: a two-dimensional array of float32 or float64, in C or
 * Fortran order. Columns are called 1, 2, ...; NaN and infinities are
 * missing values.
 */
#include "npy.h"
#include "generate.h"
#include "row_value.h"

#include <string.h>

enum { NPY_CHUNK = 1 << 20 };

/* ---- the plan ---- */

static sotto_status npy_plan(column_plan *p, const char *file, int64_t columns,
                             const sotto_options *options, sotto_error *error)
{
    file_header h;
    sotto_status status = npy_names(&h, columns, error);
    if (status == SOTTO_OK)
        status = plan_columns(p, file, NAMES_COUNTED, h.name, columns, options,
                              error);
    header_free(&h);
    if (status != SOTTO_OK)
        return status;
    p->row_word = "row";
    p->width = p->for_model ? p->width : columns;
    status = plan_need_numbers(p, error);
    if (status == SOTTO_OK)
        status = plan_part_numbers(p, error);
    if (status != SOTTO_OK) {
        plan_free(p);
        return status;
    }
    for (int64_t i = 0; i < p->columns; i++)
        if (column_is_text(&p->column[i])) {
            shown name = show_name(p->column[i].name);
            plan_free(p);
            return error_set(error, SOTTO_USAGE,
                             "%s: column %s: a .npy file holds numbers; "
                             "categories, dates, booleans and units need CSV",
                             show_name(file).text, name.text);
        }
    return SOTTO_OK;
}

/* ---- values ---- */

static double npy_element(const char *bytes, size_t element)
{
    double d;
    float f;
    if (element == sizeof d) {
        memcpy(&d, bytes, sizeof d);
        return d;
    }
    memcpy(&f, bytes, sizeof f);
    return f;
}

static int npy_store(worker *w, const column *c, double v, int64_t row,
                     int64_t i)
{
    const char *expected = NULL;
    if (c->role == COLUMN_DROP)
        return 1;
    w->row = row + 1;
    if (isfinite(v) ? value_number(w, c, v, NULL, &expected)
                    : value_missing(w, c, &expected))
        return 1;
    w->block->fault = (fault){expected, NULL, row + 1, i + 1};
    return 0;
}

static sotto_status npy_fault(const column_plan *p, const fault *f,
                              sotto_error *error)
{
    return error_set(error, SOTTO_DATA, "%s: row %lld, column %lld: %s",
                     show_name(p->file).text, (long long)f->line,
                     (long long)f->place, f->expected);
}

/* ---- C order: the file holds row after row ---- */

/* Whether the row belongs to a part that is read. */
static int npy_in_part(const column_plan *p, const char *row, size_t element)
{
    if (!p->part)
        return 1;
    row += (size_t)(p->part - p->column) * element;
    return value_part_number(p, npy_element(row, element));
}

static int npy_rows(worker *w, const char *bytes, int64_t rows,
                    const npy_array *a, int64_t first)
{
    /* in locals, which the compiler need not load again for each value */
    const column *of = w->plan->column;
    int64_t columns = a->columns;
    size_t element = a->element;
    for (int64_t r = 0; r < rows; r++) {
        const char *at = bytes + (size_t)(r * columns) * element;
        int good = npy_in_part(w->plan, at, element);
        for (int64_t i = 0; i < columns && good; i++, at += element)
            good = npy_store(w, &of[i], npy_element(at, element), first + r, i);
        if (good)
            worker_row_dense(w);
        else if (!worker_bad_dense(w))
            return 0;
    }
    return 1;
}

static sotto_status npy_by_row(worker *w, source *s, const npy_array *a,
                               sotto_error *error)
{
    size_t row_bytes = (size_t)a->columns * a->element;
    int64_t some = (int64_t)(NPY_CHUNK / (row_bytes ? row_bytes : 1)) + 1;
    char *chunk = mem_zeroed((size_t)some, row_bytes);
    sotto_status status = chunk ? SOTTO_OK : error_memory(error);
    for (int64_t at = 0; at < a->rows && status == SOTTO_OK; at += some) {
        int64_t rows = a->rows - at < some ? a->rows - at : some;
        status = npy_take(s, chunk, (size_t)rows * row_bytes, error);
        if (status == SOTTO_OK && !npy_rows(w, chunk, rows, a, at))
            status = npy_fault(w->plan, &w->block->fault, error);
    }
    worker_end_dense(w);
    mem_wipe(chunk, chunk ? (size_t)some * row_bytes : 0);
    mem_free(chunk);
    return status;
}

/* ---- Fortran order: the file holds column after column, so which rows are
   bad is known at the end ---- */

typedef struct npy_columns_job {
    worker *w;
    const npy_array *a;
    unsigned char *bad; /* by row */
} npy_columns_job;

static void npy_put(worker *w, const column *c, int64_t row)
{
    block *b = w->block;
    double v = c->role == COLUMN_NUMBER ? w->x[c->feature * WORKER_ROWS] : 0;
    if (c->role == COLUMN_TARGET)
        b->y[row] = w->y;
    else if (c->role == COLUMN_WEIGHT)
        b->weight[row] = w->weight;
    else if (c->role == COLUMN_NUMBER && w->plan->is_double)
        ((double *)b->x)[c->feature * b->room + row] = v;
    else if (c->role == COLUMN_NUMBER)
        ((float *)b->x)[c->feature * b->room + row] = (float)v;
}

static void npy_range(worker *w, const column *c)
{
    if (w->range && c->role == COLUMN_NUMBER && !c->bounded)
        range_add(&w->range[c->feature], w->x + c->feature * WORKER_ROWS, 1);
}

static int npy_column(npy_columns_job *job, const char *bytes, int64_t rows,
                      int64_t first, int64_t i)
{
    worker *w = job->w;
    const column *c = &w->plan->column[i];
    for (int64_t r = 0; r < rows; r++) {
        double v =
            npy_element(bytes + (size_t)r * job->a->element, job->a->element);
        if (c == w->plan->part ? value_part_number(w->plan, v)
                               : npy_store(w, c, v, first + r, i)) {
            npy_put(w, c, first + r);
            npy_range(w, c);
        } else if (w->plan->drop_bad)
            job->bad[first + r] = 1;
        else
            return 0;
    }
    return 1;
}

/* Moves the good rows of one array together; zeros are behind them. */
static void npy_squeeze(void *array, size_t element, const npy_columns_job *job)
{
    char *to = array, *from = array;
    for (int64_t r = 0; r < job->a->rows; r++, from += element)
        if (!job->bad[r]) {
            memmove(to, from, element);
            to += element;
        }
    memset(to, 0, (size_t)(from - to));
}

/* Bad rows keep their place, and hold nothing. */
static void npy_mark(block *b, const column_plan *p, const npy_columns_job *job)
{
    size_t element = plan_element(p);
    for (int64_t r = 0; r < job->a->rows; r++) {
        b->bad[r] = job->bad[r];
        for (int64_t j = 0; job->bad[r] && j < p->features; j++)
            memset((char *)b->x + (size_t)(j * b->room + r) * element, 0,
                   element);
    }
    memset(job->bad, 0, (size_t)job->a->rows);
}

static void npy_fold(block *b, int64_t features)
{
    for (int64_t j = 0; j < features; j++)
        for (int64_t r = 0; r < b->rows; r++)
            ((float *)b->x)[j * b->room + r] *= (float)b->y[r];
}

/* Rows are complete only now. They are gathered (or, with `put`, written back)
   as those of other files are, so that the same code scales them. */
static void npy_gather(worker *w, int64_t first, int put)
{
    block *b = w->block;
    for (int64_t j = 0; j < w->plan->features; j++)
        for (int r = 0; r < w->filled; r++) {
            double *x = w->x + j * WORKER_ROWS + r;
            int64_t at = j * b->room + first + r;
            if (put && w->plan->is_double)
                ((double *)b->x)[at] = *x;
            else if (put)
                ((float *)b->x)[at] = (float)*x;
            else
                *x = w->plan->is_double ? ((double *)b->x)[at]
                                        : (double)((float *)b->x)[at];
        }
}

static void npy_scale(worker *w)
{
    for (int64_t at = 0; at < w->block->rows; at += WORKER_ROWS) {
        int64_t left = w->block->rows - at;
        w->filled = left < WORKER_ROWS ? (int)left : WORKER_ROWS;
        npy_gather(w, at, 0);
        scale_dense(w->plan, w->x, w->filled);
        npy_gather(w, at, 1);
    }
    w->filled = 0;
}

static void npy_finish_columns(npy_columns_job *job)
{
    block *b = job->w->block;
    const column_plan *p = job->w->plan;
    size_t element = plan_element(p);
    if (p->marks_bad)
        npy_mark(b, p, job);
    for (int64_t r = 0; r < job->a->rows; r++)
        b->rows += !job->bad[r];
    if (plan_counts_dropped(p))
        b->dropped = job->a->rows - b->rows;
    if (b->rows < job->a->rows) {
        for (int64_t j = 0; j < p->features; j++)
            npy_squeeze((char *)b->x + (size_t)(j * b->room) * element, element,
                        job);
        if (b->y)
            npy_squeeze(b->y, sizeof *b->y, job);
        if (b->weight)
            npy_squeeze(b->weight, sizeof *b->weight, job);
    }
    if (p->scaled)
        npy_scale(job->w);
    if (p->target_is == TARGET_CLASSES && !p->is_double)
        npy_fold(b, p->features);
}

static sotto_status npy_by_column(worker *w, source *s, const npy_array *a,
                                  sotto_error *error)
{
    int64_t some = (int64_t)(NPY_CHUNK / a->element);
    npy_columns_job job = {w, a, mem_zeroed((size_t)a->rows, 1)};
    char *chunk = mem_zeroed((size_t)some, a->element);
    sotto_status status = chunk && job.bad ? SOTTO_OK : error_memory(error);
    for (int64_t i = 0; i < a->columns; i++)
        for (int64_t at = 0; at < a->rows && status == SOTTO_OK; at += some) {
            int64_t rows = a->rows - at < some ? a->rows - at : some;
            status = npy_take(s, chunk, (size_t)rows * a->element, error);
            if (status == SOTTO_OK && !npy_column(&job, chunk, rows, at, i))
                status = npy_fault(w->plan, &w->block->fault, error);
        }
    if (status == SOTTO_OK)
        npy_finish_columns(&job);
    mem_wipe(chunk, chunk ? (size_t)some * a->element : 0);
    mem_free(chunk);
    mem_free(job.bad);
    return status;
}

/* ---- the whole file ---- */

static sotto_status npy_fill(sotto_table *t, source *s, column_plan *p,
                             const npy_array *a, sotto_error *error)
{
    worker w;
    block *b = mem_zeroed(1, sizeof *b);
    if (!b)
        return error_memory(error);
    int ready = worker_open(&w, p, 0);
    w.block = b;
    sotto_status status = ready && worker_begin_dense(&w, a->rows)
                              ? SOTTO_OK
                              : error_memory(error);
    if (status == SOTTO_OK)
        status = a->by_column ? npy_by_column(&w, s, a, error)
                              : npy_by_row(&w, s, a, error);
    if (status == SOTTO_OK)
        status = read_finish(t, p, b, NULL, 0, w.range, error);
    worker_close(&w);
    block_free(b);
    return status;
}

static sotto_status npy_read(sotto_table *t, source *s,
                             const sotto_options *options,
                             const read_hook *hook, sotto_error *error)
{
    npy_array a;
    column_plan p;
    sotto_status status = npy_header(s, &a, error);
    if (status == SOTTO_OK)
        status = npy_plan(&p, source_name(s), a.columns, options, error);
    if (status != SOTTO_OK)
        return status;
    t->features = p.features;
    status = read_call(hook, &p, 0, error);
    if (status == SOTTO_OK)
        status = npy_fill(t, s, &p, &a, error);
    if (status == SOTTO_OK)
        status = source_drain(s, error);
    plan_free(&p);
    return status;
}

const file_format format_npy = {
    .mark = FORMAT_MARK(0, "\x93NUMPY"),
    .endings = {".npy"},
    .columns = COLUMNS_COUNTED,
    .read = npy_read,
    .header = npy_header_names,
    .write_header = generate_npy_header,
    .write_row = generate_npy_row,
};
