/*
 * A table with levels that were released: its columns become what they would
 * be if the schema had declared these levels, bit for bit
 * (tests/unit/data/test_widen.c).
 */
#include "block.h"
#include "json.h"

#include <assert.h>
#include <string.h>

/* Which column's `other` a feature is; -1: it is none. */
static int64_t column_at(const sotto_table *t, int64_t j)
{
    for (int64_t k = 0; k < t->levels.columns; k++)
        if (t->levels.column[k].other == j)
            return k;
    return -1;
}

/* ---- what is public ---- */

static int put_levels(json_t *columns, const level_column *c,
                      const level_list *list)
{
    json_t *one = json_object_get(columns, c->name);
    json_t *levels = json_array();
    for (int64_t i = 0; i < list->levels; i++)
        json_append(&levels, json_string(list->level[i]));
    return one && levels && !json_object_set_new(one, "levels", levels) &&
           !json_object_set_new(one, SCHEMA_OTHER, json_true());
}

/* The schema as if it had declared them. */
static int widen_schema(sotto_table *t, const level_list *list)
{
    text_buffer text = {0};
    json_t *root = json_read(t->schema, strlen(t->schema), NULL);
    json_t *columns = json_object_get(root, "columns");
    int fine = columns != NULL;
    for (int64_t k = 0; fine && k < t->levels.columns; k++)
        fine = put_levels(columns, &t->levels.column[k], &list[k]);
    if (fine)
        json_put(&text, root);
    json_decref(root);
    char *now = fine ? text_take(&text) : NULL;
    if (!now)
        return 0;
    mem_free(t->schema);
    t->schema = now;
    return 1;
}

/* By feature: names, and the numbers of its map, which are the same for all
   levels. */
typedef struct wide {
    int64_t features;
    char **name;
    double *number[5];
} wide;

static double **table_number(sotto_table *t, int i)
{
    double **all[] = {&t->centre, &t->half, &t->low, &t->high, &t->reach};
    return all[i];
}

static int wide_new(wide *w, int64_t features)
{
    int fine = 1;
    *w = (wide){.features = features};
    w->name = mem_zeroed((size_t)features, sizeof *w->name);
    for (int i = 0; i < 5; i++) {
        w->number[i] = mem_zeroed((size_t)features, sizeof(double));
        fine &= w->number[i] != NULL;
    }
    return fine && w->name;
}

static char *level_name(const char *of, const char *level)
{
    text_buffer name = {0};
    text_put(&name, of);
    text_put(&name, "=");
    text_put(&name, level);
    return text_take(&name);
}

static int wide_fill(wide *w, sotto_table *t, const level_list *list)
{
    int fine = 1;
    for (int64_t j = 0, to = 0; fine && j < t->features; j++, to++) {
        int64_t k = column_at(t, j);
        for (int64_t i = 0; fine && k >= 0 && i < list[k].levels; i++, to++) {
            w->name[to] =
                level_name(t->levels.column[k].name, list[k].level[i]);
            fine = w->name[to] != NULL;
            for (int n = 0; n < 5; n++)
                w->number[n][to] = (*table_number(t, n))[j];
        }
        w->name[to] = fine ? mem_text(t->name[j]) : NULL;
        fine = fine && w->name[to];
        for (int n = 0; n < 5; n++)
            w->number[n][to] = (*table_number(t, n))[j];
    }
    return fine;
}

/* The table has these, and the other way round. */
static void wide_exchange(wide *w, sotto_table *t)
{
    char **name = t->name;
    int64_t features = t->features;
    t->name = w->name;
    t->features = w->features;
    w->name = name;
    w->features = features;
    for (int n = 0; n < 5; n++) {
        double *number = *table_number(t, n);
        *table_number(t, n) = w->number[n];
        w->number[n] = number;
    }
}

static void wide_free(wide *w)
{
    mem_free_texts(w->name, w->features);
    for (int n = 0; n < 5; n++)
        mem_free(w->number[n]);
}

/* ---- rows ---- */

/* The released level that each of a column's levels is; -1: none. Both lists
   are in the order of bytes. */
static void match(const level_column *c, const level_list *list, int64_t *out)
{
    int64_t next = 0;
    for (int64_t i = 0; i < c->count; i++) {
        size_t from = i ? c->end[i - 1] : 0, size = c->end[i] - from;
        int same = next < list->levels && strlen(list->level[next]) == size &&
                   !memcmp(list->level[next], c->text + from, size);
        out[i] = same ? next++ : -1;
    }
}

/* As worker_store_float writes it. */
static float stored(const sotto_table *t, int64_t i, double value)
{
    return (float)(value * (t->folded ? t->y[i] : 1));
}

/* The columns of the levels from `to` on, and behind them the one for all
   others, in which their rows are not any more. */
static void fill_levels(const sotto_table *t, const level_column *c,
                        const level_list *list, const int64_t *released,
                        float *to)
{
    float *other = to + list->levels * t->stride;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t level = c->id[i] < 0 ? -1 : released[c->id[i]];
        for (int64_t k = 0; k < list->levels; k++)
            to[k * t->stride + i] = stored(t, i, k == level);
        if (level >= 0)
            other[i] = stored(t, i, 0);
    }
}

/* The matrix in memory of its own. */
static float *widen_rows(const sotto_table *t, const level_list *list,
                         int64_t features, size_t *bytes)
{
    const float *from = t->x;
    size_t height = (size_t)t->stride * sizeof(float);
    int fine = size_multiply((size_t)features, height, bytes);
    float *x = fine ? mem_map(*bytes ? *bytes : 1) : NULL, *to = x;
    for (int64_t j = 0; to && j < t->features; j++) {
        int64_t k = column_at(t, j), more = k < 0 ? 0 : list[k].levels;
        if (height)
            memcpy(to + more * t->stride, from + j * t->stride, height);
        if (k >= 0) {
            const level_column *c = &t->levels.column[k];
            size_t size = (size_t)c->count + 1;
            int64_t *released = mem_zeroed(size, sizeof *released);
            if (!released) {
                mem_wipe(x, *bytes);
                mem_unmap(x, *bytes);
                return NULL;
            }
            match(c, &list[k], released);
            fill_levels(t, c, &list[k], released, to);
            mem_wipe(released, size * sizeof *released);
            mem_free(released);
        }
        to += (more + 1) * t->stride;
    }
    *bytes = *bytes ? *bytes : 1;
    return x;
}

static void move_others(sotto_table *t, const level_list *list)
{
    int64_t more = 0;
    for (int64_t j = 0, all = t->features; j < all; j++) {
        int64_t k = column_at(t, j);
        if (k >= 0) /* columns are in the order of their features */
            more += list[k].levels;
        if (k >= 0)
            t->levels.column[k].other = -1 - (j + more);
    }
    for (int64_t k = 0; k < t->levels.columns; k++)
        t->levels.column[k].other = -1 - t->levels.column[k].other;
}

sotto_status table_widen(sotto_table *t, const level_list *list,
                         sotto_error *error)
{
    wide w = {0};
    size_t bytes = 0;
    int64_t features = t->features;
    assert(!t->sparse && !t->is_double);
    for (int64_t k = 0; k < t->levels.columns; k++)
        features += list[k].levels;
    float *x = widen_rows(t, list, features, &bytes);
    level_forget(t);
    int fine = x && wide_new(&w, features) && wide_fill(&w, t, list) &&
               widen_schema(t, list);
    if (fine) {
        mem_wipe(t->x, t->x_bytes);
        mem_unmap(t->x, t->x_bytes);
        t->x = x;
        t->x_bytes = bytes;
        move_others(t, list);
        wide_exchange(&w, t);
    } else if (x) {
        mem_wipe(x, bytes);
        mem_unmap(x, bytes);
    }
    wide_free(&w);
    return fine ? SOTTO_OK : error_memory(error);
}

/* ---- without rows ---- */

static int copy_levels(sotto_table *out, const sotto_table *t)
{
    int64_t columns = t->levels.columns;
    out->levels.column =
        mem_zeroed((size_t)columns + 1, sizeof *out->levels.column);
    int fine = out->levels.column != NULL;
    for (int64_t k = 0; fine && k < columns; k++) {
        level_column *to = &out->levels.column[out->levels.columns++];
        *to = (level_column){.name = mem_text(t->levels.column[k].name),
                             .other = t->levels.column[k].other};
        fine = to->name != NULL;
    }
    return fine;
}

static int copy_classes(sotto_table *out, const sotto_table *t)
{
    if (!t->classes)
        return 1;
    out->class_name = mem_texts(t->class_name, t->classes);
    out->classes = out->class_name ? t->classes : 0;
    return out->class_name != NULL;
}

/* Its features, as they are. */
static int copy_features(sotto_table *out, const sotto_table *t)
{
    wide w;
    int fine = wide_new(&w, t->features);
    for (int64_t j = 0; fine && j < t->features; j++) {
        w.name[j] = mem_text(t->name[j]);
        fine = w.name[j] != NULL;
        w.number[0][j] = t->centre[j];
        w.number[1][j] = t->half[j];
        w.number[2][j] = t->low[j];
        w.number[3][j] = t->high[j];
        w.number[4][j] = t->reach[j];
    }
    wide_exchange(&w, out);
    wide_free(&w);
    return fine;
}

sotto_status table_shape_of(sotto_table **out, const sotto_table *t,
                            sotto_error *error)
{
    assert(!t->sparse && t->name);
    sotto_table *shape = mem_zeroed(1, sizeof *shape);
    *out = NULL;
    if (!shape)
        return error_memory(error);
    shape->read_privately = t->read_privately;
    shape->folded = t->folded;
    shape->scaled = t->scaled;
    shape->weight_bound = t->weight_bound;
    shape->target_centre = t->target_centre;
    shape->target_half = t->target_half;
    shape->target_reach = t->target_reach;
    shape->schema = mem_text(t->schema);
    if (!shape->schema || !copy_features(shape, t) || !copy_classes(shape, t) ||
        !copy_levels(shape, t)) {
        sotto_table_free(shape);
        return error_memory(error);
    }
    *out = shape;
    return SOTTO_OK;
}
