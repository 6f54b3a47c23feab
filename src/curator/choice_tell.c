/*
 * How coordinates are compared, as a solver tells it. What choices need is
 * made here, and wiped when something else is told.
 */
#include "choice.h"

#include <math.h>

/* The longest row or column: scratch memory has to hold it. */
static size_t longest(const table_entries *e, int64_t groups)
{
    int64_t most = 1;
    for (int64_t i = 0; e->start && i < groups; i++)
        if (e->start[i + 1] - e->start[i] > most)
            most = e->start[i + 1] - e->start[i];
    return (size_t)most;
}

static int choice_memory(curator *c)
{
    choice *k = c->choice;
    const table_entries *e = &c->table->by_row;
    k->cell_bytes = (size_t)k->cells * sizeof *k->cell;
    k->cell = secret_take(k->cell_bytes);
    k->sum_bytes = (size_t)k->cells * sizeof *k->sum;
    k->sum = secret_take(k->sum_bytes);
    k->all = c->ranks ? secret_take(k->sum_bytes) : NULL;
    k->scored = k->all ? k->all : k->sum;
    int others = ask_planned(&c->plan, ASK_VERTEX) > 0; /* of some features */
    k->sent = c->ranks && !others ? secret_take(k->sum_bytes) : NULL;
    k->mark = mem_zeroed((size_t)k->cells, sizeof *k->mark);
    k->change_bytes = longest(e, c->table->rows) * sizeof *k->change;
    k->change = secret_take(k->change_bytes);
    k->slope_bytes =
        longest(&c->table->by_column, k->features) * sizeof *k->slope;
    k->slope = secret_take(k->slope_bytes);
    if (ask_planned(&c->plan, ASK_VERTEX)) {
        k->vertex_bytes = 2 * (size_t)k->cells * sizeof *k->vertex;
        k->vertex = secret_take(k->vertex_bytes);
    }
    if (c->table->sparse) { /* one more, so that a table without entries has an
                               address */
        k->part_bytes =
            ((size_t)e->start[c->table->rows] + 1) * sizeof *k->part;
        k->part = secret_take(k->part_bytes);
    }
    return k->cell && k->sum && (k->all || !c->ranks) &&
           (k->sent || !c->ranks || others) && k->mark && k->change &&
           k->slope && (k->part || !c->table->sparse) &&
           (k->vertex || !k->vertex_bytes);
}

/* Copies the arrays of the caller, who may free them. */
static sotto_status take_arrays(choice *k, const curator *c,
                                const ask_scores *s, sotto_error *error)
{
    size_t count = (size_t)k->cells;
    if (!k->distance)
        k->smoothness = mem_zeroed(count, sizeof *k->smoothness);
    if (s->clip)
        k->own = mem_zeroed(count, sizeof *k->own);
    if ((!k->distance && !k->smoothness) || (s->clip && !k->own))
        return error_memory(error);
    for (int64_t j = 0; !k->distance && j < k->cells; j++)
        k->smoothness[j] = s->smoothness[j];
    for (int64_t j = 0; s->clip && j < k->cells; j++)
        k->own[j] = (float)(KERNEL_CLIP / s->clip[j]);
    k->factor = s->clip ? k->own : c->factor;
    ranks_note(c->ranks, k->factor, count * sizeof *k->factor);
    for (int64_t j = 0; j < k->cells; j++)
        if (!(k->factor[j] > 0) || !isnormal(k->factor[j]))
            return error_set(error, SOTTO_USAGE,
                             "--clip: expected thresholds that a float can "
                             "hold, above 0");
    return SOTTO_OK;
}

/* x f, with the same multiplication as in the kernels. */
static void fill_parts(curator *c)
{
    choice *k = c->choice;
    const table_entries *e = &c->table->by_row;
    const float *value = e->value;
    if (!k->part)
        return;
    kernel_mode before = kernel_enter();
    for (int64_t n = 0; n < e->start[c->table->rows]; n++)
        k->part[n] = value[n] * k->factor[e->index[n]];
    kernel_leave(before);
}

/* Lemma C8 (no score changes by more than its sum) needs these. */
static int are_sound(const ask_scores *s, int64_t cells)
{
    int steps = s->rule == ASK_GS_R || s->rule == ASK_GS_Q;
    if (!steps && s->rule != ASK_UNTRUNCATED && s->rule != ASK_GS_S)
        return 0;
    if (!(s->l1 >= 0 && isfinite(s->l1) && s->l2 >= 0 && isfinite(s->l2) &&
          s->low <= s->high))
        return 0;
    if (steps && !s->smoothness)
        return 0;
    for (int64_t j = 0; steps && j < cells; j++)
        if (!(s->smoothness[j] > 0 && isfinite(s->smoothness[j])))
            return 0;
    return 1;
}

static sotto_status make_choice(curator *c, const ask_scores *s,
                                sotto_error *error)
{
    choice *k = c->choice = mem_zeroed(1, sizeof *k);
    if (!k)
        return error_memory(error);
    *k = (choice){.rule = s->rule,
                  .l1 = s->l1,
                  .l2 = s->l2,
                  .low = s->low,
                  .high = s->high,
                  .features = c->table->features,
                  .cells = c->table->features + c->policy.intercept,
                  .fresh = s->fresh,
                  .distance = s->rule == ASK_UNTRUNCATED || s->rule == ASK_GS_S,
                  .boxed = !isinf(s->low) || !isinf(s->high)};
    sotto_status status = take_arrays(k, c, s, error);
    if (status != SOTTO_OK)
        return status;
    if (!choice_memory(c))
        return error_memory(error);
    fill_parts(c);
    return SOTTO_OK;
}

sotto_status curator_tell_scores(curator *c, const ask_scores *s,
                                 sotto_error *error)
{
    choice_free(c);
    curator_catch_up(c);
    ranks_note_number(c->ranks, s->l1);
    ranks_note_number(c->ranks, s->l2);
    if (c->kept || !are_sound(s, c->table->features + c->policy.intercept))
        return error_set(
            error, SOTTO_USAGE,
            "scores: expected columns, a known rule, finite penalties from "
            "0 on, a box whose ends are in order, and (gs-r, "
            "gs-q) finite smoothness above 0");
    sotto_status status = make_choice(c, s, error);
    if (status != SOTTO_OK) /* either all of the scores or none */
        choice_free(c);
    return status;
}

void choice_free(curator *c)
{
    choice *k = c->choice;
    gate_scores_changed(c);
    if (!k)
        return;
    secret_give(k->sum, k->sum_bytes);
    secret_give(k->all, k->sum_bytes);
    secret_give(k->sent, k->sum_bytes);
    secret_give(k->cell, k->cell_bytes);
    secret_give(k->part, k->part_bytes);
    secret_give(k->change, k->change_bytes);
    secret_give(k->slope, k->slope_bytes);
    secret_give(k->vertex, k->vertex_bytes);
    mem_free(k->mark);
    mem_free(k->weight);
    mem_free(k->own);
    mem_free(k->smoothness);
    mem_wipe(k, sizeof *k);
    mem_free(k);
    c->choice = NULL;
}
