/*
 * Event lists as JSON:
 *
 *   {"sotto_events": 1, "adjacency": "add-remove", "order": "any",
 *    "draws": 0, "events": [
 *      {"event": "GAUSS", "mu": 0.05, "count": 1000},
 *      {"repeat": 100, "events": [{"event": "RANGE", "eta": 0.1}, ...]}]}
 *
 * An event may have its own "adjacency": what it was priced for.
 */
#include "account.h"
#include "json.h"

#include <math.h>
#include <string.h>

enum { JSON_VERSION = 1 };

static const char *const json_names[ACCOUNT_KINDS] = {
    "mu", "epsilon", "epsilon", "q", "eta", "rho", "mu"};

/* Of kinds that have a second number. */
static const char *second_name(account_kind kind)
{
    return kind == ACCOUNT_SHOWN ? "p" : "sigma";
}

static json_t *event_value(const account_list *list, const account_event *e)
{
    json_t *out = json_object();
    json_add_text(&out, "event", account_kind_name(e->kind));
    json_add_number(&out, json_names[e->kind], e->a);
    if (account_has_second(e->kind))
        json_add_number(&out, second_name(e->kind), e->b);
    json_add_count(&out, "count", e->count);
    if (e->adjacency != list->adjacency)
        json_add_text(&out, "adjacency", account_adjacency_name(e->adjacency));
    return out;
}

static json_t *round_value(const account_list *list, const account_round *r)
{
    const account_event *e = &list->event[r->first];
    if (r->repeat == 1 && r->size == 1)
        return event_value(list, e);
    json_t *out = json_pack("{s:I}", "repeat", (json_int_t)r->repeat);
    json_t *events = json_array();
    for (int64_t k = 0; k < r->size; k++)
        json_append(&events, event_value(list, &e[k]));
    json_add(&out, "events", events);
    return out;
}

/* In one line, with 17 digits of each number. */
static void put_line(text_buffer *t, const char *key, const json_t *value)
{
    (void)key;
    if (json_is_real(value))
        text_put(t, sotto_number_print(json_real_value(value), 17).text);
    else if (json_is_object(value) || json_is_array(value))
        json_put_members(t, value, (json_layout){"", ", ", "", put_line});
    else
        json_put(t, value);
}

static void put_part(text_buffer *t, const char *key, const json_t *value)
{
    if (json_is_array(value))
        json_put_members(t, value,
                         (json_layout){"\n  ", ",\n  ", "", put_line});
    else
        put_line(t, key, value);
}

void account_json(const account_list *list, text_buffer *out)
{
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:f}", "sotto_events", JSON_VERSION,
                  "adjacency", account_adjacency_name(list->adjacency), "order",
                  list->ordered ? "given" : "any", "draws", list->draws);
    json_t *rounds = json_array();
    for (int64_t i = 0; i < list->rounds; i++)
        json_append(&rounds, round_value(list, &list->round[i]));
    json_add(&root, "events", rounds);
    out->failed |= !root;
    json_put_members(out, root, (json_layout){"", ", ", "", put_part});
    text_put(out, "\n");
    json_decref(root);
}

/* ---- reading ---- */

typedef struct json_reader {
    account_list *list;
    const char *name;
    sotto_error *error;
} json_reader;

static sotto_status json_fault(const json_reader *r, const char *expected)
{
    return error_set(r->error, SOTTO_USAGE, "%s: expected %s",
                     show_name(r->name).text, expected);
}

/* Whether all keys of the object are among " a b c ". */
static int json_only(json_t *object, const char *keys)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        char word[40];
        size_t length = strlen(key);
        if (length + 3 > sizeof word || strchr(key, ' '))
            return 0;
        word[0] = ' ';
        memcpy(word + 1, key, length);
        memcpy(word + 1 + length, " ", 2);
        if (!strstr(keys, word))
            return 0;
    }
    return 1;
}

/* A whole number, `standard` when it is not there, -1 when it is none. */
static int64_t json_count(json_t *object, const char *key, int64_t standard)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        return standard;
    double x = json_is_number(value) ? json_number_value(value) : -1;
    return x >= 0 && x <= 1e12 && x == floor(x) ? (int64_t)x : -1;
}

static int json_adjacency(json_t *object, account_adjacency *out)
{
    json_t *value = json_object_get(object, "adjacency");
    const char *word = json_string_value(value);
    return !value || (word && account_adjacency_named(word, out));
}

static sotto_status json_read_event(const json_reader *r, json_t *from)
{
    account_event e = {.adjacency = r->list->adjacency};
    const char *kind = json_string_value(json_object_get(from, "event"));
    while (kind && e.kind < ACCOUNT_KINDS &&
           strcmp(kind, account_kind_name(e.kind)))
        e.kind++;
    if (!kind || e.kind == ACCOUNT_KINDS)
        return json_fault(r, "\"event\" to be GAUSS, LAPLACE, PURE, "
                             "SUBSAMPLED_GAUSS, RANGE, ZCDP or SHOWN");
    json_t *a = json_object_get(from, json_names[e.kind]);
    json_t *b = json_object_get(from, second_name(e.kind));
    if (!json_only(from,
                   " event mu epsilon q eta rho sigma p count adjacency ") ||
        !json_is_number(a) || !b != !account_has_second(e.kind) ||
        (b && !json_is_number(b)) ||
        json_object_size(from) !=
            2 + (size_t) !!b + (size_t) !!json_object_get(from, "count") +
                (size_t) !!json_object_get(from, "adjacency"))
        return json_fault(r, "an event with its numbers (mu; epsilon; q and "
                             "sigma; eta; rho; mu and p) and perhaps count, "
                             "adjacency");
    e.a = json_number_value(a);
    e.b = json_number_value(b);
    e.count = json_count(from, "count", 1);
    if (e.count < 0)
        return json_fault(r, "\"count\" to be a whole number up to 1e12");
    if (!json_adjacency(from, &e.adjacency))
        return json_fault(r, "\"adjacency\" to be add-remove, replace-one or "
                             "zero-out");
    return account_add(r->list, e, r->error);
}

static sotto_status json_read_round(const json_reader *r, json_t *from)
{
    json_t *events = json_object_get(from, "events");
    if (!events)
        return json_read_event(r, from);
    int64_t repeat = json_count(from, "repeat", -1), first = r->list->rounds;
    if (!json_is_array(events) || repeat < 0 ||
        !json_only(from, " repeat events "))
        return json_fault(r, "a round to have \"repeat\" and \"events\"");
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(events); i++)
        status = json_read_event(r, json_array_get(events, i));
    return status == SOTTO_OK ? account_repeat(r->list, first, repeat, r->error)
                              : status;
}

static sotto_status json_read_list(const json_reader *r, json_t *root)
{
    json_t *events = json_object_get(root, "events");
    json_t *draws = json_object_get(root, "draws");
    const char *order = json_string_value(json_object_get(root, "order"));
    if (json_integer_value(json_object_get(root, "sotto_events")) !=
        JSON_VERSION)
        return json_fault(r, "\"sotto_events\": 1");
    if (!json_only(root, " sotto_events adjacency order draws events ") ||
        !json_is_array(events))
        return json_fault(r, "sotto_events, adjacency, order, draws and "
                             "events, and no other key");
    if (!json_object_get(root, "adjacency") ||
        !json_adjacency(root, &r->list->adjacency))
        return json_fault(r, "\"adjacency\" to be add-remove, replace-one or "
                             "zero-out");
    if (json_object_get(root, "order") &&
        (!order || (strcmp(order, "any") && strcmp(order, "given"))))
        return json_fault(r, "\"order\" to be any or given");
    r->list->ordered = order && !strcmp(order, "given");
    r->list->draws = json_number_value(draws);
    if (draws && !(json_is_number(draws) && r->list->draws >= 0 &&
                   r->list->draws <= 1e18))
        return json_fault(r, "\"draws\" to be a number up to 1e18");
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(events); i++)
        status = json_read_round(r, json_array_get(events, i));
    if (status == SOTTO_OK && !r->list->events) /* as in a plan's text */
        return json_fault(r, "\"events\" to have at least one event");
    return status;
}

sotto_status account_from_json(account_list *out, const char *text,
                               size_t length, const char *name,
                               sotto_error *error)
{
    *out = (account_list){0};
    json_reader r = {out, name, error};
    json_error_t fault;
    json_t *root = json_read(text, length, &fault);
    if (!root && json_out_of_memory(length))
        return error_memory(error);
    if (!root)
        return error_set(error, SOTTO_USAGE,
                         "%s: line %d: not a whole JSON file",
                         show_name(name).text, fault.line);
    sotto_status status = json_is_object(root)
                              ? json_read_list(&r, root)
                              : json_fault(&r, "a JSON object");
    json_decref(root);
    if (status != SOTTO_OK)
        account_free(out);
    return status;
}
