/*
 * Whether a file is a model, whole, unchanged, and with a promise of privacy or
 * the word that there is none.
 */
#include "file.h"
#include "model.h"

#include <math.h>
#include <string.h>

sotto_status model_refuse(const char *name, const char *what,
                          sotto_error *error)
{
    return error_set(error, SOTTO_USAGE, "%s: %s", show_name(name).text, what);
}

static sotto_status check_version(const char *name, json_t *root,
                                  sotto_error *error)
{
    json_t *version = json_object_get(root, "sotto_model");
    if (!json_is_integer(version))
        return model_refuse(name,
                            "not a model: expected a file that 'sotto train' "
                            "has written",
                            error);
    if (json_integer_value(version) != MODEL_VERSION)
        return error_set(error, SOTTO_USAGE,
                         "%s: a model of version %lld; this sotto (%s) reads "
                         "version %d: use the sotto it was made with, or a "
                         "newer one",
                         show_name(name).text,
                         (long long)json_integer_value(version),
                         sotto_version(), MODEL_VERSION);
    return SOTTO_OK;
}

sotto_status model_check_sum(const char *name, const char *bytes, size_t size,
                             sotto_error *error)
{
    char tail[48];
    const char *at = NULL, *next = bytes;
    size_t length = strlen(MODEL_CHECKSUM);
    while ((next = memmem(next, size - (size_t)(next - bytes), MODEL_CHECKSUM,
                          length)))
        at = next++;
    if (at)
        model_tail(tail, bytes, (size_t)(at - bytes));
    if (!at || strlen(tail) != size - (size_t)(at - bytes) ||
        memcmp(at, tail, strlen(tail)))
        return model_refuse(name,
                            "the checksum does not fit: the file was changed "
                            "after it was written; write it again, or take a "
                            "whole copy",
                            error);
    return SOTTO_OK;
}

/* A statement, or NOT PRIVATE: one of them, and not both. What a statement's
   numbers stand for is checked by sotto_model_check, which takes longer. */
static sotto_status check_privacy(const char *name, json_t *root,
                                  sotto_error *error)
{
    json_t *statement = json_object_get(root, "privacy");
    json_t *none = json_object_get(root, "not_private");
    double epsilon = json_number_value(json_object_get(statement, "epsilon"));
    double delta = json_number_value(json_object_get(statement, "delta"));
    if (!((json_is_true(none) && json_is_null(statement)) ||
          (!none && json_is_object(statement) &&
           json_is_number(json_object_get(statement, "epsilon")) &&
           json_is_number(json_object_get(statement, "delta")))))
        return model_refuse(
            name,
            "expected a statement of privacy or \"not_private\": "
            "true, and not both",
            error);
    if (json_is_object(statement) &&
        !(epsilon > 0 && isfinite(epsilon) && delta > 0 && delta < 1))
        return model_refuse(
            name,
            "the statement of privacy: expected a finite epsilon "
            "above 0 and a delta above 0 and below 1; do not rely "
            "on this model, train it again",
            error);
    return SOTTO_OK;
}

/*
 * The file inside a list, after a long word: jansson's buffer for tokens
 * grows at that word, and not inside a number, where it would end the
 * program when memory is out.
 */
typedef struct parts {
    struct {
        const char *bytes;
        size_t size;
    } part[3];
    int next;
} parts;

static size_t next_part(void *buffer, size_t room, void *context)
{
    parts *p = context;
    while (p->next < 3 && !p->part[p->next].size)
        p->next++;
    if (p->next == 3)
        return 0;
    size_t size = p->part[p->next].size;
    size = size < room ? size : room;
    memcpy(buffer, p->part[p->next].bytes, size);
    p->part[p->next].bytes += size;
    p->part[p->next].size -= size;
    return size;
}

static json_t *load(const char *bytes, size_t size, json_error_t *problem)
{
    static const char before[] =
        "[\"0123456789012345678901234567890123456789\",";
    parts p = {{{before, sizeof before - 1}, {bytes, size}, {"]", 1}}, 0};
    locale_t plain = locale_plain();
    json_t *root =
        json_load_callback(next_part, &p, JSON_REJECT_DUPLICATES, problem);
    locale_restore(plain);
    return root;
}

sotto_status model_parse(sotto_model **out, const char *name, const char *bytes,
                         size_t size, sotto_error *error)
{
    json_error_t problem;
    json_t *list = load(bytes, size, &problem);
    json_t *root = json_array_get(list, 1);
    *out = NULL;
    if (!list && json_out_of_memory(size))
        return error_memory(error);
    if (!json_is_object(root) || json_array_size(list) != 2) {
        json_decref(list);
        return error_set(error, SOTTO_USAGE,
                         "%s: not a whole model: the file was cut short or "
                         "is something else; expected one that 'sotto train' "
                         "has written",
                         show_name(name).text);
    }
    sotto_status status = check_version(name, root, error);
    if (status == SOTTO_OK)
        status = model_check_sum(name, bytes, size, error);
    if (status == SOTTO_OK)
        status = check_privacy(name, root, error);
    if (status == SOTTO_OK)
        status = model_read_parts(out, name, root, error);
    if (status == SOTTO_OK)
        status = model_check_signature(*out, name, bytes, size, error);
    if (status == SOTTO_OK && !((*out)->file = mem_text(name)))
        status = error_memory(error);
    if (status != SOTTO_OK) {
        sotto_model_free(*out);
        *out = NULL;
    }
    json_decref(list);
    return status;
}
