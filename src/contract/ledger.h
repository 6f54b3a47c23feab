/*
 * ledger: one budget for a data set, over all runs. A run is booked whole
 * before its first question: what it may reveal is on the disk before a
 * record is looked at, and nothing is ever taken back (docs/privacy/ledger.md).
 *
 * A ledger is one SQLite file. A data set in it has one unit, one adjacency
 * and perhaps a cap. Its entries are a hash chain: its creation, raised caps
 * and charges. How a run ended may depend on the records, so that is outside
 * the chain, and outside everything that is released.
 */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include "account.h"

/* ---- what is asked of it ---- */

/* Whose promise a run makes, as its statement has it. */
typedef struct ledger_unit {
    account_adjacency adjacency;
    const char *column;      /* that tells people apart; NULL: none */
    int64_t rows_per_person; /* without a column: as declared; 1: a row */
} ledger_unit;

/* A run that is to be booked. */
typedef struct ledger_request {
    const char *file;    /* the ledger */
    const char *dataset; /* by the name that its owner gave; or NULL */
    const char *path;    /* of the records, canonical: the data set of a run
                            that names none. Its entry is made by its first
                            run, without a cap. NULL: it must be named */
    ledger_unit unit;
    double delta;               /* of the run: of an entry that it makes */
    const account_list *events; /* the whole run */
    const char *part_column;    /* by which its reader leaves rows out; NULL:
                                   all rows are read. It must be the data
                                   set's */
    char *const *part;          /* the parts that it reads; NULL: all */
    int64_t parts;
    const char *purpose, *who; /* in words; may be NULL */
    const char *run;           /* its id, of who may be killed and come back:
                                  where it is booked already, it is not booked
                                  again, and its receipt comes back. NULL: one
                                  is made */
} ledger_request;

enum { LEDGER_ID = 33, LEDGER_HEAD = 65 }; /* hex, and its NUL */

/* What the ledger says about a run that it has booked. All of it is public:
   it depends on charges alone. */
typedef struct ledger_receipt {
    char *file;             /* the ledger */
    char run[LEDGER_ID];    /* as requested; or random, made with the booking */
    char *dataset;          /* the name that its owner gave; else NULL */
    char id[LEDGER_ID];     /* of the data set: random, made with it */
    char *owner;            /* or NULL */
    int64_t position;       /* of the entry in the chain of its data set */
    char head[LEDGER_HEAD]; /* of the chain, with this entry */
    char date[11];          /* of the booking, "2026-11-17", UTC */
    double mu, delta0, draws; /* as booked */
    int has_cap;
    double cap_epsilon;   /* with a cap: of the data set, or the largest of the
                             parts'; else 0 */
    double delta;         /* that both are about; of parts: the largest */
    double spent_epsilon; /* what a cap that is spent by now would promise;
                             of parts: the largest */
    char **part; /* that were charged; NULL: the data set has no parts */
    int64_t parts;
    char *purpose; /* or NULL */
} ledger_receipt;

/*
 * Books the run: finds the data set (or makes it), checks unit, adjacency and
 * parts, prices the list as (mu, delta0, draws), checks the cap, and commits,
 * in one transaction. SOTTO_BUDGET, with what is spent, asked and left, where
 * the cap does not allow it; nothing is charged then. When SOTTO_OK comes
 * back, the charge is on the disk. The receipt is freed whatever the status.
 */
sotto_status ledger_book(ledger_receipt *out, const ledger_request *request,
                         sotto_error *error);
void ledger_receipt_free(ledger_receipt *receipt);

/* What a run may take of its data set: of mu, if there is a cap, and of what no
   Gaussian covers. Nothing is booked; `events` is not looked at. */
typedef struct ledger_allowance {
    int has_cap;
    double mu, delta0;
} ledger_allowance;

sotto_status ledger_allowed(ledger_allowance *out,
                            const ledger_request *request, sotto_error *error);

/* Marks the run as finished: outside the chain, and in no release. */
sotto_status ledger_finish(const char *file, const char *run,
                           sotto_error *error);

/* Adds "ledger": {...} to a statement; NULL: "ledger": "untracked". */
struct json_t;
void ledger_put(struct json_t **statement, const ledger_receipt *receipt);

/* The column that tells the parts of a data set apart, and their declared
   values. *column is NULL where it has none, and where the ledger or the data
   set is not there yet. The caller frees both. */
sotto_status ledger_parts(const char *file, const char *dataset, char **column,
                          char ***value, int64_t *values, sotto_error *error);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(ledger_book);
CORE_EXPORT(ledger_receipt_free);
CORE_EXPORT(ledger_finish);
CORE_EXPORT(ledger_put);
CORE_EXPORT(ledger_parts);

#endif
