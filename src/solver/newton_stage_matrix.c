/*
 * The matrices of the stages: rows in coordinates in which the loss bends alike
 * in all directions, as far as answers show.
 */
#include "newton_stages.h"

#include <math.h>
#include <string.h>

#define CURVED_REACH 2.   /* rows are shortened to this x their mean square */
#define FLOOR_EDGE .4     /* of the noise's edge, and */
#define FLOOR_HIDDEN .5   /* of the mean of what is below it */
#define LENGTH_OF_ROWS .8 /* of the trace that the histogram shows */

/* out = a b; `out` is neither. */
static void multiply(const double *a, const double *b, int64_t d, double *out)
{
    memset(out, 0, (size_t)(d * d) * sizeof *out);
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k < d; k++)
            for (int64_t j = 0; j < d; j++)
                out[i * d + j] += a[i * d + k] * b[k * d + j];
}

/*
 * The curvature along each eigenvector of a matrix with noise of this sd: for
 * the vectors are those of the noisy matrix, u'Au is less spread than the
 * eigenvalues of A (Bun, Bouchaud and Potters: the rotationally invariant
 * estimate). What may be hidden in the noise gets a floor.
 */
static void clean_spectrum(double *value, double *clean, int64_t d, double sd)
{
    double edge = sd * sqrt(2 * (double)d), hidden = 0, sum = 0, most = 0;
    double width = edge / sqrt((double)d) / 2 + 1e-12;
    for (int64_t i = 0; i < d; i++) {
        double pull = 0;
        for (int64_t j = 0; j < d; j++) {
            double apart = value[i] - value[j];
            pull += apart / (apart * apart + width * width);
        }
        clean[i] = fmin(value[i] - sd * sd * pull, fmax(value[i], edge));
        hidden += value[i] < edge;
        sum += value[i] < edge ? clean[i] : 0;
        most = fmax(most, clean[i]);
    }
    double floor = FLOOR_EDGE * edge +
                   (hidden > 0 ? FLOOR_HIDDEN * fmax(sum / hidden, 0) : 0);
    floor = fmax(floor, 1e-6 * most);
    for (int64_t i = 0; i < d; i++)
        value[i] = fmax(clean[i], floor);
}

/* A^-1 of a lower triangular A. */
static void invert(const double *a, int64_t d, double *out)
{
    memset(out, 0, (size_t)(d * d) * sizeof *out);
    for (int64_t i = 0; i < d; i++) {
        for (int64_t k = 0; k < i; k++)
            for (int64_t j = 0; j <= k; j++)
                out[i * d + j] -= a[i * d + k] * out[k * d + j];
        out[i * d + i] = 1;
        for (int64_t j = 0; j <= i; j++)
            out[i * d + j] /= a[i * d + i];
    }
}

/*
 * From here on gradients are asked for in coordinates A' z with
 * A A' = V / value V': lengths and noise are those of the coordinates
 * V / sqrt(value), which are these turned. A is lower triangular, so that rows
 * are mapped by half as many products.
 */
static sotto_status turn(stages *k, double times, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    size_t bytes = (size_t)(d * d) * sizeof *k->to;
    for (int64_t j = 0; j < d; j++)
        s->value[j] = 1 / (times * s->value[j]);
    matrix_compose(s->value, s->vector, d, s->map);
    if (!matrix_factor(s->map, d))
        return error_set(error, SOTTO_FAILED,
                         "the root of a matrix was not found");
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i + 1; j < d; j++)
            s->map[i * d + j] = 0;
    multiply(k->to, s->map, d, k->product);
    memcpy(k->to, k->product, bytes);
    invert(s->map, d, s->matrix);
    multiply(s->matrix, k->from, d, k->product);
    memcpy(k->from, k->product, bytes);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double sum = 0;
            for (int64_t e = 0; e < d; e++)
                sum += k->from[e * d + i] * k->from[e * d + j];
            s->model[i * d + j] = sum;
        }
    sotto_status status = curator_tell_map(s->curator, s->map, error);
    return status == SOTTO_OK ? newton_tell(s, s->v, error) : status;
}

/* How far rows may reach: what is lost of their squares, spread over all
   directions, against the edge of the noise. */
static sotto_status find_reach(stages *k, double *reach, sotto_error *error)
{
    newton_state *s = k->s;
    const budget_split *r = &s->settings->rule;
    double d = (double)k->d, edge[CLIP_RANGES], answer[CLIP_RANGES], sd,
           sum = 0;
    clip_counts h;
    ask_shape what = {.kind = ASK_ROW_COUNTS,
                      .centre = s->columns.centre,
                      .bound = s->columns.scale,
                      .length = 1};
    double most = LONGEST * d; /* of squares: lengths have quarter octaves */
    clip_edges(most, edge);
    for (int i = 0; i < CLIP_RANGES - 1; i++)
        edge[i] = sqrt(edge[i]);
    sotto_status status = curator_ask_counts(
        s->curator, &what, edge, CLIP_RANGES - 1, answer, &sd, error);
    if (status != SOTTO_OK)
        return status;
    clip_answered(&h, most, answer, sd, curator_rows(s->curator));
    clip_fit(&h);
    sum = s->problem->intercept + clip_mean(&h);
    s->trace = fmax(s->trace, LENGTH_OF_ROWS * sum);
    double noise = k->noise * sqrt(2 * d) / sqrt(r->matrix);
    if (s->settings->facts.replace_one)
        noise /= sqrt(2); /* two squares make a right angle at worst */
    /* rows that are too few to be seen may bend a direction, too: no shorter
       than is cheap */
    double square = fmax(clip_best(&h, 1 / d, noise), r->reach * s->trace);
    *reach = within(sqrt(square), 1e-25, 1e25);
    return status;
}

sotto_status stages_first_matrix(stages *k, double times, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    double reach = 1, sd, sum = 0;
    ask_frame frame = {.feature = s->columns.feature,
                       .features = s->p,
                       .centre = s->columns.centre,
                       .scale = s->columns.scale};
    sotto_status status = find_reach(k, &reach, error);
    if (status == SOTTO_OK)
        status = curator_tell_frame(s->curator, &frame, error);
    if (status == SOTTO_OK)
        status = curator_ask_matrix(s->curator, reach, s->matrix, &sd, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t j = 0; j < d; j++)
        sum += s->matrix[j * d + j];
    /* what shortening took off the trace is given back */
    double back = within(s->trace / fmax(sum, 1e-9), 1, 3);
    for (int64_t i = 0; i < d * d; i++)
        s->matrix[i] *= back;
    status = matrix_eigen(s->matrix, d, s->value, s->vector, error);
    if (status != SOTTO_OK)
        return status;
    clean_spectrum(s->value, k->value, d, sd * back);
    k->edge = sd * back * sqrt(2 * (double)d);
    matrix_compose(s->value, s->vector, d, k->first);
    for (int64_t i = 0; i < d; i++)
        k->to[i * d + i] = k->from[i * d + i] = 1;
    return turn(k, times, error);
}

sotto_status stages_curvature(stages *k, ask_bend bend, sotto_error *error)
{
    newton_state *s = k->s;
    int64_t d = k->d;
    double sd, mean = 0, square = 0;
    double reach = sqrt(CURVED_REACH * (double)d / s->curvature);
    sotto_status status =
        curator_ask_curvature(s->curator, bend, reach, s->matrix, &sd, error);
    if (status != SOTTO_OK)
        return status;
    sd *= s->curvature;
    for (int64_t i = 0; i < d * d; i++)
        s->matrix[i] *= s->curvature;
    for (int64_t j = 0; j < d; j++)
        mean += s->matrix[j * d + j] / (double)d;
    mean = within(mean, LEAST_BEND, 1.2);
    for (int64_t i = 0; i < d * d; i++) {
        double off = s->matrix[i] - (i % (d + 1) ? 0 : mean);
        square += off * off;
    }
    double misfit = fmax(0, 2 * square / (double)(d * (d + 1)) - sd * sd);
    double part = misfit / fmax(misfit + sd * sd, 1e-300);
    for (int64_t i = 0; i < d * d; i++) {
        double unit = i % (d + 1) ? 0 : mean;
        s->matrix[i] = unit + part * (s->matrix[i] - unit);
    }
    status = matrix_eigen(s->matrix, d, s->value, s->vector, error);
    if (status != SOTTO_OK)
        return status;
    clean_spectrum(s->value, k->value, d, fmax(part * sd, 1e-9));
    for (int64_t j = 0; j < d; j++)
        s->value[j] = fmax(s->value[j], mean);
    return turn(k, 1, error);
}
