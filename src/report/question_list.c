/*
 * What was asked about the records, and what each kind of question would
 * have cost alone.
 */
#include "account.h"
#include "page.h"
#include "plan.h"

#include <math.h>

static double number_of(const json_t *q, const char *key)
{
    return json_number_value(json_object_get(q, key));
}

/* epsilon of the question alone, at the statement's delta; NaN: no method
   says anything about it. */
static sotto_status price_alone(const json_t *statement, const json_t *q,
                                double *epsilon, sotto_error *error)
{
    account_list list = {0};
    account_question question;
    account_price price = {0};
    double delta = number_of(statement, "delta");
    *epsilon = NAN;
    if (!(delta > 0 && delta < 1) ||
        !account_adjacency_named(page_text(statement, "adjacency"),
                                 &list.adjacency) ||
        !account_read_question(&question, q))
        return SOTTO_OK;
    question.and_next = 0;
    sotto_status status = account_ask(&list, &question, 1, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&list, delta, &price, error);
    account_free(&list);
    if (status == SOTTO_OK)
        *epsilon = price.epsilon;
    return status == SOTTO_FAILED ? status : SOTTO_OK;
}

static void put_question(text_buffer *t, const json_t *q, double alone)
{
    const char *name = page_text(q, "question");
    const ask_words *words = ask_words_named(name);
    text_put(t, "<tr><td><strong>");
    report_escape(t, name);
    text_put(t, "</strong>");
    if (words) {
        text_put(t, ": ");
        report_escape(t, words->meaning);
    }
    text_put(t, "<br><span class=\"soft\">");
    report_escape(t, page_text(q, "mechanism"));
    if (number_of(q, "noise_multiplier") > 0 && !(words && words->by_price)) {
        text_put(t, ", noise ");
        page_number(t, number_of(q, "noise_multiplier"), 3);
        text_put(t, " times what one can change");
    }
    if (number_of(q, "blocks") > 0) {
        text_put(t, ", by blocks of rows: ");
        page_number(t, number_of(q, "blocks"), 10);
    }
    text_put(t, "</span></td><td class=\"n\">");
    page_number(t, number_of(q, "times"), 10);
    text_put(t, "</td><td class=\"n\">");
    if (isnan(alone))
        text_put(t, "not known");
    else
        page_number_up(t, alone, 3);
    text_put(t, "</td></tr>\n");
}

static sotto_status put_table(text_buffer *t, const json_t *statement,
                              const json_t *list, const char *caption,
                              sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    double alone;
    text_format(t,
                "<table><caption>%s</caption><tr><th>question</th><th "
                "class=\"n\">times</th><th class=\"n\">epsilon alone</th>"
                "</tr>\n",
                caption);
    for (size_t i = 0; status == SOTTO_OK && i < json_array_size(list); i++) {
        const json_t *q = json_array_get(list, i);
        status = price_alone(statement, q, &alone, error);
        put_question(t, q, alone);
    }
    text_put(t, "</table>\n");
    return status;
}

sotto_status page_questions(text_buffer *t, const json_t *statement,
                            sotto_error *error)
{
    const json_t *later = json_object_get(statement, "chosen_from_answers");
    text_put(t,
             "<h3>What was asked, and what each question cost</h3>\n<p>The "
             "training asks questions about the records. Each answer gets "
             "random noise before the training sees it. Together they cost "
             "the epsilon above. Beside each question is what it would have "
             "cost alone, at the same delta. Epsilons at a fixed delta do not "
             "simply add up to the whole.</p>\n");
    sotto_status status =
        put_table(t, statement, json_object_get(statement, "questions"),
                  "Questions, in their order", error);
    if (status == SOTTO_OK && json_array_size(later) > 0)
        status = put_table(t, statement, later,
                           "Of these, the questions that were chosen from "
                           "answers",
                           error);
    return status == SOTTO_OK && t->failed ? error_memory(error) : status;
}
