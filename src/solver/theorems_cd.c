/*
 * DP-CD's Theorems 3.3 and 4.1, as their proofs end. Where print and proof
 * differ a row says so; docs/explain/papers.md has the reasons.
 */
#include "theorems.h"

const theory_constant theory_cd_constants[] = {
    ROWS_CONSTANT,
    COLUMNS_CONSTANT,
    BUDGET_CONSTANTS,
    {THEORY_L, "L",
     "the square root of the sum of L_j^2 / M_j, L_j bounding a record's "
     "partial derivative, M_j the smoothness",
     NAN, 0, INFINITY, 0, 0},
    {THEORY_R, "R",
     "the larger of the start's distance from the optimum, in the norm that "
     "M weights, and the square root of the start's error",
     NAN, 0, INFINITY, 0, 0},
    {THEORY_MU, "mu", "strong convexity in the norm that M weights", NAN, 0,
     INFINITY, 0, 0},
    {THEORY_GAP, "gap", "the start's error", NAN, 0, INFINITY, 0, 0},
    {THEORY_STEPS, "K", "updates of one coordinate, where they are chosen", NAN,
     1, 1e15, 1, 1},
    {THEORY_ROUNDS, "T", "rounds, where they are chosen", NAN, 1, 1e15, 1, 1},
    {THEORY_L2, "L2", "the square root of the sum of L_j^2", NAN, 0, INFINITY,
     0, 0},
    {THEORY_NORM, "w", "the Euclidean norm of the optimum", NAN, 0, INFINITY, 0,
     0},
    {THEORY_MU2, "muI", "strong convexity in the Euclidean norm", NAN, 0,
     INFINITY, 0, 0},
    {.name = NULL}};

/* The noise's part for one update. */
static double cd_noise(const theory_values *v)
{
    return 12 * AT(L) * AT(L) * theory_log(v) / theory_budget(v);
}

static double cd_convex(const theory_values *v, double steps)
{
    return 1.5 * AT(P) * AT(R) * AT(R) / steps + cd_noise(v) * steps;
}

static double cd_convex_steps(const theory_values *v)
{
    return AT(R) * sqrt(AT(P)) * AT(N) * AT(EPSILON) /
           (AT(L) * sqrt(8 * theory_log(v)));
}

/* Updates of a round, a whole number; what rounding adds is no update. */
static double cd_round(const theory_values *v)
{
    return ceil(2 * AT(P) * (1 + 1 / AT(MU)) * (1 - 1e-13));
}

static double cd_strong(const theory_values *v, double rounds)
{
    return theory_power(.5, rounds) * AT(GAP) +
           2 * cd_noise(v) * cd_round(v) * rounds;
}

static double cd_strong_rounds(const theory_values *v)
{
    return log2(
        AT(GAP) * theory_budget(v) /
        (24 * AT(P) * (1 + 1 / AT(MU)) * AT(L) * AT(L) * theory_log(v)));
}

static const char *cd_silent(const theory_values *v)
{
    return AT(EPSILON) <= 1 && AT(DELTA) < 1. / 3
               ? NULL
               : "it is proven for epsilon up to 1 and delta below 1/3";
}

static double cd_least_convex(const theory_values *v, double steps)
{
    (void)steps;
    return AT(L2) * AT(NORM) * fmin(1, sqrt(AT(P)) / (AT(N) * AT(EPSILON)));
}

static double cd_least_strong(const theory_values *v, double steps)
{
    (void)steps;
    return AT(L2) * AT(L2) / AT(MU2) * fmin(1, AT(P) / theory_budget(v));
}

static const char *cd_least_silent(const theory_values *v)
{
    return AT(DELTA) * AT(N) < 1
               ? NULL
               : "it is about delta far below 1/n (delta = o(1/n))";
}

#define CD_ASSUMES                                                             \
    "steps 1/M_j, the noise of Theorem 3.1 (for replaced records), "           \
    "coordinates drawn uniformly; a mean over runs"
#define CD_LEAST_ASSUMES                                                       \
    "any (epsilon, delta)-private algorithm, on the worst data for it; L_j "   \
    "balanced: any p/75 of them hold a fixed part of the sum of squares"
#define CD_LEAST_NOTE(number)                                                  \
    "the paper leaves the constant out (Omega): this is no number that an "    \
    "error can be held against. The theorem also leaves out the minimum with " \
    "1, which its proof, " number ", has"

const theory_theorem theory_cd_theorems[] = {
    {.name = "Theorem 3.3, convex: (67)",
     .formula = "3 p R^2 / (2 K) + 12 L^2 K ln(1/delta) / (n epsilon)^2",
     .assumes = CD_ASSUMES,
     .note = "(69) prints 2 sqrt(8) for (3/2) sqrt(8); what follows from it, "
             "(68), is right",
     .needs = NEEDS_BUDGET | NEEDS(L) | NEEDS(R),
     .steps = THEORY_STEPS,
     .value = cd_convex,
     .chosen = cd_convex_steps,
     .chosen_is = "the paper's choice",
     .has_best = 1,
     .silent = cd_silent},
    {.name = "Theorem 3.3, strongly convex: (75)",
     .formula = "gap / 2^T + 24 K T L^2 ln(1/delta) / (n epsilon)^2 after T "
                "rounds of K = 2 p (1 + 1/mu) updates, rounded up",
     .assumes = CD_ASSUMES,
     .note = "(70) and (71) print half of the second term, which their proof, "
             "(75), does not give; for T (70) and its proof print different "
             "numbers: the proof's is taken",
     .needs = NEEDS_BUDGET | NEEDS(L) | NEEDS(MU) | NEEDS(GAP),
     .steps = THEORY_ROUNDS,
     .value = cd_strong,
     .chosen = cd_strong_rounds,
     .chosen_is = "the paper's choice",
     .has_best = 1,
     .silent = cd_silent},
    {.name = "Theorem 4.1, convex, a lower bound: (114)",
     .formula = "L2 w min(1, sqrt(p) / (n epsilon))",
     .assumes = CD_LEAST_ASSUMES,
     .note = CD_LEAST_NOTE("(114)"),
     .says = THEORY_RATE_LEAST,
     .needs = NEEDS_BUDGET | NEEDS(L2) | NEEDS(NORM),
     .steps = THEORY_NONE,
     .value = cd_least_convex,
     .silent = cd_least_silent},
    {.name = "Theorem 4.1, strongly convex, a lower bound: (124)",
     .formula = "L2^2 / muI min(1, p / (n epsilon)^2)",
     .assumes = CD_LEAST_ASSUMES,
     .note = CD_LEAST_NOTE("(124)"),
     .says = THEORY_RATE_LEAST,
     .needs = NEEDS_BUDGET | NEEDS(L2) | NEEDS(MU2),
     .steps = THEORY_NONE,
     .value = cd_least_strong,
     .silent = cd_least_silent},
    {.name = NULL}};
