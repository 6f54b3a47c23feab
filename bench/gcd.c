/*
 * Speed of DP-GCD beside a straightforward one in doubles, in one run.
 *
 *     bench_gcd sparse FILE FEATURES STEPS PLAIN
 *         STEPS steps of ours and, in between, PLAIN of the other; prints
 *         "name<TAB>seconds" lines, one for each step, and "rows<TAB>..." of
 *         the features that were chosen
 *     bench_gcd dense ROUNDS ROWS COLUMNS
 *         one whole gradient and choice by each, in turn
 */
#include "curator.h"
#include "data.h"
#include "option.h"
#include "rival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLIP .25
#define EPSILON 1.
#define DELTA 1e-6

/* Of this thread: what others do with the processor does not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(sotto_status status, const sotto_error *error)
{
    if (status == SOTTO_OK)
        return;
    fprintf(stderr, "bench_gcd: %s\n", error->message);
    exit(1);
}

static double uniform(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + .5) * 0x1p-53;
}

/* ---- as one would write it: all of the gradient, noise for each ---- */

typedef struct plain {
    int64_t rows, features;
    int64_t *start;
    uint32_t *row;
    double *x, *margin, *slope;
} plain;

static plain plain_of(const sotto_table *t)
{
    const table_entries *e = &t->by_column;
    int64_t entries = e->start[t->features];
    plain p = {t->rows,
               t->features,
               malloc((size_t)(t->features + 1) * sizeof *p.start),
               malloc((size_t)entries * sizeof *p.row),
               malloc((size_t)entries * sizeof *p.x),
               calloc((size_t)t->rows, sizeof *p.margin),
               calloc((size_t)t->rows, sizeof *p.slope)};
    memcpy(p.start, e->start, (size_t)(t->features + 1) * sizeof *p.start);
    memcpy(p.row, e->index, (size_t)entries * sizeof *p.row);
    for (int64_t k = 0; k < entries; k++)
        p.x[k] = (double)((const float *)e->value)[k];
    return p;
}

static int64_t plain_step(plain *p, double scale)
{
    int64_t best = 0;
    double most = -1, gradient = 0;
    for (int64_t i = 0; i < p->rows; i++)
        p->slope[i] = -1 / (1 + exp(p->margin[i]));
    for (int64_t j = 0; j < p->features; j++) {
        double sum = 0;
        for (int64_t k = p->start[j]; k < p->start[j + 1]; k++) {
            double part = p->slope[p->row[k]] * p->x[k];
            sum += part > CLIP ? CLIP : part < -CLIP ? -CLIP : part;
        }
        double noisy = sum + scale * (log(uniform()) - log(uniform()));
        if (fabs(noisy) > most) {
            most = fabs(noisy);
            best = j;
            gradient = sum;
        }
    }
    double by = -(gradient + scale * (log(uniform()) - log(uniform()))) /
                (double)p->rows / .01;
    for (int64_t k = p->start[best]; k < p->start[best + 1]; k++)
        p->margin[p->row[k]] += by * p->x[k];
    return best;
}

/* ---- ours ---- */

static curator *open_curator(sotto_table **t, int64_t steps, int intercept)
{
    account_question round[] = {
        {.kind = ACCOUNT_RANGE, .level = 2, .times = steps, .and_next = 1},
        {.kind = ACCOUNT_GAUSS, .level = 1, .times = steps}};
    account_target target = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .ordered = 1,
                             .epsilon = EPSILON,
                             .delta = DELTA};
    double z;
    sotto_error error;
    must(account_multiplier(&z, round, 2, &target, &error), &error);
    ask_plan plan = {
        .item = {{.kind = ASK_CHOICE,
                  .count = steps,
                  .level = 2 / z,
                  .noise = ASK_GUMBEL,
                  .and_next = 1},
                 {.kind = ASK_PARTIAL, .count = steps, .level = 1 / z}},
        .items = 2};
    curator_policy policy = {.adjacency = ACCOUNT_ADD_REMOVE,
                             .rows_per_person = 1,
                             .rows = (double)(*t)->rows,
                             .loss = {LOSS_LOGISTIC, 0},
                             .weight_bound = 1,
                             .intercept = intercept,
                             .threads = 1};
    int64_t features = (*t)->features;
    curator *c;
    must(curator_open(&c, t, &policy, &plan, &error), &error);
    double *clip = malloc((size_t)features * sizeof *clip);
    for (int64_t j = 0; j < features; j++)
        clip[j] = CLIP;
    ask_scores scores = {.l1 = 1e-4, .low = -INFINITY, .high = INFINITY};
    must(curator_tell_clips(c, clip, &error), &error);
    must(curator_tell_scores(c, &scores, &error), &error);
    free(clip);
    return c;
}

static int64_t our_step(curator *c)
{
    int64_t j;
    double gradient;
    sotto_error error;
    must(curator_ask_choice(c, &j, &error), &error);
    must(curator_ask_partial(c, j, &gradient, &error), &error);
    curator_tell(c, j, -gradient / .01);
    return j;
}

/* ---- sparse ---- */

static sotto_table *read_table(const char *path, const char *features)
{
    static const char *const settings[][2] = {{"loss", "logistic"},
                                              {"epsilon", "1"},
                                              {"solver", "gcd"},
                                              {"delta", "1e-6"}};
    sotto_options *o;
    sotto_table *t;
    sotto_error error;
    must(sotto_options_new(&o, &error), &error);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        must(sotto_options_set(o, settings[i][0], settings[i][1], &error),
             &error);
    must(sotto_options_set(o, "features", features, &error), &error);
    must(sotto_table_read(&t, path, o, &error), &error);
    sotto_options_free(o);
    return t;
}

static void bench_sparse(const char *path, const char *features, int64_t steps,
                         int64_t others)
{
    sotto_table *t = read_table(path, features);
    plain p = plain_of(t);
    double scale = 200 * CLIP, rows = 0;
    double begun = now();
    curator *c = open_curator(&t, steps, 0);
    printf("open\t%.9f\n", now() - begun);
    for (int64_t k = 0; k < steps; k++) {
        begun = now();
        int64_t j = our_step(c);
        printf("sotto\t%.9f\n", now() - begun);
        rows += (double)(p.start[j + 1] - p.start[j]);
        if (k % (steps / others) == steps / others / 2) {
            begun = now();
            plain_step(&p, scale);
            printf("plain\t%.9f\n", now() - begun);
        }
    }
    printf("rows\t%.3f\n", rows / (double)steps);
    curator_close(c);
}

/* ---- dense ---- */

static sotto_table *make_dense(int64_t rows, int64_t columns, double **x)
{
    sotto_table *t = mem_zeroed(1, sizeof *t);
    int64_t stride = (rows + 63) / 64 * 64;
    *t = (sotto_table){.rows = rows,
                       .features = columns,
                       .stride = stride,
                       .folded = 1,
                       .weight_bound = 1,
                       .x_bytes = (size_t)(stride * columns) * sizeof(float)};
    t->x = mem_map(t->x_bytes);
    t->y = mem_zeroed((size_t)rows, sizeof *t->y);
    char zero[] = "0", one[] = "1", *names[] = {zero, one};
    t->class_name = mem_texts(names, 2);
    t->classes = 2;
    *x = mem_map((size_t)(stride * columns) * sizeof **x);
    for (int64_t i = 0; i < rows; i++)
        t->y[i] = uniform() < .5 ? -1 : 1;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            float v = (float)(2 * uniform() - 1);
            ((float *)t->x)[j * stride + i] = v;
            (*x)[j * stride + i] = (double)v;
        }
    return t;
}

static void bench_dense(int64_t rounds, int64_t rows, int64_t columns)
{
    double *x, cells = (double)rows * (double)columns;
    sotto_table *t = make_dense(rows, columns, &x);
    double *margin = calloc((size_t)t->stride, sizeof *margin);
    double *gradient = calloc((size_t)columns, sizeof *gradient);
    rival_problem p = {.logistic = 1,
                       .rows = rows,
                       .columns = columns,
                       .stride = t->stride,
                       .x = x,
                       .y = t->y,
                       .clip = CLIP,
                       .sigma = 200 * CLIP};
    curator *c = open_curator(&t, rounds, 0);
    for (int64_t k = 0; k < rounds; k++) {
        double begun = now();
        our_step(c);
        printf("sotto\t%.9g\n", (now() - begun) / cells);
#ifdef BENCH_EIGEN
        begun = now();
        rival_eigen_choice_loop(&p, margin, gradient);
        printf("Eigen, loop\t%.9g\n", (now() - begun) / cells);
        begun = now();
        rival_eigen_choice_array(&p, margin, gradient);
        printf("Eigen, array\t%.9g\n", (now() - begun) / cells);
#else
        (void)p;
#endif
    }
    curator_close(c);
}

int main(int count, char **word)
{
    if (count == 6 && !strcmp(word[1], "sparse"))
        bench_sparse(word[2], word[3], atoll(word[4]), atoll(word[5]));
    else if (count == 5 && !strcmp(word[1], "dense"))
        bench_dense(atoll(word[2]), atoll(word[3]), atoll(word[4]));
    else
        return fprintf(stderr, "usage: see the file\n"), 2;
    return 0;
}
