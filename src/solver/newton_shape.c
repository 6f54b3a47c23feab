/*
 * What `auto` finds out first: where the target lies, middle and width of each
 * column. Bounds are in newton_bounds.c.
 */
#include "newton.h"

#include <math.h>
#include <string.h>

/* How much of what a clip cuts off is bias: it is most for residuals, which
   grow with the rows that are far away, and little for slopes within [-1, 1],
   whose signs differ. Where a few chosen features carry the fit, residuals
   are small soon, and what is cut off of slopes lies along them. */
#define ALIGNED_RESIDUALS .5
#define ALIGNED_SLOPES (1. / 16)
#define CHOSEN_RESIDUALS .25
#define CHOSEN_SLOPES (1. / 8)

#define SQUARE_SEEN 3. /* sd: a mean square that noise does not explain */

/* Where a column ends, in octaves: see newton_column_end. */
enum { END_NEAR = 2, END_CLEAR = 5, END_FAR = 9 };
#define END_DOUBT 2.      /* sd of what may be in the octave above */
#define END_FALL 2.2      /* the octave that is seen, over that */
#define END_CLEAR_PART .5 /* of the bound, where a column ends clearly */
#define END_FAR_PART .8   /* where the bound is far away */

double newton_tail(const loss *l, const budget_split *r, double dimension)
{
    double noise =
        2 * sqrt(dimension) / (r->strength * sqrt(r->gradients + r->lengths));
    int classes = loss_has_classes(l->kind);
    double all = classes ? ALIGNED_SLOPES : ALIGNED_RESIDUALS;
    double chosen = classes ? CHOSEN_SLOPES : CHOSEN_RESIDUALS;
    return log((r->chosen ? chosen : all) / noise) - 1;
}

/* ---- sizes ---- */

void newton_octaves(double *edge, int64_t edges, double step)
{
    for (int64_t k = 0; k < edges; k++)
        edge[k] = exp2(-(double)(k + 1) * step);
}

/* A width may be anything, but rarely is a small part of what it can be: by
   quarters of octaves at first, then by halves, by whole ones at last. Fewer
   edges that nobody is near to make fewer wrong answers. */
enum { NEWTON_QUARTERS = 24, NEWTON_HALVES = 12, NEWTON_WHOLE = 18 };
enum { NEWTON_FALLING = NEWTON_QUARTERS + NEWTON_HALVES + NEWTON_WHOLE };

static void newton_falling(double *edge, double most)
{
    double octaves = 0;
    for (int k = 0; k < NEWTON_FALLING; k++) {
        edge[k] = most * exp2(-octaves);
        octaves += k < NEWTON_QUARTERS                   ? .25
                   : k < NEWTON_QUARTERS + NEWTON_HALVES ? .5
                                                         : 1;
    }
}

int64_t newton_first_filled(const double *count, int64_t ranges, double sd,
                            int64_t lists)
{
    /* the further down, the more ranges have been passed that noise could have
       filled, and the more is lost if it was noise: all of them together are
       wrong in 1 of 40 cases */
    for (int64_t k = 0; k < ranges; k++) {
        double passed = (double)(lists * (k + 1) * (k + 1));
        if (count[k] > sqrt(2 * log(20. * passed)) * sd)
            return k;
    }
    return 0;
}

sotto_status newton_ask_quantile(curator *c, const ask_shape *what, double most,
                                 double *out, sotto_error *error)
{
    double edge[NEWTON_FALLING];
    int64_t k;
    newton_falling(edge, most);
    sotto_status status =
        curator_ask_quantile(c, what, edge, NEWTON_FALLING, .7, &k, error);
    *out = status == SOTTO_OK ? edge[k] : most;
    return status;
}

/* ---- the response ---- */

/* A mean of numbers in [-1, 1] that is known up to noise: as much of it as it
   would be worth if all means were equally likely before. */
static double believed(double mean, double sd)
{
    return within(mean / (1 + 3 * sd * sd), -1, 1);
}

static sotto_status base_rate(newton_response *r, curator *c,
                              const solver_problem *p, sotto_error *error)
{
    double bound = 1, mean, sd, n = curator_rows(c);
    ask_shape what = {.kind = ASK_TARGET_MEAN, .bound = &bound};
    sotto_status status = curator_ask_means(c, &what, &mean, &sd, error);
    if (status != SOTTO_OK)
        return status;
    double least = fmin(.25, fmax(.5 / n, sd / 2));
    double rate = within((1 + believed(mean, sd)) / 2, least, 1 - least);
    loss_constant best = loss_best_constant(&p->loss, rate, .43);
    r->constant = best.margin;
    r->released = best.released;
    r->slope = best.slope;
    r->gain = best.value;
    r->least = best.difference;
    r->width = 1;
    r->rare = fmin(rate, 1 - rate);
    return SOTTO_OK;
}

/* A bound for |y| by octaves, where that is asked for. */
static sotto_status target_reach(curator *c, const budget_split *rule,
                                 double *reach, sotto_error *error)
{
    enum { EDGES = 29 };
    double edge[EDGES], count[EDGES + 1], sd;
    ask_shape what = {.kind = ASK_TARGET_COUNTS, .bound = reach};
    if (rule->target_counts == 0)
        return SOTTO_OK;
    if (!isfinite(*reach))
        return newton_find_target_bound(c, reach, error);
    newton_octaves(edge, EDGES, 1);
    sotto_status status =
        curator_ask_counts(c, &what, edge, EDGES, count, &sd, error);
    if (status == SOTTO_OK)
        *reach = ldexp(*reach, -(int)newton_first_filled(count, EDGES, sd, 1));
    return status;
}

/* What holds 70 % of |y - middle|. */
static sotto_status target_width(newton_response *r, curator *c, double reach,
                                 sotto_error *error)
{
    double part;
    ask_shape what = {
        .kind = ASK_TARGET_QUANTILE, .centre = &r->middle, .bound = &reach};
    sotto_status status = newton_ask_quantile(c, &what, 1, &part, error);
    r->width = reach * part;
    return status;
}

sotto_status newton_ask_response(newton_response *r, curator *c,
                                 const solver_problem *p,
                                 const budget_split *rule, double *declared,
                                 sotto_error *error)
{
    double mean, sd, reach = *declared;
    *r = (newton_response){.rare = .5};
    if (loss_has_classes(p->loss.kind))
        return base_rate(r, c, p, error);
    sotto_status status = target_reach(c, rule, &reach, error);
    if (!isfinite(*declared))
        *declared = reach;
    ask_shape what = {.kind = ASK_TARGET_MEAN, .bound = &reach};
    if (status == SOTTO_OK)
        status = curator_ask_means(c, &what, &mean, &sd, error);
    if (status != SOTTO_OK)
        return status;
    /* without an intercept the target stays where it is */
    r->middle = p->intercept ? believed(mean, sd) * reach : 0;
    if (rule->target_rest > 0) {
        r->middle /= rule->more_rows;
        what.centre = &r->middle;
        status = curator_ask_means(c, &what, &mean, &sd, error);
        if (status != SOTTO_OK)
            return status;
        r->middle =
            within(r->middle + believed(mean, sd) * reach / rule->more_rows,
                   -reach, reach);
    }
    r->constant = r->released = r->middle;
    if (rule->target_scale == 0)
        return SOTTO_OK;
    status = target_width(r, c, reach + fabs(r->middle), error);
    r->slope = .8 * r->width;
    r->gain = r->width * r->width / 2;
    r->slope = fmin(r->slope, loss_slope_bound(&p->loss));
    return status;
}

/* ---- columns ---- */

double *newton_columns_make(newton_columns *k, int64_t count)
{
    double *memory = mem_zeroed((size_t)(9 * count) + 1, sizeof *memory);
    *k = (newton_columns){.count = count,
                          .bound = memory,
                          .centre = memory + count,
                          .scale = memory + 2 * count,
                          .energy = memory + 3 * count,
                          .spread = memory + 4 * count,
                          .end = memory + 5 * count,
                          .bulk = memory + 6 * count,
                          .scratch = memory + 7 * count};
    return memory;
}

double newton_column_end(const double *count, int64_t top, double sd)
{
    double above = top > 0 ? fmax(count[top - 1], 0) + END_DOUBT * sd : 0;
    if (top > END_NEAR && top <= END_CLEAR)
        return END_FALL * above < count[top] ? END_CLEAR_PART : 1;
    return top > END_CLEAR && top <= END_FAR ? END_FAR_PART : 1;
}

double newton_column_bulk(const double *count, int64_t ranges, int64_t top,
                          double rows)
{
    double sum = 0;
    if (top <= END_NEAR)
        return INFINITY;
    for (int64_t k = top - 1; k < ranges; k++) {
        double middle = .75 * ldexp(1, -(int)k);
        sum += fmax(count[k], 0) * middle * middle;
    }
    return sqrt(sum / rows);
}

/* Where each column's values begin: what its mean is clipped to; how far its
   squares count, and the size of what is seen. */
static sotto_status column_sizes(const newton_columns *k, curator *c,
                                 const budget_split *rule, double *clip,
                                 sotto_error *error)
{
    enum { EDGES = 23 };
    double edge[EDGES], sd, rows = fmax(curator_rows(c), 1);
    ask_shape what = {.kind = ASK_COLUMN_COUNTS,
                      .bound = k->bound,
                      .feature = k->feature,
                      .features = k->count};
    memcpy(clip, k->bound, (size_t)k->count * sizeof *clip);
    if (rule->column_counts == 0)
        return SOTTO_OK;
    double *count = mem_zeroed((size_t)(k->count * (EDGES + 1)), sizeof *count);
    if (!count)
        return error_memory(error);
    newton_octaves(edge, EDGES, 1);
    sotto_status status =
        curator_ask_counts(c, &what, edge, EDGES, count, &sd, error);
    for (int64_t j = 0; status == SOTTO_OK && j < k->count; j++) {
        const double *own = count + j * (EDGES + 1);
        int64_t first = newton_first_filled(own, EDGES, sd, 1);
        int64_t top = newton_first_filled(own, EDGES, sd, k->count);
        clip[j] = fmax(ldexp(clip[j], -(int)first), NEWTON_LEAST_ASKED);
        if (rule->stages)
            k->end[j] = fmax(k->end[j] * newton_column_end(own, top, sd),
                             NEWTON_LEAST_ASKED);
        k->bulk[j] = k->bound[j] * newton_column_bulk(own, EDGES, top, rows);
    }
    mem_free(count);
    return status;
}

static sotto_status column_centres(const newton_columns *k, curator *c,
                                   const budget_split *rule, sotto_error *error)
{
    double *clip = k->scratch, *mean = k->scratch + k->count, sd;
    ask_shape what = {.kind = ASK_COLUMN_MEANS,
                      .bound = clip,
                      .feature = k->feature,
                      .features = k->count};
    if (rule->column_means == 0)
        return SOTTO_OK;
    sotto_status status = column_sizes(k, c, rule, clip, error);
    if (status == SOTTO_OK)
        status = curator_ask_means(c, &what, mean, &sd, error);
    for (int64_t j = 0; status == SOTTO_OK && j < k->count; j++)
        k->centre[j] =
            fabs(mean[j]) > 2 * sd ? within(mean[j], -1, 1) * clip[j] : 0;
    return status;
}

/* Where single columns are lost in noise, they are moved towards the mean of
   all: empirical Bayes. */
static void shrink(double *square, int64_t p, double mean, double sd)
{
    double average = 0, variance = 0;
    for (int64_t j = 0; j < p; j++)
        average += square[j] / (double)p;
    for (int64_t j = 0; j < p; j++)
        variance += (square[j] - average) * (square[j] - average) / (double)p;
    double signal = fmax(0, variance - sd * sd);
    for (int64_t j = 0; j < p; j++)
        square[j] = mean + signal / (signal + sd * sd) * (square[j] - mean);
}

/* Scales, and what of them is not the floor. */
static void set_scales(const newton_columns *k, const double *reach,
                       double *square, double sd)
{
    double p = (double)k->count, mean = 0;
    for (int64_t j = 0; j < k->count; j++)
        mean += square[j] / p;
    mean = fmax(mean, sd / sqrt(p));
    if (sd > mean)
        shrink(square, k->count, mean, sd);
    for (int64_t j = 0; j < k->count; j++) {
        double seen = fmax(square[j], fmin(sd, mean));
        double used = fmax(seen, 1 / (NEWTON_LEVERAGE * (p + 1)));
        k->scale[j] = within(reach[j] * sqrt(used), NEWTON_LEAST_ASKED,
                             NEWTON_MOST_ASKED);
        k->energy[j] = within(square[j] / used, 0, 1);
        double most = square[j] < SQUARE_SEEN * sd ? k->bulk[j] : INFINITY;
        k->spread[j] = within(fmin(reach[j] * sqrt(seen), most),
                              NEWTON_LEAST_ASKED, NEWTON_MOST_ASKED);
    }
}

sotto_status newton_ask_columns(const newton_columns *k, curator *c,
                                const budget_split *rule, sotto_error *error)
{
    double *reach = k->scratch, *square = k->scratch + k->count, sd;
    ask_shape what = {.kind = ASK_COLUMN_SQUARES,
                      .centre = k->centre,
                      .bound = reach,
                      .feature = k->feature,
                      .features = k->count};
    for (int64_t j = 0; j < k->count; j++) {
        k->end[j] = k->bound[j];
        k->bulk[j] = INFINITY;
    }
    sotto_status status = column_centres(k, c, rule, error);
    for (int64_t j = 0; j < k->count; j++)
        reach[j] = k->end[j] + fabs(k->centre[j]);
    if (status == SOTTO_OK)
        status = curator_ask_means(c, &what, square, &sd, error);
    if (status == SOTTO_OK)
        set_scales(k, reach, square, sd);
    return status;
}
