/*
 * The public calls about accounting.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

static sotto_status public_new(sotto_events **out, sotto_error *error)
{
    *out = mem_zeroed(1, sizeof **out);
    return *out ? SOTTO_OK : error_memory(error);
}

static sotto_status public_done(sotto_events **out, sotto_status status)
{
    if (status != SOTTO_OK) {
        mem_free(*out);
        *out = NULL;
    }
    return status;
}

sotto_status account_wrap(sotto_events **out, const account_list *list,
                          sotto_error *error)
{
    sotto_status status = public_new(out, error);
    if (status != SOTTO_OK)
        return status;
    (*out)->list.adjacency = list->adjacency;
    (*out)->list.ordered = list->ordered;
    return public_done(
        out, account_append(&(*out)->list, list, list->ordered, error));
}

static sotto_status public_adjacency(const char *name, account_adjacency *out,
                                     sotto_error *error)
{
    if (name && account_adjacency_named(name, out))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "adjacency: expected add-remove, replace-one or zero-out");
}

sotto_status sotto_events_plan(sotto_events **out, const char *plan,
                               const char *settings, const char *adjacency,
                               sotto_error *error)
{
    account_adjacency how;
    *out = NULL;
    sotto_status status = public_adjacency(adjacency, &how, error);
    if (status == SOTTO_OK)
        status = public_new(out, error);
    if (status != SOTTO_OK)
        return status;
    return public_done(
        out, account_parse(&(*out)->list, plan, settings, NAN, how, error));
}

sotto_status sotto_events_read(sotto_events **out, const char *path,
                               sotto_error *error)
{
    char *text = NULL;
    size_t size = 0;
    sotto_status status = public_new(out, error);
    if (status != SOTTO_OK)
        return status;
    status = file_read(path, FILE_MOST, &text, &size, error);
    if (status == SOTTO_OK)
        status = account_from_json(&(*out)->list, text, size, path, error);
    mem_free(text);
    return public_done(out, status);
}

sotto_status sotto_events_parse(sotto_events **out, const char *json,
                                sotto_error *error)
{
    size_t size = strlen(json);
    sotto_status status = public_new(out, error);
    if (status != SOTTO_OK)
        return status;
    status = file_check_whole("events", NULL, 0, size, FILE_MOST, error);
    if (status == SOTTO_OK)
        status = account_from_json(&(*out)->list, json, size, "events", error);
    return public_done(out, status);
}

static sotto_status public_text(char **out, text_buffer *text,
                                sotto_error *error)
{
    *out = text->failed ? NULL : text->data;
    if (*out)
        return SOTTO_OK;
    text_free(text);
    return error_memory(error);
}

sotto_status sotto_events_json(char **out, const sotto_events *events,
                               sotto_error *error)
{
    text_buffer text = {0};
    account_json(&events->list, &text);
    return public_text(out, &text, error);
}

sotto_status sotto_events_text(char **out, const sotto_events *events,
                               sotto_error *error)
{
    text_buffer text = {0};
    account_print(&events->list, &text);
    return public_text(out, &text, error);
}

void sotto_events_free(sotto_events *events)
{
    if (!events)
        return;
    account_free(&events->list);
    mem_free(events);
}

sotto_status sotto_events_append(sotto_events *events, const sotto_events *more,
                                 int follows, sotto_error *error)
{
    return account_append(&events->list, &more->list, follows, error);
}

sotto_status sotto_events_ask(sotto_events *events, const char *adjacency,
                              sotto_error *error)
{
    return public_adjacency(adjacency, &events->list.adjacency, error);
}

void sotto_events_in_order(sotto_events *events, int given)
{
    events->list.ordered = given != 0;
}

void sotto_events_draws(sotto_events *events, double draws)
{
    /* what a list was saved with is not forgotten */
    if (draws > events->list.draws)
        events->list.draws = draws;
}

static void public_price(sotto_price *out, const account_price *price)
{
    *out = (sotto_price){price->epsilon, price->delta,
                         account_method_name(price->method), price->note};
}

sotto_status sotto_events_epsilon(const sotto_events *events, double delta,
                                  sotto_price *out, sotto_error *error)
{
    account_price price;
    sotto_status status = account_epsilon(&events->list, delta, &price, error);
    if (status == SOTTO_OK)
        public_price(out, &price);
    return status;
}

sotto_status sotto_events_delta(const sotto_events *events, double epsilon,
                                sotto_price *out, sotto_error *error)
{
    account_price price;
    sotto_status status = account_delta(&events->list, epsilon, &price, error);
    if (status == SOTTO_OK)
        public_price(out, &price);
    return status;
}

sotto_status sotto_events_repeated(const sotto_events *events, const char *law,
                                   double mean, double delta, double *epsilon,
                                   sotto_error *error)
{
    int shape = !strcmp(law, "geometric")     ? 1
                : !strcmp(law, "logarithmic") ? 0
                                              : -1;
    return account_tuned(&events->list, shape, mean, delta, epsilon, error);
}

static sotto_status public_parse(account_list *list, const void *from, double z,
                                 sotto_error *error)
{
    const sotto_calibration *target = from;
    return account_parse(list, target->plan, target->settings, z,
                         list->adjacency, error);
}

sotto_status sotto_events_calibrate(sotto_events **out,
                                    const sotto_calibration *target, double *z,
                                    sotto_price *price, sotto_error *error)
{
    account_price found;
    account_target t = {.ordered = target->in_order,
                        .draws = target->draws,
                        .epsilon = target->epsilon,
                        .delta = target->delta};
    *out = NULL;
    sotto_status status =
        public_adjacency(target->adjacency, &t.adjacency, error);
    if (status == SOTTO_OK)
        status = public_new(out, error);
    if (status != SOTTO_OK)
        return status;
    status = account_calibrate(&(*out)->list, z, &found, &t, public_parse,
                               target, error);
    if (status == SOTTO_OK)
        public_price(price, &found);
    return public_done(out, status);
}

/* ---- papers ---- */

const sotto_paper *sotto_paper_at(int64_t i)
{
    return account_paper_at(i);
}

sotto_status sotto_paper_multiplier(const char *name, double steps, double rate,
                                    double epsilon, double delta, double *out,
                                    sotto_error *error)
{
    suggestion n = {.written = name};
    for (int64_t i = 0; account_paper_at(i); i++) {
        suggest_try(&n, account_paper_at(i)->name,
                    strlen(account_paper_at(i)->name));
        if (!strcmp(name, account_paper_at(i)->name))
            return account_paper_multiplier(i, steps, rate, epsilon, delta, out,
                                            error);
    }
    return error_set(error, SOTTO_USAGE,
                     "--paper: no formula of that name; 'list' names them%s",
                     suggest_hint(&n).text);
}
