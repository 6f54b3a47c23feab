/*
 * Speed of the kernels beside that of other ways to do the same, in one run:
 * each round does one pass over all columns by every variant, in rotated
 * order, and the minimum of each counts.
 *
 *     bench_kernel ROUNDS LOSS ROWS COLUMNS
 *         prints "variant<TAB>seconds for one (row, column)" lines
 *     bench_kernel threads WINDOWS LOSS ROWS COLUMNS
 *         prints "1<TAB>..." and "2<TAB>...": the mean over windows of 50 ms,
 *         in turn by one thread and by two; what counts when others compete
 *     bench_kernel count SET LOSS ROWS COLUMNS
 *         one pass by this instruction set, for callgrind
 */
#include "noise.h"
#include "rival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct setting {
    rival_problem rival;
    double *margin64, *weight64;

    kernel_rows rows;
    float *x, factor;
    double *weight;
    const kernel *kernel;
    int noisy;
    kernel_pool *pool, *two; /* in use; two threads */
    noise_stream *noise;

    const float **value; /* the columns, for whole gradients */
    float *at, *scale, *reach, *origin, *slope;
    int64_t *sum;
    double *factor64;

    double seen; /* so that nothing is optimised away */
} setting;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the problem ---- */

static void *room(size_t count, size_t size)
{
    void *memory = mem_map(count * size);
    if (!memory) {
        fprintf(stderr, "bench_kernel: out of memory\n");
        exit(1);
    }
    return memory;
}

static double uniform(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

static void make_memory(setting *s, int64_t rows, int64_t columns)
{
    int64_t padded = (rows + 63) / 64 * 64;
    size_t cells = (size_t)(padded * columns), n = (size_t)padded;
    s->rows = (kernel_rows){
        .rows = rows, .padded = padded, .margin = room(n, sizeof(float))};
    s->x = room(cells, sizeof *s->x);
    s->weight = room((size_t)columns, sizeof *s->weight);
    s->margin64 = room(n, sizeof *s->margin64);
    s->weight64 = room((size_t)columns, sizeof *s->weight64);
    s->rival = (rival_problem){.rows = rows,
                               .columns = columns,
                               .stride = padded,
                               .x = room(cells, sizeof(double)),
                               .y = room(n, sizeof(double)),
                               .clip = 1,
                               .sigma = 20,
                               .step = .1,
                               .l1 = 1e-4};
}

static void make_ball(setting *s, int64_t columns)
{
    size_t n = (size_t)s->rows.padded, p = (size_t)columns;
    s->value = room(p, sizeof *s->value);
    s->at = room(p, sizeof *s->at);
    s->scale = room(p, sizeof *s->scale);
    s->sum = room(p, sizeof *s->sum);
    s->reach = room(n, sizeof *s->reach);
    s->origin = room(n, sizeof *s->origin);
    s->slope = room(n, sizeof *s->slope);
    s->factor64 = room(n, sizeof *s->factor64);
}

static kernel_ball ball_of(const setting *s)
{
    return (kernel_ball){.columns = s->rival.columns,
                         .value = s->value,
                         .scale = s->scale,
                         .reach = s->reach,
                         .origin = s->origin,
                         .at = s->at,
                         .factor = s->factor};
}

static void fill_ball(setting *s)
{
    for (int64_t j = 0; j < s->rival.columns; j++) {
        s->value[j] = s->x + j * s->rival.stride;
        s->scale[j] = 1.7F;
        s->at[j] = 1e-3F;
    }
    for (int64_t i = 0; i < s->rival.rows; i++)
        s->origin[i] = s->rival.logistic ? 0 : -(float)s->rival.y[i];
    kernel_ball ball = ball_of(s);
    kernel_reach(&s->rows, &ball, 0, s->rows.padded, s->reach);
}

/* Values in [-1, 1]; a target that depends on them. Two classes: y x, as the
   table has it. */
static void fill(setting *s, int logistic)
{
    rival_problem *p = &s->rival;
    double *x = (double *)p->x, *y = (double *)p->y;
    p->logistic = logistic;
    s->rows.loss = logistic ? LOSS_LOGISTIC : LOSS_SQUARED;
    s->factor = (float)(KERNEL_CLIP / p->clip);
    for (int64_t i = 0; i < p->rows; i++) {
        for (int64_t j = 0; j < p->columns; j++)
            x[j * p->stride + i] = uniform();
        y[i] = x[i] + uniform();
        if (logistic)
            y[i] = y[i] > 0 ? 1 : -1;
        for (int64_t j = 0; j < p->columns; j++)
            s->x[j * p->stride + i] =
                (float)(logistic ? y[i] * x[j * p->stride + i]
                                 : x[j * p->stride + i]);
    }
}

/* As every pass finds it: all weights 0. */
static void start(setting *s)
{
    const rival_problem *p = &s->rival;
    for (int64_t j = 0; j < p->columns; j++)
        s->weight[j] = s->weight64[j] = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        s->rows.margin[i] = p->logistic ? 0 : -(float)p->y[i];
        s->margin64[i] = 0;
    }
}

/* ---- our pass ---- */

static double prox(double v, double by)
{
    return v > by ? v - by : v < -by ? v + by : 0;
}

/* As the gate draws it. */
static double draw(setting *s)
{
    int64_t noise = 0;
    if (noise_gaussian_one(s->noise, s->rival.sigma * KERNEL_CLIP, &noise,
                           NULL))
        exit(1);
    return (double)noise;
}

static kernel_column column(const setting *s, int64_t j)
{
    return (kernel_column){s->x + j * s->rival.stride, NULL, s->rival.rows};
}

/* One pass: the move of a coordinate is done with the question for the
   next. Without a kernel by the loop that has neither clip nor grid. */
__attribute__((noinline)) void bench_pass(setting *s);
void bench_pass(setting *s)
{
    const rival_problem *p = &s->rival;
    float d = 0;
    kernel_mode before = kernel_enter();
    for (int64_t j = 0; j < p->columns; j++) {
        kernel_column asked = column(s, j), moved = column(s, j ? j - 1 : 0);
        double sum, old = s->weight[j];
        if (s->kernel)
            sum = (double)kernel_pool_step(s->pool, s->kernel, &s->rows, &moved,
                                           d, &asked, s->factor) /
                  (double)s->factor;
        else
            sum = rival_plain(&s->rows, &moved, d, &asked);
        if (s->noisy)
            sum += draw(s) / (double)s->factor;
        double g = sum / (double)p->rows;
        d = (float)(prox(old - p->step * g, p->step * p->l1) - old);
        s->weight[j] = old + (double)d;
    }
    kernel_leave(before);
}

/* ---- the whole gradient ---- */

/* Margins at a new point, and every coordinate's noisy sum. */
static void run_gradient(setting *s)
{
    kernel_ball ball = ball_of(s);
    kernel_mode before = kernel_enter();
    kernel_get(KERNEL_AUTO)
        ->gradient(&s->rows, &ball, 0, s->rows.padded, s->sum);
    kernel_leave(before);
    for (int64_t j = 0; j < s->rival.columns; j++)
        s->seen += (double)s->sum[j] + draw(s);
}

/* The same column by column and in double, as it would be written first. */
static void run_gradient_double(setting *s)
{
    int64_t n = s->rival.rows, p = s->rival.columns;
    const kernel *k = kernel_get(KERNEL_AUTO);
    for (int64_t j = 0; j < p; j++) {
        kernel_column moved = column(s, j);
        k->step(&s->rows, &moved, 1e-9F, NULL, 0);
    }
    k->slopes(&s->rows, s->slope);
    memset(s->factor64, 0, (size_t)n * sizeof *s->factor64);
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i < n; i++) {
            double z = (double)s->value[j][i] * (double)s->scale[j];
            s->factor64[i] += z * z;
        }
    for (int64_t i = 0; i < n; i++) {
        double slope = (double)s->slope[i];
        double length = fabs(slope) * sqrt(s->factor64[i]);
        double t = length > 1 ? slope * (1 / length) : slope;
        s->factor64[i] = t * KERNEL_CLIP * (1 - 0x1p-30);
    }
    for (int64_t j = 0; j < p; j++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (int64_t)(s->factor64[i] *
                             ((double)s->value[j][i] * (double)s->scale[j]));
        s->seen += (double)sum + draw(s);
    }
}

/* ---- the variants ---- */

static void run_private(setting *s)
{
    s->kernel = kernel_get(KERNEL_AUTO);
    s->noisy = 1;
    bench_pass(s);
}

static void run_two(setting *s)
{
    s->pool = s->two;
    run_private(s);
    s->pool = NULL;
}

static void run_grid(setting *s)
{
    s->kernel = kernel_get(KERNEL_AUTO);
    s->noisy = 0;
    bench_pass(s);
}

static void run_scalar(setting *s)
{
    s->kernel = kernel_get(KERNEL_SCALAR);
    s->noisy = 1;
    bench_pass(s);
}

static void run_plain(setting *s)
{
    s->kernel = NULL;
    s->noisy = 0;
    bench_pass(s);
}

static void run_noise(setting *s)
{
    for (int64_t j = 0; j < s->rival.columns; j++)
        s->seen += draw(s);
}

static void run_double(setting *s)
{
    rival_double(&s->rival, s->margin64, s->weight64);
}

#ifdef BENCH_EIGEN
static void run_eigen_loop(setting *s)
{
    rival_eigen_loop(&s->rival, s->margin64, s->weight64);
}

static void run_eigen_array(setting *s)
{
    rival_eigen_array(&s->rival, s->margin64, s->weight64);
}
#endif

static const struct {
    const char *name;
    void (*run)(setting *s);
} variants[] = {
    {"sotto", run_private},
    {"sotto, without noise", run_grid},
    {"sotto, without clip, grid and noise", run_plain},
    {"sotto, 2 threads", run_two},
    {"the noise alone", run_noise},
    {"sotto, any processor", run_scalar},
    {"loop over doubles", run_double},
    {"whole gradient", run_gradient},
    {"whole gradient, in doubles", run_gradient_double},
#ifdef BENCH_EIGEN
    {"Eigen, loop", run_eigen_loop},
    {"Eigen, arrays", run_eigen_array},
#endif
};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* ---- the program ---- */

/* So many passes in a row that the clock is no matter and caches are as they
   are in training, not as the variant before left them: the first pass is
   not counted. */
static double seconds_of(setting *s, void (*run)(setting *s))
{
    int64_t cells = s->rival.rows * s->rival.columns;
    int64_t passes = 1 + 500000 / cells;
    start(s);
    run(s);
    double begun = now();
    for (int64_t i = 0; i < passes; i++)
        run(s);
    return (now() - begun) / (double)(passes * cells);
}

static void measure(setting *s, int rounds)
{
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < VARIANTS; i++) {
            int v = (i + round + 1) % VARIANTS;
            double seconds = seconds_of(s, variants[v].run);
            if (round >= 0) /* the first warms up */
                printf("%s\t%.5e\n", variants[v].name, seconds);
        }
}

static double seconds_in_window(setting *s, void (*run)(setting *s))
{
    double begun = now(), until = begun + .05, at;
    int64_t passes = 0;
    do {
        run(s);
        passes++;
        at = now();
    } while (at < until);
    return (at - begun) / (double)(passes * s->rival.rows * s->rival.columns);
}

static void compare_threads(setting *s, int windows)
{
    start(s);
    for (int i = 0; i < windows; i++) {
        printf("1\t%.5e\n", seconds_in_window(s, run_private));
        printf("2\t%.5e\n", seconds_in_window(s, run_two));
    }
}

static int count(setting *s, const char *set)
{
    for (int isa = KERNEL_SCALAR; isa <= KERNEL_AVX512; isa++) {
        s->kernel = kernel_get((kernel_isa)isa);
        if (!s->kernel || strcmp(s->kernel->name, set) != 0)
            continue;
        start(s);
        bench_pass(s);
        return 0;
    }
    fprintf(stderr, "bench_kernel: no instruction set %s here\n", set);
    return 1;
}

int main(int argc, char **argv)
{
    int counting = argc > 1 && strcmp(argv[1], "count") == 0;
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    if (argc != 5 + (counting || threads))
        return 2;
    char **word = argv + (counting || threads);
    int64_t rows = atoll(word[3]), columns = atoll(word[4]);
    setting s = {0};
    if (rows < 1 || columns < 1 ||
        noise_open_insecure(&s.noise, 1, NOISE_RELEASE, 0, NULL) != SOTTO_OK)
        return 1;
    make_memory(&s, rows, columns);
    make_ball(&s, columns);
    fill(&s, strcmp(word[2], "logistic") == 0);
    fill_ball(&s);
    int status = 0;
    s.two = kernel_pool_open(2);
    if (counting)
        status = count(&s, word[1]);
    else if (threads)
        compare_threads(&s, atoi(word[1]));
    else
        measure(&s, atoi(word[1]));
    kernel_pool_close(s.two);
    noise_close(s.noise);
    return status || s.seen == 1; /* never, in practice */
}
