/*
 * Coins: of probability exp(-x), and of a fixed probability for sampling
 * (docs/privacy.md, Theorem C).
 */
#include "first.h"
#include "refine.h"
#include "stream.h"

/* Whether E = -ln U is above x = times rate: 1, 0, or -1 if not decided. */
static int coin_exp_first(uint64_t word, uint64_t times, double rate)
{
    if (!word)
        return -1;
    double x = (double)times * rate;
    first_value e = first_exponential(word, 0);
    double bound = 4 * e.loose + 0x1p-47 * (1 + x + e.value);
    double past = e.value - x;
    return fabs(past) > bound ? past > 0 : -1;
}

static int coin_exp_wide(noise_stream *stream, uint64_t word, uint64_t times,
                         double rate)
{
    uint64_t second = noise_word(stream), third = noise_word(stream);
    wide e = noise_wide_exponential(wide_fraction(word, second, third));
    return wide_compare(e, noise_wide_rate(times, rate)) > 0;
}

sotto_status noise_coin_exp(noise_stream *stream, uint64_t times, double rate,
                            int *out, sotto_error *error)
{
    sotto_status status = noise_check_rate(rate, error);
    if (status != SOTTO_OK)
        return status;
    noise_begin(stream);
    *out = 1;
    if (times == 0)
        return SOTTO_OK;
    uint64_t word = noise_word(stream);
    *out = coin_exp_first(word, times, rate);
    if (*out < 0)
        *out = coin_exp_wide(stream, word, times, rate);
    return SOTTO_OK;
}

/* q 2^64 rounded down, for 2^-64 <= q < 1: at most 53 bits, so it is exact
   as a double again. */
static uint64_t coin_threshold(double q)
{
    return (uint64_t)(q * 0x1p64);
}

double noise_coin_rate(double q)
{
    if (!(q >= 0x1p-64 && q <= 1))
        return NAN;
    return q == 1 ? 1 : (double)coin_threshold(q) * 0x1p-64;
}

static void coins_toss(noise_stream *stream, uint64_t threshold, uint8_t *out,
                       size_t count)
{
    uint64_t words[NOISE_BLOCK];
    for (size_t from = 0; from < count; from += NOISE_BLOCK) {
        size_t block = noise_block(count - from);
        noise_take(stream, words, block);
        for (size_t i = 0; i < block; i++)
            out[from + i] = words[i] < threshold;
    }
}

sotto_status noise_coins(noise_stream *stream, double q, uint8_t *out,
                         size_t count, sotto_error *error)
{
    if (!(q >= 0x1p-64 && q <= 1))
        return error_set(error, SOTTO_USAGE,
                         "noise: a coin's probability must be 2^-64 to 1");
    noise_begin(stream);
    if (q < 1)
        coins_toss(stream, coin_threshold(q), out, count);
    else if (count)
        memset(out, 1, count);
    return SOTTO_OK;
}
