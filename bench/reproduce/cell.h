/*
 * cell: one entry of a table of results. A solver with its settings, trained
 * so many times with noise of its own, judged each time.
 */
#ifndef SOTTO_BENCH_CELL_H
#define SOTTO_BENCH_CELL_H

#include "judge.h"
#include "records.h"

typedef struct cell_result {
    judged judged;
    double seconds; /* of one core, for the solver alone */
} cell_result;

typedef struct cell {
    char *id;
    const judge *judge;
    char *file;
    char *key;  /* cells that share it have the same plan; NULL: no other has */
    char *read; /* what of the options reading depends on */
    sotto_options *options;
    int literal; /* NOT PRIVATE: as a paper prints it (literal.h) */
    uint64_t seed;
    int64_t runs;
    cell_result *result;

    /* made by cell_prepare */
    private_run run;
    int shares_plan; /* its state belongs to the plans that are kept */
    const sotto_table *table;
    double proven; /* epsilon of the plan; NaN: as asked for */
    double plan_seconds;
} cell;

/*
 * Words are the cell's id, its file, the number of runs, a seed, and options
 * as NAME=VALUE; the judge is found by the caller. The last word may be
 * literal=yes. To be freed in any case.
 */
sotto_status cell_read(cell *c, const judge *j, char **word, int words,
                       sotto_error *error);

/* All that comes before a record is asked about. */
sotto_status cell_prepare(cell *c, sotto_error *error);

/* Whether somebody is making its plan just now: others need not wait. */
int cell_must_wait(const cell *c);

/* Run i; runs do not touch each other. */
sotto_status cell_train(const cell *c, int64_t i, sotto_error *error);

/* As a line of JSON; a failure is one, too. */
void cell_tell(const cell *c, const char *failure, text_buffer *t);
void cell_free(cell *c);

/* Frees the plans that were kept. */
void cell_end(void);

/* Of options. */
sotto_status cell_options(sotto_options **out, char **word, int words,
                          sotto_error *error);

#endif
