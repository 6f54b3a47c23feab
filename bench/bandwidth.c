/*
 * How fast this machine reads memory, by cache level and number of threads.
 *
 *     bench_bandwidth SECONDS THREADS
 *         prints a line for each level and for 1, 2, 4, ... THREADS threads:
 *         level, threads, bytes of a thread, rounds over them by all threads
 *         in the best window, its seconds, GB/s; with tabs between them
 *
 * Each thread reads memory of its own from end to end, again and again, and
 * adds up what it reads; a sum other than that of what was written is an
 * error. A thread's bytes are half of a cache that it has alone, or of its part
 * of the last level, which is shared. Memory is four times the last level
 * together, and 256 MB at least. SECONDS are those of one level and number of
 * threads, in several windows.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { WINDOWS = 5, MOST_THREADS = 256, VECTORS = 4 };

typedef uint64_t vector __attribute__((vector_size(64)));
enum { BLOCK = VECTORS * sizeof(vector), PAGE = 4096 };

typedef struct level {
    const char *name;
    int64_t bytes; /* of a thread */
} level;

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    uint64_t *memory;
    int64_t bytes;
    double patience; /* of a window */
    int64_t rounds[WINDOWS];
    double seconds[WINDOWS];
    int wrong;
} worker;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *why)
{
    fprintf(stderr, "bench_bandwidth: %s\n", why);
    return 1;
}

/* ---- one thread ---- */

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static uint64_t
sum_of(const vector *memory, int64_t vectors)
{
    vector a = {0}, b = {0}, c = {0}, d = {0};
    for (int64_t i = 0; i < vectors; i += VECTORS) {
        a += memory[i];
        b += memory[i + 1];
        c += memory[i + 2];
        d += memory[i + 3];
    }
    vector all = a + b + c + d;
    uint64_t sum = 0;
    for (size_t k = 0; k < sizeof all / sizeof sum; k++)
        sum += all[k];
    return sum;
}

/* Word i is i + 1, so that the sum of n is n (n + 1) / 2. */
static uint64_t sum_written(int64_t bytes)
{
    uint64_t n = (uint64_t)bytes / 8;
    return n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
}

static void read_window(worker *w, int window)
{
    double begun = now(), at;
    int64_t rounds = 0, vectors = w->bytes / (int64_t)sizeof(vector);
    do {
        uint64_t sum = sum_of((const vector *)(void *)w->memory, vectors);
        w->wrong |= sum != sum_written(w->bytes);
        rounds++;
        at = now();
    } while (at < begun + w->patience);
    w->rounds[window] = rounds;
    w->seconds[window] = at - begun;
}

static void *work(void *given)
{
    worker *w = given;
    for (int64_t i = 0; i < w->bytes / 8; i++) /* in the memory nearest to it */
        w->memory[i] = (uint64_t)i + 1;
    for (int i = 0; i < WINDOWS; i++) {
        pthread_barrier_wait(w->barrier);
        read_window(w, i);
    }
    return NULL;
}

/* ---- several ---- */

static double rate_of(const worker *w, int window)
{
    return (double)w->rounds[window] * (double)w->bytes / w->seconds[window];
}

/* The window in which all threads together read most. */
static void print_best(const level *at, const worker *w, int threads)
{
    double best = 0, seconds = 0;
    int64_t rounds = 0;
    for (int i = 0; i < WINDOWS; i++) {
        double rate = 0, longest = 0;
        int64_t total = 0;
        for (int t = 0; t < threads; t++) {
            rate += rate_of(w + t, i);
            total += w[t].rounds[i];
            longest = w[t].seconds[i] > longest ? w[t].seconds[i] : longest;
        }
        if (rate > best) {
            best = rate;
            rounds = total;
            seconds = longest;
        }
    }
    printf("%s\t%d\t%lld\t%lld\t%.6f\t%.3f\n", at->name, threads,
           (long long)at->bytes, (long long)rounds, seconds, best / 1e9);
}

static int open_worker(worker *w, const level *at, double seconds,
                       pthread_barrier_t *barrier)
{
    void *memory = mmap(NULL, (size_t)at->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    madvise(memory, (size_t)at->bytes, MADV_HUGEPAGE);
    memset(w, 0, sizeof *w);
    w->barrier = barrier;
    w->memory = memory;
    w->bytes = at->bytes;
    w->patience = seconds / WINDOWS;
    return pthread_create(&w->thread, NULL, work, w) != 0;
}

static int measure(const level *at, int threads, double seconds)
{
    static worker workers[MOST_THREADS];
    pthread_barrier_t barrier;
    int wrong = 0;
    if (pthread_barrier_init(&barrier, NULL, (unsigned)threads))
        return fail("no barrier");
    for (int t = 0; t < threads; t++)
        if (open_worker(workers + t, at, seconds, &barrier))
            return fail("out of memory or threads");
    for (int t = 0; t < threads; t++) {
        pthread_join(workers[t].thread, NULL);
        wrong |= workers[t].wrong;
        munmap(workers[t].memory, (size_t)at->bytes);
    }
    pthread_barrier_destroy(&barrier);
    if (wrong)
        return fail("what was read is not what was written");
    print_best(at, workers, threads);
    return 0;
}

/* ---- levels ---- */

/* As the kernel tells it: index 0 is data of level 1, 1 its instructions.
   What the C library says of some machines is far from it. */
static int64_t cache(int index, int64_t otherwise)
{
    char path[80], unit = 0;
    long long size = 0;
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    FILE *file = fopen(path, "r");
    if (!file)
        return otherwise;
    int read = fscanf(file, "%lld%c", &size, &unit);
    fclose(file);
    if (read < 1 || size < 1)
        return otherwise;
    return size << (unit == 'M' ? 20 : unit == 'K' ? 10 : 0);
}

static int64_t whole_blocks(int64_t bytes)
{
    return bytes < PAGE ? PAGE : bytes / BLOCK * BLOCK;
}

static int measure_all(double seconds, int threads)
{
    int64_t l1 = cache(0, 32 << 10);
    int64_t l2 = cache(2, 1 << 20);
    int64_t l3 = cache(3, 16 << 20);
    int64_t far = l3 * 4 > 256 << 20 ? l3 * 4 : 256 << 20;
    level levels[] = {{"L1", whole_blocks(l1 / 2)},
                      {"L2", whole_blocks(l2 / 2)},
                      {"L3", whole_blocks(l3 / 2 / threads)},
                      {"DRAM", whole_blocks(far / threads)}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (measure(levels + i, threads, seconds))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    double seconds = argc == 3 ? atof(argv[1]) : 0;
    int most = argc == 3 ? atoi(argv[2]) : 0;
    if (!(seconds > 0) || most < 1 || most > MOST_THREADS)
        return fail("expected SECONDS and THREADS, 256 at most");
    for (int threads = 1; threads <= most; threads *= 2)
        if (measure_all(seconds, threads))
            return 1;
    return 0;
}
