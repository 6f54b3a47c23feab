/*
 * The discrete Fourier transform of real sequences, to multiply them.
 *
 * The polynomial modulo z^n - 1 is reduced modulo z^(n/2) - w and z^(n/2) + w
 * again and again, each block with one root: the roots come in bit-reversed
 * order, so that every level uses a prefix of one table, and no reordering
 * is needed between there and back. A real sequence of length n is a complex
 * one of length n/2: even entries and odd ones. Deterministic, no threads.
 * Errors: Lemma A7.
 */
#include "internal.h"

#include <math.h>

enum { FFT_CACHE = 2048 };

/* cos and sin of pi * f, 0 <= f < 1, each within an ulp of 1. */
static void fft_root(double f, double *c, double *s)
{
    double x = f > .75 ? 1 - f : f > .25 ? f - .5 : f;
    double cosine = cos(M_PI * x), sine = sin(M_PI * x);
    *c = f > .75 ? -cosine : f > .25 ? -sine : cosine;
    *s = f > .75 ? sine : f > .25 ? cosine : sine;
}

sotto_status fft_make(fft *out, int64_t length, sotto_error *error)
{
    size_t half = (size_t)length / 2;
    *out = (fft){length, mem_zeroed(half, sizeof(double)),
                 mem_zeroed(half, sizeof(double))};
    if (!out->cosine || !out->sine) {
        fft_free(out);
        return error_memory(error);
    }
    out->cosine[0] = 1; /* T[2b], T[2b+1] have half the angle, + pi/2 */
    double scale = .5;
    for (size_t size = 1; size < half; size *= 2, scale /= 2) {
        double reversed = 0; /* bits of i, in reverse, as a fraction */
        for (size_t i = 0; i < size; i++) {
            fft_root(reversed * 1.0 + scale, &out->cosine[size + i],
                     &out->sine[size + i]);
            double bit = .5;
            while (reversed >= bit) { /* the next number in reverse */
                reversed -= bit;
                bit /= 2;
            }
            reversed += bit;
        }
    }
    return SOTTO_OK;
}

void fft_free(fft *f)
{
    mem_free(f->cosine);
    mem_free(f->sine);
    *f = (fft){0};
}

double fft_error(const fft *f)
{
    return 7 * ROUNDOFF * (log2((double)f->length) + 3);
}

static void fft_split(double *re, double *im, int64_t half, double c, double s)
{
    for (int64_t i = 0; i < half; i++) {
        double x = c * re[half + i] - s * im[half + i];
        double y = c * im[half + i] + s * re[half + i];
        re[half + i] = re[i] - x;
        im[half + i] = im[i] - y;
        re[i] += x;
        im[i] += y;
    }
}

static void fft_join(double *re, double *im, int64_t half, double c, double s)
{
    for (int64_t i = 0; i < half; i++) {
        double x = re[i] - re[half + i], y = im[i] - im[half + i];
        re[i] += re[half + i];
        im[i] += im[half + i];
        re[half + i] = c * x + s * y;
        im[half + i] = c * y - s * x;
    }
}

/* The last level: blocks of two, one root each. */
static void fft_split_pairs(const fft *f, double *re, double *im, int64_t block,
                            int64_t size)
{
    const double *c = f->cosine + block, *s = f->sine + block;
    for (int64_t b = 0; b < size / 2; b++)
        fft_split(re + 2 * b, im + 2 * b, 1, c[b], s[b]);
}

static void fft_join_pairs(const fft *f, double *re, double *im, int64_t block,
                           int64_t size)
{
    const double *c = f->cosine + block, *s = f->sine + block;
    for (int64_t b = 0; b < size / 2; b++)
        fft_join(re + 2 * b, im + 2 * b, 1, c[b], s[b]);
}

static void fft_forward(const fft *f, double *re, double *im, int64_t block,
                        int64_t size)
{
    if (size > FFT_CACHE) { /* depth first, for the cache */
        fft_split(re, im, size / 2, f->cosine[block], f->sine[block]);
        fft_forward(f, re, im, 2 * block, size / 2);
        fft_forward(f, re + size / 2, im + size / 2, 2 * block + 1, size / 2);
        return;
    }
    int64_t blocks = 1;
    for (int64_t part = size; part > 2; part /= 2, blocks *= 2, block *= 2)
        for (int64_t b = 0; b < blocks; b++)
            fft_split(re + b * part, im + b * part, part / 2,
                      f->cosine[block + b], f->sine[block + b]);
    fft_split_pairs(f, re, im, block, size);
}

static void fft_backward(const fft *f, double *re, double *im, int64_t block,
                         int64_t size)
{
    if (size > FFT_CACHE) {
        fft_backward(f, re, im, 2 * block, size / 2);
        fft_backward(f, re + size / 2, im + size / 2, 2 * block + 1, size / 2);
        fft_join(re, im, size / 2, f->cosine[block], f->sine[block]);
        return;
    }
    fft_join_pairs(f, re, im, block * (size / 2), size);
    int64_t blocks = size / 4;
    for (int64_t part = 4; part <= size; part *= 2, blocks /= 2)
        for (int64_t b = 0; b < blocks; b++)
            fft_join(re + b * part, im + b * part, part / 2,
                     f->cosine[block * blocks + b],
                     f->sine[block * blocks + b]);
}

/* (*re, *im) to a whole power, by squaring: |error| <= power * 3u of it. */
static void fft_power(double *re, double *im, double power)
{
    double zr = *re, zi = *im, yr = 1, yi = 0, x;
    uint64_t n = (uint64_t)power;
    for (;;) {
        if (n & 1) {
            x = yr * zr - yi * zi;
            yi = yr * zi + yi * zr;
            yr = x;
        }
        n >>= 1;
        if (!n)
            break;
        x = zr * zr - zi * zi;
        zi = 2 * zr * zi;
        zr = x;
        if (fabs(zr) + fabs(zi) < 1e-150) { /* what is left vanishes */
            yr = yi = 0;
            break;
        }
    }
    *re = yr;
    *im = yi;
}

/* Where the conjugate of root i is. */
static int64_t fft_partner(int64_t i, int64_t top)
{
    return i ? 3 * top - 1 - i : 0;
}

static void fft_times(double *re, double *im, double zr, double zi)
{
    double x = *re * zr - *im * zi;
    *im = *re * zi + *im * zr;
    *re = x;
}

void fft_multiply(const fft *f, double *re, double *im, double power,
                  fft_product *product)
{
    int64_t half = f->length / 2, top = 1;
    fft_forward(f, re, im, 0, half);
    for (int64_t i = 0; i < half; i++) {
        top = i >= 2 * top ? 2 * top : top;
        int64_t k = fft_partner(i, top);
        if (k < i)
            continue;
        double er = .5 * (re[i] + re[k]), ei = .5 * (im[i] - im[k]);
        double dr = .5 * (im[i] + im[k]), di = .5 * (re[k] - re[i]);
        double c = f->cosine[i], s = f->sine[i];
        double tr = c * dr - s * di, ti = c * di + s * dr;
        double ur = er + tr, ui = ei + ti, vr = er - tr, vi = ei - ti;
        fft_power(&ur, &ui, power);
        fft_power(&vr, &vi, power);
        fft_times(&product->re[i], &product->im[i], ur, ui);
        fft_times(&product->re[half + i], &product->im[half + i], vr, vi);
    }
}

void fft_back(const fft *f, const fft_product *product, double *re, double *im)
{
    int64_t half = f->length / 2, top = 1;
    for (int64_t i = 0; i < half; i++) {
        top = i >= 2 * top ? 2 * top : top;
        int64_t k = fft_partner(i, top);
        if (k < i)
            continue;
        double ur = product->re[i], ui = product->im[i];
        double vr = product->re[half + i], vi = product->im[half + i];
        double er = .5 * (ur + vr), ei = .5 * (ui + vi);
        double xr = .5 * (ur - vr), xi = .5 * (ui - vi);
        double c = f->cosine[i], s = f->sine[i];
        double dr = c * xr + s * xi, di = c * xi - s * xr;
        re[i] = er - di;
        im[i] = ei + dr;
        if (k != i) {
            re[k] = er + di;
            im[k] = dr - ei;
        }
    }
    fft_backward(f, re, im, 0, half);
    double scale = 1 / (double)half;
    for (int64_t i = 0; i < half; i++) {
        re[i] *= scale;
        im[i] *= scale;
    }
}
