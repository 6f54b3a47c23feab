/*
 * Plans: which questions, in what order, and whether they can be carried out.
 */
#include "internal.h"

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

static int is_sampled(const ask_item *item)
{
    return item->noise == ASK_SAMPLED;
}

/* ---- checks ---- */

double gate_drawn_level(const ask_item *item)
{
    return mechanism_of(item->noise)->drawn(item->level);
}

int gate_can_draw(const ask_item *item, double sensitivity)
{
    const mechanism_row *m = mechanism_of(item->noise);
    return item->level > 0 && !isinf(item->level) && m->can_draw &&
           m->can_draw(sensitivity / gate_drawn_level(item));
}

/* Whether they can draw the noise of the objective, at the least level that it
   can have. */
static int can_draw_objective_noise(const curator_policy *policy,
                                    const ask_item *item)
{
    return !question_of(item->kind)->perturbs ||
           KERNEL_CLIP / objective_noise_level(policy, item, 0) <=
               NOISE_LARGEST_SCALE / 2;
}

/* Why the item's noise cannot protect its kind of question; NULL: it can. */
static const char *unprotected(const ask_item *item)
{
    const question_row *q = question_of(item->kind);
    const mechanism_row *m = mechanism_of(item->noise);
    if (q->form == FORM_NONE)
        return "there is no such question";
    if (!(m->protects & 1u << q->form))
        return "its noise cannot protect such a question";
    if (m->per_score && q->noisy_draws == DRAWS_UNKNOWN)
        return "how many scores it has is not known";
    if (is_sampled(item) &&
        (q->rows != ROWS_SAMPLED || noise_coin_rate(item->rate) != item->rate))
        return "its coins cannot be drawn";
    return NULL;
}

/* Why the item's numbers are none that its kind can have; NULL: they are. */
static const char *misnumbered(const ask_item *item)
{
    const question_row *q = question_of(item->kind);
    int blocks = q->rows == ROWS_BLOCK;
    int alone = blocks || q->block == BLOCK_COORDINATES;
    int classes = q->block == BLOCK_CLASSES;
    int levels = q->form == FORM_LEVELS;
    int64_t cells = item->kind == ASK_ERRORS ? ASK_MOST_VALUES : ASK_MOST_CELLS;
    if (item->count < 0 ||
        ((q->form == FORM_BUDGET || levels) && item->count > 1))
        return "it has a count that is not possible";
    if (item->block < 0 ||
        (alone && (item->block < 1 || item->block > (int64_t)1 << 40)))
        return "it has a block that is not possible";
    if (classes && (item->block < 3 || item->block > ASK_MOST_CLASSES))
        return "it has a number of classes that is not possible";
    if (q->block == BLOCK_CELLS && (item->block < 1 || item->block > cells))
        return "it has a number of cells that is not possible";
    if (item->blocks < 0 || blocks != (item->blocks > 0))
        return blocks ? "it has no blocks that take turns"
                      : "it has blocks that take turns";
    if (levels ? !(item->shown > 0 && item->shown <= .5) : item->shown != 0)
        return "it has a chance to be shown that is not possible";
    if (item->and_next && (alone || levels || q->form == FORM_BUDGET))
        return "it cannot be asked in turn with the next item";
    return NULL;
}

/* If each of a person's rows had a coin of its own, the person would be in more
   batches than is charged. */
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

/* If one row of a person would be fine, the message says that their number is
   the reason. */
static sotto_status refuse_level(const curator_policy *policy,
                                 const ask_item *item, int64_t features,
                                 sotto_error *error)
{
    curator_policy one = *policy;
    one.rows_per_person = 1;
    if (policy->rows_per_person > 1 && !policy->without_noise &&
        gate_can_draw(item, gate_sensitivity(&one, item, features)))
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

/* Why the item cannot be where it is in the plan; NULL: it can. Where order is
   not given, items are told apart by their kind. What is asked of whole rows
   and what is asked of sketches do not mix. */
static const char *misplaced(const curator_policy *policy, const ask_plan *plan,
                             int i)
{
    const ask_item *item = &plan->item[i];
    const question_row *q = question_of(item->kind);
    if (q->sketch != (policy->buckets > 0))
        return q->sketch ? "there are no buckets" : "it is not of a sketch";
    if (q->block == BLOCK_BUCKETS && item->block != policy->buckets)
        return "it has another number of buckets than was agreed upon";
    if (q->block == BLOCK_CLASSES && item->block != policy->classes)
        return "it has another number of classes than there are";
    if (q->block == BLOCK_COUNTS &&
        item->block != policy->level_columns * policy->rows_per_person)
        return "it has another number of counts than a person can be in";
    if (q->form == FORM_LEVELS &&
        (i > 0 || !isfinite(ask_people_shown(policy, item))))
        return "it is not the first, or has no threshold";
    if (policy->classes > 0 && !q->any_classes)
        return "it is not for more than two classes";
    if (item->and_next &&
        (i + 1 == plan->items || item[1].count != item->count))
        return "the next item does not have its count";
    if (plan->any_order && (item->and_next || item->blocks > 0 ||
                            q->form == FORM_BUDGET || q->form == FORM_LEVELS))
        return "it needs an order";
    for (int k = 0; plan->any_order && k < i; k++)
        if (plan->item[k].kind == item->kind)
            return "an item before it is of the same kind";
    return NULL;
}

/* A plan that no solver should make. */
static sotto_status check_item(const curator_policy *policy,
                               const ask_plan *plan, int i, sotto_error *error)
{
    const ask_item *item = &plan->item[i];
    const char *fault = unprotected(item);
    if (!fault)
        fault = misnumbered(item);
    if (!fault)
        fault = misplaced(policy, plan, i);
    return fault ? error_set(error, SOTTO_FAILED,
                             "internal error: invalid plan (item %d, %s: %s)",
                             i + 1, ask_name(item->kind), fault)
                 : check_people(policy, item, error);
}

sotto_status plan_refuse_ranks(ask_kind kind, sotto_error *error)
{
    return error_set(error, SOTTO_USAGE,
                     "several ranks cannot answer this question (%s), which is "
                     "no sum over rows: expected one process, or another "
                     "solver",
                     ask_name(kind));
}

sotto_status plan_check_size(const ask_plan *plan, sotto_error *error)
{
    if (plan->items < 0 || plan->items > ASK_MOST_ITEMS)
        return error_set(error, SOTTO_FAILED,
                         "internal error: invalid plan (%d items)",
                         plan->items);
    return SOTTO_OK;
}

sotto_status curator_check(const curator_policy *policy, const ask_plan *plan,
                           int64_t features, sotto_error *error)
{
    sotto_status status = plan_check_size(plan, error);
    if (status != SOTTO_OK)
        return status;
    for (int i = 0; i < plan->items; i++) {
        const ask_item *item = &plan->item[i];
        double sensitivity = gate_sensitivity(policy, item, features);
        status = check_item(policy, plan, i, error);
        if (status == SOTTO_OK && policy->ranks > 1 && item->count > 0 &&
            !question_of(item->kind)->by_ranks)
            status = plan_refuse_ranks(item->kind, error);
        if (status != SOTTO_OK)
            return status;
        if (!item->count || (policy->without_noise && item->level == 0))
            continue;
        if (policy->without_noise || !gate_can_draw(item, sensitivity) ||
            !can_draw_objective_noise(policy, item))
            return refuse_level(policy, item, features, error);
    }
    return SOTTO_OK;
}
