/*
 * Audits: trainings on invented neighbours, by the code that trains on records.
 * The run is planned and stated once; each training has fresh noise.
 */
#include "audit.h"
#include "json.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Without --rows the number of rows is asked for, and `auto` learns nothing of
   fewer than about a hundred. */
enum { FEW_ROWS = 40, MANY_ROWS = 400 };

/* ---- neighbours ---- */

static const char *const record_name[INVENTED_RECORDS] = {
    "saturated",  "saturated below", "of the opposite target",
    "empty",      "at the kink",     "of a lone level",
    "of any kind"};

static void name_pair(audit_pair *p, int64_t times, const char *how)
{
    const char *second = record_name[p->side[1].record];
    if (!strcmp(how, "replaced"))
        snprintf(p->name, sizeof p->name, "a record %s or %s",
                 record_name[p->side[0].record], second);
    else if (times > 1)
        snprintf(p->name, sizeof p->name, "a person with %lld records %s, %s",
                 (long long)times, second, how);
    else
        snprintf(p->name, sizeof p->name, "a record %s, %s", second, how);
}

static audit_pair pair_of(const audit *a, invented_record first,
                          invented_record second, uint64_t seed)
{
    invented one = {a->common, seed, first, a->times, a->features, 0};
    invented two = {a->common, seed, second, a->times, a->features, 0};
    audit_pair p = {"", {one, two}};
    const char *how = "replaced";
    if (a->planned.policy.adjacency == ACCOUNT_ADD_REMOVE) {
        p.side[0].times = 0;
        how = "there or not";
    } else if (a->planned.policy.adjacency == ACCOUNT_ZERO_OUT) {
        p.side[0].record = second;
        p.side[0].blank = 1;
        p.side[1].blank = -1;
        how = "blanked or not";
    }
    name_pair(&p, a->times, how);
    return p;
}

static void make_pairs(audit *a)
{
    static const invented_record records[AUDIT_PAIRS][2] = {
        {INVENTED_OPPOSITE, INVENTED_HIGH},
        {INVENTED_HIGH, INVENTED_LOW},
        {INVENTED_HIGH, INVENTED_EMPTY},
        {INVENTED_LOW, INVENTED_KINK},
        {INVENTED_OPPOSITE, INVENTED_LONE}};
    for (a->pairs = 0; a->pairs < AUDIT_PAIRS; a->pairs++)
        a->pair[a->pairs] =
            pair_of(a, records[a->pairs][0], records[a->pairs][1], 1);
}

audit_pair audit_any_pair(const audit *a, uint64_t seed)
{
    audit_pair p = pair_of(a, INVENTED_ANY, INVENTED_ANY, seed);
    if (seed % 2) { /* one of them at an end */
        p.side[1].record = (invented_record)(seed / 2 % INVENTED_ANY);
        p.side[0].record = a->planned.policy.adjacency == ACCOUNT_REPLACE_ONE
                               ? INVENTED_ANY
                               : p.side[1].record;
    } else if (a->planned.policy.adjacency == ACCOUNT_REPLACE_ONE)
        p.side[0].record = INVENTED_EMPTY;
    return p;
}

/* ---- open and close ---- */

static sotto_status copy_options(audit *a, const sotto_options *options,
                                 sotto_error *error)
{
    char *schema = NULL, rows[24];
    size_t size;
    sotto_status status = sotto_options_new(&a->options, error);
    for (int i = 0; status == SOTTO_OK && i < OPTION_COUNT; i++)
        if (i != OPTION_SCHEMA && i != OPTION_THREADS &&
            (i != OPTION_FEATURES || a->numbered)) /* else a file has them */
            status = option_copy(a->options, options, (option_id)i, error);
    if (status == SOTTO_OK)
        status = sotto_options_set(a->options, "threads", "1", error);
    if (status == SOTTO_OK && option_given(options, OPTION_SCHEMA))
        status = option_read(options, OPTION_SCHEMA, &schema, &size, error);
    if (status == SOTTO_OK && schema)
        status = sotto_options_set_content(a->options, "schema", schema, error);
    mem_free(schema);
    snprintf(rows, sizeof rows, "%lld", (long long)(a->common + a->times));
    if (status == SOTTO_OK && !option_given(options, OPTION_ROWS) &&
        option_is(options, OPTION_ADJACENCY, "zero-out")) /* it is public */
        status = sotto_options_set(a->options, "rows", rows, error);
    return status;
}

/* One thing more than is kept of a person, where somebody counts. */
static int64_t rows_of_person(const sotto_options *options,
                              const sotto_table *shape)
{
    return option_integer(options, OPTION_ROWS_PER_PERSON) +
           (shape->unit_name != NULL);
}

static sotto_status plan_audit(audit *a, sotto_error *error)
{
    sotto_table *shape;
    invented what = {.common = a->common,
                     .seed = 1,
                     .times = a->times,
                     .record = INVENTED_HIGH,
                     .features = a->features};
    what.blank = option_is(a->options, OPTION_ADJACENCY, "zero-out") ? -1 : 0;
    sotto_status status = table_invent(&shape, &what, a->options, error);
    if (status != SOTTO_OK)
        return status;
    a->times = rows_of_person(a->options, shape);
    a->planned = fit_new_run(a->options);
    status = fit_plan_for(&a->planned, shape, error);
    if (status == SOTTO_OK)
        status = fit_state(&a->planned, &a->planned.epsilon, error);
    int64_t classes = shape->classes > 2 ? shape->classes : 1;
    a->dims = classes * (shape->features + 1);
    sotto_table_free(shape);
    return status;
}

static sotto_status check_options(const sotto_options *options,
                                  sotto_error *error)
{
    if (!option_given(options, OPTION_SCHEMA) &&
        !option_given(options, OPTION_FEATURES))
        return error_set(error, SOTTO_USAGE,
                         "expected --schema FILE, of which records are "
                         "invented, or --features P");
    sotto_status status = sotto_fit_check(options, error);
    if (status == SOTTO_OK && !option_private(options))
        status = error_set(error, SOTTO_USAGE,
                           "an audit is of private training: expected a "
                           "finite --epsilon");
    if (status == SOTTO_OK && !option_given(options, OPTION_DEEP) &&
        option_integer(options, OPTION_TRIALS) < 4 * AUDIT_PAIRS)
        status = error_set(error, SOTTO_USAGE,
                           "--trials: expected at least %d, unless --deep "
                           "is given",
                           4 * AUDIT_PAIRS);
    return status;
}

sotto_status audit_open(audit *a, const sotto_options *options,
                        sotto_error *error)
{
    *a = (audit){.times = 1};
    a->common = option_given(options, OPTION_ROWS) ? FEW_ROWS : MANY_ROWS;
    a->numbered = option_is(options, OPTION_FORMAT, "svmlight");
    if (option_given(options, OPTION_FEATURES))
        a->features = option_integer(options, OPTION_FEATURES);
    a->threads = (int)option_integer(options, OPTION_THREADS);
    if (!a->threads)
        a->threads = thread_limit();
    sotto_status status = check_options(options, error);
    if (status == SOTTO_OK)
        status = copy_options(a, options, error);
    if (status == SOTTO_OK)
        status = plan_audit(a, error);
    if (status == SOTTO_OK)
        make_pairs(a);
    a->claim.delta =
        status == SOTTO_OK ? option_number(options, OPTION_DELTA) : 0;
    return status == SOTTO_OK ? audit_read_claim(&a->claim, &a->planned, error)
                              : status;
}

void audit_close(audit *a)
{
    if (a->planned.run.solver)
        fit_end_run(&a->planned);
    sotto_options_free(a->options);
}

/* ---- one training, and what the other neighbour would have said ---- */

static sotto_status train(const audit *a, const invented *what,
                          curator_tape *tape, sotto_model **out,
                          sotto_error *error)
{
    sotto_table *table;
    *out = NULL;
    sotto_status status = table_invent(&table, what, a->options, error);
    if (status == SOTTO_OK)
        status = fit_again(out, &table, &a->planned, tape, error);
    sotto_table_free(table);
    return status;
}

static void keep_weights(const audit *a, const sotto_model *m, double *out)
{
    int64_t classes = m->classes > 2 ? m->classes : 1, at = 0;
    for (int64_t k = 0; k < classes; k++) {
        for (int64_t j = 0; j < m->features && at < a->dims; j++)
            out[at++] = m->weight[k * m->features + j];
        if (at < a->dims)
            out[at++] =
                m->class_intercept ? m->class_intercept[k] : m->intercept;
    }
}

/* Every byte of the two models. */
static sotto_status compare_models(const sotto_model *one,
                                   const sotto_model *two, audit_trial *out,
                                   sotto_error *error)
{
    char *first = NULL, *second = NULL;
    sotto_status status = sotto_model_text(&first, one, error);
    if (status == SOTTO_OK)
        status = sotto_model_text(&second, two, error);
    if (status == SOTTO_OK && strcmp(first, second)) {
        out->agree = 0;
        snprintf(out->why, sizeof out->why,
                 "with the same answers another model was released");
    }
    sotto_text_free(first);
    sotto_text_free(second);
    return status;
}

/* A replay that asks something else, or hears what cannot be: the answers tell
   the neighbours apart. */
static sotto_status replay(const audit *a, const audit_pair *pair, int side,
                           curator_tape *tape, sotto_model **out,
                           audit_trial *trial, sotto_error *error)
{
    curator_tape_turn(tape);
    sotto_status status = train(a, &pair->side[side], tape, out, error);
    int apart = curator_tape_heard(tape)->apart;
    if (status == SOTTO_OK && (apart || !curator_tape_is_over(tape)))
        status = error_set(error, SOTTO_PRIVACY,
                           "with the same answers less was asked");
    else if (status != SOTTO_PRIVACY || !apart)
        return status;
    trial->agree = 0;
    trial->loss = side ? -INFINITY : INFINITY;
    snprintf(trial->why, sizeof trial->why, "%.150s", error->message);
    return SOTTO_OK;
}

static sotto_status replay_both(const audit *a, const audit_pair *pair,
                                curator_tape *tape, int whole,
                                audit_trial *trial, sotto_error *error)
{
    sotto_model *model[2] = {NULL, NULL};
    sotto_status status = SOTTO_OK;
    for (int i = 0; status == SOTTO_OK && trial->agree && i < 2; i++)
        status = replay(a, pair, i, tape, &model[i], trial, error);
    if (status == SOTTO_OK && trial->agree) {
        const curator_heard *heard = curator_tape_heard(tape);
        trial->loss = heard->loss;
        trial->moved = heard->moved;
        trial->question = heard->question;
        if (whole)
            status = compare_models(model[0], model[1], trial, error);
    }
    trial->questions = curator_tape_heard(tape)->questions;
    sotto_model_free(model[0]);
    sotto_model_free(model[1]);
    return status;
}

sotto_status audit_try(const audit *a, const audit_pair *pair, int side,
                       int whole, audit_trial *out, sotto_error *error)
{
    curator_tape *tape;
    sotto_model *model = NULL;
    double *weight = out->weight;
    *out = (audit_trial){.weight = weight, .agree = 1};
    sotto_status status = curator_tape_new(&tape, a->common, error);
    if (status == SOTTO_OK)
        status = train(a, &pair->side[side], tape, &model, error);
    if (status == SOTTO_OK && weight)
        keep_weights(a, model, weight);
    sotto_model_free(model);
    if (status == SOTTO_OK)
        status = replay_both(a, pair, tape, whole, out, error);
    curator_tape_free(tape);
    return status;
}

/* ---- many of them ---- */

typedef struct audit_jobs {
    audit *audit;
    audit_work *work;
    void *context;
    int64_t count;
    atomic_llong next, done;
    atomic_int stop;      /* 1: somebody has failed */
    sotto_error error[1]; /* of whoever was first */
    sotto_status status;
} audit_jobs;

static void fail_jobs(audit_jobs *j, sotto_status status,
                      const sotto_error *error)
{
    if (!atomic_exchange(&j->stop, 1)) {
        j->status = status;
        *j->error = *error;
    }
}

static void tell(audit_jobs *j)
{
    audit *a = j->audit;
    sotto_error error;
    double done = (double)(a->done + atomic_load(&j->done));
    sotto_progress at = {done / (double)a->total, NAN, "trainings",
                         (int64_t)done, a->total};
    if (a->callback && a->callback->call &&
        a->callback->call(a->callback->context, &at)) {
        error_set(&error, SOTTO_INTERRUPTED, "interrupted");
        fail_jobs(j, SOTTO_INTERRUPTED, &error);
    }
}

static void do_jobs(void *context, int worker)
{
    audit_jobs *j = context;
    sotto_error error;
    int64_t i;
    while (!atomic_load(&j->stop) &&
           (i = atomic_fetch_add(&j->next, 1)) < j->count) {
        sotto_status status = j->work(j->context, i, &error);
        if (status != SOTTO_OK)
            fail_jobs(j, status, &error);
        atomic_fetch_add(&j->done, 1);
        if (worker == 0)
            tell(j);
    }
}

sotto_status audit_all(audit *a, int64_t count, audit_work *work, void *context,
                       sotto_error *error)
{
    audit_jobs j = {
        .audit = a, .work = work, .context = context, .count = count};
    thread_run(a->threads, do_jobs, &j);
    a->done += count;
    if (j.status != SOTTO_OK && error)
        *error = *j.error;
    return j.status;
}
