/*
 * The table of mechanisms: one row for each noise, with its price, what it can
 * protect, and how it is drawn. Privacy rests on it: what is charged and what
 * is drawn stand in one row. What a row leaves out is refused.
 */
#include "mechanisms.h"

#include <math.h>

/* ---- levels ---- */

static double same(double level)
{
    return level;
}

static double no_price(double level)
{
    (void)level;
    return INFINITY;
}

/* Of a share of mu^2: many choices of range eta in a planned list cost about
   as Gaussians of mu = eta / 2; pure ones add up as they are. */
static double gaussian_level(double share, double rate)
{
    (void)rate;
    return sqrt(share);
}

static double range_level(double share, double rate)
{
    (void)rate;
    return 2 * sqrt(share);
}

static double pure_level(double share, double rate)
{
    (void)rate;
    return share;
}

/* Many batches of rate q cost about as a Gaussian of mu^2 = q^2 (e^level^2 - 1)
   each. */
static double sampled_level(double share, double rate)
{
    return sqrt(log1p(share / (rate * rate)));
}

/* ---- whether the samplers can draw it ---- */

static int can_draw_values(double scale)
{
    return scale > 0 && scale <= NOISE_LARGEST_SCALE / 2;
}

static int can_draw_choices(double scale)
{
    return 1 / (2 * scale) >= 2 * NOISE_SMALLEST_RATE &&
           1 / (2 * scale) <= NOISE_LARGEST_RATE;
}

static int can_draw_noisy_scores(double scale)
{
    return 2 * scale <= NOISE_LARGEST_SCALE / 2;
}

/* ---- the largest score with Laplace noise: report noisy max ---- */

double mechanism_scale(double sensitivity, double level)
{
    double scale = sensitivity / level;
    while (fma(scale, level, -sensitivity) < 0)
        scale = nextafter(scale, INFINITY);
    return scale;
}

static sotto_status select_noisy(noise_stream *stream, const int64_t *scores,
                                 size_t count, double rate, size_t *winner,
                                 sotto_error *error)
{
    int64_t part[64], best = INT64_MIN;
    double scale = mechanism_scale(1, rate);
    for (size_t from = 0; from < count; from += 64) {
        size_t n = count - from < 64 ? count - from : 64;
        sotto_status status = noise_laplace(stream, scale, part, n, error);
        for (size_t i = 0; status == SOTTO_OK && i < n; i++)
            if (scores[from + i] + part[i] > best) {
                best = scores[from + i] + part[i];
                *winner = from + i;
            }
        mem_wipe(part, n * sizeof *part);
        if (status != SOTTO_OK)
            return status;
    }
    return SOTTO_OK;
}

/* ---- the table ---- */

enum {
    NUMBERS = 1 << FORM_NUMBER,
    VECTORS = 1 << FORM_VECTOR,
    CHOICES = 1 << FORM_CHOICE,
    BUDGETS = 1 << FORM_BUDGET,
    LEVELS = 1 << FORM_LEVELS
};

/* pi / sqrt(6): the sd of Gumbel noise of scale 1. */
#define GUMBEL_SD 1.2825

/* clang-format off */
static const mechanism_row mechanisms[ASK_NOISES] = {
    [ASK_GAUSSIAN] = {
        .price = {.words = "Gaussian", .event = ACCOUNT_GAUSS, .charge = same,
                  .square = 1, .level = gaussian_level, .sd = 1},
        .protects = NUMBERS | VECTORS | BUDGETS, .drawn = same,
        .can_draw = can_draw_values, .draw = noise_gaussian,
        .draw_one = noise_gaussian_one},
    /* not for vectors, whose sensitivity is their Euclidean length */
    [ASK_LAPLACE] = {
        .price = {.words = "Laplace", .event = ACCOUNT_LAPLACE, .charge = same,
                  .level = pure_level, .sd = M_SQRT2},
        .protects = NUMBERS, .drawn = same, .can_draw = can_draw_values,
        .draw = noise_laplace},
    [ASK_SAMPLED] = {
        .price = {.words = "Gaussian, on a secret random part of the rows",
                  .event = ACCOUNT_SUBSAMPLED, .charge = same,
                  .level = sampled_level, .sd = 1},
        .protects = VECTORS, .drawn = same, .can_draw = can_draw_values,
        .draw = noise_gaussian, .draw_one = noise_gaussian_one},
    [ASK_GUMBEL] = {
        .price = {.words = "exponential mechanism", .event = ACCOUNT_RANGE,
                  .charge = same, .square = .25, .level = range_level,
                  .sd = GUMBEL_SD},
        .protects = CHOICES, .drawn = same, .can_draw = can_draw_choices,
        .select = noise_select_gumbel, .in_buckets = 1},
    [ASK_RANGE] = { /* Lemma A14 */
        .price = {.words = "exponential mechanism", .event = ACCOUNT_GAUSS,
                  .charge = same, .square = 1, .level = gaussian_level,
                  .sd = GUMBEL_SD},
        .protects = CHOICES, .drawn = account_range_within,
        .can_draw = can_draw_choices, .select = noise_select_gumbel,
        .in_buckets = 1},
    [ASK_FLIP] = {
        .price = {.words = "permute-and-flip", .event = ACCOUNT_PURE,
                  .charge = same, .level = pure_level, .sd = 1},
        .protects = CHOICES, .drawn = same, .can_draw = can_draw_choices,
        .select = noise_select_exponential},
    [ASK_NOISY] = {
        .price = {.words = "largest score with Laplace noise",
                  .event = ACCOUNT_PURE, .charge = same, .level = pure_level,
                  .sd = M_SQRT2},
        .protects = CHOICES, .per_score = 1, .drawn = same,
        .can_draw = can_draw_noisy_scores, .select = select_noisy},
    [ASK_SHOWN] = { /* Lemma A22 */
        .price = {.words = "Gaussian, on counts; those above a threshold are "
                           "shown",
                  .event = ACCOUNT_SHOWN, .charge = same, .square = 1,
                  .level = gaussian_level, .sd = 1},
        .protects = LEVELS, .drawn = same, .can_draw = can_draw_values,
        .draw = noise_gaussian},
};
/* clang-format on */

const mechanism_row *mechanism_of(ask_noise noise)
{
    static const mechanism_row none = {.price = {.words = "no mechanism",
                                                 .event = ACCOUNT_KINDS,
                                                 .charge = no_price,
                                                 .level = pure_level},
                                       .drawn = same};
    return (size_t)noise < ASK_NOISES ? &mechanisms[noise] : &none;
}

const ask_mechanism *ask_mechanism_of(ask_noise noise)
{
    return &mechanism_of(noise)->price;
}
