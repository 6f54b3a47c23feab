/*
 * The price of a list: every method that applies, the smallest of what they
 * prove, rounded outward. Here: delta for an epsilon.
 */
#include "internal.h"

#include <math.h>

#define PRICE_DRAW 0x1p-80 /* what one draw may be away from its law */

void price_take(account_price *best, double epsilon, double delta,
                account_method method)
{
    if (epsilon < best->epsilon ||
        (epsilon == best->epsilon && delta < best->delta)) {
        best->epsilon = epsilon;
        best->delta = delta;
        best->method = method;
    }
}

/* Samples alone: the chance to be in one of them is a bound of the distance,
   whatever the noise, and whoever is replaced. 1 where there is anything
   else. */
static double price_chance(const merged *p)
{
    double out = 0;
    for (int64_t i = 0; i < p->events; i++)
        out += p->event[i].kind == ACCOUNT_SUBSAMPLED
                   ? p->event[i].count * log1p(-p->event[i].a)
                   : -INFINITY;
    return p->gauss > 0 || p->zcdp > 0 || p->ranges ? 1
                                                    : -expm1(out) * PRICE_UP;
}

/* Pure parts shift the Gaussian curve (Lemma A5). */
static void price_simple_delta(const merged *p, double epsilon,
                               account_price *best)
{
    double mu = sqrt(p->gauss) * (1 + 4 * ROUNDOFF);
    if (!p->events && !p->ranges && p->zcdp == 0)
        price_take(best, epsilon, normal_delta(mu, epsilon),
                   p->gauss > 0 ? ACCOUNT_CLOSED : ACCOUNT_NOTHING);
    else if (isfinite(p->pure) && epsilon >= p->pure)
        price_take(best, epsilon, normal_delta(mu, epsilon - p->pure),
                   ACCOUNT_BASIC);
    price_take(best, epsilon, renyi_delta(p, epsilon), ACCOUNT_RDP);
    price_take(best, epsilon, price_chance(p), ACCOUNT_BASIC);
}

static sotto_status price_grid_delta(const merged *p, double epsilon,
                                     double effort, account_price *best,
                                     sotto_error *error)
{
    pricing s;
    double guess = fmax(best->delta * 1e-2, 1e-30);
    pld_aim aim = {epsilon, NAN, effort};
    sotto_status status = pricing_make(&s, p, aim, guess, error);
    if (status == SOTTO_DATA)
        return SOTTO_OK; /* no grid fits: the others have the word */
    if (status != SOTTO_OK)
        return status;
    price_take(best, epsilon, pricing_delta(&s, epsilon),
               pricing_method(p, &s));
    pricing_free(&s);
    return SOTTO_OK;
}

static sotto_status price_delta(const merged *p, double epsilon, double effort,
                                account_price *best, sotto_error *error)
{
    *best = (account_price){epsilon, 1, ACCOUNT_NOTHING, NULL};
    best->delta = 1.1; /* anything is better */
    price_simple_delta(p, epsilon, best);
    if (best->method == ACCOUNT_CLOSED || best->delta == 0 || epsilon > 600 ||
        !pricing_applies(p, &best->note))
        return SOTTO_OK;
    return price_grid_delta(p, epsilon, effort, best, error);
}

/* ---- lists: what is set aside, order, draws ---- */

/* Lemma A22: 1 / prod (1 - p) - 1, whatever else is in the list. */
double price_set_aside(const merged *p)
{
    return expm1(p->shown) * PRICE_UP;
}

double price_draws(const account_list *list, double epsilon)
{
    return (1 + exp(epsilon)) * list->draws * PRICE_DRAW;
}

/*
 * A list in a given order is priced for any order first, then in its own: both
 * are upper bounds, and the smaller one is taken. The order of anything but
 * selections makes no difference.
 */
account_list price_any_order(const account_list *list, int *ordered)
{
    account_list any = *list;
    any.ordered = 0;
    *ordered = 0;
    for (int64_t i = 0; i < list->events; i++)
        *ordered |= list->ordered && list->event[i].kind == ACCOUNT_RANGE;
    return any;
}

/* As the list says, in its order or in any. */
static sotto_status price_one_order(const account_list *list, double epsilon,
                                    double effort, account_price *out,
                                    sotto_error *error)
{
    merged p;
    sotto_status status = merge_events(&p, list, error);
    if (status != SOTTO_OK)
        return status;
    if (effort > 0)
        status = price_delta(&p, epsilon, effort, out, error);
    else {
        *out = (account_price){epsilon, 1.1, ACCOUNT_NOTHING, NULL};
        price_simple_delta(&p, epsilon, out);
    }
    out->delta += price_set_aside(&p);
    if (list->draws > 0)
        out->delta += price_draws(list, epsilon);
    out->delta = out->delta > 0 ? fmin(1, out->delta * PRICE_UP) : 0;
    merged_free(&p);
    return status;
}

sotto_status price_list(const account_list *list, double epsilon, double effort,
                        account_price *out, sotto_error *error)
{
    int ordered;
    account_list any = price_any_order(list, &ordered);
    account_price own;
    if (!(epsilon >= 0 && epsilon <= 1e6))
        return error_set(error, SOTTO_USAGE,
                         "epsilon: expected a number from 0 to 1e6");
    sotto_status status = price_one_order(&any, epsilon, effort, out, error);
    if (status != SOTTO_OK || !ordered || out->delta == 0 || effort == 0)
        return status;
    status = price_one_order(list, epsilon, effort, &own, error);
    if (status == SOTTO_OK)
        price_take(out, epsilon, own.delta, own.method);
    return status;
}

sotto_status account_delta(const account_list *list, double epsilon,
                           account_price *out, sotto_error *error)
{
    return price_list(list, epsilon, 1, out, error);
}

sotto_status account_delta_by(const account_list *list, double epsilon,
                              account_method method, double effort,
                              account_price *out, sotto_error *error)
{
    merged p;
    const char *note = NULL;
    sotto_status status = merge_events(&p, list, error);
    if (status != SOTTO_OK)
        return status;
    *out = (account_price){epsilon, 1.1, ACCOUNT_NOTHING, NULL};
    if (method == ACCOUNT_RDP)
        price_take(out, epsilon, renyi_delta(&p, epsilon), ACCOUNT_RDP);
    else if (method >= ACCOUNT_PLD && method <= ACCOUNT_ORDER &&
             pricing_applies(&p, &note)) {
        out->delta = renyi_delta(&p, epsilon);
        double guess = out->delta;
        out->delta = 1.1;
        pricing s;
        pld_aim aim = {epsilon, NAN, effort};
        status = pricing_make(&s, &p, aim, fmax(guess * 1e-2, 1e-30), error);
        if (status == SOTTO_OK)
            price_take(out, epsilon, pricing_delta(&s, epsilon),
                       pricing_method(&p, &s));
        if (status == SOTTO_OK)
            pricing_free(&s);
    } else
        price_simple_delta(&p, epsilon, out);
    out->delta += price_set_aside(&p);
    merged_free(&p);
    if (status == SOTTO_OK && out->method != method)
        status = error_set(error, SOTTO_USAGE, "%s does not apply here",
                           account_method_name(method));
    return status;
}

sotto_status account_renyi(const account_list *list, double alpha, double *out,
                           sotto_error *error)
{
    merged p;
    if (!(alpha > 1 && alpha < 1e7))
        return error_set(error, SOTTO_USAGE,
                         "alpha: expected a number above 1");
    sotto_status status = merge_events(&p, list, error);
    if (status != SOTTO_OK)
        return status;
    *out = p.shown > 0 ? INFINITY
                       : renyi_bound(&p, alpha - 1) / (alpha - 1) * (1 + 1e-12);
    merged_free(&p);
    return status;
}
