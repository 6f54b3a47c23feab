/*
 * Small files of text, read whole into memory.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_PART = 1 << 16 };

sotto_status file_check_whole(const char *name, const char *part, size_t size,
                              size_t total, size_t most, sotto_error *error)
{
    if (size && memchr(part, 0, size))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected text, found a NUL byte",
                         show_name(name).text);
    if (total > most)
        return error_set(error, SOTTO_USAGE,
                         "%s: expected at most %zu bytes, found more; is it "
                         "the right file?",
                         show_name(name).text, most);
    return SOTTO_OK;
}

/* Content that may be a secret: it is not left behind where it was. */
static void file_forget(text_buffer *t)
{
    mem_wipe(t->data, t->length);
    text_free(t);
}

static sotto_status file_room(text_buffer *t, size_t room, sotto_error *error)
{
    if (t->length + 1 < t->room)
        return SOTTO_OK;
    text_buffer larger = {.length = t->length, .room = room};
    larger.data = mem_zeroed(room, 1);
    if (!larger.data)
        return error_memory(error);
    if (t->length)
        memcpy(larger.data, t->data, t->length);
    file_forget(t);
    *t = larger;
    return SOTTO_OK;
}

static sotto_status file_refuse(const char *path, sotto_error *error)
{
    int cause = errno;
    return error_set(error, SOTTO_FAILED, "%s: cannot read: %s",
                     show_name(path).text, strerror(cause));
}

/* The rest of what is open, up to its end or the limit. */
static sotto_status file_take(text_buffer *t, int from, const char *path,
                              size_t most, sotto_error *error)
{
    for (;;) {
        sotto_status status = file_room(t, 2 * t->room, error);
        if (status != SOTTO_OK)
            return status;
        size_t room = t->room - 1 - t->length;
        char *to = t->data + t->length;
        ssize_t got = read(from, to, room < FILE_PART ? room : FILE_PART);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_refuse(path, error);
        t->length += (size_t)got;
        status =
            file_check_whole(path, to, (size_t)got, t->length, most, error);
        if (status != SOTTO_OK || got == 0)
            return status;
    }
}

static sotto_status file_read_open(text_buffer *t, int from, const char *path,
                                   size_t most, sotto_error *error)
{
    struct stat about;
    size_t known = 0;
    if (!fstat(from, &about) && S_ISREG(about.st_mode) && about.st_size > 0)
        known = (size_t)about.st_size;
    sotto_status status = file_check_whole(path, NULL, 0, known, most, error);
    if (status ==
        SOTTO_OK) /* one byte for the end of the text, one to see it */
        status = file_room(t, (known ? known : FILE_PART) + 2, error);
    if (status == SOTTO_OK)
        status = file_take(t, from, path, most, error);
    return status;
}

sotto_status file_read(const char *path, size_t most, char **out, size_t *size,
                       sotto_error *error)
{
    text_buffer t = {0};
    int from = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : 0;
    if (from < 0)
        return file_refuse(path, error);
    sotto_status status = file_read_open(&t, from, path, most, error);
    if (from > 0)
        close(from);
    if (status != SOTTO_OK) {
        file_forget(&t);
        return status;
    }
    *out = t.data;
    *size = t.length;
    return SOTTO_OK;
}
