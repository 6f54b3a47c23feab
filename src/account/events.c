/*
 * Event lists: building, naming, printing.
 */
#include "account.h"

#include <math.h>
#include <string.h>

static const char *const event_names[ACCOUNT_KINDS] = {
    "GAUSS", "LAPLACE", "PURE", "SUBSAMPLED_GAUSS", "RANGE", "ZCDP", "SHOWN"};

#define ADJACENCY_NAME(id, name) [ACCOUNT_##id] = name,
static const char *const event_adjacencies[ACCOUNT_ADJACENCIES] = {
    ADJACENCY_LIST(ADJACENCY_NAME)};

static const char *const event_methods[ACCOUNT_METHODS] = {
    "no cost",
    "closed form",
    "basic composition",
    "privacy loss distribution",
    "bounded-range recursion",
    "bounded-range recursion in the given order",
    "moments (RDP, zCDP)"};

const char *account_kind_name(account_kind kind)
{
    return event_names[kind];
}

int account_has_second(account_kind kind)
{
    return kind == ACCOUNT_SUBSAMPLED || kind == ACCOUNT_SHOWN;
}

const char *account_adjacency_name(account_adjacency adjacency)
{
    return event_adjacencies[adjacency];
}

const char *account_method_name(account_method method)
{
    return event_methods[method];
}

int account_adjacency_named(const char *name, account_adjacency *out)
{
    for (int i = 0; i < ACCOUNT_ADJACENCIES; i++)
        if (!strcmp(name, event_adjacencies[i])) {
            *out = (account_adjacency)i;
            return 1;
        }
    return 0;
}

enum { EVENTS_MOST = 5000 };
#define EVENTS_COUNT_MOST 1e12
#define EVENTS_DRAWS_MOST 1e18

/* NULL, or what was expected of the event. */
static const char *event_fault(const account_event *e)
{
    if (!(e->count >= 0 && (double)e->count <= EVENTS_COUNT_MOST))
        return "a count from 0 to 1e12";
    if (e->kind == ACCOUNT_SUBSAMPLED) {
        if (!(e->a >= 0 && e->a <= 1))
            return "a sampling rate from 0 to 1";
        if (!(e->b >= 1e-3 && e->b <= 1e12))
            return "a sigma from 0.001 to 1e12";
        return NULL;
    }
    if (e->kind == ACCOUNT_SHOWN && !(e->b >= 0 && e->b <= .5))
        return "a probability p from 0 to 0.5";
    if (!(e->a >= 0 && e->a <= 1e6))
        return "a number from 0 to 1e6";
    return NULL;
}

sotto_status account_add(account_list *list, account_event event,
                         sotto_error *error)
{
    const char *fault = event_fault(&event);
    if (fault)
        return error_set(error, SOTTO_USAGE, "%s: expected %s",
                         event_names[event.kind], fault);
    if (list->events >= EVENTS_MOST)
        return error_set(error, SOTTO_USAGE,
                         "expected at most %d different events", EVENTS_MOST);
    account_event *events =
        mem_resize(list->event, (size_t)list->events + 1, sizeof *events);
    if (!events)
        return error_memory(error);
    list->event = events;
    account_round *rounds =
        mem_resize(list->round, (size_t)list->rounds + 1, sizeof *rounds);
    if (!rounds)
        return error_memory(error);
    list->round = rounds;
    list->event[list->events] = event;
    list->round[list->rounds++] = (account_round){list->events++, 1, 1};
    return SOTTO_OK;
}

sotto_status account_repeat(account_list *list, int64_t first, int64_t repeat,
                            sotto_error *error)
{
    if (!(repeat >= 0 && (double)repeat <= EVENTS_COUNT_MOST))
        return error_set(error, SOTTO_USAGE,
                         "a round: expected a count from 0 to 1e12");
    if (first >= list->rounds)
        return SOTTO_OK;
    account_round *into = &list->round[first];
    int64_t size = 0;
    for (int64_t i = first; i < list->rounds; i++) {
        const account_round *r = &list->round[i];
        if (r->repeat != 1)
            return error_set(error, SOTTO_USAGE,
                             "a round inside a round: expected one level of "
                             "parentheses");
        size += r->size;
    }
    into->size = size;
    into->repeat = repeat;
    list->rounds = first + 1;
    for (int64_t i = 0; i < size; i++)
        if ((double)list->event[into->first + i].count * (double)repeat >
            EVENTS_COUNT_MOST)
            return error_set(error, SOTTO_USAGE,
                             "a round: expected counts up to 1e12");
    if (size == 1) { /* one way to write the same */
        list->event[into->first].count *= repeat;
        into->repeat = 1;
    }
    return SOTTO_OK;
}

static sotto_status append_rounds(account_list *list, const account_list *more,
                                  sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t r = 0; r < more->rounds && status == SOTTO_OK; r++) {
        const account_round *round = &more->round[r];
        int64_t first = list->rounds;
        for (int64_t i = 0; i < round->size && status == SOTTO_OK; i++)
            status = account_add(list, more->event[round->first + i], error);
        if (status == SOTTO_OK)
            status = account_repeat(list, first, round->repeat, error);
    }
    return status;
}

static sotto_status copy_list(account_list *out, const account_list *list,
                              sotto_error *error)
{
    *out = *list;
    size_t events = (size_t)list->events, rounds = (size_t)list->rounds;
    out->event = mem_zeroed(events + 1, sizeof *out->event);
    out->round = mem_zeroed(rounds + 1, sizeof *out->round);
    if (!out->event || !out->round) {
        account_free(out);
        return error_memory(error);
    }
    if (events)
        memcpy(out->event, list->event, events * sizeof *out->event);
    if (rounds)
        memcpy(out->round, list->round, rounds * sizeof *out->round);
    return SOTTO_OK;
}

sotto_status account_append(account_list *list, const account_list *more,
                            int follows, sotto_error *error)
{
    account_list joined; /* a copy: `more` may be `list` */
    if (follows && !(list->ordered && more->ordered))
        return error_set(error, SOTTO_USAGE,
                         "in order: one of the lists has no given order; "
                         "expected both to have one, or none to be said");
    if (list->draws + more->draws > EVENTS_DRAWS_MOST)
        return error_set(error, SOTTO_USAGE, "expected up to 1e18 draws");
    sotto_status status = copy_list(&joined, list, error);
    if (status != SOTTO_OK)
        return status;
    joined.ordered = follows != 0;
    joined.draws = list->draws + more->draws;
    status = append_rounds(&joined, more, error);
    if (status == SOTTO_OK) {
        account_free(list);
        *list = joined;
    } else
        account_free(&joined);
    return status;
}

void account_free(account_list *list)
{
    mem_free(list->event);
    mem_free(list->round);
    *list = (account_list){0};
}

/* ---- as text ---- */

static void print_event(const account_list *list, const account_event *e,
                        text_buffer *out)
{
    text_format(out, "%s(%s", event_names[e->kind],
                sotto_number_print(e->a, 17).text);
    if (account_has_second(e->kind))
        text_format(out, ", %s", sotto_number_print(e->b, 17).text);
    text_put(out, ")");
    if (e->adjacency != list->adjacency)
        text_format(out, "@%s", event_adjacencies[e->adjacency]);
    if (e->count != 1)
        text_format(out, "*%lld", (long long)e->count);
}

void account_print(const account_list *list, text_buffer *out)
{
    text_put(out, list->rounds ? "" : "0*PURE(0)");
    for (int64_t i = 0; i < list->rounds; i++) {
        const account_round *r = &list->round[i];
        text_put(out, i ? " + " : "");
        if (r->repeat != 1)
            text_format(out, "%lld*(", (long long)r->repeat);
        for (int64_t k = 0; k < r->size; k++) {
            text_put(out, k ? " + " : "");
            print_event(list, &list->event[r->first + k], out);
        }
        text_put(out, r->repeat != 1 ? ")" : "");
    }
}
