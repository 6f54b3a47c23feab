/*
 * The store of messages: one file that only grows. Its head says which session,
 * role and data it belongs to; then come records, chained by SHA-256. A record
 * is synced before its message is sent. If the process was killed while it
 * wrote, the last record is cut short: it was never sent and is dropped.
 * Anything else that is wrong is damage, and is refused: a party that has
 * forgotten an answer would give another one, with fresh noise.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VERSION = 1,
    HEAD = 8 + 4 + 4 + 32 + 32 /* magic, version, role, session, data */
};
static const char magic[8] = {'s', 'o', 't', 't', 'o', 'l', 'o', 'g'};

/* ---- the head ---- */

static sotto_status write_head(store *s, const store_owner *owner,
                               sotto_error *error)
{
    text_buffer t = {0};
    text_add(&t, magic, sizeof magic);
    store_put(&t, VERSION, 4);
    store_put(&t, (uint64_t)owner->role, 4);
    text_add(&t, (const char *)owner->session.byte, STORE_SUM);
    text_add(&t, (const char *)owner->data.byte, STORE_SUM);
    if (!t.failed) {
        hash sum = hash_of(t.data, t.length);
        text_add(&t, (const char *)sum.byte, STORE_SUM);
        s->chain = sum;
    }
    sotto_status status = store_write(s, &t, error);
    text_free(&t);
    return status;
}

static sotto_status read_head(store *s, store_owner *owner, sotto_error *error)
{
    unsigned char head[HEAD + STORE_SUM];
    if (!store_read_at(s, head, sizeof head, 0))
        return store_damaged(s, error);
    hash sum = hash_of(head, HEAD);
    if (memcmp(head, magic, sizeof magic) ||
        store_get(head + 8, 4) != VERSION ||
        memcmp(sum.byte, head + HEAD, STORE_SUM))
        return store_damaged(s, error);
    owner->role = (int)store_get(head + 12, 4);
    memcpy(owner->session.byte, head + 16, STORE_SUM);
    memcpy(owner->data.byte, head + 16 + STORE_SUM, STORE_SUM);
    s->chain = sum;
    s->end = HEAD + STORE_SUM;
    return SOTTO_OK;
}

static sotto_status check_owner(const store *s, const store_owner *is,
                                const store_owner *wanted, sotto_error *error)
{
    const char *what = NULL;
    if (!hash_same(&is->session, &wanted->session))
        what = "another agreement";
    else if (is->role != wanted->role)
        what = "another role or party";
    else if (!hash_same(&is->data, &wanted->data))
        what = "other data (or another way to read them, or another seed)";
    return what ? error_set(error, SOTTO_BUDGET,
                            "%s: this is the state of %s; expected the state "
                            "of this run, or a new folder",
                            show_name(s->path).text, what)
                : SOTTO_OK;
}

sotto_status store_sync_folder(const char *folder, sotto_error *error)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    char *name = mem_text_n(folder, length);
    sotto_status status =
        name ? file_sync_folder(name, error) : error_memory(error);
    mem_free(name);
    return status;
}

/*
 * What was read may not be on the disk yet: the process that wrote it may have
 * been killed before it synced. It will be sent again, so it is synced first,
 * with the names of the file and of the folder.
 */
static sotto_status sync_all(const store *s, const char *folder,
                             sotto_error *error)
{
    if (fsync(s->file))
        return store_failed(s, "write", error);
    sotto_status status = file_sync_folder(s->path, error);
    return status == SOTTO_OK ? store_sync_folder(folder, error) : status;
}

/* ---- life ---- */

static sotto_status name_file(store *s, const char *folder, sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, folder);
    text_put(&t, "/messages");
    s->path = text_take(&t);
    return s->path ? SOTTO_OK : error_memory(error);
}

static sotto_status open_file(store *s, const char *folder, sotto_error *error)
{
    if (mkdir(folder, 0700) && errno != EEXIST)
        return error_set(error, SOTTO_FAILED, "%s: cannot make it: %s",
                         show_name(folder).text, strerror(errno));
    s->file = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->file < 0)
        return store_failed(s, "open", error);
    if (flock(s->file, LOCK_EX | LOCK_NB))
        return error_set(error, SOTTO_FAILED, "%s: another process is using it",
                         show_name(s->path).text);
    return SOTTO_OK;
}

/* If the head was cut short, nothing was ever sent: it is written again. */
static sotto_status open_head(store *s, const store_owner *owner,
                              sotto_error *error)
{
    store_owner is;
    off_t size = lseek(s->file, 0, SEEK_END);
    if (size < HEAD + STORE_SUM || store_only_zeros(s, 0, size)) {
        if (ftruncate(s->file, 0))
            return store_failed(s, "write", error);
        return write_head(s, owner, error);
    }
    sotto_status status = read_head(s, &is, error);
    return status == SOTTO_OK ? check_owner(s, &is, owner, error) : status;
}

sotto_status store_open(store **out, const char *folder,
                        const store_owner *owner, store_reader take,
                        void *context, sotto_error *error)
{
    store *s = mem_zeroed(1, sizeof *s);
    *out = NULL;
    if (!s)
        return error_memory(error);
    s->file = -1;
    sotto_status status = name_file(s, folder, error);
    if (status == SOTTO_OK)
        status = open_file(s, folder, error);
    if (status == SOTTO_OK)
        status = open_head(s, owner, error);
    if (status == SOTTO_OK)
        status = store_replay(s, take, context, 1, error);
    if (status == SOTTO_OK)
        status = sync_all(s, folder, error);
    if (status == SOTTO_OK)
        *out = s;
    else
        store_close(s);
    return status;
}

sotto_status store_look(const char *folder, store_owner *owner,
                        store_reader take, void *context, sotto_error *error)
{
    store s = {.file = -1};
    sotto_status status = name_file(&s, folder, error);
    if (status == SOTTO_OK) {
        s.file = open(s.path, O_RDONLY | O_CLOEXEC);
        if (s.file < 0)
            status = store_failed(&s, "open", error);
    }
    if (status == SOTTO_OK)
        status = read_head(&s, owner, error);
    if (status == SOTTO_OK)
        status = store_replay(&s, take, context, 0, error);
    if (s.file >= 0)
        close(s.file);
    mem_free(s.path);
    return status;
}

void store_close(store *s)
{
    if (!s)
        return;
    if (s->file >= 0)
        close(s->file);
    mem_free(s->path);
    mem_free(s);
}
