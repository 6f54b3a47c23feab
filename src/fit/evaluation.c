/*
 * Private evaluation: the records are read for a model as private data, after
 * the run was planned and booked. The curator gets what the model makes of each
 * record, and every number comes through its gate.
 */
#include "evaluating.h"
#include "predict.h"
#include "ranks.h"

#include <math.h>
#include <string.h>

/* ---- before the first row ---- */

static sotto_status check_options(const sotto_options *options,
                                  sotto_error *error)
{
    const char *output = option_text(options, OPTION_OUTPUT);
    if (!option_private(options))
        return error_set(error, SOTTO_USAGE,
                         "a private evaluation needs a finite --epsilon");
    if (!(option_given(options, OPTION_DELTA) &&
          option_number(options, OPTION_DELTA) > 0))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --delta above 0: the probability with which "
                         "the guarantee may fail, well below 1 / rows, as "
                         "1e-6");
    return output && ranks_is_root(option_ranks(options)) &&
                   !booking_wanted(options) &&
                   !option_given(options, OPTION_INSECURE_SEED)
               ? fit_check_spent(output, error)
               : SOTTO_OK;
}

/* What the model shows of the records that it was learned from is not covered
   by this run: so it has to be private by itself, and its statement is priced
   again (Lemma C31). Noise that can be repeated promises nothing of either. */
static sotto_status check_model(const sotto_model *m,
                                const sotto_options *options,
                                sotto_error *error)
{
    if (option_given(options, OPTION_INSECURE_SEED))
        return SOTTO_OK;
    if (!sotto_model_statement(m))
        return error_set(error, SOTTO_PRIVACY,
                         "the model is NOT PRIVATE, and numbers about it show "
                         "something of the records that it was learned from; "
                         "expected a private model, or no --epsilon, for the "
                         "operator alone");
    return sotto_model_check(m, error);
}

/* What the reader takes beside what predict does: epsilon says that nothing of
   the table's shape may come from the rows. */
static sotto_status reading_options(sotto_options **out, const sotto_model *m,
                                    const sotto_options *options,
                                    const sotto_options *parts,
                                    sotto_error *error)
{
    static const option_id used[] = {OPTION_EPSILON, OPTION_UNIT_COLUMN,
                                     OPTION_ROWS_PER_PERSON};
    sotto_status status = predict_options(out, m, 1, options, error);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (status == SOTTO_OK)
            status = option_copy(*out, options, used[i], error);
    if (status == SOTTO_OK && parts)
        status = option_copy(*out, parts, OPTION_PART_COLUMN, error);
    if (status == SOTTO_OK && parts)
        status = option_copy(*out, parts, OPTION_PARTS, error);
    return status;
}

/* Plans on a table without rows, as the rows will be asked. */
static sotto_status plan_shape(private_run *r, const before_rows *before,
                               const sotto_table *shape, sotto_error *error)
{
    evaluation_facts f =
        evaluation_facts_of(before->model, shape, before->options);
    if (!shape->read_privately)
        return error_set(error, SOTTO_PRIVACY,
                         "the table was not read privately");
    return evaluation_plan(r, &f, shape, error);
}

static sotto_status plan_events(const private_run *r, account_list *out,
                                sotto_error *error)
{
    return curator_events(out, &r->run.plan, r->policy.adjacency,
                          r->run.facts.features, error);
}

static sotto_status check_before_rows(void *context, const sotto_table *shape,
                                      sotto_error *error)
{
    const before_rows *before = context;
    private_run r = fit_new_run(before->options);
    sotto_status status = plan_shape(&r, before, shape, error);
    fit_end_run(&r);
    return status;
}

static sotto_status book_before_rows(void *context, const sotto_table *shape,
                                     sotto_error *error)
{
    before_rows *before = context;
    private_run r = fit_new_run(before->options);
    account_list events = {0};
    sotto_status status = booking_check_rows(before->options, shape, error);
    if (status == SOTTO_OK)
        status = plan_shape(&r, before, shape, error);
    if (status == SOTTO_OK)
        status = plan_events(&r, &events, error);
    if (status == SOTTO_OK)
        status = booking_make(before, &r, &events, error);
    account_free(&events);
    fit_end_run(&r);
    return status;
}

static sotto_status read_records(sotto_table **out, const sotto_model *m,
                                 const row_source *from,
                                 const sotto_options *options,
                                 sotto_error *error)
{
    sotto_options *parts = NULL, *reading = NULL;
    before_rows before = {.options = options, .model = m};
    *out = NULL;
    sotto_status status = SOTTO_OK;
    if (ranks_is_root(option_ranks(options))) /* the ledger is the root's */
        status = booking_options(&parts, options, error);
    if (status == SOTTO_OK)
        status = reading_options(&reading, m, options, parts, error);
    before.reading = reading;
    if (status == SOTTO_OK)
        status = booking_read(out, from, &before, book_before_rows,
                              check_before_rows, error);
    sotto_options_free(reading);
    sotto_options_free(parts);
    return status;
}

/* ---- the run ---- */

/* What is promised, and on the disk before anything is asked. */
static sotto_status declare(private_run *r, sotto_error *error)
{
    const sotto_options *options = r->run.options;
    const char *output = option_text(options, OPTION_OUTPUT);
    account_list events = {0};
    double epsilon;
    curator_terms terms = {.policy = &r->policy,
                           .plan = &r->run.plan,
                           .features = r->run.facts.features,
                           .delta = option_number(options, OPTION_DELTA),
                           .smoothness = "nothing is fitted",
                           .rows = fit_rows_come_from(options)};
    sotto_status status =
        curator_statement(&terms, &r->statement, &epsilon, error);
    if (status == SOTTO_OK && r->policy.ranks > 1)
        json_add_number(&r->statement, "ranks", r->policy.ranks);
    if (status == SOTTO_OK)
        status = plan_events(r, &events, error);
    if (status == SOTTO_OK && r->booking)
        status = booking_check(r->booking, r, &events, error);
    else if (status == SOTTO_OK && booking_wanted(options))
        status = error_set(error, SOTTO_PRIVACY,
                           "with a ledger a run is booked before a row is "
                           "read, in the process that reads it");
    else if (status == SOTTO_OK && output)
        status = fit_write_spent(output, r->statement, &events, error);
    account_free(&events);
    ledger_put(&r->statement, r->booking ? &r->booking->receipt : NULL);
    return status;
}

static json_t *class_names(const sotto_model *m)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < m->classes; k++)
        json_append(&list, json_string(m->class_name[k]));
    return list;
}

/* The sd of the noise in the number of rows; 0: it is public. */
static double rows_noise(const private_run *r)
{
    for (int i = 0; i < r->run.plan.items; i++)
        if (r->run.plan.item[i].kind == ASK_TOTAL)
            return r->policy.weight_bound * (double)r->policy.rows_per_person *
                   curator_multiplier(&r->run.plan.item[i]);
    return 0;
}

static sotto_status ask_all(evaluation_run *e, const private_run *r,
                            sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    double total;
    if (ask_planned(&r->run.plan, ASK_TOTAL))
        status = curator_ask_total(e->curator, &total, error);
    if (status != SOTTO_OK)
        return status;
    e->rows = curator_rows(e->curator);
    e->rows_sd = r->policy.without_noise ? 0 : rows_noise(r);
    json_add(&e->root, "rows",
             evaluation_estimate(
                 (evaluation_number){e->rows, e->rows_sd, 0, INFINITY}, ""));
    switch (e->facts.task) {
    case EVALUATE_TWO:
        return evaluation_ask_two(e, error);
    case EVALUATE_MANY:
        return evaluation_ask_many(e, error);
    case EVALUATE_NUMBER:
        break;
    }
    return evaluation_ask_number(e, error);
}

/* The members of the file that do not come from an answer. */
static sotto_status begin_file(evaluation_run *e, sotto_error *error)
{
    char hash[EVALUATION_HASH];
    sotto_status status = evaluation_hash(hash, e->model, error);
    if (status != SOTTO_OK)
        return status;
    e->root = json_object();
    json_add_count(&e->root, "sotto_evaluation", EVALUATION_VERSION);
    json_add_text(&e->root, "model", hash);
    json_add_text(&e->root, "loss", loss_name(e->model->loss.kind));
    if (e->model->classes)
        json_add(&e->root, "classes", class_names(e->model));
    return SOTTO_OK;
}

/* Takes what was answered over. */
static sotto_status end_file(sotto_evaluation **out, evaluation_run *e,
                             private_run *r, sotto_error *error)
{
    if (r->statement)
        json_add(&e->root, "privacy", json_incref(r->statement));
    else {
        json_add(&e->root, "not_private", json_true());
        json_add(&e->root, "privacy", json_null());
    }
    json_t *root = e->root;
    e->root = NULL;
    sotto_status status = evaluation_new(out, root, "the evaluation", error);
    if (status == SOTTO_OK && r->booking)
        status = booking_name(r->booking, &(*out)->booked, error);
    return status;
}

static sotto_status run(sotto_evaluation **out, evaluation_run *e,
                        private_run *r, sotto_table **table, sotto_error *error)
{
    r->booking = booking_take(*table);
    sotto_status status = evaluation_plan(r, &e->facts, *table, error);
    if (status == SOTTO_OK)
        status = begin_file(e, error);
    if (status == SOTTO_OK)
        status = evaluation_rows(table, e->model, &e->facts, error);
    if (status == SOTTO_OK)
        status =
            curator_open(&e->curator, table, &r->policy, &r->run.plan, error);
    if (status == SOTTO_OK && curator_is_private(e->curator))
        status = declare(r, error);
    if (status == SOTTO_OK)
        status = ask_all(e, r, error);
    return status == SOTTO_OK ? end_file(out, e, r, error) : status;
}

static sotto_status evaluate_from(sotto_evaluation **out, const sotto_model *m,
                                  const row_source *from,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    sotto_table *table = NULL;
    *out = NULL;
    sotto_status status = check_options(options, error);
    if (status == SOTTO_OK)
        status = check_model(m, options, error);
    if (status == SOTTO_OK)
        status = read_records(&table, m, from, options, error);
    if (status != SOTTO_OK)
        return status;
    private_run r = fit_new_run(options);
    evaluation_run e = {.model = m,
                        .facts = evaluation_facts_of(m, table, options)};
    status = run(out, &e, &r, &table, error);
    if (status != SOTTO_OK && r.booking)
        booking_remind(error);
    curator_close(e.curator);
    json_decref(e.root);
    sotto_table_free(table);
    fit_end_run(&r);
    if (status != SOTTO_OK) {
        sotto_evaluation_free(*out);
        *out = NULL;
    }
    return status;
}

sotto_status sotto_evaluation_make(sotto_evaluation **out, const sotto_model *m,
                                   const char *const *paths, int64_t count,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    return evaluate_from(out, m, &(row_source){paths, count, NULL}, options,
                         error);
}

sotto_status sotto_evaluation_from(sotto_evaluation **out, const sotto_model *m,
                                   sotto_columns *columns,
                                   const sotto_options *options,
                                   sotto_error *error)
{
    return evaluate_from(out, m, &(row_source){NULL, 0, columns}, options,
                         error);
}
