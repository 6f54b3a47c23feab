/*
 * Rows of columns in memory, in pieces side by side as those of a file.
 */
#include "memory_rows.h"
#include "row_value.h"

/* ---- rows ---- */

static int memory_column(worker *w, const memory_job *job,
                         const column_view *view, int64_t at, int64_t i)
{
    const char *expected = NULL;
    const column *c = &job->p->column[at];
    if (view_value(w, c, &job->kind[at], &view[at], i, &expected))
        return 1;
    w->block->fault = (fault){expected, c, w->row, 0};
    return 0;
}

/* Whether the row belongs to a part that is read, where these are numbers. */
static int memory_in_part(const memory_job *job, const column_view *view,
                          int64_t i)
{
    if (!job->p->part_number)
        return 1;
    int64_t at = job->p->part - job->p->column;
    return value_part_number(
        job->p, element_number(view[at].values + i * view[at].stride,
                               job->kind[at].type));
}

/* Row i, column by column; it is row w->row of the piece. */
static int memory_row(worker *w, const memory_job *job, const column_view *view,
                      int64_t i)
{
    int good = memory_in_part(job, view, i);
    for (int64_t k = 0; good && k < job->p->columns; k++)
        if (job->p->column[k].role != COLUMN_DROP)
            good = memory_column(w, job, view, k, i);
    if (good)
        worker_row_dense(w);
    return good;
}

/* Where rows of the caller's array are lines apart the processor does not guess
   which comes next. The column that begins a line asks for it, two groups
   ahead; asking beyond the end does nothing. */
static void memory_ask_ahead(const column_view *v, sotto_element type,
                             int64_t i)
{
    const uintptr_t line = 64, size = element_size(type);
    uintptr_t at = (uintptr_t)v->values, stride = (uintptr_t)v->stride;
    if (v->stride < 2 * (int64_t)line)
        return;
    at += (uintptr_t)(i + 2 * WORKER_ROWS) * stride;
    for (int r = 0; r < WORKER_ROWS; r++, at += stride)
        if (at % line < size)
            __builtin_prefetch((const void *)at);
}

/* The columns of plain numbers of `count` rows at once: 0 where a value of one
   of them is anything else. */
static int memory_plain(worker *w, const memory_job *job,
                        const column_view *view, int64_t i, int count)
{
    for (int64_t k = 0; k < job->fasts; k++) {
        int64_t at = job->fast[k];
        if (job->view)
            memory_ask_ahead(&view[at], job->kind[at].type, i);
        if (!view_numbers(w, &job->p->column[at], &job->kind[at], &view[at], i,
                          count))
            return 0;
    }
    return 1;
}

static int memory_others(worker *w, const memory_job *job,
                         const column_view *view, int64_t i)
{
    if (!memory_in_part(job, view, i))
        return 0;
    for (int64_t k = 0; k < job->slows; k++)
        if (!memory_column(w, job, view, job->slow[k], i))
            return 0;
    worker_row_dense(w);
    return 1;
}

/* `count` rows from row i on: as memory_row takes them one by one, but faster
   where nothing is wrong with plain numbers. 0: a bad row, and it counts. */
static int memory_group(worker *w, const memory_job *job,
                        const column_view *view, int64_t i, int count)
{
    int r = 0;
    if (memory_plain(w, job, view, i, count)) {
        for (w->row++; r < count && memory_others(w, job, view, i + r); r++)
            w->row++;
        if (r == count) {
            w->row--;
            return 1;
        }
        if (!worker_bad_dense(w))
            return 0;
        r++; /* the gathered numbers of the rest are in the wrong place */
    }
    for (; r < count; r++) {
        w->row++;
        if (!memory_row(w, job, view, i + r) && !worker_bad_dense(w))
            return 0;
    }
    return 1;
}

/* ---- pieces ---- */

/* The rows of an only batch have their place in the table already. */
static int memory_begin(worker *w, const memory_job *job, int64_t from,
                        int64_t rows)
{
    if (!job->x)
        return worker_begin_dense(w, rows);
    return worker_begin_within(
        w, rows, (char *)job->x + (size_t)from * plan_element(job->p),
        block_stride(job->rows));
}

/* A piece: its first row in the batch, and in its views. */
typedef struct memory_piece {
    int64_t from, rows, at;
    const column_view *view;
} memory_piece;

static void memory_parse(worker *w, const memory_job *job,
                         const memory_piece *part)
{
    int64_t rows = part->rows;
    w->block->lines = rows;
    w->row = 0;
    if (!memory_begin(w, job, part->from, rows)) {
        w->failed = 1;
        return;
    }
    for (int64_t i = 0; i < rows && !w->failed;) {
        int64_t count = WORKER_ROWS - w->filled;
        count = rows - i < count ? rows - i : count;
        if (!memory_group(w, job, part->view, part->at + i, (int)count))
            return;
        i += count;
    }
    w->block->fault = (fault){0}; /* of rows that were dropped */
    worker_end_dense(w);
}

/* Keeps the first failure, and lets nobody claim a piece. The lock is held. */
static void memory_fail(memory_job *job, sotto_status status,
                        const sotto_error *error)
{
    job->stop = 1;
    if (job->status != SOTTO_OK)
        return;
    job->status = status;
    job->error = *error;
}

static void memory_give_up(memory_job *job, sotto_status status,
                           const sotto_error *error)
{
    pthread_mutex_lock(&job->lock);
    memory_fail(job, status, error);
    pthread_mutex_unlock(&job->lock);
}

static sotto_status memory_bring(memory_job *job, int number, memory_piece *out,
                                 sotto_error *error)
{
    const memory_fetch *f = &job->fetch;
    out->view = job->piece_view[number];
    return f->bring(f->context, number, out->from, out->rows,
                    job->piece_view[number], error);
}

/* The next piece and its block. 0: there is none. The lock is held. */
static int memory_next(memory_job *job, worker *w, memory_piece *out)
{
    sotto_error error;
    int64_t k = job->next, from = k * job->per, left = job->rows - from;
    if (job->stop || k >= job->pieces)
        return 0;
    w->block = mem_zeroed(1, sizeof *w->block);
    if (!w->block) {
        memory_fail(job, error_memory(&error), &error);
        return 0;
    }
    job->block[k] = w->block;
    job->next++;
    *out = (memory_piece){from, left < job->per ? left : job->per,
                          job->view ? from : 0, job->view};
    return 1;
}

/* The next piece and its views. Where pieces are not needed in order they are
   brought without the lock. */
static int memory_claim(memory_job *job, int number, memory_piece *out)
{
    sotto_error error;
    sotto_status status = SOTTO_OK;
    int ordered = job->fetch.in_order;
    pthread_mutex_lock(&job->lock);
    int got = memory_next(job, &job->worker[number], out), fetch = !job->view;
    if (got && fetch && ordered) {
        status = memory_bring(job, number, out, &error);
        if (status != SOTTO_OK)
            memory_fail(job, status, &error);
    }
    pthread_mutex_unlock(&job->lock);
    if (got && fetch && !ordered) {
        status = memory_bring(job, number, out, &error);
        if (status != SOTTO_OK)
            memory_give_up(job, status, &error);
    }
    return got && status == SOTTO_OK;
}

static int memory_open_worker(memory_job *job, int number)
{
    if (job->open[number])
        return 1;
    job->open[number] = 1;
    size_t columns = (size_t)job->p->columns;
    if (!job->view)
        job->piece_view[number] =
            mem_zeroed(columns, sizeof *job->piece_view[number]);
    return worker_open(&job->worker[number], job->p, 0) &&
           (job->view || job->piece_view[number]);
}

static void memory_work(void *context, int number)
{
    memory_job *job = context;
    worker *w = &job->worker[number];
    memory_piece part;
    sotto_error error;
    w->failed |= !memory_open_worker(job, number);
    while (!w->failed && memory_claim(job, number, &part)) {
        memory_parse(w, job, &part);
        if (w->failed)
            w->block->fault = (fault){0}; /* the row is not to blame */
        if (!w->block->fault.expected)
            continue;
        pthread_mutex_lock(&job->lock);
        job->stop = 1;
        pthread_mutex_unlock(&job->lock);
    }
    if (w->failed)
        memory_give_up(job, error_memory(&error), &error);
}

/* ---- batches ---- */

/* Rows of a piece: a column's share of it is worth a copy, and the pieces are
   little beside the table. Rows are gathered by WORKER_ROWS. */
static int64_t memory_rows_per_piece(const column_plan *p, int64_t rows)
{
    int64_t per = (1 << 20) / (p->features * (int64_t)plan_element(p));
    per = per < 256 ? 256 : per;
    per = per < rows / 1024 ? rows / 1024 : per;
    return (per + WORKER_ROWS - 1) / WORKER_ROWS * WORKER_ROWS;
}

sotto_status memory_batch(memory_job *job, int64_t rows, sotto_error *error)
{
    if (rows == 0)
        return SOTTO_OK;
    job->rows = rows;
    job->per = job->view ? memory_rows_per_piece(job->p, rows) : job->fetch.per;
    job->pieces = (rows - 1) / job->per + 1;
    job->next = 0;
    job->block = mem_zeroed((size_t)job->pieces, sizeof *job->block);
    if (!job->block)
        return error_memory(error);
    thread_run(job->pieces < job->threads ? (int)job->pieces : job->threads,
               memory_work, job);
    for (int64_t k = 0; k < job->pieces; k++)
        if (job->block[k]) {
            *(job->last ? &job->last->next : &job->first) = job->block[k];
            job->last = job->block[k];
        }
    mem_free(job->block);
    job->block = NULL;
    if (job->status != SOTTO_OK)
        *error = job->error;
    return job->status;
}

/* The first block owns the memory. */
sotto_status memory_one_batch(memory_job *job, int64_t rows, sotto_error *error)
{
    size_t stride = (size_t)block_stride(rows), elements;
    if (job->p->spill)
        return memory_batch(job, rows, error);
    if (!size_multiply(stride, (size_t)job->p->features, &elements) ||
        !size_multiply(elements, plan_element(job->p), &job->x_bytes))
        return error_memory(error);
    if (rows) {
        job->x = mem_map(job->x_bytes);
        if (!job->x)
            return error_memory(error);
    }
    sotto_status status = memory_batch(job, rows, error);
    if (job->first && job->first->x == job->x)
        job->first->x_bytes = job->x_bytes;
    else /* memory was out before it had an owner */
        mem_unmap(job->x, job->x_bytes);
    return status;
}

/* ---- the whole table ---- */

int memory_open(memory_job *job)
{
    size_t columns = (size_t)job->p->columns;
    pthread_mutex_init(&job->lock, NULL);
    job->threads = job->p->threads;
    job->fast = mem_zeroed(columns, sizeof *job->fast);
    job->slow = mem_zeroed(columns, sizeof *job->slow);
    job->worker = mem_zeroed((size_t)job->threads, sizeof *job->worker);
    job->piece_view = mem_zeroed((size_t)job->threads, sizeof *job->piece_view);
    job->open = mem_zeroed((size_t)job->threads, sizeof *job->open);
    if (!job->fast || !job->slow || !job->worker || !job->piece_view ||
        !job->open)
        return 0;
    for (int64_t i = 0; i < job->p->columns; i++) {
        const column *c = &job->p->column[i];
        if (c->plain && job->kind[i].kind == VIEW_NUMBERS)
            job->fast[job->fasts++] = i;
        else if (c->role != COLUMN_DROP)
            job->slow[job->slows++] = i;
    }
    return 1;
}

void memory_close(memory_job *job)
{
    for (int i = 0; job->worker && job->open && i < job->threads; i++)
        if (job->open[i]) {
            worker_close(&job->worker[i]);
            mem_free(job->piece_view[i]);
        }
    while (job->first) {
        block *next = job->first->next;
        block_free(job->first);
        job->first = next;
    }
    mem_free(job->fast);
    mem_free(job->slow);
    mem_free(job->worker);
    mem_free(job->piece_view);
    mem_free(job->open);
    pthread_mutex_destroy(&job->lock);
}

/* The ranges of all workers, or NULL where none may be told. */
static sotto_status memory_ranges(const memory_job *job, column_range **out,
                                  sotto_error *error)
{
    *out = NULL;
    if (job->p->drop_bad || job->p->exact)
        return SOTTO_OK;
    if (!range_new(out, job->p->features))
        return error_memory(error);
    for (int i = 0; i < job->threads; i++)
        if (job->open[i])
            range_merge(*out, job->worker[i].range, job->p->features);
    return SOTTO_OK;
}

sotto_status memory_finish(memory_job *job, sotto_table *t, column_plan *p,
                           sotto_error *error)
{
    column_range *range = NULL;
    sotto_status status = memory_ranges(job, &range, error);
    if (status == SOTTO_OK)
        status = read_finish(t, p, job->first, NULL, 0, range, error);
    mem_free(range);
    return status;
}
