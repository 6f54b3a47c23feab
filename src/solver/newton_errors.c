/*
 * Standard errors from the last stage of the private Newton method. In its
 * coordinates w the loss bends by about 1 in all directions, and the mean of
 * its answers is
 *
 *   0  =  (w - w*) + noise of the mean + sampling + what was cut off
 *
 * where the rounds have come to rest: w is their average, w* the least of the
 * population's penalised loss. So a weight c'v, v = to w, has the variance
 *
 *   |to'c|^2 (sd^2 / rounds + doubt square / (d rows) + (HALF_KNOWN bias)^2)
 *     + (c'v - c'average)^2
 *
 * How the loss bends enters by its error times how far the rounds are from
 * rest, which is why they have to be at rest. The last term is what the weight
 * was drawn to 0 by after the average.
 *
 * Bias: of what is cut off, so much points one way as the clip is chosen by.
 * Where that is more than noise and sampling together there is no interval.
 * The likeliest tail of the lengths often ends at the clip; what is cut off of
 * classes is what all tails lose that the answers allow, and once its sd.
 * Rare: a clip far above the usual length is there for few rows, of which the
 * histogram of lengths shows nothing.
 *
 * Levels that add up: redundant.h. Rows tell nothing of such a direction, where
 * answers are noise alone. There are that many fewer directions for gradients
 * to be in, and c is what the penalty makes of it.
 *
 * Hidden, and few rows that may decide: as in ssp_errors.c. Noise is in
 * whitened coordinates, so that shares are of c' G^-1 c; and a row has one
 * column at its bound, not all of them.
 */
#include "newton_errors.h"

#include <math.h>
#include <string.h>

#define NEAR_EDGE 1.25  /* eigenvalues below this x the edge are not known */
#define MOST_HIDDEN .1  /* of c' G^-1 c */
#define DOUBT 1.25      /* times the sampling variance of equal residuals */
#define DOUBT_IN_FEW 9. /* over directions: of three, one may have it all */
#define HALF_KNOWN .7   /* of the bias */
#define MOST_BIAS 1.    /* over noise and sampling */
#define AT_REST .3      /* mean square of the mean answer over its noise */
#define MOST_CLIP 12.   /* in mean lengths */
#define FEW_ROWS 100.   /* largest / mean of (a'x)^2: few rows may decide */
#define SMALL_PART .15  /* of noise and sampling, the latter */

/* What is cut off points one way by this over sqrt(d). */
#define ALIGNED_NUMBERS .7
#define ALIGNED_CLASSES 1.25

typedef struct parts {
    double seen;                  /* directions that rows tell of */
    double noise, sampling, bias; /* variances in each of these in w */
    double doubt;                 /* times the sampling variance */
} parts;

/* What errors are made with, without the directions that are redundant. */
typedef struct work {
    const redundant *of;
    double *lifted;         /* second moments, for their eigenvectors */
    double *pull, *first;   /* as newton_rest has them */
    double *vector, *value; /* of the second moments */
    double *along;          /* the redundant directions of w, orthonormal */
    double *c, *w, *a;
} work;

static parts parts_of(const newton_rest *m, const redundant *of)
{
    double bias = (m->classes ? ALIGNED_CLASSES : ALIGNED_NUMBERS) * m->lost;
    double seen = (double)(m->d - of->count);
    return (parts){seen, m->sd * m->sd / m->rounds,
                   m->square / (seen * m->rows), bias * bias / seen,
                   m->classes ? DOUBT : fmax(DOUBT, DOUBT_IN_FEW / seen)};
}

/* Why no weight at all has an interval; INTERVAL_UNMODELLED: some may. */
static interval_reason refused_at_all(const newton_rest *m, const parts *of,
                                      const double *pull)
{
    double square = 0;
    for (int64_t e = 0; e < m->d; e++)
        square += pull[e] * pull[e];
    if (!(square <= AT_REST * of->seen * of->noise))
        return INTERVAL_MOVING;
    if (!(m->clip <= MOST_CLIP * m->length))
        return INTERVAL_FEW_ROWS;
    if (!(of->bias <= MOST_BIAS * MOST_BIAS * (of->noise + of->sampling)))
        return INTERVAL_SHORTENED;
    return INTERVAL_UNMODELLED;
}

static int is_hidden(const newton_rest *m, const work *k)
{
    double all = 0, hidden = 0;
    for (int64_t e = 0; e < m->d; e++) {
        double along = 0;
        for (int64_t j = 0; j < m->d; j++)
            along += k->c[j] * k->vector[j * m->d + e];
        double share = along * along / k->value[e];
        all += share;
        if (k->value[e] < NEAR_EDGE * m->edge)
            hidden += share;
    }
    return !(hidden <= MOST_HIDDEN * all);
}

/* a = to to'c: what a row moves c'v by is its residual times a'x. */
static int few_decide(const newton_rest *m, const work *k)
{
    double longest = 0, mean = 0;
    redundant_leave_out(k->of->along, k->of->count, m->d, k->a);
    for (int64_t i = 0; i < m->d; i++) {
        longest += k->a[i] * k->a[i] * m->reach[i] * m->reach[i];
        for (int64_t j = 0; j < m->d; j++)
            mean += k->a[i] * k->first[i * m->d + j] * k->a[j];
    }
    return !(longest <= FEW_ROWS * mean);
}

/* The error of the sum `what` of v; c is what the penalty makes of it. */
static double error_of(const newton_rest *m, const parts *of,
                       const double *what, const work *k,
                       unsigned char *refused)
{
    int64_t d = m->d;
    double length = 0, drawn = 0;
    memcpy(k->c, what, (size_t)d * sizeof *k->c);
    redundant_hold(k->of, k->c);
    memset(k->a, 0, (size_t)d * sizeof *k->a);
    for (int64_t e = 0; e < d; e++) {
        k->w[e] = 0;
        for (int64_t j = 0; j < d; j++)
            k->w[e] += m->to[j * d + e] * k->c[j];
        length += k->w[e] * k->w[e];
        for (int64_t j = 0; j < d; j++)
            k->a[j] += m->to[j * d + e] * k->w[e];
    }
    for (int64_t j = 0; j < d; j++)
        drawn += k->c[j] * (m->v[j] - m->average[j]);
    if (of->sampling > SMALL_PART * (of->noise + of->sampling) &&
        few_decide(m, k))
        *refused = INTERVAL_FEW_ROWS;
    return sqrt(length * (of->noise + of->doubt * of->sampling +
                          HALF_KNOWN * HALF_KNOWN * of->bias) +
                drawn * drawn);
}

/* Pull and second moments without what is redundant: rows have nothing there,
   and answers noise alone. Eigenvalues there are put above all others, so that
   no sum is hidden for their sake. */
static sotto_status without_redundant(const newton_rest *m, work *k,
                                      sotto_error *error)
{
    int64_t d = m->d, count = k->of->count;
    double trace = 0;
    memcpy(k->pull, m->pull, (size_t)d * sizeof *k->pull);
    memcpy(k->first, m->first, (size_t)(d * d) * sizeof *k->first);
    for (int64_t r = 0; r < count; r++)
        for (int64_t e = 0; e < d; e++)
            for (int64_t j = 0; j < d; j++)
                k->along[r * d + e] +=
                    m->from[e * d + j] * k->of->along[r * d + j];
    redundant_leave_out(k->along, redundant_orthonormal(k->along, count, d), d,
                        k->pull);
    redundant_clear(k->of, k->first);
    for (int64_t i = 0; i < d; i++)
        trace += k->first[i * d + i];
    memcpy(k->lifted, k->first, (size_t)(d * d) * sizeof *k->lifted);
    redundant_lift(k->of, trace + m->edge, k->lifted);
    return matrix_eigen(k->lifted, d, k->value, k->vector, error);
}

static void find_errors(const newton_rest *m, const double *what, int64_t count,
                        const work *k, errors_found *out)
{
    double *error = out->error;
    unsigned char *refused = out->refused;
    int64_t seen = 0;
    parts of = parts_of(m, k->of);
    interval_reason all = refused_at_all(m, &of, k->pull);
    for (int64_t i = 0; i < count; i++) {
        refused[i] = (unsigned char)all;
        error[i] = error_of(m, &of, what + i * m->d, k, &refused[i]);
        out->moved[i] = redundant_moved(k->of, what + i * m->d, k->c, m->v);
        if (is_hidden(m, k) || !isfinite(error[i]) || !(error[i] > 0))
            refused[i] = INTERVAL_HIDDEN;
        seen += refused[i] != INTERVAL_HIDDEN;
    }
    for (int64_t i = 0; i < count; i++) {
        /* what columns make impossible is said before what this run did */
        int hidden = refused[i] == INTERVAL_HIDDEN;
        if (3 * seen < 2 * count)
            refused[i] = hidden ? INTERVAL_HIDDEN : INTERVAL_FEW_SEEN;
        else if (all != INTERVAL_UNMODELLED)
            refused[i] = (unsigned char)all;
        if (refused[i] != INTERVAL_UNMODELLED)
            error[i] = out->moved[i] = 0;
    }
}

sotto_status newton_errors(const newton_rest *m, const double *what,
                           int64_t count, errors_found *out,
                           sotto_error *failed)
{
    int64_t d = m->d, square = d * d;
    const redundant none = {.d = d};
    const redundant *of = m->redundant ? m->redundant : &none;
    double *memory =
        mem_zeroed((size_t)(3 * square + (of->count + 5) * d), sizeof *memory);
    double *small = memory + 3 * square;
    if (!memory)
        return error_memory(failed);
    work k = {.of = of,
              .first = memory,
              .vector = memory + square,
              .lifted = memory + 2 * square,
              .pull = small,
              .value = small + d,
              .c = small + 2 * d,
              .w = small + 3 * d,
              .a = small + 4 * d,
              .along = small + 5 * d};
    sotto_status status = without_redundant(m, &k, failed);
    if (status == SOTTO_OK)
        find_errors(m, what, count, &k, out);
    mem_free(memory);
    return status;
}

/* ---- of a run ---- */

/* Of these losses it is known that errors cover. */
static int has_law(const loss *l)
{
    return loss_is_quadratic(l->kind) || l->kind == LOSS_LOGISTIC;
}

void newton_refuse_intervals(const solver_run *r, const newton_planned *n,
                             const solver_answer *out)
{
    const solver_problem *p = &r->problem;
    int box = isfinite(p->low) || isfinite(p->high);
    int known = n->path == PATH_DENSE || n->path == PATH_SELECT;
    interval_reason why = !known                  ? INTERVAL_UNMODELLED
                          : !has_law(&p->loss)    ? INTERVAL_LOSS
                          : p->l1 > 0             ? INTERVAL_L1
                          : box                   ? INTERVAL_BOX
                          : n->path != PATH_DENSE ? INTERVAL_CHOSEN
                                                  : INTERVAL_BUDGET;
    for (int64_t j = 0; j <= p->features; j++)
        solver_refuse_interval(out, j, why);
}

/* Weights and the intercept, where columns are not centred, as sums of v; and
   how far each coordinate of a row goes. */
static void sums_of(const newton_state *s, double *what, double *reach)
{
    const solver_run *run = s->settings->run;
    const solver_units *units = &run->units;
    double *last = what + s->p * s->d;
    for (int64_t j = 0; j < s->p; j++) {
        double half = units->half ? units->half[j] : 1;
        double centre = units->centre ? units->centre[j] : 0;
        double scale = s->columns.scale[j], middle = s->columns.centre[j];
        what[j * s->d + j] = 1 / scale;
        last[j] = -(middle + centre / half) / scale;
        /* infinite where nobody declared it */
        reach[j] = (run->smooth.reach[j] + fabs(middle)) / scale;
    }
    if (s->d > s->p)
        last[s->p] = reach[s->p] = 1;
}

/* By the units of the penalty: without --l2 the target is what it tends to. */
static sotto_status find_redundant(const newton_state *s, double *unit,
                                   redundant *out, sotto_error *error)
{
    redundant_frame f = {.features = s->p,
                         .intercept = s->d > s->p,
                         .whole = s->settings->run->units.whole,
                         .centre = s->columns.centre,
                         .scale = s->columns.scale,
                         .unit = unit};
    for (int64_t j = 0; j < s->p; j++) {
        double each = newton_unit(s, j) / s->columns.scale[j];
        unit[j] = each * each;
    }
    return redundant_make(out, &f, error);
}

/* Tails of numbers have no end, nor has what all of them may lose: of
   these it is the likeliest one that counts. */
static double lost_at_last(const stages *k, int classes)
{
    return classes ? clip_lost_doubted(&k->lengths, k->clip, k->longest)
                   : clip_lost_spread(&k->lengths, k->clip);
}

sotto_status newton_intervals(const stages *k, const solver_answer *out,
                              sotto_error *error)
{
    const newton_state *s = k->s;
    int64_t d = k->d, count = s->p + 1;
    int replaced =
        s->is_constant || memcmp(s->v, k->best, (size_t)d * sizeof *s->v) != 0;
    if (!out->error || !has_law(&s->problem->loss))
        return SOTTO_OK;
    for (int64_t j = 0; replaced && j < count; j++)
        solver_refuse_interval(out, j, INTERVAL_REPLACED);
    if (replaced)
        return SOTTO_OK;
    double *what = mem_zeroed((size_t)((count + 3) * d), sizeof *what);
    double *reach = what + count * d, *pull = reach + d;
    double rounds = (double)k->averaged;
    int classes = loss_has_classes(s->problem->loss.kind);
    redundant of;
    errors_found found = {out->error, out->moved, out->refused};
    if (!what)
        return error_memory(error);
    sotto_status status = find_redundant(s, pull + d, &of, error);
    sums_of(s, what, reach);
    for (int64_t e = 0; e < d; e++) {
        pull[e] = k->answers[e] / rounds;
        for (int64_t j = 0; j < d; j++)
            pull[e] += k->to[j * d + e] * s->l2[j] * k->asked[j] / rounds;
    }
    newton_rest m = {.d = d,
                     .first = k->first,
                     .edge = k->edge,
                     .to = k->to,
                     .pull = pull,
                     .average = k->average,
                     .v = s->v,
                     .reach = reach,
                     .sd = s->last_sd,
                     .rounds = rounds,
                     .clip = k->clip,
                     .length = k->scale,
                     .square = k->square,
                     .lost = lost_at_last(k, classes),
                     .classes = classes,
                     .rows = solver_sample(s->settings->run),
                     .from = k->from,
                     .redundant = &of};
    if (status == SOTTO_OK)
        status = newton_errors(&m, what, count, &found, error);
    redundant_free(&of);
    mem_free(what);
    return status;
}
