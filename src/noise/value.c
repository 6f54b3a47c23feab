/*
 * Rounded Laplace and Gaussian noise by inversion. A value is decided in
 * double where the proven bound allows it; otherwise the same random bits
 * are extended, never replaced, and it is decided in 256-bit fixed point
 * (docs/privacy, Lemmas N4 and N5).
 */
#include "first.h"
#include "refine.h"
#include "stream.h"

static sotto_status noise_check_scale(double scale, sotto_error *error)
{
    if (scale > 0 && scale <= NOISE_LARGEST_SCALE)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "noise: the scale must be above 0 and at most 2^40");
}

/*
 * size >= 0 rounded to an integer, if all that is closer to it than `bound`
 * rounds to the same one; -1 if not. Exact where it matters: Lemma F6.
 */
static inline int64_t noise_round(double size, double bound)
{
    int64_t whole = (int64_t)size;
    double past = size - (double)whole - .5;
    if (!(fabs(past) > bound))
        return -1;
    return whole + (past > 0);
}

/* The integer nearest to size scale. */
static int64_t noise_round_fixed256(fixed256 size, double scale)
{
    fixed256 y = fixed256_multiply(size, fixed256_double(scale));
    fixed256 half = fixed256_fraction((uint64_t)1 << 63, 0, 0);
    return (int64_t)fixed256_add(y, half).limb[3];
}

/* ---- Laplace ---- */

/* The last bit of the first word is the sign, the others begin U. */
static int64_t noise_laplace_fixed256(noise_stream *stream, uint64_t first,
                                      double scale)
{
    uint64_t second = noise_word(stream), third = noise_word(stream);
    fixed256 u = fixed256_fraction((first & ~(uint64_t)1) | second >> 63,
                                   second << 1 | third >> 63, third << 1);
    return noise_round_fixed256(noise_fixed256_exponential(u), scale);
}

static inline int64_t noise_laplace_one(noise_stream *stream, double scale)
{
    uint64_t first = noise_word(stream), u = first & ~(uint64_t)1;
    int64_t size = -1;
    if (u) {
        first_value e = first_exponential(u, 1);
        size =
            noise_round(scale * e.value, scale * (e.loose + 0x1p-48 * e.value));
    }
    if (size < 0)
        size = noise_laplace_fixed256(stream, first, scale);
    return first & 1 ? -size : size;
}

sotto_status noise_laplace(noise_stream *stream, double scale, int64_t *out,
                           size_t count, sotto_error *error)
{
    sotto_status status = noise_check_scale(scale, error);
    if (status != SOTTO_OK)
        return status;
    noise_begin(stream);
    for (size_t i = 0; i < count; i++)
        out[i] = noise_laplace_one(stream, scale);
    return SOTTO_OK;
}

/* ---- Gaussian ---- */

static void noise_gaussian_fixed256(noise_stream *stream, uint64_t first_u,
                                    uint64_t first_v, double sigma,
                                    int64_t pair[2])
{
    uint64_t more[4];
    for (int i = 0; i < 4; i++)
        more[i] = noise_word(stream);
    fixed256 e = noise_fixed256_exponential(
        fixed256_fraction(first_u, more[0], more[1]));
    fixed256 radius = fixed256_sqrt(fixed256_add(e, e));
    fixed256_signed turn[2];
    fixed256_turn(fixed256_fraction(first_v, more[2], more[3]), &turn[1],
                  &turn[0]);
    for (int i = 0; i < 2; i++) {
        fixed256 size = fixed256_multiply(radius, turn[i].size);
        pair[i] = noise_round_fixed256(size, sigma);
        if (turn[i].negative)
            pair[i] = -pair[i];
    }
}

/* Two values, of the cosine and the sine; 0 if one is not decided. */
static inline int noise_gaussian_first(uint64_t u, uint64_t v, double sigma,
                                       int64_t pair[2])
{
    if (!u)
        return 0;
    first_value e = first_exponential(u, 0);
    double radius = sqrt(2 * e.value), s, c;
    first_turn(v, &s, &c);
    double bound = sigma * (2 * e.loose / radius + 0x1p-47 * radius);
    double reach = sigma * radius;
    int64_t x = noise_round(reach * fabs(c), bound);
    int64_t y = noise_round(reach * fabs(s), bound);
    pair[0] = c < 0 ? -x : x;
    pair[1] = s < 0 ? -y : y;
    return (x | y) >= 0;
}

static inline void noise_gaussian_pair(noise_stream *stream, double sigma,
                                       int64_t pair[2])
{
    uint64_t u = noise_word(stream), v = noise_word(stream);
    if (!noise_gaussian_first(u, v, sigma, pair))
        noise_gaussian_fixed256(stream, u, v, sigma, pair);
}

sotto_status noise_gaussian(noise_stream *stream, double sigma, int64_t *out,
                            size_t count, sotto_error *error)
{
    sotto_status status = noise_check_scale(sigma, error);
    if (status != SOTTO_OK)
        return status;
    noise_begin(stream);
    size_t i = 0;
    for (; i + 1 < count; i += 2)
        noise_gaussian_pair(stream, sigma, out + i);
    if (i < count) { /* the other one of the last pair is not kept */
        int64_t pair[2];
        noise_gaussian_pair(stream, sigma, pair);
        out[i] = pair[0];
    }
    return SOTTO_OK;
}

/* The end is counted in the pool: where a child's is wiped it begins anew. */
static void noise_prepare(noise_stream *stream, double sigma)
{
    noise_pool *pool = stream->pool;
    noise_forget(pool);
    pool->kept_sigma = sigma;
    for (; pool->kept_end < NOISE_KEPT; pool->kept_end += 2)
        noise_gaussian_pair(stream, sigma, pool->kept + pool->kept_end);
}

sotto_status noise_gaussian_one(noise_stream *stream, double sigma,
                                int64_t *out, sotto_error *error)
{
    noise_pool *pool = stream->pool;
    if (stream->watch) /* nothing is kept where a child might find it */
        return noise_gaussian(stream, sigma, out, 1, error);
    sotto_status status = noise_check_scale(sigma, error);
    if (status != SOTTO_OK)
        return status;
    noise_begin(stream);
    if (pool->kept_at == pool->kept_end || pool->kept_sigma != sigma)
        noise_prepare(stream, sigma);
    *out = pool->kept[pool->kept_at];
    pool->kept[pool->kept_at++] = 0; /* no value twice */
    return SOTTO_OK;
}
