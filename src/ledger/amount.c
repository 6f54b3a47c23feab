/*
 * Sums as whole numbers: what a charge takes is rounded up, what a cap allows
 * is rounded down, and they are compared as integers. So no rounding can let
 * a run through.
 */
#include "internal.h"

#include <math.h>

/* So many draws are in a cap: far more than any run makes. Where they would
   take more than a tenth of delta, because epsilon is large, there are fewer;
   but a cap that allows less than the least is refused. */
static const double DRAWS_MOST = 0x1p40, DRAWS_LEAST = 0x1p30;

static double cap_draws(double epsilon, double delta)
{
    double tenth = delta / 10 * 0x1p80 / (1 + exp(epsilon));
    double draws = DRAWS_MOST;
    while (draws > DRAWS_LEAST && draws > tenth / 2)
        draws /= 2;
    return draws;
}

/* A number that is smaller than 2^63, rounded up. */
static int amount_up(int64_t *out, double x)
{
    if (!(x >= 0 && x < 0x1p63))
        return 0;
    *out = (int64_t)ceil(x);
    return 1;
}

/* Dividing by a power of two is exact; mu^2 is rounded once, so the next
   double is not below it. */
int ledger_amount_of(ledger_amount *out, const account_booking *booking)
{
    double square = booking->mu * booking->mu;
    if (square > 0)
        square = nextafter(square, INFINITY);
    return amount_up(&out->square, square / LEDGER_SQUARE_UNIT) &&
           amount_up(&out->delta0, booking->delta0 / LEDGER_DELTA0_UNIT) &&
           amount_up(&out->draws, booking->draws);
}

static int64_t amount_down(double x)
{
    return x < 0x1p63 ? (int64_t)floor(x) : INT64_MAX;
}

sotto_status ledger_cap_of(ledger_cap *out, double epsilon, double delta,
                           sotto_error *error)
{
    account_total total;
    *out = (ledger_cap){.delta = delta};
    if (!(epsilon > 0))
        return SOTTO_OK;
    sotto_status status =
        account_cap(&total, epsilon, delta, cap_draws(epsilon, delta), error);
    if (status != SOTTO_OK)
        return status;
    out->is_set = 1;
    out->epsilon = epsilon;
    out->most = (ledger_amount){amount_down(total.square / LEDGER_SQUARE_UNIT),
                                amount_down(total.delta0 / LEDGER_DELTA0_UNIT),
                                amount_down(total.draws)};
    return SOTTO_OK;
}

int ledger_cap_is_right(const ledger_cap *cap)
{
    ledger_cap right;
    if (!cap->is_set)
        return 1;
    return ledger_cap_of(&right, cap->epsilon, cap->delta, NULL) == SOTTO_OK &&
           cap->most.square <= right.most.square &&
           cap->most.delta0 <= right.most.delta0 &&
           cap->most.draws <= right.most.draws;
}

/* ---- and back ---- */

/* The conversion of an integer and the root are each within half a unit. */
double ledger_mu(int64_t square)
{
    double x = sqrt((double)square * LEDGER_SQUARE_UNIT);
    return x > 0 ? nextafter(nextafter(x, INFINITY), INFINITY) : 0;
}

double ledger_mu_down(int64_t square)
{
    double x = sqrt((double)square * LEDGER_SQUARE_UNIT);
    return x > 0 ? nextafter(nextafter(x, 0), 0) : 0;
}

double ledger_delta0(int64_t delta0)
{
    double x = (double)delta0 * LEDGER_DELTA0_UNIT;
    return delta0 > (INT64_C(1) << 53) ? nextafter(x, INFINITY) : x;
}

/*
 * The cap that would be spent by now has a tenth of delta for what is not
 * Gaussian, whatever of it was taken: a cap is fixed beforehand. Within a cap
 * that is set, its own epsilon is promised in any case.
 */
double ledger_spent(const ledger_state *state)
{
    const ledger_amount *sum = &state->sum;
    if (!sum->square && !sum->delta0 && !sum->draws)
        return 0;
    double mu = ledger_mu(sum->square);
    account_total total = {
        .square = mu * mu,
        .delta0 = fmax(state->cap.delta / 10, ledger_delta0(sum->delta0)),
        .draws = (double)sum->draws};
    double epsilon = account_total_epsilon(&total, state->cap.delta);
    if (state->cap.is_set && ledger_within(state))
        epsilon = fmin(epsilon, state->cap.epsilon);
    return epsilon;
}

/* The price is rounded up by far less than a millionth of itself. */
double ledger_left(const ledger_state *state)
{
    const ledger_cap *cap = &state->cap;
    int64_t left = cap->most.square - state->sum.square;
    if (!cap->is_set)
        return NAN;
    if (left <= 0)
        return 0;
    double mu = ledger_mu_down(left);
    account_total total = {.square = mu * mu};
    double epsilon = account_total_epsilon(&total, cap->delta);
    return isfinite(epsilon) ? epsilon * (1 - 1e-6) : 0;
}

static int64_t amount_times(int64_t most, int64_t sum, int64_t each)
{
    int64_t left = most - sum;
    return each <= 0 ? INT64_MAX : left <= 0 ? 0 : left / each;
}

int64_t ledger_how_many(const ledger_state *state, const ledger_amount *a)
{
    const ledger_amount *most = &state->cap.most, *sum = &state->sum;
    if (!state->cap.is_set)
        return INT64_MAX;
    int64_t n = amount_times(most->square, sum->square, a->square);
    int64_t by_delta0 = amount_times(most->delta0, sum->delta0, a->delta0);
    int64_t by_draws = amount_times(most->draws, sum->draws, a->draws);
    n = n < by_delta0 ? n : by_delta0;
    return n < by_draws ? n : by_draws;
}
