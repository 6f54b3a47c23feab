/*
 * Audits: bounds on chances from counts, thresholds, and the direction in which
 * two clouds of models differ most.
 */
#include "audit.h"

#include <math.h>
#include <stdlib.h>

/* ---- the normal law ---- */

double audit_normal(double x)
{
    return .5 * erfc(-x * M_SQRT1_2);
}

double audit_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (audit_normal(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---- Clopper and Pearson ---- */

/* The chance that at least `hits` of `runs` come true, each with chance p. The
   largest of its terms is taken out, so that none is lost. */
static double tail(int64_t hits, int64_t runs, double p)
{
    double n = (double)runs, sum = 0;
    if (hits <= 0 || p >= 1)
        return 1;
    if (p <= 0)
        return 0;
    double odds = log(p) - log1p(-p);
    double term = lgamma(n + 1) - lgamma((double)hits + 1) -
                  lgamma(n - (double)hits + 1) + (double)hits * odds +
                  n * log1p(-p);
    for (int64_t k = hits; k <= runs; k++) {
        sum += exp(term);
        if ((double)k > n * p && exp(term) < sum * 1e-17)
            break;
        term += log((double)(runs - k)) - log((double)(k + 1)) + odds;
    }
    return fmin(sum, 1);
}

double audit_below(int64_t hits, int64_t runs, double wrong)
{
    double low = 0, high = 1;
    if (hits <= 0)
        return 0;
    for (int i = 0; i < 45; i++) {
        double middle = (low + high) / 2;
        if (tail(hits, runs, middle) <= wrong)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double audit_above(int64_t hits, int64_t runs, double wrong)
{
    return 1 - audit_below(runs - hits, runs, wrong);
}

/* ---- thresholds ---- */

int64_t audit_hits(const audit_sides *s, int side, double threshold)
{
    int64_t hits = 0;
    for (int64_t i = 0; i < s->count; i++)
        hits += s->value[side][i] > threshold;
    return hits;
}

/* Few hits or misses prove little, so each count is moved against the test. */
static double seen_mu(const audit_sides *s, double threshold)
{
    static const double wrong = .05;
    double low = audit_below(audit_hits(s, 1, threshold), s->count, wrong);
    double high = audit_above(audit_hits(s, 0, threshold), s->count, wrong);
    return low > 0 && high < 1 ? audit_quantile(low) - audit_quantile(high)
                               : -INFINITY;
}

typedef struct sided {
    double value;
    int side;
} sided;

static int compare_sided(const void *a, const void *b)
{
    const sided *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* How often the second side is the larger one, equal ones half: the area under
   the ROC curve. It says how well sides are told with less chance in it than
   the best threshold has. */
static double area(const sided *sorted, int64_t all)
{
    double pairs = 0, below = 0;
    for (int64_t from = 0, to; from < all; from = to) {
        double of[2] = {0, 0};
        for (to = from; to < all && sorted[to].value == sorted[from].value;
             to++)
            of[sorted[to].side]++;
        pairs += of[1] * (below + of[0] / 2);
        below += of[0];
    }
    return pairs / ((double)(all / 2) * (double)(all / 2));
}

static double best_threshold(const audit_sides *s, const sided *sorted)
{
    enum { TRIED = 49 };
    double best = -INFINITY, found = 0;
    for (int64_t k = 1; k <= TRIED; k++) {
        double at = sorted[k * (2 * s->count - 1) / (TRIED + 1)].value;
        double mu = seen_mu(s, at);
        if (mu > best) {
            best = mu;
            found = at;
        }
    }
    return found;
}

double audit_threshold(const audit_sides *s, double *threshold)
{
    int64_t all = 2 * s->count;
    double mu = -INFINITY;
    sided *sorted = mem_zeroed((size_t)all + 1, sizeof *sorted);
    *threshold = 0;
    for (int64_t i = 0; sorted && i < all; i++)
        sorted[i] = (sided){s->value[i % 2][i / 2], (int)(i % 2)};
    if (sorted) {
        qsort(sorted, (size_t)all, sizeof *sorted, compare_sided);
        *threshold = best_threshold(s, sorted);
        mu = M_SQRT2 * audit_quantile(area(sorted, all));
    }
    mem_free(sorted);
    return mu;
}

/* ---- a direction ---- */

enum { FULL_DIMS = 64 }; /* with more, coordinates are taken one by one */

static double scaled(const audit_direction *d, const double *vector, int64_t j)
{
    double z = (vector[j] - d->centre[j]) / d->scale[j];
    return isnan(z) ? 0 : fmax(-6, fmin(6, z));
}

double audit_project(const audit_direction *d, const double *vector)
{
    double sum = 0;
    for (int64_t j = 0; j < d->dims; j++)
        sum += d->along[j] * scaled(d, vector, j);
    return sum;
}

void audit_free_direction(audit_direction *d)
{
    mem_free(d->centre);
    mem_free(d->scale);
    mem_free(d->along);
    *d = (audit_direction){0};
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median and spread of all: a weight may have no mean. */
static void find_scales(audit_direction *d, double *const vectors[2],
                        int64_t count, double *room)
{
    for (int64_t j = 0; j < d->dims; j++) {
        for (int64_t i = 0; i < 2 * count; i++)
            room[i] = vectors[i % 2][i / 2 * d->dims + j];
        qsort(room, (size_t)(2 * count), sizeof *room, compare_doubles);
        double spread = room[3 * count / 2] - room[count / 2];
        d->centre[j] = room[count];
        d->scale[j] = spread > 0 && isfinite(spread) ? spread / 1.35 : 1;
    }
}

static double mean_of(const audit_direction *d, const double *vectors,
                      int64_t count, int64_t j)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += scaled(d, vectors + i * d->dims, j);
    return sum / (double)count;
}

static double product(const audit_direction *d, const double *vectors,
                      int64_t count, int64_t j, int64_t k, const double *mean)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (scaled(d, vectors + i * d->dims, j) - mean[j]) *
               (scaled(d, vectors + i * d->dims, k) - mean[k]);
    return sum;
}

/* Solves A x = b in place by elimination; A is positive definite. */
static void solve(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = i + 1; r < n; r++) {
            double f = a[r * n + i] / a[i * n + i];
            for (int64_t c = i; c < n; c++)
                a[r * n + c] -= f * a[i * n + c];
            b[r] -= f * b[i];
        }
    for (int64_t i = n; i-- > 0;) {
        for (int64_t c = i + 1; c < n; c++)
            b[i] -= a[i * n + c] * b[c];
        b[i] /= a[i * n + i];
    }
}

/* The linear discriminant: the inverse of the pooled covariance times the
   difference of the means. */
static void discriminate(audit_direction *d, double *const vectors[2],
                         int64_t count, double *mean, double *matrix)
{
    int64_t p = d->dims;
    int full = p <= FULL_DIMS;
    for (int side = 0; side < 2; side++)
        for (int64_t j = 0; j < p; j++)
            mean[side * p + j] = mean_of(d, vectors[side], count, j);
    for (int64_t j = 0; j < p; j++)
        d->along[j] = mean[p + j] - mean[j];
    for (int64_t j = 0; full && j < p; j++)
        for (int64_t k = 0; k < p; k++)
            matrix[j * p + k] =
                (product(d, vectors[0], count, j, k, mean) +
                 product(d, vectors[1], count, j, k, mean + p)) /
                    (double)(2 * count) +
                (j == k ? .01 : 0);
    if (full)
        solve(matrix, d->along, p);
}

sotto_status audit_learn(audit_direction *out, double *const vectors[2],
                         int64_t count, int64_t dims, sotto_error *error)
{
    size_t p = (size_t)dims, full = dims <= FULL_DIMS ? p * p : 0;
    *out = (audit_direction){.dims = dims,
                             .centre = mem_zeroed(p + 1, sizeof(double)),
                             .scale = mem_zeroed(p + 1, sizeof(double)),
                             .along = mem_zeroed(p + 1, sizeof(double))};
    double *room = mem_zeroed(2 * (size_t)count + 1, sizeof *room);
    double *mean = mem_zeroed(2 * p + full + 1, sizeof *mean);
    int fine = out->centre && out->scale && out->along && room && mean;
    if (fine) {
        find_scales(out, vectors, count, room);
        discriminate(out, vectors, count, mean, mean + 2 * p);
    }
    mem_free(room);
    mem_free(mean);
    return fine ? SOTTO_OK : error_memory(error);
}
