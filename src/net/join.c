/*
 * A party on a network. It connects to the coordinator and is never connected
 * to: it says its word until there is an answer, which makes its next word.
 * The coordinator must have the certificate of the agreement; if it cannot be
 * reached it is tried again, less and less often, for as long as was agreed.
 */
#include "client.h"
#include "option.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { FAREWELL = 2 };

typedef struct call {
    federation f;
    net_keys keys;
    logbook log;
    member *member;
    int k;
    line line;
} call;

/* ---- a conversation ---- */

static void pause_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

static sotto_status refused(call *c, long code, sotto_error *error)
{
    char why[200];
    size_t length =
        c->line.reply.length < sizeof why ? c->line.reply.length : 199;
    snprintf(why, sizeof why, "%.*s", (int)length,
             c->line.reply.data ? c->line.reply.data : "");
    return error_set(error, SOTTO_PEER, "the coordinator answers: %s (%ld)",
                     show_name(why).text, code);
}

/* What it makes of an answer; *over: there is no more. */
static sotto_status heed(call *c, long code, int *over, sotto_error *error)
{
    if (code == 200)
        return member_take(c->member,
                           c->line.reply.data ? c->line.reply.data : "",
                           c->line.reply.length, error);
    if (code == 204)
        return SOTTO_OK;
    if (code != 410)
        return refused(c, code, error);
    *over = 1;
    return member_is_over(c->member)
               ? SOTTO_OK
               : error_set(error, SOTTO_PEER,
                           "the coordinator says that it is over, and there "
                           "is no model that all parties have");
}

/* Nobody there: SOTTO_OK after a pause, if it is to be tried again. */
static sotto_status unreached(call *c, CURLcode result, double since,
                              double *pause, int *over, sotto_error *error)
{
    double silent = net_now() - since;
    const char *why = line_fault(&c->line, result),
               *what = result == CURLE_OK ? "it says that it has failed"
                                          : curl_easy_strerror(result);
    if (why)
        return error_set(error, SOTTO_PEER, "the coordinator is refused: %s",
                         why);
    if (member_is_over(c->member) && silent > FAREWELL) {
        log_line(&c->log, "the coordinator has ended; the model is here");
        *over = 1;
        return SOTTO_OK;
    }
    if (silent > (double)c->f.patience)
        return error_set(error, SOTTO_PEER,
                         "the coordinator has not been reached for %lld s: %s",
                         (long long)c->f.patience, what);
    if (*pause < .2)
        log_line(&c->log,
                 "the coordinator cannot be reached (%s); trying again", what);
    pause_for(*pause);
    *pause = fmin(2 * *pause, 5);
    return SOTTO_OK;
}

static sotto_status converse(call *c, sotto_error *error)
{
    double since = net_now(), pause = .1;
    sotto_status status = SOTTO_OK;
    for (int over = 0; status == SOTTO_OK && !over;) {
        long code;
        double began = net_now();
        const text_buffer *word = member_word(c->member);
        hash before = hash_of(word->data, word->length);
        CURLcode result = line_say(&c->line, word, &code);
        if (result != CURLE_OK || code >= 500) {
            status = unreached(c, result, since, &pause, &over, error);
            continue;
        }
        since = net_now();
        pause = .1;
        status = heed(c, code, &over, error);
        hash after = hash_of(word->data, word->length);
        if (!over && hash_same(&before, &after) && since - began < 1)
            pause_for(.5); /* nothing new, and it did not hold the line */
    }
    if (status != SOTTO_OK)
        log_line(&c->log, "%s", error->message);
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

static sotto_status agree(call *c, const char *config,
                          const sotto_options *options, sotto_error *error)
{
    char name[65];
    sotto_status status = federation_read(&c->f, config, error);
    if (status == SOTTO_OK)
        status = federation_settle_agreed(&c->f, config, 1, error);
    if (status != SOTTO_OK)
        return status;
    hash_text(&c->f.session, name);
    if (strcmp(name, option_text(options, OPTION_ACCEPT)))
        return error_set(error, SOTTO_PEER,
                         "--accept: this is another agreement; its hash is %s",
                         name);
    c->f.insecure = option_given(options, OPTION_INSECURE_SEED);
    if (c->f.insecure)
        c->f.noise_seed =
            (uint64_t)option_integer(options, OPTION_INSECURE_SEED);
    return SOTTO_OK;
}

static sotto_status know_oneself(call *c, const sotto_options *options,
                                 sotto_error *error)
{
    sotto_status status = net_keys_read(
        &c->keys, &c->f, option_text(options, OPTION_KEYS), error);
    if (status != SOTTO_OK)
        return status;
    c->k = federation_whose(&c->f, &c->keys.own_key);
    return c->k >= 0 ? SOTTO_OK
                     : error_set(error, SOTTO_PEER,
                                 "%s: this certificate is no party's of the "
                                 "agreement",
                                 show_name(c->keys.certificate_path).text);
}

static sotto_status read_table(const call *c, const sotto_options *options,
                               sotto_table **out, sotto_error *error)
{
    static const option_id heeded[] = {OPTION_FORMAT, OPTION_DELIMITER,
                                       OPTION_THREADS};
    sotto_options *own = NULL;
    sotto_status status = sotto_options_new(&own, error);
    for (size_t i = 0; i < sizeof heeded / sizeof *heeded; i++)
        if (status == SOTTO_OK)
            status = option_copy(own, options, heeded[i], error);
    if (status == SOTTO_OK)
        status = sotto_options_set(own, "schema-text",
                                   c->f.party[c->k].schema_with_id, error);
    if (status == SOTTO_OK)
        status = sotto_options_set(own, "epsilon",
                                   isfinite(c->f.epsilon) ? "1" : "inf", error);
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

/* Reads the data between two looks at the file. */
static sotto_status open_member(call *c, const sotto_options *options,
                                sotto_error *error)
{
    char how[200];
    hash secret, before, after;
    sotto_table *table = NULL;
    const char *path = option_text(options, OPTION_DATA);
    snprintf(how, sizeof how, "%.90s\n%.90s", or_none(options, OPTION_FORMAT),
             or_none(options, OPTION_DELIMITER));
    sotto_status status = align_secret(&secret, c->keys.secret_path, error);
    if (status != SOTTO_OK)
        return status;
    status = align_data(&before, &c->f, &secret, path, how, error);
    if (status == SOTTO_OK)
        status = read_table(c, options, &table, error);
    if (status == SOTTO_OK)
        status = align_data(&after, &c->f, &secret, path, how, error);
    if (status == SOTTO_OK && !hash_same(&before, &after))
        status =
            error_set(error, SOTTO_DATA, "%s: it changed while it was read",
                      show_name(path).text);
    if (status == SOTTO_OK)
        status =
            member_open(&c->member, &c->f, c->k, &table, &secret, &before,
                        option_text(options, OPTION_STATE), &c->log, error);
    sotto_table_free(table);
    mem_wipe(&secret, sizeof secret);
    return status;
}

static sotto_status open_call(call *c, const char *config,
                              const sotto_options *options,
                              const sotto_teller *teller, sotto_error *error)
{
    sotto_status status = check_options(options, error);
    if (status == SOTTO_OK)
        status = agree(c, config, options, error);
    if (status == SOTTO_OK)
        status = know_oneself(c, options, error);
    if (status == SOTTO_OK)
        status = log_open(&c->log, option_text(options, OPTION_STATE), teller,
                          error);
    if (status == SOTTO_OK) {
        status = open_member(c, options, error);
        if (status != SOTTO_OK)
            log_line(&c->log, "%s", error->message);
    }
    return status == SOTTO_OK ? line_open(&c->line, &c->f, &c->keys, error)
                              : status;
}

sotto_status sotto_federation_join(const char *config,
                                   const sotto_options *options,
                                   const sotto_teller *teller,
                                   sotto_model **out, sotto_error *error)
{
    call c = {.k = -1};
    *out = NULL;
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return error_memory(error);
    sotto_status status = open_call(&c, config, options, teller, error);
    if (status == SOTTO_OK)
        status = converse(&c, error);
    if (status == SOTTO_OK)
        status = member_model(c.member, out, error);
    member_close(c.member);
    line_close(&c.line);
    log_close(&c.log);
    net_keys_free(&c.keys);
    federation_free(&c.f);
    return status;
}
