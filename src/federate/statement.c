/*
 * The statement of privacy of a model that parties made: what is promised to
 * whom, against whom. Nothing in it depends on a record.
 */
#include "internal.h"

#include <math.h>

static void put_text(text_buffer *t, const char *key, const char *value)
{
    text_format(t, ", \"%s\": ", key);
    text_json(t, value);
}

static void put_number(text_buffer *t, const char *key, double value)
{
    text_format(t, ", \"%s\": ", key);
    text_number(t, value);
}

/* ---- one whole row ---- */

static void put_question(text_buffer *t, const char *before, const char *name,
                         const account_question *q)
{
    text_format(
        t, "%s{\"question\": \"%s\", \"mechanism\": \"%s\", ", before, name,
        q->kind == ACCOUNT_RANGE ? "exponential mechanism" : "Gaussian");
    account_put_question(t, q);
    text_put(t, "}");
}

static void put_questions(text_buffer *t, const federation_questions *all)
{
    text_put(t, ", \"questions\": [");
    for (int i = 0; i < all->count; i++)
        put_question(t, i ? ", " : "", all->name[i], &all->question[i]);
    text_put(t, "]");
}

/* ---- a party's part of a row ---- */

static sotto_status put_slice(text_buffer *t, const federation *f, int k,
                              double *epsilon, sotto_error *error)
{
    federation_questions all = federation_slice_questions(f, k);
    account_list events;
    account_price price = {0};
    sotto_status status = federation_slice(&events, f, k, error);
    if (status == SOTTO_OK && events.events > 0)
        status = account_epsilon(&events, f->delta, &price, error);
    account_free(&events);
    *epsilon = price.epsilon;
    text_put(t, k ? ", {\"party\": " : "{\"party\": ");
    text_json(t, f->party[k].name);
    put_number(t, "epsilon", price.epsilon);
    put_number(t, "delta", f->delta);
    text_format(t, ", \"columns\": %lld", (long long)federation_columns(f, k));
    put_questions(t, &all);
    put_number(t, "draws", all.draws);
    text_put(t, "}");
    return status;
}

static sotto_status put_slices(text_buffer *t, const federation *f,
                               double *slice, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    put_text(t, "slices_against",
             "the server and all other parties together, whatever they send: "
             "each party counts its own questions, clips what it is told, and "
             "answers no question twice");
    text_put(t, ", \"slices\": [");
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++)
        status = put_slice(t, f, k, &slice[k], error);
    text_put(t, "]");
    return status;
}

static void put_scope(text_buffer *t, const federation *f)
{
    char session[65];
    federation_questions all = federation_row_questions(f);
    hash_text(&f->session, session);
    put_text(t, "adjacency", account_adjacency_name(ACCOUNT_ZERO_OUT));
    put_text(t, "zero_out", SOTTO_ZERO_OUT);
    put_text(t, "of", "a whole row: all parties' columns and the label");
    put_text(t, "against",
             "everybody but the parties: outsiders, the server, "
             "and all that it passes on");
    put_text(t, "unit", "row");
    text_put(t, ", \"unit_column\": null, \"rows_per_person\": 1");
    put_text(t, "membership",
             "not protected: who is in the data, and how many they are, is "
             "taken for public");
    put_text(t, "labels",
             f->labels_known
                 ? "known to every party, from which they are not protected; "
                   "never sent"
                 : "private to the party that has them");
    put_text(t, "protocol", "c*: noisy sketches and private choices");
    put_text(t, "session", session);
    put_questions(t, &all);
}

sotto_status federation_statement(const federation *f, text_buffer *t,
                                  double *epsilon, double *slice,
                                  sotto_error *error)
{
    account_list events;
    account_price price = {0};
    sotto_status status = federation_events(&events, f, error);
    if (status != SOTTO_OK)
        return status;
    status = account_epsilon(&events, f->delta, &price, error);
    *epsilon = price.epsilon;
    if (status == SOTTO_OK) {
        text_put(t, "{\"guarantee\": \"differential privacy\"");
        put_number(t, "epsilon", price.epsilon);
        put_number(t, "delta", f->delta);
        put_scope(t, f);
        put_text(t, "proven_by", account_method_name(price.method));
        text_put(t, ", ");
        status = account_put_terms(t, &events, error);
    }
    account_free(&events);
    if (status == SOTTO_OK)
        status = put_slices(t, f, slice, error);
    put_text(t, "randomness", "ChaCha20 keyed by the system");
    put_text(t, "not_covered",
             "timing; how rows of the parties were matched; other releases "
             "about the same people, which add up; declarations (bounds, "
             "radii, caps) that were taken from the records");
    put_text(t, "sotto", sotto_version());
    text_put(t, "}");
    return status;
}
