/*
 * exact_cli FILE [NAME VALUE]...: solves one problem with the exact solver
 * and prints the answer as JSON. Not part of the product: tests and races
 * against other solvers use it. Names: loss l1 l2 low high delta intercept
 * tolerance target weights weight-bound rounds quiet, and the reader's own.
 */
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const sotto_error *error)
{
    fprintf(stderr, "exact_cli: %s\n", error->message);
    return error->status ? (int)error->status : 1;
}

/* progress: prints the seconds and gap so far. */
static int trace(void *context, double gap)
{
    fprintf(stderr, "%.4f %.3e\n", now() - *(double *)context, gap);
    return 0;
}

typedef struct settings {
    exact_problem problem;
    int rounds, quiet, trace;
} settings;

static int set_own(settings *s, const char *name, const char *value)
{
    double number = atof(value);
    exact_problem *p = &s->problem;
    const struct {
        const char *name;
        double *at;
    } own[] = {{"l1", &p->l1},
               {"l2", &p->l2},
               {"low", &p->low},
               {"high", &p->high},
               {"delta", &p->loss.delta},
               {"tolerance", &p->tolerance}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].name)) {
            *own[i].at = number;
            return 1;
        }
    if (!strcmp(name, "intercept"))
        p->intercept = number != 0;
    else if (!strcmp(name, "rounds"))
        s->rounds = (int)number;
    else if (!strcmp(name, "quiet"))
        s->quiet = number != 0;
    else if (!strcmp(name, "trace"))
        s->trace = number != 0;
    else
        return 0;
    return 1;
}

static void print_answer(const exact_problem *p, const exact_solution *x,
                         double seconds, int quiet)
{
    printf("{\"seconds\": %.6f, \"objective\": %.17g, \"gap\": ", seconds,
           x->objective);
    printf(isnan(x->gap) ? "null" : "%.17g", x->gap);
    printf(", \"converged\": %d, \"intercept\": %.17g", x->converged,
           x->intercept);
    if (!quiet) {
        printf(", \"weights\": [");
        for (int64_t j = 0; j < p->table->features; j++)
            printf("%s%.17g", j ? ", " : "", x->weight[j]);
        printf("]");
    }
    printf("}\n");
}

static int solve(settings *s, sotto_error *error)
{
    double best = INFINITY, start;
    exact_solution x = {0};
    s->problem.context = &start;
    s->problem.progress = s->trace ? trace : NULL;
    for (int i = 0; i < s->rounds; i++) {
        exact_solution_free(&x);
        start = now();
        if (exact_solve(&x, &s->problem, error))
            return fail(error);
        best = fmin(best, now() - start);
    }
    print_answer(&s->problem, &x, best, s->quiet);
    exact_solution_free(&x);
    return 0;
}

int main(int argc, char **argv)
{
    sotto_options *options;
    sotto_error error = {0};
    settings s = {.rounds = 1};
    s.problem.low = -INFINITY;
    s.problem.high = INFINITY;
    s.problem.loss.delta = 1.35;
    s.problem.tolerance = 1e-10;
    if (argc < 2 || sotto_options_new(&options, &error) != SOTTO_OK)
        return 2;
    if (sotto_options_set(options, "precision", "double", &error))
        return fail(&error);
    for (int i = 2; i + 1 < argc; i += 2)
        if (!set_own(&s, argv[i], argv[i + 1]) &&
            sotto_options_set(options, argv[i], argv[i + 1], &error))
            return fail(&error);
    const char *name = sotto_options_get(options, "loss");
    sotto_table *table;
    if (!loss_named(name, &s.problem.loss.kind) ||
        sotto_table_read(&table, argv[1], options, &error))
        return fail(&error);
    s.problem.table = table;
    int status = solve(&s, &error);
    sotto_table_free(table);
    sotto_options_free(options);
    return status;
}
