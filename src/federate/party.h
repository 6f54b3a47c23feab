/*
 * What the two files of a party share.
 */
#ifndef SOTTO_FEDERATE_PARTY_H
#define SOTTO_FEDERATE_PARTY_H

#include "internal.h"

/* A request that was answered, by its hash, and the answer. */
typedef struct exchange {
    hash request;
    text_buffer answer;
} exchange;

struct party {
    const federation *f;
    int k;
    curator *curator;
    int64_t columns;    /* with the constant */
    int64_t *place;     /* where the table has a column */
    int64_t *candidate; /* scratch: columns, and where the table has them */
    unsigned char *shared;
    int64_t shares;
    int64_t *sketch;      /* scratch */
    double *vector;       /* scratch */
    int64_t *bucket_rows; /* rows in each bucket: public */
    exchange *exchange;
    int64_t exchanges;
    uint64_t round; /* the last that was answered */
    double *weight; /* what its answers make of its own weights */
    int started, ended;
    int seals;
    hash seal_key;
    hash transcript;
};

sotto_status party_refuse(const party *p, const char *what, sotto_error *error);

/* ---- party_answers.c ---- */

/* Answers a message, asking the curator; or as it was answered before: `kept`
   is that answer. */
sotto_status party_take(party *p, const message *m, const message *kept,
                        text_buffer *out, sotto_error *error);

#endif
