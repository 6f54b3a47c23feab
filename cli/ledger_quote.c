/*
 * sotto ledger quote: what runs would be booked as, and whether they fit.
 * Nothing is booked.
 */
#include "ledger.h"

#include <math.h>
#include <string.h>

/* A run is refused whose neighbours are others than the data set's: so is
   its quote. */
static sotto_status quote_check(const ledger_call *l, const sotto_dataset *d,
                                int is_list, sotto_error *error)
{
    const char *asked = ledger_option(l, "adjacency");
    if (!asked)
        asked = is_list ? d->adjacency : "add-remove"; /* train's default */
    if (!strcmp(asked, d->adjacency))
        return SOTTO_OK;
    return cli_refuse(error,
                      "--adjacency: the data set's is %s, and its runs need "
                      "the same; expected --adjacency %s",
                      d->adjacency, d->adjacency);
}

/* The run: a list of events, or a training as `sotto plan` plans it. */
static sotto_status quote_run(const ledger_call *l, const sotto_dataset *d,
                              int is_list, sotto_events **out,
                              sotto_error *error)
{
    sotto_status status = quote_check(l, d, is_list, error);
    *out = NULL;
    if (status != SOTTO_OK)
        return status;
    return is_list ? cli_events(l->c, d->adjacency, out, error)
                   : sotto_fit_events(out, l->c->options, error);
}

/* ---- for people ---- */

static void quote_number(const char *name, double x)
{
    printf("%-10s %s\n", name, sotto_number_print_up(x, 6).text);
}

static void quote_fits(const sotto_quote *q, int64_t runs)
{
    if (q->fits)
        printf("fits       yes: %lld such run%s fit%s\n",
               (long long)q->how_many, q->how_many == 1 ? "" : "s",
               q->how_many == 1 ? "s" : "");
    else if (runs > 1 && q->how_many > 0)
        printf("fits       no: %lld of the %lld runs do\n",
               (long long)q->how_many, (long long)runs);
    else
        printf("fits       no\n");
    if (!q->fits && q->left_epsilon > 0)
        printf("left       one run of Gaussian answers up to --epsilon %s "
               "--delta %s\n",
               sotto_number_print_down(q->left_epsilon, 3).text,
               sotto_number_print_up(q->delta, 6).text);
}

static void quote_booking(const sotto_quote *q)
{
    if (isinf(q->mu)) {
        printf("mu         one such run takes more than the whole cap\n");
        return;
    }
    quote_number("mu", q->mu);
    quote_number("delta0", q->delta0);
    quote_number("draws", q->draws);
}

static void quote_text(const sotto_quote *q, int64_t runs)
{
    quote_booking(q);
    printf("before     ");
    ledger_print_price(q->spent_before, q->delta);
    if (isfinite(q->spent_after)) {
        printf("\nafter      ");
        ledger_print_price(q->spent_after, q->delta);
        if (runs > 1)
            printf(", with %lld runs", (long long)runs);
    }
    printf("\n");
    if (q->cap_epsilon > 0) {
        printf("cap        ");
        ledger_print_price(q->cap_epsilon, q->delta);
        printf("\n");
        quote_fits(q, runs);
    } else
        printf("cap        none: before and after are what such a cap would "
               "let through\n");
}

/* ---- for programs ---- */

static void quote_json(const ledger_call *l, const sotto_dataset *d,
                       const sotto_quote *q, int64_t runs)
{
    printf("{\"ledger\": ");
    cli_json_text(stdout, l->path);
    ledger_json_text("dataset", d->name);
    printf(", \"runs\": %lld, \"fits\": %s, \"how_many\": ", (long long)runs,
           q->fits ? "true" : "false");
    if (q->how_many == INT64_MAX)
        printf("null");
    else
        printf("%lld", (long long)q->how_many);
    cli_json_member("mu", q->mu);
    cli_json_member("delta0", q->delta0);
    cli_json_member("draws", q->draws);
    cli_json_member("spent_before", q->spent_before);
    cli_json_member("spent_after", q->spent_after);
    cli_json_member("delta", q->delta);
    if (q->cap_epsilon > 0)
        cli_json_member("cap_epsilon", q->cap_epsilon);
    else
        printf(", \"cap_epsilon\": null");
    cli_json_member("left_epsilon", q->left_epsilon);
    printf("}\n");
}

/* The data set that was found is the one to ask about. */
static sotto_status quote_dataset(const ledger_call *l, const sotto_dataset *d,
                                  sotto_error *error)
{
    return ledger_option(l, "dataset")
               ? SOTTO_OK
               : sotto_options_set(l->c->options, "dataset", d->id, error);
}

sotto_status ledger_quote(ledger_call *l, sotto_error *error)
{
    ledger_sets s;
    sotto_events *run = NULL;
    sotto_quote quote;
    int64_t runs = (int64_t)cli_number(ledger_option(l, "runs"));
    int is_list = ledger_option(l, "event") || ledger_option(l, "events");
    sotto_status status = ledger_pick(l, &s, error);
    if (status == SOTTO_OK)
        status = quote_dataset(l, &s.set[0], error);
    if (status == SOTTO_OK)
        status = quote_run(l, &s.set[0], is_list, &run, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_quote(&quote, l->open, l->c->options, run, error);
    if (status == SOTTO_OK && cli_flag(l->c, "json"))
        quote_json(l, &s.set[0], &quote, runs);
    else if (status == SOTTO_OK)
        quote_text(&quote, runs);
    sotto_events_free(run);
    ledger_sets_free(&s);
    return status;
}
