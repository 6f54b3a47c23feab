/*
 * Messages on the disk, each of them synced before it is sent. One file that
 * only grows: what it goes with, and records chained by SHA-256. A process
 * that was killed leaves a record that is cut short at the end: it was never
 * sent, and is dropped. Anything else that is wrong is damage: whoever has
 * forgotten what it said must not go on.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VERSION = 1,
    HEAD = 8 + 4 + 4 + 32 + 32, /* magic, version, role, session, data */
    LEAD = 4 + 4 + 8,           /* type, who, size */
    CHECK = 8,
    SUM = sizeof(hash)
};
static const char magic[8] = {'s', 'o', 't', 't', 'o', 'l', 'o', 'g'};

struct store {
    int file;
    char *path;
    off_t end; /* of what is whole */
    hash chain;
    int broken;
};

static sotto_status damaged(const store *s, sotto_error *error)
{
    return error_set(error, SOTTO_BUDGET,
                     "%s: damaged; what was said before is lost, so the "
                     "session counts as spent: agree upon a new one",
                     show_name(s->path).text);
}

static sotto_status failed(const store *s, const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED, "%s: cannot %s: %s",
                     show_name(s->path).text, what, strerror(errno));
}

static void put(text_buffer *t, uint64_t value, int bytes)
{
    char byte[8];
    for (int i = 0; i < bytes; i++)
        byte[i] = (char)(value >> 8 * i & 0xff);
    text_add(t, byte, (size_t)bytes);
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* ---- writing ---- */

/* All of it, on the disk; or as if nothing had been written. */
static sotto_status append(store *s, const text_buffer *t, sotto_error *error)
{
    size_t done = 0;
    if (t->failed)
        return error_memory(error);
    if (s->broken)
        return error_set(error, SOTTO_FAILED, "%s: cannot write any more",
                         show_name(s->path).text);
    while (done < t->length) {
        ssize_t got = pwrite(s->file, t->data + done, t->length - done,
                             s->end + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    if (done == t->length && !fsync(s->file)) {
        s->end += (off_t)t->length;
        return SOTTO_OK;
    }
    sotto_status status = failed(s, "write", error);
    s->broken = 1; /* after a failed sync nobody knows what is there */
    (void)!ftruncate(s->file, s->end);
    return status;
}

/* H(chain, lead): its first bytes tell damage from a record cut short. */
static hash check_of(const store *s, const void *lead)
{
    hash h = s->chain;
    hash_add(&h, lead, LEAD);
    return h;
}

sotto_status store_add(store *s, store_type type, int who, const void *bytes,
                       size_t size, sotto_error *error)
{
    text_buffer t = {0};
    put(&t, (uint64_t)type, 4);
    put(&t, (uint64_t)who, 4);
    put(&t, size, 8);
    hash chain = s->chain;
    if (!t.failed) {
        hash check = check_of(s, t.data);
        text_add(&t, (const char *)check.byte, CHECK);
        text_add(&t, bytes, size);
    }
    if (!t.failed)
        hash_add(&chain, t.data, t.length);
    text_add(&t, (const char *)chain.byte, SUM);
    sotto_status status = append(s, &t, error);
    text_free(&t);
    if (status == SOTTO_OK)
        s->chain = chain;
    return status;
}

sotto_status store_add_pair(store *s, store_type type, int who,
                            const void *first, size_t first_size,
                            const void *second, size_t second_size,
                            sotto_error *error)
{
    text_buffer t = {0};
    put(&t, first_size, 8);
    text_add(&t, first, first_size);
    text_add(&t, second, second_size);
    sotto_status status =
        t.failed ? error_memory(error)
                 : store_add(s, type, who, t.data, t.length, error);
    text_free(&t);
    return status;
}

int store_pair(const void *bytes, size_t size, const void **first,
               size_t *first_size, const void **second, size_t *second_size)
{
    if (size < 8 || get(bytes, 8) > size - 8)
        return 0;
    *first_size = (size_t)get(bytes, 8);
    *first = (const char *)bytes + 8;
    *second = (const char *)bytes + 8 + *first_size;
    *second_size = size - 8 - *first_size;
    return 1;
}

/* ---- reading ---- */

static int read_at(const store *s, void *to, size_t size, off_t at)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got =
            pread(s->file, (char *)to + done, size - done, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        done += (size_t)got;
    }
    return 1;
}

/* Whether nothing but zeros is left: room that was taken, never written. */
static int only_zeros(const store *s, off_t at, off_t end)
{
    unsigned char part[4096];
    for (; at < end; at += (off_t)sizeof part) {
        size_t size =
            end - at < (off_t)sizeof part ? (size_t)(end - at) : sizeof part;
        if (!read_at(s, part, size, at))
            return 0;
        for (size_t i = 0; i < size; i++)
            if (part[i])
                return 0;
    }
    return 1;
}

/* One record: 1, or 0 where the file ends before it does, or -1: damage. */
static int read_record(store *s, off_t end, char **bytes, size_t *size)
{
    unsigned char lead[LEAD + CHECK];
    *bytes = NULL;
    if (end - s->end < LEAD + CHECK)
        return 0;
    if (!read_at(s, lead, sizeof lead, s->end))
        return -1;
    hash check = check_of(s, lead);
    if (memcmp(check.byte, lead + LEAD, CHECK))
        return only_zeros(s, s->end, end) ? 0 : -1;
    uint64_t body = get(lead + 8, 8);
    if (body > (uint64_t)(end - s->end) - sizeof lead ||
        (uint64_t)(end - s->end) - sizeof lead - body < SUM)
        return 0;
    *size = sizeof lead + (size_t)body + SUM;
    *bytes = mem_zeroed(*size, 1);
    if (!*bytes || !read_at(s, *bytes, *size, s->end))
        return -1;
    hash chain = s->chain;
    hash_add(&chain, *bytes, *size - SUM);
    if (memcmp(chain.byte, *bytes + *size - SUM, SUM))
        return -1;
    s->chain = chain;
    s->end += (off_t)*size;
    return 1;
}

static sotto_status replay(store *s, store_reader take, void *context,
                           int may_cut, sotto_error *error)
{
    off_t end = lseek(s->file, 0, SEEK_END);
    sotto_status status = SOTTO_OK;
    int got = 1;
    while (status == SOTTO_OK && got > 0) {
        char *bytes;
        size_t size = 0;
        got = read_record(s, end, &bytes, &size);
        if (got < 0)
            status = damaged(s, error);
        if (got > 0) {
            const unsigned char *lead = (unsigned char *)bytes;
            store_record r = {(store_type)get(lead, 4), (int)get(lead + 4, 4),
                              bytes + LEAD + CHECK, size - LEAD - CHECK - SUM};
            status = take(context, &r, error);
        }
        mem_free(bytes);
    }
    if (status == SOTTO_OK && may_cut && s->end < end &&
        ftruncate(s->file, s->end))
        status = failed(s, "write", error);
    return status;
}

/*
 * What was read may be in memory alone: whoever wrote it was killed before it
 * was synced. It is about to be sent again, so it must be on the disk first;
 * and so must the file's name, and the folder's.
 */
static sotto_status sync_all(const store *s, const char *folder,
                             sotto_error *error)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    char *name = mem_text_n(folder, length);
    sotto_status status = name ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK && fsync(s->file))
        status = failed(s, "write", error);
    if (status == SOTTO_OK)
        status = file_sync_folder(s->path, error);
    if (status == SOTTO_OK)
        status = file_sync_folder(name, error);
    mem_free(name);
    return status;
}

/* ---- what it goes with ---- */

static sotto_status write_head(store *s, const store_owner *owner,
                               sotto_error *error)
{
    text_buffer t = {0};
    text_add(&t, magic, sizeof magic);
    put(&t, VERSION, 4);
    put(&t, (uint64_t)owner->role, 4);
    text_add(&t, (const char *)owner->session.byte, SUM);
    text_add(&t, (const char *)owner->data.byte, SUM);
    if (!t.failed) {
        hash sum = hash_of(t.data, t.length);
        text_add(&t, (const char *)sum.byte, SUM);
        s->chain = sum;
    }
    sotto_status status = append(s, &t, error);
    text_free(&t);
    return status;
}

static sotto_status read_head(store *s, store_owner *owner, sotto_error *error)
{
    unsigned char head[HEAD + SUM];
    if (!read_at(s, head, sizeof head, 0))
        return damaged(s, error);
    hash sum = hash_of(head, HEAD);
    if (memcmp(head, magic, sizeof magic) || get(head + 8, 4) != VERSION ||
        memcmp(sum.byte, head + HEAD, SUM))
        return damaged(s, error);
    owner->role = (int)get(head + 12, 4);
    memcpy(owner->session.byte, head + 16, SUM);
    memcpy(owner->data.byte, head + 16 + SUM, SUM);
    s->chain = sum;
    s->end = HEAD + SUM;
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
                            "%s: this is the state of %s; what was answered "
                            "before cannot go on with this",
                            show_name(s->path).text, what)
                : SOTTO_OK;
}

/* ---- life ---- */

static sotto_status name_file(store *s, const char *folder, sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, folder);
    text_put(&t, "/messages");
    if (t.failed) {
        text_free(&t);
        return error_memory(error);
    }
    s->path = t.data;
    return SOTTO_OK;
}

static sotto_status open_file(store *s, const char *folder, sotto_error *error)
{
    if (mkdir(folder, 0700) && errno != EEXIST)
        return error_set(error, SOTTO_FAILED, "%s: cannot make it: %s",
                         show_name(folder).text, strerror(errno));
    s->file = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->file < 0)
        return failed(s, "open", error);
    if (flock(s->file, LOCK_EX | LOCK_NB))
        return error_set(error, SOTTO_FAILED, "%s: another process is using it",
                         show_name(s->path).text);
    return SOTTO_OK;
}

/* A head that was cut short: nothing was ever sent. */
static sotto_status open_head(store *s, const store_owner *owner,
                              sotto_error *error)
{
    store_owner is;
    off_t size = lseek(s->file, 0, SEEK_END);
    if (size < HEAD + SUM || only_zeros(s, 0, size)) {
        if (ftruncate(s->file, 0))
            return failed(s, "write", error);
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
        status = replay(s, take, context, 1, error);
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
            status = failed(&s, "open", error);
    }
    if (status == SOTTO_OK)
        status = read_head(&s, owner, error);
    if (status == SOTTO_OK)
        status = replay(&s, take, context, 0, error);
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
