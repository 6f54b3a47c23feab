/*
 * The statement of privacy, in words.
 */
#include "page.h"

#include <string.h>

const char *page_text(const json_t *statement, const char *key)
{
    const char *text = json_string_value(json_object_get(statement, key));
    return text ? text : "";
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
const char *page_difference_of(const char *word)
{
    return !strcmp(word, "add-remove")    ? "is in the data or is not"
           : !strcmp(word, "replace-one") ? "has these values or any other ones"
                                          : "has these values or was blanked";
}

const char *page_difference(const json_t *statement)
{
    return page_difference_of(page_text(statement, "adjacency"));
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
    text_put(t, "<table class=\"facts\">\n");
    text_put(t, "<tr><th>Who is protected</th><td>");
    page_put_unit(t, statement);
    text_put(t, "</td></tr>\n");
    put_fact(t, "Nobody can tell well whether it", page_difference(statement));
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

void page_statement(text_buffer *t, const sotto_model *m,
                    const json_t *statement)
{
    text_put(t, "<h3>The statement</h3>\n");
    put_remarks(t, m);
    put_facts(t, statement);
}
