/*
 * memory_rows: rows of columns in memory become rows of a table, in pieces side
 * by side. Columns in the caller's memory (memory_read.c) and .npy files, which
 * are brought to memory piece by piece (npy.c), are read by it.
 */
#ifndef SOTTO_MEMORY_ROWS_H
#define SOTTO_MEMORY_ROWS_H

#include "memory.h"

#include <pthread.h>

/*
 * Brings rows to memory: `rows` of them, from row `from` on, for worker
 * `number`. Fills the views, whose row 0 is the first of them; they stay until
 * the worker's next call. Workers call it at the same time, unless pieces are
 * needed in order: then one after the other, and in the order of the rows.
 */
typedef struct memory_fetch {
    sotto_status (*bring)(void *context, int number, int64_t from, int64_t rows,
                          column_view *view, sotto_error *error);
    void *context;
    int in_order;
    int64_t per; /* rows of a piece, at most; a multiple of WORKER_ROWS */
} memory_fetch;

/* What the workers share while they read one batch. */
typedef struct memory_job {
    const column_plan *p;
    const column_kind *kind;
    const column_view *view; /* of the batch; NULL: pieces are fetched */
    memory_fetch fetch;
    int64_t *fast, fasts; /* columns of plain numbers, by place */
    int64_t *slow, slows; /* the others that are not left out */
    int threads;
    worker *worker;           /* of each thread */
    column_view **piece_view; /* of each thread, where pieces are fetched */
    int *open;                /* whether it is */
    block *first, *last;
    /* the batch */
    int64_t rows, per, pieces;
    void *x; /* room for its features, where there is one batch; or NULL */
    size_t x_bytes;
    block **block;
    pthread_mutex_t lock;
    int64_t next;        /* piece to be claimed */
    int stop;            /* a fault or failure: claim no more */
    sotto_status status; /* of the first failure that is no row's fault */
    sotto_error error;
} memory_job;

/* kind, and view or fetch, are set. 0: out of memory. */
int memory_open(memory_job *job);
void memory_close(memory_job *job);

/* Reads a batch of so many rows; its blocks are behind job->first. A fault of a
   row is in its block. */
sotto_status memory_batch(memory_job *job, int64_t rows, sotto_error *error);

/* The same of an only batch, which is not copied: its rows are written where
   the table has them, unless some are dropped. */
sotto_status memory_one_batch(memory_job *job, int64_t rows,
                              sotto_error *error);

/* The table of all blocks. */
sotto_status memory_finish(memory_job *job, sotto_table *t, column_plan *p,
                           sotto_error *error);

#endif
