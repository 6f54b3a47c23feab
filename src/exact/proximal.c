/*
 * Proximal Newton: the loss is replaced by its quadratic model, the model
 * is minimised together with the penalty on the working set, and a line
 * search on F itself takes care of the rest.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/* ---- one step ---- */

/* Levenberg-Marquardt: where curvatures vanish (the hinges, Huber) a model
   may be flat. Grows when steps are cut short, vanishes when they are not. */
static void prepare_model(exact_state *s)
{
    double damp = s->damping * exact_curvature_bound(s);
    for (int64_t k = 0; k < s->size; k++)
        s->extra[k] = s->problem->l2 + damp * s->view.norm[s->set[k]];
}

static void solve_model(exact_state *s)
{
    double accuracy = loss_is_quadratic(s->problem->loss.kind) ? 1e-3 : .05;
    if (s->measure < 1e-4)
        accuracy = fmin(accuracy, 1e-2);
    prepare_model(s);
    if (exact_gram_pays(s))
        exact_quadratic(s);
    else
        exact_columns(s, accuracy);
}

/* moved = X d + db, with the b that the model wants: its slopes at w + d
   sum to 0. Returns db. */
static double spread_step(exact_state *s)
{
    int64_t n = s->view.n;
    double curved = 0;
    memset(s->moved, 0, (size_t)s->view.padded * sizeof *s->moved);
    for (int64_t k = 0; k < s->size; k++) {
        int64_t j = s->set[k];
        double d = s->target[j] - s->w[j];
        if (d != 0)
            exact_add(&s->view, j, d, s->moved);
    }
    if (!s->problem->intercept)
        return 0;
    for (int64_t i = 0; i < n; i++)
        curved += s->curve[i] * s->moved[i];
    double db = -(s->sum + curved) / s->mass;
    for (int64_t i = 0; i < n; i++)
        s->moved[i] += db;
    return db;
}

static double part_way(const exact_state *s, int64_t j, double length)
{
    return length == 1 ? s->target[j]
                       : s->w[j] + length * (s->target[j] - s->w[j]);
}

/* By how much the penalty changes on the way. */
static double penalty_change(const exact_state *s, double length)
{
    double sum = 0;
    for (int64_t k = 0; k < s->size; k++) {
        int64_t j = s->set[k];
        double to = part_way(s, j, length);
        if (to != s->w[j])
            sum += exact_penalty(s->problem, to) -
                   exact_penalty(s->problem, s->w[j]);
    }
    return sum;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

static void take_step(exact_state *s, double length, double db, double value)
{
    for (int64_t k = 0; k < s->size; k++)
        s->w[s->set[k]] = part_way(s, s->set[k], length);
    s->b += length * db;
    s->value = value;
    s->penalty = 0;
    for (int64_t j = 0; j < s->view.p; j++)
        s->penalty += exact_penalty(s->problem, s->w[j]);
    swap(&s->m, &s->trial);
    swap(&s->slope, &s->trial_slope);
    swap(&s->curve, &s->trial_curve);
}

/*
 * By how much the mean loss changes on the way to the trial point. Where
 * that is lost in the rounding of the loss itself, by the trapezoid rule on
 * its slopes: exact for a quadratic, and for short steps as good as exact.
 */
static double loss_change(const exact_state *s, double length, double value,
                          int is_short)
{
    double sum = 0;
    if (!is_short)
        return value - s->value;
    for (int64_t i = 0; i < s->view.n; i++)
        sum += s->moved[i] * (s->slope[i] + s->trial_slope[i]);
    return length * sum / 2;
}

/* The first of 1, 1/2, 1/4, ... that lowers F by enough; 0 when none does,
   which near the optimum only says that rounding has the last word. */
static double search_line(exact_state *s, double db)
{
    int64_t n = s->view.n;
    double promised = penalty_change(s, 1);
    for (int64_t i = 0; i < n; i++)
        promised += s->slope[i] * s->moved[i];
    double objective = s->value + s->penalty;
    int is_short = fabs(promised) < 1e-9 * objective;
    /* what is promised may itself be rounding, while the gap still is not:
       then a step is taken on trust */
    double trust = fabs(promised) < 1e-13 * objective ? 1e-13 * objective : 0;
    if (!(promised < trust))
        return 0;
    memset(s->trial_slope, 0, (size_t)s->view.padded * sizeof *s->slope);
    memset(s->trial_curve, 0, (size_t)s->view.padded * sizeof *s->curve);
    for (double length = 1; length > 1e-12; length /= 2) {
        for (int64_t i = 0; i < n; i++)
            s->trial[i] = s->m[i] + length * s->moved[i];
        double value =
            exact_evaluate(s, s->trial, s->trial_slope, s->trial_curve);
        double change =
            loss_change(s, length, value, is_short) + penalty_change(s, length);
        if (change <= 1e-4 * length * promised + trust) {
            take_step(s, length, db, value);
            return length;
        }
    }
    return 0;
}

static void adapt_damping(exact_state *s, double length)
{
    loss_kind kind = s->problem->loss.kind;
    if (loss_is_quadratic(kind))
        return;
    double least = loss_is_curved(kind) ? 0 : 1e-13;
    if (length == 1)
        s->damping = s->damping / 10 > 1e-12 ? s->damping / 10 : least;
    else
        s->damping = fmin(1e3, fmax(1e-7, 10 * s->damping));
}

static double set_violation(const exact_state *s)
{
    double most = 0;
    for (int64_t k = 0; k < s->size; k++) {
        int64_t j = s->set[k];
        most = fmax(most, exact_violation(s->problem, s->w[j], s->c[j]));
    }
    return most;
}

/* A whole step that made the gradient much smaller says that curvatures have
   hardly changed: the matrix they gave will do once more. */
static void judge_gram(exact_state *s)
{
    double violation = set_violation(s);
    s->gram_will_do = loss_is_curved(s->problem->loss.kind) &&
                      violation < .1 * s->gram_violation;
    s->gram_violation = violation;
}

/* Whether F went down. */
static int newton_step(exact_state *s)
{
    double before = s->value + s->penalty;
    judge_gram(s);
    solve_model(s);
    double length = search_line(s, spread_step(s));
    adapt_damping(s, length);
    if (length < 1)
        s->gram_violation = 0;
    return before - (s->value + s->penalty) > 1e-15 * fabs(before);
}

/* Along columns that nearly depend on others, once all else is done.
   Whether F went down by more than its own rounding. */
static int near_step(exact_state *s)
{
    double before = s->value + s->penalty;
    if (!exact_dependent(s))
        return 0;
    search_line(s, spread_step(s));
    s->gram_violation = 0;
    exact_refresh(s);
    return before - (s->value + s->penalty) > 1e-12 * before;
}

/* ---- no minimiser ---- */

/* Whether w can be followed for ever inside the box. */
static int is_open_direction(const exact_problem *p, double d)
{
    return d == 0 || (d > 0 ? isinf(p->high) : isinf(p->low));
}

/*
 * A loss without a minimum has, without a penalty, no minimiser just when some
 * direction lowers no margin y m and raises one. The iterates then run off
 * along it: a point that has all margins above 0 is one; and once margins are
 * large, so is a step that lowers none.
 */
static int classes_part(const exact_state *s, const double *m, double slack)
{
    const exact_view *v = &s->view;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < v->n; i++)
        if (v->share[i] > 0) {
            low = fmin(low, v->y[i] * m[i]);
            high = fmax(high, v->y[i] * m[i]);
        }
    return high > 0 && low > -slack * high;
}

static int runs_away(const exact_state *s)
{
    const exact_problem *p = s->problem;
    if (loss_has_minimum(p->loss.kind) || exact_has_gap(p))
        return 0;
    int open = 1;
    double most = 0;
    for (int64_t j = 0; j < s->view.p; j++)
        open &= is_open_direction(p, s->w[j]);
    if (open && classes_part(s, s->m, 0))
        return 1;
    for (int64_t i = 0; i < s->view.n; i++)
        most = fmax(most, fabs(s->m[i]));
    return open && most > 30 && classes_part(s, s->moved, 1e-6);
}

/* ---- rounds ---- */

static void set_gradient(exact_state *s, int all)
{
    if (all)
        for (int64_t j = 0; j < s->view.p; j++)
            s->c[j] = exact_dot(&s->view, j, s->dual);
    else
        for (int64_t k = 0; k < s->size; k++)
            s->c[s->set[k]] = exact_dot(&s->view, s->set[k], s->dual);
}

/* Steps on the working set until it is much better off than at the start;
   on all columns, one step. Whether F went down. */
static int solve_set(exact_state *s)
{
    double start = set_violation(s);
    int moved = newton_step(s);
    for (int i = 0; s->size < s->view.p && moved && i < 20; i++) {
        exact_balance(s);
        set_gradient(s, 0);
        if (set_violation(s) <= .01 * start || !newton_step(s))
            break;
    }
    return moved;
}

static int cancelled(exact_state *s)
{
    const exact_problem *p = s->problem;
    s->cancelled |= p->progress && p->progress(p->context, s->measure) != 0;
    return s->cancelled;
}

static void look(exact_state *s, int always)
{
    exact_balance(s);
    set_gradient(s, 1);
    exact_gap(s, always);
}

/* At what seems the end: whether there is more to gain after all. */
static int goes_on(exact_state *s, int *stalled, int *nears)
{
    if ((*nears)++ == 10 || !near_step(s))
        return 0;
    *stalled = 0;
    look(s, 0);
    return 1;
}

void exact_newton(exact_state *s)
{
    int stalled = 0, nears = 0;
    double best = INFINITY;
    for (int round = 0; round < 1000; round++) {
        look(s, stalled > 0);
        if ((s->done || stalled > 5) && !goes_on(s, &stalled, &nears))
            break;
        if (cancelled(s))
            break;
        stalled = s->measure < .9 * best ? 0 : stalled;
        best = fmin(best, s->measure);
        exact_choose(s);
        stalled = solve_set(s) ? 0 : stalled + 1;
        s->nowhere = runs_away(s);
        if (s->nowhere)
            break;
        if (s->size < s->view.p || round % 5 == 4)
            exact_refresh(s);
    }
    if (!s->done)
        look(s, 1);
}
