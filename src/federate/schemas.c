/*
 * The columns of an agreement as schemas: for reading each party's data, and
 * for the model.
 */
#include "config.h"
#include "model.h"

#include <string.h>

/* In the form that models keep; NULL when out of memory. */
static char *schema_text(const json_t *root, json_t *columns)
{
    json_t *words = json_object_get(root, "missing_values");
    json_t *schema = json_pack("{s:i}", "sotto_schema", 1);
    if (words)
        json_add(&schema, "missing_values", json_incref(words));
    json_add(&schema, "default", json_pack("{s:s}", "type", "drop"));
    json_add(&schema, "columns", json_incref(columns));
    char *text = model_form(schema);
    json_decref(schema);
    return text;
}

/* Adds the target; 0 when out of memory. */
static int add_target(json_t *columns, const federation *f, const json_t *root)
{
    json_t *bounds = json_object_get(json_object_get(root, "target"), "bounds");
    json_t *column =
        json_pack("{s:s, s:O}", "type", "target", "bounds", bounds);
    return !json_object_set_new(columns, f->target, column);
}

/* Party k's own columns, and the target where it has it. */
static int party_schema(federation *f, int k, const json_t *root)
{
    json_t *from = json_array_get(json_object_get(root, "parties"), (size_t)k);
    json_t *columns = json_copy(json_object_get(from, "columns"));
    int has_target = f->labels_known || k == f->label_party;
    if (columns && (!has_target || add_target(columns, f, root)))
        f->party[k].schema = schema_text(root, columns);
    if (f->id && f->party[k].schema &&
        !json_object_set_new(columns, f->id,
                             json_pack("{s:s}", "type", "unit")))
        f->party[k].schema_with_id = schema_text(root, columns);
    json_decref(columns);
    return f->party[k].schema && (!f->id || f->party[k].schema_with_id);
}

/* Adds party k's columns to those of the others. A column that two parties
   have is refused. */
static sotto_status gather(const reading *r, json_t *all, const json_t *root,
                           int k)
{
    json_t *from = json_array_get(json_object_get(root, "parties"), (size_t)k);
    json_t *column;
    const char *name;
    json_object_foreach(json_object_get(from, "columns"), name, column)
    {
        if (json_object_get(all, name) || !strcmp(name, r->f->target) ||
            (r->f->id && !strcmp(name, r->f->id)))
            return config_refuse(r, name,
                                 "a column to be one party's, and not the "
                                 "target or the id");
        if (json_object_set(all, name, column))
            return error_memory(r->error);
    }
    return SOTTO_OK;
}

/* A number "a=b" of one party and a level b of another's category a would be
   two features of one name; no reader would take such a model. */
static sotto_status name_features(const reading *r, json_t *names, int k)
{
    const federation_party *p = &r->f->party[k];
    for (int64_t i = 0; i < p->features; i++) {
        if (json_object_get(names, p->feature[i]))
            return config_refuse(r, p->feature[i],
                                 "one feature of this name, a column or a "
                                 "level");
        if (json_object_set_new(names, p->feature[i], json_true()))
            return error_memory(r->error);
    }
    return SOTTO_OK;
}

sotto_status config_schemas(const reading *r, const json_t *root)
{
    federation *f = r->f;
    json_t *all = json_object(), *names = json_object();
    sotto_status status = all && names ? SOTTO_OK : error_memory(r->error);
    for (int k = 0; status == SOTTO_OK && k < f->parties; k++) {
        status = gather(r, all, root, k);
        if (status == SOTTO_OK)
            status = name_features(r, names, k);
    }
    json_decref(names);
    if (status == SOTTO_OK && add_target(all, f, root))
        f->schema = schema_text(root, all);
    json_decref(all);
    if (status != SOTTO_OK)
        return status;
    int fine = f->schema != NULL;
    for (int k = 0; fine && k < f->parties; k++)
        fine = party_schema(f, k, root);
    return fine ? SOTTO_OK : error_memory(r->error);
}
