/*
 * The coordinator between the network and the server's logic. It stores every
 * message before it sends it, and every answer before anything follows from
 * it; what it stored makes it what it was. Parties come and ask; who says the
 * same twice is told the same twice.
 */
#include "federate.h"

#include <math.h>
#include <string.h>

/* Of one party. */
typedef struct guest {
    text_buffer tag; /* its message; empty: not there */
    int is_private, agreed;
    hash *taken; /* of its messages */
    int64_t takens, room;
    int silent; /* passed over, and not heard since */
    int never;  /* its beginning was passed over */
    int over;   /* it has the model */
} guest;

struct hub {
    const federation *f;
    server *server;
    store *store;
    logbook *log;
    guest *guest;
    unsigned char *skipped; /* of each round */
    int asked;              /* the present request is stored */
    int64_t events;         /* that were new */
};

static sotto_status refuse(const char *what, sotto_error *error)
{
    return error_set(error, SOTTO_PEER, "refused: %s", what);
}

static const char *name_of(const hub *h, int k, shown *room)
{
    *room = show_name(h->f->party[k].name);
    return room->text;
}

/* ---- who has said what ---- */

static int was_taken(const guest *g, const hash *name)
{
    for (int64_t i = g->takens - 1; i >= 0; i--)
        if (hash_same(&g->taken[i], name))
            return 1;
    return 0;
}

static sotto_status remember(guest *g, const void *bytes, size_t size,
                             sotto_error *error)
{
    if (g->takens == g->room) {
        int64_t room = g->room ? 2 * g->room : 16;
        hash *more = mem_resize(g->taken, (size_t)room, sizeof *more);
        if (!more)
            return error_memory(error);
        g->taken = more;
        g->room = room;
    }
    g->taken[g->takens++] = hash_of(bytes, size);
    return SOTTO_OK;
}

/* The first that has not said what is to be said before the start; -1. */
static int missing(const hub *h)
{
    for (int k = 0; k < h->f->parties; k++)
        if (!h->guest[k].tag.length)
            return k;
    for (int k = 0; k < h->f->parties; k++)
        if (!h->guest[k].agreed)
            return k;
    return -1;
}

static int all_tags(const hub *h)
{
    for (int k = 0; k < h->f->parties; k++)
        if (!h->guest[k].tag.length)
            return 0;
    return 1;
}

/* ---- before the start ---- */

static sotto_status take_tag(hub *h, int k, const message *m, const void *bytes,
                             size_t size, sotto_error *error)
{
    guest *g = &h->guest[k];
    const int64_t *flag = message_get(m, 1, MESSAGE_INTEGERS, 1);
    if (m->fields != 2 || !message_get(m, 0, MESSAGE_BYTES, sizeof(hash)) ||
        !flag || (*flag != 0 && *flag != 1))
        return refuse("not a tag of rows", error);
    if (g->tag.length)
        return refuse("another tag of rows than it sent before", error);
    text_add(&g->tag, bytes, size);
    g->is_private = (int)*flag;
    return g->tag.failed ? error_memory(error) : SOTTO_OK;
}

static sotto_status take_agreed(hub *h, int k, const message *m,
                                sotto_error *error)
{
    if (m->fields || !all_tags(h) || h->guest[k].agreed)
        return refuse("an agreement out of turn", error);
    h->guest[k].agreed = 1;
    return SOTTO_OK;
}

static sotto_status write_tags(const hub *h, int k, text_buffer *out,
                               sotto_error *error)
{
    size_t parties = (size_t)h->f->parties;
    hash *tag = mem_zeroed(parties, sizeof *tag);
    int64_t *flag = mem_zeroed(parties, sizeof *flag);
    sotto_status status = tag && flag ? SOTTO_OK : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < parties; j++) {
        message m;
        const guest *g = &h->guest[j];
        status = message_read(&m, g->tag.data, g->tag.length, error);
        if (status == SOTTO_OK)
            memcpy(&tag[j], m.field[0].data, sizeof *tag);
        flag[j] = g->is_private;
        message_free(&m);
    }
    if (status == SOTTO_OK) {
        message m = {.session = h->f->session,
                     .kind = FEDERATION_TAGS,
                     .to = (uint32_t)k + 1,
                     .fields = 2};
        m.field[0] = (message_field){MESSAGE_BYTES,
                                     (int64_t)(parties * sizeof *tag), tag};
        m.field[1] = (message_field){MESSAGE_INTEGERS, (int64_t)parties, flag};
        message_write(&m, out);
        status = out->failed ? error_memory(error) : SOTTO_OK;
    }
    mem_free(tag);
    mem_free(flag);
    return status;
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
    if (missing(h) >= 0)
        return refuse("an answer before all have agreed on their rows", error);
    sotto_status status = server_next(h->server, &to, &request, error);
    if (status != SOTTO_OK)
        return status;
    if (to != k || !h->asked)
        return refuse("a message that is out of turn, or was sent before",
                      error);
    status = server_take(h->server, bytes, size, error);
    if (status == SOTTO_OK) {
        h->asked = 0;
        h->guest[k].over |= m->kind == FEDERATION_TAKEN;
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
        status = take_tag(h, k, m, bytes, size, error);
    } else if (m->kind == FEDERATION_AGREED) {
        *type = STORE_AGREED;
        status = take_agreed(h, k, m, error);
    } else {
        *type = STORE_ANSWER;
        status = take_answer(h, k, m, bytes, size, error);
    }
    h->events += status == SOTTO_OK;
    return status == SOTTO_OK ? remember(&h->guest[k], bytes, size, error)
                              : status;
}

static sotto_status check_sender(const hub *h, int k, const message *m,
                                 sotto_error *error)
{
    if (!hash_same(&m->session, &h->f->session))
        return refuse("another agreement; compare what 'sotto federate "
                      "config' prints",
                      error);
    if (m->from != (uint32_t)k + 1 || m->to != 0)
        return refuse("a message in another party's name", error);
    return SOTTO_OK;
}

sotto_status hub_take(hub *h, int k, const void *bytes, size_t size,
                      sotto_error *error)
{
    message m;
    shown name;
    store_type type;
    hash sum = hash_of(bytes, size);
    h->guest[k].silent = 0;
    if (was_taken(&h->guest[k], &sum))
        return SOTTO_OK;
    sotto_status status = message_read(&m, bytes, size, error);
    if (status == SOTTO_OK)
        status = check_sender(h, k, &m, error);
    if (status == SOTTO_OK && is_late(h, k, &m)) {
        log_line(h->log, "%s answered round %llu, which was passed over",
                 name_of(h, k, &name), (unsigned long long)m.round);
        message_free(&m);
        return SOTTO_OK;
    }
    if (status == SOTTO_OK)
        status = take_new(h, k, &m, bytes, size, &type, error);
    unsigned long long round = m.round;
    message_free(&m);
    if (status == SOTTO_OK)
        status = store_add(h->store, type, k, bytes, size, error);
    if (status == SOTTO_OK)
        log_line(h->log, "from %s: %s, round %llu, %zu bytes",
                 name_of(h, k, &name),
                 type == STORE_TAG      ? "its rows' tag"
                 : type == STORE_AGREED ? "rows agree"
                                        : "an answer",
                 round, size);
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
    log_line(h->log, "to %s: round %lld of %lld, %zu bytes",
             name_of(h, k, &name), (long long)server_round(h->server),
             (long long)h->f->rounds, request->length);
    return SOTTO_OK;
}

sotto_status hub_next(hub *h, int k, hub_word *word, text_buffer *out,
                      sotto_error *error)
{
    int to;
    const text_buffer *request;
    *word = h->guest[k].over ? HUB_OVER : HUB_WAIT;
    if (h->guest[k].over || !all_tags(h))
        return SOTTO_OK;
    if (!h->guest[k].agreed) {
        *word = HUB_ASK;
        return write_tags(h, k, out, error);
    }
    if (missing(h) >= 0)
        return SOTTO_OK;
    sotto_status status = server_next(h->server, &to, &request, error);
    if (status != SOTTO_OK)
        return status;
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
    int to = missing(h);
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
    double before = server_share(h->server);
    sotto_status status = server_skip(h->server, error);
    if (status != SOTTO_OK)
        return status;
    h->asked = 0;
    h->events++;
    h->guest[k].silent = 1;
    if (before * (double)(h->f->rounds + 2 * h->f->parties) <
        (double)h->f->parties)
        h->guest[k].never = 1;
    else if (round >= 1)
        h->skipped[round - 1] = 1;
    return SOTTO_OK;
}

sotto_status hub_skip(hub *h, sotto_error *error)
{
    shown name;
    int k = hub_waits_for(h);
    if (k < 0 || missing(h) >= 0)
        return refuse("nobody can be passed over before all have agreed on "
                      "their rows",
                      error);
    sotto_status status = pass_over(h, k, error);
    if (status == SOTTO_OK)
        status = store_add(h->store, STORE_SKIP, k, "", 0, error);
    if (status == SOTTO_OK)
        log_line(h->log, "%s is gone, and is passed over",
                 name_of(h, k, &name));
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
        return refuse("a record of somebody else", error);
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
    for (int k = 0; h->guest && k < h->f->parties; k++) {
        text_free(&h->guest[k].tag);
        mem_free(h->guest[k].taken);
    }
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
