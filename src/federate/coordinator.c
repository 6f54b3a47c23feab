/*
 * The coordinator between the network and the server's logic. It stores every
 * message before it sends it, and every answer before anything follows from
 * it; what it stored makes it what it was. Parties come and ask; who says the
 * same twice is told the same twice.
 */
#include "coordinator.h"

#include <math.h>
#include <string.h>

sotto_status hub_refuse(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "refused: %s", what);
}

const char *hub_name(const hub *h, int k, shown *room)
{
    *room = show_name(h->f->party[k].name);
    return room->text;
}

/* ---- answers ---- */

/* An answer to a round that was passed over meanwhile. */
static int is_late(const hub *h, int k, const message *m)
{
    return m->kind == FEDERATION_VERTEX && m->round >= 1 &&
           m->round <= (uint64_t)h->f->rounds &&
           h->f->turn[m->round - 1] == k && h->skipped[m->round - 1];
}

static sotto_status take_answer(hub *h, int k, const message *m,
                                const void *bytes, size_t size,
                                sotto_error *error)
{
    int to = -1;
    const text_buffer *request;
    const hash *seal = message_get(m, 0, MESSAGE_BYTES, sizeof *seal);
    if (hub_missing(h) >= 0)
        return hub_refuse("an answer before all have agreed on their rows",
                          error);
    sotto_status status = server_next(h->server, &to, &request, error);
    if (status != SOTTO_OK)
        return status;
    if (h->guest[k].never)
        return hub_refuse("its beginning was passed over; it has no part in "
                          "this run",
                          error);
    if (to != k || !h->asked)
        return hub_refuse("a message that is out of turn, or was sent before",
                          error);
    if (m->kind == FEDERATION_TAKEN && !seal)
        return hub_refuse("a word about the model without a digest", error);
    status = server_take(h->server, bytes, size, error);
    if (status == SOTTO_OK)
        h->asked = 0;
    if (status == SOTTO_OK && m->kind == FEDERATION_TAKEN) {
        h->guest[k].has_model = 1;
        h->guest[k].seal = *seal;
    }
    return status;
}

/* What it makes of a message that is new: the type to store it as. */
static sotto_status take_new(hub *h, int k, const message *m, const void *bytes,
                             size_t size, store_type *type, sotto_error *error)
{
    sotto_status status;
    if (m->kind == FEDERATION_TAG) {
        *type = STORE_TAG;
        status = hub_take_tag(h, k, m, bytes, size, error);
    } else if (m->kind == FEDERATION_AGREED) {
        *type = STORE_AGREED;
        status = hub_take_agreed(h, k, m, error);
    } else if (m->kind == FEDERATION_COMPARED) {
        *type = STORE_COMPARED;
        status = hub_take_compared(h, k, m, error);
    } else if (is_late(h, k, m)) {
        *type = STORE_LATE;
        status = server_take_late(h->server, k, bytes, size, error);
    } else {
        *type = STORE_ANSWER;
        status = take_answer(h, k, m, bytes, size, error);
    }
    h->events += status == SOTTO_OK;
    return status == SOTTO_OK ? guest_remember(&h->guest[k], bytes, size, error)
                              : status;
}

static sotto_status check_sender(const hub *h, int k, const message *m,
                                 sotto_error *error)
{
    if (!hash_same(&m->session, &h->f->session))
        return hub_refuse("another agreement; compare what 'sotto federate "
                          "config' prints",
                          error);
    if (m->from != (uint32_t)k + 1 || m->to != 0)
        return hub_refuse("a message in another party's name", error);
    return SOTTO_OK;
}

static const char *kind_shown(store_type type)
{
    return type == STORE_TAG        ? "its rows' tag"
           : type == STORE_AGREED   ? "rows agree"
           : type == STORE_COMPARED ? "models agree"
           : type == STORE_LATE     ? "an answer after it was passed over"
                                    : "an answer";
}

/*
 * What it said last it may say again, and nothing follows. Anything before
 * that is an old message that somebody replays, or a state folder that was
 * put back: it would answer again what it has answered.
 */
static sotto_status take_again(int is_last, sotto_error *error)
{
    return is_last ? SOTTO_OK
                   : hub_refuse("a message that was sent before, and others "
                                "after it: a replay, or the state folder is an "
                                "old copy",
                                error);
}

sotto_status hub_take(hub *h, int k, const void *bytes, size_t size,
                      sotto_error *error)
{
    message m;
    shown name;
    store_type type;
    int is_last;
    hash sum = hash_of(bytes, size);
    if (guest_said(&h->guest[k], &sum, &is_last)) {
        h->guest[k].silent &= !is_last;
        return take_again(is_last, error);
    }
    sotto_status status = message_read(&m, bytes, size, error);
    if (status == SOTTO_OK)
        status = check_sender(h, k, &m, error);
    if (status == SOTTO_OK)
        status = take_new(h, k, &m, bytes, size, &type, error);
    unsigned long long round = m.round;
    message_free(&m);
    if (status == SOTTO_OK)
        status = store_add(h->store, type, k, bytes, size, error);
    if (status == SOTTO_OK) {
        h->guest[k].silent = 0;
        log_line(h->log, "from %s: %s, round %llu, %zu bytes",
                 hub_name(h, k, &name), kind_shown(type), round, size);
    }
    return status;
}

/* ---- requests ---- */

static sotto_status copy_out(text_buffer *out, const text_buffer *from,
                             sotto_error *error)
{
    text_add(out, from->data, from->length);
    return out->failed ? error_memory(error) : SOTTO_OK;
}

/* On the disk before the first time it is sent. */
static sotto_status keep_request(hub *h, int k, const text_buffer *request,
                                 sotto_error *error)
{
    shown name;
    if (h->asked)
        return SOTTO_OK;
    sotto_status status = store_add(h->store, STORE_REQUEST, k, request->data,
                                    request->length, error);
    if (status != SOTTO_OK)
        return status;
    h->asked = 1;
    federation_kind kind = server_asks(h->server);
    if (kind == FEDERATION_VECTOR)
        log_line(h->log, "to %s: round %lld of %lld, %zu bytes",
                 hub_name(h, k, &name), (long long)server_round(h->server),
                 (long long)h->f->rounds, request->length);
    else
        log_line(h->log, "to %s: %s, %zu bytes", hub_name(h, k, &name),
                 kind == FEDERATION_START ? "the start" : "the model",
                 request->length);
    return SOTTO_OK;
}

sotto_status hub_next(hub *h, int k, hub_word *word, text_buffer *out,
                      sotto_error *error)
{
    int to;
    const guest *g = &h->guest[k];
    const text_buffer *request;
    *word = g->compared ? HUB_OVER : HUB_WAIT;
    if (g->compared || !hub_has_tags(h))
        return SOTTO_OK;
    if (!g->agreed) {
        *word = HUB_ASK;
        return hub_write_tags(h, k, out, error);
    }
    if (hub_missing(h) >= 0)
        return SOTTO_OK;
    sotto_status status = server_next(h->server, &to, &request, error);
    if (status != SOTTO_OK)
        return status;
    if (to < 0 && g->has_model) {
        *word = HUB_ASK;
        return hub_write_seals(h, k, out, error);
    }
    if (to < 0)
        *word = HUB_OVER;
    if (to != k)
        return SOTTO_OK;
    *word = HUB_ASK;
    status = keep_request(h, k, request, error);
    return status == SOTTO_OK ? copy_out(out, request, error) : status;
}

/* ---- who is waited for ---- */

int hub_waits_for(const hub *h)
{
    int to = hub_missing(h);
    const text_buffer *request;
    sotto_error error;
    if (to >= 0)
        return to;
    return server_next(h->server, &to, &request, &error) == SOTTO_OK ? to : 0;
}

int64_t hub_events(const hub *h)
{
    return h->events;
}

int hub_is_silent(const hub *h, int k)
{
    return h->guest[k].silent || h->guest[k].never;
}

/* Passes over party k, who is to answer now. */
static sotto_status pass_over(hub *h, int k, sotto_error *error)
{
    int64_t round = server_round(h->server);
    federation_kind kind = server_asks(h->server);
    sotto_status status = server_skip(h->server, error);
    if (status != SOTTO_OK)
        return status;
    h->asked = 0;
    h->events++;
    h->guest[k].silent = 1;
    h->guest[k].never |= kind == FEDERATION_START;
    if (kind == FEDERATION_VECTOR)
        h->skipped[round - 1] = 1;
    return SOTTO_OK;
}

sotto_status hub_skip(hub *h, sotto_error *error)
{
    shown name;
    int k = hub_waits_for(h);
    if (k < 0)
        return hub_refuse("it is over", error);
    if (hub_missing(h) >= 0)
        return error_set(error, SOTTO_PEER,
                         "party %s is silent, and nobody can be passed over "
                         "before all have agreed on their rows",
                         hub_name(h, k, &name));
    sotto_status status = pass_over(h, k, error);
    if (status == SOTTO_OK)
        status = store_add(h->store, STORE_SKIP, k, "", 0, error);
    if (status == SOTTO_OK)
        log_line(h->log, "%s is gone, and is passed over",
                 hub_name(h, k, &name));
    return status;
}

/* ---- life ---- */

static sotto_status again_request(hub *h, const store_record *r,
                                  sotto_error *error)
{
    int to;
    const text_buffer *request;
    sotto_status status = server_next(h->server, &to, &request, error);
    if (status == SOTTO_OK && (to != r->who || request->length != r->size ||
                               memcmp(request->data, r->bytes, r->size)))
        status = error_set(error, SOTTO_FAILED,
                           "the state folder is another version's: what was "
                           "asked cannot be asked again");
    h->asked = 1;
    return status;
}

static sotto_status again(void *context, const store_record *r,
                          sotto_error *error)
{
    hub *h = context;
    message m;
    store_type type;
    int to;
    const text_buffer *request;
    if (r->who < 0 || r->who >= h->f->parties)
        return hub_refuse("a record of somebody else", error);
    if (r->type == STORE_REQUEST)
        return again_request(h, r, error);
    sotto_status status = SOTTO_OK;
    if (r->type == STORE_SKIP) {
        status = server_next(h->server, &to, &request, error);
        return status == SOTTO_OK ? pass_over(h, r->who, error) : status;
    }
    status = message_read(&m, r->bytes, r->size, error);
    if (status == SOTTO_OK)
        status = take_new(h, r->who, &m, r->bytes, r->size, &type, error);
    message_free(&m);
    return status;
}

sotto_status hub_open(hub **out, const federation *f, const char *folder,
                      logbook *log, sotto_error *error)
{
    hub *h = mem_zeroed(1, sizeof *h);
    *out = NULL;
    if (!h)
        return error_memory(error);
    *h = (hub){.f = f, .log = log};
    h->guest = mem_zeroed((size_t)f->parties, sizeof *h->guest);
    h->skipped = mem_zeroed((size_t)f->rounds, 1);
    sotto_status status = h->guest && h->skipped
                              ? server_open(&h->server, f, error)
                              : error_memory(error);
    store_owner owner = {.role = 0, .session = f->session};
    if (status == SOTTO_OK)
        status = store_open(&h->store, folder, &owner, again, h, error);
    /* who was gone has time to come back to a coordinator that came back */
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++)
        h->guest[k].silent = 0;
    if (status == SOTTO_OK)
        *out = h;
    else
        hub_close(h);
    return status;
}

void hub_close(hub *h)
{
    if (!h)
        return;
    for (int k = 0; h->guest && k < h->f->parties; k++)
        guest_free(&h->guest[k]);
    mem_free(h->guest);
    mem_free(h->skipped);
    server_close(h->server);
    store_close(h->store);
    mem_free(h);
}

int hub_is_private(const hub *h)
{
    int all = isfinite(h->f->epsilon) != 0;
    for (int k = 0; k < h->f->parties; k++)
        all &= h->guest[k].is_private;
    return all;
}

const server *hub_server(const hub *h)
{
    return h->server;
}

sotto_status hub_model(const hub *h, sotto_model **out, sotto_error *error)
{
    int64_t count;
    double *weight = server_all_weights(h->server, &count);
    sotto_status status = weight ? federation_model_of(out, h->f, weight,
                                                       hub_is_private(h), error)
                                 : error_memory(error);
    mem_free(weight);
    return status;
}
