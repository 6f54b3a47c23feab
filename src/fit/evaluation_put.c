/*
 * Numbers of a private evaluation, each with intervals for noise and sampling
 * together, as they stand in the file.
 */
#include "evaluating.h"

#include <math.h>

/* Quantiles of the normal law. */
#define NORMAL_90 1.6448536269514722
#define NORMAL_95 1.959963984540054

static double within(const evaluation_number *n, double x)
{
    return fmin(fmax(x, n->low), n->high);
}

static json_t *interval(const evaluation_number *n, double times)
{
    json_t *list = json_array();
    json_append(&list, json_real(within(n, n->value - times * n->sd)));
    json_append(&list, json_real(within(n, n->value + times * n->sd)));
    return list;
}

/* A standard error is itself made of noisy answers, and of ranges that cut
   something off. */
#define CAUTION 1.06

json_t *evaluation_estimate(evaluation_number n, const char *why)
{
    json_t *out = json_object();
    n.sd *= CAUTION;
    if (!isfinite(n.value) || !isfinite(n.sd)) {
        json_add(&out, "value", json_null());
        json_add_text(&out, "why", why);
        return out;
    }
    json_add_number(&out, "value", within(&n, n.value));
    json_add_number(&out, "sd", n.sd);
    json_add(&out, "interval_90", interval(&n, NORMAL_90));
    json_add(&out, "interval_95", interval(&n, NORMAL_95));
    return out;
}

json_t *evaluation_list(const double *x, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_append(&list, isfinite(x[i]) ? json_real(x[i]) : json_null());
    return list;
}

/*
 * s = part / all. One more in the part moves s by (1 - s) / all, one more
 * beside it by -s / all. Noise is on each of the counts; the rows are a sample.
 */
evaluation_number evaluation_share(double part, double all, double noise,
                                   double inside, double outside,
                                   double correlated)
{
    double spread = noise * sqrt(inside + outside);
    if (!(all > 3 * spread) || !(all > 0))
        return (evaluation_number){NAN, NAN, 0, 1};
    double s = part / all, at = fmin(fmax(s, 0), 1);
    double noisy = noise * noise *
                   (inside * (1 - at) * (1 - at) + outside * at * at) /
                   (all * all);
    /* a share of 0 or 1 in a sample may be one of a few rows outside it */
    double least = fmin(fmax(at, 1 / all), 1 - 1 / all);
    double sampled = correlated * least * (1 - least) / all;
    return (evaluation_number){s, sqrt(noisy + sampled), 0, 1};
}

/* ---- classes ---- */

static json_t *class_numbers(const double *count, const double *sd,
                             int64_t classes, int64_t a, double correlated)
{
    double row = 0, column = 0, row_noise = 0, column_noise = 0;
    double own = count[a * classes + a], noise = sd[a * classes + a];
    json_t *one = json_object();
    for (int64_t b = 0; b < classes; b++) {
        row += count[a * classes + b];
        column += count[b * classes + a];
        row_noise += pow(sd[a * classes + b] / noise, 2);
        column_noise += pow(sd[b * classes + a] / noise, 2);
    }
    json_add(&one, "rows",
             evaluation_estimate(
                 (evaluation_number){row, noise * sqrt(row_noise), 0, INFINITY},
                 EVALUATION_TOO_NOISY));
    json_add(&one, "recall",
             evaluation_estimate(evaluation_share(own, row, noise, 1,
                                                  row_noise - 1, correlated),
                                 EVALUATION_TOO_NOISY));
    json_add(&one, "precision",
             evaluation_estimate(evaluation_share(own, column, noise, 1,
                                                  column_noise - 1, correlated),
                                 EVALUATION_TOO_NOISY));
    return one;
}

static json_t *matrix(const double *x, int64_t classes)
{
    json_t *list = json_array();
    for (int64_t a = 0; a < classes; a++)
        json_append(&list, evaluation_list(x + a * classes, classes));
    return list;
}

void evaluation_put_confusion(evaluation_run *e, const double *count,
                              const double *sd, double correlated)
{
    int64_t classes = e->model->classes;
    json_t *list = json_array(), *table = json_object();
    for (int64_t a = 0; a < classes; a++)
        json_append(&list, class_numbers(count, sd, classes, a, correlated));
    json_add(&table, "counts", matrix(count, classes));
    json_add(&table, "noise_sd", matrix(sd, classes));
    json_add(&e->root, "by_class", list);
    json_add(&e->root, "confusion", table);
}
