/*
 * Selections with more than two classes. A feature has a weight for each class.
 * It is chosen by the length of the derivatives by all of them, and it is taken
 * if that is above their noise (docs/privacy, Lemma C28).
 */
#include "feature_selection.h"

#include <math.h>

#define OVER_CURVATURE 1.5 /* of that at the best constant, on average */
#define MOST_CURVATURE .5  /* Boehning */
#define TWO_CLASSES .7     /* the root of the median of chi squared, of 1 */

sotto_status select_classes_tell(selection *s, const newton_columns *k,
                                 sotto_error *error)
{
    const solver_problem *p = s->problem;
    int64_t classes = p->classes;
    double *clip = mem_zeroed((size_t)(k->count + classes), sizeof *clip);
    double *at = clip + k->count;
    if (!clip)
        return error_memory(error);
    for (int64_t j = 0; j < k->count; j++)
        clip[j] = within(s->choice_clip * k->scale[j], NEWTON_LEAST_ASKED,
                         NEWTON_MOST_ASKED);
    for (int64_t c = 0; p->intercept && c < classes; c++)
        at[c] = s->from.response.margin[c];
    sotto_status status =
        curator_tell_class_scores(s->curator, clip, at, error);
    mem_free(clip);
    return status;
}

static double release_clip(const selection *s, int64_t j)
{
    return within(s->release_clip * s->from.columns.scale[j],
                  NEWTON_LEAST_ASKED, NEWTON_MOST_ASKED);
}

sotto_status select_classes_ask(selection *s, int64_t *j, double *gradient,
                                sotto_error *error)
{
    double sd;
    sotto_status status = curator_ask_class_choice(s->curator, j, error);
    return status == SOTTO_OK
               ? curator_ask_class_partial(s->curator, *j, release_clip(s, *j),
                                           gradient, &sd, error)
               : status;
}

/* The mean curvature between classes, by their rates. */
static double curvature(const selection *s)
{
    double trace = 1;
    const double *rate = s->from.response.rate;
    if (s->problem->one_versus_rest)
        return loss_usual_curvature(&s->problem->loss);
    for (int64_t k = 0; k < s->problem->classes; k++)
        trace -= rate[k] * rate[k];
    return fmin(OVER_CURVATURE * trace / (double)(s->problem->classes - 1),
                MOST_CURVATURE);
}

/* What noise alone exceeds half of the time is the root of the median of chi
   squared; with two classes it is .7 sd. */
static double median_length(double freedom)
{
    double part = 1 - 2 / (9 * freedom);
    return sqrt(freedom * part * part * part);
}

/* The derivatives, of classes at once without their mean, which is noise,
   beyond l1, in widths of the column. Returns their length. */
static double beyond(const selection *s, double l1, double scale,
                     const double *gradient, double *out)
{
    double mean = 0, square = 0;
    int64_t classes = s->problem->classes;
    for (int64_t k = 0; !s->problem->one_versus_rest && k < classes; k++)
        mean += gradient[k] / (double)classes;
    for (int64_t k = 0; k < classes; k++) {
        double g = (gradient[k] - mean) / scale;
        out[k] = copysign(fmax(fabs(g) - l1, 0), g);
        square += out[k] * out[k];
    }
    return sqrt(square);
}

static int is_taken(const selection *s, int64_t j)
{
    for (int64_t i = 0; i < s->count; i++)
        if (s->taken[i] == j)
            return 1;
    return 0;
}

int select_classes_take(selection *s, double share, int64_t j,
                        const double *gradient)
{
    const solver_problem *p = s->problem;
    double scale = s->from.columns.scale[j], *to = s->weight;
    double unit = select_unit(s, j) / scale, sd = select_sd(s, share);
    double freedom = (double)(p->classes - !p->one_versus_rest);
    sotto_error error;
    to += s->count * p->classes;
    double length = beyond(s, p->l1 * unit, scale, gradient, to);
    double sure = select_sure(p) / TWO_CLASSES * median_length(freedom);
    if (is_taken(s, j) || !(length > 0 && length >= sure * sd))
        return 0;
    /* less what noise makes of the length, of three directions or more */
    double part = 1 - fmax(freedom - 2, 0) * sd * sd / (length * length);
    double step = fmax(part, 0) / (curvature(s) + p->l2 * unit * unit);
    for (int64_t k = 0; k < p->classes; k++)
        to[k] = within(-step * to[k] / scale, p->low, p->high);
    if (curator_tell_class_move(s->curator, j, to, &error) != SOTTO_OK)
        return 0;
    s->taken[s->count++] = j;
    return 1;
}
