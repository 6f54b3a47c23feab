/*
 * option: typed access to the one option table (base/option_table.c). Adding an
 * option is one line here and one line there.
 */
#ifndef SOTTO_OPTION_H
#define SOTTO_OPTION_H

#include "base.h"

typedef enum option_id {
    OPTION_TARGET,
    OPTION_LOSS,
    OPTION_CLASSES,
    OPTION_MULTICLASS,
    OPTION_EPSILON,
    OPTION_DELTA,
    OPTION_ADJACENCY,
    OPTION_SOLVER,
    OPTION_ROWS_PER_PERSON,
    OPTION_CLIP,
    OPTION_DIFFERENCE_CLIP,
    OPTION_PASSES,
    OPTION_ROUNDS,
    OPTION_STEPS,
    OPTION_STEP_SIZE,
    OPTION_ORDER,
    OPTION_SMOOTHNESS,
    OPTION_CALIBRATION,
    OPTION_AVERAGE,
    OPTION_RULE,
    OPTION_SELECTION_SHARE,
    OPTION_BATCH_RATE,
    OPTION_MOMENTUM,
    OPTION_DECAY,
    OPTION_NORM_BOUND,
    OPTION_RADIUS,
    OPTION_INTERCEPT_RADIUS,
    OPTION_BLOCKS,
    OPTION_SAMPLING,
    OPTION_CANDIDATES,
    OPTION_UNIT_COLUMN,
    OPTION_L1,
    OPTION_L2,
    OPTION_PENALTY_UNITS,
    OPTION_PATH,
    OPTION_UNDECLARED,
    OPTION_INSECURE_SEED,
    OPTION_EXPLAIN,
    OPTION_BOX,
    OPTION_INTERCEPT,
    OPTION_HUBER_DELTA,
    OPTION_TOLERANCE,
    OPTION_SCHEMA,
    OPTION_CHECK,
    OPTION_WEIGHTS,
    OPTION_WEIGHT_BOUND,
    OPTION_DROP,
    OPTION_ONLY,
    OPTION_BAD_ROWS,
    OPTION_FORMAT,
    OPTION_NO_HEADER,
    OPTION_DELIMITER,
    OPTION_DECIMAL,
    OPTION_THOUSANDS,
    OPTION_FEATURES,
    OPTION_ROWS,
    OPTION_PER_ROW,
    OPTION_SEED,
    OPTION_OUTPUT,
    OPTION_PROBA,
    OPTION_SCORES,
    OPTION_THREADS,
    OPTION_MEMORY,
    OPTION_ISA,
    OPTION_DRY_RUN,
    OPTION_PRECISION,
    OPTION_LAYOUT,
    OPTION_DECLARED,
    OPTION_LABELLED,
    OPTION_PROGRESS,
    OPTION_EVENT,
    OPTION_EVENTS,
    OPTION_CALIBRATE,
    OPTION_SET,
    OPTION_IN_ORDER,
    OPTION_DRAWS,
    OPTION_CURVE,
    OPTION_REPEAT,
    OPTION_PAPER,
    OPTION_SAVE,
    OPTION_COLUMNS,
    OPTION_KEYS,
    OPTION_STATE,
    OPTION_ACCEPT,
    OPTION_DATA,
    OPTION_KEEP_IDS,
    OPTION_SCHEMA_TEXT,
    OPTION_LEDGER,
    OPTION_DATASET,
    OPTION_DATASET_PATH,
    OPTION_PARTS,
    OPTION_PART_COLUMN,
    OPTION_PUBLIC_PARTS,
    OPTION_OWNER,
    OPTION_PURPOSE,
    OPTION_WHO,
    OPTION_PREPARED,
    OPTION_SIGN,
    OPTION_KEY,
    OPTION_RUNS,
    OPTION_PAGE,
    OPTION_TRIALS,
    OPTION_DEEP,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_COUNT
} option_id;

/* The text of a value, its default, or NULL. */
const char *option_text(const sotto_options *options, option_id id);

/*
 * What the file has that an option names, where its text was given instead
 * (sotto_options_set_content); NULL: it is a file, or not set. The option's
 * text is then its own name, for messages.
 */
const char *option_content(const sotto_options *options, option_id id);

/* The same whole, or that of the file that the option names; to be freed. */
sotto_status option_read(const sotto_options *options, option_id id, char **out,
                         size_t *size, sotto_error *error);

/* Whether the value was set (a default does not count). */
int option_given(const sotto_options *options, option_id id);

/* A number or integer; the option must have a value or a default. */
double option_number(const sotto_options *options, option_id id);
int64_t option_integer(const sotto_options *options, option_id id);

/* The two numbers of a pair; 0 when it is not set. */
int option_pair(const sotto_options *options, option_id id, double *low,
                double *high);

/* Whether the value (or default) is this word. */
int option_is(const sotto_options *options, option_id id, const char *word);

/* Whether `name` is among the list's names. */
int option_lists(const sotto_options *options, option_id id, const char *name);

/*
 * Walks a list: *cursor starts at 0; the next name is copied to *out (to be
 * freed). 1 while there is one, 0 at the end, -1 when out of memory.
 */
int option_next(const sotto_options *options, option_id id, size_t *cursor,
                char **out);

/* Whether a finite epsilon is set: the run is private. */
int option_private(const sotto_options *options);

/* Whether the exact solver was asked for, which is not private: epsilon inf,
   or its name. */
int option_exact(const sotto_options *options);

/* The ranks that a fit is made by; NULL: this process alone. */
sotto_ranks *option_ranks(const sotto_options *options);

/* Copies one value, if it is set. */
sotto_status option_copy(sotto_options *to, const sotto_options *from,
                         option_id id, sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(option_text);
CORE_EXPORT(option_content);
CORE_EXPORT(option_given);
CORE_EXPORT(option_number);
CORE_EXPORT(option_integer);
CORE_EXPORT(option_private);
CORE_EXPORT(option_copy);

#endif
