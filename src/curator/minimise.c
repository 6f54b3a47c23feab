/*
 * The minimiser of Phi, certified: docs/privacy, Lemma C20.
 *
 *   start    the exact solver's answer where there is no objective noise,
 *            else 0. It is not trusted: what follows measures whatever it says
 *   measure  s, the shortest subgradient of Phi at w, in twice the precision,
 *            and how far it may be off. Strong convexity makes |s| / l2 a
 *            bound of the distance from the minimiser
 *   newton   steps by conjugate gradients, as long as |s| falls
 *   certain  proximal gradient steps, each of which brings w nearer by the
 *            factor 1 - l2/M at least, until |s| is short enough or there
 *            were enough of them; from 0 if it cannot be from elsewhere
 */
#include "minimise.h"

#include "exact.h"
#include "internal.h"

#include <math.h>
#include <string.h>

/* Halvings of a step: where all slopes are tiny, so is the curvature, and the
   first steps along d are too long by many orders of magnitude. */
enum { MOST_CONJUGATE = 1000, HALVINGS = 60 };

typedef struct search {
    const minimum *m;
    const sotto_table *t;
    int64_t rows, features;
    double slope, curvature; /* the loss's */
    double shares;           /* sum of a_i */
    double smooth;           /* M: no less than the curvature of Phi */

    double *high, *low; /* rows: margins, in two parts */
    double *row_slope, *curve, *along;
    double *w, *s, *before; /* features */
    double *d, *residual, *image, *way;
    double length; /* |s|, as computed */
    double off;    /* and how far that may be from the truth */
    double size;   /* |w| */
    void *memory;
    size_t bytes;
} search;

/* ---- columns ---- */

typedef struct column {
    const double *value;
    const uint32_t *row; /* NULL: all of them */
    int64_t count;
} column;

static column column_of(const sotto_table *t, int64_t j)
{
    const double *value = t->sparse ? t->by_column.value : t->x;
    if (!t->sparse)
        return (column){value + j * t->stride, NULL, t->rows};
    int64_t from = t->by_column.start[j];
    return (column){value + from, t->by_column.index + from,
                    t->by_column.start[j + 1] - from};
}

/* high + low += a b, all but what twice the precision does not hold. */
static inline void add_twice(double *high, double *low, double a, double b)
{
    double term = a * b, sum = *high + term, back = sum - *high;
    *low += fma(a, b, -term) + ((*high - (sum - back)) + (term - back));
    *high = sum;
}

static void add_column(const search *s, int64_t j, double by)
{
    column x = column_of(s->t, j);
    for (int64_t k = 0; k < x.count; k++) {
        int64_t i = x.row ? (int64_t)x.row[k] : k;
        add_twice(&s->high[i], &s->low[i], by, x.value[k]);
    }
}

static double dot_column(const search *s, int64_t j, const double *z)
{
    column x = column_of(s->t, j);
    double high = 0, low = 0;
    for (int64_t k = 0; k < x.count; k++)
        add_twice(&high, &low, z[x.row ? (int64_t)x.row[k] : k], x.value[k]);
    return high + low;
}

/* ---- measure ---- */

/* The subgradient that is shortest. At the kink it is the side along which
   Phi falls, or 0. */
static double subgradient(const minimum *m, double w, double v)
{
    double right = v + (w >= 0 ? m->l1 : -m->l1);
    double left = v + (w > 0 ? m->l1 : -m->l1);
    if (right < 0 && w < m->high)
        return right;
    return left > 0 && w > m->low ? left : 0;
}

/* a_i times slope and curvature at the margins. */
static void measure_rows(search *s)
{
    const sotto_table *t = s->t;
    memset(s->high, 0, (size_t)s->rows * sizeof *s->high);
    memset(s->low, 0, (size_t)s->rows * sizeof *s->low);
    for (int64_t j = 0; j < s->features; j++)
        if (s->w[j] != 0)
            add_column(s, j, s->w[j]);
    for (int64_t i = 0; i < s->rows; i++) {
        double margin = s->high[i] + s->low[i], first, second;
        loss_portable_slopes(&s->m->loss, margin, t->y[i], &first, &second);
        s->row_slope[i] = t->weight[i] * first;
        s->curve[i] = t->weight[i] * second;
    }
}

/*
 * What is computed of s is off by at most this (Lemma C20): the losses' slopes
 * and their sum, the margins, and the last few operations on terms whose
 * sizes are `terms` in length.
 */
static double rounding_of(const search *s, double terms)
{
    double many = (double)s->rows * 0x1p-52, reach = s->m->reach;
    double rows = s->slope * (0x1p-47 + many * many) +
                  s->curvature * reach * s->size * 0x1p-51;
    return s->shares * reach * rows + 0x1p-50 * terms;
}

static void measure(search *s)
{
    const minimum *m = s->m;
    double length = 0, terms = 0, size = 0;
    measure_rows(s);
    for (int64_t j = 0; j < s->features; j++) {
        double sum = dot_column(s, j, s->row_slope), w = s->w[j];
        double objective_noise = m->objective_noise ? m->objective_noise[j] : 0;
        double all =
            fabs(sum) + fabs(objective_noise) + m->l2 * fabs(w) + m->l1;
        s->s[j] = subgradient(m, w, sum + objective_noise + m->l2 * w);
        length += s->s[j] * s->s[j];
        terms += all * all;
        size += w * w;
    }
    s->length = sqrt(length);
    s->size = sqrt(size);
    s->off = rounding_of(s, sqrt(terms));
}

/* Whether it is certified. It is not if anything is NaN. */
static int is_near(const search *s)
{
    return (s->length + s->off) * (1 + 0x1p-8) <= s->m->goal;
}

/* ---- newton ---- */

/* Whether w_j may move: it is neither at an end of the box nor at the kink, or
   is about to leave it. */
static int is_free(const search *s, int64_t j)
{
    const minimum *m = s->m;
    double w = s->w[j];
    return s->s[j] != 0 ||
           !((w == 0 && m->l1 > 0) || w == m->low || w == m->high);
}

/* image = (X'HX + l2) way, in the coordinates that are free. */
static void multiply_by_curvature(search *s)
{
    memset(s->along, 0, (size_t)s->rows * sizeof *s->along);
    for (int64_t j = 0; j < s->features; j++) {
        column x = column_of(s->t, j);
        double by = s->way[j];
        for (int64_t k = 0; by != 0 && !x.row && k < x.count; k++)
            s->along[k] += by * x.value[k];
        for (int64_t k = 0; by != 0 && x.row && k < x.count; k++)
            s->along[x.row[k]] += by * x.value[k];
    }
    for (int64_t i = 0; i < s->rows; i++)
        s->along[i] *= s->curve[i];
    for (int64_t j = 0; j < s->features; j++) {
        column x = column_of(s->t, j);
        double sum = s->m->l2 * s->way[j];
        for (int64_t k = 0; k < x.count; k++)
            sum += s->along[x.row ? (int64_t)x.row[k] : k] * x.value[k];
        s->image[j] = is_free(s, j) ? sum : 0;
    }
}

static double inner(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

/* d, about -(X'HX + l2)^-1 s in the coordinates that are free. */
static void find_direction(search *s)
{
    int64_t p = s->features;
    for (int64_t j = 0; j < p; j++) {
        s->d[j] = 0;
        s->residual[j] = s->way[j] = is_free(s, j) ? -s->s[j] : 0;
    }
    double square = inner(s->residual, s->residual, p), first = square;
    for (int k = 0; k < MOST_CONJUGATE && square > 1e-6 * first; k++) {
        multiply_by_curvature(s);
        double step = square / inner(s->way, s->image, p);
        for (int64_t j = 0; j < p; j++) {
            s->d[j] += step * s->way[j];
            s->residual[j] -= step * s->image[j];
        }
        double next = inner(s->residual, s->residual, p);
        for (int64_t j = 0; j < p; j++)
            s->way[j] = s->residual[j] + next / square * s->way[j];
        square = next;
    }
}

static double boxed(const minimum *m, double w)
{
    return fmax(m->low, fmin(m->high, w));
}

/* Whether a step along d makes |s| shorter; otherwise w stays. */
static int newton_step(search *s)
{
    size_t bytes = (size_t)s->features * sizeof *s->w;
    double length = s->length, part = 1;
    find_direction(s);
    memcpy(s->before, s->w, bytes);
    for (int k = 0; k < HALVINGS; k++, part /= 2) {
        for (int64_t j = 0; j < s->features; j++) {
            double from = s->before[j], to = boxed(s->m, from + part * s->d[j]);
            s->w[j] = s->m->l1 > 0 && from * to < 0 ? 0 : to;
        }
        measure(s);
        if (s->length <= (1 - .1 * part) * length)
            return 1;
    }
    memcpy(s->w, s->before, bytes);
    measure(s);
    return 0;
}

/* ---- steps that certainly lead there ---- */

static double shrunk(double v, double by)
{
    return v > by ? v - by : v < -by ? v + by : 0;
}

/* w = prox(w - grad / M). The gradient is computed without the parts of l1 and
   the box, which belong to the prox. */
static void gradient_step(search *s)
{
    const minimum *m = s->m;
    for (int64_t j = 0; j < s->features; j++) {
        double slope = dot_column(s, j, s->row_slope) +
                       (m->objective_noise ? m->objective_noise[j] : 0) +
                       m->l2 * s->w[j];
        s->w[j] =
            boxed(m, shrunk(s->w[j] - slope / s->smooth, m->l1 / s->smooth));
    }
}

/* A bound of the rounding error of a step, times M. */
static double step_off(const search *s)
{
    return 2 * s->off + 0x1p-49 * s->smooth * s->size;
}

static void begin_at_zero(search *s)
{
    memset(s->w, 0, (size_t)s->features * sizeof *s->w);
    measure(s);
}

static int certain_steps(search *s)
{
    double goal = s->m->goal, worst = step_off(s);
    double enough =
        s->smooth / s->m->l2 * log(4 * fmax((s->length + s->off) / goal, 1));
    for (double k = 0; !is_near(s) && k < enough; k++) {
        gradient_step(s);
        measure(s);
        if (!isnan(worst) && !(step_off(s) <= worst)) /* or is NaN */
            worst = step_off(s);
    }
    return is_near(s) || worst <= goal / 4;
}

/* ---- start and end ---- */

static int search_memory(search *s)
{
    size_t rows = (size_t)s->rows + 1, features = (size_t)s->features;
    double **of_rows[] = {&s->high, &s->low, &s->row_slope, &s->curve,
                          &s->along};
    double **of_features[] = {&s->w,        &s->s,     &s->before, &s->d,
                              &s->residual, &s->image, &s->way};
    s->bytes = (5 * rows + 7 * features) * sizeof(double);
    double *next = s->memory = secret_take(s->bytes);
    for (int i = 0; next && i < 5; i++, next += rows)
        *of_rows[i] = next;
    for (int i = 0; next && i < 7; i++, next += features)
        *of_features[i] = next;
    return s->memory != NULL;
}

/* The sum of weights, and a bound of the curvature of all rows together. */
static void measure_shares(search *s)
{
    double squares = 0;
    for (int64_t i = 0; i < s->rows; i++)
        s->shares += s->t->weight[i];
    for (int64_t j = 0; j < s->features; j++) {
        column x = column_of(s->t, j);
        for (int64_t k = 0; k < x.count; k++)
            squares += s->t->weight[x.row ? (int64_t)x.row[k] : k] *
                       (x.value[k] * x.value[k]);
    }
    s->smooth = (s->curvature * squares + s->m->l2) * (1 + 0x1p-8);
}

/* The minimiser that the exact solver finds; 0 if it finds none. */
static sotto_status start_exact(search *s, sotto_error *error)
{
    const minimum *m = s->m;
    exact_problem problem = {.table = m->table,
                             .loss = m->loss,
                             .l1 = m->l1 / s->shares,
                             .l2 = m->l2 / s->shares,
                             .low = m->low,
                             .high = m->high,
                             .tolerance = 1e-16};
    exact_solution found;
    sotto_status status = exact_solve(&found, &problem, error);
    if (status == SOTTO_FAILED)
        return status; /* out of memory; other failures do not matter here */
    size_t bytes = (size_t)s->features * sizeof *s->w;
    if (status == SOTTO_OK) {
        for (int64_t j = 0; j < s->features; j++) /* it is certified later */
            s->w[j] = boxed(m, found.weight[j]);
        mem_wipe(found.weight, bytes);
        exact_solution_free(&found);
    }
    measure(s);
    if (!isfinite(s->length))
        begin_at_zero(s);
    return SOTTO_OK;
}

static sotto_status search_run(search *s, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    measure_shares(s);
    if (s->shares > 0 && !s->m->objective_noise)
        status = start_exact(s, error);
    else
        measure(s);
    for (int k = 0; status == SOTTO_OK && k < s->m->newton && !is_near(s); k++)
        if (!newton_step(s))
            break;
    if (status != SOTTO_OK || certain_steps(s))
        return status;
    begin_at_zero(s);
    return certain_steps(s)
               ? SOTTO_OK
               : error_set(error, SOTTO_FAILED,
                           "the minimiser was not found to the precision that "
                           "privacy stands on, and nothing is said of it");
}

sotto_status minimise(const minimum *m, double *w, sotto_error *error)
{
    search s = {.m = m,
                .t = m->table,
                .rows = m->table->rows,
                .features = m->table->features,
                .slope = loss_slope_bound(&m->loss),
                .curvature = loss_curvature_bound(&m->loss)};
    sotto_status status =
        search_memory(&s) ? search_run(&s, error) : error_memory(error);
    if (status == SOTTO_OK)
        memcpy(w, s.w, (size_t)s.features * sizeof *w);
    secret_give(s.memory, s.bytes);
    return status;
}
