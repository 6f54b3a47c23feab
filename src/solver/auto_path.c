/*
 * Which way `auto` goes: of public quantities alone. x is the strength of the
 * budget: n mu, doubled unless a record is replaced (a mean of n values in
 * [-1, 1] is known to 2 / x). p is the number of features:
 *
 *   x < 60; of numbers 110       INTERCEPT   nothing more can be learned
 *   l1 = 0, p > n                WIDE; with more than two classes SELECT; of
 *                                more than 100,000 only what can be seen
 *   l1 > 0, p >= 50; p / x > .35;
 *   p > 1000                     SELECT
 *   otherwise                    DENSE
 */
#include "newton.h"

#define LEAST_STRENGTH 60
#define LEAST_STRENGTH_NUMBERS 110 /* whose errors have no bound */
#define MANY_FEATURES 50
#define MOST_CROWDED .35
#define MOST_DENSE 1000

const char *auto_path_name(auto_path path)
{
    static const char *const names[] = {[PATH_DENSE] = "dense",
                                        [PATH_SELECT] = "select",
                                        [PATH_WIDE] = "wide",
                                        [PATH_INTERCEPT] = "intercept"};
    return names[path];
}

auto_path auto_path_choose(const newton_facts *f, double l1, const char **why)
{
    double x = newton_strength(f), p = (double)f->features;
    int classes = loss_has_classes(f->loss.kind);
    if (x < (classes ? LEAST_STRENGTH : LEAST_STRENGTH_NUMBERS) &&
        f->intercept) {
        *why = classes
                   ? "strength < 60: nothing but the intercept can be learned"
                   : "strength < 110, of a number: nothing but the intercept "
                     "can be learned";
        return PATH_INTERCEPT;
    }
    if (l1 == 0 && p > f->rows) {
        *why = "more features than rows, and no l1";
        return f->classes ? PATH_SELECT : PATH_WIDE;
    }
    if (p / x > MOST_CROWDED) {
        *why = "p/strength > 0.35: too many features for the budget";
        return PATH_SELECT;
    }
    if (l1 > 0 && f->features >= MANY_FEATURES) {
        *why = "l1 > 0 and at least 50 features: few matter";
        return PATH_SELECT;
    }
    if (f->features > MOST_DENSE) {
        *why = "more than 1000 features: too many for a matrix";
        return PATH_SELECT;
    }
    *why = "p/strength <= 0.35: all features at once";
    return PATH_DENSE;
}

sotto_status auto_path_check(const solver_run *r, auto_path path,
                             sotto_error *error)
{
    if (path == PATH_INTERCEPT && !r->problem.intercept)
        return error_set(error, SOTTO_USAGE,
                         "--path intercept goes with an intercept");
    if (option_given(r->options, OPTION_MEMORY) &&
        (path == PATH_SELECT || path == PATH_WIDE))
        return error_set(error, SOTTO_USAGE,
                         "--memory: auto would choose among columns (--path "
                         "%s), and so the rows must be in memory: leave the "
                         "option out, or give --path dense",
                         auto_path_name(path));
    if (r->problem.classes && path == PATH_WIDE)
        return error_set(error, SOTTO_USAGE,
                         "--path wide is for two classes; expected --path "
                         "select");
    if (path == PATH_DENSE && r->facts.features > MOST_DENSE)
        return error_set(error, SOTTO_USAGE,
                         "--solver newton and --path dense: at most %d "
                         "features; expected --path select or wide",
                         MOST_DENSE);
    return SOTTO_OK;
}
