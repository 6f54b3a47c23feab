/*
 * The Newton model of quadratic.c where its matrix would be too large: the
 * same steps by columns. Kept are the model's slopes z = u + H X d; a step
 * in w_j adds to them along column j. The intercept is eliminated by way of
 * the sum of z: r_j = x_j'z - mean_j sum(z), mean_j = sum_i h_i x_ij / mass.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/* What one call of exact_columns works with; the vectors are borrowed from
   the line search. */
typedef struct model {
    exact_state *s;
    double *z, total; /* slopes and their sum */
    double *image;    /* H X p */
    double *plain;    /* X p */
    int64_t active;   /* entries of s->list */
} model;

static void begin(model *o)
{
    exact_state *s = o->s;
    int64_t n = s->view.padded;
    memcpy(o->z, s->dual, (size_t)n * sizeof *o->z);
    o->total = 0;
    for (int64_t k = 0; k < s->size; k++) {
        double first, second;
        int64_t j = s->set[k];
        exact_moments(&s->view, j, s->curve, &first, &second);
        s->mean[k] = s->problem->intercept ? first / s->mass : 0;
        double h = second - s->mean[k] * s->mean[k] * s->mass;
        s->diagonal[k] = (h > 1e-13 * second ? h : 0) + s->extra[k];
        s->target[j] = s->w[j];
    }
}

/* The model's gradient along member k, without l1. */
static double slope_of(const model *o, int64_t k)
{
    const exact_state *s = o->s;
    int64_t j = s->set[k];
    return exact_dot(&s->view, j, o->z) - s->mean[k] * o->total +
           s->problem->l2 * s->w[j] + s->extra[k] * (s->target[j] - s->w[j]);
}

/* One coordinate; returns the decrease it promised, without the half. */
static double step_member(model *o, int64_t k)
{
    exact_state *s = o->s;
    int64_t j = s->set[k];
    double u = s->target[j], h = s->diagonal[k], r = slope_of(o, k);
    if (!(h > 0))
        return 0;
    double to = exact_prox(s->problem, u - r / h, h), d = to - u;
    if (d == 0)
        return 0;
    exact_add_curved(&s->view, j, d, s->curve, o->z);
    o->total += d * s->mean[k] * s->mass;
    s->target[j] = to;
    return d * d * h;
}

static double sweep_all(model *o)
{
    double most = 0;
    o->active = 0;
    for (int64_t k = 0; k < o->s->size; k++) {
        double gain = step_member(o, k);
        most = fmax(most, gain);
        if (gain > 0 || o->s->target[o->s->set[k]] != 0)
            o->s->list[o->active++] = k;
    }
    return most;
}

static double sweep_active(model *o)
{
    double most = 0;
    for (int64_t i = 0; i < o->active; i++)
        most = fmax(most, step_member(o, o->s->list[i]));
    return most;
}

/* ---- conjugate gradients on the free members ---- */

/* image = H X p, and q = X' image over s->list: column by column. */
static void apply_by_columns(model *o, const double *p, double *q,
                             int64_t count)
{
    exact_state *s = o->s;
    int64_t n = s->view.padded;
    memset(o->plain, 0, (size_t)n * sizeof *o->plain);
    for (int64_t i = 0; i < count; i++)
        exact_add(&s->view, s->set[s->list[i]], p[i], o->plain);
    for (int64_t i = 0; i < n; i++)
        o->image[i] = o->plain[i] * s->curve[i];
    for (int64_t i = 0; i < count; i++)
        q[i] = exact_dot(&s->view, s->set[s->list[i]], o->image);
}

/* The same row by row, so that each entry is fetched once: for nearly all
   columns of a sparse table. */
static void apply_by_rows(model *o, const double *p, double *q, int64_t count)
{
    exact_state *s = o->s;
    const table_entries *e = s->view.by_row;
    const double *value = e->value;
    double *from = s->score, *to = s->product;
    memset(from, 0, (size_t)s->view.p * sizeof *from);
    memset(to, 0, (size_t)s->view.p * sizeof *to);
    for (int64_t i = 0; i < count; i++)
        from[s->set[s->list[i]]] = p[i];
    for (int64_t i = 0; i < s->view.n; i++) {
        double sum = 0;
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
            sum += value[k] * from[e->index[k]];
        double slope = sum * s->curve[i];
        o->image[i] = slope;
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
            to[e->index[k]] += slope * value[k];
    }
    for (int64_t i = 0; i < count; i++)
        q[i] = to[s->set[s->list[i]]];
}

/* image = H X p, and q = the model's matrix times p, over s->list. */
static void apply(model *o, const double *p, double *q, int64_t count)
{
    exact_state *s = o->s;
    double sum = 0;
    if (!s->view.x && count > s->view.p / 2)
        apply_by_rows(o, p, q, count);
    else
        apply_by_columns(o, p, q, count);
    for (int64_t i = 0; i < count; i++)
        sum += p[i] * s->mean[s->list[i]] * s->mass;
    for (int64_t i = 0; i < count; i++)
        q[i] += s->extra[s->list[i]] * p[i] - s->mean[s->list[i]] * sum;
}

/* How far along p the free members keep their faces; who is first. */
static double face_reach(const model *o, const double *p, double length,
                         int64_t count, int64_t *first)
{
    const exact_state *s = o->s;
    double part = length, stop;
    *first = -1;
    for (int64_t i = 0; i < count; i++) {
        double u = s->target[s->set[s->list[i]]];
        double far = exact_reach(s->problem, u, length * p[i], &stop) * length;
        if (far < part) {
            part = far;
            *first = i;
        }
    }
    return part;
}

/* Moves by length * p; z follows by the image. The first to meet a kink or
   bound is put there exactly. */
static void move_all(model *o, const double *p, double length, int64_t count,
                     int64_t first)
{
    exact_state *s = o->s;
    double stop;
    for (int64_t i = 0; i < s->view.n; i++)
        o->z[i] += length * o->image[i];
    for (int64_t i = 0; i < count; i++) {
        int64_t k = s->list[i], j = s->set[k];
        o->total += length * p[i] * s->mean[k] * s->mass;
        exact_reach(s->problem, s->target[j], p[i] * length * (1 + 1e-9),
                    &stop);
        s->target[j] = i == first ? stop : s->target[j] + length * p[i];
    }
}

/*
 * Conjugate gradients, preconditioned by the diagonal, from the target on.
 * Each step lowers the model, so it may stop anywhere, and does so at the
 * first kink. Ends when the residual has shrunk by `accuracy`.
 */
static void solve_face(model *o, double accuracy, int rounds)
{
    exact_state *s = o->s;
    int64_t count = exact_free_members(s), first = -1;
    double *r = s->residual, *p = s->direction, *q = s->image;
    double size = 0, goal = 0, back = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t k = s->list[i];
        double u = s->target[s->set[k]], l1 = s->problem->l1;
        r[i] = -slope_of(o, k) - (u > 0 ? l1 : u < 0 ? -l1 : 0);
        p[i] = 0;
        size += r[i] * r[i] / s->diagonal[k];
    }
    goal = accuracy * accuracy * size;
    for (int round = 0; round < rounds && size > goal && first < 0; round++) {
        for (int64_t i = 0; i < count; i++)
            p[i] = r[i] / s->diagonal[s->list[i]] + back * p[i];
        apply(o, p, q, count);
        double curvature = 0, old = size;
        for (int64_t i = 0; i < count; i++)
            curvature += p[i] * q[i];
        if (!(curvature > 0))
            break;
        double length = face_reach(o, p, size / curvature, count, &first);
        move_all(o, p, length, count, first);
        size = 0;
        for (int64_t i = 0; i < count; i++) {
            r[i] -= length * q[i];
            size += r[i] * r[i] / s->diagonal[s->list[i]];
        }
        back = size / old;
    }
}

void exact_columns(exact_state *s, double accuracy)
{
    const exact_problem *p = s->problem;
    model o = {s, s->trial_slope, 0, s->trial_curve, s->trial, 0};
    s->gram_done = 0;
    begin(&o);
    if (!(p->l1 > 0) && isinf(p->low) && isinf(p->high)) {
        solve_face(&o, accuracy, 200);
        return;
    }
    double start = sweep_all(&o), enough = accuracy * accuracy * start;
    for (int round = 0; round < 20; round++) {
        int quiet = 0;
        for (int i = 0; i < 10 && !quiet; i++)
            quiet = sweep_active(&o) <= enough;
        if (!quiet)
            solve_face(&o, accuracy, 20);
        if (sweep_all(&o) <= enough)
            break;
    }
}
