/*
 * Data sets, part by part, for people. All is read before the first of them is
 * shown, so that nobody who reads slowly keeps others from booking.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* What is told of a part beside its state. */
typedef struct part_facts {
    int64_t charges, finished;
    int has_last;
    ledger_amount last;
} part_facts;

typedef struct listed {
    ledger_dataset dataset;
    part_facts *facts; /* of each part */
    char created[11];
    char *unit;
} listed;

typedef struct dataset_list {
    listed *item;
    int64_t items;
} dataset_list;

static void list_free(dataset_list *list)
{
    for (int64_t i = 0; i < list->items; i++) {
        ledger_dataset_free(&list->item[i].dataset);
        mem_free(list->item[i].facts);
        mem_free(list->item[i].unit);
    }
    mem_free(list->item);
}

/* ---- reading ---- */

static sotto_status read_charges(part_facts *out, const ledger_store *s,
                                 int64_t part, sotto_error *error)
{
    ledger_query q =
        ledger_ask(s, "SELECT count(*), count(f.entry) FROM line l "
                      "JOIN entry e ON e.number = l.entry "
                      "LEFT JOIN finished f ON f.entry = l.entry "
                      "WHERE l.part = ? AND e.kind = 'charge'");
    ledger_bind_count(&q, part);
    if (ledger_row(&q)) {
        out->charges = ledger_count_at(&q, 0);
        out->finished = ledger_count_at(&q, 1);
    }
    return ledger_end(&q, error);
}

static sotto_status read_last(part_facts *out, const ledger_store *s,
                              int64_t part, sotto_error *error)
{
    ledger_query q =
        ledger_ask(s, "SELECT e.square, e.delta0, e.draws FROM line l "
                      "JOIN entry e ON e.number = l.entry "
                      "WHERE l.part = ? AND e.kind = 'charge' "
                      "ORDER BY l.entry DESC LIMIT 1");
    ledger_bind_count(&q, part);
    out->has_last = ledger_row(&q);
    if (out->has_last)
        out->last =
            (ledger_amount){ledger_count_at(&q, 0), ledger_count_at(&q, 1),
                            ledger_count_at(&q, 2)};
    return ledger_end(&q, error);
}

static sotto_status read_created(listed *out, const ledger_store *s,
                                 sotto_error *error)
{
    ledger_query q = ledger_ask(s, "SELECT substr(time, 1, 10) FROM entry "
                                   "WHERE dataset = ? AND position = 1");
    ledger_bind_count(&q, out->dataset.number);
    const char *time = ledger_row(&q) ? ledger_text_at(&q, 0) : NULL;
    if (time)
        snprintf(out->created, sizeof out->created, "%s", time);
    return ledger_end(&q, error);
}

static sotto_status read_facts(listed *out, const ledger_store *s,
                               sotto_error *error)
{
    const ledger_dataset *d = &out->dataset;
    text_buffer unit = {0};
    ledger_put_unit(&unit, d->unit_column, d->unit_rows);
    out->unit = text_take(&unit);
    out->facts = mem_zeroed((size_t)d->parts, sizeof *out->facts);
    if (!out->facts || !out->unit)
        return error_memory(error);
    sotto_status status = read_created(out, s, error);
    for (int64_t i = 0; status == SOTTO_OK && i < d->parts; i++) {
        status = read_charges(&out->facts[i], s, d->part[i].number, error);
        if (status == SOTTO_OK)
            status = read_last(&out->facts[i], s, d->part[i].number, error);
    }
    return status;
}

static sotto_status read_one(dataset_list *list, const ledger_store *s,
                             int64_t number, sotto_error *error)
{
    listed *more =
        mem_resize(list->item, (size_t)list->items + 1, sizeof *more);
    if (!more)
        return error_memory(error);
    list->item = more;
    more[list->items] = (listed){0};
    listed *one = &more[list->items++];
    sotto_status status = ledger_dataset_read(&one->dataset, s, number, error);
    return status == SOTTO_OK ? read_facts(one, s, error) : status;
}

static sotto_status read_all(dataset_list *list, const ledger_store *s,
                             const char *name, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    ledger_query q = ledger_ask(
        s, "SELECT number FROM dataset WHERE ?1 IS NULL OR name = ?1 OR "
           "id = ?1 ORDER BY number");
    ledger_bind_text(&q, name);
    while (status == SOTTO_OK && ledger_row(&q))
        status = read_one(list, s, ledger_count_at(&q, 0), error);
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    return status == SOTTO_OK ? ended : status;
}

/* ---- showing ---- */

static double share_of(const ledger_state *now)
{
    const ledger_amount *sum = &now->sum, *most = &now->cap.most;
    if (!now->cap.is_set)
        return NAN;
    double square = (double)sum->square / (double)most->square;
    double delta0 = (double)sum->delta0 / (double)most->delta0;
    double draws = (double)sum->draws / (double)most->draws;
    return fmin(1, fmax(square, fmax(delta0, draws)));
}

static sotto_dataset shown_part(const listed *one, int64_t i)
{
    const ledger_dataset *d = &one->dataset;
    const ledger_part *p = &d->part[i];
    const part_facts *facts = &one->facts[i];
    const ledger_cap *cap = &p->now.cap;
    return (sotto_dataset){
        .name = d->name,
        .is_path = d->is_path,
        .id = d->id,
        .owner = d->owner,
        .unit = one->unit,
        .adjacency = account_adjacency_name(d->adjacency),
        .part = p->label,
        .created = one->created,
        .has_cap = cap->is_set,
        .cap_epsilon = cap->epsilon,
        .delta = cap->delta,
        .spent_epsilon = ledger_spent(&p->now),
        .share = share_of(&p->now),
        .left_epsilon = ledger_left(&p->now),
        .more_like_last = facts->has_last && cap->is_set
                              ? (double)ledger_how_many(&p->now, &facts->last)
                              : NAN,
        .charges = facts->charges,
        .unfinished = facts->charges - facts->finished,
        .position = d->position,
        .head = d->head};
}

static void show_all(const dataset_list *list, sotto_dataset_taker take,
                     void *context)
{
    int stop = 0;
    for (int64_t i = 0; !stop && i < list->items; i++)
        for (int64_t k = 0; !stop && k < list->item[i].dataset.parts; k++) {
            sotto_dataset d = shown_part(&list->item[i], k);
            stop = take(context, &d);
        }
}

sotto_status sotto_ledger_datasets(sotto_ledger *ledger, const char *name,
                                   sotto_dataset_taker take, void *context,
                                   sotto_error *error)
{
    ledger_store s;
    dataset_list list = {0};
    sotto_status status =
        ledger_store_open(&s, ledger->path, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = ledger_begin_read(&s, error);
    if (status == SOTTO_OK)
        status = read_all(&list, &s, name, error);
    ledger_store_close(&s);
    if (status == SOTTO_OK && name && !list.items)
        status =
            error_set(error, SOTTO_USAGE, "%s: there is no data set \"%s\"",
                      show_name(ledger->path).text, show_name(name).text);
    if (status == SOTTO_OK)
        show_all(&list, take, context);
    list_free(&list);
    return status;
}
