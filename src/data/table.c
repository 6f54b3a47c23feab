/*
 * The table: what it takes over from the plan, remarks about it, access to it,
 * and how it is freed.
 */
#include "rank.h"
#include "table_file.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- from the plan ---- */

static char *table_level_name(const column *c, int64_t i)
{
    text_buffer name = {0};
    text_put(&name, c->name);
    text_put(&name, "=");
    text_put(&name, c->level[i]);
    return text_take(&name);
}

static int table_features_of(sotto_table *t, const column *c, int scales_rows)
{
    for (int64_t i = 0; i < column_features(c); i++) {
        int64_t j = c->feature + i;
        int is_number = i < column_numbers(c);
        t->name[j] = is_number ? mem_text(c->name)
                               : table_level_name(c, i - column_numbers(c));
        t->centre[j] = is_number ? c->centre : 0;
        t->half[j] = is_number ? c->half : 1;
        t->low[j] = is_number && c->bounded ? c->low : -INFINITY;
        t->high[j] = is_number && c->bounded ? c->high : INFINITY;
        t->scaled += is_number && !c->bounded && scales_rows;
        t->reach[j] = !is_number || c->bounded || scales_rows ? 1 : INFINITY;
        if (!t->name[j])
            return 0;
    }
    return 1;
}

static int table_describe_columns(sotto_table *t, const column_plan *p)
{
    t->name = mem_zeroed((size_t)t->features, sizeof *t->name);
    t->centre = mem_zeroed((size_t)t->features, sizeof *t->centre);
    t->half = mem_zeroed((size_t)t->features, sizeof *t->half);
    t->low = mem_zeroed((size_t)t->features, sizeof *t->low);
    t->high = mem_zeroed((size_t)t->features, sizeof *t->high);
    t->reach = mem_zeroed((size_t)t->features, sizeof *t->reach);
    if (!t->name || !t->centre || !t->half || !t->low || !t->high || !t->reach)
        return 0;
    for (int64_t i = 0; i < p->columns; i++)
        if (!table_features_of(t, &p->column[i], p->scales_rows))
            return 0;
    return 1;
}

/* A copy of the plan's numbers, one for each feature; 0 when out of memory. */
static int table_copy(double **out, const double *from, int64_t features)
{
    if (!from)
        return 1;
    *out = mem_zeroed((size_t)features, sizeof **out);
    if (*out)
        memcpy(*out, from, (size_t)features * sizeof **out);
    return *out != NULL;
}

static int table_describe_numbered(sotto_table *t, const column_plan *p)
{
    if (!p->low && !p->scales_rows)
        return 1;
    if (!table_copy(&t->low, p->low, t->features) ||
        !table_copy(&t->high, p->high, t->features))
        return 0;
    t->half = mem_zeroed((size_t)t->features, sizeof *t->half);
    t->reach = mem_zeroed((size_t)t->features, sizeof *t->reach);
    for (int64_t j = 0; t->half && t->reach && j < t->features; j++) {
        int bounded = t->low && isfinite(t->low[j]);
        t->half[j] = bounded ? fmax(-t->low[j], t->high[j]) : 1;
        t->scaled += !bounded && p->scales_rows;
        t->reach[j] = bounded || p->scales_rows ? 1 : INFINITY;
    }
    return t->half && t->reach;
}

/* Declared classes keep their names. Otherwise they are -1 and 1 -- or 0
   and 1 where that is what the file has, which only a run that is not
   private may find out. */
static int table_describe_classes(sotto_table *t, const column_plan *p)
{
    if (!plan_has_classes(p))
        return 1;
    t->folded = p->target_is == TARGET_CLASSES && !p->is_double;
    char minus[] = "-1", zero[] = "0", one[] = "1";
    char *usual[] = {p->zero_seen && !p->is_private ? zero : minus, one};
    int64_t count = p->classes ? p->classes : 2;
    t->class_name = mem_texts(p->classes ? p->class_name : usual, count);
    t->classes = t->class_name ? count : 0;
    return t->class_name != NULL;
}

sotto_status table_describe(sotto_table *t, const column_plan *p,
                            sotto_error *error)
{
    t->is_double = p->is_double;
    t->read_privately = p->is_private;
    t->drops_rows = p->drop_bad;
    t->counted = p->naming == NAMES_COUNTED;
    t->weight_bound = 1;
    for (int64_t i = 0; i < p->columns; i++) {
        if (p->column[i].role == COLUMN_WEIGHT)
            t->weight_bound = p->column[i].high;
        if (p->column[i].role != COLUMN_UNIT)
            continue;
        t->unit_name = mem_text(p->column[i].name);
        if (!t->unit_name)
            return error_memory(error);
    }
    if (p->target) {
        t->target_name = mem_text(p->target->name);
        t->target_centre = p->target->centre;
        t->target_half = p->target->half;
        t->target_reach = p->target->bounded ? 1 : INFINITY;
        if (!t->target_name)
            return error_memory(error);
    }
    if (!table_describe_classes(t, p) ||
        !(t->sparse ? table_describe_numbered(t, p)
                    : table_describe_columns(t, p)))
        return error_memory(error);
    t->schema = schema_of_plan(p, t);
    return t->schema ? SOTTO_OK : error_memory(error);
}

/* ---- remarks ---- */

/* Keeps a copy of the remark; 0 when out of memory. */
static int table_warn(sotto_table *t, const char *remark)
{
    char **more = mem_resize(t->warning, (size_t)t->warnings + 1, sizeof *more);
    if (!more)
        return 0;
    t->warning = more;
    more[t->warnings] = mem_text(remark);
    return more[t->warnings++] != NULL;
}

/* One remark for all the columns; the first few are named. */
static int table_warn_precision(sotto_table *t, const column_plan *p,
                                const column_range *range)
{
    text_buffer remark = {0};
    int64_t count = 0;
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        const column_range *r = &range[c->feature];
        if (c->role != COLUMN_NUMBER || c->bounded || r->lost <= 0 ||
            r->lost <= 0x1p-24 * (r->high - r->low))
            continue;
        if (count++ < 4)
            text_format(&remark, "%s\"%s\"", count > 1 ? ", " : "",
                        show_name(c->name).text);
    }
    if (count > 4)
        text_format(&remark, " and %lld more", (long long)count - 4);
    text_put(&remark, ": more digits than float32's 24 bits hold relative to "
                      "the spread; declare bounds to keep more of them");
    int kept = !remark.failed && (!count || table_warn(t, remark.data));
    text_free(&remark);
    return kept;
}

sotto_status table_remark(sotto_table *t, const column_plan *p,
                          const block *first, column_range *range,
                          sotto_error *error)
{
    int spans = 0;
    for (const block *b = first; b && !p->drop_bad; b = b->next)
        spans |= b->spans_lines;
    sotto_status status =
        p->ranks ? rank_merge_ranges(p, range, &spans, error) : SOTTO_OK;
    if (status != SOTTO_OK)
        return status;
    if (spans &&
        !table_warn(t, "some records have newlines inside quotes: do not read "
                       "this file with --bad-rows drop, which takes each line "
                       "for a record"))
        return error_memory(error);
    if (p->like_values &&
        !table_warn(t, "line 1, which is taken for the header, looks like a "
                       "record: if it is one, its values become names, which "
                       "are public; give --no-header NAMES"))
        return error_memory(error);
    if (range && !p->exact && !table_warn_precision(t, p, range))
        return error_memory(error);
    if (p->lacks_weight &&
        !table_warn(t, "the model was learned with row weights, and this file "
                       "has none: every row counts 1"))
        return error_memory(error);
    return SOTTO_OK;
}

const char *sotto_table_warning(const sotto_table *t, int64_t i)
{
    return i >= 0 && i < t->warnings ? t->warning[i] : NULL;
}

/* ---- freeing ---- */

static void table_free_large(void *memory, size_t bytes)
{
    mem_wipe(memory, bytes);
    mem_unmap(memory, bytes);
}

static void table_free_vector(void *memory, int64_t rows, size_t size)
{
    mem_wipe(memory, (size_t)rows * size);
    mem_free(memory);
}

static void table_free_entries(table_entries *e)
{
    table_free_large(e->start, e->start_bytes);
    table_free_large(e->index, e->index_bytes);
    table_free_large(e->value, e->value_bytes);
}

int64_t sotto_table_ids(const sotto_table *t, sotto_id_taker take,
                        void *context)
{
    int64_t people = 0;
    size_t from = 0;
    if (!t->ids || !t->unit)
        return -1;
    for (int64_t i = 0; i < t->rows; i++) {
        people += t->unit[i] == people; /* numbered as they are seen */
        take(context, t->ids + from, t->id_end[i] - from);
        from = t->id_end[i];
    }
    return people;
}

void sotto_table_forget_ids(sotto_table *t)
{
    if (t->ids && t->id_end && t->rows)
        mem_wipe(t->ids, t->id_end[t->rows - 1]);
    table_free_vector(t->unit, t->unit ? t->rows : 0, sizeof *t->unit);
    mem_free(t->ids);
    mem_free(t->id_end);
    t->unit = NULL;
    t->ids = NULL;
    t->id_end = NULL;
}

void sotto_table_free(sotto_table *t)
{
    if (!t)
        return;
    if (t->booking)
        t->free_booking(t->booking);
    if (t->stream)
        table_stream_close(t);
    table_free_large(t->x, t->x_bytes);
    table_free_entries(&t->by_row);
    table_free_entries(&t->by_column);
    table_free_vector(t->y, t->rows, sizeof *t->y);
    table_free_vector(t->weight, t->rows, sizeof *t->weight);
    sotto_table_forget_ids(t);
    level_forget(t);
    for (int64_t k = 0; k < t->levels.columns; k++)
        mem_free(t->levels.column[k].name);
    mem_free(t->levels.column);
    mem_free(t->bad);
    mem_free_texts(t->name, t->features);
    mem_free_texts(t->warning, t->warnings);
    mem_free(t->centre);
    mem_free(t->half);
    mem_free(t->low);
    mem_free(t->high);
    mem_free(t->reach);
    mem_free(t->schema);
    mem_free(t->target_name);
    mem_free(t->unit_name);
    table_free_vector(t->person, t->person ? t->people : 0, sizeof *t->person);
    table_free_vector(t->person_before, t->person_before ? t->people : 0,
                      sizeof *t->person_before);
    mem_free_texts(t->class_name, t->classes);
    mem_free_texts(t->source, t->sources);
    mem_free(t->dataset);
    mem_free(t);
}

/* ---- access ---- */

int64_t sotto_table_rows(const sotto_table *t)
{
    return t->rows;
}

int64_t sotto_table_features(const sotto_table *t)
{
    return t->features;
}

int sotto_table_is_sparse(const sotto_table *t)
{
    return t->sparse;
}

int64_t sotto_table_entries(const sotto_table *t)
{
    return t->sparse ? t->by_row.start[t->rows] : t->rows * t->features;
}

const char *sotto_table_feature_name(const sotto_table *t, int64_t j,
                                     char buffer[24])
{
    if (t->name)
        return t->name[j];
    snprintf(buffer, 24, "%lld", (long long)j + 1);
    return buffer;
}

void sotto_table_feature_map(const sotto_table *t, int64_t j, double *centre,
                             double *half)
{
    *centre = t->centre ? t->centre[j] : 0;
    *half = t->half ? t->half[j] : 1;
}

int sotto_table_feature_bounds(const sotto_table *t, int64_t j, double *low,
                               double *high)
{
    *low = t->low ? t->low[j] : -INFINITY;
    *high = t->high ? t->high[j] : INFINITY;
    return isfinite(*low) != 0;
}

void table_stored(const sotto_table *t, int64_t j, double *out)
{
    const table_entries *e = &t->by_column;
    if (!t->sparse && t->is_double) {
        if (t->rows)
            memcpy(out, (double *)t->x + j * t->stride,
                   (size_t)t->rows * sizeof *out);
        return;
    }
    if (!t->sparse) {
        for (int64_t i = 0; i < t->rows; i++)
            out[i] = (double)((float *)t->x)[j * t->stride + i];
        return;
    }
    memset(out, 0, (size_t)t->rows * sizeof *out);
    assert(e->start); /* not read with --layout rows */
    for (int64_t k = e->start[j]; k < e->start[j + 1]; k++)
        out[e->index[k]] = table_element(t, e->value, k);
}

void sotto_table_feature(const sotto_table *t, int64_t j, double *out)
{
    double centre, half;
    sotto_table_feature_map(t, j, &centre, &half);
    table_stored(t, j, out);
    for (int64_t i = 0; t->folded && i < t->rows; i++)
        out[i] *= t->y[i];
    for (int64_t i = 0; i < t->rows; i++)
        out[i] = out[i] * half + centre;
}

int sotto_table_target(const sotto_table *t, double *out)
{
    for (int64_t i = 0; t->y && i < t->rows; i++)
        out[i] = t->y[i] * t->target_half + t->target_centre;
    return t->y != NULL;
}

int64_t sotto_table_dropped(const sotto_table *t)
{
    return t->dropped;
}

int sotto_table_people(const sotto_table *t, double *out)
{
    for (int64_t i = 0; t->unit && i < t->rows; i++)
        out[i] = (double)t->unit[i];
    return t->unit != NULL;
}

int sotto_table_weights(const sotto_table *t, double *out)
{
    if (t->weight)
        memcpy(out, t->weight, (size_t)t->rows * sizeof *out);
    return t->weight != NULL;
}

int64_t sotto_table_classes(const sotto_table *t)
{
    return t->classes;
}

const char *sotto_table_class(const sotto_table *t, int which)
{
    return which >= 0 && which < t->classes ? t->class_name[which] : NULL;
}
