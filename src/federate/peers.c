/*
 * What the coordinator knows of each party. It passes on, to all parties, their
 * tags of rows before the start and their digests of the model at the end. It
 * cannot check them, since it does not have the secret.
 */
#include "coordinator.h"

#include <string.h>

int peer_has_sent(const peer *p, const hash *name, int *is_last)
{
    for (int64_t i = p->messages - 1; i >= 0; i--)
        if (hash_same(&p->message[i], name)) {
            *is_last = i == p->messages - 1;
            return 1;
        }
    return 0;
}

sotto_status peer_remember(peer *p, const void *bytes, size_t size,
                           sotto_error *error)
{
    if (p->messages == p->room) {
        int64_t room = p->room ? 2 * p->room : 16;
        hash *more = mem_resize(p->message, (size_t)room, sizeof *more);
        if (!more)
            return error_memory(error);
        p->message = more;
        p->room = room;
    }
    p->message[p->messages++] = hash_of(bytes, size);
    return SOTTO_OK;
}

void peer_free(peer *p)
{
    text_free(&p->tag);
    mem_free(p->message);
}

int coordinator_missing(const coordinator *c)
{
    for (int k = 0; k < c->f->parties; k++)
        if (!c->peer[k].tag.length)
            return k;
    for (int k = 0; k < c->f->parties; k++)
        if (!c->peer[k].agreed)
            return k;
    return -1;
}

int coordinator_has_tags(const coordinator *c)
{
    for (int k = 0; k < c->f->parties; k++)
        if (!c->peer[k].tag.length)
            return 0;
    return 1;
}

/* ---- what they say ---- */

sotto_status coordinator_take_tag(coordinator *c, int k, const message *m,
                                  const void *bytes, size_t size,
                                  sotto_error *error)
{
    peer *p = &c->peer[k];
    const int64_t *flag = message_get(m, 1, MESSAGE_INTEGERS, 1);
    if (m->fields != 2 || !message_get(m, 0, MESSAGE_BYTES, sizeof(hash)) ||
        !flag || (*flag != 0 && *flag != 1))
        return coordinator_refuse("not a tag of rows", error);
    if (p->tag.length)
        return coordinator_refuse("another tag of rows than it sent before",
                                  error);
    text_add(&p->tag, bytes, size);
    p->is_private = (int)*flag;
    return p->tag.failed ? error_memory(error) : SOTTO_OK;
}

sotto_status coordinator_take_agreed(coordinator *c, int k, const message *m,
                                     sotto_error *error)
{
    if (m->fields || !coordinator_has_tags(c) || c->peer[k].agreed)
        return coordinator_refuse("an agreement out of turn", error);
    c->peer[k].agreed = 1;
    return SOTTO_OK;
}

sotto_status coordinator_take_compared(coordinator *c, int k, const message *m,
                                       sotto_error *error)
{
    peer *p = &c->peer[k];
    if (m->fields || coordinator_waits_for(c) >= 0 || !p->has_model ||
        p->compared)
        return coordinator_refuse("a confirmation of the model out of turn",
                                  error);
    p->compared = 1;
    return SOTTO_OK;
}

int coordinator_waits_to_compare(const coordinator *c)
{
    for (int k = 0; k < c->f->parties; k++)
        if (c->peer[k].has_model && !c->peer[k].compared)
            return k;
    return -1;
}

/* ---- what they are told ---- */

/* A message with a digest and a flag of each party. */
static sotto_status write_all(const coordinator *c, int k, federation_kind kind,
                              const hash *digest, const int64_t *flag,
                              text_buffer *out, sotto_error *error)
{
    int64_t parties = c->f->parties;
    message m = {.session = c->f->session,
                 .kind = kind,
                 .to = (uint32_t)k + 1,
                 .fields = 2};
    m.field[0] = (message_field){MESSAGE_BYTES,
                                 parties * (int64_t)sizeof *digest, digest};
    m.field[1] = (message_field){MESSAGE_INTEGERS, parties, flag};
    message_write(&m, out);
    return out->failed ? error_memory(error) : SOTTO_OK;
}

static void log_sent(const coordinator *c, int k, const char *what, int *before)
{
    shown name;
    if (!*before)
        log_line(c->log, "to %s: %s", coordinator_name(c, k, &name), what);
    *before = 1;
}

sotto_status coordinator_write_tags(coordinator *c, int k, text_buffer *out,
                                    sotto_error *error)
{
    size_t parties = (size_t)c->f->parties;
    hash *tag = mem_zeroed(parties, sizeof *tag);
    int64_t *flag = mem_zeroed(parties, sizeof *flag);
    sotto_status status = tag && flag ? SOTTO_OK : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < parties; j++) {
        message m;
        const peer *p = &c->peer[j];
        status = message_read(&m, p->tag.data, p->tag.length, error);
        if (status == SOTTO_OK)
            memcpy(&tag[j], m.field[0].data, sizeof *tag);
        flag[j] = p->is_private;
        message_free(&m);
    }
    if (status == SOTTO_OK)
        status = write_all(c, k, FEDERATION_TAGS, tag, flag, out, error);
    if (status == SOTTO_OK)
        log_sent(c, k, "all rows' tags", &c->peer[k].saw_tags);
    mem_free(tag);
    mem_free(flag);
    return status;
}

sotto_status coordinator_write_seals(coordinator *c, int k, text_buffer *out,
                                     sotto_error *error)
{
    size_t parties = (size_t)c->f->parties;
    hash *seal = mem_zeroed(parties, sizeof *seal);
    int64_t *flag = mem_zeroed(parties, sizeof *flag);
    sotto_status status = seal && flag ? SOTTO_OK : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < parties; j++) {
        seal[j] = c->peer[j].seal;
        flag[j] = c->peer[j].has_model;
    }
    if (status == SOTTO_OK)
        status = write_all(c, k, FEDERATION_SEALS, seal, flag, out, error);
    if (status == SOTTO_OK)
        log_sent(c, k, "all models' digests", &c->peer[k].saw_seals);
    mem_free(seal);
    mem_free(flag);
    return status;
}
