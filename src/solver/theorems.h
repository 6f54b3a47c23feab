/*
 * What the files of theorems share. A function of values v says AT(N) for n.
 */
#ifndef SOTTO_THEOREMS_H
#define SOTTO_THEOREMS_H

#include "theory.h"

#include <math.h>
#include <stddef.h>

#define NEEDS(id) THEORY_BIT(THEORY_##id)
#define NEEDS_BUDGET (NEEDS(N) | NEEDS(P) | NEEDS(EPSILON) | NEEDS(DELTA))
#define AT(id) (v->at[THEORY_##id])
#define ROWS_CONSTANT                                                          \
    {                                                                          \
        THEORY_N, "n", "the number of rows", NAN, 1, INFINITY, 1, 1            \
    }
#define COLUMNS_CONSTANT                                                       \
    {                                                                          \
        THEORY_P, "p", "the number of coordinates", NAN, 1, INFINITY, 1, 1     \
    }
#define BUDGET_CONSTANTS                                                       \
    {THEORY_EPSILON, "--epsilon", "the budget", NAN, 0, INFINITY, 0, 0},       \
    {                                                                          \
        THEORY_DELTA, "--delta", "the budget", NAN, 0, 1, 0, 0                 \
    }

/* At least (1 - less)^steps for less in [0, 1], as exact for many steps as for
   few. Below e^-450, or 3.7e-196, it counts as that, which is more: so times a
   start's error it is never too small for a double. */
static inline double theory_power(double less, double steps)
{
    return exp(fmax(steps * log1p(-less), -450));
}

/* ln(1/delta), not below: a delta near 1 may have been rounded. */
static inline double theory_log(const theory_values *v)
{
    return 4e-16 - log(AT(DELTA));
}

/* n^2 epsilon^2 */
static inline double theory_budget(const theory_values *v)
{
    return AT(N) * AT(N) * AT(EPSILON) * AT(EPSILON);
}

extern const theory_constant theory_cd_constants[], theory_gcd_constants[];
extern const theory_theorem theory_cd_theorems[], theory_gcd_theorems[];

#endif
