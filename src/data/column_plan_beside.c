/*
 * The plan of sparse features in memory. The features are numbered, as those
 * of svmlight; beside them there are columns with names, which are no
 * features: target, weight, person, part.
 */
#include "column_plan.h"
#include "number.h"

#include <math.h>
#include <string.h>

static int is_beside(const column *c, char *const *names, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!strcmp(c->name, names[i]))
            return 1;
    return !column_features(c);
}

/* Puts what the schema says of columns beside the features first, and keeps
   the order (by name) of both; how many these are. */
static int64_t beside_first(schema *s, char *const *names, int64_t count)
{
    int64_t beside = 0;
    for (int64_t i = 0; i < s->columns; i++) {
        column c = s->column[i];
        if (!is_beside(&c, names, count))
            continue;
        memmove(&s->column[beside + 1], &s->column[beside],
                (size_t)(i - beside) * sizeof c);
        s->column[beside++] = c;
    }
    return beside;
}

static sotto_status beside_check(const column_plan *p, const column *c,
                                 sotto_error *error)
{
    double number;
    if (number_whole(c->name, &number) && number >= 1 &&
        number <= (double)p->features)
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": a numbered feature is called so; "
                         "rename the column",
                         show_name(p->file).text, show_name(c->name).text);
    if (column_features(c))
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": beside sparse features expected "
                         "target, weights, unit and parts only; --drop it",
                         show_name(p->file).text, show_name(c->name).text);
    return SOTTO_OK;
}

static sotto_status beside_columns(column_plan *p, schema *beside, char **names,
                                   int64_t count, const sotto_options *options,
                                   sotto_error *error)
{
    sotto_status status =
        plan_check_names(p, names, count, options, beside, error);
    p->column = mem_zeroed((size_t)count, sizeof *p->column);
    if (status == SOTTO_OK && !p->column)
        status = error_memory(error);
    while (status == SOTTO_OK && p->columns < count) {
        column *c = &p->column[p->columns];
        status =
            plan_column(p, c, names[p->columns++], options, beside, 0, error);
        if (status == SOTTO_OK)
            status = beside_check(p, c, error);
    }
    return status == SOTTO_OK ? plan_places(p, error) : status;
}

sotto_status plan_beside(column_plan *out, const char *file, int64_t features,
                         char **names, int64_t count,
                         const sotto_options *options, sotto_error *error)
{
    schema s;
    column_plan p = {
        .file = file, .features = features, .naming = NAMES_LISTED};
    sotto_status status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    plan_settings(&p, options);
    int64_t first = beside_first(&s, names, count);
    schema beside = {
        .column = s.column, .columns = first, .is_model = s.is_model};
    schema numbered = s;
    numbered.column = s.columns ? s.column + first : NULL;
    numbered.columns = s.columns - first;
    status = beside_columns(&p, &beside, names, count, options, error);
    if (status == SOTTO_OK)
        status = plan_numbered_features(&p, &numbered, options, error);
    plan_take_words(&p, &s);
    if (status == SOTTO_OK)
        status = plan_target(&p, options, error);
    if (status != SOTTO_OK) {
        plan_free(&p);
        return status;
    }
    *out = p;
    return SOTTO_OK;
}
