/*
 * The gradient of a batch (docs/privacy, Lemma C3). The rows of the batch are
 * copied side by side, some at a time. The kernel then makes the same integers
 * of them as of all other rows. No row outside the batch is read.
 */
#include "internal.h"

/* Rows that are gathered at once. The stride is longer, so that the values of
   a row do not all fall into the same set of the cache. */
enum { SAMPLED_ROWS = 512, SAMPLED_STRIDE = SAMPLED_ROWS + 16 };

/* Below this rate the values of a batch in one column are on as many lines of
   the cache as there are values, and a copy of the table by rows pays. */
#define SAMPLED_COPY_BELOW .125

enum { OF_MARGIN, OF_WEIGHT, OF_ONES, OF_ORIGIN, OF_REACH, OF_ALL };

/* Whether all batches are small. The plan says it, which is public. */
static int are_small(const ask_plan *plan)
{
    int small = 1;
    for (int i = 0; i < plan->items; i++)
        if (question_of(plan->item[i].kind)->state == STATE_GATHERED)
            small &= plan->item[i].noise == ASK_SAMPLED &&
                     plan->item[i].rate < SAMPLED_COPY_BELOW;
    return small;
}

/* Copies a few rows at a time, all of their columns. */
static int copy_by_rows(curator *c)
{
    gathered *g = &c->gathered;
    int64_t rows = c->table->rows, columns = c->table->features;
    g->all_bytes = (size_t)(rows * columns + 1) * sizeof *g->all;
    g->all = secret_take(g->all_bytes);
    if (!g->all)
        return 0;
    for (int64_t from = 0; from < rows; from += 16)
        for (int64_t j = 0; j < columns; j++)
            for (int64_t i = from; i < from + 16 && i < rows; i++)
                g->all[i * columns + j] = c->value[j][i];
    return 1;
}

sotto_status sampled_make(curator *c, sotto_error *error)
{
    gathered *g = &c->gathered;
    int64_t columns = c->table->sparse ? 0 : c->table->features;
    size_t floats = OF_ALL * SAMPLED_ROWS + (size_t)columns * SAMPLED_STRIDE;
    g->bytes = floats * sizeof *g->x;
    g->memory = secret_take(g->bytes);
    g->value = mem_zeroed((size_t)columns + 1, sizeof *g->value);
    if (!g->memory || !g->value)
        return error_memory(error);
    for (int i = 0; i < OF_ALL; i++)
        g->row[i] = (float *)g->memory + i * SAMPLED_ROWS;
    g->x = g->row[0] + OF_ALL * SAMPLED_ROWS;
    for (int64_t j = 0; j < columns; j++)
        g->value[j] = g->x + j * SAMPLED_STRIDE;
    g->value[columns] = g->row[OF_ONES];
    if (columns && are_small(&c->plan) && !copy_by_rows(c))
        return error_memory(error);
    return SOTTO_OK;
}

void sampled_free(curator *c)
{
    gathered *g = &c->gathered;
    secret_give(g->memory, g->bytes);
    secret_give(g->all, g->all_bytes);
    mem_free(g->value);
    *g = (gathered){0};
}

static void gather(float *to, const float *from, const uint32_t *row,
                   int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = from[row[k]];
}

/* The features of a dense table. */
static void gather_columns(curator *c, const uint32_t *row, int64_t count)
{
    gathered *g = &c->gathered;
    int64_t columns = c->table->features;
    for (int64_t j = 0; !g->all && j < columns; j++)
        gather((float *)g->value[j], c->value[j], row, count);
    for (int64_t k = 0; g->all && k < count; k++)
        for (int64_t j = 0; j < columns; j++)
            g->x[j * SAMPLED_STRIDE + k] = g->all[row[k] * columns + j];
}

/* After the last row there is what earlier rows left. Without reach that adds
   0. */
static int64_t gather_rows(curator *c, const uint32_t *row, int64_t count)
{
    gathered *g = &c->gathered;
    int64_t padded = (count + 63) / 64 * 64;
    gather(g->row[OF_ONES], c->ones, row, count);
    gather(g->row[OF_ORIGIN], c->origin, row, count);
    gather(g->row[OF_REACH], c->reach, row, count);
    if (c->weight)
        gather(g->row[OF_WEIGHT], c->weight, row, count);
    for (int64_t k = count; k < padded; k++)
        g->row[OF_REACH][k] = 0;
    if (!c->table->sparse)
        gather_columns(c, row, count);
    return padded;
}

/* Margins are computed from the iterate, in the order of columns. */
void sampled_sum(curator *c, const float *anchor, float factor, int64_t *out)
{
    gathered *g = &c->gathered;
    kernel_ball ball = gradient_ball(c);
    kernel_rows rows = c->rows;
    ball.factor = factor;
    ball.at = c->at;
    ball.anchor = anchor;
    ball.origin = g->row[OF_ORIGIN];
    ball.reach = g->row[OF_REACH];
    ball.ones = ball.ones ? g->row[OF_ONES] : NULL;
    ball.value = ball.value ? g->value : NULL;
    rows.margin = g->row[OF_MARGIN];
    rows.weight = c->weight ? g->row[OF_WEIGHT] : NULL;
    for (int64_t from = 0; from < c->batch.count; from += SAMPLED_ROWS) {
        int64_t left = c->batch.count - from;
        rows.rows = left < SAMPLED_ROWS ? left : SAMPLED_ROWS;
        ball.row = c->batch.row + from;
        rows.padded = gather_rows(c, ball.row, rows.rows);
        c->kernel->gradient(&rows, &ball, 0, rows.padded, out);
    }
}
