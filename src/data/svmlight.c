/*
 * svmlight / LIBSVM: "label index:value ...", indices from 1 and
 * increasing, "qid:N" and "# comment" accepted, a line a record.
 */
#include "generate.h"
#include "loader.h"
#include "number.h"
#include "row_value.h"

#include <string.h>

static const int64_t SVMLIGHT_LARGEST = 2147483647;

static int svmlight_refuse(worker *w, const char *expected, const char *line,
                           const char *where)
{
    worker_fault(w, expected, NULL, where, where - line + 1);
    return 0;
}

static inline const char *svmlight_blank(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* Ends a field: blank, end of line, or the start of a comment. */
static inline int svmlight_ends(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '#';
}

/* Ends the pairs of a line: its end, or the start of a comment. */
static inline int svmlight_line_ends(char c)
{
    return c == '\n' || c == '#' || c == '\r';
}

static int svmlight_label(worker *w, const char *line, const char **s)
{
    double v;
    const char *expected = NULL, *t = *s;
    number_kind kind = number_parse(&t, &v);
    if (*t == ':' && !w->plan->labelled)
        return 1; /* to predict, no label is needed */
    if (kind == NUMBER_BAD || !svmlight_ends(*t))
        return svmlight_refuse(w, "expected a label, a number", line, *s);
    int good = kind == NUMBER_OK
                   ? value_number(w, w->plan->column, v, *s, &expected)
                   : value_missing(w, w->plan->column, &expected);
    if (!good)
        return svmlight_refuse(w, expected, line, *s);
    *s = t;
    return 1;
}

static int svmlight_bad_index(worker *w, const char *line, const char *s,
                              uint64_t index, int64_t before, char after)
{
    const char *expected;
    if (after != ':')
        expected = "expected index:value";
    else if (index == 0)
        expected = "expected an index of at least 1";
    else if (index > (uint64_t)SVMLIGHT_LARGEST)
        expected = "expected an index of at most 2147483647";
    else if ((int64_t)index <= before)
        expected = "expected increasing indices";
    else if (w->plan->for_model)
        expected = "the model does not know this feature: expected a smaller "
                   "index";
    else
        expected = "expected an index within --features";
    return svmlight_refuse(w, expected, line, s);
}

static int svmlight_bad_value(worker *w, const char *line, const char *s,
                              number_kind kind)
{
    return svmlight_refuse(w,
                           kind == NUMBER_BAD
                               ? "expected a number after the colon"
                               : "expected a number that fits a float",
                           line, s);
}

/* "qid:N" groups rows for ranking; here it has no meaning. */
static const char *svmlight_skip_qid(const char *s)
{
    if (memcmp(s, "qid:", 4))
        return s;
    for (s += 4; !svmlight_ends(*s); s++)
        ;
    return svmlight_blank(s);
}

/* The digits at s as a number, without a branch on how many there are: it
   changes from entry to entry. Returns their end; more than seven digits
   are read one by one, up to eleven, which is too large for an index. */
static inline const char *svmlight_digits(const char *s, uint64_t *out)
{
    const uint64_t word = number_load(s), stops = number_stops(word);
    if (__builtin_expect(stops != 0, 1)) {
        *out = number_join_before(word, stops);
        return s + number_count(stops);
    }
    *out = 0;
    for (int i = 0; i < 11 && number_is_digit(*s); i++)
        *out = *out * 10 + (uint64_t)(*s++ - '0');
    return s;
}

/* index:value pairs up to the end of the line or a comment. */
static int svmlight_pairs(worker *w, const char *line, const char **at,
                          int64_t *entries)
{
    const column_plan *p = w->plan;
    int64_t most = p->features ? p->features : SVMLIGHT_LARGEST;
    int64_t before = 0, k = *entries;
    uint32_t *const indices = w->index;
    double *const values = w->value;
    const char *s = *at;
    while (number_is_digit(*s) || !svmlight_line_ends(*s)) {
        uint64_t index;
        const char *t = svmlight_digits(s, &index);
        if (*t != ':' || (int64_t)index <= before || (int64_t)index > most)
            return svmlight_bad_index(w, line, s, index, before, *t);
        before = (int64_t)index;
        const char *value = ++t;
        double v;
        number_kind kind = number_parse(&t, &v);
        if (kind != NUMBER_OK || !svmlight_ends(*t))
            return svmlight_bad_value(w, line, value,
                                      svmlight_ends(*t) ? kind : NUMBER_BAD);
        if (p->low)
            v = value_map_numbered(p, before - 1, v);
        if (!(fabs(v) <= VALUE_LARGEST))
            return svmlight_bad_value(w, line, value, NUMBER_OK);
        indices[k] = (uint32_t)(before - 1);
        values[k++] = v;
        s = svmlight_blank(t);
    }
    *entries = k;
    *at = s;
    return 1;
}

/* One line; 1 when it is a row, -1 when it is empty, 0 on a fault. */
static int svmlight_line(worker *w, const char **at, int64_t *entries)
{
    const char *line = *at, *s = svmlight_blank(line);
    int is_row = *s != '\n' && *s != '#' && *s != '\r';
    if (is_row) {
        if (!svmlight_label(w, line, &s))
            return 0;
        s = svmlight_skip_qid(svmlight_blank(s));
        if (!svmlight_pairs(w, line, &s, entries))
            return 0;
    }
    if (*s == '\r' && s[1] != '\n')
        return svmlight_refuse(w, "expected index:value", line, s);
    const char *stop =
        *s == '\n' ? s : memchr(s, '\n', (size_t)(w->text_end - s));
    if (w->has_nul && memchr(line, 0, (size_t)(stop - line)))
        return svmlight_refuse(w, "expected text, found a NUL byte", line, s);
    *at = stop + 1;
    return is_row ? 1 : -1;
}

/* The row's entries are kept; the last of them has its largest index. */
static void svmlight_keep(worker *w, int64_t before, int64_t entries)
{
    block *b = w->block;
    if (entries > before && w->index[entries - 1] >= b->largest)
        b->largest = (int64_t)w->index[entries - 1] + 1;
    worker_row_sparse(w, entries);
}

static void svmlight_parse(worker *w, const piece *p)
{
    const char *s = p->text, *end = p->text + p->size;
    int64_t entries = 0;
    w->block->lines = read_count_lines(p->text, p->size);
    if (!worker_begin_sparse(w, w->block->lines, p->size / 4 + 1)) {
        w->failed = 1;
        return;
    }
    while (s < end) {
        int64_t kept = entries;
        int got = svmlight_line(w, &s, &entries);
        if (got > 0)
            svmlight_keep(w, kept, entries);
        else if (got == 0) {
            entries = kept;
            if (!worker_bad_sparse(w, kept))
                return;
            s = (const char *)memchr(s, '\n', (size_t)(end - s)) + 1;
        }
    }
    if (w->plan->drop_bad)
        w->block->fault = (fault){0};
    worker_end_sparse(w);
}

/* ---- the whole file ---- */

/* Without a header the first bytes are a record's: with --bad-rows drop a byte
   order mark is part of it. */
static sotto_status svmlight_read(sotto_table *t, source *s,
                                  const sotto_options *options,
                                  const read_hook *hook, sotto_error *error)
{
    column_plan p;
    int64_t features = option_given(options, OPTION_FEATURES)
                           ? option_integer(options, OPTION_FEATURES)
                           : 0;
    sotto_status status =
        plan_numbered(&p, source_name(s), features, options, error);
    if (status != SOTTO_OK)
        return status;
    status = read_call(hook, &p, 1, error);
    if (status == SOTTO_OK && !p.drop_bad)
        status = read_skip_mark(s, error);
    loader l = {.s = s,
                .p = &p,
                .sparse = 1,
                .parse = svmlight_parse,
                .cut = read_cut_lines};
    if (status == SOTTO_OK)
        status = loader_run(&l, t, 0, error);
    plan_free(&p);
    return status;
}

const file_format format_svmlight = {
    .endings = {".svm", ".libsvm", ".svmlight"},
    .columns = COLUMNS_NUMBERED,
    .sparse = 1,
    .read = svmlight_read,
    .write_row = generate_svmlight_row,
};
