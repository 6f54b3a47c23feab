/*
 * How wide buckets are, and how much the near ones weigh: functions of the rate
 * alone.
 */
#include "bucket.h"
#include "fixed256.h"
#include "refine.h"

#include <assert.h>

int bucket_shift(double rate)
{
    int shift = 0;
    while (shift < 63 && rate * 2 <= 1) {
        rate *= 2;
        shift++;
    }
    return shift;
}

/*
 * An integer that is not below 2^62 e^-(times rate) and less than 1 + 2^-63
 * above it. What is added is far more than the error of the exponential.
 */
static uint64_t bucket_weight(uint64_t times, double rate)
{
    const uint64_t most = (uint64_t)1 << BUCKET_BITS;
    if (!times)
        return most;
    fixed256 e = fixed256_exp_minus(noise_fixed256_rate(times, rate));
    fixed256 height = fixed256_multiply(e, fixed256_integer(most));
    return fixed256_add(height, fixed256_fraction(1, 0, 0)).limb[3] + 1;
}

void bucket_weights(noise_buckets *b)
{
    for (b->near = 0; b->near <= UINT64_MAX >> b->shift; b->near++) {
        uint64_t weight = bucket_weight(b->near << b->shift, b->rate);
        if (weight == 1)
            break;
        assert(b->near < BUCKET_NEAR);
        b->weight[b->near] = weight;
    }
}
