/*
 * CSV after RFC 4180: a header, unless --no-header is given, fields that may be
 * quoted, quotes doubled inside quotes, newlines inside quotes. Numbers may
 * have blanks around them. A line that is wholly empty is skipped.
 *
 * With --bad-rows drop a record is one physical line: a quote that is left
 * open spoils its own line only. Otherwise one record could make others
 * disappear into a quoted field, and row i would no longer be a function of
 * record i alone.
 */
#include "csv.h"
#include "field.h"
#include "generate.h"
#include "loader.h"
#include "number.h"
#include "row_value.h"

#include <string.h>

const char csv_open_quote[] =
    "expected a closing quote before the end of the record";
const char csv_after_quote[] =
    "expected the delimiter or the end of the line after a closing quote";
static const char csv_stray_quote[] =
    "expected quotes around the whole field (and doubled inside it), found "
    "one within an unquoted field";
static const char *const csv_miscounted[2][2] = {
    {"expected as many fields as the header has, found more",
     "expected as many fields as the header has, found fewer"},
    {"expected as many fields as --no-header says, found more",
     "expected as many fields as --no-header says, found fewer"}};

/* ---- records ---- */

const char *csv_skip_quoted(const char *s, const char *end)
{
    for (s++; s < end; s += 2) {
        s = memchr(s, '"', (size_t)(end - s));
        if (!s)
            return NULL;
        if (s + 1 == end || s[1] != '"')
            return s + 1;
    }
    return NULL;
}

/* Past the record that starts at s, or NULL when it does not end. */
static const char *csv_skip_record(const char *s, const char *end,
                                   char delimiter)
{
    while (s < end) {
        if (*s == '"') {
            s = csv_skip_quoted(s, end);
            if (!s)
                return NULL;
        }
        while (s < end && *s != delimiter && *s != '\n')
            s++;
        if (s < end && *s++ == '\n')
            return s;
    }
    return NULL;
}

static size_t csv_cut(const char *text, size_t size, const void *context)
{
    const column_plan *p = context;
    if (p->drop_bad || !memchr(text, '"', size))
        return read_cut_lines(text, size, NULL);
    const char *last = text, *next = text;
    while ((next = csv_skip_record(last, text + size, p->delimiter)))
        last = next;
    return (size_t)(last - text);
}

/* ---- fields ---- */

typedef struct csv_field {
    const char *text;
    size_t size;
    const char *next; /* past the delimiter or newline */
    int last;         /* a newline ended it */
    int quoted;
} csv_field;

/* Undoes doubled quotes, into the worker's scratch, padded for numbers. */
static int csv_unescape(worker *w, const char *s, const char *close,
                        csv_field *f)
{
    static const char padding[SOURCE_PADDING] = {'\n'};
    w->scratch.length = 0;
    while (s < close) {
        const char *quote = memchr(s, '"', (size_t)(close - s));
        const char *stop = quote ? quote + 1 : close;
        text_add(&w->scratch, s, (size_t)(stop - s));
        s = quote ? quote + 2 : close;
    }
    f->size = w->scratch.length;
    text_add(&w->scratch, padding, sizeof padding);
    f->text = w->scratch.data;
    w->failed |= w->scratch.failed;
    return !w->scratch.failed;
}

static const char *csv_quoted(worker *w, const char *s, csv_field *f)
{
    char delimiter = w->plan->delimiter;
    const char *limit = w->text_end;
    if (w->plan->drop_bad)
        limit = memchr(s, '\n', (size_t)(limit - s));
    const char *past = csv_skip_quoted(s, limit);
    if (!past || past == w->text_end)
        return csv_open_quote;
    f->text = s + 1;
    f->size = (size_t)(past - 1 - f->text);
    if (past[0] == '\r' && past[1] == '\n')
        past++;
    if (*past != delimiter && *past != '\n')
        return csv_after_quote;
    f->last = *past == '\n';
    f->next = past + 1;
    f->quoted = 1;
    w->block->spans_lines |= memchr(f->text, '\n', f->size) != NULL;
    if (memchr(f->text, '"', f->size) &&
        !csv_unescape(w, f->text, f->text + f->size, f))
        return "";
    return NULL;
}

/* A quote inside an unquoted field is refused (RFC 4180, 2.5). Then every
   whole record has an even number of quotes, and one with a quote left open
   cannot pair it with a stray one further on. */
static const char *csv_plain(char delimiter, const char *s, csv_field *f)
{
    const char *stop = s;
    for (; *stop != delimiter && *stop != '\n'; stop++)
        if (*stop == '"')
            return csv_stray_quote;
    f->last = *stop == '\n';
    f->next = stop + 1;
    if (f->last && stop > s && stop[-1] == '\r')
        stop--;
    f->text = s;
    f->size = (size_t)(stop - s);
    return NULL;
}

/* ---- rows ---- */

static int csv_refuse(worker *w, const char *expected, const column *c,
                      const char *where, int64_t i)
{
    worker_fault(w, expected, c, where, i + 1);
    return 0;
}

/* Reads any field: 1 and *s is past it, or 0 and the fault is noted. */
static int csv_slow_field(worker *w, const char **s, int64_t i)
{
    const column_plan *p = w->plan;
    const column *c = &p->column[i];
    csv_field f = {0};
    const char *expected = NULL;
    expected =
        **s == '"' ? csv_quoted(w, *s, &f) : csv_plain(p->delimiter, *s, &f);
    if (expected)
        return csv_refuse(w, expected, c, *s, i);
    if (f.last != (i + 1 == p->columns))
        return csv_refuse(w, csv_miscounted[p->naming == NAMES_LISTED][f.last],
                          NULL, *s, i + 1);
    if (!field_value(w, c, f.text, f.size, f.quoted, &expected))
        return csv_refuse(w, expected, c, *s, i);
    *s = f.next;
    return 1;
}

/* Reads a plain number, the common case, in a few instructions; 0: it is
   something else, for csv_slow_field. */
static inline int csv_fast_number(worker *w, const column *c, const char **s,
                                  char delimiter, int last)
{
    const char *t = *s;
    double v;
    if (number_parse(&t, &v) != NUMBER_OK)
        return 0;
    if (last && *t == '\r')
        t++;
    if (*t != (last ? '\n' : delimiter) || !value_map(c, v, &v))
        return 0;
    w->x[c->feature * WORKER_ROWS + w->filled] = v;
    *s = t + 1;
    return 1;
}

/* Without a header a byte order mark would be the first record's. To skip it
   there alone would make the row depend on its place, so it spoils any row. */
static const char csv_marked[] =
    "expected a record, found a byte order mark; write the file without it";

static int csv_row(worker *w, const char **at)
{
    const column_plan *p = w->plan;
    const char *s = *at;
    if (p->naming == NAMES_LISTED && !memcmp(s, "\xef\xbb\xbf", 3))
        return csv_refuse(w, csv_marked, NULL, s, -1);
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        if (c->plain &&
            csv_fast_number(w, c, &s, p->delimiter, i + 1 == p->columns))
            continue;
        if (!csv_slow_field(w, &s, i))
            return 0;
    }
    if (w->has_nul && memchr(*at, 0, (size_t)(s - *at)))
        return csv_refuse(w, "expected text, found a NUL byte", NULL, *at, -1);
    *at = s;
    return 1;
}

/* Past an empty line at s, or s. */
static const char *csv_skip_empty(const char *s)
{
    if (*s == '\n')
        return s + 1;
    return s[0] == '\r' && s[1] == '\n' ? s + 2 : s;
}

static void csv_parse(worker *w, const piece *p)
{
    const char *s = p->text, *end = p->text + p->size;
    w->block->lines = read_count_lines(p->text, p->size);
    /* a row has a delimiter or newline for each column, unless it is bad */
    int64_t most =
        (int64_t)p->size / (w->plan->marks_bad ? 1 : w->plan->columns);
    if (!worker_begin_dense(w,
                            most < w->block->lines ? most : w->block->lines)) {
        w->failed = 1;
        return;
    }
    while (s < end && !w->failed) {
        const char *next = csv_skip_empty(s);
        if (next != s)
            s = next;
        else if (csv_row(w, &s))
            worker_row_dense(w);
        else if (worker_bad_dense(w))
            s = (const char *)memchr(s, '\n', (size_t)(end - s)) + 1;
        else
            return;
    }
    if (w->plan->drop_bad)
        w->block->fault = (fault){0};
    worker_end_dense(w);
}

/* ---- the whole file ---- */

static sotto_status csv_read(sotto_table *t, source *s,
                             const sotto_options *options,
                             const read_hook *hook, sotto_error *error)
{
    file_header h;
    column_plan p;
    sotto_status status = csv_header(s, options, &h, error);
    if (status != SOTTO_OK)
        return status;
    status = csv_headers_after(s, &h, options, error);
    if (status == SOTTO_OK)
        status = plan_columns(&p, source_name(s), read_naming(&format_csv, &h),
                              h.name, h.count, options, error);
    if (status == SOTTO_OK) {
        p.delimiter = h.delimiter;
        p.like_values = h.like_values;
        loader l = {.s = s,
                    .p = &p,
                    .parse = csv_parse,
                    .cut = csv_cut,
                    .by_quotes = 1};
        status = read_call(hook, &p, 0, error);
        if (status == SOTTO_OK)
            status = loader_run(&l, t, h.listed ? 0 : 1, error);
        plan_free(&p);
    }
    header_free(&h);
    return status;
}

const file_format format_csv = {
    .endings = {".csv"},
    .read_only = {".tsv"},
    .columns = COLUMNS_NAMED,
    .read = csv_read,
    .header = csv_header,
    .write_header = generate_csv_header,
    .write_row = generate_csv_row,
};
