/*
 * Threads that help with a step. Rows are claimed in parts: the caller from
 * the front, helpers from the back, so that each finds its own rows in its
 * cache again at the next step. The caller waits for no helper but one that
 * has begun a part. Sums are of integers: the same bits for any sharing.
 *
 * A helper whose processor is taken by somebody else in the middle of a part
 * makes the caller wait for milliseconds. Nothing tells beforehand, so the
 * caller takes the time: it goes on with helpers while that is faster, and
 * without them for a while when it was not.
 *
 * The pool is in memory that the system wipes in a child: a process that
 * forked has no helpers there, and does all by itself.
 */
#include "kernel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum {
    POOL_MOST = 64,          /* helpers */
    POOL_UNIT = 1024,        /* rows; what is claimed is so many units */
    POOL_UNITS = 65535,      /* at most: they are counted in 16 bits */
    POOL_LEAST_ROWS = 16384, /* below them helpers do not pay */
    POOL_PATIENCE = 500,     /* looks, before one gives up the processor */
    POOL_IDLE = 50000        /* ns without work, before a helper sleeps */
};

/* Windows of steps with helpers or without, in ns. */
enum {
    POOL_WINDOW = 2000000,
    POOL_LEAST_ALONE = 4000000,
    POOL_MOST_ALONE = 256000000,
    POOL_REVIEW = 32 /* windows with helpers, before one without */
};

/* All of it by value: what is behind a pointer is a long way off for another
   processor. Columns without values: none. */
typedef struct pool_job {
    const kernel *kernel;
    kernel_rows rows;
    kernel_column moved, asked;
    float d, factor;
    int64_t unit; /* rows */
} pool_job;

/* How fast it goes, by windows. The caller's alone. */
typedef struct pool_clock {
    int alone;
    int64_t rows, spent, length; /* of this window */
    double speed_alone;          /* rows per ns, when last measured */
    int64_t penalty;             /* the next window without helpers */
    int64_t good;                /* windows with helpers that paid */
} pool_clock;

struct kernel_pool {
    /* step number | first unit | behind the last unit: what is not claimed.
       Who has claimed may read the job: it stays until all is done. */
    alignas(64) _Atomic uint64_t open;
    alignas(64) pool_job job;
    alignas(64) _Atomic int64_t sum; /* by helpers */
    _Atomic uint32_t done;           /* units, by helpers */

    alignas(64) _Atomic int sleeping;
    int stop; /* under lock, as sleeping is */
    pthread_mutex_t lock;
    pthread_cond_t wake;

    alignas(64) uint32_t step;
    pool_clock clock;
    int helpers; /* 0 in a child */
    int watch;   /* the system does not wipe: compare process ids */
    pid_t owner;
    pthread_t id[POOL_MOST];
};

static int64_t pool_now(void)
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

static int64_t pool_do(const pool_job *j, pool_part part)
{
    int64_t from = part.from * j->unit, left = j->rows.padded - from;
    int64_t count = (part.to - part.from) * j->unit;
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
static int pool_help(kernel_pool *p)
{
    pool_part part = pool_claim(p, 0);
    if (part.from == part.to)
        return 0;
    pool_job job = p->job;
    int64_t sum = 0;
    uint32_t done = 0;
    for (; part.from < part.to; part = pool_claim(p, 0)) {
        sum += pool_do(&job, part);
        done += part.to - part.from;
    }
    atomic_fetch_add(&p->sum, sum);
    atomic_fetch_add(&p->done, done);
    return 1;
}

/* Steps follow one another closely: a helper that has nothing to do looks out
   for the next one for a while. */
static void pool_look(kernel_pool *p)
{
    int64_t until = 0;
    for (uint32_t i = 0;; i++) {
        if (pool_help(p)) {
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
    kernel_pool *p = argument;
    kernel_enter();
    do
        pool_look(p);
    while (pool_sleep(p));
    return NULL;
}

/* ---- a step ---- */

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
static int64_t pool_run(kernel_pool *p, const pool_job *job)
{
    int64_t sum = 0;
    uint32_t units = (uint32_t)((job->rows.padded + job->unit - 1) / job->unit);
    uint32_t left = units;
    pool_part part = {0, pool_some(p, units)};
    p->job = *job;
    atomic_store(&p->sum, 0);
    atomic_store(&p->done, 0);
    atomic_store(&p->open, open_word(++p->step, part.to, units));
    pool_wake(p);
    for (; part.from < part.to; part = pool_claim(p, 1)) {
        sum += pool_do(job, part);
        left -= part.to - part.from;
    }
    pool_wait(p, left);
    return sum + atomic_load(&p->sum);
}

/* ---- whether helpers pay ---- */

static void clock_begin(pool_clock *c, int alone, int64_t length)
{
    c->alone = alone;
    c->length = length;
    c->rows = c->spent = 0;
}

/* With helpers it was faster by a twentieth at least: on with them. Each time
   it was not, the caller is alone for longer, so that trying takes a small
   part of all. */
static void clock_judge(pool_clock *c, double speed)
{
    if (speed > 1.05 * c->speed_alone) {
        int review = c->good++ % POOL_REVIEW == 0;
        c->penalty -= (c->penalty - POOL_LEAST_ALONE) / 8;
        clock_begin(c, review, review ? POOL_WINDOW / 8 : POOL_WINDOW);
    } else {
        clock_begin(c, 1, c->penalty);
        if (c->penalty < POOL_MOST_ALONE)
            c->penalty *= 2;
    }
}

static void clock_count(pool_clock *c, int64_t rows, int64_t ns)
{
    c->rows += rows;
    c->spent += ns;
    if (c->spent < c->length)
        return;
    double speed = (double)c->rows / (double)c->spent;
    if (!c->alone) {
        clock_judge(c, speed);
    } else {
        c->speed_alone = speed;
        clock_begin(c, 0, POOL_WINDOW);
    }
}

/* ---- the caller ---- */

/* Whether there are helpers, and rows enough for them. */
static int pool_can(const kernel_pool *p, const kernel_rows *r,
                    const kernel_column *moved, const kernel_column *asked)
{
    return p && p->helpers && r->padded >= POOL_LEAST_ROWS &&
           !(moved && moved->index) && !(asked && asked->index) &&
           !(p->watch && p->owner != getpid());
}

static pool_job make_job(const kernel *k, const kernel_rows *r,
                         const kernel_column *moved, float d,
                         const kernel_column *asked, float factor)
{
    static const kernel_column none = {NULL, NULL, 0};
    int64_t unit = (r->padded / POOL_UNITS + 64) / 64 * 64;
    return (pool_job){k,
                      *r,
                      moved ? *moved : none,
                      asked ? *asked : none,
                      d,
                      factor,
                      unit > POOL_UNIT ? unit : POOL_UNIT};
}

int64_t kernel_pool_step(kernel_pool *p, const kernel *k, const kernel_rows *r,
                         const kernel_column *moved, float d,
                         const kernel_column *asked, float factor)
{
    if (!pool_can(p, r, moved, asked))
        return k->step(r, moved, d, asked, factor);
    int64_t sum, begun = pool_now();
    if (p->clock.alone) {
        sum = k->step(r, moved, d, asked, factor);
    } else {
        pool_job job = make_job(k, r, moved, d, asked, factor);
        sum = pool_run(p, &job);
    }
    clock_count(&p->clock, r->padded, pool_now() - begun);
    return sum;
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
    kernel_pool *p = mem_map(sizeof *p);
    if (!p)
        return NULL;
    p->watch = !mem_wiped_on_fork(p, sizeof *p);
    p->owner = getpid();
    p->clock.penalty = POOL_LEAST_ALONE;
    p->clock.length = POOL_WINDOW;
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
        pthread_join(p->id[i], NULL);
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
