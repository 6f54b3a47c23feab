/*
 * The smallest epsilon that is proven for a delta.
 */
#include "internal.h"

#include <math.h>

#define PRICE_LEAST_DELTA 1e-15 /* of grids; below it: closed forms */

static void price_simple_epsilon(const merged *p, double delta,
                                 account_price *best)
{
    double mu = sqrt(p->gauss) * (1 + 4 * ROUNDOFF);
    double gauss =
        p->gauss > 0 ? (delta > 0 ? normal_epsilon(mu, delta) : INFINITY) : 0;
    if (!p->events && !p->ranges && p->zcdp == 0)
        price_take(best, gauss, delta,
                   p->gauss > 0 ? ACCOUNT_CLOSED : ACCOUNT_NOTHING);
    else
        price_take(best, gauss + p->pure, p->gauss > 0 ? delta : 0,
                   ACCOUNT_BASIC);
    if (delta > 0)
        price_take(best, renyi_epsilon(p, delta), delta, ACCOUNT_RDP);
}

/* A list that epsilons are asked of: grids are made for the smallest delta
   that will be asked, once. */
typedef struct price_asked {
    merged p;
    pricing grids;
    int has_grids;
    const char *note;
} price_asked;

static sotto_status price_open(price_asked *a, const account_list *list,
                               double least, sotto_error *error)
{
    *a = (price_asked){0};
    sotto_status status = merge_events(&a->p, list, error);
    const merged *p = &a->p;
    if (status != SOTTO_OK || (!p->events && !p->ranges) ||
        least < PRICE_LEAST_DELTA || !pricing_applies(p, &a->note))
        return status;
    pld_aim aim = {NAN, least, 1};
    status = pricing_make(&a->grids, p, aim, least, error);
    if (status == SOTTO_DATA)
        return SOTTO_OK; /* no grid fits: the others have the word */
    a->has_grids = status == SOTTO_OK;
    if (status != SOTTO_OK)
        merged_free(&a->p);
    return status;
}

static void price_close(price_asked *a)
{
    if (a->has_grids)
        pricing_free(&a->grids);
    merged_free(&a->p);
}

static void price_epsilon(const price_asked *a, double delta,
                          account_price *best)
{
    *best = (account_price){INFINITY, 1, ACCOUNT_NOTHING, a->note};
    price_simple_epsilon(&a->p, delta, best);
    if (best->method == ACCOUNT_CLOSED || best->epsilon == 0 || !a->has_grids)
        return;
    double high = fmin(best->epsilon, 600);
    double found = pricing_search(&a->grids, delta, high);
    if (isfinite(found))
        price_take(best, found * PRICE_UP, delta,
                   pricing_method(&a->p, &a->grids));
}

/* ---- lists: what is set aside, draws ---- */

/*
 * What is set aside is taken off delta. Draws cost more delta the larger
 * epsilon is: the price for the delta that is left at a guess is right as soon
 * as it is not above the guess.
 */
static int price_what_is_left(const account_list *list, const price_asked *a,
                              double delta, account_price *out)
{
    double guess = 0;
    for (int i = 0; i < 40; i++) {
        double left = delta - price_draws(list, guess) - price_set_aside(&a->p);
        if (!(left > delta * 1e-12) || !(guess < 1e6))
            break;
        price_epsilon(a, left, out);
        if (out->epsilon <= guess) {
            out->delta = delta;
            return 1;
        }
        guess = out->epsilon * (1 + 1e-6) + 1e-12;
    }
    return 0;
}

/* Infinite where none can be proven. */
static void price_asked_epsilon(const account_list *list, const price_asked *a,
                                double delta, account_price *out)
{
    int proven = 1;
    if (list->draws > 0 || a->p.shown > 0)
        proven = price_what_is_left(list, a, delta, out);
    else
        price_epsilon(a, delta, out);
    if (!proven || !(out->epsilon < 1e300))
        *out = (account_price){INFINITY, delta, ACCOUNT_NOTHING, NULL};
    out->epsilon *= 1 + 1e-12;
    out->delta = fmin(out->delta, delta);
}

/* As the list says, in its order or in any; smaller prices are taken. */
static sotto_status price_epsilons(const account_list *list,
                                   const double *delta, int64_t count,
                                   account_price *out, sotto_error *error)
{
    price_asked a;
    double least = 1;
    for (int64_t i = 0; i < count; i++)
        least = fmin(least, delta[i]);
    sotto_status status = price_open(&a, list, least, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t i = 0; i < count; i++) {
        account_price found;
        price_asked_epsilon(list, &a, delta[i], &found);
        if (!list->ordered)
            out[i] = found;
        else
            price_take(&out[i], found.epsilon, found.delta, found.method);
    }
    price_close(&a);
    return SOTTO_OK;
}

sotto_status account_epsilons(const account_list *list, const double *delta,
                              int64_t count, account_price *out,
                              sotto_error *error)
{
    int ordered;
    account_list any = price_any_order(list, &ordered);
    for (int64_t i = 0; i < count; i++)
        if (!(delta[i] >= 0 && delta[i] < 1))
            return error_set(error, SOTTO_USAGE,
                             "delta: expected a number from 0 to less than 1");
    sotto_status status = price_epsilons(&any, delta, count, out, error);
    if (status == SOTTO_OK && ordered)
        status = price_epsilons(list, delta, count, out, error);
    return status;
}

sotto_status account_epsilon(const account_list *list, double delta,
                             account_price *out, sotto_error *error)
{
    sotto_status status = account_epsilons(list, &delta, 1, out, error);
    if (status == SOTTO_OK && isinf(out->epsilon))
        return error_set(error, SOTTO_USAGE,
                         "no epsilon can be proven at this delta: ask for a "
                         "larger delta, or fewer draws");
    return status;
}
