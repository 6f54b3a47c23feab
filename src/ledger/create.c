/*
 * New files: a ledger without a data set, and the copy of a ledger. They are
 * written beside their place and then named, so they are there whole or not at
 * all, and only their owner may read or write them.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sotto_status create_failed(const char *path, sotto_error *error)
{
    int cause = errno;
    return error_set(error, SOTTO_FAILED, "%s: cannot make it: %s",
                     show_name(path).text, strerror(cause));
}

/* ".sotto-" and a random id, in the folder of the file. */
static char *create_name(const char *path)
{
    text_buffer t = {0};
    char id[LEDGER_ID];
    const char *slash = strrchr(path, '/');
    ledger_random(id);
    text_add(&t, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_format(&t, ".sotto-%s", id);
    return text_take(&t);
}

/* The mode is the file's from its first moment on. SQLite gives the journal
   the same one. */
static sotto_status create_empty(const char *path, const char *shown_as,
                                 sotto_error *error)
{
    int file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return create_failed(shown_as, error);
    close(file);
    return SOTTO_OK;
}

static sotto_status copy_pages(const ledger_store *from, ledger_store *to,
                               sotto_error *error)
{
    sqlite3_backup *b = sqlite3_backup_init(to->db, "main", from->db, "main");
    if (b)
        sqlite3_backup_step(b, -1);
    int code = b ? sqlite3_backup_finish(b) : sqlite3_extended_errcode(to->db);
    return code == SQLITE_OK ? SOTTO_OK : ledger_failed(to, code, error);
}

/* `path` is for messages: the file is called `temporary` as yet. */
static sotto_status copy_into(const ledger_store *from, const char *temporary,
                              const char *path, sotto_error *error)
{
    ledger_store to = {.path = path};
    int code = sqlite3_open_v2(
        temporary, &to.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sotto_status status =
        code == SQLITE_OK
            ? ledger_run_sql(&to, "PRAGMA synchronous=EXTRA", error)
            : ledger_failed(&to, code, error);
    if (status == SOTTO_OK)
        status = copy_pages(from, &to, error);
    ledger_store_close(&to);
    return status;
}

/* A second name, and the first is taken away: never over another file. */
static sotto_status create_appear(const char *temporary, const char *path,
                                  int *taken, sotto_error *error)
{
    int done =
        !renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE);
    if (!done && (errno == EINVAL || errno == ENOSYS))
        done = !link(temporary, path) && !unlink(temporary);
    *taken = !done && errno == EEXIST;
    return done ? file_sync_folder(path, error) : create_failed(path, error);
}

sotto_status ledger_copy(const ledger_store *from, const char *path, int *taken,
                         sotto_error *error)
{
    char *temporary = create_name(path);
    *taken = 0;
    if (!temporary)
        return error_memory(error);
    sotto_status status = create_empty(temporary, path, error);
    if (status == SOTTO_OK) {
        status = copy_into(from, temporary, path, error);
        if (status == SOTTO_OK)
            status = create_appear(temporary, path, taken, error);
        if (status != SOTTO_OK)
            unlink(temporary);
    }
    mem_free(temporary);
    return status;
}

/* Made in memory first: the file never has some of its tables only. */
sotto_status ledger_create(const char *path, sotto_error *error)
{
    struct stat about;
    int taken = 0;
    ledger_store fresh = {.path = path};
    if (!stat(path, &about))
        return SOTTO_OK; /* whoever opens it says whether it is a ledger */
    int code = sqlite3_open_v2(
        ":memory:", &fresh.db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY, NULL);
    sotto_status status = code == SQLITE_OK
                              ? ledger_schema_make(&fresh, error)
                              : ledger_failed(&fresh, code, error);
    if (status == SOTTO_OK)
        status = ledger_copy(&fresh, path, &taken, error);
    ledger_store_close(&fresh);
    return taken ? SOTTO_OK : status; /* another run was faster */
}
