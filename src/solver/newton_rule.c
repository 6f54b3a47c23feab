/*
 * The rule of `newton`: which part of the budget each question gets, from
 * public quantities. One table, to be read and checked.
 *
 * Shares are of mu^2: a Gaussian answer with share f has noise of
 * sensitivity / (mu sqrt(f)). They add up to 1; the gradients get what the
 * others leave. What would only be noise is not asked.
 */
#include "solver.h"

#include <math.h>

enum { LEAST_ROUNDS = 6, USUAL_ROUNDS = 20, MOST_ROUNDS = 40 };

#define SHARE_TIGHTEN .015
#define SHARE_SIZES .02
#define SHARE_SQUARES .04
#define SHARE_MATRIX .12
#define SHARE_CLEAR_MATRIX .16
#define LEAST_REACH .7 /* rows are shortened to sqrt(this x trace) at least */
#define MOST_CLEAR .1  /* an edge below that hides few directions */
#define EDGE_AIM .02
#define SHARE_GUARD .01
#define SHARE_LENGTHS .04 /* of what the gradients have */

static double within(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* n mu, as if records were replaced: noise in a mean is 2 / strength. */
double newton_strength(const newton_facts *f)
{
    return f->rows * f->mu * (f->replace_one ? 1 : 2) / f->rows_per_person;
}

/* The response: the noise of a mean of y is 2 / (n mu sqrt(f)). */
static void share_response(newton_rule *r, const newton_facts *f)
{
    double x = r->strength;
    if (loss_has_classes(f->loss.kind)) {
        r->target_mean = within(100 / (x * x), .01, .05);
        return;
    }
    double all = within(1600 / (x * x), .01, .2);
    /* an octave histogram of |y| first, unless its noise is a tenth of n */
    if (sqrt(2) / (x * sqrt(all / 4)) < .1)
        r->target_counts = all / 4;
    r->target_scale = all / 4;
    r->target_mean = all - r->target_counts - r->target_scale;
}

/* The columns: sizes (to clip the means), means and squares. */
static void share_columns(newton_rule *r, const newton_facts *f)
{
    static const double shares[] = {.02, .04, .08};
    double p = (double)f->features, x = r->strength;
    if (2.5 * sqrt(2) / (x * sqrt(SHARE_TIGHTEN)) < .3)
        r->row_counts = SHARE_TIGHTEN;
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
static double edge_of(const newton_rule *r, const newton_facts *f)
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
static double reach_of(const newton_rule *r, const newton_facts *f)
{
    double p = (double)f->features;
    return within(EDGE_AIM / edge_of(r, f), LEAST_REACH, 10 * p * (p + 1) + 1);
}

/*
 * Rounds. Those before the average only have to come near. Where all
 * directions converge they need little of the budget, and more rounds let
 * slow ones get there; a direction that is hidden does a random walk, which
 * cheap rounds would make worse.
 */
static void share_rounds(newton_rule *r, const newton_facts *f)
{
    double usual = within(r->strength / 10, LEAST_ROUNDS, USUAL_ROUNDS);
    r->rounds = (int64_t)rint(usual);
    r->first_rounds = (int64_t)(.4 * (double)r->rounds);
    r->first = (double)r->first_rounds / (double)r->rounds;
    if (LEAST_REACH * edge_of(r, f) > MOST_CLEAR)
        return;
    r->rounds = (int64_t)rint(within(USUAL_ROUNDS * sqrt(r->strength / 2000),
                                     USUAL_ROUNDS, MOST_ROUNDS));
    r->first_rounds = r->rounds / 2;
    r->first = .35;
    r->matrix = SHARE_CLEAR_MATRIX;
}

newton_rule newton_make_rule(const newton_facts *f)
{
    newton_rule r = {.matrix = SHARE_MATRIX, .guard = SHARE_GUARD};
    r.strength = newton_strength(f);
    share_response(&r, f);
    share_columns(&r, f);
    share_rounds(&r, f);
    r.reach = reach_of(&r, f);
    double left = 1 - r.target_counts - r.target_mean - r.target_scale -
                  r.row_counts - r.column_counts - r.column_means -
                  r.column_squares - r.matrix - r.guard;
    r.lengths = SHARE_LENGTHS * left;
    r.gradients = left - r.lengths;
    return r;
}

newton_rule newton_make_intercept_rule(const newton_facts *f)
{
    newton_rule r = {.strength = newton_strength(f)};
    if (!loss_has_classes(f->loss.kind) && sqrt(2) / (r.strength / 2) < .1)
        r.target_counts = .25;
    r.target_mean = 1 - r.target_counts;
    return r;
}

/* ---- as questions ---- */

static void add(ask_plan *plan, ask_kind kind, double share, int64_t count,
                double mu, int and_next)
{
    if (share > 0)
        plan->item[plan->items++] =
            (ask_item){.kind = kind,
                       .count = count,
                       .level = mu * sqrt(share / (double)count),
                       .and_next = and_next};
}

void newton_add_plan(ask_plan *plan, const newton_rule *r, double mu)
{
    add(plan, ASK_TARGET_COUNTS, r->target_counts, 1, mu, 0);
    add(plan, ASK_TARGET_MEAN, r->target_mean, 1, mu, 0);
    add(plan, ASK_TARGET_COUNTS, r->target_scale, 1, mu, 0);
    add(plan, ASK_ROW_COUNTS, r->row_counts, 1, mu, 0);
    add(plan, ASK_COLUMN_COUNTS, r->column_counts, 1, mu, 0);
    add(plan, ASK_COLUMN_MEANS, r->column_means, 1, mu, 0);
    add(plan, ASK_COLUMN_SQUARES, r->column_squares, 1, mu, 0);
    add(plan, ASK_MATRIX, r->matrix, 1, mu, 0);
    int64_t counts[] = {r->first_rounds, r->rounds - r->first_rounds};
    double shares[] = {r->first, 1 - r->first};
    for (int i = 0; i < 2; i++) {
        double part = (double)counts[i] / (double)r->rounds;
        add(plan, ASK_WHITENED, r->gradients * shares[i], counts[i], mu,
            r->lengths > 0);
        add(plan, ASK_LENGTHS, r->lengths * part, counts[i], mu, 0);
    }
    add(plan, ASK_CHANGE, r->guard, 1, mu, 0);
}
