/*
 * DP-GCD's Theorems 4.4 and 4.7, as their proofs end. They are for the paper's
 * noise (Theorem 4.2), not for ours, which is less. Where print and proof
 * differ a row says so; docs/explain/papers.md has the reasons.
 */
#include "theorems.h"

/* With mu up to 4 the powers of 1 - mu/4 fall. */
const theory_constant theory_gcd_constants[] = {
    ROWS_CONSTANT,
    COLUMNS_CONSTANT,
    BUDGET_CONSTANTS,
    {THEORY_L, "L", "the largest L_j, a bound of a record's partial derivative",
     NAN, 0, INFINITY, 0, 0},
    {THEORY_M, "M", "the smallest M_j, the smoothness of a coordinate", NAN, 0,
     INFINITY, 0, 0},
    {THEORY_STEPS, "T", "steps, where they are chosen", NAN, 1, 1e15, 1, 1},
    {THEORY_R, "R",
     "the largest distance from the optimum where the objective is not above "
     "the start's, in the 1-norm that M weights",
     NAN, 0, INFINITY, 1, 0},
    {THEORY_GAP, "gap", "the start's error", NAN, 0, INFINITY, 0, 0},
    {THEORY_MU1, "mu1", "strong convexity in the 1-norm that M weights", NAN, 0,
     4, 0, 0},
    {THEORY_MU2, "mu2", "strong convexity in the 2-norm that M weights", NAN, 0,
     4, 0, 0},
    {THEORY_SPARSE, "s", "how many weights are not 0 on the way, at most", NAN,
     1, INFINITY, 1, 1},
    {THEORY_TAU, "tau", "how many of the optimum's weights are above alpha", 0,
     0, INFINITY, 1, 1},
    {THEORY_ALPHA, "alpha", "what the optimum's other weights do not exceed", 0,
     0, INFINITY, 1, 0},
    {THEORY_M_MOST, "Mmax", "the largest M_j; where alpha is above 0", NAN, 0,
     INFINITY, 0, 0},
    {THEORY_ZETA, "zeta", "with which probability the bound may fail", .05, 0,
     1, 0, 0},
    {.name = NULL}};

/* lambda = 8 L sqrt(T ln(1/delta)) / (n epsilon), of Theorem 4.2. */
static double gcd_beta(const theory_values *v, double steps)
{
    double square =
        64 * AT(L) * AT(L) * steps * theory_log(v) / theory_budget(v);
    double far = log(8 * steps * AT(P) / AT(ZETA));
    return 2 * square / AT(M) * far * far;
}

static double gcd_convex(const theory_values *v, double steps)
{
    return 8 * AT(R) * AT(R) / steps + AT(R) * sqrt(32 * gcd_beta(v, steps));
}

static double gcd_strong(const theory_values *v, double steps)
{
    return theory_power(AT(MU1) / 4, steps) * AT(GAP) +
           4 / AT(MU1) * gcd_beta(v, steps);
}

static double gcd_sparse(const theory_values *v, double steps)
{
    double k = fmin(AT(SPARSE), steps) + AT(TAU);
    double rest = AT(ALPHA) > 0 ? .5 * AT(M_MOST) * (AT(P) - AT(TAU)) *
                                      AT(ALPHA) * AT(ALPHA)
                                : 0;
    return theory_power(AT(MU2) / (4 * k), steps) * AT(GAP) +
           4 * k * gcd_beta(v, steps) / AT(MU2) + rest;
}

static double gcd_share(const theory_values *v)
{
    return AT(M) * theory_budget(v) / (AT(L) * AT(L));
}

static double gcd_convex_steps(const theory_values *v)
{
    return cbrt(gcd_share(v) * AT(R) * AT(R) / (128 * theory_log(v)));
}

static double gcd_strong_steps(const theory_values *v)
{
    double far = log(8 * AT(P) / AT(ZETA));
    return 4 / AT(MU1) *
           log(AT(MU1) * AT(GAP) * gcd_share(v) / (128 * theory_log(v) * far));
}

static double gcd_sparse_steps(const theory_values *v)
{
    return (AT(SPARSE) + AT(TAU)) / AT(MU2) *
           log(AT(GAP) * AT(MU2) * gcd_share(v));
}

static const char *gcd_silent(const theory_values *v)
{
    return AT(EPSILON) <= 1 ? NULL : "it is proven for epsilon up to 1";
}

static const char *gcd_sparse_silent(const theory_values *v)
{
    return AT(TAU) > AT(P) ? "tau is above p"
           : AT(ALPHA) > 0 && isnan(AT(M_MOST))
               ? "where alpha is above 0 it needs Mmax, the largest M_j"
               : gcd_silent(v);
}

#define GCD_ASSUMES                                                            \
    "steps 1/M_j, the noise of Theorem 4.2 (for replaced records; what it "    \
    "guarantees: sotto account --paper list), no penalty but a smooth one; "   \
    "with probability 1 - zeta"
#define GCD_BETA                                                               \
    "; beta = 128 L^2 T ln(1/delta) ln(8 T p / zeta)^2 / (M (n epsilon)^2)"

const theory_theorem theory_gcd_theorems[] = {
    {.name = "Theorem 4.4, convex: (28)",
     .formula = "8 R^2 / T + sqrt(32 R^2 beta)" GCD_BETA,
     .assumes = GCD_ASSUMES "; a start whose error is at least the second term",
     .note = "the appendix defines R by the optimum's level where the start's "
             "is meant",
     .needs = NEEDS_BUDGET | NEEDS(L) | NEEDS(M) | NEEDS(R) | NEEDS(ZETA),
     .steps = THEORY_STEPS,
     .value = gcd_convex,
     .chosen = gcd_convex_steps,
     .chosen_is = "the paper's choice",
     .has_best = 1,
     .silent = gcd_silent},
    {.name = "Theorem 4.4, strongly convex: (54)",
     .formula = "(1 - mu1/4)^T gap + (4 / mu1) beta" GCD_BETA,
     .assumes = GCD_ASSUMES,
     .note = "(50) prints smaller constants than its proof gives, and (55) a "
             "quarter of beta",
     .needs = NEEDS_BUDGET | NEEDS(L) | NEEDS(M) | NEEDS(MU1) | NEEDS(GAP) |
              NEEDS(ZETA),
     .steps = THEORY_STEPS,
     .value = gcd_strong,
     .chosen = gcd_strong_steps,
     .chosen_is = "the paper's choice",
     .has_best = 1,
     .silent = gcd_silent},
    {.name = "Theorem 4.7, quasi-sparse: (58), corrected",
     .formula = "(1 - mu2/(4 k))^T gap + 4 k beta / mu2 + Mmax (p - tau) "
                "alpha^2 / 2 with k = min(s, T) + tau" GCD_BETA,
     .assumes = GCD_ASSUMES "; a start at 0",
     .note = "(58) prints k (p - tau) alpha^2 / 8 as its last term: from (60) "
             "on Mmax of (42) is lost, and from (65) to (66) a factor of 4. "
             "It prints ln(T p / zeta) where Lemma B.1 gives ln(8 T p / zeta)",
     .needs = NEEDS_BUDGET | NEEDS(L) | NEEDS(M) | NEEDS(MU2) | NEEDS(GAP) |
              NEEDS(SPARSE) | NEEDS(TAU) | NEEDS(ALPHA) | NEEDS(ZETA),
     .steps = THEORY_STEPS,
     .value = gcd_sparse,
     .chosen = gcd_sparse_steps,
     .chosen_is = "the paper's choice",
     .has_best = 1,
     .silent = gcd_sparse_silent},
    {.name = NULL}};
