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

/* mkstemp makes the file private; give it the mode a new file would have. */
static void out_usual_mode(int descriptor)
{
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(descriptor, 0666 & ~mask);
}

/* A device or a pipe is written to as it is: a rename would replace it. */
static int out_is_special(const char *path)
{
    struct stat status;
    return !stat(path, &status) && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

sotto_status out_open(out_file *out, const char *path, sotto_error *error)
{
    int is_stdout = !strcmp(path, "-");
    *out = (out_file){.path = mem_text(is_stdout ? "stdout" : path)};
    if (!out->path)
        return error_memory(error);
    if (is_stdout || out_is_special(path)) {
        out->stream = is_stdout ? stdout : fopen(path, "wb");
        return out->stream ? SOTTO_OK : out_failed(out, path, error);
    }
    text_buffer name = {0};
    const char *slash = strrchr(path, '/');
    text_add(&name, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_put(&name, ".sotto-XXXXXX"); /* any name fits, however long */
    if (name.failed) {
        text_free(&name);
        out_abandon(out);
        return error_memory(error);
    }
    out->temporary = name.data;
    int descriptor = mkstemp(out->temporary);
    if (descriptor < 0) {
        int cause = errno;
        mem_free(out->temporary);
        out->temporary = NULL;
        errno = cause;
        return out_failed(out, path, error);
    }
    out_usual_mode(descriptor);
    out->stream = fdopen(descriptor, "wb");
    if (!out->stream) {
        close(descriptor);
        return out_failed(out, path, error);
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
        fsync(fileno(out->stream)))
        return out_failed(out, out->path, error);
    int closed = fclose(out->stream);
    out->stream = NULL;
    if (closed || rename(out->temporary, out->path))
        return out_failed(out, out->path, error);
    mem_free(out->temporary);
    mem_free(out->path);
    *out = (out_file){0};
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
    if (out->temporary)
        unlink(out->temporary);
    mem_free(out->temporary);
    mem_free(out->path);
    *out = (out_file){0};
}
