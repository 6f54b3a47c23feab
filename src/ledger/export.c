/*
 * The ledger as JSON or CSV, for whoever checks it elsewhere: all data sets,
 * or one, with all their entries, the oldest first.
 */
#include "internal.h"

#include "json.h"

#include <math.h>
#include <string.h>

/* A path may have any bytes; JSON may not. */
static json_t *export_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value || text_is_utf8(text, strlen(text)))
        return value;
    text_buffer t = {0};
    for (; *text; text++)
        text_add(&t, (unsigned char)*text < 128 ? text : "?", 1);
    value = t.failed ? NULL : json_string(t.data);
    text_free(&t);
    return value;
}

static void add_finite(json_t **object, const char *key, double x)
{
    if (isfinite(x))
        json_add_number(object, key, x);
    else
        json_add(object, key, json_null());
}

/* ---- what is walked ---- */

typedef struct exporting {
    json_t *datasets;   /* each with its parts */
    char id[LEDGER_ID]; /* of the last one */
} exporting;

static json_t *part_json(const sotto_dataset *d)
{
    json_t *o = json_object();
    json_add(&o, "part", export_text(d->part));
    if (d->has_cap)
        json_add_number(&o, "cap_epsilon", d->cap_epsilon);
    else
        json_add(&o, "cap_epsilon", json_null());
    json_add_number(&o, "delta", d->delta);
    add_finite(&o, "spent_epsilon", d->spent_epsilon);
    add_finite(&o, "left_epsilon", d->left_epsilon);
    json_add_count(&o, "charges", d->charges);
    json_add_count(&o, "unfinished", d->unfinished);
    return o;
}

static json_t *dataset_json(const sotto_dataset *d)
{
    json_t *o = json_object();
    json_add(&o, d->is_path ? "path" : "dataset", export_text(d->name));
    json_add_text(&o, "id", d->id);
    json_add(&o, "owner", export_text(d->owner));
    json_add(&o, "unit", export_text(d->unit));
    json_add_text(&o, "adjacency", d->adjacency);
    json_add_text(&o, "created", d->created);
    json_add_count(&o, "position", d->position);
    json_add_text(&o, "head", d->head);
    json_add(&o, "parts", json_array());
    return o;
}

static int take_dataset(void *context, const sotto_dataset *d)
{
    exporting *x = context;
    if (strcmp(x->id, d->id))
        json_append(&x->datasets, dataset_json(d));
    memcpy(x->id, d->id, sizeof x->id);
    size_t count = json_array_size(x->datasets);
    json_t *last = json_array_get(x->datasets, count - 1);
    if (json_array_append_new(json_object_get(last, "parts"), part_json(d))) {
        json_decref(x->datasets);
        x->datasets = NULL;
    }
    return x->datasets == NULL;
}

static json_t *entry_json(const sotto_entry *e)
{
    json_t *o = json_object();
    json_add_count(&o, "position", e->position);
    json_add_text(&o, "kind", e->kind);
    json_add_text(&o, "time", e->time);
    json_add(&o, "who", export_text(e->who));
    json_add(&o, "purpose", export_text(e->purpose));
    json_add(&o, "parts", export_text(e->parts));
    if (e->run) {
        json_add_text(&o, "run", e->run);
        json_add(&o, "plan", export_text(e->plan));
        json_add_number(&o, "mu", e->mu);
        json_add_number(&o, "delta0", e->delta0);
        json_add_number(&o, "draws", e->draws);
        json_add(&o, "finished", json_boolean(e->finished));
    } else {
        json_add_number(&o, "cap_epsilon", e->cap_epsilon);
        json_add_number(&o, "delta", e->delta);
    }
    json_add_text(&o, "head", e->head);
    return o;
}

/* The entries of one data set, latest first, up to a position: those that were
   added since it was read are left out. */
typedef struct taking {
    json_t *entries;
    int64_t last;
} taking;

static int take_entry(void *context, const sotto_entry *e)
{
    taking *t = context;
    if (e->position <= t->last)
        json_append(&t->entries, entry_json(e));
    return t->entries == NULL;
}

static json_t *oldest_first(json_t *list)
{
    json_t *out = list ? json_array() : NULL;
    for (size_t i = json_array_size(list); i > 0; i--)
        json_append(&out, json_incref(json_array_get(list, i - 1)));
    json_decref(list);
    return out;
}

static sotto_status add_entries(sotto_ledger *ledger, json_t *dataset,
                                sotto_error *error)
{
    taking t = {json_array(),
                json_integer_value(json_object_get(dataset, "position"))};
    const char *id = json_string_value(json_object_get(dataset, "id"));
    sotto_status status =
        sotto_ledger_entries(ledger, id, 0, INT64_MAX, take_entry, &t, error);
    int bad = json_object_set_new(dataset, "entries", oldest_first(t.entries));
    return status == SOTTO_OK && bad ? error_memory(error) : status;
}

static sotto_status export_all(json_t **out, sotto_ledger *ledger,
                               const char *dataset, sotto_error *error)
{
    exporting x = {json_array(), ""};
    size_t i;
    json_t *one;
    sotto_status status =
        sotto_ledger_datasets(ledger, dataset, take_dataset, &x, error);
    if (status == SOTTO_OK && !x.datasets)
        status = error_memory(error);
    json_array_foreach(x.datasets, i, one) if (status == SOTTO_OK) status =
        add_entries(ledger, one, error);
    *out = x.datasets;
    return status;
}

/* ---- as text ---- */

static void put_json(text_buffer *t, json_t *datasets)
{
    json_t *root = json_object();
    json_add_count(&root, "sotto_ledger", LEDGER_VERSION);
    json_add(&root, "datasets", json_incref(datasets));
    json_put(t, root);
    text_put(t, "\n");
    json_decref(root);
}

/* A spreadsheet would take a text that begins so for a formula. */
static void put_quoted(text_buffer *t, const char *text)
{
    text_put(t, *text && strchr("=+-@", *text) ? "\"'" : "\"");
    for (; *text; text++)
        text_add(t, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    text_put(t, "\"");
}

static void put_cell(text_buffer *t, const json_t *value)
{
    if (json_is_string(value))
        put_quoted(t, json_string_value(value));
    else if (json_is_integer(value))
        text_format(t, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        text_number(t, json_real_value(value));
    else if (json_is_boolean(value))
        text_put(t, json_is_true(value) ? "yes" : "no");
}

static void put_row(text_buffer *t, const json_t *dataset, const json_t *entry)
{
    static const char *const of_entry[] = {
        "position", "kind",     "time",        "who",   "purpose",
        "parts",    "run",      "plan",        "mu",    "delta0",
        "draws",    "finished", "cap_epsilon", "delta", "head"};
    const json_t *name = json_object_get(dataset, "dataset");
    put_cell(t, name ? name : json_object_get(dataset, "path"));
    text_put(t, ",");
    put_cell(t, json_object_get(dataset, "id"));
    for (size_t i = 0; i < sizeof of_entry / sizeof *of_entry; i++) {
        text_put(t, ",");
        put_cell(t, json_object_get(entry, of_entry[i]));
    }
    text_put(t, "\n");
}

static void put_csv(text_buffer *t, json_t *datasets)
{
    size_t i, k;
    json_t *one, *entry;
    text_put(t, "dataset,id,position,kind,time,who,purpose,parts,run,plan,mu,"
                "delta0,draws,finished,cap_epsilon,delta,head\n");
    json_array_foreach(datasets, i, one)
        json_array_foreach(json_object_get(one, "entries"), k, entry)
            put_row(t, one, entry);
}

sotto_status sotto_ledger_export(char **out, sotto_ledger *ledger,
                                 const char *dataset, const char *format,
                                 sotto_error *error)
{
    json_t *datasets = NULL;
    text_buffer t = {0};
    int is_json = !strcmp(format, "json");
    *out = NULL;
    if (!is_json && strcmp(format, "csv"))
        return error_set(error, SOTTO_USAGE,
                         "--format: expected json or csv, found \"%s\"",
                         show_name(format).text);
    sotto_status status = export_all(&datasets, ledger, dataset, error);
    if (status == SOTTO_OK) {
        (is_json ? put_json : put_csv)(&t, datasets);
        *out = text_take(&t);
        status = *out ? SOTTO_OK : error_memory(error);
    }
    json_decref(datasets);
    return status;
}
