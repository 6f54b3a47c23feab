/*
 * Calibration: the levels of a plan are scaled, all by one factor, until the
 * plan costs the budget and not more. Everything here is a function of public
 * values.
 */
#include "internal.h"

static void divide_levels(ask_plan *plan, double by)
{
    for (int i = 0; i < plan->items; i++)
        plan->item[i].level /= by;
}

/* The factor for which the accountant proves delta at epsilon. */
static sotto_status find_factor(double *factor, const ask_plan *plan,
                                account_target *target, int64_t features,
                                sotto_error *error)
{
    account_question question[ASK_MOST_ITEMS];
    for (int i = 0; i < plan->items; i++) {
        const ask_item *item = &plan->item[i];
        question[i] = curator_question(item);
        /* not rounded up yet */
        question[i].level = ask_mechanism_of(item->noise)->charge(item->level);
        target->draws += (double)item->count * curator_draws(item, features);
    }
    return account_multiplier(factor, question, plan->items, target, error);
}

/* What the plan costs at delta: the statement's epsilon. */
static sotto_status price_of(double *epsilon, const ask_plan *plan,
                             const account_target *target, int64_t features,
                             sotto_error *error)
{
    account_list events;
    account_price price = {0};
    sotto_status status =
        curator_events(&events, plan, target->adjacency, features, error);
    if (status == SOTTO_OK)
        status = account_epsilon(&events, target->delta, &price, error);
    account_free(&events);
    *epsilon = price.epsilon;
    return status;
}

/* The factor was found for epsilon, on one grid. On another grid the epsilon
   that is proven for delta may be larger by a hair, and no statement may be
   above the budget. */
static sotto_status stay_within(ask_plan *plan, const account_target *target,
                                int64_t features, sotto_error *error)
{
    for (int i = 0; i < 20; i++) {
        double epsilon;
        sotto_status status = price_of(&epsilon, plan, target, features, error);
        if (status != SOTTO_OK || epsilon <= target->epsilon)
            return status;
        divide_levels(plan, epsilon / target->epsilon * (1 + 0x1p-20));
    }
    return error_set(error, SOTTO_FAILED,
                     "calibration did not converge for epsilon %s: expected a "
                     "larger --epsilon or other settings",
                     sotto_number_print(target->epsilon, 6).text);
}

sotto_status curator_calibrate(ask_plan *plan, account_adjacency adjacency,
                               int64_t features, double epsilon, double delta,
                               sotto_error *error)
{
    double factor;
    account_target target = {.adjacency = adjacency,
                             .ordered = !plan->any_order,
                             .epsilon = epsilon,
                             .delta = delta};
    sotto_status status = plan_check_size(plan, error);
    if (status == SOTTO_OK)
        status = find_factor(&factor, plan, &target, features, error);
    if (status != SOTTO_OK)
        return status;
    /* a hair more, so that rounding cannot make it dearer */
    divide_levels(plan, factor * (1 + 0x1p-40));
    return stay_within(plan, &target, features, error);
}
