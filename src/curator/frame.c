/*
 * The rows in other coordinates, which the solver tells: Lemmas C16 and C17 of
 * docs/privacy.
 *
 *   kept      z_i = ((x_ij - centre_j) / scale_j), 1 for the intercept, each
 *             rounded to a float; after a map A: A' z_i, summed in the order
 *             of j in double and rounded to floats
 *   square    q_i = the sum of squares of what is kept, in order, in double
 *             with the target: (y_i - centre) / scale behind them, as a float
 *   bend      h_i = 1, or the curvature of the loss over its bound: Lemma C24
 *   matrix    t_i = sqrt(h_i a_i/W) min(1, R / sqrt(h_i q_i)) / R
 *             k_i = B (1 - 2^-30) (t z_a)(t z_b), sqrt(2) times that beside
 *             the diagonal, cut towards 0
 *
 * What is kept of a row is a function of that row and of told numbers. The
 * only call out of plain arithmetic is sqrt, which IEEE defines.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* ---- keeping ---- */

void frame_free(curator *c)
{
    if (c->kept) {
        mem_wipe(c->kept, c->kept_bytes);
        mem_unmap(c->kept, c->kept_bytes);
    }
    if (c->square) {
        mem_wipe(c->square, c->square_bytes);
        mem_unmap(c->square, c->square_bytes);
    }
    c->kept = NULL;
    c->square = NULL;
    classes_forget(c);
}

static int frame_memory(curator *c)
{
    size_t rows = (size_t)c->table->rows + 1, cells;
    if (!size_multiply(rows, (size_t)c->width * sizeof *c->kept, &cells))
        return 0;
    c->kept_bytes = cells;
    c->square_bytes = rows * sizeof *c->square;
    c->kept = mem_map(c->kept_bytes);
    c->square = mem_map(c->square_bytes);
    keep_out_of_dumps(c->kept, c->kept_bytes);
    keep_out_of_dumps(c->square, c->square_bytes);
    return c->kept && c->square;
}

/* What is out of the range of floats counts as 0. */
static float kept_value(double z)
{
    float value = (float)z;
    return isfinite(value) ? value : 0;
}

static void find_squares(const curator *c, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        const float *row = c->kept + i * c->width;
        double sum = 0;
        for (int64_t j = 0; j < c->width; j++)
            sum += (double)row[j] * (double)row[j];
        c->square[i] = sum;
    }
}

/* One column of a few rows. */
static void fill_column(const curator *c, const ask_frame *f, int64_t j,
                        int64_t from, int64_t to)
{
    float x[KERNEL_FEW];
    float *out = c->kept + from * c->width + j;
    columns_write_some(c, f->feature ? f->feature[j] : j, from, to, x);
    for (int64_t k = 0; k < to - from; k++)
        x[k] = kept_value(((double)x[k] - f->centre[j]) / f->scale[j]);
    for (int64_t k = 0; k < to - from; k++)
        out[k * c->width] = x[k];
}

static void fill_rows(const curator *c, const void *what, int64_t from,
                      int64_t to, int64_t *sum)
{
    const ask_frame *f = what;
    (void)sum;
    for (int64_t i = from; i < to; i += KERNEL_FEW)
        for (int64_t j = 0; j < f->features; j++)
            fill_column(c, f, j, i, i + KERNEL_FEW < to ? i + KERNEL_FEW : to);
    for (int64_t i = from; c->policy.intercept && i < to; i++)
        c->kept[i * c->width + f->features] = 1;
    for (int64_t i = from; c->with_target && i < to; i++)
        c->kept[(i + 1) * c->width - 1] =
            kept_value((c->table->y[i] - f->target_centre) / f->target_scale);
    find_squares(c, from, to);
}

static int is_frame(const curator *c, const ask_frame *f)
{
    int64_t all = c->table->features;
    int fine = f->feature ? f->features >= 0 && f->features <= all
                          : f->features == all; /* no more draws are charged */
    fine &=
        f->target_scale == 0 || (c->table->y && is_moderate(f->target_scale) &&
                                 fabs(f->target_centre) <= 0x1p100);
    for (int64_t j = 0; fine && j < f->features; j++)
        fine &= is_moderate(f->scale[j]) && fabs(f->centre[j]) <= 0x1p100 &&
                (!f->feature || (f->feature[j] >= 0 && f->feature[j] < all));
    return fine;
}

sotto_status curator_tell_frame(curator *c, const ask_frame *frame,
                                sotto_error *error)
{
    if (c->kept || !is_frame(c, frame))
        return error_set(error, SOTTO_USAGE,
                         "a frame is told once, with features that there are "
                         "and scales from 2^-100 to 2^100");
    c->with_target = frame->target_scale != 0;
    c->width = frame->features + c->policy.intercept + c->with_target;
    if (c->width > 1 << 20 || !frame_memory(c)) {
        frame_free(c);
        return error_memory(error);
    }
    kernel_mode before = kernel_enter();
    rows_sum(c, c->table->rows, fill_rows, frame, 0, NULL);
    kernel_leave(before);
    return SOTTO_OK;
}

/* The numbers of a map, as the kernel takes them. */
static double *wide_map(const curator *c, const double *map)
{
    size_t width = (size_t)c->width, wide = (size_t)kernel_wide(c->width);
    double *out = mem_zeroed(width * wide + 1, sizeof *out);
    for (size_t j = 0; out && j < width; j++)
        memcpy(out + j * wide, map + j * width, width * sizeof *out);
    return out;
}

static void map_rows(const curator *c, const void *what, int64_t from,
                     int64_t to, int64_t *sum)
{
    (void)sum;
    c->kernel->map(what, c->width, c->kept + from * c->width, to - from);
    find_squares(c, from, to);
}

sotto_status curator_tell_map(curator *c, const double *map, sotto_error *error)
{
    int fine = c->kept && !c->with_target && c->width <= KERNEL_WIDEST;
    for (int64_t k = 0; fine && k < c->width * c->width; k++)
        fine &= fabs(map[k]) <= 0x1p100;
    if (!fine)
        return error_set(error, SOTTO_USAGE,
                         "a map is told after a frame of at most 4096 "
                         "coordinates, with numbers up to 2^100");
    double *wide = wide_map(c, map);
    if (!wide)
        return error_memory(error);
    classes_forget(c);
    kernel_mode before = kernel_enter();
    rows_sum(c, c->table->rows, map_rows, wide, 0, NULL);
    kernel_leave(before);
    mem_free(wide);
    return SOTTO_OK;
}

/* ---- the matrix ---- */

typedef struct matrix_ask {
    double reach;
    int curved;    /* rows count by the curvature of the loss, */
    ask_bend bend; /* which is this one */
} matrix_ask;

/* The curvature at row i's margin, in units of its bound: from 0 to 1. A NaN
   counts as 0. */
static double bend_of(const curator *c, ask_bend which, int64_t i)
{
    const loss *l = &c->policy.loss;
    double m = (double)c->rows.margin[i], y = loss_has_classes(l->kind) ? 1 : 0;
    double slope, at_0, curvature, of_0, centre = loss_centre(l->kind);
    loss_portable_slopes(l, m, y, &slope, &curvature);
    if (which == ASK_SECANT_CURVATURE && fabs(m - centre) > 0x1p-10) {
        loss_portable_slopes(l, centre, y, &at_0, &of_0);
        curvature = (slope - at_0) / (m - centre);
    }
    double bend = curvature / loss_curvature_bound(l);
    return bend >= 0 ? fmin(bend, 1) : 0;
}

/* t_i, by which row i is shortened. */
static double shorten(const curator *c, const matrix_ask *a, int64_t i)
{
    double bend = a->curved ? bend_of(c, a->bend, i) : 1;
    double length = sqrt(bend * c->square[i]);
    double t = sqrt(bend) / (length > a->reach ? length : a->reach);
    return t * sqrt(row_share(c, i));
}

static void add_matrix(const curator *c, const void *what, int64_t from,
                       int64_t to, int64_t *sum)
{
    double t[KERNEL_FEW];
    for (int64_t i = from; i < to; i += KERNEL_FEW) {
        int64_t count = to - i < KERNEL_FEW ? to - i : KERNEL_FEW;
        for (int64_t k = 0; k < count; k++)
            t[k] = shorten(c, what, i + k);
        c->kernel->matrix(c->kept + i * c->width, c->width, t, count, sum);
    }
}

static void sum_matrix(curator *c, const void *what, int64_t *out)
{
    const matrix_ask *a = what;
    size_t width = (size_t)c->width;
    if (a->curved)
        curator_catch_up(c);
    rows_sum(c, c->table->rows, add_matrix, what, width * (width + 1) / 2, out);
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

static sotto_status ask_matrix(curator *c, ask_kind kind, ask_bend bend,
                               double reach, double *out, double *sd,
                               sotto_error *error)
{
    *sd = 0;
    int curved = kind == ASK_CURVATURE;
    if (!c->kept || !is_moderate(reach) || c->width > KERNEL_WIDEST ||
        c->with_target != (kind == ASK_CROSS) || !(c->total > 0) ||
        (curved && !loss_is_smooth(c->policy.loss.kind)))
        return error_set(error, SOTTO_USAGE,
                         "a matrix needs a frame of at most 4096 coordinates, "
                         "with the target if it is of cross moments, a length "
                         "from 2^-100 to 2^100, and of curvature a smooth "
                         "loss");
    size_t width = (size_t)c->width, cells = width * (width + 1) / 2;
    matrix_ask a = {reach, curved, bend};
    int64_t *sum = mem_zeroed(cells, sizeof *sum);
    gate_question q = {.kind = kind,
                       .answers = cells,
                       .sum = sum_matrix,
                       .what = &a,
                       .features =
                           c->width - c->policy.intercept - c->with_target};
    sotto_status status =
        sum ? gate_release(c, &q, sum, sd, error) : error_memory(error);
    double unit =
        reach * reach * c->policy.weight_bound / KERNEL_CLIP / c->total;
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
