/*
 * What a private evaluation asks: one plan, made of the model and the options,
 * priced as a whole.
 */
#include "evaluating.h"

#include <math.h>

evaluation_facts evaluation_facts_of(const sotto_model *m, const sotto_table *t,
                                     const sotto_options *options)
{
    evaluation_facts f = {
        .task = m->classes > 2   ? EVALUATE_MANY
                : m->classes > 0 ? EVALUATE_TWO
                                 : EVALUATE_NUMBER,
        .classes = m->classes,
        .has_loss = m->classes && loss_has_log_odds(m->loss.kind),
        .has_range = isfinite(t->target_reach),
        .unit = t->target_half,
        .correlated = t->weight_bound *
                      (double)option_integer(options, OPTION_ROWS_PER_PERSON)};
    f.columns = f.task == EVALUATE_TWO    ? TWO_LOSS + 1
                : f.task == EVALUATE_MANY ? MANY_LOSS + 1
                                          : NUMBER_TARGET_SIZE + 1;
    return f;
}

/* ---- shares of the budget ---- */

static void add(ask_plan *plan, ask_kind kind, int64_t block, double share)
{
    plan->item[plan->items++] =
        (ask_item){.kind = kind,
                   .count = 1,
                   .block = block,
                   .noise = ASK_GAUSSIAN,
                   .level = ask_mechanism_of(ASK_GAUSSIAN)->level(share, 1)};
}

/* In the order in which they are asked. The log-loss has its range from the
   question before it, and so have others. */
static void add_loss(ask_plan *plan, const evaluation_facts *f)
{
    if (!f->has_loss)
        return;
    add(plan, ASK_OUTCOMES, EVALUATION_SIZES, .07);
    add(plan, ASK_ERRORS, 1, .13);
}

static void add_two(ask_plan *plan, const evaluation_facts *f)
{
    add(plan, ASK_OUTCOMES, EVALUATION_FINE, .13);
    add(plan, ASK_OUTCOMES, 2 * EVALUATION_BINS, .65);
    add_loss(plan, f);
}

static void add_many(ask_plan *plan, const evaluation_facts *f)
{
    add(plan, ASK_OUTCOMES, 2, .25);
    add(plan, ASK_OUTCOMES, f->classes * f->classes, .53);
    add_loss(plan, f);
}

static void add_number(ask_plan *plan, const evaluation_facts *f)
{
    if (!f->has_range)
        add(plan, ASK_OUTCOMES, EVALUATION_RANGES, .05);
    add(plan, ASK_ERRORS, 1, .05);                   /* the target's mean */
    add(plan, ASK_OUTCOMES, EVALUATION_RANGES, .05); /* how far it is off */
    add(plan, ASK_ERRORS, 1, .12);                   /* its variance */
    add(plan, ASK_OUTCOMES, EVALUATION_SIZES, .13);  /* residuals */
    add(plan, ASK_ERRORS, 2, .15);                   /* R2, roughly */
    add(plan, ASK_ERRORS, 1, .52);                   /* what that leaves */
}

static void add_questions(ask_plan *plan, const evaluation_facts *f,
                          int has_rows)
{
    if (!has_rows)
        add(plan, ASK_TOTAL, 0, .02);
    switch (f->task) {
    case EVALUATE_TWO:
        add_two(plan, f);
        break;
    case EVALUATE_MANY:
        add_many(plan, f);
        break;
    case EVALUATE_NUMBER:
        add_number(plan, f);
        break;
    }
}

/* ---- the plan ---- */

static curator_policy policy_of(private_run *r, const evaluation_facts *f,
                                const sotto_table *shape)
{
    static const solver_row none = {.any_classes = 1};
    fit_task task = {.loss = {.kind = LOSS_SQUARED}};
    solver_facts facts = fit_facts(shape, r->run.options);
    facts.features = f->columns;
    facts.classes = 0;
    facts.level_columns = 0;
    r->run.facts = facts;
    return fit_policy(&facts, &task, &none, r->run.options);
}

static sotto_status check(const evaluation_facts *f, const sotto_table *shape,
                          sotto_error *error)
{
    if (!shape->y)
        return table_refuse_no_target(shape->counted, error);
    if (f->classes > EVALUATION_MOST_CLASSES)
        return error_set(error, SOTTO_USAGE,
                         "private evaluation takes at most %d classes; the "
                         "model has %lld",
                         EVALUATION_MOST_CLASSES, (long long)f->classes);
    return SOTTO_OK;
}

sotto_status evaluation_plan(private_run *r, const evaluation_facts *f,
                             const sotto_table *shape, sotto_error *error)
{
    const sotto_options *options = r->run.options;
    sotto_status status = check(f, shape, error);
    if (status != SOTTO_OK)
        return status;
    r->policy = policy_of(r, f, shape);
    r->unit_column = shape->unit_name ? mem_text(shape->unit_name) : NULL;
    if (shape->unit_name && !r->unit_column)
        return error_memory(error);
    r->policy.unit_column = r->unit_column;
    r->run.plan = (ask_plan){0};
    add_questions(&r->run.plan, f, r->policy.rows > 0);
    status = curator_calibrate(&r->run.plan, r->policy.adjacency, f->columns,
                               option_number(options, OPTION_EPSILON),
                               option_number(options, OPTION_DELTA), error);
    return status == SOTTO_OK
               ? curator_check(&r->policy, &r->run.plan, f->columns, error)
               : status;
}
