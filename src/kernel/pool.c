/*
 * Threads that help with a step. Rows are claimed in chunks: the caller from
 * the front, helpers from the back, so that each finds its own rows in its
 * cache again at the next step. The caller waits for no helper but one that
 * has begun a chunk. Sums are of integers: the same bits for any sharing.
 *
 * A process that forks keeps no helpers in the child, which then does all by
 * itself.
 */
#include "kernel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    POOL_MOST = 64,          /* helpers */
    POOL_CHUNK = 7680,       /* rows, at least */
    POOL_CHUNKS = 1024,      /* at most; they are counted in 16 bits */
    POOL_LEAST_ROWS = 65536, /* below them helpers do not pay */
    POOL_LEAST_ALONE = 256,  /* steps, after a helper lost its processor */
    POOL_MOST_ALONE = 1 << 14,
    POOL_PATIENCE = 2000 /* looks, before one gives up the processor */
};

typedef struct pool_job {
    const kernel *kernel;
    const kernel_rows *rows;
    const kernel_column *moved, *asked;
    float d, factor;
    int64_t chunk; /* rows */
} pool_job;

struct kernel_pool {
    /* step number | first chunk | behind the last chunk: what is not claimed.
       Who has claimed may read the job: it stays until all is done. */
    _Atomic uint64_t open;
    pool_job job;
    _Atomic int64_t sum;   /* by helpers */
    _Atomic uint32_t done; /* chunks, by helpers */
    _Atomic int sleeping;

    uint32_t step;
    int64_t alone, penalty; /* steps: still without helpers; the next time */
    pid_t owner;
    int helpers;
    int stop; /* under lock, as sleeping is */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t id[POOL_MOST];
};

/* ---- claiming ---- */

static uint64_t open_word(uint32_t step, uint32_t from, uint32_t to)
{
    return (uint64_t)step << 32 | from << 16 | to;
}

/* The chunk that was claimed, or -1. */
static int pool_claim(kernel_pool *p, int from_front)
{
    uint64_t word = atomic_load(&p->open);
    for (;;) {
        uint32_t from = (uint32_t)word >> 16, to = (uint32_t)word & 0xffff;
        if (from >= to)
            return -1;
        uint64_t next = open_word((uint32_t)(word >> 32), from + !!from_front,
                                  to - !from_front);
        if (atomic_compare_exchange_weak(&p->open, &word, next))
            return (int)(from_front ? from : to - 1);
    }
}

static int64_t pool_chunk(const pool_job *j, int64_t chunk)
{
    int64_t from = chunk * j->chunk, left = j->rows->padded - from;
    kernel_rows rows = *j->rows;
    kernel_column moved, asked = *j->asked;
    rows.margin += from;
    rows.weight = rows.weight ? rows.weight + from : NULL;
    rows.padded = rows.rows = left < j->chunk ? left : j->chunk;
    asked.value += from;
    if (j->moved) {
        moved = *j->moved;
        moved.value += from;
    }
    return j->kernel->step(&rows, j->moved ? &moved : NULL, j->d, &asked,
                           j->factor);
}

/* ---- helpers ---- */

static int pool_help(kernel_pool *p)
{
    int chunk = pool_claim(p, 0), helped = 0;
    for (; chunk >= 0; chunk = pool_claim(p, 0)) {
        atomic_fetch_add(&p->sum, pool_chunk(&p->job, chunk));
        atomic_fetch_add(&p->done, 1);
        helped = 1;
    }
    return helped;
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

/* Steps follow one another closely: a helper looks for work for a while,
   letting others run, before it sleeps. */
static void *pool_main(void *argument)
{
    kernel_pool *p = argument;
    kernel_enter();
    do {
        for (int i = 0; i < POOL_PATIENCE; i++)
            if (pool_help(p))
                i = 0;
            else
                sched_yield();
    } while (pool_sleep(p));
    return NULL;
}

/* ---- the caller ---- */

static void pool_wake(kernel_pool *p)
{
    if (atomic_load(&p->sleeping) == 0)
        return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

/* A chunk takes some microseconds. Only when it takes far longer has its
   helper lost its processor, and may want this one. Then somebody else needs
   it more: the next steps are done without helpers, and each time this
   happens more of them, so that waiting is a small part of all. */
static void pool_wait(kernel_pool *p, uint32_t chunks)
{
    int64_t i = 0;
    for (; atomic_load(&p->done) != chunks; i++)
        if (i > POOL_PATIENCE)
            sched_yield();
    if (i > POOL_PATIENCE) {
        p->alone = p->penalty;
        p->penalty *= p->penalty < POOL_MOST_ALONE ? 2 : 1;
    } else if (chunks && p->penalty > POOL_LEAST_ALONE) {
        p->penalty -= p->penalty / 64 + 1; /* helpers are of use again */
    }
}

static int64_t pool_run(kernel_pool *p)
{
    int64_t sum = 0, padded = p->job.rows->padded;
    uint32_t chunks = (uint32_t)((padded + p->job.chunk - 1) / p->job.chunk);
    uint32_t mine = 0;
    atomic_store(&p->sum, 0);
    atomic_store(&p->done, 0);
    atomic_store(&p->open, open_word(++p->step, 0, chunks));
    pool_wake(p);
    for (int c = pool_claim(p, 1); c >= 0; c = pool_claim(p, 1), mine++)
        sum += pool_chunk(&p->job, c);
    pool_wait(p, chunks - mine);
    return sum + atomic_load(&p->sum);
}

int64_t kernel_pool_step(kernel_pool *p, const kernel *k, const kernel_rows *r,
                         const kernel_column *moved, float d,
                         const kernel_column *asked, float factor)
{
    if (!p || !asked || asked->index || (moved && moved->index) ||
        r->padded < POOL_LEAST_ROWS || p->owner != getpid() || p->alone-- > 0)
        return k->step(r, moved, d, asked, factor);
    p->alone = 0;
    int64_t chunk = (r->padded / POOL_CHUNKS + 64) / 64 * 64;
    p->job = (pool_job){
        k, r, moved, asked, d, factor, chunk > POOL_CHUNK ? chunk : POOL_CHUNK};
    return pool_run(p);
}

/* ---- life ---- */

/* Helpers take no signals: those are for the program's own threads. */
static void pool_start(kernel_pool *p, int helpers)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; p->helpers < helpers; p->helpers++)
        if (pthread_create(&p->id[p->helpers], NULL, pool_main, p))
            break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

kernel_pool *kernel_pool_open(int threads)
{
    if (threads < 2)
        return NULL;
    kernel_pool *p = mem_zeroed(1, sizeof *p);
    if (!p)
        return NULL;
    p->owner = getpid();
    p->penalty = POOL_LEAST_ALONE;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pool_start(p, threads - 1 < POOL_MOST ? threads - 1 : POOL_MOST);
    return p;
}

void kernel_pool_close(kernel_pool *p)
{
    if (p && p->owner == getpid()) {
        pthread_mutex_lock(&p->lock);
        p->stop = 1;
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (int i = 0; i < p->helpers; i++)
            pthread_join(p->id[i], NULL);
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->lock);
    }
    mem_wipe(p, sizeof *p); /* it has part of a sum */
    mem_free(p);
}
