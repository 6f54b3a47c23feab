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
 *
 * How far w has to go no public quantity tells, so without --clip the clip
 * follows the answers in the first half of the steps: it doubles where w goes
 * the way that it went before, clearer than noise does, and becomes shorter
 * where w goes back. Noise is a multiple of the clip, so the price of a step
 * is the same for every clip (Lemma C2: clips chosen by way of answers).
 */
#include "scd.h"

#include <math.h>

typedef struct scd_state {
    const solver_problem *problem;
    const scd_settings *settings;
    curator *curator;
    int64_t *v, *move;
    double *kept; /* of the shared vector, from clips before this one */
    double *weight, *sum;
    double clip, unit;    /* and what an integer of v is */
    double *mark, *trend; /* w at the last look, and where it went since the
                             look before, in units of noise */
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
    double rows = curator_rows(s->curator);
    /* no fewer than one record moves at once */
    ask_dual at = {.weight = s->weight,
                   .l2 = s->problem->l2,
                   .at_once =
                       set->sequence ? 1 / rows : fmax(set->rate, 1 / rows),
                   .clip = s->clip,
                   .dual_noise = set->dual_noise};
    sotto_status status =
        (set->sequence ? curator_ask_sequence : curator_ask_dual)(
            s->curator, &at, s->move, &s->unit, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t j = 0; j < s->problem->features; j++) {
        s->v[j] = scd_add(s->v[j], s->move[j]);
        s->weight[j] =
            (s->kept[j] + (double)s->v[j] * s->unit) / (s->problem->l2 * rows);
    }
    return SOTTO_OK;
}

/* ---- the clip follows the answers ---- */

#define LOOKS 24       /* in all steps; the clip moves in the first half */
#define CLEAR_TREND .2 /* of the square of what noise makes of w */
#define LONGER 2
#define SHORTER .7071

/* The square of how far noise and the batches' randomness take w in so many
   steps. */
static double scd_wander(const scd_state *s, double steps)
{
    double rows = curator_rows(s->curator), noise = curator_noise(s->curator);
    double unit = s->problem->l2 * rows;
    double batch = s->settings->rate * rows * s->clip * s->clip;
    double step = (double)s->problem->features * noise * noise + batch;
    return steps * step / (unit * unit);
}

/* How much of where w went is the way that it went before. */
static double scd_agreement(scd_state *s, double steps)
{
    double wander = sqrt(scd_wander(s, steps)), sum = 0;
    for (int64_t j = 0; j < s->problem->features; j++) {
        double went = (s->weight[j] - s->mark[j]) / wander;
        sum += went * s->trend[j];
        s->trend[j] = went;
        s->mark[j] = s->weight[j];
    }
    return sum;
}

static void scd_change_clip(scd_state *s, double clip)
{
    for (int64_t j = 0; j < s->problem->features; j++) {
        s->kept[j] += (double)s->v[j] * s->unit;
        s->v[j] = 0;
    }
    s->clip = clip;
}

static void scd_follow(scd_state *s, int64_t done)
{
    const scd_settings *set = s->settings;
    int64_t apart = set->steps / LOOKS;
    if (!(set->most > 0) || apart < 1 || done % apart || done > set->steps / 2)
        return;
    double agreement = scd_agreement(s, (double)apart), clip = s->clip;
    if (agreement > CLEAR_TREND)
        clip = fmin(clip * LONGER, set->most);
    else if (agreement < 0)
        clip = fmax(clip * SHORTER, set->least);
    if (clip != s->clip)
        scd_change_clip(s, clip);
}

/* ---- all steps ---- */

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
        scd_follow(s, t + 1);
        for (int64_t j = 0; t >= steps - tail && j < p; j++)
            s->sum[j] += s->weight[j] / (double)tail;
        status = solver_tell(progress, context,
                             solver_rounds("steps", t + 1, steps), error);
        if (status != SOTTO_OK)
            return status;
    }
    return SOTTO_OK;
}

static int scd_make(scd_state *s, size_t count)
{
    s->v = mem_zeroed(count, sizeof *s->v);
    s->move = mem_zeroed(count, sizeof *s->move);
    s->kept = mem_zeroed(count, sizeof *s->kept);
    s->weight = mem_zeroed(count, sizeof *s->weight);
    s->sum = mem_zeroed(count, sizeof *s->sum);
    s->mark = mem_zeroed(count, sizeof *s->mark);
    s->trend = mem_zeroed(count, sizeof *s->trend);
    return s->v && s->move && s->kept && s->weight && s->sum && s->mark &&
           s->trend;
}

static void scd_free(scd_state *s)
{
    mem_free(s->v);
    mem_free(s->move);
    mem_free(s->kept);
    mem_free(s->weight);
    mem_free(s->sum);
    mem_free(s->mark);
    mem_free(s->trend);
}

sotto_status scd_run(solver_answer *out, curator *c, const solver_problem *p,
                     const scd_settings *settings, solver_progress progress,
                     void *context, sotto_error *error)
{
    scd_state s = {.problem = p,
                   .settings = settings,
                   .curator = c,
                   .clip = settings->clip};
    size_t count = (size_t)p->features;
    sotto_status status = scd_make(&s, count)
                              ? scd_steps(&s, progress, context, error)
                              : error_memory(error);
    double noise = curator_noise(c) / (p->l2 * curator_rows(c));
    for (size_t j = 0; status == SOTTO_OK && j < count; j++) {
        out->weight[j] = s.sum[j];
        solver_note(out, p, (int64_t)j, noise);
    }
    out->intercept = 0;
    scd_free(&s);
    return status;
}
