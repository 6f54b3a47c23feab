/*
 * sotto convert: files of records become one table on a disk. It is read as for
 * private training, so that nothing of its shape comes from a record, and is as
 * sensitive as the records: only its owner may read it.
 */
#include "block.h"
#include "reader.h"
#include "table_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- where runs are booked ---- */

/* The canonical paths of the files, as they are before one is opened. */
typedef struct source_names {
    char **name;
    int64_t count;
} source_names;

static sotto_status find_sources(source_names *out, const char *const *path,
                                 int64_t files, sotto_error *error)
{
    out->name = mem_zeroed((size_t)files, sizeof *out->name);
    for (int64_t i = 0; out->name && i < files; i++) {
        char real[PATH_MAX];
        out->name[i] = mem_text(realpath(path[i], real) ? real : path[i]);
        out->count = i + 1;
        if (!out->name[i])
            return error_memory(error);
    }
    return out->name ? SOTTO_OK : error_memory(error);
}

/* A link that has moved meanwhile would have the table booked under the one
   name and filled from the other. */
static sotto_status check_same(const source_names *names,
                               const char *const *path, sotto_error *error)
{
    for (int64_t i = 0; i < names->count; i++) {
        char real[PATH_MAX];
        if (strcmp(realpath(path[i], real) ? real : path[i], names->name[i]))
            return error_set(error, SOTTO_FAILED,
                             "%s: it has become another file while it was "
                             "read; convert again",
                             show_name(path[i]).text);
    }
    return SOTTO_OK;
}

/* Stdin has no name, but may be given one. */
static sotto_status name_sources(sotto_table *t, source_names *names,
                                 const char *const *path,
                                 const sotto_options *options,
                                 sotto_error *error)
{
    const char *dataset = option_text(options, OPTION_DATASET);
    if (dataset) {
        t->dataset = mem_text(dataset);
        return t->dataset ? SOTTO_OK : error_memory(error);
    }
    sotto_status status = check_same(names, path, error);
    if (status != SOTTO_OK)
        return status;
    t->source = names->name;
    t->sources = names->count;
    *names = (source_names){0};
    return SOTTO_OK;
}

static sotto_status check_sources(const char *const *path, int64_t files,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    struct stat about;
    for (int64_t i = 0; i < files && !option_given(options, OPTION_DATASET);
         i++)
        if (!strcmp(path[i], "-") ||
            (!stat(path[i], &about) && !S_ISREG(about.st_mode)))
            return error_set(error, SOTTO_PRIVACY,
                             "stdin and pipes have no path that runs on the "
                             "table could be booked under: expected --dataset "
                             "NAME");
    return SOTTO_OK;
}

/* ---- writing ---- */

typedef struct writer {
    out_file out;
    block_spill spill;
    int fine;
} writer;

static void put(writer *w, const void *bytes, size_t size)
{
    w->fine = w->fine && out_write(&w->out, bytes, size);
}

static void put_summed(writer *w, table_section section, int64_t number,
                       const void *bytes, size_t size)
{
    unsigned char sum[TABLE_SUM];
    table_sum(sum, section, (uint64_t)number, bytes, size, NULL, 0);
    put(w, bytes, size);
    put(w, sum, sizeof sum);
}

static void put_pieces(writer *w, table_section section, const void *bytes,
                       size_t size)
{
    for (size_t at = 0; at < size && w->fine; at += TABLE_PIECE)
        put_summed(w, section, (int64_t)(at / TABLE_PIECE),
                   (const char *)bytes + at,
                   size - at < TABLE_PIECE ? size - at : TABLE_PIECE);
}

/* The columns wait on the disk. */
static sotto_status put_columns(writer *w, const table_layout *l, float *room,
                                sotto_error *error)
{
    spill_reader r = {.from = &w->spill};
    sotto_status status = SOTTO_OK;
    for (int64_t n = 0; n < table_blocks(l) && w->fine && status == SOTTO_OK;
         n++) {
        table_block b = table_block_at(l, n);
        status = spill_take(&r, room, l->features, b.rows, error);
        if (status == SOTTO_OK)
            put_summed(w, SECTION_COLUMNS, n, room, b.bytes);
    }
    spill_reader_close(&r);
    return status;
}

static void put_head(writer *w, const text_buffer *public_part, size_t rest)
{
    table_head head = {.mark = TABLE_MARK,
                       .version = TABLE_VERSION,
                       .order = 0x01020304u,
                       .bytes = TABLE_HEAD + public_part->length + rest,
                       .public_bytes = public_part->length};
    table_sum(head.sum, SECTION_HEAD, 0, &head, offsetof(table_head, sum),
              public_part->data, public_part->length);
    put(w, &head, sizeof head);
    put(w, public_part->data, public_part->length);
}

static sotto_status put_rows(writer *w, const sotto_table *t,
                             const table_layout *l, const table_row_head *head,
                             float *room, sotto_error *error)
{
    const table_entries *e = &t->by_row;
    put(w, head, sizeof *head);
    put_pieces(w, SECTION_TARGET, t->y, l->bytes[SECTION_TARGET]);
    put_pieces(w, SECTION_WEIGHTS, t->weight, l->bytes[SECTION_WEIGHTS]);
    put_pieces(w, SECTION_PERSONS, t->unit, l->bytes[SECTION_PERSONS]);
    if (!t->sparse)
        return put_columns(w, l, room, error);
    put_pieces(w, SECTION_STARTS, e->start, l->bytes[SECTION_STARTS]);
    put_pieces(w, SECTION_INDEX, e->index, l->bytes[SECTION_INDEX]);
    put_pieces(w, SECTION_VALUES, e->value, l->bytes[SECTION_VALUES]);
    return SOTTO_OK;
}

static table_row_head row_head(const sotto_table *t)
{
    table_row_head head = {.rows = (uint64_t)t->rows,
                           .block = (uint64_t)table_block_rows(t->features)};
    if (t->sparse)
        head.entries = (uint64_t)t->by_row.start[t->rows];
    table_sum(head.sum, SECTION_ROWS, 0, &head, offsetof(table_row_head, sum),
              NULL, 0);
    return head;
}

/* The whole file, whose name comes last. */
static sotto_status write_table(writer *w, const sotto_table *t,
                                sotto_error *error)
{
    text_buffer about = {0};
    table_row_head head = row_head(t);
    table_layout l;
    size_t bytes = 1;
    table_put_public(&about, t);
    int fine = !about.failed && table_lay_out(&l, t, &head);
    if (fine && !t->sparse && table_blocks(&l))
        bytes = table_block_at(&l, 0).bytes;
    char *room = fine ? mem_map(bytes) : NULL;
    sotto_status status = room ? SOTTO_OK : error_memory(error);
    if (room) {
        put_head(w, &about, l.end);
        status = put_rows(w, t, &l, &head, (float *)room, error);
    }
    source_drop(room, bytes, bytes);
    text_free(&about);
    return status;
}

/* Beside the output, where there is room for what is as sensitive. */
static sotto_status writer_open(writer *w, const char *output,
                                sotto_error *error)
{
    *w = (writer){.fine = 1, .spill.file = {-1}};
    if (sodium_init() < 0)
        return error_memory(error);
    sotto_status status = out_open_secret(&w->out, output, error);
    if (status != SOTTO_OK)
        return status;
    char *folder = file_folder(w->out.path);
    status = folder ? block_spill_open(&w->spill, folder, error)
                    : error_memory(error);
    mem_free(folder);
    if (status != SOTTO_OK)
        out_abandon(&w->out);
    return status;
}

static sotto_status writer_close(writer *w, const char *output,
                                 sotto_status status, sotto_error *error)
{
    if (status != SOTTO_OK)
        out_abandon(&w->out);
    else if (w->fine)
        status = out_commit(&w->out, error);
    else
        status = out_failed(&w->out, output, error);
    block_spill_close(&w->spill);
    return status;
}

/* ---- reading ---- */

/* Before a row is read. */
static sotto_status check_shape(void *context, const sotto_table *shape,
                                sotto_error *error)
{
    (void)context;
    if (!shape->y)
        return table_refuse_no_target(shape->counted, error);
    if (shape->levels.columns)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": levels that nobody declared are asked "
                         "for by each run, of the records themselves: declare "
                         "them, or train on the file",
                         show_name(shape->levels.column[0].name).text);
    if (shape->source || shape->dataset)
        return error_set(error, SOTTO_USAGE,
                         "this is a table already; expected the file that it "
                         "was made of");
    return SOTTO_OK;
}

/* A copy that says that the table is for private training. */
static sotto_status options_to_read(sotto_options **out,
                                    const sotto_options *options,
                                    sotto_error *error)
{
    sotto_status status = sotto_options_new(out, error);
    for (int i = 0; status == SOTTO_OK && i < OPTION_COUNT; i++)
        status = option_copy(*out, options, (option_id)i, error);
    return status == SOTTO_OK ? sotto_options_set(*out, "epsilon", "1", error)
                              : status;
}

/* The columns go to the disk as they are read. */
static sotto_status read_to(sotto_table **t, writer *w,
                            const char *const *paths, int64_t count,
                            const sotto_options *options, sotto_error *error)
{
    read_hook hook = {.before = check_shape, .spill = &w->spill};
    sotto_status status = read_files(t, paths, count, options, &hook, error);
    if (status != SOTTO_OK && status != SOTTO_DATA && w->spill.failed) {
        *error = w->spill.error;
        return SOTTO_FAILED;
    }
    return status;
}

sotto_status sotto_table_convert(const char *const *paths, int64_t count,
                                 const char *output,
                                 const sotto_options *options,
                                 const sotto_progress_callback *callback,
                                 sotto_error *error)
{
    sotto_options *reading = NULL;
    sotto_table *t = NULL;
    source_names names = {0};
    writer w;
    const char *line;
    sotto_status status = check_sources(paths, count, options, error);
    if (status == SOTTO_OK)
        status = find_sources(&names, paths, count, error);
    if (status == SOTTO_OK)
        status = options_to_read(&reading, options, error);
    if (status == SOTTO_OK)
        status = writer_open(&w, output, error);
    if (status != SOTTO_OK) {
        sotto_options_free(reading);
        mem_free_texts(names.name, names.count);
        return status;
    }
    status = read_to(&t, &w, paths, count, reading, error);
    for (int64_t i = 0; status == SOTTO_OK && callback && callback->remark &&
                        (line = sotto_table_warning(t, i));
         i++)
        callback->remark(callback->context, line);
    if (status == SOTTO_OK)
        status = name_sources(t, &names, paths, options, error);
    if (status == SOTTO_OK)
        status = write_table(&w, t, error);
    sotto_table_free(t);
    sotto_options_free(reading);
    mem_free_texts(names.name, names.count);
    return writer_close(&w, output, status, error);
}
