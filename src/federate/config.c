/*
 * What all have agreed upon before anything is read: one JSON file. Read
 * strictly: a key that is not understood is refused.
 */
#include "config.h"

#include <math.h>
#include <string.h>

enum { CONFIG_VERSION = 1, CONFIG_MOST_PARTIES = 1 << 12 };

sotto_status config_refuse(const reading *r, const char *where,
                           const char *expected)
{
    return error_set(r->error, SOTTO_USAGE, "%s: %s: expected %s",
                     show_name(r->name).text, show_name(where).text, expected);
}

/* ---- values ---- */

sotto_status config_keys(const reading *r, const json_t *object,
                         const char *where, const char *keys)
{
    const char *key;
    json_t *value;
    char word[40];
    if (!json_is_object(object))
        return config_refuse(r, where, "an object {...}");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        (void)value;
        if (snprintf(word, sizeof word, " %s ", key) >= (int)sizeof word ||
            strchr(key, ' ') || !strstr(keys, word))
            return error_set(r->error, SOTTO_USAGE,
                             "%s: %s has no \"%s\"; expected some of %.*s%s",
                             show_name(r->name).text, show_name(where).text,
                             show_name(key).text, (int)strlen(keys) - 2,
                             keys + 1, near_word(key, keys).text);
    }
    return SOTTO_OK;
}

/* A number within [low, high]; where it is not given *out stays. */
sotto_status config_number(const reading *r, const json_t *object,
                           const char *key, double low, double high,
                           double *out)
{
    const json_t *value = json_object_get(object, key);
    char expected[100];
    if (!value)
        return SOTTO_OK;
    *out = json_number_value(value);
    if (json_is_number(value) && *out >= low && *out <= high)
        return SOTTO_OK;
    snprintf(expected, sizeof expected, "a number from %s to %s",
             sotto_number_print(low, 6).text, sotto_number_print(high, 6).text);
    return config_refuse(r, key, expected);
}

sotto_status config_integer(const reading *r, const json_t *object,
                            const char *key, int64_t low, int64_t high,
                            int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    char expected[80];
    if (!value)
        return SOTTO_OK;
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= low && *out <= high)
        return SOTTO_OK;
    snprintf(expected, sizeof expected, "a whole number from %lld to %lld",
             (long long)low, (long long)high);
    return config_refuse(r, key, expected);
}

/* One of two words, the first of which is the default: 0 or 1. */
sotto_status config_word(const reading *r, const json_t *object,
                         const char *key, const char *first, const char *second,
                         int *out)
{
    const json_t *value = json_object_get(object, key);
    const char *word = value ? json_string_value(value) : first;
    char expected[80];
    *out = word && !strcmp(word, second);
    if (word && (*out || !strcmp(word, first)))
        return SOTTO_OK;
    snprintf(expected, sizeof expected, "\"%s\" or \"%s\"", first, second);
    return config_refuse(r, key, expected);
}

/* The map that bounds make, as the readers of data have it. */
static sotto_status get_bounds(const reading *r, const json_t *column,
                               const char *name, double *centre, double *half)
{
    const json_t *bounds = json_object_get(column, "bounds");
    const json_t *low = json_array_get(bounds, 0),
                 *high = json_array_get(bounds, 1);
    if (json_array_size(bounds) != 2 || !json_is_number(low) ||
        !json_is_number(high) ||
        !(json_number_value(low) < json_number_value(high)))
        return config_refuse(
            r, name,
            "\"bounds\": [low, high], declared without a look at "
            "the records");
    *centre = json_number_value(low) / 2 + json_number_value(high) / 2;
    *half = json_number_value(high) / 2 - json_number_value(low) / 2;
    return SOTTO_OK;
}

/* ---- columns ---- */

static sotto_status add_feature(const reading *r, federation_party *p,
                                const char *column, const char *level,
                                double centre, double half)
{
    text_buffer name = {0};
    text_put(&name, column);
    if (level) {
        text_put(&name, "=");
        text_put(&name, level);
    }
    if (name.failed) {
        text_free(&name);
        return error_memory(r->error);
    }
    int64_t i = p->features++;
    p->feature[i] = name.data;
    p->centre[i] = centre;
    p->half[i] = half;
    return SOTTO_OK;
}

static int is_number(const json_t *column)
{
    const char *type = json_string_value(json_object_get(column, "type"));
    return type && !strcmp(type, "number");
}

/* How many features a column makes; 0: not one that a party can have. */
static size_t features_of(const json_t *column)
{
    const char *type = json_string_value(json_object_get(column, "type"));
    if (is_number(column))
        return 1;
    return type && !strcmp(type, "category")
               ? json_array_size(json_object_get(column, "levels"))
               : 0;
}

static sotto_status add_column(const reading *r, federation_party *p,
                               const char *name, const json_t *column)
{
    double centre = 0, half = 1;
    const json_t *levels = json_object_get(column, "levels");
    if (is_number(column)) { /* its levels, if it has some, are not counted */
        sotto_status status =
            levels ? config_refuse(r, name, "a number without \"levels\"")
                   : get_bounds(r, column, name, &centre, &half);
        return status == SOTTO_OK ? add_feature(r, p, name, NULL, centre, half)
                                  : status;
    }
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const char *level = json_string_value(json_array_get(levels, i));
        if (!level)
            return config_refuse(r, name, "\"levels\": [names]");
        sotto_status status = add_feature(r, p, name, level, 0, 1);
        if (status != SOTTO_OK)
            return status;
    }
    return SOTTO_OK;
}

static sotto_status read_columns(const reading *r, federation_party *p,
                                 const json_t *columns)
{
    const char *name;
    json_t *column;
    size_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)columns, name, column)
    {
        count += features_of(column);
        if (!features_of(column))
            return config_refuse(
                r, name,
                "\"type\": \"number\" with bounds, or \"category\" "
                "with levels");
    }
    p->feature = mem_zeroed(count + 1, sizeof *p->feature);
    p->centre = mem_zeroed(count + 1, sizeof *p->centre);
    p->half = mem_zeroed(count + 1, sizeof *p->half);
    if (!p->feature || !p->centre || !p->half)
        return error_memory(r->error);
    json_object_foreach((json_t *)(uintptr_t)columns, name, column)
    {
        sotto_status status = add_column(r, p, name, column);
        if (status != SOTTO_OK)
            return status;
    }
    return SOTTO_OK;
}

/* ---- parties ---- */

static sotto_status read_party(const reading *r, federation_party *p,
                               const json_t *from)
{
    const char *name = json_string_value(json_object_get(from, "name"));
    char which[30]; /* its name may be what is wrong */
    snprintf(which, sizeof which, "party %d", (int)(p - r->f->party) + 1);
    sotto_status status =
        config_keys(r, from, which, " name columns constant radius cap key ");
    if (status != SOTTO_OK)
        return status;
    if (!name || !*name || !json_is_number(json_object_get(from, "radius")) ||
        !json_is_integer(json_object_get(from, "cap")))
        return config_refuse(
            r, name ? name : which,
            "\"name\", \"radius\" (of its weights) and \"cap\" (the "
            "most of its columns that it shows)");
    p->name = mem_text(name);
    if (!p->name)
        return error_memory(r->error);
    status = read_columns(r, p, json_object_get(from, "columns"));
    if (status == SOTTO_OK)
        status = config_number(r, from, "constant", -1, 1, &p->constant);
    if (status == SOTTO_OK)
        status =
            config_number(r, from, "radius", 0x1p-100, 0x1p100, &p->radius);
    if (status == SOTTO_OK)
        status = config_integer(r, from, "cap", 0, 1 << 30, &p->cap);
    int64_t most = p->features + (p->constant != 0);
    if (status == SOTTO_OK && p->features == 0)
        status = config_refuse(r, name, "at least one column");
    p->cap = p->cap < most ? p->cap : most;
    return status;
}

static sotto_status read_parties(const reading *r, const json_t *root)
{
    federation *f = r->f;
    const json_t *list = json_object_get(root, "parties");
    size_t count = json_array_size(list);
    int constants = 0, movers = 0;
    if (count < 1 || count > CONFIG_MOST_PARTIES)
        return config_refuse(r, "parties", "a list of parties");
    f->party = mem_zeroed(count, sizeof *f->party);
    if (!f->party)
        return error_memory(r->error);
    f->parties = (int)count;
    for (int k = 0; k < f->parties; k++) {
        sotto_status status =
            read_party(r, &f->party[k], json_array_get(list, (size_t)k));
        if (status != SOTTO_OK)
            return status;
        constants += f->party[k].constant != 0;
        movers += f->party[k].cap > 0;
        for (int i = 0; i < k; i++)
            if (!strcmp(f->party[i].name, f->party[k].name))
                return config_refuse(r, f->party[k].name,
                                     "parties of other names");
    }
    if (constants > 1)
        return config_refuse(r, "constant", "one party to have it");
    return movers ? SOTTO_OK
                  : config_refuse(r, "cap", "a party with a cap above 0");
}

/* ---- the rest ---- */

static sotto_status read_target(const reading *r, const json_t *root)
{
    federation *f = r->f;
    const json_t *target = json_object_get(root, "target");
    const char *name = json_string_value(json_object_get(target, "name"));
    const char *owner = json_string_value(json_object_get(target, "party"));
    sotto_status status =
        config_keys(r, target, "target", " name bounds party ");
    if (status == SOTTO_OK && (!name || !*name))
        status = config_refuse(r, "target", "its \"name\"");
    if (status == SOTTO_OK)
        status =
            get_bounds(r, target, name, &f->target_centre, &f->target_half);
    if (status == SOTTO_OK)
        status = config_word(r, root, "labels", "private", "known",
                             &f->labels_known);
    if (status != SOTTO_OK)
        return status;
    f->target = mem_text(name);
    f->label_party = -1;
    for (int k = 0; owner && k < f->parties; k++)
        if (!strcmp(f->party[k].name, owner))
            f->label_party = k;
    if (f->labels_known && json_object_get(target, "party"))
        return config_refuse(
            r, "target", "no \"party\" where labels are known: all have them");
    if (!f->labels_known && f->label_party < 0)
        return config_refuse(r, "target",
                             "\"party\": the name of the one who has it");
    return f->target ? SOTTO_OK : error_memory(r->error);
}

/* The largest weights that there can be, as set_weights will write them: what
   no double holds is refused before anything is spent. */
static sotto_status check_units(const reading *r)
{
    const federation *f = r->f;
    double intercept = fabs(f->target_centre);
    for (int k = 0; k < f->parties; k++) {
        const federation_party *p = &f->party[k];
        double most = f->target_half * p->radius, reach = fabs(p->constant);
        for (int64_t i = 0; i < p->features; i++) {
            reach = fmax(reach, fabs(p->centre[i] / p->half[i]));
            if (!isfinite(most / p->half[i]))
                return config_refuse(r, p->feature[i],
                                     "bounds and a radius whose weights a "
                                     "double can hold, in the file's units");
        }
        intercept += most * reach;
    }
    return isfinite(intercept)
               ? SOTTO_OK
               : config_refuse(r, "target",
                               "bounds and radii whose intercept a double can "
                               "hold, in the file's units");
}

static sotto_status read_shares(const reading *r, const json_t *root)
{
    const json_t *split = json_object_get(root, "split");
    double sum = 0;
    for (size_t i = 0; split && i < 3; i++) {
        r->f->share[i] = json_number_value(json_array_get(split, i));
        sum += r->f->share[i];
        if (!(r->f->share[i] > 0))
            sum = NAN;
    }
    if (split && (json_array_size(split) != 3 || !(fabs(sum - 1) < 1e-9)))
        return config_refuse(
            r, "split",
            "[vertices, labels, sketches]: shares above 0 that add "
            "up to 1");
    return SOTTO_OK;
}

static sotto_status read_numbers(const reading *r, const json_t *root)
{
    federation *f = r->f;
    int64_t seed = 0;
    sotto_status status =
        config_integer(r, root, "rounds", 1, 1000000, &f->rounds);
    if (status == SOTTO_OK)
        status = config_integer(r, root, "buckets", 1, 1 << 30, &f->buckets);
    if (status == SOTTO_OK)
        status = config_integer(r, root, "seed", 0, INT64_MAX, &seed);
    if (status == SOTTO_OK)
        status = config_number(r, root, "label_rms", 0x1p-20, 1, &f->label_rms);
    if (status == SOTTO_OK)
        status = config_word(r, root, "schedule", "uniform", "permuted",
                             &f->permuted);
    f->seed = (uint64_t)seed;
    return status == SOTTO_OK ? read_shares(r, root) : status;
}

static sotto_status read_all(const reading *r, const json_t *root)
{
    sotto_status status = config_keys(
        r, root, "the file",
        " sotto_parties target labels label_rms rounds buckets seed "
        "schedule split missing_values parties rows epsilon delta spent id "
        "coordinator authority absent patience ");
    if (status == SOTTO_OK && json_integer_value(json_object_get(
                                  root, "sotto_parties")) != CONFIG_VERSION)
        status = config_refuse(r, "the file", "\"sotto_parties\": 1");
    if (status == SOTTO_OK)
        status = read_parties(r, root);
    if (status == SOTTO_OK)
        status = read_target(r, root);
    if (status == SOTTO_OK)
        status = check_units(r);
    if (status == SOTTO_OK)
        status = read_numbers(r, root);
    if (status == SOTTO_OK)
        status = config_network(r, root);
    return status == SOTTO_OK ? config_schemas(r, root) : status;
}

/* ---- life ---- */

/* jansson takes a failed allocation for a fault of the text. */
static int out_of_memory(size_t size)
{
    void *block = mem_zeroed(size + 1, 1);
    mem_free(block);
    return !block;
}

sotto_status federation_parse(federation *out, const char *name,
                              const char *bytes, size_t size,
                              sotto_error *error)
{
    json_error_t where;
    reading r = {out, name, error};
    *out = (federation){.rounds = 120,
                        .buckets = 3000,
                        .label_rms = 1,
                        .share = {.2, .35, .45}};
    locale_t before = locale_plain();
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &where);
    locale_restore(before);
    if (!root && out_of_memory(size))
        return error_memory(error);
    if (!root)
        return error_set(error, SOTTO_USAGE, "%s: line %d: expected JSON",
                         show_name(name).text, where.line);
    sotto_status status = read_all(&r, root);
    json_decref(root);
    out->file = hash_of(bytes, size);
    if (status != SOTTO_OK)
        federation_free(out);
    return status;
}

sotto_status federation_read(federation *out, const char *path,
                             sotto_error *error)
{
    char *bytes = NULL;
    size_t size;
    *out = (federation){0};
    sotto_status status = file_read(path, FILE_MOST, &bytes, &size, error);
    if (status == SOTTO_OK)
        status = federation_parse(out, path, bytes, size, error);
    mem_free(bytes);
    return status;
}

void federation_free(federation *f)
{
    for (int k = 0; k < f->parties; k++) {
        federation_party *p = &f->party[k];
        for (int64_t i = 0; i < p->features; i++)
            mem_free(p->feature[i]);
        mem_free(p->feature);
        mem_free(p->centre);
        mem_free(p->half);
        mem_free(p->schema);
        mem_free(p->schema_with_id);
        mem_free(p->name);
    }
    mem_free(f->party);
    mem_free(f->target);
    mem_free(f->id);
    mem_free(f->host);
    mem_free(f->turn);
    mem_free(f->schema);
    *f = (federation){0};
}

int64_t federation_columns(const federation *f, int k)
{
    return f->party[k].features + (f->party[k].constant != 0);
}
