/*
 * noise: random bits and the integer noise that is made of them.
 *
 * Every sampler gives integers whose law is within NOISE_DISTANCE in total
 * variation of the ideal one, if the bits are uniform
 * (docs/privacy/noise.md). The scale is the very double that was handed in,
 * so that is what is to be accounted for. A stream belongs to one thread; time
 * depends on the noise drawn. When a call is refused, nothing is drawn and
 * nothing is written: its status must not be ignored.
 */
#ifndef SOTTO_NOISE_H
#define SOTTO_NOISE_H

#include "base.h"

/* What each value, selection or coin may cost: with d of them, a guarantee
   (epsilon, delta) becomes (epsilon, delta + (1 + e^epsilon) d 2^-80). */
#define NOISE_DISTANCE 0x1p-80

#define NOISE_LARGEST_SCALE 0x1p40    /* of a Gaussian or Laplace */
#define NOISE_LARGEST_RATE 0x1p40     /* of a selection or an exp coin */
#define NOISE_SMALLEST_RATE 0x1p-64   /* the same */
#define NOISE_MOST_SCORES 0x100000000 /* of a selection */

/* ---- streams ---- */

typedef struct noise_stream noise_stream;

/* Streams of one insecure seed differ by purpose; private ones always do. */
typedef enum noise_purpose {
    NOISE_SELECTION = 1,
    NOISE_RELEASE,
    NOISE_SAMPLING,
    NOISE_TUNING
} noise_purpose;

/*
 * A stream keyed by the system. In a child process it is keyed anew. The
 * process is aborted when the system has no random bytes: nothing that
 * could be returned would be safe to ignore.
 */
SOTTO_MUST_CHECK sotto_status noise_open(noise_stream **out,
                                         noise_purpose purpose,
                                         sotto_error *error);

/*
 * NOT PRIVATE: whoever knows the seed can take the noise off again. The same
 * seed, purpose and position give the same bits anywhere. For tests.
 */
SOTTO_MUST_CHECK sotto_status noise_open_insecure(noise_stream **out,
                                                  uint64_t seed,
                                                  noise_purpose purpose,
                                                  uint64_t position,
                                                  sotto_error *error);

/* Whether results of this stream may be called private. */
int noise_is_private(const noise_stream *stream);

/* Wipes it; NULL is fine. */
void noise_close(noise_stream *stream);

/* Raw bits. */
void noise_words(noise_stream *stream, uint64_t *out, size_t count);

/* ---- values ---- */

/* round(N(0, sigma^2)), independent; |out| < 2^46. */
SOTTO_MUST_CHECK sotto_status noise_gaussian(noise_stream *stream, double sigma,
                                             int64_t *out, size_t count,
                                             sotto_error *error);

/*
 * One such value. Some are drawn in advance, for callers who ask for one after
 * another with the same sigma; a child process has none of its parent's.
 */
SOTTO_MUST_CHECK sotto_status noise_gaussian_one(noise_stream *stream,
                                                 double sigma, int64_t *out,
                                                 sotto_error *error);

/* round(Laplace(scale)), independent; |out| < 2^48. */
SOTTO_MUST_CHECK sotto_status noise_laplace(noise_stream *stream, double scale,
                                            int64_t *out, size_t count,
                                            sotto_error *error);

/* ---- selections ---- */

/* Index j with probability proportional to exp(scores[j] rate): the
   exponential mechanism. Noise is drawn for every score. */
SOTTO_MUST_CHECK sotto_status noise_select_gumbel(noise_stream *stream,
                                                  const int64_t *scores,
                                                  size_t count, double rate,
                                                  size_t *winner,
                                                  sotto_error *error);

/* The largest scores[j] rate + Exponential(1): permute-and-flip. */
SOTTO_MUST_CHECK sotto_status noise_select_exponential(
    noise_stream *stream, const int64_t *scores, size_t count, double rate,
    size_t *winner, sotto_error *error);

/*
 * The exponential mechanism again, for many selections among many scores of
 * which few change in between. Instead of drawing noise for every score it
 * counts them in buckets, once, and is told when one goes to another bucket;
 * a selection takes microseconds. The winner is a function of the scores and
 * the stream's bits: the same ones after any moves that lead to these scores
 * as after counting them anew.
 *
 * The scores stay with the caller, any int64, and are handed in at each
 * selection: they must be those last counted, with all the moves since, or
 * the winner has another law (it is asserted where it is noticed).
 */
typedef struct noise_buckets noise_buckets;

/* For selections among `count` scores, `stride` apart, at one rate; the room it
   takes is a byte a score, and 40 KiB. */
SOTTO_MUST_CHECK sotto_status noise_buckets_open(noise_buckets **out,
                                                 size_t count, size_t stride,
                                                 double rate,
                                                 sotto_error *error);

/* NULL is fine. */
void noise_buckets_close(noise_buckets *b);

/* A bucket has 2^shift integers, at most a nat (or one integer). */
int noise_buckets_shift(const noise_buckets *b);

/* Whether a score that changes goes to another bucket. */
static inline int noise_buckets_differ(int shift, int64_t from, int64_t to)
{
    return ((uint64_t)from ^ (uint64_t)to) >> shift != 0;
}

/* One score has changed. Needed only if noise_buckets_differ, and harmless
   if not. */
void noise_buckets_move(noise_buckets *b, size_t index, int64_t from,
                        int64_t to);

/* Any scores may have changed: the next selection counts them all. Until
   then moves are not needed, and harmless. */
void noise_buckets_reset(noise_buckets *b);

/* Index j with probability proportional to exp(scores[j stride] rate). */
size_t noise_buckets_select(noise_stream *stream, noise_buckets *b,
                            const int64_t *scores);

/* ---- coins ---- */

/* The probability that noise_picks uses for q, exactly: q rounded down to a
   multiple of 2^-64. NaN if q is not in [2^-64, 1]. */
double noise_coin_rate(double q);

/* The places, in order, of the coins that show 1 among `count` of them with
   probability noise_coin_rate(q) each, independent; `out` has room for all.
   q = 1 draws nothing. All of it together is one draw. */
SOTTO_MUST_CHECK sotto_status noise_picks(noise_stream *stream, double q,
                                          size_t count, uint32_t *out,
                                          size_t *picked, sotto_error *error);

/* ---- whether the samplers have their laws, here and now ---- */

/* The name of check i, or NULL past the last. */
const char *noise_check_name(size_t i);

/* Makes it with bits of its own: SOTTO_FAILED and a line where it fails, which
   a right sampler does less than once in 10^12 times. */
SOTTO_MUST_CHECK sotto_status noise_check(size_t i, sotto_error *error);

#endif
