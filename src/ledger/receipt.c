/*
 * Receipts: what the ledger says of a charge. A run that was booked long ago
 * has the same receipt as on the day: it is read from the lines of its entry.
 */
#include "internal.h"

#include "json.h"

#include <math.h>
#include <string.h>

void ledger_receipt_free(ledger_receipt *receipt)
{
    mem_free(receipt->file);
    mem_free(receipt->dataset);
    mem_free(receipt->owner);
    mem_free(receipt->purpose);
    mem_free_texts(receipt->part, receipt->parts);
    *receipt = (ledger_receipt){0};
}

/* ---- reading ---- */

static int take_entry(ledger_receipt *out, ledger_query *q, int64_t *number)
{
    ledger_entry e;
    const char *id = ledger_text_at(q, LEDGER_ENTRY_WIDTH);
    if (!ledger_entry_read(&e, q) || !e.run || strlen(e.run) != LEDGER_ID - 1 ||
        !id || strlen(id) != LEDGER_ID - 1)
        return 0;
    *number = e.number;
    memcpy(out->run, e.run, LEDGER_ID);
    memcpy(out->id, id, LEDGER_ID);
    memcpy(out->head, e.head, LEDGER_HEAD);
    memcpy(out->date, e.time, sizeof out->date - 1);
    out->position = e.position;
    out->mu = ledger_mu(e.amount.square);
    out->delta0 = ledger_delta0(e.amount.delta0);
    out->draws = (double)e.amount.draws;
    out->purpose = ledger_take_text(q, 7);
    if (!ledger_count_at(q, LEDGER_ENTRY_WIDTH + 2))
        out->dataset = ledger_take_text(q, LEDGER_ENTRY_WIDTH + 1);
    out->owner = ledger_take_text(q, LEDGER_ENTRY_WIDTH + 3);
    return 1;
}

static sotto_status read_entry(ledger_receipt *out, const ledger_store *s,
                               const char *run, int64_t *number,
                               sotto_error *error)
{
    ledger_query q = ledger_ask(
        s, "SELECT " LEDGER_ENTRY_COLUMNS ", d.id, d.name, d.is_path, d.owner "
           "FROM entry e JOIN dataset d ON d.number = e.dataset "
           "WHERE e.run = ?");
    ledger_bind_text(&q, run);
    int found = ledger_row(&q), whole = found && take_entry(out, &q, number);
    sotto_status status = ledger_end(&q, error);
    if (status == SOTTO_OK && !found)
        return error_set(error, SOTTO_USAGE, "%s: there is no run %s",
                         show_name(s->path).text, show_name(run).text);
    return status == SOTTO_OK && !whole
               ? ledger_failed(s, SQLITE_CORRUPT, error)
               : status;
}

/* Of several parts the largest of everything: what is promised of each of them
   at its own cap and delta holds there, too. */
static void take_state(ledger_receipt *out, const ledger_state *state)
{
    double spent = ledger_spent(state);
    if (!(spent < out->spent_epsilon))
        out->spent_epsilon = spent;
    if (!(state->cap.delta < out->delta))
        out->delta = state->cap.delta;
    if (state->cap.is_set && state->cap.epsilon > out->cap_epsilon)
        out->cap_epsilon = state->cap.epsilon;
    out->has_cap |= state->cap.is_set;
}

static sotto_status take_part(ledger_receipt *out, ledger_query *q,
                              sotto_error *error)
{
    ledger_state state = ledger_state_read(q, 1);
    take_state(out, &state);
    if (ledger_null_at(q, 0))
        return SOTTO_OK;
    char **more = mem_resize(out->part, (size_t)out->parts + 1, sizeof *more);
    if (!more)
        return error_memory(error);
    out->part = more;
    more[out->parts++] = ledger_take_text(q, 0);
    return SOTTO_OK;
}

static sotto_status read_lines(ledger_receipt *out, const ledger_store *s,
                               int64_t entry, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    ledger_query q =
        ledger_ask(s, "SELECT p.label, " LEDGER_STATE_COLUMNS " FROM line l "
                      "JOIN part p ON p.number = l.part WHERE l.entry = ? "
                      "ORDER BY p.number");
    ledger_bind_count(&q, entry);
    while (status == SOTTO_OK && ledger_row(&q))
        status = take_part(out, &q, error);
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    return status == SOTTO_OK ? ended : status;
}

sotto_status ledger_receipt_read(ledger_receipt *out, const ledger_store *s,
                                 const char *run, sotto_error *error)
{
    int64_t number = 0;
    sotto_status status = read_entry(out, s, run, &number, error);
    if (status == SOTTO_OK)
        status = read_lines(out, s, number, error);
    if (status == SOTTO_OK && !(out->file = mem_text(s->path)))
        status = error_memory(error);
    return status;
}

/* ---- finished ---- */

static sotto_status insert_finished(const ledger_store *s, const char *run,
                                    int64_t entry, sotto_error *error)
{
    ledger_query q = ledger_ask(
        s, "INSERT INTO finished(entry, run) SELECT ?, ? WHERE NOT EXISTS "
           "(SELECT 1 FROM finished WHERE entry = ?)");
    ledger_bind_count(&q, entry);
    ledger_bind_text(&q, run);
    ledger_bind_count(&q, entry);
    ledger_row(&q);
    return ledger_end(&q, error);
}

sotto_status ledger_finish(const char *file, const char *run,
                           sotto_error *error)
{
    ledger_store s;
    ledger_receipt r = {0};
    int64_t entry = 0;
    sotto_status status = ledger_store_open(&s, file, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = ledger_begin_write(&s, error);
    if (status == SOTTO_OK)
        status = read_entry(&r, &s, run, &entry, error);
    if (status == SOTTO_OK)
        status = insert_finished(&s, run, entry, error);
    if (status == SOTTO_OK)
        status = ledger_commit(&s, NULL, error);
    ledger_store_close(&s);
    ledger_receipt_free(&r);
    return status;
}

/* ---- in a statement ---- */

static void put_parts(json_t **object, const ledger_receipt *r)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < r->parts; i++)
        json_append(&list, json_string(r->part[i]));
    json_add(object, "parts", list);
}

void ledger_put(struct json_t **statement, const ledger_receipt *r)
{
    if (!r) {
        json_add_text(statement, "ledger", "untracked");
        return;
    }
    json_t *o = json_object();
    if (r->dataset)
        json_add_text(&o, "dataset", r->dataset);
    json_add_text(&o, "id", r->id);
    if (r->owner)
        json_add_text(&o, "owner", r->owner);
    json_add_count(&o, "position", r->position);
    json_add_text(&o, "head", r->head);
    json_add_text(&o, "date", r->date);
    json_add_number(&o, "mu", r->mu);
    json_add_number(&o, "delta0", r->delta0);
    json_add_number(&o, "draws", r->draws);
    if (r->has_cap)
        json_add_number(&o, "cap", r->cap_epsilon);
    json_add_number(&o, "delta", r->delta);
    if (isfinite(r->spent_epsilon)) /* JSON has no infinity */
        json_add_number(&o, "spent_epsilon", r->spent_epsilon);
    if (r->parts)
        put_parts(&o, r);
    if (r->purpose)
        json_add_text(&o, "purpose", r->purpose);
    json_add(statement, "ledger", o);
}
