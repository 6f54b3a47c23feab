/*
 * The gate: the only functions that let anything out that depends on a record
 * (docs/privacy, "The gate").
 */
#include "internal.h"

#include <math.h>

/* ---- check and charge ---- */

/* The first item of this kind in [from, to), or -1. */
static int gate_find(const ask_plan *plan, ask_kind kind, int from, int to)
{
    for (int i = from; i < to; i++)
        if (plan->item[i].kind == kind)
            return i;
    return -1;
}

/* The next place at which the plan asks this question; -1: there is none. The
   place never goes back. */
static int gate_next(const ask_plan *plan, gate_place *place, ask_kind kind)
{
    int first, from = place->item;
    int64_t round = place->round;
    while (from < plan->items) {
        int end = gate_group(plan, from, &first) + first;
        for (; round < plan->item[first].count; round++, from = first) {
            int i = gate_find(plan, kind, from, end);
            if (i >= 0) {
                *place = (gate_place){i, round};
                return i;
            }
            if (gate_find(plan, kind, first, end) < 0)
                break; /* no round has it */
        }
        from = end;
        round = 0;
    }
    return -1;
}

/* The place after the question at `place`. */
static gate_place gate_after(const ask_plan *plan, gate_place place)
{
    int first, end = gate_group(plan, place.item, &first) + first;
    if (place.item + 1 < end)
        place.item++;
    else
        place = (gate_place){first, place.round + 1};
    return place;
}

static sotto_status gate_refuse(const curator *c, ask_kind kind,
                                sotto_error *error)
{
    /* later.c drops items that have been asked from the plan */
    int64_t asked = c->asked[kind], planned = ask_planned(&c->plan, kind);
    return error_set(error, SOTTO_BUDGET,
                     "refused: over the budget: %lld of %lld planned questions "
                     "(%s) were asked, one more was wanted, none is left",
                     (long long)asked,
                     (long long)(planned > asked ? planned : asked),
                     ask_name(kind));
}

/* The item of a plan in any order, if its count is not used up; else -1. */
static int gate_left(const curator *c, ask_kind kind)
{
    int i = gate_find(&c->plan, kind, 0, c->plan.items);
    return i >= 0 && c->asked[kind] < c->plan.item[i].count ? i : -1;
}

/* A question is charged when it is asked, whether it succeeds or not. */
static sotto_status gate_charge(curator *c, ask_kind kind,
                                const ask_item **item, int64_t *round,
                                sotto_error *error)
{
    gate_place place = c->place;
    int any = c->plan.any_order;
    if (c->ranks && !question_of(kind)->by_ranks)
        return plan_refuse_ranks(kind, error);
    if (c->kept && !question_of(kind)->without_columns)
        return error_set(error, SOTTO_USAGE,
                         "%s: a frame was told, and there are no columns any "
                         "more",
                         ask_name(kind));
    if (c->windows && !question_walks(kind))
        return error_set(error, SOTTO_USAGE,
                         "%s: the rows must be in memory; leave out --memory",
                         ask_name(kind));
    int i = any ? gate_left(c, kind) : gate_next(&c->plan, &place, kind);
    if (i < 0)
        return gate_refuse(c, kind, error);
    *round = any ? c->asked[kind] : place.round;
    *item = &c->plan.item[i];
    ranks_note(c->ranks, &kind, sizeof kind);
    ranks_note(c->ranks, round, sizeof *round);
    if (!any)
        c->place = gate_after(&c->plan, place);
    c->asked[kind]++;
    return SOTTO_OK;
}

sotto_status gate_spend(curator *c, ask_kind kind, sotto_error *error)
{
    const ask_item *item;
    int64_t round;
    return gate_charge(c, kind, &item, &round, error);
}

/* ---- noise ---- */

/* Single values come from a store of values that were drawn in advance. */
static sotto_status gate_draw(curator *c, const ask_item *item, int one,
                              double scale, int64_t *out, size_t count,
                              sotto_error *error)
{
    const mechanism_row *m = mechanism_of(item->noise);
    if (!m->draw)
        return error_set(error, SOTTO_FAILED,
                         "internal error: no noise can be added (%s)",
                         m->price.words);
    return one && m->draw_one ? m->draw_one(c->noise, scale, out, error)
                              : m->draw(c->noise, scale, out, count, error);
}

static sotto_status gate_add(curator *c, const ask_item *item, double scale,
                             size_t answers, int64_t *out, sotto_error *error)
{
    int64_t part[64];
    for (size_t from = 0; from < answers; from += 64) {
        size_t count = answers - from < 64 ? answers - from : 64;
        sotto_status status =
            gate_draw(c, item, answers == 1, scale, part, count, error);
        if (status != SOTTO_OK)
            return status;
        for (size_t i = 0; i < count; i++)
            out[from + i] += part[i];
        mem_wipe(part, count * sizeof *part);
    }
    return SOTTO_OK;
}

/* Of several ranks the root alone draws, and adds it to its own rows' sums:
   sums without noise are in no memory. */
static sotto_status gate_noise(curator *c, const ask_item *item, size_t answers,
                               int64_t *out, double *noise, sotto_error *error)
{
    double scale = mechanism_scale(
        gate_sensitivity(&c->policy, item, c->table->features), item->level);
    *noise = scale * ask_mechanism_of(item->noise)->sd;
    if (!ranks_is_root(c->ranks))
        return SOTTO_OK;
    return gate_add(c, item, scale, answers, out, error);
}

/* Draws noise that is a part of the objective, before it is minimised. */
static sotto_status gate_objective_noise(curator *c, const ask_item *item,
                                         const gate_question *q,
                                         sotto_error *error)
{
    double level = objective_noise_level(&c->policy, item, q->curvature_change);
    double scale = level > 0 ? mechanism_scale(KERNEL_CLIP, level) : INFINITY;
    if (!(scale <= NOISE_LARGEST_SCALE / 2))
        return error_set(error, SOTTO_PRIVACY,
                         "--l2 is too small for the budget: one record could "
                         "change the objective's curvature by too much");
    sotto_status status =
        gate_add(c, item, scale, q->answers, q->objective_noise, error);
    return status == SOTTO_OK && c->tape
               ? tape_words(c->tape, q->objective_noise, q->answers, error)
               : status;
}

/* ---- release ---- */

static void gate_sum(curator *c, const gate_question *q, int64_t *out)
{
    kernel_mode before = kernel_enter();
    q->sum(c, q->what, out);
    kernel_leave(before);
}

/* For runs that are NOT PRIVATE and were planned so: the sums as they are. No
   sampler is called with scale 0 for this. */
static void gate_release_without_noise(curator *c, const gate_question *q,
                                       int64_t *out, double *noise)
{
    gate_sum(c, q, out);
    *noise = 0;
}

/* Where ranks share the rows: the sums over all of them, to all. The root's
   have the noise already. Lemma C30. */
static sotto_status gate_sum_ranks(curator *c, const gate_question *q,
                                   int64_t *out, sotto_status status,
                                   sotto_error *error)
{
    return c->ranks ? ranks_sum(c->ranks, status, out, q->answers, error)
                    : status;
}

sotto_status gate_release_unclipped(curator *c, ask_kind kind,
                                    double (*sum)(curator *c, const void *what),
                                    const void *what, double *out,
                                    sotto_error *error)
{
    const ask_item *item;
    if (!c->policy.without_noise)
        return error_set(error, SOTTO_PRIVACY,
                         "an infinite clip is not private");
    if (c->ranks) /* doubles that are added in the order of the rows */
        return plan_refuse_ranks(kind, error);
    int64_t round;
    sotto_status status = gate_charge(c, kind, &item, &round, error);
    if (status != SOTTO_OK)
        return status;
    kernel_mode before = kernel_enter();
    *out = sum(c, what);
    kernel_leave(before);
    return SOTTO_OK;
}

/* Whether the question is about more coordinates than it was priced for. */
static int gate_is_wider(const curator *c, const gate_question *q,
                         const ask_item *item)
{
    question_block block = question_of(q->kind)->block;
    if (block == BLOCK_COORDINATES)
        return q->answers > (size_t)item->block;
    if (block == BLOCK_CLASSES || block == BLOCK_CELLS)
        return (double)q->answers > curator_draws(item, c->table->features);
    return block != BLOCK_ROWS &&
           q->features > (item->block ? item->block : c->table->features);
}

/* Of invented records, whose sums an audit may see: noise as always, and then
   what the tape makes of the answer. */
static sotto_status gate_noise_taped(curator *c, const ask_item *item,
                                     size_t answers, int64_t *out,
                                     double *noise, sotto_error *error)
{
    int64_t *sums = mem_zeroed(answers + 1, sizeof *sums);
    for (size_t i = 0; sums && i < answers; i++)
        sums[i] = out[i];
    sotto_status status = sums ? gate_noise(c, item, answers, out, noise, error)
                               : error_memory(error);
    if (status == SOTTO_OK)
        status = tape_release(c, item, sums, out, answers, error);
    mem_free(sums);
    return status;
}

sotto_status gate_release(curator *c, const gate_question *q, int64_t *out,
                          double *noise, sotto_error *error)
{
    const ask_item *item;
    int64_t round;
    sotto_status status = gate_charge(c, q->kind, &item, &round, error);
    if (status == SOTTO_OK && gate_is_wider(c, q, item))
        status = error_set(error, SOTTO_BUDGET,
                           "refused: more coordinates at once than planned");
    question_rows rows = question_of(q->kind)->rows;
    if (status == SOTTO_OK && rows == ROWS_BLOCK)
        batch_block(c, round % item->blocks, item->block);
    else if (status == SOTTO_OK && rows == ROWS_SAMPLED)
        status =
            batch_draw(c, item->noise == ASK_SAMPLED ? item->rate : 1, error);
    else if (status == SOTTO_OK && q->objective_noise &&
             !c->policy.without_noise)
        status = gate_objective_noise(c, item, q, error);
    if (status != SOTTO_OK)
        return status;
    if (c->policy.without_noise) {
        gate_release_without_noise(c, q, out, noise);
        return gate_sum_ranks(c, q, out, rows_status(c, error), error);
    }
    gate_sum(c, q, out);
    status = rows_status(c, error);
    if (status == SOTTO_OK)
        status = (c->tape ? gate_noise_taped : gate_noise)(c, item, q->answers,
                                                           out, noise, error);
    status = gate_sum_ranks(c, q, out, status, error);
    if (status != SOTTO_OK) /* an answer without noise must not be seen */
        for (size_t i = 0; i < q->answers; i++)
            out[i] = 0;
    return status;
}

/* ---- counts of which the large ones are shown ---- */

/* Noise on every count; 0 for those that are not shown. A level that nobody
   counts for does not exist: the charge is for no more levels of one person
   than count. */
static sotto_status gate_hide(curator *c, const ask_item *item, int64_t *count,
                              size_t counts, sotto_error *error)
{
    noise_stream *own, *others = c->noise;
    account_counted who = levels_counted(&c->policy);
    double moved = gate_sensitivity(&c->policy, item, c->table->features);
    double scale = mechanism_scale(moved, item->level);
    double threshold = account_threshold(&who, scale, item->shown);
    sotto_status status = curator_open_level_noise(c, &own, error);
    if (status != SOTTO_OK)
        return status;
    for (size_t i = 0; i < counts; i++)
        count[i] = count[i] > 0 ? count[i] : INT64_MIN / 4;
    c->noise = own;
    status = gate_add(c, item, scale, counts, count, error);
    c->noise = others;
    noise_close(own);
    for (size_t i = 0; i < counts; i++)
        if (status != SOTTO_OK || !((double)count[i] >= threshold))
            count[i] = 0;
    return status;
}

sotto_status gate_show(curator *c, const gate_counts *q, int64_t **out,
                       size_t *counts, sotto_error *error)
{
    const ask_item *item;
    int64_t round;
    *out = NULL, *counts = 0;
    if (c->policy.without_noise)
        return error_set(error, SOTTO_PRIVACY, "levels need noise");
    sotto_status status = gate_charge(c, q->kind, &item, &round, error);
    if (status == SOTTO_OK)
        status = q->count(c, out, counts, error);
    return status ? status : gate_hide(c, item, *out, *counts, error);
}

/* ---- choices ---- */

/* The largest double with 2 sensitivity rate <= level. Then the range of the
   exponential mechanism, or the epsilon of permute-and-flip, is at most the
   level. */
static double gate_rate(double sensitivity, double level)
{
    double rate = level / (2 * sensitivity);
    while (fma(rate, 2 * sensitivity, -level) > 0)
        rate = nextafter(rate, 0);
    return rate;
}

/* For runs that are NOT PRIVATE: the first of the best scores. */
static size_t gate_best(const int64_t *scores, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = scores[i] > scores[best] ? i : best;
    return best;
}

/* Chooses among scores that stand side by side. */
static sotto_status gate_pick(curator *c, const ask_item *item, double rate,
                              const int64_t *scores, size_t count,
                              size_t *place, sotto_error *error)
{
    if (c->policy.without_noise) {
        *place = gate_best(scores, count);
        return SOTTO_OK;
    }
    const mechanism_row *m = mechanism_of(item->noise);
    return m->select ? m->select(c->choices, scores, count, rate, place, error)
                     : error_set(error, SOTTO_FAILED,
                                 "internal error: nothing can be chosen (%s)",
                                 m->price.words);
}

static sotto_status gate_pick_copied(curator *c, const ask_item *item,
                                     double rate, const gate_contest *q,
                                     const int64_t *scores, size_t *place,
                                     sotto_error *error)
{
    size_t bytes = q->count * sizeof *c->copied;
    if (c->copied_bytes < bytes) { /* kept: new pages are slow */
        secret_give(c->copied, c->copied_bytes);
        c->copied = secret_take(bytes);
        c->copied_bytes = c->copied ? bytes : 0;
    }
    if (!c->copied)
        return error_memory(error);
    for (size_t i = 0; i < q->count; i++)
        c->copied[i] = scores[i * q->stride];
    return gate_pick(c, item, rate, c->copied, q->count, place, error);
}

/* From so many scores on, noise is drawn for few of them. The number is public
   and does not depend on how the data are stored. */
enum { GATE_MANY = 4096 };

void gate_scores_changed(curator *c)
{
    if (c->buckets)
        noise_buckets_reset(c->buckets);
}

/* Buckets are kept from one choice to the next while the rate is the same. */
static sotto_status gate_pick_bucket(curator *c, double rate,
                                     const gate_contest *q,
                                     const int64_t *scores, size_t *place,
                                     sotto_error *error)
{
    if (!c->buckets || c->bucket_rate != rate) {
        noise_buckets_close(c->buckets);
        sotto_status status =
            noise_buckets_open(&c->buckets, q->count, q->stride, rate, error);
        if (status != SOTTO_OK)
            return status;
        c->bucket_rate = rate;
        c->bucket_shift = noise_buckets_shift(c->buckets);
    }
    *place = noise_buckets_select(c->choices, c->buckets, scores);
    return SOTTO_OK;
}

/* For scores that are new each time. */
static sotto_status gate_pick_once(curator *c, double rate,
                                   const gate_contest *q, const int64_t *scores,
                                   size_t *place, sotto_error *error)
{
    noise_buckets *buckets;
    sotto_status status =
        noise_buckets_open(&buckets, q->count, q->stride, rate, error);
    if (status != SOTTO_OK)
        return status;
    *place = noise_buckets_select(c->choices, buckets, scores);
    noise_buckets_close(buckets);
    return SOTTO_OK;
}

static sotto_status gate_pick_any(curator *c, const ask_item *item,
                                  const gate_contest *q, const int64_t *scores,
                                  size_t *place, sotto_error *error)
{
    double rate =
        c->policy.without_noise
            ? 0
            : gate_rate(gate_sensitivity(&c->policy, item, c->table->features),
                        gate_drawn_level(item));
    int many = q->count >= GATE_MANY && mechanism_of(item->noise)->in_buckets &&
               !c->policy.without_noise;
    return !many     ? gate_pick_copied(c, item, rate, q, scores, place, error)
           : q->kept ? gate_pick_bucket(c, rate, q, scores, place, error)
                     : gate_pick_once(c, rate, q, scores, place, error);
}

/* Where ranks share the rows: the sums go to the root, which chooses and tells
   the winner's place. Lemma C30. */
static sotto_status gate_choose_ranks(curator *c, const ask_item *item,
                                      const gate_contest *q, size_t *place,
                                      sotto_error *error)
{
    kernel_mode before = kernel_enter();
    int64_t *sums = q->sums(c, q->what);
    kernel_leave(before);
    sotto_status status =
        q->before
            ? ranks_sum_changes(c->ranks, SOTTO_OK, sums, q->before, q->total,
                                q->sums_count, error)
            : ranks_sum_at_root(c->ranks, SOTTO_OK, sums, q->sums_count, error);
    if (status != SOTTO_OK)
        return status;
    if (ranks_is_root(c->ranks)) {
        before = kernel_enter();
        const int64_t *scores = q->scored(c, q->what);
        kernel_leave(before);
        status = gate_pick_any(c, item, q, scores, place, error);
    }
    return ranks_share(c->ranks, status, place, sizeof *place, error);
}

sotto_status gate_choose(curator *c, const gate_contest *q, int64_t *winner,
                         sotto_error *error)
{
    const ask_item *item;
    size_t place = 0;
    int64_t round;
    sotto_status status = gate_charge(c, q->kind, &item, &round, error);
    *winner = 0;
    if (status != SOTTO_OK)
        return status;
    if (c->ranks) {
        status = gate_choose_ranks(c, item, q, &place, error);
    } else {
        kernel_mode before = kernel_enter();
        const int64_t *scores = q->scores(c, q->what);
        kernel_leave(before);
        status = rows_status(c, error);
        if (status == SOTTO_OK)
            status = gate_pick_any(c, item, q, scores, &place, error);
        if (status == SOTTO_OK && c->tape)
            status = tape_choose(c, item, q, scores, &place, error);
    }
    *winner = status == SOTTO_OK ? (int64_t)place : 0;
    return status;
}
