/*
 * What the files that read an agreement share.
 */
#ifndef SOTTO_FEDERATE_CONFIG_H
#define SOTTO_FEDERATE_CONFIG_H

#include "internal.h"
#include "json.h"

/* What reading needs to know. */
typedef struct reading {
    federation *f;
    const char *name; /* of the file, for messages */
    sotto_error *error;
} reading;

/* ---- config_values.c ---- */

sotto_status config_refuse(const reading *r, const char *where,
                           const char *expected);

/* Refuses a key that is not in the list, where each has blanks around it. */
sotto_status config_keys(const reading *r, const json_t *object,
                         const char *where, const char *keys);

/* A number within [low, high]. If it is not given, *out stays as it is. */
sotto_status config_number(const reading *r, const json_t *object,
                           const char *key, double low, double high,
                           double *out);
sotto_status config_integer(const reading *r, const json_t *object,
                            const char *key, int64_t low, int64_t high,
                            int64_t *out);

/* One of two words: 0 for the first, which is the default, or 1. */
sotto_status config_word(const reading *r, const json_t *object,
                         const char *key, const char *first, const char *second,
                         int *out);

/* Centre and half width of a column's bounds, as in the data room. */
sotto_status config_bounds(const reading *r, const json_t *column,
                           const char *name, double *centre, double *half);

/* ---- config_parties.c ---- */

sotto_status config_parties(const reading *r, const json_t *root);

/* ---- network.c ---- */

/* What only a run over a network needs. All of it may be missing here. */
sotto_status config_network(const reading *r, const json_t *root);

/* ---- schemas.c ---- */

/* The schema of all columns in the order of the parties, and each party's. */
sotto_status config_schemas(const reading *r, const json_t *root);

#endif
