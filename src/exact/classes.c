/*
 * The multinomial problem: memory, proximal Newton steps with a line search,
 * and the answer in the units of the table.
 */
#include "classes.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MANY_STEPS = 300 };

/* ---- memory ---- */

static int take_memory(many_state *s)
{
    int64_t weights = s->p * s->classes, rows = s->padded * s->classes;
    double **const of_rows[] = {&s->m,     &s->chance, &s->slope, &s->moved,
                                &s->trial, &s->rows,   &s->z,     &s->dual};
    double **const of_weights[] = {
        &s->w,        &s->c,     &s->u,      &s->diagonal, &s->way,
        &s->residual, &s->image, &s->scaled, &s->step,     &s->dual_c};
    double **const of_classes[] = {
        &s->b,     &s->sum,     &s->rate,       &s->ub,       &s->base,
        &s->way_b, &s->image_b, &s->residual_b, &s->scaled_b, &s->step_b};
    int64_t total =
        8 * rows + 10 * weights + 10 * s->classes + 2 * s->padded + 2 * s->p;
    s->memory_bytes = (size_t)total * sizeof(double);
    double *next = s->memory = mem_zeroed((size_t)total, sizeof(double));
    s->free = mem_zeroed((size_t)weights, 1);
    if (!next || !s->free)
        return 0;
    for (int i = 0; i < 8; i++, next += rows)
        *of_rows[i] = next;
    s->view.share = next;
    s->mean = next + s->padded;
    next += 2 * s->padded;
    for (int i = 0; i < 10; i++, next += weights)
        *of_weights[i] = next;
    for (int i = 0; i < 10; i++, next += s->classes)
        *of_classes[i] = next;
    s->view.centre = next;
    s->view.norm = next + s->p;
    return 1;
}

static void free_memory(many_state *s)
{
    mem_wipe(s->memory, s->memory ? s->memory_bytes : 0);
    mem_free(s->memory);
    mem_free(s->free);
}

/* ---- start ---- */

static void set_shares(many_state *s)
{
    const sotto_table *t = s->problem->table;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        sum += t->weight ? t->weight[i] : 1;
    for (int64_t i = 0; i < s->n; i++) {
        s->view.share[i] = (t->weight ? t->weight[i] : 1) / sum;
        s->rate[(int64_t)t->y[i]] += s->view.share[i];
    }
}

static sotto_status check_rows(const many_state *s, sotto_error *error)
{
    const sotto_table *t = s->problem->table;
    double all = 0;
    for (int64_t k = 0; k < s->classes; k++)
        all += s->rate[k];
    if (!(all > 0))
        return error_set(error, SOTTO_DATA,
                         "every row has weight 0: there is nothing to fit");
    for (int64_t k = 0; k < s->classes && s->problem->intercept; k++)
        if (!(s->rate[k] > 0))
            return error_set(error, SOTTO_DATA,
                             "no minimiser exists: no row is of the class "
                             "\"%s\", and its intercept would fall without "
                             "end; leave it out of --classes",
                             show_name(t->class_name[k]).text);
    return SOTTO_OK;
}

/* Chances, slopes and F at the margins of w and b. */
static void look(many_state *s)
{
    many_apply(s, s->w, s->b, s->m);
    s->value = many_loss(s, s->m, s->chance, s->slope);
    s->penalty = many_penalty(s, s->w);
    many_pull(s, s->slope, s->c, s->sum);
}

/* From 0, or as near to it as the box allows, with the best intercepts. */
static void set_start(many_state *s)
{
    const exact_problem *p = s->problem;
    exact_view_measure(&s->view, p->intercept);
    for (int64_t j = 0; j < s->p * s->classes; j++)
        s->w[j] = fmax(p->low, fmin(p->high, 0));
    for (int64_t k = 0; k < s->classes && p->intercept; k++)
        s->b[k] = log(s->rate[k]);
    s->goal = p->tolerance;
    s->dual_value = -INFINITY;
    look(s);
    s->first = s->value + s->penalty;
}

/* ---- steps ---- */

/* The best of 1, 1/2, 1/4, ... along the way to the model's point; 0: none
   makes F smaller. */
static int search_line(many_state *s, double linear)
{
    double from = s->value + s->penalty;
    double slack = 8 * DBL_EPSILON * from;
    for (double t = 1; t > 1e-12; t /= 2) {
        for (int64_t i = 0; i < s->classes * s->padded; i++)
            s->trial[i] = s->m[i] + t * s->moved[i];
        for (int64_t j = 0; j < s->p * s->classes; j++)
            s->way[j] = t == 1 ? s->u[j] : s->w[j] + t * (s->u[j] - s->w[j]);
        double to =
            many_loss(s, s->trial, NULL, NULL) + many_penalty(s, s->way);
        if (!(to <= from + 1e-4 * t * linear + slack))
            continue;
        memcpy(s->w, s->way, (size_t)(s->p * s->classes) * sizeof *s->w);
        for (int64_t k = 0; k < s->classes; k++)
            s->b[k] += t * (s->ub[k] - s->b[k]);
        return 1;
    }
    return 0;
}

/* Intercepts are known but for a constant: theirs sum to 0. */
static void centre_intercepts(many_state *s)
{
    double mean = 0;
    for (int64_t k = 0; k < s->classes; k++)
        mean += s->b[k] / (double)s->classes;
    for (int64_t k = 0; k < s->classes; k++)
        s->b[k] -= s->problem->intercept ? mean : 0;
}

/* Ends at the goal, or where rounding lets nothing become better. */
static void newton(many_state *s)
{
    double accuracy = .1, best = INFINITY;
    int stale = 0;
    for (int step = 0; step < MANY_STEPS; step++) {
        many_gap(s);
        if (s->done || s->nowhere)
            return;
        if (s->problem->progress &&
            s->problem->progress(s->problem->context, s->measure)) {
            s->cancelled = 1;
            return;
        }
        stale = s->measure < .9 * best ? 0 : stale + 1;
        best = fmin(best, s->measure);
        accuracy = fmax(1e-8, fmin(accuracy, sqrt(s->measure)));
        if (stale > 2)
            accuracy = fmax(1e-8, accuracy / 10);
        if (stale > 25 || !search_line(s, many_model(s, accuracy)))
            return;
        centre_intercepts(s);
        look(s);
    }
}

/* ---- end ---- */

/* F at the weights as they are in the table, without centres. */
static double objective_of(many_state *s, const exact_solution *out)
{
    memset(s->view.centre, 0, (size_t)s->p * sizeof *s->view.centre);
    many_apply(s, out->weight, out->class_intercept, s->m);
    return many_loss(s, s->m, NULL, NULL) + many_penalty(s, out->weight);
}

/* Without l1 and a box the weights of a feature sum to 0: by l2, or, without
   it, because they are known but for a constant. */
static void centre_weights(const many_state *s, double *weight)
{
    const exact_problem *p = s->problem;
    if (p->l1 > 0 || isfinite(p->low) || isfinite(p->high))
        return;
    for (int64_t j = 0; j < s->p; j++) {
        double mean = 0;
        for (int64_t k = 0; k < s->classes; k++)
            mean += weight[k * s->p + j] / (double)s->classes;
        for (int64_t k = 0; k < s->classes; k++)
            weight[k * s->p + j] -= mean;
    }
}

static sotto_status give_solution(exact_solution *out, many_state *s,
                                  sotto_error *error)
{
    const exact_problem *p = s->problem;
    size_t weights = (size_t)(s->p * s->classes);
    out->weight = mem_zeroed(weights, sizeof *out->weight);
    out->class_intercept = mem_zeroed((size_t)s->classes, sizeof(double));
    if (!out->weight || !out->class_intercept) {
        exact_solution_free(out);
        return error_memory(error);
    }
    memcpy(out->weight, s->w, weights * sizeof *s->w);
    centre_weights(s, out->weight);
    for (int64_t k = 0; k < s->classes && p->intercept; k++) {
        double b = s->b[k];
        for (int64_t j = 0; j < s->p; j++)
            b = fma(-s->view.centre[j], out->weight[k * s->p + j], b);
        out->class_intercept[k] = b;
    }
    out->objective = objective_of(s, out);
    out->cancelled = s->cancelled;
    exact_certify(out, p, s->dual_value, s->first, s->done);
    return SOTTO_OK;
}

static sotto_status run(exact_solution *out, many_state *s, sotto_error *error)
{
    set_shares(s);
    sotto_status status = check_rows(s, error);
    if (status != SOTTO_OK)
        return status;
    set_start(s);
    int fine = isfinite(s->first);
    for (int64_t j = 0; j < s->p; j++)
        fine &= isfinite(s->view.norm[j]) && isfinite(s->view.centre[j]);
    if (!fine)
        return error_set(error, SOTTO_DATA,
                         "the numbers are too large to be squared: expected "
                         "features below 1e150 in size");
    newton(s);
    if (s->nowhere)
        return error_set(error, SOTTO_DATA,
                         "no minimiser exists: the classes can be separated, "
                         "and larger weights are always better; add --l2");
    return give_solution(out, s, error);
}

sotto_status exact_classes(exact_solution *out, const exact_problem *problem,
                           sotto_error *error)
{
    const sotto_table *t = problem->table;
    many_state s = {.problem = problem,
                    .classes = t->classes,
                    .p = t->features,
                    .n = t->rows};
    assert(t->is_double && !t->folded && t->y);
    s.view = (exact_view){.n = t->rows,
                          .p = t->features,
                          .x = t->sparse ? NULL : t->x,
                          .stride = t->stride,
                          .by_row = &t->by_row,
                          .by_column = &t->by_column,
                          .y = t->y};
    s.padded = (s.n + EXACT_PAD - 1) / EXACT_PAD * EXACT_PAD;
    s.view.padded = s.padded;
    sotto_status status =
        take_memory(&s) ? run(out, &s, error) : error_memory(error);
    free_memory(&s);
    return status;
}
