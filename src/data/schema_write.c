/*
 * The plan written down again as a schema: what a model keeps of the file it
 * was learned from, so that another file is read in just the same way. Made
 * of declarations and names only -- but for the classes 0/1 of a run that is
 * not private (see table.c).
 */
#include "column_plan.h"
#include "data.h"
#include "schema_column.h"

#include <math.h>

static json_t *declare_bounds(double low, double high)
{
    json_t *bounds = json_array();
    json_append(&bounds, json_real(low));
    json_append(&bounds, json_real(high));
    return bounds;
}

static json_t *declare_missing(const column *c)
{
    if (c->missing == MISSING_NONE)
        return json_string("none");
    if (c->role == COLUMN_CATEGORY)
        return json_string(c->level[c->fill_level]);
    return json_real(c->fill);
}

static json_t *declare_column(const column *c, const sotto_table *t)
{
#define COLUMN_NAME(id, name, ...) [COLUMN_##id] = name,
    static const char *const types[] = {COLUMN_LIST(COLUMN_NAME)};
    json_t *o = json_object();
    /* other files need not have parts: their column is left out */
    json_add_text(&o, "type",
                  types[c->role == COLUMN_PART ? COLUMN_DROP : c->role]);
    if (c->role == COLUMN_DATE)
        schema_put_date(&o, c);
    else if (c->role == COLUMN_BOOLEAN)
        schema_put_boolean(&o, c);
    else if (c->bounded && c->role <= COLUMN_WEIGHT)
        json_add(&o, "bounds", declare_bounds(c->low, c->high));
    if (c->asks_levels)
        json_add_text(&o, "levels", SCHEMA_PRIVATE);
    else if (c->role == COLUMN_CATEGORY)
        json_add(&o, "levels",
                 schema_list_words(c->level, c->levels - c->other));
    if (c->role == COLUMN_CATEGORY && c->other && !c->asks_levels)
        json_add(&o, SCHEMA_OTHER, json_true());
    if (c->role == COLUMN_TARGET && (t ? t->classes : c->classes))
        json_add(&o, "classes",
                 t ? schema_list_words(t->class_name, t->classes)
                   : schema_list_words(c->class_name, c->classes));
    if ((c->role == COLUMN_NUMBER || c->role == COLUMN_CATEGORY) &&
        c->missing != MISSING_REFUSE)
        json_add(&o, "missing", declare_missing(c));
    return o;
}

void schema_put_column(text_buffer *t, const column *c)
{
    json_t *o = declare_column(c, NULL);
    json_put(t, o);
    json_decref(o);
}

/* Columns that are left out need a line only where they would be refused. */
static json_t *declare_columns(const column_plan *p, const sotto_table *t)
{
    int drops = p->has_default && p->default_column.role == COLUMN_DROP;
    /* svmlight's label has no name; one that is a number would clash */
    int nameless = t->sparse && p->naming != NAMES_LISTED;
    json_t *columns = json_object();
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        if (!drops || c->role < COLUMN_DROP)
            json_add(&columns, nameless ? "target" : c->name,
                     declare_column(c, t));
    }
    return columns;
}

/* Numbered features: those whose bounds are not the default's. */
static void declare_numbered(json_t **columns, const column_plan *p,
                             const double *low, const double *high)
{
    const column *s = &p->default_column;
    for (int64_t j = 0; low && j < p->features; j++) {
        int bounded = isfinite(low[j]) != 0;
        char name[24];
        json_t *o;
        if (bounded == s->bounded &&
            (!bounded || (low[j] == s->low && high[j] == s->high)))
            continue;
        o = json_object();
        json_add_text(&o, "type", "number");
        if (bounded)
            json_add(&o, "bounds", declare_bounds(low[j], high[j]));
        snprintf(name, sizeof name, "%lld", (long long)j + 1);
        json_add(columns, name, o);
    }
}

/* Whether another file may meet the default again: features that are named
   are all listed. */
static int needs_default(const column_plan *p, int numbered)
{
    return p->has_default && (p->default_column.role == COLUMN_DROP ||
                              (numbered && p->default_column.bounded));
}

char *schema_of_plan(const column_plan *p, const sotto_table *t)
{
    text_buffer text = {0};
    json_t *whole = json_object(), *columns = declare_columns(p, t);
    if (t->sparse)
        declare_numbered(&columns, p, t->low, t->high);
    json_add_count(&whole, "sotto_schema", 1);
    if (p->missing_words)
        json_add(&whole, "missing_values",
                 schema_list_words(p->missing, p->missing_words));
    if (p->width)
        json_add_count(&whole, "width", p->width);
    if (needs_default(p, t->sparse))
        json_add(&whole, "default", declare_column(&p->default_column, NULL));
    json_add(&whole, "columns", columns);
    json_put(&text, whole);
    json_decref(whole);
    return text_take(&text);
}
