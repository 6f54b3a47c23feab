/*
 * The names in the header against those in the options and in the schema.
 */
#include "column_plan.h"

#include <stdlib.h>
#include <string.h>

static int plan_compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted copies of the names: to find duplicates and missing ones. */
static char **plan_sorted(char **names, int64_t count)
{
    char **sorted = mem_zeroed((size_t)count, sizeof *sorted);
    if (sorted && count) {
        memcpy(sorted, names, (size_t)count * sizeof *sorted);
        qsort(sorted, (size_t)count, sizeof *sorted, plan_compare_names);
    }
    return sorted;
}

static int plan_has_name(char **sorted, int64_t count, const char *name)
{
    return bsearch(&name, sorted, (size_t)count, sizeof *sorted,
                   plan_compare_names) != NULL;
}

/* Whether a file can do without a column that is declared. Private rows must
   say whose they are. */
static int plan_may_lack(const column_plan *p, const schema *s, const column *c)
{
    return s->is_model && !column_features(c) &&
           !(p->labelled && c->role == COLUMN_TARGET) &&
           !(p->is_private && c->role == COLUMN_UNIT);
}

/* The names of the file's columns, and what messages say of the file. */
typedef struct plan_names {
    const column_plan *plan;
    char **name, **sorted;
    int64_t count;
} plan_names;

const char *plan_names_line(const column_plan *p)
{
    return p->naming == NAMES_HEADER ? "line 1: " : "";
}

static sotto_status plan_no_column(const plan_names *n, const char *who,
                                   const char *name, sotto_error *error)
{
    static const char *const expected[] = {
        [NAMES_COUNTED] = "the number of a column, from 1",
        [NAMES_HEADER] = "one of the names in the header",
        [NAMES_LISTED] = "one of the names of the columns"};
    int named = n->plan->naming != NAMES_COUNTED;
    return error_set(error, SOTTO_DATA,
                     "%s: %sthere is no column \"%s\" (%s); expected %s%s",
                     show_name(n->plan->file).text, plan_names_line(n->plan),
                     show_name(name).text, who, expected[n->plan->naming],
                     suggest_names(name, n->name, named ? n->count : 0).text);
}

static sotto_status plan_check_option(const plan_names *n, option_id id,
                                      const sotto_options *options,
                                      sotto_error *error)
{
    char who[32];
    int is_part = id == OPTION_PART_COLUMN; /* which the data set names */
    snprintf(who, sizeof who, "%s%s", is_part ? "" : "--",
             is_part ? "the data set's parts" : sotto_option_at(id)->name);
    const char *value = option_text(options, id);
    size_t cursor = 0;
    char *name = NULL;
    int got = 0;
    sotto_status status = SOTTO_OK;
    if (!value)
        return SOTTO_OK;
    if (id != OPTION_DROP && id != OPTION_ONLY)
        return plan_has_name(n->sorted, n->count, value)
                   ? SOTTO_OK
                   : plan_no_column(n, who, value, error);
    while (status == SOTTO_OK &&
           (got = option_next(options, id, &cursor, &name)) > 0) {
        if (!plan_has_name(n->sorted, n->count, name))
            status = plan_no_column(n, who, name, error);
        mem_free(name);
    }
    return got < 0 ? error_memory(error) : status;
}

/* The message says places, not names: the first line of a file without a
   header is a record, and no message quotes a record. */
static sotto_status plan_check_duplicates(const plan_names *n,
                                          sotto_error *error)
{
    const char *twice = NULL;
    int64_t first = 0, second;
    for (int64_t i = 1; i < n->count && !twice; i++)
        if (!strcmp(n->sorted[i], n->sorted[i - 1]))
            twice = n->sorted[i];
    if (!twice)
        return SOTTO_OK;
    while (strcmp(n->name[first], twice))
        first++;
    for (second = first + 1; strcmp(n->name[second], twice);)
        second++;
    return error_set(error, SOTTO_DATA,
                     "%s: %scolumns %lld and %lld have the same name; "
                     "expected different names",
                     show_name(n->plan->file).text, plan_names_line(n->plan),
                     (long long)first + 1, (long long)second + 1);
}

static sotto_status plan_check_schema(column_plan *p, const plan_names *n,
                                      schema *s, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < s->columns && status == SOTTO_OK; i++) {
        const column *c = &s->column[i];
        const char *who = !s->is_model               ? "the schema"
                          : c->role == COLUMN_TARGET ? "the model's target"
                                                     : "the model needs it";
        if (plan_has_name(n->sorted, n->count, c->name))
            continue;
        if (plan_may_lack(p, s, c))
            p->lacks_weight |= c->role == COLUMN_WEIGHT && p->labelled;
        else
            status =
                schema_note(s, plan_no_column(n, who, c->name, error), error);
    }
    return status;
}

/* Columns that are known by their numbers: there must be as many as in the
   file that the numbers were declared for. */
static sotto_status plan_check_width(const column_plan *p, const plan_names *n,
                                     sotto_error *error)
{
    if (p->naming != NAMES_COUNTED || !p->width || n->count == p->width ||
        (p->for_model && !p->labelled && p->last_is_target &&
         n->count == p->width - 1))
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA,
                     "%s: expected %lld columns, as %s, since .npy columns "
                     "are known by their place",
                     show_name(p->file).text, (long long)p->width,
                     p->for_model ? "in the file the model was learned from"
                                  : "the schema says");
}

sotto_status plan_check_names(column_plan *p, char **names, int64_t count,
                              const sotto_options *options, schema *s,
                              sotto_error *error)
{
    static const option_id named[] = {OPTION_TARGET,      OPTION_WEIGHTS,
                                      OPTION_UNIT_COLUMN, OPTION_PART_COLUMN,
                                      OPTION_DROP,        OPTION_ONLY};
    plan_names n = {p, names, plan_sorted(names, count), count};
    sotto_status status = n.sorted ? SOTTO_OK : error_memory(error);
    for (size_t i = 0; i < sizeof named / sizeof *named && status == SOTTO_OK;
         i++)
        status = schema_note(s, plan_check_option(&n, named[i], options, error),
                             error);
    if (status == SOTTO_OK)
        status = plan_check_schema(p, &n, s, error);
    if (status == SOTTO_OK)
        status = schema_note(s, plan_check_width(p, &n, error), error);
    if (status == SOTTO_OK)
        status = schema_note(s, plan_check_duplicates(&n, error), error);
    mem_free(n.sorted);
    return status;
}

/* The level b of a column a is a feature called "a=b". A number of that name
   would be a second one. Levels that are asked for may have any name. */
static sotto_status plan_check_level(const column_plan *p, const column *c,
                                     const column *number, sotto_error *error)
{
    size_t length = strlen(c->name);
    int any = c->asks_levels && !strncmp(number->name, c->name, length) &&
              number->name[length] == '=';
    for (int64_t i = 0; i < column_features(c) - column_numbers(c); i++)
        if (any ||
            (column_numbers(number) && column_level_is(c, i, number->name)))
            return error_set(error, SOTTO_USAGE,
                             "%s: two features would be called \"%s\": a "
                             "column and a level of \"%s\"; rename one",
                             show_name(p->file).text,
                             show_name(number->name).text,
                             show_name(c->name).text);
    return SOTTO_OK;
}

sotto_status plan_check_levels(const column_plan *p, sotto_error *error)
{
    for (int64_t i = 0; i < p->columns; i++)
        for (int64_t k = 0; column_features(&p->column[i]) &&
                            strchr(p->column[i].name, '=') && k < p->columns;
             k++) {
            sotto_status status =
                plan_check_level(p, &p->column[k], &p->column[i], error);
            if (status != SOTTO_OK)
                return status;
        }
    return SOTTO_OK;
}
