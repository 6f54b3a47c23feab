/*
 * gzip: inflates a stream of one or more gzip members.
 */
#ifndef SOTTO_GZIP_H
#define SOTTO_GZIP_H

#include "base.h"

#include <zlib.h>

/* Gives the next compressed bytes, none at the end. */
typedef sotto_status (*gzip_feed)(void *context, const char **bytes,
                                  size_t *size, sotto_error *error);

typedef struct gzip_stream {
    z_stream z;
    const char *name; /* for messages */
    gzip_feed feed;
    void *context;
    int is_open, ended;
} gzip_stream;

sotto_status gzip_open(gzip_stream *g, const char *name, gzip_feed feed,
                       void *context, sotto_error *error);
void gzip_close(gzip_stream *g);

/* Some inflated bytes; none at the end. */
sotto_status gzip_read(gzip_stream *g, char *to, size_t size, size_t *got,
                       sotto_error *error);

#endif
