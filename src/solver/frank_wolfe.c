/*
 * What the two Frank-Wolfe solvers share: which problems they take, and their
 * questions, all of one kind.
 */
#include "blocks.h"

#include <math.h>

static sotto_status fw_refuse(const sotto_options *options, const char *what,
                              sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "--solver %s: %s",
                     option_text(options, OPTION_SOLVER), what);
}

sotto_status frank_wolfe_check(const sotto_options *options, sotto_error *error)
{
    int intercept = option_is(options, OPTION_INTERCEPT, "yes");
    if (option_number(options, OPTION_L1) > 0)
        return fw_refuse(options,
                         "the L1 ball stands for the L1 penalty; expected "
                         "--radius without --l1",
                         error);
    if (option_given(options, OPTION_CLIP) &&
        isinf(option_number(options, OPTION_CLIP)))
        return fw_refuse(options,
                         "expected a finite --clip: it is the unit in which "
                         "vertices are compared",
                         error);
    if (intercept && !option_given(options, OPTION_INTERCEPT_RADIUS))
        return fw_refuse(options,
                         "every weight needs a bound, the intercept too; "
                         "expected --intercept-radius B or --no-intercept",
                         error);
    if (!intercept && option_given(options, OPTION_INTERCEPT_RADIUS))
        return fw_refuse(options,
                         "expected one of --intercept-radius and "
                         "--no-intercept",
                         error);
    return SOTTO_OK;
}

double frank_wolfe_intercept(const solver_run *r)
{
    return r->problem.intercept
               ? option_number(r->options, OPTION_INTERCEPT_RADIUS)
               : 0;
}

/* ---- noise ---- */

static sotto_status questions(solver_run *r, ask_noise choice,
                              ask_noise release, int64_t count,
                              sotto_error *error)
{
    double left;
    sotto_status status = solver_plan_begin(r, release, &left, error);
    if (status != SOTTO_OK)
        return status;
    solver_plan_add(
        r, (ask_item){.kind = ASK_VERTEX,
                      .count = count,
                      .noise = choice,
                      .level = solver_level(choice, left, (double)count)});
    return r->facts.without_noise ? SOTTO_OK : solver_calibrate(r, error);
}

void frank_wolfe_later(double count, double share, ask_plan *out)
{
    out->item[out->items++] =
        (ask_item){.kind = ASK_VERTEX,
                   .count = (int64_t)count,
                   .noise = ASK_RANGE,
                   .level = solver_level(ASK_RANGE, share, count)};
}

/* The sd of a score's noise, in sensitivities. */
static double noise_of(const ask_plan *plan)
{
    const ask_item *item = &plan->item[plan->items - 1];
    return 2 / item->level * ask_mechanism_of(item->noise)->sd;
}

/* The exponential mechanism, or, which is less for few steps, the noise of
   pure differential privacy: whichever is smaller. */
sotto_status frank_wolfe_plan(solver_run *r, double count, sotto_error *error)
{
    if (count > 1e9)
        return error_set(error, SOTTO_USAGE,
                         "--steps: at most 1e9 questions in all");
    int64_t times = (int64_t)count;
    if (r->facts.without_noise)
        return questions(r, ASK_GUMBEL, ASK_GAUSSIAN, times, error);
    sotto_status status = questions(r, ASK_FLIP, ASK_LAPLACE, times, error);
    ask_plan pure = r->plan;
    if (status == SOTTO_OK)
        status = questions(r, ASK_GUMBEL, ASK_GAUSSIAN, times, error);
    if (status == SOTTO_OK && noise_of(&pure) < noise_of(&r->plan))
        r->plan = pure;
    return status;
}
