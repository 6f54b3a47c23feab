/*
 * From a table to a model: which solver, and what goes into a model whoever
 * made it. The maps of the columns are undone, so that the weights are for
 * the values as they stand in the file.
 */
#include "fit.h"
#include "json.h"
#include "ranks.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of solvers that have no such option: of the fit. */
static model_units units_of(const sotto_options *options)
{
    static const model_units units[] = {MODEL_UNITS_SPREAD, MODEL_UNITS_FIT,
                                        MODEL_UNITS_FILE};
    const solver_row *solver =
        option_exact(options) ? &solver_exact : solver_of(options);
    size_t i = 0;
    if (!solver_uses(solver, OPTION_PENALTY_UNITS))
        return MODEL_UNITS_FIT;
    while (!solver_is(options, solver, OPTION_PENALTY_UNITS,
                      model_units_name(units[i])))
        i++;
    return units[i];
}

fit_task fit_read_task(const sotto_options *options)
{
    fit_task t = {.l1 = option_number(options, OPTION_L1),
                  .l2 = option_number(options, OPTION_L2),
                  .units = units_of(options),
                  .low = -INFINITY,
                  .high = INFINITY,
                  .radius = INFINITY,
                  .intercept = option_is(options, OPTION_INTERCEPT, "yes")};
    loss_named(option_text(options, OPTION_LOSS), &t.loss.kind);
    t.one_versus_rest =
        option_is(options, OPTION_MULTICLASS, "one-versus-rest") ||
        (loss_has_classes(t.loss.kind) && !loss_has_log_odds(t.loss.kind));
    if (loss_has_delta(t.loss.kind))
        t.loss.delta = option_number(options, OPTION_HUBER_DELTA);
    option_pair(options, OPTION_BOX, &t.low, &t.high);
    if (solver_of(options)->one_ball && option_given(options, OPTION_RADIUS))
        t.radius = option_number(options, OPTION_RADIUS);
    return t;
}

/* ---- the model ---- */

static int fit_copy_names(sotto_model *m, const sotto_table *t)
{
    json_t *schema = json_read(t->schema, strlen(t->schema), NULL);
    m->schema = model_form(schema);
    json_decref(schema);
    m->class_name = mem_texts(t->class_name, t->classes);
    m->classes = m->class_name ? t->classes : 0;
    if (!m->class_name)
        return 0;
    if (t->name)
        m->name = mem_zeroed((size_t)t->features, sizeof *m->name);
    for (int64_t j = 0; m->name && j < t->features; j++) {
        m->name[j] = mem_text(t->name[j]);
        if (!m->name[j])
            return 0;
    }
    return m->schema && (!t->name || m->name);
}

sotto_status fit_begin(sotto_model **out, const fit_task *task,
                       const sotto_table *t, sotto_error *error)
{
    sotto_model *m = model_new(t->features);
    if (!m || !fit_copy_names(m, t) ||
        (m->classes > 2 && !model_make_classes(m))) {
        sotto_model_free(m);
        return error_memory(error);
    }
    m->loss = task->loss;
    m->l1 = task->l1;
    m->l2 = task->l2;
    m->units = task->units;
    m->low = task->low;
    m->high = task->high;
    m->radius = task->radius;
    m->scales_rows = t->scaled > 0;
    m->one_versus_rest = task->one_versus_rest;
    *out = m;
    return SOTTO_OK;
}

/* ---- units ---- */

sotto_status fit_copy_maps(fit_maps *out, const sotto_table *t,
                           sotto_error *error)
{
    *out = (fit_maps){.features = t->features,
                      .target_centre = t->target_centre,
                      .target_half = t->target_half};
    out->whole = mem_zeroed((size_t)t->features + 1, sizeof *out->whole);
    sotto_status status = out->whole ? table_whole_levels(t, out->whole, error)
                                     : error_memory(error);
    if (status != SOTTO_OK) {
        fit_free_maps(out);
        return status;
    }
    if (!t->centre && !t->half)
        return SOTTO_OK; /* nothing is mapped */
    out->centre = mem_zeroed((size_t)t->features, sizeof(double));
    out->half = mem_zeroed((size_t)t->features, sizeof(double));
    if (!out->centre || !out->half) {
        fit_free_maps(out);
        return error_memory(error);
    }
    for (int64_t j = 0; j < t->features; j++)
        sotto_table_feature_map(t, j, &out->centre[j], &out->half[j]);
    return SOTTO_OK;
}

void fit_free_maps(fit_maps *maps)
{
    mem_free(maps->centre);
    mem_free(maps->half);
    mem_free(maps->whole);
    *maps = (fit_maps){0};
}

/*
 * m = sum_j w_j (x_j - centre_j) / half_j + b in mapped units, and the target
 * is target_half m + target_centre; so x_j's own weight is
 * target_half w_j / half_j.
 */
void fit_set_weights(sotto_model *m, const fit_maps *maps, const double *weight,
                     double intercept)
{
    for (int64_t j = 0; j < maps->features; j++) {
        double half = maps->half ? maps->half[j] : 1;
        double centre = maps->centre ? maps->centre[j] : 0;
        double w = weight[j]; /* may be the same array */
        m->weight[j] = w == 0 ? 0 : maps->target_half * w / half;
        intercept -= w * (centre / half);
    }
    m->intercept = maps->target_half * intercept + maps->target_centre;
}

void fit_set_classes(sotto_model *m, const fit_maps *maps, const double *weight,
                     const double *intercept)
{
    for (int64_t k = 0; k < m->classes; k++) {
        sotto_model one = model_of_class(m, k);
        fit_set_weights(&one, maps, weight + k * m->features, intercept[k]);
        m->class_intercept[k] = one.intercept;
    }
}

/* Of stored columns; takes the array over. Where all are 0 there is none. */
void fit_set_scales(sotto_model *m, const fit_maps *maps, double *spread)
{
    int any = 0;
    for (int64_t j = 0; j < maps->features; j++) {
        double half = maps->half ? maps->half[j] : 1;
        if (spread[j] > 0) /* too small for a double, it is still above 0 */
            spread[j] = fmax(spread[j] * half, DBL_MIN);
        any |= spread[j] > 0;
    }
    if (any)
        m->scale = spread;
    else
        mem_free(spread);
}

/* ---- which solver ---- */

sotto_status sotto_fit_check(const sotto_options *options, sotto_error *error)
{
    if (!option_given(options, OPTION_EPSILON) &&
        !option_is(options, OPTION_SOLVER, "exact"))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --epsilon: a budget, or inf for a model "
                         "that is NOT PRIVATE");
    const char *name = option_text(options, OPTION_LOSS);
    if (option_given(options, OPTION_HUBER_DELTA) &&
        !loss_named_has(name, loss_has_delta))
        return loss_require(name, loss_has_delta, "--huber-delta",
                            "has no delta", error);
    if (option_is(options, OPTION_MULTICLASS, "multinomial") &&
        !loss_named_has(name, loss_has_log_odds))
        return loss_require(name, loss_has_log_odds, "--multiclass",
                            "is learned one-versus-rest", error);
    if (option_exact(options))
        return ranks_several(option_ranks(options))
                   ? error_set(error, SOTTO_USAGE,
                               "several ranks train privately: expected "
                               "another solver than exact, or one process")
                   : fit_check_exact(options, error);
    return fit_check_private(options, error);
}

/* What there is to say before the first question: of the table, and of
   options. */
static void make_remarks(const sotto_table *t, const sotto_options *options,
                         const sotto_progress_callback *callback)
{
    sotto_error remark;
    const char *line;
    if (!callback || !callback->remark)
        return;
    for (int64_t i = 0; (line = sotto_table_warning(t, i)); i++)
        callback->remark(callback->context, line);
    for (int64_t i = 0; sotto_fit_remark(options, t, i, &remark); i++)
        callback->remark(callback->context, remark.message);
}

sotto_status sotto_fit(sotto_model **out, sotto_table **table,
                       const sotto_options *options,
                       const sotto_progress_callback *callback,
                       sotto_error *error)
{
    *out = NULL;
    sotto_status status = sotto_fit_check(options, error);
    if (status == SOTTO_OK)
        make_remarks(*table, options, callback);
    if (status == SOTTO_OK)
        status = option_exact(options)
                     ? fit_exact(out, *table, options, callback, error)
                     : fit_private(out, table, options, callback, error);
    sotto_table_free(*table);
    *table = NULL;
    return status;
}
