/*
 * Standard errors of weights, and why there are none: as the file has them and
 * as people ask for them. An error is of noise and sampling together.
 *
 *   "intervals": {"errors": [0.5, 0], "intercept": 1.5,
 *                 "refused": {"2": "hidden"}}
 *   "intervals": {"refused": "l1"}          no weight has one
 *
 * Levels of a category add up to the intercept's column, so that predictions do
 * not say what their weights have in common. The middle of such an interval is
 * the weight and what it is moved by, to where the penalty puts it:
 *
 *   "moved": {"3": -0.25, "intercept": 0.25}
 */
#include "file.h"
#include "interval.h"

#include <math.h>
#include <string.h>

#define INTERVAL_WORD(id, word, meaning) word,
#define INTERVAL_MEANING(id, word, meaning) meaning,
static const char *const words[] = {INTERVAL_LIST(INTERVAL_WORD)};
static const char *const meanings[] = {INTERVAL_LIST(INTERVAL_MEANING)};

static const char intercept_key[] = "intercept", moved_key[] = "moved";

int model_make_errors(sotto_model *m)
{
    size_t count = (size_t)m->features + 1;
    m->error = mem_zeroed(count, sizeof *m->error);
    m->moved = mem_zeroed(count, sizeof *m->moved);
    m->refused = mem_zeroed(count, sizeof *m->refused);
    if (m->error && m->moved && m->refused)
        return 1;
    model_drop_errors(m);
    return 0;
}

void model_drop_errors(sotto_model *m)
{
    mem_free(m->error);
    mem_free(m->moved);
    mem_free(m->refused);
    m->error = NULL;
    m->moved = NULL;
    m->refused = NULL;
}

/* ---- asked for ---- */

int sotto_model_interval(const sotto_model *m, int64_t j, sotto_interval *out)
{
    *out = (sotto_interval){NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}, NULL};
    int given = m->error && m->error[j] > 0;
    if (!given) {
        out->none = !m->statement ? "the model is NOT PRIVATE"
                    : m->refused  ? meanings[m->refused[j]]
                                  : meanings[INTERVAL_UNMODELLED];
        return 0;
    }
    out->centre = (j < m->features ? m->weight[j] : m->intercept) + m->moved[j];
    out->error = m->error[j];
    out->moved = m->moved[j];
    for (int side = 0; side < 2; side++) {
        double sign = side ? 1 : -1;
        out->at_90[side] = out->centre + sign * INTERVAL_90 * out->error;
        out->at_95[side] = out->centre + sign * INTERVAL_95 * out->error;
    }
    return 1;
}

/* ---- written ---- */

/* The one reason that all have, or NULL. */
static const char *common_reason(const sotto_model *m)
{
    for (int64_t j = 0; j <= m->features; j++)
        if (m->error[j] > 0 || m->refused[j] != m->refused[0])
            return NULL;
    return words[m->refused[0]];
}

static void add_refused(json_t **part, const sotto_model *m)
{
    json_t *refused = json_object();
    for (int64_t j = 0; j <= m->features; j++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)j + 1);
        if (!(m->error[j] > 0))
            json_add_text(&refused, j < m->features ? key : intercept_key,
                          words[m->refused[j]]);
    }
    json_add(part, "refused", refused);
}

static void add_moved(json_t **part, const sotto_model *m)
{
    json_t *moved = json_object();
    for (int64_t j = 0; j <= m->features; j++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)j + 1);
        if (m->moved[j] != 0)
            json_add_number(&moved, j < m->features ? key : intercept_key,
                            m->moved[j]);
    }
    if (json_object_size(moved))
        json_add(part, moved_key, moved);
    else
        json_decref(moved);
}

json_t *model_intervals(const sotto_model *m)
{
    json_t *part = json_object(), *errors = json_array();
    const char *common = common_reason(m);
    for (int64_t j = 0; !common && j < m->features; j++)
        json_append(&errors, json_real(m->error[j]));
    if (common) {
        json_add_text(&part, "refused", common);
        json_decref(errors);
        return part;
    }
    json_add(&part, "errors", errors);
    json_add_number(&part, intercept_key, m->error[m->features]);
    add_refused(&part, m);
    add_moved(&part, m);
    return part;
}

/* ---- read ---- */

/* INTERVAL_REASONS: there is no such word. */
static int reason_of(const json_t *word)
{
    int i = 0;
    while (
        i < INTERVAL_REASONS &&
        !(json_is_string(word) && !strcmp(json_string_value(word), words[i])))
        i++;
    return i;
}

static int read_common(sotto_model *m, const json_t *word)
{
    int why = reason_of(word);
    if (why == INTERVAL_REASONS)
        return 0;
    memset(m->refused, why, (size_t)m->features + 1);
    return 1;
}

/* An error is above 0, or there is a reason why there is none. */
static int read_one(sotto_model *m, int64_t j, const json_t *error,
                    const json_t *word)
{
    int why = reason_of(word);
    m->error[j] = json_number_value(error);
    m->refused[j] = (unsigned char)(word ? why : 0);
    return json_is_number(error) && m->error[j] >= 0 &&
           (m->error[j] > 0) == !word && (!word || why < INTERVAL_REASONS);
}

/* Only what has an interval is moved. */
static int read_moved(sotto_model *m, const json_t *moved)
{
    size_t told = 0;
    for (int64_t j = 0; moved && j <= m->features; j++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)j + 1);
        const json_t *by =
            json_object_get(moved, j < m->features ? key : intercept_key);
        if (!by)
            continue;
        m->moved[j] = json_number_value(by);
        told++;
        if (!json_is_number(by) || m->moved[j] == 0 || !(m->error[j] > 0))
            return 0;
    }
    return !moved || (json_is_object(moved) && told > 0 &&
                      told == json_object_size(moved));
}

static int read_each(sotto_model *m, const json_t *part, const json_t *refused)
{
    const json_t *errors = json_object_get(part, "errors");
    size_t told = 0;
    const json_t *moved = json_object_get(part, moved_key);
    int fine = json_array_size(errors) == (size_t)m->features &&
               json_is_object(refused) &&
               json_object_size(part) == (moved ? 4 : 3);
    for (int64_t j = 0; fine && j <= m->features; j++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)j + 1);
        int last = j == m->features;
        const json_t *word =
            json_object_get(refused, last ? intercept_key : key);
        told += word != NULL;
        fine = read_one(m, j,
                        last ? json_object_get(part, intercept_key)
                             : json_array_get(errors, (size_t)j),
                        word);
    }
    return fine && told == json_object_size(refused) && read_moved(m, moved);
}

int model_read_intervals(sotto_model *m, const json_t *root)
{
    const json_t *part = json_object_get(root, "intervals");
    const json_t *refused = json_object_get(part, "refused");
    if (!part)
        return 1;
    if (m->classes > 2 || !json_is_object(json_object_get(root, "privacy")))
        return 0;
    if (!model_make_errors(m))
        return -1;
    return json_object_size(part) == 1 ? read_common(m, refused)
                                       : read_each(m, part, refused);
}
