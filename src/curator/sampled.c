/*
 * The gradient of a batch (docs/privacy, Lemma C3). The rows of the batch are
 * copied side by side, some at a time. The kernel then makes the same integers
 * of them as of all other rows. No row outside the batch is read.
 */
#include "internal.h"

/* Below this rate the values of a batch in one column are on as many lines of
   the cache as there are values, and a copy of the table by rows pays. */
#define SAMPLED_COPY_BELOW .125

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

sotto_status sampled_make(curator *c, sotto_error *error)
{
    return gathered_make(c, are_small(&c->plan), error);
}

static void gather(float *to, const float *from, const uint32_t *row,
                   int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = from[row[k]];
}

/* The features of a dense table. */
static void gather_columns(const curator *c, gathered_room *room,
                           const uint32_t *row, int64_t count)
{
    const gathered *g = &c->gathered;
    int64_t columns = c->table->features;
    if (g->all)
        gathered_turn(c, room, row, count);
    for (int64_t j = 0; !g->all && j < columns; j++)
        gather(room->x + j * g->stride, c->value[j], row, count);
}

/* After the last row there is what earlier rows left. Without reach that adds
   0. */
static int64_t gather_rows(const curator *c, gathered_room *room,
                           const uint32_t *row, int64_t count)
{
    int64_t padded = (count + 63) / 64 * 64;
    gather(room->row[OF_ONES], c->ones, row, count);
    gather(room->row[OF_ORIGIN], c->origin, row, count);
    gather(room->row[OF_REACH], c->reach, row, count);
    if (c->weight)
        gather(room->row[OF_WEIGHT], c->weight, row, count);
    for (int64_t k = count; k < padded; k++)
        room->row[OF_REACH][k] = 0;
    if (!c->table->sparse)
        gather_columns(c, room, row, count);
    return padded;
}

/* What is asked of the rows in a room. */
static kernel_ball room_ball(const gathered_room *room,
                             const kernel_ball *asked)
{
    kernel_ball ball = *asked;
    ball.origin = room->row[OF_ORIGIN];
    ball.reach = room->row[OF_REACH];
    ball.ones = ball.ones ? room->row[OF_ONES] : NULL;
    ball.value = ball.value ? room->value : NULL;
    return ball;
}

/* Rows [from, to) of the batch. */
static void sum_part(const curator *c, const void *what, int64_t from,
                     int64_t to, int64_t *sum)
{
    gathered_room *room = gathered_take(c);
    kernel_ball ball = room_ball(room, what);
    kernel_rows rows = c->rows;
    int64_t most = c->gathered.rows;
    rows.margin = room->row[OF_MARGIN];
    rows.weight = c->weight ? room->row[OF_WEIGHT] : NULL;
    for (int64_t i = from; i < to; i += most) {
        rows.rows = to - i < most ? to - i : most;
        ball.row = c->batch.row + i;
        rows.padded = gather_rows(c, room, ball.row, rows.rows);
        c->kernel->gradient(&rows, &ball, 0, rows.padded, sum);
    }
    gathered_give(room);
}

/* Margins are computed from the iterate, in the order of columns. */
void sampled_sum(curator *c, const float *anchor, float factor, int64_t *out)
{
    kernel_ball ball = gradient_ball(c);
    ball.factor = factor;
    ball.at = c->at;
    ball.anchor = anchor;
    gathered_sum(c, sum_part, &ball, (size_t)ball.columns, out);
}
