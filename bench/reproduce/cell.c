/*
 * Plans are made once for all cells that share one: pricing takes longer than
 * training does.
 */
#include "cell.h"
#include "literal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- words ---- */

sotto_status cell_options(sotto_options **out, char **word, int words,
                          sotto_error *error)
{
    sotto_status status = sotto_options_new(out, error);
    for (int i = 0; status == SOTTO_OK && i < words; i++) {
        char *is = strchr(word[i], '=');
        if (!is)
            return error_set(error, SOTTO_USAGE, "expected NAME=VALUE");
        *is = 0;
        status = sotto_options_set(*out, word[i], is + 1, error);
        *is = '=';
    }
    return status;
}

/* Whether an option can change what is asked, or with which noise. */
static int is_planned(const char *word)
{
    static const char *const later[] = {
        "clip=", "step-size=", "average=", "momentum=",       "decay=",
        "rule=", "order=",     "radius=",  "difference-clip="};
    if (!strncmp(word, "smoothness=", 11))
        return !strncmp(word, "smoothness=private", 18);
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (!strncmp(word, later[i], strlen(later[i])))
            return 0;
    return 1;
}

/* The plans of these depend on more than this knows. */
static int plans_alone(const char *word)
{
    return !strcmp(word, "solver=auto") || !strcmp(word, "solver=newton") ||
           !strcmp(word, "solver=output") || !strcmp(word, "solver=objective");
}

static char *key_of(const char *file, char **word, int words)
{
    text_buffer t = {0};
    text_put(&t, file);
    for (int i = 0; i < words; i++) {
        if (plans_alone(word[i]))
            goto none;
        if (is_planned(word[i]))
            text_format(&t, "\t%s", word[i]);
    }
    if (!t.failed)
        return t.data;
none:
    text_free(&t);
    return NULL;
}

/* Layouts differ by solver, targets by loss. */
static char *read_key(const char *file, char **word, int words)
{
    text_buffer t = {0};
    text_put(&t, file);
    for (int i = 0; i < words; i++)
        if (!strncmp(word[i], "solver=", 7) || !strncmp(word[i], "loss=", 5) ||
            !strncmp(word[i], "schema=", 7))
            text_format(&t, "\t%s", word[i]);
    return t.data;
}

sotto_status cell_read(cell *c, const judge *j, char **word, int words,
                       sotto_error *error)
{
    *c = (cell){.judge = j, .proven = NAN};
    if (words < 4)
        return error_set(error, SOTTO_USAGE, "expected ID FILE RUNS SEED ...");
    c->literal = words > 4 && !strcmp(word[words - 1], "literal=yes");
    c->id = mem_text(word[0]);
    c->file = mem_text(word[1]);
    c->runs = strtoll(word[2], NULL, 10);
    c->seed = strtoull(word[3], NULL, 10);
    c->key = key_of(word[1], word + 4, words - 4);
    words -= c->literal;
    c->read = read_key(word[1], word + 4, words - 4);
    if (!c->id || !c->file || !c->read)
        return error_memory(error);
    if (c->runs < 1 || c->runs > 1000000)
        return error_set(error, SOTTO_USAGE, "expected 1 to 1e6 runs");
    c->result = mem_zeroed((size_t)c->runs, sizeof *c->result);
    return c->result ? cell_options(&c->options, word + 4, words - 4, error)
                     : error_memory(error);
}

void cell_free(cell *c)
{
    if (c->shares_plan)
        c->run.run.state = NULL;
    if (c->run.run.solver)
        fit_end_run(&c->run);
    mem_free(c->result);
    mem_free(c->id);
    mem_free(c->file);
    mem_free(c->key);
    mem_free(c->read);
    sotto_options_free(c->options);
}

/* ---- plans ---- */

typedef struct kept_plan {
    struct kept_plan *next;
    char *key;
    int ready, failed;
    sotto_error error;
    ask_plan plan;
    const solver_row *solver;
    void *state;
    double proven;
} kept_plan;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t made;
    kept_plan *first;
} kept = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

/* A paper's own noise may cost more than was asked for: what is proven. */
static sotto_status price(cell *c, sotto_error *error)
{
    const sotto_options *o = c->options;
    account_list events = {0};
    account_price price = {0};
    if (c->literal)
        return literal_price(c, &c->proven, error);
    if ((!option_given(o, OPTION_CALIBRATION) ||
         option_is(o, OPTION_CALIBRATION, "exact")) &&
        !option_is(o, OPTION_SOLVER, "scd-paper"))
        return SOTTO_OK;
    sotto_status status =
        curator_events(&events, &c->run.run.plan, c->run.policy.adjacency,
                       c->run.run.facts.features, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&events, option_number(o, OPTION_DELTA),
                                 &price, error);
    account_free(&events);
    c->proven = price.epsilon;
    return status;
}

static sotto_status plan(cell *c, sotto_error *error)
{
    solver_run *r = &c->run.run;
    sotto_status status = r->solver->plan(r, error);
    if (status == SOTTO_OK)
        status = curator_check(r->policy, &r->plan, r->facts.features, error);
    return status == SOTTO_OK ? price(c, error) : status;
}

/* Somebody's plan for this key, perhaps after waiting for it; or a new one
   that the caller is to make: *mine. */
static kept_plan *find_plan(const char *key, int *mine)
{
    pthread_mutex_lock(&kept.lock);
    kept_plan *k = kept.first;
    while (k && strcmp(k->key, key))
        k = k->next;
    *mine = !k;
    if (!k && (k = mem_zeroed(1, sizeof *k))) {
        k->key = mem_text(key);
        k->next = kept.first;
        kept.first = k;
    }
    while (k && !*mine && !k->ready)
        pthread_cond_wait(&kept.made, &kept.lock);
    pthread_mutex_unlock(&kept.lock);
    return k;
}

void cell_end(void)
{
    while (kept.first) {
        kept_plan *next = kept.first->next;
        const solver_row *solver = kept.first->solver;
        (solver->free_state ? solver->free_state : mem_free)(kept.first->state);
        mem_free(kept.first->key);
        mem_free(kept.first);
        kept.first = next;
    }
}

int cell_must_wait(const cell *c)
{
    pthread_mutex_lock(&kept.lock);
    const kept_plan *k = c->key ? kept.first : NULL;
    while (k && strcmp(k->key, c->key))
        k = k->next;
    int wait = k && !k->ready;
    pthread_mutex_unlock(&kept.lock);
    return wait;
}

static sotto_status make_plan(cell *c, sotto_error *error)
{
    int mine;
    kept_plan *k = c->key ? find_plan(c->key, &mine) : NULL;
    if (!k)
        return plan(c, error);
    if (mine) {
        k->failed = plan(c, &k->error) != SOTTO_OK;
        pthread_mutex_lock(&kept.lock);
        k->plan = c->run.run.plan;
        k->solver = c->run.run.solver;
        k->state = c->run.run.state;
        k->proven = c->proven;
        k->ready = 1;
        pthread_cond_broadcast(&kept.made);
        pthread_mutex_unlock(&kept.lock);
    }
    c->shares_plan = 1;
    c->run.run.plan = k->plan;
    c->run.run.state = k->state;
    c->proven = k->proven;
    if (k->failed)
        *error = k->error;
    return k->failed ? SOTTO_FAILED : SOTTO_OK;
}

/* ---- runs ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The parts that read files are not for two threads at once. */
static sotto_status prepare(cell *c, sotto_error *error)
{
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    private_run *r = &c->run;
    const solver_row *solver = solver_of(c->options);
    *r = (private_run){.run = {.options = c->options, .solver = solver},
                       .task = fit_read_task(c->options)};
    pthread_mutex_lock(&reading);
    sotto_status status = sotto_fit_check(c->options, error);
    if (status == SOTTO_OK)
        status = records_read(&c->table, c->read, c->file, c->options, error);
    if (status == SOTTO_OK && solver->smooth)
        status = fit_find_smoothness(&r->run.smooth, c->table, &r->task,
                                     c->options, solver->finds_bounds, error);
    if (status == SOTTO_OK)
        status = fit_copy_maps(&r->maps, c->table, error);
    if (status == SOTTO_OK) {
        r->run.facts = fit_facts(c->table, c->options);
        fit_begin_run(r);
    }
    pthread_mutex_unlock(&reading);
    return status;
}

sotto_status cell_prepare(cell *c, sotto_error *error)
{
    double start = seconds();
    sotto_status status =
        c->literal ? literal_check(c->options, error) : SOTTO_OK;
    if (status == SOTTO_OK)
        status = prepare(c, error);
    if (status == SOTTO_OK)
        status = make_plan(c, error);
    if (status == SOTTO_OK && c->run.run.solver->ready)
        status = c->run.run.solver->ready(&c->run.run, error);
    c->plan_seconds = seconds() - start;
    return status;
}

/* splitmix64: seeds that have nothing to do with each other. */
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static sotto_status ask(private_run *r, sotto_error *error)
{
    sotto_status status = fit_ask_first(&r->run, error);
    if (status == SOTTO_OK && r->run.solver->finds_bounds)
        status = fit_begin_private_bounds(r, error);
    if (status == SOTTO_OK)
        status = r->run.solver->run(&r->run, &r->answer, error);
    mem_free(r->answer.bounds);
    return status;
}

static sotto_status train_literally(private_run *r, const cell *c,
                                    cell_result *out, sotto_error *error)
{
    double start = seconds();
    sotto_status status =
        literal_train(c, r->policy.seed, r->answer.weight, error);
    out->seconds = seconds() - start;
    return status == SOTTO_OK ? judge_run(c->judge, &r->maps, r->answer.weight,
                                          0, &out->judged, error)
                              : status;
}

static sotto_status train(private_run *r, const cell *c, cell_result *out,
                          sotto_error *error)
{
    if (c->literal)
        return train_literally(r, c, out, error);
    sotto_table *t = NULL;
    sotto_status status = records_copy(&t, c->table, error);
    if (status == SOTTO_OK)
        status =
            curator_open(&r->run.curator, &t, &r->policy, &r->run.plan, error);
    double start = seconds();
    if (status == SOTTO_OK)
        status = ask(r, error);
    out->seconds = seconds() - start;
    curator_close(r->run.curator);
    return status == SOTTO_OK
               ? judge_run(c->judge, &r->maps, r->answer.weight,
                           r->answer.intercept, &out->judged, error)
               : status;
}

sotto_status cell_train(const cell *c, int64_t i, sotto_error *error)
{
    private_run r = c->run;
    const double *m = c->run.run.smooth.m;
    size_t count = (size_t)r.run.facts.features + 1;
    double *weight = mem_zeroed(count, sizeof *weight);
    if (!weight)
        return error_memory(error);
    /* the smoothness may be asked for, and is this run's own then */
    if (m) {
        r.run.smooth.m = mem_zeroed(count, sizeof *m);
        if (r.run.smooth.m)
            memcpy(r.run.smooth.m, m, count * sizeof *m);
    }
    r.run.policy = &r.policy;
    r.policy.insecure = 1;
    r.policy.seed = mixed(c->seed + (uint64_t)i);
    r.answer.weight = weight;
    sotto_status status = m && !r.run.smooth.m
                              ? error_memory(error)
                              : train(&r, c, &c->result[i], error);
    if (m)
        mem_free(r.run.smooth.m);
    mem_free(weight);
    return status;
}

/* ---- what is told ---- */

/* Weights that ran away: a number that JSON has. */
static void put_number(text_buffer *t, double x)
{
    text_number(t, isfinite(x) ? x : 1e300);
}

static void put_list(const cell *c, const char *name, size_t offset,
                     text_buffer *t)
{
    text_format(t, ", \"%s\": [", name);
    for (int64_t i = 0; i < c->runs; i++) {
        double x;
        memcpy(&x, (const char *)&c->result[i] + offset, sizeof x);
        text_put(t, i ? ", " : "");
        put_number(t, x);
    }
    text_put(t, "]");
}

static void put_levels(const cell *c, text_buffer *t)
{
    text_put(t, ", \"levels\": {");
    for (int i = 0; i < c->run.run.plan.items; i++) {
        const ask_item *item = &c->run.run.plan.item[i];
        text_format(t, "%s\"%d %s x %lld\": ", i ? ", " : "", i,
                    ask_name(item->kind), (long long)item->count);
        put_number(t, item->level);
    }
    text_put(t, "}");
}

void cell_tell(const cell *c, const char *failure, text_buffer *t)
{
    text_put(t, "{\"id\": ");
    text_json(t, c->id ? c->id : "");
    if (failure) {
        text_put(t, ", \"failed\": ");
        text_json(t, failure);
        text_put(t, "}\n");
        return;
    }
    put_list(c, "error", offsetof(cell_result, judged.error), t);
    put_list(c, "right", offsetof(cell_result, judged.right), t);
    put_list(c, "wrong", offsetof(cell_result, judged.wrong), t);
    if (!isnan(c->result[0].judged.quality))
        put_list(c, "quality", offsetof(cell_result, judged.quality), t);
    put_list(c, "seconds", offsetof(cell_result, seconds), t);
    put_levels(c, t);
    if (!isnan(c->proven)) {
        text_put(t, ", \"proven\": ");
        put_number(t, c->proven);
    }
    text_put(t, ", \"plan_seconds\": ");
    put_number(t, c->plan_seconds);
    text_put(t, "}\n");
}
