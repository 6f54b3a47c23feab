/*
 * Single values of an agreement: numbers, words, bounds. Whatever is not as
 * expected is refused with where it is and what was expected.
 */
#include "config.h"

#include <string.h>

sotto_status config_refuse(const reading *r, const char *where,
                           const char *expected)
{
    return error_set(r->error, SOTTO_USAGE, "%s: %s: expected %s",
                     show_name(r->name).text, show_name(where).text, expected);
}

sotto_status config_keys(const reading *r, const json_t *object,
                         const char *where, const char *keys)
{
    const char *key;
    json_t *value;
    char word[40];
    if (!json_is_object(object))
        return config_refuse(r, where, "an object {...}");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        (void)value;
        if (snprintf(word, sizeof word, " %s ", key) >= (int)sizeof word ||
            strchr(key, ' ') || !strstr(keys, word))
            return error_set(r->error, SOTTO_USAGE,
                             "%s: %s has no \"%s\"; expected some of %.*s%s",
                             show_name(r->name).text, show_name(where).text,
                             show_name(key).text, (int)strlen(keys) - 2,
                             keys + 1, suggest_word(key, keys).text);
    }
    return SOTTO_OK;
}

sotto_status config_number(const reading *r, const json_t *object,
                           const char *key, double low, double high,
                           double *out)
{
    const json_t *value = json_object_get(object, key);
    char expected[100];
    if (!value)
        return SOTTO_OK;
    *out = json_number_value(value);
    if (json_is_number(value) && *out >= low && *out <= high)
        return SOTTO_OK;
    snprintf(expected, sizeof expected, "a number from %s to %s",
             sotto_number_print(low, 6).text, sotto_number_print(high, 6).text);
    return config_refuse(r, key, expected);
}

sotto_status config_integer(const reading *r, const json_t *object,
                            const char *key, int64_t low, int64_t high,
                            int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    char expected[80];
    if (!value)
        return SOTTO_OK;
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= low && *out <= high)
        return SOTTO_OK;
    snprintf(expected, sizeof expected, "a whole number from %lld to %lld",
             (long long)low, (long long)high);
    return config_refuse(r, key, expected);
}

sotto_status config_word(const reading *r, const json_t *object,
                         const char *key, const char *first, const char *second,
                         int *out)
{
    const json_t *value = json_object_get(object, key);
    const char *word = value ? json_string_value(value) : first;
    char expected[80];
    *out = word && !strcmp(word, second);
    if (word && (*out || !strcmp(word, first)))
        return SOTTO_OK;
    snprintf(expected, sizeof expected, "\"%s\" or \"%s\"", first, second);
    return config_refuse(r, key, expected);
}

sotto_status config_bounds(const reading *r, const json_t *column,
                           const char *name, double *centre, double *half)
{
    const json_t *bounds = json_object_get(column, "bounds");
    const json_t *low = json_array_get(bounds, 0),
                 *high = json_array_get(bounds, 1);
    if (json_array_size(bounds) != 2 || !json_is_number(low) ||
        !json_is_number(high) ||
        !(json_number_value(low) < json_number_value(high)))
        return config_refuse(
            r, name,
            "\"bounds\": [low, high], declared without a look at "
            "the records");
    *centre = json_number_value(low) / 2 + json_number_value(high) / 2;
    *half = json_number_value(high) / 2 - json_number_value(low) / 2;
    return SOTTO_OK;
}
