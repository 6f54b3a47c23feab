/*
 * Random bits: known answers, no two streams alike, a forked child that never
 * repeats its parent's words, and no word at all without entropy. getrandom is
 * replaced at link time (--wrap), so that it can fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "noise/stream.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the replaced call ---- */

typedef enum entropy {
    ENTROPY_REAL,
    ENTROPY_BROKEN,   /* fails as on a system without it */
    ENTROPY_NOTHING,  /* returns 0 bytes */
    ENTROPY_FALTERING /* is interrupted, then gives little at a time */
} entropy;
static entropy entropy_now;
static int entropy_calls;

ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);

ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    assert_int_equal(flags, 0); /* blocks until the system is ready */
    entropy_calls++;
    if (entropy_now == ENTROPY_BROKEN) {
        errno = ENOSYS;
        return -1;
    }
    if (entropy_now == ENTROPY_NOTHING)
        return 0;
    if (entropy_now == ENTROPY_FALTERING) {
        if (entropy_calls % 2) {
            errno = EINTR;
            return -1;
        }
        return __real_getrandom(out, bytes < 5 ? bytes : 5, flags);
    }
    return __real_getrandom(out, bytes, flags);
}

/* ---- known answers ---- */

static noise_stream *insecure(uint64_t seed, noise_purpose purpose,
                              uint64_t position)
{
    noise_stream *s;
    sotto_error error;
    assert_int_equal(noise_open_insecure(&s, seed, purpose, position, &error),
                     SOTTO_OK);
    return s;
}

static noise_stream *private(noise_purpose purpose)
{
    noise_stream *s;
    sotto_error error;
    assert_int_equal(noise_open(&s, purpose, &error), SOTTO_OK);
    return s;
}

/* Computed by another implementation of ChaCha20, written from the paper:
   seed, purpose, position, which word, the word. */
static const uint64_t answers[][5] = {
    {0, 1, 0, 0, 0xd46893172bae33b8},
    {0, 1, 0, 1, 0xe1a174de87675a73},
    {0, 1, 0, 1023, 0x20e98f361e54fa2a},
    {0, 1, 0, 1024, 0x76f28bbdc4908b7e},
    {0, 1, 0, 5000, 0x84cee5f12fcb650d},
    {1, 1, 0, 0, 0x7313213e68888eab},
    {0, 2, 0, 0, 0x189da8353c21eb70},
    {0, 1, 1, 0, 0xa76bf327570a4bfa},
    {0xffffffffffffffff, 4, 0x8000000000000005, 7, 0xb6df04595cdaccce},
};

static void test_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const uint64_t *a = answers[i];
        noise_stream *s = insecure(a[0], (noise_purpose)a[1], a[2]);
        uint64_t word = 0;
        for (uint64_t n = 0; n <= a[3]; n++)
            noise_words(s, &word, 1);
        assert_int_equal(word, a[4]);
        noise_close(s);
        /* the same in one call */
        s = insecure(a[0], (noise_purpose)a[1], a[2]);
        uint64_t *all = calloc(a[3] + 1, sizeof *all);
        assert_non_null(all);
        noise_words(s, all, a[3] + 1);
        assert_int_equal(all[a[3]], a[4]);
        free(all);
        noise_close(s);
    }
}

static void test_privacy_is_known(void **state)
{
    (void)state;
    noise_stream *a = private(NOISE_RELEASE);
    noise_stream *b = insecure(0, NOISE_RELEASE, 0);
    uint64_t word;
    assert_true(noise_is_private(a));
    assert_false(noise_is_private(b));
    noise_words(b, &word, 1);
    assert_false(noise_is_private(b));
    noise_close(a);
    noise_close(b);
    noise_close(NULL);
}

/* ---- no word twice ---- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* 3 10^5 words of 12 streams: a repeated one has probability 2.4e-9. */
static void test_streams_differ(void **state)
{
    (void)state;
    enum { EACH = 25000, STREAMS = 12 };
    uint64_t *all = calloc(EACH * STREAMS, sizeof *all);
    assert_non_null(all);
    for (int i = 0; i < STREAMS; i++) {
        noise_purpose purpose = (noise_purpose)(1 + i % 4);
        noise_stream *s =
            i < 6 ? private(purpose) : insecure(7, purpose, (uint64_t)i / 4);
        noise_words(s, all + EACH * i, EACH);
        noise_close(s);
    }
    qsort(all, EACH * STREAMS, sizeof *all, by_value);
    for (int i = 1; i < EACH * STREAMS; i++)
        assert_true(all[i] != all[i - 1]);
    free(all);
}

/* ---- threads ---- */

enum { PARTS = 8, PART = 3000 };

typedef struct shares {
    int64_t values[PARTS][PART];
    _Atomic int next;
} shares;

static void draw_shares(void *context, int worker)
{
    (void)worker;
    shares *all = context;
    for (int i; (i = all->next++) < PARTS;) {
        noise_stream *s;
        if (noise_open_insecure(&s, 5, NOISE_RELEASE, (uint64_t)i, NULL) ||
            noise_gaussian(s, 1e6, all->values[i], PART, NULL))
            abort();
        noise_close(s);
    }
}

/* Streams share nothing: positions give the same values on any number of
   threads. */
static void test_threads(void **state)
{
    (void)state;
    static shares one, four;
    thread_run(1, draw_shares, &one);
    thread_run(4, draw_shares, &four);
    assert_memory_equal(one.values, four.values, sizeof one.values);
    assert_memory_not_equal(one.values[0], one.values[1], sizeof one.values[0]);
}

/* ---- fork ---- */

/* Words of the stream in a child: both ways to make one. */
static void words_of_child(noise_stream *s, uint64_t *words, int count, int raw)
{
    uint64_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child == 0) {
        noise_words(s, shared, (size_t)count);
        _exit(noise_is_private(s) ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    memcpy(words, shared, (size_t)count * sizeof *words);
    munmap(shared, 4096);
}

/* Two children and their parent, in the middle of a buffer: no word in
   common, and the parent goes on as if nothing had been. */
static void children_differ(int watch, int raw)
{
    enum { N = 64 };
    uint64_t all[4 * N] = {0};
    noise_stream *s = private(NOISE_SELECTION);
    if (watch)
        noise_scripted_watch(s);
    noise_words(s, all, N);
    uint64_t next = s->pool->words[s->pool->at];
    words_of_child(s, all + N, N, raw);
    words_of_child(s, all + 2 * N, N, raw);
    noise_words(s, all + 3 * N, N);
    assert_int_equal(all[3 * N], next);
    noise_close(s);
    qsort(all, 4 * N, sizeof *all, by_value);
    for (int i = 1; i < 4 * N; i++)
        assert_true(all[i] != all[i - 1]);
    assert_true(all[0] != 0);
}

static void test_fork(void **state)
{
    (void)state;
    children_differ(0, 0);
    children_differ(1, 0);
    children_differ(0, 1);
    children_differ(1, 1);
}

/* Where the system promises to wipe pages in a child, it does. */
static void test_fork_wipes(void **state)
{
    (void)state;
    noise_stream *s = private(NOISE_SELECTION);
    uint64_t word;
    noise_words(s, &word, 1);
    if (s->watch) {
        noise_close(s);
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        const unsigned char *bytes = (const unsigned char *)s->pool;
        for (size_t i = 0; i < sizeof *s->pool; i++)
            if (bytes[i])
                _exit(1);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    noise_close(s);
}

/* A fork in the middle of a call, by a signal handler: what a wiped pool
   gives must not be the stream of a key of zeros. */
static void test_a_wiped_pool_is_keyed(void **state)
{
    (void)state;
    noise_stream *s = private(NOISE_SELECTION);
    uint64_t first[2];
    for (int i = 0; i < 2; i++) {
        memset(s->pool, 0, sizeof *s->pool);
        first[i] = noise_word(s);
    }
    assert_true(first[0] != first[1]);
    noise_close(s);
}

/* ---- values drawn in advance ---- */

/* So wide that of a few hundred values two are alike with probability 1e-7. */
#define WIDE 0x1p40

static int64_t one(noise_stream *s, double sigma)
{
    int64_t value;
    assert_int_equal(noise_gaussian_one(s, sigma, &value, NULL), SOTTO_OK);
    return value;
}

/* Values that are drawn one at a time are fresh and of the same law as
   values drawn in bulk. */
static void test_one_is_as_many(void **state)
{
    (void)state;
    enum { N = 3 * NOISE_KEPT };
    int64_t many[N];
    noise_stream *a = insecure(4, NOISE_RELEASE, 0);
    noise_stream *b = insecure(4, NOISE_RELEASE, 0);
    assert_int_equal(noise_gaussian(a, WIDE, many, N, NULL), SOTTO_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(one(b, WIDE), many[i]);
    noise_close(a);
    noise_close(b);
}

/* A value that was given out is wiped; values kept for one sigma are not
   used for another. */
static void test_kept_values_are_wiped(void **state)
{
    (void)state;
    noise_stream *s = private(NOISE_RELEASE);
    if (s->watch) {
        noise_close(s);
        skip();
    }
    const noise_pool *pool = s->pool;
    for (int i = 0; i < 10; i++)
        assert_true(one(s, WIDE) != 0);
    assert_int_equal(pool->kept_at, 10);
    assert_int_equal(pool->kept_end, NOISE_KEPT);
    for (int i = 0; i < NOISE_KEPT; i++)
        assert_int_equal(pool->kept[i] != 0, i >= 10);
    assert_true(llabs(one(s, 1)) < 100);
    for (int i = 0; i < NOISE_KEPT; i++)
        assert_true(llabs(pool->kept[i]) < 100);
    assert_true(llabs(one(s, WIDE)) > 100); /* false alarm: 1e-10 */
    sotto_error error;
    int64_t value = 5;
    assert_int_equal(noise_gaussian_one(s, 0x1p41, &value, &error),
                     SOTTO_USAGE);
    assert_int_equal(value, 5);
    noise_close(s);
}

static void ones_of_child(noise_stream *s, int64_t *values, int count, int raw)
{
    int64_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child == 0) {
        int failed = 0;
        for (int i = 0; i < count; i++)
            failed |= noise_gaussian_one(s, WIDE, shared + i, NULL) != SOTTO_OK;
        _exit(failed);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    memcpy(values, shared, (size_t)count * sizeof *values);
    munmap(shared, 4096);
}

/* A parent with values drawn in advance and two children: they have no value
   in common. */
static void children_draw_their_own(int watch, int raw)
{
    enum { N = NOISE_KEPT };
    int64_t all[4 * N];
    noise_stream *s = private(NOISE_RELEASE);
    if (watch)
        noise_scripted_watch(s);
    for (int i = 0; i < N / 2; i++)
        all[i] = one(s, WIDE);
    if (s->watch) /* no promise to wipe pages in a child: none is kept */
        assert_int_equal(s->pool->kept_end, 0);
    else
        assert_int_equal(s->pool->kept_end - s->pool->kept_at, N / 2);
    ones_of_child(s, all + N, N, raw);
    ones_of_child(s, all + 2 * N, N, raw);
    for (int i = 0; i < N + N / 2; i++)
        all[i < N / 2 ? N / 2 + i : 5 * N / 2 + i] = one(s, WIDE);
    noise_close(s);
    qsort(all, 4 * N, sizeof *all, by_value);
    for (int i = 1; i < 4 * N; i++)
        assert_true(all[i] != all[i - 1]);
}

static void test_fork_with_kept_values(void **state)
{
    (void)state;
    children_draw_their_own(0, 0);
    children_draw_their_own(1, 0);
    children_draw_their_own(0, 1);
    children_draw_their_own(1, 1);
}

/* Every public call checks for a fork first, not only noise_words. */
static void test_fork_in_every_call(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * 6; i++) {
        int call = i / 2;
        uint64_t word;
        noise_stream *s = private(NOISE_SELECTION);
        if (i % 2)
            noise_scripted_watch(s);
        noise_words(s, &word, 1); /* so that there is a buffer */
        one(s, 1);                /* or two */
        pid_t child = fork();
        if (child == 0) {
            int64_t value = 0, scores[2] = {0, 0};
            size_t winner, picked;
            uint32_t place;
            int calls = entropy_calls;
            sotto_status status;
            if (call == 0)
                status = noise_gaussian(s, 1, &value, 1, NULL);
            else if (call == 1)
                status = noise_laplace(s, 1, &value, 1, NULL);
            else if (call == 2)
                status = noise_select_gumbel(s, scores, 2, 1, &winner, NULL);
            else if (call == 3)
                status =
                    noise_select_exponential(s, scores, 2, 1, &winner, NULL);
            else if (call == 4)
                status = noise_gaussian_one(s, 1, &value, NULL);
            else
                status = noise_picks(s, .5, 1, &place, &picked, NULL);
            if (status != SOTTO_OK)
                _exit(2);
            _exit(entropy_calls == calls + 1 ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        noise_close(s);
    }
}

/* ---- entropy ---- */

static void dies_with(entropy kind)
{
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        entropy_now = kind;
        noise_stream *s;
        _exit(noise_open(&s, NOISE_RELEASE, NULL) == SOTTO_OK ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_no_entropy_aborts(void **state)
{
    (void)state;
    dies_with(ENTROPY_BROKEN);
    dies_with(ENTROPY_NOTHING);
}

static void test_entropy_in_pieces(void **state)
{
    (void)state;
    entropy_now = ENTROPY_FALTERING;
    entropy_calls = 0;
    noise_stream *s = private(NOISE_RELEASE);
    entropy_now = ENTROPY_REAL;
    assert_int_equal(entropy_calls, 14); /* 32 bytes by fives, 7 refusals */
    int zeros = 0;
    for (int i = 0; i < 32; i++)
        zeros += s->pool->key[i] == 0;
    assert_true(zeros < 8); /* false alarm: below 1e-12 */
    noise_close(s);
}

static void test_insecure_takes_no_entropy(void **state)
{
    (void)state;
    int calls = entropy_calls;
    noise_stream *s = insecure(3, NOISE_RELEASE, 9);
    uint64_t word;
    noise_words(s, &word, 1);
    noise_close(s);
    assert_int_equal(entropy_calls, calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_privacy_is_known),
        cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_wipes),
        cmocka_unit_test(test_a_wiped_pool_is_keyed),
        cmocka_unit_test(test_one_is_as_many),
        cmocka_unit_test(test_kept_values_are_wiped),
        cmocka_unit_test(test_fork_with_kept_values),
        cmocka_unit_test(test_fork_in_every_call),
        cmocka_unit_test(test_no_entropy_aborts),
        cmocka_unit_test(test_entropy_in_pieces),
        cmocka_unit_test(test_insecure_takes_no_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
