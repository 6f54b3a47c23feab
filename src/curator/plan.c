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
                                        [ASK_BATCH] = "batch",
                                        [ASK_DIFFERENCE] = "batch difference",
                                        [ASK_DUAL] = "dual",
                                        [ASK_SEQUENCE] = "sequence",
                                        [ASK_PRIMAL] = "primal",
                                        [ASK_ROW_COUNTS] = "row sizes",
                                        [ASK_TARGET_COUNTS] = "target sizes",
                                        [ASK_COLUMN_COUNTS] = "column sizes",
                                        [ASK_ROW_QUANTILE] = "row quantile",
                                        [ASK_TARGET_QUANTILE] =
                                            "target quantile",
                                        [ASK_TARGET_MEAN] = "target mean",
                                        [ASK_COLUMN_MEANS] = "column means",
                                        [ASK_COLUMN_SQUARES] = "column squares",
                                        [ASK_MATRIX] = "second-moment matrix",
                                        [ASK_CROSS] = "cross moments",
                                        [ASK_WHITENED] = "whitened gradient",
                                        [ASK_LENGTHS] = "gradient lengths",
                                        [ASK_CHANGE] = "change of the loss",
                                        [ASK_MINIMISER] = "minimiser",
                                        [ASK_PERTURBED] = "perturbed minimiser",
                                        [ASK_LATER] = "chosen from answers",
                                        [ASK_VERTEX] = "vertex",
                                        [ASK_LABELS] = "labels",
                                        [ASK_SKETCH] = "sketch",
                                        [ASK_ALONG] = "sketched vertex"};
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

int gate_has_batch(ask_kind kind)
{
    return kind == ASK_BATCH || kind == ASK_DIFFERENCE || kind == ASK_DUAL ||
           kind == ASK_SEQUENCE;
}

static int is_sampled(const ask_item *item)
{
    return item->noise == ASK_SAMPLED;
}

/* How many vectors of length KERNEL_CLIP a record's part is made of, at right
   angles to each other. */
static double parts_of(const ask_item *item, int64_t features)
{
    switch (item->kind) {
    case ASK_MOMENTS:
        return (double)features;
    case ASK_COLUMN_COUNTS:
    case ASK_COLUMN_MEANS:
    case ASK_COLUMN_SQUARES:
        return (double)(item->block ? item->block : features);
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
static double replaced(const ask_item *item, int64_t features)
{
    double about = (double)(item->block ? item->block : features);
    switch (item->kind) {
    case ASK_TOTAL:
    case ASK_MOMENTS:
    case ASK_COLUMN_SQUARES:
    case ASK_LENGTHS:
    case ASK_ROW_QUANTILE: /* Lemma 19 */
    case ASK_TARGET_QUANTILE:
        return 1;
    case ASK_ROW_COUNTS:
    case ASK_TARGET_COUNTS:
    case ASK_COLUMN_COUNTS:
        return sqrt(2);
    case ASK_MATRIX: /* and what cutting to integers takes off the angle */
        return sqrt(2) * (1 + (about + 3) / KERNEL_CLIP);
    case ASK_CROSS:
        return sqrt(2) * (1 + (about + 4) / KERNEL_CLIP);
    default:
        return 2;
    }
}

/*
 * Minimisers (Lemma 17): how far certified ones may be from those that are
 * meant, in units of which one record moves these by KERNEL_CLIP; from both
 * sides. Rounding moves each coordinate by less than 1, and a pull by 1/2.
 */
static double gate_missed(ask_kind kind, int64_t features)
{
    double rounded = kind == ASK_PERTURBED ? 2 : 1;
    return 2 * (KERNEL_CLIP * gate_certain(kind) +
                rounded * sqrt((double)features));
}

/* The part of a perturbed minimiser's mu^2 that pays for its last noise is
   the square of this. */
#define PERTURBED_LAST .125

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

/* In integers, of all rows of one person; rounded up. Where the person is in a
   sample or not, replacing one is leaving one out and then putting another
   in, which the accountant prices (Lemma A11). */
double gate_sensitivity(const curator_policy *policy, const ask_item *item,
                        int64_t features)
{
    int replace = policy->adjacency == ACCOUNT_REPLACE_ONE;
    /* every row of the block after the one that differs may differ too */
    if (item->kind == ASK_SEQUENCE)
        return KERNEL_CLIP * (2 * (double)item->block - !replace);
    /* from one end of what they can be to the other */
    if (item->kind == ASK_PRIMAL)
        return 2. * KERNEL_CLIP * sqrt((double)item->block) * (1 + 0x1p-50);
    /* one bucket by a column's integer; a score by that times a told one */
    if (sketch_is_one(item->kind))
        return (item->kind == ASK_ALONG ? ASK_UNIT : 1) * (double)ASK_UNIT *
               (double)policy->rows_per_person * (replace ? 2 : 1);
    double sensitivity = KERNEL_CLIP * (double)policy->rows_per_person;
    if (item->kind == ASK_MINIMISER)
        return (sensitivity * (replace ? 2 : 1) +
                gate_missed(item->kind, features)) *
               (1 + 0x1p-40);
    if (item->kind == ASK_PERTURBED) /* at its own part of the level */
        return gate_missed(item->kind, features) / PERTURBED_LAST *
               (1 + 0x1p-40);
    double parts = parts_of(item, features), times = 1;
    if (replace && !is_sampled(item))
        times = replaced(item, features);
    if (parts > 1)
        sensitivity *= sqrt(parts) * (1 + 0x1p-50);
    if (times > 1 && times < 2)
        times *= 1 + 0x1p-50;
    return sensitivity * times;
}

/* ---- whether it can be done ---- */

int gate_is_choice(ask_noise noise)
{
    return noise == ASK_GUMBEL || noise == ASK_RANGE || noise == ASK_FLIP ||
           noise == ASK_NOISY;
}

/* The range of a choice, or epsilon; the level of what is none. */
double gate_choice_level(const ask_item *item)
{
    return item->noise == ASK_RANGE ? account_range_within(item->level)
                                    : item->level;
}

int gate_chooses(ask_kind kind)
{
    return kind == ASK_CHOICE || kind == ASK_VERTEX || kind == ASK_ALONG ||
           kind == ASK_ROW_QUANTILE || kind == ASK_TARGET_QUANTILE;
}

/* Whether the samplers can draw noise of this level. */
static int can_draw(const ask_item *item, double sensitivity)
{
    double scale = sensitivity / gate_choice_level(item);
    if (!(item->level > 0) || isinf(item->level))
        return 0;
    if (item->noise == ASK_NOISY)
        return 2 * scale <= NOISE_LARGEST_SCALE / 2;
    if (gate_is_choice(item->noise))
        return 1 / (2 * scale) >= 2 * NOISE_SMALLEST_RATE &&
               1 / (2 * scale) <= NOISE_LARGEST_RATE;
    return scale > 0 && scale <= NOISE_LARGEST_SCALE / 2;
}

/* The same of what is drawn before the sum, where that is least. */
static int can_pull(const curator_policy *policy, const ask_item *item)
{
    return item->kind != ASK_PERTURBED ||
           KERNEL_CLIP / gate_pull_level(policy, item, 0) <=
               NOISE_LARGEST_SCALE / 2;
}

static int is_vector(ask_kind kind)
{
    return kind != ASK_TOTAL && kind != ASK_PARTIAL && kind != ASK_CHOICE &&
           kind != ASK_TARGET_MEAN && kind != ASK_CHANGE && kind != ASK_ALONG;
}

/* Whether the item's noise can protect its kind of question at all: Laplace
   noise is not for vectors, whose sensitivity is their Euclidean length. */
static int is_sound(const ask_item *item)
{
    int blocks = item->kind == ASK_SEQUENCE, some = item->kind == ASK_PRIMAL;
    if (item->noise == ASK_LAPLACE && is_vector(item->kind))
        return 0;
    int later = item->kind == ASK_LATER, mixed = item->noise == ASK_MIXED;
    if (item->block < 0 || (mixed && !later))
        return 0;
    if (later && ((item->noise != ASK_GAUSSIAN && !mixed) || item->count > 1 ||
                  item->and_next))
        return 0;
    if ((blocks || some) && (item->noise != ASK_GAUSSIAN || item->block < 1 ||
                             item->block > (int64_t)1 << 40 || item->and_next))
        return 0;
    if (blocks != (item->blocks > 0))
        return 0;
    if (gate_is_choice(item->noise) != gate_chooses(item->kind))
        return 0;
    /* draws of noisy scores are counted by coordinates, and edges are none */
    if (item->noise == ASK_NOISY &&
        (item->kind == ASK_ROW_QUANTILE || item->kind == ASK_TARGET_QUANTILE))
        return 0;
    return !is_sampled(item) || (gate_has_batch(item->kind) &&
                                 noise_coin_rate(item->rate) == item->rate);
}

/* Several rows with a coin each would show a person more often than is
   charged. */
static sotto_status check_people(const curator_policy *policy,
                                 const ask_item *item, sotto_error *error)
{
    if (item->kind == ASK_SEQUENCE && !policy->without_noise &&
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
    if (sketch_is_one(item->kind) != (policy->buckets > 0))
        return 0;
    if (sketch_is_one(item->kind) && item->kind != ASK_ALONG &&
        item->block != policy->buckets)
        return 0;
    for (int k = 0; plan->any_order && k < i; k++)
        if (plan->item[k].kind == item->kind)
            return 0;
    return !plan->any_order ||
           (!item->and_next && item->blocks == 0 && item->kind != ASK_LATER);
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

double curator_draws(const ask_item *item, int64_t features)
{
    double count = (double)features + 1;
    if (item->noise == ASK_NOISY) /* for each score; some go both ways */
        return item->kind == ASK_CHOICE ? count : 2 * count;
    switch (item->kind) {
    case ASK_ROW_COUNTS:
    case ASK_TARGET_COUNTS:
        return ASK_MOST_EDGES + 1;
    case ASK_COLUMN_COUNTS:
        return count * (ASK_MOST_EDGES + 1);
    case ASK_MATRIX:
        return count * (count + 1) / 2;
    case ASK_CROSS:
        return (count + 1) * (count + 2) / 2;
    case ASK_LENGTHS:
        return 2;
    case ASK_PERTURBED:
        return 2 * count;
    case ASK_LATER: /* curator_tell_plan sees to it */
        return count * (count + 1000) + 10000 + 2 * count * (double)item->block;
    case ASK_MOMENTS:
    case ASK_GRADIENT:
    case ASK_COLUMN_MEANS:
    case ASK_COLUMN_SQUARES:
    case ASK_WHITENED:
    case ASK_DUAL:
    case ASK_SEQUENCE:
    case ASK_PRIMAL:
    case ASK_MINIMISER:
        return count;
    case ASK_BATCH: /* and its coins */
    case ASK_DIFFERENCE:
        return count + 1;
    case ASK_LABELS:
    case ASK_SKETCH:
        return (double)item->block;
    case ASK_VERTEX: /* both ways, with noise each */
        return 2 * count;
    default:
        return 1;
    }
}

account_question curator_question(const ask_item *item)
{
    static const account_kind kinds[] = {
        [ASK_GAUSSIAN] = ACCOUNT_GAUSS,     [ASK_LAPLACE] = ACCOUNT_LAPLACE,
        [ASK_SAMPLED] = ACCOUNT_SUBSAMPLED, [ASK_GUMBEL] = ACCOUNT_RANGE,
        [ASK_RANGE] = ACCOUNT_GAUSS, /* Lemma A14 */
        [ASK_FLIP] = ACCOUNT_PURE,          [ASK_NOISY] = ACCOUNT_PURE,
        [ASK_MIXED] = ACCOUNT_ZCDP};
    account_question q = {.kind = kinds[item->noise],
                          .level = item->level,
                          .rate = item->rate,
                          .times = item->count,
                          .blocks = item->blocks,
                          .and_next = item->and_next};
    if (item->noise == ASK_MIXED)
        q.level = item->level * item->level / 2 * (1 + 0x1p-50);
    return q;
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
    account_question question[ASK_MOST_ITEMS];
    int64_t count = 0;
    *out = (account_list){.adjacency = adjacency, .ordered = !plan->any_order};
    for (int i = 0, first, size; i < plan->items; i = first + size) {
        size = gate_group(plan, i, &first);
        if (!plan->item[first].count || plan->item[first].level == 0)
            continue;
        for (int k = first; k < first + size; k++) {
            question[count++] = curator_question(&plan->item[k]);
            out->draws += curator_draws(&plan->item[k], features) *
                          (double)plan->item[k].count;
        }
    }
    sotto_status status = account_ask(out, question, count, error);
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
        int choice = item->noise == ASK_GUMBEL && charged->noise == ASK_MIXED;
        if ((item->noise != ASK_GAUSSIAN && item->noise != ASK_RANGE &&
             !choice) ||
            item->kind == ASK_LATER || gate_has_batch(item->kind) ||
            item->count < 0 || !(item->level >= 0))
            return NAN;
        double square = (choice ? .25 : 1) * item->level * item->level;
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
           (plan.item[at].kind != ASK_LATER || plan.item[at].count < 1))
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
