/*
 * The coordinator on a network. Parties come with what they have to say, and
 * wait a while for what there is for them: one thread for each connection,
 * one lock for the hub. Who comes without a certificate of the agreement is
 * told so, and nothing else.
 */
#include "keys.h"
#include "option.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

enum { HOLD = 15, IDLE = 60, GRACE = 5, SPARE_CONNECTIONS = 16 };

typedef struct service {
    federation f;
    net_keys keys;
    logbook log;
    hub *hub;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int stopping;
    int told; /* parties that know that it is over */
    sotto_status status;
    sotto_error failure;
} service;

/* One request as it comes in. */
typedef struct visit {
    service *s;
    int party; /* -1: refused */
    unsigned code;
    int is_last;
    char why[200];
    text_buffer body;
} visit;

/* ---- who is it? ---- */

static const char *address_of(struct MHD_Connection *c, char out[64])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *a = info ? info->client_addr : NULL;
    const void *from = NULL;
    if (a && a->sa_family == AF_INET)
        from = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
    if (a && a->sa_family == AF_INET6)
        from = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    if (!from || !inet_ntop(a->sa_family, from, out, 64))
        snprintf(out, 64, "somewhere");
    return out;
}

/* NULL where the chain is the authority's, is valid now, and is a party's. */
static const char *verify_chain(gnutls_session_t session)
{
    unsigned status = 0, count = 0;
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID,
        .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    if (gnutls_protocol_get_version(session) != GNUTLS_TLS1_3)
        return "expected TLS 1.3";
    if (!gnutls_certificate_get_peers(session, &count) || !count)
        return "no certificate";
    if (gnutls_certificate_verify_peers(session, &purpose, 1, &status))
        return "a certificate that cannot be verified";
    if (status & (GNUTLS_CERT_EXPIRED | GNUTLS_CERT_NOT_ACTIVATED))
        return "a certificate that has expired, or is not valid yet";
    if (status & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA |
                  GNUTLS_CERT_SIGNATURE_FAILURE))
        return "a certificate from another authority";
    if (status & GNUTLS_CERT_PURPOSE_MISMATCH)
        return "a certificate for another role: it is not a party's";
    return status ? "a certificate that is not valid" : NULL;
}

static const char *find_party(const service *s, gnutls_session_t session,
                              int *whose)
{
    unsigned count = 0;
    gnutls_x509_crt_t c;
    hash key;
    const gnutls_datum_t *list = gnutls_certificate_get_peers(session, &count);
    if (!list || !count || gnutls_x509_crt_init(&c))
        return "no certificate";
    int fine = !gnutls_x509_crt_import(c, &list[0], GNUTLS_X509_FMT_DER) &&
               net_key_of(c, &key);
    gnutls_x509_crt_deinit(c);
    if (!fine)
        return "a certificate that cannot be read";
    *whose = federation_whose(&s->f, &key);
    if (*whose >= 0)
        return NULL;
    return hash_same(&key, &s->f.coordinator_key)
               ? "a certificate for another role: the coordinator's"
               : "a certificate that is no party's of the agreement";
}

static void refuse(visit *v, unsigned code, const char *why)
{
    v->party = -1;
    v->code = code;
    snprintf(v->why, sizeof v->why, "%s", why);
}

static void identify(visit *v, struct MHD_Connection *c, const char *url,
                     const char *method)
{
    char from[64];
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    const char *why = "no TLS";
    if (info && info->tls_session) {
        why = verify_chain(info->tls_session);
        if (!why)
            why = find_party(v->s, info->tls_session, &v->party);
    }
    if (why)
        refuse(v, MHD_HTTP_FORBIDDEN, why);
    else if (strcmp(url, "/v1/word") || strcmp(method, MHD_HTTP_METHOD_POST))
        refuse(v, MHD_HTTP_NOT_FOUND, "expected POST /v1/word");
    if (v->party < 0)
        log_line(&v->s->log, "refused %s: %s", address_of(c, from), v->why);
}

/* ---- what is said ---- */

static void fail(service *s, sotto_status status, const sotto_error *error)
{
    if (s->status == SOTTO_OK) {
        s->status = status;
        s->failure = *error;
    }
    s->stopping = 1;
    pthread_cond_broadcast(&s->changed);
}

static void wait_until(service *s, double when)
{
    struct timespec t = {.tv_sec = (time_t)when};
    t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
    pthread_cond_timedwait(&s->changed, &s->lock, &t);
}

/* Takes what was said. With the lock. */
static void hear(visit *v, const char *from)
{
    service *s = v->s;
    sotto_error error = {SOTTO_OK, ""};
    shown name = show_name(s->f.party[v->party].name);
    int64_t events = hub_events(s->hub);
    sotto_status status =
        hub_take(s->hub, v->party, v->body.data, v->body.length, &error);
    if (status == SOTTO_PEER) {
        log_line(&s->log, "%s at %s: %s", name.text, from, error.message);
        refuse(v, MHD_HTTP_CONFLICT, error.message);
    } else if (status != SOTTO_OK) {
        fail(s, status, &error);
        refuse(v, MHD_HTTP_INTERNAL_SERVER_ERROR, "the coordinator has failed");
    } else if (events != hub_events(s->hub))
        pthread_cond_broadcast(&s->changed);
}

/* Waits for what there is to be said. With the lock. */
static hub_word hold(visit *v, text_buffer *out)
{
    service *s = v->s;
    hub_word word = HUB_WAIT;
    sotto_error error = {SOTTO_OK, ""};
    double until = net_now() + HOLD;
    for (;;) {
        sotto_status status = hub_next(s->hub, v->party, &word, out, &error);
        if (status != SOTTO_OK) {
            fail(s, status, &error);
            refuse(v, MHD_HTTP_INTERNAL_SERVER_ERROR,
                   "the coordinator has failed");
        }
        if (status != SOTTO_OK || word != HUB_WAIT || s->stopping ||
            net_now() >= until)
            return word;
        wait_until(s, until);
    }
}

static enum MHD_Result reply(struct MHD_Connection *c, unsigned code,
                             const void *bytes, size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result converse(visit *v, struct MHD_Connection *c)
{
    service *s = v->s;
    text_buffer out = {0};
    char from[64];
    hub_word word = HUB_WAIT;
    address_of(c, from);
    if (v->party >= 0) {
        pthread_mutex_lock(&s->lock);
        hear(v, from);
        if (v->party >= 0)
            word = hold(v, &out);
        v->is_last = v->party >= 0 && word == HUB_OVER;
        pthread_mutex_unlock(&s->lock);
    }
    enum MHD_Result done =
        v->party < 0       ? reply(c, v->code, v->why, strlen(v->why))
        : word == HUB_ASK  ? reply(c, MHD_HTTP_OK, out.data, out.length)
        : word == HUB_OVER ? reply(c, MHD_HTTP_GONE, "", 0)
                           : reply(c, MHD_HTTP_NO_CONTENT, "", 0);
    text_free(&out);
    return done;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *c,
                              const char *url, const char *method,
                              const char *version, const char *data,
                              size_t *size, void **own)
{
    visit *v = *own;
    (void)version;
    if (!v) {
        v = *own = mem_zeroed(1, sizeof *v);
        if (!v)
            return MHD_NO;
        *v = (visit){.s = context, .party = -1};
        identify(v, c, url, method);
        return MHD_YES;
    }
    if (!*size)
        return converse(v, c);
    /* bounded before it is kept; who is not known is not listened to */
    size_t most = v->party < 0 ? 1 << 16 : federation_most_up(&v->s->f);
    if (*size > most - v->body.length) {
        log_line(&v->s->log, "refused a message of too many bytes");
        return MHD_NO;
    }
    text_add(&v->body, data, *size);
    *size = 0;
    return v->body.failed ? MHD_NO : MHD_YES;
}

static void completed(void *context, struct MHD_Connection *c, void **own,
                      enum MHD_RequestTerminationCode how)
{
    service *s = context;
    visit *v = *own;
    (void)c;
    if (!v)
        return;
    if (v->is_last && how == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        pthread_mutex_lock(&s->lock);
        s->told++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    text_free(&v->body);
    mem_free(v);
    *own = NULL;
}

static void overheard(void *context, const char *format, va_list arguments)
{
    char line[300];
    service *s = context;
    vsnprintf(line, sizeof line, format, arguments);
    size_t length = strlen(line);
    while (length && line[length - 1] == '\n')
        line[--length] = 0;
    log_line(&s->log, "network: %s", line);
}

/* ---- until it is over ---- */

/* Somebody has been silent for too long. With the lock. */
static void give_up(service *s, int who)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_status status;
    if (s->f.absent_skips)
        status = hub_skip(s->hub, &error);
    else
        status = error_set(
            &error, SOTTO_PEER, "party %s has been silent for %lld s",
            show_name(s->f.party[who].name).text, (long long)s->f.patience);
    if (status != SOTTO_OK)
        fail(s, status, &error);
    pthread_cond_broadcast(&s->changed);
}

/* With the lock. */
static void watch(service *s)
{
    double since = net_now();
    int64_t events = hub_events(s->hub);
    int who;
    while (!s->stopping && (who = hub_waits_for(s->hub)) >= 0) {
        if (events != hub_events(s->hub)) {
            events = hub_events(s->hub);
            since = net_now();
        }
        double until =
            since + (hub_is_silent(s->hub, who) ? 0 : (double)s->f.patience);
        if (net_now() >= until)
            give_up(s, who);
        else
            wait_until(s, until);
    }
    /* those who have not heard it yet come once more */
    double until = net_now() + GRACE;
    while (!s->stopping && s->told < s->f.parties && net_now() < until)
        wait_until(s, until);
    s->stopping = 1;
    pthread_cond_broadcast(&s->changed);
}

static sotto_status listen_and_watch(service *s, sotto_error *error)
{
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION |
                     MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_TLS |
                     MHD_USE_ERROR_LOG;
    /* the logger first: what follows may have something to say */
    struct MHD_Daemon *d = MHD_start_daemon(
        flags, (uint16_t)s->f.port, NULL, NULL, handle, s,
        MHD_OPTION_EXTERNAL_LOGGER, overheard, s, MHD_OPTION_HTTPS_MEM_KEY,
        s->keys.key, MHD_OPTION_HTTPS_MEM_CERT, s->keys.certificate,
        MHD_OPTION_HTTPS_MEM_TRUST, s->keys.authority,
        MHD_OPTION_HTTPS_PRIORITIES, "NORMAL:-VERS-ALL:+VERS-TLS1.3",
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE,
        MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(2 * s->f.parties + SPARE_CONNECTIONS),
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_NOTIFY_COMPLETED,
        completed, s, MHD_OPTION_END);
    if (!d)
        return error_set(error, SOTTO_FAILED,
                         "cannot listen on port %lld (is it taken?)",
                         (long long)s->f.port);
    log_line(&s->log, "listening on port %lld", (long long)s->f.port);
    pthread_mutex_lock(&s->lock);
    watch(s);
    pthread_mutex_unlock(&s->lock);
    MHD_stop_daemon(d);
    if (s->status != SOTTO_OK) {
        *error = s->failure;
        log_line(&s->log, "%s", error->message);
    }
    return s->status;
}

/* ---- life ---- */

static sotto_status open_service(service *s, const char *config,
                                 const sotto_options *options,
                                 const sotto_teller *teller, sotto_error *error)
{
    if (!option_given(options, OPTION_KEYS) ||
        !option_given(options, OPTION_STATE))
        return error_set(error, SOTTO_USAGE,
                         "expected --keys FOLDER and --state FOLDER");
    const char *state = option_text(options, OPTION_STATE);
    sotto_status status = federation_read(&s->f, config, error);
    if (status == SOTTO_OK)
        status = federation_settle_agreed(&s->f, config, 1, error);
    if (status == SOTTO_OK)
        status = net_keys_read(&s->keys, &s->f,
                               option_text(options, OPTION_KEYS), error);
    if (status == SOTTO_OK &&
        !hash_same(&s->keys.own_key, &s->f.coordinator_key))
        status = error_set(error, SOTTO_PEER,
                           "%s: this certificate is not the coordinator's of "
                           "the agreement",
                           show_name(s->keys.certificate_path).text);
    if (status == SOTTO_OK)
        status = log_open(&s->log, state, teller, error);
    return status == SOTTO_OK ? hub_open(&s->hub, &s->f, state, &s->log, error)
                              : status;
}

static sotto_status make_model(const service *s, sotto_model **out,
                               sotto_error *error)
{
    int64_t count;
    federation_promise p = {0};
    double *weight = server_all_weights(hub_server(s->hub), &count);
    sotto_status status =
        weight
            ? federation_promise_make(&p, &s->f, hub_is_private(s->hub), error)
            : error_memory(error);
    if (status == SOTTO_OK)
        status = federation_model(out, &s->f, weight, &p, error);
    federation_promise_free(&p);
    mem_free(weight);
    return status;
}

sotto_status sotto_federation_serve(const char *config,
                                    const sotto_options *options,
                                    const sotto_teller *teller,
                                    sotto_model **out, sotto_error *error)
{
    service s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_condattr_t steady;
    *out = NULL;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&s.changed, &steady);
    pthread_condattr_destroy(&steady);
    sotto_status status = open_service(&s, config, options, teller, error);
    if (status == SOTTO_OK)
        status = listen_and_watch(&s, error);
    if (status == SOTTO_OK)
        status = make_model(&s, out, error);
    hub_close(s.hub);
    log_close(&s.log);
    net_keys_free(&s.keys);
    federation_free(&s.f);
    pthread_cond_destroy(&s.changed);
    return status;
}
