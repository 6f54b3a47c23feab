/*
 * The exponential variable and the shift of a key in 256-bit fixed point.
 */
#include "refine.h"

fixed256 noise_fixed256_exponential(fixed256 u)
{
    if (fixed256_is_zero(u))
        u.limb[0] = 1;
    fixed256_signed ln = fixed256_ln(u);
    return ln.negative ? ln.size : (fixed256){{0}};
}

fixed256 noise_fixed256_rate(uint64_t times, double rate)
{
    if ((double)times * rate >= 0x1p20)
        return fixed256_integer((uint64_t)1 << 20);
    /* at most 64 + 53 bits, the last at 2^-116 or above: exact */
    return fixed256_multiply(fixed256_integer(times), fixed256_double(rate));
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
