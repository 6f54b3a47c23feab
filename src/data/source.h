/*
 * source: the bytes of a file, of a gzip stream, of stdin or of memory, handed
 * out in pieces of whole records or as a plain stream.
 */
#ifndef SOTTO_SOURCE_H
#define SOTTO_SOURCE_H

#include "base.h"

/* Every piece ends with '\n', and so many bytes more can be read: parsers
   may load words without looking for the end. */
enum { SOURCE_PADDING = 64 };

typedef struct source source;

typedef struct piece {
    const char *text;
    size_t size;
    char *buffer; /* its own; text may lie in the caller's memory instead */
    size_t buffer_bytes;
    size_t written; /* so far in that buffer, at most */
} piece;

/* The length of the longest prefix of text[0..size) that consists of whole
   records, 0 if there is none. */
typedef size_t (*source_cut)(const char *text, size_t size,
                             const void *context);

/* Whether it is gzip is known from its first bytes; where nothing may
   depend on a record (by_name), from the ending .gz alone. */
sotto_status source_open(source **out, const char *path, int by_name,
                         sotto_error *error);
sotto_status source_memory(source **out, const char *name, const void *bytes,
                           size_t size, int by_name, sotto_error *error);

/* Closes it, and all that follow it. */
void source_close(source *s);

/* Files that are read one after the other: `next` follows s, which has none
   behind it yet, and belongs to it from now on. NULL: none follows. */
void source_append(source *s, source *next);
source *source_following(const source *s);

/* Whether both are one file, by whatever path. */
int source_is_same(const source *s, const source *other);

/* The name for messages. */
const char *source_name(const source *s);

int source_is_gzip(const source *s);

/* The length of a file's name without the ending .gz, if it has that. */
size_t source_bare_length(const char *name);

/* Up to `want` bytes from the start of what is still to come, without
   taking them; fewer only when the source ends. */
sotto_status source_peek(source *s, size_t want, const char **bytes,
                         size_t *size, sotto_error *error);

/* Takes exactly `size` bytes, or fewer at the end (*got says how many). */
sotto_status source_take(source *s, void *to, size_t size, size_t *got,
                         sotto_error *error);

/* Whether what is left can be read in any order, by several threads: it is in
   the caller's memory, or in a file that is not compressed. */
int source_is_random(const source *s);

/* Bytes from `at` on, counted from what the stream has come to: nothing is
   taken from the stream. *bytes is `to`, or where they are in the caller's
   memory; *got is less than `size` at the end. */
sotto_status source_look(const source *s, size_t at, void *to, size_t size,
                         const char **bytes, size_t *got, sotto_error *error);

/* The size of a file on a disk, compressed or not; else -1. */
int64_t source_size(const source *s);

/* Of what the stream has come to, leaves `size` bytes from `from` on. They must
   be there, and can be read in any order. */
sotto_status source_narrow(source *s, size_t from, size_t size,
                           sotto_error *error);

/* Wipes a buffer, of which so many bytes were written, and gives it back. */
void source_drop(char *buffer, size_t written, size_t bytes);

/* Refuses a file that has been written to since it was opened, whatever came
   of reading it. */
sotto_status source_check_same(const source *s, sotto_error *error);

/* Reads a gzip stream to its end, where its checksum is. */
sotto_status source_drain(source *s, sotto_error *error);

/* Bytes still to come when that is known (a file as it was when it was
   opened), else -1. */
int64_t source_left(const source *s);

/*
 * How a source is cut: into pieces of about `want` bytes of whole records. A
 * record may take `limit` bytes at most; a longer one is refused, or left out
 * where records are lines and nothing may depend on a bad one (skip).
 */
typedef struct source_cutting {
    size_t want, limit;
    int skip;
    source_cut cut;
    const void *context;
} source_cutting;

/*
 * The next piece; an empty one at the end. A last line without '\n' gets one.
 * The piece is empty at first, or the last one, whose buffer is used again.
 */
sotto_status source_next(source *s, const source_cutting *how, piece *out,
                         sotto_error *error);
void source_release(piece *p);

#endif
