/*
 * Questions that are chosen from answers. They are inserted into the plan, and
 * their cost is taken off the level of its ASK_LATER (docs/privacy,
 * Lemma C19).
 */
#include "internal.h"

#include <math.h>

/* Drops the groups of items that have all been asked. */
static void drop_asked_groups(ask_plan *plan, gate_place *place)
{
    int first = place->item, gone;
    if (place->item < plan->items) {
        int size = gate_group(plan, place->item, &first);
        if (place->round >= plan->item[first].count)
            *place = (gate_place){first += size, 0};
    }
    gone = first;
    plan->items -= gone;
    place->item -= gone;
    for (int i = 0; i < plan->items; i++)
        plan->item[i] = plan->item[i + gone];
}

/* Inserts `later` before item `at`; 0: there is no room. */
static int insert_before(ask_plan *plan, int at, const ask_plan *later)
{
    if (plan->items + later->items > ASK_MOST_ITEMS)
        return 0;
    for (int i = plan->items; i-- > at;)
        plan->item[i + later->items] = plan->item[i];
    for (int i = 0; i < later->items; i++)
        plan->item[at + i] = later->item[i];
    plan->items += later->items;
    return 1;
}

/* Lemma C19: how much of the square of the level the questions cost, rounded
   up. NaN: the lemma is not about one of them: all must be booked as Gaussians.
   Batches and blocks are refused, too: what they need is made and checked when
   a plan is opened. */
static double cost_of(const ask_plan *later)
{
    double sum = 0;
    if (later->items < 0 || later->items > ASK_MOST_ITEMS ||
        (later->items > 0 && later->item[later->items - 1].and_next))
        return NAN;
    for (int i = 0; i < later->items; i++) {
        const ask_item *item = &later->item[i];
        const question_row *q = question_of(item->kind);
        const ask_mechanism *m = ask_mechanism_of(item->noise);
        if (m->event != ACCOUNT_GAUSS || q->form == FORM_BUDGET ||
            q->rows != ROWS_ALL || item->count < 0 || !(item->level >= 0))
            return NAN;
        double square = m->square * item->level * item->level;
        sum = (sum + (double)item->count * square) * (1 + 0x1p-48);
    }
    return sum;
}

/* Takes the cost off the level; 0: there is not enough left. */
static int deduct(curator *c, const ask_plan *later, ask_item *charged)
{
    double all = charged->level * charged->level * (1 - 0x1p-48);
    double left = all - cost_of(later), draws = c->later_draws;
    if (!(left >= 0))
        return 0;
    for (int i = 0; i < later->items; i++)
        draws += (double)later->item[i].count *
                 curator_draws(&later->item[i], c->table->features);
    if (draws > curator_draws(charged, c->widest))
        return 0;
    c->later_draws = draws;
    charged->level = sqrt(left) * (1 - 0x1p-48);
    return 1;
}

/* Keeps the questions for the statement; 0: out of memory. */
static int remember(curator *c, const ask_plan *later)
{
    size_t items = (size_t)(c->told_items + later->items);
    ask_item *told = mem_resize(c->told, items + 1, sizeof *told);
    if (!told)
        return 0;
    c->told = told;
    for (int i = 0; i < later->items; i++)
        told[c->told_items + i] = later->item[i];
    return 1;
}

sotto_status curator_tell_plan(curator *c, const ask_plan *later,
                               sotto_error *error)
{
    ask_plan plan = c->plan;
    gate_place place = c->place;
    drop_asked_groups(&plan, &place);
    int at = place.item;
    while (at < plan.items &&
           (question_of(plan.item[at].kind)->form != FORM_BUDGET ||
            plan.item[at].count < 1))
        at++; /* an item with count 0 was not priced */
    double before = c->later_draws;
    if (at == plan.items || isnan(cost_of(later)) ||
        (!c->policy.without_noise && !deduct(c, later, &plan.item[at])))
        return error_set(error, SOTTO_BUDGET,
                         "refused: over the budget: what was left for later "
                         "does not pay for these questions");
    if (!gate_can_draw(
            &plan.item[at],
            gate_sensitivity(&c->policy, &plan.item[at], c->table->features))) {
        /* too little is left for noise that can be drawn, so it is not
           charged either */
        plan.item[at].level = 0;
        plan.item[at].count = c->policy.without_noise;
    }
    sotto_status status =
        insert_before(&plan, at, later)
            ? curator_check(&c->policy, &plan, c->table->features, error)
            : error_set(error, SOTTO_FAILED,
                        "internal error: invalid plan (more than %d items)",
                        ASK_MOST_ITEMS);
    if (status == SOTTO_OK && !remember(c, later))
        status = error_memory(error);
    if (status != SOTTO_OK) {
        c->later_draws = before;
        return status;
    }
    c->plan = plan;
    c->place = place;
    c->told_items += later->items;
    return SOTTO_OK;
}
