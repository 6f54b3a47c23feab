/*
 * A filter inside a run: events chosen one after the other, each after seeing
 * the answers before, under a cap of zCDP that was declared before the first
 * (Lemma A12).
 */
#include "internal.h"

#include <math.h>

/* Sums are rounded up: a cap is never passed by rounding. */
#define FILTER_UP (1 + 0x1p-50)

static double filter_rho(const account_event *e)
{
    double count = (double)e->count, a2 = e->a * e->a;
    switch (e->kind) {
    case ACCOUNT_SUBSAMPLED:
        return e->a == 0 ? 0 : INFINITY; /* no finite zCDP is proven here */
    case ACCOUNT_RANGE:
        return a2 / 8 * count * FILTER_UP;
    case ACCOUNT_ZCDP:
        return e->a * count * FILTER_UP;
    case ACCOUNT_GAUSS: /* mu^2 / 2 */
    case ACCOUNT_LAPLACE:
    case ACCOUNT_PURE: /* epsilon^2 / 2 */
        return a2 / 2 * count * FILTER_UP;
    case ACCOUNT_KINDS:
        break;
    }
    return INFINITY;
}

sotto_status account_filter_spend(account_filter *f, account_event e,
                                  sotto_error *error)
{
    account_list probe = {.adjacency = f->adjacency};
    sotto_status status = account_add(&probe, e, error);
    account_free(&probe);
    if (status != SOTTO_OK)
        return status;
    if (e.adjacency != f->adjacency)
        return error_set(error, SOTTO_USAGE,
                         "the event was priced for another adjacency than "
                         "the filter");
    double used = (f->used_rho + filter_rho(&e)) * FILTER_UP;
    if (!(used <= f->rho))
        return error_set(error, SOTTO_BUDGET,
                         "refused: the event would pass the cap that was "
                         "declared");
    f->used_rho = used;
    return SOTTO_OK;
}
