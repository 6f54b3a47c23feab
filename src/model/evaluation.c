/*
 * The file of a private evaluation: written, read back strictly, and asked.
 * What it may have is a list: nothing else gets into it or out of it.
 */
#include "evaluation.h"
#include "account.h"
#include "file.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

/* In the order of the file. */
static const char *const members[] = {
    "sotto_evaluation", "not_private", "model",   "loss",
    "classes",          "rows",        "numbers", "by_class",
    "confusion",        "scores",      "roc",     "calibration",
    "privacy",          NULL};

/* ---- which model ---- */

sotto_status evaluation_hash(char out[EVALUATION_HASH], const sotto_model *m,
                             sotto_error *error)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    text_buffer text = {0};
    sotto_status status = model_text(m, &text, error);
    if (status == SOTTO_OK) {
        crypto_hash_sha256(hash, (const unsigned char *)text.data, text.length);
        sodium_bin2hex(out, EVALUATION_HASH, hash, sizeof hash);
    }
    text_free(&text);
    return status;
}

sotto_status evaluation_is_of(const sotto_evaluation *e, const sotto_model *m,
                              int *out, sotto_error *error)
{
    char hash[EVALUATION_HASH];
    const char *own = json_string_value(json_object_get(e->root, "model"));
    sotto_status status = evaluation_hash(hash, m, error);
    *out = status == SOTTO_OK && own && !strcmp(own, hash);
    return status;
}

int sotto_evaluation_is_of(const sotto_evaluation *e, const sotto_model *m)
{
    int same;
    return evaluation_is_of(e, m, &same, NULL) == SOTTO_OK && same;
}

/* ---- made and checked ---- */

/* A number, or null. */
static int is_number(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

static int is_numbers(const json_t *list, size_t count)
{
    int fine = json_array_size(list) == count;
    for (size_t i = 0; fine && i < count; i++)
        fine = is_number(json_array_get(list, i));
    return fine;
}

/* A value with its intervals, or why there is none. */
static int is_estimate(const json_t *value)
{
    const json_t *number = json_object_get(value, "value");
    if (json_is_null(number))
        return json_object_size(value) == 2 &&
               json_is_string(json_object_get(value, "why"));
    return json_is_number(number) && json_object_size(value) == 4 &&
           json_is_number(json_object_get(value, "sd")) &&
           is_numbers(json_object_get(value, "interval_90"), 2) &&
           is_numbers(json_object_get(value, "interval_95"), 2);
}

/* Whether a list, ended by NULL, has the word. */
static int is_in(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list))
        list++;
    return *list != NULL;
}

static int is_estimates(json_t *object)
{
    static const char *const known[] = {
        "accuracy", "auc",  "log_loss", "r2",        "mse",
        "mae",      "rows", "recall",   "precision", NULL};
    const char *key;
    json_t *value;
    int fine = json_is_object(object);
    json_object_foreach(object, key, value) fine &=
        is_in(key, known) && is_estimate(value);
    return fine;
}

/* Lists of numbers, or lists of such lists. */
static int is_series(json_t *object)
{
    static const char *const known[] = {
        "counts", "noise_sd", "edges",  "threshold", "fpr",
        "fpr_sd", "tpr",      "tpr_sd", "predicted", "observed",
        "sd",     "monotone", NULL};
    const char *key;
    json_t *value;
    int fine = json_is_object(object);
    json_object_foreach(object, key, value)
    {
        fine &= is_in(key, known) && json_is_array(value);
        for (size_t i = 0; i < json_array_size(value); i++) {
            const json_t *at = json_array_get(value, i);
            fine &= is_number(at) ||
                    (json_is_array(at) && is_numbers(at, json_array_size(at)));
        }
    }
    return fine;
}

static int is_by_class(const json_t *list)
{
    int fine = json_is_array(list);
    for (size_t i = 0; i < json_array_size(list); i++)
        fine &= is_estimates(json_array_get(list, i));
    return fine;
}

static int is_words(const json_t *list)
{
    int fine = json_is_array(list);
    for (size_t i = 0; i < json_array_size(list); i++)
        fine &= json_is_string(json_array_get(list, i));
    return fine;
}

static int is_member(const char *key, json_t *value)
{
    if (!strcmp(key, "sotto_evaluation"))
        return json_is_integer(value);
    if (!strcmp(key, "not_private"))
        return json_is_true(value);
    if (!strcmp(key, "model") || !strcmp(key, "loss"))
        return json_is_string(value);
    if (!strcmp(key, "classes"))
        return is_words(value);
    if (!strcmp(key, "rows"))
        return is_estimate(value);
    if (!strcmp(key, "numbers"))
        return is_estimates(value);
    if (!strcmp(key, "by_class"))
        return is_by_class(value);
    if (!strcmp(key, "privacy"))
        return json_is_object(value) || json_is_null(value);
    return is_series(value);
}

/* Every member is on the list, and is what it must be. */
static int is_whole(json_t *root)
{
    const char *key;
    json_t *value;
    int fine = json_is_object(root);
    json_object_foreach(root, key, value)
    {
        fine &= is_in(key, members) && is_member(key, value);
    }
    static const char *const needed[] = {"model", "loss", "rows", "numbers",
                                         "privacy"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        fine &= json_object_get(root, needed[i]) != NULL;
    return fine && json_is_null(json_object_get(root, "privacy")) ==
                       (json_object_get(root, "not_private") != NULL);
}

static int read_privacy(sotto_evaluation *e)
{
    const json_t *privacy = json_object_get(e->root, "privacy");
    if (!json_is_object(privacy))
        return 1;
    e->statement = model_form(privacy);
    e->epsilon = json_number_value(json_object_get(privacy, "epsilon"));
    e->delta = json_number_value(json_object_get(privacy, "delta"));
    return e->statement != NULL;
}

sotto_status evaluation_new(sotto_evaluation **out, json_t *root,
                            const char *name, sotto_error *error)
{
    sotto_evaluation *e = mem_zeroed(1, sizeof *e);
    *out = NULL;
    if (!e || !root || !is_whole(root)) {
        int none = !e || !root;
        json_decref(root);
        mem_free(e);
        return none ? error_memory(error)
                    : model_refuse(name,
                                   "not a whole evaluation: a member is "
                                   "missing, or is not understood",
                                   error);
    }
    e->root = root;
    e->file = mem_text(name);
    if (!e->file || !read_privacy(e)) {
        sotto_evaluation_free(e);
        return error_memory(error);
    }
    *out = e;
    return e->statement && !(e->epsilon > 0 && e->delta > 0 && e->delta < 1)
               ? (sotto_evaluation_free(e), *out = NULL,
                  model_refuse(name, "its statement has no epsilon or delta",
                               error))
               : SOTTO_OK;
}

void sotto_evaluation_free(sotto_evaluation *e)
{
    if (!e)
        return;
    json_decref(e->root);
    mem_free(e->statement);
    mem_free(e->file);
    model_run_free(&e->booked);
    mem_free(e);
}

/* ---- the file ---- */

/* A line for each member, and for each part of a longer one. */
static void put_part(text_buffer *t, const char *key, const json_t *value)
{
    (void)key;
    json_put(t, value);
}

static void put_member(text_buffer *t, const char *key, const json_t *value)
{
    int is_long = json_is_object(value) && strcmp(key, "rows") != 0;
    text_format(t, "  \"%s\": ", key);
    if (!strcmp(key, "privacy") && json_is_object(value)) {
        char *form = model_form(value);
        text_put(t, form ? form : "");
        t->failed |= !form;
        mem_free(form);
    } else if (is_long)
        json_put_members(t, value,
                         (json_layout){"\n    ", ",\n    ", "", put_part});
    else
        json_put(t, value);
    text_put(t, ",\n");
}

sotto_status sotto_evaluation_text(char **out, const sotto_evaluation *e,
                                   sotto_error *error)
{
    char tail[48];
    text_buffer t = {0};
    *out = NULL;
    text_put(&t, "{\n");
    for (int i = 0; members[i]; i++) {
        const json_t *value = json_object_get(e->root, members[i]);
        if (value)
            put_member(&t, members[i], value);
    }
    text_put(&t, "  ");
    if (!t.failed) {
        model_tail(tail, t.data, t.length);
        text_put(&t, tail);
    }
    if (t.failed)
        text_free(&t);
    else
        *out = text_take(&t);
    return *out ? SOTTO_OK : error_memory(error);
}

static sotto_status parse(sotto_evaluation **out, const char *name,
                          const char *bytes, size_t size, sotto_error *error)
{
    json_t *root = json_read(bytes, size, NULL);
    const json_t *version = json_object_get(root, "sotto_evaluation");
    *out = NULL;
    if (!root && json_out_of_memory(size))
        return error_memory(error);
    sotto_status status = SOTTO_OK;
    if (!json_is_integer(version))
        status = model_refuse(name,
                              "not an evaluation: expected a file that a "
                              "private 'sotto evaluate' has written",
                              error);
    else if (json_integer_value(version) != EVALUATION_VERSION)
        status = error_set(error, SOTTO_USAGE,
                           "%s: an evaluation of version %lld; this sotto (%s) "
                           "reads version %d: use the sotto it was made with, "
                           "or a newer one",
                           show_name(name).text,
                           (long long)json_integer_value(version),
                           sotto_version(), EVALUATION_VERSION);
    if (status == SOTTO_OK)
        status = model_check_sum(name, bytes, size, error);
    if (status != SOTTO_OK) {
        json_decref(root);
        return status;
    }
    json_object_del(root, "checksum");
    return evaluation_new(out, root, name, error);
}

/* The first member says what a file is. */
static int is_evaluation(const char *bytes, size_t size)
{
    const char *end = bytes + size, *name = "\"sotto_evaluation\"";
    while (bytes < end && memchr(" \r\n\t{", *bytes, 5))
        bytes++;
    return (size_t)(end - bytes) > strlen(name) &&
           !memcmp(bytes, name, strlen(name));
}

sotto_status sotto_release_read(sotto_model **model,
                                sotto_evaluation **evaluation, const char *path,
                                sotto_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    *model = NULL;
    *evaluation = NULL;
    sotto_status status = file_read(path, FILE_MOST, &bytes, &size, error);
    if (status == SOTTO_OK)
        status = is_evaluation(bytes, size)
                     ? parse(evaluation, path, bytes, size, error)
                     : model_parse(model, path, bytes, size, error);
    mem_free(bytes);
    return status;
}

sotto_status sotto_evaluation_parse(sotto_evaluation **out, const char *text,
                                    sotto_error *error)
{
    return parse(out, "an evaluation", text, strlen(text), error);
}

/* ---- asked ---- */

const char *sotto_evaluation_statement(const sotto_evaluation *e)
{
    return e->statement;
}

int sotto_evaluation_privacy(const sotto_evaluation *e, double *epsilon,
                             double *delta)
{
    *epsilon = e->epsilon;
    *delta = e->delta;
    return e->statement != NULL;
}

int sotto_evaluation_booking(const sotto_evaluation *e, sotto_booking *out)
{
    return model_booking(e->statement, out);
}

sotto_status sotto_evaluation_check(const sotto_evaluation *e,
                                    sotto_error *error)
{
    return e->statement ? account_check_statement(e->statement, e->file, error)
                        : SOTTO_OK;
}

static double at(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

int sotto_evaluation_number(const sotto_evaluation *e, const char *name,
                            sotto_estimate *out)
{
    const json_t *numbers = json_object_get(e->root, "numbers");
    const json_t *one = strcmp(name, "rows") ? json_object_get(numbers, name)
                                             : json_object_get(e->root, name);
    const json_t *value = json_object_get(one, "value");
    const json_t *i90 = json_object_get(one, "interval_90");
    const json_t *i95 = json_object_get(one, "interval_95");
    *out = (sotto_estimate){NAN, NAN, NAN, NAN, NAN, NAN};
    if (!json_is_number(value))
        return 0;
    *out = (sotto_estimate){json_number_value(value),
                            json_number_value(json_object_get(one, "sd")),
                            at(i90, 0),
                            at(i90, 1),
                            at(i95, 0),
                            at(i95, 1)};
    return 1;
}
