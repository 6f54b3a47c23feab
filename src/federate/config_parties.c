/*
 * The parties of an agreement, and their columns.
 */
#include "config.h"

#include <string.h>

enum { CONFIG_MOST_PARTIES = 1 << 12 };

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
    if (!text_take(&name))
        return error_memory(r->error);
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

/* Whether a category has a level for all others, behind those it lists. */
static int has_other(const json_t *column)
{
    return json_is_true(json_object_get(column, "other"));
}

/* How many features a column makes; 0: a party cannot have such a column. */
static size_t features_of(const json_t *column)
{
    const char *type = json_string_value(json_object_get(column, "type"));
    if (is_number(column))
        return 1;
    if (!type || strcmp(type, "category"))
        return 0;
    size_t levels = json_array_size(json_object_get(column, "levels"));
    return levels ? levels + (size_t)has_other(column) : 0;
}

static sotto_status add_column(const reading *r, federation_party *p,
                               const char *name, const json_t *column)
{
    double centre = 0, half = 1;
    const json_t *levels = json_object_get(column, "levels");
    if (is_number(column)) { /* levels are not counted above */
        sotto_status status =
            levels ? config_refuse(r, name, "a number without \"levels\"")
                   : config_bounds(r, column, name, &centre, &half);
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
    return has_other(column) ? add_feature(r, p, name, "other", 0, 1)
                             : SOTTO_OK;
}

static sotto_status read_columns(const reading *r, federation_party *p,
                                 const json_t *columns)
{
    const char *name;
    json_t *column;
    size_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)columns, name, column)
    {
        if (json_is_string(json_object_get(column, "levels")))
            return config_refuse(r, name,
                                 "\"levels\", a list: parties cannot ask for "
                                 "them privately");
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

sotto_status config_parties(const reading *r, const json_t *root)
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
