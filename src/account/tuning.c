/*
 * Repeat-and-select: what it costs to run a list K times and release the
 * best run, K secret and random (Lemma A13: Papernot and Steinke 2022,
 * Theorem 2, truncated negative binomial laws).
 */
#include "internal.h"

#include <math.h>

/* The parameter of the law whose mean this is. */
static double tuning_gamma(int shape, double mean)
{
    if (shape == 1)
        return 1 / mean;
    double low = 1e-300, high = 1; /* (1/g - 1) / ln(1/g) falls from inf to 1 */
    for (int i = 0; i < 2000 && high / low > 1 + 1e-15; i++) {
        double g = sqrt(low * high);
        if ((1 / g - 1) / log(1 / g) > mean)
            low = g;
        else
            high = g;
    }
    return low;
}

enum { TUNING_ORDERS = 1500 };

/* Orders 1 + tilt, from 1.01 up to what the bounds are known for. */
static double tuning_tilt(const merged *p, int i)
{
    double most = !p->sampled ? 1e6 : p->events > 100 ? 200 : 2900;
    most /= p->sampled && p->replaced ? 2 : 1;
    return .01 * pow(most / .01, i / (double)TUNING_ORDERS);
}

/* What the best of K runs costs at this delta, by moments. */
static double tuning_epsilon(const merged *p, int shape, double mean,
                             double delta)
{
    double extra = INFINITY, best = INFINITY;
    double loss = log(1 / tuning_gamma(shape, mean));
    int orders = p->sampled ? TUNING_ORDERS / 15 : TUNING_ORDERS;
    int skip = TUNING_ORDERS / orders;
    for (int i = 0; i <= orders; i++) {
        double t = tuning_tilt(p, i * skip), k = renyi_bound(p, t);
        extra = fmin(extra, k / (t + 1) + loss / (t + 1));
    }
    for (int i = 0; i <= orders; i++) {
        double t = tuning_tilt(p, i * skip), k = renyi_bound(p, t);
        double order = k / t + (1 + shape) * extra + log(mean) / t;
        best = fmin(best,
                    order + log1p(-1 / (t + 1)) - (log(delta) + log1p(t)) / t);
    }
    return fmax(0, best) * (1 + 1e-9);
}

/*
 * All runs together draw mean * draws values on average, so that they differ
 * from the ideal ones with at most that many times 2^-80 (Wald); what is
 * left of delta depends on epsilon, which is guessed until it is enough.
 */
static sotto_status tuning_with_draws(const merged *p, int shape, double mean,
                                      double delta, double draws,
                                      double *epsilon, sotto_error *error)
{
    double guess = 0;
    for (int i = 0; i < 60 && guess < 700; i++) {
        double left = delta - (1 + exp(guess)) * mean * draws * 0x1p-80;
        if (!(left > delta * 1e-12))
            break;
        *epsilon = tuning_epsilon(p, shape, mean, left);
        if (draws == 0 || *epsilon <= guess)
            return SOTTO_OK;
        guess = *epsilon * (1 + 1e-6) + 1e-12;
    }
    return error_set(error, SOTTO_USAGE,
                     "no epsilon can be proven at this delta: ask for a "
                     "larger delta, or fewer draws");
}

sotto_status account_tuned(const account_list *list, int shape, double mean,
                           double delta, double *epsilon, sotto_error *error)
{
    merged p;
    if ((shape != 0 && shape != 1) || !(mean > 1 && mean <= 1e9))
        return error_set(error, SOTTO_USAGE,
                         "repeat: expected a mean above 1, up to 1e9, and the "
                         "geometric or logarithmic law");
    if (!(delta > 0 && delta < 1))
        return error_set(error, SOTTO_USAGE,
                         "delta: expected a number between 0 and 1");
    sotto_status status = merge_events(&p, list, error);
    if (status != SOTTO_OK)
        return status;
    if (p.shown > 0) {
        merged_free(&p);
        return error_set(error, SOTTO_USAGE,
                         "repeat: SHOWN cannot be repeated and selected from; "
                         "expected other events");
    }
    status =
        tuning_with_draws(&p, shape, mean, delta, list->draws, epsilon, error);
    merged_free(&p);
    return status;
}
