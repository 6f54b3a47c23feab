/*
 * Tests whether counts agree with probabilities, or with other counts. Each
 * comparison fails by chance with probability 1e-6 if the bits are uniform.
 * (For chi-square this holds up to the accuracy of its limit law; for counts it
 * is an upper bound, by Bernstein's inequality.)
 */
#ifndef SOTTO_LAW_H
#define SOTTO_LAW_H

#include <math.h>
#include <mpfr.h>

#define SIGNIFICANCE 1e-6

/* The probability that chi-square of that many degrees is above x. */
static inline double chi_square_tail(double x, int degrees)
{
    mpfr_t a, b, half;
    mpfr_inits2(100, a, b, half, (mpfr_ptr)0);
    mpfr_set_d(half, degrees / 2., MPFR_RNDN);
    mpfr_set_d(b, x / 2, MPFR_RNDN);
    mpfr_gamma_inc(a, half, b, MPFR_RNDN);
    mpfr_gamma(b, half, MPFR_RNDN);
    mpfr_div(a, a, b, MPFR_RNDN);
    double p = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clears(a, b, half, (mpfr_ptr)0);
    return p;
}

static inline void assert_law(const char *name, const double *seen,
                              const double *probability, int cells,
                              double total)
{
    double x = 0, sum = 0;
    for (int i = 0; i < cells; i++) {
        double expected = probability[i] * total;
        sum += probability[i];
        if (expected == 0) {
            assert_true(seen[i] == 0);
            continue;
        }
        assert_true(expected >= 5 || cells == 2);
        x += (seen[i] - expected) * (seen[i] - expected) / expected;
    }
    assert_true(fabs(sum - 1) < 1e-9);
    double p = chi_square_tail(x, cells - 1);
    print_message("%s: chi-square %.1f of %d, p = %.3g\n", name, x, cells - 1,
                  p);
    assert_true(p > SIGNIFICANCE);
}

/* Two-sided binomial: the count may be off by what Bernstein allows. */
static inline void assert_count(const char *name, double seen,
                                double probability, double total)
{
    double l = log(2 / SIGNIFICANCE), mean = probability * total;
    double most = l / 3 + sqrt(l * l / 9 + 2 * l * mean * (1 - probability));
    if (!(fabs(seen - mean) <= most))
        fail_msg("%s: %.0f, expected %.1f +- %.1f", name, seen, mean, most);
}

/* Two samples of one law. */
static inline void assert_same_law(const char *name, const double *a,
                                   const double *b, int cells)
{
    double x = 0, na = 0, nb = 0;
    int used = 0;
    for (int i = 0; i < cells; i++) {
        na += a[i];
        nb += b[i];
    }
    for (int i = 0; i < cells; i++) {
        if (a[i] + b[i] == 0)
            continue;
        double d = a[i] * sqrt(nb / na) - b[i] * sqrt(na / nb);
        x += d * d / (a[i] + b[i]);
        used++;
    }
    double p = chi_square_tail(x, used - 1);
    print_message("%s: chi-square %.1f of %d, p = %.3g\n", name, x, used - 1,
                  p);
    assert_true(p > SIGNIFICANCE);
}

static inline void softmax(const int64_t *scores, int count, double rate,
                           double *probability)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += probability[i] = exp((double)scores[i] * rate);
    for (int i = 0; i < count; i++)
        probability[i] /= sum;
}

#endif
