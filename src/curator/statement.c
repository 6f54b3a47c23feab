/*
 * The privacy statement: what is promised, to whom, at what price, and what
 * it does not cover. Made of the policy, the plan and the accountant's
 * totals: nothing in it depends on a record.
 */
#include "inside.h"

#include <math.h>

static void put_text(text_buffer *t, const char *key, const char *value)
{
    text_format(t, ",\n    \"%s\": ", key);
    text_json(t, value);
}

static void put_number(text_buffer *t, const char *key, double value)
{
    text_format(t, ",\n    \"%s\": ", key);
    text_number(t, value);
}

/* What was asked how often, and the event that it is priced as. */
static void put_questions(text_buffer *t, const char *key, const ask_item *from,
                          int64_t items)
{
    const char *between = "";
    text_format(t, ",\n    \"%s\": [", key);
    for (int64_t i = 0; i < items; i++) {
        const ask_item *item = &from[i];
        if (!item->count)
            continue;
        account_question q = curator_question(item);
        const ask_words *words = &question_of(item->kind)->words;
        text_format(t,
                    "%s\n      {\"question\": \"%s\", \"mechanism\": "
                    "\"%s\", ",
                    between, words->name,
                    words->mechanism ? words->mechanism
                                     : ask_mechanism_of(item->noise)->words);
        account_put_question(t, &q);
        text_put(t, ", \"noise_multiplier\": ");
        text_number(t, curator_multiplier(item));
        text_put(t, "}");
        between = ",";
    }
    text_put(t, "]");
}

/* Whose promise it is, and what its number of rows stands on. */
static void put_unit(text_buffer *t, const curator_policy *policy)
{
    if (policy->adjacency == ACCOUNT_ZERO_OUT)
        put_text(t, "zero_out", SOTTO_ZERO_OUT);
    int people = policy->rows_per_person > 1 || policy->has_people;
    put_text(t, "unit", people ? "person" : "row");
    if (policy->has_people && policy->unit_column)
        put_text(t, "unit_column", policy->unit_column);
    else
        text_put(t, ",\n    \"unit_column\": null");
    text_format(t, ",\n    \"rows_per_person\": %lld",
                (long long)policy->rows_per_person);
    put_text(t, "rows_per_person_is",
             policy->has_people ? "enforced: further rows are left out"
             : people           ? "declared by the operator"
                                : "the unit is a row");
    put_text(t, "membership",
             policy->adjacency == ACCOUNT_ADD_REMOVE
                 ? "protected"
                 : "not protected: who is in the data, and how many they "
                   "are, is taken for public");
}

void curator_put_told(const curator *c, text_buffer *t)
{
    if (c->told_items > 0)
        put_questions(t, "chosen_from_answers", c->told, c->told_items);
}

/* Other questions are sums of exact integers. */
static void put_arithmetic(text_buffer *t, const ask_plan *plan)
{
    int minimisers = 0;
    for (int i = 0; i < plan->items; i++)
        minimisers |= plan->item[i].count > 0 &&
                      question_of(plan->item[i].kind)->certain > 0;
    if (minimisers)
        put_text(t, "arithmetic",
                 "the minimiser is computed in floating point: how far it may "
                 "be from the exact one, of which the proof in real numbers "
                 "is, is certified and charged; that a run ends with an "
                 "answer is proven for up to twice the stated number of rows");
}

sotto_status curator_statement(const curator_terms *terms, text_buffer *t,
                               double *epsilon, sotto_error *error)
{
    account_list events;
    account_price price;
    const curator_policy *policy = terms->policy;
    sotto_status status = curator_events(
        &events, terms->plan, policy->adjacency, terms->features, error);
    if (status != SOTTO_OK)
        return status;
    status = account_epsilon(&events, terms->delta, &price, error);
    if (status == SOTTO_OK && !(price.epsilon > 0))
        status = error_set(error, SOTTO_PRIVACY,
                           "--delta: all questions together cost no epsilon "
                           "at such a delta, which is the chance that the "
                           "promise fails: expected a smaller one, well below "
                           "1 / rows");
    if (status == SOTTO_OK) {
        *epsilon = price.epsilon;
        text_put(t, "{\"guarantee\": \"differential privacy\"");
        put_number(t, "epsilon", price.epsilon);
        put_number(t, "delta", terms->delta);
        put_text(t, "adjacency", account_adjacency_name(policy->adjacency));
        if (curator_priced_for(terms->plan, policy->adjacency) !=
            policy->adjacency)
            put_text(t, "priced_by",
                     "group privacy: one record less and one more, (2 epsilon, "
                     "(1 + e^epsilon) delta)");
        put_unit(t, policy);
        put_text(t, "rows",
                 policy->rows > 0 ? terms->rows : "estimated privately");
        put_text(t, "smoothness", terms->smoothness);
        if (terms->scaled > 0)
            put_text(t, "undeclared",
                     "features without bounds are divided by their common "
                     "length in each row, which costs nothing");
        put_questions(t, "questions", terms->plan->item, terms->plan->items);
        put_arithmetic(t, terms->plan);
        put_text(t, "proven_by", account_method_name(price.method));
        text_put(t, ",\n    ");
        status = account_put_terms(t, &events, error);
    }
    put_text(t, "randomness", "ChaCha20 keyed by the system");
    put_text(t, "not_covered",
             "timing; other releases about the same people, which add up; what "
             "is known from elsewhere; declarations (bounds, rows, "
             "smoothness, rows per person) that were taken from the records");
    put_text(t, "sotto", sotto_version());
    text_put(t, "}");
    account_free(&events);
    return status;
}
