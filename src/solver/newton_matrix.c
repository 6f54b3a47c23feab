/*
 * Steps 4 and 5 of the private Newton method: the noisy second moments, their
 * eigenvalues, and the coordinates in which gradients are asked for.
 */
#include "newton_state.h"

#include <math.h>

#define HIDDEN_NOISE .15 /* of what can be gained, in hidden directions */

/* The noise that T rounds leave in `hidden` directions of rate rho. */
static double walk(double hidden, double rho, double rounds)
{
    double steps = rounds / (1 + rho * rounds);
    return hidden * rho * steps * steps;
}

/* The floor of the eigenvalues that cannot be seen, whose sum is `sum`. */
static double newton_floor(newton_state *s, double visible, double hidden,
                           double sum, double edge)
{
    const budget_split *r = &s->settings->rule;
    double budget = r->strength * r->strength * (r->gradients + r->lengths);
    double floor = fmin(edge / 2, sum);
    for (;; floor *= 1.1) {
        double rho = fmin(1, sum / floor / hidden);
        double extra = walk(hidden, rho, (double)r->rounds);
        s->noise_dimension = visible + extra;
        s->effective_dimension = visible + sum / floor;
        double clip =
            fmax(NEWTON_LEAST_CLIP,
                 1 + .7 * newton_tail(&s->problem->loss, &s->settings->rule,
                                      s->noise_dimension * s->channels));
        double reach = 2 * fmax(clip * s->response.slope, s->response.least);
        double lost = .5 * reach * reach * s->effective_dimension /
                      s->curvature / budget * extra * s->channels;
        s->hidden_lost = lost / (HIDDEN_NOISE * s->response.gain);
        if (lost <= HIDDEN_NOISE * s->response.gain || floor > 1e6 * edge)
            return floor;
    }
}

/* Eigenvalues above the edge of the noise lose their bias; the others get
   one floor. */
static void newton_spectrum(newton_state *s, double sd)
{
    double d = (double)s->d, most = 20 * s->settings->rule.reach * s->trace;
    double edge = fmax(sd * sqrt(2 * d), 1e-9 * s->trace), sum = 0, floor = 0;
    int64_t visible = 0;
    for (int64_t j = 0; j < s->d; j++) {
        double x = s->value[j];
        int seen = x > edge;
        s->value[j] = seen ? (x + sqrt(x * x - edge * edge)) / 2 : 0;
        s->push.hidden[j] = !seen;
        visible += seen;
        sum += s->value[j];
    }
    double hidden = (double)(s->d - visible);
    s->noise_dimension = s->effective_dimension = (double)visible;
    if (hidden > 0) {
        double rest =
            fmin(fmax(s->trace - sum, .05 * s->trace), hidden * edge / 2);
        floor = newton_floor(s, (double)visible, hidden, rest, edge);
    }
    for (int64_t j = 0; j < s->d; j++)
        s->value[j] = fmin(s->value[j] > 0 ? s->value[j] : floor, most);
}

/* map = V / sqrt(k lambda), its inverse, and model = k V lambda V'. */
static void newton_maps(newton_state *s)
{
    int64_t d = s->d;
    matrix_compose(s->value, s->vector, d, s->model);
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < d; b++) {
            s->model[a * d + b] *= s->curvature;
            double root = sqrt(s->curvature * s->value[b]);
            s->map[a * d + b] = s->vector[a * d + b] / root;
            s->inverse[b * d + a] = s->vector[a * d + b] * root;
        }
}

sotto_status newton_matrix(newton_state *s, sotto_error *error)
{
    double sd, sum = 0, reach = sqrt(s->settings->rule.reach * s->trace);
    ask_frame frame = {.feature = s->columns.feature,
                       .features = s->p,
                       .centre = s->columns.centre,
                       .scale = s->columns.scale};
    sotto_status status = curator_tell_frame(s->curator, &frame, error);
    if (status == SOTTO_OK)
        status = curator_ask_matrix(s->curator, reach, s->matrix, &sd, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t j = 0; j < s->d; j++)
        sum += s->matrix[j * s->d + j];
    /* what shortening took off the trace is given back */
    double times = within(s->trace / fmax(sum, 1e-9), 1, 3);
    for (int64_t k = 0; k < s->d * s->d; k++)
        s->matrix[k] *= times;
    status = matrix_eigen(s->matrix, s->d, s->value, s->vector, error);
    if (status != SOTTO_OK)
        return status;
    newton_spectrum(s, sd * times);
    newton_maps(s);
    return curator_tell_map(s->curator, s->map, error);
}
