/*
 * More than two classes: Lemma C26 of docs/privacy. Record i has the margins
 * m_k = sum over j of z_ij v_jk, in the order of j, in double, of what the
 * frame keeps of it and of the weights that were told; p = softmax(m); and
 *
 *   slopes    s_k = a_i (p_k - [k = y_i])
 *   gradient  k_ijk = t_k z_ij cut towards 0,  t = s shortened, so that
 *             |t| sqrt(q_i) <= B
 *   counts    B a_i/W in the class that record i has
 *   bend      B (a_i/W) w (1 - |p|^2),  B (a_i/W) w,  w = min(1, q_i / most)
 *   change    B (a_i/W) clip((l(m) - l(other)) / most)
 */
#include "internal.h"

#include <math.h>

void classes_forget(curator *c)
{
    if (c->class_at)
        mem_wipe(c->class_of_one,
                 (size_t)(2 * c->policy.classes) * sizeof *c->class_of_one);
    mem_free(c->class_at);
    c->class_at = NULL;
}

sotto_status curator_tell_classes(curator *c, const double *at,
                                  sotto_error *error)
{
    int64_t classes = c->policy.classes, count = c->width * classes;
    int fine = c->kept && !c->with_target && classes > 0;
    for (int64_t k = 0; fine && k < count; k++)
        fine &= fabs(at[k]) <= 0x1p100;
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "weights of classes are told after a frame, with "
                         "numbers up to 2^100, of a table with more than two");
    if (!c->class_at)
        c->class_at =
            mem_zeroed((size_t)(count + 2 * classes), sizeof *c->class_at);
    if (!c->class_at)
        return error_memory(error);
    c->class_of_one = c->class_at + count;
    for (int64_t k = 0; k < count; k++)
        c->class_at[k] = at[k];
    return SOTTO_OK;
}

/* ---- one record ---- */

static double *margins_of(const curator *c)
{
    return c->class_of_one;
}

static double *chances_of(const curator *c)
{
    return c->class_of_one + c->policy.classes;
}

/* Finds its margins and, by way of them, its probabilities; log sum exp of the
   margins. */
static double look_at(const curator *c, int64_t i)
{
    int64_t classes = c->policy.classes;
    const float *row = c->kept + i * c->width;
    double *margin = margins_of(c);
    for (int64_t k = 0; k < classes; k++)
        margin[k] = 0;
    for (int64_t j = 0; j < c->width; j++) {
        double z = (double)row[j];
        const double *v = c->class_at + j * classes;
        for (int64_t k = 0; k < classes; k++)
            margin[k] += z * v[k];
    }
    return loss_portable_softmax(margin, classes, chances_of(c));
}

/* Its slopes in place of its probabilities; their length. */
static double slopes_of(const curator *c, int64_t i)
{
    double weight = c->weight ? (double)c->weight[i] : 1, square = 0;
    double *p = chances_of(c);
    p[class_of(c, i)] -= 1;
    for (int64_t k = 0; k < c->policy.classes; k++) {
        p[k] *= weight;
        square += p[k] * p[k];
    }
    return sqrt(square);
}

/* What all slopes are multiplied by; 0 if something is not finite. */
static double shorten(double slopes, double square, double clip)
{
    double length = slopes * sqrt(square);
    double t = length > clip ? clip / length : 1;
    t = t * (KERNEL_CLIP / clip) * (1 - 0x1p-30);
    return isfinite(t) && isfinite(length) ? t : 0;
}

/* ---- sums ---- */

typedef struct classes_ask {
    double clip; /* or `most` */
    const double *other;
    double other_sum; /* log sum exp of `other` */
    int32_t *part;    /* of gradients: of a block of rows */
} classes_ask;

void classes_slopes(curator *c)
{
    choice_forget_sums(c);
    for (int64_t i = 0; i < c->table->rows; i++) {
        look_at(c, i);
        c->slope[i] = (float)slopes_of(c, i);
    }
}

static void sum_class_gradient(curator *c, const void *what, int64_t *out)
{
    const classes_ask *a = what;
    int64_t classes = c->policy.classes, cells = c->width * classes;
    double *p = chances_of(c);
    for (int64_t i = 0; i < c->table->rows; i++) {
        const float *row = c->kept + i * c->width;
        look_at(c, i);
        double t = shorten(slopes_of(c, i), c->square[i], a->clip);
        for (int64_t k = 0; k < classes; k++)
            p[k] = t != 0 ? p[k] * t : 0;
        for (int64_t j = 0; j < c->width; j++)
            for (int64_t k = 0; k < classes; k++)
                a->part[j * classes + k] += (int32_t)(p[k] * (double)row[j]);
        if (i % FRAME_BLOCK == FRAME_BLOCK - 1 || i + 1 == c->table->rows)
            for (int64_t k = 0; k < cells; k++) {
                out[k] += a->part[k];
                a->part[k] = 0;
            }
    }
}

static void sum_class_counts(curator *c, const void *what, int64_t *out)
{
    (void)what;
    for (int64_t i = 0; i < c->table->rows; i++)
        out[class_of(c, i)] += integer_of(row_share(c, i));
}

static void sum_class_bend(curator *c, const void *what, int64_t *out)
{
    const classes_ask *a = what;
    out[0] = out[1] = 0;
    for (int64_t i = 0; i < c->table->rows; i++) {
        double bend = 1, w = fmin(c->square[i] / a->clip, 1);
        look_at(c, i);
        for (int64_t k = 0; k < c->policy.classes; k++)
            bend -= chances_of(c)[k] * chances_of(c)[k];
        w = w >= 0 ? w * row_share(c, i) : 0;
        out[0] += integer_of(bend >= 0 ? w * fmin(bend, 1) : 0);
        out[1] += integer_of(w);
    }
}

static void sum_class_change(curator *c, const void *what, int64_t *out)
{
    const classes_ask *a = what;
    *out = 0;
    for (int64_t i = 0; i < c->table->rows; i++) {
        int64_t y = class_of(c, i);
        double sum = look_at(c, i);
        double change = (sum - margins_of(c)[y]) - (a->other_sum - a->other[y]);
        double u = fmax(-1, fmin(1, change / a->clip));
        *out += integer_of(change == change ? u * row_share(c, i) : 0);
    }
}

/* ---- questions ---- */

/* Asks at the weights that were told. `number` must be in the range that may
   be told. */
static sotto_status ask_told(curator *c, const gate_question *q, double number,
                             int64_t *sum, double *sd, sotto_error *error)
{
    *sd = 0;
    if (!c->class_at || !is_moderate(number) || !(c->total > 0))
        return error_set(error, SOTTO_USAGE,
                         "expected weights of classes that were told, and a "
                         "number from 2^-100 to 2^100");
    return gate_release(c, q, sum, sd, error);
}

sotto_status curator_ask_class_counts(curator *c, double *out, double *sd,
                                      sotto_error *error)
{
    int64_t classes = c->policy.classes;
    double unit = c->policy.weight_bound / KERNEL_CLIP;
    *sd = 0;
    if (classes < 1)
        return error_set(error, SOTTO_USAGE,
                         "expected a table with more than two classes");
    int64_t *sum = mem_zeroed((size_t)classes, sizeof *sum);
    gate_question q = {.kind = ASK_CLASS_COUNTS,
                       .answers = (size_t)classes,
                       .sum = sum_class_counts};
    sotto_status status =
        sum ? gate_release(c, &q, sum, sd, error) : error_memory(error);
    for (int64_t k = 0; k < classes; k++)
        out[k] = status == SOTTO_OK ? (double)sum[k] * unit : 0;
    *sd *= unit;
    mem_free(sum);
    return status;
}

sotto_status curator_ask_class_gradient(curator *c, double clip, double *out,
                                        double *sd, sotto_error *error)
{
    size_t count = (size_t)(c->width * c->policy.classes);
    int64_t *sum = mem_zeroed(count + 1, sizeof *sum);
    classes_ask a = {.clip = clip,
                     .part = mem_zeroed(count + 1, sizeof *a.part)};
    gate_question q = {.kind = ASK_CLASS_GRADIENT,
                       .answers = count,
                       .sum = sum_class_gradient,
                       .what = &a};
    *sd = 0;
    sotto_status status = sum && a.part ? ask_told(c, &q, clip, sum, sd, error)
                                        : error_memory(error);
    for (size_t k = 0; k < count; k++)
        out[k] = status == SOTTO_OK
                     ? (double)sum[k] * (clip / KERNEL_CLIP) / c->total
                     : 0;
    *sd *= clip / KERNEL_CLIP / c->total;
    mem_free(a.part);
    mem_free(sum);
    return status;
}

sotto_status curator_ask_class_bend(curator *c, double most, double out[2],
                                    double *sd, sotto_error *error)
{
    int64_t sum[2] = {0, 0};
    classes_ask a = {.clip = most};
    gate_question q = {.kind = ASK_CLASS_BEND,
                       .answers = 2,
                       .sum = sum_class_bend,
                       .what = &a};
    sotto_status status = ask_told(c, &q, most, sum, sd, error);
    double unit = c->policy.weight_bound / KERNEL_CLIP / c->total;
    out[0] = (double)sum[0] * unit;
    out[1] = (double)sum[1] * unit;
    *sd *= unit;
    return status;
}

sotto_status curator_ask_class_change(curator *c, const double *other,
                                      double most, double *out, double *sd,
                                      sotto_error *error)
{
    int64_t sum = 0, classes = c->policy.classes;
    classes_ask a = {.clip = most, .other = other};
    gate_question q = {
        .kind = ASK_CHANGE, .answers = 1, .sum = sum_class_change, .what = &a};
    double *p = mem_zeroed((size_t)classes + 1, sizeof *p);
    if (!p)
        return error_memory(error);
    a.other_sum = loss_portable_softmax(other, classes, p);
    mem_free(p);
    sotto_status status = ask_told(c, &q, most, &sum, sd, error);
    double unit = most * c->policy.weight_bound / KERNEL_CLIP / c->total;
    *out = (double)sum * unit;
    *sd *= unit;
    return status;
}
