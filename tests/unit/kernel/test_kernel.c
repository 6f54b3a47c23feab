/*
 * The kernels turn each record into one integer. It does not depend on the
 * record's place, its neighbours, the instruction set, the storage or the
 * caller's floating-point mode, and is never beyond the clip.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel.h"

#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static const kernel_isa sets[] = {KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512};
#define KIND(id, ...) LOSS_##id,
static const loss_kind losses[] = {LOSS_ALL_LIST(KIND)};
enum { SETS = 3, LOSSES = sizeof losses / sizeof *losses };

/* ---- a small set of records ---- */

enum { MOST = 256, COLUMNS = 3 };

typedef struct records {
    int64_t rows, padded;
    float *x[COLUMNS], *margin, *weight;
} records;

static float *room(int64_t padded)
{
    float *x = aligned_alloc(64, (size_t)(padded ? padded : 64) * sizeof *x);
    assert_non_null(x);
    memset(x, 0, (size_t)(padded ? padded : 64) * sizeof *x);
    return x;
}

static records new_records(int64_t rows)
{
    records r = {.rows = rows, .padded = (rows + 63) / 64 * 64};
    for (int j = 0; j < COLUMNS; j++)
        r.x[j] = room(r.padded);
    r.margin = room(r.padded);
    r.weight = room(r.padded);
    return r;
}

static void free_records(records *r)
{
    for (int j = 0; j < COLUMNS; j++)
        free(r->x[j]);
    free(r->margin);
    free(r->weight);
}

static uint64_t state = 1;

static uint32_t bits32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static float uniform(void)
{
    return (float)(bits32() >> 8) * 0x1p-24f;
}

/* A random value; one in eight is extreme. */
static float awkward(void)
{
    static const float odd[] = {0.0f,     -0.0f,     1e30f,     -3e38f,
                                1e-40f,   -1e-44f,   0x1p-149f, 1.5e-3f,
                                INFINITY, -INFINITY, NAN,       16777216.0f};
    if (bits32() % 8 == 0)
        return odd[bits32() % 12];
    return (uniform() - .5f) * 6;
}

/* As a column may have it: no NaN. */
static float awkward_value(void)
{
    float x = awkward();
    return isnan(x) ? 0 : x;
}

static void fill(records *r)
{
    for (int64_t i = 0; i < r->rows; i++) {
        for (int j = 0; j < COLUMNS; j++)
            r->x[j][i] = bits32() % 3 ? awkward_value() : 0;
        r->margin[i] = awkward();
        r->weight[i] = uniform() * 2;
    }
}

static void copy_row(records *to, int64_t i, const records *from, int64_t k)
{
    for (int j = 0; j < COLUMNS; j++)
        to->x[j][i] = from->x[j][k];
    to->margin[i] = from->margin[k];
    to->weight[i] = from->weight[k];
}

static kernel_rows rows_of(const records *r, loss_kind kind, int weighted)
{
    return (kernel_rows){r->rows,   r->padded,
                         r->margin, weighted ? r->weight : NULL,
                         kind,      1.35f};
}

static kernel_column dense(const records *r, int j)
{
    return (kernel_column){r->x[j], NULL, r->rows};
}

/* ---- the specification, by other means ---- */

/* The specification, in doubles and with rint() rather than the loops' own
   arithmetic. Only the slope is taken from the loops, which define it. */
static int64_t specified(float slope, float x, float factor)
{
    float scaled = x * factor, part = slope * scaled;
    if (isnan(part))
        return 0;
    double v = fmin(fmax((double)part, -KERNEL_CLIP), KERNEL_CLIP);
    return (int64_t)rint(v);
}

static void test_integers(void **unused)
{
    (void)unused;
    const float factors[] = {1, 3e5f, 2097152.0f, 1e-3f, 1e12f};
    for (int trial = 0; trial < 200; trial++) {
        records r = new_records(1 + bits32() % MOST);
        float *slope = room(r.padded);
        fill(&r);
        for (int s = 0; s < SETS; s++) {
            const kernel *k = kernel_get(sets[s]);
            if (!k)
                continue;
            kernel_rows rows = rows_of(&r, losses[trial % LOSSES], trial & 1);
            float factor = factors[bits32() % 5];
            kernel_column c = dense(&r, 0);
            int64_t expected = 0;
            k->slopes(&rows, slope);
            for (int64_t i = 0; i < r.rows; i++)
                expected += specified(slope[i], r.x[0][i], factor);
            assert_int_equal(k->sum(slope, r.padded, &c, factor), expected);
            assert_int_equal(k->step(&rows, NULL, 0, &c, factor), expected);
        }
        free(slope);
        free_records(&r);
    }
}

/* The slopes against the losses in doubles. */
static void test_slopes(void **unused)
{
    (void)unused;
    records r = new_records(MOST);
    float *slope = room(r.padded);
    for (int l = 0; l < LOSSES; l++)
        for (int trial = 0; trial < 400; trial++) {
            float size = trial % 2 ? 4 : 120;
            for (int64_t i = 0; i < r.rows; i++)
                r.margin[i] = (uniform() - .5f) * size;
            kernel_rows rows = rows_of(&r, losses[l], 0);
            loss whole = {losses[l], 1.35f};
            kernel_get(KERNEL_AUTO)->slopes(&rows, slope);
            for (int64_t i = 0; i < r.rows; i++) {
                double m = (double)r.margin[i], y = loss_has_classes(losses[l]);
                double exact, curvature;
                loss_at(&whole, m, y, &exact, &curvature);
                assert_true(fabs((double)slope[i] - exact) <=
                            2e-7 * fmax(1, fabs(exact)));
            }
        }
    free(slope);
    free_records(&r);
}

/* The logistic slope at one float in 97, all sizes and both signs: 2e-7. (At
   every float: 1.97e-7.) */
static void test_logistic(void **unused)
{
    (void)unused;
    enum { COUNT = 1024 };
    records r = new_records(COUNT);
    float *slope = room(r.padded);
    kernel_rows rows = rows_of(&r, LOSS_LOGISTIC, 0);
    for (uint32_t from = 0x38000000; from < 0x42a80000; from += 97 * COUNT) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t bits = (from + 97 * i) | (i & 1) << 31;
            memcpy(&r.margin[i], &bits, sizeof bits);
        }
        kernel_get(KERNEL_AUTO)->slopes(&rows, slope);
        for (int64_t i = 0; i < COUNT; i++) {
            double exact = -1 / (1 + exp((double)r.margin[i]));
            assert_true(fabs((double)slope[i] - exact) <= 2e-7);
        }
    }
    free(slope);
    free_records(&r);
}

/* ---- row locality ---- */

/* The integer of each row by itself, in a table of one row. */
static void alone(const kernel *k, const records *r, loss_kind kind,
                  int weighted, int64_t *out, float *margin)
{
    for (int64_t i = 0; i < r->rows; i++) {
        records one = new_records(1);
        copy_row(&one, 0, r, i);
        kernel_rows rows = rows_of(&one, kind, weighted);
        kernel_column u = dense(&one, 1), x = dense(&one, 0);
        out[i] = k->step(&rows, &u, -0.37f, &x, 4e5f);
        margin[i] = one.margin[0];
        free_records(&one);
    }
}

/* Steps on a choice of the rows in some order: the sum of their integers,
   and their margins. */
static void check_choice(const kernel *k, const records *r, loss_kind kind,
                         int weighted, const int64_t *chosen, int64_t count,
                         const int64_t *integer, const float *margin)
{
    records part = new_records(count);
    int64_t expected = 0;
    for (int64_t i = 0; i < count; i++) {
        copy_row(&part, i, r, chosen[i]);
        expected += integer[chosen[i]];
    }
    kernel_rows rows = rows_of(&part, kind, weighted);
    kernel_column u = dense(&part, 1), x = dense(&part, 0);
    assert_int_equal(k->step(&rows, &u, -0.37f, &x, 4e5f), expected);
    for (int64_t i = 0; i < count; i++)
        assert_memory_equal(&part.margin[i], &margin[chosen[i]], sizeof(float));
    free_records(&part);
}

static void shuffle(int64_t *list, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t k = bits32() % (i + 1), other = list[i];
        list[i] = list[k];
        list[k] = other;
    }
}

static void test_locality(void **unused)
{
    (void)unused;
    static const int64_t sizes[] = {1, 63, 64, 65, 127, 128, 129, 200};
    int64_t integer[MOST], chosen[MOST];
    float margin[MOST];
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (int l = 0; l < LOSSES; l++)
            for (int s = 0; s < SETS; s++) {
                const kernel *k = kernel_get(sets[s]);
                int weighted = (int)(z & 1);
                if (!k)
                    continue;
                records r = new_records(sizes[z]);
                fill(&r);
                alone(k, &r, losses[l], weighted, integer, margin);
                for (int64_t gone = -1; gone < r.rows; gone++) {
                    int64_t count = 0;
                    for (int64_t i = 0; i < r.rows; i++)
                        if (i != gone)
                            chosen[count++] = i;
                    check_choice(k, &r, losses[l], weighted, chosen, count,
                                 integer, margin);
                    shuffle(chosen, count);
                    check_choice(k, &r, losses[l], weighted, chosen, count,
                                 integer, margin);
                }
                free_records(&r);
            }
}

/* ---- the same bits everywhere ---- */

/* Entries that are not zero, as a sparse column. */
static kernel_column sparse(const records *r, int j, uint32_t *index,
                            float *value)
{
    kernel_column c = {value, index, 0};
    for (int64_t i = 0; i < r->rows; i++)
        if (r->x[j][i] != 0) {
            index[c.count] = (uint32_t)i;
            value[c.count++] = r->x[j][i];
        }
    return c;
}

/* Many steps; returns a hash of all sums and margins. */
static uint64_t run(const kernel *k, const records *from, loss_kind kind,
                    int weighted, int as_sparse)
{
    records r = new_records(from->rows);
    uint32_t index[COLUMNS][MOST];
    float value[COLUMNS][MOST];
    kernel_column c[COLUMNS];
    uint64_t mark = 0;
    for (int64_t i = 0; i < r.rows; i++)
        copy_row(&r, i, from, i);
    for (int j = 0; j < COLUMNS; j++)
        c[j] = as_sparse >> j & 1 ? sparse(&r, j, index[j], value[j])
                                  : dense(&r, j);
    kernel_rows rows = rows_of(&r, kind, weighted);
    for (int t = 0; t < 30; t++) {
        const kernel_column *moved = t ? &c[(t + 1) % COLUMNS] : NULL;
        float d = (float)(t % 7 - 3) * .11f;
        int64_t sum = k->step(&rows, moved, d, &c[t % COLUMNS], 2e5f);
        mark = mark * 1099511628211u ^ (uint64_t)sum;
    }
    for (int64_t i = 0; i < r.rows; i++) {
        uint32_t bits;
        float m = r.margin[i] + 0.0f; /* -0 and 0 are one margin */
        memcpy(&bits, &m, sizeof bits);
        mark = mark * 1099511628211u ^ (isnan(m) ? 1 : bits);
    }
    free_records(&r);
    return mark;
}

static void test_same_bits(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < 300; trial++) {
        records r = new_records(1 + bits32() % MOST);
        loss_kind kind = losses[trial % LOSSES];
        int weighted = trial & 1;
        fill(&r);
        uint64_t expected =
            run(kernel_get(KERNEL_SCALAR), &r, kind, weighted, 0);
        for (int s = 0; s < SETS; s++)
            for (int form = 0; form < 8; form++) {
                const kernel *k = kernel_get(sets[s]);
                if (k)
                    assert_true(run(k, &r, kind, weighted, form) == expected);
            }
        free_records(&r);
    }
    for (int s = 0; s < SETS; s++)
        if (!kernel_get(sets[s]))
            print_message("instruction set %d: not on this machine\n", s);
}

/* A caller that flushes denormals or rounds otherwise changes nothing. */
static void test_modes(void **unused)
{
    (void)unused;
    static const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int trial = 0; trial < 60; trial++) {
        records r = new_records(MOST);
        loss_kind kind = losses[trial % LOSSES];
        fill(&r);
        const kernel *k = kernel_get(sets[trial % SETS]);
        if (!k)
            k = kernel_get(KERNEL_SCALAR);
        uint64_t expected = run(k, &r, kind, 1, 0);
        fesetround(rounding[trial % 3]);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ, DAZ */
        uint32_t odd = _mm_getcsr();
#endif
        kernel_mode before = kernel_enter();
        uint64_t got = run(k, &r, kind, 1, 0);
        kernel_leave(before);
#if defined(__x86_64__)
        assert_int_equal(_mm_getcsr() & 0xffc0, odd & 0xffc0);
        _mm_setcsr(0x1f80);
#endif
        fesetround(FE_TONEAREST);
        assert_true(got == expected);
        free_records(&r);
    }
}

/* ---- never more than the clip ---- */

/* One more record, of any bits, moves a sum by at most the clip. */
static void test_bound(void **unused)
{
    (void)unused;
    for (int trial = 0; trial < 20000; trial++) {
        const kernel *k = kernel_get(KERNEL_AUTO);
        records without = new_records(63), with = new_records(64);
        fill(&without);
        for (int64_t i = 0; i < 63; i++)
            copy_row(&with, i, &without, i);
        for (int j = 0; j <= COLUMNS; j++) {
            uint32_t bits = bits32();
            float *at = j < COLUMNS ? &with.x[j][63] : &with.margin[63];
            memcpy(at, &bits, sizeof bits);
        }
        with.weight[63] = awkward();
        kernel_rows a = rows_of(&without, losses[trial % LOSSES], trial & 1);
        kernel_rows b = rows_of(&with, losses[trial % LOSSES], trial & 1);
        uint32_t bits = bits32();
        float factor, d = awkward();
        memcpy(&factor, &bits, sizeof factor);
        kernel_column ua = dense(&without, 1), ub = dense(&with, 1);
        kernel_column xa = dense(&without, 0), xb = dense(&with, 0);
        int64_t difference =
            k->step(&b, &ub, d, &xb, factor) - k->step(&a, &ua, d, &xa, factor);
        assert_true(difference >= -KERNEL_CLIP && difference <= KERNEL_CLIP);
        free_records(&without);
        free_records(&with);
    }
}

/* Saturated rows add up exactly: no 32-bit sum overflows on the way. */
static void test_saturated(void **unused)
{
    (void)unused;
    int64_t rows = 100003;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int s = 0; s < SETS; s++) {
            const kernel *k = kernel_get(sets[s]);
            if (!k)
                continue;
            records r = new_records(rows);
            for (int64_t i = 0; i < rows; i++) {
                r.x[0][i] = (float)sign;
                r.margin[i] = 1e9f;
            }
            kernel_rows a = rows_of(&r, LOSS_SQUARED, 0);
            kernel_column x = dense(&r, 0);
            assert_int_equal(k->step(&a, NULL, 0, &x, 1e6f),
                             sign * rows * KERNEL_CLIP);
            free_records(&r);
        }
}

/* ---- threads ---- */

enum { POOL_ROWS = 70001, POOL_STEPS = 40 };

/* Many steps on long columns; returns a hash of all sums and margins. */
static uint64_t run_pool(kernel_pool *pool, const kernel *k,
                         const records *from, loss_kind kind, int weighted)
{
    records r = new_records(from->rows);
    kernel_column c[COLUMNS];
    uint64_t mark = 0;
    for (int64_t i = 0; i < r.rows; i++)
        copy_row(&r, i, from, i);
    for (int j = 0; j < COLUMNS; j++)
        c[j] = dense(&r, j);
    kernel_rows rows = rows_of(&r, kind, weighted);
    for (int t = 0; t < POOL_STEPS; t++) {
        int64_t sum = kernel_pool_step(
            pool, k, &rows, t % 5 ? &c[(t + 1) % COLUMNS] : NULL,
            (float)(t % 7 - 3) * .11f, t % 6 ? &c[t % COLUMNS] : NULL, 2e5f);
        mark = mark * 1099511628211u ^ (uint64_t)sum;
    }
    for (int64_t i = 0; i < r.rows; i++) {
        uint32_t bits;
        memcpy(&bits, &r.margin[i], sizeof bits);
        mark = mark * 1099511628211u ^ (isnan(r.margin[i]) ? 1 : bits);
    }
    free_records(&r);
    return mark;
}

static void test_threads(void **unused)
{
    (void)unused;
    records r = new_records(POOL_ROWS);
    fill(&r);
    for (int threads = 2; threads <= 5; threads += 3) {
        kernel_pool *pool = kernel_pool_open(threads);
        assert_non_null(pool);
        for (int l = 0; l < LOSSES; l++)
            for (int s = 0; s < SETS; s++) {
                const kernel *k = kernel_get(sets[s]);
                if (k)
                    assert_true(run_pool(pool, k, &r, losses[l], s & 1) ==
                                run_pool(NULL, k, &r, losses[l], s & 1));
            }
        usleep(20000); /* helpers fall asleep, and are woken */
        const kernel *k = kernel_get(KERNEL_AUTO);
        assert_true(run_pool(pool, k, &r, LOSS_LOGISTIC, 0) ==
                    run_pool(NULL, k, &r, LOSS_LOGISTIC, 0));
        kernel_pool_close(pool);
    }
    free_records(&r);
}

static pid_t busy_child(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test should die */
        for (;;)
            ;
    }
    return child;
}

/* Helper threads lose their processors in the middle of their work; the
   caller continues without them and takes them back. The bits are the same. */
static void test_busy_processors(void **unused)
{
    (void)unused;
    enum { OTHERS = 3 };
    pid_t others[OTHERS];
    records r = new_records(POOL_ROWS);
    fill(&r);
    const kernel *k = kernel_get(KERNEL_AUTO);
    uint64_t expected = run_pool(NULL, k, &r, LOSS_LOGISTIC, 0);
    for (int i = 0; i < OTHERS; i++)
        others[i] = busy_child();
    kernel_pool *pool = kernel_pool_open(3);
    for (int i = 0; i < 20; i++)
        assert_true(run_pool(pool, k, &r, LOSS_LOGISTIC, 0) == expected);
    kernel_pool_close(pool);
    for (int i = 0; i < OTHERS; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    free_records(&r);
}

/* The child of a process that forked has no helpers, and needs none. */
static void test_fork(void **unused)
{
    (void)unused;
    records r = new_records(POOL_ROWS);
    fill(&r);
    const kernel *k = kernel_get(KERNEL_AUTO);
    kernel_pool *pool = kernel_pool_open(3);
    uint64_t expected = run_pool(pool, k, &r, LOSS_SQUARED, 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int same = run_pool(pool, k, &r, LOSS_SQUARED, 0) == expected;
        kernel_pool_close(pool);
        _exit(same ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(run_pool(pool, k, &r, LOSS_SQUARED, 0) == expected);
    kernel_pool_close(pool);
    free_records(&r);
}

/* More rows than the caches hold go through a loop of their own: the same
   margins and the same sum as in two halves, which do not. */
static void test_many_rows(void **unused)
{
    (void)unused;
    enum { ROWS = (1 << 18) + 64 * 37 };
    records whole = new_records(ROWS), parts = new_records(ROWS);
    fill(&whole);
    for (int j = 0; j < COLUMNS; j++)
        memcpy(parts.x[j], whole.x[j], ROWS * sizeof(float));
    memcpy(parts.weight, whole.weight, ROWS * sizeof(float));
    for (int i = 0; i < SETS * LOSSES * 2; i++) {
        const kernel *k = kernel_get(sets[i % SETS]);
        int weighted = i / (SETS * LOSSES);
        if (!k)
            continue;
        memcpy(parts.margin, whole.margin, ROWS * sizeof(float));
        int64_t sums[2] = {0, 0};
        for (int halves = 0; halves < 2; halves++) {
            records *r = halves ? &parts : &whole;
            int64_t count = halves ? ROWS / 128 * 64 : ROWS;
            for (int64_t from = 0; from < ROWS; from += count) {
                int64_t n = ROWS - from < count ? ROWS - from : count;
                kernel_rows rows = {.rows = n,
                                    .padded = n,
                                    .margin = r->margin + from,
                                    .weight =
                                        weighted ? r->weight + from : NULL,
                                    .loss = losses[i / SETS % LOSSES],
                                    .delta = .7f};
                kernel_column moved = {r->x[0] + from, NULL, n};
                kernel_column asked = {r->x[1] + from, NULL, n};
                sums[halves] += k->step(&rows, &moved, .25f, &asked, 1e5f);
            }
        }
        assert_true(sums[0] == sums[1]);
        assert_memory_equal(whole.margin, parts.margin, ROWS * sizeof(float));
    }
    free_records(&whole);
    free_records(&parts);
}

static void test_no_rows(void **unused)
{
    (void)unused;
    records r = new_records(0);
    kernel_rows a = rows_of(&r, LOSS_LOGISTIC, 0);
    kernel_column x = dense(&r, 0);
    assert_int_equal(kernel_get(KERNEL_AUTO)->step(&a, &x, 1, &x, 1), 0);
    free_records(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_logistic),
        cmocka_unit_test(test_locality),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_saturated),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_busy_processors),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
