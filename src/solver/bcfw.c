/*
 * Block-coordinate Frank-Wolfe with arbitrary sampling, Algorithm 1 of Lou and
 * Cheung, "Uplink communication efficient differentially private sparse
 * optimization with feature-wise distributed data":
 *
 *   for t = 0 ... T-1:
 *       draw a set of blocks
 *       for each block i in it:
 *           s_i = the vertex of its domain that is lowest along the gradient
 *           x_i = x_i + gamma_t (s_i - x_i)
 *
 * with gamma_t = 2 / (p_min t + 2), p_min the least probability with which a
 * block is in the set. The noise of a choice makes the linear oracle inexact
 * (eq. 4). A ball is one choice among all its vertices; a box is one for each
 * coordinate, between its two ends.
 *
 * Of a ball's coordinates a few may be drawn to choose among, as Algorithm 2
 * does. As it is printed it stalls: all of x_i shrinks towards the best vertex
 * that was drawn, which may be worse than x_i. With the coordinates that x_i
 * is made of among the candidates, the best is never worse: x_i is a mean of
 * their vertices, or shorter than one. So the drawn ones make the expected gain
 * tau / (coordinates) of the full one, and p_min is as much smaller.
 */
#include "blocks.h"

#include <math.h>

typedef struct bcfw_state {
    const solver_problem *problem;
    const bcfw_domain *domain;
    const bcfw_settings *settings;
    solver_answer *out;
    curator *curator;
    uint64_t random; /* public: which blocks, which candidates */
    int64_t *chosen; /* the blocks of a step */
    int64_t *drawn;  /* scratch: a block's coordinates, or candidates */
    int64_t *moved;  /* the moves of a step ... */
    double *by;      /* ... and how far */
    int64_t moves;
} bcfw_state;

static double *weight_at(bcfw_state *s, int64_t j)
{
    return j < s->problem->features ? &s->out->weight[j] : &s->out->intercept;
}

/* ---- the linear oracle ---- */

/* (6): coordinate j goes towards its vertex's value there. */
static void move_towards(bcfw_state *s, int64_t j, double vertex, double gamma)
{
    double w = *weight_at(s, j);
    s->moved[s->moves] = j;
    s->by[s->moves++] = gamma * (vertex - w);
}

/* The drawn coordinates and those in use, in ascending order; NULL: all of
   the block's. */
static const int64_t *candidates(bcfw_state *s, const bcfw_block *b,
                                 int64_t *count)
{
    int64_t tau = s->settings->candidates;
    *count = b->count;
    if (!tau || tau >= b->count)
        return b->coordinate;
    for (int64_t n = 0; n < b->count; n++)
        s->drawn[n] = n;
    sampling_pick(&s->random, s->drawn, b->count, tau);
    int64_t *taken = s->moved + s->moves; /* not moved yet: free */
    for (int64_t n = 0; n < b->count; n++)
        taken[n] = s->out->weight[b->coordinate[n]] != 0;
    for (int64_t n = 0; n < tau; n++)
        taken[s->drawn[n]] = 1;
    *count = 0;
    for (int64_t n = 0; n < b->count; n++)
        if (taken[n])
            s->drawn[(*count)++] = b->coordinate[n];
    return s->drawn;
}

static sotto_status step_ball(bcfw_state *s, const bcfw_block *b, double gamma,
                              sotto_error *error)
{
    int64_t count, j;
    int sign;
    const int64_t *among = candidates(s, b, &count);
    sotto_status status =
        curator_ask_vertex(s->curator, among, count, &j, &sign, error);
    for (int64_t n = 0; n < b->count && status == SOTTO_OK; n++) {
        int64_t i = b->coordinate[n];
        if (i == j)
            move_towards(s, i, sign * b->radius, gamma);
        else if (s->out->weight[i] != 0)
            move_towards(s, i, 0, gamma);
    }
    return status;
}

static sotto_status step_interval(bcfw_state *s, int64_t j, double low,
                                  double high, double gamma, sotto_error *error)
{
    int64_t same;
    int sign;
    sotto_status status =
        curator_ask_vertex(s->curator, &j, 1, &same, &sign, error);
    if (status == SOTTO_OK)
        move_towards(s, j, sign > 0 ? high : low, gamma);
    return status;
}

static sotto_status step_block(bcfw_state *s, const bcfw_block *b, double gamma,
                               sotto_error *error)
{
    if (b->radius > 0)
        return step_ball(s, b, gamma, error);
    sotto_status status = SOTTO_OK;
    for (int64_t n = 0; n < b->count && status == SOTTO_OK; n++)
        status =
            step_interval(s, b->coordinate[n], b->low, b->high, gamma, error);
    return status;
}

/* ---- a step ---- */

static sotto_status bcfw_step(bcfw_state *s, double gamma, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    double edge = s->domain->intercept;
    int64_t count =
        bcfw_draw(s->domain, s->settings->sampling, &s->random, s->chosen);
    s->moves = 0;
    for (int64_t n = 0; n < count && status == SOTTO_OK; n++)
        status = step_block(s, &s->domain->block[s->chosen[n]], gamma, error);
    if (status == SOTTO_OK && edge > 0)
        status =
            step_interval(s, s->problem->features, -edge, edge, gamma, error);
    if (status != SOTTO_OK)
        return status;
    curator_tell_some(s->curator, s->moved, s->by, s->moves);
    for (int64_t n = 0; n < s->moves; n++)
        *weight_at(s, s->moved[n]) += s->by[n];
    return SOTTO_OK;
}

/* ---- before and after ---- */

/* The least probability with which a coordinate can become the vertex's. */
static double least_probability(const bcfw_domain *d, const bcfw_settings *s)
{
    double part = 1;
    for (int64_t i = 0; i < d->blocks && s->candidates; i++)
        if (d->block[i].radius > 0)
            part =
                fmin(part, (double)s->candidates / (double)d->block[i].count);
    return bcfw_least(d, s->sampling) * part;
}

/* One clip for all: sums are compared with each other, as partial
   derivatives. */
static sotto_status bcfw_tell(const bcfw_state *s, sotto_error *error)
{
    int64_t coordinates = s->problem->features + s->problem->intercept;
    double *clip = mem_zeroed((size_t)coordinates, sizeof *clip);
    if (!clip)
        return error_memory(error);
    for (int64_t j = 0; j < coordinates; j++)
        clip[j] = s->settings->clip;
    ask_scores scores = {.rule = ASK_UNTRUNCATED,
                         .clip = clip,
                         .l2 = s->problem->l2,
                         .low = -INFINITY,
                         .high = INFINITY};
    sotto_status status = curator_tell_clips(s->curator, clip, error);
    if (status == SOTTO_OK)
        status = curator_tell_scores(s->curator, &scores, error);
    mem_free(clip);
    return status;
}

/* Moves are floats: what is a hair outside is put back. */
static void put_inside(const bcfw_domain *d, solver_answer *out)
{
    for (int64_t i = 0; i < d->blocks; i++) {
        const bcfw_block *b = &d->block[i];
        double length = 0;
        for (int64_t n = 0; n < b->count; n++)
            length += fabs(out->weight[b->coordinate[n]]);
        for (int64_t n = 0; n < b->count; n++) {
            double *w = &out->weight[b->coordinate[n]];
            if (b->radius > 0)
                *w *= length > b->radius ? b->radius / length : 1;
            else
                *w = fmin(fmax(*w, b->low), b->high);
        }
    }
    out->intercept = fmin(fmax(out->intercept, -d->intercept), d->intercept);
}

static sotto_status bcfw_steps(bcfw_state *s, solver_progress progress,
                               void *context, sotto_error *error)
{
    double least = least_probability(s->domain, s->settings);
    int64_t steps = s->settings->steps;
    sotto_status status = bcfw_tell(s, error);
    for (int64_t t = 0; t < steps && status == SOTTO_OK; t++) {
        status = bcfw_step(s, 2 / (least * (double)t + 2), error);
        if (status == SOTTO_OK)
            status = solver_tell(progress, context,
                                 solver_rounds("steps", t + 1, steps), error);
    }
    return status;
}

sotto_status bcfw_run(solver_answer *out, curator *c, const solver_problem *p,
                      const bcfw_domain *d, const bcfw_settings *settings,
                      solver_progress progress, void *context,
                      sotto_error *error)
{
    size_t coordinates = (size_t)p->features + 1;
    bcfw_state s = {.problem = p,
                    .domain = d,
                    .settings = settings,
                    .out = out,
                    .curator = c,
                    .chosen = mem_zeroed((size_t)d->blocks, sizeof *s.chosen),
                    .drawn = mem_zeroed(coordinates, sizeof *s.drawn),
                    .moved = mem_zeroed(coordinates, sizeof *s.moved),
                    .by = mem_zeroed(coordinates, sizeof *s.by)};
    out->intercept = 0;
    for (int64_t j = 0; j < p->features; j++)
        out->weight[j] = 0;
    sotto_status status = s.chosen && s.drawn && s.moved && s.by
                              ? curator_public_word(c, &s.random, error)
                              : error_memory(error);
    if (status == SOTTO_OK)
        status = bcfw_steps(&s, progress, context, error);
    put_inside(d, out);
    mem_free(s.chosen);
    mem_free(s.drawn);
    mem_free(s.moved);
    mem_free(s.by);
    return status;
}

/* ---- planning it ---- */

static const solver_option bcfw_options[] = {
    {OPTION_BLOCKS, NULL,
     "K even runs of the features, balls of --radius or boxes of --box, or a "
     "file with a line for each block, 'ball RADIUS FEATURES' or 'box LO,HI "
     "FEATURES', features as 1 or 3-9; required"},
    {OPTION_RADIUS, NULL, "with --blocks K: the L1 ball of each block"},
    {OPTION_SAMPLING, "serial",
     "which blocks move in a step; public: all, serial (one), nice:TAU, "
     "distributed:K,TAU (TAU of what each of K parties has, who have even runs "
     "of the blocks), or a file with lines 'PROBABILITY BLOCKS'"},
    {OPTION_CANDIDATES, "all",
     "in each step a ball chooses among TAU of its features, drawn anew, and "
     "those whose weights are not 0"},
    FRANK_WOLFE_OPTIONS,
    {0}};

static sotto_status bcfw_check(const sotto_options *options, sotto_error *error)
{
    double low, high, blocks;
    int radius = option_given(options, OPTION_RADIUS);
    int box = option_pair(options, OPTION_BOX, &low, &high);
    if (!option_given(options, OPTION_BLOCKS))
        return error_set(error, SOTTO_USAGE,
                         "--solver bcfw: expected --blocks K or a file of "
                         "them");
    if (!blocks_number(options, &blocks)) {
        if (radius || box)
            return error_set(error, SOTTO_USAGE,
                             "--blocks: the file says where each block is; "
                             "expected neither --radius nor --box");
    } else if (radius == box)
        return error_set(error, SOTTO_USAGE,
                         "--solver bcfw: expected --radius R, a ball for each "
                         "block, or --box LO,HI");
    if (box && !(low < high && low >= -0x1p100 && high <= 0x1p100))
        return error_set(error, SOTTO_USAGE,
                         "--box: --solver bcfw goes towards its corners; "
                         "expected two ends, finite and not beyond 1e30");
    return frank_wolfe_check(options, error);
}

/* What is planned: read once, so that it runs as planned. */
typedef struct bcfw_planned {
    bcfw_blocks blocks;
    double steps; /* by the rule, or as given */
} bcfw_planned;

static void bcfw_free(void *state)
{
    bcfw_planned *planned = state;
    if (planned)
        blocks_free(&planned->blocks);
    mem_free(planned);
}

/* Where --steps does not say it, so many that each block is expected to move
   as often as the rule has it. */
static double bcfw_all_steps(const solver_run *r, double steps)
{
    const bcfw_planned *planned = r->state;
    return option_given(r->options, OPTION_STEPS)
               ? steps
               : ceil(steps / bcfw_least(&planned->blocks.domain,
                                         &planned->blocks.sampling));
}

static double bcfw_questions(const solver_run *r, double steps)
{
    const bcfw_planned *planned = r->state;
    return (double)bcfw_most(&planned->blocks.domain,
                             &planned->blocks.sampling) *
           bcfw_all_steps(r, steps);
}

static void bcfw_later(const solver_run *r, double steps, double share,
                       ask_plan *out)
{
    frank_wolfe_later(bcfw_questions(r, steps), share, out);
}

/* Candidates are a ball's. */
static sotto_status check_candidates(const solver_run *r, const bcfw_blocks *b,
                                     sotto_error *error)
{
    int balls = 0;
    for (int64_t i = 0; i < b->domain.blocks; i++)
        balls |= b->block[i].radius > 0;
    if (option_given(r->options, OPTION_CANDIDATES) && !balls)
        return error_set(error, SOTTO_USAGE,
                         "--candidates: boxes have none to choose among; "
                         "expected a block that is a ball");
    return SOTTO_OK;
}

static sotto_status bcfw_plan(solver_run *r, sotto_error *error)
{
    bcfw_planned *planned = r->state = mem_zeroed(1, sizeof *planned);
    if (!planned)
        return error_memory(error);
    sotto_status status = blocks_read(&planned->blocks, r, error);
    if (status == SOTTO_OK)
        status = check_candidates(r, &planned->blocks, error);
    if (status != SOTTO_OK)
        return status;
    if (steps_wait(r))
        return steps_plan(r, bcfw_questions(r, 1), bcfw_later, error);
    status = steps_usual(r, &planned->steps, error);
    return status == SOTTO_OK
               ? frank_wolfe_plan(r, bcfw_questions(r, planned->steps), error)
               : status;
}

static sotto_status bcfw_train(const solver_run *r, solver_answer *out,
                               sotto_error *error)
{
    const bcfw_planned *planned = r->state;
    const bcfw_blocks *b = &planned->blocks;
    double steps = planned->steps;
    sotto_status status = steps_tell(r, bcfw_later, &steps, error);
    if (status != SOTTO_OK)
        return status;
    bcfw_settings settings = {
        .steps = (int64_t)bcfw_all_steps(r, steps),
        .clip = solver_number(r->options, r->solver, OPTION_CLIP),
        .sampling = &b->sampling};
    if (option_given(r->options, OPTION_CANDIDATES))
        settings.candidates = option_integer(r->options, OPTION_CANDIDATES);
    return bcfw_run(out, r->curator, &r->problem, &b->domain, &settings,
                    r->progress, r->context, error);
}

static void bcfw_explain(const solver_run *r, text_buffer *t)
{
    const bcfw_planned *planned = r->state;
    steps_explain(r, planned->steps, t);
}

const solver_row solver_bcfw = {.summary =
                                    "Frank-Wolfe by blocks, balls and boxes",
                                .options = bcfw_options,
                                .needs = &solver_needs_smooth,
                                .check = bcfw_check,
                                .plan = bcfw_plan,
                                .run = bcfw_train,
                                .free_state = bcfw_free,
                                .explain = bcfw_explain};
