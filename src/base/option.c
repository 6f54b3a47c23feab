/*
 * A set of options: values that were checked when they were set, or the
 * defaults of the table (option_table.c).
 */
#include "option.h"
#include "option_check.h"

#include <math.h>
#include <string.h>

struct sotto_options {
    char *value[OPTION_COUNT];
    char *content[OPTION_COUNT]; /* in the place of a file; value is the
                                    option's name then */
    sotto_ranks *ranks;          /* NULL: one process */
};

sotto_status sotto_options_new(sotto_options **out, sotto_error *error)
{
    *out = mem_zeroed(1, sizeof **out);
    return *out ? SOTTO_OK : error_memory(error);
}

void sotto_options_free(sotto_options *options)
{
    if (!options)
        return;
    for (int i = 0; i < OPTION_COUNT; i++) {
        mem_free(options->value[i]);
        mem_free(options->content[i]);
    }
    mem_free(options);
}

static sotto_status option_unknown(const char *name, sotto_error *error)
{
    suggestion n = {.written = name};
    for (int i = 0; i < OPTION_COUNT; i++)
        suggest_try(&n, sotto_option_at(i)->name,
                    strlen(sotto_option_at(i)->name));
    return error_set(error, SOTTO_USAGE, "there is no option --%s%s",
                     show_name(name).text, suggest_hint(&n).text);
}

void sotto_options_set_ranks(sotto_options *options, sotto_ranks *ranks)
{
    options->ranks = ranks;
}

sotto_ranks *option_ranks(const sotto_options *options)
{
    return options->ranks;
}

sotto_status sotto_options_set(sotto_options *options, const char *name,
                               const char *value, sotto_error *error)
{
    const sotto_option *o = sotto_option_named(name);
    if (!o)
        return option_unknown(name, error);
    sotto_status status = option_check(o, value, error);
    if (status != SOTTO_OK)
        return status;
    size_t id = (size_t)(o - sotto_option_at(0));
    char **slot = &options->value[id];
    text_buffer joined = {0};
    if ((o->kind == SOTTO_OPTION_LIST || o->kind == SOTTO_OPTION_SUM) &&
        *slot) {
        text_put(&joined, *slot);
        text_put(&joined, o->kind == SOTTO_OPTION_LIST ? "," : "+");
    }
    text_put(&joined, value);
    if (!text_take(&joined))
        return error_memory(error);
    mem_free(*slot);
    mem_free(options->content[id]);
    *slot = joined.data;
    options->content[id] = NULL;
    return SOTTO_OK;
}

/* Files that the library reads as text. Not where it writes, nor keys, nor
   what only a program reads. */
static int option_takes_content(option_id id)
{
    return id == OPTION_SCHEMA || id == OPTION_SMOOTHNESS ||
           id == OPTION_BLOCKS || id == OPTION_SAMPLING || id == OPTION_COLUMNS;
}

sotto_status sotto_options_set_content(sotto_options *options, const char *name,
                                       const char *text, sotto_error *error)
{
    const sotto_option *o = sotto_option_named(name);
    if (!o)
        return option_unknown(name, error);
    option_id id = (option_id)(o - sotto_option_at(0));
    if (!option_takes_content(id))
        return error_set(error, SOTTO_USAGE,
                         "--%s: it is no text that is read; expected one of "
                         "schema, smoothness, blocks, sampling, columns",
                         name);
    size_t size = strlen(text);
    sotto_status status =
        file_check_whole(name, NULL, 0, size, FILE_MOST, error);
    if (status != SOTTO_OK)
        return status;
    char *value = mem_text(name), *content = mem_text_n(text, size);
    if (!value || !content) {
        mem_free(value);
        mem_free(content);
        return error_memory(error);
    }
    mem_free(options->value[id]);
    mem_free(options->content[id]);
    options->value[id] = value;
    options->content[id] = content;
    return SOTTO_OK;
}

const char *sotto_options_get(const sotto_options *options, const char *name)
{
    const sotto_option *o = sotto_option_named(name);
    if (!o)
        return NULL;
    option_id id = (option_id)(o - sotto_option_at(0));
    const char *content = option_content(options, id);
    return content ? content : option_text(options, id);
}

const char *option_content(const sotto_options *options, option_id id)
{
    return options->content[id];
}

sotto_status option_read(const sotto_options *options, option_id id, char **out,
                         size_t *size, sotto_error *error)
{
    const char *content = option_content(options, id);
    if (!content)
        return file_read(option_text(options, id), FILE_MOST, out, size, error);
    *size = strlen(content);
    *out = mem_text_n(content, *size);
    return *out ? SOTTO_OK : error_memory(error);
}

const char *option_text(const sotto_options *options, option_id id)
{
    const char *value = options->value[id];
    return value ? value : sotto_option_at(id)->default_value;
}

int option_given(const sotto_options *options, option_id id)
{
    return options->value[id] != NULL;
}

double option_number(const sotto_options *options, option_id id)
{
    double x = 0;
    option_parse(option_text(options, id), &x); /* checked when it was set */
    return x;
}

int64_t option_integer(const sotto_options *options, option_id id)
{
    return (int64_t)option_number(options, id);
}

int option_pair(const sotto_options *options, option_id id, double *low,
                double *high)
{
    const char *value = option_text(options, id);
    return value && option_parse_pair(value, low, high);
}

int option_is(const sotto_options *options, option_id id, const char *word)
{
    const char *value = option_text(options, id);
    return value && !strcmp(value, word);
}

/* The length of the list's name at `at`; names end at a comma. */
static size_t option_name_length(const char *at)
{
    return strcspn(at, ",");
}

int option_lists(const sotto_options *options, option_id id, const char *name)
{
    const char *at = option_text(options, id);
    size_t length = strlen(name);
    while (at) {
        size_t span = option_name_length(at);
        if (span == length && !memcmp(at, name, length))
            return 1;
        at = at[span] ? at + span + 1 : NULL;
    }
    return 0;
}

int option_next(const sotto_options *options, option_id id, size_t *cursor,
                char **out)
{
    const char *list = option_text(options, id);
    if (!list || *cursor > strlen(list))
        return 0;
    size_t span = option_name_length(list + *cursor);
    *out = mem_text_n(list + *cursor, span);
    *cursor += span + 1;
    return *out ? 1 : -1;
}

int option_private(const sotto_options *options)
{
    return option_given(options, OPTION_EPSILON) &&
           isfinite(option_number(options, OPTION_EPSILON));
}

int option_exact(const sotto_options *options)
{
    if (option_private(options))
        return 0;
    return option_given(options, OPTION_SOLVER)
               ? option_is(options, OPTION_SOLVER, "exact")
               : option_given(options, OPTION_EPSILON);
}

sotto_status option_copy(sotto_options *to, const sotto_options *from,
                         option_id id, sotto_error *error)
{
    const char *name = sotto_option_at(id)->name, *value = from->value[id];
    if (!value)
        return SOTTO_OK;
    return from->content[id]
               ? sotto_options_set_content(to, name, from->content[id], error)
               : sotto_options_set(to, name, value, error);
}
