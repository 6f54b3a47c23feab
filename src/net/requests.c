/*
 * How the coordinator handles HTTP requests. A client without a certificate of
 * the agreement is told so, and nothing else. A party's message is handed to
 * coordinator.c; the reply waits a while for a request to that party (long
 * polling).
 */
#include "limits.h"
#include "service.h"

#include <string.h>

enum { MOST_REFUSALS = 10000 };

/* One request as it comes in. */
typedef struct http_request {
    service *s;
    connection *from;
    int party; /* -1: refused */
    unsigned code;
    int is_last;
    char why[sizeof((sotto_error *)0)->message];
    text_buffer body;
} http_request;

/* ---- who the client is ---- */

static connection *connection_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void refuse(http_request *r, unsigned code, const char *why)
{
    r->party = -1;
    r->code = code;
    snprintf(r->why, sizeof r->why, "%s", why);
}

/* Refusals are logged up to a number: strangers must not fill the disk. */
static void log_refusal(service *s, const char *from, const char *why)
{
    int64_t before = atomic_fetch_add(&s->refusals, 1);
    if (before < MOST_REFUSALS)
        log_line(&s->log, "refused %s: %s", from, why);
    else if (before == MOST_REFUSALS)
        log_line(&s->log, "refusals from here on are not written down");
}

/* The deadline of a request that begins now. */
static double request_end(const federation *f)
{
    size_t bytes = federation_most_up(f) + federation_most_down(f);
    return net_now() + NET_REQUEST + (double)bytes / NET_BYTES;
}

/* The client is a party. An older connection of it may have been shut down for
   this; a request that waits there must notice. */
static void admit(http_request *r)
{
    service *s = r->s;
    if (!admission_identify(&s->admission, r->from, r->party,
                            request_end(&s->f)))
        return;
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void identify(http_request *r, struct MHD_Connection *c, const char *url,
                     const char *method)
{
    char from[64];
    const char *why = authenticate_party(c, &r->s->f, &r->party);
    if (!why)
        admit(r);
    if (why)
        refuse(r, MHD_HTTP_FORBIDDEN, why);
    else if (strcmp(url, "/v1/word") || strcmp(method, MHD_HTTP_METHOD_POST))
        refuse(r, MHD_HTTP_NOT_FOUND, "expected POST /v1/word");
    if (r->party < 0)
        log_refusal(r->s, remote_address(c, from), r->why);
}

/* ---- messages ---- */

/* Takes the party's message. With the lock. */
static void receive(http_request *r, const char *from)
{
    service *s = r->s;
    sotto_error error = {SOTTO_OK, ""};
    shown name = show_name(s->f.party[r->party].name);
    int64_t events = coordinator_events(s->coordinator);
    sotto_status status = coordinator_take(
        s->coordinator, r->party, r->body.data, r->body.length, &error);
    if (status == SOTTO_PEER) {
        char who[sizeof name.text + 70];
        snprintf(who, sizeof who, "%s at %s", name.text, from);
        log_refusal(s, who, error.message);
        refuse(r, MHD_HTTP_CONFLICT, error.message);
    } else if (status != SOTTO_OK) {
        service_fail(s, status, &error);
        refuse(r, MHD_HTTP_INTERNAL_SERVER_ERROR, "the coordinator has failed");
    } else if (events != coordinator_events(s->coordinator))
        pthread_cond_broadcast(&s->changed);
}

/* Waits for a request to the party. With the lock. */
static coordinator_reply wait_for_reply(http_request *r, text_buffer *out)
{
    service *s = r->s;
    coordinator_reply reply_kind = COORDINATOR_WAIT;
    sotto_error error = {SOTTO_OK, ""};
    double until = net_now() + NET_HOLD;
    /* after a failure nothing more may be sent */
    while (!s->stopping && !r->from->is_shut) {
        sotto_status status = coordinator_next(s->coordinator, r->party,
                                               &reply_kind, out, &error);
        if (status != SOTTO_OK) {
            service_fail(s, status, &error);
            refuse(r, MHD_HTTP_INTERNAL_SERVER_ERROR,
                   "the coordinator has failed");
        }
        if (status != SOTTO_OK || reply_kind != COORDINATOR_WAIT ||
            net_now() >= until)
            break;
        service_wait_until(s, until);
    }
    return reply_kind;
}

static enum MHD_Result reply(struct MHD_Connection *c, unsigned code,
                             const void *bytes, size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    if (code == MHD_HTTP_FORBIDDEN) /* the connection of a stranger ends here */
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result respond(http_request *r, struct MHD_Connection *c)
{
    service *s = r->s;
    text_buffer out = {0};
    char from[64];
    coordinator_reply reply_kind = COORDINATOR_WAIT;
    remote_address(c, from);
    if (r->party >= 0) {
        pthread_mutex_lock(&s->lock);
        receive(r, from);
        if (r->party >= 0)
            reply_kind = wait_for_reply(r, &out);
        r->is_last = r->party >= 0 && reply_kind == COORDINATOR_OVER;
        pthread_mutex_unlock(&s->lock);
    }
    enum MHD_Result done =
        r->party < 0 ? reply(c, r->code, r->why, strlen(r->why))
        : reply_kind == COORDINATOR_ASK
            ? reply(c, MHD_HTTP_OK, out.data, out.length)
        : reply_kind == COORDINATOR_OVER ? reply(c, MHD_HTTP_GONE, "", 0)
                                         : reply(c, MHD_HTTP_NO_CONTENT, "", 0);
    text_free(&out);
    return done;
}

enum MHD_Result service_handle(void *context, struct MHD_Connection *c,
                               const char *url, const char *method,
                               const char *version, const char *data,
                               size_t *size, void **own)
{
    http_request *r = *own;
    (void)version;
    if (!r) {
        connection *from = connection_of(c);
        r = from ? mem_zeroed(1, sizeof *r) : NULL;
        if (!r)
            return MHD_NO;
        *r = (http_request){.s = context, .from = from, .party = -1};
        *own = r;
        identify(r, c, url, method);
        return MHD_YES;
    }
    if (!*size)
        return respond(r, c);
    /* the length is checked before anything is kept */
    size_t most = r->party < 0 ? 1 << 16 : federation_most_up(&r->s->f);
    if (*size > most - r->body.length) {
        char from[64];
        log_refusal(r->s, remote_address(c, from),
                    "a message of too many bytes");
        return MHD_NO;
    }
    text_add(&r->body, data, *size);
    *size = 0;
    return r->body.failed ? MHD_NO : MHD_YES;
}

void service_completed(void *context, struct MHD_Connection *c, void **own,
                       enum MHD_RequestTerminationCode how)
{
    service *s = context;
    http_request *r = *own;
    (void)c;
    if (!r)
        return;
    admission_extend(&s->admission, r->from, net_now() + NET_IDLE);
    if (r->is_last && how == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        pthread_mutex_lock(&s->lock);
        s->told++;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    text_free(&r->body);
    mem_free(r);
    *own = NULL;
}

void service_connection_changed(void *context, struct MHD_Connection *c,
                                void **own,
                                enum MHD_ConnectionNotificationCode what)
{
    char from[64];
    service *s = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    /* libmicrohttpd 1.0 has one such answer for each connection: the next
       question, as for its address, writes over it */
    int socket = info ? info->connect_fd : -1;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        admission_remove(&s->admission, *own);
    else if (info)
        *own = admission_add(&s->admission, socket, remote_address(c, from),
                             net_now());
}

void service_log_refused(void *context, const char *from, const char *why)
{
    log_refusal(context, from, why);
}

void service_log_library(void *context, const char *format, va_list arguments)
{
    char line[300];
    service *s = context;
    vsnprintf(line, sizeof line, format, arguments);
    size_t length = strlen(line);
    while (length && line[length - 1] == '\n')
        line[--length] = 0;
    for (size_t i = 0; i < length; i++) /* it may quote bytes of the client */
        if (line[i] < 32 || line[i] > 126)
            line[i] = '?';
    log_refusal(s, "on the network", line);
}
