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

/* ---- picks ---- */

/* Whether one of the eight bytes is below n, for n <= 128. */
static int picks_below(uint64_t bytes, uint64_t n)
{
    const uint64_t ones = 0x0101010101010101u;
    return ((bytes - ones * n) & ~bytes & ones * 128) != 0;
}

typedef struct picks {
    noise_stream *stream;
    uint64_t threshold;
    uint32_t *out;
    size_t picked;
} picks;

/* The coin whose first eight bits are these: the others are drawn where they
   decide. */
static inline void picks_toss(picks *p, uint64_t byte, size_t place)
{
    uint64_t first = p->threshold >> 56;
    int shows = byte < first;
    if (byte == first)
        shows = noise_word(p->stream) >> 8 <
                (p->threshold & (((uint64_t)1 << 56) - 1));
    if (shows)
        p->out[p->picked++] = (uint32_t)place;
}

/* Eight coins of one word. */
static void picks_eight(picks *p, uint64_t word, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        picks_toss(p, word >> (8 * i) & 255, from + i);
}

static void picks_by_bytes(picks *p, size_t count)
{
    uint64_t words[NOISE_BLOCK], first = p->threshold >> 56;
    for (size_t from = 0; from < count; from += 8 * NOISE_BLOCK) {
        size_t left = count - from, block = noise_block((left + 7) / 8);
        noise_take(p->stream, words, block);
        for (size_t i = 0; i < block; i++)
            if (first >= 128 || picks_below(words[i], first + 1))
                picks_eight(p, words[i], from + 8 * i,
                            left - 8 * i < 8 ? left - 8 * i : 8);
    }
}

sotto_status noise_picks(noise_stream *stream, double q, size_t count,
                         uint32_t *out, size_t *picked, sotto_error *error)
{
    if (!(q >= 0x1p-64 && q <= 1) || count > UINT32_MAX)
        return error_set(error, SOTTO_USAGE,
                         "noise: a coin's probability must be 2^-64 to 1, and "
                         "places below 2^32");
    noise_begin(stream);
    picks p = {stream, q < 1 ? coin_threshold(q) : 0, out, 0};
    if (q < 1)
        picks_by_bytes(&p, count);
    else
        for (; p.picked < count; p.picked++)
            out[p.picked] = (uint32_t)p.picked;
    *picked = p.picked;
    return SOTTO_OK;
}
