/*
 * The rule of `newton`: which part of the budget each question gets, from
 * public quantities. One table, to be read and checked.
 *
 * Shares are of mu^2: a Gaussian answer with share f has noise of
 * sensitivity / (mu sqrt(f)). They add up to 1; the gradients get what the
 * others leave. What would only be noise is not asked.
 */
#include "newton.h"

#include <math.h>

enum { LEAST_ROUNDS = 6, USUAL_ROUNDS = 20 };

#define SHARE_BOUNDS .03
#define CHEAP_BOUNDS .05
#define DEAR_BOUNDS .5
#define SHARE_TIGHTEN .015
#define SHARE_SIZES .02
#define SHARE_SQUARES .04
#define SHARE_SELECT_SQUARES .02
#define SHARE_ROW_LENGTHS .02
#define SHARE_MATRIX .12
#define SHARE_CLEAR_MATRIX .16
#define LEAST_REACH .7 /* rows are shortened to sqrt(this x trace) at least */
#define MOST_CLEAR .1  /* an edge below that hides few directions */
#define EDGE_AIM .02
#define SHARE_GUARD .01
#define SHARE_CLOSE_GUARD .05
#define CLOSE_STRENGTH 1000. /* below that the model may well be worse; */
#define CLOSE_CHOSEN 100.    /* one on few features, chosen by answers */
#define SHARE_LENGTHS .04    /* of what the gradients have */
#define ROWS_DOUBT 2.        /* sd of the number of rows */

/* With stages. A histogram that has the share of the last stage, .03, shows the
   lengths of gradients where its noise is a fiftieth of the rows. Of classes it
   has to show the rare one's, whether it is rare is known where it was asked
   before the rest was planned. */
#define LEAST_STAGED 600.
#define LEAST_STAGED_EVEN 1000.
#define STAGED_PER_FEATURE 20.
#define LEAST_STAGED_CLASSES 2000.
#define EVEN_CLASSES .3 /* of the rows: neither class is rare */
#define MOST_STAGED 256 /* features: the posterior takes d^3 */
#define SHARE_ROWS .01
#define SHARE_STAGED_MATRIX .10
#define SHARE_QUADRATIC_MATRIX .13
#define SHARE_CURVATURE .06
#define SHARE_CLASS_BEND .01

static double between(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* n mu as if records were replaced, so doubled where they are not: the noise
   in a mean is 2 / strength. */
double newton_strength(const newton_facts *f)
{
    return f->rows * f->mu * (f->replace_one ? 1 : 2) / f->rows_per_person;
}

/* The target: `share` is for its place and, with the part of_scale, for its
   width. The noise of a mean of y is 2 / (strength sqrt(share)). */
static void share_response(budget_split *r, const newton_facts *f, double share,
                           double of_scale)
{
    if (loss_has_classes(f->loss.kind)) {
        r->target_mean = share;
        return;
    }
    /* an octave histogram of |y| first, unless its noise is a tenth of n; it
       is needed where no bound was declared */
    if (f->target_unbounded || sqrt(2) / (r->strength * sqrt(share / 4)) < .1)
        r->target_counts = share / 4;
    r->target_scale = share * of_scale;
    r->target_mean = share - r->target_counts - r->target_scale;
}

/* Bounds: those that nobody declared, each by itself while a range stands out
   that holds so much of the rows (for twice the share, where that is not
   little), else one for all; and then one factor for all. */
static void share_bounds(budget_split *r, const newton_facts *f)
{
    double u = (double)f->unbounded, x = r->strength;
    r->unbounded = f->unbounded;
    if (f->unbounded > 0) {
        double seen = 4 * sqrt(2 * u) / (x * sqrt(SHARE_BOUNDS));
        int dear = seen > CHEAP_BOUNDS && seen <= sqrt(2) * DEAR_BOUNDS;
        r->bounds = (dear ? 2 : 1) * SHARE_BOUNDS;
        r->common_bound = seen > CHEAP_BOUNDS && !dear;
    }
    if (f->unbounded < f->features &&
        2.5 * sqrt(2) / (x * sqrt(SHARE_TIGHTEN)) < .3)
        r->row_counts = SHARE_TIGHTEN;
}

/* The columns: sizes (to clip the means), means and squares. */
static void share_columns(budget_split *r, const newton_facts *f)
{
    static const double shares[] = {.02, .04, .08};
    double p = (double)f->features, x = r->strength;
    r->column_squares = SHARE_SQUARES;
    if (!f->intercept) /* nothing that a centre could be moved into */
        return;
    if (2.5 * sqrt(2 * p) / (x * sqrt(SHARE_SIZES)) < .3)
        r->column_counts = SHARE_SIZES;
    for (int i = 2; i >= 0; i--) {
        double noise = 2 * sqrt(p) / (x * sqrt(shares[i]));
        if (noise < (i == 2 ? .35 : .25))
            r->column_means = shares[i];
    }
}

/* The edge of the noise in the matrix, in mean eigenvalues, if rows are
   shortened to sqrt(trace). */
static double edge_of(const budget_split *r, const newton_facts *f)
{
    double d = (double)(f->features + f->intercept);
    return sqrt(2) * d / (r->strength * sqrt(r->matrix)) * sqrt(2 * d);
}

/*
 * How far rows may reach. Short ones make little noise, but hide the
 * curvature of columns with rare large values, and steps that are too long
 * for it run away: so they are as long as an edge of EDGE_AIM allows, and no
 * longer than the leverage cap lets any row be.
 */
static double reach_of(const budget_split *r, const newton_facts *f)
{
    double p = (double)f->features;
    return between(EDGE_AIM / edge_of(r, f), LEAST_REACH, 10 * p * (p + 1) + 1);
}

/*
 * Rounds. Those before the average only have to come near. Where all
 * directions converge they need little of the budget, and more rounds let
 * slow ones get there; a direction that is hidden does a random walk, which
 * cheap rounds would make worse.
 */
static void share_rounds(budget_split *r, const newton_facts *f)
{
    double few = between(r->strength / 10, LEAST_ROUNDS, USUAL_ROUNDS);
    double many = between(USUAL_ROUNDS * sqrt(r->strength / 6000), few,
                          NEWTON_MOST_ROUNDS);
    r->rounds = (int64_t)rint(many);
    r->first_rounds = (int64_t)(.4 * (double)r->rounds);
    r->first = (double)r->first_rounds / (double)r->rounds;
    if (LEAST_REACH * edge_of(r, f) > MOST_CLEAR)
        return;
    r->rounds = (int64_t)rint(between(USUAL_ROUNDS * sqrt(r->strength / 2000),
                                      USUAL_ROUNDS, NEWTON_MOST_ROUNDS));
    r->first_rounds = r->rounds / 2;
    r->first = .35;
    r->matrix = SHARE_CLEAR_MATRIX;
}

double budget_split_shares(const budget_split *r)
{
    return r->target_counts + r->target_mean + r->target_rest +
           r->target_scale + r->bounds + r->row_counts + r->row_scale +
           r->column_counts + r->column_means + r->column_squares + r->matrix +
           r->gradients + r->lengths + r->guard + r->row_lengths +
           r->length_counts + r->curvature + r->class_bend;
}

/* The first stages only have to come near; their clips may be coarse. Each
   stage begins with the curvature where it is, if the loss has one. */
newton_stage newton_stage_of(const budget_split *r, int i)
{
    static const struct {
        double curvature, length_counts, gradients;
        int64_t rounds;
    } table[NEWTON_STAGES] = {
        {0, .005, .06, 6}, {.3, .01, .14, 8}, {.7, .03, .80, 16}};
    return (newton_stage){table[i].curvature * r->curvature,
                          table[i].length_counts,
                          table[i].gradients * r->gradients, table[i].rounds};
}

/* Where the histogram of lengths can be seen, and nothing but l2 holds weights
   back: then an average can lose what noise could be. Else all rounds are
   alike. */
static int is_staged(const budget_split *r, const newton_facts *f)
{
    double least = !loss_has_classes(f->loss.kind) ? LEAST_STAGED
                   : f->rare >= EVEN_CLASSES
                       ? between(STAGED_PER_FEATURE * (double)f->features,
                                 LEAST_STAGED_EVEN, LEAST_STAGED_CLASSES)
                       : LEAST_STAGED_CLASSES;
    return r->strength >= least && f->features <= MOST_STAGED && !f->goes_on &&
           !f->held && !f->classes;
}

static void share_stages(budget_split *r, const newton_facts *f)
{
    r->stages = 1;
    r->rounds = r->first_rounds = 0;
    r->matrix = SHARE_STAGED_MATRIX;
    if (loss_is_quadratic(f->loss.kind))
        r->matrix = SHARE_QUADRATIC_MATRIX;
    else
        r->curvature = SHARE_CURVATURE;
    r->row_lengths = SHARE_ROWS;
    for (int i = 0; i < NEWTON_STAGES; i++) {
        newton_stage stage = newton_stage_of(r, i);
        r->length_counts += stage.length_counts;
        r->rounds += stage.rounds;
    }
    r->reach = reach_of(r, f);
    r->gradients = 1 - budget_split_shares(r);
}

static budget_split begin(const newton_facts *f)
{
    return (budget_split){.strength = newton_strength(f),
                          .features = f->features,
                          .classes = f->classes,
                          .chosen = f->goes_on};
}

budget_split budget_split_dense(const newton_facts *f)
{
    budget_split r = begin(f);
    double x = r.strength;
    int classes = loss_has_classes(f->loss.kind);
    r.matrix = SHARE_MATRIX;
    r.close = x < (f->goes_on ? CLOSE_CHOSEN : CLOSE_STRENGTH);
    r.guard = r.close ? SHARE_CLOSE_GUARD : SHARE_GUARD;
    r.class_bend = f->classes ? SHARE_CLASS_BEND : 0;
    if (!f->goes_on) {
        /* a width that is far too large lets bad models pass the guard */
        share_response(
            &r, f, between((classes ? 4000 : 12000) / (x * x), .01, .2), .5);
        share_bounds(&r, f);
    }
    share_columns(&r, f);
    if (is_staged(&r, f)) {
        share_stages(&r, f);
        return r;
    }
    share_rounds(&r, f);
    if (f->goes_on) { /* it begins near the end */
        r.rounds = (int64_t)fmax(LEAST_ROUNDS, (double)r.rounds / 2);
        r.first_rounds = r.rounds / 5;
        r.first = (double)r.first_rounds / (double)r.rounds;
    }
    r.reach = reach_of(&r, f);
    double left = 1 - budget_split_shares(&r);
    r.lengths = SHARE_LENGTHS * left;
    r.gradients = left - r.lengths;
    return r;
}

int budget_split_by_rate(const newton_facts *f)
{
    newton_facts even = *f, rare = *f;
    even.rare = .5;
    rare.rare = 0;
    return budget_split_dense(&even).stages != budget_split_dense(&rare).stages;
}

budget_split budget_split_select(const newton_facts *f)
{
    budget_split r = begin(f);
    double x = r.strength;
    int classes = loss_has_classes(f->loss.kind);
    share_response(&r, f,
                   classes ? between(400 / (x * x), .01, .2)
                           : between(1600 / (x * x), .03, .4),
                   .25);
    share_bounds(&r, f);
    r.column_squares = SHARE_SELECT_SQUARES;
    r.few = select_few(f);
    return r;
}

/* All directions are alike: no matrix, and no columns. */
budget_split budget_split_wide(const newton_facts *f)
{
    budget_split r = begin(f);
    double x = r.strength;
    share_response(&r, f, between(1600 / (x * x), .01, .2), .25);
    r.unbounded = f->unbounded;
    r.common_bound = f->unbounded > 0;
    *(r.common_bound ? &r.bounds : &r.row_scale) = SHARE_ROW_LENGTHS;
    r.guard = SHARE_GUARD;
    r.rounds = USUAL_ROUNDS;
    r.first_rounds = (int64_t)(.4 * USUAL_ROUNDS);
    r.first = (double)r.first_rounds / (double)r.rounds;
    r.wide = 1;
    r.gradients = 1 - budget_split_shares(&r);
    return r;
}

budget_split budget_split_intercept(const newton_facts *f)
{
    budget_split r = begin(f);
    if (!loss_has_classes(f->loss.kind) &&
        (f->target_unbounded || sqrt(2) / (r.strength / 2) < .28))
        r.target_counts = .2;
    /* the mean is a sum over the number of rows: where that is an answer, off a
       first guess the sum is small, and the number hardly matters. A number
       that is too small by chance makes the noise larger, one that is too
       large leaves a part of a small sum: so it is taken as too large */
    if (!loss_has_classes(f->loss.kind) && f->rows_asked) {
        r.target_rest = .6;
        r.more_rows = 1 + ROWS_DOUBT * f->rows_sd / fmax(f->rows, 1);
    }
    r.target_mean = 1 - r.target_counts - r.target_rest;
    return r;
}
