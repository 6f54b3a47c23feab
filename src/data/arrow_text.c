/*
 * Texts of Arrow arrays: as they lie there, where they are bytes with offsets;
 * views are gathered. Whatever they say of places is checked against the sizes
 * that the array has.
 */
#include "arrow.h"

#include <string.h>

enum { VIEW_BYTES = 16, VIEW_INLINE = 12 };

sotto_status arrow_refuse(const char *name, const char *expected,
                          sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "the stream: column \"%s\": expected %s",
                     show_name(name).text, expected);
}

/* ---- views ---- */

static int32_t read_32(const char *at)
{
    int32_t out;
    memcpy(&out, at, sizeof out);
    return out;
}

/* Where the text of a view is, and its length; 0: outside of the buffers,
   whose sizes the last of them has. */
static int view_find(const struct ArrowArray *a, const char *view,
                     const char **at, size_t *length)
{
    int64_t size, buffers = a->n_buffers - 3;
    int32_t bytes = read_32(view);
    *length = (size_t)bytes;
    *at = view + 4;
    if (bytes <= VIEW_INLINE)
        return bytes >= 0;
    int32_t which = read_32(view + 8), from = read_32(view + 12);
    const char *sizes = a->buffers[a->n_buffers - 1];
    if (which < 0 || which >= buffers || from < 0 || !sizes ||
        !a->buffers[2 + which])
        return 0;
    memcpy(&size, sizes + (size_t)which * sizeof size, sizeof size);
    *at = (const char *)a->buffers[2 + which] + from;
    return size - from >= bytes;
}

static int text_is_valid(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->buffers[0];
    return !bits || bits[i >> 3] >> (i & 7) & 1;
}

/* Of those that are null nothing is defined. Twice: for their size, and to
   copy them. */
static int views_walk(const struct ArrowArray *a, int64_t first, int64_t count,
                      arrow_gathered *g, size_t *total)
{
    const char *views = a->buffers[1], *at;
    size_t length;
    *total = 0;
    for (int64_t i = 0; i < count; i++) {
        if (g->offsets)
            g->offsets[i] = (int64_t)*total;
        if (!text_is_valid(a, first + i))
            continue;
        if (!view_find(a, views + (first + i) * VIEW_BYTES, &at, &length))
            return 0;
        if (g->bytes)
            memcpy(g->bytes + *total, at, length);
        *total += length;
    }
    if (g->offsets)
        g->offsets[count] = (int64_t)*total;
    return 1;
}

static sotto_status views_gather(view_texts *out, arrow_gathered *g,
                                 const struct ArrowArray *a, int64_t first,
                                 int64_t count, const char *name,
                                 sotto_error *error)
{
    size_t total;
    if (!views_walk(a, first, count, g, &total))
        return arrow_refuse(name, "views of texts within their buffers", error);
    g->bytes = mem_zeroed(total, 1);
    g->offsets = mem_zeroed((size_t)count + 1, sizeof *g->offsets);
    g->size = g->bytes ? total : 0;
    g->count = g->offsets ? (size_t)count + 1 : 0;
    if (!g->bytes || !g->offsets)
        return error_memory(error);
    views_walk(a, first, count, g, &total);
    out->bytes = g->bytes;
    out->offsets = g->offsets;
    out->is_wide = 1;
    return SOTTO_OK;
}

/* ---- all forms ---- */

sotto_status arrow_texts(view_texts *out, arrow_gathered *g, arrow_form form,
                         const struct ArrowArray *a, int64_t first,
                         int64_t count, const char *name, sotto_error *error)
{
    size_t width = form == ARROW_VIEWS  ? VIEW_BYTES
                   : form == ARROW_WIDE ? sizeof(int64_t)
                                        : sizeof(int32_t);
    int64_t end;
    *out = (view_texts){.count = count};
    if (count == 0)
        return SOTTO_OK;
    if (a->n_buffers < 3 || !a->buffers || !a->buffers[1])
        return arrow_refuse(name, "the offsets of its texts, found none",
                            error);
    if (__builtin_mul_overflow(first + count, (int64_t)width, &end))
        return arrow_refuse(name, "a length that fits the memory", error);
    if (form == ARROW_VIEWS)
        return views_gather(out, g, a, first, count, name, error);
    out->offsets = (const char *)a->buffers[1] + first * (int64_t)width;
    out->is_wide = form == ARROW_WIDE;
    out->bytes = a->buffers[2];
    return SOTTO_OK;
}
