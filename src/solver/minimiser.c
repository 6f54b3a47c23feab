/*
 * The rivals that ask once. Output perturbation (Chaudhuri, Monteleoni and
 * Sarwate 2011): the minimiser, and noise on it. Objective perturbation, as
 * approximate minima perturbation (Iyengar et al. 2019): the minimiser of an
 * objective with a random linear part, and a little noise on that. All the
 * work is the curator's; what is left is to go back into the box.
 */
#include "solver.h"

#include <math.h>

sotto_status minimiser_run(solver_answer *out, curator *c,
                           const solver_problem *p, ask_kind kind,
                           sotto_error *error)
{
    ask_penalty penalty = {p->l1, p->l2, p->low, p->high};
    sotto_status status =
        curator_ask_minimiser(c, kind, &penalty, out->weight, error);
    out->intercept = 0;
    for (int64_t j = 0; status == SOTTO_OK && j < p->features; j++) {
        out->weight[j] = fmin(fmax(out->weight[j], p->low), p->high);
        if (kind == ASK_MINIMISER) /* else the curvature is not known */
            solver_note(out, p, j, curator_noise(c));
    }
    return status;
}
