/*
 * From columns in memory to a table: the rows, in pieces side by side as those
 * of a file. Batches come one after the other.
 */
#include "memory.h"
#include "row_value.h"

/* ---- rows ---- */

/* What the workers share while they read one batch. */
typedef struct memory_job {
    const column_plan *p;
    const sotto_columns *c;
    int64_t *fast, fasts; /* columns of plain numbers, by place */
    int64_t *slow, slows; /* the others that are not left out */
    int threads;
    worker *worker; /* of each thread */
    int *open;      /* whether it is */
    block *first, *last;
    /* the batch */
    int64_t rows, per, pieces;
    void *x; /* room for its features, where there is one batch; or NULL */
    size_t x_bytes;
    block **block;
    int64_t next; /* piece to be claimed, by atomic addition */
    int stop;     /* a fault or failure: claim no more */
    int failed;   /* out of memory */
} memory_job;

static int memory_column(worker *w, const memory_job *job, int64_t at,
                         int64_t i)
{
    const char *expected = NULL;
    const column *c = &job->p->column[at];
    if (view_value(w, c, &job->c->kind[at], &job->c->view[at], i, &expected))
        return 1;
    w->block->fault = (fault){expected, c, w->row, 0};
    return 0;
}

/* Row i, column by column; it is row w->row of the piece. */
static int memory_row(worker *w, const memory_job *job, int64_t i)
{
    for (int64_t k = 0; k < job->p->columns; k++)
        if (job->p->column[k].role != COLUMN_DROP &&
            !memory_column(w, job, k, i))
            return 0;
    worker_row_dense(w);
    return 1;
}

/* The columns of plain numbers of `count` rows at once: 0 where a value of one
   of them is anything else. */
static int memory_plain(worker *w, const memory_job *job, int64_t i, int count)
{
    for (int64_t k = 0; k < job->fasts; k++) {
        int64_t at = job->fast[k];
        if (!view_numbers(w, &job->p->column[at], &job->c->kind[at],
                          &job->c->view[at], i, count))
            return 0;
    }
    return 1;
}

static int memory_others(worker *w, const memory_job *job, int64_t i)
{
    for (int64_t k = 0; k < job->slows; k++)
        if (!memory_column(w, job, job->slow[k], i))
            return 0;
    worker_row_dense(w);
    return 1;
}

/* `count` rows from row i on: as memory_row takes them one by one, but faster
   where nothing is wrong with plain numbers. 0: a bad row, and it counts. */
static int memory_group(worker *w, const memory_job *job, int64_t i, int count)
{
    int r = 0;
    if (memory_plain(w, job, i, count)) {
        for (w->row++; r < count && memory_others(w, job, i + r); r++)
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
        if (!memory_row(w, job, i + r) && !worker_bad_dense(w))
            return 0;
    }
    return 1;
}

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

static void memory_piece(worker *w, const memory_job *job, int64_t from,
                         int64_t rows)
{
    w->block->lines = rows;
    w->row = 0;
    if (!memory_begin(w, job, from, rows)) {
        w->failed = 1;
        return;
    }
    for (int64_t i = 0; i < rows && !w->failed;) {
        int64_t count = WORKER_ROWS - w->filled;
        count = rows - i < count ? rows - i : count;
        if (!memory_group(w, job, from + i, (int)count))
            return;
        i += count;
    }
    w->block->fault = (fault){0}; /* of rows that were dropped */
    worker_end_dense(w);
}

static int memory_claim(memory_job *job, worker *w, int64_t *number)
{
    if (__atomic_load_n(&job->stop, __ATOMIC_RELAXED))
        return 0;
    *number = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
    if (*number >= job->pieces)
        return 0;
    w->block = mem_zeroed(1, sizeof *w->block);
    job->block[*number] = w->block;
    w->failed |= !w->block;
    return !w->failed;
}

static void memory_work(void *context, int number)
{
    memory_job *job = context;
    worker *w = &job->worker[number];
    int64_t k;
    if (!job->open[number]) {
        job->open[number] = 1;
        w->failed |= !worker_open(w, job->p, 0);
    }
    while (!w->failed && memory_claim(job, w, &k)) {
        int64_t from = k * job->per, left = job->rows - from;
        memory_piece(w, job, from, left < job->per ? left : job->per);
        if (w->failed)
            w->block->fault = (fault){0}; /* the row is not to blame */
        if (w->block->fault.expected)
            __atomic_store_n(&job->stop, 1, __ATOMIC_RELAXED);
    }
    if (w->failed) {
        __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&job->stop, 1, __ATOMIC_RELAXED);
    }
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

static sotto_status memory_batch(memory_job *job, int64_t rows,
                                 sotto_error *error)
{
    sotto_status status = memory_check_views(job->p, job->c, rows, error);
    if (status != SOTTO_OK || rows == 0)
        return status;
    job->rows = rows;
    job->per = memory_rows_per_piece(job->p, rows);
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
    /* a fault of a row is told first: which failure came may depend on the
       threads */
    status = memory_fault(job->p, job->first, error);
    return status == SOTTO_OK && job->failed ? error_memory(error) : status;
}

/* An only batch is not copied: its rows are written where the table has them,
   unless some are dropped. The first block owns the memory. */
static sotto_status memory_one_batch(memory_job *job, int64_t rows,
                                     sotto_error *error)
{
    size_t stride = (size_t)block_stride(rows), elements;
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

static sotto_status memory_batches(memory_job *job, sotto_columns *c,
                                   sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int64_t rows = c->rows;
    if (!c->stream.next)
        return memory_one_batch(job, rows, error);
    c->used = 1;
    while (status == SOTTO_OK) {
        status = c->stream.next(c->stream.context, &rows, c->view, error);
        if (status != SOTTO_OK || rows < 0)
            break;
        status = memory_batch(job, rows, error);
    }
    return status;
}

/* ---- the whole table ---- */

static int memory_open(memory_job *job)
{
    size_t columns = (size_t)job->p->columns;
    job->threads = job->p->threads;
    job->fast = mem_zeroed(columns, sizeof *job->fast);
    job->slow = mem_zeroed(columns, sizeof *job->slow);
    job->worker = mem_zeroed((size_t)job->threads, sizeof *job->worker);
    job->open = mem_zeroed((size_t)job->threads, sizeof *job->open);
    if (!job->fast || !job->slow || !job->worker || !job->open)
        return 0;
    for (int64_t i = 0; i < job->p->columns; i++) {
        const column *c = &job->p->column[i];
        if (c->plain && job->c->kind[i].kind == VIEW_NUMBERS)
            job->fast[job->fasts++] = i;
        else if (c->role != COLUMN_DROP)
            job->slow[job->slows++] = i;
    }
    return 1;
}

static void memory_close(memory_job *job)
{
    for (int i = 0; job->worker && job->open && i < job->threads; i++)
        if (job->open[i])
            worker_close(&job->worker[i]);
    while (job->first) {
        block *next = job->first->next;
        block_free(job->first);
        job->first = next;
    }
    mem_free(job->fast);
    mem_free(job->slow);
    mem_free(job->worker);
    mem_free(job->open);
}

/* The ranges of all workers, or NULL where none may be told. */
static sotto_status memory_ranges(const memory_job *job, column_range **out,
                                  sotto_error *error)
{
    *out = NULL;
    if (job->p->drop_bad)
        return SOTTO_OK;
    if (!range_new(out, job->p->features))
        return error_memory(error);
    for (int i = 0; i < job->threads; i++)
        if (job->open[i])
            range_merge(*out, job->worker[i].range, job->p->features);
    return SOTTO_OK;
}

static sotto_status memory_dense(sotto_table *t, column_plan *p,
                                 sotto_columns *c, sotto_error *error)
{
    memory_job job = {.p = p, .c = c};
    column_range *range = NULL;
    sotto_status status = memory_open(&job) ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK)
        status = memory_batches(&job, c, error);
    if (status == SOTTO_OK)
        status = memory_ranges(&job, &range, error);
    if (status == SOTTO_OK)
        status = read_finish(t, p, job.first, NULL, 0, range, error);
    mem_free(range);
    memory_close(&job);
    return status;
}

static sotto_status memory_read(sotto_table *t, sotto_columns *c,
                                const sotto_options *options,
                                const read_hook *hook, sotto_error *error)
{
    column_plan p;
    if (c->used)
        return error_set(error, SOTTO_USAGE,
                         "the table: the stream has been read: expected a new "
                         "one");
    sotto_status status = memory_plan(&p, c, options, error);
    if (status != SOTTO_OK)
        return status;
    t->features = p.features;
    t->sparse = c->has_sparse;
    status = read_call(hook, &p, c->has_sparse, error);
    if (status == SOTTO_OK)
        status = c->has_sparse ? memory_sparse(t, &p, c, error)
                               : memory_dense(t, &p, c, error);
    plan_free(&p);
    return status;
}

sotto_status table_from_after(sotto_table **out, sotto_columns *columns,
                              const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error)
{
    read_hook hook = {before, context};
    sotto_table *t = mem_zeroed(1, sizeof *t);
    *out = NULL;
    if (!t)
        return error_memory(error);
    sotto_status status = memory_read(t, columns, options, &hook, error);
    if (status == SOTTO_OK)
        *out = t;
    else
        sotto_table_free(t);
    return status;
}

sotto_status sotto_table_from(sotto_table **out, sotto_columns *columns,
                              const sotto_options *options, sotto_error *error)
{
    return table_from_after(out, columns, options, NULL, NULL, error);
}
