/*
 * A table from a disk: its description first, which is public; then whoever
 * trains is told of the shape and books the run; then the rows. Nothing is
 * parsed. That the file has the length that its head says is looked at before:
 * one that has not is damaged, whatever its records are.
 */
#include "block.h"
#include "rank.h"
#include "table_file.h"

#include <string.h>

static sotto_status refuse(const source *s, const char *what,
                           sotto_error *error)
{
    return error_set(error, SOTTO_DATA, "%s: %s",
                     show_name(source_name(s)).text, what);
}

/* ---- the head ---- */

static sotto_status check_head(const source *s, const table_head *head,
                               int64_t bytes, sotto_error *error)
{
    const uint32_t order = 0x01020304u;
    if (memcmp(head->mark, TABLE_MARK, sizeof head->mark))
        return refuse(s,
                      "this is not a table; expected a file that 'sotto "
                      "convert' wrote",
                      error);
    if (head->order == __builtin_bswap32(order))
        return refuse(s,
                      "the table is from a machine with another order of "
                      "bytes: convert its source here",
                      error);
    if (head->version != TABLE_VERSION)
        return error_set(error, SOTTO_DATA,
                         "%s: a table of version %lu; this sotto reads version "
                         "%d: convert its source again",
                         show_name(source_name(s)).text,
                         (unsigned long)head->version, TABLE_VERSION);
    if (head->order != order || head->public_bytes > TABLE_PUBLIC)
        return table_damaged(s, SECTION_HEAD, error);
    if (head->bytes != (uint64_t)bytes)
        return error_set(error, SOTTO_DATA,
                         "%s: expected %llu bytes, found %lld: the table is "
                         "cut off or damaged; convert its source again",
                         show_name(source_name(s)).text,
                         (unsigned long long)head->bytes, (long long)bytes);
    return SOTTO_OK;
}

static sotto_status take_head(source *s, table_head *head, sotto_error *error)
{
    size_t got;
    if (!source_is_random(s))
        return refuse(s,
                      "a table is read from a file as it is; expected one "
                      "that is neither stdin nor compressed",
                      error);
    int64_t bytes = source_left(s);
    memset(head, 0, sizeof *head);
    sotto_status status = source_take(s, head, sizeof *head, &got, error);
    return status == SOTTO_OK ? check_head(s, head, bytes, error) : status;
}

static sotto_status take_shape(sotto_table **out, source *s,
                               const table_head *head, char *bytes,
                               sotto_error *error)
{
    unsigned char sum[TABLE_SUM];
    size_t size = (size_t)head->public_bytes, got;
    sotto_status status = source_take(s, bytes, size, &got, error);
    if (status != SOTTO_OK)
        return status;
    table_sum(sum, SECTION_HEAD, 0, head, offsetof(table_head, sum), bytes,
              got);
    if (got < size || memcmp(sum, head->sum, TABLE_SUM))
        return table_damaged(s, SECTION_HEAD, error);
    return table_take_public(out, source_name(s), bytes, size, error);
}

/* Its sum is that of all that is public, where runs are booked among it. */
static sotto_status read_shape_of(sotto_table **out, source *s, sotto_ranks *g,
                                  sotto_error *error)
{
    table_head head;
    *out = NULL;
    sotto_status status = take_head(s, &head, error);
    if (status != SOTTO_OK)
        return status;
    char *bytes = mem_zeroed((size_t)head.public_bytes, 1);
    status =
        bytes ? take_shape(out, s, &head, bytes, error) : error_memory(error);
    if (g)
        ranks_note(g, head.sum, sizeof head.sum);
    mem_free(bytes);
    return status;
}

/* ---- the rows ---- */

static sotto_status take_row_head(table_file *f, const sotto_table *t,
                                  sotto_error *error)
{
    table_row_head head;
    unsigned char sum[TABLE_SUM];
    const char *bytes;
    size_t left = (size_t)source_left(f->s);
    sotto_status status = table_look(f, 0, &head, sizeof head, &bytes, error);
    if (status != SOTTO_OK)
        return status;
    memmove(&head, bytes, sizeof head);
    table_sum(sum, SECTION_ROWS, 0, &head, offsetof(table_row_head, sum), NULL,
              0);
    if (memcmp(sum, head.sum, TABLE_SUM) ||
        !table_lay_out(&f->layout, t, &head) || f->layout.end != left)
        return table_damaged(f->s, SECTION_ROWS, error);
    return SOTTO_OK;
}

/* What goes with each row, in the place of what a table without rows had. */
static int room_for_rows(sotto_table *t, int64_t rows)
{
    size_t count = (size_t)rows;
    void **vector[] = {(void **)&t->y, (void **)&t->weight, (void **)&t->unit};
    for (int i = 0; i < 3; i++) {
        if (!*vector[i])
            continue;
        mem_free(*vector[i]);
        *vector[i] = mem_zeroed(count, sizeof(double));
        if (!*vector[i])
            return 0;
    }
    t->rows = rows;
    return 1;
}

/* The rows of a rank: whole blocks where columns stay on the disk, so that
   windows are whole blocks, too. */
static void take_share(table_file *f, sotto_table *t, sotto_ranks *g)
{
    const table_layout *l = &f->layout;
    int64_t unit = t->on_disk ? l->block : 1, end;
    f->from = 0;
    f->rows = l->rows;
    if (!g)
        return;
    rank_rows(g, (l->rows + unit - 1) / unit, &f->from, &f->rows);
    end = (f->from + f->rows) * unit;
    f->from = f->from * unit < l->rows ? f->from * unit : l->rows;
    f->rows = (end < l->rows ? end : l->rows) - f->from;
    t->ranks = g;
    t->first = f->from;
    t->all_rows = l->rows;
    ranks_note(g, &l->rows, sizeof l->rows);
    ranks_note(g, &l->entries, sizeof l->entries);
}

/* Ranks must read one table: of two, a record may be in two shares, and a
   person's number may be another's. Equal checksums are equal rows. */
static sotto_status note_sums(const table_file *f, sotto_ranks *g,
                              sotto_error *error)
{
    unsigned char sum[TABLE_SUM];
    const char *bytes;
    sotto_status status = SOTTO_OK;
    for (int s = SECTION_TARGET; g && s < SECTIONS; s++)
        for (int64_t k = 0;
             k < table_sums(&f->layout, (table_section)s) && status == SOTTO_OK;
             k++) {
            status =
                table_look(f, table_sum_at(&f->layout, (table_section)s, k),
                           sum, sizeof sum, &bytes, error);
            if (status == SOTTO_OK)
                ranks_note(g, bytes, TABLE_SUM);
        }
    return status;
}

/* What goes with each row has eight bytes of a section. */
static sotto_status load_numbers(const table_file *f, table_section section,
                                 void *to, sotto_error *error)
{
    return to ? table_load_pieces(f, section, (size_t)f->from * sizeof(double),
                                  (size_t)f->rows * sizeof(double), to, error)
              : SOTTO_OK;
}

/* A person may have rows at several ranks. */
static sotto_status load_persons(const table_file *f, sotto_table *t,
                                 sotto_error *error)
{
    int fits = 1;
    sotto_status status = load_numbers(f, SECTION_PERSONS, t->unit, error);
    if (status == SOTTO_OK && t->unit && t->ranks)
        status = rank_numbered_people(t, &fits, error);
    return fits ? status : table_damaged(f->s, SECTION_PERSONS, error);
}

static sotto_status load_rows(const table_file *f, sotto_table *t,
                              sotto_error *error)
{
    if (!room_for_rows(t, f->rows))
        return error_memory(error);
    sotto_status status = load_numbers(f, SECTION_TARGET, t->y, error);
    if (status == SOTTO_OK)
        status = load_numbers(f, SECTION_WEIGHTS, t->weight, error);
    if (status == SOTTO_OK)
        status = load_persons(f, t, error);
    if (status == SOTTO_OK && !table_rows_fit(t))
        status = table_damaged(f->s, SECTION_TARGET, error);
    return status;
}

static sotto_status load_dense(const table_file *f, sotto_table *t,
                               sotto_error *error)
{
    size_t values;
    t->stride = block_stride(t->rows);
    if (!size_multiply((size_t)t->features, (size_t)t->stride, &values) ||
        !size_multiply(values, sizeof(float), &t->x_bytes))
        return error_memory(error);
    t->x = mem_map(t->x_bytes);
    return t->x ? table_load_columns(f, t, error) : error_memory(error);
}

/* Where the rows begin among all entries, and one more: where they end. */
static sotto_status load_starts(const table_file *f, sotto_table *t,
                                sotto_error *error)
{
    table_entries *e = &t->by_row;
    mem_unmap(e->start, e->start_bytes);
    mem_unmap(t->by_column.start, t->by_column.start_bytes);
    t->by_column.start = NULL;
    e->start_bytes = ((size_t)f->rows + 1) * sizeof *e->start;
    e->start = mem_map(e->start_bytes);
    if (!e->start)
        return error_memory(error);
    sotto_status status =
        table_load_pieces(f, SECTION_STARTS, (size_t)f->from * sizeof *e->start,
                          e->start_bytes, e->start, error);
    return status == SOTTO_OK && !table_starts_fit(t, f)
               ? table_damaged(f->s, SECTION_INDEX, error)
               : status;
}

static sotto_status load_entries(const table_file *f, sotto_table *t,
                                 sotto_error *error)
{
    table_entries *e = &t->by_row;
    size_t from = (size_t)e->start[0];
    size_t count = (size_t)e->start[t->rows] - from;
    e->index_bytes = count * sizeof *e->index;
    e->value_bytes = count * sizeof(float);
    e->index = mem_map(e->index_bytes);
    e->value = mem_map(e->value_bytes);
    if (!e->index || !e->value)
        return error_memory(error);
    for (int64_t i = 0; i <= t->rows; i++)
        e->start[i] -= (int64_t)from;
    sotto_status status =
        table_load_pieces(f, SECTION_INDEX, from * sizeof *e->index,
                          e->index_bytes, e->index, error);
    return status == SOTTO_OK
               ? table_load_pieces(f, SECTION_VALUES, from * sizeof(float),
                                   e->value_bytes, e->value, error)
               : status;
}

static sotto_status load_sparse(const table_file *f, sotto_table *t,
                                sotto_error *error)
{
    sotto_status status = load_starts(f, t, error);
    if (status == SOTTO_OK)
        status = load_entries(f, t, error);
    if (status != SOTTO_OK)
        return status;
    if (!table_entries_fit(t))
        return table_damaged(f->s, SECTION_INDEX, error);
    return block_by_column(t, 0, f->threads) ? SOTTO_OK : error_memory(error);
}

/* ---- the whole file ---- */

static int threads_of(const sotto_options *options)
{
    int threads = (int)option_integer(options, OPTION_THREADS);
    return threads ? threads : thread_limit();
}

static sotto_status read_rows(sotto_table *t, source *s, size_t memory,
                              const sotto_options *options, sotto_error *error)
{
    sotto_ranks *g = option_ranks(options);
    table_file f = {.s = s, .threads = threads_of(options)};
    sotto_status status = take_row_head(&f, t, error);
    if (status == SOTTO_OK) {
        take_share(&f, t, ranks_several(g) ? g : NULL);
        status = note_sums(&f, t->ranks, error);
    }
    if (status == SOTTO_OK)
        status = load_rows(&f, t, error);
    if (status != SOTTO_OK)
        return status;
    return t->on_disk  ? table_stream_open(t, s, &f, memory, error)
           : t->sparse ? load_sparse(&f, t, error)
                       : load_dense(&f, t, error);
}

/* That columns stay on the disk is known of the options and the shape, and so
   is that a size can never be enough. */
static sotto_status set_on_disk(sotto_table *shape, const char *file,
                                const sotto_options *options, size_t *memory,
                                sotto_error *error)
{
    sotto_status status = table_memory(memory, options, error);
    if (status == SOTTO_OK && *memory && shape->sparse)
        return error_set(error, SOTTO_USAGE,
                         "%s: --memory: a sparse table must be in memory; "
                         "leave the option out",
                         show_name(file).text);
    size_t least = table_least_memory(shape->features, threads_of(options));
    if (status == SOTTO_OK && *memory && *memory < least)
        return error_set(error, SOTTO_USAGE,
                         "%s: --memory: so many columns need at least %zuM, "
                         "and about 50 bytes for each row",
                         show_name(file).text, (least >> 20) + 1);
    shape->on_disk = status == SOTTO_OK && *memory;
    return status;
}

static sotto_status table_read(sotto_table *t, source *s,
                               const sotto_options *options,
                               const read_hook *hook, sotto_error *error)
{
    sotto_table *shape;
    size_t memory = 0;
    sotto_status status = sodium_init() < 0 ? error_memory(error) : SOTTO_OK;
    if (status == SOTTO_OK)
        status = read_shape_of(&shape, s, option_ranks(options), error);
    if (status != SOTTO_OK)
        return status;
    status = table_check_options(source_name(s), shape, options, error);
    if (status == SOTTO_OK)
        status = set_on_disk(shape, source_name(s), options, &memory, error);
    if (status == SOTTO_OK && hook->before)
        status = hook->before(hook->context, shape, error);
    *t = *shape; /* which the caller frees, whatever the status */
    mem_free(shape);
    return status == SOTTO_OK ? read_rows(t, s, memory, options, error)
                              : status;
}

/* For a schema to fill in. */
static sotto_status table_header(source *s, const sotto_options *options,
                                 file_header *out, sotto_error *error)
{
    (void)options;
    *out = (file_header){0};
    return refuse(s,
                  "a table has its schema in it; expected the file that it "
                  "was made of",
                  error);
}

const file_format format_table = {
    .mark = FORMAT_MARK(0, TABLE_MARK),
    .endings = {".sotto"},
    .columns = COLUMNS_COUNTED,
    .read = table_read,
    .header = table_header,
};
