/*
 * Entries: the one way in which a ledger grows.
 */
#include "internal.h"

#include <string.h>

static const char *const kind_name[LEDGER_KINDS] = {"created", "raised",
                                                    "charge"};

const char *ledger_kind_name(ledger_kind kind)
{
    return kind_name[kind];
}

int ledger_kind_named(const char *name, ledger_kind *out)
{
    for (int i = 0; i < LEDGER_KINDS; i++)
        if (name && !strcmp(name, kind_name[i])) {
            *out = (ledger_kind)i;
            return 1;
        }
    return 0;
}

/* ---- states ---- */

static int add_up(ledger_amount *sum, const ledger_amount *a)
{
    return !__builtin_add_overflow(sum->square, a->square, &sum->square) &&
           !__builtin_add_overflow(sum->delta0, a->delta0, &sum->delta0) &&
           !__builtin_add_overflow(sum->draws, a->draws, &sum->draws);
}

int ledger_state_after(ledger_state *state, const ledger_entry *e)
{
    if (e->kind == LEDGER_CHARGE)
        return add_up(&state->sum, &e->amount);
    state->cap = e->cap;
    return 1;
}

int ledger_within(const ledger_state *state)
{
    const ledger_amount *sum = &state->sum, *most = &state->cap.most;
    return !state->cap.is_set ||
           (sum->square <= most->square && sum->delta0 <= most->delta0 &&
            sum->draws <= most->draws);
}

/* ---- rows ---- */

static sotto_status append_entry(const ledger_dataset *d, const ledger_store *s,
                                 const ledger_entry *e, const char *seal,
                                 sotto_error *error)
{
    int is_charge = e->kind == LEDGER_CHARGE;
    const ledger_amount *a = is_charge ? &e->amount : &e->cap.most;
    ledger_query q = ledger_ask(
        s, "INSERT INTO entry(number, dataset, position, charges, kind, run, "
           "plan, who, purpose, square, delta0, draws, cap_epsilon, delta, "
           "time, head, seal) "
           "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ledger_bind_count(&q, e->number);
    ledger_bind_count(&q, d->number);
    ledger_bind_count(&q, e->position);
    ledger_bind_count(&q, e->charges);
    ledger_bind_text(&q, ledger_kind_name(e->kind));
    ledger_bind_text(&q, e->run);
    ledger_bind_text(&q, e->plan);
    ledger_bind_text(&q, e->who);
    ledger_bind_text(&q, e->purpose);
    ledger_bind_count(&q, a->square);
    ledger_bind_count(&q, a->delta0);
    ledger_bind_count(&q, a->draws);
    if (!is_charge && e->cap.is_set)
        ledger_bind_number(&q, e->cap.epsilon);
    else
        ledger_bind_null(&q);
    if (is_charge)
        ledger_bind_null(&q);
    else
        ledger_bind_number(&q, e->cap.delta);
    ledger_bind_text(&q, e->time);
    ledger_bind_text(&q, e->head);
    ledger_bind_text(&q, seal);
    ledger_row(&q);
    return ledger_end(&q, error);
}

static sotto_status append_line(const ledger_part *p, const ledger_store *s,
                                const ledger_entry *e, sotto_error *error)
{
    const ledger_state *now = &p->now;
    ledger_query q = ledger_ask(
        s, "INSERT INTO line(part, entry, square, delta0, draws, cap_epsilon, "
           "delta, cap_square, cap_delta0, cap_draws) "
           "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ledger_bind_count(&q, p->number);
    ledger_bind_count(&q, e->number);
    ledger_bind_count(&q, now->sum.square);
    ledger_bind_count(&q, now->sum.delta0);
    ledger_bind_count(&q, now->sum.draws);
    if (now->cap.is_set)
        ledger_bind_number(&q, now->cap.epsilon);
    else
        ledger_bind_null(&q);
    ledger_bind_number(&q, now->cap.delta);
    ledger_bind_count(&q, now->cap.most.square);
    ledger_bind_count(&q, now->cap.most.delta0);
    ledger_bind_count(&q, now->cap.most.draws);
    ledger_row(&q);
    return ledger_end(&q, error);
}

static sotto_status append_number(int64_t *out, const ledger_store *s,
                                  sotto_error *error)
{
    ledger_query q =
        ledger_ask(s, "SELECT 1 + coalesce(max(number), 0) FROM entry");
    if (ledger_row(&q))
        *out = ledger_count_at(&q, 0);
    return ledger_end(&q, error);
}

static sotto_status append_full(const ledger_dataset *d, sotto_error *error)
{
    return error_set(error, SOTTO_BUDGET,
                     "data set \"%s\": refused: its sums would be larger than "
                     "a ledger can count",
                     show_name(d->name).text);
}

sotto_status ledger_append(ledger_dataset *d, const ledger_store *s,
                           ledger_entry *e, sotto_error *error)
{
    char seal[LEDGER_HEAD];
    e->position = d->position + 1;
    e->charges = d->charges + (e->kind == LEDGER_CHARGE);
    ledger_now(e->time);
    for (int64_t i = 0; i < d->parts; i++)
        if (d->part[i].chosen && !ledger_state_after(&d->part[i].now, e))
            return append_full(d, error);
    sotto_status status = append_number(&e->number, s, error);
    if (status == SOTTO_OK)
        status =
            ledger_chain(e->head, d, e, d->position ? d->head : NULL, error);
    if (status == SOTTO_OK)
        status = ledger_seal_entry(seal, e, error);
    if (status == SOTTO_OK)
        status = append_entry(d, s, e, seal, error);
    for (int64_t i = 0; status == SOTTO_OK && i < d->parts; i++)
        if (d->part[i].chosen)
            status = append_line(&d->part[i], s, e, error);
    d->position = e->position;
    d->charges = e->charges;
    memcpy(d->head, e->head, sizeof d->head);
    return status;
}

/* ---- and back ---- */

static int copy_fixed(char *to, size_t room, const char *from)
{
    int fits = from && strlen(from) == room - 1;
    if (fits)
        memcpy(to, from, room);
    return fits;
}

int ledger_entry_read(ledger_entry *e, ledger_query *q)
{
    *e = (ledger_entry){.number = ledger_count_at(q, 0),
                        .position = ledger_count_at(q, 1),
                        .charges = ledger_count_at(q, 2),
                        .run = ledger_text_at(q, 4),
                        .plan = ledger_text_at(q, 5),
                        .who = ledger_text_at(q, 6),
                        .purpose = ledger_text_at(q, 7)};
    ledger_amount a = {ledger_count_at(q, 8), ledger_count_at(q, 9),
                       ledger_count_at(q, 10)};
    if (!ledger_kind_named(ledger_text_at(q, 3), &e->kind))
        return 0;
    if (e->kind == LEDGER_CHARGE)
        e->amount = a;
    else
        e->cap = (ledger_cap){!ledger_null_at(q, 11), ledger_number_at(q, 11),
                              ledger_number_at(q, 12), a};
    return (e->run != NULL) == (e->kind == LEDGER_CHARGE) &&
           copy_fixed(e->time, sizeof e->time, ledger_text_at(q, 13)) &&
           copy_fixed(e->head, sizeof e->head, ledger_text_at(q, 14));
}
