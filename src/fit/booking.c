/*
 * The booking of a run: planned on what is public, on the ledger's disk
 * before the first row of the file is looked at. How reading ends, or a run,
 * may depend on the records; whether it was booked does not.
 */
#include "evaluation.h"
#include "private.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_BYTES = 4096 };

int booking_names_ledger(const sotto_options *options)
{
    return option_given(options, OPTION_LEDGER) &&
           !option_is(options, OPTION_LEDGER, "none");
}

int booking_wanted(const sotto_options *options)
{
    return option_private(options) && !option_exact(options) &&
           !option_given(options, OPTION_INSECURE_SEED) &&
           booking_names_ledger(options);
}

void booking_free(fit_booking *b)
{
    if (!b)
        return;
    ledger_receipt_free(&b->receipt);
    mem_free_texts(b->other_run, b->other_runs);
    account_free(&b->events);
    mem_free(b->unit_column);
    mem_unmap(b->token, TOKEN_BYTES);
    mem_free(b);
}

/* After a fork both processes have the table; the booking is for one of them,
   the one that made it. */
fit_booking *booking_take(sotto_table *t)
{
    fit_booking *b = t->booking;
    t->booking = NULL;
    if (b && !(b->process == getpid() && *b->token)) {
        booking_free(b);
        b = NULL;
    }
    return b;
}

/* ---- parts ---- */

/* The names of a list; 0: out of memory. */
static int list_names(const sotto_options *options, option_id id, char ***out,
                      int64_t *count)
{
    size_t cursor = 0;
    char *name;
    int more;
    *out = NULL;
    *count = 0;
    while ((more = option_next(options, id, &cursor, &name)) > 0) {
        char **grown = mem_resize(*out, (size_t)*count + 1, sizeof *grown);
        if (!grown) {
            mem_free(name);
            return 0;
        }
        *out = grown;
        grown[(*count)++] = name;
    }
    return more == 0;
}

/* ---- made ---- */

static int same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : !a && !b;
}

/* The column whose values are people, or NULL. */
static const char *unit_column(const private_run *r)
{
    return r->policy.has_people ? r->unit_column : NULL;
}

static ledger_request request_of(const private_run *r,
                                 const account_list *events,
                                 const char *part_column)
{
    const sotto_options *options = r->run.options;
    return (ledger_request){.file = option_text(options, OPTION_LEDGER),
                            .dataset = option_text(options, OPTION_DATASET),
                            .path = option_text(options, OPTION_DATASET_PATH),
                            .part_column = part_column,
                            .unit = {r->policy.adjacency, unit_column(r),
                                     r->policy.rows_per_person},
                            .delta = option_number(options, OPTION_DELTA),
                            .events = events,
                            .purpose = option_text(options, OPTION_PURPOSE),
                            .who = option_text(options, OPTION_WHO)};
}

/* The token is 0 in a child of this process, where the system can see to that;
   the number of the process is another one there. */
static fit_booking *new_booking(void)
{
    fit_booking *b = mem_zeroed(1, sizeof *b);
    if (!b)
        return NULL;
    b->token = mem_map(TOKEN_BYTES);
    if (!b->token) {
        mem_free(b);
        return NULL;
    }
    mem_wiped_on_fork(b->token, TOKEN_BYTES);
    *b->token = 1;
    b->process = getpid();
    return b;
}

static void error_add(sotto_error *error, const char *words)
{
    if (!error)
        return;
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, "%s",
             words);
}

/* Books for another of several files. The receipt that is kept is that of the
   file with the largest total: that is what a statement speaks of. */
static sotto_status book_other(fit_booking *b, const ledger_request *request,
                               sotto_error *error)
{
    ledger_receipt receipt;
    sotto_status status = ledger_book(&receipt, request, error);
    if (status == SOTTO_OK &&
        !(receipt.spent_epsilon <= b->receipt.spent_epsilon)) {
        ledger_receipt less = b->receipt;
        b->receipt = receipt;
        receipt = less;
    }
    char *run = status == SOTTO_OK ? mem_text(receipt.run) : NULL;
    if (run)
        b->other_run[b->other_runs++] = run;
    else if (status == SOTTO_OK)
        status = error_memory(error);
    ledger_receipt_free(&receipt);
    return status;
}

/* Every record is in one of the files, so each file pays for the whole run. All
   have paid before a row is read; none gets anything back. */
static sotto_status book_each(fit_booking *b, const before_rows *before,
                              ledger_request *request, sotto_error *error)
{
    if (before->paths) {
        request->path = before->path[0];
        b->other_run = mem_zeroed((size_t)before->paths, sizeof *b->other_run);
        if (!b->other_run)
            return error_memory(error);
    }
    sotto_status status = ledger_book(&b->receipt, request, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t i = 1; status == SOTTO_OK && i < before->paths; i++) {
        request->path = before->path[i];
        status = book_other(b, request, error);
    }
    if (status != SOTTO_OK)
        error_add(error, "; for the files before it the run is booked and "
                         "stays charged");
    return status;
}

sotto_status booking_make(before_rows *before, const private_run *r,
                          const account_list *events, sotto_error *error)
{
    ledger_request request =
        request_of(r, events, option_text(before->reading, OPTION_PART_COLUMN));
    char **part = NULL;
    fit_booking *b = new_booking();
    sotto_status status = error_memory(error);
    if (b && list_names(r->run.options, OPTION_PARTS, &part, &request.parts)) {
        request.part = part;
        b->events = (account_list){.adjacency = events->adjacency,
                                   .ordered = events->ordered};
        b->rows_per_person = r->policy.rows_per_person;
        b->level_delta = r->level_delta;
        status = account_append(&b->events, events, events->ordered, error);
    }
    if (status == SOTTO_OK && unit_column(r)) {
        b->unit_column = mem_text(unit_column(r));
        status = b->unit_column ? SOTTO_OK : error_memory(error);
    }
    if (status == SOTTO_OK)
        status = book_each(b, before, &request, error);
    mem_free_texts(part, request.parts);
    if (status == SOTTO_OK)
        before->booking = b;
    else
        booking_free(b);
    return status;
}

sotto_status booking_check(const fit_booking *b, const private_run *r,
                           const account_list *events, sotto_error *error)
{
    text_buffer booked = {0}, now = {0};
    const char *column = unit_column(r);
    account_json(&b->events, &booked);
    account_json(events, &now);
    int failed = booked.failed || now.failed;
    int same = !failed && same_text(booked.data, now.data) &&
               b->rows_per_person == r->policy.rows_per_person &&
               same_text(b->unit_column, column);
    text_free(&booked);
    text_free(&now);
    if (failed)
        return error_memory(error);
    return same ? SOTTO_OK
                : error_set(error, SOTTO_PRIVACY,
                            "the options have changed since the table was "
                            "read: another run was booked");
}

sotto_status booking_name(const fit_booking *b, model_run *out,
                          sotto_error *error)
{
    out->ledger = mem_text(b->receipt.file);
    out->run = mem_text(b->receipt.run);
    if (b->other_runs) {
        out->other_run = mem_texts(b->other_run, b->other_runs);
        out->other_runs = out->other_run ? b->other_runs : 0;
    }
    return out->ledger && out->run && out->other_runs == b->other_runs
               ? SOTTO_OK
               : error_memory(error);
}

void booking_remind(sotto_error *error)
{
    error_add(error, "; the run is booked and stays charged ('sotto doctor' "
                     "reads a file without charge)");
}

/* ---- before the first row ---- */

/* Where neighbours have as many rows, their number is public; but it would be
   counted, and nothing has been read yet. */
sotto_status booking_check_rows(const sotto_options *options,
                                const sotto_table *shape, sotto_error *error)
{
    solver_facts f = fit_facts(shape, options);
    if (f.adjacency == ACCOUNT_ADD_REMOVE || f.rows > 0 || shape->weight ||
        f.has_people || f.rows_per_person > 1 || shape->drops_rows)
        return SOTTO_OK;
    return error_set(error, SOTTO_PRIVACY,
                     "--adjacency %s: the number of rows is public, and a run "
                     "is charged before a row is read: expected --rows N",
                     account_adjacency_name(f.adjacency));
}

/* Of several files the least that one of them allows. */
static sotto_status level_delta(private_run *r, const sotto_table *shape,
                                const before_rows *before,
                                ledger_request *request, sotto_error *error)
{
    int64_t times = before->paths ? before->paths : 1;
    double least = INFINITY;
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; status == SOTTO_OK && i < times; i++) {
        if (before->paths)
            request->path = before->path[i];
        status = fit_book_levels(r, shape, request, error);
        least = fmin(least, r->level_delta);
    }
    r->level_delta = least;
    return status;
}

/* The parts and the price of what is asked for first depend on the ledger. */
static sotto_status price_levels(private_run *r, const sotto_table *shape,
                                 const before_rows *before, sotto_error *error)
{
    char **part = NULL;
    r->run.facts = fit_facts(shape, r->run.options);
    fit_begin_run(r);
    ledger_request request =
        request_of(r, NULL, option_text(before->reading, OPTION_PART_COLUMN));
    request.unit.column = r->policy.has_people ? shape->unit_name : NULL;
    sotto_status status =
        list_names(r->run.options, OPTION_PARTS, &part, &request.parts)
            ? SOTTO_OK
            : error_memory(error);
    request.part = part;
    if (status == SOTTO_OK)
        status = level_delta(r, shape, before, &request, error);
    mem_free_texts(part, request.parts);
    return status;
}

sotto_status booking_before_rows(void *context, const sotto_table *shape,
                                 sotto_error *error)
{
    before_rows *before = context;
    private_run r = fit_new_run(before->options);
    account_list events = {0};
    sotto_status status = booking_check_rows(before->options, shape, error);
    if (status == SOTTO_OK)
        status = booking_by_source(before, shape, error);
    if (status == SOTTO_OK && shape->levels.columns)
        status = price_levels(&r, shape, before, error);
    if (status == SOTTO_OK)
        status = fit_plan_for(&r, shape, error);
    if (status == SOTTO_OK)
        status = curator_check_table(shape, &r.policy, &r.run.plan, error);
    if (status == SOTTO_OK)
        status = fit_events(&r, &events, error);
    if (status == SOTTO_OK)
        status = booking_make(before, &r, &events, error);
    account_free(&events);
    fit_end_run(&r);
    return status;
}

/* ---- finished ---- */

static sotto_status settle(const model_run *r, const char *output,
                           sotto_error *error)
{
    if (!r->run)
        return fit_settle_spent(output, error);
    sotto_status status = ledger_finish(r->ledger, r->run, error);
    for (int64_t i = 0; status == SOTTO_OK && i < r->other_runs; i++)
        status = ledger_finish(r->ledger, r->other_run[i], error);
    return status;
}

sotto_status sotto_fit_settle(const sotto_model *model, const char *output,
                              sotto_error *error)
{
    return settle(&model->booked, output, error);
}

sotto_status sotto_evaluation_settle(const sotto_evaluation *evaluation,
                                     const char *output, sotto_error *error)
{
    return settle(&evaluation->booked, output, error);
}
