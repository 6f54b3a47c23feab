/*
 * The theorems of the papers: a row for each, with its formula. Here are those
 * of DP-SCD and of Frank-Wolfe, and the table of papers. Where a theorem is
 * wrong in print its row says so; docs/explain/papers.md has the reasons.
 */
#include "theorems.h"

/* ---- DP-SCD ---- */

static const theory_constant scd_constants[] = {
    ROWS_CONSTANT,
    BUDGET_CONSTANTS,
    {THEORY_L, "L", "the rows of a batch", NAN, 1, INFINITY, 1, 1},
    {THEORY_LAMBDA, "lambda", "the ridge penalty", NAN, 0, INFINITY, 0, 0},
    {THEORY_MU, "mu",
     "1/mu bounds the curvature of the loss: 1 squared, 4 "
     "logistic",
     NAN, 0, INFINITY, 0, 0},
    {THEORY_KAPPA, "kappa", "what clipping loses of a step's gain; 0: nothing",
     0, 0, 1, 1, 0},
    {.name = NULL}};

static double scd_batch(const theory_values *v)
{
    return AT(L) * AT(L) * AT(L) * theory_log(v);
}

static double scd_rate(const theory_values *v, double steps)
{
    (void)steps;
    return scd_batch(v) / (AT(LAMBDA) * AT(N) * AT(N) * theory_budget(v)) *
           log(AT(LAMBDA) * AT(N) * AT(EPSILON) / AT(L) * (1 + 1e-12));
}

static double scd_steps(const theory_values *v, double steps)
{
    (void)steps;
    return log(AT(LAMBDA) * AT(N) * AT(N) * theory_budget(v) / scd_batch(v));
}

static const char *scd_silent(const theory_values *v)
{
    double strong = AT(MU) * AT(LAMBDA);
    return AT(L) > AT(N) ? "L is above n"
           : !(AT(L) * (2 * (1 - AT(KAPPA)) * strong - 1) > strong * AT(N))
               ? "its condition L (2 (1 - kappa) mu lambda - 1) > mu lambda n "
                 "does not hold, and cannot where mu lambda is at most 1"
           : !(AT(LAMBDA) * AT(N) * AT(EPSILON) > AT(L))
               ? "its logarithm of lambda n epsilon / L is not above 0"
           : !(scd_steps(v, 0) > 0) ? "its T is not above 0"
                                    : NULL;
}

#define SCD_ASSUMES                                                            \
    "rows of norm at most 1, each batch at least halves the error (the "       \
    "condition on L), epsilon of the order (L/n)^2 T; of the dual objective, " \
    "a mean over runs"
#define SCD_NOTE                                                               \
    "the paper leaves the constant out (O): this is no number that an error "  \
    "can be held against. Its proof rests on (11), which is not true: for "    \
    "ridge regression noise adds 1 + lambda n times as much"
#define SCD_NEEDS                                                              \
    (NEEDS(N) | NEEDS(EPSILON) | NEEDS(DELTA) | NEEDS(L) | NEEDS(LAMBDA) |     \
     NEEDS(MU) | NEEDS(KAPPA))

static const theory_theorem scd_theorems[] = {
    {.name = "Theorem 2, the error: (12)",
     .formula = "L^3 ln(lambda n epsilon / L) ln(1/delta) / (lambda n^4 "
                "epsilon^2)",
     .assumes = SCD_ASSUMES,
     .note = SCD_NOTE,
     .says = THEORY_RATE,
     .needs = SCD_NEEDS,
     .steps = THEORY_NONE,
     .value = scd_rate,
     .silent = scd_silent},
    {.name = "Theorem 2, the number of batches T",
     .formula = "ln(lambda n^4 epsilon^2 / (L^3 ln(1/delta)))",
     .assumes = SCD_ASSUMES,
     .note = SCD_NOTE,
     .says = THEORY_RATE_STEPS,
     .needs = SCD_NEEDS,
     .steps = THEORY_NONE,
     .value = scd_steps,
     .silent = scd_silent},
    {.name = NULL}};

/* ---- block-coordinate Frank-Wolfe ---- */

static const theory_constant fw_constants[] = {
    {THEORY_GAP, "h0", "the start's error", NAN, 0, INFINITY, 1, 0},
    {THEORY_CURVATURE, "C",
     "the expected curvature of the sampling (Definition 2)", NAN, 0, INFINITY,
     0, 0},
    {THEORY_CHANCE, "pmin", "how likely the rarest block is drawn in a step", 1,
     0, 1, 0, 0},
    {THEORY_RHO, "rho",
     "(D + |T|) rho_g + rho_l |T| for errors of gradient and vertex "
     "(Assumption 1); 0: none",
     0, 0, INFINITY, 1, 0},
    {THEORY_STEPS, "T", "steps: the error after them", NAN, 0, 1e15, 1, 1},
    {THEORY_ERROR, "error", "an error: the steps to it", NAN, 0, INFINITY, 0,
     0},
    {.name = NULL}};

static double fw_top(const theory_values *v)
{
    return 2 * (AT(GAP) + (1 + AT(RHO)) * AT(CURVATURE) / AT(CHANCE));
}

static double fw_bound(const theory_values *v, double steps)
{
    return fw_top(v) / (AT(CHANCE) * steps + 2);
}

/* Rounded up, and a step more where rounding might have lost one. */
static double fw_steps(const theory_values *v)
{
    double steps = (fw_top(v) / AT(ERROR) * (1 + 1e-12) - 2) / AT(CHANCE);
    return isnan(AT(ERROR)) ? NAN : fmax(ceil(steps), 1);
}

static const char *fw_silent(const theory_values *v)
{
    return isnan(AT(STEPS)) && isnan(AT(ERROR))
               ? "it lacks T (steps: the error after them), or error (the "
                 "steps to it)"
               : NULL;
}

static const theory_theorem fw_theorems[] = {
    {.name = "Theorem 1: (11), corrected",
     .formula = "2 (h0 + (1 + rho) C / pmin) / (pmin T + 2)",
     .assumes = "a product of blocks, steps 2/(pmin t + 2), errors of gradient "
                "and vertex that shrink as the steps do: noise of one size "
                "needs a rho that grows with T; a mean over runs",
     .note = "(11) prints C outside of the parenthesis, where it multiplies "
             "h0, an error by an error; Table 1's rows for single samplings "
             "have it inside, and so has the induction. There is no epsilon in "
             "it: Theorem 3, which has one, "
             "leaves its constant out (O)",
     .needs = NEEDS(GAP) | NEEDS(CURVATURE) | NEEDS(CHANCE) | NEEDS(RHO),
     .steps = THEORY_STEPS,
     .value = fw_bound,
     .chosen = fw_steps,
     .chosen_is = "the steps to the error",
     .silent = fw_silent},
    {.name = NULL}};

const theory_paper *theory_paper_at(size_t i)
{
    static const theory_paper papers[] = {
        {"dp-cd",
         "Mangold, Bellet, Salmon, Tommasi, ICML 2022: private coordinate "
         "descent",
         theory_cd_constants, theory_cd_theorems},
        {"dp-gcd",
         "Mangold, Bellet, Salmon, Tommasi, AISTATS 2023: private greedy "
         "coordinate descent",
         theory_gcd_constants, theory_gcd_theorems},
        {"dp-scd",
         "Damaskinos, Mendler-Duenner, Guerraoui, Papandreou, Parnell, AAAI "
         "2021: private stochastic dual coordinate descent",
         scd_constants, scd_theorems},
        {"frank-wolfe",
         "Lou, Cheung, AAAI 2018: block-coordinate Frank-Wolfe under "
         "arbitrary sampling",
         fw_constants, fw_theorems}};
    return i < sizeof papers / sizeof *papers ? &papers[i] : NULL;
}
