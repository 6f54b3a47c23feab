/*
 * Verifying a ledger: every chain, every sum and every cap from the beginning,
 * then the database itself. What cannot be told from the file alone is whether
 * it is the newest one: for that, somebody has to know a later head (find.c).
 */
#include "internal.h"

#include <string.h>

typedef struct verifying {
    ledger_store store;
    ledger_dataset dataset;
    char before[LEDGER_HEAD];          /* the head so far */
    int64_t position, charges, number; /* of the entry before */
    int64_t entries, lines;            /* that were looked at */
    int64_t reading;                   /* the number of the data set */
    int named; /* the message names what is wrong: nothing more is asked */
} verifying;

/* ---- what is wrong ---- */

static sotto_status bad_entry(verifying *v, int64_t position, const char *what,
                              sotto_error *error)
{
    v->named = 1;
    return error_set(
        error, SOTTO_PRIVACY, "%s: data set \"%.100s\", entry %lld: %s",
        show_name(v->store.path).text, show_name(v->dataset.name).text,
        (long long)position, what);
}

static sotto_status bad_ledger(verifying *v, const char *what,
                               sotto_error *error)
{
    v->named = 1;
    return error_set(error, SOTTO_PRIVACY, "%s: %s",
                     show_name(v->store.path).text, what);
}

/* ---- the lines of an entry ---- */

static int same_amount(const ledger_amount *a, const ledger_amount *b)
{
    return a->square == b->square && a->delta0 == b->delta0 &&
           a->draws == b->draws;
}

static int same_state(const ledger_state *a, const ledger_state *b)
{
    return same_amount(&a->sum, &b->sum) && a->cap.is_set == b->cap.is_set &&
           a->cap.epsilon == b->cap.epsilon && a->cap.delta == b->cap.delta &&
           same_amount(&a->cap.most, &b->cap.most);
}

static ledger_part *part_numbered(ledger_dataset *d, int64_t number)
{
    for (int64_t i = 0; i < d->parts; i++)
        if (d->part[i].number == number)
            return &d->part[i];
    return NULL;
}

/* What the entry makes of the part must be what its line says. */
static const char *check_line(verifying *v, const ledger_entry *e,
                              ledger_query *q)
{
    ledger_part *p = part_numbered(&v->dataset, ledger_count_at(q, 0));
    ledger_state said = ledger_state_read(q, 1);
    if (!p)
        return "it is charged to a part of another data set";
    p->chosen = 1;
    v->lines++;
    if (!ledger_state_after(&p->now, e) || !same_state(&p->now, &said))
        return "its sums are not those of the entries up to it";
    if (e->kind != LEDGER_CHARGE && !ledger_cap_is_right(&e->cap))
        return "its cap allows more than its epsilon";
    return ledger_within(&p->now) ? NULL : "its sums are above the cap";
}

static sotto_status check_lines(verifying *v, const ledger_entry *e,
                                const char **what, sotto_error *error)
{
    ledger_query q = ledger_ask(&v->store, "SELECT part, " LEDGER_STATE_COLUMNS
                                           " FROM line l WHERE entry = ?");
    for (int64_t i = 0; i < v->dataset.parts; i++)
        v->dataset.part[i].chosen = 0;
    ledger_bind_count(&q, e->number);
    while (!*what && ledger_row(&q))
        *what = check_line(v, e, &q);
    return ledger_end(&q, error);
}

/* ---- an entry ---- */

/* A charge is of some parts, the creation of all. */
static int parts_are_whole(const ledger_dataset *d, const ledger_entry *e)
{
    int64_t chosen = 0;
    for (int64_t i = 0; i < d->parts; i++)
        chosen += d->part[i].chosen;
    return e->kind == LEDGER_CREATED ? chosen == d->parts : chosen > 0;
}

static const char *check_fields(const verifying *v, const ledger_entry *e)
{
    const ledger_amount *a = &e->amount;
    if ((e->kind == LEDGER_CREATED) != (e->position == 1))
        return "it cannot be of this kind here";
    if (e->number <= v->number ||
        e->charges != v->charges + (e->kind == LEDGER_CHARGE))
        return "it is not in its order";
    return a->square < 0 || a->delta0 < 0 || a->draws < 0
               ? "its charge is negative"
               : NULL;
}

static sotto_status check_sums(verifying *v, const ledger_entry *e,
                               const char *seal, const char **what,
                               sotto_error *error)
{
    char head[LEDGER_HEAD] = "", sum[LEDGER_HEAD] = "";
    const char *before = v->position ? v->before : NULL;
    sotto_status status = ledger_chain(head, &v->dataset, e, before, error);
    if (status == SOTTO_OK)
        status = ledger_seal_entry(sum, e, error);
    if (strcmp(head, e->head))
        *what = "its hash does not fit: it, or one before it, was changed";
    else if (!seal || strcmp(seal, sum))
        *what = "its time was changed";
    return status;
}

static sotto_status check_entry(verifying *v, ledger_query *q,
                                sotto_error *error)
{
    ledger_entry e;
    int64_t expected = v->position + 1;
    if (!ledger_entry_read(&e, q))
        return bad_entry(v, expected, "it is damaged", error);
    if (e.position != expected)
        return bad_entry(v, expected, "it is missing", error);
    const char *what = check_fields(v, &e);
    sotto_status status = SOTTO_OK;
    if (!what)
        status = check_lines(v, &e, &what, error);
    if (status == SOTTO_OK && !what && !parts_are_whole(&v->dataset, &e))
        what = "parts of it are missing";
    if (status == SOTTO_OK && !what)
        status = check_sums(v, &e, ledger_text_at(q, LEDGER_ENTRY_SEAL), &what,
                            error);
    if (status == SOTTO_OK && what)
        return bad_entry(v, expected, what, error);
    memcpy(v->before, e.head, sizeof v->before);
    v->position = e.position;
    v->charges = e.charges;
    v->number = e.number;
    v->entries++;
    return status;
}

/* ---- a data set ---- */

static sotto_status check_entries(verifying *v, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    ledger_query q = ledger_ask(&v->store, "SELECT " LEDGER_ENTRY_COLUMNS
                                           " FROM entry e WHERE e.dataset = ? "
                                           "ORDER BY e.position");
    v->position = v->charges = v->number = 0;
    ledger_bind_count(&q, v->dataset.number);
    while (status == SOTTO_OK && ledger_row(&q))
        status = check_entry(v, &q, error);
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    if (status == SOTTO_OK)
        status = ended;
    return status == SOTTO_OK && !v->position
               ? bad_entry(v, 1, "it is missing", error)
               : status;
}

static sotto_status check_dataset(verifying *v, ledger_query *q,
                                  sotto_error *error)
{
    char seal[LEDGER_HEAD];
    const char *said = ledger_text_at(q, 1);
    ledger_dataset_free(&v->dataset);
    v->reading = ledger_count_at(q, 0);
    sotto_status status =
        ledger_dataset_read_fixed(&v->dataset, &v->store, v->reading, error);
    if (status == SOTTO_OK)
        status = ledger_seal_dataset(seal, &v->dataset, error);
    if (status == SOTTO_OK && (!said || strcmp(said, seal)))
        return bad_entry(v, 1, "its data set was changed", error);
    return status == SOTTO_OK ? check_entries(v, error) : status;
}

static sotto_status check_datasets(verifying *v, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    ledger_query q = ledger_ask(
        &v->store, "SELECT number, seal FROM dataset ORDER BY number");
    while (status == SOTTO_OK && ledger_row(&q))
        status = check_dataset(v, &q, error);
    sotto_status ended = ledger_end(&q, status == SOTTO_OK ? error : NULL);
    return status == SOTTO_OK ? ended : status;
}

/* ---- the whole ---- */

/* The first number in the first row of the answer. */
static sotto_status verify_number(const verifying *v, const char *sql,
                                  int64_t *out, sotto_error *error)
{
    ledger_query q = ledger_ask(&v->store, sql);
    *out = ledger_row(&q) ? ledger_count_at(&q, 0) : 0;
    return ledger_end(&q, error);
}

/* Rows that no data set leads to, and numbers that are missing: a data set
   that was removed, or its last entries, where others have come since. */
static sotto_status check_rest(verifying *v, sotto_error *error)
{
    static const struct {
        const char *sql, *what;
    } rest[] = {
        {"SELECT count(*) FROM pragma_foreign_key_check",
         "rows belong to nothing: others were deleted"},
        {"SELECT max(number) - count(*) FROM entry",
         "entries at the end of a data set were deleted"},
        {"SELECT max(number) - count(*) FROM dataset",
         "a data set was deleted"},
        {"SELECT max(number) - count(*) FROM part", "a part was deleted"},
        {"SELECT count(*) FROM finished f LEFT JOIN entry e ON "
         "e.number = f.entry WHERE e.run IS NOT f.run",
         "runs are marked as finished that were never booked"}};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < sizeof rest / sizeof *rest;
         i++) {
        int64_t bad;
        status = verify_number(v, rest[i].sql, &bad, error);
        if (status == SOTTO_OK && bad)
            status = bad_ledger(v, rest[i].what, error);
    }
    return status;
}

static sotto_status check_counts(verifying *v, sotto_error *error)
{
    int64_t entries, lines = 0;
    sotto_status status =
        verify_number(v, "SELECT count(*) FROM entry", &entries, error);
    if (status == SOTTO_OK)
        status = verify_number(v, "SELECT count(*) FROM line", &lines, error);
    if (status == SOTTO_OK && (entries != v->entries || lines != v->lines))
        status = bad_ledger(v, "entries belong to no data set", error);
    return status;
}

/* SQLite's own check of every page. */
static sotto_status check_pages(verifying *v, sotto_error *error)
{
    char what[200] = "";
    ledger_query q = ledger_ask(&v->store, "PRAGMA integrity_check(1)");
    const char *said = ledger_row(&q) ? ledger_text_at(&q, 0) : NULL;
    if (said && strcmp(said, "ok"))
        snprintf(what, sizeof what, "the file is damaged: %.150s",
                 show_name(said).text);
    sotto_status status = ledger_end(&q, error);
    if (status == SOTTO_OK && *what)
        status = bad_ledger(v, what, error);
    return status;
}

static sotto_status check_walk(verifying *v, sotto_error *error)
{
    sotto_status status = check_datasets(v, error);
    if (status == SOTTO_OK)
        status = check_rest(v, error);
    return status == SOTTO_OK ? check_counts(v, error) : status;
}

/* The walk ended at rows that cannot be read. */
static sotto_status unreadable(verifying *v, sotto_error *error)
{
    char what[100];
    snprintf(what, sizeof what,
             "data set number %lld, or an entry of it, cannot be read",
             (long long)v->reading);
    return bad_ledger(v, what, error);
}

/* Where a page is so damaged that the walk ends there, what SQLite says about
   the page says more. */
static sotto_status verify_all(verifying *v, sotto_error *error)
{
    sotto_error stopped;
    sotto_status walked = check_walk(v, &stopped), status = walked;
    int damaged = walked == SOTTO_PRIVACY && !v->named;
    if (walked == SOTTO_OK || damaged)
        status = check_pages(v, &stopped);
    if (status == SOTTO_OK)
        status = damaged ? unreadable(v, &stopped)
                         : ledger_schema_check(&v->store, &stopped);
    return status == SOTTO_OK ? SOTTO_OK
                              : error_set(error, status, "%s", stopped.message);
}

sotto_status sotto_ledger_verify(sotto_ledger *ledger, int64_t *entries,
                                 sotto_error *error)
{
    verifying v = {0};
    sotto_status status =
        ledger_store_open(&v.store, ledger->path, LEDGER_UNCHECKED, error);
    if (status == SOTTO_OK)
        status = ledger_begin_read(&v.store, error);
    if (status == SOTTO_OK)
        status = verify_all(&v, error);
    if (entries)
        *entries = v.entries;
    ledger_store_close(&v.store);
    ledger_dataset_free(&v.dataset);
    return status;
}
