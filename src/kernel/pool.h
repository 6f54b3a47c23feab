/*
 * The pool's own header: what its files share.
 */
#ifndef SOTTO_KERNEL_POOL_H
#define SOTTO_KERNEL_POOL_H

#include "kernel.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

enum {
    POOL_MOST = 64,         /* helpers */
    POOL_UNIT = 1024,       /* rows; what is claimed is so many units */
    POOL_UNITS = 65535,     /* at most: they are counted in 16 bits */
    POOL_LEAST_ROWS = 16384 /* below them helpers do not pay */
};

/* All of it by value: what is behind a pointer is a long way off for another
   processor. Columns without values: none. */
typedef struct pool_job {
    int64_t total, unit; /* rows */

    /* of a step */
    const kernel *kernel;
    kernel_rows rows;
    kernel_column moved, asked;
    float d, factor;

    /* of a loop over rows; NULL: it is a step */
    kernel_loop *loop;
    const void *what;
    size_t sums;
    int64_t *sum; /* the caller's, and behind them each helper's */
} pool_job;

/* How fast it goes, by windows. The caller's alone. */
typedef struct pool_clock {
    int alone;
    int64_t rows, spent, length; /* of this window */
    double speed_alone;          /* rows per ns, when last measured */
    int64_t penalty;             /* the next window without helpers */
    int64_t good;                /* windows with helpers that paid */
} pool_clock;

/* A helper, and the pool that it is of. */
typedef struct pool_helper {
    struct kernel_pool *pool;
    int number;
    pthread_t id;
} pool_helper;

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
    pool_helper helper[POOL_MOST];
};

/* ---- pool.c ---- */

/* Whether there are helpers, and rows enough for them. */
int pool_can(const kernel_pool *p, int64_t rows);

/* How many of so many rows are a unit: a multiple of 64. */
int64_t pool_unit(int64_t rows);

/* Does a job with the helpers; of a step it gives the sum. */
int64_t pool_run(kernel_pool *p, const pool_job *job);

int64_t pool_now(void);

/* ---- pool_step.c ---- */

void pool_clock_start(pool_clock *c);

#endif
