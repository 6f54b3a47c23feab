/*
 * What the tests of the ledger share: a folder of their own, data sets, runs.
 */
#ifndef SOTTO_BOOKS_H
#define SOTTO_BOOKS_H

#include "reading.h"

#include "json.h"
#include "ledger/internal.h"

#include <sqlite3.h>

/* One run of the thirty: epsilon 0.999996 at delta 1e-6, alone. */
#define RUN "GAUSS(0.2367034343931118)"

static char folder[] = "/tmp/sotto-ledger-XXXXXX";
static char file[80], copy[80];

__attribute__((unused)) static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/ledger.db", folder);
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    return 0;
}

__attribute__((unused)) static int clear_folder(void **state)
{
    (void)state;
    unlink(file);
    unlink(copy);
    return 0;
}

/* Nothing is left behind but the ledger: no journal, no temporary file. */
__attribute__((unused)) static int remove_folder(void **state)
{
    clear_folder(state);
    return rmdir(folder);
}

/* ---- calls ---- */

#define CAP(e, d)                                                              \
    {"epsilon", e},                                                            \
    {                                                                          \
        "delta", d                                                             \
    }
#define NAMED(name)                                                            \
    {                                                                          \
        "dataset", name                                                        \
    }

static sotto_error last; /* of the last call */

__attribute__((unused)) static sotto_status create(const setting *settings)
{
    sotto_options *o = options_with(settings);
    sotto_status status = sotto_ledger_create(file, o, &last);
    sotto_options_free(o);
    return status;
}

/* What tests change of a run: the rest is RUN on data set "patients", for a
   row, add-remove and delta 1e-6. */
typedef struct run {
    int defaults, nameless; /* with no data set at all */
    const char *dataset, *path, *plan;
    int reads_all; /* rows of no part, too */
    ledger_unit unit;
    char **part;
    int64_t parts;
    double delta, draws;
    const char *purpose, *who, *id;
} run;

#define RUN_OF(...) ((run){.defaults = 0, __VA_ARGS__})

static sotto_status book(ledger_receipt *out, run r)
{
    account_list events = {0};
    const char *name =
        r.dataset || r.path || r.nameless ? r.dataset : "patients";
    if (!r.plan)
        r.plan = RUN;
    assert_int_equal(
        account_parse(&events, r.plan, "", NAN, r.unit.adjacency, &last),
        SOTTO_OK);
    events.draws = r.draws;
    if (r.unit.rows_per_person == 0)
        r.unit.rows_per_person = 1;
    char *column = NULL, **value = NULL; /* the reader leaves rows out by it */
    int64_t values = 0;
    sotto_error ignored;
    if (name && ledger_parts(file, name, &column, &value, &values, &ignored))
        column = NULL;
    ledger_request request = {.file = file,
                              .dataset = name,
                              .path = r.path,
                              .part_column = r.reads_all ? NULL : column,
                              .unit = r.unit,
                              .delta = r.delta > 0 ? r.delta : 1e-6,
                              .events = &events,
                              .part = r.part,
                              .parts = r.parts,
                              .purpose = r.purpose,
                              .who = r.who,
                              .run = r.id};
    sotto_status status = ledger_book(out, &request, &last);
    account_free(&events);
    mem_free(column);
    mem_free_texts(value, values);
    return status;
}

/* The status alone. */
__attribute__((unused)) static sotto_status charge(run r)
{
    ledger_receipt receipt;
    sotto_status status = book(&receipt, r);
    ledger_receipt_free(&receipt);
    return status;
}

__attribute__((unused)) static sotto_status verify(int64_t *entries)
{
    sotto_ledger *l;
    sotto_status status = sotto_ledger_open(&l, file, &last);
    if (status == SOTTO_OK)
        status = sotto_ledger_verify(l, entries, &last);
    sotto_ledger_close(l);
    return status;
}

__attribute__((unused)) static void says(const char *words)
{
    if (!strstr(last.message, words))
        fail_msg("expected \"%s\" in: %s", words, last.message);
    assert_null(strchr(last.message, '\n'));
}

/* ---- SQL, as somebody with the file could use it ---- */

__attribute__((unused)) static int64_t sql(const char *text)
{
    sqlite3 *db;
    sqlite3_stmt *q;
    const char *rest = text;
    int64_t number = -1;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    while (*rest) {
        assert_int_equal(sqlite3_prepare_v2(db, rest, -1, &q, &rest),
                         SQLITE_OK);
        int code = q ? sqlite3_step(q) : SQLITE_DONE;
        if (code == SQLITE_ROW)
            number = sqlite3_column_int64(q, 0);
        else if (code != SQLITE_DONE)
            number = -code;
        sqlite3_finalize(q);
    }
    sqlite3_close(db);
    return number;
}

/* The receipt of a run that was booked before, by its id. */
static sotto_status find_run(ledger_receipt *out, const char *id)
{
    ledger_store s;
    *out = (ledger_receipt){0};
    sotto_status status = ledger_store_open(&s, file, LEDGER_CHECKED, &last);
    if (status == SOTTO_OK)
        status = ledger_begin_read(&s, &last);
    if (status == SOTTO_OK)
        status = ledger_receipt_read(out, &s, id, &last);
    ledger_store_close(&s);
    return status;
}

#endif
