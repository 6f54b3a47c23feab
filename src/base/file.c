/*
 * Files that appear whole or not at all.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sotto_status out_failed(out_file *out, const char *path,
                               sotto_error *error)
{
    int cause = errno;
    shown name = show_name(path);
    out_abandon(out);
    return error_set(error, SOTTO_FAILED, "%s: cannot write: %s", name.text,
                     strerror(cause));
}

/* The mode of the file that is replaced, or that of a new one: mkstemp's own
   would be the owner's alone. */
static void out_set_mode(int descriptor, const char *path)
{
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = stat(path, &status) ? 0666 & ~mask : status.st_mode & 0777;
    (void)!fchmod(descriptor, mode);
}

/* A device or a pipe is written to as it is: a rename would replace it. So
   is whatever has a name in /dev or /proc, like /dev/stdout. */
static int out_is_special(const char *path)
{
    struct stat status;
    if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6))
        return 1;
    return !stat(path, &status) && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

/* Where a link leads: the file is replaced, not the link. */
static char *out_follow(const char *path)
{
    struct stat status;
    if (lstat(path, &status) || !S_ISLNK(status.st_mode))
        return mem_text(path);
    char *target = realpath(path, NULL), *copy = NULL;
    if (target)
        copy = mem_text(target);
    else if (errno != ENOMEM)
        copy = mem_text(path); /* it leads nowhere, and is replaced */
    free(target);
    return copy;
}

/* ".sotto-XXXXXX" beside the file: any name fits there, however long. */
static int out_name_temporary(out_file *out, const char *path)
{
    text_buffer name = {0};
    const char *slash = strrchr(path, '/');
    text_add(&name, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_put(&name, ".sotto-XXXXXX");
    if (name.failed)
        text_free(&name);
    out->temporary = name.data;
    return out->temporary != NULL;
}

/* A file without a name in that folder: whatever kills the program, nothing
   is left behind. -1 where the system cannot do it. */
static int out_new_unnamed(out_file *out)
{
#ifdef O_TMPFILE
    char *name = strrchr(out->temporary, '.'), first = *name;
    if (access("/proc/self/fd", X_OK))
        return -1;
    *name = 0; /* what comes before it is the folder */
    const char *folder = *out->temporary ? out->temporary : ".";
    int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *name = first;
    return descriptor;
#else
    (void)out;
    return -1;
#endif
}

static int out_new(out_file *out)
{
    int descriptor = out_new_unnamed(out);
    out->unnamed = descriptor >= 0;
    if (descriptor < 0)
        descriptor = mkstemp(out->temporary);
    if (descriptor >= 0)
        out_set_mode(descriptor, out->path);
    else
        out->unnamed = 1; /* there is none to remove */
    return descriptor;
}

/* Gives the unnamed file its temporary name, one that is free. */
static int out_give_name(out_file *out)
{
    char from[40], *end = strchr(out->temporary, 0) - 6;
    unsigned attempt = (unsigned)getpid();
    snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(out->stream));
    for (int i = 0; out->unnamed && i < 1000; i++) {
        snprintf(end, 7, "%06x", attempt++ & 0xffffffu);
        if (!linkat(AT_FDCWD, from, AT_FDCWD, out->temporary,
                    AT_SYMLINK_FOLLOW))
            out->unnamed = 0;
        else if (errno != EEXIST)
            break;
    }
    return !out->unnamed;
}

static sotto_status out_no_memory(out_file *out, sotto_error *error)
{
    out_abandon(out);
    return error_memory(error);
}

sotto_status out_open(out_file *out, const char *path, sotto_error *error)
{
    int is_stdout = !strcmp(path, "-");
    int is_special = !is_stdout && out_is_special(path);
    *out = (out_file){.path = is_stdout    ? mem_text("stdout")
                              : is_special ? mem_text(path)
                                           : out_follow(path)};
    if (!out->path)
        return error_memory(error);
    if (is_stdout || is_special) {
        out->stream = is_stdout ? stdout : fopen(path, "wb");
        return out->stream ? SOTTO_OK : out_failed(out, path, error);
    }
    int descriptor = out_name_temporary(out, out->path) ? out_new(out) : -1;
    if (descriptor < 0)
        return out->temporary ? out_failed(out, path, error)
                              : out_no_memory(out, error);
    out->stream = fdopen(descriptor, "wb");
    if (!out->stream) {
        close(descriptor);
        return out_failed(out, path, error);
    }
    return SOTTO_OK;
}

/* Advice: not all file systems let a folder be synced. */
sotto_status file_sync_folder(const char *path, sotto_error *error)
{
    const char *slash = strrchr(path, '/');
    char *name =
        slash ? mem_text_n(path, (size_t)(slash - path) + 1) : mem_text(".");
    if (!name)
        return error_memory(error);
    int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(name);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
    return SOTTO_OK;
}

sotto_status out_commit(out_file *out, sotto_error *error)
{
    if (!out->temporary) {
        FILE *stream = out->stream;
        int bad = fflush(stream) || ferror(stream);
        bad |= stream != stdout && fclose(stream);
        int cause = errno;
        shown name = show_name(out->path);
        mem_free(out->path);
        *out = (out_file){0};
        return bad ? error_set(error, SOTTO_FAILED, "%s: cannot write: %s",
                               name.text, strerror(cause))
                   : SOTTO_OK;
    }
    if (fflush(out->stream) || ferror(out->stream) ||
        fsync(fileno(out->stream)) || !out_give_name(out))
        return out_failed(out, out->path, error);
    int closed = fclose(out->stream);
    out->stream = NULL;
    if (closed || rename(out->temporary, out->path))
        return out_failed(out, out->path, error);
    sotto_status status = file_sync_folder(out->path, error);
    mem_free(out->temporary);
    mem_free(out->path);
    *out = (out_file){0};
    return status;
}

/* ---- reading ---- */

static sotto_status file_refuse(FILE *from, const char *path, char *data,
                                sotto_error *error)
{
    int cause = errno;
    mem_free(data);
    if (from && from != stdin)
        fclose(from);
    return error_set(error, SOTTO_FAILED, "%s: cannot read: %s",
                     show_name(path).text, strerror(cause));
}

sotto_status file_read(const char *path, size_t most, char **out, size_t *size,
                       sotto_error *error)
{
    FILE *from = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    text_buffer t = {0};
    char part[16384];
    size_t got;
    if (!from)
        return file_refuse(from, path, NULL, error);
    text_put(&t, "");
    while ((got = fread(part, 1, sizeof part, from)) > 0 && t.length <= most)
        text_add(&t, part, got);
    if (ferror(from))
        return file_refuse(from, path, t.data, error);
    if (from != stdin)
        fclose(from);
    if (t.failed || t.length > most) {
        int failed = t.failed;
        text_free(&t);
        return failed ? error_memory(error)
                      : error_set(error, SOTTO_USAGE, "%s: too large",
                                  show_name(path).text);
    }
    *out = t.data;
    *size = t.length;
    return SOTTO_OK;
}

sotto_status sotto_text_write(const char *path, const char *string,
                              sotto_error *error)
{
    out_file out;
    sotto_status status = out_open(&out, path, error);
    if (status != SOTTO_OK)
        return status;
    fputs(string, out.stream);
    return out_commit(&out, error);
}

void out_abandon(out_file *out)
{
    if (out->stream && out->stream != stdout)
        fclose(out->stream);
    if (out->temporary && !out->unnamed)
        unlink(out->temporary);
    mem_free(out->temporary);
    mem_free(out->path);
    *out = (out_file){0};
}
