/*
 * The plan of files whose columns have numbers instead of names: svmlight
 * (a label and numbered features) and, for its labels, .npy. Sparse features
 * in memory are declared in the same way (column_plan_beside.c).
 */
#include "column_plan.h"
#include "number.h"

#include <math.h>

sotto_status plan_need_numbers(const column_plan *p, sotto_error *error)
{
    if (!p->classes || p->classes_numeric)
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "--classes: the labels of svmlight and .npy are numbers; "
                     "expected numbers A,B,...");
}

static sotto_status plan_refuse_names(const sotto_options *options,
                                      sotto_error *error)
{
    static const option_id named[] = {OPTION_TARGET,      OPTION_WEIGHTS,
                                      OPTION_DROP,        OPTION_ONLY,
                                      OPTION_UNIT_COLUMN, OPTION_WEIGHT_BOUND};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (option_given(options, named[i]))
            return error_set(error, SOTTO_USAGE,
                             "--%s: svmlight has no named columns (its "
                             "target is the first field)",
                             sotto_option_at(named[i])->name);
    if (option_given(options, OPTION_PARTS))
        return error_set(error, SOTTO_USAGE,
                         "--parts: svmlight has no named columns, and so none "
                         "that says which part a row belongs to; expected CSV "
                         "or .npy");
    return SOTTO_OK;
}

/* Zeros are not stored, so zero must stay zero: the map is a division. */
static sotto_status plan_number_bounds(column_plan *p, const char *path,
                                       const column *c, sotto_error *error)
{
    double index = 0;
    if (!number_whole(c->name, &index) || index < 1 ||
        index > (double)p->features || index != floor(index) ||
        c->role != COLUMN_NUMBER || c->missing != MISSING_REFUSE)
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": numbered features are called 1 "
                         "to %lld and can have the type number with bounds",
                         show_name(path).text, show_name(c->name).text,
                         (long long)p->features);
    if (c->bounded && !(c->low <= 0 && c->high >= 0))
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": the bounds of a numbered "
                         "feature must include 0, which is not written out",
                         show_name(path).text, show_name(c->name).text);
    p->low[(int64_t)index - 1] = c->bounded ? c->low : -INFINITY;
    p->high[(int64_t)index - 1] = c->bounded ? c->high : INFINITY;
    return SOTTO_OK;
}

/* Whether an entry of the schema is about a feature. A model that was learned
   from columns in memory may have had weights and people beside them. */
static int plan_is_numbered(const schema *s, const column *c)
{
    return c->role != COLUMN_TARGET && (!s->is_model || column_features(c));
}

static sotto_status plan_numbered_bounds(column_plan *p, const char *path,
                                         schema *s, sotto_error *error)
{
    column *by_default = &s->default_column;
    sotto_status status = SOTTO_OK;
    if (by_default->role == COLUMN_DROP || by_default->missing)
        return error_set(error, SOTTO_USAGE,
                         "%s: the \"default\" of numbered features can be a "
                         "number with bounds",
                         show_name(path).text);
    p->low = mem_zeroed((size_t)p->features, sizeof *p->low);
    p->high = mem_zeroed((size_t)p->features, sizeof *p->high);
    if (!p->low || !p->high)
        return error_memory(error);
    if (by_default->bounded && !(by_default->low <= 0 && by_default->high >= 0))
        return error_set(error, SOTTO_USAGE,
                         "%s: the bounds of numbered features must include "
                         "0, which is not written out",
                         show_name(path).text);
    for (int64_t j = 0; j < p->features; j++) {
        p->low[j] = by_default->bounded ? by_default->low : -INFINITY;
        p->high[j] = by_default->bounded ? by_default->high : INFINITY;
    }
    for (int64_t i = 0; i < s->columns && status == SOTTO_OK; i++)
        if (plan_is_numbered(s, &s->column[i]))
            status = plan_number_bounds(p, path, &s->column[i], error);
    return status;
}

static int plan_declares_features(const schema *s)
{
    int64_t others = 0;
    for (int64_t i = 0; i < s->columns; i++)
        others += plan_is_numbered(s, &s->column[i]);
    return s->has_default || others > 0;
}

sotto_status plan_numbered_features(column_plan *p, schema *s,
                                    const sotto_options *options,
                                    sotto_error *error)
{
    if (s->missing_words)
        return error_set(error, SOTTO_USAGE,
                         "%s: \"missing_values\" are words of CSV files; "
                         "%s none",
                         show_name(p->file).text,
                         p->naming == NAMES_LISTED ? "sparse features have"
                                                   : "svmlight has");
    if (!plan_declares_features(s))
        return SOTTO_OK;
    return plan_numbered_bounds(
        p, p->for_model ? "the model" : option_text(options, OPTION_SCHEMA), s,
        error);
}

static sotto_status plan_label(column_plan *p, schema *s, sotto_error *error)
{
    p->column = mem_zeroed(1, sizeof *p->column);
    if (!p->column)
        return error_memory(error);
    p->columns = 1;
    for (int64_t i = 0; i < s->columns; i++)
        if (s->column[i].role == COLUMN_TARGET) {
            if (p->column->name)
                return error_set(error, SOTTO_USAGE,
                                 "the schema has two targets; expected one");
            *p->column = s->column[i];
            s->column[i] = (column){.role = COLUMN_TARGET};
        }
    p->column->role = COLUMN_TARGET;
    if (p->for_model && !p->labelled) { /* the label may be any number */
        mem_free_texts(p->column->class_name, p->column->classes);
        p->column->class_name = NULL;
        p->column->classes = 0;
        p->column->bounded = 0;
    }
    if (!p->column->name)
        p->column->name = mem_text("target");
    p->target = p->column;
    plan_map(p->column);
    return p->column->name ? SOTTO_OK : error_memory(error);
}

sotto_status plan_numbered(column_plan *out, const char *file, int64_t features,
                           const sotto_options *options, sotto_error *error)
{
    schema s;
    column_plan p = {.file = file, .features = features};
    sotto_status status = plan_refuse_names(options, error);
    if (status == SOTTO_OK && !features && option_private(options))
        status = error_set(error, SOTTO_PRIVACY,
                           "%s: private training needs --features P: the "
                           "largest index is a property of the records",
                           show_name(file).text);
    if (status == SOTTO_OK && !features &&
        option_is(options, OPTION_BAD_ROWS, "drop"))
        status = error_set(error, SOTTO_USAGE,
                           "--bad-rows drop with svmlight needs --features P: "
                           "the largest index is a property of the records");
    if (status == SOTTO_OK && !features && option_given(options, OPTION_SCHEMA))
        status = error_set(error, SOTTO_USAGE,
                           "--schema with svmlight needs --features P");
    if (status == SOTTO_OK)
        status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    plan_settings(&p, options);
    for (int64_t i = 0; i < s.columns; i++)
        p.lacks_weight |=
            s.is_model && p.labelled && s.column[i].role == COLUMN_WEIGHT;
    status = plan_label(&p, &s, error);
    if (status == SOTTO_OK)
        status = plan_numbered_features(&p, &s, options, error);
    plan_take_words(&p, &s);
    if (status == SOTTO_OK)
        status = plan_target(&p, options, error);
    if (status == SOTTO_OK)
        status = plan_need_numbers(&p, error);
    if (status != SOTTO_OK) {
        plan_free(&p);
        return status;
    }
    *out = p;
    return SOTTO_OK;
}
