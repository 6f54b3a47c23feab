/*
 * Moments of losses. The first half is a guide: it finds tilts and windows
 * quickly and no bound rests on it. The second half is proven: Renyi bounds
 * and what follows from them (Lemma A10).
 */
#include "internal.h"

#include <math.h>

/* ---- the guide ---- */

enum { MOMENTS_NODES = 240, MOMENTS_MOST = 4000 };

static int moments_room(moments_law *law, int64_t nodes)
{
    law->loss = mem_zeroed((size_t)nodes, sizeof *law->loss);
    law->weight = mem_zeroed((size_t)nodes, sizeof *law->weight);
    law->nodes = nodes;
    return law->loss && law->weight;
}

static double moments_density(double z)
{
    return exp(-z * z / 2);
}

/* Trapezoids over x from -13 sigma to 1 + 13 sigma, where there is mass. */
static int moments_sampled(moments_law *law, const merged_event *e, int add)
{
    double q = e->a, sigma = e->b;
    double step = .1 * sigma, low = -13 * sigma, high = 1 + 13 * sigma;
    int64_t nodes = (int64_t)((high - low) / step) + 1;
    int gap = nodes > MOMENTS_MOST; /* two clouds, nothing in between */
    if (gap)
        nodes = 2 * MOMENTS_NODES + 40;
    if (!moments_room(law, nodes))
        return 0;
    for (int64_t i = 0; i < nodes; i++) {
        double x = low + step * (double)i;
        if (gap && i >= nodes / 2)
            x = 1 + low + step * (double)(i - nodes / 2);
        double loss = pair_sampled_loss(q, sigma, x);
        if (e->replaced)
            loss -= pair_sampled_loss(q, sigma, -x);
        double zero = moments_density(x / sigma);
        double one = moments_density((x - 1) / sigma);
        int absent = add && !e->replaced;
        law->loss[i] = absent ? -loss : loss;
        law->weight[i] = absent ? zero : (1 - q) * zero + q * one;
    }
    return 1;
}

static int moments_bounded(moments_law *law, const merged_event *e)
{
    if (!moments_room(law, MOMENTS_NODES + 2))
        return 0;
    int laplace = e->kind == ACCOUNT_LAPLACE;
    double cell = 2 * e->a / MOMENTS_NODES;
    for (int64_t i = 0; i < MOMENTS_NODES; i++) {
        law->loss[i] = -e->a + cell * ((double)i + .5);
        law->weight[i] =
            (laplace ? .25 * exp((law->loss[i] - e->a) / 2)
             : e->kind == ACCOUNT_RANGE
                 ? .5 * exp((law->loss[i] + e->a) / 2) / expm1(e->a)
                 : 0) *
            cell;
    }
    double up = laplace ? .5 : 1 / (1 + exp(-e->a));
    int atoms = e->kind != ACCOUNT_RANGE;
    law->loss[MOMENTS_NODES] = e->a;
    law->weight[MOMENTS_NODES] = atoms ? up : 0;
    law->loss[MOMENTS_NODES + 1] = -e->a;
    law->weight[MOMENTS_NODES + 1] = atoms ? up * exp(-e->a) : 0;
    return 1;
}

static void moments_normalise(moments_law *law)
{
    double sum = 0;
    for (int64_t i = 0; i < law->nodes; i++)
        sum += law->weight[i];
    for (int64_t i = 0; i < law->nodes; i++)
        law->weight[i] /= sum;
}

sotto_status moments_make(moments *out, const merged_event *event,
                          int64_t events, double gauss, double ranges, int add,
                          sotto_error *error)
{
    *out = (moments){.gauss = gauss, .ranges = ranges};
    out->law = mem_zeroed((size_t)events + 1, sizeof *out->law);
    int good = out->law != NULL;
    for (int64_t i = 0; good && i < events; i++) {
        moments_law *law = &out->law[out->laws++];
        law->count = event[i].count;
        good = event[i].kind == ACCOUNT_SUBSAMPLED
                   ? moments_sampled(law, &event[i], add)
                   : moments_bounded(law, &event[i]);
        if (good)
            moments_normalise(law);
    }
    if (good)
        return SOTTO_OK;
    moments_free(out);
    return error_memory(error);
}

void moments_free(moments *m)
{
    for (int64_t i = 0; i < m->laws; i++) {
        mem_free(m->law[i].loss);
        mem_free(m->law[i].weight);
    }
    mem_free(m->law);
    *m = (moments){0};
}

static moments_at moments_of_law(const moments_law *law, double tilt)
{
    double most = -INFINITY, sum = 0, first = 0, second = 0;
    for (int64_t i = 0; i < law->nodes; i++)
        if (law->weight[i] > 0)
            most = fmax(most, tilt * law->loss[i]);
    for (int64_t i = 0; i < law->nodes; i++) {
        double x = law->loss[i];
        double w = law->weight[i] * exp(tilt * x - most);
        sum += w;
        first += w * x;
        second += w * x * x;
    }
    double mean = first / sum;
    return (moments_at){most + log(sum), mean,
                        fmax(second / sum - mean * mean, 0)};
}

moments_at moments_value(const moments *m, double tilt)
{
    double v = m->gauss + m->ranges;
    moments_at total = {tilt * (tilt + 1) / 2 * v, (tilt + .5) * v, v};
    for (int64_t i = 0; i < m->laws; i++) {
        moments_at one = moments_of_law(&m->law[i], tilt);
        total.k += m->law[i].count * one.k;
        total.mean += m->law[i].count * one.mean;
        total.variance += m->law[i].count * one.variance;
    }
    return total;
}

enum { MOMENTS_ROUNDS = 46 };
#define MOMENTS_LOW 1e-7
#define MOMENTS_HIGH 1e7

double moments_tilt_for_epsilon(const moments *m, double epsilon)
{
    double low = MOMENTS_LOW, high = MOMENTS_HIGH;
    for (int i = 0; i < MOMENTS_ROUNDS; i++) {
        double middle = sqrt(low * high);
        if (moments_value(m, middle).mean < epsilon)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double moments_tilt_for_delta(const moments *m, double delta)
{
    double low = MOMENTS_LOW, high = MOMENTS_HIGH;
    for (int i = 0; i < MOMENTS_ROUNDS; i++) {
        double t = sqrt(low * high);
        moments_at at = moments_value(m, t);
        double saddle = at.k - t * at.mean - log(t) - log1p(t) -
                        .5 * log(2 * M_PI * at.variance + 1e-300);
        double atomic = at.k - t * at.mean; /* little variance left */
        if (fmin(saddle, atomic) > log(delta))
            low = t;
        else
            high = t;
    }
    return low;
}

double moments_top(const moments *m, double mass, double *tilt)
{
    double low = MOMENTS_LOW, high = MOMENTS_HIGH, need = log(1 / mass);
    for (int i = 0; i < MOMENTS_ROUNDS; i++) {
        double middle = sqrt(low * high);
        moments_at at = moments_value(m, middle);
        if (middle * at.mean - at.k < need)
            low = middle;
        else
            high = middle;
    }
    *tilt = low;
    return (moments_value(m, low).k + need) / low;
}

/* ---- proven ---- */

/* ln sum_k C(n, k) (1-q)^(n-k) q^k exp(k(k-1) / 2 sigma^2). */
static double renyi_sampled_whole(double q, double sigma, int64_t n)
{
    double most = -INFINITY, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        double choose = 0;
        for (int64_t k = 0; k <= n; k++) {
            double x = (double)k;
            double term = choose + (double)(n - k) * log1p(-q) + x * log(q) +
                          x * (x - 1) / (2 * sigma * sigma);
            if (pass)
                sum += exp(term - most);
            else
                most = fmax(most, term);
            choose += log((double)(n - k)) - log(x + 1);
        }
    }
    return most + log(sum);
}

/* Between whole orders by convexity; never more than without sampling. */
static double renyi_sampled(double q, double sigma, double tilt)
{
    double below = floor(tilt), above = ceil(tilt);
    double low =
        below > 0 ? renyi_sampled_whole(q, sigma, (int64_t)below + 1) : 0;
    double all = tilt * (tilt + 1) / (2 * sigma * sigma);
    if (above == below)
        return fmin(low, all);
    double high = renyi_sampled_whole(q, sigma, (int64_t)above + 1);
    return fmin(low + (high - low) * (tilt - below), all);
}

/* By way of the record's absence, which is exact for Gaussians (Lemma A21). */
static double renyi_replaced(double q, double sigma, double t)
{
    return ((t + 1) * renyi_sampled(q, sigma, 2 * t) +
            t * renyi_sampled(q, sigma, 2 * t + 1)) /
           (2 * t + 1);
}

static double renyi_event(const merged_event *e, double t)
{
    double a = e->a, n = t + 1;
    switch (e->kind) {
    case ACCOUNT_SUBSAMPLED:
        return e->replaced ? renyi_replaced(e->a, e->b, t)
                           : renyi_sampled(e->a, e->b, t);
    case ACCOUNT_LAPLACE: /* (n e^{ta} + t e^{-na}) / (2n - 1), less e^{ta} */
        return t * a + log1p(t * expm1(-(2 * n - 1) * a) / (2 * n - 1));
    case ACCOUNT_PURE: /* (e^{na} + e^{-ta}) / (1 + e^a) */
        return t * a + log1p(exp(-(2 * n - 1) * a)) - log1p(exp(-a));
    case ACCOUNT_RANGE:
        return t * n * a * a / 8;
    case ACCOUNT_GAUSS: /* merge_event has summed these */
    case ACCOUNT_SHOWN:
    case ACCOUNT_ZCDP:
    case ACCOUNT_KINDS:
        break;
    }
    return INFINITY;
}

/* The largest order that sums are made for; less when there are many. Twice
   the order is looked at where a record is replaced. */
static double renyi_most(const merged *p)
{
    double most = p->events > 100 ? 200 : 3000;
    return !p->sampled ? 1e7 : p->replaced ? most / 2 : most;
}

double renyi_bound(const merged *p, double tilt)
{
    double k = tilt * (tilt + 1) / 2 * (p->gauss + p->zcdp);
    double size = fabs(k);
    double order = p->sampled && p->replaced ? 2 * tilt + 1 : tilt;
    if (tilt > renyi_most(p))
        return INFINITY;
    for (int64_t i = 0; i < p->events; i++) {
        double one = fmax(0, renyi_event(&p->event[i], tilt));
        k += p->event[i].count * one;
        size += p->event[i].count * (one + order + 20);
    }
    for (int64_t i = 0; i < p->ranges; i++)
        k += p->range[i].count * renyi_event(&p->range[i], tilt);
    return k + 64 * ROUNDOFF * (size + k);
}

/* ln delta <= k - t epsilon + t ln t - (t + 1) ln(t + 1). */
static double renyi_log_delta(const merged *p, double t, double epsilon)
{
    return renyi_bound(p, t) - t * epsilon + t * log(t) - (t + 1) * log1p(t);
}

/* Minimises over the tilt: a coarse walk, then a golden section. */
static double renyi_minimum(const merged *p, double x,
                            double (*value)(const merged *, double, double))
{
    double best = INFINITY, at = 1, ratio = p->sampled ? 1.6 : 1.3;
    double most = renyi_most(p);
    for (double t = 1e-3; t <= most; t *= ratio) {
        double v = value(p, t, x);
        if (v < best) {
            best = v;
            at = t;
        }
    }
    double low = at / ratio, high = fmin(at * ratio, most);
    for (int i = 0; i < (p->sampled ? 18 : 60); i++) {
        double a = low + .382 * (high - low), b = low + .618 * (high - low);
        double va = value(p, a, x), vb = value(p, b, x);
        best = fmin(best, fmin(va, vb));
        if (va < vb)
            high = b;
        else
            low = a;
    }
    return best;
}

double renyi_delta(const merged *p, double epsilon)
{
    double d = exp(renyi_minimum(p, epsilon, renyi_log_delta));
    return d < 1 ? fmax(d * (1 + 1e-12), 1e-300) : 1; /* not pure: never 0 */
}

static double renyi_epsilon_at(const merged *p, double t, double delta)
{
    return (renyi_bound(p, t) - log(delta) + t * log(t) - (t + 1) * log1p(t)) /
           t;
}

double renyi_epsilon(const merged *p, double delta)
{
    double e = renyi_minimum(p, delta, renyi_epsilon_at);
    return e > 0 ? e * (1 + 1e-12) : 0;
}
