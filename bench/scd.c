/*
 * scd FILE.npy FEATURES ROWS RATE EPOCHS PAPER: the seconds that one epoch of
 * DP-SCD takes, its secret coins and its exact noise with it; the least of
 * so many epochs. PAPER 1 is Algorithm 1, with noise on the dual variables.
 * Started by scd.py.
 */
#include "solver/scd.h"
#include "curator.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(sotto_status status, const sotto_error *error)
{
    if (status == SOTTO_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(int count, char **word)
{
    sotto_options *o;
    sotto_table *t;
    sotto_error error;
    curator *c;
    if (count != 7)
        return 2;
    double rate = curator_rate(atof(word[4])), rows = atof(word[3]);
    int epochs = atoi(word[5]), paper = atoi(word[6]);
    int64_t p = atoll(word[2]), steps = (int64_t)ceil(1 / rate);
    char target[24];
    snprintf(target, sizeof target, "%lld", (long long)p + 1);
    must(sotto_options_new(&o, &error), &error);
    must(sotto_options_set(o, "target", target, &error), &error);
    must(sotto_options_set(o, "epsilon", "1", &error), &error);
    must(sotto_table_read(&t, word[1], o, &error), &error);
    curator_policy policy = {.rows_per_person = 1,
                             .rows = rows,
                             .loss = {LOSS_SQUARED, 0},
                             .weight_bound = 1,
                             .norm_bound = 1};
    ask_plan plan = {.item = {{.kind = ASK_DUAL,
                               .count = epochs * steps,
                               .noise = ASK_SAMPLED,
                               .rate = rate,
                               .level = .5}},
                     .items = 1};
    must(curator_open(&c, &t, &policy, &plan, &error), &error);
    solver_problem problem = {.loss = policy.loss, .l2 = .01, .features = p};
    scd_settings s = {
        .steps = steps, .rate = rate, .clip = .5, .dual_noise = paper ? 2 : 0};
    double *weight = calloc((size_t)p, sizeof *weight), best = INFINITY;
    solver_answer answer = {.weight = weight};
    for (int i = 0; i < epochs; i++) {
        double start = now();
        must(scd_run(&answer, c, &problem, &s, NULL, NULL, &error), &error);
        best = fmin(best, now() - start);
    }
    printf("%.9g\n", best);
    curator_close(c);
    sotto_options_free(o);
    free(weight);
    return 0;
}
