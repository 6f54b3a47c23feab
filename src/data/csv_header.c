/*
 * The header of a CSV file: the names of its columns, in one line.
 */
#include "csv.h"
#include "npy.h"
#include "number.h"

#include <string.h>

enum { CSV_MOST = 10000000 }; /* columns that --no-header counts */

/* The header is one physical line, even where a quote is left open in it.
   Otherwise the records after it would become a name, and names are public. */
static size_t csv_cut_first(const char *text, size_t size, const void *context)
{
    const char *newline = memchr(text, '\n', size);
    (void)context;
    return newline ? (size_t)(newline - text) + 1 : 0;
}

/* The delimiter that the options or the file's name say. */
static sotto_status csv_delimiter(const char *file,
                                  const sotto_options *options, char *out,
                                  sotto_error *error)
{
    const char *said = option_text(options, OPTION_DELIMITER);
    if (!said) {
        size_t length = source_bare_length(file);
        *out =
            length > 4 && !strncmp(file + length - 4, ".tsv", 4) ? '\t' : ',';
        return SOTTO_OK;
    }
    *out = !strcmp(said, "tab") || !strcmp(said, "\\t") ? '\t' : said[0];
    if ((*out == said[0] && said[1]) || !strchr("\t ,;:|!#$%&/<=>?@^_~*", *out))
        return error_set(error, SOTTO_USAGE,
                         "--delimiter: expected one character such as , ; | "
                         "or the word tab");
    return SOTTO_OK;
}

/* Past the name that starts at s, at the delimiter or newline after it;
   NULL and *expected when it is malformed. */
static const char *csv_name_end(const char *s, const char *end, char delimiter,
                                const char **expected)
{
    if (*s == '"') {
        s = csv_skip_quoted(s, end);
        *expected = s ? csv_after_quote : csv_open_quote;
        if (s && *s == '\r')
            s++;
        return s && (*s == delimiter || *s == '\n') ? s : NULL;
    }
    while (*s != delimiter && *s != '\n') {
        *expected = "expected lines that end with a newline, found a carriage "
                    "return alone";
        if (*s == '\r' && s[1] != '\n')
            return NULL;
        s++;
    }
    return s;
}

/* Leaves the blanks out around a name; whether anything is in it. */
static int csv_trim(const char **s, const char **end)
{
    while (*s < *end && (**s == ' ' || **s == '\t'))
        ++*s;
    while (*s < *end && strchr(" \t\r", (*end)[-1]))
        --*end;
    return *s < *end && !(**s == '"' && *end - *s == 2);
}

/* A name without blanks around it, quotes undone. */
static char *csv_name(const char *s, const char *end, int64_t number)
{
    text_buffer name = {0};
    if (!csv_trim(&s, &end))
        text_format(&name, "column_%lld", (long long)number);
    else if (*s != '"')
        text_add(&name, s, (size_t)(end - s));
    else
        for (s++; s < end - 1; s += *s == '"' ? 2 : 1)
            text_add(&name, s, 1);
    return text_take(&name);
}

/* The first line of a file without a header is a record. It must not be taken
   for names, because names are public. So a number is refused as a name, unless
   it is the column's own number (from 0 or from 1). */
static int csv_may_be_name(const char *name, int64_t number)
{
    double value;
    return !number_whole(name, &value) || value == (double)number ||
           value == (double)number - 1;
}

/* Whether it could be a value: nothing, a number, or figures with marks in
   between, as dates have. */
static int csv_like_value(const char *s, const char *end, const char *name)
{
    double value;
    return !csv_trim(&s, &end) || number_whole(name, &value) ||
           (number_is_digit(*name) && !name[strspn(name, "0123456789-/.: TZ")]);
}

/* Whether the names are 1, 2, 3, ... or 0, 1, 2, ...: programs write that. */
static int csv_counts(const file_header *h)
{
    double first, value;
    int counts = h->count > 1 && number_whole(h->name[0], &first);
    for (int64_t i = 1; counts && i < h->count; i++)
        counts = number_whole(h->name[i], &value) && value - first == (double)i;
    return counts;
}

/* Whether this is another character that often separates fields. */
static int csv_separates(char c, char delimiter)
{
    return c && c != delimiter && strchr(",;\t|", c);
}

static sotto_status csv_refuse_delimiter(const char *file, char found,
                                         sotto_error *error)
{
    char quoted[4] = {'\'', found, '\'', 0};
    return error_set(error, SOTTO_DATA,
                     "%s: line 1: the header seems to be separated by %s: give "
                     "--delimiter %s (or, if it is one name, put quotes around "
                     "it)",
                     show_name(file).text, found == '\t' ? "tabs" : quoted,
                     found == '\t' ? "tab" : quoted);
}

/* Refuses a malformed name; another delimiter may be the reason. */
static sotto_status csv_refuse_name(const char *s, const char *end,
                                    const char *file, char delimiter,
                                    int64_t number, const char *expected,
                                    sotto_error *error)
{
    const char *past =
        expected == csv_after_quote ? csv_skip_quoted(s, end) : NULL;
    if (past && past < end && csv_separates(*past, delimiter))
        return csv_refuse_delimiter(file, *past, error);
    return error_set(error, SOTTO_DATA, "%s: line 1, column %lld: %s",
                     show_name(file).text, (long long)number, expected);
}

/* A header that is one unquoted name with another separator in it has another
   delimiter. */
static sotto_status csv_check_single(const char *name, const char *file,
                                     char delimiter, sotto_error *error)
{
    for (; *name; name++)
        if (csv_separates(*name, delimiter))
            return csv_refuse_delimiter(file, *name, error);
    return SOTTO_OK;
}

/* Adds a name to the header, which has room for a power of two of them. */
static int csv_add_name(file_header *h, char *name)
{
    if (name && (h->count & (h->count - 1)) == 0) {
        size_t room = h->count ? (size_t)h->count * 2 : 1;
        char **more = mem_resize(h->name, room, sizeof *more);
        if (!more) {
            mem_free(name);
            return 0;
        }
        h->name = more;
    }
    if (name)
        h->name[h->count++] = name;
    return name != NULL;
}

static sotto_status csv_split_header(file_header *h, const piece *p,
                                     const char *file, sotto_error *error)
{
    const char *s = p->text, *end = p->text + p->size, *expected = NULL;
    h->like_values = 1;
    for (; s < end; s++) {
        const char *stop = csv_name_end(s, end, h->delimiter, &expected);
        if (!stop)
            return csv_refuse_name(s, end, file, h->delimiter, h->count + 1,
                                   expected, error);
        if (!csv_add_name(h, csv_name(s, stop, h->count + 1)))
            return error_memory(error);
        if (!csv_may_be_name(h->name[h->count - 1], h->count))
            return error_set(error, SOTTO_DATA,
                             "%s: line 1, column %lld: expected the name of a "
                             "column, found a number; if the first line is a "
                             "record, give --no-header NAMES",
                             show_name(file).text, (long long)h->count);
        h->like_values &= csv_like_value(s, stop, h->name[h->count - 1]);
        s = stop;
    }
    h->like_values &= !csv_counts(h);
    return h->count == 1 && p->text[0] != '"'
               ? csv_check_single(h->name[0], file, h->delimiter, error)
               : SOTTO_OK;
}

static sotto_status csv_check_header(const piece *p, const char *file,
                                     sotto_error *error)
{
    if (!p->size || p->text[0] == '\n' || p->text[0] == '\r')
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: expected a header with the names of "
                         "the columns%s",
                         show_name(file).text,
                         p->size ? "" : ", found an empty file");
    if (!text_is_utf8(p->text, p->size))
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: the header is not UTF-8; expected "
                         "UTF-8 names: convert the file with iconv",
                         show_name(file).text);
    if (memchr(p->text, 0, p->size))
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: a NUL byte in the header; expected text",
                         show_name(file).text);
    return SOTTO_OK;
}

static sotto_status csv_refuse_list(int64_t number, const char *how,
                                    sotto_error *error)
{
    char which[40] = "";
    if (number)
        snprintf(which, sizeof which, "; name %lld ", (long long)number);
    return error_set(error, SOTTO_USAGE,
                     "--no-header: expected the names of the columns, "
                     "A,B,..., or how many there are, from 1 to %d%s%s",
                     CSV_MOST, which, how);
}

/* A name of --no-header: as a header may have it, but without quotes, and there
   must be one. */
static sotto_status csv_list_name(file_header *h, const char *text,
                                  sotto_error *error)
{
    const char *s = text, *end = text + strlen(text);
    int64_t number = h->count + 1;
    if (!csv_trim(&s, &end))
        return csv_refuse_list(number, "is empty", error);
    if (strpbrk(text, "\"\r\n"))
        return csv_refuse_list(number, "has a quote or a newline", error);
    if (!csv_add_name(h, csv_name(s, end, number)))
        return error_memory(error);
    return csv_may_be_name(h->name[h->count - 1], number)
               ? SOTTO_OK
               : csv_refuse_list(number, "is a number", error);
}

static sotto_status csv_list_names(file_header *h, const sotto_options *options,
                                   sotto_error *error)
{
    size_t cursor = 0;
    char *text = NULL;
    int got = 0;
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK &&
           (got = option_next(options, OPTION_NO_HEADER, &cursor, &text)) > 0) {
        status = csv_list_name(h, text, error);
        mem_free(text);
    }
    return got < 0 ? error_memory(error) : status;
}

/* The names are an option's, and public: the file's first line, which is a
   record, decides neither about them nor about their number. */
static sotto_status csv_list(file_header *h, const sotto_options *options,
                             sotto_error *error)
{
    const char *said = option_text(options, OPTION_NO_HEADER);
    double count = 0;
    if (said[strspn(said, "0123456789")])
        return csv_list_names(h, options, error);
    if (!number_whole(said, &count) || !(count >= 1 && count <= CSV_MOST))
        return csv_refuse_list(0, "", error);
    return npy_names(h, (int64_t)count, error);
}

/* The first line, which is taken from the source. */
static sotto_status csv_first_line(file_header *out, source *s,
                                   sotto_error *error)
{
    static const source_cutting how = {1 << 16, READER_LONGEST, 0,
                                       csv_cut_first, NULL};
    const char *file = source_name(s);
    piece p = {0};
    sotto_status status = read_skip_mark(s, error);
    if (status == SOTTO_OK)
        status = source_next(s, &how, &p, error);
    if (status == SOTTO_OK)
        status = csv_check_header(&p, file, error);
    if (status == SOTTO_OK)
        status = csv_split_header(out, &p, file, error);
    source_release(&p);
    return status;
}

sotto_status csv_header(source *s, const sotto_options *options,
                        file_header *out, sotto_error *error)
{
    int listed = option_given(options, OPTION_NO_HEADER);
    char delimiter = 0;
    *out = (file_header){0};
    sotto_status status =
        csv_delimiter(source_name(s), options, &delimiter, error);
    if (status == SOTTO_OK && listed)
        status = csv_list(out, options, error);
    out->delimiter = delimiter;
    out->listed = listed;
    if (status == SOTTO_OK && !listed)
        status = csv_first_line(out, s, error);
    if (status != SOTTO_OK)
        header_free(out);
    return status;
}

/* ---- of several files ---- */

static sotto_status csv_compare(const source *first, const file_header *h,
                                const source *s, const file_header *other,
                                sotto_error *error)
{
    int64_t i = 0;
    if (h->delimiter != other->delimiter)
        return error_set(error, SOTTO_DATA,
                         "%s: its name says another delimiter than that of "
                         "%s: give --delimiter",
                         show_name(source_name(s)).text,
                         show_name(source_name(first)).text);
    while (i < h->count && i < other->count &&
           !strcmp(h->name[i], other->name[i]))
        i++;
    if (i == h->count && i == other->count)
        return SOTTO_OK;
    /* a file without a header begins with a record: what was found is not told
     */
    shown name = show_name(i < h->count ? h->name[i] : "");
    const char *quote = i < h->count ? "\"" : "";
    return error_set(error, SOTTO_DATA,
                     "%s: line 1, column %lld: expected the columns of %s in "
                     "the same order: %s%s%s, found %s",
                     show_name(source_name(s)).text, (long long)i + 1,
                     show_name(source_name(first)).text, quote,
                     i < h->count ? name.text : "no more of them", quote,
                     i < other->count ? "another name" : "the end of the line");
}

sotto_status csv_headers_after(const source *s, const file_header *h,
                               const sotto_options *options, sotto_error *error)
{
    const source *first = s;
    sotto_status status = SOTTO_OK;
    for (source *next; status == SOTTO_OK && (next = source_following(s));
         s = next) {
        file_header other;
        status = csv_header(next, options, &other, error);
        if (status != SOTTO_OK)
            break;
        status = csv_compare(first, h, next, &other, error);
        header_free(&other);
    }
    return status;
}
