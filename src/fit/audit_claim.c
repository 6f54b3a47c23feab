/*
 * Audits: what was promised, as the accountant prices the plan, and what a
 * number of runs can say against it.
 */
#include "audit.h"

#include <math.h>

sotto_status audit_read_claim(audit_claim *out, const private_run *planned,
                              sotto_error *error)
{
    static const double share[AUDIT_POINTS] = {0,  .05, .1,  .2, .35,
                                               .5, .7,  .85, 1,  1.25};
    account_list events;
    account_price price = {0};
    sotto_status status = fit_events(planned, &events, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&events, out->delta, &price, error);
    out->epsilon = price.epsilon;
    out->gaussian = 1;
    for (int64_t i = 0; status == SOTTO_OK && i < events.events; i++)
        out->gaussian &= events.event[i].kind == ACCOUNT_GAUSS;
    for (int i = 0; status == SOTTO_OK && i < AUDIT_POINTS; i++) {
        out->at[i] = share[i] * out->epsilon;
        status = account_delta(&events, out->at[i], &price, error);
        out->most[i] = price.delta;
    }
    account_free(&events);
    out->mu = 2 * audit_quantile((1 + out->most[0]) / 2);
    return status;
}

audit_bounds audit_bound(int64_t hits, int64_t alarms, int64_t runs,
                         double wrong)
{
    return (audit_bounds){audit_below(hits, runs, wrong / 2),
                          audit_above(alarms, runs, wrong / 2)};
}

double audit_mu(audit_bounds b)
{
    double mu = b.low > 0 && b.high < 1
                    ? audit_quantile(b.low) - audit_quantile(b.high)
                    : 0;
    return fmax(mu, 0);
}

int audit_breaks(const audit_claim *c, audit_bounds b)
{
    for (int i = 0; i < AUDIT_POINTS; i++) {
        double times = exp(c->at[i]);
        if (b.low > times * b.high + c->most[i] ||
            1 - b.high > times * (1 - b.low) + c->most[i])
            return 1;
    }
    return 0;
}

double audit_epsilon(double delta, audit_bounds b)
{
    double low = b.low, high = b.high;
    double hit = low > delta && high > 0 ? log((low - delta) / high) : 0;
    double miss =
        1 - high > delta && low < 1 ? log((1 - high - delta) / (1 - low)) : 0;
    return fmax(0, fmax(hit, miss));
}

/* delta(epsilon) of Gaussian noise falls in epsilon. */
static double gaussian_delta(double mu, double epsilon)
{
    return audit_normal(mu / 2 - epsilon / mu) -
           exp(epsilon) * audit_normal(-mu / 2 - epsilon / mu);
}

double audit_gaussian_epsilon(double mu, double delta)
{
    double low = 0, high = 1;
    if (!(mu > 0) || gaussian_delta(mu, 0) <= delta)
        return 0;
    while (gaussian_delta(mu, high) > delta && high < 500)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (gaussian_delta(mu, middle) > delta)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The best threshold, when Gaussian noise is told with this mu: the counts are
   those that are to be expected. */
static audit_bounds expected_bounds(double mu, double at, int64_t held,
                                    double wrong)
{
    int64_t hits = llround((double)held * audit_normal(mu - at));
    int64_t alarms = llround((double)held * audit_normal(-at));
    return audit_bound(hits, alarms, held, wrong);
}

static double expected_mu(double mu, int64_t held)
{
    double best = 0;
    for (double at = -1; at < mu + 1; at += .1)
        best = fmax(best, audit_mu(expected_bounds(mu, at, held,
                                                   AUDIT_CERTIFIED_WRONG)));
    return best;
}

static int expects_to_find(const audit_claim *c, double mu, int64_t held)
{
    for (double at = -.5; at < mu + .5; at += .25)
        if (audit_breaks(c, expected_bounds(mu, at, held, AUDIT_BROKEN_WRONG)))
            return 1;
    return 0;
}

void audit_power(const audit_claim *c, int64_t held, double *certified,
                 double *found)
{
    *certified = expected_mu(c->mu, held);
    for (*found = 1; *found * c->mu < 12; *found *= 1.1)
        if (expects_to_find(c, *found * c->mu, held))
            return;
    *found = INFINITY;
}
