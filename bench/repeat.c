/*
 * Trains many times with fresh noise and writes the weights: what a table of
 * means needs, without pricing the same plan in every run.
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
    solver_problem p = {r->task.loss,     r->task.l1,   r->task.l2,
                        r->task.low,      r->task.high, r->facts.features,
                        r->task.intercept};
    solver_answer answer = {.weight = weight};
    must(sotto_table_read(&t, data, r->options, &error), &error);
    must(curator_open(&r->curator, &t, &r->policy, &r->plan, &error), &error);
    must(fit_ask_first(r, &error), &error);
    must(r->solver->run(r, &p, &answer, NULL, NULL, &error), &error);
    curator_close(r->curator);
    sotto_model m = {.weight = weight};
    fit_set_weights(&m, &r->maps, weight, answer.intercept);
    fwrite(weight, sizeof *weight, (size_t)r->facts.features, stdout);
    fwrite(&m.intercept, sizeof(double), 1, stdout);
}

int main(int count, char **word)
{
    sotto_table *t;
    sotto_error error;
    if (count < 4)
        return fprintf(stderr, "usage: see the file\n"), 2;
    private_run r = {.options = read_options(count - 3, word + 3)};
    r.task = fit_read_task(r.options);
    r.solver = fit_solver(r.options);
    must(sotto_fit_check(r.options, &error), &error);
    must(sotto_table_read(&t, word[2], r.options, &error), &error);
    r.facts = fit_facts(t, r.options);
    r.policy = fit_policy(&r.facts, &r.task, r.options);
    if (r.solver->smooth)
        must(fit_find_smoothness(&r.smooth, t, &r.task, r.options,
                                 r.solver->buys, &error),
             &error);
    must(fit_copy_maps(&r.maps, t, &error), &error);
    sotto_table_free(t);
    must(r.solver->plan(&r, &error), &error);
    double *weight = calloc((size_t)r.facts.features, sizeof *weight);
    for (long i = atol(word[1]); i > 0; i--)
        run_once(&r, word[2], weight);
    free(weight);
    return 0;
}
