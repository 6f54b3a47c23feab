/*
 * reader: what a file format must supply, and the formats there are.
 */
#ifndef SOTTO_READER_H
#define SOTTO_READER_H

#include "block.h"

/* Most bytes of one record of CSV or svmlight, and of the header of CSV:
   256 MB. With --bad-rows drop a longer one is a bad row like any other. */
enum { READER_LONGEST = 1 << 28 };

/* CSV and svmlight are cut into pieces that are parsed side by side. */
typedef void (*reader_parse)(worker *w, const piece *p);

/* ---- csv.c ---- */

/* The names in the header, which is taken from the source; *lines is how
   many physical lines it has. */
sotto_status csv_header(source *s, char delimiter, char ***names,
                        int64_t *count, int64_t *lines, sotto_error *error);
void csv_free_names(char **names, int64_t count);

/* The delimiter that the options or the file's name say. */
sotto_status csv_delimiter(const char *file, const sotto_options *options,
                           char *out, sotto_error *error);

size_t csv_cut(const char *text, size_t size, const void *context);
void csv_parse(worker *w, const piece *p);

/* ---- svmlight.c ---- */

void svmlight_parse(worker *w, const piece *p);

/* ---- npy.c ---- */

sotto_status npy_read(sotto_table *t, source *s, const sotto_options *options,
                      sotto_error *error);

/* The number of columns of the array in the source. */
sotto_status npy_columns(source *s, int64_t *count, sotto_error *error);

/* ---- read.c ---- */

/* Ends with the last newline. */
size_t read_cut_lines(const char *text, size_t size, const void *context);

int64_t read_count_lines(const char *text, size_t size);

/* The blocks of the whole file as a table, checked and described; `lines`
   came before them (the header); store and range may be NULL. */
sotto_status read_finish(sotto_table *t, plan *p, block *first,
                         entry_store *store, int64_t lines,
                         const column_range *range, sotto_error *error);

/* Columns of these names without rows, as a CSV file may have them. */
sotto_status table_read_names(sotto_table **out, const char *name, char **names,
                              int64_t count, const sotto_options *options,
                              sotto_error *error);

/* ---- table.c ---- */

/* What a table takes over from its plan: names, maps, classes. */
sotto_status table_describe(sotto_table *t, plan *p, sotto_error *error);

/* Remarks for the operator: columns that float32 cannot hold well (range
   may be NULL), records of several lines. */
sotto_status table_remark(sotto_table *t, const plan *p, const block *first,
                          const column_range *range, sotto_error *error);

/* csv, svmlight or npy: by option, by the first bytes, by the name. */
typedef enum read_format { READ_CSV, READ_SVMLIGHT, READ_NPY } read_format;
sotto_status read_detect(source *s, const sotto_options *options,
                         read_format *out, sotto_error *error);

/* A UTF-8 byte order mark is skipped. */
sotto_status read_skip_mark(source *s, sotto_error *error);

/* ---- foreign.c ---- */

/* A file of another program (Parquet, Excel, zip ...) is refused by name. Of
   `header_only` only the first line counts: what follows may be a record. */
sotto_status foreign_check(source *s, int header_only, sotto_error *error);

#endif
