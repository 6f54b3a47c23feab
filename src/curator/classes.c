/*
 * More than two classes: Lemma C26 of docs/privacy. Record i has the margins
 * m_k = sum over j of z_ij v_jk, in the order of j, in floats, of what the
 * frame keeps of it and of the weights that were told; class_loss.c has value
 * l(m), slopes l_k(m) and bend of its loss; and
 *
 *   slopes    s_k = a_i l_k(m)
 *   gradient  k_ijk = t_k z_ij cut towards 0,  t = s shortened, so that
 *             |t| |z_i| <= B
 *   counts    B a_i/W in the class that record i has
 *   bend      B (a_i/W) w bend(m),  B (a_i/W) w,  w = min(1, |z_i|^2 / most)
 *   change    B (a_i/W) clip((l(m) - l(other)) / most)
 */
#include "internal.h"

#include <float.h>
#include <math.h>

void classes_forget(curator *c)
{
    mem_free(c->class_at);
    c->class_at = NULL;
}

sotto_status curator_tell_classes(curator *c, const double *at,
                                  sotto_error *error)
{
    int64_t classes = c->policy.classes, count = c->width * classes;
    if (classes == 0 || !frame_takes(c, at, count))
        return error_set(error, SOTTO_USAGE,
                         "weights of classes are told after a frame, with "
                         "numbers up to 2^100, of a table with more than two");
    ranks_note(c->ranks, at, (size_t)count * sizeof *at);
    classes_forget(c);
    c->class_at = frame_floats(at, count);
    return c->class_at ? SOTTO_OK : error_memory(error);
}

/* ---- a few records ---- */

/* Rows that are looked at together: fewer, where there are many classes. */
enum { CLASSES_ROOM = ASK_MOST_CLASSES * KERNEL_TILE, CLASSES_MOST = 64 };

typedef struct few_rows {
    int64_t from, rows;          /* with the padding */
    float margin[CLASSES_ROOM];  /* class after class */
    double chance[CLASSES_ROOM]; /* softmax of them, where it is asked for */
    double one[ASK_MOST_CLASSES], slope[ASK_MOST_CLASSES]; /* of one row */
} few_rows;

static int64_t rows_at_once(const curator *c)
{
    return c->policy.classes * CLASSES_MOST <= CLASSES_ROOM ? CLASSES_MOST
                                                            : KERNEL_TILE;
}

/* Finds the margins of the next few rows of [from, to). */
static void look_at(const curator *c, int64_t from, int64_t to, few_rows *few)
{
    kernel_kept k = frame_kept(c);
    int64_t most = rows_at_once(c);
    few->from = from;
    few->rows = to - from < most ? to - from : most;
    c->kernel->kept_class_margins(&k, from, few->rows, c->class_at,
                                  c->policy.classes, few->margin);
}

/* Finds what slopes of these rows are made of. */
static void look_at_slopes(const curator *c, int64_t from, int64_t to,
                           few_rows *few)
{
    look_at(c, from, to, few);
    if (!c->policy.one_versus_rest)
        c->kernel->class_chances(few->margin, few->rows, c->policy.classes,
                                 few->chance);
}

/* Whether row n of them is there; then it takes out its margins. */
static int look_at_one(const curator *c, few_rows *few, int64_t n)
{
    int64_t classes = c->policy.classes;
    if (few->from + n >= c->table->rows)
        return 0;
    for (int64_t k = 0; k < classes; k++)
        few->one[k] = (double)few->margin[k * few->rows + n];
    return 1;
}

/* As class_slopes has them. */
static void slopes_of_chances(const curator *c, const few_rows *few, int64_t n,
                              double *slope)
{
    for (int64_t k = 0; k < c->policy.classes; k++)
        slope[k] = few->chance[k * few->rows + n];
    slope[class_of(c, few->from + n)] -= 1;
}

/* Finds its slopes; their length. */
static double slopes_of(const curator *c, few_rows *few, int64_t n)
{
    int64_t i = few->from + n;
    double weight = c->weight ? (double)c->weight[i] : 1, square = 0;
    double *s = few->slope;
    if (c->policy.one_versus_rest)
        class_slopes(c, class_of(c, i), few->one, s);
    else
        slopes_of_chances(c, few, n, s);
    for (int64_t k = 0; k < c->policy.classes; k++) {
        s[k] *= weight;
        square += s[k] * s[k];
    }
    return sqrt(square);
}

/* What all slopes are multiplied by; 0 if something is not finite. */
static double shorten(double slopes, double row, double clip)
{
    double length = slopes * row;
    double t = length > clip ? clip / length : 1;
    t = t * (KERNEL_CLIP / clip) * (1 - 0x1p-20);
    return isfinite(t) && isfinite(length) ? t : 0;
}

/* ---- sums ---- */

typedef struct classes_ask {
    double clip;         /* or `most` */
    const double *other; /* of changes: the loss there, of each class */
} classes_ask;

static void add_slopes(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    few_rows few;
    (void)what;
    (void)sum;
    for (int64_t i = from; i < to; i += few.rows) {
        look_at_slopes(c, i, to, &few);
        for (int64_t n = 0; n < few.rows && look_at_one(c, &few, n); n++)
            c->slope[i + n] = (float)slopes_of(c, &few, n);
    }
    mem_wipe(&few, sizeof few);
}

void classes_slopes(curator *c)
{
    frame_pass(c, add_slopes, NULL, 0, NULL);
}

/* A row of zeros has factors of any size. One that is not finite would make
   them count. */
static float factor_of(double factor)
{
    return (float)fmax(-(double)FLT_MAX, fmin(factor, (double)FLT_MAX));
}

/* The factors of row n in place of its margins. */
static void put_factors(const curator *c, few_rows *few, int64_t n, double clip)
{
    double t = 0;
    if (look_at_one(c, few, n))
        t = shorten(slopes_of(c, few, n), (double)c->length[few->from + n],
                    clip);
    for (int64_t k = 0; k < c->policy.classes; k++)
        few->margin[k * few->rows + n] =
            t != 0 ? factor_of(few->slope[k] * t) : 0;
}

static void add_class_gradient(const curator *c, const void *what, int64_t from,
                               int64_t to, int64_t *sum)
{
    const classes_ask *a = what;
    kernel_kept kept = frame_kept(c);
    few_rows few;
    for (int64_t i = from; i < to; i += few.rows) {
        look_at_slopes(c, i, to, &few);
        for (int64_t n = 0; n < few.rows; n++)
            put_factors(c, &few, n, a->clip);
        c->kernel->kept_class_cut(&kept, i, few.rows, few.margin,
                                  c->policy.classes, sum);
    }
    mem_wipe(&few, sizeof few);
}

static void sum_class_gradient(curator *c, const void *what, int64_t *out)
{
    frame_pass(c, add_class_gradient, what,
               (size_t)(c->width * c->policy.classes), out);
}

static void sum_class_counts(curator *c, const void *what, int64_t *out)
{
    (void)what;
    for (int64_t i = 0; i < c->table->rows; i++)
        out[class_of(c, i)] += integer_of(row_share(c, i));
}

static void add_class_bend(const curator *c, const void *what, int64_t from,
                           int64_t to, int64_t *sum)
{
    const classes_ask *a = what;
    few_rows few;
    for (int64_t i = from; i < to; i += few.rows) {
        look_at(c, i, to, &few);
        for (int64_t n = 0; n < few.rows && look_at_one(c, &few, n); n++) {
            double length = (double)c->length[i + n];
            double w = fmin(length * length / a->clip, 1);
            double bend = class_bend(c, class_of(c, i + n), few.one, few.slope);
            w = w >= 0 ? w * row_share(c, i + n) : 0;
            sum[0] += integer_of(bend >= 0 ? w * fmin(bend, 1) : 0);
            sum[1] += integer_of(w);
        }
    }
    mem_wipe(&few, sizeof few);
}

static void sum_class_bend(curator *c, const void *what, int64_t *out)
{
    out[0] = out[1] = 0;
    frame_pass(c, add_class_bend, what, 2, out);
}

static void add_class_change(const curator *c, const void *what, int64_t from,
                             int64_t to, int64_t *sum)
{
    const classes_ask *a = what;
    few_rows few;
    for (int64_t i = from; i < to; i += few.rows) {
        look_at(c, i, to, &few);
        for (int64_t n = 0; n < few.rows && look_at_one(c, &few, n); n++) {
            int64_t y = class_of(c, i + n);
            double change = class_value(c, y, few.one, few.slope) - a->other[y];
            double u = fmax(-1, fmin(1, change / a->clip));
            *sum += integer_of(change == change ? u * row_share(c, i + n) : 0);
        }
    }
    mem_wipe(&few, sizeof few);
}

static void sum_class_change(curator *c, const void *what, int64_t *out)
{
    *out = 0;
    frame_pass(c, add_class_change, what, 1, out);
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
    classes_ask a = {.clip = clip};
    gate_question q = {.kind = ASK_CLASS_GRADIENT,
                       .answers = count,
                       .sum = sum_class_gradient,
                       .what = &a};
    *sd = 0;
    sotto_status status =
        sum ? ask_told(c, &q, clip, sum, sd, error) : error_memory(error);
    for (size_t k = 0; k < count; k++)
        out[k] = status == SOTTO_OK
                     ? (double)sum[k] * (clip / KERNEL_CLIP) / c->total
                     : 0;
    *sd *= clip / KERNEL_CLIP / c->total;
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
    double *value = mem_zeroed((size_t)(2 * classes) + 1, sizeof *value);
    classes_ask a = {.clip = most, .other = value};
    gate_question q = {
        .kind = ASK_CHANGE, .answers = 1, .sum = sum_class_change, .what = &a};
    if (!value)
        return error_memory(error);
    for (int64_t y = 0; y < classes; y++)
        value[y] = class_value(c, y, other, value + classes);
    sotto_status status = ask_told(c, &q, most, &sum, sd, error);
    mem_free(value);
    double unit = most * c->policy.weight_bound / KERNEL_CLIP / c->total;
    *out = (double)sum * unit;
    *sd *= unit;
    return status;
}
