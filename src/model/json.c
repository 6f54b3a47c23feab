/*
 * JSON in one line, with the shortest doubles that read back as they were
 * (jansson's own have 17 digits whether needed or not).
 */
#include "file.h"

static void put_object(text_buffer *t, const json_t *object)
{
    const char *key, *between = "";
    json_t *value;
    text_put(t, "{");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        text_put(t, between);
        text_json(t, key);
        text_put(t, ": ");
        model_put_json(t, value);
        between = ", ";
    }
    text_put(t, "}");
}

static void put_array(text_buffer *t, const json_t *array)
{
    text_put(t, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        text_put(t, i ? ", " : "");
        model_put_json(t, json_array_get(array, i));
    }
    text_put(t, "]");
}

void model_put_json(text_buffer *t, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        put_object(t, value);
        break;
    case JSON_ARRAY:
        put_array(t, value);
        break;
    case JSON_STRING:
        text_json(t, json_string_value(value));
        break;
    case JSON_INTEGER:
        text_format(t, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        text_number(t, json_real_value(value));
        break;
    default:
        text_put(t, json_is_null(value)   ? "null"
                    : json_is_true(value) ? "true"
                                          : "false");
    }
}
