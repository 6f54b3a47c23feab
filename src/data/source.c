/*
 * A plain file is mapped and its pieces point into the map; only the last
 * few lines are copied, so that every piece can be padded. Anything else
 * (gzip, stdin, pipes) is read into buffers that live as long as a piece.
 */
#include "source.h"
#include "gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_READ = 1 << 18 };

struct source {
    char *name;
    /* plain bytes: a mapped file or the caller's memory */
    const char *bytes;
    size_t size, at;
    int mapped;
    /* otherwise a stream: of a descriptor, or inflated from one of these */
    int descriptor; /* -1: none */
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

/* Bytes of the map that have been used: the pages stay in the system's
   cache, but no longer count as ours. */
static void source_forget(const source *s, size_t from, size_t to)
{
    if (s->mapped)
        mem_discard((void *)(uintptr_t)s->bytes, from, to);
}

void source_close(source *s)
{
    if (!s)
        return;
    gzip_close(&s->inflater);
    if (s->mapped)
        munmap((void *)(uintptr_t)s->bytes, s->size);
    if (s->descriptor > 0)
        close(s->descriptor);
    mem_wipe(s->raw, s->raw ? SOURCE_READ : 0);
    mem_free(s->raw);
    mem_unmap(s->carry, s->carry_bytes);
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

static sotto_status source_map(source *s, size_t size, sotto_error *error)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, s->descriptor, 0);
    if (map == MAP_FAILED)
        return source_system_error(s, "cannot be mapped", error);
    s->bytes = map;
    s->mapped = 1;
    s->size = size;
    return SOTTO_OK;
}

static sotto_status source_open_path(source *s, const char *path,
                                     sotto_error *error)
{
    struct stat status;
    s->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (s->descriptor < 0 || fstat(s->descriptor, &status))
        return source_system_error(s, "cannot be opened", error);
    if (S_ISDIR(status.st_mode))
        return error_set(error, SOTTO_FAILED,
                         "%s: is a directory; expected a data file",
                         show_name(path).text);
    /* a file of no size may still have content, as in /proc: read it */
    if (S_ISREG(status.st_mode) && status.st_size > 0)
        return source_map(s, (size_t)status.st_size, error);
    return SOTTO_OK;
}

static sotto_status source_read_raw(source *s, void *to, size_t size,
                                    size_t *got, sotto_error *error)
{
    for (;;) {
        ssize_t count = read(s->descriptor, to, size);
        if (count >= 0) {
            *got = (size_t)count;
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
    source_forget(s, 0, s->at);
    s->at += *size;
    return SOTTO_OK;
}

static int source_is_called_gzip(const source *s)
{
    size_t length = strlen(s->name);
    return length > 3 && !strcmp(s->name + length - 3, ".gz");
}

static sotto_status source_detect_gzip(source *s, int by_name,
                                       sotto_error *error)
{
    const char *head;
    size_t size;
    sotto_status status = source_peek(s, 2, &head, &size, error);
    if (status != SOTTO_OK)
        return status;
    if (by_name ? !source_is_called_gzip(s)
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
    mem_unmap(s->carry, s->carry_bytes);
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
        source_forget(s, s->at, s->at + *got);
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
    return source_is_plain(s) ? (int64_t)(s->size - s->at) : -1;
}

/* ---- pieces of whole records ---- */

static sotto_status source_too_long(const source *s, size_t limit,
                                    sotto_error *error)
{
    return error_set(error, SOTTO_DATA,
                     "%s: a record is longer than %zu MB; is a quote left "
                     "open?",
                     show_name(s->name).text, limit >> 20);
}

/* A copy of text with '\n' added if its end lacks one, and padding. */
static sotto_status source_copy(const char *bytes, size_t size, piece *out,
                                sotto_error *error)
{
    size_t room = size + 1 + SOURCE_PADDING;
    char *copy = mem_map(room);
    if (!copy)
        return error_memory(error);
    memcpy(copy, bytes, size);
    if (copy[size - 1] != '\n')
        copy[size++] = '\n';
    *out = (piece){copy, size, copy, room};
    return SOTTO_OK;
}

static sotto_status source_next_plain(source *s, size_t want, size_t limit,
                                      source_cut cut, const void *context,
                                      piece *out, sotto_error *error)
{
    const char *text = s->bytes + s->at;
    size_t left = s->size - s->at, whole = 0;
    /* whole records that leave room for the padding inside the map */
    size_t safe = left > SOURCE_PADDING ? left - SOURCE_PADDING : 0;
    for (size_t window = want; !whole; window *= 2) {
        size_t size = window < safe ? window : safe;
        whole = size ? cut(text, size, context) : 0;
        if (!whole && limit && size >= limit)
            return source_too_long(s, limit, error);
        if (size == safe)
            break;
    }
    if (whole) {
        *out = (piece){text, whole, NULL, 0};
        s->at += whole;
        return SOTTO_OK;
    }
    if (!left) {
        *out = (piece){0};
        return SOTTO_OK;
    }
    /* near the end: a copy, of whole records or else of all that is left */
    whole = cut(text, left, context);
    whole = whole ? whole : left;
    s->at += whole;
    return source_copy(text, whole, out, error);
}

static sotto_status source_grow(piece *p, size_t room, size_t used,
                                sotto_error *error)
{
    char *buffer = mem_map(room);
    if (!buffer)
        return error_memory(error);
    if (used)
        memcpy(buffer, p->buffer, used);
    mem_unmap(p->buffer, p->buffer_bytes);
    *p = (piece){buffer, 0, buffer, room};
    return SOTTO_OK;
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
        memcpy(s->carry, p->text + whole, used - whole);
    s->carry_size = used - whole;
    p->size = whole;
    return SOTTO_OK;
}

static sotto_status source_next_stream(source *s, size_t want, size_t limit,
                                       source_cut cut, const void *context,
                                       piece *out, sotto_error *error)
{
    piece p = {0};
    size_t used = 0, whole = 0, got;
    int ended = 0;
    sotto_status status = SOTTO_OK;
    size_t window = want > s->carry_size ? want : s->carry_size;
    for (; status == SOTTO_OK && !whole && !ended; window *= 2) {
        if (limit && used >= limit)
            status = source_too_long(s, limit, error);
        else
            status = source_grow(&p, window + 1 + SOURCE_PADDING, used, error);
        if (status != SOTTO_OK)
            break;
        if (!used) {
            used = s->carry_size;
            status = source_take(s, p.buffer, used, &got, error);
        }
        if (status == SOTTO_OK)
            status = source_fill(s, p.buffer, &used, window, &ended, error);
        if (status == SOTTO_OK && used)
            whole = cut(p.text, used, context);
    }
    if (status == SOTTO_OK && !whole && used) {
        char *buffer = p.buffer;
        if (buffer[used - 1] != '\n')
            buffer[used++] = '\n';
        whole = used;
    }
    if (status == SOTTO_OK)
        status = source_keep_rest(s, &p, whole, used, error);
    if (status != SOTTO_OK || !whole) {
        mem_unmap(p.buffer, p.buffer_bytes);
        p = (piece){0};
    }
    *out = p;
    return status;
}

sotto_status source_next(source *s, size_t want, size_t limit, source_cut cut,
                         const void *context, piece *out, sotto_error *error)
{
    if (source_is_plain(s))
        return source_next_plain(s, want, limit, cut, context, out, error);
    return source_next_stream(s, want, limit, cut, context, out, error);
}

void source_release(source *s, piece *p)
{
    if (p->buffer)
        mem_unmap(p->buffer, p->buffer_bytes);
    else if (p->size)
        source_forget(s, (size_t)(p->text - s->bytes),
                      (size_t)(p->text - s->bytes) + p->size);
    *p = (piece){0};
}
