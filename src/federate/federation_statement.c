/*
 * The statement of privacy of a federation's model: what is promised, to whom
 * and against whom. Nothing in it depends on a record.
 */
#include "internal.h"
#include "json.h"

#include <math.h>

/* ---- one whole row ---- */

static json_t *question_of(const ask_item *item)
{
    json_t *out = json_object();
    account_question q = curator_question(item);
    json_add_text(&out, "question",
                  item->kind == ASK_ALONG ? "vertex" : ask_name(item->kind));
    json_add_text(&out, "mechanism", ask_mechanism_of(item->noise)->words);
    account_put_question(&out, &q);
    return out;
}

static void put_questions(json_t **s, const ask_plan *plan)
{
    json_t *list = json_array();
    for (int i = 0; i < plan->items; i++)
        if (plan->item[i].count)
            json_append(&list, question_of(&plan->item[i]));
    json_add(s, "questions", list);
}

/* ---- a party's part of a row ---- */

static sotto_status put_slice(json_t **slices, const federation *f, int k,
                              double *epsilon, sotto_error *error)
{
    ask_plan plan = federation_plan(f, k);
    account_list events;
    account_price price = {0};
    sotto_status status = federation_events(&events, &plan, error);
    if (status == SOTTO_OK && events.events > 0)
        status = account_epsilon(&events, f->delta, &price, error);
    double draws = events.draws;
    account_free(&events);
    *epsilon = price.epsilon;
    json_t *slice = json_object();
    json_add_text(&slice, "party", f->party[k].name);
    json_add_number(&slice, "epsilon", price.epsilon);
    json_add_number(&slice, "delta", f->delta);
    json_add_count(&slice, "columns", federation_columns(f, k));
    put_questions(&slice, &plan);
    json_add_number(&slice, "draws", draws);
    json_append(slices, slice);
    return status;
}

static sotto_status put_slices(json_t **s, const federation *f, double *slice,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    json_t *list = json_array();
    json_add_text(
        s, "slices_against",
        "the server and all other parties together, whatever they send: "
        "each party counts its own questions, clips what it is told, and "
        "answers no question twice");
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++)
        status = put_slice(&list, f, k, &slice[k], error);
    json_add(s, "slices", list);
    return status;
}

static void put_scope(json_t **s, const federation *f)
{
    char session[65];
    ask_plan plan = federation_row_plan(f);
    hash_text(&f->session, session);
    json_add_text(s, "adjacency", account_adjacency_name(ACCOUNT_ZERO_OUT));
    json_add_text(s, "zero_out", SOTTO_ZERO_OUT);
    json_add_text(s, "of", "a whole row: all parties' columns and the label");
    json_add_text(s, "against",
                  "everybody but the parties: outsiders, the server, "
                  "and all that it passes on");
    json_add_text(s, "unit", "row");
    json_add(s, "unit_column", json_null());
    json_add_count(s, "rows_per_person", 1);
    json_add_text(
        s, "membership",
        "not protected: who is in the data, and how many they are, is "
        "taken for public");
    json_add_text(
        s, "labels",
        f->labels_known
            ? "known to every party, from which they are not protected; "
              "never sent"
            : "private to the party that has them");
    json_add_text(s, "protocol", "c*: noisy sketches and private choices");
    json_add_text(s, "session", session);
    put_questions(s, &plan);
}

sotto_status federation_statement(const federation *f, json_t **s,
                                  double *epsilon, double *slice,
                                  sotto_error *error)
{
    account_list events;
    account_price price = {0};
    ask_plan plan = federation_row_plan(f);
    *s = json_object();
    sotto_status status = federation_events(&events, &plan, error);
    if (status != SOTTO_OK)
        return status;
    status = account_epsilon(&events, f->delta, &price, error);
    *epsilon = price.epsilon;
    if (status == SOTTO_OK) {
        json_add_text(s, "guarantee", "differential privacy");
        json_add_number(s, "epsilon", price.epsilon);
        json_add_number(s, "delta", f->delta);
        put_scope(s, f);
        json_add_text(s, "proven_by", account_method_name(price.method));
        status = account_put_terms(s, &events, error);
    }
    account_free(&events);
    if (status == SOTTO_OK)
        status = put_slices(s, f, slice, error);
    json_add_text(s, "randomness", "ChaCha20 keyed by the system");
    json_add_text(
        s, "not_covered",
        "timing; how rows of the parties were matched; other releases "
        "about the same people, which add up; declarations (bounds, "
        "radii, caps) that were taken from the records");
    json_add_text(s, "sotto", sotto_version());
    return status == SOTTO_OK && !*s ? error_memory(error) : status;
}
