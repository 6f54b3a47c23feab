/*
 * Files, gzip, stdin and pipes are read into buffers, one for each piece that
 * is in use, which are used again for the next one: were a file mapped, whoever
 * cuts it short would end the program. Pieces of the caller's memory point into
 * it; only the last few lines are copied, so that every piece can be padded.
 * Buffers held records, and are wiped before they are given back.
 */
#include "source.h"
#include "gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_READ = 1 << 18 };

struct source {
    char *name;
    /* plain bytes: the caller's memory */
    const char *bytes;
    size_t size, at;
    /* otherwise a stream: of a descriptor, or inflated from one of these */
    int descriptor;     /* -1: none */
    int regular;        /* a file that has a size */
    struct stat opened; /* what it was then */
    size_t got;         /* bytes read from the descriptor */
    int gzip;
    gzip_stream inflater;
    char *raw; /* compressed bytes read from the descriptor */
    size_t raw_size;
    /* bytes of the stream that were read but not yet handed out */
    char *carry;
    size_t carry_bytes, carry_size;
};

static int source_is_plain(const source *s)
{
    return s->bytes && !s->gzip;
}

static void source_drop(char *buffer, size_t written, size_t bytes)
{
    mem_wipe(buffer, buffer ? written : 0);
    mem_unmap(buffer, bytes);
}

static void source_wrote(piece *p, size_t used)
{
    p->written = p->written > used ? p->written : used;
}

void source_close(source *s)
{
    if (!s)
        return;
    gzip_close(&s->inflater);
    if (s->descriptor > 0)
        close(s->descriptor);
    mem_wipe(s->raw, s->raw ? SOURCE_READ : 0);
    mem_free(s->raw);
    source_drop(s->carry, s->carry_bytes, s->carry_bytes);
    mem_free(s->name);
    mem_free(s);
}

const char *source_name(const source *s)
{
    return s->name;
}

int source_is_gzip(const source *s)
{
    return s->gzip;
}

static sotto_status source_system_error(const source *s, const char *what,
                                        sotto_error *error)
{
    int cause = errno;
    return error_set(error, SOTTO_FAILED, "%s: %s: %s", show_name(s->name).text,
                     what, strerror(cause));
}

static sotto_status source_new(source **out, const char *name,
                               sotto_error *error)
{
    source *s = mem_zeroed(1, sizeof *s);
    if (!s)
        return error_memory(error);
    s->descriptor = -1;
    s->name = mem_text(name);
    if (!s->name) {
        mem_free(s);
        return error_memory(error);
    }
    *out = s;
    return SOTTO_OK;
}

static sotto_status source_open_path(source *s, const char *path,
                                     sotto_error *error)
{
    s->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (s->descriptor < 0 || fstat(s->descriptor, &s->opened))
        return source_system_error(s, "cannot be opened", error);
    if (S_ISDIR(s->opened.st_mode))
        return error_set(error, SOTTO_FAILED,
                         "%s: is a directory; expected a data file",
                         show_name(path).text);
    /* a file of no size may still have content, as in /proc */
    s->regular = S_ISREG(s->opened.st_mode) && s->opened.st_size > 0;
    return SOTTO_OK;
}

sotto_status source_check_same(const source *s, sotto_error *error)
{
    struct stat now;
    if (!s->regular)
        return SOTTO_OK;
    if (fstat(s->descriptor, &now))
        return source_system_error(s, "cannot be read", error);
    if (now.st_size == s->opened.st_size &&
        now.st_mtim.tv_sec == s->opened.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == s->opened.st_mtim.tv_nsec)
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA,
                     "%s: the file has changed while it was read; expected one "
                     "that nobody writes to: read a copy",
                     show_name(s->name).text);
}

static sotto_status source_read_raw(source *s, void *to, size_t size,
                                    size_t *got, sotto_error *error)
{
    for (;;) {
        ssize_t count = read(s->descriptor, to, size);
        if (count >= 0) {
            *got = (size_t)count;
            s->got += *got;
            return SOTTO_OK;
        }
        if (errno != EINTR)
            return source_system_error(s, "cannot be read", error);
    }
}

/* Compressed bytes for the inflater. */
static sotto_status source_feed(void *context, const char **bytes, size_t *size,
                                sotto_error *error)
{
    source *s = context;
    if (!s->bytes) {
        *bytes = s->raw;
        if (s->raw_size) { /* what was peeked at */
            *size = s->raw_size;
            s->raw_size = 0;
            return SOTTO_OK;
        }
        return source_read_raw(s, s->raw, SOURCE_READ, size, error);
    }
    size_t left = s->size - s->at;
    *size = left < SOURCE_READ ? left : SOURCE_READ;
    *bytes = s->bytes + s->at;
    s->at += *size;
    return SOTTO_OK;
}

size_t source_bare_length(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, ".gz") ? length - 3
                                                           : length;
}

static sotto_status source_detect_gzip(source *s, int by_name,
                                       sotto_error *error)
{
    const char *head;
    size_t size;
    sotto_status status = source_peek(s, 2, &head, &size, error);
    if (status != SOTTO_OK)
        return status;
    if (by_name ? !s->name[source_bare_length(s->name)]
                : size < 2 || memcmp(head, "\x1f\x8b", 2))
        return SOTTO_OK;
    /* the bytes that were peeked from a descriptor are its first input */
    if (!s->bytes) {
        s->raw = mem_zeroed(1, SOURCE_READ);
        if (!s->raw)
            return error_memory(error);
        memcpy(s->raw, s->carry, s->carry_size);
        s->raw_size = s->carry_size;
        s->carry_size = 0;
    }
    s->gzip = 1;
    return gzip_open(&s->inflater, s->name, source_feed, s, error);
}

sotto_status source_open(source **out, const char *path, int by_name,
                         sotto_error *error)
{
    source *s = NULL;
    int is_stdin = !strcmp(path, "-");
    sotto_status status = source_new(&s, is_stdin ? "stdin" : path, error);
    if (status != SOTTO_OK)
        return status;
    if (is_stdin)
        s->descriptor = 0;
    else
        status = source_open_path(s, path, error);
    if (status == SOTTO_OK)
        status = source_detect_gzip(s, by_name, error);
    if (status != SOTTO_OK)
        source_close(s);
    else
        *out = s;
    return status;
}

sotto_status source_memory(source **out, const char *name, const void *bytes,
                           size_t size, int by_name, sotto_error *error)
{
    source *s = NULL;
    sotto_status status = source_new(&s, name, error);
    if (status != SOTTO_OK)
        return status;
    s->bytes = size ? bytes : "";
    s->size = size;
    status = source_detect_gzip(s, by_name, error);
    if (status != SOTTO_OK)
        source_close(s);
    else
        *out = s;
    return status;
}

/* ---- the stream ---- */

/* Some bytes of the stream; none at its end. */
static sotto_status source_stream(source *s, char *to, size_t size, size_t *got,
                                  sotto_error *error)
{
    if (s->gzip)
        return gzip_read(&s->inflater, to, size, got, error);
    return source_read_raw(s, to, size, got, error);
}

/* Reads until the buffer holds `want` bytes or the stream ends. */
static sotto_status source_fill(source *s, char *buffer, size_t *size,
                                size_t want, int *ended, sotto_error *error)
{
    *ended = 0;
    while (*size < want && !*ended) {
        size_t got = 0;
        sotto_status status =
            source_stream(s, buffer + *size, want - *size, &got, error);
        if (status != SOTTO_OK)
            return status;
        *size += got;
        *ended = got == 0;
    }
    return SOTTO_OK;
}

/* ---- a plain stream of bytes ---- */

static sotto_status source_carry_room(source *s, size_t bytes,
                                      sotto_error *error)
{
    if (bytes <= s->carry_bytes)
        return SOTTO_OK;
    char *room = mem_map(bytes);
    if (!room)
        return error_memory(error);
    if (s->carry_size)
        memcpy(room, s->carry, s->carry_size);
    source_drop(s->carry, s->carry_bytes, s->carry_bytes);
    s->carry = room;
    s->carry_bytes = bytes;
    return SOTTO_OK;
}

sotto_status source_peek(source *s, size_t want, const char **bytes,
                         size_t *size, sotto_error *error)
{
    if (source_is_plain(s)) {
        size_t left = s->size - s->at;
        *bytes = s->bytes + s->at;
        *size = left < want ? left : want;
        return SOTTO_OK;
    }
    int ended;
    sotto_status status = source_carry_room(s, want, error);
    if (status == SOTTO_OK)
        status = source_fill(s, s->carry, &s->carry_size, want, &ended, error);
    *bytes = s->carry;
    *size = s->carry_size < want ? s->carry_size : want;
    return status;
}

sotto_status source_take(source *s, void *to, size_t size, size_t *got,
                         sotto_error *error)
{
    if (source_is_plain(s)) {
        size_t left = s->size - s->at;
        *got = left < size ? left : size;
        memcpy(to, s->bytes + s->at, *got);
        s->at += *got;
        return SOTTO_OK;
    }
    int ended;
    *got = s->carry_size < size ? s->carry_size : size;
    if (*got) {
        memcpy(to, s->carry, *got);
        memmove(s->carry, s->carry + *got, s->carry_size - *got);
        s->carry_size -= *got;
    }
    return source_fill(s, to, got, size, &ended, error);
}

sotto_status source_drain(source *s, sotto_error *error)
{
    char waste[4096];
    size_t got = 1;
    sotto_status status = SOTTO_OK;
    while (s->gzip && got && status == SOTTO_OK)
        status = source_take(s, waste, sizeof waste, &got, error);
    return status;
}

int64_t source_left(const source *s)
{
    if (source_is_plain(s))
        return (int64_t)(s->size - s->at);
    if (!s->regular || s->gzip || (size_t)s->opened.st_size < s->got)
        return -1;
    return (int64_t)((size_t)s->opened.st_size - s->got + s->carry_size);
}

/* ---- pieces of whole records ---- */

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
    /* near the end: a copy, of whole records or else of all that is left */
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

/* The buffer is full of the start of a line: on to the next line, of which the
   buffer then holds the start. */
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
        /* exactly the limit: whether a record is too long is its own affair */
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
    /* what the last piece left behind is no padding */
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
