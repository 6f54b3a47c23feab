/*
 * The exact solver's models: certified, and NOT PRIVATE.
 */
#include "exact.h"
#include "fit.h"

#include <math.h>
#include <string.h>

sotto_status fit_check_exact(const sotto_options *options, sotto_error *error)
{
    sotto_status status = solver_check_options(options, &solver_exact, error);
    if (status != SOTTO_OK)
        return status;
    if (option_is(options, OPTION_PENALTY_UNITS, "file"))
        return error_set(error, SOTTO_USAGE,
                         "--penalty-units file: expected fit or spread, with "
                         "--solver exact; where no bounds are declared the "
                         "units of the fit are those of the file");
    if (option_is(options, OPTION_PENALTY_UNITS, "spread") &&
        option_given(options, OPTION_BOX))
        return error_set(error, SOTTO_USAGE,
                         "--box is in the units of the fit: expected "
                         "--penalty-units fit beside it, with --solver exact");
    return SOTTO_OK;
}

static sotto_status fit_check_table(const sotto_table *t, loss_kind kind,
                                    sotto_error *error)
{
    if (!t->y)
        return table_refuse_no_target(t->counted, error);
    if (!t->is_double || (t->sparse && !t->by_column.start))
        return error_set(error, SOTTO_USAGE,
                         "the exact solver needs a table that was read for "
                         "it: set epsilon to inf before reading");
    if (t->levels.columns)
        return error_set(
            error, SOTTO_USAGE,
            "column \"%s\": \"levels\": \"private\" is for private "
            "training alone: expected a finite --epsilon, or a "
            "list of levels",
            show_name(t->levels.column[0].name).text);
    if (loss_has_classes(kind) != (t->classes > 0))
        return error_set(error, SOTTO_USAGE,
                         "--loss %s: the table was read for another loss",
                         loss_name(kind));
    return SOTTO_OK;
}

static exact_problem fit_problem(const sotto_table *t, const fit_task *task,
                                 const sotto_options *options)
{
    int threads = (int)option_integer(options, OPTION_THREADS);
    return (exact_problem){
        .table = t,
        .loss = task->loss,
        .l1 = task->l1,
        .l2 = task->l2,
        .low = task->low,
        .high = task->high,
        .intercept = task->intercept,
        .threads = threads ? threads : thread_limit(),
        .tolerance = solver_number(options, &solver_exact, OPTION_TOLERANCE)};
}

/* ---- progress ---- */

typedef struct fit_watch {
    const sotto_progress_callback *callback;
    double tolerance, share;
    int64_t round;
} fit_watch;

/* The gap shrinks about geometrically, so the share is its logarithm's. */
static int fit_look(void *context, double gap)
{
    fit_watch *w = context;
    double share = gap > 0 ? log(fmin(gap, 1)) / log(w->tolerance) : 1;
    if (share > w->share)
        w->share = fmin(share, 1);
    sotto_progress progress = {w->share, gap, "iterations", ++w->round, 0};
    return w->callback->call(w->callback->context, &progress);
}

/* ---- the model ---- */

/* What is certified is F of the weights as they are in the file, after the
   rounding that the change of units is. With units of spread it is `unit`
   times the F that was made small. */
static sotto_status fit_certify(sotto_model *m, const sotto_table *t,
                                const exact_solution *s, double tolerance,
                                double unit, sotto_error *error)
{
    sotto_quality quality;
    sotto_status status = sotto_evaluate(&quality, m, t, error);
    if (status != SOTTO_OK)
        return status;
    double more = fmax(quality.objective - unit * s->objective, 0);
    m->certified = 1;
    m->objective = quality.objective;
    m->gap = unit * s->gap + more;
    m->converged = s->converged && !(more > tolerance * m->objective);
    return SOTTO_OK;
}

static sotto_status fit_exact_model(sotto_model **out, const fit_task *task,
                                    const sotto_table *t,
                                    const exact_problem *p,
                                    const exact_solution *s, fit_scaled *scaled,
                                    sotto_error *error)
{
    fit_maps maps;
    double unit = 1;
    sotto_status status = fit_copy_maps(&maps, t, error);
    if (status != SOTTO_OK)
        return status;
    status = fit_begin(out, task, t, error);
    if (status == SOTTO_OK && scaled->spread) {
        for (int64_t k = 0; k < (t->classes > 2 ? t->classes : 1); k++)
            fit_unscale(scaled, s->weight + k * t->features);
        fit_set_scales(*out, &maps, scaled->spread);
        scaled->spread = NULL;
        unit = t->target_half * t->target_half;
    }
    if (status == SOTTO_OK) {
        if (s->class_intercept)
            fit_set_classes(*out, &maps, s->weight, s->class_intercept);
        else
            fit_set_weights(*out, &maps, s->weight, s->intercept);
        status = fit_certify(*out, t, s, p->tolerance, unit, error);
    }
    fit_free_maps(&maps);
    if (status != SOTTO_OK) {
        sotto_model_free(*out);
        *out = NULL;
    }
    return status;
}

/* The problem in units of spread, where that was asked for. A wider target
   makes squares of the fit's weights smaller as those of its residuals, but
   l1 goes with the weights themselves. */
static sotto_status fit_use_units(exact_problem *p, fit_scaled *scaled,
                                  const fit_task *task, sotto_error *error)
{
    const sotto_table *t = p->table;
    if (task->units != MODEL_UNITS_SPREAD)
        return SOTTO_OK;
    sotto_status status = fit_scale_table(scaled, t, task->intercept, error);
    p->table = &scaled->table;
    p->l1 /= t->target_half;
    return status;
}

/* ---- one class against the others ---- */

/* Class k of the table against all others; y is the caller's memory. */
static sotto_table against(const sotto_table *t, int64_t k, double *y)
{
    sotto_table one = *t;
    for (int64_t i = 0; i < t->rows; i++)
        y[i] = t->y[i] == (double)k ? 1 : -1;
    one.y = y;
    one.classes = 2;
    return one;
}

/* What is small is the sum of the problems' F: their gaps add up. */
static sotto_status fit_one_versus_rest(exact_solution *out,
                                        const exact_problem *p,
                                        sotto_error *error)
{
    const sotto_table *t = p->table;
    size_t features = (size_t)t->features, classes = (size_t)t->classes;
    double *y = mem_zeroed((size_t)t->rows, sizeof *y);
    *out = (exact_solution){
        .weight = mem_zeroed(features * classes, sizeof *out->weight),
        .class_intercept = mem_zeroed(classes, sizeof(double)),
        .converged = 1};
    sotto_status status = y && out->weight && out->class_intercept
                              ? SOTTO_OK
                              : error_memory(error);
    for (size_t k = 0; status == SOTTO_OK && !out->cancelled && k < classes;
         k++) {
        exact_solution s;
        sotto_table one = against(t, (int64_t)k, y);
        exact_problem problem = *p;
        problem.table = &one;
        status = exact_solve(&s, &problem, error);
        if (status != SOTTO_OK)
            break;
        memcpy(out->weight + k * features, s.weight, features * sizeof(double));
        out->class_intercept[k] = s.intercept;
        out->objective += s.objective;
        out->gap += s.gap;
        out->converged &= s.converged;
        out->cancelled |= s.cancelled;
        exact_solution_free(&s);
    }
    mem_wipe(y, y ? (size_t)t->rows * sizeof *y : 0);
    mem_free(y);
    if (status != SOTTO_OK)
        exact_solution_free(out);
    return status;
}

static sotto_status fit_solve(sotto_model **out, const sotto_table *t,
                              const fit_task *task, exact_problem *p,
                              sotto_error *error)
{
    exact_solution s;
    fit_scaled scaled = {0};
    sotto_status status = fit_use_units(p, &scaled, task, error);
    if (status == SOTTO_OK)
        status = task->one_versus_rest && t->classes > 2
                     ? fit_one_versus_rest(&s, p, error)
                     : exact_solve(&s, p, error);
    if (status == SOTTO_OK) {
        status = s.cancelled
                     ? error_set(error, SOTTO_INTERRUPTED, "interrupted")
                     : fit_exact_model(out, task, t, p, &s, &scaled, error);
        exact_solution_free(&s);
    }
    fit_free_scaled(&scaled);
    return status;
}

sotto_status fit_exact(sotto_model **out, const sotto_table *t,
                       const sotto_options *options,
                       const sotto_progress_callback *callback,
                       sotto_error *error)
{
    fit_task task = fit_read_task(options);
    exact_problem p = fit_problem(t, &task, options);
    fit_watch w = {.callback = callback, .tolerance = p.tolerance};
    if (callback && callback->call) {
        p.progress = fit_look;
        p.context = &w;
    }
    sotto_status status = fit_check_table(t, p.loss.kind, error);
    return status == SOTTO_OK ? fit_solve(out, t, &task, &p, error) : status;
}
