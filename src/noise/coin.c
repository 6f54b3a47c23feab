/*
 * Coins of a fixed probability, for sampling: which of them show 1
 * (docs/privacy, Lemma N9).
 */
#include "first.h"
#include "refine.h"
#include "stream.h"

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

/* ---- picks that are far apart ---- */

/*
 * From one pick to the next there are G = floor(E / rate) coins that show 0,
 * E = -ln U and rate = -ln(1 - q): P(G >= g) = (1 - q)^g (docs/privacy,
 * Lemma N9).
 */
typedef struct gaps {
    uint64_t threshold;
    double inverse; /* 1 / rate, within 7 e */
} gaps;

/* Rarer picks than this are found by gaps. */
#define GAPS_FROM 0x1p-5

static gaps gaps_of(uint64_t threshold)
{
    double q = (double)threshold * 0x1p-64; /* at most 53 bits: exact */
    return (gaps){threshold, 1 / first_atanh2(q, 2 - q)};
}

/* The gap where double leaves it open, or `left` if it is not below that. */
static uint64_t gaps_fixed256(const gaps *g, noise_stream *stream,
                              uint64_t word, uint64_t left)
{
    uint64_t second = noise_word(stream), third = noise_word(stream);
    fixed256 e =
        noise_fixed256_exponential(fixed256_fraction(word, second, third));
    fixed256 rate =
        noise_fixed256_exponential(fixed256_fraction(0 - g->threshold, 0, 0));
    double near = (double)e.limb[3] + (double)e.limb[2] * 0x1p-64;
    if (near * g->inverse > (double)left + 2)
        return left;
    uint64_t gap = (uint64_t)(near * g->inverse);
    while (gap > 0 && fixed256_compare(e, fixed256_multiply(
                                              fixed256_integer(gap), rate)) < 0)
        gap--;
    while (gap < left &&
           fixed256_compare(
               e, fixed256_multiply(fixed256_integer(gap + 1), rate)) >= 0)
        gap++;
    return gap;
}

static uint64_t gaps_next(const gaps *g, noise_stream *stream, uint64_t left)
{
    uint64_t word = noise_word(stream);
    if (!word)
        return gaps_fixed256(g, stream, word, left);
    first_value e = first_exponential(word, 0);
    double y = e.value * g->inverse;
    double bound = 2 * e.loose * g->inverse + 0x1p-46 * (1 + y);
    if (y - bound > (double)left)
        return left;
    double whole = (double)(uint64_t)y, part = y - whole;
    return part > bound && 1 - part > bound
               ? (uint64_t)y
               : gaps_fixed256(g, stream, word, left);
}

static void picks_by_gaps(picks *p, size_t count)
{
    gaps g = gaps_of(p->threshold);
    size_t place = 0;
    while (place < count) {
        place += gaps_next(&g, p->stream, count - place);
        if (place < count)
            p->out[p->picked++] = (uint32_t)place++;
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
    if (q < GAPS_FROM)
        picks_by_gaps(&p, count);
    else if (q < 1)
        picks_by_bytes(&p, count);
    else
        for (; p.picked < count; p.picked++)
            out[p.picked] = (uint32_t)p.picked;
    *picked = p.picked;
    return SOTTO_OK;
}
