/*
 * From a table to a model: checks the options, has the exact solver find the
 * minimiser, and undoes the maps of the columns, so that the weights are for
 * the values as they stand in the file.
 */
#include "data.h"
#include "exact.h"
#include "model.h"
#include "option.h"

#include <math.h>
#include <string.h>

/* ---- the problem ---- */

sotto_status sotto_fit_check(const sotto_options *options, sotto_error *error)
{
    if (option_private(options) && option_given(options, OPTION_SOLVER))
        return error_set(error, SOTTO_PRIVACY,
                         "--solver exact is not private: expected --epsilon "
                         "inf with it, or no --epsilon");
    if (option_private(options))
        return error_set(error, SOTTO_PRIVACY,
                         "private training is not built yet: expected "
                         "--epsilon inf (the model will be NOT PRIVATE)");
    if (!option_exact(options))
        return error_set(error, SOTTO_PRIVACY,
                         "expected --epsilon: a budget, or inf for a model "
                         "that is NOT PRIVATE");
    if (option_given(options, OPTION_HUBER_DELTA) &&
        !option_is(options, OPTION_LOSS, "huber"))
        return error_set(error, SOTTO_USAGE,
                         "--huber-delta goes with --loss huber");
    return SOTTO_OK;
}

static sotto_status fit_check_table(const sotto_table *t, loss_kind kind,
                                    sotto_error *error)
{
    if (!t->y)
        return error_set(error, SOTTO_USAGE,
                         "expected --target NAME: the column to learn");
    if (!t->wide || (t->sparse && !t->by_column.start))
        return error_set(error, SOTTO_USAGE,
                         "the exact solver needs a table that was read for "
                         "it: set epsilon to inf before reading");
    if (loss_has_classes(kind) != (t->class_name[0] != NULL))
        return error_set(error, SOTTO_USAGE,
                         "--loss %s: the table was read for another loss",
                         loss_name(kind));
    return SOTTO_OK;
}

static exact_problem fit_problem(const sotto_table *t,
                                 const sotto_options *options)
{
    exact_problem p = {.table = t,
                       .l1 = option_number(options, OPTION_L1),
                       .l2 = option_number(options, OPTION_L2),
                       .low = -INFINITY,
                       .high = INFINITY,
                       .intercept = option_is(options, OPTION_INTERCEPT, "yes"),
                       .tolerance = option_number(options, OPTION_TOLERANCE)};
    loss_named(option_text(options, OPTION_LOSS), &p.loss.kind);
    if (p.loss.kind == LOSS_HUBER)
        p.loss.delta = option_number(options, OPTION_HUBER_DELTA);
    option_pair(options, OPTION_BOX, &p.low, &p.high);
    return p;
}

/* ---- progress ---- */

typedef struct fit_watch {
    const sotto_watch *watch;
    double tolerance, share;
} fit_watch;

/* The gap shrinks about geometrically, so the share is its logarithm's. */
static int fit_look(void *context, double gap)
{
    fit_watch *w = context;
    double share = gap > 0 ? log(fmin(gap, 1)) / log(w->tolerance) : 1;
    if (share > w->share)
        w->share = fmin(share, 1);
    sotto_progress progress = {w->share, gap};
    return w->watch->look(w->watch->context, &progress);
}

/* ---- the model ---- */

/*
 * m = sum_j w_j (x_j - centre_j) / half_j + b in mapped units, and the target
 * is target_half m + target_centre; so x_j's own weight is
 * target_half w_j / half_j.
 */
static void fit_raw_weights(sotto_model *m, const sotto_table *t,
                            const exact_solution *s)
{
    double scale = t->target_half, b = s->intercept;
    for (int64_t j = 0; j < t->features; j++) {
        double centre, half;
        sotto_table_feature_map(t, j, &centre, &half);
        m->weight[j] = s->weight[j] == 0 ? 0 : scale * s->weight[j] / half;
        b -= s->weight[j] * (centre / half);
    }
    m->intercept = scale * b + t->target_centre;
}

static int fit_copy_names(sotto_model *m, const sotto_table *t)
{
    m->schema = model_schema(t->schema);
    for (int i = 0; i < 2 && t->class_name[0]; i++) {
        m->class_name[i] = mem_text(t->class_name[i]);
        if (!m->class_name[i])
            return 0;
    }
    if (t->name)
        m->name = mem_zeroed((size_t)t->features, sizeof *m->name);
    for (int64_t j = 0; m->name && j < t->features; j++) {
        m->name[j] = mem_text(t->name[j]);
        if (!m->name[j])
            return 0;
    }
    return m->schema && (!t->name || m->name);
}

/* What is certified is F of the weights as they are in the file, after the
   rounding that the change of units is. */
static sotto_status fit_certify(sotto_model *m, const exact_problem *p,
                                const exact_solution *s, sotto_error *error)
{
    sotto_quality quality;
    sotto_status status = sotto_evaluate(&quality, m, p->table, error);
    if (status != SOTTO_OK)
        return status;
    double more = fmax(quality.objective - s->objective, 0);
    m->certified = 1;
    m->objective = quality.objective;
    m->gap = s->gap + more;
    m->converged = s->converged && !(more > p->tolerance * m->objective);
    return SOTTO_OK;
}

static sotto_status fit_model(sotto_model **out, const exact_problem *p,
                              const exact_solution *s, sotto_error *error)
{
    sotto_model *m = model_new(p->table->features);
    if (!m || !fit_copy_names(m, p->table)) {
        sotto_model_free(m);
        return error_memory(error);
    }
    m->loss = p->loss;
    m->l1 = p->l1;
    m->l2 = p->l2;
    m->low = p->low;
    m->high = p->high;
    fit_raw_weights(m, p->table, s);
    sotto_status status = fit_certify(m, p, s, error);
    if (status == SOTTO_OK)
        *out = m;
    else
        sotto_model_free(m);
    return status;
}

static sotto_status fit_exact(sotto_model **out, const sotto_table *t,
                              const sotto_options *options,
                              const sotto_watch *watch, sotto_error *error)
{
    exact_problem p = fit_problem(t, options);
    exact_solution s;
    fit_watch w = {watch, p.tolerance, 0};
    if (watch && watch->look) {
        p.progress = fit_look;
        p.context = &w;
    }
    sotto_status status = fit_check_table(t, p.loss.kind, error);
    if (status == SOTTO_OK)
        status = exact_solve(&s, &p, error);
    if (status != SOTTO_OK)
        return status;
    status = s.cancelled ? error_set(error, SOTTO_INTERRUPTED, "interrupted")
                         : fit_model(out, &p, &s, error);
    exact_solution_free(&s);
    return status;
}

sotto_status sotto_fit(sotto_model **out, sotto_table **table,
                       const sotto_options *options, const sotto_watch *watch,
                       sotto_error *error)
{
    *out = NULL;
    sotto_status status = sotto_fit_check(options, error);
    if (status == SOTTO_OK)
        status = fit_exact(out, *table, options, watch, error);
    sotto_table_free(*table);
    *table = NULL;
    return status;
}
