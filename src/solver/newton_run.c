/*
 * A whole run of the private Newton method: the response, the bounds, and then
 * newton.c on all columns.
 */
#include "newton.h"

#include <math.h>
#include <string.h>

sotto_status newton_run(solver_answer *out, curator *c, const solver_problem *p,
                        const newton_settings *set, solver_progress progress,
                        void *context, sotto_error *error)
{
    newton_from from = {0};
    int64_t classes = p->classes ? p->classes : 1;
    double *memory = newton_columns_make(&from.columns, p->features);
    double *rates =
        mem_zeroed((size_t)(NEWTON_OF_CLASS * classes), sizeof *rates);
    if (!memory || !rates) {
        mem_free(memory);
        mem_free(rates);
        return error_memory(error);
    }
    memset(out->weight, 0,
           (size_t)(p->features * classes) * sizeof *out->weight);
    sotto_status status =
        solver_tell(progress, context, (solver_stage){.name = "bounds"}, error);
    if (set->response)
        from.response = *set->response;
    else if (status == SOTTO_OK)
        status = p->classes
                     ? newton_ask_classes(&from.response, c, p, rates, error)
                     : newton_ask_response(&from.response, c, p, &set->rule,
                                           set->target_reach, error);
    out->intercept = from.response.released;
    for (int64_t k = 0; status == SOTTO_OK && p->intercept && k < p->classes;
         k++)
        out->class_intercept[k] = from.response.class_released[k];
    if (status == SOTTO_OK && set->rule.rounds > 0)
        status =
            newton_ask_bounds(&from.columns, c, &set->rule, set->reach, error);
    if (status == SOTTO_OK)
        status = set->rule.rounds > 0
                     ? newton_on_columns(out, c, p, set, &from, progress,
                                         context, error)
                     : solver_tell(progress, context,
                                   solver_rounds("bounds", 1, 1), error);
    mem_free(memory);
    mem_free(rates);
    return status;
}
