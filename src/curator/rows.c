/*
 * Row blocks are handed out here, and nowhere else: all that is summed over
 * rows, or made of them, goes by a loop over some rows that any thread may run.
 * Sums are of integers, so it does not matter how rows are shared.
 */
#include "internal.h"

#include <pthread.h>

typedef struct rows_job {
    const curator *c;
    rows_part *part;
    const void *what;
    int64_t first; /* row of the window */
} rows_job;

static void run_part(const void *what, int64_t from, int64_t to, int64_t *sum)
{
    const rows_job *job = what;
    job->part(job->c, job->what, job->first + from, job->first + to, sum);
}

void rows_sum(const curator *c, int64_t rows, rows_part *part, const void *what,
              size_t sums, int64_t *out)
{
    rows_job job = {c, part, what, 0};
    kernel_pool_rows(c->pool, rows, run_part, &job, sums, out);
}

/* ---- windows ---- */

/* The window that is read while another is worked on. */
typedef struct next_window {
    const curator *c;
    int needs;
    int64_t from, to;
    pthread_t thread;
    int running;
} next_window;

static void *bring_next(void *context)
{
    const next_window *n = context;
    windows_bring(n->c, n->needs, n->from, n->to);
    return NULL;
}

/* Where the system gives no thread it is read at once. */
static void send_for(next_window *n, int64_t from, int64_t rows)
{
    int64_t end = from + windows_rows(n->c);
    n->from = from;
    n->to = end < rows ? end : rows;
    n->running =
        n->from < n->to && !pthread_create(&n->thread, NULL, bring_next, n);
    if (n->from < n->to && !n->running)
        windows_bring(n->c, n->needs, n->from, n->to);
}

static void wait_for(next_window *n)
{
    if (n->running)
        pthread_join(n->thread, NULL);
    n->running = 0;
}

/* A window is a multiple of 64 rows, as the parts of a pool are. */
void rows_walk(const curator *c, int needs, int64_t rows, rows_part *part,
               const void *what, size_t sums, int64_t *out)
{
    rows_job job = {c, part, what, 0};
    next_window next = {.c = c, .needs = needs};
    if (!c->windows) {
        rows_sum(c, rows, part, what, sums, out);
        return;
    }
    send_for(&next, 0, rows);
    while (next.from < next.to) {
        int64_t from = next.from, to = next.to;
        wait_for(&next);
        if (rows_status(c, NULL) != SOTTO_OK)
            return;
        send_for(&next, to, rows);
        job.first = from;
        kernel_pool_rows(c->pool, to - from, run_part, &job, sums, out);
        windows_send_back(c, needs, from, to);
    }
}

/* Weights are clamped when they are read. NaN counts as 0. */
double row_share(const curator *c, int64_t i)
{
    double share =
        c->weight ? (double)c->weight[i] / c->policy.weight_bound : 1;
    return !(share >= 0) ? 0 : share < 1 ? share : 1;
}

int64_t rows_few(const curator *c, int64_t from, int64_t to, rows_weight *out)
{
    int64_t count = to - from < KERNEL_FEW ? to - from : KERNEL_FEW;
    for (int64_t k = 0; k < count; k++) {
        out->share[k] = c->weight ? row_share(c, from + k) : 1;
        out->integer[k] = c->weight ? integer_of(out->share[k]) : KERNEL_CLIP;
    }
    return count;
}
