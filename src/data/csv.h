/*
 * csv: what the header and the rows of a CSV file share.
 */
#ifndef SOTTO_CSV_H
#define SOTTO_CSV_H

#include "reader.h"

extern const char csv_open_quote[], csv_after_quote[];

/* Past the quoted field that starts at s, or NULL when it does not end. */
const char *csv_skip_quoted(const char *s, const char *end);

/* The names in the first line, which is taken from the source; with --no-header
   those of the option, and nothing is taken. */
sotto_status csv_header(source *s, const sotto_options *options,
                        file_header *out, sotto_error *error);

/* Takes the first lines of the files that follow, which must say the same. */
sotto_status csv_headers_after(const source *s, const file_header *h,
                               const sotto_options *options,
                               sotto_error *error);

#endif
