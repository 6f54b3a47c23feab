/*
 * The coordinator: the server's logic, and a store of all messages. It stores a
 * request before it sends it, and an answer before it acts on it. After a
 * restart it replays what it has stored and is in the same state as before.
 * Parties poll it. A party that sends a message twice gets the same reply.
 */
#include "coordinator.h"

#include <math.h>
#include <string.h>

sotto_status coordinator_refuse(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "refused: %s", what);
}

const char *coordinator_name(const coordinator *c, int k, shown *room)
{
    *room = show_name(c->f->party[k].name);
    return room->text;
}

/* ---- answers ---- */

/* An answer to a round in which the party has been skipped meanwhile. */
static int is_late(const coordinator *c, int k, const message *m)
{
    return m->kind == FEDERATION_VERTEX && m->round >= 1 &&
           m->round <= (uint64_t)c->f->rounds &&
           c->f->turn[m->round - 1] == k && c->skipped[m->round - 1];
}

static sotto_status take_answer(coordinator *c, int k, const message *m,
                                const void *bytes, size_t size,
                                sotto_error *error)
{
    int to = -1;
    const text_buffer *request;
    const hash *seal = message_get(m, 0, MESSAGE_BYTES, sizeof *seal);
    if (coordinator_missing(c) >= 0)
        return coordinator_refuse(
            "an answer before all have agreed on their rows", error);
    sotto_status status = server_next(c->server, &to, &request, error);
    if (status != SOTTO_OK)
        return status;
    if (c->peer[k].excluded)
        return coordinator_refuse(
            "the party was skipped at the start; it has no part in this run",
            error);
    if (to != k || !c->asked)
        return coordinator_refuse(
            "a message that is out of turn, or was sent before", error);
    if (m->kind == FEDERATION_TAKEN && !seal)
        return coordinator_refuse(
            "a confirmation of the model without its digest", error);
    status = server_take(c->server, bytes, size, error);
    if (status == SOTTO_OK)
        c->asked = 0;
    if (status == SOTTO_OK && m->kind == FEDERATION_TAKEN) {
        c->peer[k].has_model = 1;
        c->peer[k].seal = *seal;
    }
    return status;
}

/* Acts on a message that is new; *type is how it is to be stored. */
static sotto_status take_new(coordinator *c, int k, const message *m,
                             const void *bytes, size_t size, store_type *type,
                             sotto_error *error)
{
    sotto_status status;
    if (m->kind == FEDERATION_TAG) {
        *type = STORE_TAG;
        status = coordinator_take_tag(c, k, m, bytes, size, error);
    } else if (m->kind == FEDERATION_AGREED) {
        *type = STORE_AGREED;
        status = coordinator_take_agreed(c, k, m, error);
    } else if (m->kind == FEDERATION_COMPARED) {
        *type = STORE_COMPARED;
        status = coordinator_take_compared(c, k, m, error);
    } else if (is_late(c, k, m)) {
        *type = STORE_LATE;
        status = server_take_late(c->server, k, bytes, size, error);
    } else {
        *type = STORE_ANSWER;
        status = take_answer(c, k, m, bytes, size, error);
    }
    c->events += status == SOTTO_OK;
    return status == SOTTO_OK ? peer_remember(&c->peer[k], bytes, size, error)
                              : status;
}

static sotto_status check_sender(const coordinator *c, int k, const message *m,
                                 sotto_error *error)
{
    if (!hash_same(&m->session, &c->f->session))
        return coordinator_refuse(
            "another agreement; compare what 'sotto federate "
            "config' prints",
            error);
    if (m->from != (uint32_t)k + 1 || m->to != 0)
        return coordinator_refuse("a message in another party's name", error);
    return SOTTO_OK;
}

static const char *kind_shown(store_type type)
{
    return type == STORE_TAG        ? "its rows' tag"
           : type == STORE_AGREED   ? "rows agree"
           : type == STORE_COMPARED ? "models agree"
           : type == STORE_LATE     ? "an answer after it was skipped"
                                    : "an answer";
}

/*
 * A party may repeat its last message; nothing changes. An older message means
 * that somebody replays it, or that the party's state folder was restored from
 * a backup. Such a party would answer again, with fresh noise, what it has
 * answered already: it is refused.
 */
static sotto_status take_repeated(int is_last, sotto_error *error)
{
    return is_last ? SOTTO_OK
                   : coordinator_refuse(
                         "a message that was sent before, and others "
                         "after it: a replay, or the state folder is an "
                         "old copy",
                         error);
}

sotto_status coordinator_take(coordinator *c, int k, const void *bytes,
                              size_t size, sotto_error *error)
{
    message m;
    shown name;
    store_type type;
    int is_last;
    hash sum = hash_of(bytes, size);
    if (peer_has_sent(&c->peer[k], &sum, &is_last)) {
        c->peer[k].silent &= !is_last;
        return take_repeated(is_last, error);
    }
    sotto_status status = message_read(&m, bytes, size, error);
    if (status == SOTTO_OK)
        status = check_sender(c, k, &m, error);
    if (status == SOTTO_OK)
        status = take_new(c, k, &m, bytes, size, &type, error);
    unsigned long long round = m.round;
    message_free(&m);
    if (status == SOTTO_OK)
        status = store_add(c->store, type, k, bytes, size, error);
    if (status == SOTTO_OK) {
        c->peer[k].silent = 0;
        log_line(c->log, "from %s: %s, round %llu, %zu bytes",
                 coordinator_name(c, k, &name), kind_shown(type), round, size);
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

/* Stores a request before it is sent for the first time. */
static sotto_status keep_request(coordinator *c, int k,
                                 const text_buffer *request, sotto_error *error)
{
    shown name;
    if (c->asked)
        return SOTTO_OK;
    sotto_status status = store_add(c->store, STORE_REQUEST, k, request->data,
                                    request->length, error);
    if (status != SOTTO_OK)
        return status;
    c->asked = 1;
    federation_kind kind = server_asks(c->server);
    if (kind == FEDERATION_VECTOR)
        log_line(c->log, "to %s: round %lld of %lld, %zu bytes",
                 coordinator_name(c, k, &name),
                 (long long)server_round(c->server), (long long)c->f->rounds,
                 request->length);
    else
        log_line(c->log, "to %s: %s, %zu bytes", coordinator_name(c, k, &name),
                 kind == FEDERATION_START ? "the start" : "the model",
                 request->length);
    return SOTTO_OK;
}

sotto_status coordinator_next(coordinator *c, int k, coordinator_reply *reply,
                              text_buffer *out, sotto_error *error)
{
    int to;
    const peer *p = &c->peer[k];
    const text_buffer *request;
    *reply = p->compared ? COORDINATOR_OVER : COORDINATOR_WAIT;
    if (p->compared || !coordinator_has_tags(c))
        return SOTTO_OK;
    if (!p->agreed) {
        *reply = COORDINATOR_ASK;
        return coordinator_write_tags(c, k, out, error);
    }
    if (coordinator_missing(c) >= 0)
        return SOTTO_OK;
    sotto_status status = server_next(c->server, &to, &request, error);
    if (status != SOTTO_OK)
        return status;
    if (to < 0 && p->has_model) {
        *reply = COORDINATOR_ASK;
        return coordinator_write_seals(c, k, out, error);
    }
    if (to < 0)
        *reply = COORDINATOR_OVER;
    if (to != k)
        return SOTTO_OK;
    *reply = COORDINATOR_ASK;
    status = keep_request(c, k, request, error);
    return status == SOTTO_OK ? copy_out(out, request, error) : status;
}

/* ---- who is waited for ---- */

int coordinator_waits_for(const coordinator *c)
{
    int to = coordinator_missing(c);
    const text_buffer *request;
    sotto_error error;
    if (to >= 0)
        return to;
    return server_next(c->server, &to, &request, &error) == SOTTO_OK ? to : 0;
}

int64_t coordinator_events(const coordinator *c)
{
    return c->events;
}

int coordinator_is_silent(const coordinator *c, int k)
{
    return c->peer[k].silent || c->peer[k].excluded;
}

/* Skips party k, which is to answer now. */
static sotto_status pass_over(coordinator *c, int k, sotto_error *error)
{
    int64_t round = server_round(c->server);
    federation_kind kind = server_asks(c->server);
    sotto_status status = server_skip(c->server, error);
    if (status != SOTTO_OK)
        return status;
    c->asked = 0;
    c->events++;
    c->peer[k].silent = 1;
    c->peer[k].excluded |= kind == FEDERATION_START;
    if (kind == FEDERATION_VECTOR)
        c->skipped[round - 1] = 1;
    return SOTTO_OK;
}

sotto_status coordinator_skip(coordinator *c, sotto_error *error)
{
    shown name;
    int k = coordinator_waits_for(c);
    if (k < 0)
        return coordinator_refuse("it is over", error);
    if (coordinator_missing(c) >= 0)
        return error_set(error, SOTTO_PEER,
                         "party %s is silent, and none can be skipped before "
                         "all have agreed on their rows",
                         coordinator_name(c, k, &name));
    sotto_status status = pass_over(c, k, error);
    if (status == SOTTO_OK)
        status = store_add(c->store, STORE_SKIP, k, "", 0, error);
    if (status == SOTTO_OK)
        log_line(c->log, "%s is silent, and is skipped",
                 coordinator_name(c, k, &name));
    return status;
}

/* ---- life ---- */

static sotto_status replay_request(coordinator *c, const store_record *r,
                                   sotto_error *error)
{
    int to;
    const text_buffer *request;
    sotto_status status = server_next(c->server, &to, &request, error);
    if (status == SOTTO_OK && (to != r->who || request->length != r->size ||
                               memcmp(request->data, r->bytes, r->size)))
        status = error_set(error, SOTTO_FAILED,
                           "the state folder is another version's: what was "
                           "asked cannot be asked again");
    c->asked = 1;
    return status;
}

static sotto_status replay_record(void *context, const store_record *r,
                                  sotto_error *error)
{
    coordinator *c = context;
    message m;
    store_type type;
    int to;
    const text_buffer *request;
    if (r->who < 0 || r->who >= c->f->parties)
        return coordinator_refuse(
            "a record of a party that the agreement does not have", error);
    if (r->type == STORE_REQUEST)
        return replay_request(c, r, error);
    sotto_status status = SOTTO_OK;
    if (r->type == STORE_SKIP) {
        status = server_next(c->server, &to, &request, error);
        return status == SOTTO_OK ? pass_over(c, r->who, error) : status;
    }
    status = message_read(&m, r->bytes, r->size, error);
    if (status == SOTTO_OK)
        status = take_new(c, r->who, &m, r->bytes, r->size, &type, error);
    message_free(&m);
    return status;
}

sotto_status coordinator_open(coordinator **out, const federation *f,
                              const char *folder, logbook *log,
                              sotto_error *error)
{
    coordinator *c = mem_zeroed(1, sizeof *c);
    *out = NULL;
    if (!c)
        return error_memory(error);
    *c = (coordinator){.f = f, .log = log};
    c->peer = mem_zeroed((size_t)f->parties, sizeof *c->peer);
    c->skipped = mem_zeroed((size_t)f->rounds, 1);
    sotto_status status = c->peer && c->skipped
                              ? server_open(&c->server, f, error)
                              : error_memory(error);
    store_owner owner = {.role = 0, .session = f->session};
    if (status == SOTTO_OK)
        status = store_open(&c->store, folder, &owner, replay_record, c, error);
    /* after a restart every party has the full time to come back */
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++)
        c->peer[k].silent = 0;
    if (status == SOTTO_OK)
        *out = c;
    else
        coordinator_close(c);
    return status;
}

void coordinator_close(coordinator *c)
{
    if (!c)
        return;
    for (int k = 0; c->peer && k < c->f->parties; k++)
        peer_free(&c->peer[k]);
    mem_free(c->peer);
    mem_free(c->skipped);
    server_close(c->server);
    store_close(c->store);
    mem_free(c);
}

int coordinator_is_private(const coordinator *c)
{
    int all = isfinite(c->f->epsilon) != 0;
    for (int k = 0; k < c->f->parties; k++)
        all &= c->peer[k].is_private;
    return all;
}

sotto_status coordinator_model(const coordinator *c, sotto_model **out,
                               sotto_error *error)
{
    int64_t count;
    double *weight = server_all_weights(c->server, &count);
    sotto_status status =
        weight ? federation_model_of(out, c->f, weight,
                                     coordinator_is_private(c), error)
               : error_memory(error);
    mem_free(weight);
    return status;
}
