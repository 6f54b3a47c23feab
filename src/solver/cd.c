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
#include "cd.h"

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

static double cd_prox(const cd_state *s, int64_t j, double v, double step)
{
    const double *unit = s->settings->unit;
    if (j >= s->problem->features) /* the intercept has no penalty */
        return v;
    solver_problem own = solver_in_unit(s->problem, unit ? unit[j] : 1);
    return solver_prox(&own, v, step);
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
    double to = cd_prox(s, j, s->theta[j] - gamma * gradient, gamma);
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
        status = solver_tell(progress, context,
                             solver_rounds("steps", round * set->steps + k + 1,
                                           set->rounds * set->steps),
                             error);
        if (status != SOTTO_OK)
            return status;
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

/* ---- planning it ---- */

static const solver_option cd_options[] = {
    {OPTION_PASSES, "20", "how often each coordinate is asked for in a round"},
    {OPTION_STEPS, "passes x coordinates", "steps in a round, instead"},
    {OPTION_ROUNDS, "1", "rounds, each of which starts at the last average"},
    {OPTION_STEP_SIZE, "1", "steps are X / M_j"},
    {OPTION_ORDER, "permuted",
     "which coordinate is next; public: uniform, permuted or cyclic"},
    {OPTION_AVERAGE, "0.5", "the last part of a round that is averaged"},
    {OPTION_CLIP, "sqrt(sum M / curvature)",
     "a record's part of coordinate j is at most C sqrt(M_j / sum M)"},
    SOLVER_SMOOTHNESS,
    SOLVER_PENALTY_UNITS,
    {0}};

static const solver_option cd_paper_options[] = {
    {OPTION_CALIBRATION, "exact",
     "the noise: exact accounting, or the paper's eq. 18 (rdp, paper) or its "
     "Theorem 3.1 (theorem)"},
    {0}};

/* ---- settings ---- */

static int64_t cd_rounds(const sotto_options *options)
{
    return (int64_t)solver_number(options, &solver_cd, OPTION_ROUNDS);
}

/* Steps in a round: given, or so many passes over all coordinates. */
static int64_t cd_steps(const sotto_options *options, int64_t coordinates)
{
    if (option_given(options, OPTION_STEPS))
        return option_integer(options, OPTION_STEPS);
    return coordinates *
           (int64_t)solver_number(options, &solver_cd, OPTION_PASSES);
}

static cd_order cd_order_of(const sotto_options *options)
{
    return option_is(options, OPTION_ORDER, "uniform")  ? CD_UNIFORM
           : option_is(options, OPTION_ORDER, "cyclic") ? CD_CYCLIC
                                                        : CD_PERMUTED;
}

static double cd_sum(const solver_run *r)
{
    double sum = 0;
    for (int64_t j = 0; j < r->facts.features + r->problem.intercept; j++)
        sum += r->smooth.m[j];
    return sum;
}

/* Without --clip: a record's slope is about 1, and then its part of
   coordinate j about sqrt(M_j / curvature). */
static double cd_clip(const solver_run *r)
{
    return option_given(r->options, OPTION_CLIP)
               ? option_number(r->options, OPTION_CLIP)
               : sqrt(cd_sum(r) / loss_curvature_bound(&r->problem.loss));
}

static cd_settings cd_make_settings(const solver_run *r)
{
    const sotto_options *o = r->options;
    int64_t coordinates = r->facts.features + r->problem.intercept;
    return (cd_settings){
        .rounds = cd_rounds(o),
        .steps = cd_steps(o, coordinates),
        .step_size = solver_number(o, &solver_cd, OPTION_STEP_SIZE),
        .clip = cd_clip(r),
        .average = solver_number(o, &solver_cd, OPTION_AVERAGE),
        .order = cd_order_of(o),
        .smoothness = r->smooth.m};
}

/* Thresholds are C sqrt(M_j / sum M). */
static sotto_status cd_ready(const solver_run *r, sotto_error *error)
{
    if (!r->smooth.m || isinf(cd_clip(r)))
        return SOTTO_OK;
    return solver_check_thresholds(r, cd_clip(r) / sqrt(cd_sum(r)),
                                   SOLVER_LEAST_CLIP, SOLVER_MOST_CLIP, error);
}

/* ---- noise ---- */

/* The DP-CD paper's own formulas; the statement gives what they cost. */
static sotto_status cd_paper_noise(solver_run *r, sotto_error *error)
{
    int theorem = option_is(r->options, OPTION_CALIBRATION, "theorem");
    ask_item *item = &r->plan.item[0];
    double z = 1;
    if (r->plan.items > 1)
        return error_set(error, SOTTO_USAGE,
                         "--calibration: the paper knows no questions but "
                         "partial derivatives; expected --rows N or another "
                         "adjacency, and --smoothness bounds or FILE");
    sotto_status status =
        solver_paper_multiplier(r, theorem ? "dp-cd-3.1" : "dp-cd-18",
                                (double)item->count, 1, &z, error);
    item->level = 1 / z;
    return status;
}

static sotto_status cd_plan(solver_run *r, sotto_error *error)
{
    double left,
        asked = (double)cd_steps(r->options,
                                 r->facts.features + r->problem.intercept) *
                (double)cd_rounds(r->options);
    if (asked > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--rounds, --steps, --passes: at most 1e9 questions "
                         "in all");
    if (option_is(r->options, OPTION_PENALTY_UNITS, "spread"))
        return error_set(error, SOTTO_USAGE,
                         "--penalty-units spread: --solver cd does not ask "
                         "how widely columns are spread; expected fit or "
                         "file");
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(
        r, (ask_item){.kind = ASK_PARTIAL,
                      .count = (int64_t)asked,
                      .level = solver_level(ASK_GAUSSIAN, left, asked)});
    if (r->facts.without_noise)
        return SOTTO_OK;
    return solver_is(r->options, &solver_cd, OPTION_CALIBRATION, "exact")
               ? solver_calibrate(r, error)
               : cd_paper_noise(r, error);
}

static sotto_status cd_train(const solver_run *r, solver_answer *out,
                             sotto_error *error)
{
    solver_problem own = r->problem;
    cd_settings settings = cd_make_settings(r);
    double *unit = NULL;
    if (r->units.of_file) {
        unit = solver_file_units(r, &own);
        if (!unit)
            return error_memory(error);
    }
    settings.unit = unit;
    sotto_status status = cd_run(out, r->curator, &own, &settings, r->progress,
                                 r->context, error);
    mem_free(unit);
    return status;
}

const solver_row solver_cd = {.summary = "coordinate descent",
                              .options = cd_options,
                              .paper_options = cd_paper_options,
                              .smooth = 1,
                              .needs = &solver_needs_smooth,
                              .plan = cd_plan,
                              .ready = cd_ready,
                              .run = cd_train};
