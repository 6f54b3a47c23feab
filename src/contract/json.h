/*
 * json: JSON values are jansson's. They become text, and text becomes them,
 * by the calls of this header alone: doubles keep their bits, members keep
 * their order, and no locale matters.
 */
#ifndef SOTTO_JSON_H
#define SOTTO_JSON_H

#include "base.h"

#include <jansson.h>

/* Reads a whole text in which no object has a key twice. NULL: it is not JSON,
   as `fault` says where it is given, or memory ran out. */
json_t *json_read(const char *text, size_t length, json_error_t *fault);

/* Which of the two it was: jansson calls a failed allocation a fault of the
   text, so this asks the system again for as much. */
int json_out_of_memory(size_t length);

/*
 * These add a member to an object, or an entry to a list, and take over the
 * value. Where that fails, be it for lack of memory or because JSON has no
 * such value (an infinity), what they add to becomes NULL and stays NULL. So
 * a long series of calls needs one check at its end.
 */
void json_add(json_t **object, const char *key, json_t *value);
void json_add_text(json_t **object, const char *key, const char *text);
void json_add_number(json_t **object, const char *key, double x);
void json_add_count(json_t **object, const char *key, int64_t count);
void json_append(json_t **list, json_t *value);

/* Adds the value to the text, in one line; a NULL makes the text fail. */
void json_put(text_buffer *t, const json_t *value);

/*
 * How the members of one object or list are broken into lines: `first` stands
 * before the first of them, `between` before each of the others, `last` behind
 * them all. `put` writes a member's value; `key` is NULL in a list.
 */
typedef struct json_layout {
    const char *first, *between, *last;
    void (*put)(text_buffer *t, const char *key, const json_t *value);
} json_layout;

void json_put_members(text_buffer *t, const json_t *value, json_layout layout);

/* A layout's `put`: the value in one line. */
void json_put_value(text_buffer *t, const char *key, const json_t *value);

/* ---- what libsotto-federate uses ---- */

CORE_EXPORT(json_read);
CORE_EXPORT(json_out_of_memory);
CORE_EXPORT(json_add);
CORE_EXPORT(json_add_text);
CORE_EXPORT(json_add_number);
CORE_EXPORT(json_add_count);
CORE_EXPORT(json_append);
CORE_EXPORT(json_put);

#endif
