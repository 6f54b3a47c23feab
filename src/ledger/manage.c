/*
 * What an owner does: opens a ledger, makes data sets, raises caps, takes
 * backups.
 */
#include "internal.h"

#include "option.h"

#include <string.h>

sotto_status sotto_ledger_open(sotto_ledger **out, const char *path,
                               sotto_error *error)
{
    ledger_store s;
    *out = NULL;
    sotto_status status = ledger_store_open(&s, path, LEDGER_UNCHECKED, error);
    ledger_store_close(&s);
    if (status != SOTTO_OK)
        return status;
    sotto_ledger *ledger = mem_zeroed(1, sizeof *ledger);
    if (ledger)
        ledger->path = mem_text(path);
    if (ledger && ledger->path)
        *out = ledger;
    else
        mem_free(ledger);
    return *out ? SOTTO_OK : error_memory(error);
}

void sotto_ledger_close(sotto_ledger *ledger)
{
    if (ledger)
        mem_free(ledger->path);
    mem_free(ledger);
}

/* ---- creating ---- */

static sotto_status check_names(const sotto_options *options,
                                sotto_error *error)
{
    static const struct {
        option_id id;
        const char *name;
    } texts[] = {{OPTION_DATASET, "--dataset"},
                 {OPTION_OWNER, "--owner"},
                 {OPTION_UNIT_COLUMN, "--unit-column"},
                 {OPTION_PART_COLUMN, "--part-column"},
                 {OPTION_WHO, "--who"}};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < sizeof texts / sizeof *texts;
         i++)
        status =
            ledger_check_text(texts[i].name, option_text(options, texts[i].id),
                              LEDGER_NAME_MOST, error);
    if (status == SOTTO_OK && !option_given(options, OPTION_DATASET))
        status = error_set(error, SOTTO_USAGE,
                           "expected --dataset NAME for the new data set");
    return status;
}

/* Parts are for rows: a person may have rows in several. A label that a
   record could change is a removal here and an addition there. */
static sotto_status check_parts(const ledger_dataset *d, int given,
                                sotto_error *error)
{
    if (!d->part_column == !given)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     given ? "--parts: expected --part-column NAME, the column "
                             "that has these values"
                           : "--part-column: expected --parts with the values "
                             "that it may have");
}

static sotto_status check_unit(const ledger_dataset *d, sotto_error *error)
{
    if (!d->part_column)
        return SOTTO_OK;
    if (d->unit_column || d->unit_rows > 1)
        return error_set(error, SOTTO_PRIVACY,
                         "--parts: refused for the unit person, who may have "
                         "rows in several parts: leave out --part-column");
    if (d->adjacency != ACCOUNT_ADD_REMOVE && !d->public_parts)
        return error_set(error, SOTTO_PRIVACY,
                         "--parts with --adjacency %s: expected --public-parts,"
                         " which declares that the part of a record is public "
                         "and never changes",
                         account_adjacency_name(d->adjacency));
    return SOTTO_OK;
}

static int copy_option(char **to, const sotto_options *options, option_id id)
{
    const char *text = option_text(options, id);
    *to = text ? mem_text(text) : NULL;
    return !text || *to;
}

static sotto_status add_part(ledger_dataset *d, char *label, sotto_error *error)
{
    ledger_part *more = mem_resize(d->part, (size_t)d->parts + 1, sizeof *more);
    if (!more) {
        mem_free(label);
        return error_memory(error);
    }
    d->part = more;
    more[d->parts++] = (ledger_part){.label = label};
    for (int64_t i = 0; label && i < d->parts - 1; i++)
        if (!strcmp(d->part[i].label, label))
            return error_set(error, SOTTO_USAGE,
                             "--parts: \"%s\" is there twice",
                             show_name(label).text);
    return ledger_check_text("--parts", label, LEDGER_NAME_MOST, error);
}

static sotto_status take_parts(ledger_dataset *d, const sotto_options *options,
                               sotto_error *error)
{
    size_t cursor = 0;
    char *label;
    int more = 0;
    sotto_status status =
        check_parts(d, option_given(options, OPTION_PARTS), error);
    while (status == SOTTO_OK &&
           (more = option_next(options, OPTION_PARTS, &cursor, &label)) > 0)
        status = add_part(d, label, error);
    if (status == SOTTO_OK && more < 0)
        status = error_memory(error);
    if (status == SOTTO_OK && !d->parts)
        status = add_part(d, NULL, error);
    return status == SOTTO_OK ? check_unit(d, error) : status;
}

static sotto_status take_options(ledger_dataset *d,
                                 const sotto_options *options,
                                 sotto_error *error)
{
    const char *adjacency = option_text(options, OPTION_ADJACENCY);
    sotto_status status = check_names(options, error);
    if (status != SOTTO_OK)
        return status;
    d->adjacency = ACCOUNT_ADD_REMOVE;
    if (adjacency) /* one of its choices */
        account_adjacency_named(adjacency, &d->adjacency);
    d->public_parts = option_is(options, OPTION_PUBLIC_PARTS, "yes");
    if (!copy_option(&d->name, options, OPTION_DATASET) ||
        !copy_option(&d->owner, options, OPTION_OWNER) ||
        !copy_option(&d->unit_column, options, OPTION_UNIT_COLUMN) ||
        !copy_option(&d->part_column, options, OPTION_PART_COLUMN))
        return error_memory(error);
    d->unit_rows =
        d->unit_column ? 1 : option_integer(options, OPTION_ROWS_PER_PERSON);
    return take_parts(d, options, error);
}

/* Without an epsilon, or with an infinite one, there is no cap. */
static sotto_status take_cap(ledger_cap *cap, const sotto_options *options,
                             sotto_error *error)
{
    double delta = option_given(options, OPTION_DELTA)
                       ? option_number(options, OPTION_DELTA)
                       : 0;
    if (!(delta > 0))
        return error_set(error, SOTTO_USAGE,
                         "expected --epsilon and --delta, the cap of all runs "
                         "together (--delta alone: no cap)");
    return ledger_cap_of(
        cap,
        option_private(options) ? option_number(options, OPTION_EPSILON) : 0,
        delta, error);
}

static sotto_status write_new(ledger_dataset *d, ledger_store *s,
                              const ledger_cap *cap, const char *who,
                              sotto_error *error)
{
    int64_t number = 0;
    sotto_status status = ledger_begin_write(s, error);
    if (status == SOTTO_OK)
        status = ledger_dataset_find(&number, s, d->name, error);
    if (status == SOTTO_OK && number)
        status = error_set(error, SOTTO_USAGE,
                           "%s: there is a data set \"%s\" already",
                           show_name(s->path).text, show_name(d->name).text);
    if (status == SOTTO_OK)
        status = ledger_dataset_write(d, s, cap, who, error);
    return status == SOTTO_OK ? ledger_commit(s, NULL, error) : status;
}

sotto_status sotto_ledger_create(const char *path, const sotto_options *options,
                                 sotto_error *error)
{
    ledger_store s = {0};
    ledger_dataset d = {0};
    ledger_cap cap = {0};
    sotto_status status = take_options(&d, options, error);
    if (status == SOTTO_OK)
        status = take_cap(&cap, options, error);
    if (status == SOTTO_OK)
        status = ledger_create(path, error);
    if (status == SOTTO_OK)
        status = ledger_store_open(&s, path, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status =
            write_new(&d, &s, &cap, option_text(options, OPTION_WHO), error);
    ledger_store_close(&s);
    ledger_dataset_free(&d);
    return status;
}

/* ---- raising ---- */

static int is_lower(const ledger_cap *cap, const ledger_cap *than)
{
    return cap->epsilon < than->epsilon || cap->delta < than->delta ||
           cap->most.square < than->most.square ||
           cap->most.delta0 < than->most.delta0;
}

static int is_same(const ledger_cap *a, const ledger_cap *b)
{
    return !is_lower(a, b) && !is_lower(b, a);
}

static sotto_status check_raise(const ledger_dataset *d, const ledger_cap *cap,
                                sotto_error *error)
{
    for (int64_t i = 0; i < d->parts; i++) {
        const ledger_cap *old = &d->part[i].now.cap;
        if (!d->part[i].chosen)
            continue;
        if (!old->is_set || !cap->is_set)
            return error_set(error, SOTTO_USAGE, "data set \"%s\": %s",
                             show_name(d->name).text,
                             old->is_set ? "expected --epsilon, the new cap"
                                         : "it has no cap, and a cap is fixed "
                                           "before the first run");
        if (is_lower(cap, old) || is_same(cap, old))
            return error_set(error, SOTTO_USAGE,
                             "data set \"%s\": a cap can be raised only: "
                             "expected more than epsilon %s at delta %s",
                             show_name(d->name).text,
                             sotto_number_exact(old->epsilon).text,
                             sotto_number_exact(old->delta).text);
        ledger_state after = {d->part[i].now.sum, *cap};
        if (!ledger_within(&after)) /* a larger epsilon has room for fewer */
            return error_set(error, SOTTO_USAGE,
                             "data set \"%s\": its runs have made more draws "
                             "of noise than such a cap allows",
                             show_name(d->name).text);
    }
    return SOTTO_OK;
}

static sotto_status raise_in(ledger_dataset *d, ledger_store *s,
                             const sotto_options *options, sotto_error *error)
{
    ledger_entry e = {.kind = LEDGER_RAISED,
                      .who = option_text(options, OPTION_WHO)};
    sotto_status status = ledger_begin_write(s, error);
    if (status == SOTTO_OK)
        status = ledger_dataset_named(
            d, s, option_text(options, OPTION_DATASET), error);
    if (status == SOTTO_OK)
        status = ledger_choose_option(d, options, error);
    if (status == SOTTO_OK)
        status = take_cap(&e.cap, options, error);
    if (status == SOTTO_OK)
        status = check_raise(d, &e.cap, error);
    if (status == SOTTO_OK)
        status = ledger_append(d, s, &e, error);
    return status == SOTTO_OK ? ledger_commit(s, NULL, error) : status;
}

sotto_status sotto_ledger_raise(sotto_ledger *ledger,
                                const sotto_options *options,
                                sotto_error *error)
{
    ledger_store s;
    ledger_dataset d = {0};
    sotto_status status = ledger_check_text(
        "--who", option_text(options, OPTION_WHO), LEDGER_NAME_MOST, error);
    if (status != SOTTO_OK)
        return status;
    status = ledger_store_open(&s, ledger->path, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = raise_in(&d, &s, options, error);
    ledger_store_close(&s);
    ledger_dataset_free(&d);
    return status;
}

/* ---- for others ---- */

sotto_status sotto_ledger_backup(sotto_ledger *ledger, const char *path,
                                 sotto_error *error)
{
    ledger_store s;
    int taken = 0;
    sotto_status status =
        ledger_store_open(&s, ledger->path, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = ledger_copy(&s, path, &taken, error);
    ledger_store_close(&s);
    if (taken)
        status = error_set(error, SOTTO_USAGE,
                           "%s: it is there already, and a backup replaces "
                           "nothing: give another name",
                           show_name(path).text);
    return status;
}
