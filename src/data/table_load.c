/*
 * The secret part of a table's file, piece by piece and block by block, with
 * every checksum compared. Several threads read at once. Which damaged piece is
 * told of is the first that was met: all of them are damage.
 */
#include "table_file.h"

#include <pthread.h>
#include <string.h>

sotto_status table_damaged(const source *s, table_section section,
                           sotto_error *error)
{
    static const char *const name[SECTIONS] = {
        "its description", "its number of rows",   "its targets",
        "its weights",     "its persons' numbers", "its columns",
        "its entries",     "its entries",          "its entries"};
    return error_set(error, SOTTO_DATA,
                     "%s: the table is damaged: a checksum does not fit (%s); "
                     "convert its source again",
                     show_name(source_name(s)).text, name[section]);
}

sotto_status table_look(const table_file *f, size_t at, void *to, size_t size,
                        const char **bytes, sotto_error *error)
{
    size_t got;
    sotto_status status = source_look(f->s, at, to, size, bytes, &got, error);
    if (status == SOTTO_OK && got < size)
        status = error_set(error, SOTTO_DATA,
                           "%s: the table ends too early: it is cut off; "
                           "convert its source again",
                           show_name(source_name(f->s)).text);
    return status;
}

static int sum_fits(table_section section, int64_t number, const char *bytes,
                    size_t size, const char *sum)
{
    unsigned char own[TABLE_SUM];
    table_sum(own, section, (uint64_t)number, bytes, size, NULL, 0);
    return !memcmp(own, sum, TABLE_SUM);
}

/* ---- by all threads ---- */

typedef struct load_job {
    const table_file *f;
    const sotto_table *t;
    table_section section;
    size_t from, size; /* of the section, in bytes */
    char *to;
    int64_t first;       /* piece or block of `count` */
    int64_t next, count; /* to be claimed, by atomic addition */
    pthread_mutex_t lock;
    sotto_status status;
    sotto_error *error;
} load_job;

/* The first failure is the one that is told. */
static void load_failed(load_job *job, sotto_status status,
                        const sotto_error *error)
{
    pthread_mutex_lock(&job->lock);
    if (job->status == SOTTO_OK) {
        job->status = status;
        if (job->error)
            *job->error = *error;
    }
    pthread_mutex_unlock(&job->lock);
    __atomic_store_n(&job->next, job->count, __ATOMIC_RELAXED);
}

static int64_t load_claim(load_job *job)
{
    return __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
}

static sotto_status load_run(load_job *job, void (*work)(void *, int))
{
    pthread_mutex_init(&job->lock, NULL);
    int threads = job->f->threads;
    thread_run(job->count < threads ? (int)job->count : threads, work, job);
    pthread_mutex_destroy(&job->lock);
    return job->status;
}

/* ---- pieces ---- */

/* Looks at a whole piece, for which `room` has room. */
static sotto_status look_at_piece(const load_job *job, int64_t number,
                                  size_t size, char *room, const char **bytes,
                                  sotto_error *error)
{
    size_t at = job->f->layout.at[job->section] +
                (size_t)number * (TABLE_PIECE + TABLE_SUM);
    char sum[TABLE_SUM];
    const char *stored;
    sotto_status status = table_look(job->f, at, room, size, bytes, error);
    if (status == SOTTO_OK)
        status = table_look(job->f, at + size, sum, TABLE_SUM, &stored, error);
    if (status != SOTTO_OK)
        return status;
    return sum_fits(job->section, number, *bytes, size, stored)
               ? SOTTO_OK
               : table_damaged(job->f->s, job->section, error);
}

/* What is wanted of it. A piece at an end of a share has the bytes of other
   ranks, too, and needs a place of its own. */
static sotto_status load_piece(const load_job *job, int64_t number,
                               sotto_error *error)
{
    size_t begin = (size_t)number * TABLE_PIECE;
    size_t left = job->f->layout.bytes[job->section] - begin;
    size_t size = left < TABLE_PIECE ? left : TABLE_PIECE;
    size_t from = begin > job->from ? begin : job->from;
    size_t end = job->from + job->size;
    end = begin + size < end ? begin + size : end;
    char *to = job->to + (from - job->from);
    char *room = end - from == size ? to : mem_map(size);
    const char *bytes;
    if (!room)
        return error_memory(error);
    sotto_status status = look_at_piece(job, number, size, room, &bytes, error);
    if (status == SOTTO_OK && bytes != to)
        memcpy(to, bytes + (from - begin), end - from);
    if (room != to)
        source_drop(room, size, size);
    return status;
}

static void load_some_pieces(void *context, int worker)
{
    load_job *job = context;
    (void)worker;
    for (int64_t i; (i = load_claim(job)) < job->count;) {
        sotto_error error;
        sotto_status status = load_piece(job, job->first + i, &error);
        if (status != SOTTO_OK)
            load_failed(job, status, &error);
    }
}

sotto_status table_load_pieces(const table_file *f, table_section section,
                               size_t from, size_t size, void *to,
                               sotto_error *error)
{
    load_job job = {.f = f,
                    .section = section,
                    .from = from,
                    .size = size,
                    .to = to,
                    .first = (int64_t)(from / TABLE_PIECE),
                    .error = error};
    if (!size)
        return SOTTO_OK;
    job.count = (int64_t)((from + size - 1) / TABLE_PIECE) - job.first + 1;
    return load_run(&job, load_some_pieces);
}

/* ---- blocks ---- */

sotto_status table_load_block(const table_file *f, const sotto_table *t,
                              int64_t number, int checked, char *room,
                              sotto_error *error)
{
    table_block b = table_block_at(&f->layout, number);
    const char *bytes;
    int fits = 1;
    sotto_status status =
        table_look(f, b.at, room, b.bytes + TABLE_SUM, &bytes, error);
    if (status != SOTTO_OK)
        return status;
    if (!checked &&
        !sum_fits(SECTION_COLUMNS, number, bytes, b.bytes, bytes + b.bytes))
        return table_damaged(f->s, SECTION_COLUMNS, error);
    int64_t from = b.from > f->from ? b.from : f->from;
    int64_t end = f->from + f->rows;
    int64_t rows = (b.from + b.rows < end ? b.from + b.rows : end) - from;
    const char *column = bytes + (size_t)(from - b.from) * sizeof(float);
    for (int64_t j = 0; j < t->features; j++) {
        float *to = (float *)t->x + j * t->stride + (from - f->from);
        memcpy(to, column, (size_t)rows * sizeof(float));
        fits &= checked || table_values_fit(t, j, to, rows);
        column += (size_t)b.rows * sizeof(float);
    }
    return fits ? SOTTO_OK : table_damaged(f->s, SECTION_COLUMNS, error);
}

static void load_some_blocks(void *context, int worker)
{
    load_job *job = context;
    size_t bytes = table_block_at(&job->f->layout, 0).bytes + TABLE_SUM;
    char *room = mem_map(bytes);
    sotto_error error;
    (void)worker;
    if (!room)
        load_failed(job, error_memory(&error), &error);
    for (int64_t i; room && (i = load_claim(job)) < job->count;) {
        sotto_status status =
            table_load_block(job->f, job->t, job->first + i, 0, room, &error);
        if (status != SOTTO_OK)
            load_failed(job, status, &error);
    }
    source_drop(room, bytes, bytes);
}

sotto_status table_load_columns(const table_file *f, const sotto_table *t,
                                sotto_error *error)
{
    load_job job = {.f = f,
                    .t = t,
                    .section = SECTION_COLUMNS,
                    .first = f->from / f->layout.block,
                    .error = error};
    if (!f->rows || !f->layout.features)
        return SOTTO_OK;
    job.count = (f->from + f->rows - 1) / f->layout.block - job.first + 1;
    return load_run(&job, load_some_blocks);
}
