/*
 * Options and schema against the header: every column gets its role, every
 * feature its place and its map, before the first row is looked at.
 */
#include "column_plan.h"
#include "number.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

void plan_free(column_plan *p)
{
    for (int64_t i = 0; i < p->columns; i++)
        column_free(&p->column[i]);
    mem_free(p->column);
    mem_free_texts(p->class_name, p->classes);
    mem_free(p->class_value);
    mem_free_texts(p->missing, p->missing_words);
    mem_free(p->missing_number);
    mem_free(p->part_number);
    mem_free(p->scaled);
    mem_free(p->low);
    mem_free(p->high);
    *p = (column_plan){0};
}

/* The character that --thousands names; 0: none. */
static char plan_thousands(const sotto_options *options)
{
    static const struct {
        const char *name;
        char mark;
    } marks[] = {
        {"comma", ','}, {"point", '.'}, {"space", ' '}, {"apostrophe", '\''}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (option_is(options, OPTION_THOUSANDS, marks[i].name))
            return marks[i].mark;
    return 0;
}

void plan_settings(column_plan *p, const sotto_options *options)
{
    p->row_word = "line";
    p->weight_bound_given = option_given(options, OPTION_WEIGHT_BOUND);
    p->drop_bad = option_is(options, OPTION_BAD_ROWS, "drop");
    p->is_private = option_private(options);
    p->keeps_ids = option_is(options, OPTION_KEEP_IDS, "yes");
    p->is_double = option_given(options, OPTION_PRECISION)
                       ? option_is(options, OPTION_PRECISION, "double")
                       : option_exact(options);
    p->rows_only = option_is(options, OPTION_LAYOUT, "rows");
    p->for_model = option_given(options, OPTION_DECLARED);
    p->exact = p->for_model || option_exact(options);
    p->scales_rows = option_is(options, OPTION_UNDECLARED, "rows");
    p->labelled = option_is(options, OPTION_LABELLED, "yes");
    p->marks_bad = p->drop_bad && p->for_model && !p->labelled;
    p->decimal = option_is(options, OPTION_DECIMAL, "comma") ? ',' : 0;
    p->thousands = plan_thousands(options);
    p->threads = (int)option_integer(options, OPTION_THREADS);
    if (p->threads == 0)
        p->threads = thread_limit();
    if (ranks_several(option_ranks(options)))
        p->ranks = option_ranks(options);
}

static sotto_status plan_fill(column_plan *p, char **names, int64_t count,
                              const sotto_options *options, schema *s,
                              sotto_error *error)
{
    int has_schema = option_given(options, OPTION_SCHEMA);
    sotto_status status = plan_check_names(p, names, count, options, s, error);
    p->column = mem_zeroed((size_t)count, sizeof *p->column);
    if (status == SOTTO_OK && !p->column)
        status = error_memory(error);
    while (status == SOTTO_OK && p->columns < count) {
        int64_t i = p->columns++;
        status = plan_column(p, &p->column[i], names[i], options, s, has_schema,
                             error);
    }
    if (status == SOTTO_OK)
        status = plan_places(p, error);
    if (status == SOTTO_OK)
        status = plan_check_levels(p, error);
    if (status == SOTTO_OK)
        status = plan_check_asked(p, error);
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
    else if (option_content(options, OPTION_SCHEMA))
        status =
            schema_parse(s, option_text(options, OPTION_SCHEMA),
                         option_content(options, OPTION_SCHEMA),
                         strlen(option_content(options, OPTION_SCHEMA)), error);
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

void plan_take_words(column_plan *p, schema *s)
{
    p->has_default = s->has_default;
    p->default_column = s->default_column; /* its name stays in the schema */
    p->default_column.name = NULL;
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
        p->column[i].plain = p->column[i].role == COLUMN_NUMBER &&
                             !p->missing_numbers && !p->decimal &&
                             !p->thousands;
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

/* What the schema says of columns that are known by number. Later its columns
   are moved to the plan. */
static void plan_width(column_plan *p, const schema *s)
{
    char last[24];
    snprintf(last, sizeof last, "%lld", (long long)s->width);
    p->width = s->width;
    for (int64_t i = 0; i < s->columns; i++)
        p->last_is_target |= s->column[i].role == COLUMN_TARGET &&
                             !strcmp(s->column[i].name, last);
}

sotto_status plan_columns(column_plan *out, const char *file,
                          plan_naming naming, char **names, int64_t count,
                          const sotto_options *options, sotto_error *error)
{
    schema s;
    column_plan p = {.file = file, .naming = naming};
    sotto_status status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    plan_settings(&p, options);
    plan_width(&p, &s);
    status = plan_fill(&p, names, count, options, &s, error);
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
