/*
 * Reading takes several times as long as a run does.
 */
#include "records.h"

#include <string.h>

typedef struct kept_table {
    struct kept_table *next;
    char *key;
    sotto_table *table;
} kept_table;

static kept_table *kept;

sotto_status records_read(const sotto_table **out, const char *key,
                          const char *file, const sotto_options *options,
                          sotto_error *error)
{
    kept_table *k = kept;
    while (k && strcmp(k->key, key))
        k = k->next;
    *out = k ? k->table : NULL;
    if (k)
        return SOTTO_OK;
    if (!(k = mem_zeroed(1, sizeof *k)) || !(k->key = mem_text(key))) {
        mem_free(k);
        return error_memory(error);
    }
    sotto_status status = sotto_table_read(&k->table, file, options, error);
    if (status != SOTTO_OK) {
        mem_free(k->key);
        mem_free(k);
        return status;
    }
    k->next = kept;
    kept = k;
    *out = k->table;
    return SOTTO_OK;
}

void records_end(void)
{
    while (kept) {
        kept_table *next = kept->next;
        sotto_table_free(kept->table);
        mem_free(kept->key);
        mem_free(kept);
        kept = next;
    }
}

/* ---- copies ---- */

/* NULL stays so; *failed where there is no memory. */
static void *large(const void *from, size_t bytes, int *failed)
{
    void *to = from && bytes ? mem_map(bytes) : NULL;
    if (to)
        memcpy(to, from, bytes);
    *failed |= from && bytes && !to;
    return to;
}

static void *vector(const void *from, int64_t count, size_t size, int *failed)
{
    void *to = from ? mem_zeroed((size_t)count + 1, size) : NULL;
    if (to)
        memcpy(to, from, (size_t)count * size);
    *failed |= from && !to;
    return to;
}

static table_entries entries(const table_entries *e, int *failed)
{
    table_entries out = *e;
    out.start = large(e->start, e->start_bytes, failed);
    out.index = large(e->index, e->index_bytes, failed);
    out.value = large(e->value, e->value_bytes, failed);
    return out;
}

sotto_status records_copy(sotto_table **out, const sotto_table *t,
                          sotto_error *error)
{
    int failed = 0;
    sotto_table *c = *out = mem_zeroed(1, sizeof *c);
    if (!c)
        return error_memory(error);
    *c = *t;
    c->x = large(t->x, t->x_bytes, &failed);
    c->by_row = entries(&t->by_row, &failed);
    c->by_column = entries(&t->by_column, &failed);
    c->y = vector(t->y, t->rows, sizeof *t->y, &failed);
    c->weight = vector(t->weight, t->rows, sizeof *t->weight, &failed);
    c->unit = vector(t->unit, t->rows, sizeof *t->unit, &failed);
    c->centre = vector(t->centre, t->features, sizeof(double), &failed);
    c->half = vector(t->half, t->features, sizeof(double), &failed);
    c->low = vector(t->low, t->features, sizeof(double), &failed);
    c->high = vector(t->high, t->features, sizeof(double), &failed);
    c->reach = vector(t->reach, t->features, sizeof(double), &failed);
    c->class_name = mem_texts(t->class_name, t->classes);
    c->classes = c->class_name ? t->classes : 0;
    failed |= !c->class_name;
    c->name = NULL;
    c->schema = c->target_name = NULL;
    c->warning = NULL;
    c->warnings = 0;
    if (!failed)
        return SOTTO_OK;
    sotto_table_free(c);
    *out = NULL;
    return error_memory(error);
}
