/*
 * Bounds that nobody declared, and that were bought: what they turned out to
 * be is made of answers, so that it may be told. It stands in the statement.
 */
#include "private.h"

#include <math.h>
#include <string.h>

sotto_status fit_begin_bought(private_run *r, sotto_error *error)
{
    size_t count = (size_t)r->facts.features;
    r->bought = mem_zeroed(count + 1, sizeof *r->bought);
    if (!r->bought)
        return error_memory(error);
    memcpy(r->bought, r->smooth.reach, count * sizeof *r->bought);
    r->bought[count] = r->smooth.target_reach;
    return SOTTO_OK;
}

static int is_bought(double declared, double now)
{
    return !isfinite(declared) && isfinite(now);
}

int fit_has_bought(const private_run *r)
{
    int64_t p = r->facts.features;
    int any = r->bought && is_bought(r->smooth.target_reach, r->bought[p]);
    for (int64_t j = 0; r->bought && j < p && !any; j++)
        any = is_bought(r->smooth.reach[j], r->bought[j]);
    return any;
}

/* Where all of them have the same bound it is told once. */
static void put_features(const private_run *r, const sotto_model *m,
                         text_buffer *t)
{
    const char *between = "";
    text_put(t, "\"features\": ");
    for (int64_t j = 0; j < m->features; j++) {
        char buffer[24];
        if (!is_bought(r->smooth.reach[j], r->bought[j]))
            continue;
        if (r->newton.common_bound) {
            text_number(t, r->bought[j]);
            return;
        }
        text_put(t, *between ? between : "{");
        text_json(t, sotto_model_feature_name(m, j, buffer));
        text_put(t, ": ");
        text_number(t, r->bought[j]);
        between = ", ";
    }
    text_put(t, *between ? "}" : "{}");
}

void fit_put_bought(const private_run *r, const sotto_model *m, text_buffer *t)
{
    int64_t p = m->features;
    text_put(t, ",\n    \"bought_bounds\": {");
    if (is_bought(r->smooth.target_reach, r->bought[p])) {
        text_put(t, "\"target\": ");
        text_number(t, r->bought[p]);
        text_put(t, ", ");
    }
    put_features(r, m, t);
    text_put(t, "}");
}
