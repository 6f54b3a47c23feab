/*
 * The entries of a data set, for people, a page at a time. A page is read
 * before it is shown; how long it takes does not depend on the others.
 */
#include "internal.h"

#include <string.h>

/* An entry with texts of its own. */
typedef struct kept {
    ledger_entry entry;
    char *run, *plan, *who, *purpose, *parts;
    int finished;
} kept;

typedef struct entry_page {
    kept *item;
    int64_t items;
} entry_page;

static void page_free(entry_page *page)
{
    for (int64_t i = 0; i < page->items; i++) {
        kept *k = &page->item[i];
        mem_free(k->run);
        mem_free(k->plan);
        mem_free(k->who);
        mem_free(k->purpose);
        mem_free(k->parts);
    }
    mem_free(page->item);
}

/* ---- reading ---- */

static sotto_status read_labels(char **out, const ledger_store *s,
                                int64_t entry, sotto_error *error)
{
    text_buffer t = {0};
    ledger_query q = ledger_ask(
        s, "SELECT p.label FROM line l JOIN part p ON p.number = l.part "
           "WHERE l.entry = ? AND p.label IS NOT NULL ORDER BY p.number");
    ledger_bind_count(&q, entry);
    while (ledger_row(&q)) {
        const char *label = ledger_text_at(&q, 0);
        text_put(&t, t.length ? "," : "");
        text_put(&t, label ? label : "");
    }
    sotto_status status = ledger_end(&q, error);
    if (status == SOTTO_OK && t.failed)
        status = error_memory(error);
    if (status == SOTTO_OK)
        *out = t.data; /* NULL: none */
    else
        text_free(&t);
    return status;
}

static sotto_status read_one(entry_page *page, const ledger_store *s,
                             ledger_query *q, int has_parts, sotto_error *error)
{
    kept *more = mem_resize(page->item, (size_t)page->items + 1, sizeof *more);
    if (!more)
        return error_memory(error);
    page->item = more;
    kept *k = &more[page->items];
    *k = (kept){0};
    if (!ledger_entry_read(&k->entry, q))
        return ledger_failed(s, SQLITE_CORRUPT, error);
    page->items++;
    k->run = ledger_take_text(q, 4);
    k->plan = ledger_take_text(q, 5);
    k->who = ledger_take_text(q, 6);
    k->purpose = ledger_take_text(q, 7);
    k->finished = !ledger_null_at(q, LEDGER_ENTRY_WIDTH);
    return has_parts ? read_labels(&k->parts, s, k->entry.number, error)
                     : SOTTO_OK;
}

/* Positions have no gaps: the page begins where it begins. */
static sotto_status read_page(entry_page *page, const ledger_store *s,
                              const ledger_dataset *d, int64_t skip,
                              int64_t most, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    ledger_query q =
        ledger_ask(s, "SELECT " LEDGER_ENTRY_COLUMNS ", f.entry FROM entry e "
                      "LEFT JOIN finished f ON f.entry = e.number "
                      "WHERE e.dataset = ? AND e.position <= ? "
                      "ORDER BY e.position DESC LIMIT ?");
    ledger_bind_count(&q, d->number);
    ledger_bind_count(&q, d->position - skip);
    ledger_bind_count(&q, most);
    while (status == SOTTO_OK && ledger_row(&q))
        status = read_one(page, s, &q, d->part_column != NULL, error);
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    return status == SOTTO_OK ? ended : status;
}

static sotto_status read_entries(entry_page *page, const ledger_store *s,
                                 const char *dataset, int64_t skip,
                                 int64_t most, sotto_error *error)
{
    ledger_dataset d = {0};
    sotto_status status = ledger_begin_read(s, error);
    if (status == SOTTO_OK)
        status = ledger_dataset_named(&d, s, dataset, error);
    if (status == SOTTO_OK && skip >= 0 && most >= 0 && skip < d.position)
        status = read_page(page, s, &d, skip, most, error);
    ledger_dataset_free(&d);
    return status;
}

/* ---- showing ---- */

static sotto_entry shown_entry(const kept *k)
{
    const ledger_entry *e = &k->entry;
    return (sotto_entry){.position = e->position,
                         .kind = ledger_kind_name(e->kind),
                         .time = e->time,
                         .who = k->who,
                         .purpose = k->purpose,
                         .parts = k->parts,
                         .run = k->run,
                         .plan = k->plan,
                         .mu = ledger_mu(e->amount.square),
                         .delta0 = ledger_delta0(e->amount.delta0),
                         .draws = (double)e->amount.draws,
                         .finished = k->finished,
                         .cap_epsilon = e->cap.epsilon,
                         .delta = e->cap.delta,
                         .head = e->head};
}

sotto_status sotto_ledger_entries(sotto_ledger *ledger, const char *dataset,
                                  int64_t skip, int64_t most,
                                  sotto_entry_taker take, void *context,
                                  sotto_error *error)
{
    ledger_store s;
    entry_page page = {0};
    sotto_status status =
        ledger_store_open(&s, ledger->path, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = read_entries(&page, &s, dataset, skip, most, error);
    ledger_store_close(&s);
    int stop = status != SOTTO_OK;
    for (int64_t i = 0; !stop && i < page.items; i++) {
        sotto_entry e = shown_entry(&page.item[i]);
        stop = take(context, &e);
    }
    page_free(&page);
    return status;
}
