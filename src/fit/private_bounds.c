/*
 * Bounds that nobody declared, and that were bought: what they turned out to
 * be is made of answers, so that it may be told. It stands in the statement,
 * and in the model's schema, as if it had been declared: then rows to predict
 * are clamped as those of the training were.
 */
#include "json.h"
#include "private.h"

#include <math.h>
#include <string.h>

sotto_status fit_begin_private_bounds(private_run *r, sotto_error *error)
{
    size_t count = (size_t)r->run.facts.features;
    r->answer.bounds = mem_zeroed(count + 1, sizeof *r->answer.bounds);
    if (!r->answer.bounds)
        return error_memory(error);
    memcpy(r->answer.bounds, r->run.smooth.reach,
           count * sizeof *r->answer.bounds);
    r->answer.bounds[count] = r->run.smooth.target_reach;
    return SOTTO_OK;
}

const char *fit_bounds_word(const private_run *r)
{
    int missing = 0;
    if (!r->run.solver->smooth)
        return "not used";
    for (int64_t j = 0; r->run.smooth.reach && j < r->run.facts.features; j++)
        missing |= !isfinite(r->run.smooth.reach[j]);
    return missing ? "from declared bounds, and from answers where there are "
                     "none"
                   : fit_smoothness_word(r->run.options);
}

static int is_bought(double declared, double now)
{
    return !isfinite(declared) && isfinite(now);
}

int fit_has_private_bounds(const private_run *r)
{
    int64_t p = r->run.facts.features;
    int any = r->answer.bounds &&
              is_bought(r->run.smooth.target_reach, r->answer.bounds[p]);
    for (int64_t j = 0; r->answer.bounds && j < p && !any; j++)
        any = is_bought(r->run.smooth.reach[j], r->answer.bounds[j]);
    return any;
}

/* Where all of them have the same bound it is told once. */
static json_t *features_of(const private_run *r, const sotto_model *m)
{
    json_t *all = json_object();
    for (int64_t j = 0; j < m->features; j++) {
        char buffer[24];
        double bound = r->answer.bounds[j];
        if (!is_bought(r->run.smooth.reach[j], bound))
            continue;
        if (r->answer.common_bound) {
            json_decref(all);
            return json_real(bound);
        }
        json_add_number(&all, sotto_model_feature_name(m, j, buffer), bound);
    }
    return all;
}

void fit_put_private_bounds(const private_run *r, const sotto_model *m,
                            json_t **statement)
{
    json_t *bounds = json_object();
    double target = r->answer.bounds[m->features];
    if (is_bought(r->run.smooth.target_reach, target))
        json_add_number(&bounds, "target", target);
    json_add(&bounds, "features", features_of(r, m));
    json_add(statement, "bought_bounds", bounds);
}

/* ---- the model's schema ---- */

/* `column` has these bounds; what fills in for missing values is within. */
static int put_bounds(json_t *column, double bound)
{
    json_t *missing = json_object_get(column, "missing");
    double fill = json_number_value(missing);
    if (json_is_number(missing) && fabs(fill) > bound &&
        json_object_set_new(column, "missing",
                            json_real(copysign(bound, fill))))
        return 0;
    return !json_object_set_new(column, "bounds",
                                json_pack("[f, f]", -bound, bound)) &&
           !json_object_set_new(column, SCHEMA_BOUGHT, json_true());
}

static int put_column(json_t *columns, const char *name, double bound)
{
    json_t *column = json_object_get(columns, name);
    if (!column) {
        column = json_pack("{s: s}", "type", "number");
        if (json_object_set_new(columns, name, column))
            return 0;
    }
    return put_bounds(column, bound);
}

/* Numbered features that are not listed have one declaration together. */
static int put_default(json_t *root, double bound)
{
    json_t *all = json_object_get(root, "default");
    if (!all) {
        all = json_pack("{s: s}", "type", "number");
        if (json_object_set_new(root, "default", all))
            return 0;
    }
    return put_bounds(all, bound);
}

static int put_schema(const private_run *r, const sotto_model *m, json_t *root)
{
    json_t *columns = json_object_get(root, "columns");
    int fine = json_is_object(columns), together = 0;
    for (int64_t j = 0; fine && j < m->features; j++) {
        char buffer[24];
        const char *name = sotto_model_feature_name(m, j, buffer);
        if (!is_bought(r->run.smooth.reach[j], r->answer.bounds[j]))
            continue;
        int one = !r->answer.common_bound || m->name ||
                  json_object_get(columns, name);
        if (one)
            fine = put_column(columns, name, r->answer.bounds[j]);
        else if (!together++)
            fine = put_default(root, r->answer.bounds[j]);
    }
    return fine;
}

sotto_status fit_declare_private_bounds(const private_run *r, sotto_model *m,
                                        sotto_error *error)
{
    char *form = NULL;
    if (!fit_has_private_bounds(r))
        return SOTTO_OK;
    json_t *root = json_read(m->schema, strlen(m->schema), NULL);
    if (root && put_schema(r, m, root))
        form = model_form(root);
    json_decref(root);
    if (!form)
        return error_memory(error);
    mem_free(m->schema);
    m->schema = form;
    return SOTTO_OK;
}
