/*
 * A filter: events chosen one after the other, each after seeing the answers
 * before, under caps that were declared before the first (Lemma A12).
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

static sotto_status filter_refuse(sotto_error *error)
{
    return error_set(error, SOTTO_BUDGET,
                     "refused: the event would pass the cap that was "
                     "declared");
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
    if (f->rho > 0) {
        double used = (f->used_rho + filter_rho(&e)) * FILTER_UP;
        if (!(used <= f->rho))
            return filter_refuse(error);
        f->used_rho = used;
        return SOTTO_OK;
    }
    if (e.kind == ACCOUNT_GAUSS) {
        double used =
            (f->used_gauss + e.a * e.a * (double)e.count * FILTER_UP) *
            FILTER_UP;
        if (!(used <= f->gauss))
            return filter_refuse(error);
        f->used_gauss = used;
        return SOTTO_OK;
    }
    if (e.kind != ACCOUNT_RANGE || e.a > f->eta ||
        e.count > f->ranges - f->used_ranges)
        return filter_refuse(error);
    f->used_ranges += e.count;
    return SOTTO_OK;
}

sotto_status account_filter_epsilon(const account_filter *f, double delta,
                                    account_price *out, sotto_error *error)
{
    account_list caps = {.adjacency = f->adjacency};
    account_event gauss = {ACCOUNT_GAUSS, sqrt(f->gauss) * FILTER_UP, 0, 1,
                           f->adjacency};
    account_event range = {ACCOUNT_RANGE, f->eta, 0, f->ranges, f->adjacency};
    account_event zcdp = {ACCOUNT_ZCDP, f->rho, 0, 1, f->adjacency};
    sotto_status status = account_add(&caps, f->rho > 0 ? zcdp : gauss, error);
    if (status == SOTTO_OK && !(f->rho > 0))
        status = account_add(&caps, range, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&caps, delta, out, error);
    account_free(&caps);
    return status;
}
