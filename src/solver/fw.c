/*
 * Private Frank-Wolfe, Talwar, Thakurta and Zhang, "Nearly optimal private
 * LASSO" (2015):
 *
 *   for t = 0 ... T-1:
 *       s = the vertex of the L1 ball with the best noisy score -<s, grad>
 *       w = (1 - gamma_t) w + gamma_t s,   gamma_t = 2 / (t + 2)
 *
 * It is block-coordinate Frank-Wolfe with one block, which always moves. The
 * noise is that of the exponential mechanism among the 2p vertices.
 */
#include "blocks.h"

sotto_status fw_run(solver_answer *out, curator *c, const solver_problem *p,
                    const fw_settings *s, solver_progress progress,
                    void *context, sotto_error *error)
{
    int64_t *all = mem_zeroed((size_t)p->features, sizeof *all);
    if (!all)
        return error_memory(error);
    for (int64_t j = 0; j < p->features; j++)
        all[j] = j;
    bcfw_block ball = {
        .coordinate = all, .count = p->features, .radius = s->radius};
    bcfw_domain domain = {&ball, 1, s->intercept};
    bcfw_sampling always = {.kind = BCFW_ALL};
    bcfw_settings settings = {
        .steps = s->steps, .clip = s->clip, .sampling = &always};
    sotto_status status =
        bcfw_run(out, c, p, &domain, &settings, progress, context, error);
    mem_free(all);
    return status;
}

/* ---- planning it ---- */

static const solver_option fw_options[] = {
    {OPTION_RADIUS, NULL,
     "the L1 ball that the weights stay in, in the units of the fit; required"},
    FRANK_WOLFE_OPTIONS,
    {0}};

static sotto_status fw_check(const sotto_options *options, sotto_error *error)
{
    double low, high;
    if (!option_given(options, OPTION_RADIUS))
        return error_set(error, SOTTO_USAGE,
                         "--solver fw: expected --radius R: the weights are "
                         "kept in an L1 ball");
    if (option_pair(options, OPTION_BOX, &low, &high))
        return error_set(error, SOTTO_USAGE,
                         "--solver fw: the L1 ball is all there is; for boxes "
                         "expected --solver bcfw");
    return frank_wolfe_check(options, error);
}

/* The intercept's way is a question of its own. */
static double fw_each(const solver_run *r)
{
    return 1 + r->problem.intercept;
}

static void fw_later(const solver_run *r, double steps, double share,
                     ask_plan *out)
{
    frank_wolfe_later(fw_each(r) * steps, share, out);
}

static sotto_status fw_plan(solver_run *r, sotto_error *error)
{
    double *steps = steps_keep(r);
    if (!steps)
        return error_memory(error);
    if (steps_wait(r))
        return steps_plan(r, fw_each(r), fw_later, error);
    sotto_status status = steps_usual(r, steps, error);
    return status == SOTTO_OK ? frank_wolfe_plan(r, fw_each(r) * *steps, error)
                              : status;
}

static sotto_status fw_train(const solver_run *r, solver_answer *out,
                             sotto_error *error)
{
    double steps = *(const double *)r->state;
    sotto_status status = steps_tell(r, fw_later, &steps, error);
    if (status != SOTTO_OK)
        return status;
    fw_settings settings = {
        .steps = (int64_t)steps,
        .radius = option_number(r->options, OPTION_RADIUS),
        .intercept = frank_wolfe_intercept(r),
        .clip = solver_number(r->options, r->solver, OPTION_CLIP)};
    return fw_run(out, r->curator, &r->problem, &settings, r->progress,
                  r->context, error);
}

static void fw_explain(const solver_run *r, text_buffer *t)
{
    steps_explain(r, *(const double *)r->state, t);
}

const solver_row solver_fw = {.summary = "Frank-Wolfe in an L1 ball",
                              .options = fw_options,
                              .one_ball = 1,
                              .needs = &solver_needs_smooth,
                              .check = fw_check,
                              .plan = fw_plan,
                              .run = fw_train,
                              .explain = fw_explain};
