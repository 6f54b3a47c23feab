/*
 * Small symmetric matrices: eigenvalues by Householder and QL, and the model
 * of a prox-Newton step by coordinate descent. All of it is post-processing
 * of answers: any precision will do.
 */
#include "matrix.h"

#include <math.h>
#include <string.h>

/* ---- eigenvalues ---- */

/*
 * Householder: a = Q T Q' with T tridiagonal, one row after the other from
 * the last. `a` becomes Q; diagonal and `beside` (beside[i] left of
 * diagonal i) are T. As tred2 of EISPACK, in the form of Golub and Van Loan.
 */
typedef struct tridiagonal {
    int64_t d;
    double *q, *diagonal, *beside, *work;
} tridiagonal;

/* Row i, of which entries 0 ... i-1 are reflected onto the last of them. The
   vector stays in the row, its half squared length in diagonal[i]. */
static void reflect_row(tridiagonal *t, int64_t i)
{
    int64_t d = t->d;
    double *u = t->q + i * d, *w = t->work, h = 0, scale = 0, k = 0;
    t->diagonal[i] = 0;
    for (int64_t j = 0; j < i; j++)
        scale += fabs(u[j]);
    t->beside[i] = u[i - 1];
    if (i == 1 || scale == 0)
        return;
    for (int64_t j = 0; j < i; j++) {
        u[j] /= scale;
        h += u[j] * u[j];
    }
    double g = u[i - 1] >= 0 ? -sqrt(h) : sqrt(h);
    t->beside[i] = scale * g;
    h -= u[i - 1] * g;
    u[i - 1] -= g;
    for (int64_t j = 0; j < i; j++)
        w[j] = 0;
    for (int64_t j = 0; j < i; j++) { /* w = A u, of the lower half */
        const double *row = t->q + j * d;
        double sum = row[j] * u[j];
        for (int64_t m = 0; m < j; m++) {
            sum += row[m] * u[m];
            w[m] += row[m] * u[j];
        }
        w[j] += sum;
    }
    for (int64_t j = 0; j < i; j++) {
        w[j] /= h;
        k += w[j] * u[j];
    }
    for (int64_t j = 0; j < i; j++)
        w[j] -= k / (2 * h) * u[j];
    for (int64_t j = 0; j < i; j++)
        for (int64_t m = 0; m <= j; m++)
            t->q[j * d + m] -= u[j] * w[m] + w[j] * u[m];
    t->diagonal[i] = h;
}

/* Q, rows and columns 0 ... i, from the reflections. */
static void gather_row(tridiagonal *t, int64_t i)
{
    int64_t d = t->d;
    double *u = t->q + i * d, h = t->diagonal[i], *w = t->work;
    if (h != 0) {
        for (int64_t j = 0; j < i; j++)
            w[j] = 0;
        for (int64_t m = 0; m < i; m++)
            for (int64_t j = 0; j < i; j++)
                w[j] += u[m] * t->q[m * d + j];
        for (int64_t m = 0; m < i; m++)
            for (int64_t j = 0; j < i; j++)
                t->q[m * d + j] -= u[m] / h * w[j];
    }
    t->diagonal[i] = u[i];
    u[i] = 1;
    for (int64_t j = 0; j < i; j++)
        u[j] = t->q[j * d + i] = 0;
}

/* One rotation of columns i and i + 1 of Q, which are rows here. */
static void turn_rows(double *q, int64_t d, int64_t i, double c, double s)
{
    double *x = q + i * d, *y = x + d;
    for (int64_t k = 0; k < d; k++) {
        double f = y[k];
        y[k] = s * x[k] + c * f;
        x[k] = c * x[k] - s * f;
    }
}

/* An implicit QL step on [l, m], shifted to the eigenvalue near the corner. */
static void ql_step(tridiagonal *t, int64_t l, int64_t m)
{
    double *a = t->diagonal, *e = t->beside, s = 1, c = 1, p = 0;
    double g = (a[l + 1] - a[l]) / (2 * e[l]), r = hypot(g, 1);
    g = a[m] - a[l] + e[l] / (g + copysign(r, g));
    for (int64_t i = m - 1; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        r = e[i + 1] = hypot(f, g);
        if (r == 0) {
            a[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = a[i + 1] - p;
        r = (a[i] - g) * s + 2 * c * b;
        p = s * r;
        a[i + 1] = g + p;
        g = c * r - b;
        turn_rows(t->q, t->d, i, c, s);
    }
    a[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* Where T falls apart at or after l. */
static int64_t ql_end(const tridiagonal *t, int64_t l)
{
    int64_t m = l;
    for (; m < t->d - 1; m++) {
        double near = fabs(t->diagonal[m]) + fabs(t->diagonal[m + 1]);
        if (fabs(t->beside[m]) <= 0x1p-52 * near)
            break;
    }
    return m;
}

static int ql(tridiagonal *t)
{
    for (int64_t i = 1; i < t->d; i++)
        t->beside[i - 1] = t->beside[i];
    t->beside[t->d - 1] = 0;
    for (int64_t l = 0; l < t->d; l++)
        for (int times = 0;; times++) {
            int64_t m = ql_end(t, l);
            if (m == l)
                break;
            if (times == 60)
                return 0;
            ql_step(t, l, m);
        }
    return 1;
}

static void transpose(double *a, int64_t d)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < j; k++) {
            double other = a[j * d + k];
            a[j * d + k] = a[k * d + j];
            a[k * d + j] = other;
        }
}

sotto_status matrix_eigen(const double *a, int64_t d, double *value,
                          double *vector, sotto_error *error)
{
    double *work = mem_zeroed((size_t)(2 * d), sizeof *work);
    tridiagonal t = {d, vector, value, work, work + d};
    int found = work != NULL;
    if (!work)
        return error_memory(error);
    memcpy(vector, a, (size_t)(d * d) * sizeof *vector);
    for (int64_t i = 0; i < d * d; i++)
        found &= isfinite(a[i]);
    for (int64_t i = d - 1; found && i > 0; i--)
        reflect_row(&t, i);
    if (d > 0)
        value[0] = 0;
    for (int64_t i = 0; found && i < d; i++)
        gather_row(&t, i);
    transpose(vector, d);
    found = found && ql(&t);
    transpose(vector, d);
    mem_free(work);
    if (!found)
        return error_set(error, SOTTO_FAILED,
                         "eigenvalues of a matrix were not found");
    return SOTTO_OK;
}

void matrix_compose(const double *value, const double *vector, int64_t d,
                    double *out)
{
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < d; b++) {
            double sum = 0;
            for (int64_t e = 0; e < d; e++)
                sum += vector[a * d + e] * value[e] * vector[b * d + e];
            out[a * d + b] = sum;
        }
}

/* ---- Cholesky ---- */

int matrix_factor(double *a, int64_t d)
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = a[i * d + j];
            for (int64_t k = 0; k < j; k++)
                sum -= a[i * d + k] * a[j * d + k];
            if (i == j && !(sum > 0 && isfinite(sum)))
                return 0;
            a[i * d + j] = i == j ? sqrt(sum) : sum / a[j * d + j];
        }
    return 1;
}

void matrix_solve(const double *root, int64_t d, double *x)
{
    for (int64_t i = 0; i < d; i++) {
        for (int64_t k = 0; k < i; k++)
            x[i] -= root[i * d + k] * x[k];
        x[i] /= root[i * d + i];
    }
    for (int64_t i = d - 1; i >= 0; i--) {
        x[i] /= root[i * d + i];
        for (int64_t k = 0; k < i; k++)
            x[k] -= root[i * d + k] * x[i];
    }
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
