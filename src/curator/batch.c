/*
 * Batches: the rows of a question with ASK_SAMPLED. Every person throws a
 * secret coin, fresh for each question and independent of all else. If rows do
 * not say whose they are, every row is a person. A coin belongs to the place
 * of a row or a person, never to what a record says (docs/privacy,
 * Lemma C2).
 *
 * Where ranks share the rows, places are those among all rows, or all people.
 * The root throws all coins and tells every rank which places show 1; each
 * keeps those that it has (Lemma C30).
 */
#include "internal.h"

#include <stdlib.h>

static int64_t people_of(const sotto_table *t)
{
    int64_t people = 0;
    for (int64_t i = 0; t->unit && i < t->rows; i++)
        people = t->unit[i] >= people ? t->unit[i] + 1 : people;
    return t->unit ? people : t->rows;
}

/* Lists the rows of each person, in the order of the file. Rows beyond the
   person's cap have weight 0 and are left out. */
static void list_rows(batch *b, const curator *c)
{
    const sotto_table *t = c->table;
    for (int64_t i = 0; i < t->rows; i++)
        b->start[t->unit[i] + 1] += c->weight[i] != 0;
    for (int64_t k = 0; k < b->people; k++)
        b->start[k + 1] += b->start[k];
    for (int64_t i = 0; i < t->rows; i++)
        if (c->weight[i] != 0)
            b->row_of[b->start[t->unit[i]]++] = (uint32_t)i;
    for (int64_t k = b->people; k > 0;
         k--) /* start[k] is now the end of person k */
        b->start[k] = b->start[k - 1];
    b->start[0] = 0;
}

/* Its people by their number among all. */
static int compare_places(const void *a, const void *b, void *place)
{
    const int64_t *person = place;
    int64_t x = person[*(const uint32_t *)a], y = person[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

static int64_t everyone(const sotto_table *t)
{
    return t->unit ? t->all_people : t->all_rows;
}

static int take_drawn(batch *b, const sotto_table *t)
{
    size_t all = (size_t)everyone(t), own = t->unit ? (size_t)b->people : 0;
    b->drawn_bytes = (all + own) * sizeof *b->drawn + 64;
    b->drawn_memory = secret_take(b->drawn_bytes);
    if (!b->drawn_memory)
        return 0;
    b->drawn = b->drawn_memory;
    b->by_number = b->drawn + all;
    for (size_t k = 0; k < own; k++)
        b->by_number[k] = (uint32_t)k;
    if (own)
        qsort_r(b->by_number, own, sizeof *b->by_number, compare_places,
                t->person);
    return 1;
}

static int take_memory(batch *b, const sotto_table *t)
{
    size_t rows = (size_t)t->rows, people = (size_t)b->people;
    size_t lists = t->unit ? 1 : 0;
    /* 64 bytes more, so that an empty table has an address, too */
    b->bytes = (lists * (people + 1)) * sizeof *b->start +
               (rows + lists * (rows + people)) * sizeof *b->row + 64;
    b->memory = secret_take(b->bytes);
    if (!b->memory)
        return 0;
    b->start = b->memory;
    b->row = (uint32_t *)(b->start + lists * (people + 1));
    b->row_of = b->row + rows;
    b->picked = b->row_of + lists * rows;
    return 1;
}

/* Of the streams of an insecure seed public choices have position 0. */
static sotto_status open_coins(curator *c, sotto_error *error)
{
    return c->policy.insecure
               ? noise_open_insecure(&c->batch.coins, c->policy.seed,
                                     NOISE_SAMPLING, 1, error)
               : noise_open(&c->batch.coins, NOISE_SAMPLING, error);
}

sotto_status batch_make(curator *c, sotto_error *error)
{
    const sotto_table *t = c->table;
    batch *b = &c->batch;
    if (table_all_rows(t) > UINT32_MAX)
        return error_set(error, SOTTO_DATA, "too many rows");
    if (c->policy.rows_per_person > 1 && c->policy.has_people && !t->unit)
        return error_set(error, SOTTO_FAILED,
                         "the rows do not say whose they are");
    b->people = people_of(t);
    if (!take_memory(b, t) || (c->ranks && !take_drawn(b, t)))
        return error_memory(error);
    if (t->unit)
        list_rows(b, c);
    return ranks_is_root(c->ranks) ? open_coins(c, error) : SOTTO_OK;
}

void batch_free(curator *c)
{
    batch *b = &c->batch;
    noise_close(b->coins);
    secret_give(b->memory, b->bytes);
    secret_give(b->drawn_memory, b->drawn_bytes);
    *b = (batch){0};
}

double curator_rate(double q)
{
    return noise_coin_rate(q);
}

/* The first of so many places, in order, that is not before this one. */
static size_t first_from(const uint32_t *place, size_t count, int64_t from)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if ((int64_t)place[middle] < from)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Of the places that show 1, in order, those of rows or people here. */
static size_t keep_own(const batch *b, const sotto_table *t, size_t drawn,
                       uint32_t *who)
{
    size_t picked = 0, at = 0;
    if (!t->unit) {
        size_t end = first_from(b->drawn, drawn, t->first + t->rows);
        for (at = first_from(b->drawn, drawn, t->first); at < end; at++)
            who[picked++] = (uint32_t)((int64_t)b->drawn[at] - t->first);
        return picked;
    }
    for (int64_t k = 0; k < b->people; k++) {
        int64_t number = t->person[b->by_number[k]];
        while (at < drawn && (int64_t)b->drawn[at] < number)
            at++;
        if (at < drawn && (int64_t)b->drawn[at] == number)
            who[picked++] = b->by_number[k];
    }
    return picked;
}

static sotto_status pick_ranks(curator *c, double rate, uint32_t *who,
                               size_t *picked, sotto_error *error)
{
    batch *b = &c->batch;
    size_t drawn = 0;
    sotto_status status = SOTTO_OK;
    *picked = 0;
    if (ranks_is_root(c->ranks))
        status = noise_picks(b->coins, rate, (size_t)everyone(c->table),
                             b->drawn, &drawn, error);
    status = ranks_share(c->ranks, status, &drawn, sizeof drawn, error);
    if (status == SOTTO_OK)
        status = ranks_share(c->ranks, SOTTO_OK, b->drawn,
                             drawn * sizeof *b->drawn, error);
    if (status == SOTTO_OK)
        *picked = keep_own(b, c->table, drawn, who);
    return status;
}

sotto_status batch_draw(curator *c, double rate, sotto_error *error)
{
    batch *b = &c->batch;
    size_t picked;
    uint32_t *who = c->table->unit ? b->picked : b->row;
    b->count = 0;
    sotto_status status = c->ranks
                              ? pick_ranks(c, rate, who, &picked, error)
                              : noise_picks(b->coins, rate, (size_t)b->people,
                                            who, &picked, error);
    if (status == SOTTO_OK && c->tape)
        status = tape_picks(c, who, &picked, error);
    if (status != SOTTO_OK)
        return status;
    if (!c->table->unit) {
        b->count = (int64_t)picked;
        return SOTTO_OK;
    }
    for (size_t k = 0; k < picked; k++)
        for (int64_t i = b->start[who[k]]; i < b->start[who[k] + 1]; i++)
            b->row[b->count++] = b->row_of[i];
    return SOTTO_OK;
}

void batch_block(curator *c, int64_t which, int64_t size)
{
    batch *b = &c->batch;
    int64_t rows = c->table->rows, from = which * size;
    b->count = 0;
    for (int64_t i = from; i < rows && i < from + size; i++)
        b->row[b->count++] = (uint32_t)i;
}
