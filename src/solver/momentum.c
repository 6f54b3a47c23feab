/*
 * Directions whose curvature is lost in noise have one floor for it. That may
 * be many times too high: where a bound is too loose, or columns are nearly
 * alike. Each step is then a small part of the way, and all rounds together do
 * not get there.
 *
 * So steps that go on the same way become longer (Polyak's heavy ball), by as
 * much of the velocity as is not noise: the positive part of James and Stein.
 * The noise of a step is known, sd in each of these coordinates. A step that
 * goes back stops it (O'Donoghue and Candes, adaptive restart). Elsewhere
 * steps are right as they are, and where the budget is too small for a
 * direction to be told from noise nothing changes.
 */
#include "newton.h"

#include <math.h>
#include <string.h>

#define MOMENTUM_DECAY .9 /* of the velocity, in a round */
#define SIGNIFICANCE_SD                                                        \
    10. /* sd of the squared length of noise: what is more counts */
#define RESTART_SD 1. /* sd: a step that goes back */
#define WARMUP_ROUNDS                                                          \
    8 /* rounds, in which directions that are seen come near */

void momentum_stop(momentum *m)
{
    memset(m->velocity, 0, (size_t)m->d * sizeof *m->velocity);
    m->variance = 0;
}

/* The step to `to` in coordinate e of the map. */
static double step_in(const momentum *m, const double *to, int64_t e)
{
    double sum = 0;
    for (int64_t j = 0; j < m->d; j++)
        sum += m->vector[j * m->d + e] * (to[j] - m->from[j]);
    return sum * sqrt(m->curvature * m->value[e]);
}

/* The velocity after a step to `to`; what part of it is no noise. */
static double momentum_part(momentum *m, const double *to, double sd)
{
    double dot = 0, before = 0, square = 0, hidden = 0;
    for (int64_t e = 0; e < m->d; e++) {
        m->step[e] = m->hidden[e] > 0 ? step_in(m, to, e) : 0;
        dot += m->step[e] * m->velocity[e];
        before += m->velocity[e] * m->velocity[e];
        hidden += m->hidden[e];
    }
    if (dot < -RESTART_SD * sd * sqrt(before))
        momentum_stop(m);
    for (int64_t e = 0; e < m->d; e++) {
        m->velocity[e] = MOMENTUM_DECAY * m->velocity[e] + m->step[e];
        square += m->velocity[e] * m->velocity[e];
    }
    m->variance = MOMENTUM_DECAY * MOMENTUM_DECAY * m->variance + sd * sd;
    double noise = m->variance * (hidden + SIGNIFICANCE_SD * sqrt(2 * hidden));
    return square > noise ? 1 - noise / square : 0;
}

void momentum_step(momentum *m, double *v, double sd)
{
    double part = m->rounds++ < WARMUP_ROUNDS ? 0 : momentum_part(m, v, sd);
    for (int64_t e = 0; part > 0 && e < m->d; e++) {
        double by = part * (m->velocity[e] - m->step[e]) /
                    sqrt(m->curvature * m->value[e]);
        for (int64_t j = 0; m->hidden[e] > 0 && j < m->d; j++)
            v[j] += by * m->vector[j * m->d + e];
    }
    memcpy(m->from, v, (size_t)m->d * sizeof *m->from);
}
