/*
 * What is held against a table from a disk: options that would have read its
 * source otherwise, and rows that no reader makes.
 */
#include "loss.h"
#include "table_file.h"

#include <math.h>
#include <string.h>

/* ---- options ---- */

/* What a table has no room for. */
static sotto_status check_purpose(const char *file,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    const char *other = NULL;
    if (option_given(options, OPTION_DECLARED))
        other = "predict and evaluate read the file that it was made of";
    else if (option_exact(options))
        other = "the exact solver needs more digits: read the file that it "
                "was made of";
    else if (option_given(options, OPTION_PART_COLUMN))
        other = "a part of a data set is read from the file that it was "
                "made of";
    else if (option_is(options, OPTION_KEEP_IDS, "yes"))
        other = "a federation reads the file that it was made of";
    return other ? error_set(error, SOTTO_USAGE,
                             "%s: a table is for private training; %s",
                             show_name(file).text, other)
                 : SOTTO_OK;
}

/* A column of this name had another part, or none. */
static sotto_status check_column(const char *file, const sotto_options *options,
                                 option_id id, const char *name,
                                 sotto_error *error)
{
    if (!option_given(options, id) || (name && option_is(options, id, name)))
        return SOTTO_OK;
    shown was = show_name(name ? name : "");
    return error_set(error, SOTTO_USAGE,
                     "%s: --%s: the table was converted with %s%s%s; leave "
                     "the option out, or convert its source again",
                     show_name(file).text, sotto_option_at(id)->name,
                     name ? "\"" : "no such column", was.text,
                     name ? "\"" : "");
}

/* Whether a feature is without bounds, and not divided by its row's length. */
static int has_undeclared(const sotto_table *t)
{
    int some = !t->reach;
    for (int64_t j = 0; t->reach && j < t->features; j++)
        some |= isinf(t->reach[j]) != 0;
    return some;
}

static sotto_status check_choices(const char *file, const sotto_table *shape,
                                  const sotto_options *options,
                                  sotto_error *error)
{
    int rows = option_is(options, OPTION_UNDECLARED, "rows");
    if (rows ? has_undeclared(shape) : shape->scaled > 0)
        return error_set(error, SOTTO_USAGE,
                         "%s: the table was converted %s --undeclared rows: "
                         "expected the same here, or another table",
                         show_name(file).text, rows ? "without" : "with");
    int drop = option_is(options, OPTION_BAD_ROWS, "drop");
    if (option_given(options, OPTION_BAD_ROWS) && drop != shape->drops_rows)
        return error_set(error, SOTTO_USAGE,
                         "%s: the table was converted with --bad-rows %s; "
                         "leave the option out, or convert its source again",
                         show_name(file).text,
                         shape->drops_rows ? "drop" : "stop");
    return SOTTO_OK;
}

static sotto_status check_loss(const char *file, const sotto_table *shape,
                               const sotto_options *options, sotto_error *error)
{
    const char *name = option_text(options, OPTION_LOSS);
    int classes = loss_named_has(name, loss_has_classes);
    int asked = option_given(options, OPTION_LOSS) || option_private(options);
    if (!asked || classes == (shape->classes > 0))
        return SOTTO_OK;
    return error_set(error, SOTTO_USAGE,
                     "%s: --loss %s: the table was converted for a target "
                     "that is %s; expected a loss for that, or another table",
                     show_name(file).text, name,
                     classes ? "a number" : "one of classes");
}

sotto_status table_check_options(const char *file, const sotto_table *shape,
                                 const sotto_options *options,
                                 sotto_error *error)
{
    static const option_id fixed[] = {
        OPTION_SCHEMA,       OPTION_SCHEMA_TEXT, OPTION_CLASSES, OPTION_WEIGHTS,
        OPTION_WEIGHT_BOUND, OPTION_DROP,        OPTION_ONLY};
    sotto_status status = check_purpose(file, options, error);
    for (size_t i = 0; status == SOTTO_OK && i < sizeof fixed / sizeof *fixed;
         i++)
        if (option_given(options, fixed[i]))
            status = error_set(error, SOTTO_USAGE,
                               "%s: --%s: 'sotto convert' has read the records "
                               "already; leave the option out, or convert the "
                               "table's source again",
                               show_name(file).text,
                               sotto_option_at(fixed[i])->name);
    if (status == SOTTO_OK)
        status = check_column(file, options, OPTION_TARGET, shape->target_name,
                              error);
    if (status == SOTTO_OK)
        status = check_column(file, options, OPTION_UNIT_COLUMN,
                              shape->unit_name, error);
    if (status == SOTTO_OK)
        status = check_choices(file, shape, options, error);
    return status == SOTTO_OK ? check_loss(file, shape, options, error)
                              : status;
}

/* ---- rows ---- */

static int target_fits(const sotto_table *t, double y)
{
    if (t->classes == 2)
        return y == 1 || y == -1;
    if (t->classes)
        return y >= 0 && y < (double)t->classes && y == floor(y);
    return isfinite(y) && fabs(y) <= t->target_reach;
}

int table_rows_fit(const sotto_table *t)
{
    int64_t people = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        if (!target_fits(t, t->y[i]) ||
            (t->weight &&
             !(t->weight[i] >= 0 && t->weight[i] <= t->weight_bound)))
            return 0;
        if (!t->unit)
            continue;
        if (t->unit[i] < 0 || t->unit[i] > people)
            return 0;
        people += t->unit[i] == people; /* numbered as they are seen */
    }
    return 1;
}

int table_values_fit(const sotto_table *t, int64_t j, const float *value,
                     int64_t count)
{
    double most = t->reach ? t->reach[j] : INFINITY;
    float bound = most < (double)HUGE_VALF ? (float)most : HUGE_VALF;
    int outside = 0;
    for (int64_t i = 0; i < count; i++) /* without a branch */
        outside |= !(fabsf(value[i]) <= bound) | !(fabsf(value[i]) < HUGE_VALF);
    return !outside;
}

/* Rows at the ends of the file begin and end with its entries; where a share
   ends the next one begins, by the same number. */
int table_starts_fit(const sotto_table *t, const table_file *f)
{
    const int64_t *start = t->by_row.start, entries = f->layout.entries;
    if ((f->from == 0 && start[0] != 0) || start[0] < 0 ||
        (f->from + t->rows == f->layout.rows && start[t->rows] != entries))
        return 0;
    for (int64_t i = 0; i < t->rows; i++)
        if (start[i + 1] < start[i] || start[i + 1] > entries)
            return 0;
    return 1;
}

int table_entries_fit(const sotto_table *t)
{
    const table_entries *e = &t->by_row;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = e->start[i]; k < e->start[i + 1]; k++)
            if (e->index[k] >= (uint64_t)t->features ||
                (k > e->start[i] && e->index[k] <= e->index[k - 1]) ||
                !table_values_fit(t, e->index[k], (const float *)e->value + k,
                                  1))
                return 0;
    return 1;
}
