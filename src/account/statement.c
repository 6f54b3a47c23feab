/*
 * Statements of privacy: the part of them that is a price, written, and
 * checked when somebody is to believe it. Every promise of a statement has the
 * same form: questions, the draws of their noise, epsilon and delta.
 */
#include "internal.h"
#include "json.h"

#include <math.h>
#include <string.h>

/*
 * A claim may be below the price by this part of it: on another machine the
 * last bits of logarithms differ, and the search for an epsilon ends within
 * 1e-7 of it.
 */
#define STATED_LESS 1e-6

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

typedef struct stated {
    const json_t *statement;
    const char *name;
    account_adjacency adjacency;
    int ordered;
    int blocks; /* whether its rows may be asked by blocks */
    sotto_error *error;
} stated;

static sotto_status refuse(const stated *s, const char *expected)
{
    return error_set(s->error, SOTTO_USAGE,
                     "%s: the statement of privacy cannot be checked: expected "
                     "%s; take a model as 'sotto train' wrote it",
                     show_name(s->name).text, expected);
}

static double number_of(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *word_of(const json_t *from, const char *key)
{
    const char *word = json_string_value(json_object_get(from, key));
    return word ? word : "";
}

/* What is no list would be taken for an empty one. */
static int is_list(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_object(json_array_get(list, i)))
            return 0;
    return json_is_array(list);
}

/* The claim must not be below the price, nor be no number. */
static sotto_status compare(const stated *s, const char *what, double epsilon,
                            double delta, double price)
{
    const json_t *made_by = json_object_get(s->statement, "sotto");
    if (!(epsilon >= 0 && isfinite(epsilon)))
        return refuse(s, "every epsilon to be a finite number, not below 0");
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

/* ---- its questions ---- */

static account_question *read_questions(const json_t *list, int64_t *count)
{
    size_t all = json_array_size(list);
    account_question *out = mem_zeroed(all + 1, sizeof *out);
    *count = 0;
    while (out && (size_t)*count < all &&
           account_read_question(&out[*count],
                                 json_array_get(list, (size_t)*count)))
        ++*count;
    return out;
}

static int is_later(const json_t *question)
{
    return !strcmp(word_of(question, "question"), "chosen from answers");
}

/*
 * What the gate demands of a plan before it prices it (curator_check): a price
 * is none for questions that no plan can have. NULL, or what was expected.
 */
static const char *misplaced(const stated *s, const json_t *list,
                             const account_question *q, size_t i)
{
    const json_t *at = json_array_get(list, i);
    int in_turn = q[i].and_next || (i > 0 && q[i - 1].and_next);
    if (is_later(at) &&
        ((q[i].kind != ACCOUNT_GAUSS && q[i].kind != ACCOUNT_ZCDP) ||
         q[i].times > 1 || q[i].blocks > 0 || in_turn))
        return "\"chosen from answers\" once, as GAUSS or ZCDP, by itself";
    if (q[i].blocks > 0 &&
        (!s->blocks || strcmp(word_of(at, "question"), "sequence") ||
         q[i].kind != ACCOUNT_GAUSS || in_turn))
        return "\"blocks\" only of a \"sequence\" that is GAUSS and by itself, "
               "for replace-one or zero-out, of single rows";
    return NULL;
}

static sotto_status check_plan(const stated *s, const json_t *list,
                               const account_question *q)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *expected = misplaced(s, list, q, i);
        if (expected)
            return refuse(s, expected);
    }
    return SOTTO_OK;
}

/* The events of a promise's questions. */
static sotto_status read_events(const stated *s, const json_t *promise,
                                account_list *out)
{
    const json_t *list = json_object_get(promise, "questions");
    double times = 0, draws = number_of(promise, "draws");
    int64_t count;
    *out = (account_list){
        .adjacency = s->adjacency, .ordered = s->ordered, .draws = draws};
    account_question *q = read_questions(list, &count);
    if (!q)
        return error_memory(s->error);
    for (int64_t i = 0; i < count; i++)
        times += (double)q[i].times;
    sotto_status status = SOTTO_OK;
    if (!is_list(list) || (size_t)count < json_array_size(list))
        status = refuse(s, "questions with their times, event and level");
    else if (count && q[count - 1].and_next)
        status = refuse(s, "a question after one that is asked in turn with "
                           "the next");
    else if (!(draws >= times && draws <= 1e18))
        status = refuse(s, "\"draws\", at least one for each question");
    else
        status = check_plan(s, list, q);
    if (status == SOTTO_OK)
        status = account_ask(out, q, count, s->error);
    mem_free(q);
    return status;
}

/* What was left for questions that are chosen from answers, as zCDP. Choices
   are not within a Gaussian (Lemma 12): *choices is 0 where it is one. */
static double left_for_later(const stated *s, int *choices)
{
    const json_t *all = json_object_get(s->statement, "questions");
    account_question q;
    double rho = 0;
    *choices = 1;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *at = json_array_get(all, i);
        if (!is_later(at) || !account_read_question(&q, at))
            continue;
        *choices &= q.kind == ACCOUNT_ZCDP;
        rho += q.kind == ACCOUNT_ZCDP ? q.level : q.level * q.level / 2;
    }
    return rho * (1 + STATED_LESS);
}

/* What was chosen from answers is within what was left for it. */
static sotto_status check_chosen(const stated *s)
{
    const json_t *chosen = json_object_get(s->statement, "chosen_from_answers");
    int choices;
    account_filter filter = {.adjacency = s->adjacency,
                             .rho = left_for_later(s, &choices)};
    account_question q;
    sotto_error full;
    for (size_t i = 0; i < json_array_size(chosen); i++) {
        if (!account_read_question(&q, json_array_get(chosen, i)) ||
            (q.kind != ACCOUNT_GAUSS && !(q.kind == ACCOUNT_RANGE && choices)))
            return refuse(s, "questions that were chosen from answers to be "
                             "GAUSS, or RANGE where ZCDP was left for them");
        account_event e = {q.kind, q.level, 0, q.times, s->adjacency};
        if (account_filter_spend(&filter, e, &full))
            return error_set(s->error, SOTTO_PRIVACY,
                             "%s: the questions that were chosen from answers "
                             "cost more than the statement of privacy has for "
                             "them: it was changed; do not rely on it, train "
                             "the model again",
                             show_name(s->name).text);
    }
    return SOTTO_OK;
}

/* ---- its promises ---- */

/* epsilon at delta, of any promise. */
static sotto_status check_point(const stated *s, const json_t *promise,
                                const account_list *events, const char *what)
{
    account_price price = {0};
    double delta = number_of(promise, "delta");
    if (!(delta > 0 && delta < 1)) /* draws of noise need some of it */
        return refuse(s, "every delta to be above 0 and below 1");
    sotto_status status = account_epsilons(events, &delta, 1, &price, s->error);
    return status == SOTTO_OK ? compare(s, what, number_of(promise, "epsilon"),
                                        delta, price.epsilon)
                              : status;
}

/* All points are priced at once, as when they were made. */
static sotto_status check_curve(const stated *s, const account_list *events)
{
    const json_t *curve = json_object_get(s->statement, "curve");
    account_price price[CURVE];
    if (!is_list(curve))
        return refuse(s, "a curve, a list of points");
    sotto_status status =
        account_epsilons(events, curve_deltas, CURVE, price, s->error);
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(curve); i++) {
        const json_t *point = json_array_get(curve, i);
        double delta = number_of(point, "delta");
        int k = 0;
        while (k < CURVE && delta != curve_deltas[k])
            k++;
        status = k < CURVE ? compare(s, " (of its curve)",
                                     number_of(point, "epsilon"), delta,
                                     price[k].epsilon)
                           : refuse(s, "a curve at deltas that sotto prices");
    }
    return status;
}

/* A party's part of a row. */
static sotto_status check_slice(const stated *s, const json_t *slice)
{
    account_list events;
    sotto_status status = read_events(s, slice, &events);
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
        if (!strcmp(word_of(at, "question"), word_of(question, "question")) &&
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
        if (times != number_of(question, "times"))
            return refuse(s, "the parties' questions to be those of a whole "
                             "row, each as often");
    }
    return SOTTO_OK;
}

/* What need not be there, and is a list if it is. */
static sotto_status check_lists(const stated *s)
{
    const json_t *chosen = json_object_get(s->statement, "chosen_from_answers");
    const json_t *slices = json_object_get(s->statement, "slices");
    if (chosen && !is_list(chosen))
        return refuse(s, "\"chosen_from_answers\" to be a list of questions");
    if (slices && !is_list(slices))
        return refuse(s, "\"slices\" to be a list of the parties' parts");
    return slices ? check_shares(s, slices) : SOTTO_OK;
}

static sotto_status check_promises(const stated *s)
{
    const json_t *slices = json_object_get(s->statement, "slices");
    account_list events;
    sotto_status status = read_events(s, s->statement, &events);
    if (status == SOTTO_OK && !events.events)
        status = refuse(s, "at least one question");
    if (status == SOTTO_OK && !(number_of(s->statement, "epsilon") > 0))
        status = refuse(s, "an epsilon above 0");
    if (status == SOTTO_OK)
        status = check_point(s, s->statement, &events, "");
    if (status == SOTTO_OK)
        status = check_curve(s, &events);
    account_free(&events);
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(slices); i++)
        status = check_slice(s, json_array_get(slices, i));
    return status == SOTTO_OK ? check_chosen(s) : status;
}

/* What it says of the promise's kind, each in its own words, goes together. */
static sotto_status check_words(stated *s)
{
    const json_t *state = s->statement;
    const json_t *rows = json_object_get(state, "rows_per_person");
    const char *unit = word_of(state, "unit");
    int hidden = !strncmp(word_of(state, "membership"), "protected", 9);
    int blanked = json_object_get(state, "zero_out") != NULL;
    int single = !strcmp(unit, "row");
    if (hidden != (s->adjacency == ACCOUNT_ADD_REMOVE))
        return refuse(s, "\"membership\" to be protected for add-remove, and "
                         "not otherwise");
    if (blanked != (s->adjacency == ACCOUNT_ZERO_OUT))
        return refuse(s, "\"zero_out\" for zero-out, and not otherwise");
    if (!json_is_integer(rows) || json_integer_value(rows) < 1)
        return refuse(s, "\"rows_per_person\", a whole number from 1 on");
    if (single ? json_integer_value(rows) > 1 : strcmp(unit, "person") != 0)
        return refuse(s, "\"unit\" to be person, or row with one row each");
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
        return refuse(s, "\"adjacency\" to be add-remove, replace-one or "
                         "zero-out");
    if (!order || (strcmp(order, "any") && strcmp(order, "given")))
        return refuse(s, "\"order\" to be any or given");
    s->ordered = !strcmp(order, "given");
    sotto_status status = check_words(s);
    if (status == SOTTO_OK)
        status = check_lists(s);
    return status == SOTTO_OK ? check_promises(s) : status;
}

sotto_status account_check_statement(const char *statement, const char *name,
                                     sotto_error *error)
{
    json_t *root = json_read(statement, strlen(statement), NULL);
    stated s = {.statement = root, .name = name, .error = error};
    if (!root) /* a model has it as JSON */
        return error_memory(error);
    sotto_status status = check_statement(&s);
    json_decref(root);
    return status;
}
