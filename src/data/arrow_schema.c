/*
 * The schema of an Arrow stream as kinds of columns. It has names and types
 * and no record: it is public.
 */
#include "arrow.h"

#include <string.h>

/* Formats of one letter that have a type of elements; 0: it is none. */
static int arrow_element(const char *format, sotto_element *out)
{
    static const struct {
        char format;
        sotto_element type;
    } known[] = {{'c', SOTTO_I8},  {'C', SOTTO_U8},  {'s', SOTTO_I16},
                 {'S', SOTTO_U16}, {'i', SOTTO_I32}, {'I', SOTTO_U32},
                 {'l', SOTTO_I64}, {'L', SOTTO_U64}, {'f', SOTTO_F32},
                 {'g', SOTTO_F64}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (format[0] == known[k].format && !format[1]) {
            *out = known[k].type;
            return 1;
        }
    return 0;
}

/* Formats of texts; 0: it is none. */
static int arrow_text_form(const char *format, arrow_form *out)
{
    *out = !strcmp(format, "U")    ? ARROW_WIDE
           : !strcmp(format, "vu") ? ARROW_VIEWS
                                   : ARROW_NARROW;
    return *out != ARROW_NARROW || !strcmp(format, "u");
}

static int arrow_is_integer(sotto_element type)
{
    return type != SOTTO_F32 && type != SOTTO_F64 && type != SOTTO_BOOL;
}

static column_kind arrow_kind(const struct ArrowSchema *s, arrow_form *form)
{
    column_kind k = {.kind = VIEW_OTHER};
    const struct ArrowSchema *list = s->dictionary;
    int is_element = arrow_element(s->format, &k.type);
    *form = ARROW_NARROW;
    if (list && is_element && arrow_is_integer(k.type) && list->format &&
        !list->dictionary && arrow_text_form(list->format, form))
        k.kind = VIEW_CODES;
    else if (!list && is_element)
        k.kind = VIEW_NUMBERS;
    else if (!list && !strcmp(s->format, "b"))
        k = (column_kind){.kind = VIEW_BITS, .type = SOTTO_BOOL};
    else if (!list && arrow_text_form(s->format, form))
        k = (column_kind){.kind = VIEW_TEXTS, .type = SOTTO_I64};
    return k;
}

/* What a type is called that cannot be read: its format, as Arrow's
   specification lists them. */
static char *arrow_type_name(const struct ArrowSchema *s)
{
    text_buffer t = {0};
    const char *listed = s->dictionary ? s->dictionary->format : NULL;
    if (s->dictionary)
        text_put(&t, "dictionary of ");
    text_format(&t, "\"%s\"", s->dictionary ? listed ? listed : "" : s->format);
    return text_take(&t);
}

static sotto_status arrow_column(arrow_reader *r, sotto_columns *c,
                                 const struct ArrowSchema *s,
                                 sotto_error *error)
{
    if (!s || !s->release || !s->format)
        return error_set(error, SOTTO_USAGE,
                         "the stream: column %lld: expected a type, found none",
                         (long long)c->count + 1);
    column_kind kind = arrow_kind(s, &r->form[c->count]);
    sotto_status status = columns_add(c, s->name, kind.kind, kind.type, error);
    if (status != SOTTO_OK)
        return status;
    if (kind.kind == VIEW_OTHER && !(kind.other = arrow_type_name(s)))
        status = error_memory(error);
    c->kind[c->count - 1] = kind;
    return status;
}

sotto_status arrow_columns(arrow_reader *r, sotto_columns *c,
                           const struct ArrowSchema *s, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (!s->format || strcmp(s->format, "+s") || s->dictionary)
        return error_set(error, SOTTO_USAGE,
                         "the stream: expected rows of columns (a struct), "
                         "found the type \"%s\"",
                         show_name(s->format ? s->format : "").text);
    if (s->n_children < 0 || (s->n_children > 0 && !s->children))
        return error_set(error, SOTTO_USAGE,
                         "the stream: expected its columns, found none");
    r->form = mem_zeroed((size_t)s->n_children, sizeof *r->form);
    r->gathered = mem_zeroed((size_t)s->n_children, sizeof *r->gathered);
    if (!r->form || !r->gathered)
        return error_memory(error);
    for (int64_t i = 0; i < s->n_children && status == SOTTO_OK; i++)
        status = arrow_column(r, c, s->children[i], error);
    return status;
}
