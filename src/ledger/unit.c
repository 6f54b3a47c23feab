/*
 * Units: a data set has one, and all its runs must promise it. And the texts
 * that people give.
 */
#include "internal.h"

#include <string.h>

void ledger_put_unit(text_buffer *t, const char *column, int64_t rows)
{
    if (column)
        text_format(t, "a person: all rows with the same \"%s\"",
                    show_name(column).text);
    else if (rows > 1)
        text_format(t,
                    "a person with at most %lld rows, as the operator declared",
                    (long long)rows);
    else
        text_put(t, "a row, not all rows of a person");
}

/*
 * A person by a column: each run is priced at its own number of rows, of the
 * same person. Without a column the number of rows is the unit, and a run
 * that protects more rows protects fewer, too. A person and a row do not imply
 * each other where a column chooses the rows (docs/privacy/ledger.md).
 */
int ledger_unit_fits(const ledger_dataset *d, const ledger_unit *unit)
{
    if (d->adjacency != unit->adjacency)
        return 0;
    if (d->unit_column || unit->column)
        return d->unit_column && unit->column &&
               !strcmp(d->unit_column, unit->column);
    return unit->rows_per_person >= d->unit_rows;
}

sotto_status ledger_unit_refuse(const ledger_dataset *d,
                                const ledger_unit *unit, sotto_error *error)
{
    text_buffer theirs = {0}, ours = {0};
    ledger_put_unit(&theirs, d->unit_column, d->unit_rows);
    ledger_put_unit(&ours, unit->column, unit->rows_per_person);
    sotto_status status = SOTTO_PRIVACY;
    if (theirs.failed || ours.failed)
        status = error_memory(error);
    else
        error_set(error, status,
                  "data set \"%.80s\" protects %.120s (%s), and this run "
                  "%.120s (%s): expected the same --unit-column, "
                  "--rows-per-person and --adjacency as it was made with",
                  show_name(d->name).text, theirs.data,
                  account_adjacency_name(d->adjacency), ours.data,
                  account_adjacency_name(unit->adjacency));
    text_free(&theirs);
    text_free(&ours);
    return status;
}

/* Control characters, also U+0080 to U+009F, could reach a terminal. */
static int text_has_control(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 32 || *c == 127 ||
            (*c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f))
            return 1;
    return 0;
}

sotto_status ledger_check_text(const char *what, const char *text, size_t most,
                               sotto_error *error)
{
    if (!text)
        return SOTTO_OK;
    size_t length = strlen(text);
    if (length == 0 || length > most)
        return error_set(error, SOTTO_USAGE,
                         "%s: expected 1 to %zu bytes, found %zu", what, most,
                         length);
    if (!text_is_utf8(text, length) || text_has_control(text))
        return error_set(error, SOTTO_USAGE,
                         "%s: expected UTF-8 without control characters", what);
    return SOTTO_OK;
}
