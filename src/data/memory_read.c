/*
 * From columns in memory to a table. Batches come one after the other.
 */
#include "memory_rows.h"

/* The views are checked before a worker looks at them. A fault of a row is told
   first: which failure came may depend on the threads. */
static sotto_status read_batch(memory_job *job, const sotto_columns *c,
                               int64_t rows, int is_only, sotto_error *error)
{
    sotto_error other;
    sotto_status status = memory_check_views(job->p, c, rows, error);
    if (status != SOTTO_OK)
        return status;
    sotto_status failed = is_only ? memory_one_batch(job, rows, &other)
                                  : memory_batch(job, rows, &other);
    status = memory_fault(job->p, job->first, error);
    if (status != SOTTO_OK || failed == SOTTO_OK)
        return status;
    *error = other;
    return failed;
}

static sotto_status memory_batches(memory_job *job, sotto_columns *c,
                                   sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int64_t rows = c->rows;
    if (!c->stream.next)
        return read_batch(job, c, rows, 1, error);
    c->used = 1;
    while (status == SOTTO_OK) {
        status = c->stream.next(c->stream.context, &rows, c->view, error);
        if (status != SOTTO_OK || rows < 0)
            break;
        status = read_batch(job, c, rows, 0, error);
    }
    return status;
}

static sotto_status memory_dense(sotto_table *t, column_plan *p,
                                 sotto_columns *c, sotto_error *error)
{
    memory_job job = {.p = p, .kind = c->kind, .view = c->view};
    sotto_status status = memory_open(&job) ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK)
        status = memory_batches(&job, c, error);
    if (status == SOTTO_OK)
        status = memory_finish(&job, t, p, error);
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
    read_hook hook = {.before = before, .context = context};
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
