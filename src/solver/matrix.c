/*
 * Small symmetric matrices: eigenvalues by Jacobi rotations, and the model
 * of a prox-Newton step by coordinate descent. All of it is post-processing
 * of answers: any precision will do.
 */
#include "solver.h"

#include <math.h>
#include <string.h>

/* ---- eigenvalues ---- */

/* Columns p and q of V, and rows and columns p and q of a, turned so that
   a_pq becomes 0. */
static void turn(double *a, double *v, int64_t d, int64_t p, int64_t q)
{
    double apq = a[p * d + q];
    double theta = (a[q * d + q] - a[p * d + p]) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int64_t k = 0; k < d; k++) {
        double x = a[p * d + k], y = a[q * d + k];
        a[p * d + k] = c * x - s * y;
        a[q * d + k] = s * x + c * y;
        double x2 = v[p * d + k], y2 = v[q * d + k];
        v[p * d + k] = c * x2 - s * y2;
        v[q * d + k] = s * x2 + c * y2;
    }
    for (int64_t k = 0; k < d; k++) {
        double x = a[k * d + p], y = a[k * d + q];
        a[k * d + p] = c * x - s * y;
        a[k * d + q] = s * x + c * y;
    }
    a[p * d + q] = a[q * d + p] = 0;
}

static double beside(const double *a, int64_t d, double *all)
{
    double off = 0;
    *all = 0;
    for (int64_t i = 0; i < d * d; i++) {
        *all += a[i] * a[i];
        off += i / d == i % d ? 0 : a[i] * a[i];
    }
    return off;
}

/* Rows of `vector` are the eigenvectors while turning; columns at the end. */
sotto_status matrix_eigen(double *a, int64_t d, double *value, double *vector,
                          sotto_error *error)
{
    double all;
    memset(vector, 0, (size_t)(d * d) * sizeof *vector);
    for (int64_t j = 0; j < d; j++)
        vector[j * d + j] = 1;
    for (int sweep = 0; beside(a, d, &all) > 1e-24 * all; sweep++) {
        if (sweep == 60 || !isfinite(all))
            return error_set(error, SOTTO_FAILED,
                             "eigenvalues of a matrix were not found");
        for (int64_t p = 0; p < d; p++)
            for (int64_t q = p + 1; q < d; q++)
                if (fabs(a[p * d + q]) > 1e-300)
                    turn(a, vector, d, p, q);
    }
    for (int64_t j = 0; j < d; j++) {
        value[j] = a[j * d + j];
        for (int64_t k = 0; k < j; k++) {
            double other = vector[j * d + k];
            vector[j * d + k] = vector[k * d + j];
            vector[k * d + j] = other;
        }
    }
    return SOTTO_OK;
}

/* ---- the model ---- */

/* H + diag(l2) = L L', L in the lower half of `l`; 0: it is not definite. */
static int factor(const matrix_model *m, double *l)
{
    int64_t d = m->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = m->h[i * d + j] + (i == j ? m->l2[i] : 0);
            for (int64_t k = 0; k < j; k++)
                sum -= l[i * d + k] * l[j * d + k];
            if (i == j && !(sum > 0))
                return 0;
            l[i * d + j] = i == j ? sqrt(sum) : sum / l[j * d + j];
        }
    return 1;
}

/* Without l1 and box: v = from - (H + L2)^-1 (g + L2 from). */
static int solve(const matrix_model *m, const double *from, double *v,
                 double *l)
{
    int64_t d = m->d;
    if (!factor(m, l))
        return 0;
    for (int64_t i = 0; i < d; i++) {
        double sum = -(m->g[i] + m->l2[i] * from[i]);
        for (int64_t k = 0; k < i; k++)
            sum -= l[i * d + k] * v[k];
        v[i] = sum / l[i * d + i];
    }
    for (int64_t i = d - 1; i >= 0; i--) {
        double sum = v[i];
        for (int64_t k = i + 1; k < d; k++)
            sum -= l[k * d + i] * v[k];
        v[i] = sum / l[i * d + i];
    }
    for (int64_t i = 0; i < d; i++)
        v[i] += from[i];
    return 1;
}

/* One pass; `pull` is H (v - from). Returns the largest move, in units of
   the model. */
static double descend(const matrix_model *m, double *v, double *pull)
{
    double largest = 0;
    for (int64_t j = 0; j < m->d; j++) {
        const double *row = m->h + j * m->d;
        double to = row[j] * v[j] - (m->g[j] + pull[j]);
        to = copysign(fmax(fabs(to) - m->l1[j], 0), to) / (row[j] + m->l2[j]);
        to = fmin(fmax(to, m->low[j]), m->high[j]);
        double move = to - v[j];
        if (move == 0 || !(row[j] > 0))
            continue;
        v[j] = to;
        for (int64_t i = 0; i < m->d; i++)
            pull[i] += row[i] * move;
        largest = fmax(largest, fabs(move) * sqrt(row[j]));
    }
    return largest;
}

sotto_status matrix_minimise(const matrix_model *m, const double *from,
                             double *v, sotto_error *error)
{
    int64_t d = m->d;
    int plain = 1;
    double *work = mem_zeroed((size_t)(d * d), sizeof *work);
    if (!work)
        return error_memory(error);
    for (int64_t j = 0; j < d; j++)
        plain &= m->l1[j] == 0 && isinf(m->low[j]) && isinf(m->high[j]);
    if (!plain || !solve(m, from, v, work)) {
        double first = 0, move;
        memset(work, 0, (size_t)d * sizeof *work);
        memcpy(v, from, (size_t)d * sizeof *v);
        for (int pass = 0; pass < 1000; pass++) {
            move = descend(m, v, work);
            first = fmax(first, move);
            if (move <= 1e-9 * first)
                break;
        }
    }
    mem_free(work);
    return SOTTO_OK;
}
