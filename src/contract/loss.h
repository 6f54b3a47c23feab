/*
 * loss: how wrong a margin m = x'w + b is for a target y. Two classes are
 * y = -1 and +1. Names and formulas are in choices.h. All that other rooms know
 * of a loss is here: they ask for its properties, and go by its name only where
 * they have code for just that loss (kernel/row.h, kernel/loops.c,
 * curator/dual.c, exact/hinge.c, solver/perturbation.c, fit/predict.c).
 */
#ifndef SOTTO_LOSS_H
#define SOTTO_LOSS_H

#include "base.h"
#include "choices.h"

/* LOSS_SQUARED, LOSS_LOGISTIC, ... */
#define LOSS_KIND(id, ...) LOSS_##id,
typedef enum loss_kind { LOSS_ALL_LIST(LOSS_KIND) } loss_kind;
#undef LOSS_KIND

/* More classes than this are refused before a record is read. */
enum { TABLE_MOST_CLASSES = 1000 };

typedef struct loss {
    loss_kind kind;
    double delta; /* where loss_has_delta; of smooth-hinge how wide its bend
                     is; else 0 */
} loss;

/* ---- names ---- */

/* The kind of this name ("squared-hinge"); 0 when there is none, or no option
   names it. */
int loss_named(const char *name, loss_kind *out);
const char *loss_name(loss_kind kind);

/* The names of all losses that have a property, for messages: "squared,
   logistic or huber". */
typedef int (*loss_property)(loss_kind kind);
#define LOSS_ROOM(id, name, ...) +sizeof ", " name
typedef struct loss_list {
    char text[0 LOSS_LIST(LOSS_ROOM)];
} loss_list;
#undef LOSS_ROOM
loss_list loss_those(loss_property has);

/* Whether the loss of this name has the property. */
int loss_named_has(const char *name, loss_property has);

/* SOTTO_USAGE if it has not: "WHO: the NAME loss LACKS; expected" and those
   that have it. */
sotto_status loss_require(const char *name, loss_property has, const char *who,
                          const char *lacks, sotto_error *error);

/* The solver type that LIBLINEAR's model files have for it. */
const char *loss_liblinear(loss_kind kind, int l1);

/* ---- properties ---- */

/* Whether the target is one of two classes; else it is a number. Losses of
   classes never increase in y m. */
int loss_has_classes(loss_kind kind);

/* Whether the slope has no jumps and the curvature a finite bound. */
int loss_is_smooth(loss_kind kind);

/* Whether the curvature is a constant: the Newton model of such a loss is
   the loss itself. */
int loss_is_quadratic(loss_kind kind);

/* Whether the curvature is continuous and everywhere above 0. */
int loss_is_curved(loss_kind kind);

/* Whether some margin makes it least. If not, classes that can be separated
   draw the weights to infinity. */
int loss_has_minimum(loss_kind kind);

/* Whether the margin of the minimiser is the logarithm of the odds, and the
   loss the log-loss. */
int loss_has_log_odds(loss_kind kind);

/* Whether it has the parameter delta, which bounds its slope. */
int loss_has_delta(loss_kind kind);

/* Whether it is smooth, its slope has a bound, and the lemma counts what
   rounding does to its slopes: output perturbation needs that (Lemma C20). */
int loss_is_lipschitz_smooth(loss_kind kind);

/* Whether the slope is, besides, of one sign, and the curvature continuous:
   objective perturbation needs that (Lemma C22). */
int loss_can_be_perturbed(loss_kind kind);

/* The least upper bounds of |slope| and of the curvature, or infinite. */
double loss_slope_bound(const loss *l);
double loss_curvature_bound(const loss *l);

/* The smooth loss that is asked about in its place: itself, where it is smooth;
   the hinge with its corner made round. */
loss loss_smoothed(loss l);

/* The margin about which the slope of a class is as steep on one side as on the
   other. The parabola that touches the loss and has the secant from there as
   its curvature is nowhere below a loss whose curvature falls off from there:
   no step that goes by it goes too far. */
double loss_centre(loss_kind kind);

/* The curvature of steps that are not small: its bound, but of smooth-hinge,
   whose bend may be narrow, the secant over what a step goes. */
double loss_usual_curvature(const loss *l);

/* ---- values ---- */

double loss_value(const loss *l, double m, double y);

/* The value, dl/dm and d2l/dm2 at once. Where the slope jumps it is an
   element of the subdifferential; the curvature likewise. */
double loss_at(const loss *l, double m, double y, double *slope,
               double *curvature);

/* The same with the same bits on every machine: without functions of the
   mathematical library. */
double loss_portable_value(const loss *l, double m, double y);
void loss_portable_slopes(const loss *l, double m, double y, double *slope,
                          double *curvature);

/* 1 / (1 + exp(z)) and log(1 + exp(-z)) of sums, products and quotients
   alone. The first is within 2^-48. */
double loss_portable_sigmoid(double z);
double loss_portable_logistic(double z);

/* log sum exp of so many margins, and the probabilities exp(m - that), in the
   same way. What is not a number counts as a class that has probability 0. */
double loss_portable_softmax(const double *margin, int64_t classes,
                             double *probability);

/* sup over m of u m - l(m, y): the convex conjugate; infinite where it is
   not finite. It is finite for |u| up to loss_slope_bound, for classes on
   the side of -y only. */
double loss_conjugate(const loss *l, double u, double y);

/* How far a row of length `norm` and target 1 moves the shared vector in its
   first dual step, from margin 0 (curator/dual.c has k). */
double loss_dual_start(const loss *l, double norm, double k);

/* ---- the best constant ---- */

/* Where all that is known is that a part `rate` of the rows is of the
   positive class: smooth losses of two classes. */
typedef struct loss_constant {
    double margin;     /* that makes the mean loss least */
    double released;   /* the same of the loss that it stands for */
    double slope;      /* mean |slope| there */
    double value;      /* mean loss there, times `part` */
    double difference; /* of the slopes' sizes between the classes */
} loss_constant;
loss_constant loss_best_constant(const loss *l, double rate, double part);

#endif
