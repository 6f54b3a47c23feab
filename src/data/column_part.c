/*
 * The parts of a data set: a column says which part a row belongs to, and a
 * row of a part that is not read is absent. That is a property of the row and
 * of the options alone. Nothing but this is kept of the column.
 */
#include "column_plan.h"
#include "number.h"

#include <string.h>

/* The parts that are read. */
static sotto_status part_values(column *c, const sotto_options *options,
                                sotto_error *error)
{
    size_t cursor = 0;
    char *word;
    int got;
    while ((got = option_next(options, OPTION_PARTS, &cursor, &word)) > 0) {
        char **more = mem_resize(c->level, (size_t)c->levels + 1, sizeof *more);
        if (!more) {
            mem_free(word);
            return error_memory(error);
        }
        c->level = more;
        more[c->levels++] = word;
        if (!*word)
            return error_set(error, SOTTO_USAGE,
                             "--parts: expected values that are not empty");
    }
    return got < 0 ? error_memory(error) : SOTTO_OK;
}

sotto_status plan_part(const column_plan *p, column *c,
                       const sotto_options *options, sotto_error *error)
{
    if (!option_is(options, OPTION_PART_COLUMN, c->name))
        return SOTTO_OK;
    if (!p->drop_bad)
        return error_set(error, SOTTO_PRIVACY,
                         "a data set with parts needs --bad-rows drop: a bad "
                         "row of another part must not end the run");
    if (c->role == COLUMN_TARGET || c->role == COLUMN_WEIGHT ||
        c->role == COLUMN_UNIT)
        return error_set(error, SOTTO_USAGE,
                         "column \"%s\": says which part a row belongs to; it "
                         "cannot be the target, the weights or the unit, too",
                         show_name(c->name).text);
    char *name = c->name;
    c->name = NULL;
    column_free(c);
    c->name = name;
    c->role = COLUMN_PART;
    return part_values(c, options, error);
}

/* A value in the only way of writing it: otherwise two parts, "1" and "1.0",
   would have the same rows, and each a cap of its own. */
static sotto_status part_number(const char *text, double *out,
                                sotto_error *error)
{
    text_buffer same = {0};
    int is_number = number_whole(text, out);
    text_number(&same, is_number ? *out + 0. : 0);
    int failed = same.failed, only = !failed && !strcmp(same.data, text);
    sotto_status status = SOTTO_OK;
    if (failed)
        status = error_memory(error);
    else if (!is_number)
        status = error_set(error, SOTTO_USAGE,
                           "--parts: a .npy file holds numbers; expected "
                           "numbers, not \"%s\"",
                           show_name(text).text);
    else if (!only)
        status = error_set(error, SOTTO_USAGE,
                           "--parts: \"%s\": in a .npy file this is the part "
                           "%s; expected it to be called so",
                           show_name(text).text, same.data);
    text_free(&same);
    return status;
}

sotto_status plan_part_numbers(column_plan *p, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    const column *c = p->part;
    if (!c)
        return SOTTO_OK;
    p->part_number = mem_zeroed((size_t)c->levels, sizeof *p->part_number);
    if (!p->part_number)
        return error_memory(error);
    for (int64_t i = 0; i < c->levels && status == SOTTO_OK; i++)
        status = part_number(c->level[i], &p->part_number[i], error);
    /* rows are judged by the number alone: nothing else becomes of it */
    p->column[c - p->column].role = COLUMN_DROP;
    return status;
}
