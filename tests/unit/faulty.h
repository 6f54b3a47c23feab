/*
 * A file system for SQLite that counts what is done, and fails, forgets to say
 * that it has not failed, or ends the process at the n-th step.
 */
#ifndef SOTTO_FAULTY_H
#define SOTTO_FAULTY_H

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

typedef enum faulty_way {
    FAULTY_NEVER,
    FAULTY_ONCE,   /* the step fails, and is not done */
    FAULTY_ALWAYS, /* and so do all after it */
    FAULTY_LOST,   /* the step is done, and an error is said */
    FAULTY_EXIT    /* the process ends before the step */
} faulty_way;

typedef struct faulty_state {
    faulty_way way;
    int at, code;             /* the step, and SQLite's code (0: by its kind) */
    int steps;                /* writes, syncs, deletions and cuts so far */
    int reads, writes, syncs; /* pages of the ledger itself */
} faulty_state;
static faulty_state faulty;

typedef struct faulty_file {
    sqlite3_file base;
    int is_main;
    sqlite3_file *real;
} faulty_file;

static sqlite3_vfs *faulty_real, faulty_vfs;

static sqlite3_file *faulty_of(sqlite3_file *f)
{
    return ((faulty_file *)f)->real;
}

/* Whether the step is to be left out, and what is to be said of it. */
static int faulty_step(int code, int *say)
{
    int n = ++faulty.steps, now = n == faulty.at;
    *say = 0;
    if (now && faulty.way == FAULTY_EXIT)
        _exit(9);
    if (faulty.way == FAULTY_ALWAYS)
        now = faulty.at > 0 && n >= faulty.at;
    if (now && faulty.way != FAULTY_NEVER)
        *say = faulty.code ? faulty.code : code;
    return *say && faulty.way != FAULTY_LOST;
}

static int faulty_close(sqlite3_file *f)
{
    return faulty_of(f)->pMethods->xClose(faulty_of(f));
}

static int faulty_read(sqlite3_file *f, void *to, int size, sqlite3_int64 at)
{
    faulty.reads += ((faulty_file *)f)->is_main;
    return faulty_of(f)->pMethods->xRead(faulty_of(f), to, size, at);
}

static int faulty_write(sqlite3_file *f, const void *from, int size,
                        sqlite3_int64 at)
{
    int say;
    faulty.writes += ((faulty_file *)f)->is_main;
    if (faulty_step(SQLITE_IOERR_WRITE, &say))
        return say;
    int code = faulty_of(f)->pMethods->xWrite(faulty_of(f), from, size, at);
    return say ? say : code;
}

static int faulty_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    int say;
    if (faulty_step(SQLITE_IOERR_TRUNCATE, &say))
        return say;
    int code = faulty_of(f)->pMethods->xTruncate(faulty_of(f), size);
    return say ? say : code;
}

/* No test can take the power away: a sync is counted, and not waited for. */
static int faulty_sync(sqlite3_file *f, int flags)
{
    int say;
    (void)f;
    (void)flags;
    faulty.syncs++;
    faulty_step(SQLITE_IOERR_FSYNC, &say);
    return say;
}

static int faulty_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return faulty_of(f)->pMethods->xFileSize(faulty_of(f), size);
}

static int faulty_lock(sqlite3_file *f, int how)
{
    return faulty_of(f)->pMethods->xLock(faulty_of(f), how);
}

static int faulty_unlock(sqlite3_file *f, int how)
{
    return faulty_of(f)->pMethods->xUnlock(faulty_of(f), how);
}

static int faulty_reserved(sqlite3_file *f, int *out)
{
    return faulty_of(f)->pMethods->xCheckReservedLock(faulty_of(f), out);
}

static int faulty_control(sqlite3_file *f, int what, void *with)
{
    return faulty_of(f)->pMethods->xFileControl(faulty_of(f), what, with);
}

static int faulty_sector(sqlite3_file *f)
{
    return faulty_of(f)->pMethods->xSectorSize(faulty_of(f));
}

static int faulty_device(sqlite3_file *f)
{
    return faulty_of(f)->pMethods->xDeviceCharacteristics(faulty_of(f));
}

static const sqlite3_io_methods faulty_methods = {
    .iVersion = 1,
    .xClose = faulty_close,
    .xRead = faulty_read,
    .xWrite = faulty_write,
    .xTruncate = faulty_truncate,
    .xSync = faulty_sync,
    .xFileSize = faulty_size,
    .xLock = faulty_lock,
    .xUnlock = faulty_unlock,
    .xCheckReservedLock = faulty_reserved,
    .xFileControl = faulty_control,
    .xSectorSize = faulty_sector,
    .xDeviceCharacteristics = faulty_device,
};

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f,
                       int flags, int *out)
{
    faulty_file *mine = (faulty_file *)f;
    (void)vfs;
    mine->real = (sqlite3_file *)(mine + 1);
    mine->is_main = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    memset(mine->real, 0, (size_t)faulty_real->szOsFile);
    int code = faulty_real->xOpen(faulty_real, name, mine->real, flags, out);
    mine->base.pMethods = mine->real->pMethods ? &faulty_methods : NULL;
    return code;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    int say;
    (void)vfs;
    if (faulty_step(SQLITE_IOERR_DELETE, &say))
        return say;
    faulty.syncs += sync != 0;
    int code = faulty_real->xDelete(faulty_real, name, 0);
    return say ? say : code;
}

/* All connections of this process use it from now on. */
__attribute__((unused)) static int faulty_install(void)
{
    faulty_real = sqlite3_vfs_find(NULL);
    faulty_vfs = *faulty_real;
    faulty_vfs.zName = "faulty";
    faulty_vfs.pNext = NULL;
    faulty_vfs.szOsFile += (int)sizeof(faulty_file);
    faulty_vfs.xOpen = faulty_open;
    faulty_vfs.xDelete = faulty_delete;
    return sqlite3_vfs_register(&faulty_vfs, 1);
}

#endif
