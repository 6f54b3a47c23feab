/*
 * The model as text: JSON, one name and one weight per line, doubles that
 * read back as the same bits.
 */
#include "file.h"
#include "model.h"

#include <math.h>
#include <string.h>

enum { MODEL_LISTED = 4096 };

/* ---- the schema and the statement ---- */

/* Lists of objects and a schema's columns have a line for each member. */
static void put_part(text_buffer *t, const char *key, const json_t *value)
{
    int is_long = json_is_object(json_array_get(value, 0)) ||
                  (json_object_size(value) > 0 && !strcmp(key, "columns"));
    if (is_long)
        json_put_members(
            t, value,
            (json_layout){"\n      ", ",\n      ", "", json_put_value});
    else
        json_put(t, value);
}

char *model_form(const json_t *value)
{
    text_buffer t = {.failed = value == NULL};
    json_put_members(&t, value, (json_layout){"", ",\n    ", "", put_part});
    if (t.failed)
        text_free(&t);
    return t.data;
}

/* ---- the rest ---- */

/* Takes the value over; a NULL makes the text fail. */
static void put_member(text_buffer *t, const char *key, json_t *value)
{
    text_format(t, "  \"%s\": ", key);
    json_put(t, value);
    json_decref(value);
    text_put(t, ",\n");
}

/* JSON has no infinity. */
static json_t *finite_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *box_of(const sotto_model *m)
{
    json_t *box = json_array();
    json_append(&box, finite_or_null(m->low));
    json_append(&box, finite_or_null(m->high));
    return box;
}

static json_t *penalty_of(const sotto_model *m)
{
    json_t *penalty = json_object();
    int has_box = isfinite(m->low) || isfinite(m->high);
    if (m->units != MODEL_UNITS_UNKNOWN)
        json_add_text(&penalty, "units", model_units_name(m->units));
    json_add_number(&penalty, "l1", m->l1);
    json_add_number(&penalty, "l2", m->l2);
    json_add(&penalty, "box", has_box ? box_of(m) : json_null());
    if (isfinite(m->radius))
        json_add_number(&penalty, "radius", m->radius);
    return penalty;
}

static json_t *classes_of(const sotto_model *m)
{
    json_t *classes = json_array();
    for (int64_t i = 0; i < m->classes; i++)
        json_append(&classes, json_string(m->class_name[i]));
    return classes;
}

static json_t *intercept_of(const sotto_model *m)
{
    if (m->classes <= 2)
        return json_real(m->intercept);
    json_t *list = json_array();
    for (int64_t k = 0; k < m->classes; k++)
        json_append(&list, json_real(m->class_intercept[k]));
    return list;
}

static json_t *row_norm_of(const sotto_model *m)
{
    json_t *norm = json_object();
    json_add_number(&norm, "bound", m->norm_bound);
    json_add_number(&norm, "centre", m->norm_centre);
    return norm;
}

/* K numbers of one feature, or its one. */
static void put_numbers(text_buffer *t, const sotto_model *m, const double *x,
                        int64_t j, int64_t width)
{
    text_put(t, width > 1 ? "[" : "");
    for (int64_t k = 0; k < width; k++) {
        text_put(t, k ? ", " : "");
        text_number(t, x[k * m->features + j]);
    }
    text_put(t, width > 1 ? "]" : "");
}

static void put_problem(text_buffer *t, const sotto_model *m)
{
    put_member(t, "loss", json_string(loss_name(m->loss.kind)));
    if (loss_has_delta(m->loss.kind))
        put_member(t, "huber_delta", json_real(m->loss.delta));
    put_member(t, "penalty", penalty_of(m));
    put_member(t, "classes", m->classes ? classes_of(m) : json_null());
    if (m->classes > 2)
        put_member(t, "strategy",
                   json_string(m->one_versus_rest ? "one-versus-rest"
                                                  : "multinomial"));
    if (m->scales_rows)
        put_member(t, "undeclared", json_string("rows"));
    if (isfinite(m->norm_bound))
        put_member(t, "row_norm", row_norm_of(m));
}

static void put_features(text_buffer *t, const sotto_model *m)
{
    text_put(t, "  \"features\": ");
    for (int64_t j = 0; m->name && j < m->features; j++) {
        text_put(t, j ? ",\n    " : "[\n    ");
        text_json(t, m->name[j]);
    }
    if (m->name)
        text_put(t, "],\n");
    else
        text_format(t, "%lld,\n", (long long)m->features);
}

/* Many numbered features of which few are used: only those. */
static void put_sparse(text_buffer *t, const sotto_model *m, const double *x,
                       int64_t width)
{
    const char *between = "";
    text_put(t, "{");
    for (int64_t j = 0; j < m->features; j++) {
        int any = 0;
        for (int64_t k = 0; k < width; k++) {
            double at = x[k * m->features + j];
            any |= at != 0 || signbit(at);
        }
        if (!any)
            continue;
        text_format(t, "%s\n    \"%lld\": ", between, (long long)j + 1);
        put_numbers(t, m, x, j, width);
        between = ",";
    }
    text_put(t, "},\n");
}

/* One number for each feature, or one for each class of it. */
static void put_vector(text_buffer *t, const sotto_model *m, const double *x,
                       int64_t width)
{
    int64_t used = 0;
    for (int64_t j = 0; j < m->features * width; j++)
        used += x[j] != 0;
    if (!m->name && m->features > MODEL_LISTED && used < m->features / 3) {
        put_sparse(t, m, x, width);
        return;
    }
    text_put(t, "[");
    for (int64_t j = 0; j < m->features; j++) {
        text_put(t, j ? ",\n    " : "\n    ");
        put_numbers(t, m, x, j, width);
    }
    text_put(t, "],\n");
}

static void put_weights(text_buffer *t, const sotto_model *m)
{
    int64_t width = m->classes > 2 ? m->classes : 1;
    text_put(t, "  \"weights\": ");
    put_vector(t, m, m->weight, width);
    if (m->scale) {
        text_put(t, "  \"penalty_scales\": ");
        put_vector(t, m, m->scale, 1);
    }
    if (m->noise) {
        text_put(t, "  \"noise\": ");
        put_vector(t, m, m->noise, width);
    }
    if (m->statement && m->error)
        put_member(t, "intervals", model_intervals(m));
}

static sotto_status check_finite(const sotto_model *m, sotto_error *error)
{
    int64_t j = 0, all = model_weights(m);
    int fine = isfinite(m->intercept) != 0;
    char buffer[24];
    while (j < all && isfinite(m->weight[j]))
        j++;
    for (int64_t k = 0; m->classes > 2 && k < m->classes; k++)
        fine &= isfinite(m->class_intercept[k]) != 0;
    if (j == all && fine)
        return SOTTO_OK;
    j = j < all ? j % m->features : m->features;
    return error_set(
        error, SOTTO_FAILED,
        "the %s%s%s is too large for a double in the units of "
        "the file; give the column in a larger unit",
        j < m->features ? "weight of \"" : "intercept",
        j < m->features ? show_name(sotto_model_feature_name(m, j, buffer)).text
                        : "",
        j < m->features ? "\"" : "");
}

sotto_status model_put_body(const sotto_model *m, text_buffer *t,
                            sotto_error *error)
{
    sotto_status status = check_finite(m, error);
    if (status != SOTTO_OK)
        return status;
    text_format(t, "{\n  \"sotto_model\": %d,\n", MODEL_VERSION);
    if (!m->statement)
        text_put(t, "  \"not_private\": true,\n");
    put_problem(t, m);
    put_member(t, "intercept", intercept_of(m));
    put_features(t, m);
    put_weights(t, m);
    if (m->statement && m->rows > 0)
        put_member(t, "rows", json_real(m->rows));
    text_format(t, "  \"schema\": %s,\n  \"privacy\": %s,\n  ",
                m->schema ? m->schema : "null",
                m->statement ? m->statement : "null");
    return t->failed ? error_memory(error) : SOTTO_OK;
}

sotto_status model_text(const sotto_model *m, text_buffer *t,
                        sotto_error *error)
{
    char tail[48];
    sotto_status status = model_put_body(m, t, error);
    if (status != SOTTO_OK)
        return status;
    model_put_signature(t, m);
    if (t->failed)
        return error_memory(error);
    model_tail(tail, t->data, t->length);
    text_put(t, tail);
    return t->failed ? error_memory(error) : SOTTO_OK;
}
