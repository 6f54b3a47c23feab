/*
 * What the two files of a party share.
 */
#ifndef SOTTO_FEDERATE_PARTY_H
#define SOTTO_FEDERATE_PARTY_H

#include "internal.h"

/* A request, by its hash, and its answer. */
typedef struct exchange {
    hash request;
    text_buffer answer;
} exchange;

struct party {
    const federation *f;
    int k;
    curator *curator;
    int64_t columns;    /* with the constant */
    int64_t *place;     /* of each column: its place in the table */
    int64_t *candidate; /* scratch: columns, and their places in the table */
    unsigned char *shared;
    int64_t shares;
    int64_t *sketch;      /* scratch */
    double *vector;       /* scratch */
    int64_t *bucket_rows; /* rows in each bucket: public */
    exchange *exchange;
    int64_t exchanges;
    uint64_t round; /* the last that was answered */
    double *weight; /* of its own columns, as its answers move them */
    int started, ended;
    int seals;
    hash seal_key;
    hash transcript;
};

sotto_status party_refuse(const party *p, const char *what, sotto_error *error);

/* ---- party_answers.c ---- */

/* Answers a request. With `kept`, the answer that was given before, nothing is
   asked; the answer is made again from it. */
sotto_status party_take(party *p, const message *m, const message *kept,
                        text_buffer *out, sotto_error *error);

#endif
