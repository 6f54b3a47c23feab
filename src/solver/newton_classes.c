/*
 * The private Newton method for more than two classes (docs/privacy, Lemma
 * C26 for its questions). Weights are a matrix V, of coordinates by classes.
 * The loss of softmax has the curvature (diag p - p p') (x) z z' at a record.
 * The model is D (x) S: S the second moments, and D, of classes by classes,
 *
 *   at first     1.5 (diag r - r r'), r the rates of the classes: exact at the
 *                best constant
 *   then         2 kappa (diag r - r r'): kappa by how much the trace has
 *                fallen, an answer of two numbers in the midst of the first
 *                rounds and at their end
 *   always       with eigenvalues of at most 1/2, which is Boehning's bound for
 *                any point. That alone makes steps K / 2 times too short.
 *
 * The true gradient sums to 0 over classes; so the mean over classes, which is
 * noise, is taken out of each answer.
 *
 * Where each class is learned against all others, the curvature has no entries
 * between classes, and their gradients do not sum to 0. D is the same number
 * for all of them: 1.5 times what is usual for the loss, less where classes are
 * rare, at first; then 1.5 times what the answer says.
 */
#include "newton_classes.h"

#include <math.h>
#include <string.h>

#define MOST_CHANGE 2.2

/* ---- telling ---- */

/* V in the curator's coordinates: sqrt(k lambda) U' V. */
static sotto_status tell(classes_state *c, const double *v, sotto_error *error)
{
    const newton_state *s = c->s;
    int64_t d = c->d, n = c->classes;
    for (int64_t e = 0; e < d; e++) {
        double *row = c->told + e * n;
        memset(row, 0, (size_t)n * sizeof *row);
        double root = sqrt(s->curvature * s->value[e]);
        for (int64_t j = 0; j < d; j++)
            for (int64_t k = 0; k < n; k++)
                row[k] += s->vector[j * d + e] * root * v[j * n + k];
    }
    for (int64_t k = 0; k < d * n; k++)
        c->told[k] = within(c->told[k], -0x1p99, 0x1p99);
    return curator_tell_classes(s->curator, c->told, error);
}

/* ---- a round ---- */

/* Steps in hidden directions go on, for each class by itself. */
static void go_on(classes_state *c)
{
    newton_state *s = c->s;
    double most = 0;
    for (int64_t k = 0; k < c->classes; k++)
        most = fmax(most, c->bend[k]);
    double sd = s->last_sd / s->steeper * s->curvature / most;
    for (int64_t k = 0; k < c->classes; k++) {
        classes_take(c, c->at, k, 0, c->one);
        momentum_step(&c->push[k], c->one, sd);
        classes_put(c, c->one, k, 0, c->at);
    }
}

static void begin_again(classes_state *c)
{
    memset(c->sum, 0, (size_t)(c->d * c->classes) * sizeof *c->sum);
    for (int64_t k = 0; k < c->classes; k++)
        momentum_stop(&c->push[k]);
}

static sotto_status class_round(classes_state *c, int averaged,
                                sotto_error *error)
{
    newton_state *s = c->s;
    int again = 0;
    int64_t cells = c->d * c->classes;
    double clip = newton_clip(s);
    sotto_status status = curator_ask_class_gradient(
        s->curator, clip, c->answer, &s->last_sd, error);
    if (status == SOTTO_OK)
        status = newton_track(s, &again, error);
    if (status != SOTTO_OK)
        return status;
    if (again)
        begin_again(c);
    if (!s->problem->one_versus_rest)
        classes_remove_mean(c->answer, c->d, c->classes);
    status = classes_minimise(c, error);
    if (status != SOTTO_OK)
        return status;
    if (!s->settings->facts.held && !s->problem->one_versus_rest)
        classes_remove_mean(c->next, c->d, c->classes);
    double weight = averaged ? 1 / (clip * clip) : 0;
    for (int64_t k = 0; k < cells; k++) {
        c->at[k] = isfinite(c->next[k]) ? c->next[k] : c->at[k];
        c->sum[k] += weight * c->at[k];
    }
    s->weight_sum += weight;
    go_on(c);
    return tell(c, c->at, error);
}

static sotto_status class_rounds(classes_state *c, solver_progress progress,
                                 void *context, sotto_error *error)
{
    const budget_split *r = &c->s->settings->rule;
    sotto_status status = tell(c, c->at, error);
    for (int64_t t = 0; status == SOTTO_OK && t < r->rounds; t++) {
        if (t == r->first_rounds / 2 || t == r->first_rounds) {
            status = classes_ask_bend(c, error);
            c->s->least_seen = INFINITY;
        }
        if (status == SOTTO_OK)
            status = class_round(c, t >= r->first_rounds, error);
        if (status == SOTTO_OK)
            status =
                solver_tell(progress, context,
                            solver_rounds("rounds", t + 1, r->rounds), error);
    }
    return status;
}

/* ---- the end ---- */

static double price_of(const classes_state *c)
{
    double sum = 0;
    for (int64_t j = 0; j < c->s->p; j++)
        for (int64_t k = 0; k < c->classes; k++) {
            double v = c->at[j * c->classes + k];
            sum += c->s->l1[j] * fabs(v) + c->s->l2[j] * v * v / 2;
        }
    return sum;
}

/* How much of what one record loses or gains counts: twice what it loses by the
   constant, where all classes are as frequent. */
static double most_change(const classes_state *c)
{
    const solver_problem *p = c->s->problem;
    double classes = (double)c->classes;
    if (!p->one_versus_rest)
        return MOST_CHANGE * log(classes);
    return MOST_CHANGE * classes *
           loss_best_constant(&p->loss, 1 / classes, 1).value;
}

static sotto_status average(classes_state *c, sotto_error *error)
{
    newton_state *s = c->s;
    double change = 0, sd = 0;
    double most = most_change(c);
    for (int64_t k = 0; s->weight_sum > 0 && k < c->d * c->classes; k++)
        c->at[k] = c->sum[k] / s->weight_sum;
    sotto_status status = tell(c, c->at, error);
    if (status != SOTTO_OK || s->settings->rule.guard == 0)
        return status;
    status = curator_ask_class_change(s->curator, c->constant, most, &change,
                                      &sd, error);
    s->is_constant =
        change + price_of(c) > newton_doubt(&s->settings->rule) * sd &&
        s->problem->low <= 0 && s->problem->high >= 0;
    return status;
}

/* The mean over classes is taken out of the answers of softmax, and with it the
   noise along (1, ..., 1). So an axis lets through what of it is across. */
static void hold_back_mean(const classes_state *c)
{
    int64_t n = c->classes;
    for (int64_t i = 0; !c->s->problem->one_versus_rest && i < n; i++) {
        double along = 0;
        for (int64_t k = 0; k < n; k++)
            along += c->axis[k * n + i];
        double across = 1 - along * along / (double)n;
        c->bend[i] = across > 1e-9 ? c->bend[i] / sqrt(across) : INFINITY;
    }
}

/* The last answer's noise in a weight, where no penalty holds it back. */
static double noise_in(const classes_state *c, int64_t j, int64_t k)
{
    const newton_state *s = c->s;
    double square = 0, turned = 0;
    for (int64_t e = 0; e < c->d; e++)
        square += s->map[j * c->d + e] * s->map[j * c->d + e];
    for (int64_t i = 0; i < c->classes; i++) {
        double part = c->axis[k * c->classes + i] * s->curvature / c->bend[i];
        turned += part * part;
    }
    return s->last_sd * sqrt(square * turned) / s->steeper /
           s->columns.scale[j];
}

/* The intercept of class k where the constant is released. */
static double constant_of(const classes_state *c, int64_t k)
{
    return c->s->problem->one_versus_rest ? c->s->response.class_released[k]
                                          : c->constant[k];
}

static void finish(const classes_state *c, solver_answer *out)
{
    const newton_state *s = c->s;
    int64_t p = s->problem->features, n = c->classes;
    hold_back_mean(c);
    for (int64_t k = 0; k < n; k++) {
        double centre = 0;
        for (int64_t j = 0; j < s->p; j++) {
            double weight = c->at[j * n + k] / s->columns.scale[j];
            centre += weight * s->columns.centre[j];
            int64_t at = k * p + newton_feature(s, j);
            out->weight[at] = s->is_constant ? 0 : weight;
            if (out->noise)
                out->noise[at] = s->is_constant ? 0 : noise_in(c, j, k);
        }
        if (s->problem->intercept)
            out->class_intercept[k] = s->is_constant
                                          ? constant_of(c, k)
                                          : c->at[s->p * n + k] - centre;
    }
    for (int64_t j = 0; s->settings->by_spread && out->spread && j < s->p; j++)
        out->spread[newton_feature(s, j)] = s->columns.spread[j];
}

/* ---- a run ---- */

static int take_memory(classes_state *c)
{
    int64_t d = c->d, n = c->classes, cells = d * n, next = 0;
    int64_t count = 6 * cells + n * n + 2 * n + 3 * d + d * d + 3 * cells;
    double **large[] = {&c->at,   &c->sum,  &c->answer,
                        &c->next, &c->back, &c->told};
    double **small[] = {&c->one, &c->from, &c->to};
    c->memory = mem_zeroed((size_t)count, sizeof *c->memory);
    c->push = mem_zeroed((size_t)n, sizeof *c->push);
    if (!c->memory || !c->push)
        return 0;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++, next += cells)
        *large[i] = c->memory + next;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++, next += d)
        *small[i] = c->memory + next;
    c->h = c->memory + next;
    c->axis = c->h + d * d;
    c->bend = c->axis + n * n;
    c->constant = c->bend + n;
    for (int64_t k = 0; k < n; k++) {
        double *own = c->constant + n + 3 * k * d;
        c->push[k] = c->s->push;
        c->push[k].velocity = own;
        c->push[k].step = own + d;
        c->push[k].from = own + 2 * d;
    }
    return 1;
}

/* From the best constant, and from the weights that there are. */
static void begin(classes_state *c, const double *start)
{
    const newton_state *s = c->s;
    int64_t n = c->classes;
    double mean = 0, *intercept = c->at + s->p * n;
    for (int64_t k = 0; !s->problem->one_versus_rest && k < n; k++)
        mean += s->response.margin[k] / (double)n;
    for (int64_t k = 0; s->problem->intercept && k < n; k++)
        intercept[k] = c->constant[k] = s->response.margin[k] - mean;
    for (int64_t j = 0; start && j < s->p; j++)
        for (int64_t k = 0; k < n; k++) {
            c->at[j * n + k] = start[j * n + k] * s->columns.scale[j];
            if (s->problem->intercept)
                intercept[k] += start[j * n + k] * s->columns.centre[j];
        }
    for (int64_t k = 0; k < n; k++)
        classes_take(c, c->at, k, 0, c->push[k].from);
}

sotto_status newton_classes_run(newton_state *s, solver_answer *out,
                                const double *start, solver_progress progress,
                                void *context, sotto_error *error)
{
    classes_state c = {.s = s,
                       .d = s->d,
                       .classes = s->problem->classes,
                       .rate = s->response.rate};
    sotto_status status = solver_tell(
        progress, context, (solver_stage){.name = "curvature"}, error);
    if (status == SOTTO_OK)
        status = newton_matrix(s, error);
    if (status == SOTTO_OK && !take_memory(&c))
        status = error_memory(error);
    if (status == SOTTO_OK)
        status = classes_start_bend(&c, error);
    if (status == SOTTO_OK) {
        newton_penalty(s);
        newton_begin_lengths(s);
        begin(&c, start);
        status = class_rounds(&c, progress, context, error);
    }
    if (status == SOTTO_OK)
        status = average(&c, error);
    if (status == SOTTO_OK)
        finish(&c, out);
    mem_free(c.memory);
    mem_free(c.push);
    return status;
}
