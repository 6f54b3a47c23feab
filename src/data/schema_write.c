/*
 * The plan written down again as a schema: what a model keeps of the file it
 * was learned from, so that another file is read in just the same way. Made
 * of declarations and names only -- but for the classes 0/1 of a run that is
 * not private (see table.c).
 */
#include "column_plan.h"

#include <math.h>

static void declare_bounds(text_buffer *t, double low, double high)
{
    text_put(t, ", \"bounds\": [");
    text_number(t, low);
    text_put(t, ", ");
    text_number(t, high);
    text_put(t, "]");
}

static void declare_words(text_buffer *t, const char *key, char *const *words,
                          int64_t count)
{
    text_format(t, "\"%s\": [", key);
    for (int64_t i = 0; i < count; i++) {
        text_put(t, i ? ", " : "");
        text_json(t, words[i]);
    }
    text_put(t, "]");
}

static void declare_missing(text_buffer *t, const column *c)
{
    if (c->missing == MISSING_REFUSE)
        return;
    text_put(t, ", \"missing\": ");
    if (c->missing == MISSING_NONE)
        text_put(t, "\"none\"");
    else if (c->role == COLUMN_CATEGORY)
        text_json(t, c->level[c->fill_level]);
    else
        text_number(t, c->fill);
}

static void declare_column(text_buffer *t, const column *c,
                           char *const class_name[2])
{
#define COLUMN_NAME(id, name, ...) [COLUMN_##id] = name,
    static const char *const types[] = {COLUMN_LIST(COLUMN_NAME)};
    text_format(t, "{\"type\": \"%s\"", types[c->role]);
    if (c->bounded && c->role <= COLUMN_WEIGHT)
        declare_bounds(t, c->low, c->high);
    if (c->role == COLUMN_CATEGORY) {
        text_put(t, ", ");
        declare_words(t, "levels", c->level, c->levels);
    }
    if (c->role == COLUMN_TARGET && class_name[0]) {
        text_put(t, ", ");
        declare_words(t, "classes", class_name, 2);
    }
    if (column_features(c))
        declare_missing(t, c);
    text_put(t, "}");
}

/* Columns that are left out need a line only where they would be refused. */
static void declare_columns(text_buffer *t, const column_plan *p,
                            char *const class_name[2], int numbered)
{
    int drops = p->has_default && p->default_column.role == COLUMN_DROP,
        any = 0;
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        if (drops && c->role == COLUMN_DROP)
            continue;
        text_put(t, any++ ? ", " : "");
        /* svmlight's label has no name; one that is a number would clash */
        text_json(t, numbered ? "target" : c->name);
        text_put(t, ": ");
        declare_column(t, c, class_name);
    }
}

/* Numbered features: those whose bounds are not the default's. */
static void declare_numbered(text_buffer *t, const column_plan *p,
                             const double *low, const double *high)
{
    const column *s = &p->default_column;
    for (int64_t j = 0; low && j < p->features; j++) {
        int bounded = isfinite(low[j]) != 0;
        if (bounded == s->bounded &&
            (!bounded || (low[j] == s->low && high[j] == s->high)))
            continue;
        text_format(t, ", \"%lld\": {\"type\": \"number\"", (long long)j + 1);
        if (bounded)
            declare_bounds(t, low[j], high[j]);
        text_put(t, "}");
    }
}

/* The default, where another file may meet it again: features that are named
   are all listed. */
static void declare_default(text_buffer *t, const column_plan *p, int numbered)
{
    int drops = p->default_column.role == COLUMN_DROP;
    if (!p->has_default || !(drops || (numbered && p->default_column.bounded)))
        return;
    text_put(t, "\"default\": ");
    declare_column(t, &p->default_column, (char *const[2]){NULL, NULL});
    text_put(t, ", ");
}

char *schema_of_plan(const column_plan *p, char *const class_name[2],
                     const double *low, const double *high, int numbered)
{
    text_buffer t = {0};
    text_put(&t, "{\"sotto_schema\": 1, ");
    if (p->missing_words) {
        declare_words(&t, "missing_values", p->missing, p->missing_words);
        text_put(&t, ", ");
    }
    if (p->width)
        text_format(&t, "\"width\": %lld, ", (long long)p->width);
    declare_default(&t, p, numbered);
    text_put(&t, "\"columns\": {");
    declare_columns(&t, p, class_name, numbered);
    if (numbered)
        declare_numbered(&t, p, low, high);
    text_put(&t, "}}");
    return text_take(&t);
}
