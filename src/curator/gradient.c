/*
 * The whole gradient, each record's part shortened to one length: Lemma 4 of
 * docs/privacy.md.
 *
 *   z_ij = x_ij r_j      q_i = sum over j of z_ij^2, in the order of j
 *   t_i  = s_i min(1, C / (|s_i| sqrt(q_i))) (B / C) (1 - 2^-30)
 *   k_ij = t_i z_ij cut towards 0,  so that sum over j of k_ij^2 <= B^2
 *
 * All in double, one record at a time as far as the arithmetic goes: columns
 * are walked through, but record i's numbers meet no other's.
 */
#include "inside.h"

#include <math.h>

typedef struct gradient_ask {
    double clip;
    const double *scale;
    float *slope;  /* per row */
    double *reach; /* per row: q_i, then t_i */
} gradient_ask;

/* Calls that the two walks below share: entry k of a column is row i. */
static int64_t entry_row(const kernel_column *x, int64_t k)
{
    return x->index ? (int64_t)x->index[k] : k;
}

static void add_squares(const kernel_column *x, int64_t count, double scale,
                        double *reach)
{
    for (int64_t k = 0; k < count; k++) {
        double z = (double)x->value[k] * scale;
        reach[entry_row(x, k)] += z * z;
    }
}

/* t_i, or 0 where something is not finite. */
static double shorten(double slope, double square, double clip)
{
    double length = fabs(slope) * sqrt(square);
    double t = length > clip ? slope * (clip / length) : slope;
    t = t * (KERNEL_CLIP / clip) * (1 - 0x1p-30);
    return isfinite(t) && isfinite(length) ? t : 0;
}

static int64_t add_integers(const kernel_column *x, int64_t count, double scale,
                            const double *factor)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < count; k++) {
        double z = (double)x->value[k] * scale;
        sum += (int64_t)(factor[entry_row(x, k)] * z);
    }
    return sum;
}

static void sum_gradient(curator *c, const void *what, int64_t *out)
{
    const gradient_ask *a = what;
    int64_t rows = c->table->rows;
    int64_t coordinates = c->table->features + c->policy.intercept;
    curator_catch_up(c);
    c->kernel->slopes(&c->rows, c->slope);
    for (int64_t i = 0; i < rows; i++)
        a->reach[i] = 0;
    for (int64_t j = 0; j < coordinates; j++) {
        kernel_column x = columns_get(c, j);
        add_squares(&x, x.index ? x.count : rows, a->scale[j], a->reach);
    }
    for (int64_t i = 0; i < rows; i++)
        a->reach[i] = shorten((double)c->slope[i], a->reach[i], a->clip);
    for (int64_t j = 0; j < coordinates; j++) {
        kernel_column x = columns_get(c, j);
        out[j] =
            add_integers(&x, x.index ? x.count : rows, a->scale[j], a->reach);
    }
}

/* Scratch for one question, wiped afterwards. */
static sotto_status gradient_release(curator *c, gradient_ask *a, int64_t *sum,
                                     int64_t coordinates, sotto_error *error)
{
    size_t rows = (size_t)c->table->rows;
    double noise;
    a->reach = mem_zeroed(rows, sizeof *a->reach);
    gate_question q = {.kind = ASK_GRADIENT,
                       .answers = (size_t)coordinates,
                       .sum = sum_gradient,
                       .what = a};
    sotto_status status = a->reach ? gate_release(c, &q, sum, &noise, error)
                                   : error_memory(error);
    if (a->reach)
        mem_wipe(a->reach, rows * sizeof *a->reach);
    mem_free(a->reach);
    return status;
}

sotto_status curator_ask_gradient(curator *c, double clip, const double *scale,
                                  double *out, sotto_error *error)
{
    int64_t coordinates = c->table->features + c->policy.intercept;
    gradient_ask a = {.clip = clip, .scale = scale};
    int fine = is_moderate(clip) && coordinates <= 1 << 20;
    for (int64_t j = 0; j < coordinates; j++)
        fine &= is_moderate(scale[j]);
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "a gradient needs a clip and scales from 2^-100 to "
                         "2^100, and at most 2^20 coordinates");
    int64_t *sum = mem_zeroed((size_t)coordinates, sizeof *sum);
    if (!sum)
        return error_memory(error);
    sotto_status status = gradient_release(c, &a, sum, coordinates, error);
    for (int64_t j = 0; j < coordinates; j++)
        out[j] = status == SOTTO_OK
                     ? (double)sum[j] * (clip / KERNEL_CLIP) / c->total
                     : 0;
    mem_free(sum);
    return status;
}
