/*
 * Sufficient statistics (Vu and Slavkovic 2009; Wang 2018, AdaSSP): for the
 * squared loss the records count by their second moments alone. One question
 * asks for all of them,
 *
 *   S = mean of u u' + noise,  u = (x / scale, 1, y / target scale), shortened
 *                              to the length C
 *
 * and then the least of  v' G v / 2 - v' b + penalty  is found, with G and b
 * parts of S: post-processing, exact coordinate descent. A row that is
 * shortened keeps its equation and counts less, since target and features
 * are shortened together.
 *
 * G's eigenvalues are no less than what noise alone would make them: below
 * that nothing is known of the direction, and a smaller one would let noise
 * in b through.
 */
#include "ssp.h"
#include "planning.h"

#include <math.h>
#include <string.h>

typedef struct ssp_settings {
    double reach;        /* C: rows with their target are shortened to it */
    const double *scale; /* of the features */
    double target_scale;
    const solver_run *run;
} ssp_settings;

typedef struct ssp_state {
    const solver_problem *problem;
    const ssp_settings *settings;
    int64_t d;                     /* features and intercept */
    double *memory, *all;          /* S */
    double *gram, *vector, *value; /* G */
    double *pull, *v, *from;       /* -b; where it ends and begins */
    double *l1, *l2, *low, *high;  /* of v */
    double sd;                     /* of S's diagonal */
    double edge; /* the noise's own largest eigenvalue, about */
} ssp_state;

static int ssp_memory(ssp_state *s)
{
    size_t d = (size_t)s->d, all = (d + 1) * (d + 1);
    double *next = mem_zeroed(all + 2 * d * d + 8 * d, sizeof *next);
    double **small[] = {&s->value, &s->pull, &s->v,   &s->from,
                        &s->l1,    &s->l2,   &s->low, &s->high};
    s->memory = s->all = next;
    if (!next)
        return 0;
    s->gram = next + all;
    s->vector = s->gram + d * d;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        *small[i] = s->vector + d * d + i * d;
    return 1;
}

static sotto_status ssp_ask(ssp_state *s, curator *c, sotto_error *error)
{
    int64_t d = s->d;
    ask_frame frame = {NULL,    s->problem->features,
                       s->from, s->settings->scale,
                       0,       s->settings->target_scale};
    sotto_status status = curator_tell_frame(c, &frame, error);
    if (status == SOTTO_OK)
        status =
            curator_ask_cross(c, s->settings->reach, s->all, &s->sd, error);
    for (int64_t a = 0; status == SOTTO_OK && a < d; a++) {
        memcpy(s->gram + a * d, s->all + a * (d + 1),
               (size_t)d * sizeof *s->gram);
        s->pull[a] = -s->all[a * (d + 1) + d];
    }
    return status;
}

/* G = V diag(value) V', with no eigenvalue below the noise's own. */
static sotto_status ssp_lift(ssp_state *s, sotto_error *error)
{
    int64_t d = s->d;
    double most = 0;
    sotto_status status = matrix_eigen(s->gram, d, s->value, s->vector, error);
    if (status != SOTTO_OK)
        return status;
    for (int64_t e = 0; e < d; e++)
        most = fmax(most, s->value[e]);
    s->edge = fmax(s->sd * sqrt(2 * (double)d), 1e-12 * most);
    for (int64_t e = 0; e < d; e++)
        s->value[e] = fmax(s->value[e], fmax(s->edge, 1e-300));
    matrix_compose(s->value, s->vector, d, s->gram);
    return SOTTO_OK;
}

/* v_j = w_j scale_j / target scale: the objective is in units of that
   squared. */
static double ssp_unit(const ssp_state *s, int64_t j)
{
    double scale = j < s->problem->features ? s->settings->scale[j] : 1;
    return s->settings->target_scale / scale;
}

static sotto_status ssp_minimise(ssp_state *s, sotto_error *error)
{
    const solver_problem *p = s->problem;
    double whole = s->settings->target_scale * s->settings->target_scale;
    for (int64_t j = 0; j < s->d; j++) {
        double unit = ssp_unit(s, j);
        int penalised = j < p->features; /* the intercept has no penalty */
        s->l1[j] = penalised ? p->l1 * unit / whole : 0;
        s->l2[j] = penalised ? p->l2 * unit * unit / whole : 0;
        s->low[j] = penalised ? p->low / unit : -INFINITY;
        s->high[j] = penalised ? p->high / unit : INFINITY;
    }
    matrix_model m = {s->d, s->gram, s->pull, s->l1, s->l2, s->low, s->high};
    return matrix_minimise(&m, s->from, s->v, error);
}

/*
 * What the noise is in v_j, to first order and before the penalty: G^-1 times
 * that of b - G v, whose covariance is sd^2 / 2 ((1 + |v|^2) I + v v').
 */
static double ssp_noise(const ssp_state *s, int64_t j)
{
    double length = 0, squares = 0, along = 0;
    for (int64_t e = 0; e < s->d; e++) {
        double part = 0, share = s->vector[j * s->d + e] / s->value[e];
        for (int64_t k = 0; k < s->d; k++)
            part += s->vector[k * s->d + e] * s->v[k];
        length += part * part;
        squares += share * share;
        along += share * part;
    }
    return s->sd * sqrt(((1 + length) * squares + along * along) / 2);
}

/* ---- standard errors ---- */

/* How far coordinate j of a row goes, the intercept's too. With --smoothness
   FILE nobody declared that. */
static double ssp_reach(const ssp_settings *settings, const solver_problem *p,
                        int64_t j)
{
    const double *reach = settings->run->smooth.reach;
    if (j == p->features)
        return 1;
    return reach[j] > 0 ? reach[j] / settings->scale[j] : INFINITY;
}

/* Whether a row of declared bounds may be longer than what it is cut to. */
static int ssp_shortens(const ssp_settings *settings, const solver_problem *p)
{
    double target = settings->run->smooth.target_reach / settings->target_scale;
    double square = target * target;
    for (int64_t j = 0; j < p->features + p->intercept; j++) {
        double reach = ssp_reach(settings, p, j);
        square += reach * reach;
    }
    return !(sqrt(square) <= settings->reach * (1 + 1e-9));
}

/* Why no weight at all has an interval; INTERVAL_UNMODELLED: some may. */
static interval_reason ssp_refused(const ssp_settings *settings,
                                   const solver_problem *p)
{
    return p->l1 > 0                               ? INTERVAL_L1
           : isfinite(p->low) || isfinite(p->high) ? INTERVAL_BOX
           : ssp_shortens(settings, p)             ? INTERVAL_SHORTENED
                                                   : INTERVAL_UNMODELLED;
}

/* Weights and the intercept, where columns are not centred, as sums of v. */
static void ssp_sums(const ssp_state *s, double *what)
{
    const solver_problem *p = s->problem;
    const solver_units *units = &s->settings->run->units;
    double *last = what + p->features * s->d;
    for (int64_t j = 0; j < p->features; j++) {
        double half = units->half ? units->half[j] : 1;
        double centre = units->centre ? units->centre[j] : 0;
        what[j * s->d + j] = ssp_unit(s, j);
        last[j] = -centre / half * ssp_unit(s, j);
    }
    if (p->intercept)
        last[p->features] = ssp_unit(s, p->features);
}

/* S_yy - 2 v'b + v'Gv */
static double ssp_residual(const ssp_state *s)
{
    int64_t d = s->d;
    double sum = s->all[d * (d + 1) + d];
    for (int64_t i = 0; i < d; i++) {
        double gram = 0;
        for (int64_t j = 0; j < d; j++)
            gram += s->gram[i * d + j] * s->v[j];
        sum += s->v[i] * (gram + 2 * s->pull[i]);
    }
    return sum;
}

static sotto_status ssp_intervals(const ssp_state *s, const solver_answer *out,
                                  sotto_error *error)
{
    const solver_problem *p = s->problem;
    int64_t count = p->features + 1;
    interval_reason why = ssp_refused(s->settings, p);
    if (!out->error)
        return SOTTO_OK;
    for (int64_t j = 0; why != INTERVAL_UNMODELLED && j < count; j++)
        solver_refuse_interval(out, j, why);
    if (why != INTERVAL_UNMODELLED)
        return SOTTO_OK;
    double *what = mem_zeroed((size_t)((count + 2) * s->d), sizeof *what);
    double *reach = what + count * s->d, *unit = reach + s->d;
    redundant of;
    errors_found found = {out->error, out->moved, out->refused};
    redundant_frame frame = {.features = p->features,
                             .intercept = p->intercept,
                             .whole = s->settings->run->units.whole,
                             .scale = s->settings->scale,
                             .unit = unit};
    if (!what)
        return error_memory(error);
    for (int64_t j = 0; j < p->features; j++)
        unit[j] = ssp_unit(s, j) * ssp_unit(s, j);
    sotto_status status = redundant_make(&of, &frame, error);
    ssp_sums(s, what);
    for (int64_t j = 0; j < s->d; j++)
        reach[j] = ssp_reach(s->settings, p, j);
    ssp_moments m = {.d = s->d,
                     .gram = s->gram,
                     .l2 = s->l2,
                     .v = s->v,
                     .reach = reach,
                     .edge = s->edge,
                     .sd = s->sd,
                     .residual = ssp_residual(s),
                     .rows = solver_sample(s->settings->run),
                     .redundant = &of};
    if (status == SOTTO_OK)
        status = ssp_errors(&m, what, count, &found, error);
    redundant_free(&of);
    mem_free(what);
    return status;
}

static sotto_status ssp_run(solver_answer *out, curator *c,
                            const solver_problem *p,
                            const ssp_settings *settings, sotto_error *error)
{
    ssp_state s = {.problem = p, .settings = settings};
    s.d = p->features + p->intercept;
    sotto_status status =
        ssp_memory(&s) ? ssp_ask(&s, c, error) : error_memory(error);
    if (status == SOTTO_OK)
        status = ssp_lift(&s, error);
    if (status == SOTTO_OK)
        status = ssp_minimise(&s, error);
    for (int64_t j = 0; status == SOTTO_OK && j < s.d; j++) {
        double weight = s.v[j] * ssp_unit(&s, j);
        solver_note(out, p, j, ssp_noise(&s, j) * ssp_unit(&s, j));
        if (j < p->features)
            out->weight[j] = isfinite(weight) ? weight : 0;
        else
            out->intercept = isfinite(weight) ? weight : 0;
    }
    if (!p->intercept)
        out->intercept = 0;
    if (status == SOTTO_OK)
        status = ssp_intervals(&s, out, error);
    mem_free(s.memory);
    return status;
}

/* ---- planning it ---- */

/* Beyond that the matrix takes too long. */
enum { SSP_MOST_FEATURES = 1000 };

static const solver_option ssp_options[] = {
    {OPTION_CLIP, "sqrt(coordinates + 1)",
     "the longest row with its target, in units of sqrt(M_j) and of the "
     "target's bound"},
    SOLVER_SMOOTHNESS,
    {0}};

static const solver_need ssp_needs = {loss_is_quadratic,
                                      "is not determined by second moments"};

static sotto_status ssp_check(const sotto_options *options, sotto_error *error)
{
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return error_set(error, SOTTO_USAGE,
                         "--solver ssp: rows go on a grid; expected a finite "
                         "--clip");
    return SOTTO_OK;
}

static sotto_status ssp_plan(solver_run *r, sotto_error *error)
{
    double left;
    if (r->facts.features > SSP_MOST_FEATURES)
        return error_set(error, SOTTO_USAGE,
                         "--solver ssp: at most %d features; expected --solver "
                         "auto",
                         SSP_MOST_FEATURES);
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(r,
                    (ask_item){.kind = ASK_CROSS,
                               .count = 1,
                               .level = solver_level(ASK_GAUSSIAN, left, 1)});
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
}

/* Rows in units of sqrt(M_j). */
static sotto_status ssp_ready(const solver_run *r, sotto_error *error)
{
    return solver_check_thresholds(r, 1, 0x1p-99, 0x1p99, error);
}

static sotto_status ssp_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    const solver_problem *p = &r->problem;
    int64_t d = p->features + p->intercept;
    double reach = r->smooth.target_reach;
    double *scale = mem_zeroed((size_t)p->features, sizeof *scale);
    if (!scale)
        return error_memory(error);
    for (int64_t j = 0; j < p->features; j++)
        scale[j] = sqrt(r->smooth.m[j]);
    /* with bounds that hold no row is longer than the default */
    ssp_settings s = {.reach = option_given(r->options, OPTION_CLIP)
                                   ? option_number(r->options, OPTION_CLIP)
                                   : sqrt((double)d + 1),
                      .scale = scale,
                      .target_scale = isfinite(reach) && reach > 0 ? reach : 1,
                      .run = r};
    sotto_status status = solver_tell(r->progress, r->context,
                                      (solver_stage){.name = "moments"}, error);
    if (status == SOTTO_OK)
        status = ssp_run(out, r->curator, p, &s, error);
    mem_free(scale);
    return status == SOTTO_OK
               ? solver_tell(r->progress, r->context,
                             solver_rounds("moments", 1, 1), error)
               : status;
}

const solver_row solver_ssp = {
    .by_rows = 1,
    .summary = "noisy second moments, asked once; squared loss, few features",
    .options = ssp_options,
    .smooth = 1,
    .needs = &ssp_needs,
    .check = ssp_check,
    .plan = ssp_plan,
    .ready = ssp_ready,
    .run = ssp_train};
