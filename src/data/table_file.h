/*
 * table_file: a table on disk (docs/tables.md). Numbers are as the machine has
 * them, and the head says which order of bytes that is.
 *
 *   head      TABLE_HEAD bytes: mark, version, order of bytes, bytes of the
 *             whole file and of the public part, zeros, checksum of both
 *   public    what header, schema and options say: table_public.c
 *   row head  TABLE_HEAD bytes: rows, rows of a block, entries, zeros, checksum
 *   target, weights, persons      those that there are, in pieces
 *   dense     blocks of rows: in a block column after column
 *   sparse    where rows begin, columns of entries, values; in pieces
 *
 * What is secret begins with the row head. A piece has TABLE_PIECE bytes or
 * what is left, and like a block it ends with its checksum: BLAKE2b of its
 * section, its number and its bytes.
 */
#ifndef SOTTO_TABLE_FILE_H
#define SOTTO_TABLE_FILE_H

#include "format.h"

#include <sodium.h>

#define TABLE_MARK "\x89SOTTO\r\n"

enum {
    TABLE_VERSION = 1,
    TABLE_HEAD = 64,
    TABLE_SUM = 16,         /* bytes of a checksum */
    TABLE_PIECE = 1 << 20,  /* bytes */
    TABLE_PAGE_ROWS = 1024, /* floats of a page: blocks are whole pages */
    TABLE_BLOCK = 1 << 20,  /* bytes that a block has at most, */
    TABLE_PUBLIC = 1 << 30, /* unless a page of each column has more */
};

typedef enum table_section {
    SECTION_HEAD,
    SECTION_ROWS,
    SECTION_TARGET,
    SECTION_WEIGHTS,
    SECTION_PERSONS,
    SECTION_COLUMNS,
    SECTION_STARTS,
    SECTION_INDEX,
    SECTION_VALUES,
    SECTIONS
} table_section;

typedef struct table_head {
    char mark[8];
    uint32_t version, order;
    uint64_t bytes, public_bytes;
    uint64_t zero[2];
    unsigned char sum[TABLE_SUM];
} table_head;

typedef struct table_row_head {
    uint64_t rows, block, entries;
    uint64_t zero[3];
    unsigned char sum[TABLE_SUM];
} table_row_head;

/* Where the sections are, counted from the row head on. */
typedef struct table_layout {
    int64_t features, rows, block, entries;
    size_t at[SECTIONS];    /* of SECTION_TARGET on */
    size_t bytes[SECTIONS]; /* without checksums; 0: it is not there */
    size_t end;             /* of the file */
} table_layout;

/* ---- table_layout.c ---- */

/* The checksum of some bytes, and perhaps of more behind them. */
void table_sum(unsigned char out[TABLE_SUM], table_section section,
               uint64_t number, const void *bytes, size_t size,
               const void *more, size_t more_size);

/* How many rows a block has where a row has so many features. */
int64_t table_block_rows(int64_t features);

/* Where everything is in the file of a table of this shape and size; 0: no
   file can be so large. */
int table_lay_out(table_layout *out, const sotto_table *shape,
                  const table_row_head *head);

/* Of a block of the columns: its first row, its rows, and its place. */
typedef struct table_block {
    int64_t from, rows;
    size_t at, bytes;
} table_block;
table_block table_block_at(const table_layout *l, int64_t number);
int64_t table_blocks(const table_layout *l);

/* How many checksums a section has, and where one of them is. */
int64_t table_sums(const table_layout *l, table_section section);
size_t table_sum_at(const table_layout *l, table_section section,
                    int64_t number);

/* ---- table_public.c ---- */

/* Adds what is public of a table, and back: a table without rows. */
void table_put_public(text_buffer *out, const sotto_table *t);
sotto_status table_take_public(sotto_table **out, const char *file,
                               const char *bytes, size_t size,
                               sotto_error *error);

typedef struct table_file table_file;

/* ---- table_check.c ---- */

/* Options at training: those that a table was not converted with. */
sotto_status table_check_options(const char *file, const sotto_table *shape,
                                 const sotto_options *options,
                                 sotto_error *error);

/* Whether rows are such as a reader makes. */
int table_rows_fit(const sotto_table *t);
int table_starts_fit(const sotto_table *t, const table_file *f);
int table_entries_fit(const sotto_table *t);
int table_values_fit(const sotto_table *t, int64_t j, const float *value,
                     int64_t count);

/* ---- table_load.c ---- */

/* A file whose row head has been read. Of its rows `rows` are wanted, from row
   `from` on: all of them, or the share of a rank. */
struct table_file {
    const source *s;
    table_layout layout;
    int64_t from, rows;
    int threads;
};

/* One line about a part of the file whose checksum does not fit. */
sotto_status table_damaged(const source *s, table_section section,
                           sotto_error *error);

/* Bytes from `at` on, counted from the row head; fewer are an error. `to` has
   room for them. */
sotto_status table_look(const table_file *f, size_t at, void *to, size_t size,
                        const char **bytes, sotto_error *error);

/* Bytes [from, from + size) of a section that is in pieces, by all threads. */
sotto_status table_load_pieces(const table_file *f, table_section section,
                               size_t from, size_t size, void *to,
                               sotto_error *error);

/* What is wanted of a block of the columns to its place in a dense table.
   `room` has TABLE_SUM bytes more than a block. `checked`: its checksum was
   compared before. */
sotto_status table_load_block(const table_file *f, const sotto_table *t,
                              int64_t number, int checked, char *room,
                              sotto_error *error);

/* Of all blocks, by all threads. */
sotto_status table_load_columns(const table_file *f, const sotto_table *t,
                                sotto_error *error);

/* ---- table_stream.c ---- */

/* The option memory; 0: it is not given. */
sotto_status table_memory(size_t *out, const sotto_options *options,
                          sotto_error *error);

/* Has the columns stay on the disk, of a table whose rows were read. The source
   is the table's from then on, whatever the status. */
sotto_status table_stream_open(sotto_table *t, source *s, const table_file *f,
                               size_t memory, sotto_error *error);
void table_stream_close(sotto_table *t);

/* What training needs beside what it keeps of each row. */
size_t table_least_memory(int64_t features, int threads);

/* ---- table_read.c ---- */

extern const file_format format_table;

#endif
