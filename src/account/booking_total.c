/*
 * What all bookings come to, and what a cap allows (Lemma A20): delta0 + (1 -
 * delta0) times the Gaussian's delta, and the draws of noise, once.
 */
#include "internal.h"

#include <math.h>

/* What inexact draws add, or a number above 1. */
static double total_draws(double draws, double epsilon)
{
    return draws > 0 ? (1 + exp(epsilon)) * draws * 0x1p-80 * (1 + 1e-14) : 0;
}

static double total_mu(const account_total *t)
{
    return sqrt(t->square) * (1 + 4 * ROUNDOFF);
}

double account_total_delta(const account_total *t, double epsilon)
{
    double gauss = normal_delta(total_mu(t), epsilon);
    double sum = gauss + t->delta0 * (1 - gauss) * (1 + 8 * ROUNDOFF) +
                 total_draws(t->draws, epsilon);
    sum *= 1 + 8 * ROUNDOFF;
    return sum < 1 ? sum : 1;
}

/*
 * Draws cost more delta the larger epsilon is: the epsilon for what they leave
 * at a guess is right as soon as it is not above the guess.
 */
double account_total_epsilon(const account_total *t, double delta)
{
    double guess = 0;
    if (!(account_total_delta(t, 0) > delta))
        return 0;
    while (t->square > 0 && guess < 1e300) {
        double left = delta - t->delta0 - total_draws(t->draws, guess);
        left = (left - 4 * ROUNDOFF * delta) / (1 - t->delta0);
        if (!(left > 0))
            break;
        double epsilon = normal_epsilon(total_mu(t), left);
        if (epsilon <= guess)
            return epsilon;
        guess = epsilon * (1 + 1e-9);
    }
    return INFINITY;
}

static sotto_status cap_check(double epsilon, double delta, double draws,
                              sotto_error *error)
{
    if (!(epsilon > 0 && epsilon <= 1e4))
        return error_set(error, SOTTO_USAGE,
                         "--epsilon: expected a number above 0, up to 1e4");
    if (!(delta >= 1e-15 && delta < 1))
        return error_set(
            error, SOTTO_USAGE,
            "--delta: expected a number from 1e-15 to less than 1");
    if (!(draws >= 0 && total_draws(draws, epsilon) <= delta / 10))
        return error_set(error, SOTTO_USAGE,
                         "--epsilon %s with --delta %s: %s draws of noise "
                         "would take more than a tenth of delta; expected a "
                         "smaller epsilon or a larger delta",
                         sotto_number_print(epsilon, 6).text,
                         sotto_number_print(delta, 6).text,
                         sotto_number_print(draws, 6).text);
    return SOTTO_OK;
}

/* The largest square whose price, as it is rounded up, is within the cap. */
sotto_status account_cap(account_total *out, double epsilon, double delta,
                         double draws, sotto_error *error)
{
    *out = (account_total){0, delta / 10, draws};
    sotto_status status = cap_check(epsilon, delta, draws, error);
    if (status != SOTTO_OK)
        return status;
    double low = 0, high = 0x1p-40;
    for (; high < 1e20; high *= 4) {
        out->square = high;
        if (account_total_delta(out, epsilon) > delta)
            break;
        low = high;
    }
    while (high - low > 0x1p-50 * high) {
        out->square = low + (high - low) / 2;
        if (account_total_delta(out, epsilon) <= delta)
            low = out->square;
        else
            high = out->square;
    }
    out->square = low;
    return SOTTO_OK;
}
