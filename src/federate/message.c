/*
 * Messages as bytes and back. Each message has exactly one byte form, and no
 * two messages share one. So the hash of the bytes identifies the message.
 */
#include "internal.h"

#include <string.h>

enum { VERSION = 1, WORD = 4, LONG = 8 };
static const char magic[8] = {'s', 'o', 't', 't', 'o', 'm', 's', 'g'};

/* magic, version, kind, from, to, round, session, fields */
enum { HEAD = 8 + 4 * WORD + LONG + 32 + WORD };

/* ---- writing ---- */

static void put(text_buffer *out, uint64_t value, int bytes)
{
    char byte[8];
    for (int i = 0; i < bytes; i++)
        byte[i] = (char)(value >> 8 * i & 0xff);
    text_add(out, byte, (size_t)bytes);
}

/* All but bytes are 64 bits wide. */
static void put_elements(text_buffer *out, const message_field *f)
{
    if (f->type == MESSAGE_BYTES) {
        text_add(out, f->data, (size_t)f->count);
        return;
    }
    for (int64_t i = 0; i < f->count; i++) {
        uint64_t word;
        memcpy(&word, (const char *)f->data + LONG * i, sizeof word);
        put(out, word, LONG);
    }
}

void message_write(const message *m, text_buffer *out)
{
    text_add(out, magic, sizeof magic);
    put(out, VERSION, WORD);
    put(out, m->kind, WORD);
    put(out, m->from, WORD);
    put(out, m->to, WORD);
    put(out, m->round, LONG);
    text_add(out, (const char *)m->session.byte, sizeof m->session.byte);
    put(out, (uint64_t)m->fields, WORD);
    for (int i = 0; i < m->fields; i++) {
        put(out, m->field[i].type, WORD);
        put(out, (uint64_t)m->field[i].count, LONG);
        put_elements(out, &m->field[i]);
    }
    if (out->failed)
        return;
    hash sum = hash_of(out->data, out->length);
    text_add(out, (const char *)sum.byte, sizeof sum.byte);
}

/* ---- reading ---- */

/* What is left of the bytes. */
typedef struct cursor {
    const unsigned char *at;
    size_t left;
} cursor;

static uint64_t get(cursor *c, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)c->at[i] << 8 * i;
    c->at += bytes;
    c->left -= (size_t)bytes;
    return value;
}

static void get_head(message *m, cursor *c)
{
    m->kind = (uint32_t)get(c, WORD);
    m->from = (uint32_t)get(c, WORD);
    m->to = (uint32_t)get(c, WORD);
    m->round = get(c, LONG);
    memcpy(m->session.byte, c->at, sizeof m->session.byte);
    c->at += sizeof m->session.byte;
    c->left -= sizeof m->session.byte;
}

/* Reads one field into *to, which is 8-byte aligned and has room for all bytes
   that are left; 0: there is none. */
static int get_field(message_field *f, cursor *c, uint64_t **to)
{
    if (c->left < WORD + LONG)
        return 0;
    uint64_t type = get(c, WORD), count = get(c, LONG);
    size_t wide = type == MESSAGE_BYTES ? 1 : LONG;
    if (type < MESSAGE_BYTES || type >= MESSAGE_TYPES || count > c->left / wide)
        return 0;
    *f = (message_field){(message_type)type, (int64_t)count, *to};
    if (wide == 1) {
        memcpy(*to, c->at, (size_t)count);
        c->at += count;
        c->left -= (size_t)count;
        *to += (count + LONG - 1) / LONG;
        return 1;
    }
    for (uint64_t i = 0; i < count; i++)
        *(*to)++ = get(c, LONG);
    return 1;
}

static sotto_status get_fields(message *m, cursor *c, sotto_error *error)
{
    uint64_t fields = get(c, WORD);
    uint64_t *to = mem_zeroed(c->left / LONG + 1 + MESSAGE_MOST_FIELDS, LONG);
    m->memory = to;
    if (!to)
        return error_memory(error);
    int fine = fields <= MESSAGE_MOST_FIELDS;
    for (uint64_t i = 0; fine && i < fields; i++)
        fine = get_field(&m->field[m->fields++], c, &to);
    return fine && !c->left ? SOTTO_OK : SOTTO_PEER;
}

sotto_status message_read(message *out, const void *bytes, size_t size,
                          sotto_error *error)
{
    *out = (message){0};
    sotto_status status = SOTTO_PEER;
    if (size >= HEAD + sizeof(hash)) {
        cursor c = {(const unsigned char *)bytes + sizeof magic,
                    size - sizeof(hash) - sizeof magic};
        hash sum = hash_of(bytes, size - sizeof sum);
        if (!memcmp(bytes, magic, sizeof magic) &&
            !memcmp((const char *)bytes + size - sizeof sum, &sum,
                    sizeof sum) &&
            get(&c, WORD) == VERSION) {
            get_head(out, &c);
            status = get_fields(out, &c, error);
        }
    }
    if (status == SOTTO_OK)
        return SOTTO_OK;
    message_free(out);
    return status == SOTTO_PEER
               ? error_set(error, SOTTO_PEER,
                           "a message was damaged, or is of another version")
               : status;
}

void message_free(message *m)
{
    mem_free(m->memory);
    *m = (message){0};
}

const void *message_get(const message *m, int field, message_type type,
                        int64_t count)
{
    if (field >= m->fields)
        return NULL;
    const message_field *f = &m->field[field];
    return f->type == type && f->count == count ? f->data : NULL;
}
