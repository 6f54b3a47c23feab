/*
 * Whole gradients of more values than the caches hold: the loop that sends for
 * rows ahead makes the very integers and margins of the one that does not,
 * for every instruction set, for any sharing among threads and in any
 * floating-point mode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than 2^21 values, and a last block that is not whole. */
enum { COLUMNS = 27, ROWS = 80037, PADDED = (ROWS + 63) / 64 * 64 };
enum { PART = 4096 };

typedef struct problem {
    float *x, *margin, *weight, *origin, *reach;
    const float *value[COLUMNS];
    float scale[COLUMNS], at[COLUMNS], anchor[COLUMNS];
} problem;

static float *room(size_t count)
{
    size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
    float *x = aligned_alloc(64, bytes);
    assert_non_null(x);
    memset(x, 0, bytes);
    return x;
}

static uint64_t state = 1;

static float uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) * 0x1p-24f;
}

/* With `odd` some values are infinite, or far too large. */
static problem make(int odd)
{
    problem p = {.x = room((size_t)COLUMNS * PADDED),
                 .margin = room(PADDED),
                 .weight = room(PADDED),
                 .origin = room(PADDED),
                 .reach = room(PADDED)};
    for (int j = 0; j < COLUMNS; j++) {
        p.value[j] = p.x + j * PADDED;
        p.scale[j] = .5f + uniform();
        p.at[j] = uniform() - .5f;
        p.anchor[j] = uniform() - .5f;
        for (int i = 0; i < ROWS; i++)
            p.x[j * PADDED + i] = 4 * uniform() - 2;
    }
    for (int i = 0; i < ROWS; i++) {
        p.weight[i] = uniform();
        p.origin[i] = uniform();
        if (odd && i % 20011 == 7)
            p.x[i % COLUMNS * PADDED + i] = i % 2 ? INFINITY : -3e38f;
    }
    return p;
}

static void free_problem(problem *p)
{
    free(p->x);
    free(p->margin);
    free(p->weight);
    free(p->origin);
    free(p->reach);
}

static kernel_ball ball_of(const problem *p, const float *anchor)
{
    return (kernel_ball){.columns = COLUMNS,
                         .value = p->value,
                         .scale = p->scale,
                         .reach = p->reach,
                         .origin = p->origin,
                         .at = p->at,
                         .anchor = anchor,
                         .factor = KERNEL_CLIP / 2.0f};
}

static kernel_rows rows_of(const problem *p, int weighted)
{
    return (kernel_rows){.rows = ROWS,
                         .padded = PADDED,
                         .margin = p->margin,
                         .weight = weighted ? p->weight : NULL,
                         .loss = weighted ? LOSS_HUBER : LOSS_LOGISTIC,
                         .delta = 1};
}

/* The same rows some at a time, as tables of their own: too few values for the
   loop that sends for others. */
static void by_parts(const problem *p, const kernel *k, kernel_rows r,
                     const float *anchor, int64_t *out)
{
    for (int64_t from = 0; from < PADDED; from += PART) {
        const float *value[COLUMNS];
        kernel_ball b = ball_of(p, anchor);
        kernel_rows part = r;
        for (int j = 0; j < COLUMNS; j++)
            value[j] = p->value[j] + from;
        b.value = value;
        b.reach += from;
        b.origin += from;
        part.margin += from;
        part.weight = r.weight ? r.weight + from : NULL;
        part.padded = PADDED - from < PART ? PADDED - from : PART;
        k->gradient(&part, &b, 0, part.padded, out);
    }
}

typedef struct job {
    const kernel *kernel;
    kernel_rows rows;
    kernel_ball ball;
    float *reach;
} job;

static void gradient_part(const void *what, int64_t from, int64_t to,
                          int64_t *sum)
{
    const job *j = what;
    j->kernel->gradient(&j->rows, &j->ball, from, to, sum);
}

static void reach_part(const void *what, int64_t from, int64_t to, int64_t *sum)
{
    const job *j = what;
    (void)sum;
    kernel_reach(&j->rows, &j->ball, from, to, j->reach);
}

static void check(const problem *p, const kernel *k, kernel_pool *pool,
                  int weighted, const float *anchor)
{
    int64_t near[COLUMNS] = {0}, far[COLUMNS] = {0};
    float *before = room(PADDED);
    job j = {k, rows_of(p, weighted), ball_of(p, anchor), p->reach};
    kernel_mode mode = kernel_enter();
    memset(p->margin, 0, PADDED * sizeof(float));
    by_parts(p, k, j.rows, anchor, near);
    memcpy(before, p->margin, PADDED * sizeof(float));
    memset(p->margin, 0, PADDED * sizeof(float));
    kernel_pool_rows(pool, PADDED, gradient_part, &j, COLUMNS, far);
    kernel_leave(mode);
    assert_memory_equal(near, far, sizeof near);
    assert_memory_equal(before, p->margin, PADDED * sizeof(float));
    assert_true(near[0] != 0);
    free(before);
}

/* Every set against the first one, whose sums by parts are the oracle. */
static void test_far(void **unused)
{
    static const kernel_isa sets[] = {KERNEL_SCALAR, KERNEL_AVX2,
                                      KERNEL_AVX512};
    (void)unused;
    kernel_pool *pool = kernel_pool_open(3);
    for (int odd = 0; odd < 2; odd++) {
        problem p = make(odd);
        job whole = {kernel_get(KERNEL_SCALAR), rows_of(&p, 0),
                     ball_of(&p, NULL), p.reach};
        int64_t first[COLUMNS] = {0};
        kernel_pool_rows(NULL, PADDED, reach_part, &whole, 0, NULL);
        by_parts(&p, whole.kernel, whole.rows, NULL, first);
        for (int s = 0; s < 3; s++) {
            const kernel *k = kernel_get(sets[s]);
            if (!k)
                continue;
            int64_t sum[COLUMNS] = {0};
            by_parts(&p, k, whole.rows, NULL, sum);
            assert_memory_equal(sum, first, sizeof sum);
            check(&p, k, NULL, 0, NULL);
            check(&p, k, pool, 1, NULL);
            check(&p, k, pool, 0, p.anchor);
        }
        free_problem(&p);
    }
    kernel_pool_close(pool);
}

/* Reaches are the same however rows are shared, and whatever mode the caller
   was in. */
static void test_reach(void **unused)
{
    (void)unused;
    problem p = make(1);
    float *other = room(PADDED);
    kernel_pool *pool = kernel_pool_open(3);
    job j = {kernel_get(KERNEL_AUTO), rows_of(&p, 0), ball_of(&p, NULL),
             p.reach};
    kernel_mode mode = kernel_enter();
    kernel_pool_rows(NULL, PADDED, reach_part, &j, 0, NULL);
    kernel_leave(mode);
    j.reach = other;
    fesetround(FE_UPWARD);
    mode = kernel_enter();
    kernel_pool_rows(pool, PADDED, reach_part, &j, 0, NULL);
    kernel_leave(mode);
    fesetround(FE_TONEAREST);
    assert_memory_equal(other, p.reach, PADDED * sizeof(float));
    kernel_pool_close(pool);
    free(other);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
