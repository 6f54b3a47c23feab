/*
 * The papers' own formulas, for comparison: multipliers in units of the
 * sensitivity that the paper uses, and what they really guarantee.
 */
#include "account.h"

#include <math.h>

enum { PAPER_CD, PAPER_CD_RDP, PAPER_GCD, PAPER_GCD_NUMERIC, PAPER_SCD };

static const account_paper papers[] = {
    {"dp-cd-3.1",
     "DP-CD, Theorem 3.1: Gaussian noise sqrt(3 T ln(1/delta))/epsilon, "
     "epsilon <= 1, delta < 1/3",
     "true for replace-one with sensitivity 2 L_j / n; more noise than needed"},
    {"dp-cd-18",
     "DP-CD, RDP eq. (18): epsilon = T/(2 z^2) + sqrt(2 T ln(1/delta))/z",
     "true for replace-one with sensitivity 2 L_j / n; more noise than needed"},
    {"dp-gcd-4.2",
     "DP-GCD, Theorem 4.2: Laplace scale 4 sqrt(T ln(1/delta))/epsilon for "
     "selection and release, epsilon <= 1",
     "true only if L_j / sqrt(M_j) is the same for all j (though the proof is "
     "wrong: a selection costs 2 epsilon'); else false"},
    {"dp-gcd-2",
     "DP-GCD, eq. (2): sqrt(4 T ln(1/delta)) e + 2 T e (exp(e) - 1) = "
     "epsilon, Laplace scale 1/e",
     "false for unequal L_j / sqrt(M_j); not proven for equal ones"},
    {"dp-scd-ma",
     "DP-SCD, moments accountant: noise on (alpha, v) for sampling rate q, "
     "times sqrt(2) for the sensitivity of the pair",
     "false for the output (alpha, v), which shows who was in a batch; true "
     "for v alone with Poisson batches, with sqrt(2) too much noise"},
};

const account_paper *account_paper_at(int64_t i)
{
    int64_t count = (int64_t)(sizeof papers / sizeof *papers);
    return i >= 0 && i < count ? &papers[i] : NULL;
}

/* Solves f(x) = epsilon, f increasing in x, by halving. */
static double
paper_solve(double (*f)(double x, double steps, double rate, double delta),
            double steps, double rate, double epsilon, double delta)
{
    double low = 1e-12, high = 1e6;
    for (int i = 0; i < 200; i++) {
        double x = sqrt(low * high);
        if (f(x, steps, rate, delta) < epsilon)
            low = x;
        else
            high = x;
    }
    return low;
}

static double paper_rdp(double x, double steps, double rate, double delta)
{
    (void)rate; /* x = 1/z */
    return steps * x * x / 2 + sqrt(2 * steps * log(1 / delta)) * x;
}

static double paper_advanced(double x, double steps, double rate, double delta)
{
    (void)rate;
    return sqrt(4 * steps * log(1 / delta)) * x + 2 * steps * x * expm1(x);
}

/* The moments accountant: whole orders up to 512, simple conversion. */
static double paper_moments(double x, double steps, double rate, double delta)
{
    double best = INFINITY;
    for (int64_t n = 2; n <= 512; n += n < 64 ? 1 : 8) {
        account_list list = {0};
        account_event e = {ACCOUNT_SUBSAMPLED, rate, 1 / x, 1,
                           ACCOUNT_ADD_REMOVE};
        double renyi = INFINITY;
        if (account_add(&list, e, NULL) == SOTTO_OK &&
            account_renyi(&list, (double)n, &renyi, NULL) == SOTTO_OK)
            best = fmin(best, steps * renyi + log(1 / delta) / ((double)n - 1));
        account_free(&list);
    }
    return best;
}

sotto_status account_paper_multiplier(int64_t i, double steps, double rate,
                                      double epsilon, double delta, double *out,
                                      sotto_error *error)
{
    double need = log(1 / delta);
    int bounded = i == PAPER_CD || i == PAPER_GCD;
    if (!(steps >= 1 && steps <= 1e12) || !(epsilon > 0 && epsilon <= 1e4) ||
        !(delta > 0 && delta < 1) ||
        (i == PAPER_SCD && !(rate > 0 && rate < 1)))
        return error_set(error, SOTTO_USAGE,
                         "expected T from 1 to 1e12, epsilon above 0, delta "
                         "between 0 and 1, and for DP-SCD q between 0 and 1");
    if ((bounded && epsilon > 1) || (i == PAPER_CD && delta >= 1 / 3.0))
        return error_set(error, SOTTO_USAGE,
                         "the paper says nothing about this target: %s",
                         papers[i].formula);
    if (i == PAPER_CD)
        *out = sqrt(3 * steps * need) / epsilon;
    else if (i == PAPER_CD_RDP)
        *out = 1 / paper_solve(paper_rdp, steps, rate, epsilon, delta);
    else if (i == PAPER_GCD)
        *out = 4 * sqrt(steps * need) / epsilon;
    else if (i == PAPER_GCD_NUMERIC)
        *out = 1 / paper_solve(paper_advanced, steps, rate, epsilon, delta);
    else
        *out =
            M_SQRT2 / paper_solve(paper_moments, steps, rate, epsilon, delta);
    return SOTTO_OK;
}
