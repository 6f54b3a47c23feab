/*
 * Directions that the levels of categories make redundant.
 *
 * In each row exactly one level of such a category is 1. So the sum of scale_j
 * z_j over its levels is 1 - the sum of their centres: a constant. It is a
 * multiple of the intercept's column, or, without one, of another category's.
 * Answers about rows tell nothing of such a direction: whoever moves along it
 * predicts the same. Where the loss is least on a line along it, the penalty,
 * half the sum of unit_j v_j^2, decides: R U v = 0, with R the directions and
 * U diagonal. For any v on the line that is
 *
 *   v - R' (R U R')^-1 R U v
 */
#include "redundant.h"
#include "matrix.h"

#include <math.h>
#include <string.h>

#define SPANNED 1e-9 /* what is left of a row that the others span */

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

void redundant_leave_out(const double *rows, int64_t count, int64_t d,
                         double *x)
{
    for (int64_t r = 0; r < count; r++) {
        double part = dot(rows + r * d, x, d);
        for (int64_t j = 0; j < d; j++)
            x[j] -= part * rows[r * d + j];
    }
}

int64_t redundant_orthonormal(double *rows, int64_t count, int64_t d)
{
    int64_t kept = 0;
    for (int64_t r = 0; r < count; r++) {
        double *now = rows + kept * d;
        memmove(now, rows + r * d, (size_t)d * sizeof *now);
        double before = sqrt(dot(now, now, d));
        /* twice: the first leaves rounding errors */
        redundant_leave_out(rows, kept, d, now);
        redundant_leave_out(rows, kept, d, now);
        double after = sqrt(dot(now, now, d));
        if (!(after > SPANNED * before))
            continue;
        for (int64_t j = 0; j < d; j++)
            now[j] /= after;
        kept++;
    }
    return kept;
}

static int64_t categories(const redundant_frame *f)
{
    int64_t most = 0;
    for (int64_t j = 0; f->whole && j < f->features; j++)
        most = f->whole[j] > most ? f->whole[j] : most;
    return most;
}

/* What the levels of category g add up to in a row. */
static double constant(const redundant_frame *f, int64_t g)
{
    double sum = 1;
    for (int64_t j = 0; f->centre && j < f->features; j++)
        sum -= f->whole[j] == g ? f->centre[j] : 0;
    return sum;
}

/* The direction that category g makes with the intercept, or with the first
   one. */
static void direction(const redundant_frame *f, int64_t g, double *row)
{
    double own = constant(f, g), first = constant(f, 1);
    for (int64_t j = 0; j < f->features; j++) {
        double part = f->whole[j] == g ? 1 : 0;
        if (!f->intercept)
            part = part * first - (f->whole[j] == 1 ? own : 0);
        row[j] = part * f->scale[j];
    }
    if (f->intercept)
        row[f->features] = -own;
}

/* held = (R U R')^-1 R U; 0: the penalty does not hold all of them. */
static int hold(redundant *r, const double *unit, double *root)
{
    int64_t d = r->d, count = r->count;
    double *x = root + count * count;
    for (int64_t a = 0; a < count; a++)
        for (int64_t j = 0; j < d; j++)
            r->held[a * d + j] = unit[j] * r->along[a * d + j];
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b < count; b++)
            root[a * count + b] = dot(r->held + a * d, r->along + b * d, d);
    if (!matrix_factor(root, count))
        return 0;
    for (int64_t j = 0; j < d; j++) {
        for (int64_t a = 0; a < count; a++)
            x[a] = r->held[a * d + j];
        matrix_solve(root, count, x);
        for (int64_t a = 0; a < count; a++)
            r->held[a * d + j] = x[a];
    }
    return 1;
}

sotto_status redundant_make(redundant *out, const redundant_frame *f,
                            sotto_error *error)
{
    int64_t d = f->features + f->intercept, all = categories(f);
    int64_t first = f->intercept ? 1 : 2, count = all < first ? 0 : all;
    *out = (redundant){.d = d};
    double *memory = mem_zeroed(
        (size_t)(2 * count * d + count * (count + 1)) + 1, sizeof *memory);
    if (!memory)
        return error_memory(error);
    out->along = memory;
    out->held = memory + count * d;
    for (int64_t g = first; g <= count; g++)
        direction(f, g, out->along + (g - first) * d);
    count -= count > 0 ? first - 1 : 0;
    out->count = redundant_orthonormal(out->along, count, d);
    if (!hold(out, f->unit, out->held + out->count * d))
        out->count = 0;
    return SOTTO_OK;
}

void redundant_free(redundant *r)
{
    mem_free(r->along);
    *r = (redundant){0};
}

void redundant_hold(const redundant *r, double *c)
{
    for (int64_t a = 0; a < r->count; a++) {
        /* R held' = 1: what was taken off before has no part along this one */
        double part = dot(r->along + a * r->d, c, r->d);
        for (int64_t j = 0; j < r->d; j++)
            c[j] -= part * r->held[a * r->d + j];
    }
}

double redundant_moved(const redundant *r, const double *c, const double *held,
                       const double *v)
{
    double sum = 0;
    for (int64_t j = 0; j < r->d; j++)
        sum += (held[j] - c[j]) * v[j];
    return sum;
}

void redundant_clear(const redundant *r, double *matrix)
{
    int64_t d = r->d;
    for (int side = 0; r->count > 0 && side < 2; side++) {
        for (int64_t i = 0; i < d; i++)
            redundant_leave_out(r->along, r->count, d, matrix + i * d);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < i; j++) {
                double other = matrix[i * d + j];
                matrix[i * d + j] = matrix[j * d + i];
                matrix[j * d + i] = other;
            }
    }
}

void redundant_lift(const redundant *r, double by, double *matrix)
{
    for (int64_t a = 0; a < r->count; a++)
        for (int64_t i = 0; i < r->d; i++)
            for (int64_t j = 0; j < r->d; j++)
                matrix[i * r->d + j] +=
                    by * r->along[a * r->d + i] * r->along[a * r->d + j];
}
