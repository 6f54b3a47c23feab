/*
 * The random numbers of the synthetic sets. They are NOT for privacy noise:
 * whoever knows the seed knows them all.
 *
 * All is made from operations that IEEE 754 defines to the last bit (the
 * logarithm and the exponential too), so that every machine and every C
 * library makes the same sets.
 */
#include "generate.h"

#include <math.h>

/* ---- elementary functions, the same on every machine ---- */

/* log x = e log 2 + log m, m around 1, and log m = 2 artanh((m-1)/(m+1)). */
double generate_log(double x)
{
    static const double c[] = {1. / 21, 1. / 19, 1. / 17, 1. / 15,
                               1. / 13, 1. / 11, 1. / 9,  1. / 7,
                               1. / 5,  1. / 3,  1.};
    int e;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), z = s * s, sum = 1. / 23;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        sum = sum * z + c[i];
    return e * 0x1.62e42fefa39efp-1 + 2 * s * sum;
}

/* exp x = 2^k exp r, |r| <= log(2)/2, by its series; |x| below 700. */
double generate_exp(double x)
{
    double k = floor(x / 0x1.62e42fefa39efp-1 + 0.5), sum = 1;
    double r = x - k * 0x1.62e42fefa39efp-1;
    for (int i = 14; i; i--)
        sum = 1 + sum * r / i;
    return ldexp(sum, (int)k);
}

/* ---- random numbers ---- */

/* One step of splitmix64 (Steele, Lea and Flood), as a hash. */
static uint64_t generate_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void generate_seed(generate_random *r, const char *name, uint64_t seed)
{
    uint64_t x = generate_mix(seed);
    for (; *name; name++)
        x = generate_mix(x ^ (unsigned char)*name);
    *r = (generate_random){{0}, 0, 0};
    for (int i = 0; i < 4; i++)
        r->s[i] = x = generate_mix(x);
}

/* xoshiro256** (Blackman and Vigna, 2018). */
static uint64_t generate_next(generate_random *r)
{
    uint64_t *s = r->s, a = s[1] * 5, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return (a << 7 | a >> 57) * 9;
}

/* Uniform inside (0, 1): the middles of 2^52 equal parts. */
double generate_uniform(generate_random *r)
{
    return ((double)(generate_next(r) >> 12) + 0.5) * 0x1p-52;
}

/* Standard normal, by Marsaglia's polar method. */
double generate_normal(generate_random *r)
{
    double a, b, s;
    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    do {
        a = 2 * generate_uniform(r) - 1;
        b = 2 * generate_uniform(r) - 1;
        s = a * a + b * b;
    } while (s >= 1);
    double stretch = sqrt(-2 * generate_log(s) / s);
    r->spare = b * stretch;
    r->has_spare = 1;
    return a * stretch;
}

/* ---- words ---- */

/* x^-0.1, so that 10 times it is the integral of x^-1.1 from x up. */
static double generate_tail(double x)
{
    return generate_exp(-0.1 * generate_log(x));
}

/* And back: t^-10. */
static double generate_untail(double t)
{
    double t2 = t * t, t4 = t2 * t2;
    return 1 / (t4 * t4 * t2);
}

/* Up to this tail, word v's part of the area is its probability. */
static double generate_accepted(double v)
{
    return generate_tail(v + 0.5) + 0.1 * generate_tail(v) / v;
}

void generate_zipf_open(generate_zipf *z, double offset, double words)
{
    z->offset = offset;
    z->last = offset + words - 1;
    z->top = generate_accepted(offset);
    z->bottom = generate_tail(z->last + 0.5);
    z->squeeze = offset - generate_untail(z->top);
}

/*
 * Rejection-inversion (Hormann and Derflinger, 1996), without a table of the
 * words. A point x under the curve x^-1.1, right of offset - 1/2, is rounded
 * to the word v; since the curve is convex, the strip around v has a little
 * more area than v^-1.1, and the excess at its left end is rejected. That
 * end moves away from v as v grows, so the first word's settles nearly all
 * cases without another power. The word is counted from 0.
 */
uint32_t generate_word(generate_random *r, const generate_zipf *z)
{
    for (;;) {
        double t = z->bottom + (z->top - z->bottom) * generate_uniform(r);
        double x = generate_untail(t), v = floor(x + 0.5);
        v = v < z->offset ? z->offset : v > z->last ? z->last : v;
        if (v - x <= z->squeeze || t <= generate_accepted(v))
            return (uint32_t)(v - z->offset);
    }
}

/* ---- sorting ---- */

static void generate_sift(uint32_t *x, size_t at, size_t n)
{
    uint32_t moved = x[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && x[child + 1] > x[child])
            child++;
        if (x[child] <= moved)
            break;
        x[at] = x[child];
    }
    x[at] = moved;
}

/* Heap sort: in place, where qsort may allocate behind our back. */
void generate_sort(uint32_t *x, int64_t count)
{
    size_t n = (size_t)count;
    for (size_t i = n / 2; i--;)
        generate_sift(x, i, n);
    while (n > 1) {
        uint32_t largest = x[0];
        x[0] = x[--n];
        x[n] = largest;
        generate_sift(x, 0, n);
    }
}
