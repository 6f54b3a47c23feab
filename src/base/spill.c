/*
 * Files of our own without a name: what does not fit the memory goes there and
 * comes back, and whatever ends the program takes it away. Nobody else can open
 * one, or cut it. Its room on the disk is taken when it is made, so that a full
 * disk is an error then and not later.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sotto_status spill_failed(const char *what, int cause,
                                 sotto_error *error)
{
    return error_set(error, SOTTO_FAILED, "a file beside the table %s: %s",
                     what, strerror(cause));
}

/* Where the system cannot make one without a name, it loses its name at
   once. */
static int spill_new(const char *folder)
{
    int descriptor = -1;
#ifdef O_TMPFILE
    descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    text_buffer name = {0};
    if (descriptor >= 0)
        return descriptor;
    text_put(&name, folder);
    text_put(&name, "/.sotto-XXXXXX");
    char *path = text_take(&name);
    descriptor = path ? mkostemp(path, O_CLOEXEC) : -1;
    if (descriptor >= 0)
        unlink(path);
    mem_free(path);
    return descriptor;
}

sotto_status spill_open(spill_file *out, const char *folder, size_t bytes,
                        sotto_error *error)
{
    *out = (spill_file){-1};
    int descriptor = spill_new(folder);
    if (descriptor < 0)
        return spill_failed("cannot be made", errno, error);
    int cause = bytes ? posix_fallocate(descriptor, 0, (off_t)bytes) : 0;
    if (cause) {
        close(descriptor);
        return spill_failed("has no room on the disk", cause, error);
    }
    out->descriptor = descriptor;
    return SOTTO_OK;
}

sotto_status spill_write(const spill_file *s, size_t at, const void *from,
                         size_t size, sotto_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t some = pwrite(s->descriptor, (const char *)from + done,
                              size - done, (off_t)(at + done));
        if (some < 0 && errno != EINTR)
            return spill_failed("cannot be written to", errno, error);
        done += some > 0 ? (size_t)some : 0;
    }
    return SOTTO_OK;
}

sotto_status spill_read(const spill_file *s, size_t at, void *to, size_t size,
                        sotto_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t some = pread(s->descriptor, (char *)to + done, size - done,
                             (off_t)(at + done));
        if (some == 0 || (some < 0 && errno != EINTR))
            return spill_failed("cannot be read", some ? errno : EIO, error);
        done += some > 0 ? (size_t)some : 0;
    }
    return SOTTO_OK;
}

void spill_close(spill_file *s)
{
    if (s->descriptor >= 0)
        close(s->descriptor);
    s->descriptor = -1;
}
