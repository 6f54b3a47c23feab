/*
 * source_internal: what the stream of bytes (source.c) and its pieces
 * (source_pieces.c) share.
 */
#ifndef SOTTO_SOURCE_INTERNAL_H
#define SOTTO_SOURCE_INTERNAL_H

#include "gzip.h"
#include "source.h"

#include <sys/stat.h>

enum { SOURCE_READ = 1 << 18 };

struct source {
    char *name;
    /* plain bytes: the caller's memory */
    const char *bytes;
    size_t size, at;
    /* otherwise a stream: of a descriptor, or inflated from one of these */
    int descriptor;     /* -1: none */
    int regular;        /* a file that has a size */
    struct stat opened; /* what it was then */
    size_t got;         /* bytes read from the descriptor */
    int narrowed;       /* and of these the stream has only */
    size_t end;         /* those before this one */
    int gzip;
    gzip_stream inflater;
    char *raw; /* compressed bytes read from the descriptor */
    size_t raw_size;
    /* bytes of the stream that were read but not yet handed out */
    char *carry;
    size_t carry_bytes, carry_size;
    source *next; /* the file that is read after this one; NULL: none */
};

/* Whether the bytes are in the caller's memory, as they are. */
int source_is_plain(const source *s);

/* Reads until the buffer holds `want` bytes or the stream ends. */
sotto_status source_fill(source *s, char *buffer, size_t *size, size_t want,
                         int *ended, sotto_error *error);

/* Lets the carry hold so many bytes. */
sotto_status source_carry_room(source *s, size_t bytes, sotto_error *error);

#endif
