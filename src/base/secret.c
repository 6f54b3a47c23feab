/*
 * Files that are secret: private keys, and what a consortium shares. They are
 * read without a buffer in between, into one block that never moves, so that
 * who wipes the block leaves no copy behind.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sotto_status refuse_reading(const char *path, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED, "%s: cannot read: %s",
                     show_name(path).text, strerror(errno));
}

/* All that there is, up to `room` bytes; -1: it cannot be read. */
static ssize_t read_all(int from, char *to, size_t room)
{
    size_t have = 0;
    ssize_t got = 1;
    while (have < room && got > 0) {
        got = read(from, to + have, room - have);
        if (got > 0)
            have += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    return got < 0 ? -1 : (ssize_t)have;
}

static sotto_status read_open(int from, const char *path, size_t most,
                              char **out, size_t *size, sotto_error *error)
{
    struct stat about;
    if (fstat(from, &about))
        return refuse_reading(path, error);
    if (about.st_mode & 077)
        return error_set(error, SOTTO_PRIVACY,
                         "%s: others can read it; expected a file of its "
                         "owner alone (chmod 600)",
                         show_name(path).text);
    char *bytes = mem_zeroed(most + 2, 1);
    if (!bytes)
        return error_memory(error);
    ssize_t got = read_all(from, bytes, most + 1);
    sotto_status status = got < 0 ? refuse_reading(path, error)
                          : (size_t)got > most
                              ? error_set(error, SOTTO_USAGE, "%s: too large",
                                          show_name(path).text)
                              : SOTTO_OK;
    if (status != SOTTO_OK) {
        mem_free_wiped(bytes, most + 2);
        return status;
    }
    *out = bytes;
    *size = (size_t)got;
    return SOTTO_OK;
}

sotto_status file_read_secret(const char *path, size_t most, char **out,
                              size_t *size, sotto_error *error)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return refuse_reading(path, error);
    sotto_status status = read_open(from, path, most, out, size, error);
    close(from);
    return status;
}
