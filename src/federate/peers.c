/*
 * Whom the coordinator has heard: what they say of their rows before the
 * start, and of the model in the end, goes to all of them. It cannot check
 * any of it: it has no key.
 */
#include "coordinator.h"

#include <string.h>

int guest_said(const guest *g, const hash *name, int *is_last)
{
    for (int64_t i = g->takens - 1; i >= 0; i--)
        if (hash_same(&g->taken[i], name)) {
            *is_last = i == g->takens - 1;
            return 1;
        }
    return 0;
}

sotto_status guest_remember(guest *g, const void *bytes, size_t size,
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

void guest_free(guest *g)
{
    text_free(&g->tag);
    mem_free(g->taken);
}

int hub_missing(const hub *h)
{
    for (int k = 0; k < h->f->parties; k++)
        if (!h->guest[k].tag.length)
            return k;
    for (int k = 0; k < h->f->parties; k++)
        if (!h->guest[k].agreed)
            return k;
    return -1;
}

int hub_has_tags(const hub *h)
{
    for (int k = 0; k < h->f->parties; k++)
        if (!h->guest[k].tag.length)
            return 0;
    return 1;
}

/* ---- what they say ---- */

sotto_status hub_take_tag(hub *h, int k, const message *m, const void *bytes,
                          size_t size, sotto_error *error)
{
    guest *g = &h->guest[k];
    const int64_t *flag = message_get(m, 1, MESSAGE_INTEGERS, 1);
    if (m->fields != 2 || !message_get(m, 0, MESSAGE_BYTES, sizeof(hash)) ||
        !flag || (*flag != 0 && *flag != 1))
        return hub_refuse("not a tag of rows", error);
    if (g->tag.length)
        return hub_refuse("another tag of rows than it sent before", error);
    text_add(&g->tag, bytes, size);
    g->is_private = (int)*flag;
    return g->tag.failed ? error_memory(error) : SOTTO_OK;
}

sotto_status hub_take_agreed(hub *h, int k, const message *m,
                             sotto_error *error)
{
    if (m->fields || !hub_has_tags(h) || h->guest[k].agreed)
        return hub_refuse("an agreement out of turn", error);
    h->guest[k].agreed = 1;
    return SOTTO_OK;
}

sotto_status hub_take_compared(hub *h, int k, const message *m,
                               sotto_error *error)
{
    guest *g = &h->guest[k];
    if (m->fields || hub_waits_for(h) >= 0 || !g->has_model || g->compared)
        return hub_refuse("a word about models out of turn", error);
    g->compared = 1;
    return SOTTO_OK;
}

int hub_waits_to_compare(const hub *h)
{
    for (int k = 0; k < h->f->parties; k++)
        if (h->guest[k].has_model && !h->guest[k].compared)
            return k;
    return -1;
}

/* ---- what they are told ---- */

/* A digest and a flag of each. */
static sotto_status write_all(const hub *h, int k, federation_kind kind,
                              const hash *digest, const int64_t *flag,
                              text_buffer *out, sotto_error *error)
{
    int64_t parties = h->f->parties;
    message m = {.session = h->f->session,
                 .kind = kind,
                 .to = (uint32_t)k + 1,
                 .fields = 2};
    m.field[0] = (message_field){MESSAGE_BYTES,
                                 parties * (int64_t)sizeof *digest, digest};
    m.field[1] = (message_field){MESSAGE_INTEGERS, parties, flag};
    message_write(&m, out);
    return out->failed ? error_memory(error) : SOTTO_OK;
}

static void log_sent(const hub *h, int k, const char *what, int *before)
{
    shown name;
    if (!*before)
        log_line(h->log, "to %s: %s", hub_name(h, k, &name), what);
    *before = 1;
}

sotto_status hub_write_tags(hub *h, int k, text_buffer *out, sotto_error *error)
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
    if (status == SOTTO_OK)
        status = write_all(h, k, FEDERATION_TAGS, tag, flag, out, error);
    if (status == SOTTO_OK)
        log_sent(h, k, "all rows' tags", &h->guest[k].saw_tags);
    mem_free(tag);
    mem_free(flag);
    return status;
}

sotto_status hub_write_seals(hub *h, int k, text_buffer *out,
                             sotto_error *error)
{
    size_t parties = (size_t)h->f->parties;
    hash *seal = mem_zeroed(parties, sizeof *seal);
    int64_t *flag = mem_zeroed(parties, sizeof *flag);
    sotto_status status = seal && flag ? SOTTO_OK : error_memory(error);
    for (size_t j = 0; status == SOTTO_OK && j < parties; j++) {
        seal[j] = h->guest[j].seal;
        flag[j] = h->guest[j].has_model;
    }
    if (status == SOTTO_OK)
        status = write_all(h, k, FEDERATION_SEALS, seal, flag, out, error);
    if (status == SOTTO_OK)
        log_sent(h, k, "all models' digests", &h->guest[k].saw_seals);
    mem_free(seal);
    mem_free(flag);
    return status;
}
