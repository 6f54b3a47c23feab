/*
 * Matrices in the coordinates that frame.c keeps: Lemmas C17 and C24 of
 * docs/privacy.
 *
 *   bend      h_i = 1, or the curvature of the loss over its bound
 *   weight    w_i = B (1 - 2^-19) t_i^2 a_i/W
 *             t_i = sqrt(h_i) / max(sqrt(h_i) |z_i|, R)
 *   matrix    k_i = (w_i z_a) z_b, sqrt(2) times that beside the diagonal, cut
 *             towards 0
 */
#include "internal.h"

#include <float.h>
#include <math.h>

typedef struct matrix_ask {
    float reach;
    int curved;    /* rows count by the curvature of the loss, */
    ask_bend bend; /* which is this one */
} matrix_ask;

/* The curvatures of rows [from, to), in units of the bound. */
static void find_bends(const curator *c, const matrix_ask *a, int64_t from,
                       int64_t to, float *out)
{
    const loss *l = &c->policy.loss;
    kernel_rows part = c->rows;
    kernel_bend bend = {(float)loss_centre(l->kind),
                        (float)loss_curvature_bound(l)};
    part.margin += from;
    part.padded = to - from;
    c->kernel->bends(&part, a->bend == ASK_SECANT_CURVATURE, &bend, out);
}

/* w_i, in floats. A row that is so long that its weight would lose bits counts
   0. */
static float weigh(float bend, float length, float share, float reach)
{
    float root = sqrtf(bend), size = root * length;
    float t = root / (size > reach ? size : reach);
    float w = ((float)(KERNEL_CLIP * (1 - 0x1p-19)) * t) * (t * share);
    return w >= 0x1p-100f ? (w <= FLT_MAX ? w : FLT_MAX) : 0;
}

enum { MATRIX_ROWS = 512 };

static void add_matrix(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    const matrix_ask *a = what;
    kernel_kept k = frame_kept(c);
    float w[MATRIX_ROWS];
    for (int64_t i = from; i < to; i += MATRIX_ROWS) {
        int64_t end = i + MATRIX_ROWS < to ? i + MATRIX_ROWS : to;
        if (a->curved && k.at)
            c->kernel->kept_margins(&c->rows, &k, i, end);
        if (a->curved)
            find_bends(c, a, i, end, w);
        for (int64_t n = 0; n < end - i; n++)
            w[n] = weigh(a->curved ? w[n] : 1, c->length[i + n],
                         c->weight ? (float)row_share(c, i + n) : 1, a->reach);
        c->kernel->kept_matrix(&k, w, i, end, sum);
    }
}

static void sum_matrix(curator *c, const void *what, int64_t *out)
{
    const matrix_ask *a = what;
    size_t width = (size_t)c->width;
    frame_pass(c, add_matrix, what, width * (width + 1) / 2, out);
    c->at_point |= a->curved;
}

/* From half of the entries to a matrix. */
static void unfold(const int64_t *sum, int64_t width, double unit, double *out)
{
    for (int64_t a = 0; a < width; a++)
        for (int64_t b = a; b < width; b++) {
            double value = (double)*sum++ * unit / (a == b ? 1 : sqrt(2));
            out[a * width + b] = value;
            out[b * width + a] = value;
        }
}

static sotto_status check_matrix(const curator *c, ask_kind kind, double reach,
                                 sotto_error *error)
{
    int curved = kind == ASK_CURVATURE;
    if (c->kept && is_moderate(reach) && c->width <= KERNEL_WIDEST &&
        c->with_target == (kind == ASK_CROSS) && c->total > 0 &&
        (!curved || (c->point && loss_is_smooth(c->policy.loss.kind))))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "a matrix needs a frame of at most 4096 coordinates, "
                     "with the target if it is of cross moments, a length "
                     "from 2^-100 to 2^100, and of curvature a point and a "
                     "smooth loss");
}

static sotto_status ask_matrix(curator *c, ask_kind kind, ask_bend bend,
                               double reach, double *out, double *sd,
                               sotto_error *error)
{
    *sd = 0;
    sotto_status status = check_matrix(c, kind, reach, error);
    if (status != SOTTO_OK)
        return status;
    size_t width = (size_t)c->width, cells = width * (width + 1) / 2;
    matrix_ask a = {frame_quotient(reach, 1), kind == ASK_CURVATURE, bend};
    int64_t *sum = mem_zeroed(cells, sizeof *sum);
    gate_question q = {.kind = kind,
                       .answers = cells,
                       .sum = sum_matrix,
                       .what = &a,
                       .features =
                           c->width - c->policy.intercept - c->with_target};
    status = sum ? gate_release(c, &q, sum, sd, error) : error_memory(error);
    double unit = (double)a.reach * (double)a.reach * c->policy.weight_bound /
                  KERNEL_CLIP / c->total;
    if (status == SOTTO_OK)
        unfold(sum, c->width, unit, out);
    *sd *= unit;
    mem_free(sum);
    return status;
}

sotto_status curator_ask_matrix(curator *c, double reach, double *out,
                                double *sd, sotto_error *error)
{
    return ask_matrix(c, ASK_MATRIX, ASK_EXACT_CURVATURE, reach, out, sd,
                      error);
}

sotto_status curator_ask_curvature(curator *c, ask_bend bend, double reach,
                                   double *out, double *sd, sotto_error *error)
{
    return ask_matrix(c, ASK_CURVATURE, bend, reach, out, sd, error);
}

sotto_status curator_ask_cross(curator *c, double reach, double *out,
                               double *sd, sotto_error *error)
{
    return ask_matrix(c, ASK_CROSS, ASK_EXACT_CURVATURE, reach, out, sd, error);
}
