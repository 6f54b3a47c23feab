/*
 * The exponential variable and the shift of a key in wide arithmetic.
 */
#include "refine.h"

wide noise_wide_exponential(wide u)
{
    if (wide_is_zero(u))
        u.limb[0] = 1;
    wide_signed ln = wide_ln(u);
    return ln.negative ? ln.size : (wide){{0}};
}

wide noise_wide_rate(uint64_t times, double rate)
{
    if ((double)times * rate >= 0x1p20)
        return wide_integer((uint64_t)1 << 20);
    /* at most 64 + 53 bits, the last at 2^-116 or above: exact */
    return wide_multiply(wide_integer(times), wide_double(rate));
}

sotto_status noise_check_rate(double rate, sotto_error *error)
{
    if (rate >= NOISE_SMALLEST_RATE && rate <= NOISE_LARGEST_RATE)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "noise: the rate must be from 2^-64 to 2^40");
}

sotto_status noise_check_selection(size_t count, double rate,
                                   sotto_error *error)
{
    if (!count || count > NOISE_MOST_SCORES)
        return error_set(error, SOTTO_USAGE,
                         "noise: a selection needs 1 to 2^32 scores");
    return noise_check_rate(rate, error);
}
