/*
 * Trains many times with fresh noise and writes the weights: what a table of
 * means needs, without pricing the same plan in every run. With insecure-seed=N
 * the runs are those of the seeds N, N + 1, ...
 *
 *     bench_repeat RUNS DATA NAME=VALUE...
 *         for each run: the weights, then the intercept, as doubles, for the
 *         file's own columns
 *
 * The plan, the noise and the solver are those of `sotto train` with these
 * options, of which --rows is one; no statement is made, so nothing of this
 * is for release.
 */
#include "private.h"

#include <stdlib.h>
#include <string.h>

static void must(sotto_status status, const sotto_error *error)
{
    if (status == SOTTO_OK)
        return;
    fprintf(stderr, "bench_repeat: %s\n", error->message);
    exit(1);
}

static sotto_options *read_options(int count, char **word)
{
    sotto_options *o;
    sotto_error error;
    must(sotto_options_new(&o, &error), &error);
    for (int i = 0; i < count; i++) {
        char *is = strchr(word[i], '=');
        if (!is) {
            fprintf(stderr, "bench_repeat: expected NAME=VALUE\n");
            exit(2);
        }
        *is = 0;
        must(sotto_options_set(o, word[i], is + 1, &error), &error);
    }
    return o;
}

static void run_once(private_run *r, const char *data, double *weight)
{
    sotto_table *t;
    sotto_error error;
    solver_run *run = &r->run;
    r->answer.weight = weight;
    must(sotto_table_read(&t, data, run->options, &error), &error);
    must(curator_open(&run->curator, &t, &r->policy, &run->plan, &error),
         &error);
    must(fit_ask_first(run, &error), &error);
    if (run->solver->finds_bounds)
        must(fit_begin_private_bounds(r, &error), &error);
    must(run->solver->run(run, &r->answer, &error), &error);
    curator_close(run->curator);
    mem_free(r->answer.bounds);
    sotto_model m = {.weight = weight};
    fit_set_weights(&m, &r->maps, weight, r->answer.intercept);
    fwrite(weight, sizeof *weight, (size_t)run->facts.features, stdout);
    fwrite(&m.intercept, sizeof(double), 1, stdout);
}

int main(int count, char **word)
{
    sotto_table *t;
    sotto_error error;
    if (count < 4)
        return fprintf(stderr, "usage: see the file\n"), 2;
    sotto_options *options = read_options(count - 3, word + 3);
    private_run r = {.task = fit_read_task(options),
                     .run = {.options = options, .solver = solver_of(options)}};
    must(sotto_fit_check(options, &error), &error);
    must(sotto_table_read(&t, word[2], options, &error), &error);
    r.run.facts = fit_facts(t, options);
    if (r.run.solver->smooth)
        must(fit_find_smoothness(&r.run.smooth, t, &r.task, options,
                                 r.run.solver->finds_bounds, &error),
             &error);
    must(fit_copy_maps(&r.maps, t, &error), &error);
    sotto_table_free(t);
    fit_begin_run(&r);
    must(r.run.solver->plan(&r.run, &error), &error);
    double *weight = calloc((size_t)r.run.facts.features, sizeof *weight);
    for (long i = atol(word[1]); i > 0; i--, r.policy.seed++)
        run_once(&r, word[2], weight);
    free(weight);
    return 0;
}
