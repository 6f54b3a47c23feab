/*
 * The file of a ledger, an SQLite database: opening, transactions, and what a
 * failure means. A rollback journal, not a WAL, which does not work on network
 * file systems; synchronous=EXTRA, so that a commit outlasts a loss of power.
 */
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what went wrong ---- */

static sotto_status store_refuse(const ledger_store *s, sotto_status status,
                                 const char *what, sotto_error *error)
{
    return error_set(error, status, "%s: %s", show_name(s->path).text, what);
}

static sotto_status store_locked(const ledger_store *s, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED,
                     "%s: locked by another run for more than %d s: try again, "
                     "or end the run that holds it",
                     show_name(s->path).text, ledger_patience() / 1000);
}

static sotto_status store_system(const ledger_store *s, sotto_error *error)
{
    int cause = s->db ? sqlite3_system_errno(s->db) : 0;
    return error_set(error, SOTTO_FAILED, "%s: cannot read or write: %s",
                     show_name(s->path).text,
                     cause ? strerror(cause) : "the system refused it");
}

sotto_status ledger_failed(const ledger_store *s, int code, sotto_error *error)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return store_locked(s, error);
    case SQLITE_FULL:
        return store_refuse(s, SOTTO_FAILED,
                            "the disk is full: make room, and try again",
                            error);
    case SQLITE_READONLY:
        return store_refuse(s, SOTTO_FAILED,
                            "read-only: expected a ledger that this user may "
                            "write, in a folder that it may write",
                            error);
    case SQLITE_CANTOPEN:
        return store_refuse(s, SOTTO_FAILED,
                            "cannot open it, or its journal beside it: "
                            "expected a file and a folder that this user may "
                            "write",
                            error);
    case SQLITE_NOTADB:
        return store_refuse(s, SOTTO_USAGE,
                            "not a ledger, or its first bytes are damaged",
                            error);
    case SQLITE_IOERR:
        return store_system(s, error);
    default: /* SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_ERROR, ... */
        return store_refuse(s, SOTTO_PRIVACY,
                            "the ledger is damaged: 'sotto ledger verify' says "
                            "where; put a backup in its place",
                            error);
    }
}

/* ---- opening ---- */

/* SQLite gives some names a meaning of their own, all of them relative. */
static char *store_plain_path(const char *path)
{
    text_buffer t = {0};
    text_put(&t, *path == '/' ? "" : "./");
    text_put(&t, path);
    return text_take(&t);
}

/* What the system says in words; SQLite only says that it cannot. */
static sotto_status store_look(const ledger_store *s, sotto_error *error)
{
    struct stat about;
    if (stat(s->path, &about)) {
        if (errno == ENOENT)
            return store_refuse(s, SOTTO_FAILED,
                                "there is no ledger; 'sotto ledger create' "
                                "makes one",
                                error);
        int cause = errno;
        return error_set(error, SOTTO_FAILED, "%s: cannot open: %s",
                         show_name(s->path).text, strerror(cause));
    }
    /* What a killed run left half done lies beside the file by its name: under
       another name nobody would find it. */
    if (S_ISREG(about.st_mode) && about.st_nlink != 1)
        return store_refuse(s, SOTTO_FAILED,
                            "the ledger has more than one name (hard links), "
                            "or none; expected one",
                            error);
    return S_ISREG(about.st_mode)
               ? SOTTO_OK
               : store_refuse(s, SOTTO_USAGE,
                              "expected a ledger, found something that is not "
                              "a file",
                              error);
}

sotto_status ledger_run_sql(const ledger_store *s, const char *sql,
                            sotto_error *error)
{
    int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK
               ? SOTTO_OK
               : ledger_failed(s, sqlite3_extended_errcode(s->db), error);
}

/* The number that a pragma answers with. */
static sotto_status store_pragma(const ledger_store *s, const char *sql,
                                 int64_t *out, sotto_error *error)
{
    ledger_query q = ledger_ask(s, sql);
    if (ledger_row(&q))
        *out = ledger_count_at(&q, 0);
    return ledger_end(&q, error);
}

static sotto_status store_check_journal(const ledger_store *s,
                                        sotto_error *error)
{
    int is_delete = 0;
    ledger_query q = ledger_ask(s, "PRAGMA journal_mode=DELETE");
    if (ledger_row(&q)) {
        const char *mode = ledger_text_at(&q, 0);
        is_delete = mode && !strcmp(mode, "delete");
    }
    sotto_status status = ledger_end(&q, error);
    if (status == SOTTO_OK && !is_delete)
        status = store_refuse(s, SOTTO_FAILED,
                              "another program uses it with another kind of "
                              "journal: end that program first",
                              error);
    return status;
}

static sotto_status store_check_kind(const ledger_store *s, sotto_error *error)
{
    int64_t application = 0, version = 0;
    sotto_status status =
        store_pragma(s, "PRAGMA application_id", &application, error);
    if (status == SOTTO_OK)
        status = store_pragma(s, "PRAGMA user_version", &version, error);
    if (status == SOTTO_OK &&
        (application != LEDGER_APPLICATION || version < 1))
        return store_refuse(s, SOTTO_USAGE,
                            "expected a ledger, found another kind of file",
                            error);
    if (status == SOTTO_OK && version > LEDGER_VERSION)
        return error_set(error, SOTTO_USAGE,
                         "%s: made by a newer sotto (format %lld; this one "
                         "reads up to %d): use that one",
                         show_name(s->path).text, (long long)version,
                         LEDGER_VERSION);
    return status;
}

static sotto_status store_prepare(const ledger_store *s, sotto_error *error)
{
    sqlite3_busy_timeout(s->db, ledger_patience());
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sotto_status status =
        ledger_run_sql(s,
                       "PRAGMA foreign_keys=1; PRAGMA trusted_schema=0; "
                       "PRAGMA synchronous=EXTRA; PRAGMA temp_store=MEMORY; "
                       "PRAGMA cell_size_check=1; PRAGMA mmap_size=0",
                       error);
    return status == SOTTO_OK ? store_check_journal(s, error) : status;
}

static sotto_status store_connect(ledger_store *s, sotto_error *error)
{
    char *path = store_plain_path(s->path);
    if (!path)
        return error_memory(error);
    int code = sqlite3_open_v2(
        path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    mem_free(path);
    return code == SQLITE_OK ? store_prepare(s, error)
                             : ledger_failed(s, code, error);
}

sotto_status ledger_store_open(ledger_store *out, const char *path,
                               ledger_opening how, sotto_error *error)
{
    *out = (ledger_store){.path = path};
    sotto_status status = store_look(out, error);
    if (status == SOTTO_OK)
        status = store_connect(out, error);
    if (status == SOTTO_OK)
        status = store_check_kind(out, error);
    if (status == SOTTO_OK && how == LEDGER_CHECKED)
        status = ledger_schema_check(out, error);
    if (status != SOTTO_OK)
        ledger_store_close(out);
    return status;
}

void ledger_store_close(ledger_store *s)
{
    sqlite3_close(s->db);
    s->db = NULL;
}

/* ---- transactions ---- */

sotto_status ledger_begin_read(const ledger_store *s, sotto_error *error)
{
    return ledger_run_sql(s, "BEGIN", error);
}

sotto_status ledger_begin_write(const ledger_store *s, sotto_error *error)
{
    return ledger_run_sql(s, "BEGIN IMMEDIATE", error);
}

void ledger_rollback(const ledger_store *s)
{
    if (s->db && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

static sotto_status store_has_run(const ledger_store *s, const char *run,
                                  int *found, sotto_error *error)
{
    ledger_query q = ledger_ask(s, "SELECT 1 FROM entry WHERE run = ?");
    ledger_bind_text(&q, run);
    *found = ledger_row(&q);
    return ledger_end(&q, error);
}

/* Looks the run up after a commit that ended in an error. What cannot be told
   counts as charged, and as not allowed to begin. */
static sotto_status store_look_up(ledger_store *s, const char *run, int *found,
                                  sotto_error *error)
{
    sotto_error why;
    const char *path = s->path;
    ledger_store_close(s);
    sotto_status status = ledger_store_open(s, path, LEDGER_CHECKED, &why);
    if (status == SOTTO_OK)
        status = store_has_run(s, run, found, &why);
    if (status == SOTTO_OK && *found)
        status = file_sync_folder(path, &why);
    if (status == SOTTO_OK)
        return SOTTO_OK;
    return error_set(error, SOTTO_FAILED,
                     "the ledger did not say whether run %s was charged: it "
                     "may have been, and is not begun (%.300s)",
                     run, why.message);
}

sotto_status ledger_commit(ledger_store *s, const char *run, sotto_error *error)
{
    int found = 0;
    sotto_error why;
    if (ledger_run_sql(s, "COMMIT", &why) == SOTTO_OK)
        return SOTTO_OK;
    ledger_rollback(s);
    sotto_status status = run ? store_look_up(s, run, &found, error) : SOTTO_OK;
    if (status != SOTTO_OK || found)
        return status;
    return error_set(error, why.status, "%s", why.message);
}
