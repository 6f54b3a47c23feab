/*
 * The result of a run: the model and its statement of privacy.
 */
#include "internal.h"
#include "json.h"
#include "model.h"

#include <math.h>
#include <string.h>

const char *federation_model_fault(const federation *f, int k,
                                   const double *own, const message *m)
{
    int64_t all = 0, at = 0;
    for (int j = 0; j < f->parties; j++) {
        if (j == k)
            at = all;
        all += federation_columns(f, j);
    }
    const double *weight = message_get(m, 0, MESSAGE_NUMBERS, all);
    int fine = weight && m->fields == 1;
    for (int64_t i = 0; fine && i < all; i++)
        fine = isfinite(weight[i]);
    if (!fine)
        return "not a model";
    size_t size = (size_t)federation_columns(f, k) * sizeof *own;
    return !f->absent_skips && memcmp(weight + at, own, size)
               ? "a model that is not what its answers make"
               : NULL;
}

sotto_status federation_promise_make(federation_promise *out,
                                     const federation *f, int is_private,
                                     sotto_error *error)
{
    *out = (federation_promise){.epsilon = INFINITY};
    out->slice = mem_zeroed((size_t)f->parties, sizeof *out->slice);
    if (!out->slice)
        return error_memory(error);
    for (int k = 0; k < f->parties; k++)
        out->slice[k] = INFINITY;
    sotto_status status = federation_mu(f, &out->mu, error);
    if (status == SOTTO_OK && is_private)
        status = federation_statement(f, &out->statement, &out->epsilon,
                                      out->slice, error);
    if (status != SOTTO_OK)
        federation_promise_free(out);
    return status;
}

void federation_promise_free(federation_promise *p)
{
    json_decref(p->statement);
    mem_free(p->slice);
    *p = (federation_promise){0};
}

/* The parties' weights are for mapped columns, (raw - centre) / half, and for a
   target that is mapped likewise. The model has weights for raw values. */
static void set_weights(sotto_model *m, const federation *f, const double *w)
{
    double intercept = 0;
    int64_t at = 0;
    for (int k = 0; k < f->parties; k++) {
        const federation_party *p = &f->party[k];
        for (int64_t i = 0; i < p->features; i++) {
            m->weight[at++] =
                w[i] == 0 ? 0 : f->target_half * w[i] / p->half[i];
            intercept -= w[i] * (p->centre[i] / p->half[i]);
        }
        if (p->constant != 0)
            intercept += w[p->features] * p->constant;
        w += federation_columns(f, k);
    }
    m->intercept = f->target_half * intercept + f->target_centre;
}

static int set_names(sotto_model *m, const federation *f)
{
    int64_t at = 0;
    m->name = mem_zeroed((size_t)m->features, sizeof *m->name);
    m->schema = mem_text(f->schema);
    for (int k = 0; m->name && k < f->parties; k++)
        for (int64_t i = 0; i < f->party[k].features; i++) {
            m->name[at] = mem_text(f->party[k].feature[i]);
            if (!m->name[at++])
                return 0;
        }
    return m->name && m->schema;
}

sotto_status federation_model(sotto_model **out, const federation *f,
                              const double *weight,
                              const federation_promise *promise,
                              sotto_error *error)
{
    int64_t features = 0;
    *out = NULL;
    for (int k = 0; k < f->parties; k++)
        features += f->party[k].features;
    sotto_model *m = model_new(features);
    int fine = m && set_names(m, f);
    if (fine && promise->statement) {
        m->statement = model_form(promise->statement);
        m->epsilon = promise->epsilon;
        m->delta = f->delta;
        fine = m->statement != NULL;
    }
    if (!fine) {
        sotto_model_free(m);
        return error_memory(error);
    }
    m->loss = (loss){LOSS_SQUARED, 0};
    m->units = MODEL_UNITS_FIT;
    set_weights(m, f, weight);
    *out = m;
    return SOTTO_OK;
}

sotto_status federation_model_of(sotto_model **out, const federation *f,
                                 const double *weight, int is_private,
                                 sotto_error *error)
{
    federation_promise p = {0};
    sotto_status status = federation_promise_make(&p, f, is_private, error);
    if (status == SOTTO_OK)
        status = federation_model(out, f, weight, &p, error);
    federation_promise_free(&p);
    return status;
}
