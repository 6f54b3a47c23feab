/*
 * The largest of many noisy scores: Gumbel noise (the exponential mechanism)
 * or exponential noise (permute-and-flip).
 *
 * Every score gets a word, and with it a key, known to lie in an interval.
 * `floor` is the largest lower end so far: whoever's upper end is below it
 * has lost, for certain. Mostly a bound from the word's leading zeros shows
 * that already, without a logarithm. If more than one contender is left,
 * their words are extended and the keys compared in 256-bit fixed point
 * (docs/privacy, Lemma N6).
 */
#include "first.h"
#include "refine.h"
#include "stream.h"

enum { CONTENDERS = 32 };

typedef struct contender {
    size_t index;
    uint64_t behind; /* the best score minus this one's */
    uint64_t word, more[2];
    int extended;
    double low, high; /* the key is in between */
} contender;

typedef struct contest {
    noise_stream *stream;
    double rate;
    int gumbel;
    double floor; /* some contender's key is not below it */
    int count;
    contender list[CONTENDERS];
} contest;

/* ---- keys ---- */

/* The interval of the key -behind rate + noise: Lemma F7. */
static void contender_bound(const contest *t, contender *c)
{
    double a = -((double)c->behind * t->rate), noise, loose = 0;
    if (c->word == 0) {
        noise = 44; /* at least, with no upper bound */
    } else if (t->gumbel && c->word == UINT64_MAX) {
        noise = -3.5; /* at most, with no lower bound */
    } else if (t->gumbel) {
        first_value e = first_exponential_small(c->word);
        noise = -first_ln(e.value);
        loose = e.loose;
    } else {
        first_value e = first_exponential(c->word, 0);
        noise = e.value;
        loose = e.loose;
    }
    double bound = 4 * loose + 0x1p-47 * (1 + fabs(a) + fabs(noise));
    c->low = a + noise - bound;
    c->high = a + noise + bound;
    if (c->word == 0)
        c->high = INFINITY;
    else if (t->gumbel && c->word == UINT64_MAX)
        c->low = -INFINITY;
}

/* The key itself, of 192 bits: the words that were drawn and two more. */
static fixed256_signed contender_key(const contest *t, contender *c)
{
    if (!c->extended) {
        c->more[0] = noise_word(t->stream);
        c->more[1] = noise_word(t->stream);
        c->extended = 1;
    }
    fixed256 u = fixed256_fraction(c->word, c->more[0], c->more[1]);
    if (t->gumbel) /* E = -ln(1 - V), as in the first stage */
        u = fixed256_subtract(fixed256_integer(1), u);
    fixed256 e = noise_fixed256_exponential(u);
    fixed256_signed noise = {e, 0};
    if (t->gumbel) {
        if (fixed256_is_zero(e))
            e.limb[0] = 1;
        noise = fixed256_ln(e);
        noise.negative = !noise.negative;
    }
    return fixed256_sum(
        (fixed256_signed){noise_fixed256_rate(c->behind, t->rate), 1}, noise);
}

/* ---- the contest ---- */

/* Leaves the best contender by extended words as the only one. */
static void contest_settle(contest *t)
{
    int best = 0;
    if (t->count > 1) {
        fixed256_signed best_key = contender_key(t, &t->list[0]);
        for (int i = 1; i < t->count; i++) {
            fixed256_signed key = contender_key(t, &t->list[i]);
            if (fixed256_signed_compare(key, best_key) > 0) {
                best_key = key;
                best = i;
            }
        }
    }
    t->list[0] = t->list[best];
    t->count = 1;
}

static void contest_enter(contest *t, size_t index, uint64_t behind,
                          uint64_t word)
{
    contender c = {.index = index, .behind = behind, .word = word};
    contender_bound(t, &c);
    if (c.high < t->floor)
        return;
    if (c.low > t->floor) {
        t->floor = c.low;
        int kept = 0;
        for (int i = 0; i < t->count; i++)
            if (!(t->list[i].high < t->floor))
                t->list[kept++] = t->list[i];
        t->count = kept;
    }
    if (t->count == CONTENDERS)
        contest_settle(t);
    t->list[t->count++] = c;
}

/*
 * The noise is at most (leading zeros + 1) ln 2, unless the word is 0. Both
 * parts of the bound are moved up by 2^-40, more than rounding can take off
 * (Lemma F8).
 */
static void contest_bounds(double most[64])
{
    for (int zeros = 0; zeros < 64; zeros++)
        most[zeros] = (zeros + 1) * FIRST_LN2 * (1 + 0x1p-40);
}

static void contest_run(contest *t, const int64_t *scores, size_t count,
                        int64_t best)
{
    uint64_t words[NOISE_BLOCK];
    double most[64], rate = t->rate * (1 - 0x1p-40);
    contest_bounds(most);
    for (size_t from = 0; from < count; from += NOISE_BLOCK) {
        size_t block = noise_block(count - from);
        noise_take(t->stream, words, block);
        for (size_t i = 0; i < block; i++) {
            uint64_t behind = (uint64_t)best - (uint64_t)scores[from + i];
            int zeros = __builtin_clzll(words[i] | 1);
            double high = most[zeros] - (double)behind * rate;
            if (!(high < t->floor) || !words[i])
                contest_enter(t, from + i, behind, words[i]);
        }
    }
    contest_settle(t);
}

static sotto_status noise_select(noise_stream *stream, int gumbel,
                                 const int64_t *scores, size_t count,
                                 double rate, size_t *winner,
                                 sotto_error *error)
{
    sotto_status status = noise_check_selection(count, rate, error);
    if (status != SOTTO_OK)
        return status;
    int64_t best = scores[0];
    for (size_t i = 1; i < count; i++)
        best = scores[i] > best ? scores[i] : best;
    noise_begin(stream);
    contest t = {.stream = stream, .rate = rate, .gumbel = gumbel};
    t.floor = -INFINITY;
    contest_run(&t, scores, count, best);
    *winner = t.list[0].index;
    return SOTTO_OK;
}

sotto_status noise_select_gumbel(noise_stream *stream, const int64_t *scores,
                                 size_t count, double rate, size_t *winner,
                                 sotto_error *error)
{
    return noise_select(stream, 1, scores, count, rate, winner, error);
}

sotto_status noise_select_exponential(noise_stream *stream,
                                      const int64_t *scores, size_t count,
                                      double rate, size_t *winner,
                                      sotto_error *error)
{
    return noise_select(stream, 0, scores, count, rate, winner, error);
}
