/*
 * Batches: the rows of a question with ASK_SAMPLED. Every person throws a
 * secret coin, fresh for each question and independent of all else. If rows do
 * not say whose they are, every row is a person. A coin belongs to the place
 * of a row or a person, never to what a record says (docs/privacy,
 * Lemma C2).
 */
#include "internal.h"

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
    if (t->rows > UINT32_MAX)
        return error_set(error, SOTTO_DATA, "too many rows");
    if (c->policy.rows_per_person > 1 && c->policy.has_people && !t->unit)
        return error_set(error, SOTTO_FAILED,
                         "the rows do not say whose they are");
    b->people = people_of(t);
    if (!take_memory(b, t))
        return error_memory(error);
    if (t->unit)
        list_rows(b, c);
    return open_coins(c, error);
}

void batch_free(curator *c)
{
    batch *b = &c->batch;
    noise_close(b->coins);
    secret_give(b->memory, b->bytes);
    *b = (batch){0};
}

double curator_rate(double q)
{
    return noise_coin_rate(q);
}

sotto_status batch_draw(curator *c, double rate, sotto_error *error)
{
    batch *b = &c->batch;
    size_t picked;
    uint32_t *who = c->table->unit ? b->picked : b->row;
    b->count = 0;
    sotto_status status =
        noise_picks(b->coins, rate, (size_t)b->people, who, &picked, error);
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
