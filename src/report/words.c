/*
 * The promise in words: for those whose records they are, and for the data
 * protection officer.
 */
#include "page.h"

#include <math.h>
#include <string.h>

const char *page_text(const json_t *statement, const char *key)
{
    const char *text = json_string_value(json_object_get(statement, key));
    return text ? text : "";
}

/* "a person", or "a row". */
static const char *page_unit(const json_t *statement)
{
    return strcmp(page_text(statement, "unit"), "person") ? "a row"
                                                          : "a person";
}

void page_put_unit(text_buffer *t, const json_t *statement)
{
    text_buffer words = {0};
    model_put_unit(&words, statement);
    report_escape(t, words.data ? words.data : "");
    t->failed |= words.failed;
    text_free(&words);
}

/* What two data sets differ in that nobody can tell apart well. */
const char *page_difference(const char *word)
{
    return !strcmp(word, "add-remove")    ? "is in the data or is not"
           : !strcmp(word, "replace-one") ? "has these values or any other ones"
                                          : "has these values or was blanked";
}

static const char *difference(const json_t *statement)
{
    return page_difference(page_text(statement, "adjacency"));
}

/*
 * The share of right guesses, at even odds, that nobody can exceed: for each
 * point of the curve the distance is at most 1 - 2 (1 - delta) / (1 + e^eps),
 * and half of that is added to one half.
 */
static double most_guessed(const json_t *statement)
{
    page_point p[PAGE_MOST_POINTS];
    double least = 1;
    int count = page_curve_points(statement, p);
    for (int i = 0; i < count; i++)
        least = fmin(least, 1 - (1 - p[i].delta) / (1 + exp(p[i].epsilon)));
    return least;
}

static void put_price(text_buffer *t, const json_t *statement)
{
    text_put(t, "epsilon ");
    page_number_up(t, json_number_value(json_object_get(statement, "epsilon")),
                   4);
    text_put(t, ", <span class=\"w\">delta ");
    page_number_up(t, json_number_value(json_object_get(statement, "delta")),
                   3);
    text_put(t, "</span>");
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

static void put_promise(text_buffer *t, const json_t *statement)
{
    double guess = most_guessed(statement);
    text_put(t, "<div class=\"card\"><p class=\"big\">");
    put_price(t, statement);
    text_format(t,
                "</p>\n<p>Somebody who knows every other record, and "
                "everything about how this model was made, tries to tell from "
                "it whether %s %s. Guessing blindly is right in 50 of 100 "
                "cases. With the model at hand, nobody can be right in more "
                "than <strong>",
                page_unit(statement), difference(statement));
    page_number_up(t, 100 * guess, 3);
    text_put(t, " of 100</strong>.</p>\n<p>That holds whatever they know from "
                "elsewhere, however much they compute, and for whatever is "
                "made from the model later.</p></div>\n");
}

static void put_fact(text_buffer *t, const char *name, const char *value)
{
    if (!*value)
        return;
    text_format(t, "<tr><th>%s</th><td>", name);
    report_escape(t, value);
    text_put(t, "</td></tr>\n");
}

static void put_rows_per_person(text_buffer *t, const json_t *statement)
{
    const json_t *rows = json_object_get(statement, "rows_per_person");
    if (!json_is_integer(rows) ||
        strcmp(page_text(statement, "unit"), "person"))
        return;
    text_format(t, "<tr><th>Rows of a person, at most</th><td>%lld (",
                (long long)json_integer_value(rows));
    report_escape(t, page_text(statement, "rows_per_person_is"));
    text_put(t, ")</td></tr>\n");
}

static void put_facts(text_buffer *t, const json_t *statement)
{
    text_put(t, "<table><caption>The statement</caption>\n");
    text_put(t, "<tr><th>Who is protected</th><td>");
    page_put_unit(t, statement);
    text_put(t, "</td></tr>\n");
    put_fact(t, "What nobody can tell", difference(statement));
    put_fact(t, "Adjacency", page_text(statement, "adjacency"));
    if (!strcmp(page_text(statement, "adjacency"), "zero-out"))
        put_fact(t, "Blanked means", SOTTO_ZERO_OUT);
    put_fact(t, "Of", page_text(statement, "of"));
    put_fact(t, "Against", page_text(statement, "against"));
    put_fact(t, "Membership", page_text(statement, "membership"));
    put_rows_per_person(t, statement);
    put_fact(t, "Number of rows", page_text(statement, "rows"));
    put_fact(t, "Smoothness", page_text(statement, "smoothness"));
    put_fact(t, "Features without bounds", page_text(statement, "undeclared"));
    put_fact(t, "Labels", page_text(statement, "labels"));
    put_fact(t, "Arithmetic", page_text(statement, "arithmetic"));
    put_fact(t, "Proven by", page_text(statement, "proven_by"));
    put_fact(t, "Priced by", page_text(statement, "priced_by"));
    put_fact(t, "Randomness", page_text(statement, "randomness"));
    put_fact(t, "NOT covered", page_text(statement, "not_covered"));
    put_fact(t, "Made by sotto", page_text(statement, "sotto"));
    text_put(t, "</table>\n");
}

/* What the model's own numbers say against it. */
static void put_remarks(text_buffer *t, const sotto_model *m)
{
    sotto_error remark;
    for (int64_t i = 0; sotto_model_remark(m, i, &remark); i++) {
        text_put(t, "<p><strong>Remark:</strong> ");
        report_escape(t, remark.message);
        text_put(t, ".</p>\n");
    }
}

void page_promise(text_buffer *t, const sotto_model *m, const json_t *statement)
{
    if (!m->statement) {
        put_warning(t);
        return;
    }
    put_promise(t, statement);
    put_remarks(t, m);
    put_facts(t, statement);
}

/* ---- for the officer ---- */

static void put_officer_private(text_buffer *t, const json_t *statement)
{
    int protects = !strcmp(page_text(statement, "adjacency"), "add-remove");
    text_put(t, "<blockquote><p>The model was trained with differential "
                "privacy (");
    put_price(t, statement);
    text_put(t, ", ");
    report_escape(t, page_text(statement, "adjacency"));
    text_put(t, "). The unit is ");
    page_put_unit(t, statement);
    text_put(t, ". Random noise from a cryptographic "
                "generator went into every answer that training got from the "
                "records; epsilon was computed by an accountant that never "
                "reports less than what is spent.</p>\n");
    text_format(t, "<p>%s</p>\n",
                protects ? "Whether somebody is in the data at all is "
                           "protected as well."
                         : "That somebody is in the data is NOT protected, "
                           "nor how many they are: only what their record "
                           "says is.");
    text_put(t,
             "<p>Not covered: other models and statistics about the same "
             "people, whose losses add up (keep a list of them); what can be "
             "concluded about people in general, also about those who were "
             "not in the data; how long training took");
    if (*page_text(statement, "arithmetic"))
        text_put(t, "; that training ended with a model, if there were more "
                    "than twice as many rows as stated");
    text_put(t, ". The promise stands on "
                "declarations (bounds of columns, number of rows, smoothness, "
                "rows per person) that must not "
                "have been read off the records.</p>\n<p>Whether this "
                "epsilon is small enough is your decision.</p></blockquote>"
                "\n");
}

void page_officer(text_buffer *t, const sotto_model *m, const json_t *statement)
{
    text_put(t, "<h3>What to tell the data protection officer</h3>\n");
    if (m->statement)
        put_officer_private(t, statement);
    else
        text_put(t, "<blockquote class=\"warn\"><p>The model was trained "
                    "WITHOUT privacy. It is personal data if the records are, "
                    "and may only go where they may go. A private one is "
                    "trained with a finite --epsilon.</p></blockquote>\n");
}
