/*
 * loader: reads the rest of a source with several workers.
 */
#ifndef SOTTO_LOADER_H
#define SOTTO_LOADER_H

#include "reader.h"

#include <pthread.h>

typedef struct loader {
    source *s;         /* the file being read; those that follow come next */
    const source *end; /* but not from this one on; NULL: all of them */
    column_plan *p;
    int sparse;
    reader_parse parse;
    source_cut cut;
    int by_quotes;        /* a newline within quotes ends no record */
    int by_bytes;         /* ranks share the bytes of the only file */
    source_cutting how;   /* made of these */
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t turned;
    block *first, *last;
    int64_t handed_out; /* pieces so far */
    int64_t turn;       /* whose entries the store takes next */
    int stop;           /* hand out no more pieces */
    int given_up;       /* a fault or failure: there will be no table */
    entry_store store;
    sotto_status status;
    sotto_error *error;
    column_range *range;
} loader;

/* Reads what is left of l->s, and of the files that follow it, into the table;
   of each of them `lines` were taken before. The
   caller sets the fields above the lock. */
sotto_status loader_run(loader *l, sotto_table *t, int64_t lines,
                        sotto_error *error);

#endif
