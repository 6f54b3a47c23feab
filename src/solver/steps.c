/*
 * How many steps there are where --steps does not say it, for solvers that
 * choose coordinates: a rule of the number of rows. Where that number is not
 * public it is asked first, and the rest of the plan is one ASK_LATER, out of
 * which as many steps are told as the answer is worth (docs/privacy,
 * Lemma C19). Otherwise the plan would have to guess.
 */
#include "planning.h"

#include <math.h>

/* Beyond that a step adds little. */
#define MOST_STEPS 100

/* As many as the budget lets tell from noise, about n epsilon / (35 ln p)
   (measured on sparse problems). */
static double by_rule(const solver_run *r, double rows)
{
    double usual = rows * option_number(r->options, OPTION_EPSILON) /
                   (35 * log((double)r->facts.features + 2));
    return fmin(fmax(rint(usual), 1), MOST_STEPS);
}

int steps_wait(const solver_run *r)
{
    return option_private(r->options) && !(r->facts.rows > 0) &&
           !option_given(r->options, OPTION_STEPS);
}

sotto_status steps_usual(const solver_run *r, double *out, sotto_error *error)
{
    if (option_given(r->options, OPTION_STEPS))
        *out = option_number(r->options, OPTION_STEPS);
    else if (!option_private(r->options))
        *out = MOST_STEPS;
    else if (r->facts.only_planned && !option_given(r->options, OPTION_ROWS))
        return error_set(error, SOTTO_USAGE,
                         "expected --rows N or --steps T: how many steps there "
                         "are depends on the number of rows");
    else
        *out = by_rule(r, r->facts.rows);
    return SOTTO_OK;
}

double *steps_keep(solver_run *r)
{
    return r->state = mem_zeroed(1, sizeof(double));
}

/* Its questions, out of what ASK_LATER has; a little less, so that rounding
   is within the budget. */
static ask_plan questions_of(const solver_run *r, steps_later add, double steps)
{
    double level = r->plan.item[r->plan.items - 1].level * (1 - 0x1p-40);
    ask_plan later = {0};
    add(r, steps, level * level, &later);
    return later;
}

sotto_status steps_plan(solver_run *r, double most, steps_later add,
                        sotto_error *error)
{
    double left;
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    if (most * MOST_STEPS > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "expected --steps T: there would be more than 1e9 "
                         "questions in all");
    solver_plan_add(r, (ask_item){.kind = ASK_LATER,
                                  .count = 1,
                                  .level = sqrt(left),
                                  .block = (int64_t)most * MOST_STEPS});
    status = solver_calibrate(r, error);
    if (status != SOTTO_OK)
        return status;
    /* what cannot be is said before anything is spent */
    ask_plan one = questions_of(r, add, 1);
    return curator_check(r->policy, &one, r->facts.features, error);
}

sotto_status steps_tell(const solver_run *r, steps_later add, double *steps,
                        sotto_error *error)
{
    sotto_error ignored;
    if (!ask_planned(&r->plan, ASK_LATER))
        return SOTTO_OK;
    *steps = by_rule(r, curator_rows(r->curator));
    ask_plan later = questions_of(r, add, *steps);
    /* fewer, where the noise of so many cannot be drawn */
    while (*steps > 1 && curator_check(r->policy, &later, r->facts.features,
                                       &ignored) != SOTTO_OK) {
        *steps = floor(*steps / 2);
        later = questions_of(r, add, *steps);
    }
    return curator_tell_plan(r->curator, &later, error);
}

/* ---- for people ---- */

static void explain_steps(const solver_run *r, double steps, text_buffer *t)
{
    if (option_given(r->options, OPTION_STEPS))
        text_format(t, "steps       %s (--steps)\n",
                    sotto_number_print(steps, 10).text);
    else if (steps_wait(r))
        text_format(t,
                    "steps       n epsilon / (35 ln p), from 1 to %d; n is "
                    "the answer to the first question\n",
                    MOST_STEPS);
    else
        text_format(t, "steps       %s (n epsilon / (35 ln p), from 1 to %d)\n",
                    sotto_number_print(steps, 10).text, MOST_STEPS);
}

/* What a question's mu^2 would be, times the number of them; of pure noise,
   which has none, 0. */
static double square_of(const ask_item *item)
{
    return item->level * item->level * (double)item->count *
           ask_mechanism_of(item->noise)->square;
}

void steps_explain(const solver_run *r, double steps, text_buffer *t)
{
    double all = 0;
    for (int i = 0; i < r->plan.items; i++)
        all += square_of(&r->plan.item[i]);
    explain_steps(r, steps, t);
    text_put(t, "\n  question               times  of budget      level\n");
    for (int i = 0; i < r->plan.items; i++) {
        const ask_item *item = &r->plan.item[i];
        double square = square_of(item);
        text_format(t, "  %-22s %5lld  ", ask_name(item->kind),
                    (long long)item->count);
        if (square > 0)
            text_format(t, "%7s %%  %9s\n",
                        sotto_number_fixed(100 * square / all, 2).text,
                        sotto_number_fixed(item->level, 5).text);
        else
            text_format(t, "epsilon %9s each\n",
                        sotto_number_print_up(item->level, 5).text);
    }
}
