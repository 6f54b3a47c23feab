/*
 * Lists of columns in the caller's memory. A list has pointers only: nothing
 * behind them is looked at before a table is made.
 */
#include "memory.h"

#include <string.h>

size_t element_size(sotto_element type)
{
    switch (type) {
    case SOTTO_I8:
    case SOTTO_U8:
    case SOTTO_BOOL:
        return 1;
    case SOTTO_I16:
    case SOTTO_U16:
        return 2;
    case SOTTO_F32:
    case SOTTO_I32:
    case SOTTO_U32:
        return 4;
    case SOTTO_F64:
    case SOTTO_I64:
    case SOTTO_U64:
        return 8;
    }
    return 0;
}

sotto_columns *columns_new(void)
{
    return mem_zeroed(1, sizeof(sotto_columns));
}

sotto_status sotto_columns_new(sotto_columns **out, int64_t rows,
                               sotto_error *error)
{
    *out = NULL;
    if (rows < 0)
        return error_set(error, SOTTO_USAGE,
                         "columns: expected a number of rows that is not "
                         "negative");
    *out = columns_new();
    if (!*out)
        return error_memory(error);
    (*out)->rows = rows;
    return SOTTO_OK;
}

void sotto_columns_free(sotto_columns *c)
{
    if (!c)
        return;
    if (c->stream.close)
        c->stream.close(c->stream.context);
    mem_free_texts(c->name, c->count);
    for (int64_t i = 0; i < c->count; i++)
        mem_free(c->kind[i].other);
    mem_free(c->kind);
    mem_free(c->view);
    mem_free(c);
}

/* ---- adding ---- */

static int columns_grow(sotto_columns *c)
{
    int64_t room = c->room ? c->room * 2 : 16;
    char **name = mem_resize(c->name, (size_t)room, sizeof *name);
    if (!name)
        return 0;
    c->name = name;
    column_kind *kind = mem_resize(c->kind, (size_t)room, sizeof *kind);
    if (!kind)
        return 0;
    c->kind = kind;
    column_view *view = mem_resize(c->view, (size_t)room, sizeof *view);
    if (!view)
        return 0;
    c->view = view;
    c->room = room;
    return 1;
}

static sotto_status columns_check_name(const char *name, int64_t number,
                                       sotto_error *error)
{
    if (!name || !*name || !text_is_utf8(name, strlen(name)))
        return error_set(error, SOTTO_USAGE,
                         "columns: column %lld: expected a name in UTF-8",
                         (long long)number);
    return SOTTO_OK;
}

sotto_status columns_add(sotto_columns *c, const char *name, view_kind kind,
                         sotto_element type, sotto_error *error)
{
    sotto_status status = columns_check_name(name, c->count + 1, error);
    if (status != SOTTO_OK)
        return status;
    if (c->count == c->room && !columns_grow(c))
        return error_memory(error);
    c->name[c->count] = mem_text(name);
    if (!c->name[c->count])
        return error_memory(error);
    c->kind[c->count] = (column_kind){.kind = kind, .type = type};
    c->view[c->count] = (column_view){0};
    c->count++;
    c->counted = 0;
    return SOTTO_OK;
}

/* Whether (count - 1) * stride is a distance in memory. */
static int columns_reach(int64_t count, int64_t stride)
{
    int64_t reach;
    return count < 1 || !__builtin_mul_overflow(count - 1, stride, &reach);
}

static sotto_status columns_refuse(const char *name, const char *expected,
                                   sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "columns: column \"%s\": expected %s",
                     show_name(name ? name : "").text, expected);
}

/* What can be said of numbers without looking at one. */
static sotto_status columns_check(const sotto_columns *c, const char *name,
                                  const void *values, sotto_element type,
                                  int64_t stride, sotto_error *error)
{
    if (c->stream.next)
        return columns_refuse(name, "no column beside those of a stream",
                              error);
    if (!element_size(type))
        return columns_refuse(name, "a type of sotto_element", error);
    if (!values && c->rows)
        return columns_refuse(name, "values, found NULL", error);
    if (!columns_reach(c->rows, stride))
        return columns_refuse(name, "a stride that fits the memory", error);
    return SOTTO_OK;
}

sotto_status sotto_columns_add(sotto_columns *c, const char *name,
                               const void *values, sotto_element type,
                               int64_t stride, const uint8_t *missing,
                               sotto_error *error)
{
    sotto_status status = columns_check(c, name, values, type, stride, error);
    if (status == SOTTO_OK)
        status = columns_add(c, name, VIEW_NUMBERS, type, error);
    if (status == SOTTO_OK)
        c->view[c->count - 1] = (column_view){
            .values = values, .stride = stride, .missing = missing};
    return status;
}

/* Takes back what was added last. */
static void columns_shorten(sotto_columns *c, int64_t count)
{
    while (c->count > count)
        mem_free(c->name[--c->count]);
}

static sotto_status columns_add_one(sotto_columns *c, const char *const *names,
                                    int64_t j, const void *values,
                                    sotto_element type, int64_t row_stride,
                                    int64_t column_stride, sotto_error *error)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)j + 1);
    const char *at = values ? (const char *)values + j * column_stride : NULL;
    return sotto_columns_add(c, names ? names[j] : number, at, type, row_stride,
                             NULL, error);
}

sotto_status sotto_columns_add_array(sotto_columns *c, const char *const *names,
                                     int64_t count, const void *values,
                                     sotto_element type, int64_t row_stride,
                                     int64_t column_stride, sotto_error *error)
{
    int64_t before = c->count, first, last;
    sotto_status status = SOTTO_OK;
    if (count < 0)
        return error_set(error, SOTTO_USAGE,
                         "columns: expected a number of columns that is not "
                         "negative");
    if (!columns_reach(count, column_stride) ||
        !columns_reach(c->rows, row_stride))
        return columns_refuse("1", "strides that fit the memory", error);
    first = count ? (count - 1) * column_stride : 0;
    if (__builtin_add_overflow(first, c->rows ? (c->rows - 1) * row_stride : 0,
                               &last))
        return columns_refuse("1", "strides that fit the memory", error);
    for (int64_t j = 0; j < count && status == SOTTO_OK; j++)
        status = columns_add_one(c, names, j, values, type, row_stride,
                                 column_stride, error);
    if (status != SOTTO_OK)
        columns_shorten(c, before);
    else
        c->counted = !names && !before && !c->has_sparse;
    return status;
}

sotto_status sotto_columns_add_texts(sotto_columns *c, const char *name,
                                     const char *bytes, const int64_t *offsets,
                                     const uint8_t *missing, sotto_error *error)
{
    if (c->stream.next)
        return columns_refuse(name, "no column beside those of a stream",
                              error);
    if (!offsets && c->rows)
        return columns_refuse(name, "offsets, found NULL", error);
    sotto_status status = columns_add(c, name, VIEW_TEXTS, SOTTO_I64, error);
    if (status == SOTTO_OK)
        c->view[c->count - 1] =
            (column_view){.missing = missing,
                          .texts = {.bytes = bytes,
                                    .offsets = offsets,
                                    .is_wide = 1,
                                    .count = offsets ? c->rows : 0}};
    return status;
}

static sotto_status columns_refuse_sparse(const char *expected,
                                          sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "columns: sparse features: expected %s", expected);
}

static int is_index_type(sotto_element type)
{
    return type == SOTTO_I32 || type == SOTTO_I64;
}

sotto_status sotto_columns_add_sparse(sotto_columns *c, const sotto_sparse *e,
                                      sotto_error *error)
{
    static const int64_t most = 2147483647;
    if (c->stream.next || c->has_sparse)
        return columns_refuse_sparse("no others in the list", error);
    if (!e)
        return columns_refuse_sparse("entries, found NULL", error);
    if (e->features < 1 || e->features > most)
        return columns_refuse_sparse("from 1 to 2147483647 of them", error);
    if (!is_index_type(e->start_type) || !is_index_type(e->index_type))
        return columns_refuse_sparse(
            "starts and indices of SOTTO_I32 or SOTTO_I64", error);
    if (!element_size(e->value_type))
        return columns_refuse_sparse("values of a type of sotto_element",
                                     error);
    if (!e->start && (e->by_column || c->rows))
        return columns_refuse_sparse("starts, found NULL", error);
    c->sparse = *e;
    c->has_sparse = 1;
    c->counted = 0;
    return SOTTO_OK;
}
