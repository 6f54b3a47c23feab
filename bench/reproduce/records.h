/*
 * records: tables that are read once and copied for each run, since a curator
 * takes the table that it is given.
 */
#ifndef SOTTO_BENCH_RECORDS_H
#define SOTTO_BENCH_RECORDS_H

#include "data.h"

/* The table of a file as these options read it; kept until the end. `key` is
   what of the options reading depends on. One thread at a time. */
sotto_status records_read(const sotto_table **out, const char *key,
                          const char *file, const sotto_options *options,
                          sotto_error *error);

/* The rows and how they are mapped, without names. */
sotto_status records_copy(sotto_table **out, const sotto_table *t,
                          sotto_error *error);

void records_end(void);

#endif
