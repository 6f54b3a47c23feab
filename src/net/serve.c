/*
 * The coordinator on a network. Parties come with what they have to say, and
 * wait a while for what there is for them: one thread for each connection,
 * one lock for the hub. Who comes without a certificate of the agreement is
 * told so, and nothing else; who takes too long, or is one too many, is shut
 * (door.c).
 */
#include "door.h"
#include "option.h"
#include "times.h"
#include "visitor.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { GRACE = 5, LOOK = 1, MOST_REFUSALS = 10000 };

typedef struct service {
    federation f;
    net_keys keys;
    logbook log;
    hub *hub;
    door door; /* has a lock of its own, which is taken after this one */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int stopping;
    int told; /* parties that know that it is over */
    atomic_long refusals;
    sotto_status status;
    sotto_error failure;
} service;

/* One request as it comes in. */
typedef struct visit {
    service *s;
    caller *from;
    int party; /* -1: refused */
    unsigned code;
    int is_last;
    char why[sizeof((sotto_error *)0)->message];
    text_buffer body;
} visit;

/* ---- who is it? ---- */

static caller *caller_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void refuse(visit *v, unsigned code, const char *why)
{
    v->party = -1;
    v->code = code;
    snprintf(v->why, sizeof v->why, "%s", why);
}

/* What strangers do is written down up to a point: they must not be able to
   fill the disk. */
static void log_refusal(service *s, const char *from, const char *why)
{
    int64_t before = atomic_fetch_add(&s->refusals, 1);
    if (before < MOST_REFUSALS)
        log_line(&s->log, "refused %s: %s", from, why);
    else if (before == MOST_REFUSALS)
        log_line(&s->log, "refusals from here on are not written down");
}

/* When a request that begins now must have been answered. */
static double request_end(const federation *f)
{
    size_t bytes = federation_most_up(f) + federation_most_down(f);
    return net_now() + NET_REQUEST + (double)bytes / NET_BYTES;
}

/* A party has come. A request of it that waits may have been shut for this. */
static void welcome(visit *v)
{
    service *s = v->s;
    if (!door_know(&s->door, v->from, v->party, request_end(&s->f)))
        return;
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void identify(visit *v, struct MHD_Connection *c, const char *url,
                     const char *method)
{
    char from[64];
    const char *why = visitor_fault(c, &v->s->f, &v->party);
    if (!why)
        welcome(v);
    if (why)
        refuse(v, MHD_HTTP_FORBIDDEN, why);
    else if (strcmp(url, "/v1/word") || strcmp(method, MHD_HTTP_METHOD_POST))
        refuse(v, MHD_HTTP_NOT_FOUND, "expected POST /v1/word");
    if (v->party < 0)
        log_refusal(v->s, visitor_address(c, from), v->why);
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
        char who[sizeof name.text + 70];
        snprintf(who, sizeof who, "%s at %s", name.text, from);
        log_refusal(s, who, error.message);
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
    double until = net_now() + NET_HOLD;
    /* what failed must not be gone on from */
    while (!s->stopping && !v->from->is_shut) {
        sotto_status status = hub_next(s->hub, v->party, &word, out, &error);
        if (status != SOTTO_OK) {
            fail(s, status, &error);
            refuse(v, MHD_HTTP_INTERNAL_SERVER_ERROR,
                   "the coordinator has failed");
        }
        if (status != SOTTO_OK || word != HUB_WAIT || net_now() >= until)
            break;
        wait_until(s, until);
    }
    return word;
}

static enum MHD_Result reply(struct MHD_Connection *c, unsigned code,
                             const void *bytes, size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    if (code == MHD_HTTP_FORBIDDEN) /* a stranger does not stay */
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
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
    visitor_address(c, from);
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
        caller *from = caller_of(c);
        v = from ? mem_zeroed(1, sizeof *v) : NULL;
        if (!v)
            return MHD_NO;
        *v = (visit){.s = context, .from = from, .party = -1};
        *own = v;
        identify(v, c, url, method);
        return MHD_YES;
    }
    if (!*size)
        return converse(v, c);
    /* bounded before it is kept; who is not known is not listened to */
    size_t most = v->party < 0 ? 1 << 16 : federation_most_up(&v->s->f);
    if (*size > most - v->body.length) {
        char from[64];
        log_refusal(v->s, visitor_address(c, from),
                    "a message of too many bytes");
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
    door_extend(&s->door, v->from, net_now() + NET_IDLE);
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

static void came_or_went(void *context, struct MHD_Connection *c, void **own,
                         enum MHD_ConnectionNotificationCode what)
{
    char from[64];
    service *s = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        door_leave(&s->door, *own);
    else if (info)
        *own = door_enter(&s->door, info->connect_fd, visitor_address(c, from),
                          net_now());
}

static void shown_out(void *context, const char *from, const char *why)
{
    log_refusal(context, from, why);
}

static void overheard(void *context, const char *format, va_list arguments)
{
    char line[300];
    service *s = context;
    vsnprintf(line, sizeof line, format, arguments);
    size_t length = strlen(line);
    while (length && line[length - 1] == '\n')
        line[--length] = 0;
    for (size_t i = 0; i < length; i++) /* it may quote what came */
        if (line[i] < 32 || line[i] > 126)
            line[i] = '?';
    log_refusal(s, "on the network", line);
}

/* ---- until it is over ---- */

/* As wait_until, with a look at the door from time to time. With the lock. */
static void watch_until(service *s, double when)
{
    double now = net_now();
    if (door_sweep(&s->door, now))
        pthread_cond_broadcast(&s->changed);
    wait_until(s, fmin(when, now + LOOK));
}

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

/* All have the model; whether it is the same they find out among themselves.
   With the lock. */
static void await_comparison(service *s)
{
    int who = -1;
    int64_t events = hub_events(s->hub);
    double until = net_now() + (double)s->f.patience;
    while (!s->stopping && net_now() < until &&
           (who = hub_waits_to_compare(s->hub)) >= 0) {
        watch_until(s, until);
        if (events != hub_events(s->hub))
            until = net_now() + (double)s->f.patience;
        events = hub_events(s->hub);
    }
    if (!s->stopping && who >= 0)
        log_line(&s->log, "party %s has not said that its model is that of all",
                 show_name(s->f.party[who].name).text);
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
            watch_until(s, until);
    }
    await_comparison(s);
    /* those who have not heard it yet come once more */
    double until = net_now() + GRACE;
    while (!s->stopping && s->told < s->f.parties && net_now() < until)
        watch_until(s, until);
    s->stopping = 1;
    pthread_cond_broadcast(&s->changed);
}

static sotto_status listen_and_watch(service *s, sotto_error *error)
{
    /* twice what the door lets in: who was shut is there for a moment more */
    unsigned most = 2 * (NET_STRANGERS + NET_OF_PARTY * (unsigned)s->f.parties);
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
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)NET_IDLE,
        MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_NOTIFY_CONNECTION,
        came_or_went, s, MHD_OPTION_NOTIFY_COMPLETED, completed, s,
        MHD_OPTION_END);
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

sotto_status sotto_federation_serve(const char *config,
                                    const sotto_options *options,
                                    const sotto_teller *teller,
                                    sotto_model **out, sotto_error *error)
{
    service s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    s.door = (door){
        .lock = PTHREAD_MUTEX_INITIALIZER, .tell = shown_out, .context = &s};
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
        status = hub_model(s.hub, out, error);
    hub_close(s.hub);
    log_close(&s.log);
    net_keys_free(&s.keys);
    federation_free(&s.f);
    pthread_cond_destroy(&s.changed);
    return status;
}
