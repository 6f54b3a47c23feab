/*
 * Prices of runs, and whether a cap allows them. Under a cap a run takes a
 * share of both its sums; without one the i-th run may take D0/(i(i+1)) of
 * what is not Gaussian, which sums to at most D0.
 */
#include "internal.h"

#include <math.h>

/* D0 is a tenth of delta, as in a cap. Rounded down to a whole number of the
   units that charges are rounded up to, so that the turns sum to D0. */
double ledger_nth_delta0(double delta, int64_t charge)
{
    double i = (double)charge;
    double turn = delta / 10 / (i * (i + 1)) * (1 - 0x1p-50);
    return floor(turn / LEDGER_DELTA0_UNIT) * LEDGER_DELTA0_UNIT;
}

/* Each part may have a cap of its own; what fits into the least is a booking
   for all. */
ledger_terms ledger_terms_of(const ledger_dataset *d)
{
    ledger_terms terms = {0, INFINITY, INFINITY};
    for (int64_t i = 0; i < d->parts; i++) {
        const ledger_cap *cap = &d->part[i].now.cap;
        if (!d->part[i].chosen)
            continue;
        terms.has_cap = cap->is_set;
        if (cap->is_set) {
            terms.mu = fmin(terms.mu, ledger_mu_down(cap->most.square));
            terms.delta0 =
                fmin(terms.delta0, (double)cap->most.delta0 * (1 - 0x1p-50) *
                                       LEDGER_DELTA0_UNIT);
        } else
            terms.delta0 = fmin(terms.delta0,
                                ledger_nth_delta0(cap->delta, d->charges + 1));
    }
    return terms;
}

sotto_status ledger_price(ledger_amount *out, const account_list *events,
                          const ledger_terms *terms, sotto_error *error)
{
    account_booking booking;
    sotto_status status =
        terms->has_cap ? account_book_share(&booking, events, terms->mu,
                                            terms->delta0, error)
                       : account_book(&booking, events, terms->delta0, error);
    if (status != SOTTO_OK)
        return status;
    return ledger_amount_of(out, &booking)
               ? SOTTO_OK
               : error_set(error, SOTTO_BUDGET,
                           "refused: this run reveals more than a ledger can "
                           "count: give it a smaller epsilon");
}

/* A booking is one whatever the terms were; without a cap it must not take
   more than its turn. */
int ledger_price_holds(const ledger_amount *a, const ledger_terms *found,
                       const ledger_terms *now)
{
    if (found->has_cap != now->has_cap)
        return 0;
    return now->has_cap ? found->mu == now->mu && found->delta0 == now->delta0
                        : (double)a->delta0 * LEDGER_DELTA0_UNIT <= now->delta0;
}

/* ---- refusals ---- */

/* `data set "patients"`, `data set "patients", part "north"` */
static void put_whose(text_buffer *t, const ledger_dataset *d,
                      const ledger_part *p)
{
    text_format(t, "data set \"%.100s\"", show_name(d->name).text);
    if (p->label)
        text_format(t, ", part \"%.60s\"", show_name(p->label).text);
}

/* Which of the three sums it is, where epsilon does not say it. */
static const char *what_is_full(const ledger_state *after)
{
    const ledger_amount *sum = &after->sum, *most = &after->cap.most;
    if (sum->square > most->square)
        return "";
    return sum->delta0 > most->delta0 ? " (what is left of delta is too little)"
                                      : " (too many noise draws)";
}

static void put_asked(text_buffer *t, const ledger_state *now,
                      const ledger_amount *a)
{
    ledger_state after = *now;
    ledger_entry e = {.kind = LEDGER_CHARGE};
    if (a)
        e.amount = *a;
    if (a && ledger_state_after(&after, &e))
        text_format(t, ", with this run %s%s",
                    sotto_number_print_up(ledger_spent(&after), 3).text,
                    what_is_full(&after));
    else
        text_put(t, ", and this run alone takes more than the whole cap");
}

/* Epsilons of two deltas cannot be compared. */
static void put_other_delta(text_buffer *t, const ledger_cap *cap,
                            const ledger_amount *a, double delta)
{
    ledger_state alone = {.cap = *cap};
    ledger_entry e = {.kind = LEDGER_CHARGE};
    if (!(delta > 0) || delta == cap->delta || (!a && delta < cap->delta))
        return;
    text_format(t, "; its delta is %s, and at the cap's delta %s ",
                sotto_number_print_up(delta, 6).text,
                sotto_number_print_up(cap->delta, 6).text);
    if (a)
        e.amount = *a;
    if (a && ledger_state_after(&alone, &e))
        text_format(t, "this run is epsilon %s",
                    sotto_number_print_up(ledger_spent(&alone), 3).text);
    else
        text_put(t, "this run has a larger epsilon");
}

static sotto_status price_refuse(const ledger_dataset *d, const ledger_part *p,
                                 const ledger_amount *a, double run_delta,
                                 sotto_error *error)
{
    text_buffer t = {0};
    const ledger_cap *cap = &p->now.cap;
    sotto_number delta = sotto_number_print_up(cap->delta, 6);
    double left = ledger_left(&p->now);
    put_whose(&t, d, p);
    text_format(&t, ": refused: cap epsilon %s at delta %s; spent %s",
                sotto_number_exact(cap->epsilon).text, delta.text,
                sotto_number_print_up(ledger_spent(&p->now), 3).text);
    put_asked(&t, &p->now, a);
    put_other_delta(&t, cap, a, run_delta);
    if (left > 0)
        text_format(&t,
                    "; left for a run of Gaussian answers: epsilon %s at delta "
                    "%s",
                    sotto_number_print_down(left, 3).text, delta.text);
    else
        text_put(&t, "; nothing is left");
    sotto_status status = t.failed
                              ? error_memory(error)
                              : error_set(error, SOTTO_BUDGET, "%s", t.data);
    text_free(&t);
    return status;
}

/* Integers are compared: equal to the cap is allowed, one more is not. */
static int price_fits(const ledger_state *now, const ledger_amount *a)
{
    ledger_state after = *now;
    ledger_entry e = {.kind = LEDGER_CHARGE, .amount = *a};
    return ledger_state_after(&after, &e) && ledger_within(&after);
}

sotto_status ledger_check_cap(const ledger_dataset *d, const ledger_amount *a,
                              double run_delta, sotto_error *error)
{
    for (int64_t i = 0; i < d->parts; i++) {
        const ledger_part *p = &d->part[i];
        if (p->chosen && !ledger_cap_is_right(&p->now.cap))
            return error_set(error, SOTTO_PRIVACY,
                             "data set \"%s\": its cap was changed by hand; "
                             "'sotto ledger verify' says more",
                             show_name(d->name).text);
        if (p->chosen && p->now.cap.is_set && (!a || !price_fits(&p->now, a)))
            return price_refuse(d, p, a, run_delta, error);
    }
    return SOTTO_OK;
}
