/*
 * The table of a private evaluation: what a model makes of each record stands
 * where the features were.
 */
#include "block.h"

#include <assert.h>

/* Weights of 1, for a record without a score has 0; 0: out of memory. */
static int give_weights(sotto_table *t)
{
    if (t->weight)
        return 1;
    t->weight = mem_zeroed((size_t)t->rows, sizeof *t->weight);
    for (int64_t i = 0; t->weight && i < t->rows; i++)
        t->weight[i] = 1;
    return t->weight != NULL;
}

static int give_columns(sotto_table *t, int64_t columns)
{
    size_t count;
    t->features = columns;
    t->stride = block_stride(t->rows);
    if (!size_multiply((size_t)columns, (size_t)t->stride, &count) ||
        !size_multiply(count + 1, sizeof(float), &t->x_bytes))
        return 0;
    t->x = mem_map(t->x_bytes);
    return t->x != NULL;
}

/* What stays belongs to the new table alone. */
static void move_rest(sotto_table *to, sotto_table *from)
{
    *to = (sotto_table){.rows = from->rows,
                        .read_privately = from->read_privately,
                        .drops_rows = from->drops_rows,
                        .dropped = from->dropped,
                        .counted = from->counted,
                        .weight_bound = from->weight_bound,
                        .y = from->y,
                        .weight = from->weight,
                        .unit = from->unit,
                        .unit_name = from->unit_name,
                        .target_half = 1,
                        .ranks = from->ranks,
                        .first = from->first,
                        .all_rows = from->all_rows,
                        .people = from->people,
                        .person = from->person,
                        .person_before = from->person_before,
                        .all_people = from->all_people,
                        .booking = from->booking,
                        .free_booking = from->free_booking};
    from->y = from->weight = NULL;
    from->unit = from->person = from->person_before = NULL;
    from->unit_name = NULL;
    from->booking = NULL;
}

sotto_status table_make_outcomes(sotto_table **table, int64_t columns,
                                 sotto_error *error)
{
    sotto_table *from = *table;
    sotto_table *to = mem_zeroed(1, sizeof *to);
    assert(from->levels.columns == 0);
    if (!to)
        return error_memory(error);
    move_rest(to, from);
    sotto_table_free(from);
    *table = to;
    return give_columns(to, columns) && give_weights(to) ? SOTTO_OK
                                                         : error_memory(error);
}
