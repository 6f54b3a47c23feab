/*
 * What a run takes from a budget over many runs: the Gaussian mechanism that
 * dominates it, but for a delta0 (Lemma A16). By closed forms, event by event
 * (Lemma A18), and by the corners of the list's curve (Lemma A17).
 */
#include "internal.h"

#include <math.h>

#define BOOKING_LEAST 1e-30 /* delta0 of curves; below it: closed forms */
#define BOOKING_SHARE 1e-3  /* of a cap: a curve serves shares above it */

/* ---- closed forms ---- */

static double closed_pure(double epsilon)
{
    double less = exp(-epsilon), up = 1 + 8 * LIBM_ULPS * ROUNDOFF;
    double inside = -expm1(-epsilon) / (1 + less) * up;
    return 2 * normal_inside(inside, 2 * less / (1 + less) / up);
}

static double closed_laplace(double epsilon)
{
    double up = 1 + (4 * LIBM_ULPS + epsilon) * ROUNDOFF;
    return 2 * normal_inside(-expm1(-epsilon / 2) * up, exp(-epsilon / 2) / up);
}

static double closed_event(const merged_event *e)
{
    switch (e->kind) {
    case ACCOUNT_RANGE:
        return closed_pure(e->a / 2);
    case ACCOUNT_PURE:
        return closed_pure(e->a);
    case ACCOUNT_LAPLACE:
        return closed_laplace(e->a);
    case ACCOUNT_SUBSAMPLED: /* as if all records were in the sample */
        return (e->replaced ? 2 : 1) / e->b;
    case ACCOUNT_GAUSS: /* merge_event has summed these */
    case ACCOUNT_SHOWN:
    case ACCOUNT_ZCDP:
    case ACCOUNT_KINDS:
        break;
    }
    return INFINITY;
}

double booking_closed_mu(const merged *p)
{
    /* closed forms are for a delta0 of 0, which what is shown does not have */
    double square = p->zcdp > 0 || p->shown > 0 ? INFINITY : p->gauss;
    for (int64_t i = 0; i < p->events + p->ranges; i++) {
        const merged_event *e =
            i < p->events ? &p->event[i] : &p->range[i - p->events];
        double mu = closed_event(e);
        square += e->count * mu * mu;
    }
    double up = 1 + (double)(16 + p->events + p->ranges) * ROUNDOFF;
    return sqrt(square) * up;
}

/* Whether no curve can say more: Gaussians, or one event whose closed form is
   the least there is. */
static int closed_is_least(const merged *p)
{
    double many = p->range_count + (p->gauss > 0);
    for (int64_t i = 0; i < p->events; i++)
        many += p->event[i].count;
    return p->zcdp == 0 && !p->sampled && p->shown == 0 &&
           (many <= 1 || (!p->events && !p->ranges));
}

/* ---- the corner rule ---- */

/* The mu of the corner where the lines of two points meet, outward. Corners
   beyond the diagonal are left to the other direction; lines that do not meet
   have none. */
static double corner_mu(const double *x, const double *u, double delta0)
{
    double slope = (u[0] - u[1]) / (x[1] - x[0]), up = 1 + 0x1p-49;
    if (!(slope >= NORMAL_LEAST)) /* too small a number to be exact */
        return u[0] > u[1] && u[0] + x[0] * NORMAL_LEAST > delta0 ? INFINITY
                                                                  : 0;
    double above = (1 - u[0]) * up - x[0] * slope / up;
    double a = slope / (1 - delta0) / up;
    double sum = u[0] + x[0] * slope * up;
    double b = (sum - delta0 + 0x1p-50 * (sum + delta0)) / (1 - delta0) * up;
    if (!(b > a) || above < slope / up)
        return 0;
    return (normal_quantile(b, 1) - normal_quantile(a, 0)) * up;
}

static double side_mu(const booking_side *s, double delta0)
{
    double best = 0, middle = 0; /* where the curve crosses the diagonal */
    if (!(s->u[s->points - 1] <= delta0))
        return INFINITY;
    for (int64_t k = 0; k + 1 < s->points; k++)
        best = fmax(best, corner_mu(s->x + k, s->u + k, delta0));
    for (int64_t k = 0; k < s->points; k++)
        middle = fmax(middle, (1 - s->u[k]) / (1 + s->x[k]));
    middle *= (1 - 0x1p-49) / (1 - delta0);
    return middle < .5 ? fmax(best, -2 * normal_quantile(middle, 0)) : best;
}

double booking_corner_mu(const booking_curve *c, double delta0)
{
    double best = c->directions ? 0 : INFINITY;
    for (int d = 0; d < c->directions; d++)
        best = fmax(best, side_mu(&c->side[d], delta0));
    return best;
}

/* ---- a list that is to be booked ---- */

typedef struct booking_work {
    merged any, own; /* in any order; in its own */
    int ordered;
    double closed; /* mu by closed forms */
    booking_curve curve;
} booking_work;

static void work_close(booking_work *w)
{
    booking_curve_free(&w->curve);
    merged_free(&w->any);
    merged_free(&w->own);
}

static sotto_status work_open(booking_work *w, const account_list *list,
                              sotto_error *error)
{
    *w = (booking_work){0};
    account_list any = price_any_order(list, &w->ordered);
    sotto_status status = merge_events(&w->any, &any, error);
    if (status == SOTTO_OK && w->ordered)
        status = merge_events(&w->own, list, error);
    if (status == SOTTO_OK)
        w->closed = booking_closed_mu(&w->any);
    else
        work_close(w);
    return status;
}

/* Makes the curve for deltas down to this. */
static sotto_status work_curve(booking_work *w, double least,
                               sotto_error *error)
{
    booking_curve_free(&w->curve);
    if (closed_is_least(&w->any) || !(least >= BOOKING_LEAST))
        return SOTTO_OK;
    return booking_curve_make(&w->curve, &w->any, w->ordered ? &w->own : NULL,
                              least, error);
}

static int booking_is_sum(double x)
{
    return x >= 0 && x < 1;
}

sotto_status account_book(account_booking *out, const account_list *list,
                          double delta0, sotto_error *error)
{
    booking_work w;
    *out = (account_booking){INFINITY, 0, list->draws};
    if (!booking_is_sum(delta0))
        return error_set(error, SOTTO_USAGE,
                         "delta0: expected a number from 0 to less than 1");
    sotto_status status = work_open(&w, list, error);
    if (status != SOTTO_OK)
        return status;
    status = work_curve(&w, delta0, error);
    if (status == SOTTO_OK) {
        double mu = booking_corner_mu(&w.curve, delta0);
        out->mu = fmin(mu, w.closed);
        out->delta0 = mu < w.closed ? delta0 : 0;
    }
    work_close(&w);
    if (status == SOTTO_OK && !(out->mu < 1e100))
        return error_set(error, SOTTO_BUDGET,
                         "this run cannot be booked: no Gaussian mechanism is "
                         "known to cover it; expected more noise, or a larger "
                         "delta");
    return status;
}

/* ---- within a cap ---- */

/* The least share of the cap for which the curve proves a mu: above `low`,
   where mu is that of the whole delta0. */
static double share_search(const booking_curve *c, double mu, double delta0,
                           double low)
{
    double high = 1;
    for (int i = 0; i < 100 && high > low * (1 + 1e-9); i++) {
        double w = sqrt(low * high);
        double found = booking_corner_mu(c, w * delta0) / mu;
        if (found * found * (1 + 4 * ROUNDOFF) <= w)
            high = w;
        else
            low = w;
    }
    return high;
}

/* By the curve, where that takes a smaller share than `out` does. */
static sotto_status share_by_curve(account_booking *out, booking_work *w,
                                   double mu, double delta0, sotto_error *error)
{
    double least = delta0 * BOOKING_SHARE;
    sotto_status status = work_curve(w, least, error);
    double all = booking_corner_mu(&w->curve, delta0), low = all / mu;
    low *= low;
    if (status != SOTTO_OK || !(all < out->mu))
        return status;
    if (low >= 1) {
        *out = (account_booking){all, delta0, out->draws};
        return status;
    }
    low = fmax(low, BOOKING_LEAST / delta0);
    if (low < BOOKING_SHARE)
        status = work_curve(w, low * delta0, error);
    double share = share_search(&w->curve, mu, delta0, low), part;
    part = share * delta0;
    if (status == SOTTO_OK && share * mu * mu < out->mu * out->mu)
        *out = (account_booking){booking_corner_mu(&w->curve, part), part,
                                 out->draws};
    return status;
}

sotto_status account_book_share(account_booking *out, const account_list *list,
                                double mu, double delta0, sotto_error *error)
{
    booking_work w;
    *out = (account_booking){INFINITY, 0, list->draws};
    if (!booking_is_sum(delta0) || !(mu > 0 && mu < 1e100))
        return error_set(error, SOTTO_USAGE,
                         "cap: expected a mu above 0, and a delta0 from 0 to "
                         "less than 1");
    sotto_status status = work_open(&w, list, error);
    if (status != SOTTO_OK)
        return status;
    out->mu = w.closed;
    if (delta0 > 0)
        status = share_by_curve(out, &w, mu, delta0, error);
    work_close(&w);
    if (status == SOTTO_OK && !(out->mu <= mu))
        return error_set(error, SOTTO_BUDGET,
                         "this run takes more than the whole cap: mu %s of %s",
                         sotto_number_print(out->mu, 6).text,
                         sotto_number_print(mu, 6).text);
    return status;
}
