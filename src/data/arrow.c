/*
 * Columns that arrive by an Arrow C stream. The schema is asked for when the
 * list is made, batches only when rows may be read. Every structure that the
 * producer hands over is released once, on every way out.
 */
#include "arrow.h"

#include <errno.h>

/* What the producer says about it may quote a record: it is not told. */
static sotto_status arrow_failed(int code, sotto_error *error)
{
    return code == ENOMEM ? error_memory(error)
                          : error_set(error, SOTTO_FAILED, "the stream failed");
}

/* The last batch is given back. */
static void arrow_drop(arrow_reader *r)
{
    arrow_forget(r);
    if (r->batch.release)
        r->batch.release(&r->batch);
    r->batch = (struct ArrowArray){0};
}

static sotto_status arrow_next(void *context, int64_t *rows, column_view *view,
                               sotto_error *error)
{
    arrow_reader *r = context;
    arrow_drop(r);
    int code = r->stream.get_next(&r->stream, &r->batch);
    if (code) {
        r->batch = (struct ArrowArray){0}; /* it was not handed over */
        return arrow_failed(code, error);
    }
    *rows = r->batch.release ? r->batch.length : -1;
    return r->batch.release ? arrow_views(r, view, error) : SOTTO_OK;
}

static void arrow_close(void *context)
{
    arrow_reader *r = context;
    arrow_drop(r);
    if (r->stream.release)
        r->stream.release(&r->stream);
    mem_free(r->form);
    mem_free(r->gathered);
    mem_free(r);
}

static sotto_status arrow_open(arrow_reader *r, sotto_columns *c,
                               sotto_error *error)
{
    struct ArrowSchema top = {0};
    if (!r->stream.get_schema || !r->stream.get_next)
        return error_set(error, SOTTO_USAGE,
                         "the stream: expected one that has its calls");
    int code = r->stream.get_schema(&r->stream, &top);
    if (code)
        return arrow_failed(code, error);
    if (!top.release)
        return error_set(error, SOTTO_USAGE,
                         "the stream: expected a schema, found none");
    sotto_status status = arrow_columns(r, c, &top, error);
    top.release(&top);
    return status;
}

/* It is moved, as the specification lets it be. */
static arrow_reader *arrow_take(struct ArrowArrayStream *stream)
{
    arrow_reader *r = mem_zeroed(1, sizeof *r);
    if (r)
        r->stream = *stream;
    else
        stream->release(stream);
    stream->release = NULL;
    return r;
}

sotto_status sotto_columns_stream(sotto_columns **out,
                                  struct ArrowArrayStream *stream,
                                  sotto_error *error)
{
    *out = NULL;
    if (!stream || !stream->release)
        return error_set(error, SOTTO_USAGE,
                         "the stream: expected one that was not released");
    arrow_reader *r = arrow_take(stream);
    if (!r)
        return error_memory(error);
    sotto_columns *c = columns_new();
    if (!c) {
        arrow_close(r);
        return error_memory(error);
    }
    r->columns = c;
    c->stream = (column_stream){arrow_next, arrow_close, r};
    sotto_status status = arrow_open(r, c, error);
    if (status == SOTTO_OK)
        *out = c;
    else
        sotto_columns_free(c);
    return status;
}
