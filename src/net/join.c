/*
 * A party on a network. It connects to the coordinator; nobody connects to it.
 * It posts its message again and again until a reply has the next request; the
 * answer to that is its next message. If the coordinator cannot be reached the
 * party tries again, less and less often, for as long as the agreement says.
 */
#include "client.h"
#include "option.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { END_PATIENCE = 2 };

typedef struct run {
    federation f;
    net_keys keys;
    logbook log;
    participant *participant;
    int k;
    char booked[FEDERATION_RUN]; /* the id of the run in the ledger, or "" */
    client client;
} run;

/* ---- a conversation ---- */

static void pause_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

static sotto_status refused(run *r, long code, sotto_error *error)
{
    char why[200];
    size_t length =
        r->client.reply.length < sizeof why ? r->client.reply.length : 199;
    snprintf(why, sizeof why, "%.*s", (int)length,
             r->client.reply.data ? r->client.reply.data : "");
    return error_set(error, SOTTO_PEER, "the coordinator answers: %s (%ld)",
                     show_name(why).text, code);
}

/* Handles a reply; *over: it was the last. */
static sotto_status handle_reply(run *r, long code, int *over,
                                 sotto_error *error)
{
    if (code == 200)
        return participant_take(
            r->participant, r->client.reply.data ? r->client.reply.data : "",
            r->client.reply.length, error);
    if (code == 204)
        return SOTTO_OK;
    if (code != 410)
        return refused(r, code, error);
    *over = 1;
    return participant_is_over(r->participant)
               ? SOTTO_OK
               : error_set(error, SOTTO_PEER,
                           "the coordinator says that it is over, and there "
                           "is no model that all parties have");
}

/* The coordinator was not reached. SOTTO_OK, after a pause: try again. */
static sotto_status retry_later(run *r, CURLcode result, double since,
                                double *pause, int *over, sotto_error *error)
{
    double silent = net_now() - since;
    const char *why = client_fault(&r->client, result),
               *what = result == CURLE_OK ? "it says that it has failed"
                                          : curl_easy_strerror(result);
    if (why)
        return error_set(error, SOTTO_PEER, "the coordinator is refused: %s",
                         why);
    if (participant_is_over(r->participant) && silent > END_PATIENCE) {
        log_line(&r->log, "the coordinator has ended; the model is here");
        *over = 1;
        return SOTTO_OK;
    }
    if (silent > (double)r->f.patience)
        return error_set(error, SOTTO_PEER,
                         "the coordinator has not been reached for %lld s: %s",
                         (long long)r->f.patience, what);
    if (*pause < .2)
        log_line(&r->log,
                 "the coordinator cannot be reached (%s); trying again", what);
    pause_for(*pause);
    *pause = fmin(2 * *pause, 5);
    return SOTTO_OK;
}

static sotto_status exchange_messages(run *r, sotto_error *error)
{
    double since = net_now(), pause = .1;
    sotto_status status = SOTTO_OK;
    for (int over = 0; status == SOTTO_OK && !over;) {
        long code;
        double began = net_now();
        const text_buffer *message = participant_message(r->participant);
        hash before = hash_of(message->data, message->length);
        CURLcode result = client_post(&r->client, message, &code);
        if (result != CURLE_OK || code >= 500) {
            status = retry_later(r, result, since, &pause, &over, error);
            continue;
        }
        since = net_now();
        pause = .1;
        status = handle_reply(r, code, &over, error);
        hash after = hash_of(message->data, message->length);
        if (!over && hash_same(&before, &after) && since - began < 1)
            pause_for(.5); /* nothing new, and the reply did not wait */
    }
    if (status != SOTTO_OK)
        log_line(&r->log, "%s", error->message);
    return status;
}

/* ---- life ---- */

static sotto_status check_options(const sotto_options *options,
                                  sotto_error *error)
{
    static const struct {
        option_id id;
        const char *expected;
    } needed[] = {
        {OPTION_ACCEPT, "--accept HASH: what all parties have compared"},
        {OPTION_DATA, "--data FILE"},
        {OPTION_KEYS, "--keys FOLDER"},
        {OPTION_STATE, "--state FOLDER"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!option_given(options, needed[i].id))
            return error_set(error, SOTTO_USAGE, "expected %s",
                             needed[i].expected);
    if (!strcmp(option_text(options, OPTION_DATA), "-"))
        return error_set(error, SOTTO_USAGE,
                         "--data: expected a file: a party that comes back "
                         "reads it again");
    return SOTTO_OK;
}

static sotto_status agree(run *r, const char *config,
                          const sotto_options *options, sotto_error *error)
{
    char name[65];
    sotto_status status = federation_read(&r->f, config, error);
    if (status == SOTTO_OK)
        status = federation_settle_agreed(&r->f, config, 1, error);
    if (status != SOTTO_OK)
        return status;
    hash_text(&r->f.session, name);
    if (strcmp(name, option_text(options, OPTION_ACCEPT)))
        return error_set(error, SOTTO_PEER,
                         "--accept: this is another agreement; its hash is %s",
                         name);
    r->f.insecure = option_given(options, OPTION_INSECURE_SEED);
    if (r->f.insecure)
        r->f.noise_seed =
            (uint64_t)option_integer(options, OPTION_INSECURE_SEED);
    return SOTTO_OK;
}

static sotto_status find_own_party(run *r, const sotto_options *options,
                                   sotto_error *error)
{
    sotto_status status = net_keys_read(
        &r->keys, &r->f, option_text(options, OPTION_KEYS), error);
    if (status != SOTTO_OK)
        return status;
    r->k = federation_whose(&r->f, &r->keys.own_key);
    return r->k >= 0 ? SOTTO_OK
                     : error_set(error, SOTTO_PEER,
                                 "%s: this certificate is no party's of the "
                                 "agreement",
                                 show_name(r->keys.certificate_path).text);
}

static sotto_status read_table(const run *r, const sotto_options *options,
                               sotto_table **out, sotto_error *error)
{
    static const option_id used[] = {OPTION_FORMAT, OPTION_DELIMITER,
                                     OPTION_THREADS};
    sotto_options *own = NULL;
    sotto_status status = sotto_options_new(&own, error);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (status == SOTTO_OK)
            status = option_copy(own, options, used[i], error);
    if (status == SOTTO_OK)
        status = sotto_options_set(own, "schema-text",
                                   r->f.party[r->k].schema_with_id, error);
    if (status == SOTTO_OK)
        status = sotto_options_set(own, "epsilon",
                                   isfinite(r->f.epsilon) ? "1" : "inf", error);
    if (status == SOTTO_OK)
        status = sotto_options_set(own, "keep-ids", "yes", error);
    if (status == SOTTO_OK)
        status = sotto_table_read(out, option_text(options, OPTION_DATA), own,
                                  error);
    sotto_options_free(own);
    return status;
}

static const char *or_none(const sotto_options *options, option_id id)
{
    return option_given(options, id) ? option_text(options, id) : "";
}

/* Reads the data. The file is hashed before and after: it must not change. */
static sotto_status open_participant(run *r, const sotto_options *options,
                                     sotto_error *error)
{
    char how[200];
    hash secret, before, after;
    sotto_table *table = NULL;
    const char *path = option_text(options, OPTION_DATA);
    snprintf(how, sizeof how, "%.90s\n%.90s", or_none(options, OPTION_FORMAT),
             or_none(options, OPTION_DELIMITER));
    sotto_status status = align_secret(&secret, r->keys.secret_path, error);
    if (status != SOTTO_OK)
        return status;
    status = align_data(&before, &r->f, &secret, path, how, error);
    if (status == SOTTO_OK)
        status = read_table(r, options, &table, error);
    if (status == SOTTO_OK)
        status = align_data(&after, &r->f, &secret, path, how, error);
    if (status == SOTTO_OK && !hash_same(&before, &after))
        status =
            error_set(error, SOTTO_DATA, "%s: it changed while it was read",
                      show_name(path).text);
    if (status == SOTTO_OK)
        status = participant_open(&r->participant, &r->f, r->k, &table, &secret,
                                  &before, option_text(options, OPTION_STATE),
                                  &r->log, error);
    sotto_table_free(table);
    mem_wipe(&secret, sizeof secret);
    return status;
}

/* All that can be asked is booked before a record is read, so that how reading
   ends says nothing in the ledger. */
static sotto_status book_and_open(run *r, const sotto_options *options,
                                  sotto_error *error)
{
    sotto_status status =
        federation_book_party(r->booked, &r->f, r->k, options, &r->log, error);
    if (status == SOTTO_OK)
        status = open_participant(r, options, error);
    return status == SOTTO_OK ? federation_book_begun(r->booked, options, error)
                              : status;
}

static sotto_status open_run(run *r, const char *config,
                             const sotto_options *options,
                             const sotto_log_callback *callback,
                             sotto_error *error)
{
    sotto_status status = check_options(options, error);
    if (status == SOTTO_OK)
        status = agree(r, config, options, error);
    if (status == SOTTO_OK)
        status = find_own_party(r, options, error);
    if (status == SOTTO_OK)
        status = log_open(&r->log, option_text(options, OPTION_STATE), callback,
                          error);
    if (status == SOTTO_OK) {
        status = book_and_open(r, options, error);
        if (status != SOTTO_OK)
            log_line(&r->log, "%s", error->message);
    }
    return status == SOTTO_OK ? client_open(&r->client, &r->f, &r->keys, error)
                              : status;
}

sotto_status sotto_federation_join(const char *config,
                                   const sotto_options *options,
                                   const sotto_log_callback *callback,
                                   sotto_model **out, sotto_error *error)
{
    run r = {.k = -1};
    *out = NULL;
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return error_memory(error);
    sotto_status status = open_run(&r, config, options, callback, error);
    if (status == SOTTO_OK)
        status = exchange_messages(&r, error);
    if (status == SOTTO_OK)
        status = participant_model(r.participant, out, error);
    if (status == SOTTO_OK)
        federation_book_end(r.booked, options, &r.log);
    participant_close(r.participant);
    client_close(&r.client);
    log_close(&r.log);
    net_keys_free(&r.keys);
    federation_free(&r.f);
    return status;
}
