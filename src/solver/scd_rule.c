/*
 * The defaults of DP-SCD for a loss with a corner, from public quantities
 * alone. The dual variables of smooth losses settle, and rows push less and
 * less: this rule is not for them.
 *
 * With P passes at a batch rate q and a clip C, w moves by up to C q / lambda
 * in a step, so by P C / lambda in all. What is gathered meanwhile:
 *
 *   noise     of P C / (lambda n mu) in each of p directions, whatever q is,
 *             because the noise of a step is made for sqrt(P q) / mu
 *   sampling  of P C / (lambda sqrt(n P)) in all directions together, because
 *             rows that are on the wrong side push in every batch
 *   bias      where w has farther to go than that; and, because a row next to
 *             the corner pushes less than C, of the order of the square of
 *             g = C q R / lambda, the clip over the first step of a row
 *
 * With nu = sqrt(p + n mu^2 / P) / (n mu), noise and sampling for a unit of
 * P C / lambda, the rule takes P so that sampling counts little beside noise,
 * P C = 6 lambda / (R nu), which is how far a w of the usual length has to go,
 * and g = sqrt(nu). How far it is for this w no public quantity tells; scd.c
 * follows the answers for that. So g is small enough for a clip that answers
 * made several times longer; more steps for the same P cost time alone. The
 * clip becomes no longer than half of the first step, nor P C longer than 2 R.
 */
#include "scd.h"

#include <math.h>

#define LEAST_PASSES 100
#define MOST_PASSES 200
#define SAMPLING_SHARE .25 /* of noise, in variance, where passes allow it */
#define USUAL_TRAVEL 6     /* P C R / lambda, in units of 1 / nu */
#define USUAL_FIRST 1      /* g, in units of sqrt(nu) */
#define MOST_FIRST .5      /* g: a longer clip binds no row at the corner */
#define LEAST_STEPS 50
#define MOST_STEPS 3e5
#define MOST_RATE .5
#define LEAST_BATCH 10 /* rows */

static double between(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* Noise and sampling that a unit of P C / lambda gathers. */
static double gathered(const scd_facts *f, double passes)
{
    double seen = f->rows * f->mu;
    return sqrt(f->features + seen * f->mu / passes) / seen;
}

double scd_rule_passes(const scd_facts *f)
{
    double usual = f->rows * f->mu * f->mu / (SAMPLING_SHARE * f->features);
    return rint(between(usual, LEAST_PASSES, MOST_PASSES));
}

double scd_rule_travel(const scd_facts *f, double passes)
{
    return fmin(1, USUAL_TRAVEL * f->l2 / gathered(f, passes));
}

double scd_rule_steps(const scd_facts *f, double passes)
{
    double first = fmin(MOST_FIRST, USUAL_FIRST * sqrt(gathered(f, passes)));
    double usual = scd_rule_travel(f, passes) / (f->l2 * first);
    return between(ceil(usual), LEAST_STEPS, MOST_STEPS);
}

double scd_rule_rate(const scd_facts *f, double passes, double steps)
{
    double usual = fmin(passes / steps, MOST_RATE);
    return fmin(1, fmax(usual, LEAST_BATCH / f->rows));
}
