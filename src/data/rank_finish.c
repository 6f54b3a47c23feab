/*
 * What the tables of all ranks have to know of each other.
 */
#include "rank.h"

#include <string.h>

/* ---- classes that nobody declared ---- */

/* The first place is the largest word: of the first rank that has one, and
   there the first line. */
static uint64_t word_of(const sotto_ranks *g, int64_t line)
{
    uint64_t most = (uint64_t)1 << 40, at = (uint64_t)line;
    return line ? (uint64_t)(g->calls.ranks - g->calls.rank) * most + most - 1 -
                      (at < most ? at : most - 1)
                : 0;
}

sotto_status rank_classes(const column_plan *p, int64_t minus, int64_t zero,
                          int *any_zero, int *last, sotto_error *error)
{
    uint64_t own[2] = {word_of(p->ranks, minus), word_of(p->ranks, zero)};
    uint64_t all[2] = {own[0], own[1]};
    sotto_status status = ranks_most(p->ranks, SOTTO_OK, all, 2, error);
    uint64_t later = all[0] < all[1] ? all[0] : all[1];
    *any_zero = all[1] > 0;
    *last = !later ? 0 : own[0] == later ? 1 : own[1] == later ? 2 : 0;
    return status;
}

/* ---- how many ---- */

sotto_status rank_features(sotto_table *t, const column_plan *p,
                           sotto_error *error)
{
    uint64_t features = (uint64_t)t->features;
    sotto_status status = ranks_most(p->ranks, SOTTO_OK, &features, 1, error);
    t->features = (int64_t)features;
    if (status == SOTTO_OK && plan_counts_dropped(p))
        status = ranks_sum(p->ranks, SOTTO_OK, &t->dropped, 1, error);
    return status;
}

sotto_status rank_places(sotto_table *t, const column_plan *p,
                         const block *first, sotto_error *error)
{
    uint64_t before, all;
    sotto_status status = ranks_before(p->ranks, SOTTO_OK, (uint64_t)t->rows,
                                       &before, &all, error);
    if (status != SOTTO_OK)
        return status;
    t->ranks = p->ranks;
    t->first = (int64_t)before;
    t->all_rows = (int64_t)all;
    return p->has_unit ? rank_people(t, p, first, error) : SOTTO_OK;
}

/* ---- remarks ---- */

/* In the order of the numbers. */
static uint64_t word_of_number(double x)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static double number_of_word(uint64_t word)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits = word & sign ? word & ~sign : ~word;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

sotto_status rank_merge_ranges(const column_plan *p, column_range *range,
                               int *spans, sotto_error *error)
{
    int64_t features = range ? p->features : 0;
    uint64_t *word = mem_zeroed((size_t)(3 * features) + 1, sizeof *word);
    if (!word)
        return error_memory(error);
    for (int64_t j = 0; j < features; j++) {
        word[3 * j] = word_of_number(-range[j].low);
        word[3 * j + 1] = word_of_number(range[j].high);
        word[3 * j + 2] = word_of_number(range[j].lost);
    }
    word[3 * features] = (uint64_t)*spans;
    sotto_status status =
        ranks_most(p->ranks, SOTTO_OK, word, (size_t)(3 * features) + 1, error);
    for (int64_t j = 0; status == SOTTO_OK && j < features; j++)
        range[j] = (column_range){-number_of_word(word[3 * j]),
                                  number_of_word(word[3 * j + 1]),
                                  number_of_word(word[3 * j + 2])};
    *spans = word[3 * features] != 0;
    mem_free_wiped(word, ((size_t)(3 * features) + 1) * sizeof *word);
    return status;
}
