/*
 * The privacy statement: what is promised, to whom, at what price, and what
 * it does not cover. Made of the policy, the plan and the accountant's
 * totals: nothing in it depends on a record.
 */
#include "internal.h"
#include "json.h"

#include <math.h>

/* What was asked how often, and the event that it is priced as. */
static json_t *question_value(const ask_item *item)
{
    json_t *out = json_object();
    account_question q = curator_question(item);
    const ask_words *words = &question_of(item->kind)->words;
    json_add_text(&out, "question", words->name);
    json_add_text(&out, "mechanism",
                  words->mechanism ? words->mechanism
                                   : ask_mechanism_of(item->noise)->words);
    account_put_question(&out, &q);
    json_add_number(&out, "noise_multiplier", curator_multiplier(item));
    return out;
}

static void put_questions(json_t **statement, const char *key,
                          const ask_item *item, int64_t items)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < items; i++)
        if (item[i].count > 0)
            json_append(&list, question_value(&item[i]));
    json_add(statement, key, list);
}

/* Whose promise it is, and what its number of rows stands on. */
static void put_unit(json_t **s, const curator_policy *policy)
{
    if (policy->adjacency == ACCOUNT_ZERO_OUT)
        json_add_text(s, "zero_out", SOTTO_ZERO_OUT);
    int people = policy->rows_per_person > 1 || policy->has_people;
    json_add_text(s, "unit", people ? "person" : "row");
    if (policy->has_people && policy->unit_column)
        json_add_text(s, "unit_column", policy->unit_column);
    else
        json_add(s, "unit_column", json_null());
    json_add_count(s, "rows_per_person", policy->rows_per_person);
    json_add_text(s, "rows_per_person_is",
                  policy->has_people ? "enforced: further rows are left out"
                  : people           ? "declared by the operator"
                                     : "the unit is a row");
    json_add_text(s, "membership",
                  policy->adjacency == ACCOUNT_ADD_REMOVE
                      ? "protected"
                      : "not protected: who is in the data, and how many they "
                        "are, is taken for public");
}

void curator_put_told(const curator *c, json_t **s)
{
    if (c->told_items > 0)
        put_questions(s, "chosen_from_answers", c->told, c->told_items);
}

/* Other questions are sums of exact integers. */
static void put_arithmetic(json_t **s, const ask_plan *plan)
{
    int minimisers = 0;
    for (int i = 0; i < plan->items; i++)
        minimisers |= plan->item[i].count > 0 &&
                      question_of(plan->item[i].kind)->tolerance > 0;
    if (minimisers)
        json_add_text(
            s, "arithmetic",
            "the minimiser is computed in floating point: how far it may "
            "be from the exact one, of which the proof in real numbers "
            "is, is certified and charged; that a run ends with an "
            "answer is proven for up to twice the stated number of rows");
}

static sotto_status price_plan(const curator_terms *terms, account_list *events,
                               account_price *price, sotto_error *error)
{
    sotto_status status = curator_events(
        events, terms->plan, terms->policy->adjacency, terms->features, error);
    if (status == SOTTO_OK)
        status = account_epsilon(events, terms->delta, price, error);
    if (status == SOTTO_OK && !(price->epsilon > 0))
        status = error_set(error, SOTTO_PRIVACY,
                           "--delta: all questions together cost no epsilon "
                           "at such a delta, which is the chance that the "
                           "promise fails: expected a smaller one, well below "
                           "1 / rows");
    return status;
}

static int has_samples(const ask_plan *plan)
{
    int samples = 0;
    for (int i = 0; i < plan->items; i++)
        samples |=
            plan->item[i].count > 0 && plan->item[i].noise == ASK_SAMPLED;
    return samples;
}

static void put_promise(json_t **s, const curator_terms *terms,
                        const account_price *price)
{
    const curator_policy *policy = terms->policy;
    json_add_text(s, "guarantee", "differential privacy");
    json_add_number(s, "epsilon", price->epsilon);
    json_add_number(s, "delta", terms->delta);
    json_add_text(s, "adjacency", account_adjacency_name(policy->adjacency));
    if (policy->adjacency == ACCOUNT_REPLACE_ONE && has_samples(terms->plan))
        json_add_text(s, "priced_by",
                      "a record and the one that replaces it are in a batch by "
                      "the same coin; levels of batches are those of one "
                      "record");
    put_unit(s, policy);
    json_add_text(s, "rows",
                  policy->rows > 0 ? terms->rows : "estimated privately");
    json_add_text(s, "smoothness", terms->smoothness);
    if (terms->scaled > 0)
        json_add_text(s, "undeclared",
                      "features without bounds are divided by their common "
                      "length in each row, which costs nothing");
    put_questions(s, "questions", terms->plan->item, terms->plan->items);
    put_arithmetic(s, terms->plan);
    json_add_text(s, "proven_by", account_method_name(price->method));
}

/* What somebody learned from the records before, as their means or which of
   the columns matter, no question here is about. */
#define NOT_COVERED                                                            \
    "timing; other releases about the same people, which add up; what is "     \
    "known from elsewhere; declarations (bounds, rows, smoothness, rows per "  \
    "person) that were taken from the records"

static void put_not_covered(json_t **s, const curator_terms *terms)
{
    json_add_text(s, "not_covered",
                  terms->elsewhere ? NOT_COVERED
                      "; what was done to the columns before sotto"
                                   : NOT_COVERED);
}

sotto_status curator_statement(const curator_terms *terms, json_t **out,
                               double *epsilon, sotto_error *error)
{
    account_list events;
    account_price price = {0};
    *out = json_object();
    sotto_status status = price_plan(terms, &events, &price, error);
    if (status == SOTTO_OK) {
        put_promise(out, terms, &price);
        status = account_put_terms(out, &events, error);
    }
    account_free(&events);
    *epsilon = price.epsilon;
    json_add_text(out, "randomness", "ChaCha20 keyed by the system");
    put_not_covered(out, terms);
    json_add_text(out, "sotto", sotto_version());
    return status == SOTTO_OK && !*out ? error_memory(error) : status;
}
