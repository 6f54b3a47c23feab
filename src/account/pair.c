/*
 * One event on a grid of losses: connect-the-dots (Lemma A3), truncated by
 * moving mass up (Lemma A4), rounded upward.
 *
 * Outcomes are cut at points whose loss is a multiple of the step, up to a
 * rounding that is kept as `shift`. Each piece has mass a under P and b under
 * Q; a is put on the two ends so that both masses are kept. What rounding
 * can do to a and b makes a larger and moves more of it to the upper end.
 */
#include "internal.h"

#include <math.h>

#define PAIR_MOST_CELLS 1.6e7

/* The mass on one side of a cut, and what rounding can do to it. */
typedef struct pair_tail {
    double value, error;
    int upper;
} pair_tail;

typedef struct pair_cut {
    pair_tail p, q;
    double shift; /* the loss at the cut is this close to the grid's */
} pair_cut;

static pair_tail pair_normal(double z, int flip)
{
    pair_tail t = {normal_tail(z), 0, (z > 0) != flip};
    t.error =
        t.value * ROUNDOFF * (2 * LIBM_ULPS + 4 * fabs(z) * (fabs(z) + 1));
    return t;
}

/* (1 - q) N(0) + q N(1) at x, in units of sigma. */
static pair_tail pair_mixture(double q, double x, double sigma, int flip)
{
    double z = x / sigma, shifted = (x - 1) / sigma;
    double far = fmax(fabs(z), fabs(shifted));
    double one = z > 0 ? .5 * erfc(z * M_SQRT1_2) : .5 * erfc(-z * M_SQRT1_2);
    double two = z > 0 ? .5 * erfc(shifted * M_SQRT1_2)
                       : .5 * erfc(-shifted * M_SQRT1_2);
    pair_tail t = {(1 - q) * one + q * two, 0, (z > 0) != flip};
    t.error = t.value * ROUNDOFF * (2 * LIBM_ULPS + 6 + 6 * far * (far + 1));
    return t;
}

static pair_cut pair_cut_gauss(double mu, double loss)
{
    double x = (loss + mu * mu / 2) / mu;
    return (pair_cut){pair_normal(x - mu, 0), pair_normal(x, 0),
                      8 * ROUNDOFF * (fabs(loss) + mu * mu)};
}

/* ln(1 - q + q e^w) = loss for w = (2x - 1) / (2 sigma^2). */
static pair_cut pair_cut_sampled(double q, double sigma, double loss, int add)
{
    double l = add ? -loss : loss, ratio = expm1(l) / q, y = 1 + ratio;
    double near = 6 * LIBM_ULPS * ROUNDOFF; /* of y and what comes after */
    if (!(y > 0)) { /* below every loss, if perhaps just so */
        pair_tail none = {0, 0, add};
        return (pair_cut){none, none, y < -near ? 0 : near * q * exp(-l)};
    }
    double w = log1p(ratio), x = sigma * sigma * w + .5;
    double shift = near * fmax(1, y) * (1 + fabs(w)) * q * exp(-l);
    pair_tail mixed = pair_mixture(q, x, sigma, add);
    pair_tail plain = pair_normal(x / sigma, add);
    return add ? (pair_cut){plain, mixed, shift}
               : (pair_cut){mixed, plain, shift};
}

/*
 * The loss at x = sigma^2 t is ln(a + c e^t) - ln(a + c e^-t), a = 1 - q, c =
 * q e^(-1 / 2 sigma^2). It is l where sinh(t - l/2) = (a/c) sinh(l/2): no term
 * cancels another. Where the right side is large its logarithm is enough. The
 * t that comes back is off by `off` at most (Lemma A21).
 */
static double pair_replaced_at(double q, double sigma, double l, double *off)
{
    double unlike = log1p(-q) - log(q) + .5 / (sigma * sigma); /* ln(a/c) */
    double part = log(-expm1(-l)), s = unlike + l / 2 + part;
    double terms = .5 / (sigma * sigma) + l - log1p(-q) - log(q) - part;
    *off = ROUNDOFF * 4 * LIBM_ULPS * (1 + terms);
    if (!(s > 40)) {
        double odds = (1 - q) / q * exp(.5 / (sigma * sigma));
        double v = odds * (.5 * (expm1(l / 2) - expm1(-l / 2)));
        s = log1p(v + v * v / (1 + sqrt(1 + v * v)));
        *off = ROUNDOFF * (8 * LIBM_ULPS + 2 / (sigma * sigma)) * fmin(1, s);
    }
    *off += ROUNDOFF * 4 * LIBM_ULPS * (l / 2 + s);
    return l / 2 + s;
}

/* The loss is off by what t is, times its slope. */
static pair_cut pair_cut_replaced(double q, double sigma, double loss)
{
    double unlike = log1p(-q) - log(q) + .5 / (sigma * sigma);
    double l = fabs(loss), off = 0;
    double t = l > 0 ? pair_replaced_at(q, sigma, l, &off) : 0;
    double slope = 1 / (1 + exp(unlike - t)) + 1 / (1 + exp(unlike + t));
    double x = copysign(sigma * sigma * t, loss);
    return (pair_cut){pair_mixture(q, x, sigma, 0),
                      pair_mixture(q, -x, sigma, 1),
                      2 * off * slope + 4 * ROUNDOFF * l};
}

/* The part of Laplace without its atoms, and the envelope of RANGE: P and Q
   have masses cp * expm1(s), -cq * expm1(-s), s = (loss + a) / 2. */
static pair_cut pair_cut_bounded(const merged_event *e, double loss)
{
    double s = (fmin(fmax(loss, -e->a), e->a) + e->a) / 2;
    int laplace = e->kind == ACCOUNT_LAPLACE;
    double cp = laplace ? .5 * exp(-e->a) : 1 / expm1(e->a);
    double cq = laplace ? .5 : -1 / expm1(-e->a);
    double rounding = ROUNDOFF * (4 * LIBM_ULPS + 4 * e->a);
    pair_cut c = {{cp * expm1(s), 0, 0}, {-cq * expm1(-s), 0, 0}, 0};
    c.p.error = c.p.value * rounding;
    c.q.error = c.q.value * rounding;
    c.shift = 8 * ROUNDOFF * e->a;
    return c;
}

static pair_cut pair_cut_at(const merged_event *e, int add, double loss)
{
    switch (e->kind) {
    case ACCOUNT_GAUSS:
        return pair_cut_gauss(e->a, loss);
    case ACCOUNT_SUBSAMPLED:
        return e->replaced ? pair_cut_replaced(e->a, e->b, loss)
                           : pair_cut_sampled(e->a, e->b, loss, add);
    case ACCOUNT_LAPLACE:
    case ACCOUNT_PURE:
    case ACCOUNT_RANGE:
        return pair_cut_bounded(e, loss);
    case ACCOUNT_SHOWN: /* have no pair: merge_event keeps them apart */
    case ACCOUNT_ZCDP:
    case ACCOUNT_KINDS:
        break;
    }
    return (pair_cut){{INFINITY, INFINITY, 0}, {INFINITY, INFINITY, 0}, 0};
}

/* Mass between two cuts and its error; `total` when they are on two sides. */
static double pair_between(pair_tail a, pair_tail b, double *error)
{
    *error = a.error + b.error + ROUNDOFF * (a.value + b.value);
    if (a.upper == b.upper)
        return a.upper ? a.value - b.value : b.value - a.value;
    *error += 2 * ROUNDOFF;
    return 1 - a.value - b.value;
}

/* Puts mass a (b under Q) of losses in [g, g + h], or closer than `shift` to
   it, on its two ends. */
static void pair_dots(double *mass, double g, double h, double a, double b,
                      double shift)
{
    double top = a * exp(-h), bottom = b * exp(g);
    double slack = ROUNDOFF * (2 * LIBM_ULPS + 2 + fabs(g)) * (top + bottom) +
                   2 * shift * bottom;
    double x = (bottom - top - slack) / -expm1(-h);
    x = x > 0 ? fmin(x * (1 - 4 * ROUNDOFF), a) : 0;
    mass[0] += x;
    mass[1] += (a - x) * (1 + 2 * ROUNDOFF);
}

/* An atom: between the two grid points around it. */
static void pair_atom(pair_law *law, double loss, double mass)
{
    double h = law->step;
    double cell = floor(loss / h + fabs(loss / h) * 4 * ROUNDOFF);
    double over = fmax(0, loss - cell * h);
    double up =
        -expm1(-over) / -expm1(-h) + ROUNDOFF * (32 + 8 * fabs(loss / h));
    int64_t at = (int64_t)cell - law->low;
    mass *= 1 + 4 * LIBM_ULPS * ROUNDOFF;
    up = fmin(1, up);
    if (at < 0)
        law->mass[0] += mass; /* moved up */
    else if (at + 1 >= law->cells)
        law->infinite += mass;
    else {
        law->mass[at] += mass * (1 - up);
        law->mass[at + 1] += mass * up;
    }
}

static void pair_atoms(pair_law *law, const merged_event *e)
{
    if (e->kind == ACCOUNT_LAPLACE) {
        pair_atom(law, e->a, .5);
        pair_atom(law, -e->a, .5 * exp(-e->a));
    } else if (e->kind == ACCOUNT_PURE) {
        pair_atom(law, e->a, 1 / (1 + exp(-e->a)));
        pair_atom(law, -e->a, exp(-e->a) / (1 + exp(-e->a)));
    }
}

double pair_sampled_loss(double q, double sigma, double x)
{
    double w = (2 * x - 1) / (2 * sigma * sigma);
    return w > 700 ? w + log(q) : log1p(q * expm1(w));
}

/* A record that adds 1 replaced by one that takes 1 away. */
static void pair_extent_replaced(const merged_event *e, double z, double *low,
                                 double *high)
{
    double q = e->a, sigma = e->b, least = -sigma * z, most = 1 + sigma * z;
    *low = pair_sampled_loss(q, sigma, least) -
           pair_sampled_loss(q, sigma, -least);
    *high =
        pair_sampled_loss(q, sigma, most) - pair_sampled_loss(q, sigma, -most);
}

void pair_extent(const merged_event *e, int add, double mass, double *low,
                 double *high)
{
    double z = sqrt(2 * log(1 / mass)), mu = e->a;
    *low = -e->a;
    *high = e->a;
    if (e->kind == ACCOUNT_GAUSS) {
        *low = mu * mu / 2 - mu * z;
        *high = mu * mu / 2 + mu * z;
    } else if (e->replaced)
        pair_extent_replaced(e, z, low, high);
    else if (e->kind == ACCOUNT_SUBSAMPLED) {
        *low = pair_sampled_loss(e->a, e->b, -e->b * z);
        *high = pair_sampled_loss(e->a, e->b, (add ? 0 : 1) + e->b * z);
        if (add) {
            double swap = -*low;
            *low = -*high;
            *high = swap;
        }
    }
    *low = fmax(*low, -log(1 / mass)); /* P(loss < -x) <= e^-x */
}

/* A piece whose losses are not known to 1e-6 of a cell: up, past them all. */
static void pair_vague(pair_law *law, int64_t cell, double mass, double shift)
{
    double at = (double)cell + 2 + ceil(shift / law->step);
    if (at < (double)law->cells)
        law->mass[(int64_t)at] += mass;
    else
        law->infinite += mass;
}

/* The continuous mass above the last cut, which goes to infinity (Lemma A4):
   of a bounded law too, where the window ends before the law does. */
static double pair_rest(const merged_event *e, const pair_cut *last)
{
    double whole = 1;
    if (e->kind != ACCOUNT_GAUSS && e->kind != ACCOUNT_SUBSAMPLED) {
        pair_cut end = pair_cut_bounded(e, e->a);
        whole = end.p.value + end.p.error;
    }
    double rest = last->p.upper ? last->p.value : whole - last->p.value;
    return fmax(0, rest) + last->p.error;
}

/* The continuous part, cell by cell. */
static void pair_fill(pair_law *law, const merged_event *e, int add)
{
    double h = law->step;
    pair_cut last = pair_cut_at(e, add, (double)law->low * h);
    law->mass[0] += last.p.upper ? 1 - last.p.value + last.p.error + ROUNDOFF
                                 : last.p.value + last.p.error;
    for (int64_t i = 0; i + 1 < law->cells; i++) {
        double g = (double)(law->low + i) * h, pe, qe;
        pair_cut next = pair_cut_at(e, add, (double)(law->low + i + 1) * h);
        double a = pair_between(last.p, next.p, &pe) + pe;
        double b = pair_between(last.q, next.q, &qe) - qe;
        double shift = fmax(last.shift, next.shift);
        last = next;
        if (!(a > 0))
            continue;
        if (shift > 1e-6 * h)
            pair_vague(law, i, a, shift);
        else {
            pair_dots(&law->mass[i], g, h, a, fmax(b, 0), shift);
            law->shift = fmax(law->shift, shift);
        }
    }
    law->infinite += pair_rest(e, &last);
}

sotto_status pair_make(pair_law *out, const merged_event *event, int add,
                       pair_window window, sotto_error *error)
{
    double low = floor(window.low / window.step) - 1;
    double high = ceil(window.high / window.step) + 2;
    if (!(high - low < PAIR_MOST_CELLS) || !(fabs(low) < 1e15))
        return error_set(error, SOTTO_DATA, "no grid fits these events");
    *out = (pair_law){.step = window.step,
                      .low = (int64_t)low,
                      .cells = (int64_t)(high - low) + 1};
    out->mass = mem_zeroed((size_t)out->cells, sizeof *out->mass);
    if (!out->mass)
        return error_memory(error);
    if (event->kind != ACCOUNT_PURE)
        pair_fill(out, event, add);
    pair_atoms(out, event);
    return SOTTO_OK;
}

void pair_free(pair_law *law)
{
    mem_free(law->mass);
    *law = (pair_law){0};
}
