/*
 * judge: how good weights are. It holds the records and the minimiser, so
 * nothing that it says is for release.
 */
#ifndef SOTTO_BENCH_JUDGE_H
#define SOTTO_BENCH_JUDGE_H

#include "private.h"

typedef struct judge judge;

/* What it says of one run. */
typedef struct judged {
    double objective, error; /* F, and F / F* - 1 */
    double right, wrong;     /* weights that are rightly and wrongly not 0 */
    double quality;          /* on rows that were not trained on; NaN without */
} judged;

/*
 * Reads the table (and the one to test on, if `test` is not "") with these
 * options, and finds the minimiser.
 */
sotto_status judge_open(judge **out, const char *name, const char *file,
                        const char *test, const sotto_options *options,
                        sotto_error *error);
void judge_close(judge *j);
const char *judge_name(const judge *j);

/* The records, in double precision. */
const sotto_table *judge_table(const judge *j);

/* Weights of a run, in its own units: they become those of the file, but
   where the problem itself is meant in the units of the fit. */
sotto_status judge_run(const judge *j, const fit_maps *maps, double *weight,
                       double intercept, judged *out, sotto_error *error);

/* What is known of the problem, as JSON. */
void judge_tell(const judge *j, text_buffer *t);

#endif
