/*
 * Private training: the policy and the plan are made of public quantities,
 * the accountant turns the budget into noise, and then the curator takes the
 * records and the solver asks what was planned.
 */
#include "private.h"
#include "json.h"

#include <math.h>
#include <unistd.h>

/* ---- the run ---- */

/* A callback may fork. What was charged is for one model, so the child stops:
   its noise would be another one. */
static int run_look(void *context, const solver_stage *at)
{
    const private_run *r = context;
    sotto_progress progress = {at->share, NAN, at->name, at->round, at->total};
    int stop = r->callback->call(r->callback->context, &progress);
    return stop || getpid() != r->process;
}

sotto_status fit_ask_first(solver_run *r, sotto_error *error)
{
    double total;
    sotto_status status = SOTTO_OK;
    if (ask_planned(&r->plan, ASK_TOTAL)) {
        status = solver_tell(r->progress, r->context,
                             (solver_stage){.name = "rows"}, error);
        if (status == SOTTO_OK)
            status = curator_ask_total(r->curator, &total, error);
    }
    return status == SOTTO_OK ? solver_ask_constants(r, error) : status;
}

static sotto_status run_solver(private_run *r, sotto_model *m,
                               sotto_error *error)
{
    m->noise = mem_zeroed((size_t)model_weights(m), sizeof *m->noise);
    r->answer.weight = m->weight;
    r->answer.class_intercept = m->class_intercept;
    r->answer.noise = m->noise;
    int room = m->classes > 2 || model_make_errors(m);
    r->answer.error = m->error;
    r->answer.moved = m->moved;
    r->answer.refused = m->refused;
    r->answer.spread = mem_zeroed((size_t)m->features, sizeof(double));
    sotto_status status = m->noise && room && r->answer.spread
                              ? fit_ask_first(&r->run, error)
                              : error_memory(error);
    if (status == SOTTO_OK && r->run.solver->finds_bounds)
        status = fit_begin_private_bounds(r, error);
    if (status == SOTTO_OK)
        status = r->run.solver->run(&r->run, &r->answer, error);
    if (status == SOTTO_OK && m->class_intercept)
        fit_set_classes(m, &r->maps, m->weight, m->class_intercept);
    else if (status == SOTTO_OK)
        fit_set_weights(m, &r->maps, m->weight, r->answer.intercept);
    if (status == SOTTO_OK)
        fit_keep_units(r, m);
    fit_keep_noise(r, m);
    fit_keep_errors(r, m);
    if (status == SOTTO_OK && r->statement)
        m->rows = fit_rows_told(r);
    if (r->policy.norm_bound > 0) {
        m->norm_bound = r->policy.norm_bound;
        m->norm_centre = r->maps.target_centre;
    }
    return status;
}

/* Before anything is asked: what cannot be stated is not begun. */
sotto_status fit_state(private_run *r, double *epsilon, sotto_error *error)
{
    int elsewhere = option_is(r->run.options, OPTION_PREPARED, "elsewhere");
    curator_terms terms = {&r->policy,
                           &r->run.plan,
                           solver_widest(&r->run.facts),
                           option_number(r->run.options, OPTION_DELTA),
                           fit_bounds_word(r),
                           fit_rows_come_from(r->run.options),
                           r->run.facts.scaled,
                           elsewhere};
    sotto_status status =
        curator_statement(&terms, &r->statement, epsilon, error);
    if (status == SOTTO_OK)
        fit_put_levels(r, &r->statement);
    if (status == SOTTO_OK && r->policy.ranks > 1)
        json_add_number(&r->statement, "ranks", r->policy.ranks);
    return status;
}

/* Writes the statement into the model when the run is over: with what was
   chosen from answers or bought as it went. */
static sotto_status run_finish_statement(private_run *r, sotto_model *m,
                                         sotto_error *error)
{
    if (!r->statement)
        return SOTTO_OK;
    curator_put_told(r->run.curator, &r->statement);
    if (fit_has_private_bounds(r))
        fit_put_private_bounds(r, m, &r->statement);
    m->statement = model_form(r->statement);
    return m->statement ? SOTTO_OK : error_memory(error);
}

/* A run that no ledger knows of writes what it may spend beside its model. */
static sotto_status write_spent(const private_run *r,
                                const account_list *events, sotto_error *error)
{
    const char *output = option_text(r->run.options, OPTION_OUTPUT);
    return output ? fit_write_spent(output, r->statement, events, error)
                  : SOTTO_OK; /* a caller of the library who keeps the model */
}

/* On the disk before the first record is asked about: what is proven, which
   for a paper's own noise may be more than was asked for. The statement says
   where it was booked. */
static sotto_status declare_spending(private_run *r, sotto_model *m,
                                     sotto_error *error)
{
    account_list events;
    sotto_status status = fit_events(r, &events, error);
    if (status == SOTTO_OK && r->booking)
        status = booking_check(r->booking, r, &events, error);
    else if (status == SOTTO_OK && booking_wanted(r->run.options))
        status = error_set(error, SOTTO_PRIVACY,
                           "with a ledger a run is booked before a row is "
                           "read: expected a table from sotto_fit_read, in "
                           "the process that read it, once");
    else if (status == SOTTO_OK)
        status = write_spent(r, &events, error);
    account_free(&events);
    ledger_put(&r->statement, r->booking ? &r->booking->receipt : NULL);
    if (status == SOTTO_OK && r->booking)
        status = booking_name(r->booking, &m->booked, error);
    return status;
}

/* A name from the header, the schema or the options: public. */
static sotto_status run_name_unit(private_run *r, const char *column,
                                  sotto_error *error)
{
    r->unit_column = column ? mem_text(column) : NULL;
    return column && !r->unit_column ? error_memory(error) : SOTTO_OK;
}

void fit_see_maps(private_run *r)
{
    const fit_task *t = &r->task;
    r->run.units = (solver_units){t->units == MODEL_UNITS_FILE,
                                  t->units == MODEL_UNITS_SPREAD,
                                  r->maps.half,
                                  r->maps.target_half,
                                  r->maps.centre,
                                  r->maps.whole};
}

void fit_begin_run(private_run *r)
{
    const fit_task *t = &r->task;
    r->run.problem = (solver_problem){.loss = t->loss,
                                      .l1 = t->l1,
                                      .l2 = t->l2,
                                      .low = t->low,
                                      .high = t->high,
                                      .features = r->run.facts.features,
                                      .classes = r->run.facts.classes,
                                      .one_versus_rest = r->run.facts.classes &&
                                                         t->one_versus_rest,
                                      .intercept = t->intercept};
    fit_see_maps(r);
    r->policy =
        fit_policy(&r->run.facts, &r->task, r->run.solver, r->run.options);
    r->run.policy = &r->policy;
    r->process = getpid();
    if (r->callback && r->callback->call) {
        r->run.progress = run_look;
        r->run.context = r;
    }
}

void fit_end_run(private_run *r)
{
    curator_close(r->run.curator);
    booking_free(r->booking);
    if (!r->planned)
        (r->run.solver->free_state ? r->run.solver->free_state
                                   : mem_free)(r->run.state);
    json_decref(r->statement);
    mem_free(r->answer.bounds);
    mem_free(r->answer.spread);
    fit_free_maps(&r->maps);
    sotto_table_free(r->shape);
    mem_free(r->unit_column);
    mem_free(r->run.smooth.m);
    mem_free(r->run.smooth.reach);
}

/* The solver plans on a copy, of which its plan and its state are taken. What
   is stated, charged and written down as spent goes by the options and facts
   that it was given, whatever it made of them. */
static sotto_status let_solver_plan(solver_run *r, const private_run *planned,
                                    sotto_error *error)
{
    solver_run copy = *r;
    if (planned) { /* on the same facts; a run leaves both as they are */
        r->plan = planned->run.plan;
        r->state = planned->run.state;
        return SOTTO_OK;
    }
    sotto_status status = r->solver->plan(&copy, error);
    r->plan = copy.plan;
    r->state = copy.state;
    return status;
}

/* Policy, plan and noise, of public facts. */
static sotto_status run_plan(private_run *r, sotto_error *error)
{
    fit_begin_run(r);
    r->policy.unit_column = r->unit_column;
    sotto_status status = fit_check_classes(r, error);
    if (status == SOTTO_OK)
        status = fit_check_levels(r, error);
    if (status == SOTTO_OK)
        status = let_solver_plan(&r->run, r->planned, error);
    if (status == SOTTO_OK && r->policy.without_noise)
        for (int i = 0; i < r->run.plan.items; i++)
            r->run.plan.item[i].level = 0;
    if (status == SOTTO_OK)
        status = curator_check(&r->policy, &r->run.plan, r->run.facts.features,
                               error);
    if (status == SOTTO_OK && r->run.solver->ready)
        status = r->run.solver->ready(&r->run, error);
    return status;
}

sotto_status fit_plan_for(private_run *r, const sotto_table *t,
                          sotto_error *error)
{
    if (option_private(r->run.options) && !t->read_privately)
        return error_set(error, SOTTO_PRIVACY,
                         "the table was not read for private training: its "
                         "shape may come from the records; set epsilon before "
                         "reading");
    if (t->on_disk && !r->run.solver->by_rows)
        return solver_refuse(r->run.solver, OPTION_MEMORY, error);
    sotto_status status = SOTTO_OK;
    if (r->run.solver->smooth)
        status =
            fit_find_smoothness(&r->run.smooth, t, &r->task, r->run.options,
                                r->run.solver->finds_bounds, error);
    if (status == SOTTO_OK)
        status = fit_copy_maps(&r->maps, t, error);
    if (status == SOTTO_OK)
        status = run_name_unit(r, t->unit_name, error);
    if (status != SOTTO_OK)
        return status;
    r->run.facts = fit_facts(t, r->run.options);
    r->run.facts.level_delta = r->level_delta;
    return run_plan(r, error);
}

sotto_status fit_events(const private_run *r, account_list *out,
                        sotto_error *error)
{
    return curator_events(out, &r->run.plan, r->policy.adjacency,
                          solver_widest(&r->run.facts), error);
}

static sotto_status run_begin(private_run *r, sotto_model **out,
                              sotto_table **table, sotto_error *error)
{
    r->booking = booking_take(*table);
    r->level_delta = r->booking ? r->booking->level_delta : 0;
    sotto_status status = fit_plan_for(r, *table, error);
    if (status == SOTTO_OK)
        status = fit_begin(out, &r->task, *table, error);
    if (status == SOTTO_OK && r->run.facts.level_columns)
        status = table_shape_of(&r->shape, *table, error);
    if (status == SOTTO_OK)
        status = curator_open(&r->run.curator, table, &r->policy, &r->run.plan,
                              error);
    if (status == SOTTO_OK && r->tape)
        status = curator_attach_tape(r->run.curator, r->tape, error);
    if (status != SOTTO_OK || !curator_is_private(r->run.curator))
        return status;
    (*out)->delta = option_number(r->run.options, OPTION_DELTA);
    if (r->planned && !r->tape) /* nothing would be declared */
        return error_set(error, SOTTO_PRIVACY,
                         "only runs on invented records are audited");
    if (r->planned) {
        r->statement = json_deep_copy(r->planned->statement);
        (*out)->epsilon = r->planned->epsilon;
        return r->statement ? SOTTO_OK : error_memory(error);
    }
    status = fit_state(r, &(*out)->epsilon, error);
    return status == SOTTO_OK ? declare_spending(r, *out, error) : status;
}

/* ---- only planned ---- */

static sotto_status run_tell(const private_run *r, char **out,
                             sotto_error *error)
{
    text_buffer t = {0};
    if (!r->run.solver->explain)
        return solver_refuse(r->run.solver, OPTION_EXPLAIN, error);
    r->run.solver->explain(&r->run, &t);
    *out = t.failed ? NULL : mem_text(t.data);
    text_free(&t);
    return *out ? SOTTO_OK : error_memory(error);
}

/* What is public of the data: their size as the options say it, or what a
   schema declares. */
static sotto_status plan_facts(private_run *r, sotto_error *error)
{
    sotto_table *t;
    r->run.facts = fit_planned_facts(r->run.options);
    if (!option_given(r->run.options, OPTION_SCHEMA))
        return r->run.facts.features > 0
                   ? run_name_unit(
                         r, option_text(r->run.options, OPTION_UNIT_COLUMN),
                         error)
                   : error_set(error, SOTTO_USAGE,
                               "expected --features P, how many there will "
                               "be, or --schema FILE");
    sotto_status status = table_declared(&t, r->run.options, error);
    if (status != SOTTO_OK)
        return status;
    fit_add_declared(&r->run.facts, t, r->run.options);
    status = run_name_unit(r, t->unit_name, error);
    if (status == SOTTO_OK && r->run.solver->smooth)
        status =
            fit_find_smoothness(&r->run.smooth, t, &r->task, r->run.options,
                                r->run.solver->finds_bounds, error);
    sotto_table_free(t);
    return status;
}

/* What is refused, and what is public of the data, before a plan is made. */
static sotto_status plan_begin(private_run *r, sotto_error *error)
{
    sotto_status status = sotto_fit_check(r->run.options, error);
    if (status == SOTTO_OK && !option_private(r->run.options))
        status = error_set(error, SOTTO_USAGE,
                           "a plan is of private training: expected a finite "
                           "--epsilon");
    if (status == SOTTO_OK && option_given(r->run.options, OPTION_SET))
        status = error_set(error, SOTTO_USAGE,
                           "--set: expected --paper NAME beside it; 'sotto "
                           "plan --paper list' names them");
    return status == SOTTO_OK ? plan_facts(r, error) : status;
}

static sotto_status plan_text(private_run *r, char **out, sotto_error *error)
{
    double epsilon;
    sotto_status status = run_plan(r, error);
    if (status == SOTTO_OK && option_given(r->run.options, OPTION_EXPLAIN))
        return run_tell(r, out, error);
    if (status == SOTTO_OK)
        status = fit_state(r, &epsilon, error);
    if (status != SOTTO_OK)
        return status;
    *out = model_form(r->statement);
    return *out ? SOTTO_OK : error_memory(error);
}

sotto_status sotto_fit_plan(char **out, const sotto_options *options,
                            sotto_error *error)
{
    private_run r = fit_new_run(options);
    *out = NULL;
    sotto_status status = plan_begin(&r, error);
    if (status == SOTTO_OK)
        status = plan_text(&r, out, error);
    fit_end_run(&r);
    return status;
}

sotto_status sotto_fit_events(sotto_events **out, const sotto_options *options,
                              sotto_error *error)
{
    private_run r = fit_new_run(options);
    account_list events = {0};
    *out = NULL;
    sotto_status status = plan_begin(&r, error);
    if (status == SOTTO_OK)
        status = fit_refuse_levels_quote(&r, error);
    if (status == SOTTO_OK)
        status = run_plan(&r, error);
    if (status == SOTTO_OK)
        status = fit_events(&r, &events, error);
    if (status == SOTTO_OK)
        status = account_wrap(out, &events, error);
    account_free(&events);
    fit_end_run(&r);
    return status;
}

static sotto_status run_whole(private_run *r, sotto_model **out,
                              sotto_table **table, sotto_error *error)
{
    sotto_status status = run_begin(r, out, table, error);
    if (status == SOTTO_OK)
        status = fit_find_levels(r, out, error);
    if (status == SOTTO_OK)
        status = run_solver(r, *out, error);
    if (status == SOTTO_OK)
        status = run_finish_statement(r, *out, error);
    if (status == SOTTO_OK)
        status = fit_declare_private_bounds(r, *out, error);
    if (status != SOTTO_OK && r->booking)
        booking_remind(error);
    fit_end_run(r);
    if (status != SOTTO_OK) {
        sotto_model_free(*out);
        *out = NULL;
    }
    return status;
}

sotto_status fit_private(sotto_model **out, sotto_table **table,
                         const sotto_options *options,
                         const sotto_progress_callback *callback,
                         sotto_error *error)
{
    private_run r = fit_new_run(options);
    r.callback = callback;
    return run_whole(&r, out, table, error);
}

sotto_status fit_again(sotto_model **out, sotto_table **table,
                       const private_run *planned, struct curator_tape *tape,
                       sotto_error *error)
{
    private_run r = fit_new_run(planned->run.options);
    r.planned = planned;
    r.tape = tape;
    *out = NULL;
    return run_whole(&r, out, table, error);
}
