/*
 * The exponential mechanism by rejection, from scores in buckets.
 *
 * A point is drawn uniformly from under a staircase that lies above the
 * curve of all e^-x, x a score's distance from the best: as many steps as
 * there are buckets, as wide as they have members, with heights that are
 * integers times 2^-62. It is one random integer, exactly uniform; it says
 * bucket, member and the first 62 bits of the point's height U. Where U is
 * below the member's own e^-x the member has won; if the bits do not tell
 * they are extended. Else another point is drawn (docs/privacy, Lemma
 * N7). Nothing is ever too far to be drawn: the lowest step is 2^-62.
 *
 * The r-th member of a bucket is the r-th by its index, whatever moves there
 * were before, so the winner is a function of scores and bits. It is found by
 * counters over blocks of scores, then among the scores of one block.
 */
#include "bucket.h"
#include "first.h"
#include "refine.h"
#include "stream.h"

#include <assert.h>
#include <sys/mman.h>

typedef unsigned __int128 uint128;

/* ---- life ---- */

sotto_status noise_buckets_open(noise_buckets **out, size_t count,
                                size_t stride, double rate, sotto_error *error)
{
    *out = NULL;
    sotto_status status = noise_check_selection(count, rate, error);
    if (status != SOTTO_OK)
        return status;
    noise_buckets *b = mem_zeroed(1, sizeof *b);
    if (!b)
        return error_memory(error);
    b->count = count;
    b->stride = stride;
    b->rate = rate;
    b->shift = bucket_shift(rate);
    b->blocks = (count - 1) / BUCKET_BLOCK + 1;
    /* an odd number of cache lines: the bins of a block do not collide */
    b->row = ((b->blocks + 31) / 32 | 1) * 32;
    b->part_bytes = b->row * BUCKET_BINS * sizeof *b->part;
    b->part = mem_map(b->part_bytes);
    if (!b->part) {
        noise_buckets_close(b);
        return error_memory(error);
    }
    madvise(b->part, b->part_bytes, MADV_DONTDUMP);
    bucket_weights(b);
    *out = b;
    return SOTTO_OK;
}

/* How many scores are where depends on them, and they on records. */
void noise_buckets_close(noise_buckets *b)
{
    if (!b)
        return;
    if (b->part) {
        mem_wipe(b->part, b->part_bytes);
        mem_unmap(b->part, b->part_bytes);
    }
    mem_wipe(b, sizeof *b);
    mem_free(b);
}

int noise_buckets_shift(const noise_buckets *b)
{
    return b->shift;
}

/* ---- counters ---- */

static size_t bucket_slot(int64_t bin)
{
    return (uint64_t)bin % BUCKET_BINS;
}

/* The bin that many below the highest one. */
static int64_t bucket_bin(const noise_buckets *b, uint64_t depth)
{
    return (int64_t)((uint64_t)b->high - depth);
}

/* How far a bin, which is not above it, is below the highest one. */
static uint64_t bucket_depth(const noise_buckets *b, int64_t bin)
{
    return (uint64_t)b->high - (uint64_t)bin;
}

/* Its depth, or BUCKET_BINS for all that are not counted. */
static uint64_t bucket_shown(const noise_buckets *b, int64_t score)
{
    uint64_t depth = bucket_depth(b, score >> b->shift);
    return depth < BUCKET_BINS ? depth : BUCKET_BINS;
}

static void bucket_clear(noise_buckets *b, int64_t bin)
{
    size_t slot = bucket_slot(bin);
    b->members[slot] = 0;
    memset(b->part + slot * b->row, 0, b->row * sizeof *b->part);
}

/* Makes room up to this bin; what falls off below is not counted any more. */
static void bucket_raise(noise_buckets *b, int64_t bin)
{
    uint64_t steps = (uint64_t)bin - (uint64_t)b->high;
    b->high = bin;
    b->lead = 0;
    for (uint64_t i = 0; i < steps && i < BUCKET_BINS; i++)
        bucket_clear(b, bucket_bin(b, i));
}

static void bucket_add(noise_buckets *b, size_t index, int64_t bin)
{
    if (bin > b->high)
        bucket_raise(b, bin);
    uint64_t depth = bucket_depth(b, bin);
    if (depth >= BUCKET_BINS)
        return;
    b->lead = depth < b->lead ? depth : b->lead;
    b->members[bucket_slot(bin)]++;
    b->part[bucket_slot(bin) * b->row + index / BUCKET_BLOCK]++;
}

static void bucket_remove(noise_buckets *b, size_t index, int64_t bin)
{
    assert(bin <= b->high);
    if (bucket_depth(b, bin) >= BUCKET_BINS)
        return;
    uint16_t *part = b->part + bucket_slot(bin) * b->row + index / BUCKET_BLOCK;
    assert(*part);
    --*part;
    b->members[bucket_slot(bin)]--;
}

void noise_buckets_move(noise_buckets *b, size_t index, int64_t from,
                        int64_t to)
{
    assert(index < b->count);
    if (!b->counted)
        return;
    bucket_remove(b, index, from >> b->shift);
    bucket_add(b, index, to >> b->shift);
}

void noise_buckets_reset(noise_buckets *b)
{
    b->counted = 0;
}

/*
 * Counting goes by lanes that do not wait for each other: most scores share
 * few bins, and a counter that was just written is slow to read.
 */
enum { LANES = 4 };

static int64_t bucket_high(const noise_buckets *b, const int64_t *scores)
{
    const size_t stride = b->stride;
    int64_t best[LANES], most = scores[0];
    for (size_t l = 0; l < LANES; l++)
        best[l] = most;
    size_t i = 0;
    for (; i + LANES <= b->count; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            int64_t score = scores[(i + l) * stride];
            best[l] = score > best[l] ? score : best[l];
        }
    for (size_t l = 0; l < LANES; l++)
        most = best[l] > most ? best[l] : most;
    for (; i < b->count; i++)
        most = scores[i * stride] > most ? scores[i * stride] : most;
    return most >> b->shift;
}

/* The scores of one block by their depth; whatever is deeper comes last. */
static void bucket_histogram(const noise_buckets *b, const int64_t *scores,
                             size_t count, uint16_t seen[BUCKET_BINS + 1])
{
    const size_t stride = b->stride;
    uint16_t lane[LANES][BUCKET_BINS + 1] = {{0}};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l][bucket_shown(b, scores[(i + l) * stride])]++;
    for (; i < count; i++)
        lane[0][bucket_shown(b, scores[i * stride])]++;
    for (int d = 0; d <= BUCKET_BINS; d++)
        seen[d] = (uint16_t)(lane[0][d] + lane[1][d] + lane[2][d] + lane[3][d]);
}

static void bucket_count_block(noise_buckets *b, const int64_t *scores,
                               size_t block)
{
    uint16_t seen[BUCKET_BINS + 1];
    size_t from = block * BUCKET_BLOCK, left = b->count - from;
    bucket_histogram(b, scores + from * b->stride,
                     left < BUCKET_BLOCK ? left : BUCKET_BLOCK, seen);
    for (uint64_t depth = 0; depth < BUCKET_BINS; depth++)
        if (seen[depth]) {
            size_t slot = bucket_slot(bucket_bin(b, depth));
            b->members[slot] += seen[depth];
            b->part[slot * b->row + block] = seen[depth];
        }
}

static void bucket_count(noise_buckets *b, const int64_t *scores)
{
    b->high = bucket_high(b, scores);
    for (uint64_t depth = 0; depth < BUCKET_BINS; depth++)
        bucket_clear(b, bucket_bin(b, depth));
    for (size_t block = 0; block < b->blocks; block++)
        bucket_count_block(b, scores, block);
    b->lead = 0;
    b->counted = 1;
}

/* Finds the best bin, which is `lead` below the highest; counts again if not
   all that are near it are counted. */
static void bucket_lead(noise_buckets *b, const int64_t *scores)
{
    const uint64_t most = BUCKET_BINS - b->near; /* the lead may be */
    if (b->counted)
        while (b->lead <= most &&
               !b->members[bucket_slot(bucket_bin(b, b->lead))])
            b->lead++;
    if (!b->counted || b->lead > most)
        bucket_count(b, scores);
}

/* ---- members ---- */

/* The r-th score that is in a bin. */
static size_t bucket_member(const noise_buckets *b, const int64_t *scores,
                            int64_t bin, uint64_t r)
{
    const uint16_t *part = b->part + bucket_slot(bin) * b->row;
    size_t block = 0;
    while (r >= part[block]) {
        r -= part[block++];
        assert(block < b->blocks);
    }
    uint64_t same = (uint64_t)bin << b->shift;
    size_t from = block * BUCKET_BLOCK, i = from;
    for (;; i++) { /* not there: a score has changed without a move */
        assert(i < b->count && i - from < BUCKET_BLOCK);
        r -= !(((uint64_t)scores[i * b->stride] ^ same) >> b->shift);
        if (r == UINT64_MAX)
            return i;
    }
}

/* The r-th of those without a weight of their own. Its turn comes
   once in 2^30 points or less, so it may take as long as it takes. */
static size_t bucket_far_member(const noise_buckets *b, const int64_t *scores,
                                uint64_t r)
{
    for (size_t i = 0;; i++) {
        assert(i < b->count);
        uint64_t depth = bucket_depth(b, scores[i * b->stride] >> b->shift);
        if (depth - b->lead >= b->near && !r--)
            return i;
    }
}

/* ---- points ---- */

/* A uniform integer below `most`, which is above 1: as many bits as it may
   have, and others if they are too large a number. */
static uint128 bucket_below(noise_stream *stream, uint128 most)
{
    uint64_t high = (uint64_t)((most - 1) >> 64), low = (uint64_t)(most - 1);
    int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
    for (;;) {
        uint128 word = noise_word(stream);
        uint128 n = (word << 64 | noise_word(stream)) >> zeros;
        if (n < most)
            return n;
    }
}

/* How many points there are: the members' weights together. */
static uint128 bucket_points(const noise_buckets *b)
{
    uint128 points = 0;
    uint64_t far = b->count;
    for (uint64_t k = 0; k < b->near; k++) {
        uint64_t members = b->members[bucket_slot(bucket_bin(b, b->lead + k))];
        points += (uint128)members * b->weight[k];
        assert(members <= far);
        far -= members;
    }
    return points + far;
}

/* The member that a point belongs to, and its height over the ground. */
static size_t bucket_at(const noise_buckets *b, const int64_t *scores,
                        uint128 point, uint64_t *height)
{
    for (uint64_t k = 0; k < b->near; k++) {
        int64_t bin = bucket_bin(b, b->lead + k);
        uint64_t weight = b->weight[k];
        uint128 points = (uint128)b->members[bucket_slot(bin)] * weight;
        if (point < points) {
            *height = (uint64_t)(point % weight);
            return bucket_member(b, scores, bin, (uint64_t)(point / weight));
        }
        point -= points;
    }
    *height = 0;
    return bucket_far_member(b, scores, (uint64_t)point);
}

/* Whether U, which begins with the 62 bits of height, is below e^-x where x
   = behind rate: 1, 0, or -1 if not decided. */
static int bucket_under_first(uint64_t height, uint64_t behind, double rate)
{
    if (!height)
        return -1;
    double x = (double)behind * rate;
    first_value e = first_exponential(height << 2, 2);
    double bound = 4 * e.loose + 0x1p-47 * (1 + x + e.value);
    double past = e.value - x;
    return fabs(past) > bound ? past > 0 : -1;
}

/* The same by 128 more bits. */
static int bucket_under_fixed256(noise_stream *stream, uint64_t height,
                                 uint64_t behind, double rate)
{
    uint64_t second = noise_word(stream), third = noise_word(stream);
    fixed256 u = fixed256_fraction(height << 2 | second >> 62,
                                   second << 2 | third >> 62, third << 2);
    fixed256 e = noise_fixed256_exponential(u);
    return fixed256_compare(e, noise_fixed256_rate(behind, rate)) > 0;
}

/* The last score of the best bucket: distances are counted from there. */
static uint64_t bucket_from(const noise_buckets *b)
{
    return (((uint64_t)bucket_bin(b, b->lead) + 1) << b->shift) - 1;
}

size_t noise_buckets_select(noise_stream *stream, noise_buckets *b,
                            const int64_t *scores)
{
    noise_begin(stream);
    bucket_lead(b, scores);
    uint64_t from = bucket_from(b);
    uint128 points = bucket_points(b);
    for (;;) {
        uint64_t height;
        uint128 point = bucket_below(stream, points);
        size_t index = bucket_at(b, scores, point, &height);
        uint64_t behind = from - (uint64_t)scores[index * b->stride];
        int under = bucket_under_first(height, behind, b->rate);
        if (under < 0)
            under = bucket_under_fixed256(stream, height, behind, b->rate);
        if (under)
            return index;
    }
}
