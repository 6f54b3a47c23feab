/*
 * The chain of a data set: each entry's head is BLAKE2b of the head before it
 * and of the entry. In it is what is public: names that the owner gave, unit,
 * adjacency, caps, parts, charges, plans. Not in it: the path of a file, the
 * time, and whether a run has finished, which may depend on the records. So a
 * head that is released tells nothing but what was charged.
 *
 * The bytes are lines "name:length:text", "name:number" or "name:-" for
 * nothing: no two entries have the same.
 */
#include "internal.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

static void chain_text(text_buffer *t, const char *name, const char *value)
{
    if (value) {
        text_format(t, "%s:%zu:", name, strlen(value));
        text_put(t, value);
        text_put(t, "\n");
    } else
        text_format(t, "%s:-\n", name);
}

static void chain_count(text_buffer *t, const char *name, int64_t count)
{
    text_format(t, "%s:%" PRId64 "\n", name, count);
}

/* By its bits. */
static void chain_number(text_buffer *t, const char *name, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    text_format(t, "%s:%016" PRIx64 "\n", name, bits);
}

static sotto_status chain_sum(char head[LEDGER_HEAD], text_buffer *t,
                              sotto_error *error)
{
    unsigned char sum[(LEDGER_HEAD - 1) / 2];
    sotto_status status = t->failed ? error_memory(error) : SOTTO_OK;
    if (status == SOTTO_OK) {
        crypto_generichash(sum, sizeof sum, (const unsigned char *)t->data,
                           t->length, NULL, 0);
        sodium_bin2hex(head, LEDGER_HEAD, sum, sizeof sum);
    }
    text_free(t);
    return status;
}

static void chain_amount(text_buffer *t, const ledger_amount *a)
{
    chain_count(t, "square", a->square);
    chain_count(t, "delta0", a->delta0);
    chain_count(t, "draws", a->draws);
}

static void chain_cap(text_buffer *t, const ledger_cap *cap)
{
    chain_number(t, "delta", cap->delta);
    if (cap->is_set) {
        chain_number(t, "cap", cap->epsilon);
        chain_amount(t, &cap->most);
    } else
        chain_text(t, "cap", NULL);
}

/* What is fixed when the data set is made. */
static void chain_dataset(text_buffer *t, const ledger_dataset *d)
{
    chain_text(t, "dataset", d->is_path ? NULL : d->name);
    chain_text(t, "owner", d->owner);
    chain_text(t, "adjacency", account_adjacency_name(d->adjacency));
    chain_text(t, "unit_column", d->unit_column);
    chain_count(t, "unit_rows", d->unit_rows);
    chain_text(t, "part_column", d->part_column);
    chain_count(t, "public_parts", d->public_parts);
}

sotto_status ledger_chain(char head[LEDGER_HEAD], const ledger_dataset *d,
                          const ledger_entry *e, const char *before,
                          sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, "sotto ledger 1\n");
    chain_text(&t, "before", before);
    chain_text(&t, "id", d->id);
    chain_count(&t, "position", e->position);
    chain_text(&t, "kind", ledger_kind_name(e->kind));
    if (e->kind == LEDGER_CREATED)
        chain_dataset(&t, d);
    for (int64_t i = 0; i < d->parts; i++)
        if (d->part[i].chosen)
            chain_text(&t, "part", d->part[i].label);
    if (e->kind == LEDGER_CHARGE) {
        chain_text(&t, "run", e->run);
        chain_text(&t, "plan", e->plan);
        chain_amount(&t, &e->amount);
    } else
        chain_cap(&t, &e->cap);
    chain_text(&t, "who", e->who);
    chain_text(&t, "purpose", e->purpose);
    return chain_sum(head, &t, error);
}

sotto_status ledger_seal_dataset(char seal[LEDGER_HEAD],
                                 const ledger_dataset *d, sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, "sotto ledger data set 1\n");
    chain_text(&t, "id", d->id);
    chain_text(&t, "name", d->name);
    chain_count(&t, "is_path", d->is_path);
    chain_dataset(&t, d);
    return chain_sum(seal, &t, error);
}

sotto_status ledger_seal_entry(char seal[LEDGER_HEAD], const ledger_entry *e,
                               sotto_error *error)
{
    text_buffer t = {0};
    text_put(&t, "sotto ledger entry 1\n");
    chain_count(&t, "number", e->number);
    chain_text(&t, "time", e->time);
    chain_text(&t, "head", e->head);
    return chain_sum(seal, &t, error);
}
