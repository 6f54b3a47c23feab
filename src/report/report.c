/*
 * One page for some models: what all of them together cost, then each.
 */
#include "evaluation.h"
#include "page.h"

#include <math.h>
#include <string.h>

/* ---- one model ---- */

static void put_class(text_buffer *t, const char *name)
{
    text_put(t, "\u201c");
    report_escape(t, name);
    text_put(t, "\u201d");
}

static void put_kind(text_buffer *t, const sotto_model *m)
{
    text_put(t, "<p>A linear model of ");
    text_format(t, "the %s loss with ", sotto_model_loss(m));
    text_format(t, "%lld feature%s", (long long)m->features,
                m->features == 1 ? "" : "s");
    if (m->l1 > 0)
        text_format(t, ", l1 %s", sotto_number_print(m->l1, 6).text);
    if (m->l2 > 0)
        text_format(t, ", l2 %s", sotto_number_print(m->l2, 6).text);
    if (isfinite(m->radius))
        text_format(t, ", in an L1 ball of radius %s",
                    sotto_number_print(m->radius, 6).text);
    if (m->scales_rows)
        text_put(t, ", of which those without bounds are divided by their "
                    "common length in each row");
    if (m->classes > 2) {
        text_format(t, ". It tells %lld classes apart, ",
                    (long long)m->classes);
        for (int64_t k = 0; k < m->classes; k++) {
            text_put(t, k ? ", " : "");
            put_class(t, m->class_name[k]);
        }
        text_put(t, m->one_versus_rest
                        ? ": each was learned against the others, and the one "
                          "with the largest score counts"
                        : ": they were learned at once (multinomial), and the "
                          "one with the largest score counts");
    } else if (m->classes) {
        text_put(t, ". A score above 0 means ");
        put_class(t, m->class_name[1]);
        text_put(t, ", below it ");
        put_class(t, m->class_name[0]);
    }
    text_put(t, ".</p>\n");
}

/* Private evaluations, and what the page calls them. */
typedef struct evaluations {
    const sotto_evaluation *const *evaluation;
    const char *const *name;
    int64_t count;
} evaluations;

/* Those of the model, beside it. */
static sotto_status put_evaluations(text_buffer *t, const sotto_model *m,
                                    const evaluations *all, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < all->count && status == SOTTO_OK; i++) {
        int own = 0;
        status = evaluation_is_of(all->evaluation[i], m, &own, error);
        if (status == SOTTO_OK && own)
            status =
                page_evaluation(t, all->evaluation[i], all->name[i], error);
    }
    return status;
}

static sotto_status put_model(text_buffer *t, const sotto_model *m,
                              const char *name, const json_t *statement,
                              const evaluations *all, int64_t number,
                              sotto_error *error)
{
    text_format(t, "<section id=\"m%lld\">\n<h2>", (long long)number);
    report_escape(t, name);
    text_put(t, "</h2>\n");
    sotto_status status = page_officer(t, m, statement, error);
    text_put(t, "<h3>What it is</h3>\n");
    put_kind(t, m);
    if (status == SOTTO_OK)
        status = put_evaluations(t, m, all, error);
    if (status == SOTTO_OK && m->statement) {
        page_statement(t, m, statement);
        page_curve(t, statement);
        status = page_questions(t, statement, error);
    }
    if (status == SOTTO_OK)
        status = page_weights(t, m, error);
    text_put(t, "</section>\n");
    return status;
}

static sotto_status put_page(text_buffer *t, const sotto_model *const *model,
                             const char *const *name, json_t *const *state,
                             int64_t count, const evaluations *all,
                             sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (count == 1)
        page_begin(t, "A model and privacy",
                   "What this model can reveal about the people behind it");
    else
        page_begin(t, "Models and privacy",
                   "What these models can reveal about the people behind them");
    if (count > 1)
        page_together(t, model, name, state, count);
    for (int64_t i = 0; i < count && status == SOTTO_OK; i++)
        status = put_model(t, model[i], name[i], state[i], all, i + 1, error);
    page_end(t, "the model");
    return status == SOTTO_OK && t->failed ? error_memory(error) : status;
}

/* None is left out without a word. */
static sotto_status check_models(const sotto_model *const *model, int64_t count,
                                 const evaluations *all, sotto_error *error)
{
    if (count < 1)
        return error_set(error, SOTTO_USAGE, "expected a model to report on");
    for (int64_t i = 0; i < all->count; i++) {
        int own = 0;
        sotto_status status = SOTTO_OK;
        for (int64_t k = 0; k < count && !own && status == SOTTO_OK; k++)
            status =
                evaluation_is_of(all->evaluation[i], model[k], &own, error);
        if (status != SOTTO_OK)
            return status;
        if (!own)
            return error_set(error, SOTTO_USAGE,
                             "%s: an evaluation of another model: expected one "
                             "of a model that is given with it",
                             show_name(all->name[i]).text);
    }
    return SOTTO_OK;
}

static sotto_status make_page(char **out, const sotto_model *const *model,
                              const char *const *name, int64_t count,
                              const evaluations *all, sotto_error *error)
{
    text_buffer t = {0};
    *out = NULL;
    sotto_status status = check_models(model, count, all, error);
    if (status != SOTTO_OK)
        return status;
    json_t **state = mem_zeroed((size_t)count, sizeof *state);
    if (!state)
        return error_memory(error);
    for (int64_t i = 0; i < count && status == SOTTO_OK; i++) {
        const char *text = model[i]->statement;
        status = sotto_model_check(model[i], error);
        state[i] = text ? json_read(text, strlen(text), NULL) : NULL;
        if (text && !state[i])
            status = error_memory(error); /* it was read as JSON before */
    }
    if (status == SOTTO_OK)
        status = put_page(&t, model, name, state, count, all, error);
    for (int64_t i = 0; i < count; i++)
        json_decref(state[i]);
    mem_free(state);
    if (status == SOTTO_OK)
        *out = t.data;
    else
        text_free(&t);
    return status;
}

sotto_status sotto_report(char **out, const sotto_model *const *model,
                          const char *const *name, int64_t count,
                          sotto_error *error)
{
    return make_page(out, model, name, count, &(evaluations){0}, error);
}

sotto_status sotto_report_evaluated(char **out, const sotto_model *const *model,
                                    const char *const *name, int64_t count,
                                    const sotto_evaluation *const *evaluation,
                                    const char *const *evaluation_name,
                                    int64_t evaluations_given,
                                    sotto_error *error)
{
    return make_page(
        out, model, name, count,
        &(evaluations){evaluation, evaluation_name, evaluations_given}, error);
}
