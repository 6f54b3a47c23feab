/*
 * DP-CD, Algorithm 1 of Mangold, Bellet, Salmon and Tommasi, "Differentially
 * private coordinate descent for composite empirical risk minimization":
 *
 *   for t = 0 ... T-1:  theta = w
 *       for k = 0 ... K-1:  pick j
 *           theta_j = prox(theta_j - gamma_j (grad_j + noise), gamma_j psi_j)
 *       w = the average of the thetas
 *
 * Which j is a public choice. The average may be that of the last part of a
 * round (averaging is post-processing).
 */
#include "solver.h"

#include <math.h>
#include <string.h>

typedef struct cd_state {
    const solver_problem *problem;
    const cd_settings *settings;
    curator *curator;
    const solver_answer *out;
    int64_t coordinates; /* features, and the intercept */
    double *theta, *sum, *clip;
    int64_t *order;
    uint64_t random; /* public: which coordinate is next, no more */
} cd_state;

/* ---- which coordinate ---- */

/* A public sequence (splitmix64): nothing secret hangs on it. */
static uint64_t cd_random(cd_state *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void cd_shuffle(cd_state *s)
{
    for (int64_t i = s->coordinates - 1; i > 0; i--) {
        int64_t k = (int64_t)(cd_random(s) % (uint64_t)(i + 1));
        int64_t other = s->order[i];
        s->order[i] = s->order[k];
        s->order[k] = other;
    }
}

static int64_t cd_pick(cd_state *s, int64_t step)
{
    if (s->settings->order == CD_UNIFORM)
        return (int64_t)(cd_random(s) % (uint64_t)s->coordinates);
    int64_t place = step % s->coordinates;
    if (place == 0 && s->settings->order == CD_PERMUTED)
        cd_shuffle(s);
    return s->order[place];
}

/* ---- thresholds and steps ---- */

static void cd_clips(cd_state *s)
{
    const double *m = s->settings->smoothness;
    double sum = 0;
    for (int64_t j = 0; j < s->coordinates; j++)
        sum += m[j];
    for (int64_t j = 0; j < s->coordinates; j++)
        s->clip[j] = s->settings->clip * sqrt(m[j] / sum);
}

/* theta_j moves to the prox of a noisy gradient step. */
static sotto_status cd_step(cd_state *s, int64_t j, sotto_error *error)
{
    double gradient,
        gamma = s->settings->step_size / s->settings->smoothness[j];
    sotto_status status = curator_ask_partial(s->curator, j, &gradient, error);
    if (status != SOTTO_OK)
        return status;
    solver_note(s->out, s->problem, j, gamma * curator_noise(s->curator));
    double to = s->theta[j] - gamma * gradient;
    if (j < s->problem->features) /* the intercept has no penalty */
        to = solver_prox(s->problem, to, gamma);
    s->theta[j] += curator_tell(s->curator, j, to - s->theta[j]);
    return SOTTO_OK;
}

/* ---- rounds ---- */

/* Moves the iterate to the average, coordinate by coordinate. */
static void cd_restart(cd_state *s, int64_t averaged)
{
    for (int64_t j = 0; j < s->coordinates; j++) {
        double mean = s->sum[j] / (double)averaged;
        s->theta[j] += curator_tell(s->curator, j, mean - s->theta[j]);
        s->sum[j] = 0;
    }
}

/*
 * The sum of the iterates from step `from` on. Only theta_j changes in a
 * step, so each coordinate is added when it changes, for the steps it stayed
 * as it was.
 */
static void cd_add(cd_state *s, int64_t j, double value, int64_t times)
{
    s->sum[j] += value * (double)times;
}

static sotto_status cd_round(cd_state *s, int64_t round,
                             solver_progress progress, void *context,
                             sotto_error *error)
{
    const cd_settings *set = s->settings;
    int64_t tail = (int64_t)ceil(set->average * (double)set->steps);
    tail = tail < 1 ? 1 : tail;
    int64_t from = set->steps - tail;
    for (int64_t k = 0; k < set->steps; k++) {
        int64_t j = cd_pick(s, round * set->steps + k);
        double before = s->theta[j];
        sotto_status status = cd_step(s, j, error);
        if (status != SOTTO_OK)
            return status;
        /* counted from here to the end; what it was is taken off again */
        if (k >= from)
            cd_add(s, j, s->theta[j] - before, set->steps - k);
        if (k + 1 == from || (from == 0 && k == 0))
            for (int64_t i = 0; i < s->coordinates; i++)
                cd_add(s, i,
                       from ? s->theta[i] : (i == j ? before : s->theta[i]),
                       tail);
        double share = (double)(round * set->steps + k + 1) /
                       (double)(set->rounds * set->steps);
        if (progress && progress(context, share))
            return error_set(error, SOTTO_INTERRUPTED, "interrupted");
    }
    cd_restart(s, tail);
    return SOTTO_OK;
}

static int cd_memory(cd_state *s)
{
    size_t count = (size_t)s->coordinates;
    s->theta = mem_zeroed(count, sizeof *s->theta);
    s->sum = mem_zeroed(count, sizeof *s->sum);
    s->clip = mem_zeroed(count, sizeof *s->clip);
    s->order = mem_zeroed(count, sizeof *s->order);
    for (int64_t j = 0; s->order && j < s->coordinates; j++)
        s->order[j] = j;
    return s->theta && s->sum && s->clip && s->order;
}

sotto_status cd_run(solver_answer *out, curator *c, const solver_problem *p,
                    const cd_settings *settings, solver_progress progress,
                    void *context, sotto_error *error)
{
    cd_state s = {.problem = p, .settings = settings, .curator = c, .out = out};
    s.coordinates = p->features + p->intercept;
    sotto_status status = cd_memory(&s) ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK && settings->order != CD_CYCLIC)
        status = curator_public_word(c, &s.random, error);
    if (status == SOTTO_OK) {
        cd_clips(&s);
        status = curator_tell_clips(c, s.clip, error);
    }
    for (int64_t t = 0; t < settings->rounds && status == SOTTO_OK; t++)
        status = cd_round(&s, t, progress, context, error);
    if (status == SOTTO_OK) {
        memcpy(out->weight, s.theta, (size_t)p->features * sizeof *out->weight);
        out->intercept = p->intercept ? s.theta[p->features] : 0;
    }
    mem_free(s.theta);
    mem_free(s.sum);
    mem_free(s.clip);
    mem_free(s.order);
    return status;
}
