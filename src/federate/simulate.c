/*
 * All roles in one process. The parties and the server exchange the same bytes
 * as over a network.
 */
#include "internal.h"
#include "model.h"
#include "option.h"
#include "spent.h"

#include <math.h>
#include <string.h>

struct sotto_simulation {
    federation f;
    party **party;
    server *server;
    federation_promise promise;
    char *output;          /* where the model will be written; NULL: nowhere */
    ledger_receipt booked; /* without a ledger: nothing */
    int64_t downlink;
    int has_run;
};

/* ---- opening ---- */

static sotto_status check_options(const char *path,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    int noisy = option_private(options);
    if (!option_given(options, OPTION_COLUMNS))
        return error_set(error, SOTTO_USAGE,
                         "expected --columns FILE: which columns each party "
                         "has");
    if (!option_given(options, OPTION_EPSILON))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --epsilon: a budget, or inf for a model "
                         "that is NOT PRIVATE");
    if (noisy && !option_given(options, OPTION_DELTA))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --delta: the probability with which "
                         "epsilon may fail");
    if (noisy && !(option_number(options, OPTION_DELTA) > 0))
        return error_set(error, SOTTO_PRIVACY,
                         "--delta: expected a number above 0: sketches have "
                         "Gaussian noise");
    if (!strcmp(path, "-"))
        return error_set(error, SOTTO_USAGE,
                         "expected a file: each party reads it by itself, and "
                         "stdin can be read once");
    return SOTTO_OK;
}

/* The options that party k reads its own columns with. */
static sotto_status party_options(sotto_options **out, const federation *f,
                                  int k, const sotto_options *options,
                                  sotto_error *error)
{
    static const option_id used[] = {OPTION_FORMAT, OPTION_DELIMITER,
                                     OPTION_THREADS, OPTION_EPSILON};
    sotto_status status = sotto_options_new(out, error);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (status == SOTTO_OK)
            status = option_copy(*out, options, used[i], error);
    if (status == SOTTO_OK)
        status =
            sotto_options_set(*out, "schema-text", f->party[k].schema, error);
    return status;
}

static sotto_status read_table(sotto_table **out, const federation *f, int k,
                               const char *path, const sotto_options *options,
                               sotto_error *error)
{
    sotto_options *own = NULL;
    *out = NULL;
    sotto_status status = party_options(&own, f, k, options, error);
    if (status == SOTTO_OK)
        status = sotto_table_read(out, path, own, error);
    sotto_options_free(own);
    return status;
}

/* The number of rows is public: it is the first party's. */
static sotto_status open_party(sotto_simulation *s, int k, const char *path,
                               const sotto_options *options, sotto_error *error)
{
    sotto_table *table;
    sotto_status status = read_table(&table, &s->f, k, path, options, error);
    if (status == SOTTO_OK && k == 0) {
        federation_set_rows(&s->f, sotto_table_rows(table));
        if (s->f.agreed_rows && s->f.agreed_rows != s->f.rows)
            status = error_set(error, SOTTO_DATA,
                               "another number of rows was agreed upon in "
                               "the file of --columns");
    }
    if (status == SOTTO_OK)
        status = party_open(&s->party[k], &s->f, k, &table, error);
    sotto_table_free(table);
    return status;
}

static int is_booked(const sotto_simulation *s)
{
    return *s->booked.run != 0;
}

static int is_private(const sotto_simulation *s)
{
    int all = 1;
    for (int k = 0; k < s->f.parties; k++)
        all &= party_is_private(s->party[k]);
    return all;
}

static sotto_status agree(federation *f, const sotto_options *options,
                          sotto_error *error)
{
    const char *name = option_text(options, OPTION_COLUMNS);
    const char *text = option_content(options, OPTION_COLUMNS);
    sotto_status status =
        text ? federation_parse(f, name, text, strlen(text), error)
             : federation_read(f, name, error);
    if (status != SOTTO_OK)
        return status;
    f->epsilon = option_number(options, OPTION_EPSILON);
    f->delta = option_given(options, OPTION_DELTA)
                   ? option_number(options, OPTION_DELTA)
                   : 0;
    if (f->agreed_epsilon > 0 &&
        (f->agreed_epsilon != f->epsilon ||
         (isfinite(f->epsilon) && f->agreed_delta != f->delta)))
        return error_set(error, SOTTO_USAGE,
                         "--epsilon, --delta: another budget was agreed upon "
                         "in the file of --columns");
    f->insecure = option_given(options, OPTION_INSECURE_SEED);
    if (f->insecure)
        f->noise_seed = (uint64_t)option_integer(options, OPTION_INSECURE_SEED);
    f->rows = f->agreed_rows;
    return federation_settle(f, error);
}

/* Books the run, of a whole row, before a record is read. Without a ledger it
   can be written beside the model what is spent. */
static sotto_status book(sotto_simulation *s, const char *path,
                         const sotto_options *options, sotto_error *error)
{
    const char *output = option_text(options, OPTION_OUTPUT);
    ask_plan plan = federation_row_plan(&s->f);
    if (federation_books(&s->f, options))
        return federation_book(&s->booked, &s->f, &plan, NULL, path, options,
                               error);
    if (!option_private(options) || (s->f.insecure && !output))
        return SOTTO_OK;
    return output ? fit_check_spent(output, error)
                  : error_set(error, SOTTO_PRIVACY,
                              "expected -o FILE: without a ledger, what is "
                              "spent is written beside the model");
}

static sotto_status promise(sotto_simulation *s, sotto_error *error)
{
    sotto_status status =
        federation_promise_make(&s->promise, &s->f, is_private(s), error);
    if (status != SOTTO_OK || !s->promise.statement)
        return status;
    ledger_put(&s->promise.statement, is_booked(s) ? &s->booked : NULL);
    return s->promise.statement ? SOTTO_OK : error_memory(error);
}

static sotto_status open_all(sotto_simulation *s, const char *path,
                             const sotto_options *options, sotto_error *error)
{
    const federation *f = &s->f;
    sotto_status status = agree(&s->f, options, error);
    if (status == SOTTO_OK)
        status = book(s, path, options, error);
    if (status != SOTTO_OK)
        return status;
    s->party = mem_zeroed((size_t)f->parties, sizeof *s->party);
    if (option_given(options, OPTION_OUTPUT))
        s->output = mem_text(option_text(options, OPTION_OUTPUT));
    if (!s->party || (option_given(options, OPTION_OUTPUT) && !s->output))
        return error_memory(error);
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++)
        status = open_party(s, k, path, options, error);
    if (status == SOTTO_OK)
        status = server_open(&s->server, f, error);
    return status == SOTTO_OK ? promise(s, error) : status;
}

sotto_status sotto_simulation_open(sotto_simulation **out, const char *path,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    sotto_simulation *s = mem_zeroed(1, sizeof *s);
    *out = NULL;
    if (!s)
        return error_memory(error);
    sotto_status status = check_options(path, options, error);
    if (status == SOTTO_OK)
        status = open_all(s, path, options, error);
    if (status == SOTTO_OK)
        *out = s;
    else
        sotto_simulation_free(s);
    return status;
}

void sotto_simulation_free(sotto_simulation *s)
{
    if (!s)
        return;
    for (int k = 0; s->party && k < s->f.parties; k++)
        party_close(s->party[k]);
    server_close(s->server);
    mem_free(s->party);
    federation_promise_free(&s->promise);
    ledger_receipt_free(&s->booked);
    mem_free(s->output);
    federation_free(&s->f);
    mem_free(s);
}

/* ---- running ---- */

/* Writes MODEL.spent before the first question is asked, without a ledger. */
static sotto_status declare_spending(const sotto_simulation *s,
                                     sotto_error *error)
{
    account_list events;
    ask_plan plan = federation_row_plan(&s->f);
    sotto_status status = federation_events(&events, &plan, error);
    if (status == SOTTO_OK)
        status =
            fit_write_spent(s->output, s->promise.statement, &events, error);
    account_free(&events);
    return status;
}

static sotto_status run_messages(sotto_simulation *s,
                                 const sotto_progress_callback *callback,
                                 sotto_error *error)
{
    for (;;) {
        int to;
        const text_buffer *request, *answer = NULL;
        sotto_status status = server_next(s->server, &to, &request, error);
        if (status != SOTTO_OK || to < 0)
            return status;
        sotto_progress at = {
            .share = server_share(s->server), .gap = NAN, .stage = "messages"};
        if (callback && callback->call &&
            callback->call(callback->context, &at))
            return error_set(error, SOTTO_INTERRUPTED, "interrupted");
        s->downlink += (int64_t)request->length;
        status = party_answer(s->party[to], request->data, request->length,
                              &answer, error);
        if (status == SOTTO_OK)
            status =
                server_take(s->server, answer->data, answer->length, error);
        if (status != SOTTO_OK)
            return status;
    }
}

/* Tells the model where its run is, so that it can be marked as finished. */
static sotto_status name_booking(const sotto_simulation *s, sotto_model *m,
                                 sotto_error *error)
{
    m->booked.ledger = mem_text(s->booked.file);
    m->booked.run = mem_text(s->booked.run);
    return m->booked.ledger && m->booked.run ? SOTTO_OK : error_memory(error);
}

static sotto_status make_model(const sotto_simulation *s, sotto_model **out,
                               sotto_error *error)
{
    int64_t count;
    double *weight = server_all_weights(s->server, &count);
    sotto_status status =
        weight ? federation_model(out, &s->f, weight, &s->promise, error)
               : error_memory(error);
    mem_free(weight);
    return status == SOTTO_OK && is_booked(s) ? name_booking(s, *out, error)
                                              : status;
}

sotto_status sotto_simulation_run(sotto_simulation *s, sotto_model **out,
                                  const sotto_progress_callback *callback,
                                  sotto_error *error)
{
    *out = NULL;
    if (s->has_run)
        return error_set(error, SOTTO_BUDGET,
                         "refused: a simulation is run once");
    s->has_run = 1;
    sotto_status status = SOTTO_OK;
    if (is_private(s) && !is_booked(s))
        status = declare_spending(s, error);
    if (status == SOTTO_OK)
        status = run_messages(s, callback, error);
    return status == SOTTO_OK ? make_model(s, out, error) : status;
}

/* ---- looking ---- */

void sotto_simulation_describe_party(const sotto_simulation *s, int64_t which,
                                     sotto_simulation_party *out)
{
    const federation *f = &s->f;
    int k = (int)which;
    *out = (sotto_simulation_party){.name = f->party[k].name,
                                    .columns = federation_columns(f, k),
                                    .cap = f->party[k].cap,
                                    .turns = f->party[k].turns,
                                    .has_labels =
                                        !f->labels_known && k == f->label_party,
                                    .epsilon = s->promise.slice[k]};
    out->uplink = server_uplink(s->server, k, &out->messages);
}

void sotto_simulation_describe(const sotto_simulation *s,
                               sotto_simulation_facts *out)
{
    const federation *f = &s->f;
    *out =
        (sotto_simulation_facts){.expected = federation_class(f, s->promise.mu),
                                 .parties = f->parties,
                                 .rows = f->rows,
                                 .rounds = f->rounds,
                                 .buckets = f->buckets,
                                 .labels_known = f->labels_known,
                                 .epsilon = s->promise.epsilon,
                                 .delta = f->delta,
                                 .downlink = s->downlink,
                                 .paper_uplink = federation_paper_uplink(f)};
    for (int k = 0; k < f->parties; k++) {
        sotto_simulation_party p;
        sotto_simulation_describe_party(s, k, &p);
        out->columns += p.columns;
        out->cap += p.cap;
        out->uplink += p.uplink;
        out->messages += p.messages;
    }
    hash_text(server_transcript(s->server), out->transcript);
}
