/*
 * Selections: the adaptive bounded-range recursion on a grid (Lemmas A8 and
 * A9), also with Gaussians in between when the order is fixed.
 *
 * H is kept at the grid points as an upper bound and read in between as the
 * chord in e^epsilon. One step takes the largest value over t in [0, eta]:
 * at grid points by computing it, between them by adding `lift`, a bound on
 * how far the function of t can rise above its ends.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#define RANGE_TAIL 1e-6  /* the grid's ends may add this part of delta */
#define RANGE_EFFORT 4e7 /* products for one profile */
#define RANGE_MOST_CELLS 1e6
#define RANGE_PRODUCTS 8e7 /* of all convolutions */
enum { RANGE_LEAST = 8, RANGE_FINEST = 1024, RANGE_BLOCKS = 24 };

double profile_at(const profile *h, double epsilon)
{
    if (!h->value)
        return epsilon < 0 ? -expm1(epsilon) : 0;
    epsilon -= h->shift;
    double at = epsilon / h->step + (double)h->half, cell = floor(at);
    double last = h->value[2 * h->half];
    if (cell < 0)
        return epsilon < 0 ? 1 - exp(epsilon) * (1 - last) : 1;
    if (!(cell < 2 * (double)h->half))
        return last;
    int64_t j = (int64_t)cell;
    double w = expm1((at - cell) * h->step) / expm1(h->step);
    return (1 - w) * h->value[j] + w * h->value[j + 1];
}

void profile_free(profile *h)
{
    mem_free(h->value);
    *h = (profile){0};
}

/* A profile with room on both sides for a step to look beyond its ends. */
typedef struct range_work {
    profile *h;
    int64_t n, room;      /* values; padding on each side */
    double *padded;       /* n + 2 room */
    double *lift, *chord; /* per cell */
    double *next;         /* n */
} range_work;

static void range_pad(range_work *w)
{
    const profile *h = w->h;
    double last = h->value[w->n - 1];
    for (int64_t i = 0; i < w->room; i++) {
        double e = (double)(i - w->room - h->half) * h->step;
        w->padded[i] = 1 - exp(e) * (1 - last);
        w->padded[w->room + w->n + i] = last;
    }
    memcpy(w->padded + w->room, h->value, (size_t)w->n * sizeof *h->value);
}

/*
 * lift[j]: how far the function of t may rise inside the cell left of or
 * right of padded point j, m cells to eta (Lemma A9).
 */
static void range_lift(range_work *w, int64_t m)
{
    double h = w->h->step, eta = (double)m * h, grow = expm1(h);
    double factor = h * h / 8 / -expm1(-eta), fall = exp(-eta), up = exp(h);
    int64_t cells = w->n + 2 * w->room - 1;
    for (int64_t j = 0; j < cells; j++)
        w->chord[j] = (w->padded[j + 1] - w->padded[j]) / grow;
    double before = 0;
    for (int64_t j = 0; j + m < cells; j++) {
        double s = w->chord[j], far = w->chord[j + m];
        double a = (w->padded[j] - s) - (w->padded[j + m] - far);
        double b = fall * far - s;
        double d = factor * (fmax(a, 0) + up * fmax(b, 0));
        w->lift[j] = fmax(before, d) * (1 + 1e-9);
        before = d;
    }
}

/* One selection: H := max over t (Lemma A8). */
static void range_step(range_work *w, int64_t m)
{
    double h = w->h->step, eta = (double)m * h;
    range_pad(w);
    range_lift(w, m);
    double *restrict next = w->next;
    memset(next, 0, (size_t)w->n * sizeof *next);
    for (int64_t k = 0; k <= m; k++) {
        double p = k == m ? 0 : expm1((double)(k - m) * h) / expm1(-eta);
        double q = k == m ? 1 : k == 0 ? 0 : 1 - p;
        const double *restrict near = w->padded + w->room - k;
        const double *restrict lift = w->lift + w->room - k;
        for (int64_t i = 0; i < w->n; i++) {
            double v = p * near[i] + q * near[i + m] + lift[i];
            next[i] = v > next[i] ? v : next[i];
        }
    }
    for (int64_t i = 0; i < w->n; i++)
        w->h->value[i] = fmin(1, next[i] * (1 + 16 * LIBM_ULPS * ROUNDOFF));
}

/* next := law * H, from a copy of H that reaches as far as the law does. */
static void range_convolve(range_work *w, const pair_law *law, double *wide,
                           int64_t left)
{
    const profile *h = w->h;
    double last = h->value[w->n - 1];
    int64_t right = law->low < 0 ? -law->low : 0;
    for (int64_t i = 0; i < left; i++)
        wide[i] = 1 - exp((double)(i - left - h->half) * h->step) * (1 - last);
    memcpy(wide + left, h->value, (size_t)w->n * sizeof *wide);
    for (int64_t i = 0; i < right; i++)
        wide[left + w->n + i] = last;
    for (int64_t i = 0; i < w->n; i++)
        w->next[i] = law->infinite;
    for (int64_t j = 0; j < law->cells; j++) {
        const double *restrict from = wide + left - (law->low + j);
        double *restrict next = w->next, mass = law->mass[j];
        for (int64_t i = 0; mass > 0 && i < w->n; i++)
            next[i] += mass * from[i];
    }
}

/* A Gaussian of this mu^2: a convolution. */
static sotto_status range_gauss(range_work *w, double gauss, double tail,
                                sotto_error *error)
{
    merged_event e = {.kind = ACCOUNT_GAUSS,
                      .a = sqrt(gauss) * (1 + 4 * ROUNDOFF),
                      .count = 1};
    pair_law law;
    pair_window window = {w->h->step, 0, 0};
    pair_extent(&e, 0, tail, &window.low, &window.high);
    sotto_status status = pair_make(&law, &e, 0, window, error);
    if (status != SOTTO_OK)
        return status;
    int64_t left = law.low + law.cells > 0 ? law.low + law.cells : 0;
    int64_t right = law.low < 0 ? -law.low : 0;
    double *wide = mem_zeroed((size_t)(left + w->n + right), sizeof *wide);
    double up = 1 + ROUNDOFF * (double)(law.cells + 16);
    if (wide) {
        range_convolve(w, &law, wide, left);
        for (int64_t i = 0; i < w->n; i++)
            w->h->value[i] = fmin(1, w->next[i] * up);
        w->h->shift += law.shift;
    }
    mem_free(wide);
    pair_free(&law);
    return wide ? SOTTO_OK : error_memory(error);
}

/* ---- which selections ---- */

void range_main(const merged *p, double *eta, double *count, int *all)
{
    double most = 0, main_size = 0, envelopes = 0;
    *eta = *count = 0;
    for (int64_t i = 0; i < p->ranges; i++) {
        double a = p->range[i].a, size = p->range[i].count * a * a;
        most = fmax(most, a);
        envelopes += size;
        if (size > main_size) {
            main_size = size;
            *eta = a;
            *count = p->range[i].count;
        }
    }
    /* variances: eta^2 / 4 in the recursion, eta^2 / 3 as an envelope */
    *all = p->range_count * most * most / 4 <=
           main_size / 4 + (envelopes - main_size) / 3;
    if (*all) {
        *eta = most;
        *count = p->range_count;
    }
}

typedef struct range_plan {
    double eta, rho, sum, count; /* largest; zCDP; pure; how many */
    double step;
    int64_t half, room;
} range_plan;

/* What the convolutions with the Gaussians of an ordered list would take. */
static double range_products(const range_plan *r, double gauss, double need,
                             double reach, double step)
{
    double blocks = fmin(RANGE_BLOCKS + 1, r->count + 1);
    double law = 2 * sqrt(2 * (need + 4) * gauss * blocks) + blocks * gauss;
    return gauss > 0 ? law / step * (2 * reach / step) : 0;
}

static void range_grid(range_plan *r, double gauss, double delta, double effort)
{
    double need = log(1 / (RANGE_TAIL * delta));
    double reach = r->rho + 2 * sqrt(r->rho * need);
    if (gauss == 0)
        reach = fmin(reach, r->sum);
    reach += 2 * r->eta;
    double m = sqrt(RANGE_EFFORT * effort * r->eta / (2 * reach * r->count));
    m = floor(fmin(fmax(m, RANGE_LEAST), RANGE_FINEST * sqrt(effort)));
    double products = range_products(r, gauss, need, reach, r->eta / m);
    if (products > RANGE_PRODUCTS * effort)
        m = floor(m * sqrt(RANGE_PRODUCTS * effort / products));
    r->step = r->eta / fmax(m, 1) * (1 + 8 * ROUNDOFF);
    r->half = m < RANGE_LEAST ? (int64_t)1e15
                              : (int64_t)fmin(ceil(reach / r->step), 1e15);
    r->room = (int64_t)m + 3;
}

/* Cells that cover this eta: rounded up. */
static int64_t range_cells(const range_plan *r, double eta)
{
    double cells = ceil(eta / r->step * (1 - 4 * ROUNDOFF));
    return cells < 1 ? 1 : (int64_t)cells;
}

static sotto_status range_start(range_work *w, profile *out,
                                const range_plan *r, sotto_error *error)
{
    *w = (range_work){.h = out, .n = 2 * r->half + 1, .room = r->room};
    size_t all = (size_t)(w->n + 2 * w->room);
    *out = (profile){.step = r->step, .half = r->half};
    out->value = mem_zeroed((size_t)w->n, sizeof(double));
    w->padded = mem_zeroed(all, sizeof(double));
    w->lift = mem_zeroed(all, sizeof(double));
    w->chord = mem_zeroed(all, sizeof(double));
    w->next = mem_zeroed((size_t)w->n, sizeof(double));
    if (!out->value || !w->padded || !w->lift || !w->chord || !w->next)
        return error_memory(error);
    for (int64_t i = 0; i < r->half; i++)
        out->value[i] = -expm1((double)(i - r->half) * r->step);
    return SOTTO_OK;
}

static void range_stop(range_work *w)
{
    mem_free(w->padded);
    mem_free(w->lift);
    mem_free(w->chord);
    mem_free(w->next);
}

/*
 * The steps from the last to the first. Gaussians of a block are merged
 * where the first of them stands: earlier is an upper bound (Lemma A8).
 */
static sotto_status range_backward(range_work *w, const merged *p,
                                   const range_plan *r, double delta,
                                   sotto_error *error)
{
    double block = r->count / RANGE_BLOCKS, gauss = 0, taken = 0;
    double tail = RANGE_TAIL * delta / RANGE_BLOCKS;
    for (int64_t i = p->steps; i-- > 0;) {
        const merged_step *s = &p->step[i];
        gauss += s->gauss;
        taken += (double)s->count;
        if (gauss > 0 && (taken >= block || i == 0)) {
            sotto_status status = range_gauss(w, gauss, tail, error);
            if (status != SOTTO_OK)
                return status;
            gauss = taken = 0;
        }
        for (int64_t k = 0; k < s->count; k++)
            range_step(w, range_cells(r, s->eta));
    }
    return SOTTO_OK;
}

sotto_status range_profile(profile *out, const merged *p, int ordered,
                           double delta, double effort, sotto_error *error)
{
    range_plan r = {0};
    range_work w;
    double gauss = ordered ? p->gauss : 0;
    int all;
    range_main(p, &r.eta, &r.count, &all);
    r.rho = r.count * r.eta * r.eta / 8 + gauss / 2;
    r.sum = r.count * r.eta;
    for (int64_t i = 0; ordered && i < p->ranges; i++) {
        const merged_event *e = &p->range[i];
        r.rho = (i ? r.rho : gauss / 2) + e->count * e->a * e->a / 8;
        r.sum = (i ? r.sum : 0) + e->count * e->a;
        r.eta = fmax(r.eta, e->a);
        r.count = p->range_count;
    }
    *out = (profile){0};
    range_grid(&r, gauss, delta, effort);
    if (!((double)r.half < RANGE_MOST_CELLS))
        return error_set(error, SOTTO_DATA, "no grid fits these events");
    sotto_status status = range_start(&w, out, &r, error);
    if (status == SOTTO_OK && ordered)
        status = range_backward(&w, p, &r, delta, error);
    else if (status == SOTTO_OK)
        for (int64_t k = 0; k < (int64_t)r.count; k++)
            range_step(&w, range_cells(&r, r.eta));
    range_stop(&w);
    if (status != SOTTO_OK)
        profile_free(out);
    return status;
}
