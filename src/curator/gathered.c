/*
 * Rows of a batch side by side, some at a time: rooms for them, one for each
 * thread, and the copy of a dense table by rows that they are taken from where
 * batches are small. What is there is a secret, and is wiped.
 */
#include "internal.h"

#include <stdlib.h>

/* Rows that are gathered at once: so many that they fit a cache. The stride is
   longer, so that the values of a row do not all fall into the same set of
   it. */
enum { GATHERED_LEAST = 64, GATHERED_VALUES = 1 << 18 };

/* A row of many features is shared among threads as if it were so many. */
enum { GATHERED_MANY = 16 };

/* ---- the copy by rows ---- */

static void copy_part(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    enum { AT_ONCE = 16 };
    int64_t columns = c->table->features;
    const float *line[AT_ONCE];
    (void)what;
    (void)sum;
    for (int64_t i = from; i < to; i += 64)
        for (int64_t j = 0; j < columns; j += AT_ONCE) {
            int64_t lines = columns - j < AT_ONCE ? columns - j : AT_ONCE;
            for (int64_t k = 0; k < lines; k++)
                line[k] = c->value[j + k] + i;
            kernel_turn(line, lines, to - i < 64 ? to - i : 64,
                        c->gathered.all + i * columns + j, columns);
        }
}

static int copy_by_rows(curator *c)
{
    gathered *g = &c->gathered;
    int64_t rows = c->table->rows, columns = c->table->features;
    size_t values;
    if (!size_multiply((size_t)rows, (size_t)columns, &values) ||
        !size_multiply(values + 1, sizeof *g->all, &g->all_bytes))
        return 0;
    g->all = secret_take(g->all_bytes);
    if (!g->all)
        return 0;
    rows_sum(c, rows, copy_part, NULL, 0, NULL);
    return 1;
}

/* ---- rooms ---- */

/* The places of one room, from `at` on. */
static void lay_out(gathered *g, gathered_room *room, int64_t columns,
                    float *at, const float **value)
{
    for (int i = 0; i < OF_ALL; i++)
        room->row[i] = at + i * g->rows;
    room->x = at + OF_ALL * g->rows;
    room->value = value;
    for (int64_t j = 0; j < columns; j++)
        value[j] = room->x + j * g->stride;
    value[columns] = room->row[OF_ONES];
    atomic_flag_clear(&room->taken);
}

static int make_rooms(curator *c, int64_t columns)
{
    gathered *g = &c->gathered;
    int64_t rows = GATHERED_VALUES / (columns + 1) / 64 * 64;
    g->rooms = c->pool && c->policy.threads > 1 ? c->policy.threads : 1;
    g->rows = rows < GATHERED_LEAST  ? GATHERED_LEAST
              : rows > GATHERED_MOST ? GATHERED_MOST
                                     : rows;
    g->stride = g->rows + 16;
    size_t floats = (size_t)(OF_ALL * g->rows + columns * g->stride);
    size_t rooms = (size_t)g->rooms;
    g->bytes = rooms * floats * sizeof(float);
    g->memory = secret_take(g->bytes);
    g->room = mem_zeroed(rooms, sizeof *g->room);
    g->value = mem_zeroed(rooms * (size_t)(columns + 1), sizeof *g->value);
    if (!g->memory || !g->room || !g->value)
        return 0;
    for (int i = 0; i < g->rooms; i++)
        lay_out(g, &g->room[i], columns,
                (float *)g->memory + (size_t)i * floats,
                g->value + i * (columns + 1));
    return 1;
}

sotto_status gathered_make(curator *c, int by_rows, sotto_error *error)
{
    gathered *g = &c->gathered;
    int64_t columns = c->table->sparse ? 0 : c->table->features;
    if (!g->room && !make_rooms(c, columns))
        return error_memory(error);
    if (columns && by_rows && !c->windows && !g->all && !copy_by_rows(c))
        return error_memory(error);
    return SOTTO_OK;
}

void gathered_free(curator *c)
{
    gathered *g = &c->gathered;
    secret_give(g->memory, g->bytes);
    secret_give(g->all, g->all_bytes);
    mem_free(g->room);
    mem_free(g->value);
    *g = (gathered){0};
}

/* There are as many as there can be threads. */
gathered_room *gathered_take(const curator *c)
{
    const gathered *g = &c->gathered;
    for (int i = 0;; i = (i + 1) % g->rooms)
        if (!atomic_flag_test_and_set(&g->room[i].taken))
            return &g->room[i];
}

void gathered_give(gathered_room *room)
{
    atomic_flag_clear(&room->taken);
}

/* ---- rows ---- */

/* Sends for the beginnings of rows: they lie far apart. Inline, because
   compilers leave out a call that computes nothing. */
static inline __attribute__((always_inline)) void
send_for(const float *all, int64_t columns, const uint32_t *row, int64_t count)
{
    int64_t most = columns < 256 ? columns : 256;
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < most + 15; j += 16)
            __builtin_prefetch(all + row[k] * columns + j);
}

/* Some rows are turned while the next are on their way. */
void gathered_turn(const curator *c, gathered_room *room, const uint32_t *row,
                   int64_t count)
{
    enum { AT_ONCE = 16 };
    const gathered *g = &c->gathered;
    int64_t columns = c->table->features;
    const float *line[AT_ONCE];
    for (int64_t from = 0; from < count; from += AT_ONCE) {
        int64_t left = count - from, some = left < AT_ONCE ? left : AT_ONCE;
        int64_t next = left - some < AT_ONCE ? left - some : AT_ONCE;
        send_for(g->all, columns, row + from + some, next);
        for (int64_t k = 0; k < some; k++)
            line[k] = g->all + row[from + k] * columns;
        kernel_turn(line, some, columns, room->x + from, g->stride);
    }
}

/* ---- all rows of a batch ---- */

typedef struct batch_job {
    rows_part *part;
    const void *what;
    int64_t places; /* that are a row */
} batch_job;

static void batch_places(const curator *c, const void *what, int64_t from,
                         int64_t to, int64_t *sum)
{
    const batch_job *job = what;
    job->part(c, job->what, from / job->places, to / job->places, sum);
}

/* ---- of rows that are on a disk ---- */

static int compare_rows(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* How many rows of the batch, which are in order, come before this one. */
static int64_t places_before(const batch *b, int64_t row)
{
    int64_t from = 0, to = b->count;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if ((int64_t)b->row[middle] < row)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Those of the batch among rows [from, to). */
static void batch_rows(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    const batch_job *job = what;
    int64_t first = places_before(&c->batch, from);
    int64_t end = places_before(&c->batch, to);
    if (first < end)
        job->part(c, job->what, first, end, sum);
}

void gathered_sum(const curator *c, rows_part *part, const void *what,
                  size_t sums, int64_t *out)
{
    batch_job job = {part, what, 1};
    if (c->windows) {
        qsort(c->batch.row, (size_t)c->batch.count, sizeof *c->batch.row,
              compare_rows);
        rows_walk(c, NEEDS_COLUMNS, c->table->rows, batch_rows, &job, sums,
                  out);
        return;
    }
    if (c->table->features >= GATHERED_MANY)
        job.places = GATHERED_MANY;
    rows_sum(c, c->batch.count * job.places, batch_places, &job, sums, out);
}
