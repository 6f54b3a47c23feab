/*
 * The losses, one row each. Formulas are written so that neither large
 * margins nor small differences spoil them.
 */
#include "smooth_hinge.h"

#include <assert.h>
#include <math.h>

/* All that is known of a loss but its name and its target, which
   contract/choices.h has. */
typedef struct loss_row {
    double curvature;   /* the least upper bound; infinite: not smooth */
    int bend_is_delta;  /* that bound is over delta, the width of a bend */
    double slope;       /* the least upper bound of its size */
    int slope_is_delta; /* that bound is delta, which is an option */
    double centre;      /* see loss_centre */
    int quadratic, curved, log_odds; /* see loss_is_quadratic and others */
    int rounding_proven; /* Lemma C20 bounds what rounding does to its slopes:
                            without that no private minimiser is released */
    double (*at)(const loss *l, double m, double y, double *slope,
                 double *curvature);
    double (*conjugate)(const loss *l, double u, double y);
    double (*dual_start)(const loss *l, double norm, double k);
    /* of smooth losses of two classes; of others NULL */
    loss_constant (*constant)(const loss *l, double rate, double part);
    /* with the same bits on every machine; NULL: those of `at` are */
    double (*portable_value)(double m, double y);
    void (*portable_slopes)(double m, double y, double *slope,
                            double *curvature);
    const char *liblinear;    /* NULL: LIBLINEAR has none that is like it */
    const char *liblinear_l1; /* with an L1 penalty; NULL: as without */
} loss_row;

/* ---- squared ---- */

static double squared_at(const loss *l, double m, double y, double *slope,
                         double *curvature)
{
    (void)l;
    *slope = m - y;
    *curvature = 1;
    return (m - y) * (m - y) / 2;
}

static double squared_conjugate(const loss *l, double u, double y)
{
    (void)l;
    return u * u / 2 + u * y;
}

static double squared_dual_start(const loss *l, double norm, double k)
{
    (void)l;
    return norm / (1 + k);
}

static const loss_row row_SQUARED = {.curvature = 1,
                                     .slope = INFINITY,
                                     .quadratic = 1,
                                     .curved = 1,
                                     .at = squared_at,
                                     .conjugate = squared_conjugate,
                                     .dual_start = squared_dual_start,
                                     .liblinear = "L2R_L2LOSS_SVR"};

/* ---- logistic ---- */

static double logistic_at(const loss *l, double m, double y, double *slope,
                          double *curvature)
{
    /* one exponential for all three, which does not overflow */
    double z = y * m, e = exp(-fabs(z)), q = 1 / (1 + e);
    (void)l;
    *slope = z > 0 ? -y * (e * q) : -y * q;
    *curvature = e * q * q;
    return z > 0 ? log1p(e) : log1p(e) - z;
}

static double logistic_portable_value(double m, double y)
{
    return loss_portable_logistic(y * m);
}

static void logistic_portable_slopes(double m, double y, double *slope,
                                     double *curvature)
{
    double s = loss_portable_sigmoid(y * m);
    *slope = s * -y;
    *curvature = s * (1 - s);
}

/* a log a, continued to 0. */
static double entropy(double a)
{
    return a > 0 ? a * log(a) : 0;
}

/* For two classes u = -y a with a >= 0. */
static double logistic_conjugate(const loss *l, double u, double y)
{
    double a = -u * y;
    (void)l;
    return a >= 0 && a <= 1 ? entropy(a) + entropy(1 - a) : INFINITY;
}

static double logistic_dual_start(const loss *l, double norm, double k)
{
    (void)l;
    return norm * .5 / (1 + k / 4);
}

static loss_constant logistic_constant(const loss *l, double rate, double part)
{
    (void)l;
    double other = 1 - rate, minor = fmin(rate, other);
    double margin = log(rate / other);
    return (loss_constant){.margin = margin,
                           .released = margin,
                           .slope = 2 * rate * other,
                           .value =
                               -part * (rate * log(rate) + other * log(other)),
                           .difference = 1 - 2 * minor};
}

static const loss_row row_LOGISTIC = {.curvature = .25,
                                      .slope = 1,
                                      .curved = 1,
                                      .log_odds = 1,
                                      .rounding_proven = 1,
                                      .at = logistic_at,
                                      .conjugate = logistic_conjugate,
                                      .dual_start = logistic_dual_start,
                                      .constant = logistic_constant,
                                      .portable_value = logistic_portable_value,
                                      .portable_slopes =
                                          logistic_portable_slopes,
                                      .liblinear = "L2R_LR",
                                      .liblinear_l1 = "L1R_LR"};

/* ---- hinge ---- */

static double hinge_at(const loss *l, double m, double y, double *slope,
                       double *curvature)
{
    double gap = 1 - y * m;
    (void)l;
    *slope = gap > 0 ? -y : 0;
    *curvature = 0;
    return gap > 0 ? gap : 0;
}

static double hinge_conjugate(const loss *l, double u, double y)
{
    double a = -u * y;
    (void)l;
    return a >= 0 && a <= 1 ? -a : INFINITY;
}

static double hinge_dual_start(const loss *l, double norm, double k)
{
    (void)l;
    return norm * fmin(1, 1 / k);
}

static const loss_row row_HINGE = {.curvature = INFINITY,
                                   .slope = 1,
                                   .at = hinge_at,
                                   .conjugate = hinge_conjugate,
                                   .dual_start = hinge_dual_start,
                                   .liblinear = "L2R_L1LOSS_SVC_DUAL"};

static const loss_row row_SMOOTH_HINGE = {.curvature = 1,
                                          .bend_is_delta = 1,
                                          .centre = 1,
                                          .slope = 1,
                                          .at = smooth_hinge_at,
                                          .conjugate = smooth_hinge_conjugate,
                                          .dual_start = smooth_hinge_dual_start,
                                          .constant = smooth_hinge_constant,
                                          .liblinear = "L2R_L1LOSS_SVC_DUAL"};

/* ---- squared hinge ---- */

static double squared_hinge_at(const loss *l, double m, double y, double *slope,
                               double *curvature)
{
    double gap = 1 - y * m;
    (void)l;
    *slope = gap > 0 ? -2 * y * gap : 0;
    *curvature = gap > 0 ? 2 : 0;
    return gap > 0 ? gap * gap : 0;
}

static double squared_hinge_conjugate(const loss *l, double u, double y)
{
    double a = -u * y;
    (void)l;
    return a >= 0 ? a * a / 4 - a : INFINITY;
}

static double squared_hinge_dual_start(const loss *l, double norm, double k)
{
    (void)l;
    return norm / (.5 + k);
}

static loss_constant squared_hinge_constant(const loss *l, double rate,
                                            double part)
{
    (void)l;
    double other = 1 - rate, minor = fmin(rate, other);
    return (loss_constant){.margin = 2 * rate - 1,
                           .released = 2 * rate - 1,
                           .slope = 8 * rate * other,
                           .value = part * 4 * rate * other,
                           .difference = 4 * (1 - 2 * minor)};
}

static const loss_row row_SQUARED_HINGE = {.curvature = 2,
                                           .slope = INFINITY,
                                           .at = squared_hinge_at,
                                           .conjugate = squared_hinge_conjugate,
                                           .dual_start =
                                               squared_hinge_dual_start,
                                           .constant = squared_hinge_constant,
                                           .liblinear = "L2R_L2LOSS_SVC",
                                           .liblinear_l1 = "L1R_L2LOSS_SVC"};

/* ---- Huber ---- */

static double huber_at(const loss *l, double m, double y, double *slope,
                       double *curvature)
{
    double r = fabs(m - y), delta = l->delta;
    *slope = fmax(-delta, fmin(delta, m - y));
    *curvature = r <= delta ? 1 : 0;
    return r <= delta ? r * r / 2 : delta * (r - delta / 2);
}

static double huber_conjugate(const loss *l, double u, double y)
{
    return fabs(u) <= l->delta ? u * u / 2 + u * y : INFINITY;
}

static const loss_row row_HUBER = {.curvature = 1,
                                   .slope_is_delta = 1,
                                   .rounding_proven = 1,
                                   .at = huber_at,
                                   .conjugate = huber_conjugate,
                                   .dual_start = squared_dual_start,
                                   .liblinear = "L2R_L2LOSS_SVR"};

/* ---- the table ---- */

enum { LOSS_NUMBER, LOSS_CLASSES };

/* By the list of choices: a loss without a row does not compile. */
#define LOSS_ENTRY(id, name, target, formula)                                  \
    [LOSS_##id] = {LOSS_##target, &row_##id},
static const struct {
    int target;
    const loss_row *row;
} losses[] = {LOSS_ALL_LIST(LOSS_ENTRY)};

const char *loss_liblinear(loss_kind kind, int l1)
{
    const loss_row *row = losses[kind].row;
    return l1 && row->liblinear_l1 ? row->liblinear_l1 : row->liblinear;
}

/* ---- properties ---- */

int loss_has_classes(loss_kind kind)
{
    return losses[kind].target == LOSS_CLASSES;
}

int loss_is_smooth(loss_kind kind)
{
    return losses[kind].row->curvature < INFINITY;
}

int loss_is_quadratic(loss_kind kind)
{
    return losses[kind].row->quadratic;
}

int loss_is_curved(loss_kind kind)
{
    return losses[kind].row->curved;
}

int loss_has_minimum(loss_kind kind)
{
    return !(loss_has_classes(kind) && loss_is_curved(kind));
}

int loss_has_log_odds(loss_kind kind)
{
    return losses[kind].row->log_odds;
}

int loss_has_delta(loss_kind kind)
{
    return losses[kind].row->slope_is_delta;
}

int loss_is_lipschitz_smooth(loss_kind kind)
{
    return loss_is_smooth(kind) && losses[kind].row->slope < INFINITY &&
           losses[kind].row->rounding_proven;
}

int loss_can_be_perturbed(loss_kind kind)
{
    return loss_is_lipschitz_smooth(kind) && loss_has_classes(kind) &&
           loss_is_curved(kind);
}

double loss_slope_bound(const loss *l)
{
    return loss_has_delta(l->kind) ? l->delta : losses[l->kind].row->slope;
}

double loss_curvature_bound(const loss *l)
{
    const loss_row *row = losses[l->kind].row;
    return row->bend_is_delta ? row->curvature / l->delta : row->curvature;
}

double loss_centre(loss_kind kind)
{
    return losses[kind].row->centre;
}

double loss_usual_curvature(const loss *l)
{
    double bound = loss_curvature_bound(l);
    return losses[l->kind].row->bend_is_delta ? fmin(bound, SMOOTH_HINGE_USUAL)
                                              : bound;
}

loss loss_smoothed(loss l)
{
    return l.kind == LOSS_HINGE ? (loss){LOSS_SMOOTH_HINGE, SMOOTH_HINGE_WIDTH}
                                : l;
}

/* ---- values ---- */

double loss_at(const loss *l, double m, double y, double *slope,
               double *curvature)
{
    return losses[l->kind].row->at(l, m, y, slope, curvature);
}

double loss_value(const loss *l, double m, double y)
{
    double slope, curvature;
    return loss_at(l, m, y, &slope, &curvature);
}

double loss_portable_value(const loss *l, double m, double y)
{
    const loss_row *row = losses[l->kind].row;
    return row->portable_value ? row->portable_value(m, y)
                               : loss_value(l, m, y);
}

void loss_portable_slopes(const loss *l, double m, double y, double *slope,
                          double *curvature)
{
    const loss_row *row = losses[l->kind].row;
    if (row->portable_slopes)
        row->portable_slopes(m, y, slope, curvature);
    else
        row->at(l, m, y, slope, curvature);
}

double loss_conjugate(const loss *l, double u, double y)
{
    return losses[l->kind].row->conjugate(l, u, y);
}

double loss_dual_start(const loss *l, double norm, double k)
{
    return losses[l->kind].row->dual_start(l, norm, k);
}

loss_constant loss_best_constant(const loss *l, double rate, double part)
{
    assert(losses[l->kind].row->constant);
    return losses[l->kind].row->constant(l, rate, part);
}
