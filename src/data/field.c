/*
 * Fields of text, see field.h. What becomes of one depends on its bytes and on
 * the column plan alone.
 */
#include "field.h"
#include "number.h"
#include "row_value.h"

#include <string.h>

static const char field_not_number[] =
    "expected a number; --drop the column, or declare in a schema that it is "
    "a category or unit, or that the word means a missing value";

static const char field_comma[] =
    "expected a number with a decimal point, found a comma in it; give "
    "--decimal comma or --thousands comma if that is what it is";

static const char field_marks[] =
    "expected a number as --decimal and --thousands say";

static const char field_not_target[] =
    "expected a number; for a target of two classes give --loss logistic and "
    "--classes A,B,...";

static const char field_not_class[] =
    "expected one of the two classes -1/+1 or 0/1; declare others with "
    "--classes A,B,...";

static const char field_not_declared[] =
    "expected one of the declared classes, which are numbers";

static const char field_not_models[] =
    "expected a number, as in the file that the model was learned from";

/* What a message expects of a column where a field is not a number. */
static const char *field_expected(const column_plan *p, const column *c)
{
    if (p->for_model)
        return field_not_models;
    if (c->role == COLUMN_TARGET && plan_has_classes(p) && p->classes)
        return field_not_declared;
    if (c->role == COLUMN_TARGET)
        return plan_has_classes(p) ? field_not_class : field_not_target;
    return c->role == COLUMN_WEIGHT ? "expected a weight, a number"
                                    : field_not_number;
}

/* How many bytes the whole part takes, whose digits are added to w->plain; -1:
   thousands are separated, but not all of them, or not by threes. */
static int64_t field_whole_part(worker *w, const char *text, size_t size)
{
    size_t i = 0, run = 0, marks = 0;
    for (; i < size; i++) {
        int is_mark = w->plan->thousands && text[i] == w->plan->thousands;
        if (!is_mark && (text[i] < '0' || text[i] > '9'))
            break;
        if (is_mark && (run == 0 || run > 3 || (marks && run != 3)))
            return -1;
        if (!is_mark)
            text_add(&w->plain, text + i, 1);
        run = is_mark ? 0 : run + 1;
        marks += (size_t)is_mark;
    }
    return marks && run != 3 ? -1 : (int64_t)i;
}

/* Writes the field to w->plain as number_parse reads it, by its bytes and the
   plan alone; 0: a mark is where none may be. */
static int field_unmark(worker *w, const char *text, size_t size)
{
    static const char padding[SOURCE_PADDING] = {'\n'};
    const char *end = text + size;
    w->plain.length = 0;
    if (text < end && (*text == '-' || *text == '+'))
        text_add(&w->plain, text++, 1);
    int64_t whole = field_whole_part(w, text, (size_t)(end - text));
    if (whole < 0)
        return 0;
    text += whole;
    if (text < end && *text == (w->plan->decimal ? w->plan->decimal : '.')) {
        text_put(&w->plain, ".");
        text++;
    }
    if (memchr(text, '.', (size_t)(end - text)))
        return 0;
    text_add(&w->plain, text, (size_t)(end - text));
    text_add(&w->plain, padding, sizeof padding);
    w->failed |= w->plain.failed;
    return !w->plain.failed;
}

/* A number with the marks that the options declare. */
static int field_marked(worker *w, const column *c, const char *text,
                        size_t size, const char **expected)
{
    double v;
    *expected = field_marks;
    if (!field_unmark(w, text, size))
        return 0;
    const char *s = w->plain.data;
    const char *end = s + w->plain.length - SOURCE_PADDING;
    number_kind kind = number_parse(&s, &v);
    if (s != end || kind == NUMBER_BAD)
        return 0;
    return kind == NUMBER_MISSING ? value_missing(w, c, expected)
                                  : value_number(w, c, v, text, expected);
}

static int field_number(worker *w, const column *c, const char *text,
                        size_t size, const char **expected)
{
    const char *s = text;
    double v;
    if (value_is_missing_word(w->plan, text, size))
        return value_missing(w, c, expected);
    if (w->plan->decimal || w->plan->thousands)
        return field_marked(w, c, text, size, expected);
    number_kind kind = number_parse(&s, &v);
    *expected = field_expected(w->plan, c);
    if (s != text + size || kind == NUMBER_BAD) {
        if (s < text + size && *s == ',')
            *expected = field_comma;
        return 0;
    }
    if (kind == NUMBER_MISSING)
        return value_missing(w, c, expected);
    return value_number(w, c, v, text, expected);
}

int field_is_text(const column_plan *p, const column *c)
{
    return column_is_text(c) || c->role == COLUMN_PART ||
           (c->role == COLUMN_TARGET && plan_has_classes(p) && p->classes &&
            !p->classes_numeric);
}

int field_text(worker *w, const column *c, const char *text, size_t size,
               const char **expected)
{
    if (c->role != COLUMN_PART && value_is_missing_word(w->plan, text, size))
        return value_missing(w, c, expected);
    return value_text(w, c, text, size, expected);
}

static int field_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

int field_value(worker *w, const column *c, const char *text, size_t size,
                int quoted, const char **expected)
{
    if (c->role == COLUMN_DROP)
        return 1;
    int is_text = field_is_text(w->plan, c);
    if (!quoted || !is_text) { /* blanks inside quotes belong to a text */
        while (size && field_is_blank(*text))
            text++, size--;
        while (size && field_is_blank(text[size - 1]))
            size--;
    }
    if (size == 0)
        return value_missing(w, c, expected);
    return is_text ? field_text(w, c, text, size, expected)
                   : field_number(w, c, text, size, expected);
}
