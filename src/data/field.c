/*
 * Fields of text, see field.h. What becomes of one depends on its bytes and on
 * the column plan alone.
 */
#include "field.h"
#include "number.h"
#include "row_value.h"

static const char field_not_number[] =
    "expected a number; --drop the column, or declare in a schema that it is "
    "a category or unit, or that the word means a missing value";

static const char field_comma[] =
    "expected a number with a decimal point, found a comma in it; convert the "
    "file";

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

static int field_number(worker *w, const column *c, const char *text,
                        size_t size, const char **expected)
{
    const char *s = text;
    double v;
    if (value_is_missing_word(w->plan, text, size))
        return value_missing(w, c, expected);
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
    return c->role == COLUMN_CATEGORY || c->role == COLUMN_UNIT ||
           c->role == COLUMN_PART ||
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
