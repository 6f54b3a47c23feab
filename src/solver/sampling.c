/*
 * Samplings of blocks: which blocks move in a step, public and independent
 * from step to step. What Theorem 1 of the paper on block-coordinate
 * Frank-Wolfe needs of one is the least probability with which a block moves.
 */
#include "blocks.h"

/* A public sequence (splitmix64): nothing secret hangs on it. */
static uint64_t sampling_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void sampling_pick(uint64_t *state, int64_t *list, int64_t count, int64_t tau)
{
    for (int64_t n = 0; n < tau; n++) {
        uint64_t left = (uint64_t)(count - n);
        int64_t k = n + (int64_t)(sampling_random(state) % left);
        int64_t other = list[n];
        list[n] = list[k];
        list[k] = other;
    }
}

/* Party k's blocks are [first, end): runs that are as even as they can be. */
static int64_t party_first(const bcfw_domain *d, const bcfw_sampling *s,
                           int64_t k)
{
    return (int64_t)((__int128)k * d->blocks / s->parties);
}

/* ---- probabilities ---- */

static double least_given(const bcfw_domain *d, const bcfw_sampling *s)
{
    double least = 1;
    for (int64_t i = 0; i < d->blocks; i++)
        least = s->chance[i] < least ? s->chance[i] : least;
    return least;
}

/* p_min of Table 1. For (K, tau)-distributed sampling it is the inclusion
   probability tau / (d / K) = K tau / d, that of the largest party; the
   table's (K tau)^2 / d^2 is a misprint. */
double bcfw_least(const bcfw_domain *d, const bcfw_sampling *s)
{
    double blocks = (double)d->blocks, largest = 0;
    switch (s->kind) {
    case BCFW_SERIAL:
        return 1 / blocks;
    case BCFW_NICE:
        return (double)s->tau / blocks;
    case BCFW_DISTRIBUTED:
        for (int64_t k = 0; k < s->parties; k++) {
            double size =
                (double)(party_first(d, s, k + 1) - party_first(d, s, k));
            largest = size > largest ? size : largest;
        }
        return (double)s->tau / largest;
    case BCFW_GIVEN:
        return least_given(d, s);
    default:
        return 1;
    }
}

/* ---- how many questions ---- */

static int64_t questions_of(const bcfw_block *b)
{
    return b->radius > 0 ? 1 : b->count;
}

/* The most that `tau` of the blocks in [from, to) ask. */
static int64_t most_of(const bcfw_domain *d, int64_t from, int64_t to,
                       int64_t tau)
{
    int64_t sum = 0, above = INT64_MAX;
    while (tau > 0) { /* all those that ask the next largest number */
        int64_t next = 0, with = 0;
        for (int64_t i = from; i < to; i++) {
            int64_t q = questions_of(&d->block[i]);
            if (q < above && q > next) {
                next = q;
                with = 0;
            }
            with += q == next;
        }
        with = with < tau ? with : tau;
        sum += with * next;
        tau -= with;
        above = next;
    }
    return sum;
}

int64_t bcfw_most(const bcfw_domain *d, const bcfw_sampling *s)
{
    int64_t most = 0;
    int64_t tau = s->kind == BCFW_ALL      ? d->blocks
                  : s->kind == BCFW_SERIAL ? 1
                                           : s->tau;
    if (s->kind == BCFW_GIVEN)
        for (int64_t k = 0; k < s->sets; k++) {
            int64_t sum = 0;
            for (int64_t n = s->start[k]; n < s->start[k + 1]; n++)
                sum += questions_of(&d->block[s->block[n]]);
            most = sum > most ? sum : most;
        }
    else if (s->kind == BCFW_DISTRIBUTED)
        for (int64_t k = 0; k < s->parties; k++)
            most +=
                most_of(d, party_first(d, s, k), party_first(d, s, k + 1), tau);
    else
        most = most_of(d, 0, d->blocks, tau);
    return most + (d->intercept > 0);
}

/* ---- a set ---- */

/* Set k with its probability; the last takes what rounding leaves. */
static int64_t draw_given(const bcfw_sampling *s, uint64_t *state, int64_t *out)
{
    double at = (double)(sampling_random(state) >> 11) * 0x1p-53;
    int64_t k = 0;
    while (k + 1 < s->sets && at >= s->probability[k])
        at -= s->probability[k++];
    int64_t count = s->start[k + 1] - s->start[k];
    for (int64_t n = 0; n < count; n++)
        out[n] = s->block[s->start[k] + n];
    return count;
}

int64_t bcfw_draw(const bcfw_domain *d, const bcfw_sampling *s, uint64_t *state,
                  int64_t *out)
{
    if (s->kind == BCFW_GIVEN)
        return draw_given(s, state, out);
    for (int64_t i = 0; i < d->blocks; i++)
        out[i] = i;
    if (s->kind == BCFW_ALL)
        return d->blocks;
    if (s->kind != BCFW_DISTRIBUTED) {
        int64_t tau = s->kind == BCFW_SERIAL ? 1 : s->tau;
        sampling_pick(state, out, d->blocks, tau);
        return tau;
    }
    int64_t count = 0;
    for (int64_t k = 0; k < s->parties; k++) {
        int64_t first = party_first(d, s, k), end = party_first(d, s, k + 1);
        sampling_pick(state, out + first, end - first, s->tau);
        for (int64_t n = 0; n < s->tau; n++)
            out[count++] = out[first + n]; /* behind where it is read */
    }
    return count;
}
