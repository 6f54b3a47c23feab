/*
 * One statement of SQL: values bound in their order, rows, and one status at
 * its end.
 */
#include "internal.h"

#include <string.h>

ledger_query ledger_ask(const ledger_store *s, const char *sql)
{
    ledger_query q = {.store = s};
    q.code = sqlite3_prepare_v2(s->db, sql, -1, &q.statement, NULL);
    return q;
}

static void query_note(ledger_query *q, int code)
{
    if (q->code == SQLITE_OK && code != SQLITE_OK)
        q->code = code;
}

void ledger_bind_text(ledger_query *q, const char *text)
{
    q->bound++;
    if (q->code == SQLITE_OK)
        query_note(q, text ? sqlite3_bind_text(q->statement, q->bound, text, -1,
                                               SQLITE_TRANSIENT)
                           : sqlite3_bind_null(q->statement, q->bound));
}

void ledger_bind_count(ledger_query *q, int64_t count)
{
    q->bound++;
    if (q->code == SQLITE_OK)
        query_note(q, sqlite3_bind_int64(q->statement, q->bound, count));
}

void ledger_bind_number(ledger_query *q, double x)
{
    q->bound++;
    if (q->code == SQLITE_OK)
        query_note(q, sqlite3_bind_double(q->statement, q->bound, x));
}

void ledger_bind_null(ledger_query *q)
{
    ledger_bind_text(q, NULL);
}

int ledger_row(ledger_query *q)
{
    if (q->code != SQLITE_OK)
        return 0;
    int code = sqlite3_step(q->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        query_note(q, sqlite3_extended_errcode(q->store->db));
    return code == SQLITE_ROW;
}

const char *ledger_text_at(ledger_query *q, int column)
{
    const char *text = (const char *)sqlite3_column_text(q->statement, column);
    if (!text && sqlite3_column_type(q->statement, column) != SQLITE_NULL)
        query_note(q, SQLITE_NOMEM);
    return text;
}

int64_t ledger_count_at(ledger_query *q, int column)
{
    return sqlite3_column_int64(q->statement, column);
}

double ledger_number_at(ledger_query *q, int column)
{
    return sqlite3_column_double(q->statement, column);
}

int ledger_null_at(ledger_query *q, int column)
{
    return sqlite3_column_type(q->statement, column) == SQLITE_NULL;
}

char *ledger_take_text(ledger_query *q, int column)
{
    const char *text = ledger_text_at(q, column);
    char *copy = text ? mem_text(text) : NULL;
    if (text && !copy)
        query_note(q, SQLITE_NOMEM);
    return copy;
}

sotto_status ledger_end(ledger_query *q, sotto_error *error)
{
    sotto_status status = q->code == SQLITE_OK
                              ? SOTTO_OK
                              : ledger_failed(q->store, q->code, error);
    sqlite3_finalize(q->statement);
    q->statement = NULL;
    return status;
}
