/*
 * What a solver's answer leaves in a model beside the weights: their noise and
 * standard errors, and the units of the penalty that held. All of it is made of
 * answers.
 */
#include "interval.h"
#include "private.h"

#include <math.h>

/* As the weights, in the units of the file; only what is private, finite, and
   anything at all is kept. */
void fit_keep_noise(const private_run *r, sotto_model *m)
{
    int any = 0, finite = 1;
    for (int64_t j = 0; m->noise && j < model_weights(m); j++) {
        double half = r->maps.half ? r->maps.half[j % m->features] : 1;
        m->noise[j] *= r->maps.target_half / half;
        any |= m->noise[j] > 0;
        finite &= isfinite(m->noise[j]) && m->noise[j] >= 0;
    }
    if (r->statement && any && finite)
        return;
    mem_free(m->noise);
    m->noise = NULL;
}

/* The same of standard errors, which solvers find in stored units. A model has
   them where its solver makes some, or says why not. */
void fit_keep_errors(const private_run *r, sotto_model *m)
{
    int any = 0;
    for (int64_t j = 0; m->error && j <= m->features; j++) {
        double half = r->maps.half && j < m->features ? r->maps.half[j] : 1;
        m->error[j] *= r->maps.target_half / half;
        m->moved[j] *= r->maps.target_half / half;
        if (m->error[j] > 0 && isfinite(m->error[j]) && isfinite(m->moved[j]))
            m->refused[j] = INTERVAL_UNMODELLED;
        else
            m->error[j] = m->moved[j] = 0;
        any |= m->error[j] > 0 || m->refused[j] != INTERVAL_UNMODELLED;
    }
    if (!r->statement || !any)
        model_drop_errors(m);
}

void fit_keep_units(private_run *r, sotto_model *m)
{
    if (m->units != MODEL_UNITS_SPREAD)
        return;
    if (!r->answer.by_spread) {
        m->units = MODEL_UNITS_FIT;
        return;
    }
    fit_set_scales(m, &r->maps, r->answer.spread);
    r->answer.spread = NULL;
}

/* What may be told of their number: a declaration or an answer. A number that
   is public because neighbours have as many is counted, and is not told. */
double fit_rows_told(const private_run *r)
{
    if (option_given(r->run.options, OPTION_ROWS))
        return option_number(r->run.options, OPTION_ROWS);
    return ask_planned(&r->run.plan, ASK_TOTAL) ? curator_rows(r->run.curator)
                                                : 0;
}
