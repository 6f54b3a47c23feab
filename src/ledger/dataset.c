/*
 * Data sets: reading one with its parts and their state, finding one, and
 * writing a new one with its first entry.
 */
#include "internal.h"

#include "option.h"

#include <string.h>

void ledger_dataset_free(ledger_dataset *d)
{
    for (int64_t i = 0; d->part && i < d->parts; i++)
        mem_free(d->part[i].label);
    mem_free(d->part);
    mem_free(d->name);
    mem_free(d->owner);
    mem_free(d->unit_column);
    mem_free(d->part_column);
    *d = (ledger_dataset){0};
}

static sotto_status dataset_damaged(const ledger_store *s, sotto_error *error)
{
    return ledger_failed(s, SQLITE_CORRUPT, error);
}

/* ---- reading ---- */

static int read_row(ledger_dataset *d, ledger_query *q)
{
    const char *id = ledger_text_at(q, 0);
    const char *adjacency = ledger_text_at(q, 4);
    if (!id || strlen(id) != LEDGER_ID - 1 || !adjacency ||
        !account_adjacency_named(adjacency, &d->adjacency))
        return 0;
    memcpy(d->id, id, LEDGER_ID);
    d->name = ledger_take_text(q, 1);
    d->is_path = ledger_count_at(q, 2) != 0;
    d->owner = ledger_take_text(q, 3);
    d->unit_column = ledger_take_text(q, 5);
    d->unit_rows = ledger_count_at(q, 6);
    d->part_column = ledger_take_text(q, 7);
    d->public_parts = ledger_count_at(q, 8) != 0;
    return 1;
}

static sotto_status read_dataset(ledger_dataset *d, const ledger_store *s,
                                 sotto_error *error)
{
    ledger_query q = ledger_ask(
        s, "SELECT id, name, is_path, owner, adjacency, unit_column, "
           "unit_rows, part_column, public_parts FROM dataset "
           "WHERE number = ?");
    ledger_bind_count(&q, d->number);
    int found = ledger_row(&q) && read_row(d, &q);
    sotto_status status = ledger_end(&q, error);
    return status == SOTTO_OK && !found ? dataset_damaged(s, error) : status;
}

static sotto_status read_last(ledger_dataset *d, const ledger_store *s,
                              sotto_error *error)
{
    ledger_query q =
        ledger_ask(s, "SELECT position, charges, head FROM entry "
                      "WHERE dataset = ? ORDER BY position DESC LIMIT 1");
    ledger_bind_count(&q, d->number);
    int found = ledger_row(&q);
    if (found) {
        const char *head = ledger_text_at(&q, 2);
        d->position = ledger_count_at(&q, 0);
        d->charges = ledger_count_at(&q, 1);
        found = head && strlen(head) == LEDGER_HEAD - 1;
        if (found)
            memcpy(d->head, head, LEDGER_HEAD);
    }
    sotto_status status = ledger_end(&q, error);
    return status == SOTTO_OK && !found ? dataset_damaged(s, error) : status;
}

static sotto_status read_part(ledger_dataset *d, ledger_query *q,
                              sotto_error *error)
{
    size_t room = (size_t)d->parts + 1;
    ledger_part *more = mem_resize(d->part, room, sizeof *more);
    if (!more)
        return error_memory(error);
    d->part = more;
    more[d->parts] = (ledger_part){.number = ledger_count_at(q, 0),
                                   .label = ledger_take_text(q, 1)};
    d->parts++;
    return SOTTO_OK;
}

static sotto_status read_parts(ledger_dataset *d, const ledger_store *s,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    ledger_query q = ledger_ask(s, "SELECT number, label FROM part "
                                   "WHERE dataset = ? ORDER BY number");
    ledger_bind_count(&q, d->number);
    while (status == SOTTO_OK && ledger_row(&q))
        status = read_part(d, &q, error);
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    return status == SOTTO_OK ? ended : status;
}

ledger_state ledger_state_read(ledger_query *q, int first)
{
    return (ledger_state){
        {ledger_count_at(q, first), ledger_count_at(q, first + 1),
         ledger_count_at(q, first + 2)},
        {!ledger_null_at(q, first + 3),
         ledger_number_at(q, first + 3),
         ledger_number_at(q, first + 4),
         {ledger_count_at(q, first + 5), ledger_count_at(q, first + 6),
          ledger_count_at(q, first + 7)}}};
}

/* The last line of a part is its state. */
static sotto_status read_state(ledger_part *p, const ledger_store *s,
                               sotto_error *error)
{
    ledger_query q =
        ledger_ask(s, "SELECT " LEDGER_STATE_COLUMNS " FROM line l "
                      "WHERE part = ? ORDER BY entry DESC LIMIT 1");
    ledger_bind_count(&q, p->number);
    int found = ledger_row(&q);
    if (found)
        p->now = ledger_state_read(&q, 0);
    sotto_status status = ledger_end(&q, error);
    return status == SOTTO_OK && !found ? dataset_damaged(s, error) : status;
}

sotto_status ledger_dataset_read_fixed(ledger_dataset *out,
                                       const ledger_store *s, int64_t number,
                                       sotto_error *error)
{
    *out = (ledger_dataset){.number = number};
    sotto_status status = read_dataset(out, s, error);
    if (status == SOTTO_OK)
        status = read_parts(out, s, error);
    if (status == SOTTO_OK && !out->parts)
        status = dataset_damaged(s, error);
    if (status != SOTTO_OK)
        ledger_dataset_free(out);
    return status;
}

sotto_status ledger_dataset_read(ledger_dataset *out, const ledger_store *s,
                                 int64_t number, sotto_error *error)
{
    sotto_status status = ledger_dataset_read_fixed(out, s, number, error);
    if (status == SOTTO_OK)
        status = read_last(out, s, error);
    for (int64_t i = 0; status == SOTTO_OK && i < out->parts; i++)
        status = read_state(&out->part[i], s, error);
    if (status != SOTTO_OK)
        ledger_dataset_free(out);
    return status;
}

/* ---- finding ---- */

static sotto_status find_one(int64_t *number, int *several,
                             const ledger_store *s, const char *sql,
                             const char *name, sotto_error *error)
{
    ledger_query q = ledger_ask(s, sql);
    ledger_bind_text(&q, name);
    *number = ledger_row(&q) ? ledger_count_at(&q, 0) : 0;
    *several = *number && ledger_row(&q);
    return ledger_end(&q, error);
}

sotto_status ledger_dataset_find(int64_t *number, const ledger_store *s,
                                 const char *name, sotto_error *error)
{
    static const char *const ways[] = {
        "SELECT number FROM dataset WHERE name = ? AND is_path = 0",
        "SELECT number FROM dataset WHERE id = ?",
        "SELECT number FROM dataset WHERE name = ? AND is_path = 1"};
    int several = 0;
    sotto_status status = SOTTO_OK;
    *number = 0;
    for (int i = 0; status == SOTTO_OK && !*number && i < 3; i++)
        status = find_one(number, &several, s, ways[i], name, error);
    if (status == SOTTO_OK && several)
        status = error_set(error, SOTTO_USAGE,
                           "%s: this file has several units or adjacencies: "
                           "expected the id of one of them, as 'sotto ledger "
                           "list' shows it",
                           show_name(name).text);
    return status;
}

sotto_status ledger_dataset_named(ledger_dataset *out, const ledger_store *s,
                                  const char *name, sotto_error *error)
{
    int64_t number;
    *out = (ledger_dataset){0};
    if (!name)
        return error_set(error, SOTTO_USAGE, "expected --dataset NAME");
    sotto_status status = ledger_dataset_find(&number, s, name, error);
    if (status == SOTTO_OK && !number)
        status = error_set(error, SOTTO_USAGE,
                           "%s: there is no data set \"%s\"; 'sotto ledger "
                           "list' shows those there are",
                           show_name(s->path).text, show_name(name).text);
    return status == SOTTO_OK ? ledger_dataset_read(out, s, number, error)
                              : status;
}

/* ---- parts ---- */

static sotto_status choose_part(ledger_dataset *d, const char *label,
                                sotto_error *error)
{
    suggestion near = {.written = label};
    for (int64_t i = 0; i < d->parts; i++) {
        const char *is = d->part[i].label;
        if (is)
            suggest_try(&near, is, strlen(is));
        if (!is || strcmp(is, label))
            continue;
        if (d->part[i].chosen)
            return error_set(error, SOTTO_USAGE,
                             "--parts: \"%s\" is there "
                             "twice",
                             show_name(label).text);
        d->part[i].chosen = 1;
        return SOTTO_OK;
    }
    return error_set(error, SOTTO_USAGE,
                     "data set \"%s\": there is no part \"%s\"%s",
                     show_name(d->name).text, show_name(label).text,
                     suggest_hint(&near).text);
}

static sotto_status choose_begin(ledger_dataset *d, int all, sotto_error *error)
{
    for (int64_t i = 0; i < d->parts; i++)
        d->part[i].chosen = all;
    return all || d->part_column
               ? SOTTO_OK
               : error_set(error, SOTTO_USAGE,
                           "--parts: data set \"%s\" has no parts",
                           show_name(d->name).text);
}

sotto_status ledger_choose(ledger_dataset *d, char *const *label,
                           int64_t labels, sotto_error *error)
{
    sotto_status status = choose_begin(d, !label || !labels, error);
    for (int64_t i = 0; label && status == SOTTO_OK && i < labels; i++)
        status = choose_part(d, label[i], error);
    return status;
}

sotto_status ledger_choose_option(ledger_dataset *d,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    size_t cursor = 0;
    char *label;
    int more = 0;
    sotto_status status =
        choose_begin(d, !option_given(options, OPTION_PARTS), error);
    while (status == SOTTO_OK &&
           (more = option_next(options, OPTION_PARTS, &cursor, &label)) > 0) {
        status = choose_part(d, label, error);
        mem_free(label);
    }
    return more < 0 ? error_memory(error) : status;
}

/* ---- writing ---- */

static sotto_status next_number(int64_t *out, const ledger_store *s,
                                const char *sql, sotto_error *error)
{
    ledger_query q = ledger_ask(s, sql);
    if (ledger_row(&q))
        *out = ledger_count_at(&q, 0);
    return ledger_end(&q, error);
}

static sotto_status write_dataset(const ledger_dataset *d,
                                  const ledger_store *s, const char *seal,
                                  sotto_error *error)
{
    ledger_query q = ledger_ask(
        s, "INSERT INTO dataset(number, id, name, is_path, owner, adjacency, "
           "unit_column, unit_rows, part_column, public_parts, seal) "
           "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ledger_bind_count(&q, d->number);
    ledger_bind_text(&q, d->id);
    ledger_bind_text(&q, d->name);
    ledger_bind_count(&q, d->is_path);
    ledger_bind_text(&q, d->owner);
    ledger_bind_text(&q, account_adjacency_name(d->adjacency));
    ledger_bind_text(&q, d->unit_column);
    ledger_bind_count(&q, d->unit_rows);
    ledger_bind_text(&q, d->part_column);
    ledger_bind_count(&q, d->public_parts);
    ledger_bind_text(&q, seal);
    ledger_row(&q);
    return ledger_end(&q, error);
}

static sotto_status write_parts(ledger_dataset *d, const ledger_store *s,
                                sotto_error *error)
{
    int64_t number = 0;
    sotto_status status = next_number(
        &number, s, "SELECT 1 + coalesce(max(number), 0) FROM part", error);
    for (int64_t i = 0; status == SOTTO_OK && i < d->parts; i++) {
        d->part[i].number = number + i;
        d->part[i].chosen = 1;
        ledger_query q = ledger_ask(
            s, "INSERT INTO part(number, dataset, label) VALUES(?, ?, ?)");
        ledger_bind_count(&q, d->part[i].number);
        ledger_bind_count(&q, d->number);
        ledger_bind_text(&q, d->part[i].label);
        ledger_row(&q);
        status = ledger_end(&q, error);
    }
    return status;
}

sotto_status ledger_dataset_write(ledger_dataset *d, const ledger_store *s,
                                  const ledger_cap *cap, const char *who,
                                  sotto_error *error)
{
    char seal[LEDGER_HEAD];
    ledger_entry first = {.kind = LEDGER_CREATED, .cap = *cap, .who = who};
    ledger_random(d->id);
    sotto_status status =
        next_number(&d->number, s,
                    "SELECT 1 + coalesce(max(number), 0) FROM dataset", error);
    if (status == SOTTO_OK)
        status = ledger_seal_dataset(seal, d, error);
    if (status == SOTTO_OK)
        status = write_dataset(d, s, seal, error);
    if (status == SOTTO_OK)
        status = write_parts(d, s, error);
    return status == SOTTO_OK ? ledger_append(d, s, &first, error) : status;
}
