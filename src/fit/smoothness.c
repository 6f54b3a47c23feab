/*
 * The smoothness constants M_j: from declared bounds, from a file, or to be
 * asked for with a share of the budget. Never from the records for free.
 */
#include "number.h"
#include "private.h"

#include <math.h>
#include <string.h>

static sotto_status read_smoothness(solver_smoothness *s,
                                    const sotto_options *options,
                                    int64_t features, sotto_error *error)
{
    const char *path = option_text(options, OPTION_SMOOTHNESS);
    char *text = NULL;
    size_t size;
    sotto_status status =
        option_read(options, OPTION_SMOOTHNESS, &text, &size, error);
    if (status != SOTTO_OK)
        return status;
    int64_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\r\n,", &rest); word;
         word = strtok_r(NULL, " \t\r\n,", &rest)) {
        double x;
        if (!number_whole(word, &x) || !(x > 0) || !isfinite(x) ||
            count > features) {
            mem_free(text);
            return error_set(error, SOTTO_USAGE,
                             "%s: expected %lld numbers above 0, one for each "
                             "feature (and one for the intercept)",
                             show_name(path).text, (long long)features);
        }
        s->m[count++] = x;
    }
    mem_free(text);
    if (count < features)
        return error_set(error, SOTTO_USAGE,
                         "%s: expected %lld numbers, one for each feature",
                         show_name(path).text, (long long)features);
    return SOTTO_OK;
}

/* `bought`: those that nobody declared are asked for. */
static sotto_status need_bounds(const sotto_table *t, solver_smoothness *s,
                                int bought, sotto_error *error)
{
    char buffer[24];
    for (int64_t j = 0; j < t->features; j++) {
        s->reach[j] = t->reach ? t->reach[j] : INFINITY;
        if (!isfinite(s->reach[j]) && !bought)
            return error_set(
                error, SOTTO_PRIVACY,
                "column \"%s\" has no bounds: declare them in a schema, or "
                "give --smoothness FILE or --undeclared rows",
                show_name(sotto_table_feature_name(t, j, buffer)).text);
    }
    return SOTTO_OK;
}

const char *fit_smoothness_word(const sotto_options *options)
{
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    return !how || !strcmp(how, "bounds") ? "from declared bounds"
           : !strncmp(how, "private", 7)  ? "estimated privately"
           : option_content(options, OPTION_SMOOTHNESS)
               ? "a list, declared by the operator"
               : "a file, declared by the operator";
}

/* "bounds", "private", "private:0.1" or a file; the intercept's feature is
 * always 1. */
sotto_status fit_find_smoothness(solver_smoothness *s, const sotto_table *t,
                                 const fit_task *task,
                                 const sotto_options *options, int bought,
                                 sotto_error *error)
{
    const char *how = option_text(options, OPTION_SMOOTHNESS);
    double curvature = loss_curvature_bound(&task->loss) * t->weight_bound;
    size_t count = (size_t)t->features + 1;
    s->m = mem_zeroed(count, sizeof *s->m);
    s->reach = mem_zeroed(count, sizeof *s->reach);
    if (!s->m || !s->reach)
        return error_memory(error);
    s->m[t->features] = curvature;
    s->target_reach = t->target_reach;
    if (how && strcmp(how, "bounds") && strncmp(how, "private", 7))
        return read_smoothness(s, options, t->features, error);
    sotto_status status = need_bounds(t, s, bought, error);
    for (int64_t j = 0; status == SOTTO_OK && j < t->features; j++)
        s->m[j] = curvature * s->reach[j] * s->reach[j];
    return status;
}
