/*
 * The parts of a model file read back, strictly: what is not understood is
 * refused.
 */
#include "file.h"
#include "model.h"

#include <math.h>
#include <string.h>

/* A number, or null for none. */
static int is_bound(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

/* Models of earlier versions do not say it. */
static int read_units(sotto_model *m, const json_t *word)
{
    m->units = MODEL_UNITS_UNKNOWN;
    static const model_units known[] = {MODEL_UNITS_FIT, MODEL_UNITS_FILE,
                                        MODEL_UNITS_SPREAD};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (json_is_string(word) &&
            !strcmp(json_string_value(word), model_units_name(known[i])))
            m->units = known[i];
    return !word || m->units != MODEL_UNITS_UNKNOWN;
}

static int read_problem(sotto_model *m, json_t *root)
{
    json_t *penalty = json_object_get(root, "penalty");
    json_t *box = json_object_get(penalty, "box");
    json_t *delta = json_object_get(root, "huber_delta");
    json_t *l1 = json_object_get(penalty, "l1");
    json_t *l2 = json_object_get(penalty, "l2");
    json_t *radius = json_object_get(penalty, "radius"); /* most have none */
    json_t *units = json_object_get(penalty, "units");   /* old ones, too */
    const char *name = json_string_value(json_object_get(root, "loss"));
    if (!name || !loss_named(name, &m->loss.kind) || !json_is_number(l1) ||
        !json_is_number(l2) || !box || (radius && !json_is_number(radius)) ||
        !read_units(m, units) ||
        json_object_size(penalty) != 3u + (radius != NULL) + (units != NULL))
        return 0;
    if (radius)
        m->radius = json_number_value(radius);
    m->l1 = json_number_value(l1);
    m->l2 = json_number_value(l2);
    m->loss.delta = json_number_value(delta);
    json_t *low = json_array_get(box, 0), *high = json_array_get(box, 1);
    if (!json_is_null(box) &&
        !(json_array_size(box) == 2 && is_bound(low) && is_bound(high)))
        return 0;
    if (json_is_number(low))
        m->low = json_number_value(low);
    if (json_is_number(high))
        m->high = json_number_value(high);
    return m->l1 >= 0 && m->l2 >= 0 && m->low <= m->high && m->radius > 0 &&
           loss_has_delta(m->loss.kind) == (m->loss.delta > 0);
}

/* Most models have none. */
static int read_row_norm(sotto_model *m, json_t *root)
{
    json_t *norm = json_object_get(root, "row_norm");
    json_t *bound = json_object_get(norm, "bound");
    json_t *centre = json_object_get(norm, "centre");
    if (!norm)
        return 1;
    if (!json_is_number(bound) || !json_is_number(centre) ||
        json_object_size(norm) != 2)
        return 0;
    m->norm_bound = json_number_value(bound);
    m->norm_centre = json_number_value(centre);
    return m->norm_bound > 0;
}

/* Most models are of rows as they are. */
static int read_undeclared(sotto_model *m, json_t *root)
{
    json_t *word = json_object_get(root, "undeclared");
    m->scales_rows = word != NULL;
    return !word ||
           (json_is_string(word) && !strcmp(json_string_value(word), "rows"));
}

/* How K >= 3 classes were learned; of two it is not said. */
static int read_strategy(sotto_model *m, json_t *root)
{
    const char *word = json_string_value(json_object_get(root, "strategy"));
    if (m->classes <= 2)
        return !json_object_get(root, "strategy");
    m->one_versus_rest = word && !strcmp(word, "one-versus-rest");
    if (!word || (!m->one_versus_rest && (strcmp(word, "multinomial") ||
                                          !loss_has_log_odds(m->loss.kind))))
        return 0;
    return model_make_classes(m) ? 1 : -1;
}

/* -1: out of memory; 0: not words where there must be; 1: fine. */
static int read_classes(sotto_model *m, json_t *root)
{
    json_t *classes = json_object_get(root, "classes");
    size_t count = json_array_size(classes);
    if (!loss_has_classes(m->loss.kind))
        return json_is_null(classes);
    if (count < 2 || count > TABLE_MOST_CLASSES)
        return 0;
    m->class_name = mem_zeroed(count, sizeof *m->class_name);
    m->classes = m->class_name ? (int64_t)count : 0;
    for (int64_t i = 0; i < m->classes; i++) {
        const char *word =
            json_string_value(json_array_get(classes, (size_t)i));
        m->class_name[i] = word ? mem_text(word) : NULL;
        if (!m->class_name[i])
            return word ? -1 : 0;
    }
    return m->class_name ? read_strategy(m, root) : -1;
}

static int read_names(sotto_model *m, json_t *features)
{
    if (!json_is_array(features))
        return 1;
    m->name = mem_zeroed((size_t)m->features, sizeof *m->name);
    for (int64_t j = 0; m->name && j < m->features; j++) {
        const char *name =
            json_string_value(json_array_get(features, (size_t)j));
        m->name[j] = name ? mem_text(name) : NULL;
        if (!m->name[j])
            return name ? -1 : 0;
    }
    return m->name ? 1 : -1;
}

/* The number that a key like "17" is, or 0. */
static int64_t read_index(const char *key)
{
    int64_t index = 0;
    if (*key == '0')
        return 0;
    for (; *key >= '0' && *key <= '9' && index < (int64_t)1 << 40; key++)
        index = 10 * index + *key - '0';
    return *key ? 0 : index;
}

/* A number, or a list of `width` numbers, one for each class. */
static int read_numbers(double *out, int64_t features, int64_t width,
                        json_t *from)
{
    if (width == 1)
        *out = json_number_value(from);
    if (width == 1 || json_array_size(from) != (size_t)width)
        return width == 1 && json_is_number(from);
    for (int64_t k = 0; k < width; k++) {
        json_t *value = json_array_get(from, (size_t)k);
        if (!json_is_number(value))
            return 0;
        out[k * features] = json_number_value(value);
    }
    return 1;
}

/* One number for each feature (and class), or those that are not 0. */
static int read_vector(double *out, int64_t features, int64_t width,
                       json_t *from)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_array(from) && json_array_size(from) != (size_t)features)
        return 0;
    json_array_foreach(from, i, value)
    {
        if (!read_numbers(out + i, features, width, value))
            return 0;
    }
    json_object_foreach(from, key, value)
    {
        int64_t index = read_index(key);
        if (index < 1 || index > features ||
            !read_numbers(out + index - 1, features, width, value))
            return 0;
    }
    return json_is_array(from) || json_is_object(from);
}

/* Numbers of a feature: one, or with K >= 3 classes K. */
static int64_t width_of(const sotto_model *m)
{
    return m->classes > 2 ? m->classes : 1;
}

/* Of models with a statement, and not of all of them. */
static int read_noise(sotto_model *m, json_t *root)
{
    json_t *noise = json_object_get(root, "noise");
    if (!noise)
        return 1;
    if (!json_is_object(json_object_get(root, "privacy")))
        return 0;
    m->noise = mem_zeroed((size_t)model_weights(m), sizeof *m->noise);
    if (!m->noise)
        return -1;
    int fine = read_vector(m->noise, m->features, width_of(m), noise);
    for (int64_t j = 0; fine && j < model_weights(m); j++)
        fine = m->noise[j] >= 0;
    return fine;
}

/* With units of spread and no others; every weight that is penalised has
   one. */
static int read_scales(sotto_model *m, json_t *root)
{
    json_t *scales = json_object_get(root, "penalty_scales");
    int by_spread = m->units == MODEL_UNITS_SPREAD, fine = 1;
    if (scales && !by_spread)
        return 0;
    if (scales)
        m->scale = mem_zeroed((size_t)m->features, sizeof *m->scale);
    if (scales && !m->scale)
        return -1;
    if (scales)
        fine = read_vector(m->scale, m->features, 1, scales);
    for (int64_t j = 0; fine && by_spread && j < m->features; j++) {
        double scale = m->scale ? m->scale[j] : 0;
        fine = scale > 0 || scale == 0;
        for (int64_t k = 0; fine && scale == 0 && k < width_of(m); k++)
            fine = m->weight[k * m->features + j] == 0;
    }
    return fine;
}

/* As the noise: of models with a statement. */
static int read_rows(sotto_model *m, json_t *root)
{
    json_t *rows = json_object_get(root, "rows");
    m->rows = json_number_value(rows);
    return !rows || (json_is_number(rows) && m->rows > 0 &&
                     json_is_object(json_object_get(root, "privacy")));
}

/* Sets the text that a part of the file has in its one form. */
static int read_text(char **out, const json_t *part)
{
    *out = model_form(part);
    return *out != NULL;
}

static int read_rest(sotto_model *m, json_t *root)
{
    json_t *schema = json_object_get(root, "schema");
    json_t *intercept = json_object_get(root, "intercept");
    double *to = m->classes > 2 ? m->class_intercept : &m->intercept;
    if (!read_numbers(to, 1, width_of(m), intercept) || !json_is_object(schema))
        return 0;
    json_t *statement = json_object_get(root, "privacy");
    if (!read_text(&m->schema, schema) ||
        (json_is_object(statement) && !read_text(&m->statement, statement)))
        return -1;
    m->epsilon = json_number_value(json_object_get(statement, "epsilon"));
    m->delta = json_number_value(json_object_get(statement, "delta"));
    return 1;
}

static int64_t count_features(json_t *features)
{
    if (json_is_array(features))
        return (int64_t)json_array_size(features);
    json_int_t count = json_integer_value(features);
    return count > 0 && count <= 2147483647 ? (int64_t)count : 0;
}

static int has_known_keys(json_t *root)
{
    static const char *const known[] = {
        "sotto_model", "not_private",    "loss",       "huber_delta",
        "penalty",     "classes",        "intercept",  "features",
        "weights",     "schema",         "privacy",    "checksum",
        "row_norm",    "noise",          "undeclared", "rows",
        "signature",   "penalty_scales", "strategy",   "intervals"};
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        size_t i = 0, count = sizeof known / sizeof *known;
        while (i < count && strcmp(known[i], key))
            i++;
        if (i == count)
            return 0;
    }
    return 1;
}

sotto_status model_read_parts(sotto_model **out, const char *name, json_t *root,
                              sotto_error *error)
{
    json_t *features = json_object_get(root, "features");
    int64_t count = count_features(features);
    int fine = count > 0 && has_known_keys(root);
    sotto_model *m = fine ? model_new(count) : NULL;
    if (fine && !m)
        return error_memory(error);
    if (fine)
        fine = read_problem(m, root) && read_row_norm(m, root) &&
               read_undeclared(m, root) && read_rows(m, root) &&
               model_read_signature(m, root);
    if (fine > 0)
        fine = read_classes(m, root);
    if (fine > 0)
        fine = read_names(m, features);
    if (fine > 0)
        fine = read_vector(m->weight, m->features, width_of(m),
                           json_object_get(root, "weights"));
    if (fine > 0)
        fine = read_scales(m, root);
    if (fine > 0)
        fine = read_noise(m, root);
    if (fine > 0)
        fine = model_read_intervals(m, root);
    if (fine > 0)
        fine = read_rest(m, root);
    if (fine > 0) {
        *out = m;
        return SOTTO_OK;
    }
    sotto_model_free(m);
    return fine < 0 ? error_memory(error)
                    : model_refuse(name,
                                   "a part of the model is not as it must be; "
                                   "expected a file as 'sotto train' writes it",
                                   error);
}
