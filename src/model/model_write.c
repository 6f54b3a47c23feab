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

static void put_infinite(text_buffer *t, double x)
{
    if (isfinite(x))
        text_number(t, x);
    else
        text_put(t, "null");
}

static void put_problem(text_buffer *t, const sotto_model *m)
{
    text_format(t, "  \"loss\": \"%s\",\n", loss_name(m->loss.kind));
    if (loss_has_delta(m->loss.kind)) {
        text_put(t, "  \"huber_delta\": ");
        text_number(t, m->loss.delta);
        text_put(t, ",\n");
    }
    text_put(t, "  \"penalty\": {");
    if (m->units != MODEL_UNITS_UNKNOWN)
        text_format(t, "\"units\": \"%s\", ", model_units_name(m->units));
    text_put(t, "\"l1\": ");
    text_number(t, m->l1);
    text_put(t, ", \"l2\": ");
    text_number(t, m->l2);
    text_put(t, ", \"box\": ");
    if (isinf(m->low) && isinf(m->high))
        text_put(t, "null");
    else {
        text_put(t, "[");
        put_infinite(t, m->low);
        text_put(t, ", ");
        put_infinite(t, m->high);
        text_put(t, "]");
    }
    if (isfinite(m->radius)) {
        text_put(t, ", \"radius\": ");
        text_number(t, m->radius);
    }
    text_put(t, "},\n  \"classes\": ");
    for (int i = 0; m->class_name[0] && i < 2; i++) {
        text_put(t, i ? ", " : "[");
        text_json(t, m->class_name[i]);
    }
    text_put(t, m->class_name[0] ? "],\n" : "null,\n");
    if (m->scales_rows)
        text_put(t, "  \"undeclared\": \"rows\",\n");
    if (!isfinite(m->norm_bound))
        return;
    text_put(t, "  \"row_norm\": {\"bound\": ");
    text_number(t, m->norm_bound);
    text_put(t, ", \"centre\": ");
    text_number(t, m->norm_centre);
    text_put(t, "},\n");
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
static void put_sparse(text_buffer *t, const double *x, int64_t count)
{
    const char *between = "";
    text_put(t, "{");
    for (int64_t j = 0; j < count; j++) {
        if (x[j] == 0 && !signbit(x[j]))
            continue;
        text_format(t, "%s\n    \"%lld\": ", between, (long long)j + 1);
        text_number(t, x[j]);
        between = ",";
    }
    text_put(t, "},\n");
}

/* One number for each feature. */
static void put_vector(text_buffer *t, const sotto_model *m, const double *x)
{
    int64_t used = 0;
    for (int64_t j = 0; j < m->features; j++)
        used += x[j] != 0;
    if (!m->name && m->features > MODEL_LISTED && used < m->features / 3) {
        put_sparse(t, x, m->features);
        return;
    }
    text_put(t, "[");
    for (int64_t j = 0; j < m->features; j++) {
        text_put(t, j ? ",\n    " : "\n    ");
        text_number(t, x[j]);
    }
    text_put(t, "],\n");
}

static void put_weights(text_buffer *t, const sotto_model *m)
{
    text_put(t, "  \"weights\": ");
    put_vector(t, m, m->weight);
    if (!m->noise)
        return;
    text_put(t, "  \"noise\": ");
    put_vector(t, m, m->noise);
}

static sotto_status check_finite(const sotto_model *m, sotto_error *error)
{
    int64_t j = 0;
    char buffer[24];
    while (j < m->features && isfinite(m->weight[j]))
        j++;
    if (j == m->features && isfinite(m->intercept))
        return SOTTO_OK;
    return error_set(
        error, SOTTO_FAILED,
        "the %s%s%s is too large for a double in the units of "
        "the file; give the column in a larger unit",
        j < m->features ? "weight of \"" : "intercept",
        j < m->features ? show_name(sotto_model_feature_name(m, j, buffer)).text
                        : "",
        j < m->features ? "\"" : "");
}

sotto_status model_text(const sotto_model *m, text_buffer *t,
                        sotto_error *error)
{
    char tail[48];
    sotto_status status = check_finite(m, error);
    if (status != SOTTO_OK)
        return status;
    text_format(t, "{\n  \"sotto_model\": %d,\n", MODEL_VERSION);
    if (!m->statement)
        text_put(t, "  \"not_private\": true,\n");
    put_problem(t, m);
    text_put(t, "  \"intercept\": ");
    text_number(t, m->intercept);
    text_put(t, ",\n");
    put_features(t, m);
    put_weights(t, m);
    if (m->statement && m->rows > 0) {
        text_put(t, "  \"rows\": ");
        text_number(t, m->rows);
        text_put(t, ",\n");
    }
    text_format(t, "  \"schema\": %s,\n  \"privacy\": %s,\n  ",
                m->schema ? m->schema : "null",
                m->statement ? m->statement : "null");
    if (t->failed)
        return error_memory(error);
    model_tail(tail, t->data, t->length);
    text_put(t, tail);
    return t->failed ? error_memory(error) : SOTTO_OK;
}
