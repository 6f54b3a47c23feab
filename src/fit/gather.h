/*
 * What ranks have made of their rows, at rank 0 (gather.c).
 */
#ifndef SOTTO_FIT_GATHER_H
#define SOTTO_FIT_GATHER_H

#include "data.h"
#include "model.h"
#include "ranks.h"

enum { GATHERED = 3 };

/* Targets, weights and scores of all rows, in the order of the file; at other
   ranks than 0 of none. The rest of the table is the caller's. */
typedef struct gathered_rows {
    sotto_table table;
    double *score;
    /* where ranks share the rows */
    sotto_ranks *ranks;
    void *in[GATHERED];
    size_t *size;
} gathered_rows;

/* `score` has `width` numbers of each row. To be given back whatever the
   status. */
sotto_status gather_rows(gathered_rows *out, const sotto_table *t,
                         double *score, int64_t width, sotto_error *error);
void gather_free(gathered_rows *all);

#endif
