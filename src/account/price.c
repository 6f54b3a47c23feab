/*
 * The price of a list: every method that applies, the smallest of what they
 * prove, rounded outward.
 */
#include "internal.h"

#include <math.h>

#define PRICE_UP (1 + 1e-9)     /* rounding of everything up to here */
#define PRICE_DRAW 0x1p-80      /* what one draw may be away from its law */
#define PRICE_LEAST_DELTA 1e-15 /* of grids; below it: closed forms */
enum { PRICE_RANGES = 2000, PRICE_LAWS = 200 };

static const char price_many_ranges[] =
    "more than 2000 RANGE events: priced by moments, not by the recursion";
static const char price_many_laws[] =
    "more than 200 different events: priced by moments";

/* A profile, and the laws of everything else in one or two directions. */
typedef struct pricing {
    profile h;
    pld law[2];
    int directions;
    int ordered; /* whether the profile has the Gaussians in it */
} pricing;

static void pricing_free(pricing *s)
{
    profile_free(&s->h);
    pld_free(&s->law[0]);
    pld_free(&s->law[1]);
}

static double pricing_delta(const pricing *s, double epsilon)
{
    double most = s->directions ? 0 : profile_at(&s->h, epsilon);
    for (int i = 0; i < s->directions; i++)
        most = fmax(most, pld_delta(&s->law[i], &s->h, epsilon));
    return fmin(1, most * PRICE_UP);
}

/* The events of the laws: selections that the recursion leaves over come as
   envelopes. To be freed. */
static parts_event *pricing_events(const parts *p, int ordered, int64_t *count)
{
    parts_event *out =
        mem_zeroed((size_t)(p->events + p->ranges) + 1, sizeof *out);
    double eta, many;
    int all;
    range_main(p, &eta, &many, &all);
    *count = 0;
    for (int64_t i = 0; out && i < p->events; i++)
        out[(*count)++] = p->event[i];
    for (int64_t i = 0; out && !ordered && !all && i < p->ranges; i++)
        if (p->range[i].a != eta)
            out[(*count)++] = p->range[i];
    return out;
}

/* In the given order where the parts have their steps, else in any order.
   SOTTO_DATA: no grid fits. */
static sotto_status pricing_make(pricing *s, const parts *p, pld_aim aim,
                                 double least, sotto_error *error)
{
    double eta, count;
    int64_t events;
    int all;
    sotto_status status = SOTTO_OK;
    *s = (pricing){.ordered = p->steps > 0};
    if (p->ranges)
        status = range_profile(&s->h, p, s->ordered, least, aim.effort, error);
    if (status != SOTTO_OK)
        return status;
    parts_event *event = pricing_events(p, s->ordered, &events);
    if (!event) {
        pricing_free(s);
        return error_memory(error);
    }
    range_main(p, &eta, &count, &all);
    double ranges = p->ranges ? count * eta * eta / 4 : 0;
    double gauss = s->ordered ? 0 : p->gauss;
    ranges += s->ordered ? p->gauss : 0;
    int directions = !events && gauss == 0 ? 0 : p->sampled ? 2 : 1;
    for (int i = 0; i < directions && status == SOTTO_OK; i++) {
        status =
            pld_make(&s->law[i], event, events, gauss, ranges, i, aim, error);
        s->directions = i + 1;
    }
    mem_free(event);
    if (status != SOTTO_OK)
        pricing_free(s);
    return status;
}

static account_method pricing_method(const parts *p, const pricing *s)
{
    return s->ordered  ? ACCOUNT_ORDER
           : p->ranges ? ACCOUNT_RECURSION
                       : ACCOUNT_PLD;
}

/* Whether grids are of use here; *note says why not. */
static int pricing_applies(const parts *p, const char **note)
{
    if (p->zcdp > 0 || (p->ordered && !p->steps))
        return 0;
    if (p->range_count > PRICE_RANGES)
        *note = price_many_ranges;
    else if (p->events + p->ranges > PRICE_LAWS)
        *note = price_many_laws;
    else
        return p->events || p->ranges;
    return 0;
}

/* ---- delta for an epsilon ---- */

static void price_take(account_price *best, double epsilon, double delta,
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
   whatever the noise. 1 where there is anything else. */
static double price_chance(const parts *p)
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
static void price_simple_delta(const parts *p, double epsilon,
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

static sotto_status price_grid_delta(const parts *p, double epsilon,
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

static sotto_status price_delta(const parts *p, double epsilon, double effort,
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

/* ---- epsilon for a delta ---- */

static void price_simple_epsilon(const parts *p, double delta,
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

/* The smallest epsilon in [0, high] whose delta is at most this: false
   position in the logarithm of delta, halved when it gets stuck. */
static double price_search(const pricing *s, double delta, double high)
{
    double low = 0, at_low = log(pricing_delta(s, 0) / delta);
    if (at_low <= 0)
        return 0;
    double at_high = log(fmax(pricing_delta(s, high), 1e-300) / delta);
    if (at_high > 0)
        return INFINITY;
    for (int i = 0; i < 60 && high - low > 1e-7 * high; i++) {
        double share = at_low / (at_low - at_high);
        share = fmin(fmax(share, .02), .98);
        double middle =
            i % 3 == 2 ? .5 * (low + high) : low + share * (high - low);
        double at = log(fmax(pricing_delta(s, middle), 1e-300) / delta);
        if (at > 0) {
            low = middle;
            at_low = at;
        } else {
            high = middle;
            at_high = at;
        }
    }
    return high;
}

/* A list that epsilons are asked of: grids are made for the smallest delta
   that will be asked, once. */
typedef struct price_asked {
    parts p;
    pricing grids;
    int has_grids;
    const char *note;
} price_asked;

static sotto_status price_open(price_asked *a, const account_list *list,
                               double least, sotto_error *error)
{
    *a = (price_asked){0};
    sotto_status status = parts_make(&a->p, list, error);
    const parts *p = &a->p;
    if (status != SOTTO_OK || (!p->events && !p->ranges) ||
        least < PRICE_LEAST_DELTA || !pricing_applies(p, &a->note))
        return status;
    pld_aim aim = {NAN, least, 1};
    status = pricing_make(&a->grids, p, aim, least, error);
    if (status == SOTTO_DATA)
        return SOTTO_OK; /* no grid fits: the others have the word */
    a->has_grids = status == SOTTO_OK;
    if (status != SOTTO_OK)
        parts_free(&a->p);
    return status;
}

static void price_close(price_asked *a)
{
    if (a->has_grids)
        pricing_free(&a->grids);
    parts_free(&a->p);
}

static void price_epsilon(const price_asked *a, double delta,
                          account_price *best)
{
    *best = (account_price){INFINITY, 1, ACCOUNT_NOTHING, a->note};
    price_simple_epsilon(&a->p, delta, best);
    if (best->method == ACCOUNT_CLOSED || best->epsilon == 0 || !a->has_grids)
        return;
    double high = fmin(best->epsilon, 600);
    double found = price_search(&a->grids, delta, high);
    if (isfinite(found))
        price_take(best, found * PRICE_UP, delta,
                   pricing_method(&a->p, &a->grids));
}

/* ---- lists: adjacency as a whole, draws ---- */

static double price_draws(const account_list *list, double epsilon)
{
    return (1 + exp(epsilon)) * list->draws * PRICE_DRAW;
}

/*
 * A list in a given order is priced for any order first, then in its own: both
 * are upper bounds, and the smaller one is taken. The order of anything but
 * selections makes no difference.
 */
static account_list price_any_order(const account_list *list, int *ordered)
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
    parts p;
    sotto_status status = parts_make(&p, list, error);
    if (status != SOTTO_OK)
        return status;
    double asked = p.halved ? epsilon / 2 : epsilon;
    if (effort > 0)
        status = price_delta(&p, asked, effort, out, error);
    else {
        *out = (account_price){asked, 1.1, ACCOUNT_NOTHING, NULL};
        price_simple_delta(&p, asked, out);
    }
    out->epsilon = epsilon;
    if (p.halved) /* Lemma A11 */
        out->delta *= (1 + exp(asked)) * PRICE_UP;
    if (list->draws > 0)
        out->delta += price_draws(list, epsilon);
    out->delta = out->delta > 0 ? fmin(1, out->delta * PRICE_UP) : 0;
    parts_free(&p);
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

/* What remains of delta for an epsilon of at most this. */
static double price_left(const account_list *list, const parts *p, double delta,
                         double epsilon)
{
    double left = delta;
    if (list->draws > 0)
        left -= price_draws(list, epsilon);
    return p->halved ? left / (1 + exp(epsilon / 2)) : left;
}

/*
 * Draws and the change of adjacency cost more delta the larger epsilon is:
 * the price for the delta that is left at a guess is right as soon as it is
 * not above the guess.
 */
static int price_with_extras(const account_list *list, const price_asked *a,
                             double delta, account_price *out)
{
    double guess = 0;
    for (int i = 0; i < 40; i++) {
        double left = price_left(list, &a->p, delta, guess);
        if (!(left > delta * 1e-12) || !(guess < 1e6))
            break;
        price_epsilon(a, left, out);
        out->epsilon *= a->p.halved ? 2 : 1;
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
    if (list->draws > 0 || a->p.halved)
        proven = price_with_extras(list, a, delta, out);
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

sotto_status account_delta_by(const account_list *list, double epsilon,
                              account_method method, double effort,
                              account_price *out, sotto_error *error)
{
    parts p;
    const char *note = NULL;
    sotto_status status = parts_make(&p, list, error);
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
    parts_free(&p);
    if (status == SOTTO_OK && out->method != method)
        status = error_set(error, SOTTO_USAGE, "%s does not apply here",
                           account_method_name(method));
    return status;
}

sotto_status account_renyi(const account_list *list, double alpha, double *out,
                           sotto_error *error)
{
    parts p;
    if (!(alpha > 1 && alpha < 1e7))
        return error_set(error, SOTTO_USAGE,
                         "alpha: expected a number above 1");
    sotto_status status = parts_make(&p, list, error);
    if (status != SOTTO_OK)
        return status;
    if (p.halved)
        status = error_set(error, SOTTO_USAGE,
                           "moments of SUBSAMPLED_GAUSS are known for "
                           "add-remove only");
    else
        *out = renyi_bound(&p, alpha - 1) / (alpha - 1) * (1 + 1e-12);
    parts_free(&p);
    return status;
}
