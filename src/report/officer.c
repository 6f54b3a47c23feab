/*
 * What the data protection officer files: first the promise in one sentence,
 * then whose data, what for, what was spent, who signed, and what all that
 * does not cover.
 */
#include "page.h"

#include <string.h>

/* ---- in one sentence ---- */

/* The share of right guesses, at even odds, that nobody can exceed: what
   'sotto account' calls 'guess', of the questions that are stated. */
static sotto_status most_guessed(double *out, const sotto_model *m,
                                 sotto_error *error)
{
    sotto_events *events;
    sotto_price even = {0};
    sotto_status status = sotto_events_stated(&events, m->statement, error);
    if (status == SOTTO_OK)
        status = sotto_events_delta(events, 0, &even, error);
    sotto_events_free(events);
    *out = (1 + even.delta) / 2;
    return status;
}

static void put_price(text_buffer *t, double epsilon, double delta)
{
    text_put(t, "epsilon ");
    page_number_up(t, epsilon, 4);
    text_put(t, ", <span class=\"w\">delta ");
    page_number_up(t, delta, 3);
    text_put(t, "</span>");
}

/* "a person", or "a row". */
static const char *unit_of(const json_t *statement)
{
    return strcmp(page_text(statement, "unit"), "person") ? "a row"
                                                          : "a person";
}

/* Models of parties promise nothing against the parties. */
static int by_parties(const json_t *statement)
{
    return *page_text(statement, "against") != 0;
}

static sotto_status put_promise(text_buffer *t, const sotto_model *m,
                                const json_t *statement, sotto_error *error)
{
    double guessed;
    sotto_status status = most_guessed(&guessed, m, error);
    text_format(
        t,
        "<div class=\"card\"><p class=\"lead\">Whether %s %s: with this "
        "model at hand nobody%s can be right in more than <strong>",
        unit_of(statement), page_difference(statement),
        by_parties(statement) ? " but the parties" : "");
    page_number_up(t, 100 * guessed, 3);
    text_put(t, " of 100</strong> guesses, where blind guessing is right in "
                "50.</p>\n<p>In numbers: <strong>");
    put_price(t, m->epsilon, m->delta);
    text_put(t, "</strong>.</p>\n<p class=\"soft\">The limit was computed "
                "from the questions below ('sotto account' calls it "
                "'guess').</p>\n<p class=\"soft\">Whoever guesses may know "
                "every other "
                "record and everything about how the model was made, know what "
                "they like from elsewhere, compute for as long as they like, "
                "and use whatever is made from the model later.</p></div>\n");
    return status;
}

static void put_warning(text_buffer *t)
{
    text_put(t,
             "<div class=\"card bad\" role=\"alert\"><p class=\"big\">NOT "
             "PRIVATE</p>\n<p>This model was made without noise, or with noise "
             "that can be repeated. It may reveal the records it was learned "
             "from, exactly and to anybody who has it. Nothing on this page "
             "limits that. Treat the model like the records: do not publish "
             "it, and do not hand it to anybody who may not see them.</p>"
             "</div>\n");
}

/* ---- what is filed ---- */

static void put_text(text_buffer *t, const char *name, const json_t *ledger,
                     const char *key)
{
    const char *text = page_text(ledger, key);
    text_format(t, "<tr><th>%s</th><td>", name);
    if (*text)
        report_escape(t, text);
    else
        text_put(t, "<span class=\"soft\">not recorded</span>");
    text_put(t, "</td></tr>\n");
}

static void put_parts(text_buffer *t, const json_t *parts)
{
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const char *part = json_string_value(json_array_get(parts, i));
        text_put(t, i ? ", " : "; of it the parts ");
        report_escape(t, part ? part : "");
    }
}

/* A data set of the user's own ledger has no name: a path says too much. */
static void put_dataset(text_buffer *t, const json_t *ledger)
{
    int named = *page_text(ledger, "dataset") != 0;
    text_put(t, "<tr><th>Data set</th><td>");
    text_put(t, named ? "<strong>" : "without a name; its id is <code>");
    report_escape(t, page_text(ledger, named ? "dataset" : "id"));
    text_put(t, named ? "</strong>" : "</code>");
    put_parts(t, json_object_get(ledger, "parts"));
    text_put(t, "</td></tr>\n");
}

/* All runs of the data set. Without a cap that is no promise. */
static void put_spent(text_buffer *t, const json_t *ledger)
{
    const json_t *cap = json_object_get(ledger, "cap");
    const json_t *spent = json_object_get(ledger, "spent_epsilon");
    double delta = json_number_value(json_object_get(ledger, "delta"));
    text_put(t, "<tr><th>All runs up to this one</th><td>");
    if (!json_is_number(spent))
        text_put(t, "no epsilon is proven for all of them together");
    else if (json_is_number(cap)) {
        text_put(t, "epsilon <strong>");
        page_number_up(t, json_number_value(spent), 4);
        text_put(t, "</strong> of a cap of ");
        put_price(t, json_number_value(cap), delta);
        text_put(t, ", which all runs on this data set keep together, unless "
                    "it was raised since; 'sotto ledger show' has what came "
                    "later");
    } else {
        text_put(t, "the runs on this data set so far are what a cap of (");
        put_price(t, json_number_value(spent), delta);
        text_put(t, ") would have let through; it has no cap");
    }
    text_put(t, "</td></tr>\n");
}

static void put_entry(text_buffer *t, const json_t *ledger)
{
    text_format(
        t, "<tr><th>Ledger</th><td>entry %lld, head <code>",
        (long long)json_integer_value(json_object_get(ledger, "position")));
    report_escape(t, page_text(ledger, "head"));
    text_put(t, "</code></td></tr>\n");
}

static void put_origin(text_buffer *t, const json_t *ledger)
{
    if (!json_is_object(ledger)) {
        text_put(t, "<tr><th>Data set, owner, date, purpose</th><td>not "
                    "recorded</td></tr>\n");
        return;
    }
    put_dataset(t, ledger);
    put_text(t, "Owner", ledger, "owner");
    put_text(t, "Date", ledger, "date");
    put_text(t, "Purpose", ledger, "purpose");
}

static void put_booked(text_buffer *t, const json_t *ledger)
{
    if (json_is_object(ledger)) {
        put_spent(t, ledger);
        put_entry(t, ledger);
    } else
        text_put(t, "<tr><th>All runs up to this one</th><td><strong>untracked"
                    "</strong>: no ledger knows of this run; other runs on the "
                    "same people are not counted here</td></tr>\n");
}

static void put_signature(text_buffer *t, const sotto_model *m)
{
    text_put(t, "<tr><th>Signature</th><td>");
    if (*m->key) {
        text_format(t, "by the key <code>%s</code>", m->key);
        text_put(t, "<br><span class=\"soft\">Whose key that is, <code>sotto "
                    "verify</code> says with the public key at hand.</span>");
    } else
        text_put(t, "not signed");
    text_put(t, "</td></tr>\n");
}

static void put_filed(text_buffer *t, const sotto_model *m,
                      const json_t *statement, const json_t *schema)
{
    const json_t *ledger = json_object_get(statement, "ledger");
    text_put(t, "<table class=\"facts\"><caption>What to file</caption>\n");
    put_origin(t, ledger);
    text_put(t, "<tr><th>Who is protected</th><td>");
    page_put_unit(t, statement);
    text_put(t, "</td></tr>\n<tr><th>Bounds of values</th><td>");
    page_bounds(t, statement, schema);
    text_put(t, "</td></tr>\n<tr><th>This model</th><td>");
    put_price(t, m->epsilon, m->delta);
    text_put(t, " (<span class=\"w\">");
    report_escape(t, page_text(statement, "adjacency"));
    text_put(t, "</span>)</td></tr>\n");
    put_booked(t, ledger);
    put_signature(t, m);
    text_put(t, "</table>\n");
}

/* ---- for the record ---- */

static void put_covered(text_buffer *t, const json_t *statement)
{
    int protects = !strcmp(page_text(statement, "adjacency"), "add-remove");
    int booked = json_is_object(json_object_get(statement, "ledger"));
    text_format(t, "<p>%s</p>\n",
                protects ? "Whether somebody is in the data at all is "
                           "protected as well."
                         : "That somebody is in the data is NOT protected, "
                           "nor how many they are: only what their record "
                           "says is.");
    text_format(t,
                "<p>Not covered: %sother models and statistics about the same "
                "people%s; what can be concluded about people in general, also "
                "about those who were not in the data; how long training took",
                by_parties(statement)
                    ? "what the parties that made the model learn of each "
                      "other, against whom this promises nothing; "
                    : "",
                booked ? " that the ledger does not have under this data set"
                       : ", whose losses add up (keep a list of them)");
    if (*page_text(statement, "arithmetic"))
        text_put(t, "; that training ended with a model, if there were more "
                    "than twice as many rows as stated");
    text_put(t, ". The promise stands on declarations (bounds of columns, "
                "number of rows, smoothness, rows per person, levels, classes, "
                "penalties and other options) that must not have been read off "
                "the records.</p>\n");
}

static void put_words(text_buffer *t, const sotto_model *m,
                      const json_t *statement)
{
    text_put(t, "<blockquote><p>The model was trained with differential "
                "privacy (");
    put_price(t, m->epsilon, m->delta);
    text_put(t, ", ");
    report_escape(t, page_text(statement, "adjacency"));
    text_put(t, "). The unit is ");
    page_put_unit(t, statement);
    text_put(t, ". Random noise from a cryptographic "
                "generator went into every answer that training got from the "
                "records; epsilon was computed by an accountant that never "
                "reports less than what is spent.</p>\n");
    put_covered(t, statement);
    text_put(t, "<p>Whether this epsilon is small enough is your decision.</p>"
                "</blockquote>\n");
}

static void put_officer_exact(text_buffer *t, const sotto_model *m)
{
    put_warning(t);
    text_put(t, "<table class=\"facts\"><caption>What to file</caption>\n");
    put_signature(t, m);
    text_put(t, "</table>\n<blockquote class=\"warn\"><p>The model was trained "
                "WITHOUT privacy. It is personal data if the records are, "
                "and may only go where they may go. A private one is "
                "trained with a finite <span "
                "class=\"w\">--epsilon</span>.</p></blockquote>\n");
}

sotto_status page_officer(text_buffer *t, const sotto_model *m,
                          const json_t *statement, sotto_error *error)
{
    text_put(t, "<h3>For the data protection officer</h3>\n");
    if (!m->statement) {
        put_officer_exact(t, m);
        return SOTTO_OK;
    }
    const char *text = m->schema ? m->schema : "{}";
    json_t *schema = json_read(text, strlen(text), NULL);
    if (!schema) /* the model has it as JSON */
        return error_memory(error);
    sotto_status status = put_promise(t, m, statement, error);
    put_filed(t, m, statement, schema);
    put_words(t, m, statement);
    json_decref(schema);
    return status;
}
