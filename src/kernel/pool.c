/*
 * Threads that help with a job. Rows are claimed in parts: the caller from
 * the front, helpers from the back, so that each finds its own rows in its
 * cache again at the next step. The caller waits for no helper but one that
 * has begun a part. Sums are of integers: the same bits for any sharing.
 *
 * The pool is in memory that the system wipes in a child: a process that
 * forked has no helpers there, and does all by itself.
 */
#include "pool.h"

#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    POOL_PATIENCE = 500, /* looks, before one gives up the processor */
    POOL_IDLE = 50000    /* ns without work, before a helper sleeps */
};

int64_t pool_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pool_pause(void)
{
#ifdef KERNEL_X86
    __builtin_ia32_pause();
#endif
}

/* ---- claiming ---- */

static uint64_t open_word(uint32_t step, uint32_t from, uint32_t to)
{
    return (uint64_t)step << 32 | from << 16 | to;
}

typedef struct pool_part {
    uint32_t from, to; /* units; none where they are the same */
} pool_part;

/* How many units to claim of those that are left: many at first, so that one
   claims seldom, and one at last, so that all are done at the same time. */
static uint32_t pool_some(const kernel_pool *p, uint32_t left)
{
    uint32_t some = left * 3 / (4 * ((uint32_t)p->helpers + 1)) + 1;
    return some < left ? some : left;
}

static pool_part pool_claim(kernel_pool *p, int from_front)
{
    uint64_t word = atomic_load(&p->open);
    for (;;) {
        uint32_t step = (uint32_t)(word >> 32);
        uint32_t from = (uint32_t)word >> 16, to = (uint32_t)word & 0xffff;
        if (from >= to)
            return (pool_part){0, 0};
        uint32_t some = pool_some(p, to - from);
        uint64_t next = from_front ? open_word(step, from + some, to)
                                   : open_word(step, from, to - some);
        if (atomic_compare_exchange_weak(&p->open, &word, next))
            return from_front ? (pool_part){from, from + some}
                              : (pool_part){to - some, to};
    }
}

/* `who` is 0 for the caller, and the number of a helper. */
static int64_t pool_do(const pool_job *j, pool_part part, int who)
{
    int64_t from = part.from * j->unit, left = j->total - from;
    int64_t count = (part.to - part.from) * j->unit;
    if (j->loop) {
        j->loop(j->what, from, from + (left < count ? left : count),
                j->sum + (size_t)who * j->sums);
        return 0;
    }
    kernel_rows rows = j->rows;
    kernel_column moved = j->moved, asked = j->asked;
    rows.margin += from;
    rows.weight = rows.weight ? rows.weight + from : NULL;
    rows.padded = rows.rows = left < count ? left : count;
    moved.value = moved.value ? moved.value + from : NULL;
    asked.value = asked.value ? asked.value + from : NULL;
    return j->kernel->step(&rows, moved.value ? &moved : NULL, j->d,
                           asked.value ? &asked : NULL, j->factor);
}

/* ---- helpers ---- */

/* What is done is told at the end: the next step cannot begin before. */
static int pool_help(kernel_pool *p, int who)
{
    pool_part part = pool_claim(p, 0);
    if (part.from == part.to)
        return 0;
    pool_job job = p->job;
    int64_t sum = 0;
    uint32_t done = 0;
    for (; part.from < part.to; part = pool_claim(p, 0)) {
        sum += pool_do(&job, part, who);
        done += part.to - part.from;
    }
    atomic_fetch_add(&p->sum, sum);
    atomic_fetch_add(&p->done, done);
    return 1;
}

/* Steps follow one another closely: a helper that has nothing to do looks out
   for the next one for a while. */
static void pool_look(kernel_pool *p, int who)
{
    int64_t until = 0;
    for (uint32_t i = 0;; i++) {
        if (pool_help(p, who)) {
            until = 0;
        } else if (i % 64 == 0) {
            int64_t now = pool_now();
            if (until && now > until)
                return;
            until = until ? until : now + POOL_IDLE;
        }
        pool_pause();
    }
}

static int pool_is_open(kernel_pool *p)
{
    uint64_t word = atomic_load(&p->open);
    return ((uint32_t)word >> 16) < ((uint32_t)word & 0xffff);
}

/* 0: there is no more to come. */
static int pool_sleep(kernel_pool *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleeping, 1);
    while (!p->stop && !pool_is_open(p))
        pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleeping, 1);
    int stop = p->stop;
    pthread_mutex_unlock(&p->lock);
    return !stop;
}

static void *pool_main(void *argument)
{
    const pool_helper *h = argument;
    kernel_enter();
    do
        pool_look(h->pool, h->number);
    while (pool_sleep(h->pool));
    return NULL;
}

/* ---- a job ---- */

static void pool_wake(kernel_pool *p)
{
    if (atomic_load(&p->sleeping) == 0)
        return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

/* A part takes some microseconds. Only when it takes far longer has its
   helper lost its processor, and may want this one. */
static void pool_wait(kernel_pool *p, uint32_t units)
{
    for (int i = 0; atomic_load(&p->done) != units; i++)
        if (i < POOL_PATIENCE)
            pool_pause();
        else
            sched_yield();
}

/* The caller's first part is never open. */
int64_t pool_run(kernel_pool *p, const pool_job *job)
{
    int64_t sum = 0;
    uint32_t units = (uint32_t)((job->total + job->unit - 1) / job->unit);
    uint32_t left = units;
    pool_part part = {0, pool_some(p, units)};
    p->job = *job;
    atomic_store(&p->sum, 0);
    atomic_store(&p->done, 0);
    atomic_store(&p->open, open_word(++p->step, part.to, units));
    pool_wake(p);
    for (; part.from < part.to; part = pool_claim(p, 1)) {
        sum += pool_do(job, part, 0);
        left -= part.to - part.from;
    }
    pool_wait(p, left);
    return sum + atomic_load(&p->sum);
}

/* ---- the caller ---- */

int pool_can(const kernel_pool *p, int64_t rows)
{
    return p && p->helpers && rows >= POOL_LEAST_ROWS &&
           !(p->watch && p->owner != getpid());
}

int64_t pool_unit(int64_t rows)
{
    int64_t unit = (rows / POOL_UNITS + 64) / 64 * 64;
    return unit > POOL_UNIT ? unit : POOL_UNIT;
}

/* So many sums of one worker fit its caches. */
enum { POOL_MOST_SUMS = 1 << 17 };

/* Each worker adds to sums of its own, in cache lines of its own; they are
   wiped. Where these would be too many, the caller does all by itself. */
void kernel_pool_rows(kernel_pool *p, int64_t rows, kernel_loop *loop,
                      const void *what, size_t sums, int64_t *out)
{
    size_t stride = (sums + 15) / 8 * 8;
    size_t workers = p ? (size_t)p->helpers + 1 : 1;
    int64_t *sum = pool_can(p, rows) && sums <= POOL_MOST_SUMS
                       ? mem_zeroed(workers * stride, sizeof *sum)
                       : NULL;
    if (!sum) {
        loop(what, 0, rows, out);
        return;
    }
    pool_job job = {.total = rows,
                    .unit = pool_unit(rows),
                    .loop = loop,
                    .what = what,
                    .sums = stride,
                    .sum = sum};
    pool_run(p, &job);
    for (size_t i = 0; i < workers; i++)
        for (size_t k = 0; k < sums; k++)
            out[k] += sum[i * stride + k];
    mem_wipe(sum, workers * stride * sizeof *sum);
    mem_free(sum);
}

/* ---- life ---- */

/* Helpers take no signals: those are for the program's own threads. */
static void pool_start(kernel_pool *p, int helpers)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; p->helpers < helpers; p->helpers++) {
        pool_helper *h = &p->helper[p->helpers];
        h->pool = p;
        h->number = p->helpers + 1;
        if (pthread_create(&h->id, NULL, pool_main, h))
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

kernel_pool *kernel_pool_open(int threads)
{
    if (threads < 2)
        return NULL;
    kernel_pool *p = mem_map(sizeof *p);
    if (!p)
        return NULL;
    p->watch = !mem_wiped_on_fork(p, sizeof *p);
    p->owner = getpid();
    pool_clock_start(&p->clock);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pool_start(p, threads - 1 < POOL_MOST ? threads - 1 : POOL_MOST);
    return p;
}

static void pool_stop(kernel_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->helpers; i++)
        pthread_join(p->helper[i].id, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
}

void kernel_pool_close(kernel_pool *p)
{
    if (!p)
        return;
    if (p->owner == getpid())
        pool_stop(p);
    mem_wipe(p, sizeof *p); /* it has part of a sum */
    mem_unmap(p, sizeof *p);
}
