/*
 * Plans: which questions, in what order, how far one person can change their
 * answers, and the events that they are priced as.
 */
#include "inside.h"

#include <math.h>

int64_t ask_planned(const ask_plan *plan, ask_kind kind)
{
    int64_t sum = 0;
    for (int i = 0; i < plan->items; i++)
        sum += plan->item[i].kind == kind ? plan->item[i].count : 0;
    return sum;
}

int gate_group(const ask_plan *plan, int i, int *first)
{
    int last = i;
    *first = i;
    while (*first > 0 && plan->item[*first - 1].and_next)
        --*first;
    while (last + 1 < plan->items && plan->item[last].and_next)
        last++;
    return last - *first + 1;
}

/* ---- how far ---- */

static int is_sampled(const ask_item *item)
{
    return item->noise == ASK_SAMPLED;
}

/* Group privacy: what the level is for one record that is there or not. */
static double gate_level_of_one(const curator_policy *policy,
                                const ask_item *item)
{
    int replace = policy->adjacency == ACCOUNT_REPLACE_ONE;
    return item->level * sqrt(1 - PERTURBED_LAST * PERTURBED_LAST) /
           ((double)policy->rows_per_person * (replace ? 2 : 1)) *
           (1 - 0x1p-48);
}

double gate_pull_level(const curator_policy *policy, const ask_item *item,
                       double bend)
{
    double one = gate_level_of_one(policy, item);
    return one - 2 * bend * (1 + 0x1p-48) / one;
}

double curator_least_l2(const curator_policy *policy, const ask_item *item)
{
    double one = gate_level_of_one(policy, item), reach = policy->norm_bound;
    return .25 * reach * reach * policy->weight_bound / policy->rows /
           expm1(one * one / 2);
}

/* ---- whether it can be done ---- */

double gate_drawn_level(const ask_item *item)
{
    return mechanism_of(item->noise)->drawn(item->level);
}

/* Whether the samplers can draw noise of this level. */
static int can_draw(const ask_item *item, double sensitivity)
{
    const mechanism_row *m = mechanism_of(item->noise);
    return item->level > 0 && !isinf(item->level) && m->can_draw &&
           m->can_draw(sensitivity / gate_drawn_level(item));
}

/* The same of what is drawn before the sum, where that is least. */
static int can_pull(const curator_policy *policy, const ask_item *item)
{
    return !question_of(item->kind)->perturbs ||
           KERNEL_CLIP / gate_pull_level(policy, item, 0) <=
               NOISE_LARGEST_SCALE / 2;
}

/* Whether the item's noise can protect its kind of question at all. */
static int is_sound(const ask_item *item)
{
    const question_row *q = question_of(item->kind);
    const mechanism_row *m = mechanism_of(item->noise);
    int blocks = q->rows == ROWS_BLOCK, later = q->form == FORM_BUDGET;
    if (!(m->protects & 1u << q->form) || item->block < 0 ||
        blocks != (item->blocks > 0))
        return 0;
    if (later && (item->count > 1 || item->and_next))
        return 0;
    if ((blocks || q->block == BLOCK_COORDINATES) &&
        (item->block < 1 || item->block > (int64_t)1 << 40 || item->and_next))
        return 0;
    /* how many scores it has is not known before it is asked */
    if (m->per_score && q->noisy_draws == DRAWS_UNKNOWN)
        return 0;
    return !is_sampled(item) || (q->rows == ROWS_SAMPLED &&
                                 noise_coin_rate(item->rate) == item->rate);
}

/* Several rows with a coin each would show a person more often than is
   charged. */
static sotto_status check_people(const curator_policy *policy,
                                 const ask_item *item, sotto_error *error)
{
    if (question_of(item->kind)->rows == ROWS_BLOCK && !policy->without_noise &&
        (policy->adjacency == ACCOUNT_ADD_REMOVE ||
         policy->rows_per_person > 1 || policy->has_people))
        return error_set(error, SOTTO_PRIVACY,
                         "blocks of rows go by a row's place, which another "
                         "row's absence changes: expected --adjacency "
                         "replace-one or zero-out, and one row per person");
    if (is_sampled(item) && policy->rows_per_person > 1 && !policy->has_people)
        return error_set(error, SOTTO_PRIVACY,
                         "--rows-per-person %lld with batches: all rows of a "
                         "person must have one coin; expected --unit-column "
                         "or --batch-rate 1",
                         (long long)policy->rows_per_person);
    return SOTTO_OK;
}

/* Where one row of a person would be fine, the number of them is to blame. */
static sotto_status refuse_level(const curator_policy *policy,
                                 const ask_item *item, int64_t features,
                                 sotto_error *error)
{
    curator_policy one = *policy;
    one.rows_per_person = 1;
    if (policy->rows_per_person > 1 && !policy->without_noise &&
        can_draw(item, gate_sensitivity(&one, item, features)))
        return error_set(error, SOTTO_PRIVACY,
                         "--rows-per-person %lld: all of a person's rows at "
                         "once need more noise (%s) than can be drawn: "
                         "expected fewer rows per person or a larger --epsilon",
                         (long long)policy->rows_per_person,
                         ask_name(item->kind));
    return error_set(error, SOTTO_PRIVACY,
                     "the budget is too small for so many questions (%s): "
                     "expected a larger --epsilon or fewer steps",
                     ask_name(item->kind));
}

/* Where order is not given, items are told apart by their kind; and what is
   asked of whole rows and what is asked of sketches do not mix. */
static int is_in_place(const curator_policy *policy, const ask_plan *plan,
                       int i)
{
    const ask_item *item = &plan->item[i];
    const question_row *q = question_of(item->kind);
    if (q->sketch != (policy->buckets > 0))
        return 0;
    if (q->block == BLOCK_BUCKETS && item->block != policy->buckets)
        return 0;
    for (int k = 0; plan->any_order && k < i; k++)
        if (plan->item[k].kind == item->kind)
            return 0;
    return !plan->any_order ||
           (!item->and_next && item->blocks == 0 && q->form != FORM_BUDGET);
}

sotto_status curator_check(const curator_policy *policy, const ask_plan *plan,
                           int64_t features, sotto_error *error)
{
    for (int i = 0; i < plan->items; i++) {
        const ask_item *item = &plan->item[i];
        double sensitivity = gate_sensitivity(policy, item, features);
        if (!is_sound(item) || !is_in_place(policy, plan, i) ||
            (item->and_next &&
             (i + 1 == plan->items || item[1].count != item->count)))
            return error_set(error, SOTTO_FAILED, "a plan that is none");
        sotto_status status = check_people(policy, item, error);
        if (status != SOTTO_OK)
            return status;
        if (!item->count || (policy->without_noise && item->level == 0))
            continue;
        if (policy->without_noise || !can_draw(item, sensitivity) ||
            !can_pull(policy, item))
            return refuse_level(policy, item, features, error);
    }
    return SOTTO_OK;
}

/* ---- as events ---- */

account_question curator_question(const ask_item *item)
{
    const ask_mechanism *m = ask_mechanism_of(item->noise);
    int rho = m->event == ACCOUNT_ZCDP;
    return (account_question){.kind = m->event,
                              .level = m->charge(item->level) *
                                       (rho ? 1 + 0x1p-50 : 1),
                              .rate = item->rate,
                              .times = item->count,
                              .blocks = item->blocks,
                              .and_next = item->and_next};
}

double curator_multiplier(const ask_item *item)
{
    int choice = (mechanism_of(item->noise)->protects & 1u << FORM_CHOICE) != 0;
    return (choice ? 2 : 1) / gate_drawn_level(item);
}

int64_t curator_priced_count(const ask_item *item)
{
    account_question q = curator_question(item);
    return account_priced_count(&q);
}

account_adjacency curator_priced_for(const ask_plan *plan,
                                     account_adjacency adjacency)
{
    int sampled = 0;
    for (int i = 0; i < plan->items; i++)
        sampled |= plan->item[i].count > 0 && is_sampled(&plan->item[i]);
    return account_priced_for(adjacency, sampled);
}

sotto_status curator_events(account_list *out, const ask_plan *plan,
                            account_adjacency adjacency, int64_t features,
                            sotto_error *error)
{
    account_question asked[ASK_MOST_ITEMS];
    int64_t count = 0;
    *out = (account_list){.adjacency = adjacency, .ordered = !plan->any_order};
    for (int i = 0, first, size; i < plan->items; i = first + size) {
        size = gate_group(plan, i, &first);
        if (!plan->item[first].count || plan->item[first].level == 0)
            continue;
        for (int k = first; k < first + size; k++) {
            asked[count++] = curator_question(&plan->item[k]);
            out->draws += curator_draws(&plan->item[k], features) *
                          (double)plan->item[k].count;
        }
    }
    sotto_status status = account_ask(out, asked, count, error);
    if (status != SOTTO_OK)
        account_free(out);
    return status;
}

/* ---- chosen later ---- */

/* What is behind us goes: groups that have all been asked. */
static void leave_out_past(ask_plan *plan, gate_place *place)
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

/* Puts `later` before item `at`; 0: it does not fit. */
static int put_before(ask_plan *plan, int at, const ask_plan *later)
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

/* Lemma 12: what the questions take of the level's square, rounded up; NaN
   where there are some that it is not for. Batches and blocks need what is
   only made and checked when the plan that has them is opened. */
static double cost_of(const ask_plan *later, const ask_item *charged)
{
    double sum = 0;
    if (later->items < 0 || later->items > ASK_MOST_ITEMS ||
        (later->items > 0 && later->item[later->items - 1].and_next))
        return NAN;
    for (int i = 0; i < later->items; i++) {
        const ask_item *item = &later->item[i];
        const question_row *q = question_of(item->kind);
        const ask_mechanism *m = ask_mechanism_of(item->noise);
        int choice = m->event == ACCOUNT_RANGE &&
                     ask_mechanism_of(charged->noise)->event == ACCOUNT_ZCDP;
        if ((m->event != ACCOUNT_GAUSS && !choice) || q->form == FORM_BUDGET ||
            q->rows != ROWS_ALL || item->count < 0 || !(item->level >= 0))
            return NAN;
        double square = m->square * item->level * item->level;
        sum = (sum + (double)item->count * square) * (1 + 0x1p-48);
    }
    return sum;
}

/* Takes it off; 0: there is not enough. */
static int take_off(curator *c, const ask_plan *later, ask_item *charged)
{
    double all = charged->level * charged->level * (1 - 0x1p-48);
    double left = all - cost_of(later, charged), draws = c->later_draws;
    if (!(left >= 0))
        return 0;
    for (int i = 0; i < later->items; i++)
        draws += (double)later->item[i].count *
                 curator_draws(&later->item[i], c->table->features);
    if (draws > curator_draws(charged, c->table->features))
        return 0;
    c->later_draws = draws;
    charged->level = sqrt(left) * (1 - 0x1p-48);
    return 1;
}

/* Remembers what is told; 0: out of memory. */
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
    leave_out_past(&plan, &place);
    int at = place.item;
    while (at < plan.items &&
           (question_of(plan.item[at].kind)->form != FORM_BUDGET ||
            plan.item[at].count < 1))
        at++; /* what is planned 0 times has no price */
    double before = c->later_draws;
    if (at == plan.items || isnan(cost_of(later, &plan.item[at])) ||
        (!c->policy.without_noise && !take_off(c, later, &plan.item[at])))
        return error_set(error, SOTTO_BUDGET,
                         "refused: over the budget: what was left for later "
                         "does not pay for these questions");
    if (!can_draw(&plan.item[at], gate_sensitivity(&c->policy, &plan.item[at],
                                                   c->table->features))) {
        plan.item[at].level = 0; /* nothing is left that would pay for noise */
        plan.item[at].count = c->policy.without_noise; /* nor is charged */
    }
    sotto_status status =
        put_before(&plan, at, later)
            ? curator_check(&c->policy, &plan, c->table->features, error)
            : error_set(error, SOTTO_FAILED, "a plan that is none");
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
