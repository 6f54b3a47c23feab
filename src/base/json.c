/*
 * JSON, read and written. jansson itself would print every double with 17
 * digits, and prints and reads them as the host's locale says.
 */
#include "json.h"

json_t *json_read(const char *text, size_t length, json_error_t *fault)
{
    locale_t before = locale_plain();
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, fault);
    locale_restore(before);
    return root;
}

int json_out_of_memory(size_t length)
{
    void *room = mem_zeroed(length + 4096, 8);
    mem_free(room);
    return !room;
}

/* ---- values ---- */

static void drop(json_t **value)
{
    json_decref(*value);
    *value = NULL;
}

void json_add(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value))
        drop(object);
}

void json_add_text(json_t **object, const char *key, const char *text)
{
    json_add(object, key, json_string(text));
}

void json_add_number(json_t **object, const char *key, double x)
{
    json_add(object, key, json_real(x));
}

void json_add_count(json_t **object, const char *key, int64_t count)
{
    json_add(object, key, json_integer(count));
}

void json_append(json_t **list, json_t *value)
{
    if (json_array_append_new(*list, value))
        drop(list);
}

/* ---- text ---- */

static void put_member(text_buffer *t, const char *before, const char *key,
                       const json_t *value, const json_layout *layout)
{
    text_put(t, before);
    if (key) {
        text_json(t, key);
        text_put(t, ": ");
    }
    layout->put(t, key, value);
}

void json_put_members(text_buffer *t, const json_t *value, json_layout layout)
{
    const char *key, *before = layout.first;
    int is_object = json_is_object(value);
    json_t *member;
    size_t i;
    text_put(t, is_object ? "{" : "[");
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        put_member(t, before, key, member, &layout);
        before = layout.between;
    }
    json_array_foreach(value, i, member)
    {
        put_member(t, before, NULL, member, &layout);
        before = layout.between;
    }
    text_put(t, layout.last);
    text_put(t, is_object ? "}" : "]");
}

void json_put(text_buffer *t, const json_t *value)
{
    if (!value) {
        t->failed = 1;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        json_put_members(t, value, (json_layout){"", ", ", "", json_put_value});
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
    case JSON_TRUE:
        text_put(t, "true");
        break;
    case JSON_FALSE:
        text_put(t, "false");
        break;
    case JSON_NULL:
        text_put(t, "null");
        break;
    }
}

void json_put_value(text_buffer *t, const char *key, const json_t *value)
{
    (void)key;
    json_put(t, value);
}
