/*
 * What becomes of one column: its role, its map, and its place among the
 * features. Options, schema and header decide; no row has been read.
 */
#include "column_plan.h"

#include <stdlib.h>
#include <string.h>

/* Halves first, so that bounds near the largest double do not overflow. */
void plan_map(column *c)
{
    c->centre = 0;
    c->half = 1;
    if (c->bounded) {
        c->centre = c->low / 2 + c->high / 2;
        c->half = c->high / 2 - c->low / 2;
    }
}

static sotto_status plan_copy_default(column *c, const char *name,
                                      const schema *s, sotto_error *error)
{
    /* the default is a number or drop, which own nothing but their names */
    if (s->has_default)
        *c = s->default_column;
    c->name = mem_text(name);
    return c->name ? SOTTO_OK : error_memory(error);
}

int plan_compare_columns(const void *a, const void *b)
{
    return strcmp(((const column *)a)->name, ((const column *)b)->name);
}

/* The declaration of this name, if the schema (sorted by name) has one. */
static column *plan_declared(const char *name, const schema *s)
{
    column key = {.name = (char *)(uintptr_t)name};
    return s->columns ? bsearch(&key, s->column, (size_t)s->columns, sizeof key,
                                plan_compare_columns)
                      : NULL;
}

/* Moves a declaration from the schema to the column. A copy of the name stays
   in the schema, because plan_declared searches by names. */
static sotto_status plan_take(column *c, column *declared, sotto_error *error)
{
    *c = *declared;
    *declared = (column){.name = declared->name};
    c->name = mem_text(declared->name);
    return c->name ? SOTTO_OK : error_memory(error);
}

static sotto_status plan_role_by_option(column *c, const sotto_options *options,
                                        sotto_error *error)
{
    int is_target = option_is(options, OPTION_TARGET, c->name);
    int is_weight = option_is(options, OPTION_WEIGHTS, c->name);
    int is_unit = option_is(options, OPTION_UNIT_COLUMN, c->name);
    int kept = c->role == COLUMN_TARGET || c->role == COLUMN_WEIGHT ||
               c->role == COLUMN_UNIT;
    if (is_target + is_weight + is_unit +
            option_lists(options, OPTION_DROP, c->name) >
        1)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": named by two of --target, --weights, "
                         "--unit-column and --drop",
                         show_name(c->name).text);
    if ((is_target || is_weight) && c->role != COLUMN_UNIT && column_is_text(c))
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": a category, a date or a boolean in "
                         "the schema cannot be "
                         "the target or the weights; declare \"type\": "
                         "\"target\" with \"classes\"",
                         show_name(c->name).text);
    /* an option names another column for this role: the declared one is left
       out */
    if ((c->role == COLUMN_TARGET && option_given(options, OPTION_TARGET)) ||
        (c->role == COLUMN_WEIGHT && option_given(options, OPTION_WEIGHTS)) ||
        (c->role == COLUMN_UNIT && option_given(options, OPTION_UNIT_COLUMN)))
        c->role = COLUMN_DROP;
    if (is_unit) {
        c->role = COLUMN_UNIT;
        return SOTTO_OK;
    }
    if (is_target || is_weight) {
        c->role = is_target ? COLUMN_TARGET : COLUMN_WEIGHT;
        c->missing = MISSING_REFUSE; /* a rule for features does not apply */
    } else if (option_lists(options, OPTION_DROP, c->name) ||
               (option_given(options, OPTION_ONLY) && !kept &&
                !option_lists(options, OPTION_ONLY, c->name)))
        c->role = COLUMN_DROP;
    return SOTTO_OK;
}

static sotto_status plan_weight_bound(column *c, const sotto_options *options,
                                      sotto_error *error)
{
    if (option_given(options, OPTION_WEIGHT_BOUND)) {
        c->bounded = 1;
        c->low = 0;
        c->high = option_number(options, OPTION_WEIGHT_BOUND);
    }
    if (!c->bounded)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": weights need a declared bound: "
                         "--weight-bound B, or bounds in the schema",
                         show_name(c->name).text);
    if (c->low < 0)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": the bounds of a weight must not be "
                         "negative",
                         show_name(c->name).text);
    return SOTTO_OK;
}

/* The column of a file that is read for a model. Columns that the model does
   not need are left out; those that it needs cannot be dropped. */
static sotto_status plan_model_role(column_plan *p, column *c,
                                    const column *declared, sotto_error *error)
{
    int was_feature = declared && column_features(declared);
    if (!declared && c->role == COLUMN_NUMBER)
        return error_set(error, SOTTO_DATA,
                         "%s: %sthe model does not know the column \"%s\"; "
                         "leave it out with --drop",
                         show_name(p->file).text, plan_names_line(p),
                         show_name(c->name).text);
    if (declared && p->labelled && c->role == COLUMN_DROP &&
        declared->role == COLUMN_WEIGHT)
        p->lacks_weight = 1;
    if ((was_feature ||
         (declared && p->labelled && declared->role == COLUMN_TARGET)) &&
        c->role == COLUMN_DROP)
        return error_set(error, SOTTO_USAGE,
                         "--drop: the model needs the column \"%s\"",
                         show_name(c->name).text);
    /* whose rows they are matters where they are private */
    if ((c->role == COLUMN_UNIT && !p->is_private) ||
        (!p->labelled && !was_feature))
        c->role = COLUMN_DROP;
    return SOTTO_OK;
}

sotto_status plan_column(column_plan *p, column *c, const char *name,
                         const sotto_options *options, schema *s,
                         int has_schema, sotto_error *error)
{
    column *declared = plan_declared(name, s);
    column as_declared = declared ? *declared : (column){0};
    sotto_status status = declared ? plan_take(c, declared, error)
                                   : plan_copy_default(c, name, s, error);
    if (status == SOTTO_OK)
        status = plan_role_by_option(c, options, error);
    if (status == SOTTO_OK)
        status = plan_part(p, c, options, error);
    if (status == SOTTO_OK && s->is_model)
        status = plan_model_role(p, c, declared ? &as_declared : NULL, error);
    if (status != SOTTO_OK)
        return status;
    if (has_schema && !declared && !s->has_default &&
        (c->role == COLUMN_NUMBER))
        return error_set(error, SOTTO_DATA,
                         "%s: column \"%s\" is not in the schema: declare "
                         "it, --drop it, or give the schema a \"default\"",
                         show_name(p->file).text, show_name(name).text);
    if (c->role == COLUMN_WEIGHT)
        return plan_weight_bound(c, options, error);
    plan_map(c);
    return SOTTO_OK;
}

sotto_status plan_check_asked(const column_plan *p, sotto_error *error)
{
    for (int64_t i = 0; p->for_model && i < p->columns; i++)
        if (p->column[i].asks_levels)
            return error_set(error, SOTTO_USAGE,
                             "%s: column \"%s\": the model has no levels of "
                             "it; expected a model as 'sotto train' wrote it",
                             show_name(p->file).text,
                             show_name(p->column[i].name).text);
    return SOTTO_OK;
}

static sotto_status plan_single(const column_plan *p, const char *what,
                                const column **slot, const column *c,
                                sotto_error *error)
{
    if (*slot)
        return error_set(error, SOTTO_USAGE,
                         "%s: columns \"%s\" and \"%s\" are both the %s; "
                         "expected one",
                         show_name(p->file).text, show_name((*slot)->name).text,
                         show_name(c->name).text, what);
    *slot = c;
    return SOTTO_OK;
}

/* Places of the features in the table, in the order of the file, or of the
   model that has asked for them. */
sotto_status plan_places(column_plan *p, sotto_error *error)
{
    const column *weight = NULL, *unit = NULL;
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < p->columns && status == SOTTO_OK; i++) {
        column *c = &p->column[i];
        c->feature = p->for_model ? c->place : p->features;
        p->features += column_features(c);
        if (c->role != COLUMN_CATEGORY)
            c->asks_levels = 0; /* it is left out */
        if (c->asks_levels)
            c->slot = p->level_columns++;
        if (c->role == COLUMN_TARGET)
            status = plan_single(p, "target", &p->target, c, error);
        else if (c->role == COLUMN_PART)
            p->part = c;
        else if (c->role == COLUMN_WEIGHT)
            status = plan_single(p, "weight", &weight, c, error);
        else if (c->role == COLUMN_UNIT)
            status = plan_single(p, "unit", &unit, c, error);
    }
    p->has_weight = weight != NULL;
    p->has_unit = unit != NULL;
    if (status == SOTTO_OK && !weight && p->weight_bound_given)
        return error_set(error, SOTTO_USAGE,
                         "--weight-bound needs --weights NAME");
    if (status == SOTTO_OK && p->features == 0)
        return error_set(error, SOTTO_DATA,
                         "%s: no column is left to learn from; expected at "
                         "least one feature",
                         show_name(p->file).text);
    return status;
}
