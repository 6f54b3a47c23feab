/*
 * The smallest multiplier: coarse grids find the place, fine ones have the
 * last word. What is returned was priced as it is returned.
 */
#include "internal.h"

#include <math.h>

typedef struct calibration {
    const account_target *target;
    account_maker *make;
    const void *from;
    sotto_error *error;
    sotto_status status; /* of the machine, not of a z out of range */
} calibration;

static sotto_status make_list(const calibration *c, double z, account_list *out,
                              sotto_error *error)
{
    const account_target *t = c->target;
    *out = (account_list){.adjacency = t->adjacency};
    sotto_status status = c->make(out, c->from, z, error);
    if (status != SOTTO_OK)
        account_free(out);
    out->ordered = t->ordered;
    out->draws = t->draws;
    return status;
}

/* ln(delta at z / delta wanted); +INFINITY where z is out of range. */
static double calibrate_at(calibration *c, double z, double effort,
                           account_list *keep, account_price *price)
{
    const account_target *t = c->target;
    account_list list;
    sotto_status status = make_list(c, z, &list, c->error);
    if (status == SOTTO_OK)
        status = price_list(&list, t->epsilon, effort, price, c->error);
    if (status == SOTTO_FAILED)
        c->status = status;
    double value = status == SOTTO_OK
                       ? log(fmax(price->delta, 1e-300) / t->delta)
                       : INFINITY;
    if (keep && value <= 0)
        *keep = list;
    else
        account_free(&list);
    return value;
}

/* Doubles and halves from z until the value changes its sign. */
static int calibrate_bracket(calibration *c, double effort, double ratio,
                             double *low, double *high)
{
    account_price price;
    double z = *high;
    double value = calibrate_at(c, z, effort, NULL, &price);
    for (int i = 0; i < 200 && c->status == SOTTO_OK; i++) {
        if (value > 0) {
            *low = z;
            z *= ratio;
            value = calibrate_at(c, z, effort, NULL, &price);
            if (value <= 0) {
                *high = z;
                return 1;
            }
        } else {
            *high = z;
            z /= ratio;
            value = calibrate_at(c, z, effort, NULL, &price);
            if (value > 0) {
                *low = z;
                return 1;
            }
        }
        if (!(z < 1e15 && z > 1e-15))
            return 0;
    }
    return 0;
}

/* Halves the bracket, in logarithms, by false position where it can. */
static void calibrate_narrow(calibration *c, double effort, double width,
                             double *low, double *high)
{
    account_price price;
    double at_low = calibrate_at(c, *low, effort, NULL, &price);
    double at_high = calibrate_at(c, *high, effort, NULL, &price);
    for (int i = 0; i < 60 && c->status == SOTTO_OK; i++) {
        double span = log(*high / *low);
        if (span <= width)
            return;
        double share = at_low / (at_low - at_high);
        if (!isfinite(share) || i % 4 == 3)
            share = .5;
        share = fmin(fmax(share, .05), .95);
        double z = *low * exp(share * span);
        double value = calibrate_at(c, z, effort, NULL, &price);
        if (value > 0) {
            *low = z;
            at_low = value;
        } else {
            *high = z;
            at_high = value;
        }
    }
}

/* The last word: fine grids, from a place and a slope that coarse ones
   found. `slope` is d ln delta / d ln z, below 0. */
static void calibrate_polish(calibration *c, double z, double slope,
                             double *low, double *high)
{
    account_price price;
    *low = 0;
    *high = INFINITY;
    for (int i = 0; i < 20 && c->status == SOTTO_OK; i++) {
        double value = calibrate_at(c, z, 1, NULL, &price);
        if (value > 0)
            *low = z;
        else
            *high = z;
        if (*high / *low - 1 <= 1.5e-5)
            return;
        double step = value / -slope; /* to where it should vanish */
        step = isfinite(step) ? fmin(fmax(step, -.2), .2) : .2;
        z *= exp(step + (value > 0 ? 4e-6 : -4e-6));
        int stuck = i >= 5 && *low > 0 && isfinite(*high);
        if (z <= *low || z >= *high || stuck)
            z = sqrt(*low * *high);
    }
}

static sotto_status calibrate_check(const calibration *c, sotto_error *error)
{
    const account_target *t = c->target;
    account_list list;
    if (!(t->epsilon > 0 && t->epsilon <= 1e4))
        return error_set(error, SOTTO_USAGE,
                         "--epsilon: expected a number above 0, up to 1e4");
    if (!(t->delta >= 1e-15 && t->delta < 1))
        return error_set(
            error, SOTTO_USAGE,
            "--delta: expected a number from 1e-15 to less than 1");
    sotto_status status = SOTTO_OK;
    for (double z = 1; z < 1e13; z *= 1e3) { /* some z must make a list */
        status = make_list(c, z, &list, error);
        account_free(&list);
        if (status == SOTTO_OK)
            break;
    }
    return status;
}

/* All draws of noise together are off by draws 2^-80, which counts
   1 + exp(epsilon) times: a large epsilon has no meaning at a small delta. */
static sotto_status calibrate_refuse(const account_target *t,
                                     sotto_error *error)
{
    double most = floor(log(t->delta / t->draws * 0x1p80) - 1);
    shown asked = {{0}};
    snprintf(asked.text, sizeof asked.text, "--epsilon %s with --delta %s",
             sotto_number_print(t->epsilon, 6).text,
             sotto_number_print(t->delta, 6).text);
    if (!(t->draws > 0) || t->epsilon <= most)
        return error_set(error, SOTTO_USAGE,
                         "%s: no multiplier z makes this plan cost that",
                         asked.text);
    if (most < 1)
        return error_set(error, SOTTO_USAGE,
                         "%s: nothing can be promised for %s draws of noise; "
                         "expected fewer features or steps, or a larger "
                         "--delta",
                         asked.text, sotto_number_print(t->draws, 2).text);
    return error_set(error, SOTTO_USAGE,
                     "%s says nothing about a record; expected an --epsilon of "
                     "at most %s",
                     asked.text, sotto_number_print(most, 6).text);
}

sotto_status account_calibrate(account_list *out, double *multiplier,
                               account_price *price,
                               const account_target *target,
                               account_maker *make, const void *from,
                               sotto_error *error)
{
    sotto_error quiet = {0};
    calibration c = {target, make, from, &quiet, SOTTO_OK};
    *out = (account_list){0};
    sotto_status status = calibrate_check(&c, error);
    if (status != SOTTO_OK)
        return status;
    double low = 1, high = 1, coarse = .1;
    int found = calibrate_bracket(&c, 0, 4, &low, &high);
    if (found)
        calibrate_narrow(&c, 0, .05, &low, &high);
    if (found)
        found = calibrate_bracket(&c, coarse, 1.25, &low, &high);
    else if (c.status == SOTTO_OK) { /* moments are too weak here */
        low = high = 1;
        found = calibrate_bracket(&c, coarse, 4, &low, &high);
    }
    if (found) {
        calibrate_narrow(&c, coarse, 2e-3, &low, &high);
        double at_low = calibrate_at(&c, low, coarse, NULL, price);
        double at_high = calibrate_at(&c, high, coarse, NULL, price);
        double slope = (at_high - at_low) / log(high / low);
        slope = isfinite(slope) && slope < -.1 ? slope : -20;
        calibrate_polish(&c, high, slope, &low, &high);
        found = isfinite(high) && c.status == SOTTO_OK &&
                calibrate_at(&c, high, 1, out, price) <= 0;
    }
    if (c.status != SOTTO_OK)
        return error_set(error, c.status, "%s", quiet.message);
    if (!found)
        return calibrate_refuse(target, error);
    *multiplier = high;
    return SOTTO_OK;
}
