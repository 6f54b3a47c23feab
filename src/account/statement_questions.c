/*
 * The questions of a statement of privacy, read again: as the events that they
 * are priced as, and only where a plan could have them.
 */
#include "statement.h"

#include <math.h>
#include <string.h>

sotto_status stated_refuse(const stated *s, const char *expected)
{
    return error_set(s->error, SOTTO_USAGE,
                     "%s: the statement of privacy cannot be checked: expected "
                     "%s; take a model as 'sotto train' wrote it",
                     show_name(s->name).text, expected);
}

double stated_number(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *stated_word(const json_t *from, const char *key)
{
    const char *word = json_string_value(json_object_get(from, key));
    return word ? word : "";
}

/* What is no list would be taken for an empty one. */
int stated_is_list(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_object(json_array_get(list, i)))
            return 0;
    return json_is_array(list);
}

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
    return !strcmp(stated_word(question, "question"), "chosen from answers");
}

static int is_levels(const json_t *question)
{
    return !strcmp(stated_word(question, "question"), "levels");
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
    if (is_later(at) && (q[i].kind != ACCOUNT_GAUSS || q[i].times > 1 ||
                         q[i].blocks > 0 || in_turn))
        return "\"chosen from answers\" once, as GAUSS, by itself";
    if (is_levels(at) != (q[i].kind == ACCOUNT_SHOWN) ||
        (is_levels(at) &&
         (i > 0 || q[i].times > 1 || q[i].blocks > 0 || in_turn)))
        return "\"levels\" once, as SHOWN, before all other questions";
    if (q[i].blocks > 0 &&
        (!s->blocks || strcmp(stated_word(at, "question"), "sequence") ||
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
            return stated_refuse(s, expected);
    }
    return SOTTO_OK;
}

/* The events of a promise's questions. */
sotto_status stated_events(const stated *s, const json_t *promise,
                           account_list *out)
{
    const json_t *list = json_object_get(promise, "questions");
    double times = 0, draws = stated_number(promise, "draws");
    int64_t count;
    *out = (account_list){
        .adjacency = s->adjacency, .ordered = s->ordered, .draws = draws};
    account_question *q = read_questions(list, &count);
    if (!q)
        return error_memory(s->error);
    for (int64_t i = 0; i < count; i++)
        times += (double)q[i].times;
    sotto_status status = SOTTO_OK;
    if (!stated_is_list(list) || (size_t)count < json_array_size(list))
        status =
            stated_refuse(s, "questions with their times, event and level");
    else if (count && q[count - 1].and_next)
        status =
            stated_refuse(s, "a question after one that is asked in turn with "
                             "the next");
    else if (!(draws >= times && draws <= 1e18))
        status = stated_refuse(s, "\"draws\", at least one for each question");
    else
        status = check_plan(s, list, q);
    if (status == SOTTO_OK)
        status = account_ask(out, q, count, s->error);
    mem_free(q);
    return status;
}

/* What was left for questions that are chosen from answers: its mu^2. */
static double left_for_later(const stated *s)
{
    const json_t *all = json_object_get(s->statement, "questions");
    account_question q;
    double left = 0;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *at = json_array_get(all, i);
        if (is_later(at) && account_read_question(&q, at))
            left += q.level * q.level;
    }
    return left * (1 + STATED_LESS);
}

/* What was chosen from answers is within what was left for it. Choices are, if
   they were booked as Gaussians (Lemma C19). */
sotto_status stated_check_chosen(const stated *s)
{
    const json_t *chosen = json_object_get(s->statement, "chosen_from_answers");
    double left = left_for_later(s);
    account_question q;
    for (size_t i = 0; i < json_array_size(chosen); i++) {
        if (!account_read_question(&q, json_array_get(chosen, i)) ||
            q.kind != ACCOUNT_GAUSS)
            return stated_refuse(
                s, "questions that were chosen from answers to be GAUSS");
        left -= (double)q.times * q.level * q.level;
        if (!(left >= 0))
            return error_set(s->error, SOTTO_PRIVACY,
                             "%s: the questions that were chosen from answers "
                             "cost more than the statement of privacy has for "
                             "them: it was changed; do not rely on it, train "
                             "the model again",
                             show_name(s->name).text);
    }
    return SOTTO_OK;
}
