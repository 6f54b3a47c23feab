/*
 * A batch of an Arrow stream as views of its columns. Row i of the batch is
 * row offset + i of each child, and a child has an offset of its own: both
 * count. What can be told about the structure is checked; that buffers are as
 * long as they must be is the producer's promise.
 */
#include "arrow.h"

void arrow_forget(arrow_reader *r)
{
    for (int64_t i = 0; r->gathered && i < r->columns->count; i++) {
        arrow_gathered *g = &r->gathered[i];
        mem_free_wiped(g->bytes, g->size);
        mem_free_wiped(g->offsets, g->count * sizeof *g->offsets);
        *g = (arrow_gathered){0};
    }
    mem_free(r->absent);
    r->absent = NULL;
}

/* ---- structure ---- */

/* Whether the numbers of an array can be true, for rows `from` up to
   `from` + `rows`. */
static sotto_status arrow_check(const struct ArrowArray *a, const char *name,
                                int64_t from, int64_t rows, sotto_error *error)
{
    int64_t end;
    if (!a || !a->release)
        return arrow_refuse(name, "an array, found none", error);
    if (a->length < 0 || a->offset < 0 || a->n_buffers < 0 ||
        __builtin_add_overflow(a->length, a->offset, &end) ||
        end > INT64_MAX / 16)
        return arrow_refuse(name, "a length and an offset from 0 on", error);
    if (from + rows > a->length)
        return arrow_refuse(name, "a value for each row", error);
    if (a->null_count > 0 && rows > 0 &&
        (a->n_buffers < 1 || !a->buffers || !a->buffers[0]))
        return arrow_refuse(name, "the bits of its missing values, found none",
                            error);
    return SOTTO_OK;
}

static const uint8_t *arrow_bits(const struct ArrowArray *a)
{
    return a->n_buffers > 0 && a->buffers ? a->buffers[0] : NULL;
}

/* ---- columns ---- */

/* The list of a dictionary. It is data: all that is done with it is to look
   up the text of a row. */
static sotto_status arrow_list(const arrow_reader *r, int64_t i,
                               const struct ArrowArray *a, view_texts *out,
                               sotto_error *error)
{
    const char *name = r->columns->name[i];
    const struct ArrowArray *list = a->dictionary;
    sotto_status status = arrow_check(list, name, 0, 0, error);
    if (status == SOTTO_OK)
        status = arrow_check(list, name, 0, list->length, error);
    if (status == SOTTO_OK)
        status = arrow_texts(out, &r->gathered[i], r->form[i], list,
                             list->offset, list->length, name, error);
    if (status == SOTTO_OK) {
        out->valid = arrow_bits(list);
        out->valid_from = list->offset;
    }
    return status;
}

/* `first` is the child's row of the batch's first, in its buffers. */
static sotto_status arrow_child(const arrow_reader *r, int64_t i,
                                const struct ArrowArray *a, int64_t first,
                                int64_t rows, column_view *view,
                                sotto_error *error)
{
    const column_kind *k = &r->columns->kind[i];
    const char *name = r->columns->name[i];
    *view = (column_view){
        .missing = r->absent, .valid = arrow_bits(a), .valid_from = first};
    if (k->kind == VIEW_TEXTS)
        return arrow_texts(&view->texts, &r->gathered[i], r->form[i], a, first,
                           rows, name, error);
    const char *values = a->n_buffers > 1 && a->buffers ? a->buffers[1] : NULL;
    if (rows > 0 && !values)
        return arrow_refuse(name, "values, found none", error);
    view->stride = (int64_t)element_size(k->type);
    view->bits_from = first;
    view->values = values;
    if (values && k->kind != VIEW_BITS)
        view->values += first * view->stride;
    return k->kind == VIEW_CODES ? arrow_list(r, i, a, &view->texts, error)
                                 : SOTTO_OK;
}

/* A row that is null as a whole has no value in any column. */
static sotto_status arrow_absent(arrow_reader *r, sotto_error *error)
{
    const struct ArrowArray *b = &r->batch;
    const uint8_t *bits = arrow_bits(b);
    if (!bits)
        return SOTTO_OK;
    r->absent = mem_zeroed((size_t)b->length, 1);
    if (!r->absent)
        return error_memory(error);
    for (int64_t i = 0; i < b->length; i++) {
        int64_t bit = b->offset + i;
        r->absent[i] = !(bits[bit >> 3] >> (bit & 7) & 1);
    }
    return SOTTO_OK;
}

sotto_status arrow_views(arrow_reader *r, column_view *view, sotto_error *error)
{
    const struct ArrowArray *b = &r->batch;
    const sotto_columns *c = r->columns;
    sotto_status status = arrow_check(b, "(all)", 0, b->length, error);
    if (status == SOTTO_OK &&
        (b->n_children != c->count || (c->count > 0 && !b->children)))
        status = error_set(error, SOTTO_USAGE,
                           "the stream: expected a batch with the columns of "
                           "its schema");
    if (status == SOTTO_OK)
        status = arrow_absent(r, error);
    for (int64_t i = 0; i < c->count && status == SOTTO_OK; i++) {
        const struct ArrowArray *a = b->children[i];
        view[i] = (column_view){0};
        if (c->kind[i].kind == VIEW_OTHER)
            continue;
        status = arrow_check(a, c->name[i], b->offset, b->length, error);
        if (status == SOTTO_OK)
            status = arrow_child(r, i, a, a->offset + b->offset, b->length,
                                 &view[i], error);
    }
    return status;
}
