/*
 * Pieces of whole records. Files, gzip, stdin and pipes are read into buffers,
 * one for each piece that is in use; a buffer is used again for the next
 * piece. Files are not mapped, because a mapped file that somebody truncates
 * would end the program. Pieces of the caller's memory point into it; only the
 * last few lines are copied, so that every piece can be padded.
 *
 * Where a piece ends does not change what is stored of a record: every piece
 * consists of whole records, and whether a record is too long depends on that
 * record alone.
 */
#include "source_internal.h"

#include <string.h>

static void source_wrote(piece *p, size_t used)
{
    p->written = p->written > used ? p->written : used;
}

static sotto_status source_too_long(const source *s, size_t limit,
                                    sotto_error *error)
{
    return error_set(error, SOTTO_DATA,
                     "%s: a record is longer than %zu MB; is a quote left "
                     "open, or is it no text?",
                     show_name(s->name).text, limit >> 20);
}

/* Room for `room` bytes in the piece's buffer, whose first `used` stay. */
static sotto_status source_grow(piece *p, size_t room, size_t used,
                                sotto_error *error)
{
    if (p->buffer_bytes >= room)
        return SOTTO_OK;
    char *buffer = mem_map(room);
    if (!buffer)
        return error_memory(error);
    if (used)
        memcpy(buffer, p->buffer, used);
    source_wrote(p, used);
    source_drop(p->buffer, p->written, p->buffer_bytes);
    p->written = used;
    p->buffer = buffer;
    p->buffer_bytes = room;
    return SOTTO_OK;
}

/* A copy of text with '\n' added if its end lacks one, and padding. */
static sotto_status source_copy(const char *bytes, size_t size, piece *out,
                                sotto_error *error)
{
    sotto_status status = source_grow(out, size + 1 + SOURCE_PADDING, 0, error);
    if (status != SOTTO_OK)
        return status;
    memcpy(out->buffer, bytes, size);
    if (out->buffer[size - 1] != '\n')
        out->buffer[size++] = '\n';
    source_wrote(out, size);
    out->text = out->buffer;
    out->size = size;
    return SOTTO_OK;
}

static sotto_status source_next_plain(source *s, const source_cutting *how,
                                      piece *out, sotto_error *error)
{
    const char *text = s->bytes + s->at;
    size_t left = s->size - s->at, whole = 0;
    /* whole records that leave room for the padding inside the memory */
    size_t safe = left > SOURCE_PADDING ? left - SOURCE_PADDING : 0;
    for (size_t window = how->want; !whole; window *= 2) {
        size_t size = window < safe ? window : safe;
        whole = size ? how->cut(text, size, how->context) : 0;
        if (!whole && !how->skip && size >= how->limit)
            return source_too_long(s, how->limit, error);
        if (size == safe)
            break;
    }
    if (whole) {
        out->text = text;
        out->size = whole;
        s->at += whole;
        return SOTTO_OK;
    }
    if (!left)
        return SOTTO_OK;
    /* Near the end there is no room for the padding, so a copy is made: of
       whole records or, without any, of all that is left. */
    whole = how->cut(text, left, how->context);
    whole = whole ? whole : left;
    s->at += whole;
    return source_copy(text, whole, out, error);
}

/* What follows the last whole record waits for the next piece. */
static sotto_status source_keep_rest(source *s, piece *p, size_t whole,
                                     size_t used, sotto_error *error)
{
    s->carry_size = 0;
    sotto_status status = source_carry_room(s, used - whole, error);
    if (status != SOTTO_OK)
        return status;
    if (used > whole)
        memcpy(s->carry, p->buffer + whole, used - whole);
    s->carry_size = used - whole;
    p->text = p->buffer;
    p->size = whole;
    return SOTTO_OK;
}

/* The buffer is full, and all of it is the start of one line. Skips that line;
   the buffer then holds the start of the next one. */
static sotto_status source_skip_line(source *s, piece *p, size_t *used,
                                     int *ended, sotto_error *error)
{
    const char *newline = NULL;
    source_wrote(p, *used);
    size_t part = *used < SOURCE_READ ? *used : SOURCE_READ;
    while (!newline && !*ended) {
        *used = 0;
        sotto_status status =
            source_fill(s, p->buffer, used, part, ended, error);
        if (status != SOTTO_OK)
            return status;
        newline = memchr(p->buffer, '\n', *used);
    }
    size_t past = newline ? (size_t)(newline - p->buffer) + 1 : *used;
    *used -= past;
    memmove(p->buffer, p->buffer + past, *used);
    return SOTTO_OK;
}

/* At least one whole record into the buffer, which then holds `used` bytes;
   or all that is left. */
static sotto_status source_gather(source *s, const source_cutting *how,
                                  piece *p, size_t *used, size_t *whole,
                                  sotto_error *error)
{
    int ended = 0;
    size_t got;
    sotto_status status = SOTTO_OK;
    size_t window = how->want > s->carry_size ? how->want : s->carry_size;
    for (; !*whole && !ended; window *= 2) {
        if (*used >= how->limit) {
            if (!how->skip)
                return source_too_long(s, how->limit, error);
            status = source_skip_line(s, p, used, &ended, error);
            if (status != SOTTO_OK)
                return status;
            window = how->want;
        }
        /* The buffer grows to exactly the limit. So whether a record is too
           long does not depend on what came before it in the buffer. */
        window = window < how->limit ? window : how->limit;
        status = source_grow(p, window + 1 + SOURCE_PADDING, *used, error);
        if (status == SOTTO_OK && !*used) {
            *used = s->carry_size;
            status = source_take(s, p->buffer, *used, &got, error);
        }
        if (status == SOTTO_OK)
            status = source_fill(s, p->buffer, used, window, &ended, error);
        if (status != SOTTO_OK)
            return status;
        if (*used)
            *whole = how->cut(p->buffer, *used, how->context);
    }
    return SOTTO_OK;
}

static sotto_status source_next_stream(source *s, const source_cutting *how,
                                       piece *out, sotto_error *error)
{
    size_t used = 0, whole = 0;
    sotto_status status = source_gather(s, how, out, &used, &whole, error);
    source_wrote(out, used);
    if (status != SOTTO_OK || !used)
        return status;
    if (!whole) {
        if (out->buffer[used - 1] != '\n')
            out->buffer[used++] = '\n';
        whole = used;
    }
    /* the buffer may still hold bytes of the piece before */
    memset(out->buffer + used, 0, SOURCE_PADDING);
    return source_keep_rest(s, out, whole, used, error);
}

sotto_status source_next(source *s, const source_cutting *how, piece *out,
                         sotto_error *error)
{
    out->text = NULL;
    out->size = 0;
    return source_is_plain(s) ? source_next_plain(s, how, out, error)
                              : source_next_stream(s, how, out, error);
}

void source_release(piece *p)
{
    source_drop(p->buffer, p->written, p->buffer_bytes);
    *p = (piece){0};
}
