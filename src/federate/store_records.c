/*
 * The records of a store: they are appended, synced, and read again. Each has
 * a lead (type, who, size), a check of the lead, its bytes, and the sum of the
 * chain up to here. The check tells damage from a record that is cut short.
 */
#include "store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LEAD = 4 + 4 + 8, CHECK = 8 };

sotto_status store_damaged(const store *s, sotto_error *error)
{
    return error_set(error, SOTTO_BUDGET,
                     "%s: damaged; earlier messages are lost, so the session "
                     "counts as spent: agree upon a new one",
                     show_name(s->path).text);
}

sotto_status store_failed(const store *s, const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED, "%s: cannot %s: %s",
                     show_name(s->path).text, what, strerror(errno));
}

void store_put(text_buffer *t, uint64_t value, int bytes)
{
    char byte[8];
    for (int i = 0; i < bytes; i++)
        byte[i] = (char)(value >> 8 * i & 0xff);
    text_add(t, byte, (size_t)bytes);
}

uint64_t store_get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* ---- writing ---- */

sotto_status store_write(store *s, const text_buffer *t, sotto_error *error)
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
    sotto_status status = store_failed(s, "write", error);
    s->broken = 1; /* after a failed sync the disk may have anything */
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
    store_put(&t, (uint64_t)type, 4);
    store_put(&t, (uint64_t)who, 4);
    store_put(&t, size, 8);
    hash chain = s->chain;
    if (!t.failed) {
        hash check = check_of(s, t.data);
        text_add(&t, (const char *)check.byte, CHECK);
        text_add(&t, bytes, size);
    }
    if (!t.failed)
        hash_add(&chain, t.data, t.length);
    text_add(&t, (const char *)chain.byte, STORE_SUM);
    sotto_status status = store_write(s, &t, error);
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
    store_put(&t, first_size, 8);
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
    if (size < 8 || store_get(bytes, 8) > size - 8)
        return 0;
    *first_size = (size_t)store_get(bytes, 8);
    *first = (const char *)bytes + 8;
    *second = (const char *)bytes + 8 + *first_size;
    *second_size = size - 8 - *first_size;
    return 1;
}

/* ---- reading ---- */

int store_read_at(const store *s, void *to, size_t size, off_t at)
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

int store_only_zeros(const store *s, off_t at, off_t end)
{
    unsigned char part[4096];
    for (; at < end; at += (off_t)sizeof part) {
        size_t size =
            end - at < (off_t)sizeof part ? (size_t)(end - at) : sizeof part;
        if (!store_read_at(s, part, size, at))
            return 0;
        for (size_t i = 0; i < size; i++)
            if (part[i])
                return 0;
    }
    return 1;
}

/* Reads one record: 1; 0: the file ends before it does; -1: damage. */
static int read_record(store *s, off_t end, char **bytes, size_t *size)
{
    unsigned char lead[LEAD + CHECK];
    *bytes = NULL;
    if (end - s->end < LEAD + CHECK)
        return 0;
    if (!store_read_at(s, lead, sizeof lead, s->end))
        return -1;
    hash check = check_of(s, lead);
    if (memcmp(check.byte, lead + LEAD, CHECK))
        return store_only_zeros(s, s->end, end) ? 0 : -1;
    uint64_t body = store_get(lead + 8, 8);
    if (body > (uint64_t)(end - s->end) - sizeof lead ||
        (uint64_t)(end - s->end) - sizeof lead - body < STORE_SUM)
        return 0;
    *size = sizeof lead + (size_t)body + STORE_SUM;
    *bytes = mem_zeroed(*size, 1);
    if (!*bytes || !store_read_at(s, *bytes, *size, s->end))
        return -1;
    hash chain = s->chain;
    hash_add(&chain, *bytes, *size - STORE_SUM);
    if (memcmp(chain.byte, *bytes + *size - STORE_SUM, STORE_SUM))
        return -1;
    s->chain = chain;
    s->end += (off_t)*size;
    return 1;
}

sotto_status store_replay(store *s, store_reader take, void *context,
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
            status = store_damaged(s, error);
        if (got > 0) {
            const unsigned char *lead = (unsigned char *)bytes;
            store_record r = {(store_type)store_get(lead, 4),
                              (int)store_get(lead + 4, 4), bytes + LEAD + CHECK,
                              size - LEAD - CHECK - STORE_SUM};
            status = take(context, &r, error);
        }
        mem_free(bytes);
    }
    if (status == SOTTO_OK && may_cut && s->end < end &&
        ftruncate(s->file, s->end))
        status = store_failed(s, "write", error);
    return status;
}
