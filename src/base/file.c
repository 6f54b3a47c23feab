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

sotto_status out_failed(out_file *out, const char *path, sotto_error *error)
{
    int cause = errno;
    shown name = show_name(path);
    out_abandon(out);
    return error_set(error, SOTTO_FAILED, "%s: cannot write: %s", name.text,
                     strerror(cause));
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
char *file_follow(const char *path)
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

/* ".sotto-" and six digits beside the file: any name fits there, however
   long. */
static int out_name_temporary(out_file *out, const char *path)
{
    text_buffer name = {0};
    const char *slash = strrchr(path, '/');
    text_add(&name, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_put(&name, ".sotto-000000");
    out->temporary = text_take(&name);
    return out->temporary != NULL;
}

/* A file without a name in that folder: whatever kills the program, nothing
   is left behind. -1 where the system cannot do it. */
static int out_new_unnamed(out_file *out, mode_t mode)
{
#ifdef O_TMPFILE
    char *name = strrchr(out->temporary, '.'), first = *name;
    if (access("/proc/self/fd", X_OK))
        return -1;
    *name = 0; /* what comes before it is the folder */
    const char *folder = *out->temporary ? out->temporary : ".";
    int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    *name = first;
    return descriptor;
#else
    (void)out;
    (void)mode;
    return -1;
#endif
}

/* Tries temporary names until one is free: gives it to the unnamed file
   `from`, or to a new file where that is NULL. -1 when there is none. */
static int out_take_name(out_file *out, const char *from, mode_t mode)
{
    char *end = strchr(out->temporary, 0) - 6;
    unsigned attempt = (unsigned)getpid();
    for (int i = 0; i < 1000; i++) {
        snprintf(end, 7, "%06x", attempt++ & 0xffffffu);
        int done = from ? linkat(AT_FDCWD, from, AT_FDCWD, out->temporary,
                                 AT_SYMLINK_FOLLOW)
                        : open(out->temporary,
                               O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        if (done >= 0 || errno != EEXIST)
            return done;
    }
    return -1;
}

/* The system takes the umask off the mode of a new file; asking for the umask
   would change it for other threads. A file that is replaced leaves its mode
   to the new one. */
static int out_new(out_file *out)
{
    struct stat status;
    int replaces = !stat(out->path, &status);
    mode_t mode =
        replaces && !out->secret ? status.st_mode & 0777 : (mode_t)out->mode;
    int descriptor = out_new_unnamed(out, mode);
    out->unnamed = descriptor >= 0;
    if (descriptor < 0)
        descriptor = out_take_name(out, NULL, mode);
    if (descriptor < 0)
        out->unnamed = 1; /* there is none to remove */
    else if (replaces)
        (void)!fchmod(descriptor, mode);
    return descriptor;
}

/* The unnamed file as linkat takes it. */
typedef struct out_link {
    char text[40];
} out_link;

static out_link out_unnamed(const out_file *out)
{
    out_link from;
    snprintf(from.text, sizeof from.text, "/proc/self/fd/%d",
             fileno(out->stream));
    return from;
}

/* Puts the file in the place of whatever has its name. */
static int out_replace(out_file *out)
{
    if (out->unnamed) {
        if (out_take_name(out, out_unnamed(out).text, 0))
            return 0;
        out->unnamed = 0;
    }
    return !rename(out->temporary, out->path);
}

/* Gives the file its name unless something has it already: EEXIST. */
static int out_appear(out_file *out)
{
    if (out->unnamed)
        return !linkat(AT_FDCWD, out_unnamed(out).text, AT_FDCWD, out->path,
                       AT_SYMLINK_FOLLOW);
    if (!renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path,
                   RENAME_NOREPLACE))
        return 1;
    /* a system that cannot: a second name, and the first is taken away */
    return (errno == EINVAL || errno == ENOSYS) &&
           !link(out->temporary, out->path) && !unlink(out->temporary);
}

static sotto_status out_no_memory(out_file *out, sotto_error *error)
{
    out_abandon(out);
    return error_memory(error);
}

/* Starts the file beside out->path, which takes over that name. */
static sotto_status out_begin(out_file *out, const char *path,
                              sotto_error *error)
{
    if (!out->path)
        return error_memory(error);
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

sotto_status out_open(out_file *out, const char *path, sotto_error *error)
{
    int is_stdout = !strcmp(path, "-");
    if (!is_stdout && !out_is_special(path)) {
        *out = (out_file){.path = file_follow(path), .mode = 0666};
        return out_begin(out, path, error);
    }
    *out = (out_file){.path = mem_text(is_stdout ? "stdout" : path)};
    if (!out->path)
        return error_memory(error);
    out->stream = is_stdout ? stdout : fopen(path, "wb");
    return out->stream ? SOTTO_OK : out_failed(out, path, error);
}

sotto_status out_open_secret(out_file *out, const char *path,
                             sotto_error *error)
{
    *out = (out_file){0};
    if (!strcmp(path, "-") || out_is_special(path))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected the name of a file: what is written is "
                         "as sensitive as the records",
                         show_name(path).text);
    *out = (out_file){.path = file_follow(path), .mode = 0600, .secret = 1};
    return out_begin(out, path, error);
}

char *file_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_text_n(path, (size_t)(slash - path) + 1) : mem_text(".");
}

/* Advice: not all file systems let a folder be synced. */
sotto_status file_sync_folder(const char *path, sotto_error *error)
{
    char *name = file_folder(path);
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

/* A stream that was written as it went: stdout, a device, a pipe. */
static sotto_status out_flush(out_file *out, sotto_error *error)
{
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

/* On the disk before it has a name, so that the name never stands for less. */
static int out_sync(out_file *out)
{
    return !fflush(out->stream) && !ferror(out->stream) &&
           !fsync(fileno(out->stream));
}

/* After the file has its name. */
static sotto_status out_close(out_file *out, sotto_error *error)
{
    sotto_status status = file_sync_folder(out->path, error);
    mem_free(out->temporary);
    out->temporary = NULL;
    out_abandon(out);
    return status;
}

sotto_status out_commit(out_file *out, sotto_error *error)
{
    if (!out->temporary)
        return out_flush(out, error);
    if (!out_sync(out) || !out_replace(out))
        return out_failed(out, out->path, error);
    return out_close(out, error);
}

/* Without the stream's buffer, where what may be a secret would stay. */
static int write_whole(int to, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(to, bytes, size);
        if (done < 0 && errno != EINTR)
            return 0;
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return 1;
}

int out_write(out_file *out, const void *bytes, size_t size)
{
    return write_whole(fileno(out->stream), bytes, size);
}

sotto_status file_create_as(const char *path, const text_buffer *content,
                            int mode, int *taken, sotto_error *error)
{
    out_file out = {.path = mem_text(path), .mode = mode};
    *taken = 0;
    sotto_status status = out_begin(&out, path, error);
    if (status != SOTTO_OK)
        return status;
    int synced =
        write_whole(fileno(out.stream), content->data, content->length) &&
        out_sync(&out);
    int named = synced && out_appear(&out);
    *taken = synced && !named && errno == EEXIST;
    return named ? out_close(&out, error) : out_failed(&out, path, error);
}

sotto_status file_create(const char *path, const text_buffer *content,
                         int *taken, sotto_error *error)
{
    return file_create_as(path, content, 0666, taken, error);
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

sotto_status sotto_file_write(const char *path, sotto_printer print,
                              void *context, sotto_error *error)
{
    out_file out;
    sotto_status status = out_open(&out, path, error);
    if (status != SOTTO_OK)
        return status;
    status = print(context, out.stream, error);
    if (status == SOTTO_OK)
        return out_commit(&out, error);
    out_abandon(&out);
    return status;
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
