/*
 * schema_column: how the declaration of one column is read. Every kind of
 * column that declares more than bounds has a file of its own.
 */
#ifndef SOTTO_SCHEMA_COLUMN_H
#define SOTTO_SCHEMA_COLUMN_H

#include "json.h"
#include "schema.h"

/* Reads a column of this name. What is wrong is noted (schema_note). */
sotto_status schema_column(schema *s, column *c, const char *path,
                           const char *name, json_t *from, sotto_error *error);

/* "PATH: column "NAME": expected ...", SOTTO_USAGE. */
sotto_status schema_error(const char *path, const char *name,
                          const char *expected, sotto_error *error);

/* The value of a key; NULL where it is null, or not there. */
json_t *schema_get(json_t *from, const char *key);

/* Whether " key " is one of the words in keys. */
int schema_key_in(const char *keys, const char *key);

/* Refuses a key of a column, or (name is NULL) of the whole file. */
sotto_status schema_no_key(const char *path, const char *name, const char *type,
                           const char *key, const char *keys,
                           sotto_error *error);

/* ---- schema_category.c ---- */

sotto_status schema_levels(column *c, const char *path, json_t *from,
                           sotto_error *error);
sotto_status schema_other(column *c, const char *path, json_t *from,
                          sotto_error *error);
sotto_status schema_missing_level(column *c, const char *path, const char *word,
                                  sotto_error *error);

/* ---- schema_date.c ---- */

/* All that a date declares, and the same written down again. */
sotto_status schema_date(column *c, const char *path, json_t *from,
                         sotto_error *error);
void schema_put_date(json_t **to, const column *c);

/* ---- schema_boolean.c ---- */

sotto_status schema_boolean(column *c, const char *path, json_t *from,
                            sotto_error *error);
void schema_put_boolean(json_t **to, const column *c);

#endif
