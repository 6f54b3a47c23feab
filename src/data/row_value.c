/*
 * The row-local maps, see row_value.h: from one field and the declarations
 * about its column to what is stored.
 */
#include "row_value.h"

#include <string.h>

/* The line of a row, for messages to the operator. Where bad rows are dropped
   there are no such messages, so lines are not counted. */
static int64_t value_line(const worker *w, const char *where)
{
    int64_t line = 1;
    if (w->row || w->plan->drop_bad)
        return w->row;
    for (const char *s = w->text; s < where; s++)
        line += *s == '\n';
    return line;
}

void worker_fault(worker *w, const char *expected, const column *at,
                  const char *where, int64_t place)
{
    w->block->fault = (fault){expected, at, value_line(w, where), place};
}

static int value_declared_class(const column_plan *p, double raw, double *out)
{
    for (int64_t i = 0; i < p->classes; i++)
        if (raw == p->class_value[i]) {
            *out = plan_class(p, i);
            return 1;
        }
    return 0;
}

/* The class of a numeric target: 1 when it is one of them. Not inlined, so
   that the way of plain numbers through value_number stays short. */
__attribute__((noinline)) static int value_class(worker *w, double raw,
                                                 const char *where, double *out)
{
    block *b = w->block;
    if (w->plan->classes)
        return w->plan->classes_numeric &&
               value_declared_class(w->plan, raw, out);
    *out = raw == 1 ? 1 : -1;
    /* for a check of the whole file (read_check_classes); what is stored does
       not depend on it */
    if (raw == -1 && !b->line_minus)
        b->line_minus = value_line(w, where);
    else if (raw == 0 && !b->line_zero)
        b->line_zero = value_line(w, where);
    return raw == 1 || raw == 0 || raw == -1;
}

const char value_class_expected[] = "expected one of the declared classes";

static const char value_class_usual[] =
    "expected one of the two classes -1/+1 or 0/1; declare others with "
    "--classes A,B,...";

const char value_level_expected[] =
    "expected one of the levels that the schema declares";

static const char value_too_large[] =
    "expected a number that fits a float; declare bounds or a missing-value "
    "policy in the schema";

static const char value_missing_expected[] =
    "expected a value, found none; declare what a missing value becomes in "
    "the schema";

static const char value_missing_model[] =
    "expected a value, found none; the model has no rule for a missing value "
    "here";

static const char value_needed[] =
    "expected a value, found none; every row needs one here";

static int value_means_missing(const column_plan *p, double raw)
{
    for (int64_t i = 0; i < p->missing_numbers; i++)
        if (raw == p->missing_number[i])
            return 1;
    return 0;
}

int value_number(worker *w, const column *c, double raw, const char *where,
                 const char **expected)
{
    double v;
    if (value_means_missing(w->plan, raw))
        return value_missing(w, c, expected);
    if (c->role == COLUMN_TARGET && plan_has_classes(w->plan)) {
        *expected = w->plan->classes ? value_class_expected : value_class_usual;
        return value_class(w, raw, where, &w->y);
    }
    if (c->role == COLUMN_WEIGHT) {
        *expected = "expected a weight that is not negative";
        w->weight = raw > c->high ? c->high : raw < c->low ? c->low : raw;
        return raw >= 0;
    }
    if (!value_map(c, raw, &v)) {
        if (value_missing(w, c, expected))
            return 1;
        *expected = value_too_large;
        return 0;
    }
    if (c->role == COLUMN_TARGET)
        w->y = v;
    else
        value_store(w, c, 0, v);
    return 1;
}

int value_missing(worker *w, const column *c, const char **expected)
{
    int is_feature = column_features(c) > 0;
    *expected = !is_feature          ? value_needed
                : w->plan->for_model ? value_missing_model
                                     : value_missing_expected;
    if (!is_feature || c->missing == MISSING_REFUSE)
        return 0;
    if (c->role == COLUMN_CATEGORY) {
        level_note(w, c, NULL, 0);
        for (int64_t i = 0; i < c->levels; i++)
            value_store(w, c, i,
                        c->missing == MISSING_FILL && i == c->fill_level);
        return 1;
    }
    if (c->role == COLUMN_DATE) {
        value_store_date(w, c, date_of_day(c->since + (int64_t)c->fill));
        return 1;
    }
    double v;
    if (!value_map(c, c->fill, &v))
        return 0;
    value_store(w, c, 0, v);
    return 1;
}

int value_is_missing_word(const column_plan *p, const char *bytes, size_t size)
{
    for (int64_t i = 0; i < p->missing_words; i++)
        if (value_same(p->missing[i], bytes, size))
            return 1;
    return 0;
}

/* One of the declared levels, or the level for all others where the column has
   one: which, this text and the declaration decide (Lemma D1). */
static int value_level(worker *w, const column *c, const char *bytes,
                       size_t size, const char **expected)
{
    int found = 0;
    int64_t named = c->levels - c->other;
    level_note(w, c, bytes, size);
    for (int64_t i = 0; i < named; i++) {
        int same = value_same(c->level[i], bytes, size);
        value_store(w, c, i, same);
        found |= same;
    }
    if (c->other)
        value_store(w, c, named, !found);
    *expected = value_level_expected;
    return found || c->other;
}

/* A row of another part is absent, as a bad row is where bad rows are dropped:
   there is no message about it. */
static int value_part(const column *c, const char *bytes, size_t size,
                      const char **expected)
{
    *expected = "expected one of the parts that are read";
    for (int64_t i = 0; i < c->levels; i++)
        if (value_same(c->level[i], bytes, size))
            return 1;
    return 0;
}

int value_part_number(const column_plan *p, double raw)
{
    for (int64_t i = 0; i < p->part->levels; i++)
        if (raw == p->part_number[i])
            return 1;
    return 0;
}

const char *value_way_out(const column_plan *p)
{
    return p->drop_bad ? "" : " (--bad-rows drop leaves such rows out)";
}

/* Declared names are public, so a message may list them: the first four. */
void value_list_allowed(const column_plan *p, const fault *f, text_buffer *out)
{
    char *const *name = NULL;
    int64_t count = 0;
    if (f->expected == value_date_expected && f->at)
        text_format(out, " \"%s\"", show_name(f->at->format).text);
    if (f->expected == value_boolean_expected && f->at)
        text_format(out, ": \"%s\", ... or \"%s\", ...",
                    show_name(f->at->level[0]).text,
                    show_name(f->at->level[f->at->truths]).text);
    if (f->expected == value_level_expected && f->at) {
        name = f->at->level;
        count = f->at->levels;
    } else if (f->expected == value_class_expected) {
        name = p->class_name;
        count = p->classes;
    }
    for (int64_t i = 0; i < count && i < 4; i++)
        text_format(out, "%s\"%s\"", i ? ", " : ": ", show_name(name[i]).text);
    text_put(out, count > 4 ? ", ..." : "");
}

int value_text(worker *w, const column *c, const char *bytes, size_t size,
               const char **expected)
{
    if (c->role == COLUMN_CATEGORY)
        return value_level(w, c, bytes, size, expected);
    if (c->role == COLUMN_DATE)
        return value_date(w, c, bytes, size, expected);
    if (c->role == COLUMN_BOOLEAN)
        return value_boolean(w, c, bytes, size, expected);
    if (c->role == COLUMN_UNIT) {
        w->unit.length = 0;
        text_add(&w->unit, bytes, size);
        w->failed |= w->unit.failed;
        return 1;
    }
    if (c->role == COLUMN_PART)
        return value_part(c, bytes, size, expected);
    *expected = value_class_expected;
    for (int64_t i = 0; i < w->plan->classes; i++)
        if (value_same(w->plan->class_name[i], bytes, size)) {
            w->y = plan_class(w->plan, i);
            return 1;
        }
    return 0;
}
