/*
 * From a file to a table: find the format, make the plan, have the rows
 * parsed, check and describe what came out.
 */
#include "loader.h"

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

/* ---- the format ---- */

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

static int read_ends_with(const char *name, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && !memcmp(name + length - size, ending, size);
}

static int read_format_of_name(const char *name, read_format *out)
{
    static const struct {
        const char *ending;
        read_format format;
    } endings[] = {{".csv", READ_CSV},           {".tsv", READ_CSV},
                   {".svm", READ_SVMLIGHT},      {".libsvm", READ_SVMLIGHT},
                   {".svmlight", READ_SVMLIGHT}, {".npy", READ_NPY}};
    size_t length = strlen(name);
    if (read_ends_with(name, length, ".gz"))
        length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (read_ends_with(name, length, endings[i].ending)) {
            *out = endings[i].format;
            return 1;
        }
    return 0;
}

/* What the options or the name say; 0 when they say nothing. */
static int read_format_said(const source *s, const sotto_options *options,
                            read_format *out)
{
    if (!option_given(options, OPTION_FORMAT))
        return read_format_of_name(source_name(s), out);
    *out = option_is(options, OPTION_FORMAT, "csv")        ? READ_CSV
           : option_is(options, OPTION_FORMAT, "svmlight") ? READ_SVMLIGHT
                                                           : READ_NPY;
    return 1;
}

sotto_status read_detect(source *s, const sotto_options *options,
                         read_format *out, sotto_error *error)
{
    const char *bytes;
    size_t size;
    int drop = option_is(options, OPTION_BAD_ROWS, "drop");
    if (option_is(options, OPTION_FORMAT, "liblinear"))
        return error_set(error, SOTTO_USAGE,
                         "--format: liblinear is for export; expected csv, "
                         "svmlight or npy");
    int said = read_format_said(s, options, out);
    /* with drop nothing depends on a record: only a header is looked at, which
       svmlight does not have, and which the reader of .npy checks itself */
    sotto_status status = drop && !(said && *out == READ_CSV)
                              ? SOTTO_OK
                              : foreign_check(s, drop, error);
    if (status == SOTTO_OK && !option_given(options, OPTION_FORMAT) && !drop) {
        status = source_peek(s, 6, &bytes, &size, error);
        if (status == SOTTO_OK && size == 6 && !memcmp(bytes, "\x93NUMPY", 6)) {
            *out = READ_NPY;
            said = 1;
        }
    }
    if (status == SOTTO_OK && !said)
        return error_set(error, SOTTO_USAGE,
                         "%s: the name does not say the format; expected "
                         ".csv, .tsv, .svm or .npy, or --format",
                         show_name(source_name(s)).text);
    return status;
}

/* ---- the end of reading ---- */

static int64_t read_first_line(const block *first, int zero)
{
    int64_t lines = 0;
    for (const block *b = first; b; b = b->next) {
        int64_t line = zero ? b->line_zero : b->line_minus;
        if (line)
            return lines + line;
        lines += b->lines;
    }
    return 0;
}

/* Two classes that turn out to be three: -1, 0 and 1. With --bad-rows drop
   each row is taken on its own, and -1 and 0 are both the negative class. */
static sotto_status read_check_classes(plan *p, const block *first,
                                       int64_t lines, sotto_error *error)
{
    int64_t minus = read_first_line(first, 0);
    int64_t zero = read_first_line(first, 1);
    p->zero_seen = zero && !p->drop_bad;
    if (p->drop_bad || !minus || !zero)
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA,
                     "%s: %s %lld: column \"%s\": expected two classes, "
                     "found -1, 0 and 1 among the labels; declare the two "
                     "with --classes A,B",
                     show_name(p->file).text, p->row_word,
                     (long long)(lines + (minus > zero ? minus : zero)),
                     show_name(p->target->name).text);
}

/* A table has rows and features, unless their number is private. */
static sotto_status read_check_shape(const sotto_table *t, const plan *p,
                                     int64_t lines, sotto_error *error)
{
    if (t->features == 0)
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: no row has a feature; expected "
                         "index:value",
                         show_name(p->file).text);
    if (t->rows == 0 && !p->is_private && !p->drop_bad)
        return error_set(
            error, SOTTO_DATA, "%s: %s %lld: expected at least one row%s",
            show_name(p->file).text, p->row_word, (long long)lines + 1,
            lines ? " after the header" : "");
    return SOTTO_OK;
}

sotto_status read_finish(sotto_table *t, plan *p, block *first,
                         entry_store *store, int64_t lines,
                         const column_range *range, sotto_error *error)
{
    for (const block *b = first; b && !p->features; b = b->next)
        if (b->largest > t->features)
            t->features = b->largest;
    sotto_status status = read_check_classes(p, first, lines, error);
    if (status == SOTTO_OK)
        status = block_assemble(t, p, first, store, error);
    if (status == SOTTO_OK)
        status = read_check_shape(t, p, lines, error);
    if (status == SOTTO_OK)
        status = table_remark(t, p, first, range, error);
    if (status == SOTTO_OK)
        status = table_describe(t, p, error);
    return status;
}

/* ---- the formats ---- */

/* The rows behind a header with these names, which took so many lines. */
static sotto_status read_named(sotto_table *t, source *s, char **names,
                               int64_t count, char delimiter, int64_t lines,
                               const sotto_options *options, sotto_error *error)
{
    plan p;
    sotto_status status =
        plan_columns(&p, source_name(s), 1, names, count, options, error);
    if (status != SOTTO_OK)
        return status;
    p.delimiter = delimiter;
    loader l = {.s = s, .p = &p, .parse = csv_parse, .cut = csv_cut};
    status = loader_run(&l, t, lines, error);
    plan_free(&p);
    return status;
}

static sotto_status read_csv(sotto_table *t, source *s,
                             const sotto_options *options, sotto_error *error)
{
    char **names, delimiter;
    int64_t count, lines;
    sotto_status status =
        csv_delimiter(source_name(s), options, &delimiter, error);
    if (status == SOTTO_OK)
        status = csv_header(s, delimiter, &names, &count, &lines, error);
    if (status != SOTTO_OK)
        return status;
    status = read_named(t, s, names, count, delimiter, lines, options, error);
    csv_free_names(names, count);
    return status;
}

static sotto_status read_svmlight(sotto_table *t, source *s,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    plan p;
    int64_t features = option_given(options, OPTION_FEATURES)
                           ? option_integer(options, OPTION_FEATURES)
                           : 0;
    sotto_status status =
        plan_numbered(&p, source_name(s), features, options, error);
    if (status != SOTTO_OK)
        return status;
    loader l = {.s = s,
                .p = &p,
                .sparse = 1,
                .parse = svmlight_parse,
                .cut = read_cut_lines};
    status = loader_run(&l, t, 0, error);
    plan_free(&p);
    return status;
}

/* An option that another format takes is not ignored. */
static sotto_status read_check_options(const source *s, read_format format,
                                       const sotto_options *options,
                                       sotto_error *error)
{
    int numbered = option_given(options, OPTION_FEATURES);
    if (option_given(options, OPTION_DECLARED) &&
        numbered != (format == READ_SVMLIGHT))
        return error_set(error, SOTTO_DATA,
                         "%s: the model's features have %s: expected %s",
                         show_name(source_name(s)).text,
                         numbered ? "numbers, not names" : "names",
                         numbered ? "an svmlight file"
                                  : "a file with named columns, not svmlight");
    if (format != READ_CSV && option_given(options, OPTION_DELIMITER))
        return error_set(error, SOTTO_USAGE, "--delimiter is for CSV");
    if (format != READ_SVMLIGHT && numbered)
        return error_set(error, SOTTO_USAGE, "--features is for svmlight");
    return SOTTO_OK;
}

static sotto_status read_source(sotto_table **out, source *s,
                                const sotto_options *options,
                                sotto_error *error)
{
    read_format format;
    sotto_table *t = NULL;
    sotto_status status = read_detect(s, options, &format, error);
    /* svmlight has no header: its first bytes may be a record's */
    if (status == SOTTO_OK &&
        (format == READ_CSV || (format == READ_SVMLIGHT &&
                                !option_is(options, OPTION_BAD_ROWS, "drop"))))
        status = read_skip_mark(s, error);
    if (status == SOTTO_OK)
        status = read_check_options(s, format, options, error);
    if (status == SOTTO_OK) {
        t = mem_zeroed(1, sizeof *t);
        if (!t)
            status = error_memory(error);
    }
    if (status == SOTTO_OK)
        status = format == READ_CSV        ? read_csv(t, s, options, error)
                 : format == READ_SVMLIGHT ? read_svmlight(t, s, options, error)
                                           : npy_read(t, s, options, error);
    if (status == SOTTO_OK || status == SOTTO_DATA) {
        sotto_status same = source_check_same(s, error);
        status = same == SOTTO_OK ? status : same;
    }
    source_close(s);
    if (status != SOTTO_OK)
        sotto_table_free(t);
    else
        *out = t;
    return status;
}

sotto_status sotto_table_read(sotto_table **out, const char *path,
                              const sotto_options *options, sotto_error *error)
{
    source *s = NULL;
    int by_name = option_is(options, OPTION_BAD_ROWS, "drop");
    *out = NULL;
    sotto_status status = source_open(&s, path, by_name, error);
    return status == SOTTO_OK ? read_source(out, s, options, error) : status;
}

sotto_status table_read_memory(sotto_table **out, const char *name,
                               const void *bytes, size_t size,
                               const sotto_options *options, sotto_error *error)
{
    source *s = NULL;
    int by_name = option_is(options, OPTION_BAD_ROWS, "drop");
    sotto_status status = source_memory(&s, name, bytes, size, by_name, error);
    return status == SOTTO_OK ? read_source(out, s, options, error) : status;
}

sotto_status table_read_names(sotto_table **out, const char *name, char **names,
                              int64_t count, const sotto_options *options,
                              sotto_error *error)
{
    source *s = NULL;
    sotto_table *t = mem_zeroed(1, sizeof *t);
    sotto_status status =
        t ? source_memory(&s, name, "", 0, 0, error) : error_memory(error);
    if (status == SOTTO_OK)
        status = read_named(t, s, names, count, ',', 1, options, error);
    source_close(s);
    if (status != SOTTO_OK) {
        sotto_table_free(t);
        t = NULL;
    }
    *out = t;
    return status;
}
