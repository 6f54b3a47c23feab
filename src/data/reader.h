/*
 * reader: what the readers of the file formats share.
 */
#ifndef SOTTO_READER_H
#define SOTTO_READER_H

#include "block.h"
#include "format.h"

/* Most bytes of one record of CSV or svmlight, and of the header of CSV:
   256 MB. With --bad-rows drop a longer one is a bad row like any other. */
enum { READER_LONGEST = 1 << 28 };

/* CSV and svmlight are cut into pieces that are parsed side by side. */
typedef void (*reader_parse)(worker *w, const piece *p);

/* ---- read.c ---- */

/* Ends with the last newline. */
size_t read_cut_lines(const char *text, size_t size, const void *context);

int64_t read_count_lines(const char *text, size_t size);

/* The lines of the blocks before b that are of the same file. */
int64_t read_lines_before(const block *first, const block *b);

/* A UTF-8 byte order mark is skipped. */
sotto_status read_skip_mark(source *s, sotto_error *error);

/* Parts need the column that tells them, and it needs them. */
sotto_status read_check_parts(const sotto_options *options, sotto_error *error);

/* The table of this plan without a row. Header, schema and options have made
   the plan, so all of it is public. */
sotto_status read_shape(sotto_table **out, const column_plan *p, int sparse,
                        sotto_error *error);

/* Calls the hook with the shape, if there is a hook. Readers do so when the
   plan is made, before they look at a row. The plan is told where blocks go. */
sotto_status read_call(const read_hook *hook, column_plan *p, int sparse,
                       sotto_error *error);

/* The plan of the columns that options and schema declare: no file is looked
   at. `numbered`: as svmlight has them. `features` as of --features, or 0. */
sotto_status declared_plan(column_plan *out, int *numbered, int64_t features,
                           const sotto_options *options, sotto_error *error);

/* The blocks of the whole file as a table, checked and described; `lines`
   came before those of each file (the header); store and range may be NULL. */
sotto_status read_finish(sotto_table *t, column_plan *p, block *first,
                         entry_store *store, int64_t lines, column_range *range,
                         sotto_error *error);

/* Where the names of a header come from. */
static inline plan_naming read_naming(const file_format *f,
                                      const file_header *h)
{
    return f->columns != COLUMNS_NAMED ? NAMES_COUNTED
           : h->listed                 ? NAMES_LISTED
                                       : NAMES_HEADER;
}

/* Files that are one table. */
sotto_status read_files(sotto_table **out, const char *const *path,
                        int64_t files, const sotto_options *options,
                        const read_hook *hook, sotto_error *error);

/* ---- read_files.c ---- */

/* Opens files that are to be one table, each behind the one before it. Stdin
   among several is refused, and a file that is there twice. */
sotto_status read_open(source **out, const char *const *path, int64_t files,
                       int by_name, sotto_error *error);

/* The format of all of them. */
sotto_status read_format(const file_format **out, source *s,
                         const sotto_options *options, int hooked,
                         sotto_error *error);

/* Refuses files that were written to since they were opened. */
sotto_status read_check_same(const source *s, sotto_error *error);

/* ---- table.c ---- */

/* What a table takes over from its plan: names, maps, classes. */
sotto_status table_describe(sotto_table *t, const column_plan *p,
                            sotto_error *error);

/* Remarks for the operator: columns that float32 cannot hold well (range
   may be NULL), records of several lines, a header like a record. */
sotto_status table_remark(sotto_table *t, const column_plan *p,
                          const block *first, column_range *range,
                          sotto_error *error);

#endif
