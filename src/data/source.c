/*
 * A file, a gzip stream, stdin or the caller's memory as a stream of bytes.
 * Buffers held records, and are wiped before they are given back.
 */
#include "source_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int source_is_plain(const source *s)
{
    return s->bytes && !s->gzip;
}

void source_drop(char *buffer, size_t written, size_t bytes)
{
    mem_wipe(buffer, buffer ? written : 0);
    mem_unmap(buffer, bytes);
}

static void source_close_one(source *s)
{
    gzip_close(&s->inflater);
    if (s->descriptor > 0)
        close(s->descriptor);
    mem_wipe(s->raw, s->raw ? SOURCE_READ : 0);
    mem_free(s->raw);
    source_drop(s->carry, s->carry_bytes, s->carry_bytes);
    mem_free(s->name);
    mem_free(s);
}

void source_close(source *s)
{
    while (s) {
        source *next = s->next;
        source_close_one(s);
        s = next;
    }
}

void source_append(source *s, source *next)
{
    s->next = next;
}

source *source_following(const source *s)
{
    return s->next;
}

int source_is_same(const source *s, const source *other)
{
    return s->descriptor >= 0 && other->descriptor >= 0 &&
           s->opened.st_dev == other->opened.st_dev &&
           s->opened.st_ino == other->opened.st_ino;
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
    if (s->narrowed && size > s->end - s->got)
        size = s->end - s->got;
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
        if (s->raw_size) { /* the bytes that were peeked at come first */
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
    /* the inflater begins with the bytes that were peeked at */
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

/* Reads some bytes of the stream; none at its end. */
static sotto_status source_stream(source *s, char *to, size_t size, size_t *got,
                                  sotto_error *error)
{
    if (s->gzip)
        return gzip_read(&s->inflater, to, size, got, error);
    return source_read_raw(s, to, size, got, error);
}

sotto_status source_fill(source *s, char *buffer, size_t *size, size_t want,
                         int *ended, sotto_error *error)
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

sotto_status source_carry_room(source *s, size_t bytes, sotto_error *error)
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

int source_is_random(const source *s)
{
    return source_is_plain(s) || (s->regular && !s->gzip);
}

sotto_status source_look(const source *s, size_t at, void *to, size_t size,
                         const char **bytes, size_t *got, sotto_error *error)
{
    *got = 0;
    *bytes = to;
    if (source_is_plain(s)) {
        size_t left = s->size - s->at;
        *bytes = s->bytes + s->at + (at < left ? at : left);
        left -= at < left ? at : left;
        *got = left < size ? left : size;
        return SOTTO_OK;
    }
    size_t from = s->got - s->carry_size + at;
    while (*got < size) {
        ssize_t count = pread(s->descriptor, (char *)to + *got, size - *got,
                              (off_t)(from + *got));
        if (count == 0)
            break;
        if (count < 0 && errno != EINTR)
            return source_system_error(s, "cannot be read", error);
        *got += count > 0 ? (size_t)count : 0;
    }
    return SOTTO_OK;
}

int64_t source_size(const source *s)
{
    if (source_is_plain(s))
        return (int64_t)s->size;
    return s->regular ? (int64_t)s->opened.st_size : -1;
}

sotto_status source_narrow(source *s, size_t from, size_t size,
                           sotto_error *error)
{
    if (source_is_plain(s)) {
        s->at += from;
        s->size = s->at + size;
        return SOTTO_OK;
    }
    size_t at = s->got - s->carry_size + from;
    if (lseek(s->descriptor, (off_t)at, SEEK_SET) < 0)
        return source_system_error(s, "cannot be read", error);
    s->carry_size = 0;
    s->got = at;
    s->narrowed = 1;
    s->end = at + size;
    return SOTTO_OK;
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
    size_t end = s->narrowed ? s->end : (size_t)s->opened.st_size;
    return (int64_t)(end - s->got + s->carry_size);
}
