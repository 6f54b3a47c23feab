/*
 * All that is wrong with a schema at once, and with a file's header beside it.
 * No record is read: what is told depends on the schema, the options and the
 * header.
 */
#include "number.h"
#include "reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- between columns ---- */

/* At most one target, weight and unit. */
static sotto_status check_single(schema *s, const column_plan *p,
                                 column_role role, const char *what,
                                 sotto_error *error)
{
    const column *first = NULL;
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < p->columns && status == SOTTO_OK; i++) {
        const column *c = &p->column[i];
        if (c->role == role && first)
            status = schema_note(
                s,
                error_set(error, SOTTO_USAGE,
                          "%s: columns \"%s\" and \"%s\" are both the %s; "
                          "expected one",
                          show_name(p->file).text, show_name(first->name).text,
                          show_name(c->name).text, what),
                error);
        else if (c->role == role)
            first = c;
    }
    return status;
}

static sotto_status check_target(schema *s, const column_plan *p,
                                 sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < p->columns && status == SOTTO_OK; i++) {
        const column *c = &p->column[i];
        if (c->role == COLUMN_TARGET && c->bounded && c->classes)
            status = schema_note(
                s,
                error_set(error, SOTTO_USAGE,
                          "%s: column \"%s\": expected \"bounds\" (a number) "
                          "or \"classes\", found both; remove one",
                          show_name(p->file).text, show_name(c->name).text),
                error);
    }
    return status;
}

/* No number is called as a level of a category is: each pair by itself. */
static sotto_status check_levels(schema *s, const column_plan *p,
                                 sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < p->columns; i++)
        for (int64_t k = 0;
             column_numbers(&p->column[i]) && strchr(p->column[i].name, '=') &&
             k < p->columns && status == SOTTO_OK;
             k++) {
            column pair[2] = {p->column[i], p->column[k]};
            column_plan two = {.file = p->file, .column = pair, .columns = 2};
            status = schema_note(s, plan_check_levels(&two, error), error);
        }
    return status;
}

/* ---- what is still to be filled in ---- */

enum { NAMES_SHOWN = 8 };

static int is_open(const column *c)
{
    return c->role == COLUMN_NUMBER && !c->bounded;
}

static void note_bounds(text_buffer *out, const column_plan *p)
{
    int64_t open = 0;
    for (int64_t i = 0; i < p->columns; i++)
        if (is_open(&p->column[i]) && open++ < NAMES_SHOWN)
            text_format(out, "%s\"%s\"", open > 1 ? ", " : "no bounds for ",
                        show_name(p->column[i].name).text);
    if (open > NAMES_SHOWN)
        text_format(out, " and %lld more", (long long)(open - NAMES_SHOWN));
    if (open)
        text_put(out, ": --solver auto and newton find them for a part of the "
                      "budget, other private solvers need them declared\n");
}

/* A target with bounds is a number. */
static void note_classes(text_buffer *out, const column_plan *p,
                         const sotto_options *options)
{
    for (int64_t i = 0; i < p->columns; i++) {
        const column *c = &p->column[i];
        if (c->role == COLUMN_TARGET && c->classes_open && !c->bounded &&
            !option_given(options, OPTION_CLASSES))
            text_format(out,
                        "no classes for the target \"%s\": losses of classes "
                        "then expect 0/1 or -1/+1\n",
                        show_name(c->name).text);
    }
}

/* A template that nobody has filled in is no fault. */
static sotto_status note_open(schema *s, const column_plan *p,
                              const sotto_options *options, sotto_error *error)
{
    text_buffer *out = &s->faults->open;
    int targets = 0;
    for (int64_t i = 0; i < p->columns; i++)
        targets += p->column[i].role == COLUMN_TARGET;
    if (!targets)
        text_put(out, "no column has the type \"target\": declare what is to "
                      "be predicted, or give --target NAME\n");
    note_classes(out, p, options);
    note_bounds(out, p);
    return out->failed ? error_memory(error) : SOTTO_OK;
}

/* ---- columns with names ---- */

static sotto_status check_columns(schema *s, column_plan *p, char **names,
                                  int64_t count, const sotto_options *options,
                                  sotto_error *error)
{
    sotto_status status = plan_check_names(p, names, count, options, s, error);
    p->column = mem_zeroed((size_t)count, sizeof *p->column);
    if (!p->column)
        return error_memory(error);
    while (status == SOTTO_OK && p->columns < count) {
        int64_t i = p->columns++;
        status = schema_note(
            s, plan_column(p, &p->column[i], names[i], options, s, 1, error),
            error);
    }
    if (status == SOTTO_OK)
        status = check_single(s, p, COLUMN_TARGET, "target", error);
    if (status == SOTTO_OK)
        status = check_single(s, p, COLUMN_WEIGHT, "weight", error);
    if (status == SOTTO_OK)
        status = check_single(s, p, COLUMN_UNIT, "unit", error);
    if (status == SOTTO_OK)
        status = check_target(s, p, error);
    if (status == SOTTO_OK)
        status = check_levels(s, p, error);
    /* what else training would refuse: a single line */
    if (status == SOTTO_OK && !s->faults->count)
        status = schema_note(s, plan_places(p, error), error);
    if (status == SOTTO_OK && !s->faults->count)
        status = note_open(s, p, options, error);
    return status;
}

static sotto_status check_named(schema *s, const char *file, plan_naming naming,
                                char **names, int64_t count,
                                const sotto_options *options,
                                sotto_error *error)
{
    column_plan p = {.file = file, .naming = naming, .width = s->width};
    plan_settings(&p, options);
    sotto_status status = check_columns(s, &p, names, count, options, error);
    for (int64_t i = 0; i < p.columns && naming == NAMES_COUNTED; i++)
        if (status == SOTTO_OK && column_is_text(&p.column[i]))
            status = schema_note(
                s,
                error_set(error, SOTTO_USAGE,
                          "%s: column %s: a .npy file holds numbers; "
                          "categories, dates, booleans and units need CSV",
                          show_name(file).text,
                          show_name(p.column[i].name).text),
                error);
    plan_free(&p);
    return status;
}

/* Without a file: the columns are those that the schema lists. With a default
   there may be others, so none need be a feature. */
static sotto_status check_alone(schema *s, const char *path,
                                const sotto_options *options,
                                sotto_error *error)
{
    int64_t count = s->columns + s->has_default;
    file_header h = {.name = mem_zeroed((size_t)count + 1, sizeof *h.name),
                     .count = count};
    int whole = h.name != NULL;
    for (int64_t i = 0; whole && i < count; i++) {
        h.name[i] =
            mem_text(i < s->columns ? s->column[i].name : "(not listed)");
        whole = h.name[i] != NULL;
    }
    s->width = 0; /* which is about a file */
    sotto_status status = whole ? check_named(s, path, NAMES_LISTED, h.name,
                                              count, options, error)
                                : error_memory(error);
    header_free(&h);
    return status;
}

/* ---- numbered features ---- */

static sotto_status check_number(schema *s, const char *path, const column *c,
                                 const char *name, sotto_error *error)
{
    double index = 1;
    int is_default = c == &s->default_column;
    if ((!is_default && (!number_whole(c->name, &index) || index < 1 ||
                         index > 2147483647 || index != floor(index))) ||
        c->role != COLUMN_NUMBER || c->missing != MISSING_REFUSE)
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": numbered features are called 1, "
                         "2, ... and can have the type number with bounds",
                         show_name(path).text, show_name(name).text);
    if (c->bounded && !(c->low <= 0 && c->high >= 0))
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": the bounds of a numbered "
                         "feature must include 0, which is not written out",
                         show_name(path).text, show_name(name).text);
    return SOTTO_OK;
}

/* The columns that are right in themselves. */
static sotto_status check_numbered(schema *s, const char *path,
                                   sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int told = s->faults->count > 0; /* a faulty column has the role drop */
    if (s->has_default && !(told && s->default_column.role == COLUMN_DROP))
        status = schema_note(
            s, check_number(s, path, &s->default_column, "default", error),
            error);
    for (int64_t i = 0; i < s->columns && status == SOTTO_OK; i++) {
        const column *c = &s->column[i];
        if (c->role != COLUMN_TARGET && !(told && c->role == COLUMN_DROP))
            status =
                schema_note(s, check_number(s, path, c, c->name, error), error);
    }
    return status;
}

/* ---- the whole ---- */

static sotto_status check_header(schema *s, const char *path, source *from,
                                 const sotto_options *options,
                                 sotto_error *error)
{
    const file_format *format;
    file_header h = {0};
    sotto_status status = format_detect(&format, from, options, 0, error);
    if (status != SOTTO_OK)
        return status;
    if (!format->header)
        return check_numbered(s, path, error);
    status = format->header(from, options, &h, error);
    if (status == SOTTO_OK)
        status = check_named(s, source_name(from), read_naming(format, &h),
                             h.name, h.count, options, error);
    header_free(&h);
    return status;
}

static sotto_status check_all(schema *s, const char *path, const char *data,
                              const sotto_options *options, sotto_error *error)
{
    source *from = NULL;
    qsort(s->column, (size_t)s->columns, sizeof *s->column,
          plan_compare_columns);
    if (!data)
        return check_alone(s, path, options, error);
    sotto_status status =
        source_open(&from, data, format_by_name_only(options), error);
    if (status == SOTTO_OK)
        status = check_header(s, path, from, options, error);
    source_close(from);
    return schema_note(s, status, error); /* a file that is none */
}

sotto_status sotto_schema_check(char **out, const char *path, const char *data,
                                const sotto_options *options,
                                sotto_error *error)
{
    schema s;
    schema_faults faults = {0};
    sotto_error first = {SOTTO_OK, ""}; /* the caller may have given none */
    *out = NULL;
    sotto_status status = schema_load_all(&s, path, &faults, &first);
    if (status == SOTTO_OK)
        status = check_all(&s, path, data, options, &first);
    int wrong = status == SOTTO_OK && faults.count;
    text_buffer *told = wrong ? &faults.lines : &faults.open;
    if (status == SOTTO_OK && told->length) {
        *out = text_take(told);
        *told = (text_buffer){0};
    }
    if (wrong)
        status =
            error_set(&first, faults.status,
                      faults.count == 1 ? "%s: %lld fault"
                                        : "%s: %lld faults, a line for each",
                      show_name(path).text, (long long)faults.count);
    text_free(&faults.lines);
    text_free(&faults.open);
    schema_free(&s);
    if (error && status != SOTTO_OK)
        *error = first;
    return status;
}
