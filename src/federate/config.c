/*
 * Reads the agreement of the parties, a JSON file. A key that is not known is
 * refused.
 */
#include "config.h"

#include <math.h>
#include <string.h>

enum { CONFIG_VERSION = 1 };

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
            config_bounds(r, target, name, &f->target_centre, &f->target_half);
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

/* The largest weights that this agreement allows, as set_weights will write
   them, must fit a double. That is checked before anything is spent. */
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
        status = config_parties(r, root);
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
    json_t *root = json_read(bytes, size, &where);
    if (!root && json_out_of_memory(size))
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
        mem_free_texts(p->feature, p->features);
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
