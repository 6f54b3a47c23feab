/*
 * Plans: which questions, in what order, how far one person can change their
 * answers, and the events that they are priced as.
 */
#include "inside.h"

#include <math.h>

const char *ask_name(ask_kind kind)
{
    static const char *const names[] = {
        [ASK_TOTAL] = "total",     [ASK_MOMENTS] = "moments",
        [ASK_PARTIAL] = "partial", [ASK_GRADIENT] = "gradient",
        [ASK_CHOICE] = "choice",   [ASK_BATCH] = "batch",
        [ASK_DUAL] = "dual",       [ASK_SEQUENCE] = "sequence",
        [ASK_PRIMAL] = "primal",   [ASK_LABELS] = "labels",
        [ASK_SKETCH] = "sketch",   [ASK_ALONG] = "sketched vertex"};
    return names[kind];
}

double gate_rows_changed(const curator_policy *policy, int positive)
{
    int twice = policy->adjacency == ACCOUNT_REPLACE_ONE && !positive;
    return (double)policy->rows_per_person * (twice ? 2 : 1);
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
    return kind == ASK_BATCH || kind == ASK_DUAL || kind == ASK_SEQUENCE;
}

static int is_sampled(const ask_item *item)
{
    return item->noise == ASK_SAMPLED;
}

/* In integers, of all rows of one person. Where the person is in a sample or
   not, replacing one is leaving one out and then putting another in, which
   the accountant prices (Lemma A11). */
double gate_sensitivity(const curator_policy *policy, const ask_item *item,
                        int64_t features)
{
    int positive = item->kind == ASK_TOTAL || item->kind == ASK_MOMENTS;
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
               gate_rows_changed(policy, 0);
    int once = positive || is_sampled(item);
    double sensitivity = KERNEL_CLIP * gate_rows_changed(policy, once);
    /* each of p entries is from 0 to KERNEL_CLIP; rounded up */
    if (item->kind == ASK_MOMENTS)
        sensitivity *= sqrt((double)features) * (1 + 0x1p-50);
    return sensitivity;
}

/* ---- whether it can be done ---- */

int gate_is_choice(ask_noise noise)
{
    return noise == ASK_GUMBEL || noise == ASK_FLIP || noise == ASK_NOISY;
}

/* Whether the samplers can draw noise of this level. */
static int can_draw(const ask_item *item, double sensitivity)
{
    double scale = sensitivity / item->level;
    if (!(item->level > 0))
        return 0;
    if (item->noise == ASK_NOISY)
        return 2 * scale <= NOISE_LARGEST_SCALE / 2;
    if (gate_is_choice(item->noise))
        return 1 / (2 * scale) >= 2 * NOISE_SMALLEST_RATE &&
               1 / (2 * scale) <= NOISE_LARGEST_RATE;
    return scale > 0 && scale <= NOISE_LARGEST_SCALE / 2;
}

static int is_vector(ask_kind kind)
{
    return kind == ASK_MOMENTS || kind == ASK_GRADIENT || kind == ASK_BATCH ||
           kind == ASK_DUAL || kind == ASK_SEQUENCE || kind == ASK_PRIMAL ||
           kind == ASK_LABELS || kind == ASK_SKETCH;
}

/* Whether the item's noise can protect its kind of question at all: Laplace
   noise is not for vectors, whose sensitivity is their Euclidean length. */
static int is_sound(const ask_item *item)
{
    int blocks = item->kind == ASK_SEQUENCE, some = item->kind == ASK_PRIMAL;
    if (item->noise == ASK_LAPLACE && is_vector(item->kind))
        return 0;
    if ((blocks || some) && (item->noise != ASK_GAUSSIAN || item->block < 1 ||
                             item->block > (int64_t)1 << 40 || item->and_next))
        return 0;
    if (blocks != (item->blocks > 0))
        return 0;
    if (gate_is_choice(item->noise) !=
        (item->kind == ASK_CHOICE || item->kind == ASK_ALONG))
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
    return !plan->any_order || (!item->and_next && item->blocks == 0);
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
        if (policy->without_noise || !can_draw(item, sensitivity))
            return refuse_level(policy, item, features, error);
    }
    return SOTTO_OK;
}

/* ---- as events ---- */

double curator_draws(const ask_item *item, int64_t features)
{
    if (!is_vector(item->kind) && item->noise != ASK_NOISY)
        return 1;
    if (sketch_is_one(item->kind))
        return (double)item->block;
    /* a vector with an intercept, or with coins for a batch, or both */
    return (double)features + 1 + (item->kind == ASK_BATCH);
}

int64_t curator_priced_count(const ask_item *item)
{
    return item->blocks > 0 ? (item->count + item->blocks - 1) / item->blocks
                            : item->count;
}

account_adjacency curator_priced_for(const ask_plan *plan,
                                     account_adjacency adjacency)
{
    int sampled = 0;
    for (int i = 0; i < plan->items; i++)
        sampled |= plan->item[i].count > 0 && is_sampled(&plan->item[i]);
    return sampled && adjacency == ACCOUNT_REPLACE_ONE ? ACCOUNT_ADD_REMOVE
                                                       : adjacency;
}

static account_event event_of(const ask_item *item, account_adjacency adjacency)
{
    static const account_kind kinds[] = {
        [ASK_GAUSSIAN] = ACCOUNT_GAUSS,     [ASK_LAPLACE] = ACCOUNT_LAPLACE,
        [ASK_SAMPLED] = ACCOUNT_SUBSAMPLED, [ASK_GUMBEL] = ACCOUNT_RANGE,
        [ASK_FLIP] = ACCOUNT_PURE,          [ASK_NOISY] = ACCOUNT_PURE};
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
    int64_t rounds = out->rounds;
    int64_t count = curator_priced_count(&plan->item[first]);
    account_adjacency priced = curator_priced_for(plan, out->adjacency);
    sotto_status status = SOTTO_OK;
    for (int i = first; i < first + size && status == SOTTO_OK; i++) {
        account_event e = event_of(&plan->item[i], priced);
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
    *out = (account_list){.adjacency = adjacency, .ordered = !plan->any_order};
    for (int i = 0, first, size; i < plan->items && status == SOTTO_OK;
         i = first + size) {
        size = gate_group(plan, i, &first);
        if (!plan->item[first].count || plan->item[first].level == 0)
            continue;
        status = add_group(out, plan, first, size, error);
        for (int k = first; k < first + size; k++)
            out->draws += curator_draws(&plan->item[k], features) *
                          (double)plan->item[k].count;
    }
    if (status != SOTTO_OK)
        account_free(out);
    return status;
}
