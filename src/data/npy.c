/*
 * NumPy .npy: a two-dimensional array of float32 or float64, in C or
 * Fortran order. Columns are called 1, 2, ...; NaN and infinities are
 * missing values.
 */
#include "npy.h"
#include "generate.h"
#include "memory_rows.h"
#include "rank.h"
#include "row_value.h"

#include <string.h>

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

/* ---- rows, brought to memory piece by piece ---- */

typedef struct npy_buffer {
    char *bytes;
    size_t size;
} npy_buffer;

typedef struct npy_job {
    const column_plan *p;
    const npy_array *a;
    source *s;
    int64_t first, rows; /* that are read: this rank's, or all */
    npy_buffer *buffer;  /* of each thread */
    npy_buffer whole;    /* a stream in Fortran order: all of it; or no bytes */
} npy_job;

static sotto_status npy_room(npy_buffer *b, size_t size, sotto_error *error)
{
    if (size <= b->size)
        return SOTTO_OK;
    source_drop(b->bytes, b->size, b->size);
    b->size = 0;
    b->bytes = mem_map(size);
    if (!b->bytes)
        return error_memory(error);
    b->size = size;
    return SOTTO_OK;
}

static sotto_status npy_look(const npy_job *job, size_t at, char *to,
                             size_t size, const char **bytes,
                             sotto_error *error)
{
    size_t got;
    if (job->whole.bytes) {
        *bytes = job->whole.bytes + at;
        return SOTTO_OK;
    }
    sotto_status status = source_look(job->s, at, to, size, bytes, &got, error);
    return status == SOTTO_OK && got < size ? npy_cut_off(job->s, error)
                                            : status;
}

/* Row after row: one stretch of the file. */
static sotto_status npy_bring_rows(void *context, int number, int64_t from,
                                   int64_t rows, column_view *view,
                                   sotto_error *error)
{
    npy_job *job = context;
    npy_buffer *b = &job->buffer[number];
    size_t row = (size_t)job->a->columns * job->a->element;
    size_t size = (size_t)rows * row;
    const char *bytes = NULL;
    sotto_status status = npy_room(b, size, error);
    if (status == SOTTO_OK && source_is_random(job->s)) {
        status = npy_look(job, (size_t)(job->first + from) * row, b->bytes,
                          size, &bytes, error);
    } else if (status == SOTTO_OK) {
        status = npy_take(job->s, b->bytes, size, error);
        bytes = b->bytes;
    }
    for (int64_t i = 0; status == SOTTO_OK && i < job->a->columns; i++)
        view[i] = (column_view){.values = bytes + (size_t)i * job->a->element,
                                .stride = (int64_t)row};
    return status;
}

/* Column after column: a stretch of each that is used. */
static sotto_status npy_bring_columns(void *context, int number, int64_t from,
                                      int64_t rows, column_view *view,
                                      sotto_error *error)
{
    npy_job *job = context;
    npy_buffer *b = &job->buffer[number];
    size_t element = job->a->element, size = (size_t)rows * element;
    sotto_status status = npy_room(b, size * (size_t)job->a->columns, error);
    for (int64_t i = 0; status == SOTTO_OK && i < job->a->columns; i++) {
        const column *c = &job->p->column[i];
        const char *bytes = NULL;
        if (c->role != COLUMN_DROP || c == job->p->part)
            status = npy_look(
                job, (size_t)(i * job->a->rows + job->first + from) * element,
                b->bytes + (size_t)i * size, size, &bytes, error);
        view[i] = (column_view){.values = bytes, .stride = (int64_t)element};
    }
    return status;
}

/* Pieces that stay in a cache; of columns, stretches that are worth a call. */
static int64_t npy_rows_per_piece(const npy_array *a)
{
    const int64_t row = a->columns * (int64_t)a->element;
    int64_t per = (a->by_column ? 1 << 21 : 1 << 19) / row;
    int64_t least = a->rows >> 16, most = (1 << 26) / row;
    least = a->by_column && least < 1024 ? 1024 : least;
    per = per < least ? least : per;
    per = per > most ? most : per;
    return (per / WORKER_ROWS + 1) * WORKER_ROWS;
}

/* ---- the whole file ---- */

static sotto_status npy_fault(const column_plan *p, const block *first,
                              int64_t rows, sotto_error *error)
{
    for (; first && !first->fault.expected; first = first->next)
        rows += first->lines;
    if (!first)
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA, "%s: row %lld, column %lld: %s%s",
                     show_name(p->file).text,
                     (long long)(rows + first->fault.line),
                     (long long)(first->fault.at - p->column) + 1,
                     first->fault.expected, value_way_out(p));
}

/* A stream cannot be read in any order. */
static sotto_status npy_open(npy_job *job, sotto_error *error)
{
    size_t size;
    job->buffer = mem_zeroed((size_t)job->p->threads, sizeof *job->buffer);
    if (!job->buffer)
        return error_memory(error);
    if (!job->a->by_column || source_is_random(job->s) || job->a->rows == 0)
        return SOTTO_OK;
    if (!size_multiply((size_t)job->a->rows, (size_t)job->a->columns, &size) ||
        !size_multiply(size, job->a->element, &size))
        return error_memory(error);
    sotto_status status = npy_room(&job->whole, size, error);
    return status == SOTTO_OK ? npy_take(job->s, job->whole.bytes, size, error)
                              : status;
}

static void npy_close(npy_job *job)
{
    for (int i = 0; job->buffer && i < job->p->threads; i++)
        source_drop(job->buffer[i].bytes, job->buffer[i].size,
                    job->buffer[i].size);
    source_drop(job->whole.bytes, job->whole.size, job->whole.size);
    mem_free(job->buffer);
}

/* A fault of a row is told first: which failure came may depend on the
   threads. */
static sotto_status npy_rows(memory_job *rows, npy_job *job, sotto_error *error)
{
    sotto_error other;
    rows->fetch = (memory_fetch){
        .bring = job->a->by_column ? npy_bring_columns : npy_bring_rows,
        .context = job,
        .in_order = !job->a->by_column && !source_is_random(job->s),
        .per = npy_rows_per_piece(job->a)};
    sotto_status failed = memory_one_batch(rows, job->rows, &other);
    sotto_status status = npy_fault(job->p, rows->first, job->first, error);
    if (status != SOTTO_OK || failed == SOTTO_OK)
        return status;
    *error = other;
    return failed;
}

static sotto_status npy_fill(sotto_table *t, source *s, column_plan *p,
                             const npy_array *a, sotto_error *error)
{
    npy_job job = {.p = p, .a = a, .s = s, .rows = a->rows};
    column_kind *kind = mem_zeroed((size_t)a->columns, sizeof *kind);
    memory_job rows = {.p = p, .kind = kind};
    if (p->ranks) {
        rank_rows(p->ranks, a->rows, &job.first, &job.rows);
        p->lines_before = job.first;
        ranks_note(p->ranks, &a->rows, sizeof a->rows);
        ranks_note(p->ranks, &a->columns, sizeof a->columns);
    }
    for (int64_t i = 0; kind && i < a->columns; i++)
        kind[i] = (column_kind){
            VIEW_NUMBERS, a->element == sizeof(float) ? SOTTO_F32 : SOTTO_F64,
            NULL};
    sotto_status status = kind && memory_open(&rows) ? npy_open(&job, error)
                                                     : error_memory(error);
    if (status == SOTTO_OK && p->ranks)
        status = rank_note_files(p->ranks, s, error);
    if (status == SOTTO_OK)
        status = npy_rows(&rows, &job, error);
    if (status == SOTTO_OK)
        status = memory_finish(&rows, t, p, error);
    memory_close(&rows);
    npy_close(&job);
    mem_free(kind);
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
    p.exact |= a.element == sizeof(float); /* which lose nothing */
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
