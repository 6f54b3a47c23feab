/*
 * The table that a schema declares, without a row, for plans. No file of
 * records is read, so all of it is public.
 */
#include "reader.h"

#include <string.h>

enum { OPTIONS = 4 };

static int is_listed(const schema *s, const char *name)
{
    for (int64_t i = 0; i < s->columns; i++)
        if (!strcmp(s->column[i].name, name))
            return 1;
    return 0;
}

/* Puts the names of the columns that are listed, of those that options name,
   and of `more` others. Returns how many there are, or -1 when out of memory.
   There is room for all. */
static int64_t put_names(char **names, const schema *s,
                         const sotto_options *options, int64_t more)
{
    static const option_id named[OPTIONS] = {
        OPTION_TARGET, OPTION_WEIGHTS, OPTION_UNIT_COLUMN, OPTION_PART_COLUMN};
    int64_t count = 0;
    for (int64_t i = 0; i < s->columns; i++)
        names[count++] = mem_text(s->column[i].name);
    for (int i = 0; i < OPTIONS; i++)
        if (option_given(options, named[i]) &&
            !is_listed(s, option_text(options, named[i])))
            names[count++] = mem_text(option_text(options, named[i]));
    for (int64_t i = 0; i < more; i++) {
        char name[40];
        snprintf(name, sizeof name, "(not listed) %lld", (long long)i + 1);
        names[count++] = mem_text(name);
    }
    for (int64_t i = 0; i < count; i++)
        if (!names[i])
            return -1;
    return count;
}

/* Columns of these names without rows. */
static sotto_status read_names(sotto_table **out, const char *name,
                               char **names, int64_t count,
                               const sotto_options *options, sotto_error *error)
{
    column_plan p;
    sotto_status status =
        plan_columns(&p, name, NAMES_HEADER, names, count, options, error);
    if (status != SOTTO_OK)
        return status;
    status = read_shape(out, &p, 0, error);
    plan_free(&p);
    return status;
}

/* The names are not checked as a CSV header would be: those of .npy are
   numbers. */
static sotto_status read_header(sotto_table **out, const schema *s,
                                const sotto_options *options, int64_t more,
                                sotto_error *error)
{
    int64_t room = s->columns + OPTIONS + more;
    file_header h = {.name = mem_zeroed((size_t)room, sizeof *h.name),
                     .count = room};
    int64_t count = h.name ? put_names(h.name, s, options, more) : -1;
    sotto_status status =
        count < 0 ? error_memory(error)
                  : read_names(out, option_text(options, OPTION_SCHEMA), h.name,
                               count, options, error);
    header_free(&h);
    return status;
}

static int lists_feature(const schema *s, const sotto_options *options)
{
    for (int64_t i = 0; i < s->columns; i++) {
        const column *c = &s->column[i];
        if (column_features(c) && !option_is(options, OPTION_TARGET, c->name) &&
            !option_is(options, OPTION_WEIGHTS, c->name) &&
            !option_is(options, OPTION_UNIT_COLUMN, c->name) &&
            !option_is(options, OPTION_PART_COLUMN, c->name))
            return 1;
    }
    return 0;
}

/* Adds features that the schema does not list, up to --features; its default
   declares them. `there` of them are in the table already. */
static sotto_status read_more(sotto_table **out, const schema *s,
                              const sotto_options *options, int there,
                              sotto_error *error)
{
    enum { MOST = 1 << 24 };
    int64_t wanted = option_integer(options, OPTION_FEATURES);
    int64_t found = (*out)->features;
    if (wanted == found)
        return SOTTO_OK;
    sotto_table_free(*out);
    *out = NULL;
    if (wanted < found || !s->has_default)
        return error_set(error, SOTTO_USAGE,
                         "--features %lld: the schema declares %lld%s",
                         (long long)wanted, (long long)found,
                         wanted < found ? "" : ", and has no \"default\"");
    if (wanted - found > MOST)
        return error_set(error, SOTTO_USAGE,
                         "--features: at most %d that the schema does not "
                         "list",
                         MOST);
    return read_header(out, s, options, wanted - found + there, error);
}

sotto_status table_declared(sotto_table **out, const sotto_options *options,
                            sotto_error *error)
{
    schema s;
    const file_format *format;
    *out = NULL;
    sotto_status status = format_by_option(&format, options, error);
    if (status != SOTTO_OK)
        return status;
    if (format && format->columns == COLUMNS_NUMBERED)
        return table_read_memory(out, option_text(options, OPTION_SCHEMA), "",
                                 0, options, error);
    status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    /* where no feature is listed, the first is one of those not listed */
    int given = option_given(options, OPTION_FEATURES);
    int alone = !lists_feature(&s, options) && given && s.has_default;
    status = read_header(out, &s, options, alone, error);
    if (status == SOTTO_OK && given)
        status = read_more(out, &s, options, alone, error);
    schema_free(&s);
    return status;
}

/* ---- its plan, for records that are invented ---- */

static sotto_status plan_names(column_plan *out, const schema *s,
                               const sotto_options *options, int64_t more,
                               sotto_error *error)
{
    int64_t room = s->columns + OPTIONS + more;
    file_header h = {.name = mem_zeroed((size_t)room + 1, sizeof *h.name),
                     .count = room};
    int64_t count = h.name ? put_names(h.name, s, options, more) : -1;
    sotto_status status =
        count < 0 ? error_memory(error)
                  : plan_columns(out, "the declarations", NAMES_HEADER, h.name,
                                 count, options, error);
    header_free(&h);
    return status;
}

sotto_status declared_plan(column_plan *out, int *numbered, int64_t wanted,
                           const sotto_options *options, sotto_error *error)
{
    schema s;
    const file_format *format;
    sotto_status status = format_by_option(&format, options, error);
    if (status != SOTTO_OK)
        return status;
    *numbered = format && format->columns == COLUMNS_NUMBERED;
    if (*numbered)
        return plan_numbered(out, "the declarations", wanted, options, error);
    status = plan_schema(&s, options, error);
    if (status != SOTTO_OK)
        return status;
    /* those that are not listed come on top of those that are */
    int64_t more = wanted && !lists_feature(&s, options) ? wanted : 0;
    status = plan_names(out, &s, options, more, error);
    if (status == SOTTO_OK && wanted > out->features && more == 0) {
        more = wanted - out->features;
        plan_free(out);
        status = plan_names(out, &s, options, more, error);
    }
    schema_free(&s);
    return status;
}
