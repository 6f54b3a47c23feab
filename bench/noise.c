/*
 * Speed of noise as a share of the raw words of ChaCha20, in one run: each
 * round does every variant once, and the minimum of each counts.
 *
 *     bench_noise ROUNDS      prints "variant seconds-per-item" lines, and
 *                             "selection/SCORES/variant seconds" lines
 */
#include "noise.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

enum { ITEMS = 1 << 18, VARIANTS = 8 };

static int64_t values[ITEMS], scores[ITEMS];
static uint64_t words[ITEMS];
static uint32_t places[ITEMS];
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
    size_t picked = 0;
    seen += (uint64_t)noise_picks(s, .01, ITEMS, places, &picked, NULL);
    seen += picked;
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
    {"picks", sampling},
};

/* ---- one selection among many scores ---- */

/*
 * Scores like those of a training: most are within a few nats of 0, the tail
 * is about as heavy as an exponential's, and few are near the best.
 */
enum { MOST_SCORES = 1000000, NAT = 3 << 20, TOUCHES = 100000 };
static int64_t many[MOST_SCORES];
static uint32_t touched[TOUCHES];

static void make_scores(noise_stream *s, size_t count)
{
    seen += (uint64_t)noise_laplace(s, 2. * NAT, many, count, NULL);
    for (size_t i = 0; i < count; i++)
        many[i] = many[i] < 0 ? -many[i] : many[i];
    noise_words(s, words, TOUCHES);
    for (int i = 0; i < TOUCHES; i++)
        touched[i] = (uint32_t)(words[i] % count);
}

static double time_gumbel(noise_stream *s, size_t count)
{
    size_t winner = 0;
    double start = now();
    seen +=
        (uint64_t)noise_select_gumbel(s, many, count, 1. / NAT, &winner, NULL);
    seen += winner;
    return now() - start;
}

static double time_buckets(noise_stream *s, noise_buckets *b)
{
    enum { TIMES = 200 };
    double start = now();
    for (int i = 0; i < TIMES; i++)
        seen += noise_buckets_select(s, b, many);
    return (now() - start) / TIMES;
}

/* All scores are counted first, as after a reset. */
static double time_counting(noise_stream *s, noise_buckets *b)
{
    double least = INFINITY;
    for (int i = 0; i < 2; i++) { /* the first time memory is new */
        noise_buckets_reset(b);
        double start = now();
        seen += noise_buckets_select(s, b, many);
        least = fmin(least, now() - start);
    }
    return least;
}

/* Changes of scores by a step: few or all of them are moves. */
static double time_changes(noise_buckets *b, int64_t step)
{
    int shift = noise_buckets_shift(b);
    double start = now();
    for (int i = 0; i < TOUCHES; i++) {
        size_t j = touched[i];
        int64_t from = many[j], to = from + ((i & 2) - 1) * step;
        many[j] = to;
        if (noise_buckets_differ(shift, from, to))
            noise_buckets_move(b, j, from, to);
    }
    return (now() - start) / TOUCHES;
}

static void report(size_t count, const char *name, double seconds)
{
    printf("selection/%zu/%s %.4e\n", count, name, seconds);
}

static void selections(noise_stream *s, size_t count)
{
    noise_buckets *b;
    make_scores(s, count);
    if (noise_buckets_open(&b, count, 1, 1. / NAT, NULL) != SOTTO_OK)
        exit(1);
    report(count, "Gumbel", time_gumbel(s, count));
    report(count, "counting", time_counting(s, b));
    report(count, "buckets", time_buckets(s, b));
    report(count, "touch", time_changes(b, NAT / 1000));
    report(count, "move", time_changes(b, NAT));
    /* all alike, at the low end of a bucket: most trials, longest ways */
    for (size_t i = 0; i < count; i++)
        many[i] = 0;
    noise_buckets_reset(b);
    seen += noise_buckets_select(s, b, many);
    report(count, "buckets-alike", time_buckets(s, b));
    noise_buckets_close(b);
}

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
    for (int round = 0; round < rounds; round++)
        for (size_t count = 10000; count <= MOST_SCORES; count *= 10)
            selections(s, count);
    noise_close(s);
    return seen == 1; /* never, in practice */
}
