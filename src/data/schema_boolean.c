/*
 * What a schema declares of a boolean: the words that mean true, those that
 * mean false, and what a missing value becomes. It is a number, 1 or 0.
 */
#include "schema_column.h"

#include <string.h>

/* Where none are declared. */
static const char *const boolean_true[] = {
    "true", "True", "TRUE", "t", "T", "yes", "Yes", "YES", "y", "Y", "1"};
static const char *const boolean_false[] = {
    "false", "False", "FALSE", "f", "F", "no", "No", "NO", "n", "N", "0"};
enum { BOOLEAN_USUAL = sizeof boolean_true / sizeof *boolean_true };
_Static_assert(sizeof boolean_false == sizeof boolean_true, "as many words");

/* The declared words, or the usual ones. The caller owns the list. */
static json_t *boolean_list(json_t *declared, const char *const *usual)
{
    return declared ? json_incref(declared)
                    : schema_list_words((char *const *)(uintptr_t)usual,
                                        BOOLEAN_USUAL);
}

/* The words for true and then those for false, as one list that is checked as
   one: no word means both. */
static sotto_status boolean_words(column *c, const char *path,
                                  const json_t *yes, const json_t *no,
                                  sotto_error *error)
{
    size_t truths = json_array_size(yes), lies = json_array_size(no);
    json_t *all = json_array();
    for (size_t i = 0; i < truths + lies; i++)
        json_append(&all,
                    json_incref(i < truths ? json_array_get(yes, i)
                                           : json_array_get(no, i - truths)));
    sotto_status status = all ? SOTTO_OK : error_memory(error);
    if (status == SOTTO_OK && (!truths || !lies || !schema_is_words(all)))
        status = error_set(error, SOTTO_USAGE,
                           "%s: column \"%s\": expected \"true\" and \"false\" "
                           "to be lists of different words%s",
                           show_name(path).text, show_name(c->name).text,
                           schema_bad_word(all).text);
    if (status == SOTTO_OK && !schema_copy_words(all, &c->level, &c->levels))
        status = error_memory(error);
    c->truths = (int64_t)truths;
    json_decref(all);
    return status;
}

static sotto_status boolean_missing(column *c, const char *path, json_t *from,
                                    sotto_error *error)
{
    json_t *missing = schema_get(from, "missing");
    const char *word = json_string_value(missing);
    if (!missing || (word && !strcmp(word, "refuse")))
        return SOTTO_OK;
    if (!json_is_boolean(missing))
        return schema_error(path, c->name,
                            "\"missing\" to be \"refuse\", true or false",
                            error);
    c->missing = MISSING_FILL;
    c->fill = json_is_true(missing);
    return SOTTO_OK;
}

sotto_status schema_boolean(column *c, const char *path, json_t *from,
                            sotto_error *error)
{
    json_t *yes = schema_get(from, "true");
    json_t *no = schema_get(from, "false");
    if (c->role != COLUMN_BOOLEAN)
        return SOTTO_OK;
    c->bounded = 1;
    c->low = 0;
    c->high = 1;
    if (!yes != !no)
        return schema_error(
            path, c->name, "both of \"true\" and \"false\", or neither", error);
    yes = boolean_list(yes, boolean_true);
    no = boolean_list(no, boolean_false);
    sotto_status status = yes && no ? boolean_words(c, path, yes, no, error)
                                    : error_memory(error);
    json_decref(yes);
    json_decref(no);
    return status == SOTTO_OK ? boolean_missing(c, path, from, error) : status;
}

/* ---- and back ---- */

void schema_put_boolean(json_t **to, const column *c)
{
    json_add(to, "true", schema_list_words(c->level, c->truths));
    json_add(to, "false",
             schema_list_words(c->level + c->truths, c->levels - c->truths));
    if (c->missing == MISSING_FILL)
        json_add(to, "missing", json_boolean(c->fill > 0));
}
