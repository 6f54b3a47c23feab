/*
 * The Newton model on the matrix of gram.c:
 *
 *   min over u:  c'd + d'(G + E)d / 2 + l1 |u|_1,  d = u - w, u in the box,
 *
 * with E = l2 + damping on the diagonal. Cyclic coordinate descent finds the
 * signs; then the weights that are free are solved for at once (Cholesky),
 * as far as they keep their signs. Both only ever go down.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/* ---- Cholesky on the free members ---- */

/* Whether a weight can move both ways without meeting a kink or a bound. */
static int is_free(const exact_problem *p, double u)
{
    return (u != 0 || !(p->l1 > 0)) && u > p->low && u < p->high;
}

int64_t exact_free_members(exact_state *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->size; k++)
        if (s->diagonal[k] > 0 && is_free(s->problem, s->target[s->set[k]]))
            s->list[count++] = k;
    return count;
}

/* a'b in eight sums, which vectorise without reordering anything. */
static double row_product(const double *a, const double *b, int64_t count)
{
    double s[8] = {0}, rest = 0;
    int64_t k = 0;
    for (; k + 8 <= count; k += 8)
        for (int i = 0; i < 8; i++)
            s[i] += a[k + i] * b[k + i];
    for (; k < count; k++)
        rest += a[k] * b[k];
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) +
           rest;
}

/*
 * L L' = G + E on the list. A column that depends on those before it (what
 * is left of it is less than `least`, relative) is left out: L_kk = 0, and
 * its weight will not move.
 */
void exact_factorise(exact_state *s, int64_t count, double least)
{
    const int64_t *list = s->list;
    int64_t room = s->gram_room;
    for (int64_t j = 0; j < count; j++) {
        double *row = s->factor + j * room;
        const double *g = s->gram + list[j] * room;
        for (int64_t k = 0; k < j; k++) {
            const double *other = s->factor + k * room;
            double sum = g[list[k]] - row_product(row, other, k);
            row[k] = other[k] > 0 ? sum / other[k] : 0;
        }
        double whole = s->diagonal[list[j]];
        double pivot = whole - row_product(row, row, j);
        row[j] = pivot > least * whole ? sqrt(pivot) : 0;
    }
}

void exact_substitute(const exact_state *s, double *x, int64_t count)
{
    int64_t room = s->gram_room;
    for (int64_t j = 0; j < count; j++) {
        const double *row = s->factor + j * room;
        x[j] = row[j] > 0 ? (x[j] - row_product(row, x, j)) / row[j] : 0;
    }
    for (int64_t j = count - 1; j >= 0; j--) {
        const double *row = s->factor + j * room;
        x[j] = row[j] > 0 ? x[j] / row[j] : 0;
        for (int64_t k = 0; k < j; k++)
            x[k] -= row[k] * x[j];
    }
}

/* ---- moves ---- */

void exact_move_member(exact_state *s, int64_t k, double to)
{
    double d = to - s->target[s->set[k]];
    const double *g = s->gram + k * s->gram_room;
    if (d == 0)
        return;
    for (int64_t i = 0; i < s->size; i++)
        s->residual[i] += g[i] * d;
    s->residual[k] += s->extra[k] * d;
    s->target[s->set[k]] = to;
}

/* The first kink or bound on the way from u to u + d, as a part of d. */
double exact_reach(const exact_problem *p, double u, double d, double *stop)
{
    double end = u + d;
    *stop = end;
    if (p->l1 > 0 && u * end < 0)
        *stop = 0;
    if (*stop > p->high)
        *stop = p->high;
    if (*stop < p->low)
        *stop = p->low;
    return *stop == end ? 1 : (*stop - u) / d;
}

/* Where the free members want to go: x = -(G + E)^-1 (r + l1 sign). */
static int64_t face_direction(exact_state *s)
{
    const exact_problem *p = s->problem;
    int64_t count = exact_free_members(s);
    exact_factorise(s, count, 1e-13);
    if (p->l1 > 0 || isfinite(p->low) || isfinite(p->high))
        count = exact_reduce_face(s, count);
    for (int64_t i = 0; i < count; i++) {
        double u = s->target[s->set[s->list[i]]];
        s->direction[i] = -s->residual[s->list[i]] - (u > 0   ? p->l1
                                                      : u < 0 ? -p->l1
                                                              : 0);
    }
    exact_substitute(s, s->direction, count);
    return count;
}

/* The way to the first member that would leave its face, and that member;
   1 and -1 when none does. */
static double face_part(const exact_state *s, int64_t count, int64_t *first)
{
    double part = 1, stop;
    *first = -1;
    for (int64_t i = 0; i < count; i++) {
        double u = s->target[s->set[s->list[i]]];
        double far = exact_reach(s->problem, u, s->direction[i], &stop);
        if (far < part) {
            part = far;
            *first = i;
        }
    }
    return part;
}

/* All the way, each member stopping at its own kink or bound: drops many at
   once. It may go up; then everything is put back, and the answer is 0. */
static int try_projected(exact_state *s, int64_t count)
{
    double change = 0, stop, *before = s->image, *from = s->score;
    memcpy(before, s->residual, (size_t)s->size * sizeof *before);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = s->list[i];
        from[i] = s->target[s->set[k]];
        exact_reach(s->problem, from[i], s->direction[i], &stop);
        exact_move_member(s, k, stop);
        change += s->problem->l1 * (fabs(stop) - fabs(from[i]));
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t k = s->list[i];
        change +=
            (s->target[s->set[k]] - from[i]) * (before[k] + s->residual[k]) / 2;
    }
    if (change < 0)
        return 1;
    memcpy(s->residual, before, (size_t)s->size * sizeof *before);
    for (int64_t i = 0; i < count; i++)
        s->target[s->set[s->list[i]]] = from[i];
    return 0;
}

/* Solves for the free members. 1 when they all stayed free. */
static int solve_face(exact_state *s)
{
    int64_t count = face_direction(s), first;
    double part = face_part(s, count, &first), stop;
    if (first >= 0 && try_projected(s, count))
        return 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t k = s->list[i];
        double u = s->target[s->set[k]];
        exact_reach(s->problem, u, s->direction[i], &stop);
        exact_move_member(s, k, i == first ? stop : u + part * s->direction[i]);
    }
    return first < 0;
}

/* The largest promised decrease over the members, and whose it is. */
static double model_violation(const exact_state *s, int64_t *whose)
{
    double most = 0;
    *whose = -1;
    for (int64_t k = 0; k < s->size; k++) {
        double u = s->target[s->set[k]];
        /* residual has l2 in it, the violation adds it again */
        double fall =
            exact_violation(s->problem, u, s->residual[k] - s->problem->l2 * u);
        double promise = s->diagonal[k] > 0 ? fall * fall / s->diagonal[k] : 0;
        if (promise > most) {
            most = promise;
            *whose = k;
        }
    }
    return most;
}

static int step_member(exact_state *s, int64_t k)
{
    double u = s->target[s->set[k]], h = s->diagonal[k];
    double to = exact_prox(s->problem, u - s->residual[k] / h, h);
    exact_move_member(s, k, to);
    return is_free(s->problem, u) != is_free(s->problem, to);
}

/* One cycle over the members; whether any joined or left the free ones. */
static int sweep(exact_state *s)
{
    int changed = 0;
    for (int64_t k = 0; k < s->size; k++)
        if (s->diagonal[k] > 0)
            changed |= step_member(s, k);
    return changed;
}

/* ---- the model ---- */

void exact_begin_model(exact_state *s)
{
    exact_gram(s);
    for (int64_t k = 0; k < s->size; k++) {
        int64_t j = s->set[k];
        double g = s->gram[k * s->gram_room + k];
        double whole = g + s->mean[k] / s->mass * s->mean[k] *
                               (s->problem->intercept ? 1 : 0);
        s->diagonal[k] = (g > 1e-13 * whole ? g : 0) + s->extra[k];
        s->residual[k] = s->c[j] + s->problem->l2 * s->w[j];
        s->target[j] = s->w[j];
    }
}

/* Sweeps until they agree on who is free; they may take as long as the
   factorisation that follows. Whether the first of them changed that. */
static int settle_signs(exact_state *s, int smooth)
{
    if (smooth)
        return 0;
    int unrest = sweep(s), changed = 1;
    for (int64_t i = 0; changed && i < 5 + s->size / 8; i++)
        changed = sweep(s) || i < 2;
    return unrest;
}

/* Where columns are so much alike that sweeps undo what was solved for: the
   free members alone, until they stay free, then one more. */
static void solve_one_by_one(exact_state *s, double enough)
{
    /* the model of a squared loss is the problem itself */
    int64_t rounds = loss_is_quadratic(s->problem->loss.kind) ? 2 * s->size : 0;
    int64_t whose;
    for (int64_t i = 0; i < 50 + rounds; i++) {
        if (!solve_face(s))
            continue;
        if (model_violation(s, &whose) <= enough)
            break;
        step_member(s, whose);
    }
}

void exact_quadratic(exact_state *s)
{
    const exact_problem *p = s->problem;
    int smooth = !(p->l1 > 0) && isinf(p->low) && isinf(p->high);
    int64_t whose;
    exact_begin_model(s);
    /* on part of the columns, an answer that will not last */
    double part = s->size < s->view.p && s->measure > 1e-6 ? 1e-8 : 1e-20;
    double enough = part * model_violation(s, &whose);
    for (int round = 0; round < 20; round++) {
        int unrest = settle_signs(s, smooth);
        int whole = solve_face(s);
        if ((whole && !unrest) || model_violation(s, &whose) <= enough)
            return;
    }
    if (!smooth)
        solve_one_by_one(s, enough);
}
