/*
 * Booking a run. One transaction finds or makes the data set, checks unit,
 * adjacency and parts, checks the cap and adds the charge. Nothing is taken
 * back: whatever the run does afterwards, it may have asked.
 *
 * A price takes up to a second, so it is found before the lock. Inside the
 * lock it is found again only where others have changed what it rests on.
 */
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* What is told at some delta needs one; a run of pure answers has none. */
static const double DELTA_OF_PURE = 1e-6;

/* A booking on its way. */
typedef struct booking {
    const ledger_request *request;
    ledger_store store;
    ledger_dataset dataset;
    ledger_cap first; /* of a data set that is made: no cap */
    char *plan;
    char run[LEDGER_ID];
    int found;          /* the run is booked already */
    ledger_terms terms; /* that the amount was found for */
    ledger_amount amount;
    sotto_status priced;  /* SOTTO_BUDGET: there is no price */
    sotto_error no_price; /* why */
} booking;

/* ---- which data set ---- */

/* Of the data sets of a path the one whose unit fits: the largest. */
static sotto_status find_path(booking *b, sotto_error *error)
{
    const ledger_request *r = b->request;
    ledger_query q =
        ledger_ask(&b->store, "SELECT number FROM dataset WHERE name = ? AND "
                              "is_path = 1 ORDER BY unit_rows DESC, number");
    sotto_status status = SOTTO_OK;
    ledger_bind_text(&q, r->path);
    while (status == SOTTO_OK && !b->dataset.number && ledger_row(&q)) {
        ledger_dataset d;
        status =
            ledger_dataset_read(&d, &b->store, ledger_count_at(&q, 0), error);
        if (status == SOTTO_OK && ledger_unit_fits(&d, &r->unit))
            b->dataset = d;
        else if (status == SOTTO_OK)
            ledger_dataset_free(&d);
    }
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    return status == SOTTO_OK ? ended : status;
}

static sotto_status find_named(booking *b, sotto_error *error)
{
    const ledger_request *r = b->request;
    int64_t number;
    sotto_status status =
        ledger_dataset_find(&number, &b->store, r->dataset, error);
    if (status == SOTTO_OK && number)
        status = ledger_dataset_read(&b->dataset, &b->store, number, error);
    else if (status == SOTTO_OK)
        status = error_set(error, SOTTO_USAGE,
                           "%s: there is no data set \"%s\"; 'sotto ledger "
                           "create' makes one",
                           show_name(r->file).text, show_name(r->dataset).text);
    if (status == SOTTO_OK && number &&
        !ledger_unit_fits(&b->dataset, &r->unit))
        status = ledger_unit_refuse(&b->dataset, &r->unit, error);
    return status;
}

/* One that the run makes: without a cap, with the run's unit and delta. */
static sotto_status new_dataset(booking *b, sotto_error *error)
{
    const ledger_request *r = b->request;
    ledger_dataset *d = &b->dataset;
    d->is_path = !r->dataset;
    d->name = mem_text(r->dataset ? r->dataset : r->path);
    d->adjacency = r->unit.adjacency;
    d->unit_column = r->unit.column ? mem_text(r->unit.column) : NULL;
    d->unit_rows = r->unit.column ? 1 : r->unit.rows_per_person;
    d->part = mem_zeroed(1, sizeof *d->part);
    if (!d->name || !d->part || (r->unit.column && !d->unit_column))
        return error_memory(error);
    d->parts = 1;
    d->part->now.cap = b->first;
    return SOTTO_OK;
}

/* Rows that belong to no part would be charged to nobody. */
static sotto_status check_parts(const booking *b, sotto_error *error)
{
    const char *read = b->request->part_column, *has = b->dataset.part_column;
    if (read && has ? !strcmp(read, has) : !read && !has)
        return SOTTO_OK;
    return error_set(error, SOTTO_PRIVACY,
                     "data set \"%s\" %s parts, and the run is read %s them: "
                     "expected a run that is read by the same column",
                     show_name(b->dataset.name).text, has ? "has" : "has no",
                     read ? "by" : "without");
}

static sotto_status find_dataset(booking *b, sotto_error *error)
{
    const ledger_request *r = b->request;
    ledger_dataset_free(&b->dataset);
    sotto_status status =
        r->dataset ? find_named(b, error) : find_path(b, error);
    if (status == SOTTO_OK && !b->dataset.number)
        status = new_dataset(b, error);
    if (status == SOTTO_OK)
        status = check_parts(b, error);
    if (status == SOTTO_OK)
        status = ledger_choose(&b->dataset, r->part, r->parts, error);
    return status;
}

/* A run that brings its id may be booked already: who was killed after that
   has come back. Another run cannot go on what was booked for it. */
static sotto_status find_run(booking *b, sotto_error *error)
{
    if (!b->request->run)
        return SOTTO_OK;
    ledger_query q =
        ledger_ask(&b->store, "SELECT plan FROM entry WHERE run = ?");
    ledger_bind_text(&q, b->run);
    b->found = ledger_row(&q);
    const char *plan = b->found ? ledger_text_at(&q, 0) : NULL;
    int same = !b->found || (plan && !strcmp(plan, b->plan));
    sotto_status status = ledger_end(&q, error);
    if (status == SOTTO_OK && !same)
        status = error_set(error, SOTTO_PRIVACY,
                           "%s: a run of this id was booked with another plan",
                           show_name(b->request->file).text);
    return status;
}

/* ---- its price ---- */

/* That a run takes more than all of a cap is said with what is left. */
static sotto_status price(booking *b, const ledger_terms *terms,
                          sotto_error *error)
{
    b->terms = *terms;
    b->priced =
        ledger_price(&b->amount, b->request->events, terms, &b->no_price);
    if (b->priced == SOTTO_OK || b->priced == SOTTO_BUDGET)
        return SOTTO_OK;
    return error_set(error, b->priced, "%s", b->no_price.message);
}

static sotto_status check_price(const booking *b, sotto_error *error)
{
    int has_price = b->priced == SOTTO_OK;
    sotto_status status = ledger_check_cap(
        &b->dataset, has_price ? &b->amount : NULL, b->request->delta, error);
    if (status == SOTTO_OK && !has_price)
        status = error_set(error, b->priced, "%s", b->no_price.message);
    return status;
}

static sotto_status price_first(booking *b, sotto_error *error)
{
    sotto_status status = ledger_begin_read(&b->store, error);
    if (status == SOTTO_OK)
        status = find_run(b, error);
    if (status == SOTTO_OK && !b->found)
        status = find_dataset(b, error);
    ledger_rollback(&b->store);
    if (status != SOTTO_OK || b->found)
        return status;
    ledger_terms terms = ledger_terms_of(&b->dataset);
    return price(b, &terms, error);
}

static sotto_status price_again(booking *b, sotto_error *error)
{
    ledger_terms terms = ledger_terms_of(&b->dataset);
    int holds = b->priced == SOTTO_OK &&
                ledger_price_holds(&b->amount, &b->terms, &terms);
    return holds ? SOTTO_OK : price(b, &terms, error);
}

/* ---- the transaction ---- */

static sotto_status charge(booking *b, sotto_error *error)
{
    ledger_entry e = {.kind = LEDGER_CHARGE,
                      .run = b->run,
                      .plan = b->plan,
                      .who = b->request->who,
                      .purpose = b->request->purpose,
                      .amount = b->amount};
    sotto_status status = SOTTO_OK;
    if (!b->dataset.number)
        status = ledger_dataset_write(&b->dataset, &b->store, &b->first,
                                      b->request->who, error);
    return status == SOTTO_OK ? ledger_append(&b->dataset, &b->store, &e, error)
                              : status;
}

static sotto_status add(booking *b, sotto_error *error)
{
    sotto_status status = find_dataset(b, error);
    if (status == SOTTO_OK)
        status = price_again(b, error);
    if (status == SOTTO_OK)
        status = check_price(b, error);
    return status == SOTTO_OK ? charge(b, error) : status;
}

/* The receipt is read before the commit: after it nothing can fail. */
static sotto_status transact(booking *b, ledger_receipt *out,
                             sotto_error *error)
{
    sotto_status status = ledger_begin_write(&b->store, error);
    if (status == SOTTO_OK)
        status = find_run(b, error);
    if (status == SOTTO_OK && !b->found)
        status = add(b, error);
    if (status == SOTTO_OK)
        status = ledger_receipt_read(out, &b->store, b->run, error);
    if (status == SOTTO_OK && !b->found)
        status = ledger_commit(&b->store, b->run, error);
    ledger_rollback(&b->store);
    return status;
}

/* ---- all of it ---- */

static sotto_status check_request(const ledger_request *r, sotto_error *error)
{
    sotto_status status =
        ledger_check_text("--dataset", r->dataset, LEDGER_NAME_MOST, error);
    if (status == SOTTO_OK)
        status = ledger_check_text("--purpose", r->purpose, LEDGER_REMARK_MOST,
                                   error);
    if (status == SOTTO_OK)
        status = ledger_check_text("--who", r->who, LEDGER_NAME_MOST, error);
    if (status == SOTTO_OK && r->run &&
        (strlen(r->run) != LEDGER_ID - 1 ||
         strspn(r->run, "0123456789abcdef") != LEDGER_ID - 1))
        status = error_set(error, SOTTO_USAGE,
                           "the id of a run: expected %d digits 0-9a-f",
                           LEDGER_ID - 1);
    if (status == SOTTO_OK && !r->dataset && !r->path)
        status = error_set(error, SOTTO_USAGE,
                           "a ledger is given: expected --dataset NAME");
    return status;
}

static sotto_status prepare(booking *b, sotto_error *error)
{
    text_buffer t = {0};
    double delta = b->request->delta;
    account_print(b->request->events, &t);
    b->plan = text_take(&t);
    if (b->request->run)
        snprintf(b->run, sizeof b->run, "%s", b->request->run);
    else
        ledger_random(b->run);
    if (!b->plan)
        return error_memory(error);
    return ledger_cap_of(&b->first, 0, delta > 0 ? delta : DELTA_OF_PURE,
                         error);
}

/* The user's own ledger is made by the first run. */
static sotto_status make_file(const char *file, sotto_error *error)
{
    sotto_error why;
    sotto_status status = ledger_create(file, &why);
    if (status == SOTTO_OK && access(file, W_OK)) {
        int cause = errno;
        status = error_set(&why, SOTTO_FAILED, "%s: cannot write: %s",
                           show_name(file).text, strerror(cause));
    }
    return status == SOTTO_OK
               ? SOTTO_OK
               : error_set(error, status,
                           "%.300s; --ledger FILE names another ledger, "
                           "--ledger none trains without one",
                           why.message);
}

static sotto_status open_file(booking *b, sotto_error *error)
{
    const ledger_request *r = b->request;
    sotto_status status = r->dataset ? SOTTO_OK : make_file(r->file, error);
    return status == SOTTO_OK
               ? ledger_store_open(&b->store, r->file, LEDGER_CHECKED, error)
               : status;
}

sotto_status ledger_allowed(ledger_allowance *out,
                            const ledger_request *request, sotto_error *error)
{
    booking b = {.request = request};
    *out = (ledger_allowance){0};
    sotto_status status = check_request(request, error);
    if (status == SOTTO_OK)
        status = ledger_cap_of(&b.first, 0, request->delta, error);
    if (status == SOTTO_OK)
        status = open_file(&b, error);
    if (status == SOTTO_OK)
        status = ledger_begin_read(&b.store, error);
    if (status == SOTTO_OK)
        status = find_dataset(&b, error);
    if (status == SOTTO_OK) {
        ledger_terms terms = ledger_terms_of(&b.dataset);
        *out = (ledger_allowance){terms.has_cap, terms.mu, terms.delta0};
    }
    ledger_rollback(&b.store);
    ledger_store_close(&b.store);
    ledger_dataset_free(&b.dataset);
    return status;
}

sotto_status ledger_book(ledger_receipt *out, const ledger_request *request,
                         sotto_error *error)
{
    booking b = {.request = request};
    *out = (ledger_receipt){0};
    sotto_status status = check_request(request, error);
    if (status == SOTTO_OK)
        status = prepare(&b, error);
    if (status == SOTTO_OK)
        status = open_file(&b, error);
    if (status == SOTTO_OK)
        status = price_first(&b, error);
    if (status == SOTTO_OK)
        status = transact(&b, out, error);
    ledger_store_close(&b.store);
    ledger_dataset_free(&b.dataset);
    mem_free(b.plan);
    return status;
}
