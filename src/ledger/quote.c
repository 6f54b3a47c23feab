/*
 * Quotes: what a run would be booked as, and how many of it fit.
 */
#include "internal.h"

#include "option.h"

#include <math.h>
#include <string.h>

/* The list of a caller, by its text: the same bits. */
static sotto_status quote_events(account_list *out, const sotto_events *run,
                                 sotto_error *error)
{
    char *text;
    sotto_status status = sotto_events_json(&text, run, error);
    if (status == SOTTO_OK)
        status = account_from_json(out, text, strlen(text), "run", error);
    sotto_text_free(text);
    return status;
}

/*
 * What so many runs take together. Under a cap they are all booked alike.
 * Without one each may take less delta0 than the one before it, so the last is
 * the dearest in mu: all are taken for as dear, and for D0 (1/i - 1/(i + n))
 * of delta0 together, which is what their turns sum to.
 */
static sotto_status quote_sum(account_booking *sum, const ledger_dataset *d,
                              const account_list *events,
                              const ledger_terms *terms,
                              const ledger_amount *one, int64_t runs,
                              sotto_error *error)
{
    ledger_amount last = *one;
    ledger_terms later = *terms;
    sotto_status status = SOTTO_OK;
    if (!terms->has_cap && runs > 1 && one->delta0) {
        double i = (double)d->charges + 1, n = (double)runs;
        later.delta0 = terms->delta0 * i / (i + n - 1) * (i + 1) / (i + n);
        status = ledger_price(&last, events, &later, error);
        sum->delta0 = terms->delta0 * n * (i + 1) / (i + n);
    } else
        sum->delta0 = (double)runs * ledger_delta0(one->delta0);
    sum->mu = sqrt((double)runs) * ledger_mu(last.square);
    sum->draws = (double)runs * (double)one->draws;
    return status;
}

/* INFINITY where it is more than a ledger can count. */
static double quote_after(const ledger_state *now, const account_booking *sum)
{
    ledger_state after = *now;
    ledger_entry e = {.kind = LEDGER_CHARGE};
    return ledger_amount_of(&e.amount, sum) && ledger_state_after(&after, &e)
               ? ledger_spent(&after)
               : INFINITY;
}

static void quote_part(sotto_quote *out, const ledger_state *now,
                       const ledger_amount *one, const account_booking *sum)
{
    int64_t many = ledger_how_many(now, one);
    double before = ledger_spent(now), after = quote_after(now, sum);
    out->how_many = many < out->how_many ? many : out->how_many;
    if (!(after < out->spent_after)) {
        out->spent_before = before;
        out->spent_after = after;
        out->delta = now->cap.delta;
    }
    if (!now->cap.is_set)
        return;
    double left = ledger_left(now);
    if (!(out->cap_epsilon > 0) || now->cap.epsilon < out->cap_epsilon)
        out->cap_epsilon = now->cap.epsilon;
    if (!(left >= out->left_epsilon))
        out->left_epsilon = left;
}

static sotto_status quote_for(sotto_quote *out, const ledger_dataset *d,
                              const account_list *events, int64_t runs,
                              sotto_error *error)
{
    ledger_amount one = {0};
    account_booking sum = {0};
    ledger_terms terms = ledger_terms_of(d);
    sotto_status status = ledger_price(&one, events, &terms, error);
    int none = status == SOTTO_BUDGET && terms.has_cap;
    if (none) { /* it does not fit even once, alone */
        sum = (account_booking){INFINITY, 0, 0};
        one = (ledger_amount){INT64_MAX, 0, 0};
    } else if (status == SOTTO_OK)
        status = quote_sum(&sum, d, events, &terms, &one, runs, error);
    if (status != SOTTO_OK && !none)
        return status;
    *out = (sotto_quote){.mu = none ? INFINITY : ledger_mu(one.square),
                         .delta0 = ledger_delta0(one.delta0),
                         .draws = (double)one.draws,
                         .how_many = INT64_MAX,
                         .left_epsilon = NAN};
    for (int64_t i = 0; i < d->parts; i++)
        if (d->part[i].chosen)
            quote_part(out, &d->part[i].now, &one, &sum);
    out->fits = out->how_many >= runs;
    return SOTTO_OK;
}

static sotto_status quote_read(ledger_dataset *d, const char *path,
                               const sotto_options *options, sotto_error *error)
{
    ledger_store s;
    sotto_status status = ledger_store_open(&s, path, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = ledger_begin_read(&s, error);
    if (status == SOTTO_OK)
        status = ledger_dataset_named(
            d, &s, option_text(options, OPTION_DATASET), error);
    ledger_store_close(&s);
    return status == SOTTO_OK ? ledger_choose_option(d, options, error)
                              : status;
}

sotto_status sotto_ledger_quote(sotto_quote *out, sotto_ledger *ledger,
                                const sotto_options *options,
                                const sotto_events *run, sotto_error *error)
{
    ledger_dataset d = {0};
    account_list events = {0};
    sotto_status status = quote_events(&events, run, error);
    if (status == SOTTO_OK)
        status = quote_read(&d, ledger->path, options, error);
    if (status == SOTTO_OK && d.adjacency != events.adjacency)
        status = error_set(error, SOTTO_PRIVACY,
                           "data set \"%s\": expected a run priced for %s, "
                           "found %s",
                           show_name(d.name).text,
                           account_adjacency_name(d.adjacency),
                           account_adjacency_name(events.adjacency));
    if (status == SOTTO_OK)
        status = quote_for(out, &d, &events,
                           option_integer(options, OPTION_RUNS), error);
    account_free(&events);
    ledger_dataset_free(&d);
    return status;
}
