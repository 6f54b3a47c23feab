/*
 * Options and schema against the header: every column gets its role, every
 * feature its place and its map, before the first row is looked at.
 */
#include "column_plan.h"
#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void plan_free(column_plan *p)
{
    for (int64_t i = 0; i < p->columns; i++)
        column_free(&p->column[i]);
    mem_free(p->column);
    mem_free(p->class_name[0]);
    mem_free(p->class_name[1]);
    for (int64_t i = 0; i < p->missing_words; i++)
        mem_free(p->missing[i]);
    mem_free(p->missing);
    mem_free(p->missing_number);
    mem_free(p->scaled);
    mem_free(p->low);
    mem_free(p->high);
    *p = (column_plan){0};
}

/* ---- what the options say of the whole file ---- */

void plan_settings(column_plan *p, const sotto_options *options)
{
    p->row_word = "line";
    p->stray_weight_bound = option_given(options, OPTION_WEIGHT_BOUND);
    p->drop_bad = option_is(options, OPTION_BAD_ROWS, "drop");
    p->is_private = option_private(options);
    p->keeps_ids = option_is(options, OPTION_KEEP_IDS, "yes");
    p->wide = option_given(options, OPTION_PRECISION)
                  ? option_is(options, OPTION_PRECISION, "double")
                  : option_exact(options);
    p->rows_only = option_is(options, OPTION_LAYOUT, "rows");
    p->for_model = option_given(options, OPTION_DECLARED);
    p->exact = p->for_model || option_exact(options);
    p->scales_rows = option_is(options, OPTION_UNDECLARED, "rows");
    p->labelled = option_is(options, OPTION_LABELLED, "yes");
    p->threads = (int)option_integer(options, OPTION_THREADS);
    if (p->threads == 0)
        p->threads = thread_limit();
}

static int plan_loss_has_classes(const sotto_options *options)
{
    return option_is(options, OPTION_LOSS, "logistic") ||
           option_is(options, OPTION_LOSS, "hinge") ||
           option_is(options, OPTION_LOSS, "squared-hinge");
}

/* Names of the two classes: --classes, else the schema's, else none. */
static sotto_status plan_declared_classes(column_plan *p,
                                          const sotto_options *options,
                                          sotto_error *error)
{
    size_t cursor = 0;
    char *word = NULL;
    int got, count = 0;
    while ((got = option_next(options, OPTION_CLASSES, &cursor, &word)) > 0)
        if (count < 2)
            p->class_name[count++] = word;
        else {
            mem_free(word);
            count = 3;
        }
    if (got < 0)
        return error_memory(error);
    if (option_given(options, OPTION_CLASSES) &&
        (count != 2 || !strcmp(p->class_name[0], p->class_name[1]) ||
         !*p->class_name[0] || !*p->class_name[1]))
        return error_set(error, SOTTO_USAGE,
                         "--classes: expected two different names A,B, the "
                         "negative class first (more than two classes are "
                         "not supported yet)");
    if (count || !p->target->class_name[0])
        return SOTTO_OK;
    for (int i = 0; i < 2; i++) {
        p->class_name[i] = mem_text(p->target->class_name[i]);
        if (!p->class_name[i])
            return error_memory(error);
    }
    return SOTTO_OK;
}

static sotto_status plan_classes(column_plan *p, const sotto_options *options,
                                 sotto_error *error)
{
    sotto_status status = plan_declared_classes(p, options, error);
    if (status != SOTTO_OK)
        return status;
    if (p->target->bounded)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": a target of two classes has no "
                         "bounds; remove them from the schema",
                         show_name(p->target->name).text);
    p->target_is = TARGET_CLASSES;
    p->classes_declared = p->class_name[0] != NULL;
    p->classes_numeric = 1;
    for (int i = 0; i < 2 && p->classes_declared; i++)
        if (!number_whole(p->class_name[i], &p->class_value[i]))
            p->classes_numeric = 0;
    if (p->classes_declared && p->classes_numeric &&
        p->class_value[0] == p->class_value[1])
        return error_set(error, SOTTO_USAGE,
                         "--classes: expected two different classes, found "
                         "one number written in two ways");
    return SOTTO_OK;
}

sotto_status plan_target(column_plan *p, const sotto_options *options,
                         sotto_error *error)
{
    if (p->target && plan_loss_has_classes(options))
        return plan_classes(p, options, error);
    if (option_given(options, OPTION_CLASSES))
        return error_set(error, SOTTO_USAGE,
                         p->target ? "--classes goes with the losses "
                                     "logistic, hinge and squared-hinge"
                                   : "--classes needs --target");
    if (p->target && p->target->class_name[0])
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": the schema declares two classes, but "
                         "--loss %s reads a number; give --loss logistic, "
                         "hinge or squared-hinge",
                         show_name(p->target->name).text,
                         option_text(options, OPTION_LOSS));
    p->target_is = p->target ? TARGET_NUMBER : TARGET_NONE;
    return SOTTO_OK;
}

/* ---- one column ---- */

/* Halves first, so that bounds near the largest double do not overflow. */
void plan_map(column *c)
{
    c->centre = 0;
    c->half = 1;
    if (c->bounded) {
        c->centre = c->low / 2 + c->high / 2;
        c->half = c->high / 2 - c->low / 2;
    }
}

static sotto_status plan_copy_standard(column *c, const char *name,
                                       const schema *s, sotto_error *error)
{
    if (s->has_standard)
        *c = s->standard; /* a number or drop: owns nothing but its name */
    c->name = mem_text(name);
    return c->name ? SOTTO_OK : error_memory(error);
}

static int plan_compare_columns(const void *a, const void *b)
{
    return strcmp(((const column *)a)->name, ((const column *)b)->name);
}

/* The declaration of this name, if the schema (sorted by name) has one. */
static column *plan_declared(const char *name, const schema *s)
{
    column key = {.name = (char *)(uintptr_t)name};
    return s->columns ? bsearch(&key, s->column, (size_t)s->columns, sizeof key,
                                plan_compare_columns)
                      : NULL;
}

/* Takes what was declared over: a name stays behind, to be found by. */
static sotto_status plan_take(column *c, column *declared, sotto_error *error)
{
    *c = *declared;
    *declared = (column){.name = declared->name};
    c->name = mem_text(declared->name);
    return c->name ? SOTTO_OK : error_memory(error);
}

static sotto_status plan_role_by_option(column *c, const sotto_options *options,
                                        sotto_error *error)
{
    int is_target = option_is(options, OPTION_TARGET, c->name);
    int is_weight = option_is(options, OPTION_WEIGHTS, c->name);
    int is_unit = option_is(options, OPTION_UNIT_COLUMN, c->name);
    int kept = c->role == COLUMN_TARGET || c->role == COLUMN_WEIGHT ||
               c->role == COLUMN_UNIT;
    if (is_target + is_weight + is_unit +
            option_lists(options, OPTION_DROP, c->name) >
        1)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": named by two of --target, --weights, "
                         "--unit-column and --drop",
                         show_name(c->name).text);
    if ((is_target || is_weight) && c->role == COLUMN_CATEGORY)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": a category in the schema cannot be "
                         "the target or the weights; declare \"type\": "
                         "\"target\" with \"classes\"",
                         show_name(c->name).text);
    /* another column has been named for it */
    if ((c->role == COLUMN_TARGET && option_given(options, OPTION_TARGET)) ||
        (c->role == COLUMN_WEIGHT && option_given(options, OPTION_WEIGHTS)) ||
        (c->role == COLUMN_UNIT && option_given(options, OPTION_UNIT_COLUMN)))
        c->role = COLUMN_DROP;
    if (is_unit) {
        c->role = COLUMN_UNIT;
        return SOTTO_OK;
    }
    if (is_target || is_weight) {
        c->role = is_target ? COLUMN_TARGET : COLUMN_WEIGHT;
        c->missing = MISSING_REFUSE; /* what was declared for a feature */
    } else if (option_lists(options, OPTION_DROP, c->name) ||
               (option_given(options, OPTION_ONLY) && !kept &&
                !option_lists(options, OPTION_ONLY, c->name)))
        c->role = COLUMN_DROP;
    return SOTTO_OK;
}

static sotto_status plan_weight_bound(column *c, const sotto_options *options,
                                      sotto_error *error)
{
    if (option_given(options, OPTION_WEIGHT_BOUND)) {
        c->bounded = 1;
        c->low = 0;
        c->high = option_number(options, OPTION_WEIGHT_BOUND);
    }
    if (!c->bounded)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": weights need a declared bound: "
                         "--weight-bound B, or bounds in the schema",
                         show_name(c->name).text);
    if (c->low < 0)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": the bounds of a weight must not be "
                         "negative",
                         show_name(c->name).text);
    return SOTTO_OK;
}

/* A model's column: what it does not need is not read, what it needs stays. */
static sotto_status plan_model_role(column_plan *p, column *c,
                                    const column *declared, sotto_error *error)
{
    int was_feature = declared && (declared->role == COLUMN_NUMBER ||
                                   declared->role == COLUMN_CATEGORY);
    if (!declared && c->role == COLUMN_NUMBER)
        return error_set(error, SOTTO_DATA,
                         "%s: line 1: the model does not know the column "
                         "\"%s\"; leave it out with --drop",
                         show_name(p->file).text, show_name(c->name).text);
    if (declared && p->labelled && c->role == COLUMN_DROP &&
        declared->role == COLUMN_WEIGHT)
        p->lacks_weight = 1;
    if ((was_feature ||
         (declared && p->labelled && declared->role == COLUMN_TARGET)) &&
        c->role == COLUMN_DROP)
        return error_set(error, SOTTO_USAGE,
                         "--drop: the model needs the column \"%s\"",
                         show_name(c->name).text);
    if (c->role == COLUMN_UNIT || (!p->labelled && !was_feature))
        c->role = COLUMN_DROP;
    return SOTTO_OK;
}

static sotto_status plan_one(column_plan *p, column *c, const char *name,
                             const sotto_options *options, schema *s,
                             int has_schema, sotto_error *error)
{
    column *declared = plan_declared(name, s);
    column as_declared = declared ? *declared : (column){0};
    sotto_status status = declared ? plan_take(c, declared, error)
                                   : plan_copy_standard(c, name, s, error);
    if (status == SOTTO_OK)
        status = plan_role_by_option(c, options, error);
    if (status == SOTTO_OK && s->is_model)
        status = plan_model_role(p, c, declared ? &as_declared : NULL, error);
    if (status != SOTTO_OK)
        return status;
    if (has_schema && !declared && !s->has_standard &&
        (c->role == COLUMN_NUMBER))
        return error_set(error, SOTTO_DATA,
                         "%s: column \"%s\" is not in the schema: declare "
                         "it, --drop it, or give the schema a \"default\"",
                         show_name(p->file).text, show_name(name).text);
    if (c->role == COLUMN_WEIGHT)
        return plan_weight_bound(c, options, error);
    plan_map(c);
    return SOTTO_OK;
}

/* ---- the whole header ---- */

static sotto_status plan_single(const column_plan *p, const char *what,
                                const column **slot, const column *c,
                                sotto_error *error)
{
    if (*slot)
        return error_set(error, SOTTO_USAGE,
                         "%s: columns \"%s\" and \"%s\" are both the %s; "
                         "expected one",
                         show_name(p->file).text, show_name((*slot)->name).text,
                         show_name(c->name).text, what);
    *slot = c;
    return SOTTO_OK;
}

/* Places of the features in the table, in the order of the file, or of the
   model that has asked for them. */
static sotto_status plan_places(column_plan *p, sotto_error *error)
{
    const column *weight = NULL, *unit = NULL;
    sotto_status status = SOTTO_OK;
    for (int64_t i = 0; i < p->columns && status == SOTTO_OK; i++) {
        column *c = &p->column[i];
        c->feature = p->for_model ? c->place : p->features;
        if (c->role == COLUMN_NUMBER)
            p->features += 1;
        else if (c->role == COLUMN_CATEGORY)
            p->features += c->levels;
        else if (c->role == COLUMN_TARGET)
            status = plan_single(p, "target", &p->target, c, error);
        else if (c->role == COLUMN_WEIGHT)
            status = plan_single(p, "weight", &weight, c, error);
        else if (c->role == COLUMN_UNIT)
            status = plan_single(p, "unit", &unit, c, error);
    }
    p->has_weight = weight != NULL;
    p->has_unit = unit != NULL;
    if (status == SOTTO_OK && !weight && p->stray_weight_bound)
        return error_set(error, SOTTO_USAGE,
                         "--weight-bound needs --weights NAME");
    if (status == SOTTO_OK && p->features == 0)
        return error_set(error, SOTTO_DATA,
                         "%s: no column is left to learn from; expected at "
                         "least one feature",
                         show_name(p->file).text);
    return status;
}

static int plan_compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted copies of the names: to find duplicates and missing ones. */
static char **plan_sorted(char **names, int64_t count)
{
    char **sorted = mem_zeroed((size_t)count, sizeof *sorted);
    if (sorted) {
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

/* Whether a file can do without a column that is declared. */
static int plan_may_lack(const schema *s, const column *c, int labelled)
{
    int is_feature = c->role == COLUMN_NUMBER || c->role == COLUMN_CATEGORY;
    return s->is_model && !is_feature &&
           !(labelled && c->role == COLUMN_TARGET);
}

/* What messages say of the file whose names are looked at. */
typedef struct plan_names {
    const char *file;
    int header;
    char **name, **sorted;
    int64_t count;
} plan_names;

static sotto_status plan_no_column(const plan_names *n, const char *who,
                                   const char *name, sotto_error *error)
{
    return error_set(error, SOTTO_DATA,
                     "%s: %sthere is no column \"%s\" (%s); expected %s%s",
                     show_name(n->file).text, n->header ? "line 1: " : "",
                     show_name(name).text, who,
                     n->header ? "one of the names in the header"
                               : "the number of a column, from 1",
                     near_names(name, n->name, n->header ? n->count : 0).text);
}

static sotto_status plan_check_option(const plan_names *n, option_id id,
                                      const char *who,
                                      const sotto_options *options,
                                      sotto_error *error)
{
    const char *value = option_text(options, id);
    size_t cursor = 0;
    char *name = NULL;
    int got = 0;
    sotto_status status = SOTTO_OK;
    if (!value)
        return SOTTO_OK;
    if (id == OPTION_TARGET || id == OPTION_WEIGHTS || id == OPTION_UNIT_COLUMN)
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

/* Told by their places: what stands in the first line of a file without a
   header is a record's. */
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
                     "%s: line 1: columns %lld and %lld have the same name; "
                     "expected different names",
                     show_name(n->file).text, (long long)first + 1,
                     (long long)second + 1);
}

static sotto_status plan_check_schema(column_plan *p, const plan_names *n,
                                      const schema *s, sotto_error *error)
{
    for (int64_t i = 0; i < s->columns; i++) {
        const column *c = &s->column[i];
        if (plan_has_name(n->sorted, n->count, c->name))
            continue;
        if (!plan_may_lack(s, c, p->labelled))
            return plan_no_column(n,
                                  !s->is_model ? "the schema"
                                  : c->role == COLUMN_TARGET
                                      ? "the model's target"
                                      : "the model needs it",
                                  c->name, error);
        p->lacks_weight |= c->role == COLUMN_WEIGHT && p->labelled;
    }
    return SOTTO_OK;
}

/* Columns that are known by their number must be as many as they were. */
static sotto_status plan_check_width(const column_plan *p, const plan_names *n,
                                     sotto_error *error)
{
    if (n->header || !p->width || n->count == p->width ||
        (p->for_model && !p->labelled && p->last_is_target &&
         n->count == p->width - 1))
        return SOTTO_OK;
    return error_set(error, SOTTO_DATA,
                     "%s: expected %lld columns, as %s, since .npy columns "
                     "are known by their place",
                     show_name(n->file).text, (long long)p->width,
                     p->for_model ? "in the file the model was learned from"
                                  : "the schema says");
}

static sotto_status plan_check_names(column_plan *p, const plan_names *n,
                                     const sotto_options *options,
                                     const schema *s, sotto_error *error)
{
    static const struct {
        option_id id;
        const char *who;
    } named[] = {{OPTION_TARGET, "--target"},
                 {OPTION_WEIGHTS, "--weights"},
                 {OPTION_UNIT_COLUMN, "--unit-column"},
                 {OPTION_DROP, "--drop"},
                 {OPTION_ONLY, "--only"}};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < 5 && status == SOTTO_OK; i++)
        status =
            plan_check_option(n, named[i].id, named[i].who, options, error);
    if (status == SOTTO_OK)
        status = plan_check_schema(p, n, s, error);
    if (status == SOTTO_OK)
        status = plan_check_width(p, n, error);
    if (status == SOTTO_OK)
        status = plan_check_duplicates(n, error);
    return status;
}

/* A number "a=b" beside a category a with the level b: two features of one
   name. */
static sotto_status plan_check_level(const column_plan *p, const column *c,
                                     const column *number, sotto_error *error)
{
    size_t length = strlen(c->name);
    if (c->role != COLUMN_CATEGORY || strncmp(number->name, c->name, length) ||
        number->name[length] != '=')
        return SOTTO_OK;
    for (int64_t i = 0; i < c->levels; i++)
        if (!strcmp(number->name + length + 1, c->level[i]))
            return error_set(error, SOTTO_USAGE,
                             "%s: two features would be called \"%s\": a "
                             "column and a level of \"%s\"; rename one",
                             show_name(p->file).text,
                             show_name(number->name).text,
                             show_name(c->name).text);
    return SOTTO_OK;
}

static sotto_status plan_check_levels(const column_plan *p, sotto_error *error)
{
    for (int64_t i = 0; i < p->columns; i++)
        for (int64_t k = 0; p->column[i].role == COLUMN_NUMBER &&
                            strchr(p->column[i].name, '=') && k < p->columns;
             k++) {
            sotto_status status =
                plan_check_level(p, &p->column[k], &p->column[i], error);
            if (status != SOTTO_OK)
                return status;
        }
    return SOTTO_OK;
}

static sotto_status plan_fill(column_plan *p, int header, char **names,
                              int64_t count, const sotto_options *options,
                              schema *s, sotto_error *error)
{
    plan_names n = {p->file, header, names, plan_sorted(names, count), count};
    int has_schema = option_given(options, OPTION_SCHEMA);
    if (!n.sorted)
        return error_memory(error);
    sotto_status status = plan_check_names(p, &n, options, s, error);
    mem_free(n.sorted);
    p->column = mem_zeroed((size_t)count, sizeof *p->column);
    if (status == SOTTO_OK && !p->column)
        status = error_memory(error);
    while (status == SOTTO_OK && p->columns < count) {
        int64_t i = p->columns++;
        status =
            plan_one(p, &p->column[i], names[i], options, s, has_schema, error);
    }
    if (status == SOTTO_OK)
        status = plan_places(p, error);
    if (status == SOTTO_OK)
        status = plan_check_levels(p, error);
    return status;
}

sotto_status plan_schema(schema *s, const sotto_options *options,
                         sotto_error *error)
{
    const char *declared = option_text(options, OPTION_DECLARED);
    sotto_status status = SOTTO_OK;
    *s = (schema){0};
    if (declared)
        status = schema_parse(s, "the model's schema", declared,
                              strlen(declared), error);
    else if (option_given(options, OPTION_SCHEMA_TEXT))
        status = schema_parse(
            s, "the parties' columns", option_text(options, OPTION_SCHEMA_TEXT),
            strlen(option_text(options, OPTION_SCHEMA_TEXT)), error);
    else if (option_given(options, OPTION_SCHEMA))
        status = schema_load(s, option_text(options, OPTION_SCHEMA), error);
    else
        return SOTTO_OK;
    s->is_model = declared != NULL;
    if (status == SOTTO_OK)
        qsort(s->column, (size_t)s->columns, sizeof *s->column,
              plan_compare_columns);
    return status;
}

/* Hands the words for missing values and the default over, and ends the
   schema's life. */
void plan_take_words(column_plan *p, schema *s)
{
    p->has_standard = s->has_standard;
    p->standard = s->standard; /* owns nothing but its name */
    p->standard.name = NULL;
    p->missing = s->missing;
    p->missing_words = s->missing_words;
    s->missing = NULL;
    s->missing_words = 0;
    schema_free(s);
}

/* Words for missing values that are numbers are compared as numbers. */
static sotto_status plan_missing_numbers(column_plan *p, sotto_error *error)
{
    p->missing_number =
        mem_zeroed((size_t)p->missing_words, sizeof *p->missing_number);
    if (!p->missing_number)
        return error_memory(error);
    for (int64_t i = 0; i < p->missing_words; i++)
        if (number_whole(p->missing[i], &p->missing_number[p->missing_numbers]))
            p->missing_numbers++;
    for (int64_t i = 0; i < p->columns; i++)
        p->column[i].plain =
            p->column[i].role == COLUMN_NUMBER && !p->missing_numbers;
    return SOTTO_OK;
}

/* Which features are divided by their row's length. */
static sotto_status plan_scaled(column_plan *p, sotto_error *error)
{
    if (!p->scales_rows)
        return SOTTO_OK;
    p->scaled = mem_zeroed((size_t)p->features + 1, sizeof *p->scaled);
    for (int64_t i = 0; p->scaled && i < p->columns; i++) {
        const column *c = &p->column[i];
        if (c->role == COLUMN_NUMBER && !c->bounded)
            p->scaled[c->feature] = 1;
    }
    return p->scaled ? SOTTO_OK : error_memory(error);
}

/* What is said of the columns by number, before the schema is taken apart. */
static void plan_numbers(column_plan *p, const schema *s)
{
    char last[24];
    snprintf(last, sizeof last, "%lld", (long long)s->width);
    p->width = s->width;
    for (int64_t i = 0; i < s->columns; i++)
        p->last_is_target |= s->column[i].role == COLUMN_TARGET &&
                             !strcmp(s->column[i].name, last);
}

sotto_status plan_columns(column_plan *out, const char *file, int header,
                          char **names, int64_t count,
                          const sotto_options *options, sotto_error *error)
{
    schema s;
    column_plan p = {.file = file};
    sotto_status status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    plan_settings(&p, options);
    plan_numbers(&p, &s);
    status = plan_fill(&p, header, names, count, options, &s, error);
    plan_take_words(&p, &s);
    if (status == SOTTO_OK)
        status = plan_missing_numbers(&p, error);
    if (status == SOTTO_OK)
        status = plan_scaled(&p, error);
    if (status == SOTTO_OK)
        status = plan_target(&p, options, error);
    if (status != SOTTO_OK) {
        plan_free(&p);
        return status;
    }
    *out = p;
    return SOTTO_OK;
}
