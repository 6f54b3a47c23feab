/*
 * What others ask of a ledger: the entry that a statement of privacy names,
 * and the parts of a data set.
 */
#include "internal.h"

#include "json.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the entry of a statement ---- */

typedef struct stated {
    const char *id, *head;
    int64_t position;
    double mu, delta0, draws;
    const char *plan; /* of its questions; NULL: it lists none */
    json_t *all;      /* what it says of the ledger */
} stated;

static sotto_status read_stated(stated *out, const json_t *root,
                                sotto_error *error)
{
    const json_t *o = json_object_get(root, "ledger");
    const json_t *position = json_object_get(o, "position");
    *out = (stated){json_string_value(json_object_get(o, "id")),
                    json_string_value(json_object_get(o, "head")),
                    json_integer_value(position),
                    json_number_value(json_object_get(o, "mu")),
                    json_number_value(json_object_get(o, "delta0")),
                    json_number_value(json_object_get(o, "draws")),
                    NULL,
                    json_object_get(root, "ledger")};
    if (json_is_object(o) && out->id && out->head && out->position > 0)
        return SOTTO_OK;
    return error_set(error, SOTTO_PRIVACY,
                     "the statement names no entry of a ledger: the run is "
                     "untracked");
}

/* What the entry at the statement's position says; `run`: whose it is. */
static sotto_status compare_entry(const ledger_store *s, const stated *said,
                                  int64_t number, int *found, int *same,
                                  char run[LEDGER_ID], sotto_error *error)
{
    ledger_entry e;
    ledger_query q = ledger_ask(s, "SELECT " LEDGER_ENTRY_COLUMNS
                                   " FROM entry e WHERE e.dataset = ? "
                                   "AND e.position = ?");
    ledger_bind_count(&q, number);
    ledger_bind_count(&q, said->position);
    *found = ledger_row(&q);
    *same = *found && ledger_entry_read(&e, &q) && e.kind == LEDGER_CHARGE &&
            !strcmp(e.head, said->head) &&
            ledger_mu(e.amount.square) == said->mu &&
            ledger_delta0(e.amount.delta0) == said->delta0 &&
            (double)e.amount.draws == said->draws &&
            (!said->plan || (e.plan && !strcmp(e.plan, said->plan))) && e.run &&
            strlen(e.run) == LEDGER_ID - 1;
    if (*same)
        memcpy(run, e.run, LEDGER_ID);
    return ledger_end(&q, error);
}

/* What is spent is computed, and its last digits may be another machine's. */
static int alike(const json_t *a, const json_t *b)
{
    double x = json_number_value(a), y = json_number_value(b);
    return json_is_number(a) && json_is_number(b)
               ? fabs(x - y) <= 1e-9 * fabs(y)
               : json_equal(a, b);
}

/* A member that one of the two has otherwise; NULL: none. */
static const char *differs(json_t *said, json_t *booked)
{
    const char *key;
    json_t *value;
    json_object_foreach(
        booked, key,
        value) if (!alike(json_object_get(said, key), value)) return key;
    json_object_foreach(said, key,
                        value) if (!json_object_get(booked, key)) return key;
    return NULL;
}

/* Name, cap, total, parts and purpose are what the run's receipt has. */
static sotto_status compare_receipt(const ledger_store *s, const stated *said,
                                    const char *run, sotto_error *error)
{
    ledger_receipt receipt = {0};
    json_t *made = json_object();
    sotto_status status = ledger_receipt_read(&receipt, s, run, error);
    if (status == SOTTO_OK)
        ledger_put(&made, &receipt);
    if (status == SOTTO_OK && !made)
        status = error_memory(error);
    const char *key = status == SOTTO_OK
                          ? differs(said->all, json_object_get(made, "ledger"))
                          : NULL;
    if (key)
        status = error_set(error, SOTTO_PRIVACY,
                           "%s: the statement is about entry %lld of data set "
                           "%.40s, but what it says of \"%.40s\" was not "
                           "booked",
                           show_name(s->path).text, (long long)said->position,
                           show_name(said->id).text, show_name(key).text);
    ledger_receipt_free(&receipt);
    json_decref(made);
    return status;
}

static sotto_status find_stated(const ledger_store *s, const stated *said,
                                sotto_error *error)
{
    int found = 0, same = 0;
    char run[LEDGER_ID] = "";
    ledger_query q = ledger_ask(s, "SELECT number FROM dataset WHERE id = ?");
    ledger_bind_text(&q, said->id);
    int64_t number = ledger_row(&q) ? ledger_count_at(&q, 0) : 0;
    sotto_status status = ledger_end(&q, error);
    if (status == SOTTO_OK && number)
        status = compare_entry(s, said, number, &found, &same, run, error);
    if (status == SOTTO_OK && same)
        return compare_receipt(s, said, run, error);
    if (status != SOTTO_OK)
        return status;
    const char *why =
        !number ? "it has no such data set"
        : found ? "its entry there is of another run"
                : "it is shorter: an older copy of the ledger was put back";
    return error_set(error, SOTTO_PRIVACY,
                     "%s: the statement is about entry %lld of data set %.40s, "
                     "but %s",
                     show_name(s->path).text, (long long)said->position,
                     show_name(said->id).text, why);
}

/* A model that has another run's entry in its statement asked other
   questions than that run was booked for. */
static sotto_status read_plan(stated *said, text_buffer *plan,
                              const json_t *root, const char *statement,
                              sotto_error *error)
{
    if (!json_object_get(root, "questions"))
        return SOTTO_OK;
    sotto_status status =
        account_stated_plan(plan, statement, "the statement", error);
    said->plan = plan->data;
    return status;
}

sotto_status sotto_ledger_find(sotto_ledger *ledger, const char *statement,
                               int64_t *position, sotto_error *error)
{
    ledger_store s;
    stated said = {0};
    text_buffer plan = {0};
    size_t length = strlen(statement);
    json_t *root = json_read(statement, length, NULL);
    sotto_status status = !root && json_out_of_memory(length)
                              ? error_memory(error)
                              : read_stated(&said, root, error);
    if (status == SOTTO_OK)
        status = read_plan(&said, &plan, root, statement, error);
    if (status == SOTTO_OK) {
        status = ledger_store_open(&s, ledger->path, LEDGER_CHECKED, error);
        if (status == SOTTO_OK)
            status = find_stated(&s, &said, error);
        ledger_store_close(&s);
    }
    if (status == SOTTO_OK)
        *position = said.position;
    text_free(&plan);
    json_decref(root);
    return status;
}

/* ---- parts ---- */

static sotto_status take_parts(ledger_dataset *d, char **column, char ***value,
                               int64_t *values, sotto_error *error)
{
    if (!d->part_column)
        return SOTTO_OK;
    *value = mem_zeroed((size_t)d->parts, sizeof **value);
    if (!*value)
        return error_memory(error);
    for (int64_t i = 0; i < d->parts; i++) {
        (*value)[i] = d->part[i].label;
        d->part[i].label = NULL;
    }
    *values = d->parts;
    *column = d->part_column;
    d->part_column = NULL;
    return SOTTO_OK;
}

sotto_status ledger_parts(const char *file, const char *dataset, char **column,
                          char ***value, int64_t *values, sotto_error *error)
{
    ledger_store s;
    ledger_dataset d = {0};
    struct stat about;
    int64_t number = 0;
    *column = NULL;
    *value = NULL;
    *values = 0;
    if (stat(file, &about) && errno == ENOENT)
        return SOTTO_OK;
    sotto_status status = ledger_store_open(&s, file, LEDGER_CHECKED, error);
    if (status == SOTTO_OK)
        status = ledger_dataset_find(&number, &s, dataset, error);
    if (status == SOTTO_OK && number)
        status = ledger_dataset_read(&d, &s, number, error);
    ledger_store_close(&s);
    if (status == SOTTO_OK)
        status = take_parts(&d, column, value, values, error);
    ledger_dataset_free(&d);
    return status;
}
