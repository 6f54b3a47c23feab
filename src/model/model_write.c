/*
 * The model as text: JSON, one name and one weight per line, doubles that
 * read back as the same bits.
 */
#include "file.h"
#include "model.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { MODEL_LISTED = 4096 };

/* ---- the schema and the statement ---- */

/* One line for each column. */
static void put_columns(text_buffer *t, json_t *columns)
{
    const char *name, *between = "\n      ";
    json_t *value;
    text_put(t, "{");
    json_object_foreach(columns, name, value)
    {
        text_put(t, between);
        text_json(t, name);
        text_put(t, ": ");
        model_put_json(t, value);
        between = ",\n      ";
    }
    text_put(t, "}");
}

/* One line for each object of a list. */
static void put_list(text_buffer *t, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        text_put(t, i ? ",\n      " : "[\n      ");
        model_put_json(t, json_array_get(list, i));
    }
    text_put(t, "]");
}

static void put_value(text_buffer *t, const char *key, json_t *value)
{
    if (json_is_object(value) && !strcmp(key, "columns"))
        put_columns(t, value);
    else if (json_is_object(json_array_get(value, 0)))
        put_list(t, value);
    else
        model_put_json(t, value);
}

char *model_form(const char *json)
{
    const char *key, *between = "";
    locale_t before = locale_plain();
    json_t *value, *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
    locale_restore(before);
    text_buffer t = {.failed = root == NULL};
    text_put(&t, "{");
    json_object_foreach(root, key, value)
    {
        text_put(&t, between);
        text_json(&t, key);
        text_put(&t, ": ");
        put_value(&t, key, value);
        between = ",\n    ";
    }
    text_put(&t, "}");
    json_decref(root);
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
