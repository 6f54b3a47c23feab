/*
 * DP-SCD: stochastic coordinate descent on the dual, after Damaskinos,
 * Mendler-Dünner, Guerraoui, Papandreou and Parnell, "Differentially private
 * stochastic coordinate descent":
 *
 *   v = 0, all dual variables 0 (and hidden by the curator)
 *   for t = 1 ... T:  w = v / (lambda n0)
 *       a secret batch moves its dual variables at w;  v = v + that + noise
 *
 * v is kept as integers, so nothing is lost by adding up. What is left is w
 * at the end, or its average over the last steps: averaging is
 * post-processing.
 */
#include "solver.h"

#include <math.h>

typedef struct scd_state {
    const solver_problem *problem;
    const scd_settings *settings;
    curator *curator;
    int64_t *v, *move;
    double *weight, *sum;
} scd_state;

/* The shared vector stays where it is rather than go round. */
static int64_t scd_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static sotto_status scd_step(scd_state *s, sotto_error *error)
{
    const scd_settings *set = s->settings;
    double unit, rows = curator_rows(s->curator);
    /* no fewer than one record moves at once */
    ask_dual at = {.weight = s->weight,
                   .l2 = s->problem->l2,
                   .at_once =
                       set->sequence ? 1 / rows : fmax(set->rate, 1 / rows),
                   .clip = set->clip,
                   .shake = set->shake};
    sotto_status status =
        (set->sequence ? curator_ask_sequence : curator_ask_dual)(
            s->curator, &at, s->move, &unit, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t j = 0; j < s->problem->features; j++) {
        s->v[j] = scd_add(s->v[j], s->move[j]);
        s->weight[j] = (double)s->v[j] * unit / (s->problem->l2 * rows);
    }
    return SOTTO_OK;
}

static sotto_status scd_steps(scd_state *s, solver_progress progress,
                              void *context, sotto_error *error)
{
    int64_t steps = s->settings->steps, p = s->problem->features;
    int64_t tail = (int64_t)ceil(s->settings->average * (double)steps);
    tail = tail < 1 ? 1 : tail;
    for (int64_t t = 0; t < steps; t++) {
        sotto_status status = scd_step(s, error);
        if (status != SOTTO_OK)
            return status;
        for (int64_t j = 0; t >= steps - tail && j < p; j++)
            s->sum[j] += s->weight[j] / (double)tail;
        if (progress && progress(context, (double)(t + 1) / (double)steps))
            return error_set(error, SOTTO_INTERRUPTED, "interrupted");
    }
    return SOTTO_OK;
}

sotto_status scd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const scd_settings *settings, solver_progress progress,
                     void *context, sotto_error *error)
{
    scd_state s = {.problem = p, .settings = settings, .curator = c};
    size_t count = (size_t)p->features;
    s.v = mem_zeroed(count, sizeof *s.v);
    s.move = mem_zeroed(count, sizeof *s.move);
    s.weight = mem_zeroed(count, sizeof *s.weight);
    s.sum = mem_zeroed(count, sizeof *s.sum);
    sotto_status status = s.v && s.move && s.weight && s.sum
                              ? scd_steps(&s, progress, context, error)
                              : error_memory(error);
    double noise = curator_noise(c) / (p->l2 * curator_rows(c));
    for (size_t j = 0; status == SOTTO_OK && j < count; j++) {
        out->weight[j] = s.sum[j];
        solver_note(out, p, (int64_t)j, noise);
    }
    out->intercept = 0;
    mem_free(s.v);
    mem_free(s.move);
    mem_free(s.weight);
    mem_free(s.sum);
    return status;
}
