/*
 * Speed of noise as a share of the raw words of ChaCha20, in one run: each
 * round does every variant once, and the minimum of each counts.
 *
 *     bench_noise ROUNDS      prints "variant seconds-per-item" lines
 */
#include "noise.h"

#include <sodium.h>
#include <stdlib.h>
#include <time.h>

enum { ITEMS = 1 << 18, VARIANTS = 8 };

static int64_t values[ITEMS], scores[ITEMS];
static uint64_t words[ITEMS];
static uint8_t coins[ITEMS];
static uint64_t seen; /* so that nothing is optimised away */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the stream itself cannot be faster than: blocks of 8 KiB, read once. */
static void raw(noise_stream *s)
{
    static unsigned char key[32], nonce[8];
    static uint64_t block[1024], at;
    (void)s;
    for (int i = 0; i < ITEMS / 1024; i++, at += 128) {
        for (int j = 0; j < 1024; j++)
            block[j] = 0;
        crypto_stream_chacha20_xor_ic((unsigned char *)block,
                                      (unsigned char *)block, sizeof block,
                                      nonce, at, key);
        for (int j = 0; j < 1024; j++)
            seen ^= block[j];
    }
}

static void stream_words(noise_stream *s)
{
    noise_words(s, words, ITEMS);
}

static void gumbel(noise_stream *s)
{
    size_t winner = 0;
    seen +=
        (uint64_t)noise_select_gumbel(s, scores, ITEMS, 1. / 50, &winner, NULL);
    seen += winner;
}

static void exponential(noise_stream *s)
{
    size_t winner = 0;
    seen += (uint64_t)noise_select_exponential(s, scores, ITEMS, 1. / 50,
                                               &winner, NULL);
    seen += winner;
}

static void laplace(noise_stream *s)
{
    seen += (uint64_t)noise_laplace(s, 0x3p20, values, ITEMS, NULL);
}

static void gaussian(noise_stream *s)
{
    seen += (uint64_t)noise_gaussian(s, 0x3p20, values, ITEMS, NULL);
}

static void gaussian_wide(noise_stream *s)
{
    seen += (uint64_t)noise_gaussian(s, 0x1p40, values, ITEMS, NULL);
}

static void sampling(noise_stream *s)
{
    seen += (uint64_t)noise_coins(s, .01, coins, ITEMS, NULL);
}

static const struct {
    const char *name;
    void (*work)(noise_stream *s);
} variants[VARIANTS] = {
    {"ChaCha20", raw},
    {"stream", stream_words},
    {"Gumbel", gumbel},
    {"exponential", exponential},
    {"Laplace", laplace},
    {"Gaussian", gaussian},
    {"Gaussian-2^40", gaussian_wide},
    {"coins", sampling},
};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    noise_stream *s;
    if (rounds < 1 || noise_open(&s, NOISE_TUNING, NULL) != SOTTO_OK)
        return 1;
    noise_words(s, words, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        scores[i] = (int64_t)(words[i] % 1000);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < VARIANTS; i++) {
            int v = (i + round) % VARIANTS;
            double start = now();
            variants[v].work(s);
            double seconds = (now() - start) / ITEMS;
            printf("%s %.4e\n", variants[v].name, seconds);
        }
    noise_close(s);
    return seen == 1; /* never, in practice */
}
