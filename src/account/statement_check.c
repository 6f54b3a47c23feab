/*
 * Statements of privacy: the part of them that is a price, written, and
 * checked when somebody is to believe it. Every promise of a statement has the
 * same form: questions, the draws of their noise, epsilon and delta.
 */
#include "statement.h"

#include <math.h>
#include <string.h>

enum { CURVE = 9 };
static const double curve_deltas[CURVE] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6,
                                           1e-7, 1e-8, 1e-9, 1e-10};

/* ---- written ---- */

/* Without the points for which nothing is proven: a large epsilon has no
   meaning at a delta that is less than what the noise's draws are off by. */
static json_t *curve_of(const account_price *price)
{
    json_t *curve = json_array();
    for (int i = 0; i < CURVE; i++)
        if (isfinite(price[i].epsilon))
            json_append(&curve,
                        json_pack("{s:f, s:f}", "delta", curve_deltas[i],
                                  "epsilon", price[i].epsilon));
    return curve;
}

sotto_status account_put_terms(json_t **statement, const account_list *list,
                               sotto_error *error)
{
    account_price price[CURVE];
    sotto_status status =
        account_epsilons(list, curve_deltas, CURVE, price, error);
    if (status != SOTTO_OK)
        return status;
    json_add_text(statement, "order", list->ordered ? "given" : "any");
    json_add_number(statement, "draws", list->draws);
    json_add(statement, "curve", curve_of(price));
    return SOTTO_OK;
}

/* ---- checked ---- */

/* The claim must not be below the price, nor be no number. */
static sotto_status compare(const stated *s, const char *what, double epsilon,
                            double delta, double price)
{
    const json_t *made_by = json_object_get(s->statement, "sotto");
    if (!(epsilon >= 0 && isfinite(epsilon)))
        return stated_refuse(
            s, "every epsilon to be a finite number, not below 0");
    if (epsilon >= price * (1 - STATED_LESS))
        return SOTTO_OK;
    return error_set(
        s->error, SOTTO_PRIVACY,
        "%s: the statement of privacy claims epsilon %s at delta %s%s, but the "
        "questions that it lists cost %s: it was changed, or sotto %s, which "
        "it names, has a fault; do not rely on it, train the model again",
        show_name(s->name).text, sotto_number_print_up(epsilon, 9).text,
        sotto_number_print_up(delta, 9).text, what,
        sotto_number_print_up(price, 9).text,
        show_name(json_string_value(made_by)).text);
}

/* ---- its promises ---- */

/* epsilon at delta, of any promise. */
static sotto_status check_point(const stated *s, const json_t *promise,
                                const account_list *events, const char *what)
{
    account_price price = {0};
    double delta = stated_number(promise, "delta");
    if (!(delta > 0 && delta < 1)) /* draws of noise need some of it */
        return stated_refuse(s, "every delta to be above 0 and below 1");
    sotto_status status = account_epsilons(events, &delta, 1, &price, s->error);
    return status == SOTTO_OK
               ? compare(s, what, stated_number(promise, "epsilon"), delta,
                         price.epsilon)
               : status;
}

/* All points are priced at once, as when they were made. */
static sotto_status check_curve(const stated *s, const account_list *events)
{
    const json_t *curve = json_object_get(s->statement, "curve");
    account_price price[CURVE];
    if (!stated_is_list(curve))
        return stated_refuse(s, "a curve, a list of points");
    sotto_status status =
        account_epsilons(events, curve_deltas, CURVE, price, s->error);
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(curve); i++) {
        const json_t *point = json_array_get(curve, i);
        double delta = stated_number(point, "delta");
        int k = 0;
        while (k < CURVE && delta != curve_deltas[k])
            k++;
        status =
            k < CURVE
                ? compare(s, " (of its curve)", stated_number(point, "epsilon"),
                          delta, price[k].epsilon)
                : stated_refuse(s, "a curve at deltas that sotto prices");
    }
    return status;
}

/* A party's part of a row. */
static sotto_status check_slice(const stated *s, const json_t *slice)
{
    account_list events;
    sotto_status status = stated_events(s, slice, &events);
    if (status == SOTTO_OK)
        status = check_point(s, slice, &events, " (of a party's part)");
    account_free(&events);
    return status;
}

/* How often a question of a whole row is asked of one party's part of it. */
static double times_in(const json_t *slice, const json_t *question)
{
    const json_t *all = json_object_get(slice, "questions");
    account_question of_row, q;
    double times = 0;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *at = json_array_get(all, i);
        if (!strcmp(stated_word(at, "question"),
                    stated_word(question, "question")) &&
            account_read_question(&of_row, question) &&
            account_read_question(&q, at) && q.kind == of_row.kind &&
            q.level == of_row.level)
            times += (double)q.times;
    }
    return times;
}

/* Each question of a whole row is one of some party's part: none is left out
   of the parts, and none of theirs is left out of the row's. */
static sotto_status check_shares(const stated *s, const json_t *slices)
{
    const json_t *all = json_object_get(s->statement, "questions");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *question = json_array_get(all, i);
        double times = 0;
        for (size_t k = 0; k < json_array_size(slices); k++)
            times += times_in(json_array_get(slices, k), question);
        if (times != stated_number(question, "times"))
            return stated_refuse(
                s, "the parties' questions to be those of a whole "
                   "row, each as often");
    }
    return SOTTO_OK;
}

/* What need not be there, and is a list if it is. */
static sotto_status check_lists(const stated *s)
{
    const json_t *chosen = json_object_get(s->statement, "chosen_from_answers");
    const json_t *slices = json_object_get(s->statement, "slices");
    if (chosen && !stated_is_list(chosen))
        return stated_refuse(
            s, "\"chosen_from_answers\" to be a list of questions");
    if (slices && !stated_is_list(slices))
        return stated_refuse(s,
                             "\"slices\" to be a list of the parties' parts");
    return slices ? check_shares(s, slices) : SOTTO_OK;
}

/* A member that need not be there. */
static int may_be_text(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    return !value || json_is_string(value);
}

static int may_be_number(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    return !value || (json_is_number(value) && json_number_value(value) >= 0);
}

static int may_be_parts(const json_t *parts)
{
    int fine = !parts || json_is_array(parts);
    for (size_t i = 0; i < json_array_size(parts); i++)
        fine &= json_is_string(json_array_get(parts, i));
    return fine;
}

/* What a ledger said of the run when it was booked. Whether the ledger has it
   only the ledger knows; here it is that all of it can be read. */
static int is_booking(const json_t *ledger)
{
    static const char *const texts[] = {"dataset", "owner", "date", "purpose"};
    static const char *const numbers[] = {"mu", "delta0", "draws", "delta",
                                          "spent_epsilon"};
    const json_t *cap = json_object_get(ledger, "cap");
    const json_t *position = json_object_get(ledger, "position");
    int fine = json_integer_value(position) >= 1 &&
               *stated_word(ledger, "id") && *stated_word(ledger, "head") &&
               (json_is_null(cap) || may_be_number(ledger, "cap")) &&
               may_be_parts(json_object_get(ledger, "parts"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        fine &= may_be_text(ledger, texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fine &= may_be_number(ledger, numbers[i]);
    return fine;
}

/* Statements of earlier versions have none: they are untracked. */
static sotto_status check_ledger(const stated *s)
{
    const json_t *ledger = json_object_get(s->statement, "ledger");
    if (!ledger || is_booking(ledger) ||
        !strcmp(stated_word(s->statement, "ledger"), "untracked"))
        return SOTTO_OK;
    return stated_refuse(s, "\"ledger\" to be untracked, or what a ledger "
                            "says of the run: its id, position and head, and "
                            "what is spent");
}

static sotto_status check_promises(const stated *s)
{
    const json_t *slices = json_object_get(s->statement, "slices");
    account_list events;
    sotto_status status = stated_events(s, s->statement, &events);
    if (status == SOTTO_OK && !events.events)
        status = stated_refuse(s, "at least one question");
    if (status == SOTTO_OK && !(stated_number(s->statement, "epsilon") > 0))
        status = stated_refuse(s, "an epsilon above 0");
    if (status == SOTTO_OK)
        status = check_point(s, s->statement, &events, "");
    if (status == SOTTO_OK)
        status = check_curve(s, &events);
    account_free(&events);
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(slices); i++)
        status = check_slice(s, json_array_get(slices, i));
    return status == SOTTO_OK ? stated_check_chosen(s) : status;
}

/* What it says of the promise's kind, each in its own words, goes together. */
static sotto_status check_words(stated *s)
{
    const json_t *state = s->statement;
    const json_t *rows = json_object_get(state, "rows_per_person");
    const char *unit = stated_word(state, "unit");
    int hidden = !strncmp(stated_word(state, "membership"), "protected", 9);
    int blanked = json_object_get(state, "zero_out") != NULL;
    int single = !strcmp(unit, "row");
    if (hidden != (s->adjacency == ACCOUNT_ADD_REMOVE))
        return stated_refuse(
            s, "\"membership\" to be protected for add-remove, and "
               "not otherwise");
    if (blanked != (s->adjacency == ACCOUNT_ZERO_OUT))
        return stated_refuse(s, "\"zero_out\" for zero-out, and not otherwise");
    if (!json_is_integer(rows) || json_integer_value(rows) < 1)
        return stated_refuse(s,
                             "\"rows_per_person\", a whole number from 1 on");
    if (single ? json_integer_value(rows) > 1 : strcmp(unit, "person") != 0)
        return stated_refuse(s,
                             "\"unit\" to be person, or row with one row each");
    s->blocks = single && !hidden && !json_object_get(state, "slices");
    return SOTTO_OK;
}

static sotto_status check_statement(stated *s)
{
    const json_t *state = s->statement;
    const json_t *adjacency = json_object_get(state, "adjacency");
    const char *word = json_string_value(adjacency);
    const char *order = json_string_value(json_object_get(state, "order"));
    const char *made_by = json_string_value(json_object_get(state, "sotto"));
    const char *fault = account_known_fault(state);
    if (fault)
        return error_set(s->error, SOTTO_PRIVACY, "%s: made by sotto %s, %s",
                         show_name(s->name).text,
                         show_name(made_by ? made_by : "?").text, fault);
    if (!word || !account_adjacency_named(word, &s->adjacency))
        return stated_refuse(s,
                             "\"adjacency\" to be add-remove, replace-one or "
                             "zero-out");
    if (!order || (strcmp(order, "any") && strcmp(order, "given")))
        return stated_refuse(s, "\"order\" to be any or given");
    s->ordered = !strcmp(order, "given");
    sotto_status status = check_words(s);
    if (status == SOTTO_OK)
        status = check_lists(s);
    if (status == SOTTO_OK)
        status = check_ledger(s);
    return status == SOTTO_OK ? check_promises(s) : status;
}

/* Where `events` is given, it gets those of the questions; to be freed whatever
   the status. */
static sotto_status read_and_check(const char *statement, const char *name,
                                   account_list *events, sotto_error *error)
{
    json_t *root = json_read(statement, strlen(statement), NULL);
    stated s = {.statement = root, .name = name, .error = error};
    if (!root) /* a model has it as JSON */
        return error_memory(error);
    sotto_status status = check_statement(&s);
    if (status == SOTTO_OK && events)
        status = stated_events(&s, root, events);
    json_decref(root);
    return status;
}

sotto_status account_check_statement(const char *statement, const char *name,
                                     sotto_error *error)
{
    return read_and_check(statement, name, NULL, error);
}

sotto_status account_stated_plan(text_buffer *out, const char *statement,
                                 const char *name, sotto_error *error)
{
    account_list events = {0};
    sotto_status status = read_and_check(statement, name, &events, error);
    if (status == SOTTO_OK)
        account_print(&events, out);
    account_free(&events);
    return status == SOTTO_OK && out->failed ? error_memory(error) : status;
}

sotto_status sotto_events_stated(sotto_events **out, const char *statement,
                                 sotto_error *error)
{
    account_list events = {0};
    json_t *root = json_read(statement, strlen(statement), NULL);
    int is_json = json_is_object(root);
    json_decref(root);
    *out = NULL;
    if (!root && json_out_of_memory(strlen(statement)))
        return error_memory(error);
    if (!is_json)
        return error_set(error, SOTTO_USAGE,
                         "expected a statement of privacy, as JSON");
    sotto_status status =
        read_and_check(statement, "the statement", &events, error);
    if (status == SOTTO_OK)
        status = account_wrap(out, &events, error);
    account_free(&events);
    return status;
}
