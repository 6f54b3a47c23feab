/*
 * Row blocks are handed out here, and nowhere else: all that is summed over
 * rows, or made of them, goes by a loop over some rows that any thread may run.
 * Sums are of integers, so it does not matter how rows are shared.
 */
#include "internal.h"

typedef struct rows_job {
    const curator *c;
    rows_part *part;
    const void *what;
} rows_job;

static void run_part(const void *what, int64_t from, int64_t to, int64_t *sum)
{
    const rows_job *job = what;
    job->part(job->c, job->what, from, to, sum);
}

void rows_sum(const curator *c, int64_t rows, rows_part *part, const void *what,
              size_t sums, int64_t *out)
{
    rows_job job = {c, part, what};
    kernel_pool_rows(c->pool, rows, run_part, &job, sums, out);
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
