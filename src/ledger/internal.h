/*
 * Inside the ledger: the file, what is in it, and how it grows.
 */
#ifndef SOTTO_LEDGER_INTERNAL_H
#define SOTTO_LEDGER_INTERNAL_H

#include "ledger.h"

#include <sqlite3.h>

/* ---- the file: store.c ---- */

/* A connection of its own for every call: none is shared between threads, or
   taken through a fork. */
typedef struct ledger_store {
    sqlite3 *db;
    const char *path;
} ledger_store;

typedef enum ledger_opening {
    LEDGER_CHECKED,  /* with just the tables and triggers of a ledger */
    LEDGER_UNCHECKED /* for verify, which says more about what is wrong */
} ledger_opening;

/* Opens a ledger that is there. */
sotto_status ledger_store_open(ledger_store *out, const char *path,
                               ledger_opening how, sotto_error *error);
void ledger_store_close(ledger_store *s);

/* One line about what SQLite's code means for this file; returns a status. */
sotto_status ledger_failed(const ledger_store *s, int code, sotto_error *error);

/* Reads see one state of the file from begin to end; a write keeps all other
   writers out. A transaction that is not committed ends without a trace. */
sotto_status ledger_begin_read(const ledger_store *s, sotto_error *error);
sotto_status ledger_begin_write(const ledger_store *s, sotto_error *error);
sotto_status ledger_run_sql(const ledger_store *s, const char *sql,
                            sotto_error *error);
void ledger_rollback(const ledger_store *s);

/*
 * Commits. Where the answer is an error, the run is looked up by a new
 * connection: a charge that is on the disk counts. SOTTO_OK: it is there.
 * `run` is NULL for what is no charge.
 */
sotto_status ledger_commit(ledger_store *s, const char *run,
                           sotto_error *error);

/* ---- making a file: create.c ---- */

/* Makes a ledger without a data set; one that is there stays as it is. */
sotto_status ledger_create(const char *path, sotto_error *error);

/* Copies a database into a new file, for its owner alone, whole or not at
   all. Where the name is taken, *taken is set beside the error. */
sotto_status ledger_copy(const ledger_store *from, const char *path, int *taken,
                         sotto_error *error);

/* ---- its tables: schema.c ---- */

enum {
    LEDGER_APPLICATION = 0x736f7474, /* "sott" */
    LEDGER_VERSION = 1
};

sotto_status ledger_schema_make(const ledger_store *s, sotto_error *error);

/* Whether tables and triggers are those that ledger_schema_make makes. */
sotto_status ledger_schema_check(const ledger_store *s, sotto_error *error);

/* ---- one statement: query.c ---- */

/* A statement of SQL. Values are bound one after the other; what fails is
   said at its end. Texts of a row are borrowed until the next. */
typedef struct ledger_query {
    const ledger_store *store;
    sqlite3_stmt *statement;
    int code; /* SQLite's, of the first failure */
    int bound;
} ledger_query;

ledger_query ledger_ask(const ledger_store *s, const char *sql);
void ledger_bind_text(ledger_query *q, const char *text); /* NULL: null */
void ledger_bind_count(ledger_query *q, int64_t count);
void ledger_bind_number(ledger_query *q, double x);
void ledger_bind_null(ledger_query *q);
int ledger_row(ledger_query *q); /* 1: there is a row */
const char *ledger_text_at(ledger_query *q, int column);
int64_t ledger_count_at(ledger_query *q, int column);
double ledger_number_at(ledger_query *q, int column);
int ledger_null_at(ledger_query *q, int column);
sotto_status ledger_end(ledger_query *q, sotto_error *error);

/* A copy of a text of the row; where memory runs out the query fails. */
char *ledger_take_text(ledger_query *q, int column);

/* ---- what is in it ---- */

/* A charge takes them, a cap allows them: whole numbers of these units. */
#define LEDGER_SQUARE_UNIT 0x1p-40
#define LEDGER_DELTA0_UNIT 0x1p-70
typedef struct ledger_amount {
    int64_t square, delta0, draws;
} ledger_amount;

typedef struct ledger_cap {
    int is_set;
    double epsilon;
    double delta; /* also without a cap: what is promised is told at it */
    ledger_amount most;
} ledger_cap;

/* What is charged to a part by now, and its cap. */
typedef struct ledger_state {
    ledger_amount sum;
    ledger_cap cap;
} ledger_state;

typedef struct ledger_part {
    int64_t number;
    char *label; /* NULL: of a data set without parts */
    ledger_state now;
    int chosen; /* by the entry that is being added */
} ledger_part;

typedef struct ledger_dataset {
    int64_t number; /* 0: it is not in the file yet */
    char id[LEDGER_ID];
    char *name; /* or a path */
    int is_path;
    char *owner;
    account_adjacency adjacency;
    char *unit_column;
    int64_t unit_rows;
    char *part_column;
    int public_parts;
    ledger_part *part; /* in the order in which they were declared */
    int64_t parts;
    int64_t position, charges; /* of the last entry */
    char head[LEDGER_HEAD];
} ledger_dataset;

typedef enum ledger_kind {
    LEDGER_CREATED,
    LEDGER_RAISED,
    LEDGER_CHARGE,
    LEDGER_KINDS
} ledger_kind;

enum { LEDGER_TIME = 20 }; /* "2026-11-17 09:30:12" */

typedef struct ledger_entry {
    int64_t number, position, charges;
    ledger_kind kind;
    const char *run, *plan; /* of a charge; else NULL */
    const char *who, *purpose;
    ledger_amount amount; /* of a charge */
    ledger_cap cap;       /* of the others */
    char time[LEDGER_TIME];
    char head[LEDGER_HEAD];
} ledger_entry;

/* ---- data sets: dataset.c ---- */

void ledger_dataset_free(ledger_dataset *d);

/* Reads one by its number, with its parts and their state. */
sotto_status ledger_dataset_read(ledger_dataset *out, const ledger_store *s,
                                 int64_t number, sotto_error *error);

/* The same without state and last entry. */
sotto_status ledger_dataset_read_fixed(ledger_dataset *out,
                                       const ledger_store *s, int64_t number,
                                       sotto_error *error);

/* The state that a line says, whose columns begin at `first`. */
#define LEDGER_STATE_COLUMNS                                                   \
    "l.square, l.delta0, l.draws, l.cap_epsilon, l.delta, l.cap_square, "      \
    "l.cap_delta0, l.cap_draws"
ledger_state ledger_state_read(ledger_query *q, int first);

/* The number of the data set of this name, id or path; 0: there is none.
   SOTTO_USAGE where there are several for a path. */
sotto_status ledger_dataset_find(int64_t *number, const ledger_store *s,
                                 const char *name, sotto_error *error);

/* Writes a new one, and its first entry. */
sotto_status ledger_dataset_write(ledger_dataset *d, const ledger_store *s,
                                  const ledger_cap *cap, const char *who,
                                  sotto_error *error);

/* Marks the parts that are listed; NULL: all. SOTTO_USAGE where one is not
   declared, or named twice. */
sotto_status ledger_choose(ledger_dataset *d, char *const *label,
                           int64_t labels, sotto_error *error);

/* The same of the option parts. */
sotto_status ledger_choose_option(ledger_dataset *d,
                                  const sotto_options *options,
                                  sotto_error *error);

/* Finds a data set by the option dataset, and reads it. */
sotto_status ledger_dataset_named(ledger_dataset *out, const ledger_store *s,
                                  const char *name, sotto_error *error);

/* ---- entries: append.c, chain.c ---- */

/* Adds an entry for the chosen parts: its position, its head, and the new
   state of those parts. */
sotto_status ledger_append(ledger_dataset *d, const ledger_store *s,
                           ledger_entry *e, sotto_error *error);

/* The state of a part after the entry. 0: a sum does not fit into 63 bits. */
int ledger_state_after(ledger_state *state, const ledger_entry *e);

/* Whether no sum is above its cap. */
int ledger_within(const ledger_state *state);

const char *ledger_kind_name(ledger_kind kind);
int ledger_kind_named(const char *name, ledger_kind *out);

/* The head of the chain with this entry: BLAKE2b of the head before it and of
   all that is public about it. SOTTO_FAILED: out of memory. */
sotto_status ledger_chain(char head[LEDGER_HEAD], const ledger_dataset *d,
                          const ledger_entry *e, const char *before,
                          sotto_error *error);

/* Sums that are in no chain and in no release. They find damage in what the
   chain leaves out: the path of a data set, the time of an entry. */
sotto_status ledger_seal_dataset(char seal[LEDGER_HEAD],
                                 const ledger_dataset *d, sotto_error *error);
sotto_status ledger_seal_entry(char seal[LEDGER_HEAD], const ledger_entry *e,
                               sotto_error *error);

/* Reads the entry of a row: LEDGER_ENTRY_COLUMNS; its texts are borrowed. 0:
   the row cannot be one. */
#define LEDGER_ENTRY_COLUMNS                                                   \
    "e.number, e.position, e.charges, e.kind, e.run, e.plan, e.who, "          \
    "e.purpose, e.square, e.delta0, e.draws, e.cap_epsilon, e.delta, e.time, " \
    "e.head, e.seal"
enum { LEDGER_ENTRY_SEAL = 15, LEDGER_ENTRY_WIDTH };
int ledger_entry_read(ledger_entry *e, ledger_query *q);

/* ---- units: unit.c ---- */

int ledger_unit_fits(const ledger_dataset *d, const ledger_unit *unit);
sotto_status ledger_unit_refuse(const ledger_dataset *d,
                                const ledger_unit *unit, sotto_error *error);
void ledger_put_unit(text_buffer *t, const char *column, int64_t rows);

/* Names and remarks: UTF-8 without control characters, not too long. */
sotto_status ledger_check_text(const char *what, const char *text, size_t most,
                               sotto_error *error);
enum { LEDGER_NAME_MOST = 200, LEDGER_REMARK_MOST = 1000 };

/* ---- amounts: amount.c ---- */

/* Rounded up; 0: more than 63 bits hold. */
int ledger_amount_of(ledger_amount *out, const account_booking *booking);

/* The cap of (epsilon, delta), rounded down; epsilon 0: none. */
sotto_status ledger_cap_of(ledger_cap *out, double epsilon, double delta,
                           sotto_error *error);

/* Whether the cap allows no more than its epsilon and delta do: a file that
   somebody has edited is not believed. */
int ledger_cap_is_right(const ledger_cap *cap);

/* What the numbers stand for, rounded up; mu of a cap rounded down. */
double ledger_mu(int64_t square);
double ledger_mu_down(int64_t square);
double ledger_delta0(int64_t delta0);

/* What a cap that is spent by now would promise, rounded up. */
double ledger_spent(const ledger_state *state);

/* What one more run of Gaussian answers may cost, rounded down; NaN: no cap. */
double ledger_left(const ledger_state *state);

/* How many charges of this amount fit; INT64_MAX: there is no cap. */
int64_t ledger_how_many(const ledger_state *state, const ledger_amount *a);

/* ---- prices: price.c ---- */

/* What a run may be booked at: under a cap a share of it, else a delta0. */
typedef struct ledger_terms {
    int has_cap;
    double mu, delta0;
} ledger_terms;

/* Of the next run on the chosen parts. */
ledger_terms ledger_terms_of(const ledger_dataset *d);

/* The terms of the run-th charge of a data set without a cap. */
double ledger_nth_delta0(double delta, int64_t charge);

/* Prices the list. SOTTO_BUDGET where it takes more than a whole cap, or no
   price is proven. */
sotto_status ledger_price(ledger_amount *out, const account_list *events,
                          const ledger_terms *terms, sotto_error *error);

/* Whether a price that was found under other terms holds under these. */
int ledger_price_holds(const ledger_amount *a, const ledger_terms *found,
                       const ledger_terms *now);

/* SOTTO_BUDGET, with spent, asked and left, where the chosen parts cannot
   take the amount; NULL: more than a whole cap. The delta that the run has
   asked for is only told. */
sotto_status ledger_check_cap(const ledger_dataset *d, const ledger_amount *a,
                              double run_delta, sotto_error *error);

/* ---- receipts: receipt.c ---- */

/* The receipt of the charge with this run id; SOTTO_USAGE: there is none. */
sotto_status ledger_receipt_read(ledger_receipt *out, const ledger_store *s,
                                 const char *run, sotto_error *error);

/* ---- the handle ---- */

struct sotto_ledger {
    char *path;
};

/* ---- the world outside, which tests replace: outside.c ---- */

void ledger_now(char time[LEDGER_TIME]);
void ledger_random(char id[LEDGER_ID]);
int ledger_patience(void); /* milliseconds that a lock is waited for */

#endif
