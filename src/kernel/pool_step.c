/*
 * A step of coordinate descent with the pool's help, while that is faster.
 *
 * A helper whose processor is taken by somebody else in the middle of a part
 * makes the caller wait for milliseconds. Nothing tells beforehand, so the
 * caller takes the time: it goes on with helpers while that is faster, and
 * without them for a while when it was not.
 */
#include "pool.h"

/* Windows of steps with helpers or without, in ns. */
enum {
    POOL_WINDOW = 2000000,
    POOL_LEAST_ALONE = 4000000,
    POOL_MOST_ALONE = 256000000,
    POOL_REVIEW = 32 /* windows with helpers, before one without */
};

/* ---- whether helpers pay ---- */

static void clock_begin(pool_clock *c, int alone, int64_t length)
{
    c->alone = alone;
    c->length = length;
    c->rows = c->spent = 0;
}

void pool_clock_start(pool_clock *c)
{
    c->penalty = POOL_LEAST_ALONE;
    c->length = POOL_WINDOW;
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

static pool_job make_job(const kernel *k, const kernel_rows *r,
                         const kernel_column *moved, float d,
                         const kernel_column *asked, float factor)
{
    static const kernel_column none = {NULL, NULL, 0};
    return (pool_job){.total = r->padded,
                      .unit = pool_unit(r->padded),
                      .kernel = k,
                      .rows = *r,
                      .moved = moved ? *moved : none,
                      .asked = asked ? *asked : none,
                      .d = d,
                      .factor = factor};
}

int64_t kernel_pool_step(kernel_pool *p, const kernel *k, const kernel_rows *r,
                         const kernel_column *moved, float d,
                         const kernel_column *asked, float factor)
{
    if (!pool_can(p, r->padded) || (moved && moved->index) ||
        (asked && asked->index))
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
