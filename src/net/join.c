/*
 * A party on a network. It connects to the coordinator and is never connected
 * to: it says its word until there is an answer, which makes its next word.
 * The coordinator must have the certificate of the agreement; if it cannot be
 * reached it is tried again, less and less often, for as long as was agreed.
 */
#include "keys.h"
#include "option.h"

#include <curl/curl.h>
#include <math.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

enum { CONNECT_MS = 10000, TOTAL_MS = 120000, FAREWELL = 2 };

typedef struct call {
    federation f;
    net_keys keys;
    logbook log;
    member *member;
    int k;
    CURL *curl;
    struct curl_slist *headers;
    char url[300], pin[80];
    char problem[CURL_ERROR_SIZE];
    text_buffer reply;
    size_t most;
} call;

/* ---- one request ---- */

/* Bounded before it is kept. */
static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    call *c = context;
    size_t got = size * count;
    if (got > c->most - c->reply.length)
        return 0;
    text_add(&c->reply, bytes, got);
    return c->reply.failed ? 0 : got;
}

static void set_url_and_pin(call *c)
{
    char base64[64];
    snprintf(c->url, sizeof c->url, "https://%s:%lld/v1/word", c->f.host,
             (long long)c->f.port);
    sodium_bin2base64(base64, sizeof base64, c->f.coordinator_key.byte,
                      sizeof c->f.coordinator_key.byte,
                      sodium_base64_VARIANT_ORIGINAL);
    snprintf(c->pin, sizeof c->pin, "sha256//%s", base64);
}

static sotto_status prepare(call *c, sotto_error *error)
{
    c->curl = curl_easy_init();
    c->headers = curl_slist_append(
        curl_slist_append(NULL, "Content-Type: application/octet-stream"),
        "Expect:");
    if (!c->curl || !c->headers)
        return error_memory(error);
    set_url_and_pin(c);
    c->most = federation_most_down(&c->f);
    CURL *h = c->curl;
    CURLcode bad = curl_easy_setopt(h, CURLOPT_URL, c->url);
    bad |= curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "https");
    bad |= curl_easy_setopt(h, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_3);
    bad |= curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
    bad |= curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
    bad |= curl_easy_setopt(h, CURLOPT_CAINFO, c->keys.authority_path);
    bad |= curl_easy_setopt(h, CURLOPT_PINNEDPUBLICKEY, c->pin);
    bad |= curl_easy_setopt(h, CURLOPT_SSLCERT, c->keys.certificate_path);
    bad |= curl_easy_setopt(h, CURLOPT_SSLKEY, c->keys.key_path);
    bad |= curl_easy_setopt(h, CURLOPT_HTTPHEADER, c->headers);
    bad |= curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    bad |= curl_easy_setopt(h, CURLOPT_TCP_KEEPALIVE, 1L);
    bad |= curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    bad |= curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)TOTAL_MS);
    bad |= curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, receive);
    bad |= curl_easy_setopt(h, CURLOPT_WRITEDATA, c);
    bad |= curl_easy_setopt(h, CURLOPT_ERRORBUFFER, c->problem);
    bad |= curl_easy_setopt(h, CURLOPT_POST, 1L);
    return bad ? error_set(error, SOTTO_FAILED,
                           "libcurl lacks what a party needs (TLS 1.3, pinned "
                           "keys)")
               : SOTTO_OK;
}

/* Says the present word; *code is HTTP's, 0 if nobody was reached. */
static CURLcode say(call *c, long *code)
{
    const text_buffer *word = member_word(c->member);
    text_free(&c->reply);
    c->problem[0] = 0;
    *code = 0;
    curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)word->length);
    curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, word->data);
    CURLcode result = curl_easy_perform(c->curl);
    if (result == CURLE_OK)
        curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, code);
    return result;
}

/* Why there is no point in trying again; NULL: there is. */
static const char *hopeless(const call *c, CURLcode result)
{
    switch (result) {
    case CURLE_PEER_FAILED_VERIFICATION:
        return strstr(c->problem, "does not match")
                   ? "its certificate is for another host name"
                   : "its certificate is from another authority, or has "
                     "expired";
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return "its certificate is for another role: it is not the "
               "coordinator's of the agreement";
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
        return "the files of --keys cannot be used";
    case CURLE_WRITE_ERROR:
        return "it sends more bytes than any message has";
    default:
        return NULL;
    }
}

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
    snprintf(why, sizeof why, "%.*s", (int)c->reply.length,
             c->reply.data ? c->reply.data : "");
    return error_set(error, SOTTO_PEER, "the coordinator answers: %s (%ld)",
                     show_name(why).text, code);
}

/* What it makes of an answer; *over: there is no more. */
static sotto_status heed(call *c, long code, int *over, sotto_error *error)
{
    if (code == 200)
        return member_take(c->member, c->reply.data ? c->reply.data : "",
                           c->reply.length, error);
    if (code == 204)
        return SOTTO_OK;
    if (code != 410)
        return refused(c, code, error);
    *over = 1;
    return member_weights(c->member)
               ? SOTTO_OK
               : error_set(error, SOTTO_PEER,
                           "the coordinator says that it is over, and there "
                           "is no model");
}

/* Nobody there: SOTTO_OK after a pause, if it is to be tried again. */
static sotto_status unreached(call *c, CURLcode result, double since,
                              double *pause, int *over, sotto_error *error)
{
    double silent = net_now() - since;
    const char *why = hopeless(c, result);
    if (why)
        return error_set(error, SOTTO_PEER, "the coordinator is refused: %s",
                         why);
    if (member_weights(c->member) && silent > FAREWELL) {
        log_line(&c->log, "the coordinator has ended; the model is here");
        *over = 1;
        return SOTTO_OK;
    }
    if (silent > (double)c->f.patience)
        return error_set(error, SOTTO_PEER,
                         "the coordinator has not been reached for %lld s: %s",
                         (long long)c->f.patience, curl_easy_strerror(result));
    if (*pause < .2)
        log_line(&c->log,
                 "the coordinator cannot be reached (%s); trying "
                 "again",
                 curl_easy_strerror(result));
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
        CURLcode result = say(c, &code);
        if (result != CURLE_OK || code >= 500) {
            status = unreached(c, result, since, &pause, &over, error);
            continue;
        }
        since = net_now();
        pause = .1;
        status = heed(c, code, &over, error);
        if (code == 204 && since - began < 1)
            pause_for(.5); /* it did not hold the line */
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

static sotto_status make_model(const call *c, sotto_model **out,
                               sotto_error *error)
{
    federation_promise p = {0};
    sotto_status status = federation_promise_make(
        &p, &c->f, member_all_private(c->member), error);
    if (status == SOTTO_OK)
        status =
            federation_model(out, &c->f, member_weights(c->member), &p, error);
    federation_promise_free(&p);
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
    return status == SOTTO_OK ? prepare(c, error) : status;
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
        status = make_model(&c, out, error);
    member_close(c.member);
    curl_easy_cleanup(c.curl);
    curl_slist_free_all(c.headers);
    text_free(&c.reply);
    log_close(&c.log);
    net_keys_free(&c.keys);
    federation_free(&c.f);
    return status;
}
