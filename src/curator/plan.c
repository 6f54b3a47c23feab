/*
 * Plans: which questions, in what order, how far one person can change their
 * answers, and the events that they are priced as.
 */
#include "inside.h"

#include <math.h>

const char *ask_name(ask_kind kind)
{
    static const char *const names[] = {[ASK_TOTAL] = "total",
                                        [ASK_MOMENTS] = "moments",
                                        [ASK_PARTIAL] = "partial",
                                        [ASK_GRADIENT] = "gradient",
                                        [ASK_CHOICE] = "choice",
                                        [ASK_ROW_COUNTS] = "row sizes",
                                        [ASK_TARGET_COUNTS] = "target sizes",
                                        [ASK_COLUMN_COUNTS] = "column sizes",
                                        [ASK_TARGET_MEAN] = "target mean",
                                        [ASK_COLUMN_MEANS] = "column means",
                                        [ASK_COLUMN_SQUARES] = "column squares",
                                        [ASK_MATRIX] = "second-moment matrix",
                                        [ASK_WHITENED] = "whitened gradient",
                                        [ASK_LENGTHS] = "gradient lengths",
                                        [ASK_CHANGE] = "change of the loss",
                                        [ASK_LATER] = "chosen from answers"};
    return names[kind];
}

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

/* How many vectors of length KERNEL_CLIP a record's part is made of, at right
   angles to each other. */
static double parts_of(ask_kind kind, int64_t features)
{
    switch (kind) {
    case ASK_MOMENTS:
    case ASK_COLUMN_COUNTS:
    case ASK_COLUMN_MEANS:
    case ASK_COLUMN_SQUARES:
        return (double)features;
    case ASK_LENGTHS:
        return 2;
    default:
        return 1;
    }
}

/*
 * How far a replaced record moves a sum, in lengths of what one adds: twice;
 * once where every entry is from 0 up to that length by itself; and by the
 * diagonal where what records add meets at no more than a right angle.
 */
static double replaced(ask_kind kind, int64_t features)
{
    switch (kind) {
    case ASK_TOTAL:
    case ASK_MOMENTS:
    case ASK_COLUMN_SQUARES:
    case ASK_LENGTHS:
        return 1;
    case ASK_ROW_COUNTS:
    case ASK_TARGET_COUNTS:
    case ASK_COLUMN_COUNTS:
        return sqrt(2);
    case ASK_MATRIX: /* and what cutting to integers takes off the angle */
        return sqrt(2) * (1 + ((double)features + 3) / KERNEL_CLIP);
    default:
        return 2;
    }
}

/* In integers, of all rows of one person; rounded up. */
double gate_sensitivity(const curator_policy *policy, ask_kind kind,
                        int64_t features)
{
    double sensitivity = KERNEL_CLIP * (double)policy->rows_per_person;
    double parts = parts_of(kind, features), times = 1;
    if (policy->adjacency == ACCOUNT_REPLACE_ONE)
        times = replaced(kind, features);
    if (parts > 1)
        sensitivity *= sqrt(parts) * (1 + 0x1p-50);
    if (times > 1 && times < 2)
        times *= 1 + 0x1p-50;
    return sensitivity * times;
}

/* ---- whether it can be done ---- */

static int is_choice(ask_noise noise)
{
    return noise == ASK_GUMBEL || noise == ASK_FLIP;
}

/* Whether the samplers can draw noise of this level. */
static int can_draw(const ask_item *item, double sensitivity)
{
    double scale = sensitivity / item->level;
    if (!(item->level > 0) || (item->noise == ASK_SAMPLED &&
                               !(noise_coin_rate(item->rate) == item->rate)))
        return 0;
    if (is_choice(item->noise))
        return 1 / (2 * scale) >= 2 * NOISE_SMALLEST_RATE &&
               1 / (2 * scale) <= NOISE_LARGEST_RATE;
    return scale > 0 && scale <= NOISE_LARGEST_SCALE / 2;
}

sotto_status curator_check(const curator_policy *policy, const ask_plan *plan,
                           int64_t features, sotto_error *error)
{
    for (int i = 0; i < plan->items; i++) {
        const ask_item *item = &plan->item[i];
        double sensitivity = gate_sensitivity(policy, item->kind, features);
        if (is_choice(item->noise) != (item->kind == ASK_CHOICE) ||
            (item->and_next &&
             (i + 1 == plan->items || item[1].count != item->count)))
            return error_set(error, SOTTO_FAILED, "a plan that is none");
        if (!item->count || (policy->without_noise && item->level == 0))
            continue;
        if (policy->without_noise || !can_draw(item, sensitivity))
            return error_set(error, SOTTO_PRIVACY,
                             "the budget is too small for so many questions "
                             "(%s) and rows per person: expected a larger "
                             "--epsilon or fewer steps",
                             ask_name(item->kind));
    }
    return SOTTO_OK;
}

/* ---- as events ---- */

double curator_draws(ask_kind kind, int64_t features)
{
    double count = (double)features + 1;
    switch (kind) {
    case ASK_ROW_COUNTS:
    case ASK_TARGET_COUNTS:
        return ASK_MOST_EDGES + 1;
    case ASK_COLUMN_COUNTS:
        return count * (ASK_MOST_EDGES + 1);
    case ASK_MATRIX:
        return count * (count + 1) / 2;
    case ASK_LENGTHS:
        return 2;
    case ASK_LATER: /* curator_tell_plan sees to it */
        return count * (count + 1000) + 10000;
    case ASK_MOMENTS:
    case ASK_GRADIENT:
    case ASK_COLUMN_MEANS:
    case ASK_COLUMN_SQUARES:
    case ASK_WHITENED:
        return count;
    default:
        return 1;
    }
}

static account_event event_of(const ask_item *item, account_adjacency adjacency)
{
    static const account_kind kinds[] = {[ASK_GAUSSIAN] = ACCOUNT_GAUSS,
                                         [ASK_LAPLACE] = ACCOUNT_LAPLACE,
                                         [ASK_SAMPLED] = ACCOUNT_SUBSAMPLED,
                                         [ASK_GUMBEL] = ACCOUNT_RANGE,
                                         [ASK_FLIP] = ACCOUNT_PURE};
    account_event e = {.kind = kinds[item->noise],
                       .a = item->level,
                       .count = 1,
                       .adjacency = adjacency};
    if (item->noise == ASK_SAMPLED) {
        e.a = item->rate;
        e.b = nextafter(1 / item->level, 0); /* not more than is drawn */
    }
    return e;
}

/* The items that are asked in turn, as a round. */
static sotto_status add_group(account_list *out, const ask_plan *plan,
                              int first, int size, sotto_error *error)
{
    int64_t rounds = out->rounds, count = plan->item[first].count;
    sotto_status status = SOTTO_OK;
    for (int i = first; i < first + size && status == SOTTO_OK; i++) {
        account_event e = event_of(&plan->item[i], out->adjacency);
        if (size == 1)
            e.count = count;
        status = account_add(out, e, error);
    }
    if (status == SOTTO_OK && size > 1)
        status = account_repeat(out, rounds, count, error);
    return status;
}

sotto_status curator_events(account_list *out, const ask_plan *plan,
                            account_adjacency adjacency, int64_t features,
                            sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    *out = (account_list){.adjacency = adjacency, .ordered = 1};
    for (int i = 0, first, size; i < plan->items && status == SOTTO_OK;
         i = first + size) {
        size = gate_group(plan, i, &first);
        if (!plan->item[first].count || plan->item[first].level == 0)
            continue;
        status = add_group(out, plan, first, size, error);
        for (int k = first; k < first + size; k++)
            out->draws += curator_draws(plan->item[k].kind, features) *
                          (double)plan->item[k].count;
    }
    if (status != SOTTO_OK)
        account_free(out);
    return status;
}

/* ---- chosen later ---- */

/* The plan with `later` in the place of item `at`; 0: it does not fit. */
static int put_in_place(ask_plan *plan, int at, const ask_plan *later)
{
    ask_plan old = *plan;
    if (old.items - 1 + later->items > ASK_MOST_ITEMS)
        return 0;
    for (int i = 0; i < later->items; i++)
        plan->item[at + i] = later->item[i];
    for (int i = at + 1; i < old.items; i++)
        plan->item[i + later->items - 1] = old.item[i];
    plan->items = old.items - 1 + later->items;
    return 1;
}

/* Lemma 8: the sum of mu^2, rounded up, and the draws are within those that
   were charged. */
static int is_within(const ask_plan *later, const ask_item *charged,
                     int64_t features)
{
    double sum = 0, draws = 0;
    for (int i = 0; i < later->items; i++) {
        const ask_item *item = &later->item[i];
        if (item->noise != ASK_GAUSSIAN || item->kind == ASK_LATER ||
            item->count < 0 || !(item->level >= 0))
            return 0;
        sum = (sum + (double)item->count * item->level * item->level) *
              (1 + 0x1p-48);
        draws += (double)item->count * curator_draws(item->kind, features);
    }
    return sum <= charged->level * charged->level * (1 - 0x1p-48) &&
           draws <= curator_draws(ASK_LATER, features);
}

sotto_status curator_tell_plan(curator *c, const ask_plan *later,
                               sotto_error *error)
{
    ask_plan plan = c->plan;
    int at = c->place.item;
    while (at < plan.items && plan.item[at].kind != ASK_LATER)
        at++;
    if (at == plan.items ||
        (!c->policy.without_noise &&
         !is_within(later, &plan.item[at], c->table->features)))
        return error_set(error, SOTTO_BUDGET,
                         "refused: over the budget: what was left for later "
                         "does not pay for these questions");
    if (!put_in_place(&plan, at, later))
        return error_set(error, SOTTO_FAILED, "a plan that is none");
    sotto_status status =
        curator_check(&c->policy, &plan, c->table->features, error);
    if (status == SOTTO_OK)
        c->plan = plan;
    return status;
}
