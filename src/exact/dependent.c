/*
 * Without a penalty, columns that nearly depend on others. Their share of
 * X'HX is lost in its rounding, so that Cholesky leaves them out; and it is
 * so small that no gradient shows them missing. Yet the rows have digits
 * enough to tell: for each column k left out, what remains of it,
 *
 *   r = X v,  v = e_k - (the best combination of the columns kept),
 *
 * is computed in the rows, and improved there until it is orthogonal to the
 * columns kept. A step along v is then like any other.
 */
#include "state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* r = X v about its mean; returns r'Hr. */
static double spread_direction(const exact_state *s, const double *v, double *r)
{
    const exact_view *view = &s->view;
    double sum = 0, square = 0;
    memset(r, 0, (size_t)view->padded * sizeof *r);
    for (int64_t k = 0; k < s->size; k++)
        if (v[k] != 0)
            exact_add(view, s->set[k], v[k], r);
    for (int64_t i = 0; s->problem->intercept && i < view->n; i++)
        sum += s->curve[i] * r[i];
    for (int64_t i = 0; i < view->n; i++) {
        r[i] -= sum / s->mass;
        square += s->curve[i] * r[i] * r[i];
    }
    return square;
}

/*
 * Weights and margins are rounded: along v the margins are known to
 * eps/2 sum_k |v_k| |x_k| (of the columns as they are in the table) and
 * no better. What that does to F, as curvature: r'Hr must be seen above it.
 */
static double rounding_curvature(const exact_state *s, const double *v)
{
    double size = 0, curvature = 0;
    for (int64_t k = 0; k < s->size; k++)
        size += fabs(v[k]) * s->image[k];
    for (int64_t i = 0; i < s->view.n; i++)
        curvature += s->curve[i];
    size *= DBL_EPSILON / 2;
    return size * size * curvature;
}

/* s->image: the members' lengths in the table, not about their means. */
static void set_lengths(exact_state *s)
{
    const exact_view *v = &s->view;
    for (int64_t k = 0; k < s->size; k++) {
        double first, second, centre = v->centre[s->set[k]];
        exact_moments(v, s->set[k], v->share, &first, &second);
        s->image[k] = sqrt(second + (2 * first + centre) * centre);
    }
}

/* Takes from v what it shares with the columns kept, by way of r. */
static void clear_of_kept(exact_state *s, double *v, const double *r,
                          int64_t count)
{
    double *curved = s->trial_slope, *part = s->direction;
    for (int64_t i = 0; i < s->view.n; i++)
        curved[i] = s->curve[i] * r[i];
    for (int64_t i = 0; i < count; i++)
        part[i] = exact_dot(&s->view, s->set[s->list[i]], curved);
    exact_substitute(s, part, count);
    for (int64_t i = 0; i < count; i++)
        v[s->list[i]] -= part[i];
}

/* And what it shares with the directions found before. */
static void clear_of_found(exact_state *s, double *v, const double *r,
                           int64_t found)
{
    double *other = s->trial_curve;
    for (int64_t f = 0; f < found; f++) {
        const double *u = s->near + f * s->gram_room;
        double common = 0, square = spread_direction(s, u, other);
        for (int64_t i = 0; i < s->view.n; i++)
            common += s->curve[i] * r[i] * other[i];
        for (int64_t k = 0; k < s->size; k++)
            v[k] -= common / square * u[k];
    }
}

/* The direction of a member left out; 0 when nothing remains of it. Each
   pass gains the digits that the matrix has. */
static int find_direction(exact_state *s, int64_t member, int64_t count,
                          int64_t found)
{
    double *v = s->near + found * s->gram_room, *r = s->trial;
    memset(v, 0, (size_t)s->size * sizeof *v);
    v[member] = 1;
    double square = spread_direction(s, v, r);
    for (int pass = 0; pass < 4; pass++) {
        clear_of_kept(s, v, r, count);
        clear_of_found(s, v, r, found);
        square = spread_direction(s, v, r);
        if (!(square > rounding_curvature(s, v) / 256))
            return 0;
    }
    return 1;
}

/* All of them into s->near; returns how many. */
static int64_t find_directions(exact_state *s)
{
    int64_t count, found = 0;
    memset(s->extra, 0, (size_t)s->size * sizeof *s->extra);
    set_lengths(s);
    s->gram_will_do = 0;
    exact_begin_model(s);
    count = exact_free_members(s);
    exact_factorise(s, count, 1e-9);
    for (int64_t i = 0; i < count && found < EXACT_DEPENDENT; i++)
        if (!(s->factor[i * s->gram_room + i] > 0))
            found += find_direction(s, s->list[i], count, found);
    return found;
}

/* How far along v: to the model's minimum, where rounding is counted as a
   ridge about 0. For weights so large that they blur the margins by more
   than they gain are no better an answer. */
static double length_of(const exact_state *s, const double *v)
{
    double slope = 0, square = spread_direction(s, v, s->trial);
    double along = 0, norm = 0, ridge = rounding_curvature(s, v);
    for (int64_t i = 0; i < s->view.n; i++)
        slope += s->slope[i] * s->trial[i];
    for (int64_t k = 0; k < s->size; k++) {
        along += s->w[s->set[k]] * v[k];
        norm += v[k] * v[k];
    }
    return -(slope + ridge * along / norm) / (square + ridge);
}

/* Sets s->target to the model's minimum along the directions, the rest
   being at its own; 0 when there is none to follow. */
int exact_dependent(exact_state *s)
{
    const exact_problem *p = s->problem;
    if (exact_has_gap(p) || isfinite(p->low) || isfinite(p->high) ||
        !exact_gram_pays(s))
        return 0;
    int64_t found = find_directions(s);
    for (int64_t f = 0; f < found; f++) {
        const double *v = s->near + f * s->gram_room;
        double length = length_of(s, v);
        for (int64_t k = 0; k < s->size; k++)
            s->target[s->set[k]] += length * v[k];
    }
    return found > 0;
}
