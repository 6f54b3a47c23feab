/*
 * From a file to a table: find the format, make the plan, have the rows
 * parsed, check and describe what came out.
 */
#include "rank.h"
#include "table_file.h"

#include <string.h>

/* ---- lines ---- */

size_t read_cut_lines(const char *text, size_t size, const void *context)
{
    (void)context;
    const char *last = memrchr(text, '\n', size);
    return last ? (size_t)(last - text) + 1 : 0;
}

int64_t read_count_lines(const char *text, size_t size)
{
    int64_t lines = 0;
    while (size) {
        /* short runs with a byte counter: the compiler makes vectors of it */
        size_t run = size < 240 ? size : 240;
        unsigned char count = 0;
        for (size_t i = 0; i < run; i++)
            count = (unsigned char)(count + (text[i] == '\n'));
        lines += count;
        text += run;
        size -= run;
    }
    return lines;
}

sotto_status read_skip_mark(source *s, sotto_error *error)
{
    const char *bytes;
    char mark[3];
    size_t size;
    sotto_status status = source_peek(s, 3, &bytes, &size, error);
    if (status != SOTTO_OK)
        return status;
    if (size == 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
        return source_take(s, mark, 3, &size, error);
    return SOTTO_OK;
}

/* ---- the end of reading ---- */

int64_t read_lines_before(const block *first, const block *b)
{
    int64_t lines = 0;
    for (; first != b; first = first->next)
        lines = first->from == b->from ? lines + first->lines : 0;
    return lines;
}

/* Where an undeclared class was first seen. */
typedef struct read_place {
    const block *block; /* NULL: nowhere */
    int64_t number;     /* of the block, from 0 */
    int64_t line;       /* of the block */
} read_place;

static read_place read_first(const block *first, int zero)
{
    read_place at = {first, 0, 0};
    for (; at.block; at.block = at.block->next, at.number++) {
        at.line = zero ? at.block->line_zero : at.block->line_minus;
        if (at.line)
            break;
    }
    return at;
}

/* Among the lines of its file; 0: nowhere. */
static int64_t read_line(const block *first, const read_place *at)
{
    return at->block ? read_lines_before(first, at->block) + at->line : 0;
}

static int read_is_after(const read_place *a, const read_place *b)
{
    return a->number != b->number ? a->number > b->number : a->line > b->line;
}

/* Refuses labels that are -1, 0 and 1, which are three classes. With
   --bad-rows drop no message may depend on the rows: then -1 and 0 are both
   the negative class, row by row. */
static sotto_status read_check_classes(column_plan *p, const block *first,
                                       int64_t lines, sotto_error *error)
{
    read_place minus = read_first(first, 0), zero = read_first(first, 1);
    int any_zero = zero.block != NULL, at = 0;
    if (minus.block && zero.block)
        at = read_is_after(&minus, &zero) ? 1 : 2;
    sotto_status status =
        p->ranks ? rank_classes(p, read_line(first, &minus),
                                read_line(first, &zero), &any_zero, &at, error)
                 : SOTTO_OK;
    p->zero_seen = any_zero && !p->drop_bad;
    if (status != SOTTO_OK || p->drop_bad || !at)
        return status;
    const read_place *last = at == 1 ? &minus : &zero;
    const source *from = last->block->from;
    lines += p->lines_before + read_line(first, last);
    return error_set(error, SOTTO_DATA,
                     "%s: %s %lld: column \"%s\": expected two classes, "
                     "found -1, 0 and 1 among the labels; declare the two "
                     "with --classes A,B",
                     show_name(from ? source_name(from) : p->file).text,
                     p->row_word, (long long)lines,
                     show_name(p->target->name).text);
}

/* A table has rows and features. In private runs the number of rows must not
   be told, not even that it is 0. */
static sotto_status read_check_shape(const sotto_table *t, const column_plan *p,
                                     int64_t lines, sotto_error *error)
{
    if (t->features == 0)
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: no row has a feature; expected "
                         "index:value",
                         show_name(p->file).text);
    if (table_all_rows(t) == 0 && !p->is_private && !p->drop_bad)
        return error_set(
            error, SOTTO_DATA, "%s: %s %lld: expected at least one row%s",
            show_name(p->file).text, p->row_word, (long long)lines + 1,
            lines ? " after the header" : "");
    return SOTTO_OK;
}

sotto_status read_shape(sotto_table **out, const column_plan *p, int sparse,
                        sotto_error *error)
{
    entry_store none = {.element = plan_element(p)};
    sotto_table *t = mem_zeroed(1, sizeof *t);
    if (!t)
        return error_memory(error);
    t->features = p->features;
    t->sparse = sparse;
    sotto_status status = block_assemble(t, p, NULL, &none, error);
    if (status == SOTTO_OK)
        status = table_describe(t, p, error);
    store_free(&none);
    if (status == SOTTO_OK)
        *out = t;
    else
        sotto_table_free(t);
    return status;
}

sotto_status read_call(const read_hook *hook, column_plan *p, int sparse,
                       sotto_error *error)
{
    sotto_table *shape = NULL;
    p->spill = sparse ? NULL : hook->spill;
    if (!hook->before)
        return SOTTO_OK;
    sotto_status status = read_shape(&shape, p, sparse, error);
    if (status == SOTTO_OK)
        status = hook->before(hook->context, shape, error);
    sotto_table_free(shape);
    return status;
}

sotto_status read_finish(sotto_table *t, column_plan *p, block *first,
                         entry_store *store, int64_t lines, column_range *range,
                         sotto_error *error)
{
    for (const block *b = first; b && !p->features; b = b->next)
        if (b->largest > t->features)
            t->features = b->largest;
    t->dropped = plan_counts_dropped(p) ? 0 : -1;
    for (const block *b = first; b && plan_counts_dropped(p); b = b->next)
        t->dropped += b->dropped;
    sotto_status status = p->ranks ? rank_features(t, p, error) : SOTTO_OK;
    if (status == SOTTO_OK)
        status = read_check_classes(p, first, lines, error);
    if (status == SOTTO_OK)
        status = block_assemble(t, p, first, store, error);
    if (status == SOTTO_OK && p->ranks)
        status = rank_places(t, p, first, error);
    if (status == SOTTO_OK)
        status = read_check_shape(t, p, lines, error);
    if (status == SOTTO_OK)
        status = table_remark(t, p, first, range, error);
    if (status == SOTTO_OK)
        status = table_describe(t, p, error);
    return status;
}

/* ---- the whole file ---- */

sotto_status read_check_parts(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_PARTS) !=
        option_given(options, OPTION_PART_COLUMN))
        return error_set(error, SOTTO_PRIVACY,
                         "--parts: expected the column that says which part a "
                         "row belongs to; a data set declares it: --ledger "
                         "FILE --dataset NAME");
    return SOTTO_OK;
}

/* Refuses options that are for another format. */
static sotto_status read_check_options(const source *s, const file_format *f,
                                       const sotto_options *options,
                                       sotto_error *error)
{
    int numbered = option_given(options, OPTION_FEATURES);
    if (option_given(options, OPTION_DECLARED) &&
        numbered != (f->columns == COLUMNS_NUMBERED))
        return error_set(error, SOTTO_DATA,
                         "%s: the model's features have %s: expected %s",
                         show_name(source_name(s)).text,
                         numbered ? "numbers, not names" : "names",
                         numbered ? "an svmlight file"
                                  : "a file with named columns, not svmlight");
    sotto_status status = read_check_parts(options, error);
    if (status != SOTTO_OK)
        return status;
    static const option_id of_csv[] = {OPTION_DELIMITER, OPTION_DECIMAL,
                                       OPTION_THOUSANDS};
    for (size_t i = 0; i < sizeof of_csv / sizeof *of_csv; i++)
        if (f->columns != COLUMNS_NAMED && option_given(options, of_csv[i]))
            return error_set(error, SOTTO_USAGE, "--%s is for CSV",
                             sotto_option_at(of_csv[i])->name);
    if (option_given(options, OPTION_THOUSANDS) &&
        option_is(options, OPTION_THOUSANDS,
                  option_text(options, OPTION_DECIMAL)))
        return error_set(error, SOTTO_USAGE,
                         "--thousands and --decimal: expected different marks");
    if (option_given(options, OPTION_MEMORY) && f != &format_table)
        return error_set(error, SOTTO_USAGE,
                         "%s: --memory is for tables; expected a file that "
                         "'sotto convert' wrote",
                         show_name(source_name(s)).text);
    if (f->columns != COLUMNS_NUMBERED && numbered)
        return error_set(error, SOTTO_USAGE, "--features is for svmlight");
    return SOTTO_OK;
}

static sotto_status read_source(sotto_table **out, source *s,
                                const sotto_options *options,
                                const read_hook *hook, sotto_error *error)
{
    const file_format *format;
    sotto_table *t = NULL;
    sotto_status status = rank_check_source(s, options, error);
    if (status == SOTTO_OK)
        status = read_format(&format, s, options, hook->before != NULL, error);
    if (status == SOTTO_OK)
        status = read_check_options(s, format, options, error);
    if (status == SOTTO_OK) {
        t = mem_zeroed(1, sizeof *t);
        if (!t)
            status = error_memory(error);
    }
    if (status == SOTTO_OK)
        status = format->read(t, s, options, hook, error);
    if (status == SOTTO_OK || status == SOTTO_DATA) {
        sotto_status same = read_check_same(s, error);
        status = same == SOTTO_OK ? status : same;
    }
    if (!t || !t->stream) /* else it is the table's */
        source_close(s);
    if (status != SOTTO_OK)
        sotto_table_free(t);
    else
        *out = t;
    return status;
}

sotto_status read_files(sotto_table **out, const char *const *path,
                        int64_t files, const sotto_options *options,
                        const read_hook *hook, sotto_error *error)
{
    source *s = NULL;
    int by_name = format_by_name_only(options);
    *out = NULL;
    sotto_status status = read_open(&s, path, files, by_name, error);
    return status == SOTTO_OK ? read_source(out, s, options, hook, error)
                              : status;
}

sotto_status table_read_files(sotto_table **out, const char *const *path,
                              int64_t files, const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error)
{
    read_hook hook = {.before = before, .context = context};
    return read_files(out, path, files, options, &hook, error);
}

sotto_status table_read_after(sotto_table **out, const char *path,
                              const sotto_options *options,
                              table_before_rows *before, void *context,
                              sotto_error *error)
{
    return table_read_files(out, &path, 1, options, before, context, error);
}

sotto_status sotto_table_read(sotto_table **out, const char *path,
                              const sotto_options *options, sotto_error *error)
{
    return table_read_files(out, &path, 1, options, NULL, NULL, error);
}

sotto_status sotto_table_read_files(sotto_table **out, const char *const *paths,
                                    int64_t count, const sotto_options *options,
                                    sotto_error *error)
{
    return table_read_files(out, paths, count, options, NULL, NULL, error);
}

sotto_status table_read_memory(sotto_table **out, const char *name,
                               const void *bytes, size_t size,
                               const sotto_options *options, sotto_error *error)
{
    source *s = NULL;
    read_hook none = {0};
    int by_name = format_by_name_only(options);
    sotto_status status = source_memory(&s, name, bytes, size, by_name, error);
    return status == SOTTO_OK ? read_source(out, s, options, &none, error)
                              : status;
}
