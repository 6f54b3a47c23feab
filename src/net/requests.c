/*
 * Requests as they come to the coordinator. Who comes without a certificate of
 * the agreement is told so, and nothing else. A party's message is handed to
 * the hub, and the reply waits a while for what there is for that party.
 */
#include "limits.h"
#include "service.h"

#include <string.h>

enum { MOST_REFUSALS = 10000 };

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
        service_fail(s, status, &error);
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
            service_fail(s, status, &error);
            refuse(v, MHD_HTTP_INTERNAL_SERVER_ERROR,
                   "the coordinator has failed");
        }
        if (status != SOTTO_OK || word != HUB_WAIT || net_now() >= until)
            break;
        service_wait_until(s, until);
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

enum MHD_Result service_handle(void *context, struct MHD_Connection *c,
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

void service_completed(void *context, struct MHD_Connection *c, void **own,
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

void service_came_or_went(void *context, struct MHD_Connection *c, void **own,
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

void service_shown_out(void *context, const char *from, const char *why)
{
    log_refusal(context, from, why);
}

void service_overheard(void *context, const char *format, va_list arguments)
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
