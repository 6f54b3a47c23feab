/*
 * With l1 or a box, more weights may be free than columns are independent.
 * For each column k that Cholesky left out there is a direction v, e_k less
 * the combination of the others that equals it, along which no margin
 * changes. It is followed the way that l1 falls, until some weight is 0 or at
 * a bound: one free weight less, at the cost of a substitution and an update
 * of the factor.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/* v over the list, for the member at `place`. */
static void flat_direction(exact_state *s, double *v, int64_t place,
                           int64_t count)
{
    const double *g = s->gram + s->list[place] * s->gram_room;
    for (int64_t i = 0; i < count; i++)
        v[i] = i < place ? -g[s->list[i]] : 0;
    exact_substitute(s, v, place);
    v[place] = 1;
}

/* Where a weight that moves with speed v meets a kink or bound. */
static double stop_of(const exact_problem *p, double u, double v)
{
    if (p->l1 > 0 && u * v < 0)
        return 0;
    return v > 0 ? p->high : v < 0 ? p->low : INFINITY;
}

/* How far along v, with sign, until the first weight stops; which one that
   is, and where. l1 may only fall. */
static double flat_reach(const exact_state *s, const double *v, int64_t place,
                         int64_t *first, double *stop)
{
    double slope = 0, reach = INFINITY;
    for (int64_t i = 0; i <= place; i++)
        slope += s->target[s->set[s->list[i]]] > 0 ? v[i] : -v[i];
    double sign = slope > 0 && s->problem->l1 > 0 ? -1 : 1;
    for (int64_t i = 0; i <= place; i++) {
        double u = s->target[s->set[s->list[i]]];
        double at = stop_of(s->problem, u, sign * v[i]);
        double way = fabs(at - u) / fabs(v[i]);
        if (way < reach) {
            reach = way;
            *first = i;
            *stop = at;
        }
    }
    return sign * reach;
}

/* That which turns (a, b) into (length, 0). */
static void set_rotation(double a, double b, double *cosine, double *sine)
{
    double length = hypot(a, b);
    *cosine = length > 0 ? a / length : 1;
    *sine = length > 0 ? b / length : 0;
}

/* The factor without row r: the rows below move up, and are made triangular
   again by rotations of neighbouring columns. */
static void delete_row(exact_state *s, int64_t r, int64_t count)
{
    int64_t room = s->gram_room;
    double *cosine = s->image, *sine = s->score;
    for (int64_t j = r; j + 1 < count; j++) {
        double *row = s->factor + j * room;
        memcpy(row, row + room, (size_t)(j + 2) * sizeof *row);
        for (int64_t c = r; c <= j; c++) {
            double a = row[c], b = row[c + 1];
            if (c == j)
                set_rotation(a, b, &cosine[c], &sine[c]);
            row[c] = cosine[c] * a + sine[c] * b;
            row[c + 1] = cosine[c] * b - sine[c] * a;
        }
        double whole = s->diagonal[s->list[j + 1]];
        if (!(row[j] * row[j] > 1e-13 * whole))
            row[j] = 0;
        s->list[j] = s->list[j + 1];
    }
}

/* Until the columns on the list are independent; returns how many remain. */
int64_t exact_reduce_face(exact_state *s, int64_t count)
{
    double *v = s->direction;
    for (int64_t place = 0; place < count;) {
        int64_t first = -1;
        double stop = 0;
        if (s->factor[place * s->gram_room + place] > 0) {
            place++;
            continue;
        }
        flat_direction(s, v, place, count);
        double way = flat_reach(s, v, place, &first, &stop);
        if (first < 0)
            return count;
        for (int64_t i = 0; i <= place; i++) {
            double u = s->target[s->set[s->list[i]]];
            exact_move_member(s, s->list[i],
                              i == first ? stop : u + way * v[i]);
        }
        delete_row(s, first, count--);
        place = first;
    }
    return count;
}
