/*
 * What store.c and store_records.c share.
 */
#ifndef SOTTO_FEDERATE_STORE_H
#define SOTTO_FEDERATE_STORE_H

#include "internal.h"

enum { STORE_SUM = sizeof(hash) };

struct store {
    int file;
    char *path;
    off_t end; /* of the last whole record */
    hash chain;
    int broken;
};

sotto_status store_damaged(const store *s, sotto_error *error);
sotto_status store_failed(const store *s, const char *what, sotto_error *error);

/* A number of so many bytes, the lowest first. */
void store_put(text_buffer *t, uint64_t value, int bytes);
uint64_t store_get(const unsigned char *from, int bytes);

/* Writes and syncs all of it; on a failure nothing of it stays. */
sotto_status store_write(store *s, const text_buffer *t, sotto_error *error);

int store_read_at(const store *s, void *to, size_t size, off_t at);

/* Whether there are only zeros: space that was allocated and never written. */
int store_only_zeros(const store *s, off_t at, off_t end);

/* Hands out all records from s->end on. With `may_cut` a last one that is cut
   short is removed from the file. */
sotto_status store_replay(store *s, store_reader take, void *context,
                          int may_cut, sotto_error *error);

#endif
