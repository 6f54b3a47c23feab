/*
 * What `auto` finds out first with more than two classes: the part of each, the
 * best constant that follows from it, and the slopes there.
 */
#include "newton.h"

#include <math.h>

#define GAINED .43 /* of the loss of the constant, by a usual model */

/* Of the hinge the best constants are equal, and the most frequent class is to
   have the largest score: by so little that the loss is about the same. */
#define UNTIED .001

/* All classes at once: the constant has their rates, */
static void at_once(newton_response *r, const solver_problem *p)
{
    double entropy = 0;
    for (int64_t k = 0; k < p->classes; k++) {
        r->margin[k] = r->class_released[k] = log(r->rate[k]);
        entropy -= r->rate[k] * log(r->rate[k]);
    }
    r->gain = GAINED * entropy;
}

/* so that the slopes of a record of class y are these, in length. */
static double length_at_once(const newton_response *r, const solver_problem *p,
                             int64_t y)
{
    double squares = 0;
    for (int64_t k = 0; k < p->classes; k++)
        squares += r->rate[k] * r->rate[k];
    return sqrt(1 - 2 * r->rate[y] + squares);
}

/* Each against all others. */
static void by_itself(newton_response *r, const solver_problem *p)
{
    for (int64_t k = 0; k < p->classes; k++) {
        loss_constant best = loss_best_constant(&p->loss, r->rate[k], GAINED);
        r->margin[k] = p->intercept ? best.margin : 0;
        r->class_released[k] = best.released - UNTIED * (1 - r->rate[k]);
        r->gain += best.value;
    }
}

static double length_by_itself(const newton_response *r,
                               const solver_problem *p, int64_t y)
{
    double squares = 0, slope, curvature;
    for (int64_t k = 0; k < p->classes; k++) {
        loss_at(&p->loss, r->margin[k], k == y ? 1 : -1, &slope, &curvature);
        squares += slope * slope;
    }
    return sqrt(squares);
}

/* The part of each class, with a floor where noise hides it. */
static sotto_status ask_rates(curator *c, const solver_problem *p, double *rate,
                              sotto_error *error)
{
    double sd, n = curator_rows(c), sum = 0;
    sotto_status status = curator_ask_class_counts(c, rate, &sd, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t k = 0; k < p->classes; k++) {
        rate[k] = fmax(rate[k] / n, fmax(sd / n, .5 / fmax(n, 1)));
        sum += rate[k];
    }
    for (int64_t k = 0; k < p->classes; k++)
        rate[k] = p->intercept ? rate[k] / sum : 1 / (double)p->classes;
    return SOTTO_OK;
}

sotto_status newton_ask_classes(newton_response *r, curator *c,
                                const solver_problem *p, double *memory,
                                sotto_error *error)
{
    double most = 0, least = INFINITY;
    *r = (newton_response){.rare = .5,
                           .width = 1,
                           .rate = memory,
                           .margin = memory + p->classes,
                           .class_released = memory + 2 * p->classes};
    sotto_status status = ask_rates(c, p, r->rate, error);
    if (status != SOTTO_OK)
        return status;
    (p->one_versus_rest ? by_itself : at_once)(r, p);
    for (int64_t y = 0; y < p->classes; y++) {
        double far =
            (p->one_versus_rest ? length_by_itself : length_at_once)(r, p, y);
        r->slope += r->rate[y] * far;
        most = fmax(most, far);
        least = fmin(least, far);
    }
    r->least = most - least;
    return SOTTO_OK;
}
