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
#include "scd.h"

#include <math.h>
#include <string.h>

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
                   .dual_noise = set->dual_noise};
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
        status = solver_tell(progress, context,
                             solver_rounds("steps", t + 1, steps), error);
        if (status != SOTTO_OK)
            return status;
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

/* ---- what is needed ---- */

static const solver_option scd_options[] = {
    {OPTION_PASSES, "15", "how often each row is expected in a batch"},
    {OPTION_STEPS, "passes / batch rate", "how many steps, instead"},
    {OPTION_BATCH_RATE,
     "5 L2 / R^2, from 0.002 to 0.02, or 10 / --rows where that is more",
     "the probability with which a row (with --unit-column, a person) is in a "
     "batch, by a secret coin; 1: always"},
    SCD_AVERAGE,
    SCD_CLIP,
    SCD_NORM_BOUND,
    {0}};

sotto_status scd_refuse(const sotto_options *options, const char *what,
                        sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "--solver %s: %s",
                     option_text(options, OPTION_SOLVER), what);
}

sotto_status scd_check(const sotto_options *options, sotto_error *error)
{
    double low, high;
    if (option_is(options, OPTION_INTERCEPT, "yes"))
        return scd_refuse(options,
                          "the dual has no intercept that is not penalised; "
                          "expected --no-intercept",
                          error);
    if (!(option_number(options, OPTION_L2) > 0))
        return scd_refuse(options,
                          "there is no dual without an L2 penalty; expected "
                          "--l2 above 0",
                          error);
    if (option_number(options, OPTION_L1) > 0 ||
        option_pair(options, OPTION_BOX, &low, &high))
        return scd_refuse(options,
                          "the L2 penalty is the only one; expected neither "
                          "--l1 nor --box",
                          error);
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return scd_refuse(options,
                          "the shared vector is on a grid of the clip's; "
                          "expected a finite --clip",
                          error);
    return SOTTO_OK;
}

/* ---- settings ---- */

static double scd_norm(const sotto_options *options)
{
    return solver_number(options, &solver_scd, OPTION_NORM_BOUND);
}

/* The norm that settings go by. */
double scd_usual_norm(const sotto_options *options)
{
    double norm = scd_norm(options);
    return isinf(norm) ? 1 : norm;
}

/*
 * q R^2 / lambda is how much a step is shortened because others move at the
 * same time: 5 or less, between one row of 500 and one of 50; and no fewer than
 * ten rows where their number is declared. A coin can have that rate exactly.
 */
double scd_rate(const solver_run *r)
{
    double norm = scd_usual_norm(r->options);
    double usual = fmin(fmax(5 * r->problem.l2 / (norm * norm), .002), .02);
    if (option_given(r->options, OPTION_ROWS))
        usual =
            fmin(1, fmax(usual, 10 / option_number(r->options, OPTION_ROWS)));
    return curator_rate(option_given(r->options, OPTION_BATCH_RATE)
                            ? option_number(r->options, OPTION_BATCH_RATE)
                            : usual);
}

static double scd_all_steps(const solver_run *r)
{
    double passes = solver_number(r->options, r->solver, OPTION_PASSES);
    return option_given(r->options, OPTION_STEPS)
               ? option_number(r->options, OPTION_STEPS)
               : ceil(passes / scd_rate(r));
}

static double scd_clip(const solver_run *r)
{
    double norm = scd_usual_norm(r->options);
    double k = norm * norm * scd_rate(r) / r->problem.l2;
    if (option_given(r->options, OPTION_CLIP))
        return option_number(r->options, OPTION_CLIP);
    return loss_dual_start(&r->problem.loss, norm, k) / 2;
}

/* The curator's bounds of a dual step. */
sotto_status scd_check_size(const solver_run *r, double clip,
                            sotto_error *error)
{
    double l2 = r->problem.l2;
    if (!(l2 >= 0x1p-100 && l2 <= 0x1p100 && clip >= 0x1p-100 &&
          clip <= 0x1p100))
        return scd_refuse(r->options,
                          "expected --l2, --clip and --norm-bound of moderate "
                          "size: l2 and the clip from 2^-100 to 2^100",
                          error);
    if (r->facts.features > 1 << 20)
        return scd_refuse(r->options, "at most 2^20 features", error);
    return SOTTO_OK;
}

static sotto_status scd_ready(const solver_run *r, sotto_error *error)
{
    return scd_check_size(r, scd_clip(r), error);
}

scd_settings scd_make_settings(const solver_run *r)
{
    return (scd_settings){
        .steps = (int64_t)scd_all_steps(r),
        .rate = scd_rate(r),
        .clip = scd_clip(r),
        .average = solver_number(r->options, r->solver, OPTION_AVERAGE)};
}

/* ---- noise ---- */

static int is_paper(const solver_run *r)
{
    return option_is(r->options, OPTION_SOLVER, "scd-paper");
}

/* The paper's own noise; the statement gives what it costs. */
static sotto_status scd_paper_noise(solver_run *r, sotto_error *error)
{
    ask_item *item = &r->plan.item[r->plan.items - 1];
    double z;
    if (r->plan.items > 1)
        return scd_refuse(r->options,
                          "the paper takes the number of rows for public; "
                          "expected --rows N or another adjacency",
                          error);
    sotto_status status = solver_paper_multiplier(
        r, "dp-scd-ma", (double)item->count, item->rate, &z, error);
    item->level = status == SOTTO_OK ? 1 / z : 0;
    return status;
}

static sotto_status scd_plan(solver_run *r, sotto_error *error)
{
    double left, rate = scd_rate(r), steps = scd_all_steps(r);
    if (steps > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--passes, --steps, --batch-rate: at most 1e9 steps "
                         "in all");
    sotto_status status = solver_plan_begin(r, ASK_GAUSSIAN, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(
        r, solver_batches(ASK_DUAL, (int64_t)steps, left, steps, rate));
    if (r->facts.without_noise)
        return SOTTO_OK;
    return is_paper(r) ? scd_paper_noise(r, error) : solver_calibrate(r, error);
}

static sotto_status scd_train(const solver_run *r, solver_answer *out,
                              sotto_error *error)
{
    scd_settings settings = scd_make_settings(r);
    double level = r->plan.item[r->plan.items - 1].level;
    if (is_paper(r) && level > 0)
        settings.dual_noise = 1 / level;
    return scd_run(out, r->curator, &r->problem, &settings, r->progress,
                   r->context, error);
}

const solver_row solver_scd = {
    .summary = "stochastic coordinate descent on the dual, by batches",
    .options = scd_options,
    .shortens_rows = 1,
    .check = scd_check,
    .plan = scd_plan,
    .ready = scd_ready,
    .run = scd_train};

const solver_row solver_scd_paper = {
    .summary = "scd as its paper has it, with noise on the dual, too",
    .options = scd_options,
    .for_comparison = 1,
    .shortens_rows = 1,
    .check = scd_check,
    .plan = scd_plan,
    .ready = scd_ready,
    .run = scd_train};
