/*
 * DP-GCD, Algorithms 1 and 2 of Mangold, Bellet, Salmon and Tommasi, "High-
 * dimensional private empirical risk minimization by greedy coordinate
 * descent":
 *
 *   for t = 0 ... T-1:
 *       j = the coordinate with the largest noisy score
 *       w_j = prox(w_j - gamma_j (grad_j + noise), gamma_j psi_j)
 *
 * The score is the curator's business: its noise is added to the score
 * itself, never inside the rule (docs/privacy.md, "Choices").
 */
#include "solver.h"

#include <math.h>

/* One step; the weights are where the iterate is. */
static sotto_status gcd_step(solver_answer *out, curator *c,
                             const solver_problem *p, const gcd_settings *s,
                             sotto_error *error)
{
    int64_t j;
    double gradient;
    sotto_status status = curator_ask_choice(c, &j, error);
    if (status == SOTTO_OK)
        status = curator_ask_partial(c, j, &gradient, error);
    if (status != SOTTO_OK)
        return status;
    double gamma = s->step_size / s->smoothness[j];
    double *w = j < p->features ? &out->weight[j] : &out->intercept;
    solver_note(out, p, j, gamma * curator_noise(c));
    double to = *w - gamma * gradient;
    if (j < p->features) /* the intercept has no penalty */
        to = solver_prox(p, to, gamma);
    *w += curator_tell(c, j, to - *w);
    return SOTTO_OK;
}

/* Thresholds c sqrt(M_j): then a score is the paper's |grad_j| / sqrt(M_j),
   and a record changes all scores by the same amount at most. */
static sotto_status gcd_tell(curator *c, const solver_problem *p,
                             const gcd_settings *s, sotto_error *error)
{
    int64_t coordinates = p->features + p->intercept;
    double *clip = mem_zeroed((size_t)coordinates, sizeof *clip);
    if (!clip)
        return error_memory(error);
    for (int64_t j = 0; j < coordinates; j++)
        clip[j] = s->clip * sqrt(s->smoothness[j]);
    ask_scores scores = {.rule = s->rule,
                         .smoothness = s->smoothness,
                         .l1 = p->l1,
                         .l2 = p->l2,
                         .low = p->low,
                         .high = p->high};
    sotto_status status = curator_tell_clips(c, clip, error);
    mem_free(clip);
    return status == SOTTO_OK ? curator_tell_scores(c, &scores, error) : status;
}

sotto_status gcd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const gcd_settings *s, solver_progress progress,
                     void *context, sotto_error *error)
{
    out->intercept = 0;
    for (int64_t j = 0; j < p->features; j++)
        out->weight[j] = 0;
    sotto_status status = gcd_tell(c, p, s, error);
    for (int64_t t = 0; t < s->steps && status == SOTTO_OK; t++) {
        status = gcd_step(out, c, p, s, error);
        if (status == SOTTO_OK && progress &&
            progress(context, (double)(t + 1) / (double)s->steps))
            status = error_set(error, SOTTO_INTERRUPTED, "interrupted");
    }
    return status;
}
