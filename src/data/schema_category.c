/*
 * What a schema declares of a category: its levels, and which of them a missing
 * value becomes.
 */
#include "schema_column.h"

#include <string.h>

sotto_status schema_levels(column *c, const char *path, json_t *from,
                           sotto_error *error)
{
    json_t *levels = json_object_get(from, "levels");
    if (c->role != COLUMN_CATEGORY)
        return SOTTO_OK;
    const char *word = json_string_value(levels);
    int other = json_is_true(json_object_get(from, SCHEMA_OTHER));
    c->asks_levels = word && !strcmp(word, SCHEMA_PRIVATE);
    /* one with no level but that for all others can be what was released */
    c->has_levels =
        schema_is_words(levels) ||
        (json_is_array(levels) && !json_array_size(levels) && other);
    if (c->asks_levels)
        return SOTTO_OK;
    if (!c->has_levels)
        return error_set(error, SOTTO_USAGE,
                         "%s: column \"%s\": expected a category to have "
                         "\"levels\", a list of different words, or "
                         "\"" SCHEMA_PRIVATE "\"%s",
                         show_name(path).text, show_name(c->name).text,
                         schema_bad_word(levels).text);
    word = json_string_value(json_array_get(levels, 0));
    if (json_array_size(levels) == 1 && word && !strcmp(word, SCHEMA_PRIVATE) &&
        !other) /* beside it, that can be what was released */
        return schema_error(path, c->name,
                            "\"levels\": \"" SCHEMA_PRIVATE
                            "\", without brackets, or a list of levels",
                            error);
    if (!schema_copy_words(levels, &c->level, &c->levels))
        return error_memory(error);
    return SOTTO_OK;
}

/* The level for all others goes behind those that are listed. */
sotto_status schema_other(column *c, const char *path, json_t *from,
                          sotto_error *error)
{
    json_t *other = json_object_get(from, SCHEMA_OTHER);
    int none = !other || json_is_null(other);
    if (c->asks_levels && json_is_false(other))
        return schema_error(path, c->name,
                            "no \"" SCHEMA_OTHER "\": false beside levels that "
                            "are asked for: what is not released needs it",
                            error);
    if (!c->asks_levels && (none || json_is_false(other)))
        return SOTTO_OK;
    if (!none && !json_is_true(other))
        return schema_error(path, c->name,
                            "\"" SCHEMA_OTHER "\" to be true or false", error);
    for (int64_t i = 0; i < c->levels; i++)
        if (!strcmp(c->level[i], SCHEMA_OTHER))
            return schema_error(path, c->name,
                                "no level called \"" SCHEMA_OTHER
                                "\" beside \"" SCHEMA_OTHER
                                "\": true, which makes one; take it from the "
                                "levels, or rename it",
                                error);
    char **more = mem_resize(c->level, (size_t)c->levels + 1, sizeof *more);
    if (!more)
        return error_memory(error);
    c->level = more;
    more[c->levels] = mem_text(SCHEMA_OTHER);
    if (!more[c->levels])
        return error_memory(error);
    c->levels++;
    c->other = 1;
    return SOTTO_OK;
}

sotto_status schema_missing_level(column *c, const char *path, const char *word,
                                  sotto_error *error)
{
    if (!c->has_levels && !c->asks_levels) /* which has been told */
        return SOTTO_OK;
    for (int64_t k = 0; word && !strcmp(word, "none") && k < c->levels; k++)
        if (!strcmp(c->level[k], word))
            return error_set(error, SOTTO_USAGE,
                             "%s: column \"%s\": \"missing\": \"none\" could "
                             "mean no level or the level \"none\"; rename the "
                             "level",
                             show_name(path).text, show_name(c->name).text);
    for (c->fill_level = 0; c->fill_level < c->levels; c->fill_level++)
        if (word && !strcmp(word, c->level[c->fill_level])) {
            c->missing = MISSING_FILL;
            return SOTTO_OK;
        }
    c->missing = MISSING_NONE;
    if (word && !strcmp(word, "none"))
        return SOTTO_OK;
    return schema_error(
        path, c->name,
        c->asks_levels
            ? "\"missing\" to be \"refuse\", \"none\" or \"" SCHEMA_OTHER "\""
            : "\"missing\" to be \"refuse\", \"none\" or one "
              "of the levels",
        error);
}
