/*
 * What a list may cost at any epsilon, as a booking needs it: the smallest of
 * what grids, moments and pure losses prove, in each direction, at points from
 * epsilon 0 to where nothing is left to say. Draws of noise are not in it.
 */
#include "internal.h"

#include <math.h>

#define BOOKING_NEAR 1e-6  /* points go on to this epsilon at least, */
#define BOOKING_FAR 600    /* and not beyond this one */
#define BOOKING_TAIL 1e-3  /* points go on to this part of the least delta */
#define BOOKING_COARSE .25 /* effort: mu is 1e-5 of itself larger */

/* The grid has so many points, up to twice as many; fewer where each of them
   takes a sum over all losses. */
enum { BOOKING_POINTS = 256, BOOKING_FEW = 64 };

/* ---- what is proven at an epsilon ---- */

/* A grid is exact around the delta that it was made for (Lemma A7), so there
   are several. */
enum { BOOKING_AIMS = 10, BOOKING_TILTS = 1024 };
/* delta at epsilon 0 from which it matters how far it is from 1 */
#define BOOKING_LARGE .9
#define BOOKING_EASY 1e-6  /* above it one grid is enough */
#define BOOKING_SLOW 1e-10 /* the same where grids are slow */

typedef struct booking_source {
    const merged *p;
    pricing grid[BOOKING_AIMS];
    int grids, tilts;
    double tilt[BOOKING_TILTS], bound[BOOKING_TILTS]; /* moments */
} booking_source;

/* ln of delta e^(tilt epsilon), for tilts that are close to each other. Where
   there are samples, moments are known at whole ones. */
static void source_moments(booking_source *s)
{
    double t = s->p->sampled ? 1 : 1e-3, ratio = s->p->sampled ? 1.05 : 1.025;
    for (; s->tilts < BOOKING_TILTS; s->tilts++) {
        double k = renyi_bound(s->p, t);
        if (!isfinite(k))
            return;
        s->tilt[s->tilts] = t;
        s->bound[s->tilts] = k + t * log(t) - (t + 1) * log1p(t);
        t = s->p->sampled ? fmax(t + 1, floor(t * ratio)) : t * ratio;
    }
}

static double source_by_moments(const booking_source *s, double epsilon)
{
    double best = 0;
    for (int i = 0; i < s->tilts; i++)
        best = fmin(best, s->bound[i] - s->tilt[i] * epsilon);
    return exp(best) * PRICE_UP;
}

static void source_free(booking_source *s)
{
    for (int i = 0; i < s->grids; i++)
        pricing_free(&s->grid[i]);
    mem_free(s);
}

static sotto_status source_grids(booking_source *s, double least,
                                 sotto_error *error)
{
    const char *note;
    double effort = s->p->ranges ? 1 : BOOKING_COARSE;
    sotto_status status = SOTTO_OK;
    if (!pricing_applies(s->p, &note))
        return SOTTO_OK;
    for (double aim = least; s->grids < BOOKING_AIMS; aim = sqrt(aim)) {
        pricing *grid = &s->grid[s->grids];
        status =
            pricing_make(grid, s->p, (pld_aim){NAN, aim, effort}, aim, error);
        if (status != SOTTO_OK)
            break;
        s->grids++;
        int large = pricing_delta(grid, 0) > BOOKING_LARGE;
        if (aim > (large ? .05 : s->p->ranges ? BOOKING_SLOW : BOOKING_EASY))
            break;
    }
    return status == SOTTO_DATA ? SOTTO_OK : status; /* no grid fits */
}

static sotto_status source_make(booking_source **out, const merged *p,
                                double least, sotto_error *error)
{
    booking_source *s = mem_zeroed(1, sizeof *s);
    *out = s;
    if (!s)
        return error_memory(error);
    s->p = p;
    sotto_status status = source_grids(s, least, error);
    if (!s->grids)
        source_moments(s);
    if (status != SOTTO_OK)
        source_free(s);
    return status;
}

static double source_delta(const booking_source *s, int direction,
                           double epsilon)
{
    const merged *p = s->p;
    double best = source_by_moments(s, epsilon);
    if (epsilon >= p->pure) /* Lemma A5 */
        best = fmin(best, normal_delta(sqrt(p->gauss) * (1 + 4 * ROUNDOFF),
                                       epsilon - p->pure));
    for (int i = 0; i < s->grids; i++)
        best = fmin(best, pricing_delta_in(&s->grid[i], direction, epsilon));
    return best;
}

/* ---- points ---- */

static double source_most(const booking_source *s, double epsilon)
{
    double most = source_delta(s, 0, epsilon);
    return s->p->directions == 2 ? fmax(most, source_delta(s, 1, epsilon))
                                 : most;
}

/* The epsilon where delta has fallen to this, or up to a hundredth more;
   INFINITY if it is too far away: its exponential must be a number. */
static double source_reach(const booking_source *s, double delta)
{
    double low = BOOKING_NEAR / 2, high = BOOKING_NEAR;
    while (high <= BOOKING_FAR && source_most(s, high) > delta) {
        low = high;
        high *= 2;
    }
    if (high > BOOKING_FAR)
        return INFINITY;
    while (high - low > .01 * high) {
        double middle = .5 * (low + high);
        if (source_most(s, middle) > delta)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- the curve ---- */

/* Takes the point, and gives back those that are not on the lower hull. */
static void side_add(booking_side *s, double x, double u)
{
    while (s->points > 1) {
        int64_t n = s->points;
        double *px = s->x + n - 2, *pu = s->u + n - 2;
        if ((pu[1] - pu[0]) * (x - px[1]) < (u - pu[1]) * (px[1] - px[0]))
            break;
        s->points--;
    }
    s->x[s->points] = x;
    s->u[s->points++] = u;
}

/* Points at i * step, i = 0 .. n. */
static void curve_fill(booking_curve *c, const booking_source *s, double step,
                       int64_t n)
{
    for (int64_t k = 0; k <= n; k++) /* x rounded up: Lemma A17 */
        for (int d = 0; d < c->directions; d++) {
            double epsilon = (double)k * step;
            double x = exp(epsilon) * (1 + 16 * ROUNDOFF);
            side_add(&c->side[d], k ? x : 1,
                     source_delta(s, d, epsilon) + price_set_aside(s->p));
        }
}

/* The step is a power of two, so that all epsilons are exact. */
static sotto_status curve_of(booking_curve *out, const booking_source *s,
                             double reach, sotto_error *error)
{
    int slow = s->grids && s->grid[0].h.value && s->grid[0].directions;
    int points = slow ? BOOKING_FEW : BOOKING_POINTS;
    double step = exp2(floor(log2(reach / points)));
    int64_t n = (int64_t)ceil(reach / step);
    out->directions = s->p->directions;
    for (int d = 0; d < out->directions; d++) {
        out->side[d].x = mem_zeroed((size_t)n + 1, sizeof(double));
        out->side[d].u = mem_zeroed((size_t)n + 1, sizeof(double));
        if (!out->side[d].x || !out->side[d].u) {
            booking_curve_free(out);
            return error_memory(error);
        }
    }
    curve_fill(out, s, step, n);
    return SOTTO_OK;
}

void booking_curve_free(booking_curve *c)
{
    for (int d = 0; d < 2; d++) {
        mem_free(c->side[d].x);
        mem_free(c->side[d].u);
    }
    *c = (booking_curve){0};
}

/* One try, with grids that are made for this delta. */
static sotto_status curve_try(booking_curve *out, const merged *p, double least,
                              sotto_error *error)
{
    booking_source *s;
    sotto_status status = source_make(&s, p, least, error);
    if (status != SOTTO_OK)
        return status;
    double reach = source_reach(s, least * BOOKING_TAIL);
    if (isinf(reach))
        reach = source_reach(s, least);
    if (isfinite(reach))
        status = curve_of(out, s, reach, error);
    source_free(s);
    return status;
}

sotto_status booking_curve_make(booking_curve *out, const merged *any,
                                const merged *own, double least,
                                sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    *out = (booking_curve){0};
    if (own && own->steps)
        status = curve_try(out, own, least, error);
    if (status == SOTTO_OK && !out->directions)
        status = curve_try(out, any, least, error);
    return status;
}
