/*
 * What the files of private training share: a run, its plan, and what each
 * solver brings along.
 */
#ifndef SOTTO_FIT_PRIVATE_H
#define SOTTO_FIT_PRIVATE_H

#include "curator.h"
#include "fit.h"
#include "ledger.h"

#include <sys/types.h>

/* ---- policy.c ---- */

solver_facts fit_facts(const sotto_table *t, const sotto_options *options);
solver_facts fit_planned_facts(const sotto_options *options);

/* What a schema declares, beside what options say. */
void fit_add_declared(solver_facts *f, const sotto_table *t,
                      const sotto_options *options);
curator_policy fit_policy(const solver_facts *f, const fit_task *task,
                          const solver_row *solver,
                          const sotto_options *options);
const char *fit_rows_come_from(const sotto_options *options);

/* ---- smoothness.c ---- */

sotto_status fit_find_smoothness(solver_smoothness *s, const sotto_table *t,
                                 const fit_task *task,
                                 const sotto_options *options, int bought,
                                 sotto_error *error);
const char *fit_smoothness_word(const sotto_options *options);

/* ---- a run ---- */

typedef struct private_run {
    solver_run run; /* what the solver sees */
    fit_task task;
    char *unit_column;  /* that says whose rows they are; NULL: none */
    double level_delta; /* of delta, for levels that are asked for; 0: what a
                           run without a ledger takes */
    curator_policy policy;

    /* with records only */
    sotto_table
        *shape; /* where levels are asked for: the table without a row */
    fit_maps maps;
    solver_answer answer;
    struct json_t *statement; /* of privacy; NULL: NOT PRIVATE */
    const sotto_progress_callback *callback;
    pid_t process; /* that began it: a child of the callback does not go on */
    struct fit_booking *booking; /* in a ledger; NULL: none, or not yet */

    /* of an audit: what was planned and stated once for all its runs, of
       which this is one more; NULL: this run is planned itself */
    const struct private_run *planned;
    struct curator_tape *tape; /* or NULL */
    double epsilon;            /* of what was planned so, as stated */
} private_run;

/* ---- private.c ---- */

/* Asks what every solver needs first, where it is not public. */
sotto_status fit_ask_first(solver_run *r, sotto_error *error);

/* Makes what the solver sees, and the policy, of the task and the facts. */
private_run fit_new_run(const sotto_options *options);
void fit_begin_run(private_run *r);

/* Lets the solver see the maps, which are made anew where features come to
   light. */
void fit_see_maps(private_run *r);

/* Refuses more than two classes where solver or loss do not take them. */
sotto_status fit_check_classes(const private_run *r, sotto_error *error);
void fit_end_run(private_run *r);

/* Plans the run on what is public of the table: it may be without rows. */
sotto_status fit_plan_for(private_run *r, const sotto_table *t,
                          sotto_error *error);

/* The statement of privacy, before anything is asked. */
sotto_status fit_state(private_run *r, double *epsilon, sotto_error *error);

/* Runs a plan once more, on invented records: planned->statement is its
   statement. Nothing is booked or written. */
sotto_status fit_again(sotto_model **out, sotto_table **table,
                       const private_run *planned, struct curator_tape *tape,
                       sotto_error *error);

/* The events of the plan. */
sotto_status fit_events(const private_run *r, account_list *out,
                        sotto_error *error);

/* ---- private_levels.c: levels that nobody declared ---- */

/* Refuses them where the solver cannot ask for them. */
sotto_status fit_check_levels(const private_run *r, sotto_error *error);

/* What a run that is to be booked so may take of delta for them. */
sotto_status fit_book_levels(private_run *r, const sotto_table *shape,
                             const ledger_request *request, sotto_error *error);

/* What a run would be booked as can be told beforehand, but for levels. */
sotto_status fit_refuse_levels_quote(const private_run *r, sotto_error *error);

/* Asks for them, where there are any. Then the run, and the model, are those of
   a table whose schema declares what was released. */
sotto_status fit_find_levels(private_run *r, sotto_model **m,
                             sotto_error *error);

/* Adds what is public of the question to the statement, before it is asked. */
void fit_put_levels(const private_run *r, struct json_t **statement);

/* ---- booking.c: the run in a ledger ---- */

typedef struct fit_booking {
    ledger_receipt receipt; /* of several files the first's */
    char **other_run;       /* and the runs of the others */
    int64_t other_runs;
    account_list events;     /* that were booked */
    int64_t rows_per_person; /* and whose promise that is */
    double level_delta;      /* of the run */
    char *unit_column;       /* or NULL */
    unsigned char *token;    /* 1 in the process that made it, */
    pid_t process;           /* which is this one */
} fit_booking;

/* Whether the options name a ledger. */
int booking_names_ledger(const sotto_options *options);

/* Whether the run of these options is to be booked. */
int booking_wanted(const sotto_options *options);

/* A hook of the readers (table_before_rows): books the run, by the shape of its
   table. The context is a before_rows. */
typedef struct before_rows {
    const sotto_options *options;
    const sotto_options *reading; /* the same, with the column of the parts */
    char **path;   /* of several files, where each is booked for itself */
    int64_t paths; /* 0: the options say what is booked */
    fit_booking *booking;            /* that was made */
    const struct sotto_model *model; /* of an evaluation; NULL: a fit */
} before_rows;
sotto_status booking_before_rows(void *context, const sotto_table *shape,
                                 sotto_error *error);

/* Where runs on a table from a disk are booked: under what its records were
   known by when it was converted. Refuses another data set. */
sotto_status booking_by_source(before_rows *before, const sotto_table *shape,
                               sotto_error *error);

/* Whether these options and the shape say all that a run is booked as before a
   row is read. */
sotto_status booking_check_rows(const sotto_options *options,
                                const sotto_table *shape, sotto_error *error);

/* ---- ranks.c: several ranks that share the rows ---- */

/* Refuses options that they cannot do. */
sotto_status fit_check_ranks(const sotto_options *options, sotto_error *error);

/* Refuses ranks that are about different things, before anything is read. */
sotto_status fit_compare_ranks(const sotto_options *options,
                               const struct sotto_model *model, /* or NULL */
                               const char *const *path, int64_t files,
                               sotto_error *error);

/* The hook of the readers: the context is a before_ranks. */
typedef struct before_ranks {
    before_rows *before;
    int books; /* this rank does */
    table_before_rows *book, *check;
} before_ranks;
sotto_status ranks_before_rows(void *context, const sotto_table *shape,
                               sotto_error *error);

/* What a fit by ranks that is not booked calls: it plans. */
sotto_status ranks_plan_before_rows(void *context, const sotto_table *shape,
                                    sotto_error *error);

/* Books a run of these events: for runs that are not fits, too. */
sotto_status booking_make(before_rows *before, const private_run *r,
                          const account_list *events, sotto_error *error);

/* ---- booking_read.c ---- */

/* Where rows come from: files, or columns in memory. */
typedef struct row_source {
    const char *const *path; /* NULL: columns */
    int64_t files;
    sotto_columns *columns;
} row_source;

/* A copy of the options in which the reader finds the column and the values
   of the parts: those that were asked for, or all that are declared. NULL:
   the data set has no parts, or it is not there yet. */
sotto_status booking_options(sotto_options **out, const sotto_options *options,
                             sotto_error *error);

/*
 * Reads rows by the options `reading`. Where before->options name a ledger,
 * `book` books the run before a row is looked at, and the table has the
 * booking; else `check` is called, which may be NULL. Both get `before`.
 */
sotto_status booking_read(sotto_table **out, const row_source *from,
                          before_rows *before, table_before_rows *book,
                          table_before_rows *check, sotto_error *error);

/* Takes the one that was made before the table's rows were read; NULL: none.
   A table hands it out once, so that a second fit is booked again. */
fit_booking *booking_take(sotto_table *t);

/* Whether the run is the one that was booked: these events, of this unit. */
sotto_status booking_check(const fit_booking *b, const private_run *r,
                           const account_list *events, sotto_error *error);

/* Tells a model, or an evaluation, where its run stands, so that it can be
   marked as finished. */
sotto_status booking_name(const fit_booking *b, model_run *out,
                          sotto_error *error);
void booking_free(fit_booking *b);

/* Adds to a message that nothing is taken back. It is for the operator. */
void booking_remind(sotto_error *error);

/* ---- private_answer.c: the model, beside its weights ---- */

void fit_keep_noise(const private_run *r, sotto_model *m);
void fit_keep_errors(const private_run *r, sotto_model *m);

/* The number of rows that the model has; 0: none may be told. */
double fit_rows_told(const private_run *r);

/* The units that held, with the spreads, which may be told: the solver made
   them of answers. */
void fit_keep_units(private_run *r, sotto_model *m);

/* ---- private_bounds.c: bounds that nobody declared ---- */

/* Makes the answer's bounds, of what is declared. */
sotto_status fit_begin_private_bounds(private_run *r, sotto_error *error);

/* Where smoothness comes from, for a statement. */
const char *fit_bounds_word(const private_run *r);

/* Whether there are some that were bought; adds them to the statement. */
int fit_has_private_bounds(const private_run *r);
void fit_put_private_bounds(const private_run *r, const sotto_model *m,
                            struct json_t **statement);

/* The model's schema has them, as if they had been declared. */
sotto_status fit_declare_private_bounds(const private_run *r, sotto_model *m,
                                        sotto_error *error);

#endif
