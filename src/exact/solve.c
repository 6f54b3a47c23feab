/*
 * The way in and out: what can be refused beforehand, the memory of a run,
 * and the answer in the units of the table.
 */
#include "classes.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- what is refused ---- */

static sotto_status check_options(const exact_problem *p, sotto_error *error)
{
    if (!(p->l1 >= 0) || !(p->l2 >= 0) || isinf(p->l1) || isinf(p->l2))
        return error_set(error, SOTTO_USAGE,
                         "--l1 and --l2: expected numbers from 0 up");
    if (!(p->low <= p->high) || p->low == INFINITY || p->high == -INFINITY)
        return error_set(error, SOTTO_USAGE,
                         "bounds on the weights: expected low <= high");
    if (loss_has_delta(p->loss.kind) && !(p->loss.delta > 0))
        return error_set(error, SOTTO_USAGE,
                         "--huber-delta: expected a number above 0");
    return SOTTO_OK;
}

/* Rows that count, and which of the two classes they have. */
static sotto_status check_rows(const exact_problem *p, sotto_error *error)
{
    const sotto_table *t = p->table;
    int seen = 0, classes = loss_has_classes(p->loss.kind);
    for (int64_t i = 0; i < t->rows; i++) {
        double y = t->y[i];
        if (classes && y != 1 && y != -1)
            return error_set(error, SOTTO_DATA,
                             "%s loss: expected a target of two classes",
                             loss_name(p->loss.kind));
        if (!t->weight || t->weight[i] > 0)
            seen |= y > 0 ? 1 : 2;
    }
    if (!seen)
        return error_set(error, SOTTO_DATA,
                         "every row has weight 0: there is nothing to fit");
    if (!loss_has_minimum(p->loss.kind) && p->intercept && seen != 3)
        return error_set(error, SOTTO_DATA,
                         "no minimiser exists: all rows are of one class, "
                         "and the intercept would grow without end");
    return SOTTO_OK;
}

static sotto_status check_sizes(const exact_state *s, sotto_error *error)
{
    int fine = isfinite(s->first);
    for (int64_t j = 0; j < s->view.p; j++)
        fine &= isfinite(s->view.norm[j]) && isfinite(s->view.centre[j]);
    if (!fine)
        return error_set(error, SOTTO_DATA,
                         "the numbers are too large to be squared: expected "
                         "features and target below 1e150 in size");
    return SOTTO_OK;
}

/* ---- memory ---- */

typedef struct piece {
    double **at;
    int64_t count;
} piece;

/* One block of zeros for all vectors. */
static int take_pieces(exact_state *s, const piece *list, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; i++)
        total += (size_t)list[i].count;
    s->memory_bytes = total * sizeof *s->memory;
    s->memory = mem_zeroed(total, sizeof *s->memory);
    double *next = s->memory;
    for (int i = 0; s->memory && i < count; i++) {
        *list[i].at = next;
        next += list[i].count;
    }
    return s->memory != NULL;
}

static int take_memory(exact_state *s)
{
    int64_t n = s->view.padded, p = s->view.p;
    int64_t room = p < EXACT_GRAM ? p : EXACT_GRAM;
    int is_hinge = s->problem->loss.kind == LOSS_HINGE;
    const piece list[] = {
        {&s->view.share, n},
        {&s->m, n},
        {&s->slope, n},
        {&s->curve, n},
        {&s->trial, n},
        {&s->trial_slope, n},
        {&s->trial_curve, n},
        {&s->moved, n},
        {&s->dual, n},
        {&s->view.centre, p},
        {&s->view.norm, p},
        {&s->w, p},
        {&s->c, p},
        {&s->target, p},
        {&s->extra, p},
        {&s->diagonal, p},
        {&s->mean, p},
        {&s->residual, p},
        {&s->direction, p},
        {&s->image, p},
        {&s->score, p},
        {&s->product, p},
        {&s->block, s->threads * EXACT_PAD * (room + 1)},
        {&s->near, exact_has_gap(s->problem) ? 0 : EXACT_DEPENDENT * room},
        {&s->alpha, n},
    };
    int count = (int)(sizeof list / sizeof *list) - !is_hinge;
    s->gram_room = room;
    s->gram = mem_zeroed((size_t)(2 * room * room), sizeof *s->gram);
    s->factor = s->gram ? s->gram + room * room : NULL;
    s->set = mem_zeroed((size_t)p, sizeof *s->set);
    s->list = mem_zeroed((size_t)p, sizeof *s->list);
    s->in_set = mem_zeroed((size_t)p, 1);
    s->place = mem_zeroed((size_t)p, 2 * sizeof *s->place);
    s->hit = s->place ? s->place + p : NULL;
    return s->gram && s->set && s->list && s->in_set && s->place &&
           take_pieces(s, list, count);
}

static void free_memory(exact_state *s)
{
    if (s->memory)
        mem_wipe(s->memory, s->memory_bytes); /* margins are of records */
    /* what was never used of the matrices is not touched */
    size_t used = (size_t)(s->gram_most * s->gram_room) * sizeof *s->gram;
    if (used > 0) {
        mem_wipe(s->gram, used);
        mem_wipe(s->factor, used);
    }
    mem_free(s->memory);
    mem_free(s->gram);
    mem_free(s->set);
    mem_free(s->list);
    mem_free(s->in_set);
    mem_free(s->place);
}

/* ---- start ---- */

static void open_view(exact_state *s)
{
    const sotto_table *t = s->problem->table;
    exact_view *v = &s->view;
    assert(t->is_double && !t->folded && t->y);
    assert(!t->sparse || t->by_column.start);
    v->n = t->rows;
    v->p = t->features;
    v->padded = (v->n + EXACT_PAD - 1) / EXACT_PAD * EXACT_PAD;
    v->x = t->sparse ? NULL : t->x;
    v->stride = t->stride;
    v->by_row = &t->by_row;
    v->by_column = &t->by_column;
    v->y = t->y;
}

static void set_shares(exact_state *s)
{
    const double *weight = s->problem->table->weight;
    double sum = 0;
    for (int64_t i = 0; i < s->view.n; i++)
        sum += weight ? weight[i] : 1;
    for (int64_t i = 0; i < s->view.n; i++)
        s->view.share[i] = (weight ? weight[i] : 1) / sum;
}

/* From 0, or as near to it as the box allows, with the best intercept. */
static void set_start(exact_state *s)
{
    const exact_problem *p = s->problem;
    exact_view_measure(&s->view, p->intercept);
    for (int64_t j = 0; j < s->view.p; j++)
        s->w[j] = fmax(p->low, fmin(p->high, 0));
    s->sigma = 1;
    /* where the curvature vanishes, a Newton model may be flat */
    s->damping = loss_is_smooth(p->loss.kind) && !loss_is_curved(p->loss.kind)
                     ? 1e-6
                     : 0;
    exact_refresh(s);
    exact_settle_intercept(s);
    s->first = s->value + s->penalty;
}

/* ---- end ---- */

/* sum += a b, with what is lost on the way in rest. */
static void add_product(double *sum, double *rest, double a, double b)
{
    double term = a * b, low = fma(a, b, -term);
    double to = *sum + term, back = to - *sum;
    *rest += low + ((*sum - (to - back)) + (term - back));
    *sum = to;
}

/* b for the columns as they are in the table. */
static double plain_intercept(const exact_state *s)
{
    double b = s->b, rest = 0;
    for (int64_t j = 0; j < s->view.p; j++)
        add_product(&b, &rest, -s->view.centre[j], s->w[j]);
    return b + rest;
}

void exact_certify(exact_solution *out, const exact_problem *p, double lower,
                   double first, int done)
{
    int has_gap = exact_has_gap(p);
    /* a sum of n terms cannot certify less than its own rounding */
    out->gap =
        has_gap ? fmax(out->objective - lower, 4 * DBL_EPSILON * out->objective)
                : NAN;
    out->converged =
        has_gap ? out->gap <= fmax(p->tolerance * out->objective, 1e-15 * first)
                : done;
}

static sotto_status give_solution(exact_solution *out, const exact_state *s,
                                  sotto_error *error)
{
    const exact_problem *p = s->problem;
    double lower = s->alpha ? s->hinge_best : s->dual_value;
    out->weight = mem_zeroed((size_t)s->view.p, sizeof *out->weight);
    if (!out->weight)
        return error_memory(error);
    memcpy(out->weight, s->w, (size_t)s->view.p * sizeof *out->weight);
    out->intercept = p->intercept ? plain_intercept(s) : 0;
    out->objective = exact_objective(p, out->weight, out->intercept);
    out->cancelled = s->cancelled;
    exact_certify(out, p, lower, s->first, s->done);
    return SOTTO_OK;
}

static sotto_status run(exact_solution *out, exact_state *s, sotto_error *error)
{
    set_shares(s);
    set_start(s);
    sotto_status status = check_sizes(s, error);
    if (status != SOTTO_OK)
        return status;
    s->goal = s->problem->tolerance;
    if (s->alpha)
        exact_hinge(s);
    else
        exact_newton(s);
    if (s->nowhere)
        return error_set(error, SOTTO_DATA,
                         "no minimiser exists: the classes can be separated, "
                         "and larger weights are always better; add --l2");
    return give_solution(out, s, error);
}

sotto_status exact_solve(exact_solution *out, const exact_problem *problem,
                         sotto_error *error)
{
    exact_state s = {.problem = problem,
                     .threads = problem->threads > 0 ? problem->threads : 1};
    memset(out, 0, sizeof *out);
    sotto_status status = check_options(problem, error);
    if (status == SOTTO_OK && problem->table->classes > 2)
        return exact_classes(out, problem, error);
    if (status == SOTTO_OK)
        status = check_rows(problem, error);
    if (status != SOTTO_OK)
        return status;
    open_view(&s);
    status = take_memory(&s) ? run(out, &s, error) : error_memory(error);
    free_memory(&s);
    return status;
}

void exact_solution_free(exact_solution *s)
{
    mem_free(s->weight);
    mem_free(s->class_intercept);
    s->weight = s->class_intercept = NULL;
}

/* ---- F at any point ---- */

/* The margins of up to EXACT_PAD rows from `from` on, and the sums of the
   sizes of their terms. */
static void margins(const sotto_table *t, const double *w, double b,
                    int64_t from, int64_t count, double *m, double *size)
{
    const double *x = t->x, *value = t->by_row.value;
    for (int64_t i = 0; i < count; i++) {
        m[i] = b;
        size[i] = fabs(b);
    }
    for (int64_t i = 0; t->sparse && i < count; i++) {
        int64_t k = t->by_row.start[from + i];
        for (; k < t->by_row.start[from + i + 1]; k++) {
            double term = w[t->by_row.index[k]] * value[k];
            m[i] += term;
            size[i] += fabs(term);
        }
    }
    for (int64_t j = 0; !t->sparse && j < t->features; j++)
        for (int64_t i = 0; w[j] != 0 && i < count; i++) {
            double term = w[j] * x[j * t->stride + from + i];
            m[i] += term;
            size[i] += fabs(term);
        }
}

/* One margin in twice the precision, for terms that cancel. */
static double careful_margin(const sotto_table *t, const double *w, double b,
                             int64_t row)
{
    const double *x = t->x, *value = t->by_row.value;
    double sum = b, rest = 0;
    if (t->sparse)
        for (int64_t k = t->by_row.start[row]; k < t->by_row.start[row + 1];
             k++)
            add_product(&sum, &rest, w[t->by_row.index[k]], value[k]);
    for (int64_t j = 0; !t->sparse && j < t->features; j++)
        add_product(&sum, &rest, w[j], x[j * t->stride + row]);
    return sum + rest;
}

/* The losses of some rows, times their weights. */
static double block_loss(const exact_problem *p, const double *w, double b,
                         int64_t from, int64_t count)
{
    const sotto_table *t = p->table;
    double m[EXACT_PAD], size[EXACT_PAD], sum = 0;
    margins(t, w, b, from, count, m, size);
    for (int64_t i = 0; i < count; i++) {
        double s = t->weight ? t->weight[from + i] : 1, y = t->y[from + i];
        if (size[i] > 1e4 * (fabs(m[i]) + fabs(y)))
            m[i] = careful_margin(t, w, b, from + i);
        if (s > 0)
            sum += s * loss_value(&p->loss, m[i], y);
    }
    return sum;
}

double exact_objective(const exact_problem *p, const double *w, double b)
{
    const sotto_table *t = p->table;
    double sum = 0, weights = 0, penalty = 0;
    for (int64_t from = 0; from < t->rows; from += EXACT_PAD) {
        int64_t left = t->rows - from;
        sum += block_loss(p, w, b, from, left < EXACT_PAD ? left : EXACT_PAD);
    }
    for (int64_t i = 0; i < t->rows; i++)
        weights += t->weight ? t->weight[i] : 1;
    for (int64_t j = 0; j < t->features; j++)
        penalty += exact_penalty(p, w[j]);
    return sum / weights + penalty;
}
