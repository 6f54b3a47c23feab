/*
 * Whether the samplers of this build, on this machine, have their laws: what
 * is drawn is counted in cells and compared with their probabilities. A right
 * sampler fails less than once in 10^12 times; a wrong one is noticed if its
 * scale is off by a twentieth. The proofs are elsewhere
 * (docs/privacy/noise.md): this is for compilers and processors that nobody has
 * tried.
 */
#include "noise.h"

#include <math.h>

enum { DRAWS = 1 << 16, CELLS = 12 };

/* Chi squared with at most CELLS degrees of freedom is above it with a
   probability below 1e-13. */
#define NOISE_MOST 90.

static sotto_status failed(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_FAILED,
                     "%s: what was drawn does not have its law: do not train "
                     "with this build",
                     what);
}

/* Cells that few draws are expected in count together, with the last. */
static double chi_squared(const int64_t *found, const double *chance, int cells,
                          double draws)
{
    double sum = 0, rest = draws, left = draws;
    for (int k = 0; k < cells; k++) {
        double expected = chance[k] * draws;
        if (expected < 50 || k == cells - 1)
            continue;
        sum += ((double)found[k] - expected) * ((double)found[k] - expected) /
               expected;
        rest -= expected;
        left -= (double)found[k];
    }
    return sum + (left - rest) * (left - rest) / fmax(rest, 1);
}

/* ---- bits ---- */

/* Each of the 64 places shows 1 half of the time, and no two streams are the
   same. */
static sotto_status check_bits(noise_stream *s, sotto_error *error)
{
    enum { WORDS = 4096 };
    static const char what[] = "random bits";
    uint64_t word[2][WORDS];
    int64_t ones[64] = {0};
    int same = 0;
    noise_stream *other;
    sotto_status status = noise_open(&other, NOISE_RELEASE, error);
    if (status != SOTTO_OK)
        return status;
    noise_words(s, word[0], WORDS);
    noise_words(other, word[1], WORDS);
    noise_close(other);
    for (int i = 0; i < WORDS; i++) {
        same += word[0][i] == word[1][i];
        for (int b = 0; b < 64; b++)
            ones[b] += (int64_t)(word[0][i] >> b & 1);
    }
    for (int b = 0; b < 64; b++) /* 8 standard deviations */
        if (fabs((double)ones[b] - WORDS / 2.) > 8 * sqrt(WORDS / 4.))
            return failed(what, error);
    return same ? failed(what, error) : SOTTO_OK;
}

/* ---- values ---- */

static double below_gaussian(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double below_laplace(double x)
{
    return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2;
}

typedef sotto_status sampler(noise_stream *stream, double scale, int64_t *out,
                             size_t count, sotto_error *error);

/* Cells end at whole numbers: what is drawn is rounded. */
static sotto_status check_values(noise_stream *s, sampler *draw,
                                 double (*below)(double), double scale,
                                 const char *what, sotto_error *error)
{
    static const double edge[CELLS - 1] = {-2, -1.5, -1, -.6, -.3, 0,
                                           .3, .6,   1,  1.5, 2};
    int64_t value[512], found[CELLS] = {0}, top[CELLS - 1];
    double chance[CELLS], before = 0;
    for (int k = 0; k < CELLS - 1; k++) {
        top[k] = (int64_t)floor(edge[k] * scale);
        double up_to = below(((double)top[k] + .5) / scale);
        chance[k] = up_to - before;
        before = up_to;
    }
    chance[CELLS - 1] = 1 - before;
    for (int drawn = 0; drawn < DRAWS; drawn += 512) {
        sotto_status status = draw(s, scale, value, 512, error);
        if (status != SOTTO_OK)
            return status;
        for (int i = 0; i < 512; i++) {
            int k = 0;
            while (k < CELLS - 1 && value[i] > top[k])
                k++;
            found[k]++;
        }
    }
    return chi_squared(found, chance, CELLS, DRAWS) < NOISE_MOST
               ? SOTTO_OK
               : failed(what, error);
}

static sotto_status check_scales(noise_stream *s, sampler *draw,
                                 double (*below)(double), const char *what,
                                 sotto_error *error)
{
    static const double scale[] = {.7, 3.3, 1000, 0x1p30};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < sizeof scale / sizeof *scale;
         i++)
        status = check_values(s, draw, below, scale[i], what, error);
    return status;
}

static sotto_status check_gaussian(noise_stream *s, sotto_error *error)
{
    return check_scales(s, noise_gaussian, below_gaussian, "Gaussian noise",
                        error);
}

static sotto_status check_laplace(noise_stream *s, sotto_error *error)
{
    return check_scales(s, noise_laplace, below_laplace, "Laplace noise",
                        error);
}

/* ---- selections and coins ---- */

static const char selections[] = "selections";

static sotto_status check_gumbel(noise_stream *s, sotto_error *error)
{
    enum { SCORES = 4, TIMES = 1 << 14 };
    const int64_t score[SCORES] = {0, 1, 3, 4};
    int64_t found[2][SCORES] = {{0}};
    double chance[SCORES], sum = 0, rate = .5;
    noise_buckets *buckets;
    for (int j = 0; j < SCORES; j++)
        sum += chance[j] = exp((double)score[j] * rate);
    for (int j = 0; j < SCORES; j++)
        chance[j] /= sum;
    sotto_status status = noise_buckets_open(&buckets, SCORES, 1, rate, error);
    for (int i = 0; status == SOTTO_OK && i < TIMES; i++) {
        size_t winner = 0;
        status = noise_select_gumbel(s, score, SCORES, rate, &winner, error);
        found[0][winner]++;
        found[1][noise_buckets_select(s, buckets, score)]++;
    }
    noise_buckets_close(buckets);
    for (int k = 0; status == SOTTO_OK && k < 2; k++)
        if (!(chi_squared(found[k], chance, SCORES, TIMES) < NOISE_MOST))
            status = failed(selections, error);
    return status;
}

/* Of two scores the lower wins with probability e^-difference / 2. */
static sotto_status check_exponential(noise_stream *s, sotto_error *error)
{
    enum { TIMES = 1 << 14 };
    const int64_t score[2] = {2, 0};
    const double rate = .4, lower = exp(-2 * rate) / 2;
    const double chance[2] = {1 - lower, lower};
    int64_t found[2] = {0};
    for (int i = 0; i < TIMES; i++) {
        size_t winner = 0;
        sotto_status status =
            noise_select_exponential(s, score, 2, rate, &winner, error);
        if (status != SOTTO_OK)
            return status;
        found[winner]++;
    }
    return chi_squared(found, chance, 2, TIMES) < NOISE_MOST
               ? SOTTO_OK
               : failed(selections, error);
}

static sotto_status check_selections(noise_stream *s, sotto_error *error)
{
    sotto_status status = check_gumbel(s, error);
    return status == SOTTO_OK ? check_exponential(s, error) : status;
}

static sotto_status check_coins(noise_stream *s, sotto_error *error)
{
    const double rate[] = {.003, .3, .9};
    uint32_t *place = mem_zeroed(DRAWS, sizeof *place);
    sotto_status status = place ? SOTTO_OK : error_memory(error);
    for (int k = 0; status == SOTTO_OK && k < 3; k++) {
        size_t picked = 0;
        double sd = sqrt(DRAWS * rate[k] * (1 - rate[k]));
        status = noise_picks(s, rate[k], DRAWS, place, &picked, error);
        if (status == SOTTO_OK &&
            fabs((double)picked - DRAWS * rate[k]) > 8 * sd)
            status = failed("coins", error);
    }
    mem_free(place);
    return status;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    sotto_status (*check)(noise_stream *s, sotto_error *error);
} checks[] = {{"random bits", check_bits},
              {"Gaussian noise", check_gaussian},
              {"Laplace noise", check_laplace},
              {selections, check_selections},
              {"coins of samples", check_coins}};

const char *noise_check_name(size_t i)
{
    return i < sizeof checks / sizeof *checks ? checks[i].name : NULL;
}

sotto_status noise_check(size_t i, sotto_error *error)
{
    noise_stream *s;
    sotto_status status = noise_open(&s, NOISE_RELEASE, error);
    if (status != SOTTO_OK)
        return status;
    status = checks[i].check(s, error);
    noise_close(s);
    return status;
}
