/*
 * What ranks have made of their rows, in the order of the file at rank 0: for
 * numbers that are no sums of integers (evaluations that are not for release),
 * and for answers, which are written as they come.
 */
#include "gather.h"

#include <string.h>

enum { GATHER_VALUES = 1 << 17 }; /* handed over at once: 1 MB */

/* ---- all of it ---- */

/* This rank's numbers go to rank 0, where *in has those of all ranks. */
static sotto_status gather(sotto_ranks *g, const double *mine, int64_t count,
                           size_t *size, void **in, sotto_error *error)
{
    memset(size, 0, (size_t)g->calls.ranks * sizeof *size);
    size[0] = (size_t)count * sizeof *mine;
    return ranks_exchange(g, SOTTO_OK, mine, size, in, error);
}

sotto_status gather_rows(gathered_rows *out, const sotto_table *t,
                         double *score, int64_t width, sotto_error *error)
{
    sotto_ranks *g = t->ranks;
    *out = (gathered_rows){.table = *t, .score = score, .ranks = g};
    if (!g)
        return SOTTO_OK;
    const double *mine[GATHERED] = {t->y, t->weight, score};
    size_t ranks = (size_t)g->calls.ranks;
    sotto_status status = SOTTO_OK;
    out->size = mem_zeroed(GATHERED * ranks, sizeof *out->size);
    if (!out->size)
        return error_memory(error);
    for (int i = 0; status == SOTTO_OK && i < GATHERED; i++)
        if (mine[i])
            status = gather(g, mine[i], t->rows * (i == 2 ? width : 1),
                            out->size + (size_t)i * ranks, &out->in[i], error);
    out->table.rows = ranks_is_root(g) ? t->all_rows : 0;
    out->table.y = out->in[0];
    out->table.weight = out->in[1];
    out->score = out->in[2];
    return status;
}

void gather_free(gathered_rows *all)
{
    for (int i = 0; all->size && i < GATHERED; i++)
        ranks_forget(all->ranks, all->in[i],
                     all->size + (size_t)i * (size_t)all->ranks->calls.ranks);
    mem_free(all->size);
    all->size = NULL;
}

/* ---- piece by piece ---- */

typedef struct answer_pieces {
    sotto_answer_taker take;
    void *context;
    int64_t width, most; /* values of a row, and of a piece */
    const double *mine;
    int64_t count; /* values here */
} answer_pieces;

static int64_t part_of(const answer_pieces *p, int64_t left)
{
    return left < p->most ? left : p->most;
}

static sotto_status hand_over_mine(const answer_pieces *p, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t at = 0; status == SOTTO_OK && at < p->count; at += p->most)
        status = p->take(p->context, p->mine + at,
                         part_of(p, p->count - at) / p->width, error);
    return status;
}

/* Rank 0 has one piece of another rank at a time. */
static sotto_status hand_over_from(const answer_pieces *p, sotto_ranks *g,
                                   int from, int64_t count, size_t *size,
                                   sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int sends = g->calls.rank == from;
    for (int64_t at = 0; status == SOTTO_OK && at < count; at += p->most) {
        void *in;
        int64_t part = part_of(p, count - at);
        status = gather(g, sends ? p->mine + at : p->mine, sends ? part : 0,
                        size, &in, error);
        if (status == SOTTO_OK && ranks_is_root(g))
            status = p->take(p->context, in, part / p->width, error);
        ranks_forget(g, in, size);
    }
    return status;
}

/* Nothing is handed over before all ranks have their answers. */
static sotto_status hand_over(const answer_pieces *p, sotto_ranks *g,
                              sotto_error *error)
{
    if (!g)
        return hand_over_mine(p, error);
    size_t ranks = (size_t)g->calls.ranks;
    uint64_t *all = mem_zeroed(ranks, sizeof *all);
    size_t *size = mem_zeroed(ranks, sizeof *size);
    sotto_status status =
        all && size ? ranks_each(g, SOTTO_OK, (uint64_t)p->count, all, error)
                    : error_memory(error);
    if (status == SOTTO_OK && ranks_is_root(g))
        status = hand_over_mine(p, error);
    for (int r = 1; status == SOTTO_OK && r < g->calls.ranks; r++)
        status = hand_over_from(p, g, r, (int64_t)all[r], size, error);
    mem_free(all);
    mem_free(size);
    return status;
}

sotto_status sotto_predict_in_order(const sotto_model *m, const sotto_table *t,
                                    sotto_answer what, sotto_answer_taker take,
                                    void *context, sotto_error *error)
{
    int many = m->classes > 2 && what != SOTTO_ANSWER_VALUE;
    answer_pieces p = {
        .take = take, .context = context, .width = many ? m->classes : 1};
    p.most =
        p.width < GATHER_VALUES ? GATHER_VALUES / p.width * p.width : p.width;
    p.count = t->rows * p.width;
    double *answer = mem_zeroed((size_t)p.count, sizeof *answer);
    if (!answer)
        return error_memory(error);
    p.mine = answer;
    sotto_status status = many
                              ? sotto_predict_classes(answer, m, t, what, error)
                              : sotto_predict(answer, m, t, what, error);
    if (status == SOTTO_OK)
        status = hand_over(&p, t->ranks, error);
    mem_free_wiped(answer, (size_t)p.count * sizeof *answer);
    return status;
}
