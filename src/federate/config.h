/*
 * What the files that read an agreement share.
 */
#ifndef SOTTO_FEDERATE_CONFIG_H
#define SOTTO_FEDERATE_CONFIG_H

#include "federate.h"

#include <jansson.h>

/* What it is read with. */
typedef struct reading {
    federation *f;
    const char *name; /* of the file, for messages */
    sotto_error *error;
} reading;

sotto_status config_refuse(const reading *r, const char *where,
                           const char *expected);

/* ---- schemas.c ---- */

/* Adds a value as it was read. */
void config_put_json(text_buffer *t, const json_t *value);

/* The schema of all columns in the order of the parties, and each party's. */
sotto_status config_schemas(const reading *r, const json_t *root);

#endif
